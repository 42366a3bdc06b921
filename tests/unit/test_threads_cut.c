/* SPDX-License-Identifier: Apache-2.0 */
/* test_threads_cut.c - graphs cut by several threads: the parts of one */
#include "graph_cases.h"
#include "support_threads.h"

#include "base/sort.h"
#include "base/threads.h"
#include "partition/partition.h"

/* The graph, in which the first vertex is also joined with one in `step` others: its row is longer than all others, with a small step than tables of several
 * threads may be. */
static mplan_csr add_hub(const mplan_csr *grid, int32_t step)
{
    const int64_t n = grid->n, room = grid->offsets[n] + 2 * n;
    mplan_csr out = {.n = n,
                     .offsets = calloc((size_t)n + 1, sizeof *out.offsets),
                     .neighbours = malloc((size_t)room * sizeof *out.neighbours)};
    int64_t at = 0;
    for (int64_t v = 0; v < n; v++) {
        const int64_t begin = at;
        for (int64_t i = grid->offsets[v]; i < grid->offsets[v + 1]; i++)
            if (v != 0 && grid->neighbours[i] != 0)
                out.neighbours[at++] = grid->neighbours[i];
        for (int64_t w = step; v == 0 && w < n; w += step)
            out.neighbours[at++] = (int32_t)w;
        if (v > 0 && v % step == 0)
            out.neighbours[at++] = 0;
        mplan_sort_i32(out.neighbours + begin, at - begin);
        out.offsets[v + 1] = at;
    }
    return out;
}

static void compare(const mplan_csr *graph, int32_t n_parts, int64_t pieces)
{
    mplan_error err;
    int32_t *part = malloc((size_t)graph->n * 4), *again = malloc((size_t)graph->n * 4);
    assert_done(mplan_partition_bisect(graph, n_parts, 1.02, NULL, part, NULL, &err), &err);
    for (int32_t threads = 2; threads <= 5; threads += 3) {
        mplan_context context = MPLAN_CONTEXT_INIT;
        mplan_threaded own;
        context.threads = threads;
        const mplan_context *with_team = mplan_threaded_open(&context, &own);
        own.team->pieces = pieces;
        memset(again, -1, (size_t)graph->n * 4);
        assert_done(mplan_partition_bisect(graph, n_parts, 1.02, NULL, again, with_team, &err), &err);
        assert_memory_equal(part, again, (size_t)graph->n * 4);
        mplan_threaded_close(&own);
    }
    free(part);
    free(again);
}

/* However many threads there are, and into whatever pieces the edges of coarser graphs are divided. */
static void threads_give_equal_parts(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int32_t i = 0; i < 5; i++) {
        mplan_csr grid = shuffled_box(&seed, 30 + i, 37, 1, FACES),
                  hub = add_hub(&grid, i == 2 ? 2 : 40);
        compare(i % 2 ? &grid : &hub, 2 + 9 * i, 3 + i);
        mplan_csr_free(&grid);
        mplan_csr_free(&hub);
    }
}

/* user: how often it may be asked before the answer is yes. */
static bool said_after(void *user)
{
    int32_t *left = user;
    return (*left)-- <= 0;
}

/* Whenever it comes, an interruption ends the cut as such, and nothing is left behind. */
static void cuts_are_interrupted(void **state)
{
    (void)state;
    uint64_t seed = 12;
    mplan_error err;
    mplan_csr grid = shuffled_box(&seed, 21, 20, 1, FACES);
    int32_t *part = malloc((size_t)grid.n * 4), *again = malloc((size_t)grid.n * 4);
    mplan_status status = MPLAN_ERR_INTERRUPTED;
    assert_done(mplan_partition_bisect(&grid, 8, 1.02, NULL, part, NULL, &err), &err);
    for (int32_t asks = 0; status; asks += 1 + asks / 4) {
        int32_t left = asks;
        mplan_context context = MPLAN_CONTEXT_INIT;
        mplan_threaded own;
        context.user = &left;
        context.cancelled = said_after;
        status = mplan_partition_bisect(&grid, 8, 1.02, NULL, again,
                                        support_threaded_open(&context, &own, 3), &err);
        mplan_threaded_close(&own);
        if (status)
            assert_refused(status, MPLAN_ERR_INTERRUPTED, &err, "interrupted");
        else
            assert_memory_equal(part, again, (size_t)grid.n * 4);
    }
    free(part);
    free(again);
    mplan_csr_free(&grid);
}

/* Pieces that count for each of many lists take no more memory than the things, which are too many to be had here. */
static void counts_of_pieces_are_few(void **state)
{
    static const int64_t things[] = {0, 1, 1000, INT64_C(1) << 24, INT32_MAX};
    static const int64_t lists[] = {1, 7, 1 << 14, 1 << 20, 1 << 24, INT32_MAX};
    mplan_team team;
    (void)state;
    support_team_open(&team, 3);
    for (size_t i = 0; i < sizeof things / sizeof *things; i++)
        for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
            for (int64_t forced = 0; forced < 20; forced += 9) {
                team.pieces = forced;
                const int64_t n = things[i],
                              pieces = mplan_pieces_that_count(&team, n, 1 << 14, lists[k]);
                assert_true(pieces == 1 || (pieces > 1 && pieces * lists[k] <= n));
                assert_true(pieces <= mplan_pieces(&team, n, 1 << 14));
            }
    team.pieces = 0;
    assert_int_equal(mplan_pieces_that_count(&team, INT32_MAX, 1 << 14, 1), INT32_MAX >> 20);
    assert_int_equal(mplan_pieces_that_count(&team, 1 << 20, 1 << 14, 1),
                     mplan_pieces(&team, 1 << 20, 1 << 14)); /* far from the limit */
    mplan_team_close(&team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_give_equal_parts),
                                       cmocka_unit_test(cuts_are_interrupted),
                                       cmocka_unit_test(counts_of_pieces_are_few)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
