/* SPDX-License-Identifier: Apache-2.0 */
/* check_owner.c - tables of owner-gather decode to exactly the transposed maps
 *
 * Section 9 of formats/plan-format.md. The entries of a point ascend in the order of its sums
 * and lead back to it, and there are as many as entries >= 0 of the maps, so none is missing. */
#include <stdlib.h>

#include "check/check_owner.h"

enum { WINDOW = MPLAN_CHECK_WINDOW, MOST_SLICE = MPLAN_CHECK_MOST_SLICE };

/* Code (element x columns + column) of the entry at a place; -1: none; -2: it names nothing that is there. *escape:
 * escapes of the slice so far, which must come in the order of the entries. Every index is compared with its range
 * before it is used. pair32: 64 x (neighbour - point) + 2 x rank + column; the rank counts the elements with the same
 * lower point, which row_start leads to, and the pair that is found must have the neighbour in its other column. */
static int64_t decode(const mplan_owner_proof *proof, int64_t s, int64_t place, int64_t point,
                      int64_t *escape)
{
    if (proof->variant->encoding == MPLAN_ENCODING_INDEX32)
        return proof->entries32[place] < -1 ? -2 : proof->entries32[place];
    if (proof->variant->encoding == MPLAN_ENCODING_INDEX16) {
        int64_t v = proof->entries16[place];
        int64_t escapes = proof->escape_offsets[s + 1] - proof->escape_offsets[s];
        if (v == MPLAN_CHECK_NO_ENTRY)
            return -1;
        if (v < MPLAN_CHECK_NO_ENTRY - escapes)
            return (int64_t)proof->base[s] + v < 0 ? -2 : (int64_t)proof->base[s] + v;
        const int64_t which = MPLAN_CHECK_NO_ENTRY - 1 - v;
        if (which != (*escape)++ || proof->escapes[proof->escape_offsets[s] + which] < 0)
            return -2;
        return proof->escapes[proof->escape_offsets[s] + which];
    }
    int64_t word = proof->entries32[place];
    if (word == -1)
        return -1;
    int64_t low = word & 63, neighbour = point + (word - low) / 64, rank = low / 2;
    /* not a point's: rows behind the last one are decoded, too */
    int64_t lower = neighbour < point ? neighbour : point;
    if (lower < 0 || lower >= proof->n_points || rank > 30)
        return -2;
    int64_t e = proof->row_start[lower] + rank;
    if (e >= proof->row_start[lower + 1])
        return -2;
    const int32_t *pair = proof->check->maps[proof->gathering->maps[0]].values + 2 * e;
    return pair[1 - (low & 1)] == neighbour ? 2 * e + (low & 1) : -2;
}

/* Whether a code, 0 or more, is an entry of the point. */
static bool leads_to(const mplan_owner_proof *proof, int64_t code, int64_t point)
{
    int64_t e = code / proof->gathering->columns, column = code % proof->gathering->columns;
    if (e >= proof->n_elements)
        return false;
    for (int32_t m = 0; m < proof->gathering->n_maps; m++) {
        const mplan_map *map = &proof->check->maps[proof->gathering->maps[m]];
        if (column < map->arity)
            return map->values[e * map->arity + column] == point;
        column -= map->arity;
    }
    return false;
}

/* Place of a code that leads to a point, in the order of the point's sums. Places of holes have
 * none: their rows of the maps are empty. */
static int64_t rank_of(const mplan_owner_proof *proof, int64_t code)
{
    const int64_t columns = proof->gathering->columns;
    return mplan_check_rank(&proof->order, code / columns, code % columns);
}

/* Decodes slice s: its rows side by side, column by column, and compares each entry with the map. last[lane]: the rank
 * of the entry before in the same row. proof->found[s], length[r]: out. length[r] must be k at entry k, so that
 * nothing follows the first unused entry of a row. Escapes are met in the order of their places, which is why columns
 * are the outer loop. */
static mplan_status check_slice(void *data, int64_t s, int thread, mplan_error *err)
{
    mplan_owner_proof *proof = data;
    int64_t first = mplan_owner_first_column(proof, s),
            columns = mplan_owner_first_column(proof, s + 1) - first;
    int64_t last[MOST_SLICE], escape = 0, longest = 0;
    (void)thread;
    proof->found[s] = 0;
    for (int64_t lane = 0; lane < proof->slice; lane++) {
        last[lane] = -1;
        proof->length[s * proof->slice + lane] = 0;
    }
    for (int64_t k = 0; k < columns; k++)
        for (int64_t lane = 0; lane < proof->slice; lane++) {
            int64_t r = s * proof->slice + lane, point = mplan_owner_point(proof, r);
            int64_t code = decode(proof, s, (first + k) * proof->slice + lane, point, &escape);
            if (code == -1)
                continue;
            if (r >= proof->n_points || code < 0 || proof->length[r] != k ||
                !leads_to(proof, code, point) || rank_of(proof, code) <= last[lane])
                return MPLAN_DISPROVED(err,
                                       "OWNER_ENTRIES: entry %" PRId64 " of row %" PRId64
                                       " does not belong to "
                                       "point %" PRId64 " of %s, or is out of order",
                                       k, r, point, proof->set);
            last[lane] = rank_of(proof, code);
            longest = k + 1;
            proof->length[r]++;
            proof->found[s]++;
        }
    if (proof->offsets && longest != columns)
        return MPLAN_DISPROVED(err,
                               "OWNER_OFFSETS gives slice %" PRId64 " %" PRId64 " columns, but its "
                               "longest row has %" PRId64 " entries",
                               s, columns, longest);
    if (proof->base && proof->found[s] == escape && proof->base[s] != 0)
        return MPLAN_DISPROVED(err, "OWNER_BASE of slice %" PRId64 " is %d, but no entry uses it",
                               s, (int)proof->base[s]);
    if (proof->escape_offsets && escape != proof->escape_offsets[s + 1] - proof->escape_offsets[s])
        return MPLAN_DISPROVED(err,
                               "OWNER_ESCAPES has escapes of slice %" PRId64 " that no entry uses",
                               s);
    return MPLAN_OK;
}

/* Ascending offsets from 0 to `end`. */
static mplan_status check_ascending(const char *name, const int64_t *offsets, int64_t n,
                                    int64_t end, mplan_error *err)
{
    for (int64_t i = 0; offsets && i < n; i++)
        if (offsets[i] > offsets[i + 1])
            return MPLAN_DISPROVED(err, "%s does not ascend at slice %" PRId64, name, i);
    if (offsets && (offsets[0] != 0 || offsets[n] != end))
        return MPLAN_DISPROVED(err,
                               "%s runs from %" PRId64 " to %" PRId64 " instead of 0 to %" PRId64,
                               name, offsets[0], offsets[n], end);
    return MPLAN_OK;
}

/* row_start[p]: the first element whose lower point is p, or would be; n_points + 1 entries, as
 * maps of this form have them. On the way this proves that elements ascend by their lower
 * points, and that each has two: one that lacks a point (-1) comes too late at any point. */
static mplan_status check_row_starts(const mplan_owner_proof *proof, mplan_error *err)
{
    const int32_t *values = proof->check->maps[proof->gathering->maps[0]].values;
    int64_t e = 0;
    for (int64_t p = 0; p <= proof->n_points; p++) {
        if (proof->row_start[p] != e)
            return MPLAN_DISPROVED(err,
                                   "OWNER_ROW_START has %d at point %" PRId64 " of %s, before "
                                   "which %" PRId64 " elements begin",
                                   (int)proof->row_start[p], p, proof->set, e);
        for (; e < proof->n_elements; e++) {
            const int32_t *pair = values + 2 * e;
            if (pair[0] < p || pair[1] < p)
                return MPLAN_DISPROVED(err,
                                       "pair32: element %" PRId64 " is not stored in the order "
                                       "of its lower point, or has no lower point",
                                       e);
            if (pair[0] > p && pair[1] > p)
                break;
        }
    }
    return MPLAN_OK;
}

/* Whether row i of the window at w breaks its order: points by descending number of
 * entries, then by index, each once; rows behind the last point hold 0. seen: per point
 * of the window, whether an earlier row has it. */
static bool breaks_order(const mplan_owner_proof *proof, int64_t w, int64_t i, const bool *seen)
{
    const uint8_t *points = proof->points + w;
    const uint32_t *length = proof->length + w;
    if (w + i >= proof->n_points)
        return points[i] != 0;
    if (i == 0)
        return false;
    return seen[points[i]] || length[i] > length[i - 1] ||
           (length[i] == length[i - 1] && points[i] < points[i - 1]);
}

/* Windows hold their own points once, sorted by entries, then index. */
static mplan_status check_window(const mplan_owner_proof *proof, int64_t w, mplan_error *err)
{
    bool seen[WINDOW] = {false};
    for (int64_t i = 0; i < WINDOW && w + i < proof->n_slices * proof->slice; i++) {
        if (breaks_order(proof, w, i, seen))
            return MPLAN_DISPROVED(err,
                                   "OWNER_POINTS: row %" PRId64 " breaks the order of its window",
                                   w + i);
        seen[proof->points[w + i]] = true;
    }
    return MPLAN_OK;
}

/* Every entry of the maps was found once, and rows are as long as the transposed map's. */
static mplan_status check_rows(const mplan_owner_proof *proof, mplan_error *err)
{
    int64_t found = 0, valid = 0, longest = 0;
    for (int64_t s = 0; s < proof->n_slices; s++)
        found += proof->found[s];
    for (int32_t m = 0; m < proof->gathering->n_maps; m++)
        valid += proof->check->valid[proof->gathering->maps[m]];
    if (found != valid)
        return MPLAN_DISPROVED(err,
                               "OWNER_ENTRIES has %" PRId64 " entries, but the maps have %" PRId64,
                               found, valid);
    for (int64_t r = 0; r < proof->n_slices * proof->slice; r++)
        longest = proof->length[r] > longest ? proof->length[r] : longest;
    int64_t width = longest <= MPLAN_CHECK_MOST_WIDTH ? longest : 0;
    if (proof->variant->width != width)
        return MPLAN_DISPROVED(err, "the width is %d, but should be %" PRId64,
                               (int)proof->variant->width, width);
    mplan_status status = MPLAN_OK;
    for (int64_t w = 0; proof->points && w < proof->n_points && !status; w += WINDOW)
        status = check_window(proof, w, err);
    return status;
}

/* Points of the rows must be there before entries are decoded. */
static mplan_status check_points_in_range(const mplan_owner_proof *proof, mplan_error *err)
{
    for (int64_t r = 0; proof->points && r < proof->n_points; r++)
        if (mplan_owner_point(proof, r) >= proof->n_points)
            return MPLAN_DISPROVED(err, "OWNER_POINTS: row %" PRId64 " is not a point of %s", r,
                                   proof->set);
    return MPLAN_OK;
}

/* Offsets before what they lead to, and the rows' points before entries, which are decoded by
 * them. */
static mplan_status prove(mplan_owner_proof *proof, int32_t l, mplan_error *err)
{
    mplan_status status = proof->n_entries != proof->n_columns * proof->slice * proof->fields
                              ? MPLAN_DISPROVED(err,
                                                "OWNER_ENTRIES has %" PRId64
                                                " numbers, which are not whole columns",
                                                proof->n_entries)
                              : MPLAN_OK;
    if (!status)
        status = check_ascending("OWNER_OFFSETS", proof->offsets, proof->n_slices, proof->n_columns,
                                 err);
    if (!status)
        status = check_ascending("OWNER_ESCAPE_OFFSETS", proof->escape_offsets, proof->n_slices,
                                 proof->n_escapes, err);
    if (!status && proof->row_start)
        status = check_row_starts(proof, err);
    if (!status)
        status = check_points_in_range(proof, err);
    if (!status)
        status = proof->windows
                     ? mplan_check_windows(proof, l, err)
                     : mplan_check_each(proof->check, proof->n_slices, check_slice, proof, err);
    return !status ? check_rows(proof, err) : status;
}

/* Rows of an array that only owner-gather bounds; NULL data when it is absent. */
static const void *optional(const mplan_check *check, mplan_kind kind, int32_t l, int32_t v,
                            int64_t *rows)
{
    mplan_key key = mplan_key_of_variant(kind, l, v);
    const mplan_array *array = mplan_plan_find_array(check->plan, &key);
    *rows = array ? array->rows : 0;
    return array ? mplan_check_data(check, key) : NULL;
}

/* Scratch for lengths and counts belongs to this function; proof: views of the plan's
 * arrays. */
static mplan_status check_variant(mplan_check *check, int32_t l, int32_t v, mplan_error *err)
{
    const mplan_plan_variant *variant = &check->plan->loops[l].variants[v];
    mplan_check_gathering gathering = {0};
    mplan_status status = mplan_check_gathering_open(check->plan, l, &gathering, err);
    if (!status) {
        int64_t rows, n_points = mplan_check_set(check, gathering.set)->storage_size;
        const int64_t slice = variant->slice_rows ? MOST_SLICE : MPLAN_CHECK_SLICE;
        mplan_owner_proof proof = {.check = check,
                                   .gathering = &gathering,
                                   .variant = variant,
                                   .set = mplan_check_set_name(check, gathering.set),
                                   .slice = slice,
                                   .n_points = n_points,
                                   .n_slices = mplan_check_slices(slice, n_points),
                                   .n_elements = check->maps[gathering.maps[0]].n_rows};
        proof.order = (mplan_check_row_order){
            variant->sums_order, gathering.columns, proof.n_elements,
            variant->sums_order == MPLAN_SUMS_ORDER_MESH
                ? mplan_check_old_of_new(check, check->plan->loops[l].set)
                : NULL};
        const void *entries = optional(check, MPLAN_KIND_OWNER_ENTRIES, l, v, &rows);
        const bool windows = variant->encoding == MPLAN_ENCODING_WINDOWS16;
        bool short_entries = windows || variant->encoding == MPLAN_ENCODING_INDEX16;
        proof.fields = windows ? gathering.fields : 1;
        proof.n_entries = rows;
        proof.n_columns = rows / slice / proof.fields;
        proof.entries16 = short_entries ? entries : NULL;
        proof.entries32 = short_entries ? NULL : entries;
        proof.offsets = optional(check, MPLAN_KIND_OWNER_OFFSETS, l, v, &rows);
        proof.base = optional(check, MPLAN_KIND_OWNER_BASE, l, v, &rows);
        proof.escape_offsets = optional(check, MPLAN_KIND_OWNER_ESCAPE_OFFSETS, l, v, &rows);
        proof.row_start = optional(check, MPLAN_KIND_OWNER_ROW_START, l, v, &rows);
        proof.points = optional(check, MPLAN_KIND_OWNER_POINTS, l, v, &rows);
        proof.escapes = optional(check, MPLAN_KIND_OWNER_ESCAPES, l, v, &proof.n_escapes);
        proof.plain = optional(check, MPLAN_KIND_OWNER_PLAIN, l, v, &proof.n_plain);
        proof.windows = optional(check, MPLAN_KIND_OWNER_WINDOWS, l, v, &rows);
        proof.found = mplan_alloc(proof.n_slices, sizeof *proof.found, err);
        proof.length = mplan_alloc(proof.n_slices * slice, sizeof *proof.length, err);
        status = proof.found && proof.length ? prove(&proof, l, err) : MPLAN_ERR_MEMORY;
        free(proof.found);
        free(proof.length);
    }
    mplan_check_gathering_close(&gathering);
    return status;
}

/* After maps and gatherings. Slices are proved side by side; all sums over slices are made behind them, in order. */
mplan_status mplan_check_owner(mplan_check *check, mplan_error *err)
{
    return mplan_check_variants(check, MPLAN_TRAIT_OWNERS, check_variant, err);
}
