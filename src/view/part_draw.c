/* SPDX-License-Identifier: Apache-2.0 */
/* part_draw.c - a partition as a picture for ParaView, and as OpenFOAM's manual decomposition */
#include <string.h>

#include "base/error.h"
#include "base/file_output.h"
#include "base/option_size.h"
#include "formats/vtk/vtu_write.h"
#include "view/part_file.h"

/* The set is drawn as cells, or as the shapes that its nodes make; part numbers are a field of
 * it. The VTU writer refuses a set that has no nodes. */
mplan_status mplan_partition_draw(const mplan_mesh *mesh, const mplan_partition *partition,
                                  const char *path, const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(mesh);
    MPLAN_NEED(partition);
    MPLAN_NEED(path);
    if (partition->set < 0 || partition->set >= mplan_mesh_n_sets(mesh) ||
        mplan_mesh_set(mesh, partition->set).size != partition->n_elements)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the partition is one of another mesh");
    mplan_output *output = NULL;
    mplan_vtu_field field = {.name = "part", .type = MPLAN_TYPE_I32, .data = partition->part};
    mplan_status status = mplan_output_open(path, context, &output, err);
    if (!status)
        status = mplan_vtu_write_field(mesh, partition->set, &field, output, context, err);
    if (!status)
        return mplan_output_commit(output, err);
    mplan_output_abort(output);
    return status;
}

/* A labelList, as the method `manual` of decomposePar reads it and decomposePar -cellDist writes it. */
mplan_status mplan_partition_write_foam(const mplan_partition *partition, const char *path,
                                        const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(partition);
    MPLAN_NEED(path);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    mplan_output *output = NULL;
    mplan_status status = mplan_output_open(path, context, &output, err);
    if (!status)
        status = mplan_output_print(output, err,
                                    "FoamFile\n{\n    version     2.0;\n    format      ascii;\n"
                                    "    class       labelList;\n    location    \"constant\";\n"
                                    "    object      %s;\n}\n\n%lld\n(\n",
                                    name, (long long)partition->n_elements);
    for (int64_t e = 0; e < partition->n_elements && !status; e++) {
        status = mplan_part_line(output, partition->part[e], err);
        if (!status && e % (INT64_C(1) << 20) == 0)
            status = mplan_interrupted(context, err);
    }
    if (!status)
        status = mplan_output_print(output, err, ")\n");
    if (!status)
        return mplan_output_commit(output, err);
    mplan_output_abort(output);
    return status;
}
