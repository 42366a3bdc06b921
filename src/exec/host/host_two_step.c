/* SPDX-License-Identifier: Apache-2.0 */
/* host_two_step.c - results of every slot, then sums by point
 *
 * The temporary array has the shape of the stored map; a point adds its slots in the
 * order of its list, from zero, and the sum to the dat. */
#include <assert.h>
#include <string.h>

#include "exec/host/host.h"

/* All slots of point p, in their order, then one addition to the dat. */
static void gather_point(const mplan_exec_loop *bound, int32_t a, int64_t p, char *sum)
{
    const mplan_launch_arg *arg = &bound->call.arg[a];
    const mplan_plan_arg *about = &bound->loop->args[a];
    int64_t bytes = mplan_host_member_bytes(bound, a);
    int64_t begin = arg->gather_offsets[p], end = arg->gather_offsets[p + 1];
    mplan_host_clear(about, sum);
    for (int64_t i = begin; i < end; i++)
        mplan_host_add(about, sum, 1, (const char *)arg->scratch + arg->gather_slots[i] * bytes);
    mplan_host_put_point(bound, a, p, sum, begin < end);
}

typedef struct gathering {
    const mplan_exec_loop *bound;
    int32_t arg;
} gathering;

/* Points [begin, end) of the set that arg leads to. */
static void gather_points(void *data, int thread, int64_t begin, int64_t end)
{
    const gathering *work = data;
    for (int64_t p = begin; p < end; p++)
        gather_point(work->bound, work->arg, p, work->bound->thread[thread].sums[work->arg]);
}

/* Results of every slot of the range first, then, with the rest, the sums by point. */
void mplan_host_two_step(mplan_exec_loop *bound)
{
    assert(bound);
    mplan_host_call call = bound->host;
    call.mode = MPLAN_HOST_STORE;
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        call.arg[a].out = bound->call.arg[a].scratch;
        call.arg[a].out_by_entry = true;
    }
    mplan_host_iterations(bound, &call, bound->call.first, bound->call.end);
    for (int32_t a = 0; a < bound->loop->n_args && bound->call.rest; a++) {
        if (!mplan_exec_increments(bound->loop, a))
            continue;
        gathering work = {bound, a};
        mplan_host_for(bound, bound->call.arg[a].set_size, MPLAN_HOST_POINTS, gather_points, &work);
    }
}
