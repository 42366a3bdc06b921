/* SPDX-License-Identifier: Apache-2.0 */
/* function_layers.c - loops with layers for languages that have no macros: a function of one layer or column, on the host
 *
 * What the macros of meshplan_layers.h compile into a kernel is done here at run time, from the args of the plan's
 * loop. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/function_kernel.h"

/* Numbers that the views of a layer, or of a column, hold: 128 KiB of a stack of 2 MiB. */
enum { NUMBERS = 16384 };

/* One layer of an element, or its column. */
typedef struct place {
    const mplan_layers_call *call;
    int64_t e;
    int32_t k;
} place;

/* Component c of level j of the member at place p. */
static double *number_at(const mplan_layer_data *arg, int64_t p, int64_t j, int32_t c)
{
    return (double *)arg->data + p * arg->column + j * arg->level + c * arg->component;
}

/* Point of slot s, -1 for none; the element itself where the arg has no map. */
static int64_t point_of(const mplan_layer_data *arg, const place *at, int32_t s)
{
    return arg->rows ? (int64_t)arg->rows[at->e * arg->arity + arg->of[s]] : at->e;
}

/* Where number c of row r of the matrix is, NULL where nobody reads it. */
static const double *matrix_at(const mplan_layer_arg *about, const mplan_layer_data *arg,
                               const place *at, int32_t r, int32_t c)
{
    const mplan_layers_call *call = at->call;
    const mplan_layer_data *inc = &call->arg[call->first_increment];
    if (!arg->entry)
        return number_at(arg, at->e, arg->offset[0] + (int64_t)arg->stride * at->k,
                         c * about->rows + r);
    const int32_t entry = arg->entry[at->e * about->rows + r];
    const int64_t t = inc->rows[at->e * inc->arity + inc->of[r]] * (int64_t)call->levels +
                      inc->offset[r] + (int64_t)inc->stride * at->k;
    const int32_t columns = about->dim / about->rows;
    return entry < 0 ? NULL
                     : (const double *)arg->data +
                           ((t / 32 * arg->width + entry) * columns + c) * 32 + t % 32;
}

/* One layer: the view of an arg, slots x dim numbers. */
static void load(const mplan_layer_arg *about, const mplan_layer_data *arg, const place *at,
                 double *view)
{
    const bool reads = about->access == MPLAN_READ || about->access == MPLAN_RW;
    const bool levels = about->kind == MPLAN_LAYER_LEVELS || about->kind == MPLAN_LAYER_COLUMN;
    if (about->kind == MPLAN_LAYER_MATRIX) {
        for (int32_t c = 0; c < about->dim; c++) {
            const double *from = matrix_at(about, arg, at, c % about->rows, c / about->rows);
            view[c] = from ? *from : 0;
        }
        return;
    }
    for (int32_t s = 0; s < about->slots; s++) {
        const int64_t p = about->kind == MPLAN_LAYER_VALUE  ? 0
                          : about->kind == MPLAN_LAYER_FLAT ? arg->rows[at->e * about->slots + s]
                                                            : point_of(arg, at, s);
        const int64_t j = levels ? arg->offset[s] + (int64_t)arg->stride * at->k : 0;
        for (int32_t c = 0; c < about->dim; c++)
            view[s * about->dim + c] = reads && p >= 0 ? *number_at(arg, p, j, c) : 0;
    }
}

/* One layer: what the function left in the view. out: of the arg, of layers from `begin` on; NULL: to the dat. */
static void store(const mplan_layer_arg *about, const mplan_layer_data *arg, const place *at,
                  int32_t begin, const double *view, double *out)
{
    const int32_t n = about->slots * about->dim;
    if (about->access == MPLAN_READ)
        return;
    if (about->kind == MPLAN_LAYER_LEVELS && out) {
        memcpy(out + (int64_t)(at->k - begin) * n, view, (size_t)n * sizeof *view);
        return;
    }
    for (int32_t s = 0; s < about->slots; s++) {
        const int64_t p = point_of(arg, at, s);
        for (int32_t c = 0; c < about->dim && p >= 0; c++) {
            double *to = number_at(arg, p, arg->offset[s] + (int64_t)arg->stride * at->k, c);
            *to = about->access == MPLAN_INC ? *to + view[s * about->dim + c]
                                             : view[s * about->dim + c];
        }
    }
}

/* Columns: all levels of the arg's points, in (also of what is only written: levels beyond the column stay) or out. */
static void move_column(const mplan_layer_arg *about, const mplan_layer_data *arg, const place *at,
                        int32_t levels, double *view, bool in)
{
    for (int32_t s = 0; s < about->slots; s++) {
        const int64_t p = about->kind == MPLAN_LAYER_VALUE  ? 0
                          : about->kind == MPLAN_LAYER_FLAT ? arg->rows[at->e * about->slots + s]
                                                            : point_of(arg, at, s);
        for (int32_t j = 0; j < levels; j++)
            for (int32_t c = 0; c < about->dim; c++) {
                double *number = &view[((int64_t)s * levels + j) * about->dim + c];
                if (in)
                    *number = p >= 0 ? *number_at(arg, p, j, c) : 0;
                else if (p >= 0)
                    *number_at(arg, p, j, c) = *number;
            }
    }
}

/* Levels of an arg's view of columns: those of its dat; 1 where it has none. */
static int32_t levels_of(const mplan_function_kernel *own, int32_t a)
{
    return own->layer_levels[a] ? own->layer_levels[a] : 1;
}

/* Layers [begin, end) of element e by one call of the function. */
static void run_column(const mplan_layers_call *call, int64_t e, int32_t begin, int32_t end,
                       const mplan_function_parameters *given)
{
    const mplan_function_kernel *own = given->own;
    const place at = {call, e, begin};
    double room[NUMBERS], *next = room;
    void *views[MPLAN_LAYER_ARGS];
    const int32_t layer[3] = {begin, begin, end};
    for (int32_t a = 0; a < own->layer_kernel.n_args; a++) {
        views[a] = next;
        move_column(&own->layer_args[a], &call->arg[a], &at, levels_of(own, a), next, true);
        next += own->layer_args[a].slots * own->layer_args[a].dim * levels_of(own, a);
    }
    own->layer_function(views, layer, given->user);
    for (int32_t a = 0; a < own->layer_kernel.n_args; a++)
        if (own->layer_args[a].access != MPLAN_READ)
            move_column(&own->layer_args[a], &call->arg[a], &at, levels_of(own, a), views[a], false);
}

/* Layers [begin, end) of element e, as mplan_layer_kernel says. */
static void run(const mplan_layers_call *call, int64_t e, int32_t begin, int32_t end, void *const *out)
{
    mplan_function_parameters given;
    memcpy(&given, call->parameters, sizeof given);
    const mplan_function_kernel *own = given.own;
    if (own->layer_kernel.layering == MPLAN_LAYERING_COLUMNS) {
        run_column(call, e, begin, end, &given);
        return;
    }
    double room[NUMBERS];
    void *views[MPLAN_LAYER_ARGS];
    const int32_t bottom = call->ranges ? call->ranges[2 * e] : 0;
    const int32_t top = call->ranges ? call->ranges[2 * e + 1] : call->layers;
    for (int32_t k = begin; k < end; k++) {
        const place at = {call, e, k};
        const int32_t layer[3] = {k, bottom, top};
        double *next = room;
        for (int32_t a = 0; a < own->layer_kernel.n_args; a++) {
            views[a] = next;
            load(&own->layer_args[a], &call->arg[a], &at, next);
            next += own->layer_args[a].slots * own->layer_args[a].dim;
        }
        own->layer_function(views, layer, given.user);
        for (int32_t a = 0; a < own->layer_kernel.n_args; a++)
            store(&own->layer_args[a], &call->arg[a], &at, begin, views[a], out ? out[a] : NULL);
    }
}

/* --- binding -------------------------------------------------------------------------------- */

/* Arg a of the loop as a kernel has it; *numbers: of its view. */
static mplan_status describe_arg(const mplan_plan *plan, const mplan_plan_loop *loop, int32_t a,
                                 mplan_layer_arg *out, int64_t *numbers, mplan_error *err)
{
    const mplan_plan_arg *arg = &loop->args[a];
    const mplan_plan_map *map = arg->map >= 0 ? mplan_plan_get_map(plan, arg->map) : NULL;
    const int32_t levels = arg->layers.levels;
    const bool columns = loop->layering == MPLAN_LAYERING_COLUMNS;
    const bool known = arg->access == MPLAN_READ || arg->access == MPLAN_INC ||
                       (!map && (arg->access == MPLAN_WRITE || arg->access == MPLAN_RW));
    if (!known || arg->type != MPLAN_TYPE_F64 || (columns && arg->access == MPLAN_INC))
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "loop %s, arg %s: functions of layers take args of f64 that are read, written or "
                          "incremented, of columns that are read or written",
                          loop->name, arg->dat);
    const mplan_layer_kind kind = arg->map == MPLAN_MAP_GLOBAL ? MPLAN_LAYER_VALUE
                                  : map && levels              ? MPLAN_LAYER_LEVELS
                                  : map                        ? MPLAN_LAYER_FLAT
                                  : !levels                    ? MPLAN_LAYER_OWN
                                  : arg->layers.rows           ? MPLAN_LAYER_MATRIX
                                                               : MPLAN_LAYER_COLUMN;
    *out = (mplan_layer_arg){.kind = kind,
                             .dat = arg->dat,
                             .map = map ? map->name : "",
                             .slots = levels ? arg->layers.n_slots
                                      : map  ? map->arity
                                             : 1,
                             .dim = arg->dim,
                             .rows = arg->layers.rows,
                             .type = arg->type,
                             .access = arg->access};
    *numbers += out->slots * (int64_t)out->dim * (columns && levels ? levels : 1);
    return MPLAN_OK;
}

/* A kernel of the plan's own loop; the caller's. */
static mplan_status make_kernel(const mplan_plan *plan, const mplan_plan_loop *loop,
                                mplan_layer_function *function, mplan_function_kernel **out,
                                mplan_error *err)
{
    int64_t numbers = 0;
    mplan_status status = MPLAN_OK;
    mplan_function_kernel *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    if (loop->n_args > MPLAN_LAYER_ARGS || !loop->layering)
        status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "loop %s has no layers, or more than %d args",
                            loop->name, MPLAN_LAYER_ARGS);
    for (int32_t a = 0; a < loop->n_args && !status; a++) {
        made->layer_levels[a] = loop->args[a].layers.levels;
        status = describe_arg(plan, loop, a, &made->layer_args[a], &numbers, err);
    }
    if (!status && numbers > NUMBERS)
        status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                            "loop %s: the views have %lld numbers; functions take at most %d",
                            loop->name, (long long)numbers, NUMBERS);
    made->layer_function = function;
    made->layer_kernel = (mplan_layer_kernel){.name = loop->name,
                                              .layering = loop->layering,
                                              .n_args = loop->n_args,
                                              .args = made->layer_args,
                                              .parameter_bytes = sizeof(mplan_function_parameters),
                                              .run = run};
    if (status)
        free(made);
    else
        *out = made;
    return status;
}

/* The kernel belongs to `exec`, as those of mplan_exec_bind_function. Loops, args and levels are the same in all parts of a
 * bundle: the plan of an executor of parts is that of its first one, of which the kernel for all of them is made. */
mplan_status mplan_exec_bind_layer_function(mplan_exec *exec, const char *loop, int32_t variant,
                                            mplan_layer_function *function, mplan_exec_loop **bound,
                                            mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(loop);
    MPLAN_NEED(function);
    MPLAN_NEED(bound);
    int32_t l = 0;
    while (l < exec->plan->n_loops && strcmp(exec->plan->loops[l].name, loop) != 0)
        l++;
    if (l == exec->plan->n_loops)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan has no loop %s", loop);
    if (exec->executor == MPLAN_EXECUTOR_CUDA)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "loop %s: functions run on the host only",
                          loop);
    mplan_function_kernel *made;
    mplan_status status = make_kernel(exec->plan, mplan_plan_get_loop(exec->plan, l), function,
                                      &made, err);
    if (status)
        return status;
    status = mplan_exec_bind_layers(exec, loop, variant, &made->layer_kernel, bound, err);
    mplan_exec_keep_function(exec, made, !status);
    return status;
}
