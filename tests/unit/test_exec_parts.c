/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec_parts.c - parts of a mesh on any number of ranks, against the mesh's own loops
 *
 * The parts are cut by the plainest code (support_parts.h). Halos that are out of date hold NaN, so that a missing
 * exchange is seen. In whole numbers results must be those of the naive loops; with fractions, equal bits for all ranks. */
#include "support_parts.h"
#include "support_steps.h"

#include "support_test.h"

/* The owner of each member, by a rule that is nobody else's: parts of cells are given by `cut`. */
enum { STRIPES, DICE, ONE_EMPTY };
static void cut_mesh(const support_steps *test, int32_t n_parts, int cut, int32_t *part_of[3])
{
    uint64_t seed = 3;
    for (int32_t s = 0; s < 3; s++) {
        const int64_t n = mplan_mesh_set(test->mesh, s).size;
        part_of[s] = malloc((size_t)n * 4 + 4);
        for (int64_t m = 0; m < n; m++) {
            part_of[s][m] = cut == DICE ? (int32_t)support_random(&seed, n_parts)
                                        : (int32_t)(m * n_parts / n);
            if (cut == ONE_EMPTY && part_of[s][m] == n_parts / 2)
                part_of[s][m] = 0;
        }
    }
}

/* --- runs ------------------------------------------------------------------------------------- */

typedef struct how {
    mplan_executor executor;
    int32_t variant;
    bool overlap, peer, inside;
} how;

static const how hows[] = {
    {MPLAN_EXECUTOR_SERIAL, 0, true, false, false}, {MPLAN_EXECUTOR_HOST, 0, true, false, false},
    {MPLAN_EXECUTOR_HOST, 0, false, false, false},  {MPLAN_EXECUTOR_HOST, 1, true, false, false},
    {MPLAN_EXECUTOR_OPENMP, 0, true, false, false}, {MPLAN_EXECUTOR_HOST, 0, true, true, false},
    {MPLAN_EXECUTOR_HOST, 0, false, true, false},   {MPLAN_EXECUTOR_HOST, 0, true, true, true}};
static const int32_t devices[16] = {3, 1, 2, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const int32_t rank_counts[] = {1, 2, 3, 4, 8, 16};
enum { N_HOWS = sizeof hows / sizeof *hows, N_RANKS = sizeof rank_counts / sizeof *rank_counts };

/* Every way to run on every number of ranks; `expected` NULL: what the first number gives. */
static void compare_ranks(const support_steps *test, const support_parts *parts,
                          const steps_result *expected)
{
    for (int h = 0; h < N_HOWS; h++) {
        steps_result first = {{NULL}, 0, 0, {0, 0}};
        for (int k = 0; k < N_RANKS && rank_counts[k] <= parts->n_parts; k++) {
            mplan_rank_options ranks = MPLAN_RANK_OPTIONS_INIT;
            steps_result own;
            ranks.ranks = rank_counts[k];
            ranks.poison = true;
            ranks.overlap = hows[h].overlap;
            ranks.devices = hows[h].peer ? devices : NULL;
            ranks.inside = hows[h].inside;
            mplan_exec *exec = support_parts_open(parts, NULL, hows[h].executor, &ranks);
            support_steps_run(test, exec, hows[h].variant, &own);
            mplan_exec_close(exec);
            support_steps_equal(test, &own, expected ? expected : k == 0 ? &own : &first);
            if (k == 0)
                first = own;
            else
                support_steps_release(&own);
        }
        support_steps_release(&first);
    }
}

static void over_ranks(int32_t nx, int32_t ny, int32_t n_parts, int cut, bool whole)
{
    support_steps test;
    support_parts parts;
    steps_result expected;
    int32_t *part_of[3];
    support_steps_make(nx, ny, whole, &test);
    cut_mesh(&test, n_parts, cut, part_of);
    support_parts_make(test.mesh, N_LOOPS, test.loops, n_parts, part_of, &parts);
    support_steps_naive(&test, &expected);
    compare_ranks(&test, &parts, whole ? &expected : NULL);
    support_steps_release(&expected);
    support_parts_free(&parts);
    for (int s = 0; s < 3; s++)
        free(part_of[s]);
    support_steps_free(&test);
}

/* Whole numbers: sums are exact in any order. */
static void results_are_those_of_the_mesh(void **state)
{
    (void)state;
    over_ranks(13, 11, 16, STRIPES, true);
    over_ranks(9, 7, 5, DICE, true);
    over_ranks(30, 4, 4, STRIPES, true);
    over_ranks(6, 5, 3, ONE_EMPTY, true);
    over_ranks(1, 1, 8, STRIPES, true); /* more parts than cells, sets without members */
}

static void bits_do_not_depend_on_ranks(void **state)
{
    (void)state;
    over_ranks(13, 11, 16, STRIPES, false);
    over_ranks(9, 7, 16, DICE, false);
}

/* --- canonical order ------------------------------------------------------------------------- */

/* What is written in canonical order by one number of ranks is read by another; ids say which member a row is of. */
static void restart_files_are_independent_of_ranks(void **state)
{
    (void)state;
    mplan_error err;
    support_steps test;
    support_parts parts;
    int32_t *part_of[3];
    support_steps_make(8, 6, false, &test);
    cut_mesh(&test, 6, STRIPES, part_of);
    support_parts_make(test.mesh, N_LOOPS, test.loops, 6, part_of, &parts);
    const int64_t n = support_steps_size(test.mesh, HEAT);
    double *rows = malloc((size_t)n * 16), *back = malloc((size_t)n * 16);
    int64_t *ids = malloc((size_t)n * 8), first, end;
    mplan_rank_options ranks = MPLAN_RANK_OPTIONS_INIT;
    for (int32_t k = 1; k <= 3; k++) {
        ranks.ranks = k;
        mplan_exec *exec = support_parts_open(&parts, NULL, MPLAN_EXECUTOR_HOST, &ranks);
        assert_done(mplan_exec_declare_all(exec, &err), &err);
        assert_done(mplan_exec_own_range(exec, "cells", &first, &end, &err), &err);
        assert_int_equal(first, 0);
        assert_int_equal(end, n);
        assert_done(mplan_exec_own_ids(exec, "cells", ids, n, &err), &err);
        if (k == 1) {
            assert_done(mplan_exec_upload(exec, "heat", test.start.rows[HEAT], n, 2, MPLAN_TYPE_F64,
                                          &err),
                        &err);
            assert_done(mplan_exec_download_own(exec, "heat", rows, n, 2, MPLAN_TYPE_F64, &err),
                        &err);
            for (int64_t i = 0; i < n; i++)
                assert_memory_equal(rows + 2 * i, test.start.rows[HEAT] + 16 * ids[i], 16);
        } else {
            assert_done(mplan_exec_upload_own(exec, "heat", rows, n, 2, MPLAN_TYPE_F64, &err), &err);
            assert_done(mplan_exec_download(exec, "heat", back, n, 2, MPLAN_TYPE_F64, &err), &err);
            assert_memory_equal(back, test.start.rows[HEAT], (size_t)n * 16);
        }
        assert_refused(mplan_exec_upload_own(exec, "heat", rows, n - 1, 2, MPLAN_TYPE_F64, &err),
                       MPLAN_ERR_ARGUMENT, &err, "rows");
        mplan_exec_close(exec);
    }
    free(rows);
    free(back);
    free(ids);
    support_parts_free(&parts);
    for (int s = 0; s < 3; s++)
        free(part_of[s]);
    support_steps_free(&test);
}

/* --- exchanges -------------------------------------------------------------------------------- */

/* A dat is exchanged once after it was written, whoever asks; one message each way between neighbours. */
static void only_stale_halos_travel(void **state)
{
    (void)state;
    mplan_error err;
    support_steps test;
    support_parts parts;
    int32_t *part_of[3];
    support_steps_make(12, 4, false, &test);
    cut_mesh(&test, 2, STRIPES, part_of);
    support_parts_make(test.mesh, N_LOOPS, test.loops, 2, part_of, &parts);
    mplan_rank_options ranks = MPLAN_RANK_OPTIONS_INIT;
    ranks.ranks = 2;
    mplan_exec *exec = support_parts_open(&parts, NULL, MPLAN_EXECUTOR_HOST, &ranks);
    mplan_exec_loop *slope;
    mplan_exchange_figures f;
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_done(mplan_exec_upload(exec, "heat", test.start.rows[HEAT],
                                  support_steps_size(test.mesh, HEAT), 2, MPLAN_TYPE_F64, &err),
                &err);
    assert_done(mplan_exec_bind(exec, "parts_slope", 0, support_steps_kernels[0], &slope, &err),
                &err);
    for (int i = 0; i < 2; i++) {
        assert_done(mplan_exec_launch(exec, slope, NULL, NULL, &err), &err);
        assert_done(mplan_exec_exchanged(exec, &f, &err), &err);
        assert_int_equal(f.exchanges, 1);
        assert_int_equal(f.messages, 2);
        assert_string_equal(f.transport, "local");
    }
    const char *const both[] = {"heat", "load"};
    assert_done(mplan_exec_exchange_begin(exec, both, 2, NULL, &err), &err);
    assert_refused(mplan_exec_exchange_begin(exec, both, 2, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "has begun");
    assert_done(mplan_exec_exchange_end(exec, NULL, &err), &err);
    assert_refused(mplan_exec_exchange_end(exec, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "no exchange");
    assert_done(mplan_exec_exchanged(exec, &f, &err), &err);
    assert_int_equal(f.exchanges, 2); /* of load only: heat was not written since */
    assert_int_equal(f.messages, 4);
    mplan_exec_close(exec);
    support_parts_free(&parts);
    for (int s = 0; s < 3; s++)
        free(part_of[s]);
    support_steps_free(&test);
}

/* With a part for each rank the loop's own kernel exchanges; with several parts on a rank, or without overlap, kernels of
 * messages do. An exchange that the caller begins is of the second kind, and the next of the first: numbers of messages go on. */
static void exchanges_are_inside_where_they_can(void **state)
{
    (void)state;
    mplan_error err;
    support_steps test;
    support_parts parts;
    int32_t *part_of[3];
    support_steps_make(12, 6, false, &test);
    cut_mesh(&test, 3, STRIPES, part_of);
    support_parts_make(test.mesh, N_LOOPS, test.loops, 3, part_of, &parts);
    for (int way = 0; way < 3; way++) {
        mplan_rank_options ranks = MPLAN_RANK_OPTIONS_INIT;
        ranks.ranks = way == 1 ? 2 : 3;
        ranks.devices = devices;
        ranks.inside = true;
        ranks.overlap = way != 2;
        ranks.poison = true;
        mplan_exec *exec = support_parts_open(&parts, NULL, MPLAN_EXECUTOR_HOST, &ranks);
        mplan_exec_loop *slope;
        mplan_exchange_figures f;
        const char *const heat[] = {"heat"};
        assert_done(mplan_exec_declare_all(exec, &err), &err);
        assert_done(mplan_exec_bind(exec, "parts_slope", 0, support_steps_kernels[0], &slope, &err),
                    &err);
        for (int i = 0; i < 40; i++) { /* more often than there are rooms and tables */
            assert_done(mplan_exec_upload(exec, "heat", test.start.rows[HEAT],
                                          support_steps_size(test.mesh, HEAT), 2, MPLAN_TYPE_F64,
                                          &err),
                        &err);
            if (i % 4 == 3) {
                assert_done(mplan_exec_exchange_begin(exec, heat, 1, NULL, &err), &err);
                assert_done(mplan_exec_exchange_end(exec, NULL, &err), &err);
            }
            assert_done(mplan_exec_launch(exec, slope, NULL, NULL, &err), &err);
        }
        assert_done(mplan_exec_exchanged(exec, &f, &err), &err);
        assert_string_equal(f.transport, way == 0 ? "peer-inside, emulated in host memory"
                                                  : "peer, emulated in host memory");
        assert_int_equal(f.exchanges, 40);
        assert_int_equal(f.inside, way == 0 ? 30 : 0);
        assert_int_equal(f.messages, 40 * (way == 1 ? 2 : 4));
        mplan_exec_close(exec);
    }
    support_parts_free(&parts);
    for (int s = 0; s < 3; s++)
        free(part_of[s]);
    support_steps_free(&test);
}

/* --- refusals ----------------------------------------------------------------------------------- */

static mplan_status no_record(void *user, void *stream, mplan_error *err)
{
    (void)user, (void)stream, (void)err;
    return MPLAN_OK;
}

static void what_parts_cannot_do_is_refused(void **state)
{
    (void)state;
    mplan_error err;
    support_steps test;
    support_parts parts;
    int32_t *part_of[3], part = -1;
    support_steps_make(5, 4, false, &test);
    cut_mesh(&test, 3, STRIPES, part_of);
    support_parts_make(test.mesh, N_LOOPS, test.loops, 3, part_of, &parts);
    mplan_exec *exec = support_parts_open(&parts, NULL, MPLAN_EXECUTOR_HOST,
                                          &(mplan_rank_options)MPLAN_RANK_OPTIONS_INIT);
    mplan_exec_graph *graph;
    mplan_dat_view view;
    int64_t times;
    double sum;
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_refused(mplan_exec_data(exec, "heat", MPLAN_READ, &view, &err), MPLAN_ERR_UNSUPPORTED,
                   &err, "one plan");
    assert_refused(mplan_exec_written(exec, "heat", &times, &err), MPLAN_ERR_UNSUPPORTED, &err,
                   "one plan");
    assert_refused(mplan_exec_capture(exec, no_record, NULL, &graph, &err), MPLAN_ERR_UNSUPPORTED,
                   &err, "only cuda can");
    assert_refused(mplan_exec_upload(exec, "heat", test.start.rows[HEAT], 3, 2, MPLAN_TYPE_F64, &err),
                   MPLAN_ERR_ARGUMENT, &err, "20 rows");
    assert_refused(mplan_exec_reduce(exec, "none", 0, MPLAN_SUM, &sum, &err), MPLAN_ERR_ARGUMENT,
                   &err, "not declared");
    assert_non_null(mplan_exec_part(exec, 2, &part));
    assert_int_equal(part, 2);
    assert_null(mplan_exec_part(exec, 3, &part));
    mplan_exec_close(exec);
    support_parts_free(&parts);
    for (int s = 0; s < 3; s++)
        free(part_of[s]);
    support_steps_free(&test);
}

/* Ranks need devices of their own, and a transport brings its own way. */
static void devices_are_checked(void **state)
{
    (void)state;
    mplan_error err;
    support_steps test;
    support_parts parts;
    int32_t *part_of[3];
    const int32_t twice[3] = {0, 1, 0}, apart[3] = {2, 1, 0};
    support_steps_make(5, 4, false, &test);
    cut_mesh(&test, 3, STRIPES, part_of);
    support_parts_make(test.mesh, N_LOOPS, test.loops, 3, part_of, &parts);
    mplan_rank_options ranks = MPLAN_RANK_OPTIONS_INIT;
    mplan_exec *exec = NULL;
    ranks.ranks = 3;
    ranks.devices = twice;
    assert_refused(support_parts_try(&parts, NULL, MPLAN_EXECUTOR_HOST, &ranks, &exec, &err),
                   MPLAN_ERR_ARGUMENT, &err, "ranks 0 and 2 are both to run on device 0");
    ranks.devices = apart;
    assert_done(support_parts_try(&parts, NULL, MPLAN_EXECUTOR_HOST, &ranks, &exec, &err), &err);
    mplan_exchange_figures f;
    const char *const heat[] = {"heat"};
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_done(mplan_exec_exchange_begin(exec, heat, 1, NULL, &err), &err);
    assert_done(mplan_exec_exchange_end(exec, NULL, &err), &err);
    assert_done(mplan_exec_exchanged(exec, &f, &err), &err);
    assert_string_equal(f.transport, "peer-inside, emulated in host memory"); /* the default */
    assert_int_equal(f.messages, 4); /* stripes: the middle one has two neighbours */
    mplan_exec_close(exec);
    support_parts_free(&parts);
    for (int s = 0; s < 3; s++)
        free(part_of[s]);
    support_steps_free(&test);
}

/* A sum of a dat has the same bits on any number of ranks. */
static void reductions_do_not_depend_on_ranks(void **state)
{
    (void)state;
    mplan_error err;
    support_steps test;
    support_parts parts;
    int32_t *part_of[3];
    double first = 0, most = 0;
    support_steps_make(40, 30, false, &test);
    cut_mesh(&test, 7, STRIPES, part_of);
    support_parts_make(test.mesh, N_LOOPS, test.loops, 7, part_of, &parts);
    const double *heat = (const double *)(const void *)test.start.rows[HEAT];
    for (int64_t i = 0; i < support_steps_size(test.mesh, HEAT); i++)
        most = heat[2 * i + 1] > most ? heat[2 * i + 1] : most;
    for (int32_t k = 1; k <= 7; k++) {
        mplan_rank_options ranks = MPLAN_RANK_OPTIONS_INIT;
        ranks.ranks = k;
        ranks.poison = true;
        mplan_exec *exec = support_parts_open(&parts, NULL, MPLAN_EXECUTOR_HOST, &ranks);
        double sum = 0, greatest = 0;
        assert_done(mplan_exec_declare_all(exec, &err), &err);
        assert_done(mplan_exec_upload(exec, "heat", heat, support_steps_size(test.mesh, HEAT), 2,
                                      MPLAN_TYPE_F64, &err),
                    &err);
        assert_done(mplan_exec_reduce(exec, "heat", 1, MPLAN_SUM, &sum, &err), &err);
        assert_done(mplan_exec_reduce(exec, "heat", 1, MPLAN_MAX, &greatest, &err), &err);
        first = k == 1 ? sum : first;
        assert_memory_equal(&sum, &first, sizeof sum);
        assert_memory_equal(&greatest, &most, sizeof most);
        mplan_exec_close(exec);
    }
    support_parts_free(&parts);
    for (int s = 0; s < 3; s++)
        free(part_of[s]);
    support_steps_free(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_the_mesh),
        cmocka_unit_test(bits_do_not_depend_on_ranks),
        cmocka_unit_test(restart_files_are_independent_of_ranks),
        cmocka_unit_test(only_stale_halos_travel),
        cmocka_unit_test(exchanges_are_inside_where_they_can),
        cmocka_unit_test(reductions_do_not_depend_on_ranks),
        cmocka_unit_test(what_parts_cannot_do_is_refused),
        cmocka_unit_test(devices_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
