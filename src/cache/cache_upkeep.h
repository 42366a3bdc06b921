/* SPDX-License-Identifier: Apache-2.0 */
/* cache_upkeep.h - what lies in a cache, and what goes */
#ifndef MPLAN_CACHE_UPKEEP_H
#define MPLAN_CACHE_UPKEEP_H

#include "meshplan.h"

typedef struct mplan_cache_contents {
    int64_t plans, plan_bytes;
    int64_t requests, marks, leases;
    int64_t damaged;       /* plans that are not what their names say; of mplan_cache_verify */
    int64_t removed;       /* files, and */
    int64_t removed_bytes; /* of plans */
} mplan_cache_contents;

/* A plan: its name as hexadecimal digits, bytes, seconds since 1970 when it was used last. */
typedef void mplan_cache_visit(void *user, const char *name, int64_t bytes, int64_t used);

/* Counts, and tells of each plan, the one that was used last first. visit may be NULL. A folder that is not there is an
 * empty cache; MPLAN_ERR_NO_INPUT where it cannot be read. */
mplan_status mplan_cache_count(const char *folder, mplan_cache_visit *visit, void *user,
                               mplan_cache_contents *contents, mplan_error *err);
/* Removes plans, those first that were not used for longest, until the others have at most max bytes (below 0: any);
 * then requests whose plans are all gone, marks that are older than 30 days, and leases that nobody shows life of. Other
 * processes may use the cache meanwhile: they find the plan or plan again. */
mplan_status mplan_cache_clean(const char *folder, int64_t max, const mplan_context *context,
                               mplan_cache_contents *contents, mplan_error *err);
/* Reads every plan; those that are damaged are removed, with a warning each. */
mplan_status mplan_cache_verify(const char *folder, const mplan_context *context,
                                mplan_cache_contents *contents, mplan_error *err);

#endif
