/* SPDX-License-Identifier: Apache-2.0 */
/* cut.h - graphs as meshplan-partition gets them, and the partitioners that it calls */
#ifndef MPLAN_HELPER_CUT_H
#define MPLAN_HELPER_CUT_H

#include <stdint.h>

#include "meshplan.h"

/* Neighbours of v: neighbours[offsets[v]] ... . Both arrays are the program's own, to write to. */
typedef struct mplan_cut_task {
    int64_t n;
    int64_t *offsets;    /* n + 1 */
    int32_t *neighbours; /* offsets[n] */
    int64_t n_parts;
    double imbalance; /* largest part / mean - 1 */
    uint64_t seed;
    int64_t n_constraints;
    int64_t *weights;         /* n x n_constraints; NULL: none, as the three that follow */
    int64_t *edge_weights;    /* offsets[n] */
    int64_t *sizes;           /* n */
    double *shares;           /* n_parts */
    int64_t flags;            /* MPLAN_CUT_RECURSIVE, ... of mesh/cut_child.h */
    int64_t iterations, cuts; /* 0: the partitioner's own */
    int32_t *answer; /* n, out: a part, or of an order a place, each; -1: none that is one */
} mplan_cut_task;

/* Nothing is released: the program ends afterwards. MPLAN_ERR_UNSUPPORTED where the partitioner's
 * integers are too narrow. */
mplan_status mplan_cut_by_metis(const mplan_cut_task *task, mplan_error *err);
mplan_status mplan_cut_by_scotch(const mplan_cut_task *task, mplan_error *err);
/* SCOTCH's Gibbs-Poole-Stockmeyer order. */
mplan_status mplan_order_by_scotch(const mplan_cut_task *task, mplan_error *err);

#endif
