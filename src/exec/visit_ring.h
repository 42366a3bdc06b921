/* SPDX-License-Identifier: Apache-2.0 */
/* visit_ring.h - pieces of memory through which streams go that a device cannot copy from where they are
 *
 * Threads read pieces from a file, or from memory that is not pinned, and write others there, while the device, or the executor, computes:
 * what goes in may be read before its turn, and what came out is written behind it. One thread makes the calls. */
#ifndef MPLAN_EXEC_VISIT_RING_H
#define MPLAN_EXEC_VISIT_RING_H

#include "exec/exec.h"
#include "exec/visit_store.h"

typedef struct mplan_ring mplan_ring;

/* pipe: of a device, to whose windows the pieces go (mplan_gpu_pipe_make); NULL: all is memory of the host. team: its threads are
 * as many as copy pieces where there is no file. store: NULL without a file. */
mplan_status mplan_ring_make(mplan_store *store, void *pipe, mplan_team *team, mplan_ring **ring,
                             mplan_error *err);
/* May be NULL. Waits for reads and writes that are under way; copies of a device must have ended. */
void mplan_ring_free(mplan_ring *ring);

/* What goes in or comes out: `bytes` bytes at `window`, in addresses that repeat behind `turn` bytes (at least `bytes`: not in
 * these), whose home is memory, or with home NULL a range of the store that begins at `at`, a multiple of MPLAN_STORE_UNIT, and ends
 * with a whole unit of it. */
typedef struct mplan_ring_move {
    char *window, *home;
    int64_t at, bytes, turn;
} mplan_ring_move;
/* Adds a move, which reads its home behind writes of it that were added before, and may be under way when the call returns. What
 * comes out has left the window then, of a device at the latest when its next stage begins. */
mplan_status mplan_ring_add(mplan_ring *ring, bool in, const mplan_ring_move *move, mplan_error *err);
/* *all: whether all that was added to go in has gone, to the window or to the device's stream; else some of it has, for which the call
 * may have waited. */
mplan_status mplan_ring_go(mplan_ring *ring, bool *all, mplan_error *err);
/* Pieces of moves that go in next are read already, as far as there are free ones: the next moves that mplan_ring_add gets to go in must be
 * these, in this order. *skip: pieces that such calls have read since; counted by mplan_ring_read_ahead, with which a list of calls begins.
 * *more: false where nothing more can be read now. */
int64_t mplan_ring_read_ahead(const mplan_ring *ring);
mplan_status mplan_ring_ahead(mplan_ring *ring, const mplan_ring_move *move, int64_t *skip,
                              bool *more, mplan_error *err);
/* All that was added has gone to the device's stream, or is home. */
mplan_status mplan_ring_end(mplan_ring *ring, mplan_error *err);

#endif
