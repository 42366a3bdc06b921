/* contained.h - a graph partitioner of somebody else's, run where it can do no harm */
#ifndef MPLAN_CONTAINED_H
#define MPLAN_CONTAINED_H

#include "mesh/adjacency.h"
#include "meshplan.h"

/* What a partitioner's child process is told; it writes its answer, one part per
 * vertex, into shared memory. */
typedef struct mplan_contained_task {
    const mplan_csr *graph;
    int64_t n_parts;
    double imbalance; /* largest part / mean - 1 */
    uint64_t seed;
    int32_t *answer;
} mplan_contained_task;

/* Fills part without the partitioner where there is nothing to decide (no
 * vertices, one part, as many parts as vertices or more, no edges: then runs of
 * the index); else runs `child` on the task in a child process and takes its
 * answer when every value lies in [0, n_parts). index_bytes: width of its
 * integers, which must hold the number of neighbours. MPLAN_ERR_ARGUMENT when n
 * vertices cannot be cut into so many parts; MPLAN_ERR_UNSUPPORTED;
 * MPLAN_ERR_PARTITIONER. */
mplan_status mplan_partition_contained(const char *name, size_t index_bytes,
                                       int (*child)(void *task), mplan_contained_task *task,
                                       int32_t *part, const mplan_context *context,
                                       mplan_error *err);

#endif
