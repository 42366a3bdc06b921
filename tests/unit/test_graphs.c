/* SPDX-License-Identifier: Apache-2.0 */
/* test_graphs.c - graphs in METIS's, SCOTCH's and Matrix Market's files against the graph they are of */
#include "support_test.h"

#include "formats/format.h"

enum { MOST_NODES = 40, TEXT = 1 << 16 };

typedef struct graph {
    int n, n_edges;
    bool joined[MOST_NODES][MOST_NODES];
} graph;

static void random_graph(uint64_t *seed, graph *g)
{
    memset(g, 0, sizeof *g);
    g->n = 1 + (int)support_random(seed, MOST_NODES);
    int64_t sparse = 1 + support_random(seed, 12);
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < i; j++)
            if (support_random(seed, sparse) == 0) {
                g->joined[i][j] = g->joined[j][i] = true;
                g->n_edges++;
            }
}

/* Neighbours of a node in random order. */
static int neighbours(uint64_t *seed, const graph *g, int node, int *list)
{
    int n = 0;
    for (int j = 0; j < g->n; j++)
        if (g->joined[node][j]) {
            int at = (int)support_random(seed, n + 1);
            list[n++] = list[at];
            list[at] = j;
        }
    return n;
}

static char *print(char *at, int64_t number, char end)
{
    return at + sprintf(at, "%lld%c", (long long)number, end);
}

static size_t write_metis(uint64_t *seed, const graph *g, char *text)
{
    int list[MOST_NODES + 1];
    bool edge_weights = support_random(seed, 2), node_weights = support_random(seed, 2),
         sizes = support_random(seed, 2);
    int ncon = 1 + (int)support_random(seed, 3);
    char *at = text + sprintf(text, "%d %d %d%d%d %d\n", g->n, g->n_edges, sizes, node_weights,
                              edge_weights, ncon);
    for (int i = 0; i < g->n; i++) {
        if (support_random(seed, 5) == 0)
            at += sprintf(at, "%% comment 1 2 3\n");
        for (int k = 0; k < sizes + node_weights * ncon; k++)
            at = print(at, support_random(seed, 100), ' ');
        int n = neighbours(seed, g, i, list);
        for (int k = 0; k < n; k++) {
            at = print(at, list[k] + 1, ' ');
            if (edge_weights)
                at = print(at, 1 + support_random(seed, 100), '\t');
        }
        *at++ = '\n';
    }
    return (size_t)(at - text);
}

static size_t write_scotch(uint64_t *seed, const graph *g, char *text)
{
    int list[MOST_NODES + 1];
    bool arcs = support_random(seed, 2), weights = support_random(seed, 2),
         labels = support_random(seed, 2);
    int base = (int)support_random(seed, 2);
    int64_t factor = labels ? -7 : 1;
    char *at = text + sprintf(text, "0\n%d %d\n%d %d%d%d\n", g->n, 2 * g->n_edges, base, labels,
                              arcs, weights);
    for (int i = 0; i < g->n; i++) {
        int n = neighbours(seed, g, i, list);
        if (labels)
            at = print(at, factor * (i + base), ' ');
        if (weights)
            at = print(at, support_random(seed, 100), ' ');
        at = print(at, n, ' ');
        for (int k = 0; k < n; k++) {
            if (arcs)
                at = print(at, support_random(seed, 100), ' ');
            at = print(at, factor * (list[k] + base), k % 7 ? ' ' : '\n');
        }
    }
    return (size_t)(at - text);
}

/* Entries in the order of the nodes, one or both triangles, some twice, with a diagonal. */
static size_t write_matrix(uint64_t *seed, const graph *g, char *text)
{
    bool symmetric = support_random(seed, 2), pattern = support_random(seed, 2);
    char body[TEXT / 2], *at = body;
    int n = 0;
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j <= i; j++)
            for (int again = g->joined[i][j] ? 1 + (support_random(seed, 9) == 0) : i == j;
                 again > 0; again--) {
                bool reversed = !symmetric && support_random(seed, 2);
                at += sprintf(at, "%d %d%s\n", (reversed ? j : i) + 1, (reversed ? i : j) + 1,
                              pattern ? "" : " -1.5e3");
                n++;
            }
    *at = 0;
    return (size_t)sprintf(text, "%%%%MatrixMarket matrix coordinate %s %s\n%% x\n%d %d %d\n%s",
                           pattern ? "pattern" : "real", symmetric ? "symmetric" : "general", g->n,
                           g->n, n, body);
}

static mplan_status read_text(const mplan_file_format *format, const char *text, size_t size,
                              mplan_mesh **mesh, mplan_error *err)
{
    /* exactly as long as it is, for the sanitizers */
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    mplan_input input = {"a", (const uint8_t *)copy, size, NULL};
    *mesh = NULL;
    assert_done(mplan_mesh_create(mesh, err), err);
    mplan_status status = format->read(&input, NULL, NULL, *mesh, err);
    free(copy);
    if (status != MPLAN_OK) {
        mplan_mesh_free(*mesh);
        *mesh = NULL;
    }
    return status;
}

/* The edges, each once, lower end first and in order. */
static void expect_graph(const mplan_mesh *mesh, const graph *g)
{
    mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "edges_nodes"));
    assert_int_equal(map.n_rows, g->n_edges);
    assert_int_equal(map.n_points, g->n);
    const int32_t *end = map.values;
    for (int i = 0; i < g->n; i++)
        for (int j = i + 1; j < g->n; j++)
            if (g->joined[i][j]) {
                assert_int_equal(*end++, i);
                assert_int_equal(*end++, j);
            }
}

typedef size_t writer(uint64_t *seed, const graph *g, char *text);

static void compare(const mplan_file_format *format, writer *write)
{
    static char text[TEXT];
    uint64_t seed = 5;
    for (int round = 0; round < 400; round++) {
        graph g;
        mplan_mesh *mesh;
        mplan_error err;
        random_graph(&seed, &g);
        size_t size = write(&seed, &g, text);
        assert_done(read_text(format, text, size, &mesh, &err), &err);
        expect_graph(mesh, &g);
        mplan_mesh_free(mesh);
    }
}

static void test_metis(void **state)
{
    (void)state;
    compare(&mplan_format_metis_graph, write_metis);
}

static void test_scotch(void **state)
{
    (void)state;
    compare(&mplan_format_scotch, write_scotch);
}

static void test_matrix(void **state)
{
    (void)state;
    compare(&mplan_format_matrix, write_matrix);
}

/* A single arc too few or too many is found, whichever it is. */
static void test_one_way(void **state)
{
    static char text[TEXT];
    uint64_t seed = 7;
    (void)state;
    for (int round = 0; round < 400; round++) {
        graph g;
        mplan_mesh *mesh;
        mplan_error err;
        random_graph(&seed, &g);
        int i = (int)support_random(&seed, g.n), j = (int)support_random(&seed, g.n);
        g.joined[i][j] = !g.joined[i][j];
        g.n_edges += i < j ? (g.joined[i][j] ? 1 : -1) : 0;
        size_t size = write_metis(&seed, &g, text);
        mplan_status status = read_text(&mplan_format_metis_graph, text, size, &mesh, &err);
        assert_true(status == MPLAN_ERR_MESH || status == MPLAN_ERR_CORRUPT);
    }
}

static void test_rows(void **state)
{
    static const char text[] =
        "%%MatrixMarket matrix coordinate integer symmetric\n3 3 4\n3 1 5\n2 2 5\n3 3 0\n3 1 5\n";
    static const int32_t expected[] = {2, 1, 0, 2};
    static const int64_t offsets[] = {0, 1, 2, 4};
    mplan_mesh *mesh;
    mplan_error err;
    (void)state;
    assert_done(read_text(&mplan_format_matrix_rows, text, sizeof text - 1, &mesh, &err), &err);
    mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "rows_columns"));
    assert_int_equal(map.n_rows, 3);
    assert_int_equal(map.n_points, 3);
    assert_memory_equal(map.offsets, offsets, sizeof offsets);
    assert_memory_equal(map.values, expected, sizeof expected);
    mplan_mesh_free(mesh);
}

/* Weights of a file are those of its sets, in whatever order neighbours are. */
static void test_weights(void **state)
{
    (void)state;
    static const char text[] =
        "4 4 111 2\n9 1 2 4 40 2 20\n8 3 4 1 20 3 30\n7 5 6 4 10 2 30\n6 7 0 3 10 1 40\n";
    static const int64_t weights[] = {1, 2, 3, 4, 5, 6, 7, 0}, sizes[] = {9, 8, 7, 6},
                         edges[] = {20, 40, 30, 10};
    static const char scotch[] = "0\n3 4\n5 011\n 7 2 2 7 1 6\n8 1 1 5\n9 1 2 5\n";
    static const int64_t of_nodes[] = {7, 8, 9}, of_edges[] = {1, 2};
    mplan_mesh *mesh;
    mplan_error err;
    int32_t columns;
    assert_done(read_text(&mplan_format_metis_graph, text, sizeof text - 1, &mesh, &err), &err);
    int32_t nodes = mplan_mesh_find_set(mesh, "nodes"), set = mplan_mesh_find_set(mesh, "edges");
    assert_memory_equal(mplan_mesh_weights(mesh, nodes, &columns), weights, sizeof weights);
    assert_int_equal(columns, 2);
    assert_memory_equal(mplan_mesh_sizes(mesh, nodes), sizes, sizeof sizes);
    assert_memory_equal(mplan_mesh_weights(mesh, set, &columns), edges, sizeof edges);
    assert_int_equal(columns, 1);
    assert_null(mplan_mesh_sizes(mesh, set));
    assert_null(mplan_mesh_weights(mesh, 7, &columns));
    assert_int_equal(columns, 0);
    mplan_mesh_free(mesh);
    assert_done(read_text(&mplan_format_scotch, scotch, sizeof scotch - 1, &mesh, &err), &err);
    nodes = mplan_mesh_find_set(mesh, "nodes");
    set = mplan_mesh_find_set(mesh, "edges");
    assert_memory_equal(mplan_mesh_weights(mesh, nodes, NULL), of_nodes, sizeof of_nodes);
    assert_memory_equal(mplan_mesh_weights(mesh, set, NULL), of_edges, sizeof of_edges);
    mplan_mesh_free(mesh);
    static const char cells[] = "2 1\n5 1 2 3\n6 2 3 4\n";
    static const int64_t of_cells[] = {5, 6};
    assert_done(read_text(&mplan_format_metis_mesh, cells, sizeof cells - 1, &mesh, &err), &err);
    set = mplan_mesh_find_set(mesh, "cells");
    assert_memory_equal(mplan_mesh_weights(mesh, set, NULL), of_cells, sizeof of_cells);
    mplan_mesh_free(mesh);
}

/* Rows that are sorted by the library's sort, not by insertion: a wheel with a large hub. */
static void test_long_rows(void **state)
{
    enum { RIM = 3000 };
    static char text[RIM * 40];
    mplan_mesh *mesh;
    mplan_error err;
    (void)state;
    char *at = text + sprintf(text, "%d %d\n", RIM + 1, 2 * RIM);
    for (int i = 0; i < RIM; i++) /* 7 has no divisor in common with RIM */
        at = print(at, 2 + (int64_t)i * 7 % RIM, ' ');
    for (int i = 0; i < RIM; i++)
        at += sprintf(at, "\n%d %d 1", 2 + (i + 1) % RIM, 2 + (i + RIM - 1) % RIM);
    assert_done(read_text(&mplan_format_metis_graph, text, (size_t)(at - text), &mesh, &err), &err);
    mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "edges_nodes"));
    assert_int_equal(map.n_rows, 2 * RIM);
    for (int i = 0; i < RIM; i++) {
        assert_int_equal(map.values[2 * i], 0);
        assert_int_equal(map.values[2 * i + 1], i + 1);
    }
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_metis),   cmocka_unit_test(test_scotch),
        cmocka_unit_test(test_matrix),  cmocka_unit_test(test_one_way),
        cmocka_unit_test(test_rows),    cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
