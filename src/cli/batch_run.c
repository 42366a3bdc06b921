/* SPDX-License-Identifier: Apache-2.0 */
/* batch_run.c - does the jobs of `batch`
 *
 * What is done is told by outputs and the records beside them (cache.h), never by the manifest, so that a batch may be
 * killed anywhere: the next one looks at each output, which costs no process where it is unchanged. Two batches of one
 * manifest divide the jobs. */
#include "cli/batch_run.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/batch_lines.h"
#include "cli/batch_manifest.h"
#include "cli/memory_room.h"
#include "cli/message.h"
#include "cli/signals.h"

#define GRACE_SECONDS 0.6 /* for workers to clean up after a signal */
enum { LEAST_MEMORY = 64 << 20, MOST_WORKERS = 4096 };

/* A process that works on a job. */
typedef struct slot {
    cli_worker worker;
    cli_batch_job *job; /* NULL: the slot is free */
    bool info;          /* it reads a plan that was there, for its figures */
    int64_t started;
} slot;

typedef struct batch_run {
    const cli_call *call;
    const cli_batch_options *given;
    cli_batch_jobs *jobs;
    cli_manifest manifest;
    mplan_cache *cache; /* which tells what is unchanged */
    slot *slots;
    int32_t n_slots, threads, running, finished;
    int64_t memory; /* for all workers together; below 0: not known */
    bool hard;      /* it is a limit, which --max-memory gave */
    bool waiting;   /* some jobs are to be started, or may be after others */
    bool failed, stopping, killed;
    double stopped_at;
} batch_run;

/* --- looking ------------------------------------------------------------------------ */

/* A job is done when its output is there, was made by this request, and its inputs are what they were. */
static mplan_status is_done(const batch_run *run, const cli_batch_job *job, bool *done,
                            mplan_error *err)
{
    bool only = cli_plan_only_path(&job->plan, job->input);
    cli_call call = *run->call;
    const char *words[] = {job->input};
    call.command = &cli_command_plan;
    call.options = &job->plan;
    call.n_words = 1;
    call.words = words;
    *done = false;
    if (job->plan.cache.check)
        return MPLAN_OK;
    mplan_status status = cli_cache_ask(run->cache, &call, job->input, only, err);
    return !status ? mplan_cache_is_unchanged(run->cache, job->output, done, err) : status;
}

/* Keeps a line with its job: the last one, but a failure does not hide that the output was made. */
static void take_line(void *user, const char *text, size_t length)
{
    const cli_batch_jobs *jobs = user;
    cli_flat flat;
    if (!cli_flat_read(text, length, &flat))
        return;
    const char *output = cli_flat_text(&flat, "output");
    cli_batch_job *job = output ? cli_batch_find(jobs, output) : NULL;
    bool good = cli_flat_number(&flat, "exit_code", -1) == 0;
    char *copy = job && good ? strndup(text, length) : NULL;
    if (copy) {
        free(job->line);
        job->line = copy;
        job->done = true;
        double peak = cli_flat_number(&flat, "peak_rss_bytes", 0);
        job->peak_bytes = peak > 0 ? (int64_t)peak : job->peak_bytes;
    }
    cli_flat_free(&flat);
}

/* Whether the line tells of the plan that is there. */
static bool is_of_plan(const batch_run *run, const cli_batch_job *job)
{
    char content[MPLAN_CACHE_CONTENT], text[MPLAN_CACHE_CONTENT + 24];
    mplan_cache_plan_content(run->cache, true, content);
    snprintf(text, sizeof text, "\"content\": \"%s\"", content);
    return job->done && job->line && strstr(job->line, text);
}

/* --- lines -------------------------------------------------------------------------- */

/* Text that a worker printed of a failure: of its JSON, else its last line. */
static void find_reason(const cli_worker *worker, char *text, size_t size)
{
    cli_flat flat = {0};
    const char *said = NULL;
    if (worker->out.text && cli_flat_read(worker->out.text, worker->out.length, &flat))
        said = cli_flat_text(&flat, "error.message");
    if (said) {
        snprintf(text, size, "%s", said);
    } else if (worker->exit_code < 0) {
        snprintf(text, size, "ended by signal %d", worker->signal);
    } else {
        const char *at = worker->err.text ? worker->err.text : "";
        size_t length = strlen(at);
        while (length > 0 && at[length - 1] == '\n')
            length--;
        size_t start = length;
        while (start > 0 && at[start - 1] != '\n')
            start--;
        if (!strncmp(at + start, "meshplan: ", 10) && length - start > 10)
            start += 10;
        snprintf(text, size, "%.*s", (int)(length - start), at + start);
    }
    if (flat.room)
        cli_flat_free(&flat);
}

/* Warnings of a worker, behind the name of the job. */
static void say_warnings(const batch_run *run, const slot *of)
{
    static const char head[] = "meshplan: warning: ";
    char text[MPLAN_ERROR_TEXT];
    for (const char *at = of->worker.err.text; at && *at;) {
        size_t length = strcspn(at, "\n");
        if (!strncmp(at, head, sizeof head - 1)) {
            snprintf(text, sizeof text, "%.300s: %.*s", of->job->name,
                     (int)(length - sizeof head + 1), at + sizeof head - 1);
            cli_warning(run->call->context->user, text);
        }
        at += length + (at[length] == '\n');
    }
}

/* Ends a job: its line, and what is said. A line that cannot be written ends the batch: nobody would know. */
static mplan_status end_job(batch_run *run, cli_batch_job *job, cli_batch_state state,
                            int exit_code, const cli_batch_end *end, mplan_error *err)
{
    char text[MPLAN_ERROR_TEXT];
    cli_listener *listener = run->call->context->user;
    job->state = state;
    job->exit_code = exit_code;
    run->finished++;
    char *line = cli_batch_line(job, end);
    mplan_status status = line ? cli_manifest_append(&run->manifest, line, strlen(line), err)
                               : cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    if (line)
        line[strlen(line) - 1] = '\0'; /* the line feed */
    free(job->line);
    job->line = line;
    job->done = exit_code == 0;
    cli_manifest_release(&run->manifest, job->output);
    if (end->error) {
        run->failed = true;
        snprintf(text, sizeof text, "%.300s: %s (exit code %d): %.*s", job->name,
                 cli_batch_word(state), exit_code, (int)sizeof text - 400, end->error);
        cli_say(listener, text);
    } else if (run->call->verbose) {
        snprintf(text, sizeof text, "%.300s: %s, %.2f s", job->name, cli_batch_word(state),
                 end->worker ? end->worker->seconds : 0);
        cli_notice(listener, text);
    }
    return status;
}

/* --- starting ----------------------------------------------------------------------- */

/* Bytes that a job is expected to take: what it took before, else by its input. */
static int64_t memory_of(const batch_run *run, const cli_batch_job *job)
{
    size_t length = strlen(job->input);
    bool packed = length > 3 && !strcmp(job->input + length - 3, ".gz");
    int64_t need = job->peak_bytes > 0 ? job->peak_bytes + job->peak_bytes / 6
                                       : job->bytes * (packed ? 60 : 12);
    need += LEAST_MEMORY;
    return run->memory > 0 && (job->alone || need > run->memory) ? run->memory : need;
}

/* The first worker may always start, whatever it needs; a job that lacked memory before waits until it is the only one. */
static bool has_room(const batch_run *run, const cli_batch_job *job)
{
    int64_t used = 0;
    for (int32_t i = 0; i < run->n_slots; i++)
        if (run->slots[i].job)
            used += run->slots[i].worker.memory;
    return run->running == 0 || run->memory < 0 ||
           (!job->alone && used + memory_of(run, job) <= run->memory);
}

/* NULL: all workers are busy. */
static slot *free_slot(const batch_run *run)
{
    for (int32_t i = 0; i < run->n_slots; i++)
        if (!run->slots[i].job)
            return &run->slots[i];
    return NULL;
}

/* Words of the worker: `plan` of the job, or `info` of the plan that is there. */
static bool worker_words(const batch_run *run, const cli_batch_job *job, bool info, cli_texts *words)
{
    const mplan_context *context = run->call->context;
    bool whole = cli_texts_add(words, "meshplan") && cli_texts_add(words, info ? "info" : "plan");
    for (int32_t i = 0; i < job->words.n && whole && !info; i++)
        whole = cli_texts_add(words, "%s", job->words.item[i]);
    if (!info)
        whole = whole && cli_texts_add(words, "--if-changed");
    whole = whole && cli_texts_add(words, "--json=-") && cli_texts_add(words, "--progress=never") &&
            cli_texts_add(words, "--threads=%d", (int)run->threads);
    if (run->hard)
        whole = whole && cli_texts_add(words, "--max-memory=%lld", (long long)memory_of(run, job));
    if (context->read_timeout > 0)
        whole = whole && cli_texts_add(words, "--read-timeout=%d", (int)context->read_timeout);
    if (context->max_inflate > 0)
        whole = whole && cli_texts_add(words, "--max-inflate=%lld", (long long)context->max_inflate);
    return whole && cli_texts_add(words, "--") &&
           cli_texts_add(words, "%s", info ? job->output : job->input);
}

/* info: the worker only looks (info of the plan that is there), it does not plan. */
static mplan_status start_worker(batch_run *run, slot *of, cli_batch_job *job, bool info,
                                 mplan_error *err)
{
    cli_texts words = {0};
    bool whole = worker_words(run, job, info, &words);
    char **list = whole ? realloc(words.item, ((size_t)words.n + 1) * sizeof *list) : NULL;
    mplan_status status = list ? MPLAN_OK : cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    if (list) {
        words.item = list;
        list[words.n] = NULL;
        of->started = (int64_t)time(NULL);
        status = cli_worker_start(&of->worker, list, err);
    }
    if (!status) {
        of->worker.memory = memory_of(run, job);
        of->job = job;
        of->info = info;
        job->state = CLI_BATCH_RUNNING;
        run->running++;
    }
    cli_texts_free(&words);
    return status;
}

/* A job that is done: nothing is left to do where its line is there; else a line with the figures of an earlier one, or
 * of the plan itself. */
static mplan_status leave_job(batch_run *run, cli_batch_job *job, mplan_error *err)
{
    cli_batch_end end = {.started = (int64_t)time(NULL), .inputs = run->cache};
    if (!is_of_plan(run, job))
        return start_worker(run, free_slot(run), job, true, err);
    if (run->given->resume) {
        cli_manifest_release(&run->manifest, job->output);
        job->state = CLI_BATCH_UNCHANGED;
        job->exit_code = 0;
        run->finished++;
        return MPLAN_OK;
    }
    char *earlier = job->line;
    job->line = NULL; /* the new one is made from it */
    end.result = cli_batch_result(earlier, &end.length);
    mplan_status status = end_job(run, job, CLI_BATCH_UNCHANGED, 0, &end, err);
    free(earlier);
    return status;
}

/* *started: false where another batch does the job, or there is no memory for it now. */
static mplan_status start_job(batch_run *run, cli_batch_job *job, bool *started, mplan_error *err)
{
    bool done = false;
    *started = has_room(run, job) && cli_manifest_claim(&run->manifest, job->output);
    if (!*started)
        return MPLAN_OK;
    mplan_status status = cli_manifest_read(&run->manifest, take_line, run->jobs, err);
    if (!status)
        status = is_done(run, job, &done, err);
    if (!status)
        status = done ? leave_job(run, job, err) : start_worker(run, free_slot(run), job, false, err);
    return status;
}

/* Progress of the jobs as a whole; workers show none. */
static void tell_progress(const batch_run *run)
{
    cli_progress(run->call->context->user, "jobs", run->finished, run->jobs->n);
}

/* A job whose worker runs may have to wait again: see lacked_memory. */
static bool is_ended(const cli_batch_job *job)
{
    return job->state != CLI_BATCH_WAITING && job->state != CLI_BATCH_RUNNING;
}

/* Starts what can be started, in the order of the list, and says whether jobs are left. *first: jobs before it have
 * ended. */
static mplan_status start_jobs(batch_run *run, int32_t *first, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    run->waiting = false;
    if (run->stopping || (run->failed && !run->given->keep_going))
        return MPLAN_OK;
    while (*first < run->jobs->n && is_ended(&run->jobs->job[*first]))
        ++*first;
    for (int32_t i = *first; i < run->jobs->n && !status && !cli_stop_signal(); i++) {
        cli_batch_job *job = &run->jobs->job[i];
        bool started;
        if (job->state != CLI_BATCH_WAITING)
            continue;
        run->waiting = true;
        if (run->running == run->n_slots)
            return MPLAN_OK;
        status = start_job(run, job, &started, err);
        tell_progress(run);
        if (started && job->state == CLI_BATCH_FAILED && !run->given->keep_going)
            return status;
    }
    return status;
}

/* --- ending ------------------------------------------------------------------------- */

/* Another worker will do the job. */
static void wait_again(batch_run *run, cli_batch_job *job)
{
    job->state = CLI_BATCH_WAITING;
    run->waiting = true;
    cli_manifest_release(&run->manifest, job->output);
}

/* Whether a worker that failed may do better when it has all the memory for itself. */
static bool lacked_memory(const batch_run *run, const slot *of)
{
    bool killed = of->worker.exit_code < 0 && of->worker.signal == 9 && !run->killed;
    bool limited = of->worker.exit_code == 71 && run->hard && of->worker.memory < run->memory;
    return !of->job->alone && !run->stopping && (limited || (killed && run->running > 0));
}

/* A worker that ended by a signal has exit code 71 if it was killed, as the kernel does when memory is short, else 70.
 * One that lacked memory waits to be tried again by itself. */
static mplan_status end_failed(batch_run *run, slot *of, mplan_error *err)
{
    char text[MPLAN_ERROR_TEXT];
    const cli_worker *worker = &of->worker;
    cli_batch_end end = {.worker = worker, .error = text, .started = of->started};
    int code = worker->exit_code >= 0 ? worker->exit_code : worker->signal == 9 ? 71 : 70;
    if (lacked_memory(run, of)) {
        of->job->alone = true;
        wait_again(run, of->job);
        return MPLAN_OK;
    }
    if (run->stopping) { /* it says nothing of the job */
        of->job->state = CLI_BATCH_INTERRUPTED;
        of->job->exit_code = 75;
        return MPLAN_OK;
    }
    find_reason(worker, text, sizeof text);
    return end_job(run, of->job, code == 75 ? CLI_BATCH_INTERRUPTED : CLI_BATCH_FAILED, code, &end,
                   err);
}

/* Of a worker that has ended. The slot is free before anything else is started. */
static mplan_status end_worker(batch_run *run, slot *of, mplan_error *err)
{
    cli_batch_job *job = of->job;
    cli_worker *worker = &of->worker;
    cli_flat flat = {0};
    mplan_status status = MPLAN_OK;
    run->running--;
    say_warnings(run, of);
    if (worker->exit_code != 0) {
        status = end_failed(run, of, err);
    } else {
        bool read = worker->out.text && cli_flat_read(worker->out.text, worker->out.length, &flat);
        bool found = !of->info && cli_flat_text(&flat, "cache.found") &&
                     !strcmp(cli_flat_text(&flat, "cache.found"), "true");
        cli_batch_end end = {.worker = worker, .started = of->started};
        end.result = read ? worker->out.text : NULL;
        end.length = worker->out.length;
        while (read && end.length > 0 && end.result[end.length - 1] == '\n')
            end.length--;
        const bool made = cli_flat_find(&flat, "plan") || cli_flat_find(&flat, "file");
        if (!of->info && !made) { /* by somebody else meanwhile */
            wait_again(run, job);
        } else if (of->info) {
            bool done;
            status = is_done(run, job, &done, err); /* the cache tells of this job again */
            end.inputs = run->cache;
            if (!status)
                status = end_job(run, job, CLI_BATCH_UNCHANGED, 0, &end, err);
        } else {
            status = end_job(run, job, found ? CLI_BATCH_FOUND : CLI_BATCH_PLANNED, 0, &end, err);
        }
        if (read)
            cli_flat_free(&flat);
    }
    cli_worker_free(worker);
    of->job = NULL;
    tell_progress(run);
    return status;
}

/* After a signal workers are asked once, and ended when they take too long. */
static void stop_workers(batch_run *run)
{
    bool now = run->stopping && !run->killed && cli_seconds() - run->stopped_at > GRACE_SECONDS;
    if (run->stopping && !now)
        return;
    if (!run->stopping)
        run->stopped_at = cli_seconds();
    run->stopping = true;
    run->killed = now;
    for (int32_t i = 0; i < run->n_slots; i++)
        if (run->slots[i].job)
            cli_worker_stop(&run->slots[i].worker, now);
}

/* Waits until a worker says something or ends, a signal comes, or it is time to look again. */
static void wait_for_workers(const batch_run *run, struct pollfd *fds)
{
    nfds_t n = 0;
    for (int32_t i = 0; i < run->n_slots; i++) {
        const cli_worker *worker = &run->slots[i].worker;
        for (int k = 0; k < 2 && run->slots[i].job; k++) {
            int fd = k ? worker->err.fd : worker->out.fd;
            if (fd >= 0)
                fds[n++] = (struct pollfd){.fd = fd, .events = POLLIN};
        }
    }
    (void)poll(fds, n, run->stopping ? 20 : 100);
}

/* Reads what all workers have said so far, and ends those that are done. */
static mplan_status hear_workers(batch_run *run, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < run->n_slots; i++) {
        bool ended = false;
        mplan_error other;
        slot *of = &run->slots[i];
        if (of->job)
            cli_worker_read(&of->worker, &ended);
        if (ended) { /* the first failure is kept, and all others still end */
            mplan_status one = end_worker(run, of, status ? &other : err);
            status = status ? status : one;
        }
    }
    return status;
}

/* A failure here is one of the batch itself; workers are ended then, too. */
static mplan_status do_jobs(batch_run *run, struct pollfd *fds, mplan_error *err)
{
    int32_t first = 0;
    run->waiting = true;
    mplan_status status = MPLAN_OK;
    while (run->running > 0 || (run->waiting && !run->stopping && !status)) {
        mplan_error other;
        if (!status)
            status = start_jobs(run, &first, err);
        if (run->failed && !run->given->keep_going)
            run->waiting = false;
        if (cli_stop_signal() || status)
            stop_workers(run);
        if (run->running > 0 || (run->waiting && !run->stopping && !status))
            wait_for_workers(run, fds);
        mplan_status one = hear_workers(run, status ? &other : err);
        status = status ? status : one;
    }
    return status;
}

/* --- all of it ---------------------------------------------------------------------- */

/* What the exit code of a job means for the batch. */
static mplan_status status_of(int code)
{
    static const mplan_status known[] = {
        MPLAN_ERR_ARGUMENT, MPLAN_ERR_CORRUPT,     MPLAN_ERR_NO_INPUT,
        MPLAN_ERR_INTERNAL, MPLAN_ERR_MEMORY,      MPLAN_ERR_CREATE,
        MPLAN_ERR_IO,       MPLAN_ERR_INTERRUPTED, MPLAN_ERR_DISPROVED};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (cli_exit_code(known[i]) == code)
            return known[i];
    return MPLAN_ERR_INTERNAL;
}

/* The first failure in the order of the list decides, whichever came first. */
static mplan_status judge(const cli_batch_jobs *jobs, mplan_error *err)
{
    const cli_batch_job *first = NULL;
    int32_t failed = 0, left = 0;
    for (int32_t i = 0; i < jobs->n; i++) {
        const cli_batch_job *job = &jobs->job[i];
        bool bad = job->state == CLI_BATCH_FAILED || job->state == CLI_BATCH_INTERRUPTED;
        failed += bad;
        left += job->state == CLI_BATCH_WAITING;
        first = first || !bad ? first : job;
    }
    if (!first)
        return MPLAN_OK;
    return cli_fail(err, status_of(first->exit_code),
                    "batch: %d of %d jobs failed, %d were not started; the first is %.300s",
                    (int)failed, (int)jobs->n, (int)left, first->name);
}

/* --jobs, else one for each processor that --threads allows; never more than there are jobs. */
static int32_t n_workers(const cli_call *call, const cli_batch_jobs *jobs)
{
    const cli_batch_options *given = call->options;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (call->context->threads > 0 && call->context->threads < processors)
        processors = call->context->threads;
    int64_t n = given->jobs.given ? given->jobs.value : processors;
    n = n > jobs->n ? jobs->n : n;
    return n < 1 ? 1 : n > MOST_WORKERS ? MOST_WORKERS : (int32_t)n;
}

/* Slots, memory and threads for each, and the cache that is only asked. quiet: a context that tells nobody. */
static mplan_status open_run(const cli_call *call, cli_batch_jobs *jobs, const mplan_context *quiet,
                             batch_run *run, mplan_error *err)
{
    const cli_batch_options *given = call->options;
    const mplan_cache_options how = {given->plan.cache.strict, false};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int32_t all = call->context->threads > 0 ? call->context->threads
                                             : (int32_t)(processors > 0 ? processors : 1);
    *run = (batch_run){.call = call, .given = given, .jobs = jobs, .manifest.fd = -1};
    run->n_slots = n_workers(call, jobs);
    run->threads = all / run->n_slots > 1 ? all / run->n_slots : 1;
    run->hard = call->context->max_memory > 0;
    run->memory = run->hard ? call->context->max_memory : cli_memory_room();
    run->slots = calloc((size_t)run->n_slots, sizeof *run->slots);
    if (!run->slots)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    return mplan_cache_open(cli_cache_folder(&given->plan.cache), &how, quiet, &run->cache, err);
}

/* No worker is left then. */
static void close_run(batch_run *run)
{
    mplan_cache_close(run->cache);
    cli_manifest_close(&run->manifest);
    free(run->slots);
}

/* --dry-run: which jobs are done already; starts no worker and writes nothing. */
mplan_status cli_batch_look(const cli_call *call, cli_batch_jobs *jobs, mplan_error *err)
{
    batch_run run;
    mplan_context quiet = MPLAN_CONTEXT_INIT;
    mplan_status status = open_run(call, jobs, &quiet, &run, err);
    for (int32_t i = 0; i < jobs->n && !status; i++) {
        bool done;
        status = is_done(&run, &jobs->job[i], &done, err);
        if (!status && done)
            jobs->job[i].state = CLI_BATCH_UNCHANGED;
    }
    close_run(&run);
    return status;
}

/* Until every job has ended, a signal came, or, without --keep-going, one failed: then no other is started. Workers that
 * still run are told to stop after a signal, and are waited for in any case. */
mplan_status cli_batch_run(const cli_call *call, cli_batch_jobs *jobs, mplan_error *err)
{
    batch_run run;
    mplan_context quiet = MPLAN_CONTEXT_INIT;
    mplan_status status = open_run(call, jobs, &quiet, &run, err);
    struct pollfd *fds = !status ? calloc(2 * (size_t)run.n_slots, sizeof *fds) : NULL;
    if (!status && !fds)
        status = cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    if (!status)
        status = cli_manifest_open(&run.manifest, jobs->manifest, err);
    if (!status)
        status = cli_manifest_read(&run.manifest, take_line, jobs, err);
    if (!status)
        status = do_jobs(&run, fds, err);
    if (!status && cli_stop_signal())
        status = cli_fail(err, MPLAN_ERR_INTERRUPTED, "interrupted");
    if (!status)
        status = judge(jobs, err);
    free(fds);
    close_run(&run);
    return status;
}
