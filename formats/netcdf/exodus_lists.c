/* SPDX-License-Identifier: Apache-2.0 */
/* exodus_lists.c - counts, names and numbers of the lists of an Exodus II file */
#include "formats/netcdf/exodus.h"

#include <stdio.h>

#include "base/error.h"

#ifdef MPLAN_HAVE_NETCDF
/* Length of a dimension, 0 where there is none; refused where the file could not
 * hold as many. */
mplan_status mplan_exodus_count(const mplan_exodus *file, const char *dimension, int64_t *count,
                                mplan_error *err)
{
    *count = 0;
    if (mplan_netcdf_dimension(&file->file, dimension, count) < 0)
        *count = 0;
    if (*count <= file->file.most_bytes && *count < INT32_MAX)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: dimension %s is %lld, more than the file can hold",
                      file->file.input->path, dimension, (long long)*count);
}

/* Name and number of entry i of a list, from LIST_names and LIST_prop1; i + 1
 * where there is no number. */
void mplan_exodus_label(const mplan_exodus *file, const char *list, int64_t i,
                        char name[MPLAN_NETCDF_NAME], int64_t *id)
{
    char text[32];
    mplan_netcdf_variable variable;
    name[0] = '\0';
    *id = i + 1;
    snprintf(text, sizeof text, "%s_names", list);
    int found = mplan_netcdf_find(&file->file, text);
    if (found >= 0 && mplan_netcdf_describe(&file->file, found, &variable, NULL) == MPLAN_OK)
        mplan_netcdf_row_text(&file->file, &variable, i, name);
    snprintf(text, sizeof text, "%s_prop1", list);
    if (mplan_netcdf_need(&file->file, text, 1, &variable, NULL) == MPLAN_OK)
        mplan_netcdf_one(&file->file, &variable, i, id);
}
#endif
