/* SPDX-License-Identifier: Apache-2.0 */
/* test_native_lists.c - lists of the points of blocks stay true while pairs are refined */
#include "support_test.h"

#include "partition/native/native_lists.h"
#include "partition/native/native_pair.h"
#include "partition/native/native_pair_lists.h"

enum { N = 240, SIZE = 24, N_BLOCKS = 12, ROUNDS = 60, TABLES = 40 };

typedef struct case_of {
    mplan_map map;
    mplan_block_limits limits;
    mplan_footprint meter;
    native_table table;
    native_cut cut;
    native_pair *pair;
} case_of;

/* A table of points that are near one another where elements are; every third one is ragged. */
static mplan_map near_rows(uint64_t *seed, bool ragged)
{
    int64_t *offsets = malloc((N + 1) * sizeof *offsets);
    int32_t *values = malloc(6 * N * sizeof *values);
    offsets[0] = 0;
    for (int64_t e = 0; e < N; e++) {
        int64_t length = ragged ? 3 + support_random(seed, 4) : 4;
        for (int64_t k = 0; k < length; k++)
            values[offsets[e] + k] = (int32_t)((e / 6 + support_random(seed, 12)) % (N / 6));
        offsets[e + 1] = offsets[e] + length;
    }
    if (!ragged) {
        free(offsets);
        offsets = NULL;
    }
    return (mplan_map){.name = "m",
                       .to = 1,
                       .arity = ragged ? 0 : 4,
                       .n_rows = N,
                       .n_points = N / 6,
                       .offsets = offsets,
                       .values = values};
}

static void open_case(case_of *c, uint64_t *seed, int way)
{
    mplan_error err;
    int64_t offsets[N_BLOCKS + 1];
    static const mplan_staged_dat dat = {1, 8};
    c->map = near_rows(seed, way % 3 == 0);
    c->limits = (mplan_block_limits){.block_size = SIZE,
                                     .max_points = way % 2 ? 65535 : 34,
                                     .shared_bytes = 1 << 20,
                                     .n_maps = 1,
                                     .n_dats = 1,
                                     .maps = &c->map,
                                     .dats = &dat};
    assert_done(mplan_footprint_open(&c->meter, &c->limits, &err), &err);
    assert_done(mplan_native_table_create(&c->meter, N, &c->table, NULL, &err), &err);
    for (int64_t b = 0; b <= N_BLOCKS; b++)
        offsets[b] = b * (N / N_BLOCKS);
    assert_done(mplan_native_cut_create(&c->table, &c->meter, N_BLOCKS, offsets, &c->cut, NULL, &err),
                &err);
    assert_done(mplan_native_lists_create(&c->cut, NULL, &err), &err);
    assert_non_null(c->cut.lists);
    c->pair = mplan_native_pair_create(&c->cut, true, &err);
    assert_non_null(c->pair);
}

static void close_case(case_of *c)
{
    mplan_native_pair_free(c->pair);
    mplan_native_cut_free(&c->cut);
    mplan_native_table_free(&c->table);
    mplan_footprint_close(&c->meter);
    support_map_free(&c->map);
}

/* The points of a block by definition, counted; returns how many there are. */
static int32_t count_points(const native_cut *cut, int32_t b, int32_t *counts)
{
    int32_t n = 0;
    memset(counts, 0, N * sizeof *counts);
    for (int32_t e = 0; e < N; e++) {
        int32_t length;
        const int32_t *row = native_row(cut->table, e, &length);
        for (int32_t k = 0; k < length && cut->where[e].block == b; k++)
            n += counts[row[k]]++ == 0;
    }
    return n;
}

static void check_block(const native_cut *cut, int32_t b)
{
    const native_lists *lists = cut->lists;
    const int32_t *members = native_members(cut, b);
    const int32_t *points = lists->points + lists->points_begin[b];
    int32_t counts[N];
    assert_int_equal(count_points(cut, b, counts), lists->n_points[b]);
    assert_true(lists->points_begin[b] + lists->n_points[b] <= lists->points_begin[b + 1]);
    for (int32_t i = 0; i < lists->n_points[b]; i++) {
        assert_true(counts[points[i]] > 0);
        assert_int_equal(counts[points[i]], lists->counts[lists->points_begin[b] + i]);
        counts[points[i]] = -1; /* once */
    }
    assert_in_range(cut->sizes[b], 1, SIZE);
    for (int32_t i = 0; i < cut->sizes[b]; i++) {
        int32_t length;
        const int32_t *row = native_row(cut->table, members[i], &length);
        const uint16_t *local = native_rows(cut, b) + i * lists->stride;
        assert_int_equal(cut->where[members[i]].block, b);
        for (int32_t k = 0; k < lists->stride; k++) {
            if (k >= length) {
                assert_int_equal(local[k], NATIVE_NONE);
                continue;
            }
            assert_in_range(local[k], 0, lists->n_points[b] - 1);
            assert_int_equal(points[local[k]], row[k]);
        }
    }
}

/* Distinct (block, point) pairs; every list is looked at. */
static int64_t check_all(const native_cut *cut)
{
    int64_t members = 0, cost = 0;
    for (int32_t b = 0; b < N_BLOCKS; b++) {
        check_block(cut, b);
        members += cut->sizes[b];
        cost += cut->lists->n_points[b];
    }
    assert_int_equal(members, N);
    return cost;
}

static void stay_true(void **state)
{
    (void)state;
    uint64_t seed = 5;
    int64_t gains = 0;
    for (int way = 0; way < TABLES; way++) {
        case_of c = {.pair = NULL};
        open_case(&c, &seed, way);
        int64_t cost = check_all(&c.cut);
        for (int round = 0; round < ROUNDS; round++) {
            int32_t a = (int32_t)support_random(&seed, N_BLOCKS - 1);
            native_block_pair couple = {a, a + 1 + (int32_t)support_random(&seed, N_BLOCKS - 1 - a),
                                        0, 0};
            native_try how = {.sweeps = round % 3 == 1 ? 3 : 0,
                              .flows = round % 3 == 2,
                              .patience = 1 + (int32_t)support_random(&seed, 9),
                              .least = round % 2 ? INT32_MIN : -1};
            int64_t saved = mplan_native_pair_refine(c.pair, &couple, NULL, &how);
            int64_t now = check_all(&c.cut);
            assert_int_equal(now, cost - (saved > 0 ? saved : 0));
            gains += saved > 0;
            cost = now;
        }
        close_case(&c);
    }
    assert_true(gains > TABLES);
}

/* Two blocks that are straightened keep their sizes where limits on points do not bind, and what is said to be saved is what is saved,
 * also where it is a loss; -1 says that nothing moved, too. */
static void straighten_at_a_cost(void **state)
{
    (void)state;
    uint64_t seed = 11;
    int worse = 0, better = 0;
    for (int way = 0; way < TABLES; way++) {
        case_of c = {.pair = NULL};
        open_case(&c, &seed, way);
        int64_t cost = check_all(&c.cut);
        for (int32_t a = 0; a + 1 < N_BLOCKS; a++) {
            const int32_t sizes[2] = {c.cut.sizes[a], c.cut.sizes[a + 1]};
            native_block_pair couple = {a, a + 1, 0, 0};
            native_try how = {.sweeps = 6, .straightens = true, .patience = 5};
            int64_t saved = mplan_native_pair_refine(c.pair, &couple, NULL, &how);
            int64_t now = check_all(&c.cut);
            assert_true(now == cost - saved || (saved == -1 && now == cost));
            if (way % 2 == 1) { /* points do not bind */
                assert_int_equal(c.cut.sizes[a], sizes[0]);
                assert_int_equal(c.cut.sizes[a + 1], sizes[1]);
            }
            worse += now > cost;
            better += now < cost;
            cost = now;
        }
        close_case(&c);
    }
    assert_true(worse > 0 && better > 0);
}

/* Without room for another point nothing moves, and nothing is lost. */
static void refuse_without_room(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int refused = 0;
    for (int way = 1; way < TABLES; way += 2) {
        case_of c = {.pair = NULL};
        open_case(&c, &seed, way);
        native_lists *lists = c.cut.lists;
        for (int32_t b = 0, end = 0; b < N_BLOCKS; b++) { /* close up */
            int64_t from = lists->points_begin[b];
            memmove(lists->points + end, lists->points + from,
                    (size_t)lists->n_points[b] * sizeof *lists->points);
            memmove(lists->counts + end, lists->counts + from,
                    (size_t)lists->n_points[b] * sizeof *lists->counts);
            lists->points_begin[b] = end;
            end += lists->n_points[b];
            lists->points_begin[b + 1] = b + 1 < N_BLOCKS ? lists->points_begin[b + 1] : end;
        }
        for (int32_t a = 0; a + 1 < N_BLOCKS; a++) {
            native_block_pair couple = {a, a + 1, 0, 0};
            native_try how = {.patience = 5};
            refused += mplan_native_pair_refine(c.pair, &couple, NULL, &how) < 0;
            check_all(&c.cut);
        }
        close_case(&c);
    }
    assert_true(refused > 0);
}

/* What an element saves when it moves to the other block, by definition; *touches: whether it is at the border. */
static int32_t gain_of(const native_cut *cut, int32_t e, const int32_t *here, const int32_t *there,
                       bool *touches)
{
    int32_t length, gain = 0;
    const int32_t *row = native_row(cut->table, e, &length);
    *touches = false;
    for (int32_t k = 0; k < length; k++) {
        gain += (here[row[k]] == 1) - (there[row[k]] == 0);
        *touches = *touches || there[row[k]] > 0;
    }
    return gain;
}

/* All elements at the border are read, with what they save; none where the best saves less than is asked for. */
static void know_their_gains(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int way = 0; way < TABLES; way++) {
        case_of c = {.pair = NULL};
        int32_t counts[2][N], at_border = 0, best = INT32_MIN;
        native_block_pair couple = {3, 4, 0, 0};
        open_case(&c, &seed, way);
        count_points(&c.cut, 3, counts[0]);
        count_points(&c.cut, 4, counts[1]);
        mplan_native_pair_begin(c.pair, &couple);
        assert_true(mplan_native_pair_lists_read(c.pair, false, INT32_MIN));
        for (int32_t i = 0; i < c.pair->n; i++) {
            const pair_element *element = &c.pair->elements[i];
            int32_t s = element->side;
            bool touches;
            assert_int_equal(c.cut.where[element->element].block, 3 + s);
            assert_int_equal(element->gain,
                             gain_of(&c.cut, element->element, counts[s], counts[1 - s], &touches));
            assert_true(touches);
            best = element->gain > best ? element->gain : best;
        }
        for (int32_t e = 0; e < N; e++) {
            int32_t s = c.cut.where[e].block - 3;
            bool touches = false;
            if (s == 0 || s == 1)
                gain_of(&c.cut, e, counts[s], counts[1 - s], &touches);
            at_border += touches;
        }
        assert_int_equal(at_border, c.pair->n);
        mplan_native_pair_begin(c.pair, &couple);
        assert_true(mplan_native_pair_lists_read(c.pair, false, best));
        mplan_native_pair_begin(c.pair, &couple);
        assert_false(mplan_native_pair_lists_read(c.pair, false, best + 1));
        close_case(&c);
    }
}

/* Short rows, few elements at a point, rows of very uneven length and large blocks have none. */
static void only_where_they_pay(void **state)
{
    (void)state;
    int64_t offsets[] = {0, 3, 6, 9, 12, 15, 18, 21, 24, 124};
    native_table even = {.n = 1000, .arity = 4, .n_points = 200};
    native_table uneven = {.n = 9, .offsets = offsets, .n_points = 10};
    native_cut cut = {.table = &even, .block_size = 128, .room = 128};
    assert_int_equal(mplan_native_lists_stride(&cut), 4);
    even.n_points = 888; /* 4.505 elements at a point */
    assert_int_equal(mplan_native_lists_stride(&cut), 4);
    even.n_points = 889; /* 4.499 */
    assert_int_equal(mplan_native_lists_stride(&cut), 0);
    even.n_points = 200;
    even.arity = 2;
    assert_int_equal(mplan_native_lists_stride(&cut), 2);
    even.arity = 1;
    assert_int_equal(mplan_native_lists_stride(&cut), 0);
    even.arity = 255;
    assert_int_equal(mplan_native_lists_stride(&cut), 255);
    even.arity = 256;
    assert_int_equal(mplan_native_lists_stride(&cut), 0);
    even.arity = 64;
    cut.block_size = cut.room = 1024;
    assert_int_equal(mplan_native_lists_stride(&cut), 0);
    cut.block_size = cut.room = 1023;
    assert_int_equal(mplan_native_lists_stride(&cut), 64);
    cut.table = &uneven;
    assert_int_equal(mplan_native_lists_stride(&cut), 0);
    uneven.n = 8;
    uneven.n_points = 3;
    assert_int_equal(mplan_native_lists_stride(&cut), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stay_true),           cmocka_unit_test(straighten_at_a_cost),
        cmocka_unit_test(know_their_gains),    cmocka_unit_test(refuse_without_room),
        cmocka_unit_test(only_where_they_pay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
