/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_halos.h - which halos the launches of a step exchange: what executors of parts do, without one */
#ifndef MPLAN_CLI_BUNDLE_HALOS_H
#define MPLAN_CLI_BUNDLE_HALOS_H

#include "meshplan.h"

enum { CLI_HALO_DATS = 512 };

/* A dat of the loops. level: up to which ring its halo is right; rings + 1: all of it. */
typedef struct cli_halo_dat {
    const char *name;
    int32_t set, level;
    int64_t bytes;         /* of a member, all levels */
    bool changed, spreads; /* a loop changes it; its halo matters for what parts own, now or later */
    bool travels;          /* before the last launch */
} cli_halo_dat;

typedef struct cli_halos {
    const mplan_plan *plan;
    int32_t rings, n;
    cli_halo_dat dat[CLI_HALO_DATS];
} cli_halos;

/* All halos are right. rings: of the bundle; 0: none. More dats than CLI_HALO_DATS are left out. */
void cli_halos_open(const mplan_plan *plan, int32_t rings, cli_halos *all);
/* A loop is launched; clears: the arg whose dat holds zeros before, -1: none. bytes: out, by set, those of a member that
 * are exchanged before; returns whether any are. *whole: parts run their halos, too. */
bool cli_halos_launch(cli_halos *all, int32_t loop, int32_t clears, int64_t *bytes, bool *whole);

#endif
