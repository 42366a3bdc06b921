/* SPDX-License-Identifier: Apache-2.0 */
/* batch_lines.c - what `batch` says of its jobs: lines of the manifest, CSV, the table at the end */
#include "cli/batch_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/output.h"

enum { MOST_ROWS = 60, NAME_ROOM = 256 };

/* --- lines -------------------------------------------------------------------------- */

/* Numbers and words stay what they were. */
static void value_json(cli_json *json, const char *key, const cli_flat_value *value)
{
    if (value->text)
        cli_json_text(json, key, value->value);
    else
        cli_json_raw(json, key, value->value, strlen(value->value));
}

/* The index of the primary loop. */
static int primary_loop(const cli_flat *flat)
{
    char path[64];
    for (int l = 0;; l++) {
        snprintf(path, sizeof path, "loops.%d.primary", l);
        const cli_flat_value *primary = cli_flat_find(flat, path);
        if (!primary)
            return 0;
        if (!strcmp(primary->value, "true"))
            return l;
    }
}

/* Members of the set with that name. */
static void elements_json(cli_json *json, const cli_flat *flat, const char *set)
{
    char path[64];
    const char *name;
    for (int s = 0; set; s++) {
        snprintf(path, sizeof path, "sets.%d.name", s);
        name = cli_flat_text(flat, path);
        if (!name)
            return;
        snprintf(path, sizeof path, "sets.%d.size", s);
        const cli_flat_value *size = cli_flat_find(flat, path);
        if (!strcmp(name, set) && size) {
            value_json(json, "elements", size);
            return;
        }
    }
}

/* Flat names: of the default variant of the primary loop, with "_" for what lies deeper. */
static void variant_json(cli_json *json, const cli_flat *flat, const char *prefix)
{
    size_t length = strlen(prefix);
    for (int32_t i = 0; i < flat->n; i++) {
        char name[NAME_ROOM];
        const cli_flat_value *value = &flat->item[i];
        if (strncmp(value->path, prefix, length) != 0 || strstr(value->path, "predictions_us.") ||
            (!value->text && !strcmp(value->value, "null")))
            continue;
        snprintf(name, sizeof name, "%s", value->path + length);
        for (char *at = name; *at; at++)
            if (*at == '.')
                *at = '_';
        value_json(json, name, value);
    }
}

/* Of a bundle: how many parts, and members of the set that was cut with their halos. */
static void bundle_json(cli_json *json, const cli_flat *flat)
{
    static const char *const keys[][2] = {{"size", "elements"},
                                          {"imbalance", "imbalance"},
                                          {"execute_halo", "execute_halo"},
                                          {"read_halo", "read_halo"}};
    char path[64];
    const cli_flat_value *parts = cli_flat_find(flat, "parts"), *value;
    if (!parts)
        return;
    value_json(json, "parts", parts);
    cli_json_text(json, "cut_by", cli_flat_text(flat, "cut_by"));
    for (int s = 0;; s++) {
        snprintf(path, sizeof path, "sets.%d.cut", s);
        if (!(value = cli_flat_find(flat, path)))
            return;
        for (size_t k = 0; !strcmp(value->value, "true") && k < sizeof keys / sizeof *keys; k++) {
            snprintf(path, sizeof path, "sets.%d.%s", s, keys[k][0]);
            const cli_flat_value *figure = cli_flat_find(flat, path);
            if (figure)
                value_json(json, keys[k][1], figure);
        }
    }
}

/* The figures that people compare. result: JSON of `plan` or `info`. */
static void figures_json(cli_json *json, const char *result, size_t length)
{
    cli_flat flat;
    char path[64], prefix[64];
    cli_json_open(json, "figures", '{');
    if (result && cli_flat_read(result, length, &flat)) {
        int loop = primary_loop(&flat);
        const cli_flat_value *bytes = cli_flat_find(&flat, "bytes");
        if (bytes)
            value_json(json, "plan_bytes", bytes);
        bundle_json(json, &flat);
        snprintf(path, sizeof path, "loops.%d.name", loop);
        const cli_flat_value *name = cli_flat_find(&flat, path);
        if (name)
            value_json(json, "loop", name);
        snprintf(path, sizeof path, "loops.%d.set", loop);
        elements_json(json, &flat, cli_flat_text(&flat, path));
        snprintf(path, sizeof path, "loops.%d.default", loop);
        snprintf(prefix, sizeof prefix, "loops.%d.variants.%d.", loop,
                 (int)cli_flat_whole(&flat, path, 0));
        variant_json(json, &flat, prefix);
        cli_flat_free(&flat);
    }
    cli_json_close(json, '}');
}

/* What was read: of the result, else of the record of a plan that was there. */
static void inputs_json(cli_json *json, const cli_batch_end *end)
{
    char path[64], content[MPLAN_CACHE_CONTENT];
    cli_flat flat = {0};
    mplan_cache_file file;
    bool read = !end->inputs && end->result && cli_flat_read(end->result, end->length, &flat);
    if (end->inputs)
        mplan_cache_plan_content(end->inputs, true, content);
    cli_json_text(json, "content", end->inputs ? content : cli_flat_text(&flat, "content"));
    cli_json_open(json, "inputs", '[');
    for (int i = 0;; i++) {
        static const char *const keys[] = {"path", "bytes", "content"};
        snprintf(path, sizeof path, "inputs.%d.path", i);
        if (end->inputs ? !mplan_cache_input_at(end->inputs, true, i, &file)
                        : !cli_flat_text(&flat, path))
            break;
        cli_json_open(json, NULL, '{');
        if (end->inputs) {
            cli_json_text(json, "path", file.path);
            cli_json_int(json, "bytes", file.bytes);
            cli_json_text(json, "content", file.content);
        }
        for (int k = 0; !end->inputs && k < 3; k++) {
            snprintf(path, sizeof path, "inputs.%d.%s", i, keys[k]);
            const cli_flat_value *value = cli_flat_find(&flat, path);
            if (value)
                value_json(json, keys[k], value);
        }
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    if (read)
        cli_flat_free(&flat);
}

/* Where the batch ran: times of manifests of several machines are not comparable without it. memory -1: not known. */
static void host_json(cli_json *json)
{
    char name[256] = "";
    (void)gethostname(name, sizeof name - 1);
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    cli_json_open(json, "host", '{');
    cli_json_text(json, "name", name);
    cli_json_int(json, "processors", sysconf(_SC_NPROCESSORS_ONLN));
    cli_json_int(json, "memory_bytes", pages > 0 && page > 0 ? (int64_t)pages * page : -1);
    cli_json_close(json, '}');
    cli_json_open(json, "versions", '[');
    char version[64];
    snprintf(version, sizeof version, "meshplan %s", mplan_version());
    cli_json_text(json, NULL, version);
    for (int32_t i = 0; mplan_library(i); i++)
        cli_json_text(json, NULL, mplan_library(i));
    cli_json_close(json, ']');
}

/* When it started (UTC), seconds of the wall and of CPU, peak memory; of the worker, not of the batch. */
static void costs_json(cli_json *json, const cli_batch_end *end)
{
    char text[32] = "";
    time_t started = (time_t)end->started;
    struct tm utc;
    if (gmtime_r(&started, &utc))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    cli_json_text(json, "started", text);
    const cli_worker *worker = end->worker;
    cli_json_real(json, "seconds", worker ? worker->seconds : 0);
    cli_json_real(json, "cpu_s", worker ? worker->cpu_seconds : 0);
    if (worker)
        cli_json_int(json, "peak_rss_bytes", worker->peak_bytes);
    else
        cli_json_null(json, "peak_rss_bytes");
}

/* "result" is the last key, so that it is found again without reading all of a line. */
char *cli_batch_line(const cli_batch_job *job, const cli_batch_end *end)
{
    cli_json json = {0}, line = {0};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "job", job->name);
    cli_json_int(&json, "index", job->index);
    cli_json_text(&json, "input", job->input);
    cli_json_text(&json, "output", job->output);
    cli_json_text(&json, "status", cli_batch_word(job->state));
    cli_json_int(&json, "exit_code", job->exit_code);
    cli_json_text(&json, "error", end->error);
    costs_json(&json, end);
    cli_json_open(&json, "options", '[');
    for (int32_t i = 0; i + 1 < job->words.n; i++) /* the last one is the output */
        cli_json_text(&json, NULL, job->words.item[i]);
    cli_json_close(&json, ']');
    inputs_json(&json, end);
    host_json(&json);
    figures_json(&json, end->error ? NULL : end->result, end->length);
    if (end->result)
        cli_json_raw(&json, "result", end->result, end->length);
    else
        cli_json_null(&json, "result");
    cli_json_close(&json, '}');
    cli_json_line(&line, &json);
    char *text = line.failed ? NULL : malloc(line.length + 2);
    if (text) {
        memcpy(text, line.text, line.length);
        memcpy(text + line.length, "\n", 2);
    }
    cli_json_free(&json);
    cli_json_free(&line);
    return text;
}

/* Texts hold no bare quotes, and no other key of a line before it has this name. */
const char *cli_batch_result(const char *line, size_t *length)
{
    static const char key[] = ", \"result\": {";
    const char *found = strstr(line, key);
    size_t size = strlen(line);
    while (size > 0 && line[size - 1] == '\n')
        size--;
    if (!found || size == 0)
        return NULL;
    found += sizeof key - 2;
    *length = (size_t)(line + size - 1 - found);
    return found;
}

/* --- columns ------------------------------------------------------------------------ */

/* The value that a column's name leads to: of the line, of its figures, of its result. */
static const char *value_of(const cli_flat *flat, const char *name)
{
    static const char *const roots[] = {"", "figures.", "result."};
    char path[NAME_ROOM + 16];
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        snprintf(path, sizeof path, "%s%.*s", roots[i], NAME_ROOM, name);
        if (cli_flat_find(flat, path))
            return cli_flat_text(flat, path);
    }
    return NULL;
}

/* Before anything is planned: a name is looked for in fixed room later. */
mplan_status cli_batch_check_columns(const cli_texts *columns, mplan_error *err)
{
    for (int32_t i = 0; i < columns->n; i++)
        if (strlen(columns->item[i]) >= NAME_ROOM)
            return cli_fail(err, MPLAN_ERR_ARGUMENT,
                            "batch: --columns: the name of a column is too long");
    return MPLAN_OK;
}

/* Quoted where it must be (RFC 4180). */
static void csv_cell(FILE *file, const char *value, bool first)
{
    if (!first)
        fputc(',', file);
    if (!value)
        return;
    if (!value[strcspn(value, ",\"\r\n")]) {
        fputs(value, file);
        return;
    }
    fputc('"', file);
    for (; *value; value++) {
        if (*value == '"')
            fputc('"', file);
        fputc(*value, file);
    }
    fputc('"', file);
}

/* A row for each job that has a line; values are those at the paths `names` of its JSON, empty where there is none. */
static void csv_rows(FILE *file, const cli_batch_jobs *jobs, int32_t n, const char *const *names)
{
    for (int32_t c = 0; c < n; c++)
        csv_cell(file, names[c], c == 0);
    fputc('\n', file);
    for (int32_t i = 0; i < jobs->n; i++) {
        cli_flat flat;
        const cli_batch_job *job = &jobs->job[i];
        if (!job->line || !cli_flat_read(job->line, strlen(job->line), &flat))
            continue;
        for (int32_t c = 0; c < n; c++)
            csv_cell(file,
                     !strcmp(names[c], "status") ? cli_batch_word(job->state)
                                                 : value_of(&flat, names[c]),
                     c == 0);
        fputc('\n', file);
        cli_flat_free(&flat);
    }
}

/* Columns of the call, else the usual ones. The text is made in memory and written like any output. */
mplan_status cli_batch_csv(const cli_call *call, const cli_batch_jobs *jobs, const char *path,
                           mplan_error *err)
{
    static const char *const usual[] = {"job",      "status",         "exit_code",   "seconds",
                                        "cpu_s",    "peak_rss_bytes", "plan_bytes",  "loop",
                                        "elements", "strategy",       "block_limit", "blocks",
                                        "fill",     "predicted_us",   "error"};
    const cli_texts *chosen = &((const cli_batch_options *)call->options)->columns;
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (!file)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    if (chosen->n)
        csv_rows(file, jobs, chosen->n, (const char *const *)chosen->item);
    else
        csv_rows(file, jobs, (int32_t)(sizeof usual / sizeof *usual), usual);
    bool failed = ferror(file);
    failed = fclose(file) != 0 || failed;
    mplan_status status = failed ? cli_fail(err, MPLAN_ERR_MEMORY, "out of memory")
                                 : mplan_file_write(path, text, length, call->context, err);
    free(text);
    return status;
}

/* --- the table ---------------------------------------------------------------------- */

/* The output is there and is the plan that the job asks for. */
static bool is_good(const cli_batch_job *job)
{
    return job->state == CLI_BATCH_PLANNED || job->state == CLI_BATCH_FOUND ||
           job->state == CLI_BATCH_UNCHANGED;
}

/* From the line of the manifest, since jobs that were done by an earlier call are shown, too. */
static void table_row(cli_table *table, const cli_batch_job *job)
{
    cli_flat flat = {0};
    bool read = job->line && is_good(job) && cli_flat_read(job->line, strlen(job->line), &flat);
    const char *strategy = cli_flat_text(&flat, "figures.strategy"),
               *parts = cli_flat_text(&flat, "figures.parts");
    cli_table_cell(table, "%s", job->name);
    cli_table_cell(table, "%s", cli_batch_word(job->state));
    cli_table_real(table, 2, cli_flat_number(&flat, "seconds", 0));
    double peak = cli_flat_number(&flat, "peak_rss_bytes", -1);
    if (peak < 0)
        cli_table_cell(table, "-");
    else
        cli_table_real(table, 1, 1e-6 * peak);
    double bytes = cli_flat_number(&flat, "figures.plan_bytes", -1);
    if (bytes < 0)
        cli_table_cell(table, "-");
    else
        cli_table_real(table, 2, 1e-6 * bytes);
    cli_table_int(table, cli_flat_whole(&flat, "figures.elements", -1));
    cli_table_cell(table, "%s%s", strategy ? strategy : parts ? parts : "-", parts ? " parts" : "");
    if (read)
        cli_flat_free(&flat);
}

/* Sorted as the jobs were given. */
mplan_status cli_batch_table(const cli_batch_jobs *jobs, mplan_error *err)
{
    static const char *const heads[] = {"job",     "status",   "seconds", "peak MB",
                                        "plan MB", "elements", "strategy"};
    cli_table table = {.columns = 7};
    for (int i = 0; i < 7; i++)
        cli_table_cell(&table, "%s", heads[i]);
    int32_t rows = 0;
    for (int32_t i = 0; i < jobs->n; i++) {
        if (rows >= MOST_ROWS || (jobs->n > MOST_ROWS && is_good(&jobs->job[i])))
            continue;
        table_row(&table, &jobs->job[i]);
        rows++;
    }
    return cli_table_print(&table, "  ", "llrrrrl", err);
}
