/* SPDX-License-Identifier: Apache-2.0 */
/* step_pack.c - the tables of the strategies that gather, and the records of all variants
 *
 * two-step: lists by point, as LULESH's (formats/plan-format.md, section 6); block-gather and
 * owner-gather: sections 8 and 9. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "plan/packed.h"
#include "pipeline/conflict_maps.h"
#include "pipeline/layers.h"
#include "pipeline/side_by_side.h"
#include "pipeline/steps.h"
#include "tables/owner_windows.h"
#include "tables/tables.h"

/* Of the columns of entries, one in so many may be plain where windows16 is chosen. */
enum { PLAIN_SHARE = 64 };

/* Local maps of the loop, increment maps first, and which maps of the plan they are (the caller's, n_args of each); refuses
 * loops that do not gather. */
static mplan_status gathered_maps(const planning *p, int32_t l, mplan_strategy strategy,
                                  mplan_map **maps, int32_t **which, mplan_increments *increments,
                                  mplan_error *err)
{
    const mplan_plan_loop *loop = &p->plan->loops[l];
    *which = mplan_alloc(loop->n_args, sizeof **which, err);
    *maps = mplan_alloc(loop->n_args, sizeof **maps, err);
    mplan_status status = *which && *maps ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status && !mplan_plan_gathers(p->plan, loop, *which, increments))
        status = mplan_planning_refuse_gather(loop->name, strategy, "", err);
    for (int32_t m = 0; m < increments->n_local && !status; m++)
        (*maps)[m] = mplan_planning_stored_map(p, (*which)[m]);
    return status;
}

/* The plan's array of a key, which is only to be read; NULL without. */
static void *array_of(const planning *p, mplan_key key)
{
    const mplan_array *array = mplan_plan_find_array(p->plan, &key);
    return array ? (void *)(uintptr_t)array->data : NULL;
}

/* The points that the blocks of a block set touch through n local maps, as step_block_tables.c has given them to the plan:
 * true if it has, and for these maps only. points->local has room for n. */
static bool points_of_plan(const planning *p, int32_t l, int32_t block_set, const int32_t *which,
                           int32_t n, mplan_block_points *points)
{
    const planning_loop *loop = &p->loops[l];
    int32_t all = 0;
    if (n < 1)
        return false;
    const int32_t target = p->maps[which[0]].to;
    for (int32_t m = 0; m < loop->n_maps; m++)
        all += p->maps[loop->maps[m]].to == target;
    points->offsets = array_of(p, mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINT_OFFSETS,
                                                            block_set, l, target));
    points->points = array_of(p, mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS, block_set, l,
                                                           target));
    bool found = all == n && points->offsets && points->points;
    for (int32_t m = 0; m < n && found; m++) {
        points->local[m] = array_of(p, mplan_key_of_block_local(block_set, l, which[m]));
        found = points->local[m] != NULL;
    }
    return found;
}

/* Hands one array of the variant to the plan and sets the caller's pointer to NULL: the array is
 * the plan's even where that fails. status: of what came before; after a failure, and for a
 * table that this encoding does not have (NULL), nothing happens. */
static mplan_status take(planning *p, mplan_kind kind, int32_t l, int32_t v, mplan_type type,
                         int64_t rows, void *pointer_to_data, mplan_status status, mplan_error *err)
{
    void **data = pointer_to_data, *taken = *data;
    if (status || !taken)
        return status;
    *data = NULL; /* the plan's, also when it fails */
    return mplan_plan_take_array(p->plan, mplan_key_of_variant(kind, l, v), type, rows, 1, taken,
                                 err);
}

/* Bytes that one position of a block stages for its increments (section 7): for each incremented
 * dat, however many args name it, columns x dim numbers. With layers: those of the smallest tile. */
static int64_t staged_per_position(const planning *p, int32_t l, const mplan_increments *increments)
{
    const mplan_plan_loop *loop = &p->plan->loops[l];
    int64_t bytes = 0;
    if (loop->layering)
        return mplan_planning_layer_bytes(loop);
    for (int32_t a = 0; a < loop->n_args; a++) {
        bool again = false;
        for (int32_t b = 0; b < a; b++)
            again = again || (loop->args[b].map >= 0 && mplan_access_adds(loop->args[b].access) &&
                              strcmp(loop->args[b].dat, loop->args[a].dat) == 0);
        if (loop->args[a].map >= 0 && mplan_access_adds(loop->args[a].access) && !again)
            bytes += (int64_t)increments->columns * loop->args[a].dim *
                     (int64_t)mplan_type_size(loop->args[a].type);
    }
    return bytes;
}

/* Packs the records of variant v and hands them to the plan; record: of the
 * variant, completed here. */
static mplan_status add_block_gather(planning *p, int32_t l, int32_t v, mplan_plan_variant *record,
                                     mplan_error *err)
{
    const planning_blocks *blocks = &p->cuts[record->block_set];
    mplan_map *maps = NULL;
    int32_t *which = NULL;
    mplan_increments increments = {0};
    mplan_block_records records = {0};
    mplan_status status = gathered_maps(p, l, record->strategy, &maps, &which, &increments, err);
    mplan_block_points points = {
        .local = mplan_alloc(p->plan->loops[l].n_args, sizeof *points.local, err)};
    status = !status && !points.local ? MPLAN_ERR_MEMORY : status;
    if (!status) {
        bool known = points_of_plan(p, l, record->block_set, which, increments.n_local, &points);
        status = mplan_table_block_records(maps, increments.n_maps, increments.n_local,
                                           blocks->n_blocks, blocks->offsets, blocks->sequence,
                                           known ? &points : NULL, record->round,
                                           record->sums == MPLAN_SUMS_PARTIAL,
                                           staged_per_position(p, l, &increments), &records,
                                           p->context, err);
    }
    free(points.local);
    free(which);
    free(maps);
    int64_t limit = p->options->shared_bytes ? p->options->shared_bytes : p->device.shared_bytes;
    record->shared_bytes_max = records.staged_max;
    record->partial_sums = records.n_sums;
    if (!status && records.staged_max > limit)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "loop %s: a block of block-gather stages %lld bytes, more than the "
                            "%lld that a block may use; give a smaller --block-size",
                            p->loops[l].loop->name, (long long)records.staged_max, (long long)limit);
    int64_t bytes = !status ? records.offsets[blocks->n_blocks] : 0;
    status = take(p, MPLAN_KIND_BLOCK_RECORD_OFFSETS, l, v, MPLAN_TYPE_I64, blocks->n_blocks + 1,
                  &records.offsets, status, err);
    status = take(p, MPLAN_KIND_BLOCK_RECORDS, l, v, MPLAN_TYPE_U8, bytes, &records.bytes, status,
                  err);
    status = take(p, MPLAN_KIND_PARTIAL_POINTS, l, v, MPLAN_TYPE_I32, records.n_shared,
                  &records.partial_points, status, err);
    status = take(p, MPLAN_KIND_PARTIAL_OFFSETS, l, v, MPLAN_TYPE_I64, records.n_shared + 1,
                  &records.partial_offsets, status, err);
    mplan_table_block_records_free(&records);
    return status;
}

/* The order in which variant `record` of loop l sums its rows; orders are still planning's. */
static mplan_row_order row_order(const planning *p, int32_t l, const mplan_plan_variant *record)
{
    const planning_set *set = &p->sets[p->loops[l].set];
    const bool by_entry = p->options->entry_layout && !p->loops[l].layering;
    return (mplan_row_order){record->sums_order, set->size,
                             set->new_of_old,    record->slice_rows,
                             by_entry,           p->loops[l].layering != MPLAN_LAYERING_NONE};
}

/* owner-gather writes the direct results of an element where it has a point. */
static mplan_status refuse_direct(const planning *p, int32_t l, const mplan_map *maps,
                                  const mplan_increments *increments, mplan_error *err)
{
    const mplan_plan_loop *loop = &p->plan->loops[l];
    bool writes = false;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        writes = writes ||
                 ((arg->map < 0 || arg->once) && arg->access != MPLAN_READ); /* or into a global */
    }
    for (int64_t e = 0; e < maps[0].n_rows && writes; e++) {
        bool point = false;
        for (int32_t m = 0; m < increments->n_maps; m++)
            for (int32_t s = 0; s < maps[m].arity; s++)
                point = point || maps[m].values[e * maps[m].arity + s] >= 0;
        if (!point)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "loop %s: owner-gather would never compute stored element %lld, "
                              "which touches no point, and would not write its direct results",
                              loop->name, (long long)e);
    }
    return MPLAN_OK;
}

/* The other maps of the loop's args, each once, in their order; others: out, room for n_args. */
static void describe_owner_loop(const planning *p, int32_t l, const mplan_map *maps, int32_t n_maps,
                                mplan_map *others, mplan_owner_loop *out)
{
    const mplan_plan_loop *loop = &p->plan->loops[l];
    *out = (mplan_owner_loop){.maps = maps, .n_maps = n_maps, .others = others};
    for (int32_t a = 0; a < loop->n_args; a++) {
        bool known = loop->args[a].map < 0;
        out->direct = out->direct || mplan_arg_is_of_element(&loop->args[a]);
        for (int32_t b = 0; b < loop->n_args && !known; b++)
            known = loop->args[b].map == loop->args[a].map &&
                    (b < a || mplan_access_adds(loop->args[b].access));
        if (!known)
            others[out->n_others++] = mplan_planning_stored_map(p, loop->args[a].map);
    }
}

/* Whether windows16 pays: it saves loads one after the other, of other maps' rows (res_calc took 69.6 us
 * with pair32 and 58.6 so) and of what the neighbour has (flux2d 209 and 204, flux3d 408 and 400; volna, which
 * reads 4 bytes of it, 90.3 and 88.3). A loop that reads nothing through its maps has nothing to wait for. */
static bool windows_pay(const mplan_plan_loop *loop, const mplan_owner_loop *owner)
{
    bool reads = false;
    for (int32_t a = 0; a < loop->n_args; a++)
        reads = reads || (loop->args[a].map >= 0 && loop->args[a].access == MPLAN_READ);
    return owner->n_others > 0 || reads;
}

/* The table in the encoding that was asked for. Where that was left open: windows16 where it pays, can
 * say the loop, and few slices have to do without windows; else the one of the fewest bytes. */
static mplan_status make_owner_table(const planning *p, int32_t l, const mplan_map *maps,
                                     int32_t n_maps, const mplan_row_order *order,
                                     mplan_owner_table *table, mplan_error *err)
{
    const mplan_encoding asked = p->options->encoding;
    if (order->no_pairs || (asked != MPLAN_ENCODING_NONE && asked != MPLAN_ENCODING_WINDOWS16))
        return mplan_table_owner(maps, n_maps, order, asked, table, p->context, err);
    mplan_map *others = mplan_alloc(p->plan->loops[l].n_args, sizeof *others, err);
    if (!others)
        return MPLAN_ERR_MEMORY;
    mplan_owner_loop loop;
    describe_owner_loop(p, l, maps, n_maps, others, &loop);
    const bool open = asked == MPLAN_ENCODING_NONE;
    mplan_status status = MPLAN_OK;
    bool done = !open || (windows_pay(&p->plan->loops[l], &loop) &&
                          !mplan_table_windows_lack(&loop, mplan_team_of(p->context)));
    if (done)
        status = mplan_table_windows(&loop, order, table, p->context, err);
    free(others);
    if (!status && open && done && table->n_plain * PLAIN_SHARE > table->n_columns) {
        mplan_table_owner_free(table);
        done = false;
    }
    return status || done ? status
                          : mplan_table_owner(maps, n_maps, order, asked, table, p->context, err);
}

/* As add_block_gather, with the transposed map in sliced form. */
static mplan_status add_owner_gather(planning *p, int32_t l, int32_t v, mplan_plan_variant *record,
                                     mplan_error *err)
{
    mplan_map *maps = NULL;
    int32_t *which = NULL;
    mplan_increments increments = {0};
    mplan_owner_table table = {0};
    const mplan_row_order order = row_order(p, l, record);
    mplan_status status = gathered_maps(p, l, record->strategy, &maps, &which, &increments, err);
    free(which);
    if (!status)
        status = refuse_direct(p, l, maps, &increments, err);
    if (!status)
        status = make_owner_table(p, l, maps, increments.n_maps, &order, &table, err);
    int64_t n_points = !status ? maps[0].n_points : 0;
    free(maps);
    record->encoding = table.encoding;
    record->width = table.width;
    record->window = table.window;
    record->entry_layout = order.by_entry && table.encoding == MPLAN_ENCODING_WINDOWS16 &&
                           table.width > 0;
    const bool small = table.encoding == MPLAN_ENCODING_INDEX16 ||
                       table.encoding == MPLAN_ENCODING_WINDOWS16;
    const int64_t numbers = table.fields ? table.fields : 1; /* of an entry */
    mplan_type type = small ? MPLAN_TYPE_U16 : MPLAN_TYPE_I32;
    status = take(p, MPLAN_KIND_OWNER_OFFSETS, l, v, MPLAN_TYPE_I64, table.n_slices + 1,
                  &table.offsets, status, err);
    status = take(p, MPLAN_KIND_OWNER_ENTRIES, l, v, type, table.rows * table.n_columns * numbers,
                  &table.entries, status, err);
    status = take(p, MPLAN_KIND_OWNER_BASE, l, v, MPLAN_TYPE_I32, table.n_slices, &table.base,
                  status, err);
    status = take(p, MPLAN_KIND_OWNER_ESCAPE_OFFSETS, l, v, MPLAN_TYPE_I64, table.n_slices + 1,
                  &table.escape_offsets, status, err);
    status = take(p, MPLAN_KIND_OWNER_ESCAPES, l, v, MPLAN_TYPE_I32, table.n_escapes,
                  &table.escapes, status, err);
    status = take(p, MPLAN_KIND_OWNER_ROW_START, l, v, MPLAN_TYPE_I32, n_points + 1,
                  &table.row_start, status, err);
    status = take(p, MPLAN_KIND_OWNER_POINTS, l, v, MPLAN_TYPE_U8, table.rows * table.n_slices,
                  &table.points, status, err);
    status = take(p, MPLAN_KIND_OWNER_WINDOWS, l, v, MPLAN_TYPE_I32,
                  MPLAN_WINDOW_WORDS * table.n_slices, &table.windows, status, err);
    status = take(p, MPLAN_KIND_OWNER_PLAIN, l, v, MPLAN_TYPE_I32, table.rows * table.n_plain,
                  &table.plain, status, err);
    mplan_table_owner_free(&table);
    return status;
}

/* two-step: for each map that is written through the slots by point. Shared by all variants
 * of the loop. */
static mplan_status add_two_step(planning *p, int32_t l, const mplan_plan_variant *record,
                                 const conflict_maps *conflict, mplan_error *err)
{
    const mplan_row_order order = row_order(p, l, record);
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < conflict->n_maps && !status; m++) {
        int64_t *offsets, *slots;
        int32_t map = conflict->which[m];
        if (order.by == MPLAN_SUMS_ORDER_COLUMN && conflict->maps[m].arity == 0)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "loop %s: --sums-order column needs maps that are not ragged, and %s "
                              "is",
                              p->loops[l].loop->name, conflict->maps[m].name);
        status = mplan_table_gather(&conflict->maps[m], &order, &offsets, &slots, err);
        if (status)
            return status;
        int64_t n_points = conflict->maps[m].n_points, n_slots = offsets[n_points];
        status = mplan_plan_take_array(p->plan,
                                       mplan_key_of_gather(MPLAN_KIND_GATHER_OFFSETS, l, map),
                                       MPLAN_TYPE_I64, n_points + 1, 1, offsets, err);
        if (status)
            free(slots);
        else
            status = mplan_plan_take_array(p->plan,
                                           mplan_key_of_gather(MPLAN_KIND_GATHER_SLOTS, l, map),
                                           MPLAN_TYPE_I64, n_slots, 1, slots, err);
    }
    return status;
}

/* Threads of a thread block and what each of them does. block-gather: a loop of two slots
 * does best with a few elements a thread, one of four or more with as many threads as it
 * can have (tools/gpu/RESULTS.md). */
static void choose_threads(const mplan_plan_options *options, const conflict_maps *conflict,
                           bool layers, mplan_plan_variant *record)
{
    const uint32_t of_lists = MPLAN_TRAIT_SLOT_LISTS | MPLAN_TRAIT_OWNERS;
    int32_t all = (options->block_size + 31) / 32 * 32, columns = 0;
    for (int32_t m = 0; m < conflict->n_maps; m++)
        columns += conflict->maps[m].arity;
    int32_t most = columns >= 4 ? 256 : 128;
    record->threads = all;
    if (mplan_strategy_has(record->strategy, MPLAN_TRAIT_RECORDS))
        record->threads = record->round ? record->round : all < most ? all : most;
    if (mplan_strategy_has(record->strategy, MPLAN_TRAIT_OWNERS))
        record->threads = 128;
    if (options->block_threads > 0)
        record->threads = options->block_threads;
    record->elements_per_thread = record->block_set >= 0
                                      ? (all + record->threads - 1) / record->threads
                                      : 1;
    if (options->elements_per_thread > 0 && record->block_set < 0 && !layers &&
        !(mplan_strategy_traits(record->strategy) & of_lists))
        record->elements_per_thread = options->elements_per_thread;
    if (options->bound_blocks > 0 && !layers &&
        mplan_strategy_has(record->strategy, MPLAN_TRAIT_RECORDS | MPLAN_TRAIT_OWNERS)) {
        record->bound_threads = record->threads;
        record->bound_blocks = options->bound_blocks;
    }
}

/* Tables of one variant, then its threads; the record goes to the plan as the next one of loop
 * l, so that variants keep the order of the request. */
static mplan_status pack_variant(planning *p, int32_t l, int32_t v, const conflict_maps *conflict,
                                 mplan_error *err)
{
    mplan_plan_variant *record = &p->loops[l].variants[v];
    mplan_status status = MPLAN_OK;
    if (mplan_strategy_has(record->strategy, MPLAN_TRAIT_SLOT_LISTS))
        status = add_two_step(p, l, record, conflict, err);
    else if (mplan_strategy_has(record->strategy, MPLAN_TRAIT_RECORDS))
        status = add_block_gather(p, l, v, record, err);
    else if (mplan_strategy_has(record->strategy, MPLAN_TRAIT_OWNERS))
        status = add_owner_gather(p, l, v, record, err);
    choose_threads(p->options, conflict, p->loops[l].layering != 0, record);
    return !status ? mplan_plan_add_variant(p->plan, l, record, err) : status;
}

/* The maps through which a loop's elements conflict are the same for all its strategies, and
 * are collected once. */
mplan_status mplan_step_pack(planning *p, mplan_error *err)
{
    assert(p && p->plan);
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < p->n_loops && !status; l++) {
        conflict_maps conflict;
        status = mplan_conflict_maps_of(p, &p->loops[l], &conflict, err);
        for (int32_t v = 0; v < p->loops[l].n_strategies && !status; v++)
            status = pack_variant(p, l, v, &conflict, err);
        mplan_conflict_maps_free(&conflict);
    }
    return status;
}
