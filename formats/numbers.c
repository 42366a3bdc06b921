/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.c - arrays of numbers between a file and what they become */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/format.h"

/* All numbers of all rows. */
static int64_t count_of(const mplan_numbers *numbers)
{
    return numbers->offsets ? numbers->offsets[numbers->rows] : numbers->rows * numbers->cols;
}

/* numbers may be NULL; arrays that were taken are NULL. */
void mplan_numbers_free(mplan_numbers *numbers)
{
    if (!numbers)
        return;
    free(numbers->i32);
    free(numbers->i64);
    free(numbers->f64);
    free(numbers->offsets);
    memset(numbers, 0, sizeof *numbers);
}

/* Rows of different lengths are an error where a table must be rectangular; the
 * first such line is named. */
mplan_status mplan_numbers_require_fixed(const char *path, const mplan_numbers *numbers,
                                         mplan_error *err)
{
    if (!numbers->offsets)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_CORRUPT,
                      "%s:%" PRId64 ": the row has %" PRId64
                      " numbers, but the first row has %" PRId64,
                      path, numbers->ragged_line, numbers->ragged_found, numbers->ragged_first);
}

/* Whole numbers become doubles, 64-bit ones in place. */
mplan_status mplan_numbers_to_real(mplan_numbers *numbers, mplan_error *err)
{
    int64_t n = count_of(numbers);
    if (numbers->i32) {
        double *real = mplan_alloc(n, sizeof *real, err);
        if (!real)
            return MPLAN_ERR_MEMORY;
        for (int64_t i = 0; i < n; i++)
            real[i] = numbers->i32[i];
        free(numbers->i32);
        numbers->i32 = NULL;
        numbers->f64 = real;
    } else if (numbers->i64) {
        /* in place; through memcpy because the type of the bytes changes */
        for (int64_t i = 0; i < n; i++) {
            double x = (double)numbers->i64[i];
            memcpy(numbers->i64 + i, &x, sizeof x);
        }
        numbers->f64 = (double *)(void *)numbers->i64;
        numbers->i64 = NULL;
    }
    numbers->real = true;
    return MPLAN_OK;
}
