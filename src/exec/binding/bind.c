/* SPDX-License-Identifier: Apache-2.0 */
/* bind.c - a kernel meets a loop of the plan and one of its variants */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/exec.h"
#include "exec/host/host.h"
#include "exec/dat_levels.h"
#include "plan/packed.h"
#include "exec/exec_visit.h"

/* --- does the kernel fit the loop? ------------------------------------------------ */

/* own, other: what the kernel and what the plan say. */
static mplan_status differs(const mplan_exec_loop *bound, int32_t a, const char *what,
                            const char *own, const char *other, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "kernel %s does not fit loop %s: arg %d (%s) %s %s in the kernel and %s in "
                      "the plan",
                      bound->kernel->name, bound->loop->name, (int)a, bound->loop->args[a].dat,
                      what, own, other);
}

/* As differs, of numbers. */
static mplan_status differs_by(const mplan_exec_loop *bound, int32_t a, const char *what,
                               int32_t own, int32_t other, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "kernel %s does not fit loop %s: arg %d (%s) has %s %d in the kernel and %d "
                      "in the plan",
                      bound->kernel->name, bound->loop->name, (int)a, bound->loop->args[a].dat,
                      what, (int)own, (int)other);
}

/* Arg a of the kernel and of the loop: way of access, map, dim, type. */
static mplan_status compare_arg(const mplan_exec_loop *bound, int32_t a, mplan_error *err)
{
    const mplan_kernel_arg *own = &bound->kernel->args[a];
    const mplan_plan_arg *arg = &bound->loop->args[a];
    const bool direct = own->map[0] == '\0';
    const char *way = own->global ? "as a global" : direct ? "directly" : "through a map";
    const char *due = arg->map == MPLAN_MAP_GLOBAL ? "as a global"
                      : arg->map < 0               ? "directly"
                                                   : "through a map";
    if (strcmp(way, due) != 0)
        return differs(bound, a, "is accessed", way, due, err);
    if (own->dim != arg->dim)
        return differs_by(bound, a, "dim", own->dim, arg->dim, err);
    if (own->type != arg->type)
        return differs(bound, a, "is of type", mplan_type_name(own->type),
                       mplan_type_name(arg->type), err);
    if (own->access != arg->access)
        return differs(bound, a, "has access", mplan_access_name(own->access),
                       mplan_access_name(arg->access), err);
    if (direct)
        return MPLAN_OK;
    const mplan_plan_map *map = mplan_plan_get_map(bound->exec->plan, arg->map);
    if (own->ragged != (map->arity == 0))
        return differs(bound, a, "goes through a map that",
                       own->ragged ? "is ragged" : "has an arity",
                       own->ragged ? "has an arity" : "is ragged", err);
    if (map->arity > 0 && own->arity != map->arity)
        return differs_by(bound, a, "arity", own->arity, map->arity, err);
    return MPLAN_OK;
}

/* One map has one name in the kernel: its tables are shared by that name. */
static mplan_status compare_maps(const mplan_exec_loop *bound, int32_t a, int32_t b, mplan_error *err)
{
    const mplan_plan *plan = bound->exec->plan;
    const mplan_kernel_arg *own = bound->kernel->args;
    int32_t x = bound->loop->args[a].map, y = bound->loop->args[b].map;
    if (x == y && x >= 0 && own[a].arity != own[b].arity)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "kernel %s takes rows of %d entries of map %s in arg %d, and of %d in arg %d",
                          bound->kernel->name, (int)own[a].arity, own[a].map, (int)a,
                          (int)own[b].arity, (int)b);
    if (x < 0 || y < 0 || (x == y) == (strcmp(own[a].map, own[b].map) == 0))
        return MPLAN_OK;
    if (x == y)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "kernel %s does not fit loop %s: args %d and %d go through map %s of the "
                          "plan, which the kernel calls %s and %s",
                          bound->kernel->name, bound->loop->name, (int)a, (int)b,
                          mplan_plan_get_map(plan, x)->name, own[a].map, own[b].map);
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "kernel %s does not fit loop %s: args %d and %d go through one map %s in the "
                      "kernel, and through %s and %s in the plan",
                      bound->kernel->name, bound->loop->name, (int)a, (int)b, own[a].map,
                      mplan_plan_get_map(plan, x)->name, mplan_plan_get_map(plan, y)->name);
}

/* The dat is what the arg takes it for: its own loop may not be the one that it was declared by. */
static mplan_status compare_dat(const mplan_exec_loop *bound, int32_t a, mplan_error *err)
{
    const mplan_plan *plan = bound->exec->plan;
    const mplan_plan_arg *arg = &bound->loop->args[a];
    const mplan_exec_dat *dat = &bound->exec->dats[bound->dat[a]];
    int32_t set = arg->map == MPLAN_MAP_GLOBAL ? -1
                  : arg->map < 0               ? bound->loop->set
                                               : mplan_plan_get_map(plan, arg->map)->to;
    if (dat->set == set && dat->dim == arg->dim && dat->type == arg->type)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "loop %s: dat %s is %d x %s on set %s in arg %d, but was declared as %d x "
                      "%s on set %s",
                      bound->loop->name, dat->name, (int)arg->dim, mplan_type_name(arg->type),
                      mplan_exec_set_name(plan, set), (int)a, (int)dat->dim,
                      mplan_type_name(dat->type), mplan_exec_set_name(plan, dat->set));
}

/* bound->dat[a]: number of the arg's dat, which must have been declared with the
 * same set, dim and type. */
static mplan_status find_dats(mplan_exec_loop *bound, mplan_error *err)
{
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        const char *name = bound->loop->args[a].dat;
        bound->dat[a] = mplan_exec_find_dat(bound->exec, name);
        if (bound->dat[a] < 0)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "loop %s: dat %s is not declared",
                              bound->loop->name, name);
        mplan_status status = compare_dat(bound, a, err);
        if (status)
            return status;
    }
    return MPLAN_OK;
}

/* Whatever differs is named, arg by arg. */
static mplan_status compare_kernel(mplan_exec_loop *bound, mplan_error *err)
{
    const mplan_kernel *kernel = bound->kernel;
    const mplan_plan_loop *loop = bound->loop;
    bool device = bound->exec->executor == MPLAN_EXECUTOR_CUDA;
    if (device ? !kernel->launch : !kernel->run)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "kernel %s is not for executor %s; use %s_%s",
                          kernel->name, mplan_executor_name(bound->exec->executor), kernel->name,
                          device ? "device" : "host");
    if (kernel->n_args != loop->n_args || loop->n_args > MPLAN_MAX_ARGS)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "kernel %s does not fit loop %s: it has %d args, the loop %d (at most %d)",
                          kernel->name, loop->name, (int)kernel->n_args, (int)loop->n_args,
                          MPLAN_MAX_ARGS);
    if (kernel->parameter_bytes > MPLAN_MAX_PARAMETERS)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "kernel %s has %zu bytes of parameters; at most %d are possible",
                          kernel->name, kernel->parameter_bytes, MPLAN_MAX_PARAMETERS);
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < loop->n_args && !status; a++)
        status = compare_arg(bound, a, err);
    if (!status)
        status = find_dats(bound, err);
    for (int32_t a = 0; a < loop->n_args; a++)
        for (int32_t b = 0; b < loop->n_args && !status; b++)
            status = compare_maps(bound, a, b, err);
    if (!status)
        status = mplan_exec_check_conflicts(bound, err);
    return status;
}

/* --- binding ------------------------------------------------------------------------- */

/* Index of the loop of that name; -1 without one. */
static int32_t find_loop(const mplan_plan *plan, const char *name)
{
    for (int32_t l = 0; l < mplan_plan_n_loops(plan); l++)
        if (strcmp(mplan_plan_get_loop(plan, l)->name, name) == 0)
            return l;
    return -1;
}

/* bound->first_of_map[a]: the first arg with the map of arg a, which holds its
 * tables. */
static void find_first_args(mplan_exec_loop *bound)
{
    for (int32_t a = bound->loop->n_args - 1; a >= 0; a--) {
        bound->first_of_map[a] = a;
        for (int32_t b = a - 1; b >= 0; b--)
            if (bound->loop->args[b].map == bound->loop->args[a].map)
                bound->first_of_map[a] = b;
    }
}

/* Shared memory that a thread block of the kernel needs must be there; launch is asked to
 * prepare only, which sets the kernel's limit. */
static mplan_status prepare_device(mplan_exec_loop *bound, mplan_error *err)
{
    const char *what = bound->kernel->name;
    mplan_launch_call *call = &bound->call;
#ifndef MPLAN_HAVE_HIP
    if (call->owner_slice != MPLAN_OWNER_SLICE)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "loop %s: kernels of CUDA run slices of %d rows, and those of this plan have %d; plan "
                          "without --slice-rows",
                          bound->loop->name, MPLAN_OWNER_SLICE, (int)call->owner_slice);
#endif
    call->shared_bytes = bound->kernel->shared_bytes(call);
    if (call->shared_bytes > bound->exec->shared_limit)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "loop %s, %s: a thread block needs %lld bytes of shared memory, the "
                          "device has %lld; plan with a smaller --block-size",
                          bound->loop->name, mplan_strategy_name(call->strategy),
                          (long long)call->shared_bytes, (long long)bound->exec->shared_limit);
    int code = bound->kernel->launch(call, NULL, true, &what);
    return code ? mplan_gpu_status(code, what, err) : MPLAN_OK;
}

/* Also for a loop whose binding failed halfway: whatever was not made is NULL. */
void mplan_exec_unbind(mplan_exec_loop *bound)
{
    assert(bound);
    for (int32_t a = 0; a < MPLAN_MAX_ARGS; a++)
        mplan_exec_release(bound->exec, bound->call.arg[a].scratch);
    mplan_exec_release(bound->exec, bound->call.partial_sums);
    mplan_host_release(bound);
    mplan_exec_unbind_layers(bound);
    free(bound);
}

/* variant: -1 for the default. All indices that launches will use are checked
 * here, once. */
mplan_status mplan_exec_bind(mplan_exec *exec, const char *loop, int32_t variant,
                             const mplan_kernel *kernel, mplan_exec_loop **bound, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(loop);
    MPLAN_NEED(kernel);
    MPLAN_NEED(bound);
    if (exec->parts)
        return exec->calls->bind(exec, loop, variant, kernel, bound, err);
    int32_t l = find_loop(exec->plan, loop);
    if (l < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan has no loop %s", loop);
    const mplan_plan_loop *record = mplan_plan_get_loop(exec->plan, l);
    if (record->layering)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "loop %s has layers; kernels of meshplan_layers.h are for it", loop);
    int32_t v = variant == -1 ? record->default_variant : variant;
    if (v < 0 || v >= record->n_variants)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "loop %s has variants 0 to %d, not %d", loop,
                          (int)record->n_variants - 1, (int)variant);
    mplan_status status = mplan_exec_use(exec, err);
    if (status)
        return status;
    mplan_exec_loop *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    made->exec = exec;
    made->loop = record;
    made->chosen = &record->variants[v];
    made->kernel = kernel;
    made->l = l;
    made->v = v;
    status = exec->visit ? mplan_exec_visit_loop(made, err) : MPLAN_OK;
    if (!status)
        status = compare_kernel(made, err);
    if (!status) {
        find_first_args(made);
        status = mplan_exec_fill_call(made, err);
    }
    if (!status)
        status = exec->executor == MPLAN_EXECUTOR_CUDA ? prepare_device(made, err)
                                                       : mplan_host_prepare(made, err);
    if (status) {
        mplan_exec_unbind(made);
        return status;
    }
    made->next = exec->loops;
    exec->loops = made;
    *bound = made;
    return MPLAN_OK;
}
