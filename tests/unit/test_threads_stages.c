/* SPDX-License-Identifier: Apache-2.0 */
/* test_threads_stages.c - stages of planning by several threads, in many pieces, give what one thread gives in one piece
 *
 * What one thread gives is compared with naive references elsewhere (test_derive, test_order, test_sort). */
#include "support_derive.h"
#include "support_order.h"
#include "support_threads.h"

#include <stdlib.h>
#include <string.h>

#include "base/radix.h"
#include "mesh/mesh.h"
#include "mesh/point_lists.h"
#include "order/order.h"
#include "pipeline/sample_orders.h"

/* A context with a team of 2, 3 or 8 threads, which cut everything into 2 ... 12 pieces. */
static const mplan_context *open_team(mplan_threaded *own, int round)
{
    static const int threads[] = {2, 3, 8};
    const mplan_context *context = support_threaded_open(NULL, own, threads[round % 3]);
    own->team->pieces = 2 + round % 11;
    return context;
}

/* --- derived sets ----------------------------------------------------------------------------- */

static void assert_same_maps(const mplan_mesh *one, const mplan_mesh *many)
{
    assert_int_equal(mplan_mesh_n_maps(one), mplan_mesh_n_maps(many));
    for (int32_t m = 0; m < mplan_mesh_n_maps(one); m++) {
        mplan_map a = mplan_mesh_map(one, m), b = mplan_mesh_map(many, m);
        assert_string_equal(a.name, b.name);
        assert_int_equal(a.arity, b.arity);
        assert_int_equal(a.n_rows, b.n_rows);
        assert_int_equal(mplan_map_entries(&a), mplan_map_entries(&b));
        assert_memory_equal(a.values, b.values, (size_t)mplan_map_entries(&a) * sizeof *a.values);
        if (!a.arity)
            assert_memory_equal(a.offsets, b.offsets, (size_t)(a.n_rows + 1) * sizeof *a.offsets);
    }
}

/* Random meshes, those that are refused too: in the same words. */
static void faces_are_the_same(void **state)
{
    (void)state;
    static plain_mesh m;
    uint64_t seed = 11;
    int refused = 0, mixed = 0;
    for (int round = 0; round < 600; round += support_every(20)) {
        memset(&m, 0, sizeof m);
        if (round % 3 == 0)
            plain_make_any(&m, &seed);
        else if (round % 3 == 1)
            plain_make_volume(&m, &seed);
        else
            plain_make_plane(&m, &seed);
        mplan_mesh *one = plain_build(&m), *many = plain_build(&m);
        mplan_error first = {MPLAN_OK, ""}, second = {MPLAN_OK, ""};
        mplan_threaded own;
        const mplan_context *context = open_team(&own, round);
        mplan_status status = mplan_mesh_derive(one, "faces", NULL, &first);
        assert_int_equal(mplan_mesh_derive(many, "faces", context, &second), status);
        if (status)
            assert_string_equal(first.text, second.text);
        assert_same_maps(one, many);
        refused += status != MPLAN_OK;
        mixed += !status && !support_map_of(one, "faces_nodes").arity;
        mplan_threaded_close(&own);
        mplan_mesh_free(one);
        mplan_mesh_free(many);
    }
    assert_true(refused > 0 && mixed > 0);
}

/* --- orders ------------------------------------------------------------------------------------- */

/* Rows of 0 to 4 points, some missing; some points in very many rows. */
static mplan_map random_map(uint64_t *seed, int64_t n_rows, int64_t n_points)
{
    int64_t *offsets = malloc((size_t)(n_rows + 1) * sizeof *offsets);
    int32_t *values = malloc((size_t)(4 * n_rows + 1) * sizeof *values);
    offsets[0] = 0;
    for (int64_t r = 0; r < n_rows; r++) {
        int64_t length = support_random(seed, 5);
        for (int64_t k = 0; k < length; k++) {
            int64_t kind = support_random(seed, 10);
            values[offsets[r] + k] = kind == 0 ? -1
                                     : kind == 1
                                         ? (int32_t)support_random(seed, 3 < n_points ? 3 : n_points)
                                         : (int32_t)support_random(seed, n_points);
        }
        offsets[r + 1] = offsets[r] + length;
    }
    return (mplan_map){"map", 0, 1, 0, n_rows, n_points, offsets, values};
}

/* Lists of blocks by point, against a table of all blocks and points. */
static void compare_lists(const mplan_map *map, const int32_t *block, int64_t n_blocks,
                          const mplan_context *context)
{
    mplan_error err;
    mplan_point_lists lists;
    uint8_t *touched = calloc((size_t)(map->n_points * n_blocks + 1), 1);
    for (int64_t r = 0; r < map->n_rows; r++)
        for (int64_t i = map->offsets[r]; i < map->offsets[r + 1]; i++)
            if (map->values[i] >= 0)
                touched[map->values[i] * n_blocks + block[r]] = 1;
    assert_done(mplan_point_lists_create(map, 1, block, &lists, context, &err), &err);
    assert_int_equal(lists.offsets[0], 0);
    for (int64_t p = 0; p < map->n_points; p++) {
        int64_t at = lists.offsets[p];
        for (int32_t b = 0; b < n_blocks; b++)
            if (touched[p * n_blocks + b]) {
                assert_true(at < lists.offsets[p + 1]);
                assert_int_equal(lists.values[at++], b);
            }
        assert_int_equal(at, lists.offsets[p + 1]);
    }
    free(lists.offsets);
    free(lists.values);
    free(touched);
}

static void compare_orders(const mplan_map *map, const int32_t *places, const int32_t *block,
                           const mplan_context *context)
{
    mplan_error err;
    const size_t points = (size_t)map->n_points * sizeof(int32_t),
                 rows = (size_t)map->n_rows * sizeof(int32_t);
    int32_t *one = malloc(points + rows + 4), *many = malloc(points + rows + 4);
    int64_t width[2], profile[2], storage[2];
    assert_done(mplan_order_elements(map, places, one, NULL, &err), &err);
    assert_done(mplan_order_elements(map, places, many, context, &err), &err);
    assert_memory_equal(one, many, rows);
    for (int count_first = 0; count_first < 2; count_first++) {
        assert_done(mplan_order_points(map, 1, block, count_first, places, one, NULL, &err), &err);
        assert_done(mplan_order_points(map, 1, block, count_first, places, many, context, &err),
                    &err);
        assert_memory_equal(one, many, points);
    }
    assert_done(mplan_order_cache_lines(map, 1, block, true, places, one, &storage[0], NULL, &err),
                &err);
    assert_done(mplan_order_cache_lines(map, 1, block, true, places, many, &storage[1], context, &err),
                &err);
    assert_memory_equal(one, many, points);
    assert_int_equal(storage[0], storage[1]);
    assert_done(mplan_order_measure(map, 1, places, &width[0], &profile[0], NULL, &err), &err);
    assert_done(mplan_order_measure(map, 1, places, &width[1], &profile[1], context, &err), &err);
    assert_int_equal(width[0], width[1]);
    assert_int_equal(profile[0], profile[1]);
    free(one);
    free(many);
}

/* Small tables in many pieces; the last ones have several ranges. */
static void orders_are_the_same(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int round = 0; round < 400; round += support_every(16)) {
        const bool large = round % 200 == 192;
        const int64_t n_rows = large ? 50000 : support_random(&seed, 200);
        const int64_t n_points = large ? 40000 : 1 + support_random(&seed, 100);
        const int64_t n_blocks = 1 + support_random(&seed, 20);
        mplan_map map = random_map(&seed, n_rows, n_points);
        int32_t *places = support_permutation(&seed, n_points);
        int32_t *block = malloc((size_t)(n_rows + 1) * sizeof *block);
        for (int64_t r = 0; r < n_rows; r++)
            block[r] = (int32_t)support_random(&seed, n_blocks);
        mplan_threaded own;
        const mplan_context *context = open_team(&own, round);
        compare_orders(&map, places, block, context);
        compare_lists(&map, block, n_blocks, context);
        mplan_threaded_close(&own);
        free((void *)(uintptr_t)map.offsets);
        free((void *)(uintptr_t)map.values);
        free(places);
        free(block);
    }
}

/* Links of a ladder of `width` rungs' length, in `bodies` pieces of which the first is the largest, and some links at random; hubs now and then. */
static int64_t make_links(uint64_t *seed, int64_t n, int32_t *values, int round)
{
    static const int64_t width[] = {1, 3, 17, 40};
    const int64_t step = width[round % 4], bodies = round % 3 == 0 ? 9 : 1;
    int32_t *at = support_permutation(seed, n);
    int64_t rows = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t way = 0; way < 2; way++) {
            const int64_t j = i + (way ? step : 1);
            if (j >= n || j * bodies / n != i * bodies / n)
                continue;
            values[2 * rows] = at[i];
            values[2 * rows++ + 1] = at[j];
        }
    for (int64_t i = round % 5 == 4 ? support_random(seed, 100) : 0; i > 0; i--) {
        values[2 * rows] = at[0];
        values[2 * rows++ + 1] = (int32_t)support_random(seed, n);
    }
    free(at);
    return rows;
}

/* Every order by a graph, by 1, 2, 3 and 7 threads in many pieces. */
static void graphs_are_ordered_the_same(void **state)
{
    (void)state;
    enum { MOST = 1500 };
    static const mplan_renumber methods[] = {MPLAN_RENUMBER_RCM, MPLAN_RENUMBER_GPS,
                                             MPLAN_RENUMBER_SLOAN, MPLAN_RENUMBER_AGGLOMERATE};
    static const int threads[] = {1, 2, 3, 7};
    static int32_t values[4 * MOST + 400], one[MOST], many[MOST];
    uint64_t seed = 23;
    for (int round = 0; round < 60; round += support_every(4)) {
        mplan_error err;
        mplan_csr graph;
        const int64_t n = 2 + support_random(&seed, round % 2 ? 100 : MOST - 2);
        const int64_t rows = make_links(&seed, n, values, round);
        mplan_map map = {"links", 0, 1, 2, rows, n, NULL, values};
        assert_done(mplan_graph_of_points(&map, 1, 0, &graph, NULL, &err), &err);
        for (int m = 0; m < 4; m++) {
            assert_done(mplan_order_graph(methods[m], &graph, one, NULL, &err), &err);
            support_check_permutation(n, one);
            for (int t = support_races_only(); t < 4; t++) {
                mplan_threaded own;
                const mplan_context *context = support_threaded_open(NULL, &own, threads[t]);
                own.team->pieces = 2 + (round + t) % 11;
                assert_done(mplan_order_graph(methods[m], &graph, many, context, &err), &err);
                assert_memory_equal(one, many, (size_t)n * sizeof *one);
                mplan_threaded_close(&own);
            }
        }
        mplan_csr_free(&graph);
    }
}

/* Rows of two points, some of one point or of none: every pair of points, against a table. */
static void pairs_make_graphs(void **state)
{
    (void)state;
    enum { MOST = 60 };
    uint64_t seed = 17;
    for (int round = 0; round < 200; round += support_every(10)) {
        const int64_t n_points = 1 + support_random(&seed, MOST), n_rows = support_random(&seed, 150);
        int32_t values[2][2 * 150];
        static bool joined[MOST][MOST];
        memset(joined, 0, sizeof joined);
        mplan_map maps[2];
        for (int m = 0; m < 2; m++) {
            for (int64_t i = 0; i < 2 * n_rows; i++)
                values[m][i] = (int32_t)support_random(&seed, n_points + 1) - 1;
            for (int64_t r = 0; r < n_rows; r++) {
                int32_t a = values[m][2 * r], b = values[m][2 * r + 1];
                if (a >= 0 && b >= 0 && a != b)
                    joined[a][b] = joined[b][a] = true;
            }
            maps[m] = (mplan_map){"pairs", m, 2, 2, n_rows, n_points, NULL, values[m]};
        }
        mplan_threaded own;
        const mplan_context *context = open_team(&own, round);
        mplan_csr graph;
        mplan_error err;
        assert_done(mplan_graph_of_points(maps, 2, 0, &graph, context, &err), &err);
        assert_int_equal(graph.n, n_points);
        for (int64_t v = 0, at = 0; v < n_points; v++) {
            assert_int_equal(graph.offsets[v], at);
            for (int32_t w = 0; w < n_points; w++)
                if (joined[v][w])
                    assert_int_equal(graph.neighbours[at++], w);
            assert_int_equal(graph.offsets[v + 1], at);
        }
        mplan_csr_free(&graph);
        mplan_threaded_close(&own);
    }
}

/* Keys of one grid cell and of far apart ones, so that runs of equal upper bits are short, long and none. */
static void keys_are_sorted_stably(void **state)
{
    (void)state;
    enum { MOST = 30000 };
    uint64_t seed = 3, *keys = malloc(2 * MOST * sizeof *keys);
    int32_t *items = malloc(2 * MOST * sizeof *items);
    for (int round = 0; round < 40; round += support_every(4)) {
        const int64_t n = round % 4 ? MOST - round : 1 + support_random(&seed, 3000);
        const int64_t crowds = round % 5 == 0 ? 1 : 1 + support_random(&seed, n);
        for (int64_t i = 0; i < n; i++) {
            keys[i] = (uint64_t)support_random(&seed, crowds) * UINT64_C(0x9e3779b97f4a7c15) >>
                      (round % 3);
            keys[i] ^= (uint64_t)support_random(&seed, round % 2 ? 7 : 1 << 20);
            items[i] = (int32_t)i;
        }
        uint64_t sum = 0, after = 0;
        for (int64_t i = 0; i < n; i++)
            sum += keys[i] * (2 * (uint64_t)items[i] + 1);
        mplan_threaded own;
        const mplan_context *context = open_team(&own, round);
        mplan_radix_sort_items(round % 7 ? mplan_team_of(context) : NULL, n, keys, items,
                               keys + MOST, items + MOST);
        mplan_threaded_close(&own);
        for (int64_t i = 0; i < n; i++)
            after += keys[i] * (2 * (uint64_t)items[i] + 1);
        assert_true(sum == after);
        for (int64_t i = 1; i < n; i++)
            assert_true(keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && items[i - 1] < items[i]));
    }
    free(keys);
    free(items);
}

/* Points of a grid in random order, several at one place. */
static void curves_are_the_same(void **state)
{
    (void)state;
    enum { N = 40000 };
    uint64_t seed = 9;
    double *xyz = malloc(3 * N * sizeof *xyz);
    int32_t *one = malloc(N * sizeof *one), *many = malloc(N * sizeof *many);
    for (int round = 0; round < 8; round += support_every(4)) {
        const int32_t dimension = 2 + round % 2;
        const int64_t n = round < 4 ? N : 1 + support_random(&seed, 2000);
        mplan_error err;
        mplan_threaded own;
        const mplan_context *context = open_team(&own, round);
        for (int64_t i = 0; i < n * dimension; i++)
            xyz[i] = (double)support_random(&seed, round < 2 ? 1 << 30 : 40) - 7;
        assert_done(mplan_order_hilbert(n, dimension, xyz, one, NULL, &err), &err);
        assert_done(mplan_order_hilbert(n, dimension, xyz, many, context, &err), &err);
        assert_memory_equal(one, many, (size_t)n * sizeof *one);
        mplan_threaded_close(&own);
    }
    free(xyz);
    free(one);
    free(many);
}

/* Chains whose order is random, or a chain's. */
static void samples_are_the_same(void **state)
{
    (void)state;
    enum { N = 30000 };
    uint64_t seed = 21;
    int32_t *values = malloc(2 * N * sizeof *values);
    for (int round = 0; round < 6; round += support_every(3)) {
        const int64_t n = round % 3 == 0 ? 900 : round % 3 == 1 ? 6000 : N;
        int32_t *at = support_permutation(&seed, n), *order = support_permutation(&seed, n);
        double share[2];
        mplan_error err;
        mplan_threaded own;
        const mplan_context *context = open_team(&own, round);
        for (int64_t i = 0; i < n; i++) {
            values[2 * i] = at[i];
            values[2 * i + 1] = at[(i + 1) % n];
        }
        for (int64_t i = 0; i < n && round % 2; i++)
            order[at[i]] = (int32_t)i;
        mplan_map map = {"chain", 0, 1, 2, n, n, NULL, values};
        assert_done(mplan_planning_curve_share(&map, 1, order, NULL, &share[0], &err), &err);
        assert_done(mplan_planning_curve_share(&map, 1, order, context, &share[1], &err), &err);
        assert_true(share[0] == share[1] && share[0] > 0);
        mplan_threaded_close(&own);
        free(at);
        free(order);
    }
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_are_the_same),          cmocka_unit_test(orders_are_the_same),
        cmocka_unit_test(keys_are_sorted_stably),      cmocka_unit_test(curves_are_the_same),
        cmocka_unit_test(samples_are_the_same),        cmocka_unit_test(pairs_make_graphs),
        cmocka_unit_test(graphs_are_ordered_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
