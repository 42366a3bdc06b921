/* SPDX-License-Identifier: Apache-2.0 */
/* libmesh_items.c - numbers and words of libMesh's files, text or XDR
 *
 * After src/utils/xdr_cxx.C of libMesh and RFC 4506: XDR numbers are big-endian; text is its length and its bytes, filled up
 * to a multiple of 4. In text files an item of its own is followed by a tab and a comment. */
#include <string.h>

#include "base/error.h"
#include "formats/fem/libmesh.h"

static const char magic[] = "libMesh";
enum { MAGIC = sizeof magic - 1, MOST_VERSION = 64 };

/* Bytes that have not been read. */
static int64_t left_of(const mplan_libmesh_items *items)
{
    return items->scan.end - items->scan.at;
}

/* XDR: the first byte counts most.
 * at: `bytes` of them, which the caller has compared with the end of the file; at most 8. */
static uint64_t big_endian(const char *at, int32_t bytes)
{
    uint64_t value = 0;
    for (int32_t i = 0; i < bytes; i++)
        value = value << 8 | (uint8_t)at[i];
    return value;
}

/* Whether the file begins as libMesh's do: in text with the magic itself, in XDR with the
 * length of the version's name in four bytes, then the name. */
bool mplan_libmesh_begin(mplan_libmesh_items *items, const mplan_input *input)
{
    const char *data = (const char *)input->data;
    memset(items, 0, sizeof *items);
    mplan_scan_begin(&items->scan, input);
    items->width = 4;
    items->binary = input->size >= 4 + MAGIC && data[0] == 0;
    if (!items->binary)
        return input->size >= MAGIC && memcmp(data, magic, MAGIC) == 0;
    const uint64_t length = big_endian(data, 4);
    return length >= MAGIC && length <= MOST_VERSION && memcmp(data + 4, magic, MAGIC) == 0;
}

/* what: the item that is missing. */
static mplan_status fail_end(const mplan_libmesh_items *items, const char *what, mplan_error *err)
{
    return mplan_libmesh_fail(items, err, MPLAN_ERR_CORRUPT, "the file ends before %s", what);
}

/* Before n items are made room for: each has at least `bytes` bytes in XDR, or a digit and a blank in text.
 * After success n is also below 2^31 - 1. */
mplan_status mplan_libmesh_room(const mplan_libmesh_items *items, const char *what, int64_t n,
                                int64_t bytes, mplan_error *err)
{
    if (n >= 0 && n < INT32_MAX && n <= left_of(items) / (items->binary ? bytes : 2) + 1)
        return MPLAN_OK;
    return mplan_libmesh_fail(items, err, MPLAN_ERR_CORRUPT,
                              "%s cannot be %lld: the file is too short", what, (long long)n);
}

/* The largest value is libMesh's "none"; it becomes -1.
 * width: 4 or 8 bytes, of binary files; text has numbers of any length. */
mplan_status mplan_libmesh_next(mplan_libmesh_items *items, int32_t width, const char *what,
                                int64_t *value, mplan_error *err)
{
    if (!items->binary)
        return mplan_scan_i64(&items->scan, what, value, err);
    if (left_of(items) < width)
        return fail_end(items, what, err);
    const uint64_t bits = big_endian(items->scan.at, width);
    *value = bits > INT64_MAX || (width == 4 && bits == UINT32_MAX) ? -1 : (int64_t)bits;
    items->scan.at += width;
    return MPLAN_OK;
}

/* XDR stores doubles by their bits, the highest byte first. */
mplan_status mplan_libmesh_real(mplan_libmesh_items *items, const char *what, double *value,
                                mplan_error *err)
{
    if (!items->binary)
        return mplan_scan_f64(&items->scan, what, value, err);
    if (left_of(items) < 8)
        return fail_end(items, what, err);
    const uint64_t bits = big_endian(items->scan.at, 8);
    memcpy(value, &bits, sizeof *value);
    items->scan.at += 8;
    return MPLAN_OK;
}

/* A number by itself: in text the rest of its line is a comment. */
mplan_status mplan_libmesh_whole(mplan_libmesh_items *items, int32_t width, const char *what,
                                 int64_t *value, mplan_error *err)
{
    mplan_status status = mplan_libmesh_next(items, width, what, value, err);
    if (!status && !items->binary)
        mplan_scan_next_line(&items->scan);
    return status;
}

/* Of binary files: the length before it.
 * Texts are filled up to a multiple of four bytes, as XDR has it; *text is a view without the filling. */
static mplan_status take_text(mplan_libmesh_items *items, const char *what,
                              mplan_libmesh_text *text, mplan_error *err)
{
    int64_t length = 0;
    mplan_status status = mplan_libmesh_next(items, 4, what, &length, err);
    if (status)
        return status;
    if (length < 0 || (length + 3) / 4 * 4 > left_of(items))
        return fail_end(items, what, err);
    *text = (mplan_libmesh_text){items->scan.at, (size_t)length};
    items->scan.at += (length + 3) / 4 * 4;
    return MPLAN_OK;
}

/* The first word of a line, or an XDR text. It points into the file and has no zero at its end. */
mplan_status mplan_libmesh_line(mplan_libmesh_items *items, const char *what,
                                mplan_libmesh_text *text, mplan_error *err)
{
    if (items->binary)
        return take_text(items, what, text, err);
    const char *at = items->scan.at, *end = at;
    while (end < items->scan.end && *end != '\t' && *end != ' ' && *end != '\n' && *end != '\r')
        end++;
    if (at == items->scan.end)
        return fail_end(items, what, err);
    mplan_scan_next_line(&items->scan);
    *text = (mplan_libmesh_text){at, (size_t)(end - at)};
    return MPLAN_OK;
}

/* *n: the length that begins a vector, which the file has room for. */
mplan_status mplan_libmesh_vector(mplan_libmesh_items *items, const char *what, int64_t *n,
                                  mplan_error *err)
{
    mplan_status status = mplan_libmesh_whole(items, 4, what, n, err);
    return status ? status : mplan_libmesh_room(items, what, *n, 4, err);
}

/* text points into the file. */
mplan_status mplan_libmesh_word(mplan_libmesh_items *items, const char *what,
                                mplan_libmesh_text *text, mplan_error *err)
{
    if (items->binary)
        return take_text(items, what, text, err);
    return mplan_scan_word(&items->scan, &text->at, &text->length) ? MPLAN_OK
                                                                   : fail_end(items, what, err);
}

/* In text files vectors are a line, also empty ones. */
void mplan_libmesh_end_vector(mplan_libmesh_items *items)
{
    if (!items->binary)
        mplan_scan_next_line(&items->scan);
}
