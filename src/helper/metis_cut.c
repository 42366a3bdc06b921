/* SPDX-License-Identifier: Apache-2.0 */
/* metis_cut.c - METIS_PartGraphKway
 *
 * G. Karypis, V. Kumar, SIAM J. Sci. Comput. 20 (1998). It draws from the process's rand() with a
 * fixed seed. It may return METIS_OK with parts that are empty or above the limit: the answer is
 * audited and repaired by whoever asked. */
#if defined MPLAN_HAVE_METIS
#include <stdlib.h>

#include <metis.h>

#include "base/error.h"
#include "helper/cut.h"

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
    options[METIS_OPTION_OBJTYPE] = METIS_OBJTYPE_CUT;
    options[METIS_OPTION_CONTIG] = 0;
    options[METIS_OPTION_UFACTOR] = (idx_t)(task->imbalance * 1000 + 0.5);
    options[METIS_OPTION_SEED] = (idx_t)((task->seed ^ task->seed >> 31) & INT32_MAX);
}

/* METIS takes the neighbours as they are where the widths agree; it may write to them. */
mplan_status mplan_cut_by_metis(const mplan_cut_task *task, mplan_error *err)
{
    int64_t entries = task->offsets[task->n];
    if (sizeof(idx_t) == 4 && entries > INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "a graph of %lld neighbours needs METIS with 64-bit integers",
                          (long long)entries);
    idx_t n = (idx_t)task->n, constraints = 1, n_parts = (idx_t)task->n_parts, cut;
    idx_t *offsets = numbers_of(task->offsets, sizeof *task->offsets, task->n + 1);
    idx_t *part = malloc((size_t)task->n * sizeof *part);
    idx_t *neighbours = (idx_t *)(void *)task->neighbours;
    if (sizeof(idx_t) != sizeof *task->neighbours)
        neighbours = numbers_of(task->neighbours, sizeof *task->neighbours, entries);
    if (!offsets || !part || !neighbours)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "METIS ran out of memory");
    idx_t options[METIS_NOPTIONS];
    set_options(task, options);
    int outcome = METIS_PartGraphKway(&n, &constraints, offsets, neighbours, NULL, NULL, NULL,
                                      &n_parts, NULL, NULL, options, &cut, part);
    if (outcome != METIS_OK)
        return outcome == METIS_ERROR_MEMORY
                   ? mplan_fail(err, MPLAN_ERR_MEMORY, "METIS ran out of memory")
                   : mplan_fail(err, MPLAN_ERR_PARTITIONER, "METIS failed with status %d", outcome);
    for (int64_t v = 0; v < task->n; v++)
        task->answer[v] = part[v] < 0 || part[v] >= n_parts ? -1 : (int32_t)part[v];
    return MPLAN_OK;
}
#else
typedef int mplan_no_metis;
#endif
