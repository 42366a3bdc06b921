/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - proves a plan, one group of promises after the other */
#include "check/check_halo.h"

#include <stdlib.h>

#include "base/option_size.h"

/* Also after a proof that ended early: what was not made is NULL. */
static void release(mplan_check *check)
{
    for (int32_t l = 0; check->loops && l < check->plan->n_loops; l++) {
        free(check->loops[l].maps);
        free(check->loops[l].written);
        free(check->loops[l].sets);
        free(check->loops[l].dats);
    }
    free(check->loops);
    free(check->pairs);
    for (int32_t m = 0; check->own_part_maps && m < check->plan->n_maps; m++) {
        free((void *)(uintptr_t)check->own_part_maps[m].values);
        free((void *)(uintptr_t)check->own_part_maps[m].offsets);
    }
    for (int32_t s = 0; s < check->plan->n_sets; s++) {
        free(check->part_of ? check->part_of[s] : NULL);
        free(check->part_old ? check->part_old[s] : NULL);
    }
    free(check->own_part_maps);
    free(check->part_place);
    free(check->part_of);
    free(check->part_old);
    free(check->maps);
    free(check->valid);
    free(check->mark);
}

/* The proofs in an order in which each may rely on those before it: records before
 * arrays, arrays before what they hold. *steps: how many steps the whole proof has; all but the last are these. */
static mplan_status prove_plan(mplan_check *check, int64_t *steps, mplan_error *err)
{
    static mplan_status (*const proofs[])(mplan_check *, mplan_error *) = {
        mplan_check_records, mplan_check_part_records, mplan_check_args,       mplan_check_step,
        mplan_check_loops,   mplan_check_arrays,       mplan_check_orders,     mplan_check_places,
        mplan_check_halos,   mplan_check_maps,         mplan_check_part_maps,  mplan_check_groups,
        mplan_check_once,    mplan_check_halo_rows,    mplan_check_blocks,     mplan_check_points,
        mplan_check_colours, mplan_check_gather,       mplan_check_gatherings, mplan_check_packed,
        mplan_check_owner,   mplan_check_metrics,      mplan_check_layers,     mplan_check_slabs,
        mplan_check_rings,   mplan_check_ring_steps,
    };
    const int64_t n_proofs = (int64_t)(sizeof proofs / sizeof *proofs);
    mplan_status status = MPLAN_OK;
    *steps = n_proofs + 1;
    for (int64_t i = 0; i < n_proofs && !status; i++) {
        mplan_progress(check->context, "check", i, n_proofs + 1);
        status = mplan_interrupted(check->context, err);
        if (!status)
            status = proofs[i](check, err);
    }
    if (!status)
        mplan_progress(check->context, "check", n_proofs, n_proofs + 1);
    return status;
}

/* What a plan is proved beside; any of it may be NULL. */
typedef struct surroundings {
    mplan_mesh *mesh;         /* for which it is; that it is a part of */
    mplan_check_whole *whole; /* the same for all parts of a bundle, instead of mesh */
    mplan_check_collect *collect;
    void *user;
} surroundings;

/* A plan of a whole mesh is compared with it. Of a part: its own maps have its fingerprint, and are those of the whole
 * mesh; that is looked through here where the part is proved by itself, but once for all parts of a bundle
 * (around->whole). */
static mplan_status prove_agreement(mplan_check *check, const surroundings *around, mplan_error *err)
{
    mplan_check_whole own = {0};
    if (!mplan_plan_is_part(check->plan))
        return mplan_check_mesh(check, around->mesh, err);
    mplan_status status = mplan_check_mesh(check, NULL, err);
    if (!status && around->mesh)
        status = mplan_check_whole_open(check->plan, around->mesh, NULL, check->context, &own, err);
    if (!status && (around->mesh || around->whole))
        status = mplan_check_whole_rows(check, around->mesh ? &own : around->whole, err);
    mplan_check_whole_free(&own);
    return status;
}

/* around: the mesh, or the proof of the whole bundle; asked: fields that only a request explains are proved, too. A
 * plan that is not sealed is refused, since its arrays may be missing. */
static mplan_status prove(const mplan_plan *plan, const surroundings *around, bool asked,
                          const mplan_context *context, mplan_error *err)
{
    mplan_threaded threaded;
    if (!plan->sealed)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan is still being built");
    context = mplan_threaded_open(context, &threaded);
    mplan_check check = {.plan = plan, .context = context, .team = mplan_team_of(context)};
    check.threads = mplan_team_threads(check.team);
    int64_t steps;
    mplan_status status = prove_plan(&check, &steps, err);
    if (!status)
        status = prove_agreement(&check, around, err);
    if (!status && asked)
        status = mplan_check_asked(&check, mplan_plan_is_part(plan) ? NULL : around->mesh, err);
    if (!status && around->collect)
        status = around->collect(&check, around->user, err);
    if (!status)
        mplan_progress(context, "check", steps, steps);
    release(&check);
    mplan_threaded_close(&threaded);
    return status;
}

/* One part in the course of the proof of all (check_bundle.c); collect gets what only all parts together can prove. */
mplan_status mplan_check_prove_part(const mplan_plan *plan, mplan_check_whole *whole, bool asked,
                                    mplan_check_collect *collect, void *user,
                                    const mplan_context *context, mplan_error *err)
{
    const surroundings around = {NULL, whole, collect, user};
    return prove(plan, &around, asked, context, err);
}

/* mesh NULL: all but the agreement with it. */
mplan_status mplan_check_prove(const mplan_plan *plan, mplan_mesh *mesh, bool asked,
                               const mplan_context *context, mplan_error *err)
{
    const surroundings around = {mesh, NULL, NULL, NULL};
    return prove(plan, &around, asked, context, err);
}

/* All proofs in their order (prove_plan), and the agreement with the mesh, where there is one. MPLAN_ERR_DISPROVED names
 * the first thing that is wrong, MPLAN_ERR_OTHER_MESH a sound plan of another mesh. */
mplan_status mplan_plan_verify(const mplan_plan *plan, mplan_mesh *mesh,
                               const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(plan);
    return mplan_check_prove(plan, mesh, true, context, err);
}
