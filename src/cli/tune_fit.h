/* SPDX-License-Identifier: Apache-2.0 */
/* tune_fit.h - a device's profile from what `tune` measured */
#ifndef MPLAN_CLI_TUNE_FIT_H
#define MPLAN_CLI_TUNE_FIT_H

#include "cli/command.h"
#include "meshplan.h"

/* How the cost model's rates of a device agree with measurements, before and after they were fitted. */
typedef struct cli_fit {
    char profile[32];  /* the name of the profile that was corrected */
    char machine[128]; /* where the measurements are from */
    mplan_device before, after;
    int32_t n_plans;                /* measured, and predicted by that profile */
    int32_t bounded[MPLAN_N_RATES]; /* of them, those whose prediction rate r bounds, after the fit */
    double off_before,
        off_after; /* the larger of predicted over measured and its inverse: geometric means */
} cli_fit;

/* Finds the rates for which the model's times are nearest to those measured. A rate that bounds nothing keeps its value.
 * path: a file of records (tune_record.h) of one profile and machine; MPLAN_ERR_ARGUMENT where it holds several, or
 * no measurement with bounds. */
mplan_status cli_tune_fit(const char *path, const mplan_context *context, cli_fit *fit,
                          mplan_error *err);

/* The text of a profile's file, with what was fitted as comments; `size` bytes at text, 4096 are enough. */
mplan_status cli_fit_text(const cli_fit *fit, char *text, size_t size, mplan_error *err);

/* `tune --fit records`: the profile to `output`, where one is given, and to the report, with how well it fits. */
mplan_status cli_fit_profile(const cli_call *call, const char *records, const char *output,
                             mplan_error *err);

#endif
