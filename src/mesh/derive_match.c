/* SPDX-License-Identifier: Apache-2.0 */
/* derive_match.c - which cells meet at the local faces of each cell
 *
 * A half face is a local face of one cell. Half faces are dealt out to some
 * hundred ranges of nodes by their lowest node, then each range, which fits a
 * cache, to buckets of one lowest node; two counting sorts that keep the order
 * of (cell, face). Each bucket is sorted by the other corners, and equal
 * neighbours are one face. Buckets are short in meshes, so they are sorted by
 * insertion; a hub's long bucket by qsort, under a total order. Scratch: 24
 * bytes a half face and as much again for those of the fullest range, beside
 * the 4 bytes a half face of the result. */
#include "meshplan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/derive.h"
#include "mesh/mesh_checks.h"

#define INSERTION_LIMIT 64
#define MAX_RANGES 256 /* streams written side by side: few enough for the TLB */
#define PAUSE_MASK ((INT64_C(1) << 20) - 1)

typedef struct half_face {
    uint64_t middle; /* second and third lowest corner, high and low half; absent: all ones */
    int32_t fourth;  /* or -1 */
    int32_t lowest, cell, face;
} half_face;

/* Nodes [r << shift, (r + 1) << shift) are range r, whose half faces end at
 * ends[r]. next has room for the buckets of one range, sorted for the half
 * faces of the fullest. */
typedef struct node_ranges {
    int shift;
    int32_t n;
    int64_t ends[MAX_RANGES];
    int64_t *next;
    half_face *sorted;
} node_ranges;

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

/* Counts the half faces of every range into ends, and checks that no cell is
 * collapsed to nothing. */
static mplan_status count_half_faces(const mplan_cell_table *cells, const mplan_context *context,
                                     node_ranges *ranges, mplan_error *err)
{
    for (int64_t c = 0; c < cells->nodes.n_rows; c++) {
        const int32_t *node;
        const mplan_cell_shape *shape = mplan_table_cell(cells, c, &node);
        /* a quad that goes to and fro has no collapsed side */
        bool repeats = shape->dimension == 2 && shape->n_corners == 4 && node[0] == node[2];
        for (int32_t f = 0; f < shape->n_faces; f++) {
            int32_t corner[MPLAN_FACE_CORNERS];
            int32_t n = mplan_face_corners(shape, node, f, corner);
            repeats = repeats || n < shape->face_size[f];
            if (n < shape->dimension)
                continue;
            mplan_face_key(corner, n);
            ranges->ends[corner[0] >> ranges->shift]++;
        }
        mplan_status status = MPLAN_OK;
        if (repeats)
            status = mplan_check_corners(c, shape, node, err);
        if (!status && (c & PAUSE_MASK) == PAUSE_MASK)
            status = mplan_interrupted(context, err);
        if (status)
            return status;
    }
    return MPLAN_OK;
}

/* Puts every half face into its range. ends: first free place of the range, on
 * return its end. */
static mplan_status fill_ranges(const mplan_cell_table *cells, const mplan_context *context,
                                node_ranges *ranges, half_face *half, mplan_error *err)
{
    for (int64_t c = 0; c < cells->nodes.n_rows; c++) {
        const int32_t *node;
        const mplan_cell_shape *shape = mplan_table_cell(cells, c, &node);
        for (int32_t f = 0; f < shape->n_faces; f++) {
            int32_t corner[MPLAN_FACE_CORNERS];
            int32_t n = mplan_face_corners(shape, node, f, corner);
            if (n < shape->dimension)
                continue;
            mplan_face_key(corner, n);
            half[ranges->ends[corner[0] >> ranges->shift]++] = half_face_of(corner, c, f);
        }
        if ((c & PAUSE_MASK) == PAUSE_MASK) {
            mplan_status status = mplan_interrupted(context, err);
            if (status)
                return status;
        }
    }
    return MPLAN_OK;
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

/* Counts a face of more than two cells; of the first of them it is kept where it is. */
static void note_crowded(const half_face *run, mplan_face_match *match)
{
    if (match->n_crowded++ > 0)
        return;
    match->crowded_node[0] = run->lowest;
    match->crowded_node[1] = face_size(run) > 1 ? (int32_t)(run->middle >> 32) : -1;
    for (int i = 0; i < 3; i++)
        match->crowded_cells[i] = run[i].cell;
}

/* Half faces with equal corners, ascending by (cell, face). */
static mplan_status match_run(const mplan_cell_table *cells, half_face *run, int64_t n,
                              mplan_face_match *match, mplan_error *err)
{
    n = drop_folds(run, n);
    if (n == 0)
        return MPLAN_OK;
    if (n > 2 && cells->manifold)
        return too_many_cells(run, n, err);
    if (n > 2) {
        note_crowded(run, match);
        return MPLAN_OK;
    }
    int32_t size = face_size(run);
    int64_t stride = cells->stride;
    if (n == 1) {
        match->mate[run->cell * stride + run->face] = MPLAN_MATE_BOUNDARY;
        match->n_boundary[size]++;
    } else {
        match->mate[run[0].cell * stride + run[0].face] = run[1].cell;
        match->mate[run[1].cell * stride + run[1].face] = run[0].cell;
        match->n_inner[size]++;
    }
    return MPLAN_OK;
}

/* half: all half faces with one lowest node. Runs of equal corners are one face: one
 * half face lies on the boundary, two join cells, more are an error. */
static mplan_status match_bucket(const mplan_cell_table *cells, half_face *half, int64_t n,
                                 mplan_face_match *match, mplan_error *err)
{
    sort_bucket(half, n);
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; !status && i < n;) {
        int64_t end = i + 1;
        while (end < n && same_face(&half[end], &half[i]))
            end++;
        status = match_run(cells, half + i, end - i, match, err);
        i = end;
    }
    return status;
}

/* Sorts the n half faces of a range by lowest node into ranges->sorted; the
 * bucket of node v of the range then ends at next[v]. */
static void sort_range(const node_ranges *ranges, const half_face *half, int64_t n)
{
    int64_t width = INT64_C(1) << ranges->shift, sum = 0;
    int32_t mask = (int32_t)(width - 1);
    int64_t *next = ranges->next;
    memset(next, 0, (size_t)width * sizeof *next);
    for (int64_t i = 0; i < n; i++)
        next[half[i].lowest & mask]++;
    for (int64_t v = 0; v < width; v++) {
        int64_t count = next[v];
        next[v] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++)
        ranges->sorted[next[half[i].lowest & mask]++] = half[i];
}

/* Range by range of nodes: half faces are sorted by lowest node within memory that fits
 * a cache, then matched bucket by bucket. ends[r]: end of range r in half. */
static mplan_status match_ranges(const mplan_cell_table *cells, const mplan_context *context,
                                 const node_ranges *ranges, const half_face *half,
                                 mplan_face_match *match, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    int64_t width = INT64_C(1) << ranges->shift;
    for (int32_t r = 0; !status && r < ranges->n; r++) {
        const half_face *first = half + (r > 0 ? ranges->ends[r - 1] : 0);
        sort_range(ranges, first, half + ranges->ends[r] - first);
        int64_t begin = 0;
        for (int64_t v = 0; !status && v < width; v++) {
            int64_t end = ranges->next[v];
            if (end > begin)
                status = match_bucket(cells, ranges->sorted + begin, end - begin, match, err);
            begin = end;
        }
        if (!status)
            status = mplan_interrupted(context, err);
    }
    return status;
}

/* Chooses ranges and finds the place of each among the half faces. */
static mplan_status open_ranges(const mplan_cell_table *cells, const mplan_context *context,
                                node_ranges *ranges, int64_t *n_half, mplan_error *err)
{
    int64_t last = cells->nodes.n_points > 0 ? cells->nodes.n_points - 1 : 0;
    while (last >> ranges->shift >= MAX_RANGES)
        ranges->shift++;
    ranges->n = (int32_t)(last >> ranges->shift) + 1;
    mplan_status status = count_half_faces(cells, context, ranges, err);
    if (status)
        return status;
    int64_t fullest = 0;
    *n_half = 0;
    for (int32_t r = 0; r < ranges->n; r++) {
        int64_t count = ranges->ends[r];
        ranges->ends[r] = *n_half;
        *n_half += count;
        fullest = count > fullest ? count : fullest;
    }
    if (!(ranges->next = mplan_alloc(INT64_C(1) << ranges->shift, sizeof *ranges->next, err)) ||
        !(ranges->sorted = mplan_alloc(fullest, sizeof *ranges->sorted, err)))
        return MPLAN_ERR_MEMORY;
    return MPLAN_OK;
}

/* mate: out, stride slots a cell: the cell on the other side of each local face,
 * negative on the boundary or where there is no face. Owned by the caller on success. */
mplan_status mplan_match_faces(const mplan_cell_table *cells, const mplan_context *context,
                               mplan_face_match *match, mplan_error *err)
{
    int64_t n_half, n_slots = cells->nodes.n_rows * cells->stride;
    mplan_face_match made = {.mate = NULL};
    node_ranges ranges = {0, 0, {0}, NULL, NULL};
    half_face *half = NULL;
    mplan_status status = open_ranges(cells, context, &ranges, &n_half, err);
    if (!status && (!(half = mplan_alloc(n_half, sizeof *half, err)) ||
                    !(made.mate = mplan_alloc(n_slots, sizeof *made.mate, err))))
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = fill_ranges(cells, context, &ranges, half, err);
    for (int64_t i = 0; !status && i < n_slots; i++)
        made.mate[i] = MPLAN_MATE_NONE;
    if (!status)
        status = match_ranges(cells, context, &ranges, half, &made, err);
    free(half);
    free(ranges.next);
    free(ranges.sorted);
    if (!status)
        *match = made;
    else
        free(made.mate);
    return status;
}
