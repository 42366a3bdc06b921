/* SPDX-License-Identifier: Apache-2.0 */
/* host_elements.c - global colours, and atomic adds
 *
 * Elements of one global colour share no point that they increment, so they run
 * side by side; each point gets its increments colour by colour. */
#include <assert.h>

#include "exec/host/host.h"

/* Colour by colour; elements of one colour by threads. */
void mplan_host_global_colour(mplan_exec_loop *bound)
{
    assert(bound);
    mplan_host_call call = bound->host;
    for (int64_t k = 0; k < bound->call.n_launches; k++) {
        int64_t begin, end;
        call.elements = bound->call.list;
        if (mplan_host_clip(&bound->call, k, &begin, &end))
            mplan_host_iterations(bound, &call, begin, end);
    }
}

/* Elements [first, first + n), n <= MPLAN_HOST_CHUNK. Increments are kept and then added here:
 * the file that a kernel comes from may be compiled by whatever compiler, and its own adds would
 * not be atomic. */
static void run_chunk(const mplan_exec_loop *bound, int64_t first, int64_t n,
                      mplan_host_thread *thread)
{
    mplan_host_call call = bound->host;
    call.first = first;
    call.mode = MPLAN_HOST_STORE;
    for (int32_t a = 0; a < bound->loop->n_args; a++)
        call.arg[a].out = thread->out[a];
    bound->kernel->run(&call, 0, n);
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        if (!mplan_exec_increments(bound->loop, a))
            continue;
        int32_t arity = bound->kernel->args[a].arity;
        int64_t bytes = mplan_host_member_bytes(bound, a);
        for (int64_t i = 0; i < n; i++) {
            int32_t slots;
            const int32_t *row = mplan_host_row(bound, a, first + i, &slots);
            for (int32_t s = 0; s < slots; s++)
                if (row[s] >= 0) /* rows of holes hold none */
                    mplan_host_add_point(bound, a, row[s],
                                         (const char *)thread->out[a] + (i * arity + s) * bytes,
                                         bound->n_threads > 1);
        }
    }
}

/* Chunks of the elements of the range, so that results stay in a cache. */
static void run_chunks(void *data, int thread, int64_t begin, int64_t end)
{
    const mplan_exec_loop *bound = data;
    for (int64_t first = begin; first < end; first += MPLAN_HOST_CHUNK)
        run_chunk(bound, bound->call.first + first,
                  end - first < MPLAN_HOST_CHUNK ? end - first : MPLAN_HOST_CHUNK,
                  &bound->thread[thread]);
}

void mplan_host_atomic(mplan_exec_loop *bound)
{
    assert(bound);
    mplan_host_for(bound, bound->call.end - bound->call.first, 4 * MPLAN_HOST_CHUNK, run_chunks,
                   bound);
}
