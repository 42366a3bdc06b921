/* SPDX-License-Identifier: Apache-2.0 */
/* batch_list.c - lists of jobs in YAML, for `meshplan batch`
 *
 *   meshplan: 1
 *   options: {block-size: 256}             of all jobs, as the command line names them
 *   batch:
 *     - wing.msh
 *     - {input: tail.yaml, output: plans/tail.mplan, name: tail, options: {inc: [nodes, cells:5:f64]}} */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "job/job_fields.h"

enum { LIST_VERSION = 1, MOST_BYTES = 256 * 1024 * 1024 };

/* What a mplan_batch points into lives and dies with it. */
typedef struct owned_batch {
    mplan_batch batch; /* first, so that both have one address */
    mplan_job_arena arena;
} owned_batch;

/* What the readers of options fill: of a job or of the list. */
typedef struct option_list {
    int32_t n;
    const mplan_batch_option *option;
} option_list;

#ifdef MPLAN_HAVE_YAML

/* A scalar, or a list of them.
 * option->values: n_values texts in the arena, in the order of the file. */
static mplan_status read_values(mplan_job_reader *reader, const mplan_job_value *value,
                                mplan_batch_option *option)
{
    const mplan_job_value *item = value->kind == MPLAN_JOB_LIST ? value->first : value;
    int32_t n = value->kind == MPLAN_JOB_LIST ? value->n : 1;
    const char **values = mplan_job_take(reader->arena, (int64_t)n + 1, sizeof *values, reader->err);
    if (!values)
        return MPLAN_ERR_MEMORY;
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < n && !status; i++, item = item->next) {
        status = mplan_job_require(reader, option->name, item, MPLAN_JOB_SCALAR);
        values[i] = item->text;
    }
    option->n_values = n;
    option->values = values;
    return status;
}

/* Any keys: the command line knows which there are. member: an option_list.
 * As many options as the mapping has keys, in the order of the file. */
static mplan_status read_options(mplan_job_reader *reader, const mplan_job_field *field,
                                 const mplan_job_value *value, void *member)
{
    option_list *list = member;
    mplan_status status = mplan_job_require(reader, field->key, value, MPLAN_JOB_MAPPING);
    if (status)
        return status;
    mplan_batch_option *options = mplan_job_take(reader->arena, (int64_t)value->n + 1,
                                                 sizeof *options, reader->err);
    if (!options)
        return MPLAN_ERR_MEMORY;
    for (const mplan_job_value *child = value->first; child && !status; child = child->next) {
        options[list->n].name = child->key->text;
        status = read_values(reader, child, &options[list->n++]);
    }
    list->option = options;
    return status;
}

/* The keys of a job in the list; NULL and 0 for those that are not there. */
typedef struct read_job_fields {
    const char *input, *output, *name;
    option_list options;
} read_job_fields;

/* A path, or a mapping with it.
 * *job keeps the line of the item, for messages about it. */
static mplan_status read_job(mplan_job_reader *reader, const mplan_job_value *value,
                             mplan_batch_job *job)
{
    static const mplan_job_field fields[] = {
        {.key = "input",
         .read = mplan_job_path,
         .offset = offsetof(read_job_fields, input),
         .required = true},
        {.key = "output", .read = mplan_job_path, .offset = offsetof(read_job_fields, output)},
        {.key = "name", .read = mplan_job_text, .offset = offsetof(read_job_fields, name)},
        {.key = "options", .read = read_options, .offset = offsetof(read_job_fields, options)},
        {0}};
    read_job_fields made = {0};
    mplan_status status = value->kind == MPLAN_JOB_SCALAR
                              ? mplan_job_path(reader, &fields[0], value, &made.input)
                              : mplan_job_mapping(reader, value, "a job of the batch", fields, &made);
    *job = (mplan_batch_job){made.input,     made.output,         made.name,
                             made.options.n, made.options.option, value->line};
    return status;
}

/* member: the mplan_batch.
 * The list must not be empty. Jobs are in the order of the file. */
static mplan_status read_jobs(mplan_job_reader *reader, const mplan_job_field *field,
                              const mplan_job_value *value, void *member)
{
    mplan_batch *batch = member;
    mplan_status status = mplan_job_require(reader, field->key, value, MPLAN_JOB_LIST);
    if (!status && !value->first)
        status = mplan_job_fail(reader, value, "the batch is empty");
    if (status)
        return status;
    mplan_batch_job *jobs = mplan_job_take(reader->arena, value->n, sizeof *jobs, reader->err);
    if (!jobs)
        return MPLAN_ERR_MEMORY;
    for (const mplan_job_value *item = value->first; item && !status; item = item->next)
        status = read_job(reader, item, &jobs[batch->n_jobs++]);
    batch->jobs = jobs;
    return status;
}

static mplan_status read_all_options(mplan_job_reader *reader, const mplan_job_field *field,
                                     const mplan_job_value *value, void *member)
{
    mplan_batch *batch = member;
    option_list list = {0};
    mplan_status status = read_options(reader, field, value, &list);
    batch->n_options = list.n;
    batch->options = list.option;
    return status;
}

/* Newer lists are refused as such: the status that mplan_job_fail has left is put right. */
static mplan_status read_version(mplan_job_reader *reader, const mplan_job_field *field,
                                 const mplan_job_value *value, void *member)
{
    int64_t number = 0;
    (void)member;
    mplan_status status = mplan_job_whole(reader, field->key, value, 1, INT64_MAX, &number);
    if (!status && number > LIST_VERSION) {
        mplan_job_fail(reader, value, "this is a list of version %lld; only version %d is supported",
                       (long long)number, LIST_VERSION);
        if (reader->err)
            reader->err->status = MPLAN_ERR_TOO_NEW;
        status = MPLAN_ERR_TOO_NEW;
    }
    return status;
}

/* user: the owned_batch that is filled.
 * What is YAML, but has no key `batch`, is MPLAN_ERR_FORMAT, not a damaged list. */
static mplan_status batch_parse(void *user, const mplan_file *file, const char *name,
                                const char *folder, mplan_error *err)
{
    owned_batch *owned = user;
    static const mplan_job_field fields[] = {
        {.key = "meshplan", .read = read_version, .required = true},
        {.key = "options", .read = read_all_options},
        {.key = "batch", .read = read_jobs, .required = true},
        {0}};
    mplan_job_reader reader = {name, folder, &owned->arena, NULL, err};
    mplan_job_value *root = NULL;
    if (file->size > MOST_BYTES)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: %zu bytes are too many for a list", name,
                          file->size);
    mplan_status status = mplan_job_tree(file->data, file->size, name, &owned->arena, &root, err);
    if (!status && (root->kind != MPLAN_JOB_MAPPING || !mplan_job_child(root, "batch")))
        status = mplan_fail(err, MPLAN_ERR_FORMAT,
                            "%s: is not a list of jobs: it has no key 'batch'", name);
    return !status ? mplan_job_mapping(&reader, root, "a list of jobs", fields, &owned->batch)
                   : status;
}

#endif

/* Texts of the batch are in its arena, so that the file is closed before. *batch is not set after a failure. */
mplan_status mplan_batch_read(const char *path, const mplan_context *context, mplan_batch **batch,
                              mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(path);
    MPLAN_NEED(batch);
#ifndef MPLAN_HAVE_YAML
    (void)context;
    (void)batch;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "%s: lists of jobs cannot be read, this build has no libyaml", path);
#else
    owned_batch *owned = mplan_alloc_zero(1, sizeof *owned, err);
    if (!owned)
        return MPLAN_ERR_MEMORY;
    mplan_status status = mplan_job_with_file(path, context, batch_parse, owned, err);
    if (!status)
        *batch = &owned->batch;
    else
        mplan_batch_free(&owned->batch);
    return status;
#endif
}

/* batch may be NULL. Every mplan_batch was made here, as the first member of an owned_batch. */
void mplan_batch_free(mplan_batch *batch)
{
    if (!batch)
        return;
    owned_batch *owned = (owned_batch *)(void *)batch;
    mplan_job_arena_free(&owned->arena);
    free(owned);
}
