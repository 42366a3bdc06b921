/* SPDX-License-Identifier: Apache-2.0 */
/* support_small.h - plans by hand for one proof, with no more in them than this proof reads */
#ifndef MPLAN_SUPPORT_SMALL_H
#define MPLAN_SUPPORT_SMALL_H

#include "plan/plan.h"

mplan_plan *support_small_plan(void);
/* With NEW_OF_OLD and OLD_OF_NEW that change nothing, and holes at the end. `split` may be "". */
void support_small_set(mplan_plan *plan, const char *name, const char *split, int64_t size,
                       int64_t storage_size);
/* With its values, one row for each place of the set it leads from; those are copied. */
void support_small_map(mplan_plan *plan, const char *name, int32_t from, int32_t to, int32_t arity,
                       const int32_t *values);
/* A loop over a set with these args. */
void support_small_loop(mplan_plan *plan, int32_t set, int32_t n_args, const mplan_plan_arg *args);
/* A copy of rows x cols numbers. */
void support_small_array(mplan_plan *plan, mplan_key key, mplan_type type, int64_t rows,
                         int64_t cols, const void *data);
void support_small_seal(mplan_plan *plan);

#endif
