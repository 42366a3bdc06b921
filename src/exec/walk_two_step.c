/* walk_two_step.c - results of every slot, then sums by point
 *
 * The temporary array has the shape of the stored map; a point adds its slots in the
 * order of its list, from zero, and the sum to the dat. */
#include <string.h>

#include "exec/walk.h"

static void gather_point(const mplan_exec_loop *bound, int32_t a, int64_t p, char *sum)
{
    const mplan_device_arg *arg = &bound->call.arg[a];
    const mplan_plan_arg *about = &bound->loop->args[a];
    int64_t bytes = mplan_walk_member_bytes(bound, a);
    int64_t begin = arg->gather_offsets[p], end = arg->gather_offsets[p + 1];
    if (begin == end)
        return;
    memset(sum, 0, (size_t)bytes);
    for (int64_t i = begin; i < end; i++)
        mplan_walk_add(about->type, sum, 1,
                       (const char *)arg->scratch + arg->gather_slots[i] * bytes, about->dim);
    mplan_walk_add_point(bound, a, p, sum, false);
}

void mplan_walk_two_step(mplan_exec_loop *bound)
{
    mplan_host_call call = bound->host;
    call.mode = MPLAN_HOST_STORE;
    for (int32_t a = 0; a < bound->loop->n_args; a++)
        call.arg[a].out = bound->call.arg[a].scratch;
    mplan_walk_iterations(bound, &call, bound->call.n_elements);
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        if (!mplan_exec_increments(bound->loop, a))
            continue;
        int64_t n = bound->call.arg[a].set_size;
#pragma omp parallel for schedule(static) num_threads(bound->n_threads)
        for (int64_t p = 0; p < n; p++)
            gather_point(bound, a, p, bound->thread[mplan_thread_index()].sums[a]);
    }
}
