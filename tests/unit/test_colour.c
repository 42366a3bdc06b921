/* SPDX-License-Identifier: Apache-2.0 */
/* test_colour.c - colours against references that compare everything with everything,
 * and against the bounds that hold for them */
#include "colour_cases.h"
#include "support_threads.h"

#include "colour/conflict.h"
#include "colour/edge_colour.h"

enum { WINDOW = 64, HOLE = UINT16_MAX };

/* At most this many elements and points of a set. */
typedef struct sizes {
    int64_t elements, points;
} sizes;

/* Positions in any order, some left out; with holes (-1) between them. */
static int32_t *random_sequence(uint64_t *seed, int64_t n, int64_t *n_positions)
{
    int32_t *order = malloc((size_t)(n + 1) * sizeof *order);
    int32_t *out = malloc((size_t)(2 * n + 1) * sizeof *out);
    for (int64_t i = 0; i < n; i++) {
        int64_t k = support_random(seed, i + 1);
        order[i] = order[k];
        order[k] = (int32_t)i;
    }
    *n_positions = 0;
    for (int64_t i = 0; i < n; i++) {
        if (support_random(seed, 5) == 0)
            out[(*n_positions)++] = -1;
        out[(*n_positions)++] = order[i];
    }
    free(order);
    return out;
}

/* Blocks of any length, none among them. */
static void random_blocks(uint64_t *seed, problem *out)
{
    int64_t most = 1 + support_random(seed, out->n_positions + 3), at = 0;
    out->offsets = calloc((size_t)(2 * out->n_positions + 3), sizeof *out->offsets);
    out->n_blocks = 0;
    while (at < out->n_positions) {
        int64_t length = support_random(seed, most + 1);
        if (out->n_blocks >= 2 * out->n_positions)
            length = out->n_positions - at;
        at = at + length < out->n_positions ? at + length : out->n_positions;
        out->offsets[++out->n_blocks] = at;
    }
}

static problem random_problem(uint64_t *seed, sizes most)
{
    problem out = {0};
    int64_t points[2] = {support_random(seed, most.points + 1),
                         support_random(seed, most.points + 1)};
    out.n_elements = out.n_positions = support_random(seed, most.elements + 1);
    out.n_maps = (int32_t)support_random(seed, MOST_MAPS + 1);
    for (int32_t m = 0; m < out.n_maps; m++) {
        int32_t to = 3 + (int32_t)support_random(seed, 2);
        out.maps[m] = support_random_map(seed, out.n_elements, points[to - 3],
                                         (int32_t)support_random(seed, 4),
                                         (int)support_random(seed, 3) * 30);
        out.maps[m].to = to;
    }
    if (support_random(seed, 2))
        out.sequence = random_sequence(seed, out.n_elements, &out.n_positions);
    random_blocks(seed, &out);
    return out;
}

static void problem_free(problem *p)
{
    for (int32_t m = 0; m < p->n_maps; m++)
        support_map_free(&p->maps[m]);
    free(p->offsets);
    free(p->sequence);
}

static int64_t element_at(const problem *p, int64_t position)
{
    return p->sequence ? p->sequence[position] : position;
}

static bool blocks_meet(const problem *p, int64_t a, int64_t b)
{
    for (int64_t i = p->offsets[a]; i < p->offsets[a + 1]; i++)
        for (int64_t j = p->offsets[b]; j < p->offsets[b + 1]; j++)
            if (element_at(p, i) >= 0 && element_at(p, j) >= 0 &&
                elements_meet(p, element_at(p, i), element_at(p, j)))
                return true;
    return false;
}

/* The rule, item by item: in the first window of 64 colours that has an open
 * free one or room to open one, the least used open free colour, else a new one. */
static int32_t least_used(const problem *p, bool (*meet)(const problem *, int64_t, int64_t),
                          int64_t n, const bool *skip, int32_t *colour)
{
    int32_t n_colours = 0;
    int64_t *used = calloc((size_t)n + 1, sizeof *used);
    bool *taken = calloc((size_t)n + 1, sizeof *taken);
    for (int64_t i = 0; i < n; i++) {
        colour[i] = -1;
        if (skip && skip[i])
            continue;
        memset(taken, 0, (size_t)n + 1);
        for (int64_t k = 0; k < i; k++)
            if (colour[k] >= 0 && !taken[colour[k]] && meet(p, i, k))
                taken[colour[k]] = true;
        for (int32_t first = 0; colour[i] < 0; first += WINDOW) {
            for (int32_t c = first; c < first + WINDOW && c < n_colours; c++)
                if (!taken[c] && (colour[i] < 0 || used[c] < used[colour[i]]))
                    colour[i] = c;
            if (colour[i] < 0 && n_colours < first + WINDOW)
                colour[i] = n_colours++;
        }
        used[colour[i]]++;
    }
    free(used);
    free(taken);
    return n_colours;
}

static int32_t first_fit(const problem *p, int64_t b, uint16_t *colour)
{
    int32_t n_colours = 0;
    for (int64_t i = p->offsets[b]; i < p->offsets[b + 1]; i++) {
        colour[i] = HOLE;
        if (element_at(p, i) < 0)
            continue;
        bool free_colour = false;
        for (int32_t c = 0; !free_colour; c++) {
            free_colour = true;
            for (int64_t k = p->offsets[b]; k < i && free_colour; k++)
                free_colour = colour[k] != c || !elements_meet(p, element_at(p, i), element_at(p, k));
            if (free_colour)
                colour[i] = (uint16_t)c;
        }
        n_colours = colour[i] + 1 > n_colours ? colour[i] + 1 : n_colours;
    }
    return n_colours;
}

/* --- against the references and the bounds ------------------------------------ */

static void check_lists(int64_t n, const int32_t *colour, int32_t n_colours)
{
    int64_t *offsets = malloc(((size_t)n_colours + 1) * sizeof *offsets), at = 0;
    int32_t *list = malloc((size_t)(n + 1) * sizeof *list);
    mplan_colour_lists(n, colour, n_colours, offsets, list);
    for (int32_t c = 0; c < n_colours; c++) {
        assert_int_equal(offsets[c], at);
        for (int64_t i = 0; i < n; i++)
            if (colour[i] == c)
                assert_int_equal(list[at++], i);
    }
    assert_int_equal(offsets[n_colours], at);
    free(offsets);
    free(list);
}

/* What is known of the fewest colours of elements [positions begin ... end). */
typedef struct bound {
    int32_t most;   /* elements of a point, at least 1 with elements */
    bool edges;     /* no element has more than two points */
    bool bipartite; /* the graph of these edges */
    bool simple;    /* no two of them have both points in common */
} bound;

/* The distinct points of an element, set and index in one number. */
static int32_t points_of(const problem *p, int64_t e, int64_t *out)
{
    int32_t count = 0;
    for (int32_t m = 0; m < p->n_maps; m++) {
        int32_t n;
        const int32_t *row = mplan_map_row(&p->maps[m], e, &n);
        for (int32_t k = 0; k < n; k++) {
            int64_t point = (int64_t)p->maps[m].to * 100000 + row[k];
            int32_t i = 0;
            while (i < count && out[i] != point)
                i++;
            if (row[k] >= 0 && i == count)
                out[count++] = point;
        }
    }
    return count;
}

/* Two colours for the ends of edges, spread until nothing changes. */
static bool two_sides(int64_t n, int64_t (*ends)[2])
{
    enum { MOST = 2 * 320 };
    int64_t vertex[MOST];
    int side[MOST], n_vertices = 0;
    for (int64_t e = 0; e < n; e++)
        for (int k = 0; k < 2; k++) {
            int i = 0;
            while (i < n_vertices && vertex[i] != ends[e][k])
                i++;
            vertex[i] = ends[e][k];
            n_vertices += i == n_vertices;
            ends[e][k] = i;
        }
    for (int i = 0; i < n_vertices; i++)
        side[i] = -1;
    for (int root = 0; root < n_vertices; root++) {
        if (side[root] >= 0)
            continue;
        side[root] = 0;
        for (bool more = true; more;) {
            more = false;
            for (int64_t e = 0; e < n; e++) {
                int a = side[ends[e][0]], b = side[ends[e][1]];
                if (a >= 0 && a == b)
                    return false;
                if ((a >= 0) == (b >= 0))
                    continue;
                side[ends[e][a >= 0]] = 1 - (a >= 0 ? a : b);
                more = true;
            }
        }
    }
    return true;
}

static bound bound_of(const problem *p, int64_t begin, int64_t end, const bool *skip)
{
    bound out = {0, true, true, true};
    int64_t(*ends)[2] = calloc((size_t)(end - begin) + 1, sizeof *ends), n = 0;
    int64_t points[64], other[64];
    for (int64_t i = begin; i < end; i++) {
        int64_t e = skip ? i : element_at(p, i);
        if (e < 0 || (skip && skip[e]))
            continue;
        out.most = out.most ? out.most : 1;
        int32_t count = points_of(p, e, points);
        out.edges = out.edges && count <= 2;
        for (int32_t k = 0; k < count; k++) {
            int32_t valence = 0;
            for (int64_t j = begin; j < end; j++) {
                int64_t f = skip ? j : element_at(p, j);
                int32_t n_other = f < 0 || (skip && skip[f]) ? 0 : points_of(p, f, other);
                for (int32_t t = 0; t < n_other; t++)
                    valence += other[t] == points[k];
            }
            out.most = valence > out.most ? valence : out.most;
        }
        if (count != 2)
            continue;
        for (int64_t t = 0; t < n; t++)
            if ((ends[t][0] == points[0] && ends[t][1] == points[1]) ||
                (ends[t][0] == points[1] && ends[t][1] == points[0]))
                out.simple = false;
        ends[n][0] = points[0];
        ends[n++][1] = points[1];
    }
    out.bipartite = two_sides(n, ends);
    free(ends);
    return out;
}

/* Bounds that a colouring must keep besides being one. */
static void check_number(const bound *b, int32_t n_colours)
{
    assert_true(n_colours >= b->most);
    if (b->edges && b->bipartite)
        assert_int_equal(n_colours, b->most);
    if (b->edges && b->simple)
        assert_true(n_colours <= b->most + 1);
}

static void check_elements(uint64_t *seed, const problem *p)
{
    mplan_error err;
    int64_t n = p->n_elements;
    int32_t *colour = malloc((size_t)(n + 1) * sizeof *colour), n_colours = -7;
    int32_t *wanted = malloc((size_t)(n + 1) * sizeof *wanted);
    bool *skip = calloc((size_t)n + 1, sizeof *skip);
    for (int pass = 0; pass < 2; pass++) {
        mplan_items items = {p->maps, p->n_maps, n, NULL, NULL, pass ? skip : NULL};
        bound b = bound_of(p, 0, n, skip);
        assert_done(mplan_colour_elements(p->maps, p->n_maps, items.skip, n, colour, &n_colours,
                                          NULL, &err),
                    &err);
        check_colouring(p, elements_meet, n, items.skip, colour, n_colours);
        check_number(&b, n_colours);
        check_lists(n, colour, n_colours);
        assert_done(mplan_colour_least_used(&items, colour, &n_colours, &err), &err);
        assert_int_equal(n_colours, least_used(p, elements_meet, n, items.skip, wanted));
        assert_memory_equal(colour, wanted, (size_t)n * sizeof *colour);
        for (int64_t e = 0; e < n; e++)
            skip[e] = support_random(seed, 4) == 0;
    }
    free(colour);
    free(wanted);
    free(skip);
}

/* Several threads find the same colours of blocks. */
static void compare_threads(const problem *p, const int32_t *colour, int32_t n_colours)
{
    mplan_error err;
    mplan_threaded own;
    int64_t n = p->n_blocks;
    int32_t *again = malloc((size_t)(n + 1) * sizeof *again), n_again = -7;
    const mplan_context *context = support_threaded_open(NULL, &own, 3);
    own.team->pieces = 5;
    assert_done(mplan_colour_blocks(p->maps, p->n_maps, n, p->offsets, p->sequence, again, &n_again,
                                    context, &err),
                &err);
    assert_int_equal(n_again, n_colours);
    assert_memory_equal(colour, again, (size_t)n * sizeof *colour);
    mplan_threaded_close(&own);
    free(again);
}

static void check_blocks(const problem *p)
{
    mplan_error err;
    int64_t n = p->n_blocks;
    int32_t *colour = malloc((size_t)(n + 1) * sizeof *colour), n_colours = -7;
    int32_t *wanted = malloc((size_t)(n + 1) * sizeof *wanted);
    mplan_items items = {p->maps, p->n_maps, n, p->offsets, p->sequence, NULL};
    assert_done(mplan_colour_blocks(p->maps, p->n_maps, n, p->offsets, p->sequence, colour,
                                    &n_colours, NULL, &err),
                &err);
    check_colouring(p, blocks_meet, n, NULL, colour, n_colours);
    check_lists(n, colour, n_colours);
    compare_threads(p, colour, n_colours);
    assert_done(mplan_colour_least_used(&items, colour, &n_colours, &err), &err);
    assert_int_equal(n_colours, least_used(p, blocks_meet, n, NULL, wanted));
    assert_memory_equal(colour, wanted, (size_t)n * sizeof *colour);
    free(colour);
    free(wanted);
}

/* Valid, never worse than first fit, and within the bounds of each block. */
static void check_block_threads(const problem *p, int64_t b, const uint16_t *colour, int32_t count)
{
    uint16_t *greedy = malloc((size_t)(p->n_positions + 1) * sizeof *greedy);
    bound limit = bound_of(p, p->offsets[b], p->offsets[b + 1], NULL);
    assert_true(count <= first_fit(p, b, greedy));
    check_number(&limit, count);
    for (int64_t i = p->offsets[b]; i < p->offsets[b + 1]; i++) {
        if (element_at(p, i) < 0) {
            assert_int_equal(colour[i], HOLE);
            continue;
        }
        assert_true(colour[i] < count);
        for (int64_t k = p->offsets[b]; k < i; k++)
            if (colour[k] == colour[i])
                assert_false(elements_meet(p, element_at(p, i), element_at(p, k)));
    }
    free(greedy);
}

/* Also with 2 threads, and with as many as there are: the same colours. */
static void check_threads(const problem *p)
{
    mplan_error err;
    int64_t n = p->n_positions;
    uint16_t *colour = malloc((size_t)(n + 1) * sizeof *colour);
    uint16_t *count = malloc((size_t)(p->n_blocks + 1) * sizeof *count);
    uint16_t *before = malloc((size_t)(n + 1) * sizeof *before);
    for (int32_t threads = 0; threads <= 2; threads++) {
        mplan_threaded team;
        const mplan_context *context = support_threaded_open(NULL, &team, threads + 1);
        memset(colour, 0x55, (size_t)n * sizeof *colour);
        assert_done(mplan_colour_threads(p->maps, p->n_maps, p->n_blocks, p->offsets, p->sequence,
                                         colour, count, threads ? context : NULL, &err),
                    &err);
        mplan_threaded_close(&team);
        for (int64_t b = 0; b < p->n_blocks && !threads; b++)
            check_block_threads(p, b, colour, count[b]);
        if (threads)
            assert_memory_equal(colour, before, (size_t)n * sizeof *colour);
        memcpy(before, colour, (size_t)n * sizeof *colour);
    }
    free(colour);
    free(count);
    free(before);
}

static void keeps_bounds_on_small_meshes(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 3000; i += support_races_only() ? 11 : 1) {
        problem p = random_problem(&seed, (sizes){14, 9});
        check_elements(&seed, &p);
        check_blocks(&p);
        check_threads(&p);
        problem_free(&p);
    }
}

/* Few points and many elements: more than 64 and more than 128 colours. */
static void keeps_bounds_with_many_colours(void **state)
{
    (void)state;
    uint64_t seed = 2;
    int32_t most = 0;
    for (int i = 0; i < 12; i++) {
        problem p = random_problem(&seed, (sizes){300, 3});
        int32_t n_colours, *colour = malloc(301 * sizeof *colour);
        mplan_error err;
        assert_done(mplan_colour_elements(p.maps, p.n_maps, NULL, p.n_elements, colour, &n_colours,
                                          NULL, &err),
                    &err);
        most = n_colours > most ? n_colours : most;
        free(colour);
        check_elements(&seed, &p);
        check_blocks(&p);
        check_threads(&p);
        problem_free(&p);
    }
    assert_true(most > 2 * WINDOW);
}

/* --- edges ----------------------------------------------------------------------- */

/* One map of n edges between random points, or between two halves of them. */
static problem random_edges(uint64_t *seed, int64_t n, int32_t n_points, bool bipartite)
{
    problem p = {.n_elements = n, .n_positions = n, .n_maps = 1};
    int32_t *values = malloc((size_t)(2 * n) * sizeof *values), half = n_points / 2;
    for (int64_t e = 0; e < n; e++) {
        int32_t a = (int32_t)support_random(seed, bipartite ? half : n_points);
        int32_t b = (int32_t)support_random(seed, bipartite ? half : n_points - 1);
        b += bipartite ? half : b >= a;
        bool turn = support_random(seed, 2);
        values[2 * e] = turn ? b : a;
        values[2 * e + 1] = turn ? a : b;
    }
    p.maps[0] = (mplan_map){"edges", 0, 3, 2, n, n_points, NULL, values};
    random_blocks(seed, &p);
    return p;
}

static void edges_get_as_few_colours_as_can_be(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 300; i += support_races_only() ? 11 : 1) {
        int64_t n = 1 + support_random(&seed, 200);
        int32_t n_points = 2 + 2 * (int32_t)support_random(&seed, 40);
        problem p = random_edges(&seed, n, n_points, i % 2);
        check_elements(&seed, &p);
        check_threads(&p);
        problem_free(&p);
    }
}

/* --- special cases ----------------------------------------------------------- */

/* A point that 10,000 elements touch: each needs a colour of its own, and each
 * block too. */
static void a_hub_takes_a_colour_each(void **state)
{
    (void)state;
    enum { N = 10000, BLOCK = 1000, N_BLOCKS = N / BLOCK };
    mplan_error err;
    int32_t *values = malloc(2 * N * sizeof *values), *colour = malloc(N * sizeof *colour);
    uint16_t *within = malloc(N * sizeof *within), count[N_BLOCKS];
    int64_t offsets[N_BLOCKS + 1];
    int32_t n_colours, of_block[N_BLOCKS];
    for (int32_t e = 0; e < N; e++) {
        values[2 * e] = 0;
        values[2 * e + 1] = 1 + e / 2;
    }
    mplan_map map = {"hub", 0, 1, 2, N, 1 + N / 2, NULL, values};
    assert_done(mplan_colour_elements(&map, 1, NULL, N, colour, &n_colours, NULL, &err), &err);
    assert_int_equal(n_colours, N);
    bool *taken = calloc(N, sizeof *taken);
    for (int32_t e = 0; e < N; e++) {
        assert_in_range(colour[e], 0, N - 1);
        assert_false(taken[colour[e]]);
        taken[colour[e]] = true;
    }
    free(taken);
    for (int32_t b = 0; b <= N_BLOCKS; b++)
        offsets[b] = b * BLOCK;
    assert_done(mplan_colour_blocks(&map, 1, N_BLOCKS, offsets, NULL, of_block, &n_colours, NULL,
                                    &err),
                &err);
    assert_int_equal(n_colours, N_BLOCKS);
    assert_done(mplan_colour_threads(&map, 1, N_BLOCKS, offsets, NULL, within, count, NULL, &err),
                &err);
    for (int32_t e = 0; e < N; e++)
        assert_int_equal(within[e], e % BLOCK);
    for (int32_t b = 0; b < N_BLOCKS; b++) {
        assert_int_equal(count[b], BLOCK);
        assert_int_equal(of_block[b], b);
    }
    free(values);
    free(colour);
    free(within);
}

static void nothing_needs_no_colours_and_one_element_one(void **state)
{
    (void)state;
    mplan_error err;
    int64_t offsets[2] = {0, 0}, list_offsets[1] = {7};
    int32_t colour = 5, n_colours = 5, point[2] = {0, 0};
    uint16_t within = 5, count = 5;
    mplan_map map = {"m", 0, 1, 2, 0, 0, NULL, point};
    assert_done(mplan_colour_elements(&map, 1, NULL, 0, &colour, &n_colours, NULL, &err), &err);
    assert_int_equal(n_colours, 0);
    assert_done(mplan_colour_blocks(&map, 1, 0, offsets, NULL, &colour, &n_colours, NULL, &err),
                &err);
    assert_int_equal(n_colours, 0);
    assert_done(mplan_colour_threads(&map, 1, 0, offsets, NULL, &within, &count, NULL, &err), &err);
    mplan_colour_lists(0, NULL, 0, list_offsets, NULL);
    assert_int_equal(list_offsets[0], 0);
    assert_int_equal(colour, 5);
    assert_int_equal(within, 5);

    map.n_rows = map.n_points = offsets[1] = 1; /* the point repeated in the row */
    assert_done(mplan_colour_elements(&map, 1, NULL, 1, &colour, &n_colours, NULL, &err), &err);
    assert_int_equal(colour, 0);
    assert_int_equal(n_colours, 1);
    assert_done(mplan_colour_threads(&map, 1, 1, offsets, NULL, &within, &count, NULL, &err), &err);
    assert_int_equal(within, 0);
    assert_int_equal(count, 1);
}

static void stops_when_the_context_says_so(void **state)
{
    (void)state;
    mplan_error err;
    int64_t offsets[2] = {0, 1};
    uint16_t within, count;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.cancelled = always;
    assert_refused(mplan_colour_threads(NULL, 0, 1, offsets, NULL, &within, &count, &context, &err),
                   MPLAN_ERR_INTERRUPTED, &err, "interrupted");
}

/* Random bipartite graphs, with double edges and edges of one end: as many colours as the highest degree, and the same ones by 1, 2, 3 and
 * 7 threads. */
static void halves_are_coloured_side_by_side(void **state)
{
    (void)state;
    enum { MOST = 600, SIDE = 60 };
    static int32_t ends[2 * MOST], colour[4][MOST];
    static bool taken[2 * SIDE][MOST];
    static const int threads[] = {1, 2, 3, 7};
    uint64_t seed = 31;
    int odd = 0;
    for (int round = 0; round < 200; round += support_every(8)) {
        const int64_t side = 1 + support_random(&seed, SIDE), n = 1 + support_random(&seed, MOST);
        int32_t degrees[2 * SIDE] = {0}, degree = 0, n_colours;
        mplan_error err;
        for (int64_t i = 0; i < 2 * n; i++) {
            ends[i] = (int32_t)(support_random(&seed, side) + (i % 2 ? side : 0));
            if (i % 2 && round % 3 == 0 && support_random(&seed, 9) == 0)
                ends[i] = -1;
            else if (++degrees[ends[i]] > degree)
                degree = degrees[ends[i]];
        }
        const mplan_edges edges = {2 * side, n, ends};
        for (int t = support_races_only(); t < 4; t++) {
            mplan_team team;
            support_team_open(&team, threads[t]);
            assert_done(mplan_colour_bipartite(&edges, 0, colour[t], &n_colours, &team, &err), &err);
            mplan_team_close(&team);
            assert_int_equal(n_colours, degree);
            assert_memory_equal(colour[t], colour[support_races_only()], (size_t)n * sizeof **colour);
        }
        memset(taken, 0, sizeof taken);
        for (int64_t i = 0; i < 2 * n; i++)
            if (ends[i] >= 0) {
                assert_in_range(colour[3][i / 2], 0, degree - 1);
                assert_false(taken[ends[i]][colour[3][i / 2]]);
                taken[ends[i]][colour[3][i / 2]] = true;
            }
        odd += degree % 4 == 2 && degree > 2;
    }
    assert_true(odd > 0 || support_every(8) > 1);
}

/* A chain whose vertices each have an edge to a leaf: three colours, also where walks along it, from one end on, would
 * take so many steps that the rest is matched from a random order. */
static void combs_take_three_colours(void **state)
{
    (void)state;
    enum { MOST = 20000 };
    static int32_t ends[4 * MOST], colour[2 * MOST];
    for (int64_t teeth = 2; teeth <= MOST; teeth = 2 * teeth + 1) {
        int32_t n_colours;
        mplan_error err;
        for (int64_t i = 0; i < teeth; i++) {
            ends[2 * i] = (int32_t)i;
            ends[2 * i + 1] = (int32_t)i + 1;
            ends[2 * (teeth + i)] = (int32_t)i;
            ends[2 * (teeth + i) + 1] = (int32_t)(teeth + 1 + i);
        }
        const mplan_edges edges = {2 * teeth + 1, 2 * teeth, ends};
        assert_done(mplan_colour_bipartite(&edges, INT64_MAX, colour, &n_colours, NULL, &err), &err);
        assert_int_equal(n_colours, 3);
        for (int64_t i = 0; i < teeth; i++) {
            assert_in_range(colour[i], 0, 2);
            assert_in_range(colour[teeth + i], 0, 2);
            assert_int_not_equal(colour[i], colour[teeth + i]);
            if (i > 0) {
                assert_int_not_equal(colour[i], colour[i - 1]);
                assert_int_not_equal(colour[teeth + i], colour[i - 1]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_bounds_on_small_meshes),
        cmocka_unit_test(keeps_bounds_with_many_colours),
        cmocka_unit_test(edges_get_as_few_colours_as_can_be),
        cmocka_unit_test(a_hub_takes_a_colour_each),
        cmocka_unit_test(nothing_needs_no_colours_and_one_element_one),
        cmocka_unit_test(stops_when_the_context_says_so),
        cmocka_unit_test(halves_are_coloured_side_by_side),
        cmocka_unit_test(combs_take_three_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
