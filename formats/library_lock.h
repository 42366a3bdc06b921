/* SPDX-License-Identifier: Apache-2.0 */
/* library_lock.h - libhdf5, and libnetcdf and libcgns on top of it, one thread at a time */
#ifndef MPLAN_LIBRARY_LOCK_H
#define MPLAN_LIBRARY_LOCK_H

/* Not recursive. */
void mplan_library_lock(void);
void mplan_library_unlock(void);

#endif
