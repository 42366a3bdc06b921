/* SPDX-License-Identifier: Apache-2.0 */
/* metis_cut.c - METIS_PartGraphKway and METIS_PartGraphRecursive, with the options of gpmetis
 *
 * G. Karypis, V. Kumar, SIAM J. Sci. Comput. 20 (1998). It draws from the process's rand() with a
 * fixed seed. It may return METIS_OK with parts that are empty or above the limit: the answer is
 * audited and repaired by whoever asked. */
#if defined MPLAN_HAVE_METIS
#include <stdlib.h>

#include <metis.h>

#include "base/error.h"
#include "helper/cut.h"
#include "mesh/cut_child.h"

/* n numbers of `width` bytes as METIS's type; NULL without memory. METIS changes
 * its input, which is read-only here. */
static idx_t *numbers_of(const void *from, size_t width, int64_t n)
{
    idx_t *to = malloc((size_t)(n + 1) * sizeof *to);
    for (int64_t i = 0; i < n && to; i++)
        to[i] = width == 8 ? (idx_t)((const int64_t *)from)[i] : (idx_t)((const int32_t *)from)[i];
    return to;
}

/* ufactor in thousandths; the seed must be a positive int. */
static void set_options(const mplan_cut_task *task, idx_t options[METIS_NOPTIONS])
{
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_OBJTYPE] = task->flags & MPLAN_CUT_VOLUME ? METIS_OBJTYPE_VOL
                                                                   : METIS_OBJTYPE_CUT;
    options[METIS_OPTION_CONTIG] = (task->flags & MPLAN_CUT_CONTIGUOUS) != 0;
    options[METIS_OPTION_MINCONN] = (task->flags & MPLAN_CUT_FEW_LINKS) != 0;
    if (task->iterations)
        options[METIS_OPTION_NITER] = (idx_t)task->iterations;
    if (task->cuts)
        options[METIS_OPTION_NCUTS] = (idx_t)task->cuts;
    options[METIS_OPTION_UFACTOR] = (idx_t)(task->imbalance * 1000 + 0.5);
    options[METIS_OPTION_SEED] = (idx_t)((task->seed ^ task->seed >> 31) & INT32_MAX);
}

/* METIS adds up weights in its own integers.
 * Weights are 0 or more, so that what is left of the range tells an overflow before it happens. */
static mplan_status check_sums(const mplan_cut_task *task, mplan_error *err)
{
    const int64_t most = sizeof(idx_t) == 4 ? INT32_MAX : INT64_MAX;
    for (int64_t c = 0; c < task->n_constraints; c++) {
        int64_t left = most;
        for (int64_t v = 0; v < task->n; v++) {
            int64_t weight = task->weights[v * task->n_constraints + c];
            if (weight > left)
                return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                                  "the weights of column %lld add up to more than METIS's integers "
                                  "of %d bits hold",
                                  (long long)c + 1, 8 * (int)sizeof(idx_t));
            left -= weight;
        }
    }
    int64_t left = most;
    for (int64_t v = 0; task->sizes && v < task->n; v++) {
        if (task->sizes[v] > left)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "the sizes add up to more than METIS's integers of %d bits hold",
                              8 * (int)sizeof(idx_t));
        left -= task->sizes[v];
    }
    left = most;
    for (int64_t i = 0; task->edge_weights && i < task->offsets[task->n]; i++) {
        if (task->edge_weights[i] > left)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "the weights of the edges add up to more than METIS's integers of %d "
                              "bits hold",
                              8 * (int)sizeof(idx_t));
        left -= task->edge_weights[i];
    }
    return MPLAN_OK;
}

/* The share of each part in each constraint; NULL without shares or memory.
 * n_parts x n_constraints numbers, part by part, as METIS's tpwgts. */
static real_t *shares_of(const mplan_cut_task *task, int64_t n_constraints)
{
    if (!task->shares)
        return NULL;
    real_t *to = malloc((size_t)(task->n_parts * n_constraints) * sizeof *to);
    for (int64_t p = 0; p < task->n_parts && to; p++)
        for (int64_t c = 0; c < n_constraints; c++)
            to[p * n_constraints + c] = (real_t)task->shares[p];
    return to;
}

/* What METIS is called with.
 * part: n entries, out; the others have the lengths of mplan_cut_task. NULL: METIS takes all as equal. */
typedef struct metis_input {
    idx_t constraints, *offsets, *neighbours, *weights, *edge_weights, *sizes, *part;
    real_t *shares;
} metis_input;

/* METIS takes the neighbours as they are where the widths agree; it may write to them. */
static mplan_status take_input(const mplan_cut_task *task, metis_input *in, mplan_error *err)
{
    int64_t entries = task->offsets[task->n];
    in->constraints = (idx_t)(task->n_constraints ? task->n_constraints : 1);
    in->offsets = numbers_of(task->offsets, sizeof *task->offsets, task->n + 1);
    in->part = malloc((size_t)task->n * sizeof *in->part);
    in->neighbours = (idx_t *)(void *)task->neighbours;
    if (sizeof(idx_t) != sizeof *task->neighbours)
        in->neighbours = numbers_of(task->neighbours, sizeof *task->neighbours, entries);
    if (task->weights)
        in->weights = numbers_of(task->weights, sizeof *task->weights, task->n * in->constraints);
    if (task->edge_weights)
        in->edge_weights = numbers_of(task->edge_weights, sizeof *task->edge_weights, entries);
    if (task->sizes)
        in->sizes = numbers_of(task->sizes, sizeof *task->sizes, task->n);
    in->shares = shares_of(task, in->constraints);
    bool whole = in->offsets && in->part && in->neighbours && (in->weights || !task->weights) &&
                 (in->edge_weights || !task->edge_weights) && (in->sizes || !task->sizes) &&
                 (in->shares || !task->shares);
    return whole ? MPLAN_OK : mplan_fail(err, MPLAN_ERR_MEMORY, "METIS ran out of memory");
}

/* task->answer[v] becomes the part of vertex v, -1 where METIS gave none that exists: the
 * library repairs it. Inputs are copied where METIS's integers are wider than the task's. */
mplan_status mplan_cut_by_metis(const mplan_cut_task *task, mplan_error *err)
{
    int64_t entries = task->offsets[task->n];
    if (sizeof(idx_t) == 4 && entries > INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "a graph of %lld neighbours needs METIS with 64-bit integers",
                          (long long)entries);
    idx_t n = (idx_t)task->n, n_parts = (idx_t)task->n_parts, cut, options[METIS_NOPTIONS];
    metis_input in = {0};
    mplan_status status = check_sums(task, err);
    if (!status)
        status = take_input(task, &in, err);
    if (status)
        return status;
    set_options(task, options);
    int outcome = (task->flags & MPLAN_CUT_RECURSIVE
                       ? METIS_PartGraphRecursive
                       : METIS_PartGraphKway)(&n, &in.constraints, in.offsets, in.neighbours,
                                              in.weights, in.sizes, in.edge_weights, &n_parts,
                                              in.shares, NULL, options, &cut, in.part);
    if (outcome != METIS_OK)
        return outcome == METIS_ERROR_MEMORY
                   ? mplan_fail(err, MPLAN_ERR_MEMORY, "METIS ran out of memory")
                   : mplan_fail(err, MPLAN_ERR_PARTITIONER, "METIS failed with status %d", outcome);
    for (int64_t v = 0; v < task->n; v++)
        task->answer[v] = in.part[v] < 0 || in.part[v] >= n_parts ? -1 : (int32_t)in.part[v];
    return MPLAN_OK;
}
#else
typedef int mplan_no_metis;
#endif
