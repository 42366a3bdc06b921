/* SPDX-License-Identifier: Apache-2.0 */
/* results.h - what the JSON of every command has: command, input, options, error */
#ifndef MPLAN_CLI_RESULTS_H
#define MPLAN_CLI_RESULTS_H

#include "cli/command.h"
#include "cli/output.h"

/* Opens an object: "command", "input" (an array of the arguments that are read) and "options" (those that
 * were given, by their long names). The command adds its keys. */
void cli_results_open(cli_json *json, const cli_call *call);

/* What decides the result of a call but its inputs: command, name of the first one, versions of libraries and options
 * that were given, as text that the caller releases; NULL: out of memory. */
char *cli_request_text(const cli_call *call, const char *first);

/* Adds "error", closes the object, writes it where --json says and releases it. verdict: of a command whose results
 * say that something does not hold, with its reason; MPLAN_OK and NULL otherwise. */
mplan_status cli_results_write(cli_json *json, const cli_call *call, mplan_status verdict,
                               const mplan_error *reason, mplan_error *err);

/* Where --json is among arguments that the parser gave up at before it came there; NULL: nowhere. */
const char *cli_json_among(int argc, char **argv);

/* Ends a call that may have written no results: it failed, and what is written is why, or it has none of its own.
 * A file that is there and is not such JSON is left as it is after a failure. Returns status, or why the file could
 * not be written. */
mplan_status cli_results_finish(const cli_call *call, mplan_status status, mplan_error *err);

#endif
