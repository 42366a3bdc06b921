/* SPDX-License-Identifier: Apache-2.0 */
/* plan_parts.c - `plan --parts`: a bundle of the plans of parts, or the plan of one of them */
#include "cli/plan_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/part_sets.h"
#include "cli/results.h"

const char *cli_cut_word(int32_t i)
{
    static const char *const words[] = {"native", "metis", "scotch", NULL};
    return words[i];
}

/* word: of cli_cut_word; NULL: native, the default. */
static mplan_partitioner partitioner_of(const char *word)
{
    return !word || !strcmp(word, "native") ? MPLAN_PARTITIONER_NATIVE
           : !strcmp(word, "metis")         ? MPLAN_PARTITIONER_METIS
                                            : MPLAN_PARTITIONER_SCOTCH;
}

/* What does not go together is refused before the mesh is read: without --parts its companions, with it what is for
 * one plan. */
mplan_status cli_plan_parts_check(const cli_plan_options *given, mplan_error *err)
{
    if (!given->parts) {
        const char *option = given->part.given ? "part" : given->cut ? "cut" : NULL;
        return option ? cli_fail(err, MPLAN_ERR_ARGUMENT, "--%s needs --parts", option) : MPLAN_OK;
    }
    const char *other = given->tuned              ? "tuned"
                        : given->cache.folder     ? "cache"
                        : given->cache.if_changed ? "if-changed"
                                                  : NULL;
    if (other)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "--%s cannot be combined with --parts", other);
    return MPLAN_OK;
}

/* "64", or "8x8"; false: it is neither, so the name of a file. */
static bool read_numbers(const char *text, int64_t number[2])
{
    const size_t first = strspn(text, "0123456789");
    const char *rest = text + first;
    number[0] = strtoll(text, NULL, 10);
    number[1] = 1;
    if (first == 0 || first > 9)
        return false;
    if (*rest == 'x') {
        const size_t second = strspn(rest + 1, "0123456789");
        number[1] = strtoll(rest + 1, NULL, 10);
        if (second == 0 || second > 9)
            return false;
        rest += 1 + second;
    }
    return *rest == '\0';
}

/* A number in each line: METIS's part file, or a .npy file. */
static mplan_status read_file(const char *path, mplan_parts_options *how, int32_t **part,
                              const mplan_context *context, mplan_error *err)
{
    int64_t *numbers = NULL;
    int32_t columns = 0;
    mplan_status status = mplan_weights_read(path, &how->n_part, &columns, &numbers, context, err);
    if (!status && columns != 1)
        status = cli_fail(err, MPLAN_ERR_MESH, "%s: a part file has one number in a row, not %d",
                          path, (int)columns);
    if (!status && !(*part = malloc(((size_t)how->n_part + 1) * sizeof **part)))
        status = cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    for (int64_t i = 0; i < how->n_part && !status; i++) {
        if (numbers[i] >= INT32_MAX)
            status = cli_fail(err, MPLAN_ERR_MESH, "%s: row %lld: there cannot be a part %lld",
                              path, (long long)i, (long long)numbers[i]);
        (*part)[i] = (int32_t)numbers[i];
    }
    how->part = *part;
    free(numbers);
    return status;
}

/* --parts is a number, NODESxPARTS or the name of a part file, whose numbers *part keeps (the caller's to free,
 * also after a failure). 8x1 counts as 8 parts without nodes. */
static mplan_status read_options(const cli_plan_options *given, mplan_parts_options *how,
                                 int32_t **part, const mplan_context *context, mplan_error *err)
{
    int64_t number[2];
    how->partitioner = partitioner_of(given->cut);
    if (!read_numbers(given->parts, number))
        return read_file(given->parts, how, part, context, err);
    if (number[0] < 1 || number[1] < 1 || number[0] * number[1] >= INT32_MAX)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "--parts %s: there must be 1 part or more, below 2^31", given->parts);
    how->n_parts = (int32_t)(number[0] * number[1]);
    how->nodes = (int32_t)number[0];
    if (number[1] == 1)
        how->nodes = 0;
    return MPLAN_OK;
}

/* --- what came of it ------------------------------------------------------------------- */

/* The report: path NULL where no plan was made, part below 0 for a bundle; then a row for each set, with members of
 * all halos together. */
static mplan_status show(const mplan_parts *parts, const char *path, int64_t bytes, int32_t part,
                         mplan_error *err)
{
    cli_table table;
    mplan_parts_set set;
    if (path && part >= 0)
        printf("%s: part %d of %d, cut by %s, %lld bytes\n", cli_shown(path), (int)part,
               (int)mplan_parts_n(parts), mplan_parts_how(parts), (long long)bytes);
    else if (path)
        printf("%s: bundle of %d parts, cut by %s, %lld bytes\n", cli_shown(path),
               (int)mplan_parts_n(parts), mplan_parts_how(parts), (long long)bytes);
    else
        printf("%d parts, cut by %s; no plan was made\n", (int)mplan_parts_n(parts),
               mplan_parts_how(parts));
    cli_part_sets_head(&table);
    for (int32_t s = 0; (set = mplan_parts_get_set(parts, s)).name; s++)
        cli_part_sets_row(&table, &set, mplan_parts_n(parts));
    return cli_part_sets_print(&table, err);
}

/* One object; keys are a contract: add, never rename. halos are sums over all parts. */
static mplan_status write_json(const cli_call *call, const mplan_parts *parts, const char *path,
                               int64_t bytes, int32_t part, mplan_error *err)
{
    cli_json json = {0};
    mplan_parts_set set;
    cli_results_open(&json, call);
    cli_json_text(&json, "file", path);
    if (path)
        cli_json_int(&json, "bytes", bytes);
    cli_json_int(&json, "parts", mplan_parts_n(parts));
    if (part >= 0)
        cli_json_int(&json, "part", part);
    cli_json_text(&json, "cut_by", mplan_parts_how(parts));
    cli_json_open(&json, "sets", '[');
    for (int32_t s = 0; (set = mplan_parts_get_set(parts, s)).name; s++)
        cli_part_sets_json(&json, &set, mplan_parts_n(parts));
    cli_json_close(&json, ']');
    return cli_results_write(&json, call, MPLAN_OK, NULL, err);
}

/* --- the command ------------------------------------------------------------------------ */

/* Proves what was written, as every plan is; what is refuted does not stay. */
static mplan_status prove(mplan_mesh *mesh, const char *path, const mplan_context *context,
                          mplan_error *err)
{
    mplan_bundle *bundle = NULL;
    mplan_status status = mplan_bundle_open(path, context, &bundle, err);
    if (!status) {
        const mplan_parts_source source = mplan_bundle_source(bundle);
        status = mplan_parts_verify(&source, mesh, -1, context, err);
    }
    mplan_bundle_free(bundle);
    if (status)
        remove(path);
    if (status != MPLAN_ERR_DISPROVED && status != MPLAN_ERR_OTHER_MESH)
        return status;
    mplan_error inner = *err;
    return cli_fail(err, MPLAN_ERR_INTERNAL, "the new bundle failed its proof: %.*s",
                    (int)sizeof inner.text - 64, inner.text);
}

/* The name that `split` gives the manifest, in the folder of the plan; the caller's, NULL without memory. */
static char *manifest_beside(const char *path)
{
    static const char name[] = "manifest.mparts";
    const char *slash = strrchr(path, '/');
    const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    char *beside = malloc(folder + sizeof name);
    if (beside) {
        memcpy(beside, path, folder);
        memcpy(beside + folder, name, sizeof name);
    }
    return beside;
}

/* One plan, or all of them in a bundle. With part 0 comes the manifest, which join needs. */
static mplan_status write_plans(const mplan_parts *parts, const cli_plan_options *given,
                                const char *path, const mplan_context *context, int64_t *bytes,
                                mplan_error *err)
{
    mplan_write_options how = MPLAN_WRITE_OPTIONS_INIT;
    how.compress = given->compress;
    if (!given->part.given)
        return mplan_parts_write(parts, path, &how, context, bytes, err);
    mplan_plan *plan = NULL;
    mplan_status status = mplan_parts_plan(parts, (int32_t)given->part.value, context, &plan, err);
    if (!status)
        status = mplan_plan_write(plan, path, &how, context, bytes, err);
    char *beside = status || given->part.value != 0 || !strcmp(path, "-") ? NULL
                                                                          : manifest_beside(path);
    if (!status && beside)
        status = mplan_parts_manifest(parts, plan, beside, context, err);
    free(beside);
    mplan_plan_free(plan);
    return status;
}

/* --part writes the plan of one part, with part 0 the manifest beside it; else a bundle, which is proved after it
 * was written, unless it went to standard output. */
mplan_status cli_plan_parts(const cli_call *call, mplan_mesh *mesh, int32_t n_loops,
                            const mplan_loop *loops, const mplan_plan_options *request,
                            const char *path, mplan_error *err)
{
    const cli_plan_options *given = call->options;
    const int32_t part = given->part.given ? (int32_t)given->part.value : -1;
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    mplan_parts *parts = NULL;
    int32_t *owner = NULL;
    int64_t bytes = 0;
    mplan_status status = read_options(given, &how, &owner, call->context, err);
    if (!status)
        status = mplan_parts_create(mesh, n_loops, loops, request, &how, call->context, &parts, err);
    if (!status && part >= mplan_parts_n(parts))
        status = cli_fail(err, MPLAN_ERR_ARGUMENT, "--part %d: parts are 0 to %d", (int)part,
                          (int)mplan_parts_n(parts) - 1);
    const char *written = given->dry_run ? NULL : path;
    if (!status && written)
        status = write_plans(parts, given, written, call->context, &bytes, err);
    if (!status && written && part < 0 && strcmp(written, "-"))
        status = prove(mesh, written, call->context, err);
    if (!status && call->report && (!written || strcmp(written, "-")))
        status = show(parts, written, bytes, part, err);
    if (!status && call->json)
        status = write_json(call, parts, written, bytes, part, err);
    mplan_parts_free(parts);
    free(owner);
    return status;
}
