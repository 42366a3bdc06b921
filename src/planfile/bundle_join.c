/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_join.c - one bundle of the files of all parts and the manifest
 *
 * Files may come in any order, from anywhere. They are read twice: first each is told by what it is, and compared with the
 * manifest and, by hashes of lists, with its neighbours; then they are copied, and must be what they were. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/option_size.h"
#include "base/threads.h"
#include "plan/plan.h"
#include "planfile/bundle.h"
#include "planfile/planfile_layout.h"

/* A file of a part, as it was when it was read first. */
typedef struct joined_part {
    const char *path; /* NULL: not found so far */
    uint64_t head;    /* hash of the header, which has hashes of all else */
} joined_part;

/* A list of members of set `set` as one end has it: what part `to` imports from part `from`. loop -1: of the set, else
 * what this loop needs of it. imported: 1 at the end of part `to`, 0 at that of `from`. n: members; hash: of their
 * global ids in the order of the list. */
typedef struct joined_list {
    int32_t set, loop, to, from, imported;
    int64_t n;
    uint64_t hash;
} joined_list;

/* What is known of the folder or files so far. lists: hashes of what parts import from and export to one another; both
 * ends must be there in the end. */
typedef struct joining {
    mplan_manifest manifest;
    const char *manifest_path; /* NULL: not found so far */
    joined_part *parts;
    mplan_vector lists;
    const mplan_context *context;
    mplan_error *err;
} joining;

/* --- the manifest --- */

/* "word 0123456789abcdef" and a line end; NULL: it is not there. */
static const char *take_hash(const char *at, const char *end, const char *word, uint64_t *hash)
{
    const size_t skip = strlen(word);
    if ((size_t)(end - at) < skip + 17 || memcmp(at, word, skip) != 0 || at[skip + 16] != '\n')
        return NULL;
    *hash = 0;
    for (size_t i = skip; i < skip + 16; i++) {
        const char *digit = strchr("0123456789abcdef", at[i]);
        if (!at[i] || !digit)
            return NULL;
        *hash = *hash << 4 | (uint64_t)(digit - "0123456789abcdef");
    }
    return at + skip + 17;
}

/* Text: `size` bytes and a zero. */
static mplan_status parse_manifest(joining *in, const char *path, const char *text, int64_t size)
{
    const char *end = text + size, *what = NULL;
    uint64_t topology = 0, coordinates = 0;
    const char *at = take_hash(text, end, "topology ", &topology);
    at = at ? take_hash(at, end, "coordinates ", &coordinates) : NULL;
    if (!at)
        return mplan_fail(in->err, MPLAN_ERR_FORMAT, "%s: not a plan, and not a manifest of parts",
                          path);
    int64_t place = 0;
    mplan_status status = mplan_manifest_read(at, end - at, &in->manifest, &place, &what, in->err);
    if (status == MPLAN_ERR_CORRUPT)
        return mplan_fail(in->err, status, "%s: damaged at byte %lld: %s", path,
                          (long long)(at - text + place), what);
    in->manifest.fingerprints.topology = topology;
    in->manifest.fingerprints.coordinates = coordinates;
    return status;
}

/* Files that are not plans must be the manifest, of which there is one. */
static mplan_status read_manifest(joining *in, const char *path)
{
    mplan_file file = {0};
    mplan_status status = mplan_file_open(path, in->context, &file, in->err);
    if (status)
        return status;
    if (mplan_plan_recognise(file.data, file.size)) {
        mplan_file_close(&file);
        return MPLAN_OK;
    }
    if (in->manifest_path)
        status = mplan_fail(in->err, MPLAN_ERR_ARGUMENT,
                            "%s and %s are both no plans: there is one manifest", in->manifest_path,
                            path);
    in->manifest_path = path;
    char *text = status ? NULL : mplan_alloc((int64_t)file.size + 1, 1, in->err);
    if (!status && !text)
        status = MPLAN_ERR_MEMORY;
    if (text) {
        memcpy(text, file.data, file.size);
        text[file.size] = '\0';
        status = parse_manifest(in, path, text, (int64_t)file.size);
    }
    free(text);
    mplan_file_close(&file);
    return status;
}

/* --- the parts --- */

/* Bytes and plan of a file; the bytes live as long as the file. */
static mplan_status read_plan(joining *in, const char *path, mplan_file *file, mplan_plan **plan)
{
    mplan_status status = mplan_file_open(path, in->context, file, in->err);
    if (!status)
        status = mplan_plan_read_borrowed(file->data, file->size, path, in->context, plan, in->err);
    return status;
}

/* Empty lists have no other end to be compared with. */
static mplan_status note_list(joining *in, joined_list one)
{
    return one.n > 0 ? mplan_vector_push(&in->lists, &one, in->err) : MPLAN_OK;
}

/* 0: the array is not there, which the reader of the plan has refused where it must be. */
static uint64_t hash_at(const mplan_plan *plan, mplan_key key, int32_t i)
{
    const uint64_t *hashes = mplan_plan_data(plan, key, MPLAN_TYPE_I64, NULL);
    return hashes ? hashes[i] : 0;
}

/* Lists of imports and exports of a set, and those of one loop (-1: of the set). */
static mplan_status note_lists(joining *in, const mplan_plan *plan, int32_t s, int32_t l)
{
    const mplan_part_set *part = &plan->sets[s].part;
    mplan_status status = MPLAN_OK;
    const mplan_key in_key = l < 0 ? mplan_key_of_set(MPLAN_KIND_IMPORT_HASHES, s)
                                   : mplan_key_of_loop_set(MPLAN_KIND_LOOP_IMPORT_HASHES, s, l);
    const mplan_key out_key = l < 0 ? mplan_key_of_set(MPLAN_KIND_EXPORT_HASHES, s)
                                    : mplan_key_of_loop_set(MPLAN_KIND_LOOP_EXPORT_HASHES, s, l);
    for (int32_t i = 0; i < part->imports && !status; i++) {
        const mplan_part_import from = mplan_plan_part_import(plan, s, i);
        const int64_t n = l < 0 ? from.execute[1] - from.execute[0] + from.read[1] - from.read[0]
                                : mplan_plan_part_loop_import(plan, l, s, i).n;
        status = note_list(in, (joined_list){s, l, part->part, from.part, 1, n,
                                             hash_at(plan, in_key, i)});
    }
    for (int32_t i = 0; i < part->exports && !status; i++) {
        const mplan_part_list to = l < 0 ? mplan_plan_part_export(plan, s, i)
                                         : mplan_plan_part_loop_export(plan, l, s, i);
        status = note_list(in, (joined_list){s, l, to.part, part->part, 0, to.n,
                                             hash_at(plan, out_key, i)});
    }
    return status;
}

/* What the part is, and what it says of its neighbours. */
static mplan_status note_part(joining *in, const char *path, const mplan_plan *plan, uint64_t head)
{
    const int32_t p = mplan_plan_part(plan);
    if (p < 0)
        return mplan_fail(in->err, MPLAN_ERR_ARGUMENT,
                          "%s: the plan is of a whole mesh, not of a part", path);
    if (p >= in->manifest.n_parts)
        return mplan_fail(in->err, MPLAN_ERR_DISPROVED, "%s: is part %d, but %s has %d parts", path,
                          (int)p, in->manifest_path, (int)in->manifest.n_parts);
    if (in->parts[p].path)
        return mplan_fail(in->err, MPLAN_ERR_ARGUMENT, "%s and %s are both part %d",
                          in->parts[p].path, path, (int)p);
    mplan_status status = mplan_manifest_fits(&in->manifest, plan, p, in->err);
    if (status == MPLAN_ERR_CORRUPT) { /* sound by itself, but of other parts */
        mplan_fail_prefix(in->err, status, path);
        return in->err ? (in->err->status = MPLAN_ERR_DISPROVED) : MPLAN_ERR_DISPROVED;
    }
    for (int32_t s = 0; s < plan->n_sets && !status; s++) {
        status = note_lists(in, plan, s, -1);
        for (int32_t l = 0; l < plan->n_loops && !status; l++)
            if (mplan_plan_loop_reads(plan, l, s))
                status = note_lists(in, plan, s, l);
    }
    in->parts[p] = (joined_part){path, head};
    return status;
}

/* Looks at all files but the manifest. */
static mplan_status read_parts(joining *in, int32_t n_paths, const char *const *paths)
{
    const int32_t n = in->manifest.n_parts;
    in->parts = mplan_alloc_zero(n, sizeof *in->parts, in->err);
    mplan_status status = in->parts ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < n_paths && !status; i++) {
        mplan_file file = {0};
        mplan_plan *plan = NULL;
        if (paths[i] == in->manifest_path)
            continue;
        status = mplan_heed(in->context, "parts", i, n_paths, in->err);
        if (!status)
            status = read_plan(in, paths[i], &file, &plan);
        if (!status)
            status = note_part(in, paths[i], plan, mplan_hash(file.data, MPLAN_HEADER_BYTES));
        mplan_plan_free(plan);
        mplan_file_close(&file);
    }
    for (int32_t p = 0; p < n && !status; p++)
        if (!in->parts[p].path)
            status = mplan_fail(in->err, MPLAN_ERR_ARGUMENT, "part %d of %d is missing", (int)p,
                                (int)n);
    return status;
}

/* --- both ends of lists --- */

/* The two ends of a list follow one another, the importer's last. */
static int compare_lists(const void *left, const void *right)
{
    const joined_list *a = left, *b = right;
    const int32_t x[] = {a->set, a->loop, a->to, a->from, a->imported};
    const int32_t y[] = {b->set, b->loop, b->to, b->from, b->imported};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* Exports come first of two ends. */
static bool are_ends(const joined_list *a, const joined_list *b)
{
    return a->set == b->set && a->loop == b->loop && a->to == b->to && a->from == b->from &&
           a->n == b->n && a->hash == b->hash && !a->imported && b->imported;
}

/* Sorted, in->lists must be pairs of both ends that agree in length and hash. The first that does not is named, by the
 * files of its parts; all parts are there by now, but the numbers in a list are from files and may be out of range. */
static mplan_status check_lists(joining *in)
{
    joined_list *all = in->lists.data;
    const int64_t n = in->lists.count;
    if (n > 0)
        qsort(all, (size_t)n, sizeof *all, compare_lists);
    for (int64_t i = 0; i < n; i += 2)
        if (i + 1 == n || !are_ends(&all[i], &all[i + 1])) {
            const int32_t to = all[i].to, from = all[i].from, parts = in->manifest.n_parts;
            return mplan_fail(in->err, MPLAN_ERR_DISPROVED,
                              "%s and %s do not belong together: what part %d imports from part %d of "
                              "set %s is not what that part exports",
                              to >= 0 && to < parts ? in->parts[to].path : "?",
                              from >= 0 && from < parts ? in->parts[from].path : "?", (int)to,
                              (int)from, in->manifest.sets[all[i].set].name);
        }
    return MPLAN_OK;
}

/* --- the bundle --- */

/* Copies the plans of parts 0, 1, ... into the bundle. Each is read and proved a second time, as its file may have
 * changed since; the header, which has hashes of all else, must be that of the first time. */
static mplan_status write_parts(joining *in, mplan_bundle_writer *writer)
{
    const int32_t n = in->manifest.n_parts;
    mplan_status status = MPLAN_OK;
    for (int32_t p = 0; p < n && !status; p++) {
        mplan_file file = {0};
        mplan_plan *plan = NULL;
        status = mplan_heed(in->context, "join", p, n, in->err);
        if (!status)
            status = read_plan(in, in->parts[p].path, &file, &plan);
        mplan_plan_free(plan);
        if (!status && mplan_hash(file.data, MPLAN_HEADER_BYTES) != in->parts[p].head)
            status = mplan_fail(in->err, MPLAN_ERR_IO, "%s: changed while it was read",
                                in->parts[p].path);
        if (!status)
            status = mplan_bundle_add_bytes(writer, file.data, file.size, in->err);
        mplan_file_close(&file);
    }
    if (!status)
        mplan_progress(in->context, "join", n, n);
    return status;
}

/* The manifest is looked for first: parts are told by it. The output is opened when all files have been compared, and
 * gets its name when the last byte is written. paths: n_paths, in any order; in->manifest_path points into it. */
static mplan_status join(joining *in, int32_t n_paths, const char *const *paths, const char *path,
                         int64_t *bytes)
{
    mplan_bundle_writer *writer = NULL;
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < n_paths && !status; i++)
        status = read_manifest(in, paths[i]);
    if (!status && !in->manifest_path)
        status = mplan_fail(in->err, MPLAN_ERR_ARGUMENT,
                            "there is no manifest among the files (%s of split)",
                            MPLAN_MANIFEST_NAME);
    if (!status)
        status = read_parts(in, n_paths, paths);
    if (!status)
        status = check_lists(in);
    if (!status)
        status = mplan_bundle_begin(path, &in->manifest, NULL, in->context, &writer, in->err);
    if (!status) {
        status = write_parts(in, writer);
        if (!status)
            return mplan_bundle_end(writer, bytes, in->err);
        mplan_bundle_abort(writer);
    }
    return status;
}

/* The bytes of each plan are copied as they are; the bundle has those that mplan_bundle_split began with. */
mplan_status mplan_bundle_join(int32_t n_paths, const char *const *paths, const char *path,
                               const mplan_context *context, int64_t *bytes, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(paths);
    MPLAN_NEED(path);
    joining in = {.lists = MPLAN_VECTOR_INIT(sizeof(joined_list)), .context = context, .err = err};
    mplan_status status = join(&in, n_paths, paths, path, bytes);
    mplan_manifest_free(&in.manifest);
    free(in.parts);
    free(in.lists.data);
    return status;
}
