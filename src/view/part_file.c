/* SPDX-License-Identifier: Apache-2.0 */
/* part_file.c - a partition as METIS's programs write it: a part on every line */
#include "view/part_file.h"

#include "base/error.h"
#include "base/option_size.h"

/* One number and a line end, by hand: files have a line for each element.
 * text is filled from its end: a number below 2^32 has ten digits at most. */
mplan_status mplan_part_line(mplan_output *output, int32_t part, mplan_error *err)
{
    char text[12];
    char *at = text + sizeof text;
    uint32_t left = (uint32_t)part;
    *--at = '\n';
    do
        *--at = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    return mplan_output_write(output, at, (size_t)(text + sizeof text - at), err);
}

/* The file that METIS writes: a part number per line, in the order of the set. A failure or an
 * interruption leaves no file, and an earlier one as it was. */
mplan_status mplan_partition_write(const mplan_partition *partition, const char *path,
                                   const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(partition);
    MPLAN_NEED(path);
    mplan_output *output = NULL;
    mplan_status status = mplan_output_open(path, context, &output, err);
    for (int64_t e = 0; e < partition->n_elements && !status; e++) {
        status = mplan_part_line(output, partition->part[e], err);
        if (!status && e % (INT64_C(1) << 20) == 0)
            status = mplan_interrupted(context, err);
    }
    if (!status)
        return mplan_output_commit(output, err);
    mplan_output_abort(output);
    return status;
}
