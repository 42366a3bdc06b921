/* SPDX-License-Identifier: Apache-2.0 */
/* job_place.c - where in a job is what a refusal of the planner speaks of?
 *
 * The planner knows loops, args, sets and entries of the step by their names and numbers, not the file that they came
 * from. Its sentences name them in a few ways ("loop NAME", "arg DAT" or "dat DAT", "layers of SET", "entry N of the
 * step", "the name of loop N"), by which their place is found. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "job/job_fields.h"

/* Whether a name ends here: what may follow one in a sentence. */
static bool ends_name(char c)
{
    return c == '\0' || strchr(" ,:;)", c) != NULL;
}

/* The first place in text, behind "WORD " where the name is whole; NULL: nowhere. */
static const char *find_name(const char *text, const char *word, const char *name)
{
    const size_t before = strlen(word), length = strlen(name);
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        const bool begins = at == text || ends_name(at[-1]) || at[-1] == '(';
        if (begins && at[before] == ' ' && strncmp(at + before + 1, name, length) == 0 &&
            ends_name(at[before + 1 + length]))
            return at;
    }
    return NULL;
}

/* Of the items of a list, the one whose `key` the text names first behind the word, the longer name where two begin
 * alike ("flux" and "flux 2"). NULL: it names none. */
static const mplan_job_value *find_item(const char *text, const char *word,
                                        const mplan_job_value *list, const char *key)
{
    const mplan_job_value *found = NULL;
    const char *first = NULL;
    size_t length = 0;
    for (const mplan_job_value *item = list ? list->first : NULL; item; item = item->next) {
        const mplan_job_value *name = mplan_job_child(item, key);
        const char *at = name ? find_name(text, word, name->text) : NULL;
        if (!at || (first && (at > first || (at == first && strlen(name->text) <= length))))
            continue;
        found = item;
        first = at;
        length = strlen(name->text);
    }
    return found;
}

/* Item n of a list, from 0; NULL: there are fewer, or n is below 0. */
static const mplan_job_value *item_at(const mplan_job_value *list, int64_t n)
{
    const mplan_job_value *item = list && n >= 0 ? list->first : NULL;
    for (; item && n > 0; n--)
        item = item->next;
    return item;
}

/* The number behind the first `word` of the text, if `behind` follows it, as in "entry 2 of the step"; else -1. */
static int64_t number_in(const char *text, const char *word, const char *behind)
{
    const char *there = strstr(text, word);
    const char *at = there ? there + strlen(word) : "";
    const size_t digits = strspn(at, "0123456789");
    return digits > 0 && digits < 10 && strncmp(at + digits, behind, strlen(behind)) == 0
               ? strtoll(at, NULL, 10)
               : -1;
}

/* The set of `layers` that the text begins with. */
static const mplan_job_value *find_layers(const mplan_job_value *root, const char *text)
{
    const mplan_job_value *layers = mplan_job_child(root, "layers");
    if (strncmp(text, "layers of ", 10) != 0 || !layers)
        return NULL;
    for (const mplan_job_value *set = layers->first; set; set = set->next) {
        const size_t length = strlen(set->key->text);
        if (strncmp(text + 10, set->key->text, length) == 0 && ends_name(text[10 + length]))
            return set->key;
    }
    return NULL;
}

/* What the text is about: an arg rather than its loop, and in a loop the dat that is named first. NULL: nothing of the
 * job. */
static const mplan_job_value *find_place(const mplan_job_value *root, const char *text)
{
    const mplan_job_value *loops = mplan_job_child(root, "loops");
    const mplan_job_value *found = find_layers(root, text);
    if (!found)
        found = item_at(mplan_job_child(root, "step"), number_in(text, "entry ", " of the step"));
    if (!found && strncmp(text, "'cut: ", 6) == 0)
        found = mplan_job_child(root, "cut");
    if (found)
        return found;
    const int64_t unnamed = number_in(text, "the name of loop ", " ");
    const mplan_job_value *loop = unnamed < 0 ? find_item(text, "loop", loops, "name")
                                              : item_at(loops, unnamed);
    if (!loop)
        return NULL;
    const mplan_job_value *args = mplan_job_child(loop, "args");
    const mplan_job_value *arg = find_item(text, "arg", args, "dat");
    if (!arg)
        arg = find_item(text, "dat", args, "dat");
    return arg ? arg : loop;
}

/* err->status stays. */
mplan_status mplan_job_put_place(const mplan_job *job, const mplan_job_value *value,
                                 mplan_status status, mplan_error *err)
{
    if (!value)
        return status;
    char place[MPLAN_ERROR_TEXT];
    snprintf(place, sizeof place, "%s:%" PRId64 ":%" PRId64, job->path, value->line, value->column);
    return mplan_fail_prefix(err, status, place);
}

/* Whether the sentence begins as those do that speak of loops, sets or the step; others begin with the name of a file
 * or an option, or with the place already. */
static bool is_of_request(const char *text)
{
    static const char *const begins[] = {
        "loop ", "loops ", "dat ", "layers of ", "entry ", "global ", "the name of loop ",
        "'cut: "};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(text, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

/* A sentence that has its place stays as it is, so that each caller on the way may ask for it. */
void mplan_job_locate(const mplan_job *job, mplan_error *err)
{
    if (!job || !job->places || !err || !is_of_request(err->text))
        return;
    if (err->status == MPLAN_ERR_ARGUMENT || err->status == MPLAN_ERR_UNSUPPORTED ||
        err->status == MPLAN_ERR_MESH || err->status == MPLAN_ERR_CORRUPT)
        mplan_job_put_place(job, find_place(job->places, err->text), err->status, err);
}
