/* SPDX-License-Identifier: Apache-2.0 */
/* slab_uses.c - what launches of a range of slabs use
 *
 * Rows of a slab reach one slab beyond their own. Where they are elements, points lie beside them. A row of owner-gather computes the
 * elements of its point, and so it reaches their other points, too: there an element and all of its points lie in two slabs at most. */
#include "plan/slab_uses.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plan/packed.h"
#include "plan/strategies.h"

/* The variant that slabs run, and whether its rows are points: else they are elements. */
static const mplan_plan_variant *variant_of(const mplan_plan *plan, int32_t loop)
{
    return &plan->loops[loop].variants[plan->loops[loop].default_variant];
}

static bool by_owners(const mplan_plan *plan, int32_t loop)
{
    return mplan_strategy_has(variant_of(plan, loop)->strategy, MPLAN_TRAIT_OWNERS);
}

/* The first arg that increments through a map; NULL: none. */
static const mplan_plan_arg *increment_of(const mplan_plan_loop *loop)
{
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0 && mplan_access_adds(loop->args[a].access))
            return &loop->args[a];
    return NULL;
}

/* The set that a loop with owner-gather increments; -1: no arg increments through a map. */
static int32_t owners_of(const mplan_plan *plan, int32_t loop)
{
    const mplan_plan_arg *arg = increment_of(&plan->loops[loop]);
    return arg ? plan->maps[arg->map].to : -1;
}

int32_t mplan_slab_rows_of(const mplan_plan *plan, int32_t loop)
{
    assert(plan && loop >= 0 && loop < plan->n_loops);
    const int32_t owners = by_owners(plan, loop) ? owners_of(plan, loop) : -1;
    return owners >= 0 ? owners : plan->loops[loop].set;
}

/* Launches that begin elsewhere would cut a slice of 32 rows, or a window, in two. */
int32_t mplan_slab_granule(const mplan_plan *plan, int32_t loop)
{
    assert(plan && loop >= 0 && loop < plan->n_loops);
    const int32_t window = variant_of(plan, loop)->window;
    return window > 32 ? window : 32;
}

bool mplan_slab_has_slices(const mplan_plan *plan, int32_t set)
{
    assert(plan && set >= 0 && set < plan->n_sets);
    for (int32_t i = 0; i < plan->n_step; i++)
        if (by_owners(plan, plan->step[i].loop) && mplan_slab_rows_of(plan, plan->step[i].loop) == set)
            return true;
    return false;
}

bool mplan_slab_joins_points(const mplan_plan *plan, int32_t set)
{
    assert(plan && set >= 0 && set < plan->n_sets);
    for (int32_t i = 0; i < plan->n_step; i++)
        if (plan->loops[plan->step[i].loop].set == set && by_owners(plan, plan->step[i].loop))
            return true;
    return false;
}

/* The first reason that holds. Only loops without any may be asked for their uses. */
const char *mplan_slab_refusal(const mplan_plan *plan, int32_t entry)
{
    assert(plan && entry >= 0 && entry < plan->n_step);
    const int32_t loop = plan->step[entry].loop;
    const mplan_plan_loop *record = &plan->loops[loop];
    if (!by_owners(plan, loop) &&
        !mplan_strategy_has(variant_of(plan, loop)->strategy, MPLAN_TRAIT_ATOMIC))
        return "must have owner-gather or atomic as its default variant";
    if (variant_of(plan, loop)->slice_rows > 32)
        return "has slices of 64 rows";
    for (int32_t a = 0; a < record->n_args; a++) {
        const mplan_plan_arg *arg = &record->args[a];
        if (arg->map == MPLAN_MAP_GLOBAL && arg->access != MPLAN_READ && !plan->step[entry].lag)
            return "changes a global, for which the next loop would wait until all slabs have run: with lag: 1 at its entry of the step "
                   "the global has its new value when a visit ends";
        if (arg->map >= 0 && plan->maps[arg->map].arity == 0)
            return "has a ragged map";
        if (arg->layers.columns == MPLAN_COLUMNS_OWNER && arg->layers.levels &&
            owners_of(plan, loop) < 0)
            return "has a matrix by owner, and increments nothing through a map";
        if (arg->layers.columns == MPLAN_COLUMNS_OWNER && arg->layers.levels && !by_owners(plan, loop))
            return "has a matrix by owner, but not owner-gather as its default variant";
    }
    if (plan->sets[record->set].storage_size != plan->sets[record->set].size ||
        plan->sets[mplan_slab_rows_of(plan, loop)].storage_size !=
            plan->sets[mplan_slab_rows_of(plan, loop)].size)
        return "has holes in the order of its set";
    return NULL;
}

/* --- what stays on the device ------------------------------------------------------------- */

/* Leaves of the globals of an entry with lag, the nodes above them, and the order in which they are summed. */
static int64_t leaf_bytes(const mplan_plan *plan, int32_t entry)
{
    const mplan_plan_loop *loop = &plan->loops[plan->step[entry].loop];
    const int64_t n = plan->sets[loop->set].storage_size;
    const int64_t nodes = (n + MPLAN_SLAB_LEAVES - 1) / MPLAN_SLAB_LEAVES;
    int64_t bytes = 0;
    for (int32_t a = 0; a < loop->n_args && plan->step[entry].lag; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        if (arg->map == MPLAN_MAP_GLOBAL && arg->access != MPLAN_READ)
            bytes += (n + nodes) * arg->dim * (int64_t)mplan_type_size(arg->type) +
                     (arg->access == MPLAN_INC ? 4 * n : 0);
    }
    return bytes;
}

/* Whether points may be listed in place of levels: a level of a point is that of the layer (bind_layer_lists.c). */
static bool may_be_light(const mplan_plan_loop *loop)
{
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_arg_layers *layers = &loop->args[a].layers;
        if (loop->args[a].map < 0 || !layers->levels)
            continue;
        for (int32_t s = 0; s < layers->n_slots; s++)
            if (layers->stride != 1 || layers->slots[s].offset != 0)
                return false;
    }
    return true;
}

/* What finds the levels of a loop with layers, at most: for each element and slot where its column begins; by owners, for each point
 * the list of what leads to it, and where columns have ranges the levels that get something. */
static int64_t layer_bytes(const mplan_plan *plan, int32_t l)
{
    const mplan_plan_loop *loop = &plan->loops[l];
    const int64_t n = plan->sets[loop->set].storage_size;
    int64_t bytes = 256; /* arrays end with a number that nobody reads */
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0 && loop->args[a].layers.levels)
            bytes += 8 * n * loop->args[a].layers.n_slots;
    if (!by_owners(plan, l) || owners_of(plan, l) < 0)
        return bytes;
    const mplan_arg_layers *to = &increment_of(loop)->layers;
    const int64_t points = plan->sets[owners_of(plan, l)].storage_size;
    bytes += 4 * points + 4 * n * to->n_slots * (1 + (may_be_light(loop) ? to->n_slots : 0));
    if (plan->sets[loop->set].layers_ranged)
        bytes += 16 * points + 4 * ((points * to->levels + 31) / 32);
    return bytes;
}

/* Layers of the columns of a set, where they differ. */
static int64_t column_bytes(const mplan_plan_set *set)
{
    return set->storage_size *
           ((set->layers_ranged ? 8 : 0) + (set->layers_masked ? 4 * ((set->layers + 31) / 32) : 0));
}

/* Loops that several entries run, and sets of several loops, count once. */
int64_t mplan_slab_kept_bytes(const mplan_plan *plan)
{
    assert(plan);
    int64_t bytes = 0;
    for (int32_t i = 0; i < plan->n_step; i++) {
        const int32_t l = plan->step[i].loop;
        bool loop_known = plan->loops[l].layering == 0, set_known = loop_known;
        bytes += leaf_bytes(plan, i);
        for (int32_t k = 0; k < i; k++) {
            const mplan_plan_loop *other = &plan->loops[plan->step[k].loop];
            loop_known = loop_known || plan->step[k].loop == l;
            set_known = set_known || (other->layering && other->set == plan->loops[l].set);
        }
        bytes += loop_known ? 0 : layer_bytes(plan, l);
        bytes += set_known ? 0 : column_bytes(&plan->sets[plan->loops[l].set]);
    }
    return bytes;
}

/* --- places of dats ------------------------------------------------------------------------ */

/* The most slots of the increments that lead to one point: words of a point of owner-gather, and so rows of a matrix by owner. */
static mplan_status find_longest(const mplan_plan *plan, const mplan_plan_arg *to, int32_t *longest,
                                 mplan_error *err)
{
    const mplan_map map = mplan_plan_stored_map(plan, to->map);
    int32_t *count = mplan_alloc_zero(map.n_points, sizeof *count, err);
    if (!count)
        return MPLAN_ERR_MEMORY;
    *longest = 0;
    for (int64_t e = 0; e < map.n_rows; e++)
        for (int32_t s = 0; s < to->layers.n_slots; s++) {
            const int32_t p = map.values[e * map.arity + to->layers.slots[s].of];
            if (p >= 0 && p < map.n_points && ++count[p] > *longest)
                *longest = count[p];
        }
    free(count);
    return MPLAN_OK;
}

/* Numbers of a matrix by owner: of 32 levels, one behind the other over all points, those of the first word of each, of the second ... */
static mplan_status place_owner(const mplan_plan *plan, int32_t l, int32_t a,
                                mplan_slab_place *place, mplan_error *err)
{
    const mplan_plan_arg *arg = &plan->loops[l].args[a], *to = increment_of(&plan->loops[l]);
    int32_t words = 0;
    assert(to && arg->layers.rows > 0);
    mplan_status status = find_longest(plan, to, &words, err);
    place->set = plan->maps[to->map].to;
    place->planes = 1;
    const int64_t level = (int64_t)words * (arg->dim / arg->layers.rows) *
                          (int64_t)mplan_type_size(arg->type);
    place->member = to->layers.levels * level;
    place->whole = (plan->sets[place->set].storage_size * to->layers.levels + 31) / 32 * 32 * level;
    return status;
}

mplan_status mplan_slab_place_of(const mplan_plan *plan, int32_t loop, int32_t arg,
                                 mplan_slab_place *place, mplan_error *err)
{
    assert(plan && place && arg >= 0 && plan->loops[loop].args[arg].map != MPLAN_MAP_GLOBAL);
    const mplan_plan_arg *about = &plan->loops[loop].args[arg];
    const mplan_arg_layers *layers = &about->layers;
    const bool apart = layers->levels && layers->columns == MPLAN_COLUMNS_POINTS;
    if (layers->levels && layers->columns == MPLAN_COLUMNS_OWNER)
        return place_owner(plan, loop, arg, place, err);
    place->set = about->map >= 0 ? plan->maps[about->map].to : plan->loops[loop].set;
    place->planes = about->layout == MPLAN_LAYOUT_SOA ? about->dim : 1;
    place->member = (int64_t)mplan_type_size(about->type) * about->dim / place->planes;
    if (apart)
        place->planes *= layers->levels;
    else if (layers->levels)
        place->member *= layers->levels;
    place->whole = place->member * plan->sets[place->set].storage_size;
    return MPLAN_OK;
}

/* --- uses -------------------------------------------------------------------------------- */

/* Whether each element has all layers, and they are all levels of its column. */
static bool writes_all_levels(const mplan_plan *plan, const mplan_plan_loop *loop,
                              const mplan_plan_arg *arg)
{
    const mplan_plan_set *set = &plan->sets[loop->set];
    return !set->layers_ranged && !set->layers_masked && arg->layers.levels == set->layers &&
           arg->layers.stride == 1 && arg->layers.n_slots == 1 && arg->layers.slots[0].offset == 0;
}

/* What an arg does, added to what the args before it do with the same dat. Returns how many uses there are.
 * uses: n of them, with room for one more. clear: the arg whose dat is set to zero before, -1: none. */
static int32_t add_arg(const mplan_plan *plan, int32_t loop, int32_t a, int32_t clear,
                       mplan_slab_use *uses, int32_t n)
{
    const mplan_plan_loop *record = &plan->loops[loop];
    const mplan_plan_arg *arg = &record->args[a];
    const bool owners = by_owners(plan, loop), adds = arg->map >= 0 && mplan_access_adds(arg->access);
    const bool zeroed = clear >= 0 && strcmp(record->args[clear].dat, arg->dat) == 0;
    const bool by_owner = arg->layers.levels && arg->layers.columns == MPLAN_COLUMNS_OWNER;
    int32_t u = 0;
    while (u < n && strcmp(record->args[uses[u].arg].dat, arg->dat) != 0)
        u++;
    if (u == n)
        uses[n++] = (mplan_slab_use){.arg = a,
                                     .map = -1,
                                     .set = by_owner        ? owners_of(plan, loop)
                                            : arg->map >= 0 ? plan->maps[arg->map].to
                                                            : record->set,
                                     .whole = true};
    mplan_slab_use *use = &uses[u];
    const int32_t reach = owners ? !adds && !by_owner : arg->map >= 0;
    use->reach = reach > use->reach ? reach : use->reach;
    use->reads = use->reads || (arg->access != MPLAN_WRITE && !zeroed);
    use->writes = use->writes || arg->access != MPLAN_READ;
    /* zeros are stored, or every element writes its own, and all of it */
    use->whole = use->whole &&
                 (zeroed || (arg->map == -1 && arg->access == MPLAN_WRITE &&
                             (!arg->layers.levels || writes_all_levels(plan, record, arg))));
    return n;
}

/* windows16 needs the rows of maps only in slices without windows.
 * OWNER_PLAIN has the plain codes of such slices; it is empty where all slices have windows. */
static bool reads_maps(const mplan_plan *plan, int32_t loop)
{
    const mplan_plan_loop *record = &plan->loops[loop];
    int64_t plain = 0;
    if (!by_owners(plan, loop) || variant_of(plan, loop)->encoding != MPLAN_ENCODING_WINDOWS16)
        return true;
    mplan_plan_data(plan, mplan_key_of_variant(MPLAN_KIND_OWNER_PLAIN, loop, record->default_variant),
                    MPLAN_TYPE_I32, &plain);
    return plain > 0;
}

/* Rows of the maps of the args, each map once. Owner-gather reads rows of elements of the neighbouring slab, too. */
static int32_t add_maps(const mplan_plan *plan, int32_t loop, mplan_slab_use *uses, int32_t n)
{
    const mplan_plan_loop *record = &plan->loops[loop];
    const int32_t first = n;
    for (int32_t a = 0; a < record->n_args && reads_maps(plan, loop); a++) {
        const int32_t map = record->args[a].map;
        bool known = map < 0;
        for (int32_t u = first; u < n; u++)
            known = known || uses[u].map == map;
        if (!known)
            uses[n++] = (mplan_slab_use){.arg = -1,
                                         .kind = MPLAN_KIND_MAP_VALUES,
                                         .map = map,
                                         .set = record->set,
                                         .reach = by_owners(plan, loop),
                                         .reads = true};
    }
    return n;
}

/* Tables of owner-gather: those that have a part for every row, and those of slices, which are small and have no slabs.
 * OWNER_ROW_START is read for neighbours, too. */
static int32_t add_tables(const mplan_plan *plan, int32_t loop, mplan_slab_use *uses, int32_t n)
{
    static const struct {
        int32_t kind;
        bool rows;
    } tables[] = {{MPLAN_KIND_OWNER_OFFSETS, false}, {MPLAN_KIND_OWNER_ENTRIES, true},
                  {MPLAN_KIND_OWNER_BASE, false},    {MPLAN_KIND_OWNER_ESCAPE_OFFSETS, false},
                  {MPLAN_KIND_OWNER_ESCAPES, false}, {MPLAN_KIND_OWNER_ROW_START, true},
                  {MPLAN_KIND_OWNER_POINTS, true},   {MPLAN_KIND_OWNER_WINDOWS, true},
                  {MPLAN_KIND_OWNER_PLAIN, false}};
    const int32_t rows = mplan_slab_rows_of(plan, loop);
    const bool read = by_owners(plan, loop) &&
                      !plan->loops[loop].layering; /* else lists are made of them */
    for (size_t t = 0; t < sizeof tables / sizeof *tables && read; t++)
        if (mplan_slab_array(plan, loop, tables[t].kind, -1))
            uses[n++] = (mplan_slab_use){.arg = -1,
                                         .kind = tables[t].kind,
                                         .map = -1,
                                         .set = tables[t].rows ? rows : -1,
                                         .reach = tables[t].kind == MPLAN_KIND_OWNER_ROW_START,
                                         .reads = true};
    return n;
}

int32_t mplan_slab_uses(const mplan_plan *plan, int32_t loop, int32_t clear, mplan_slab_use *uses)
{
    assert(plan && uses && loop >= 0 && loop < plan->n_loops);
    int32_t n = 0;
    for (int32_t a = 0; a < plan->loops[loop].n_args; a++)
        if (plan->loops[loop].args[a].map != MPLAN_MAP_GLOBAL)
            n = add_arg(plan, loop, a, clear, uses, n);
    n = add_maps(plan, loop, uses, n);
    return add_tables(plan, loop, uses, n);
}

/* --- where slabs begin -------------------------------------------------------------------- */

const mplan_array *mplan_slab_array(const mplan_plan *plan, int32_t loop, int32_t kind, int32_t map)
{
    assert(plan);
    const mplan_key key = kind == MPLAN_KIND_MAP_VALUES
                              ? mplan_key_of_map((mplan_kind)kind, map)
                              : mplan_key_of_variant((mplan_kind)kind, loop,
                                                     plan->loops[loop].default_variant);
    return mplan_plan_find_array(plan, &key);
}

/* Columns of entries before a slice.
 * slice is in [0, number of slices]. OWNER_OFFSETS has an entry more than slices; with a fixed width it is not there. */
static int64_t columns_before(const mplan_plan *plan, int32_t loop, int64_t slice)
{
    const mplan_plan_variant *variant = variant_of(plan, loop);
    if (variant->width)
        return slice * variant->width;
    const int64_t *offsets = mplan_plan_data(plan,
                                             mplan_key_of_variant(MPLAN_KIND_OWNER_OFFSETS, loop,
                                                                  plan->loops[loop].default_variant),
                                             MPLAN_TYPE_I64, NULL);
    return offsets[slice];
}

/* Borders are multiples of the granule, so that 32 divides the row where the array has parts for slices. */
int64_t mplan_slab_array_at(const mplan_plan *plan, int32_t loop, const mplan_slab_use *use,
                            int64_t row)
{
    assert(plan && use && use->arg < 0 && use->set >= 0);
    const mplan_array *array = mplan_slab_array(plan, loop, use->kind, use->map);
    const int64_t size = (int64_t)mplan_type_size(array->type), slice = row / 32;
    if (row >= plan->sets[use->set].storage_size)
        return array->rows * array->cols * size;
    switch (use->kind) {
    case MPLAN_KIND_OWNER_ENTRIES: {
        /* all columns of entries hold as many numbers */
        const int64_t slices = (plan->sets[use->set].storage_size + 31) / 32;
        const int64_t columns = columns_before(plan, loop, slices);
        return columns ? columns_before(plan, loop, slice) * (array->rows / columns) * size : 0;
    }
    case MPLAN_KIND_OWNER_WINDOWS: return slice * 16 * size;
    default: return row * array->cols * size;
    }
}
