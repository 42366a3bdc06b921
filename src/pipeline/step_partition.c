/* SPDX-License-Identifier: Apache-2.0 */
/* step_partition.c - the primary loop's elements cut into blocks */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/threads.h"
#include "order/order.h"
#include "pipeline/part_plan.h"
#include "pipeline/partition_loop.h"
#include "pipeline/steps.h"
#include "tables/tables.h"

/* Each of n numbers at its own place. */
static int32_t *identity(int64_t n, mplan_error *err)
{
    int32_t *order = mplan_alloc(n, sizeof *order, err);
    for (int64_t i = 0; order && i < n; i++)
        order[i] = (int32_t)i;
    return order;
}

/* The loop's maps with elements numbered so (and points of the target, too). */
typedef struct renumbered_maps {
    planning *p;
    const planning_loop *loop;
    int32_t n;
    bool clear;      /* entries of elements that are larger than a block may be are -1 */
    mplan_map *maps; /* n, which own their entries */
} renumbered_maps;

/* Frees the entries of the maps, which may come back. */
static void drop_entries(void *owner)
{
    renumbered_maps *out = owner;
    for (int32_t m = 0; out->maps && m < out->n; m++) {
        free((void *)(uintptr_t)out->maps[m].offsets);
        free((void *)(uintptr_t)out->maps[m].values);
        out->maps[m].offsets = NULL;
        out->maps[m].values = NULL;
    }
}

/* Elements that break limits by themselves get no points, so that any block takes them: no strategy will run these blocks, which
 * only give an order. */
static mplan_status clear_large(renumbered_maps *out, mplan_error *err)
{
    int32_t **values = mplan_alloc(out->n, sizeof *values, err);
    const mplan_block_limits limits = mplan_planning_limits(out->p, out->loop, out->maps);
    for (int32_t m = 0; values && m < out->n; m++)
        values[m] = (int32_t *)(uintptr_t)out->maps[m].values;
    mplan_status status = values ? mplan_partition_clear_large(out->p->sets[out->loop->set].size,
                                                               &limits, values, err)
                                 : MPLAN_ERR_MEMORY;
    free(values);
    return status;
}

/* The loop's maps under the renumbering: by numbering->elements, and numbering->points for the
 * target. out->maps have no entries before. */
static mplan_status renumber_maps(void *owner, mplan_error *err)
{
    renumbered_maps *out = owner;
    planning *p = out->p;
    const planning_loop *loop = out->loop;
    const planning_numbering *numbering = &p->numbering;
    const int32_t *elements = numbering->elements;
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < out->n && !status; m++) {
        mplan_map map = mplan_planning_mesh_map(p, loop->maps[m]);
        bool own = map.to == loop->set, renumbered = map.to == numbering->target;
        int32_t *same = own || renumbered ? NULL : identity(map.n_points, err);
        const int32_t *points = own ? elements : renumbered ? numbering->points : same;
        int64_t *offsets = NULL;
        int32_t *values = NULL;
        status = points ? mplan_table_reorder_map(&map, elements, map.n_rows, points, &offsets,
                                                  &values, p->context, err)
                        : MPLAN_ERR_MEMORY;
        free(same);
        map.offsets = offsets;
        map.values = values;
        out->maps[m] = map;
    }
    return status || !out->clear ? status : clear_large(out, err);
}

enum { ELEMENTS = 1 << 14 };

typedef struct size_work {
    const int32_t *block;
    int64_t *sizes; /* of block b at b + 1 */
} size_work;

/* Elements [begin, end): neighbours are mostly of one block, which is added to once for all of them. */
static void count_sizes(void *data, int thread, int64_t begin, int64_t end)
{
    const size_work *work = data;
    (void)thread;
    for (int64_t e = begin, next; e < end; e = next) {
        for (next = e + 1; next < end && work->block[next] == work->block[e];)
            next++;
        mplan_add(&work->sizes[work->block[e] + 1], next - e);
    }
}

/* Stores the blocks of the primary loop as offsets over its stored order. */
static mplan_status keep_blocks(planning *p, int64_t n, const int32_t *block, int64_t n_blocks,
                                mplan_block_origin origin, mplan_error *err)
{
    int64_t *offsets = mplan_alloc_zero(n_blocks + 1, sizeof *offsets, err);
    if (!offsets)
        return MPLAN_ERR_MEMORY;
    mplan_for(mplan_team_of(p->context), n, ELEMENTS, count_sizes, &(size_work){block, offsets});
    for (int64_t b = 0; b < n_blocks; b++)
        offsets[b + 1] += offsets[b];
    p->primary_blocks = (planning_blocks){n_blocks, offsets, NULL, origin};
    return MPLAN_OK;
}

/* Rows [begin, end) of the loop's maps as maps of their own; the caller's. */
static mplan_map *rows_of(const renumbered_maps *from, int64_t begin, int64_t end, mplan_error *err)
{
    mplan_map *maps = mplan_copy(from->maps, from->n, sizeof *maps, err);
    for (int32_t m = 0; maps && m < from->n; m++) {
        maps[m].n_rows = end - begin;
        if (maps[m].arity)
            maps[m].values += begin * maps[m].arity;
        else
            maps[m].offsets += begin;
    }
    return maps;
}

/* Blocks of a part: the partitioner's of the elements that it owns, which come first, and runs of its halo. */
static mplan_status cut_part(planning *p, const planning_loop *loop, const renumbered_maps *maps,
                             int32_t *part, int64_t *n_blocks, mplan_block_origin *origin,
                             mplan_error *err)
{
    const int64_t n = p->sets[loop->set].size, owned = p->part->owned[loop->set];
    int64_t n_halo = 0;
    mplan_map *own = rows_of(maps, 0, owned, err), *halo = rows_of(maps, owned, n, err);
    mplan_status status = own && halo ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_planning_partition(p, loop,
                                          &(planning_numbered){.maps = own,
                                                               .n = owned,
                                                               .element_order = p->numbering.elements},
                                          part, n_blocks, origin, err);
    if (!status)
        status = mplan_planning_inner_first(p, owned, part, *n_blocks, err);
    if (!status)
        status = mplan_planning_runs(p, loop, halo, n - owned, part + owned, &n_halo, err);
    for (int64_t e = owned; e < n && !status; e++)
        part[e] += (int32_t)*n_blocks;
    *n_blocks += n_halo;
    free(own);
    free(halo);
    return status;
}

typedef struct store_work {
    const int32_t *part, *place;
    int32_t *elements, *block;
} store_work;

/* Elements [begin, end): from their renumbered number to their block and stored place. */
static void store_elements(void *data, int thread, int64_t begin, int64_t end)
{
    const store_work *work = data;
    (void)thread;
    for (int64_t e = begin; e < end; e++) {
        work->block[e] = work->part[work->elements[e]];
        work->elements[e] = work->place[work->elements[e]];
    }
}

/* Fills numbering->block, by the mesh's element, and turns numbering->elements from the
 * renumbering into the stored order: by block, and within one as renumbered. part[i]: block of
 * renumbered element i; place[i]: its stored place. */
static mplan_status cut_primary(planning *p, const planning_loop *loop,
                                planning_numbering *numbering, mplan_error *err)
{
    int64_t n = p->sets[loop->set].size, n_blocks = 0;
    renumbered_maps maps = {p, loop, loop->n_maps, false, NULL};
    mplan_block_origin origin;
    int32_t *elements = numbering->elements, *place = NULL;
    int32_t *part = mplan_alloc(n, sizeof *part, err);
    maps.maps = mplan_alloc_zero(maps.n, sizeof *maps.maps, err);
    mplan_status status = part && maps.maps
                              ? mplan_planning_without_blocks(p, loop, &maps.clear, err)
                              : MPLAN_ERR_MEMORY;
    if (!status)
        status = renumber_maps(&maps, err);
    const planning_numbered all = {.maps = maps.maps,
                                   .n = n,
                                   .element_order = elements,
                                   .drop = drop_entries,
                                   .restore = renumber_maps,
                                   .owner = &maps};
    if (!status)
        status = mplan_planning_goes_by_group(p)
                     ? cut_part(p, loop, &maps, part, &n_blocks, &origin, err)
                     : mplan_planning_partition(p, loop, &all, part, &n_blocks, &origin, err);
    drop_entries(&maps);
    free(maps.maps);
    if (!status)
        status = keep_blocks(p, n, part, n_blocks, origin, err);
    if (status)
        goto done;
    status = MPLAN_ERR_MEMORY;
    place = mplan_alloc(n, sizeof *place, err);
    if (!place)
        goto done;
    status = mplan_order_by_block(n, part, n_blocks, NULL, place, p->context, err);
    if (!status)
        numbering->block = mplan_alloc(n, sizeof *numbering->block, err);
    status = !status && !numbering->block ? MPLAN_ERR_MEMORY : status;
    store_work work = {part, place, elements, numbering->block};
    mplan_for(mplan_team_of(p->context), status ? 0 : n, ELEMENTS, store_elements, &work);
done:
    free(part);
    free(place);
    return status;
}

/* After it primary_blocks.offsets are the blocks as runs of the stored order. */
mplan_status mplan_step_partition(planning *p, mplan_error *err)
{
    assert(p && p->numbering.elements && !p->numbering.block);
    const planning_loop *loop = &p->loops[p->primary];
    return cut_primary(p, loop, &p->numbering, err);
}
