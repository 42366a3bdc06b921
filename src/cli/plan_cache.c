/* SPDX-License-Identifier: Apache-2.0 */
/* plan_cache.c - `plan --cache`: whether this plan was made before */
#include "cli/plan_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/results.h"

/* What a path ends in: readers go by endings, and by names of files beside. */
static const char *name_of(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash && slash[1] ? slash + 1 : path;
}

/* An empty text means none, as `off` does; the option goes before the variable. */
const char *cli_cache_folder(const cli_cache_options *options)
{
    const char *folder = options->folder ? options->folder : getenv("MESHPLAN_CACHE");
    return folder && folder[0] && strcmp(folder, "off") ? folder : NULL;
}

/* only: the first input may be anywhere, so its folder is not a part of the request, and the cache is told the path
 * itself. */
mplan_status cli_cache_ask(mplan_cache *cache, const cli_call *call, const char *path, bool only,
                           mplan_error *err)
{
    char *request = cli_request_text(call, only ? name_of(path) : path);
    if (!request)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    mplan_status status = mplan_cache_ask(cache, request, only ? path : NULL, err);
    free(request);
    return status;
}

/* The request is the command with all its options as text (cli_request_text); two calls with
 * equal text and equal inputs are the same request. `only`: the first input is named without
 * its folder, so that a copied folder finds its plans. */
mplan_status cli_cache_open(const cli_call *call, const cli_cache_options *options,
                            const char *path, bool only, cli_plan_cache *cache, mplan_error *err)
{
    const char *folder = cli_cache_folder(options);
    mplan_cache_options how = {options->strict, options->link};
    *cache = (cli_plan_cache){.check = options->check,
                              .lease = options->lease,
                              .kept = folder,
                              .folder = folder,
                              .stamps = options->if_changed};
    if (!folder && !options->if_changed)
        return MPLAN_OK;
    mplan_status status = mplan_cache_open(folder, &how, call->context, &cache->cache, err);
    if (!status)
        status = cli_cache_ask(cache->cache, call, path, only, err);
    if (!status)
        ((cli_listener *)call->context->user)->cache = cache->cache;
    return status;
}

/* Inputs that are not read are named all the same: outputs must not replace them, and lists of what a result depends on
 * hold them. */
static mplan_status name_inputs(const cli_plan_cache *cache, const cli_call *call, mplan_error *err)
{
    const char *path;
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; !status && (path = mplan_cache_found_input(cache->cache, i)) != NULL; i++)
        status = cli_files_input(call->files, path, err);
    return status;
}

/* What follows is about the second output until first_output is called. */
static void second_output(const cli_plan_cache *cache)
{
    mplan_cache_choose(cache->cache, 1);
}

static void first_output(const cli_plan_cache *cache)
{
    mplan_cache_choose(cache->cache, 0);
}

/* For --if-changed: the stamp beside the output says which request and inputs made it. Inputs
 * are named to the depfile even so, else make would forget them. */
mplan_status cli_cache_is_unchanged(cli_plan_cache *cache, const cli_call *call, const char *output,
                                    bool *unchanged, mplan_error *err)
{
    *unchanged = false;
    if (!cache->stamps)
        return MPLAN_OK;
    mplan_status status = mplan_cache_is_unchanged(cache->cache, output, unchanged, err);
    if (!status && *unchanged && cache->also) {
        second_output(cache);
        status = mplan_cache_is_unchanged(cache->cache, cache->also, unchanged, err);
        first_output(cache);
    }
    if (status || !*unchanged)
        return status;
    call->context->unchanged(call->context->user, output);
    return name_inputs(cache, call, err);
}

/* cache->found: all outputs of the request. */
static mplan_status look(cli_plan_cache *cache, mplan_error *err)
{
    mplan_cache_plan other;
    mplan_status status = mplan_cache_find(cache->cache, &cache->found, &cache->plan, err);
    if (status || !cache->found || !cache->also)
        return status;
    second_output(cache);
    status = mplan_cache_find(cache->cache, &cache->found, &other, err);
    first_output(cache);
    return status;
}

/* With a lease only one process plans; the others wait in mplan_cache_lease until it is given
 * back, then look again. */
mplan_status cli_cache_find(cli_plan_cache *cache, const cli_call *call, mplan_error *err)
{
    bool mine = !cache->lease;
    mplan_status status = MPLAN_OK;
    if (!cache->kept)
        return MPLAN_OK;
    do {
        status = look(cache, err);
        if (!status && !cache->found && cache->lease)
            status = mplan_cache_lease(cache->cache, &mine, err);
    } while (!status && !cache->found && !mine);
    if (!status && !cache->found && cache->lease) /* it may have come while the lease was taken */
        status = look(cache, err);
    if (status || !cache->found)
        return status;
    return cache->check ? mplan_cache_prove(cache->cache, &cache->found, err)
                        : name_inputs(cache, call, err);
}

/* The stamp tells how long planning took when the plan was made, not how long it took to find. */
static mplan_status write_one(cli_plan_cache *cache, const char *path, mplan_error *err)
{
    mplan_status status = mplan_cache_write(cache->cache, path, &cache->found, err);
    return !status && cache->found && cache->stamps
               ? mplan_cache_stamp(cache->cache, path, cache->plan.seconds, err)
               : status;
}

/* Warnings of the planner were kept with the plan. */
mplan_status cli_cache_write(cli_plan_cache *cache, const cli_call *call, const char *path,
                             mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (cache->also) {
        second_output(cache);
        status = write_one(cache, cache->also, err);
        first_output(cache);
    }
    if (!status && cache->found)
        status = write_one(cache, path, err);
    for (int32_t i = 0; i < cache->plan.n_warnings && !status && cache->found; i++)
        cli_warning(call->context->user, cache->plan.warnings[i]);
    return status;
}

/* The output that was chosen: stamped, and stored, or with --cache-check compared with what was found. */
static mplan_status keep_one(cli_plan_cache *cache, const char *path, double seconds, mplan_error *err)
{
    mplan_status status = cache->stamps ? mplan_cache_stamp(cache->cache, path, seconds, err)
                                        : MPLAN_OK;
    if (status || !cache->kept)
        return status;
    if (cache->found && strcmp(path, "-"))
        return mplan_cache_compare(cache->cache, path, err);
    status = mplan_cache_store(cache->cache, path, seconds, &cache->stored, &cache->why,
                               &cache->failed);
    if (status)
        *err = cache->failed;
    return status;
}

/* A folder of somebody else's, or a file system that is read only: such a cache is used as it is. */
static bool may_only_be_read(const char *folder)
{
    return access(folder, W_OK) != 0 && (errno == EACCES || errno == EROFS);
}

/* Why the plan was not stored. That the disk is full, or that the folder is none, is a warning: all later calls would be without
 * their cache, too. Other reasons are those of the inputs, or are meant. */
static void tell_why(const cli_plan_cache *cache, const cli_call *call)
{
    char text[2 * MPLAN_ERROR_TEXT];
    const bool failed = cache->failed.text[0] != '\0';
    snprintf(text, sizeof text, "the plan is not kept in the cache: %s",
             failed ? cache->failed.text : cache->why);
    if (failed && cache->folder && !may_only_be_read(cache->folder))
        cli_warning(call->context->user, text);
    else if (call->verbose)
        cli_notice(call->context->user, text);
}

/* With --cache-check a plan that was found was also made anew: the two are compared, and
 * nothing is stored. A cache that cannot be written to fails nothing: the plan is there. */
mplan_status cli_cache_keep(cli_plan_cache *cache, const cli_call *call, const char *path,
                            double seconds, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (!cache->cache)
        return MPLAN_OK;
    if (cache->also) {
        second_output(cache);
        status = keep_one(cache, cache->also, seconds, err);
        first_output(cache);
    }
    if (!status)
        status = keep_one(cache, path, seconds, err);
    if (!status && cache->why)
        tell_why(cache, call);
    return status;
}

/* The library must not tell the cache of inputs any more, so the listener forgets it first. */
void cli_cache_close(cli_plan_cache *cache, const cli_call *call)
{
    ((cli_listener *)call->context->user)->cache = NULL;
    mplan_cache_close(cache->cache);
    cache->cache = NULL;
}

/* Nothing where no plan was found. */
void cli_cache_report(const cli_plan_cache *cache)
{
    if (cache->found)
        printf("cache: %s; making it took %.2f s\n",
               cache->check ? "holds the same plan" : "the plan was found", cache->plan.seconds);
}

/* Contents of the files that the plan was made from, and of the plan. */
static void contents_json(cli_json *json, const cli_plan_cache *cache)
{
    char content[MPLAN_CACHE_CONTENT];
    mplan_cache_file file;
    bool found = cache->found && !cache->check;
    mplan_cache_plan_content(cache->cache, found, content);
    cli_json_text(json, "content", content);
    cli_json_open(json, "inputs", '[');
    for (int64_t i = 0; mplan_cache_input_at(cache->cache, found, i, &file); i++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "path", file.path);
        cli_json_int(json, "bytes", file.bytes);
        cli_json_text(json, "content", file.content);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

/* `seconds` is the time that planning took when the plan was made, null where none was found. */
void cli_cache_json(cli_json *json, const cli_plan_cache *cache)
{
    if (cache->cache && (cache->found || cache->stored || cache->stamps))
        contents_json(json, cache);
    if (!cache->kept)
        return;
    cli_json_open(json, "cache", '{');
    cli_json_bool(json, "found", cache->found);
    cli_json_bool(json, "stored", cache->stored);
    if (cache->found)
        cli_json_real(json, "seconds", cache->plan.seconds);
    else
        cli_json_null(json, "seconds");
    cli_json_text(json, "reason", cache->why);
    cli_json_close(json, '}');
}
