/* SPDX-License-Identifier: Apache-2.0 */
/* host_layers.c - loops with layers on the host: the strategies of flat loops, with columns in place of elements
 *
 * Each strategy adds in the order that the device's kernels add in, but for atomic adds and, within a column, colours.
 * Threads share columns or points, so that their number changes no bit. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "exec/host/host.h"
#include "exec/dat_levels.h"
#include "plan/strategies.h"

/* Elements or points that a thread takes at a time. */
enum { PIECE = 16 };

/* Room for the increments of a whole column, or for a sum and those of a layer, per thread; or, by blocks, for a sum and
 * the layers that are kept of every position of a block. */
mplan_status mplan_host_prepare_layers(mplan_exec_loop *bound, mplan_error *err)
{
    assert(bound && bound->layers);
    const int32_t threads = bound->exec->threads;
    const mplan_layers_call *call = &bound->layers->call;
    const int64_t members = mplan_strategy_has(call->strategy, MPLAN_TRAIT_BLOCKS)
                                ? (int64_t)mplan_host_kept_layers(call) * call->blocks.longest
                                : call->layers;
    bound->n_threads = threads;
    bound->layers->thread_out = mplan_alloc_zero((int64_t)threads * MPLAN_LAYER_ARGS,
                                                 sizeof(void *), err);
    if (!bound->layers->thread_out)
        return MPLAN_ERR_MEMORY;
    for (int32_t t = 0; t < threads; t++)
        for (int32_t a = 0; a < bound->loop->n_args; a++) {
            const mplan_plan_arg *arg = &bound->loop->args[a];
            if (!mplan_exec_increments(bound->loop, a))
                continue;
            void *room = mplan_alloc((members * arg->layers.n_slots + 1) * arg->dim,
                                     mplan_type_size(arg->type), err);
            if (!room)
                return MPLAN_ERR_MEMORY;
            bound->layers->thread_out[t * MPLAN_LAYER_ARGS + a] = room;
        }
    return MPLAN_OK;
}

/* --- colours, atomic adds ----------------------------------------------------------------------- */

typedef struct work {
    const mplan_exec_loop *bound;
    int64_t first; /* of a launch: place of the list, element or point */
    int32_t a;     /* two-step */
} work;

static void run_listed(void *data, int thread, int64_t begin, int64_t end)
{
    const work *w = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        mplan_host_run_column(w->bound, w->bound->layers->call.list[w->first + i], NULL);
}

static void run_colours(const mplan_exec_loop *bound)
{
    const mplan_layers_call *call = &bound->layers->call;
    for (int64_t k = 0; k < call->n_launches; k++) {
        work w = {bound, call->launch_offsets[k], 0};
        mplan_host_for(bound, call->launch_offsets[k + 1] - w.first, PIECE, run_listed, &w);
    }
}

static void run_atomic(void *data, int thread, int64_t begin, int64_t end)
{
    const work *w = data;
    const mplan_exec_loop *bound = w->bound;
    const mplan_layers_call *call = &bound->layers->call;
    void *const *out = &bound->layers->thread_out[thread * MPLAN_LAYER_ARGS];
    for (int64_t e = w->first + begin; e < w->first + end; e++) {
        int32_t bottom, top;
        mplan_host_layers_of(call, e, &bottom, &top);
        mplan_host_run_column(bound, e, out);
        for (int32_t a = 0; a < bound->loop->n_args; a++) {
            const mplan_layer_data *arg = &call->arg[a];
            const int32_t slots = bound->loop->args[a].layers.n_slots;
            const int64_t bytes = mplan_host_member_bytes(bound, a);
            if (!mplan_exec_increments(bound->loop, a))
                continue;
            for (int32_t k = bottom; k < top; k++)
                for (int32_t s = 0; s < slots && mplan_host_is_there(call, e, k); s++) {
                    const int32_t p = arg->rows[e * arg->arity + arg->of[s]];
                    if (p >= 0)
                        mplan_host_add_level(bound, a, p, arg->offset[s] + (int64_t)arg->stride * k,
                                             (const char *)out[a] +
                                                 ((int64_t)(k - bottom) * slots + s) * bytes,
                                             bound->n_threads > 1);
                }
        }
    }
}

/* --- two steps ------------------------------------------------------------------------------------ */

static void store_results(void *data, int thread, int64_t begin, int64_t end)
{
    const mplan_exec_loop *bound = ((const work *)data)->bound;
    const mplan_layers_call *call = &bound->layers->call;
    (void)thread;
    for (int64_t e = begin; e < end; e++) {
        void *out[MPLAN_LAYER_ARGS] = {NULL};
        int32_t bottom, top;
        mplan_host_layers_of(call, e, &bottom, &top);
        for (int32_t a = 0; a < bound->loop->n_args; a++)
            if (call->arg[a].scratch)
                out[a] = (char *)call->arg[a].scratch + (e * call->layers + bottom) *
                                                            bound->loop->args[a].layers.n_slots *
                                                            mplan_host_member_bytes(bound, a);
        mplan_host_run_column(bound, e, out);
    }
}

/* Levels of points [begin, end): the slots of a point in the order of its list, then of the view. */
static void gather_results(void *data, int thread, int64_t begin, int64_t end)
{
    const work *w = data;
    const mplan_exec_loop *bound = w->bound;
    const mplan_layers_call *call = &bound->layers->call;
    const mplan_layer_data *arg = &call->arg[w->a];
    const mplan_plan_arg *about = &bound->loop->args[w->a];
    const int64_t bytes = mplan_host_member_bytes(bound, w->a);
    char *sum = bound->layers->thread_out[thread * MPLAN_LAYER_ARGS + w->a];
    for (int64_t p = begin; p < end; p++)
        for (int32_t j = 0; j < about->layers.levels; j++) {
            bool any = false;
            mplan_host_clear(about, sum);
            for (int64_t i = arg->gather_offsets[p]; i < arg->gather_offsets[p + 1]; i++) {
                const int64_t e = arg->gather_slots[i] / arg->arity;
                for (int32_t s = 0; s < about->layers.n_slots; s++) {
                    int32_t k;
                    if (arg->of[s] != arg->gather_slots[i] % arg->arity ||
                        !mplan_host_layer_at(call, arg, e, s, j, &k))
                        continue;
                    mplan_host_add(about, sum, 1,
                                   (const char *)arg->scratch +
                                       ((e * call->layers + k) * about->layers.n_slots + s) * bytes);
                    any = true;
                }
            }
            if (any)
                mplan_host_add_level(bound, w->a, p, j, sum, false);
        }
}

static void run_two_step(const mplan_exec_loop *bound)
{
    work w = {bound, 0, 0};
    mplan_host_for(bound, bound->layers->call.n_elements, PIECE, store_results, &w);
    for (w.a = 0; w.a < bound->loop->n_args; w.a++)
        if (bound->layers->args[w.a].scratch)
            mplan_host_for(bound, bound->layers->args[w.a].list_points, PIECE, gather_results, &w);
}

/* --- by owners -------------------------------------------------------------------------------------- */

/* Adds up what level j of point p gets into sums[a]; whether it gets anything. out: of the thread, the results of one
 * layer, behind the sums. */
static bool sum_level(const mplan_exec_loop *bound, int64_t p, int32_t j, void *const *out)
{
    const mplan_layers_call *call = &bound->layers->call;
    const mplan_layer_data *first = &call->arg[call->first_increment];
    const uint32_t mask = (UINT32_C(1) << call->list_bits) - 1;
    bool any = false;
    for (int32_t i = call->owner_start[p]; i < call->owner_start[p + 1]; i++) {
        const int64_t e = call->owner[i] >> call->list_bits;
        const int32_t s = (int32_t)(call->owner[i] & mask);
        void *layer[MPLAN_LAYER_ARGS] = {NULL};
        int32_t k;
        if (!mplan_host_layer_at(call, first, e, s, j, &k))
            continue;
        for (int32_t a = 0; a < bound->loop->n_args; a++)
            if (out[a])
                layer[a] = (char *)out[a] + mplan_host_member_bytes(bound, a);
        bound->layers->kernel->run(call, e, k, k + 1, layer);
        for (int32_t a = 0; a < bound->loop->n_args; a++)
            if (out[a])
                mplan_host_add(&bound->loop->args[a], out[a], 1,
                               (const char *)layer[a] + s * mplan_host_member_bytes(bound, a));
        any = true;
    }
    return any;
}

static void run_points(void *data, int thread, int64_t begin, int64_t end)
{
    const work *w = data;
    const mplan_exec_loop *bound = w->bound;
    void *const *out = &bound->layers->thread_out[thread * MPLAN_LAYER_ARGS];
    for (int64_t p = w->first + begin; p < w->first + end; p++)
        for (int32_t j = 0; j < bound->layers->call.levels; j++) {
            for (int32_t a = 0; a < bound->loop->n_args; a++)
                if (out[a])
                    mplan_host_clear(&bound->loop->args[a], out[a]);
            if (!sum_level(bound, p, j, out))
                continue;
            for (int32_t a = 0; a < bound->loop->n_args; a++)
                if (out[a])
                    mplan_host_add_level(bound, a, p, j, out[a], false);
        }
}

/* --- which one -------------------------------------------------------------------------------------- */

void mplan_host_run_layers(mplan_exec_loop *bound, const mplan_layers_call *call)
{
    assert(bound && bound->layers && call);
    work w = {bound, call->first, 0};
    memcpy(bound->layers->call.parameters, call->parameters, sizeof call->parameters);
    if (bound->exec->executor == MPLAN_EXECUTOR_SERIAL) {
        for (int64_t e = call->first; e < call->n_elements; e++)
            mplan_host_run_column(bound, e, NULL);
        return;
    }
    switch (mplan_strategy_way(call->strategy)) {
    case MPLAN_TRAIT_GLOBAL_COLOURS: run_colours(bound); break;
    case MPLAN_TRAIT_SLOT_LISTS: run_two_step(bound); break;
    case MPLAN_TRAIT_ATOMIC:
        mplan_host_for(bound, call->n_elements - call->first, PIECE, run_atomic, &w);
        break;
    case MPLAN_TRAIT_OWNERS:
        mplan_host_for(bound, call->n_points - call->first, PIECE, run_points, &w);
        break;
    case MPLAN_TRAIT_THREAD_COLOURS:
    case MPLAN_TRAIT_RECORDS: mplan_host_layer_blocks(bound); break;
    default: break; /* there are no others */
    }
}
