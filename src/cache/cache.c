/* SPDX-License-Identifier: Apache-2.0 */
/* cache.c - plans that are made once: looking up and storing */
#include "cache/cache.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_output.h"
#include "cache/cache_folder.h"
#include "cache/cache_record.h"

typedef struct cache_output {
    char key[MPLAN_CONTENT_TEXT]; /* of the request and this output of it */
    mplan_cache_entry hit;        /* what was found */
    mplan_file plan;              /* and its plan */
} cache_output;

struct mplan_cache {
    mplan_cache_options options;
    const mplan_context *context;
    char *folder; /* of this version: FOLDER/1 */
    char *marks;
    char *base; /* the folder of the only path, with its slash; NULL: several paths are named */
    char program[MPLAN_CONTENT_TEXT]; /* content of the program; "" until it is needed */
    mplan_cache_entry now;            /* what is noted of this call */
    const char *spoiled;              /* why it cannot be stored; NULL: it can */
    cache_output outputs[MPLAN_CACHE_OUTPUTS];
    cache_output *at; /* the one that was chosen: one of outputs */
    int lease;        /* of the first output, open while this process holds it; -1 */
    double shown;     /* when the lease was last touched, seconds */
};

/* --- opening ------------------------------------------------------------------------ */

/* "a/b": the caller's. */
static char *join(const char *a, const char *b, mplan_error *err)
{
    size_t room = strlen(a) + strlen(b) + 2;
    char *path = mplan_alloc((int64_t)room, 1, err);
    if (path)
        snprintf(path, room, "%s/%s", a, b);
    return path;
}

static void clear(mplan_cache_entry *entry)
{
    mplan_entry_free(entry);
    *entry = (mplan_cache_entry){.warnings = MPLAN_VECTOR_INIT(sizeof(char *))};
    entry->inputs.list = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(mplan_cache_input));
}

/* folder NULL: no plans are kept, only stamps beside outputs are written (--if-changed). The
 * folder's name gets the version of the records, so that versions of meshplan do not meet in
 * one folder. No file is touched yet. */
mplan_status mplan_cache_open(const char *folder, const mplan_cache_options *options,
                              const mplan_context *context, mplan_cache **cache, mplan_error *err)
{
    mplan_cache *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    made->options = *options;
    made->context = context;
    made->lease = -1;
    made->folder = folder ? join(folder, MPLAN_CACHE_VERSION, err) : NULL;
    made->marks = made->folder ? join(made->folder, "marks", err) : NULL;
    clear(&made->now);
    for (int i = 0; i < MPLAN_CACHE_OUTPUTS; i++)
        clear(&made->outputs[i].hit);
    made->at = made->outputs;
    if (!folder || (made->folder && made->marks)) {
        *cache = made;
        return MPLAN_OK;
    }
    mplan_cache_close(made);
    return MPLAN_ERR_MEMORY;
}

/* A lease that is still held is given back. */
void mplan_cache_close(mplan_cache *cache)
{
    if (!cache)
        return;
    mplan_lease_give_back(cache->folder, cache->outputs[0].key, &cache->lease);
    mplan_entry_free(&cache->now);
    for (int i = 0; i < MPLAN_CACHE_OUTPUTS; i++) {
        mplan_entry_free(&cache->outputs[i].hit);
        mplan_file_close(&cache->outputs[i].plan);
    }
    free(cache->folder);
    free(cache->marks);
    free(cache->base);
    free(cache);
}

/* --- asking ------------------------------------------------------------------------- */

/* The folder that the path lies in, with its slash; "" for the current one. */
static char *folder_of(const char *only, mplan_error *err)
{
    size_t length = strlen(only);
    while (length > 1 && only[length - 1] == '/') /* "case/" is a folder in the current one */
        length--;
    while (length > 0 && only[length - 1] != '/')
        length--;
    char *folder = mplan_alloc((int64_t)length + 1, 1, err);
    if (folder) {
        memcpy(folder, only, length);
        folder[length] = '\0';
    }
    return folder;
}

/* The program's content decides, too: builds of one version may differ. */
static mplan_status find_program(mplan_cache *cache, mplan_error *err)
{
    mplan_content content;
    mplan_status status = cache->program[0]
                              ? MPLAN_OK
                              : mplan_input_content(&cache->now.inputs, "/proc/self/exe", &content,
                                                    NULL, err);
    if (!status && !cache->program[0])
        mplan_content_text(&content, cache->program);
    return status;
}

/* The content of "a/b" as text. */
static mplan_status join_key(const char *a, const char *b, char key[MPLAN_CONTENT_TEXT],
                             mplan_error *err)
{
    mplan_content content;
    char *text = join(a, b, err);
    if (!text)
        return MPLAN_ERR_MEMORY;
    mplan_status status = mplan_content_of_bytes(text, strlen(text), &content, err);
    mplan_content_text(&content, key);
    free(text);
    return status;
}

/* The key of the first output is that of the request and the program; others have keys made of it and their number. */
static mplan_status find_keys(mplan_cache *cache, const char *request, mplan_error *err)
{
    mplan_status status = find_program(cache, err);
    if (!status)
        status = join_key(cache->program, request, cache->outputs[0].key, err);
    for (int i = 1; i < MPLAN_CACHE_OUTPUTS && !status; i++) {
        char number[16];
        snprintf(number, sizeof number, "output %d", i);
        status = join_key(cache->outputs[0].key, number, cache->outputs[i].key, err);
    }
    return status;
}

/* Inputs and plans of an earlier request are forgotten. cache->now collects the inputs that are read from here on, of
 * all outputs together. */
mplan_status mplan_cache_ask(mplan_cache *cache, const char *request, const char *only,
                             mplan_error *err)
{
    char *base = only ? folder_of(only, err) : NULL;
    if (only && !base)
        return MPLAN_ERR_MEMORY;
    free(cache->base);
    cache->base = base;
    clear(&cache->now);
    for (int i = 0; i < MPLAN_CACHE_OUTPUTS; i++) {
        clear(&cache->outputs[i].hit);
        mplan_file_close(&cache->outputs[i].plan);
    }
    cache->at = cache->outputs;
    cache->spoiled = NULL;
    cache->now.inputs.marks = cache->options.strict ? NULL : cache->marks;
    cache->now.inputs.context = cache->context;
    return find_keys(cache, request, err);
}

void mplan_cache_choose(mplan_cache *cache, int32_t output)
{
    assert(output >= 0 && output < MPLAN_CACHE_OUTPUTS);
    cache->at = &cache->outputs[output];
}

/* --- finding ------------------------------------------------------------------------ */

/* All inputs of the entry are what they were. An entry without inputs would always be: it never
 * counts. */
static bool is_current(const mplan_cache *cache, const mplan_cache_entry *entry)
{
    const mplan_cache_input *list = entry->inputs.list.data;
    bool same = entry->inputs.list.count > 0;
    for (int64_t i = 0; i < entry->inputs.list.count && same; i++)
        same = mplan_input_is_same(&cache->now.inputs, &list[i]);
    return same;
}

enum { OPEN_TRIES = 5 };

/* The plan of an entry, looked over: *plan is empty where it is not there or damaged, which is told and mended. */
static mplan_status open_plan(const mplan_cache *cache, const mplan_content *content,
                              mplan_file *plan, mplan_error *err)
{
    char path[MPLAN_CACHE_PATH];
    mplan_content found;
    mplan_status status = mplan_cache_path(cache->folder, "plans", content, ".mplan", path, err);
    if (status)
        return status;
    if (access(path, R_OK) != 0)
        return MPLAN_OK;
    mplan_context quiet = MPLAN_CONTEXT_INIT; /* this file is not an input of the call */
    quiet.threads = cache->context ? cache->context->threads : 0;
    for (int try = 0; try < OPEN_TRIES;
         try++) { /* others that found it give it a new time while it is read */
        status = mplan_file_open(path, &quiet, plan, err);
        if (status != MPLAN_ERR_IO)
            break;
    }
    if (status)
        return status == MPLAN_ERR_MEMORY ? status : MPLAN_OK;
    status = mplan_content_of_bytes(plan->data, plan->size, &found, err);
    if (!status && mplan_same_content(&found, content))
        return MPLAN_OK;
    mplan_file_close(plan);
    *plan = (mplan_file){0};
    if (!status) {
        mplan_warn(cache->context, "%s: damaged, and not used", path);
        (void)unlink(path);
    }
    return status;
}

/* How many of the first warnings of the plan that was found this call has said already, of its job. */
static int64_t n_said(const mplan_cache *cache)
{
    char *const *kept = cache->at->hit.warnings.data, *const *now = cache->now.warnings.data;
    int64_t n = 0;
    while (n < cache->at->hit.warnings.count && n < cache->now.warnings.count &&
           !strcmp(kept[n], now[n]))
        n++;
    return n;
}

/* A key has a record with one entry for each set of inputs that it was asked with. Entries are
 * tried in their order, the latest first; the first whose inputs are all as they were, and
 * whose plan is whole, is the answer. plan->data is valid until the next look. */
mplan_status mplan_cache_find(mplan_cache *cache, bool *found, mplan_cache_plan *plan,
                              mplan_error *err)
{
    char path[MPLAN_CACHE_PATH];
    char *text = NULL;
    *found = false;
    mplan_file_close(&cache->at->plan); /* of an earlier look */
    mplan_entry_free(&cache->at->hit);
    mplan_status status = mplan_cache_path_of_key(cache->folder, "requests", cache->at->key, path,
                                                  err);
    if (!status)
        status = mplan_record_read(path, cache->context, &text, err);
    const char *at = text;
    for (bool whole = at != NULL; whole && !status && !*found;) {
        mplan_cache_entry entry;
        status = mplan_record_next(&at, cache->base, &entry, &whole, err);
        if (!status && whole && is_current(cache, &entry))
            status = open_plan(cache, &entry.plan, &cache->at->plan, err);
        *found = !status && cache->at->plan.data;
        if (*found)
            cache->at->hit = entry;
        else
            mplan_entry_free(&entry);
        if (!status)
            status = mplan_interrupted(cache->context, err);
    }
    free(text);
    if (status || !*found)
        return status;
    const int64_t said = n_said(cache);
    *plan = (mplan_cache_plan){cache->at->plan.data, cache->at->plan.size, cache->at->hit.seconds,
                               (int32_t)(cache->at->hit.warnings.count - said),
                               said ? (char **)cache->at->hit.warnings.data + said
                                    : cache->at->hit.warnings.data};
    if (mplan_cache_path(cache->folder, "plans", &cache->at->hit.plan, ".mplan", path, err) ==
        MPLAN_OK)
        mplan_cache_touch(path); /* `cache clean` keeps what was used last */
    return MPLAN_OK;
}

/* File i of those that the plan was made from, NULL behind the last; folders and absent files
 * are not counted. */
const char *mplan_cache_found_input(const mplan_cache *cache, int64_t i)
{
    const mplan_cache_input *list = cache->at->hit.inputs.list.data;
    for (int64_t at = 0; at < cache->at->hit.inputs.list.count; at++)
        if (list[at].kind == MPLAN_INPUT_FILE && i-- == 0)
            return list[at].path;
    return NULL;
}

/* File i of the plan that was found, or of the run that goes on; false behind the last. */
bool mplan_cache_input_at(const mplan_cache *cache, bool found, int64_t i, mplan_cache_file *file)
{
    const mplan_cache_entry *entry = found ? &cache->at->hit : &cache->now;
    const mplan_cache_input *list = entry->inputs.list.data;
    for (int64_t at = 0; at < entry->inputs.list.count; at++) {
        if (list[at].kind != MPLAN_INPUT_FILE || i-- > 0)
            continue;
        file->path = list[at].path;
        file->bytes = list[at].content.bytes;
        mplan_content_text(&list[at].content, file->content);
        return true;
    }
    return false;
}

void mplan_cache_plan_content(const mplan_cache *cache, bool found, char content[MPLAN_CACHE_CONTENT])
{
    mplan_content_text(found ? &cache->at->hit.plan : &cache->now.plan, content);
}

/* By a link, where that is asked for and possible; else a clone or copy. */
mplan_status mplan_cache_write(mplan_cache *cache, const char *path, mplan_error *err)
{
    char object[MPLAN_CACHE_PATH];
    bool linked = false;
    mplan_output *output = NULL;
    mplan_status status = mplan_cache_path(cache->folder, "plans", &cache->at->hit.plan, ".mplan",
                                           object, err);
    if (!status && cache->options.link)
        status = mplan_cache_link(object, path, cache->context, &linked, err);
    if (status || linked)
        return status;
    status = mplan_output_open(path, cache->context, &output, err);
    if (status)
        return status;
    status = mplan_output_clone(output, object, cache->at->plan.data, cache->at->plan.size, err);
    if (!status)
        return mplan_output_commit(output, err);
    mplan_output_abort(output);
    return status;
}

/* --- noting ------------------------------------------------------------------------- */

static void spoil(mplan_cache *cache, const char *why)
{
    if (!cache->spoiled)
        cache->spoiled = why;
}

/* For each file that is read. What cannot be read twice makes the plan unfit for the cache. */
void mplan_cache_note_input(mplan_cache *cache, const char *path)
{
    if (!strcmp(path, "-"))
        spoil(cache, "an input is a stream");
    else if (!cache->spoiled && mplan_inputs_note_file(&cache->now.inputs, path, NULL))
        spoil(cache, "an input is not a file that can be read twice");
}

void mplan_cache_note_look(mplan_cache *cache, const char *path)
{
    if (!cache->spoiled && mplan_inputs_note_look(&cache->now.inputs, path, NULL))
        spoil(cache, "the names in a folder cannot be read");
}

/* Warnings are kept with the plan: a plan that is found says them again. Out of memory only
 * spoils the entry. */
void mplan_cache_note_warning(mplan_cache *cache, const char *text)
{
    char *copy = mplan_strdup(text, NULL);
    if (!copy || mplan_vector_push(&cache->now.warnings, &copy, NULL)) {
        free(copy);
        spoil(cache, "out of memory");
    }
}

/* --- storing ------------------------------------------------------------------------ */

/* Whether the plan is there, whole by its size. */
static bool is_stored(const char *object, const mplan_content *content)
{
    struct stat there;
    return stat(object, &there) == 0 && there.st_size == (off_t)content->bytes;
}

/* Writes a plan under its name; nobody may write it then. Another process may have been faster, whose file may not be
 * replaced. from: a file that holds the same bytes. */
static mplan_status put_plan(const mplan_cache *cache, const char *object, const char *from,
                             const mplan_file *plan, const mplan_content *content, mplan_error *err)
{
    mplan_output *output = NULL;
    mplan_context quiet = MPLAN_CONTEXT_INIT;
    (void)unlink(object); /* what has another size */
    mplan_status status = mplan_cache_make_folders(cache->folder, object, err);
    if (!status)
        status = mplan_output_open(object, &quiet, &output, err);
    if (!status)
        status = mplan_output_clone(output, from, plan->data, plan->size, err);
    if (!status)
        status = mplan_output_commit(output, err);
    else
        mplan_output_abort(output);
    if (!status)
        (void)chmod(object, 0444);
    return is_stored(object, content) ? MPLAN_OK : status;
}

/* The plan at path under the name of its content. */
static mplan_status store_plan(const mplan_cache *cache, const char *path, mplan_content *content,
                               mplan_error *err)
{
    char object[MPLAN_CACHE_PATH];
    mplan_file plan = {0};
    mplan_context quiet = MPLAN_CONTEXT_INIT;
    mplan_status status = mplan_file_open(path, &quiet, &plan, err);
    if (!status)
        status = mplan_content_of_bytes(plan.data, plan.size, content, err);
    if (!status)
        status = mplan_cache_path(cache->folder, "plans", content, ".mplan", object, err);
    if (!status && !is_stored(object, content))
        status = put_plan(cache, object, path, &plan, content, err);
    mplan_file_close(&plan);
    return status;
}

/* The new entry before the older ones, but for those of the same inputs. */
static mplan_status store_record(const mplan_cache *cache, const mplan_cache_entry *entry,
                                 bool *impossible, mplan_error *err)
{
    char path[MPLAN_CACHE_PATH];
    char *mine = mplan_record_print(entry, cache->base, impossible, err), *older = NULL;
    mplan_status status = mine ? mplan_cache_path_of_key(cache->folder, "requests", cache->at->key,
                                                         path, err)
                               : MPLAN_ERR_MEMORY;
    if (!status && !*impossible) {
        status = mplan_record_read(path, NULL, &older, err);
        if (!status)
            status = mplan_cache_make_folders(cache->folder, path, err);
        if (!status)
            status = mplan_record_write(path, mine, older, err);
    }
    free(mine);
    free(older);
    return status;
}

/* Nothing is stored then; the plan of the call is good. */
static bool is_about_cache(mplan_status status)
{
    return status == MPLAN_ERR_CREATE || status == MPLAN_ERR_IO || status == MPLAN_ERR_NO_INPUT;
}

/* A plan is not stored where it could be wrong later: an input changed while it was planned, or
 * the output cannot be read again. *why then says the reason; this is not an error, nor is a
 * cache that cannot be written to. */
mplan_status mplan_cache_store(mplan_cache *cache, const char *path, double seconds, bool *stored,
                               const char **why, mplan_error *err)
{
    bool impossible = false;
    *stored = false;
    if (!strcmp(path, "-"))
        spoil(cache, "the plan went to standard output");
    else if (!cache->spoiled && !mplan_inputs_are_untouched(&cache->now.inputs))
        spoil(cache, "an input was touched meanwhile");
    *why = cache->spoiled;
    if (cache->spoiled)
        return MPLAN_OK;
    cache->now.seconds = seconds;
    mplan_status status = store_plan(cache, path, &cache->now.plan, err);
    if (!status)
        status = store_record(cache, &cache->now, &impossible, err);
    if (impossible)
        *why = "the name of an input holds an end of a line";
    else if (is_about_cache(status))
        *why = "the cache cannot be written to";
    *stored = !status && !impossible;
    if (cache->at == cache->outputs) /* the last one: who waits finds all */
        mplan_lease_give_back(cache->folder, cache->at->key, &cache->lease);
    return is_about_cache(status) ? MPLAN_OK : status;
}

/* For --cache-check. */
mplan_status mplan_cache_compare(mplan_cache *cache, const char *path, mplan_error *err)
{
    mplan_content made;
    mplan_status status = mplan_content_of_file(path, cache->context, &made, NULL, err);
    if (!status && !mplan_same_content(&made, &cache->at->hit.plan))
        status = mplan_fail(err, MPLAN_ERR_DISPROVED,
                            "%s: the cache holds another plan for this request and these inputs",
                            path);
    return status;
}

/* --- stamps ------------------------------------------------------------------------- */

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
    *unchanged = !status && whole && is_current(cache, &cache->at->hit) &&
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
    bool found = cache->at->plan.data != NULL;
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

/* --- leases ------------------------------------------------------------------------- */

mplan_status mplan_cache_lease(mplan_cache *cache, bool *mine, mplan_error *err)
{
    cache->shown = (double)time(NULL);
    return mplan_lease_take(cache->folder, cache->outputs[0].key, cache->context, &cache->lease,
                            mine, err);
}

/* Called while the planner makes progress: at most every 5 seconds the lease gets a new time. */
void mplan_cache_show_life(mplan_cache *cache)
{
    double now = (double)time(NULL);
    if (cache->lease < 0 || now - cache->shown < 5)
        return;
    cache->shown = now;
    (void)futimens(cache->lease, NULL);
}
