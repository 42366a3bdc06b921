/* SPDX-License-Identifier: Apache-2.0 */
/* test_parts.c - bundles that the planner makes, run by any number of ranks
 *
 * Halos that are out of date hold NaN. In whole numbers results must be those of the naive loops, for every strategy and
 * partitioner; with fractions, equal bits for all ranks, and in the order of the mesh those of a plan without parts. */
#include "support_run_parts.h"
#include "support_test.h"

#include <unistd.h>

#include "exec/meshplan_ranks.h"
#include "mesh/mesh.h"
#include "plan/plan.h"

static char bundle_path[64];

static int make_path(void **state)
{
    (void)state;
    snprintf(bundle_path, sizeof bundle_path, "test_parts.%ld.mplans", (long)getpid());
    return 0;
}

static int remove_path(void **state)
{
    (void)state;
    unlink(bundle_path);
    return 0;
}

/* --- runs ---------------------------------------------------------------------------------- */

/* All numbers of ranks give `expected`, or NULL: what one rank gives. */
static void compare_ranks(const support_steps *test, int32_t n_parts, const steps_result *expected)
{
    static const int32_t counts[] = {1, 2, 3, 4, 8, 16, 64};
    steps_result first;
    for (size_t k = 0; k < sizeof counts / sizeof *counts && counts[k] <= n_parts; k++)
        for (int overlap = 0; overlap < 2; overlap++) {
            steps_result own;
            support_steps_in_parts(bundle_path, test, counts[k],
                                   expected && k % 2 ? MPLAN_EXECUTOR_SERIAL : MPLAN_EXECUTOR_HOST,
                                   overlap, &own, NULL);
            if (k == 0 && !overlap)
                first = own;
            support_steps_equal(test, &own, expected ? expected : &first);
            if (k > 0 || overlap)
                support_steps_release(&own);
        }
    support_steps_release(&first);
}

/* --- every strategy and partitioner ------------------------------------------------------------ */

typedef struct way {
    const char *strategy, *partitioner, *order;
    bool rows; /* sums in the order of the mesh: by owners, but for the loop that counts its runs */
} way;
static const way ways[] = {{NULL, "auto", "auto", false},
                           {NULL, "none", "renumbered", true},
                           {NULL, "native", "lexicographic", true},
                           {"two-step", "none", "auto", false},
                           {"two-step", "native", "lexicographic", false},
                           {"block-gather", "native", "auto", false},
                           {"block-gather", "metis", "count", false},
                           {"block-colour", "native", "lines", false},
                           {"block-colour", "hilbert", "auto", false},
                           {"global-colour", "none", "auto", false},
                           {"atomic", "scotch", "auto", false}};
enum { N_WAYS = sizeof ways / sizeof *ways };

static bool has_library(const char *name)
{
    for (int32_t i = 0; mplan_library(i); i++)
        if (strncmp(mplan_library(i), name, strlen(name)) == 0)
            return true;
    return false;
}

/* False: this build cannot. Hilbert needs coordinates, which these meshes lack. */
static bool take_way(const way *w, mplan_plan_options *options)
{
    *options = (mplan_plan_options)MPLAN_PLAN_OPTIONS_INIT;
    options->block_size = 32;
    options->sums_order = w->rows ? MPLAN_SUMS_ORDER_MESH : MPLAN_SUMS_ORDER_AUTO;
    options->sums = MPLAN_SUMS_PARTIAL;
    if (w->strategy) {
        assert_true(mplan_strategy_from(w->strategy, &options->strategies[0]));
        options->n_strategies = 1;
    }
    if (strcmp(w->partitioner, "auto") != 0)
        assert_true(mplan_partitioner_from(w->partitioner, &options->partitioner));
    if (strcmp(w->order, "auto") != 0)
        assert_true(mplan_point_order_from(w->order, &options->point_order));
    return options->partitioner == MPLAN_PARTITIONER_METIS    ? has_library("metis")
           : options->partitioner == MPLAN_PARTITIONER_SCOTCH ? has_library("scotch")
                                                              : true;
}

static void give_coordinates(support_steps *test, int32_t nx, int32_t ny)
{
    mplan_error err;
    const int64_t n = (int64_t)(nx + 1) * (ny + 1);
    double *xy = malloc((size_t)n * 16);
    for (int64_t i = 0; i < n; i++) {
        xy[2 * i] = (double)(i % (nx + 1));
        xy[2 * i + 1] = (double)(i / (nx + 1));
    }
    assert_done(mplan_mesh_set_coordinates(test->mesh, 2, 2, xy, &err), &err);
    free(xy);
}

/* The ways of builds that try a share begin at other places. */
static void every_way(int32_t nx, int32_t ny, int32_t n_parts, bool whole)
{
    const int share = whole ? 2 : 4;
    for (int w = support_first(share); w < N_WAYS; w += support_every(share)) {
        support_steps test;
        steps_result expected;
        mplan_plan_options options;
        mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
        how.n_parts = n_parts;
        if (!take_way(&ways[w], &options) ||
            (!whole && ways[w].strategy && strcmp(ways[w].strategy, "atomic") == 0))
            continue;
        support_steps_make(nx, ny, whole, &test);
        give_coordinates(&test, nx, ny);
        support_steps_bundle(bundle_path, &test, &options, &how, 1);
        support_steps_naive(&test, &expected);
        compare_ranks(&test, n_parts, whole ? &expected : NULL);
        support_steps_release(&expected);
        support_steps_free(&test);
    }
}

static void results_are_those_of_the_mesh(void **state)
{
    (void)state;
    every_way(26, 22, 4, true);
    every_way(9, 7, 5, true);
    every_way(30, 4, 3, true);
}

static void empty_parts_do_nothing(void **state)
{
    (void)state;
    every_way(2, 2, 8, true); /* more parts than cells */
    every_way(1, 1, 3, true); /* and without faces */
    every_way(5, 1, 1, true); /* nobody has neighbours */
}

static void bits_do_not_depend_on_ranks(void **state)
{
    (void)state;
    every_way(26, 22, 16, false);
    every_way(40, 30, 64, false);
}

/* --- the order of the mesh ----------------------------------------------------------------------- */

/* Sums of dats only: those of globals go by parts. */
static void equal_dats(const support_steps *test, const steps_result *a, const steps_result *b)
{
    for (int d = 0; d < N_DATS; d++)
        assert_memory_equal(a->rows[d], b->rows[d],
                            (size_t)(support_steps_size(test->mesh, d) * support_steps_dats[d].dim) *
                                mplan_type_size(support_steps_dats[d].type));
}

static void mesh_order_has_the_bits_of_plans_without_parts(void **state)
{
    (void)state;
    static const int32_t counts[] = {1, 2, 7, 64};
    mplan_error err;
    for (int two_step = 0; two_step < 2; two_step++) { /* or by owners, where the loop may */
        support_steps test;
        steps_result whole;
        mplan_plan *plan;
        mplan_exec *exec;
        mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
        mplan_exec_options run = MPLAN_EXEC_OPTIONS_INIT;
        support_steps_make(40, 30, false, &test);
        options.sums_order = MPLAN_SUMS_ORDER_MESH;
        options.n_strategies = two_step;
        options.strategies[0] = MPLAN_STRATEGY_TWO_STEP;
        run.executor = MPLAN_EXECUTOR_HOST;
        assert_done(mplan_plan_create(test.mesh, N_LOOPS, test.loops, &options, NULL, &plan, &err),
                    &err);
        assert_int_equal(mplan_plan_get_loop(plan, 3)->variants[0].strategy,
                         two_step ? MPLAN_STRATEGY_TWO_STEP : MPLAN_STRATEGY_OWNER_GATHER);
        assert_done(mplan_exec_open(plan, &run, &exec, &err), &err);
        support_steps_run(&test, exec, 0, &whole);
        mplan_exec_close(exec);
        mplan_plan_free(plan);
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
            steps_result own;
            how.n_parts = counts[k];
            support_steps_bundle(bundle_path, &test, &options, &how, 1);
            support_steps_in_parts(bundle_path, &test, counts[k] < 8 ? counts[k] : 8,
                                   MPLAN_EXECUTOR_HOST, true, &own, NULL);
            equal_dats(&test, &own, &whole);
            support_steps_release(&own);
        }
        support_steps_release(&whole);
        support_steps_free(&test);
    }
}

/* --- shapes of maps -------------------------------------------------------------------------- */

/* Random ragged rows to two sets, one of which a third set leads to; `hub` points get all rows' first entries. */
static mplan_mesh *make_ragged(uint64_t seed, int64_t n, int64_t hub)
{
    mplan_error err;
    mplan_mesh *mesh;
    const int64_t points = n / 2 + 1;
    int64_t *offsets = calloc((size_t)n + 1, sizeof *offsets);
    int32_t *values = malloc((size_t)n * 8 * sizeof *values), *pairs = malloc((size_t)n * 8);
    int32_t *back = malloc((size_t)points * 4 * sizeof *back);
    for (int64_t e = 0; e < n; e++) {
        const int64_t length = support_random(&seed, 5) + (hub > 0);
        for (int64_t k = 0; k < length; k++)
            values[offsets[e] + k] = (int32_t)(k == 0 && hub > 0
                                                   ? e % hub
                                                   : (e / 2 + support_random(&seed, 9)) % points);
        offsets[e + 1] = offsets[e] + length;
        pairs[2 * e] = (int32_t)(e / 2);
        pairs[2 * e + 1] = (int32_t)((e / 2 + 1) % points);
    }
    for (int64_t p = 0; p < points * 4; p++)
        back[p] = (int32_t)((p / 4 * 2 + support_random(&seed, 7)) % n);
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "edges", n, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "points", points, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "rows", 0, 1, 0, offsets, values, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "pairs", 0, 1, 2, NULL, pairs, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "back", 1, 0, 4, NULL, back, NULL, &err), &err);
    free(offsets);
    free(values);
    free(pairs);
    free(back);
    return mesh;
}

/* Parts of such meshes are proved beside them: loops to both sets, with rows of any length, and hubs over all parts. */
static void odd_maps_are_proved(void **state)
{
    (void)state;
    const mplan_arg sums[] = {
        {.dat = "x", .map = "rows", .access = MPLAN_INC, .dim = 1, .type = MPLAN_TYPE_F64},
        {.dat = "y", .map = NULL, .access = MPLAN_READ, .dim = 2, .type = MPLAN_TYPE_F64}};
    const mplan_arg flux[] = {
        {.dat = "x", .map = "pairs", .access = MPLAN_INC, .dim = 1, .type = MPLAN_TYPE_F64},
        {.dat = "z", .map = "rows", .access = MPLAN_READ, .dim = 1, .type = MPLAN_TYPE_F32}};
    const mplan_arg give[] = {
        {.dat = "y", .map = "back", .access = MPLAN_INC, .dim = 2, .type = MPLAN_TYPE_F64},
        {.dat = "x", .map = NULL, .access = MPLAN_READ, .dim = 1, .type = MPLAN_TYPE_F64}};
    const mplan_loop loops[] = {
        {.name = "sums", .over = "edges", .calls = 1, .n_args = 2, .args = sums},
        {.name = "flux", .over = "edges", .calls = 2, .n_args = 2, .args = flux},
        {.name = "give", .over = "points", .calls = 1, .n_args = 2, .args = give}};
    static const int32_t counts[] = {1, 3, 7, 40};
    mplan_error err;
    for (int i = 0; i < 12; i++) {
        mplan_mesh *mesh = make_ragged((uint64_t)i + 1, i == 11 ? 20000 : 30 + 25 * i, i % 3);
        mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
        mplan_parts *parts;
        how.n_parts = counts[i % 4];
        assert_done(mplan_parts_create(mesh, 3, loops, NULL, &how, NULL, &parts, &err), &err);
        assert_done(mplan_parts_write(parts, bundle_path, NULL, NULL, NULL, &err), &err);
        mplan_parts_free(parts);
        support_steps_prove(bundle_path, mesh);
        mplan_mesh_free(mesh);
    }
}

/* --- the order inside parts -------------------------------------------------------------------------- */

/* The set that is renumbered has no coordinates of its own: cells of faces have their nodes, faces of cells are two maps away. */
static void parts_are_ordered_by_centroids(void **state)
{
    (void)state;
    static const char *const over[] = {"faces", "cells"}, *const map[] = {"faces_cells",
                                                                          "cells_faces"};
    for (int k = 0; k < 2; k++) {
        const mplan_arg inc = {.dat = "x",
                               .map = map[k],
                               .access = MPLAN_INC,
                               .dim = 1,
                               .type = MPLAN_TYPE_F64,
                               .none = MPLAN_NONE_SKIP};
        const mplan_loop loop = {
            .name = "sums", .over = over[k], .calls = 1, .n_args = 1, .args = &inc};
        mplan_generate_options shape = MPLAN_GENERATE_OPTIONS_INIT;
        mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
        mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
        mplan_error err;
        mplan_mesh *mesh;
        mplan_plan *whole, *part;
        options.renumber = MPLAN_RENUMBER_HILBERT; /* auto looks at each part by itself */
        mplan_parts *parts;
        shape.shape = MPLAN_SHAPE_TET;
        shape.size[0] = shape.size[1] = shape.size[2] = 6;
        shape.shuffle = true;
        assert_done(mplan_mesh_generate(&shape, NULL, &mesh, &err), &err);
        assert_done(mplan_mesh_derive(mesh, "faces_cells", NULL, &err), &err);
        assert_done(mplan_plan_create(mesh, 1, &loop, &options, NULL, &whole, &err), &err);
        for (how.n_parts = 1; how.n_parts <= 3; how.n_parts += 2) {
            assert_done(mplan_parts_create(mesh, 1, &loop, &options, &how, NULL, &parts, &err), &err);
            for (int32_t p = 0; p < how.n_parts; p++) {
                assert_done(mplan_parts_plan(parts, p, NULL, &part, &err), &err);
                for (int32_t s = 0; s < mplan_plan_n_sets(whole); s++) {
                    const mplan_key key = mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, s);
                    int64_t rows[2] = {0, 0};
                    const void *a = mplan_plan_data(whole, key, MPLAN_TYPE_I32, &rows[0]);
                    const void *b = mplan_plan_data(part, key, MPLAN_TYPE_I32, &rows[1]);
                    assert_int_equal(mplan_plan_get_set(part, s)->renumber,
                                     mplan_plan_get_set(whole, s)->renumber);
                    if (how.n_parts > 1)
                        continue;
                    assert_int_equal(rows[0], rows[1]);
                    assert_memory_equal(a, b, (size_t)rows[0] * sizeof(int32_t));
                }
                mplan_plan_free(part);
            }
            mplan_parts_free(parts);
        }
        mplan_plan_free(whole);
        mplan_mesh_free(mesh);
    }
}

/* --- bytes ------------------------------------------------------------------------------------------ */

static char *read_file(size_t *size)
{
    FILE *file = fopen(bundle_path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

/* The bundle by one thread and by several, which divide the work of a part or, where there are 16 and more, plan several parts
 * at a time. */
static void compare_threads(int32_t n_parts, int32_t step)
{
    support_steps test;
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    char *first = NULL;
    size_t first_size = 0;
    how.n_parts = n_parts;
    support_steps_make(50, 40, false, &test);
    for (int32_t threads = 1; threads <= 4; threads += step) {
        size_t size;
        support_steps_bundle(bundle_path, &test, NULL, &how, threads);
        char *bytes = read_file(&size);
        if (!first) {
            first = bytes;
            first_size = size;
            continue;
        }
        assert_int_equal(size, first_size);
        assert_memory_equal(bytes, first, size);
        free(bytes);
    }
    free(first);
    support_steps_free(&test);
}

static void bytes_do_not_depend_on_threads(void **state)
{
    (void)state;
    compare_threads(6, 1);
    compare_threads(37, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_the_mesh),
        cmocka_unit_test(empty_parts_do_nothing),
        cmocka_unit_test(bits_do_not_depend_on_ranks),
        cmocka_unit_test(mesh_order_has_the_bits_of_plans_without_parts),
        cmocka_unit_test(odd_maps_are_proved),
        cmocka_unit_test(parts_are_ordered_by_centroids),
        cmocka_unit_test(bytes_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
