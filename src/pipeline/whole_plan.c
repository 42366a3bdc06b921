/* SPDX-License-Identifier: Apache-2.0 */
/* whole_plan.c - what is decided of a mesh before it is cut into parts: sets, maps, loops and choices */
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "mesh/mesh.h"
#include "pipeline/mesh_facts.h"
#include "pipeline/part_plan.h"
#include "pipeline/plan_request.h"
#include "pipeline/steps.h"

/* Parts keep no holes, and have no slabs. Facts may be without layers: those of parts that were scattered are. */
static mplan_status refuse_options(const planning *p, mplan_error *err)
{
    const mplan_plan_options *asked = p->asked;
    const char *wrong = asked->point_order == MPLAN_POINTS_PADDED ? "point order padded"
                        : asked->graph == MPLAN_GRAPH_FACES       ? "graph faces"
                                                                  : NULL;
    if (asked->device_memory > 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "device-memory cannot be combined with parts: halos are exchanged between the loops of a "
                          "step, and a visit takes slabs through whole steps");
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
    for (int32_t l = 0; l < p->n_loops && asked->rings > 0; l++)
        if (p->loops[l].layering)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "loop %s has layers: rings around parts are for loops without",
                              p->loops[l].loop->name);
    for (int32_t l = 0; l < p->n_loops; l++)
        if (p->loops[l].layering && p->facts && !p->facts->layers)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "loop %s has layers: its mesh must be whole in one process",
                              p->loops[l].loop->name);
    return MPLAN_OK;
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
