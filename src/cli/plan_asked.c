/* SPDX-License-Identifier: Apache-2.0 */
/* plan_asked.c - what a plan was asked for, read back from its request
 *
 * The request (formats/plan-format.md) is a line for each loop, arg and option. Names may hold blanks, so that lines of
 * loops and args are read from both ends: what is before and behind the names is known. Numbers, types and accesses are
 * those of the plan's records, which the proof of a plan compares with the request. */
#include "cli/plan_asked.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

/* The lines that are left of asked->text; each ends by a zero when it was taken. */
typedef struct lines {
    const char *path;
    char *next;
} lines;

static mplan_status refuse(const lines *in, const char *line, mplan_error *err)
{
    return cli_fail(err, MPLAN_ERR_UNSUPPORTED,
                    "%s: the line '%.80s' of its request cannot be read back; give the job that it was made of",
                    in->path, line ? line : "");
}

/* NULL past the last line. */
static char *take_line(lines *in)
{
    char *line = in->next, *end = strchr(line, '\n');
    if (!*line)
        return NULL;
    in->next = end ? end + 1 : line + strlen(line);
    if (end)
        *end = '\0';
    return line;
}

/* What follows a prefix of a line; NULL where the line does not begin so. */
static char *behind(char *line, const char *word, const char *name)
{
    char *at = line && !strncmp(line, word, strlen(word)) ? line + strlen(word) : NULL;
    return at && !strncmp(at, name, strlen(name)) ? at + strlen(name) : NULL;
}

/* Ends the text before its last `n` words; false where there are fewer. */
static bool cut_words(char *text, int n)
{
    char *end = text + strlen(text);
    for (; n > 0; n--) {
        do
            if (end == text)
                return false;
        while (*--end != ' ');
    }
    *end = '\0';
    return true;
}

/* "arg DAT map MAP inc 1 f64 refuse", or "direct" or "global" in the place of "map MAP". */
static mplan_status read_arg(lines *in, const mplan_plan_arg *own, mplan_arg *arg, mplan_error *err)
{
    char *line = take_line(in), *at = behind(line, "arg ", own->dat);
    *arg = (mplan_arg){own->dat, NULL, own->access, own->dim, own->type, own->none};
    char *map = at ? behind(at, " ", "map ") : NULL;
    if (map && cut_words(map, 4))
        arg->map = map;
    else if (at && behind(at, " ", "global "))
        arg->map = MPLAN_GLOBAL;
    else if (!at || map || !behind(at, " ", "direct "))
        return refuse(in, line, err);
    return MPLAN_OK;
}

/* "loop NAME over SET calls 1 flops 0", and " primary" behind it for one of them. */
static mplan_status read_loop(lines *in, const mplan_plan_loop *own, mplan_arg *args,
                              mplan_loop *loop, mplan_error *err)
{
    static const char primary[] = " primary";
    char *line = take_line(in), *set = behind(line, "loop ", own->name);
    set = set ? behind(set, " over ", "") : NULL;
    if (!set)
        return refuse(in, line, err);
    const size_t length = strlen(set), tail = sizeof primary - 1;
    if (length > tail && !strcmp(set + length - tail, primary))
        set[length - tail] = '\0';
    *loop = (mplan_loop){.name = own->name,
                         .over = set,
                         .primary = strlen(set) < length,
                         .calls = own->calls,
                         .flops = own->flops,
                         .n_args = own->n_args,
                         .args = args};
    if (!cut_words(set, 4))
        return refuse(in, line, err);
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < own->n_args && !status; a++)
        status = read_arg(in, &own->args[a], &args[a], err);
    return status;
}

/* The numbers of a step. list: room for MPLAN_STEP_MOST. */
static mplan_status read_step(const lines *in, char *values, cli_asked *asked, mplan_error *err)
{
    asked->step = malloc(MPLAN_STEP_MOST * sizeof *asked->step);
    if (!asked->step)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    int32_t n = 0;
    for (char *end, *at = values; *at && n < MPLAN_STEP_MOST; at = end, n++) {
        asked->step[n] = (int32_t)strtol(at, &end, 10);
        if (end == at)
            return refuse(in, values, err);
    }
    asked->options.step = asked->step;
    asked->options.n_step = n;
    return MPLAN_OK;
}

/* "ENTRY:ARG" between blanks, of entries of the step that came before. */
static mplan_status read_clears(const lines *in, char *values, cli_asked *asked, mplan_error *err)
{
    asked->clears = malloc(MPLAN_STEP_MOST * sizeof *asked->clears);
    if (!asked->clears)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    for (int32_t i = 0; i < MPLAN_STEP_MOST; i++)
        asked->clears[i] = -1;
    for (char *end, *at = values; *at; at = end) {
        const long entry = strtol(at, &end, 10);
        if (*end != ':' || entry < 0 || entry >= asked->options.n_step)
            return refuse(in, values, err);
        asked->clears[entry] = (int32_t)strtol(end + 1, &end, 10);
    }
    asked->options.step_clears = asked->clears;
    return MPLAN_OK;
}

/* Numbers of entries of the step, which came before. */
static mplan_status read_lags(const lines *in, char *values, cli_asked *asked, mplan_error *err)
{
    asked->lags = calloc(MPLAN_STEP_MOST, sizeof *asked->lags);
    if (!asked->lags)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    for (char *end, *at = values; *at; at = end) {
        const long entry = strtol(at, &end, 10);
        if (end == at || entry < 0 || entry >= asked->options.n_step)
            return refuse(in, values, err);
        asked->lags[entry] = 1;
    }
    asked->options.step_lags = asked->lags;
    return MPLAN_OK;
}

/* A line of an option: its key and its value. The device's name stays in the text. */
static mplan_status read_option(const lines *in, char *line, char *value, cli_asked *asked,
                                mplan_error *err)
{
    const mplan_plan_option *option;
    for (int32_t i = 0; (option = mplan_plan_option_get(i)) != NULL; i++)
        if (!strcmp(option->key, line))
            break;
    if (!option)
        return refuse(in, line, err);
    char *member = (char *)&asked->options + option->offset;
    if (option->kind == MPLAN_OPTION_NAME) { /* a profile of a file has a name that no table knows */
        memcpy(member, &value, sizeof value);
        return MPLAN_OK;
    }
    if (option->kind == MPLAN_OPTION_STRATEGIES) /* the request has blanks where an option has commas */
        for (char *c = value; *c; c++)
            *c = *c == ' ' ? ',' : *c;
    return mplan_plan_option_read(option, option->key, value, member, err);
}

/* All lines behind those of the loops. */
static mplan_status read_rest(lines *in, cli_asked *asked, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (char *line; !status && (line = take_line(in)) != NULL;) {
        char *value = strchr(line, ' ');
        if (!value)
            return refuse(in, line, err);
        *value++ = '\0';
        if (!strcmp(line, "step"))
            status = read_step(in, value, asked, err);
        else if (!strcmp(line, "clears"))
            status = read_clears(in, value, asked, err);
        else if (!strcmp(line, "lags"))
            status = read_lags(in, value, asked, err);
        else if (!strcmp(line, "profile"))
            asked->profile = true;
        else if (!strcmp(line, "layers") || !strcmp(line, "layering") || !strcmp(line, "levels"))
            status = cli_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "%s: is a plan of loops with layers; give the job that it was made of",
                              in->path);
        else if (strcmp(line, "zone") != 0 && strcmp(line, "device_version") != 0)
            status = read_option(in, line, value, asked, err);
    }
    return status;
}

mplan_status cli_asked_read(const mplan_plan *plan, const char *path, cli_asked *asked,
                            mplan_error *err)
{
    assert(plan && path && asked);
    const char *request = mplan_plan_request(plan);
    int32_t n_loops = mplan_plan_n_loops(plan), n_args = 0;
    if (mplan_plan_part(plan) >= 0)
        return cli_fail(err, MPLAN_ERR_UNSUPPORTED,
                        "%s: is the plan of one part of a mesh; give the job that it was made of",
                        path);
    for (int32_t l = 0; l < n_loops; l++)
        n_args += mplan_plan_get_loop(plan, l)->n_args;
    *asked = (cli_asked){.options = MPLAN_PLAN_OPTIONS_INIT, .n_loops = n_loops};
    asked->loops = calloc((size_t)n_loops + 1, sizeof *asked->loops);
    asked->args = calloc((size_t)n_args + 1, sizeof *asked->args);
    asked->text = strdup(request);
    if (!asked->loops || !asked->args || !asked->text)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    lines in = {path, asked->text};
    mplan_arg *args = asked->args;
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < n_loops && !status; l++) {
        const mplan_plan_loop *own = mplan_plan_get_loop(plan, l);
        status = read_loop(&in, own, args, &asked->loops[l], err);
        args += own->n_args;
    }
    return status ? status : read_rest(&in, asked, err);
}

void cli_asked_free(cli_asked *asked)
{
    free(asked->loops);
    free(asked->args);
    free(asked->step);
    free(asked->clears);
    free(asked->lags);
    free(asked->text);
    *asked = (cli_asked){.n_loops = 0};
}
