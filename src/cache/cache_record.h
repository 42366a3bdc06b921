/* SPDX-License-Identifier: Apache-2.0 */
/* cache_record.h - what a request led to, by the inputs that it had: text that lies in the cache
 *
 * A record is a list of entries, the newest first: one request may have met several contents of its inputs.
 *   meshplan cache 1
 *   plan CONTENT BYTES SECONDS           an entry begins: the plan, and how long it took to make
 *   warning TEXT                         what was said meanwhile
 *   file CONTENT BYTES PLACE PATH        inputs, in the order in which they were met. PLACE: @, beside the only path that
 *   absent PLACE PATH                    the call names, which may lie in another folder now; else =
 *   names CONTENT BYTES PLACE PATH
 *   end CHECK                            the content of the lines of the entry before this one */
#ifndef MPLAN_CACHE_RECORD_H
#define MPLAN_CACHE_RECORD_H

#include "cache/cache_inputs.h"

enum { MPLAN_RECORD_ENTRIES = 16 };

typedef struct mplan_cache_entry {
    mplan_content plan;
    double seconds;
    mplan_vector warnings; /* char *, owned */
    mplan_cache_inputs inputs;
} mplan_cache_entry;

/* Text of an entry, from "plan" to its end: the caller's; NULL where memory runs out. base: the folder of PLACE @, with
 * its slash; NULL: the call names several paths, and no entry with @ is read. *impossible: a path or warning holds an end
 * of a line, or a path is neither absolute nor below the base, so that the entry cannot be kept. */
char *mplan_record_print(const mplan_cache_entry *entry, const char *base, bool *impossible,
                         mplan_error *err);

/* Reads the entry that begins at *text, and moves *text behind it. *whole: false at the end of the text, and where what
 * is there is damaged: nothing behind it is read then. The entry is the caller's in any case. */
mplan_status mplan_record_next(const char **text, const char *base, mplan_cache_entry *entry,
                               bool *whole, mplan_error *err);

void mplan_entry_free(mplan_cache_entry *entry);

#define MPLAN_RECORD_HEAD "meshplan cache 1\n"

#endif
