/* SPDX-License-Identifier: Apache-2.0 */
/* part_weights.h - the files and words of `partition` that go to METIS: weights, shares, methods */
#ifndef MPLAN_CLI_PART_WEIGHTS_H
#define MPLAN_CLI_PART_WEIGHTS_H

#include "cli/options.h"
#include "meshplan.h"

/* As they were given. */
typedef struct cli_part_wishes {
    cli_texts weights; /* SET=FILE each */
    const char *edge_weights, *shares, *together, *ptype, *objective;
    bool sum_weights, contiguous, minconn;
    cli_int niter, ncuts, ncommon;
} cli_part_wishes;

/* What they bring, owned; zero-initialise, release with cli_part_arrays_free. */
typedef struct cli_part_arrays {
    char *set;
    int64_t *weights, *edge_weights, *together;
    double *shares;
} cli_part_arrays;

/* Words of --ptype and --objective, NULL past the last. */
const char *cli_ptype_word(int32_t i);
const char *cli_objective_word(int32_t i);

/* Reads the files into arrays and sets what concerns them in how, which borrows the arrays. */
mplan_status cli_part_wishes_load(const cli_part_wishes *given, cli_part_arrays *arrays,
                                  mplan_partition_options *how, const mplan_context *context,
                                  mplan_error *err);
/* Whether weights of the set that is likely cut (over; NULL: cells) have a row for each member, as far as the mesh has the set
 * already: the file that has not is named (MPLAN_ERR_MESH). The library says what else is wrong with them. */
mplan_status cli_part_weights_fit(const cli_texts *weights, const char *over, const char *of,
                                  int64_t n_rows, const mplan_mesh *mesh, mplan_error *err);
/* What the file of the mesh brings, where nothing else was given: weights and sizes of the set that is cut (over: its name; NULL:
 * that of the weights), weights of edges; sums of columns. METIS, SCOTCH and native take them, for a number of parts: else a warning. */
mplan_status cli_part_wishes_of_mesh(const cli_part_wishes *given, const char *over,
                                     cli_part_arrays *arrays, mplan_partition_options *how,
                                     const mplan_mesh *mesh, const mplan_context *context,
                                     mplan_error *err);
void cli_part_arrays_free(cli_part_arrays *arrays);

#endif
