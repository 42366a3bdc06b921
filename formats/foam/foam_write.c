/* SPDX-License-Identifier: Apache-2.0 */
/* foam_write.c - writes the polyMesh folder of an OpenFOAM case, as text
 *
 * After OpenFOAM's user guide, "Mesh description". Cells keep their order. Faces between two cells come first, in upper-
 * triangular order: by the cell of lower number, which owns them and which their normal leaves, then by the other. Those
 * of the boundary follow, patch by patch. Groups of cells, nodes and faces inside are zones. The folder
 * appears whole or not at all. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/folder_output.h"
#include "base/memory.h"
#include "formats/foam/foam_parts.h"
#include "formats/foam/foam_patches.h"
#include "formats/skipped_groups.h"
#include "formats/text_out.h"
#include "formats/with_faces.h"
#include "mesh/mesh.h"

/* A face between two cells, to be sorted. */
typedef struct inner_face {
    int32_t owner, neighbour, face; /* the latter: its number in the mesh */
} inner_face;

/* What is written. */
typedef struct foam_writer {
    const mplan_mesh *mesh;
    mplan_mesh *with_faces; /* a copy of cells and facets, for its faces; NULL: the mesh has them */
    const mplan_context *context;
    mplan_folder_output *folder;
    mplan_text_out out;
    int64_t n_nodes, n_cells, n_inner, n_boundary;
    const double *xyz;
    mplan_map inner_nodes, inner_cells, boundary_nodes, boundary_cells;
    inner_face *inner; /* n_inner, in the order of the file */
    uint8_t *inverted; /* n_cells: corners run so that the volume is negative; NULL: cells have no types */
    mplan_foam_patches patches;
} foam_writer;

static const char *const files[] = {"points",   "faces",     "owner",     "neighbour",
                                    "boundary", "cellZones", "faceZones", "pointZones"};
enum { N_FILES = sizeof files / sizeof *files };

/* --- what is written ------------------------------------------------------------------ */

static mplan_status fail_lacking(const char *what, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "an OpenFOAM mesh needs %s, which this mesh does not have", what);
}

/* Nodes and cells: volumes of first order, or cells that are made of faces.
 * to->xyz: 3 * n_nodes, borrowed from the mesh. */
static mplan_status find_cells(foam_writer *to, mplan_error *err)
{
    const mplan_mesh *mesh = to->mesh;
    int32_t nodes = mplan_mesh_find_set(mesh, "nodes"), cells = mplan_mesh_find_set(mesh, "cells"),
            stride = 0;
    const uint8_t *type = mplan_mesh_cell_types(mesh);
    if (nodes < 0 || cells < 0)
        return fail_lacking("cells and nodes", err);
    to->xyz = mplan_mesh_coordinates(mesh, nodes, &stride);
    if (!to->xyz || stride != 3)
        return fail_lacking("three coordinates of each node", err);
    to->n_nodes = mplan_mesh_set(mesh, nodes).size;
    to->n_cells = mplan_mesh_set(mesh, cells).size;
    for (int64_t c = 0; type && c < to->n_cells; c++) {
        const mplan_cell_shape *shape = mplan_cell_shape_of((mplan_cell_type)type[c]);
        if (shape->dimension != 3 || shape->n_nodes != shape->n_corners)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "an OpenFOAM mesh can only hold volumes of first order, but cell "
                              "%lld is a %s",
                              (long long)c, shape->name);
    }
    return MPLAN_OK;
}

/* The mesh that has the faces. */
static const mplan_mesh *faced(const foam_writer *to)
{
    return to->with_faces ? to->with_faces : to->mesh;
}

/* The maps of faces.
 * They are borrowed from to->mesh or from to->with_faces. */
static mplan_status find_faces(foam_writer *to, mplan_error *err)
{
    static const char *const names[] = {"faces_nodes", "faces_cells", "boundary_faces_nodes",
                                        "boundary_faces_cells"};
    mplan_map *maps[] = {&to->inner_nodes, &to->inner_cells, &to->boundary_nodes,
                         &to->boundary_cells};
    mplan_status status = mplan_with_faces(to->mesh, "an OpenFOAM mesh", &to->with_faces,
                                           to->context, err);
    for (int32_t i = 0; i < 4 && !status; i++)
        *maps[i] = mplan_mesh_map(faced(to), mplan_mesh_find_map(faced(to), names[i]));
    if (!status && (to->inner_cells.arity != 2 || to->boundary_cells.arity != 1))
        return fail_lacking("faces between two cells", err);
    to->n_inner = to->inner_nodes.n_rows;
    to->n_boundary = to->boundary_nodes.n_rows;
    return status;
}

/* Six times the volume of a cell by its faces.
 * node: corners of the cell. Faces are cut into triangles from their first corners, and these make tets with node[0].
 * Only the sign is used: negative where the shape's faces have normals that enter the cell. */
static double volume_of(const foam_writer *to, const mplan_cell_shape *shape, const int32_t *node)
{
    double sum = 0;
    const double *o = to->xyz + 3 * (int64_t)node[0];
    for (int32_t f = 0; f < shape->n_faces; f++)
        for (int32_t k = 1; k + 1 < shape->face_size[f]; k++) {
            double v[3][3];
            const int32_t corner[3] = {shape->face[f][0], shape->face[f][k], shape->face[f][k + 1]};
            for (int32_t i = 0; i < 3; i++)
                for (int32_t d = 0; d < 3; d++)
                    v[i][d] = to->xyz[3 * (int64_t)node[corner[i]] + d] - o[d];
            sum += v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) +
                   v[0][1] * (v[1][2] * v[2][0] - v[1][0] * v[2][2]) +
                   v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
        }
    return sum;
}

/* inverted: faces of these cells are derived with normals that enter them. */
static mplan_status find_inverted(foam_writer *to, mplan_error *err)
{
    const uint8_t *type = mplan_mesh_cell_types(to->mesh);
    int32_t map = mplan_mesh_find_map(to->mesh, "cells_nodes");
    int64_t count = 0, first = -1;
    if (!type || map < 0)
        return MPLAN_OK;
    mplan_map cells = mplan_mesh_map(to->mesh, map);
    to->inverted = mplan_alloc_zero(to->n_cells, 1, err);
    if (!to->inverted)
        return MPLAN_ERR_MEMORY;
    for (int64_t c = 0; c < to->n_cells; c++) {
        int32_t n;
        const int32_t *node = mplan_map_row(&cells, c, &n);
        if (volume_of(to, mplan_cell_shape_of((mplan_cell_type)type[c]), node) >= 0)
            continue;
        to->inverted[c] = 1;
        first = count++ ? first : c;
    }
    if (count)
        mplan_warn(to->context,
                   "%lld cells have corners of the other orientation, the first is cell %lld: "
                   "their faces are turned",
                   (long long)count, (long long)first);
    return MPLAN_OK;
}

/* By owner, neighbour, and place in the mesh. */
static int compare_faces(const void *a, const void *b)
{
    const inner_face *x = a, *y = b;
    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    if (x->neighbour != y->neighbour)
        return x->neighbour < y->neighbour ? -1 : 1;
    return (x->face > y->face) - (x->face < y->face);
}

/* Derived faces are in this order already.
 * to->inner: n_inner entries with owner < neighbour, sorted by both. */
static mplan_status sort_inner(foam_writer *to, mplan_error *err)
{
    bool sorted = true;
    to->inner = mplan_alloc(to->n_inner, sizeof *to->inner, err);
    if (!to->inner)
        return MPLAN_ERR_MEMORY;
    for (int64_t f = 0; f < to->n_inner; f++) {
        int32_t n;
        const int32_t *cell = mplan_map_row(&to->inner_cells, f, &n);
        bool swapped = cell[0] > cell[1];
        if (cell[0] < 0 || cell[1] < 0)
            return fail_lacking("two cells at each of its faces", err);
        to->inner[f] = (inner_face){cell[swapped], cell[!swapped], (int32_t)f};
        sorted = sorted && (f == 0 || compare_faces(&to->inner[f - 1], &to->inner[f]) < 0);
    }
    if (!sorted)
        qsort(to->inner, (size_t)to->n_inner, sizeof *to->inner, compare_faces);
    return MPLAN_OK;
}

/* --- files ---------------------------------------------------------------------------- */

/* Opens a file of the folder and writes its header. note: NULL, or a line of it.
 * end_file follows also after a failure. */
static mplan_status begin_file(foam_writer *to, const char *name, const char *class,
                               const char *note, mplan_output **output, mplan_error *err)
{
    mplan_status status = mplan_folder_output_file(to->folder, name, output, err);
    if (!status)
        status = mplan_output_print(*output, err,
                                    "FoamFile\n{\n    version     2.0;\n    format      ascii;\n"
                                    "    class       %s;\n%s    location    \"constant/polyMesh\";\n"
                                    "    object      %s;\n}\n\n",
                                    class, note ? note : "", name);
    return status ? status : mplan_text_begin(&to->out, *output, to->context, err);
}

/* Commits it, or leaves nothing of it. */
static mplan_status end_file(foam_writer *to, mplan_output *output, mplan_status status,
                             mplan_error *err)
{
    if (to->out.buffer) {
        mplan_status last = mplan_text_end(&to->out);
        status = status ? status : last;
    }
    if (!status)
        return mplan_output_commit(output, err);
    mplan_output_abort(output);
    return status;
}

/* "12\n(\n" */
static void begin_list(foam_writer *to, int64_t n)
{
    mplan_text_int(&to->out, n);
    mplan_text_join(&to->out, "\n(\n");
}

/* The list of points, three numbers between parentheses each. */
static void put_points(foam_writer *to)
{
    begin_list(to, to->n_nodes);
    for (int64_t i = 0; i < to->n_nodes && !to->out.status; i++) {
        mplan_text_put(&to->out, "(");
        for (int32_t d = 0; d < 3; d++)
            mplan_text_real(&to->out, to->xyz[3 * i + d]);
        mplan_text_join(&to->out, ")\n");
    }
    mplan_text_put(&to->out, ")\n");
}

/* "4(0 1 5 4)"; turned: from its first node the other way about. */
static void put_face(foam_writer *to, const mplan_map *nodes, int64_t face, bool turned)
{
    int32_t n;
    const int32_t *node = mplan_map_row(nodes, face, &n);
    mplan_text_int(&to->out, n);
    mplan_text_join(&to->out, "(");
    for (int32_t k = 0; k < n; k++)
        mplan_text_int(&to->out, node[turned ? (n - k) % n : k]);
    mplan_text_join(&to->out, ")\n");
}

/* Whether the normal of a face as the mesh has it enters the cell that owns it in the file. */
static bool is_turned(const foam_writer *to, int32_t first_cell, int32_t owner)
{
    return (first_cell != owner) != (to->inverted && to->inverted[first_cell]);
}

/* Inner faces by their owners, then boundary faces patch by patch; each leaves its owner. */
static void put_faces(foam_writer *to)
{
    int32_t n;
    begin_list(to, to->n_inner + to->n_boundary);
    for (int64_t f = 0; f < to->n_inner && !to->out.status; f++) {
        const inner_face *face = &to->inner[f];
        int32_t first = mplan_map_row(&to->inner_cells, face->face, &n)[0];
        put_face(to, &to->inner_nodes, face->face, is_turned(to, first, face->owner));
    }
    for (int64_t f = 0; f < to->n_boundary && !to->out.status; f++) {
        int32_t face = to->patches.order[f];
        int32_t cell = mplan_map_row(&to->boundary_cells, face, &n)[0];
        put_face(to, &to->boundary_nodes, face, is_turned(to, cell, cell));
    }
    mplan_text_put(&to->out, ")\n");
}

/* A cell a line.
 * owners: of all faces, else the neighbours of inner ones; in the order of put_faces. */
static void put_cells(foam_writer *to, bool owners)
{
    int32_t n;
    begin_list(to, to->n_inner + (owners ? to->n_boundary : 0));
    for (int64_t f = 0; f < to->n_inner && !to->out.status; f++) {
        mplan_text_int(&to->out, owners ? to->inner[f].owner : to->inner[f].neighbour);
        mplan_text_row(&to->out);
    }
    for (int64_t f = 0; owners && f < to->n_boundary && !to->out.status; f++) {
        mplan_text_int(&to->out, mplan_map_row(&to->boundary_cells, to->patches.order[f], &n)[0]);
        mplan_text_row(&to->out);
    }
    mplan_text_put(&to->out, ")\n");
}

static void put_owner(foam_writer *to)
{
    put_cells(to, true);
}

static void put_neighbour(foam_writer *to)
{
    put_cells(to, false);
}

/* "        inGroups        2(a b);", where the patch belongs to groups. */
static void put_in_groups(foam_writer *to, int32_t patch)
{
    int32_t n = 0;
    for (int32_t g = 0; g < to->patches.n_groups; g++)
        n += to->patches.groups[g].of_patch[patch];
    if (n == 0)
        return;
    mplan_text_put(&to->out, "        inGroups        List<word> ");
    mplan_text_int(&to->out, n);
    mplan_text_join(&to->out, "(");
    for (int32_t g = 0, listed = 0; g < to->patches.n_groups; g++)
        if (to->patches.groups[g].of_patch[patch]) {
            mplan_text_put(&to->out, listed++ ? " " : "");
            mplan_text_put(&to->out, to->patches.groups[g].name);
        }
    mplan_text_put(&to->out, ");\n");
}

/* The dictionary of patches: number of faces, and the first of them among all faces. */
static void put_boundary(foam_writer *to)
{
    begin_list(to, to->patches.n_patches);
    for (int32_t p = 0; p < to->patches.n_patches && !to->out.status; p++) {
        const mplan_foam_patch *patch = &to->patches.patches[p];
        mplan_text_put(&to->out, "    ");
        mplan_text_put(&to->out, patch->name);
        mplan_text_put(&to->out, "\n    {\n        type            patch;\n");
        put_in_groups(to, p);
        mplan_text_put(&to->out, "        nFaces          ");
        mplan_text_int(&to->out, patch->n);
        mplan_text_join(&to->out, ";\n        startFace       ");
        mplan_text_int(&to->out, to->n_inner + patch->first);
        mplan_text_join(&to->out, ";\n    }\n");
    }
    mplan_text_put(&to->out, ")\n");
}

/* A list of the folder, from header to end. `put` writes it; its errors stay in to->out until end_file returns them. */
static mplan_status write_file(foam_writer *to, const char *name, const char *class,
                               const char *note, void (*put)(foam_writer *to), mplan_error *err)
{
    mplan_output *output = NULL;
    mplan_status status = begin_file(to, name, class, note, &output, err);
    if (!status)
        put(to);
    return end_file(to, output, status, err);
}

/* --- zones ---------------------------------------------------------------------------- */

/* Zones of one kind. */
typedef struct zone_kind {
    const char *file, *type, *labels, *set;
} zone_kind;

static const zone_kind zone_kinds[] = {{"cellZones", "cellZone", "cellLabels", "cells"},
                                       {"faceZones", "faceZone", "faceLabels", "faces"},
                                       {"pointZones", "pointZone", "pointLabels", "nodes"}};

/* A list of labels, sorted where they are numbers of faces of the file: place[face of the mesh]. */
static void put_labels(foam_writer *to, const mplan_group *group, const int32_t *place)
{
    mplan_text_put(&to->out, "List<label> ");
    begin_list(to, group->n_members);
    for (int64_t i = 0; i < group->n_members && !to->out.status; i++) {
        mplan_text_int(&to->out, place ? place[group->members[i]] : group->members[i]);
        mplan_text_row(&to->out);
    }
    mplan_text_put(&to->out, ")\n;\n");
}

/* name { type ...; ...Labels List<label> n(...); flipMap List<bool> n{0}; } */
static void put_zone(foam_writer *to, const zone_kind *kind, const mplan_group *group,
                     const char *name, const int32_t *place)
{
    mplan_text_put(&to->out, name);
    mplan_text_put(&to->out, "\n{\n    type ");
    mplan_text_put(&to->out, kind->type);
    mplan_text_put(&to->out, ";\n");
    mplan_text_put(&to->out, kind->labels);
    mplan_text_put(&to->out, " ");
    put_labels(to, group, place);
    if (place) {
        mplan_text_put(&to->out, "flipMap List<bool> ");
        mplan_text_int(&to->out, group->n_members);
        mplan_text_join(&to->out, "{0};\n");
    }
    mplan_text_put(&to->out, "}\n");
}

/* Where each face of the mesh is in the file.
 * *place: n_inner entries, index: face of the mesh; the caller's. */
static mplan_status place_faces(const foam_writer *to, int32_t **place, mplan_error *err)
{
    *place = mplan_alloc(to->n_inner, sizeof **place, err);
    for (int64_t f = 0; f < to->n_inner && *place; f++)
        (*place)[to->inner[f].face] = (int32_t)f;
    return *place ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Whether group g of the mesh is of the kind's set. */
static bool is_of(const mplan_mesh *mesh, int32_t g, const zone_kind *kind)
{
    return strcmp(mplan_mesh_set(mesh, mplan_mesh_group(mesh, g).set).name, kind->set) == 0;
}

/* The file of one kind, where the mesh has such groups.
 * place: only of zones of faces, whose numbers are those of the file; others keep the mesh's. */
static mplan_status write_zones(foam_writer *to, const zone_kind *kind, mplan_error *err)
{
    const mplan_mesh *mesh = kind == &zone_kinds[1] ? faced(to) : to->mesh;
    mplan_output *output = NULL;
    mplan_foam_names names = {0};
    int32_t n = 0, *place = NULL;
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh); g++)
        n += is_of(mesh, g, kind);
    if (n == 0)
        return MPLAN_OK;
    mplan_status status = kind == &zone_kinds[1] ? place_faces(to, &place, err) : MPLAN_OK;
    if (!status)
        status = begin_file(to, kind->file, "regIOobject", NULL, &output, err);
    if (!status)
        begin_list(to, n);
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh) && !status; g++) {
        mplan_group group = mplan_mesh_group(mesh, g);
        if (!is_of(mesh, g, kind))
            continue;
        const char *name = mplan_foam_name(&names, &group, to->context, err);
        if (!name)
            status = MPLAN_ERR_MEMORY;
        else
            put_zone(to, kind, &group, name, place);
    }
    if (!status)
        mplan_text_put(&to->out, ")\n");
    status = end_file(to, output, status, err);
    mplan_foam_names_free(&names);
    free(place);
    return status;
}

/* Groups that are of none of these sets. */
static void warn_of_groups(const foam_writer *to)
{
    mplan_skipped_groups skipped = {0};
    for (int32_t g = 0; g < mplan_mesh_n_groups(to->mesh); g++) {
        mplan_group group = mplan_mesh_group(to->mesh, g);
        const char *set = mplan_mesh_set(to->mesh, group.set).name;
        bool kept = strcmp(set, "boundary_faces") == 0;
        for (size_t k = 0; k < sizeof zone_kinds / sizeof *zone_kinds; k++)
            kept = kept || strcmp(set, zone_kinds[k].set) == 0;
        if (!kept)
            mplan_skip_group(&skipped, &group, set);
    }
    mplan_warn_skipped(&skipped, "an OpenFOAM mesh", to->context);
}

/* --- the folder ----------------------------------------------------------------------- */

/* Only a folder of nothing but files that are written here may go. */
static mplan_status check_earlier(int folder, const char *path, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = fd < 0 ? NULL : fdopendir(fd);
    if (!names) {
        if (fd >= 0)
            close(fd);
        return mplan_fail(err, MPLAN_ERR_CREATE, "%s: the folder cannot be read", path);
    }
    for (struct dirent *entry; !status && (entry = readdir(names)) != NULL;) {
        const char *name = entry->d_name;
        bool known = !strcmp(name, ".") || !strcmp(name, "..");
        for (int32_t i = 0; i < N_FILES; i++)
            known = known || strcmp(name, files[i]) == 0;
        if (!known)
            status = mplan_fail(err, MPLAN_ERR_CREATE,
                                "%s: contains %s, which is not a file of a mesh that is written "
                                "here; the folder is not replaced",
                                path, name);
    }
    closedir(names);
    return status;
}

/* All of the folder; committed or not by the caller. */
static mplan_status write_files(foam_writer *to, mplan_error *err)
{
    char note[256];
    snprintf(note, sizeof note,
             "    note        \"nPoints:%lld  nCells:%lld  nFaces:%lld  nInternalFaces:%lld\";\n",
             (long long)to->n_nodes, (long long)to->n_cells,
             (long long)(to->n_inner + to->n_boundary), (long long)to->n_inner);
    mplan_status status = write_file(to, "points", "vectorField", NULL, put_points, err);
    if (!status)
        status = write_file(to, "faces", "faceList", NULL, put_faces, err);
    if (!status)
        status = write_file(to, "owner", "labelList", note, put_owner, err);
    if (!status)
        status = write_file(to, "neighbour", "labelList", note, put_neighbour, err);
    if (!status)
        status = write_file(to, "boundary", "polyBoundaryMesh", NULL, put_boundary, err);
    for (size_t k = 0; k < sizeof zone_kinds / sizeof *zone_kinds && !status; k++)
        status = write_zones(to, &zone_kinds[k], err);
    return status;
}

/* OpenFOAM wants faces with the owner's number below the neighbour's, inner faces first and
 * sorted by both, then the boundary patch by patch. `inner` is that order, `inverted` a mark
 * for faces whose nodes must run the other way. */
mplan_status mplan_foam_write(const mplan_mesh *mesh, const char *path,
                              const mplan_context *context, mplan_error *err)
{
    foam_writer to = {.mesh = mesh, .context = context};
    mplan_status status = find_cells(&to, err);
    if (!status)
        status = find_faces(&to, err);
    if (!status)
        status = find_inverted(&to, err);
    if (!status)
        status = sort_inner(&to, err);
    if (!status)
        status = mplan_foam_patches_find(faced(&to), to.n_boundary, &to.patches, context, err);
    if (!status)
        status = mplan_folder_output_open(path, check_earlier, context, &to.folder, err);
    if (!status) {
        warn_of_groups(&to);
        status = write_files(&to, err);
        if (!status)
            status = mplan_folder_output_commit(to.folder, err);
        else
            mplan_folder_output_abort(to.folder);
    }
    mplan_foam_patches_free(&to.patches);
    free(to.inner);
    free(to.inverted);
    mplan_mesh_free(to.with_faces);
    return status;
}
