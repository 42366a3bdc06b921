/* SPDX-License-Identifier: Apache-2.0 */
/* foam.c - reads OpenFOAM's meshes: the files points, faces, owner, neighbour and boundary of a folder
 *
 * A case, its constant or its polyMesh folder may be named, or one of the files (foam_folder.c); a case in parts
 * becomes one mesh (foam_decomposed.c). OpenFOAM numbers
 * faces between two cells first, so that the two sets that meshplan has of faces are runs of its list: faces,
 * whose normals leave the cell of lower number, and boundary_faces, dealt out to patches. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/foam/foam_parts.h"
#include "mesh/mesh.h"

/* Patches, which are of a set that is there now. */
static mplan_status read_boundary(const mplan_foam_source *source, const mplan_foam_mesh *foam,
                                  mplan_mesh *mesh, mplan_error *err)
{
    mplan_foam_boundary patches = MPLAN_FOAM_BOUNDARY_INIT;
    mplan_foam_file file;
    mplan_status status = mplan_foam_open_source(source, MPLAN_FOAM_BOUNDARY, &file, NULL, err);
    if (status)
        return status;
    status = mplan_foam_take_boundary(&file, foam->n_inner, foam->n_faces, false, &patches, err);
    if (!status)
        status = mplan_foam_add_boundary(&patches, foam->n_inner, foam->n_faces, mesh, err);
    mplan_foam_boundary_free(&patches);
    mplan_foam_close(&file);
    return status;
}

/* The files that there are.
 * most: members of a zone are below it, by kind. */
static mplan_status read_zones(const mplan_foam_source *source, const mplan_foam_mesh *foam,
                               mplan_mesh *mesh, mplan_error *err)
{
    const int64_t most[MPLAN_FOAM_N_ZONED] = {foam->n_cells, foam->n_faces, foam->n_points};
    mplan_vector zones = MPLAN_VECTOR_INIT(sizeof(mplan_foam_zone));
    mplan_status status = MPLAN_OK;
    for (int32_t of = 0; of < MPLAN_FOAM_N_ZONED && !status; of++) {
        mplan_foam_file file;
        bool found;
        status = mplan_foam_open_source(source, MPLAN_FOAM_CELL_ZONES + of, &file, &found, err);
        if (status || !found)
            continue;
        status = mplan_foam_take_zones(&file, (mplan_foam_zoned)of, most[of], NULL, &zones, err);
        mplan_foam_close(&file);
    }
    if (!status)
        status = mplan_foam_add_zones(&zones, foam->n_inner, mesh, err);
    mplan_foam_zones_free(&zones);
    return status;
}

/* Groups of faces are numbered from the patches on. */
mplan_status mplan_foam_read_groups(const mplan_foam_source *source, const mplan_foam_mesh *foam,
                                    mplan_mesh *mesh, mplan_error *err)
{
    mplan_status status = read_boundary(source, foam, mesh, err);
    return status ? status : read_zones(source, foam, mesh, err);
}

/* Whether points are in blocks, a block for each part. */
static bool is_collated(const mplan_foam_source *source)
{
    mplan_foam_file file;
    bool found;
    if (mplan_foam_open_source(source, MPLAN_FOAM_POINTS, &file, &found, NULL) || !found)
        return false;
    bool collated = strcmp(file.kind, "decomposedBlockData") == 0;
    mplan_foam_close(&file);
    return collated;
}

/* A collated case is one decomposed case in one file and is joined as such. Boundary and zones
 * come after the mesh: their faces are numbered as in `faces`, of which the mesh keeps those at
 * the boundary. */
mplan_status mplan_foam_read(const mplan_foam_source *source, mplan_mesh *mesh, mplan_error *err)
{
    mplan_foam_mesh foam = {0};
    if (source->inputs && is_collated(source)) {
        const mplan_foam_decomposed parts = {NULL, 1, true};
        return mplan_foam_read_decomposed(&parts, source->inputs, source->folder, source->context,
                                          mesh, err);
    }
    mplan_status status = mplan_foam_read_lists(source, &foam, err);
    if (!status)
        status = mplan_foam_add_mesh(&foam, source->folder, mesh, source->context, err);
    if (!status)
        status = mplan_foam_read_groups(source, &foam, mesh, err);
    mplan_foam_free_mesh(&foam);
    return status;
}

/* input: any file of the case's polyMesh, or the case. */
static mplan_status read_foam(const mplan_input *input, const mplan_read_options *options,
                              const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    mplan_foam_case found = {0};
    mplan_status status = mplan_foam_find(input, options ? options->zone : NULL, &found, context,
                                          err);
    const mplan_foam_source source = {.folder = found.folder, .context = context};
    if (!status)
        status = found.folder ? mplan_foam_read(&source, mesh, err)
                              : mplan_foam_read_decomposed(&found.parts, NULL, input->path, context,
                                                           mesh, err);
    mplan_foam_case_free(&found);
    return status;
}

/* Comments, then FoamFile. */
static mplan_recognised recognise_foam(const uint8_t *data, size_t size)
{
    static const char mark[] = "FoamFile";
    mplan_foam_file file = {.at = (const char *)data,
                            .end = (const char *)data + (size < 4096 ? size : 4096)};
    if (!mplan_foam_skip(&file) || (size_t)(file.end - file.at) < sizeof mark - 1)
        return MPLAN_RECOGNISED_NO;
    return memcmp(file.at, mark, sizeof mark - 1) == 0 ? MPLAN_RECOGNISED_YES : MPLAN_RECOGNISED_NO;
}

const mplan_file_format mplan_format_foam = {
    .name = "foam",
    .description = "OpenFOAM case or polyMesh folder, text or binary, also decomposed",
    .extensions = ".foam .OpenFOAM",
    .zones = MPLAN_ZONES_APART,
    .recognise = recognise_foam,
    .recognise_folder = mplan_foam_recognise_folder,
    .read = read_foam,
    .write_folder = mplan_foam_write,
    .folder = "polyMesh",
};
