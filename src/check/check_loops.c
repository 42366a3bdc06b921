/* SPDX-License-Identifier: Apache-2.0 */
/* check_loops.c - what each loop reaches through maps, and the pairs of loop
 * and block set for which a plan holds block tables */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "check/check.h"

/* Where a value is in an ascending list that holds it. */
static int32_t place(int32_t n, const int32_t *list, int32_t value)
{
    return (int32_t)((const int32_t *)bsearch(&value, list, (size_t)n, sizeof *list,
                                              mplan_compare_i32) -
                     list);
}

/* loop->maps: distinct, ascending; written[m]: whether some arg writes through maps[m], other than to points
 * once each. */
static void find_maps(const mplan_plan *plan, const mplan_plan_loop *record, mplan_check_loop *loop)
{
    int32_t n = 0;
    for (int32_t a = 0; a < record->n_args; a++)
        if (record->args[a].map >= 0)
            loop->maps[n++] = record->args[a].map;
    loop->n_maps = (int32_t)mplan_distinct_i32(loop->maps, n);
    for (int32_t a = 0; a < record->n_args; a++)
        if (record->args[a].map >= 0 && record->args[a].access != MPLAN_READ && !record->args[a].once)
            loop->written[place(loop->n_maps, loop->maps, record->args[a].map)] = true;
    for (int32_t m = 0; m < loop->n_maps; m++)
        loop->sets[m] = plan->maps[loop->maps[m]].to;
    loop->n_sets = (int32_t)mplan_distinct_i32(loop->sets, loop->n_maps);
}

/* By name: args of one dat are equal in what is kept of them, so that ties do not matter. */
static int compare_dats(const void *a, const void *b)
{
    const mplan_check_dat *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* One name is one dat (check_args.c): any of its args says what it is. */
static void find_dats(const mplan_plan *plan, const mplan_plan_loop *record, mplan_check_loop *loop)
{
    int32_t n = 0;
    for (int32_t a = 0; a < record->n_args; a++) {
        const mplan_plan_arg *arg = &record->args[a];
        if (arg->map >= 0)
            loop->dats[n++] = (mplan_check_dat){arg->dat, plan->maps[arg->map].to,
                                                arg->dim * (int64_t)mplan_type_size(arg->type)};
    }
    qsort(loop->dats, (size_t)n, sizeof *loop->dats, compare_dats);
    for (int32_t i = 0; i < n; i++)
        if (!loop->n_dats || compare_dats(&loop->dats[loop->n_dats - 1], &loop->dats[i]) != 0)
            loop->dats[loop->n_dats++] = loop->dats[i];
}

/* Room for as many maps, sets and dats as the loop has args; *loop is zero before. The lists belong to check->loops
 * and are released with it, also after a failure. */
static mplan_status find_loop(const mplan_plan *plan, const mplan_plan_loop *record,
                              mplan_check_loop *loop, mplan_error *err)
{
    loop->maps = mplan_alloc(record->n_args, sizeof *loop->maps, err);
    loop->written = mplan_alloc_zero(record->n_args, sizeof *loop->written, err);
    loop->sets = mplan_alloc(record->n_args, sizeof *loop->sets, err);
    loop->dats = mplan_alloc(record->n_args, sizeof *loop->dats, err);
    if (!loop->maps || !loop->written || !loop->sets || !loop->dats)
        return MPLAN_ERR_MEMORY;
    find_maps(plan, record, loop);
    for (int32_t v = 0; v < record->n_variants; v++)
        if (mplan_strategy_has(record->variants[v].strategy, MPLAN_TRAIT_SLOT_LISTS))
            loop->two_step = true;
    find_dats(plan, record, loop);
    return MPLAN_OK;
}

/* By loop, then by block set. */
static int compare_pairs(const void *a, const void *b)
{
    const mplan_check_pair *x = a, *y = b;
    return x->loop != y->loop ? x->loop - y->loop : x->block_set - y->block_set;
}

/* A loop is paired with the block sets its variants refer to and with those
 * that were made for it. */
static mplan_status find_pairs(mplan_check *check, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    int64_t n = plan->n_block_sets;
    for (int32_t l = 0; l < plan->n_loops; l++)
        n += plan->loops[l].n_variants;
    check->pairs = mplan_alloc(n, sizeof *check->pairs, err);
    if (!check->pairs)
        return MPLAN_ERR_MEMORY;
    n = 0;
    for (int32_t b = 0; b < plan->n_block_sets; b++)
        check->pairs[n++] = (mplan_check_pair){plan->block_sets[b].loop, b, 0};
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (int32_t v = 0; v < plan->loops[l].n_variants; v++)
            if (plan->loops[l].variants[v].block_set >= 0)
                check->pairs[n++] = (mplan_check_pair){l, plan->loops[l].variants[v].block_set, 0};
    qsort(check->pairs, (size_t)n, sizeof *check->pairs, compare_pairs);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || compare_pairs(&check->pairs[check->n_pairs - 1], &check->pairs[i]) != 0)
            check->pairs[check->n_pairs++] = check->pairs[i];
    return MPLAN_OK;
}

/* What later proofs need to know of each loop, and the distinct pairs (loop, block
 * set). */
mplan_status mplan_check_loops(mplan_check *check, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    check->loops = mplan_alloc_zero(plan->n_loops, sizeof *check->loops, err);
    if (!check->loops)
        return MPLAN_ERR_MEMORY;
    for (int32_t l = 0; l < plan->n_loops; l++) {
        mplan_status status = find_loop(plan, &plan->loops[l], &check->loops[l], err);
        if (status)
            return status;
        for (int32_t s = 0; s < check->loops[l].n_sets; s++) {
            int64_t storage = plan->sets[check->loops[l].sets[s]].storage_size;
            check->n_marks = check->n_marks > storage ? check->n_marks : storage;
        }
    }
    return find_pairs(check, err);
}
