/* SPDX-License-Identifier: Apache-2.0 */
/* owner_gather.c - for each point the elements that its own thread recomputes
 *
 * formats/plan-format.md, section 9: the transposed map in slices of 32 points
 * (sliced ELL, Kreutzer et al., SIAM J. Sci. Comput. 36 (2014)), optionally sorted by
 * valence in windows, entries in one of three encodings.
 *
 * What the pieces bring (tools/bench/ablation, 150,000 cells; megabytes of a plan with / without): entries of 16 bits, hexes to nodes
 * 13.6 / 15.9, tets 6.6 / 7.7, triangles 6.0 / 6.9, nothing on faces; rows sorted by valence, triangles to nodes 6.0 / 6.2, tets 6.56 / 6.62. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "plan/packed.h"
#include "tables/owner_rows.h"
#include "tables/tables.h"

/* --- index16 ------------------------------------------------------------------ */

/* Base of a slice: where a window of codes holds most of them; their number in *inside. sorted
 * has room for all codes of the slice. Two pointers over the sorted codes: the window that
 * begins at each code, O(codes log codes) for the sorting. */
static int32_t choose_base(const mplan_owner_rows *work, int64_t s, int32_t *sorted,
                           int64_t *inside, int64_t *window)
{
    int64_t n = 0, best = 0;
    for (int64_t r = s * work->slice; r < (s + 1) * work->slice; r++) {
        int64_t length = mplan_owner_valence(work, r);
        if (length > 0)
            memcpy(sorted + n, work->codes + work->begin[work->point[r]],
                   (size_t)length * sizeof *sorted);
        n += length;
    }
    mplan_sort_i32(sorted, n);
    /* room is left for an escape in every place of the slice */
    *window = MPLAN_NONE16 - work->slice * (work->first[s + 1] - work->first[s]);
    *inside = 0;
    for (int64_t low = 0, high = 0; low < n; low++) {
        while (high < n && sorted[high] - (int64_t)sorted[low] < *window)
            high++;
        if (high - low > *inside) {
            *inside = high - low;
            best = low;
        }
    }
    return n > 0 ? sorted[best] : 0;
}

/* Bases and escapes of all slices; false when a slice is too wide for 16 bits. */
static mplan_status choose_bases(const mplan_owner_rows *work, mplan_owner_table *out,
                                 bool *possible, mplan_error *err)
{
    int64_t widest = 0;
    for (int64_t s = 0; s < out->n_slices; s++)
        widest = work->first[s + 1] - work->first[s] > widest ? work->first[s + 1] - work->first[s]
                                                              : widest;
    *possible = widest * work->slice < MPLAN_NONE16;
    if (!*possible)
        return MPLAN_OK;
    int32_t *sorted = mplan_alloc(widest * work->slice, sizeof *sorted, err);
    out->base = mplan_alloc(out->n_slices, sizeof *out->base, err);
    out->escape_offsets = mplan_alloc_zero(out->n_slices + 1, sizeof *out->escape_offsets, err);
    if (!sorted || !out->base || !out->escape_offsets) {
        free(sorted);
        return MPLAN_ERR_MEMORY;
    }
    for (int64_t s = 0; s < out->n_slices; s++) {
        int64_t inside, window, n = 0;
        for (int64_t r = s * work->slice; r < (s + 1) * work->slice; r++)
            n += mplan_owner_valence(work, r);
        out->base[s] = choose_base(work, s, sorted, &inside, &window);
        out->escape_offsets[s + 1] = out->escape_offsets[s] + n - inside;
    }
    out->n_escapes = out->escape_offsets[out->n_slices];
    free(sorted);
    return MPLAN_OK;
}

/* Entries as differences to the slice's base; what lies outside of its window becomes an escape,
 * numbered in the order of the entries, downwards from below MPLAN_NONE16, which is padding. */
static mplan_status write_index16(const mplan_owner_rows *work, mplan_owner_table *out,
                                  mplan_error *err)
{
    uint16_t *entries = mplan_alloc(work->slice * out->n_columns, sizeof *entries, err);
    out->entries = entries;
    out->escapes = mplan_alloc(out->n_escapes, sizeof *out->escapes, err);
    if (!entries || !out->escapes)
        return MPLAN_ERR_MEMORY;
    for (int64_t s = 0; s < out->n_slices; s++) {
        int64_t escape = out->escape_offsets[s];
        int64_t columns = work->first[s + 1] - work->first[s],
                window = MPLAN_NONE16 - work->slice * columns;
        for (int64_t k = 0; k < columns; k++)
            for (int64_t lane = 0; lane < work->slice; lane++) {
                int64_t r = s * work->slice + lane;
                uint16_t *entry = &entries[(work->first[s] + k) * work->slice + lane];
                *entry = MPLAN_NONE16;
                if (k >= mplan_owner_valence(work, r))
                    continue;
                int64_t code = work->codes[work->begin[work->point[r]] + k];
                if (code >= out->base[s] && code - out->base[s] < window) {
                    *entry = (uint16_t)(code - out->base[s]);
                } else {
                    *entry = (uint16_t)MPLAN_INDEX16_ESCAPE(escape - out->escape_offsets[s]);
                    out->escapes[escape++] = (int32_t)code;
                }
            }
    }
    return MPLAN_OK;
}

/* --- pair32 -------------------------------------------------------------------- */

/* The smaller of an element's two points. */
static int32_t lower(const int32_t *pair)
{
    return pair[0] < pair[1] ? pair[0] : pair[1];
}

/* NULL when the loop can be said in pairs, else what it lacks, as the end of "encoding pair32
 * needs". A pair names the neighbour by its difference and the element by its rank among those
 * of one lower point, which stored order puts side by side. */
static const char *no_pairs(const mplan_owner_rows *work)
{
    if (work->order->no_pairs)
        return "a loop without layers";
    if (work->n_maps != 1 || work->maps[0].arity != 2)
        return "increments through one map of two points";
    const int32_t *values = work->maps[0].values;
    int64_t run = 0;
    for (int64_t e = 0; e < work->n_elements; e++) {
        const int32_t *pair = values + 2 * e;
        if (pair[0] < 0 || pair[1] < 0)
            return "two points of every element";
        bool same = e > 0 && lower(pair) == lower(pair - 2);
        run = same ? run + 1 : 0;
        if (e > 0 && lower(pair) < lower(pair - 2))
            return "elements stored in the order of their lower points";
        if (run > MPLAN_PAIR_RANK_MOST)
            return "at most 31 elements with one lower point";
        int64_t difference = (int64_t)pair[1] - pair[0];
        if (difference >= (1 << 25) || difference <= -(1 << 25))
            return "points less than 2^25 apart";
    }
    return NULL;
}

/* row_start[p]: the first element whose lower point is p. An entry is (neighbour - p, rank,
 * column), -1 for padding. */
static mplan_status write_pair32(const mplan_owner_rows *work, mplan_owner_table *out,
                                 mplan_error *err)
{
    int32_t *entries = mplan_alloc(work->slice * out->n_columns, sizeof *entries, err);
    int32_t *start = mplan_alloc_zero(work->n_points + 1, sizeof *start, err);
    out->entries = entries;
    out->row_start = start;
    if (!entries || !start)
        return MPLAN_ERR_MEMORY;
    const int32_t *values = work->maps[0].values;
    for (int64_t e = 0; e < work->n_elements; e++)
        start[lower(values + 2 * e) + 1]++;
    for (int64_t p = 0; p < work->n_points; p++)
        start[p + 1] += start[p];
    for (int64_t s = 0; s < out->n_slices; s++)
        for (int64_t k = 0; k < work->first[s + 1] - work->first[s]; k++)
            for (int64_t lane = 0; lane < work->slice; lane++) {
                int64_t r = s * work->slice + lane;
                int32_t *entry = &entries[(work->first[s] + k) * work->slice + lane];
                *entry = -1;
                if (k >= mplan_owner_valence(work, r))
                    continue;
                int32_t p = work->point[r], code = work->codes[work->begin[p] + k];
                const int32_t *pair = values + (code & ~1);
                int32_t neighbour = pair[1 - (code & 1)];
                int32_t rank = code / 2 - start[lower(pair)];
                *entry = MPLAN_PAIR(neighbour - p, rank, code & 1);
            }
    return MPLAN_OK;
}

/* --- index32, and the choice ------------------------------------------------------ */

/* Entries are codes, -1 for padding. */
static mplan_status write_index32(const mplan_owner_rows *work, mplan_owner_table *out,
                                  mplan_error *err)
{
    int32_t *entries = mplan_alloc(work->slice * out->n_columns, sizeof *entries, err);
    out->entries = entries;
    if (!entries)
        return MPLAN_ERR_MEMORY;
    for (int64_t s = 0; s < out->n_slices; s++)
        for (int64_t k = 0; k < work->first[s + 1] - work->first[s]; k++)
            for (int64_t lane = 0; lane < work->slice; lane++) {
                int64_t r = s * work->slice + lane;
                entries[(work->first[s] + k) * work->slice + lane] =
                    k < mplan_owner_valence(work, r) ? work->codes[work->begin[work->point[r]] + k]
                                                     : -1;
            }
    return MPLAN_OK;
}

/* out->encoding: the one that was asked for, where it can say the table, else an error that says
 * why not; NONE: the one that moves the fewest bytes per entry (tables.h). Bases are left in out
 * where index16 was looked at. */
static mplan_status choose_encoding(const mplan_owner_rows *work, mplan_encoding asked,
                                    mplan_owner_table *out, mplan_error *err)
{
    bool auto_choice = asked == MPLAN_ENCODING_NONE, small = false;
    double entries = (double)work->begin[work->n_points];
    const char *lacks = auto_choice || asked == MPLAN_ENCODING_PAIR32 ? no_pairs(work) : NULL;
    out->encoding = asked;
    if (asked == MPLAN_ENCODING_PAIR32 && lacks)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "encoding pair32 needs %s", lacks);
    mplan_status status = MPLAN_OK;
    if (auto_choice || asked == MPLAN_ENCODING_INDEX16)
        status = choose_bases(work, out, &small, err);
    if (!status && asked == MPLAN_ENCODING_INDEX16 && !small)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "encoding index16 cannot hold a point of so many elements");
    if (status || !auto_choice)
        return status;
    double row = 4.0; /* of the map's row that every entry's element needs */
    double escapes = entries > 0 ? (double)out->n_escapes / entries : 0;
    double best = 4.0 + row;
    out->encoding = MPLAN_ENCODING_INDEX32;
    if (small && 2.0 + 4.0 * escapes + row < best) {
        best = 2.0 + 4.0 * escapes + row;
        out->encoding = MPLAN_ENCODING_INDEX16;
    }
    if (!lacks && entries > 0 && 4.0 + 4.0 * (double)work->n_points / entries < best)
        out->encoding = MPLAN_ENCODING_PAIR32;
    return MPLAN_OK;
}

/* Other encodings have neither bases nor escapes. */
static void drop_bases(mplan_owner_table *out)
{
    free(out->base);
    free(out->escape_offsets);
    out->base = NULL;
    out->escape_offsets = NULL;
    out->n_escapes = 0;
}

/* Transposes the maps into (point -> element, slot) rows, lays the rows out in slices
 * of equally many rows of equal length, and encodes their entries. All maps have the same rows
 * and lead to one set. */
mplan_status mplan_table_owner(const mplan_map *maps, int32_t n_maps, const mplan_row_order *order,
                               mplan_encoding encoding, mplan_owner_table *out,
                               const mplan_context *context, mplan_error *err)
{
    assert(maps && order && out && n_maps > 0 && encoding != MPLAN_ENCODING_WINDOWS16);
    mplan_owner_rows work;
    *out = (mplan_owner_table){0};
    mplan_status status = mplan_owner_rows_open(maps, n_maps, order, &work, out,
                                                mplan_team_of(context), err);
    if (!status)
        status = mplan_interrupted(context, err);
    if (!status)
        status = choose_encoding(&work, encoding, out, err);
    if (!status && out->encoding != MPLAN_ENCODING_INDEX16)
        drop_bases(out);
    if (!status)
        status = out->encoding == MPLAN_ENCODING_INDEX16  ? write_index16(&work, out, err)
                 : out->encoding == MPLAN_ENCODING_PAIR32 ? write_pair32(&work, out, err)
                                                          : write_index32(&work, out, err);
    mplan_owner_rows_close(&work, out);
    if (status)
        mplan_table_owner_free(out);
    return status;
}

/* Of a table in any encoding, complete or not; it is empty afterwards. */
void mplan_table_owner_free(mplan_owner_table *table)
{
    assert(table);
    free(table->offsets);
    free(table->entries);
    free(table->base);
    free(table->escape_offsets);
    free(table->escapes);
    free(table->row_start);
    free(table->points);
    free(table->windows);
    free(table->plain);
    *table = (mplan_owner_table){0};
}
