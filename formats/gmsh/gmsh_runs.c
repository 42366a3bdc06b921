/* SPDX-License-Identifier: Apache-2.0 */
/* gmsh_runs.c - members of groups, as runs of elements in the order of the file */
#include "base/memory.h"
#include "formats/gmsh/gmsh_internal.h"

/* Elements of a group mostly follow each other: the last four runs are looked at
 * for one to extend. */
mplan_status mplan_gmsh_add_run(mplan_vector *runs, int64_t first, int64_t count, int64_t physical,
                                mplan_error *err)
{
    gmsh_run *last = runs->data;
    for (int64_t i = runs->count; i-- > 0 && i + 4 >= runs->count;)
        if (last[i].physical == physical && last[i].first + last[i].count == first) {
            last[i].count += count;
            return MPLAN_OK;
        }
    gmsh_run run = {first, count, physical};
    return mplan_vector_push(runs, &run, err);
}
