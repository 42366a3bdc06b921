/* SPDX-License-Identifier: Apache-2.0 */
/* contained.c - partitions that need no partitioner, answers that can be none */
#include <assert.h>

#include "partition/contained.h"

#include "base/error.h"

/* True when part was filled: there was nothing to decide. Runs of the index then; with as many
 * parts as vertices or more each vertex is a part, and the others are empty. */
static bool part_trivially(const mplan_csr *graph, int64_t n_parts, int32_t *part)
{
    int64_t n = graph->n;
    if (n > 0 && n_parts > 1 && n_parts < n && graph->offsets[n] > 0)
        return false;
    int64_t parts = n_parts < n ? n_parts : n;
    for (int64_t v = 0; v < n; v++)
        part[v] = parts < 2 ? 0 : (int32_t)(v * parts / n);
    return true;
}

/* part: one per vertex; whatever the program answered is checked before anyone
 * uses it as an index. */
static mplan_status look_over(const mplan_cut *cut, const int32_t *part, mplan_error *err)
{
    for (int64_t v = 0; v < cut->graph->n; v++)
        if (part[v] < 0 || part[v] >= cut->n_parts)
            return mplan_fail(err, MPLAN_ERR_PARTITIONER,
                              "%s put vertex %lld into a part that is not one of %lld", cut->name,
                              (long long)v, (long long)cut->n_parts);
    return MPLAN_OK;
}

/* One part, no edges or no vertices need no program. part: out, one per vertex
 * in [0, n_parts). */
mplan_status mplan_partition_contained(const mplan_cut *cut, int32_t *part,
                                       const mplan_context *context, mplan_error *err)
{
    assert(cut && part && cut->graph);
    int64_t n = cut->graph->n;
    if (cut->n_parts > INT32_MAX || (cut->n_parts <= 0 && n > 0))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "cannot cut %lld vertices into %lld parts",
                          (long long)n, (long long)cut->n_parts);
    if (part_trivially(cut->graph, cut->n_parts, part))
        return MPLAN_OK;
    mplan_status status = mplan_cut_in_child(cut, part, context, err);
    return status ? status : look_over(cut, part, err);
}
