/* SPDX-License-Identifier: Apache-2.0 */
/* proof_lines.h - what was proved of a plan, and what nothing can prove, as people and programs read it */
#ifndef MPLAN_CLI_PROOF_LINES_H
#define MPLAN_CLI_PROOF_LINES_H

#include "cli/output.h"

/* Line i of what a verified plan was proved to hold; NULL where it does not apply. all: the plan is of a bundle whose parts are
 * all proved, together. */
enum { CLI_PROOF_LINES = MPLAN_N_STRATEGIES + 11 };
const char *cli_proof_line(const mplan_plan *plan, bool all, int i);

/* Whether the plan says anything of a field that cannot be proved (mplan_unproved_field). */
bool cli_proof_says(const mplan_plan *plan, const char *field);

/* The arrays "proved" and "unproved" of an open object. plan NULL: it was refuted. */
void cli_proof_json(cli_json *json, const mplan_plan *plan, bool all);

#endif
