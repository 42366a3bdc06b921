/* SPDX-License-Identifier: Apache-2.0 */
/* ugrid_write.c - writes planar meshes and surfaces after the UGRID conventions, in netCDF's classic formats
 *
 * After "UGRID Conventions (v1.0) for specifying the topology of unstructured grids". Cells are faces of one mesh topology
 * `mesh2d`, polygons of any number of nodes, shorter rows filled with -1. Edges that the mesh brings itself, and maps
 * between them and the cells, are kept; the conventions have no groups. Coordinates are lengths. */
#include "formats/netcdf/ugrid_write.h"

#include <string.h>

#include "base/error.h"
#include "formats/netcdf/netcdf_write.h"
#include "mesh/mesh.h"
#include "formats/skipped_groups.h"

static const char *const kind = "a UGRID file";

/* A map that has a place. */
typedef struct connectivity {
    const char *map, *role, *variable, *name;
    bool of_edges; /* only with edges of the mesh's own */
    int32_t from;  /* dimension of its rows: 0 faces, 1 edges */
} connectivity;

static const connectivity connectivities[] = {
    {"cells_nodes", "face_node_connectivity", "mesh2d_face_nodes", "mesh2d_nMax_face_nodes", false, 0},
    {"cells_edges", "face_edge_connectivity", "mesh2d_face_edges", "mesh2d_nMax_face_edges", true, 0},
    {"cells_cells", "face_face_connectivity", "mesh2d_face_links", "mesh2d_nMax_face_links", true, 0},
    {"edges_nodes", "edge_node_connectivity", "mesh2d_edge_nodes", "mesh2d_nEdge_nodes", true, 1},
    {"edges_cells", "edge_face_connectivity", "mesh2d_edge_faces", "mesh2d_nEdge_faces", true, 1},
};
enum { N_MAPS = sizeof connectivities / sizeof *connectivities };

/* What is written. */
typedef struct ugrid_writer {
    const mplan_mesh *mesh;
    const mplan_context *context;
    mplan_netcdf_out out;
    int64_t n_nodes, n_cells, n_edges; /* the latter -1: no edges of its own */
    const double *xyz;
    int32_t stride;
    bool there[N_MAPS];
    mplan_map map[N_MAPS];
    int64_t width[N_MAPS]; /* longest row */
} ugrid_writer;

/* Edges that a file brought, with their nodes. */
static int32_t own_edges(const mplan_mesh *mesh)
{
    int32_t set = mplan_mesh_find_set(mesh, "edges"), map = mplan_mesh_find_map(mesh, "edges_nodes");
    return set >= 0 && map >= 0 && !mesh->maps[map].derived && mesh->maps[map].arity == 2 ? set : -1;
}

/* Cells without types are polygons in the plane, or where edges have two nodes. */
static bool are_polygons(const mplan_mesh *mesh, int32_t stride)
{
    int32_t edges = mplan_mesh_find_map(mesh, "edges_nodes"),
            faces = mplan_mesh_find_map(mesh, "faces_nodes");
    return stride == 2 || (edges >= 0 && mesh->maps[edges].arity == 2) ||
           (faces >= 0 && mesh->maps[faces].arity == 2);
}

static mplan_status fail_cells(mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "%s can only hold surfaces and planar meshes of first order", kind);
}

/* What the mesh must have: polygons with coordinates. n_edges is -1 where it has no edges of its own. */
static mplan_status find_cells(ugrid_writer *to, mplan_error *err)
{
    const mplan_mesh *mesh = to->mesh;
    int32_t nodes = mplan_mesh_find_set(mesh, "nodes"),
            cells = mplan_mesh_find_map(mesh, "cells_nodes"), edges = own_edges(mesh);
    const uint8_t *type = mplan_mesh_cell_types(mesh);
    to->xyz = nodes < 0 ? NULL : mplan_mesh_coordinates(mesh, nodes, &to->stride);
    if (cells < 0 || !to->xyz || mplan_mesh_map(mesh, cells).n_rows == 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s needs cells and coordinates of nodes, which this mesh does not have",
                          kind);
    to->n_nodes = mplan_mesh_set(mesh, nodes).size;
    to->n_cells = mplan_mesh_map(mesh, cells).n_rows;
    to->n_edges = edges >= 0 && mplan_mesh_set(mesh, edges).size > 0
                      ? mplan_mesh_set(mesh, edges).size
                      : -1;
    for (int64_t c = 0; type && c < to->n_cells; c++)
        if (type[c] != MPLAN_CELL_TRI3 && type[c] != MPLAN_CELL_QUAD4)
            return fail_cells(err);
    return type || are_polygons(mesh, to->stride) ? MPLAN_OK : fail_cells(err);
}

/* to->there[m]: whether connectivity m is written. Rows of different length are written as wide
 * as the longest, width[m], and filled with -1. Derived edges are left out: every reader can
 * derive them. */
static void find_maps(ugrid_writer *to)
{
    for (int32_t m = 0; m < N_MAPS; m++) {
        int32_t map = mplan_mesh_find_map(to->mesh, connectivities[m].map);
        if (map < 0 ||
            (connectivities[m].of_edges && (to->n_edges < 0 || to->mesh->maps[map].derived)))
            continue;
        to->map[m] = mplan_mesh_map(to->mesh, map);
        to->width[m] = to->map[m].arity;
        for (int64_t r = 0; to->map[m].offsets && r < to->map[m].n_rows; r++) {
            int64_t length = to->map[m].offsets[r + 1] - to->map[m].offsets[r];
            to->width[m] = length > to->width[m] ? length : to->width[m];
        }
        to->there[m] = to->width[m] > 0;
    }
}

/* What is lost. */
static void warn(const ugrid_writer *to)
{
    const char *faces = mplan_mesh_faces_name(to->mesh);
    mplan_skipped_groups skipped = {0};
    for (int32_t g = 0; g < mplan_mesh_n_groups(to->mesh); g++) {
        const mplan_group group = mplan_mesh_group(to->mesh, g);
        mplan_skip_group(&skipped, &group, mplan_mesh_set(to->mesh, group.set).name);
    }
    for (int32_t f = 0; f < mplan_mesh_n_facet_groups(to->mesh); f++) {
        const mplan_group group = mplan_mesh_facet_group(to->mesh, f);
        mplan_skip_group(&skipped, &group, "facets");
    }
    mplan_warn_skipped(&skipped, kind, to->context);
    if (strcmp(faces, "faces") != 0 && strcmp(faces, "edges") != 0 &&
        mplan_mesh_dimension(to->mesh) > 0)
        mplan_warn(to->context, "the set '%s' of the mesh cannot be written to %s", faces, kind);
}

/* --- the file ------------------------------------------------------------------------- */

/* The variable that names all others, and its number. */
static void declare_topology(ugrid_writer *to)
{
    mplan_netcdf_out *out = &to->out;
    int32_t topology = mplan_netcdf_add_variable(out, "mesh2d", MPLAN_NETCDF_INT, 0, 0, 0);
    mplan_netcdf_add_text(out, topology, "cf_role", "mesh_topology");
    mplan_netcdf_add_text(out, topology, "long_name", "Topology of the mesh");
    mplan_netcdf_add_number(out, topology, "topology_dimension", MPLAN_NETCDF_INT, 2);
    mplan_netcdf_add_text(out, topology, "node_coordinates",
                          to->stride == 3 ? "mesh2d_node_x mesh2d_node_y mesh2d_node_z"
                                          : "mesh2d_node_x mesh2d_node_y");
    mplan_netcdf_add_text(out, topology, "face_dimension", "mesh2d_nFaces");
    if (to->n_edges > 0)
        mplan_netcdf_add_text(out, topology, "edge_dimension", "mesh2d_nEdges");
    for (int32_t m = 0; m < N_MAPS; m++)
        if (to->there[m])
            mplan_netcdf_add_text(out, topology, connectivities[m].role, connectivities[m].variable);
}

/* Names and attributes as the UGRID conventions ask for, so that Delft3D and others find them. */
static void declare(ugrid_writer *to)
{
    static const char *const axes[] = {"mesh2d_node_x", "mesh2d_node_y", "mesh2d_node_z"};
    static const char *const names[] = {"x-coordinate of nodes", "y-coordinate of nodes",
                                        "z-coordinate of nodes"};
    mplan_netcdf_out *out = &to->out;
    int32_t rows[2] = {0, 0};
    mplan_netcdf_add_text(out, MPLAN_NETCDF_GLOBAL, "Conventions", "CF-1.8 UGRID-1.0");
    mplan_netcdf_add_text(out, MPLAN_NETCDF_GLOBAL, "source", "meshplan");
    int32_t nodes = mplan_netcdf_add_dimension(out, "mesh2d_nNodes", to->n_nodes);
    rows[0] = mplan_netcdf_add_dimension(out, "mesh2d_nFaces", to->n_cells);
    if (to->n_edges > 0)
        rows[1] = mplan_netcdf_add_dimension(out, "mesh2d_nEdges", to->n_edges);
    declare_topology(to);
    for (int32_t d = 0; d < to->stride; d++) {
        int32_t variable = mplan_netcdf_add_variable(out, axes[d], MPLAN_NETCDF_DOUBLE, 1, nodes, 0);
        mplan_netcdf_add_text(out, variable, "long_name", names[d]);
        mplan_netcdf_add_text(out, variable, "units", "m");
        mplan_netcdf_add_text(out, variable, "mesh", "mesh2d");
        mplan_netcdf_add_text(out, variable, "location", "node");
    }
    for (int32_t m = 0; m < N_MAPS; m++) {
        if (!to->there[m])
            continue;
        const connectivity *of = &connectivities[m];
        int32_t width = mplan_netcdf_add_dimension(out, of->name, to->width[m]);
        int32_t variable = mplan_netcdf_add_variable(out, of->variable, MPLAN_NETCDF_INT, 2,
                                                     rows[of->from], width);
        mplan_netcdf_add_text(out, variable, "cf_role", of->role);
        mplan_netcdf_add_number(out, variable, "start_index", MPLAN_NETCDF_INT, 0);
        mplan_netcdf_add_number(out, variable, "_FillValue", MPLAN_NETCDF_INT, -1);
    }
}

/* Rows filled up to the longest with -1, the fill value. */
static void put_map(ugrid_writer *to, int32_t m)
{
    for (int64_t r = 0; r < to->map[m].n_rows && !to->out.out.status; r++) {
        int32_t n;
        const int32_t *row = mplan_map_row(&to->map[m], r, &n);
        for (int64_t k = 0; k < to->width[m]; k++)
            mplan_netcdf_put_int(&to->out, k < n ? row[k] : -1);
    }
    if (!to->out.out.status)
        mplan_netcdf_next(&to->out);
}

/* Variables in the order of the header: the mesh, coordinates axis by axis, then the maps that are there. */
static mplan_status write_numbers(ugrid_writer *to, mplan_output *output, mplan_error *err)
{
    mplan_status status = mplan_netcdf_head(&to->out, output, to->context, err);
    if (status)
        return status;
    mplan_netcdf_put_int(&to->out, 0);
    mplan_netcdf_next(&to->out);
    for (int32_t d = 0; d < to->stride && !to->out.out.status; d++) {
        for (int64_t i = 0; i < to->n_nodes; i++)
            mplan_netcdf_put_real(&to->out, to->xyz[i * to->stride + d]);
        mplan_netcdf_next(&to->out);
    }
    for (int32_t m = 0; m < N_MAPS && !to->out.out.status; m++)
        if (to->there[m])
            put_map(to, m);
    return mplan_netcdf_finish(&to->out);
}

/* What must be known for the header is counted first; numbers are then written straight from
 * the mesh, variable by variable. */
mplan_status mplan_ugrid_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                               const mplan_context *context, mplan_error *err)
{
    (void)what;
    ugrid_writer to = {.mesh = mesh, .context = context};
    mplan_netcdf_declare(&to.out);
    mplan_status status = find_cells(&to, err);
    if (!status) {
        find_maps(&to);
        warn(&to);
        declare(&to);
        status = write_numbers(&to, output, err);
    }
    mplan_netcdf_forget(&to.out);
    return status;
}
