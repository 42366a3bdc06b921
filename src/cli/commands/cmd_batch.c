/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_batch.c - meshplan batch: plans for many meshes and jobs */
#include <stdio.h>
#include <string.h>

#include "cli/batch_lines.h"
#include "cli/batch_run.h"
#include "cli/json_flat.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/results.h"

#define TARGET(member) offsetof(cli_batch_options, member)
/* clang-format off */
static const cli_option options[] = {
    {.name = "output", .letter = 'o', .kind = CLI_TEXT, .argument = "DIR", .target = TARGET(folder),
     .help = "write plans to the folder DIR, which is made, instead of beside the inputs"},
    {.name = "jobs", .letter = 'j', .kind = CLI_INT, .argument = "N", .target = TARGET(jobs),
     .least = 1, .most = 4096,
     .help = "work on at most N jobs at a time (default: one for each processor), as far as memory allows"},
    {.name = "array", .kind = CLI_TEXT, .argument = "I/N", .target = TARGET(array),
     .help = "do share I of N only, I from 0 to N - 1: every N-th job from the I-th on"},
    {.name = "resume", .kind = CLI_FLAG, .target = TARGET(resume),
     .help = "add no line to the manifest for jobs that it has and that are unchanged"},
    {.name = "keep-going", .letter = 'k', .kind = CLI_FLAG, .target = TARGET(keep_going),
     .help = "go on after a job has failed"},
    {.name = "dry-run", .kind = CLI_FLAG, .target = TARGET(dry_run),
     .help = "say which jobs are unchanged and which would be done; write nothing"},
    {.name = "manifest", .kind = CLI_TEXT, .argument = "FILE", .target = TARGET(manifest),
     .help = "append a line of JSON for each job to FILE (default: LIST.batch.jsonl beside LIST.yaml, else batch.jsonl)"},
    {.name = "csv", .kind = CLI_TEXT, .argument = "FILE", .target = TARGET(csv),
     .help = "write figures of all jobs to FILE, a row for each"},
    {.name = "columns", .kind = CLI_LIST, .argument = "LIST", .target = TARGET(columns),
     .help = "of --csv: names of figures, separated by commas"},
    {.name = NULL},
};
/* clang-format on */

/* Jobs by what became of them: of[s] have the state s. */
typedef struct counts {
    int32_t of[CLI_BATCH_INTERRUPTED + 1];
} counts;

static counts count(const cli_batch_jobs *jobs)
{
    counts found = {{0}};
    for (int32_t i = 0; i < jobs->n; i++)
        found.of[jobs->job[i].state]++;
    return found;
}

/* The last line of the report, states without jobs left out. A dry run writes no manifest and
 * measures nothing: its line ends behind the counts. */
static void say_counts(const cli_batch_jobs *jobs, double seconds, bool dry)
{
    counts found = count(jobs);
    printf("%d jobs:", (int)jobs->n);
    const char *separator = " ";
    for (int s = 0; s <= CLI_BATCH_INTERRUPTED; s++) {
        if (!found.of[s])
            continue;
        printf("%s%d %s", separator, (int)found.of[s],
               dry && s == CLI_BATCH_WAITING ? "to be done" : cli_batch_word((cli_batch_state)s));
        separator = ", ";
    }
    if (!jobs->n)
        printf(" none in this share");
    if (dry)
        printf("\n");
    else
        printf("; %.2f s; %s\n", seconds, cli_shown(jobs->manifest));
}

/* Keys are fixed, one for each state. That of running jobs is never written: none is left at the
 * end. */
static void counts_json(cli_json *json, const cli_batch_jobs *jobs, double seconds)
{
    static const char *const keys[] = {"not_started", "running", "planned",    "found",
                                       "unchanged",   "failed",  "interrupted"};
    counts found = count(jobs);
    cli_json_int(json, "jobs", jobs->n);
    for (int s = 0; s <= CLI_BATCH_INTERRUPTED; s++)
        if (s != CLI_BATCH_RUNNING)
            cli_json_int(json, keys[s], found.of[s]);
    cli_json_text(json, "manifest", jobs->manifest);
    cli_json_real(json, "seconds", seconds);
}

/* What is said at the end, also where jobs failed. verdict: of the batch, with its reason. */
static mplan_status show(const cli_call *call, const cli_batch_jobs *jobs, mplan_status verdict,
                         const mplan_error *reason, mplan_error *err)
{
    const cli_batch_options *given = call->options;
    double seconds = cli_seconds() - call->start;
    mplan_status status = MPLAN_OK;
    cli_progress_end(call->context->user);
    if (given->csv && !given->dry_run)
        status = cli_batch_csv(call, jobs, given->csv, err);
    if (!status && call->report && !given->dry_run)
        status = cli_batch_table(jobs, err);
    if (!status && call->report && given->dry_run)
        for (int32_t i = 0; i < jobs->n; i++)
            printf("  %s -> %s: %s\n", cli_shown(jobs->job[i].name), cli_shown(jobs->job[i].output),
                   jobs->job[i].state == CLI_BATCH_UNCHANGED ? "unchanged" : "to be done");
    if (!status && call->report)
        say_counts(jobs, seconds, given->dry_run);
    if (!status && call->json) {
        cli_json json = {0};
        cli_results_open(&json, call);
        counts_json(&json, jobs, seconds);
        status = cli_results_write(&json, call, verdict, reason, err);
    }
    return status;
}

/* For --depfile: the output of every job, and what the line of the manifest says that it was made from. */
static mplan_status name_files(const cli_call *call, const cli_batch_jobs *jobs, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t j = 0; j < jobs->n && !status; j++) {
        const cli_batch_job *job = &jobs->job[j];
        const char *input = NULL;
        cli_flat line;
        if (!job->line)
            continue;
        if (!cli_flat_read(job->line, strlen(job->line), &line))
            return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
        status = cli_files_output(call->files, job->output, err);
        for (int i = 0; !status && (i == 0 || input); i++) {
            char path[64];
            snprintf(path, sizeof path, "inputs.%d.path", i);
            input = cli_flat_text(&line, path);
            status = cli_files_input(call->files, input, err);
        }
        cli_flat_free(&line);
    }
    return status;
}

/* words: lists, jobs and meshes. What is wrong with the call is said before any job begins, and
 * then nothing is shown. Once a job has begun, the end of the batch is shown whether or not jobs
 * failed; why they failed goes before a failure to show it. */
static mplan_status run_batch(const cli_call *call, mplan_error *err)
{
    const cli_batch_options *given = call->options;
    cli_batch_jobs jobs = {0};
    mplan_error lost;
    mplan_status status = cli_batch_check_columns(&given->columns, err);
    if (!status && given->columns.n && !given->csv)
        status = cli_fail(err, MPLAN_ERR_ARGUMENT, "batch: --columns belongs to --csv");
    if (!status)
        status = cli_batch_collect(call, &jobs, err);
    if (!status)
        status = cli_files_output(call->files, jobs.manifest, err);
    if (!status)
        status = cli_files_output(call->files, given->csv, err);
    if (!status) {
        int32_t waiting = jobs.n;
        status = given->dry_run ? cli_batch_look(call, &jobs, err) : cli_batch_run(call, &jobs, err);
        for (int32_t i = 0; i < jobs.n; i++)
            waiting -= jobs.job[i].state != CLI_BATCH_WAITING;
        bool begun = !status || waiting < jobs.n;
        if (!status && call->files->listed && !given->dry_run)
            status = name_files(call, &jobs, err);
        mplan_status showed = begun ? show(call, &jobs, status, err, &lost) : MPLAN_OK;
        if (!status && showed)
            *err = lost;
        status = status ? status : showed;
    }
    cli_batch_free(&jobs);
    return status;
}

const cli_command cli_command_batch = {
    .name = "batch",
    .arguments = "LIST.yaml | JOB.yaml | MESH ... [OPTION]...",
    .summary = "make plans for many meshes and jobs",
    .details =
        "Makes a plan for each job of a list, each mesh and each job file, in a process of its own for each: "
        "wing.msh gives wing.mplan beside it. A job whose output was made by the same request from the same "
        "inputs is not done again, so that a batch that was killed goes on where it was. Options of 'meshplan plan' "
        "hold for every job. A line of JSON for each job is added to the manifest.",
    .options = options,
    .also = cli_plan_rows,
    .planning = &cli_plan_planning,
    .options_size = sizeof(cli_batch_options),
    .least_words = 1,
    .most_words = INT32_MAX,
    .has_json = true,
    .inputs = INT32_MAX,
    .run = run_batch,
};
