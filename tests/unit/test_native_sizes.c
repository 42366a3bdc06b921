/* SPDX-License-Identifier: Apache-2.0 */
/* test_native_sizes.c - blocks with too many elements, brought back to S */
#include "support_test.h"
#include "support_threads.h"

#include <stdlib.h>
#include <string.h>

#include "partition/native/native_lists.h"
#include "partition/native/native_sizes.h"

/* Bodies of squares, each WIDTH x HEIGHT and at the corners of its squares, that share nothing. */
enum {
    BODIES = 3,
    WIDTH = 12,
    HEIGHT = 10,
    EACH = WIDTH * HEIGHT,
    N = BODIES * EACH,
    MOST_BLOCKS = 24
};

typedef struct bodies_case {
    int32_t values[4 * N];
    mplan_map map;
    mplan_block_limits limits;
    mplan_footprint meter;
    native_table table;
    native_cut cut;
} bodies_case;

static void open_case(bodies_case *c, int32_t block_size, int32_t n_blocks)
{
    static const mplan_staged_dat dat = {1, 8};
    mplan_error err;
    int64_t offsets[MOST_BLOCKS + 1];
    for (int32_t e = 0; e < N; e++)
        for (int32_t k = 0; k < 4; k++) {
            int32_t x = e % WIDTH + (k & 1), y = e % EACH / WIDTH + (k >> 1);
            c->values[4 * e + k] = (e / EACH * (HEIGHT + 1) + y) * (WIDTH + 1) + x;
        }
    c->map = (mplan_map){.name = "m",
                         .to = 1,
                         .arity = 4,
                         .n_rows = N,
                         .n_points = BODIES * (HEIGHT + 1) * (WIDTH + 1),
                         .values = c->values};
    c->limits = (mplan_block_limits){.block_size = block_size,
                                     .max_points = 65535,
                                     .shared_bytes = 1 << 20,
                                     .n_maps = 1,
                                     .n_dats = 1,
                                     .maps = &c->map,
                                     .dats = &dat};
    for (int32_t b = 0; b <= n_blocks; b++)
        offsets[b] = (int64_t)N * b / n_blocks;
    assert_done(mplan_footprint_open(&c->meter, &c->limits, &err), &err);
    assert_done(mplan_native_table_create(&c->meter, N, &c->table, NULL, &err), &err);
    assert_done(mplan_native_cut_create(&c->table, &c->meter, n_blocks, offsets, &c->cut, NULL, &err),
                &err);
}

static void close_case(bodies_case *c)
{
    mplan_native_cut_free(&c->cut);
    mplan_native_table_free(&c->table);
    mplan_footprint_close(&c->meter);
}

/* Elements leave their blocks for others of the same body that have not reached what loose sizes allow. */
static void overfill(native_cut *cut, uint64_t *seed)
{
    for (int32_t k = 0; k < 4 * N; k++) {
        int32_t e = (int32_t)support_random(seed, N),
                f = (int32_t)support_random(seed, EACH) + e / EACH * EACH;
        int32_t a = cut->where[e].block, b = cut->where[f].block;
        if (cut->sizes[b] >= cut->most || cut->sizes[a] == 1)
            continue;
        cut->where[e].block = b;
        cut->sizes[a]--;
        cut->sizes[b]++;
    }
}

/* Sizes by definition, none above `limit`, and what the cut says of them; no slot is in use. */
static void assert_sizes_within(const native_cut *cut, int32_t limit)
{
    int32_t counted[MOST_BLOCKS] = {0};
    for (int32_t e = 0; e < N; e++) {
        assert_true(cut->where[e].block >= 0 && cut->where[e].block < cut->n_blocks);
        assert_int_equal(cut->where[e].slot, -1);
        counted[cut->where[e].block]++;
    }
    for (int32_t b = 0; b < cut->n_blocks; b++) {
        assert_int_equal(counted[b], cut->sizes[b]);
        assert_true(cut->sizes[b] <= limit);
    }
    assert_int_equal(cut->most, limit);
    assert_int_equal(cut->room, limit);
}

static void assert_sizes(const native_cut *cut)
{
    assert_sizes_within(cut, cut->block_size);
}

/* The lists name the members of each block, once each. */
static void assert_lists(const native_cut *cut)
{
    bool met[N] = {false};
    for (int32_t b = 0; b < cut->n_blocks; b++)
        for (int32_t i = 0; i < cut->sizes[b]; i++) {
            int32_t e = native_members(cut, b)[i];
            assert_true(!met[e] && cut->where[e].block == b);
            met[e] = true;
        }
}

/* Blocks of all bodies, some of which hold elements of two of them: their sizes come back, with lists and without. */
static void sizes_come_back(void **state)
{
    uint64_t seed = 3;
    int32_t changed = 0;
    (void)state;
    for (int32_t i = 0; i < 60; i++) {
        bodies_case c;
        mplan_error err;
        open_case(&c, 16 + i % 5, 23);
        mplan_native_sizes_loosen(&c.cut);
        assert_true(c.cut.most > c.cut.block_size && c.cut.room >= c.cut.most);
        overfill(&c.cut, &seed);
        for (int32_t b = 0; b < c.cut.n_blocks; b++)
            changed += c.cut.sizes[b] > c.cut.block_size;
        if (i % 2 == 0) {
            assert_done(mplan_native_cut_list(&c.cut, NULL, &err), &err);
            assert_done(mplan_native_lists_create(&c.cut, NULL, &err), &err);
        }
        const bool lists = c.cut.lists != NULL;
        assert_done(mplan_native_sizes_tighten(&c.cut, 1, 1, NULL, &err), &err);
        assert_sizes(&c.cut);
        assert_true(lists == (c.cut.lists != NULL));
        if (lists)
            assert_lists(&c.cut);
        close_case(&c);
    }
    assert_true(changed > 60);
}

/* In three steps: 8, 4 and 1.5 of a hundred above S, rounded up, then none; a step that has nothing to bring back changes no block. */
static void sizes_come_back_by_steps(void **state)
{
    static const int32_t above[] = {80, 40, 15, 0};
    uint64_t seed = 5;
    (void)state;
    for (int32_t i = 0; i < 40; i++) {
        bodies_case c;
        mplan_error err;
        const int32_t size = i % 3 == 0 ? 121 : 16 + i % 5;
        int32_t moved[3];
        open_case(&c, size, size == 121 ? 3 : 23);
        mplan_native_sizes_loosen(&c.cut);
        assert_int_equal(c.cut.most, size + (size * above[0] + 999) / 1000);
        for (int k = 0; k < N / 4; k++) /* one body gives to another, which leaves too much there */
            overfill(&c.cut, &seed);
        for (int32_t step = 1; step <= 3; step++) {
            const int32_t limit = size + (size * above[step] + 999) / 1000;
            int32_t before[N];
            bool fits = true;
            for (int32_t e = 0; e < N; e++)
                before[e] = c.cut.where[e].block;
            for (int32_t b = 0; b < c.cut.n_blocks; b++)
                fits = fits && c.cut.sizes[b] <= limit;
            assert_done(mplan_native_sizes_tighten(&c.cut, step, 3, NULL, &err), &err);
            assert_sizes_within(&c.cut, limit);
            moved[step - 1] = 0;
            for (int32_t e = 0; e < N; e++)
                moved[step - 1] += before[e] != c.cut.where[e].block;
            assert_true(moved[step - 1] > 0 || fits);
            assert_true(moved[step - 1] == 0 || !fits);
        }
        close_case(&c);
    }
}

/* Puts which block each element is in behind what the hash (FNV-1a) has of cases before. */
static uint64_t hash_blocks(const native_cut *cut, uint64_t hash)
{
    for (int32_t e = 0; e < N; e++)
        hash = (hash ^ (uint64_t)cut->where[e].block) * UINT64_C(0x100000001b3);
    return hash;
}

/* Blocks of all sizes, brought back by so many threads; the hash of what became of them. */
static uint64_t tightened_by(int threads)
{
    uint64_t seed = 17, hash = UINT64_C(0xcbf29ce484222325);
    for (int32_t i = 0; i < 40; i++) {
        bodies_case c;
        mplan_error err;
        mplan_threaded own;
        open_case(&c, 16 + i % 8, 23);
        mplan_native_sizes_loosen(&c.cut);
        c.cut.most = c.cut.room = 16 + 8 + i % 5;
        overfill(&c.cut, &seed);
        const mplan_context *context = support_threaded_open(NULL, &own, threads);
        assert_done(mplan_native_sizes_tighten(&c.cut, 1, 1, context, &err), &err);
        mplan_threaded_close(&own);
        assert_sizes(&c.cut);
        hash = hash_blocks(&c.cut, hash);
        close_case(&c);
    }
    return hash;
}

/* Whoever shares the waves: what comes of it is what blocks that give one after the other, by their numbers, did (before there
 * were waves). */
static void threads_move_what_one_block_after_the_other_does(void **state)
{
    static const int threads[] = {1, 2, 3, 7};
    (void)state;
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        assert_int_equal(tightened_by(threads[i]), UINT64_C(0x5179c7bea804b302));
}

/* A body of one block, with more elements than that may have: the rest leaps to a block of another body that has room, and
 * lies side by side there, at a border of the body. */
static void what_has_no_way_leaps(void **state)
{
    bodies_case c;
    mplan_error err;
    int32_t gone = 0;
    (void)state;
    open_case(&c, 120, 4);
    for (int32_t e = 0; e < N; e++) /* two blocks share body 1, the others have one each */
        c.cut.where[e].block = e < EACH ? 0 : e >= 2 * EACH ? 3 : 1 + (e % EACH >= 64);
    const int32_t sizes[] = {EACH, 64, EACH - 64, EACH};
    memcpy(c.cut.sizes, sizes, sizeof sizes);
    c.cut.block_size = 116; /* so that bodies 0 and 2 have four elements too many; 2 has most room */
    c.cut.most = c.cut.room = EACH;
    const int64_t before = mplan_native_cut_weight(&c.cut, NULL);
    assert_done(mplan_native_sizes_tighten(&c.cut, 1, 1, NULL, &err), &err);
    assert_sizes(&c.cut);
    assert_int_equal(c.cut.sizes[0], 116);
    assert_int_equal(c.cut.sizes[3], 116);
    assert_int_equal(c.cut.sizes[1], 64);
    for (int32_t e = 0; e < N; e++)
        if (c.cut.where[e].block == 2 && e / EACH != 1)
            gone++;
    assert_int_equal(gone, 8);
    /* each four take nine or ten points along; where they lie side by side at a border, at most six of these stay behind as well */
    int64_t after = mplan_native_cut_weight(&c.cut, NULL);
    assert_true(after >= before && after <= before + 2 * 6);
    close_case(&c);
}

/* Nearly full: yes; full, or with much room: no; limits on points that bind: no. */
static void only_nearly_full_blocks_are_loose(void **state)
{
    (void)state;
    static const struct {
        int32_t size, blocks;
        bool may;
    } cases[] = {{120, 3, false}, {121, 3, true}, {122, 3, true}, {123, 3, false}, {16, 23, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bodies_case c;
        open_case(&c, cases[i].size, cases[i].blocks);
        assert_true(mplan_native_sizes_may_be_loose(&c.cut) == cases[i].may);
        int64_t counts = 0;
        c.cut.set_points = &counts;
        assert_false(mplan_native_sizes_may_be_loose(&c.cut));
        c.cut.set_points = NULL;
        close_case(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_come_back),
        cmocka_unit_test(sizes_come_back_by_steps),
        cmocka_unit_test(threads_move_what_one_block_after_the_other_does),
        cmocka_unit_test(what_has_no_way_leaps),
        cmocka_unit_test(only_nearly_full_blocks_are_loose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
