/* SPDX-License-Identifier: Apache-2.0 */
/* check_layers.c - loops with layers: what a plan says of columns and levels
 *
 * Section 4 of formats/plan-format.md, below LAYERS, and the lines of section 11. All other proofs are of
 * the base mesh; with what is proved here they hold for every layer: a row of the transposed map holds each element
 * of a point once, and a slot leads from each layer to a level of its own. */
#include "check/check_layers.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/number_text.h"

/* --- sets ------------------------------------------------------------------------------------ */

/* Ranges in stored order: within the layers, empty in holes; the lowest column is as the record says. */
static mplan_status check_ranges(const mplan_check *check, int32_t s, mplan_error *err)
{
    const mplan_plan_set *set = &check->plan->sets[s];
    const int32_t *ranges = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_LAYER_RANGES, s));
    const int32_t *old = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, s));
    int32_t least = set->layers;
    for (int64_t i = 0; i < set->storage_size; i++) {
        const int32_t bottom = ranges[2 * i], top = ranges[2 * i + 1];
        if (old[i] < 0 ? bottom != 0 || top != 0 : bottom < 0 || bottom > top || top > set->layers)
            return MPLAN_DISPROVED(err, "set %s: stored member %" PRId64 " has layers %d to %d of %d",
                                   set->name, i, (int)bottom, (int)top - 1, (int)set->layers);
        if (old[i] >= 0 && top - bottom < least)
            least = top - bottom;
    }
    if (set->size > 0 && least != set->layers_least)
        return MPLAN_DISPROVED(err, "set %s: its lowest column has %d layers, not %d", set->name,
                               (int)least, (int)set->layers_least);
    return MPLAN_OK;
}

/* Bits of a mask in stored order: of layers that the member's column has only. */
static mplan_status check_mask(const mplan_check *check, int32_t s, mplan_error *err)
{
    const mplan_plan_set *set = &check->plan->sets[s];
    const int32_t words = (set->layers + 31) / 32;
    const int32_t *mask = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_LAYER_MASK, s));
    const int32_t *old = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, s));
    const int32_t *ranges = set->layers_ranged
                                ? mplan_check_data(check,
                                                   mplan_key_of_set(MPLAN_KIND_LAYER_RANGES, s))
                                : NULL;
    for (int64_t i = 0; i < set->storage_size; i++) {
        const int32_t bottom = ranges ? ranges[2 * i] : 0, top = ranges       ? ranges[2 * i + 1]
                                                                 : old[i] < 0 ? 0
                                                                              : set->layers;
        for (int32_t k = 0; k < 32 * words; k++)
            if (((uint32_t)mask[i * words + k / 32] >> (k % 32) & 1) && (k < bottom || k >= top))
                return MPLAN_DISPROVED(err,
                                       "set %s: the mask of stored member %" PRId64
                                       " has layer %d, but the member does not",
                                       set->name, i, (int)k);
    }
    return MPLAN_OK;
}

/* Layers belong to sets that a loop with layers runs over, and ranges only to columns of different height. */
static mplan_status check_set(const mplan_check *check, int32_t s, mplan_error *err)
{
    const mplan_plan_set *set = &check->plan->sets[s];
    bool layered = false;
    for (int32_t l = 0; l < check->plan->n_loops; l++)
        layered = layered || (check->plan->loops[l].set == s && check->plan->loops[l].layering);
    if (layered ? set->layers < 1 || set->layers > MPLAN_MAX_LAYERS
                : set->layers || set->layers_least || set->layers_ranged || set->layers_masked)
        return MPLAN_DISPROVED(err, "set %s cannot have %d layers", set->name, (int)set->layers);
    if (!set->layers_ranged && set->layers_least != set->layers)
        return MPLAN_DISPROVED(err, "set %s has columns of %d and of %d layers, but no ranges",
                               set->name, (int)set->layers_least, (int)set->layers);
    mplan_status status = set->layers_ranged ? check_ranges(check, s, err) : MPLAN_OK;
    return status || !set->layers_masked ? status : check_mask(check, s, err);
}

/* --- args ------------------------------------------------------------------------------------ */

/* What cannot be, as the end of a sentence, or NULL. */
static const char *fault_of_slots(const mplan_plan *plan, const mplan_plan_loop *loop,
                                  const mplan_plan_arg *arg)
{
    const mplan_arg_layers *l = &arg->layers;
    const int64_t top = (int64_t)plan->sets[loop->set].layers - 1;
    const int32_t arity = arg->map >= 0 ? plan->maps[arg->map].arity : 1;
    if (l->levels == 0)
        return l->stride || l->n_slots || l->rows || l->columns ? "has no levels, but slots" : NULL;
    if (l->levels < 0 || l->stride < 1 || l->n_slots < 1 || l->n_slots > MPLAN_MAX_SLOTS)
        return "has numbers of levels out of range";
    for (int32_t k = 0; k < l->n_slots; k++) {
        const bool columns = loop->layering == MPLAN_LAYERING_COLUMNS;
        const int64_t highest = columns ? 0 : l->slots[k].offset + l->stride * top;
        if (l->slots[k].of < 0 || l->slots[k].of >= arity || l->slots[k].offset < 0 ||
            highest >= l->levels || (columns && l->slots[k].offset))
            return "has a slot that leads out of its map or levels";
        for (int32_t i = k + 1; i < l->n_slots; i++)
            if (l->slots[i].of == l->slots[k].of && l->slots[i].offset == l->slots[k].offset)
                return "has one slot twice";
    }
    return NULL;
}

/* What an arg of a loop with layers does that layers at the same time may not do. */
static const char *fault_of_access(const mplan_plan *plan, const mplan_plan_loop *loop,
                                   const mplan_plan_arg *arg)
{
    const bool mapped = arg->map >= 0, stores = arg->access != MPLAN_READ;
    if (mapped && plan->maps[arg->map].arity == 0)
        return "goes through a ragged map";
    if (arg->map == MPLAN_MAP_GLOBAL)
        return stores || arg->layers.levels ? "is a global that is not only read" : NULL;
    if (!stores)
        return NULL;
    if (arg->layers.levels == 0)
        return "is written by each layer, but has no levels";
    if (!mapped)
        return arg->layers.n_slots != 1 ? "is written by two layers" : NULL;
    if (loop->layering == MPLAN_LAYERING_COLUMNS || !mplan_access_adds(arg->access))
        return "is written through a map by whole columns, or not by an increment";
    return NULL;
}

/* Matrices: a row for each slot of every increment. */
static const char *fault_of_rows(const mplan_plan_loop *loop, const mplan_plan_arg *arg)
{
    const mplan_arg_layers *l = &arg->layers;
    int32_t increments = 0, fitting = 0;
    if ((unsigned)l->columns >= MPLAN_N_COLUMNS || (l->columns == MPLAN_COLUMNS_OWNER && l->rows < 1))
        return "has an order of levels that cannot be";
    if (l->rows == 0)
        return NULL;
    for (int32_t b = 0; b < loop->n_args; b++)
        if (loop->args[b].map >= 0 && loop->args[b].access != MPLAN_READ) {
            increments++;
            fitting += loop->args[b].layers.n_slots == l->rows;
        }
    bool good = l->rows > 0 && arg->map == -1 && arg->access == MPLAN_READ && l->n_slots == 1 &&
                arg->dim % l->rows == 0 && increments > 0 && fitting == increments &&
                loop->layering == MPLAN_LAYERING_LAYERS;
    return good ? NULL : "does not have a row for each slot of the loop's increments";
}

/* Where a dat is written directly, every arg of it in the loop must name the one level of the layer. */
static const char *fault_of_two(const mplan_plan_arg *x, const mplan_plan_arg *y)
{
    const bool stores = x->access != MPLAN_READ || y->access != MPLAN_READ;
    if (!stores || x->map >= 0 || y->map >= 0 || x->layers.levels == 0 || strcmp(x->dat, y->dat) != 0)
        return NULL;
    return x->layers.n_slots == 1 && y->layers.n_slots == 1 && x->layers.stride == y->layers.stride &&
                   x->layers.slots[0].offset == y->layers.slots[0].offset
               ? NULL
               : "is written by one layer and accessed by another";
}

/* The first thing that is wrong with arg a, by itself and then beside each arg before it. */
static mplan_status check_arg(const mplan_check *check, const mplan_plan_loop *loop, int32_t a,
                              mplan_error *err)
{
    const mplan_plan_arg *arg = &loop->args[a];
    const char *what = loop->layering       ? fault_of_access(check->plan, loop, arg)
                       : arg->layers.levels ? "has levels, but its loop no layers"
                                            : NULL;
    what = what ? what : fault_of_slots(check->plan, loop, arg);
    what = what ? what : fault_of_rows(loop, arg);
    for (int32_t b = 0; b < a && !what; b++)
        what = fault_of_two(&loop->args[b], arg);
    if (!what)
        return MPLAN_OK;
    return MPLAN_DISPROVED(err, "loop %s: dat %s (arg %d) %s", loop->name, arg->dat, (int)a, what);
}

/* --- loops ------------------------------------------------------------------------------------ */

/* Whether two increments of one dat bring something to one level from layers that a variant runs at the same time: from the
 * same offset with colours; with blocks that gather, of which each level has one thread by arg, if that differs. */
static bool slots_meet(const mplan_plan_arg *x, const mplan_plan_arg *y, mplan_strategy strategy)
{
    int32_t ends[2][2] = {{INT32_MAX, INT32_MIN}, {INT32_MAX, INT32_MIN}};
    if (x->map < 0 || y->map < 0 || x->access == MPLAN_READ || y->access == MPLAN_READ ||
        strcmp(x->dat, y->dat) != 0)
        return false;
    for (int32_t of = 0; of < 2; of++) {
        const mplan_arg_layers *l = of ? &y->layers : &x->layers;
        for (int32_t s = 0; s < l->n_slots; s++) {
            const int32_t offset = l->slots[s].offset;
            ends[of][0] = ends[of][0] < offset ? ends[of][0] : offset;
            ends[of][1] = ends[of][1] > offset ? ends[of][1] : offset;
        }
    }
    const bool strides = x->layers.stride != y->layers.stride;
    return mplan_strategy_has(strategy, MPLAN_TRAIT_RECORDS)
               ? strides || memcmp(ends[0], ends[1], sizeof ends[0]) != 0
               : strides && mplan_strategy_has(strategy, MPLAN_TRAITS_COLOURED);
}

/* Owners need one list of slots: a row has the entries of one map. */
static mplan_status check_variants(const mplan_plan_loop *loop, mplan_error *err)
{
    const mplan_plan_arg *first = NULL;
    bool one_list = true;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        if (arg->access == MPLAN_READ)
            continue;
        if (arg->map < 0)
            one_list = false; /* rows of matrices are computed one by one */
        else if (first)
            one_list = one_list && first->map == arg->map &&
                       first->layers.levels == arg->layers.levels &&
                       first->layers.stride == arg->layers.stride &&
                       first->layers.n_slots == arg->layers.n_slots &&
                       memcmp(first->layers.slots, arg->layers.slots, sizeof arg->layers.slots) == 0;
        else
            first = arg;
    }
    for (int32_t v = 0; v < loop->n_variants; v++) {
        const mplan_plan_variant *variant = &loop->variants[v];
        const bool owners = mplan_strategy_has(variant->strategy, MPLAN_TRAIT_OWNERS);
        bool meet = false;
        for (int32_t a = 0; a < loop->n_args; a++)
            for (int32_t b = 0; b < a && loop->layering; b++)
                meet = meet || slots_meet(&loop->args[b], &loop->args[a], variant->strategy);
        if (meet)
            return MPLAN_DISPROVED(err,
                                   "loop %s, variant %d (%s): layers that run at the same time bring "
                                   "something to one level",
                                   loop->name, (int)v, mplan_strategy_name(variant->strategy));
        if (owners && (!one_list || (variant->encoding != MPLAN_ENCODING_INDEX16 &&
                                     variant->encoding != MPLAN_ENCODING_INDEX32)))
            return MPLAN_DISPROVED(err, "loop %s, variant %d (%s) cannot run layers", loop->name,
                                   (int)v, mplan_strategy_name(variant->strategy));
    }
    return MPLAN_OK;
}

/* One dat has as many levels, in one order, in all loops; quadratic in the args of plans with layers. */
static mplan_status check_levels(const mplan_plan *plan, mplan_error *err)
{
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (int32_t a = 0; a < plan->loops[l].n_args; a++)
            for (int32_t k = 0; k <= l; k++)
                for (int32_t b = 0; b < plan->loops[k].n_args; b++) {
                    const mplan_plan_arg *x = &plan->loops[l].args[a], *y = &plan->loops[k].args[b];
                    if ((x->layers.levels != y->layers.levels ||
                         x->layers.columns != y->layers.columns) &&
                        strcmp(x->dat, y->dat) == 0)
                        return MPLAN_DISPROVED(err,
                                               "dat %s has %d levels in loop %s and %d in loop %s",
                                               x->dat, (int)x->layers.levels, plan->loops[l].name,
                                               (int)y->layers.levels, plan->loops[k].name);
                }
    return MPLAN_OK;
}

/* Sets first, as slots are compared with their layers; then loop by loop, and dats over all loops last. Plans without
 * layers pass the same way: their numbers of levels must be 0. */
mplan_status mplan_check_layers(mplan_check *check, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < plan->n_sets && !status; s++)
        status = check_set(check, s, err);
    for (int32_t l = 0; l < plan->n_loops && !status; l++) {
        const mplan_plan_loop *loop = &plan->loops[l];
        if ((unsigned)loop->layering >= MPLAN_N_LAYERINGS)
            status = MPLAN_DISPROVED(err, "loop %s has an unknown layering", loop->name);
        else if (loop->layering == MPLAN_LAYERING_COLUMNS && plan->sets[loop->set].layers_masked)
            status = MPLAN_DISPROVED(err, "loop %s has whole columns of a set with a mask",
                                     loop->name);
        for (int32_t a = 0; a < loop->n_args && !status; a++)
            status = check_arg(check, loop, a, err);
        if (!status && loop->layering)
            status = check_variants(loop, err);
    }
    return !status && mplan_plan_has_layers(plan) ? check_levels(plan, err) : status;
}

/* --- the request ------------------------------------------------------------------------------- */

/* Hash of the ranges of a set, or of its mask, in the mesh's order: `cols` numbers of each member, taken from their stored
 * places. The line of the set in the request has this hash. */
static mplan_status hash_rows(const mplan_check *check, int32_t s, mplan_kind kind, int32_t cols,
                              uint64_t *hash, mplan_error *err)
{
    const mplan_plan_set *set = &check->plan->sets[s];
    const int32_t *rows = mplan_check_data(check, mplan_key_of_set(kind, s));
    const int32_t *place = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, s));
    int32_t *mesh = mplan_alloc(cols * set->size, sizeof *mesh, err);
    if (!mesh)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < cols * set->size; i++)
        mesh[i] = rows[cols * (int64_t)place[i / cols] + i % cols];
    *hash = mplan_hash(mesh, (size_t)cols * (size_t)set->size * sizeof *mesh);
    free(mesh);
    return MPLAN_OK;
}

/* "ranges HASH " or "mask HASH " behind what *line has; a part by itself knows neither. */
static mplan_status add_hash(const mplan_check *check, int32_t s, const char *word, mplan_kind kind,
                             int32_t cols, char *line, size_t size, mplan_error *err)
{
    const size_t used = strlen(line);
    uint64_t hash = 0;
    if (mplan_plan_is_part(check->plan)) {
        mplan_text_format(line + used, size - used,
                          "%s ???????"
                          "?????????"
                          " ",
                          word);
        return MPLAN_OK;
    }
    mplan_status status = hash_rows(check, s, kind, cols, &hash, err);
    mplan_text_format(line + used, size - used, "%s %016" PRIx64 " ", word, hash);
    return status;
}

/* The lines that the records ask for, in their order. */
mplan_status mplan_check_layers_lines(const mplan_check *check, mplan_layers_line *take,
                                      void *reader, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    mplan_status status = MPLAN_OK;
    char line[64 + 24 * MPLAN_MAX_SLOTS];
    for (int32_t s = 0; s < plan->n_sets && !status; s++) {
        const mplan_plan_set *set = &plan->sets[s];
        mplan_text_format(line, sizeof line, "layers %d ", (int)set->layers);
        if (set->layers_ranged)
            status = add_hash(check, s, "ranges", MPLAN_KIND_LAYER_RANGES, 2, line, sizeof line, err);
        if (set->layers_masked && !status)
            status = add_hash(check, s, "mask", MPLAN_KIND_LAYER_MASK, (set->layers + 31) / 32,
                              line, sizeof line, err);
        if (set->layers && !status)
            status = take(reader, line, set->name);
    }
    for (int32_t l = 0; l < plan->n_loops && !status; l++) {
        const mplan_plan_loop *loop = &plan->loops[l];
        mplan_text_format(line, sizeof line, "layering %d %s", (int)l,
                          loop->layering == MPLAN_LAYERING_COLUMNS ? "columns" : "layers");
        if (loop->layering)
            status = take(reader, line, "");
        for (int32_t a = 0; a < loop->n_args && !status; a++) {
            const mplan_arg_layers *arg = &loop->args[a].layers;
            if (arg->levels == 0)
                continue;
            size_t used = (size_t)
                mplan_text_format(line, sizeof line,
                                  "levels %d %d of %d stride %d rows %d columns %s slots", (int)l,
                                  (int)a, (int)arg->levels, (int)arg->stride, (int)arg->rows,
                                  mplan_columns_name(arg->columns));
            for (int32_t k = 0; k < arg->n_slots && used < sizeof line; k++)
                used += (size_t)mplan_text_format(line + used, sizeof line - used, " %d+%d",
                                                  (int)arg->slots[k].of, (int)arg->slots[k].offset);
            status = take(reader, line, "");
        }
    }
    return status;
}
