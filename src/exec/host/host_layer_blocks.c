/* SPDX-License-Identifier: Apache-2.0 */
/* host_layer_blocks.c - loops with layers by blocks on the host: block-colour and block-gather over columns and tiles of layers
 *
 * A block of the base runs tile by tile, from its lowest layer to its highest. What its layers bring is kept for one tile and for
 * the layers below that lead to levels of this tile, too; a level is added up when its highest layer has run. Each
 * level is added in the order that sections 7 and 10 of the specification state, which no number of layers of a tile
 * changes; kernels of a device add in the same order (meshplan_cuda_layerblocks.h). */
#include <assert.h>
#include <string.h>

#include "exec/host/host.h"
#include "exec/dat_levels.h"
#include "plan/packed.h"
#include "plan/strategies.h"

/* TILE: layers of a tile. CHUNK: positions of a block of block-colour that run together. */
enum { TILE = 8, CHUNK = 256 };

/* Block-colour keeps nothing from the tiles below. */
static int32_t kept_below(const mplan_layers_call *call)
{
    return mplan_strategy_has(call->strategy, MPLAN_TRAIT_RECORDS) ? call->blocks.below : 0;
}

int32_t mplan_host_kept_layers(const mplan_layers_call *call)
{
    assert(call);
    return TILE + kept_below(call);
}

/* Positions [first, first + n) of a block, and the tile [k0, k1) of their layers. */
typedef struct tile {
    const mplan_exec_loop *bound;
    int64_t first;
    int32_t n, k0, k1, bottom, top; /* bottom, top: of the block */
    void *const *room; /* of the thread, by arg: a sum, and the results that are kept */
} tile;

static int64_t element_at(const tile *t, int32_t i)
{
    const int32_t *sequence = t->bound->layers->call.blocks.sequence;
    return sequence ? sequence[t->first + i] : t->first + i;
}

/* What slot s of layer k of position i brought to arg a; k from k0 - below to k1 - 1. */
static char *kept(const tile *t, int32_t a, int32_t i, int32_t k, int32_t s)
{
    const mplan_layers_call *call = &t->bound->layers->call;
    const int32_t slots = t->bound->loop->args[a].layers.n_slots;
    const int64_t layer = (int64_t)i * mplan_host_kept_layers(call) + k - t->k0 + kept_below(call);
    return (char *)t->room[a] + (1 + layer * slots + s) * mplan_host_member_bytes(t->bound, a);
}

/* Layers of the tile that the element has. */
static void layers_in(const tile *t, int64_t e, int32_t *begin, int32_t *end)
{
    mplan_host_layers_of(&t->bound->layers->call, e, begin, end);
    *begin = *begin > t->k0 ? *begin : t->k0;
    *end = *end < t->k1 ? *end : t->k1;
}

/* Runs all layers of the tile that are there, layer by layer; their increments are kept. */
static void run_tile(const tile *t)
{
    const mplan_exec_loop *bound = t->bound;
    for (int32_t i = 0; i < t->n; i++) {
        const int64_t e = element_at(t, i);
        int32_t begin, end;
        layers_in(t, e, &begin, &end);
        for (int32_t k = begin; k < end; k++) {
            void *out[MPLAN_LAYER_ARGS] = {NULL};
            if (!mplan_host_is_there(&bound->layers->call, e, k))
                continue;
            for (int32_t a = 0; a < bound->loop->n_args; a++)
                if (mplan_exec_increments(bound->loop, a))
                    out[a] = kept(t, a, i, k, 0);
            bound->layers->kernel->run(&bound->layers->call, e, k, k + 1, out);
        }
    }
}

/* The next tile of the block, or its first; false: there is none. What the last layers below it have brought moves to where
 * `kept` finds it. */
static bool next_tile(tile *t)
{
    const mplan_exec_loop *bound = t->bound;
    const mplan_layers_call *call = &bound->layers->call;
    const int32_t all = mplan_host_kept_layers(call), below = kept_below(call);
    for (int32_t a = 0; a < bound->loop->n_args && below > 0 && t->k1 > t->bottom; a++) {
        if (!mplan_exec_increments(bound->loop, a))
            continue;
        const int64_t bytes = mplan_host_member_bytes(bound, a),
                      layer = bound->loop->args[a].layers.n_slots * bytes;
        for (int32_t i = 0; i < t->n; i++) {
            char *own = (char *)t->room[a] + bytes + (int64_t)i * all * layer;
            memmove(own, own + (t->k1 - t->k0) * layer, (size_t)(below * layer));
        }
    }
    t->k0 = t->k1;
    t->k1 = t->top - t->k0 < TILE ? t->top : t->k0 + TILE;
    return t->k0 < t->top;
}

/* Before the first tile: layers of the block, all of them where its columns are alike. */
static void open_block(tile *t, int64_t block)
{
    const mplan_layers_call *call = &t->bound->layers->call;
    t->bottom = call->blocks.span ? call->blocks.span[2 * block] : 0;
    t->top = call->blocks.span ? call->blocks.span[2 * block + 1] : call->layers;
    t->k0 = t->k1 = t->bottom;
}

/* --- block-colour ------------------------------------------------------------------------------- */

/* Adds what position i brought in the tile by the slots of one offset. */
static void add_phase(const tile *t, int32_t i, int32_t offset)
{
    const mplan_exec_loop *bound = t->bound;
    const int64_t e = element_at(t, i);
    int32_t begin, end;
    layers_in(t, e, &begin, &end);
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        const mplan_layer_data *arg = &bound->layers->args[a];
        if (!mplan_exec_increments(bound->loop, a))
            continue;
        for (int32_t k = begin; k < end; k++)
            for (int32_t s = 0; s < bound->loop->args[a].layers.n_slots; s++) {
                const int32_t p = arg->rows[e * arg->arity + arg->of[s]];
                if (p >= 0 && arg->offset[s] == offset &&
                    mplan_host_is_there(&bound->layers->call, e, k))
                    mplan_host_add_level(bound, a, p, offset + (int64_t)arg->stride * k,
                                         kept(t, a, i, k, s), false);
            }
    }
}

/* Offsets from the highest to the lowest, so that a level gets what lower layers bring first, in tiles of any height. */
static void colour_block(const mplan_exec_loop *bound, int64_t block, void *const *room)
{
    const mplan_layers_call *call = &bound->layers->call;
    const int64_t end = call->blocks.offsets[block + 1];
    for (int64_t first = call->blocks.offsets[block]; first < end; first += CHUNK) {
        const uint16_t *colour = call->blocks.colours + first;
        tile t = {.bound = bound,
                  .first = first,
                  .n = (int32_t)(end - first < CHUNK ? end - first : CHUNK),
                  .room = room};
        open_block(&t, block);
        while (next_tile(&t)) {
            run_tile(&t);
            for (int32_t phase = call->phases - 1; phase >= 0; phase--)
                for (int32_t c = 0; c < call->blocks.colours_of_block[block]; c++)
                    for (int32_t i = 0; i < t.n; i++)
                        if (colour[i] == c)
                            add_phase(&t, i, call->phase[phase]);
        }
    }
}

/* --- block-gather ------------------------------------------------------------------------------- */

/* A record with its parts at hand. */
typedef struct block_record {
    mplan_record_header header;
    int32_t n_padded;
    const int32_t *points, *partial; /* partial: NULL without */
    const uint16_t *starts, *entries;
} block_record;

/* Views of the parts of a record, which binding has checked. */
static block_record open_record(const mplan_layer_blocks *blocks, int64_t block)
{
    const uint8_t *data = blocks->records + blocks->record_offsets[block];
    block_record record;
    memcpy(&record.header, data, sizeof record.header);
    record.n_padded = (int32_t)MPLAN_RECORD_ROWS(record.header.n_elements);
    /* parts are at multiples of 16 from an aligned start */
    record.points = (const int32_t *)(const void *)(data + MPLAN_RECORD_HEADER);
    record.starts = (const uint16_t *)(const void *)(data + record.header.starts_at);
    record.entries = (const uint16_t *)(const void *)(data + record.header.entries_at);
    record.partial = record.header.partial_at
                         ? (const int32_t *)(const void *)(data + record.header.partial_at)
                         : NULL;
    return record;
}

/* Adds up what the block has for level j of its point q in arg a; whether it has anything. */
static bool sum_level(const tile *t, const block_record *record, int32_t a, int32_t q, int64_t j)
{
    const mplan_exec_loop *bound = t->bound;
    const mplan_layers_call *call = &bound->layers->call;
    const mplan_layer_data *arg = &call->arg[a];
    const mplan_plan_arg *about = &bound->loop->args[a];
    bool any = false;
    mplan_host_clear(about, t->room[a]);
    for (int32_t x = record->starts[q]; x < record->starts[q + 1]; x++) {
        const int32_t i = record->entries[x] % record->n_padded,
                      column = record->entries[x] / record->n_padded - arg->first_column;
        for (int32_t s = 0; s < about->layers.n_slots; s++) {
            int32_t k;
            if (arg->of[s] != column || !mplan_host_layer_at(call, arg, element_at(t, i), s, j, &k))
                continue;
            mplan_host_add(about, t->room[a], 1, kept(t, a, i, k, s));
            any = true;
        }
    }
    return any;
}

/* The sum of a level goes to its place among the partial sums, or to the dat. */
static void pass_level(const tile *t, const block_record *record, int32_t a, int32_t q, int64_t j)
{
    const mplan_exec_loop *bound = t->bound;
    const mplan_layer_data *arg = &bound->layers->args[a];
    const mplan_plan_arg *about = &bound->loop->args[a];
    const size_t size = mplan_type_size(about->type);
    if (!record->partial || record->partial[q] < 0) {
        mplan_host_add_level(bound, a, record->points[q], j, t->room[a],
                             bound->layers->call.blocks.sums == MPLAN_SUMS_ATOMIC &&
                                 bound->n_threads > 1);
        return;
    }
    const int64_t place = record->partial[q];
    for (int32_t c = 0; c < about->dim; c++)
        memcpy((char *)arg->partial + (size_t)((place * about->dim + c) * arg->list_levels + j) * size,
               (const char *)t->room[a] + (size_t)c * size, size);
    arg->partial_any[place * arg->list_levels + j] = 1;
}

/* Levels of the block's points whose highest layer is in the tile, and behind the last tile all others. */
static void sum_tile(const tile *t, const block_record *record, int32_t a)
{
    const mplan_layer_data *arg = &t->bound->layers->args[a];
    const mplan_arg_layers *layers = &t->bound->loop->args[a].layers;
    int32_t low = arg->offset[0], high = low;
    for (int32_t s = 1; s < layers->n_slots; s++) {
        low = arg->offset[s] < low ? arg->offset[s] : low;
        high = arg->offset[s] > high ? arg->offset[s] : high;
    }
    const int64_t begin = low + (int64_t)arg->stride * t->k0,
                  end = t->k1 < t->top ? low + (int64_t)arg->stride * t->k1
                                       : high + (int64_t)arg->stride * (t->top - 1) + 1;
    for (int32_t q = 0; q < (int32_t)record->header.n_points; q++)
        for (int64_t j = begin; j < end && record->starts[q] < record->starts[q + 1]; j++)
            if (sum_level(t, record, a, q, j))
                pass_level(t, record, a, q, j);
}

static void gather_block(const mplan_exec_loop *bound, int64_t block, void *const *room)
{
    const mplan_layer_blocks *blocks = &bound->layers->call.blocks;
    const block_record record = open_record(blocks, block);
    tile t = {.bound = bound,
              .first = blocks->offsets[block],
              .n = (int32_t)(blocks->offsets[block + 1] - blocks->offsets[block]),
              .room = room};
    open_block(&t, block);
    while (next_tile(&t)) {
        run_tile(&t);
        for (int32_t a = 0; a < bound->loop->n_args; a++)
            if (mplan_exec_increments(bound->loop, a))
                sum_tile(&t, &record, a);
    }
}

/* --- launches ------------------------------------------------------------------------------------- */

typedef struct launch {
    const mplan_exec_loop *bound;
    int64_t first; /* of its blocks, or of their list */
    int32_t a;     /* whose partial sums are added */
} launch;

/* Shared points [begin, end), level by level: the sums of blocks in their order. */
static void add_shared(void *data, int thread, int64_t begin, int64_t end)
{
    const launch *work = data;
    const mplan_exec_loop *bound = work->bound;
    const mplan_layer_blocks *blocks = &bound->layers->call.blocks;
    const mplan_layer_data *arg = &bound->layers->args[work->a];
    const mplan_plan_arg *about = &bound->loop->args[work->a];
    char *sum = bound->layers->thread_out[thread * MPLAN_LAYER_ARGS + work->a];
    char *one = sum + mplan_host_member_bytes(bound, work->a);
    const size_t size = mplan_type_size(about->type);
    for (int64_t i = begin; i < end; i++)
        for (int32_t j = 0; j < arg->list_levels; j++) {
            bool any = false;
            mplan_host_clear(about, sum);
            for (int64_t p = blocks->shared_offsets[i]; p < blocks->shared_offsets[i + 1]; p++) {
                if (!arg->partial_any[p * arg->list_levels + j])
                    continue;
                for (int32_t c = 0; c < about->dim; c++)
                    memcpy(one + (size_t)c * size,
                           (const char *)arg->partial +
                               (size_t)((p * about->dim + c) * arg->list_levels + j) * size,
                           size);
                mplan_host_add(about, sum, 1, one);
                any = true;
            }
            if (any)
                mplan_host_add_level(bound, work->a, blocks->shared_points[i], j, sum, false);
        }
}

/* Blocks [begin, end) of the launch, or the columns of their elements. */
static void run_blocks(void *data, int thread, int64_t begin, int64_t end)
{
    const launch *work = data;
    const mplan_exec_loop *bound = work->bound;
    const mplan_layers_call *call = &bound->layers->call;
    void *const *room = &bound->layers->thread_out[thread * MPLAN_LAYER_ARGS];
    for (int64_t i = work->first + begin; i < work->first + end; i++) {
        const int64_t block = call->list ? call->list[i] : i;
        if (bound->loop->layering == MPLAN_LAYERING_COLUMNS)
            for (int64_t x = call->blocks.offsets[block]; x < call->blocks.offsets[block + 1]; x++)
                mplan_host_run_column(bound, call->blocks.sequence ? call->blocks.sequence[x] : x,
                                      NULL);
        else if (mplan_strategy_has(call->strategy, MPLAN_TRAIT_RECORDS))
            gather_block(bound, block, room);
        else
            colour_block(bound, block, room);
    }
}

/* Colour by colour, or all blocks at once and then what they share. */
void mplan_host_layer_blocks(mplan_exec_loop *bound)
{
    assert(bound && bound->layers);
    const mplan_layers_call *call = &bound->layers->call;
    launch work = {.bound = bound};
    for (int64_t k = 0; k < call->n_launches; k++) {
        work.first = call->launch_offsets[k];
        mplan_host_for(bound, call->launch_offsets[k + 1] - work.first, MPLAN_HOST_BLOCKS,
                       run_blocks, &work);
    }
    if (call->n_launches > 0)
        return;
    mplan_host_for(bound, call->blocks.n_blocks, MPLAN_HOST_BLOCKS, run_blocks, &work);
    for (work.a = 0; work.a < bound->loop->n_args; work.a++)
        if (bound->layers->args[work.a].partial)
            mplan_host_for(bound, call->blocks.n_shared, MPLAN_HOST_POINTS, add_shared, &work);
}
