/* SPDX-License-Identifier: Apache-2.0 */
/* planfile_layers.c - what the records of sets, loops and args with layers must agree on
 *
 * Section 4 of formats/plan-format.md, below LAYERS. Whoever reads a plan can rely on it: levels that slots lead
 * to exist, two layers of a loop never write one level, and increments of owner-gather have one list of slots. */
#include <string.h>

#include "plan/strategies.h"
#include "planfile/planfile_layout.h"

#define BROKEN(kind_, row_, at_, ...) return mplan_fault_set(fault, kind_, row_, at_, __VA_ARGS__)

/* Bytes of members in the records of LOOPS (layering) and ARGS2 (all others), for the place in messages. */
enum { AT_LAYERING = 28, AT_LEVELS = 32, AT_SLOTS = 40, AT_ROWS = 44, AT_COLUMNS = 48 };

/* --- args --- */

/* Numbers of the records that an arg has. */
typedef struct place {
    int64_t arg, slot; /* its own, and that of its first slot */
} place;

/* Slots lead to slots of the map and, of each layer, to levels that the dat has: level offset + stride x layer for the
 * highest layer is below `levels`. Loops over whole columns have offsets of 0. No two slots of an arg are equal. */
static mplan_status check_slots(const mplan_plan *plan, const mplan_plan_loop *loop,
                                const mplan_plan_arg *arg, place at, mplan_fault *fault)
{
    const uint32_t kind = MPLAN_KIND_SLOTS;
    const mplan_arg_layers *layers = &arg->layers;
    const int32_t arity = arg->map < 0 ? 1 : plan->maps[arg->map].arity;
    const int64_t last = plan->sets[loop->set].layers - 1;
    for (int32_t k = 0; k < layers->n_slots; k++) {
        const mplan_slot *slot = &layers->slots[k];
        if (slot->of < 0 || slot->of >= arity)
            BROKEN(kind, at.slot + k, 0, "slot %lld is not of a slot of its map",
                   (long long)(at.slot + k));
        if (loop->layering == MPLAN_LAYERING_COLUMNS
                ? slot->offset != 0
                : slot->offset + layers->stride * last >= layers->levels)
            BROKEN(kind, at.slot + k, 8, "slot %lld leads beyond the levels of its dat",
                   (long long)(at.slot + k));
        for (int32_t i = 0; i < k; i++)
            if (layers->slots[i].of == slot->of && layers->slots[i].offset == slot->offset)
                BROKEN(kind, at.slot + k, 0, "slot %lld says the same as one before it",
                       (long long)(at.slot + k));
    }
    return MPLAN_OK;
}

/* A matrix is read directly, whole rows of it, one for each slot of the increments. */
static mplan_status check_rows(const mplan_plan_loop *loop, const mplan_plan_arg *arg, place at,
                               mplan_fault *fault)
{
    const uint32_t kind = MPLAN_KIND_ARGS2;
    const int32_t rows = arg->layers.rows;
    if (arg->layers.columns == MPLAN_COLUMNS_OWNER && rows == 0)
        BROKEN(kind, at.arg, AT_COLUMNS, "arg %lld has no rows that owners could have",
               (long long)at.arg);
    if (rows == 0)
        return MPLAN_OK;
    bool fits = arg->map == -1 && arg->access == MPLAN_READ && arg->layers.n_slots == 1 &&
                arg->dim % rows == 0 && loop->layering == MPLAN_LAYERING_LAYERS;
    bool any = false;
    for (int32_t b = 0; b < loop->n_args; b++)
        if (loop->args[b].map >= 0 && loop->args[b].access != MPLAN_READ) {
            any = true;
            fits = fits && loop->args[b].layers.n_slots == rows;
        }
    if (!fits || !any)
        BROKEN(kind, at.arg, AT_ROWS, "arg %lld cannot be a matrix of %d rows", (long long)at.arg,
               (int)rows);
    return MPLAN_OK;
}

/* What an arg of a loop with layers may do: section 10. */
static mplan_status check_access(const mplan_plan *plan, const mplan_plan_loop *loop,
                                 const mplan_plan_arg *arg, place at, mplan_fault *fault)
{
    const uint32_t kind = MPLAN_KIND_ARGS2;
    const bool reads = arg->access == MPLAN_READ;
    const bool columns = loop->layering == MPLAN_LAYERING_COLUMNS;
    if (arg->map >= 0 && plan->maps[arg->map].arity == 0)
        BROKEN(kind, at.arg, AT_LEVELS, "arg %lld of a loop with layers has a ragged map",
               (long long)at.arg);
    if (arg->layers.levels == 0 && !reads)
        BROKEN(kind, at.arg, AT_LEVELS,
               "arg %lld has no levels, so each layer would write the same", (long long)at.arg);
    if (arg->map == MPLAN_MAP_GLOBAL && arg->layers.levels)
        BROKEN(kind, at.arg, AT_LEVELS, "arg %lld is of a global and cannot have levels",
               (long long)at.arg);
    if (arg->map >= 0 && !reads && (columns || !mplan_access_adds(arg->access)))
        BROKEN(kind, at.arg, AT_LEVELS, "a loop with layers cannot have the access of arg %lld",
               (long long)at.arg);
    if (arg->map < 0 && !reads && arg->layers.n_slots != 1)
        BROKEN(kind, at.arg, AT_SLOTS, "two layers would write one level by arg %lld",
               (long long)at.arg);
    return MPLAN_OK;
}

/* Args of one dat: as many levels, in one order; where one of them writes directly, all have its slot. */
static mplan_status check_pair(const mplan_plan_arg *one, const mplan_plan_arg *other, place at,
                               mplan_fault *fault)
{
    const uint32_t kind = MPLAN_KIND_ARGS2;
    const mplan_arg_layers *x = &one->layers, *y = &other->layers;
    const bool written = one->access != MPLAN_READ || other->access != MPLAN_READ;
    if (strcmp(one->dat, other->dat) != 0)
        return MPLAN_OK;
    if (x->levels != y->levels)
        BROKEN(kind, at.arg, AT_LEVELS,
               "arg %lld has other levels than an arg of its dat before it", (long long)at.arg);
    if (x->columns != y->columns)
        BROKEN(kind, at.arg, AT_COLUMNS,
               "arg %lld has another order of levels than an arg of its dat "
               "before it",
               (long long)at.arg);
    if (written && one->map == -1 && other->map == -1 && x->levels > 0 &&
        (x->n_slots != 1 || y->n_slots != 1 || x->stride != y->stride ||
         x->slots[0].offset != y->slots[0].offset))
        BROKEN(kind, at.arg, AT_SLOTS, "one layer would access by arg %lld what another writes",
               (long long)at.arg);
    return MPLAN_OK;
}

/* --- loops --- */

/* Whether a and b, both increments through maps, have one map, stride and list of slots. */
static bool same_slots(const mplan_plan_arg *a, const mplan_plan_arg *b)
{
    bool same = a->map == b->map && a->layers.stride == b->layers.stride &&
                a->layers.levels == b->layers.levels && a->layers.n_slots == b->layers.n_slots;
    for (int32_t k = 0; k < a->layers.n_slots && same; k++)
        same = a->layers.slots[k].of == b->layers.slots[k].of &&
               a->layers.slots[k].offset == b->layers.slots[k].offset;
    return same;
}

/* All strategies run layers; owner-gather only by plain numbers, and where increments are alike. variant: number of the
 * loop's first. */
static mplan_status check_variants(const mplan_plan_loop *loop, int64_t variant, mplan_fault *fault)
{
    const uint32_t kind = MPLAN_KIND_VARIANTS;
    const mplan_plan_arg *first = NULL;
    bool alike = true;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        if (arg->access == MPLAN_READ)
            continue;
        alike = alike && arg->map >= 0 && (!first || same_slots(first, arg));
        first = first ? first : arg;
    }
    for (int32_t v = 0; v < loop->n_variants; v++, variant++) {
        const mplan_plan_variant *one = &loop->variants[v];
        if (!mplan_strategy_has(one->strategy, MPLAN_TRAIT_OWNERS))
            continue;
        if (!alike)
            BROKEN(kind, variant, 8,
                   "variant %lld gathers increments by several slots, or writes directly",
                   (long long)variant);
        if (one->encoding != MPLAN_ENCODING_INDEX16 && one->encoding != MPLAN_ENCODING_INDEX32)
            BROKEN(kind, variant, 84, "variant %lld has layers and an encoding of pairs or windows",
                   (long long)variant);
    }
    return MPLAN_OK;
}

/* All of a loop; *at: of its first arg, and afterwards of the next loop's. */
static mplan_status check_loop(const mplan_plan *plan, int32_t l, place *at, mplan_fault *fault)
{
    const mplan_plan_loop *loop = &plan->loops[l];
    mplan_status status = MPLAN_OK;
    if ((unsigned)loop->layering >= MPLAN_N_LAYERINGS ||
        (loop->layering && plan->sets[loop->set].layers == 0))
        BROKEN(MPLAN_KIND_LOOPS, l, AT_LAYERING, "the layering of loop %d is out of range", (int)l);
    if (loop->layering == MPLAN_LAYERING_COLUMNS && plan->sets[loop->set].layers_masked)
        BROKEN(MPLAN_KIND_LOOPS, l, AT_LAYERING, "loop %d has whole columns of a set with a mask",
               (int)l);
    for (int32_t a = 0; a < loop->n_args && !status; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        if (!loop->layering && arg->layers.levels)
            BROKEN(MPLAN_KIND_ARGS2, at->arg, AT_LEVELS,
                   "arg %lld has levels, but its loop no layers", (long long)at->arg);
        if (loop->layering)
            status = check_access(plan, loop, arg, *at, fault);
        if (!status)
            status = check_slots(plan, loop, arg, *at, fault);
        if (!status)
            status = check_rows(loop, arg, *at, fault);
        for (int32_t b = 0; b < a && !status; b++)
            status = check_pair(&loop->args[b], arg, *at, fault);
        at->arg++;
        at->slot += arg->layers.n_slots;
    }
    return status;
}

/* Records LAYERS are those of sets with layers, in the order of the sets, so `row` counts them; variants are counted
 * over all loops. Layers that no loop with layers needs are refused: equal plans have equal bytes. */
mplan_status mplan_rules_layers(const mplan_plan *plan, mplan_fault *fault)
{
    place at = {0, 0};
    int64_t variant = 0, row = 0;
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < plan->n_loops && !status; l++) {
        status = check_loop(plan, l, &at, fault);
        if (!status && plan->loops[l].layering)
            status = check_variants(&plan->loops[l], variant, fault);
        variant += plan->loops[l].n_variants;
    }
    for (int32_t s = 0; s < plan->n_sets && !status; s++) {
        bool used = plan->sets[s].layers == 0;
        for (int32_t l = 0; l < plan->n_loops && !used; l++)
            used = plan->loops[l].set == s && plan->loops[l].layering;
        if (!used)
            BROKEN(MPLAN_KIND_LAYERS, row, 0, "no loop needs the layers of set %d", (int)s);
        row += plan->sets[s].layers > 0;
    }
    return status;
}
