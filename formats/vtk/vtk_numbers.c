/* SPDX-License-Identifier: Apache-2.0 */
/* vtk_numbers.c - words and numbers of VTK's legacy files, in text and binary */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "formats/byte_order.h"
#include "formats/vtk/vtk_reader.h"

/* --- errors and words --------------------------------------------------------- */

/* Keywords may be in either case; not by tolower(3), which asks the locale. */
char mplan_vtk_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The next word, in lower case; false at the end of the file. Longer ones are cut, as no keyword
 * is. */
bool mplan_vtk_take_word(vtk_reader *reader, vtk_word *word)
{
    const char *text;
    size_t length;
    if (!mplan_scan_word(&reader->scan, &text, &length))
        return false;
    if (length >= sizeof word->text)
        length = sizeof word->text - 1;
    for (size_t i = 0; i < length; i++)
        word->text[i] = mplan_vtk_lower(text[i]);
    word->text[length] = '\0';
    return true;
}

/* what: what would have come next, for the message. */
mplan_status mplan_vtk_need_word(vtk_reader *reader, const char *what, vtk_word *word,
                                 mplan_error *err)
{
    return mplan_vtk_take_word(reader, word)
               ? MPLAN_OK
               : mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT, "the file ends before %s", what);
}

/* text in lower case. */
bool mplan_vtk_is(const vtk_word *word, const char *text)
{
    return strcmp(word->text, text) == 0;
}

/* A whole number of a keyword's line, at least 0. */
mplan_status mplan_vtk_take_count(vtk_reader *reader, const char *what, int64_t *count,
                                  mplan_error *err)
{
    vtk_word word;
    mplan_status status = mplan_vtk_need_word(reader, what, &word, err);
    if (status)
        return status;
    size_t length = strlen(word.text);
    if (mplan_parse_i64(word.text, word.text + length, count) != length || *count < 0)
        return mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT, "expected %s, found '%s'", what,
                                   word.text);
    return MPLAN_OK;
}

/* --- arrays ----------------------------------------------------------------------- */

/* vtkIdType is written as int, long as eight bytes. */
/* clang-format off */
static const vtk_type number_types[] = {
    {"bit", VTK_BIT, 1},           {"unsigned_char", VTK_UNSIGNED, 1},
    {"char", VTK_INTEGER, 1},      {"signed_char", VTK_INTEGER, 1},
    {"unsigned_short", VTK_UNSIGNED, 2}, {"short", VTK_INTEGER, 2},
    {"unsigned_int", VTK_UNSIGNED, 4},   {"int", VTK_INTEGER, 4},
    {"unsigned_long", VTK_UNSIGNED, 8},  {"long", VTK_INTEGER, 8},
    {"float", VTK_REAL, 4},        {"double", VTK_REAL, 8},
    {"vtkidtype", VTK_INTEGER, 4}, {"vtktypeint64", VTK_INTEGER, 8},
    {"vtktypeint32", VTK_INTEGER, 4},    {"vtktypeuint64", VTK_UNSIGNED, 8},
    {"vtktypeuint32", VTK_UNSIGNED, 4},  {"string", VTK_STRING, 1},
};
/* clang-format on */
const vtk_type mplan_vtk_int = {"int", VTK_INTEGER, 4};

/* *type: a row of the table of number types. */
mplan_status mplan_vtk_take_type(vtk_reader *reader, const vtk_type **type, mplan_error *err)
{
    vtk_word word;
    mplan_status status = mplan_vtk_need_word(reader, "a type of numbers", &word, err);
    if (status)
        return status;
    for (size_t t = 0; t < sizeof number_types / sizeof *number_types; t++)
        if (mplan_vtk_is(&word, number_types[t].name)) {
            *type = &number_types[t];
            return MPLAN_OK;
        }
    return mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT, "'%s' is not a number type",
                               word.text);
}

/* To where the n numbers of a keyword's line begin, which are as many as the file can hold:
 * every caller may allocate n afterwards. In text a number takes a digit and a blank, but for
 * the last. */
mplan_status mplan_vtk_begin_numbers(vtk_reader *reader, const vtk_type *type, int64_t n,
                                     const char *what, mplan_error *err)
{
    if (type->number == VTK_STRING)
        return mplan_vtk_fail_here(reader, err, MPLAN_ERR_UNSUPPORTED, "%s are strings", what);
    mplan_scan_next_line(&reader->scan);
    int64_t left = reader->scan.end - reader->scan.at;
    int64_t most = !reader->binary           ? left / 2 + 1
                   : type->number == VTK_BIT ? (left <= INT64_MAX / 8 ? 8 * left : INT64_MAX)
                                             : left / type->bytes;
    if (n > most)
        return mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT,
                                   "the file ends before the %lld numbers of %s", (long long)n, what);
    return MPLAN_OK;
}

/* The next n bytes as a big-endian number. */
static uint64_t take_bytes(vtk_reader *reader, int32_t n)
{
    const char *at = reader->scan.at;
    reader->scan.at += n;
    return mplan_load_bits(at, n, true);
}

/* One binary whole number; *large: it is above INT64_MAX. Negative numbers by their distance
 * from -2^(bits-1), without a cast that C leaves open. */
static int64_t take_binary_whole(vtk_reader *reader, const vtk_type *type, bool *large)
{
    uint64_t bits = take_bytes(reader, type->bytes);
    *large = false;
    if (type->number == VTK_UNSIGNED) {
        *large = bits > (uint64_t)INT64_MAX;
        return *large ? 0 : (int64_t)bits;
    }
    uint64_t sign = UINT64_C(1) << (8 * type->bytes - 1);
    return bits & sign ? -(int64_t)(sign - (bits & (sign - 1)) - 1) - 1 : (int64_t)bits;
}

/* Big-endian; the caller has checked that it is there. */
double mplan_vtk_take_binary_real(vtk_reader *reader, const vtk_type *type)
{
    uint64_t bits = take_bytes(reader, type->bytes);
    if (type->bytes == 4) {
        uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Text or binary. In binary files the caller has checked that it is there
 * (mplan_vtk_begin_numbers). */
mplan_status mplan_vtk_take_whole(vtk_reader *reader, const vtk_type *type, const char *what,
                                  int64_t *value, mplan_error *err)
{
    bool large;
    if (!reader->binary)
        return mplan_scan_i64(&reader->scan, what, value, err);
    *value = take_binary_whole(reader, type, &large);
    return large ? mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT, "%s exceeds 64 bits", what)
                 : MPLAN_OK;
}

/* what: the array, for the message. */
mplan_status mplan_vtk_need_whole_type(const vtk_reader *reader, const vtk_type *type,
                                       const char *what, mplan_error *err)
{
    if (type->number == VTK_INTEGER || type->number == VTK_UNSIGNED)
        return MPLAN_OK;
    return mplan_vtk_fail_here(reader, err, MPLAN_ERR_CORRUPT,
                               "%s are of type %s, not whole numbers", what, type->name);
}

/* Once in 65,536 numbers: says how far the reader is and heeds a signal. */
mplan_status mplan_vtk_pause_at(const vtk_reader *reader, int64_t i, mplan_error *err)
{
    return i % 65536 == 0 ? mplan_scan_heed(&reader->scan, reader->context, err) : MPLAN_OK;
}

/* Lines of text up to an empty one. */
void mplan_vtk_skip_metadata(vtk_reader *reader)
{
    while (mplan_scan_next_line(&reader->scan))
        if (mplan_scan_line_ends(&reader->scan))
            return;
}

/* n numbers of a type, without reading them in binary. In text they are read: nothing else says
 * where they end. */
mplan_status mplan_vtk_skip_numbers(vtk_reader *reader, const vtk_type *type, int64_t n,
                                    mplan_error *err)
{
    mplan_status status = mplan_vtk_begin_numbers(reader, type, n, "a field", err);
    if (status)
        return status;
    if (reader->binary) {
        reader->scan.at += type->number == VTK_BIT ? (n + 7) / 8 : n * type->bytes;
        return MPLAN_OK;
    }
    for (int64_t i = 0; i < n && !status; i++) {
        double unused;
        status = mplan_scan_f64(&reader->scan, "a number of a field", &unused, err);
    }
    return status;
}
