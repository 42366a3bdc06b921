/* SPDX-License-Identifier: Apache-2.0 */
/* npy.h - arrays in NumPy's .npy files, for tables and dats alike */
#ifndef MPLAN_NPY_H
#define MPLAN_NPY_H

#include "formats/numpy/npy_header.h"

/* Copies all numbers in C order and this machine's byte order to `out`, which
 * has room for count x size bytes. In Fortran order at most 2 dimensions, else
 * MPLAN_ERR_UNSUPPORTED. */
mplan_status mplan_npy_copy(const mplan_input *input, const mplan_npy_header *header, void *out,
                            mplan_error *err);

#endif
