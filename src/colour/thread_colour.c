/* thread_colour.c - colours of the elements of each block by itself
 *
 * First fit after Welsh & Powell, Comput. J. 10 (1967), in the block's order.
 * Blocks are independent, so that they run in parallel. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "base/point_table.h"
#include "colour/colour.h"

enum { WINDOW = 64, HOLE = UINT16_MAX };

/* What a thread needs to colour one block. */
typedef struct workspace {
    mplan_point_table table;
    int32_t *entry;  /* small id of every entry >= 0 of the block, element by element */
    int64_t *offset; /* where the entries of each element begin */
    uint64_t *seen;  /* colours of the window that each small id has */
} workspace;

typedef struct block_list {
    const mplan_map *maps;
    int32_t n_maps;
    const int64_t *offsets;
    const int32_t *sequence;
} block_list;

static inline int64_t element_at(const block_list *blocks, int64_t position)
{
    return blocks->sequence ? blocks->sequence[position] : position;
}

static int64_t count_entries(const block_list *blocks, int64_t begin, int64_t end)
{
    int64_t count = 0;
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

/* Small ids of all points of the block, so that colours need few words. */
static void collect(const block_list *blocks, int64_t begin, int64_t end, workspace *work)
{
    int64_t count = 0;
    mplan_point_table_begin(&work->table);
    for (int64_t p = begin; p < end; p++) {
        int64_t e = element_at(blocks, p);
        work->offset[p - begin] = count;
        for (int32_t m = 0; m < blocks->n_maps && e >= 0; m++) {
            int32_t n;
            const int32_t *point = mplan_map_row(&blocks->maps[m], e, &n);
            uint64_t set = (uint64_t)(uint32_t)blocks->maps[m].to << 32;
            for (int32_t k = 0; k < n; k++)
                if (point[k] >= 0)
                    work->entry[count++] =
                        mplan_point_table_id(&work->table, set | (uint32_t)point[k]);
        }
    }
    work->offset[end - begin] = count;
}

/* Returns the number of colours of the block. */
static int32_t colour_block(const block_list *blocks, int64_t begin, int64_t end, workspace *work,
                            uint16_t *colour)
{
    int32_t n_colours = 0;
    int64_t left = 0;
    collect(blocks, begin, end, work);
    for (int64_t p = begin; p < end; p++) {
        colour[p] = HOLE;
        left += element_at(blocks, p) >= 0;
    }
    for (int32_t first = 0; left > 0; first += WINDOW) {
        memset(work->seen, 0, ((size_t)work->table.n_points + 1) * sizeof *work->seen);
        for (int64_t p = begin; p < end; p++) {
            if (colour[p] != HOLE || element_at(blocks, p) < 0)
                continue;
            uint64_t taken = 0;
            for (int64_t i = work->offset[p - begin]; i < work->offset[p - begin + 1]; i++)
                taken |= work->seen[work->entry[i]];
            if (taken == UINT64_MAX)
                continue;
            int32_t bit = __builtin_ctzll(~taken);
            for (int64_t i = work->offset[p - begin]; i < work->offset[p - begin + 1]; i++)
                work->seen[work->entry[i]] |= UINT64_C(1) << bit;
            colour[p] = (uint16_t)(first + bit);
            if (n_colours < first + bit + 1)
                n_colours = first + bit + 1;
            left--;
        }
    }
    return n_colours;
}

static mplan_status create_workspace(workspace *work, int64_t most_entries, int64_t most_elements,
                                     mplan_error *err)
{
    mplan_status status = mplan_point_table_create(&work->table, most_entries, err);
    work->entry = mplan_alloc(most_entries, sizeof *work->entry, err);
    work->offset = mplan_alloc(most_elements + 1, sizeof *work->offset, err);
    work->seen = mplan_alloc(most_entries + 1, sizeof *work->seen, err);
    return status == MPLAN_OK && work->entry && work->offset && work->seen ? MPLAN_OK
                                                                           : MPLAN_ERR_MEMORY;
}

static void free_workspaces(workspace *work, int n)
{
    for (int i = 0; work && i < n; i++) {
        mplan_point_table_free(&work[i].table);
        free(work[i].entry);
        free(work[i].offset);
        free(work[i].seen);
    }
    free(work);
}

mplan_status mplan_colour_threads(const mplan_map *maps, int32_t n_maps, int64_t n_blocks,
                                  const int64_t *offsets, const int32_t *sequence,
                                  uint16_t *colour, uint16_t *block_colours,
                                  const mplan_context *context, mplan_error *err)
{
    block_list blocks = {maps, n_maps, offsets, sequence};
    int threads = mplan_threads(context);
    int64_t most_entries = 0, most_elements = 0;
    for (int64_t b = 0; b < n_blocks; b++) {
        int64_t entries = count_entries(&blocks, offsets[b], offsets[b + 1]);
        most_entries = entries > most_entries ? entries : most_entries;
        int64_t elements = offsets[b + 1] - offsets[b];
        most_elements = elements > most_elements ? elements : most_elements;
    }
    mplan_status status = MPLAN_OK;
    workspace *work = mplan_alloc_zero(threads, sizeof *work, err);
    if (!work)
        return MPLAN_ERR_MEMORY;
    for (int i = 0; i < threads && status == MPLAN_OK; i++)
        status = create_workspace(&work[i], most_entries, most_elements, err);
    if (status != MPLAN_OK)
        goto done;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t b = 0; b < n_blocks; b++)
        block_colours[b] = (uint16_t)colour_block(&blocks, offsets[b], offsets[b + 1],
                                                  &work[mplan_thread_index()], colour);
    status = mplan_interrupted(context, err);
done:
    free_workspaces(work, threads);
    return status;
}
