/* native_blocks.c - what every block holds, in room of fixed size a block
 *
 * Members, the distinct points they touch, rows in local points of 16 bits and
 * their transpose: all that refining a pair of blocks reads, so that it never
 * goes back to the table. At arity 2 that is 24 bytes an element. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/point_table.h"
#include "partition/native.h"

enum { MOST_LOCAL = 65535, WORTH_THREADS = 64 };

static int64_t entries_of(const native_table *table, int64_t begin, int64_t end)
{
    return table->offsets ? table->offsets[end] - table->offsets[begin]
                          : (end - begin) * table->arity;
}

/* Entries that a block may have to be refined: all that S elements of fixed
 * rows can; of ragged rows what blocks have here, unless a few are far above
 * the rest. */
static int32_t entry_limit(const native_table *table, int64_t n_blocks, const int64_t *offsets,
                           int32_t block_size)
{
    int64_t most = table->offsets ? 0 : (int64_t)table->arity * block_size;
    int64_t total = entries_of(table, 0, table->n);
    for (int64_t b = 0; b < n_blocks && table->offsets; b++) {
        int64_t entries = entries_of(table, offsets[b], offsets[b + 1]);
        most = entries > most ? entries : most;
    }
    int64_t usual = n_blocks ? 3 * (total / n_blocks) + 64 : 64;
    if (table->offsets)
        most = most + most / 8 < usual ? most + most / 8 : usual;
    return (int32_t)(most < MOST_LOCAL ? most : MOST_LOCAL);
}

native_block mplan_native_block(const native_blocks *blocks, int64_t b)
{
    const int32_t *size = blocks->sizes + 3 * b;
    size_t limit = (size_t)blocks->entry_limit;
    native_block out = {.n = size[0], .n_points = size[1], .n_entries = size[2],
                        .arity = blocks->table->arity};
    char *at = blocks->store + (size_t)b * blocks->store_bytes;
    out.elements = blocks->elements + b * blocks->block_size;
    out.points = (int32_t *)(void *)at;
    out.row = (uint16_t *)(void *)(at + limit * sizeof *out.points);
    out.touch = out.row + limit;
    out.begin = out.touch + limit;
    out.first = blocks->has_first ? out.begin + limit + 1 : NULL;
    return out;
}

static size_t bytes_of_block(const native_blocks *blocks)
{
    size_t limit = (size_t)blocks->entry_limit;
    size_t shorts = 3 * limit + 1 + (blocks->has_first ? (size_t)blocks->block_size + 1 : 0);
    return (limit * sizeof(int32_t) + shorts * sizeof(uint16_t) + 7) / 8 * 8;
}

/* Transposes the rows. */
static void fill_touch(native_block *block)
{
    for (int32_t p = 0; p <= block->n_points; p++)
        block->begin[p] = 0;
    for (int32_t i = 0; i < block->n_entries; i++)
        block->begin[block->row[i]]++;
    uint16_t sum = 0;
    for (int32_t p = 0; p <= block->n_points; p++)
        block->begin[p] = sum = (uint16_t)(sum + block->begin[p]);
    for (int32_t e = block->n - 1; e >= 0; e--) {
        int32_t begin = mplan_native_first(block, e), end = mplan_native_first(block, e + 1);
        for (int32_t i = begin; i < end; i++)
            block->touch[--block->begin[block->row[i]]] = (uint16_t)e;
    }
}

void mplan_native_block_sized(native_blocks *blocks, int64_t b, const native_block *block)
{
    blocks->sizes[3 * b] = block->n;
    blocks->sizes[3 * b + 1] = block->n_points;
    blocks->sizes[3 * b + 2] = block->n_entries;
}

/* Elements begin ... end - 1 of the table become block b. */
static void fill_block(native_blocks *blocks, int64_t b, int64_t begin, int64_t end,
                       mplan_point_table *ids)
{
    const native_table *table = blocks->table;
    int64_t entries = entries_of(table, begin, end);
    int32_t *size = blocks->sizes + 3 * b;
    native_block block = mplan_native_block(blocks, b);
    for (int64_t e = begin; e < end; e++)
        block.elements[e - begin] = (int32_t)e;
    size[0] = (int32_t)(end - begin);
    size[1] = -1;
    if (entries > blocks->entry_limit)
        return;
    int32_t count = 0;
    mplan_point_table_begin(ids);
    for (int64_t e = begin; e < end; e++) {
        int32_t length;
        const int32_t *row = native_row(table, e, &length);
        if (block.first)
            block.first[e - begin] = (uint16_t)count;
        for (int32_t k = 0; k < length; k++) {
            int32_t id = mplan_point_table_id(ids, (uint64_t)row[k]);
            block.points[id] = row[k];
            block.row[count++] = (uint16_t)id;
        }
    }
    if (block.first)
        block.first[end - begin] = (uint16_t)count;
    block.n = (int32_t)(end - begin);
    block.n_points = ids->n_points;
    block.n_entries = count;
    fill_touch(&block);
    mplan_native_block_sized(blocks, b, &block);
}

static mplan_status fill_blocks(native_blocks *blocks, const int64_t *offsets, int threads,
                                mplan_error *err)
{
    mplan_point_table *ids = mplan_alloc_zero(threads, sizeof *ids, err);
    mplan_status status = ids ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int t = 0; t < threads && status == MPLAN_OK; t++)
        status = mplan_point_table_create(&ids[t], blocks->entry_limit, err);
    if (status == MPLAN_OK) {
#pragma omp parallel for schedule(static) num_threads(threads) if (blocks->n_blocks >= WORTH_THREADS)
        for (int64_t b = 0; b < blocks->n_blocks; b++)
            fill_block(blocks, b, offsets[b], offsets[b + 1], &ids[mplan_thread_index()]);
    }
    for (int t = 0; ids && t < threads; t++)
        mplan_point_table_free(&ids[t]);
    free(ids);
    return status;
}

mplan_status mplan_native_blocks_create(const native_table *table, const mplan_meter *meter,
                                        int64_t n_blocks, const int64_t *offsets,
                                        native_blocks *blocks, const mplan_context *context,
                                        mplan_error *err)
{
    int32_t block_size = meter->limits->block_size;
    *blocks = (native_blocks){.table = table,
                              .meter = meter,
                              .n_blocks = n_blocks,
                              .block_size = block_size,
                              .entry_limit = entry_limit(table, n_blocks, offsets, block_size),
                              .has_first = table->arity == 0};
    blocks->store_bytes = bytes_of_block(blocks);
    blocks->sizes = mplan_alloc_zero(n_blocks * 3, sizeof *blocks->sizes, err);
    blocks->elements = mplan_alloc(n_blocks * block_size, sizeof *blocks->elements, err);
    blocks->store = mplan_alloc(n_blocks, blocks->store_bytes, err);
    mplan_status status = MPLAN_ERR_MEMORY;
    if (blocks->sizes && blocks->elements && blocks->store)
        status = fill_blocks(blocks, offsets, mplan_threads(context), err);
    if (status != MPLAN_OK)
        mplan_native_blocks_free(blocks);
    return status;
}

void mplan_native_blocks_free(native_blocks *blocks)
{
    free(blocks->sizes);
    free(blocks->elements);
    free(blocks->store);
    *blocks = (native_blocks){.table = NULL};
}
