/* SPDX-License-Identifier: Apache-2.0 */
/* foam.c - reads OpenFOAM's meshes: the files points, faces, owner, neighbour and boundary of a folder
 *
 * A case, its constant or its polyMesh folder may be named, or one of the files. OpenFOAM numbers
 * faces between two cells first, so that the two sets that meshplan has of faces are runs of its list: faces,
 * whose normals leave the cell of lower number, and boundary_faces, dealt out to patches. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/foam/foam_parts.h"
#include "formats/polyhedra.h"
#include "mesh/mesh.h"

/* --- the folder --------------------------------------------------------------------- */

/* False also where the path is too long. */
static bool is_file(const char *folder, const char *name)
{
    char path[4096];
    struct stat about;
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    return n > 0 && (size_t)n < sizeof path && stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* Faces and owner are enough to tell the folder of a mesh; reading asks for the other files,
 * too. */
static bool is_mesh(const char *folder)
{
    return (is_file(folder, "faces") || is_file(folder, "faces.gz")) &&
           (is_file(folder, "owner") || is_file(folder, "owner.gz"));
}

/* Where the mesh may be below a folder that is named. */
static const char *const below[] = {"", "/polyMesh", "/constant/polyMesh"};

/* The folder of the mesh; *found NULL: none of this format. */
static mplan_status find_mesh(const char *path, char **found, mplan_error *err)
{
    *found = NULL;
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        size_t n = strlen(path) + strlen(below[i]) + 1;
        char *folder = mplan_alloc((int64_t)n, 1, err);
        if (!folder)
            return MPLAN_ERR_MEMORY;
        snprintf(folder, n, "%s%s", path, below[i]);
        if (is_mesh(folder)) {
            *found = folder;
            return MPLAN_OK;
        }
        free(folder);
    }
    return MPLAN_OK;
}

/* "processor0", "processors4": parts of a decomposed case. */
static bool is_part(const char *name)
{
    if (strncmp(name, "processor", 9) != 0)
        return false;
    name += 9;
    name += *name == 's';
    return *name >= '0' && *name <= '9';
}

/* Whether one of the last three names of a path is a part's: "a/processor0/constant/polyMesh". */
static bool leads_into_part(const char *path)
{
    const char *end = path + strlen(path);
    for (int32_t names = 0; names < 3 && end > path; names++) {
        const char *begin = end;
        while (begin > path && begin[-1] != '/')
            begin--;
        if (is_part(begin))
            return true;
        for (end = begin; end > path && end[-1] == '/'; end--) {
        }
    }
    return false;
}

/* Whether the folder holds parts of a decomposed case. */
static bool has_parts(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    bool found = false;
    while (folder && !found && (entry = readdir(folder)) != NULL)
        found = is_part(entry->d_name);
    if (folder)
        closedir(folder);
    return found;
}

/* Also a folder named constant or one with the dictionary of a case is OpenFOAM's, whatever it lacks. */
static bool recognise_folder(const char *path)
{
    char *found = NULL;
    if (find_mesh(path, &found, NULL) != MPLAN_OK)
        return true; /* out of memory is said again by the reader */
    bool ours = found || has_parts(path) || is_file(path, "system/controlDict");
    free(found);
    return ours;
}

/* The folder of one of the files that were named: "a/polyMesh/faces.gz", "case.foam". */
static mplan_status folder_of_file(const mplan_input *input, char **folder, mplan_error *err)
{
    static const char *const names[] = {"points", "faces", "owner", "neighbour", "boundary"};
    const char *slash = strrchr(input->path, '/'), *name = slash ? slash + 1 : input->path;
    size_t length = strlen(name), until = slash ? (size_t)(slash - input->path) : 0;
    bool known = input->size == 0; /* case.foam, ParaView's handle, is empty */
    if (length > 3 && strcmp(name + length - 3, ".gz") == 0)
        length -= 3;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        known = known || (strlen(names[i]) == length && memcmp(name, names[i], length) == 0);
    if (!known)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: this is an OpenFOAM file, but not one of a mesh (points, faces, "
                          "owner, neighbour, boundary)",
                          input->path);
    *folder = mplan_alloc((int64_t)until + 2, 1, err);
    if (!*folder)
        return MPLAN_ERR_MEMORY;
    snprintf(*folder, until + 2, "%.*s", slash ? (int)(until ? until : 1) : 1,
             slash ? input->path : ".");
    return MPLAN_OK;
}

/* *folder: the polyMesh folder of the case or file, owned by the caller.
 * Decomposed cases are refused by name. */
static mplan_status find_folder(const mplan_input *input, char **folder, mplan_error *err)
{
    char *named = NULL;
    mplan_status status = !input->data ? MPLAN_OK : folder_of_file(input, &named, err);
    const char *path = !input->data ? input->path : named;
    if (!status)
        status = find_mesh(path, folder, err);
    if (!status && !*folder)
        status = has_parts(path)
                     ? mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                                  "%s: the case is decomposed (folders processor*); join its "
                                  "parts with reconstructParMesh",
                                  path)
                     : mplan_fail(err, MPLAN_ERR_NO_INPUT,
                                  "%s: there is no mesh in it or in constant/polyMesh (files faces and owner)",
                                  path);
    if (!status && leads_into_part(*folder))
        status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                            "%s: this is one part of a decomposed case; join its parts with "
                            "reconstructParMesh",
                            *folder);
    free(named);
    return status;
}

/* --- the files ------------------------------------------------------------------------ */

/* Arrays may be NULL. */
void mplan_foam_free_mesh(mplan_foam_mesh *foam)
{
    free(foam->xyz);
    free(foam->offsets);
    free(foam->nodes);
    free(foam->owner);
    free(foam->neighbour);
}

/* An OpenFOAM mesh that is read, file by file. */
typedef struct foam_reader {
    const char *folder;
    const mplan_input *parts; /* NULL: the folder's files */
    const mplan_context *context;
    mplan_mesh *mesh;
    mplan_foam_mesh foam;
} foam_reader;

/* First, since faces are checked against their number. */
static mplan_status read_points(foam_reader *reader, mplan_foam_file *file, mplan_error *err)
{
    return mplan_foam_points(file, &reader->foam.xyz, &reader->foam.n_points, err);
}

/* Behind the points. */
static mplan_status read_faces(foam_reader *reader, mplan_foam_file *file, mplan_error *err)
{
    mplan_foam_mesh *foam = &reader->foam;
    return mplan_foam_faces(file, foam->n_points, &foam->offsets, &foam->nodes, &foam->n_faces, err);
}

/* One cell per face, in [0, n_cells): the number of cells is the largest plus
 * one. */
static mplan_status read_owner(foam_reader *reader, mplan_foam_file *file, mplan_error *err)
{
    mplan_foam_mesh *foam = &reader->foam;
    int64_t n;
    mplan_status status = mplan_foam_labels(file, "owners", 0, INT32_MAX - 1, foam->n_faces,
                                            &foam->owner, &n, err);
    if (!status && n != foam->n_faces)
        status = mplan_foam_fail(file, err, MPLAN_ERR_MESH, "there are %lld owners for %lld faces",
                                 (long long)n, (long long)foam->n_faces);
    return status;
}

/* Some write -1 for the faces on the boundary, which all follow the others. */
static mplan_status read_neighbour(foam_reader *reader, mplan_foam_file *file, mplan_error *err)
{
    mplan_foam_mesh *foam = &reader->foam;
    int64_t n, most = 0;
    mplan_status status = mplan_foam_labels(file, "neighbours", -1, INT32_MAX - 1, foam->n_faces,
                                            &foam->neighbour, &n, err);
    while (!status && n > 0 && foam->neighbour[n - 1] == -1)
        n--;
    foam->n_inner = !status ? n : 0;
    for (int64_t f = 0; f < foam->n_inner && !status; f++) {
        if (foam->neighbour[f] <= foam->owner[f])
            return mplan_foam_fail(file, err, MPLAN_ERR_MESH,
                                   "face %lld has the owner %d and the neighbour %d", (long long)f,
                                   foam->owner[f], foam->neighbour[f]);
        most = foam->neighbour[f] > most ? foam->neighbour[f] : most;
    }
    for (int64_t f = 0; f < foam->n_faces && !status; f++)
        most = foam->owner[f] > most ? foam->owner[f] : most;
    foam->n_cells = most + 1;
    if (!status && foam->n_cells > (foam->n_faces + foam->n_inner) / 4)
        return mplan_foam_fail(file, err, MPLAN_ERR_MESH,
                               "cell %lld is impossible: %lld faces, of which %lld have two "
                               "cells, are too few for so many cells",
                               (long long)most, (long long)foam->n_faces, (long long)foam->n_inner);
    return status;
}

/* Behind faces, owner and neighbour, which say how many faces are inner ones: patches are ranges
 * behind them. */
static mplan_status read_boundary(foam_reader *reader, mplan_foam_file *file, mplan_error *err)
{
    return mplan_foam_boundary(file, reader->foam.n_inner, reader->foam.n_faces, reader->mesh, err);
}

typedef mplan_status (*read_part)(foam_reader *reader, mplan_foam_file *file, mplan_error *err);

static const struct {
    const char *name;
    read_part read;
} files[MPLAN_FOAM_PARTS] = {{"points", read_points},
                             {"faces", read_faces},
                             {"owner", read_owner},
                             {"neighbour", read_neighbour},
                             {"boundary", read_boundary}};
enum { BOUNDARY = MPLAN_FOAM_PARTS - 1 };

/* i: place in files[], in the order in which they depend on each other. */
static mplan_status read_file(foam_reader *reader, int32_t i, mplan_error *err)
{
    mplan_foam_file file;
    mplan_status status = reader->parts
                              ? mplan_foam_open_input(&reader->parts[i], reader->context, &file, err)
                              : mplan_foam_open(reader->folder, files[i].name, reader->context,
                                                &file, err);
    if (status)
        return status;
    if (strcmp(file.kind, "decomposedBlockData") == 0)
        status = mplan_foam_fail(&file, err, MPLAN_ERR_UNSUPPORTED,
                                 "the case is decomposed (class %s); join its parts with "
                                 "reconstructParMesh",
                                 file.kind);
    if (!status)
        status = files[i].read(reader, &file, err);
    if (!status && i != BOUNDARY)
        status = mplan_foam_end(&file, err);
    mplan_foam_close(&file);
    return status;
}

/* --- faces ------------------------------------------------------------------------------ */

/* Faces on the boundary, copied from the end of the lists. */
typedef struct boundary_faces {
    int64_t n, *offsets;
    int32_t *nodes, *cells;
} boundary_faces;

/* Faces behind the inner ones, each with its one cell. Arrays belong to *faces. */
static mplan_status copy_boundary(const mplan_foam_mesh *foam, boundary_faces *faces, mplan_error *err)
{
    int64_t first = foam->n_inner, n = foam->n_faces - first, base = foam->offsets[first];
    faces->n = n;
    faces->offsets = mplan_alloc(n + 1, sizeof *faces->offsets, err);
    faces->nodes = faces->offsets
                       ? mplan_copy(foam->nodes + base, foam->offsets[foam->n_faces] - base,
                                    sizeof *faces->nodes, err)
                       : NULL;
    faces->cells = faces->nodes ? mplan_copy(foam->owner + first, n, sizeof *faces->cells, err)
                                : NULL;
    if (!faces->cells) {
        free(faces->offsets);
        free(faces->nodes);
        return MPLAN_ERR_MEMORY;
    }
    for (int64_t f = 0; f <= n; f++)
        faces->offsets[f] = foam->offsets[first + f] - base;
    return MPLAN_OK;
}

/* Those between two cells: the lists' beginnings, taken over. */
static mplan_status add_inner_faces(mplan_foam_mesh *foam, mplan_mesh *mesh, mplan_error *err)
{
    int64_t n = foam->n_inner;
    int32_t *cells = mplan_alloc(2 * n, sizeof *cells, err);
    int32_t *nodes = cells ? mplan_realloc(foam->nodes, foam->offsets[n], sizeof *nodes, err) : NULL;
    if (!nodes) {
        free(cells);
        return MPLAN_ERR_MEMORY;
    }
    for (int64_t f = 0; f < n; f++) {
        cells[2 * f] = foam->owner[f];
        cells[2 * f + 1] = foam->neighbour[f];
    }
    int64_t *offsets = foam->offsets;
    foam->nodes = NULL;
    foam->offsets = NULL;
    return mplan_add_face_set(mesh, "faces", n, offsets, nodes, 2, cells, err);
}

/* Inner faces first, in the order of the file, which stays. */
mplan_status mplan_foam_add_faces(mplan_foam_mesh *foam, mplan_mesh *mesh, mplan_error *err)
{
    boundary_faces boundary = {0};
    mplan_status status = copy_boundary(foam, &boundary, err);
    if (status)
        return status;
    status = add_inner_faces(foam, mesh, err);
    if (!status)
        return mplan_add_face_set(mesh, "boundary_faces", boundary.n, boundary.offsets,
                                  boundary.nodes, 1, boundary.cells, err);
    free(boundary.offsets);
    free(boundary.nodes);
    free(boundary.cells);
    return status;
}

/* Arrays move from foam to mesh. */
static mplan_status add_mesh(foam_reader *reader, mplan_error *err)
{
    mplan_foam_mesh *foam = &reader->foam;
    mplan_mesh *mesh = reader->mesh;
    mplan_status status = mplan_foam_add_cells(foam, reader->folder, mesh, reader->context, err);
    if (!status)
        status = mplan_foam_add_faces(foam, mesh, err);
    if (status)
        return status;
    double *xyz = foam->xyz;
    foam->xyz = NULL;
    status = mplan_mesh_take_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 3, xyz, err);
    return !status ? mplan_mesh_set_faces_name(mesh, "faces", err) : status;
}

/* parts: the files themselves where they come from elsewhere (fuzzing), else
 * NULL. */
mplan_status mplan_foam_read(const char *folder, const mplan_input *parts,
                             const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    foam_reader reader = {.folder = folder, .parts = parts, .context = context, .mesh = mesh};
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < BOUNDARY && !status; i++)
        status = read_file(&reader, i, err);
    if (!status)
        status = add_mesh(&reader, err);
    if (!status)
        status = read_file(&reader, BOUNDARY, err); /* its groups are of a set that is there now */
    mplan_foam_free_mesh(&reader.foam);
    return status;
}

/* input: any file of the case's polyMesh, or the case. */
static mplan_status read_foam(const mplan_input *input, const mplan_read_options *options,
                              const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    char *folder = NULL;
    (void)options;
    mplan_status status = find_folder(input, &folder, err);
    if (!status)
        status = mplan_foam_read(folder, NULL, context, mesh, err);
    free(folder);
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
    .description = "OpenFOAM case or polyMesh folder, text or binary",
    .extensions = ".foam .OpenFOAM",
    .recognise = recognise_foam,
    .recognise_folder = recognise_folder,
    .read = read_foam,
    .write_folder = mplan_foam_write,
    .folder = "polyMesh",
};
