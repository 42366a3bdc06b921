/* contained.c - partitions that need no partitioner, answers that can be none */
#include "partition/contained.h"

#include "base/child.h"
#include "base/error.h"

/* True when part was filled: there was nothing to decide. */
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

static mplan_status accept(const char *name, const mplan_contained_task *task, int32_t *part,
                           mplan_error *err)
{
    for (int64_t v = 0; v < task->graph->n; v++)
        if (task->answer[v] < 0 || task->answer[v] >= task->n_parts)
            return mplan_fail(err, MPLAN_ERR_PARTITIONER,
                              "%s put vertex %lld into a part that is not one of %lld", name,
                              (long long)v, (long long)task->n_parts);
    for (int64_t v = 0; v < task->graph->n; v++)
        part[v] = task->answer[v];
    return MPLAN_OK;
}

mplan_status mplan_partition_contained(const char *name, size_t index_bytes,
                                       int (*child)(void *task), mplan_contained_task *task,
                                       int32_t *part, const mplan_context *context,
                                       mplan_error *err)
{
    int64_t n = task->graph->n, entries = task->graph->offsets[n];
    if (task->n_parts > INT32_MAX || (task->n_parts <= 0 && n > 0))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "cannot cut %lld vertices into %lld parts",
                          (long long)n, (long long)task->n_parts);
    if (part_trivially(task->graph, task->n_parts, part))
        return MPLAN_OK;
    if (index_bytes == 4 && entries > INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "a graph of %lld neighbours needs %s with 64-bit integers",
                          (long long)entries, name);
    size_t bytes = (size_t)n * sizeof *task->answer;
    task->answer = mplan_child_buffer(bytes, err);
    if (!task->answer)
        return MPLAN_ERR_MEMORY;
    mplan_status status = mplan_child_run(name, child, task, context, err);
    if (status == MPLAN_OK)
        status = accept(name, task, part, err);
    mplan_child_buffer_free(task->answer, bytes);
    task->answer = NULL;
    return status;
}
