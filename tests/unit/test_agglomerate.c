/* SPDX-License-Identifier: Apache-2.0 */
/* test_agglomerate.c - points along a hierarchy of clusters: an order that is near in the mesh at
 * every scale, whatever the input's numbers and the coordinates are */
#include "support_order.h"
#include "support_threads.h"

#include <math.h>

#include "order/clusters.h"
#include "order/order.h"
#include "pipeline/sample_orders.h"

static mplan_csr graph_of(int64_t n, int64_t rows, int32_t arity, const int32_t *values)
{
    mplan_error err;
    mplan_csr graph;
    mplan_map map = {"links_points", 0, 1, arity, rows, n, NULL, values};
    assert_done(mplan_graph_of_points(&map, 1, 0, &graph, NULL, &err), &err);
    return graph;
}

/* A context with a team of 1, 2, 3 or 7 threads, which cut everything into 2 ... 12 pieces. */
static const mplan_context *open_team(mplan_threaded *own, int round)
{
    static const int threads[] = {1, 2, 3, 7};
    const mplan_context *context = support_threaded_open(NULL, own, threads[round % 4]);
    own->team->pieces = 2 + round % 11;
    return context;
}

/* A permutation, the same bytes by one thread in one piece and by several in many. */
static int32_t *order_of(const mplan_csr *graph)
{
    static int round;
    mplan_error err;
    mplan_threaded own;
    const mplan_context *context = open_team(&own, round++);
    size_t bytes = ((size_t)graph->n + 1) * sizeof(int32_t);
    int32_t *place = calloc(1, bytes), *again = calloc(1, bytes);
    assert_done(mplan_order_agglomerate(graph, place, NULL, &err), &err);
    assert_done(mplan_order_agglomerate(graph, again, context, &err), &err);
    mplan_threaded_close(&own);
    support_check_permutation(graph->n, place);
    assert_memory_equal(place, again, bytes);
    free(again);
    return place;
}

/* Mean points that runs of 128 elements, lexicographic by their points, touch. */
static double points_of_runs(const mplan_map *map, const int32_t *place)
{
    mplan_error err;
    int32_t *new_of_old = malloc(((size_t)map->n_rows + 1) * sizeof *new_of_old);
    int32_t *row_of = malloc(((size_t)map->n_rows + 1) * sizeof *row_of);
    int64_t *seen = calloc((size_t)map->n_points + 1, sizeof *seen), pairs = 0;
    assert_done(mplan_order_elements(map, place, new_of_old, NULL, &err), &err);
    for (int64_t r = 0; r < map->n_rows; r++)
        row_of[new_of_old[r]] = (int32_t)r;
    for (int64_t i = 0; i < map->n_rows; i++) {
        int32_t n;
        const int32_t *row = mplan_map_row(map, row_of[i], &n);
        for (int32_t k = 0; k < n; k++) {
            pairs += seen[row[k]] != i / 128 + 1;
            seen[row[k]] = i / 128 + 1;
        }
    }
    free(new_of_old);
    free(row_of);
    free(seen);
    return (double)pairs / (double)((map->n_rows + 127) / 128);
}

static mplan_mesh *shuffled(mplan_shape shape, int64_t nx, int64_t ny, int64_t nz)
{
    mplan_error err;
    mplan_mesh *mesh;
    mplan_generate_options how = MPLAN_GENERATE_OPTIONS_INIT;
    how.shape = shape;
    how.size[0] = nx;
    how.size[1] = ny;
    how.size[2] = nz;
    how.jitter = 0.3;
    how.shuffle = true;
    assert_done(mplan_mesh_generate(&how, NULL, &mesh, &err), &err);
    return mesh;
}

static mplan_map derived(mplan_mesh *mesh, const char *name)
{
    mplan_error err;
    assert_done(mplan_mesh_derive(mesh, name, NULL, &err), &err);
    return mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, name));
}

/* Against Hilbert's order of the nodes with their true coordinates: measured 0.88 to 1.09 (small hexes). */
static void is_as_near_as_a_curve(void **state)
{
    (void)state;
    static const struct {
        mplan_shape shape;
        int64_t size[3];
    } meshes[] = {{MPLAN_SHAPE_QUAD, {140, 130, 0}},
                  {MPLAN_SHAPE_TRI, {100, 110, 0}},
                  {MPLAN_SHAPE_HEX, {24, 26, 25}},
                  {MPLAN_SHAPE_TET, {19, 20, 18}}};
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        mplan_error err;
        const int64_t *size = meshes[i].size;
        mplan_mesh *mesh = shuffled(meshes[i].shape, size[0], size[1], size[2]);
        mplan_map map = derived(mesh, "cells_nodes");
        int32_t dimension, *curve = malloc((size_t)map.n_points * sizeof *curve);
        const double *xyz = mplan_mesh_coordinates(mesh, map.to, &dimension);
        assert_done(mplan_order_hilbert(map.n_points, dimension, xyz, curve, NULL, &err), &err);
        mplan_csr graph;
        assert_done(mplan_graph_of_points(&map, 1, 0, &graph, NULL, &err), &err);
        int32_t *place = order_of(&graph);
        double ratio = points_of_runs(&map, place) / points_of_runs(&map, curve);
        if (ratio > 1.12)
            fail_msg("mesh %zu: runs touch %.3f times the points that Hilbert's do", i, ratio);
        mplan_csr_free(&graph);
        free(place);
        free(curve);
        mplan_mesh_free(mesh);
    }
}

/* Every part of the order's promises on random graphs with bare points, several components, repeats. */
static void orders_any_graph(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int round = 0; round < 400; round++) {
        int64_t n = support_random(&seed, 200), rows = n ? support_random(&seed, 3 * n + 1) : 0;
        int32_t arity = (int32_t)(2 + support_random(&seed, 4));
        int32_t *values = malloc(((size_t)rows * (size_t)arity + 1) * sizeof *values);
        for (int64_t k = 0; k < rows * arity; k++)
            values[k] = support_random(&seed, 8) ? (int32_t)support_random(&seed, n) : -1;
        mplan_csr graph = graph_of(n, rows, arity, values);
        free(order_of(&graph));
        mplan_csr_free(&graph);
        free(values);
    }
}

/* A quadratic method would not end. */
static void hubs_and_bare_points_take_linear_time(void **state)
{
    (void)state;
    enum { N = 300000 };
    int32_t *values = malloc(2 * (size_t)N * sizeof *values);
    for (int32_t i = 0; i < N - 1; i++) { /* a star */
        values[2 * i] = N / 2;
        values[2 * i + 1] = i < N / 2 ? i : i + 1;
    }
    mplan_csr star = graph_of(N, N - 1, 2, values), bare = graph_of(N, 0, 2, values);
    free(order_of(&star));
    free(order_of(&bare));
    for (int32_t i = 0; i < N - 1; i++) { /* a path: its neighbours stay near */
        values[2 * i] = (int32_t)(7 * (int64_t)i % N);
        values[2 * i + 1] = (int32_t)(7 * ((int64_t)i + 1) % N);
    }
    mplan_csr path = graph_of(N, N - 1, 2, values);
    int32_t *place = order_of(&path);
    int64_t near = 0;
    for (int32_t i = 0; i < N - 1; i++)
        near += labs((long)place[values[2 * i]] - place[values[2 * i + 1]]) <= 8;
    assert_true(near > N - N / 20);
    free(place);
    mplan_csr_free(&star);
    mplan_csr_free(&bare);
    mplan_csr_free(&path);
    free(values);
}

/* Clusters and their graph are those of one thread. */
static void compare_clusters(const mplan_cluster_graph *fine, int64_t size, int64_t n_regions,
                             const int32_t *cluster, const mplan_cluster_graph *coarse, int round)
{
    mplan_error err;
    mplan_threaded own;
    const mplan_context *context = open_team(&own, round);
    const int64_t n = fine->graph.n, n_coarse = coarse->graph.n;
    int32_t *again = malloc((size_t)n * sizeof *again), n_clusters;
    mplan_cluster_graph many;
    assert_done(mplan_clusters_grow(fine, size, n_regions, again, &n_clusters, context, &err), &err);
    assert_int_equal(n_clusters, n_coarse);
    assert_memory_equal(again, cluster, (size_t)n * sizeof *again);
    assert_done(mplan_clusters_contract(fine, again, n_clusters, &many, own.team, &err), &err);
    const size_t edges = (size_t)coarse->graph.offsets[n_coarse] * sizeof(int32_t);
    assert_memory_equal(many.graph.offsets, coarse->graph.offsets,
                        (size_t)(n_coarse + 1) * sizeof(int64_t));
    assert_memory_equal(many.graph.neighbours, coarse->graph.neighbours, edges);
    assert_memory_equal(many.weights, coarse->weights, edges);
    assert_memory_equal(many.sizes, coarse->sizes, (size_t)n_coarse * sizeof(int32_t));
    mplan_cluster_graph_free(&many);
    mplan_threaded_close(&own);
    free(again);
}

/* Clusters are complete, of the sizes that are promised, and their graph adds up; grown in one region and in several, by one
 * thread and by several. */
static void clusters_keep_their_promises(void **state)
{
    (void)state;
    uint64_t seed = 11;
    mplan_error err;
    for (int round = 0; round < 200; round++) {
        int64_t n = 1 + support_random(&seed, 300), rows = support_random(&seed, 4 * n);
        int32_t *values = malloc((2 * (size_t)rows + 1) * sizeof *values), n_clusters;
        int32_t *cluster = malloc((size_t)n * sizeof *cluster);
        for (int64_t k = 0; k < 2 * rows; k++)
            values[k] = (int32_t)support_random(&seed, n);
        mplan_csr csr = graph_of(n, rows, 2, values);
        mplan_cluster_graph fine = {csr, NULL, NULL, true}, coarse;
        int64_t size = 2 + support_random(&seed, 20), points = 0, inside = 0, weights = 0;
        assert_done(mplan_clusters_grow(&fine, size, 1 + round % 5, cluster, &n_clusters, NULL, &err),
                    &err);
        assert_done(mplan_clusters_contract(&fine, cluster, n_clusters, &coarse, NULL, &err), &err);
        assert_int_equal(coarse.graph.n, n_clusters);
        for (int32_t c = 0; c < n_clusters; c++) {
            assert_in_range(coarse.sizes[c], 1, size + 3 * size / 10);
            points += coarse.sizes[c];
        }
        assert_int_equal(points, n);
        for (int64_t v = 0; v < n; v++)
            for (int64_t k = csr.offsets[v]; k < csr.offsets[v + 1]; k++)
                inside += cluster[v] == cluster[csr.neighbours[k]];
        for (int64_t k = 0; k < coarse.graph.offsets[n_clusters]; k++)
            weights += coarse.weights[k];
        assert_int_equal(inside + weights, csr.offsets[n]);
        compare_clusters(&fine, size, 1 + round % 5, cluster, &coarse, round);
        mplan_cluster_graph_free(&coarse);
        mplan_csr_free(&csr);
        free(cluster);
        free(values);
    }
}

static mplan_renumber chosen(mplan_mesh *mesh, const char *set)
{
    mplan_error err;
    mplan_orders *orders;
    mplan_orders_options how = MPLAN_ORDERS_OPTIONS_INIT;
    how.renumber = MPLAN_RENUMBER_AUTO;
    how.set = set;
    assert_done(mplan_mesh_orders(mesh, &how, NULL, &orders, &err), &err);
    mplan_renumber method = orders->renumber;
    mplan_orders_free(orders);
    return method;
}

/* The nodes of a shuffled grid moved; with `bend` the whole is bent to a ring of thin rows. */
static mplan_mesh *moved(double stretch, double shear, bool bend)
{
    mplan_error err;
    mplan_mesh *mesh = shuffled(MPLAN_SHAPE_QUAD, 150, 140, 0);
    int32_t nodes = mplan_mesh_find_set(mesh, "nodes"), dimension;
    int64_t n = mplan_mesh_set(mesh, nodes).size;
    const double *xyz = mplan_mesh_coordinates(mesh, nodes, &dimension);
    double *to = malloc((size_t)n * 2 * sizeof *to);
    for (int64_t i = 0; i < n; i++) {
        const double x = xyz[2 * i], y = stretch * xyz[2 * i + 1];
        to[2 * i] = bend ? (1 + y) * cos(6 * x) : x + shear * y;
        to[2 * i + 1] = bend ? (1 + y) * sin(6 * x) : y + shear * x;
    }
    assert_done(mplan_mesh_set_coordinates(mesh, nodes, 2, to, &err), &err);
    free(to);
    return mesh;
}

/* Points that runs of cells touch along the order that auto makes of the nodes. */
static double points_along_auto(mplan_mesh *mesh)
{
    mplan_error err;
    mplan_orders *orders;
    mplan_orders_options how = MPLAN_ORDERS_OPTIONS_INIT;
    how.renumber = MPLAN_RENUMBER_AUTO;
    how.set = "nodes";
    assert_done(mplan_mesh_orders(mesh, &how, NULL, &orders, &err), &err);
    const mplan_map map = derived(mesh, "cells_nodes");
    const double points = points_of_runs(&map, orders->new_of_old[map.to]);
    mplan_orders_free(orders);
    return points;
}

/* The same mesh with its nodes moved: auto sees that coordinates mislead, and whether cells are flat in one direction. Those are round in the
 * metric of the mesh's edges, where the curve touches as many points as it does on the mesh as it was. */
static void auto_looks_whether_coordinates_mislead(void **state)
{
    (void)state;
    static const struct {
        double stretch, shear;
        bool bend;
        mplan_renumber method;
    } cases[] = {{1, 0, false, MPLAN_RENUMBER_HILBERT},
                 {0.01, 0, false, MPLAN_RENUMBER_HILBERT},
                 {100, 0, false, MPLAN_RENUMBER_HILBERT},
                 {0.02, 2, false, MPLAN_RENUMBER_HILBERT},
                 {0.001, 0, true, MPLAN_RENUMBER_AGGLOMERATE}};
    double round = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mplan_mesh *mesh = moved(cases[i].stretch, cases[i].shear, cases[i].bend);
        if (chosen(mesh, "nodes") != cases[i].method || chosen(mesh, "cells") != cases[i].method)
            fail_msg("case %zu", i);
        const double points = points_along_auto(mesh);
        round = i == 0 ? points : round;
        if (points > 1.04 * round)
            fail_msg("case %zu: runs touch %.3f times the points of round cells", i, points / round);
        mplan_mesh_free(mesh);
    }
}

/* Coordinates that say nothing, or cannot be squared, are an order like any other: nothing breaks, and it is not taken. */
static void stretching_takes_any_coordinates(void **state)
{
    (void)state;
    static const double kinds[] = {0, 1e300, 1e-300, -1, NAN, INFINITY};
    mplan_error err;
    mplan_mesh *mesh = shuffled(MPLAN_SHAPE_TET, 8, 9, 7);
    const mplan_map map = derived(mesh, "cells_nodes");
    double *xyz = malloc((size_t)map.n_points * 3 * sizeof *xyz);
    int32_t *order = malloc((size_t)map.n_points * sizeof *order);
    uint64_t seed = 9;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        bool follows;
        for (int64_t i = 0; i < 3 * map.n_points; i++)
            xyz[i] = kinds[k] * (double)(support_random(&seed, 1000) + 1);
        for (int64_t p = 0; p < map.n_points; p++)
            order[p] = (int32_t)p;
        assert_done(mplan_planning_stretched_curve(&map, 1, 3, xyz, order, &follows, NULL, &err),
                    &err);
        assert_false(follows);
        for (int64_t p = 0; p < map.n_points; p++)
            assert_int_equal(order[p], p);
    }
    free(xyz);
    free(order);
    mplan_mesh_free(mesh);
}

/* Hexes that name their 18 neighbours: the graph of the rows has a fifth of the edges of what rows join, and clusters on it are as good. */
static void wide_rows_are_a_graph_themselves(void **state)
{
    (void)state;
    enum { X = 24, Y = 22, Z = 20, N = X * Y * Z };
    mplan_error err;
    int32_t *values = malloc(sizeof *values * N * 18);
    for (int32_t c = 0; c < N; c++) {
        const int32_t at[3] = {c % X, c / X % Y, c / X / Y}, size[3] = {X, Y, Z};
        int32_t k = 0;
        for (int32_t i = 0; i < 27; i++) {
            const int32_t off[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
            const int32_t far = off[0] * off[0] + off[1] * off[1] + off[2] * off[2];
            bool there = true;
            for (int32_t d = 0; d < 3; d++)
                there = there && at[d] + off[d] >= 0 && at[d] + off[d] < size[d];
            if (far == 1 || far == 2)
                values[18 * c + k++] = there ? c + off[0] + X * (off[1] + Y * off[2]) : c;
        }
    }
    const mplan_map map = {"near", 0, 0, 18, N, N, NULL, values};
    mplan_map six = map, other = map;
    six.arity = 6;
    other.from = 1;
    assert_true(mplan_planning_names_all_round(&map, 1));
    assert_false(mplan_planning_names_all_round(&six, 1));
    assert_false(mplan_planning_names_all_round(&other, 1));
    assert_false(mplan_planning_names_all_round(NULL, 0));
    /* eight entries are not eight others: six neighbours, the member itself and a place that is left free */
    int32_t *few = malloc(sizeof *few * N * 8);
    for (int32_t c = 0; c < N; c++)
        for (int32_t k = 0; k < 8; k++)
            few[8 * c + k] = k < 6 ? (c + 1 + k) % N : k == 6 ? c : -1;
    mplan_map eight = {"few", 0, 0, 8, N, N, NULL, few};
    assert_false(mplan_planning_names_all_round(&eight, 1));
    for (int32_t c = 0; c < N; c++)
        few[8 * c + 6] = few[8 * c + 7] = (c + N / 2) % N;
    assert_true(mplan_planning_names_all_round(&eight, 1));
    free(few);
    mplan_csr graph, all;
    assert_done(mplan_graph_of_map(&map, 1, &graph, NULL, &err), &err);
    assert_done(mplan_graph_of_points(&map, 1, 0, &all, NULL, &err), &err);
    assert_true(graph.offsets[N] <= 18 * N);
    assert_true(all.offsets[N] > 4 * graph.offsets[N]);
    int32_t *place = order_of(&graph), *before = order_of(&all);
    const double ratio = points_of_runs(&map, place) / points_of_runs(&map, before);
    if (ratio > 1.02)
        fail_msg("runs touch %.3f times the points that they do by what rows join", ratio);
    mplan_csr_free(&graph);
    mplan_csr_free(&all);
    free(place);
    free(before);
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_as_near_as_a_curve),
        cmocka_unit_test(orders_any_graph),
        cmocka_unit_test(hubs_and_bare_points_take_linear_time),
        cmocka_unit_test(clusters_keep_their_promises),
        cmocka_unit_test(auto_looks_whether_coordinates_mislead),
        cmocka_unit_test(stretching_takes_any_coordinates),
        cmocka_unit_test(wide_rows_are_a_graph_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
