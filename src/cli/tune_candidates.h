/* SPDX-License-Identifier: Apache-2.0 */
/* tune_candidates.h - the plans that `tune` measures */
#ifndef MPLAN_CLI_TUNE_CANDIDATES_H
#define MPLAN_CLI_TUNE_CANDIDATES_H

#include "apps/apps.h"
#include "meshplan.h"

/* What is planned, and which loop of it is measured. Nothing here is owned. */
typedef struct cli_tune_subject {
    mplan_mesh *mesh;
    int32_t n_loops, loop; /* loop: the one that is measured */
    const mplan_loop *loops;
    const mplan_plan_options *base; /* the request as it is without tuning */
    bool bounds;                    /* launch bounds are tuned: the executor has such */
    const mplan_context *context;
} cli_tune_subject;

/* A way to plan the loop. The first of a list is the base request itself. */
typedef struct cli_candidate {
    mplan_plan_options request;
    double predicted; /* seconds of a launch, by the cost model; 0: not known, as are bounds */
    double bounds[MPLAN_N_RATES + 1]; /* of the prediction, as in mplan_forecast_loop */
    mplan_plan *plan;                 /* owned */
    mplan_tune_result result;
} cli_candidate;

enum { CLI_MOST_CANDIDATES = 64 };

/* Plans the base request, the first of the list. list: CLI_MOST_CANDIDATES, of the caller's, to be released by
 * cli_candidates_free also after a failure; *n of them are there. */
mplan_status cli_candidates_begin(const cli_tune_subject *subject, cli_candidate *list, int32_t *n,
                                  mplan_error *err);
/* Behind it: the guesses, and of all others those that the cost model predicts to be fastest: at most `most` plans that
 * differ, none but guesses predicted at more than 1.6 times the best. What the base request names (strategies, block size,
 * sums and encoding with strategies, threads, layouts) is kept. */
mplan_status cli_candidates_plan(const cli_tune_subject *subject, int32_t most, int32_t n_guesses,
                                 const mplan_plan_options *const *guesses, cli_candidate *list,
                                 int32_t *n, mplan_error *err);
void cli_candidates_free(cli_candidate *list, int32_t n);

/* The variant of the measured loop; NULL for a loop without variants. */
const mplan_plan_variant *cli_candidate_variant(const cli_candidate *one,
                                                const cli_tune_subject *subject);

/* Which of n measured ones is to be taken, -1: none was measured. Where the first of the list was measured, only those
 * count that were faster than it in three of four rounds: others are as fast, as far as can be told. Within 2 % of the
 * fastest the first goes before the others, then equal bits, then fewer bytes, then the shorter time. */
int32_t cli_candidates_best(const cli_candidate *list, int32_t n, const cli_tune_subject *subject);

#endif
