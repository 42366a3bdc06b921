/* SPDX-License-Identifier: Apache-2.0 */
/* batch_jobs.c - what `batch` has to do: jobs of lists and files, their outputs and options
 *
 * All that can be refused is refused here, before anything is planned. */
#include "cli/batch_jobs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/mesh_source.h"

/* The call must be one of `batch`. */
static const cli_batch_options *given_of(const cli_call *call)
{
    return call->options;
}

static mplan_status no_memory(mplan_error *err)
{
    return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
}

/* Words of the manifest, by state: added to, never renamed. */
const char *cli_batch_word(cli_batch_state state)
{
    static const char *const words[] = {"not started", "running", "planned",    "found",
                                        "unchanged",   "failed",  "interrupted"};
    return words[state];
}

/* --- outputs ------------------------------------------------------------------------ */

/* Length of the name without what tells its format: "wing.msh.gz" is wing, "case/" case. */
static size_t stem_length(const char *name, size_t length)
{
    static const char *const packed[] = {".gz", ".xz", ".bz2"};
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        size_t n = strlen(packed[i]);
        if (length > n && !strncmp(name + length - n, packed[i], n))
            length -= n;
    }
    for (size_t i = length; i > 1; i--)
        if (name[i - 1] == '.')
            return i - 1;
    return length;
}

/* FOLDER/STEM.mplan, where FOLDER is that of the input if none is given; STEM.mplans for a bundle. */
static char *beside(const char *input, const char *folder, bool bundle)
{
    const char *ending = bundle ? "mplans" : "mplan";
    size_t length = strlen(input);
    while (length > 1 && input[length - 1] == '/')
        length--;
    size_t start = length;
    while (start > 0 && input[start - 1] != '/')
        start--;
    size_t stem = stem_length(input + start, length - start);
    size_t room = (folder ? strlen(folder) : start) + stem + 16;
    char *path = malloc(room);
    if (path && folder)
        snprintf(path, room, "%s/%.*s.%s", folder, (int)stem, input + start, ending);
    else if (path)
        snprintf(path, room, "%.*s%.*s.%s", (int)start, input, (int)stem, input + start, ending);
    return path;
}

/* Where the plan or bundle goes that the list or -o does not name: where a job file says, else beside the input. What
 * cannot be read of a job its worker says. job->plan has the job's options. */
static mplan_status choose_output(const char *folder, cli_batch_job *job, mplan_error *err)
{
    mplan_job *read = NULL;
    if (job->output)
        return MPLAN_OK;
    if (cli_is_job(job->input) && mplan_job_read(job->input, NULL, &read, NULL))
        read = NULL;
    job->output = read && read->output
                      ? strdup(read->output)
                      : beside(job->input, folder, job->plan.parts || (read && read->parts));
    mplan_job_free(read);
    return job->output ? MPLAN_OK : no_memory(err);
}

/* What `name` is in a folder with that real path; both are the caller's. NULL: no memory. */
static char *inside(const char *folder, const char *name)
{
    const char *up = strcmp(name, "..") == 0 ? strrchr(folder, '/') : NULL;
    if (strcmp(name, ".") == 0)
        return strdup(folder);
    if (up)
        return strndup(folder, up > folder ? (size_t)(up - folder) : 1);
    const size_t room = strlen(folder) + strlen(name) + 2;
    char *place = malloc(room);
    if (place)
        snprintf(place, room, "%s/%s", strcmp(folder, "/") ? folder : "", name);
    return place;
}

/* A file by where it lies, whatever leads there; one that is not there by the place of its folder, which may not be there
 * either, and its name. The caller's; NULL: no memory.
 * No buffer is on the stack, as a path may have PATH_MAX / 2 folders in one another. */
static char *place_of(const char *path)
{
    char *real = realpath(path, NULL);
    size_t length = strlen(path);
    if (real || length >= PATH_MAX)
        return real ? real : strdup(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    size_t start = length;
    while (start > 0 && path[start - 1] != '/')
        start--;
    if (start == length || strcmp(path, ".") == 0)
        return strdup(path); /* the current folder is gone */
    char *name = strndup(path + start, length - start), *above = strndup(path, start);
    char *folder = name && above ? place_of(start > 0 ? above : ".") : NULL;
    char *place = folder ? inside(folder, name) : NULL;
    free(name);
    free(above);
    free(folder);
    return place;
}

/* A file that a job reads or writes. place: its folder's real path and its name, so that two ways to name one file are
 * equal. */
typedef struct named_place {
    char *place;
    const char *path;
    bool output, of_job;
} named_place;

/* Equal places follow one another, inputs before outputs. */
static int by_place(const void *a, const void *b)
{
    const named_place *x = a, *y = b;
    int order = strcmp(x->place, y->place);
    return order ? order : (int)x->output - (int)y->output;
}

/* a and b name one place, and b is an output. folder: of -o, which is not advised where it was given. */
static mplan_status refuse_equal(const named_place *a, const named_place *b, const char *folder,
                                 mplan_error *err)
{
    if (a->output && a->of_job && b->of_job)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "batch: two jobs cannot both write %s; name outputs in a list%s", b->path,
                        folder ? "" : ", or give -o DIR");
    if (a->output)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "batch: two outputs cannot both go to %s", b->path);
    return cli_fail(err, MPLAN_ERR_ARGUMENT, "batch: %s would replace an input of the batch",
                    b->path);
}

/* Inputs and outputs of jobs, what was named on the command line, and what is written besides. path: NULL
 * where there is none. */
static named_place place_at(const cli_call *call, const cli_batch_jobs *jobs, int64_t i)
{
    const cli_batch_options *given = call->options;
    const char *const others[] = {jobs->manifest, given->csv};
    if (i < jobs->n)
        return (named_place){NULL, jobs->job[i].input, false, true};
    i -= jobs->n;
    if (i < jobs->n)
        return (named_place){NULL, jobs->job[i].output, true, true};
    i -= jobs->n;
    if (i < call->n_words)
        return (named_place){NULL, call->words[i], false, false};
    i -= call->n_words;
    const char *path = NULL;
    if (i < 2)
        path = others[i];
    else if (call->files->item[i - 2].output) /* --json, --depfile */
        path = call->files->item[i - 2].path;
    return (named_place){NULL, path && strcmp(path, "-") != 0 ? path : NULL, true, false};
}

/* No output is another one, or an input. */
static mplan_status check_places(const cli_call *call, const cli_batch_jobs *jobs, mplan_error *err)
{
    const cli_batch_options *given = call->options;
    int64_t most = 2 * (int64_t)jobs->n + call->n_words + 2 + call->files->n;
    size_t n = 0;
    named_place *list = calloc((size_t)most, sizeof *list);
    mplan_status status = list ? MPLAN_OK : no_memory(err);
    for (int64_t i = 0; i < most && !status; i++) {
        named_place place = place_at(call, jobs, i);
        const char *last = n ? list[n - 1].path : NULL;
        if (!place.path || place.path == last)
            continue;
        list[n] = place;
        list[n].place = place_of(place.path);
        status = list[n++].place ? MPLAN_OK : no_memory(err);
    }
    if (!status)
        qsort(list, n, sizeof *list, by_place);
    for (size_t i = 1; i < n && !status; i++)
        if (list[i].output && !strcmp(list[i - 1].place, list[i].place))
            status = refuse_equal(&list[i - 1], &list[i], given->folder, err);
    call->files->refused = call->files->refused || status == MPLAN_ERR_ARGUMENT;
    for (size_t i = 0; i < n && list; i++)
        free(list[i].place);
    free(list);
    return status;
}

/* --- jobs --------------------------------------------------------------------------- */

/* Strings are copied; output and name may be NULL (choose_output). Room for jobs doubles: jobs->n is one less than a power of two when
 * it is used up. */
static mplan_status add_job(cli_batch_jobs *jobs, const char *input, const char *output,
                            const char *name, mplan_error *err)
{
    if (!strcmp(input, "-") || (output && !strcmp(output, "-")))
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "batch: standard input and output cannot be those of a job");
    if ((jobs->n & (jobs->n + 1)) == 0) { /* 0, 1, 3, 7, ... */
        cli_batch_job *grown = realloc(jobs->job, (2 * (size_t)jobs->n + 1) * sizeof *grown);
        if (!grown)
            return no_memory(err);
        jobs->job = grown;
    }
    cli_batch_job *job = &jobs->job[jobs->n];
    *job = (cli_batch_job){.index = jobs->n, .exit_code = -1};
    jobs->n++;
    job->input = strdup(input);
    job->name = strdup(name ? name : input);
    job->output = output ? strdup(output) : NULL;
    return job->input && job->name && (job->output || !output) ? MPLAN_OK : no_memory(err);
}

/* "--name=value" for each value; one word for a list. A flag has true or false. */
static bool add_words(cli_texts *words, const cli_option *rows, const mplan_batch_option *option)
{
    const cli_option *row = rows;
    while (row->name && strcmp(row->name, option->name) != 0)
        row++;
    bool flag = row->name && !row->argument, joined = row->name && row->kind != CLI_MANY;
    if (flag && option->n_values == 1 && !strcmp(option->values[0], "false"))
        return true;
    if (flag && option->n_values == 1 && !strcmp(option->values[0], "true"))
        return cli_texts_add(words, "--%s", option->name);
    bool whole = true;
    for (int32_t i = 0; i < option->n_values && whole; i++) {
        if (i == 0 || !joined) {
            whole = cli_texts_add(words, "--%s=%s", option->name, option->values[i]);
            continue;
        }
        char *last = words->item[words->n - 1];
        whole = cli_texts_add(words, "%s,%s", last, option->values[i]);
        if (whole) {
            words->item[words->n - 2] = words->item[words->n - 1];
            words->n--;
            free(last);
        }
    }
    return whole;
}

/* Options of the list, then those of the job, then the command line's: the last one counts. */
static mplan_status set_options(const cli_call *call, cli_batch_job *job, const mplan_batch *batch,
                                const mplan_batch_job *listed, const char *place, mplan_error *err)
{
    cli_option rows[CLI_MAX_OPTIONS + 1];
    cli_command_rows(&cli_command_plan, rows);
    bool whole = true;
    for (int32_t i = 0; batch && i < batch->n_options && whole; i++)
        whole = add_words(&job->words, rows, &batch->options[i]);
    for (int32_t i = 0; listed && i < listed->n_options && whole; i++)
        whole = add_words(&job->words, rows, &listed->options[i]);
    if (!whole || !cli_options_words(rows, &given_of(call)->plan, &job->words))
        return no_memory(err);
    cli_parser parser = {.set = {{rows, &job->plan}}, .n_sets = 1};
    const char **words = calloc((size_t)job->words.n + 1, sizeof *words);
    int32_t n_words = 0, used;
    mplan_error inner = {MPLAN_OK, ""};
    mplan_status status = words ? cli_parse(&parser, job->words.n, job->words.item, words, &n_words,
                                            &used, &inner)
                                : no_memory(&inner);
    free(words);
    if (!status && job->plan.part.given)
        status = cli_fail(&inner, MPLAN_ERR_ARGUMENT,
                          "a batch makes bundles of all parts; plan --part in a job array makes one part "
                          "in each task");
    if (status)
        return cli_fail(err, status, "%s%.*s", place, (int)sizeof inner.text - 300, inner.text);
    status = choose_output(given_of(call)->folder, job, err);
    if (!status && !cli_texts_add(&job->words, "--output=%s", job->output))
        status = no_memory(err);
    return status;
}

/* Jobs of a list that was read; errors of a job name the list and its line. */
static mplan_status add_list(const cli_call *call, cli_batch_jobs *jobs, const char *path,
                             const mplan_batch *batch, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    char place[256];
    for (int32_t i = 0; i < batch->n_jobs && !status; i++) {
        const mplan_batch_job *listed = &batch->jobs[i];
        snprintf(place, sizeof place, "%.200s:%lld: ", path, (long long)listed->line);
        status = add_job(jobs, listed->input, listed->output, listed->name, err);
        if (!status)
            status = set_options(call, &jobs->job[jobs->n - 1], batch, listed, place, err);
    }
    return status;
}

/* A list, or a job of its own. *list: it was one. */
static mplan_status add_word(const cli_call *call, cli_batch_jobs *jobs, const char *path,
                             bool *list, mplan_error *err)
{
    mplan_batch *batch = NULL;
    mplan_status status = MPLAN_ERR_FORMAT;
    *list = false;
    if (cli_is_job(path)) {
        status = mplan_batch_read(path, call->context, &batch, err);
        *list = !status;
        if (!status)
            status = add_list(call, jobs, path, batch, err);
        else if (status == MPLAN_ERR_NO_INPUT || status == MPLAN_ERR_UNSUPPORTED)
            status = MPLAN_ERR_FORMAT; /* said of the job */
        mplan_batch_free(batch);
    }
    if (status != MPLAN_ERR_FORMAT)
        return status;
    status = add_job(jobs, path, NULL, NULL, err);
    return !status ? set_options(call, &jobs->job[jobs->n - 1], NULL, NULL, "batch: ", err) : status;
}

/* --- shares ------------------------------------------------------------------------- */

/* "I/N" with 0 <= I < N. */
static mplan_status read_share(const char *text, int32_t *i, int32_t *n, mplan_error *err)
{
    int end = 0;
    long mine = 0, all = 1;
    if (text && (sscanf(text, "%9ld/%9ld%n", &mine, &all, &end) != 2 || text[end] || mine < 0 ||
                 mine >= all))
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "batch: --array must be I/N with I from 0 to N - 1, not '%s'", text);
    *i = (int32_t)mine;
    *n = (int32_t)all;
    return MPLAN_OK;
}

/* Options of a job are parsed by the table of `plan`, which knows how to release them. */
static void free_job(cli_batch_job *job)
{
    cli_option rows[CLI_MAX_OPTIONS + 1];
    cli_command_rows(&cli_command_plan, rows);
    cli_option_set set = {rows, &job->plan};
    cli_options_free(&set);
    cli_texts_free(&job->words);
    free(job->name);
    free(job->input);
    free(job->output);
    free(job->line);
}

/* Of an array of n tasks, task i keeps every n-th job: neighbours in a list, which are often alike in size, go to
 * different tasks. */
static void keep_share(cli_batch_jobs *jobs, int32_t i, int32_t n)
{
    int32_t kept = 0;
    for (int32_t j = 0; j < jobs->n; j++) {
        if (j % n == i)
            jobs->job[kept++] = jobs->job[j];
        else
            free_job(&jobs->job[j]);
    }
    jobs->n = kept;
}

/* As given, else LIST.batch.jsonl beside the list, or batch.jsonl where outputs go; a share has its own, since network
 * file systems do not append whole lines for several machines. */
static char *manifest_path(const cli_batch_options *given, const char *list)
{
    char share[64] = "", path[PATH_MAX];
    if (given->manifest)
        return strdup(given->manifest);
    if (given->array)
        snprintf(share, sizeof share, ".%.60s", given->array);
    for (char *at = share; *at; at++)
        if (*at == '/')
            *at = '-';
    size_t stem = list ? stem_length(list, strlen(list)) : 0;
    if (list)
        snprintf(path, sizeof path, "%.*s.batch%s.jsonl", (int)stem, list, share);
    else
        snprintf(path, sizeof path, "%s%sbatch%s.jsonl", given->folder ? given->folder : "",
                 given->folder ? "/" : "", share);
    return strdup(path);
}

/* Outputs are unique, so the order is complete. */
static int by_output(const void *a, const void *b)
{
    return strcmp((*(cli_batch_job *const *)a)->output, (*(cli_batch_job *const *)b)->output);
}

/* Pointers into jobs->job, which does not grow any more, for cli_batch_find. */
static mplan_status sort_jobs(cli_batch_jobs *jobs, mplan_error *err)
{
    jobs->by_output = calloc((size_t)jobs->n + 1, sizeof(cli_batch_job *));
    if (!jobs->by_output)
        return no_memory(err);
    for (int32_t i = 0; i < jobs->n; i++)
        jobs->by_output[i] = &jobs->job[i];
    qsort(jobs->by_output, (size_t)jobs->n, sizeof(cli_batch_job *), by_output);
    return MPLAN_OK;
}

/* The folder of all outputs, which other tasks of an array make at the same time: so nobody removes it. */
static mplan_status make_folder(const char *path, mplan_error *err)
{
    struct stat about;
    if (mkdir(path, 0777) == 0)
        return MPLAN_OK;
    if (errno != EEXIST)
        return cli_fail(err, MPLAN_ERR_CREATE, "%s: %s", path, strerror(errno));
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode)
               ? MPLAN_OK
               : cli_fail(err, MPLAN_ERR_CREATE, "%s: exists and is not a folder", path);
}

/* Words and lists of the call, in their order; then names of outputs, what they may not replace, and the share of this
 * task. */
static mplan_status collect(const cli_call *call, cli_batch_jobs *jobs, mplan_error *err)
{
    const cli_batch_options *given = call->options;
    const char *first = NULL; /* list */
    int32_t mine = 0, all = 1;
    mplan_status status = read_share(given->array, &mine, &all, err);
    for (int32_t i = 0; i < call->n_words && !status; i++) {
        bool list = false;
        status = add_word(call, jobs, call->words[i], &list, err);
        if (list && !first)
            first = call->words[i];
    }
    if (status)
        return status;
    jobs->manifest = manifest_path(given, first);
    status = jobs->manifest ? check_places(call, jobs, err) : no_memory(err);
    if (!status) {
        keep_share(jobs, mine, all);
        status = sort_jobs(jobs, err);
    }
    for (int32_t i = 0; i < jobs->n && !status; i++) {
        struct stat about;
        if (stat(jobs->job[i].input, &about) == 0 && S_ISREG(about.st_mode))
            jobs->job[i].bytes = (int64_t)about.st_size;
    }
    return status;
}

/* Nothing is planned yet, and no folder is made where something is refused. *jobs is the caller's, also after a failure. */
mplan_status cli_batch_collect(const cli_call *call, cli_batch_jobs *jobs, mplan_error *err)
{
    const cli_batch_options *given = call->options;
    mplan_status status = collect(call, jobs, err);
    if (!status && given->folder && !given->dry_run)
        status = make_folder(given->folder, err);
    return status;
}

/* Of bsearch: key is the path, member an entry of by_output. */
static int compare_output(const void *key, const void *member)
{
    return strcmp(key, (*(cli_batch_job *const *)member)->output);
}

cli_batch_job *cli_batch_find(const cli_batch_jobs *jobs, const char *output)
{
    cli_batch_job **found = bsearch(output, jobs->by_output, (size_t)jobs->n, sizeof *found,
                                    compare_output);
    return found ? *found : NULL;
}

/* Also of jobs that were collected in part. */
void cli_batch_free(cli_batch_jobs *jobs)
{
    for (int32_t i = 0; i < jobs->n; i++)
        free_job(&jobs->job[i]);
    free(jobs->job);
    free(jobs->by_output);
    free(jobs->manifest);
    *jobs = (cli_batch_jobs){0};
}
