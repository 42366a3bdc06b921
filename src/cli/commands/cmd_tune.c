/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_tune.c - meshplan tune: which plan of a loop is fastest on this machine
 *
 * The cost model names the plans that are worth a try, measurements decide. Results are kept beside the plan, never in
 * it; `plan --tuned` takes them from there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/apps.h"
#include "cli/command.h"
#include "cli/mesh_source.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/results.h"
#include "cli/tune_fit.h"
#include "cli/tune_record.h"
#include "cli/tune_report.h"
#include "cli/commands/tune_source.h"
#include "cli/commands/tune_table.h"

typedef struct tune_options {
    cli_texts sizes;
    const char *app, *kernels, *loop, *data, *mesh, *from, *zone, *executor, *output, *fit;
    cli_int shuffle, gpu, rounds, most, seed;
    cli_real budget, patience;
    bool again;
    cli_planning_given planning;
} tune_options;

/* Names of the applications that can be tuned; NULL past the last. */
static const char *app_word(int32_t i)
{
    for (int32_t a = 0; mplan_app_get(a); a++)
        if (mplan_tune_takes(mplan_app_get(a)) && i-- == 0)
            return mplan_app_name(mplan_app_get(a));
    return NULL;
}

/* Words of --executor; NULL past the last. The serial executor uses no tables: there is nothing to tune. */
static const char *executor_word(int32_t i)
{
    return mplan_executor_name((mplan_executor)(i + 1));
}

#define TARGET(member) offsetof(tune_options, member)
/* clang-format off */
static const cli_option options[] = {
    {.name = "app", .kind = CLI_WORD, .argument = "APP", .target = TARGET(app), .word = app_word,
     .help = "tune the loop of this application on random data, with --mesh, or as a job or a plan asks for it"},
    {.name = "mesh", .kind = CLI_TEXT, .argument = "MESH", .target = TARGET(mesh),
     .help = "a mesh file, or SHAPE:SIZE to generate one (quad:1200x600), for --app without a job, and the mesh of a plan"},
    {.name = "sizes", .kind = CLI_LIST, .argument = "LIST", .target = TARGET(sizes),
     .help = "of --app himeno without a mesh: hexes of the table, separated by commas (default "
             "32x32x64,64x64x128,128x128x256,256x256x512)"},
    CLI_FROM_OPTION(TARGET(from), "the mesh file"),
    CLI_ZONE_OPTION(TARGET(zone)),
    {.name = "shuffle", .kind = CLI_INT, .argument = "SEED", .target = TARGET(shuffle),
     .least = 0, .most = INT64_MAX,
     .help = "number the generated cells and nodes at random, with this seed"},
    {.name = "kernels", .kind = CLI_TEXT, .argument = "OBJECT", .target = TARGET(kernels),
     .help = "tune a loop of the job or the plan with kernels of this shared object, which exports "
             "'const mplan_kernel *meshplan_kernels(int32_t *n)'"},
    {.name = "loop", .kind = CLI_TEXT, .argument = "LOOP", .target = TARGET(loop),
     .help = "the loop of the job or the plan that is measured (default: the primary one)"},
    {.name = "data", .kind = CLI_TEXT, .argument = "DIR", .target = TARGET(data),
     .help = "take the dats of --kernels from DIR/DAT.npy (default: ones; zeros where a dat is only incremented)"},
    {.name = "executor", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(executor),
     .word = executor_word,
     .help = "executor that is measured (default cuda, or host in a build without CUDA)"},
    {.name = "gpu", .kind = CLI_INT, .argument = "N", .target = TARGET(gpu),
     .least = 0, .most = 1024, .help = "number of the CUDA device (default 0)"},
    {.name = "again", .kind = CLI_FLAG, .target = TARGET(again),
     .help = "measure although the file of the result has what was measured of this loop, mesh, machine and kernels, and "
             "take no guess from it"},
    {.name = "most", .kind = CLI_INT, .argument = "N", .target = TARGET(most),
     .least = 2, .most = CLI_MOST_CANDIDATES, .help = "largest number of plans that are measured (default 12; 3 with a guess)"},
    {.name = "rounds", .kind = CLI_INT, .argument = "N", .target = TARGET(rounds),
     .least = 1, .most = 1000, .help = "measurements of each plan, one in each round; the median counts (default 7)"},
    {.name = "budget", .kind = CLI_REAL, .argument = "SECONDS", .target = TARGET(budget), .least = 0,
     .help = "begin no round after so many seconds of measuring, but make three in any case (default 60)"},
    {.name = "patience", .kind = CLI_REAL, .argument = "SECONDS", .target = TARGET(patience), .least = 0,
     .help = "seconds that the first launch of a plan may take (default 120)"},
    {.name = "seed", .kind = CLI_INT, .argument = "N", .target = TARGET(seed),
     .least = 0, .most = INT64_MAX, .help = "seed of the random data (default 1)"},
    {.name = "output", .letter = 'o', .kind = CLI_TEXT, .argument = "FILE", .target = TARGET(output),
     .help = "append the result to FILE (default: PLAN.mtune for a plan, or where a job names PLAN as its output, else none)"},
    {.name = "fit", .kind = CLI_TEXT, .argument = "FILE", .target = TARGET(fit),
     .help = "measure nothing: print the profile of the device with its rates fitted to the results in FILE, or write it "
             "to the file of -o, for --device"},
    {.name = NULL},
};
/* clang-format on */

static const cli_planning_use uses[] = {{"seed", .refused = true}, {.name = NULL}};
static const mplan_plan_options preset = MPLAN_PLAN_OPTIONS_INIT;
static const cli_planning planning = {
    .all = true, .uses = uses, .preset = &preset, .given = TARGET(planning)};

enum { MOST_GUESSES = 2, MOST_FOUND = 16, USUAL_MOST = 12, MOST_WITH_GUESS = 3 };

/* What one call holds. Zero in the beginning; run_tune releases it. list: out.n plans, the first
 * by the request as it is, which all others are compared with. `base` and `subject` borrow from
 * source. out.key.device is set by choose_machine. */
typedef struct tune_run {
    const cli_call *call;
    const tune_options *given;
    const char *mesh_word; /* --mesh, or that of a row of the table */
    cli_tune_source source;
    mplan_plan_options base;
    cli_tune_subject subject;
    mplan_exec_options exec;
    mplan_tune *tune;
    cli_candidate list[CLI_MOST_CANDIDATES];
    cli_tuning out;
    char *output;                /* owned; NULL: none */
    cli_tuned found[MOST_FOUND]; /* in the file that the result is appended to */
    int32_t n_found;
} tune_run;

/* --- what is tuned ------------------------------------------------------------------ */

/* An application over a grid, for which other frameworks publish tables of threads and collapsed loops. */
static bool makes_table(const cli_call *call)
{
    const tune_options *given = call->options;
    return given->app && !strcmp(given->app, "himeno") && !given->mesh && !call->n_words;
}

/* The first of the options that say how a mesh is made or read; NULL: none is given. */
static const char *mesh_option(const tune_options *given)
{
    return given->mesh            ? "mesh"
           : given->from          ? "from"
           : given->zone          ? "zone"
           : given->shuffle.given ? "shuffle"
                                  : NULL;
}

/* What goes with the table of --app himeno, and with it only. */
static mplan_status check_table(const cli_call *call, mplan_error *err)
{
    const tune_options *given = call->options;
    const bool table = makes_table(call);
    if (given->sizes.n && !table)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "tune: --sizes is for --app himeno without --mesh");
    if (table && (given->output || given->from || given->zone || given->most.given || given->again))
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "tune: --%s needs --mesh",
                        given->output       ? "output"
                        : given->from       ? "from"
                        : given->zone       ? "zone"
                        : given->most.given ? "most"
                                            : "again");
    if (given->sizes.n > CLI_TABLE_MESHES)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "tune: --sizes: at most %d", CLI_TABLE_MESHES);
    return MPLAN_OK;
}

/* One of the ways to name a loop, and what goes with it. */
static mplan_status check_words(const cli_call *call, mplan_error *err)
{
    const tune_options *given = call->options;
    const char *word = call->n_words ? call->words[0] : NULL;
    if (given->fit && (word || given->app || given->kernels || given->mesh))
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "tune: --fit cannot be combined with %s",
                        word          ? "a job or a plan"
                        : given->app  ? "--app"
                        : given->mesh ? "--mesh"
                                      : "--kernels");
    if (given->fit)
        return MPLAN_OK;
    if (!given->app == !given->kernels)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "tune: give one of --app APP, --kernels OBJECT and --fit FILE");
    if (given->app && (given->loop || given->data))
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "tune: --app cannot be combined with --%s",
                        given->loop ? "loop" : "data");
    if (given->kernels && !word)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "tune: --kernels needs a job (FILE.yaml) or a plan, which names the loops");
    if (word && cli_is_job(word) && mesh_option(given))
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "tune: --%s cannot be combined with a job, which names its mesh",
                        mesh_option(given));
    if (!given->mesh && !makes_table(call) && !(word && cli_is_job(word)))
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "tune: %s needs --mesh MESH",
                        word ? "a plan" : "--app");
    return check_table(call, err);
}

/* Mesh, loops, the request as it is, and the loop that is measured. */
static mplan_status load(tune_run *run, mplan_error *err)
{
    const tune_options *given = run->given;
    const cli_tune_asked asked = {.word = run->call->n_words ? run->call->words[0] : NULL,
                                  .app = given->app,
                                  .loop = given->loop,
                                  .mesh = run->mesh_word,
                                  .from = given->from,
                                  .zone = given->zone,
                                  .shuffle = &given->shuffle};
    const cli_texts *device = cli_planning_items(&given->planning, "device");
    mplan_status status = cli_tune_source_load(&asked, device->n ? device->item[0] : NULL,
                                               run->call->context, &run->source, &run->subject,
                                               &run->base, err);
    run->out.kernels = given->app ? given->app : given->kernels;
    run->out.input = run->source.input;
    return status;
}

/* -o, else beside the plan, or the one that the job names: PLAN.mtune. run->output NULL: nothing is kept; a
 * plan on standard output has no place beside it. */
static mplan_status choose_output(tune_run *run, mplan_error *err)
{
    static const char ending[] = ".mtune";
    const char *path = run->given->output;
    const char *plan = run->source.plan  ? run->call->words[0]
                       : run->source.job ? run->source.job->output
                                         : NULL;
    if (!path && (!plan || !strcmp(plan, "-")))
        return MPLAN_OK;
    const size_t size = strlen(path ? path : plan) + sizeof ending;
    run->output = malloc(size);
    if (!run->output)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    snprintf(run->output, size, "%s%s", path ? path : plan, path ? "" : ending);
    return cli_files_output(run->call->files, run->output, err);
}
/* The executor, the machine, and its profile where the request names none. Planning must come
 * later: the profile decides which plans the model calls fast. out.key.device "": no profile has
 * the name of the machine, and the request keeps its default. */
static mplan_status choose_machine(tune_run *run, mplan_error *err)
{
    const tune_options *given = run->given;
    run->exec = (mplan_exec_options)MPLAN_EXEC_OPTIONS_INIT;
    run->exec.executor = mplan_executor_is_built(MPLAN_EXECUTOR_CUDA) ? MPLAN_EXECUTOR_CUDA
                                                                      : MPLAN_EXECUTOR_HOST;
    if (given->executor)
        mplan_executor_from(given->executor, &run->exec.executor);
    run->exec.device = (int32_t)given->gpu.value;
    run->exec.threads = run->call->context->threads;
    run->out.executor = mplan_executor_name(run->exec.executor);
    mplan_status status = mplan_tune_describe(&run->exec, run->call->context, &run->out.machine, err);
    if (status)
        return status;
    const bool host = run->exec.executor != MPLAN_EXECUTOR_CUDA;
    run->subject.bounds = !host;
    cli_tune_device(&run->out.machine, host, run->out.key.device);
    const bool named = cli_planning_items(&given->planning, "device")->n > 0 ||
                       strcmp(run->base.device, preset.device) != 0;
    if (!named && run->out.key.device[0])
        run->base.device = run->out.key.device;
    return MPLAN_OK;
}

/* The kernels with their data: of an application random ones, by --seed (default 1), which makes
 * calls repeatable. */
static mplan_status make_tune(tune_run *run, mplan_error *err)
{
    const tune_options *given = run->given;
    const mplan_loop *loop = &run->subject.loops[run->subject.loop];
    mplan_tune_object object = {given->kernels, given->data};
    const mplan_mesh *mesh = run->source.mesh;
    mplan_status status = run->source.app
                              ? mplan_tune_of_app(run->source.app, mesh, loop,
                                                  given->seed.given ? (uint64_t)given->seed.value : 1,
                                                  &run->tune, err)
                              : mplan_tune_of_object(&object, mesh, loop, run->call->context,
                                                     &run->tune, err);
    run->out.kernel_hash = mplan_tune_kernel_hash(run->tune);
    return status;
}

/* --- measuring ---------------------------------------------------------------------- */

/* Without options the defaults of the library hold for rounds, seconds and patience. */
static mplan_tune_options measuring(const tune_run *run)
{
    const tune_options *given = run->given;
    mplan_tune_options how = MPLAN_TUNE_OPTIONS_INIT;
    how.exec = &run->exec;
    if (given->rounds.given)
        how.rounds = (int32_t)given->rounds.value;
    if (given->budget.given)
        how.seconds = given->budget.value;
    if (given->patience.given)
        how.patience = given->patience.value;
    return how;
}

/* Measures all plans of the list; result i belongs to plan i. Plans that fail have their reason
 * in it and do not end the call, unless none is left. out.best: the one that is to be taken. */
static mplan_status measure(tune_run *run, mplan_error *err)
{
    mplan_tune_options how = measuring(run);
    const mplan_plan *plans[CLI_MOST_CANDIDATES];
    mplan_tune_result *results = malloc(sizeof *results * (size_t)run->out.n);
    if (!results)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    for (int32_t i = 0; i < run->out.n; i++)
        plans[i] = run->list[i].plan;
    mplan_status status = mplan_tune_measure(run->tune, &how, run->call->context, run->out.n, plans,
                                             results, &run->out.dropped, err);
    for (int32_t i = 0; i < run->out.n && !status; i++)
        run->list[i].result = results[i];
    free(results);
    if (!status)
        run->out.best = cli_candidates_best(run->list, run->out.n, &run->subject);
    if (!status && run->out.best < 0)
        status = cli_fail(err, MPLAN_ERR_DISPROVED,
                          "tune: no plan could be measured; the first: %.*s", MPLAN_ERROR_TEXT / 2,
                          run->list[0].result.reason);
    return status;
}

/* --- the command ----------------------------------------------------------------------- */

/* What is asked of a mesh that is loaded. */
static mplan_status ask(tune_run *run, mplan_error *err)
{
    mplan_status status = cli_planning_set(&planning, &run->given->planning, &run->base, err);
    if (!status)
        status = choose_machine(run, err);
    run->subject.base = &run->base;
    run->subject.context = run->call->context;
    return status;
}

/* Before another mesh is loaded, and at the end. */
static void forget_mesh(tune_run *run)
{
    mplan_tune_free(run->tune);
    run->tune = NULL;
    cli_tune_source_free(&run->source);
}

/* One mesh of the table. */
static mplan_status measure_table(tune_run *run, cli_tune_table *table, mplan_error *err)
{
    const mplan_tune_options how = measuring(run);
    run->mesh_word = table->mesh;
    run->base = preset;
    mplan_status status = load(run, err);
    if (!status)
        status = ask(run, err);
    if (!status)
        status = make_tune(run, err);
    if (!status) {
        table->elements =
            mplan_mesh_set(run->source.mesh, mplan_mesh_find_set(run->source.mesh, "cells")).size;
        status = cli_tune_table_measure(&run->subject, run->tune, &how, table, err);
    }
    forget_mesh(run);
    return status;
}

/* All meshes; then it is said. */
static mplan_status tune_table(tune_run *run, mplan_error *err)
{
    static const char *const usual[] = {"32x32x64", "64x64x128", "128x128x256", "256x256x512"};
    const cli_texts *sizes = &run->given->sizes;
    const int32_t n = sizes->n ? sizes->n : (int32_t)(sizeof usual / sizeof *usual);
    cli_tune_table *tables = calloc((size_t)n, sizeof *tables);
    mplan_status status = tables ? MPLAN_OK : cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    for (int32_t i = 0; i < n && !status; i++) {
        snprintf(tables[i].mesh, sizeof tables[i].mesh, "hex:%.50s",
                 sizes->n ? sizes->item[i] : usual[i]);
        status = measure_table(run, &tables[i], err);
    }
    if (!status && run->call->report) {
        printf("loop there of himeno on %s (%s), us by threads of a block and cells of a thread\n",
               cli_shown(run->out.machine.name), run->out.executor);
        status = cli_tune_table_report(tables, n, err);
    }
    if (!status && run->call->json) {
        cli_json json = {0};
        cli_results_open(&json, run->call);
        cli_json_text(&json, "machine", run->out.machine.name);
        cli_json_text(&json, "executor", run->out.executor);
        cli_tune_table_json(&json, tables, n);
        status = cli_results_write(&json, run->call, MPLAN_OK, NULL, err);
    }
    free(tables);
    return status;
}

/* What the file of the result says already. run->n_found is 0 with --again. */
static mplan_status look_up(tune_run *run, mplan_error *err)
{
    char device[32];
    memcpy(device, run->out.key.device, sizeof device);
    mplan_status status = cli_tune_key_of(&run->subject, &run->out.key, err);
    memcpy(run->out.key.device, device, sizeof device);
    if (!status && run->output)
        status = cli_tuned_look(run->output, &run->out.key, &run->base, run->call->context,
                                MOST_FOUND, run->found, &run->n_found, err);
    if (run->given->again)
        run->n_found = 0;
    return status;
}

/* The result that was measured before; NULL: none. */
static const cli_tuned *exact(const tune_run *run)
{
    for (int32_t i = 0; i < run->n_found; i++)
        if (cli_tuned_is_exact(&run->found[i], &run->out))
            return &run->found[i];
    return NULL;
}

/* All that was measured is told by the record. */
static mplan_status reuse(const tune_run *run, const cli_tuned *found, mplan_error *err)
{
    char words[512];
    cli_tuned_words(found, &run->base, words, sizeof words);
    if (run->call->report) {
        printf("loop %s on %s (%s), measured before: %s\nbest: %s\n",
               run->subject.loops[run->subject.loop].name, cli_shown(run->out.machine.name),
               run->out.executor, cli_shown(run->output), cli_shown(words));
        if (!isnan(found->default_us))
            printf("default %.1f us, best %.1f us, regret %.3f (--again measures once more)\n",
                   found->default_us, found->best_us, found->default_us / found->best_us);
    }
    if (!run->call->json)
        return MPLAN_OK;
    cli_json json = {0};
    cli_results_open(&json, run->call);
    cli_tuned_json(&json, &run->out, found, run->output);
    return cli_results_write(&json, run->call, MPLAN_OK, NULL, err);
}

/* The plans beside the default. Where this loop was tuned on other meshes, or by other kernels or another driver, what was
 * best there comes first, and only the default and what the model predicts to be best are measured beside it. */
static mplan_status choose_plans(tune_run *run, mplan_error *err)
{
    const mplan_plan_options *guesses[MOST_GUESSES];
    const int32_t n = run->n_found < MOST_GUESSES ? run->n_found : MOST_GUESSES;
    for (int32_t i = 0; i < n; i++)
        guesses[i] = &run->found[i].request;
    if (n && run->call->report)
        printf("first guess: what was best for %s\n", cli_shown(run->found[0].mesh));
    const int32_t usual = n ? MOST_WITH_GUESS : USUAL_MOST;
    const int32_t most = run->given->most.given ? (int32_t)run->given->most.value : usual;
    return cli_candidates_plan(&run->subject, most, n, guesses, run->list, &run->out.n, err);
}

/* All steps of one loop, in their order. The record is appended before anything is shown, so that a report
 * that fails loses nothing. */
static mplan_status tune_loop(tune_run *run, mplan_error *err)
{
    const cli_call *call = run->call;
    mplan_status status = load(run, err);
    if (!status)
        status = cli_files_input(call->files, run->given->kernels, err);
    if (!status)
        status = choose_output(run, err);
    if (!status)
        status = ask(run, err);
    if (!status)
        status = cli_candidates_begin(&run->subject, run->list, &run->out.n, err);
    if (!status)
        status = make_tune(run, err);
    if (!status)
        status = look_up(run, err);
    if (!status && exact(run))
        return reuse(run, exact(run), err);
    if (!status)
        status = choose_plans(run, err);
    if (!status)
        status = measure(run, err);
    if (!status && run->output)
        status = cli_tuning_append(&run->out, run->output, err);
    if (!status && call->report)
        status = cli_tuning_report(&run->out, run->output, err);
    if (!status && call->json) {
        cli_json json = {0};
        cli_results_open(&json, call);
        cli_tuning_json(&json, &run->out);
        status = cli_results_write(&json, call, MPLAN_OK, NULL, err);
    }
    return status;
}

/* What the command line asks for. */
static mplan_status tune(tune_run *run, mplan_error *err)
{
    const cli_call *call = run->call;
    mplan_status status = check_words(call, err);
    if (status)
        return status;
    return run->given->fit     ? cli_fit_profile(call, run->given->fit, run->given->output, err)
           : makes_table(call) ? tune_table(run, err)
                               : tune_loop(run, err);
}

/* words: a job, a plan, or none. The run has room for every plan that may be measured, with its result:
 * too much for the stack. */
static mplan_status run_tune(const cli_call *call, mplan_error *err)
{
    tune_run *run = calloc(1, sizeof *run);
    if (!run)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    run->call = call;
    run->given = call->options;
    run->base = preset;
    run->mesh_word = run->given->mesh;
    run->out.subject = &run->subject;
    run->out.list = run->list;
    run->out.best = -1;
    mplan_status status = tune(run, err);
    if (status)
        mplan_job_locate(run->source.job, err);
    cli_candidates_free(run->list, run->out.n);
    forget_mesh(run);
    free(run->output);
    free(run);
    return status;
}

const cli_command cli_command_tune = {
    .name = "tune",
    .arguments = "[JOB|PLAN] [OPTION]...",
    .summary = "measure which plan of a loop is fastest on this machine",
    .details =
        "Plans the loop in the ways that the cost model predicts to be fastest, runs each of them in a "
        "process of its own to see that it is right, and measures them in turns. Prints a line for each, "
        "the default first, and the regret: the time of the default over that of the best. What the options "
        "name is not tuned. 'meshplan plan --tuned FILE' makes plans by the results in FILE; "
        "'meshplan tune --fit FILE' corrects the profile of the device by them. 'meshplan tune --app himeno' prints a "
        "table of its loop on hexes of four sizes: threads of a block by cells of a thread, beside the default.",
    .options = options,
    .planning = &planning,
    .options_size = sizeof(tune_options),
    .least_words = 0,
    .most_words = 1,
    .has_json = true,
    .inputs = 1,
    .run = run_tune,
};
