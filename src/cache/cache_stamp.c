/* SPDX-License-Identifier: Apache-2.0 */
/* cache_stamp.c - records beside outputs, by which --if-changed knows that nothing changed */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cache/cache_folder.h"
#include "cache/cache_own.h"

#define STAMP_ENDING ".inputs"

static void print_key(const mplan_cache *cache, char line[MPLAN_CONTENT_TEXT + 16])
{
    snprintf(line, MPLAN_CONTENT_TEXT + 16, "request %s\n", cache->at->key);
}

static mplan_status stamp_path(const char *output, char path[MPLAN_CACHE_PATH], mplan_error *err)
{
    int length = snprintf(path, MPLAN_CACHE_PATH, "%s" STAMP_ENDING, output);
    return length > 0 && length < MPLAN_CACHE_PATH
               ? MPLAN_OK
               : mplan_fail_errno(err, MPLAN_ERR_CREATE, output, ENAMETOOLONG);
}

/* Whether the output is there and the one that the entry tells of. */
static bool is_output(const mplan_cache *cache, const mplan_content *plan, const char *output)
{
    mplan_content content;
    struct stat about;
    return stat(output, &about) == 0 && about.st_size == (off_t)plan->bytes &&
           !mplan_content_of_file(output, cache->context, &content, NULL, NULL) &&
           mplan_same_content(&content, plan);
}

/* Three things must hold: the stamp is of this request, its inputs are as they were, and the
 * output has the content that the stamp names. */
mplan_status mplan_cache_is_unchanged(mplan_cache *cache, const char *output, bool *unchanged,
                                      mplan_error *err)
{
    char path[MPLAN_CACHE_PATH], line[MPLAN_CONTENT_TEXT + 16];
    char *text = NULL;
    bool whole = false;
    *unchanged = false;
    print_key(cache, line);
    mplan_status status = stamp_path(output, path, err);
    if (!status)
        status = mplan_record_read(path, NULL, &text, err);
    const char *at = text;
    if (text && !strncmp(text, line, strlen(line))) {
        at += strlen(line);
        mplan_entry_free(&cache->at->hit);
        status = mplan_record_next(&at, cache->base, &cache->at->hit, &whole, err);
    }
    *unchanged = !status && whole && mplan_cache_is_current(cache, &cache->at->hit) &&
                 is_output(cache, &cache->at->hit.plan, output);
    free(text);
    return status;
}

/* The stamp is a record with the request's key in its first line. Where a stamp would be wrong,
 * an earlier one is removed, else the next call would trust it. Of a plan
 * that was found, its record is written; else what was noted of this call. */
mplan_status mplan_cache_stamp(mplan_cache *cache, const char *output, double seconds,
                               mplan_error *err)
{
    char path[MPLAN_CACHE_PATH], line[MPLAN_CONTENT_TEXT + 16];
    const bool found = cache->at->found;
    mplan_cache_entry *made = found ? &cache->at->hit : &cache->now;
    bool impossible = !found && (cache->spoiled || !mplan_inputs_are_untouched(&made->inputs));
    mplan_status status = stamp_path(output, path, err);
    if (status || !strcmp(output, "-"))
        return MPLAN_OK;
    if (!found)
        made->seconds = seconds;
    print_key(cache, line);
    status = mplan_content_of_file(output, cache->context, &made->plan, NULL, err);
    char *entry = !status && !impossible ? mplan_record_print(made, cache->base, &impossible, err)
                                         : NULL;
    char *text = entry ? mplan_alloc((int64_t)(strlen(line) + strlen(entry) + 1), 1, err) : NULL;
    if (impossible) {
        (void)unlink(path); /* of an earlier call */
    } else if (!text) {
        status = status ? status : MPLAN_ERR_MEMORY;
    } else {
        memcpy(text, line, strlen(line));
        strcpy(text + strlen(line), entry);
        status = mplan_record_write(path, text, NULL, err);
    }
    free(text);
    free(entry);
    return status;
}
