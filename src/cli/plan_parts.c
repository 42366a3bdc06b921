/* SPDX-License-Identifier: Apache-2.0 */
/* plan_parts.c - `plan --parts`: a bundle of the plans of parts, or the plan of one of them */
#include "cli/plan_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/bundle_figures.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/part_weights.h"
#include "cli/part_sets.h"
#include "cli/results.h"

/* What can cut, by its word; native, the first, is the default. */
static const struct {
    const char *word;
    mplan_partitioner partitioner;
} cutters[] = {{"native", MPLAN_PARTITIONER_NATIVE},
               {"metis", MPLAN_PARTITIONER_METIS},
               {"scotch", MPLAN_PARTITIONER_SCOTCH}};
enum { N_CUTTERS = sizeof cutters / sizeof *cutters };

const char *cli_cut_word(int32_t i)
{
    return i < N_CUTTERS ? cutters[i].word : NULL;
}

/* Who cuts for a word, NULL: the default. Where a file has the parts nobody cuts, so that a job may name one that only
 * meshplan-mpi has. */
static mplan_status find_cutter(const cli_parts_asked *asked, mplan_partitioner *found,
                                mplan_error *err)
{
    *found = cutters[0].partitioner;
    if (!asked->cut)
        return MPLAN_OK;
    for (int i = 0; i < N_CUTTERS; i++)
        if (strcmp(asked->cut, cutters[i].word) == 0) {
            *found = cutters[i].partitioner;
            return MPLAN_OK;
        }
    return cli_parts_is_file(asked->parts)
               ? MPLAN_OK
               : cli_fail(err, MPLAN_ERR_UNSUPPORTED, "parts are not cut by %s", asked->cut);
}

cli_parts_asked cli_parts_asked_for(const cli_plan_options *given, const mplan_job *job)
{
    return (cli_parts_asked){.parts = given->parts ? given->parts
                                      : job        ? job->parts
                                                   : NULL,
                             .cut = given->cut ? given->cut
                                    : job      ? job->cut
                                               : NULL,
                             .part = given->part.given ? (int32_t)given->part.value : -1};
}

bool cli_parts_is_folder(const char *parts)
{
    struct stat about;
    return parts && stat(parts, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Parts that were scattered are cut already, and each is planned by itself. */
static mplan_status check_folder(const cli_plan_options *given, mplan_error *err)
{
    const char *other = given->cut                   ? "cut"
                        : given->cut_imbalance.given ? "cut-imbalance"
                        : given->weights.n           ? "weights"
                        : given->together            ? "together"
                        : given->scatter             ? "scatter"
                        : given->dry_run             ? "dry-run"
                                                     : NULL;
    if (other)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "--%s cannot be combined with a folder of parts",
                        other);
    return given->part.given
               ? MPLAN_OK
               : cli_fail(err, MPLAN_ERR_ARGUMENT, "--part is required with a folder of parts");
}

/* What does not go together is refused before the mesh is read: without parts their companions, with them what is for
 * one plan. */
mplan_status cli_plan_parts_check(const cli_plan_options *given, const cli_parts_asked *asked,
                                  mplan_error *err)
{
    if (!asked->parts) {
        const char *option = given->part.given            ? "part"
                             : given->cut                 ? "cut"
                             : given->cut_imbalance.given ? "cut-imbalance"
                             : given->weights.n           ? "weights"
                             : given->together            ? "together"
                             : given->scatter             ? "scatter"
                                                          : NULL;
        return option ? cli_fail(err, MPLAN_ERR_ARGUMENT, "--%s needs --parts", option) : MPLAN_OK;
    }
    if (given->tuned)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "--tuned cannot be combined with %s",
                        given->parts ? "--parts" : "the parts of the job");
    if (asked->cut && !strcmp(asked->cut, "ptscotch") && !cli_parts_is_file(asked->parts))
        return cli_fail(err, MPLAN_ERR_UNSUPPORTED,
                        "'cut: ptscotch' is for meshplan-mpi only: plan the job with it, or give --cut");
    const char *other = !given->scatter     ? NULL
                        : given->part.given ? "part"
                        : given->dry_run    ? "dry-run"
                        : given->output     ? "output"
                                            : NULL;
    if (other)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "--%s cannot be combined with --scatter", other);
    return cli_parts_is_folder(asked->parts) ? check_folder(given, err) : MPLAN_OK;
}

/* "64", or "8x8"; false: it is neither, so the name of a file. Numbers of too many digits are the largest of 64 bits. */
static bool read_numbers(const char *text, int64_t number[2])
{
    const size_t first = strspn(text, "0123456789");
    const char *rest = text + first;
    number[0] = strtoll(text, NULL, 10);
    number[1] = 1;
    if (first == 0)
        return false;
    if (*rest == 'x') {
        const size_t second = strspn(rest + 1, "0123456789");
        number[1] = strtoll(rest + 1, NULL, 10);
        if (second == 0)
            return false;
        rest += 1 + second;
    }
    return *rest == '\0';
}

bool cli_parts_is_file(const char *parts)
{
    int64_t number[2];
    return parts && !read_numbers(parts, number);
}

/* What the options name, owned: the parts that are given, or weights and groups for those that are cut. */
typedef struct cut_arrays {
    int32_t *part;
    cli_part_arrays wishes;
} cut_arrays;

/* Weights and groups are read as `partition` reads them. */
static mplan_status read_wishes(const cli_plan_options *given, mplan_parts_options *how,
                                cli_part_arrays *arrays, const mplan_context *context,
                                mplan_error *err)
{
    const cli_part_wishes wishes = {.weights = given->weights, .together = given->together};
    mplan_partition_options read = MPLAN_PARTITION_OPTIONS_INIT;
    mplan_status status = cli_part_wishes_load(&wishes, arrays, &read, context, err);
    how->weights_of = read.weights_of;
    how->n_weights = read.n_weights;
    how->n_weight_rows = read.n_weight_rows;
    how->weights = read.weights;
    how->n_together = read.n_together;
    how->together_columns = read.together_columns;
    how->together = read.together;
    how->files = read.files;
    return status;
}

/* A number in each line: METIS's part file, or a .npy file. */
mplan_status cli_parts_read_file(const char *path, mplan_parts_options *how, int32_t **part,
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
                              path, (long long)i + 1, (long long)numbers[i]);
        (*part)[i] = (int32_t)numbers[i];
    }
    how->part = *part;
    how->files.part = path;
    free(numbers);
    return status;
}

/* 8x1 counts as 8 parts without nodes. */
mplan_status cli_parts_read(const char *parts, mplan_parts_options *how, int32_t **part,
                            const mplan_context *context, mplan_error *err)
{
    int64_t number[2];
    if (!read_numbers(parts, number)) {
        if (strcspn(parts, "-+.0123456789") == 0 && parts[1] && access(parts, F_OK))
            return cli_fail(err, MPLAN_ERR_ARGUMENT,
                            "--parts %s: must be a number, NxM or a file, and there is no file called so",
                            parts);
        return cli_parts_read_file(parts, how, part, context, err);
    }
    if (number[0] < 1 || number[1] < 1 || number[0] >= INT32_MAX || number[1] >= INT32_MAX ||
        number[0] * number[1] >= INT32_MAX)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "--parts %s: there must be 1 part or more, below 2^31", parts);
    how->n_parts = (int32_t)(number[0] * number[1]);
    how->nodes = number[1] == 1 ? 0 : (int32_t)number[0];
    return MPLAN_OK;
}

/* What is read is the caller's to free, also after a failure. */
static mplan_status read_options(const cli_plan_options *given, const cli_parts_asked *asked,
                                 mplan_parts_options *how, cut_arrays *arrays,
                                 const mplan_context *context, mplan_error *err)
{
    if (given->cut_imbalance.given)
        how->imbalance = given->cut_imbalance.value;
    mplan_status status = find_cutter(asked, &how->partitioner, err);
    if (!status)
        status = read_wishes(given, how, &arrays->wishes, context, err);
    return status ? status : cli_parts_read(asked->parts, how, &arrays->part, context, err);
}

/* --- what came of it ------------------------------------------------------------------- */

/* What is said of a bundle or a part, whether it was made or found. */
typedef struct outcome {
    const char *path; /* NULL: no plan was made */
    int64_t bytes;
    int32_t part;    /* -1: all */
    int32_t n_parts; /* 0: not known, and `how` and sets neither */
    const char *how;
    int32_t n_sets;
    mplan_parts_set *sets;
    const char *scattered; /* the folder of their files; NULL: there is none */
    int32_t rings;         /* that parts compute as well */
    int32_t visit_steps; /* of every part, where device memory is limited; 0: it is not, or not known */
} outcome;

static int32_t visit_steps_of(const mplan_plan *plan)
{
    const mplan_plan_visit *visit = mplan_plan_get_visit(plan);
    return visit ? visit->steps : 0;
}

/* The report; then a row for each set, with members of all halos together. */
static mplan_status show(const outcome *of, mplan_error *err)
{
    cli_table table;
    if (of->scattered)
        printf("%s: %d parts, cut by %s, a file each; no plan was made\n", cli_shown(of->scattered),
               (int)of->n_parts, of->how);
    else if (!of->path)
        printf("%d parts, cut by %s; no plan was made\n", (int)of->n_parts, of->how);
    else if (of->n_parts == 0)
        printf("%s: part %d, %lld bytes\n", cli_shown(of->path), (int)of->part, (long long)of->bytes);
    else if (of->part >= 0)
        printf("%s: part %d of %d, cut by %s, %lld bytes\n", cli_shown(of->path), (int)of->part,
               (int)of->n_parts, of->how, (long long)of->bytes);
    else
        printf("%s: bundle of %d parts, cut by %s, %lld bytes\n", cli_shown(of->path),
               (int)of->n_parts, of->how, (long long)of->bytes);
    if (of->visit_steps > 0)
        printf("  limited device memory: a visit of each part has %d %s, from one exchange to the next\n",
               (int)of->visit_steps, of->visit_steps == 1 ? "step" : "steps");
    if (of->n_parts == 0)
        return MPLAN_OK;
    cli_part_sets_head(&table);
    for (int32_t s = 0; s < of->n_sets; s++)
        cli_part_sets_row(&table, &of->sets[s], of->n_parts);
    mplan_status status = cli_part_sets_print(&table, err);
    if (!status)
        cli_part_sets_twice(of->sets, of->n_sets, of->rings);
    return status;
}

/* One object; keys are a contract: add, never rename. halos are sums over all parts. */
static mplan_status write_json(const cli_call *call, const outcome *of, const cli_plan_cache *cache,
                               mplan_error *err)
{
    cli_json json = {0};
    cli_results_open(&json, call);
    cli_json_text(&json, "file", of->path);
    if (of->path)
        cli_json_int(&json, "bytes", of->bytes);
    if (of->n_parts > 0)
        cli_json_int(&json, "parts", of->n_parts);
    if (of->part >= 0)
        cli_json_int(&json, "part", of->part);
    if (of->scattered)
        cli_json_text(&json, "folder", of->scattered);
    if (of->visit_steps > 0)
        cli_json_int(&json, "steps_per_visit", of->visit_steps);
    if (of->n_parts > 0) {
        cli_json_text(&json, "cut_by", of->how);
        if (of->rings > 0)
            cli_json_int(&json, "rings", of->rings);
        cli_json_open(&json, "sets", '[');
        for (int32_t s = 0; s < of->n_sets; s++)
            cli_part_sets_json(&json, &of->sets[s], of->n_parts);
        cli_json_close(&json, ']');
    }
    cli_cache_json(&json, cache);
    return cli_results_write(&json, call, MPLAN_OK, NULL, err);
}

/* Nothing on standard output where the plans themselves went there. */
static mplan_status say(const cli_call *call, const outcome *of, const cli_plan_cache *cache,
                        mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (call->report && (!of->path || strcmp(of->path, "-"))) {
        status = show(of, err);
        if (!status)
            cli_cache_report(cache);
    }
    return !status && call->json ? write_json(call, of, cache, err) : status;
}

/* Sets of parts that were cut now: an array of the caller's. */
static mplan_status take_sets(const mplan_parts *parts, outcome *of, mplan_error *err)
{
    of->n_parts = mplan_parts_n(parts);
    of->how = mplan_parts_how(parts);
    of->n_sets = mplan_parts_n_sets(parts);
    of->sets = calloc((size_t)of->n_sets + 1, sizeof *of->sets);
    if (!of->sets)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    for (int32_t s = 0; s < of->n_sets; s++)
        of->sets[s] = mplan_parts_get_set(parts, s);
    return MPLAN_OK;
}

/* --- the command ------------------------------------------------------------------------ */

/* Of a bundle that this call wrote, which is not one of its inputs. */
static mplan_status open_own(const char *path, const mplan_context *context, mplan_bundle **bundle,
                             mplan_error *err)
{
    mplan_context quiet = *context;
    quiet.input = NULL;
    quiet.looked = NULL;
    return mplan_bundle_open(path, &quiet, bundle, err);
}

/* Proves what was written, as every plan is; what is refuted does not stay. limited: its parts have visits. */
static mplan_status prove(mplan_mesh *mesh, const char *path, bool limited,
                          const mplan_context *context, int32_t *visit_steps, mplan_error *err)
{
    mplan_bundle *bundle = NULL;
    mplan_plan *plan = NULL;
    mplan_status status = open_own(path, context, &bundle, err);
    if (!status) {
        const mplan_parts_source source = mplan_bundle_source(bundle);
        status = mplan_parts_verify(&source, mesh, -1, context, err);
    }
    if (!status && limited) /* it is proved that all parts have those of the first */
        status = mplan_bundle_read_part(bundle, 0, NULL, &plan, err);
    if (!status && limited)
        *visit_steps = visit_steps_of(plan);
    mplan_plan_free(plan);
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

mplan_status cli_parts_also(const cli_parts_asked *asked, const char *path, char **also,
                            mplan_error *err)
{
    *also = NULL;
    if (!asked->parts || asked->part != 0 || !strcmp(path, "-"))
        return MPLAN_OK;
    *also = manifest_beside(path);
    return *also ? MPLAN_OK : cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
}

/* One plan and maybe the manifest, which join needs; or all plans in a bundle. */
static mplan_status write_plans(const mplan_parts *parts, const cli_call *call, outcome *of,
                                const char *manifest, mplan_error *err)
{
    const cli_plan_options *given = call->options;
    mplan_write_options how = MPLAN_WRITE_OPTIONS_INIT;
    how.compress = given->compress;
    if (of->part < 0)
        return mplan_parts_write(parts, of->path, &how, call->context, &of->bytes, err);
    mplan_plan *plan = NULL;
    mplan_status status = mplan_parts_plan(parts, of->part, call->context, &plan, err);
    if (!status)
        status = mplan_plan_write(plan, of->path, &how, call->context, &of->bytes, err);
    if (!status)
        of->visit_steps = visit_steps_of(plan);
    if (!status && manifest)
        status = mplan_parts_manifest(parts, plan, manifest, call->context, err);
    mplan_plan_free(plan);
    return status;
}

/* A bundle is proved after it was written, unless it went to standard output. */
mplan_status cli_plan_parts(const cli_call *call, const cli_parts_asked *asked, mplan_mesh *mesh,
                            int32_t n_loops, const mplan_loop *loops,
                            const mplan_plan_options *request, const char *path, double start,
                            cli_plan_cache *cache, mplan_error *err)
{
    const cli_plan_options *given = call->options;
    outcome of = {.path = given->dry_run || given->scatter ? NULL : path,
                  .part = asked->part,
                  .scattered = given->scatter,
                  .rings = request->rings};
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    mplan_parts *parts = NULL;
    cut_arrays arrays = {.part = NULL};
    mplan_status status = asked->piece
                              ? mplan_piece_parts(asked->piece, n_loops, loops, request,
                                                  call->context, &parts, err)
                              : read_options(given, asked, &how, &arrays, call->context, err);
    if (!status && !asked->piece)
        status = cli_part_weights_fit(&given->weights, NULL, how.weights_of, how.n_weight_rows,
                                      mesh, err);
    if (!status && !asked->piece)
        status = mplan_parts_create(mesh, n_loops, loops, request, &how, call->context, &parts, err);
    if (!status && asked->part >= mplan_parts_n(parts))
        status = cli_fail(err, MPLAN_ERR_ARGUMENT, "--part %d: parts are 0 to %d", (int)asked->part,
                          (int)mplan_parts_n(parts) - 1);
    if (!status && given->scatter)
        status = mplan_parts_scatter(parts, given->scatter, call->context, err);
    if (!status && of.path)
        status = write_plans(parts, call, &of, cache->also, err);
    if (!status && of.path && asked->part < 0 && strcmp(of.path, "-"))
        status = prove(mesh, of.path, request->device_memory > 0, call->context, &of.visit_steps,
                       err);
    if (!status && of.path)
        status = cli_cache_keep(cache, call, of.path, cli_seconds() - start, err);
    if (!status && !asked->piece) /* a piece does not know the others */
        status = take_sets(parts, &of, err);
    if (!status)
        status = say(call, &of, cache, err);
    free(of.sets);
    mplan_parts_free(parts);
    cli_part_arrays_free(&arrays.wishes);
    free(arrays.part);
    return status;
}

/* Sizes and halos of a bundle are read from what cli_cache_write has written. */
mplan_status cli_plan_parts_found(const cli_call *call, const cli_parts_asked *asked,
                                  const char *path, const cli_plan_cache *cache, mplan_error *err)
{
    outcome of = {.path = path, .bytes = cache->plan.bytes, .part = asked->part};
    mplan_bundle *bundle = NULL;
    cli_bundle_figures figures = {0};
    const bool read = asked->part < 0 && strcmp(path, "-") && (call->report || call->json);
    mplan_status status = MPLAN_OK;
    if (read)
        status = open_own(path, call->context, &bundle, err);
    if (!status && read)
        status = cli_bundle_figures_create(bundle, 0, call->context, &figures, err);
    if (!status && read) {
        of.n_parts = figures.n_parts;
        of.how = mplan_bundle_how(bundle);
        of.rings = figures.rings;
        of.visit_steps = figures.visit.steps;
        of.n_sets = figures.n_sets;
        of.sets = figures.sets;
    }
    if (!status)
        status = say(call, &of, cache, err);
    cli_bundle_figures_free(&figures);
    mplan_bundle_free(bundle);
    return status;
}
