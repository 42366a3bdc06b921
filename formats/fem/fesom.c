/* SPDX-License-Identifier: Apache-2.0 */
/* fesom.c - meshes of FESOM2: a folder with nod2d.out, elem2d.out and what the model's partitioner has added
 *
 * After FESOM2's oce_mesh.F90 and fvom_init.F90. Numbers count from 1. nod2d.out has longitude and latitude in degrees, rotated or
 * not, which makes no difference here. aux3d.out has the number of levels, their depths and the depth of each node. elvls.out
 * and nlvls.out have the last level of each element and node, cavity_elvls.out and cavity_nlvls.out the first: levels are
 * the surfaces between layers, so there is one layer less. Without elvls.out and nlvls.out columns have no layers: the model
 * computes them from the depths, and mends them. edges.out has two nodes, edge_tri.out two elements for each edge, or
 * -999 (0) at a coast. */
#include "formats/fem/fesom.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/folder_files.h"
#include "formats/sphere.h"
#include "formats/scan.h"
#include "mesh/mesh.h"

static const char *const file_names[MPLAN_FESOM_FILES] = {
    "nod2d.out",        "elem2d.out",       "aux3d.out",   "elvls.out", "nlvls.out",
    "cavity_elvls.out", "cavity_nlvls.out", "edgenum.out", "edges.out", "edge_tri.out"};

/* A mesh that is read. */
typedef struct fesom_reader {
    mplan_scanner scan; /* of the file at hand */
    const mplan_input *files;
    const mplan_context *context;
    mplan_mesh *mesh;
    int64_t n_nodes, n_elements, n_edges, n_levels;
    int32_t nodes, cells, edges; /* sets; -1: not there */
} fesom_reader;

/* Begins a file; one without bytes has no memory either. */
static void begin_file(fesom_reader *reader, int file)
{
    mplan_input begun = reader->files[file];
    begun.data = begun.data ? begun.data : (const uint8_t *)"";
    mplan_scan_begin(&reader->scan, &begun);
}

/* Files of depths and of edges may be missing. */
static bool is_there(const fesom_reader *reader, int file)
{
    return reader->files[file].data != NULL;
}

/* Looks for a signal at every 65,536th item. */
static mplan_status pause_at(const fesom_reader *reader, int64_t i, mplan_error *err)
{
    return i % 65536 == 0 ? mplan_scan_heed(&reader->scan, reader->context, err) : MPLAN_OK;
}

/* A count of rows of at least `least` bytes each in a file. */
static mplan_status take_count(fesom_reader *reader, const char *what, int file, int64_t least,
                               int64_t *n, mplan_error *err)
{
    mplan_status status = mplan_scan_i64(&reader->scan, what, n, err);
    if (!status && (*n < 0 || *n >= INT32_MAX || *n > (int64_t)reader->files[file].size / least + 1))
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                 "%s is %lld, more than %s can hold", what, (long long)*n,
                                 reader->files[file].path);
    return status;
}

/* A number of one of n members, from 1; with `none` what is below 1 becomes -1.
 * *member: from 0. */
static mplan_status take_member(fesom_reader *reader, const char *what, int64_t n, bool none,
                                int32_t *member, mplan_error *err)
{
    int64_t number;
    mplan_status status = mplan_scan_i64(&reader->scan, what, &number, err);
    if (status)
        return status;
    *member = (int32_t)(number < 1 || number > n ? -1 : number - 1);
    if (number > n || (number < 1 && !none))
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH, "%s is %lld, not in [1, %lld]",
                               what, (long long)number, (long long)n);
    return MPLAN_OK;
}

/* --- nodes and elements ------------------------------------------------------------------------ */

/* One row: number, longitude, latitude, a mark. xyz and taken (bytes): of all nodes.
 * Longitude and latitude are in degrees; a node that occurs twice is an error, so that none can be missing. */
static mplan_status take_node(fesom_reader *reader, double *xyz, uint8_t *taken, mplan_error *err)
{
    int32_t node = 0;
    double degrees[2], mark;
    mplan_status status = take_member(reader, "the number of a node", reader->n_nodes, false, &node,
                                      err);
    for (int a = 0; a < 2 && !status; a++)
        status = mplan_scan_f64(&reader->scan, a ? "a latitude" : "a longitude", &degrees[a], err);
    if (!status)
        status = mplan_scan_f64(&reader->scan, "the mark of a node", &mark, err);
    if (status)
        return status;
    if (taken[node])
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH, "node %d occurs twice",
                               (int)node + 1);
    if (!mplan_sphere_has(degrees[0], degrees[1]))
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH,
                               "node %d has longitude %g and latitude %g degrees", (int)node + 1,
                               degrees[0], degrees[1]);
    taken[node] = 1;
    mplan_sphere_point(degrees[0], degrees[1], &xyz[3 * (int64_t)node]);
    return MPLAN_OK;
}

/* Points of the unit sphere, 3 numbers a node, to be released, also after a failure. */
static mplan_status read_nodes(fesom_reader *reader, double **xyz, mplan_error *err)
{
    begin_file(reader, MPLAN_FESOM_NODES);
    mplan_status status = take_count(reader, "the number of nodes", MPLAN_FESOM_NODES, 7,
                                     &reader->n_nodes, err);
    if (status)
        return status;
    uint8_t *taken = mplan_alloc_zero(reader->n_nodes, 1, err);
    *xyz = taken ? mplan_alloc(reader->n_nodes, 3 * sizeof **xyz, err) : NULL;
    status = *xyz ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < reader->n_nodes && !status; i++) {
        status = take_node(reader, *xyz, taken, err);
        if (!status)
            status = pause_at(reader, i, err);
    }
    free(taken);
    return status;
}

/* Rows of `arity` members each of a set of n; values, to be released.
 * Members are from 0, -1 only with `none`; to be released also after a failure. */
static mplan_status read_rows(fesom_reader *reader, const char *what, int64_t rows, int32_t arity,
                              int64_t n, bool none, int32_t **values, mplan_error *err)
{
    *values = mplan_alloc(rows * arity, sizeof **values, err);
    mplan_status status = *values ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < rows * arity && !status; i++) {
        status = take_member(reader, what, n, none, *values + i, err);
        if (!status)
            status = pause_at(reader, i, err);
    }
    return status;
}

/* Three nodes each: all cells are triangles; rows of four nodes, of FESOM-C, are refused by what is left of the file.
 * xyz: 3 numbers a node, taken over also after a failure. */
static mplan_status read_elements(fesom_reader *reader, double *xyz, mplan_error *err)
{
    int32_t *nodes = NULL;
    uint8_t *types = NULL;
    begin_file(reader, MPLAN_FESOM_ELEMENTS);
    mplan_status status = take_count(reader, "the number of elements", MPLAN_FESOM_ELEMENTS, 6,
                                     &reader->n_elements, err);
    if (!status)
        status = read_rows(reader, "a node of an element", reader->n_elements, 3, reader->n_nodes,
                           false, &nodes, err);
    if (!status && mplan_scan_skip_space(&reader->scan))
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_UNSUPPORTED,
                                 "numbers follow behind %lld elements of three nodes",
                                 (long long)reader->n_elements);
    if (!status && !(types = mplan_alloc(reader->n_elements, 1, err)))
        status = MPLAN_ERR_MEMORY;
    if (status) {
        free(xyz);
        free(nodes);
        return status;
    }
    memset(types, MPLAN_CELL_TRI3, (size_t)reader->n_elements);
    status = mplan_mesh_take_cells(reader->mesh, reader->n_nodes, reader->n_elements, types, nodes,
                                   err);
    reader->nodes = mplan_mesh_find_set(reader->mesh, "nodes");
    reader->cells = mplan_mesh_find_set(reader->mesh, "cells");
    if (status) {
        free(xyz);
        return status == MPLAN_ERR_MESH
                   ? mplan_fail_prefix(err, status, reader->files[MPLAN_FESOM_ELEMENTS].path)
                   : status;
    }
    return mplan_mesh_take_coordinates(reader->mesh, reader->nodes, 3, xyz, err);
}

/* --- edges --------------------------------------------------------------------------------------- */

/* A map from the edges, of two entries a row.
 * Entries -1 are only in the map to elements, at the boundary. */
static mplan_status read_edge_map(fesom_reader *reader, int file, const char *what, int32_t to,
                                  const char *name, mplan_error *err)
{
    int32_t *values = NULL;
    begin_file(reader, file);
    mplan_status status = read_rows(reader, what, reader->n_edges, 2,
                                    mplan_mesh_set(reader->mesh, to).size,
                                    file == MPLAN_FESOM_EDGE_TRI, &values, err);
    if (status) {
        free(values);
        return status;
    }
    return mplan_mesh_take_map(reader->mesh, name, reader->edges, to, 2, NULL, values, NULL, err);
}

/* The numbers of all edges and of those inside, then both maps; where one of the files is missing, there are no edges. */
static mplan_status read_edges(fesom_reader *reader, mplan_error *err)
{
    if (!is_there(reader, MPLAN_FESOM_EDGENUM) || !is_there(reader, MPLAN_FESOM_EDGES) ||
        !is_there(reader, MPLAN_FESOM_EDGE_TRI))
        return MPLAN_OK;
    begin_file(reader, MPLAN_FESOM_EDGENUM);
    mplan_status status = take_count(reader, "the number of edges", MPLAN_FESOM_EDGES, 4,
                                     &reader->n_edges, err);
    if (!status)
        status = mplan_mesh_add_set(reader->mesh, "edges", reader->n_edges, &reader->edges, err);
    if (!status)
        status = read_edge_map(reader, MPLAN_FESOM_EDGES, "a node of an edge", reader->nodes,
                               "edges_nodes", err);
    return status ? status
                  : read_edge_map(reader, MPLAN_FESOM_EDGE_TRI, "an element beside an edge",
                                  reader->cells, "edges_cells", err);
}

/* --- layers --------------------------------------------------------------------------------------- */

/* How many levels there are; the depths behind it must be numbers. */
static mplan_status read_depths(fesom_reader *reader, mplan_error *err)
{
    begin_file(reader, MPLAN_FESOM_DEPTHS);
    mplan_status status = take_count(reader, "the number of levels", MPLAN_FESOM_DEPTHS, 2,
                                     &reader->n_levels, err);
    if (!status && (reader->n_levels < 2 || reader->n_levels - 1 > MPLAN_MAX_LAYERS))
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_UNSUPPORTED,
                               "the number of levels must be 2 to %d, not %lld",
                               MPLAN_MAX_LAYERS + 1, (long long)reader->n_levels);
    for (int64_t i = 0; i < reader->n_levels + reader->n_nodes && !status; i++) {
        double depth;
        status = mplan_scan_f64(&reader->scan,
                                i < reader->n_levels ? "the depth of a level" : "the depth of a node",
                                &depth, err);
        if (!status)
            status = pause_at(reader, i, err);
    }
    return status;
}

/* Numbers of levels of all members, into every second entry of ranges, less one: layers from 0.
 * n: members, and entries that are set; level 0 is taken as level 1. */
static mplan_status read_levels(fesom_reader *reader, int file, int64_t n, int32_t *ranges,
                                mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    begin_file(reader, file);
    for (int64_t i = 0; i < n && !status; i++) {
        int64_t level;
        status = mplan_scan_i64(&reader->scan, "a number of levels", &level, err);
        if (!status && (level < 0 || level > reader->n_levels))
            status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH,
                                     "level %lld is not in [0, %lld]", (long long)level,
                                     (long long)reader->n_levels);
        if (!status)
            ranges[2 * i] = (int32_t)(level > 0 ? level - 1 : 0);
        if (!status)
            status = pause_at(reader, i, err);
    }
    return status;
}

/* Layers of a set: from the cavity's level, or the surface, to the last.
 * last, first: files. Layers [begin, end) of each member; where nothing is between them both are 0. */
static mplan_status read_columns(fesom_reader *reader, int32_t set, int last, int first,
                                 mplan_error *err)
{
    const int64_t n = mplan_mesh_set(reader->mesh, set).size;
    int32_t *ranges = mplan_alloc_zero(2 * n, sizeof *ranges, err);
    mplan_status status = ranges ? read_levels(reader, last, n, ranges + 1, err) : MPLAN_ERR_MEMORY;
    if (!status && is_there(reader, first))
        status = read_levels(reader, first, n, ranges, err);
    for (int64_t i = 0; i < n && !status; i++)
        if (ranges[2 * i] >= ranges[2 * i + 1]) /* nothing between them */
            ranges[2 * i] = ranges[2 * i + 1] = 0;
    if (status) {
        free(ranges);
        return status;
    }
    return mplan_mesh_take_layers(reader->mesh, set, (int32_t)reader->n_levels - 1, ranges, err);
}

/* Of elements, nodes, and by the elements edges. */
static mplan_status read_layers(fesom_reader *reader, mplan_error *err)
{
    if (!is_there(reader, MPLAN_FESOM_DEPTHS))
        return MPLAN_OK;
    mplan_status status = read_depths(reader, err);
    const bool cells = is_there(reader, MPLAN_FESOM_ELVLS);
    if (!status && is_there(reader, MPLAN_FESOM_NLVLS))
        status = read_columns(reader, reader->nodes, MPLAN_FESOM_NLVLS, MPLAN_FESOM_CAVITY_NLVLS,
                              err);
    if (!status && cells)
        status = read_columns(reader, reader->cells, MPLAN_FESOM_ELVLS, MPLAN_FESOM_CAVITY_ELVLS,
                              err);
    else if (!status)
        mplan_warn(reader->context,
                   "%s is not there, so elements have no layers: the model makes it from the depths",
                   reader->files[MPLAN_FESOM_ELVLS].path);
    if (status || !cells || reader->edges < 0)
        return status;
    return mplan_mesh_spread_layers(reader->mesh, mplan_mesh_find_map(reader->mesh, "edges_cells"),
                                    MPLAN_LAYERS_COMMON, err);
}

/* files: MPLAN_FESOM_FILES, in the order of file_names; data NULL: a file that is not there. The mesh is the caller's,
 * also after a failure. */
mplan_status mplan_fesom_read(const mplan_input *files, const mplan_context *context,
                              mplan_mesh *mesh, mplan_error *err)
{
    assert(files && mesh);
    fesom_reader reader = {
        .files = files, .context = context, .mesh = mesh, .nodes = -1, .cells = -1, .edges = -1};
    double *xyz = NULL;
    mplan_status status = read_nodes(&reader, &xyz, err);
    if (status)
        free(xyz);
    else
        status = read_elements(&reader, xyz, err);
    if (!status)
        status = read_edges(&reader, err);
    return status ? status : read_layers(&reader, err);
}

/* --- the folder ------------------------------------------------------------------------------------ */

/* input: the folder. One file of it would not do. */
static mplan_status read_fesom(const mplan_input *input, const mplan_read_options *options,
                               const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    mplan_folder folder;
    (void)options;
    if (input->data && !input->file)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: a FESOM2 mesh is a folder with files",
                          input->path);
    mplan_status status = mplan_folder_open(input, file_names, MPLAN_FESOM_FILES,
                                            MPLAN_FESOM_DEPTHS, &folder, context, err);
    if (!status)
        status = mplan_fesom_read(folder.files, context, mesh, err);
    mplan_folder_close(&folder);
    return status;
}

/* A folder with regular files for nodes and elements. */
static bool recognise_folder(const char *path)
{
    return mplan_folder_has(path, file_names, MPLAN_FESOM_DEPTHS);
}

const mplan_file_format mplan_format_fesom = {
    .name = "fesom",
    .description = "FESOM2, a folder with nod2d.out and elem2d.out, layers of columns",
    .extensions = "",
    .recognise_folder = recognise_folder,
    .read = read_fesom,
};
