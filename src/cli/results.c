/* SPDX-License-Identifier: Apache-2.0 */
/* results.c - what the JSON of every command has: command, input, options, error */
#include "cli/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/message.h"
#include "cli/signals.h"

/* --- options ------------------------------------------------------------------------ */

/* item: n texts, one after the other. */
static void texts_json(cli_json *json, const char *name, const cli_texts *texts)
{
    cli_json_open(json, name, '[');
    for (int32_t i = 0; i < texts->n; i++)
        cli_json_text(json, NULL, texts->item[i]);
    cli_json_close(json, ']');
}

/* Planning options keep their text; a whole number is one in JSON, too. */
static void planning_json(cli_json *json, const cli_option *row, const cli_texts *texts)
{
    if (row->each) {
        texts_json(json, row->name, texts);
        return;
    }
    char *end = NULL;
    long long number = strtoll(texts->item[0], &end, 10);
    if (!row->argument)
        cli_json_bool(json, row->name, true);
    else if (end != texts->item[0] && !*end)
        cli_json_int(json, row->name, number);
    else
        cli_json_text(json, row->name, texts->item[0]);
}

/* Nothing of an option that was not given. target: the struct of the row's table. */
static void option_json(cli_json *json, const cli_option *row, const void *target)
{
    const void *value = (const char *)target + row->target;
    const cli_texts *texts = value;
    const char *text;
    switch (row->kind) {
    case CLI_FLAG:
        if (*(const bool *)value)
            cli_json_bool(json, row->name, true);
        break;
    case CLI_INT:
    case CLI_BYTES:
        if (((const cli_int *)value)->given)
            cli_json_int(json, row->name, ((const cli_int *)value)->value);
        break;
    case CLI_REAL:
        if (((const cli_real *)value)->given)
            cli_json_real(json, row->name, ((const cli_real *)value)->value);
        break;
    case CLI_TEXT:
    case CLI_WORD:
        text = *(const char *const *)value;
        if (text)
            cli_json_text(json, row->name, text);
        break;
    case CLI_LIST:
    case CLI_MANY:
        if (texts->n)
            texts_json(json, row->name, texts);
        break;
    case CLI_PLANNING:
        if (texts->n)
            planning_json(json, row, texts);
        break;
    }
}

/* Options that only decide what is said and where: equal results have equal JSON without them. */
static bool is_about_output(const char *name)
{
    static const char *const names[] = {"json", "depfile", "quiet", "verbose", "progress"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* "command", "input", "options", and "output" of commands whose last argument is one. */
void cli_results_open(cli_json *json, const cli_call *call)
{
    const cli_command *command = call->command;
    cli_option rows[CLI_MAX_OPTIONS + 1];
    cli_command_rows(command, rows);
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "command", command->name);
    cli_json_open(json, "input", '[');
    for (int32_t i = 0; i < call->n_words && i < command->inputs; i++)
        cli_json_text(json, NULL, call->words[i]);
    cli_json_close(json, ']');
    if (command->has_output && call->n_words > command->inputs)
        cli_json_text(json, "output", call->words[command->inputs]);
    cli_json_open(json, "options", '{');
    for (const cli_option *row = rows; row->name; row++)
        option_json(json, row, call->options);
    for (const cli_option *row = call->all->globals; row->name; row++)
        if (!is_about_output(row->name))
            option_json(json, row, call->globals);
    cli_json_close(json, '}');
}

/* Options that change neither what a plan holds nor whether it can be made. */
static bool decides_nothing(const char *name)
{
    static const char *const names[] = {"output",      "threads",     "read-timeout", "max-memory",
                                        "max-inflate", "cache",       "cache-strict", "cache-link",
                                        "cache-check", "cache-lease", "dry-run",      "depfile",
                                        "if-changed"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* The command, its first input, the libraries and all options that can change a plan, as one
 * line of JSON. The caller frees it; NULL: out of memory. It is the key of plan caches: a word
 * more or less makes all earlier plans unknown. */
char *cli_request_text(const cli_call *call, const char *first)
{
    cli_json json = {0};
    cli_option rows[CLI_MAX_OPTIONS + 1];
    cli_command_rows(call->command, rows);
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "command", call->command->name);
    cli_json_text(&json, "input", first);
    for (int32_t i = 0; mplan_library(i); i++)
        cli_json_text(&json, "library", mplan_library(i));
    for (const cli_option *row = rows; row->name; row++)
        if (!decides_nothing(row->name))
            option_json(&json, row, call->options);
    cli_json_close(&json, '}');
    char *text = json.failed ? NULL
                             : strndup(json.text, json.length); /* which has no zero at its end */
    cli_json_free(&json);
    return text;
}

/* --- the error ---------------------------------------------------------------------- */

/* The number between two colons at `at`; -1: there is none. */
static long long line_at(const char *at)
{
    size_t digits = *at == ':' ? strspn(at + 1, "0123456789") : 0;
    return digits && digits < 18 && at[digits + 1] == ':' ? strtoll(at + 1, NULL, 10) : -1;
}

/* "FILE:LINE: reason", "FILE:LINE:COLUMN: reason" of a file that the call does not name: the length
 * of FILE. 0: no line is named. What is behind ": " is the reason, whatever it quotes. */
static size_t find_line(const char *text)
{
    for (const char *at = strchr(text, ':'); at && at[1] != ' '; at = strchr(at + 1, ':'))
        if (at > text && line_at(at) >= 0)
            return (size_t)(at - text);
    return 0;
}

/* Whether the text begins with this file's name and a colon: the length of the name; else 0. */
static size_t names_file(const char *text, const char *file)
{
    const char *shown = cli_shown(file);
    size_t length = strlen(shown);
    return length && !strncmp(text, shown, length) && text[length] == ':' ? length : 0;
}

/* "FILE: reason", where FILE is an argument of the call, the value of an option or a file that was
 * named for reading or writing, as in lists of options and in jobs: its length; else 0. */
static size_t find_file(const char *text, const cli_call *call)
{
    cli_option rows[CLI_MAX_OPTIONS + 1];
    size_t length = 0;
    for (int32_t i = 0; i < call->n_words && !length; i++)
        length = names_file(text, call->words[i]);
    cli_command_rows(call->command, rows);
    for (const cli_option *row = rows; row->name && !length; row++) {
        const char *value = row->kind != CLI_TEXT
                                ? NULL
                                : *(const char *const *)((const char *)call->options + row->target);
        length = value ? names_file(text, value) : 0;
    }
    for (int32_t i = 0; i < call->files->n && !length; i++)
        length = names_file(text, call->files->item[i].path);
    return length;
}

/* null without a failure; else what is printed, the file and line that it names, and the exit code. */
static void error_json(cli_json *json, const cli_call *call, mplan_status status, const char *text)
{
    if (!status) {
        cli_json_null(json, "error");
        return;
    }
    char file[MPLAN_ERROR_TEXT];
    size_t length = find_file(text, call);
    if (!length)
        length = find_line(text);
    long long line = length ? line_at(text + length) : -1;
    snprintf(file, sizeof file, "%.*s", (int)length, text);
    cli_json_open(json, "error", '{');
    cli_json_text(json, "message", text[0] ? text : mplan_status_name(status));
    cli_json_text(json, "file", length ? file : NULL);
    if (line >= 0)
        cli_json_int(json, "line", line);
    else
        cli_json_null(json, "line");
    cli_json_int(json, "exit_code", cli_exit_code(status));
    cli_json_close(json, '}');
}

/* The outputs that were left as they are, where there are any. */
static void unchanged_json(cli_json *json, const cli_files *files)
{
    bool open = false;
    for (int32_t i = 0; i < files->n; i++) {
        if (!files->item[i].unchanged)
            continue;
        if (!open)
            cli_json_open(json, "unchanged", '[');
        open = true;
        cli_json_text(json, NULL, files->item[i].path);
    }
    if (open)
        cli_json_close(json, ']');
}

/* --- writing ------------------------------------------------------------------------ */

/* Closes the object, adds how the command ended, and writes it to the file or standard output
 * that --json names. `json` is freed here in all cases. */
mplan_status cli_results_write(cli_json *json, const cli_call *call, mplan_status verdict,
                               const mplan_error *reason, mplan_error *err)
{
    cli_json lines = {0};
    unchanged_json(json, call->files);
    error_json(json, call, verdict, verdict ? reason->text : "");
    cli_json_close(json, '}');
    if (call->command->json_lines)
        cli_json_line(&lines, json);
    mplan_status status = cli_json_write(call->command->json_lines ? &lines : json, call->json,
                                         call->context, err);
    call->files->has_results = true;
    cli_json_free(json);
    cli_json_free(&lines);
    return status;
}

/* What begins as results of this program do, an empty file, and a file that is not there. A slip
 * of the hand, as in `meshplan info --json wing.msh`, must not cost the mesh, and neither must
 * one that sends standard output into it. */
static bool may_replace(const cli_call *call)
{
    const char *path = call->json;
    static const char indented[] = "{\n  \"command\": ", line[] = "{\"command\": ";
    struct stat about;
    char head[sizeof indented] = "";
    if (!cli_files_allow(call->files, path, call->n_words, call->words))
        return false;
    if (!strcmp(path, "-") || stat(path, &about))
        return true;
    FILE *file = S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
    if (!file)
        return !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
    size_t n = fread(head, 1, sizeof head - 1, file);
    fclose(file);
    return n == 0 || !strncmp(head, indented, sizeof indented - 1) ||
           !strncmp(head, line, sizeof line - 1);
}

/* Words behind -- are arguments, whatever they look like. */
const char *cli_json_among(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--"); i++) {
        if (!strncmp(argv[i], "--json=", 7))
            return argv[i] + 7;
        if (!strcmp(argv[i], "--json") && i + 1 < argc)
            return argv[i + 1];
    }
    return NULL;
}

/* For commands that ended before they wrote results: an object with the error only. A failed
 * write becomes the command's error only if the command itself had none. */
mplan_status cli_results_finish(const cli_call *call, mplan_status status, mplan_error *err)
{
    if (!call->json || call->files->has_results || cli_stop_signal() ||
        (status && !may_replace(call)))
        return status;
    cli_json json = {0};
    mplan_error reason = *err, failed;
    cli_results_open(&json, call);
    mplan_status wrote = cli_results_write(&json, call, status, &reason, &failed);
    if (status || !wrote)
        return status;
    *err = failed;
    return wrote;
}
