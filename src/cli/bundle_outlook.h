/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_outlook.h - what `info BUNDLE --ranks` says with --price and --device: the price of the cut, the time of a step */
#ifndef MPLAN_CLI_BUNDLE_OUTLOOK_H
#define MPLAN_CLI_BUNDLE_OUTLOOK_H

#include "cli/bundle_price.h"
#include "cli/bundle_step.h"
#include "cli/output.h"

/* What was asked for. device: a profile, "" that of the plans; NULL: no forecast of a step. */
typedef struct cli_bundle_wish {
    int32_t ranks;
    bool price;
    const char *device, *link;
} cli_bundle_wish;

typedef struct cli_bundle_outlook {
    bool priced, timed;
    cli_bundle_price price;
    cli_bundle_step step;
} cli_bundle_outlook;

/* Nothing but zeros where nothing of it was asked for. Free it also after a failure. */
mplan_status cli_bundle_outlook_create(const mplan_bundle *bundle, const cli_bundle_figures *figures,
                                       const cli_bundle_wish *wish, const mplan_context *context,
                                       cli_bundle_outlook *out, mplan_error *err);
void cli_bundle_outlook_free(cli_bundle_outlook *outlook);
mplan_status cli_bundle_outlook_report(const cli_bundle_figures *figures,
                                       const cli_bundle_outlook *outlook, mplan_error *err);
/* Members of the open object. */
void cli_bundle_outlook_json(cli_json *json, const cli_bundle_figures *figures,
                             const cli_bundle_outlook *outlook);

#endif
