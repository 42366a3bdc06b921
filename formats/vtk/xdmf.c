/* SPDX-License-Identifier: Apache-2.0 */
/* xdmf.c - XDMF 2 and 3 (.xdmf, .xmf), as meshio, FEniCS and DOLFINx write them: numbers in the file itself, or in HDF5 or raw
 * files beside it
 *
 * After the description of the format on xdmf.org. The mesh is the first uniform grid with a topology and a geometry. An
 * attribute of its cells by one of the names that programs give to groups (vtk_groups.c), or the only one of whole numbers,
 * makes groups. Further grids of a topology and one such attribute on the same geometry are tags, as DOLFINx writes them. Tables of
 * HDF5 files come from a program of libexec (hdf5_numbers.c). */
#include "base/error.h"
#include "formats/format.h"

#ifdef MPLAN_HAVE_EXPAT
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/collection.h"
#include "formats/contained_formats.h"
#include "formats/scan.h"
#include "formats/sibling.h"
#include "formats/vtk/vtk.h"
#include "formats/vtk/xdmf.h"
#include "mesh/mesh.h"

/* A file that is read. */
typedef struct xdmf_reader {
    mplan_xdmf file;
    mplan_collection collection;
    mplan_vector placed; /* int64_t: dimension << 32 | member, of each cell of the topology read last; -1: none */
    mplan_vector keys; /* uint64_t pairs: sum of hashes of its nodes, member; of the mesh's cells */
} xdmf_reader;

static mplan_status fail(const xdmf_reader *reader, int64_t line, mplan_status status,
                         const char *what, mplan_error *err)
{
    return mplan_xdmf_fail(&reader->file, line, status, what, err);
}

/* --- numbers -------------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == ',' || (c >= '\t' && c <= '\r');
}

/* Byte `at` of the text of all items; NULL where no item has any. */
static const char *text_of(const xdmf_reader *reader, int64_t at)
{
    return reader->file.text.data ? (const char *)reader->file.text.data + at : NULL;
}

/* Of the file itself, between blanks. */
static mplan_status parse_numbers(const xdmf_reader *reader, const mplan_xdmf_item *item,
                                  mplan_vector *to, mplan_error *err)
{
    const char *at = text_of(reader, item->begin), *end = text_of(reader, item->end);
    mplan_status status = MPLAN_OK;
    while (!status) {
        double value = 0;
        while (at < end && is_blank(*at))
            at++;
        if (at >= end)
            break;
        const size_t used = mplan_parse_f64(at, end, &value);
        if (!used || (at + used < end && !is_blank(at[used])))
            return fail(reader, item->line, MPLAN_ERR_CORRUPT, "expected numbers only", err);
        at += used;
        status = mplan_vector_push(to, &value, err);
    }
    return status;
}

/* The set `numbers` of what hdf5_numbers.c makes. */
static mplan_status copy_numbers(const mplan_mesh *mesh, mplan_vector *to, mplan_error *err)
{
    const int32_t numbers = mplan_mesh_find_set(mesh, "numbers"),
                  pairs = mplan_mesh_find_set(mesh, "pairs");
    int32_t axes = 0;
    const double *values = pairs >= 0 ? mplan_mesh_coordinates(mesh, pairs, &axes) : NULL;
    const int64_t n = numbers >= 0 ? mplan_mesh_set(mesh, numbers).size : 0;
    if (n == 0)
        return MPLAN_OK;
    if (!values || axes != 2 || n > 2 * mplan_mesh_set(mesh, pairs).size)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "damaged: no numbers came back");
    double *room = mplan_vector_reserve(to, n, err);
    if (!room)
        return MPLAN_ERR_MEMORY;
    memcpy(room, values, (size_t)n * sizeof *room);
    to->count = n;
    return MPLAN_OK;
}

#ifdef MPLAN_HELPER_HDF5
/* Reads table `inside` of the file. */
static mplan_status ask(const xdmf_reader *reader, const char *path, const char *inside,
                        mplan_vector *to, mplan_error *err)
{
    mplan_input_file opened = {0};
    mplan_mesh *mesh = NULL;
    mplan_read_options options = MPLAN_READ_OPTIONS_INIT;
    options.zone = inside;
    mplan_status status = mplan_input_open_beside(path, &opened, reader->file.context, err);
    if (!status)
        status = mplan_mesh_create(&mesh, err);
    if (!status)
        status = mplan_contained_ask("op2-hdf5", "hdf5-numbers", &opened.input, &options,
                                     reader->file.context, mesh, err);
    if (!status)
        status = copy_numbers(mesh, to, err);
    mplan_mesh_free(mesh);
    mplan_input_close(&opened);
    return status;
}
#else
static mplan_status ask(const xdmf_reader *reader, const char *path, const char *inside,
                        mplan_vector *to, mplan_error *err)
{
    (void)path;
    (void)inside;
    (void)to;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: numbers in HDF5 need a build with libhdf5",
                      reader->file.input->path);
}
#endif

/* "FILE:TABLE", the file in the folder of this one or below it: no other file of the user's is opened. [at, end): without blanks
 * around it. */
static mplan_status read_table(const xdmf_reader *reader, const mplan_xdmf_item *item,
                               const char *at, const char *end, mplan_vector *to, mplan_error *err)
{
    const char *colon = at < end ? memchr(at, ':', (size_t)(end - at)) : NULL;
    if (!colon || colon == at || end - at > 2048)
        return fail(reader, item->line, MPLAN_ERR_CORRUPT, "expected FILE:TABLE of an HDF5 file",
                    err);
    const char *slash = strrchr(reader->file.input->path, '/');
    const int folder = slash ? (int)(slash + 1 - reader->file.input->path) : 0;
    const char *here = folder == 0 && *at == '-' ? "./" : ""; /* "-" is a file here */
    const int64_t size = folder + 2 + (end - at) + 1;
    char *path = mplan_alloc(2 * size, 1, err), *inside = path ? path + size : NULL;
    if (!path)
        return MPLAN_ERR_MEMORY;
    snprintf(path, (size_t)size, "%.*s%s%.*s", folder, reader->file.input->path, here,
             (int)(colon - at), at);
    snprintf(inside, (size_t)size, "%.*s", (int)(end - colon - 1), colon + 1);
    mplan_status status = !mplan_sibling_below(at, (size_t)(colon - at)) || !reader->file.input->file
                              ? fail(reader, item->line, MPLAN_ERR_UNSUPPORTED,
                                     "numbers must be in a file beside this one", err)
                              : ask(reader, path, inside, to, err);
    free(path);
    return status;
}

/* Numbers of another count than Dimensions tells are damaged, or are not the ones that are meant: what other readers would take
 * of them cannot be guessed. */
static mplan_status count_numbers(const xdmf_reader *reader, const mplan_xdmf_item *item, int64_t n,
                                  mplan_error *err)
{
    char what[120];
    if (item->n < 0 || item->n == n)
        return MPLAN_OK;
    snprintf(what, sizeof what, "Dimensions must tell how many numbers there are: %lld, not %lld",
             (long long)n, (long long)item->n);
    return fail(reader, item->line, MPLAN_ERR_CORRUPT, what, err);
}

/* to: double. */
static mplan_status read_item(const xdmf_reader *reader, const mplan_xdmf_item *item,
                              mplan_vector *to, mplan_error *err)
{
    const char *at = text_of(reader, item->begin), *end = text_of(reader, item->end);
    to->count = 0;
    if (item->odd && item->form == MPLAN_XDMF_BINARY)
        return fail(reader, item->line, MPLAN_ERR_UNSUPPORTED,
                    "raw numbers must be whole ones of 1, 2, 4 or 8 bytes or reals of 4 or 8, Endian Little, Big or "
                    "Native, and not compressed",
                    err);
    if (item->odd)
        return fail(reader, item->line, MPLAN_ERR_UNSUPPORTED,
                    "numbers must be text, a table of an HDF5 file or those of a raw file", err);
    mplan_status status = MPLAN_OK;
    if (item->form == MPLAN_XDMF_TEXT)
        status = parse_numbers(reader, item, to, err);
    while (at < end && is_blank(*at))
        at++;
    while (at < end && is_blank(end[-1]))
        end--;
    if (item->form == MPLAN_XDMF_HDF)
        status = read_table(reader, item, at, end, to, err);
    if (item->form == MPLAN_XDMF_BINARY)
        status = mplan_xdmf_binary(&reader->file, item, at, (size_t)(end - at), to, err);
    return status ? status : count_numbers(reader, item, to->count, err);
}

/* --- cells ------------------------------------------------------------------------------------------ */

/* XDMF's names and numbers of types, and VTK's. */
static const struct {
    const char *name;
    int32_t code, vtk, nodes;
} types[] = {
    {"Polyvertex", 1, 1, 1},
    {"Polyline", 2, 3, 2},
    {"Triangle", 4, 5, 3},
    {"Quadrilateral", 5, 9, 4},
    {"Tetrahedron", 6, 10, 4},
    {"Pyramid", 7, 14, 5},
    {"Wedge", 8, 13, 6},
    {"Hexahedron", 9, 12, 8},
    {"Edge_3", 34, 21, 3},
    {"Quadrilateral_9", 35, 28, 9},
    {"Triangle_6", 36, 22, 6},
    {"Tri_6", 36, 22, 6},
    {"Quadrilateral_8", 37, 23, 8},
    {"Quad_8", 37, 23, 8},
    {"Quad_9", 35, 28, 9},
    {"Tetrahedron_10", 38, 24, 10},
    {"Tet_10", 38, 24, 10},
    {"Pyramid_13", 39, 27, 13},
    {"Wedge_15", 40, 26, 15},
    {"Wedge_18", 41, 32, 18},
    {"Hexahedron_20", 48, 25, 20},
    {"Hex_20", 48, 25, 20},
    {"Hexahedron_27", 50, 29, 27},
    {"Hex_27", 50, 29, 27},
};
enum { N_TYPES = sizeof types / sizeof *types };

/* Spreads numbers over 64 bits; sums of it do not depend on the order of nodes. */
static uint64_t mix(int32_t node)
{
    uint64_t x = (uint64_t)(uint32_t)node + UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* A cell of type t with these numbers of nodes, from `base` on; it is placed behind those before it. tags: only found among the
 * mesh's cells, where it is of their dimension. */
static mplan_status add_cell(xdmf_reader *reader, const mplan_xdmf_grid *grid, int32_t t,
                             const double *nodes, int32_t mesh_dimension, mplan_error *err)
{
    const mplan_xdmf_item *item = &grid->topology;
    mplan_cell_type type;
    const char *order;
    int32_t node[27];
    uint64_t key[2] = {0, 0};
    if (!mplan_vtk_shape(types[t].vtk, types[t].nodes, &type, &order))
        return fail(reader, item->line, MPLAN_ERR_UNSUPPORTED, "a type of cell is not supported",
                    err);
    const int32_t dimension = mplan_cell_type_dimension(type), n = types[t].nodes;
    for (int32_t k = 0; k < n; k++) {
        const double number = nodes[order ? order[k] - 'A' : k] - (double)grid->base;
        if (!(number >= 0 && number < (double)mplan_collected_nodes(&reader->collection)))
            return fail(reader, item->line, MPLAN_ERR_MESH,
                        "the topology has a node that is not in the geometry", err);
        node[k] = (int32_t)number;
        if (node[k] != number)
            return fail(reader, item->line, MPLAN_ERR_CORRUPT,
                        "the topology must hold whole numbers only", err);
        key[0] += mix(node[k]);
    }
    int64_t at = -1;
    if (dimension == 0) {
        at = node[0];
    } else if (mesh_dimension > 0 && dimension >= mesh_dimension) {
        const uint64_t *keys = reader->keys.data;
        int64_t low = 0, high = reader->keys.count / 2;
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            if (keys[2 * middle] < key[0])
                low = middle + 1;
            else
                high = middle;
        }
        if (dimension == mesh_dimension && 2 * low < reader->keys.count && keys[2 * low] == key[0])
            at = (int64_t)keys[2 * low + 1];
    } else {
        at = reader->collection.type[dimension].count;
        int32_t *to = mplan_collect_cell(&reader->collection, type, err);
        if (!to)
            return MPLAN_ERR_MEMORY;
        memcpy(to, node, (size_t)n * sizeof *to);
    }
    const int64_t place = at < 0 ? -1 : (int64_t)dimension << 32 | at;
    key[1] = (uint64_t)place;
    mplan_status status = mplan_vector_push(&reader->placed, &place, err);
    if (!status && mesh_dimension == 0 && dimension > 0)
        status = !mplan_vector_push(&reader->keys, &key[0], err)
                     ? mplan_vector_push(&reader->keys, &key[1], err)
                     : MPLAN_ERR_MEMORY;
    return status;
}

/* The row of types[] of a name, or by a number in mixed topologies; -1. */
static int32_t find_type(const char *name, double code)
{
    for (int32_t t = 0; t < N_TYPES; t++)
        if (name ? strcasecmp(types[t].name, name) == 0 : types[t].code == code)
            return t;
    return -1;
}

/* Numbers of types are before the nodes; those of points and lines have a count as well. */
static mplan_status add_mixed(xdmf_reader *reader, const mplan_xdmf_grid *grid,
                              const mplan_vector *numbers, int32_t mesh_dimension, mplan_error *err)
{
    const mplan_xdmf_item *item = &grid->topology;
    const double *value = numbers->data;
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < numbers->count && !status;) {
        const int32_t t = find_type(NULL, value[i]);
        const bool counted = t >= 0 && types[t].code <= 2;
        if (t < 0 || (counted && (i + 1 >= numbers->count || value[i + 1] != types[t].nodes)))
            return fail(reader, item->line, MPLAN_ERR_UNSUPPORTED,
                        "a type of cell in a mixed topology is not supported", err);
        i += 1 + counted;
        if (types[t].nodes > numbers->count - i)
            return fail(reader, item->line, MPLAN_ERR_CORRUPT, "the topology ends within a cell",
                        err);
        status = add_cell(reader, grid, t, value + i, mesh_dimension, err);
        i += types[t].nodes;
    }
    return status;
}

/* mesh_dimension: 0 for the mesh itself, else the grid is tags. */
static mplan_status add_topology(xdmf_reader *reader, const mplan_xdmf_grid *grid,
                                 mplan_vector *numbers, int32_t mesh_dimension, mplan_error *err)
{
    const mplan_xdmf_item *item = &grid->topology;
    reader->placed.count = 0;
    mplan_status status = read_item(reader, item, numbers, err);
    if (status || strcasecmp(grid->type, "Mixed") == 0)
        return status ? status : add_mixed(reader, grid, numbers, mesh_dimension, err);
    const int32_t t = find_type(grid->type, 0);
    if (t < 0 || (types[t].code <= 2 && grid->nodes_per_element > 0 &&
                  grid->nodes_per_element != types[t].nodes))
        return fail(reader, item->line, MPLAN_ERR_UNSUPPORTED,
                    "the type of the topology is not supported", err);
    if (numbers->count % types[t].nodes != 0)
        return fail(reader, item->line, MPLAN_ERR_CORRUPT, "the topology ends within a cell", err);
    for (int64_t i = 0; i < numbers->count && !status; i += types[t].nodes)
        status = add_cell(reader, grid, t, (const double *)numbers->data + i, mesh_dimension, err);
    return status;
}

/* --- nodes and groups --------------------------------------------------------------------------------- */

/* Nodes of two or three finite coordinates. */
static mplan_status add_geometry(xdmf_reader *reader, const mplan_xdmf_grid *grid,
                                 mplan_vector *numbers, mplan_error *err)
{
    const mplan_xdmf_item *item = &grid->geometry;
    mplan_status status = grid->axes ? read_item(reader, item, numbers, err)
                                     : fail(reader, item->line, MPLAN_ERR_UNSUPPORTED,
                                            "the geometry must be XYZ or XY", err);
    if (!status && numbers->count % grid->axes != 0)
        status = fail(reader, item->line, MPLAN_ERR_CORRUPT, "the geometry ends within a node", err);
    for (int64_t i = 0; !status && i < numbers->count; i += grid->axes) {
        double xyz[3] = {0, 0, 0};
        for (int32_t d = 0; d < grid->axes && !status; d++) {
            xyz[d] = ((const double *)numbers->data)[i + d];
            if (!(xyz[d] - xyz[d] == 0)) /* also false for NaN */
                status = fail(reader, item->line, MPLAN_ERR_MESH, "a coordinate is not finite", err);
        }
        if (!status)
            status = mplan_collect_node(&reader->collection, xyz, err);
    }
    return status;
}

/* The attribute that is groups: by its name, or the only one of whole numbers; of tags, whose numbers have no type, the only
 * one. NULL without one. */
static const mplan_xdmf_attribute *group_of(const xdmf_reader *reader, const mplan_xdmf_grid *grid,
                                            bool tags)
{
    if (tags && grid->last == grid->first + 1)
        return (const mplan_xdmf_attribute *)reader->file.attributes.data + grid->first;
    const mplan_xdmf_attribute *attribute = reader->file.attributes.data, *found = NULL;
    int64_t n_whole = 0;
    int best = -1;
    for (int64_t a = grid->first; a < grid->last; a++) {
        const int rank = mplan_vtk_tag_rank(NULL, attribute[a].name);
        n_whole += attribute[a].whole;
        if (!attribute[a].item.there || (rank < 0 && !attribute[a].whole))
            continue;
        if (rank >= 0 && (best < 0 || rank < best)) {
            best = rank;
            found = &attribute[a];
        } else if (best < 0) {
            found = &attribute[a];
        }
    }
    return best >= 0 || n_whole == 1 ? found : NULL;
}

/* A number of each cell that was placed; 0 is not a group of the mesh's own cells, and fractions are none of any. */
static mplan_status add_groups(xdmf_reader *reader, const mplan_xdmf_grid *grid, bool tags,
                               mplan_vector *numbers, mplan_error *err)
{
    const mplan_xdmf_attribute *attribute = group_of(reader, grid, tags);
    mplan_status status = attribute ? read_item(reader, &attribute->item, numbers, err) : MPLAN_OK;
    if (!attribute || status)
        return status;
    if (numbers->count != reader->placed.count)
        return fail(reader, attribute->item.line, MPLAN_ERR_CORRUPT,
                    "an attribute does not have one number for each cell", err);
    for (int64_t c = 0; c < numbers->count && !status; c++) {
        const double value = ((const double *)numbers->data)[c];
        const int64_t place = ((const int64_t *)reader->placed.data)[c];
        if (place < 0 || (value == 0 && !tags) || !(value > -9e15 && value < 9e15) ||
            (double)(int64_t)value != value)
            continue;
        status = mplan_collect_member_at(&reader->collection, (int32_t)(place >> 32),
                                         place & 0xffffffff, (int64_t)value, "", 0, err);
    }
    return status;
}

static int compare_keys(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

/* Keys of the mesh's cells of its highest dimension, members for places. */
static int32_t sort_keys(xdmf_reader *reader)
{
    uint64_t *keys = reader->keys.data;
    int32_t dimension = 3;
    int64_t n = 0;
    while (dimension > 0 && reader->collection.type[dimension].count == 0)
        dimension--;
    for (int64_t i = 0; i < reader->keys.count; i += 2)
        if ((int32_t)(keys[i + 1] >> 32) == dimension) {
            keys[2 * n] = keys[i];
            keys[2 * n++ + 1] = keys[i + 1] & 0xffffffff;
        }
    reader->keys.count = 2 * n;
    if (n > 0)
        qsort(keys, (size_t)n, 2 * sizeof *keys, compare_keys);
    return dimension;
}

/* Grids behind the mesh that have a topology of their own, but its geometry. */
static mplan_status add_tags(xdmf_reader *reader, int64_t mesh, mplan_vector *numbers,
                             mplan_error *err)
{
    const mplan_xdmf_grid *grids = reader->file.grids.data;
    const int32_t dimension = sort_keys(reader);
    mplan_status status = MPLAN_OK;
    for (int64_t g = mesh + 1; g < reader->file.grids.count && dimension > 0 && !status; g++) {
        if (!grids[g].topology.there || grids[g].geometry.there || !group_of(reader, &grids[g], true))
            continue;
        status = add_topology(reader, &grids[g], numbers, dimension, err);
        if (!status)
            status = add_groups(reader, &grids[g], true, numbers, err);
    }
    return status;
}

/* The first grid that has both, with its groups and tags. numbers: scratch for one item after the other. */
static mplan_status build(xdmf_reader *reader, mplan_vector *numbers, mplan_error *err)
{
    const mplan_xdmf_grid *grids = reader->file.grids.data;
    int64_t mesh = 0;
    while (mesh < reader->file.grids.count &&
           !(grids[mesh].topology.there && grids[mesh].geometry.there))
        mesh++;
    if (mesh == reader->file.grids.count)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: no grid has both a topology and a geometry with numbers",
                          reader->file.input->path);
    if (reader->file.spatial && reader->file.grids.count > 1)
        mplan_warn(reader->file.context, "%s: the file has %lld grids; only the first is read",
                   reader->file.input->path, (long long)reader->file.grids.count);
    mplan_status status = add_geometry(reader, &grids[mesh], numbers, err);
    if (!status)
        status = add_topology(reader, &grids[mesh], numbers, 0, err);
    if (!status)
        status = add_groups(reader, &grids[mesh], false, numbers, err);
    return status ? status : add_tags(reader, mesh, numbers, err);
}

/* The light data is XML and is parsed first; heavy data is read when the grids are built. The
 * reader is too large for a stack. */
static mplan_status read_xdmf(const mplan_input *input, const mplan_read_options *options,
                              const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    xdmf_reader *reader = mplan_alloc_zero(1, sizeof *reader, err);
    mplan_vector numbers = MPLAN_VECTOR_INIT(sizeof(double));
    (void)options;
    if (!reader)
        return MPLAN_ERR_MEMORY;
    reader->file.input = input;
    reader->file.context = context;
    reader->file.text.size = 1;
    reader->file.grids.size = sizeof(mplan_xdmf_grid);
    reader->file.attributes.size = sizeof(mplan_xdmf_attribute);
    reader->placed.size = sizeof(int64_t);
    reader->keys.size = sizeof(uint64_t);
    mplan_collection_begin(&reader->collection, input->path, context);
    mplan_status status = mplan_xdmf_parse(&reader->file, err);
    if (!status)
        status = build(reader, &numbers, err);
    if (!status)
        status = mplan_collection_to_mesh(&reader->collection, mesh, err);
    mplan_collection_free(&reader->collection);
    free(reader->file.text.data);
    free(reader->file.grids.data);
    free(reader->file.attributes.data);
    free(reader->placed.data);
    free(reader->keys.data);
    free(numbers.data);
    free(reader);
    return status;
}
#else
static mplan_status read_xdmf(const mplan_input *input, const mplan_read_options *options,
                              const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    (void)options;
    (void)context;
    (void)mesh;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: XDMF files need a build with expat",
                      input->path);
}
#endif

/* <Xdmf, behind an XML head, a type and comments. */
static mplan_recognised recognise_xdmf(const uint8_t *data, size_t size)
{
    const size_t n = size < 4096 ? size : 4096;
    static const char mark[] = "<Xdmf";
    size_t at = 0;
    while (at < n && (data[at] == ' ' || (data[at] >= '\t' && data[at] <= '\r') || data[at] >= 0x80))
        at++;
    if (at == n || data[at] != '<')
        return MPLAN_RECOGNISED_NO;
    for (; at + sizeof mark <= n; at++) {
        bool same = true;
        for (size_t k = 0; k + 1 < sizeof mark && same; k++)
            same = (data[at + k] | 0x20) == (mark[k] | 0x20);
        if (same && (data[at + 5] == ' ' || data[at + 5] == '>' || data[at + 5] == '\n'))
            return MPLAN_RECOGNISED_YES;
    }
    return MPLAN_RECOGNISED_NO;
}

const mplan_file_format mplan_format_xdmf = {
    .name = "xdmf",
    .description = "XDMF of meshio, FEniCS and DOLFINx: numbers in text, or in HDF5 or raw files beside it",
    .extensions = ".xdmf .xmf",
    .recognise = recognise_xdmf,
    .read = read_xdmf,
#ifndef MPLAN_HAVE_EXPAT
    .missing = "expat",
#endif
};
