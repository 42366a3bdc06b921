/* SPDX-License-Identifier: Apache-2.0 */
/* function_kernel.c - kernels of languages that have no macros: a function of one element, on the host
 *
 * What the macros of meshplan_kernel.h compile into a kernel is done here at run time, from the args of the
 * plan's loop: views are filled, the function is called, and what it left in them is stored or added. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/function_kernel.h"

/* Numbers that the views of an element hold. */
enum { NUMBERS = 512 };

/* One element of a call. */
typedef struct element {
    const mplan_host_call *call;
    int64_t i, e, row;
} element;

/* Component c of the member at place p, in whatever layout the dat has. */
static double *number_of(const mplan_host_arg *arg, int64_t p, int32_t c)
{
    return (double *)arg->data + p * arg->member_stride + c * arg->component_stride;
}

/* view: arity rows of dim numbers. Increments and writes begin with 0, and so do slots without a point (-1). */
static void load(const mplan_kernel_arg *about, const mplan_host_arg *arg, const element *of,
                 double *view)
{
    const bool reads = about->access == MPLAN_READ || about->access == MPLAN_RW;
    for (int32_t s = 0; s < about->arity; s++) {
        const int64_t p = arg->rows ? arg->rows[of->row * about->arity + s] : of->e;
        for (int32_t c = 0; c < about->dim; c++)
            view[s * about->dim + c] = reads && p >= 0 ? *number_of(arg, p, c) : 0;
    }
}

/* keep_direct: a strategy that runs an element twice stores its own dats once. */
static void store_direct(const mplan_kernel_arg *about, const mplan_host_arg *arg,
                         const element *of, const double *view)
{
    for (int32_t c = 0; c < about->dim && !of->call->keep_direct; c++) {
        double *to = number_of(arg, of->e, c);
        *to = about->access == MPLAN_INC ? *to + view[c] : view[c];
    }
}

/* view: the element's increments, arity rows of dim numbers. MPLAN_HOST_STORE keeps them at
 * place i for two-step; else they are added to the points, and slots without a point (-1) are
 * dropped. */
static void add_mapped(const mplan_kernel_arg *about, const mplan_host_arg *arg, const element *of,
                       const double *view)
{
    const int64_t n = about->arity * (int64_t)about->dim;
    if (of->call->mode == MPLAN_HOST_STORE) {
        memcpy((double *)arg->out + of->i * n, view, (size_t)n * sizeof *view);
        return;
    }
    for (int32_t s = 0; s < about->arity; s++) {
        const int64_t p = arg->rows[of->row * about->arity + s];
        for (int32_t c = 0; c < about->dim && p >= 0; c++)
            *number_of(arg, p, c) += view[s * about->dim + c];
    }
}

/* Iterations [begin, end), as the kernels of meshplan_kernel.h. */
static void run(const mplan_host_call *call, int64_t begin, int64_t end)
{
    mplan_function_parameters given;
    double room[NUMBERS];
    void *views[MPLAN_MAX_ARGS];
    memcpy(&given, call->parameters, sizeof given);
    const mplan_function_kernel *own = given.own;
    for (int64_t i = begin; i < end; i++) {
        const int64_t e = call->elements ? call->elements[i] : call->first + i;
        const element of = {call, i, e, call->rows_by_iteration ? i : e};
        double *at = room;
        if (call->old_of_new && call->old_of_new[e] < 0)
            continue;
        for (int32_t a = 0; a < own->kernel.n_args; a++) {
            views[a] = at;
            load(&own->args[a], &call->arg[a], &of, at);
            at += own->args[a].arity * own->args[a].dim;
        }
        own->function(views, given.user);
        for (int32_t a = 0; a < own->kernel.n_args; a++)
            if (own->args[a].access != MPLAN_READ && own->args[a].map[0])
                add_mapped(&own->args[a], &call->arg[a], &of, views[a]);
            else if (own->args[a].access != MPLAN_READ)
                store_direct(&own->args[a], &call->arg[a], &of, views[a]);
    }
}

/* Arg a of the loop as a kernel has it; *numbers: of its view. */
static mplan_status describe_arg(const mplan_plan *plan, const mplan_plan_loop *loop, int32_t a,
                                 mplan_kernel_arg *out, int64_t *numbers, mplan_error *err)
{
    const mplan_plan_arg *arg = &loop->args[a];
    const mplan_plan_map *map = arg->map >= 0 ? mplan_plan_get_map(plan, arg->map) : NULL;
    const bool known = arg->access == MPLAN_READ || arg->access == MPLAN_INC ||
                       (!map && (arg->access == MPLAN_WRITE || arg->access == MPLAN_RW));
    if (arg->map < -1 || (map && map->arity == 0) || !known || arg->type != MPLAN_TYPE_F64)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "loop %s, arg %s: functions take args of f64, read or increments through maps of an "
                          "arity, or direct",
                          loop->name, arg->dat);
    *out = (mplan_kernel_arg){.dat = arg->dat,
                              .map = map ? map->name : "",
                              .arity = map ? map->arity : 1,
                              .dim = arg->dim,
                              .type = arg->type,
                              .access = arg->access};
    *numbers += out->arity * (int64_t)out->dim;
    return MPLAN_OK;
}

/* A kernel of the plan's own loop; the caller's. */
static mplan_status make_kernel(const mplan_plan *plan, const mplan_plan_loop *loop,
                                mplan_element_function *function, mplan_function_kernel **out,
                                mplan_error *err)
{
    int64_t numbers = 0;
    mplan_status status = MPLAN_OK;
    mplan_function_kernel *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    if (loop->n_args > MPLAN_MAX_ARGS)
        status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "loop %s has more than %d args", loop->name,
                            MPLAN_MAX_ARGS);
    for (int32_t a = 0; a < loop->n_args && !status; a++)
        status = describe_arg(plan, loop, a, &made->args[a], &numbers, err);
    if (!status && numbers > NUMBERS)
        status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                            "loop %s: an element has %lld numbers; functions take at most %d",
                            loop->name, (long long)numbers, NUMBERS);
    made->function = function;
    made->kernel = (mplan_kernel){.name = loop->name,
                                  .n_args = loop->n_args,
                                  .args = made->args,
                                  .parameter_bytes = sizeof(mplan_function_parameters),
                                  .run = run};
    if (status)
        free(made);
    else
        *out = made;
    return status;
}

/* The kernel that is made for the function belongs to `exec` and lives as long: exec->functions
 * chains all of them. An executor of parts has the plan of its first one, whose loops and args are those of all. */
mplan_status mplan_exec_bind_function(mplan_exec *exec, const char *loop, int32_t variant,
                                      mplan_element_function *function, mplan_exec_loop **bound,
                                      mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(loop);
    MPLAN_NEED(function);
    MPLAN_NEED(bound);
    const mplan_plan_loop *record = NULL;
    for (int32_t l = 0; l < mplan_plan_n_loops(exec->plan); l++)
        if (strcmp(mplan_plan_get_loop(exec->plan, l)->name, loop) == 0)
            record = mplan_plan_get_loop(exec->plan, l);
    if (!record)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan has no loop %s", loop);
    if (exec->executor == MPLAN_EXECUTOR_CUDA)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "loop %s: functions run on the host only",
                          loop);
    mplan_function_kernel *made;
    mplan_status status = make_kernel(exec->plan, record, function, &made, err);
    if (status)
        return status;
    status = mplan_exec_bind(exec, loop, variant, &made->kernel, bound, err);
    mplan_exec_keep_function(exec, made, !status);
    return status;
}

/* A failure in one part leaves the loop bound in those before it, so that these may read the kernel until they are closed. */
void mplan_exec_keep_function(mplan_exec *exec, mplan_function_kernel *made, bool bound)
{
    assert(exec && made);
    if (!bound && !exec->parts) {
        free(made);
        return;
    }
    made->next = exec->functions;
    exec->functions = made;
}

/* Whether the loop was bound to this kernel; all parts of a loop are bound to one. */
static bool is_bound_to(const mplan_exec_loop *bound, const mplan_function_kernel *own)
{
    const mplan_exec_loop *first = bound->part ? bound->part[0] : bound;
    return first->kernel == &own->kernel ||
           (first->layers && first->layers->kernel == &own->layer_kernel);
}

/* Finds the kernel by its address: only a loop that mplan_exec_bind_function has bound may get
 * a `user`. */
mplan_status mplan_exec_launch_function(mplan_exec *exec, mplan_exec_loop *bound, const void *user,
                                        mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(bound);
    for (const mplan_function_kernel *own = exec->functions; own; own = own->next)
        if (is_bound_to(bound, own)) {
            const mplan_function_parameters given = {own, user};
            return mplan_exec_launch(exec, bound, &given, NULL, err);
        }
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "loop %s was not bound to a function",
                      bound->loop->name);
}

/* Kernels that were made for functions live as long as the executor. */
void mplan_exec_free_functions(mplan_exec *exec)
{
    assert(exec);
    while (exec->functions) {
        mplan_function_kernel *next = exec->functions->next;
        free(exec->functions);
        exec->functions = next;
    }
}
