/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - the host executor: what its strategies share, and which one runs */
#include "exec/host/host.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "exec/globals.h"
#include "plan/strategies.h"

/* --- what a thread works with ------------------------------------------------------- */

/* Most iterations of one call to the kernel that keeps its increments or rows. */
static int64_t call_iterations(const mplan_exec_loop *bound)
{
    const uint32_t traits = mplan_strategy_traits(bound->call.strategy);
    if (traits & MPLAN_TRAIT_BLOCKS)
        return bound->call.block_limit;
    if (traits & MPLAN_TRAIT_OWNERS)
        return 1;
    return traits & MPLAN_TRAIT_ATOMIC ? MPLAN_HOST_CHUNK : 0;
}

/* The next piece of an arena, at a multiple of 64 so that threads share no line; NULL while
 * there is no arena, when only *used, its size, is of interest. */
static void *take(char *arena, int64_t *used, int64_t bytes)
{
    void *piece = arena ? arena + *used : NULL;
    *used += (bytes + 63) / 64 * 64;
    return piece;
}

/* Gives a thread its arrays and returns their bytes. Called twice: first without an arena, for
 * its size. Args of one map share its rows. */
static int64_t carve(const mplan_exec_loop *bound, mplan_host_thread *thread)
{
    const mplan_plan_loop *loop = bound->loop;
    int64_t used = 0, n = call_iterations(bound);
    char *arena = thread->arena;
    thread->elements = take(arena, &used, n * (int64_t)sizeof(int32_t));
    thread->order = take(arena, &used, n * (int64_t)sizeof(int32_t));
    thread->counts = take(arena, &used, (n + 2) * (int64_t)sizeof(int32_t));
    for (int32_t a = 0; a < loop->n_args; a++) {
        if (loop->args[a].map < 0)
            continue;
        int32_t arity = bound->kernel->args[a].arity, first = bound->first_of_map[a];
        int64_t bytes = mplan_host_member_bytes(bound, a);
        thread->rows[a] = first < a ? thread->rows[first]
                                    : take(arena, &used, n * arity * (int64_t)sizeof(int32_t));
        if (!mplan_exec_increments(loop, a))
            continue;
        thread->out[a] = take(arena, &used, n * arity * bytes);
        thread->sums[a] = take(arena, &used, bytes);
    }
    return used;
}

/* Data and strides of all args; the rest of the call changes from chunk to
 * chunk. */
static void start_call(mplan_exec_loop *bound)
{
    mplan_host_call *host = &bound->host;
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        const mplan_exec_dat *dat = &bound->exec->dats[bound->dat[a]];
        host->arg[a].data = mplan_exec_launch_data(dat);
        host->arg[a].rows = bound->call.arg[a].rows;
        host->arg[a].row_offsets = bound->call.arg[a].row_offsets;
        mplan_exec_strides(dat, &host->arg[a].member_stride, &host->arg[a].component_stride);
        if (dat->layout == MPLAN_LAYOUT_SOA)
            host->arg[a].component_stride = mplan_exec_launch_stride(dat);
        if (mplan_exec_changes_global(bound->loop, a))
            mplan_exec_leaves_of(bound, a, &host->arg[a]);
    }
    host->parameters = bound->call.parameters;
    host->old_of_new = bound->call.old_of_new;
}

/* For each thread an arena that is carved into what the strategy needs. */
mplan_status mplan_host_prepare(mplan_exec_loop *bound, mplan_error *err)
{
    assert(bound);
    start_call(bound);
    bound->n_threads = bound->exec->threads;
    bound->thread = mplan_alloc_zero(bound->n_threads, sizeof *bound->thread, err);
    if (!bound->thread)
        return MPLAN_ERR_MEMORY;
    for (int32_t t = 0; t < bound->n_threads; t++) {
        mplan_host_thread *thread = &bound->thread[t];
        int64_t bytes = carve(bound, thread);
        thread->arena = mplan_alloc_aligned(bytes, 1, err);
        if (!thread->arena)
            return MPLAN_ERR_MEMORY;
        carve(bound, thread);
        bound->exec->bytes += bytes;
    }
    return MPLAN_OK;
}

void mplan_host_release(mplan_exec_loop *bound)
{
    assert(bound);
    for (int32_t t = 0; bound->thread && t < bound->n_threads; t++)
        free(bound->thread[t].arena);
    free(bound->thread);
    bound->thread = NULL;
}

/* --- which one ---------------------------------------------------------------------- */

/* The serial executor takes elements in stored order, whatever the strategy. */
void mplan_host_run(mplan_exec_loop *bound)
{
    assert(bound && (bound->thread || bound->n_threads == 0));
    if (bound->exec->executor == MPLAN_EXECUTOR_SERIAL) {
        bound->kernel->run(&bound->host, bound->call.first, bound->call.end);
        return;
    }
    switch (mplan_strategy_way(bound->call.strategy)) {
    case MPLAN_TRAIT_GLOBAL_COLOURS: mplan_host_global_colour(bound); break;
    case MPLAN_TRAIT_THREAD_COLOURS: mplan_host_block_colour(bound); break;
    case MPLAN_TRAIT_SLOT_LISTS: mplan_host_two_step(bound); break;
    case MPLAN_TRAIT_ATOMIC: mplan_host_atomic(bound); break;
    case MPLAN_TRAIT_RECORDS: mplan_host_block_gather(bound); break;
    case MPLAN_TRAIT_OWNERS: mplan_host_owner_gather(bound); break;
    default: break; /* every strategy has one of these */
    }
}
