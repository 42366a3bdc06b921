/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_shape.c - generated meshes as the command line names them */
#include "cli/mesh_shape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

/* The order is that of mplan_shape: an index is the value. */
const char *cli_shape_word(int32_t i)
{
    static const char *const words[] = {"quad", "tri",      "hex",
                                        "tet",  "naca0012", "boundary-layer",
                                        "wing", "sphere",   "cubed-sphere"};
    return i < 9 ? words[i] : NULL;
}

bool cli_find_shape(const char *text, mplan_shape *shape, const char **size)
{
    for (int32_t i = 0; cli_shape_word(i); i++) {
        size_t length = strlen(cli_shape_word(i));
        if (!strncmp(text, cli_shape_word(i), length) && text[length] == ':') {
            *shape = (mplan_shape)i;
            *size = text + length + 1;
            return true;
        }
    }
    return false;
}

/* The order is that of mplan_layer_cells: an index is the value. */
const char *cli_layer_cells_word(int32_t i)
{
    static const char *const words[] = {"auto", "quad", "tri", "hex", "prism", "tet", "hybrid"};
    return i < 7 ? words[i] : NULL;
}

/* How many sizes a shape has, at least and at most. */
static void directions(mplan_shape shape, int *least, int *most)
{
    bool solid = shape == MPLAN_SHAPE_HEX || shape == MPLAN_SHAPE_TET || shape == MPLAN_SHAPE_WING;
    *least = solid ? 3 : 2;
    *most = solid || shape == MPLAN_SHAPE_BOUNDARY_LAYER ? 3 : 2;
    if (shape == MPLAN_SHAPE_CUBED_SPHERE)
        *least = *most = 1;
}

/* "1200x600": as many numbers as the shape has directions, each at least 1 and below 2^63; how
 * many cells that makes is the generator's to refuse. size[i] beyond the last given number stays
 * as it is (0: not given). */
mplan_status cli_read_shape_size(const char *subject, mplan_shape shape, const char *text,
                                 int64_t size[3], mplan_error *err)
{
    int n = 0, least, most;
    directions(shape, &least, &most);
    const char *at = text;
    while (n < 3 && *at >= '0' && *at <= '9') {
        char *end;
        errno = 0;
        long long number = strtoll(at, &end, 10);
        if (errno || number < 1)
            break;
        size[n++] = number;
        at = end;
        if (*at != 'x' || !at[1])
            break;
        at++;
    }
    if (n < least || n > most || *at)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "%s: size '%s' must have the form %s, with numbers of at least 1", subject,
                        text,
                        least == 3  ? "4x4x4"
                        : most == 3 ? "12x8 or 12x8x4"
                        : most == 1 ? "12"
                                    : "12x8");
    return MPLAN_OK;
}

/* Up to three numbers between commas, above 0 and at most 1e100, so that coordinates and their
 * squares stay finite; missing ones are 1. A number may be written as strtod(3) reads it.
 * stretch is not to be used after a failure. */
mplan_status cli_read_stretch(const char *subject, const char *text, double stretch[3],
                              mplan_error *err)
{
    const char *at = text;
    bool good = true;
    for (int n = 0; n < 3; n++) {
        char *end = NULL;
        stretch[n] = 1;
        if (!at || !good)
            continue;
        stretch[n] = strtod(at, &end);
        good = end != at && stretch[n] > 0 && stretch[n] <= 1e100 &&
               (*end == '\0' || (*end == ',' && n < 2));
        at = good && *end == ',' ? end + 1 : NULL;
    }
    if (!good)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "%s: stretch '%s' must have the form 1,0.01: one to three numbers above 0",
                        subject, text);
    return MPLAN_OK;
}

/* For messages that refuse all of these options at once. */
const char *cli_layers_given(const cli_layers *layers)
{
    return layers->cells                ? "cells"
           : layers->first_height.given ? "first-height"
           : layers->growth.given       ? "growth"
                                        : NULL;
}

/* layers->cells is one of the words, which the parser has checked; without it `wanted` keeps its
 * own. A value that was not given is 0 here, which is the default of mplan_mesh_generate, so
 * that a 0 that was given has to be refused. */
mplan_status cli_read_layers(const char *subject, const cli_layers *layers,
                             mplan_generate_options *wanted, mplan_error *err)
{
    bool flat = layers->growth.given && layers->growth.value == 0;
    if (flat || (layers->first_height.given && layers->first_height.value == 0))
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s: --%s must be above 0", subject,
                        flat ? "growth" : "first-height");
    wanted->first_height = layers->first_height.value;
    wanted->growth = layers->growth.value;
    for (int32_t i = 0; layers->cells && cli_layer_cells_word(i); i++) {
        if (!strcmp(cli_layer_cells_word(i), layers->cells))
            wanted->cells = (mplan_layer_cells)i;
    }
    return MPLAN_OK;
}
