/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_compare.c - meshplan compare: where two plans differ */
#include <stdio.h>
#include <string.h>

#include "cli/bundle_file.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/results.h"

/* Where each difference goes: the terminal and the JSON. */
typedef struct comparison {
    bool print;
    cli_json *json;
    int32_t part; /* of bundles; -1: none */
    int64_t n;    /* differences of bundles */
} comparison;

static const cli_option options[] = {{.name = NULL}};

/* One difference, printed and kept for the JSON. */
static void on_line(void *user, const char *text)
{
    comparison *seen = user;
    char named[MPLAN_ERROR_TEXT];
    seen->n++;
    if (seen->part >= 0) {
        snprintf(named, sizeof named, "part %d: %.*s", (int)seen->part, (int)sizeof named - 32, text);
        text = named;
    }
    if (seen->print)
        printf("%s\n", cli_shown(text));
    cli_json_text(seen->json, NULL, text);
}

/* Two plans: lines go to on_line, and err has their number. A bundle beside a plan ends here,
 * too, and is refused by the reader of plans. */
static mplan_status compare_plans(const cli_call *call, comparison *seen, mplan_error *err)
{
    mplan_plan *a = NULL, *b = NULL;
    mplan_status status = mplan_plan_read(call->words[0], call->context, &a, err);
    if (!status)
        status = mplan_plan_read(call->words[1], call->context, &b, err);
    if (!status)
        status = mplan_plan_compare(a, b, on_line, seen, err);
    mplan_plan_free(a);
    mplan_plan_free(b);
    return status;
}

/* --- bundles --- */

/* A line where two numbers differ. name: of the set or map that they are of; "": of the whole. */
static void differ_numbers(comparison *seen, const char *what, const char *name, int64_t a, int64_t b)
{
    char text[MPLAN_ERROR_TEXT];
    if (a == b)
        return;
    snprintf(text, sizeof text, "%s%s%.200s: %lld and %lld", what, *name ? " " : "", name,
             (long long)a, (long long)b);
    on_line(seen, text);
}

/* A line where two texts differ, without the texts: requests have many lines. */
static void differ_texts(comparison *seen, const char *what, const char *a, const char *b)
{
    char text[MPLAN_ERROR_TEXT];
    if (strcmp(a, b) == 0)
        return;
    snprintf(text, sizeof text, "%s differs", what);
    on_line(seen, text);
}

/* What two bundles say of the whole mesh. Sets and maps are compared by number, as far as both
 * have them: that there are more in one is a line of its own. */
static void compare_manifests(const mplan_bundle *a, const mplan_bundle *b, comparison *seen)
{
    const mplan_fingerprints left = mplan_bundle_fingerprints(a),
                             right = mplan_bundle_fingerprints(b);
    const int32_t sets = mplan_bundle_n_sets(a), maps = mplan_bundle_n_maps(a);
    differ_numbers(seen, "number of parts", "", mplan_bundle_n_parts(a), mplan_bundle_n_parts(b));
    differ_numbers(seen, "number of sets", "", sets, mplan_bundle_n_sets(b));
    differ_numbers(seen, "number of maps", "", maps, mplan_bundle_n_maps(b));
    if (left.topology != right.topology)
        on_line(seen, "fingerprint of the topology differs");
    if (left.coordinates != right.coordinates)
        on_line(seen, "fingerprint of the coordinates differs");
    differ_texts(seen, "the request", mplan_bundle_request(a), mplan_bundle_request(b));
    differ_texts(seen, "VERSIONS", mplan_bundle_versions(a), mplan_bundle_versions(b));
    for (int32_t s = 0; s < sets && s < mplan_bundle_n_sets(b); s++) {
        const mplan_bundle_set *one = mplan_bundle_get_set(a, s), *other = mplan_bundle_get_set(b, s);
        differ_texts(seen, "name of a set", one->name, other->name);
        differ_numbers(seen, "members of set", one->name, one->total, other->total);
        differ_numbers(seen, "cut of set", one->name, one->cut, other->cut);
    }
    for (int32_t m = 0; m < maps && m < mplan_bundle_n_maps(b); m++) {
        const mplan_bundle_map *one = mplan_bundle_get_map(a, m), *other = mplan_bundle_get_map(b, m);
        differ_texts(seen, "name of a map", one->name, other->name);
        differ_numbers(seen, "entries of map", one->name, one->entries, other->entries);
    }
}

/* Part by part, so that memory holds one of each. A part that differs does not end the
 * comparison; parts that only one bundle has are left out, as the numbers of parts differ then. */
static mplan_status compare_parts(const cli_call *call, const mplan_bundle *a,
                                  const mplan_bundle *b, comparison *seen, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    compare_manifests(a, b, seen);
    const int32_t n = mplan_bundle_n_parts(a), m = mplan_bundle_n_parts(b);
    for (int32_t p = 0; p < n && p < m && !status; p++) {
        mplan_plan *left = NULL, *right = NULL;
        status = mplan_bundle_read_part(a, p, call->context, &left, err);
        if (!status)
            status = mplan_bundle_read_part(b, p, call->context, &right, err);
        seen->part = p;
        if (!status)
            status = mplan_plan_compare(left, right, on_line, seen, err);
        if (status == MPLAN_ERR_DIFFERENT)
            status = MPLAN_OK;
        mplan_plan_free(left);
        mplan_plan_free(right);
    }
    return status || seen->n == 0
               ? status
               : cli_fail(err, MPLAN_ERR_DIFFERENT, "the bundles differ in %lld place%s",
                          (long long)seen->n, seen->n == 1 ? "" : "s");
}

/* Opening reads manifests only; plans are read when it is their turn. */
static mplan_status compare_bundles(const cli_call *call, comparison *seen, mplan_error *err)
{
    mplan_bundle *a = NULL, *b = NULL;
    mplan_status status = mplan_bundle_open(call->words[0], call->context, &a, err);
    if (!status)
        status = mplan_bundle_open(call->words[1], call->context, &b, err);
    if (!status)
        status = compare_parts(call, a, b, seen, err);
    mplan_bundle_free(a);
    mplan_bundle_free(b);
    return status;
}

/* Equal plans end with 0, others with MPLAN_ERR_DIFFERENT, after the report: err names the
 * number of differences then. The JSON is written for both; a failure to write it goes before
 * the verdict. words: two plans, both in memory at once, or two bundles. */
static mplan_status run_compare(const cli_call *call, mplan_error *err)
{
    cli_json json = {0};
    comparison seen = {call->report, &json, -1, 0};
    const bool bundles = cli_is_bundle(call->words[0]) && cli_is_bundle(call->words[1]);
    cli_results_open(&json, call);
    cli_json_text(&json, "a", call->words[0]);
    cli_json_text(&json, "b", call->words[1]);
    cli_json_open(&json, "differences", '[');
    mplan_status status = bundles ? compare_bundles(call, &seen, err)
                                  : compare_plans(call, &seen, err);
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

const cli_command cli_command_compare = {
    .name = "compare",
    .arguments = "A B [OPTION]...",
    .summary = "show where two plans differ, or two bundles",
    .details = "Compares the orders, maps, blocks, tables and figures of two plans, or of the "
               "parts of two bundles, and prints a line for each that differs, with the first difference. Exit code 1 means that "
               "they differ.",
    .options = options,
    .options_size = 0,
    .least_words = 2,
    .most_words = 2,
    .has_json = true,
    .inputs = 2,
    .run = run_compare,
};
