/* SPDX-License-Identifier: Apache-2.0 */
/* op2_write.h - OP2's grids as text */
#ifndef MPLAN_OP2_WRITE_H
#define MPLAN_OP2_WRITE_H

#include "formats/format.h"

/* The format's `write`. MPLAN_ERR_UNSUPPORTED for what the format
 * cannot hold. */
mplan_status mplan_op2_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                             const mplan_context *context, mplan_error *err);

#endif
