/* SPDX-License-Identifier: Apache-2.0 */
/* bind_tables.c - the tables of a variant, as its launches read them
 *
 * Columns and local maps are those of formats/plan-format.md, sections 8 and 9. */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "exec/exec.h"
#include "exec/globals.h"
#include "plan/packed.h"
#include "plan/strategies.h"

/* Asks for a table and puts its address into a member of another type. */
#define TABLE(key, type, member, rows)                                                             \
    do {                                                                                           \
        const void *table_;                                                                        \
        mplan_status table_status_ = mplan_exec_table(bound->exec, (key), (type), &table_, (rows), \
                                                      err);                                        \
        if (table_status_ != MPLAN_OK)                                                             \
            return table_status_;                                                                  \
        (member) = table_;                                                                         \
    } while (0)

/* Key of an array of the bound variant. */
static mplan_key variant_key(const mplan_exec_loop *bound, mplan_kind kind)
{
    return mplan_key_of_variant(kind, bound->l, bound->v);
}

/* --- columns ------------------------------------------------------------------- */

/* First columns of each arg's map, and the incremented set. */
static void number_columns(mplan_exec_loop *bound)
{
    const mplan_plan *plan = bound->exec->plan;
    const mplan_plan_loop *loop = bound->loop;
    int32_t maps[MPLAN_MAX_ARGS];
    mplan_increments about;
    bool gathers = mplan_plan_gathers(plan, loop, maps, &about);
    bound->call.columns = about.columns;
    bound->call.local_columns = about.local_columns;
    bound->call.owner_fields = about.fields;
    bound->call.n_points = about.set < 0 ? 0 : mplan_plan_get_set(plan, about.set)->storage_size;
    for (int32_t a = 0; a < loop->n_args; a++) {
        mplan_launch_arg *arg = &bound->call.arg[a];
        int32_t column = 0;
        arg->first_local = -1;
        for (int32_t m = 0; m < about.n_local && gathers; m++) {
            if (loop->args[a].map == maps[m])
                arg->first_local = column;
            if (loop->args[a].map == maps[m] && m < about.n_maps)
                arg->first_column = column;
            column += mplan_plan_get_map(plan, maps[m])->arity;
        }
    }
}

/* --- args ------------------------------------------------------------------------ */

/* What every strategy needs of arg a. */
static mplan_status fill_arg(mplan_exec_loop *bound, int32_t a, mplan_error *err)
{
    const mplan_exec_dat *dat = &bound->exec->dats[bound->dat[a]];
    mplan_launch_arg *arg = &bound->call.arg[a];
    int32_t map = bound->loop->args[a].map;
    arg->data = mplan_exec_launch_data(dat);
    arg->stride = dat->layout == MPLAN_LAYOUT_SOA ? mplan_exec_launch_stride(dat) : 0;
    arg->set_size = dat->storage_size;
    if (mplan_exec_changes_global(bound->loop, a))
        return mplan_exec_fill_global(bound, a, err);
    if (map >= 0)
        TABLE(mplan_key_of_map(MPLAN_KIND_MAP_VALUES, map), MPLAN_TYPE_I32, arg->rows, NULL);
    if (map >= 0 && mplan_plan_get_map(bound->exec->plan, map)->arity == 0)
        TABLE(mplan_key_of_map(MPLAN_KIND_MAP_OFFSETS, map), MPLAN_TYPE_I64, arg->row_offsets, NULL);
    return MPLAN_OK;
}

/* Point lists and local ids, for block-colour. */
static mplan_status fill_staged_arg(mplan_exec_loop *bound, int32_t a, mplan_error *err)
{
    const mplan_plan *plan = bound->exec->plan;
    mplan_launch_arg *arg = &bound->call.arg[a];
    int32_t map = bound->loop->args[a].map, blocks = bound->chosen->block_set;
    if (map < 0 || bound->kernel->args[a].ragged)
        return MPLAN_OK;
    int32_t to = mplan_plan_get_map(plan, map)->to;
    TABLE(mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINT_OFFSETS, blocks, bound->l, to),
          MPLAN_TYPE_I64, arg->point_offsets, NULL);
    TABLE(mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS, blocks, bound->l, to), MPLAN_TYPE_I32,
          arg->points, NULL);
    TABLE(mplan_key_of_block_local(blocks, bound->l, map), MPLAN_TYPE_U16, arg->local, NULL);
    for (int32_t i = 0; i < mplan_plan_n_metrics(plan); i++) {
        const mplan_block_metrics *metrics = mplan_plan_get_metrics(plan, i);
        if (metrics->loop == bound->l && metrics->block_set == blocks && metrics->set == to)
            arg->points_max = (int32_t)metrics->points_max;
    }
    return MPLAN_OK;
}

/* Gather lists and room for the results, for two-step. */
static mplan_status fill_gathered_arg(mplan_exec_loop *bound, int32_t a, mplan_error *err)
{
    mplan_launch_arg *arg = &bound->call.arg[a];
    const mplan_plan_arg *about = &bound->loop->args[a];
    if (!mplan_exec_increments(bound->loop, a))
        return MPLAN_OK;
    TABLE(mplan_key_of_gather(MPLAN_KIND_GATHER_OFFSETS, bound->l, about->map), MPLAN_TYPE_I64,
          arg->gather_offsets, NULL);
    TABLE(mplan_key_of_gather(MPLAN_KIND_GATHER_SLOTS, bound->l, about->map), MPLAN_TYPE_I64,
          arg->gather_slots, NULL);
    int64_t entries = mplan_plan_get_map(bound->exec->plan, about->map)->n_entries;
    return mplan_exec_allocate(bound->exec, entries * about->dim, mplan_type_size(about->type),
                               &arg->scratch, err);
}

/* --- the variant's own tables --------------------------------------------------------- */

#define MEMBER(name) offsetof(mplan_launch_call, name)

/* Where launches find the arrays of a variant; colours themselves they do not read. */
static const struct {
    mplan_kind kind;
    size_t member;
} tables[] = {
    {MPLAN_KIND_GLOBAL_LAUNCH, MEMBER(list)},
    {MPLAN_KIND_BLOCK_LAUNCH, MEMBER(list)},
    {MPLAN_KIND_THREAD_COLOURS, MEMBER(thread_colours)},
    {MPLAN_KIND_BLOCK_THREAD_COLOURS, MEMBER(block_thread_colours)},
    {MPLAN_KIND_BLOCK_RECORD_OFFSETS, MEMBER(record_offsets)},
    {MPLAN_KIND_BLOCK_RECORDS, MEMBER(records)},
    {MPLAN_KIND_PARTIAL_POINTS, MEMBER(partial_points)},
    {MPLAN_KIND_PARTIAL_OFFSETS, MEMBER(partial_offsets)},
    {MPLAN_KIND_OWNER_OFFSETS, MEMBER(owner_offsets)},
    {MPLAN_KIND_OWNER_ENTRIES, MEMBER(owner_entries)},
    {MPLAN_KIND_OWNER_BASE, MEMBER(owner_base)},
    {MPLAN_KIND_OWNER_ESCAPE_OFFSETS, MEMBER(owner_escape_offsets)},
    {MPLAN_KIND_OWNER_ESCAPES, MEMBER(owner_escapes)},
    {MPLAN_KIND_OWNER_ROW_START, MEMBER(owner_row_start)},
    {MPLAN_KIND_OWNER_POINTS, MEMBER(owner_points)},
    {MPLAN_KIND_OWNER_WINDOWS, MEMBER(owner_windows)},
    {MPLAN_KIND_OWNER_PLAIN, MEMBER(owner_plain)},
};

/* The offsets of launches stay on the host: it launches. */
static mplan_status fill_launch_offsets(mplan_exec_loop *bound, mplan_kind kind, mplan_error *err)
{
    int64_t rows;
    bound->call.launch_offsets = mplan_plan_data(bound->exec->plan, variant_key(bound, kind),
                                                 MPLAN_TYPE_I64, &rows);
    if (!bound->call.launch_offsets || rows < 1)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "the plan lacks the table %s",
                          mplan_kind_name(kind));
    bound->call.n_launches = rows - 1;
    return MPLAN_OK;
}

/* Puts the address of one array of the variant into its member of the call; offsets of launches
 * stay on the host. */
static mplan_status fill_table(mplan_exec_loop *bound, const mplan_variant_array *array,
                               mplan_error *err)
{
    const void *table = NULL;
    if (array->kind == MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS ||
        array->kind == MPLAN_KIND_BLOCK_LAUNCH_OFFSETS)
        return fill_launch_offsets(bound, array->kind, err);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        /* of rows with layers lists are made (bind_layer_lists.c), which are read in the place of these */
        const bool listed = bound->layers && array->kind >= MPLAN_KIND_OWNER_OFFSETS &&
                            array->kind <= MPLAN_KIND_OWNER_PLAIN;
        if (tables[i].kind != array->kind || listed)
            continue;
        int64_t rows = 0;
        TABLE(variant_key(bound, array->kind), array->type, table, &rows);
        memcpy((char *)&bound->call + tables[i].member, &table, sizeof table);
        if (array->kind == MPLAN_KIND_PARTIAL_POINTS)
            bound->call.n_partial_points = rows;
    }
    return MPLAN_OK;
}

/* All arrays that the strategy's row lists. A loop that does not gather has no columns, and no
 * strategy that gathers. */
static mplan_status fill_tables(mplan_exec_loop *bound, mplan_error *err)
{
    const mplan_plan *plan = bound->exec->plan;
    mplan_variant_array list[MPLAN_VARIANT_ARRAYS_MOST];
    int32_t maps[MPLAN_MAX_ARGS];
    mplan_increments increments;
    bool gathers = mplan_plan_gathers(plan, bound->loop, maps, &increments);
    if (!gathers && mplan_strategy_has(bound->chosen->strategy, MPLAN_TRAITS_GATHER))
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "variant %d of loop %s gathers, but its loop does not", (int)bound->v,
                          bound->loop->name);
    mplan_status status = MPLAN_OK;
    int32_t n = mplan_variant_arrays(plan, bound->l, bound->v, &increments, list);
    for (int32_t i = 0; i < n && !status; i++)
        status = fill_table(bound, &list[i], err);
    return status;
}

/* --- blocks --------------------------------------------------------------------------- */

/* Offsets and sequence of the variant's blocks. */
static mplan_status fill_blocks(mplan_exec_loop *bound, mplan_error *err)
{
    int32_t blocks = bound->chosen->block_set;
    if (blocks < 0)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "variant %d of loop %s has no blocks",
                          (int)bound->v, bound->loop->name);
    const mplan_plan_block_set *set = mplan_plan_get_block_set(bound->exec->plan, blocks);
    bound->call.n_blocks = set->n_blocks;
    TABLE(mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, blocks), MPLAN_TYPE_I64,
          bound->call.block_offsets, NULL);
    if (set->sequence)
        TABLE(mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE, blocks), MPLAN_TYPE_I32,
              bound->call.sequence, NULL);
    return MPLAN_OK;
}

/* Where each arg's sum is within a partial slot, and memory for all slots. */
static mplan_status fill_partial_sums(mplan_exec_loop *bound, mplan_error *err)
{
    const mplan_plan_loop *loop = bound->loop;
    for (int32_t a = 0; a < loop->n_args; a++)
        if (mplan_exec_increments(loop, a)) {
            bound->call.arg[a].partial_at = (int32_t)bound->call.partial_bytes;
            bound->call.partial_bytes +=
                (loop->args[a].dim * (int64_t)mplan_type_size(loop->args[a].type) + 7) / 8 * 8;
        }
    if (bound->call.partial_bytes == 0) /* nothing is incremented */
        return MPLAN_OK;
    void *sums = NULL;
    mplan_status status = mplan_exec_allocate(bound->exec, bound->chosen->partial_sums,
                                              (size_t)bound->call.partial_bytes, &sums, err);
    bound->call.partial_sums = sums;
    return status;
}

/* What a block of records stages, and where the sums of shared points go. */
static mplan_status fill_record_bytes(mplan_exec_loop *bound, mplan_error *err)
{
    int64_t rows;
    const int64_t *offsets = mplan_plan_data(bound->exec->plan,
                                             variant_key(bound, MPLAN_KIND_BLOCK_RECORD_OFFSETS),
                                             MPLAN_TYPE_I64, &rows);
    for (int64_t b = 0; b + 1 < rows; b++)
        if (offsets[b + 1] - offsets[b] > bound->call.record_bytes_max)
            bound->call.record_bytes_max = offsets[b + 1] - offsets[b];
    mplan_status status = mplan_exec_find_apart(bound, err);
    if (status)
        return status;
    return bound->chosen->sums == MPLAN_SUMS_PARTIAL &&
                   !bound->layers /* those of levels: bind_layer_blocks.c */
               ? fill_partial_sums(bound, err)
               : MPLAN_OK;
}

/* --- the whole call ---------------------------------------------------------------------- */

/* What the traits of the variant's strategy say that launches read. */
static mplan_status fill_strategy(mplan_exec_loop *bound, mplan_error *err)
{
    const uint32_t traits = mplan_strategy_traits(bound->chosen->strategy);
    mplan_status status = traits & MPLAN_TRAIT_BLOCKS ? fill_blocks(bound, err) : MPLAN_OK;
    for (int32_t a = 0; a < bound->loop->n_args && !status; a++) {
        if (traits & MPLAN_TRAIT_THREAD_COLOURS)
            status = fill_staged_arg(bound, a, err);
        if (!status && (traits & MPLAN_TRAIT_SLOT_LISTS))
            status = fill_gathered_arg(bound, a, err);
    }
    if (!status)
        status = fill_tables(bound, err);
    if (!status && (traits & MPLAN_TRAIT_RECORDS))
        status = fill_record_bytes(bound, err);
    return status;
}

/* bound->call: pointers to the plan's arrays, or to copies on the device that
 * all loops share. */
mplan_status mplan_exec_fill_call(mplan_exec_loop *bound, mplan_error *err)
{
    assert(bound);
    const mplan_plan_variant *chosen = bound->chosen;
    mplan_launch_call *call = &bound->call;
    const mplan_plan_set *set = mplan_plan_get_set(bound->exec->plan, bound->loop->set);
    call->strategy = chosen->strategy;
    call->sums = chosen->sums;
    call->encoding = chosen->encoding;
    call->threads = chosen->threads;
    call->elements_per_thread = chosen->elements_per_thread;
    call->width = chosen->width;
    call->owner_slice = MPLAN_SLICE_ROWS(chosen->slice_rows);
    call->owner_by_entry = chosen->entry_layout != 0;
    call->bound_threads = chosen->bound_threads;
    call->bound_blocks = chosen->bound_blocks;
    call->n_elements = set->storage_size;
    if (set->storage_size > set->size)
        TABLE(mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, bound->loop->set), MPLAN_TYPE_I32,
              call->old_of_new, NULL);
    number_columns(bound);
    int64_t positions_max = 0;
    mplan_status status = mplan_exec_check_tables(bound, &positions_max, &call->complete, err);
    call->block_limit = (int32_t)positions_max; /* holes may bring a block above its limit */
    for (int32_t a = 0; a < bound->loop->n_args && !status; a++)
        status = fill_arg(bound, a, err);
    if (status || bound->exec->executor == MPLAN_EXECUTOR_SERIAL)
        return status;
    return fill_strategy(bound, err);
}
