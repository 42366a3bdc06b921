/* SPDX-License-Identifier: Apache-2.0 */
/* pipeline_cases.h - small meshes of tables, and plans of them that hold */
#ifndef MPLAN_PIPELINE_CASES_H
#define MPLAN_PIPELINE_CASES_H

#include "support_planfile.h"
#include "support_request.h"

/* One thread: the meshes are small. */
static const mplan_context one = {.struct_size = sizeof(mplan_context), .threads = 1};

static inline void assert_holds(const mplan_plan *plan, mplan_mesh *mesh)
{
    mplan_error err;
    assert_done(mplan_plan_verify(plan, NULL, &one, &err), &err);
    assert_done(mplan_plan_verify(plan, mesh, &one, &err), &err);
}

/* A mesh of tables: sets by name and size, then maps. */
typedef struct set_row {
    const char *name;
    int64_t size;
} set_row;
typedef struct map_row {
    const char *name;
    int32_t from, to, arity;
    const int64_t *offsets;
    const int32_t *values;
} map_row;

static inline mplan_mesh *tables(int32_t n_sets, const set_row *sets, int32_t n_maps,
                                 const map_row *maps)
{
    mplan_error err;
    mplan_mesh *mesh;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    for (int32_t s = 0; s < n_sets; s++)
        assert_done(mplan_mesh_add_set(mesh, sets[s].name, sets[s].size, NULL, &err), &err);
    for (int32_t m = 0; m < n_maps; m++)
        assert_done(mplan_mesh_add_map(mesh, maps[m].name, maps[m].from, maps[m].to, maps[m].arity,
                                       maps[m].offsets, maps[m].values, NULL, &err),
                    &err);
    return mesh;
}

static inline mplan_mesh *generated(mplan_shape shape, int64_t n, bool shuffle)
{
    mplan_error err;
    mplan_mesh *mesh;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.shape = shape;
    options.size[0] = options.size[1] = n;
    options.size[2] = shape == MPLAN_SHAPE_HEX || shape == MPLAN_SHAPE_TET ? n : 0;
    options.shuffle = shuffle;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    return mesh;
}

/* Strategies that serve every loop; block-gather and owner-gather do not. */
enum { N_FOR_ALL = MPLAN_STRATEGY_ATOMIC + 1 };

static inline mplan_plan_options all_strategies(int32_t block_size)
{
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.block_size = block_size;
    options.partitioner = MPLAN_PARTITIONER_NONE;
    options.n_strategies = N_FOR_ALL;
    for (int s = 0; s < N_FOR_ALL; s++)
        options.strategies[s] = (mplan_strategy)s;
    return options;
}

static inline bool is_in_build(mplan_partitioner partitioner)
{
    return partitioner == MPLAN_PARTITIONER_NONE || partitioner == MPLAN_PARTITIONER_HILBERT ||
           partitioner == MPLAN_PARTITIONER_NATIVE ||
           support_has(mplan_partitioner_name(partitioner));
}

/* A plan that holds. */
static inline mplan_plan *plan_of(mplan_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                                  const mplan_plan_options *options)
{
    mplan_error err;
    mplan_plan *plan;
    assert_done(mplan_plan_create(mesh, n_loops, loops, options, &one, &plan, &err), &err);
    assert_holds(plan, mesh);
    return plan;
}

#define ARG(dat_, map_, access_, none_)                       \
    {                                                         \
        (dat_), (map_), (access_), 2, MPLAN_TYPE_F64, (none_) \
    }

#endif
