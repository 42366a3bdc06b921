/* SPDX-License-Identifier: Apache-2.0 */
/* whole_plan.c - what is decided of a mesh before it is cut into parts: sets, maps, loops and choices */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/mesh.h"
#include "pipeline/mesh_facts.h"
#include "pipeline/part_plan.h"
#include "pipeline/plan_request.h"
#include "pipeline/slabs.h"
#include "pipeline/steps.h"
#include "plan/ring_steps.h"

/* Parts keep no holes. Facts may be without layers: those of parts that were scattered are. */
static mplan_status refuse_options(const planning *p, mplan_error *err)
{
    const mplan_plan_options *asked = p->asked;
    const char *wrong = asked->point_order == MPLAN_POINTS_PADDED ? "point order padded"
                        : asked->graph == MPLAN_GRAPH_FACES       ? "graph faces"
                                                                  : NULL;
    if (wrong)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s cannot be combined with parts", wrong);
    for (int32_t i = 0; asked->step_lags && i < asked->n_step; i++)
        if (asked->step_lags[i])
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "entry %d of the step has lag, which cannot be combined with parts",
                              (int)i);
    if (asked->rings > 0 && p->facts)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "rings around parts need the mesh whole in one process");
    for (int32_t l = 0; l < p->n_loops; l++)
        if (p->loops[l].layering && p->facts && !p->facts->layers)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "loop %s has layers: its mesh must be whole in one process",
                              p->loops[l].loop->name);
    return MPLAN_OK;
}

/* The step as ring_steps.h has it; entries and args are the caller's. Entries of the step were looked at (mplan_planning_step). */
static mplan_status ring_entries(const planning *p, mplan_ring_entry **entries,
                                 mplan_plan_arg **args, mplan_error *err)
{
    const mplan_plan_options *asked = p->asked;
    int64_t n = 0, at = 0;
    for (int32_t i = 0; i < asked->n_step; i++)
        n += p->loops[asked->step[i]].loop->n_args;
    *entries = mplan_alloc(asked->n_step, sizeof **entries, err);
    *args = mplan_alloc_zero(n, sizeof **args, err);
    if (!*entries || !*args)
        return MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < asked->n_step; i++) {
        const planning_loop *loop = &p->loops[asked->step[i]];
        const int32_t clear = asked->step_clears ? asked->step_clears[i] + 1 : 0;
        (*entries)[i] = (mplan_ring_entry){
            loop->loop->n_args, *args + at,
            clear > 0 && clear <= loop->loop->n_args ? clear : 0}; /* others are refused later */
        for (int32_t a = 0; a < loop->loop->n_args; a++, at++) {
            (*args)[at].dat = loop->loop->args[a].dat;
            (*args)[at].map = loop->arg_map[a];
            (*args)[at].access = loop->loop->args[a].access;
        }
    }
    return MPLAN_OK;
}

/* A visit goes from one exchange to the next: the rings of the request must serve its steps. */
static mplan_status compare_rings(const planning *p, mplan_ring_steps *steps, mplan_error *err)
{
    const mplan_plan_options *asked = p->asked;
    const int32_t wanted = asked->steps_per_visit > 1 ? asked->steps_per_visit : 1;
    const int32_t served = asked->rings > 0 ? mplan_ring_steps_count(steps, asked->rings, wanted) : 0;
    if (served >= wanted)
        return MPLAN_OK;
    const int32_t due = mplan_ring_steps_rings(steps, wanted);
    const char *steps_word = wanted == 1 ? "step" : "steps",
               *rings_word = due == 1 ? "ring" : "rings";
    if (due > MPLAN_RINGS_MOST)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "device-memory in parts: a visit goes from one exchange of halos to the next, and one of %d %s needs "
                          "%d rings, which is more than the %d that parts can have",
                          (int)wanted, steps_word, (int)due, MPLAN_RINGS_MOST);
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "device-memory in parts: a visit goes from one exchange of halos to the next, and one of %d %s needs "
                      "%d %s (--rings), not %d",
                      (int)wanted, steps_word, (int)due, rings_word, (int)asked->rings);
}

static bool changes_global(const planning_loop *loop)
{
    bool some = false;
    for (int32_t a = 0; a < loop->loop->n_args; a++)
        some = some ||
               (loop->arg_map[a] == MPLAN_MAP_GLOBAL && loop->loop->args[a].access != MPLAN_READ);
    return some;
}

/* What slabs of parts need beyond slabs. */
static mplan_status refuse_slabs(const planning *p, mplan_error *err)
{
    mplan_ring_entry *entries = NULL;
    mplan_plan_arg *args = NULL;
    mplan_ring_steps steps = {0};
    if (p->asked->device_memory == 0)
        return MPLAN_OK;
    for (int32_t l = 0; l < p->n_loops; l++)
        if (changes_global(&p->loops[l]))
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "loop %s changes a global, for which the next loop would wait until all slabs of all parts "
                              "have run: parts with device-memory cannot have it",
                              p->loops[l].loop->name);
    if (p->facts)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "device-memory in parts needs the mesh whole in one process, as rings do");
    mplan_status status = mplan_planning_refuse_slabs(p, err);
    if (!status)
        status = ring_entries(p, &entries, &args, err);
    if (!status)
        status = mplan_ring_steps_open(entries, p->asked->n_step, &steps, err);
    if (!status)
        status = compare_rings(p, &steps, err);
    mplan_ring_steps_close(&steps);
    free(entries);
    free(args);
    return status;
}

/* Names of sets and maps are lines of a bundle's manifest, and of the files of parts that are scattered. */
static mplan_status refuse_names(const planning *p, mplan_error *err)
{
    const char *wrong = NULL;
    for (int32_t s = 0; s < p->n_sets && !wrong; s++)
        if (strchr(p->mesh->sets[p->sets[s].mesh_set].name, '\n'))
            wrong = p->mesh->sets[p->sets[s].mesh_set].name;
    for (int32_t m = 0; m < p->n_maps && !wrong; m++)
        if (strchr(p->mesh->maps[p->maps[m].mesh_map].name, '\n'))
            wrong = p->mesh->maps[p->maps[m].mesh_map].name;
    return wrong
               ? mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "the name '%s' has a line feed, which names of sets and maps of parts cannot have",
                            wrong)
               : MPLAN_OK;
}

/* What an element writes into a point must not depend on which part ran last. */
static mplan_status refuse_writes(const planning *p, mplan_error *err)
{
    for (int32_t l = 0; l < p->n_loops; l++) {
        const planning_loop *loop = &p->loops[l];
        for (int32_t a = 0; a < loop->loop->n_args; a++) {
            const mplan_access access = loop->loop->args[a].access;
            if (loop->arg_map[a] >= 0 && !loop->arg_once[a] &&
                (access == MPLAN_WRITE || access == MPLAN_RW))
                return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                                  "loop %s, arg %s: map %s leads to a point more than once, and parts "
                                  "support access %s only where it does not",
                                  loop->loop->name, loop->loop->args[a].dat,
                                  loop->loop->args[a].map, mplan_access_name(access));
        }
    }
    return MPLAN_OK;
}

mplan_status mplan_whole_open(mplan_mesh *mesh, const mplan_mesh_facts *facts, int32_t n_loops,
                              const mplan_loop *loops, const mplan_plan_options *options,
                              const mplan_context *context, mplan_whole *whole, mplan_error *err)
{
    assert(mesh && whole && (loops || n_loops <= 0));
    *whole = (mplan_whole){.p = {.mesh = mesh,
                                 .facts = facts,
                                 .n_asked = n_loops,
                                 .asked_loops = loops,
                                 .asked = &whole->asked,
                                 .options = &whole->chosen,
                                 .open = &whole->chosen,
                                 .context = context}};
    planning *p = &whole->p;
    mplan_status status = mplan_planning_options(options, n_loops, &whole->asked, &p->device,
                                                 p->device_name, err);
    whole->chosen = whole->asked;
    if (!status)
        status = mplan_mesh_check_memory(mesh, context, err);
    if (!status)
        status = mplan_heed(context, "derive", 0, 1, err);
    if (!status)
        status = mplan_step_resolve(p, err);
    if (!status)
        status = refuse_options(p, err);
    if (!status)
        status = refuse_slabs(p, err);
    if (!status)
        status = refuse_names(p, err);
    if (!status)
        status = refuse_writes(p, err);
    return status ? status : mplan_step_choose(p, err);
}

void mplan_whole_close(mplan_whole *whole)
{
    assert(whole);
    mplan_planning_free(&whole->p);
}
