/* SPDX-License-Identifier: Apache-2.0 */
/* make_parts.c - from a mesh and a request to parts, their plans and their bundle */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file_output.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "base/threads.h"
#include "mesh/mesh.h"
#include "parts/parts.h"
#include "pipeline/mesh_facts.h"
#include "pipeline/plan_request.h"

/* What can be refused before the mesh is looked at. n_parts 0 is for parts that the caller
 * gives, whose largest number tells it. An imbalance that is NaN fails the first comparison,
 * which is why it is negated. */
static mplan_status check_options(const mplan_parts_options *options, mplan_error *err)
{
    if (options->n_parts < 0 || options->n_parts == INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the number of parts cannot be %d",
                          (int)options->n_parts);
    if (options->n_parts == 0 && !options->part)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the number of parts must be 1 or more");
    if (options->nodes < 0 || (options->nodes > 1 && options->n_parts % options->nodes != 0))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%d parts cannot be shared evenly by %d nodes",
                          (int)options->n_parts, (int)options->nodes);
    if (!(options->imbalance >= 1) || options->imbalance > 1000)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "the imbalance of parts must be 1 to 1000, not %g", options->imbalance);
    if (options->partitioner != MPLAN_PARTITIONER_AUTO &&
        options->partitioner != MPLAN_PARTITIONER_METIS &&
        options->partitioner != MPLAN_PARTITIONER_SCOTCH &&
        options->partitioner != MPLAN_PARTITIONER_NATIVE)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "parts are cut by native, metis or scotch");
    return mplan_parts_check_wishes(options, err);
}

void mplan_parts_free(mplan_parts *parts)
{
    if (!parts)
        return;
    const int32_t n_sets = parts->whole.p.n_sets;
    for (int32_t s = 0; s < n_sets; s++) {
        free(parts->owner ? parts->owner[s] : NULL);
        free(parts->base ? parts->base[s] : NULL);
        free(parts->member ? parts->member[s] : NULL);
        free(parts->ids ? parts->ids[s] : NULL);
    }
    /* none of the lists is there where the number of parts was refused, however large it was */
    const bool lists = parts->halo || parts->imports || parts->exports;
    for (int64_t i = 0; lists && i < (int64_t)parts->n_parts * n_sets; i++) {
        if (parts->halo) {
            free(parts->halo[i].member);
            free(parts->halo[i].ring);
            free(parts->halo[i].reads);
        }
        free(parts->imports ? parts->imports[i].link : NULL);
        free(parts->exports ? parts->exports[i].link : NULL);
    }
    free(parts->owner);
    free(parts->base);
    free(parts->member);
    free(parts->ids);
    free(parts->halo);
    free(parts->imports);
    free(parts->exports);
    mplan_whole_close(&parts->whole);
    free(parts);
}

/* All that plans of parts are made from, step by step: each needs what those before it made
 * (parts.h). After a failure mplan_parts_free releases what is there. */
static mplan_status fill(mplan_parts *parts, const mplan_parts_options *options,
                         const mplan_context *context, mplan_error *err)
{
    const int32_t n_sets = parts->whole.p.n_sets;
    parts->owner = mplan_alloc_zero(n_sets, sizeof *parts->owner, err);
    parts->base = mplan_alloc_zero(n_sets, sizeof *parts->base, err);
    parts->member = mplan_alloc_zero(n_sets, sizeof *parts->member, err);
    mplan_status status = parts->owner && parts->base && parts->member ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_heed(context, "cut", 0, 1, err);
    if (!status)
        status = mplan_parts_cut(parts, options, context, err);
    parts->end = parts->n_parts;
    if (!status)
        status = mplan_parts_follow(parts, err);
    if (!status)
        status = mplan_heed(context, "halos", 0, 1, err);
    if (!status)
        status = parts->whole.p.asked->rings > 0 ? mplan_parts_find_rings(parts, context, err)
                                                 : mplan_parts_find_halos(parts, context, err);
    if (!status)
        status = mplan_parts_link_halos(parts, err);
    if (!status)
        status = mplan_parts_find_reads(parts, context, err);
    return status ? status : mplan_planning_fingerprints(&parts->whole.p, &parts->prints, err);
}

mplan_status mplan_parts_create(mplan_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                                const mplan_plan_options *options,
                                const mplan_parts_options *parts_options,
                                const mplan_context *context, mplan_parts **parts, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(mesh);
    if (n_loops > 0)
        MPLAN_NEED(loops);
    MPLAN_NEED(parts);
    mplan_parts_options own = MPLAN_PARTS_OPTIONS_INIT;
    mplan_status status = mplan_options_take(&own, parts_options, "parts options", err);
    if (!status)
        status = check_options(&own, err);
    mplan_parts *made = status ? NULL : mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return status ? status : MPLAN_ERR_MEMORY;
    mplan_threaded threaded;
    context = mplan_threaded_open(context, &threaded);
    status = mplan_whole_open(mesh, NULL, n_loops, loops, options, context, &made->whole, err);
    if (!status)
        status = fill(made, &own, context, err);
    made->whole.p.context = NULL; /* it ends here */
    mplan_progress(context, "halos", 1, 1);
    mplan_threaded_close(&threaded);
    if (status)
        mplan_parts_free(made);
    else
        *parts = made;
    return status;
}

/* --- what is known of them ----------------------------------------------------------- */

int32_t mplan_parts_n(const mplan_parts *parts)
{
    return parts ? parts->n_parts : 0;
}

int32_t mplan_parts_n_sets(const mplan_parts *parts)
{
    return parts ? parts->whole.p.n_sets : 0;
}

const char *mplan_parts_how(const mplan_parts *parts)
{
    return parts ? parts->how : "";
}

mplan_parts_set mplan_parts_get_set(const mplan_parts *parts, int32_t set)
{
    if (!parts || set < 0 || set >= parts->whole.p.n_sets)
        return (mplan_parts_set){.name = NULL};
    const planning *p = &parts->whole.p;
    mplan_parts_set about = {.name = p->mesh->sets[p->sets[set].mesh_set].name,
                             .total = p->sets[set].size,
                             .cut = set == parts->cut,
                             .base = parts->base[set],
                             .owner = parts->owner[set]};
    for (int32_t q = 0; q < parts->n_parts; q++) {
        const mplan_halo *halo = mplan_parts_halo(parts, q, set);
        about.execute += halo->n_execute;
        about.read += halo->n - halo->n_execute;
    }
    return about;
}

/* --- plans ----------------------------------------------------------------------------- */

/* Opens a context for the planning of parts: it tells of nothing, as the bundle's progress is that of parts. `own` is
 * closed by mplan_threaded_close. */
static mplan_status open_quiet(const mplan_context *context, mplan_threaded *own,
                               const mplan_context **quiet, mplan_error *err)
{
    mplan_context copy = MPLAN_CONTEXT_INIT;
    mplan_status status = mplan_options_take(&copy, context, "context", err);
    copy.warning = NULL;
    copy.progress = NULL;
    *quiet = mplan_threaded_open(&copy, own);
    return status;
}

/* Plans one part; *room is used again for the next. `mesh`, `owned` and `group` of the room are
 * read while it is planned; mplan_part_record adds what it is as a part when its orders are
 * known. *plan is the caller's. */
mplan_status mplan_parts_plan_in(mplan_part_mesh *room, int32_t part, mplan_visit_wish *wish,
                                 const mplan_context *context, mplan_plan **plan, mplan_error *err)
{
    assert(room && room->parts && plan);
    mplan_status status = room->mesh && room->part == part ? MPLAN_OK
                                                           : mplan_part_mesh_make(room, part, err);
    const mplan_planning_part about = {.whole = &room->parts->whole.p,
                                       .owned = room->owned,
                                       .group = (const int32_t *const *)room->group,
                                       .complete = mplan_part_record,
                                       .user = room,
                                       .visit = wish};
    return status ? status : mplan_planning_create_part(room->mesh, &about, context, plan, err);
}

/* Whether parts have visits of a number of steps that all of them together choose. */
static bool chooses_steps(const mplan_parts *parts)
{
    const mplan_plan_options *asked = &parts->whole.asked;
    return asked->device_memory > 0 && asked->steps_per_visit == 0 && parts->n_parts > 1;
}

mplan_status mplan_parts_plan(const mplan_parts *parts, int32_t part, const mplan_context *context,
                              mplan_plan **plan, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(parts);
    MPLAN_NEED(plan);
    if (part < 0 || part >= parts->n_parts)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there is no part %d: parts are 0 to %d",
                          (int)part, (int)parts->n_parts - 1);
    if (part < parts->begin || part >= parts->end)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "only part %d is here, not part %d",
                          (int)parts->begin, (int)part);
    if (chooses_steps(parts))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "one part by itself cannot choose the steps of a visit, of which all parts have equally many: "
                          "give steps-per-visit");
    mplan_part_mesh room = {0};
    mplan_threaded threaded;
    const mplan_context *quiet;
    mplan_status status = open_quiet(context, &threaded, &quiet, err);
    if (!status)
        status = mplan_part_mesh_open(parts, &room, err);
    if (!status)
        status = mplan_parts_plan_in(&room, part, NULL, quiet, plan, err);
    if (room.parts)
        mplan_part_mesh_close(&room);
    mplan_threaded_close(&threaded);
    return status;
}

/* --- bundles --------------------------------------------------------------------------- */

mplan_status mplan_parts_describe(const mplan_parts *parts, mplan_manifest *manifest, mplan_error *err)
{
    assert(parts && manifest);
    const planning *p = &parts->whole.p;
    manifest->n_parts = parts->n_parts;
    manifest->cut = parts->cut;
    manifest->fingerprints = parts->prints;
    manifest->sets = mplan_alloc_zero(p->n_sets, sizeof *manifest->sets, err);
    manifest->maps = mplan_alloc_zero(p->n_maps, sizeof *manifest->maps, err);
    manifest->how = (char *)(uintptr_t)parts->how;
    if (!manifest->sets || !manifest->maps)
        return MPLAN_ERR_MEMORY;
    manifest->n_sets = p->n_sets;
    manifest->n_maps = p->n_maps;
    for (int32_t s = 0; s < p->n_sets; s++)
        manifest->sets[s] = (mplan_bundle_set){.name = p->mesh->sets[p->sets[s].mesh_set].name,
                                               .total = p->sets[s].size,
                                               .cut = s == parts->cut,
                                               .base = parts->base[s]};
    for (int32_t m = 0; m < p->n_maps; m++) {
        const mplan_map map = mplan_planning_mesh_map(p, m);
        manifest->maps[m] = (mplan_bundle_map){map.name, map.from, map.to, map.arity,
                                               mplan_planning_present(p, m)};
    }
    return MPLAN_OK;
}

mplan_status mplan_parts_manifest(const mplan_parts *parts, const mplan_plan *plan,
                                  const char *path, const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(parts);
    MPLAN_NEED(plan);
    MPLAN_NEED(path);
    mplan_manifest manifest = {0};
    mplan_vector text = MPLAN_VECTOR_INIT(1);
    mplan_output *output = NULL;
    mplan_status status = mplan_parts_describe(parts, &manifest, err);
    if (!status && !(manifest.request = mplan_planning_request(&parts->whole.p, err)))
        status = MPLAN_ERR_MEMORY;
    manifest.versions = (char *)(uintptr_t)mplan_plan_versions(plan);
    if (!status)
        status = mplan_manifest_print_file(&manifest, &text, err);
    if (!status)
        status = mplan_output_open(path, context, &output, err);
    if (!status)
        status = mplan_output_write(output, text.data, (size_t)text.count, err);
    if (!status)
        status = mplan_output_commit(output, err);
    else
        mplan_output_abort(output);
    free(text.data);
    free(manifest.sets);
    free(manifest.maps);
    free(manifest.request);
    return status;
}

/* Parts that are planned side by side, by threads that have a room, a plan and an error each. */
typedef struct wave {
    mplan_part_mesh *rooms;
    mplan_plan **plans;
    mplan_error *errors;
    mplan_status *statuses;
    int32_t first, width;     /* the first part, and how many rooms there are */
    int threads;              /* of each */
    mplan_ask ask;            /* what all of them heed; nobody is told anything */
    mplan_visit_wish *wishes; /* of all parts, where they choose the steps of a visit; else NULL */
} wave;

static mplan_visit_wish *wish_of(wave *w, int64_t room)
{
    return w->wishes ? &w->wishes[w->first + room] : NULL;
}

/* Plans of parts begin to end - 1 of the wave, whose meshes are made. */
static void plan_some(void *data, int thread, int64_t begin, int64_t end)
{
    wave *w = data;
    mplan_asker asker;
    mplan_ask_by(&w->ask, thread, &asker);
    asker.context.threads = w->threads;
    for (int64_t i = begin; i < end; i++) {
        mplan_threaded own;
        const mplan_context *context = mplan_threaded_open(&asker.context, &own);
        w->statuses[i] = mplan_parts_plan_in(&w->rooms[i], w->first + (int32_t)i, wish_of(w, i),
                                             context, &w->plans[i], &w->errors[i]);
        mplan_threaded_close(&own);
    }
}

/* Plans of parts w->first to w->first + n - 1. A single one has the threads of `quiet`. */
static mplan_status plan_wave(wave *w, int32_t n, const mplan_context *quiet, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (w->width == 1)
        return mplan_parts_plan_in(&w->rooms[0], w->first, wish_of(w, 0), quiet, &w->plans[0], err);
    for (int32_t i = 0; i < n && !status; i++)
        status = mplan_part_mesh_make(&w->rooms[i], w->first + i, err);
    if (!status)
        mplan_for(mplan_team_of(quiet), n, 1, plan_some, w);
    for (int32_t i = 0; i < n && !status; i++)
        if ((status = w->statuses[i]) && err)
            *err = w->errors[i];
    return status;
}

static void close_wave(wave *w)
{
    for (int32_t i = w->rooms ? w->width - 1 : -1; i >= 0; i--)
        if (w->rooms[i].parts)
            mplan_part_mesh_close(&w->rooms[i]);
    free(w->rooms);
    free(w->plans);
    free(w->wishes);
    free(w->errors);
    free(w->statuses);
}

/* As many rooms as there are threads, but no more than an eighth of the parts, so that memory holds an eighth of all plans
 * and of what they need at most. */
static mplan_status open_wave(const mplan_parts *parts, wave *w, const mplan_context *quiet,
                              mplan_error *err)
{
    const int32_t threads = mplan_team_threads(mplan_team_of(quiet));
    const int32_t width = parts->n_parts / 8 < threads ? parts->n_parts / 8 : threads;
    *w = (wave){.width = width > 1 ? width : 1, .ask = {.context = quiet}};
    w->threads = threads / w->width;
    w->rooms = mplan_alloc_zero(w->width, sizeof *w->rooms, err);
    w->plans = mplan_alloc_zero(w->width, sizeof *w->plans, err);
    w->errors = mplan_alloc_zero(w->width, sizeof *w->errors, err);
    w->statuses = mplan_alloc_zero(w->width, sizeof *w->statuses, err);
    mplan_status status = w->rooms && w->plans && w->errors && w->statuses
                              ? mplan_part_mesh_open(parts, &w->rooms[0], err)
                              : MPLAN_ERR_MEMORY;
    for (int32_t i = 1; i < w->width && !status; i++)
        status = mplan_part_mesh_share(&w->rooms[0], &w->rooms[i], err);
    return status;
}

static void drop_plans(wave *w)
{
    for (int32_t i = 0; i < w->width; i++) {
        mplan_plan_free(w->plans[i]);
        w->plans[i] = NULL;
    }
}

/* The steps of a visit that are best for the first n parts; all parts from the next on wish them. */
static mplan_status wish_steps(wave *w, int32_t n, int32_t n_parts, mplan_error *err)
{
    const int32_t steps = mplan_parts_visit_steps(w->wishes, n);
    for (int32_t q = 0; q < n_parts; q++)
        w->wishes[q].steps = steps;
    return steps > 0
               ? MPLAN_OK
               : mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "device-memory is too little: visits of all parts have equally many steps, and no number "
                            "fits into each; steps-per-visit and segments that are chosen may need less");
}

/* Whether a plan of the wave has other steps than it was to have. */
static bool has_other_steps(const wave *w, int32_t n)
{
    bool other = false;
    for (int32_t i = 0; i < n && w->wishes; i++)
        other = other || w->plans[i]->visit.steps != w->wishes[w->first + i].steps;
    return other;
}

/* Plans of a wave. The first one chooses the steps that all others wish, and is planned again where its own parts had chosen others. */
static mplan_status plan_next(wave *w, int32_t n, int32_t n_parts, const mplan_context *quiet,
                              mplan_error *err)
{
    const bool chooses = w->wishes && w->wishes[0].steps == 0;
    mplan_status status = plan_wave(w, n, quiet, err);
    if (status || !chooses)
        return status;
    status = wish_steps(w, n, n_parts, err);
    if (status || !has_other_steps(w, n))
        return status;
    drop_plans(w);
    return plan_wave(w, n, quiet, err);
}

/* Waves of parts, written in their order; the first part tells the versions. So the bundle is begun when a plan is there, and
 * memory holds a wave at a time. After a failure nothing appears at `path`. bytes may be NULL. *again: nothing was written, as parts are to have other
 * steps of a visit than those that the first ones chose, and wish them now. */
static mplan_status write_parts(wave *w, const char *path, mplan_manifest *manifest,
                                const mplan_write_options *options, const mplan_context *context,
                                const mplan_context *quiet, bool *again, int64_t *bytes,
                                mplan_error *err)
{
    mplan_bundle_writer *writer = NULL;
    mplan_status status = MPLAN_OK;
    *again = false;
    for (int32_t q = 0; q < manifest->n_parts && !status; q += w->width) {
        const int32_t left = manifest->n_parts - q, n = left < w->width ? left : w->width;
        w->first = q;
        status = mplan_heed(context, "parts", q, manifest->n_parts, err);
        if (!status)
            status = plan_next(w, n, manifest->n_parts, quiet, err);
        *again = *again || (!status && has_other_steps(w, n));
        if (!status && q == 0) {
            manifest->versions = (char *)(uintptr_t)mplan_plan_versions(w->plans[0]);
            status = mplan_bundle_begin(path, manifest, options, quiet, &writer, err);
        }
        for (int32_t i = 0; i < n && !status && !*again; i++)
            status = mplan_bundle_add(writer, w->plans[i], err);
        drop_plans(w);
    }
    const int32_t first = w->wishes ? w->wishes[0].steps : 0;
    if (!status && w->wishes)
        status = wish_steps(w, manifest->n_parts, manifest->n_parts, err);
    *again = *again || (!status && w->wishes && w->wishes[0].steps != first);
    if (!status && !*again)
        return mplan_bundle_end(writer, bytes, err);
    mplan_bundle_abort(writer);
    return status;
}

mplan_status mplan_parts_write(const mplan_parts *parts, const char *path,
                               const mplan_write_options *options, const mplan_context *context,
                               int64_t *bytes, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(parts);
    MPLAN_NEED(path);
    if (parts->end - parts->begin != parts->n_parts)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "only part %d is here: a bundle needs all of them", (int)parts->begin);
    wave w = {.width = 0};
    mplan_manifest manifest = {0};
    mplan_threaded threaded;
    const mplan_context *quiet;
    bool again = true;
    mplan_status status = open_quiet(context, &threaded, &quiet, err);
    if (!status)
        status = mplan_parts_describe(parts, &manifest, err);
    if (!status && !(manifest.request = mplan_planning_request(&parts->whole.p, err)))
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = open_wave(parts, &w, quiet, err);
    if (!status && chooses_steps(parts)) {
        w.wishes = mplan_alloc_zero(parts->n_parts, sizeof *w.wishes, err);
        status = w.wishes ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    while (!status && again) /* twice at most: predictions do not depend on what is wished */
        status = write_parts(&w, path, &manifest, options, context, quiet, &again, bytes, err);
    mplan_progress(context, "parts", 1, 1);
    close_wave(&w);
    free(manifest.sets);
    free(manifest.maps);
    free(manifest.request);
    mplan_threaded_close(&threaded);
    return status;
}
