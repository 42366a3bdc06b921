/* SPDX-License-Identifier: Apache-2.0 */
/* test_tables.c - the tables that kernels read, against plain references */
#include "support_test.h"
#include "support_threads.h"
#include "support_mesh.h"
#include "support_order.h"

#include "tables/tables.h"

enum { MOST_MAPS = 3, NONE = UINT16_MAX };

/* Maps of one loop to one set, and a cut of its elements into blocks. */
typedef struct problem {
    int64_t n_elements, n_positions, n_blocks, n_points;
    int32_t n_maps;
    mplan_map maps[MOST_MAPS];
    int64_t *offsets;
    int32_t *sequence; /* NULL: positions are elements */
} problem;

/* A random permutation of [0, storage): its first n entries are an injective
 * table of n members into that range. */
static int32_t *random_places(uint64_t *seed, int64_t storage)
{
    int32_t *all = malloc((size_t)(storage + 1) * sizeof *all);
    for (int64_t i = 0; i < storage; i++) {
        int64_t k = support_random(seed, i + 1);
        all[i] = all[k];
        all[k] = (int32_t)i;
    }
    return all;
}

static problem random_problem(uint64_t *seed, int64_t most_elements, int64_t most_points)
{
    problem out = {0};
    out.n_elements = out.n_positions = support_random(seed, most_elements + 1);
    out.n_points = support_random(seed, most_points + 1);
    out.n_maps = (int32_t)support_random(seed, MOST_MAPS + 1);
    for (int32_t m = 0; m < out.n_maps; m++)
        out.maps[m] = support_random_map(seed, out.n_elements, out.n_points,
                                         (int32_t)support_random(seed, 4),
                                         (int)support_random(seed, 3) * 40);
    if (support_random(seed, 2)) { /* a sequence with holes */
        out.n_positions = out.n_elements + support_random(seed, 6);
        out.sequence = random_places(seed, out.n_positions);
        for (int64_t p = 0; p < out.n_positions; p++)
            if (out.sequence[p] >= out.n_elements)
                out.sequence[p] = -1;
    }
    int64_t at = 0, most = 1 + support_random(seed, 8);
    out.offsets = calloc((size_t)(out.n_positions + 2), sizeof *out.offsets);
    while (at < out.n_positions) {
        at += 1 + support_random(seed, most);
        at = at < out.n_positions ? at : out.n_positions;
        out.offsets[++out.n_blocks] = at;
    }
    return out;
}

static void problem_free(problem *p)
{
    for (int32_t m = 0; m < p->n_maps; m++)
        support_map_free(&p->maps[m]);
    free(p->offsets);
    free(p->sequence);
}

/* --- points of blocks ------------------------------------------------------------ */

/* Marks the points of a block; returns how many. */
static int64_t mark_points(const problem *p, int64_t b, bool *touched)
{
    int64_t count = 0;
    memset(touched, 0, (size_t)p->n_points + 1);
    for (int64_t i = p->offsets[b]; i < p->offsets[b + 1]; i++) {
        int64_t e = p->sequence ? p->sequence[i] : i;
        for (int32_t m = 0; m < p->n_maps && e >= 0; m++) {
            int32_t n;
            const int32_t *row = mplan_map_row(&p->maps[m], e, &n);
            for (int32_t k = 0; k < n; k++)
                if (row[k] >= 0) {
                    count += !touched[row[k]];
                    touched[row[k]] = true;
                }
        }
    }
    return count;
}

/* The place of a point in the ascending list of the marked ones. */
static uint16_t place_of(const bool *touched, int32_t point)
{
    int32_t place = 0;
    for (int32_t p = 0; p < point; p++)
        place += touched[p];
    return (uint16_t)(point < 0 ? NONE : place);
}

/* Checks the local ids of a block; at[m] is where they begin, and moves on. */
static void check_local(const problem *p, int64_t b, const bool *touched,
                        const mplan_block_points *out, int64_t *at)
{
    for (int64_t i = p->offsets[b]; i < p->offsets[b + 1]; i++) {
        int64_t e = p->sequence ? p->sequence[i] : i;
        for (int32_t m = 0; m < p->n_maps; m++) {
            int32_t n = p->maps[m].arity;
            const int32_t *row = NULL;
            if (e >= 0)
                row = mplan_map_row(&p->maps[m], e, &n);
            for (int32_t k = 0; k < n; k++)
                assert_int_equal(out->local[m][at[m]++], row ? place_of(touched, row[k]) : NONE);
        }
    }
}

static void check_block_points(const problem *p, const mplan_context *context)
{
    mplan_error err;
    mplan_block_points out;
    int64_t at[MOST_MAPS] = {0}, next = 0;
    bool *touched = malloc((size_t)p->n_points + 1);
    assert_done(mplan_table_block_points(p->maps, p->n_maps, p->n_blocks, p->offsets, p->sequence,
                                         &out, context, &err),
                &err);
    assert_int_equal(out.offsets[0], 0);
    for (int64_t b = 0; b < p->n_blocks; b++) {
        int64_t count = mark_points(p, b, touched);
        assert_int_equal(out.offsets[b + 1] - out.offsets[b], count);
        for (int32_t point = 0; point < p->n_points; point++)
            if (touched[point])
                assert_int_equal(out.points[next++], point);
        check_local(p, b, touched, &out, at);
    }
    free(touched);
    mplan_table_block_points_free(&out, p->n_maps);
}

static void block_points_equal_the_reference(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 4000; i++) {
        problem p = random_problem(&seed, 30, 25);
        for (int32_t threads = 0; threads <= 2; threads++) {
            mplan_threaded team;
            const mplan_context *context = support_threaded_open(NULL, &team, threads + 1);
            check_block_points(&p, threads ? context : NULL);
            mplan_threaded_close(&team);
        }
        problem_free(&p);
    }
}

/* One block of 10^4 elements around one point, and many blocks around it. */
static void a_hub_is_listed_once_in_each_block(void **state)
{
    (void)state;
    enum { N = 10000 };
    mplan_error err;
    mplan_block_points out;
    int32_t *values = malloc(2 * N * sizeof *values);
    for (int32_t e = 0; e < N; e++) {
        values[2 * e] = N;
        values[2 * e + 1] = N - 1 - e;
    }
    mplan_map map = {"hub", 0, 1, 2, N, N + 1, NULL, values};
    int64_t offsets[3] = {0, N - 1, N};
    assert_done(mplan_table_block_points(&map, 1, 2, offsets, NULL, &out, NULL, &err), &err);
    assert_int_equal(out.offsets[1], N);
    assert_int_equal(out.offsets[2], N + 2);
    for (int32_t i = 0; i < N; i++)
        assert_int_equal(out.points[i], i + 1);
    for (int32_t e = 0; e < N - 1; e++) {
        assert_int_equal(out.local[0][2 * e], N - 1);
        assert_int_equal(out.local[0][2 * e + 1], N - 2 - e);
    }
    mplan_table_block_points_free(&out, 1);
    free(values);
}

/* 65,535 points fit 16-bit ids and one more does not. */
static void more_points_than_local_ids_are_refused(void **state)
{
    (void)state;
    enum { MOST = 65535 };
    mplan_error err;
    mplan_block_points out;
    int32_t *values = malloc((MOST + 1) * sizeof *values);
    for (int32_t p = 0; p <= MOST; p++)
        values[p] = MOST - p;
    int64_t row[2] = {0, MOST}, offsets[2] = {0, 1};
    mplan_map map = {"wide", 0, 1, 0, 1, MOST + 1, row, values};
    assert_done(mplan_table_block_points(&map, 1, 1, offsets, NULL, &out, NULL, &err), &err);
    assert_int_equal(out.offsets[1], MOST);
    for (int32_t p = 0; p < MOST; p++)
        assert_int_equal(out.local[0][p], MOST - 1 - p);
    mplan_table_block_points_free(&out, 1);
    row[1]++;
    assert_refused(mplan_table_block_points(&map, 1, 1, offsets, NULL, &out, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "block 0 touches 65536 points");
    assert_null(out.points);
    assert_null(out.offsets);
    free(values);
}

static void stops_when_the_context_says_so(void **state)
{
    (void)state;
    mplan_error err;
    mplan_block_points out;
    uint64_t seed = 4;
    mplan_map map = support_random_map(&seed, 5, 5, 2, 0);
    int64_t offsets[2] = {0, 5}, *begin = NULL;
    int32_t order[5] = {0, 1, 2, 3, 4}, *values = NULL;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.cancelled = always;
    assert_refused(mplan_table_block_points(&map, 1, 1, offsets, NULL, &out, &context, &err),
                   MPLAN_ERR_INTERRUPTED, &err, "interrupted");
    assert_refused(mplan_table_reorder_map(&map, order, 5, order, &begin, &values, &context, &err),
                   MPLAN_ERR_INTERRUPTED, &err, "interrupted");
    assert_null(values);
    support_map_free(&map);
}

/* --- gather, reorder, invert -------------------------------------------------------- */

static void gather_lists_equal_the_reference(void **state)
{
    (void)state;
    uint64_t seed = 5;
    mplan_error err;
    for (int i = 0; i < 4000; i++) {
        mplan_map map = support_random_map(&seed, support_random(&seed, 20),
                                           support_random(&seed, 15),
                                           (int32_t)support_random(&seed, 5),
                                           (int)support_random(&seed, 3) * 50);
        int64_t *offsets, *slots, at = 0, entries = mplan_map_entries(&map);
        const mplan_row_order order = {MPLAN_SUMS_ORDER_STORED, 0, NULL, 0, false, false};
        assert_done(mplan_table_gather(&map, &order, &offsets, &slots, &err), &err);
        for (int32_t p = 0; p < map.n_points; p++) {
            assert_int_equal(offsets[p], at);
            for (int64_t s = 0; s < entries; s++)
                if (map.values[s] == p)
                    assert_int_equal(slots[at++], s);
        }
        assert_int_equal(offsets[map.n_points], at);
        free(offsets);
        free(slots);
        support_map_free(&map);
    }
}

/* What slot i of a map of fixed arity comes after, as section 5 has it: a number for each order. */
static int64_t rank_of_slot(const mplan_map *map, const mplan_row_order *order, int64_t i)
{
    int64_t row = i / map->arity, slot = i % map->arity;
    if (order->by == MPLAN_SUMS_ORDER_COLUMN)
        return slot * map->n_rows + row;
    for (int64_t old = 0; old < order->n_members; old++)
        if (order->new_of_old[old] == row)
            return old * map->arity + slot;
    return -1;
}

/* Rows of places without a member hold -1, and so have no slots. */
static void gather_lists_follow_the_order_of_the_sums(void **state)
{
    (void)state;
    uint64_t seed = 9;
    mplan_error err;
    int64_t several = 0;
    for (int i = 0; i < 2000; i++) {
        mplan_map map = support_random_map(&seed, 1 + support_random(&seed, 19),
                                           1 + support_random(&seed, 15),
                                           1 + (int32_t)support_random(&seed, 4), 50);
        int32_t *new_of_old = support_permutation(&seed, map.n_rows);
        for (int by = MPLAN_SUMS_ORDER_COLUMN; by <= MPLAN_SUMS_ORDER_MESH; by++) {
            const mplan_row_order order = {
                (mplan_sums_order)by, map.n_rows, new_of_old, 0, false, false};
            int64_t *offsets, *slots, n = 0;
            assert_done(mplan_table_gather(&map, &order, &offsets, &slots, &err), &err);
            for (int64_t s = 0; s < mplan_map_entries(&map); s++)
                n += map.values[s] >= 0;
            assert_int_equal(offsets[0], 0);
            assert_int_equal(offsets[map.n_points], n);
            for (int64_t p = 0; p < map.n_points; p++)
                for (int64_t s = offsets[p]; s < offsets[p + 1]; s++) {
                    assert_int_equal(map.values[slots[s]], p);
                    if (s == offsets[p])
                        continue;
                    several++;
                    assert_true(rank_of_slot(&map, &order, slots[s - 1]) <
                                rank_of_slot(&map, &order, slots[s]));
                }
            free(offsets);
            free(slots);
        }
        free(new_of_old);
        support_map_free(&map);
    }
    assert_true(several > 10000);
}

/* Every stored row, by looking for the member that is stored there. */
static void check_reordered(const mplan_map *map, const int32_t *row_of, int64_t storage,
                            const int32_t *point_of, const int64_t *offsets, const int32_t *values)
{
    int64_t at = 0;
    for (int64_t r = 0; r < storage; r++) {
        int64_t member = -1;
        for (int64_t e = 0; e < map->n_rows; e++)
            if (row_of[e] == r)
                member = e;
        int32_t n = map->arity;
        const int32_t *row = NULL;
        if (member >= 0)
            row = mplan_map_row(map, member, &n);
        if (offsets)
            assert_int_equal(offsets[r], at);
        for (int32_t k = 0; k < n; k++)
            assert_int_equal(values[at++], !row || row[k] < 0 ? -1 : point_of[row[k]]);
    }
    if (offsets)
        assert_int_equal(offsets[storage], at);
}

static void reordered_maps_equal_the_reference(void **state)
{
    (void)state;
    uint64_t seed = 6;
    mplan_error err;
    for (int i = 0; i < 4000; i++) {
        int64_t n = support_random(&seed, 15), n_points = support_random(&seed, 15);
        int64_t storage = n + support_random(&seed, 2) * support_random(&seed, 5);
        int64_t places = n_points + support_random(&seed, 2) * support_random(&seed, 5);
        mplan_map map = support_random_map(&seed, n, n_points, (int32_t)support_random(&seed, 4),
                                           (int)support_random(&seed, 2) * 30);
        int32_t *row_of = random_places(&seed, storage), *values;
        int32_t *point_of = random_places(&seed, places);
        int64_t *offsets;
        assert_done(mplan_table_reorder_map(&map, row_of, storage, point_of, &offsets, &values,
                                            NULL, &err),
                    &err);
        assert_true((offsets == NULL) == (map.arity > 0));
        check_reordered(&map, row_of, storage, point_of, offsets, values);
        free(offsets);
        free(values);
        free(row_of);
        free(point_of);
        support_map_free(&map);
    }
}

static void inverses_equal_the_reference(void **state)
{
    (void)state;
    uint64_t seed = 7;
    mplan_error err;
    for (int i = 0; i < 4000; i++) {
        int64_t n = support_random(&seed, 20);
        int64_t storage = n + support_random(&seed, 2) * support_random(&seed, 5);
        int32_t *place = random_places(&seed, storage), *inverse;
        assert_done(mplan_table_invert(n, place, storage, &inverse, NULL, &err), &err);
        for (int64_t s = 0; s < storage; s++) {
            int32_t wanted = -1;
            for (int64_t e = 0; e < n; e++)
                if (place[e] == s)
                    wanted = (int32_t)e;
            assert_int_equal(inverse[s], wanted);
        }
        free(place);
        free(inverse);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_points_equal_the_reference),
        cmocka_unit_test(a_hub_is_listed_once_in_each_block),
        cmocka_unit_test(more_points_than_local_ids_are_refused),
        cmocka_unit_test(stops_when_the_context_says_so),
        cmocka_unit_test(gather_lists_equal_the_reference),
        cmocka_unit_test(gather_lists_follow_the_order_of_the_sums),
        cmocka_unit_test(reordered_maps_equal_the_reference),
        cmocka_unit_test(inverses_equal_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
