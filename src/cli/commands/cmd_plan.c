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
#include "cli/plan_figures.h"
#include "cli/plan_words.h"
#include "cli/short_form.h"

typedef struct plan_options {
    const char *over, *none, *format, *zone, *sums, *encoding, *partitioner, *effort, *graph, *renumber,
        *keep_order, *point_order, *device, *output;
    cli_texts inc, read, map, coordinates, strategy;
    cli_int block_size, max_points, shared_bytes, block_threads, seed;
    cli_real imbalance, fill;
    bool allow_nondeterministic, compress;
} plan_options;

/* What one planning run holds. */
typedef struct plan_run {
    mplan_job *job;          /* NULL without one */
    mplan_mesh *mesh;
    mplan_plan *plan;
    cli_short_loop made;     /* the loop of the short form */
    const mplan_loop *loops;
    int32_t n_loops;
    mplan_plan_options request;
    cli_plan_file file;
    double read, check, write;
} plan_run;

#define TARGET(member) offsetof(plan_options, member)
static const cli_option options[] = {
    {.name = "output", .letter = 'o', .kind = CLI_TEXT, .argument = "PLAN",
     .target = TARGET(output),
     .help = "the plan file to write; - is standard output. Needed unless the job names one"},
    {.name = "over", .kind = CLI_TEXT, .argument = "SET", .target = TARGET(over),
     .help = "the set that the loop runs over (default: the faces of a mesh, the from-set of a "
             "table)"},
    {.name = "inc", .kind = CLI_LIST, .argument = "LIST", .target = TARGET(inc),
     .help = "maps by which the loop increments, MAP[:DIM[:TYPE]] between commas; a SET stands "
             "for the map from the loop's set to it (default <over>_cells:5:f64)"},
    {.name = "read", .kind = CLI_LIST, .argument = "LIST", .target = TARGET(read),
     .help = "maps by which it reads, likewise (default: the same map, 5 x f64)"},
    {.name = "none", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(none),
     .word = cli_none_word, .help = "what to do where a map holds -1 (default refuse)"},
    {.name = "map", .kind = CLI_MANY, .argument = "NAME[:FROM:TO]=FILE[:BASE]",
     .target = TARGET(map), .help = CLI_HELP_MAP},
    {.name = "coordinates", .kind = CLI_MANY, .argument = "SET=FILE",
     .target = TARGET(coordinates), .help = CLI_HELP_COORDINATES},
    {.name = "format", .kind = CLI_WORD, .argument = "NAME", .target = TARGET(format),
     .word = cli_format_word, .help = "format of the input (default: found out)"},
    {.name = "zone", .kind = CLI_TEXT, .argument = "NAME", .target = TARGET(zone),
     .help = CLI_HELP_ZONE},
    {.name = "block-size", .kind = CLI_INT, .argument = "S", .target = TARGET(block_size),
     .least = 1, .most = 1024,
     .help = "most elements of a block, 1 to 1024 (default: by the cost model, 256 where strategies "
             "are named)"},
    {.name = "max-points", .kind = CLI_INT, .argument = "N", .target = TARGET(max_points),
     .least = 0, .most = 65535,
     .help = "most points of a set that a block touches (default 0: 65535)"},
    {.name = "shared-bytes", .kind = CLI_INT, .argument = "N", .target = TARGET(shared_bytes),
     .least = 0, .most = INT64_MAX,
     .help = "most bytes that a block stages (default 0: what the device has)"},
    {.name = "strategy", .kind = CLI_LIST, .argument = "LIST", .target = TARGET(strategy),
     .word = cli_strategy_word,
     .help = "a variant for each word between commas, the first the default; auto (the default): "
             "one for each loop, by the cost model"},
    {.name = "allow-nondeterministic", .kind = CLI_FLAG, .target = TARGET(allow_nondeterministic),
     .help = "the cost model may choose sums in any order, whose last bits differ from run to "
             "run"},
    {.name = "sums", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(sums),
     .word = cli_sums_word,
     .help = "how block-gather, when it is named, adds what several blocks have for a point "
             "(default partial)"},
    {.name = "encoding", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(encoding),
     .word = cli_encoding_word,
     .help = "how owner-gather writes down the elements of a point (default auto: the fewest "
             "bytes)"},
    {.name = "block-threads", .kind = CLI_INT, .argument = "N", .target = TARGET(block_threads),
     .least = 0, .most = 1024,
     .help = "threads of a thread block, a multiple of 32 (default 0: by the strategy)"},
    {.name = "partitioner", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(partitioner),
     .word = cli_partitioner_word,
     .help = "what makes the blocks (default auto: native for block-colour and block-gather, else "
             "none)"},
    {.name = "imbalance", .kind = CLI_REAL, .argument = "L", .target = TARGET(imbalance),
     .least = 1,
     .help = "largest block / mean that metis and scotch may make, at least 1 (default 1.03)"},
    {.name = "effort", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(effort),
     .word = cli_effort_word,
     .help = "how long native looks for better blocks: fast, default or best"},
    {.name = "fill", .kind = CLI_REAL, .argument = "F", .target = TARGET(fill), .least = 0,
     .most = 1,
     .help = "share of the block size that native fills blocks to, above 0, at most 1 (default "
             "0.991)"},
    {.name = "graph", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(graph),
     .word = cli_graph_word,
     .help = "which elements are joined for the partitioner: those that share a point, or cells "
             "that share a face (default auto: faces for loops over cells)"},
    {.name = "renumber", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(renumber),
     .word = cli_renumber_word,
     .help = "order of the points before blocks are made (default auto: hilbert with "
             "coordinates that follow the mesh, else agglomerate)"},
    {.name = "keep-order", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(keep_order),
     .word = cli_keep_order_word,
     .help = "keep the input order where renumbering has the larger profile (default better)"},
    {.name = "point-order", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(point_order),
     .word = cli_point_order_word,
     .help = "stored order of the points, by the blocks that touch them, packed into lines that "
             "few blocks touch (padded: with holes) or as renumbered (default "
             "auto: lines for block-colour, lexicographic for block-gather, else renumbered)"},
    {.name = "device", .kind = CLI_WORD, .argument = "NAME", .target = TARGET(device),
     .word = cli_device_word,
     .help = "the GPU whose limits hold and whose rates count (default h200)"},
    {.name = "seed", .kind = CLI_INT, .argument = "N", .target = TARGET(seed),
     .least = 0, .most = INT64_MAX, .help = "seed of the partitioner (default 1)"},
    {.name = "compress", .kind = CLI_FLAG, .target = TARGET(compress),
     .help = "compress the plan file; it is then inflated, not mapped, when read"},
    {.name = NULL},
};

/* A job has loops and tables of its own. */
static mplan_status refuse_with_job(const plan_options *given, const char *path, mplan_error *err)
{
    const char *option = given->over          ? "over"
                         : given->inc.n         ? "inc"
                         : given->read.n        ? "read"
                         : given->none          ? "none"
                         : given->map.n         ? "map"
                         : given->coordinates.n ? "coordinates"
                         : given->format        ? "format"
                         : given->zone          ? "zone"
                                                : NULL;
    if (option)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "--%s does not go with a job: its loops, maps and mesh stand in %s",
                        option, path);
    return MPLAN_OK;
}

/* The mesh and the loops: of a job, or of the short form's options. */
static mplan_status load(const plan_options *given, const char *path, const mplan_context *context,
                         plan_run *run, mplan_error *err)
{
    mplan_status status;
    if (path && cli_is_job(path)) {
        status = refuse_with_job(given, path, err);
        if (!status)
            status = mplan_job_read(path, context, &run->job, err);
        if (!status)
            status = mplan_job_load_mesh(run->job, context, &run->mesh, err);
        if (status)
            return status;
        run->loops = run->job->loops;
        run->n_loops = run->job->n_loops;
        run->request = run->job->options;
        return MPLAN_OK;
    }
    cli_mesh_source source = {path, given->format, &given->map, &given->coordinates, given->zone};
    cli_short_form form = {given->over, &given->inc, &given->read, MPLAN_NONE_REFUSE};
    if (given->none)
        mplan_none_from(given->none, &form.none);
    status = cli_mesh_load(&source, context, &run->mesh, err);
    if (!status)
        status = cli_short_loop_make(&form, run->mesh, &run->made, err);
    run->loops = &run->made.loop;
    run->n_loops = 1;
    return status;
}

/* `auto` is a list without strategies, and must be alone. */
static mplan_status set_strategies(const cli_texts *list, mplan_plan_options *request,
                                   mplan_error *err)
{
    if (list->n > MPLAN_MAX_STRATEGIES)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "--strategy: more than %d words",
                        MPLAN_MAX_STRATEGIES);
    for (int32_t i = 0; i < list->n; i++) {
        if (mplan_strategy_from(list->item[i], &request->strategies[i]))
            continue;
        if (list->n > 1)
            return cli_fail(err, MPLAN_ERR_ARGUMENT, "--strategy: auto stands alone");
        request->n_strategies = 0;
        return MPLAN_OK;
    }
    if (list->n)
        request->n_strategies = list->n;
    return MPLAN_OK;
}

/* What the command line says goes before what the job says. */
static mplan_status override(const plan_options *given, mplan_plan_options *request,
                             mplan_error *err)
{
    if (given->block_size.given)
        request->block_size = (int32_t)given->block_size.value;
    if (given->max_points.given)
        request->max_points = (int32_t)given->max_points.value;
    if (given->shared_bytes.given)
        request->shared_bytes = given->shared_bytes.value;
    if (given->imbalance.given)
        request->imbalance = given->imbalance.value;
    if (given->fill.given)
        request->fill = given->fill.value;
    if (given->seed.given)
        request->seed = (uint64_t)given->seed.value;
    if (given->block_threads.given)
        request->block_threads = (int32_t)given->block_threads.value;
    if (given->allow_nondeterministic)
        request->allow_nondeterministic = true;
    if (given->sums)
        mplan_sums_from(given->sums, &request->sums);
    if (given->encoding && !mplan_encoding_from(given->encoding, &request->encoding))
        request->encoding = MPLAN_ENCODING_NONE;
    if (given->partitioner)
        mplan_partitioner_from(given->partitioner, &request->partitioner);
    if (given->effort)
        mplan_effort_from(given->effort, &request->effort);
    if (given->graph)
        mplan_graph_from(given->graph, &request->graph);
    if (given->renumber)
        mplan_renumber_from(given->renumber, &request->renumber);
    if (given->keep_order)
        request->keep_better = !strcmp(given->keep_order, "better");
    if (given->point_order)
        mplan_point_order_from(given->point_order, &request->point_order);
    if (given->device)
        request->device = given->device;
    return set_strategies(&given->strategy, request, err);
}

/* Peak of this process or of the partitioner's, whichever is larger. */
static int64_t peak_rss_bytes(void)
{
    struct rusage self, children;
    if (getrusage(RUSAGE_SELF, &self) || getrusage(RUSAGE_CHILDREN, &children))
        return -1;
    long kilobytes = self.ru_maxrss > children.ru_maxrss ? self.ru_maxrss : children.ru_maxrss;
    return (int64_t)kilobytes * 1024;
}

/* Keys are fixed: added to, never renamed. */
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

/* With -v. */
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

/* A build without METIS or SCOTCH has to say what to do instead. */
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

/* Blocks that are runs of the stored order need it renumbered (meshplan-plan(1)), also
 * where the input order was asked for. */
static void say_if_not_kept(const cli_call *call, const mplan_plan *plan)
{
    const plan_options *given = call->options;
    if (!given->keep_order || strcmp(given->keep_order, "better"))
        return;
    for (int32_t s = 0; s < mplan_plan_n_sets(plan); s++) {
        char text[MPLAN_ERROR_TEXT];
        const mplan_plan_set *set = mplan_plan_get_set(plan, s);
        if (set->renumber == MPLAN_RENUMBER_NONE || set->kept || set->profile[1] < set->profile[0])
            continue;
        snprintf(text, sizeof text,
                 "set %.200s is renumbered in spite of --keep-order better: its blocks follow the "
                 "renumbered order; --renumber none keeps the input order", set->name);
        call->context->warning(call->context->user, text);
    }
}

/* Plans, writes, and keeps the number of bytes. */
static mplan_status compute(const cli_call *call, plan_run *run, mplan_error *err)
{
    const plan_options *given = call->options;
    mplan_write_options how = MPLAN_WRITE_OPTIONS_INIT;
    how.compress = given->compress;
    mplan_status status = mplan_plan_create(run->mesh, run->n_loops, run->loops, &run->request,
                                            call->context, &run->plan, err);
    if (status)
        return suggest_partitioner(run->request.partitioner, status, err);
    say_if_not_kept(call, run->plan);
    double start = cli_seconds();
    status = mplan_plan_verify(run->plan, run->mesh, call->context, err);
    run->check = cli_seconds() - start;
    if (status == MPLAN_ERR_DISPROVED || status == MPLAN_ERR_OTHER_MESH) {
        /* Our own plan: the fault is ours, and no plan is written. */
        mplan_error inner = *err;
        return cli_fail(err, MPLAN_ERR_INTERNAL, "the plan that was made does not hold: %.*s",
                        (int)sizeof inner.text - 64, inner.text);
    }
    if (status)
        return status;
    start = cli_seconds();
    status = mplan_plan_write(run->plan, run->file.path, &how, call->context, &run->file.bytes,
                              err);
    run->write = cli_seconds() - start;
    return status;
}

/* Nothing on standard output when the plan itself goes there. */
static mplan_status show(const cli_call *call, const plan_run *run, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    cli_plan_bounds bounds = {0};
    double total = cli_seconds() - call->start;
    bool report = call->report && strcmp(run->file.path, "-");
    if (report || call->json)
        status = cli_plan_bounds_create(run->plan, &bounds, err);
    if (!status && report)
        status = cli_plan_report(run->plan, &bounds, &run->file, err);
    if (!status && call->json) {
        cli_json json = {0};
        cli_json_open(&json, NULL, '{');
        cli_plan_json(&json, run->plan, &bounds, &run->file);
        times_json(&json, run, total);
        cli_json_close(&json, '}');
        status = cli_json_write(&json, call->json, call->context, err);
        cli_json_free(&json);
    }
    cli_plan_bounds_free(&bounds);
    if (!status && call->verbose)
        say_times(call, run, total);
    return status;
}

/* -o, else the job's output. */
static mplan_status choose_output(const cli_call *call, plan_run *run, mplan_error *err)
{
    const plan_options *given = call->options;
    run->file = (cli_plan_file){NULL, -1, MPLAN_FORMAT_MAJOR, MPLAN_FORMAT_MINOR};
    run->file.path = given->output ? given->output : run->job ? run->job->output : NULL;
    if (!run->file.path)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "plan: no output: give -o PLAN%s",
                        run->job ? ", or 'output' in the job" : "");
    return cli_files_output(call->files, run->file.path, err);
}

/* words: job, mesh or table, if there is one. */
static mplan_status run_plan(const cli_call *call, mplan_error *err)
{
    const plan_options *given = call->options;
    const char *path = call->n_words ? call->words[0] : NULL;
    mplan_plan_options defaults = MPLAN_PLAN_OPTIONS_INIT;
    plan_run run = {.request = defaults};
    if (!path && !given->map.n)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "plan: no job, mesh or table given");
    /* Without a job the output is known at once: do not read a mesh in vain. */
    mplan_status status = MPLAN_OK;
    if (!path || !cli_is_job(path))
        status = choose_output(call, &run, err);
    double start = cli_seconds();
    if (!status)
        status = load(given, path, call->context, &run, err);
    run.read = cli_seconds() - start;
    if (!status && run.job)
        status = choose_output(call, &run, err);
    if (!status)
        status = override(given, &run.request, err);
    if (!status)
        status = compute(call, &run, err);
    if (!status)
        status = show(call, &run, err);
    mplan_plan_free(run.plan);
    mplan_mesh_free(run.mesh);
    mplan_job_free(run.job);
    cli_short_loop_free(&run.made);
    return status;
}

const cli_command cli_command_plan = {
    .name = "plan",
    .arguments = "JOB.yaml | MESH | TABLE [OPTION]... -o PLAN",
    .summary = "make a plan for a job, a mesh or mapping tables",
    .details =
        "Reads a job (a name that ends .yaml or .yml), a mesh or a mapping table, plans its "
        "loops, proves the plan against the mesh and writes it. A mesh or table gets one loop "
        "by --over, --inc and --read; options given here go before those of a job. "
        "Tables alone may be given by --map, without MESH.",
    .options = options,
    .options_size = sizeof(plan_options),
    .least_words = 0,
    .most_words = 1,
    .has_json = true,
    .run = run_plan,
};
