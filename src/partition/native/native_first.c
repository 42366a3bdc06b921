/* SPDX-License-Identifier: Apache-2.0 */
/* native_first.c - the first cut: tiles where elements lie as in a grid, stacks where they lie in
 * layers, else by greedy graph growing
 *
 * Tiles as good as their shapes promise are taken; refinement passes gain nothing on most. Where rims,
 * seams between patches or thin parts keep them from that, blocks are grown too, and what is
 * cheaper, with what refinement will still gain, is kept. Tiles of edges in space are not the best
 * that there are, and refinement goes on from them.
 *
 * What the pieces bring (tools/bench/ablation: S = 128, 150,000 cells, reuse / seconds with and without). Tiles: hexes to nodes
 * 4.484 / 0.08 and 4.367 / 0.42, their faces 3.702 / 0.58 and 3.663 / 0.78, faces of quads 3.357 / 0.04 and 3.316 / 0.19.
 * Stacks: prisms along a wing 5.840 / 0.17 and 4.816 / 0.34. Growing beside tiles that are not sure: faces of three layers of
 * hexes 3.778 / 0.21 and 3.635 / 0.16 (S = 448: 4.374 and 4.213), nothing where grids are thick. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "partition/native/grid/native_corners.h"
#include "partition/native/native_first.h"
#include "partition/native/native_regions.h"
#include "partition/native/native_weigh.h"

/* What refinement leaves of the weight of grown blocks, over what it leaves of a tiling's: where they are that close
 * (layered prisms, faces of hexes round a sphere) tiles are ahead after it by up to 1.3 %. Layers: where they touch 0.971 of what grown
 * blocks do (layered prisms, 60,000) tiles are ahead by 0.1 %, at 0.979 (prisms round a sphere, 65,000) grown blocks by 2.1 %. */
static const double passes_leave[] = {
    [TILE_QUADS] = 0.985, [TILE_HEXES] = 0.97, [TILE_PLANE_EDGES] = 0.985, [TILE_SPACE_EDGES] = 0.995, [TILE_LAYERS] = 0.975};

typedef struct first_cut {
    const native_table *table;
    const native_table *shape; /* by which elements lie in a grid or in layers: the table, or the corners of cells of higher order */
    mplan_footprint *footprint;
    mplan_effort effort;
    int32_t tile;
    const native_aim *aim;
    native_partitioner *partitioner; /* of the plane below layers */
    const mplan_context *context;
} first_cut;

/* Best goes on for longer than tiles gain by it. Layers of prisms, tiles and grown blocks, by what tiles touch over what grown blocks do:
 * 0.954 7.366 and 7.401 (along a wing, S = 448), 0.960 5.850 and 5.942, 0.964 5.865 and 5.949 (round a sphere), 0.972 7.297 and 7.483. */
static double left_of(tile_kind kind, mplan_effort effort)
{
    return effort == MPLAN_EFFORT_BEST && kind == TILE_LAYERS ? 0.94 : passes_leave[kind];
}

/* Takes another cut in the place of the one at hand; the sequence is copied, the offsets change
 * owner. */
static void replace(native_first *cut, native_first *other, int64_t n)
{
    memcpy(cut->sequence, other->sequence, (size_t)n * sizeof *cut->sequence);
    free(cut->offsets);
    cut->offsets = other->offsets;
    cut->n_blocks = other->n_blocks;
    other->offsets = NULL;
}

/* Stacks layers where that is better than the tiles at hand, if any. */
static mplan_status try_stacks(const first_cut *f, native_first *cut, native_tiling *tiling,
                               mplan_error *err)
{
    native_tiling layers;
    native_first other = {.sequence = mplan_alloc(f->table->n, sizeof *other.sequence, err)};
    mplan_status status = MPLAN_ERR_MEMORY;
    if (other.sequence)
        status = mplan_native_stack(f->table, f->shape, f->footprint, f->tile, f->aim->tiles,
                                    f->partitioner, other.sequence, &other.offsets, &other.n_blocks,
                                    &layers, f->context, err);
    if (!status && layers.found && (!tiling->found || layers.weight < tiling->weight)) {
        replace(cut, &other, f->table->n);
        *tiling = layers;
    }
    free(other.offsets);
    free(other.sequence);
    return status;
}

/* Grows blocks, and takes them where they are better than the tiling: passes_leave is what
 * refinement will still gain on grown blocks more than on tiles. tiling->found is false then.
 * weight -1: grown blocks that break a limit are not taken. */
static mplan_status compare_grown(const first_cut *f, native_first *cut, native_tiling *tiling,
                                  mplan_error *err)
{
    int64_t weight = 0, n = f->table->n;
    native_first other = {.sequence = mplan_alloc(n, sizeof *other.sequence, err),
                          .n_blocks = f->aim->grown};
    mplan_status status = MPLAN_ERR_MEMORY;
    if (other.sequence)
        status = mplan_native_grow(f->table, f->footprint, f->aim->starts, &other.n_blocks,
                                   other.sequence, &other.offsets, f->context, err);
    if (!status)
        status = mplan_native_weigh(f->table, f->footprint, other.sequence, other.n_blocks,
                                    other.offsets, &weight, f->context, err);
    if (!status && weight >= 0 &&
        left_of(tiling->kind, f->effort) * (double)weight < (double)tiling->weight) {
        replace(cut, &other, n);
        tiling->found = false;
    }
    free(other.offsets);
    free(other.sequence);
    return status;
}

/* Tiles of f->tile elements, where elements lie in a grid. */
static mplan_status try_tiles(const first_cut *f, mplan_effort effort, native_first *cut,
                              native_tiling *tiling, mplan_error *err)
{
    free(cut->offsets);
    cut->offsets = NULL;
    return mplan_native_tile(f->table, f->shape, f->footprint, f->tile, f->aim->tiles, effort,
                             cut->sequence, &cut->offsets, &cut->n_blocks, tiling, f->context, err);
}

/* Tiles or stacks, by the corners of cells of higher order where elements are such. Where limits on points leave blocks much smaller
 * than tiles should be, tiles are laid once more, as large as blocks are. */
static mplan_status try_shapes(first_cut *f, mplan_effort effort, native_first *cut,
                               native_tiling *tiling, mplan_error *err)
{
    native_table corners;
    bool found = false;
    mplan_status status = mplan_native_corners(f->table, &corners, &found,
                                               mplan_team_of(f->context), err);
    f->shape = found ? &corners : f->table;
    if (!status)
        status = try_tiles(f, effort, cut, tiling, err);
    const int64_t size = tiling->found ? f->table->n / cut->n_blocks + 1 : f->tile;
    if (!status && found && size >= LEAST_TILE && 20 * size < 19 * (int64_t)f->tile) {
        f->tile = (int32_t)size;
        status = try_tiles(f, effort, cut, tiling, err);
    }
    if (!status && !tiling->is_sure)
        status = try_stacks(f, cut, tiling, err);
    mplan_native_table_free(&corners);
    f->shape = f->table;
    return status;
}

/* Tiles where elements lie in a grid, stacks where in layers, else greedy growing; fast takes
 * tiles as they are. aim: how many blocks, and where growth begins. cut->sequence (n, the caller's):
 * elements block by block; cut->offsets is owned by the caller, also after a failure. */
mplan_status mplan_native_first_cut(const native_table *table, mplan_footprint *footprint,
                                    const mplan_native_options *options, const native_aim *aim,
                                    native_partitioner *partitioner, native_first *cut,
                                    const mplan_context *context, mplan_error *err)
{
    assert(table && footprint && options && aim && cut && cut->sequence && !cut->offsets &&
           partitioner);
    bool fast = options->effort == MPLAN_EFFORT_FAST;
    first_cut f = {.table = table,
                   .shape = table,
                   .footprint = footprint,
                   .effort = options->effort,
                   .aim = aim,
                   .partitioner = partitioner,
                   .context = context};
    native_tiling tiling = {.found = false};
    mplan_status status = MPLAN_OK;
    f.tile = aim->tile;
    cut->n_blocks = aim->tiles;
    cut->tiled = cut->settled = false;
    cut->origin = (mplan_block_origin){.origin = MPLAN_ORIGIN_GROWN};
    if (f.tile >= LEAST_TILE && table->n >= 2 * (int64_t)f.tile)
        status = try_shapes(&f, options->effort, cut, &tiling, err);
    if (!status && !tiling.found) {
        cut->n_blocks = aim->grown;
        return mplan_native_grow(table, footprint, aim->starts, &cut->n_blocks, cut->sequence,
                                 &cut->offsets, context, err);
    }
    if (!status && !tiling.is_sure)
        status = compare_grown(&f, cut, &tiling, err);
    cut->tiled = tiling.found;
    if (tiling.found)
        cut->origin = tiling.origin;
    cut->settled = tiling.found &&
                   (fast || (options->effort == MPLAN_EFFORT_DEFAULT && tiling.is_sure &&
                             tiling.kind != TILE_SPACE_EDGES && tiling.kind != TILE_LAYERS));
    return status;
}
