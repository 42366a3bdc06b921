/* SPDX-License-Identifier: Apache-2.0 */
/* bind_check_owner.c - tables of owner-gather: every entry leads to an element
 *
 * formats/plan-format.md, section 9. Entries are decoded as kernels decode them; kernels
 * ask no element whether it is a hole, so no entry leads to one. */
#include <assert.h>

#include "exec/binding/bind_check.h"

/* What the entries of one variant are made of; NULL: not in its encoding. */
typedef struct owner_view {
    const mplan_bind_check *check;
    int64_t rows;                          /* of a slice */
    int64_t n_points, n_elements, n_codes; /* codes below n_codes are elements' */
    int32_t columns;
    const int64_t *offsets, *escape_offsets;
    const void *entries;
    const int32_t *base, *row_start;
    const uint8_t *points;
    int32_t width;
    /* windows16: */
    const int32_t *windows, *plain;
    int64_t n_plain; /* columns of plain codes */
    int32_t fields, together;
    bool direct;                   /* the second field is the element */
    int64_t limit[MPLAN_MAX_ARGS]; /* members of what a field of kind 0 (neighbour), 1 ... leads to */
    int32_t fields_of[MPLAN_MAX_ARGS];
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
    const int64_t r = view->rows * s + i % view->rows;
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

/* --- windows16 ------------------------------------------------------------------------ */

/* Where the numbers of a slice are. */
typedef struct windows_slice {
    const int32_t *window;
    int64_t begin, columns; /* of entries */
    int64_t plain;          /* first column of plain codes; -1: the slice has windows */
} windows_slice;

/* Columns of slice s, and the windows that its 16-bit numbers are relative to; plain: the one column without them, -1
 * for none. */
static windows_slice open_slice(const owner_view *view, int64_t s)
{
    windows_slice slice = {view->windows + s * MPLAN_WINDOW_WORDS, first_column(view, s), 0, -1};
    const int64_t last = slice.window[MPLAN_WINDOW_WORDS - 1];
    slice.columns = first_column(view, s + 1) - slice.begin;
    slice.plain = last < 0 ? MPLAN_WINDOW_PLAIN(last) : -1;
    return slice;
}

/* Slice s: its last number, where that says too much; INT64_MAX: it does not. */
static int64_t wrong_word(const void *context, int64_t s)
{
    const owner_view *view = context;
    const windows_slice slice = open_slice(view, s);
    return slice.window[MPLAN_WINDOW_WORDS - 1] > MPLAN_WINDOWS_MOST ||
                   (slice.plain >= 0 && slice.plain > view->n_plain - slice.columns)
               ? (s + 1) * MPLAN_WINDOW_WORDS - 1
               : INT64_MAX;
}

/* Slice s: the first plain code that leads to no element or is behind the last point. */
static int64_t wrong_plain(const void *context, int64_t s)
{
    const owner_view *view = context;
    const windows_slice slice = open_slice(view, s);
    for (int64_t i = 0; slice.plain >= 0 && i < view->rows * slice.columns; i++) {
        const int32_t code = view->plain[view->rows * slice.plain + i];
        if (code != -1 &&
            (s * view->rows + i % view->rows >= view->n_points || !is_element(view, code)))
            return view->rows * slice.plain + i;
    }
    return INT64_MAX;
}

/* Whether field f, of a group, names a window of its slice and something that is there. */
static bool field_stays_inside(const owner_view *view, const int32_t *window, int32_t f,
                               int32_t group, int32_t field)
{
    if (MPLAN_FIELD_WINDOW(field) >= window[MPLAN_WINDOW_WORDS - 1])
        return false;
    const int64_t value = (int64_t)window[MPLAN_FIELD_WINDOW(field)] +
                          (f == 0 ? MPLAN_FIELD_PLACE(field) / 2 : MPLAN_FIELD_PLACE(field));
    return value >= 0 && value < view->limit[group] &&
           !(view->direct && f == 1 && mplan_bind_is_hole(view->check, value));
}

/* Place of the first wrong field of entry k of row r; INT64_MAX: none. An entry that is not there may
 * have any but the first. */
static int64_t wrong_field_of(const owner_view *view, const windows_slice *slice, int64_t r, int64_t k)
{
    const uint16_t *fields = view->entries;
    const int64_t begin = view->rows * slice->begin * view->fields;
    int32_t f = 0;
    for (int32_t group = 0; f < view->fields; group++)
        for (int32_t i = 0; i < view->fields_of[group]; i++, f++) {
            const int64_t at = begin + mplan_field_at(r % view->rows, k * view->fields + f,
                                                      view->together, view->rows);
            if (f == 0 && fields[at] == MPLAN_NONE16)
                return INT64_MAX;
            if (r >= view->n_points || !field_stays_inside(view, slice->window, f, group, fields[at]))
                return at;
        }
    return INT64_MAX;
}

/* Slice s: a wrong field, if it has windows. */
static int64_t wrong_field(const void *context, int64_t s)
{
    const owner_view *view = context;
    const windows_slice slice = open_slice(view, s);
    for (int64_t i = 0; slice.plain < 0 && i < view->rows * slice.columns; i++) {
        const int64_t at = wrong_field_of(view, &slice, s * view->rows + i % view->rows,
                                          i / view->rows);
        if (at < INT64_MAX)
            return at;
    }
    return INT64_MAX;
}

/* Words before what they lead to, then plain codes and fields. */
static mplan_status check_windows(const owner_view *view)
{
    static const struct {
        mplan_kind kind;
        mplan_bind_task *task;
    } tasks[] = {{MPLAN_KIND_OWNER_WINDOWS, wrong_word},
                 {MPLAN_KIND_OWNER_PLAIN, wrong_plain},
                 {MPLAN_KIND_OWNER_ENTRIES, wrong_field}};
    const int64_t n_slices = MPLAN_OWNER_SLICES(view->n_points, view->rows);
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        const int64_t bad = mplan_bind_first_wrong(view->check, n_slices, tasks[i].task, view);
        if (bad < INT64_MAX)
            return mplan_bind_wrong(view->check, mplan_bind_variant_key(view->check, tasks[i].kind),
                                    bad);
    }
    return MPLAN_OK;
}

/* Slice s: the first wrong entry, INT64_MAX if all are right. */
static int64_t slice_of_entries(const void *context, int64_t s)
{
    const owner_view *view = context;
    for (int64_t i = view->rows * first_column(view, s); i < view->rows * first_column(view, s + 1);
         i++)
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
static bool is_pairwise(const owner_view *view)
{
    const mplan_plan_loop *loop = view->check->bound->loop;
    for (int32_t a = 0; a < loop->n_args; a++)
        if (mplan_exec_increments(loop, a) &&
            mplan_plan_get_map(view->check->plan, loop->args[a].map)->arity != view->columns)
            return false;
    return view->columns == 2;
}

/* ROW_START is there and names elements of the loop: entry p is where the elements begin whose lower point is p. */
static mplan_status open_pair32(owner_view *view)
{
    const mplan_bind_check *check = view->check;
    const mplan_key key = mplan_bind_variant_key(check, MPLAN_KIND_OWNER_ROW_START);
    int64_t rows;
    if (!is_pairwise(view))
        return mplan_bind_wrong(check, key, 0);
    view->row_start = mplan_bind_find(check, key, MPLAN_TYPE_I32, &rows);
    return view->row_start ? mplan_bind_ids(check, key, 0, view->n_elements + 1) : MPLAN_ERR_CORRUPT;
}

/* The groups of fields in their order and what they lead to; false where the plan counts others. */
static bool open_fields(owner_view *view)
{
    const mplan_exec_loop *bound = view->check->bound;
    const mplan_plan_loop *loop = bound->loop;
    int32_t n = 1, total = 1;
    view->limit[0] = view->n_points;
    view->fields_of[0] = 1;
    for (int32_t a = 0; a < loop->n_args; a++)
        view->direct = view->direct || mplan_arg_is_of_element(&loop->args[a]);
    if (view->direct) {
        view->limit[n] = view->n_elements;
        view->fields_of[n++] = 1;
        total++;
    }
    for (int32_t a = 0; a < loop->n_args; a++) {
        bool known = loop->args[a].map < 0 || bound->first_of_map[a] < a;
        for (int32_t b = 0; b < loop->n_args && !known; b++)
            known = mplan_exec_increments(loop, b) && bound->first_of_map[b] == a;
        if (known)
            continue;
        const mplan_plan_map *map = mplan_plan_get_map(view->check->plan, loop->args[a].map);
        view->limit[n] = mplan_plan_get_set(view->check->plan, map->to)->storage_size;
        view->fields_of[n++] = map->arity;
        total += map->arity;
    }
    return total == view->fields;
}

/* Adds windows and plain codes to the view. Lanes of a warp tell each other words: threads come in whole warps. */
static mplan_status open_windows16(owner_view *view, int64_t n_entries)
{
    const mplan_bind_check *check = view->check;
    const mplan_key key = mplan_bind_variant_key(check, MPLAN_KIND_OWNER_WINDOWS);
    int64_t rows;
    view->fields = check->bound->call.owner_fields;
    view->together = mplan_fields_together(view->fields,
                                           check->bound->chosen->entry_layout ? 0 : view->width);
    view->windows = mplan_bind_find(check, key, MPLAN_TYPE_I32, &rows);
    view->plain = mplan_bind_find(check, mplan_bind_variant_key(check, MPLAN_KIND_OWNER_PLAIN),
                                  MPLAN_TYPE_I32, &view->n_plain);
    view->n_plain /= view->rows;
    if (!view->windows || !view->plain)
        return MPLAN_ERR_CORRUPT;
    if (!is_pairwise(view) || !open_fields(view) ||
        check->bound->chosen->threads % MPLAN_OWNER_SLICE != 0 ||
        n_entries != view->rows * view->fields *
                         first_column(view, MPLAN_OWNER_SLICES(view->n_points, view->rows)))
        return mplan_bind_wrong(check, key, 0);
    return MPLAN_OK;
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
static mplan_status open_encoding(owner_view *view, int64_t n_entries)
{
    switch (view->check->bound->chosen->encoding) {
    case MPLAN_ENCODING_INDEX16: return open_index16(view);
    case MPLAN_ENCODING_PAIR32: return open_pair32(view);
    case MPLAN_ENCODING_WINDOWS16: return open_windows16(view, n_entries);
    default: return MPLAN_OK;
    }
}

/* By encoding; every entry must lead to an element and a column. */
mplan_status mplan_bind_owners(const mplan_bind_check *check)
{
    assert(check);
    const mplan_plan_variant *chosen = check->bound->chosen;
    const mplan_launch_call *call = &check->bound->call;
    const bool windows = chosen->encoding == MPLAN_ENCODING_WINDOWS16;
    const bool small = windows || chosen->encoding == MPLAN_ENCODING_INDEX16;
    const mplan_key key = mplan_bind_variant_key(check, MPLAN_KIND_OWNER_ENTRIES);
    const mplan_key offsets_key = mplan_bind_variant_key(check, MPLAN_KIND_OWNER_OFFSETS);
    const int64_t codes = call->n_elements * call->columns;
    owner_view view = {.check = check,
                       .rows = call->owner_slice,
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
        status = mplan_bind_offsets(check, offsets_key,
                                    n_entries / view.rows / (windows ? call->owner_fields : 1),
                                    INT64_MAX);
        view.offsets = mplan_bind_find(check, offsets_key, MPLAN_TYPE_I64, &rows);
    }
    if (!status && chosen->window)
        status = open_windows(&view);
    if (!status)
        status = open_encoding(&view, n_entries);
    if (status)
        return status;
    if (windows)
        return check_windows(&view);
    const int64_t n_slices = MPLAN_OWNER_SLICES(view.n_points, view.rows);
    const int64_t bad = mplan_bind_first_wrong(check, n_slices, slice_of_entries, &view);
    return bad < INT64_MAX ? mplan_bind_wrong(check, key, bad) : MPLAN_OK;
}
