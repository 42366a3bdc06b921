/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of levels, orders by group and transposed maps: threads give what one thread gives, and that is what it should be. */
#include <stdlib.h>
#include <string.h>

#include "mesh/adjacency.h"
#include "order/components.h"
#include "order/level_major.h"
#include "order/levels.h"
#include "support_test.h"

enum { SETS = 3, MAPS = 4 };

/* Maps between three sets: two sets that two maps join, one set by itself, and both ways. */
static void random_composite(uint64_t *seed, mplan_map *maps, int64_t *size)
{
    static const int32_t ends[MAPS][2] = {{0, 1}, {1, 1}, {2, 1}, {1, 0}};
    for (int32_t s = 0; s < SETS; s++)
        size[s] = 1 + support_random(seed, 40);
    for (int32_t m = 0; m < MAPS; m++) {
        maps[m] = support_random_map(seed, size[ends[m][0]], size[ends[m][1]],
                                     1 + (int32_t)support_random(seed, 3), 10);
        maps[m].from = ends[m][0];
        maps[m].to = ends[m][1];
    }
}

static void groups_by_threads(void **state)
{
    (void)state;
    uint64_t seed = 3;
    mplan_error err;
    for (int round = 0; round < 300; round++) {
        mplan_map maps[MAPS];
        int64_t size[SETS];
        mplan_level_groups one, many;
        mplan_threaded threads;
        mplan_context context = MPLAN_CONTEXT_INIT;
        random_composite(&seed, maps, size);
        const mplan_composite graph = {SETS, 1 + round % MAPS, size, maps};
        context.threads = 3;
        const mplan_context *by = mplan_threaded_open(&context, &threads);
        threads.team->pieces = 2 + round % 7;
        const int32_t together = 1 + round % 4;
        const int64_t groups = 1 + round % 3;
        assert_done(mplan_order_level_groups(&graph, 1, 3, together, groups, &one, NULL, &err), &err);
        assert_done(mplan_order_level_groups(&graph, 1, 3, together, groups, &many, by, &err), &err);
        assert_int_equal(one.n, many.n);
        assert_memory_equal(one.ends, many.ends, (size_t)one.n * sizeof *one.ends);
        assert_memory_equal(one.group, many.group,
                            (size_t)(size[0] + size[1] + size[2]) * sizeof *one.group);
        /* a row joins members of one group or of two that follow each other, as levels do */
        for (int32_t m = 0; m < graph.n_maps; m++)
            for (int64_t e = 0; e < maps[m].n_rows; e++) {
                int32_t n;
                const int32_t *row = mplan_map_row(&maps[m], e, &n);
                for (int32_t k = 0; k < n; k++) {
                    const int64_t to = maps[m].to == 0 ? 0 : size[0], from = maps[m].from == 0 ? 0
                                                                             : maps[m].from == 1
                                                                                 ? size[0]
                                                                                 : size[0] + size[1];
                    if (row[k] >= 0)
                        assert_true(abs(one.group[from + e] - one.group[to + row[k]]) <= 1);
                }
            }
        mplan_level_groups_free(&one);
        mplan_level_groups_free(&many);
        mplan_threaded_close(&threads);
        for (int32_t m = 0; m < MAPS; m++)
            support_map_free(&maps[m]);
    }
}

/* Level by level, then so many together as leave enough groups: only the last group may have fewer. */
static void levels_together(void **state)
{
    (void)state;
    uint64_t seed = 5;
    mplan_error err;
    for (int32_t round = 0; round < 200; round++) {
        mplan_map maps[MAPS];
        int64_t size[SETS];
        mplan_level_groups one, some;
        random_composite(&seed, maps, size);
        const mplan_composite graph = {SETS, MAPS, size, maps};
        const int32_t together = 1 + round % 5;
        const int64_t groups = 1 + round % 7;
        assert_done(mplan_order_level_groups(&graph, 1, 1, 1, 1, &one, NULL, &err), &err);
        assert_done(mplan_order_level_groups(&graph, 1, 1, together, groups, &some, NULL, &err),
                    &err);
        int64_t own = together < one.n / groups ? together : one.n / groups;
        own = own < 1 ? 1 : own;
        assert_int_equal(some.n, (one.n + own - 1) / own);
        for (int64_t g = 0; g < some.n; g++)
            assert_int_equal(some.ends[g],
                             one.ends[(g + 1) * own < one.n ? (g + 1) * own - 1 : one.n - 1]);
        mplan_level_groups_free(&one);
        mplan_level_groups_free(&some);
        for (int32_t m = 0; m < MAPS; m++)
            support_map_free(&maps[m]);
    }
}

/* Against a stable sort by insertion. */
static void orders_by_group(void **state)
{
    (void)state;
    uint64_t seed = 7;
    mplan_error err;
    mplan_team team;
    mplan_team_open(&team, 3);
    for (int round = 0; round < 500; round++) {
        enum { MOST = 60 };
        const int32_t n = (int32_t)support_random(&seed, MOST),
                      n_groups = 1 + (int32_t)support_random(&seed, 9);
        int32_t group[MOST], order[MOST], old_of_new[MOST], due[MOST];
        for (int32_t i = 0; i < n; i++) {
            group[i] = (int32_t)support_random(&seed, n_groups);
            const int32_t k = (int32_t)support_random(&seed, i + 1);
            old_of_new[i] = old_of_new[k];
            old_of_new[k] = i;
        }
        for (int32_t p = 0; p < n; p++)
            order[old_of_new[p]] = p;
        int32_t next = 0;
        for (int32_t g = 0; g < n_groups; g++)
            for (int32_t p = 0; p < n; p++)
                if (group[old_of_new[p]] == g)
                    due[old_of_new[p]] = next++;
        team.pieces = round % 3 ? 1 + round % 13 : 0;
        assert_done(mplan_order_by_group(n, group, n_groups, order, &team, &err), &err);
        assert_memory_equal(order, due, (size_t)n * sizeof *due);
    }
    mplan_team_close(&team);
}

static void transposed_by_threads(void **state)
{
    (void)state;
    uint64_t seed = 11;
    mplan_error err;
    mplan_team team;
    mplan_team_open(&team, 3);
    for (int round = 0; round < 500; round++) {
        mplan_map map = support_random_map(&seed, support_random(&seed, 60),
                                           1 + support_random(&seed, 20),
                                           (int32_t)support_random(&seed, 5), 20);
        mplan_transpose one, many;
        team.pieces = 1 + round % 9;
        assert_done(mplan_map_transpose(&map, false, &one, &err), &err);
        assert_done(mplan_map_transpose_by(&map, &team, &many, &err), &err);
        assert_memory_equal(one.offsets, many.offsets,
                            (size_t)(map.n_points + 1) * sizeof *one.offsets);
        assert_memory_equal(one.elements, many.elements,
                            (size_t)one.offsets[map.n_points] * sizeof *one.elements);
        assert_null(many.slots);
        mplan_transpose_free(&one);
        mplan_transpose_free(&many);
        support_map_free(&map);
    }
    mplan_team_close(&team);
}

/* Numbers of components, and the queues of searches, are those of one thread: with rows of all lengths, vertices that are left out, and
 * several components. */
static void searches_by_threads(void **state)
{
    (void)state;
    uint64_t seed = 13;
    mplan_error err;
    mplan_team team;
    mplan_team_open(&team, 3);
    for (int round = 0; round < 400; round++) {
        const int64_t n = 2 + support_random(&seed, 60);
        mplan_map map = support_random_map(&seed, support_random(&seed, 2 * n), n,
                                           2 + (int32_t)support_random(&seed, 4), 10);
        mplan_csr graph;
        mplan_components one, many;
        int32_t chosen[64], n_chosen = 0;
        for (int32_t v = 0; v < n; v++)
            if (support_random(&seed, 5) > 0)
                chosen[n_chosen++] = v;
        const bool some = round % 2;
        assert_done(mplan_graph_of_points(&map, 1, 0, &graph, NULL, &err), &err);
        team.pieces = 1 + round % 7;
        assert_done(mplan_components_make(&graph, some ? chosen : NULL, some ? n_chosen : 0, &one,
                                          NULL, &err),
                    &err);
        assert_done(mplan_components_make(&graph, some ? chosen : NULL, some ? n_chosen : 0, &many,
                                          &team, &err),
                    &err);
        const int64_t members = some ? n_chosen : n;
        assert_int_equal(one.n, many.n);
        assert_memory_equal(one.first, many.first, (size_t)(one.n + 1) * sizeof *one.first);
        assert_memory_equal(one.member, many.member, (size_t)members * sizeof *one.member);
        assert_memory_equal(one.graph.offsets, many.graph.offsets,
                            (size_t)(members + 1) * sizeof *one.graph.offsets);
        assert_memory_equal(one.graph.neighbours, many.graph.neighbours,
                            (size_t)one.graph.offsets[members] * sizeof *one.graph.neighbours);
        for (int64_t c = 0; c < one.n; c++) {
            const mplan_csr part = mplan_component(&one, c);
            const int32_t root = (int32_t)support_random(&seed, part.n);
            mplan_levels a, b;
            mplan_spread spread;
            assert_done(mplan_levels_create(part.n, &a, &err), &err);
            assert_done(mplan_levels_create(part.n, &b, &err), &err);
            mplan_spread_open(&spread, part.n, &team);
            assert_non_null(spread.claim);
            b.spread = &spread;
            mplan_levels_search(&part, &root, 1, part.n, &a);
            mplan_levels_search(&part, &root, 1, part.n, &b);
            assert_memory_equal(a.queue, b.queue, (size_t)part.n * sizeof *a.queue);
            assert_memory_equal(a.level, b.level, (size_t)part.n * sizeof *a.level);
            assert_int_equal(a.depth, b.depth);
            mplan_spread_close(&spread);
            mplan_levels_free(&a);
            mplan_levels_free(&b);
        }
        mplan_components_free(&one);
        mplan_components_free(&many);
        mplan_csr_free(&graph);
        support_map_free(&map);
    }
    mplan_team_close(&team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_by_threads),   cmocka_unit_test(groups_by_threads),
        cmocka_unit_test(levels_together),       cmocka_unit_test(orders_by_group),
        cmocka_unit_test(transposed_by_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
