/* SPDX-License-Identifier: Apache-2.0 */
/* vtu.c - reads VTK's XML files of unstructured grids (.vtu), and of PolyData and pieces (vtp.c, pvtu.c)
 *
 * Pieces are joined one behind the other; points that lie on both sides of a seam stay two. Of the data of cells
 * those are read that are groups (vtu_groups.c). Files of VTK's other types are recognised, so that the error says
 * what they are. */
#include "formats/vtk/vtu.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/vtk/vtu_reader.h"
#include "formats/vtk/vtu_write.h"

#ifdef MPLAN_HAVE_EXPAT

/* inflated: limited over all arrays, of all pieces. */
static mplan_status read_vtu(const mplan_input *input, const mplan_read_options *options,
                             const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    mplan_vtk_cells cells = {0};
    uint64_t inflated = 0;
    mplan_vector sources = MPLAN_VECTOR_INIT(sizeof(char *));
    mplan_status status = mplan_vtu_load(input, options, false, &inflated, context, &cells,
                                         &sources, err);
    const mplan_vtu_file pieces = {
        .path = input->path, .context = context, .inflated = &inflated, .sources = sources};
    if (!status && sources.count > 0)
        status = mplan_vtu_load_pieces(&pieces, options, &cells, err);
    for (int64_t i = 0; i < sources.count; i++)
        free(((char **)sources.data)[i]);
    free(sources.data);
    cells.group_array = options ? options->group_array : NULL;
    if (!status && cells.n_cells == 0)
        status = mplan_fail(err, MPLAN_ERR_MESH, "%s: the file has no cells", input->path);
    if (!status)
        return mplan_vtk_take_cells(input->path, &cells, mesh, context, err);
    mplan_vtk_cells_free(&cells);
    return status;
}
#else
static mplan_status read_vtu(const mplan_input *input, const mplan_read_options *options,
                             const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    (void)options, (void)context, (void)mesh;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: VTK XML files need a build with expat",
                      input->path);
}
#endif

/* The element VTKFile, behind whatever XML begins with (a declaration, comments), within the
 * first KiB. */
static mplan_recognised recognise_vtu(const uint8_t *data, size_t size)
{
    static const char mark[] = "<VTKFile";
    enum { LOOK = 1024, LENGTH = sizeof mark - 1 };
    size_t at = size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < size && at < LOOK && (data[at] == ' ' || (data[at] >= '\t' && data[at] <= '\r')))
        at++;
    if (at == size || data[at] != '<')
        return MPLAN_RECOGNISED_NO;
    for (; at + LENGTH <= size && at < LOOK; at++)
        if (memcmp(data + at, mark, LENGTH) == 0)
            return MPLAN_RECOGNISED_YES;
    return MPLAN_RECOGNISED_NO;
}

const mplan_file_format mplan_format_vtu = {
    .name = "vtu",
    .description =
        "VTK XML file, unstructured grid or PolyData: text, base64, raw, compressed; .pvtu with its pieces",
    .extensions = ".vtu .vtp .pvtu",
#ifndef MPLAN_HAVE_EXPAT
    .missing = "expat",
#endif
    .writes_without = true,
    .group_arrays = true,
    .recognise = recognise_vtu,
    .read = read_vtu,
    .write = mplan_vtu_write,
};
