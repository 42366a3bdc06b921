/* SPDX-License-Identifier: Apache-2.0 */
/* cache.h - plans that are made once
 *
 * A plan is found by the text of its request and the inputs that the request had: contents of all files that were
 * read, files that were looked for in vain, names in folders. Nothing is locked: files appear whole or not at all, under
 * names that say what they hold, so that writers that race write the same. A folder:
 *   CACHEDIR.TAG
 *   1/plans/ab/cdef....mplan   a plan, named by its content
 *   1/requests/ab/cdef...      what a request led to (cache_record.h), named by the content of its text
 *   1/marks/ab/cdef...         contents of files by their marks (cache_inputs.h)
 *   1/leases/abcdef...         somebody is planning this request
 * What is damaged counts as missing. A cache that cannot be written to is only read. */
#ifndef MPLAN_CACHE_H
#define MPLAN_CACHE_H

#include "meshplan.h"

typedef struct mplan_cache mplan_cache;

typedef struct mplan_cache_options {
    bool strict; /* read all inputs, whatever their times say */
    bool link;   /* outputs are hard links to plans in the cache, which nobody may write */
} mplan_cache_options;

/* A plan that was found. */
typedef struct mplan_cache_plan {
    int64_t bytes;         /* of its file */
    double seconds;        /* that making it took */
    int32_t n_warnings;    /* what was said meanwhile */
    char *const *warnings; /* until the cache is closed */
} mplan_cache_plan;

enum { MPLAN_CACHE_CONTENT = 33 }; /* 32 hexadecimal digits and a zero */

/* A file that a plan was made from. */
typedef struct mplan_cache_file {
    const char *path; /* until the cache is asked again or closed */
    int64_t bytes;
    char content[MPLAN_CACHE_CONTENT];
} mplan_cache_file;

/* The folder is made when something is stored; NULL: only for stamps (below), nothing is looked up or stored.
 * context (may be NULL) must live as long. */
mplan_status mplan_cache_open(const char *folder, const mplan_cache_options *options,
                              const mplan_context *context, mplan_cache **cache, mplan_error *err);
void mplan_cache_close(mplan_cache *cache);

/* Says what is asked for, before anything is looked up; again for another plan. request: all that decides the plan but its inputs.
 * only: the path of the mesh or job that the call reads, where it names no other file; else NULL. All that is read lies
 * beside it then (or is named by absolute paths), so that a copy of the folder finds the plan as well. */
mplan_status mplan_cache_ask(mplan_cache *cache, const char *request, const char *only,
                             mplan_error *err);

/* A request may have several outputs, which are looked for, written and stored one by one: all that follows is about
 * the one that was chosen last. mplan_cache_ask chooses output 0, the plan; it is to be stored behind the others. */
enum { MPLAN_CACHE_OUTPUTS = 2 };
void mplan_cache_choose(mplan_cache *cache, int32_t output);

/* *found: there is a plan of this request, whose inputs are what they were. Whether it is damaged shows when it is read. */
mplan_status mplan_cache_find(mplan_cache *cache, bool *found, mplan_cache_plan *plan,
                              mplan_error *err);
/* Path of file i that the plan was made from; NULL past the last. */
const char *mplan_cache_found_input(const mplan_cache *cache, int64_t i);
/* Input i of the plan that was found, or of the one that is made now; false past the last. */
bool mplan_cache_input_at(const mplan_cache *cache, bool found, int64_t i, mplan_cache_file *file);
/* Content of the plan that was found, or of the one that was stored or stamped. */
void mplan_cache_plan_content(const mplan_cache *cache, bool found,
                              char content[MPLAN_CACHE_CONTENT]);
/* Writes the plan that was found: by a clone or link where that is possible, else piece by piece, each of which is hashed
 * when it is copied. *whole: it was not damaged; else nothing is written, the plan is removed from the cache, and a warning
 * tells of it: it must be made anew. */
mplan_status mplan_cache_write(mplan_cache *cache, const char *path, bool *whole, mplan_error *err);
/* Reads it only, for the same answer. */
mplan_status mplan_cache_prove(mplan_cache *cache, bool *whole, mplan_error *err);
/* The bytes of a plan that was written to a pipe or to standard output, until the cache is closed; NULL: it went to a file,
 * where it is. */
const void *mplan_cache_bytes(const mplan_cache *cache);

/* What happens while a plan is made: callbacks `input`, `looked` and `warning` of its context. What cannot
 * be noted makes the plan one that is not stored. */
void mplan_cache_note_input(mplan_cache *cache, const char *path);
void mplan_cache_note_look(mplan_cache *cache, const char *path);
void mplan_cache_note_warning(mplan_cache *cache, const char *text);
/* Stores the plan file at path. *stored: false where an input is a stream, was touched meanwhile, or the
 * cache cannot be written to; why: a sentence, or NULL. Where the cache cannot be written to the status is MPLAN_OK, and err
 * has the file and what the system says, else no text. */
mplan_status mplan_cache_store(mplan_cache *cache, const char *path, double seconds, bool *stored,
                               const char **why, mplan_error *err);

/* Compares a plan file that was made now with the one that was found: MPLAN_ERR_DISPROVED where they differ. */
mplan_status mplan_cache_compare(mplan_cache *cache, const char *path, mplan_error *err);

/* A stamp is a record beside an output, OUTPUT.inputs: of what it was made from. *unchanged: request and inputs are those
 * of the stamp, and the output is what it was. Its files are those of mplan_cache_found_input then. */
mplan_status mplan_cache_is_unchanged(mplan_cache *cache, const char *output, bool *unchanged,
                                      mplan_error *err);
/* Writes the stamp of an output that was made; none where an input is a stream or was touched. */
mplan_status mplan_cache_stamp(mplan_cache *cache, const char *output, double seconds,
                               mplan_error *err);

/* Waits while another process plans the same request and shows that it lives; then *mine is false: look
 * again. *mine: this process holds the lease, until it stores or closes. Call mplan_cache_show_life at least every
 * ten seconds then. */
mplan_status mplan_cache_lease(mplan_cache *cache, bool *mine, mplan_error *err);
void mplan_cache_show_life(mplan_cache *cache);

#endif
