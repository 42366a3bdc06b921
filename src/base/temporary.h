/* SPDX-License-Identifier: Apache-2.0 */
/* temporary.h - names of what is not yet whole, and what killed processes left of it
 *
 * A temporary file or folder is named ".meshplan-", 32 hexadecimal digits from the system's random source,
 * ".tmp", and is locked by flock while its writer lives. */
#ifndef MPLAN_TEMPORARY_H
#define MPLAN_TEMPORARY_H

#include <sys/stat.h>

#include "meshplan.h"

#define MPLAN_TEMPORARY_BYTES 47 /* of a name, with the zero behind it */

/* A new name; MPLAN_ERR_INTERNAL where the system has no random bytes. */
mplan_status mplan_temporary_name(char name[MPLAN_TEMPORARY_BYTES], mplan_error *err);

/* Says that a living writer has fd. Does nothing on file systems without locks. */
void mplan_temporary_lock(int fd);

/* The file or folder fd, which is to replace what `old` tells of, gets its mode, and its owner and group where
 * this user may give them. What the group was allowed goes to no other group. */
void mplan_temporary_keep_rights(int fd, const struct stat *old);

/* Removes from a folder the temporary files and folders that nobody locks, that are older than ten minutes
 * and belong to this user. Looks at no more than the first 65536 names, follows no links, and keeps what it
 * cannot lock. Folders are removed with the regular files in them, and stay where they hold anything else. */
void mplan_temporary_sweep(int folder);

/* Removes the regular files of a folder that is open, and then the folder itself, `name` in its parent. */
void mplan_temporary_remove_folder(int folder, int parent, const char *name);

#endif
