/* native_first.c - the first cut: tiles where elements lie as in a grid, else along a front
 *
 * Tiles as good as their shapes promise are taken; rounds gain nothing on most. Where rims,
 * seams between patches or thin parts keep them from that, the front is grown too, and what is
 * cheaper, with what rounds will still gain, is kept. Tiles of edges in space are not the best
 * that there are, and rounds go on from them. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "partition/native_tile.h"

/* What rounds leave of the weight of a front, over what they leave of a tiling's. */
static const double rounds_leave[] = {[TILE_QUADS] = 0.985,
                                      [TILE_HEXES] = 0.97,
                                      [TILE_PLANE_EDGES] = 0.985,
                                      [TILE_SPACE_EDGES] = 0.985};

/* Grows a front, and keeps it where it is better than the tiling. */
static mplan_status compare_front(const native_table *table, mplan_meter *meter,
                                  native_cut *first, int64_t wanted, bool *tiled,
                                  const native_tiling *tiling, const mplan_context *context,
                                  mplan_error *err)
{
    int64_t *offsets = NULL, weight = 0;
    int32_t *sequence = mplan_alloc(table->n, sizeof *sequence, err);
    mplan_status status = MPLAN_ERR_MEMORY;
    if (sequence)
        status = mplan_native_grow(table, meter, &wanted, sequence, &offsets, context, err);
    if (status == MPLAN_OK)
        status = mplan_native_weigh(table, meter, sequence, wanted, offsets, &weight, context, err);
    if (status == MPLAN_OK && weight >= 0 &&
        rounds_leave[tiling->kind] * (double)weight < (double)tiling->weight) {
        memcpy(first->sequence, sequence, (size_t)table->n * sizeof *sequence);
        free(first->offsets);
        first->offsets = offsets;
        first->n_blocks = wanted;
        *tiled = false;
        offsets = NULL;
    }
    free(offsets);
    free(sequence);
    return status;
}

mplan_status mplan_native_first_cut(const native_table *table, mplan_meter *meter,
                                const mplan_native_options *options, int64_t wanted,
                                native_cut *first, const mplan_context *context,
                                mplan_error *err)
{
    int32_t size = meter->limits->block_size;
    int32_t tile = options->fill < 0.99 ? (int32_t)(size * options->fill) : size;
    native_tiling tiling;
    first->n_blocks = wanted;
    first->settled = false;
    mplan_status status = mplan_native_tile(table, meter, tile, options->effort == MPLAN_EFFORT_FAST ? 0 : wanted, first->sequence, &first->offsets,
                                            &first->n_blocks, &tiling, context, err);
    if (status != MPLAN_OK)
        return status;
    if (!tiling.found)
        return mplan_native_grow(table, meter, &first->n_blocks, first->sequence, &first->offsets,
                                 context, err);
    bool tiled = true;
    if (!tiling.is_sure)
        status = compare_front(table, meter, first, wanted, &tiled, &tiling, context, err);
    if (tiled)
        first->settled = options->effort == MPLAN_EFFORT_FAST ||
                         (options->effort == MPLAN_EFFORT_DEFAULT && tiling.is_sure &&
                          tiling.kind != TILE_SPACE_EDGES);
    return status;
}
