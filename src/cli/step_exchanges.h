/* SPDX-License-Identifier: Apache-2.0 */
/* step_exchanges.h - which halos travel in a step of a bundle's loops, and how often */
#ifndef MPLAN_CLI_STEP_EXCHANGES_H
#define MPLAN_CLI_STEP_EXCHANGES_H

#include "cli/bundle_halos.h"

enum { CLI_STEP_ENTRIES = 4096 };

/* A loop that is launched; clears: the arg whose dat holds zeros before, -1. */
typedef struct cli_step_entry {
    int32_t loop, clears;
} cli_step_entry;
/* The launches of a step: that of the request, else loops in their order, again as often as they have calls. list: room for
 * CLI_STEP_ENTRIES; returns how many. */
int32_t cli_step_entries(const mplan_plan *plan, cli_step_entry *list);

/* A dat of the loops: its set, and bytes of a member, all levels together. */
typedef struct cli_exchanged_dat {
    int32_t set;
    int64_t bytes;
} cli_exchanged_dat;

/* What `steps` steps exchange; the next ones do the same again, since halos are as they were. 1 step but with rings. */
typedef struct cli_step_exchanges {
    int32_t steps, n; /* exchanges in all of them */
    int32_t n_dats;
    cli_exchanged_dat *dat; /* n_dats */
    bool *travels;          /* exchange e, dat d at e * n_dats + d */
} cli_step_exchanges;

/* plan: of any part; rings: of the bundle. MPLAN_ERR_MEMORY. Free it also after a failure. Exchanges that are made once, of dats that
 * no loop changes, are left out. */
mplan_status cli_step_exchanges_create(const mplan_plan *plan, int32_t rings,
                                       cli_step_exchanges *out, mplan_error *err);
void cli_step_exchanges_free(cli_step_exchanges *exchanges);

#endif
