/* SPDX-License-Identifier: Apache-2.0 */
/* job.h - a job file on its way from bytes to a mplan_job
 *
 * job_yaml.c makes a tree of values that know their line and column,
 * job_schema.c makes the job of it. Both take their memory from the job's
 * arena, so that a job is released at once. */
#ifndef MPLAN_JOB_H
#define MPLAN_JOB_H

#include "base/file.h"
#include "meshplan.h"

/* Memory that is released all together. Zero-initialise. */
typedef struct mplan_job_arena {
    struct mplan_job_chunk *last;
} mplan_job_arena;
/* count x size zeroed bytes, aligned for any type; NULL with err filled. */
void *mplan_job_take(mplan_job_arena *arena, int64_t count, size_t size, mplan_error *err);
void mplan_job_arena_free(mplan_job_arena *arena);

typedef enum mplan_job_kind { MPLAN_JOB_SCALAR, MPLAN_JOB_LIST, MPLAN_JOB_MAPPING } mplan_job_kind;

/* A value of the file. Lists and mappings have n children from `first` on, in
 * the order of the file; children of a mapping have a key. */
typedef struct mplan_job_value {
    mplan_job_kind kind;
    int64_t line, column; /* from 1 */
    const char *text;     /* of a scalar */
    bool quoted;          /* it is in quotes, so it is a text whatever it says */
    int32_t n;
    struct mplan_job_value *key;
    struct mplan_job_value *first, *last, *next;
} mplan_job_value;

/* Reads one YAML document. Errors begin with "name:line:column: ".
 * MPLAN_ERR_CORRUPT, MPLAN_ERR_UNSUPPORTED (no libyaml), MPLAN_ERR_MEMORY. */
mplan_status mplan_job_tree(const uint8_t *data, size_t size, const char *name,
                            mplan_job_arena *arena, mplan_job_value **root, mplan_error *err);

/* Makes the job of a tree. folder: put before relative paths; "" for none. */
mplan_status mplan_job_from_tree(const mplan_job_value *root, const char *name, const char *folder,
                                 mplan_job_arena *arena, mplan_job *job, mplan_error *err);

/* Refuses loops over sets and through maps that the mesh neither has nor can
 * derive, with their place in the job and the nearest name. */
mplan_status mplan_job_check_names(const mplan_job *job, mplan_mesh *mesh,
                                   const mplan_context *context, mplan_error *err);

/* Reads the file at path, "-" from standard input, and calls use(user, ...) with its bytes, its name for messages and the
 * folder of relative paths, as above: "" for standard input, else the file's own, with its slash. */
typedef mplan_status mplan_job_use(void *user, const mplan_file *file, const char *name,
                                   const char *folder, mplan_error *err);
mplan_status mplan_job_with_file(const char *path, const mplan_context *context, mplan_job_use *use,
                                 void *user, mplan_error *err);

/* Reads a job from memory; name and folder as above. */
mplan_status mplan_job_parse(const uint8_t *data, size_t size, const char *name, const char *folder,
                             mplan_job **job, mplan_error *err);

#endif
