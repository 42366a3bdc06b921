/* SPDX-License-Identifier: Apache-2.0 */
/* test_order.c - orders against slow ones that follow the definitions literally */
#include "support_order.h"
#include "support_threads.h"

#include "order/order.h"

/* A permutation with holes: places grow by gaps. */
static int32_t *random_places(uint64_t *seed, int64_t n)
{
    int32_t *place = support_permutation(seed, n);
    int32_t *gap = malloc(((size_t)n + 1) * sizeof *gap);
    int32_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += (int32_t)support_random(seed, 3);
        gap[i] = (int32_t)i + sum;
    }
    for (int64_t i = 0; i < n; i++)
        place[i] = gap[place[i]];
    free(gap);
    return place;
}

static mplan_csr random_graph(uint64_t *seed, int64_t n, int64_t edges)
{
    mplan_error err;
    mplan_csr graph;
    mplan_map map = support_random_map(seed, edges, n, 2, 0);
    assert_done(mplan_graph_of_points(&map, 1, 0, &graph, NULL, &err), &err);
    support_map_free(&map);
    return graph;
}

/* A path over all vertices in random order. */
static mplan_csr shuffled_path(uint64_t *seed, int64_t n)
{
    mplan_error err;
    mplan_csr graph;
    int32_t *vertex = support_permutation(seed, n);
    int32_t *values = malloc(2 * (size_t)n * sizeof *values);
    for (int64_t i = 0; i + 1 < n; i++) {
        values[2 * i] = vertex[i];
        values[2 * i + 1] = vertex[i + 1];
    }
    mplan_map map = {"links_points", 0, 1, 2, n - 1, n, NULL, values};
    assert_done(mplan_graph_of_points(&map, 1, 0, &graph, NULL, &err), &err);
    free(values);
    free(vertex);
    return graph;
}

/* --- reverse Cuthill-McKee ---------------------------------------------------- */

static int64_t naive_degree(const mplan_csr *graph, int64_t v)
{
    return graph->offsets[v + 1] - graph->offsets[v];
}

/* Distances by relaxing until nothing changes; -1 unreachable. */
static int64_t naive_levels(const mplan_csr *graph, int64_t start, int64_t *level)
{
    for (int64_t v = 0; v < graph->n; v++)
        level[v] = v == start ? 0 : -1;
    int64_t deepest = 0;
    for (int64_t now = 0; now <= deepest; now++)
        for (int64_t v = 0; v < graph->n; v++)
            for (int64_t w = 0; w < graph->n; w++)
                if (level[v] == now && level[w] < 0 && support_joined(graph, v, w))
                    deepest = level[w] = now + 1;
    return deepest;
}

static void naive_rcm(const mplan_csr *graph, int32_t *new_of_old)
{
    int64_t n = graph->n, begin = 0, level[64], list[64];
    bool placed[64] = {false};
    for (int64_t low = 0; low < n; low++) {
        if (placed[low])
            continue;
        int64_t root = low, depth = -1, end = begin;
        for (;;) {
            int64_t reached = naive_levels(graph, root, level), best = -1;
            for (int64_t v = 0; v < n; v++)
                if (level[v] == reached &&
                    (best < 0 || naive_degree(graph, v) < naive_degree(graph, best)))
                    best = v;
            if (reached <= depth)
                break;
            depth = reached;
            root = best;
        }
        list[end++] = root;
        placed[root] = true;
        for (int64_t i = begin; i < end; i++)
            for (;;) {
                int64_t best = -1;
                for (int64_t w = 0; w < n; w++)
                    if (!placed[w] && support_joined(graph, list[i], w) &&
                        (best < 0 || naive_degree(graph, w) < naive_degree(graph, best)))
                        best = w;
                if (best < 0)
                    break;
                placed[best] = true;
                list[end++] = best;
            }
        for (int64_t i = begin; i < end; i++)
            new_of_old[list[i]] = (int32_t)(begin + end - 1 - i);
        begin = end;
    }
}

static void test_rcm(void **state)
{
    (void)state;
    uint64_t seed = 1;
    mplan_error err;
    for (int round = 0; round < 2000; round++) {
        int64_t n = 1 + support_random(&seed, 40);
        mplan_csr graph = random_graph(&seed, n, support_random(&seed, 2 * n));
        int32_t got[64], expected[64];
        assert_done(mplan_order_rcm(&graph, got, NULL, &err), &err);
        naive_rcm(&graph, expected);
        assert_memory_equal(got, expected, (size_t)n * sizeof *got);
        mplan_csr_free(&graph);
    }
}

static void test_rcm_shapes(void **state)
{
    (void)state;
    uint64_t seed = 2;
    mplan_error err;
    mplan_csr path = shuffled_path(&seed, 5000);
    int32_t *place = malloc(20001 * sizeof *place);
    assert_done(mplan_order_rcm(&path, place, NULL, &err), &err);
    support_check_permutation(5000, place);
    assert_int_equal(support_bandwidth(&path, place), 1);
    mplan_csr_free(&path);

    /* a hub of degree 20,000, and no vertices at all */
    int32_t *values = malloc(40000 * sizeof *values);
    for (int32_t e = 0; e < 20000; e++) {
        values[2 * e] = 10000;
        values[2 * e + 1] = e < 10000 ? e : e + 1;
    }
    mplan_map map = {"links_points", 0, 1, 2, 20000, 20001, NULL, values};
    mplan_csr star, none;
    assert_done(mplan_graph_of_points(&map, 1, 0, &star, NULL, &err), &err);
    assert_done(mplan_order_rcm(&star, place, NULL, &err), &err);
    support_check_permutation(20001, place);
    assert_in_range(place[10000], 19998, 20000);
    mplan_csr_free(&star);
    map.n_rows = map.n_points = 0;
    assert_done(mplan_graph_of_points(&map, 1, 0, &none, NULL, &err), &err);
    assert_done(mplan_order_rcm(&none, place, NULL, &err), &err);
    mplan_csr_free(&none);
    free(values);
    free(place);
}

/* --- Hilbert --------------------------------------------------------------------- */

/* Points of a full grid: whoever follows on the curve is a neighbour in space. */
static void check_curve(int32_t dimension, int32_t size, uint64_t *seed)
{
    mplan_error err;
    int64_t n = dimension == 2 ? size * size : size * size * size;
    int32_t *shuffle = support_permutation(seed, n);
    double *x = calloc((size_t)(n * dimension), sizeof *x);
    int32_t *place = malloc((size_t)n * sizeof *place), *at = malloc((size_t)n * sizeof *at);
    for (int64_t i = 0; i < n; i++)
        for (int32_t d = 0, rest = shuffle[i]; d < dimension; d++, rest /= size)
            x[i * dimension + d] = 1.5 * (rest % size) - 100;
    assert_done(mplan_order_hilbert(n, dimension, x, place, NULL, &err), &err);
    support_check_permutation(n, place);
    for (int64_t i = 0; i < n; i++)
        at[place[i]] = (int32_t)i;
    for (int64_t i = 1; i < n; i++) {
        double distance = 0;
        for (int32_t d = 0; d < dimension; d++) {
            double step = x[(int64_t)at[i] * dimension + d] - x[(int64_t)at[i - 1] * dimension + d];
            distance += step < 0 ? -step : step;
        }
        assert_true(distance == 1.5);
    }
    for (int32_t d = 0; d < dimension; d++) /* starts in a corner */
        assert_true(x[(int64_t)at[0] * dimension + d] == -100);
    free(shuffle);
    free(x);
    free(place);
    free(at);
}

static void test_hilbert_curve(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int32_t size = 2; size <= 128; size *= 2)
        check_curve(2, size, &seed);
    for (int32_t size = 2; size <= 16; size *= 2)
        check_curve(3, size, &seed);
}

/* Skilling's loops as published, and the index bit by bit. */
static uint64_t naive_index(uint32_t *x, int32_t n, int32_t bits)
{
    uint32_t top = UINT32_C(1) << (bits - 1), t = 0;
    for (uint32_t q = top; q > 1; q >>= 1)
        for (int32_t i = 0; i < n; i++) {
            if (x[i] & q) {
                x[0] ^= q - 1;
            } else {
                uint32_t swap = (x[0] ^ x[i]) & (q - 1);
                x[0] ^= swap;
                x[i] ^= swap;
            }
        }
    for (int32_t i = 1; i < n; i++)
        x[i] ^= x[i - 1];
    for (uint32_t q = top; q > 1; q >>= 1)
        if (x[n - 1] & q)
            t ^= q - 1;
    uint64_t index = 0;
    for (int32_t b = bits - 1; b >= 0; b--)
        for (int32_t i = 0; i < n; i++)
            index = index << 1 | ((x[i] ^ t) >> b & 1);
    return index;
}

/* Coordinates that are the grid itself: corners 0 and 2^bits span it. */
static void test_hilbert_index(void **state)
{
    (void)state;
    enum { N = 300 };
    uint64_t seed = 4;
    mplan_error err;
    for (int round = 0; round < 400; round++) {
        int32_t dimension = 2 + round % 2, bits = dimension == 2 ? 31 : 21;
        double x[3 * N] = {0};
        uint64_t index[N];
        int32_t place[N];
        for (int32_t i = 0; i < N; i++) {
            uint32_t grid[3];
            for (int32_t d = 0; d < dimension; d++) {
                grid[d] = (uint32_t)support_random(&seed, round % 4 < 2 ? 8 : INT64_C(1) << bits);
                if (i < 2)
                    grid[d] = i ? (UINT32_C(1) << bits) - 1 : 0;
                x[i * dimension + d] = i == 1 ? grid[d] + 1.0 : grid[d];
            }
            index[i] = naive_index(grid, dimension, bits);
        }
        assert_done(mplan_order_hilbert(N, dimension, x, place, NULL, &err), &err);
        for (int32_t i = 0; i < N; i++) {
            int32_t before = 0;
            for (int32_t k = 0; k < N; k++)
                before += index[k] < index[i] || (index[k] == index[i] && k < i);
            assert_int_equal(place[i], before);
        }
    }
}

static void test_hilbert_edges(void **state)
{
    (void)state;
    mplan_error err;
    int32_t place[4];
    double same[8] = {3, 4, 3, 4, 3, 4, 3, 4};
    assert_done(mplan_order_hilbert(4, 2, same, place, NULL, &err), &err);
    for (int32_t i = 0; i < 4; i++)
        assert_int_equal(place[i], i);
    double wide[6] = {1.7e308, 0, -1.7e308, 0, 0, 0};
    assert_done(mplan_order_hilbert(3, 2, wide, place, NULL, &err), &err);
    support_check_permutation(3, place);
    assert_int_equal(place[2], 1);
    assert_done(mplan_order_hilbert(0, 3, NULL, place, NULL, &err), &err);
    assert_refused(mplan_order_hilbert(4, 1, same, place, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "2 or 3 dimensions, not 1");
}

/* --- SCOTCH's Gibbs-Poole-Stockmeyer -------------------------------------------------------- */

static void test_scotch_gps(void **state)
{
    (void)state;
    uint64_t seed = 5;
    mplan_error err;
    mplan_csr path = shuffled_path(&seed, 2000);
    int32_t place[2000], again[2000];
#if defined MPLAN_HAVE_SCOTCH
    assert_done(mplan_order_scotch_gps(&path, place, NULL, &err), &err);
    support_check_permutation(2000, place);
    assert_int_equal(support_bandwidth(&path, place), 1);
    for (int round = 0; round < 30; round++) { /* components and isolated vertices */
        int64_t n = 1 + support_random(&seed, 2000);
        mplan_csr graph = random_graph(&seed, n, support_random(&seed, 2 * n));
        assert_done(mplan_order_scotch_gps(&graph, place, NULL, &err), &err);
        assert_done(mplan_order_scotch_gps(&graph, again, NULL, &err), &err);
        support_check_permutation(n, place);
        assert_memory_equal(place, again, (size_t)n * sizeof *place);
        mplan_csr_free(&graph);
    }
    mplan_csr bare = random_graph(&seed, 10, 0);
    assert_done(mplan_order_scotch_gps(&bare, place, NULL, &err), &err);
    support_check_permutation(10, place);
    mplan_csr_free(&bare);
#else
    (void)again;
    assert_refused(mplan_order_scotch_gps(&path, place, NULL, &err), MPLAN_ERR_UNSUPPORTED, &err,
                   "no SCOTCH");
#endif
    mplan_csr_free(&path);
}

/* --- measure --------------------------------------------------------------------------- */

static void naive_measure(const mplan_map *maps, int32_t n_maps, const int32_t *place,
                          int64_t *bandwidth, int64_t *profile)
{
    *bandwidth = *profile = 0;
    for (int32_t p = 0; p < maps[0].n_points; p++) {
        int64_t own = place ? place[p] : p, lowest = own;
        for (int32_t m = 0; m < n_maps; m++)
            for (int64_t r = 0; r < maps[m].n_rows; r++) {
                int32_t length;
                const int32_t *row = mplan_map_row(&maps[m], r, &length);
                for (int32_t i = 0; i < length * length; i++) {
                    int32_t q = row[i % length];
                    if (row[i / length] != p || q < 0)
                        continue;
                    int64_t other = place ? place[q] : q;
                    lowest = other < lowest ? other : lowest;
                    if (own - other > *bandwidth)
                        *bandwidth = own - other;
                }
            }
        *profile += own - lowest;
    }
}

static void test_measure(void **state)
{
    (void)state;
    uint64_t seed = 6;
    mplan_error err;
    for (int round = 0; round < 3000; round++) {
        int64_t n = 1 + support_random(&seed, 30);
        mplan_map maps[2];
        for (int32_t m = 0; m < 2; m++)
            maps[m] = support_random_map(&seed, support_random(&seed, 20), n,
                                         (int32_t)support_random(&seed, 4), 20);
        int32_t n_maps = 1 + round % 2;
        int32_t *place = round % 3 == 0 ? NULL : random_places(&seed, n);
        int64_t bandwidth, profile, expected_bandwidth, expected_profile;
        assert_done(mplan_order_measure(maps, n_maps, place, &bandwidth, &profile, NULL, &err), &err);
        naive_measure(maps, n_maps, place, &expected_bandwidth, &expected_profile);
        assert_int_equal(bandwidth, expected_bandwidth);
        assert_int_equal(profile, expected_profile);
        free(place);
        support_map_free(&maps[0]);
        support_map_free(&maps[1]);
    }
}

/* --- sorted lists -------------------------------------------------------------------------- */

typedef struct naive_item {
    int64_t group; /* compared first */
    int32_t *list;
    int64_t length, tie, member;
} naive_item;

static int compare_int32(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int compare_items(const void *a, const void *b)
{
    const naive_item *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    for (int64_t i = 0; i < x->length && i < y->length; i++)
        if (x->list[i] != y->list[i])
            return x->list[i] < y->list[i] ? -1 : 1;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return (x->tie > y->tie) - (x->tie < y->tie);
}

static void compare_with_items(naive_item *items, int64_t n, const int32_t *new_of_old)
{
    qsort(items, (size_t)n, sizeof *items, compare_items);
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(new_of_old[items[i].member], i);
    for (int64_t i = 0; i < n; i++)
        free(items[i].list);
    free(items);
}

static void check_elements(const mplan_map *map, const int32_t *place)
{
    mplan_error err;
    naive_item *items = calloc((size_t)map->n_rows + 1, sizeof *items);
    int32_t *got = malloc(((size_t)map->n_rows + 1) * sizeof *got);
    for (int64_t e = 0; e < map->n_rows; e++) {
        int32_t length;
        const int32_t *row = mplan_map_row(map, e, &length);
        items[e] = (naive_item){0, malloc(((size_t)length + 1) * sizeof(int32_t)), length, e, e};
        for (int32_t k = 0; k < length; k++)
            items[e].list[k] = row[k] < 0 ? INT32_MAX : place ? place[row[k]] : row[k];
        qsort(items[e].list, (size_t)length, sizeof(int32_t), compare_int32);
    }
    assert_done(mplan_order_elements(map, place, got, NULL, &err), &err);
    compare_with_items(items, map->n_rows, got);
    free(got);
}

static void test_order_elements(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int round = 0; round < 3000; round++) {
        /* few points make long runs of equal beginnings */
        int64_t n_points = 1 + support_random(&seed, round % 2 ? 3 : 30);
        mplan_map map = support_random_map(&seed, support_random(&seed, 80), n_points,
                                           (int32_t)support_random(&seed, 9),
                                           (int)support_random(&seed, 40));
        int32_t *place = round % 3 ? random_places(&seed, n_points) : NULL;
        check_elements(&map, place);
        free(place);
        support_map_free(&map);
    }
    /* a hub, with second numbers of one digit of the radix sort and of several */
    static const int64_t sizes[] = {3, 253, 254, 255, 256, 257, 300, 2046, 2047, 2048, 70000};
    for (int32_t i = 0; i < 44; i++) {
        int32_t arity = i % 4;
        mplan_map map = support_random_map(&seed, i % 3 ? 3000 : 700, sizes[i / 4], arity, 5);
        for (int64_t e = 0; e < map.n_rows && arity; e += 1 + e % 2)
            ((int32_t *)(uintptr_t)map.values)[e * arity] = 0;
        check_elements(&map, NULL);
        support_map_free(&map);
    }
    /* a row longer than insertion is good for */
    mplan_map map = support_random_map(&seed, 50, 100, 200, 5);
    check_elements(&map, NULL);
    support_map_free(&map);
}

static void test_order_by_block(void **state)
{
    (void)state;
    uint64_t seed = 8;
    mplan_error err;
    mplan_threaded own;
    const mplan_context *threads = support_threaded_open(NULL, &own, 3);
    for (int round = 0; round < 1000; round++) {
        const mplan_context *context = round % 3 ? threads : NULL;
        own.team->pieces = 1 + round % 7;
        int64_t n = support_random(&seed, 60), n_blocks = 1 + support_random(&seed, 10);
        int32_t *earlier = round % 2 ? random_places(&seed, n) : NULL;
        int32_t block[64], got[64];
        naive_item *items = calloc((size_t)n + 1, sizeof *items);
        for (int64_t e = 0; e < n; e++) {
            block[e] = (int32_t)support_random(&seed, n_blocks);
            items[e] = (naive_item){block[e], NULL, 0, earlier ? earlier[e] : e, e};
        }
        assert_done(mplan_order_by_block(n, block, n_blocks, earlier, got, context, &err), &err);
        compare_with_items(items, n, got);
        free(earlier);
    }
    mplan_threaded_close(&own);
    int32_t twice[3] = {0, 2, 2}, none[3] = {0, -1, 1}, block[3] = {0, 0, 0}, got[3];
    assert_refused(mplan_order_by_block(3, block, 1, twice, got, NULL, &err), MPLAN_ERR_ARGUMENT,
                   &err, "several members the same place");
    assert_refused(mplan_order_by_block(3, block, 1, none, got, NULL, &err), MPLAN_ERR_ARGUMENT,
                   &err, "no place for member 1");
}

static void check_points(const mplan_map *maps, int32_t n_maps, const int32_t *block,
                         bool count_first, const int32_t *earlier)
{
    mplan_error err;
    int64_t n = maps[0].n_points, n_rows = maps[0].n_rows;
    naive_item *items = calloc((size_t)n + 1, sizeof *items);
    int32_t *got = malloc(((size_t)n + 1) * sizeof *got);
    for (int32_t p = 0; p < n; p++) {
        int32_t *list = malloc(((size_t)n_rows + 1) * sizeof *list);
        int64_t length = 0, distinct = 0;
        for (int64_t e = 0; e < n_rows; e++) {
            bool any = false;
            for (int32_t m = 0; m < n_maps; m++) {
                int32_t row_length;
                const int32_t *row = mplan_map_row(&maps[m], e, &row_length);
                for (int32_t k = 0; k < row_length; k++)
                    any = any || row[k] == p;
            }
            if (any)
                list[length++] = block[e];
        }
        qsort(list, (size_t)length, sizeof *list, compare_int32);
        for (int64_t i = 0; i < length; i++)
            if (i == 0 || list[i] != list[i - 1])
                list[distinct++] = list[i];
        int64_t group = distinct == 0 ? INT64_MAX : count_first ? distinct : 0;
        items[p] = (naive_item){group, list, distinct, earlier ? earlier[p] : p, p};
    }
    assert_done(mplan_order_points(maps, n_maps, block, count_first, earlier, got, NULL, &err), &err);
    compare_with_items(items, n, got);
    free(got);
}

static void test_order_points(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int round = 0; round < 3000; round++) {
        bool large = round % 1000 == 0;
        int64_t n_rows = support_random(&seed, large ? 600 : 40);
        int64_t n_points = support_random(&seed, large ? 600 : 40);
        int32_t n_maps = 1 + (int32_t)support_random(&seed, 2);
        int32_t n_blocks = 1 + (int32_t)support_random(&seed, round % 2 ? 3 : 20);
        mplan_map maps[2];
        for (int32_t m = 0; m < n_maps; m++)
            maps[m] = support_random_map(&seed, n_rows, n_points, (int32_t)support_random(&seed, 5),
                                         20);
        int32_t *block = malloc(((size_t)n_rows + 1) * sizeof *block);
        for (int64_t e = 0; e < n_rows; e++)
            block[e] = round % 5 ? (int32_t)support_random(&seed, n_blocks)
                                 : (int32_t)(e * n_blocks / n_rows);
        int32_t *earlier = round % 3 ? random_places(&seed, n_points) : NULL;
        check_points(maps, n_maps, block, round % 4 < 2, earlier);
        for (int32_t m = 0; m < n_maps; m++)
            support_map_free(&maps[m]);
        free(block);
        free(earlier);
    }
}

static void test_first_touch(void **state)
{
    (void)state;
    uint64_t seed = 10;
    mplan_error err;
    for (int round = 0; round < 2000; round++) {
        int64_t n_rows = support_random(&seed, 30), n_points = support_random(&seed, 30);
        mplan_map map = support_random_map(&seed, n_rows, n_points,
                                           (int32_t)support_random(&seed, 5), 20);
        int32_t *places = round % 2 ? random_places(&seed, n_rows) : NULL;
        int32_t got[32];
        naive_item *items = calloc((size_t)n_points + 1, sizeof *items);
        for (int32_t p = 0; p < n_points; p++) { /* (row place, slot) of the first touch */
            int64_t first = INT64_MAX;
            for (int64_t r = 0; r < n_rows; r++) {
                int32_t length;
                const int32_t *row = mplan_map_row(&map, r, &length);
                for (int32_t k = 0; k < length; k++) {
                    int64_t when = (places ? places[r] : r) * 100 + k;
                    if (row[k] == p && when < first)
                        first = when;
                }
            }
            items[p] = (naive_item){first, NULL, 0, p, p};
        }
        assert_done(mplan_order_first_touch(&map, places, got, &err), &err);
        compare_with_items(items, n_points, got);
        free(places);
        support_map_free(&map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rcm),
        cmocka_unit_test(test_rcm_shapes),
        cmocka_unit_test(test_hilbert_curve),
        cmocka_unit_test(test_hilbert_index),
        cmocka_unit_test(test_hilbert_edges),
        cmocka_unit_test(test_scotch_gps),
        cmocka_unit_test(test_measure),
        cmocka_unit_test(test_order_elements),
        cmocka_unit_test(test_order_by_block),
        cmocka_unit_test(test_order_points),
        cmocka_unit_test(test_first_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
