/* SPDX-License-Identifier: Apache-2.0 */
/* check_windows.c - windows16: every number of an entry is that of the element whose turn it is
 *
 * Section 9 of formats/plan-format.md. An entry need not tell its element, so the elements of each
 * point are counted again from the map, and entry k of a row is compared with the k-th of its point.
 * That windows are the fewest follows from what is asked of each: it begins at a number that is there,
 * behind the end of the one before. */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/threads.h"
#include "check/check_owner.h"

enum { WORDS = MPLAN_CHECK_WORDS, LAST = WORDS - 1 };
enum { ELEMENTS = 1 << 13, POINTS = 1 << 13 };

/* What all slices are compared with. codes: those of point p are codes[begin[p]] up to begin[p + 1], as the rows must
 * have them. others: the maps by which nothing is incremented, each once. direct: an entry has a field for its
 * element. */
typedef struct windows_proof {
    mplan_owner_proof *owner;
    uint32_t *begin; /* n_points + 2: of each point in codes, of which there are 2 an element */
    int32_t *codes;  /* 2 x element + column, in the order of the sums for each point */
    int32_t n_others;
    const mplan_map **others; /* n_others: in the order of the args */
    bool direct;
    int32_t set;    /* of the loop */
    int64_t *plain; /* n_slices + 1: columns of plain codes before each slice */
} windows_proof;

/* --- what rows must hold --------------------------------------------------------------- */

/* The code goes behind what its point has so far. */
static void list_code(windows_proof *in, const int32_t *pairs, int64_t code)
{
    if (pairs[code] >= 0)
        in->codes[in->begin[pairs[code] + 1]++] = (int32_t)code;
}

/* The codes of elements [begin, end), to the next free places of their points: whichever thread comes first. */
static void deal_codes(void *data, int thread, int64_t begin, int64_t end)
{
    const windows_proof *in = data;
    const int32_t *pairs = in->owner->check->maps[in->owner->gathering->maps[0]].values;
    (void)thread;
    for (int64_t code = 2 * begin; code < 2 * end; code++)
        if (pairs[code] >= 0)
            in->codes[mplan_add_u32(&in->begin[pairs[code] + 1], 1)] = (int32_t)code;
}

/* Points [begin, end): codes ascend, as in the order of the elements. */
static void sort_codes(void *data, int thread, int64_t begin, int64_t end)
{
    const windows_proof *in = data;
    (void)thread;
    for (int64_t p = begin; p < end; p++)
        mplan_sort_i32(in->codes + in->begin[p], in->begin[p + 1] - in->begin[p]);
}

/* All codes, in the order of the sums. in->begin is one place further on, until all are there. */
static void list_codes(windows_proof *in)
{
    const mplan_owner_proof *owner = in->owner;
    const int32_t *pairs = owner->check->maps[owner->gathering->maps[0]].values;
    const mplan_sums_order by = owner->order.by;
    const int64_t n = owner->n_elements;
    if (by == MPLAN_SUMS_ORDER_STORED && owner->check->threads > 1) {
        mplan_for(owner->check->team, n, ELEMENTS, deal_codes, in);
        mplan_for(owner->check->team, owner->n_points, POINTS, sort_codes, in);
        return;
    }
    if (by != MPLAN_SUMS_ORDER_MESH) {
        for (int64_t i = 0; i < 2 * n; i++)
            list_code(in, pairs, by == MPLAN_SUMS_ORDER_COLUMN ? i % n * 2 + i / n : i);
        return;
    }
    const int32_t set = in->set;
    const int32_t *new_of_old = mplan_check_data(owner->check,
                                                 mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, set));
    for (int64_t i = 0; i < 2 * mplan_check_set(owner->check, set)->size; i++)
        list_code(in, pairs, 2 * (int64_t)new_of_old[i / 2] + i % 2);
}

/* The least of elements [begin, end) that has one point only, INT64_MAX without; the entries of the others are counted. */
static int64_t count_pairs(void *data, int thread, int64_t begin, int64_t end)
{
    const windows_proof *in = data;
    const int32_t *pairs = in->owner->check->maps[in->owner->gathering->maps[0]].values;
    const bool one_thread = in->owner->check->threads == 1;
    (void)thread;
    for (int64_t e = begin; e < end; e++) {
        if ((pairs[2 * e] < 0) != (pairs[2 * e + 1] < 0))
            return e;
        for (int64_t code = 2 * e; code < 2 * e + 2 && pairs[code] >= 0; code++) {
            uint32_t *count = &in->begin[pairs[code] + 2];
            if (one_thread)
                ++*count;
            else
                mplan_add_u32(count, 1);
        }
    }
    return INT64_MAX;
}

/* Elements of each point. An element has both its points or none; the others are in no row. Counts are kept two places
 * further on, so that after their sums begin[p + 1] is where point p begins, and list_code can move it to its end,
 * which is where p + 1 begins. */
static mplan_status transpose(windows_proof *in, mplan_error *err)
{
    const mplan_owner_proof *owner = in->owner;
    in->begin = mplan_alloc_zero(owner->n_points + 2, sizeof *in->begin, err);
    in->codes = in->begin ? mplan_alloc(2 * owner->n_elements, sizeof *in->codes, err) : NULL;
    if (!in->codes)
        return MPLAN_ERR_MEMORY;
    const int64_t odd = mplan_for_least(owner->check->team, owner->n_elements, ELEMENTS,
                                        count_pairs, in, INT64_MAX);
    if (odd < INT64_MAX)
        return MPLAN_DISPROVED(err, "windows16: element %" PRId64 " has one point", odd);
    for (int64_t p = 2; p <= owner->n_points + 1; p++)
        in->begin[p] += in->begin[p - 1];
    list_codes(in);
    return MPLAN_OK;
}

/* The maps by which nothing is incremented; every slot of an element with points has one. */
static mplan_status collect(windows_proof *in, int32_t l, mplan_error *err)
{
    const mplan_owner_proof *owner = in->owner;
    const mplan_plan_loop *loop = &owner->check->plan->loops[l];
    const int32_t own = owner->gathering->maps[0];
    in->others = mplan_alloc(loop->n_args, sizeof *in->others, err);
    if (!in->others)
        return MPLAN_ERR_MEMORY;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const int32_t m = loop->args[a].map;
        bool again = m < 0 || m == own;
        /* a global that is only read is the same for all elements (section 9) */
        in->direct = in->direct || m == -1 ||
                     (m == MPLAN_MAP_GLOBAL && loop->args[a].access != MPLAN_READ);
        for (int32_t b = 0; b < a && !again; b++)
            again = loop->args[b].map == m;
        if (!again)
            in->others[in->n_others++] = &owner->check->maps[m];
    }
    const int32_t *pairs = owner->check->maps[own].values;
    for (int32_t m = 0; m < in->n_others; m++) {
        const mplan_map *map = in->others[m];
        for (int64_t i = 0; i < owner->n_elements * map->arity; i++)
            if (map->values[i] < 0 && pairs[i / map->arity * 2] >= 0)
                return MPLAN_DISPROVED(err, "windows16: a slot of element %" PRId64 " has no point",
                                       i / map->arity);
    }
    return MPLAN_OK;
}

/* Number f of the entry for a code: 0 is the other point of its element, then comes the element where there is a field
 * for it, then the slots of the other maps, map by map. f is below the number of fields, which ends the search. */
static int64_t wanted(const windows_proof *in, int32_t code, int64_t f)
{
    const int64_t e = code / 2;
    if (f == 0)
        return in->owner->check->maps[in->owner->gathering->maps[0]].values[2 * e + 1 - code % 2];
    if (in->direct && f-- == 1)
        return e;
    f--;
    for (int32_t m = 0;; m++) {
        if (f < in->others[m]->arity)
            return in->others[m]->values[e * in->others[m]->arity + f];
        f -= in->others[m]->arity;
    }
}

/* --- a slice --------------------------------------------------------------------------- */

/* Row r's code k; -1: none. */
static int32_t code_of(const windows_proof *in, int64_t r, int64_t k)
{
    const int64_t p = r < in->owner->n_points ? mplan_owner_point(in->owner, r) : -1;
    return p >= 0 && k < in->begin[p + 1] - in->begin[p] ? in->codes[in->begin[p] + k] : -1;
}

/* What the fields of a slice make of its windows. */
typedef struct windows_found {
    bool begun[WORDS]; /* some field has the first of the window */
    int32_t near;      /* 1 + the last that a neighbour uses */
    int32_t far;       /* the first that another number uses */
} windows_found;

/* Whether a field holds the number that it must, in a window that is there. word: the 16 words of the slice. field:
 * 4,096 x window + place; a neighbour's place is 2 x its distance from the begin of the window, and the column of the
 * row's point. */
static bool field_holds(const windows_proof *in, const int32_t *word, int64_t field, int64_t f,
                        int32_t code, windows_found *found)
{
    const int32_t window = (int32_t)(field / 4096);
    int64_t place = field % 4096;
    if (window >= word[LAST] || (f == 0 && place % 2 != code % 2))
        return false;
    place /= f == 0 ? 2 : 1;
    found->begun[window] = found->begun[window] || place == 0;
    if (f == 0)
        found->near = window >= found->near ? window + 1 : found->near;
    else
        found->far = window < found->far ? window : found->far;
    return word[window] + place == wanted(in, code, f);
}

/* Windows [0, near) are the neighbours', the others those of all other numbers; each begins at one of
 * its numbers, behind the end of the one before; words behind the last window's are 0. */
static bool windows_hold(const int32_t *word, const windows_found *found)
{
    if (found->far < found->near)
        return false;
    for (int32_t w = 0; w < LAST; w++) {
        const int64_t size = w < found->near ? MPLAN_CHECK_NEAR : MPLAN_CHECK_FAR;
        const bool follows = w > 0 && w < word[LAST] && w != found->near;
        if (w < word[LAST] ? !found->begun[w] : word[w] != 0)
            return false;
        if (follows && word[w] < word[w - 1] + size)
            return false;
    }
    return true;
}

/* Ascending numbers of n, none below 0. */
static int compare_numbers(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Windows of `size` members that the n numbers need, sorted here: each begins at the least number that those before do
 * not reach, which gives the fewest. */
static int64_t windows_needed(int64_t *number, int64_t n, int64_t size)
{
    int64_t windows = 0, end = 0;
    qsort(number, (size_t)n, sizeof *number, compare_numbers);
    for (int64_t i = 0; i < n; i++)
        if (windows == 0 || number[i] >= end) {
            windows++;
            end = number[i] + size;
        }
    return windows;
}

/* Whether slice s needs more than 15 windows, which is the only reason to have plain codes. columns: of its
 * entries. The neighbours' numbers are counted by themselves, then those of all other fields together, as
 * windows are either. */
static mplan_status needs_plain(const windows_proof *in, int64_t s, int64_t columns, bool *needs,
                                mplan_error *err)
{
    const int64_t slice = in->owner->slice;
    int64_t *number = mplan_alloc(columns * slice * in->owner->fields, sizeof *number, err), n = 0;
    if (!number)
        return MPLAN_ERR_MEMORY;
    int64_t windows = 0;
    for (int64_t f = 0; f < in->owner->fields; f++) {
        for (int64_t i = 0; i < columns * slice; i++) {
            const int32_t code = code_of(in, s * slice + i % slice, i / slice);
            if (code >= 0)
                number[n++] = wanted(in, code, f);
        }
        if (f > 0 && f + 1 < in->owner->fields)
            continue;
        windows += windows_needed(number, n, f == 0 ? MPLAN_CHECK_NEAR : MPLAN_CHECK_FAR);
        n = 0;
    }
    free(number);
    *needs = windows >= WORDS;
    return MPLAN_OK;
}

/* Entry i (rows x column + lane) of slice s, of `columns`: its fields, or its plain code. */
static bool entry_holds(const windows_proof *in, int64_t s, int64_t i, windows_found *found)
{
    const mplan_owner_proof *owner = in->owner;
    const int64_t lane = i % owner->slice, k = i / owner->slice,
                  width = owner->variant->entry_layout ? 1 : owner->variant->width;
    const int64_t first = mplan_owner_first_column(owner, s);
    const uint16_t *slice = owner->entries16 + owner->slice * owner->fields * first;
    const int32_t *word = owner->windows + s * WORDS;
    const int32_t code = code_of(in, s * owner->slice + lane, k);
    const bool there = word[LAST] >= 0 && code >= 0;
    for (int64_t f = 0; f < owner->fields; f++) {
        const int64_t at = mplan_check_field(owner->slice, lane, k * owner->fields + f,
                                             owner->fields * (width ? width : 1));
        if (there ? !field_holds(in, word, slice[at], f, code, found)
                  : slice[at] != MPLAN_CHECK_NO_ENTRY)
            return false;
    }
    return word[LAST] >= 0 || owner->plain[owner->slice * in->plain[s] + i] == code;
}

/* Slice s: all that is in it. proof->found[s], length[r]: out. */
static mplan_status check_slice(void *data, int64_t s, int thread, mplan_error *err)
{
    const windows_proof *in = data;
    const mplan_owner_proof *owner = in->owner;
    const int64_t columns = mplan_owner_first_column(owner, s + 1) -
                            mplan_owner_first_column(owner, s);
    const int32_t *word = owner->windows + s * WORDS;
    windows_found found = {{false}, 0, WORDS};
    int64_t longest = 0;
    bool plain = word[LAST] < 0, needs = plain;
    (void)thread;
    owner->found[s] = 0;
    for (int64_t r = s * owner->slice; r < (s + 1) * owner->slice; r++) {
        owner->length[r] = 0;
        while (code_of(in, r, owner->length[r]) >= 0)
            owner->length[r]++;
        owner->found[s] += owner->length[r];
        longest = owner->length[r] > longest ? owner->length[r] : longest;
    }
    if (owner->offsets ? longest != columns : longest > columns)
        return MPLAN_DISPROVED(err,
                               "OWNER_OFFSETS or width gives slice %" PRId64 " %" PRId64
                               " columns, but its longest row has %" PRId64 " entries",
                               s, columns, longest);
    if (word[LAST] >= WORDS || (plain && word[LAST] != -1 - in->plain[s]))
        return MPLAN_DISPROVED(err, "OWNER_WINDOWS: the last number of slice %" PRId64 " is %d", s,
                               (int)word[LAST]);
    for (int64_t i = 0; i < columns * owner->slice; i++)
        if (!entry_holds(in, s, i, &found))
            return MPLAN_DISPROVED(err,
                                   "OWNER_ENTRIES: entry %" PRId64 " of row %" PRId64
                                   " does not belong to its point of %s, or is out of order",
                                   i / owner->slice, s * owner->slice + i % owner->slice, owner->set);
    mplan_status status = plain ? needs_plain(in, s, columns, &needs, err) : MPLAN_OK;
    for (int32_t w = 0; w < LAST && plain; w++)
        needs = needs && word[w] == 0;
    if (!status && (plain ? !needs : !windows_hold(word, &found)))
        return MPLAN_DISPROVED(err,
                               "OWNER_WINDOWS of slice %" PRId64 " are not those that it needs", s);
    return status;
}

/* Columns of plain codes before each slice, as many as the array has. */
static mplan_status count_plain(windows_proof *in, mplan_error *err)
{
    const mplan_owner_proof *owner = in->owner;
    in->plain = mplan_alloc_zero(owner->n_slices + 1, sizeof *in->plain, err);
    if (!in->plain)
        return MPLAN_ERR_MEMORY;
    for (int64_t s = 0; s < owner->n_slices; s++)
        in->plain[s + 1] = in->plain[s] + (owner->windows[s * WORDS + LAST] < 0
                                               ? mplan_owner_first_column(owner, s + 1) -
                                                     mplan_owner_first_column(owner, s)
                                               : 0);
    if (owner->slice * in->plain[owner->n_slices] != owner->n_plain)
        return MPLAN_DISPROVED(err,
                               "OWNER_PLAIN has %" PRId64 " numbers, but slices without windows have "
                               "%" PRId64,
                               owner->n_plain, owner->slice * in->plain[owner->n_slices]);
    return MPLAN_OK;
}

/* The transposed map is made anew from the plan's map (begin: one offset per point and one
 * more; codes: 2 * element + column), never read from the tables that are to be proved. Then
 * the slices are proved by all threads; a slice is read by one thread only. */
mplan_status mplan_check_windows(mplan_owner_proof *proof, int32_t loop, mplan_error *err)
{
    windows_proof in = {.owner = proof, .set = proof->check->plan->loops[loop].set};
    mplan_status status = transpose(&in, err);
    if (!status)
        status = collect(&in, loop, err);
    if (!status)
        status = count_plain(&in, err);
    if (!status)
        status = mplan_check_each(proof->check, proof->n_slices, check_slice, &in, err);
    free(in.begin);
    free(in.codes);
    free(in.others);
    free(in.plain);
    return status;
}
