/* SPDX-License-Identifier: Apache-2.0 */
/* job_fields.h - how the values of a job file become members of structures
 *
 * Each mapping of a job is described by a list of fields: the key, the function
 * that reads its value, and the member that gets it. */
#ifndef MPLAN_JOB_FIELDS_H
#define MPLAN_JOB_FIELDS_H

#include "job/job.h"

/* What the readers of all values share. All that they make lives in the arena. */
typedef struct mplan_job_reader {
    const char *name;   /* of the file, for messages */
    const char *folder; /* for relative paths */
    mplan_job_arena *arena;
    mplan_plan_options *options; /* that the key plan fills */
    mplan_error *err;
} mplan_job_reader;

typedef struct mplan_job_field mplan_job_field;
/* Reads a value into the member that is `offset` bytes into the record; a reader of several members has offset 0, and
 * so gets the record. */
typedef mplan_status mplan_job_field_reader(mplan_job_reader *reader, const mplan_job_field *field,
                                            const mplan_job_value *value, void *member);
enum { MPLAN_JOB_FIELDS = 64 }; /* that a list has at most */
struct mplan_job_field {
    const char *key; /* NULL ends a list of fields */
    mplan_job_field_reader *read;
    size_t offset; /* of the member */
    bool required;
    int64_t low, high;               /* of numbers */
    const mplan_plan_option *option; /* of the keys of plan */
};

/* "name:line:column: " and the sentence; returns MPLAN_ERR_CORRUPT. */
#if defined __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
mplan_status
mplan_job_fail(const mplan_job_reader *reader, const mplan_job_value *value, const char *format, ...);
/* "unknown WHAT 'word'" with the nearest of the words (ended by NULL) and all
 * of them. */
mplan_status mplan_job_fail_word(const mplan_job_reader *reader, const mplan_job_value *value,
                                 const char *what, const char *const *words);

/* Reads a mapping into *record. what: "a loop", for messages. Unknown, repeated
 * and missing keys are refused. */
mplan_status mplan_job_mapping(mplan_job_reader *reader, const mplan_job_value *value,
                               const char *what, const mplan_job_field *fields, void *record);

/* Member types: const char * (text, path), int32_t, int64_t, double, bool. */
mplan_job_field_reader mplan_job_text, mplan_job_path, mplan_job_i32, mplan_job_i64, mplan_job_real,
    mplan_job_bool;
/* job_parts.c: the members `parts` and `cut` of a job, and whether these and `cut_ranks` go together. */
mplan_job_field_reader mplan_job_parts, mplan_job_cut;
mplan_status mplan_job_check_cut(const mplan_job_reader *reader, const mplan_job_value *root,
                                 const mplan_job *job);
/* A whole number in [low, high]. */
mplan_status mplan_job_whole(mplan_job_reader *reader, const char *what, const mplan_job_value *value,
                             int64_t low, int64_t high, int64_t *number);
/* Refuses what is not of that kind. */
mplan_status mplan_job_require(const mplan_job_reader *reader, const char *what,
                               const mplan_job_value *value, mplan_job_kind kind);
/* job_layers.c: `layers`, and the keys of loops and args that go with it, into the options; what waits for the mesh
 * into the job. */
mplan_status mplan_job_read_layers(mplan_job_reader *reader, const mplan_job_value *root,
                                   mplan_job *job);
/* The child of a mapping with that key, or NULL. */
const mplan_job_value *mplan_job_child(const mplan_job_value *mapping, const char *key);
/* job_place.c: "path:line:column: " of a value of the job before the sentence of err; nothing where value is NULL, as in
 * a job without places. Returns status, which err keeps. */
mplan_status mplan_job_put_place(const mplan_job *job, const mplan_job_value *value,
                                 mplan_status status, mplan_error *err);

#endif
