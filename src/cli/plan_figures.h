/* SPDX-License-Identifier: Apache-2.0 */
/* plan_figures.h - what a plan is worth: the figures of `plan` and `info` */
#ifndef MPLAN_CLI_PLAN_FIGURES_H
#define MPLAN_CLI_PLAN_FIGURES_H

#include "cli/output.h"
#include "meshplan.h"

struct cli_plan_bounds; /* cli/plan_bounds.h */

/* Where a plan was found. */
typedef struct cli_plan_file {
    const char *path;
    int64_t bytes; /* -1: unknown */
    int32_t major, minor;
} cli_plan_file;

/* How a block set cuts its set. Without blocks mean and fill are NaN. */
typedef struct cli_block_figures {
    int64_t blocks, block_min, block_max;
    double block_mean, fill;
    int64_t over_limit, empty; /* blocks, counted from the offsets */
} cli_block_figures;

/* What the blocks touch of one set; NaN where there is nothing to divide by. */
typedef struct cli_point_figures {
    const char *set;
    double reuse;
    double shared_points; /* share of the points of the set */
    double points_mean;   /* per block */
    int64_t points_max;
    double lines, lines_ideal; /* per block */
} cli_point_figures;

cli_block_figures cli_plan_blocks(const mplan_plan *plan, int32_t block_set);

/* Figures of metrics record i, and whether it is of (loop, block_set). */
bool cli_plan_points(const mplan_plan *plan, int32_t i, int32_t loop, int32_t block_set,
                     cli_point_figures *figures);

/* The block set that a variant's figures are of: its own, else the one made
 * for the loop, else -1. */
int32_t cli_plan_block_set_of(const mplan_plan *plan, int32_t loop, int32_t variant);
/* Whether a variant of the loop runs by a block set. */
bool cli_plan_runs_by(const mplan_plan *plan, int32_t loop, int32_t block_set);
/* Whether the metrics pair a block set with a loop, or a variant uses it. */
bool cli_plan_pairs(const mplan_plan *plan, int32_t loop, int32_t block_set);

/* Mean number of thread colours of a block; NaN where there are none. */
double cli_plan_thread_colours_mean(const mplan_plan *plan, const mplan_plan_variant *variant);

/* Whether entry i of the step and the one behind it (the last: the first, of the next step) could be one loop: both run
 * over one set, and what they share is accessed directly by both, so that each element can do one after the other. */
bool cli_plan_can_join(const mplan_plan *plan, int32_t i);

/* Layers of all members of a set together that its mask has; -1: the set has no mask. */
int64_t cli_plan_layers_there(const mplan_plan *plan, int32_t set);
/* Whether the arg is the first of the plan that names its dat. */
bool cli_plan_names_first(const mplan_plan *plan, int32_t loop, int32_t arg);
/* Whether the arg has sectors to show (mplan_plan_variant_loads), and is the first of the loop that has them for its dat. */
bool cli_plan_shows_sectors(const mplan_plan_loop *loop, const double *sectors, int32_t arg);
/* Whether the request left the strategies to the cost model. */
bool cli_plan_was_chosen(const mplan_plan *plan);
/* Whether a variant is block-gather with a launch per block colour. */
bool cli_plan_sums_by_colour(const mplan_plan_variant *variant);

/* The keys of `plan` and `info`, inside an object that is open. */
void cli_plan_json(cli_json *json, const mplan_plan *plan, const struct cli_plan_bounds *bounds,
                   const cli_plan_file *file);
/* The same as a text report. */
mplan_status cli_plan_report(const mplan_plan *plan, const struct cli_plan_bounds *bounds,
                             const cli_plan_file *file, mplan_error *err);
/* Every array with its key, type and shape. */
mplan_status cli_plan_list_arrays(const mplan_plan *plan, mplan_error *err);

#endif
