/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_manifest.c - the text of a bundle that says what its parts are together
 *
 * Lines of formats/plan-format.md, section 13. There is one text for one manifest: numbers without leading zeros, single
 * blanks. So reading is strict, and what is read prints as it was. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/number_text.h"
#include "planfile/bundle.h"

/* Members that were not read yet are NULL. */
void mplan_manifest_free(mplan_manifest *manifest)
{
    for (int32_t s = 0; manifest->sets && s < manifest->n_sets; s++) {
        free((void *)(uintptr_t)manifest->sets[s].name);
        free((void *)(uintptr_t)manifest->sets[s].base);
    }
    for (int32_t m = 0; manifest->maps && m < manifest->n_maps; m++)
        free((void *)(uintptr_t)manifest->maps[m].name);
    free(manifest->sets);
    free(manifest->maps);
    free(manifest->how);
    free(manifest->request);
    free(manifest->versions);
    *manifest = (mplan_manifest){0};
}

/* --- printing --- */

/* Bytes behind what the text holds, without a zero. */
static mplan_status add_bytes(mplan_vector *text, const char *from, size_t size, mplan_error *err)
{
    char *room = mplan_vector_reserve(text, (int64_t)size, err);
    if (!room)
        return MPLAN_ERR_MEMORY;
    memcpy(room, from, size);
    text->count += (int64_t)size;
    return MPLAN_OK;
}

/* Appends "word n n n" and a line end; n_numbers numbers, each behind a blank. name, which may be NULL, comes last: it
 * may contain blanks, since it ends with the line. */
static mplan_status add_line(mplan_vector *text, const char *word, const int64_t *numbers,
                             int64_t n_numbers, const char *name, mplan_error *err)
{
    mplan_status status = add_bytes(text, word, strlen(word), err);
    for (int64_t i = 0; i < n_numbers && !status; i++) {
        char number[MPLAN_NUMBER_ROOM];
        mplan_text_format(number, sizeof number, " %" PRId64, numbers[i]);
        status = add_bytes(text, number, strlen(number), err);
    }
    if (!status && name)
        status = add_bytes(text, " ", 1, err);
    if (!status && name)
        status = add_bytes(text, name, strlen(name), err);
    return status ? status : add_bytes(text, "\n", 1, err);
}

/* Texts of many lines are given with their length, so that nothing in them can end them. */
static mplan_status add_text(mplan_vector *text, const char *word, const char *whole, mplan_error *err)
{
    const int64_t bytes = (int64_t)strlen(whole);
    mplan_status status = add_line(text, word, &bytes, 1, NULL, err);
    return status ? status : add_bytes(text, whole, (size_t)bytes, err);
}

/* Appended to *text without a final zero, in the order in which mplan_manifest_read takes the lines. The fingerprints
 * are not in the text: the header of a bundle, or the first lines of a file (mplan_manifest_print_file), have them. */
mplan_status mplan_manifest_print(const mplan_manifest *manifest, mplan_vector *text, mplan_error *err)
{
    const int64_t parts = manifest->n_parts, cut = manifest->cut;
    mplan_status status = add_line(text, "parts", &parts, 1, NULL, err);
    for (int32_t s = 0; s < manifest->n_sets && !status; s++) {
        const mplan_bundle_set *set = &manifest->sets[s];
        status = add_line(text, "set", &set->total, 1, set->name, err);
        if (!status)
            status = add_line(text, "base", set->base, parts + 1, NULL, err);
    }
    for (int32_t m = 0; m < manifest->n_maps && !status; m++) {
        const mplan_bundle_map *map = &manifest->maps[m];
        const int64_t numbers[4] = {map->from, map->to, map->arity, map->entries};
        status = add_line(text, "map", numbers, 4, map->name, err);
    }
    if (!status)
        status = add_line(text, "cut", &cut, 1, manifest->how, err);
    if (!status)
        status = add_text(text, "request", manifest->request, err);
    return status ? status : add_text(text, "versions", manifest->versions, err);
}

/* --- reading --- */

/* A manifest on its way in. `at` is the next byte; `what` is set by the first fault. */
typedef struct reader {
    const char *text, *at, *end;
    const char *what;
    mplan_status status;
    mplan_error *err;
} reader;

/* The first thing that is wrong stays, with its place in r->at. */
static void fault(reader *r, const char *what)
{
    if (!r->status) {
        r->status = MPLAN_ERR_CORRUPT;
        r->what = what;
    }
}

/* Only a whole word moves the reader on. */
static bool take_word(reader *r, const char *word)
{
    const size_t length = strlen(word);
    if (r->status || (size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

/* what: the sentence if the word is not there. */
static void need_word(reader *r, const char *word, const char *what)
{
    if (!take_word(r, word))
        fault(r, what);
}

/* A number from `least` to `most`, written as it would be printed: so "007", "+7" and numbers beyond 64 bits, which
 * strtoll cuts off, are refused. 0 after a fault. The zero behind the text ends the last number. */
static int64_t take_number(reader *r, int64_t least, int64_t most)
{
    char *after = NULL, again[MPLAN_NUMBER_ROOM];
    if (r->status || r->at == r->end || (*r->at != '-' && (*r->at < '0' || *r->at > '9'))) {
        fault(r, "there must be a number");
        return 0;
    }
    const long long value = strtoll(r->at, &after, 10);
    const int length = mplan_text_format(again, sizeof again, "%lld", value);
    if (after - r->at != length || memcmp(again, r->at, (size_t)length) != 0) {
        fault(r, "a number is not written as it must be");
        return 0;
    }
    if (value < least || value > most) {
        fault(r, "a number is out of range");
        return 0;
    }
    r->at = after;
    return value;
}

/* The rest of the line, as a new text. */
static char *take_name(reader *r)
{
    const char *line = r->status ? NULL : memchr(r->at, '\n', (size_t)(r->end - r->at));
    if (!line) {
        fault(r, "a line does not end");
        return NULL;
    }
    char *name = mplan_alloc(line - r->at + 1, 1, r->err);
    if (!name) {
        r->status = MPLAN_ERR_MEMORY;
        return NULL;
    }
    memcpy(name, r->at, (size_t)(line - r->at));
    name[line - r->at] = '\0';
    r->at = line + 1;
    return name;
}

/* "word BYTES", a line end and so many bytes, as a new text; NULL: see r->status. The length is bounded by what is
 * left before memory is taken. */
static char *take_text(reader *r, const char *word)
{
    need_word(r, word, "a line is missing");
    int64_t bytes = take_number(r, 0, r->end - r->at);
    need_word(r, "\n", "a line does not end");
    if (r->status)
        return NULL;
    if (bytes > r->end - r->at) {
        fault(r, "a text extends beyond the manifest");
        return NULL;
    }
    char *text = mplan_alloc(bytes + 1, 1, r->err);
    if (!text) {
        r->status = MPLAN_ERR_MEMORY;
        return NULL;
    }
    memcpy(text, r->at, (size_t)bytes);
    text[bytes] = '\0';
    r->at += bytes;
    return text;
}

/* Names of sets differ, and those of maps. */
static bool is_new_set(const mplan_manifest *manifest, const char *name)
{
    for (int32_t s = 0; s < manifest->n_sets; s++)
        if (strcmp(manifest->sets[s].name, name) == 0)
            return false;
    return true;
}

/* Names are unique among maps. */
static bool is_new_map(const mplan_manifest *manifest, const char *name)
{
    for (int32_t m = 0; m < manifest->n_maps; m++)
        if (strcmp(manifest->maps[m].name, name) == 0)
            return false;
    return true;
}

/* A line "set", of which the word is taken, and its line "base": from 0 to the total. */
static void take_set(reader *r, mplan_manifest *manifest)
{
    mplan_bundle_set set = {.total = take_number(r, 0, INT64_C(1) << 62)};
    need_word(r, " ", "a set has no name");
    char *name = take_name(r);
    if (name && !is_new_set(manifest, name))
        fault(r, "two sets have one name");
    need_word(r, "base", "a set has no bases");
    /* each number takes two bytes at least: memory is bounded by the text */
    int64_t *base = NULL;
    if (!r->status && manifest->n_parts + INT64_C(1) > (r->end - r->at) / 2)
        fault(r, "a set has too few bases");
    if (!r->status && !(base = mplan_alloc(manifest->n_parts + INT64_C(1), sizeof *base, r->err)))
        r->status = MPLAN_ERR_MEMORY;
    for (int32_t p = 0; p <= manifest->n_parts && !r->status; p++) {
        need_word(r, " ", "a set has too few bases");
        base[p] = take_number(r, p ? base[p - 1] : 0, p ? set.total : 0);
    }
    if (!r->status && base[manifest->n_parts] != set.total)
        fault(r, "the last base is not the total of its set");
    need_word(r, "\n", "a line does not end");
    mplan_bundle_set *sets = r->status ? NULL
                                       : mplan_realloc(manifest->sets, manifest->n_sets + INT64_C(1),
                                                       sizeof *sets, r->err);
    if (!sets) {
        r->status = r->status ? r->status : MPLAN_ERR_MEMORY;
        free(name);
        free(base);
        return;
    }
    set.name = name;
    set.base = base;
    manifest->sets = sets;
    manifest->sets[manifest->n_sets++] = set;
}

/* A line of a map: from, to, arity (0: ragged), entries in all parts together, name. */
static void take_map(reader *r, mplan_manifest *manifest)
{
    mplan_bundle_map map = {.from = (int32_t)take_number(r, 0, manifest->n_sets - 1)};
    need_word(r, " ", "a map has too few numbers");
    map.to = (int32_t)take_number(r, 0, manifest->n_sets - 1);
    need_word(r, " ", "a map has too few numbers");
    map.arity = (int32_t)take_number(r, 0, INT32_MAX);
    need_word(r, " ", "a map has too few numbers");
    map.entries = take_number(r, 0, INT64_MAX);
    need_word(r, " ", "a map has no name");
    char *name = take_name(r);
    if (name && !is_new_map(manifest, name))
        fault(r, "two maps have one name");
    mplan_bundle_map *maps = r->status ? NULL
                                       : mplan_realloc(manifest->maps, manifest->n_maps + INT64_C(1),
                                                       sizeof *maps, r->err);
    if (!maps) {
        r->status = r->status ? r->status : MPLAN_ERR_MEMORY;
        free(name);
        return;
    }
    map.name = name;
    manifest->maps = maps;
    manifest->maps[manifest->n_maps++] = map;
}

/* "ptscotch-7.0.3-64-16": version, bits of a number, ranks. */
static bool is_ptscotch(const char *how)
{
    static const char name[] = "ptscotch-", digits[] = "0123456789";
    if (strncmp(how, name, sizeof name - 1) != 0)
        return false;
    how += sizeof name - 1;
    const size_t version = strspn(how, "0123456789.");
    if (version == 0 || (strncmp(how + version, "-64-", 4) && strncmp(how + version, "-32-", 4)))
        return false;
    how += version + 4;
    const size_t ranks = strspn(how, digits);
    return ranks > 0 && ranks < 10 && how[0] != '0' && how[ranks] == '\0';
}

/* Words that say who cut the mesh; others are refused, so that they keep one meaning. */
static bool is_way_to_cut(const char *how)
{
    static const char *const ways[] = {"file", "metis", "scotch", "native"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(how, ways[i]) == 0)
            return true;
    return is_ptscotch(how);
}

/* The hash of the request is that of a plan's header: a fingerprint (base/hash.h). */
static void fingerprint_request(reader *r, mplan_manifest *manifest)
{
    mplan_fingerprint *print = mplan_fingerprint_begin();
    if (print)
        mplan_fingerprint_bytes(print, manifest->request, strlen(manifest->request));
    if (!mplan_fingerprint_end(print, &manifest->fingerprints.request))
        r->status = mplan_fail(r->err, MPLAN_ERR_MEMORY, "out of memory");
}

/* text: size bytes, from a file that nobody has proved. After a failure *at is the byte and *what the sentence; the
 * manifest holds what was read so far, and is to be freed in any case. */
mplan_status mplan_manifest_read(const char *text, int64_t size, mplan_manifest *manifest,
                                 int64_t *at, const char **what, mplan_error *err)
{
    reader r = {.text = text, .at = text, .end = text + size, .err = err};
    const char *zero = memchr(text, 0, (size_t)size);
    *manifest = (mplan_manifest){0};
    if (zero) {
        r.at = zero;
        fault(&r, "a text contains a zero byte");
    }
    need_word(&r, "parts ", "the first line must give the number of parts");
    manifest->n_parts = (int32_t)take_number(&r, 1, INT32_MAX - 1);
    need_word(&r, "\n", "a line does not end");
    while (take_word(&r, "set "))
        take_set(&r, manifest);
    while (take_word(&r, "map "))
        take_map(&r, manifest);
    need_word(&r, "cut ", "a line is missing");
    manifest->cut = (int32_t)take_number(&r, -1, manifest->n_sets - 1);
    need_word(&r, " ", "a cut must say how it was made");
    manifest->how = take_name(&r);
    if (!r.status && !is_way_to_cut(manifest->how))
        fault(&r, "the cut was made in an unknown way");
    manifest->request = take_text(&r, "request ");
    manifest->versions = take_text(&r, "versions ");
    if (!r.status && r.at != r.end)
        fault(&r, "bytes follow the manifest");
    if (!r.status && manifest->cut >= 0)
        manifest->sets[manifest->cut].cut = true;
    if (!r.status)
        fingerprint_request(&r, manifest);
    *at = r.at - text;
    *what = r.what;
    return r.status;
}

/* --- plans --- */

/* Whether the plan of a part is the one that the manifest means: sets, maps, and what it owns of each set. */
mplan_status mplan_manifest_fits(const mplan_manifest *manifest, const mplan_plan *plan,
                                 int32_t part, mplan_error *err)
{
    if (mplan_plan_part(plan) != part)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "the plan is of part %d",
                          (int)mplan_plan_part(plan));
    if (mplan_plan_n_sets(plan) != manifest->n_sets || mplan_plan_n_maps(plan) != manifest->n_maps)
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "the plan has %d sets and %d maps instead of %d and %d",
                          (int)mplan_plan_n_sets(plan), (int)mplan_plan_n_maps(plan),
                          (int)manifest->n_sets, (int)manifest->n_maps);
    for (int32_t s = 0; s < manifest->n_sets; s++) {
        const mplan_bundle_set *want = &manifest->sets[s];
        const mplan_plan_set *set = mplan_plan_get_set(plan, s);
        if (strcmp(want->name, set->name) != 0 || set->part.parts != manifest->n_parts ||
            set->part.total != want->total || set->part.base != want->base[part] ||
            set->part.base + set->part.owned != want->base[part + 1])
            return mplan_fail(err, MPLAN_ERR_CORRUPT,
                              "set %s of the plan is not the one that the manifest has", set->name);
    }
    for (int32_t m = 0; m < manifest->n_maps; m++) {
        const mplan_bundle_map *want = &manifest->maps[m];
        const mplan_plan_map *map = mplan_plan_get_map(plan, m);
        if (strcmp(want->name, map->name) != 0 || want->from != map->from || want->to != map->to ||
            want->arity != map->arity)
            return mplan_fail(err, MPLAN_ERR_CORRUPT,
                              "map %s of the plan is not the one that the manifest has", map->name);
    }
    return MPLAN_OK;
}
