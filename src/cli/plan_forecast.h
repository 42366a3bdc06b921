/* SPDX-License-Identifier: Apache-2.0 */
/* plan_forecast.h - what `plan --dry-run` says */
#ifndef MPLAN_CLI_PLAN_FORECAST_H
#define MPLAN_CLI_PLAN_FORECAST_H

#include "cli/output.h"
#include "meshplan.h"

/* output: where the plan would go; NULL: nowhere is said. */
mplan_status cli_forecast_report(const mplan_forecast *forecast, const char *output,
                                 mplan_error *err);
/* Keys of an open object. */
void cli_forecast_json(cli_json *json, const mplan_forecast *forecast, const char *output);

#endif
