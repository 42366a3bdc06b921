/* SPDX-License-Identifier: Apache-2.0 */
/* layers.c - loops over columns of layers: what a request says of them, checked and stored
 *
 * The model is that of PyOP2's extruded sets (Bercea et al., GMD 9, 2016) with a slot's own offset: LFRic's
 * map(df) + k is a slot with offset 0 or 1. */
#include "pipeline/layers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/text_vector.h"
#include "mesh/mesh_checks.h"
#include "pipeline/mesh_facts.h"
#include "pipeline/part_plan.h"
#include "plan/packed.h"

/* --- what a set has ------------------------------------------------------------------------- */

/* The request's layers of a set with its mask copied, bits 0 beside the ranges: one mask has one hash. */
static mplan_status take_mask(planning_set *set, const mplan_layered_set *asked, mplan_error *err)
{
    const int32_t words = mplan_mask_words(asked->layers), *ranges = asked->ranges;
    set->mask = mplan_copy(asked->mask, set->size * words, sizeof *set->mask, err);
    if (!set->mask)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < set->size * words; i++)
        set->mask[i] &= mplan_mask_bits((int32_t)(i % words), ranges ? ranges[i / words * 2] : 0,
                                        ranges ? ranges[i / words * 2 + 1] : asked->layers);
    set->file_layers = *asked;
    set->file_layers.mask = set->mask;
    set->layered = &set->file_layers;
    return MPLAN_OK;
}

/* set->layered of each set that the request gives layers; ranges are those of the mesh's order and stay the caller's. */
static mplan_status take_sets(planning *p, const mplan_layers *asked, mplan_error *err)
{
    for (int32_t i = 0; i < asked->n_sets; i++) {
        const mplan_layered_set *one = &asked->sets[i];
        planning_set *set = NULL;
        if (!one->name || one->layers < 1 || one->layers > MPLAN_MAX_LAYERS)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "layers of %s must be 1 to %d",
                              one->name ? one->name : "?", MPLAN_MAX_LAYERS);
        for (int32_t s = 0; s < p->n_sets; s++)
            if (strcmp(mplan_mesh_set(p->mesh, p->sets[s].mesh_set).name, one->name) == 0)
                set = &p->sets[s];
        if (!set)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "layers of %s: no loop touches this set",
                              one->name);
        if (set->layered)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "layers of %s are given twice", one->name);
        if (p->facts && (one->ranges || one->mask))
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "layers of %s: the request can have ranges and a mask only where its mesh is "
                              "whole in one process",
                              one->name);
        mplan_status status = mplan_check_ranges(one->name, set->size, one->layers, one->ranges, err);
        if (status && err && err->status != MPLAN_ERR_MEMORY)
            err->status = MPLAN_ERR_ARGUMENT; /* of the request, not of a file */
        if (status)
            return status == MPLAN_ERR_MEMORY ? status : MPLAN_ERR_ARGUMENT;
        set->layered = one;
        if (one->mask && take_mask(set, one, err))
            return MPLAN_ERR_MEMORY;
    }
    return MPLAN_OK;
}

/* A part's mesh has the layers of its members, whether the whole request or the whole mesh said them. */
static void take_part_layers(planning *p)
{
    for (int32_t s = 0; s < p->n_sets; s++) {
        planning_set *set = &p->sets[s];
        if (!p->part->whole->sets[s].layered)
            continue;
        set->file_layers.name = mplan_mesh_set(p->mesh, set->mesh_set).name;
        set->file_layers.layers = mplan_mesh_layers(p->mesh, set->mesh_set, &set->file_layers.ranges);
        set->file_layers.mask = mplan_mesh_layer_mask(p->mesh, set->mesh_set);
        set->layered = &set->file_layers;
    }
}

/* A set of a loop with layers of which the request says nothing has those of the mesh. */
static void take_file_layers(const planning *p, planning_set *set)
{
    const int32_t *ranges;
    const int32_t layers = mplan_mesh_layers(p->mesh, set->mesh_set, &ranges);
    if (set->layered || !layers)
        return;
    set->file_layers = (mplan_layered_set){mplan_mesh_set(p->mesh, set->mesh_set).name, layers,
                                           ranges, mplan_mesh_layer_mask(p->mesh, set->mesh_set)};
    set->layered = &set->file_layers;
}

/* Layering of the loops and layers of their args. Sets whose file has layers need no line of the request. */
static mplan_status take_loops(planning *p, const mplan_layers *asked, mplan_error *err)
{
    for (int32_t i = 0; i < asked->n_loops; i++) {
        const mplan_layered_loop *one = &asked->loops[i];
        if (one->loop < 0 || one->loop >= p->n_loops || (unsigned)one->layering >= MPLAN_N_LAYERINGS)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "layers: there is no loop %d", (int)one->loop);
        planning_loop *loop = &p->loops[one->loop];
        if (one->layering)
            take_file_layers(p, &p->sets[loop->set]);
        if (one->layering && !p->sets[loop->set].layered)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "loop %s: set %s must have layers",
                              loop->loop->name, loop->loop->over);
        if (one->layering == MPLAN_LAYERING_COLUMNS && p->sets[loop->set].layered->mask)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "loop %s: a function of columns needs all layers of a column, but %s have a mask",
                              loop->loop->name, loop->loop->over);
        loop->layering = one->layering;
        loop->arg_layers = mplan_alloc_zero(loop->loop->n_args, sizeof *loop->arg_layers, err);
        if (!loop->arg_layers)
            return MPLAN_ERR_MEMORY;
    }
    for (int32_t s = 0; s < p->n_sets; s++) {
        bool used = !p->sets[s].layered;
        for (int32_t l = 0; l < p->n_loops; l++)
            used = used || (p->loops[l].set == s && p->loops[l].layering);
        if (!used)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "layers of %s: no loop over it has layers",
                              p->sets[s].layered->name);
    }
    return MPLAN_OK;
}

/* --- what an arg has ------------------------------------------------------------------------ */

/* Names the arg by its dat. */
static mplan_status refuse(const planning_loop *loop, int32_t a, const char *why, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "loop %s, arg %s: %s", loop->loop->name,
                      loop->loop->args[a].dat, why);
}

/* Puts every slot of the map where the request says so; false: there would be too many. */
static bool expand(mplan_arg_layers *layers, int32_t arity)
{
    const mplan_arg_layers asked = *layers;
    layers->n_slots = 0;
    memset(layers->slots, 0, sizeof layers->slots);
    for (int32_t k = 0; k < asked.n_slots && k < MPLAN_MAX_SLOTS; k++) {
        const bool every = asked.slots[k].of == MPLAN_EVERY_SLOT;
        for (int32_t s = 0; s < (every ? arity : 1); s++) {
            if (layers->n_slots == MPLAN_MAX_SLOTS)
                return false;
            layers->slots[layers->n_slots++] = (mplan_slot){every ? s : asked.slots[k].of,
                                                            asked.slots[k].offset};
        }
    }
    return true;
}

/* Why numbers of an arg's levels cannot be, or NULL. layers: of the set. */
static const char *wrong_slots(const mplan_arg_layers *arg, int32_t arity, int32_t layers,
                               bool columns)
{
    if (arg->levels < 1 || arg->stride < 1 || arg->n_slots < 1 || arg->n_slots > MPLAN_MAX_SLOTS)
        return "levels and stride must be at least 1, and slots 1 to 32";
    for (int32_t k = 0; k < arg->n_slots; k++) {
        const mplan_slot *slot = &arg->slots[k];
        if (slot->of < 0 || slot->of >= arity)
            return "a slot must be one of the slots of its map";
        if (slot->offset < 0 || (columns && slot->offset != 0))
            return "an offset must not be negative, and must be 0 where a function gets columns";
        if (!columns && slot->offset + (int64_t)arg->stride * (layers - 1) >= arg->levels)
            return "a slot of the highest layer is beyond the levels";
        for (int32_t i = 0; i < k; i++)
            if (arg->slots[i].of == slot->of && arg->slots[i].offset == slot->offset)
                return "two slots are the same";
    }
    return NULL;
}

/* Why what it does with its levels cannot be, or NULL. */
static const char *wrong_access(const planning *p, const planning_loop *loop, int32_t a)
{
    const mplan_arg *arg = &loop->loop->args[a];
    const mplan_arg_layers *layers = &loop->arg_layers[a];
    const bool reads = arg->access == MPLAN_READ, columns = loop->layering == MPLAN_LAYERING_COLUMNS;
    const int32_t map = loop->arg_map[a];
    if (map >= 0 && mplan_planning_mesh_map(p, map).arity == 0)
        return "loops with layers cannot have ragged maps";
    if (!reads && layers->levels == 0)
        return "what a loop with layers writes must have levels";
    if (map == MPLAN_MAP_GLOBAL && layers->levels)
        return "a global has no levels";
    if (map >= 0 && !reads && columns)
        return "a function of columns can only read through maps";
    if (map >= 0 && !reads && !mplan_access_adds(arg->access))
        return "layers can only be read or incremented (inc, min, max) through maps";
    if (map < 0 && !reads && layers->n_slots > 1)
        return "two layers of one element would write one level; direct args that write have one slot";
    return NULL;
}

/* Why an arg cannot be a matrix, or NULL. */
static const char *wrong_rows(const planning_loop *loop, int32_t a)
{
    const mplan_arg *arg = &loop->loop->args[a];
    const mplan_arg_layers *layers = &loop->arg_layers[a];
    bool any = false;
    if ((unsigned)layers->columns >= MPLAN_N_COLUMNS ||
        (layers->columns == MPLAN_COLUMNS_OWNER && layers->rows == 0))
        return "only a matrix, which has rows, is stored by owner";
    if (layers->rows == 0)
        return NULL;
    if (loop->arg_map[a] != -1 || arg->access != MPLAN_READ || layers->n_slots != 1 ||
        layers->rows < 0 || arg->dim % layers->rows != 0 || loop->layering != MPLAN_LAYERING_LAYERS)
        return "a matrix is read directly, in one slot, and its dim is a multiple of its rows";
    for (int32_t b = 0; b < loop->loop->n_args; b++)
        if (loop->arg_map[b] >= 0 && loop->loop->args[b].access != MPLAN_READ) {
            any = true;
            if (loop->arg_layers[b].n_slots != layers->rows)
                return "a matrix has a row for each slot of the increments";
        }
    return any ? NULL : "a matrix needs increments through a map";
}

/* Args of one dat in one loop where one of them writes directly: only its own slot. */
static const char *wrong_pair(const planning_loop *loop, int32_t a, int32_t b)
{
    const mplan_arg *args = loop->loop->args;
    const mplan_arg_layers *x = &loop->arg_layers[a], *y = &loop->arg_layers[b];
    if (strcmp(args[a].dat, args[b].dat) != 0)
        return NULL;
    if (x->levels != y->levels || x->columns != y->columns)
        return "its dat has other levels in an arg before";
    if ((args[a].access != MPLAN_READ || args[b].access != MPLAN_READ) && loop->arg_map[a] == -1 &&
        loop->arg_map[b] == -1 && x->levels &&
        (x->n_slots != 1 || y->n_slots != 1 || x->stride != y->stride ||
         x->slots[0].offset != y->slots[0].offset))
        return "one layer would access what another layer writes";
    return NULL;
}

/* Each arg by itself, with its slots written out for all columns of the map's rows; then what columns of different
 * height may not have. */
static mplan_status check_loop(const planning *p, planning_loop *loop, mplan_error *err)
{
    const int32_t layers = p->sets[loop->set].layered ? p->sets[loop->set].layered->layers : 0;
    for (int32_t a = 0; a < loop->loop->n_args; a++)
        if (!expand(&loop->arg_layers[a],
                    loop->arg_map[a] < 0 ? 1 : mplan_planning_mesh_map(p, loop->arg_map[a]).arity))
            return refuse(loop, a, "it has too many slots", err);
    for (int32_t a = 0; a < loop->loop->n_args; a++) {
        const int32_t map = loop->arg_map[a];
        const char *why = loop->layering ? wrong_access(p, loop, a) : NULL;
        if (!loop->layering && loop->arg_layers[a].levels)
            why = "it has levels, but its loop no layers";
        const int32_t arity = map < 0 ? 1 : mplan_planning_mesh_map(p, map).arity;
        if (!why && loop->arg_layers[a].levels)
            why = wrong_slots(&loop->arg_layers[a], arity, layers,
                              loop->layering == MPLAN_LAYERING_COLUMNS);
        if (!why)
            why = wrong_rows(loop, a);
        for (int32_t b = 0; b < a && !why; b++)
            why = wrong_pair(loop, b, a);
        if (why)
            return refuse(loop, a, why, err);
    }
    return MPLAN_OK;
}

/* One dat has one number of levels in all loops. */
static mplan_status compare_loops(const planning *p, mplan_error *err)
{
    static const mplan_arg_layers none = {0};
    for (int32_t l = 0; l < p->n_loops; l++)
        for (int32_t a = 0; a < p->loops[l].loop->n_args; a++)
            for (int32_t k = 0; k < l; k++)
                for (int32_t b = 0; b < p->loops[k].loop->n_args; b++) {
                    const mplan_arg_layers *x = p->loops[l].arg_layers ? &p->loops[l].arg_layers[a]
                                                                       : &none;
                    const mplan_arg_layers *y = p->loops[k].arg_layers ? &p->loops[k].arg_layers[b]
                                                                       : &none;
                    if ((x->levels != y->levels || x->columns != y->columns) &&
                        strcmp(p->loops[l].loop->args[a].dat, p->loops[k].loop->args[b].dat) == 0)
                        return refuse(&p->loops[l], a, "its dat has other levels in another loop",
                                      err);
                }
    return MPLAN_OK;
}

/* Before strategies are chosen. Without layers in the request nothing happens. */
mplan_status mplan_planning_layers(planning *p, mplan_error *err)
{
    assert(p && p->asked);
    const mplan_layers *asked = p->asked->layers;
    if (!asked)
        return MPLAN_OK;
    mplan_status status = MPLAN_OK;
    if (p->part)
        take_part_layers(p);
    else
        status = take_sets(p, asked, err);
    if (!status)
        status = take_loops(p, asked, err);
    for (int32_t i = 0; i < asked->n_args && !status; i++) {
        const mplan_layered_arg *one = &asked->args[i];
        if (one->loop < 0 || one->loop >= p->n_loops || one->arg < 0 ||
            one->arg >= p->loops[one->loop].loop->n_args || !p->loops[one->loop].arg_layers)
            status = mplan_fail(err, MPLAN_ERR_ARGUMENT, "layers: loop %d has no arg %d with layers",
                                (int)one->loop, (int)one->arg);
        else
            p->loops[one->loop].arg_layers[one->arg] = one->layers;
    }
    for (int32_t l = 0; l < p->n_loops && !status; l++)
        if (p->loops[l].arg_layers)
            status = check_loop(p, &p->loops[l], err);
    return status ? status : compare_loops(p, err);
}

/* --- strategies ----------------------------------------------------------------------------- */

/* Whether all increments through maps have one map, stride and list of slots, so that a row of owner-gather has the
 * entries of all of them, and nothing is written directly: a layer is computed for one slot at a time, from one row of
 * a matrix. */
static bool alike(const planning_loop *loop)
{
    int32_t first = -1;
    for (int32_t a = 0; a < loop->loop->n_args; a++) {
        if (loop->loop->args[a].access == MPLAN_READ)
            continue;
        if (loop->arg_map[a] < 0)
            return false;
        first = first < 0 ? a : first;
        const mplan_arg_layers *x = &loop->arg_layers[first], *y = &loop->arg_layers[a];
        if (loop->arg_map[first] != loop->arg_map[a] || x->stride != y->stride ||
            x->levels != y->levels || x->n_slots != y->n_slots ||
            memcmp(x->slots, y->slots, (size_t)x->n_slots * sizeof *x->slots) != 0)
            return false;
    }
    return true;
}

/* Increments of one dat, by whose levels threads of a strategy would meet. */
static mplan_status refuse_slots(const planning_loop *loop, mplan_strategy strategy, mplan_error *err)
{
    const mplan_arg *args = loop->loop->args;
    for (int32_t a = 0; a < loop->loop->n_args; a++)
        for (int32_t b = 0; b < a; b++)
            if (loop->arg_map[a] >= 0 && loop->arg_map[b] >= 0 && mplan_access_adds(args[a].access) &&
                mplan_access_adds(args[b].access) && strcmp(args[a].dat, args[b].dat) == 0 &&
                !mplan_strategy_takes_slots(strategy, &loop->arg_layers[b], &loop->arg_layers[a]))
                return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                                  "loop %s: %s needs increments of one dat (%s) with the same stride%s",
                                  loop->loop->name, mplan_strategy_name(strategy), args[a].dat,
                                  mplan_strategy_has(strategy, MPLAN_TRAIT_RECORDS)
                                      ? ", lowest and highest offset"
                                      : "");
    return MPLAN_OK;
}

/* Encodings and slices that have no kernels for layers, and increments that a list of owners or threads cannot hold. */
mplan_status mplan_planning_refuse_layered(const planning_loop *loop, mplan_strategy strategy,
                                           const mplan_plan_options *options, mplan_error *err)
{
    assert(loop && options);
    const mplan_encoding encoding = options->encoding;
    if (!loop->layering)
        return MPLAN_OK;
    if (mplan_strategy_has(strategy, MPLAN_TRAIT_OWNERS) && encoding != MPLAN_ENCODING_NONE &&
        encoding != MPLAN_ENCODING_INDEX16 && encoding != MPLAN_ENCODING_INDEX32)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "loop %s: owner-gather of layers has the encoding index16 or index32, not %s",
                          loop->loop->name, mplan_encoding_name(encoding));
    if (mplan_strategy_has(strategy, MPLAN_TRAIT_OWNERS) && options->slice_rows > MPLAN_OWNER_SLICE)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "loop %s: owner-gather of layers has slices of %d rows, not %d",
                          loop->loop->name, MPLAN_OWNER_SLICE, (int)options->slice_rows);
    if (mplan_strategy_has(strategy, MPLAN_TRAIT_OWNERS) && !alike(loop))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "loop %s: %s needs increments through one map, with the same slots, and no "
                          "direct arg that writes",
                          loop->loop->name, mplan_strategy_name(strategy));
    return refuse_slots(loop, strategy, err);
}

int64_t mplan_planning_layer_bytes(const mplan_plan_loop *loop)
{
    assert(loop && loop->layering);
    int64_t numbers = 0;
    int32_t below = 0;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        if (arg->map < 0 || !mplan_access_adds(arg->access))
            continue;
        numbers += (int64_t)arg->layers.n_slots * arg->dim * (int64_t)mplan_type_size(arg->type);
        for (int32_t s = 0; s < arg->layers.n_slots; s++)
            for (int32_t k = 0; k < arg->layers.n_slots; k++) {
                const int32_t apart = arg->layers.slots[s].offset - arg->layers.slots[k].offset;
                below = apart / arg->layers.stride > below ? apart / arg->layers.stride : below;
            }
    }
    return numbers * (1 + below);
}

/* --- what the plan has ---------------------------------------------------------------------- */

/* Rows of `cols` numbers of 32 bits, one for each member of the mesh, become an array in the stored order; zeros in holes. */
static mplan_status store_rows(planning *p, int32_t s, mplan_kind kind, const void *rows,
                               int32_t cols, mplan_error *err)
{
    const planning_set *set = &p->sets[s];
    const size_t bytes = (size_t)cols * sizeof(int32_t);
    int32_t *stored = mplan_alloc_zero(cols * set->storage, sizeof *stored, err);
    if (!stored)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < set->size; i++)
        memcpy(stored + cols * (int64_t)set->new_of_old[i], (const char *)rows + (size_t)i * bytes,
               bytes);
    return mplan_plan_take_array(p->plan, mplan_key_of_set(kind, s), MPLAN_TYPE_I32, set->storage,
                                 cols, stored, err);
}

/* Ranges, and bits of the mask, in the stored order; `least` is the height of the lowest column. */
mplan_status mplan_planning_store_layers(planning *p, int32_t s, mplan_error *err)
{
    assert(p && s >= 0 && s < p->n_sets);
    const planning_set *set = &p->sets[s];
    const mplan_layered_set *asked = set->layered;
    if (!asked)
        return MPLAN_OK;
    int32_t least = asked->layers;
    for (int64_t i = 0; asked->ranges && i < set->size; i++) {
        const int32_t height = asked->ranges[2 * i + 1] - asked->ranges[2 * i];
        least = height < least ? height : least;
    }
    mplan_plan_set_layers(p->plan, s, asked->layers, least, asked->ranges != NULL,
                          asked->mask != NULL);
    mplan_status status = MPLAN_OK;
    if (asked->ranges)
        status = store_rows(p, s, MPLAN_KIND_LAYER_RANGES, asked->ranges, 2, err);
    if (!status && asked->mask)
        status = store_rows(p, s, MPLAN_KIND_LAYER_MASK, asked->mask,
                            mplan_mask_words(asked->layers), err);
    return status;
}

/* --- what the request says ------------------------------------------------------------------- */

/* Ranges and masks are told by their hashes: of the numbers of all members, in the mesh's order. p: of the whole mesh, as the
 * request of a part is that of the whole mesh. */
static bool print_set(mplan_vector *text, const planning *p, int32_t s, mplan_error *err)
{
    const planning_set *set = &p->sets[s];
    const mplan_layered_set *asked = set->layered;
    const mplan_layer_facts *facts = p->facts ? &p->facts->layers[set->mesh_set] : NULL;
    const size_t n = (size_t)set->size, words = (size_t)mplan_mask_words(asked->layers);
    uint64_t ranges = facts ? facts->ranges : 0, mask = facts ? facts->mask : 0;
    if (!facts && asked->ranges)
        ranges = mplan_hash(asked->ranges, 2 * n * sizeof *asked->ranges);
    if (!facts && asked->mask)
        mask = mplan_hash(asked->mask, n * words * sizeof *asked->mask);
    bool done = mplan_vector_print(text, err, "layers %d ", (int)asked->layers);
    if (done && asked->ranges)
        done = mplan_vector_print(text, err, "ranges %016llx ", (unsigned long long)ranges);
    if (done && asked->mask)
        done = mplan_vector_print(text, err, "mask %016llx ", (unsigned long long)mask);
    return done && mplan_vector_print(text, err, "%s\n", asked->name);
}

/* A line of section 11 of the specification: one form for each request, since it is fingerprinted. */
static bool print_arg(mplan_vector *text, int32_t l, int32_t a, const mplan_arg_layers *arg,
                      mplan_error *err)
{
    bool done = mplan_vector_print(text, err, "levels %d %d of %d stride %d rows %d columns %s slots",
                                   (int)l, (int)a, (int)arg->levels, (int)arg->stride,
                                   (int)arg->rows, mplan_columns_name(arg->columns));
    for (int32_t k = 0; k < arg->n_slots && done; k++)
        done = mplan_vector_print(text, err, " %d+%d", (int)arg->slots[k].of,
                                  (int)arg->slots[k].offset);
    return done && mplan_vector_print(text, err, "\n");
}

/* Lines of sets in their order, then of loops and args; requests without layers have none. */
bool mplan_request_layers(mplan_vector *text, const planning *p, mplan_error *err)
{
    assert(text && p);
    bool done = true;
    for (int32_t s = 0; s < p->n_sets && done; s++)
        if (p->sets[s].layered)
            done = print_set(text, p->part ? p->part->whole : p, s, err);
    for (int32_t l = 0; l < p->n_loops && done; l++) {
        const planning_loop *loop = &p->loops[l];
        if (!loop->layering)
            continue;
        done = mplan_vector_print(text, err, "layering %d %s\n", (int)l,
                                  mplan_layered_name(loop->layering));
        for (int32_t a = 0; a < loop->loop->n_args && done; a++)
            if (loop->arg_layers[a].levels)
                done = print_arg(text, l, a, &loop->arg_layers[a], err);
    }
    return done;
}
