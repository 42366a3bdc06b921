/* SPDX-License-Identifier: Apache-2.0 */
/* support_request.c - random meshes, and random requests for plans of them */
#include "support_request.h"

/* --- meshes ------------------------------------------------------------------- */

static void add_random_coordinates(uint64_t *seed, mplan_mesh *mesh, int32_t set, int64_t size)
{
    mplan_error err;
    int32_t dimension = 2 + (int32_t)support_random(seed, 2);
    double *x = malloc((size_t)(size * dimension + 1) * sizeof *x);
    for (int64_t i = 0; i < size * dimension; i++)
        x[i] = (double)support_random(seed, 100) / 8;
    assert_done(mplan_mesh_set_coordinates(mesh, set, dimension, x, &err), &err);
    free(x);
}

static void add_random_table(uint64_t *seed, mplan_mesh *mesh, int32_t n_sets)
{
    mplan_error err;
    int32_t from = (int32_t)support_random(seed, n_sets);
    int32_t to = (int32_t)support_random(seed, n_sets);
    mplan_set a = mplan_mesh_set(mesh, from), b = mplan_mesh_set(mesh, to);
    int none = support_random(seed, 3) == 0 ? (int)support_random(seed, 101) : 0;
    if (b.size == 0)
        none = 100;
    int32_t arity = (int32_t)support_random(seed, 5);
    mplan_map map = support_random_map(seed, a.size, b.size, arity, none);
    char name[64];
    snprintf(name, sizeof name, "%s_%s", a.name, b.name);
    for (int32_t k = 2; mplan_mesh_find_map(mesh, name) >= 0; k++)
        snprintf(name, sizeof name, "%s_%s%d", a.name, b.name, (int)k);
    assert_done(mplan_mesh_add_map(mesh, name, from, to, map.arity, map.offsets, map.values, NULL,
                                   &err),
                &err);
    support_map_free(&map);
}

mplan_mesh *support_tables(uint64_t seed)
{
    static const int64_t most[] = {1, 2, 12, 60};
    mplan_error err;
    mplan_mesh *mesh;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    int32_t n_sets = 1 + (int32_t)support_random(&seed, 4);
    int32_t n_maps = (int32_t)support_random(&seed, 7);
    for (int32_t s = 0; s < n_sets; s++) {
        char name[2] = {(char)('a' + s), '\0'};
        int64_t size = support_random(&seed, 1 + most[support_random(&seed, 4)]);
        assert_done(mplan_mesh_add_set(mesh, name, size, NULL, &err), &err);
        if (support_random(&seed, 3) == 0)
            add_random_coordinates(&seed, mesh, s, size);
    }
    for (int32_t m = 0; m < n_maps; m++)
        add_random_table(&seed, mesh, n_sets);
    return mesh;
}

mplan_mesh *support_generated(uint64_t seed)
{
    mplan_error err;
    mplan_mesh *mesh;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    bool solid = support_random(&seed, 2);
    options.shape = solid ? MPLAN_SHAPE_HEX : MPLAN_SHAPE_QUAD;
    if (support_random(&seed, 2))
        options.shape = solid ? MPLAN_SHAPE_TET : MPLAN_SHAPE_TRI;
    for (int d = 0; d < (solid ? 3 : 2); d++)
        options.size[d] = 1 + support_random(&seed, solid ? 5 : 14);
    options.jitter = support_random(&seed, 2) ? 0.3 : 0;
    options.shuffle = support_random(&seed, 2);
    options.seed = (uint64_t)support_random(&seed, 1000);
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    return mesh;
}

/* --- requests ------------------------------------------------------------------- */

bool support_has(const char *library)
{
    for (int32_t i = 0; mplan_library(i); i++)
        if (strncmp(mplan_library(i), library, strlen(library)) == 0)
            return true;
    return false;
}

static const char *keep_name(support_request *out, const char *name)
{
    char *kept = out->names[out->n_names++];
    snprintf(kept, sizeof out->names[0], "%s", name);
    return kept;
}

static bool holds_none(const mplan_map *map)
{
    int64_t entries = mplan_map_entries(map);
    for (int64_t i = 0; i < entries; i++)
        if (map->values[i] < 0)
            return true;
    return false;
}

/* A dat's name tells its set, dim and type, so that args always agree on it, and
 * whether it is written, and how, so that they do not race. */
static void name_dat(support_request *out, uint64_t *seed, const char *set, mplan_arg *arg)
{
    char name[64];
    arg->dim = 1 + (int32_t)support_random(seed, 5);
    arg->type = (mplan_type)(1 + support_random(seed, 6));
    static const char *const through[] = {"", "_written", "_written", "_added"};
    const char *written = arg->access == MPLAN_READ ? "" : arg->map ? through[arg->access] : "_own";
    snprintf(name, sizeof name, "%s_%d%s%s", set, (int)arg->dim, mplan_type_name(arg->type), written);
    arg->dat = keep_name(out, name);
}

/* An arg through a map of the mesh from the set, or a direct one. */
static void random_arg(support_request *out, uint64_t *seed, const mplan_mesh *mesh, int32_t set,
                       bool splits, mplan_arg *arg)
{
    int32_t n = 0, maps[64];
    for (int32_t m = 0; m < mplan_mesh_n_maps(mesh) && n < 64; m++)
        if (mplan_mesh_map(mesh, m).from == set)
            maps[n++] = m;
    arg->access = (mplan_access)support_random(seed, 4);
    if (support_random(seed, 3))
        arg->access = support_random(seed, 2) ? MPLAN_INC : MPLAN_READ;
    if (n == 0 || support_random(seed, 6) == 0) {
        name_dat(out, seed, mplan_mesh_set(mesh, set).name, arg);
        return;
    }
    mplan_map map = mplan_mesh_map(mesh, maps[support_random(seed, n)]);
    arg->map = keep_name(out, map.name);
    if (holds_none(&map) || splits || support_random(seed, 2))
        arg->none = MPLAN_NONE_SKIP;
    if (splits && map.from != map.to && holds_none(&map) && support_random(seed, 3) == 0)
        arg->none = MPLAN_NONE_SPLIT;
    name_dat(out, seed, mplan_mesh_set(mesh, map.to).name, arg);
}

static void random_loop(support_request *out, uint64_t *seed, const mplan_mesh *mesh, bool splits)
{
    int32_t l = out->n_loops++;
    mplan_loop *loop = &out->loops[l];
    int32_t set = (int32_t)support_random(seed, mplan_mesh_n_sets(mesh));
    char name[64];
    snprintf(name, sizeof name, "loop%d", (int)l);
    loop->name = keep_name(out, name);
    loop->over = keep_name(out, mplan_mesh_set(mesh, set).name);
    loop->calls = 1 + support_random(seed, 3);
    loop->flops = support_random(seed, 100);
    loop->n_args = (int32_t)support_random(seed, SUPPORT_ARGS + 1);
    loop->args = out->args[l];
    for (int32_t a = 0; a < loop->n_args; a++)
        random_arg(out, seed, mesh, set, splits, &out->args[l][a]);
}

static mplan_partitioner random_partitioner(uint64_t *seed)
{
    if (support_has("metis") && support_random(seed, 3) == 0)
        return MPLAN_PARTITIONER_METIS;
    if (support_has("scotch") && support_random(seed, 4) == 0)
        return MPLAN_PARTITIONER_SCOTCH;
    if (support_random(seed, 3) == 0)
        return MPLAN_PARTITIONER_NATIVE;
    return support_random(seed, 2) ? MPLAN_PARTITIONER_HILBERT : MPLAN_PARTITIONER_NONE;
}

static void random_options(uint64_t *seed, mplan_plan_options *out)
{
    static const int32_t sizes[] = {1, 2, 3, 5, 8, 16, 33, 256, 1024};
    static const double imbalances[] = {1, 1.03, 1.5};
    *out = (mplan_plan_options)MPLAN_PLAN_OPTIONS_INIT;
    out->block_size = sizes[support_random(seed, 9)];
    if (support_random(seed, 3) == 0)
        out->max_points = 4 + (int32_t)support_random(seed, 20);
    if (support_random(seed, 3) == 0)
        out->shared_bytes = 64 + 32 * support_random(seed, 100);
    /* those that serve every loop, or what the cost model chooses */
    enum { N_FOR_ALL = MPLAN_STRATEGY_ATOMIC + 1 };
    out->n_strategies = support_random(seed, 2) ? 1 + (int32_t)support_random(seed, N_FOR_ALL) : 0;
    int32_t first = (int32_t)support_random(seed, N_FOR_ALL);
    for (int32_t s = 0; s < out->n_strategies; s++)
        out->strategies[s] = (mplan_strategy)((first + s) % N_FOR_ALL);
    out->allow_nondeterministic = support_random(seed, 2);
    out->partitioner = random_partitioner(seed);
    out->effort = (mplan_effort)support_random(seed, MPLAN_N_EFFORTS);
    out->fill = support_random(seed, 2) ? 0.995 : 0.8;
    out->imbalance = imbalances[support_random(seed, 3)];
    out->graph = support_random(seed, 2) ? MPLAN_GRAPH_AUTO : MPLAN_GRAPH_POINTS;
    out->renumber = (mplan_renumber)support_random(seed, MPLAN_N_RENUMBERS);
    if (out->renumber == MPLAN_RENUMBER_SCOTCH_GPS &&
        (!support_has("scotch") || support_random(seed, 2)))
        out->renumber = MPLAN_RENUMBER_RCM;
    out->keep_better = support_random(seed, 2);
    out->point_order = (mplan_point_order)support_random(seed, MPLAN_N_POINT_ORDERS);
    out->seed = (uint64_t)support_random(seed, 3);
    out->slice_rows = (*seed >> 40 & 3) == 3 ? 64 : 0; /* the seed of what follows stays */
    out->entry_layout = (int32_t)(*seed >> 54 & 1);
    out->bound_blocks = (*seed >> 47 & 3) == 3 ? 1 + (int32_t)(*seed >> 49 & 31) : 0;
    out->block_round = (*seed >> 56 & 3) == 3 ? 32 * (1 + (int32_t)(*seed >> 58 & 7)) : 0;
    out->elements_per_thread = (*seed >> 42 & 3) == 3 ? 1 + (int32_t)(*seed >> 44 & 7) : 0;
}

void support_leave_to_colours(int32_t n_loops, const mplan_loop *loops, mplan_plan_options *options)
{
    bool written = false;
    for (int32_t l = 0; l < n_loops; l++)
        for (int32_t a = 0; a < loops[l].n_args; a++)
            written = written || (loops[l].args[a].map && loops[l].args[a].access != MPLAN_READ &&
                                  loops[l].args[a].access != MPLAN_INC);
    int32_t n = 0;
    for (int32_t s = 0; s < options->n_strategies; s++)
        if (!written || options->strategies[s] <= MPLAN_STRATEGY_BLOCK_COLOUR)
            options->strategies[n++] = options->strategies[s];
    options->n_strategies = n;
}

void support_random_request(uint64_t *seed, mplan_mesh *mesh, support_request *out)
{
    static const char *const derived[] = {"faces_nodes", "boundary_faces_cells", "edges_cells",
                                          "cells_cells", "cells_faces",          "nodes_cells"};
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < sizeof derived / sizeof *derived && mplan_mesh_dimension(mesh); i++)
        if (support_random(seed, 2))
            assert_int_equal(mplan_mesh_derive(mesh, derived[i], NULL, NULL), MPLAN_OK);
    int32_t n_loops = 1 + (int32_t)support_random(seed, SUPPORT_LOOPS);
    bool splits = support_random(seed, 5) == 0;
    for (int32_t l = 0; l < n_loops; l++)
        random_loop(out, seed, mesh, splits);
    if (support_random(seed, 2))
        out->loops[support_random(seed, n_loops)].primary = true;
    random_options(seed, &out->options);
    support_leave_to_colours(n_loops, out->loops, &out->options);
}
