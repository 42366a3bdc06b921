/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.h - readers of plain arrays of numbers, for tables and coordinates alike
 *
 * Each reads a whole decoded file into *numbers, which is zeroed after a
 * failure. Errors begin with `path:line: ` or `path: byte N: `. */
#ifndef MPLAN_NUMBERS_H
#define MPLAN_NUMBERS_H

#include "formats/format.h"

/* npy.c: one array of one or two dimensions, whole numbers or reals, or with `flags` booleans, which are 0 and 1.
 * MPLAN_ERR_CORRUPT, MPLAN_ERR_UNSUPPORTED (other types), MPLAN_ERR_MEMORY. */
mplan_status mplan_npy_read_numbers(const mplan_input *input, bool flags, mplan_numbers *numbers,
                                    mplan_error *err);
/* text.c: numbers separated by blanks or commas, a row per line.
 * MPLAN_ERR_CORRUPT, MPLAN_ERR_MEMORY. */
mplan_status mplan_text_read_numbers(const mplan_input *input, const mplan_context *context,
                                     mplan_numbers *numbers, mplan_error *err);

#endif
