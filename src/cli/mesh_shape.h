/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_shape.h - generated meshes as the command line names them */
#ifndef MPLAN_CLI_MESH_SHAPE_H
#define MPLAN_CLI_MESH_SHAPE_H

#include "cli/options.h"
#include "meshplan.h"

/* Names of the shapes, in the order of mplan_shape; NULL past the last. */
const char *cli_shape_word(int32_t i);

/* The shape that a text names before its colon, and the text behind it; false: it names a file. A file whose name begins
 * like that ("quad:1") can be named by "./quad:1". */
bool cli_find_shape(const char *text, mplan_shape *shape, const char **size);

/* Words of --cells, in the order of mplan_layer_cells; NULL past the last. */
const char *cli_layer_cells_word(int32_t i);

/* 3IxJ, 12x8, 4x4x4: as many numbers as the shape has directions, or a usage error
 * that begins with `subject`. */
mplan_status cli_read_shape_size(const char *subject, mplan_shape shape, const char *text,
                                 int64_t size[3], mplan_error *err);

/* X, X,Y or X,Y,Z: factors above 0 of the coordinates; those that are not given become 1. NULL: all 1. */
mplan_status cli_read_stretch(const char *subject, const char *text, double stretch[3],
                              mplan_error *err);

/* How meshes round a body are made, as generate and run take it. */
typedef struct cli_layers {
    const char *cells;
    cli_real first_height, growth;
} cli_layers;

/* Rows of a table of options; target: the offset of a cli_layers. */
/* clang-format off */
#define CLI_LAYER_OPTIONS(layers_at) \
    {.name = "cells", .kind = CLI_WORD, .argument = "WORD", \
     .target = (layers_at) + offsetof(cli_layers, cells), .word = cli_layer_cells_word, \
     .help = "cells around a profile, wing or sphere (default auto: quad in 2-D, hex in 3-D); " \
             "hybrid: quads or prisms in the lower half of the rows, triangles or tets above"}, \
    {.name = "first-height", .kind = CLI_REAL, .argument = "X", \
     .target = (layers_at) + offsetof(cli_layers, first_height), .least = 0, \
     .help = "height of the first row at the wall, in chords or radii (default 1e-5)"}, \
    {.name = "growth", .kind = CLI_REAL, .argument = "X", \
     .target = (layers_at) + offsetof(cli_layers, growth), .least = 0, \
     .help = "ratio of the height of a row to that of the row before (default: such that the last row ends 20 " \
             "chords or radii away, but at most 2)"}
/* clang-format on */

/* The first of these options that is given; NULL: none. */
const char *cli_layers_given(const cli_layers *layers);

/* Cells, first height and growth of `wanted`; 0 would stand for the default, and is not taken
 * from a user: a usage error that begins with `subject`. */
mplan_status cli_read_layers(const char *subject, const cli_layers *layers,
                             mplan_generate_options *wanted, mplan_error *err);

#endif
