/* SPDX-License-Identifier: Apache-2.0 */
/* ugrid_write.h - the writer of UGRID files */
#ifndef MPLAN_UGRID_WRITE_H
#define MPLAN_UGRID_WRITE_H

#include "formats/format.h"

/* The format's `write`. */
mplan_status mplan_ugrid_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                               const mplan_context *context, mplan_error *err);

#endif
