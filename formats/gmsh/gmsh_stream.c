/* SPDX-License-Identifier: Apache-2.0 */
/* gmsh_stream.c - numbers and sections of MSH files, text and binary alike
 *
 * Readers of sections ask for ints, sizes and doubles; here it is decided
 * whether these are words of text or bytes of either order. Integers come as
 * int64_t whatever their width. */
#include "formats/gmsh/gmsh_internal.h"

#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "formats/byte_order.h"

enum { WORDS = 1 << 17 }; /* of a piece */

/* The next n x width bytes of a binary file; NULL with err filled. */
static const char *take_bytes(gmsh_reader *reader, const char *what, int64_t n, size_t width,
                              mplan_error *err)
{
    const char *at = reader->scan.at;
    if (n < 0 || (uint64_t)n > (size_t)(reader->scan.end - at) / width) {
        mplan_gmsh_fail(reader, at, err, MPLAN_ERR_CORRUPT,
                        "expected %s, found the end of the file", what);
        return NULL;
    }
    reader->scan.at = at + (size_t)n * width;
    return at;
}

/* n whole numbers between blanks. */
static mplan_status text_integers(gmsh_reader *reader, const char *what, int64_t n, int64_t *values,
                                  mplan_error *err)
{
    for (int64_t i = 0; i < n; i++) {
        mplan_status status = mplan_scan_i64(&reader->scan, what, &values[i], err);
        if (status)
            return status;
    }
    return MPLAN_OK;
}

/* n numbers of 4 bytes, which need not be aligned. */
static void decode_ints(const char *from, bool swap, int64_t n, int64_t *values)
{
    for (int64_t i = 0; i < n; i++)
        values[i] = (int32_t)mplan_load_bits(from + 4 * i, 4, swap);
}

/* n numbers of 4 bytes in binary files. */
mplan_status mplan_gmsh_ints(gmsh_reader *reader, const char *what, int64_t n, int64_t *values,
                             mplan_error *err)
{
    if (!reader->binary)
        return text_integers(reader, what, n, values, err);
    const char *from = take_bytes(reader, what, n, 4, err);
    if (!from)
        return MPLAN_ERR_CORRUPT;
    decode_ints(from, reader->swap, n, values);
    return MPLAN_OK;
}

/* Words of 8 bytes, which need not be aligned. */
typedef struct word_copy {
    const char *from;
    int64_t *to;
} word_copy;

static void copy_words(void *data, int thread, int64_t begin, int64_t end)
{
    const word_copy *copy = data;
    (void)thread;
    memcpy(copy->to + begin, copy->from + 8 * begin, (size_t)(end - begin) * 8);
}

/* n sizes, of 4 or 8 bytes in binary files; values: out. */
mplan_status mplan_gmsh_sizes(gmsh_reader *reader, const char *what, int64_t n, int64_t *values,
                              mplan_error *err)
{
    if (!reader->binary)
        return text_integers(reader, what, n, values, err);
    const char *from = take_bytes(reader, what, n, reader->size_width, err);
    if (!from)
        return MPLAN_ERR_CORRUPT;
    if (reader->size_width == 4) {
        decode_ints(from, reader->swap, n, values);
        for (int64_t i = 0; i < n; i++)
            values[i] = (uint32_t)values[i];
        return MPLAN_OK;
    }
    word_copy copy = {from, values};
    mplan_for(mplan_team_of(reader->context), n, WORDS, copy_words, &copy);
    if (reader->swap)
        mplan_swap_bytes(values, n, 8);
    return MPLAN_OK;
}

/* n reals of 8 bytes in binary files. */
mplan_status mplan_gmsh_doubles(gmsh_reader *reader, const char *what, int64_t n, double *values,
                                mplan_error *err)
{
    if (!reader->binary) {
        for (int64_t i = 0; i < n; i++) {
            mplan_status status = mplan_scan_f64(&reader->scan, what, &values[i], err);
            if (status)
                return status;
        }
        return MPLAN_OK;
    }
    const char *from = take_bytes(reader, what, n, 8, err);
    if (!from)
        return MPLAN_ERR_CORRUPT;
    memcpy(values, from, (size_t)n * 8);
    if (reader->swap)
        mplan_swap_bytes(values, n, 8);
    return MPLAN_OK;
}

/* Whether `count` items can still be in the file: each has at least `numbers`
 * numbers in text, `least` bytes in binary. */
mplan_status mplan_gmsh_fits(const gmsh_reader *reader, const char *what, int64_t count,
                             int64_t numbers, size_t least, mplan_error *err)
{
    int64_t left = reader->scan.end - reader->scan.at;
    int64_t each = reader->binary ? (int64_t)least : 2 * numbers;
    if (count >= 0 && count <= (left + 1) / each)
        return MPLAN_OK;
    return mplan_gmsh_fail(reader, reader->scan.at, err, MPLAN_ERR_CORRUPT,
                           "%lld %s do not fit into the rest of the file", (long long)count, what);
}

/* A count that is believed only if as much can follow. */
mplan_status mplan_gmsh_count(gmsh_reader *reader, const char *what, int64_t numbers, size_t least,
                              int64_t *count, mplan_error *err)
{
    char expected[64];
    snprintf(expected, sizeof expected, "the number of %s", what);
    mplan_status status = mplan_gmsh_sizes(reader, expected, 1, count, err);
    return status ? status : mplan_gmsh_fits(reader, what, *count, numbers, least, err);
}

/* what: for the message. */
mplan_status mplan_gmsh_text_int(gmsh_reader *reader, const char *what, int64_t *value,
                                 mplan_error *err)
{
    mplan_scan_skip_space(&reader->scan);
    const char *at = reader->scan.at;
    size_t used = mplan_parse_i64(at, reader->scan.end, value);
    if (used == 0)
        return mplan_gmsh_fail(reader, at, err, MPLAN_ERR_CORRUPT, "expected %s", what);
    reader->scan.at += used;
    return MPLAN_OK;
}

/* A number by itself on its line; it may be negative: the caller compares it with the file. */
mplan_status mplan_gmsh_text_count(gmsh_reader *reader, const char *what, int64_t *count,
                                   mplan_error *err)
{
    char expected[64];
    snprintf(expected, sizeof expected, "the number of %s", what);
    mplan_status status = mplan_gmsh_text_int(reader, expected, count, err);
    return status ? status : mplan_gmsh_end_line(reader, err);
}

/* Goes to the next line. */
mplan_status mplan_gmsh_end_line(gmsh_reader *reader, mplan_error *err)
{
    if (!mplan_scan_line_ends(&reader->scan))
        return mplan_gmsh_fail(reader, reader->scan.at, err, MPLAN_ERR_CORRUPT,
                               "expected the end of the line");
    mplan_scan_next_line(&reader->scan);
    return MPLAN_OK;
}

/* The line $EndNAME; nothing else may come before it. */
mplan_status mplan_gmsh_end_section(gmsh_reader *reader, const char *name, mplan_error *err)
{
    const char *word = NULL;
    size_t length = 0, n = strlen(name);
    mplan_scan_skip_space(&reader->scan);
    mplan_scanner before = reader->scan;
    bool any = mplan_scan_word(&reader->scan, &word, &length);
    if (any && length == n + 4 && memcmp(word, reader->version == 10 ? "$END" : "$End", 4) == 0 &&
        memcmp(word + 4, name, n) == 0)
        return MPLAN_OK;
    reader->scan = before;
    return mplan_gmsh_fail(reader, before.at, err, MPLAN_ERR_CORRUPT, "expected $End%s, found %s",
                           name, any ? "something else" : "the end of the file");
}

/* Looks for the line $EndNAME, whatever is in between. */
mplan_status mplan_gmsh_skip_section(gmsh_reader *reader, const char *name, size_t length,
                                     mplan_error *err)
{
    mplan_scanner *scan = &reader->scan;
    const mplan_scanner before = *scan;
    do {
        size_t left = (size_t)(scan->end - scan->at);
        if (left >= length + 4 && memcmp(scan->at, "$End", 4) == 0 &&
            memcmp(scan->at + 4, name, length) == 0) {
            scan->at += length + 4;
            if (scan->at == scan->end || mplan_scan_line_ends(scan))
                return MPLAN_OK;
        }
    } while (mplan_scan_next_line(scan));
    *scan = before;
    return mplan_gmsh_fail(reader, before.at, err, MPLAN_ERR_CORRUPT,
                           "the section $%.*s has no end", (int)(length < 64 ? length : 64), name);
}

/* Says how far the reader is and heeds a signal. */
mplan_status mplan_gmsh_pause(const gmsh_reader *reader, mplan_error *err)
{
    return mplan_scan_heed(&reader->scan, reader->context, err);
}
