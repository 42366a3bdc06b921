/* SPDX-License-Identifier: Apache-2.0 */
/* bind_layers.c - a kernel of layers meets a loop of the plan and one of its variants
 *
 * The tables are those of the base mesh, checked and handed out as for a flat loop (mplan_exec_fill_call) whose kernel
 * is a shell: what is new here are strides and slots of levels, and the lists of owner-gather by point. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/dat_levels.h"
#include "exec/exec_visit.h"
#include "plan/strategies.h"

/* --- does the kernel fit the loop? ------------------------------------------------------------ */

/* How a kernel takes an arg of the plan's loop. */
static const char *way_of(const mplan_plan_arg *arg)
{
    if (arg->map == MPLAN_MAP_GLOBAL)
        return "VALUE";
    if (arg->map >= 0)
        return arg->layers.levels ? "LEVELS or NEAR" : "FLAT";
    if (!arg->layers.levels)
        return "OWN";
    return arg->layers.rows ? "MATRIX" : "COLUMN, WHOLE or KEPT";
}

/* Whether the plan's arg is reached as the kernel's arg says. */
static bool fits_way(const mplan_layer_arg *own, const mplan_plan_arg *arg)
{
    switch (own->kind) {
    case MPLAN_LAYER_LEVELS: return arg->map >= 0 && arg->layers.levels;
    case MPLAN_LAYER_FLAT: return arg->map >= 0 && !arg->layers.levels;
    case MPLAN_LAYER_COLUMN:
    case MPLAN_LAYER_KEPT: return arg->map == -1 && arg->layers.levels && !arg->layers.rows;
    case MPLAN_LAYER_MATRIX: return arg->map == -1 && arg->layers.rows == own->rows;
    case MPLAN_LAYER_OWN: return arg->map == -1 && !arg->layers.levels;
    case MPLAN_LAYER_VALUE: return arg->map == MPLAN_MAP_GLOBAL;
    }
    return false;
}

/* Names what differs between arg a of the kernel and of the loop, in the words of both. */
static mplan_status compare_arg(const mplan_exec_loop *bound, int32_t a, mplan_error *err)
{
    const mplan_layer_arg *own = &bound->layers->kernel->args[a];
    const mplan_plan_arg *arg = &bound->loop->args[a];
    const int32_t arity = arg->map >= 0 ? mplan_plan_get_map(bound->exec->plan, arg->map)->arity : 1;
    const char *what = NULL;
    int slots = 0, due = 0;
    if (!fits_way(own, arg))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "kernel %s does not fit loop %s: arg %d (%s) is %s in the plan%s",
                          bound->kernel->name, bound->loop->name, (int)a, arg->dat, way_of(arg),
                          own->kind == MPLAN_LAYER_MATRIX ? ", or has other rows" : "");
    if (own->dim != arg->dim)
        what = "dim", slots = own->dim, due = arg->dim;
    else if (own->kind == MPLAN_LAYER_FLAT && own->slots != arity)
        what = "arity", slots = own->slots, due = arity;
    else if (arg->layers.levels && own->slots != arg->layers.n_slots)
        what = "slots", slots = own->slots, due = arg->layers.n_slots;
    if (what)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "kernel %s does not fit loop %s: arg %d (%s) has %s %d in the kernel and %d in "
                          "the plan",
                          bound->kernel->name, bound->loop->name, (int)a, arg->dat, what, slots, due);
    if (own->type != arg->type || own->access != arg->access)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "kernel %s does not fit loop %s: arg %d (%s) is %s %s in the kernel and %s %s "
                          "in the plan",
                          bound->kernel->name, bound->loop->name, (int)a, arg->dat,
                          mplan_access_name(own->access), mplan_type_name(own->type),
                          mplan_access_name(arg->access), mplan_type_name(arg->type));
    return MPLAN_OK;
}

/* Its dat is declared, and on the set and with the levels of the plan: the plan says so of all its args. */
static mplan_status find_dat(mplan_exec_loop *bound, int32_t a, mplan_error *err)
{
    const mplan_plan_arg *arg = &bound->loop->args[a];
    const int32_t set = arg->map == MPLAN_MAP_GLOBAL ? -1
                        : arg->map < 0               ? bound->loop->set
                                                     : bound->exec->plan->maps[arg->map].to;
    bound->dat[a] = mplan_exec_find_dat(bound->exec, arg->dat);
    if (bound->dat[a] < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "loop %s: dat %s is not declared",
                          bound->loop->name, arg->dat);
    const mplan_exec_dat *dat = &bound->exec->dats[bound->dat[a]];
    if (dat->set != set || dat->dim != arg->dim || dat->type != arg->type ||
        dat->levels != arg->layers.levels || dat->columns != arg->layers.columns)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "loop %s: dat %s was declared with another set, dim, type or levels than in arg %d",
                          bound->loop->name, arg->dat, (int)a);
    if (dat->owner && (bound->exec->executor == MPLAN_EXECUTOR_CUDA &&
                       !mplan_strategy_has(bound->chosen->strategy, MPLAN_TRAIT_OWNERS)))
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "loop %s: dat %s is stored by owner, which only owner-gather reads on a device",
                          bound->loop->name, arg->dat);
    if (dat->owner && (dat->owner->loop != bound->l))
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "loop %s: dat %s is stored for loop %s",
                          bound->loop->name, arg->dat,
                          bound->exec->plan->loops[dat->owner->loop].name);
    return MPLAN_OK;
}

/* Executor, way of layers and number of args, before any arg is looked at. */
static mplan_status compare_kernel(mplan_exec_loop *bound, mplan_error *err)
{
    const mplan_layer_kernel *kernel = bound->layers->kernel;
    const bool device = bound->exec->executor == MPLAN_EXECUTOR_CUDA;
    if (device ? !kernel->launch : !kernel->run)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "kernel %s is not for executor %s; use %s_%s",
                          kernel->name, mplan_executor_name(bound->exec->executor), kernel->name,
                          device ? "device" : "host");
    if (kernel->layering != bound->loop->layering || kernel->n_args != bound->loop->n_args ||
        kernel->n_args > MPLAN_LAYER_ARGS || kernel->parameter_bytes > MPLAN_MAX_PARAMETERS)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "kernel %s of %s with %d args does not fit loop %s of %s with %d args (at most %d)",
                          kernel->name, mplan_layered_name(kernel->layering), (int)kernel->n_args,
                          bound->loop->name, mplan_layered_name(bound->loop->layering),
                          (int)bound->loop->n_args, MPLAN_LAYER_ARGS);
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < bound->loop->n_args && !status; a++) {
        status = compare_arg(bound, a, err);
        if (!status)
            status = find_dat(bound, a, err);
    }
    return status ? status : mplan_exec_check_conflicts(bound, err);
}

/* What the flat code asks of a kernel: rows are those of the plan's maps. */
static void make_shell(mplan_exec_loop *bound)
{
    mplan_layers_bound *own = bound->layers;
    const mplan_plan *plan = bound->exec->plan;
    for (int32_t a = 0; a < bound->loop->n_args && a < MPLAN_LAYER_ARGS; a++) {
        const mplan_plan_arg *arg = &bound->loop->args[a];
        const mplan_plan_map *map = arg->map >= 0 ? mplan_plan_get_map(plan, arg->map) : NULL;
        own->shell_args[a] = (mplan_kernel_arg){.dat = arg->dat,
                                                .map = map ? map->name : "",
                                                .arity = map ? map->arity : 1,
                                                .dim = arg->dim,
                                                .type = arg->type,
                                                .access = arg->access,
                                                .global = arg->map == MPLAN_MAP_GLOBAL};
    }
    own->shell = (mplan_kernel){.name = own->kernel->name,
                                .n_args = own->kernel->n_args,
                                .args = own->shell_args,
                                .parameter_bytes = own->kernel->parameter_bytes};
    bound->kernel = &own->shell;
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        bound->first_of_map[a] = a;
        for (int32_t b = a - 1; b >= 0; b--)
            if (bound->loop->args[b].map == bound->loop->args[a].map)
                bound->first_of_map[a] = b;
    }
}

/* --- what launches read ------------------------------------------------------------------------ */

/* Where arg a is and how far apart members, levels and components are, in numbers. */
static void fill_arg(mplan_exec_loop *bound, int32_t a)
{
    mplan_layer_data *arg = &bound->layers->args[a];
    const mplan_plan_arg *about = &bound->loop->args[a];
    const mplan_exec_dat *dat = &bound->exec->dats[bound->dat[a]];
    int64_t member = 1;
    arg->data = mplan_exec_launch_data(dat);
    arg->numbers = dat->storage_size * dat->dim;
    mplan_exec_strides(dat, &member, &arg->component);
    arg->column = member * dat->column_stride;
    arg->level = member * dat->level_stride;
    if (dat->window && dat->window_plane) { /* addresses go on behind the last number of a plane */
        const bool apart = dat->levels && dat->columns == MPLAN_COLUMNS_POINTS;
        arg->level = apart ? dat->window_plane : arg->level;
        arg->component = dat->layout == MPLAN_LAYOUT_SOA
                             ? dat->window_plane * (apart ? dat->levels : 1)
                             : 1;
        arg->numbers = dat->window_plane * (apart ? dat->levels : 1) *
                       (dat->layout == MPLAN_LAYOUT_SOA ? dat->dim : 1);
    }
    arg->rows = bound->call.arg[a].rows;
    arg->arity = bound->layers->shell_args[a].arity;
    arg->stride = about->layers.stride;
    arg->levels = about->layers.levels;
    for (int32_t s = 0; s < about->layers.n_slots; s++) {
        arg->of[s] = about->layers.slots[s].of;
        arg->offset[s] = about->layers.slots[s].offset;
    }
    arg->gather_offsets = bound->call.arg[a].gather_offsets;
    arg->gather_slots = bound->call.arg[a].gather_slots;
    if (dat->owner) {
        arg->entry = dat->owner->entry;
        arg->width = dat->owner->width;
    }
    if (about->layers.levels)
        bound->layers->call.points_fastest |= about->layers.columns == MPLAN_COLUMNS_POINTS;
}

/* Offsets of the increments, each once, ascending; and which slot of a layer adds to the level of another's. */
static void fill_phases(mplan_exec_loop *bound)
{
    mplan_layers_call *call = &bound->layers->call;
    const mplan_plan_loop *loop = bound->loop;
    const mplan_arg_layers *first = NULL;
    bool alike = true;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_arg_layers *layers = &loop->args[a].layers;
        if (loop->args[a].map < 0 || loop->args[a].access == MPLAN_READ)
            continue;
        alike = alike &&
                (!first || (first->n_slots == layers->n_slots && first->stride == layers->stride &&
                            memcmp(first->slots, layers->slots, sizeof layers->slots) == 0));
        first = first ? first : layers;
        for (int32_t s = 0; s < layers->n_slots; s++) {
            int32_t i = call->phases;
            while (i > 0 && call->phase[i - 1] > layers->slots[s].offset)
                i--;
            if ((i > 0 && call->phase[i - 1] == layers->slots[s].offset) ||
                call->phases == MPLAN_MAX_SLOTS)
                continue;
            memmove(&call->phase[i + 1], &call->phase[i],
                    (size_t)(call->phases - i) * sizeof *call->phase);
            call->phase[i] = layers->slots[s].offset;
            call->phases++;
        }
    }
    for (int32_t s = 0; first && s < first->n_slots; s++) {
        int32_t n = 0;
        call->partner[s] = -1;
        for (int32_t k = 0; k < first->n_slots; k++)
            if (first->slots[k].of == first->slots[s].of) {
                const int32_t up = first->slots[s].offset - first->slots[k].offset;
                n++;
                if (up > 0 && up % first->stride == 0) {
                    call->partner[s] = k;
                    call->distance[s] = up / first->stride;
                }
            }
        if (n != 2 || !alike)
            call->partner[s] = -1;
    }
}

/* Whether two args have their numbers at the same places of their dats. */
static bool same_starts(const mplan_exec_loop *bound, int32_t a, int32_t b)
{
    const mplan_layer_data *x = &bound->layers->args[a], *y = &bound->layers->args[b];
    const mplan_plan_arg *one = &bound->loop->args[a], *two = &bound->loop->args[b];
    return one->map == two->map && one->layers.n_slots == two->layers.n_slots &&
           x->column == y->column && x->level == y->level &&
           memcmp(x->of, y->of, sizeof x->of) == 0 &&
           memcmp(x->offset, y->offset, sizeof x->offset) == 0;
}

/* Number of layer 0 of each element and slot, where the device reads it; -1 without a point. Rows of the plan's maps
 * were checked when the flat call was filled. */
static mplan_status make_starts(mplan_exec_loop *bound, int32_t a, mplan_error *err)
{
    mplan_layers_bound *own = bound->layers;
    mplan_layer_data *arg = &own->args[a];
    const mplan_map map = mplan_plan_stored_map(bound->exec->plan, bound->loop->args[a].map);
    const int32_t slots = bound->loop->args[a].layers.n_slots;
    const bool wide = own->call.wide;
    const int64_t n = bound->call.n_elements * slots;
    const size_t size = wide ? sizeof(int64_t) : sizeof(int32_t);
    for (int32_t b = 0; b < a; b++)
        if (own->args[b].starts && same_starts(bound, a, b)) {
            arg->starts = own->args[b].starts;
            return MPLAN_OK;
        }
    char *starts = mplan_alloc(n, size, err);
    if (!starts)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        const int32_t s = (int32_t)(i % slots), p = map.values[i / slots * map.arity + arg->of[s]];
        const int64_t at = p < 0 ? -1 : p * arg->column + arg->offset[s] * arg->level;
        if (wide)
            ((int64_t *)(void *)starts)[i] = at;
        else
            ((int32_t *)(void *)starts)[i] = (int32_t)at;
    }
    mplan_status status = mplan_layers_copy_out(bound, starts, n, size, &own->starts[a], err);
    arg->starts = own->starts[a];
    free(starts);
    return status;
}

/* Numbers of dats are counted in 32 bits where those of all can be. */
static mplan_status fill_starts(mplan_exec_loop *bound, mplan_error *err)
{
    mplan_layers_bound *own = bound->layers;
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < bound->loop->n_args; a++)
        own->call.wide = own->call.wide || own->args[a].numbers > INT32_MAX;
    for (int32_t a = 0; a < bound->loop->n_args && !status; a++)
        if (bound->loop->args[a].map >= 0 && bound->loop->args[a].layers.levels)
            status = make_starts(bound, a, err);
    return status;
}

/* Room for the results of all slots of all layers. */
static mplan_status fill_scratch(mplan_exec_loop *bound, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < bound->loop->n_args && !status; a++) {
        const mplan_plan_arg *arg = &bound->loop->args[a];
        if (!mplan_exec_increments(bound->loop, a))
            continue;
        status = mplan_exec_allocate(bound->exec,
                                     bound->call.n_elements * bound->layers->call.layers *
                                         arg->layers.n_slots * arg->dim,
                                     mplan_type_size(arg->type), &bound->layers->args[a].scratch,
                                     err);
    }
    return status;
}

/* How many elements and points of the stored order a launch runs: in a part what it owns, and of elements that increment also
 * those of the execute halo; behind them nobody reads what comes out. With rings all of them, of which a launch takes as many as it needs
 * (mplan_exec_parts_share). */
static int64_t places_to_run(const mplan_exec_loop *bound, int32_t set, bool executed)
{
    const mplan_plan_set *record = mplan_plan_get_set(bound->exec->plan, set);
    if (record->part.parts == 0 || mplan_plan_rings(bound->exec->plan) > 0)
        return record->storage_size;
    return executed ? record->part.executed : record->part.owned;
}

/* Args from the last to the first, so that first_increment is the first one in the end. */
static mplan_status fill_call(mplan_exec_loop *bound, mplan_error *err)
{
    mplan_layers_call *call = &bound->layers->call;
    const mplan_plan_set *set = mplan_plan_get_set(bound->exec->plan, bound->loop->set);
    const mplan_strategy strategy = bound->chosen->strategy;
    call->arg = bound->layers->args;
    call->first_increment = -1;
    for (int32_t a = bound->loop->n_args - 1; a >= 0; a--) {
        fill_arg(bound, a);
        if (mplan_exec_increments(bound->loop, a)) {
            call->first_increment = a;
            call->levels = bound->loop->args[a].layers.levels;
            call->n_points = call->arg[a].list_points =
                places_to_run(bound, bound->exec->plan->maps[bound->loop->args[a].map].to, false);
            call->arg[a].list_levels = call->levels;
        }
    }
    call->n_elements = places_to_run(bound, bound->loop->set, call->first_increment >= 0);
    call->layers = set->layers;
    call->old_of_new = bound->call.old_of_new;
    call->strategy = strategy;
    call->list = bound->call.list;
    call->n_launches = bound->call.n_launches;
    call->launch_offsets = bound->call.launch_offsets;
    fill_phases(bound);
    mplan_status status = MPLAN_OK;
    if (set->layers_ranged) {
        const void *ranges = NULL;
        status = mplan_exec_table(bound->exec,
                                  mplan_key_of_set(MPLAN_KIND_LAYER_RANGES, bound->loop->set),
                                  MPLAN_TYPE_I32, &ranges, NULL, err);
        call->ranges = ranges;
    }
    if (set->layers_masked && !status) {
        const void *mask = NULL;
        status = mplan_exec_table(bound->exec,
                                  mplan_key_of_set(MPLAN_KIND_LAYER_MASK, bound->loop->set),
                                  MPLAN_TYPE_I32, &mask, NULL, err);
        call->mask = mask;
        call->mask_words = (set->layers + 31) / 32;
    }
    if (status || bound->exec->executor == MPLAN_EXECUTOR_SERIAL)
        return status;
    if (mplan_strategy_has(strategy, MPLAN_TRAIT_BLOCKS))
        status = mplan_layers_fill_blocks(bound, err);
    if (!status && mplan_strategy_has(strategy, MPLAN_TRAIT_OWNERS))
        status = mplan_layers_fill_owner(bound, err);
    if (mplan_strategy_has(strategy, MPLAN_TRAIT_SLOT_LISTS))
        status = fill_scratch(bound, err);
    if (status || bound->exec->executor != MPLAN_EXECUTOR_CUDA)
        return status;
    if (mplan_strategy_has(strategy, MPLAN_TRAIT_SLOT_LISTS))
        status = mplan_layers_fill_lists(bound, err);
    return status ? status : fill_starts(bound, err);
}

/* Ranges of a plan that nobody verified may lead anywhere; of a mask only bits within them are read. */
static mplan_status check_ranges(const mplan_exec_loop *bound, mplan_error *err)
{
    const mplan_plan_set *set = mplan_plan_get_set(bound->exec->plan, bound->loop->set);
    int64_t rows = 0;
    if (!set->layers_ranged)
        return MPLAN_OK;
    const int32_t *ranges = mplan_plan_data(bound->exec->plan,
                                            mplan_key_of_set(MPLAN_KIND_LAYER_RANGES,
                                                             bound->loop->set),
                                            MPLAN_TYPE_I32, &rows);
    bool good = ranges && rows == set->storage_size;
    for (int64_t i = 0; i < rows && good; i++)
        good = ranges[2 * i] >= 0 && ranges[2 * i] <= ranges[2 * i + 1] &&
               ranges[2 * i + 1] <= set->layers;
    return good ? MPLAN_OK
                : mplan_fail(err, MPLAN_ERR_CORRUPT, "layers of set %s are out of range", set->name);
}

/* --- binding ------------------------------------------------------------------------------------ */

/* Nothing of the plan is trusted before check_ranges. */
static mplan_status bind(mplan_exec_loop *made, mplan_error *err)
{
    mplan_status status = made->exec->visit ? mplan_exec_visit_loop(made, err) : MPLAN_OK;
    if (!status)
        status = compare_kernel(made, err);
    if (!status)
        status = check_ranges(made, err);
    if (!status)
        status = mplan_exec_fill_call(made, err);
    if (!status)
        status = fill_call(made, err);
    if (!status && made->exec->executor != MPLAN_EXECUTOR_CUDA)
        status = mplan_host_prepare_layers(made, err);
    return status;
}

/* variant: -1 for the default. */
mplan_status mplan_exec_bind_layers(mplan_exec *exec, const char *loop, int32_t variant,
                                    const mplan_layer_kernel *kernel, mplan_exec_loop **bound,
                                    mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(loop);
    MPLAN_NEED(kernel);
    MPLAN_NEED(bound);
    if (exec->parts)
        return exec->calls->bind_layers(exec, loop, variant, kernel, bound, err);
    int32_t l = 0;
    while (l < exec->plan->n_loops && strcmp(exec->plan->loops[l].name, loop) != 0)
        l++;
    if (l == exec->plan->n_loops)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan has no loop %s", loop);
    const mplan_plan_loop *record = &exec->plan->loops[l];
    const int32_t v = variant == -1 ? record->default_variant : variant;
    if (v < 0 || v >= record->n_variants)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "loop %s has variants 0 to %d, not %d", loop,
                          (int)record->n_variants - 1, (int)variant);
    mplan_status status = mplan_exec_use(exec, err);
    if (status)
        return status;
    mplan_exec_loop *made = mplan_alloc_zero(1, sizeof *made, err);
    mplan_layers_bound *own = made ? mplan_alloc_zero(1, sizeof *own, err) : NULL;
    if (!own) {
        free(made);
        return MPLAN_ERR_MEMORY;
    }
    *own = (mplan_layers_bound){.kernel = kernel};
    made->exec = exec;
    made->loop = record;
    made->chosen = &record->variants[v];
    made->l = l;
    made->v = v;
    made->layers = own;
    make_shell(made);
    status = bind(made, err);
    if (status) {
        mplan_exec_unbind(made);
        return status;
    }
    made->next = exec->loops;
    exec->loops = made;
    *bound = made;
    return MPLAN_OK;
}
