/* SPDX-License-Identifier: Apache-2.0 */
/* array_label.h - what an array of a plan is called, for people and for file names */
#ifndef MPLAN_ARRAY_LABEL_H
#define MPLAN_ARRAY_LABEL_H

#include "plan/plan.h"

/* Room for a label; longer names are cut. */
enum { MPLAN_LABEL_BYTES = 512 };

/* "block_points of set cells, loop res_calc, block set 0" */
void mplan_array_label(const mplan_plan *plan, const mplan_key *key, char text[MPLAN_LABEL_BYTES]);

/* "loop-res_calc-blocks0-set-cells-block_points": letters, digits and `_.-+` only;
 * distinct for distinct keys of a plan, also when names repeat or are unfit
 * for files (they then get `~` and their index). */
void mplan_array_file_stem(const mplan_plan *plan, const mplan_key *key,
                           char text[MPLAN_LABEL_BYTES]);

#endif
