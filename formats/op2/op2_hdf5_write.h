/* SPDX-License-Identifier: Apache-2.0 */
/* op2_hdf5_write.h - OP2's HDF5 files: sets, maps and dats by name */
#ifndef MPLAN_OP2_HDF5_WRITE_H
#define MPLAN_OP2_HDF5_WRITE_H

#include "formats/format.h"

/* Every set, every map of fixed arity without -1, coordinates as <set>_coordinates (double)
 * and the ids of groups as <set>_group (int, 0: none). What has no place is left out with a
 * warning. MPLAN_ERR_UNSUPPORTED without HDF5. */
mplan_status mplan_op2_hdf5_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                                  const mplan_context *context, mplan_error *err);

#endif
