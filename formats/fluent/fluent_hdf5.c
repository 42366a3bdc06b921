/* SPDX-License-Identifier: Apache-2.0 */
/* fluent_hdf5.c - Fluent's meshes and cases in HDF5 (.msh.h5, .cas.h5: the Common Fluids Format)
 *
 * What fluent.c makes of the faces of text files it makes of these. meshes/1 has nodes, faces and cells; each of them zones
 * (zoneTopology: id, minId, maxId, name, zoneType) and sections of rows, whose attributes minId and maxId say which
 * numbers from 1 they hold: nodes/coords, faces/nodes with nnodes and nodes, faces/c0 and faces/c1. Names of zones are
 * one text between semicolons. After the files that Fluent writes, and what VTK's vtkFLUENTCFFReader reads of them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/contained_formats.h"
#include "formats/fluent/fluent.h"
#include "formats/hdf5/hdf5_tree.h"

#ifdef MPLAN_HAVE_HDF5

#define MESH "meshes/1"

/* A file that is read. */
typedef struct case_reader {
    mplan_hdf5_tree tree;
    mplan_fluent file;
    char *names[2];     /* of zones of cells and of faces: views of file.zones point into them */
    mplan_vector sizes; /* int32_t: nodes of each face, as the file numbers them */
    mplan_vector kept; /* int32_t: of each face, how many before it have nodes; one more than faces */
    int32_t *cells[2]; /* of each face: c0 and c1, from 1; 0: none */
} case_reader;

/* Rows [first, last] of a kind, from 1. */
typedef struct row_section {
    int64_t first, last;
    char path[160];
} row_section;

static mplan_status fail(const case_reader *reader, const char *path, mplan_status status,
                         const char *what, mplan_error *err)
{
    return mplan_hdf5_fail(&reader->tree, path, status, what, err);
}

/* --- sections of rows ------------------------------------------------------------------------ */

/* By first numbers: HDF5 lists names in the order of the alphabet, where 10 comes before 2. */
static int compare_sections(const void *left, const void *right)
{
    const row_section *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

/* The sections of a folder by their first numbers, which follow each other from 1. *n: the last number.
 * sections: row_section. Names of more than 40 bytes are skipped, since paths have a fixed length. */
static mplan_status find_sections(case_reader *reader, const char *folder, mplan_vector *sections,
                                  int64_t *n, mplan_error *err)
{
    char name[MPLAN_HDF5_NAME];
    mplan_status status = MPLAN_OK;
    const int64_t n_names = mplan_hdf5_n_names(&reader->tree, folder);
    for (int64_t i = 0; i < n_names && !status; i++) {
        row_section added = {0};
        if (!mplan_hdf5_name(&reader->tree, folder, i, name) || strlen(name) > 40)
            continue;
        snprintf(added.path, sizeof added.path, "%s/%.40s", folder, name);
        if (!mplan_hdf5_attribute(&reader->tree, added.path, "minId", &added.first) ||
            !mplan_hdf5_attribute(&reader->tree, added.path, "maxId", &added.last))
            continue;
        status = mplan_vector_push(sections, &added, err);
    }
    *n = 0;
    if (!status && sections->count > 0)
        qsort(sections->data, (size_t)sections->count, sizeof(row_section), compare_sections);
    const row_section *section = sections->data;
    for (int64_t s = 0; s < sections->count && !status; s++) {
        if (section[s].first != *n + 1 || section[s].last < section[s].first - 1 ||
            section[s].last >= INT32_MAX)
            status = fail(reader, section[s].path, MPLAN_ERR_CORRUPT,
                          "does not begin behind the section before it", err);
        *n = section[s].last;
    }
    return status;
}

/* The whole numbers of a table of a section, last - first + 1 of them; `inner` is its path below the section.
 * *numbers is the caller's, also after a failure. */
static mplan_status read_rows(case_reader *reader, const row_section *section, const char *inner,
                              int64_t **numbers, mplan_error *err)
{
    char path[MPLAN_HDF5_PATH];
    mplan_hdf5_shape shape;
    snprintf(path, sizeof path, "%s%s", section->path, inner);
    mplan_status status = mplan_hdf5_whole(&reader->tree, path, numbers, &shape, err);
    if (!status && shape.n != section->last - section->first + 1)
        status = fail(reader, path, MPLAN_ERR_CORRUPT,
                      "does not have as many numbers as minId to maxId", err);
    return status;
}

/* --- nodes ------------------------------------------------------------------------------------- */

/* Rows minId to maxId of one section behind the nodes that are there; z is 0 where there are two columns. */
static mplan_status read_coordinates(case_reader *reader, const row_section *section, mplan_error *err)
{
    const int64_t n = section->last - section->first + 1;
    mplan_hdf5_shape shape;
    double *values = NULL, *to = NULL;
    mplan_status status = mplan_hdf5_real(&reader->tree, section->path, &values, &shape, err);
    if (!status &&
        (shape.rank != 2 || shape.length[0] != n || shape.length[1] < 2 || shape.length[1] > 3))
        status = fail(reader, section->path, MPLAN_ERR_CORRUPT,
                      "does not hold 2 or 3 coordinates of minId to maxId", err);
    if (!status &&
        !(to = mplan_realloc(reader->file.xyz, 3 * (reader->file.n_nodes + n), sizeof *to, err)))
        status = MPLAN_ERR_MEMORY;
    if (!status) {
        reader->file.xyz = to;
        to += 3 * reader->file.n_nodes;
        reader->file.n_nodes += n;
    }
    for (int64_t i = 0; i < n && !status; i++)
        for (int64_t d = 0; d < 3 && !status; d++) {
            to[3 * i + d] = d < shape.length[1] ? values[i * shape.length[1] + d] : 0;
            if (!(to[3 * i + d] - to[3 * i + d] == 0)) /* also false for NaN */
                status = fail(reader, section->path, MPLAN_ERR_MESH,
                              "has a coordinate that is not finite", err);
        }
    free(values);
    return status;
}

/* All sections of coordinates, in the order of their numbers. */
static mplan_status read_nodes(case_reader *reader, mplan_error *err)
{
    mplan_vector sections = MPLAN_VECTOR_INIT(sizeof(row_section));
    int64_t n;
    mplan_status status = find_sections(reader, MESH "/nodes/coords", &sections, &n, err);
    for (int64_t s = 0; s < sections.count && !status; s++)
        status = read_coordinates(reader, (const row_section *)sections.data + s, err);
    free(sections.data);
    return status;
}

/* --- faces --------------------------------------------------------------------------------------- */

/* Nodes from 1; a face without any is left behind by cuts of interfaces.
 * path: for messages. sizes and kept get an entry for each face of the file; offsets only for those with nodes. */
static mplan_status add_face(case_reader *reader, const char *path, int64_t n, const int64_t *nodes,
                             mplan_error *err)
{
    mplan_fluent *file = &reader->file;
    int32_t size = (int32_t)n, kept = (int32_t)file->n_faces;
    if (mplan_vector_push(&reader->sizes, &size, err) || mplan_vector_push(&reader->kept, &kept, err))
        return MPLAN_ERR_MEMORY;
    file->n_bare += n == 0;
    if (n == 0)
        return MPLAN_OK;
    int32_t *to = mplan_vector_reserve(&file->nodes, n, err);
    if (!to)
        return MPLAN_ERR_MEMORY;
    for (int64_t k = 0; k < n; k++) {
        if (nodes[k] < 1 || nodes[k] > file->n_nodes)
            return fail(reader, path, MPLAN_ERR_MESH, "has a node that is not among the nodes", err);
        to[k] = (int32_t)(nodes[k] - 1);
    }
    file->nodes.count += n;
    file->n_faces++;
    return mplan_vector_push(&file->offsets, &file->nodes.count, err);
}

/* nnodes: of each face; nodes: those of all, one face after the other.
 * Both are whole numbers; nodes count from 1 and are checked in add_face. */
static mplan_status read_corners(case_reader *reader, const row_section *section, mplan_error *err)
{
    char path[MPLAN_HDF5_PATH];
    mplan_hdf5_shape shape;
    int64_t *sizes = NULL, *nodes = NULL, at = 0;
    snprintf(path, sizeof path, "%s/nodes", section->path);
    mplan_status status = read_rows(reader, section, "/nnodes", &sizes, err);
    if (!status)
        status = mplan_hdf5_whole(&reader->tree, path, &nodes, &shape, err);
    for (int64_t f = 0; f <= section->last - section->first && !status; f++) {
        if (sizes[f] < 0 || sizes[f] == 1 || sizes[f] > shape.n - at)
            status = fail(reader, path, MPLAN_ERR_CORRUPT,
                          "does not hold as many nodes as nnodes says", err);
        else
            status = add_face(reader, path, sizes[f], nodes + at, err);
        at += status ? 0 : sizes[f];
    }
    free(sizes);
    free(nodes);
    return status;
}

/* which: 0 or 1, c0 or c1, whose sections may leave faces out.
 * cells[which]: an entry for each face of the file, a cell from 1; what no section has stays 0. */
static mplan_status read_cells_of(case_reader *reader, int32_t which, mplan_error *err)
{
    char folder[64], name[MPLAN_HDF5_NAME];
    mplan_status status = MPLAN_OK;
    snprintf(folder, sizeof folder, MESH "/faces/c%d", (int)which);
    const int64_t n_names = mplan_hdf5_n_names(&reader->tree, folder);
    for (int64_t i = 0; i < n_names && !status; i++) {
        row_section section = {0};
        int64_t *cells = NULL;
        if (!mplan_hdf5_name(&reader->tree, folder, i, name) || strlen(name) > 40)
            continue;
        snprintf(section.path, sizeof section.path, "%s/%.40s", folder, name);
        if (!mplan_hdf5_attribute(&reader->tree, section.path, "minId", &section.first) ||
            !mplan_hdf5_attribute(&reader->tree, section.path, "maxId", &section.last))
            continue;
        if (section.first < 1 || section.last > reader->sizes.count ||
            section.last < section.first - 1)
            return fail(reader, section.path, MPLAN_ERR_CORRUPT, "is of faces that are not there",
                        err);
        status = read_rows(reader, &section, "", &cells, err);
        for (int64_t f = section.first; f <= section.last && !status; f++) {
            const int64_t cell = cells[f - section.first];
            if (cell < 0 || cell >= INT32_MAX)
                status = fail(reader, section.path, MPLAN_ERR_MESH,
                              "has a number that is not a cell", err);
            else
                reader->cells[which][f - 1] = (int32_t)cell;
        }
        free(cells);
    }
    return status;
}

/* Two cells of each face that has nodes.
 * file->sides: from 0, -1 for none, the same faces as offsets; n_cells becomes the largest number. */
static mplan_status add_sides(case_reader *reader, mplan_error *err)
{
    mplan_fluent *file = &reader->file;
    const int32_t *size = reader->sizes.data;
    for (int64_t f = 0; f < reader->sizes.count; f++) {
        const int32_t side[2] = {reader->cells[0][f] - 1, reader->cells[1][f] - 1};
        if (size[f] == 0)
            continue;
        if (side[0] >= 0 && side[0] == side[1])
            return fail(reader, MESH "/faces/c1", MPLAN_ERR_MESH,
                        "has a face with one cell on both sides", err);
        if (mplan_vector_push(&file->sides, &side[0], err) ||
            mplan_vector_push(&file->sides, &side[1], err))
            return MPLAN_ERR_MEMORY;
        for (int32_t k = 0; k < 2; k++)
            file->n_cells = side[k] >= file->n_cells ? side[k] + 1 : file->n_cells;
    }
    return MPLAN_OK;
}

/* Of planes faces have two nodes, of surfaces and volumes three or more.
 * n_cells is known: without cells a file of any dimension is a surface. */
static mplan_status check_sizes(const case_reader *reader, mplan_error *err)
{
    const int32_t *size = reader->sizes.data;
    const bool flat = reader->file.dimension == 2 && reader->file.n_cells > 0;
    for (int64_t f = 0; f < reader->sizes.count; f++)
        if (size[f] > 0 && flat != (size[f] == 2))
            return fail(reader, MESH "/faces/nodes", MPLAN_ERR_MESH,
                        flat ? "has a face of more than two nodes in the plane"
                             : "has a face of two nodes in space",
                        err);
    return MPLAN_OK;
}

/* Corners of all faces, then the cell on either side. offsets: one entry more than faces; kept: where the faces of the file
 * are among those that have nodes. */
static mplan_status read_faces(case_reader *reader, mplan_error *err)
{
    mplan_vector sections = MPLAN_VECTOR_INIT(sizeof(row_section));
    int64_t n, zero = 0;
    mplan_status status = find_sections(reader, MESH "/faces/nodes", &sections, &n, err);
    if (!status)
        status = mplan_vector_push(&reader->file.offsets, &zero, err);
    for (int64_t s = 0; s < sections.count && !status; s++)
        status = read_corners(reader, (const row_section *)sections.data + s, err);
    free(sections.data);
    const int32_t kept = (int32_t)reader->file.n_faces;
    if (!status)
        status = mplan_vector_push(&reader->kept, &kept, err);
    for (int32_t k = 0; k < 2 && !status; k++) {
        reader->cells[k] = mplan_alloc_zero(reader->sizes.count, sizeof *reader->cells[k], err);
        status = reader->cells[k] ? read_cells_of(reader, k, err) : MPLAN_ERR_MEMORY;
    }
    if (!status)
        status = add_sides(reader, err);
    if (!status && reader->file.n_bare > 0)
        mplan_warn(reader->tree.context,
                   "%s: %lld faces without nodes, which join interfaces, are skipped",
                   reader->tree.input->path, (long long)reader->file.n_bare);
    return status ? status : check_sizes(reader, err);
}

/* --- zones ----------------------------------------------------------------------------------------- */

/* The name of a zone: up to a semicolon, behind which *at is left. */
static void take_name(const char **at, mplan_fluent_zone *zone)
{
    zone->name = *at;
    zone->name_length = strcspn(*at, ";");
    *at += zone->name_length + ((*at)[zone->name_length] == ';');
}

/* A zone of cells or faces as a section.
 * Faces first to last of the file become [begin, end) of those that have nodes, by `kept`. */
static mplan_status add_zone(case_reader *reader, const char *folder,
                             const mplan_fluent_section *zone, mplan_error *err)
{
    mplan_fluent_section added = *zone;
    const int64_t n = added.kind == MPLAN_FLUENT_FACES ? reader->sizes.count : INT32_MAX - 1;
    if (added.first < 1 || added.last < added.first - 1 || added.last > n)
        return fail(reader, folder, MPLAN_ERR_CORRUPT, "has a zone of members that are not there",
                    err);
    if (added.kind == MPLAN_FLUENT_FACES && added.type == MPLAN_FLUENT_PARENT)
        return fail(reader, folder, MPLAN_ERR_UNSUPPORTED,
                    "has parents of other faces, of a mesh with hanging nodes", err);
    if (added.kind == MPLAN_FLUENT_FACES) {
        const int32_t *kept = reader->kept.data;
        added.begin = kept[added.first - 1];
        added.end = kept[added.last];
    }
    return mplan_vector_push(&reader->file.sections, &added, err);
}

/* A column of a table of zones, as many numbers as there are zones; NULL where the file lacks it.
 * *n: -1 before the first column, then what all others must have. */
static mplan_status read_column(case_reader *reader, const char *folder, const char *name,
                                bool needed, int64_t *n, int64_t **column, mplan_error *err)
{
    char path[MPLAN_HDF5_PATH];
    mplan_hdf5_shape shape;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!needed && mplan_hdf5_look(&reader->tree, path, NULL) == MPLAN_HDF5_NOTHING)
        return MPLAN_OK;
    mplan_status status = mplan_hdf5_whole(&reader->tree, path, column, &shape, err);
    if (!status && *n >= 0 && shape.n != *n)
        status = fail(reader, path, MPLAN_ERR_CORRUPT, "does not have one number for each zone", err);
    *n = shape.n;
    return status;
}

/* kind: of cells or of faces.
 * *names: the text of all names, which has to live as long as file.zones. */
static mplan_status read_zones(case_reader *reader, const char *folder, int32_t kind, char **names,
                               mplan_error *err)
{
    char path[MPLAN_HDF5_PATH];
    int64_t *id = NULL, *first = NULL, *last = NULL, *type = NULL, n = -1, width;
    mplan_hdf5_shape shape;
    if (mplan_hdf5_look(&reader->tree, folder, NULL) != MPLAN_HDF5_GROUP)
        return MPLAN_OK;
    mplan_status status = read_column(reader, folder, "id", true, &n, &id, err);
    if (!status)
        status = read_column(reader, folder, "minId", true, &n, &first, err);
    if (!status)
        status = read_column(reader, folder, "maxId", true, &n, &last, err);
    if (!status)
        status = read_column(reader, folder, "zoneType", false, &n, &type, err);
    snprintf(path, sizeof path, "%s/name", folder);
    if (!status && mplan_hdf5_look(&reader->tree, path, NULL) == MPLAN_HDF5_TEXT)
        status = mplan_hdf5_texts(&reader->tree, path, names, &width, &shape, err);
    const char *at = *names && shape.n > 0 ? *names : "";
    for (int64_t z = 0; z < n && !status; z++) {
        const mplan_fluent_section section = {.kind = kind,
                                              .zone = id[z],
                                              .first = first[z],
                                              .last = last[z],
                                              .type = type ? type[z] : 0,
                                              .body = reader->file.scan};
        mplan_fluent_zone zone = {.id = id[z]};
        take_name(&at, &zone);
        status = add_zone(reader, folder, &section, err);
        if (!status && zone.name_length > 0)
            status = mplan_vector_push(&reader->file.zones, &zone, err);
    }
    free(id);
    free(first);
    free(last);
    free(type);
    return status;
}

/* By id, as mplan_fluent_find_zone looks for them. */
static int compare_zones(const void *left, const void *right)
{
    const mplan_fluent_zone *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

/* --- the file --------------------------------------------------------------------------------------- */

/* Nodes, faces and zones; zones of cells and faces are sorted by id in the end, since they are found by bisection.
 * Nodes come first: those of faces are compared with their number. */
static mplan_status read_all(case_reader *reader, mplan_error *err)
{
    mplan_fluent *file = &reader->file;
    if (!mplan_hdf5_attribute(&reader->tree, MESH, "dimension", &file->dimension) ||
        (file->dimension != 2 && file->dimension != 3))
        return fail(reader, MESH, MPLAN_ERR_CORRUPT, "must have the dimension 2 or 3", err);
    mplan_status status = read_nodes(reader, err);
    if (!status)
        status = read_faces(reader, err);
    if (!status)
        status = read_zones(reader, MESH "/cells/zoneTopology", MPLAN_FLUENT_CELLS,
                            &reader->names[0], err);
    if (!status)
        status = read_zones(reader, MESH "/faces/zoneTopology", MPLAN_FLUENT_FACES,
                            &reader->names[1], err);
    if (!status && file->zones.count > 0)
        qsort(file->zones.data, (size_t)file->zones.count, sizeof(mplan_fluent_zone), compare_zones);
    return status ? status : mplan_fluent_check_cells(file, err);
}

/* The case is read into the same structure as Fluent's text files (mplan_fluent_file), which
 * then makes the mesh: cells from faces. Sections have no place in a text, hence the empty
 * scanner, for the path in errors. */
static mplan_status read_case(const mplan_input *input, const mplan_read_options *options,
                              const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    case_reader reader = {.sizes = MPLAN_VECTOR_INIT(sizeof(int32_t)),
                          .kept = MPLAN_VECTOR_INIT(sizeof(int32_t))};
    (void)options;
    mplan_status status = mplan_hdf5_begin(&reader.tree, input, context, err);
    if (status)
        return status;
    mplan_fluent_begin(&reader.file, context);
    reader.file.scan = (mplan_scanner){.path = input->path, .begin = "", .at = "", .end = ""};
    status = read_all(&reader, err);
    mplan_hdf5_end(&reader.tree);
    if (!status)
        status = mplan_fluent_build(&reader.file, mesh, err);
    mplan_fluent_free(&reader.file);
    free(reader.names[0]);
    free(reader.names[1]);
    free(reader.sizes.data);
    free(reader.kept.data);
    free(reader.cells[0]);
    free(reader.cells[1]);
    return status;
}
#elif defined MPLAN_HELPER_HDF5
MPLAN_CONTAINED_READER(read_case, "fluent-hdf5")
#endif

static mplan_recognised recognise_case(const uint8_t *data, size_t size)
{
    return mplan_hdf5_holds(data, size, "meshes/1/faces", "zoneTopology") ? MPLAN_RECOGNISED_YES
                                                                          : MPLAN_RECOGNISED_NO;
}

const mplan_file_format mplan_format_fluent_hdf5 = {
    .name = "fluent-hdf5",
    .description = "Fluent meshes and cases in HDF5 (.msh.h5, .cas.h5), with polyhedra",
    .extensions = ".h5",
    .recognise = recognise_case,
    MPLAN_READ_BY_HDF5(read_case),
};
