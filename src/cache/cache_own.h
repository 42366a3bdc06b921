/* SPDX-License-Identifier: Apache-2.0 */
/* cache_own.h - a cache that is open, for the files of this folder */
#ifndef MPLAN_CACHE_OWN_H
#define MPLAN_CACHE_OWN_H

#include "base/file.h"
#include "cache/cache.h"
#include "cache/cache_record.h"

typedef struct cache_output {
    char key[MPLAN_CONTENT_TEXT]; /* of the request and this output of it */
    mplan_cache_entry hit;        /* what was found */
    bool found;                   /* something was */
    mplan_file plan;              /* and its plan, where it was asked for */
} cache_output;

struct mplan_cache {
    mplan_cache_options options;
    const mplan_context *context;
    char *folder; /* of this version: FOLDER/1 */
    char *marks;
    char *base; /* the folder of the only path, with its slash; NULL: several paths are named */
    char program[MPLAN_CONTENT_TEXT]; /* content of the program; "" until it is needed */
    mplan_cache_entry now;            /* what is noted of this call */
    bool speaks;                      /* of itself: what is said is not about the plan */
    const char *spoiled;              /* why it cannot be stored; NULL: it can */
    cache_output outputs[MPLAN_CACHE_OUTPUTS];
    cache_output *at; /* the one that was chosen: one of outputs */
    int lease;        /* of the first output, open while this process holds it; -1 */
    double shown;     /* when the lease was last touched, seconds */
};

/* All inputs of the entry are what they were. An entry without inputs would always be: it never counts. */
bool mplan_cache_is_current(const mplan_cache *cache, const mplan_cache_entry *entry);

#endif
