/* SPDX-License-Identifier: Apache-2.0 */
/* cache_folder.h - the folder of a cache: where things lie, how they come and go */
#ifndef MPLAN_CACHE_FOLDER_H
#define MPLAN_CACHE_FOLDER_H

#include "cache/content.h"

#define MPLAN_CACHE_VERSION "1"

enum { MPLAN_CACHE_PATH = 4096 };

/* FOLDER/KIND/ab/cdef...ENDING. MPLAN_ERR_CREATE: too long. */
mplan_status mplan_cache_path(const char *folder, const char *kind, const mplan_content *content,
                              const char *ending, char path[MPLAN_CACHE_PATH], mplan_error *err);
mplan_status mplan_cache_path_of_key(const char *folder, const char *kind, const char *key,
                                     char path[MPLAN_CACHE_PATH], mplan_error *err);

/* Makes the folders that hold path, from that of the cache on, with a tag by which programs that back up skip it. */
mplan_status mplan_cache_make_folders(const char *folder, const char *path, mplan_error *err);
/* Says that a file was used now. */
void mplan_cache_touch(const char *path);

/* The entries of a record file, behind its head: the caller's; NULL: there is none, or it is not one. */
mplan_status mplan_record_read(const char *path, const mplan_context *context, char **text,
                               mplan_error *err);
/* mine, then what of older (may be NULL) has room. */
mplan_status mplan_record_write(const char *path, const char *mine, const char *older,
                                mplan_error *err);

/* path becomes a link to the object. *linked: false where that cannot be, and where path is a pipe or device. */
mplan_status mplan_cache_link(const char *object, const char *path, const mplan_context *context,
                              bool *linked, mplan_error *err);

/* Takes the lease of a key, waits while another process shows that it lives, or breaks one that was left behind.
 * *mine: false when the other one has given it back. *lease: -1 where leases cannot be made, which counts as mine. */
mplan_status mplan_lease_take(const char *folder, const char *key, const mplan_context *context,
                              int *lease, bool *mine, mplan_error *err);
void mplan_lease_give_back(const char *folder, const char *key, int *lease);

#endif
