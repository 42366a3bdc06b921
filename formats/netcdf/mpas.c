/* SPDX-License-Identifier: Apache-2.0 */
/* mpas.c - meshes of MPAS (Atmosphere, Ocean, sea ice, land ice; E3SM): spherical or planar Voronoi cells in netCDF
 *
 * After "MPAS Mesh Specification" (version 1.0, 2015). Numbers count from 1, 0 is none; rows of a cell or edge are as long as
 * nEdgesOnCell or nEdgesOnEdge say, and what follows in them may be anything. The model's cells, edges and vertices are the
 * sets cells, edges and nodes. Layers count from the surface: nVertLevels, or by cell minLevelCell to maxLevelCell, where 0
 * is land; an edge has those that its cells have in common, a node those that any of its cells has (maxLevelEdgeTop and
 * maxLevelVertexBot; at a coast, where an edge has one cell, its layers). */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/contained_formats.h"
#include "formats/netcdf/model_grid.h"
#include "formats/netcdf/netcdf_kind.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_NETCDF

static const mplan_grid_map maps[] = {
    {GRID_EDGE, GRID_CELL, "cellsOnEdge", NULL, "edges_cells"},
    {GRID_EDGE, GRID_NODE, "verticesOnEdge", NULL, "edges_nodes"},
    {GRID_CELL, GRID_EDGE, "edgesOnCell", "nEdgesOnCell", "cells_edges"},
    {GRID_CELL, GRID_CELL, "cellsOnCell", "nEdgesOnCell", "cells_cells"},
    {GRID_EDGE, GRID_EDGE, "edgesOnEdge", "nEdgesOnEdge", "edges_edges"},
    {GRID_NODE, GRID_CELL, "cellsOnVertex", NULL, "nodes_cells"},
    {GRID_NODE, GRID_EDGE, "edgesOnVertex", NULL, "nodes_edges"},
};
static const mplan_grid_names names = {
    {"nVertices", "nEdges", "nCells"},
    {GRID_CELL, GRID_NODE, "verticesOnCell", "nEdgesOnCell", "cells_nodes"},
    (int32_t)(sizeof maps / sizeof *maps),
    maps};

/* Points of each set: x, y, z, else longitude and latitude. */
static mplan_status read_points(mplan_model_grid *grid, mplan_error *err)
{
    static const char *const lengths[GRID_N_SETS][3] = {
        {"xVertex", "yVertex", "zVertex"}, {"xEdge", "yEdge", "zEdge"}, {"xCell", "yCell", "zCell"}};
    static const char *const angles[GRID_N_SETS][2] = {
        {"lonVertex", "latVertex"}, {"lonEdge", "latEdge"}, {"lonCell", "latCell"}};
    char sphere[16];
    const bool flat = mplan_netcdf_text(&grid->file, -1, "on_a_sphere", sphere, sizeof sphere) &&
                      strncmp(sphere, "NO", 2) == 0;
    mplan_status status = MPLAN_OK;
    for (int of = 0; of < GRID_N_SETS && !status; of++) {
        bool found;
        status = mplan_model_grid_lengths(grid, of, lengths[of], flat, &found, err);
        if (!status && !found)
            status = mplan_model_grid_angles(grid, of, angles[of], true, &found, err);
    }
    return status;
}

/* Files of a mesh only have no nVertLevels, and their columns no layers. Edges and nodes have theirs by the cells. */
static mplan_status read_layers(mplan_model_grid *grid, mplan_error *err)
{
    int64_t layers = 0;
    bool found;
    if (mplan_netcdf_dimension(&grid->file, "nVertLevels", &layers) < 0)
        return MPLAN_OK;
    mplan_status status = mplan_model_grid_columns(grid, GRID_CELL, layers, "minLevelCell",
                                                   "maxLevelCell", 0, &found, err);
    if (!status && !found)
        status = mplan_model_grid_uniform(grid, GRID_CELL, layers, err);
    if (!status)
        status = mplan_model_grid_spread(grid, "edges_cells", MPLAN_LAYERS_COMMON, err);
    return status ? status : mplan_model_grid_spread(grid, "cells_nodes", MPLAN_LAYERS_SPANNED, err);
}

static const mplan_grid_model model = {1,          &names,      GRID_NODE,  "vertex",
                                       "vertices", read_points, read_layers};

static mplan_status read_mpas(const mplan_input *input, const mplan_read_options *options,
                              const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    (void)options;
    return mplan_model_grid_read(&model, input, context, mesh, NULL, err);
}

static mplan_status place_mpas(const mplan_input *input, const mplan_read_options *options,
                               const mplan_context *context, mplan_places *layout, mplan_error *err)
{
    (void)options;
    return mplan_model_grid_read(&model, input, context, NULL, layout, err);
}

#endif

/* By its dimensions and verticesOnCell. */
static mplan_recognised recognise_mpas(const uint8_t *data, size_t size)
{
    return mplan_netcdf_kind_of(data, size) == MPLAN_NETCDF_MPAS ? MPLAN_RECOGNISED_YES
                                                                 : MPLAN_RECOGNISED_NO;
}

#if !defined MPLAN_HAVE_NETCDF && defined MPLAN_HELPER_NETCDF
MPLAN_CONTAINED_READER(read_mpas, "mpas")
#endif

const mplan_file_format mplan_format_mpas = {
    .name = "mpas",
    .description = "MPAS meshes (atmosphere, ocean, ice), netCDF-3 and -4, layers of columns",
    .extensions = ".nc",
    .recognise = recognise_mpas,
    MPLAN_READ_BY_NETCDF(read_mpas),
#ifdef MPLAN_HAVE_NETCDF
    .layout = place_mpas,
#endif
};
