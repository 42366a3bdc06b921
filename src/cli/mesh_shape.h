/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_shape.h - generated meshes as the command line names them */
#ifndef MPLAN_CLI_MESH_SHAPE_H
#define MPLAN_CLI_MESH_SHAPE_H

#include "meshplan.h"

/* Names of the shapes, in the order of mplan_shape; NULL past the last. */
const char *cli_shape_word(int32_t i);

/* Words of --cells, in the order of mplan_layer_cells; NULL past the last. */
const char *cli_layer_cells_word(int32_t i);

/* 3IxJ, 12x8, 4x4x4: as many numbers as the shape has directions, or a usage error
 * that begins with `subject`. */
mplan_status cli_read_shape_size(const char *subject, mplan_shape shape, const char *text,
                                 int64_t size[3], mplan_error *err);

/* X, X,Y or X,Y,Z: factors above 0 of the coordinates; those that are not given become 1. NULL: all 1. */
mplan_status cli_read_stretch(const char *subject, const char *text, double stretch[3],
                              mplan_error *err);

#endif
