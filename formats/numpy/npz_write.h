/* SPDX-License-Identifier: Apache-2.0 */
/* npz_write.h - NumPy's archives, written */
#ifndef MPLAN_NPZ_WRITE_H
#define MPLAN_NPZ_WRITE_H

#include "formats/format.h"

/* All maps, of which `what` has to be one, and coordinates. */
mplan_status mplan_npz_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                             const mplan_context *context, mplan_error *err);

#endif
