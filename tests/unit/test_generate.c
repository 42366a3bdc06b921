/* SPDX-License-Identifier: Apache-2.0 */
/* test_generate.c - generated meshes: sizes, orientation, groups, numbering */
#include "support_test.h"
#include "support_mesh.h"
#include "support_volume.h"

#include <math.h>

#include "mesh/mesh.h"

static mplan_mesh *generate(mplan_shape shape, int64_t x, int64_t y, int64_t z, double jitter,
                            bool shuffle, uint64_t seed)
{
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_error err;
    mplan_mesh *mesh = NULL;
    options.shape = shape;
    options.size[0] = x;
    options.size[1] = y;
    options.size[2] = z;
    options.jitter = jitter;
    options.shuffle = shuffle;
    options.seed = seed;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    assert_done(mplan_mesh_validate(mesh, NULL, &err), &err);
    return mesh;
}

static double area(const double *x, const int32_t *node, int32_t n)
{
    double twice = 0;
    for (int32_t k = 0; k < n; k++) {
        const double *a = x + 2 * (int64_t)node[k], *b = x + 2 * (int64_t)node[(k + 1) % n];
        twice += a[0] * b[1] - a[1] * b[0];
    }
    return twice / 2;
}

/* Volume of a cell; *least is the smallest of what must be positive. */
static double volume_of(const mplan_mesh *mesh, const mplan_map *cells, int64_t c, double *least)
{
    static const int8_t corner[8][4] = {{0, 1, 3, 4}, {1, 2, 0, 5}, {2, 3, 1, 6}, {3, 0, 2, 7},
                                        {4, 7, 5, 0}, {5, 4, 6, 1}, {6, 5, 7, 2}, {7, 6, 4, 3}};
    static const int8_t six[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 5, 1, 6},
                                     {0, 4, 5, 6}, {0, 7, 4, 6}, {0, 3, 7, 6}};
    int32_t n, dimension;
    const int32_t *node = mplan_map_row(cells, c, &n);
    const double *x = node_coordinates(mesh, &dimension);
    if (dimension == 2)
        return *least = area(x, node, n);
    const double *p[8];
    for (int32_t k = 0; k < n; k++)
        p[k] = x + 3 * (int64_t)node[k];
    if (n == 4)
        return *least = det3(p[0], p[1], p[2], p[3]) / 6;
    double sum = 0;
    *least = INFINITY;
    for (int32_t k = 0; k < 8; k++)
        *least = fmin(*least,
                      det3(p[corner[k][0]], p[corner[k][1]], p[corner[k][2]], p[corner[k][3]]));
    for (int32_t t = 0; t < 6; t++)
        sum += det3(p[six[t][0]], p[six[t][1]], p[six[t][2]], p[six[t][3]]) / 6;
    return sum;
}

/* All cells are positive and fill the unit square or cube. */
static void check_volume(const mplan_mesh *mesh)
{
    mplan_map cells = find_map(mesh, "cells_nodes");
    double sum = 0, least;
    for (int64_t c = 0; c < cells.n_rows; c++) {
        sum += volume_of(mesh, &cells, c, &least);
        assert_true(least > 0);
    }
    assert_true(fabs(sum - 1) < 1e-12);
}

/* Every side of the square or cube is a group of its boundary faces. */
static void check_sides(mplan_mesh *mesh, const int64_t n_facets[3])
{
    static const char *const name[2][6] = {{"left", "right", "bottom", "top", "", ""},
                                           {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"}};
    mplan_error err;
    int32_t dimension;
    const double *x = node_coordinates(mesh, &dimension);
    assert_done(mplan_mesh_derive(mesh, "boundary_faces_nodes", NULL, &err), &err);
    x = node_coordinates(mesh, &dimension);
    mplan_map faces = find_map(mesh, "boundary_faces_nodes");
    assert_int_equal(mplan_mesh_n_groups(mesh), 2 * dimension);
    const int64_t *ids = mplan_mesh_boundary_ids(mesh);
    for (int64_t f = 0; f < faces.n_rows; f++)
        assert_true(ids[f] >= 1 && ids[f] <= 2 * dimension);
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh); g++) {
        mplan_group group = mplan_mesh_group(mesh, g);
        int32_t d = (int32_t)(group.id - 1) / 2;
        double place = (double)((group.id - 1) % 2);
        assert_string_equal(group.name, name[dimension - 2][group.id - 1]);
        assert_int_equal(group.n_members, n_facets[d]);
        for (int64_t i = 0; i < group.n_members; i++) {
            int32_t n;
            const int32_t *node = mplan_map_row(&faces, group.members[i], &n);
            assert_int_equal(ids[group.members[i]], group.id);
            for (int32_t k = 0; k < n; k++)
                assert_true(x[(int64_t)node[k] * dimension + d] == place);
        }
    }
}

static void plane_meshes(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{1, 1}, {1, 5}, {7, 1}, {3, 4}, {16, 9}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t x = sizes[s][0], y = sizes[s][1], facets[3] = {y, x, 0};
        for (int tri = 0; tri < 2; tri++) {
            mplan_error err;
            mplan_mesh *mesh = generate(tri ? MPLAN_SHAPE_TRI : MPLAN_SHAPE_QUAD, x, y, 0, 0.3,
                                        false, s);
            assert_int_equal(set_size(mesh, "nodes"), (x + 1) * (y + 1));
            assert_int_equal(set_size(mesh, "cells"), x * y * (tri ? 2 : 1));
            assert_int_equal(mplan_mesh_dimension(mesh), 2);
            check_volume(mesh);
            check_sides(mesh, facets);
            assert_done(mplan_mesh_derive(mesh, "faces", NULL, &err), &err);
            assert_int_equal(set_size(mesh, "faces"), (x - 1) * y + x * (y - 1) + (tri ? x * y : 0));
            mplan_mesh_free(mesh);
        }
    }
}

static void solid_meshes(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{1, 1, 1}, {1, 2, 3}, {4, 1, 2}, {5, 4, 3}, {8, 8, 8}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t x = sizes[s][0], y = sizes[s][1], z = sizes[s][2];
        for (int tet = 0; tet < 2; tet++) {
            mplan_error err;
            int64_t cut = tet ? 2 : 1, facets[3] = {y * z * cut, x * z * cut, x * y * cut};
            mplan_mesh *mesh = generate(tet ? MPLAN_SHAPE_TET : MPLAN_SHAPE_HEX, x, y, z, 0.3,
                                        false, s);
            assert_int_equal(set_size(mesh, "nodes"), (x + 1) * (y + 1) * (z + 1));
            assert_int_equal(set_size(mesh, "cells"), x * y * z * (tet ? 6 : 1));
            check_volume(mesh);
            check_sides(mesh, facets);
            /* neighbours match: no face is left single inside */
            assert_done(mplan_mesh_derive(mesh, "faces", NULL, &err), &err);
            int64_t inner = (x - 1) * y * z + x * (y - 1) * z + x * y * (z - 1);
            assert_int_equal(set_size(mesh, "faces"), cut * inner + (tet ? 6 * x * y * z : 0));
            mplan_mesh_free(mesh);
        }
    }
}

static void numbering(void **state)
{
    (void)state;
    mplan_mesh *mesh = generate(MPLAN_SHAPE_HEX, 3, 2, 2, 0, false, 1);
    const int32_t last[8] = {18, 19, 23, 22, 30, 31, 35, 34};
    mplan_map cells = find_map(mesh, "cells_nodes");
    int32_t n, dimension;
    const double *x = node_coordinates(mesh, &dimension);
    assert_memory_equal(mplan_map_row(&cells, 11, &n), last, sizeof last);
    assert_true(x[3 * 18] == 2.0 / 3 && x[3 * 18 + 1] == 0.5 && x[3 * 18 + 2] == 0.5);
    mplan_mesh_free(mesh);
}

static void jitter_moves_inner_nodes(void **state)
{
    (void)state;
    mplan_mesh *plain = generate(MPLAN_SHAPE_TET, 6, 5, 4, 0, false, 7);
    mplan_mesh *moved = generate(MPLAN_SHAPE_TET, 6, 5, 4, 0.25, false, 7);
    mplan_mesh *again = generate(MPLAN_SHAPE_TET, 6, 5, 4, 0.25, false, 7);
    mplan_mesh *other = generate(MPLAN_SHAPE_TET, 6, 5, 4, 0.25, false, 8);
    int32_t dimension;
    const double *a = node_coordinates(plain, &dimension), *b = node_coordinates(moved, &dimension);
    const double *c = node_coordinates(again, &dimension), *d = node_coordinates(other, &dimension);
    const double n[3] = {6, 5, 4};
    int64_t n_nodes = set_size(plain, "nodes"), n_moved = 0;
    double largest = 0;
    assert_memory_equal(b, c, (size_t)(3 * n_nodes) * sizeof *b);
    assert_memory_not_equal(b, d, (size_t)(3 * n_nodes) * sizeof *b);
    for (int64_t i = 0; i < n_nodes; i++) {
        bool inner = true;
        double square = 0;
        for (int k = 0; k < 3; k++) {
            double move = (b[3 * i + k] - a[3 * i + k]) * n[k];
            inner = inner && a[3 * i + k] > 0 && a[3 * i + k] < 1;
            square += move * move;
        }
        assert_true(square <= 0.25 * 0.25 + 1e-12);
        assert_true(inner || square == 0);
        largest = fmax(largest, square);
        n_moved += square > 0;
    }
    assert_int_equal(n_moved, 5 * 4 * 3);
    assert_true(largest > 0.2 * 0.2);
    mplan_mesh_free(plain);
    mplan_mesh_free(moved);
    mplan_mesh_free(again);
    mplan_mesh_free(other);
}

typedef struct cell_place {
    double x[8 * 3];
} cell_place;

static int compare_places(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(cell_place));
}

/* The coordinates of the nodes of each cell, cells in an order of their own. */
static cell_place *cell_places(const mplan_mesh *mesh)
{
    mplan_map cells = find_map(mesh, "cells_nodes");
    int32_t n, dimension;
    const double *x = node_coordinates(mesh, &dimension);
    cell_place *place = calloc((size_t)cells.n_rows, sizeof *place);
    for (int64_t c = 0; c < cells.n_rows; c++) {
        const int32_t *node = mplan_map_row(&cells, c, &n);
        for (int32_t k = 0; k < n; k++)
            memcpy(place[c].x + k * dimension, x + (int64_t)node[k] * dimension,
                   (size_t)dimension * sizeof *x);
    }
    qsort(place, (size_t)cells.n_rows, sizeof *place, compare_places);
    return place;
}

/* A shuffled mesh is the same mesh: equal cells as sets of coordinates. */
static void shuffle_renumbers(void **state)
{
    (void)state;
    for (int shape = MPLAN_SHAPE_QUAD; shape <= MPLAN_SHAPE_TET; shape++) {
        int64_t z = shape >= MPLAN_SHAPE_HEX ? 3 : 0;
        mplan_mesh *plain = generate((mplan_shape)shape, 6, 4, z, 0.2, false, 5);
        mplan_mesh *mixed = generate((mplan_shape)shape, 6, 4, z, 0.2, true, 5);
        mplan_map a = find_map(plain, "cells_nodes"), b = find_map(mixed, "cells_nodes");
        assert_int_equal(a.n_rows, b.n_rows);
        assert_memory_not_equal(a.values, b.values, (size_t)mplan_map_entries(&a) * 4);
        cell_place *x = cell_places(plain), *y = cell_places(mixed);
        assert_memory_equal(x, y, (size_t)a.n_rows * sizeof *x);
        free(x);
        free(y);
        check_volume(mixed);
        int64_t cut = shape == MPLAN_SHAPE_TET ? 2 : 1, deep = z ? z : 1;
        const int64_t facets[3] = {4 * deep * cut, 6 * deep * cut, 24 * cut};
        check_sides(mixed, facets);
        mplan_mesh_free(plain);
        mplan_mesh_free(mixed);
    }
}

/* --- naca0012 -------------------------------------------------------------- */

static void check_counts(const mplan_mesh *mesh, int64_t i3, int64_t j)
{
    assert_int_equal(set_size(mesh, "nodes"), (i3 + 1) * (j + 1));
    assert_int_equal(set_size(mesh, "cells"), i3 * j);
    assert_int_equal(set_size(mesh, "edges"), (i3 - 1) * j + i3 * (j - 1) + i3 / 3);
    assert_int_equal(set_size(mesh, "bedges"), i3 + i3 / 3 + 2 * j);
    assert_string_equal(mplan_mesh_faces_name(mesh), "edges");
}

/* The normals (dy, -dx) that leave each cell through its edges sum to nothing,
 * and by the divergence theorem give its area: edges are complete, and are
 * oriented as stated, across the cut as well. */
static void check_closed(const mplan_mesh *mesh)
{
    int32_t dimension;
    const double *x = node_coordinates(mesh, &dimension);
    mplan_map cells = find_map(mesh, "cells_nodes");
    double *sum = calloc((size_t)cells.n_rows, 3 * sizeof *sum);
    for (int rim = 0; rim < 2; rim++) {
        mplan_map nodes = find_map(mesh, rim ? "bedges_nodes" : "edges_nodes");
        mplan_map sides = find_map(mesh, rim ? "bedges_cells" : "edges_cells");
        for (int64_t e = 0; e < nodes.n_rows; e++) {
            const double *a = x + 2 * (int64_t)nodes.values[2 * e];
            const double *b = x + 2 * (int64_t)nodes.values[2 * e + 1];
            double normal[2] = {a[1] - b[1], b[0] - a[0]};
            double flux = (a[0] + b[0]) / 2 * normal[0] + (a[1] + b[1]) / 2 * normal[1];
            for (int32_t k = 0; k < sides.arity; k++) {
                double sign = k == 0 ? 1 : -1;
                double *s = sum + 3 * (int64_t)sides.values[sides.arity * e + k];
                s[0] += sign * normal[0];
                s[1] += sign * normal[1];
                s[2] += sign * flux / 2;
            }
        }
    }
    for (int64_t c = 0; c < cells.n_rows; c++) {
        double size = area(x, cells.values + 4 * c, 4);
        assert_true(size > 0);
        assert_true(fabs(sum[3 * c]) < 1e-12 && fabs(sum[3 * c + 1]) < 1e-12);
        assert_true(fabs(sum[3 * c + 2] - size) < 1e-9);
    }
    free(sum);
}

static void naca_small(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{3, 1}, {3, 2}, {6, 1}, {12, 5}, {60, 20}, {180, 120}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int shuffle = 0; shuffle < 2; shuffle++) {
            mplan_mesh *mesh = generate(MPLAN_SHAPE_NACA0012, sizes[s][0], sizes[s][1], 0, 0,
                                        shuffle == 1, 3);
            check_counts(mesh, sizes[s][0], sizes[s][1]);
            check_closed(mesh);
            mplan_mesh_free(mesh);
        }
}

static void naca_order(void **state)
{
    (void)state;
    mplan_mesh *mesh = generate(MPLAN_SHAPE_NACA0012, 12, 5, 0, 0, false, 1);
    mplan_map cells = find_map(mesh, "edges_cells"), nodes = find_map(mesh, "edges_nodes");
    for (int64_t e = 0; e < cells.n_rows; e++) {
        const int32_t *c = cells.values + 2 * e;
        assert_true(c[0] < c[1]);
        assert_true(e == 0 || c[-2] < c[0] || (c[-2] == c[0] && c[-1] < c[1]));
    }
    /* cell 0: to the right, across the cut, above */
    const int32_t first_cells[6] = {0, 1, 0, 11, 0, 12}, first_nodes[6] = {14, 1, 1, 0, 13, 14};
    assert_memory_equal(cells.values, first_cells, sizeof first_cells);
    assert_memory_equal(nodes.values, first_nodes, sizeof first_nodes);
    mplan_map rim = find_map(mesh, "bedges_cells");
    for (int64_t e = 1; e < rim.n_rows; e++)
        assert_true(rim.values[e - 1] <= rim.values[e]);
    assert_int_equal(mplan_mesh_n_groups(mesh), 2);
    mplan_group airfoil = mplan_mesh_group(mesh, 0), far = mplan_mesh_group(mesh, 1);
    assert_string_equal(airfoil.name, "airfoil");
    assert_string_equal(far.name, "farfield");
    assert_true(airfoil.id == 1 && far.id == 2);
    assert_int_equal(airfoil.n_members, 4);
    assert_int_equal(far.n_members, 12 + 10);
    for (int64_t i = 0; i < 4; i++)
        assert_int_equal(rim.values[airfoil.members[i]], 4 + i);
    mplan_mesh_free(mesh);
}

/* OP2's own grid: its counts, six decimals, and nodes that can be had by hand. */
static void naca_full(void **state)
{
    (void)state;
    mplan_mesh *mesh = generate(MPLAN_SHAPE_NACA0012, 1200, 600, 0, 0, false, 1);
    int32_t dimension;
    const double *x = node_coordinates(mesh, &dimension);
    assert_int_equal(set_size(mesh, "cells"), 720000);
    assert_int_equal(set_size(mesh, "nodes"), 721801);
    assert_int_equal(set_size(mesh, "edges"), 1438600);
    assert_int_equal(set_size(mesh, "bedges"), 2800);
    check_closed(mesh);
    assert_true(x[0] == 9 && x[1] == 0 && !signbit(x[1]));
    assert_true(x[2] == 8.970025 && x[3] == 0);          /* (-3 + 6/1200)^2 */
    assert_true(x[2 * 400] == 1 && x[2 * 400 + 1] == 0); /* trailing edge */
    assert_true(x[2 * 1200] == 9 && x[2 * 1200 + 1] == 0);
    assert_true(x[2 * 721800] == 0 && x[2 * 721800 + 1] == 18); /* (3 + 3i)^2 */
    /* leading edge: sqrt(-0.0077) squared */
    assert_true(x[2 * 600] == -0.0077 && x[2 * 600 + 1] == 0);
    for (int64_t i = 0; i < 2 * 721801; i++)
        assert_true(fabs(x[i] * 1e6 - nearbyint(x[i] * 1e6)) < 1e-8);
    for (int64_t i = 0; i <= 1200; i++) { /* mirrored */
        assert_true(x[2 * i] == x[2 * (1200 - i)]);
        assert_true(x[2 * i + 1] == -x[2 * (1200 - i) + 1]);
    }
    mplan_mesh_free(mesh);
}

/* The airfoil's half thickness, 0.0077 to the left: the spline hits it. Points of the larger grid come near the
 * trailing edge, behind the spline's last knot. */
static void naca_thickness(void **state)
{
    (void)state;
    static const int64_t third[] = {400, 2000};
    for (int s = 0; s < 2; s++) {
        mplan_mesh *mesh = generate(MPLAN_SHAPE_NACA0012, 3 * third[s], 1, 0, 0, false, 1);
        int32_t dimension;
        const double *p = node_coordinates(mesh, &dimension);
        for (int64_t i = 3 * third[s] / 2 + 2; i < 2 * third[s]; i++) {
            double x = p[2 * i] + 0.0077, y;
            y = 0.594689181 * (0.298222773 * sqrt(x) - 0.127125232 * x - 0.357907906 * x * x +
                               0.291984971 * x * x * x - 0.105174696 * x * x * x * x);
            y = x < 1 ? y : 0;
            assert_true(fabs(p[2 * i + 1] - y) < (x < 1 ? 2e-5 : 2e-3));
        }
        mplan_mesh_free(mesh);
    }
}

/* --- refusals, random numbers ------------------------------------------------- */

static void refusals(void **state)
{
    (void)state;
    mplan_mesh *mesh = NULL;
    mplan_error err;
    static const struct {
        mplan_shape shape;
        int64_t size[3];
        double jitter;
        const char *part;
    } bad[] = {
        {MPLAN_SHAPE_QUAD, {0, 4, 0}, 0, "size 0"},
        {MPLAN_SHAPE_QUAD, {4, -1, 0}, 0, "size -1"},
        {MPLAN_SHAPE_QUAD, {4, 4, 4}, 0, "two sizes"},
        {MPLAN_SHAPE_HEX, {4, 4, 0}, 0, "size 0"},
        {MPLAN_SHAPE_QUAD, {INT64_MAX, 1, 0}, 0, "size"},
        {MPLAN_SHAPE_QUAD, {INT64_C(1) << 31, INT64_C(1) << 33, 0}, 0, "size"},
        {MPLAN_SHAPE_QUAD, {46341, 46341, 0}, 0, "more than 2147483646"},
        {MPLAN_SHAPE_QUAD, {2147483646, 2147483646, 0}, 0, "more than 2147483646"},
        {MPLAN_SHAPE_HEX, {2147483646, 2147483646, 2147483646}, 0, "more than 2147483646"},
        {MPLAN_SHAPE_TRI, {40000, 40000, 0}, 0, "more than 2147483646 cells"},
        {MPLAN_SHAPE_TET, {1000, 1000, 1000}, 0, "more than 2147483646 cells"},
        {MPLAN_SHAPE_NACA0012, {1000, 600, 0}, 0, "multiple of 3"},
        {MPLAN_SHAPE_NACA0012, {300000, 300000, 0}, 0, "1 to 2147483646 edges"},
        {MPLAN_SHAPE_NACA0012, {2147483646, 2147483646, 0}, 0, "1 to 2147483646 edges"},
        {MPLAN_SHAPE_NACA0012, {0, 4, 0}, 0, "size 0"},
        {MPLAN_SHAPE_NACA0012, {12, 4, 0}, 0.1, "jitter"},
        {MPLAN_SHAPE_QUAD, {4, 4, 0}, 0.5, "jitter 0.5"},
        {MPLAN_SHAPE_QUAD, {4, 4, 0}, -0.1, "jitter -0.1"},
        {(mplan_shape)17, {4, 4, 0}, 0, "shape 17"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
        options.shape = bad[i].shape;
        memcpy(options.size, bad[i].size, sizeof options.size);
        options.jitter = bad[i].jitter;
        assert_refused(mplan_mesh_generate(&options, NULL, &mesh, &err), MPLAN_ERR_ARGUMENT, &err,
                       bad[i].part);
        assert_null(mesh);
    }
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.size[0] = options.size[1] = 4;
    options.jitter = (double)NAN;
    assert_refused(mplan_mesh_generate(&options, NULL, &mesh, &err), MPLAN_ERR_ARGUMENT, &err,
                   "jitter");
    assert_refused(mplan_mesh_generate(NULL, NULL, &mesh, &err), MPLAN_ERR_ARGUMENT, &err, "size");
}

static void interruption(void **state)
{
    (void)state;
    mplan_context context = MPLAN_CONTEXT_INIT;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_mesh *mesh = NULL;
    mplan_error err;
    context.cancelled = always;
    for (int shape = 0; shape <= MPLAN_SHAPE_NACA0012; shape++) {
        options.shape = (mplan_shape)shape;
        options.size[0] = options.size[1] = 6;
        options.size[2] = shape == MPLAN_SHAPE_HEX || shape == MPLAN_SHAPE_TET ? 2 : 0;
        assert_refused(mplan_mesh_generate(&options, &context, &mesh, &err), MPLAN_ERR_INTERRUPTED,
                       &err, "interrupted");
    }
}

static void random_numbers(void **state)
{
    (void)state;
    uint64_t seed = 0;
    assert_true(mplan_random(&seed) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(mplan_random(&seed) == UINT64_C(0x6e789e6aa1b965f4));
    assert_true(mplan_random(&seed) == UINT64_C(0x06c45d188009454f));
    static const int64_t limits[] = {
        1, 2, 3, 6, 1000, UINT32_MAX, INT64_C(1) << 32, (INT64_C(1) << 40) + 1, INT64_MAX};
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        int64_t n = limits[l], third[3] = {0, 0, 0};
        for (int i = 0; i < 30000; i++) {
            int64_t value = mplan_random_below(&seed, n);
            assert_true(value >= 0 && value < n);
            third[n < 3 ? value : value / (n / 3 + (n % 3 != 0))]++;
        }
        /* 5 standard deviations of 30000 throws */
        for (int k = 0; k < 3 && n >= 3; k++)
            assert_true(llabs(third[k] - 10000) < (n == 1000 ? 450 : 410));
        if (n == 2)
            assert_true(llabs(third[0] - 15000) < 435);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plane_meshes),      cmocka_unit_test(solid_meshes),
        cmocka_unit_test(numbering),         cmocka_unit_test(jitter_moves_inner_nodes),
        cmocka_unit_test(shuffle_renumbers), cmocka_unit_test(naca_small),
        cmocka_unit_test(naca_order),        cmocka_unit_test(naca_full),
        cmocka_unit_test(naca_thickness),    cmocka_unit_test(refusals),
        cmocka_unit_test(interruption),      cmocka_unit_test(random_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
