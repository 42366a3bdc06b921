/* SPDX-License-Identifier: Apache-2.0 */
/* pvtu.c - the pieces of a parallel VTK XML file (.pvtu), each a file of its own, as one mesh (vtk_join.c) */
#ifdef MPLAN_HAVE_EXPAT
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/sibling.h"
#include "formats/vtk/vtk_join.h"
#include "formats/vtk/vtu.h"

/* The file in the folder of this one, or below it, that a Source names: no other file of the user's is opened. */
static mplan_status load_source(mplan_vtk_joiner *joiner, const mplan_vtu_file *file,
                                const char *source, const mplan_read_options *options,
                                mplan_error *err)
{
    const char *path = file->path, *slash = strrchr(path, '/');
    const size_t folder = slash && source[0] != '/' ? (size_t)(slash - path) + 1 : 0;
    const size_t room = folder + strlen(source) + 3; /* "./": "-" is a file here */
    char *name = mplan_alloc((int64_t)room, 1, err);
    mplan_input_file opened = {0};
    mplan_vtk_cells part = {0};
    if (!name)
        return MPLAN_ERR_MEMORY;
    if (!mplan_sibling_below(source, strlen(source))) {
        free(name);
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: pieces must be files beside this one, not '%s'", path, source);
    }
    snprintf(name, room, "%.*s%s%s", (int)folder, path, source[0] == '-' ? "./" : "", source);
    mplan_status status = mplan_input_open_beside(name, &opened, file->context, err);
    if (!status) {
        status = mplan_vtu_load(&opened.input, options, true, file->inflated, file->context, &part,
                                NULL, err);
        if (!status)
            status = mplan_vtk_join_piece(joiner, &part);
        mplan_vtk_cells_free(&part);
        mplan_input_close(&opened);
    }
    free(name);
    return status;
}

/* Pieces are joined in the order of the file; points that pieces share become one (the joiner
 * finds them by coordinates). */
mplan_status mplan_vtu_load_pieces(const mplan_vtu_file *file, const mplan_read_options *options,
                                   mplan_vtk_cells *cells, mplan_error *err)
{
    char *const *source = file->sources.data;
    mplan_vtk_joiner *joiner;
    mplan_status status = mplan_vtk_join_begin(file->path, &joiner, err);
    for (int64_t i = 0; i < file->sources.count && !status; i++) {
        status = load_source(joiner, file, source[i], options, err);
        if (!status)
            status = mplan_interrupted(file->context, err);
    }
    if (!status)
        status = mplan_vtk_join_end(joiner, cells, file->context);
    mplan_vtk_join_free(joiner);
    return status;
}
#else
typedef int mplan_pvtu_needs_expat; /* a file holds something */
#endif
