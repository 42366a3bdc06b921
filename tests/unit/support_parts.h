/* SPDX-License-Identifier: Apache-2.0 */
/* support_parts.h - parts of a mesh by the plainest code, for tests of the executor
 *
 * Nothing of it comes from the library's cutter: owners, halos and lists are found by looking at everything. */
#ifndef MPLAN_SUPPORT_PARTS_H
#define MPLAN_SUPPORT_PARTS_H

#include "exec/ranks/exec_parts.h"

typedef struct support_parts {
    int32_t n_parts, n_sets;
    int64_t *base; /* as of mplan_exec_parts */
    mplan_plan **plan;
    int64_t device_memory; /* with which they are opened; 0 at first */
} support_parts;

/* part_of[s]: the part of each member of set s of the mesh. All sets and maps of the mesh are in the plans. Each loop has two
 * variants, two-step (where it gathers) and atomic; 0 is the default. */
void support_parts_make(const mplan_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                        int32_t n_parts, int32_t *const *part_of, support_parts *parts);
void support_parts_free(support_parts *parts);
/* Opens them; the plans that executors get are copies. */
mplan_exec *support_parts_open(const support_parts *parts, const mplan_transport *transport,
                               mplan_executor executor, const mplan_rank_options *ranks);
/* The same, where opening may fail. */
mplan_status support_parts_try(const support_parts *parts, const mplan_transport *transport,
                               mplan_executor executor, const mplan_rank_options *ranks,
                               mplan_exec **exec, mplan_error *err);

#endif
