/* SPDX-License-Identifier: Apache-2.0 */
/* support_volume.c - whether the cells of a mesh are positive, fill what they should, and meet */
#include "support_test.h"

#include <math.h>

#include "support_volume.h"

double det3(const double *o, const double *a, const double *b, const double *c)
{
    double u[3], v[3], w[3];
    for (int d = 0; d < 3; d++) {
        u[d] = a[d] - o[d];
        v[d] = b[d] - o[d];
        w[d] = c[d] - o[d];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

double cross2(const double *o, const double *a, const double *b)
{
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

double cone_volume(const double *x, int32_t dimension, const int32_t *node, int32_t n,
                   const double *o)
{
    const double *p[4];
    for (int32_t k = 0; k < n; k++)
        p[k] = x + (int64_t)node[k] * dimension;
    if (dimension == 2)
        return cross2(o, p[0], p[1]) / 2;
    if (n == 3)
        return det3(o, p[0], p[1], p[2]) / 6;
    return (det3(o, p[0], p[1], p[2]) + det3(o, p[0], p[2], p[3]) + det3(o, p[0], p[1], p[3]) +
            det3(o, p[1], p[2], p[3])) /
           12;
}

/* Nodes of a cell and the coordinates of all. */
static const int32_t *cell_row(const mplan_mesh *mesh, int64_t cell, int32_t *n, const double **x,
                               int32_t *dimension)
{
    mplan_map cells = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    *x = mplan_mesh_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), dimension);
    return mplan_map_row(&cells, cell, n);
}

double cell_volume(const mplan_mesh *mesh, int64_t cell)
{
    int32_t n, dimension;
    const double *x;
    const int32_t *node = cell_row(mesh, cell, &n, &x, &dimension);
    const mplan_cell_shape *shape = mplan_cell_shape_of((mplan_cell_type)mesh->cell_type[cell]);
    double sum = 0;
    for (int32_t f = 0; f < shape->n_faces; f++) {
        int32_t face[4];
        for (int32_t k = 0; k < shape->face_size[f]; k++)
            face[k] = node[shape->face[f][k]];
        sum += cone_volume(x, dimension, face, shape->face_size[f], x + (int64_t)node[0] * dimension);
    }
    return sum;
}

double least_corner(const mplan_mesh *mesh, int64_t cell)
{
    static const int8_t of_tet[4][4] = {{0, 1, 2, 3}, {1, 2, 0, 3}, {2, 0, 1, 3}, {3, 0, 2, 1}};
    static const int8_t of_pyramid[8][4] = {{0, 1, 3, 4}, {1, 2, 0, 4}, {2, 3, 1, 4}, {3, 0, 2, 4},
                                            {4, 1, 0, 2}, {4, 2, 1, 3}, {4, 3, 2, 0}, {4, 0, 3, 1}};
    static const int8_t of_prism[6][4] = {{0, 1, 2, 3}, {1, 2, 0, 4}, {2, 0, 1, 5},
                                          {3, 5, 4, 0}, {4, 3, 5, 1}, {5, 4, 3, 2}};
    static const int8_t of_hex[8][4] = {{0, 1, 3, 4}, {1, 2, 0, 5}, {2, 3, 1, 6}, {3, 0, 2, 7},
                                        {4, 7, 5, 0}, {5, 4, 6, 1}, {6, 5, 7, 2}, {7, 6, 4, 3}};
    int32_t n, dimension;
    const double *x, *p[8];
    const int32_t *node = cell_row(mesh, cell, &n, &x, &dimension);
    double least = INFINITY;
    for (int32_t k = 0; k < n; k++)
        p[k] = x + (int64_t)node[k] * dimension;
    for (int32_t k = 0; k < n && dimension == 2; k++)
        least = fmin(least, cross2(p[k], p[(k + 1) % n], p[(k + n - 1) % n]));
    const int8_t(*at)[4] = n == 4 ? of_tet : n == 5 ? of_pyramid : n == 6 ? of_prism : of_hex;
    for (int32_t k = 0; k < (n == 5 ? 8 : n) && dimension == 3; k++)
        least = fmin(least, det3(p[at[k][0]], p[at[k][1]], p[at[k][2]], p[at[k][3]]));
    return least;
}

static int64_t size_of(const mplan_mesh *mesh, const char *name)
{
    int32_t set = mplan_mesh_find_set(mesh, name);
    assert_true(set >= 0);
    return mplan_mesh_set(mesh, set).size;
}

void check_faces_meet(mplan_mesh *mesh, int64_t characteristic)
{
    mplan_error err;
    int64_t n_sides = 0, n_cells = size_of(mesh, "cells");
    for (int64_t c = 0; c < n_cells; c++)
        n_sides += mplan_cell_shape_of((mplan_cell_type)mesh->cell_type[c])->n_faces;
    assert_done(mplan_mesh_derive(mesh, "faces", NULL, &err), &err);
    assert_done(mplan_mesh_derive(mesh, "boundary_faces", NULL, &err), &err);
    int64_t n_inner = size_of(mesh, "faces"), n_rim = size_of(mesh, "boundary_faces");
    assert_int_equal(2 * n_inner + n_rim, n_sides);
    int64_t sum = size_of(mesh, "nodes") - n_inner - n_rim + n_cells;
    if (mplan_mesh_dimension(mesh) == 3) {
        assert_done(mplan_mesh_derive(mesh, "edges", NULL, &err), &err);
        sum = size_of(mesh, "nodes") - size_of(mesh, "edges") + n_inner + n_rim - n_cells;
    }
    assert_int_equal(sum, characteristic);
}
