/* SPDX-License-Identifier: Apache-2.0 */
/* colour.c - colours of elements and blocks over the whole set, and lists by colour
 *
 * Elements of two points at most are edges of a graph, which are coloured as
 * such; others, and blocks, by saturation. Where a point has too many of them for
 * that, the baseline of the paper (least_used.c) is left: it takes any number. */
#include "colour/colour.h"

#include <assert.h>
#include <stdlib.h>

#include "base/buckets.h"
#include "base/error.h"
#include "base/memory.h"
#include "colour/conflict.h"
#include "colour/edge_colour.h"

enum {
    NONE = -1,
    PATH_ROOM = 65536,
    STEPS_AN_EDGE = 64,
    BLOCK_PASSES = 300, /* of as many blocks as PASSED, fewer of more */
    PASSED = 4096,
    LEAST_PASSES = 8,
    MOST_STEPS = 50,
    ELEMENT_SHARE = 8,
    SOME_STEPS = 20000,
    MANY_EDGES = 1 << 20
};

/* --- elements as edges ------------------------------------------------------- */

/* The distinct points of an element; false when there are more than two. */
static bool ends_of(const mplan_items *items, const mplan_touches *touches, int64_t e, int32_t *ends)
{
    ends[0] = ends[1] = NONE;
    for (int32_t m = 0; m < items->n_maps; m++) {
        int32_t n;
        const int32_t *row = mplan_map_row(&items->maps[m], e, &n);
        for (int32_t k = 0; k < n; k++) {
            if (row[k] < 0)
                continue;
            int32_t vertex = (int32_t)(touches->base[m] + row[k]);
            if (ends[0] == NONE)
                ends[0] = vertex;
            else if (ends[0] != vertex && ends[1] == NONE)
                ends[1] = vertex;
            else if (ends[0] != vertex && ends[1] != vertex)
                return false;
        }
    }
    return true;
}

/* *ends stays NULL when some element has more than two points. */
static mplan_status find_edges(const mplan_items *items, const mplan_touches *touches,
                               int32_t **ends, mplan_error *err)
{
    *ends = NULL;
    if (touches->n_points > INT32_MAX)
        return MPLAN_OK;
    int32_t *out = mplan_alloc(2 * items->n, sizeof *out, err);
    if (!out)
        return MPLAN_ERR_MEMORY;
    for (int64_t e = 0; e < items->n; e++) {
        if (items->skip && items->skip[e])
            out[2 * e] = out[2 * e + 1] = NONE;
        else if (!ends_of(items, touches, e, out + 2 * e)) {
            free(out);
            return MPLAN_OK;
        }
    }
    *ends = out;
    return MPLAN_OK;
}

/* Lowest free colour, edge by edge; `used` is zero before. Returns the number. */
static int32_t colour_first_fit(const mplan_edges *edges, uint64_t *used, int32_t *colour)
{
    int32_t n_colours = 0;
    for (int64_t e = 0; e < edges->n; e++) {
        const int32_t *ends = edges->ends + 2 * e;
        uint64_t taken = (ends[0] == NONE ? 0 : used[ends[0]]) |
                         (ends[1] == NONE ? 0 : used[ends[1]]);
        colour[e] = __builtin_ctzll(~taken);
        for (int k = 0; k < 2; k++)
            if (ends[k] != NONE)
                used[ends[k]] |= UINT64_C(1) << colour[e];
        n_colours = colour[e] >= n_colours ? colour[e] + 1 : n_colours;
    }
    return n_colours;
}

/* Edges of any graph whose degree, the most edges of a vertex, is at most half of
 * MPLAN_MOST_COLOURS: first fit then has enough colours, and what it takes too many is brought
 * down. */
static mplan_status colour_any_edges(const mplan_edges *edges, int32_t degree, int32_t *colour,
                                     int32_t *n_colours, mplan_error *err)
{
    mplan_edge_colouring c = {.edges = *edges,
                              .colour = colour,
                              .path_room = edges->n < PATH_ROOM ? edges->n : PATH_ROOM,
                              .steps = edges->n * STEPS_AN_EDGE};
    mplan_status status = MPLAN_ERR_MEMORY;
    c.offsets = mplan_alloc(edges->n_vertices + 1, sizeof *c.offsets, err);
    c.incident = mplan_alloc(2 * edges->n, sizeof *c.incident, err);
    c.used = mplan_alloc_zero(edges->n_vertices, sizeof *c.used, err);
    c.path = mplan_alloc(c.path_room, sizeof *c.path, err);
    c.waiting = mplan_alloc(edges->n, sizeof *c.waiting, err);
    if (c.offsets && c.incident && c.used && c.path && c.waiting) {
        *n_colours = colour_first_fit(edges, c.used, colour);
        if (*n_colours > degree)
            *n_colours = mplan_colour_edges_again(&c, degree, *n_colours);
        status = MPLAN_OK;
    }
    free(c.offsets);
    free(c.incident);
    free(c.used);
    free(c.path);
    free(c.waiting);
    return status;
}

/* *n_colours stays 0 where elements are not edges, or their degree is too large. */
static mplan_status colour_as_edges(const mplan_items *items, const mplan_touches *touches,
                                    int32_t *colour, int32_t *n_colours, mplan_team *team,
                                    mplan_error *err)
{
    int32_t *ends;
    mplan_status status = find_edges(items, touches, &ends, err);
    if (status || !ends)
        return status;
    mplan_edges edges = {touches->n_points, items->n, ends};
    status = mplan_colour_bipartite(&edges, MANY_EDGES, colour, n_colours, team, err);
    if (!status && *n_colours == 0 && touches->most <= MPLAN_MOST_COLOURS / 2)
        status = colour_any_edges(&edges, (int32_t)touches->most, colour, n_colours, err);
    free(ends);
    for (int64_t e = 0; items->skip && e < items->n && !status; e++)
        if (items->skip[e])
            colour[e] = -1;
    return status;
}

/* --- any items ---------------------------------------------------------------- */

/* Fewer colours than by saturation. Its last classes are small, which suits the search
 * by ejection; iterated greedy fills them up, and only helps blocks, where it may
 * arrive at another colouring to begin from. Of many blocks there are as few passes as take about as long as those of PASSED: none
 * was seen to win a colour (iterated.c). */
static mplan_status improve(const mplan_conflicts *conflicts, int32_t *colour, int32_t *n_colours,
                            mplan_team *team, mplan_error *err)
{
    int64_t n = conflicts->items->n;
    int32_t bound = (int32_t)conflicts->touches->most, before;
    int64_t patience = n * MOST_STEPS, of_elements = n / ELEMENT_SHARE + SOME_STEPS;
    if (!conflicts->graph)
        return mplan_colour_eject(conflicts, bound, patience < of_elements ? patience : of_elements,
                                  colour, n_colours, team, err);
    int64_t passes = n > PASSED ? BLOCK_PASSES * (int64_t)PASSED / n : BLOCK_PASSES;
    mplan_status status;
    do {
        status = mplan_colour_eject(conflicts, bound, patience, colour, n_colours, team, err);
        before = *n_colours;
        if (!status)
            status = mplan_colour_iterate(conflicts, bound,
                                          passes > LEAST_PASSES ? (int32_t)passes : LEAST_PASSES,
                                          colour, n_colours, team, err);
    } while (!status && *n_colours < before);
    return status;
}

/* By saturation, then improved and balanced; *n_colours is 0, and colour undefined, where 64
 * colours are not enough. Blocks have a graph of their conflicts; elements would have too large
 * a one, and are looked up by their points each time. */
static mplan_status colour_by_saturation(const mplan_items *items, const mplan_touches *touches,
                                         int32_t *colour, int32_t *n_colours,
                                         const mplan_context *context, mplan_error *err)
{
    mplan_csr graph = {0};
    bool blocks = items->offsets != NULL;
    mplan_conflicts conflicts = {items, touches, blocks ? &graph : NULL, NULL};
    mplan_status status = blocks ? mplan_conflict_graph(items, touches, &graph, context, err)
                                 : MPLAN_OK;
    if (!status && !blocks) {
        conflicts.scratch = mplan_alloc(touches->reach, sizeof *conflicts.scratch, err);
        status = conflicts.scratch ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    if (!status)
        status = mplan_colour_dsatur(&conflicts, colour, n_colours, err);
    if (!status && *n_colours > 0)
        status = improve(&conflicts, colour, n_colours, mplan_team_of(context), err);
    if (!status && *n_colours > 0)
        status = mplan_colour_balance(&conflicts, colour, *n_colours, err);
    mplan_csr_free(&graph);
    free(conflicts.scratch);
    return status;
}

/* Closes the gaps that skipped items leave in the numbers of colours. */
static mplan_status number_colours(int64_t n, int32_t *colour, int32_t *n_colours, mplan_error *err)
{
    int32_t *number = mplan_alloc_zero(*n_colours, sizeof *number, err), used = 0;
    if (!number)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        if (colour[i] >= 0)
            number[colour[i]] = 1;
    for (int32_t c = 0; c < *n_colours; c++)
        number[c] = number[c] ? used++ : -1;
    for (int64_t i = 0; i < n && used < *n_colours; i++)
        if (colour[i] >= 0)
            colour[i] = number[colour[i]];
    *n_colours = used;
    free(number);
    return MPLAN_OK;
}

/* The methods in turn, best first, until one fits: edge colours where items have two
 * points, lattices, saturation, the least-used colour, which always does. Unused
 * numbers are closed up at the end. */
static mplan_status colour_items(const mplan_items *items, int32_t *colour, int32_t *n_colours,
                                 const mplan_context *context, mplan_error *err)
{
    mplan_touches touches;
    mplan_status status = mplan_touches_create(items, &touches, context, err);
    *n_colours = 0;
    if (!status && !items->offsets && items->n > 0)
        status = colour_as_edges(items, &touches, colour, n_colours, mplan_team_of(context), err);
    if (!status && *n_colours == 0)
        status = mplan_colour_lattice(items, &touches, colour, n_colours, err);
    if (!status && *n_colours == 0 && touches.most <= MPLAN_MOST_COLOURS)
        status = colour_by_saturation(items, &touches, colour, n_colours, context, err);
    mplan_touches_free(&touches);
    if (!status && *n_colours == 0)
        status = mplan_colour_least_used(items, colour, n_colours, err);
    return status ? status : number_colours(items->n, colour, n_colours, err);
}

mplan_status mplan_colour_elements(const mplan_map *maps, int32_t n_maps, const bool *skip,
                                   int64_t n, int32_t *colour, int32_t *n_colours,
                                   const mplan_context *context, mplan_error *err)
{
    assert(maps && colour && n_colours && n_maps >= 0 && n >= 0);
    mplan_items items = {maps, n_maps, n, NULL, NULL, skip};
    return colour_items(&items, colour, n_colours, context, err);
}

mplan_status mplan_colour_blocks(const mplan_map *maps, int32_t n_maps, int64_t n_blocks,
                                 const int64_t *offsets, const int32_t *sequence, int32_t *colour,
                                 int32_t *n_colours, const mplan_context *context, mplan_error *err)
{
    assert(maps && offsets && colour && n_colours && n_maps >= 0 && n_blocks >= 0 && offsets[0] == 0);
    mplan_items items = {maps, n_maps, n_blocks, offsets, sequence, NULL};
    return colour_items(&items, colour, n_colours, context, err);
}

/* Counting sort of the items by colour, stable in the index; items with colour -1 are
 * in no list. offsets: n_colours + 1 entries, out. */
void mplan_colour_lists(int64_t n, const int32_t *colour, int32_t n_colours, int64_t *offsets,
                        int32_t *list)
{
    assert((colour || n == 0) && offsets && n >= 0 && n_colours >= 0);
    mplan_bucket_offsets(colour, n, n_colours, offsets);
    mplan_bucket_places32(colour, n, n_colours, offsets, list);
}
