/* SPDX-License-Identifier: Apache-2.0 */
/* test_native_regroup.c - groups of blocks cut anew: what is saved is saved, limits are kept, and small grids gain by it */
#include "support_test.h"

#include "partition/native/native_regroup.h"
#include "partition/partition.h"

enum { N = 300, N_POINTS = 90, SIZE = 24, N_BLOCKS = 14, TABLES = 40, ARITY = 3, FIRST_SET = 50 };

/* Two maps into two sets, of which a point of the second costs three times one of the first. */
typedef struct case_of {
    mplan_map maps[2];
    mplan_block_limits limits;
    mplan_footprint footprint;
    native_table table;
    uint64_t seed;
    int64_t calls;
} case_of;

/* Of distinct points of all blocks, by marking them. */
static int64_t naive_weight(const native_table *table, const int32_t *block, int64_t n_blocks)
{
    int64_t sum = 0;
    bool *seen = calloc((size_t)table->n_points + 1, sizeof *seen);
    for (int32_t b = 0; b < n_blocks; b++) {
        memset(seen, 0, (size_t)table->n_points);
        for (int64_t e = 0; e < table->n; e++) {
            int32_t length;
            const int32_t *row = native_row(table, e, &length);
            for (int32_t k = 0; k < length && block[e] == b; k++) {
                sum += seen[row[k]] ? 0 : table->set_weight[native_set_of(table, row[k])];
                seen[row[k]] = true;
            }
        }
    }
    free(seen);
    return sum;
}

static case_of *at_hand; /* of cut_at_random */

/* Random blocks of at most SIZE elements; now and then a block more than asked for is said to be there. */
static mplan_status cut_at_random(native_part *part, mplan_footprint *footprint,
                                  const mplan_native_options *options, const mplan_context *context,
                                  mplan_error *err)
{
    (void)footprint, (void)options, (void)context, (void)err;
    int32_t sizes[N_BLOCKS + 1] = {0};
    assert_in_range(part->n_blocks, 2, N_BLOCKS);
    assert_in_range(part->first, 0, part->table.n - 1);
    for (int32_t e = 0; e < part->table.n; e++) {
        int32_t b = (int32_t)support_random(&at_hand->seed, part->n_blocks);
        while (sizes[b] == SIZE)
            b = (b + 1) % (int32_t)part->n_blocks;
        part->block[e] = b;
        sizes[b]++;
    }
    part->weight = naive_weight(&part->table, part->block, part->n_blocks);
    part->n_blocks += at_hand->calls++ % 7 == 3;
    return MPLAN_OK;
}

static void open_case(case_of *c, int way)
{
    mplan_error err;
    static const mplan_staged_dat dats[2] = {{1, 8}, {2, 24}};
    c->seed = (uint64_t)way + 1;
    c->calls = 0;
    for (int32_t m = 0; m < 2; m++) {
        c->maps[m] = support_random_map(&c->seed, N, m ? N_POINTS - FIRST_SET : FIRST_SET,
                                        way % 2 ? 0 : ARITY, 10);
        c->maps[m].to = 1 + m;
    }
    c->limits = (mplan_block_limits){.block_size = SIZE,
                                     .max_points = 65535,
                                     .shared_bytes = 1 << 20,
                                     .n_maps = 2,
                                     .n_dats = 2,
                                     .maps = c->maps,
                                     .dats = dats};
    assert_done(mplan_footprint_open(&c->footprint, &c->limits, &err), &err);
    assert_done(mplan_native_table_create(&c->footprint, N, &c->table, NULL, &err), &err);
}

/* From any blocks, by a cutter that knows nothing: the weight falls by what is said, no block gets too long or empty. */
static void saves_what_it_says(void **state)
{
    (void)state;
    int64_t gained = 0;
    for (int way = 0; way < TABLES; way++) {
        case_of c;
        native_table copy;
        mplan_error err;
        mplan_native_options options = {.fill = 0.995};
        int32_t block[N], before[N], sizes[N_BLOCKS] = {0};
        int64_t saved = -1;
        open_case(&c, way);
        at_hand = &c;
        for (int32_t e = 0; e < N; e++)
            block[e] = before[e] = e % N_BLOCKS;
        assert_done(mplan_native_table_copy(&c.table, &copy, &err), &err);
        assert_done(mplan_native_regroup(&copy, &c.footprint, &options, cut_at_random, N_BLOCKS,
                                         block, &saved, NULL, &err),
                    &err);
        assert_true(c.calls >= N_BLOCKS);
        assert_int_equal(naive_weight(&c.table, before, N_BLOCKS) -
                             naive_weight(&c.table, block, N_BLOCKS),
                         saved);
        for (int32_t e = 0; e < N; e++)
            sizes[block[e]]++;
        for (int32_t b = 0; b < N_BLOCKS; b++)
            assert_in_range(sizes[b], 1, SIZE);
        if (saved == 0)
            assert_memory_equal(block, before, sizeof block);
        gained += saved;
        mplan_native_table_free(&copy);
        mplan_native_table_free(&c.table);
        mplan_footprint_close(&c.footprint);
        support_map_free(&c.maps[0]);
        support_map_free(&c.maps[1]);
    }
    assert_true(gained > 0);
}

/* 32 x 32 quads in blocks of 128: 1,234 (block, point) pairs are left by tiles, 1,232 are METIS's. */
static void small_grids_gain(void **state)
{
    (void)state;
    enum { SIDE = 32, QUADS = SIDE * SIDE, NODES = (SIDE + 1) * (SIDE + 1), MOST = 1228 };
    mplan_error err;
    int32_t values[4 * QUADS], block[QUADS];
    int64_t n_blocks, pairs = 0;
    for (int32_t e = 0; e < QUADS; e++) {
        int32_t at = e / SIDE * (SIDE + 1) + e % SIDE;
        const int32_t nodes[4] = {at, at + 1, at + SIDE + 2, at + SIDE + 1};
        memcpy(values + 4 * e, nodes, sizeof nodes);
    }
    mplan_map map = {"cells_nodes", 0, 1, 4, QUADS, NODES, NULL, values};
    mplan_staged_dat dat = {1, 8};
    mplan_block_limits limits = {128, 65535, 1 << 20, 1, 1, &map, &dat};
    mplan_native_options options = {.fill = 0.995, .effort = MPLAN_EFFORT_DEFAULT};
    assert_done(mplan_partition_native(QUADS, &limits, &options, block, &n_blocks, NULL, NULL, &err),
                &err);
    for (int32_t b = 0; b < n_blocks; b++) {
        bool seen[NODES] = {false};
        for (int32_t i = 0; i < 4 * QUADS; i++)
            if (block[i / 4] == b && !seen[values[i]]) {
                seen[values[i]] = true;
                pairs++;
            }
    }
    assert_in_range(pairs, 1000, MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saves_what_it_says),
        cmocka_unit_test(small_grids_gain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
