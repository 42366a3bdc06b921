/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_compare.c - meshplan compare: where two plans differ */
#include <stdio.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/results.h"

/* Where each difference goes: the terminal and the JSON. */
typedef struct comparison {
    bool print;
    cli_json *json;
} comparison;

static const cli_option options[] = {{.name = NULL}};

/* One difference, printed and kept for the JSON. */
static void on_line(void *user, const char *text)
{
    comparison *seen = user;
    if (seen->print)
        printf("%s\n", cli_shown(text));
    cli_json_text(seen->json, NULL, text);
}

/* Equal plans end with 0, others with MPLAN_ERR_DIFFERENT, after the report: err names the
 * number of differences then. The JSON is written for both; a failure to write it goes before
 * the verdict. */
static mplan_status compare(const cli_call *call, const mplan_plan *a, const mplan_plan *b,
                            mplan_error *err)
{
    cli_json json = {0};
    comparison seen = {call->report, &json};
    cli_results_open(&json, call);
    cli_json_text(&json, "a", call->words[0]);
    cli_json_text(&json, "b", call->words[1]);
    cli_json_open(&json, "differences", '[');
    mplan_status status = mplan_plan_compare(a, b, on_line, &seen, err);
    cli_json_close(&json, ']');
    cli_json_bool(&json, "equal", !status);
    if (!status && call->report)
        printf("%s and %s are equal\n", cli_shown(call->words[0]), cli_shown(call->words[1]));
    if (call->json && (!status || status == MPLAN_ERR_DIFFERENT)) {
        mplan_error failed;
        mplan_status wrote = cli_results_write(&json, call, status, err, &failed);
        if (wrote) {
            *err = failed;
            status = wrote;
        }
    }
    cli_json_free(&json);
    return status;
}

/* words: two plans. Both are in memory at once, mapped where they are not compressed. */
static mplan_status run_compare(const cli_call *call, mplan_error *err)
{
    mplan_plan *a = NULL, *b = NULL;
    mplan_status status = mplan_plan_read(call->words[0], call->context, &a, err);
    if (!status)
        status = mplan_plan_read(call->words[1], call->context, &b, err);
    if (!status)
        status = compare(call, a, b, err);
    mplan_plan_free(a);
    mplan_plan_free(b);
    return status;
}

const cli_command cli_command_compare = {
    .name = "compare",
    .arguments = "A B [OPTION]...",
    .summary = "show where two plans differ",
    .details = "Compares the orders, maps, blocks, tables and figures of two plans, and prints "
               "a line for each that differs, with the first difference. Exit code 1 means that "
               "they differ.",
    .options = options,
    .options_size = 0,
    .least_words = 2,
    .most_words = 2,
    .has_json = true,
    .inputs = 2,
    .run = run_compare,
};
