/* SPDX-License-Identifier: Apache-2.0 */
/* globals.c - what the elements of a loop bring to a global becomes one number, in a fixed order
 *
 * Every element leaves its numbers in a row of their own, as a direct write; when all have run, the
 * rows are combined by a tree, and its result with the global. Rows of sums are those of the mesh's own
 * element numbers: the bits of a sum depend on the mesh only, not on the plan, the strategy or the
 * device. The least and the greatest do not depend on any order. device_global.cu is the same on a
 * device. */
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "exec/cuda/device_halo.h"
#include "exec/exec.h"
#include "exec/globals.h"
#include "exec/meshplan_combine.h"

enum { LANES = MPLAN_GLOBAL_LANES, NODE = MPLAN_GLOBAL_NODE };

/* --- the tree --------------------------------------------------------------------------- */

/* TYPE_lanes: `number` of each lane into the first, by halving. TYPE_node: leaves [begin, end) of a node, a
 * lane each LANES-th; what a lane lacks is neutral. TYPE_tree: n leaves of one component into *to;
 * node: room for the nodes. */
#define TREE_OF(type, number)                                                                       \
    static number type##_halves(mplan_access access, number lane[LANES])                            \
    {                                                                                               \
        for (int half = LANES / 2; half > 0; half /= 2)                                             \
            for (int i = 0; i < half; i++)                                                          \
                lane[i] = mplan_combine_##type(access, lane[i], lane[i + half]);                    \
        return lane[0];                                                                             \
    }                                                                                               \
    static number type##_node(mplan_access access, const number *leaf, int64_t n)                   \
    {                                                                                               \
        number lane[LANES];                                                                         \
        for (int i = 0; i < LANES; i++)                                                             \
            lane[i] = i < n ? leaf[i] : mplan_neutral_##type(access);                               \
        for (int64_t i = LANES; i < n; i++)                                                         \
            lane[i % LANES] = mplan_combine_##type(access, lane[i % LANES], leaf[i]);               \
        return type##_halves(access, lane);                                                         \
    }                                                                                               \
    static void type##_nodes(const tree *t, int64_t begin, int64_t end)                             \
    {                                                                                               \
        for (int64_t b = begin; b < end; b++) {                                                     \
            const int64_t c = b / t->n_nodes, first = b % t->n_nodes * NODE;                        \
            const int64_t n = t->n - first < NODE ? t->n - first : NODE;                            \
            ((number *)t->nodes)[b] = type##_node(t->access,                                        \
                                                  (const number *)t->leaves + c * t->n + first, n); \
        }                                                                                           \
    }                                                                                               \
    static void type##_root(const tree *t, number *to)                                              \
    {                                                                                               \
        for (int32_t c = 0; c < t->dim; c++)                                                        \
            to[c] = mplan_combine_##type(t->access, to[c],                                          \
                                         type##_node(t->access,                                     \
                                                     (const number *)t->nodes + c * t->n_nodes,     \
                                                     t->n_nodes));                                  \
    }                                                                                               \
    static void type##_clear(mplan_access access, number *leaf, int64_t n)                          \
    {                                                                                               \
        for (int64_t i = 0; i < n; i++)                                                             \
            leaf[i] = mplan_neutral_##type(access);                                                 \
    }

/* Leaves of one global, component by component, and the nodes above them likewise. */
typedef struct tree {
    mplan_type type;
    mplan_access access;
    int32_t dim;
    int64_t n, n_nodes; /* of a component */
    const void *leaves;
    void *nodes;
} tree;

TREE_OF(f64, double)
TREE_OF(f32, float)
TREE_OF(i64, int64_t)
TREE_OF(i32, int32_t)
TREE_OF(u16, uint16_t)
TREE_OF(u8, uint8_t)

/* DO(type, number) for the type of a dat. */
#define BY_TYPE(of)                          \
    switch (of) {                            \
    case MPLAN_TYPE_F64: DO(f64, double)     \
    case MPLAN_TYPE_F32: DO(f32, float)      \
    case MPLAN_TYPE_I64: DO(i64, int64_t)    \
    case MPLAN_TYPE_I32: DO(i32, int32_t)    \
    case MPLAN_TYPE_U16: DO(u16, uint16_t)   \
    case MPLAN_TYPE_U8: DO(u8, uint8_t)      \
    default: break; /* no dat has another */ \
    }

/* mplan_for: nodes begin to end of t->n_nodes * t->dim; those of one component are together, as
 * its leaves are. */
static void make_nodes(void *data, int thread, int64_t begin, int64_t end)
{
    const tree *t = data;
    (void)thread;
#define DO(type, number)             \
    {                                \
        type##_nodes(t, begin, end); \
        return;                      \
    }
    BY_TYPE(t->type)
#undef DO
}

static void make_root(const tree *t, void *to)
{
#define DO(type, number)    \
    {                       \
        type##_root(t, to); \
        return;             \
    }
    BY_TYPE(t->type)
#undef DO
}

static void clear_leaves(mplan_type of, mplan_access access, void *leaves, int64_t n)
{
#define DO(type, number)                 \
    {                                    \
        type##_clear(access, leaves, n); \
        return;                          \
    }
    BY_TYPE(of)
#undef DO
}

/* --- leaves --------------------------------------------------------------------------- */

/* Nodes of n leaves: NODE of them each, the last with what is left. */
static int64_t nodes_of(int64_t n)
{
    return (n + NODE - 1) / NODE;
}

/* Sums have a leaf for each member of the loop's set, in the mesh's order; the others one for each
 * place, of which those of holes stay neutral. */
static int64_t leaves_of(const mplan_exec_loop *bound, mplan_access access)
{
    const mplan_plan_set *set = mplan_plan_get_set(bound->exec->plan, bound->loop->set);
    return access == MPLAN_INC ? set->size : set->storage_size;
}

/* The mesh's number of each place, which must be a leaf, or negative in holes. */
static mplan_status take_order(mplan_exec_loop *bound, const int32_t **order, mplan_error *err)
{
    const mplan_plan_set *set = mplan_plan_get_set(bound->exec->plan, bound->loop->set);
    const mplan_key key = mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, bound->loop->set);
    int64_t rows = 0;
    const int32_t *old = mplan_plan_data(bound->exec->plan, key, MPLAN_TYPE_I32, &rows);
    const void *table = NULL;
    for (int64_t i = 0; i < rows; i++)
        if (old[i] < (bound->call.old_of_new ? -1 : 0) || old[i] >= set->size)
            return mplan_fail(err, MPLAN_ERR_CORRUPT,
                              "the table old_of_new of set %s in the plan has an entry outside the "
                              "set; meshplan verify says more",
                              set->name);
    mplan_status status = mplan_exec_table_there(bound->exec, key, MPLAN_TYPE_I32, &table, err);
    *order = table;
    return status;
}

/* Scratch holds n leaves and the nodes above them, dim numbers each. Sums are taken in the
 * mesh's element order (arg->rows); minima and maxima may be taken in any. Without elements the
 * global stays as it is. */
mplan_status mplan_exec_fill_global(mplan_exec_loop *bound, int32_t a, mplan_error *err)
{
    assert(bound && mplan_exec_changes_global(bound->loop, a));
    const mplan_plan_arg *about = &bound->loop->args[a];
    mplan_launch_arg *arg = &bound->call.arg[a];
    const int64_t n = leaves_of(bound, about->access);
    mplan_status status = MPLAN_OK;
    if (about->access == MPLAN_INC)
        status = take_order(bound, &arg->rows, err);
    if (!status)
        status = mplan_exec_allocate(bound->exec, (n + nodes_of(n)) * about->dim,
                                     mplan_type_size(about->type), &arg->scratch, err);
    arg->stride = 0;
    arg->set_size = n;
    if (status || n == 0)
        return status;
    if (bound->exec->executor == MPLAN_EXECUTOR_CUDA)
        return mplan_gpu_clear_global(about->type, about->access, arg->scratch, n * about->dim, err);
    clear_leaves(about->type, about->access, arg->scratch, n * about->dim);
    return MPLAN_OK;
}

/* Kernels write their share of the global into the leaf of their element, in the mesh's own order: the tree over them
 * has the same shape under every strategy. */
void mplan_exec_leaves_of(const mplan_exec_loop *bound, int32_t a, mplan_host_arg *host)
{
    assert(bound && host && mplan_exec_changes_global(bound->loop, a));
    const mplan_launch_arg *arg = &bound->call.arg[a];
    host->leaves = arg->scratch;
    host->n_leaves = arg->set_size;
    host->leaf_of = arg->rows;
    host->rows = NULL;
}

/* --- of parts ------------------------------------------------------------------------------- */

/* 0 for sums, the largest number for min, the least for max. */
void mplan_exec_neutral(mplan_type type, mplan_access access, void *number)
{
    assert(number);
    clear_leaves(type, access, number, 1);
}

/* to: dim numbers, each with its own of from. */
void mplan_exec_combine(mplan_type type, mplan_access access, int32_t dim, void *to, const void *from)
{
    assert(to && from);
    for (int32_t c = 0; c < dim; c++) {
#define DO(name, number)                                                     \
    {                                                                        \
        ((number *)to)[c] = mplan_combine_##name(access, ((number *)to)[c],  \
                                                 ((const number *)from)[c]); \
        break;                                                               \
    }
        BY_TYPE(type)
#undef DO
    }
}

/* Elements of other parts, [owned, end) in stored order, must not count a second time. */
mplan_status mplan_exec_drop_leaves(const mplan_exec_loop *bound, int64_t owned, void *stream,
                                    mplan_error *err)
{
    assert(bound);
    const int64_t end = bound->call.n_elements;
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < bound->loop->n_args && owned < end && !status; a++) {
        const mplan_plan_arg *about = &bound->loop->args[a];
        const mplan_launch_arg *arg = &bound->call.arg[a];
        if (!mplan_exec_changes_global(bound->loop, a) || arg->set_size == 0)
            continue;
        const size_t size = mplan_type_size(about->type);
        double neutral; /* the largest type */
        mplan_exec_neutral(about->type, about->access, &neutral);
        if (bound->exec->executor == MPLAN_EXECUTOR_CUDA) {
            const mplan_gpu_global global = {arg->data,     about->dim,   about->type,
                                             about->access, arg->scratch, arg->set_size};
            status = mplan_gpu_drop_leaves(&global, arg->rows, owned, end, &neutral, stream, err);
            continue;
        }
        for (int64_t e = owned; e < end; e++)
            for (int32_t c = 0; c < about->dim; c++)
                memcpy((char *)arg->scratch +
                           (size_t)(c * arg->set_size + (arg->rows ? arg->rows[e] : e)) * size,
                       &neutral, size);
    }
    return status;
}

/* --- after the elements --------------------------------------------------------------------- */

/* The same tree as on a GPU, over the same leaves: equal bits, however many threads. */
static void combine_on_host(const mplan_exec_loop *bound, int32_t a)
{
    const mplan_plan_arg *about = &bound->loop->args[a];
    const mplan_launch_arg *arg = &bound->call.arg[a];
    const int64_t n = arg->set_size, bytes = n * about->dim * (int64_t)mplan_type_size(about->type);
    tree t = {about->type,
              about->access,
              about->dim,
              n,
              nodes_of(n),
              arg->scratch,
              (char *)arg->scratch + bytes};
    mplan_for(bound->exec->executor == MPLAN_EXECUTOR_OPENMP ? bound->exec->team : NULL,
              t.n_nodes * t.dim, 1, make_nodes, &t);
    make_root(&t, arg->data);
}

/* After a launch, in its stream: leaves become the global's value. Globals that the loop only
 * reads have no leaves. */
mplan_status mplan_exec_combine_globals(const mplan_exec_loop *bound, void *stream, mplan_error *err)
{
    assert(bound);
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < bound->loop->n_args && !status && !bound->lags; a++) {
        const mplan_plan_arg *about = &bound->loop->args[a];
        const mplan_launch_arg *arg = &bound->call.arg[a];
        if (!mplan_exec_changes_global(bound->loop, a) || arg->set_size == 0)
            continue;
        if (bound->exec->executor == MPLAN_EXECUTOR_CUDA) {
            const mplan_gpu_global global = {arg->data,     about->dim,   about->type,
                                             about->access, arg->scratch, arg->set_size};
            status = mplan_gpu_combine_global(&global, stream, err);
        } else {
            combine_on_host(bound, a);
        }
    }
    return status;
}

/* All numbers of a global become neutral, so many at a time as a call takes. */
static mplan_status make_neutral(const mplan_exec_loop *bound, int32_t a, void *stream,
                                 mplan_error *err)
{
    const mplan_plan_arg *about = &bound->loop->args[a];
    const size_t size = mplan_type_size(about->type);
    char *data = bound->call.arg[a].data, some[256];
    double number; /* 8 bytes, at a place for any type */
    mplan_status status = MPLAN_OK;
    assert(size <= sizeof number);
    mplan_exec_neutral(about->type, about->access, &number);
    for (size_t i = 0; i < sizeof some; i += size)
        memcpy(some + i, &number, size);
    for (size_t left = size * (size_t)about->dim, n; left > 0 && !status; left -= n, data += n) {
        n = left < sizeof some ? left : sizeof some;
        if (bound->exec->executor == MPLAN_EXECUTOR_CUDA)
            status = mplan_gpu_set_global(data, some, (int64_t)n, stream, err);
        else
            memcpy(data, some, n);
    }
    return status;
}

/* Elements left their numbers at each launch; those of the last one are there. */
mplan_status mplan_exec_take_lagged(mplan_exec_loop *bound, void *stream, mplan_error *err)
{
    assert(bound);
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < bound->loop->n_args && !status; a++)
        if (mplan_exec_changes_global(bound->loop, a) && bound->call.arg[a].set_size > 0)
            status = make_neutral(bound, a, stream, err);
    bound->lags = false;
    return !status ? mplan_exec_combine_globals(bound, stream, err) : status;
}

/* --- values of the caller ------------------------------------------------------------------- */

/* A few bytes, in stream order: launches before it see the old values, those behind it the new
 * ones. Larger globals are uploaded. */
mplan_status mplan_exec_set(mplan_exec *exec, const char *dat, const void *values, int32_t dim,
                            mplan_type type, void *stream, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(dat);
    MPLAN_NEED(values);
    if (exec->parts)
        return exec->calls->set_global(exec, dat, values, dim, type, stream, err);
    int32_t d = mplan_exec_find_dat(exec, dat);
    if (d < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "dat %s is not declared", dat);
    mplan_exec_dat *own = &exec->dats[d];
    if (own->set >= 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "dat %s is not a global; upload its rows", dat);
    mplan_status status = mplan_exec_compare_numbers(own, dim, type, err);
    if (status)
        return status;
    const int64_t bytes = dim * (int64_t)mplan_type_size(type);
    if (bytes > MPLAN_MAX_PARAMETERS)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "global %s has %lld bytes; more than %d must be uploaded", dat,
                          (long long)bytes, MPLAN_MAX_PARAMETERS);
    own->times++;
    if (exec->executor != MPLAN_EXECUTOR_CUDA) {
        memcpy(own->data, values, (size_t)bytes);
        return MPLAN_OK;
    }
    status = mplan_exec_use(exec, err);
    return !status ? mplan_gpu_set_global(own->data, values, bytes, stream, err) : status;
}
