/* SPDX-License-Identifier: Apache-2.0 */
/* check_cut.c - the arrays of a block set, and of a loop that it is paired with, in one place */
#include <stdlib.h>
#include <string.h>

#include "check/check.h"

/* Along a sequence the rows of a ragged map begin where those before end. */
static mplan_status find_begins(const mplan_check_cut *cut, mplan_check_table *table, mplan_error *err)
{
    const int64_t *offsets = table->map->offsets;
    int64_t begin = 0;
    table->begins = mplan_alloc(cut->record->n_blocks, sizeof *table->begins, err);
    if (!table->begins)
        return MPLAN_ERR_MEMORY;
    for (int64_t b = 0; b < cut->record->n_blocks; b++) {
        table->begins[b] = begin;
        for (int64_t p = cut->offsets[b]; p < cut->offsets[b + 1]; p++)
            begin += offsets[cut->sequence[p] + 1] - offsets[cut->sequence[p]];
    }
    return MPLAN_OK;
}

/* Point lists and local ids of loop l over this block set, as views of the plan's
 * arrays. Room for all maps and sets of the loop. */
static mplan_status open_tables(const mplan_check *check, int32_t l, mplan_check_cut *cut,
                                mplan_error *err)
{
    const mplan_check_loop *loop = &check->loops[l];
    cut->lists = mplan_alloc_zero(loop->n_sets, sizeof *cut->lists, err);
    cut->tables = mplan_alloc_zero(loop->n_maps, sizeof *cut->tables, err);
    if (!cut->lists || !cut->tables)
        return MPLAN_ERR_MEMORY;
    cut->loop = check->plan->loops[l].name;
    for (int32_t s = 0; s < loop->n_sets; s++) {
        mplan_check_list *list = &cut->lists[cut->n_lists++];
        mplan_key key = mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS, cut->block_set, l,
                                                  loop->sets[s]);
        list->set = loop->sets[s];
        list->points = mplan_check_data(check, key);
        list->n_points = mplan_plan_find_array(check->plan, &key)->rows;
        key.kind = MPLAN_KIND_BLOCK_POINT_OFFSETS;
        list->offsets = mplan_check_data(check, key);
    }
    for (int32_t m = 0; m < loop->n_maps; m++) {
        mplan_check_table *table = &cut->tables[cut->n_tables++];
        table->map = &check->maps[loop->maps[m]];
        table->written = loop->written[m];
        table->local = mplan_check_data(check,
                                        mplan_key_of_block_local(cut->block_set, l, loop->maps[m]));
        while (cut->lists[table->list].set != table->map->to)
            table->list++;
        if (table->written)
            cut->lists[table->list].written = true;
        if (!table->map->arity && cut->sequence) {
            mplan_status status = find_begins(cut, table, err);
            if (status)
                return status;
        }
    }
    return MPLAN_OK;
}

/* A block set as loop `loop` uses it, -1 for the blocks only. Must be closed, also
 * after a failure. */
mplan_status mplan_check_cut_open(const mplan_check *check, int32_t block_set, int32_t loop,
                                  mplan_check_cut *cut, mplan_error *err)
{
    cut->record = &check->plan->block_sets[block_set];
    cut->block_set = block_set;
    cut->old_of_new = mplan_check_old_of_new(check, cut->record->set);
    cut->offsets = mplan_check_data(check,
                                    mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, block_set));
    if (cut->record->sequence)
        cut->sequence = mplan_check_data(check, mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE,
                                                                       block_set));
    return loop < 0 ? MPLAN_OK : open_tables(check, loop, cut, err);
}

/* Also of a cut that was opened in part; it is empty afterwards. */
void mplan_check_cut_close(mplan_check_cut *cut)
{
    for (int32_t t = 0; t < cut->n_tables; t++)
        free(cut->tables[t].begins);
    free(cut->tables);
    free(cut->lists);
    memset(cut, 0, sizeof *cut);
}
