/* SPDX-License-Identifier: Apache-2.0 */
/* npy.c - tables and arrays of numbers in NumPy's .npy files
 *
 * The numbers are fetched run by run into a small buffer, in this machine's
 * byte order, and widened from there, so that no type but the result's is ever
 * held whole. Arrays in C order whose type is the result's are copied. */
#include "formats/numpy/npy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "formats/byte_order.h"
#include "formats/input.h"
#include "formats/numbers.h"
#include "mesh/mesh.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "arrays are written as they are in memory, which must be little-endian");

enum {
    RUN = 1024,                    /* numbers fetched at once */
    PIECE = 4 << 20,               /* bytes copied between two gifts of memory */
    TILE = 32,                     /* rows and columns of a tile when the order is transposed */
    WRITE_BYTES = 16 * 1024 * 1024 /* between two questions whether to go on */
};

/* --- fetching -------------------------------------------------------------- */

/* Numbers [first, first + n) as they lie in the file, n <= RUN, aligned. */
typedef union run {
    uint8_t bytes[RUN * 8];
    int8_t i1[RUN];
    uint8_t u1[RUN];
    int16_t i2[RUN];
    uint16_t u2[RUN];
    int32_t i4[RUN];
    uint32_t u4[RUN];
    int64_t i8[RUN];
    uint64_t u8[RUN];
    float f4[RUN];
    double f8[RUN];
} run;

/* n numbers from number `first` on, in the machine's byte order. */
static void fetch(const mplan_input *input, const mplan_npy_header *header, int64_t first,
                  int64_t n, run *out)
{
    size_t size = (size_t)header->size;
    memcpy(out->bytes, input->data + header->offset + (size_t)first * size, (size_t)n * size);
    if (header->big_endian)
        mplan_swap_bytes(out->bytes, n, header->size);
}

/* Same bits, whatever the sign; the caller knows which values fit. */
static void widen_i32(const mplan_npy_header *header, const run *in, int64_t n, int32_t *out)
{
    bool sign = header->kind == 'i';
    if (header->size == 1)
        for (int64_t i = 0; i < n; i++)
            out[i] = sign ? in->i1[i] : in->u1[i];
    else if (header->size == 2)
        for (int64_t i = 0; i < n; i++)
            out[i] = sign ? in->i2[i] : in->u2[i];
    else if (header->size == 4)
        memcpy(out, in->i4, (size_t)n * sizeof *out);
    else
        for (int64_t i = 0; i < n; i++)
            out[i] = (int32_t)in->i8[i];
}

/* in: numbers of 4 or 8 bytes. */
static void widen_i64(const mplan_npy_header *header, const run *in, int64_t n, int64_t *out)
{
    if (header->size == 8)
        memcpy(out, in->i8, (size_t)n * sizeof *out);
    else /* narrower signed numbers fit into 32 bits */
        for (int64_t i = 0; i < n; i++)
            out[i] = in->u4[i];
}

/* in: reals of 4 or 8 bytes. */
static void widen_f64(const mplan_npy_header *header, const run *in, int64_t n, double *out)
{
    if (header->size == 8)
        memcpy(out, in->f8, (size_t)n * sizeof *out);
    else
        for (int64_t i = 0; i < n; i++)
            out[i] = (double)in->f4[i];
}

/* --- what the numbers need ------------------------------------------------- */

/* Do all whole numbers fit into 32 bits? Refuses those beyond 63. */
static mplan_status fits_i32(const mplan_input *input, const mplan_npy_header *header, bool *fits,
                             mplan_error *err)
{
    run in;
    *fits = true;
    if (header->size < 4 || (header->size == 4 && header->kind == 'i'))
        return MPLAN_OK;
    bool sign = header->kind == 'i';
    for (int64_t first = 0; first < header->count; first += RUN) {
        int64_t n = header->count - first < RUN ? header->count - first : RUN;
        uint64_t wide = 0, beyond = 0;
        fetch(input, header, first, n, &in);
        if (header->size == 4)
            for (int64_t i = 0; i < n; i++)
                wide |= in.u4[i] >> 31;
        else /* the upper 33 bits of a 32-bit number are all equal */
            for (int64_t i = 0; i < n; i++) {
                wide |= (in.u8[i] + (sign ? UINT64_C(1) << 31 : 0)) >> (sign ? 32 : 31);
                beyond |= in.u8[i];
            }
        if (!sign && beyond >> 63)
            return mplan_fail(err, MPLAN_ERR_CORRUPT,
                              "%s: byte %zu: a number of 2^63 or more follows", input->path,
                              header->offset + (size_t)first * (size_t)header->size);
        *fits = *fits && !wide;
    }
    return MPLAN_OK;
}

/* Where the numbers go: one of three arrays, as in mplan_numbers. */
static void widen(const mplan_npy_header *header, const run *in, int64_t n,
                  const mplan_numbers *out, int64_t at)
{
    if (out->i32)
        widen_i32(header, in, n, out->i32 + at);
    else if (out->i64)
        widen_i64(header, in, n, out->i64 + at);
    else
        widen_f64(header, in, n, out->f64 + at);
}

/* Numbers as they are in the file; the memory of what is copied is given back, so that they are there twice only
 * by a piece. */
static void copy_numbers(const mplan_input *input, const mplan_npy_header *header, void *out)
{
    size_t bytes = (size_t)header->count * (size_t)header->size;
    for (size_t at = 0; at < bytes; at += PIECE) {
        size_t n = bytes - at < PIECE ? bytes - at : PIECE, begin = header->offset + at;
        memcpy((char *)out + at, input->data + begin, n);
        mplan_input_forget(input, begin + n);
    }
}

/* In runs that fit a cache, unless bytes can be taken as they are. */
static void read_c_order(const mplan_input *input, const mplan_npy_header *header,
                         const mplan_numbers *out)
{
    run in;
    if (!header->big_endian && out->i32 && header->size == 4) {
        copy_numbers(input, header, out->i32);
    } else if (!header->big_endian && !out->i32 && header->size == 8) {
        copy_numbers(input, header, out->i64 ? (void *)out->i64 : (void *)out->f64);
    } else {
        for (int64_t first = 0; first < header->count; first += RUN) {
            int64_t n = header->count - first < RUN ? header->count - first : RUN;
            fetch(input, header, first, n, &in);
            widen(header, &in, n, out, first);
            if (first % (RUN * 1024) == 0)
                mplan_input_forget(input, header->offset + (size_t)first * (size_t)header->size);
        }
    }
}

/* Columns lie one after the other in the file. A tile of TILE columns and
 * RUN rows is read column by column and written row by row. */
static void read_fortran_order(const mplan_input *input, const mplan_npy_header *header,
                               const mplan_numbers *out)
{
    union {
        int32_t i32[RUN];
        int64_t i64[RUN];
        double f64[RUN];
    } column;
    mplan_numbers one = {.i32 = out->i32 ? column.i32 : NULL,
                         .i64 = out->i64 ? column.i64 : NULL,
                         .f64 = out->f64 ? column.f64 : NULL};
    run in;
    int64_t rows = out->rows, cols = out->cols;
    for (int64_t left = 0; left < cols; left += TILE) {
        int64_t right = left + TILE < cols ? left + TILE : cols;
        for (int64_t first = 0; first < rows; first += RUN) {
            int64_t n = rows - first < RUN ? rows - first : RUN;
            for (int64_t c = left; c < right; c++) {
                fetch(input, header, c * rows + first, n, &in);
                widen(header, &in, n, &one, 0);
                if (out->i32)
                    for (int64_t r = 0; r < n; r++)
                        out->i32[(first + r) * cols + c] = column.i32[r];
                else /* eight bytes of whole numbers or reals */
                    for (int64_t r = 0; r < n; r++)
                        memcpy((out->i64 ? (void *)(out->i64 + (first + r) * cols + c)
                                         : (void *)(out->f64 + (first + r) * cols + c)),
                               &column.i64[r], 8);
            }
        }
    }
}

/* Arrays of one or two dimensions; the smallest of int32, int64 and double that
 * holds all numbers. */
mplan_status mplan_npy_read_numbers(const mplan_input *input, bool flags, mplan_numbers *numbers,
                                    mplan_error *err)
{
    mplan_npy_header header;
    mplan_numbers found = {0};
    bool narrow = false;
    memset(numbers, 0, sizeof *numbers);
    mplan_status status = flags ? mplan_npy_parse_flags(input, &header, err)
                                : mplan_npy_parse(input, &header, err);
    if (status)
        return status;
    if (header.ndim < 1 || header.ndim > 2)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: byte %zu: an array of %d dimensions is not a table; it must have 1 or 2",
                          input->path, header.offset, header.ndim);
    found.rows = header.shape[0];
    found.cols = header.ndim == 2 ? header.shape[1] : 1;
    found.real = header.kind == 'f';
    if (!found.real)
        status = fits_i32(input, &header, &narrow, err);
    if (status)
        return status;
    void *data = mplan_alloc(header.count, narrow ? 4 : 8, err);
    if (!data)
        return MPLAN_ERR_MEMORY;
    if (found.real)
        found.f64 = data;
    else if (narrow)
        found.i32 = data;
    else
        found.i64 = data;
    if (header.fortran)
        read_fortran_order(input, &header, &found);
    else
        read_c_order(input, &header, &found);
    *numbers = found;
    return MPLAN_OK;
}

/* --- dats -------------------------------------------------------------------- */

/* Tile by tile, so that both sides stay in cache. */
static void copy_fortran(const uint8_t *in, int64_t rows, int64_t cols, size_t size, uint8_t *out)
{
    for (int64_t top = 0; top < rows; top += TILE)
        for (int64_t left = 0; left < cols; left += TILE)
            for (int64_t r = top; r < rows && r < top + TILE; r++)
                for (int64_t c = left; c < cols && c < left + TILE; c++)
                    memcpy(out + (size_t)(r * cols + c) * size, in + (size_t)(c * rows + r) * size,
                           size);
}

/* out: all numbers in C order and the machine's byte order. */
mplan_status mplan_npy_copy(const mplan_input *input, const mplan_npy_header *header, void *out,
                            mplan_error *err)
{
    const uint8_t *in = input->data + header->offset;
    size_t size = (size_t)header->size;
    if (header->fortran && header->ndim > 2)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: byte %zu: %d dimensions in Fortran order are not supported",
                          input->path, header->offset, header->ndim);
    if (header->fortran)
        copy_fortran(in, header->shape[0], header->shape[1], size, out);
    else
        memcpy(out, in, (size_t)header->count * size);
    if (header->big_endian)
        mplan_swap_bytes(out, header->count, header->size);
    return MPLAN_OK;
}

/* --- the format ---------------------------------------------------------------- */

/* By numpy's magic. */
static mplan_recognised recognise(const uint8_t *data, size_t size)
{
    return mplan_npy_recognise(data, size) ? MPLAN_RECOGNISED_YES : MPLAN_RECOGNISED_NO;
}

/* A table without names: the options or the file's name say what it maps. */
static mplan_status read_table(const mplan_input *input, const mplan_read_options *options,
                               const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    mplan_numbers numbers;
    mplan_status status = mplan_interrupted(context, err);
    if (!status)
        status = mplan_npy_read_numbers(input, false, &numbers, err);
    if (status)
        return status;
    return mplan_table_from_numbers(mesh, input->path, &numbers, options ? options->table : NULL,
                                    context, err);
}

/* In pieces that let an interruption through. */
static mplan_status write_array(mplan_output *output, mplan_type type, int32_t ndim,
                                const int64_t *shape, const void *data,
                                const mplan_context *context, mplan_error *err)
{
    size_t bytes = (size_t)shape[0] * mplan_type_size(type);
    if (ndim > 1)
        bytes *= (size_t)shape[1];
    mplan_status status = mplan_npy_write_header(output, mplan_npy_descr(type), ndim, shape, err);
    for (size_t at = 0; at < bytes && !status; at += WRITE_BYTES) {
        size_t n = bytes - at < WRITE_BYTES ? bytes - at : WRITE_BYTES;
        status = mplan_heed(context, "write", (int64_t)at, (int64_t)bytes, err);
        if (!status)
            status = mplan_output_write(output, (const char *)data + at, n, err);
    }
    return status;
}

/* Ragged maps have no rectangular form. */
static mplan_status write_table(const mplan_mesh *mesh, const char *what, mplan_output *output,
                                const mplan_context *context, mplan_error *err)
{
    mplan_map map;
    mplan_status status = mplan_table_choose(mesh, what, &map, err);
    if (status)
        return status;
    if (map.arity == 0)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "map '%s' has rows of different lengths, which a .npy file cannot hold; "
                          "write it as text (.txt)",
                          map.name);
    const int64_t shape[2] = {map.n_rows, map.arity};
    return write_array(output, MPLAN_TYPE_I32, 2, shape, map.values, context, err);
}

/* cols 0: one dimension. The file appears under its name only when it is complete. */
mplan_status mplan_npy_write(const char *path, mplan_type type, int64_t rows, int64_t cols,
                             const void *data, const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(path);
    if (rows > 0)
        MPLAN_NEED(data);
    const int64_t shape[2] = {rows, cols};
    mplan_output *output = NULL;
    if (!mplan_type_size(type) || rows < 0 || cols < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: not an array that can be written", path);
    mplan_status status = mplan_output_open(path, context, &output, err);
    if (!status)
        status = write_array(output, type, cols > 0 ? 2 : 1, shape, data, context, err);
    if (!status)
        return mplan_output_commit(output, err);
    mplan_output_abort(output);
    return status;
}

const mplan_file_format mplan_format_npy = {
    .name = "npy",
    .description = "NumPy array: one mapping table",
    .extensions = ".npy",
    .recognise = recognise,
    .read = read_table,
    .write = write_table,
};
