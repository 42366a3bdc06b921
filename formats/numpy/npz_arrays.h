/* SPDX-License-Identifier: Apache-2.0 */
/* npz_arrays.h - arrays of NumPy's archives by their names, written and read */
#ifndef MPLAN_NPZ_ARRAYS_H
#define MPLAN_NPZ_ARRAYS_H

#include "formats/input.h"
#include "formats/numpy/zip_write.h"

/* Appends the member NAMEENDING.npy: rows x cols numbers, or with cols 0 one dimension. */
mplan_status mplan_npz_put(mplan_zip_out *zip, const char *name, const char *ending, mplan_type type,
                           int64_t rows, int64_t cols, const void *data, mplan_error *err);

/* An archive that is read by names. Zero-initialise; it must not be moved once it is open. */
typedef struct mplan_npz_file {
    mplan_input_file opened;
    mplan_vector members;
    const mplan_context *context;
} mplan_npz_file;
/* Nothing needs to be closed after a failure. context is kept. */
mplan_status mplan_npz_open(const char *path, mplan_npz_file *npz, const mplan_context *context,
                            mplan_error *err);
void mplan_npz_close(mplan_npz_file *npz);
/* The numbers of NAME.npy, from mplan_alloc, which must be of this type: *rows of `cols` each, with cols 0 of one
 * dimension. MPLAN_ERR_CORRUPT where there is no such member, or it is of another type or shape. */
mplan_status mplan_npz_take(const mplan_npz_file *npz, const char *name, mplan_type type,
                            int64_t cols, int64_t *rows, void **data, mplan_error *err);

#endif
