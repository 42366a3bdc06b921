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
#include "cache/cache_own.h"

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
        cache->outputs[i].found = false;
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
bool mplan_cache_is_current(const mplan_cache *cache, const mplan_cache_entry *entry)
{
    const mplan_cache_input *list = entry->inputs.list.data;
    bool same = entry->inputs.list.count > 0;
    for (int64_t i = 0; i < entry->inputs.list.count && same; i++)
        same = mplan_input_is_same(&cache->now.inputs, &list[i]);
    return same;
}

static mplan_status plan_path(const mplan_cache *cache, const mplan_content *content,
                              char path[MPLAN_CACHE_PATH], mplan_error *err)
{
    return mplan_cache_path(cache->folder, "plans", content, ".mplan", path, err);
}

/* What is not the plan that its name says is of no use to anybody. */
static void remove_damaged(mplan_cache *cache, const char *path)
{
    cache->speaks = true;
    mplan_warn(cache->context, "%s: damaged, and not used", path);
    cache->speaks = false;
    (void)unlink(path);
}

/* Whether the plan of an entry is there in its length; what has another one is removed. */
static bool has_plan(mplan_cache *cache, const mplan_content *content)
{
    char path[MPLAN_CACHE_PATH];
    struct stat about;
    if (plan_path(cache, content, path, NULL) || access(path, R_OK) || stat(path, &about))
        return false;
    if (about.st_size != (off_t)content->bytes)
        remove_damaged(cache, path);
    return about.st_size == (off_t)content->bytes;
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
 * whose plan is there, is the answer. */
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
    cache->speaks = true;
    if (!status)
        status = mplan_record_read(path, cache->context, &text, err);
    cache->speaks = false;
    const char *at = text;
    for (bool whole = at != NULL; whole && !status && !*found;) {
        mplan_cache_entry entry;
        status = mplan_record_next(&at, cache->base, &entry, &whole, err);
        *found = !status && whole && mplan_cache_is_current(cache, &entry) &&
                 has_plan(cache, &entry.plan);
        if (*found)
            cache->at->hit = entry;
        else
            mplan_entry_free(&entry);
        if (!status)
            status = mplan_interrupted(cache->context, err);
    }
    free(text);
    cache->at->found = *found;
    if (status || !*found)
        return status;
    const int64_t said = n_said(cache);
    *plan = (mplan_cache_plan){cache->at->hit.plan.bytes, cache->at->hit.seconds,
                               (int32_t)(cache->at->hit.warnings.count - said),
                               said ? (char **)cache->at->hit.warnings.data + said
                                    : cache->at->hit.warnings.data};
    if (!plan_path(cache, &cache->at->hit.plan, path, err))
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

enum { READ_TRIES = 5 };

/* How often a plan is read again that changes while it is read: others that found it give it a new time. */
static bool try_again(mplan_status status, int try)
{
    return status == MPLAN_ERR_IO && try + 1 < READ_TRIES;
}

/* What reading a plan of the cache has shown. A plan that cannot be read at all is as good as none. */
static mplan_status judge(mplan_cache *cache, const char *object, mplan_status status,
                          const mplan_content *content, bool *whole)
{
    *whole = !status && mplan_same_content(content, &cache->at->hit.plan);
    cache->at->found = *whole;
    if (!status && !*whole)
        remove_damaged(cache, object);
    return status == MPLAN_ERR_NO_INPUT ? MPLAN_OK : status;
}

mplan_status mplan_cache_prove(mplan_cache *cache, bool *whole, mplan_error *err)
{
    char object[MPLAN_CACHE_PATH];
    mplan_content content = {.bytes = -1};
    mplan_status status = plan_path(cache, &cache->at->hit.plan, object, err);
    if (status)
        return status;
    for (int try = 0; try < READ_TRIES; try++) {
        status = mplan_content_of_file(object, cache->context, &content, NULL, err);
        if (!try_again(status, try))
            break;
    }
    return judge(cache, object, status, &content, whole);
}

/* To an output that does not take pieces: a pipe, or standard output, from which nothing can be taken back. So the plan is
 * read as a whole first, and kept for who wants to tell of it. */
static mplan_status stream(mplan_cache *cache, const char *object, mplan_output *output,
                           bool *whole, mplan_error *err)
{
    mplan_content content = {.bytes = -1};
    mplan_context quiet = MPLAN_CONTEXT_INIT; /* this file is not an input of the call */
    quiet.threads = cache->context ? cache->context->threads : 0;
    mplan_file *plan = &cache->at->plan;
    mplan_file_close(plan);
    mplan_status status = mplan_file_open(object, &quiet, plan, err);
    if (!status)
        status = mplan_content_of_bytes(plan->data, plan->size, &content, err);
    status = judge(cache, object, status, &content, whole);
    if (!status && *whole)
        status = mplan_output_write(output, plan->data, plan->size, err);
    return status;
}

/* Into an output of its own, which appears only when its bytes were those of the plan. */
static mplan_status copy_out(mplan_cache *cache, const char *object, const char *path, bool *whole,
                             mplan_error *err)
{
    mplan_content content = {.bytes = -1};
    mplan_output *output = NULL;
    mplan_status status = mplan_output_open(path, cache->context, &output, err);
    if (status)
        return status;
    if (mplan_output_takes_pieces(output)) {
        status = mplan_content_copy(object, output, cache->context, &content, err);
        status = judge(cache, object, status, &content, whole);
    } else {
        status = stream(cache, object, output, whole, err);
    }
    if (!status && *whole)
        return mplan_output_commit(output, err);
    mplan_output_abort(output);
    return status;
}

/* By a link, where that is asked for and possible; else a clone or copy. */
mplan_status mplan_cache_write(mplan_cache *cache, const char *path, bool *whole, mplan_error *err)
{
    char object[MPLAN_CACHE_PATH];
    bool linked = false;
    mplan_status status = plan_path(cache, &cache->at->hit.plan, object, err);
    *whole = false;
    if (!status && cache->options.link) {
        status = mplan_cache_prove(cache, whole, err);
        if (!status && *whole)
            status = mplan_cache_link(object, path, cache->context, &linked, err);
        if (status || !*whole || linked)
            return status;
    }
    for (int try = 0; !status; try++) {
        status = copy_out(cache, object, path, whole, err);
        if (!try_again(status, try))
            break;
        status = MPLAN_OK;
    }
    return status;
}

const void *mplan_cache_bytes(const mplan_cache *cache)
{
    return cache->at->plan.data;
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

/* Warnings are kept with the plan: a plan that is found says them again. Those of the cache itself are not. Out of memory
 * only spoils the entry. */
void mplan_cache_note_warning(mplan_cache *cache, const char *text)
{
    if (cache->speaks)
        return;
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
 * replaced. from: a file that held bytes of this content. */
static mplan_status put_plan(const mplan_cache *cache, const char *object, const char *from,
                             const mplan_content *content, mplan_error *err)
{
    mplan_output *output = NULL;
    mplan_content copied = {.bytes = -1};
    mplan_context quiet = MPLAN_CONTEXT_INIT;
    quiet.threads = cache->context ? cache->context->threads : 0;
    struct stat there;
    if (stat(object, &there) == 0 && there.st_size != (off_t)content->bytes)
        (void)unlink(object);
    mplan_status status = mplan_cache_make_folders(cache->folder, object, err);
    if (!status)
        status = mplan_output_open(object, &quiet, &output, err);
    if (!status)
        status = mplan_content_copy(from, output, &quiet, &copied, err);
    if (!status && !mplan_same_content(&copied, content))
        status = mplan_fail(err, MPLAN_ERR_IO, "%s: changed while it was read", from);
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
    mplan_status status = mplan_content_of_file(path, cache->context, content, NULL, err);
    if (!status)
        status = plan_path(cache, content, object, err);
    if (!status && !is_stored(object, content))
        status = put_plan(cache, object, path, content, err);
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
    if (err)
        *err = (mplan_error){MPLAN_OK, ""};
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
    if (!status && err) /* what was tried first */
        *err = (mplan_error){MPLAN_OK, ""};
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
