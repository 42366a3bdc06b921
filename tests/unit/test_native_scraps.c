/* SPDX-License-Identifier: Apache-2.0 */
/* test_native_scraps.c - blocks in pieces come together, sizes stay, limits hold */
#include "support_test.h"

#include "partition/native/native_scraps.h"

/* a grid of quads; blocks of 4 x 5 cells */
enum { WIDTH = 24, HEIGHT = 20, N = WIDTH * HEIGHT, SIZE = 36, N_BLOCKS = 24, EACH = N / N_BLOCKS };
enum { CASES = 200 }; /* blocks may be torn to EACH + 12 elements, which SIZE must leave room for */

typedef struct grid_case {
    mplan_map map;
    mplan_block_limits limits;
    mplan_footprint meter;
    native_table table;
    native_cut cut;
} grid_case;

/* Element i: cell of the block i / EACH, row by row within it. */
static void cell_of(int32_t i, int32_t *x, int32_t *y)
{
    int32_t b = i / EACH, k = i % EACH;
    *x = b % 6 * 4 + k % 4;
    *y = b / 6 * 5 + k / 4;
}

static void open_case(grid_case *c, int32_t most_points)
{
    mplan_error err;
    int64_t offsets[N_BLOCKS + 1];
    static const mplan_staged_dat dat = {1, 8};
    int32_t *values = malloc(4 * N * sizeof *values);
    for (int32_t i = 0; i < N; i++) {
        int32_t x, y;
        cell_of(i, &x, &y);
        for (int32_t k = 0; k < 4; k++)
            values[4 * i + k] = (y + k / 2) * (WIDTH + 1) + x + k % 2;
    }
    c->map = (mplan_map){.name = "m",
                         .to = 1,
                         .arity = 4,
                         .n_rows = N,
                         .n_points = (WIDTH + 1) * (HEIGHT + 1),
                         .values = values};
    c->limits = (mplan_block_limits){.block_size = SIZE,
                                     .max_points = most_points,
                                     .shared_bytes = 1 << 20,
                                     .n_maps = 1,
                                     .n_dats = 1,
                                     .maps = &c->map,
                                     .dats = &dat};
    for (int64_t b = 0; b <= N_BLOCKS; b++)
        offsets[b] = b * EACH;
    assert_done(mplan_footprint_open(&c->meter, &c->limits, &err), &err);
    assert_done(mplan_native_table_create(&c->meter, N, &c->table, NULL, &err), &err);
    assert_done(mplan_native_cut_create(&c->table, &c->meter, N_BLOCKS, offsets, &c->cut, NULL, &err),
                &err);
}

static void close_case(grid_case *c)
{
    mplan_native_cut_free(&c->cut);
    mplan_native_table_free(&c->table);
    mplan_footprint_close(&c->meter);
    support_map_free(&c->map);
}

/* Pieces of all blocks by definition: cells that touch, over the eight neighbours of each. */
static int32_t count_pieces(const grid_case *c)
{
    int32_t block[HEIGHT][WIDTH], stack[N], pieces = 0;
    bool seen[HEIGHT][WIDTH] = {{false}};
    for (int32_t i = 0; i < N; i++) {
        int32_t x, y;
        cell_of(i, &x, &y);
        block[y][x] = c->cut.where[i].block;
    }
    for (int32_t first = 0; first < N; first++) {
        int32_t n = 0;
        if (seen[first / WIDTH][first % WIDTH])
            continue;
        pieces++;
        seen[first / WIDTH][first % WIDTH] = true;
        stack[n++] = first;
        while (n > 0) {
            int32_t at = stack[--n];
            for (int32_t k = 0; k < 9; k++) {
                int32_t x = at % WIDTH + k % 3 - 1, y = at / WIDTH + k / 3 - 1;
                if (x < 0 || y < 0 || x >= WIDTH || y >= HEIGHT || seen[y][x] ||
                    block[y][x] != block[at / WIDTH][at % WIDTH])
                    continue;
                seen[y][x] = true;
                stack[n++] = y * WIDTH + x;
            }
        }
    }
    return pieces;
}

/* Some elements of a block change places with as many of another one, up to four times. */
static void tear(native_cut *cut, uint64_t *seed)
{
    for (int32_t k = 0; k < 4; k++) {
        int32_t a = (int32_t)support_random(seed, N_BLOCKS),
                b = (int32_t)support_random(seed, N_BLOCKS);
        for (int32_t i = 0; i < 3 && a != b; i++) {
            cut->where[a * EACH + i].block = b;
            cut->where[b * EACH + EACH - 1 - i].block = a;
        }
    }
    memset(cut->sizes, 0, N_BLOCKS * sizeof *cut->sizes);
    for (int32_t i = 0; i < N; i++)
        cut->sizes[cut->where[i].block]++;
}

/* Pieces by definition, before and after; sizes counted anew. */
static void come_together(void **state)
{
    uint64_t seed = 5;
    int64_t torn = 0, left = 0;
    (void)state;
    for (int32_t i = 0; i < CASES; i++) {
        grid_case c;
        mplan_error err;
        int32_t sizes[N_BLOCKS], counted[N_BLOCKS] = {0}, scratch[N];
        open_case(&c, 65535);
        tear(&c.cut, &seed);
        memcpy(sizes, c.cut.sizes, sizeof sizes);
        int32_t before = count_pieces(&c);
        assert_done(mplan_native_join_scraps(&c.cut, scratch, NULL, &err), &err);
        int32_t after = count_pieces(&c);
        assert_true(after <= before);
        torn += before - N_BLOCKS;
        left += after - N_BLOCKS;
        for (int32_t e = 0; e < N; e++)
            counted[c.cut.where[e].block]++;
        assert_memory_equal(counted, sizes, sizeof sizes);
        assert_memory_equal(c.cut.sizes, sizes, sizeof sizes);
        close_case(&c);
    }
    assert_true(torn > 5 * CASES);
    assert_true(20 * left < torn);
}

/* Blocks in one piece each stay as they are. */
static void leave_whole_blocks(void **state)
{
    grid_case c;
    mplan_error err;
    int32_t scratch[N];
    (void)state;
    open_case(&c, 65535);
    assert_done(mplan_native_join_scraps(&c.cut, scratch, NULL, &err), &err);
    for (int32_t e = 0; e < N; e++)
        assert_int_equal(c.cut.where[e].block, e / EACH);
    close_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(come_together),
        cmocka_unit_test(leave_whole_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
