/* SPDX-License-Identifier: Apache-2.0 */
/* op2_hdf5_layout.h - where the datasets of an OP2 file are, for readers of byte ranges */
#ifndef MPLAN_OP2_HDF5_LAYOUT_H
#define MPLAN_OP2_HDF5_LAYOUT_H

#include "formats/op2/op2_hdf5_tables.h"

#ifdef MPLAN_HAVE_HDF5
/* op2_hdf5_layout.c: what of a dataset is an array, a map and coordinates. */

/* name, from, to: of the map; "" where the file does not name the sets. type: of cells; -1: none. *table: out, may be NULL. */
mplan_status mplan_op2_place_map(const mplan_op2_file *file, const mplan_op2_table *of,
                                 const char *const names[3], int32_t type, mplan_places *layout,
                                 mplan_places_table **table, mplan_error *err);
mplan_status mplan_op2_place_points(const mplan_op2_file *file, const mplan_op2_table *of,
                                    mplan_places *layout, mplan_error *err);
/* All of the file, whose tables are listed, where it is not that of airfoil. */
mplan_status mplan_op2_place_tables(const mplan_op2_file *file, mplan_places *layout,
                                    mplan_error *err);
/* op2_hdf5_airfoil.c: of a file that mplan_op2_is_airfoil. */
mplan_status mplan_op2_place_airfoil(const mplan_op2_file *file, mplan_places *layout,
                                     mplan_error *err);
#endif

#endif
