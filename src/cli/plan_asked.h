/* SPDX-License-Identifier: Apache-2.0 */
/* plan_asked.h - what a plan was asked for, read back from its request: loops and planning options */
#ifndef MPLAN_CLI_PLAN_ASKED_H
#define MPLAN_CLI_PLAN_ASKED_H

#include "meshplan.h"

/* Zero at first. Names in loops and options are in `text`, or the plan's own. */
typedef struct cli_asked {
    mplan_loop *loops; /* n_loops */
    mplan_arg *args;   /* of all loops, one loop behind the other */
    int32_t n_loops;
    mplan_plan_options options;
    bool profile; /* options.device is a profile that was read from a file: only its name is in the plan */
    int32_t *step, *clears, *lags;
    char *text;
} cli_asked;

/* The loops and options that `plan` was made of: planning them again on its mesh gives the same plan. path: for messages.
 * The plan must outlive *asked, which is to be freed also after a failure. MPLAN_ERR_UNSUPPORTED for a part of a bundle,
 * and for loops with layers, whose tables are not in a request. */
mplan_status cli_asked_read(const mplan_plan *plan, const char *path, cli_asked *asked,
                            mplan_error *err);
void cli_asked_free(cli_asked *asked);

#endif
