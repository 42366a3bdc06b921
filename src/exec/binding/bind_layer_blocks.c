/* SPDX-License-Identifier: Apache-2.0 */
/* bind_layer_blocks.c - loops with layers by blocks: what launches read beside the tables of the flat call
 *
 * Tables, and the bounds of their indices, are those of the base mesh (bind_tables.c, bind_check.h). Here: which layers a block has,
 * how many fit a tile, and room for the partial sums of levels. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/dat_levels.h"
#include "plan/packed.h"
#include "plan/strategies.h"

/* Threads of a kernel's thread block, and the shared memory that tiles of more than one layer may fill: four thread blocks
 * of it are on a multiprocessor of any device that meshplan has a profile of. */
enum { THREADS = 256, ROOM = 24 * 1024 };

/* Layers below a layer that lead to levels to which it leads, too; and bytes that a position keeps for a layer. */
static void measure_layer(const mplan_exec_loop *bound, int32_t *below, int64_t *bytes)
{
    *below = 0;
    *bytes = 0;
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        const mplan_arg_layers *layers = &bound->loop->args[a].layers;
        if (!mplan_exec_increments(bound->loop, a))
            continue;
        int32_t low = layers->slots[0].offset, high = low;
        for (int32_t s = 1; s < layers->n_slots; s++) {
            low = layers->slots[s].offset < low ? layers->slots[s].offset : low;
            high = layers->slots[s].offset > high ? layers->slots[s].offset : high;
        }
        *bytes += (int64_t)layers->n_slots * bound->loop->args[a].dim *
                  (int64_t)mplan_type_size(bound->loop->args[a].type);
        *below = (high - low) / layers->stride > *below ? (high - low) / layers->stride : *below;
    }
}

/* Layers of a tile on a device: as many as there are threads for, and as have room. MPLAN_ERR_UNSUPPORTED where one has
 * none. */
static mplan_status choose_tile(mplan_exec_loop *bound, mplan_error *err)
{
    mplan_layers_call *call = &bound->layers->call;
    mplan_layer_blocks *blocks = &call->blocks;
    const bool records = mplan_strategy_has(call->strategy, MPLAN_TRAIT_RECORDS);
    int64_t layer;
    measure_layer(bound, &blocks->below, &layer);
    layer *= MPLAN_RECORD_ROWS((int64_t)blocks->longest);
    blocks->tile = blocks->longest > 0 && blocks->longest < THREADS ? THREADS / blocks->longest : 1;
    blocks->tile = blocks->tile < call->layers ? blocks->tile : call->layers;
    while (records && blocks->tile > 1 &&
           blocks->record_bytes + layer * (blocks->tile + blocks->below) > ROOM)
        blocks->tile--;
    const int64_t least = blocks->record_bytes + layer * (1 + (int64_t)blocks->below);
    if (records && bound->exec->executor == MPLAN_EXECUTOR_CUDA && least > bound->exec->shared_limit)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "loop %s, block-gather: one layer of a block needs %lld bytes of shared memory, the "
                          "device has %lld; plan with a smaller --block-size",
                          bound->loop->name, (long long)least, (long long)bound->exec->shared_limit);
    return MPLAN_OK;
}

/* Lowest and highest layers of each block's elements, for columns that differ. */
static mplan_status fill_spans(mplan_exec_loop *bound, mplan_error *err)
{
    const mplan_plan *plan = bound->exec->plan;
    const int32_t set = bound->chosen->block_set;
    const int64_t *offsets = mplan_plan_data(plan,
                                             mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, set),
                                             MPLAN_TYPE_I64, NULL);
    const int32_t *sequence = mplan_plan_data(plan,
                                              mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE, set),
                                              MPLAN_TYPE_I32, NULL);
    const int32_t *ranges = mplan_plan_data(plan,
                                            mplan_key_of_set(MPLAN_KIND_LAYER_RANGES,
                                                             bound->loop->set),
                                            MPLAN_TYPE_I32, NULL);
    const int64_t n = bound->layers->call.blocks.n_blocks;
    int32_t *spans = mplan_alloc_zero(2 * n, sizeof *spans, err);
    if (!spans)
        return MPLAN_ERR_MEMORY;
    for (int64_t b = 0; b < n; b++)
        for (int64_t x = offsets[b]; x < offsets[b + 1]; x++) {
            const int32_t *range = &ranges[2 * (sequence ? sequence[x] : x)];
            if (range[0] == range[1])
                continue;
            if (spans[2 * b] == spans[2 * b + 1] || range[0] < spans[2 * b])
                spans[2 * b] = range[0];
            if (range[1] > spans[2 * b + 1])
                spans[2 * b + 1] = range[1];
        }
    mplan_status status = mplan_exec_allocate(bound->exec, 2 * n, sizeof *spans,
                                              &bound->layers->device_span, err);
    if (!status && bound->exec->executor == MPLAN_EXECUTOR_CUDA)
        status = n > 0 ? mplan_gpu_upload(bound->layers->device_span, spans,
                                          2 * n * (int64_t)sizeof *spans, err)
                       : MPLAN_OK;
    else if (!status)
        memcpy(bound->layers->device_span, spans, (size_t)(2 * n) * sizeof *spans);
    bound->layers->call.blocks.span = bound->layers->device_span;
    free(spans);
    return status;
}

/* A place for each level of each partial sum. */
static mplan_status fill_partial(mplan_exec_loop *bound, mplan_error *err)
{
    mplan_layers_bound *own = bound->layers;
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < bound->loop->n_args && !status; a++) {
        const mplan_plan_arg *arg = &bound->loop->args[a];
        const int64_t sums = bound->chosen->partial_sums, levels = arg->layers.levels;
        if (!mplan_exec_increments(bound->loop, a))
            continue;
        if (sums > INT64_MAX / (levels * arg->dim))
            return mplan_fail(err, MPLAN_ERR_MEMORY, "loop %s: too many partial sums",
                              bound->loop->name);
        status = mplan_exec_allocate(bound->exec, sums * levels * arg->dim,
                                     mplan_type_size(arg->type), &own->partial[a], err);
        if (!status)
            status = mplan_exec_allocate(bound->exec, sums * levels, 1, &own->partial_any[a], err);
        if (!status && bound->exec->executor == MPLAN_EXECUTOR_CUDA && sums > 0)
            status = mplan_gpu_set(own->partial_any[a], 0, sums * levels, err);
        else if (!status)
            memset(own->partial_any[a], 0, (size_t)(sums * levels));
        own->args[a].partial = own->partial[a];
        own->args[a].partial_any = own->partial_any[a];
    }
    return status;
}

/* Column of the map that each slot of each arg is of, on the device. */
static mplan_status fill_columns(mplan_exec_loop *bound, mplan_error *err)
{
    unsigned char of[MPLAN_LAYER_ARGS * MPLAN_MAX_SLOTS] = {0};
    for (int32_t a = 0; a < bound->loop->n_args; a++)
        for (int32_t s = 0; s < bound->loop->args[a].layers.n_slots; s++)
            of[a * MPLAN_MAX_SLOTS + s] = (unsigned char)bound->loop->args[a].layers.slots[s].of;
    mplan_status status = mplan_layers_copy_out(bound, of, (int64_t)sizeof of, 1,
                                                &bound->layers->column_of, err);
    bound->layers->call.blocks.column_of = bound->layers->column_of;
    return status;
}

/* Args, layers and ranges of the call are there. */
mplan_status mplan_layers_fill_blocks(mplan_exec_loop *bound, mplan_error *err)
{
    assert(bound && bound->layers && bound->chosen->block_set >= 0);
    const mplan_launch_call *flat = &bound->call;
    mplan_layers_bound *own = bound->layers;
    own->call.blocks = (mplan_layer_blocks){.n_blocks = flat->n_blocks,
                                            .offsets = flat->block_offsets,
                                            .sequence = flat->sequence,
                                            .longest = flat->block_limit,
                                            .colours = flat->thread_colours,
                                            .colours_of_block = flat->block_thread_colours,
                                            .sums = flat->sums,
                                            .record_offsets = flat->record_offsets,
                                            .records = flat->records,
                                            .record_bytes = flat->record_bytes_max,
                                            .n_shared = flat->n_partial_points,
                                            .shared_points = flat->partial_points,
                                            .shared_offsets = flat->partial_offsets};
    for (int32_t a = 0; a < bound->loop->n_args; a++)
        own->args[a].first_column = flat->arg[a].first_column;
    mplan_status status = choose_tile(bound, err);
    if (!status && own->call.ranges)
        status = fill_spans(bound, err);
    if (!status && mplan_strategy_has(own->call.strategy, MPLAN_TRAIT_RECORDS) &&
        flat->sums == MPLAN_SUMS_PARTIAL)
        status = fill_partial(bound, err);
    if (!status && bound->exec->executor == MPLAN_EXECUTOR_CUDA)
        status = fill_columns(bound, err);
    return status;
}
