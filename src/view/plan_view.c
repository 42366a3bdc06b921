/* SPDX-License-Identifier: Apache-2.0 */
/* plan_view.c - what a plan says of the members of a set */
#include "view/plan_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"

/* --- what is looked at ----------------------------------------------------------- */

/* *loop: of that name, NULL: the primary one. */
static mplan_status find_loop(const mplan_plan *plan, const char *name, int32_t *loop,
                              mplan_error *err)
{
    *loop = -1;
    for (int32_t l = 0; l < plan->n_loops && *loop < 0; l++)
        if (name ? strcmp(plan->loops[l].name, name) == 0 : plan->loops[l].primary)
            *loop = l;
    if (*loop >= 0)
        return MPLAN_OK;
    if (!name)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan has no loops");
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan has no loop '%s'%s%s", name,
                      plan->n_loops ? "; its first is " : "",
                      plan->n_loops ? plan->loops[0].name : "");
}

/* Loop, variant and block set that options ask for.
 * A negative variant asks for the loop's default. *view borrows the plan. */
mplan_status mplan_view_find(const mplan_plan *plan, const mplan_view_options *options,
                             mplan_view *view, mplan_error *err)
{
    mplan_view_options own = MPLAN_VIEW_OPTIONS_INIT;
    mplan_status status = mplan_options_take(&own, options, "view options", err);
    if (status)
        return status;
    *view = (mplan_view){plan, -1, own.variant, -1};
    status = find_loop(plan, own.loop, &view->loop, err);
    if (status)
        return status;
    const mplan_plan_loop *loop = mplan_view_loop(view);
    if (view->variant < 0)
        view->variant = loop->default_variant;
    if (view->variant >= loop->n_variants)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "loop %s has no variant %d: it has %d, from 0",
                          loop->name, (int)view->variant, (int)loop->n_variants);
    view->block_set = mplan_view_variant(view)->block_set;
    for (int32_t b = 0; b < plan->n_block_sets && view->block_set < 0; b++)
        if (plan->block_sets[b].loop == view->loop)
            view->block_set = b;
    return MPLAN_OK;
}

/* Whether any arg of the loop goes through a map to the set. */
bool mplan_view_leads_to(const mplan_view *view, int32_t set)
{
    const mplan_plan_loop *loop = mplan_view_loop(view);
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0 && view->plan->maps[loop->args[a].map].to == set)
            return true;
    return false;
}

/* --- values by stored index --------------------------------------------------------- */

/* An array of the view's variant; NULL where its strategy has none. */
static const void *table_of(const mplan_view *view, mplan_kind kind, mplan_type type)
{
    return mplan_plan_data(view->plan, mplan_key_of_variant(kind, view->loop, view->variant), type,
                           NULL);
}

/* Positions of a block set: its offsets, and its sequence or NULL.
 * Offsets: n_blocks + 1, into the sequence where there is one, else stored places. */
static const int64_t *block_offsets(const mplan_view *view, const int32_t **sequence)
{
    const mplan_plan *plan = view->plan;
    mplan_key key = mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE, view->block_set);
    *sequence = plan->block_sets[view->block_set].sequence
                    ? mplan_plan_data(plan, key, MPLAN_TYPE_I32, NULL)
                    : NULL;
    key.kind = MPLAN_KIND_BLOCK_OFFSETS;
    return mplan_plan_data(plan, key, MPLAN_TYPE_I64, NULL);
}

/* n entries of one value, the caller's; NULL without memory. */
static int32_t *filled(int64_t n, int32_t value, mplan_error *err)
{
    int32_t *array = mplan_alloc(n, sizeof *array, err);
    for (int64_t i = 0; array && i < n; i++)
        array[i] = value;
    return array;
}

/* Block and colour within it of the elements, by mesh index.
 * old: the member of each stored place, -1 in holes; thread: a colour for each position. What is in no block stays
 * -1. */
static mplan_status element_blocks(const mplan_view *view, mplan_view_values *values, mplan_error *err)
{
    const mplan_plan *plan = view->plan;
    const int32_t set = mplan_view_loop(view)->set;
    const int32_t *old = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, set),
                                         MPLAN_TYPE_I32, NULL);
    const uint16_t *thread = table_of(view, MPLAN_KIND_THREAD_COLOURS, MPLAN_TYPE_U16);
    const int32_t *sequence;
    const int64_t *offsets = block_offsets(view, &sequence);
    values->block = filled(plan->sets[set].size, -1, err);
    if (thread)
        values->thread_colour = filled(plan->sets[set].size, -1, err);
    if (!values->block || (thread && !values->thread_colour))
        return MPLAN_ERR_MEMORY;
    for (int64_t b = 0; b < plan->block_sets[view->block_set].n_blocks; b++)
        for (int64_t p = offsets[b]; p < offsets[b + 1]; p++) {
            int32_t e = old[sequence ? sequence[p] : p];
            if (e < 0) /* a hole */
                continue;
            values->block[e] = (int32_t)b;
            if (thread)
                values->thread_colour[e] = thread[p];
        }
    return MPLAN_OK;
}

/* The colour of each element, in the order of the mesh; nothing where the variant has none.
 * colour: an entry for each stored place; new_of_old: the stored place of each member. */
static mplan_status global_colours(const mplan_view *view, const int32_t *new_of_old,
                                   mplan_view_values *values, mplan_error *err)
{
    const int32_t *colour = table_of(view, MPLAN_KIND_GLOBAL_COLOURS, MPLAN_TYPE_I32);
    const int64_t size = view->plan->sets[mplan_view_loop(view)->set].size;
    if (!colour)
        return MPLAN_OK;
    values->global_colour = mplan_alloc(size, sizeof *colour, err);
    for (int64_t e = 0; values->global_colour && e < size; e++)
        values->global_colour[e] = colour[new_of_old[e]];
    return values->global_colour ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* --- points ------------------------------------------------------------------------------ */

/* Slots of the running block that lead to each stored point, and the most of any block so far.
 * count and most have an entry for each stored place of the set, storage_size in all. */
typedef struct owners {
    const mplan_view *view;
    int32_t set;
    int32_t *count, *most, *block;
} owners;

/* Adds up in to->count the slots by which one stored element leads to each point of the set,
 * each map once. */
static void count_slots(const owners *to, int32_t element)
{
    const mplan_plan_loop *loop = mplan_view_loop(to->view);
    for (int32_t a = 0; a < loop->n_args; a++) {
        int32_t index = loop->args[a].map, n;
        bool seen = index < 0 || to->view->plan->maps[index].to != to->set;
        for (int32_t k = 0; k < a && !seen; k++)
            seen = loop->args[k].map == index;
        if (seen)
            continue;
        mplan_map map = mplan_plan_stored_map(to->view->plan, index);
        const int32_t *row = mplan_map_row(&map, element, &n);
        for (int32_t k = 0; k < n; k++)
            if (row[k] >= 0)
                to->count[row[k]]++;
    }
}

/* values->blocks: how many blocks touch each point, by the mesh's index; with_owner
 * values->block: the one most of whose slots lead to it, the first of equals. Only points of the
 * running block have counts, which are zero again behind it.
 * points[begin[b]] ... points[begin[b + 1] - 1]: the stored points of block b, each once. Without these lists (begin
 * NULL) all counts stay 0. */
static mplan_status point_blocks(const owners *to, const int32_t *old, bool with_owner,
                                 mplan_view_values *values)
{
    const mplan_view *view = to->view;
    const mplan_plan *plan = view->plan;
    mplan_key key = mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS, view->block_set, view->loop,
                                              to->set);
    const int32_t *points = mplan_plan_data(plan, key, MPLAN_TYPE_I32, NULL);
    key.kind = MPLAN_KIND_BLOCK_POINT_OFFSETS;
    const int64_t *begin = mplan_plan_data(plan, key, MPLAN_TYPE_I64, NULL);
    const int32_t *sequence;
    const int64_t *offsets = block_offsets(view, &sequence);
    for (int64_t b = 0; begin && b < plan->block_sets[view->block_set].n_blocks; b++) {
        for (int64_t p = offsets[b]; with_owner && p < offsets[b + 1]; p++)
            count_slots(to, sequence ? sequence[p] : (int32_t)p);
        for (int64_t i = begin[b]; i < begin[b + 1]; i++) {
            int32_t point = points[i], member = old[point];
            values->blocks[member]++;
            if (with_owner && to->count[point] > to->most[point]) {
                to->most[point] = to->count[point];
                values->block[member] = (int32_t)b;
            }
            to->count[point] = 0;
        }
    }
    return MPLAN_OK;
}

/* Values of points: the number of blocks that touch each, and which owns it. Where the set is
 * the loop's own, its members have their block as elements already. */
static mplan_status points_of(const mplan_view *view, int32_t set, mplan_view_values *values,
                              mplan_error *err)
{
    const mplan_plan_set *record = &view->plan->sets[set];
    const int32_t *old = mplan_plan_data(view->plan, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, set),
                                         MPLAN_TYPE_I32, NULL);
    bool with_owner = !values->block; /* else the set is the loop's own */
    owners to = {view, set, filled(record->storage_size, 0, err), NULL, NULL};
    to.most = to.count ? filled(record->storage_size, 0, err) : NULL;
    values->blocks = to.most ? filled(record->size, 0, err) : NULL;
    if (values->blocks && with_owner)
        values->block = filled(record->size, -1, err);
    mplan_status status = values->blocks && values->block ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status)
        status = point_blocks(&to, old, with_owner, values);
    free(to.count);
    free(to.most);
    return status;
}

/* --- all of a set -------------------------------------------------------------------------- */

/* Colour of each member's block; -1 where a member has no block.
 * colour: an entry for each block; size: members of the set. */
static mplan_status block_colours(const mplan_view *view, int64_t size, mplan_view_values *values,
                                  mplan_error *err)
{
    const int32_t *colour = table_of(view, MPLAN_KIND_BLOCK_COLOURS, MPLAN_TYPE_I32);
    if (!colour || !values->block)
        return MPLAN_OK;
    values->block_colour = mplan_alloc(size, sizeof *colour, err);
    for (int64_t i = 0; values->block_colour && i < size; i++)
        values->block_colour[i] = values->block[i] < 0 ? -1 : colour[values->block[i]];
    return values->block_colour ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* values: arrays of size entries in the mesh's order, NULL for what the plan
 * does not say. The caller frees them, also after a failure. */
mplan_status mplan_view_values_of(const mplan_view *view, int32_t set, mplan_view_values *values,
                                  mplan_error *err)
{
    const mplan_plan_set *record = &view->plan->sets[set];
    const int32_t *new_of_old = mplan_plan_data(view->plan,
                                                mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, set),
                                                MPLAN_TYPE_I32, NULL);
    *values = (mplan_view_values){0};
    values->new_index = mplan_copy(new_of_old, record->size, sizeof *new_of_old, err);
    mplan_status status = values->new_index ? MPLAN_OK : MPLAN_ERR_MEMORY;
    bool elements = mplan_view_loop(view)->set == set;
    if (!status && elements)
        status = global_colours(view, new_of_old, values, err);
    if (!status && elements && view->block_set >= 0)
        status = element_blocks(view, values, err);
    if (!status && view->block_set >= 0 && mplan_view_leads_to(view, set))
        status = points_of(view, set, values, err);
    if (!status)
        status = block_colours(view, record->size, values, err);
    if (status)
        mplan_view_values_free(values);
    return status;
}

void mplan_view_values_free(mplan_view_values *values)
{
    free(values->new_index);
    free(values->block);
    free(values->block_colour);
    free(values->thread_colour);
    free(values->global_colour);
    free(values->blocks);
    *values = (mplan_view_values){0};
}
