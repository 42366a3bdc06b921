/* SPDX-License-Identifier: Apache-2.0 */
/* ugrid.c - reads meshes of netCDF files after the UGRID conventions (LFRic, FVCOM, D-Flow FM, ...)
 *
 * After "UGRID Conventions (v1.0) for specifying the topology of unstructured grids", and LFRic's files
 * of several meshes. UGRID's entities of the mesh's dimension are `cells` (faces of a 2-D mesh,
 * volumes, edges of a network), below them `edges`, and in 3-D `all_faces`, in the file's order.
 * Each <from>_<to>_connectivity is the map of these names. Polygons of more than four corners
 * are cells without a type. Longitude and latitude become points of the unit sphere. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/contained_formats.h"
#include "formats/netcdf/netcdf_kind.h"
#include "formats/netcdf/ugrid_parts.h"
#include "formats/netcdf/ugrid_write.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_NETCDF

/* Cells at both sides of every edge, from the edges of the cells; false where an edge has more. */
static bool fill_sides(const mplan_map *edges, int32_t *cells)
{
    for (int64_t c = 0; c < edges->n_rows; c++) {
        int32_t n;
        const int32_t *row = mplan_map_row(edges, c, &n);
        for (int32_t k = 0; k < n; k++) {
            if (row[k] < 0)
                continue;
            int32_t *side = cells + 2 * (int64_t)row[k];
            if (side[1] >= 0)
                return false;
            side[side[0] >= 0] = (int32_t)c;
        }
    }
    return true;
}

/* LFRic's files tell the edges of faces and not the faces of edges, over which loops run. */
static mplan_status add_sides(mplan_ugrid *reader, mplan_error *err)
{
    int32_t index = mplan_mesh_find_map(reader->mesh, "cells_edges");
    if (reader->cell != UGRID_FACE || index < 0 ||
        mplan_mesh_find_map(reader->mesh, "edges_cells") >= 0)
        return MPLAN_OK;
    mplan_map edges = mplan_mesh_map(reader->mesh, index);
    int32_t *cells = mplan_alloc(edges.n_points, 2 * sizeof *cells, err);
    if (!cells)
        return MPLAN_ERR_MEMORY;
    memset(cells, 0xff, (size_t)edges.n_points * 2 * sizeof *cells);
    if (!fill_sides(&edges, cells)) {
        free(cells);
        return MPLAN_OK;
    }
    return mplan_mesh_take_map(reader->mesh, "edges_cells", reader->set[UGRID_EDGE],
                               reader->set[UGRID_FACE], 2, NULL, cells, NULL, err);
}

/* Edges of two cells each are what loops over faces are to run over. */
static mplan_status name_faces(mplan_ugrid *reader, mplan_error *err)
{
    int32_t index = mplan_mesh_find_map(reader->mesh, "edges_cells");
    if (reader->cell != UGRID_FACE || index < 0)
        return MPLAN_OK;
    mplan_map map = mplan_mesh_map(reader->mesh, index);
    int64_t n = mplan_map_entries(&map);
    for (int64_t i = 0; i < n; i++)
        if (map.values[i] < 0)
            return MPLAN_OK;
    return mplan_mesh_dimension(reader->mesh) == 0
               ? MPLAN_OK
               : mplan_mesh_set_faces_name(reader->mesh, "edges", err);
}

/* What add_sides and name_faces would do, for a layout: both ask the numbers of maps. */
static void flag_edges(mplan_ugrid *reader)
{
    mplan_places *layout = reader->file.layout;
    const mplan_places_table *tables = layout->tables.data;
    bool cells_edges = false, edges_cells = false;
    for (int64_t t = 0; t < layout->tables.count; t++) {
        cells_edges = cells_edges || strcmp(tables[t].name, "cells_edges") == 0;
        edges_cells = edges_cells || strcmp(tables[t].name, "edges_cells") == 0;
    }
    layout->flags |= MPLAN_PLACES_GROUPS;
    if (reader->cell == UGRID_FACE)
        layout->flags |= MPLAN_PLACES_EDGES |
                         (cells_edges && !edges_cells ? (uint32_t)MPLAN_PLACES_SIDES : 0);
}

/* Cells before sets of lower dimension. */
static mplan_status read_mesh(mplan_ugrid *reader, const char *zone, mplan_error *err)
{
    mplan_status status = mplan_ugrid_choose(reader, zone, err);
    if (!status)
        status = mplan_ugrid_read_nodes(reader, err);
    for (int entity = reader->cell; entity >= UGRID_EDGE && !status; entity--) {
        bool there = false;
        status = mplan_ugrid_count(reader, entity, &there, err);
        if (!status && entity == reader->cell)
            status = mplan_ugrid_read_cells(reader, err);
        else if (!status && there)
            status = mplan_ugrid_add_set(reader, entity, err);
    }
    if (!status)
        status = mplan_ugrid_read_maps(reader, err);
    if (!status && reader->file.layout) {
        flag_edges(reader);
        return status;
    }
    if (!status)
        status = add_sides(reader, err);
    return !status ? name_faces(reader, err) : status;
}

/* set and dimension are -1 until they are known; the option zone chooses one of several
 * topologies. */
static mplan_status read_or_place(const mplan_input *input, const mplan_read_options *options,
                                  const mplan_context *context, mplan_mesh *mesh,
                                  mplan_places *layout, mplan_error *err)
{
    mplan_ugrid reader = {.mesh = mesh, .topology = -1};
    for (int e = 0; e < UGRID_N_ENTITIES; e++)
        reader.set[e] = reader.dimension[e] = -1;
    mplan_status status = mplan_netcdf_open(input, context, &reader.file, err);
    if (status)
        return status;
    reader.file.layout = layout;
    status = read_mesh(&reader, options ? options->zone : NULL, err);
    mplan_netcdf_close(&reader.file);
    return status;
}

static mplan_status read_ugrid(const mplan_input *input, const mplan_read_options *options,
                               const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    return read_or_place(input, options, context, mesh, NULL, err);
}

static mplan_status place_ugrid(const mplan_input *input, const mplan_read_options *options,
                                const mplan_context *context, mplan_places *layout, mplan_error *err)
{
    layout->flags |= options && options->zone ? (uint32_t)MPLAN_PLACES_ZONE : 0;
    return read_or_place(input, options, context, NULL, layout, err);
}

#endif

/* By a variable of role mesh_topology. */
static mplan_recognised recognise_ugrid(const uint8_t *data, size_t size)
{
    return mplan_netcdf_kind_of(data, size) == MPLAN_NETCDF_UGRID ? MPLAN_RECOGNISED_YES
                                                                  : MPLAN_RECOGNISED_NO;
}

#if !defined MPLAN_HAVE_NETCDF && defined MPLAN_HELPER_NETCDF
MPLAN_CONTAINED_READER(read_ugrid, "ugrid")
#endif

const mplan_file_format mplan_format_ugrid = {
    .name = "ugrid",
    .description = "UGRID conventions (LFRic, ...), netCDF-3 and -4, several meshes",
    .extensions = ".nc",
    .zones = MPLAN_ZONES_APART,
    .recognise = recognise_ugrid,
    MPLAN_READ_BY_NETCDF(read_ugrid),
#ifdef MPLAN_HAVE_NETCDF
    .layout = place_ugrid,
#else /* the program of libexec only reads */
    .write = mplan_ugrid_write,
    .writes_without = true,
#endif
};
