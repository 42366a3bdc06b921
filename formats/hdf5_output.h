/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_output.h - HDF5 files that are made in memory and written like any output
 *
 * For programs with libhdf5, under the library's lock. */
#ifndef MPLAN_HDF5_OUTPUT_H
#define MPLAN_HDF5_OUTPUT_H

#include "formats/format.h"

#ifdef MPLAN_HAVE_HDF5
#include <hdf5.h>

/* A file in memory with room for the mesh, so that memory is asked for once; nothing is on disk. create: its
 * properties (H5P_DEFAULT). Negative where it cannot be made; else for H5Fclose. */
hid_t mplan_hdf5_output_open(const mplan_mesh *mesh, hid_t create);

/* What the file holds, as the bytes that it would have on disk. */
mplan_status mplan_hdf5_output_write(hid_t file, mplan_output *output, const mplan_context *context,
                                     mplan_error *err);
#endif

#endif
