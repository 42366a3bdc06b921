/* SPDX-License-Identifier: Apache-2.0 */
/* host_block_colour.c - blocks by colour, and by thread colour within a block
 *
 * Sulyok et al. 2019, section 3. Points are reached as the device reaches them, by
 * the block's list and its local ids; they are added to where they are, not to a
 * staged copy, so that sums differ from the device's by rounding. */
#include <assert.h>
#include <string.h>

#include "exec/host/host.h"
#include "plan/packed.h"

/* Positions of a block by thread colour, ascending within one; returns how many. */
static int32_t order_positions(const mplan_exec_loop *bound, int64_t block, mplan_host_thread *thread)
{
    const mplan_launch_call *call = &bound->call;
    int64_t first = call->block_offsets[block];
    int32_t n = (int32_t)(call->block_offsets[block + 1] - first);
    int32_t n_colours = call->block_thread_colours[block], *count = thread->counts;
    const uint16_t *colour = call->thread_colours + first;
    memset(count, 0, (size_t)(n_colours + 1) * sizeof *count);
    for (int32_t i = 0; i < n; i++)
        if (colour[i] != MPLAN_NONE16)
            count[colour[i] + 1]++;
    for (int32_t c = 0; c < n_colours; c++)
        count[c + 1] += count[c];
    int32_t n_there = count[n_colours];
    for (int32_t i = 0; i < n; i++)
        if (colour[i] != MPLAN_NONE16)
            thread->order[count[colour[i]]++] = i;
    return n_there;
}

/* Rows of the map of arg a for the positions in their order. */
static void resolve_rows(const mplan_exec_loop *bound, int32_t a, int64_t block, int32_t n,
                         mplan_host_thread *thread)
{
    const mplan_launch_arg *arg = &bound->call.arg[a];
    int32_t arity = bound->kernel->args[a].arity;
    if (arg->row_offsets) { /* kernels do not stage points of ragged maps */
        for (int64_t i = 0; i < n; i++)
            mplan_host_copy_row(bound, a, thread->elements[i], thread->rows[a] + i * arity);
        return;
    }
    const int32_t *point = arg->points + arg->point_offsets[block];
    const uint16_t *local = arg->local + bound->call.block_offsets[block] * arity;
    for (int64_t i = 0; i < n; i++)
        for (int32_t s = 0; s < arity; s++) {
            int32_t id = local[(int64_t)thread->order[i] * arity + s];
            thread->rows[a][i * arity + s] = id == MPLAN_NONE16 ? -1 : point[id];
        }
}

/* Elements by thread colour. Increments go to the dat itself: other blocks of the launch touch
 * none of its points, and one thread runs the whole block. */
static void run_block(const mplan_exec_loop *bound, int64_t block, mplan_host_thread *thread)
{
    mplan_host_call call = bound->host;
    int64_t first = bound->call.block_offsets[block];
    int32_t n = order_positions(bound, block, thread);
    for (int32_t i = 0; i < n; i++) {
        int64_t position = first + thread->order[i];
        thread->elements[i] = bound->call.sequence ? bound->call.sequence[position]
                                                   : (int32_t)position;
    }
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        if (bound->loop->args[a].map >= 0 && bound->first_of_map[a] == a)
            resolve_rows(bound, a, block, n, thread);
        call.arg[a].rows = thread->rows[a];
    }
    call.elements = thread->elements;
    call.rows_by_iteration = true;
    bound->kernel->run(&call, 0, n);
}

typedef struct launch {
    const mplan_exec_loop *bound;
    const int32_t *list; /* of its blocks */
} launch;

/* Blocks [begin, end) of the launch's list. */
static void run_blocks(void *data, int thread, int64_t begin, int64_t end)
{
    const launch *work = data;
    for (int64_t i = begin; i < end; i++)
        run_block(work->bound, work->list[i], &work->bound->thread[thread]);
}

/* Launch by launch; blocks of one launch by threads. */
void mplan_host_block_colour(mplan_exec_loop *bound)
{
    assert(bound);
    for (int64_t k = 0; k < bound->call.n_launches; k++) {
        int64_t begin, end;
        if (!mplan_host_clip(&bound->call, k, &begin, &end))
            continue;
        launch work = {bound, bound->call.list + begin};
        mplan_host_for(bound, end - begin, MPLAN_HOST_BLOCKS, run_blocks, &work);
    }
}
