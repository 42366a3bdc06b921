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

/* Bytes that the views of an element hold; each view begins at a multiple of ALIGNMENT. */
enum { VIEW_BYTES = 4096, ALIGNMENT = 8 };

/* One element of a call. */
typedef struct element {
    const mplan_host_call *call;
    int64_t i, e, row;
} element;

/* One arg of a call: what the loop says of it, where its data are, and the bytes of a number; of a ragged map where the
 * function finds how many entries the element's row has, NULL of others. */
typedef struct argument {
    const mplan_kernel_arg *about;
    const mplan_host_arg *at;
    int64_t bytes;
    int32_t *entries;
} argument;

#define EACH_TYPE(CASE)      \
    CASE(U8, u8, uint8_t)    \
    CASE(U16, u16, uint16_t) \
    CASE(I32, i32, int32_t) CASE(I64, i64, int64_t) CASE(F32, f32, float) CASE(F64, f64, double)

static void copy_number(mplan_type type, void *to, const void *from)
{
#define COPY(TYPE, type, number) \
    case MPLAN_TYPE_##TYPE: *(number *)to = *(const number *)from; break;
    switch (type) {
        EACH_TYPE(COPY)
    }
#undef COPY
}

/* What changes nothing under inc, min or max; 0 of other accesses. */
static void set_neutral(mplan_type type, mplan_access access, void *to)
{
#define NEUTRAL(TYPE, type, number) \
    case MPLAN_TYPE_##TYPE: *(number *)to = mplan_neutral_##type(access); break;
    switch (type) {
        EACH_TYPE(NEUTRAL)
    }
#undef NEUTRAL
}

static void combine(mplan_type type, mplan_access access, void *to, const void *value)
{
#define COMBINE(TYPE, type, number)                                                          \
    case MPLAN_TYPE_##TYPE:                                                                  \
        *(number *)to = mplan_combine_##type(access, *(number *)to, *(const number *)value); \
        break;
    switch (type) {
        EACH_TYPE(COMBINE)
    }
#undef COMBINE
}

/* Component c of the member at place p, in whatever layout the dat has; of a global p is 0. */
static void *number_of(const argument *arg, int64_t p, int32_t c)
{
    const int64_t at = arg->about->global
                           ? c
                           : p * arg->at->member_stride + c * arg->at->component_stride;
    return (char *)arg->at->data + at * arg->bytes;
}

/* Number c of slot s in a view of rows of dim numbers. */
static void *in_view(const argument *arg, void *view, int64_t s, int32_t c)
{
    return (char *)view + (s * arg->about->dim + c) * arg->bytes;
}

/* The element's row of the arg's map, and its entries: of a ragged map the stored row, or one of arity slots that a
 * strategy has filled. NULL where the strategy gives none, as results are only kept. */
static const int32_t *row_of(const argument *arg, const element *of, int32_t *n)
{
    const mplan_kernel_arg *about = arg->about;
    const mplan_host_arg *at = arg->at;
    const int64_t slots = of->row * about->arity;
    *n = about->ragged ? (int32_t)(at->row_offsets[of->e + 1] - at->row_offsets[of->e])
                       : about->arity;
    if (!at->rows)
        return NULL;
    return at->rows +
           (about->ragged && !of->call->rows_by_iteration ? at->row_offsets[of->e] : slots);
}

/* view: arity rows of dim numbers. What is not read begins with what changes nothing, and so do slots without a
 * point (-1). */
static void load(const argument *arg, const element *of, void *view)
{
    const mplan_kernel_arg *about = arg->about;
    const bool reads = about->access == MPLAN_READ || about->access == MPLAN_RW;
    int32_t n = 1;
    const int32_t *row = about->map[0] ? row_of(arg, of, &n) : NULL;
    if (arg->entries)
        *arg->entries = n;
    for (int32_t s = 0; s < about->arity; s++) {
        const int64_t p = !reads || s >= n ? -1 : row ? row[s] : about->global ? 0 : of->e;
        for (int32_t c = 0; c < about->dim; c++)
            if (p >= 0)
                copy_number(about->type, in_view(arg, view, s, c), number_of(arg, p, c));
            else
                set_neutral(about->type, about->access, in_view(arg, view, s, c));
    }
}

/* keep_direct: a strategy that runs an element twice stores its own dats once. */
static void store_direct(const argument *arg, const element *of, void *view)
{
    const mplan_kernel_arg *about = arg->about;
    for (int32_t c = 0; c < about->dim && !of->call->keep_direct; c++)
        if (about->access == MPLAN_INC)
            combine(about->type, MPLAN_INC, number_of(arg, of->e, c), in_view(arg, view, 0, c));
        else
            copy_number(about->type, number_of(arg, of->e, c), in_view(arg, view, 0, c));
}

/* The element's own numbers are kept at its leaf, to be combined later, or are combined at once. */
static void store_global(const argument *arg, const element *of, void *view)
{
    const mplan_kernel_arg *about = arg->about;
    const mplan_host_arg *at = arg->at;
    const int64_t leaf = at->leaf_of ? at->leaf_of[of->e] : of->e;
    for (int32_t c = 0; c < about->dim && !of->call->keep_direct; c++)
        if (at->leaves)
            copy_number(about->type, (char *)at->leaves + (c * at->n_leaves + leaf) * arg->bytes,
                        in_view(arg, view, 0, c));
        else
            combine(about->type, about->access, number_of(arg, 0, c), in_view(arg, view, 0, c));
}

/* view: what the element leaves for its points, arity rows of dim numbers. MPLAN_HOST_STORE keeps what is to be
 * combined at place i for two-step; else it goes to the points, and slots without a point (-1) are dropped. */
static void store_mapped(const argument *arg, const element *of, void *view)
{
    const mplan_kernel_arg *about = arg->about;
    const bool overwrites = about->access == MPLAN_WRITE || about->access == MPLAN_RW;
    const int64_t bytes = about->dim * arg->bytes;
    int32_t n;
    const int32_t *row = row_of(arg, of, &n);
    if (of->call->mode == MPLAN_HOST_STORE && !overwrites) {
        const int64_t first = about->ragged && arg->at->out_by_entry ? arg->at->row_offsets[of->e]
                                                                     : of->i * about->arity;
        memcpy((char *)arg->at->out + first * bytes, view, (size_t)(n * bytes));
        return;
    }
    for (int32_t s = 0; s < n && !of->call->keep_direct; s++)
        for (int32_t c = 0; c < about->dim && row[s] >= 0; c++)
            if (overwrites)
                copy_number(about->type, number_of(arg, row[s], c), in_view(arg, view, s, c));
            else
                combine(about->type, about->access, number_of(arg, row[s], c),
                        in_view(arg, view, s, c));
}

static void store(const argument *arg, const element *of, void *view)
{
    if (arg->about->access == MPLAN_READ)
        return;
    if (arg->about->global)
        store_global(arg, of, view);
    else if (arg->about->map[0])
        store_mapped(arg, of, view);
    else
        store_direct(arg, of, view);
}

static int64_t view_bytes(const mplan_kernel_arg *arg)
{
    const int64_t bytes = arg->arity * (int64_t)arg->dim * (int64_t)mplan_type_size(arg->type);
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Iterations [begin, end), as the kernels of meshplan_kernel.h. */
static void run(const mplan_host_call *call, int64_t begin, int64_t end)
{
    mplan_function_parameters given;
    int64_t room[VIEW_BYTES / sizeof(int64_t)];
    void *views[2 * MPLAN_MAX_ARGS];
    int32_t entries[MPLAN_MAX_ARGS], n_ragged = 0;
    argument args[MPLAN_MAX_ARGS];
    char *at = (char *)room;
    memcpy(&given, call->parameters, sizeof given);
    const mplan_function_kernel *own = given.own;
    for (int32_t a = 0; a < own->kernel.n_args; a++) {
        const mplan_kernel_arg *about = &own->args[a];
        args[a] = (argument){about, &call->arg[a], (int64_t)mplan_type_size(about->type), NULL};
        views[a] = at;
        at += view_bytes(about);
        if (about->ragged) {
            args[a].entries = &entries[n_ragged];
            views[own->kernel.n_args + n_ragged++] = args[a].entries;
        }
    }
    for (int64_t i = begin; i < end; i++) {
        const int64_t e = call->elements ? call->elements[i] : call->first + i;
        const element of = {call, i, e, call->rows_by_iteration ? i : e};
        if (call->old_of_new && call->old_of_new[e] < 0)
            continue;
        for (int32_t a = 0; a < own->kernel.n_args; a++)
            load(&args[a], &of, views[a]);
        own->function(views, given.user);
        for (int32_t a = 0; a < own->kernel.n_args; a++)
            store(&args[a], &of, views[a]);
    }
}

/* Entries of the longest row of a ragged map, at least 1, in a plan or in all parts that are here. What its offsets are
 * worth, binding checks. */
static int64_t longest_row(const mplan_exec *exec, int32_t map)
{
    const mplan_key key = mplan_key_of_map(MPLAN_KIND_MAP_OFFSETS, map);
    int64_t longest = 1;
    const mplan_plan *plan = exec->parts ? exec->calls->plan_of(exec, 0) : exec->plan;
    for (int32_t part = 1; plan; part++) {
        const mplan_array *array = mplan_plan_find_array(plan, &key);
        const int64_t *offsets = array && array->type == MPLAN_TYPE_I64 ? array->data : NULL;
        for (int64_t e = 0; offsets && e + 1 < array->rows; e++)
            if (offsets[e + 1] - offsets[e] > longest)
                longest = offsets[e + 1] - offsets[e];
        plan = exec->parts ? exec->calls->plan_of(exec, part) : NULL;
    }
    return longest < VIEW_BYTES ? longest : VIEW_BYTES;
}

/* Arg a of the loop as a kernel has it; *bytes: of the views. */
static void describe_arg(const mplan_exec *exec, const mplan_plan_loop *loop, int32_t a,
                         mplan_kernel_arg *out, int64_t *bytes)
{
    const mplan_plan_arg *arg = &loop->args[a];
    const mplan_plan_map *map = arg->map >= 0 ? mplan_plan_get_map(exec->plan, arg->map) : NULL;
    const bool ragged = map && map->arity == 0;
    *out = (mplan_kernel_arg){.dat = arg->dat,
                              .map = map ? map->name : "",
                              .arity = ragged ? (int32_t)longest_row(exec, arg->map)
                                       : map  ? map->arity
                                              : 1,
                              .dim = arg->dim,
                              .type = arg->type,
                              .access = arg->access,
                              .global = arg->map == MPLAN_MAP_GLOBAL,
                              .ragged = ragged};
    *bytes += view_bytes(out);
}

/* A kernel of the plan's own loop; the caller's. */
static mplan_status make_kernel(const mplan_exec *exec, const mplan_plan_loop *loop,
                                mplan_element_function *function, mplan_function_kernel **out,
                                mplan_error *err)
{
    int64_t bytes = 0;
    mplan_status status = MPLAN_OK;
    mplan_function_kernel *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    if (loop->n_args > MPLAN_MAX_ARGS)
        status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "loop %s has more than %d args", loop->name,
                            MPLAN_MAX_ARGS);
    for (int32_t a = 0; a < loop->n_args && !status; a++)
        describe_arg(exec, loop, a, &made->args[a], &bytes);
    if (!status && bytes > VIEW_BYTES)
        status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                            "loop %s: an element has views of %lld bytes; functions take at most %d",
                            loop->name, (long long)bytes, VIEW_BYTES);
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
    mplan_status status = make_kernel(exec, record, function, &made, err);
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
