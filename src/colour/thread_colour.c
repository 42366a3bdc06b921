/* SPDX-License-Identifier: Apache-2.0 */
/* thread_colour.c - colours of the elements of each block by itself
 *
 * First fit after Welsh & Powell, Comput. J. 10 (1967), in the block's order. Where
 * that takes more colours than the most elements of a point, which no colouring
 * goes below, the colours of a lattice are tried (lattice.c), edge colours where
 * elements have two points at most (vizing.c), and saturation (dsatur.c); the
 * fewest colours stay. Blocks are independent, so that they run in parallel. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "base/point_table.h"
#include "colour/colour.h"
#include "colour/conflict.h"
#include "colour/edge_colour.h"
#include "plan/packed.h"

enum { WINDOW = 64, NONE = -1, STEPS_AN_EDGE = 64, BLOCKS = 8 };

/* What a thread needs to colour one block. */
typedef struct workspace {
    mplan_point_table table;
    int32_t *element;        /* position in the block of each element, holes left out */
    int32_t *entry;          /* small ids of the points of each element, each once */
    int64_t *offset;         /* where the entries of each element begin */
    int32_t *count;          /* elements of each small id */
    int32_t *last;           /* element that met a small id last */
    uint64_t *seen;          /* colours of the window that each small id has */
    int32_t *colour, *other; /* per element: the best colours, and a trial */
    int32_t *ends, *incident, *path, *waiting; /* of edges; the first two 2 an element */
    int64_t *start;                            /* of the elements of each small id */
    int32_t *touching, *scratch; /* scratch: no element has more in the lists of its points */
    uint64_t *around;            /* per element */
} workspace;

/* The block at hand. */
typedef struct block {
    int32_t n, n_points, bound;
    bool edges; /* no element has more than two points */
} block;

/* The blocks whose elements get colours: block b is positions offsets[b] ...
 * offsets[b + 1] - 1. */
typedef struct block_list {
    const mplan_map *maps;
    int32_t n_maps;
    const int64_t *offsets;
    const int32_t *sequence;
    const int32_t *lattice; /* colours of all elements; may be NULL */
    int32_t lattice_colours;
    workspace *work; /* per thread */
    uint16_t *colour, *block_colours;
} block_list;

static inline int64_t element_at(const block_list *blocks, int64_t position)
{
    return blocks->sequence ? blocks->sequence[position] : position;
}

/* Entries of all maps in the rows at positions [begin, end) of the sequence; holes have
 * none. */
static int64_t count_entries(const block_list *blocks, int64_t begin, int64_t end)
{
    int64_t count = 0, arity = 0;
    bool fixed = true;
    for (int32_t m = 0; m < blocks->n_maps; m++) {
        fixed = fixed && blocks->maps[m].arity > 0;
        arity += blocks->maps[m].arity;
    }
    if (fixed && !blocks->sequence)
        return (end - begin) * arity;
    for (int64_t p = begin; p < end; p++) {
        int64_t e = element_at(blocks, p);
        for (int32_t m = 0; m < blocks->n_maps && e >= 0; m++) {
            int32_t n;
            mplan_map_row(&blocks->maps[m], e, &n);
            count += n;
        }
    }
    return count;
}

/* Elements of the block, and small ids of their points in place of their numbers, so that words
 * per point are as few as the block has points. bound: the most elements at one of them, below
 * which no colouring goes; 1 for elements without points. */
static block collect(const block_list *blocks, int64_t begin, int64_t end, workspace *work)
{
    block out = {.edges = true};
    int64_t count = 0;
    mplan_point_table_begin(&work->table);
    for (int64_t p = begin; p < end; p++) {
        int64_t e = element_at(blocks, p), first = count;
        if (e < 0)
            continue;
        work->element[out.n] = (int32_t)(p - begin);
        work->offset[out.n] = count;
        for (int32_t m = 0; m < blocks->n_maps; m++) {
            int32_t n;
            const int32_t *point = mplan_map_row(&blocks->maps[m], e, &n);
            uint64_t set = (uint64_t)(uint32_t)blocks->maps[m].to << 32;
            for (int32_t k = 0; k < n; k++) {
                if (point[k] < 0)
                    continue;
                int32_t id = mplan_point_table_id(&work->table, set | (uint32_t)point[k]);
                if (id == out.n_points) {
                    out.n_points++;
                    work->count[id] = 0;
                    work->last[id] = NONE;
                }
                if (work->last[id] == out.n)
                    continue;
                work->last[id] = out.n;
                work->entry[count++] = id;
                if (++work->count[id] > out.bound)
                    out.bound = work->count[id];
            }
        }
        out.edges = out.edges && count - first <= 2;
        out.n++;
    }
    work->offset[out.n] = count;
    if (out.bound == 0 && out.n > 0)
        out.bound = 1;
    return out;
}

/* Each element takes the lowest colour that none of its points has seen, window by window of 64
 * colours: seen has the colours of one window. work->colour: per element; returns the number of
 * colours of the block. */
static int32_t first_fit(const block *at, workspace *work)
{
    int32_t n_colours = 0, left = at->n;
    for (int32_t e = 0; e < at->n; e++)
        work->colour[e] = NONE;
    for (int32_t first = 0; left > 0; first += WINDOW) {
        memset(work->seen, 0, ((size_t)at->n_points + 1) * sizeof *work->seen);
        for (int32_t e = 0; e < at->n; e++) {
            if (work->colour[e] != NONE)
                continue;
            uint64_t taken = 0;
            for (int64_t i = work->offset[e]; i < work->offset[e + 1]; i++)
                taken |= work->seen[work->entry[i]];
            if (taken == UINT64_MAX)
                continue;
            int32_t bit = __builtin_ctzll(~taken);
            for (int64_t i = work->offset[e]; i < work->offset[e + 1]; i++)
                work->seen[work->entry[i]] |= UINT64_C(1) << bit;
            work->colour[e] = first + bit;
            if (n_colours < first + bit + 1)
                n_colours = first + bit + 1;
            left--;
        }
    }
    return n_colours;
}

/* Colours of the block's elements from the lattice of the whole mesh, renumbered from 0
 * in the order in which they occur. Result in work->other, one per element; returns the
 * number of colours. */
static int32_t by_lattice(const block_list *blocks, int64_t begin, const block *at, workspace *work)
{
    int32_t number[MPLAN_MOST_COLOURS], n_colours = 0;
    for (int32_t c = 0; c < blocks->lattice_colours; c++)
        number[c] = NONE;
    for (int32_t e = 0; e < at->n; e++) {
        int32_t c = blocks->lattice[element_at(blocks, begin + work->element[e])];
        if (number[c] == NONE)
            number[c] = n_colours++;
        work->other[e] = number[c];
    }
    return n_colours;
}

/* For elements with at most two points: tries to improve the n_colours colours in
 * work->colour by exchanging colours along paths (vizing.c). Result in work->other;
 * returns the number of colours. */
static int32_t by_edges(const block *at, int32_t n_colours, workspace *work)
{
    for (int32_t e = 0; e < at->n; e++)
        for (int32_t k = 0; k < 2; k++)
            work->ends[2 * e + k] = work->offset[e] + k < work->offset[e + 1]
                                        ? work->entry[work->offset[e] + k]
                                        : NONE;
    memcpy(work->other, work->colour, (size_t)at->n * sizeof *work->other);
    mplan_edge_colouring c = {.edges = {at->n_points, at->n, work->ends},
                              .colour = work->other,
                              .offsets = work->start,
                              .incident = work->incident,
                              .used = work->seen,
                              .path = work->path,
                              .waiting = work->waiting,
                              .path_room = at->n,
                              .steps = (int64_t)at->n * STEPS_AN_EDGE};
    return mplan_colour_edges_again(&c, at->bound, n_colours);
}

/* Elements as items, the block's local points as points: work->start and work->touching become
 * the lists of the elements at each point. Result in work->other; returns the number of colours,
 * 0 where 64 were not enough. scratch has room: an element's points are distinct, so that their
 * lists have no more entries than the block. */
static int32_t by_saturation(const block *at, workspace *work)
{
    mplan_map map = {
        .n_rows = at->n, .n_points = at->n_points, .offsets = work->offset, .values = work->entry};
    int64_t base = 0, sum = 0;
    mplan_items items = {.maps = &map, .n_maps = 1, .n = at->n};
    mplan_touches touches = {.base = &base, .offsets = work->start, .items = work->touching};
    for (int32_t p = 0; p <= at->n_points; p++)
        work->start[p] = sum += p < at->n_points ? work->count[p] : 0;
    for (int32_t e = at->n - 1; e >= 0; e--)
        for (int64_t i = work->offset[e]; i < work->offset[e + 1]; i++)
            work->touching[--work->start[work->entry[i]]] = e;
    mplan_conflicts conflicts = {&items, &touches, NULL, work->scratch};
    return mplan_colour_dsatur_in(&conflicts, work->path, work->around, work->other);
}

/* Takes the trial when it has fewer colours; 0: it failed. */
static int32_t take(const block *at, int32_t n_colours, int32_t trial, workspace *work)
{
    if (trial == 0 || trial >= n_colours)
        return n_colours;
    memcpy(work->colour, work->other, (size_t)at->n * sizeof *work->colour);
    return trial;
}

/* Positions [begin, end) are one block. First fit, then, while there are more colours than
 * elements at its fullest point, the better methods in turn. colour: out, one per position,
 * MPLAN_NONE16 in holes; returns the number of colours. */
static int32_t colour_block(const block_list *blocks, int64_t begin, int64_t end, workspace *work,
                            uint16_t *colour)
{
    block at = collect(blocks, begin, end, work);
    int32_t n_colours = first_fit(&at, work);
    if (n_colours > at.bound && blocks->lattice)
        n_colours = take(&at, n_colours, by_lattice(blocks, begin, &at, work), work);
    if (n_colours > at.bound && at.edges && at.bound <= MPLAN_MOST_COLOURS / 2 &&
        n_colours <= MPLAN_MOST_COLOURS)
        n_colours = take(&at, n_colours, by_edges(&at, n_colours, work), work);
    else if (n_colours > at.bound && at.bound <= MPLAN_MOST_COLOURS)
        n_colours = take(&at, n_colours, by_saturation(&at, work), work);
    for (int64_t p = begin; p < end; p++)
        colour[p] = MPLAN_NONE16;
    for (int32_t e = 0; e < at.n; e++)
        colour[begin + work->element[e]] = (uint16_t)work->colour[e];
    return n_colours;
}

/* Arrays of one thread, large enough for the largest block: `entries` map entries,
 * `elements` elements. What was allocated is freed by free_workspaces, also after a
 * failure. */
static mplan_status create_workspace(workspace *work, int64_t entries, int64_t elements,
                                     mplan_error *err)
{
    mplan_status status = mplan_point_table_create(&work->table, entries, err);
    work->element = mplan_alloc(elements, sizeof *work->element, err);
    work->entry = mplan_alloc(entries, sizeof *work->entry, err);
    work->offset = mplan_alloc(elements + 1, sizeof *work->offset, err);
    work->count = mplan_alloc(entries, sizeof *work->count, err);
    work->last = mplan_alloc(entries, sizeof *work->last, err);
    work->seen = mplan_alloc(entries + 1, sizeof *work->seen, err);
    work->colour = mplan_alloc(elements, sizeof *work->colour, err);
    work->other = mplan_alloc(elements, sizeof *work->other, err);
    work->ends = mplan_alloc(2 * elements, sizeof *work->ends, err);
    work->incident = mplan_alloc(2 * elements, sizeof *work->incident, err);
    work->path = mplan_alloc(2 * elements, sizeof *work->path, err);
    work->waiting = mplan_alloc(elements, sizeof *work->waiting, err);
    work->start = mplan_alloc(entries + 1, sizeof *work->start, err);
    work->touching = mplan_alloc(entries, sizeof *work->touching, err);
    work->scratch = mplan_alloc(entries, sizeof *work->scratch, err);
    work->around = mplan_alloc(elements, sizeof *work->around, err);
    return !status && work->element && work->entry && work->offset && work->count && work->last &&
                   work->seen && work->colour && work->other && work->ends && work->incident &&
                   work->path && work->waiting && work->start && work->touching && work->scratch &&
                   work->around
               ? MPLAN_OK
               : MPLAN_ERR_MEMORY;
}

/* n workspaces, one for each thread; what a thread did not need is NULL. `work` may be NULL. */
static void free_workspaces(workspace *work, int n)
{
    for (int i = 0; work && i < n; i++) {
        mplan_point_table_free(&work[i].table);
        free(work[i].element);
        free(work[i].entry);
        free(work[i].offset);
        free(work[i].count);
        free(work[i].last);
        free(work[i].seen);
        free(work[i].colour);
        free(work[i].other);
        free(work[i].ends);
        free(work[i].incident);
        free(work[i].path);
        free(work[i].waiting);
        free(work[i].start);
        free(work[i].touching);
        free(work[i].scratch);
        free(work[i].around);
    }
    free(work);
}

/* Colours of a lattice where the elements lie as in one; *lattice stays NULL where
 * they do not. */
static mplan_status colour_lattice(block_list *blocks, int32_t **lattice, mplan_error *err)
{
    *lattice = NULL;
    if (blocks->n_maps != 1 || blocks->maps->arity < 3)
        return MPLAN_OK;
    mplan_items items = {.maps = blocks->maps, .n_maps = 1, .n = blocks->maps->n_rows};
    mplan_touches touches;
    mplan_status status = mplan_touches_create(&items, &touches, NULL, err);
    if (status)
        return status;
    *lattice = mplan_alloc(items.n, sizeof **lattice, err);
    status = *lattice
                 ? mplan_colour_lattice(&items, &touches, *lattice, &blocks->lattice_colours, err)
                 : MPLAN_ERR_MEMORY;
    mplan_touches_free(&touches);
    if (status || blocks->lattice_colours == 0) {
        free(*lattice);
        *lattice = NULL;
    }
    blocks->lattice = *lattice;
    return status;
}

/* Blocks [begin, end), by one thread with a workspace of its own; blocks do not depend
 * on one another. */
static void colour_blocks(void *data, int thread, int64_t begin, int64_t end)
{
    const block_list *blocks = data;
    for (int64_t b = begin; b < end; b++)
        blocks->block_colours[b] = (uint16_t)colour_block(blocks, blocks->offsets[b],
                                                          blocks->offsets[b + 1],
                                                          &blocks->work[thread], blocks->colour);
}

/* The largest block decides the size of the workspaces. A lattice of the whole mesh is
 * looked for once; blocks that need it take their colours from it. */
mplan_status mplan_colour_threads(const mplan_map *maps, int32_t n_maps, int64_t n_blocks,
                                  const int64_t *offsets, const int32_t *sequence, uint16_t *colour,
                                  uint16_t *block_colours, const mplan_context *context,
                                  mplan_error *err)
{
    assert((maps || n_maps == 0) && n_blocks >= 0);
    assert(n_blocks == 0 || (offsets && colour && block_colours));
    block_list blocks = {maps, n_maps, offsets, sequence, NULL, 0, NULL, colour, block_colours};
    mplan_team *team = mplan_team_of(context);
    int threads = mplan_team_threads(team);
    int32_t *lattice = NULL;
    int64_t most_entries = 0, most_elements = 0;
    for (int64_t b = 0; b < n_blocks; b++) {
        int64_t entries = count_entries(&blocks, offsets[b], offsets[b + 1]);
        most_entries = entries > most_entries ? entries : most_entries;
        int64_t elements = offsets[b + 1] - offsets[b];
        most_elements = elements > most_elements ? elements : most_elements;
    }
    mplan_status status = MPLAN_OK;
    workspace *work = blocks.work = mplan_alloc_zero(threads, sizeof *work, err);
    if (!work)
        return MPLAN_ERR_MEMORY;
    for (int i = 0; i < threads && !status; i++)
        status = create_workspace(&work[i], most_entries, most_elements, err);
    if (!status)
        status = colour_lattice(&blocks, &lattice, err);
    if (status)
        goto done;
    mplan_for(team, n_blocks, BLOCKS, colour_blocks, &blocks);
    status = mplan_interrupted(context, err);
done:
    free_workspaces(work, threads);
    free(lattice);
    return status;
}
