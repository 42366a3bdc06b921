/* SPDX-License-Identifier: Apache-2.0 */
/* test_groups.c - what stays in one part: groups, the graph of groups, and parts of it; weights of meshplan's own cut
 *
 * Groups are compared with numbers that spread until nothing changes, the smaller graph with a full matrix. */
#include "support_test.h"

#include "partition/cut_into.h"
#include "partition/partition.h"

static mplan_error err;

/* A random symmetric graph of n vertices. */
static mplan_csr make_graph(int32_t n, int32_t n_edges, uint64_t *seed)
{
    int32_t *pairs = malloc((size_t)n_edges * 8 + 8);
    for (int32_t i = 0; i < 2 * n_edges; i++)
        pairs[i] = (int32_t)support_random(seed, n);
    const mplan_map map = {"edges", 0, 1, 2, n_edges, n, NULL, pairs};
    mplan_csr graph;
    assert_done(mplan_graph_of_points(&map, 1, 0, &graph, NULL, &err), &err);
    free(pairs);
    return graph;
}

/* A grid of n x n in the order of its rows. */
static mplan_csr make_grid(int32_t n)
{
    int32_t *pairs = malloc((size_t)n * (size_t)n * 16 + 8), n_pairs = 0;
    for (int32_t v = 0; v < n * n; v++)
        for (int way = 0; way < 2; way++) {
            if (way ? v / n + 1 == n : v % n + 1 == n)
                continue;
            pairs[2 * n_pairs] = v;
            pairs[2 * n_pairs++ + 1] = way ? v + n : v + 1;
        }
    const mplan_map map = {"edges", 0, 1, 2, n_pairs, n * n, NULL, pairs};
    mplan_csr graph;
    assert_done(mplan_graph_of_points(&map, 1, 0, &graph, NULL, &err), &err);
    free(pairs);
    return graph;
}

/* --- groups ------------------------------------------------------------------------------- */

/* The lowest member of each vertex's group: numbers spread along rows, or among equal groups, until none changes. */
static void spread(const mplan_together *t, int32_t n, int32_t *lowest)
{
    bool changed = true;
    for (int32_t v = 0; v < n; v++)
        lowest[v] = v;
    while (changed) {
        changed = false;
        for (int64_t r = 0; r < t->rows; r++)
            for (int64_t i = 0; i < (t->columns == 1 ? t->rows : t->columns * t->columns); i++) {
                const int64_t *row = t->values + r * t->columns;
                const int64_t a = t->columns == 1 ? r : row[i / t->columns];
                const int64_t b = t->columns == 1 ? i : row[i % t->columns];
                if (a < 0 || b < 0 || (t->columns == 1 && (row[0] < 0 || t->values[i] != row[0])))
                    continue;
                if (lowest[b] < lowest[a]) {
                    lowest[a] = lowest[b];
                    changed = true;
                }
            }
    }
}

static void groups_are_those_that_spread(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int32_t round = 0; round < 600; round += support_every(3)) {
        const int32_t n = (int32_t)support_random(&seed, 24), columns = 1 + round % 4;
        const int64_t rows = n == 0 ? 0 : columns == 1 ? n : (int64_t)support_random(&seed, n);
        int64_t values[96], n_groups, found = 0;
        int32_t group[24], lowest[24], number[24];
        for (int64_t i = 0; i < rows * columns; i++)
            values[i] = (int64_t)support_random(&seed, n + 1) - 1;
        const mplan_together together = {rows, columns, values};
        assert_done(mplan_groups_of(&together, "cells", n, group, &n_groups, &err), &err);
        spread(&together, n, lowest);
        for (int32_t v = 0; v < n; v++) {
            number[v] = lowest[v] == v ? (int32_t)found++ : number[lowest[v]];
            assert_int_equal(group[v], number[v]);
        }
        assert_int_equal(n_groups, found);
    }
}

static void rows_that_do_not_fit(void **state)
{
    (void)state;
    int64_t values[] = {0, 1, 5, 2};
    int32_t group[5];
    int64_t n_groups;
#define REFUSED(rows_, columns_, n_, text_)                                                        \
    assert_refused(mplan_groups_of(&(mplan_together){rows_, columns_, values}, "cells", n_, group, \
                                   &n_groups, &err),                                               \
                   MPLAN_ERR_ARGUMENT, &err, text_)
    REFUSED(4, 1, 5, "groups of 4 members, but 5 cells are cut");
    REFUSED(4, 1, 4, "row 3 of what stays together: the group is 5, not below 4");
    REFUSED(2, 2, 5, "row 2 of what stays together: cells 5, not below 5");
    values[2] = 4;
    assert_done(mplan_groups_of(&(mplan_together){2, 2, values}, "cells", 5, group, &n_groups, &err),
                &err);
    assert_int_equal(n_groups, 3);
#undef REFUSED
}

/* --- the smaller graph ---------------------------------------------------------------------- */

/* Weights of edges between groups, all pairs, against the rows. */
static void expect_rows(const mplan_csr *graph, const int64_t *weights, const int32_t *group,
                        const mplan_contracted *out)
{
    int64_t due[24][24] = {{0}};
    for (int64_t v = 0; v < graph->n; v++)
        for (int64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++)
            due[group[v]][group[graph->neighbours[i]]] += weights ? weights[i] : 1;
    for (int64_t g = 0; g < out->graph.n; g++) {
        for (int64_t i = out->graph.offsets[g]; i < out->graph.offsets[g + 1]; i++) {
            const int32_t h = out->graph.neighbours[i];
            assert_true(i == out->graph.offsets[g] || out->graph.neighbours[i - 1] < h);
            assert_true(out->wishes.edge_weights[i] == due[g][h] && h != g);
            due[g][h] = 0;
        }
        for (int64_t h = 0; h < out->graph.n; h++)
            assert_true(h == g || due[g][h] == 0);
    }
}

static void the_smaller_graph_has_all_edges(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int32_t round = 0; round < 300; round += support_every(3)) {
        const int32_t n = 1 + (int32_t)support_random(&seed, 24), columns = round % 3;
        mplan_csr graph = make_graph(n, 2 * n, &seed);
        int32_t group[24];
        int64_t n_groups, members[24], weights[72], *edges = NULL;
        for (int32_t v = 0; v < n; v++) {
            members[v] = (int64_t)support_random(&seed, n) - 1;
            for (int32_t c = 0; c < columns; c++)
                weights[v * columns + c] = (int64_t)support_random(&seed, 9);
        }
        if (round % 2) { /* the same from both sides */
            edges = malloc((size_t)graph.offsets[n] * sizeof *edges + 8);
            for (int32_t v = 0; v < n; v++)
                for (int64_t i = graph.offsets[v]; i < graph.offsets[v + 1]; i++)
                    edges[i] = 1 + (v + graph.neighbours[i]) % 5;
        }
        const mplan_together together = {n, 1, members};
        const mplan_cut_wishes wishes = {.n_constraints = columns,
                                         .weights = weights,
                                         .edge_weights = edges,
                                         .sizes = columns == 1 ? weights : NULL};
        mplan_contracted out;
        assert_done(mplan_groups_of(&together, "cells", n, group, &n_groups, &err), &err);
        assert_done(mplan_graph_contract(&graph, group, n_groups, &wishes, &out, &err), &err);
        assert_true(out.graph.n == n_groups && out.wishes.n_constraints == (columns ? columns : 1));
        expect_rows(&graph, edges, group, &out);
        for (int64_t g = 0; g < n_groups; g++)
            for (int32_t c = 0; c < out.wishes.n_constraints; c++) {
                int64_t sum = 0;
                for (int32_t v = 0; v < n; v++)
                    sum += group[v] != g ? 0 : columns ? weights[v * columns + c] : 1;
                assert_true(out.wishes.weights[g * out.wishes.n_constraints + c] == sum);
                assert_true(!out.wishes.sizes || out.wishes.sizes[g] == sum);
            }
        mplan_contracted_free(&out);
        mplan_csr_free(&graph);
        free(edges);
    }
}

/* --- parts ------------------------------------------------------------------------------------ */

static int64_t heaviest(const int64_t *weight, const int32_t *part, int64_t n, int32_t n_parts)
{
    int64_t most = 0;
    for (int32_t q = 0; q < n_parts; q++) {
        int64_t sum = 0;
        for (int64_t v = 0; v < n; v++)
            sum += part[v] == q ? weight[v] : 0;
        most = sum > most ? sum : most;
    }
    return most;
}

/* Half of a grid is nine times as heavy: parts have equal weights, so members differ. Without weights the heaviest part has
 * nearly twice its share. */
static void own_cut_balances_weights(void **state)
{
    (void)state;
    enum { N = 40 };
    mplan_csr graph = make_grid(N);
    int64_t weight[N * N], one[N * N], total = 0;
    int32_t part[N * N], plain[N * N];
    for (int32_t v = 0; v < N * N; v++) {
        weight[v] = v % N < N / 2 ? 9 : 1;
        one[v] = 1;
        total += weight[v];
    }
    for (int32_t k = 2; k <= 16; k *= 2) {
        const mplan_cut_wishes wishes = {.n_constraints = 1, .weights = weight};
        const mplan_cut_wishes equal = {.n_constraints = 1, .weights = one};
        assert_done(mplan_partition_bisect(&graph, k, 1.02, &wishes, part, NULL, &err), &err);
        assert_true((double)heaviest(weight, part, N * N, k) <= 1.02 * (double)total / k + 5 * 9);
        assert_done(mplan_partition_bisect(&graph, k, 1.02, NULL, plain, NULL, &err), &err);
        assert_true((double)heaviest(weight, plain, N * N, k) > 1.3 * (double)total / k || k == 2);
        assert_done(mplan_partition_bisect(&graph, k, 1.02, &equal, part, NULL, &err), &err);
        assert_memory_equal(part, plain, sizeof part);
    }
    /* weights of edges: a wall through the middle column costs nothing, all else much */
    int64_t *edges = malloc((size_t)graph.offsets[graph.n] * sizeof *edges);
    for (int32_t v = 0; v < N * N; v++)
        for (int64_t i = graph.offsets[v]; i < graph.offsets[v + 1]; i++) {
            const int32_t a = v % N, b = graph.neighbours[i] % N;
            edges[i] = (a < N / 2) != (b < N / 2) ? 1 : INT64_C(2000000000);
        }
    const mplan_cut_wishes wall = {.edge_weights = edges};
    assert_done(mplan_partition_bisect(&graph, 2, 1.01, &wall, part, NULL, &err), &err);
    for (int32_t v = 0; v < N * N; v++)
        assert_true((part[v] == part[0]) == (v % N < N / 2));
    free(edges);
    weight[7] = INT64_MAX - 5;
    const mplan_cut_wishes heavy = {.n_constraints = 1, .weights = weight};
    assert_refused(mplan_partition_bisect(&graph, 2, 1.01, &heavy, part, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "more than 2^62");
    mplan_csr_free(&graph);
}

/* Columns of a grid stay whole, also where nodes are cut first; parts without a group are empty, or refused. */
static void groups_stay_in_one_part(void **state)
{
    (void)state;
    enum { N = 24 };
    mplan_csr graph = make_grid(N);
    int64_t column[N * N], weight[N * N];
    int32_t part[N * N];
    for (int32_t v = 0; v < N * N; v++) {
        column[v] = v % N;
        weight[v] = 1 + v % 3;
    }
    const mplan_together together = {N * N, 1, column};
    const mplan_cut_wishes wishes = {.n_constraints = 1, .weights = weight};
    mplan_cut_into_options how = {.partitioner = MPLAN_PARTITIONER_NATIVE,
                                  .imbalance = 1.01,
                                  .together = &together,
                                  .set = "cells"};
    for (int32_t nodes = 0; nodes <= 3; nodes++)
        for (int32_t each = 1; each <= 12; each += 1 + each / 2) {
            how.nodes = nodes;
            how.n_parts = (nodes ? nodes : 1) * each;
            how.wishes = nodes % 2 ? &wishes : NULL;
            assert_done(mplan_partition_into(&graph, &how, part, NULL, NULL, &err), &err);
            int32_t n_columns[36] = {0};
            for (int32_t v = 0; v < N * N; v++) {
                assert_in_range(part[v], 0, how.n_parts - 1);
                assert_int_equal(part[v], part[v % N]);
                n_columns[part[v]] += v < N;
            }
            for (int32_t q = 0; q < how.n_parts && how.n_parts <= N && !nodes; q++)
                assert_in_range(n_columns[q], 1, N / how.n_parts + 2);
        }
    how.nodes = 0;
    how.n_parts = N + 1;
    assert_done(mplan_partition_into(&graph, &how, part, NULL, NULL, &err), &err);
    column[3] = N * N;
    how.together_file = "columns.txt";
    assert_refused(mplan_partition_into(&graph, &how, part, NULL, NULL, &err), MPLAN_ERR_MESH, &err,
                   "columns.txt: row 4 of what stays together: the group is 576, not below 576");
    mplan_csr_free(&graph);
}

/* A few groups that weigh as much as a node should leave no part of it empty, whoever cuts. */
static void no_part_of_a_node_is_empty(void **state)
{
    (void)state;
    enum { N = 8 };
    static const mplan_partitioner cutters[] = {MPLAN_PARTITIONER_NATIVE, MPLAN_PARTITIONER_METIS};
    mplan_csr graph = make_grid(N);
    uint64_t seed = 7;
    int64_t weight[N * N], group[N * N];
    int32_t part[N * N];
    for (int round = 0; round < 60; round++) {
        const int32_t nodes = 2 + (int32_t)support_random(&seed, 3),
                      each = 2 + (int32_t)support_random(&seed, 4);
        const int64_t n_groups = nodes * each + support_random(&seed, 12);
        for (int32_t v = 0; v < N * N; v++) {
            /* most members are of the first two groups, and heavy */
            group[v] = v < n_groups ? v : support_random(&seed, 2);
            weight[v] = group[v] < 2 && round % 2 ? 1000 : 1;
        }
        const mplan_together together = {N * N, 1, group};
        const mplan_cut_wishes wishes = {.n_constraints = 1, .weights = weight};
        const mplan_cut_into_options how = {.partitioner = cutters[round % 10 == 9],
                                            .n_parts = nodes * each,
                                            .nodes = nodes,
                                            .imbalance = 1.01,
                                            .wishes = &wishes,
                                            .together = &together,
                                            .set = "cells"};
        const mplan_status status = mplan_partition_into(&graph, &how, part, NULL, NULL, &err);
        if (status == MPLAN_ERR_UNSUPPORTED) /* a build without METIS */
            continue;
        assert_done(status, &err);
        int32_t n[25] = {0};
        for (int32_t v = 0; v < N * N; v++) {
            assert_int_equal(part[v], part[group[v]]);
            n[part[v]]++;
        }
        for (int32_t q = 0; q < nodes * each; q++)
            assert_true(n[q] > 0);
    }
    mplan_csr_free(&graph);
}

/* Parts that lack elements get the lightest of the largest ones, no more than they lack. */
static void parts_are_filled_up(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int round = 0; round < 300; round++) {
        const int64_t n = 1 + support_random(&seed, 30), n_parts = 1 + support_random(&seed, n),
                      least = support_random(&seed, n / n_parts + 1);
        int64_t weights[30], size[30] = {0}, after[30] = {0}, lacking = 0, moved;
        int32_t part[30], before[30];
        for (int64_t v = 0; v < n; v++) {
            weights[v] = support_random(&seed, 5);
            before[v] = part[v] = (int32_t)support_random(&seed, 1 + support_random(&seed, n_parts));
            size[part[v]]++;
        }
        assert_done(mplan_partition_fill_up(n, n_parts, least, round % 3 ? weights : NULL, 1, part,
                                            &moved, &err),
                    &err);
        for (int64_t v = 0; v < n; v++)
            after[part[v]]++;
        for (int64_t p = 0; p < n_parts; p++) {
            lacking += size[p] < least ? least - size[p] : 0;
            assert_true(after[p] >= least && (size[p] >= least || after[p] == least));
        }
        assert_int_equal(moved, lacking);
        for (int64_t v = 0; v < n; v++) /* who left was not heavier than who stayed */
            for (int64_t u = 0; u < n && part[v] != before[v]; u++)
                if (before[u] == before[v] && part[u] == before[u] && round % 3)
                    assert_true(weights[v] <= weights[u]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_those_that_spread),
        cmocka_unit_test(rows_that_do_not_fit),
        cmocka_unit_test(the_smaller_graph_has_all_edges),
        cmocka_unit_test(own_cut_balances_weights),
        cmocka_unit_test(groups_stay_in_one_part),
        cmocka_unit_test(no_part_of_a_node_is_empty),
        cmocka_unit_test(parts_are_filled_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
