/* SPDX-License-Identifier: Apache-2.0 */
/* owner_windows.h - owner-gather's encoding windows16 */
#ifndef MPLAN_OWNER_WINDOWS_H
#define MPLAN_OWNER_WINDOWS_H

#include "base/threads.h"
#include "tables/tables.h"

/* A loop as windows16 needs it; maps in stored indices, with the same rows. */
typedef struct mplan_owner_loop {
    const mplan_map *maps; /* by which the loop increments */
    int32_t n_maps;
    const mplan_map *others; /* the other maps of its args, each once, in their order */
    int32_t n_others;
    bool direct; /* it has direct args */
} mplan_owner_loop;

/* NULL when windows16 can say the loop, else what it lacks, as the end of "encoding windows16 needs".
 * Time O(entries of the maps). */
const char *mplan_table_windows_lack(const mplan_owner_loop *loop, mplan_team *team);

/* The table of the loop in windows16; MPLAN_ERR_ARGUMENT where it cannot be said. Rows, slices and
 * windows of sorted points are those of mplan_table_owner. Slices with more than 15 windows get plain
 * codes. Time O(entries x fields x windows of a slice). */
mplan_status mplan_table_windows(const mplan_owner_loop *loop, const mplan_row_order *order,
                                 mplan_owner_table *out, const mplan_context *context,
                                 mplan_error *err);

#endif
