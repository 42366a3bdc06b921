/* SPDX-License-Identifier: Apache-2.0 */
/* tune_child.h - work in a copy of this process, whatever may become of it */
#ifndef MPLAN_APPS_TUNE_CHILD_H
#define MPLAN_APPS_TUNE_CHILD_H

#include <stddef.h>

#include "meshplan.h"

/* Does work(user, result) in a copy of this process (fork) and brings the `size` bytes of result back. Nothing else that
 * the work changes is seen here. No device may be open and no other thread may run in this process.
 *
 * Returns MPLAN_OK, or as err says: MPLAN_ERR_DEVICE for work that ended by a signal, ended the process, or did not end
 * within `patience` seconds; MPLAN_ERR_INTERRUPTED as `cancelled` of the context has it; MPLAN_ERR_IO where no process
 * can be made. */
mplan_status mplan_in_child(void (*work)(void *user, void *result), void *user, void *result,
                            size_t size, double patience, const mplan_context *context,
                            mplan_error *err);

#endif
