/* SPDX-License-Identifier: Apache-2.0 */
/* test_native_regions.c - fronts that grow side by side, on tables of more than one region */
#include "support_test.h"
#include "support_threads.h"

#include "order/shared_points.h"
#include "partition/native/native_grow.h"
#include "partition/native/native_regions.h"
#include "partition/partition.h"

enum { N = 3 << 18, S = 128 };

/* --- tables whose elements follow one another -------------------------------------- */

/* Rows of points that lie about where the row does. */
static mplan_map long_map(int64_t n_rows, int32_t arity, int32_t to, uint64_t seed)
{
    int64_t n_points = n_rows / 2 + 16, end = 0;
    int64_t *offsets = malloc(((size_t)n_rows + 1) * sizeof *offsets);
    int32_t *values = malloc(4 * (size_t)n_rows * sizeof *values);
    offsets[0] = 0;
    for (int64_t e = 0; e < n_rows; e++) {
        int64_t length = arity ? arity : support_random(&seed, 4);
        for (int64_t k = 0; k < length; k++) {
            bool none = !arity && support_random(&seed, 20) == 0;
            values[end++] = none ? -1 : (int32_t)(e / 2 + support_random(&seed, 12));
        }
        offsets[e + 1] = end;
    }
    if (arity) {
        free(offsets);
        offsets = NULL;
    }
    return (mplan_map){.name = "long",
                       .to = to,
                       .n_rows = n_rows,
                       .n_points = n_points,
                       .arity = arity,
                       .offsets = offsets,
                       .values = values};
}

/* Every block has elements, at most S, and touches at most max_points points of each set. */
static void check_blocks(const mplan_block_limits *limits, const int32_t *sequence,
                         const int64_t *offsets, int64_t n_blocks)
{
    uint8_t *seen = calloc(N, 1);
    assert_int_equal(offsets[0], 0);
    assert_int_equal(offsets[n_blocks], N);
    for (int64_t b = 0; b < n_blocks; b++)
        assert_in_range(offsets[b + 1] - offsets[b], 1, limits->block_size);
    for (int64_t i = 0; i < N; i++) {
        assert_in_range(sequence[i], 0, N - 1);
        assert_int_equal(seen[sequence[i]]++, 0);
    }
    free(seen);
    for (int32_t m = 0; m < limits->n_maps; m++) {
        const mplan_map *map = &limits->maps[m];
        int32_t *last = malloc((size_t)map->n_points * sizeof *last);
        memset(last, 0xff, (size_t)map->n_points * sizeof *last);
        for (int32_t b = 0; b < n_blocks; b++) {
            int64_t points = 0;
            for (int64_t i = offsets[b]; i < offsets[b + 1]; i++) {
                int32_t length;
                const int32_t *row = mplan_map_row(map, sequence[i], &length);
                for (int32_t k = 0; k < length; k++) {
                    points += row[k] >= 0 && last[row[k]] != b;
                    if (row[k] >= 0)
                        last[row[k]] = b;
                }
            }
            assert_true(points <= limits->max_points);
        }
        free(last);
    }
}

typedef struct grown {
    int32_t *sequence;
    int64_t *offsets, n_blocks;
} grown;

static grown grow(const mplan_block_limits *limits, int32_t threads)
{
    mplan_error err;
    mplan_footprint meter;
    native_table table;
    mplan_threaded team;
    const mplan_context *context = support_threaded_open(NULL, &team, threads);
    grown out = {malloc(N * sizeof *out.sequence), NULL, (N + S - 2) / (S - 1)};
    assert_done(mplan_footprint_open(&meter, limits, &err), &err);
    assert_done(mplan_native_table_create(&meter, N, &table, context, &err), &err);
    assert_done(mplan_native_grow(&table, &meter, (native_starts){.n = 1}, &out.n_blocks,
                                  out.sequence, &out.offsets, context, &err),
                &err);
    mplan_threaded_close(&team);
    mplan_native_table_free(&table);
    mplan_footprint_close(&meter);
    return out;
}

static void grown_free(grown *out)
{
    free(out->sequence);
    free(out->offsets);
}

static bool crosses(const grown *cut, int64_t seam)
{
    for (int64_t b = 0; b < cut->n_blocks; b++) {
        bool low = false, high = false;
        for (int64_t i = cut->offsets[b]; i < cut->offsets[b + 1]; i++) {
            low = low || cut->sequence[i] < seam;
            high = high || cut->sequence[i] >= seam;
        }
        if (low && high)
            return true;
    }
    return false;
}

/* Limits kept, equal blocks for any number of threads, and two regions indeed. */
static void grows_in_regions(void **state)
{
    (void)state;
    mplan_map maps[2] = {long_map(N, 2, 1, 1), long_map(N, 0, 2, 2)};
    for (int32_t kind = 0; kind < 3; kind += support_races_only() ? 2 : 1) {
        mplan_block_limits limits = {
            S, kind == 2 ? 70 : 65535, 1 << 20, kind == 0 ? 1 : 2, 0, maps, NULL};
        grown many = grow(&limits, 3);
        check_blocks(&limits, many.sequence, many.offsets, many.n_blocks);
        if (kind < 2) {
            int64_t wanted = (N + S - 2) / (S - 1);
            assert_int_equal(many.n_blocks, wanted);
            assert_false(crosses(&many, (int64_t)N * (wanted / 2) / wanted));
        }
        if (support_every(2) == 1) { /* equal bits are for the build that tries all */
            grown one = grow(&limits, 1);
            assert_int_equal(one.n_blocks, many.n_blocks);
            assert_memory_equal(one.sequence, many.sequence, N * sizeof *one.sequence);
            assert_memory_equal(one.offsets, many.offsets,
                                ((size_t)one.n_blocks + 1) * sizeof *one.offsets);
            grown_free(&one);
        }
        grown_free(&many);
    }
    support_map_free(&maps[0]);
    support_map_free(&maps[1]);
}

/* True from the second call on. */
static bool second_time(void *user)
{
    return ++*(int *)user > 1;
}

/* One question where a region begins, one behind 4096 blocks of it: there all stop. */
static void stops_within_regions(void **state)
{
    (void)state;
    mplan_map map = long_map(N, 2, 1, 1);
    mplan_block_limits limits = {32, 65535, 1 << 20, 1, 0, &map, NULL};
    for (int32_t threads = support_races_only() ? 3 : 1; threads <= 3; threads += 2) {
        mplan_error err;
        mplan_footprint meter;
        native_table table;
        mplan_context context = MPLAN_CONTEXT_INIT;
        int32_t *sequence = malloc(N * sizeof *sequence);
        int64_t *offsets = NULL, n_blocks = N / 31;
        int asked = 0;
        assert_done(mplan_footprint_open(&meter, &limits, &err), &err);
        assert_done(mplan_native_table_create(&meter, N, &table, NULL, &err), &err);
        context.cancelled = second_time;
        context.user = &asked;
        mplan_threaded team;
        const mplan_context *threaded = support_threaded_open(&context, &team, threads);
        assert_refused(mplan_native_grow(&table, &meter, (native_starts){.n = 1}, &n_blocks,
                                         sequence, &offsets, threaded, &err),
                       MPLAN_ERR_INTERRUPTED, &err, "interrupted");
        mplan_threaded_close(&team);
        if (threads == 1)
            assert_int_equal(asked, 2);
        assert_null(offsets);
        mplan_native_table_free(&table);
        mplan_footprint_close(&meter);
        free(sequence);
    }
    support_map_free(&map);
}

/* The lowest element that no block can hold is named, wherever its region is. */
static void names_the_breaker(void **state)
{
    (void)state;
    mplan_error err;
    mplan_map map = long_map(N, 0, 1, 3);
    mplan_block_limits limits = {S, 2, 1 << 20, 1, 0, &map, NULL};
    mplan_native_options options = {.fill = 0.99};
    int64_t n_blocks, late = N - 1000;
    int32_t *block = malloc(N * sizeof *block);
    for (int64_t e = 0; e < N; e++)
        for (int64_t k = map.offsets[e]; k < map.offsets[e + 1]; k++)
            ((int32_t *)(uintptr_t)map.values)[k] = (int32_t)(e / 2 + (k & 1));
    while (map.offsets[late + 1] - map.offsets[late] < 3)
        late++;
    for (int64_t k = map.offsets[late]; k < map.offsets[late + 1]; k++)
        ((int32_t *)(uintptr_t)map.values)[k] = (int32_t)(late / 2 + k - map.offsets[late]);
    char part[64];
    snprintf(part, sizeof part, "element %lld by itself touches 3 points", (long long)late);
    assert_refused(mplan_partition_native(N, &limits, &options, block, &n_blocks, NULL, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, part);
    support_map_free(&map);
    free(block);
}

/* --- the points that blocks share ---------------------------------------------------- */

/* Against the definition, from several threads. */
static void finds_shared_points(void **state)
{
    (void)state;
    enum { ROWS = 20000, POINTS = 18000, BLOCKS = 40, MOST = 3 };
    mplan_error err;
    uint64_t seed = 4;
    mplan_threaded team;
    const mplan_context *context = support_threaded_open(NULL, &team, 3);
    mplan_map maps[2] = {support_random_map(&seed, ROWS, POINTS, 2, 5),
                         support_random_map(&seed, ROWS, POINTS, 0, 5)};
    int32_t *block = malloc(ROWS * sizeof *block);
    for (int64_t e = 0; e < ROWS; e++)
        block[e] = (int32_t)support_random(&seed, BLOCKS);
    mplan_vector ends = MPLAN_VECTOR_INIT(sizeof(int64_t));
    mplan_vector blocks = MPLAN_VECTOR_INIT(sizeof(int32_t));
    assert_done(mplan_shared_points(maps, 2, block, MOST, &ends, &blocks, context, &err), &err);
    mplan_threaded_close(&team);
    uint8_t *touches = calloc(POINTS, BLOCKS);
    for (int32_t m = 0; m < 2; m++)
        for (int64_t e = 0; e < ROWS; e++) {
            int32_t length;
            const int32_t *row = mplan_map_row(&maps[m], e, &length);
            for (int32_t k = 0; k < length; k++)
                if (row[k] >= 0)
                    touches[(int64_t)row[k] * BLOCKS + block[e]] = 1;
        }
    int64_t list = 0, at = 0;
    for (int64_t p = 0; p < POINTS; p++) {
        int64_t length = 0;
        for (int32_t b = 0; b < BLOCKS; b++)
            length += touches[p * BLOCKS + b];
        if (length < 2 || length > MOST)
            continue;
        for (int32_t b = 0; b < BLOCKS; b++)
            if (touches[p * BLOCKS + b])
                assert_int_equal(((int32_t *)blocks.data)[at++], b);
        assert_int_equal(((int64_t *)ends.data)[list++], at);
    }
    assert_int_equal(ends.count, list);
    assert_int_equal(blocks.count, at);
    support_map_free(&maps[0]);
    support_map_free(&maps[1]);
    free(block);
    free(touches);
    free(ends.data);
    free(blocks.data);
}

/* (block, point) pairs of blocks that are grown from these starts, by limits of 37 elements. */
static int64_t pairs_from(const mplan_map *map, native_starts starts, int32_t threads)
{
    mplan_error err;
    mplan_threaded team;
    const mplan_context *context = support_threaded_open(NULL, &team, threads);
    mplan_footprint meter;
    native_table table;
    mplan_block_limits limits = {37, 65535, 1 << 20, 1, 0, map, NULL};
    int64_t n = map->n_rows, *offsets = NULL, n_blocks = (n + 36) / 37, pairs = 0;
    int32_t *sequence = malloc((size_t)n * sizeof *sequence);
    assert_done(mplan_footprint_open(&meter, &limits, &err), &err);
    assert_done(mplan_native_table_create(&meter, n, &table, NULL, &err), &err);
    assert_done(mplan_native_grow(&table, &meter, starts, &n_blocks, sequence, &offsets, context,
                                  &err),
                &err);
    mplan_threaded_close(&team);
    int32_t *last = malloc((size_t)map->n_points * sizeof *last);
    memset(last, 0xff, (size_t)map->n_points * sizeof *last);
    for (int32_t b = 0; b < n_blocks; b++)
        for (int64_t i = offsets[b]; i < offsets[b + 1]; i++) {
            int32_t length;
            const int32_t *row = mplan_map_row(map, sequence[i], &length);
            for (int32_t k = 0; k < length; k++) {
                pairs += last[row[k]] != b;
                last[row[k]] = b;
            }
        }
    mplan_native_table_free(&table);
    mplan_footprint_close(&meter);
    free(offsets);
    free(sequence);
    free(last);
    return pairs;
}

/* Triangles of a square, numbered at random: of several starts the cheapest is kept, by any number of threads. */
static void keeps_the_cheapest_start(void **state)
{
    (void)state;
    enum { SIDE = 20, ROWS = 2 * SIDE * SIDE, STARTS = 5 };
    uint64_t seed = 5;
    int32_t values[3 * ROWS], place[ROWS];
    for (int32_t e = 0; e < ROWS; e++) {
        int32_t other = (int32_t)support_random(&seed, (uint64_t)e + 1);
        place[e] = place[other];
        place[other] = e;
    }
    for (int32_t e = 0; e < ROWS; e++) {
        int32_t corner = e / 2 / SIDE * (SIDE + 1) + e / 2 % SIDE;
        int32_t nodes[3] = {corner, corner + SIDE + 2, e % 2 ? corner + 1 : corner + SIDE + 1};
        memcpy(values + (size_t)3 * (size_t)place[e], nodes, sizeof nodes);
    }
    mplan_map map = {
        .n_rows = ROWS, .n_points = (SIDE + 1) * (SIDE + 1), .arity = 3, .values = values};
    int64_t least = INT64_MAX, most = 0;
    for (int32_t i = 0; i < STARTS; i++) {
        int64_t pairs = pairs_from(&map,
                                   (native_starts){.first = (7 + (int64_t)ROWS * i / STARTS) % ROWS,
                                                   .n = 1},
                                   1);
        least = pairs < least ? pairs : least;
        most = pairs > most ? pairs : most;
    }
    assert_true(least < most);
    for (int32_t threads = 1; threads <= 3; threads++)
        assert_int_equal(pairs_from(&map, (native_starts){.first = 7, .n = STARTS}, threads), least);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_in_regions),     cmocka_unit_test(keeps_the_cheapest_start),
        cmocka_unit_test(stops_within_regions), cmocka_unit_test(names_the_breaker),
        cmocka_unit_test(finds_shared_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
