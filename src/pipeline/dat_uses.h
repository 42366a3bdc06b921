/* SPDX-License-Identifier: Apache-2.0 */
/* dat_uses.h - all args by the dats that they name */
#ifndef MPLAN_DAT_USES_H
#define MPLAN_DAT_USES_H

#include "pipeline/planning.h"

/* An arg that names a dat. */
typedef struct planning_use {
    const char *dat;
    int32_t loop, arg;
} planning_use;
/* All args of all loops by the names of their dats, those of a dat by loop and arg: *n entries from mplan_alloc. */
mplan_status mplan_planning_uses(const planning *p, planning_use **uses, int64_t *n,
                                 mplan_error *err);
/* Where the dat that begins at `begin` ends. */
int64_t mplan_planning_uses_end(const planning_use *uses, int64_t n, int64_t begin);

#endif
