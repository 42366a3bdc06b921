/* SPDX-License-Identifier: Apache-2.0 */
/* scan_rows.h - long lists of text, a row on each line, read by threads */
#ifndef MPLAN_SCAN_ROWS_H
#define MPLAN_SCAN_ROWS_H

#include "formats/scan.h"

/* Lists shorter than that are not worth it. */
enum { MPLAN_ROWS_LEAST = 1 << 12 };

/* Whether mplan_scan_rows would read a list of n rows: it is long, and there are threads. */
bool mplan_scan_rows_pays(int64_t n, const mplan_context *context);

/* Reads row number `row`, and writes it where it belongs: `line` is at its first character and ends with its line. False where the row
 * is not as it is expected, for whatever reason; what was written does not count then. Several threads call it at a time, and a
 * failure says nothing: whoever reads the row again has the message. */
typedef bool mplan_row_reader(void *data, mplan_scanner *line, int64_t row);

/* Reads rows 0, 1, ... of a list of n, which begin at the scanner or behind white space there, by the threads of the context, as long
 * as each is as expected and has a line of its own, which ends in a line feed. *n_read: how many were; the scanner is at the line feed behind the last of these. The caller
 * reads the others one by one, so that what is read, and what is said of faults, does not depend on how many threads there
 * are. With one thread, and for short lists, *n_read is 0. */
mplan_status mplan_scan_rows(mplan_scanner *scan, int64_t n, mplan_row_reader *read, void *data,
                             const mplan_context *context, int64_t *n_read, mplan_error *err);

#endif
