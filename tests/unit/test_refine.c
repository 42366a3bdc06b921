/* SPDX-License-Identifier: Apache-2.0 */
/* test_refine.c - refined meshes against what must hold for any of them */
#include "support_test.h"
#include "support_mesh.h"
#include "support_volume.h"

#include <math.h>

#include "mesh/mesh.h"

static mplan_mesh *generate(mplan_shape shape, int64_t x, int64_t y, int64_t z, bool shuffle)
{
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_error err;
    mplan_mesh *mesh = NULL;
    options.shape = shape;
    options.size[0] = x;
    options.size[1] = y;
    options.size[2] = z;
    options.jitter = 0.25;
    options.shuffle = shuffle;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    return mesh;
}

static mplan_mesh *refine(const mplan_mesh *mesh, int32_t times)
{
    mplan_error err;
    mplan_mesh *refined = NULL;
    assert_done(mplan_mesh_refine(mesh, times, NULL, &refined, &err), &err);
    assert_done(mplan_mesh_validate(refined, NULL, &err), &err);
    return refined;
}

/* Area, volume of a tet, or volume of a hex in six tets around a diagonal. */
static double measure(const double *x, int32_t dimension, const int32_t *node, int32_t n)
{
    static const int8_t six[6][3] = {{1, 2, 6}, {2, 3, 6}, {5, 1, 6},
                                     {4, 5, 6}, {7, 4, 6}, {3, 7, 6}};
    double sum = 0;
    if (dimension == 2) {
        for (int32_t k = 0; k < n; k++) {
            const double *a = x + 2 * (int64_t)node[k], *b = x + 2 * (int64_t)node[(k + 1) % n];
            sum += (a[0] * b[1] - a[1] * b[0]) / 2;
        }
        return sum;
    }
    const double *o = x + 3 * (int64_t)node[0];
    if (n == 4)
        return det3(o, x + 3 * (int64_t)node[1], x + 3 * (int64_t)node[2], x + 3 * (int64_t)node[3]) /
               6;
    for (int32_t t = 0; t < 6; t++)
        sum += det3(o, x + 3 * (int64_t)node[six[t][0]], x + 3 * (int64_t)node[six[t][1]],
                    x + 3 * (int64_t)node[six[t][2]]) /
               6;
    return sum;
}

/* Children are positive and, but for hexes with their warped faces, fill
 * exactly their parent. */
static void check_children(const mplan_mesh *coarse, const mplan_mesh *fine)
{
    int32_t dimension, n;
    const double *x = node_coordinates(coarse, &dimension), *y = node_coordinates(fine, &dimension);
    mplan_map parents = find_map(coarse, "cells_nodes"), cells = find_map(fine, "cells_nodes");
    int32_t n_children = 1 << mplan_mesh_dimension(coarse);
    double all = 0;
    assert_int_equal(cells.n_rows, parents.n_rows * n_children);
    for (int64_t c = 0; c < parents.n_rows; c++) {
        const int32_t *node = mplan_map_row(&parents, c, &n);
        double whole = measure(x, dimension, node, n), sum = 0;
        for (int32_t k = 0; k < n_children; k++) {
            int32_t n_child;
            const int32_t *child = mplan_map_row(&cells, c * n_children + k, &n_child);
            double part = measure(y, dimension, child, n_child);
            assert_int_equal(n_child, n);
            assert_true(part > 0);
            sum += part;
        }
        if (n != 8)
            assert_true(fabs(sum - whole) < 1e-13);
        all += sum;
    }
    assert_true(fabs(all - 1) < 1e-12);
}

/* Neighbours match: the fine mesh has the faces that follow from the coarse. */
static void check_faces(mplan_mesh *coarse, mplan_mesh *fine, int64_t inside_per_cell)
{
    mplan_error err;
    int64_t parts = mplan_mesh_dimension(coarse) == 2 ? 2 : 4;
    assert_done(mplan_mesh_derive(coarse, "faces", NULL, &err), &err);
    assert_done(mplan_mesh_derive(fine, "faces", NULL, &err), &err);
    assert_done(mplan_mesh_derive(coarse, "boundary_faces", NULL, &err), &err);
    assert_done(mplan_mesh_derive(fine, "boundary_faces", NULL, &err), &err);
    assert_int_equal(set_size(fine, "boundary_faces"), parts * set_size(coarse, "boundary_faces"));
    assert_int_equal(set_size(fine, "faces"), parts * set_size(coarse, "faces") +
                                                  inside_per_cell * set_size(coarse, "cells"));
}

static void check_groups(const mplan_mesh *coarse, const mplan_mesh *fine)
{
    int64_t parts = mplan_mesh_dimension(coarse) == 2 ? 2 : 4;
    assert_int_equal(mplan_mesh_n_groups(coarse), mplan_mesh_n_groups(fine));
    for (int32_t g = 0; g < mplan_mesh_n_groups(coarse); g++) {
        mplan_group a = mplan_mesh_group(coarse, g), b = mplan_mesh_group(fine, g);
        assert_string_equal(a.name, b.name);
        assert_true(a.id == b.id && a.dimension == b.dimension);
        assert_int_equal(b.n_members, a.n_members * parts);
    }
    const int64_t *ids = mplan_mesh_boundary_ids(fine);
    for (int64_t f = 0; f < set_size(fine, "boundary_faces"); f++)
        assert_true(ids[f] > 0);
}

/* New nodes: middles of the edges in their order, then of quadrilateral faces
 * and cells. */
static void check_nodes(mplan_mesh *coarse, const mplan_mesh *fine)
{
    mplan_error err;
    int32_t dimension, n;
    assert_done(mplan_mesh_derive(coarse, "edges_nodes", NULL, &err), &err);
    const double *x = node_coordinates(coarse, &dimension), *y = node_coordinates(fine, &dimension);
    int64_t n_old = set_size(coarse, "nodes"), at = n_old;
    mplan_map edges = find_map(coarse, "edges_nodes"), cells = find_map(coarse, "cells_nodes");
    assert_memory_equal(x, y, (size_t)(n_old * dimension) * sizeof *x);
    for (int64_t e = 0; e < edges.n_rows; e++, at++)
        for (int32_t d = 0; d < dimension; d++)
            assert_true(y[at * dimension + d] ==
                        (x[(int64_t)edges.values[2 * e] * dimension + d] +
                         x[(int64_t)edges.values[2 * e + 1] * dimension + d]) /
                            2);
    mplan_map row = cells;
    bool boxes = mplan_map_row(&row, 0, &n) && n == (dimension == 2 ? 4 : 8);
    if (boxes && dimension == 3)
        at += set_size(coarse, "faces") + set_size(coarse, "boundary_faces");
    for (int64_t c = 0; boxes && c < cells.n_rows; c++, at++)
        for (int32_t d = 0; d < dimension; d++) {
            double mean = 0;
            const int32_t *node = mplan_map_row(&cells, c, &n);
            for (int32_t k = 0; k < n; k++)
                mean += x[(int64_t)node[k] * dimension + d] / n;
            assert_true(fabs(y[at * dimension + d] - mean) < 1e-15);
        }
    assert_int_equal(set_size(fine, "nodes"), at);
}

static void shapes(void **state)
{
    (void)state;
    static const int64_t inside[] = {4, 3, 12, 8};
    static const int64_t sizes[][3] = {{1, 1, 1}, {3, 2, 2}, {7, 5, 3}};
    for (int shape = MPLAN_SHAPE_QUAD; shape <= MPLAN_SHAPE_TET; shape++) {
        for (int s = 0; s < 6; s++) {
            int64_t z = shape >= MPLAN_SHAPE_HEX ? sizes[s / 2][2] : 0;
            mplan_mesh *coarse = generate((mplan_shape)shape, sizes[s / 2][0], sizes[s / 2][1], z,
                                          s % 2 == 1);
            mplan_mesh *fine = refine(coarse, 1), *finer = refine(fine, 1);
            mplan_mesh *twice = refine(coarse, 2);
            check_children(coarse, fine);
            check_children(fine, finer);
            mplan_map a = find_map(finer, "cells_nodes"), b = find_map(twice, "cells_nodes");
            assert_int_equal(a.n_rows, b.n_rows);
            assert_memory_equal(a.values, b.values, (size_t)mplan_map_entries(&a) * 4);
            check_faces(coarse, fine, inside[shape]);
            check_groups(coarse, fine);
            check_nodes(coarse, fine);
            /* the groups have become subsets of faces by now, and still carry over */
            mplan_mesh *late = refine(fine, 1);
            check_faces(fine, late, inside[shape]);
            check_groups(fine, late);
            mplan_mesh_free(late);
            mplan_mesh_free(twice);
            mplan_mesh_free(finer);
            mplan_mesh_free(fine);
            mplan_mesh_free(coarse);
        }
    }
}

/* A quad with a triangle on either side; a group of cells and one of nodes. */
static mplan_mesh *mixed_mesh(bool with_coordinates)
{
    static const uint8_t type[3] = {MPLAN_CELL_TRI3, MPLAN_CELL_QUAD4, MPLAN_CELL_TRI3};
    static const int32_t nodes[10] = {0, 1, 5, 1, 2, 4, 5, 2, 3, 4};
    static const double x[12] = {0, 0, 1, 0, 2, 0, 3, 1, 2, 1, 1, 1};
    static const int32_t some_cells[2] = {2, 1}, some_nodes[2] = {0, 4};
    static const uint8_t line[2] = {MPLAN_CELL_LINE2, MPLAN_CELL_LINE2};
    static const int32_t facets[4] = {4, 5, 0, 4}; /* the second is none of a cell */
    mplan_mesh *mesh;
    mplan_error err;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, 6, 3, type, nodes, &err), &err);
    if (with_coordinates)
        assert_done(mplan_mesh_set_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 2, x, &err),
                    &err);
    assert_done(mplan_mesh_add_group(mesh, "some", 4, 2, mplan_mesh_find_set(mesh, "cells"), 2,
                                     some_cells, &err),
                &err);
    assert_done(mplan_mesh_add_group(mesh, "points", 5, 0, mplan_mesh_find_set(mesh, "nodes"), 2,
                                     some_nodes, &err),
                &err);
    assert_done(mplan_mesh_add_facets(mesh, "rim", 6, 2, line, facets, &err), &err);
    return mesh;
}

static void count_this_warning(void *user, const char *text)
{
    assert_non_null(strstr(text, "group 'rim': 1 facets do not belong to any cell"));
    ++*(int *)user;
}

static void mixed(void **state)
{
    (void)state;
    int warnings = 0;
    mplan_error err;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.warning = count_this_warning;
    context.user = &warnings;
    mplan_mesh *coarse = mixed_mesh(true), *fine;
    assert_done(mplan_mesh_refine(coarse, 1, &context, &fine, &err), &err);
    assert_int_equal(warnings, 1);
    /* edges 01 05 12 15 23 24 34 45: nodes 6 to 13; 14 in the quad */
    static const int32_t second[16] = {1, 8, 14, 9, 8, 2, 11, 14, 14, 11, 4, 13, 9, 14, 13, 5};
    mplan_map cells = find_map(fine, "cells_nodes");
    int32_t n, dimension;
    assert_int_equal(set_size(fine, "nodes"), 15);
    assert_int_equal(cells.n_rows, 12);
    for (int32_t k = 0; k < 4; k++) {
        const int32_t *child = mplan_map_row(&cells, 4 + k, &n);
        assert_int_equal(n, 4);
        for (int32_t i = 0; i < 4; i++)
            assert_int_equal(child[i], second[4 * k + i]);
    }
    const double *x = node_coordinates(fine, &dimension);
    assert_true(x[28] == 1.5 && x[29] == 0.5);
    mplan_group group = mplan_mesh_group(fine, 0);
    static const int32_t members[8] = {4, 5, 6, 7, 8, 9, 10, 11};
    assert_string_equal(group.name, "some");
    assert_int_equal(group.n_members, 8);
    assert_memory_equal(group.members, members, sizeof members);
    group = mplan_mesh_group(fine, 1);
    assert_int_equal(group.n_members, 2);
    assert_true(group.members[0] == 0 && group.members[1] == 4 && group.dimension == 0);
    assert_done(mplan_mesh_derive(fine, "boundary_faces", NULL, &err), &err);
    group = mplan_mesh_group(fine, 2);
    assert_string_equal(group.name, "rim");
    assert_int_equal(group.n_members, 2);
    mplan_mesh_free(fine);
    mplan_mesh_free(coarse);
    /* without coordinates and without a single cell */
    coarse = mixed_mesh(false);
    fine = refine(coarse, 2);
    assert_int_equal(set_size(fine, "cells"), 48);
    assert_null(node_coordinates(fine, &dimension));
    mplan_mesh_free(fine);
    mplan_mesh_free(coarse);
    assert_done(mplan_mesh_create(&coarse, &err), &err);
    assert_done(mplan_mesh_add_cells(coarse, 0, 0, NULL, NULL, &err), &err);
    fine = refine(coarse, 3);
    assert_int_equal(set_size(fine, "cells"), 0);
    mplan_mesh_free(fine);
    mplan_mesh_free(coarse);
}

static void zero_times_is_a_copy(void **state)
{
    (void)state;
    mplan_mesh *mesh = mixed_mesh(true), *copy = refine(mesh, 0);
    mplan_map a = find_map(mesh, "cells_nodes"), b = find_map(copy, "cells_nodes");
    int32_t dimension;
    assert_int_equal(a.n_rows, b.n_rows);
    assert_memory_equal(a.values, b.values, (size_t)mplan_map_entries(&a) * 4);
    assert_memory_equal(node_coordinates(mesh, &dimension), node_coordinates(copy, &dimension),
                        12 * sizeof(double));
    assert_int_equal(mplan_mesh_n_groups(copy), 2);
    assert_int_equal(mplan_mesh_group(copy, 0).n_members, 2);
    mplan_mesh_free(copy);
    mplan_mesh_free(mesh);
}

/* A hub: a fan of triangles around one node of high degree. */
static void fan(void **state)
{
    (void)state;
    enum { N = 10000 };
    uint8_t *type = malloc(N);
    int32_t *nodes = malloc(3 * N * sizeof *nodes);
    mplan_mesh *mesh;
    mplan_error err;
    for (int32_t c = 0; c < N; c++) {
        type[c] = MPLAN_CELL_TRI3;
        nodes[3 * c] = 0;
        nodes[3 * c + 1] = 1 + (c * 7) % N;
        nodes[3 * c + 2] = 1 + (c * 7 + 1) % N;
    }
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, N + 1, N, type, nodes, &err), &err);
    mplan_mesh *fine = refine(mesh, 1);
    assert_int_equal(set_size(fine, "nodes"), N + 1 + 2 * N);
    /* middles of the spokes follow the old nodes in order */
    mplan_map cells = find_map(fine, "cells_nodes");
    assert_int_equal(cells.values[1], N + nodes[1]);
    check_faces(mesh, fine, 3);
    mplan_mesh_free(fine);
    mplan_mesh_free(mesh);
    free(nodes);
    free(type);
}

/* Of the octahedron's diagonals the shortest is taken. */
static void shortest_diagonal(void **state)
{
    (void)state;
    static const uint8_t type[1] = {MPLAN_CELL_TET4};
    static const int32_t nodes[4] = {0, 1, 2, 3};
    /* middles of edges 01 02 03 12 13 23 are nodes 4 to 9; the opposite pairs
     * are 4-9, 5-8, 6-7 */
    static const struct {
        double x[12];
        int32_t a, b;
    } tets[] = {
        {{0, 0, 0, 8, 0, 0, 0, 1, 0, 8, 1, 1}, 0, 0},
        {{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, 4, 9}, /* a tie: lowest node */
        {{0, 0, 0, 4, 0, 0, 1, 1, 0, 3, 0, 1}, 0, 0},
        {{0, 0, 0, 4, 0, 0, 3, 1, 0, 1, 0, 1}, 0, 0},
    };
    for (size_t t = 0; t < sizeof tets / sizeof *tets; t++) {
        mplan_mesh *mesh;
        mplan_error err;
        int32_t dimension, n, best = 0;
        assert_done(mplan_mesh_create(&mesh, &err), &err);
        assert_done(mplan_mesh_add_cells(mesh, 4, 1, type, nodes, &err), &err);
        assert_done(mplan_mesh_set_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 3,
                                               tets[t].x, &err),
                    &err);
        mplan_mesh *fine = refine(mesh, 1);
        const double *x = node_coordinates(fine, &dimension);
        static const int32_t pair[3][2] = {{4, 9}, {5, 8}, {6, 7}};
        double length[3];
        for (int32_t k = 0; k < 3; k++) {
            const double *a = x + 3 * pair[k][0], *b = x + 3 * pair[k][1];
            length[k] = (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                        (a[2] - b[2]) * (a[2] - b[2]);
            if (length[k] < length[best])
                best = k;
        }
        if (tets[t].a)
            assert_int_equal(pair[best][0], tets[t].a);
        mplan_map cells = find_map(fine, "cells_nodes");
        for (int64_t c = 4; c < 8; c++) {
            const int32_t *node = mplan_map_row(&cells, c, &n);
            assert_int_equal(node[0] < node[1] ? node[0] : node[1], pair[best][0]);
            assert_int_equal(node[0] < node[1] ? node[1] : node[0], pair[best][1]);
        }
        mplan_mesh_free(fine);
        mplan_mesh_free(mesh);
    }
}

static void refuse(mplan_mesh *mesh, int32_t times, mplan_status status, const char *part)
{
    mplan_error err;
    mplan_mesh *refined = NULL;
    assert_refused(mplan_mesh_refine(mesh, times, NULL, &refined, &err), status, &err, part);
    assert_null(refined);
    mplan_mesh_free(mesh);
}

static mplan_mesh *one_cell(mplan_cell_type type, bool repeat)
{
    uint8_t types[1] = {(uint8_t)type};
    int32_t nodes[27];
    mplan_mesh *mesh;
    mplan_error err;
    for (int32_t k = 0; k < 27; k++)
        nodes[k] = k;
    if (repeat)
        nodes[1] = 0;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, 27, 1, types, nodes, &err), &err);
    return mesh;
}

static void refusals(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh;
    refuse(one_cell(MPLAN_CELL_PRISM15, false), 1, MPLAN_ERR_UNSUPPORTED, "cell 0 is a prism15");
    refuse(one_cell(MPLAN_CELL_PYRAMID5, true), 1, MPLAN_ERR_UNSUPPORTED, "cell 0 has a node");
    refuse(one_cell(MPLAN_CELL_TET10, false), 1, MPLAN_ERR_UNSUPPORTED, "tet10");
    refuse(one_cell(MPLAN_CELL_LINE2, false), 1, MPLAN_ERR_UNSUPPORTED, "line2");
    refuse(one_cell(MPLAN_CELL_QUAD4, true), 1, MPLAN_ERR_UNSUPPORTED, "cell 0 has a node");
    refuse(one_cell(MPLAN_CELL_TET4, false), -1, MPLAN_ERR_ARGUMENT, "-1 times");
    refuse(one_cell(MPLAN_CELL_TET4, false), 11, MPLAN_ERR_ARGUMENT, "more than 2147483646 cells");
    refuse(one_cell(MPLAN_CELL_TET4, false), INT32_MAX, MPLAN_ERR_ARGUMENT, "more than");
    mesh = one_cell(MPLAN_CELL_TET4, false);
    assert_done(mplan_mesh_add_set(mesh, "parts", 3, NULL, &err), &err);
    refuse(mesh, 1, MPLAN_ERR_UNSUPPORTED, "its own set parts");
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    refuse(mesh, 1, MPLAN_ERR_ARGUMENT, "without cells");
}

static void interruption(void **state)
{
    (void)state;
    mplan_context context = MPLAN_CONTEXT_INIT;
    mplan_mesh *mesh = one_cell(MPLAN_CELL_HEX8, false), *refined = NULL;
    mplan_error err;
    context.cancelled = always;
    assert_refused(mplan_mesh_refine(mesh, 1, &context, &refined, &err), MPLAN_ERR_INTERRUPTED,
                   &err, "interrupted");
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),
        cmocka_unit_test(mixed),
        cmocka_unit_test(zero_times_is_a_copy),
        cmocka_unit_test(fan),
        cmocka_unit_test(shortest_diagonal),
        cmocka_unit_test(refusals),
        cmocka_unit_test(interruption),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
