/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_step.h - how long a step of a bundle's loops takes on a number of ranks: a forecast, without a device */
#ifndef MPLAN_CLI_BUNDLE_STEP_H
#define MPLAN_CLI_BUNDLE_STEP_H

#include "cli/bundle_figures.h"
#include "cli/bundle_mesh.h"

/* How messages travel; seconds, and bytes per second each way. */
typedef struct cli_link {
    const char *name, *source; /* source: where the numbers are from */
    double wait; /* of an exchange, from its begin until its rows are in the halos, without their bytes */
    double join;    /* of it, what work that needs no halo cannot hide */
    double message; /* of each further message that a rank gets */
    double rate;
    bool inside; /* in kernels of loops, where these can; else as by the next link */
} cli_link;
const cli_link *cli_link_get(int32_t i); /* NULL past the last */

/* Of one rank: seconds of a step. */
typedef struct cli_step_rank {
    int32_t launches;   /* of kernels that compute, without overlap */
    double compute;     /* without anybody else */
    double exchange;    /* of messages, if nothing were hidden */
    double step, plain; /* with overlap and without */
} cli_step_rank;

/* By one link: that of the slowest rank. */
typedef struct cli_step_link {
    const cli_link *link;
    double step, plain;
    int32_t worst;
} cli_step_link;

enum { CLI_LINKS = 4 };

typedef struct cli_bundle_step {
    char device[32];
    int32_t entries;  /* launches of loops of a step */
    double exchanges; /* those of them that need halos; with rings the mean of many steps */
    double one;       /* seconds of the whole mesh, without parts, on one device */
    cli_step_link links[CLI_LINKS];
    int32_t chosen;      /* the link that `rank` is of */
    cli_step_rank *rank; /* figures->ranks */
} cli_bundle_step;

/* device: as of a planning option, NULL: the profile that the default variant was made for. link: a name, NULL: the first.
 * figures: with ranks. mesh: of the bundle. MPLAN_ERR_ARGUMENT for a name that is none, and for a loop that the
 * model cannot time. Free it also after a failure. */
mplan_status cli_bundle_step_create(const cli_bundle_figures *figures, const cli_bundle_mesh *mesh,
                                    const char *device, const char *link,
                                    const mplan_context *context, cli_bundle_step *out,
                                    mplan_error *err);
void cli_bundle_step_free(cli_bundle_step *step);

#endif
