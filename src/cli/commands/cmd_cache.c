/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_cache.c - meshplan cache: what plans are kept, and which go */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache/cache_upkeep.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/results.h"

/* max: bytes of plans that 'clean' leaves; not given: all plans stay. */
typedef struct cache_options {
    cli_int max;
} cache_options;

#define TARGET(member) offsetof(cache_options, member)
/* clang-format off */
static const cli_option options[] = {
    {.name = "max", .kind = CLI_BYTES, .argument = "BYTES", .target = TARGET(max),
     .help = "clean: remove plans, those first that were not used for longest, until BYTES are left, such as 50G"},
    {.name = NULL},
};
/* clang-format on */

/* What is to be done; NULL past the last. */
static const char *action_word(int32_t i)
{
    static const char *const words[] = {"list", "clean", "verify"};
    return i < 3 ? words[i] : NULL;
}

/* The table of plans and the same for JSON. */
typedef struct plan_list {
    cli_table table;
    cli_json *json; /* NULL: none */
    int64_t now;
} plan_list;

/* mplan_cache_visit: one row of the table, and one object of the list where results are asked
 * for. `used` is in seconds since 1970, like list->now. */
static void show_plan(void *user, const char *name, int64_t bytes, int64_t used)
{
    plan_list *list = user;
    cli_table_cell(&list->table, "%.12s", name);
    cli_table_real(&list->table, 2, 1e-6 * (double)bytes);
    cli_table_real(&list->table, 1, (double)(list->now - used) / 86400);
    if (!list->json)
        return;
    cli_json_open(list->json, NULL, '{');
    cli_json_text(list->json, "content", name);
    cli_json_int(list->json, "bytes", bytes);
    cli_json_int(list->json, "used", used);
    cli_json_close(list->json, '}');
}

/* The table is made in any case: with --json - it is not printed, and its cells are released
 * here, as cli_table_print would. *contents: out, the counts of the whole folder. */
static mplan_status list_plans(const cli_call *call, const char *folder, cli_json *json,
                               mplan_cache_contents *contents, mplan_error *err)
{
    plan_list list = {.table = {.columns = 3}, .json = json, .now = (int64_t)time(NULL)};
    static const char *const heads[] = {"plan", "MB", "used days ago"};
    for (int i = 0; i < 3; i++)
        cli_table_cell(&list.table, "%s", heads[i]);
    if (json)
        cli_json_open(json, "plans", '[');
    mplan_status status = mplan_cache_count(folder, show_plan, &list, contents, err);
    if (json)
        cli_json_close(json, ']');
    if (!status && call->report)
        return cli_table_print(&list.table, "  ", "lrr", err);
    for (int32_t i = 0; i < list.table.n; i++)
        free(list.table.cell[i]);
    free(list.table.cell);
    return status;
}

/* The one line of each action: what is there afterwards, then what the action did. */
static void say_contents(const char *folder, const mplan_cache_contents *contents, const char *action)
{
    printf("%s: %lld plans, %.2f MB, %lld requests", cli_shown(folder), (long long)contents->plans,
           1e-6 * (double)contents->plan_bytes, (long long)contents->requests);
    if (!strcmp(action, "clean"))
        printf("; %lld files removed, %.2f MB of plans", (long long)contents->removed,
               1e-6 * (double)contents->removed_bytes);
    if (!strcmp(action, "verify"))
        printf("; %lld damaged", (long long)contents->damaged);
    printf("\n");
}

/* Keys are fixed, the same for every action: what an action does not count is 0. */
static void contents_json(cli_json *json, const char *folder, const mplan_cache_contents *contents)
{
    cli_json_text(json, "folder", folder);
    cli_json_int(json, "n_plans", contents->plans);
    cli_json_int(json, "bytes", contents->plan_bytes);
    cli_json_int(json, "n_requests", contents->requests);
    cli_json_int(json, "n_marks", contents->marks);
    cli_json_int(json, "n_leases", contents->leases);
    cli_json_int(json, "damaged", contents->damaged);
    cli_json_int(json, "removed", contents->removed);
    cli_json_int(json, "removed_bytes", contents->removed_bytes);
}

/* words: the action and, unless the environment has it, the folder. Plans that 'verify' found
 * damaged are a result: it is reported and written as such, and only then the call fails, with
 * exit code 1. */
static mplan_status run_cache(const cli_call *call, mplan_error *err)
{
    const cache_options *given = call->options;
    const char *action = call->words[0],
               *folder = call->n_words > 1 ? call->words[1] : getenv("MESHPLAN_CACHE");
    mplan_cache_contents contents = {0};
    cli_json json = {0};
    mplan_status status = MPLAN_OK;
    if (!folder || !folder[0])
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "cache: no folder: name it, or set MESHPLAN_CACHE");
    if (given->max.given && strcmp(action, "clean") != 0)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "cache: --max belongs to 'cache clean'");
    if (call->json)
        cli_results_open(&json, call);
    if (!strcmp(action, "list"))
        status = list_plans(call, folder, call->json ? &json : NULL, &contents, err);
    else if (!strcmp(action, "clean"))
        status = mplan_cache_clean(folder, given->max.given ? given->max.value : -1, call->context,
                                   &contents, err);
    else
        status = mplan_cache_verify(folder, call->context, &contents, err);
    if (!status && call->report)
        say_contents(folder, &contents, action);
    mplan_status verdict = MPLAN_OK;
    mplan_error reason = {MPLAN_OK, ""};
    if (!status && contents.damaged > 0)
        verdict = cli_fail(&reason, MPLAN_ERR_DISPROVED, "%s: %lld plans were damaged", folder,
                           (long long)contents.damaged);
    if (!status && call->json) {
        contents_json(&json, folder, &contents);
        status = cli_results_write(&json, call, verdict, &reason, err);
    }
    cli_json_free(&json);
    if (!status && verdict)
        *err = reason;
    return status ? status : verdict;
}

const cli_command cli_command_cache = {
    .name = "cache",
    .arguments = "list | clean | verify [DIR] [OPTION]...",
    .summary = "list, clean or verify a cache of plans",
    .details =
        "A cache is what 'meshplan plan --cache DIR' keeps plans in. Without DIR it is $MESHPLAN_CACHE. "
        "'list' shows the plans, the one that was used last first. 'clean' removes what leads nowhere any "
        "more and, with --max, plans that were not used for longest. 'verify' reads all plans and removes "
        "those that are damaged; the exit code is 1 then. Other processes may use the cache meanwhile.",
    .options = options,
    .options_size = sizeof(cache_options),
    .least_words = 1,
    .most_words = 2,
    .has_json = true,
    .word = action_word,
    .word_name = "action",
    .run = run_cache,
};
