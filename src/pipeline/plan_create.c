/* plan_create.c - from a mesh and a request to a plan, step by step */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "base/threads.h"
#include "mesh/mesh.h"
#include "pipeline/pipeline.h"

double mplan_planning_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double mplan_planning_cpu(void)
{
    struct rusage self, children;
    if (getrusage(RUSAGE_SELF, &self) || getrusage(RUSAGE_CHILDREN, &children))
        return 0;
    return (double)(self.ru_utime.tv_sec + children.ru_utime.tv_sec) +
           1e-6 * (double)(self.ru_utime.tv_usec + children.ru_utime.tv_usec);
}

static mplan_status find_device(const char *name, mplan_device *device, mplan_error *err)
{
    char known[256] = "";
    for (int32_t i = 0; mplan_device_get(i, device) == MPLAN_OK; i++) {
        if (strcmp(device->name, name) == 0)
            return MPLAN_OK;
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", device->name);
    }
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "unknown device '%s'; known: %s", name, known);
}

/* Options with the words that only the library may default filled in. */
mplan_status mplan_planning_options(const mplan_plan_options *given, mplan_plan_options *options,
                                    mplan_device *device, mplan_error *err)
{
    *options = (mplan_plan_options)MPLAN_PLAN_OPTIONS_INIT;
    mplan_status status = mplan_options_take(options, given, "plan options", err);
    if (status != MPLAN_OK)
        return status;
    if (!options->device)
        options->device = "h200";
    status = find_device(options->device, device, err);
    if (status != MPLAN_OK)
        return status;
    if (options->block_size < 0 || options->block_size > 1024)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "block size %d is not in 1 to 1024",
                          (int)options->block_size);
    if (options->block_threads < 0 || options->block_threads > device->max_threads ||
        options->block_threads % 32 != 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%d threads of a thread block are no multiple of 32 in 32 to %d",
                          (int)options->block_threads, (int)device->max_threads);
    if (options->max_points < 0 || options->max_points > 65535)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "at most %d points a block is not in 1 to 65535",
                          (int)options->max_points);
    if (options->shared_bytes < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "shared bytes are negative");
    if (!(options->imbalance >= 1.0 && options->imbalance <= 1024.0))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "imbalance %g is not in 1 to 1024",
                          options->imbalance);
    if (!(options->fill > 0 && options->fill <= 1))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "fill %g is not above 0 and at most 1",
                          options->fill);
    if (options->n_strategies < 0 || options->n_strategies > MPLAN_MAX_STRATEGIES)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%d strategies are not in 1 to %d",
                          (int)options->n_strategies, MPLAN_MAX_STRATEGIES);
    for (int32_t s = 0; s < options->n_strategies; s++) {
        if (!mplan_strategy_name(options->strategies[s]))
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "strategy %d is unknown",
                              (int)options->strategies[s]);
        for (int32_t k = 0; k < s; k++)
            if (options->strategies[k] == options->strategies[s])
                return mplan_fail(err, MPLAN_ERR_ARGUMENT, "strategy %s is asked for twice",
                                  mplan_strategy_name(options->strategies[s]));
    }
    if (!mplan_partitioner_name(options->partitioner) || !mplan_renumber_name(options->renumber) ||
        !mplan_sums_name(options->sums) || !mplan_encoding_name(options->encoding) ||
        !mplan_effort_name(options->effort) || !mplan_graph_name(options->graph) ||
        !mplan_point_order_name(options->point_order))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "an option is out of range");
    return MPLAN_OK;
}

/* "name version" lines of meshplan and of the libraries that took part. */
static void versions_text(const mplan_plan_options *options, const planning *plan, char *text,
                          size_t size)
{
    bool metis = options->partitioner == MPLAN_PARTITIONER_METIS;
    bool scotch = options->partitioner == MPLAN_PARTITIONER_SCOTCH;
    for (int32_t s = 0; s < plan->n_sets; s++)
        scotch = scotch || plan->sets[s].renumber == MPLAN_RENUMBER_SCOTCH_GPS;
    int used = snprintf(text, size, "meshplan %s\n", mplan_version());
    for (int32_t i = 0; mplan_library(i); i++) {
        const char *library = mplan_library(i);
        if ((metis && strncmp(library, "metis ", 6) == 0) ||
            (scotch && strncmp(library, "scotch ", 7) == 0))
            used += snprintf(text + used, size - (size_t)used, "%s\n", library);
    }
}

/* Records of loops and args; variants come with their tables. */
static mplan_status add_loops(planning *plan, mplan_error *err)
{
    for (int32_t l = 0; l < plan->n_loops; l++) {
        const mplan_loop *loop = plan->loops[l].loop;
        mplan_plan_arg *args = mplan_alloc(loop->n_args, sizeof *args, err);
        if (!args)
            return MPLAN_ERR_MEMORY;
        for (int32_t a = 0; a < loop->n_args; a++) {
            const mplan_arg *arg = &loop->args[a];
            args[a] = (mplan_plan_arg){arg->dat, plan->loops[l].arg_map[a], arg->access, arg->dim,
                                       arg->type, arg->map ? arg->none : MPLAN_NONE_REFUSE,
                                       plan->loops[l].arg_layout[a]};
        }
        mplan_plan_loop record = {.name = loop->name,
                                  .set = plan->loops[l].set,
                                  .primary = l == plan->primary,
                                  .calls = loop->calls,
                                  .flops = loop->flops,
                                  .n_args = loop->n_args,
                                  .args = args};
        mplan_status status = mplan_plan_add_loop(plan->plan, &record, err);
        free(args);
        if (status != MPLAN_OK)
            return status;
    }
    return MPLAN_OK;
}

/* Orders of one set, and global ids where it was split. */
static mplan_status add_set(planning *plan, int32_t s, mplan_error *err)
{
    planning_set *set = &plan->sets[s];
    const mplan_mesh_set_data *data = &plan->mesh->sets[set->mesh_set];
    mplan_plan_set record = {.name = data->name,
                             .size = set->size,
                             .storage_size = set->storage,
                             .split = data->split ? data->split : "",
                             .renumber = set->renumber,
                             .kept = set->kept};
    memcpy(record.bandwidth, set->bandwidth, sizeof record.bandwidth);
    memcpy(record.profile, set->profile, sizeof record.profile);
    int32_t *old_of_new = NULL;
    mplan_status status = mplan_plan_add_set(plan->plan, &record, err);
    if (status == MPLAN_OK)
        status = mplan_table_invert(set->size, set->new_of_old, set->storage, &old_of_new, err);
    if (status == MPLAN_OK)
        status = mplan_plan_take_array(plan->plan, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, s),
                                       MPLAN_TYPE_I32, set->storage, 1, old_of_new, err);
    if (status == MPLAN_OK && data->global_ids) {
        int64_t *ids = mplan_copy(data->global_ids, set->size, sizeof *ids, err);
        status = ids ? mplan_plan_take_array(plan->plan, mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, s),
                                             MPLAN_TYPE_I64, set->size, 1, ids, err)
                     : MPLAN_ERR_MEMORY;
    }
    return status;
}

/* Records only: entries go to the plan last, since every step before reads them. */
static mplan_status add_maps(planning *plan, mplan_error *err)
{
    for (int32_t m = 0; m < plan->n_maps; m++) {
        mplan_map map = mplan_planning_stored_map(plan, m);
        mplan_plan_map record = {map.name, map.from, map.to, map.arity, mplan_map_entries(&map)};
        mplan_status status = mplan_plan_add_map(plan->plan, &record, err);
        if (status != MPLAN_OK)
            return status;
    }
    return MPLAN_OK;
}

/* Stored maps and orders go to the plan last: every step before reads them. */
static mplan_status hand_over(planning *plan, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < plan->n_maps && status == MPLAN_OK; m++) {
        mplan_map map = mplan_planning_stored_map(plan, m);
        bool fixed = map.arity > 0;
        int64_t *offsets = plan->maps[m].offsets;
        int32_t *values = plan->maps[m].values;
        int64_t rows = fixed ? map.n_rows : mplan_map_entries(&map);
        plan->maps[m].offsets = NULL;
        plan->maps[m].values = NULL;
        status = mplan_plan_take_array(plan->plan, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, m),
                                       MPLAN_TYPE_I32, rows, fixed ? map.arity : 1, values, err);
        if (status == MPLAN_OK && offsets)
            status = mplan_plan_take_array(plan->plan, mplan_key_of_map(MPLAN_KIND_MAP_OFFSETS, m),
                                           MPLAN_TYPE_I64, map.n_rows + 1, 1, offsets, err);
        else
            free(offsets);
    }
    for (int32_t s = 0; s < plan->n_sets && status == MPLAN_OK; s++) {
        int32_t *order = plan->sets[s].new_of_old;
        plan->sets[s].new_of_old = NULL;
        status = mplan_plan_take_array(plan->plan, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, s),
                                       MPLAN_TYPE_I32, plan->sets[s].size, 1, order, err);
    }
    return status;
}

/* Topology over the sets and maps of the plan, in its order; coordinates if any
 * set has some. */
static mplan_status fingerprints(planning *plan, mplan_error *err)
{
    mplan_fingerprints *prints = &plan->plan->fingerprints;
    int32_t *sets = mplan_alloc(plan->n_sets, sizeof *sets, err);
    int32_t *maps = mplan_alloc(plan->n_maps, sizeof *maps, err);
    mplan_status status = sets && maps ? MPLAN_OK : MPLAN_ERR_MEMORY;
    bool any = false;
    for (int32_t s = 0; s < plan->n_sets && status == MPLAN_OK; s++) {
        sets[s] = plan->sets[s].mesh_set;
        any = any || plan->mesh->sets[sets[s]].coordinates;
    }
    for (int32_t m = 0; m < plan->n_maps && status == MPLAN_OK; m++)
        maps[m] = plan->maps[m].mesh_map;
    if (status == MPLAN_OK)
        status = mplan_mesh_fingerprint_topology(plan->mesh, plan->n_sets, sets, plan->n_maps, maps,
                                                 &prints->topology, err);
    if (status == MPLAN_OK && any)
        status = mplan_mesh_fingerprint_coordinates(plan->mesh, plan->n_sets, sets,
                                                    &prints->coordinates, err);
    free(sets);
    free(maps);
    return status;
}

/* Of the bytes of the text, without its final zero. */
static mplan_status fingerprint_text(const char *text, uint64_t *value, mplan_error *err)
{
    mplan_fingerprint *print = mplan_fingerprint_begin();
    if (print)
        mplan_fingerprint_bytes(print, text, strlen(text));
    return mplan_fingerprint_end(print, value)
               ? MPLAN_OK
               : mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory");
}

/* Request and versions. */
static mplan_status add_texts(planning *plan, mplan_error *err)
{
    char versions[256];
    char *request = mplan_planning_request(plan, err);
    if (!request)
        return MPLAN_ERR_MEMORY;
    versions_text(plan->options, plan, versions, sizeof versions);
    mplan_status status = mplan_plan_set_texts(plan->plan, request, versions, err);
    if (status == MPLAN_OK)
        status = fingerprint_text(request, &plan->plan->fingerprints.request, err);
    free(request);
    return status;
}

/* From resolved loops to a complete, unsealed plan. */
static mplan_status build(planning *plan, mplan_error *err)
{
    mplan_status status = mplan_planning_order(plan, err);
    double start = mplan_planning_clock(), colour = plan->times.colour,
           partition = plan->times.partition;
    if (status == MPLAN_OK)
        status = mplan_heed(plan->context, "tables", 0, 1, err);
    if (status == MPLAN_OK)
        status = mplan_planning_store_maps(plan, err);
    for (int32_t s = 0; s < plan->n_sets && status == MPLAN_OK; s++)
        status = add_set(plan, s, err);
    if (status == MPLAN_OK)
        status = add_maps(plan, err);
    if (status == MPLAN_OK)
        status = add_loops(plan, err);
    if (status == MPLAN_OK)
        status = mplan_planning_block_sets(plan, err);
    if (status == MPLAN_OK)
        status = fingerprints(plan, err);
    if (status == MPLAN_OK)
        status = add_texts(plan, err);
    if (status == MPLAN_OK)
        status = hand_over(plan, err);
    if (status == MPLAN_OK)
        status = mplan_plan_seal(plan->plan, err);
    plan->times.tables = mplan_planning_clock() - start - (plan->times.colour - colour) -
                         (plan->times.partition - partition);
    return status;
}

/* *out is set only after the plan has been sealed and, unless switched off,
 * proved. */
mplan_status mplan_plan_create(mplan_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                               const mplan_plan_options *options, const mplan_context *context,
                               mplan_plan **out, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(mesh);
    if (n_loops > 0)
        MPLAN_NEED(loops);
    if (!out)
        return mplan_fail_null(err, __func__, "plan");
    mplan_plan_options asked, chosen;
    mplan_threaded threaded;
    context = mplan_threaded_open(context, &threaded);
    planning plan = {.mesh = mesh, .asked = &asked, .options = &chosen, .context = context,
                     .curve_share = 1};
    mplan_status status = mplan_planning_options(options, &asked, &plan.device, err);
    chosen = asked;
    double start = mplan_planning_clock();
    mplan_progress(context, "derive", 0, 1);
    if (status == MPLAN_OK)
        status = mplan_mesh_check_memory(mesh, context, err);
    if (status == MPLAN_OK)
        status = mplan_planning_resolve(&plan, n_loops, loops, err);
    if (status == MPLAN_OK)
        status = mplan_planning_choose(&plan, &chosen, err);
    plan.times.derive = mplan_planning_clock() - start;
    if (status == MPLAN_OK)
        status = mplan_plan_new(&plan.plan, err);
    if (status == MPLAN_OK)
        status = build(&plan, err);
    if (status == MPLAN_OK) {
        plan.plan->times = plan.times;
        *out = plan.plan;
        plan.plan = NULL;
    }
    mplan_progress(context, "tables", 1, 1);
    mplan_planning_free(&plan);
    mplan_threaded_close(&threaded);
    return status;
}
