/* SPDX-License-Identifier: Apache-2.0 */
/* owner_windows.c - owner-gather's encoding windows16: what an entry leads to, in fields of 16 bits
 *
 * formats/plan-format.md, section 9. A kernel that reads an entry, then the row of its element, then the
 * data waits three times; here all numbers are in the entry itself, relative to windows of its slice.
 *
 * On an H200 airfoil took 69.6 us with pair32 and 58.6 so, flux2d 209 and 204; 2.4 windows a slice in the plane, 4.2 in space. */
#include "tables/owner_windows.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "plan/packed.h"
#include "tables/owner_rows.h"

/* Slices that are worth a thread's while. */
enum { SLICES = 64 };

/* A table that is being written. */
typedef struct windows_work {
    const mplan_owner_loop *loop;
    mplan_owner_rows rows;
    int32_t fields;   /* of an entry */
    int32_t together; /* that are side by side in a row */
    int64_t widest;   /* columns of a slice */
    int32_t *values;  /* of a slice for each thread */
    mplan_owner_table *out;
} windows_work;

static int32_t fields_of(const mplan_owner_loop *loop)
{
    int32_t n = 1 + loop->direct;
    for (int32_t m = 0; m < loop->n_others; m++)
        n += loop->others[m].arity;
    return n;
}

/* Whether all slots of a row have a point; the row of an element. */
static bool is_full(const mplan_map *map, int64_t e)
{
    for (int32_t s = 0; s < map->arity; s++)
        if (map->values[e * map->arity + s] < 0)
            return false;
    return true;
}

enum { ALL_THERE, LACKS_POINT, LACKS_OTHER, WAYS };

/* What element e lacks. */
static int way_of(const mplan_owner_loop *loop, int64_t e)
{
    const int32_t *pair = loop->maps[0].values + 2 * e;
    if (pair[0] < 0 && pair[1] < 0)
        return ALL_THERE; /* in no row: nobody computes it */
    if (pair[0] < 0 || pair[1] < 0)
        return LACKS_POINT;
    for (int32_t m = 0; m < loop->n_others; m++)
        if (!is_full(&loop->others[m], e))
            return LACKS_OTHER;
    return ALL_THERE;
}

/* The first of elements [begin, end) that lacks something, times WAYS, and what; INT64_MAX without one. */
static int64_t find_lack(void *data, int thread, int64_t begin, int64_t end)
{
    const mplan_owner_loop *loop = data;
    (void)thread;
    for (int64_t e = begin; e < end; e++)
        if (way_of(loop, e) != ALL_THERE)
            return WAYS * e + way_of(loop, e);
    return INT64_MAX;
}

/* What the encoding windows16 needs and the loop does not have, to complete "needs ..."; NULL
 * where it has all. Every element must have both points or none, and all slots of the other
 * maps. */
const char *mplan_table_windows_lack(const mplan_owner_loop *loop, mplan_team *team)
{
    enum { ELEMENTS = 1 << 15 };
    assert(loop && loop->maps && loop->n_maps > 0);
    if (loop->n_maps != 1 || loop->maps[0].arity != 2)
        return "increments through one map of two points";
    for (int32_t m = 0; m < loop->n_others; m++)
        if (loop->others[m].arity == 0)
            return "other maps with an arity";
    const int64_t first = mplan_for_least(team, loop->maps[0].n_rows, ELEMENTS, find_lack,
                                          (void *)(uintptr_t)loop, INT64_MAX);
    if (first == INT64_MAX)
        return NULL;
    return first % WAYS == LACKS_POINT ? "two points of every element that has one"
                                       : "a point in every slot of the other maps";
}

/* --- windows of a slice --------------------------------------------------------------- */

/* Fills value for slice s: all numbers that its entries lead to. n: places of the slice;
 * value[rows x column + lane + f x n] of field f, -1: none. */
static void collect(const windows_work *work, int64_t s, int64_t n, int32_t *value)
{
    const mplan_owner_rows *rows = &work->rows;
    const int32_t *pairs = work->loop->maps[0].values;
    for (int64_t i = 0; i < n; i++) {
        const int64_t r = s * rows->slice + i % rows->slice, k = i / rows->slice;
        int32_t *at = value + i;
        const bool there = k < mplan_owner_valence(rows, r);
        const int32_t code = there ? rows->codes[rows->begin[rows->point[r]] + k] : 0;
        *at = there ? pairs[code ^ 1] : -1;
        if (work->loop->direct)
            *(at += n) = there ? code / 2 : -1;
        for (int32_t m = 0; m < work->loop->n_others; m++) {
            const mplan_map *map = &work->loop->others[m];
            for (int32_t slot = 0; slot < map->arity; slot++)
                *(at += n) = there ? map->values[(int64_t)(code / 2) * map->arity + slot] : -1;
        }
    }
}

/* The least of n values at or above `low`; -1: none. Values of none are below any low. */
static int32_t least_from(const int32_t *value, int64_t n, int64_t low)
{
    int32_t least = -1;
    for (int64_t i = 0; i < n; i++)
        if (value[i] >= low && (least < 0 || value[i] < least))
            least = value[i];
    return least;
}

/* Windows of `size` members that hold all n values, each from the least that those before leave out
 * on: no others are fewer. first[*n_windows] and on; false when there is no room for all. */
static bool add_windows(const int32_t *value, int64_t n, int64_t size, int32_t *first,
                        int32_t *n_windows)
{
    for (int64_t low = 0;;) {
        const int32_t least = least_from(value, n, low);
        if (least < 0)
            return true;
        if (*n_windows == MPLAN_WINDOWS_MOST)
            return false;
        first[(*n_windows)++] = least;
        low = least + size;
    }
}

/* The windows [begin, end) hold the value. */
static int32_t window_of(const int32_t *first, int32_t begin, int32_t end, int32_t value)
{
    int32_t w = begin;
    while (w + 1 < end && first[w + 1] <= value)
        w++;
    return w;
}

/* Writes the fields of slice s, whose windows are known: those of neighbours are the first n_near. */
static void write_fields(const windows_work *work, int64_t s, int64_t n, const int32_t *values,
                         const int32_t *first, int32_t n_near, uint16_t *slice)
{
    const mplan_owner_rows *rows = &work->rows;
    for (int32_t f = 0; f < work->fields; f++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t r = s * rows->slice + i % rows->slice, k = i / rows->slice;
            const int32_t value = values[f * n + i];
            uint16_t *field = slice + mplan_field_at(i % rows->slice, k * work->fields + f,
                                                     work->together, rows->slice);
            *field = MPLAN_NONE16;
            if (value < 0)
                continue;
            const int32_t w = f == 0
                                  ? window_of(first, 0, n_near, value)
                                  : window_of(first, n_near, first[MPLAN_WINDOW_WORDS - 1], value);
            const int32_t column = rows->codes[rows->begin[rows->point[r]] + k] & 1;
            const int32_t place = value - first[w];
            *field = (uint16_t)MPLAN_FIELD(w, f == 0 ? 2 * place + column : place);
        }
}

/* Codes of the slices that did not fit; their last words say where. */
static mplan_status write_plain(const windows_work *work, mplan_owner_table *out, mplan_error *err)
{
    const mplan_owner_rows *rows = &work->rows;
    out->plain = mplan_alloc(rows->slice * out->n_plain, sizeof *out->plain, err);
    if (!out->plain)
        return MPLAN_ERR_MEMORY;
    for (int64_t s = 0; s < out->n_slices; s++) {
        const int32_t number = out->windows[(s + 1) * MPLAN_WINDOW_WORDS - 1];
        const int64_t n = rows->slice * (rows->first[s + 1] - rows->first[s]);
        for (int64_t i = 0; i < n && number < 0; i++) {
            const int64_t r = s * rows->slice + i % rows->slice, k = i / rows->slice;
            out->plain[rows->slice * (int64_t)MPLAN_WINDOW_PLAIN(number) + i] =
                k < mplan_owner_valence(rows, r) ? rows->codes[rows->begin[rows->point[r]] + k] : -1;
        }
    }
    return MPLAN_OK;
}

/* Windows and fields of one slice; where there are not enough windows, its last word is -1. value: scratch of the thread. */
static void write_slice(const windows_work *work, int64_t s, int32_t *value)
{
    const mplan_owner_rows *rows = &work->rows;
    const int64_t n = rows->slice * (rows->first[s + 1] - rows->first[s]);
    int32_t *first = work->out->windows + s * MPLAN_WINDOW_WORDS, n_windows = 0, n_near;
    uint16_t *slice = (uint16_t *)work->out->entries + rows->slice * work->fields * rows->first[s];
    collect(work, s, n, value);
    bool fits = add_windows(value, n, MPLAN_WINDOW_NEIGHBOURS, first, &n_windows);
    n_near = n_windows;
    fits = fits &&
           add_windows(value + n, n * (work->fields - 1), MPLAN_WINDOW_OTHERS, first, &n_windows);
    first[MPLAN_WINDOW_WORDS - 1] = fits ? n_windows : -1;
    if (fits) {
        write_fields(work, s, n, value, first, n_near, slice);
        return;
    }
    for (int32_t w = 0; w < MPLAN_WINDOWS_MOST; w++)
        first[w] = 0;
    for (int64_t i = 0; i < n * work->fields; i++)
        slice[i] = MPLAN_NONE16;
}

/* Slices [begin, end). */
static void write_some(void *data, int thread, int64_t begin, int64_t end)
{
    const windows_work *work = data;
    for (int64_t s = begin; s < end; s++)
        write_slice(work, s, work->values + thread * work->widest * work->rows.slice * work->fields);
}

/* All slices side by side; those that did not fit get their numbers in their order. */
static mplan_status write_slices(const windows_work *work, mplan_team *team, mplan_error *err)
{
    mplan_owner_table *out = work->out;
    mplan_for(team, out->n_slices, SLICES, write_some, (void *)(uintptr_t)work);
    for (int64_t s = 0; s < out->n_slices; s++) {
        int32_t *last = &out->windows[(s + 1) * MPLAN_WINDOW_WORDS - 1];
        if (*last >= 0)
            continue;
        *last = MPLAN_WINDOW_PLAIN((int32_t)out->n_plain);
        out->n_plain += work->rows.first[s + 1] - work->rows.first[s];
    }
    return write_plain(work, out, err);
}

/* Room for the table and for the values of its widest slice, for each thread. */
static mplan_status allocate(windows_work *work, int threads, mplan_error *err)
{
    mplan_owner_table *out = work->out;
    for (int64_t s = 0; s < out->n_slices; s++) {
        const int64_t columns = work->rows.first[s + 1] - work->rows.first[s];
        work->widest = columns > work->widest ? columns : work->widest;
    }
    work->values = mplan_alloc(threads * work->widest * work->rows.slice,
                               (size_t)work->fields * sizeof *work->values, err);
    out->windows = mplan_alloc_zero(out->n_slices * MPLAN_WINDOW_WORDS, sizeof *out->windows, err);
    out->entries = mplan_alloc(work->rows.slice * out->n_columns,
                               (size_t)work->fields * sizeof(uint16_t), err);
    return work->values && out->windows && out->entries ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Entries hold 16-bit numbers relative to a few windows per slice (add_windows). `together`:
 * whether the fields of an entry are stored side by side or by columns. After a failure *out is
 * empty. */
mplan_status mplan_table_windows(const mplan_owner_loop *loop, const mplan_row_order *order,
                                 mplan_owner_table *out, const mplan_context *context,
                                 mplan_error *err)
{
    assert(loop && order && out);
    windows_work work = {.loop = loop, .fields = fields_of(loop), .out = out};
    mplan_team *team = mplan_team_of(context);
    const char *lacks = mplan_table_windows_lack(loop, team);
    *out = (mplan_owner_table){0};
    if (lacks)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "encoding windows16 needs %s", lacks);
    mplan_status status = mplan_owner_rows_open(loop->maps, loop->n_maps, order, &work.rows, out,
                                                team, err);
    out->encoding = MPLAN_ENCODING_WINDOWS16;
    out->fields = work.fields;
    work.together = mplan_fields_together(work.fields, order->by_entry ? 0 : out->width);
    if (!status)
        status = mplan_interrupted(context, err);
    if (!status)
        status = allocate(&work, mplan_team_threads(team), err);
    if (!status)
        status = write_slices(&work, team, err);
    free(work.values);
    mplan_owner_rows_close(&work.rows, out);
    if (status)
        mplan_table_owner_free(out);
    return status;
}
