/* SPDX-License-Identifier: Apache-2.0 */
/* op2.h - groups of OP2's grids, in text and in HDF5 */
#ifndef MPLAN_OP2_H
#define MPLAN_OP2_H

#include "formats/format.h"

/* op2.c: a group bound<number> of the set for every boundary, in the order of their numbers. bound: one
 * for each of its n members. */
mplan_status mplan_op2_add_bound_groups(mplan_mesh *mesh, int32_t set, int64_t n,
                                        const int64_t *bound, mplan_error *err);

#endif
