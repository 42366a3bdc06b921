/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot.h - all dats of an executor, kept beside them, and a fingerprint of their bits
 *
 * Runs from the same data again and again without the way through the host. */
#ifndef MPLAN_EXEC_SNAPSHOT_H
#define MPLAN_EXEC_SNAPSHOT_H

#include "exec/exec.h"

typedef struct mplan_exec_snapshot mplan_exec_snapshot;

/* Keeps the dats as they are, where the executor computes. */
mplan_status mplan_exec_snapshot_take(mplan_exec *exec, mplan_exec_snapshot **snapshot,
                                      mplan_error *err);
/* Puts the kept dats back, in the order of the default stream. */
mplan_status mplan_exec_snapshot_restore(const mplan_exec_snapshot *snapshot, mplan_error *err);
void mplan_exec_snapshot_free(mplan_exec_snapshot *snapshot);

/* Restores the dats, has `step` launch into the default stream, and takes a fingerprint of all stored bits, the same on host and device: n times,
 * with few waits for the device. *equal becomes false where one differs from the first. */
mplan_status mplan_exec_repeat(const mplan_exec_snapshot *snapshot, int64_t n,
                               mplan_status (*step)(void *user, mplan_error *err), void *user,
                               bool *equal, mplan_error *err);

#endif
