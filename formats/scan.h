/* SPDX-License-Identifier: Apache-2.0 */
/* scan.h - numbers and words of text files, with the line they are in */
#ifndef MPLAN_SCAN_H
#define MPLAN_SCAN_H

#include "formats/format.h"

/* A text file that is read: `at` moves from begin to end. */
typedef struct mplan_scanner {
    const char *path;
    const char *begin, *at, *end;
    int64_t line; /* of `at`, from 1 */
} mplan_scanner;

void mplan_scan_begin(mplan_scanner *scan, const mplan_input *input);
/* "path:line: " and the message; returns status. */
#if defined __GNUC__
__attribute__((format(printf, 4, 5)))
#endif
mplan_status
mplan_scan_fail(const mplan_scanner *scan, mplan_error *err, mplan_status status,
                const char *format, ...);

/* The same, or with `bytes`, in files that have no lines, "path: byte N: " of the place `at`. */
#if defined __GNUC__
__attribute__((format(printf, 6, 7)))
#endif
mplan_status
mplan_scan_fail_at(const mplan_scanner *scan, const char *at, bool bytes, mplan_error *err,
                   mplan_status status, const char *format, ...);

/* Reports how much has been read, and heeds cancellation. */
mplan_status mplan_scan_heed(const mplan_scanner *scan, const mplan_context *context,
                             mplan_error *err);

/* Passes blanks (space, tab, CR) but stays on the line; true at its end or the
 * end of the file. */
bool mplan_scan_line_ends(mplan_scanner *scan);
/* To the start of the next line; false at the end of the file. */
bool mplan_scan_next_line(mplan_scanner *scan);
/* Passes blanks and line ends. False at the end of the file. */
bool mplan_scan_skip_space(mplan_scanner *scan);
/* Likewise, and comments from '#' to the end of a line. */
bool mplan_scan_skip_comments(mplan_scanner *scan);

/* The next word (up to white space or a comma), after white space and line
 * ends; false at the end of the file. Nothing is copied. */
bool mplan_scan_word(mplan_scanner *scan, const char **word, size_t *length);
/* The next whole number or real, after white space and line ends. `what` is for
 * the message: "path:12: expected WHAT, found 'abc'". MPLAN_ERR_CORRUPT. */
mplan_status mplan_scan_i64(mplan_scanner *scan, const char *what, int64_t *value, mplan_error *err);
mplan_status mplan_scan_f64(mplan_scanner *scan, const char *what, double *value, mplan_error *err);
/* Reads from [at, end) without a scanner: bytes used, 0 when no number is there. */
size_t mplan_parse_i64(const char *at, const char *end, int64_t *value);
size_t mplan_parse_f64(const char *at, const char *end, double *value);

#endif
