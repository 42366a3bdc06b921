/* SPDX-License-Identifier: Apache-2.0 */
/* bind_layer_lists.c - what leads to the points of a loop with layers, as kernels on a device read it
 *
 * Lists of owner-gather and two-step by point, and for owner-gather what spares threads work: the levels that may get
 * something, and for loops that load little the points on the other side of each word. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/dat_levels.h"

/* Copies an array to the device; *copy is released with the loop. */
mplan_status mplan_layers_copy_out(mplan_exec_loop *bound, const void *from, int64_t n, size_t size,
                                   void **copy, mplan_error *err)
{
    assert(bound && (from || n == 0) && n >= 0 && copy);
    mplan_status status = mplan_exec_allocate(bound->exec, n + 1, size, copy, err);
    return status || n == 0 ? status : mplan_gpu_upload(*copy, from, n * (int64_t)size, err);
}

/* Points of a part that need no halo, and those that it owns, of n; all are its own without parts. */
static void find_borders(mplan_exec_loop *bound, int64_t n)
{
    mplan_layers_bound *own = bound->layers;
    const mplan_plan_arg *arg = &bound->loop->args[own->call.first_increment];
    const int32_t set = mplan_plan_get_map(bound->exec->plan, arg->map)->to;
    const mplan_part_set *part = &mplan_plan_get_set(bound->exec->plan, set)->part;
    own->inner_points = part->inner < n ? part->inner : n;
    own->owned_points = part->parts > 0 && part->owned < n ? part->owned : n;
}

/* The levels of all spans one behind the other, so that no thread has nothing to do; for as many points as launches have. */
static mplan_status fill_packed(mplan_exec_loop *bound, const int32_t *spans, mplan_error *err)
{
    mplan_layers_bound *own = bound->layers;
    const int64_t n = own->call.n_points < own->lists.n_points ? own->call.n_points
                                                               : own->lists.n_points;
    if (n * own->call.levels > INT32_MAX)
        return MPLAN_OK;
    int32_t total = 0;
    for (int64_t p = 0; p < n; p++)
        total += spans[2 * p + 1] - spans[2 * p];
    const int64_t warps = (total + INT64_C(31)) / 32;
    int32_t *packed = mplan_alloc_zero(2 * (n + 1), sizeof *packed, err);
    int32_t *first = packed ? mplan_alloc_zero(warps, sizeof *first, err) : NULL;
    mplan_status status = first ? MPLAN_OK : MPLAN_ERR_MEMORY;
    total = 0;
    find_borders(bound, n);
    for (int64_t p = 0; p < n && !status; p++) {
        if (p == own->inner_points)
            own->inner_packed = total;
        if (p == own->owned_points)
            own->owned_packed = total;
        packed[2 * p] = total;
        packed[2 * p + 1] = spans[2 * p];
        total += spans[2 * p + 1] - spans[2 * p];
        for (int64_t w = (packed[2 * p] + INT64_C(31)) / 32; w * 32 < total; w++)
            first[w] = (int32_t)p;
        packed[2 * p + 2] = total;
    }
    if (own->inner_points == n)
        own->inner_packed = total;
    if (own->owned_points == n)
        own->owned_packed = total;
    if (!status)
        status = mplan_layers_copy_out(bound, packed, 2 * (n + 1), sizeof *packed,
                                       &own->device_packed, err);
    if (!status)
        status = mplan_layers_copy_out(bound, first, warps, sizeof *first,
                                       &own->device_packed_first, err);
    own->call.packed = own->device_packed;
    own->call.packed_first = own->device_packed_first;
    own->call.n_packed = total;
    free(packed);
    free(first);
    return status;
}

/* Of each point the levels from the lowest to the highest that one of its words has a layer for: the threads of all others
 * have nothing to do. On the device, for columns of different height. */
static mplan_status fill_spans(mplan_exec_loop *bound, mplan_error *err)
{
    mplan_layers_bound *own = bound->layers;
    const mplan_owner_lists *lists = &own->lists;
    const mplan_layer_data *arg = &own->args[own->call.first_increment];
    const int32_t *ranges = mplan_plan_data(bound->exec->plan,
                                            mplan_key_of_set(MPLAN_KIND_LAYER_RANGES,
                                                             bound->loop->set),
                                            MPLAN_TYPE_I32, NULL);
    int32_t *spans = mplan_alloc_zero(2 * lists->n_points, sizeof *spans, err);
    if (!spans)
        return MPLAN_ERR_MEMORY;
    for (int64_t p = 0; p < lists->n_points; p++)
        for (int32_t i = lists->start[p]; i < lists->start[p + 1]; i++) {
            const uint32_t e = lists->word[i] >> lists->bits;
            const uint32_t s = lists->word[i] & ((UINT32_C(1) << lists->bits) - 1);
            const int32_t low = arg->offset[s] + arg->stride * ranges[2 * e],
                          high = arg->offset[s] + arg->stride * (ranges[2 * e + 1] - 1) + 1;
            if (ranges[2 * e] == ranges[2 * e + 1])
                continue;
            if (spans[2 * p + 1] == 0 || low < spans[2 * p])
                spans[2 * p] = low;
            if (high > spans[2 * p + 1])
                spans[2 * p + 1] = high;
        }
    mplan_status status = mplan_layers_copy_out(bound, spans, 2 * lists->n_points, sizeof *spans,
                                                &own->device_spans, err);
    own->call.spans = own->device_spans;
    if (!status && !own->call.points_fastest)
        status = fill_packed(bound, spans, err);
    free(spans);
    return status;
}

/* Whether level j of each point gets something from layer j only, and what is read through the map of the first increment in
 * as many slots is read as it is written. */
static bool is_light(const mplan_exec_loop *bound)
{
    const mplan_layers_bound *own = bound->layers;
    const int32_t first = own->call.first_increment;
    const mplan_plan_arg *to = &bound->loop->args[first];
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        const mplan_plan_arg *arg = &bound->loop->args[a];
        const bool like = arg->map == to->map && arg->layers.n_slots == to->layers.n_slots;
        if (arg->map < 0 || !arg->layers.levels)
            continue;
        if (arg->layers.stride != 1 || own->args[a].numbers == 0 ||
            arg->layers.levels < to->layers.levels)
            return false;
        for (int32_t s = 0; s < arg->layers.n_slots; s++)
            if (own->args[a].offset[s] != 0 || (like && own->args[a].of[s] != own->args[first].of[s]))
                return false;
    }
    return true;
}

/* The rows that kernels of light loops read in place of words. */
static mplan_status fill_light(mplan_exec_loop *bound, mplan_error *err)
{
    mplan_layers_bound *own = bound->layers;
    const mplan_owner_lists *lists = &own->lists;
    const int32_t first = own->call.first_increment, slots = bound->loop->args[first].layers.n_slots;
    const mplan_map map = mplan_plan_stored_map(bound->exec->plan, bound->loop->args[first].map);
    const int64_t n = lists->start[lists->n_points];
    int32_t *rows = mplan_alloc(n * slots, sizeof *rows, err);
    if (!rows)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        const int64_t e = lists->word[i] >> lists->bits;
        const int32_t slot = (int32_t)(lists->word[i] & ((UINT32_C(1) << lists->bits) - 1));
        int32_t *row = rows + i * slots;
        memcpy(row++, &lists->word[i], sizeof *row);
        for (int32_t s = 0; s < slots; s++)
            if (s != slot)
                *row++ = map.values[e * map.arity + own->args[first].of[s]];
    }
    mplan_status status = mplan_layers_copy_out(bound, rows, n * slots, sizeof *rows,
                                                &own->device_light, err);
    own->call.light = own->device_light;
    free(rows);
    return status;
}

/* The words of owner-gather, on the device as well where that runs the loop. */
mplan_status mplan_layers_fill_owner(mplan_exec_loop *bound, mplan_error *err)
{
    assert(bound && bound->layers && bound->layers->call.first_increment >= 0);
    mplan_layers_bound *own = bound->layers;
    mplan_owner_lists *lists = &own->lists;
    mplan_status status = mplan_owner_lists_of(bound->exec->plan, bound->l, bound->v, lists, err);
    if (status)
        return status;
    own->call.owner_start = lists->start;
    own->call.owner = lists->word;
    own->call.list_bits = lists->bits;
    own->call.longest = lists->longest;
    if (bound->exec->executor != MPLAN_EXECUTOR_CUDA)
        return MPLAN_OK;
    status = mplan_layers_copy_out(bound, lists->start, lists->n_points + 1, sizeof *lists->start,
                                   &own->device_start, err);
    if (!status)
        status = mplan_layers_copy_out(bound, lists->word, lists->start[lists->n_points],
                                       sizeof *lists->word, &own->device_word, err);
    own->call.owner_start = own->device_start;
    own->call.owner = own->device_word;
    if (!status && own->call.ranges)
        status = fill_spans(bound, err);
    return status || !is_light(bound) ? status : fill_light(bound, err);
}

/* The words of two-step's second pass, per increment; only the device reads them. */
mplan_status mplan_layers_fill_lists(mplan_exec_loop *bound, mplan_error *err)
{
    assert(bound && bound->layers);
    mplan_layers_bound *own = bound->layers;
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < bound->loop->n_args && !status; a++) {
        mplan_layer_data *arg = &own->args[a];
        mplan_owner_lists lists = {0};
        if (!mplan_exec_increments(bound->loop, a))
            continue;
        status = mplan_gather_lists_of(bound->exec->plan, bound->l, bound->v, a, &lists, err);
        if (!status)
            status = mplan_layers_copy_out(bound, lists.start, lists.n_points + 1,
                                           sizeof *lists.start, &own->list_start[a], err);
        if (!status)
            status = mplan_layers_copy_out(bound, lists.word, lists.start[lists.n_points],
                                           sizeof *lists.word, &own->list[a], err);
        arg->list_start = own->list_start[a];
        arg->list = own->list[a];
        own->call.list_bits = lists.bits;
        mplan_owner_lists_free(&lists);
    }
    return status;
}
