/* SPDX-License-Identifier: Apache-2.0 */
/* host_layer_columns.c - columns of loops with layers on the host: which layers are there, running them, adding to a level */
#include <assert.h>

#include "exec/host/host.h"
#include "exec/dat_levels.h"

/* Layers of a column; a hole has none. */
void mplan_host_layers_of(const mplan_layers_call *call, int64_t e, int32_t *begin, int32_t *end)
{
    assert(call && begin && end);
    *begin = call->ranges ? call->ranges[2 * e] : 0;
    *end = call->ranges ? call->ranges[2 * e + 1] : call->layers;
    if (call->old_of_new && call->old_of_new[e] < 0)
        *end = *begin;
}

/* Whether layer k, one of the column, is there. */
bool mplan_host_is_there(const mplan_layers_call *call, int64_t e, int32_t k)
{
    assert(call);
    return !call->mask || (call->mask[e * call->mask_words + k / 32] >> (k % 32) & 1);
}

/* Layers [begin, end) of a column that begins with `bottom`; out as the kernel takes it for the whole column. */
static void run_layers(const mplan_exec_loop *bound, int64_t e, int32_t bottom, int32_t begin,
                       int32_t end, void *const *out)
{
    void *own[MPLAN_LAYER_ARGS] = {NULL};
    for (int32_t a = 0; out && a < bound->loop->n_args; a++)
        if (out[a])
            own[a] = (char *)out[a] + (int64_t)(begin - bottom) *
                                          bound->loop->args[a].layers.n_slots *
                                          mplan_host_member_bytes(bound, a);
    bound->layers->kernel->run(&bound->layers->call, e, begin, end, out ? own : NULL);
}

/* A whole column, its increments added at once; with a mask those of its layers that are there, run by run. */
void mplan_host_run_column(const mplan_exec_loop *bound, int64_t e, void *const *out)
{
    assert(bound && bound->layers && e >= 0);
    const mplan_layers_call *call = &bound->layers->call;
    int32_t bottom, top;
    mplan_host_layers_of(call, e, &bottom, &top);
    if (call->old_of_new && call->old_of_new[e] < 0)
        return;
    if (!call->mask) {
        bound->layers->kernel->run(call, e, bottom, top, out);
        return;
    }
    for (int32_t begin = bottom, end; begin < top; begin = end) {
        const bool there = mplan_host_is_there(call, e, begin);
        for (end = begin + 1; end < top && mplan_host_is_there(call, e, end) == there; end++)
            ;
        if (there)
            run_layers(bound, e, bottom, begin, end, out);
    }
}

/* Adds one member of an arg to level j of point p. */
void mplan_host_add_level(const mplan_exec_loop *bound, int32_t a, int64_t p, int64_t j,
                          const void *from, bool atomic)
{
    assert(bound && bound->layers && from);
    const mplan_plan_arg *about = &bound->loop->args[a];
    const mplan_layer_data *arg = &bound->layers->args[a];
    char *to = (char *)arg->data +
               (size_t)(p * arg->column + j * arg->level) * mplan_type_size(about->type);
    if (atomic)
        mplan_host_add_atomic(about, to, arg->component, from);
    else
        mplan_host_add(about, to, arg->component, from);
}

/* Whether layer k of element e leads by slot s to level j; *k. */
bool mplan_host_layer_at(const mplan_layers_call *call, const mplan_layer_data *arg, int64_t e,
                         int32_t s, int64_t j, int32_t *k)
{
    assert(call && arg && k);
    const int64_t up = j - arg->offset[s];
    int32_t bottom, top;
    mplan_host_layers_of(call, e, &bottom, &top);
    *k = (int32_t)(up / arg->stride);
    return up >= 0 && up % arg->stride == 0 && *k >= bottom && *k < top &&
           mplan_host_is_there(call, e, *k);
}
