/* simple.c - partitions that need no partitioner, answers that can be none */
#include "partition/simple.h"

#include "base/error.h"

mplan_status mplan_check_parts(int64_t n, int64_t n_parts, mplan_error *err)
{
    if (n_parts <= INT32_MAX && (n_parts > 0 || n == 0))
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "cannot cut %lld vertices into %lld parts",
                      (long long)n, (long long)n_parts);
}

bool mplan_partition_simple(const mplan_csr *graph, int64_t n_parts, int32_t *part)
{
    int64_t n = graph->n;
    if (n > 0 && n_parts > 1 && n_parts < n && graph->offsets[n] > 0)
        return false;
    int64_t parts = n_parts < n ? n_parts : n;
    for (int64_t v = 0; v < n; v++)
        part[v] = parts < 2 ? 0 : (int32_t)(v * parts / n);
    return true;
}

mplan_status mplan_accept_parts(const char *name, int64_t n, int64_t n_parts,
                                const int32_t *answer, int32_t *part, mplan_error *err)
{
    for (int64_t v = 0; v < n; v++)
        if (answer[v] < 0 || answer[v] >= n_parts)
            return mplan_fail(err, MPLAN_ERR_PARTITIONER,
                              "%s put vertex %lld into a part that is not one of %lld", name,
                              (long long)v, (long long)n_parts);
    for (int64_t v = 0; v < n; v++)
        part[v] = answer[v];
    return MPLAN_OK;
}
