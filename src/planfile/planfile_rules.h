/* SPDX-License-Identifier: Apache-2.0 */
/* planfile_rules.h - what belongs to each loop of a plan, each thing once */
#ifndef MPLAN_PLANFILE_RULES_H
#define MPLAN_PLANFILE_RULES_H

#include "plan/plan.h"

/* Which numbers a list has for each loop: of maps, sets or block sets of the plan. */
typedef enum mplan_loop_list {
    MPLAN_LOOP_MAPS,         /* of its args */
    MPLAN_LOOP_WRITTEN_MAPS, /* of its args that write, increment or do both */
    MPLAN_LOOP_SETS,         /* that its maps lead to */
    MPLAN_LOOP_BLOCK_SETS    /* that its variants name or that were made for it */
} mplan_loop_list;

/* values[offsets[l]] ... values[offsets[l + 1] - 1] belong to loop l, ascending
 * and distinct. */
typedef struct mplan_loop_lists {
    int64_t *offsets; /* n_loops + 1 */
    int32_t *values;
} mplan_loop_lists;

/* The plan's indices must be in range. Time linear but for a sort. */
mplan_status mplan_loop_lists_make(const mplan_plan *plan, mplan_loop_list which,
                                   mplan_loop_lists *lists, mplan_error *err);
void mplan_loop_lists_free(mplan_loop_lists *lists);

#endif
