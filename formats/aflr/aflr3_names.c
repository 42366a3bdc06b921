/* SPDX-License-Identifier: Apache-2.0 */
/* aflr3_names.c - names of surfaces as FUN3D keeps them, in a .mapbc file beside the mesh
 *
 * After FUN3D's manual: the number of rows, and in each the number of a surface, that of a boundary condition
 * and a name. USM3D's rows have further numbers before the name. */
#include <string.h>

#include "formats/aflr/aflr3.h"
#include "formats/scan.h"

/* The last word of the line, which is not a number. */
static bool last_word(mplan_scanner *scan, const char **word, size_t *length)
{
    int64_t number;
    *length = 0;
    while (!mplan_scan_line_ends(scan) && *scan->at != '!' && *scan->at != '#')
        mplan_scan_word(scan, word, length);
    return *length > 0 && mplan_parse_i64(*word, *word + *length, &number) != *length &&
           !memchr(*word, '\0', *length);
}

/* Lines "number condition ... name" of a .mapbc file; others, such as its head, are skipped.
 * Names point into the input and are not terminated. */
mplan_status mplan_aflr3_read_names(const mplan_input *input, mplan_vector *names, mplan_error *err)
{
    mplan_scanner scan;
    mplan_scan_begin(&scan, input);
    for (; scan.at < scan.end; mplan_scan_next_line(&scan)) {
        mplan_aflr3_name found;
        int64_t condition;
        if (mplan_scan_line_ends(&scan) || mplan_scan_i64(&scan, "", &found.id, NULL) ||
            mplan_scan_line_ends(&scan) || mplan_scan_i64(&scan, "", &condition, NULL) ||
            !last_word(&scan, &found.name, &found.length))
            continue;
        if (mplan_vector_push(names, &found, err))
            return MPLAN_ERR_MEMORY;
    }
    return MPLAN_OK;
}
