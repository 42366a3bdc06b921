/* SPDX-License-Identifier: Apache-2.0 */
/* test_native_flow.c - pairs cut by flows, beside all the ways there are to cut them */
#include "support_test.h"

#include "partition/native/native_flow.h"
#include "partition/native/native_pair.h"

enum {
    SIDE = 5,
    N = SIDE * SIDE,
    N_POINTS = (SIDE + 1) * (SIDE + 1),
    ARITY = 3,
    CASES = 120,
    MOVABLE = 60,
    MOST_FREE = 12
};

/* Elements of a small grid, each at three points out of nine around it, halves of which are two blocks. */
typedef struct case_of {
    int32_t values[N * ARITY];
    mplan_map map;
    mplan_block_limits limits;
    mplan_footprint meter;
    native_table table;
    native_cut cut;
    native_pair *pair;
} case_of;

static void open_case(case_of *c, uint64_t *seed, int32_t block_size, int32_t first)
{
    mplan_error err;
    static const mplan_staged_dat dat = {1, 8};
    const int64_t offsets[] = {0, first, N};
    for (int32_t e = 0; e < N; e++)
        for (int32_t k = 0; k < ARITY; k++) {
            int32_t x = e / SIDE + (int32_t)support_random(seed, 2),
                    y = e % SIDE + (int32_t)support_random(seed, 3) - 1;
            c->values[e * ARITY + k] = x * (SIDE + 1) + (y < 0 ? 0 : y > SIDE ? SIDE : y);
        }
    c->map = (mplan_map){
        .name = "m", .to = 1, .arity = ARITY, .n_rows = N, .n_points = N_POINTS, .values = c->values};
    c->limits = (mplan_block_limits){.block_size = block_size,
                                     .max_points = 65535,
                                     .shared_bytes = 1 << 20,
                                     .n_maps = 1,
                                     .n_dats = 1,
                                     .maps = &c->map,
                                     .dats = &dat};
    assert_done(mplan_footprint_open(&c->meter, &c->limits, &err), &err);
    assert_done(mplan_native_table_create(&c->meter, N, &c->table, NULL, &err), &err);
    assert_done(mplan_native_cut_create(&c->table, &c->meter, 2, offsets, &c->cut, NULL, &err), &err);
    assert_done(mplan_native_cut_list(&c->cut, NULL, &err), &err);
    c->pair = mplan_native_pair_create(&c->cut, true, &err);
    assert_non_null(c->pair);
    assert_non_null(c->pair->flow);
    const native_block_pair couple = {0, 1, 0, 0};
    mplan_native_pair_begin(c->pair, &couple);
    mplan_native_pair_members(c->pair);
    assert_int_equal(c->pair->n, N);
}

static void close_case(case_of *c)
{
    mplan_native_pair_free(c->pair);
    mplan_native_cut_free(&c->cut);
    mplan_native_table_free(&c->table);
    mplan_footprint_close(&c->meter);
}

/* Points that elements of both sides touch; side: of each element of the table. */
static int32_t shared_of(const native_table *table, const uint8_t *side)
{
    uint8_t met[N_POINTS] = {0};
    int32_t shared = 0;
    for (int32_t e = 0; e < N; e++) {
        int32_t length;
        const int32_t *row = native_row(table, e, &length);
        for (int32_t k = 0; k < length; k++)
            met[row[k]] |= (uint8_t)(1 << side[e]);
    }
    for (int32_t p = 0; p < table->n_points; p++)
        shared += met[p] == 3;
    return shared;
}

static bool touch(const native_table *table, int32_t a, int32_t b)
{
    int32_t n, m;
    const int32_t *first = native_row(table, a, &n), *second = native_row(table, b, &m);
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < m; k++)
            if (first[i] == second[k])
                return true;
    return false;
}

/* Depths by definition: 0 next to the other side, else 1 more than the least of those it touches on its own side; N: none. */
static void find_depths(const native_table *table, const uint8_t *side, int32_t *depth)
{
    for (int32_t e = 0; e < N; e++) {
        depth[e] = N;
        for (int32_t other = 0; other < N; other++)
            if (side[other] != side[e] && touch(table, e, other))
                depth[e] = 0;
    }
    for (int32_t round = 0; round < N; round++)
        for (int32_t e = 0; e < N; e++)
            for (int32_t other = 0; other < N; other++)
                if (side[other] == side[e] && depth[other] + 1 < depth[e] && touch(table, e, other))
                    depth[e] = depth[other] + 1;
}

/* Elements that may change their side: the layer next to the other side, and those behind it while all of them are at most 60 of
 * 100 elements of the side. How many; 0 where a side has nothing behind them. */
static int32_t list_free(const native_table *table, const uint8_t *side, int32_t *list)
{
    int32_t depth[N], n = 0;
    find_depths(table, side, depth);
    for (int32_t s = 0; s < 2; s++) {
        int32_t size = 0, layer[N + 1] = {0}, sum, last = 0;
        for (int32_t e = 0; e < N; e++)
            if (side[e] == s) {
                layer[depth[e]]++;
                size++;
            }
        for (sum = layer[0];
             last + 1 < N && layer[last + 1] > 0 && sum + layer[last + 1] <= size * MOVABLE / 100;
             last++)
            sum += layer[last + 1];
        if (layer[0] == 0 || layer[last + 1] == 0 || last + 1 == N)
            return 0;
        for (int32_t e = 0; e < N; e++)
            if (side[e] == s && depth[e] <= last)
                list[n++] = e;
    }
    return n;
}

/* The fewest common points of all ways to deal the free elements, both sides of at most `size`. */
static int32_t fewest(const native_table *table, const uint8_t *side, const int32_t *list,
                      int32_t n, int32_t size)
{
    int32_t least = INT32_MAX;
    uint8_t now[N];
    memcpy(now, side, sizeof now);
    for (int32_t bits = 0; bits < 1 << n; bits++) {
        int32_t count = 0;
        for (int32_t i = 0; i < n; i++)
            now[list[i]] = bits >> i & 1;
        for (int32_t e = 0; e < N; e++)
            count += now[e];
        if (count > size || N - count > size)
            continue;
        int32_t shared = shared_of(table, now);
        least = shared < least ? shared : least;
    }
    return least;
}

/* Sides as the pair has them, of the table's elements. */
static void read_sides(const native_pair *pair, uint8_t *side)
{
    for (int32_t e = 0; e < N; e++)
        side[pair->elements[e].element] = pair->elements[e].side;
}

/* Where sizes do not matter, the border has as few points as any; with one fewer allowed there is none, and sides stay. */
static void borders_are_least(void **state)
{
    (void)state;
    uint64_t seed = 11;
    int32_t improved = 0, tried = 0;
    for (int32_t way = 0; way < CASES; way++) {
        case_of c;
        uint8_t side[N], now[N];
        int32_t list[N];
        open_case(&c, &seed, N, 8 + (int32_t)support_random(&seed, 10));
        read_sides(c.pair, side);
        int32_t n = list_free(&c.table, side, list), before = shared_of(&c.table, side);
        bool cuts = n > 0 && n <= MOST_FREE;
        int32_t least = cuts ? fewest(&c.table, side, list, n, N) : 0;
        if (cuts) {
            tried++;
            assert_false(least > 0 && mplan_native_flow_split(c.pair, least - 1));
            read_sides(c.pair, now);
            assert_memory_equal(now, side, N);
            assert_true(mplan_native_flow_split(c.pair, before));
            read_sides(c.pair, now);
            assert_int_equal(shared_of(&c.table, now), least);
            improved += least < before;
        } else if (n == 0) {
            assert_false(mplan_native_flow_split(c.pair, before));
        }
        close_case(&c);
    }
    assert_true(tried > CASES / 4 && improved > 10);
}

/* Where sizes bind, they are kept, no border is dearer than allowed, and none is better than the best; some are better than those
 * at hand. */
static void sizes_are_kept(void **state)
{
    (void)state;
    uint64_t seed = 13;
    int32_t best = 0, found = 0, improved = 0;
    for (int32_t way = 0; way < CASES; way++) {
        case_of c;
        uint8_t side[N], now[N];
        int32_t list[N], size = N / 2 + 1 + way % 2, ones = 0;
        open_case(&c, &seed, size, N / 2);
        read_sides(c.pair, side);
        int32_t n = list_free(&c.table, side, list), before = shared_of(&c.table, side);
        bool done = mplan_native_flow_split(c.pair, before);
        read_sides(c.pair, now);
        for (int32_t e = 0; e < N; e++)
            ones += now[e];
        assert_true(ones <= size && N - ones <= size);
        int32_t after = shared_of(&c.table, now);
        assert_true(after <= before && (done || memcmp(now, side, N) == 0));
        if (done && n <= MOST_FREE) {
            int32_t least = fewest(&c.table, side, list, n, size);
            assert_true(after >= least);
            best += after == least;
            found++;
        }
        improved += after < before;
        close_case(&c);
    }
    assert_true(found > 10 && 2 * best > found && improved > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borders_are_least),
        cmocka_unit_test(sizes_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
