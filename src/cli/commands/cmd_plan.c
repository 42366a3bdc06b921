/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_plan.c - meshplan plan: from a job, a mesh or tables to a plan file
 *
 * Every plan is proved against its mesh before it is written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/mesh_source.h"
#include "cli/output.h"
#include "cli/results.h"
#include "cli/plan_bounds.h"
#include "cli/plan_figures.h"
#include "cli/plan_forecast.h"
#include "cli/plan_options.h"
#include "cli/plan_parts.h"
#include "cli/short_form.h"
#include "cli/tune_record.h"

/* At most so many records of one request are looked at: the latest of each mesh. */
enum { MOST_TUNED = 16 };

/* What one planning run holds. run_plan releases it as a whole, wherever it ended, so that
 * pointers are NULL until they are made. read, check, write: seconds; what was not done has 0. */
typedef struct plan_run {
    mplan_job *job;     /* NULL without one */
    mplan_mesh *mesh;   /* NULL where one part is planned from a file of its own: */
    mplan_piece *piece; /* that file */
    mplan_plan *plan;
    cli_short_loop made; /* the loop of the short form */
    const mplan_loop *loops;
    int32_t n_loops;
    mplan_plan_options request;
    cli_tuned tuned[MOST_TUNED]; /* records that the request was tuned by, the latest first */
    int32_t n_tuned;
    cli_plan_file file;
    cli_parts_asked parts;
    char *also; /* the manifest of parts, where it is written, too; NULL: not */
    cli_plan_cache cache;
    double read, check, write;
} plan_run;

static const mplan_plan_options preset = MPLAN_PLAN_OPTIONS_INIT;

/* A job has loops and tables of its own; which option goes with it is a matter of meaning, not
 * of order: planning options do, and change the job's. */
static mplan_status refuse_with_job(const cli_plan_options *given, const char *path, mplan_error *err)
{
    const char *option = given->over            ? "over"
                         : given->inc.n         ? "inc"
                         : given->read.n        ? "read"
                         : given->none          ? "none"
                         : given->map.n         ? "map"
                         : given->coordinates.n ? "coordinates"
                         : given->from          ? "from"
                         : given->zone          ? "zone"
                                                : NULL;
    if (option)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "--%s cannot be combined with a job: its loops, maps and mesh are in %s",
                        option, path);
    return MPLAN_OK;
}

/* The job, where there is one, before its mesh: it names the output. */
static mplan_status load_job(const cli_plan_options *given, const char *path,
                             const mplan_context *context, plan_run *run, mplan_error *err)
{
    if (!path || !cli_is_job(path))
        return MPLAN_OK;
    mplan_status status = refuse_with_job(given, path, err);
    return !status ? mplan_job_read(path, context, &run->job, err) : status;
}

/* The mesh and the loops: of a job, or of the short form's options. run->loops points into the
 * job or into run->made, which run keeps until the end. run->request is set from a job only;
 * else it stays the preset. */
static mplan_status load(const cli_plan_options *given, const char *path,
                         const mplan_context *context, plan_run *run, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    const bool scattered = cli_parts_is_folder(run->parts.parts);
    if (scattered)
        status = mplan_piece_read(run->parts.parts, run->parts.part, context, &run->piece, err);
    run->parts.piece = run->piece;
    if (status)
        return status;
    if (run->job) {
        if (!scattered)
            status = mplan_job_load_mesh(run->job, context, &run->mesh, err);
        if (status)
            return status;
        run->loops = run->job->loops;
        run->n_loops = run->job->n_loops;
        run->request = *run->job->options;
        return MPLAN_OK;
    }
    cli_mesh_source source = {path,        given->from, &given->map, &given->coordinates,
                              given->zone, NULL};
    cli_short_form form = {given->over, &given->inc, &given->read, MPLAN_NONE_REFUSE};
    if (given->none)
        mplan_none_from(given->none, &form.none);
    if (!scattered)
        status = cli_mesh_load(&source, context, &run->mesh, err);
    if (!status)
        status = cli_short_loop_make(&form, scattered ? mplan_piece_names(run->piece) : run->mesh,
                                     &run->made, err);
    run->loops = &run->made.loop;
    run->n_loops = 1;
    return status;
}

/* Peak of this process or of its largest child (a partitioner, a reader), whichever is larger,
 * not their sum: both need not have been there at once. -1: the system does not say. */
static int64_t peak_rss_bytes(void)
{
    struct rusage self, children;
    if (getrusage(RUSAGE_SELF, &self) || getrusage(RUSAGE_CHILDREN, &children))
        return -1;
    long kilobytes = self.ru_maxrss > children.ru_maxrss ? self.ru_maxrss : children.ru_maxrss;
    return (int64_t)kilobytes * 1024;
}

/* Keys are fixed: added to, never renamed. Seconds of the clock; cpu_s: seconds of all threads
 * together. total: since the program began, so that it is more than the sum of the others. */
static void times_json(cli_json *json, const plan_run *run, double total)
{
    mplan_plan_times times = mplan_plan_time(run->plan);
    cli_json_open(json, "time_s", '{');
    cli_json_real(json, "read", run->read);
    cli_json_real(json, "derive", times.derive);
    cli_json_real(json, "order", times.order);
    cli_json_real(json, "partition", times.partition);
    cli_json_real(json, "graph", times.graph);
    cli_json_real(json, "colour", times.colour);
    cli_json_real(json, "tables", times.tables);
    cli_json_real(json, "check", run->check);
    cli_json_real(json, "write", run->write);
    cli_json_real(json, "total", total);
    cli_json_close(json, '}');
    cli_json_open(json, "cpu_s", '{');
    cli_json_real(json, "partition", times.partition_cpu);
    cli_json_real(json, "graph", times.graph_cpu);
    cli_json_close(json, '}');
    cli_json_int(json, "peak_rss_bytes", peak_rss_bytes());
}

/* With -v, on standard error, where it does not mix with a plan on standard output. */
static void say_times(const cli_call *call, const plan_run *run, double total)
{
    char text[512];
    mplan_plan_times times = mplan_plan_time(run->plan);
    snprintf(text, sizeof text,
             "seconds: read %.3f, derive %.3f, order %.3f, partition %.3f, colour %.3f, "
             "tables %.3f, check %.3f, write %.3f, total %.3f; peak memory %lld bytes",
             run->read, times.derive, times.order, times.partition, times.colour, times.tables,
             run->check, run->write, total, (long long)peak_rss_bytes());
    cli_say(call->context->user, text);
}

/* Whether this build has the library, by the beginning of its name and version. */
static bool has_library(const char *name)
{
    for (int32_t i = 0; mplan_library(i); i++) {
        if (!strncmp(mplan_library(i), name, strlen(name)))
            return true;
    }
    return false;
}

/* A build without METIS or SCOTCH has to say what to do instead. partitioner: the one that was
 * asked for; only MPLAN_ERR_UNSUPPORTED for one that is lacking is changed, since loops may be
 * unsupported, too. */
static mplan_status suggest_partitioner(mplan_partitioner partitioner, mplan_status status,
                                        mplan_error *err)
{
    mplan_error inner = *err;
    bool lacking = (partitioner == MPLAN_PARTITIONER_METIS && !has_library("metis")) ||
                   (partitioner == MPLAN_PARTITIONER_SCOTCH && !has_library("scotch"));
    if (status == MPLAN_ERR_UNSUPPORTED && lacking)
        return cli_fail(err, status, "%.*s; give --partitioner native, hilbert or none",
                        (int)sizeof inner.text / 2, inner.text);
    return status;
}

/* Blocks that are runs of the stored order need it renumbered (meshplan-plan(1)), also where the
 * input order was asked for. profile[0] is that of the input, profile[1] of the renumbered
 * order: where the latter is smaller, nothing was to be kept. */
static void say_if_not_kept(const cli_call *call, const mplan_plan *plan)
{
    const cli_plan_options *given = call->options;
    const cli_texts *asked = cli_planning_items(&given->planning, "keep-order");
    if (!asked->n || strcmp(asked->item[0], "better"))
        return;
    for (int32_t s = 0; s < mplan_plan_n_sets(plan); s++) {
        char text[MPLAN_ERROR_TEXT];
        const mplan_plan_set *set = mplan_plan_get_set(plan, s);
        if (set->renumber == MPLAN_RENUMBER_NONE || set->kept || set->profile[1] < set->profile[0])
            continue;
        snprintf(text, sizeof text,
                 "set %.200s is renumbered although --keep-order better is given: its blocks "
                 "follow the renumbered order; use --renumber none to keep the input order",
                 set->name);
        call->context->warning(call->context->user, text);
    }
}

/* The loop that is tuned: the primary one, as in cmd_tune.c. */
static int32_t primary_of(const plan_run *run)
{
    for (int32_t l = 0; l < run->n_loops; l++)
        if (run->loops[l].primary)
            return l;
    return 0;
}

/* What was measured for this request decides what it left open. run->request is complete before:
 * its text is the key by which records are found. Afterwards it is that of the latest record;
 * create takes an older one where that is of this mesh. */
static mplan_status take_tuned(const cli_call *call, plan_run *run, mplan_error *err)
{
    const cli_plan_options *given = call->options;
    const cli_tune_subject subject = {.mesh = run->mesh,
                                      .n_loops = run->n_loops,
                                      .loop = primary_of(run),
                                      .loops = run->loops,
                                      .base = &run->request,
                                      .context = call->context};
    cli_tune_key key;
    if (!given->tuned)
        return MPLAN_OK;
    mplan_status status = cli_tune_key_of(&subject, &key, err);
    if (status)
        return status;
    snprintf(key.device, sizeof key.device, "%s", run->request.device);
    status = cli_tuned_find(given->tuned, &key, &run->request, call->context, MOST_TUNED,
                            run->tuned, &run->n_tuned, err);
    if (!status)
        run->request = run->tuned[0].request;
    return status;
}

/* Plans; by the record that is of this mesh, where there is one: which mesh it is shows when it
 * is planned. So the first plan is by the latest record, and is made a second time only where an
 * older one is of this mesh. run->plan is NULL before. */
static mplan_status create(const cli_call *call, plan_run *run, mplan_error *err)
{
    mplan_status status = mplan_plan_create(run->mesh, run->n_loops, run->loops, &run->request,
                                            call->context, &run->plan, err);
    if (status || !run->n_tuned)
        return status;
    const uint64_t topology = mplan_plan_fingerprints(run->plan).topology;
    int32_t own = 0;
    while (own < run->n_tuned && run->tuned[own].topology != topology)
        own++;
    if (own == 0)
        return MPLAN_OK;
    if (own == run->n_tuned) {
        char text[MPLAN_ERROR_TEXT];
        snprintf(text, sizeof text,
                 "the plan is as was fastest for another mesh (%.300s), which is a first guess; "
                 "'meshplan tune' measures this one",
                 run->tuned[0].mesh);
        call->context->warning(call->context->user, text);
        return MPLAN_OK;
    }
    mplan_plan_free(run->plan);
    run->plan = NULL;
    run->request = run->tuned[own].request;
    return mplan_plan_create(run->mesh, run->n_loops, run->loops, &run->request, call->context,
                             &run->plan, err);
}

/* Plans, proves, writes, and keeps the number of bytes. The proof is not optional: `check`
 * shares no code with the planner, and a plan that it refutes is never written. */
static mplan_status compute(const cli_call *call, plan_run *run, mplan_error *err)
{
    const cli_plan_options *given = call->options;
    mplan_write_options how = MPLAN_WRITE_OPTIONS_INIT;
    how.compress = given->compress;
    mplan_status status = create(call, run, err);
    if (status)
        return suggest_partitioner(run->request.partitioner, status, err);
    say_if_not_kept(call, run->plan);
    double start = cli_seconds();
    status = mplan_plan_verify(run->plan, run->mesh, call->context, err);
    run->check = cli_seconds() - start;
    if (status == MPLAN_ERR_DISPROVED || status == MPLAN_ERR_OTHER_MESH) {
        /* Our own plan: the fault is ours, and no plan is written. */
        mplan_error inner = *err;
        return cli_fail(err, MPLAN_ERR_INTERNAL, "the new plan failed its proof: %.*s",
                        (int)sizeof inner.text - 64, inner.text);
    }
    if (status)
        return status;
    start = cli_seconds();
    run->file.minor = mplan_plan_format_minor(run->plan);
    status = mplan_plan_write(run->plan, run->file.path, &how, call->context, &run->file.bytes, err);
    run->write = cli_seconds() - start;
    return status;
}

/* Nothing on standard output when the plan itself goes there. Called after the plan was written:
 * a report that fails leaves the plan where it is. */
static mplan_status show(const cli_call *call, const plan_run *run, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    cli_plan_bounds bounds = {0};
    double total = cli_seconds() - call->start;
    bool report = call->report && strcmp(run->file.path, "-");
    if (!run->plan)
        return MPLAN_OK;
    if (report || call->json)
        status = cli_plan_bounds_create(run->plan, &bounds, call->context, err);
    if (!status && report)
        status = cli_plan_report(run->plan, &bounds, &run->file, err);
    if (!status && report)
        cli_cache_report(&run->cache);
    if (!status && call->json) {
        cli_json json = {0};
        cli_results_open(&json, call);
        cli_plan_json(&json, run->plan, &bounds, &run->file);
        times_json(&json, run, total);
        cli_cache_json(&json, &run->cache);
        status = cli_results_write(&json, call, MPLAN_OK, NULL, err);
    }
    cli_plan_bounds_free(&bounds);
    if (!status && call->verbose)
        say_times(call, run, total);
    return status;
}

/* -o, else the job's output. run->job must have been read if there is one. The size is set when
 * the plan is written (-1 until then). */
static mplan_status choose_output(const cli_call *call, plan_run *run, mplan_error *err)
{
    const cli_plan_options *given = call->options;
    run->file = (cli_plan_file){NULL, -1, MPLAN_FORMAT_MAJOR, MPLAN_FORMAT_MINOR};
    run->file.path = given->output ? given->output : run->job ? run->job->output : NULL;
    if (given->dry_run)
        return MPLAN_OK;
    if (given->scatter)
        return cli_files_output(call->files, given->scatter, err);
    if (!run->file.path)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "plan: no output: give -o PLAN%s",
                        run->job ? ", or 'output' in the job" : "");
    mplan_status status = cli_parts_also(&run->parts, run->file.path, &run->also, err);
    run->cache.also = run->also;
    if (!status &&
        run->also) /* before the plan, which is the last one: ninja knows a rule by its last output */
        status = cli_files_output(call->files, run->also, err);
    return !status ? cli_files_output(call->files, run->file.path, err) : status;
}

/* The same request, as far as it can be judged without orders and blocks. */
static mplan_status forecast(const cli_call *call, plan_run *run, mplan_error *err)
{
    mplan_forecast *made = NULL;
    mplan_status status = mplan_plan_forecast(run->mesh, run->n_loops, run->loops, &run->request,
                                              call->context, &made, err);
    if (status)
        return suggest_partitioner(run->request.partitioner, status, err);
    if (call->report)
        status = cli_forecast_report(made, run->file.path, err);
    if (!status && call->json) {
        cli_json json = {0};
        cli_results_open(&json, call);
        cli_forecast_json(&json, made, run->file.path);
        status = cli_results_write(&json, call, MPLAN_OK, NULL, err);
    }
    mplan_forecast_free(made);
    return status;
}

/* The plan of the cache, which was written, is read as far as something is to be
 * said of it: where it was written to, or, behind a pipe, in the bytes that the cache holds,
 * which outlive it. It was proved when it was made. */
static mplan_status tell_found(const cli_call *call, plan_run *run, mplan_error *err)
{
    const void *bytes = mplan_cache_bytes(run->cache.cache);
    mplan_context quiet = *call->context;
    quiet.input = NULL; /* the call's own output */
    if (!call->json && !call->verbose && (!call->report || !strcmp(run->file.path, "-")))
        return MPLAN_OK;
    run->file.bytes = run->cache.plan.bytes;
    mplan_status status = bytes ? mplan_plan_read_borrowed(bytes, (size_t)run->file.bytes,
                                                           run->file.path, &quiet, &run->plan, err)
                                : mplan_plan_read(run->file.path, &quiet, &run->plan, err);
    if (!status)
        run->file.minor = mplan_plan_format_minor(run->plan);
    return status;
}

/* The plan of the cache goes where the plan was to go, if it is not damaged. */
static mplan_status take_found(const cli_call *call, plan_run *run, mplan_error *err)
{
    const double start = cli_seconds();
    mplan_status status = MPLAN_OK;
    if (run->cache.found && !run->cache.check)
        status = cli_cache_write(&run->cache, call, run->file.path, err);
    run->write = cli_seconds() - start;
    return status;
}

/* From the mesh on; what is made is kept. Options of the command line change the request of a
 * job before records of `tune` are looked for. With --parts or --dry-run run->plan stays NULL:
 * those report by themselves. */
static mplan_status make(const cli_call *call, const char *path, plan_run *run, mplan_error *err)
{
    const cli_plan_options *given = call->options;
    double start = cli_seconds();
    mplan_status status = load(given, path, call->context, run, err);
    run->read = cli_seconds() - start;
    if (!status)
        status = cli_planning_set(&cli_plan_planning, &given->planning, &run->request, err);
    if (!status)
        status = take_tuned(call, run, err);
    if (!status && run->parts.parts)
        return cli_plan_parts(call, &run->parts, run->mesh, run->n_loops, run->loops, &run->request,
                              run->file.path, start, &run->cache, err);
    if (!status && given->dry_run)
        return forecast(call, run, err);
    if (!status)
        status = compute(call, run, err);
    return !status ? cli_cache_keep(&run->cache, call, run->file.path, cli_seconds() - start, err)
                   : status;
}

/* words: job, mesh or table, if there is one. Without a job the output is known at once: a mesh
 * is not read in vain. The cache is opened first, since it has to hear of every file that is
 * read, jobs included. An output that is up to date ends the call without a report of figures,
 * as there is nothing in memory. */
static mplan_status run_plan(const cli_call *call, mplan_error *err)
{
    const cli_plan_options *given = call->options;
    const char *path = call->n_words ? call->words[0] : NULL;
    plan_run run = {.request = preset};
    if (!path && !given->map.n)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "plan: no job, mesh or table given");
    mplan_status status = MPLAN_OK;
    if (!given->dry_run && !given->scatter)
        status = cli_cache_open(call, &given->cache, path, cli_plan_only_path(given, path),
                                &run.cache, err);
    if (!status)
        status = load_job(given, path, call->context, &run, err);
    run.parts = cli_parts_asked_for(given, run.job);
    if (!status)
        status = cli_plan_parts_check(given, &run.parts, err);
    if (!status)
        status = choose_output(call, &run, err);
    bool unchanged = false;
    if (!status && !given->dry_run && !given->scatter)
        status = cli_cache_is_unchanged(&run.cache, call, run.file.path, &unchanged, err);
    if (!status && !unchanged)
        status = cli_cache_find(&run.cache, call, err);
    if (!status && !unchanged)
        status = take_found(call, &run, err);
    const bool found = run.cache.found && !run.cache.check;
    if (!status && !unchanged && found && run.parts.parts)
        status = cli_plan_parts_found(call, &run.parts, run.file.path, &run.cache, err);
    else if (!status && !unchanged && found)
        status = tell_found(call, &run, err);
    else if (!status && !unchanged)
        status = make(call, path, &run, err);
    if (!status && !given->dry_run && !given->scatter)
        status = show(call, &run, err);
    if (status)
        mplan_job_locate(run.job, err);
    mplan_plan_free(run.plan);
    mplan_mesh_free(run.mesh);
    mplan_piece_free(run.piece);
    mplan_job_free(run.job);
    cli_short_loop_free(&run.made);
    free(run.also);
    cli_cache_close(&run.cache, call);
    return status;
}

const cli_command cli_command_plan = {
    .name = "plan",
    .arguments = "JOB.yaml | MESH | TABLE [OPTION]... -o PLAN",
    .summary = "make a plan for a job, a mesh or mapping tables",
    .details = "Reads a job (a name that ends in .yaml or .yml), a mesh or a mapping table, "
               "plans its loops, proves the plan against the mesh and writes it. A mesh or "
               "table gets one loop, described by --over, --inc and --read; options given here "
               "override those of a job. With --map and without MESH the mesh consists only of "
               "tables.",
    .options = cli_plan_rows,
    .planning = &cli_plan_planning,
    .options_size = sizeof(cli_plan_options),
    .least_words = 0,
    .most_words = 1,
    .has_json = true,
    .inputs = 1,
    .run = run_plan,
};
