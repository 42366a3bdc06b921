/* SPDX-License-Identifier: Apache-2.0 */
/* test_table.c - arrays of numbers become maps: names, sizes, base, none */
#include "support_test.h"

#include <inttypes.h>
#include <math.h>

#include "formats/format.h"

static mplan_mesh *new_mesh(void)
{
    mplan_error err;
    mplan_mesh *mesh = NULL;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    return mesh;
}

typedef enum width { NARROW, WIDE, REAL } width;

/* rows x cols of the numbers, in one of the three forms. */
static mplan_numbers numbers_of(const int64_t *x, int64_t rows, int64_t cols, width form)
{
    int64_t n = rows * cols;
    mplan_numbers numbers = {.rows = rows, .cols = cols, .real = form == REAL};
    void *data = malloc(n ? (size_t)n * 8 : 1);
    if (form == NARROW)
        numbers.i32 = data;
    else if (form == WIDE)
        numbers.i64 = data;
    else
        numbers.f64 = data;
    for (int64_t i = 0; i < n; i++)
        if (form == NARROW)
            numbers.i32[i] = (int32_t)x[i];
        else if (form == WIDE)
            numbers.i64[i] = x[i];
        else
            numbers.f64[i] = (double)x[i];
    return numbers;
}

/* --- values ------------------------------------------------------------------- */

/* What a number means: an id, -1 for none, -2 for out of range. */
static int64_t meaning(const mplan_table_options *options, int64_t size, int64_t x)
{
    if (options->has_none && x == options->none)
        return -1;
    if (x < options->base)
        return options->none_below_base ? -1 : -2;
    return size < 0 || x - options->base < size ? x - options->base : -2;
}

static void check_random(uint64_t *seed)
{
    enum { MAX_ENTRIES = 12000 };
    static int64_t x[MAX_ENTRIES], expected[MAX_ENTRIES];
    mplan_table_options options = MPLAN_TABLE_OPTIONS_INIT;
    bool large = support_random(seed, 50) == 0;
    int64_t n = support_random(seed, large ? 4000 : 30), arity = 1 + support_random(seed, 3);
    int64_t size = 1 + support_random(seed, 100), max = -1, bad = -1;
    static const int64_t nones[] = {-1, 0, 1, 7, 101, -999, -INT32_MAX, INT64_MIN, INT64_MAX};
    options.base = support_random(seed, 2);
    options.has_none = support_random(seed, 2);
    options.none = nones[support_random(seed, 9)];
    options.none_below_base = support_random(seed, 2);
    options.transposed = support_random(seed, 2);
    options.to_size = support_random(seed, 2) ? size : -1;
    int64_t fault_rate = support_random(seed, 2) ? 0 : 1 + support_random(seed, 5000);
    int64_t rows = options.transposed ? arity : n, cols = options.transposed ? n : arity;
    for (int64_t i = 0; i < n * arity; i++) {
        x[i] = options.base + support_random(seed, size);
        if (options.has_none && support_random(seed, 8) == 0)
            x[i] = options.none;
        if (options.none_below_base && support_random(seed, 8) == 0)
            x[i] = options.base - 1 - support_random(seed, 1000);
        if (fault_rate && support_random(seed, fault_rate) == 0)
            x[i] = support_random(seed, 2) ? -1 - support_random(seed, 3) : options.base + size;
        int64_t e = options.transposed ? i % n : i / arity,
                k = options.transposed ? i / n : i % arity;
        expected[e * arity + k] = meaning(&options, options.to_size, x[i]);
        if (expected[e * arity + k] == -2 && bad < 0)
            bad = i;
        if (expected[e * arity + k] > max)
            max = expected[e * arity + k];
    }
    bool fits = true;
    for (int64_t i = 0; i < n * arity; i++)
        fits = fits && x[i] >= INT32_MIN && x[i] <= INT32_MAX;
    width form = fits ? (width)support_random(seed, 3) : WIDE;
    mplan_error err;
    mplan_mesh *mesh = new_mesh();
    mplan_numbers numbers = numbers_of(x, rows, cols, form);
    mplan_status status = mplan_table_from_numbers(mesh, "a/e_p.npy", &numbers, &options, NULL, &err);
    assert_true(!numbers.i32 && !numbers.i64 && !numbers.f64);
    if (bad >= 0) {
        char place[96];
        snprintf(place, sizeof place, "e_p.npy: row %" PRId64 ", column %" PRId64 ": %" PRId64 " is",
                 bad / cols + 1, bad % cols + 1, x[bad]);
        assert_refused(status, MPLAN_ERR_MESH, &err, place);
        assert_int_equal(mplan_mesh_n_sets(mesh), 0);
    } else {
        assert_done(status, &err);
        mplan_map map = mplan_mesh_map(mesh, 0);
        assert_int_equal(map.n_rows, n);
        assert_int_equal(map.arity, arity);
        assert_int_equal(map.n_points, options.to_size >= 0 ? options.to_size : max + 1);
        for (int64_t i = 0; i < n * arity; i++)
            assert_int_equal(map.values[i], expected[i]);
    }
    mplan_mesh_free(mesh);
}

static void test_random_tables(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int i = 0; i < 6000; i++)
        check_random(&seed);
}

static void test_limits(void **state)
{
    (void)state;
    mplan_error err;
    mplan_table_options options = MPLAN_TABLE_OPTIONS_INIT;
    const int64_t last = INT32_MAX - 2; /* of the largest set */
    for (width form = NARROW; form <= REAL; form++)
        for (int64_t base = 0; base < 2; base++) {
            int64_t x[3] = {base, last + base, base};
            options.base = base;
            mplan_mesh *mesh = new_mesh();
            mplan_numbers numbers = numbers_of(x, 3, 1, form);
            assert_done(mplan_table_from_numbers(mesh, "-", &numbers, &options, NULL, &err), &err);
            assert_int_equal(mplan_mesh_set(mesh, 1).size, INT32_MAX - 1);
            assert_int_equal(mplan_mesh_map(mesh, 0).values[1], last);
            mplan_mesh_free(mesh);
            x[1]++;
            mesh = new_mesh();
            numbers = numbers_of(x, 3, 1, form);
            assert_refused(mplan_table_from_numbers(mesh, "-", &numbers, &options, NULL, &err),
                           MPLAN_ERR_MESH, &err, "a set must have fewer than 2^31");
            mplan_mesh_free(mesh);
        }
    int64_t lowest = INT32_MIN;
    mplan_mesh *mesh = new_mesh();
    mplan_numbers numbers = numbers_of(&lowest, 1, 1, NARROW);
    assert_refused(mplan_table_from_numbers(mesh, "-", &numbers, &options, NULL, &err),
                   MPLAN_ERR_MESH, &err, "-2147483648 is out of range");
    mplan_mesh_free(mesh);
}

static void test_ragged(void **state)
{
    (void)state;
    static const int64_t offsets[4] = {0, 1, 4, 6}, x[6] = {1, 2, 3, 4, -999, 1};
    static const int32_t expected[6] = {0, 1, 2, 3, -1, 0};
    mplan_error err;
    mplan_table_options options = MPLAN_TABLE_OPTIONS_INIT;
    options.base = 1;
    for (int pass = 0; pass < 3; pass++) {
        mplan_mesh *mesh = new_mesh();
        mplan_numbers numbers = numbers_of(x, 1, 6, NARROW);
        numbers.rows = 3;
        numbers.cols = 0;
        numbers.offsets = malloc(sizeof offsets);
        memcpy(numbers.offsets, offsets, sizeof offsets);
        numbers.ragged_line = 2;
        numbers.ragged_first = 1;
        numbers.ragged_found = 3;
        options.none_below_base = pass != 1;
        options.transposed = pass == 2;
        mplan_status status = mplan_table_from_numbers(mesh, "nodes_cells.txt.gz", &numbers,
                                                       &options, NULL, &err);
        if (pass == 0) {
            assert_done(status, &err);
            mplan_map map = mplan_mesh_map(mesh, 0);
            assert_int_equal(map.arity, 0);
            assert_string_equal(map.name, "nodes_cells");
            assert_memory_equal(map.offsets, offsets, sizeof offsets);
            assert_memory_equal(map.values, expected, sizeof expected);
        } else if (pass == 1) {
            assert_refused(status, MPLAN_ERR_MESH, &err, "row 3, column 1: -999 is out of range");
        } else {
            assert_refused(status, MPLAN_ERR_CORRUPT, &err,
                           "nodes_cells.txt.gz:2: the row has 3 numbers, but the first row has 1");
        }
        mplan_mesh_free(mesh);
    }
}

/* --- names ---------------------------------------------------------------------- */

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *path, *name, *from, *to; /* given */
        const char *map, *from_set, *to_set; /* found */
    } cases[] = {
        {"edges_cells.npy", NULL, NULL, NULL, "edges_cells", "edges", "cells"},
        {"/a_b/c.d/edges_cells.npy.gz", NULL, NULL, NULL, "edges_cells", "edges", "cells"},
        {"boundary_faces_cells.csv", NULL, NULL, NULL, "boundary_faces_cells", "boundary_faces",
         "cells"},
        {"edges.out", NULL, NULL, NULL, "elements_points", "elements", "points"},
        {"-", NULL, NULL, NULL, "elements_points", "elements", "points"},
        {"_cells.txt", NULL, NULL, NULL, "elements_points", "elements", "points"},
        {"edges_.txt", NULL, NULL, NULL, "elements_points", "elements", "points"},
        {"my mesh_x y.txt", NULL, NULL, NULL, "elements_points", "elements", "points"},
        {"2_3.txt", NULL, NULL, NULL, "elements_points", "elements", "points"},
        {"edges_cells.npy", "faces_nodes", NULL, NULL, "faces_nodes", "faces", "nodes"},
        {"edges_cells.npy", "m", NULL, NULL, "m", "edges", "cells"},
        {"x.npy", "m", NULL, NULL, "m", "elements", "points"},
        {"x.npy", "m", "a", "b", "m", "a", "b"},
        {"edges_cells.npy", NULL, "a", NULL, "a_cells", "a", "cells"},
        {"edges_cells.npy", NULL, NULL, "b", "edges_b", "edges", "b"},
        {".npy", NULL, "a", "b", "a_b", "a", "b"},
        {"known_a_b.npy", NULL, NULL, NULL, "known_a_b", "known", "a_b"},
    };
    static const int64_t x[2] = {0, 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mplan_error err;
        mplan_table_options options = MPLAN_TABLE_OPTIONS_INIT;
        mplan_mesh *mesh = new_mesh();
        assert_done(mplan_mesh_add_set(mesh, "known", 1, NULL, &err), &err);
        assert_done(mplan_mesh_add_set(mesh, "a_b", 2, NULL, &err), &err);
        options.name = cases[i].name;
        options.from = cases[i].from;
        options.to = cases[i].to;
        mplan_numbers numbers = numbers_of(x, 1, 2, NARROW);
        assert_done(mplan_table_from_numbers(mesh, cases[i].path, &numbers, &options, NULL, &err),
                    &err);
        mplan_map map = mplan_mesh_map(mesh, 0);
        assert_string_equal(map.name, cases[i].map);
        assert_string_equal(mplan_mesh_set(mesh, map.from).name, cases[i].from_set);
        assert_string_equal(mplan_mesh_set(mesh, map.to).name, cases[i].to_set);
        mplan_mesh_free(mesh);
    }
}

/* --- sizes and refusals ------------------------------------------------------------ */

typedef struct refused_case {
    const char *path;
    int64_t from_size, to_size, base, rows, cols;
    width form;
    mplan_status status;
    const char *part;
} refused_case;

static void test_refused_tables(void **state)
{
    (void)state;
    static const refused_case cases[] = {
        {"edges_cells.npy", -1, -1, 2, 3, 2, NARROW, MPLAN_ERR_ARGUMENT, "must be 0 or 1"},
        {"edges_cells.npy", -1, -1, 0, 2, 3, NARROW, MPLAN_ERR_MESH,
         "the table has 2 rows, but set 'edges' has 3 members"},
        {"edges_cells.npy", 4, -1, 0, 3, 2, NARROW, MPLAN_ERR_MESH,
         "set 'edges' has 3 members, not 4"},
        {"edges_cells.npy", -1, 6, 0, 3, 2, NARROW, MPLAN_ERR_MESH,
         "set 'cells' has 5 members, not 6"},
        {"edges_cells.npy", -1, -1, 0, 3, 2, NARROW, MPLAN_ERR_MESH,
         "edges_cells.npy: row 3, column 2: 5 is out of range: set 'cells' has 5 members, "
         "numbered from 0"},
        {"edges_cells.npy", -1, -1, 1, 3, 2, NARROW, MPLAN_ERR_MESH,
         "row 1, column 1: 0 is out of range: set 'cells' is numbered from 1"},
        {"faces_faces.npy", -1, -1, 0, 3, 2, NARROW, MPLAN_ERR_MESH,
         "row 2, column 2: 3 is out of range: set 'faces' has 3 members"},
        {"faces_faces.npy", -1, 4, 0, 3, 2, NARROW, MPLAN_ERR_MESH, "set 'faces' has 4 members"},
        {"faces_nodes.npy", 4, -1, 0, 3, 2, NARROW, MPLAN_ERR_MESH,
         "the table has 3 rows, but set 'faces' has 4 members"},
        {"faces_nodes.npy", -1, INT32_MAX, 0, 3, 2, NARROW, MPLAN_ERR_ARGUMENT, "below 2^31"},
        {"faces_nodes.npy", -1, -1, 0, 6, 0, NARROW, MPLAN_ERR_MESH, "rows of the table are empty"},
        {"cells_edges.npy", -1, -1, 0, 6, 1, NARROW, MPLAN_ERR_ARGUMENT,
         "already has a map 'cells_edges'"},
    };
    static const int64_t x[6] = {0, 1, 2, 3, 4, 5};
    static const int32_t there[5] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const refused_case *c = &cases[i];
        mplan_error err;
        mplan_table_options options = MPLAN_TABLE_OPTIONS_INIT;
        mplan_mesh *mesh = new_mesh();
        assert_done(mplan_mesh_add_set(mesh, "edges", 3, NULL, &err), &err);
        assert_done(mplan_mesh_add_set(mesh, "cells", 5, NULL, &err), &err);
        assert_done(mplan_mesh_add_map(mesh, "cells_edges", 1, 0, 1, NULL, there, NULL, &err), &err);
        options.from_size = c->from_size;
        options.to_size = c->to_size;
        options.base = c->base;
        mplan_numbers numbers = numbers_of(x, c->rows, c->cols, c->form);
        assert_refused(mplan_table_from_numbers(mesh, c->path, &numbers, &options, NULL, &err),
                       c->status, &err, c->part);
        assert_int_equal(mplan_mesh_n_sets(mesh), 2);
        assert_int_equal(mplan_mesh_n_maps(mesh), 1);
        mplan_mesh_free(mesh);
    }
}

static void test_reals(void **state)
{
    (void)state;
    static const double bad[] = {0.5, 1e300, -1e300, 9007199254740994.0, (double)NAN, -0.25};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mplan_error err;
        mplan_mesh *mesh = new_mesh();
        static const int64_t x[4] = {0, 1, 2, 3};
        mplan_numbers numbers = numbers_of(x, 2, 2, REAL);
        numbers.f64[3] = bad[i];
        assert_refused(mplan_table_from_numbers(mesh, "x", &numbers, NULL, NULL, &err),
                       MPLAN_ERR_MESH, &err, "x: row 2, column 2: ");
        mplan_mesh_free(mesh);
    }
}

static void test_empty(void **state)
{
    (void)state;
    for (width form = NARROW; form <= REAL; form++) {
        mplan_error err;
        mplan_mesh *mesh = new_mesh();
        mplan_numbers numbers = numbers_of(NULL, 0, 2, form);
        assert_done(mplan_table_from_numbers(mesh, "a_b.npy", &numbers, NULL, NULL, &err), &err);
        assert_int_equal(mplan_mesh_set(mesh, 0).size, 0);
        assert_int_equal(mplan_mesh_set(mesh, 1).size, 0);
        assert_int_equal(mplan_mesh_map(mesh, 0).arity, 2);
        mplan_mesh_free(mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_tables),  cmocka_unit_test(test_limits),
        cmocka_unit_test(test_ragged),         cmocka_unit_test(test_names),
        cmocka_unit_test(test_refused_tables), cmocka_unit_test(test_reals),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
