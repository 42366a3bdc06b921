/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_figures.h - what is in a bundle, and what a number of ranks would exchange: the figures of `info` */
#ifndef MPLAN_CLI_BUNDLE_FIGURES_H
#define MPLAN_CLI_BUNDLE_FIGURES_H

#include "cli/step_exchanges.h"

/* A dat of which halos are exchanged. */
typedef struct cli_bundle_dat {
    char *name;
    int32_t set;
    int64_t bytes;    /* of a member */
    int64_t received; /* bytes of one exchange, of all ranks together */
    bool written;     /* by a loop of the bundle: else halos are exchanged once, and not again */
} cli_bundle_dat;

/* Of one rank: members of the cut set, each once; and one exchange of all dats. */
typedef struct cli_bundle_rank {
    int64_t owned, border; /* border: owned, and in the halo of another rank */
    int64_t halo;          /* members of other ranks */
    int64_t received;      /* the same, each as often as parts of this rank have it in their halo */
    int32_t neighbours, messages;      /* messages that it gets */
    int64_t bytes;                     /* of these, as mplan_exec_exchanged counts them */
    int64_t step_messages, step_bytes; /* of all exchanges of step.steps steps */
} cli_bundle_rank;

/* Of one part and one set: what loops run over. */
typedef struct cli_bundle_part {
    int64_t owned, inner, executed, size;
} cli_bundle_part;

/* Of one rank and one set: members that come and go, once for each part, whatever dats are on the set. */
typedef struct cli_bundle_flow {
    int64_t received, sent; /* from and to other ranks */
    int64_t inside;         /* between parts of the rank */
    int32_t senders;        /* other ranks that some come from */
} cli_bundle_flow;

/* Visits of all parts where device memory is limited. steps 0: it is not; else from one exchange to the next, the same in all parts of a bundle
 * that was proved. */
typedef struct cli_bundle_visit {
    int32_t steps, slabs_least, slabs_most;
    int64_t device_memory, peak_most, in_bytes, out_bytes,
        host_bytes; /* the last three: of all parts */
} cli_bundle_visit;

typedef struct cli_bundle_figures {
    int32_t n_parts, n_sets;
    int32_t rings;         /* that parts compute as well */
    int64_t bytes;         /* of the file */
    mplan_parts_set *sets; /* n_sets; owner NULL, other arrays and names belong to the bundle */
    int32_t cut; /* the set that was cut, of which members are counted; where none was: the set of the primary loop */
    int32_t ranks;         /* 0: not asked for */
    int32_t *first_part;   /* ranks + 1: rank r has the parts [first_part[r], first_part[r + 1]) */
    cli_bundle_rank *rank; /* ranks */
    cli_bundle_part *part; /* part p, set s at p * n_sets + s; where ranks were asked for, as is */
    cli_bundle_flow *flow; /* rank r, set s at r * n_sets + s */
    int32_t n_dats;
    cli_bundle_dat *dats;
    cli_step_exchanges step; /* n_dats 0 without ranks */
    cli_bundle_visit visit;
} cli_bundle_figures;

/* Reads the plans of all parts, one at a time. ranks 0: without what concerns ranks; they share the parts as
 * mplan_exec_open_part does. MPLAN_ERR_ARGUMENT for more ranks than parts; MPLAN_ERR_CORRUPT for lists that lead
 * out of their sets. *figures is to be freed in any case, before the bundle. Time linear in halos and parts. */
mplan_status cli_bundle_figures_create(const mplan_bundle *bundle, int32_t ranks,
                                       const mplan_context *context, cli_bundle_figures *figures,
                                       mplan_error *err);
void cli_bundle_figures_free(cli_bundle_figures *figures);

/* Of all ranks: the first one that has most, and how that is to the mean; NAN where the mean is 0. */
typedef struct cli_bundle_worst {
    int32_t rank;
    int64_t most, sum;
    double imbalance;
} cli_bundle_worst;
cli_bundle_worst cli_bundle_most_owned(const cli_bundle_figures *figures);
cli_bundle_worst cli_bundle_most_bytes(const cli_bundle_figures *figures);
cli_bundle_worst cli_bundle_most_step_bytes(const cli_bundle_figures *figures);

#endif
