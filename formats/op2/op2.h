/* SPDX-License-Identifier: Apache-2.0 */
/* op2.h - what the reader and the writer of OP2's grids share */
#ifndef MPLAN_OP2_H
#define MPLAN_OP2_H

#include "formats/format.h"

/* op2_write.c: the format's `write`. MPLAN_ERR_UNSUPPORTED for what the format
 * cannot hold. */
mplan_status mplan_op2_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                             const mplan_context *context, mplan_error *err);

/* op2.c: a group bound<number> of the set for every boundary, in the order of their numbers. bound: one
 * for each of its n members. */
mplan_status mplan_op2_add_bound_groups(mplan_mesh *mesh, int32_t set, int64_t n,
                                        const int64_t *bound, mplan_error *err);

#endif
