/* SPDX-License-Identifier: Apache-2.0 */
/* plan_visit.h - what a plan for a limited device memory says of its visit */
#ifndef MPLAN_CLI_PLAN_VISIT_H
#define MPLAN_CLI_PLAN_VISIT_H

#include "cli/output.h"
#include "meshplan.h"

/* Slabs, segments, memory, bytes and times, and a picture of the schedule; nothing without a visit. */
void cli_plan_visit_report(const mplan_plan *plan);
/* "visit" and "streams" of an open object; nothing without a visit. */
void cli_plan_visit_json(cli_json *json, const mplan_plan *plan);

#endif
