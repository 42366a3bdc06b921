/* SPDX-License-Identifier: Apache-2.0 */
/* derive_match.c - which cells meet at the local faces of each cell
 *
 * A half face is a local face of one cell. Half faces are dealt out to some
 * hundred ranges of nodes by their lowest node, then each range, which fits a
 * cache, to buckets of one lowest node; two counting sorts that keep the order
 * of (cell, face). Each bucket is sorted by the other corners, and equal
 * neighbours are one face. Buckets are short in meshes, so they are sorted by
 * insertion; a hub's long bucket by qsort, under a total order. Scratch: 24
 * bytes a half face and, for each thread, as much again for those of the fullest
 * range, beside the 4 bytes a half face of the result.
 *
 * Threads deal out pieces of the cells, each behind those of the pieces before, and
 * then take ranges: what is matched, and which error is found first, does not depend
 * on them. */
#include "meshplan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "mesh/derive.h"
#include "mesh/mesh_checks.h"

#define INSERTION_LIMIT 64
#define MAX_RANGES 256 /* streams written side by side: few enough for the TLB */
enum { PIECE = 1 << 14, HALF_FACES = 1 << 14 }; /* cells, and half faces of ranges, at least */

typedef struct half_face {
    uint64_t middle; /* second and third lowest corner, high and low half; absent: all ones */
    int32_t fourth;  /* or -1 */
    int32_t lowest, cell, face;
} half_face;

/* Nodes [r << shift, (r + 1) << shift) are range r, whose half faces end at ends[r]. */
typedef struct node_ranges {
    int shift;
    int32_t n;
    int64_t ends[MAX_RANGES], fullest; /* half faces of the range with most */
} node_ranges;

/* What was found in one range: the result but for `mate`, and whether it is refused. */
typedef struct range_match {
    mplan_face_match found;
    mplan_status status;
} range_match;

/* What the loops over pieces of the cells and over ranges share. */
typedef struct matching {
    const mplan_cell_table *cells;
    node_ranges ranges;
    int64_t n_pieces;
    int64_t *places; /* [piece * ranges.n + range]: half faces, later the next one's place in `half` */
    half_face *half;
    int64_t *next;      /* per thread: for the nodes of one range, ends of their buckets */
    half_face *sorted;  /* per thread: the half faces of one range */
    range_match *match; /* per range */
} matching;

/* key: the face's nodes ascending, -1 for the fourth of a triangle; key[0] says which bucket it
 * is in. */
static half_face half_face_of(const int32_t key[MPLAN_FACE_CORNERS], int64_t cell, int32_t face)
{
    half_face half = {(uint64_t)(uint32_t)key[1] << 32 | (uint32_t)key[2], key[3], key[0],
                      (int32_t)cell, face};
    return half;
}

/* The lowest node is equal already. */
static inline bool same_face(const half_face *a, const half_face *b)
{
    return a->middle == b->middle && a->fourth == b->fourth;
}

/* Order of half faces with one lowest node: by the other corners, then by cell and
 * local face, which makes the result independent of the sort. */
static int compare_half_faces(const void *a, const void *b)
{
    const half_face *x = a, *y = b;
    if (x->middle != y->middle)
        return x->middle < y->middle ? -1 : 1;
    if (x->fourth != y->fourth)
        return x->fourth < y->fourth ? -1 : 1;
    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    return (x->face > y->face) - (x->face < y->face);
}

/* A bucket arrives in the order of (cell, face), which insertion keeps. */
static void sort_bucket(half_face *half, int64_t n)
{
    if (n > INSERTION_LIMIT) {
        qsort(half, (size_t)n, sizeof *half, compare_half_faces);
        return;
    }
    for (int64_t i = 1; i < n; i++) {
        half_face moving = half[i];
        int64_t j = i;
        for (; j > 0; j--) {
            const half_face *left = &half[j - 1];
            if (left->middle < moving.middle ||
                (left->middle == moving.middle && left->fourth <= moving.fourth))
                break;
            half[j] = *left;
        }
        half[j] = moving;
    }
}

/* A quad that goes to and fro has no collapsed side. */
static bool goes_to_and_fro(const mplan_cell_shape *shape, const int32_t *node)
{
    return shape->dimension == 2 && shape->n_corners == 4 && node[0] == node[2];
}

/* Counts the half faces of a cell by range; whether one of its faces has a node twice. */
static bool count_cell(const matching *m, const mplan_cell_shape *shape, const int32_t *node,
                       int64_t *count)
{
    bool repeats = goes_to_and_fro(shape, node);
    for (int32_t f = 0; f < shape->n_faces; f++) {
        int32_t corner[MPLAN_FACE_CORNERS];
        int32_t n = mplan_face_corners(shape, node, f, corner), lowest = INT32_MAX;
        repeats = repeats || n < shape->face_size[f];
        if (n < shape->dimension)
            continue;
        for (int32_t k = 0; k < n; k++)
            lowest = corner[k] < lowest ? corner[k] : lowest;
        count[lowest >> m->ranges.shift]++;
    }
    return repeats;
}

/* Pieces [begin, end): half faces of each range. The first cell that is collapsed to nothing;
 * INT64_MAX: none is. */
static int64_t count_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const matching *m = data;
    const int64_t n_cells = m->cells->nodes.n_rows;
    int64_t first = INT64_MAX;
    (void)thread;
    for (int64_t p = begin; p < end; p++) {
        int64_t *count = m->places + p * m->ranges.n;
        memset(count, 0, (size_t)m->ranges.n * sizeof *count);
        const int64_t last = mplan_piece_begin(n_cells, m->n_pieces, p + 1);
        for (int64_t c = mplan_piece_begin(n_cells, m->n_pieces, p); c < last; c++) {
            const int32_t *node;
            const mplan_cell_shape *shape = mplan_table_cell(m->cells, c, &node);
            if (count_cell(m, shape, node, count) && c < first &&
                mplan_check_corners(c, shape, node, NULL))
                first = c;
        }
    }
    return first;
}

/* Pieces [begin, end): puts every half face into its range, behind those of the pieces before. */
static void fill_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const matching *m = data;
    const int64_t n_cells = m->cells->nodes.n_rows;
    (void)thread;
    for (int64_t p = begin; p < end; p++) {
        int64_t *place = m->places + p * m->ranges.n;
        const int64_t last = mplan_piece_begin(n_cells, m->n_pieces, p + 1);
        for (int64_t c = mplan_piece_begin(n_cells, m->n_pieces, p); c < last; c++) {
            const int32_t *node;
            const mplan_cell_shape *shape = mplan_table_cell(m->cells, c, &node);
            for (int32_t f = 0; f < shape->n_faces; f++) {
                int32_t corner[MPLAN_FACE_CORNERS];
                int32_t n = mplan_face_corners(shape, node, f, corner);
                if (n < shape->dimension)
                    continue;
                mplan_face_key(corner, n);
                m->half[place[corner[0] >> m->ranges.shift]++] = half_face_of(corner, c, f);
            }
        }
    }
}

/* A cell whose local faces coincide in pairs is folded there, and the pairs
 * cancel: keeps the first of an odd number. Returns how many remain. */
static int64_t drop_folds(half_face *run, int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n;) {
        int64_t end = i + 1;
        while (end < n && run[end].cell == run[i].cell)
            end++;
        if ((end - i) % 2 == 1)
            run[kept++] = run[i];
        i = end;
    }
    return kept;
}

/* Corners of a half face: corners that it does not have are stored as -1. */
static int32_t face_size(const half_face *half)
{
    if (half->fourth >= 0)
        return 4;
    if ((uint32_t)half->middle != UINT32_MAX)
        return 3;
    return half->middle != UINT64_MAX ? 2 : 1;
}

/* run: n half faces with the same corners, n > 2. Names the nodes and the first cells. */
static mplan_status too_many_cells(const half_face *run, int64_t n, mplan_error *err)
{
    char nodes[64];
    int32_t corner[MPLAN_FACE_CORNERS] = {run->lowest, (int32_t)(run->middle >> 32),
                                          (int32_t)(uint32_t)run->middle, run->fourth};
    int length = snprintf(nodes, sizeof nodes, "%d", corner[0]);
    for (int i = 1; i < face_size(run); i++)
        length += snprintf(nodes + length, sizeof nodes - (size_t)length, ", %d", corner[i]);
    return mplan_fail(err, MPLAN_ERR_MESH,
                      "%lld cells meet at one face (nodes %s): cells %d, %d, %d%s", (long long)n,
                      nodes, run[0].cell, run[1].cell, run[2].cell, n > 3 ? ", ..." : "");
}

/* Counts a face of n cells, more than two; of the first of them it is kept where it is. */
static void note_crowded(const half_face *run, int64_t n, mplan_face_match *match)
{
    if (match->n_crowded++ > 0)
        return;
    match->crowded_node[0] = run->lowest;
    match->crowded_node[1] = face_size(run) > 1 ? (int32_t)(run->middle >> 32) : -1;
    match->crowded_face = run->face;
    match->crowded_size = n;
    for (int i = 0; i < 3; i++)
        match->crowded_cells[i] = run[i].cell;
}

/* Half faces with equal corners, ascending by (cell, face). */
static mplan_status match_run(const mplan_cell_table *cells, half_face *run, int64_t n,
                              int32_t *mate, mplan_face_match *match, mplan_error *err)
{
    n = drop_folds(run, n);
    if (n == 0)
        return MPLAN_OK;
    if (n > 2 && cells->manifold)
        return too_many_cells(run, n, err);
    if (n > 2) {
        note_crowded(run, n, match);
        return MPLAN_OK;
    }
    int32_t size = face_size(run);
    int64_t stride = cells->stride;
    if (n == 1) {
        mate[run->cell * stride + run->face] = MPLAN_MATE_BOUNDARY;
        match->n_boundary[size]++;
    } else {
        mate[run[0].cell * stride + run[0].face] = run[1].cell;
        mate[run[1].cell * stride + run[1].face] = run[0].cell;
        match->n_inner[size]++;
    }
    return MPLAN_OK;
}

/* half: all half faces with one lowest node. Runs of equal corners are one face: one
 * half face lies on the boundary, two join cells, more are an error. */
static mplan_status match_bucket(const mplan_cell_table *cells, half_face *half, int64_t n,
                                 int32_t *mate, mplan_face_match *match, mplan_error *err)
{
    sort_bucket(half, n);
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; !status && i < n;) {
        int64_t end = i + 1;
        while (end < n && same_face(&half[end], &half[i]))
            end++;
        status = match_run(cells, half + i, end - i, mate, match, err);
        i = end;
    }
    return status;
}

/* Sorts the n half faces of a range by lowest node into `sorted`; the bucket of node v of the range
 * then ends at next[v]. */
static void sort_range(const node_ranges *ranges, const half_face *half, int64_t n, int64_t *next,
                       half_face *sorted)
{
    int64_t width = INT64_C(1) << ranges->shift, sum = 0;
    int32_t mask = (int32_t)(width - 1);
    memset(next, 0, (size_t)width * sizeof *next);
    for (int64_t i = 0; i < n; i++)
        next[half[i].lowest & mask]++;
    for (int64_t v = 0; v < width; v++) {
        int64_t count = next[v];
        next[v] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++)
        sorted[next[half[i].lowest & mask]++] = half[i];
}

/* Half faces of range r are sorted by lowest node within memory that fits a cache, then matched
 * bucket by bucket. */
static mplan_status match_range(const matching *m, int thread, int64_t r, mplan_error *err)
{
    const node_ranges *ranges = &m->ranges;
    const int64_t width = INT64_C(1) << ranges->shift, first = r > 0 ? ranges->ends[r - 1] : 0;
    int64_t *next = m->next + thread * width, begin = 0;
    half_face *sorted = m->sorted + thread * ranges->fullest;
    mplan_face_match *found = &m->match[r].found;
    mplan_status status = MPLAN_OK;
    const int64_t n = ranges->ends[r] - first;
    sort_range(ranges, m->half + first, n, next, sorted);
    for (int64_t v = 0; !status && v < width; v++) {
        for (int64_t i = begin; i < next[v] && i + MPLAN_FETCH_DISTANCE < n; i++) {
            const half_face *soon = &sorted[i + MPLAN_FETCH_DISTANCE];
            mplan_fetch(found->mate + soon->cell * (int64_t)m->cells->stride + soon->face);
        }
        if (next[v] > begin)
            status = match_bucket(m->cells, sorted + begin, next[v] - begin, found->mate, found, err);
        begin = next[v];
    }
    return status;
}

/* Ranges [begin, end); an error is only noted. */
static void match_ranges(void *data, int thread, int64_t begin, int64_t end)
{
    const matching *m = data;
    for (int64_t r = begin; r < end; r++)
        m->match[r].status = match_range(m, thread, r, NULL);
}

/* Slots [begin, end) have no face as yet. */
static void clear_mates(void *data, int thread, int64_t begin, int64_t end)
{
    int32_t *mate = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        mate[i] = MPLAN_MATE_NONE;
}

/* The first error, in words; without one, all ranges together. */
static mplan_status collect_matches(const matching *m, mplan_face_match *all, mplan_error *err)
{
    for (int32_t r = 0; r < m->ranges.n; r++) {
        const mplan_face_match *found = &m->match[r].found;
        if (m->match[r].status)
            return match_range(m, 0, r, err);
        for (int32_t size = 0; size <= MPLAN_FACE_CORNERS; size++) {
            all->n_inner[size] += found->n_inner[size];
            all->n_boundary[size] += found->n_boundary[size];
        }
        if (all->n_crowded == 0 && found->n_crowded > 0) {
            memcpy(all->crowded_node, found->crowded_node, sizeof all->crowded_node);
            memcpy(all->crowded_cells, found->crowded_cells, sizeof all->crowded_cells);
            all->crowded_face = found->crowded_face;
            all->crowded_size = found->crowded_size;
        }
        all->n_crowded += found->n_crowded;
    }
    return MPLAN_OK;
}

/* From counts to places: range by range, within it piece by piece. Returns how many there are. */
static int64_t place_pieces(matching *m)
{
    int64_t sum = 0;
    m->ranges.fullest = 0;
    for (int32_t r = 0; r < m->ranges.n; r++) {
        int64_t first = sum;
        for (int64_t p = 0; p < m->n_pieces; p++) {
            int64_t *place = &m->places[p * m->ranges.n + r], count = *place;
            *place = sum;
            sum += count;
        }
        m->ranges.ends[r] = sum;
        m->ranges.fullest = sum - first > m->ranges.fullest ? sum - first : m->ranges.fullest;
    }
    return sum;
}

/* Chooses ranges, and counts the half faces of each in every piece of the cells, none of which may be
 * collapsed to nothing. */
static mplan_status count_half_faces(matching *m, const mplan_context *context, mplan_error *err)
{
    const mplan_cell_table *cells = m->cells;
    mplan_team *team = mplan_team_of(context);
    int64_t last = cells->nodes.n_points > 0 ? cells->nodes.n_points - 1 : 0;
    while (last >> m->ranges.shift >= MAX_RANGES)
        m->ranges.shift++;
    m->ranges.n = (int32_t)(last >> m->ranges.shift) + 1;
    m->n_pieces = mplan_pieces(team, cells->nodes.n_rows, PIECE);
    m->places = mplan_alloc(m->n_pieces * m->ranges.n, sizeof *m->places, err);
    if (!m->places)
        return MPLAN_ERR_MEMORY;
    int64_t bad = mplan_for_least(team, m->n_pieces, 1, count_pieces, m, INT64_MAX);
    if (bad == INT64_MAX)
        return mplan_interrupted(context, err);
    const int32_t *node;
    const mplan_cell_shape *shape = mplan_table_cell(cells, bad, &node);
    return mplan_check_corners(bad, shape, node, err);
}

/* Memory for the half faces, and for what each thread sorts. */
static mplan_status open_matching(matching *m, const mplan_context *context, int32_t *mate,
                                  mplan_error *err)
{
    const int64_t n_half = place_pieces(m), slots = mplan_team_threads(mplan_team_of(context));
    if (!(m->half = mplan_alloc(n_half, sizeof *m->half, err)) ||
        !(m->next = mplan_alloc(slots << m->ranges.shift, sizeof *m->next, err)) ||
        !(m->sorted = mplan_alloc(slots * m->ranges.fullest, sizeof *m->sorted, err)) ||
        !(m->match = mplan_alloc_zero(m->ranges.n, sizeof *m->match, err)))
        return MPLAN_ERR_MEMORY;
    for (int32_t r = 0; r < m->ranges.n; r++)
        m->match[r].found.mate = mate;
    return MPLAN_OK;
}

/* How many ranges one call matches: those of small meshes have few half faces each. */
static int64_t ranges_of_a_piece(const matching *m)
{
    const int64_t n_half = m->ranges.ends[m->ranges.n - 1];
    return n_half < HALF_FACES ? m->ranges.n : 1 + m->ranges.n * (int64_t)HALF_FACES / (n_half + 1);
}

/* mate: out, stride slots a cell: the cell on the other side of each local face,
 * negative on the boundary or where there is no face. Owned by the caller on success. */
mplan_status mplan_match_faces(const mplan_cell_table *cells, const mplan_context *context,
                               mplan_face_match *match, mplan_error *err)
{
    const int64_t n_slots = cells->nodes.n_rows * cells->stride;
    mplan_team *team = mplan_team_of(context);
    mplan_face_match made = {.mate = NULL};
    matching m = {.cells = cells};
    mplan_status status = count_half_faces(&m, context, err);
    if (!status && !(made.mate = mplan_alloc(n_slots, sizeof *made.mate, err)))
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = open_matching(&m, context, made.mate, err);
    if (!status)
        status = mplan_for_heeding(team, m.n_pieces, 1, fill_pieces, &m, context, err);
    if (!status) {
        mplan_for(team, n_slots, PIECE, clear_mates, made.mate);
        status = mplan_for_heeding(team, m.ranges.n, ranges_of_a_piece(&m), match_ranges, &m,
                                   context, err);
    }
    if (!status)
        status = collect_matches(&m, &made, err);
    free(m.places);
    free(m.half);
    free(m.next);
    free(m.sorted);
    free(m.match);
    if (!status)
        *match = made;
    else
        free(made.mate);
    return status;
}
