/* SPDX-License-Identifier: Apache-2.0 */
/* test_surface_layers.c - boundary layers, wings and spheres: positive, conforming, closed */
#include "support_test.h"

#include <math.h>

#include "generate/surface_layers.h"
#include "mesh/mesh.h"
#include "support_volume.h"
#include "support_mesh.h"

#define N_CELL_KINDS 7

static mplan_generate_options request(mplan_shape shape, int64_t x, int64_t y, int64_t z,
                                      mplan_layer_cells cells)
{
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.shape = shape;
    options.size[0] = x;
    options.size[1] = y;
    options.size[2] = z;
    options.cells = cells;
    return options;
}

static mplan_mesh *generate(const mplan_generate_options *options)
{
    mplan_mesh *mesh = NULL;
    mplan_error err;
    assert_done(mplan_mesh_generate(options, NULL, &mesh, &err), &err);
    assert_done(mplan_mesh_validate(mesh, NULL, &err), &err);
    return mesh;
}

/* --- volumes ------------------------------------------------------------------ */

/* What all groups enclose: their facets leave the mesh and close it. */
static double enclosed(const mplan_mesh *mesh)
{
    static const double origin[3] = {0, 0, 0};
    int32_t dimension;
    const double *x = node_coordinates(mesh, &dimension);
    double sum = 0;
    for (int32_t g = 0; g < mesh->n_facet_groups; g++) {
        const int32_t *node = mesh->facets[g].nodes;
        for (int64_t f = 0; f < mesh->facets[g].n_facets; f++) {
            int32_t n = mplan_cell_type_nodes((mplan_cell_type)mesh->facets[g].type[f]);
            sum += cone_volume(x, dimension, node, n, origin);
            node += n;
        }
    }
    return sum;
}

/* Every cell is positive at all of its corners, and the cells fill what the groups enclose. */
static void check_volumes(const mplan_mesh *mesh)
{
    double sum = 0, whole = enclosed(mesh);
    for (int64_t c = 0; c < set_size(mesh, "cells"); c++) {
        double volume = cell_volume(mesh, c), least = least_corner(mesh, c);
        if (!(volume > 0 && least > 0))
            fail_msg("cell %lld, a %s: volume %g, at a corner %g", (long long)c,
                     mplan_cell_type_name((mplan_cell_type)mesh->cell_type[c]), volume, least);
        sum += volume;
    }
    assert_true(whole > 0);
    assert_true(fabs(sum - whole) < 1e-11 * whole + 1e-13);
}

/* --- faces -------------------------------------------------------------------- */

/* Each face has two cells, or one and a group. */
static void check_faces(mplan_mesh *mesh, int64_t characteristic)
{
    static const char *const name[] = {"wall", "farfield", "root", "tip"};
    int64_t n_facets = 0, n_members = 0;
    for (int32_t g = 0; g < mesh->n_facet_groups; g++)
        n_facets += mesh->facets[g].n_facets;
    check_faces_meet(mesh, characteristic);
    int64_t n_rim = set_size(mesh, "boundary_faces");
    assert_int_equal(n_facets, n_rim);
    const int64_t *ids = mplan_mesh_boundary_ids(mesh);
    for (int64_t f = 0; f < n_rim; f++)
        assert_true(ids[f] >= 1 && ids[f] <= mplan_mesh_n_groups(mesh));
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh); g++) {
        mplan_group group = mplan_mesh_group(mesh, g);
        assert_string_equal(group.name, name[g]);
        assert_int_equal(group.id, g + 1);
        n_members += group.n_members;
    }
    assert_int_equal(n_members, n_rim);
}

/* --- every shape ---------------------------------------------------------------- */

static const struct {
    mplan_shape shape;
    int64_t size[3], characteristic;
} bodies[] = {
    {MPLAN_SHAPE_BOUNDARY_LAYER, {8, 1, 0}, 0},
    {MPLAN_SHAPE_BOUNDARY_LAYER, {9, 2, 0}, 0},
    {MPLAN_SHAPE_BOUNDARY_LAYER, {33, 17, 0}, 0},
    {MPLAN_SHAPE_BOUNDARY_LAYER, {200, 60, 0}, 0},
    {MPLAN_SHAPE_BOUNDARY_LAYER, {8, 1, 1}, 0},
    {MPLAN_SHAPE_BOUNDARY_LAYER, {11, 5, 2}, 0},
    {MPLAN_SHAPE_BOUNDARY_LAYER, {40, 30, 4}, 0},
    {MPLAN_SHAPE_WING, {8, 1, 1}, 0},
    {MPLAN_SHAPE_WING, {13, 6, 3}, 0},
    {MPLAN_SHAPE_WING, {40, 30, 5}, 0},
    {MPLAN_SHAPE_SPHERE, {1, 1, 0}, 2},
    {MPLAN_SHAPE_SPHERE, {2, 3, 0}, 2},
    {MPLAN_SHAPE_SPHERE, {3, 7, 0}, 2},
    {MPLAN_SHAPE_SPHERE, {8, 30, 0}, 2},
};

static bool fits(mplan_layer_cells cells, mplan_shape shape, const int64_t size[3])
{
    bool plane = shape == MPLAN_SHAPE_BOUNDARY_LAYER && size[2] == 0;
    if (cells == MPLAN_LAYER_CELLS_AUTO || cells == MPLAN_LAYER_CELLS_HYBRID)
        return true;
    return plane == (cells == MPLAN_LAYER_CELLS_QUAD || cells == MPLAN_LAYER_CELLS_TRI);
}

/* All kinds of cells, first heights from 1e-2 to 1e-7 and growths, shuffled now and then. */
static void bodies_are_sound(void **state)
{
    (void)state;
    static const double height[] = {0, 1e-2, 1e-4, 1e-7}, growth[] = {0, 1, 1.3, 2};
    for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++) {
        for (int i = 0; i < 4 * N_CELL_KINDS; i++) {
            const int64_t *n = bodies[b].size;
            mplan_generate_options options = request(bodies[b].shape, n[0], n[1], n[2],
                                                     (mplan_layer_cells)(i % N_CELL_KINDS));
            if (!fits(options.cells, options.shape, n))
                continue;
            options.first_height = height[i / N_CELL_KINDS];
            /* 30 rows of growth 2 end beyond 1e6 where the first one is 1e-2 high */
            options.growth = growth[(i / N_CELL_KINDS + i % N_CELL_KINDS) % (n[1] > 25 ? 3 : 4)];
            options.shuffle = (i + (int)b) % 5 == 1;
            mplan_mesh *mesh = generate(&options);
            check_volumes(mesh);
            check_faces(mesh, bodies[b].characteristic);
            mplan_mesh_free(mesh);
        }
    }
}

/* Cells per row and panel, types by row. */
static void counts(void **state)
{
    (void)state;
    static const struct {
        mplan_layer_cells cells;
        mplan_cell_type low, high;
        int64_t n_low, n_high; /* of a panel in a row */
    } kind[] = {
        {MPLAN_LAYER_CELLS_AUTO, MPLAN_CELL_HEX8, MPLAN_CELL_HEX8, 1, 1},
        {MPLAN_LAYER_CELLS_HEX, MPLAN_CELL_HEX8, MPLAN_CELL_HEX8, 1, 1},
        {MPLAN_LAYER_CELLS_PRISM, MPLAN_CELL_PRISM6, MPLAN_CELL_PRISM6, 2, 2},
        {MPLAN_LAYER_CELLS_TET, MPLAN_CELL_TET4, MPLAN_CELL_TET4, 6, 6},
        {MPLAN_LAYER_CELLS_HYBRID, MPLAN_CELL_PRISM6, MPLAN_CELL_TET4, 2, 6},
    };
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        mplan_generate_options options = request(MPLAN_SHAPE_WING, 12, 5, 4, kind[k].cells);
        mplan_mesh *mesh = generate(&options);
        int64_t n_low = 12 * 4 * 3 * kind[k].n_low, n_high = 12 * 4 * 2 * kind[k].n_high;
        assert_int_equal(set_size(mesh, "nodes"), 12 * 5 * 6);
        assert_int_equal(set_size(mesh, "cells"), n_low + n_high);
        for (int64_t c = 0; c < n_low + n_high; c++)
            assert_int_equal(mesh->cell_type[c], c < n_low ? kind[k].low : kind[k].high);
        mplan_mesh_free(mesh);
    }
    mplan_generate_options ball = request(MPLAN_SHAPE_SPHERE, 5, 3, 0, MPLAN_LAYER_CELLS_AUTO);
    mplan_mesh *mesh = generate(&ball);
    assert_int_equal(set_size(mesh, "nodes"), 152 * 4);
    assert_int_equal(set_size(mesh, "cells"), 150 * 3);
    mplan_mesh_free(mesh);
    mplan_generate_options plane = request(MPLAN_SHAPE_BOUNDARY_LAYER, 20, 4, 0,
                                           MPLAN_LAYER_CELLS_HYBRID);
    mesh = generate(&plane);
    for (int64_t c = 0; c < 120; c++)
        assert_int_equal(mesh->cell_type[c], c < 40 ? MPLAN_CELL_QUAD4 : MPLAN_CELL_TRI3);
    assert_int_equal(set_size(mesh, "cells"), 120);
    mplan_mesh_free(mesh);
}

/* --- places --------------------------------------------------------------------- */

static double distance(const double *a, const double *b, int32_t dimension)
{
    double sum = 0;
    for (int32_t d = 0; d < dimension; d++)
        sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sqrt(sum);
}

/* Layers lie at the wanted distances from the wall, all around. */
static void heights(void **state)
{
    (void)state;
    enum { N = 60, ROWS = 40 };
    for (int i = 0; i < 3; i++) {
        mplan_generate_options options = request(MPLAN_SHAPE_BOUNDARY_LAYER, N, ROWS, 0,
                                                 MPLAN_LAYER_CELLS_AUTO);
        if (i > 0)
            options.first_height = 1e-7;
        if (i > 1)
            options.growth = 1.25;
        mplan_mesh *mesh = generate(&options);
        int32_t dimension;
        const double *x = node_coordinates(mesh, &dimension);
        double first = distance(x, x + 2 * N, 2), second = distance(x, x + 4 * N, 2);
        double wanted = 0, height = i > 0 ? 1e-7 : 1e-5, growth = second / first - 1;
        assert_true(fabs(first - height) < 1e-8 * height);
        if (i == 2)
            assert_true(fabs(growth - 1.25) < 1e-7);
        growth = i == 2 ? 1.25 : growth;
        for (int64_t r = 0; r <= ROWS; r++) {
            for (int64_t k = 0; k < N; k++) {
                double got = distance(x + 2 * k, x + 2 * (r * N + k), 2);
                assert_true(fabs(got - wanted) < 1e-6 * wanted + 1e-15);
            }
            wanted += height;
            height *= growth;
        }
        if (i < 2)
            assert_true(fabs(distance(x, x + 2 * N * ROWS, 2) - 20) < 1e-9);
        mplan_mesh_free(mesh);
    }
    /* too few rows to come so far: each is twice as high as the one before */
    mplan_generate_options few = request(MPLAN_SHAPE_SPHERE, 1, 3, 0, MPLAN_LAYER_CELLS_AUTO);
    mplan_mesh *mesh = generate(&few);
    int32_t dimension;
    const double *x = node_coordinates(mesh, &dimension);
    assert_true(fabs(distance(x, x + 3 * 3 * 8, 3) - 7e-5) < 1e-14);
    mplan_mesh_free(mesh);
}

/* The profile: chord 1 from the origin, 12 % thick, symmetric. Sections of a wing. */
static void forms(void **state)
{
    (void)state;
    enum { N = 400 };
    mplan_generate_options options = request(MPLAN_SHAPE_BOUNDARY_LAYER, N, 1, 0,
                                             MPLAN_LAYER_CELLS_AUTO);
    mplan_mesh *plane = generate(&options);
    int32_t dimension;
    const double *p = node_coordinates(plane, &dimension);
    double high = 0;
    for (int64_t i = 0; i < N; i++) {
        high = fmax(high, p[2 * i + 1]);
        assert_true(p[2 * i] >= -1e-15 && p[2 * i] <= 1 + 1e-15);
        assert_true(fabs(p[2 * i] - p[2 * ((N - i) % N)]) < 1e-15);
        assert_true(fabs(p[2 * i + 1] + p[2 * ((N - i) % N) + 1]) < 1e-15);
    }
    assert_true(fabs(p[0] - 1) < 1e-15 && fabs(p[N]) < 1e-15);
    assert_true(high > 0.0595 && high < 0.0615);
    options = request(MPLAN_SHAPE_WING, N, 1, 6, MPLAN_LAYER_CELLS_AUTO);
    mplan_mesh *wing = generate(&options);
    const double *w = node_coordinates(wing, &dimension);
    for (int64_t k = 0; k <= 6; k++) {
        for (int64_t i = 0; i < N; i++, w += 3) {
            double chord = 1 - (double)k / 12, z = (double)k / 2;
            assert_true(fabs(w[0] - (z / sqrt(3) + chord * p[2 * i])) < 1e-14);
            assert_true(fabs(w[1] - chord * p[2 * i + 1]) < 1e-14);
            assert_true(w[2] == z);
        }
    }
    mplan_mesh_free(wing);
    mplan_mesh_free(plane);
    options = request(MPLAN_SHAPE_SPHERE, 7, 9, 0, MPLAN_LAYER_CELLS_PRISM);
    options.first_height = 0.5;
    options.growth = 1;
    mplan_mesh *ball = generate(&options);
    const double *s = node_coordinates(ball, &dimension);
    static const double origin[3] = {0, 0, 0};
    for (int64_t i = 0; i < set_size(ball, "nodes"); i++)
        assert_true(fabs(distance(s + 3 * i, origin, 3) - (1 + 0.5 * (double)(i / 296))) < 1e-14);
    mplan_mesh_free(ball);
}

/* The same bits on every machine. */
static void equal_everywhere(void **state)
{
    (void)state;
    static const uint64_t expected[] = {UINT64_C(0xd84bc2d490a6d4a5), UINT64_C(0xb4287110133d2a98),
                                        UINT64_C(0x3331c431de3ebfe0)};
    static const mplan_shape shape[] = {MPLAN_SHAPE_BOUNDARY_LAYER, MPLAN_SHAPE_WING,
                                        MPLAN_SHAPE_SPHERE};
    for (int s = 0; s < 3; s++) {
        mplan_generate_options options = request(shape[s], 20, 10,
                                                 shape[s] == MPLAN_SHAPE_WING ? 3 : 0,
                                                 MPLAN_LAYER_CELLS_AUTO);
        mplan_mesh *mesh = generate(&options);
        int32_t nodes = mplan_mesh_find_set(mesh, "nodes");
        uint64_t print;
        mplan_error err;
        assert_done(mplan_mesh_fingerprint_coordinates(mesh, 1, &nodes, &print, NULL, &err), &err);
        if (print != expected[s])
            fail_msg("shape %d: 0x%016llx", s, (unsigned long long)print);
        mplan_mesh_free(mesh);
    }
}

static void circle(void **state)
{
    (void)state;
    double c, s;
    for (int64_t n = 1; n < 300; n++) {
        for (int64_t i = -n; i <= 2 * n; i++) {
            double angle = 2 * acos(-1) * (double)i / (double)n;
            mplan_unit_circle(i, n, &c, &s);
            assert_true(fabs(c - cos(angle)) < 4e-15 && fabs(s - sin(angle)) < 4e-15);
            assert_true(fabs(c * c + s * s - 1) < 4e-16);
        }
    }
    for (int i = 0; i < 4; i++) {
        mplan_unit_circle(i, 4, &c, &s);
        assert_true(c == (i == 0) - (i == 2) && s == (i == 1) - (i == 3));
    }
    mplan_unit_circle(-(INT64_C(1) << 58), INT64_C(1) << 58, &c, &s);
    assert_true(c == 1 && s == 0);
}

/* --- refusals -------------------------------------------------------------------- */

static void refusals(void **state)
{
    (void)state;
    static const struct {
        mplan_shape shape;
        int64_t size[3];
        mplan_layer_cells cells;
        double height, growth, jitter;
        const char *part;
    } bad[] = {
        {MPLAN_SHAPE_WING, {20, 4, 0}, 0, 0, 0, 0, "size 0 of a wing mesh"},
        {MPLAN_SHAPE_SPHERE, {4, 4, 4}, 0, 0, 0, 0, "a sphere mesh has two sizes"},
        {MPLAN_SHAPE_BOUNDARY_LAYER, {20, 0, 0}, 0, 0, 0, 0, "size 0 of a boundary-layer"},
        {MPLAN_SHAPE_BOUNDARY_LAYER, {20, 4, -1}, 0, 0, 0, 0, "size -1"},
        {MPLAN_SHAPE_BOUNDARY_LAYER, {7, 4, 0}, 0, 0, 0, 0, "at least 8 cells around, not 7"},
        {MPLAN_SHAPE_WING, {20, 4, 2}, MPLAN_LAYER_CELLS_QUAD, 0, 0, 0, "must be hex, prism, tet or hybrid"},
        {MPLAN_SHAPE_SPHERE, {2, 2, 0}, MPLAN_LAYER_CELLS_TRI, 0, 0, 0, "a sphere mesh in space"},
        {MPLAN_SHAPE_BOUNDARY_LAYER, {20, 4, 0}, MPLAN_LAYER_CELLS_TET, 0, 0, 0, "must be quad, tri or hybrid"},
        {MPLAN_SHAPE_BOUNDARY_LAYER, {20, 4, 0}, (mplan_layer_cells)7, 0, 0, 0, "layer cells 7"},
        {MPLAN_SHAPE_BOUNDARY_LAYER, {20, 4, 0}, 0, 1e-13, 0, 0, "first height 1e-13 is not in [1e-12, 1000]"},
        {MPLAN_SHAPE_BOUNDARY_LAYER, {20, 4, 0}, 0, -1, 0, 0, "first height -1"},
        {MPLAN_SHAPE_SPHERE, {2, 4, 0}, 0, 1001, 0, 0, "first height 1001"},
        {MPLAN_SHAPE_SPHERE, {2, 4, 0}, 0, (double)NAN, 0, 0, "first height"},
        {MPLAN_SHAPE_SPHERE, {2, 4, 0}, 0, 0, (double)NAN, 0, "growth"},
        {MPLAN_SHAPE_SPHERE, {2, 4, 0}, 0, 0, 0.99, 0, "growth 0.99 is not in [1, 10]"},
        {MPLAN_SHAPE_SPHERE, {2, 4, 0}, 0, 0, 10.5, 0, "growth 10.5"},
        {MPLAN_SHAPE_SPHERE, {2, 40, 0}, 0, 0, 3, 0, "end beyond 1e+06"},
        {MPLAN_SHAPE_SPHERE, {2, 1001, 0}, 0, 1000, 0, 0, "1001 rows that start with height 1000 and"},
        {MPLAN_SHAPE_WING, {20, 4, 2}, 0, 0, 0, 0.1, "jitter is not supported for a wing mesh"},
        {MPLAN_SHAPE_QUAD, {4, 4, 0}, MPLAN_LAYER_CELLS_QUAD, 0, 0, 0, "not for a quad mesh"},
        {MPLAN_SHAPE_NACA0012, {6, 4, 0}, 0, 1e-5, 0, 0, "not for a naca0012 mesh"},
        {MPLAN_SHAPE_HEX, {4, 4, 4}, 0, 0, 1.1, 0, "not for a hex mesh"},
        {MPLAN_SHAPE_SPHERE, {18919, 1, 0}, 0, 0, 0, 0, "18919 cells a side has more than 2147483646"},
        {MPLAN_SHAPE_SPHERE, {18918, 1, 0}, 0, 0, 0, 0, "more than 2147483646 nodes"},
        {MPLAN_SHAPE_SPHERE, {10000, 2, 0}, MPLAN_LAYER_CELLS_TET, 0, 0, 0, "more than 2147483646 cells"},
        {MPLAN_SHAPE_BOUNDARY_LAYER, {2147483646, 2147483646, 0}, 0, 0, 0, 0, "more than 2147483646 nodes"},
        {MPLAN_SHAPE_WING, {2147483646, 2147483646, 2147483646}, 0, 0, 0, 0, "more than 2147483646 nodes"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mplan_mesh *mesh = NULL;
        mplan_error err;
        mplan_generate_options options = request(bad[i].shape, bad[i].size[0], bad[i].size[1],
                                                 bad[i].size[2], bad[i].cells);
        options.first_height = bad[i].height;
        options.growth = bad[i].growth;
        options.jitter = bad[i].jitter;
        assert_refused(mplan_mesh_generate(&options, NULL, &mesh, &err), MPLAN_ERR_ARGUMENT, &err,
                       bad[i].part);
        assert_null(mesh);
    }
}

/* Allowed so many times; then no more. */
static bool after_some(void *user)
{
    return --*(int *)user < 0;
}

static void interruption(void **state)
{
    (void)state;
    for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++) {
        for (int allowed = 0; allowed < 2 * bodies[b].size[1] + 1; allowed++) {
            mplan_context context = MPLAN_CONTEXT_INIT;
            mplan_mesh *mesh = NULL;
            mplan_error err;
            int left = allowed;
            const int64_t *n = bodies[b].size;
            mplan_generate_options options = request(bodies[b].shape, n[0], n[1], n[2], 0);
            context.cancelled = after_some;
            context.user = &left;
            assert_refused(mplan_mesh_generate(&options, &context, &mesh, &err),
                           MPLAN_ERR_INTERRUPTED, &err, "interrupted");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_sound), cmocka_unit_test(counts),
        cmocka_unit_test(heights),          cmocka_unit_test(forms),
        cmocka_unit_test(equal_everywhere), cmocka_unit_test(circle),
        cmocka_unit_test(refusals),         cmocka_unit_test(interruption),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
