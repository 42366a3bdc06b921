/* SPDX-License-Identifier: Apache-2.0 */
/* host_owner_gather.c - each point recomputes its elements
 *
 * formats/plan-format.md, section 9. A point runs the element of each of its entries,
 * takes the increments of the entry's column, and adds the sum to the dat at the end.
 * What an element writes directly is written by the owner of its first column. */
#include <assert.h>
#include <string.h>

#include "exec/host/host.h"
#include "plan/packed.h"

enum { ROWS = MPLAN_OWNER_SLICE };

/* An element, and which of its columns is added to the point. */
typedef struct owner_entry {
    int64_t element;
    int32_t column; /* -1: none */
} owner_entry;

/* Code of an entry of index32 or index16 at a place of slice s; -1: none. */
static int32_t code_at(const mplan_launch_call *call, int64_t s, int64_t at)
{
    if (call->encoding == MPLAN_ENCODING_INDEX32)
        return ((const int32_t *)call->owner_entries)[at];
    int32_t v = ((const uint16_t *)call->owner_entries)[at];
    int64_t first = call->owner_escape_offsets[s];
    int32_t n_escapes = (int32_t)(call->owner_escape_offsets[s + 1] - first);
    if (v == MPLAN_NONE16)
        return -1;
    return v >= MPLAN_NONE16 - n_escapes ? call->owner_escapes[first + MPLAN_INDEX16_ESCAPE(v)]
                                         : call->owner_base[s] + v;
}

/* Neighbour, rank and column in 32 bits; the element is among those whose
 * lower point is the lower of the two. */
static owner_entry decode_pair(const mplan_launch_call *call, int64_t at, int64_t p)
{
    int32_t code = ((const int32_t *)call->owner_entries)[at];
    if (code == -1)
        return (owner_entry){0, -1};
    int64_t neighbour = p + MPLAN_PAIR_DISTANCE(code);
    int64_t row = neighbour < p ? neighbour : p;
    return (owner_entry){call->owner_row_start[row] + MPLAN_PAIR_RANK(code), MPLAN_PAIR_COLUMN(code)};
}

/* The entry at `at` in slice s, of point p; element 0 and column -1 where there
 * is none. */
static owner_entry decode(const mplan_launch_call *call, int64_t s, int64_t at, int64_t p)
{
    if (call->encoding == MPLAN_ENCODING_PAIR32)
        return decode_pair(call, at, p);
    int32_t code = code_at(call, s, at);
    if (code < 0)
        return (owner_entry){0, -1};
    return (owner_entry){code / call->columns, code % call->columns};
}

/* The element's first increment column with a point. */
static int32_t first_column(const mplan_exec_loop *bound, int64_t e)
{
    int32_t first = INT32_MAX;
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        const mplan_launch_arg *arg = &bound->call.arg[a];
        if (!mplan_exec_increments(bound->loop, a))
            continue;
        int32_t arity = bound->kernel->args[a].arity;
        for (int32_t s = 0; s < arity; s++)
            if (arg->rows[e * arity + s] >= 0 && arg->first_column + s < first)
                first = arg->first_column + s;
    }
    return first;
}

/* Runs the element into thread->out and adds the slot that belongs to the point. Every element
 * runs once for each of its entries; only the run for its first column keeps what it writes
 * directly. */
static void add_entry(const mplan_exec_loop *bound, mplan_host_call *call, owner_entry entry,
                      mplan_host_thread *thread)
{
    call->first = entry.element;
    call->keep_direct = first_column(bound, entry.element) != entry.column;
    bound->kernel->run(call, 0, 1);
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        if (!mplan_exec_increments(bound->loop, a))
            continue;
        const mplan_plan_arg *about = &bound->loop->args[a];
        int32_t slot = entry.column - bound->call.arg[a].first_column;
        if (slot >= 0 && slot < bound->kernel->args[a].arity)
            mplan_host_add(about->type, thread->sums[a], 1,
                           (const char *)thread->out[a] + slot * mplan_host_member_bytes(bound, a),
                           about->dim);
    }
}

/* Row r of the tables, below n_points. Its entries come first and then none, so that the first
 * none ends it. A point without entries is not touched. */
static void run_row(const mplan_exec_loop *bound, int64_t r, mplan_host_thread *thread)
{
    const mplan_launch_call *tables = &bound->call;
    mplan_host_call call = bound->host;
    int64_t s = r / ROWS, p = r;
    int64_t begin = tables->width ? s * tables->width : tables->owner_offsets[s];
    int64_t end = tables->width ? begin + tables->width : tables->owner_offsets[s + 1];
    bool any = false;
    if (tables->owner_points)
        p = MPLAN_OWNER_WINDOW_OF(r) + tables->owner_points[r];
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        call.arg[a].out = thread->out[a];
        if (thread->sums[a])
            memset(thread->sums[a], 0, (size_t)mplan_host_member_bytes(bound, a));
    }
    call.mode = MPLAN_HOST_STORE;
    for (int64_t k = begin; k < end; k++) {
        owner_entry entry = decode(tables, s, k * ROWS + r % ROWS, p);
        if (entry.column < 0)
            break; /* what is left of a row is none */
        add_entry(bound, &call, entry, thread);
        any = true;
    }
    for (int32_t a = 0; a < bound->loop->n_args && any; a++)
        if (thread->sums[a])
            mplan_host_add_point(bound, a, p, thread->sums[a], false);
}

/* Rows [begin, end); each point has one row, so that threads never meet. */
static void run_rows(void *data, int thread, int64_t begin, int64_t end)
{
    const mplan_exec_loop *bound = data;
    for (int64_t r = begin; r < end; r++)
        run_row(bound, r, &bound->thread[thread]);
}

void mplan_host_owner_gather(mplan_exec_loop *bound)
{
    assert(bound);
    mplan_host_for(bound, bound->call.n_points, MPLAN_OWNER_WINDOW, run_rows, bound);
}
