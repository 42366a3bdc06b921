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

/* --- windows16 ---------------------------------------------------------------------- */

/* Rows of the maps of an element that the map itself tells, into the thread's. */
static void copy_rows(const mplan_exec_loop *bound, int64_t e, const mplan_host_thread *thread)
{
    for (int32_t a = 0; a < bound->loop->n_args; a++)
        for (int32_t s = 0; thread->rows[a] && s < bound->kernel->args[a].arity; s++)
            thread->rows[a][s] = bound->call.arg[a].rows[e * bound->kernel->args[a].arity + s];
}

/* One entry of windows16 where it is kept. */
typedef struct window_entry {
    const int32_t *window; /* words of its slice */
    const uint16_t *slice; /* fields of its slice */
    int64_t lane, number;  /* of the row; of its first field in the row */
    int32_t together;
    int64_t rows; /* of the slice */
} window_entry;

static int32_t field_of(const window_entry *entry, int32_t f)
{
    return entry->slice[mplan_field_at(entry->lane, entry->number + f, entry->together, entry->rows)];
}

/* The neighbour (f 0), the element or a point of another map. */
static int32_t number_of(const window_entry *entry, int32_t f)
{
    const int32_t field = field_of(entry, f);
    return entry->window[MPLAN_FIELD_WINDOW(field)] + MPLAN_FIELD_PLACE(field) / (f == 0 ? 2 : 1);
}

/* Whether an arg has the loop's increment map, by whichever arg that comes first. */
static bool is_increment_map(const mplan_exec_loop *bound, int32_t a)
{
    for (int32_t b = 0; b < bound->loop->n_args; b++)
        if (mplan_exec_increments(bound->loop, b) && bound->first_of_map[b] == bound->first_of_map[a])
            return true;
    return false;
}

/* The entry's numbers in order: points of its element into the thread's rows, the element where
 * direct args need it (else 0). p: the row's point. */
static owner_entry unfold(const mplan_exec_loop *bound, const window_entry *from, int32_t p,
                          const mplan_host_thread *thread)
{
    owner_entry entry = {0, MPLAN_FIELD_COLUMN(field_of(from, 0))};
    int32_t f = 1;
    for (int32_t a = 0; a < bound->loop->n_args && f == 1; a++)
        if (mplan_arg_is_of_element(&bound->loop->args[a]))
            entry.element = number_of(from, f++);
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        if (bound->loop->args[a].map < 0 || bound->first_of_map[a] < a)
            continue;
        if (is_increment_map(bound, a)) {
            thread->rows[a][entry.column] = p;
            thread->rows[a][1 - entry.column] = number_of(from, 0);
            continue;
        }
        for (int32_t s = 0; s < bound->kernel->args[a].arity; s++)
            thread->rows[a][s] = number_of(from, f++);
    }
    return entry;
}

/* Entry k of row r in a slice without windows. */
static owner_entry decode_plain(const mplan_exec_loop *bound, int64_t r, int64_t k, int32_t last,
                                const mplan_host_thread *thread)
{
    const int64_t column = MPLAN_WINDOW_PLAIN((int64_t)last) + k, rows = bound->call.owner_slice;
    const int32_t code = bound->call.owner_plain[column * rows + r % rows];
    if (code < 0)
        return (owner_entry){0, -1};
    copy_rows(bound, code / 2, thread);
    return (owner_entry){code / 2, code % 2};
}

/* Entry k of row r of windows16; the points of its element go into the thread's rows. */
static owner_entry decode_windows(const mplan_exec_loop *bound, int64_t r, int64_t k, int32_t p,
                                  const mplan_host_thread *thread)
{
    const mplan_launch_call *call = &bound->call;
    const int64_t rows = call->owner_slice;
    const int64_t s = r / rows, first = call->width ? s * call->width : call->owner_offsets[s];
    const window_entry from = {
        call->owner_windows + s * MPLAN_WINDOW_WORDS,
        (const uint16_t *)call->owner_entries + rows * first * call->owner_fields,
        r % rows,
        k * call->owner_fields,
        mplan_fields_together(call->owner_fields, call->owner_by_entry ? 0 : call->width),
        rows};
    const int32_t last = from.window[MPLAN_WINDOW_WORDS - 1];
    if (last < 0)
        return decode_plain(bound, r, k, last, thread);
    return field_of(&from, 0) == MPLAN_NONE16 ? (owner_entry){0, -1}
                                              : unfold(bound, &from, p, thread);
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
    call->keep_direct = bound->call.encoding == MPLAN_ENCODING_WINDOWS16
                            ? entry.column != 0 /* both points are there */
                            : first_column(bound, entry.element) != entry.column;
    bound->kernel->run(call, 0, 1);
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        if (!mplan_exec_increments(bound->loop, a))
            continue;
        const mplan_plan_arg *about = &bound->loop->args[a];
        int32_t slot = entry.column - bound->call.arg[a].first_column;
        if (slot >= 0 && slot < bound->kernel->args[a].arity)
            mplan_host_add(about, thread->sums[a], 1,
                           (const char *)thread->out[a] + slot * mplan_host_member_bytes(bound, a));
    }
}

/* Maps are read from the thread's rows; no entry leads to a hole. */
static void take_rows(const mplan_exec_loop *bound, mplan_host_call *call,
                      const mplan_host_thread *thread)
{
    call->rows_by_iteration = true;
    call->old_of_new = NULL;
    for (int32_t a = 0; a < bound->loop->n_args; a++)
        if (thread->rows[a])
            call->arg[a].rows = thread->rows[a];
}

/* Row r of the tables, below n_points. Its entries come first and then none, so that the first
 * none ends it. A point without entries is not touched,
 * but where its dat was cleared. */
static void run_row(const mplan_exec_loop *bound, int64_t r, mplan_host_thread *thread)
{
    const mplan_launch_call *tables = &bound->call;
    mplan_host_call call = bound->host;
    const int64_t rows = tables->owner_slice;
    int64_t s = r / rows, p = r;
    int64_t begin = tables->width ? s * tables->width : tables->owner_offsets[s];
    int64_t end = tables->width ? begin + tables->width : tables->owner_offsets[s + 1];
    bool any = false;
    if (tables->owner_points)
        p = MPLAN_OWNER_WINDOW_OF(r) + tables->owner_points[r];
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        call.arg[a].out = thread->out[a];
        if (thread->sums[a])
            mplan_host_clear(&bound->loop->args[a], thread->sums[a]);
    }
    call.mode = MPLAN_HOST_STORE;
    const bool windows = tables->encoding == MPLAN_ENCODING_WINDOWS16;
    if (windows)
        take_rows(bound, &call, thread);
    for (int64_t k = begin; k < end; k++) {
        owner_entry entry = windows ? decode_windows(bound, r, k - begin, (int32_t)p, thread)
                                    : decode(tables, s, k * rows + r % rows, p);
        if (entry.column < 0)
            break; /* what is left of a row is none */
        add_entry(bound, &call, entry, thread);
        any = true;
    }
    for (int32_t a = 0; a < bound->loop->n_args; a++)
        if (thread->sums[a])
            mplan_host_put_point(bound, a, p, thread->sums[a], any);
}

/* Rows [begin, end) of the range; each point has one row, so that threads never meet. */
static void run_rows(void *data, int thread, int64_t begin, int64_t end)
{
    const mplan_exec_loop *bound = data;
    for (int64_t r = bound->call.first + begin; r < bound->call.first + end; r++)
        run_row(bound, r, &bound->thread[thread]);
}

void mplan_host_owner_gather(mplan_exec_loop *bound)
{
    assert(bound);
    mplan_host_for(bound, bound->call.end - bound->call.first, MPLAN_OWNER_WINDOW, run_rows, bound);
}
