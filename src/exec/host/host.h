/* SPDX-License-Identifier: Apache-2.0 */
/* host.h - the host executor: strategies on the host, from the plan's own tables
 *
 * The host executor runs the kernel in the order, and adds in the order, that the tables
 * of its variant say. Its iterations may run side by side wherever the strategy
 * keeps them apart, so that the number of threads changes no bit of the result (atomic
 * adds excepted). Launches allocate nothing. */
#ifndef MPLAN_EXEC_HOST_H
#define MPLAN_EXEC_HOST_H

#include "exec/exec.h"

/* Iterations that one call to a kernel keeps the increments of; blocks, rows and points that a
 * thread takes at a time. */
#define MPLAN_HOST_CHUNK 256
#define MPLAN_HOST_BLOCKS 4
#define MPLAN_HOST_POINTS 1024

/* Allocates what the threads of a launch need. */
mplan_status mplan_host_prepare(mplan_exec_loop *bound, mplan_error *err);
void mplan_host_release(mplan_exec_loop *bound);
/* Runs the loop under its executor and strategy, with the parameters and the range of bound->call. */
void mplan_host_run(mplan_exec_loop *bound);

/* One per strategy. */
void mplan_host_global_colour(mplan_exec_loop *bound);
void mplan_host_block_colour(mplan_exec_loop *bound);
void mplan_host_two_step(mplan_exec_loop *bound);
void mplan_host_atomic(mplan_exec_loop *bound);
void mplan_host_block_gather(mplan_exec_loop *bound);
void mplan_host_owner_gather(mplan_exec_loop *bound);

/* A loop over 0 ... n - 1 by the executor's threads; work gets the bound loop, or what holds it. */
static inline void mplan_host_for(const mplan_exec_loop *bound, int64_t n, int64_t piece,
                                  mplan_work *work, void *data)
{
    mplan_for(bound->n_threads > 1 ? bound->exec->team : NULL, n, piece, work, data);
}
/* What the range of the launch has of launch k by colours: positions [*begin, *end) of the list. */
static inline bool mplan_host_clip(const mplan_launch_call *call, int64_t k, int64_t *begin,
                                   int64_t *end)
{
    *begin = call->launch_offsets[k] < call->first ? call->first : call->launch_offsets[k];
    *end = call->launch_offsets[k + 1] > call->end ? call->end : call->launch_offsets[k + 1];
    return *begin < *end;
}
/* Runs the kernel over iterations [begin, end) of a call, by all threads. */
void mplan_host_iterations(const mplan_exec_loop *bound, const mplan_host_call *call, int64_t begin,
                           int64_t end);
/* Row of element e in the stored map of arg a, and how many entries it has. */
static inline const int32_t *mplan_host_row(const mplan_exec_loop *bound, int32_t a, int64_t e,
                                            int32_t *n)
{
    const mplan_launch_arg *arg = &bound->call.arg[a];
    const int32_t arity = bound->kernel->args[a].arity;
    *n = arg->row_offsets ? (int32_t)(arg->row_offsets[e + 1] - arg->row_offsets[e]) : arity;
    return arg->rows + (arg->row_offsets ? arg->row_offsets[e] : e * arity);
}
/* The same row into arity slots, of which those behind it hold -1. */
static inline void mplan_host_copy_row(const mplan_exec_loop *bound, int32_t a, int64_t e, int32_t *to)
{
    int32_t n;
    const int32_t *row = mplan_host_row(bound, a, e, &n);
    for (int32_t s = 0; s < bound->kernel->args[a].arity; s++)
        to[s] = s < n ? row[s] : -1;
}
/* The arg's dim numbers of `from` are added to to[0], to[stride], ..., or compared with them. */
void mplan_host_add(const mplan_plan_arg *about, void *to, int64_t stride, const void *from);
/* The same by atomic adds. */
void mplan_host_add_atomic(const mplan_plan_arg *about, void *to, int64_t stride, const void *from);
/* A sum of one member to which nothing has been added. */
void mplan_host_clear(const mplan_plan_arg *about, void *sum);
/* Adds one member to point p of the dat of arg a. */
void mplan_host_add_point(const mplan_exec_loop *bound, int32_t a, int64_t p, const void *from,
                          bool atomic);
/* The only sum that point p gets in this launch, stored where the dat was cleared. any: whether an
 * element touches the point. */
void mplan_host_put_point(const mplan_exec_loop *bound, int32_t a, int64_t p, const void *from,
                          bool any);
/* Bytes of one member of arg a. */
int64_t mplan_host_member_bytes(const mplan_exec_loop *bound, int32_t a);

#endif
