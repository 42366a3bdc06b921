/* SPDX-License-Identifier: Apache-2.0 */
/* column_levels.c - layers of columns from the first and last level that files give */
#include "formats/column_levels.h"

#include <assert.h>

#include "base/error.h"

/* Ends are counted from 1 until they are written. */
mplan_status mplan_levels_to_ranges(const mplan_levels *levels, int64_t begin, int64_t n,
                                    const int64_t *first, const int64_t *last, int32_t *ranges,
                                    mplan_error *err)
{
    assert(levels && levels->layers >= 0 && levels->minus >= 0 && last && ranges);
    for (int64_t i = 0; i < n; i++) {
        const int64_t bottom = first && last[i] > 0 ? first[i] : 1, top = last[i] <= 0 ? 0 : last[i];
        const int64_t end = top > levels->minus ? top - levels->minus : 0;
        if (bottom < 1 || end > levels->layers || (end > 0 && bottom > end + 1))
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "%s: variable %s: %s %lld cannot have layers %lld to %lld of %d",
                              levels->path, levels->variable, levels->word, (long long)(begin + i),
                              (long long)bottom, (long long)end, (int)levels->layers);
        ranges[2 * i] = end >= bottom ? (int32_t)(bottom - 1) : 0;
        ranges[2 * i + 1] = end >= bottom ? (int32_t)end : 0;
    }
    return MPLAN_OK;
}
