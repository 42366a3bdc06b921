/* SPDX-License-Identifier: Apache-2.0 */
/* step_store.c - every map in stored order, and the plan's records of sets, maps and loops */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/mesh.h"
#include "pipeline/layers.h"
#include "pipeline/steps.h"
#include "tables/tables.h"

/* Values and offsets of every planning map under the orders of its two sets, which all exist by
 * now. O(all entries). */
static mplan_status store_maps(planning *p, mplan_error *err)
{
    for (int32_t m = 0; m < p->n_maps; m++) {
        mplan_map map = mplan_planning_mesh_map(p, m);
        mplan_status status = mplan_table_reorder_map(&map, p->sets[map.from].new_of_old,
                                                      p->sets[map.from].size,
                                                      p->sets[map.to].new_of_old, &p->maps[m].offsets,
                                                      &p->maps[m].values, p->context, err);
        if (status)
            return status;
    }
    return MPLAN_OK;
}

/* Records of loops and args; variants come with their tables. */
static mplan_status add_loops(planning *p, mplan_error *err)
{
    for (int32_t l = 0; l < p->n_loops; l++) {
        const mplan_loop *loop = p->loops[l].loop;
        mplan_plan_arg *args = mplan_alloc(loop->n_args, sizeof *args, err);
        if (!args)
            return MPLAN_ERR_MEMORY;
        for (int32_t a = 0; a < loop->n_args; a++) {
            const mplan_arg *arg = &loop->args[a];
            args[a] = (mplan_plan_arg){arg->dat,
                                       p->loops[l].arg_map[a],
                                       arg->access,
                                       arg->dim,
                                       arg->type,
                                       p->loops[l].arg_map[a] >= 0 ? arg->none : MPLAN_NONE_REFUSE,
                                       p->loops[l].arg_layout[a],
                                       p->loops[l].arg_layers ? p->loops[l].arg_layers[a]
                                                              : (mplan_arg_layers){0},
                                       p->loops[l].arg_once[a]};
        }
        mplan_plan_loop record = {.name = loop->name,
                                  .set = p->loops[l].set,
                                  .primary = l == p->primary,
                                  .calls = loop->calls,
                                  .flops = loop->flops,
                                  .n_args = loop->n_args,
                                  .args = args,
                                  .layering = p->loops[l].layering};
        mplan_status status = mplan_plan_add_loop(p->plan, &record, err);
        free(args);
        if (status)
            return status;
    }
    return MPLAN_OK;
}

/* Orders of one set, global ids where it was split, and the members of its parent where it is a group. */
static mplan_status add_set(planning *p, int32_t s, mplan_error *err)
{
    planning_set *set = &p->sets[s];
    const mplan_mesh_set_data *data = &p->mesh->sets[set->mesh_set];
    mplan_plan_set record = {.name = data->name,
                             .size = set->size,
                             .storage_size = set->storage,
                             .split = data->split ? data->split : "",
                             .renumber = set->renumber,
                             .kept = set->kept,
                             .parent_set = -1};
    memcpy(record.bandwidth, set->bandwidth, sizeof record.bandwidth);
    memcpy(record.profile, set->profile, sizeof record.profile);
    if (data->parent_index) {
        record.parent = p->mesh->sets[data->parent].name;
        record.parent_size = p->mesh->sets[data->parent].size;
        for (int32_t i = 0; i < p->n_sets; i++)
            record.parent_set = p->sets[i].mesh_set == data->parent ? i : record.parent_set;
    }
    int32_t *old_of_new = NULL;
    mplan_status status = mplan_plan_add_set(p->plan, &record, err);
    if (!status)
        status = mplan_table_invert(set->size, set->new_of_old, set->storage, &old_of_new,
                                    p->context, err);
    if (!status)
        status = mplan_plan_take_array(p->plan, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, s),
                                       MPLAN_TYPE_I32, set->storage, 1, old_of_new, err);
    if (!status)
        status = mplan_planning_store_layers(p, s, err);
    if (!status && data->global_ids) {
        int64_t *ids = mplan_copy(data->global_ids, set->size, sizeof *ids, err);
        status = ids ? mplan_plan_take_array(p->plan, mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, s),
                                             MPLAN_TYPE_I64, set->size, 1, ids, err)
                     : MPLAN_ERR_MEMORY;
    }
    if (!status && data->parent_index) {
        int32_t *index = mplan_copy(data->parent_index, set->size, sizeof *index, err);
        status = index ? mplan_plan_take_array(p->plan, mplan_key_of_set(MPLAN_KIND_PARENT_INDEX, s),
                                               MPLAN_TYPE_I32, set->size, 1, index, err)
                       : MPLAN_ERR_MEMORY;
    }
    return status;
}

/* Records only: entries go to the plan last, since every step before reads them. */
static mplan_status add_maps(planning *p, mplan_error *err)
{
    for (int32_t m = 0; m < p->n_maps; m++) {
        mplan_map map = mplan_planning_stored_map(p, m);
        mplan_plan_map record = {map.name, map.from, map.to, map.arity, mplan_map_entries(&map)};
        mplan_status status = mplan_plan_add_map(p->plan, &record, err);
        if (status)
            return status;
    }
    return MPLAN_OK;
}

/* From here on elements and points are numbered by their stored place. Sets, maps and loops
 * become records of the plan in this order, because each kind names those before it by number. */
mplan_status mplan_step_store(planning *p, mplan_error *err)
{
    assert(p && p->plan && (p->n_sets == 0 || p->sets[0].new_of_old));
    mplan_status status = store_maps(p, err);
    for (int32_t s = 0; s < p->n_sets && !status; s++)
        status = add_set(p, s, err);
    if (!status)
        status = add_maps(p, err);
    if (!status)
        status = add_loops(p, err);
    return status;
}
