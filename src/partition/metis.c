/* metis.c - METIS_PartGraphKway behind a fence
 *
 * G. Karypis, V. Kumar, SIAM J. Sci. Comput. 20 (1998). It runs in a child
 * process: METIS traps signals, draws from the process's rand() and leaves by
 * exit() on errors. It may also return METIS_OK with parts that are empty or
 * above the limit, hence the audit here and mplan_partition_repair. */
#include "base/child.h"
#include "base/error.h"
#include "partition/contained.h"
#include "partition/partition.h"

#if defined MPLAN_HAVE_METIS

#include <stdlib.h>

#include <metis.h>

static idx_t *metis_numbers(const void *from, size_t width, int64_t n)
{
    idx_t *to = malloc((size_t)(n + 1) * sizeof *to);
    for (int64_t i = 0; i < n && to; i++)
        to[i] = width == 8 ? (idx_t)((const int64_t *)from)[i] : (idx_t)((const int32_t *)from)[i];
    return to;
}

/* In the child, which ends after this: nothing is released. METIS takes the
 * neighbours as they are where the widths agree; it may write to them, which
 * reaches the child's copy alone. */
static int metis_child(void *data)
{
    const mplan_contained_task *task = data;
    const mplan_csr *graph = task->graph;
    idx_t n = (idx_t)graph->n, constraints = 1, n_parts = (idx_t)task->n_parts, cut;
    idx_t *offsets = metis_numbers(graph->offsets, sizeof *graph->offsets, graph->n + 1);
    idx_t *part = malloc((size_t)graph->n * sizeof *part);
    idx_t *neighbours = (idx_t *)(void *)graph->neighbours;
    if (sizeof(idx_t) != sizeof *graph->neighbours)
        neighbours = metis_numbers(graph->neighbours, sizeof *graph->neighbours,
                                   graph->offsets[graph->n]);
    if (!offsets || !part || !neighbours)
        return MPLAN_CHILD_NO_MEMORY;
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_OBJTYPE] = METIS_OBJTYPE_CUT;
    options[METIS_OPTION_CONTIG] = 0;
    options[METIS_OPTION_UFACTOR] = (idx_t)(task->imbalance * 1000 + 0.5);
    options[METIS_OPTION_SEED] = (idx_t)((task->seed ^ task->seed >> 31) & INT32_MAX);
    int outcome = METIS_PartGraphKway(&n, &constraints, offsets, neighbours, NULL, NULL, NULL,
                                      &n_parts, NULL, NULL, options, &cut, part);
    if (outcome != METIS_OK)
        return outcome == METIS_ERROR_MEMORY ? MPLAN_CHILD_NO_MEMORY : 1;
    for (int64_t v = 0; v < graph->n; v++)
        task->answer[v] = part[v] < 0 || part[v] >= n_parts ? -1 : (int32_t)part[v];
    return 0;
}

mplan_status mplan_partition_metis(const mplan_csr *graph, int64_t n_parts, int32_t ufactor,
                                   uint64_t seed, int32_t *part, const mplan_context *context,
                                   mplan_error *err)
{
    mplan_contained_task task = {graph, n_parts, ufactor / 1000.0, seed, NULL};
    return mplan_partition_contained("METIS", sizeof(idx_t), metis_child, &task, part, context, err);
}

#else

mplan_status mplan_partition_metis(const mplan_csr *graph, int64_t n_parts, int32_t ufactor,
                                   uint64_t seed, int32_t *part, const mplan_context *context,
                                   mplan_error *err)
{
    (void)graph;
    (void)n_parts;
    (void)ufactor;
    (void)seed;
    (void)part;
    (void)context;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "this build has no METIS");
}

#endif
