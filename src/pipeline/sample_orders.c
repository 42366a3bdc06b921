/* SPDX-License-Identifier: Apache-2.0 */
/* sample_orders.c - whether an order by coordinates follows the mesh, by a sample
 *
 * Where cells are long and flat (boundary layers, oceans, rock), points that are near in space are far in the
 * mesh, and a Hilbert curve cuts the wrong edges. So windows of its order are ordered again by the mesh's own
 * neighbours (order/agglomerate.c), and the points that runs of elements touch are counted under both orders.
 * A window is round in space, and a long strip of the mesh where cells are flat, so the sample shows what the
 * whole mesh would. */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/threads.h"
#include "mesh/adjacency.h"
#include "order/order.h"
#include "pipeline/sample_orders.h"

/* RUN: elements of a block. ROUND_ROW: others that a row names. */
enum {
    WINDOW = 1024,
    MOST_WINDOWS = 32,
    RUN = 128,
    WIDE_ROW = 128,
    ROUND_ROW = 8,
    PIECE = 1 << 14
};

/* Entries that name another member. */
static int64_t count_others(const mplan_map *map)
{
    int64_t others = 0;
    for (int64_t r = 0; r < map->n_rows; r++) {
        int32_t length;
        const int32_t *row = mplan_map_row(map, r, &length);
        for (int32_t k = 0; k < length; k++)
            others += row[k] >= 0 && row[k] != r;
    }
    return others;
}

bool mplan_planning_names_all_round(const mplan_map *maps, int32_t n_maps)
{
    assert(maps || n_maps == 0);
    int64_t others = 0;
    for (int32_t m = 0; m < n_maps; m++) {
        if (maps[m].from != maps[m].to || maps[m].n_rows != maps[m].n_points)
            return false;
        others += count_others(&maps[m]);
    }
    return n_maps > 0 && others >= ROUND_ROW * maps[0].n_points;
}

/* Windows of equal length at equal distances along an order. */
typedef struct windows {
    int64_t n, count, length; /* members of the order; windows; members of each */
} windows;

/* Up to MOST_WINDOWS windows of WINDOW places, evenly spread, so that at most a quarter of the
 * order is looked at; fewer than 8 x WINDOW points have one window, in the middle, of all of
 * them if they are no more than WINDOW. */
static windows choose_windows(int64_t n)
{
    int64_t count = n / (4 * WINDOW);
    if (count == 0)
        return (windows){n, 1, n < WINDOW ? n : WINDOW};
    return (windows){n, count < MOST_WINDOWS ? count : MOST_WINDOWS, WINDOW};
}

/* Place of a member in the sample: window by window; -1 outside. */
static int32_t sampled(const windows *w, int32_t place)
{
    int64_t index = place * w->count / w->n;
    int64_t begin = ((2 * index + 1) * w->n / w->count - w->length) / 2;
    return place >= begin && place < begin + w->length ? (int32_t)(index * w->length + place - begin)
                                                       : -1;
}

/* Rows of the sample: entries of the maps' rows that lie in the window of their row's first such entry. */
typedef struct sample {
    mplan_vector offsets; /* int64_t: rows + 1 */
    mplan_vector values;  /* int32_t: places in the sample */
} sample;

/* Keeps the entries of the row that lie in one window, as places within the
 * sample. */
static mplan_status add_row(sample *out, const windows *w, const int32_t *row, int32_t length,
                            const int32_t *new_of_old, mplan_error *err)
{
    int64_t begin = out->values.count, window = -1;
    if (!mplan_vector_reserve(&out->values, length, err))
        return MPLAN_ERR_MEMORY;
    int32_t *values = out->values.data;
    for (int32_t k = 0; k < length; k++) {
        int32_t place = row[k] < 0 ? -1 : sampled(w, new_of_old[row[k]]);
        if (place < 0 || (window >= 0 && place / w->length != window))
            continue;
        window = place / w->length;
        values[out->values.count++] = place;
    }
    if (out->values.count - begin < 2) {
        out->values.count = begin;
        return MPLAN_OK;
    }
    return mplan_vector_push(&out->offsets, &out->values.count, err);
}

/* Bits of the places in the windows, and of the points there; rows with two of those may be in the sample. */
typedef struct row_search {
    const mplan_map *map;
    const int32_t *new_of_old;
    int64_t n_points, n_pieces;
    uint8_t *place_bits, *point_bits;
    int64_t *begin; /* n_pieces + 1: of the rows that each piece finds */
    int32_t *rows;  /* NULL: they are counted, in begin */
} row_search;

static inline bool is_set(const uint8_t *bits, int32_t i)
{
    return bits[i >> 3] >> (i & 7) & 1;
}

/* Bytes [begin, end) of point_bits. */
static void mark_points(void *data, int thread, int64_t begin, int64_t end)
{
    const row_search *s = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        uint8_t bits = 0;
        for (int64_t p = 8 * i; p < 8 * i + 8 && p < s->n_points; p++)
            bits |= (uint8_t)(is_set(s->place_bits, s->new_of_old[p]) << (p & 7));
        s->point_bits[i] = bits;
    }
}

/* Rows of pieces [begin, end) that name points of the windows twice. */
static void find_rows(void *data, int thread, int64_t begin, int64_t end)
{
    const row_search *s = data;
    (void)thread;
    for (int64_t p = begin; p < end; p++) {
        const int64_t last = mplan_piece_begin(s->map->n_rows, s->n_pieces, p + 1);
        int64_t found = s->rows ? s->begin[p] : 0;
        for (int64_t r = mplan_piece_begin(s->map->n_rows, s->n_pieces, p); r < last; r++) {
            int32_t length, marked = 0;
            const int32_t *row = mplan_map_row(s->map, r, &length);
            for (int32_t k = 0; k < length; k++)
                marked += row[k] >= 0 && is_set(s->point_bits, row[k]);
            if (marked < 2)
                continue;
            if (s->rows)
                s->rows[found] = (int32_t)r;
            found++;
        }
        if (!s->rows)
            s->begin[p] = found;
    }
}

/* The rows of a map that may be in the sample are found side by side and added in their order. */
static mplan_status add_rows(row_search *s, const windows *w, sample *out, mplan_team *team,
                             mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    int64_t sum = 0;
    s->rows = NULL;
    mplan_for(team, s->n_pieces, 1, find_rows, s);
    for (int64_t p = 0; p < s->n_pieces; p++) {
        int64_t count = s->begin[p];
        s->begin[p] = sum;
        sum += count;
    }
    s->rows = mplan_alloc(sum, sizeof *s->rows, err);
    if (!s->rows)
        return MPLAN_ERR_MEMORY;
    mplan_for(team, s->n_pieces, 1, find_rows, s);
    for (int64_t i = 0; i < sum && !status; i++) {
        int32_t length;
        const int32_t *row = mplan_map_row(s->map, s->rows[i], &length);
        status = add_row(out, w, row, length, s->new_of_old, err);
    }
    free(s->rows);
    return status;
}

/* All rows of all maps; out is used up by the caller. */
static mplan_status take_sample(const mplan_map *maps, int32_t n_maps, const int32_t *new_of_old,
                                const windows *w, sample *out, mplan_team *team, mplan_error *err)
{
    const int64_t n_bytes = w->n / 8 + 1, zero = 0;
    row_search s = {.new_of_old = new_of_old, .n_points = w->n};
    int64_t most = 1;
    for (int32_t m = 0; m < n_maps; m++) {
        int64_t pieces = mplan_pieces(team, maps[m].n_rows, PIECE);
        most = pieces > most ? pieces : most;
    }
    s.place_bits = mplan_alloc_zero(n_bytes, 1, err);
    s.point_bits = mplan_alloc(n_bytes, 1, err);
    s.begin = mplan_alloc(most, sizeof *s.begin, err);
    mplan_status status = s.place_bits && s.point_bits && s.begin
                              ? mplan_vector_push(&out->offsets, &zero, err)
                              : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < w->count && !status; i++) {
        int64_t begin = ((2 * i + 1) * w->n / w->count - w->length) / 2;
        for (int64_t p = begin; p < begin + w->length; p++)
            s.place_bits[p >> 3] |= (uint8_t)(1u << (p & 7));
    }
    if (!status)
        mplan_for(team, n_bytes, PIECE, mark_points, &s);
    for (int32_t m = 0; m < n_maps && !status; m++) {
        s.map = &maps[m];
        s.n_pieces = mplan_pieces(team, maps[m].n_rows, PIECE);
        status = add_rows(&s, w, out, team, err);
    }
    free(s.place_bits);
    free(s.point_bits);
    free(s.begin);
    return status;
}

/* Distinct (run, point) pairs when elements go lexicographic by their points; place NULL: points as they are
 * numbered. */
static mplan_status count_pairs(const mplan_map *map, const int32_t *place, int64_t *pairs,
                                const mplan_context *context, mplan_error *err)
{
    int32_t *new_of_old = mplan_alloc(map->n_rows, sizeof *new_of_old, err);
    int32_t *row_of = mplan_alloc(map->n_rows, sizeof *row_of, err);
    int64_t *last_run = mplan_alloc(map->n_points, sizeof *last_run, err);
    mplan_status status = new_of_old && row_of && last_run
                              ? mplan_order_elements(map, place, new_of_old, context, err)
                              : MPLAN_ERR_MEMORY;
    *pairs = 0;
    if (!status) {
        for (int64_t r = 0; r < map->n_rows; r++)
            row_of[new_of_old[r]] = (int32_t)r;
        for (int64_t p = 0; p < map->n_points; p++)
            last_run[p] = -1;
        for (int64_t i = 0; i < map->n_rows; i++) {
            int32_t n;
            const int32_t *row = mplan_map_row(map, row_of[i], &n);
            for (int32_t k = 0; k < n; k++) {
                *pairs += last_run[row[k]] != i / RUN;
                last_run[row[k]] = i / RUN;
            }
        }
    }
    free(new_of_old);
    free(row_of);
    free(last_run);
    return status;
}

/* *share: distinct (block, point) pairs of runs along the curve over those along
 * clusters, in the sample: above 1 coordinates mislead. */
mplan_status mplan_planning_curve_share(const mplan_map *maps, int32_t n_maps,
                                        const int32_t *new_of_old, const mplan_context *context,
                                        double *share, mplan_error *err)
{
    assert((maps || n_maps == 0) && new_of_old && share);
    *share = 1;
    if (n_maps == 0 || maps[0].n_points == 0)
        return MPLAN_OK;
    windows w = choose_windows(maps[0].n_points);
    sample rows = {MPLAN_VECTOR_INIT(sizeof(int64_t)), MPLAN_VECTOR_INIT(sizeof(int32_t))};
    mplan_csr graph = {0};
    int64_t pairs[2] = {0, 0};
    int32_t *place = mplan_alloc(w.count * w.length, sizeof *place, err);
    mplan_status status = place ? take_sample(maps, n_maps, new_of_old, &w, &rows,
                                              mplan_team_of(context), err)
                                : MPLAN_ERR_MEMORY;
    mplan_map map = {
        "sample",        0, 1, 0, rows.offsets.count - 1, w.count * w.length, rows.offsets.data,
        rows.values.data};
    if (!status)
        status = mplan_graph_of_points(&map, 1, WIDE_ROW, &graph, context, err);
    if (!status)
        status = mplan_order_agglomerate(&graph, place, context, err);
    if (!status)
        status = count_pairs(&map, NULL, &pairs[0], context, err);
    if (!status)
        status = count_pairs(&map, place, &pairs[1], context, err);
    if (!status && pairs[0] > 0)
        *share = (double)pairs[1] / (double)pairs[0];
    mplan_csr_free(&graph);
    free(place);
    free(rows.offsets.data);
    free(rows.values.data);
    return status;
}
