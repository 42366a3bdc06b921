/* SPDX-License-Identifier: Apache-2.0 */
/* run_bundle.h - a bundle that `run` runs on several numbers of ranks, one after the other */
#ifndef MPLAN_CLI_RUN_BUNDLE_H
#define MPLAN_CLI_RUN_BUNDLE_H

#include "apps/apps.h"
#include "cli/options.h"

/* What the user said. */
typedef struct cli_ranks_given {
    cli_texts ranks; /* numbers of ranks; none: 1 */
    const char *parts; /* "64", "8x8", or a part file: the mesh is cut and planned here; NULL: a bundle is given */
    const char *transport; /* a word of cli_transport_word; NULL: local, on CUDA peer-inside for more than one rank */
    bool no_overlap;
} cli_ranks_given;

/* local, peer, peer-inside, nccl; NULL past the last. */
const char *cli_transport_word(int32_t i);

/* Whether there are parts where ranks are asked for. plan: the file that is given; NULL: none. */
mplan_status cli_ranks_check(const cli_ranks_given *given, const char *plan, mplan_error *err);

enum { CLI_BUNDLE_VARIANTS = 64 };

/* An open bundle; zeroed at first. */
typedef struct cli_bundle {
    mplan_bundle *bundle;
    mplan_plan *plan; /* of part 0, which has the loops and variants of all */
    int32_t n;        /* numbers of ranks */
    int32_t *ranks, *devices;
    bool peer; /* of the number of ranks at hand */
    mplan_rank_options options;
    int32_t base_ranks[CLI_BUNDLE_VARIANTS]; /* by variant, of its first time; 0: none yet */
    double base_time[CLI_BUNDLE_VARIANTS];
} cli_bundle;

/* Cuts and plans the mesh into a file that has no name any longer when it is open. The loops as for mplan_parts_create. */
mplan_status cli_bundle_make(cli_bundle *own, mplan_mesh *mesh, int32_t n_loops,
                             const mplan_loop *loops, const mplan_plan_options *options,
                             const cli_ranks_given *given, bool proved,
                             const mplan_context *context, mplan_error *err);
/* All parts, and all parts against the mesh. */
mplan_status cli_bundle_prove(cli_bundle *own, mplan_mesh *mesh, const mplan_context *context,
                              mplan_error *err);
/* MPLAN_ERR_ARGUMENT for numbers of ranks that are none, or more than the bundle has parts. */
mplan_status cli_bundle_open(cli_bundle *own, const char *path, const cli_ranks_given *given,
                             const mplan_context *context, mplan_error *err);
void cli_bundle_close(cli_bundle *own);
/* Options for the k-th number of ranks; devices from `gpu` on. */
void cli_bundle_turn(cli_bundle *own, int32_t k, const cli_ranks_given *given,
                     mplan_app_options *how);
/* Time and ranks of the first number of ranks by that of the one at hand, for each rank; 0: not known. */
double cli_bundle_efficiency(cli_bundle *own, int32_t variant, const mplan_app_result *result);

#endif
