/* simple.h - what both graph partitioners share: cases that need none, and
 * whether to believe an answer */
#ifndef MPLAN_SIMPLE_H
#define MPLAN_SIMPLE_H

#include "mesh/adjacency.h"
#include "meshplan.h"

/* MPLAN_ERR_ARGUMENT unless n vertices can be cut into n_parts parts (some may be empty). */
mplan_status mplan_check_parts(int64_t n, int64_t n_parts, mplan_error *err);

/* True when part was filled without a partitioner: no vertices, one part, as
 * many parts as vertices or more, or no edges (then runs of the index). */
bool mplan_partition_simple(const mplan_csr *graph, int64_t n_parts, int32_t *part);

/* Copies an answer whose values all lie in [0, n_parts), else
 * MPLAN_ERR_PARTITIONER with the partitioner's name. */
mplan_status mplan_accept_parts(const char *name, int64_t n, int64_t n_parts,
                                const int32_t *answer, int32_t *part, mplan_error *err);

#endif
