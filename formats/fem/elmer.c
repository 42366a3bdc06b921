/* SPDX-License-Identifier: Apache-2.0 */
/* elmer.c - meshes of Elmer: a folder with mesh.header, mesh.nodes, mesh.elements, mesh.boundary and mesh.names
 *
 * After ElmerSolver's manual, appendix "Format of mesh files", and fem/src/elements.def, which orders nodes. Types are the
 * family times 100 and the number of nodes. Bodies are groups of cells; boundaries groups of faces, those that are points or
 * edges of solids groups of nodes. Names are lines "$ NAME = NUMBER" behind a line that speaks of bodies or of boundaries. Of
 * elements of third order the corners are kept. */
#include "formats/fem/elmer.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/bytes_hold.h"
#include "formats/collection.h"
#include "formats/folder_files.h"
#include "formats/not_finite.h"
#include "formats/scan.h"

enum { MOST_SPARE = 65536 };

static const char *const file_names[MPLAN_ELMER_FILES] = {
    "mesh.header", "mesh.nodes", "mesh.elements", "mesh.boundary", "mesh.names"};

/* A body or boundary that has a name. */
typedef struct elmer_name {
    int64_t number;
    const char *name; /* in the file */
    size_t length;
} elmer_name;

/* A mesh that is read. */
typedef struct elmer_reader {
    mplan_scanner scan; /* of the file at hand */
    mplan_collection collection;
    int64_t n_nodes, n_elements, n_boundary;
    int32_t *place;        /* of node number i: the how-manieth it is; -1: none has it */
    int64_t n_places;      /* entries of place */
    mplan_vector names[2]; /* elmer_name, by number: of bodies, of boundaries */
    int64_t points;        /* elements that are points, which are skipped */
} elmer_reader;

enum { OF_BODIES, OF_BOUNDARIES };

/* order: Gmsh's node k is Elmer's order[k] - 'A'; NULL: the same order. */
typedef struct elmer_type {
    int32_t code;
    mplan_cell_type type;
    const char *order;
} elmer_type;

static const elmer_type types[] = {
    {101, MPLAN_CELL_POINT, NULL},
    {202, MPLAN_CELL_LINE2, NULL},
    {203, MPLAN_CELL_LINE3, NULL},
    {204, MPLAN_CELL_LINE2, NULL},
    {303, MPLAN_CELL_TRI3, NULL},
    {306, MPLAN_CELL_TRI6, NULL},
    {310, MPLAN_CELL_TRI3, NULL},
    {404, MPLAN_CELL_QUAD4, NULL},
    {408, MPLAN_CELL_QUAD8, NULL},
    {409, MPLAN_CELL_QUAD9, NULL},
    {412, MPLAN_CELL_QUAD4, NULL},
    {416, MPLAN_CELL_QUAD4, NULL},
    {504, MPLAN_CELL_TET4, NULL},
    {510, MPLAN_CELL_TET10, "ABCDEFGHJI"},
    {605, MPLAN_CELL_PYRAMID5, NULL},
    {613, MPLAN_CELL_PYRAMID13, "ABCDEFIJGKHLM"},
    {706, MPLAN_CELL_PRISM6, NULL},
    {715, MPLAN_CELL_PRISM15, "ABCDEFGIMHNOJLK"},
    {808, MPLAN_CELL_HEX8, NULL},
    {820, MPLAN_CELL_HEX20, "ABCDEFGHILMJNKOPQTRS"},
    {827, MPLAN_CELL_HEX27, "ABCDEFGHILMJNKOPQTRSYUXVWZ["},
};

/* code: hundreds are the shape, the rest the number of nodes. NULL: a type that is not known. */
static const elmer_type *find_type(int64_t code)
{
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (types[t].code == code)
            return &types[t];
    return NULL;
}

/* Looks for a signal at every 65,536th item. */
static mplan_status pause_at(const elmer_reader *reader, int64_t i, mplan_error *err)
{
    return i % 65536 == 0 ? mplan_scan_heed(&reader->scan, reader->collection.context, err)
                          : MPLAN_OK;
}

/* Rows behind those that the header counts are not a part of the mesh. */
static void end_file(const elmer_reader *reader, int64_t n)
{
    mplan_scanner rest = reader->scan;
    if (mplan_scan_skip_space(&rest))
        mplan_warn(reader->collection.context,
                   "%s:%lld: the rows from here on are skipped: mesh.header counts %lld", rest.path,
                   (long long)rest.line, (long long)n);
}

/* Begins a file; one without bytes has no memory either. */
static void begin_file(elmer_reader *reader, const mplan_input *file)
{
    mplan_input begun = *file;
    begun.data = file->data ? file->data : (const uint8_t *)"";
    mplan_scan_begin(&reader->scan, &begun);
}

/* --- header ---------------------------------------------------------------------------------------- */

/* A count, whose rows of `least` bytes the file may hold. */
static mplan_status take_count(elmer_reader *reader, const char *what, const mplan_input *file,
                               int64_t least, int64_t *n, mplan_error *err)
{
    mplan_status status = mplan_scan_i64(&reader->scan, what, n, err);
    if (!status && (*n < 0 || *n >= INT32_MAX || *n > (int64_t)file->size / least + 1))
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                 "%s is %lld, more than %s can hold", what, (long long)*n,
                                 file->path);
    return status;
}

/* What it says of types is seen in the elements themselves. */
static mplan_status read_header(elmer_reader *reader, const mplan_input *files, mplan_error *err)
{
    begin_file(reader, &files[MPLAN_ELMER_HEADER]);
    mplan_status status = take_count(reader, "the number of nodes", &files[MPLAN_ELMER_NODES], 10,
                                     &reader->n_nodes, err);
    if (!status)
        status = take_count(reader, "the number of elements", &files[MPLAN_ELMER_ELEMENTS], 8,
                            &reader->n_elements, err);
    return status ? status
                  : take_count(reader, "the number of boundary elements",
                               &files[MPLAN_ELMER_BOUNDARY], 12, &reader->n_boundary, err);
}

/* --- names ----------------------------------------------------------------------------------------- */

/* Numbers of bodies and boundaries are looked up by bisection. */
static int compare_names(const void *left, const void *right)
{
    const elmer_name *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

/* "$ NAME = NUMBER": blanks around the name do not belong to it. Other lines say nothing.
 * [at, end): the line, which begins with $. The name is a view into the file. */
static mplan_status take_name(elmer_reader *reader, const char *at, const char *end, int of,
                              mplan_error *err)
{
    const char *equals = memchr(at, '=', (size_t)(end - at));
    elmer_name name = {0, at + 1, 0};
    if (!equals)
        return MPLAN_OK;
    const char *last = equals, *number = equals + 1;
    while (name.name < last && *name.name == ' ')
        name.name++;
    while (last > name.name && last[-1] == ' ')
        last--;
    while (number < end && *number == ' ')
        number++;
    name.length = (size_t)(last - name.name);
    if (!mplan_parse_i64(number, end, &name.number) || name.length == 0)
        return MPLAN_OK;
    return mplan_vector_push(&reader->names[of], &name, err);
}

/* Lines `$ name = number` of mesh.names: of bodies, and below a comment that says so of boundaries. Both lists are sorted
 * by number. */
static mplan_status read_names(elmer_reader *reader, const mplan_input *file, mplan_error *err)
{
    const char *at = (const char *)file->data, *end = at ? at + file->size : at;
    mplan_status status = MPLAN_OK;
    int of = OF_BODIES;
    while (at < end && !status) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *last = newline ? newline : end;
        const uint8_t *line = (const uint8_t *)at;
        if (*at == '!' && mplan_bytes_hold(line, (size_t)(last - at), "boundaries"))
            of = OF_BOUNDARIES;
        else if (*at == '!' && mplan_bytes_hold(line, (size_t)(last - at), "bodies"))
            of = OF_BODIES;
        else if (*at == '$')
            status = take_name(reader, at, last, of, err);
        at = newline ? newline + 1 : end;
    }
    for (int i = 0; i < 2 && !status; i++)
        if (reader->names[i].count > 1)
            qsort(reader->names[i].data, (size_t)reader->names[i].count, sizeof(elmer_name),
                  compare_names);
    return status;
}

/* Member `member` of the dimension joins a body or boundary, with its name if it has one.
 * of: OF_BODIES or OF_BOUNDARIES. member: of its dimension, from 0, or of points the node. */
static mplan_status join(elmer_reader *reader, int of, int32_t dimension, int64_t member,
                         int64_t number, mplan_error *err)
{
    const elmer_name *name = reader->names[of].data;
    int64_t low = 0, high = reader->names[of].count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (name[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    const bool named = low < reader->names[of].count && name[low].number == number;
    const int64_t id = named && number == 0 ? MPLAN_COLLECTED_ZERO : number;
    const char *text = named ? name[low].name : "";
    const size_t length = named ? name[low].length : 0;
    return dimension == 0 ? mplan_collect_point(&reader->collection, member, id, text, length, err)
                          : mplan_collect_member_at(&reader->collection, dimension, member, id,
                                                    text, length, err);
}

/* --- nodes ----------------------------------------------------------------------------------------- */

/* Room for a node of that number; numbers are mostly 1, 2, ...
 * place: n_places entries, -1 for numbers without a node; it grows by half, and numbers are bounded, so that a
 * single large one cannot ask for all memory. */
static mplan_status place_node(elmer_reader *reader, int64_t number, int32_t place, mplan_error *err)
{
    if (number < 0 || number > 2 * reader->n_nodes + MOST_SPARE)
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_UNSUPPORTED,
                               "node number %lld: numbers must not be far above the number of nodes",
                               (long long)number);
    if (number >= reader->n_places) {
        int64_t n = number + number / 2 + 64;
        int32_t *grown = mplan_realloc(reader->place, n, sizeof *grown, err);
        if (!grown)
            return MPLAN_ERR_MEMORY;
        memset(grown + reader->n_places, 0xff, (size_t)(n - reader->n_places) * sizeof *grown);
        reader->place = grown;
        reader->n_places = n;
    }
    if (reader->place[number] >= 0)
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH, "node %lld occurs twice",
                               (long long)number);
    reader->place[number] = place;
    return MPLAN_OK;
}

/* A number, a number of a partition, and coordinates each. */
static mplan_status read_nodes(elmer_reader *reader, const mplan_input *file, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    begin_file(reader, file);
    for (int64_t i = 0; i < reader->n_nodes && !status; i++) {
        double xyz[3] = {0, 0, 0};
        int64_t number = 0, part;
        status = mplan_scan_i64(&reader->scan, "the number of a node", &number, err);
        if (!status)
            status = mplan_scan_i64(&reader->scan, "the part of a node", &part, err);
        for (int d = 0; d < 3 && !status; d++) {
            status = mplan_scan_f64(&reader->scan, "a coordinate", &xyz[d], err);
            if (!status && !(xyz[d] - xyz[d] == 0)) /* also false for NaN */
                status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH,
                                         "a coordinate is not finite (%s)", mplan_not_finite(xyz[d]));
        }
        if (!status)
            status = place_node(reader, number, (int32_t)i, err);
        if (!status)
            status = mplan_collect_node(&reader->collection, xyz, err);
        if (!status)
            status = pause_at(reader, i, err);
    }
    if (!status)
        end_file(reader, reader->n_nodes);
    return status;
}

/* --- elements --------------------------------------------------------------------------------------- */

/* The nodes of an element; node: of which the type has the first, in the order of the file.
 * n: of them, at most 27; node[k]: from 0. */
static mplan_status take_nodes(elmer_reader *reader, int32_t n, int32_t node[27], mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t k = 0; k < n && !status; k++) {
        int64_t number = 0;
        status = mplan_scan_i64(&reader->scan, "a node of an element", &number, err);
        if (!status && (number < 0 || number >= reader->n_places || reader->place[number] < 0))
            status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH, "there is no node %lld",
                                     (long long)number);
        if (!status)
            node[k] = reader->place[number];
    }
    return status;
}

/* A type and nodes; the element joins a body or boundary.
 * number: of the body or boundary. */
static mplan_status take_element(elmer_reader *reader, int of, int64_t number, mplan_error *err)
{
    int64_t code = 0;
    int32_t node[27];
    mplan_status status = mplan_scan_i64(&reader->scan, "the type of an element", &code, err);
    const elmer_type *type = find_type(code);
    if (!status && !type)
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_UNSUPPORTED,
                                 "elements of type %lld are not supported", (long long)code);
    if (!status)
        status = take_nodes(reader, (int32_t)(code % 100), node, err);
    if (status)
        return status;
    if (type->type == MPLAN_CELL_POINT) {
        reader->points += of == OF_BODIES;
        return of == OF_BODIES ? MPLAN_OK : join(reader, of, 0, node[0], number, err);
    }
    int32_t *nodes = mplan_collect_cell(&reader->collection, type->type, err);
    if (!nodes)
        return MPLAN_ERR_MEMORY;
    for (int32_t k = 0; k < mplan_cell_type_nodes(type->type); k++)
        nodes[k] = node[type->order ? type->order[k] - 'A' : k];
    const int32_t dimension = mplan_cell_type_dimension(type->type);
    return join(reader, of, dimension, reader->collection.type[dimension].count - 1, number, err);
}

/* Of bodies: a number of its own and that of a body, of boundaries the elements at its sides as well.
 * Elements at the sides are not kept: faces find their cells by nodes. */
static mplan_status read_elements(elmer_reader *reader, const mplan_input *file, int of, int64_t n,
                                  mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    begin_file(reader, file);
    for (int64_t e = 0; e < n && !status; e++) {
        int64_t own, number = 0, side;
        status = mplan_scan_i64(&reader->scan, "the number of an element", &own, err);
        if (!status)
            status = mplan_scan_i64(&reader->scan,
                                    of == OF_BODIES ? "the number of a body"
                                                    : "the number of a boundary",
                                    &number, err);
        for (int k = 0; k < 2 && of == OF_BOUNDARIES && !status; k++)
            status = mplan_scan_i64(&reader->scan, "an element beside a boundary", &side, err);
        if (!status)
            status = take_element(reader, of, number, err);
        if (!status)
            status = pause_at(reader, e, err);
    }
    if (!status)
        end_file(reader, n);
    return status;
}

/* Header, names, nodes and elements in this order: each needs the counts of those before. */
static mplan_status read_all(elmer_reader *reader, const mplan_input *files, mplan_error *err)
{
    mplan_status status = read_header(reader, files, err);
    if (!status)
        status = read_names(reader, &files[MPLAN_ELMER_NAMES], err);
    if (!status)
        status = read_nodes(reader, &files[MPLAN_ELMER_NODES], err);
    if (!status)
        status = read_elements(reader, &files[MPLAN_ELMER_ELEMENTS], OF_BODIES, reader->n_elements,
                               err);
    if (!status && files[MPLAN_ELMER_BOUNDARY].data)
        status = read_elements(reader, &files[MPLAN_ELMER_BOUNDARY], OF_BOUNDARIES,
                               reader->n_boundary, err);
    if (!status && reader->points > 0)
        mplan_warn(reader->collection.context, "%s: %lld elements that are points are skipped",
                   files[MPLAN_ELMER_ELEMENTS].path, (long long)reader->points);
    return status;
}

/* files: one per part of the folder, in the order of MPLAN_ELMER_. names[] are those of bodies
 * and boundaries, from mesh.names; place[n]: the how-manieth node has the number n, -1: none. */
mplan_status mplan_elmer_read(const mplan_input *files, const mplan_context *context,
                              mplan_mesh *mesh, mplan_error *err)
{
    elmer_reader reader = {.place = NULL};
    for (int i = 0; i < 2; i++)
        reader.names[i] = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(elmer_name));
    mplan_collection_begin(&reader.collection, files[MPLAN_ELMER_HEADER].path, context);
    mplan_status status = read_all(&reader, files, err);
    if (!status)
        status = mplan_collection_to_mesh(&reader.collection, mesh, err);
    mplan_collection_free(&reader.collection);
    free(reader.names[OF_BODIES].data);
    free(reader.names[OF_BOUNDARIES].data);
    free(reader.place);
    return status;
}

/* --- the folder ------------------------------------------------------------------------------------- */

/* The files of the folder, of which those of names and boundary may be missing. */
static mplan_status read_elmer(const mplan_input *input, const mplan_read_options *options,
                               const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    mplan_folder folder;
    (void)options;
    if (input->data && !input->file)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: an Elmer mesh is a folder with files",
                          input->path);
    mplan_status status = mplan_folder_open(input, file_names, MPLAN_ELMER_FILES,
                                            MPLAN_ELMER_BOUNDARY, &folder, context, err);
    if (!status)
        status = mplan_elmer_read(folder.files, context, mesh, err);
    mplan_folder_close(&folder);
    return status;
}

/* mesh.header, if it is named so: three counts, how many types there are, and types with their counts. */
static mplan_recognised recognise_elmer(const uint8_t *data, size_t size)
{
    mplan_input input = {"", data, size < 4096 ? size : 4096, NULL};
    mplan_scanner scan;
    int64_t value[4], code, count;
    mplan_scan_begin(&scan, &input);
    for (int i = 0; i < 4; i++)
        if (mplan_scan_i64(&scan, "", &value[i], NULL) || value[i] < 0)
            return MPLAN_RECOGNISED_NO;
    for (int64_t t = 0; t < value[3]; t++)
        if (mplan_scan_i64(&scan, "", &code, NULL) || code < 101 || code > 827 ||
            mplan_scan_i64(&scan, "", &count, NULL))
            return MPLAN_RECOGNISED_NO;
    return value[3] > 0 && value[3] < 32 ? MPLAN_RECOGNISED_BY_NAME : MPLAN_RECOGNISED_NO;
}

/* A folder with regular files for header, nodes and elements. */
static bool recognise_folder(const char *path)
{
    return mplan_folder_has(path, file_names, MPLAN_ELMER_BOUNDARY);
}

const mplan_file_format mplan_format_elmer = {
    .name = "elmer",
    .description = "Elmer, a folder with mesh.header, with names of bodies and boundaries",
    .extensions = ".header",
    .recognise = recognise_elmer,
    .recognise_folder = recognise_folder,
    .read = read_elmer,
};
