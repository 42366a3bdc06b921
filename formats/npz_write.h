/* npz_write.h - NumPy's archives, written */
#ifndef MPLAN_NPZ_WRITE_H
#define MPLAN_NPZ_WRITE_H

#include "formats/format.h"

/* All maps and coordinates, or with `what` that map and the coordinates of its sets. */
mplan_status mplan_npz_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                             const mplan_context *context, mplan_error *err);

#endif
