/* SPDX-License-Identifier: Apache-2.0 */
/* text_out.c - text files of numbers, several times faster than printf */
#include "formats/text_out.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "formats/scan.h"

enum {
    BUFFER_BYTES = 1 << 18,
    LARGEST_PIECE = 1 << 16,
    NUMBER_BYTES = 64, /* of the longest number and a blank */
    MOST_DECIMALS = 27 /* 5^27 fits 63 bits */
};

/* out->status keeps the first failure: callers need not look at each number. mplan_text_end must
 * follow. */
mplan_status mplan_text_begin(mplan_text_out *out, mplan_output *output,
                              const mplan_context *context, mplan_error *err)
{
    *out = (mplan_text_out){.output = output, .context = context, .err = err};
    out->buffer = mplan_alloc(BUFFER_BYTES, 1, err);
    return out->status = out->buffer ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Writes what is there unless `size` bytes more fit; after a failure it is dropped. */
static void make_room(mplan_text_out *out, size_t size)
{
    if (out->used + size <= BUFFER_BYTES)
        return;
    if (!out->status)
        out->status = mplan_output_write(out->output, out->buffer, out->used, out->err);
    if (!out->status)
        out->status = mplan_heed(out->context, "write", mplan_output_bytes(out->output), 0, out->err);
    out->used = 0;
}

/* Frees the buffer, also after a failure; returns the first failure. */
mplan_status mplan_text_end(mplan_text_out *out)
{
    if (!out->status && out->used > 0)
        out->status = mplan_output_write(out->output, out->buffer, out->used, out->err);
    free(out->buffer);
    out->buffer = NULL;
    return out->status;
}

/* The blank behind the last number becomes the line end. */
mplan_status mplan_text_row(mplan_text_out *out)
{
    if (out->used > 0 && out->buffer[out->used - 1] == ' ')
        out->buffer[out->used - 1] = '\n';
    else {
        make_room(out, 1);
        out->buffer[out->used++] = '\n';
    }
    return out->status;
}

/* Any number of bytes, in pieces. */
void mplan_text_bytes(mplan_text_out *out, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        size_t n = size < LARGEST_PIECE ? size : LARGEST_PIECE;
        make_room(out, n);
        memcpy(out->buffer + out->used, at, n);
        out->used += n;
        at += n;
        size -= n;
    }
}

/* As it is, without a blank behind it. */
void mplan_text_put(mplan_text_out *out, const char *text)
{
    mplan_text_bytes(out, text, strlen(text));
}

/* The blank is still in the buffer: only what follows a number makes room. */
void mplan_text_join(mplan_text_out *out, const char *text)
{
    if (out->used > 0 && out->buffer[out->used - 1] == ' ')
        out->used--;
    mplan_text_put(out, text);
}

/* value x 10^-decimals */
static void put_decimal(mplan_text_out *out, bool negative, uint64_t value, int32_t decimals)
{
    char digits[MOST_DECIMALS + 24];
    int32_t n = 0;
    for (int32_t i = 0; i < decimals; i++) {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    }
    if (decimals > 0)
        digits[n++] = '.';
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    if (negative)
        digits[n++] = '-';
    while (n > 0)
        out->buffer[out->used++] = digits[--n];
    out->buffer[out->used++] = ' ';
}

/* With a blank behind it, as every number. The magnitude of INT64_MIN fits the unsigned type. */
void mplan_text_int(mplan_text_out *out, int64_t value)
{
    make_room(out, NUMBER_BYTES);
    put_decimal(out, value < 0, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 0);
}

/* True when the text that was written from `start` on reads back as value. */
static bool reads_back(const mplan_text_out *out, size_t start, double value)
{
    const char *at = out->buffer + start, *end = out->buffer + out->used - 1;
    double back;
    return mplan_parse_f64(at, end, &back) == (size_t)(end - at) && back == value;
}

/* The shortest of 15 to 17 significant digits that reads back. */
static void put_any_real(mplan_text_out *out, double value)
{
    size_t start = out->used;
    for (int digits = 15; digits <= 17; digits++) {
        char *text = out->buffer + start;
        int n = mplan_text_format(text, 40, "%.*g", digits, value);
        text[n] = ' ';
        out->used = start + (size_t)n + 1;
        if (reads_back(out, start, value))
            return;
    }
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

/* size x 10^decimals, rounded. With size = m 2^e it is m 5^decimals 2^(e + decimals):
 * the product of 53 and 63 bits is exact. */
static uint64_t scale_up(double size, int32_t decimals)
{
    int exponent;
    uint64_t mantissa = (uint64_t)ldexp(frexp(size, &exponent), 53), five = 1;
    for (int32_t i = 0; i < decimals; i++)
        five *= 5;
    int shift = 53 - exponent - decimals;
    assert(shift > 0 && shift < 128);
    wide product = (wide)mantissa * five;
    return (uint64_t)((product + ((wide)1 << (shift - 1))) >> shift);
}

/* Without 128-bit numbers the slow way is taken always. */
static bool put_near_real(mplan_text_out *out, double value)
{
    double size = fabs(value), scale = 1e8;
    int32_t most = 8;
    if (size < 1e-10 || size >= 1e9)
        return false;
    for (; size * scale < 1e16; scale *= 10)
        most++;
    size_t start = out->used;
    for (int32_t decimals = most - 2; decimals <= most; decimals++) {
        out->used = start;
        put_decimal(out, value < 0, scale_up(size, decimals), decimals);
        if (reads_back(out, start, value))
            return true;
    }
    out->used = start;
    return false;
}
#else
static bool put_near_real(mplan_text_out *out, double value)
{
    (void)out;
    (void)value;
    return false;
}
#endif

/* Six decimals where they read back as the same number: v / 10^6 of two exact
 * doubles is rounded as a reader rounds the text v * 10^-6. Else as many
 * digits as it takes. */
void mplan_text_real(mplan_text_out *out, double value)
{
    make_room(out, NUMBER_BYTES);
    double size = fabs(value);
    if (size < 1e9) {
        uint64_t scaled = (uint64_t)(size * 1e6 + 0.5);
        if ((double)scaled / 1e6 == size) {
            put_decimal(out, signbit(value), scaled, 6);
            return;
        }
    }
    if (!put_near_real(out, value))
        put_any_real(out, value);
}
