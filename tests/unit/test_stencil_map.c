/* SPDX-License-Identifier: Apache-2.0 */
/* test_stencil_map.c - neighbours of cells of grids against the midpoints of cells, which the code does not look at */
#include <math.h>
#include <stdlib.h>

#include "apps/stencil_map.h"
#include "support_test.h"

static const double quad_offset[8][3] = {{0, -1, 0},  {1, 0, 0},  {0, 1, 0}, {-1, 0, 0},
                                         {-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
static const double hex_offset[18][3] = {
    {0, 0, -1}, {0, -1, 0},  {-1, 0, 0}, {1, 0, 0},   {0, 1, 0},  {0, 0, 1},
    {1, 1, 0},  {1, -1, 0},  {-1, 1, 0}, {-1, -1, 0}, {0, 1, 1},  {0, -1, 1},
    {0, 1, -1}, {0, -1, -1}, {1, 0, 1},  {-1, 0, 1},  {1, 0, -1}, {-1, 0, -1}};

/* Midpoints of all cells in cells of a unit grid; to be freed. */
static double *midpoints(const mplan_mesh *mesh, const int64_t size[3])
{
    const mplan_map nodes = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    int32_t dimension;
    const double *x = mplan_mesh_coordinates(mesh, nodes.to, &dimension);
    double *middle = calloc((size_t)(3 * nodes.n_rows + 1), sizeof *middle), low[3], high[3];
    for (int d = 0; d < dimension; d++) {
        low[d] = INFINITY;
        high[d] = -INFINITY;
        for (int64_t i = 0; i < nodes.n_points; i++) {
            low[d] = fmin(low[d], x[i * dimension + d]);
            high[d] = fmax(high[d], x[i * dimension + d]);
        }
        for (int64_t c = 0; c < nodes.n_rows; c++)
            for (int32_t k = 0; k < nodes.arity; k++)
                middle[3 * c + d] += (x[(int64_t)nodes.values[c * nodes.arity + k] * dimension + d] -
                                      low[d]) /
                                     nodes.arity * (double)size[d] / (high[d] - low[d]);
    }
    return middle;
}

/* The cell with this midpoint; -1: none. */
static int64_t cell_at(const double *middle, int64_t n, const double at[3])
{
    for (int64_t c = 0; c < n; c++)
        if (fabs(middle[3 * c] - at[0]) + fabs(middle[3 * c + 1] - at[1]) +
                fabs(middle[3 * c + 2] - at[2]) <
            1e-6)
            return c;
    return -1;
}

/* Every place of every cell. */
static void compare(mplan_shape shape, int64_t x, int64_t y, int64_t z, int32_t arity, bool shuffle)
{
    mplan_generate_options wanted = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_mesh *mesh = NULL;
    mplan_error err;
    wanted.shape = shape;
    wanted.size[0] = x;
    wanted.size[1] = y;
    wanted.size[2] = z;
    wanted.shuffle = shuffle;
    assert_done(mplan_mesh_generate(&wanted, NULL, &mesh, &err), &err);
    assert_done(mplan_app_add_stencil(mesh, "near", arity, NULL, &err), &err);
    const mplan_map near = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "near"));
    assert_int_equal(near.arity, arity);
    double *middle = midpoints(mesh, wanted.size);
    for (int64_t c = 0; c < near.n_rows; c++)
        for (int32_t k = 0; k < arity; k++) {
            const double *offset = shape == MPLAN_SHAPE_QUAD ? quad_offset[k] : hex_offset[k];
            const double at[3] = {middle[3 * c] + offset[0], middle[3 * c + 1] + offset[1],
                                  middle[3 * c + 2] + offset[2]};
            const int64_t due = cell_at(middle, near.n_rows, at);
            assert_int_equal(near.values[c * arity + k], due < 0 ? c : due);
        }
    free(middle);
    mplan_mesh_free(mesh);
}

static void neighbours_are_where_they_should(void **state)
{
    (void)state;
    for (int shuffle = 0; shuffle < 2; shuffle++) {
        compare(MPLAN_SHAPE_QUAD, 7, 5, 0, MPLAN_STENCIL_QUAD_WHOLE, shuffle);
        compare(MPLAN_SHAPE_QUAD, 1, 1, 0, MPLAN_STENCIL_QUAD_WHOLE, shuffle);
        compare(MPLAN_SHAPE_HEX, 5, 4, 3, MPLAN_STENCIL_HEX_WHOLE, shuffle);
        compare(MPLAN_SHAPE_HEX, 4, 1, 2, MPLAN_STENCIL_HEX_WHOLE, shuffle);
        compare(MPLAN_SHAPE_HEX, 3, 3, 3, MPLAN_STENCIL_HEX_FACES, shuffle);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(neighbours_are_where_they_should)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
