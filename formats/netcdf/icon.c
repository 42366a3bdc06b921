/* SPDX-License-Identifier: Apache-2.0 */
/* icon.c - grids of ICON (DWD, MPI-M, MeteoSwiss): triangles on the sphere, or in the plane of a torus or channel, in netCDF
 *
 * After the "ICON tutorial" (DWD), chapter on grid files, and files of the grid generator. Numbers count from 1; 0, -1 and what is
 * lower means none, at the boundary of a limited area and for the sixth edge of a vertex of five. Dimensions are [slot][member].
 * Vertices are the set nodes. Layers are a matter of the model's namelist, not of the file. */
#include <string.h>

#include "base/error.h"
#include "formats/contained_formats.h"
#include "formats/netcdf/model_grid.h"
#include "formats/netcdf/netcdf_kind.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_NETCDF

static const mplan_grid_map maps[] = {
    {GRID_EDGE, GRID_CELL, "adjacent_cell_of_edge", NULL, "edges_cells"},
    {GRID_EDGE, GRID_NODE, "edge_vertices", NULL, "edges_nodes"},
    {GRID_CELL, GRID_EDGE, "edge_of_cell", NULL, "cells_edges"},
    {GRID_CELL, GRID_CELL, "neighbor_cell_index", NULL, "cells_cells"},
    {GRID_NODE, GRID_CELL, "cells_of_vertex", NULL, "nodes_cells"},
    {GRID_NODE, GRID_EDGE, "edges_of_vertex", NULL, "nodes_edges"},
    {GRID_NODE, GRID_NODE, "vertices_of_vertex", NULL, "nodes_nodes"},
};
static const mplan_grid_names names = {{"vertex", "edge", "cell"},
                                       {GRID_CELL, GRID_NODE, "vertex_of_cell", NULL, "cells_nodes"},
                                       (int32_t)(sizeof maps / sizeof *maps),
                                       maps};

/* grid_geometry of the generator: 1 sphere, 2 torus, 3 channel; the others lie in the plane by their cartesian
 * coordinates. */
static bool in_plane(const mplan_model_grid *grid)
{
    int64_t geometry = 1;
    mplan_netcdf_whole(&grid->file, -1, "grid_geometry", &geometry);
    return geometry != 1;
}

/* Longitude and latitude, in radians where the file does not say; in the plane x and y. */
static mplan_status read_points(mplan_model_grid *grid, mplan_error *err)
{
    static const char *const lengths[GRID_N_SETS][3] = {
        {"cartesian_x_vertices", "cartesian_y_vertices", "cartesian_z_vertices"},
        {"edge_middle_cartesian_x", "edge_middle_cartesian_y", "edge_middle_cartesian_z"},
        {"cell_circumcenter_cartesian_x", "cell_circumcenter_cartesian_y",
         "cell_circumcenter_cartesian_z"}};
    static const char *const angles[2][GRID_N_SETS][2] = {
        {{"vlon", "vlat"}, {"elon", "elat"}, {"clon", "clat"}},
        {{"longitude_vertices", "latitude_vertices"},
         {"lon_edge_centre", "lat_edge_centre"},
         {"lon_cell_centre", "lat_cell_centre"}}};
    const bool plane = in_plane(grid);
    mplan_status status = MPLAN_OK;
    for (int of = 0; of < GRID_N_SETS && !status; of++) {
        bool found = false;
        for (int i = 0; i < 2 && !found && !plane && !status; i++)
            status = mplan_model_grid_angles(grid, of, angles[i][of], true, &found, err);
        if (!status && !found)
            status = mplan_model_grid_lengths(grid, of, lengths[of], plane, &found, err);
    }
    return status;
}

static const mplan_grid_model model = {1,          &names,      GRID_NODE, "vertex",
                                       "vertices", read_points, NULL};

static mplan_status read_icon(const mplan_input *input, const mplan_read_options *options,
                              const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    (void)options;
    return mplan_model_grid_read(&model, input, context, mesh, NULL, err);
}

static mplan_status place_icon(const mplan_input *input, const mplan_read_options *options,
                               const mplan_context *context, mplan_places *layout, mplan_error *err)
{
    (void)options;
    return mplan_model_grid_read(&model, input, context, NULL, layout, err);
}

#endif

/* By its dimensions and vertex_of_cell. */
static mplan_recognised recognise_icon(const uint8_t *data, size_t size)
{
    return mplan_netcdf_kind_of(data, size) == MPLAN_NETCDF_ICON ? MPLAN_RECOGNISED_YES
                                                                 : MPLAN_RECOGNISED_NO;
}

#if !defined MPLAN_HAVE_NETCDF && defined MPLAN_HELPER_NETCDF
MPLAN_CONTAINED_READER(read_icon, "icon")
#endif

const mplan_file_format mplan_format_icon = {
    .name = "icon",
    .description = "ICON grids, netCDF-3 and -4",
    .extensions = ".nc",
    .recognise = recognise_icon,
    MPLAN_READ_BY_NETCDF(read_icon),
#ifdef MPLAN_HAVE_NETCDF
    .layout = place_icon,
#endif
};
