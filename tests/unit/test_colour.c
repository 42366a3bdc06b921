/* test_colour.c - colours against references that compare everything with everything */
#include "support_test.h"

#include "colour/colour.h"

enum { MOST_MAPS = 3, WINDOW = 64, HOLE = UINT16_MAX };

/* Maps of one loop and a cut of its elements into blocks. */
typedef struct problem {
    int64_t n_elements, n_positions, n_blocks;
    int32_t n_maps;
    mplan_map maps[MOST_MAPS];
    int64_t *offsets;
    int32_t *sequence; /* NULL: positions are elements */
} problem;

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

/* Whether two elements meet in a point of a set. */
static bool elements_meet(const problem *p, int64_t e, int64_t f)
{
    for (int32_t a = 0; a < p->n_maps; a++)
        for (int32_t b = 0; b < p->n_maps; b++) {
            int32_t n, k;
            const int32_t *row = mplan_map_row(&p->maps[a], e, &n);
            const int32_t *other = mplan_map_row(&p->maps[b], f, &k);
            for (int32_t i = 0; i < n && p->maps[a].to == p->maps[b].to; i++)
                for (int32_t j = 0; j < k; j++)
                    if (row[i] >= 0 && row[i] == other[j])
                        return true;
        }
    return false;
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
                free_colour = colour[k] != c ||
                              !elements_meet(p, element_at(p, i), element_at(p, k));
            if (free_colour)
                colour[i] = (uint16_t)c;
        }
        n_colours = colour[i] + 1 > n_colours ? colour[i] + 1 : n_colours;
    }
    return n_colours;
}

/* --- against the references ------------------------------------------------- */

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

static void check_elements(uint64_t *seed, const problem *p)
{
    mplan_error err;
    int64_t n = p->n_elements;
    int32_t *colour = malloc((size_t)(n + 1) * sizeof *colour), n_colours = -7;
    int32_t *wanted = malloc((size_t)(n + 1) * sizeof *wanted);
    bool *skip = calloc((size_t)n + 1, sizeof *skip);
    for (int64_t e = 0; e < n; e++)
        skip[e] = support_random(seed, 4) == 0;
    for (int pass = 0; pass < 2; pass++) {
        assert_done(mplan_colour_elements(p->maps, p->n_maps, pass ? skip : NULL, n, colour,
                                          &n_colours, &err), &err);
        assert_int_equal(n_colours, least_used(p, elements_meet, n, pass ? skip : NULL, wanted));
        assert_memory_equal(colour, wanted, (size_t)n * sizeof *colour);
        check_lists(n, colour, n_colours);
    }
    free(colour);
    free(wanted);
    free(skip);
}

static void check_blocks(const problem *p)
{
    mplan_error err;
    int64_t n = p->n_blocks;
    int32_t *colour = malloc((size_t)(n + 1) * sizeof *colour), n_colours = -7;
    int32_t *wanted = malloc((size_t)(n + 1) * sizeof *wanted);
    assert_done(mplan_colour_blocks(p->maps, p->n_maps, n, p->offsets, p->sequence, colour,
                                    &n_colours, &err), &err);
    assert_int_equal(n_colours, least_used(p, blocks_meet, n, NULL, wanted));
    assert_memory_equal(colour, wanted, (size_t)n * sizeof *colour);
    check_lists(n, colour, n_colours);
    free(colour);
    free(wanted);
}

/* Also with 2 threads, and with as many as there are. */
static void check_threads(const problem *p)
{
    mplan_error err;
    int64_t n = p->n_positions;
    uint16_t *colour = malloc((size_t)(n + 1) * sizeof *colour);
    uint16_t *count = malloc((size_t)(p->n_blocks + 1) * sizeof *count);
    uint16_t *wanted = malloc((size_t)(n + 1) * sizeof *wanted);
    for (int32_t threads = 0; threads <= 2; threads++) {
        mplan_context context = MPLAN_CONTEXT_INIT;
        context.threads = threads;
        memset(colour, 0x55, (size_t)n * sizeof *colour);
        assert_done(mplan_colour_threads(p->maps, p->n_maps, p->n_blocks, p->offsets, p->sequence,
                                         colour, count, threads ? &context : NULL, &err), &err);
        for (int64_t b = 0; b < p->n_blocks; b++)
            assert_int_equal(count[b], first_fit(p, b, wanted));
        assert_memory_equal(colour, wanted, (size_t)n * sizeof *colour);
    }
    free(colour);
    free(count);
    free(wanted);
}

static void equals_references_on_small_meshes(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 3000; i++) {
        problem p = random_problem(&seed, (sizes){14, 9});
        check_elements(&seed, &p);
        check_blocks(&p);
        check_threads(&p);
        problem_free(&p);
    }
}

/* Few points and many elements: more than 64 and more than 128 colours. */
static void equals_references_with_many_colours(void **state)
{
    (void)state;
    uint64_t seed = 2;
    int32_t most = 0;
    for (int i = 0; i < 12; i++) {
        problem p = random_problem(&seed, (sizes){300, 3});
        int32_t n_colours, *colour = malloc(301 * sizeof *colour);
        mplan_error err;
        assert_done(mplan_colour_elements(p.maps, p.n_maps, NULL, p.n_elements, colour,
                                          &n_colours, &err), &err);
        most = n_colours > most ? n_colours : most;
        free(colour);
        check_elements(&seed, &p);
        check_blocks(&p);
        check_threads(&p);
        problem_free(&p);
    }
    assert_true(most > 2 * WINDOW);
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
    assert_done(mplan_colour_elements(&map, 1, NULL, N, colour, &n_colours, &err), &err);
    assert_int_equal(n_colours, N);
    for (int32_t e = 0; e < N; e++)
        assert_int_equal(colour[e], e);
    for (int32_t b = 0; b <= N_BLOCKS; b++)
        offsets[b] = b * BLOCK;
    assert_done(mplan_colour_blocks(&map, 1, N_BLOCKS, offsets, NULL, of_block, &n_colours, &err),
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
    assert_done(mplan_colour_elements(&map, 1, NULL, 0, &colour, &n_colours, &err), &err);
    assert_int_equal(n_colours, 0);
    assert_done(mplan_colour_blocks(&map, 1, 0, offsets, NULL, &colour, &n_colours, &err), &err);
    assert_int_equal(n_colours, 0);
    assert_done(mplan_colour_threads(&map, 1, 0, offsets, NULL, &within, &count, NULL, &err), &err);
    mplan_colour_lists(0, NULL, 0, list_offsets, NULL);
    assert_int_equal(list_offsets[0], 0);
    assert_int_equal(colour, 5);
    assert_int_equal(within, 5);

    map.n_rows = map.n_points = offsets[1] = 1; /* the point repeated in the row */
    assert_done(mplan_colour_elements(&map, 1, NULL, 1, &colour, &n_colours, &err), &err);
    assert_int_equal(colour, 0);
    assert_int_equal(n_colours, 1);
    assert_done(mplan_colour_threads(&map, 1, 1, offsets, NULL, &within, &count, NULL, &err), &err);
    assert_int_equal(within, 0);
    assert_int_equal(count, 1);
}

static bool always(void *user)
{
    (void)user;
    return true;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_references_on_small_meshes),
        cmocka_unit_test(equals_references_with_many_colours),
        cmocka_unit_test(a_hub_takes_a_colour_each),
        cmocka_unit_test(nothing_needs_no_colours_and_one_element_one),
        cmocka_unit_test(stops_when_the_context_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
