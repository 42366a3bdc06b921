/* SPDX-License-Identifier: Apache-2.0 */
/* reduce.c - one number from a dat, in an order that depends on the plan only
 *
 * A tree with 256 leaves a node, each node added by halving: what a thread block
 * does in shared memory, so that host and device agree bit by bit. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/exec.h"

enum { LEAVES = 256, NODES = 64 };

/* What changes no result: for places behind the last member, and for holes. */
static double neutral_of(mplan_reduction reduction)
{
    return reduction == MPLAN_SUM   ? 0.0
           : reduction == MPLAN_MIN ? (double)INFINITY
                                    : -(double)INFINITY;
}

/* Not fmin and fmax: what they make of two zeros of different sign is left open. */
static double combine(mplan_reduction reduction, double a, double b)
{
    if (reduction == MPLAN_SUM)
        return a + b;
    return (reduction == MPLAN_MIN ? b < a : b > a) ? b : a;
}

/* One node of the tree; overwrites its leaves. */
static double reduce_node(mplan_reduction reduction, double leaf[LEAVES])
{
    for (int half = LEAVES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            leaf[i] = combine(reduction, leaf[i], leaf[i + half]);
    return leaf[0];
}

/* Number at `at`, of f32 exactly, as double. */
static double member_value(const mplan_exec_dat *dat, int64_t at)
{
    return dat->type == MPLAN_TYPE_F64 ? ((const double *)dat->data)[at]
                                       : (double)((const float *)dat->data)[at];
}

/* A reduction of one component; node: one value per run of members. */
typedef struct reduce_work {
    const mplan_exec_dat *dat;
    const int32_t *old_of_new, *place; /* place: of each leaf; NULL: they are the first ones */
    int64_t n;                         /* places, of the first on */
    int32_t component;
    mplan_reduction reduction;
    double *node;
} reduce_work;

/* First level: from the dat to a number for each 256 stored members. */
static void reduce_members(void *data, int thread, int64_t begin, int64_t end)
{
    const reduce_work *work = data;
    const int32_t *old_of_new = work->old_of_new;
    int64_t member, component, n = work->n;
    mplan_exec_strides(work->dat, &member, &component);
    (void)thread;
    for (int64_t b = begin; b < end; b++) {
        double leaf[LEAVES];
        for (int64_t i = 0; i < LEAVES; i++) {
            int64_t at = b * LEAVES + i;
            bool there = at < n && (!old_of_new || old_of_new[at] >= 0);
            const int64_t place = there && work->place ? work->place[at] : at;
            leaf[i] = there ? member_value(work->dat, place * member + work->component * component)
                            : neutral_of(work->reduction);
        }
        work->node[b] = reduce_node(work->reduction, leaf);
    }
}

/* node: n values, overwritten; level by level, LEAVES of them to one, until one is left. */
static double reduce_nodes(mplan_reduction reduction, double *node, int64_t n)
{
    if (n == 0)
        return neutral_of(reduction);
    while (n > 1) {
        int64_t n_up = (n + LEAVES - 1) / LEAVES;
        for (int64_t b = 0; b < n_up; b++) {
            double leaf[LEAVES];
            for (int64_t i = 0; i < LEAVES; i++)
                leaf[i] = b * LEAVES + i < n ? node[b * LEAVES + i] : neutral_of(reduction);
            node[b] = reduce_node(reduction, leaf); /* behind what is still to be read */
        }
        n = n_up;
    }
    return node[0];
}

/* The same tree as on a device: equal bits. */
static mplan_status reduce_host(const mplan_exec *exec, const mplan_exec_dat *dat, int64_t n,
                                const int32_t *old_of_new, const int32_t *place, int32_t component,
                                mplan_reduction reduction, double *result, mplan_error *err)
{
    int64_t n_nodes = (n + LEAVES - 1) / LEAVES;
    double *node = mplan_alloc(n_nodes, sizeof *node, err);
    if (!node)
        return MPLAN_ERR_MEMORY;
    reduce_work work = {dat, old_of_new, place, n, component, reduction, node};
    mplan_for(exec->team, n_nodes, NODES, reduce_members, &work);
    *result = reduce_nodes(reduction, node, n_nodes);
    free(node);
    return MPLAN_OK;
}

/* The same of a dat on a device, whose numbers are fetched first: chosen places are not in a row there. */
static mplan_status reduce_fetched(const mplan_exec *exec, const mplan_exec_dat *dat, int64_t n,
                                   const int32_t *place, int32_t component,
                                   mplan_reduction reduction, double *result, mplan_error *err)
{
    mplan_exec_dat copy = *dat;
    copy.data = mplan_alloc(mplan_exec_dat_bytes(dat), 1, err);
    mplan_status status = copy.data ? mplan_gpu_wait(err) : MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_gpu_download(copy.data, dat->data, mplan_exec_dat_bytes(dat), err);
    if (!status)
        status = reduce_host(exec, &copy, n, NULL, place, component, reduction, result, err);
    free(copy.data);
    return status;
}

/* Over members, not holes, of the first n places (-1: of all), or of those that are listed, without holes. */
mplan_status mplan_exec_reduce_first(mplan_exec *exec, const char *dat, int64_t n,
                                     const int32_t *place, int32_t component,
                                     mplan_reduction reduction, double *result, mplan_error *err)
{
    assert(exec && dat && result);
    int32_t d = mplan_exec_find_dat(exec, dat);
    if (d < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "dat %s is not declared", dat);
    mplan_exec_dat *own = &exec->dats[d];
    if (own->set < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "dat %s is a global, which has no members to reduce", dat);
    if (!own->data && !own->stored)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, MPLAN_NOT_RESIDENT, dat);
    if (own->levels)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "dat %s has levels; only flat dats are reduced", dat);
    if (component < 0 || component >= own->dim)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "dat %s has components 0 to %d, not %d", dat,
                          (int)own->dim - 1, (int)component);
    if (own->type != MPLAN_TYPE_F64 && own->type != MPLAN_TYPE_F32)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "dat %s of type %s cannot be reduced; only f32 and f64 can", dat,
                          mplan_type_name(own->type));
    if ((unsigned)reduction > MPLAN_MAX)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there is no reduction number %d", (int)reduction);
    const mplan_plan_set *set = mplan_plan_get_set(exec->plan, own->set);
    const void *old_of_new = NULL;
    mplan_status status = mplan_exec_use(exec, err);
    if (!status)
        status = mplan_exec_settle(exec, own, err);
    if (!status && set->storage_size > set->size)
        status = mplan_exec_table(exec, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, own->set),
                                  MPLAN_TYPE_I32, &old_of_new, NULL, err);
    if (status)
        return status;
    if (n < 0)
        n = own->storage_size;
    if (!mplan_exec_dats_on_device(exec)) {
        status = mplan_exec_take_stored(exec, own, true, err);
        if (!status)
            status = reduce_host(exec, own, n, old_of_new, place, component, reduction, result, err);
        return mplan_exec_give_stored(exec, own, false, status, err);
    }
    if (place)
        return reduce_fetched(exec, own, n, place, component, reduction, result, err);
    mplan_gpu_dat device = {own->data, own->storage_size, own->dim, own->type, own->layout};
    return mplan_gpu_reduce(&device, n, old_of_new, component, reduction, result, err);
}

/* Over all members in the stored order, by a tree of fixed shape: the same bits at each call, and on host and device. */
mplan_status mplan_exec_reduce(mplan_exec *exec, const char *dat, int32_t component,
                               mplan_reduction reduction, double *result, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(dat);
    MPLAN_NEED(result);
    return exec->parts
               ? exec->calls->reduce(exec, dat, component, reduction, result, err)
               : mplan_exec_reduce_first(exec, dat, -1, NULL, component, reduction, result, err);
}
