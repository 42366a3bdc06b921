/* SPDX-License-Identifier: Apache-2.0 */
/* file_lock.h - a lock between processes: only one holds it at a time */
#ifndef MPLAN_FILE_LOCK_H
#define MPLAN_FILE_LOCK_H

#include "meshplan.h"

/* Waits until no other process holds the lock of the file; it is made if it does not exist, and never
 * written. *lock: its descriptor, for mplan_app_unlock. */
mplan_status mplan_app_lock(const char *path, int *lock, mplan_error *err);
void mplan_app_unlock(int lock);

#endif
