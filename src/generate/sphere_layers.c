/* SPDX-License-Identifier: Apache-2.0 */
/* sphere_layers.c - rows of cells round the unit sphere
 *
 * The surface is a cube of N x N quads a side, brought to the sphere by equal angles
 * (C. Ronchi, R. Iacono & P. S. Paolucci, J. Comput. Phys. 124 (1996)): a cut of the cube's
 * surface at i lies at tan((2i / N - 1) 45 degrees). Nodes have the order of the cube's
 * lattice, plane by plane; layers lie on spheres. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "generate/generate.h"
#include "generate/surface_layers.h"

/* 6 N^2 + 2 nodes must stay below 2^31. */
#define MOST_CUTS 18918

/* Number of the lattice's point (i, j, k) of [0, n]^3 among those on the cube's surface, of
 * which the planes k = 0 and k = n have all and each between them 4 n. */
static int32_t surface_node(int64_t n, int64_t i, int64_t j, int64_t k)
{
    int64_t full = (n + 1) * (n + 1);
    if (k == 0 || k == n)
        return (int32_t)((k == 0 ? 0 : full + (n - 1) * 4 * n) + j * (n + 1) + i);
    int64_t first = full + (k - 1) * 4 * n;
    if (j == 0)
        return (int32_t)(first + i);
    if (j == n)
        return (int32_t)(first + (n + 1) + 2 * (n - 1) + i);
    return (int32_t)(first + (n + 1) + 2 * (j - 1) + (i == n));
}

/* Panels of the side at the low or high end of axis d, seen counterclockwise from outside. */
static int32_t *put_side(int64_t n, int32_t d, bool high, int32_t *panel)
{
    static const int8_t step[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (int64_t c = 0; c < n; c++) {
        for (int64_t b = 0; b < n; b++) {
            for (int32_t k = 0; k < 4; k++) {
                int64_t at[3];
                at[d] = high ? n : 0;
                at[(d + 1) % 3] = b + step[k][!high];
                at[(d + 2) % 3] = c + step[k][high];
                *panel++ = surface_node(n, at[0], at[1], at[2]);
            }
        }
    }
    return panel;
}

/* A cube of n x n panels on each of its six sides: 6 n^2 + 2 nodes, panels of four nodes each, side by side. */
static mplan_status make_surface(int64_t n, mplan_surface *s, mplan_error *err)
{
    s->dimension = 3;
    s->n_nodes = 6 * n * n + 2;
    s->n_panels = 6 * n * n;
    s->panel = mplan_alloc(s->n_panels, 4 * sizeof *s->panel, err);
    if (!s->panel)
        return MPLAN_ERR_MEMORY;
    int32_t *panel = s->panel;
    for (int32_t side = 0; side < 6; side++)
        panel = put_side(n, side / 2, side % 2 == 1, panel);
    return MPLAN_OK;
}

/* point: out, 3 doubles a node of the surface, all of length 1. cut: scratch, n + 1. */
static void place_surface(int64_t n, double *cut, double *point)
{
    for (int64_t i = 0; i <= n; i++) {
        double cosine, sine;
        mplan_unit_circle(2 * i - n, 8 * n, &cosine, &sine);
        cut[i] = i == 0 ? -1 : i == n ? 1 : sine / cosine;
    }
    for (int64_t k = 0; k <= n; k++) {
        for (int64_t j = 0; j <= n; j++) {
            /* inside of the planes between the first and the last, only the ends of rows */
            int64_t step = k > 0 && k < n && j > 0 && j < n ? n : 1;
            for (int64_t i = 0; i <= n; i += step) {
                double length = sqrt(cut[i] * cut[i] + cut[j] * cut[j] + cut[k] * cut[k]);
                *point++ = cut[i] / length;
                *point++ = cut[j] / length;
                *point++ = cut[k] / length;
            }
        }
    }
}

/* coordinates: out, layer by layer; distance: of the layers, n_rows + 1. */
static mplan_status place_nodes(int64_t n, int64_t n_rows, const double *distance,
                                const mplan_context *context, double *coordinates, mplan_error *err)
{
    int64_t n_values = 3 * (6 * n * n + 2);
    double *cut = mplan_alloc(n + 1, sizeof *cut, err);
    double *point = cut ? mplan_alloc(n_values, sizeof *point, err) : NULL;
    mplan_status status = point ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status)
        place_surface(n, cut, point);
    for (int64_t r = 0; r <= n_rows && !status; r++) {
        for (int64_t i = 0; i < n_values; i++)
            *coordinates++ = (1 + distance[r]) * point[i];
        status = mplan_interrupted(context, err);
    }
    free(point);
    free(cut);
    return status;
}

/* The surface is a cube of 6 n^2 quads drawn onto the sphere; the corners and edges of its
 * sides are shared, hence 6 n^2 + 2 nodes in each layer. Node i of layer r is node r *
 * surface.n_nodes + i. */
mplan_status mplan_sphere_fill(const mplan_generate_options *options, const mplan_context *context,
                               mplan_mesh *mesh, mplan_error *err)
{
    int64_t n = options->size[0], n_rows = options->size[1];
    mplan_layer_cells cells = options->cells;
    if (cells == MPLAN_LAYER_CELLS_AUTO)
        cells = MPLAN_LAYER_CELLS_HEX;
    if (n > MOST_CUTS)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "a sphere of %lld cells a side has more than %lld nodes", (long long)n,
                          (long long)MPLAN_MAX_MEMBERS);
    mplan_status status = mplan_layers_check("sphere", 3, 6 * n * n + 2, 6 * n * n, n_rows, cells,
                                             err);
    if (status)
        return status;
    double *distance = mplan_layer_distances(options, n_rows, &status, err), *coordinates = NULL;
    mplan_surface surface = {0};
    if (distance)
        status = make_surface(n, &surface, err);
    if (!status) {
        coordinates = mplan_alloc(surface.n_nodes * (n_rows + 1), 3 * sizeof *coordinates, err);
        status = coordinates ? place_nodes(n, n_rows, distance, context, coordinates, err)
                             : MPLAN_ERR_MEMORY;
    }
    if (!status)
        status = mplan_layers_fill(&surface, n_rows, cells, context, coordinates, mesh, err);
    else
        free(coordinates);
    mplan_surface_free(&surface);
    free(distance);
    return status;
}
