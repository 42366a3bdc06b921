/* SPDX-License-Identifier: Apache-2.0 */
/* bind_check_owner.c - tables of owner-gather: every entry leads to an element
 *
 * formats/plan-format.md, section 9. Entries are decoded as kernels decode them; kernels
 * ask no element whether it is a hole, so no entry leads to one. */
#include <assert.h>

#include "exec/binding/bind_check.h"

enum { SLICE = MPLAN_OWNER_SLICE };

/* What the entries of one variant are made of; NULL: not in its encoding. */
typedef struct owner_view {
    const mplan_bind_check *check;
    int64_t n_points, n_elements, n_codes; /* codes below n_codes are elements' */
    int32_t columns;
    const int64_t *offsets, *escape_offsets;
    const void *entries;
    const int32_t *base, *row_start;
    const uint8_t *points;
    int32_t width;
} owner_view;

/* First column of entries of slice s; of the slice behind the last, their number. */
static int64_t first_column(const owner_view *view, int64_t s)
{
    return view->offsets ? view->offsets[s] : s * view->width;
}

/* Whether a code that is not none leads to an element. */
static bool is_element(const owner_view *view, int64_t code)
{
    return code >= 0 && code < view->n_codes &&
           !mplan_bind_is_hole(view->check, code / view->columns);
}

/* Whether the entry at place i is none or leads to an element. */
static bool index32_place(const owner_view *view, int64_t i)
{
    const int32_t code = ((const int32_t *)view->entries)[i];
    return code == -1 || is_element(view, code);
}

/* Whether the entry leads to an element, is none, or is one of so many escapes, which
 * check_escapes looks at in their own list. */
static bool index16_place(const owner_view *view, int64_t s, int64_t i)
{
    const int64_t escapes = view->escape_offsets[s + 1] - view->escape_offsets[s];
    const int64_t v = ((const uint16_t *)view->entries)[i];
    return v >= MPLAN_NONE16 - escapes || is_element(view, view->base[s] + v);
}

/* The point of row r, below n_points. */
static int64_t point_of(const owner_view *view, int64_t r)
{
    return view->points ? MPLAN_OWNER_WINDOW_OF(r) + view->points[r] : r;
}

/* Rows behind the set's points have no entries. */
static bool pair32_place(const owner_view *view, int64_t s, int64_t i)
{
    const int32_t code = ((const int32_t *)view->entries)[i];
    const int64_t r = SLICE * s + i % SLICE;
    if (code == -1)
        return true;
    if (r >= view->n_points)
        return false;
    const int64_t p = point_of(view, r), neighbour = p + MPLAN_PAIR_DISTANCE(code);
    if (neighbour < 0 || neighbour >= view->n_points)
        return false;
    const int64_t e = view->row_start[neighbour < p ? neighbour : p] + MPLAN_PAIR_RANK(code);
    return e < view->n_elements && !mplan_bind_is_hole(view->check, e);
}

/* Slice s: the first wrong entry, INT64_MAX if all are right. */
static int64_t slice_of_entries(const void *context, int64_t s)
{
    const owner_view *view = context;
    for (int64_t i = SLICE * first_column(view, s); i < SLICE * first_column(view, s + 1); i++)
        if (view->row_start ? !pair32_place(view, s, i)
            : view->base    ? !index16_place(view, s, i)
                            : !index32_place(view, i))
            return i;
    return INT64_MAX;
}

/* Elements, and offsets for each slice. */
static mplan_status check_escapes(const owner_view *view)
{
    const mplan_key key = mplan_bind_variant_key(view->check, MPLAN_KIND_OWNER_ESCAPES);
    int64_t n;
    const int32_t *escape = mplan_bind_find(view->check, key, MPLAN_TYPE_I32, &n);
    if (!escape)
        return MPLAN_ERR_CORRUPT;
    for (int64_t i = 0; i < n; i++)
        if (!is_element(view, escape[i]))
            return mplan_bind_wrong(view->check, key, i);
    return mplan_bind_offsets(view->check,
                              mplan_bind_variant_key(view->check, MPLAN_KIND_OWNER_ESCAPE_OFFSETS),
                              n, MPLAN_NONE16);
}

/* Adds what this encoding needs to the view. */
static mplan_status open_index16(owner_view *view)
{
    const mplan_bind_check *check = view->check;
    int64_t rows;
    mplan_status status = check_escapes(view);
    if (status)
        return status;
    view->escape_offsets = mplan_bind_find(check,
                                           mplan_bind_variant_key(check,
                                                                  MPLAN_KIND_OWNER_ESCAPE_OFFSETS),
                                           MPLAN_TYPE_I64, &rows);
    view->base = mplan_bind_find(check, mplan_bind_variant_key(check, MPLAN_KIND_OWNER_BASE),
                                 MPLAN_TYPE_I32, &rows);
    return view->base ? MPLAN_OK : MPLAN_ERR_CORRUPT;
}

/* Kernels decode pairs for loops of one increment map of arity 2, and for no others. */
static mplan_status open_pair32(owner_view *view)
{
    const mplan_bind_check *check = view->check;
    const mplan_key key = mplan_bind_variant_key(check, MPLAN_KIND_OWNER_ROW_START);
    const mplan_plan_loop *loop = check->bound->loop;
    int64_t rows;
    for (int32_t a = 0; a < loop->n_args; a++)
        if (mplan_exec_increments(loop, a) &&
            mplan_plan_get_map(check->plan, loop->args[a].map)->arity != view->columns)
            return mplan_bind_wrong(check, key, 0);
    if (view->columns != 2)
        return mplan_bind_wrong(check, key, 0);
    view->row_start = mplan_bind_find(check, key, MPLAN_TYPE_I32, &rows);
    return view->row_start ? mplan_bind_ids(check, key, 0, view->n_elements + 1) : MPLAN_ERR_CORRUPT;
}

/* Rows lead to points of the set. */
static mplan_status open_windows(owner_view *view)
{
    const mplan_key key = mplan_bind_variant_key(view->check, MPLAN_KIND_OWNER_POINTS);
    int64_t rows;
    view->points = mplan_bind_find(view->check, key, MPLAN_TYPE_U8, &rows);
    if (!view->points)
        return MPLAN_ERR_CORRUPT;
    for (int64_t r = 0; r < view->n_points; r++)
        if (point_of(view, r) >= view->n_points)
            return mplan_bind_wrong(view->check, key, r);
    return MPLAN_OK;
}

/* What the encoding has beside its entries. */
static mplan_status open_encoding(owner_view *view)
{
    switch (view->check->bound->chosen->encoding) {
    case MPLAN_ENCODING_INDEX16: return open_index16(view);
    case MPLAN_ENCODING_PAIR32: return open_pair32(view);
    default: return MPLAN_OK;
    }
}

/* By encoding; every entry must lead to an element and a column. */
mplan_status mplan_bind_owners(const mplan_bind_check *check)
{
    assert(check);
    const mplan_plan_variant *chosen = check->bound->chosen;
    const mplan_launch_call *call = &check->bound->call;
    const bool small = chosen->encoding == MPLAN_ENCODING_INDEX16;
    const mplan_key key = mplan_bind_variant_key(check, MPLAN_KIND_OWNER_ENTRIES);
    const mplan_key offsets_key = mplan_bind_variant_key(check, MPLAN_KIND_OWNER_OFFSETS);
    const int64_t codes = call->n_elements * call->columns;
    owner_view view = {.check = check,
                       .n_points = call->n_points,
                       .n_elements = call->n_elements,
                       .n_codes = codes < INT32_MAX ? codes : INT32_MAX,
                       .columns = call->columns,
                       .width = chosen->width};
    int64_t n_entries, rows;
    mplan_status status = MPLAN_OK;
    view.entries = mplan_bind_find(check, key, small ? MPLAN_TYPE_U16 : MPLAN_TYPE_I32, &n_entries);
    if (!view.entries)
        return MPLAN_ERR_CORRUPT;
    if (view.width == 0) {
        status = mplan_bind_offsets(check, offsets_key, n_entries / SLICE, INT64_MAX);
        view.offsets = mplan_bind_find(check, offsets_key, MPLAN_TYPE_I64, &rows);
    }
    if (!status && chosen->window)
        status = open_windows(&view);
    if (!status)
        status = open_encoding(&view);
    if (status)
        return status;
    const int64_t n_slices = MPLAN_OWNER_SLICES(view.n_points);
    const int64_t bad = mplan_bind_first_wrong(check, n_slices, slice_of_entries, &view);
    return bad < INT64_MAX ? mplan_bind_wrong(check, key, bad) : MPLAN_OK;
}
