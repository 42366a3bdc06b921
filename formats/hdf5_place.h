/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_place.h - where a dataset of an HDF5 file has its numbers
 *
 * Compiled into the programs that are linked to libhdf5 (MPLAN_HAVE_HDF5). Numbers in one piece can be read without the library. */
#ifndef MPLAN_HDF5_PLACE_H
#define MPLAN_HDF5_PLACE_H

#include "formats/places.h"

#ifdef MPLAN_HAVE_HDF5
#include <hdf5.h>

/* at, size, kind and big_endian of array; all else of it is the caller's. at is -1 for what is not in one piece (chunks,
 * filters, nothing written); size is 0 for all that is not numbers that can be read by ranges. */
void mplan_hdf5_place(hid_t dataset, mplan_places_array *array);
#endif

#endif
