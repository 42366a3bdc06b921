/* SPDX-License-Identifier: Apache-2.0 */
/* test_partition_mesh.c - meshes in parts, their figures counted by brute force */
#include "support_mesh.h"
#include "support_test.h"

#include "mesh/mesh.h"
#include "partition/partition.h"

static mplan_mesh *generated(mplan_shape shape, int64_t i, int64_t j, int64_t k)
{
    mplan_error err;
    mplan_mesh *mesh = NULL;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.shape = shape;
    options.size[0] = i;
    options.size[1] = j;
    options.size[2] = k;
    options.shuffle = true;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    return mesh;
}

static int32_t shared_points(const mplan_map *map, int64_t a, int64_t b)
{
    int32_t n_a, n_b, shared = 0;
    const int32_t *row_a = mplan_map_row(map, a, &n_a), *row_b = mplan_map_row(map, b, &n_b);
    for (int32_t i = 0; i < n_a; i++) {
        bool found = false;
        for (int32_t k = 0; k < i; k++)
            found = found || row_a[k] == row_a[i];
        bool in_b = false;
        for (int32_t k = 0; k < n_b; k++)
            in_b = in_b || (row_a[i] >= 0 && row_a[i] == row_b[k]);
        shared += in_b && !found;
    }
    return shared;
}

/* Figures of the graph of elements that share at least `common` points. */
static void check_figures(const mplan_map *map, int32_t common, const mplan_partition *p)
{
    int64_t n = p->n_elements, edges = 0, cut = 0, volume = 0, entries = 0, pairs = 0, shared = 0;
    int64_t smallest = n, largest = 0;
    for (int64_t a = 0; a < n; a++) {
        uint8_t *met = calloc((size_t)p->n_parts + 1, 1);
        for (int64_t b = 0; b < n; b++) {
            if (a == b || shared_points(map, a, b) < common)
                continue;
            edges += a < b;
            cut += a < b && p->part[a] != p->part[b];
            volume += p->part[a] != p->part[b] && !met[p->part[b]]++;
        }
        free(met);
    }
    for (int64_t q = 0; q < p->n_parts; q++) {
        int64_t size = 0;
        for (int64_t e = 0; e < n; e++)
            size += p->part[e] == q;
        smallest = size < smallest ? size : smallest;
        largest = size > largest ? size : largest;
    }
    for (int64_t v = 0; v < map->n_points; v++) {
        uint8_t *met = calloc((size_t)p->n_parts + 1, 1);
        int64_t parts = 0;
        for (int64_t e = 0; e < n; e++) {
            int32_t length;
            const int32_t *row = mplan_map_row(map, e, &length);
            for (int32_t k = 0; k < length; k++) {
                entries += row[k] == v;
                parts += row[k] == v && !met[p->part[e]]++;
            }
        }
        pairs += parts;
        shared += parts > 1;
        free(met);
    }
    assert_int_equal(p->edges, edges);
    assert_int_equal(p->edge_cut, cut);
    assert_int_equal(p->volume, volume);
    assert_int_equal(p->entries, entries);
    assert_int_equal(p->pairs, pairs);
    assert_int_equal(p->shared_points, shared);
    assert_int_equal(p->size_min, smallest);
    assert_int_equal(p->size_max, largest);
}

static void check_parts(const mplan_partition *p, const mplan_partition_options *how)
{
    assert_true(p->size_min > 0 || p->n_elements == 0);
    if (how->n_parts)
        assert_int_equal(p->n_parts, how->n_parts);
    else
        assert_true(p->size_max <= how->block_size);
    for (int64_t e = 0; e < p->n_elements; e++)
        assert_in_range(p->part[e], 0, p->n_parts - 1);
}

/* NULL where the build lacks the partitioner. */
static mplan_partition *cut(mplan_mesh *mesh, const mplan_partition_options *how)
{
    mplan_error err;
    mplan_partition *p = NULL;
    mplan_status status = mplan_mesh_partition(mesh, how, NULL, &p, &err);
    if (status == MPLAN_ERR_UNSUPPORTED)
        return NULL;
    assert_done(status, &err);
    check_parts(p, how);
    return p;
}

static void cells_of_meshes(void **state)
{
    (void)state;
    static const mplan_shape shapes[] = {MPLAN_SHAPE_QUAD, MPLAN_SHAPE_TRI, MPLAN_SHAPE_HEX,
                                         MPLAN_SHAPE_TET};
    for (size_t s = 0; s < 4; s++) {
        bool flat = s < 2;
        mplan_mesh *mesh = generated(shapes[s], 5, 4, flat ? 0 : 2);
        mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
        for (int partitioner = -1; partitioner < MPLAN_N_PARTITIONERS; partitioner++)
            for (int by_size = 0; by_size < 2; by_size++)
                for (int graph = 0; graph < MPLAN_N_GRAPHS; graph++) {
                    mplan_partition_options how = MPLAN_PARTITION_OPTIONS_INIT;
                    how.partitioner = (mplan_partitioner)partitioner;
                    how.graph = (mplan_graph)graph;
                    how.n_parts = by_size ? 0 : 3;
                    how.block_size = by_size ? 7 : 0;
                    if (!by_size && partitioner == MPLAN_PARTITIONER_NATIVE)
                        continue;
                    mplan_partition *p = cut(mesh, &how);
                    if (!p)
                        continue;
                    assert_true(p->partitioner >= 0);
                    static const int32_t common[] = {2, 2, 4, 3};
                    check_figures(&map, graph == MPLAN_GRAPH_POINTS ? 1 : common[s], p);
                    mplan_partition_free(p);
                }
        mplan_mesh_free(mesh);
    }
}

static void random_tables(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int round = 0; round < 200; round++) {
        mplan_error err;
        mplan_mesh *mesh = NULL;
        int64_t n = 1 + support_random(&seed, 40);
        mplan_map map = support_random_map(&seed, n, 1 + support_random(&seed, 30),
                                           (int32_t)support_random(&seed, 4), 10);
        assert_done(mplan_mesh_create(&mesh, &err), &err);
        assert_done(mplan_mesh_add_set(mesh, "edges", n, NULL, &err), &err);
        assert_done(mplan_mesh_add_set(mesh, "cells", map.n_points, NULL, &err), &err);
        assert_done(mplan_mesh_add_map(mesh, "edges_cells", 0, 1, map.arity, map.offsets,
                                       map.values, NULL, &err),
                    &err);
        mplan_partition_options how = MPLAN_PARTITION_OPTIONS_INIT;
        if (round % 2) {
            how.n_parts = 1 + support_random(&seed, n);
            how.partitioner = round % 4 == 1 ? MPLAN_PARTITIONER_NONE : MPLAN_PARTITIONER_METIS;
        } else {
            how.block_size = 1 + (int32_t)support_random(&seed, 9);
        }
        mplan_partition *p = cut(mesh, &how);
        if (p) {
            mplan_map view = mplan_mesh_map(mesh, 0);
            assert_int_equal(p->set, 0);
            check_figures(&view, 1, p);
        }
        mplan_partition_free(p);
        mplan_mesh_free(mesh);
        support_map_free(&map);
    }
}

/* A ring as a map of a set to itself. */
static void graphs(void **state)
{
    (void)state;
    enum { N = 12 };
    mplan_error err;
    mplan_mesh *mesh = NULL;
    int32_t values[2 * N];
    for (int32_t v = 0; v < N; v++) {
        values[2 * v] = (v + 1) % N;
        values[2 * v + 1] = (v + N - 1) % N;
    }
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "vertices", N, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "vertices_vertices", 0, 0, 2, NULL, values, NULL, &err),
                &err);
    mplan_partition_options how = MPLAN_PARTITION_OPTIONS_INIT;
    how.n_parts = 3;
    how.partitioner = MPLAN_PARTITIONER_NONE;
    mplan_partition *p = cut(mesh, &how);
    assert_int_equal(p->edges, N);
    assert_int_equal(p->edge_cut, 3);
    assert_int_equal(p->volume, 6);
    assert_int_equal(p->pairs, 0);
    mplan_partition_free(p);
    mplan_mesh_free(mesh);
    /* the same as edges between nodes, which is how graph files are read */
    int32_t pairs[2 * N];
    for (int32_t v = 0; v < N; v++) {
        pairs[2 * v] = v;
        pairs[2 * v + 1] = (v + 1) % N;
    }
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "nodes", N, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "edges", N, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "edges_nodes", 1, 0, 2, NULL, pairs, NULL, &err), &err);
    p = cut(mesh, &how);
    assert_int_equal(p->set, 0);
    assert_int_equal(p->edges, N);
    assert_int_equal(p->edge_cut, 3);
    mplan_partition_free(p);
    how.n_parts = 0;
    how.block_size = 4;
    for (int k = -1; k < MPLAN_N_PARTITIONERS; k++) {
        how.partitioner = (mplan_partitioner)k;
        if (k == MPLAN_PARTITIONER_HILBERT)
            continue;
        p = cut(mesh, &how);
        assert_true(!p || p->n_parts >= 3);
        mplan_partition_free(p);
    }
    mplan_mesh_free(mesh);
}

static void empty_parts_are_filled(void **state)
{
    (void)state;
    mplan_error err;
    uint64_t seed = 3;
    for (int round = 0; round < 300; round++) {
        int64_t n = 1 + support_random(&seed, 30), n_parts = 1 + support_random(&seed, n), moved;
        mplan_map map = support_random_map(&seed, n, 10, 2, 0);
        mplan_csr graph;
        int32_t part[30], before[30];
        assert_done(mplan_graph_of_elements(&map, 1, 0, &graph, &err), &err);
        for (int64_t v = 0; v < n; v++)
            before[v] = part[v] = (int32_t)support_random(&seed, 1 + support_random(&seed, n_parts));
        assert_done(mplan_partition_refill(&graph, n_parts, part, &moved, &err), &err);
        int64_t changed = 0;
        for (int64_t p = 0; p < n_parts; p++) {
            int64_t size = 0;
            for (int64_t v = 0; v < n; v++)
                size += part[v] == p;
            assert_true(size > 0);
        }
        for (int64_t v = 0; v < n; v++)
            changed += part[v] != before[v];
        assert_true(changed <= moved);
        mplan_csr_free(&graph);
        support_map_free(&map);
    }
}

/* Of 6 cells each is a part by itself, and the parts behind them are empty; nothing is as large as the number of parts. */
static void more_parts_than_elements(void **state)
{
    (void)state;
    static const mplan_partitioner who[] = {MPLAN_PARTITIONER_NATIVE, MPLAN_PARTITIONER_HILBERT,
                                            MPLAN_PARTITIONER_NONE};
    static const int64_t numbers[] = {7, 50, INT32_MAX - 1};
    mplan_error err;
    mplan_mesh *mesh = generated(MPLAN_SHAPE_QUAD, 3, 2, 0);
    for (int i = 0; i < 9; i++) {
        int warnings = 0;
        mplan_context context = MPLAN_CONTEXT_INIT;
        context.user = &warnings;
        context.warning = count_warning;
        mplan_partition_options how = MPLAN_PARTITION_OPTIONS_INIT;
        how.partitioner = who[i % 3];
        how.n_parts = numbers[i / 3];
        mplan_partition *p = NULL;
        assert_done(mplan_mesh_partition(mesh, &how, &context, &p, &err), &err);
        bool seen[6] = {false};
        for (int e = 0; e < 6; e++) {
            assert_in_range(p->part[e], 0, 5);
            assert_false(seen[p->part[e]]);
            seen[p->part[e]] = true;
        }
        assert_true(p->n_parts == how.n_parts && p->size_min == 0 && p->size_max == 1);
        assert_true(p->edge_cut == p->edges && p->edges == 7 && warnings == 1);
        mplan_partition_free(p);
    }
    mplan_mesh_free(mesh);
}

static void refusals(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh = generated(MPLAN_SHAPE_QUAD, 3, 2, 0);
    mplan_partition *p = NULL;
    mplan_partition_options how = MPLAN_PARTITION_OPTIONS_INIT;
#define REFUSED(part) \
    assert_refused(mplan_mesh_partition(mesh, &how, NULL, &p, &err), MPLAN_ERR_ARGUMENT, &err, part)
    REFUSED("either a number of parts or a block size");
    how.block_size = 1025;
    REFUSED("block-size must be 0 or 1 to 1024");
    how.block_size = 0;
    how.n_parts = 2;
    how.partitioner = MPLAN_PARTITIONER_NONE;
    how.over = "knots";
    REFUSED("knots");
    how.over = "faces";
    how.graph = MPLAN_GRAPH_FACES;
    REFUSED("only cells");
    static const char *const maps[] = {"cells_nodes"};
    how.maps = maps;
    how.n_maps = 1;
    REFUSED("not a map from faces or to it");
    how.imbalance = 0.5;
    REFUSED("imbalance must be 1 to 1024");
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_of_meshes),
        cmocka_unit_test(random_tables),
        cmocka_unit_test(graphs),
        cmocka_unit_test(empty_parts_are_filled),
        cmocka_unit_test(more_parts_than_elements),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
