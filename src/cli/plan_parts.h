/* SPDX-License-Identifier: Apache-2.0 */
/* plan_parts.h - `plan --parts`: a bundle of the plans of parts, or the plan of one of them */
#ifndef MPLAN_CLI_PLAN_PARTS_H
#define MPLAN_CLI_PLAN_PARTS_H

#include "cli/command.h"
#include "cli/plan_options.h"

/* Word of --cut; NULL past the last. */
const char *cli_cut_word(int32_t i);

/* What options say about parts without the mesh: MPLAN_ERR_ARGUMENT for what cannot be combined. */
mplan_status cli_plan_parts_check(const cli_plan_options *given, mplan_error *err);

/* Cuts the mesh, plans its parts, writes to `path` and says what came of it. `path` is not used in a dry run. */
mplan_status cli_plan_parts(const cli_call *call, mplan_mesh *mesh, int32_t n_loops,
                            const mplan_loop *loops, const mplan_plan_options *request,
                            const char *path, mplan_error *err);

#endif
