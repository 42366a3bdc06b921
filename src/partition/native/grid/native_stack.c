/* SPDX-License-Identifier: Apache-2.0 */
/* native_stack.c - layers of a patch of the plane on one another, cut every so many elements
 *
 * The plane of columns and lines is partitioned by the partitioner itself, into patches of
 * S / h columns, so that h layers are a block; h is what costs least where a patch of a columns
 * touches about a + 2 sqrt(a) + 1 lines (of triangles a / 2 + 1.8 sqrt(a) + 1). Patches are stacks:
 * layer by layer, up one and down the next, and every S elements are a block. Within a layer,
 * columns come in an order that keeps near what was taken, so that ragged ends are short.
 *
 * Faces of layers are left to greedy growing: a cell at a straight side is loaded for one of its faces, and
 * patches of faces over the plane, of the best of all heights, reach 2.93 entries a point at S = 128, 3.22 at
 * 256 and 3.42 at 448 where growing and refinement have 3.24, 3.46 and 3.66 (prisms over 40 x 40 quads cut in
 * two, 40 layers; 2.96, 3.25 and 3.45 against 3.27, 3.49 and 3.69 with cuts at random). Grids of hexes have the
 * same and slant their columns, for which a mesh of the plane has no direction. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buckets.h"
#include "base/memory.h"
#include "partition/native/grid/native_corners.h"
#include "partition/native/grid/native_grid.h"
#include "partition/native/grid/native_layers.h"
#include "partition/native/grid/native_tile.h"
#include "partition/native/native_weigh.h"
#include "plan/packed.h"

typedef struct stacks {
    native_layers layers;
    int64_t n_patches;
    int32_t *patch;   /* per column */
    int64_t *begin;   /* n_patches + 2 */
    int32_t *columns; /* patch by patch */
} stacks;

/* How many columns make a patch so that blocks of `tile` elements touch the
 * fewest points, *points: a guess from perimeter and area. */
static int32_t columns_of_patch(const native_layers *l, int32_t tile, double *points)
{
    int64_t highest = l->table->n / l->n_columns;
    double least = 1e30;
    int32_t best = tile;
    for (int32_t layers = 1; layers <= highest && layers <= tile; layers++) {
        double a = (double)tile / layers;
        double lines = l->half == 3 ? a / 2 + 1.8 * sqrt(a) + 1 : a + 2 * sqrt(a) + 1;
        double cost = lines * (layers + 1.2); /* ragged ends cost some more */
        if (l->table->middles != NATIVE_NO_MIDDLES) {
            double edges = a + lines, sides = l->table->middles == NATIVE_ALL_MIDDLES ? edges : 0;
            cost += edges * (layers + 1.2) + (lines + sides) * (layers + 0.2);
        }
        if (cost < least) {
            least = cost;
            best = tile / layers;
        }
    }
    *points = least;
    return best;
}

/* The columns are elements of a smaller problem, whose points are lines of
 * points; s->patch: out, one per column. */
static mplan_status cut_plane(stacks *s, int32_t columns, native_partitioner *partitioner,
                              const mplan_context *context, mplan_error *err)
{
    const native_layers *l = &s->layers;
    mplan_map map = {.name = "columns_lines",
                     .from = 0,
                     .to = 1,
                     .arity = l->half,
                     .n_rows = l->n_columns,
                     .n_points = l->n_lines,
                     .values = l->lines};
    mplan_block_limits limits = {.block_size = columns,
                                 .max_points = MPLAN_LOCAL_MOST,
                                 .shared_bytes = INT64_MAX / 4,
                                 .n_maps = 1,
                                 .maps = &map};
    mplan_native_options options = {.effort = MPLAN_EFFORT_DEFAULT, .fill = 0.99};
    s->patch = mplan_alloc(l->n_columns, sizeof *s->patch, err);
    if (!s->patch)
        return MPLAN_ERR_MEMORY;
    return partitioner(l->n_columns, &limits, &options, s->patch, &s->n_patches, NULL, context, err);
}

/* Columns patch by patch, ascending within one: begin (n_patches + 1) and columns. Counting
 * sort. */
static mplan_status list_columns(stacks *s, mplan_error *err)
{
    int64_t n = s->layers.n_columns;
    s->begin = mplan_alloc_zero(s->n_patches + 2, sizeof *s->begin, err);
    s->columns = mplan_alloc(n, sizeof *s->columns, err);
    if (!s->begin || !s->columns)
        return MPLAN_ERR_MEMORY;
    int64_t *place = s->begin + 1; /* ends up as begin */
    for (int64_t c = 0; c < n; c++)
        place[s->patch[c] + 1]++;
    mplan_sum_counts(place, s->n_patches);
    for (int64_t c = 0; c < n; c++)
        s->columns[place[s->patch[c]]++] = (int32_t)c;
    return MPLAN_OK;
}

/* Puts the columns of each patch in order: next comes the one that shares most lines with those
 * before, of equals the first. seen: of a line, 1 + the last patch that took it. */
static void order_columns(stacks *s, int32_t *seen)
{
    const native_layers *l = &s->layers;
    for (int64_t p = 0; p < s->n_patches; p++)
        for (int64_t i = s->begin[p]; i < s->begin[p + 1]; i++) {
            int64_t best = i;
            int32_t most = -1;
            for (int64_t k = i; k < s->begin[p + 1] && most < l->half; k++) {
                const int32_t *lines = l->lines + (int64_t)s->columns[k] * l->half;
                int32_t shared = 0;
                for (int32_t j = 0; j < l->half; j++)
                    shared += seen[lines[j]] == p + 1;
                best = shared > most ? k : best;
                most = shared > most ? shared : most;
            }
            int32_t column = s->columns[best];
            memmove(s->columns + i + 1, s->columns + i, (size_t)(best - i) * sizeof column);
            s->columns[i] = column;
            for (int32_t j = 0; j < l->half; j++)
                seen[l->lines[(int64_t)column * l->half + j]] = (int32_t)(p + 1);
        }
}

/* The element of a column at a level; -1 without one. */
static int32_t element_at(const native_layers *l, int32_t column, int32_t level)
{
    int64_t size = l->begin[column + 1] - l->begin[column];
    int64_t height = (int64_t)level - l->low[column];
    if (height < 0 || height >= size)
        return -1;
    return l->stack[l->begin[column] + (l->down[column] ? size - 1 - height : height)];
}

/* Elements patch by patch, layer by layer, up one patch and down the next: every `tile` elements
 * of it are a block. */
static void write_sequence(const stacks *s, int32_t *sequence)
{
    const native_layers *l = &s->layers;
    int64_t done = 0;
    for (int64_t p = 0; p < s->n_patches; p++) {
        int32_t low = INT32_MAX, high = INT32_MIN;
        for (int64_t i = s->begin[p]; i < s->begin[p + 1]; i++) {
            int32_t c = s->columns[i], top = l->low[c] + (int32_t)(l->begin[c + 1] - l->begin[c]);
            low = l->low[c] < low ? l->low[c] : low;
            high = top > high ? top : high;
        }
        for (int32_t h = 0; h < high - low; h++)
            for (int64_t i = s->begin[p]; i < s->begin[p + 1]; i++) {
                int32_t e = element_at(l, s->columns[i], p % 2 ? high - 1 - h : low + h);
                if (e >= 0)
                    sequence[done++] = e;
            }
    }
}

/* True if patches are dense: at least a quarter of the places between their lowest and highest
 * level hold elements. The time to write them grows with these places. */
static bool are_compact(const stacks *s)
{
    const native_layers *l = &s->layers;
    int64_t room = 0;
    for (int64_t p = 0; p < s->n_patches; p++) {
        int64_t low = INT64_MAX, high = INT64_MIN;
        for (int64_t i = s->begin[p]; i < s->begin[p + 1]; i++) {
            int32_t c = s->columns[i];
            int64_t top = l->low[c] + l->begin[c + 1] - l->begin[c];
            low = l->low[c] < low ? l->low[c] : low;
            high = top > high ? top : high;
        }
        room += (high - low) * (s->begin[p + 1] - s->begin[p]);
    }
    return room <= 4 * l->table->n;
}

/* sequence: out, n elements; not set where patches are not compact. */
static mplan_status make_sequence(stacks *s, int32_t columns, native_partitioner *partitioner,
                                  int32_t *sequence, bool *found, const mplan_context *context,
                                  mplan_error *err)
{
    mplan_status status = cut_plane(s, columns, partitioner, context, err);
    if (!status)
        status = list_columns(s, err);
    if (status)
        return status;
    int32_t *seen = mplan_alloc_zero(s->layers.n_lines, sizeof *seen, err);
    if (!seen)
        return MPLAN_ERR_MEMORY;
    order_columns(s, seen);
    free(seen);
    *found = are_compact(s);
    if (*found)
        write_sequence(s, sequence);
    return MPLAN_OK;
}

/* extent: columns, lines, and layers of the highest column, as the plan tells of them. */
static void measure_layers(const native_layers *l, int32_t *extent)
{
    int64_t highest = 0;
    for (int64_t c = 0; c < l->n_columns; c++)
        highest = l->begin[c + 1] - l->begin[c] > highest ? l->begin[c + 1] - l->begin[c] : highest;
    extent[0] = (int32_t)l->n_columns;
    extent[1] = (int32_t)l->n_lines;
    extent[2] = (int32_t)highest;
}

/* Of what a guess by perimeter and area promises: stacks of cells of second order that touch less need no comparison with grown blocks.
 * Layers of 15- and 18-node prisms touch 0.93 to 0.96 of it, round a sphere 0.948 and 0.972, where grown blocks are better after
 * refinement at 0.948 (3.689, full stacks 3.630). Blocks by corners have the room that grown ones have: with it refinement brings
 * stacks of 15-node prisms from 3.674 to 3.720 (S = 128; grown 3.699). */
#define SURE 0.94

/* tiling->found only if the blocks keep all limits; sequence and *offsets then
 * belong to them. *offsets is owned by the caller. */
mplan_status mplan_native_stack(const native_table *table, const native_table *shape,
                                mplan_footprint *footprint, int32_t tile, int64_t wanted,
                                native_partitioner *partitioner, int32_t *sequence,
                                int64_t **offsets, int64_t *n_blocks, native_tiling *tiling,
                                const mplan_context *context, mplan_error *err)
{
    assert(table && shape && footprint && partitioner && sequence && offsets && n_blocks &&
           tiling && tile > 0);
    stacks s = {.n_patches = 0};
    mplan_block_origin origin = {.origin = MPLAN_ORIGIN_LAYERS, .patches = 1, .largest = table->n};
    bool found = false;
    int64_t *ends = NULL, blocks = 0, weight = -1;
    double points = 0;
    *tiling = (native_tiling){.found = false};
    mplan_status status = mplan_native_layers_find(shape, &s.layers, &found, context, err);
    if (!status && found)
        status = make_sequence(&s, columns_of_patch(&s.layers, tile, &points), partitioner,
                               sequence, &found, context, err);
    if (!status && found)
        status = mplan_native_tile_cut(table->n, tile,
                                       shape->middles != NATIVE_NO_MIDDLES ? wanted : 0, &ends,
                                       &blocks, err);
    if (!status && found)
        status = mplan_native_weigh(table, footprint, sequence, blocks, ends, &weight, context, err);
    if (!status && found && weight < 0 && shape->middles != NATIVE_NO_MIDDLES)
        status = mplan_native_corners_cut(table, footprint, sequence, &ends, &blocks, &weight,
                                          context, err);
    if (!status && found)
        measure_layers(&s.layers, origin.extent);
    mplan_native_layers_free(&s.layers);
    free(s.patch);
    free(s.begin);
    free(s.columns);
    if (status || weight < 0) {
        free(ends);
        return status;
    }
    *offsets = ends;
    *n_blocks = blocks;
    *tiling = (native_tiling){.found = true,
                              .kind = TILE_LAYERS,
                              .weight = weight,
                              .origin = origin,
                              .is_sure = shape->middles != NATIVE_NO_MIDDLES &&
                                         (double)weight * tile < SURE * points * (double)table->n};
    return MPLAN_OK;
}
