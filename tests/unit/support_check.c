/* SPDX-License-Identifier: Apache-2.0 */
/* support_check.c - plans for tests of the proofs */
#include "support_test.h"

#include "mesh/mesh.h"
#include "support_check.h"

static bool has_none(const mplan_map *map)
{
    for (int64_t i = 0; i < mplan_map_entries(map); i++)
        if (map->values[i] < 0)
            return true;
    return false;
}

mplan_mesh *support_random_mesh(uint64_t *seed)
{
    mplan_error err;
    mplan_mesh *mesh;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    int32_t n_sets = 1 + (int32_t)support_random(seed, 3);
    for (int32_t s = 0; s < n_sets; s++) {
        char name[16];
        snprintf(name, sizeof name, "set%d", (int)s);
        int64_t size = support_random(seed, 10) == 0 ? 0 : 1 + support_random(seed, 24);
        assert_done(mplan_mesh_add_set(mesh, name, size, NULL, &err), &err);
    }
    int32_t n_maps = (int32_t)support_random(seed, 5);
    for (int32_t m = 0; m < n_maps; m++) {
        char name[16];
        snprintf(name, sizeof name, "map%d", (int)m);
        int32_t from = (int32_t)support_random(seed, n_sets);
        int32_t to = (int32_t)support_random(seed, n_sets);
        int percent = support_random(seed, 2) ? 0 : 20;
        mplan_map map = support_random_map(seed, mplan_mesh_set(mesh, from).size,
                                           mplan_mesh_set(mesh, to).size,
                                           (int32_t)support_random(seed, 4), percent);
        assert_done(mplan_mesh_add_map(mesh, name, from, to, map.arity, map.offsets, map.values,
                                       NULL, &err),
                    &err);
        support_map_free(&map);
    }
    int64_t size = mplan_mesh_set(mesh, 0).size;
    double *xyz = calloc((size_t)(2 * size + 1), sizeof *xyz);
    for (int64_t i = 0; i < 2 * size; i++)
        xyz[i] = (double)support_random(seed, 100);
    assert_done(mplan_mesh_set_coordinates(mesh, 0, 2, xyz, &err), &err);
    free(xyz);
    return mesh;
}

static void random_arg(support_request *in, int32_t l, int32_t a, uint64_t *seed)
{
    static const mplan_type types[] = {MPLAN_TYPE_F64, MPLAN_TYPE_F32, MPLAN_TYPE_U8};
    mplan_arg *arg = &in->args[l][a];
    snprintf(in->names[l][a], sizeof in->names[l][a], "dat%d_%d", (int)l, (int)a);
    *arg = (mplan_arg){in->names[l][a],
                       NULL,
                       (mplan_access)support_random(seed, 4),
                       1 + (int32_t)support_random(seed, 5),
                       types[support_random(seed, 3)],
                       MPLAN_NONE_REFUSE};
    int32_t n_maps = mplan_mesh_n_maps(in->mesh);
    if (n_maps == 0 || support_random(seed, 4) == 0)
        return;
    mplan_map map = mplan_mesh_map(in->mesh, (int32_t)support_random(seed, n_maps));
    if (strcmp(mplan_mesh_set(in->mesh, map.from).name, in->loops[l].over) != 0)
        return;
    snprintf(in->maps[l][a], sizeof in->maps[l][a], "%s", map.name);
    arg->map = in->maps[l][a];
    arg->none = has_none(&map) ? MPLAN_NONE_SKIP : (mplan_none)support_random(seed, 3);
    /* now and then the dat of the arg before, accessed once more in the same way */
    if (a > 0 && in->args[l][a - 1].map && strcmp(in->args[l][a - 1].map, arg->map) == 0 &&
        support_random(seed, 2)) {
        arg->dat = in->args[l][a - 1].dat;
        arg->access = in->args[l][a - 1].access;
        arg->dim = in->args[l][a - 1].dim;
        arg->type = in->args[l][a - 1].type;
    }
}

static void random_loops(support_request *in, uint64_t *seed)
{
    in->n_loops = 1 + (int32_t)support_random(seed, MAX_LOOPS);
    int32_t primary = (int32_t)support_random(seed, in->n_loops);
    for (int32_t l = 0; l < in->n_loops; l++) {
        char *name = in->names[l][MAX_ARGS], *over = in->names[l][MAX_ARGS + 1];
        mplan_set set = mplan_mesh_set(in->mesh,
                                       (int32_t)support_random(seed, mplan_mesh_n_sets(in->mesh)));
        snprintf(name, sizeof in->names[l][MAX_ARGS], "loop%d", (int)l);
        snprintf(over, sizeof in->names[l][MAX_ARGS + 1], "%s", set.name);
        in->loops[l] = (mplan_loop){.name = name,
                                    .over = over,
                                    .primary = l == primary,
                                    .calls = 1,
                                    .n_args = (int32_t)support_random(seed, MAX_ARGS + 1),
                                    .args = in->args[l]};
        for (int32_t a = 0; a < in->loops[l].n_args; a++)
            random_arg(in, l, a, seed);
    }
}

/* Splits a set by one of its maps, where that is allowed. */
static void split_some(mplan_mesh *mesh)
{
    for (int32_t m = 0; m < mplan_mesh_n_maps(mesh); m++) {
        mplan_map map = mplan_mesh_map(mesh, m);
        mplan_error err;
        if (map.from != map.to && has_none(&map)) {
            assert_done(mplan_mesh_split(mesh, map.from, m, &err), &err);
            return;
        }
    }
}

void support_needs_of(const mplan_plan *plan, int32_t b, int64_t *points, int64_t *bytes,
                      int64_t *pairs)
{
    *points = 1;
    *bytes = *pairs = 0;
    for (int32_t i = 0; i < plan->n_metrics; i++) {
        const mplan_block_metrics *metrics = &plan->metrics[i];
        if (metrics->block_set != b)
            continue;
        *points = metrics->points_max > *points ? metrics->points_max : *points;
        *pairs += metrics->loop == plan->block_sets[b].loop ? metrics->pairs : 0;
    }
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (int32_t v = 0; v < plan->loops[l].n_variants; v++) {
            const mplan_plan_variant *variant = &plan->loops[l].variants[v];
            if (variant->block_set == b && variant->shared_bytes_max > *bytes)
                *bytes = variant->shared_bytes_max;
        }
}

/* Limits that are just kept. */
static void tighten(mplan_plan *plan)
{
    for (int32_t b = 0; b < plan->n_block_sets; b++) {
        int64_t points;
        support_needs_of(plan, b, &points, &plan->block_sets[b].shared_bytes,
                         &plan->block_sets[b].alternative_pairs);
        plan->block_sets[b].max_points = (int32_t)points;
    }
}

mplan_plan *support_random_plan(support_request *in, uint64_t *seed)
{
    support_plan_options options = {1 + (int32_t)support_random(seed, 9),
                                    support_random(seed, 2) == 0, support_random(seed, 2) == 0,
                                    support_random(seed, 2) == 0};
    in->mesh = support_random_mesh(seed);
    if (support_random(seed, 3) == 0)
        split_some(in->mesh);
    random_loops(in, seed);
    mplan_plan *plan = support_plan(in->mesh, in->n_loops, in->loops, &options, seed);
    if (support_random(seed, 2))
        tighten(plan);
    return plan;
}

mplan_mesh *support_fixed_mesh_of(const support_fixed_options *options)
{
    enum { FACES = 14, CELLS = 12 };
    const int NODES = 9 + options->more_nodes;
    mplan_error err;
    mplan_mesh *mesh;
    int32_t faces, cells, nodes, cells_nodes, values[64] = {0};
    int64_t offsets[FACES + 1];
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "faces", FACES, &faces, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", CELLS + 2, &cells, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "nodes", NODES, &nodes, &err), &err);
    for (int i = 0; i < FACES; i++) {
        values[2 * i] = i * 5 % CELLS;
        values[2 * i + 1] = (i * 7 + 3) % CELLS;
    }
    if (options->other_entry)
        values[options->other_entry - 1] = (values[options->other_entry - 1] + 1) % CELLS;
    assert_done(mplan_mesh_add_map(mesh, "faces_cells", faces, cells, options->three_cells ? 3 : 2,
                                   NULL, values, NULL, &err),
                &err);
    offsets[0] = 0;
    for (int i = 0; i < FACES; i++) {
        offsets[i + 1] = offsets[i] + 1 + i % 3;
        for (int64_t k = offsets[i]; k < offsets[i + 1]; k++)
            values[k] = k % 5 == 4 ? -1 : (int32_t)(k * 4 % 9);
    }
    if (!options->no_map)
        assert_done(mplan_mesh_add_map(mesh, "faces_nodes", faces, nodes, 0, offsets, values, NULL,
                                       &err),
                    &err);
    for (int i = 0; i < CELLS + 2; i++)
        values[i] = i < CELLS - (int)options->more_none ? i % 9 : -1;
    assert_done(mplan_mesh_add_map(mesh, "cells_nodes", cells, nodes, 1, NULL, values, &cells_nodes,
                                   &err),
                &err);
    if (!options->whole)
        assert_done(mplan_mesh_split(mesh, cells, cells_nodes, &err), &err);
    return mesh;
}

mplan_mesh *support_fixed_mesh(void)
{
    const support_fixed_options none = {0};
    return support_fixed_mesh_of(&none);
}

mplan_plan *support_fixed_plan(mplan_mesh *mesh)
{
    const mplan_arg args[] = {
        {"x", "faces_nodes", MPLAN_READ, 2, MPLAN_TYPE_F64, MPLAN_NONE_SKIP},
        {"q", "faces_cells", MPLAN_READ, 4, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
        {"res", "faces_cells", MPLAN_INC, 4, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
        {"w", NULL, MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
    };
    const mplan_arg direct[] = {{"q", NULL, MPLAN_RW, 4, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    const mplan_loop loops[] = {{"res_calc", "faces", true, 2, 100, 4, args},
                                {"update", "cells", false, 1, 0, 1, direct}};
    support_plan_options options = {5, true, true, true};
    uint64_t seed = 1; /* gives faces and cells holes */
    return support_plan(mesh, 2, loops, &options, &seed);
}
