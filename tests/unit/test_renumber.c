/* SPDX-License-Identifier: Apache-2.0 */
/* test_renumber.c - Gibbs-Poole-Stockmeyer and Sloan against slow ones that follow
 * the papers literally, and on graphs whose best bandwidth is known */
#include "graph_cases.h"

#include "order/layering.h"

/* --- Gibbs-Poole-Stockmeyer ---------------------------------------------------------- */

static void gps_finds_known_bandwidths(void **state)
{
    (void)state;
    enum { N = 100 };
    struct {
        mplan_csr graph;
        int64_t bandwidth;
    } known[] = {
        {linked(N, N - 1, path_link), 1},   {linked(N, N, path_link), 2}, /* a cycle */
        {linked(N, N, two_cycles_link), 2}, {linked(N, N * N, complete_link), N - 1},
        {linked(N, 0, path_link), 0},       {linked(1, 0, path_link), 0},
        {linked(0, 0, path_link), 0},       {linked(2, 1, path_link), 1},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_int_equal(bandwidth_by(mplan_order_gps, &known[i].graph), known[i].bandwidth);
        int32_t *place = order_by(mplan_order_sloan, &known[i].graph);
        free(place);
        mplan_csr_free(&known[i].graph);
    }
    mplan_csr star = linked(N, N - 1, star_link); /* the best is N / 2, but not by levels */
    assert_in_range(bandwidth_by(mplan_order_gps, &star), N / 2, N - 1);
    assert_true(profile_by(mplan_order_gps, &star) <= (N - 2) * (N - 1) / 2);
    mplan_csr_free(&star);
}

static void gps_is_no_wider_than_a_grid(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int round = 0; round < 120; round++) {
        int64_t nx = 2 + support_random(&seed, 40), ny = 2 + support_random(&seed, 40);
        int64_t least = nx < ny ? nx : ny;
        for (int joins = 0; joins < 2; joins++) {
            mplan_csr graph = shuffled_box(&seed, nx, ny, 1, joins ? CORNERS : FACES);
            int64_t width = bandwidth_by(mplan_order_gps, &graph);
            assert_in_range(width, 1, least + 1);
            assert_true(profile_by(mplan_order_gps, &graph) <= (least + 1) * nx * ny);
            mplan_csr_free(&graph);
        }
    }
    for (int round = 0; round < 25; round++) {
        int64_t s[3]; /* the two smaller sides span a layer */
        for (int d = 0; d < 3; d++)
            s[d] = 2 + support_random(&seed, 9);
        int64_t longest = s[0] > s[1] ? s[0] : s[1];
        longest = s[2] > longest ? s[2] : longest;
        int64_t shortest = s[0] < s[1] ? s[0] : s[1];
        shortest = s[2] < shortest ? s[2] : shortest;
        int64_t layer = s[0] * s[1] * s[2] / longest;
        mplan_csr graph = shuffled_box(&seed, s[0], s[1], s[2], CORNERS);
        assert_true(bandwidth_by(mplan_order_gps, &graph) <= layer + shortest + 1);
        mplan_csr_free(&graph);
        graph = shuffled_box(&seed, s[0], s[1], s[2], FACES);
        assert_true(3 * bandwidth_by(mplan_order_gps, &graph) <= 4 * layer); /* by diagonals */
        mplan_csr_free(&graph);
    }
}

/* All orders of n vertices, by exchanging: the least bandwidth. */
static int64_t least_bandwidth(const mplan_csr *graph, int32_t *place, int64_t fixed, int64_t best)
{
    if (fixed == graph->n) {
        int64_t width = support_bandwidth(graph, place);
        return width < best ? width : best;
    }
    for (int64_t i = fixed; i < graph->n; i++) {
        int32_t swap = place[fixed];
        place[fixed] = place[i];
        place[i] = swap;
        best = least_bandwidth(graph, place, fixed + 1, best);
        place[i] = place[fixed];
        place[fixed] = swap;
    }
    return best;
}

static void gps_is_near_the_least_bandwidth(void **state)
{
    (void)state;
    uint64_t seed = 6;
    int64_t ours = 0, least = 0;
    for (int round = 0; round < 150; round++) {
        int64_t n = 3 + support_random(&seed, 5);
        mplan_csr graph = random_graph(&seed, n, 1 + support_random(&seed, n));
        int32_t *place = support_permutation(&seed, n);
        int64_t best = least_bandwidth(&graph, place, 0, n);
        int64_t width = bandwidth_by(mplan_order_gps, &graph);
        assert_true(width >= best);
        ours += width;
        least += best;
        free(place);
        mplan_csr_free(&graph);
    }
    assert_true(100 * ours <= 115 * least);
}

static void orders_keep_components_apart(void **state)
{
    (void)state;
    static const method methods[] = {mplan_order_gps, mplan_order_sloan};
    uint64_t seed = 7;
    mplan_error err;
    for (int round = 0; round < 200; round++) {
        int64_t n = 1 + support_random(&seed, 2000);
        mplan_csr graph = random_graph(&seed, n, support_random(&seed, 2 * n));
        mplan_components parts;
        assert_done(mplan_components_make(&graph, NULL, 0, &parts, NULL, &err), &err);
        int32_t *place = order_by(methods[round % 2], &graph);
        for (int64_t c = 0; c < parts.n; c++)
            for (int64_t i = parts.first[c]; i < parts.first[c + 1]; i++)
                assert_in_range(place[parts.member[i]], parts.first[c], parts.first[c + 1] - 1);
        free(place);
        mplan_components_free(&parts);
        mplan_csr_free(&graph);
    }
}

static bool always(void *data)
{
    (void)data;
    return true;
}

static void orders_can_be_interrupted(void **state)
{
    (void)state;
    uint64_t seed = 8;
    mplan_error err;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.cancelled = always;
    mplan_csr graph = shuffled_box(&seed, 5, 5, 1, FACES);
    int32_t place[25];
    assert_int_equal(mplan_order_gps(&graph, place, &context, &err), MPLAN_ERR_INTERRUPTED);
    assert_int_equal(mplan_order_sloan(&graph, place, &context, &err), MPLAN_ERR_INTERRUPTED);
    mplan_csr_free(&graph);
}

/* --- Sloan --------------------------------------------------------------------------- */

/* Sloan's algorithm with a list in place of the heap. Status 0 inactive, 1
 * preactive, 2 active, 3 numbered. */
static void naive_sloan(const mplan_csr *graph, const mplan_layering *layers, bool from_last,
                        int64_t w1, int64_t w2, int32_t *place)
{
    int64_t n = graph->n, entered = 0, start = -1;
    int64_t *priority = malloc((size_t)n * sizeof *priority);
    int64_t *stamp = calloc((size_t)n, sizeof *stamp);
    int *status = calloc((size_t)n, sizeof *status);
    for (int64_t v = 0; v < n; v++) {
        int64_t level = from_last ? layers->depth - layers->level[v] : layers->level[v];
        priority[v] = w1 * (layers->depth - level) - w2 * (mplan_degree(graph, (int32_t)v) + 1);
        if (level == 0 && lower(graph, v, start))
            start = v;
    }
    status[start] = 1;
    for (int64_t number = 0; number < n; number++) {
        int64_t v = -1;
        for (int64_t w = 0; w < n; w++)
            if ((status[w] == 1 || status[w] == 2) &&
                (v < 0 || priority[w] > priority[v] ||
                 (priority[w] == priority[v] && stamp[w] < stamp[v])))
                v = w;
        bool was_preactive = status[v] == 1;
        for (int64_t k = graph->offsets[v]; was_preactive && k < graph->offsets[v + 1]; k++) {
            int32_t w = graph->neighbours[k];
            priority[w] += w2;
            if (status[w] == 0) {
                status[w] = 1;
                stamp[w] = ++entered;
            }
        }
        place[v] = (int32_t)number;
        status[v] = 3;
        for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++) {
            int32_t w = graph->neighbours[k];
            if (status[w] != 1)
                continue;
            status[w] = 2;
            priority[w] += w2;
            for (int64_t l = graph->offsets[w]; l < graph->offsets[w + 1]; l++) {
                int32_t x = graph->neighbours[l];
                if (status[x] == 3)
                    continue;
                priority[x] += w2;
                if (status[x] == 0) {
                    status[x] = 1;
                    stamp[x] = ++entered;
                }
            }
        }
    }
    free(priority);
    free(stamp);
    free(status);
}

/* The best of the tries that sloan.c tells of, forwards or backwards. */
static int64_t naive_sloan_profile(const mplan_csr *graph, const mplan_layering *layers)
{
    int32_t *place = malloc((size_t)graph->n * sizeof *place);
    int64_t least = INT64_MAX;
    bool better_end = false;
    for (int trial = 0; trial < 3; trial++) {
        bool from_last = trial == 2 ? better_end : trial;
        if (trial == 1 && layers->even)
            continue;
        naive_sloan(graph, layers, from_last, trial == 2 ? 16 : 1, trial == 2 ? 1 : 2, place);
        for (int back = 0; back < 2; back++) {
            int64_t profile = profile_of(graph, place);
            if (profile < least) {
                least = profile;
                better_end = from_last;
            }
            for (int64_t v = 0; v < graph->n; v++)
                place[v] = (int32_t)(graph->n - 1 - place[v]);
        }
    }
    free(place);
    return least;
}

static void sloan_is_that_of_the_papers(void **state)
{
    (void)state;
    uint64_t seed = 9;
    mplan_error err;
    for (int round = 0; round < 300; round++) {
        int64_t n = 1 + support_random(&seed, 80), least = 0;
        mplan_csr graph = round % 10 ? random_graph(&seed, n, n + support_random(&seed, n))
                                     : shuffled_box(&seed, 1 + n % 9, 1 + n / 9, 2, round % 20 > 0);
        mplan_components parts;
        assert_done(mplan_components_make(&graph, NULL, 0, &parts, NULL, &err), &err);
        for (int64_t c = 0; c < parts.n; c++) {
            mplan_csr one = mplan_component(&parts, c);
            mplan_layering layers;
            if (one.n == 1)
                continue;
            assert_done(mplan_layering_choose(&one, &layers, NULL, &err), &err);
            least += naive_sloan_profile(&one, &layers);
            mplan_layering_free(&layers);
        }
        assert_int_equal(profile_by(mplan_order_sloan, &graph), least);
        mplan_components_free(&parts);
        mplan_csr_free(&graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gps_finds_known_bandwidths),
        cmocka_unit_test(gps_is_no_wider_than_a_grid),
        cmocka_unit_test(gps_is_near_the_least_bandwidth),
        cmocka_unit_test(orders_keep_components_apart),
        cmocka_unit_test(orders_can_be_interrupted),
        cmocka_unit_test(sloan_is_that_of_the_papers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
