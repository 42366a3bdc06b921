/* SPDX-License-Identifier: Apache-2.0 */
/* reading.h - what the programs that read files have in common */
#ifndef MPLAN_HELPER_READING_H
#define MPLAN_HELPER_READING_H

#include "formats/format.h"

/* The formats of the program, NULL behind them. Defined by its own file, as are the next two. */
extern const mplan_file_format *const mplan_helper_formats[];

/* Looks a file over before its library follows what it says. MPLAN_ERR_UNSUPPORTED for links and
 * storage in other files, MPLAN_ERR_CORRUPT for groups that never end; MPLAN_OK also for what cannot
 * be opened: the reader says that better. */
mplan_status mplan_helper_look_over(const mplan_input *input, mplan_error *err);

/* Walks the links of an HDF5 file, each object once; soft: also links by name. */
mplan_status mplan_hdf5_walk(const mplan_input *input, bool soft, mplan_error *err);

#endif
