/* SPDX-License-Identifier: Apache-2.0 */
/* npy_header.h - headers of NumPy's .npy files
 *
 * Format 1.0, 2.0 and 3.0 as numpy.lib.format describes them: a magic string, a
 * version, the length of a header, and the header, a literal Python dictionary
 * with the keys descr, fortran_order and shape; then the numbers. */
#ifndef MPLAN_NPY_HEADER_H
#define MPLAN_NPY_HEADER_H

#include "formats/format.h"

enum {
    MPLAN_NPY_MAX_DIMENSIONS = 8,
    MPLAN_NPY_HEADER = 512 /* bytes that eight extents of 20 characters and the rest fit in */
};

/* What the header of a .npy file says. */
typedef struct mplan_npy_header {
    char kind; /* 'i' whole, 'u' whole without sign, 'f' real; 'u' of one byte, too, where booleans are read */
    int32_t size;    /* bytes of one number: 1, 2, 4 or 8 (reals: 4 or 8) */
    bool big_endian; /* false for numbers of one byte */
    bool fortran;    /* first index runs fastest; false where both orders agree */
    char descr[4];   /* as NumPy spells the type: "<f8" */
    int32_t ndim;    /* 0: a single number */
    int64_t shape[MPLAN_NPY_MAX_DIMENSIONS];
    int64_t count; /* product of shape; count x size bytes are there */
    size_t offset; /* of the first number in the file */
} mplan_npy_header;

/* True when the bytes begin as a .npy file of any version does. */
bool mplan_npy_recognise(const uint8_t *data, size_t size);

/* Reads the header and proves that exactly the numbers it promises follow.
 * MPLAN_ERR_FORMAT (no .npy file), MPLAN_ERR_UNSUPPORTED (other types, more
 * dimensions, newer versions), MPLAN_ERR_CORRUPT; all say "path: byte N: ". */
mplan_status mplan_npy_parse(const mplan_input *input, mplan_npy_header *header, mplan_error *err);

/* Likewise, also of booleans ("|b1"), which are the numbers 0 and 1: masks are such. */
mplan_status mplan_npy_parse_flags(const mplan_input *input, mplan_npy_header *header,
                                   mplan_error *err);

/* "<i4" and the like for the types of dats. */
const char *mplan_npy_descr(mplan_type type);

/* Makes (the bytes used are returned) or writes magic and header (version 1.0, C order), padded so that the numbers
 * start at a multiple of 64 bytes. descr: "<i4", "|u1", ... as in a header that
 * was read, or from mplan_npy_descr. ndim in [0, MPLAN_NPY_MAX_DIMENSIONS]. */
size_t mplan_npy_make_header(char text[MPLAN_NPY_HEADER], const char *descr, int32_t ndim,
                             const int64_t *shape);
/* Likewise of an array whose first index runs fastest. */
mplan_status mplan_npy_write_fortran_header(mplan_output *output, const char *descr, int32_t ndim,
                                            const int64_t *shape, mplan_error *err);
mplan_status mplan_npy_write_header(mplan_output *output, const char *descr, int32_t ndim,
                                    const int64_t *shape, mplan_error *err);

#endif
