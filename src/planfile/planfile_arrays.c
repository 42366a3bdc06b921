/* SPDX-License-Identifier: Apache-2.0 */
/* planfile_arrays.c - the arrays that the records of a plan ask for, and their shapes
 *
 * The table in section 5 of formats/plan-format.md, as code. Lists are bounded
 * by the number of arrays that are there, so that no small file can ask for
 * many: the product of a loop's block sets and maps is walked no further. */
#include <stdlib.h>

#include "base/memory.h"
#include "plan/strategies.h"
#include "planfile/planfile_layout.h"
#include "planfile/planfile_rules.h"

typedef struct expectation {
    const mplan_plan *plan;
    mplan_vector list; /* of mplan_expected */
    int64_t limit;
    mplan_status status; /* sticks: no memory, or more than limit */
    mplan_error *err;
} expectation;

/* Notes an array that the records ask for. More of them than e->limit, the arrays that the file
 * has, are damage: a few bytes of records must not make the list grow without bound. Does
 * nothing once e->status is set, so that callers need not look at each. */
static void expect(expectation *e, mplan_key key, mplan_type type, int64_t rows, int64_t cols)
{
    if (!e->status && e->list.count >= e->limit)
        e->status = MPLAN_ERR_CORRUPT;
    if (e->status)
        return;
    mplan_expected array = {key, type, rows, cols, false};
    e->status = mplan_vector_push(&e->list, &array, e->err);
}

/* Positions of a block set: elements of its sequence, or places of the order. */
static int64_t positions_of(const mplan_plan *plan, int32_t block_set)
{
    const mplan_plan_block_set *blocks = &plan->block_sets[block_set];
    const mplan_plan_set *set = &plan->sets[blocks->set];
    return blocks->sequence ? set->size : set->storage_size;
}

/* Both directions of every order, global ids of sets that were split, members of groups, entries
 * and, where rows are ragged, offsets of every map. */
static void expect_sets_and_maps(expectation *e)
{
    for (int32_t s = 0; s < e->plan->n_sets && !e->status; s++) {
        const mplan_plan_set *set = &e->plan->sets[s];
        expect(e, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, s), MPLAN_TYPE_I32, set->size, 1);
        expect(e, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, s), MPLAN_TYPE_I32, set->storage_size, 1);
        if (set->split[0] || set->part.parts)
            expect(e, mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, s), MPLAN_TYPE_I64, set->size, 1);
        if (mplan_plan_set_is_group(set))
            expect(e, mplan_key_of_set(MPLAN_KIND_PARENT_INDEX, s), MPLAN_TYPE_I32, set->size, 1);
        if (set->layers_ranged)
            expect(e, mplan_key_of_set(MPLAN_KIND_LAYER_RANGES, s), MPLAN_TYPE_I32,
                   set->storage_size, 2);
        if (set->layers_masked)
            expect(e, mplan_key_of_set(MPLAN_KIND_LAYER_MASK, s), MPLAN_TYPE_I32, set->storage_size,
                   (set->layers + 31) / 32);
    }
    for (int32_t m = 0; m < e->plan->n_maps && !e->status; m++) {
        const mplan_plan_map *map = &e->plan->maps[m];
        int64_t rows = e->plan->sets[map->from].storage_size;
        mplan_key values = mplan_key_of_map(MPLAN_KIND_MAP_VALUES, m);
        if (map->arity > 0) {
            expect(e, values, MPLAN_TYPE_I32, rows, map->arity);
            continue;
        }
        expect(e, values, MPLAN_TYPE_I32, map->n_entries, 1);
        expect(e, mplan_key_of_map(MPLAN_KIND_MAP_OFFSETS, m), MPLAN_TYPE_I64, rows + 1, 1);
    }
}

/* Offsets of the blocks, and the sequence where blocks do not follow the stored order. */
static void expect_block_sets(expectation *e)
{
    for (int32_t b = 0; b < e->plan->n_block_sets && !e->status; b++) {
        const mplan_plan_block_set *blocks = &e->plan->block_sets[b];
        expect(e, mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, b), MPLAN_TYPE_I64,
               blocks->n_blocks + 1, 1);
        if (blocks->sequence)
            expect(e, mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE, b), MPLAN_TYPE_I32,
                   e->plan->sets[blocks->set].size, 1);
    }
}

/* Local ids: one row for each position of the cut with fixed arity, else one per entry of the
 * map. A block set may serve several loops; each has local ids of its own, as its maps lead to
 * other points. */
static void expect_local(expectation *e, int32_t loop, int32_t block_set, int32_t map)
{
    mplan_key key = mplan_key_of_block_local(block_set, loop, map);
    const mplan_plan_map *record = &e->plan->maps[map];
    if (record->arity > 0)
        expect(e, key, MPLAN_TYPE_U16, positions_of(e->plan, block_set), record->arity);
    else
        expect(e, key, MPLAN_TYPE_U16, record->n_entries, 1);
}

/* The metrics pair loops with block sets, ascending, one record for each set of points: the
 * local ids, which are one per map, are asked for with the first record of a pair. */
static void expect_block_tables(expectation *e, const mplan_loop_lists *maps)
{
    const mplan_plan *plan = e->plan;
    for (int32_t i = 0; i < plan->n_metrics && !e->status; i++) {
        const mplan_block_metrics *m = &plan->metrics[i];
        mplan_key offsets = mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINT_OFFSETS, m->block_set,
                                                      m->loop, m->set);
        mplan_key points = mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS, m->block_set, m->loop,
                                                     m->set);
        expect(e, offsets, MPLAN_TYPE_I64, plan->block_sets[m->block_set].n_blocks + 1, 1);
        expect(e, points, MPLAN_TYPE_I32, m->pairs, 1);
        if (i > 0 && m[-1].loop == m->loop && m[-1].block_set == m->block_set)
            continue;
        for (int64_t k = maps->offsets[m->loop]; k < maps->offsets[m->loop + 1] && !e->status; k++)
            expect_local(e, m->loop, m->block_set, maps->values[k]);
    }
}

/* As expect, where the records say no more than a limit. */
static void expect_at_most(expectation *e, mplan_key key, mplan_type type, int64_t rows)
{
    expect(e, key, type, rows, 1);
    if (!e->status)
        ((mplan_expected *)e->list.data)[e->list.count - 1].at_most = true;
}

/* The arrays of its strategy's row: colours and launch lists, records of blocks, or tables of owners. Maps are looked
 * at only for strategies that gather, in a list of as many as the loop has args, which is gone when this returns. */
static void expect_variant(expectation *e, int32_t loop, int32_t v)
{
    const mplan_plan_loop *record = &e->plan->loops[loop];
    mplan_variant_array list[MPLAN_VARIANT_ARRAYS_MOST];
    mplan_increments increments = {0};
    if (mplan_strategy_has(record->variants[v].strategy, MPLAN_TRAITS_GATHER)) {
        int32_t *maps = mplan_alloc(record->n_args, sizeof *maps, e->err);
        if (!maps) {
            e->status = MPLAN_ERR_MEMORY;
            return;
        }
        mplan_plan_gathers(e->plan, record, maps, &increments); /* the rules have said so */
        free(maps);
    }
    int32_t n = mplan_variant_arrays(e->plan, loop, v, &increments, list);
    for (int32_t i = 0; i < n && !e->status; i++) {
        const mplan_key key = mplan_key_of_variant(list[i].kind, loop, v);
        if (list[i].at_most)
            expect_at_most(e, key, list[i].type, list[i].rows);
        else
            expect(e, key, list[i].type, list[i].rows, 1);
    }
}

/* Gather lists belong to a loop: once, however many of its variants use them. Slots are those of
 * a map that hold a point, at most all entries of the stored map: holes and -1 have none. */
static void expect_gathers(expectation *e, int32_t loop, const mplan_loop_lists *written)
{
    const mplan_plan *plan = e->plan;
    for (int64_t k = written->offsets[loop]; k < written->offsets[loop + 1] && !e->status; k++) {
        int32_t map = written->values[k];
        expect(e, mplan_key_of_gather(MPLAN_KIND_GATHER_OFFSETS, loop, map), MPLAN_TYPE_I64,
               plan->sets[plan->maps[map].to].storage_size + 1, 1);
        expect_at_most(e, mplan_key_of_gather(MPLAN_KIND_GATHER_SLOTS, loop, map), MPLAN_TYPE_I64,
                       plan->maps[map].n_entries);
    }
}

/* In the order of formats/plan-format.md. The gather lists of two-step belong to the
 * loop, not to one of its variants. */
static void expect_loops(expectation *e, const mplan_loop_lists *written)
{
    for (int32_t l = 0; l < e->plan->n_loops && !e->status; l++) {
        bool two_step = false;
        for (int32_t v = 0; v < e->plan->loops[l].n_variants && !e->status; v++) {
            expect_variant(e, l, v);
            two_step |= mplan_strategy_has(e->plan->loops[l].variants[v].strategy,
                                           MPLAN_TRAIT_SLOT_LISTS);
        }
        if (two_step)
            expect_gathers(e, l, written);
    }
}

/* The lists of one set between parts, and those of each loop that reads the set: parts of them. */
static void expect_part_set(expectation *e, int32_t s)
{
    const mplan_part_set *part = &e->plan->sets[s].part;
    const int64_t in = part->imports, out = part->exports;
    expect(e, mplan_key_of_set(MPLAN_KIND_IMPORT_PARTS, s), MPLAN_TYPE_I32, in, 1);
    expect(e, mplan_key_of_set(MPLAN_KIND_IMPORT_RANGES, s), MPLAN_TYPE_I64, in, 4);
    expect(e, mplan_key_of_set(MPLAN_KIND_IMPORT_HASHES, s), MPLAN_TYPE_I64, in, 1);
    expect(e, mplan_key_of_set(MPLAN_KIND_EXPORT_PARTS, s), MPLAN_TYPE_I32, out, 1);
    expect(e, mplan_key_of_set(MPLAN_KIND_EXPORT_OFFSETS, s), MPLAN_TYPE_I64, out + 1, 1);
    expect(e, mplan_key_of_set(MPLAN_KIND_EXPORT_INDEX, s), MPLAN_TYPE_I32, part->exported, 1);
    expect(e, mplan_key_of_set(MPLAN_KIND_EXPORT_HASHES, s), MPLAN_TYPE_I64, out, 1);
    if (mplan_plan_rings(e->plan) > 0) {
        expect(e, mplan_key_of_set(MPLAN_KIND_HALO_RINGS, s), MPLAN_TYPE_U8,
               e->plan->sets[s].size - part->owned, 1);
        expect(e, mplan_key_of_set(MPLAN_KIND_EXPORT_RINGS, s), MPLAN_TYPE_U8, part->exported, 1);
    }
    if (mplan_plan_has_slabs(e->plan))
        expect(e, mplan_key_of_set(MPLAN_KIND_PART_PLACES, s), MPLAN_TYPE_I32,
               e->plan->sets[s].size, 1);
    for (int32_t l = 0; l < e->plan->n_loops && !e->status; l++) {
        if (!mplan_plan_loop_reads(e->plan, l, s))
            continue;
        expect(e, mplan_key_of_loop_set(MPLAN_KIND_LOOP_IMPORT_OFFSETS, s, l), MPLAN_TYPE_I64,
               in + 1, 1);
        expect_at_most(e, mplan_key_of_loop_set(MPLAN_KIND_LOOP_IMPORTS, s, l), MPLAN_TYPE_I32,
                       e->plan->sets[s].size - part->owned);
        expect(e, mplan_key_of_loop_set(MPLAN_KIND_LOOP_IMPORT_HASHES, s, l), MPLAN_TYPE_I64, in, 1);
        expect(e, mplan_key_of_loop_set(MPLAN_KIND_LOOP_EXPORT_OFFSETS, s, l), MPLAN_TYPE_I64,
               out + 1, 1);
        expect_at_most(e, mplan_key_of_loop_set(MPLAN_KIND_LOOP_EXPORTS, s, l), MPLAN_TYPE_I32,
                       part->exported);
        expect(e, mplan_key_of_loop_set(MPLAN_KIND_LOOP_EXPORT_HASHES, s, l), MPLAN_TYPE_I64, out, 1);
    }
}

/* Borders of the slabs of every set (slabs + 1), pieces of slabs, borders of the segments (segments + 1), and the events, four numbers each.
 * The records do not say how many events there are: `verify` replays them. */
static void expect_slabs(expectation *e)
{
    const mplan_plan_visit *visit = &e->plan->visit;
    if (!mplan_plan_has_slabs(e->plan))
        return;
    for (int32_t s = 0; s < e->plan->n_sets && !e->status; s++)
        expect(e, mplan_key_of_set(MPLAN_KIND_SLAB_OFFSETS, s), MPLAN_TYPE_I64,
               (int64_t)visit->slabs + 1, 1);
    for (int32_t s = 0; s < e->plan->n_sets && !e->status; s++)
        if (mplan_plan_has_pieces(e->plan, s))
            expect(e, mplan_key_of_set(MPLAN_KIND_SLAB_PIECES, s), MPLAN_TYPE_I32, visit->slabs,
                   MPLAN_SLAB_PIECES - 1);
    expect(e, mplan_key_of_plan(MPLAN_KIND_SEGMENTS), MPLAN_TYPE_I32, (int64_t)visit->segments + 1,
           1);
    expect(e, mplan_key_of_plan(MPLAN_KIND_SCHEDULE), MPLAN_TYPE_I32, INT32_MAX, 4);
    if (!e->status)
        ((mplan_expected *)e->list.data)[e->list.count - 1].at_most = true;
}

/* Keys of two records are never equal: they differ in the number of the record. */
static int compare_expected(const void *a, const void *b)
{
    return mplan_key_compare(&((const mplan_expected *)a)->key, &((const mplan_expected *)b)->key);
}

/* *expected: n arrays, sorted by key, owned by the caller. limit: the largest number that the
 * file can hold. The records must have passed mplan_rules_records: indices are used as they are.
 * Time is linear in the arrays that are asked for, but for sorting them. */
mplan_status mplan_rules_arrays(const mplan_plan *plan, int64_t limit, mplan_expected **expected,
                                int64_t *n, mplan_error *err)
{
    expectation e = {plan, MPLAN_VECTOR_INIT(sizeof(mplan_expected)), limit, MPLAN_OK, err};
    mplan_loop_lists maps = {NULL, NULL}, written = {NULL, NULL};
    e.status = mplan_loop_lists_make(plan, MPLAN_LOOP_MAPS, &maps, err);
    if (!e.status)
        e.status = mplan_loop_lists_make(plan, MPLAN_LOOP_WRITTEN_MAPS, &written, err);
    if (!e.status)
        expect_sets_and_maps(&e);
    if (!e.status)
        expect_block_sets(&e);
    if (!e.status)
        expect_block_tables(&e, &maps);
    if (!e.status)
        expect_loops(&e, &written);
    for (int32_t s = 0; s < plan->n_sets && mplan_plan_is_part(plan) && !e.status; s++)
        expect_part_set(&e, s);
    if (!e.status)
        expect_slabs(&e);
    mplan_loop_lists_free(&maps);
    mplan_loop_lists_free(&written);
    if (e.status) {
        free(e.list.data);
        return e.status;
    }
    if (e.list.data)
        qsort(e.list.data, (size_t)e.list.count, sizeof(mplan_expected), compare_expected);
    *expected = e.list.data;
    *n = e.list.count;
    return MPLAN_OK;
}
