/* SPDX-License-Identifier: Apache-2.0 */
/* Places in a grid, and blocks that are tiles */
#include "support_test.h"
#include "support_threads.h"

#include "partition/native/grid/native_lattice.h"
#include "partition/native/grid/native_layers.h"
#include "partition/native/grid/native_shape.h"
#include "partition/native/grid/native_tile.h"
#include "partition/partition.h"

enum { MOST_CELLS = 3000 };

/* --- grids ------------------------------------------------------------------------ */

typedef struct grid {
    int32_t size[3];
    int64_t n;       /* cells */
    bool *gone;      /* cells cut out */
    int32_t *number; /* of a cell; those that are left come first */
} grid;

static int64_t cell_at(const grid *g, int32_t x, int32_t y, int32_t z)
{
    return ((int64_t)z * g->size[1] + y) * g->size[0] + x;
}

static void shuffle(int32_t *numbers, int64_t n, uint64_t *seed)
{
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t k = support_random(seed, i + 1);
        int32_t swap = numbers[i];
        numbers[i] = numbers[k];
        numbers[k] = swap;
    }
}

static grid make_grid(int32_t x, int32_t y, int32_t z, int32_t percent_gone, uint64_t *seed)
{
    grid g = {.size = {x, y, z}, .n = (int64_t)x * y * z};
    int32_t left = 0;
    g.gone = calloc((size_t)g.n, sizeof *g.gone);
    g.number = malloc((size_t)g.n * sizeof *g.number);
    int32_t *order = malloc((size_t)g.n * sizeof *order);
    for (int64_t i = 0; i < g.n; i++) {
        order[i] = (int32_t)i;
        g.gone[i] = percent_gone > 0 && support_random(seed, 100) < percent_gone;
    }
    if (seed)
        shuffle(order, g.n, seed);
    for (int64_t i = 0; i < g.n; i++)
        if (!g.gone[order[i]])
            g.number[order[i]] = left++;
    g.n = left;
    free(order);
    return g;
}

static void free_grid(grid *g)
{
    free(g->gone);
    free(g->number);
}

/* The cell one step up an axis; -1: none. */
static int64_t step_up(const grid *g, const int32_t *at, int32_t axis)
{
    int32_t to[3] = {at[0], at[1], at[2]};
    if (++to[axis] >= g->size[axis])
        return -1;
    int64_t cell = cell_at(g, to[0], to[1], to[2]);
    return g->gone[cell] ? -1 : cell;
}

#define EACH_CELL(g, at)                                   \
    for (at[2] = 0; at[2] < (g)->size[2]; at[2]++)         \
        for (at[1] = 0; at[1] < (g)->size[1]; at[1]++)     \
            for (at[0] = 0; at[0] < (g)->size[0]; at[0]++) \
                if (!(g)->gone[cell_at((g), at[0], at[1], at[2])])

/* Faces between cells, in random order, as they are turned; with those at the rim that have one
 * cell, when `rim` is set. */
static mplan_map faces_of(const grid *g, bool rim, uint64_t *seed)
{
    int64_t n = 0, all = 6 * (int64_t)g->size[0] * g->size[1] * g->size[2];
    int32_t *values = malloc(2 * (size_t)all * sizeof *values), at[3];
    int32_t *order = malloc((size_t)all * sizeof *order);
    int32_t *sorted = malloc(2 * (size_t)all * sizeof *sorted);
    EACH_CELL(g, at)
    for (int32_t axis = 0; axis < 3; axis++) {
        int64_t to = step_up(g, at, axis);
        if (to < 0 && !(rim && axis < 2))
            continue;
        values[2 * n] = g->number[cell_at(g, at[0], at[1], at[2])];
        values[2 * n + 1] = to < 0 ? -1 : g->number[to];
        n++;
    }
    for (int64_t i = 0; i < n; i++)
        order[i] = (int32_t)i;
    if (seed)
        shuffle(order, n, seed);
    for (int64_t i = 0; i < n; i++) {
        int64_t turn = seed ? support_random(seed, 2) : 0;
        sorted[2 * i] = values[2 * order[i] + turn];
        sorted[2 * i + 1] = values[2 * order[i] + 1 - turn];
    }
    free(values);
    free(order);
    return (mplan_map){"faces_cells", 0, 1, 2, n, g->n, NULL, sorted};
}

/* Corners of cells, numbered round about, elements and nodes in random order. */
static mplan_map corners_of(const grid *g, uint64_t *seed)
{
    static const int32_t corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                         {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    int32_t arity = g->size[2] == 0 ? 0 : g->size[2] == 1 ? 4 : 8, at[3];
    int64_t n_nodes = (int64_t)(g->size[0] + 1) * (g->size[1] + 1) * (g->size[2] + 1);
    int32_t *values = malloc((size_t)(g->n * arity) * sizeof *values);
    int32_t *node = malloc((size_t)n_nodes * sizeof *node);
    for (int64_t i = 0; i < n_nodes; i++)
        node[i] = (int32_t)i;
    if (seed)
        shuffle(node, n_nodes, seed);
    EACH_CELL(g, at)
    for (int32_t k = 0; k < arity; k++) {
        int64_t z = at[2] + corner[k][2], y = at[1] + corner[k][1], x = at[0] + corner[k][0];
        int64_t cell = g->number[cell_at(g, at[0], at[1], at[2])];
        values[cell * arity + k] = node[(z * (g->size[1] + 1) + y) * (g->size[0] + 1) + x];
    }
    free(node);
    return (mplan_map){"cells_nodes", 0, 1, arity, g->n, n_nodes, NULL, values};
}

static void link_cells(native_lattice *l, int32_t a, int32_t b)
{
    for (int32_t turn = 0; turn < 2; turn++) {
        int32_t *near = l->near + (int64_t)(turn ? b : a) * 2 * l->dimension;
        while (*near >= 0)
            near++;
        *near = turn ? a : b;
    }
}

static native_lattice lattice_of(const grid *g, int32_t dimension)
{
    native_lattice l;
    mplan_error err;
    int32_t at[3];
    assert_done(mplan_native_lattice_create(g->n, dimension, &l, &err), &err);
    EACH_CELL(g, at)
    for (int32_t axis = 0; axis < 3; axis++) {
        int64_t to = step_up(g, at, axis);
        if (to >= 0)
            link_cells(&l, g->number[cell_at(g, at[0], at[1], at[2])], g->number[to]);
    }
    return l;
}

/* --- places ------------------------------------------------------------------------- */

/* Edges whose ends are not neighbours by their places. */
static int64_t count_seams(const native_lattice *l)
{
    int64_t seams = 0;
    for (int64_t v = 0; v < l->n; v++)
        for (int32_t k = 0; k < 2 * l->dimension; k++) {
            int32_t u = l->near[v * 2 * l->dimension + k], far = 0;
            for (int32_t d = 0; d < 3 && u > v; d++)
                far += abs(l->place[v].at[d] - l->place[u].at[d]);
            seams += u > v && (far != 1 || l->place[v].patch != l->place[u].patch);
        }
    return seams;
}

/* Places of a patch are distinct. */
static void check_distinct(const native_lattice *l)
{
    for (int64_t v = 0; v < l->n; v++)
        for (int64_t u = 0; u < v; u++)
            assert_true(memcmp(&l->place[v], &l->place[u], sizeof l->place[v]) != 0);
}

/* All of a box is one patch; places are those of the grid but for a motion of Z^d: every step
 * along an axis of the grid is a step along one axis of places. */
static void check_box(const grid *g, const native_lattice *l)
{
    int32_t at[3], axis_of[3] = {-1, -1, -1}, sign_of[3] = {0, 0, 0};
    assert_int_equal(l->n_patches, 1);
    assert_int_equal(count_seams(l), 0);
    EACH_CELL(g, at)
    for (int32_t axis = 0; axis < 3; axis++) {
        int64_t to = step_up(g, at, axis), from = cell_at(g, at[0], at[1], at[2]);
        if (to < 0)
            continue;
        for (int32_t d = 0; d < 3; d++) {
            int32_t step = l->place[g->number[to]].at[d] - l->place[g->number[from]].at[d];
            if (step == 0)
                continue;
            if (axis_of[axis] < 0) {
                axis_of[axis] = d;
                sign_of[axis] = step;
            }
            assert_int_equal(axis_of[axis], d);
            assert_int_equal(sign_of[axis], step);
            assert_true(step == 1 || step == -1);
        }
    }
    for (int32_t a = 0; a < 3; a++)
        for (int32_t b = 0; b < a; b++)
            assert_true(axis_of[a] < 0 || axis_of[a] != axis_of[b]);
}

static void finds_places(void **state)
{
    (void)state;
    static const int32_t sizes[][4] = {{9, 7, 1, 2},  {2, 2, 1, 2}, {30, 2, 1, 2}, {3, 3, 1, 2},
                                       {40, 1, 1, 2}, {1, 1, 1, 2}, {5, 6, 7, 3},  {2, 2, 2, 3},
                                       {12, 9, 2, 3}, {3, 3, 3, 3}, {2, 20, 2, 3}, {8, 9, 1, 3}};
    uint64_t seed = 3;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int shuffled = 0; shuffled < 6; shuffled++) {
            mplan_error err;
            bool found;
            grid g = make_grid(sizes[i][0], sizes[i][1], sizes[i][2], 0, shuffled ? &seed : NULL);
            native_lattice l = lattice_of(&g, sizes[i][3]);
            assert_done(mplan_native_lattice_find(&l, &found, NULL, &err), &err);
            assert_true(found);
            check_box(&g, &l);
            check_distinct(&l);
            mplan_native_lattice_free(&l);
            free_grid(&g);
        }
}

/* With cells cut out, all that hang together by squares keep the places of the grid. */
static void finds_places_around_holes(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int round = 0; round < 30; round++) {
        mplan_error err;
        bool found, plane = round % 2 == 0;
        grid g = make_grid(plane ? 40 : 12, plane ? 25 : 9, plane ? 1 : 9, 1 + round % 9, &seed);
        native_lattice l = lattice_of(&g, plane ? 2 : 3);
        assert_done(mplan_native_lattice_find(&l, &found, NULL, &err), &err);
        assert_true(found);
        for (int64_t v = 0; v < l.n; v++)
            assert_in_range(l.place[v].patch, 0, l.n_patches - 1);
        check_distinct(&l);
        assert_true(count_seams(&l) * 20 <= l.n);
        mplan_native_lattice_free(&l);
        free_grid(&g);
    }
}

/* Rows that close on themselves, and three or five grids that meet in a node. */
static native_lattice closed_grid(int32_t width, int32_t height)
{
    native_lattice l;
    mplan_error err;
    assert_done(mplan_native_lattice_create((int64_t)width * height, 2, &l, &err), &err);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++) {
            link_cells(&l, y * width + x, y * width + (x + 1) % width);
            if (y + 1 < height)
                link_cells(&l, y * width + x, (y + 1) * width + x);
        }
    return l;
}

static native_lattice sectors(int32_t n, int32_t size)
{
    native_lattice l;
    mplan_error err;
    int32_t area = size * size;
    assert_done(mplan_native_lattice_create((int64_t)n * area, 2, &l, &err), &err);
    for (int32_t s = 0; s < n; s++)
        for (int32_t y = 0; y < size; y++)
            for (int32_t x = 0; x < size; x++) {
                int32_t cell = s * area + y * size + x;
                if (x + 1 < size)
                    link_cells(&l, cell, cell + 1);
                if (y + 1 < size)
                    link_cells(&l, cell, cell + size);
                if (y == 0) /* the first row lies at the first column of the sector before */
                    link_cells(&l, cell, (s + n - 1) % n * area + x * size);
            }
    return l;
}

static void finds_patches(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        mplan_error err;
        bool found;
        native_lattice l = i == 0 ? closed_grid(24, 9) : sectors(i == 3 ? 4 : 1 + 2 * i, 15);
        assert_done(mplan_native_lattice_find(&l, &found, NULL, &err), &err);
        assert_true(found);
        assert_in_range(l.n_patches, 1, 12);
        assert_true(count_seams(&l) < l.n / 6);
        check_distinct(&l);
        mplan_native_lattice_free(&l);
    }
}

/* Random graphs, and hexagons' corners, which have three neighbours. */
static void refuses_what_is_no_grid(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int32_t dimension = 2; dimension <= 3; dimension++) {
        enum { N = 4000 };
        mplan_error err;
        native_lattice l;
        bool found;
        assert_done(mplan_native_lattice_create(N, dimension, &l, &err), &err);
        for (int64_t v = 0; v < N; v++)
            for (int32_t k = 0; k < dimension; k++) { /* out of reach of any square */
                int32_t u = (int32_t)support_random(&seed, N), slots = 2 * dimension;
                if (l.near[v * slots + slots - 1] < 0 &&
                    l.near[(int64_t)u * slots + slots - 1] < 0 && u != v)
                    link_cells(&l, (int32_t)v, u);
            }
        assert_done(mplan_native_lattice_find(&l, &found, NULL, &err), &err);
        assert_false(found);
        mplan_native_lattice_free(&l);
    }
}

/* --- tiles ----------------------------------------------------------------------------- */

static int compare_int64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Pairs of block and point, by sorting; blocks are counted on the way. */
static int64_t naive_pairs(const mplan_map *map, const int32_t *block, int64_t n_blocks,
                           int32_t block_size)
{
    int64_t n = 0, entries = map->n_rows * map->arity, pairs = 0;
    int64_t *key = malloc((size_t)entries * sizeof *key);
    int64_t *size = calloc((size_t)n_blocks, sizeof *size);
    for (int64_t e = 0; e < map->n_rows; e++) {
        assert_in_range(block[e], 0, n_blocks - 1);
        size[block[e]]++;
        for (int32_t k = 0; k < map->arity; k++)
            if (map->values[e * map->arity + k] >= 0)
                key[n++] = block[e] * map->n_points + map->values[e * map->arity + k];
    }
    for (int64_t b = 0; b < n_blocks; b++)
        assert_in_range(size[b], 1, block_size);
    qsort(key, (size_t)n, sizeof *key, compare_int64);
    for (int64_t i = 0; i < n; i++)
        pairs += i == 0 || key[i] != key[i - 1];
    free(key);
    free(size);
    return pairs;
}

/* Cuts, checks the limits, and that threads do not matter; returns the reuse. */
static double cut(const mplan_map *map, int32_t block_size, mplan_effort effort)
{
    mplan_error err;
    mplan_block_limits limits = {block_size, 65535, 1 << 30, 1, 0, map, NULL};
    mplan_native_options options = {.effort = effort, .fill = 0.991};
    int64_t n = map->n_rows, n_blocks = 0, again = 0, entries = 0;
    int32_t *block = malloc((size_t)n * sizeof *block), *other = malloc((size_t)n * sizeof *other);
    for (int32_t threads = 1; threads <= 3; threads += 2) {
        mplan_threaded team;
        const mplan_context *context = support_threaded_open(NULL, &team, threads);
        assert_done(mplan_partition_native(n, &limits, &options, threads == 1 ? block : other,
                                           threads == 1 ? &n_blocks : &again, NULL, context, &err),
                    &err);
        mplan_threaded_close(&team);
    }
    assert_int_equal(n_blocks, again);
    assert_memory_equal(block, other, (size_t)n * sizeof *block);
    int64_t least = (n + block_size - 1) / block_size;
    int64_t few = n < 200 * (int64_t)block_size
                      ? (103 * n + 100 * block_size - 1) / (100 * block_size)
                      : 0;
    int64_t most = least + (least / 100 > 1 ? least / 100 : 1);
    assert_true(n_blocks <= (few > most ? few : most));
    for (int64_t i = 0; i < n * map->arity; i++)
        entries += map->values[i] >= 0;
    int64_t pairs = naive_pairs(map, block, n_blocks, block_size);
    free(block);
    free(other);
    return (double)entries / (double)pairs;
}

/* Of sizes and block sizes that fit nothing, in any order. */
static void keeps_limits(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int round = 0; round < 24;
         round += support_every(7)) { /* 24: twice all that rounds alternate by */
        int32_t z = round % 3 ? 1 + (int32_t)support_random(&seed, 9) : 1;
        int32_t y = 1 + (int32_t)support_random(&seed, z == 1 ? 50 : 20);
        int32_t x = 1 + (int32_t)support_random(&seed, MOST_CELLS / (y * z) < 90
                                                           ? MOST_CELLS / (y * z)
                                                           : 90);
        int32_t block_size = 8 + (int32_t)support_random(&seed, round % 2 ? 60 : 500);
        grid g = make_grid(x, y, z, (int32_t)support_random(&seed, 4), &seed);
        mplan_map faces = faces_of(&g, round % 4 == 0, &seed), corners = corners_of(&g, &seed);
        if (faces.n_rows > 0)
            cut(&faces, block_size, (mplan_effort)(round % MPLAN_N_EFFORTS));
        if (corners.n_rows > 0)
            cut(&corners, block_size, (mplan_effort)(round % MPLAN_N_EFFORTS));
        support_map_free(&faces);
        support_map_free(&corners);
        free_grid(&g);
    }
}

/* Reuse that only tiles reach, in the order of the grid and at random: METIS has 4.3 slots a point
 * on hexes and 3.26 on faces of quads at S = 128. */
static void tiles_are_good(void **state)
{
    (void)state;
    static const struct {
        int32_t size[3];
        bool corners;
        double least;
    } cases[] = {{{90, 70, 1}, false, 3.32}, {{90, 70, 1}, true, 3.32}, {{24, 20, 28}, true, 4.54},
                 {{24, 20, 28}, false, 3.6}, {{401, 7, 1}, true, 3.28}, {{401, 7, 1}, false, 3.34},
                 {{23, 17, 19}, true, 4.42}, {{60, 40, 3}, true, 4.37}, {{60, 40, 3}, false, 3.74}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += (size_t)support_every(4)) {
        double reuse[2];
        for (int shuffled = 0; shuffled < 2; shuffled++) {
            uint64_t seed = 13;
            const int32_t *size = cases[i].size;
            grid g = make_grid(size[0], size[1], size[2], 0, shuffled ? &seed : NULL);
            mplan_map map = cases[i].corners ? corners_of(&g, shuffled ? &seed : NULL)
                                             : faces_of(&g, false, shuffled ? &seed : NULL);
            reuse[shuffled] = cut(&map, 128, MPLAN_EFFORT_DEFAULT);
            if (reuse[shuffled] < cases[i].least)
                fail_msg("case %zu: reuse %.3f", i, reuse[shuffled]);
            support_map_free(&map);
            free_grid(&g);
        }
        assert_true(reuse[1] > 0.98 * reuse[0]);
    }
}

/* --- layers ------------------------------------------------------------------------------ */

/* Prisms over triangles of a grid of quads, each column of its own height when `uneven`; rows
 * turned upside down, and all numbers shuffled, when there is a seed. column[e]: of each prism. */
static mplan_map prisms(int32_t width, int32_t height, int32_t layers, bool uneven, uint64_t *seed,
                        int32_t *column)
{
    static const int32_t corner[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
    int64_t all = 2 * (int64_t)width * height * layers, n = 0;
    int64_t n_nodes = (int64_t)(width + 1) * (height + 1) * (layers + 1);
    int32_t *node = malloc((size_t)n_nodes * sizeof *node);
    int32_t *order = malloc((size_t)all * sizeof *order);
    int32_t *values = malloc(6 * (size_t)all * sizeof *values);
    for (int64_t i = 0; i < n_nodes; i++)
        node[i] = (int32_t)i;
    for (int64_t i = 0; i < all; i++)
        order[i] = (int32_t)i;
    if (seed) {
        shuffle(node, n_nodes, seed);
        shuffle(order, all, seed);
    }
    for (int64_t i = 0; i < all; i++) {
        int32_t c = order[i] / layers, z = order[i] % layers, x = c / 2 % width, y = c / 2 / width;
        if (uneven && z >= layers - c % 3)
            continue;
        bool over = seed && c % 5 < 2; /* whole columns, and others */
        over ^= seed && c % 7 == 0 && support_random(seed, 2);
        for (int32_t k = 0; k < 6; k++) {
            int64_t u = x + corner[c % 2][k % 3][0], v = y + corner[c % 2][k % 3][1];
            int64_t at = (((z + k / 3) * (int64_t)(height + 1)) + v) * (width + 1) + u;
            values[6 * n + (over ? (k + 3) % 6 : k)] = node[at];
        }
        column[n++] = c;
    }
    free(node);
    free(order);
    return (mplan_map){"cells_nodes", 0, 1, 6, n, n_nodes, NULL, values};
}

/* Columns are those that were made, and prisms of a level share points with none two above. */
static void check_layers(const native_layers *l, const int32_t *column, int64_t n_columns)
{
    int32_t low = INT32_MAX, *least = malloc((size_t)l->table->n_points * sizeof *least);
    int32_t *most = malloc((size_t)l->table->n_points * sizeof *most);
    assert_int_equal(l->n_columns, n_columns);
    for (int64_t p = 0; p < l->table->n_points; p++) {
        least[p] = INT32_MAX;
        most[p] = INT32_MIN;
    }
    for (int64_t c = 0; c < l->n_columns; c++)
        for (int64_t i = l->begin[c]; i < l->begin[c + 1]; i++) {
            int64_t up = i - l->begin[c], size = l->begin[c + 1] - l->begin[c];
            int32_t level = l->low[c] + (int32_t)(l->down[c] ? size - 1 - up : up);
            assert_int_equal(column[l->stack[i]], column[l->stack[l->begin[c]]]);
            low = level < low ? level : low;
            for (int32_t k = 0; k < 6; k++) {
                int32_t p = l->table->points[6 * (int64_t)l->stack[i] + k];
                least[p] = level < least[p] ? level : least[p];
                most[p] = level > most[p] ? level : most[p];
            }
        }
    for (int64_t p = 0; p < l->table->n_points; p++)
        assert_true(most[p] == INT32_MIN || most[p] - least[p] <= 1);
    free(least);
    free(most);
}

static void finds_layers(void **state)
{
    (void)state;
    static const int32_t sizes[][3] = {{1, 1, 5}, {7, 5, 6}, {3, 9, 12}, {6, 6, 30}};
    uint64_t seed = 17;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int way = 0; way < 4; way++) {
            mplan_error err;
            native_layers l;
            bool found;
            int64_t columns = 2 * (int64_t)sizes[i][0] * sizes[i][1];
            int32_t *column = malloc((size_t)(columns * sizes[i][2]) * sizeof *column);
            mplan_map map = prisms(sizes[i][0], sizes[i][1], sizes[i][2], way % 2 == 1,
                                   way / 2 ? &seed : NULL, column);
            native_table table = {.n = map.n_rows,
                                  .arity = 6,
                                  .n_sets = 1,
                                  .points = (int32_t *)(uintptr_t)map.values,
                                  .n_points = map.n_points};
            assert_done(mplan_native_layers_find(&table, &l, &found, NULL, &err), &err);
            assert_true(found);
            check_layers(&l, column, columns);
            mplan_native_layers_free(&l);
            support_map_free(&map);
            free(column);
        }
}

static void finds_layers_of_hexes(void **state)
{
    (void)state;
    uint64_t seed = 29;
    mplan_error err;
    native_layers l;
    bool found;
    grid g = make_grid(4, 5, 6, 0, &seed);
    mplan_map map = corners_of(&g, &seed);
    native_table table = {.n = map.n_rows,
                          .arity = 8,
                          .n_sets = 1,
                          .n_points = map.n_points,
                          .points = (int32_t *)(uintptr_t)map.values};
    assert_done(mplan_native_layers_find(&table, &l, &found, NULL, &err), &err);
    assert_true(found);
    assert_int_equal(l.n_columns, 20);
    assert_int_equal(l.n_lines, 30);
    for (int64_t c = 0; c < l.n_columns; c++) {
        assert_int_equal(l.begin[c + 1] - l.begin[c], 6);
        assert_int_equal(l.low[c], l.low[0]);
    }
    mplan_native_layers_free(&l);
    support_map_free(&map);
    free_grid(&g);
}

/* Rows of points at random, and rings of prisms, are not columns. */
static void refuses_what_has_no_layers(void **state)
{
    (void)state;
    enum { N = 600 };
    uint64_t seed = 19;
    int32_t *column = malloc(4 * N * sizeof *column), *values = malloc(6 * N * sizeof *values);
    for (int way = 0; way < 3; way++) {
        mplan_error err;
        native_layers l;
        bool found;
        native_table table = {
            .n = N, .arity = 6, .n_sets = 1, .points = values, .n_points = way == 0 ? 100 : 3 * N};
        for (int32_t i = 0; i < 6 * N; i++)
            values[i] = way == 0   ? (int32_t)support_random(&seed, 17) + 17 * (i % 6 % 5)
                        : way == 1 ? (i / 6 * 3 + i % 6) % (3 * N) /* one ring */
                                   : i % (3 * N);                  /* two and two the same */
        assert_done(mplan_native_layers_find(&table, &l, &found, NULL, &err), &err);
        assert_false(found);
        mplan_native_layers_free(&l);
    }
    free(values);
    free(column);
}

/* METIS has about 5.2 slots a point here. */
static void stacks_are_good(void **state)
{
    (void)state;
    uint64_t seed = 23;
    int32_t *column = malloc(2 * 20 * 20 * 30 * sizeof *column);
    for (int way = 0; way < 4; way += support_every(3)) {
        mplan_map map = prisms(20, 20, 30, way % 2 == 1, way / 2 ? &seed : NULL, column);
        double reuse = cut(&map, 128, way % 2 ? MPLAN_EFFORT_FAST : MPLAN_EFFORT_DEFAULT);
        if (reuse < (way % 2 ? 5.4 : 5.6))
            fail_msg("way %d: reuse %.3f", way, reuse);
        cut(&map, 37, MPLAN_EFFORT_FAST);
        support_map_free(&map);
    }
    free(column);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_places),
        cmocka_unit_test(finds_places_around_holes),
        cmocka_unit_test(finds_patches),
        cmocka_unit_test(refuses_what_is_no_grid),
        cmocka_unit_test(keeps_limits),
        cmocka_unit_test(tiles_are_good),
        cmocka_unit_test(finds_layers),
        cmocka_unit_test(finds_layers_of_hexes),
        cmocka_unit_test(refuses_what_has_no_layers),
        cmocka_unit_test(stacks_are_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
