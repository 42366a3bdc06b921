/* SPDX-License-Identifier: Apache-2.0 */
/* cubed_sphere.c - the surface of a sphere as six panels of n x n quads, the base of atmosphere models
 *
 * Nodes are those of a cube's surface, moved to the sphere of radius 1 along rays from its centre: 6 n^2 + 2 of them,
 * plane by plane from below. Cells run panel by panel, their corners around the outward normal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "generate/generate.h"
#include "mesh/mesh.h"

/* The number of a node of the cube's surface, each coordinate in [0, n]: lowest plane, rings, highest plane. */
static int64_t node_at(int64_t n, const int64_t at[3])
{
    const int64_t plane = (n + 1) * (n + 1), x = at[0], y = at[1], z = at[2];
    if (z == 0)
        return y * (n + 1) + x;
    if (z == n)
        return plane + (n - 1) * 4 * n + y * (n + 1) + x;
    const int64_t ring = y == 0 ? x : x == n ? n + y : y == n ? 3 * n - x : 4 * n - y;
    return plane + (z - 1) * 4 * n + ring;
}

/* The point of panel p (+x, -x, +y, -y, +z, -z) at (i, j), so that i, j and the outward normal are right-handed. */
static void point_of(int64_t n, int panel, int64_t i, int64_t j, int64_t at[3])
{
    const int axis = panel / 2, up = panel % 2 == 0;
    at[axis] = up ? n : 0;
    at[(axis + 1) % 3] = up ? i : j;
    at[(axis + 2) % 3] = up ? j : i;
}

static void place(int64_t n, const int64_t at[3], double x[3])
{
    double length = 0;
    for (int d = 0; d < 3; d++) {
        x[d] = 2 * (double)at[d] / (double)n - 1;
        length += x[d] * x[d];
    }
    for (int d = 0; d < 3; d++)
        x[d] /= sqrt(length);
}

mplan_status mplan_cubed_sphere_fill(int64_t n, mplan_mesh *mesh, mplan_error *err)
{
    if (n > 18918) /* 6 n^2 + 2 stay below 2^31 - 1 */
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "a cubed-sphere mesh of this size has more than %lld nodes",
                          (long long)MPLAN_MAX_MEMBERS);
    const int64_t n_cells = 6 * n * n, n_nodes = n_cells + 2;
    int32_t *nodes = mplan_alloc(4 * n_cells, sizeof *nodes, err), *row = nodes;
    double *x = mplan_alloc(3 * n_nodes, sizeof *x, err);
    uint8_t *type = mplan_alloc(n_cells, 1, err);
    if (!nodes || !x || !type) {
        free(nodes);
        free(x);
        free(type);
        return MPLAN_ERR_MEMORY;
    }
    memset(type, MPLAN_CELL_QUAD4, (size_t)n_cells);
    for (int panel = 0; panel < 6; panel++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++)
                for (int corner = 0; corner < 4; corner++) {
                    int64_t at[3];
                    point_of(n, panel, i + (corner == 1 || corner == 2), j + (corner >= 2), at);
                    const int64_t node = node_at(n, at);
                    place(n, at, x + 3 * node);
                    *row++ = (int32_t)node;
                }
    mplan_status status = mplan_mesh_take_cells(mesh, n_nodes, n_cells, type, nodes, err);
    if (status) {
        free(x);
        return status;
    }
    return mplan_mesh_take_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 3, x, err);
}
