/* SPDX-License-Identifier: Apache-2.0 */
/* plan_bounds.h - what the figures of a plan can be held against */
#ifndef MPLAN_CLI_PLAN_BOUNDS_H
#define MPLAN_CLI_PLAN_BOUNDS_H

#include "cli/output.h"
#include "meshplan.h"

/* Variants of loop l are entries [first[l], first[l + 1]) of variants, lanes and first_sector. All arrays are
 * owned, texts of tiles are the library's. */
typedef struct cli_plan_bounds {
    mplan_variant_bounds *variants; /* of all loops, one loop after the other */
    int32_t *first;                 /* of each loop */
    double *reuse;                  /* per metrics record; NaN: none known */
    const char **tiles;             /* NULL with NaN */
    double *lanes,
        *sectors; /* mplan_plan_variant_loads: of each variant; of all args of each variant */
    int32_t *first_sector; /* of each variant */
} cli_plan_bounds;

mplan_status cli_plan_bounds_create(const mplan_plan *plan, cli_plan_bounds *bounds,
                                    const mplan_context *context, mplan_error *err);
void cli_plan_bounds_free(cli_plan_bounds *bounds);

const mplan_variant_bounds *cli_bounds_of(const cli_plan_bounds *bounds, int32_t loop,
                                          int32_t variant);
/* Lanes that have an element, of a warp of a variant, and sectors a request of each of its loop's args; NaN where it cannot
 * be said. */
double cli_bounds_lanes(const cli_plan_bounds *bounds, int32_t loop, int32_t variant);
const double *cli_bounds_sectors(const cli_plan_bounds *bounds, int32_t loop, int32_t variant);
/* Blocks that the elements of a block set need. */
int64_t cli_blocks_bound(const mplan_plan *plan, int32_t block_set);
/* Means over the blocks of a variant, NaN without: the bound of thread colours, and the
 * share of blocks that are at it. */
double cli_thread_colours_bound(const mplan_plan *plan, const mplan_plan_variant *variant,
                                const mplan_variant_bounds *bounds);
double cli_thread_blocks_at_bound(const mplan_plan *plan, const mplan_plan_variant *variant,
                                  const mplan_variant_bounds *bounds);

/* A line for each figure of a loop that has a bound. */
mplan_status cli_bounds_report(const mplan_plan *plan, const cli_plan_bounds *bounds, int32_t loop,
                               mplan_error *err);

#endif
