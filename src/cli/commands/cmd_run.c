/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_run.c - meshplan run: built-in applications under the strategies of a plan
 *
 * Each combination of strategy, S, sums and threads gets a plan of its own,
 * so that none is ordered for the sake of another; mesh and loops are made once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/app_mesh.h"
#include "cli/bundle_file.h"
#include "cli/mesh_source.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/results.h"
#include "cli/run_bundle.h"
#include "cli/commands/run_device.h"
#include "cli/run_figures.h"
#include "cli/commands/run_list.h"
#include "apps/file_lock.h"
#include "apps/apps.h"

typedef struct run_options {
    const char *mesh, *stretch, *from, *zone, *plan, *executor, *turn, *layouts, *columns,
        *launch_streams;
    cli_int shuffle, refine, iterations, launches, repeats, gpu, seed;
    cli_real jitter;
    cli_layers layers;
    cli_int n_layers;
    bool no_check, in_memory, list, unpinned;
    const char *store;
    cli_ranks_given ranks;
    cli_planning_given planning;
} run_options;

/* Names of the applications; NULL past the last. */
static const char *app_word(int32_t i)
{
    const mplan_app *app = mplan_app_get(i);
    return app ? mplan_app_name(app) : NULL;
}

/* Words of --executor; NULL past the last. One that this build lacks is refused when a variant
 * is to run. */
static const char *executor_word(int32_t i)
{
    return mplan_executor_name((mplan_executor)i);
}

/* Words of --layouts; NULL past the last. */
static const char *layouts_word(int32_t i)
{
    return i == 0 ? "plan" : mplan_layout_name((mplan_layout)(i - 1));
}

/* Words of --columns; NULL past the last. */
static const char *columns_word(int32_t i)
{
    return mplan_columns_name((mplan_columns)i);
}

/* Words of --launch-streams; NULL past the last. */
static const char *streams_word(int32_t i)
{
    static const char *const words[] = {"1", "2", "both", NULL};
    return words[i];
}

#define TARGET(member) offsetof(run_options, member)
/* clang-format off */
static const cli_option options[] = {
    {.name = "mesh", .kind = CLI_TEXT, .argument = "MESH", .target = TARGET(mesh),
     .help = "a mesh file, or SHAPE:SIZE to generate one (quad:1200x600, tri, hex, tet, "
             "naca0012, boundary-layer, wing, sphere, cubed-sphere:96); required"},
    CLI_FROM_OPTION(TARGET(from), "the mesh file"),
    CLI_ZONE_OPTION(TARGET(zone)),
    {.name = "shuffle", .kind = CLI_INT, .argument = "SEED", .target = TARGET(shuffle),
     .least = 0, .most = INT64_MAX,
     .help = "number the generated cells and nodes at random, with this seed"},
    {.name = "stretch", .kind = CLI_TEXT, .argument = "X[,Y[,Z]]", .target = TARGET(stretch),
     .help = "multiply coordinates of a generated mesh by X, Y and Z"},
    {.name = "jitter", .kind = CLI_REAL, .argument = "X", .target = TARGET(jitter), .least = 0,
     .help = "move generated inner nodes by at most X of a spacing (default 0)"},
    CLI_LAYER_OPTIONS(TARGET(layers)),
    {.name = "refine", .kind = CLI_INT, .argument = "N", .target = TARGET(refine),
     .least = 0, .most = 16, .help = "refine the mesh N times (default 0)"},
    {.name = "plan", .kind = CLI_TEXT, .argument = "PLAN", .target = TARGET(plan),
     .help = "run the variants of this plan file, which is first proved against the mesh; or of a "
             "bundle"},
    {.name = "parts", .kind = CLI_TEXT, .argument = "N|NxM|FILE", .target = TARGET(ranks.parts),
     .help = "cut the mesh into parts as plan does and run these on ranks"},
    {.name = "ranks", .kind = CLI_LIST, .argument = "R,...", .target = TARGET(ranks.ranks),
     .help = "run parts on so many ranks of this process, one after the other (default 1)"},
    {.name = "transport", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(ranks.transport),
     .word = cli_transport_word,
     .help = "how ranks exchange: local, in one memory; peer, a device each from --gpu on, by stores; "
             "peer-inside, with these in the loops' own kernels; nccl, the same by NCCL (default local; on cuda with several ranks peer-inside)"},
    {.name = "no-overlap", .kind = CLI_FLAG, .target = TARGET(ranks.no_overlap),
     .help = "ranks wait for messages before they run a loop"},
    {.name = "executor", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(executor),
     .word = executor_word, .help = "executor of the loops (default host)"},
    {.name = "iterations", .kind = CLI_INT, .argument = "N", .target = TARGET(iterations),
     .least = 0, .most = INT32_MAX, .help = "time steps of applications that make steps (default 100)"},
    {.name = "launches", .kind = CLI_INT, .argument = "N", .target = TARGET(launches),
     .least = 1, .most = INT32_MAX,
     .help = "number of launches whose results are compared for equal bits, in applications of "
             "one loop (default 2, with --no-check 0)"},
    {.name = "repeats", .kind = CLI_INT, .argument = "N", .target = TARGET(repeats),
     .least = 0, .most = 100000,
     .help = "number of measurements; the median is shown (default 7; 0: none)"},
    {.name = "gpu", .old = "device", .kind = CLI_INT, .argument = "N", .target = TARGET(gpu),
     .least = 0, .most = 1024, .help = "number of the CUDA device (default 0)"},
    {.name = "turn", .kind = CLI_TEXT, .argument = "FILE", .target = TARGET(turn),
     .help = "lock FILE while a variant runs, so that several commands can plan at the same "
             "time, but measure one after the other"},
    {.name = "seed", .kind = CLI_INT, .argument = "N", .target = TARGET(seed),
     .least = 0, .most = INT64_MAX, .help = "seed of the random data (default 1)"},
    {.name = "layouts", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(layouts),
     .word = layouts_word, .help = "layout of all dats (default plan: as it advises)"},
    {.name = "layers", .kind = CLI_INT, .argument = "N", .target = TARGET(n_layers),
     .least = 1, .most = MPLAN_MAX_LAYERS,
     .help = "layers of each column, in applications with layers (default 70)"},
    {.name = "columns", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(columns),
     .word = columns_word,
     .help = "what is fastest in memory, layers or points; owner: matrices as owner-gather reads "
             "them (default layers)"},
    {.name = "no-check", .kind = CLI_FLAG, .target = TARGET(no_check),
     .help = "only measure: do not compare results and do not prove plans that are made here"},
    {.name = "in-memory", .kind = CLI_FLAG, .target = TARGET(in_memory),
     .help = "with --device-memory and --no-check: compare nevertheless with the same steps in memory, "
             "bits and time"},
    {.name = "store", .kind = CLI_TEXT, .argument = "DIR", .target = TARGET(store),
     .help = "with --device-memory: keep dats that move in a file in this folder, which is gone when the command "
             "ends, in place of memory"},
    {.name = "unpinned", .kind = CLI_FLAG, .target = TARGET(unpinned),
     .help = "with --device-memory: keep dats in memory that a device cannot copy from; threads take them "
             "through pieces that it can"},
    {.name = "launch-streams", .kind = CLI_WORD, .argument = "WORD",
     .target = TARGET(launch_streams), .word = streams_word,
     .help = "with --device-memory: 2: the later half of a visit's steps has launches in a stream of "
             "its own; both: one run with 1 and one with 2 (default 2; with --store and --unpinned 1)"},
    {.name = "list", .kind = CLI_FLAG, .target = TARGET(list),
     .help = "list the applications and what they need"},
    {.name = NULL},
};
/* clang-format on */

/* Every combination of the lists is planned and run; --seed is the seed of the data. */
static const cli_planning_use uses[] = {
    {"strategy", .each = true, .help = "strategies to plan and run, one after the other"},
    {"block-size", .each = true,
     .help = "largest number of elements per block, 1 to 1024, one "
             "plan each"},
    {"sums", .each = true, .help = "sums of block-gather, one plan each"},
    {"block-threads", .each = true,
     .help = "threads per thread block, multiples of 32, one plan each"},
    {"device-memory", .each = true,
     .help = "bytes of the device that the step may use, one schedule each; 16G is 16 x 1024^3; 0: no limit"},
    {"steps-per-visit", .each = true,
     .help = "time steps for each way of the data through the device, one schedule each"},
    {"segments", .each = true,
     .help = "parts in which the data go through the device, one schedule each"},
    {"seed", .refused = true},
    {"layouts", .refused = true},        /* --layouts is of the executor here */
    {"launch-streams", .refused = true}, /* as well */
    {.name = NULL},
};
static const mplan_plan_options preset = MPLAN_PLAN_OPTIONS_INIT;
static const cli_planning planning = {
    .all = true, .uses = uses, .preset = &preset, .given = TARGET(planning)};

/* What all runs of one call share. */
typedef struct sweep {
    const cli_call *call;
    const run_options *given;
    const mplan_app *app;
    mplan_mesh *mesh;
    mplan_loop *loops;
    int32_t n_loops;
    mplan_layers *layers; /* of the loops; NULL: none */
    int32_t *step,
        n_step; /* of the application; NULL: it cannot be run with a limited device memory */
    cli_bundle bundle;
    mplan_exec_options exec; /* how's */
    char device[32];         /* profile of the GPU that runs; "": planned for what planning says */
    mplan_app_options how;
    cli_json lines;
    int32_t n_runs, n_failed;
    mplan_status first_failure;
    char reason[MPLAN_ERROR_TEXT];
} sweep;

/* --- the mesh ---------------------------------------------------------------- */

/* all->mesh: the caller's, also after a failure. */
static mplan_status load_mesh(sweep *all, mplan_error *err)
{
    const run_options *given = all->given;
    const cli_app_mesh asked = {.command = "run",
                                .mesh = given->mesh,
                                .from = given->from,
                                .zone = given->zone,
                                .shuffle = &given->shuffle,
                                .stretch = given->stretch,
                                .jitter = &given->jitter,
                                .layers = &given->layers,
                                .refine = (int32_t)given->refine.value};
    if (!given->mesh)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "run: --mesh MESH is required");
    return cli_app_mesh_load(&asked, all->call->context, &all->mesh, err);
}

/* --- one variant ---------------------------------------------------------------- */

/* Only the first failure decides the exit status; the others are in their rows. run->reason
 * points to err, which holds until the row is printed. */
static void keep_failure(sweep *all, cli_run *run, const mplan_error *err)
{
    run->reason = run->status ? err->text : NULL;
    all->n_runs++;
    if (!run->status)
        return;
    if (!all->n_failed++) {
        all->first_failure = run->status;
        memcpy(all->reason, err->text, sizeof all->reason);
    }
}

/* Lines that go to standard output go there row by row, so that those of a run that is stopped are not lost. A file is written
 * whole or not at all. */
static mplan_status stream_lines(sweep *all, mplan_error *err)
{
    mplan_error failed;
    if (!all->call->json || strcmp(all->call->json, "-"))
        return MPLAN_OK;
    mplan_status status = cli_json_write(&all->lines, "-", all->call->context, &failed);
    all->call->files->has_results = true;
    cli_json_free(&all->lines);
    if (status && err)
        *err = failed;
    return status;
}

/* The head of the table comes before the first row. err: why the row failed; another text only where the row cannot be
 * written. */
static mplan_status show(sweep *all, cli_run *run, mplan_error *err)
{
    if (all->call->report && !all->n_runs)
        cli_run_print_head();
    keep_failure(all, run, err);
    if (all->call->report)
        cli_run_print(run);
    if (all->call->json)
        cli_run_json(&all->lines, all->call, run);
    return stream_lines(all, err);
}

/* A broken promise, or a loop that a strategy cannot serve, does not keep the other
 * variants from being run; anything else ends the command. */
static bool goes_on(mplan_status status)
{
    return !status || status == MPLAN_ERR_DISPROVED || status == MPLAN_ERR_UNSUPPORTED;
}

/* The first loop if none is marked. */
static const mplan_plan_loop *primary_loop(const mplan_plan *plan)
{
    for (int32_t i = 0; i < mplan_plan_n_loops(plan); i++)
        if (mplan_plan_get_loop(plan, i)->primary)
            return mplan_plan_get_loop(plan, i);
    return mplan_plan_get_loop(plan, 0);
}

/* A row without a result yet. */
static cli_run new_run(const sweep *all)
{
    return (cli_run){.app = mplan_app_name(all->app),
                     .mesh = all->given->mesh,
                     .executor = mplan_executor_name(all->exec.executor),
                     .strategy = MPLAN_N_STRATEGIES,
                     .result = {.error = -1, .equal_bits = true}};
}

/* Runs a variant; with --turn it holds the lock of that file meanwhile, so that other processes wait
 * which lock the same file. Planning is outside: it goes on beside a measurement of another process. With a limited device memory
 * only steps are made under the lock (how.turn): dats of many GB are filled and compared outside. */
static mplan_status run_locked(const sweep *all, const mplan_plan *plan, mplan_app_result *result,
                               mplan_error *err)
{
    int lock = -1;
    const bool whole = all->given->turn && !all->how.turn;
    mplan_status status = whole ? mplan_app_lock(all->given->turn, &lock, err) : MPLAN_OK;
    if (status)
        return status;
    status = mplan_app_run(all->app, all->mesh, plan, &all->how, result, err);
    if (lock >= 0)
        mplan_app_unlock(lock);
    return status;
}

/* Every variant of the primary loop, others by their defaults. plan_seconds: 0 for a plan from a
 * file. all->how.variant says which one it is. streams: of launches, 0: as many as are taken without a word. */
static mplan_status run_each_variant(sweep *all, const mplan_plan *plan, double plan_seconds,
                                     int32_t streams, mplan_error *err)
{
    const mplan_plan_loop *loop = primary_loop(plan);
    const mplan_plan_visit *visit = mplan_plan_get_visit(plan);
    all->exec.device_memory = visit ? visit->device_memory : 0;
    /* rows without a limit are in memory; a plan file without one is refused by the executor */
    all->exec.store = visit || all->given->plan ? all->given->store : NULL;
    all->exec.unpinned = (visit || all->given->plan) && all->given->unpinned;
    all->exec.launch_streams = streams;
    /* what is checked against the mesh's own order makes steps, too */
    all->how.turn = visit && all->given->no_check && all->how.iterations == 0 ? all->given->turn
                                                                              : NULL;
    for (int32_t v = 0; v < loop->n_variants; v++) {
        cli_run run = new_run(all);
        run.plan = plan;
        run.loop = loop;
        run.variant = v;
        run.launch_streams = streams;
        run.plan_seconds = plan_seconds;
        all->how.variant = v;
        err->text[0] = 0;
        run.status = run_locked(all, plan, &run.result, err);
        if (all->how.bundle && !run.status)
            run.efficiency = cli_bundle_efficiency(&all->bundle, v, &run.result);
        const mplan_status written = show(all, &run, err);
        if (written || !goes_on(run.status))
            return written ? written : run.status;
    }
    return MPLAN_OK;
}

/* Rows without a limit have no streams; with the word both each variant runs by one stream, then by two. */
static mplan_status run_variants(sweep *all, const mplan_plan *plan, double plan_seconds,
                                 mplan_error *err)
{
    const char *word = all->given->launch_streams;
    if (!word || (!mplan_plan_get_visit(plan) && !all->given->plan))
        return run_each_variant(all, plan, plan_seconds, 0, err);
    mplan_status status = MPLAN_OK;
    for (int32_t streams = 1; streams < 3 && !status; streams++)
        if (strcmp(word, "both") == 0 || word[0] == (char)('0' + streams))
            status = run_each_variant(all, plan, plan_seconds, streams, err);
    return status;
}

/* --- plans ------------------------------------------------------------------------ */

/* The variants of a bundle on each number of ranks; results are compared with the mesh's own order. request NULL: of a file;
 * else the mesh is cut and planned. */
static mplan_status run_bundle(sweep *all, const mplan_plan_options *request, mplan_error *err)
{
    const double begin = cli_seconds();
    mplan_status status = request ? cli_bundle_make(&all->bundle, all->mesh, all->n_loops,
                                                    all->loops, request, &all->given->ranks,
                                                    !all->given->no_check, all->call->context, err)
                                  : cli_bundle_open(&all->bundle, all->given->plan,
                                                    &all->given->ranks, all->call->context, err);
    if (!status && !request)
        status = cli_bundle_prove(&all->bundle, all->mesh, all->call->context, err);
    const double seconds = request ? cli_seconds() - begin : 0;
    for (int32_t k = 0; k < all->bundle.n && !status; k++) {
        cli_bundle_turn(&all->bundle, k, &all->given->ranks, &all->how);
        status = run_variants(all, all->bundle.plan, seconds, err);
    }
    cli_bundle_close(&all->bundle);
    all->bundle = (cli_bundle){0};
    return status;
}

/* How many plans an option with a list asks for; at least 1: without a list its default. */
static int32_t n_items(const sweep *all, const char *name)
{
    const cli_texts *items = cli_planning_items(&all->given->planning, name);
    return items->n ? items->n : 1;
}

/* Sets item i of an option with a list; without one the request stays as it is. */
static mplan_status set_item(const sweep *all, const char *name, int32_t i,
                             mplan_plan_options *request, mplan_error *err)
{
    const cli_texts *items = cli_planning_items(&all->given->planning, name);
    const mplan_plan_option *option = cli_planning_find(name);
    if (!items->n)
        return MPLAN_OK;
    return mplan_plan_option_read(option, name, items->item[i], (char *)request + option->offset,
                                  err);
}

/* Options of a schedule, and how many of these are tried for each plan. */
static const char *const visit_options[] = {"device-memory", "steps-per-visit", "segments"};
static int32_t n_visits(const sweep *all)
{
    return n_items(all, "device-memory") * n_items(all, "steps-per-visit") * n_items(all, "segments");
}

/* A limited device memory needs the step of the application. */
static void set_step(const sweep *all, mplan_plan_options *request)
{
    if (request->device_memory == 0)
        return;
    request->n_step = all->n_step;
    request->step = all->step;
    request->step_clears = all->step + all->n_step;
}

/* The plan of a request; with a limited device memory one of the same slabs, if there is one (*base), has another visit, which
 * takes less time. */
static mplan_status make_plan(sweep *all, const mplan_plan_options *request, mplan_plan **base,
                              mplan_plan **plan, mplan_error *err)
{
    mplan_plan_options limited = *request;
    if (request->device_memory > 0 && *base)
        return mplan_plan_revisit(*base, request, plan, err);
    set_step(all, &limited);
    return mplan_plan_create(all->mesh, all->n_loops, all->loops, &limited, all->call->context,
                             plan, err);
}

/* A plan that cannot be made, or does not hold, is a row with the reason, where the sweep goes
 * on. Seconds are those of planning without the proof. *base: NULL, or a plan with the same slabs; a plan with slabs may become it. */
static mplan_status plan_and_run(sweep *all, const mplan_plan_options *request, mplan_plan **base,
                                 mplan_error *err)
{
    if (all->given->ranks.parts) {
        mplan_plan_options limited = *request;
        set_step(all, &limited);
        return run_bundle(all, &limited, err);
    }
    mplan_plan *plan = NULL;
    const double start = cli_seconds();
    err->text[0] = 0;
    mplan_status status = make_plan(all, request, base, &plan, err);
    const bool too_small = status == MPLAN_ERR_ARGUMENT && n_visits(all) > 1;
    const double seconds = cli_seconds() - start;
    if (!status && !all->given->no_check)
        status = mplan_plan_verify(plan, all->mesh, all->call->context, err);
    if (status && (goes_on(status) || too_small)) {
        cli_run run = new_run(all);
        run.status = status;
        if (request->n_strategies)
            run.strategy = request->strategies[0];
        run.asked = request;
        status = show(all, &run, err);
    } else if (!status) {
        status = run_variants(all, plan, seconds, err);
    }
    if (status || request->device_memory == 0 || *base)
        mplan_plan_free(plan);
    else
        *base = plan; /* others borrow its arrays */
    return status;
}

/* Whether visits run with one stream of launches, so that steps and segments are chosen for it: as the executor decides. */
static bool visits_have_one_stream(const run_options *given)
{
    if (given->launch_streams)
        return strcmp(given->launch_streams, "1") == 0;
    return given->store || given->unpinned;
}

/* Every limit of the device's memory with every number of steps and segments. */
static mplan_status run_limits(sweep *all, mplan_plan_options *request, mplan_error *err)
{
    mplan_plan *base = NULL;
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < n_items(all, "device-memory") && !status; m++)
        for (int32_t k = 0; k < n_items(all, "steps-per-visit") && !status; k++)
            for (int32_t s = 0; s < n_items(all, "segments") && !status; s++) {
                const int32_t item[] = {m, k, s};
                for (int32_t i = 0; i < 3 && !status; i++)
                    status = set_item(all, visit_options[i], item[i], request, err);
                const bool again = request->device_memory == 0 && (k > 0 || s > 0);
                if (request->device_memory == 0) /* in memory: there are no visits */
                    request->steps_per_visit = request->segments = 0;
                request->launch_streams = request->device_memory > 0 &&
                                          visits_have_one_stream(all->given);
                if (!status && !again)
                    status = plan_and_run(all, request, &base, err);
            }
    mplan_plan_free(base);
    return status;
}

/* Whether --block-size makes a difference to the strategy. */
static bool has_blocks(mplan_strategy strategy)
{
    return mplan_strategy_traits(strategy) & MPLAN_TRAIT_BLOCKS;
}

/* Item s of --strategy with all S, sums and threads that make a difference to it: global-colour
 * runs once whatever --block-size lists. Without --strategy (auto) nothing is known of it, and
 * sizes are swept, sums are not. The request holds one strategy, so that no other one's needs
 * decide about the order of sets. */
static mplan_status run_strategy(sweep *all, int32_t s, mplan_error *err)
{
    mplan_plan_options request = preset;
    mplan_status status = cli_planning_set(&planning, &all->given->planning, &request, err);
    request.layers = all->layers;
    if (all->device[0])
        request.device = all->device;
    if (!status)
        status = set_item(all, "strategy", s, &request, err);
    bool named = request.n_strategies > 0;
    bool gathers = named && (mplan_strategy_traits(request.strategies[0]) & MPLAN_TRAIT_RECORDS);
    int32_t n_sizes = named && !has_blocks(request.strategies[0]) ? 1 : n_items(all, "block-size");
    int32_t n_sums = gathers ? n_items(all, "sums") : 1, n_threads = n_items(all, "block-threads");
    for (int32_t b = 0; b < n_sizes && !status; b++)
        for (int32_t k = 0; k < n_sums && !status; k++)
            for (int32_t t = 0; t < n_threads && !status; t++) {
                status = set_item(all, "block-size", b, &request, err);
                if (!status)
                    status = set_item(all, "block-threads", t, &request, err);
                if (!status && gathers)
                    status = set_item(all, "sums", k, &request, err);
                if (!status)
                    status = run_limits(all, &request, err);
            }
    return status;
}

/* Strategies, block sizes and threads: every combination is a plan of its own. */
static mplan_status run_combinations(sweep *all, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < n_items(all, "strategy") && !status; s++)
        status = run_strategy(all, s, err);
    return status;
}

/* A plan file decides all that the planner would be told. It is proved against the mesh,
 * --no-check or not: executors trust what was proved. */
static mplan_status run_plan_file(sweep *all, mplan_error *err)
{
    const run_options *given = all->given;
    const char *option = cli_planning_first(&given->planning);
    if (option)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "run: --%s cannot be combined with --plan", option);
    if (cli_is_bundle(given->plan))
        return run_bundle(all, NULL, err);
    if (given->ranks.ranks.n > 0)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "run: --ranks: %s is not a bundle", given->plan);
    mplan_plan *plan = NULL;
    mplan_status status = mplan_plan_read(given->plan, all->call->context, &plan, err);
    if (!status)
        status = mplan_plan_verify(plan, all->mesh, all->call->context, err);
    if (!status)
        status = run_variants(all, plan, 0, err);
    mplan_plan_free(plan);
    return status;
}

/* --- the command ------------------------------------------------------------------- */

/* The executor, how often, what is timed. Applications of several loops count time steps, others launches that are
 * compared for equal bits; 0 launches where nothing is checked. */
static void set_how(sweep *all)
{
    const run_options *given = all->given;
    mplan_app_options how = MPLAN_APP_OPTIONS_INIT;
    all->exec = (mplan_exec_options)MPLAN_EXEC_OPTIONS_INIT;
    all->exec.executor = MPLAN_EXECUTOR_HOST;
    if (given->executor)
        mplan_executor_from(given->executor, &all->exec.executor);
    all->exec.device = (int32_t)given->gpu.value;
    all->exec.threads = all->call->context->threads;
    all->exec.store = given->store;
    all->exec.unpinned = given->unpinned;
    how.exec = &all->exec;
    bool steps = mplan_app_makes_steps(all->app);
    const cli_int *count = steps ? &given->iterations : &given->launches;
    how.iterations = count->given ? count->value : steps ? 100 : given->no_check ? 0 : 2;
    if (given->repeats.given)
        how.repeats = (int32_t)given->repeats.value;
    if (given->seed.given)
        how.seed = (uint64_t)given->seed.value;
    how.check = !given->no_check;
    how.in_memory = !given->no_check || given->in_memory;
    mplan_layout layout;
    how.layout = given->layouts && mplan_layout_from(given->layouts, &layout) ? (int32_t)layout : -1;
    all->how = how;
}

/* JSON is written also after a failure: the rows that there are count. Releases what the sweep
 * holds; status: how it ended, which goes before failures of rows. */
static mplan_status finish(sweep *all, mplan_status status, mplan_error *err)
{
    mplan_error failed;
    if (all->call->json && all->lines.length) {
        mplan_status wrote = cli_json_write(&all->lines, all->call->json, all->call->context,
                                            &failed);
        all->call->files->has_results = true;
        if (wrote && !status) {
            *err = failed;
            status = wrote;
        }
    }
    if (!status && all->n_failed) {
        status = all->first_failure;
        cli_fail(err, status, "run: %d of %d runs failed, first: %.*s", (int)all->n_failed,
                 (int)all->n_runs, (int)sizeof all->reason / 2, all->reason);
    }
    cli_json_free(&all->lines);
    free(all->layers);
    free(all->step);
    mplan_app_request_free(all->loops, all->n_loops);
    mplan_mesh_free(all->mesh);
    return status;
}

/* all->layers, of applications that have them. */
static mplan_status make_layers(sweep *all, mplan_error *err)
{
    const run_options *given = all->given;
    mplan_columns columns = MPLAN_COLUMNS_LAYERS;
    const int32_t n = given->n_layers.given ? (int32_t)given->n_layers.value : 70;
    if (given->columns)
        mplan_columns_from(given->columns, &columns);
    mplan_status status = mplan_app_layers(all->app, all->loops, n, columns, &all->layers, err);
    if (!status && !all->layers && (given->n_layers.given || given->columns))
        status = cli_fail(err, MPLAN_ERR_ARGUMENT, "run: --%s is only for applications with layers",
                          given->columns ? "columns" : "layers");
    return status;
}

/* words: application, which the parser has checked. */
static mplan_status run_run(const cli_call *call, mplan_error *err)
{
    const run_options *given = call->options;
    sweep all = {.call = call, .given = given};
    if (given->list && !call->n_words)
        return cli_run_list(call, err);
    if (!call->n_words || given->list)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        given->list ? "run: --list takes no application"
                                    : "run: no application given; 'meshplan run --list' "
                                      "lists them");
    all.app = mplan_app_find(call->words[0]);
    set_how(&all);
    mplan_status status = cli_ranks_check(&given->ranks, given->plan, err);
    if (!status && cli_planning_items(&given->planning, "device-memory")->n)
        status = cli_run_can_be_limited(all.app, err);
    if (!given->plan && !cli_planning_items(&given->planning, "device")->n)
        cli_run_device(&all.exec, call->context, all.device);
    if (!status)
        status = load_mesh(&all, err);
    if (!status)
        status = mplan_app_accepts(all.app, all.mesh, err);
    if (!status)
        status = mplan_app_prepare(all.app, all.mesh, call->context, err);
    if (!status)
        status = mplan_app_request(all.app, all.mesh, &all.loops, &all.n_loops, err);
    if (!status)
        status = make_layers(&all, err);
    if (!status)
        status = mplan_app_time_step(all.app, all.loops, &all.step, &all.n_step, err);
    if (!status && (given->store || given->unpinned || given->launch_streams) && !given->plan &&
        !cli_planning_items(&given->planning, "device-memory")->n)
        status = cli_fail(err, MPLAN_ERR_ARGUMENT, "run: --%s needs --device-memory",
                          given->store      ? "store"
                          : given->unpinned ? "unpinned"
                                            : "launch-streams");
    if (!status)
        status = given->plan ? run_plan_file(&all, err) : run_combinations(&all, err);
    return finish(&all, status, err);
}

const cli_command cli_command_run = {
    .name = "run",
    .arguments = "APP --mesh MESH [OPTION]...",
    .summary = "run a built-in application, checked and timed",
    .details = "Plans the loops of an application for a mesh, runs every variant and prints a "
               "line for each: time of a launch (or of a time step), useful bytes per "
               "second (each dat once, incremented ones twice, each map once), their fraction "
               "of the rate of a copy, the error against a run in the order of the mesh, and "
               "whether runs gave equal bits. --json writes one object per line. Exit code 1 "
               "means that a result is wrong or that equal bits were promised and not given.",
    .options = options,
    .planning = &planning,
    .options_size = sizeof(run_options),
    .least_words = 0,
    .most_words = 1,
    .has_json = true,
    .json_lines = true,
    .word = app_word,
    .word_name = "application",
    .run = run_run,
};
