/* SPDX-License-Identifier: Apache-2.0 */
/* level_numbering.h - numbers the vertices of a level structure, level by level */
#ifndef MPLAN_LEVEL_NUMBERING_H
#define MPLAN_LEVEL_NUMBERING_H

#include "mesh/adjacency.h"

/* What is numbered. Level 0 is given: its n_first vertices in their order, and
 * the row of each (rows ascend; see MPLAN_LEVELS_BY_ROW). With n_first = 0 it is
 * numbered like any other level, from its vertex of lowest degree on. */
typedef enum mplan_level_rule {
    MPLAN_LEVELS_BY_FIRST, /* by the first numbered neighbour, then degree */
    MPLAN_LEVELS_BY_ROW    /* by the mean row, then the mean number, of the
                              neighbours one level back; needs n_first > 0 */
} mplan_level_rule;

typedef struct mplan_level_task {
    const mplan_csr *graph;
    const int32_t *level; /* n: 0 ... depth; neighbours at most one apart */
    int32_t depth;
    bool from_last; /* levels count from the last one */
    const int32_t *first, *first_row;
    int64_t n_first;
    mplan_level_rule rule;
} mplan_level_task;

/* sequence: out, the n vertices in the order of their numbers; place: out, its
 * inverse. MPLAN_OK, MPLAN_ERR_MEMORY or MPLAN_ERR_INTERRUPTED. O(n log n + edges),
 * scratch 12 bytes a vertex. */
mplan_status mplan_level_number(const mplan_level_task *task, int32_t *sequence, int32_t *place,
                                const mplan_context *context, mplan_error *err);

static inline int32_t mplan_task_level(const mplan_level_task *task, int32_t v)
{
    return task->from_last ? task->depth - task->level[v] : task->level[v];
}

#endif
