/* SPDX-License-Identifier: Apache-2.0 */
/* visit_ring.h - pieces of memory through which streams go that a device cannot copy from where they are
 *
 * Threads fill pieces from a file, or from memory that is not pinned, while the device copies others; and the way back. */
#ifndef MPLAN_EXEC_VISIT_RING_H
#define MPLAN_EXEC_VISIT_RING_H

#include "exec/exec.h"
#include "exec/visit_store.h"

typedef struct mplan_ring mplan_ring;

/* pipe: of a device, to whose windows the pieces go (mplan_gpu_pipe_make); NULL: all is memory of the host. team: threads that
 * fill pieces. store: NULL without a file. */
mplan_status mplan_ring_make(mplan_store *store, void *pipe, mplan_team *team, mplan_ring **ring,
                             mplan_error *err);
void mplan_ring_free(mplan_ring *ring); /* may be NULL; nothing is under way */

/* What goes in or comes out: `bytes` bytes at `window`, in addresses that repeat behind `turn` bytes (at least `bytes`: not in
 * these), whose home is memory, or with home NULL a range of the store that begins at `at`, a multiple of MPLAN_STORE_UNIT, and ends
 * with a whole unit of it. */
typedef struct mplan_ring_move {
    char *window, *home;
    int64_t at, bytes, turn;
} mplan_ring_move;
/* Adds it; it may be under way when the call returns. What comes out is home behind mplan_ring_end only. */
mplan_status mplan_ring_add(mplan_ring *ring, bool in, const mplan_ring_move *move, mplan_error *err);
/* All that was added has gone to the device's stream, or is home. */
mplan_status mplan_ring_end(mplan_ring *ring, mplan_error *err);

#endif
