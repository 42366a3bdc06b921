/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_image.h - HDF5 files opened in memory, for files that include hdf5.h */
#ifndef MPLAN_HDF5_IMAGE_H
#define MPLAN_HDF5_IMAGE_H

#ifdef MPLAN_HAVE_HDF5
#include <hdf5.h>

#include "formats/format.h"

/* The file, to be closed by H5Fclose while the input is there; negative where it cannot be opened. */
hid_t mplan_hdf5_open_image(const mplan_input *input);
#endif

#endif
