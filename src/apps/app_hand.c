/* SPDX-License-Identifier: Apache-2.0 */
/* app_hand.c - cases whose results were worked out by hand
 *
 * They pin down the arithmetic of the kernels: all other checks compare a kernel
 * with itself. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "apps/layers_app.h"
#include "apps/app.h"

static double get(const void *data, mplan_type type, int64_t i)
{
    return type == MPLAN_TYPE_F64   ? ((const double *)data)[i]
           : type == MPLAN_TYPE_F32 ? ((const float *)data)[i]
                                    : ((const int32_t *)data)[i];
}

/* Place i of rows of the type. Only these three types are among the args of applications. */
static void put(void *data, mplan_type type, int64_t i, double value)
{
    if (type == MPLAN_TYPE_F64)
        ((double *)data)[i] = value;
    else if (type == MPLAN_TYPE_F32)
        ((float *)data)[i] = (float)value;
    else
        ((int32_t *)data)[i] = (int32_t)value;
}

/* Values that the example gives, NaN where the kernel must write. */
static void *fill(const mplan_app_hand_arg *hand, const mplan_kernel_arg *arg, mplan_error *err)
{
    int64_t n = hand->members * arg->dim;
    void *data = mplan_alloc(n, mplan_type_size(arg->type), err);
    for (int64_t i = 0; data && i < n; i++)
        put(data, arg->type, i,
            hand->before                 ? hand->before[i]
            : arg->access == MPLAN_WRITE ? (double)NAN
                                         : 0);
    return data;
}

/* Within rounding of the largest value. */
static mplan_status compare(const mplan_kernel *kernel, int32_t a, const mplan_app_hand_arg *hand,
                            const void *data, mplan_error *err)
{
    const mplan_kernel_arg *arg = &kernel->args[a];
    double largest = 0;
    for (int64_t i = 0; i < hand->members * arg->dim; i++)
        largest = fmax(largest, fabs(hand->after[i]));
    double allowed = largest * (arg->type == MPLAN_TYPE_F32 ? 1e-6 : 1e-14);
    for (int64_t i = 0; i < hand->members * arg->dim; i++) {
        double is = get(data, arg->type, i);
        if (!(fabs(is - hand->after[i]) <= allowed))
            return mplan_fail(err, MPLAN_ERR_INTERNAL,
                              "%s: number %d of member %lld of %s is %.17g, the hand-written "
                              "loop gives %.17g",
                              kernel->name, (int)(i % arg->dim), (long long)(i / arg->dim),
                              arg->dat, is, hand->after[i]);
    }
    return MPLAN_OK;
}

/* One element calculated by hand, against the kernel's function. */
mplan_status mplan_app_check_hand(const mplan_app *app, mplan_error *err)
{
    const mplan_app_hand *hand = app->hand;
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; app->layered && l < app->n_loops && !status; l++)
        status = app->layered[l].hand ? app->layered[l].hand(app, err) : MPLAN_OK;
    if (app->layered)
        return status;
    const mplan_kernel *kernel = app->loops[hand->loop].host;
    mplan_host_call call = {.parameters = hand->parameters, .mode = MPLAN_HOST_ADD};
    for (int32_t a = 0; a < kernel->n_args && !status; a++) {
        call.arg[a].data = fill(&hand->args[a], &kernel->args[a], err);
        call.arg[a].member_stride = kernel->args[a].dim;
        call.arg[a].component_stride = 1;
        call.arg[a].rows = hand->args[a].rows;
        call.arg[a].row_offsets = kernel->args[a].ragged ? app->hand_rows : NULL;
        if (!call.arg[a].data)
            status = MPLAN_ERR_MEMORY;
    }
    if (!status)
        kernel->run(&call, 0, hand->n_elements);
    for (int32_t a = 0; a < kernel->n_args && !status; a++)
        if (hand->args[a].after)
            status = compare(kernel, a, &hand->args[a], call.arg[a].data, err);
    for (int32_t a = 0; a < kernel->n_args; a++)
        free(call.arg[a].data);
    return status;
}
