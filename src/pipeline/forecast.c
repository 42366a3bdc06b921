/* SPDX-License-Identifier: Apache-2.0 */
/* forecast.c - what a plan would be: the choices, and sizes by estimate, without making it
 *
 * Takes the first two steps of planning (resolve, choose), which decide everything but orders and blocks; what those
 * lead to is estimated. Of nine plans for meshes of 800 to 720,000 cells plan_bytes was 0.86 to 1.16 of what the file
 * had, memory_bytes 0.8 to 1.6 of the peak (tests/cli/plan_dry_run.sh). */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/number_text.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "base/threads.h"
#include "mesh/mesh.h"
#include "pipeline/cost_model.h"
#include "pipeline/loop_shape.h"
#include "pipeline/plan_request.h"
#include "pipeline/side_by_side.h"
#include "pipeline/steps.h"

/* Bytes an element of the working memory of planning: orders and sorting, and what the native
 * partitioner keeps (tools/RESULTS.md: 34 to 99). */
enum { WORK_BYTES = 40, NATIVE_BYTES = 60, FILE_HEAD = 4096, PROCESS_BYTES = 3 << 20 };

/* Entries of a map of the plan: those of the mesh's map, before it is stored. */
static int64_t entries_of(const planning *p, int32_t map)
{
    mplan_map view = mplan_planning_mesh_map(p, map);
    return mplan_map_entries(&view);
}

/* Orders, both ways, of every set, and the maps in 32-bit numbers, with offsets where they are
 * ragged. */
static int64_t base_bytes(const planning *p)
{
    int64_t bytes = FILE_HEAD;
    for (int32_t s = 0; s < p->n_sets; s++)
        bytes += 8 * p->sets[s].size;
    for (int32_t m = 0; m < p->n_maps; m++) {
        mplan_map map = mplan_planning_mesh_map(p, m);
        bytes += 4 * mplan_map_entries(&map) + (map.arity ? 0 : 8 * map.n_rows);
    }
    return bytes;
}

/* (block, point) pairs: the model's estimate. */
static double pairs_of(const mplan_loop_shape *shape, int32_t block_size)
{
    double blocks = ceil((double)shape->elements / block_size);
    double pairs = shape->points ? blocks * mplan_cost_points_per_block(shape, block_size) : 0;
    return fmin(pairs, (double)shape->entries);
}

/* Of every loop: 16-bit local ids of its entries and lists of points. */
static double block_bytes(const planning *p, const planning_loop *loop, double pairs)
{
    double entries = 0;
    for (int32_t m = 0; m < loop->n_maps; m++)
        entries += (double)entries_of(p, loop->maps[m]);
    return 2 * entries + 4 * pairs;
}

/* The tables of a strategy (formats/plan-format.md, section 5). */
static double strategy_bytes(mplan_strategy strategy, const mplan_loop_shape *shape, double pairs)
{
    double n = (double)shape->elements, entries = (double)shape->entries;
    switch (mplan_strategy_way(strategy)) {
    case MPLAN_TRAIT_GLOBAL_COLOURS: return 8 * n;
    case MPLAN_TRAIT_THREAD_COLOURS: return 2 * n;
    case MPLAN_TRAIT_SLOT_LISTS: return 4 * entries + 8 * (double)shape->points;
    case MPLAN_TRAIT_RECORDS: return 2 * n * shape->local_columns + 2 * entries + 8 * pairs;
    case MPLAN_TRAIT_OWNERS: return 4 * entries + 4 * (double)shape->points;
    default: return 0;
    }
}

/* A profile all of whose rates are unlimited but the one that is kept; MPLAN_N_RATES: none is. */
static mplan_device only_rate(const mplan_device *device, int kept)
{
    static const double UNLIMITED = 1e30;
    mplan_device out = *device;
    for (int r = 0; r < MPLAN_N_RATES; r++)
        if (r != kept)
            *mplan_device_rate(&out, (mplan_rate)r) = UNLIMITED;
    return out;
}

/* What the model says of every strategy; infinite where section 10 of the specification, or the
 * loop's maps, keep it from the loop. */
static void judge(const planning *p, const planning_loop *loop, const mplan_loop_shape *shape,
                  mplan_forecast_loop *out)
{
    for (int s = 0; s < MPLAN_N_STRATEGIES; s++) {
        const mplan_strategy strategy = (mplan_strategy)s;
        const bool runs = mplan_planning_may_run(loop, strategy);
        const int32_t size = p->options->block_size;
        out->seconds[s] = runs ? mplan_cost_seconds(shape, &p->device, strategy, loop->sums, size)
                               : HUGE_VAL;
        for (int r = 0; r <= MPLAN_N_RATES; r++) {
            const mplan_device one = only_rate(&p->device, r);
            out->bounds[s][r] = runs ? mplan_cost_seconds(shape, &one, strategy, loop->sums, size)
                                     : HUGE_VAL;
        }
    }
}

/* A loop that writes through no map has nothing to gather: it runs by atomic then (step_colour.c). */
static mplan_strategy planned_strategy(const planning_loop *loop, int32_t v)
{
    mplan_strategy strategy = loop->strategies[v];
    for (int32_t m = 0; m < loop->n_maps; m++)
        if (loop->map_written[m])
            return strategy;
    return mplan_strategy_has(strategy, MPLAN_TRAITS_GATHER) ? MPLAN_STRATEGY_ATOMIC : strategy;
}

/* bytes: the tables of the loop are added. */
static mplan_status forecast_loop(const planning *p, const planning_loop *loop,
                                  mplan_forecast_loop *out, double *bytes, mplan_error *err)
{
    mplan_loop_shape shape;
    mplan_status status = mplan_planning_shape(p, loop, &shape, err);
    if (status)
        return status;
    double pairs = pairs_of(&shape, p->options->block_size);
    out->loop = loop->loop->name;
    out->over = loop->loop->over;
    out->elements = shape.elements;
    out->n_strategies = loop->n_strategies;
    judge(p, loop, &shape, out);
    *bytes += block_bytes(p, loop, pairs);
    for (int32_t s = 0; s < loop->n_strategies; s++) {
        out->strategies[s] = planned_strategy(loop, s);
        *bytes += strategy_bytes(out->strategies[s], &shape, pairs);
    }
    return MPLAN_OK;
}

/* All that is in memory at once: the mesh, the plan, and room to work for the largest loop. */
static double memory_of(const planning *p, double plan_bytes)
{
    double mesh = 0, largest = 0;
    for (int32_t m = 0; m < mplan_mesh_n_maps(p->mesh); m++) {
        mplan_map map = mplan_mesh_map(p->mesh, m);
        mesh += 4 * (double)mplan_map_entries(&map) + (map.arity ? 0 : 8 * (double)map.n_rows);
    }
    for (int32_t s = 0; s < mplan_mesh_n_sets(p->mesh); s++) {
        int32_t dimension;
        if (mplan_mesh_coordinates(p->mesh, s, &dimension))
            mesh += 8.0 * dimension * (double)mplan_mesh_set(p->mesh, s).size;
    }
    for (int32_t l = 0; l < p->n_loops; l++)
        largest = fmax(largest, (double)p->sets[p->loops[l].set].size);
    double work = p->options->partitioner == MPLAN_PARTITIONER_NONE ? WORK_BYTES : NATIVE_BYTES;
    return PROCESS_BYTES + mesh + plan_bytes + work * largest;
}

/* The first steps of mplan_plan_create. */
static mplan_status choose(planning *p, mplan_error *err)
{
    mplan_status status = mplan_plan_new(&p->plan, err);
    if (!status)
        status = mplan_heed(p->context, "derive", 0, 1, err);
    if (!status)
        status = mplan_step_resolve(p, err);
    return status ? status : mplan_step_choose(p, err);
}

/* out: zeroed, filled here; released by the caller, also after a failure. */
static mplan_status fill(planning *p, mplan_forecast *out, mplan_error *err)
{
    double bytes = (double)base_bytes(p);
    out->chosen = p->asked->n_strategies == 0;
    mplan_text_format(out->device, sizeof out->device, "%s", p->device.name);
    out->copy_rate = p->device.copy_rate;
    out->launch = mplan_cost_launch(&p->device);
    out->block_size = p->options->block_size;
    out->partitioner = p->options->partitioner;
    out->renumber = p->options->renumber;
    out->point_order = p->options->point_order;
    out->request = mplan_planning_request(p, err);
    out->loops = mplan_alloc_zero(p->n_loops, sizeof *out->loops, err);
    if (!out->request || !out->loops)
        return MPLAN_ERR_MEMORY;
    mplan_status status = MPLAN_OK;
    for (; out->n_loops < p->n_loops && !status; out->n_loops++)
        status = forecast_loop(p, &p->loops[out->n_loops], &out->loops[out->n_loops], &bytes, err);
    out->plan_bytes = (int64_t)bytes;
    out->memory_bytes = (int64_t)memory_of(p, bytes);
    return status;
}

/* The steps of mplan_plan_create as far as `choose`, then estimates in their place: nothing as
 * large as the mesh is allocated but what the mesh derives. *out is set only after success. */
mplan_status mplan_plan_forecast(mplan_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                                 const mplan_plan_options *options, const mplan_context *context,
                                 mplan_forecast **out, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(mesh);
    if (n_loops > 0)
        MPLAN_NEED(loops);
    if (!out)
        return mplan_fail_null(err, __func__, "forecast");
    mplan_plan_options held[2];
    mplan_threaded threaded;
    planning p;
    mplan_forecast *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    context = mplan_threaded_open(context, &threaded);
    mplan_status status = mplan_planning_begin(mesh, n_loops, loops, options, context, held, &p, err);
    if (!status)
        status = choose(&p, err);
    if (!status)
        status = fill(&p, made, err);
    mplan_progress(context, "derive", 1, 1);
    mplan_planning_free(&p);
    mplan_threaded_close(&threaded);
    if (status)
        mplan_forecast_free(made);
    else
        *out = made;
    return status;
}

void mplan_forecast_free(mplan_forecast *forecast)
{
    if (!forecast)
        return;
    free(forecast->request);
    free(forecast->loops);
    free(forecast);
}
