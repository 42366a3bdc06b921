/* SPDX-License-Identifier: Apache-2.0 */
/* fesom_diag.c - the mesh that FESOM2 writes beside its results: fesom.mesh.diag.nc
 *
 * After FESOM2's io_mesh_info.F90 and files of versions 2.0 to 2.5. Newer files follow UGRID, too, but the maps that UGRID's
 * attributes name are not all whole there: face_edges and face_links of parallel runs count within parts. So nodes, edges
 * and cells at both sides of edges are read, and these two not. nlevels and nlevels_nod2D count levels, one more than
 * layers; ulevels are the first under the ice of a cavity. Longitude and latitude are geographical or rotated, which
 * makes no difference here. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/contained_formats.h"
#include "formats/netcdf/model_grid.h"
#include "formats/netcdf/netcdf_kind.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_NETCDF

static const mplan_grid_map newer_maps[] = {
    {GRID_EDGE, GRID_NODE, "edge_nodes", NULL, "edges_nodes"},
    {GRID_EDGE, GRID_CELL, "edge_face_links", NULL, "edges_cells"}};
static const mplan_grid_map older_maps[] = {{GRID_EDGE, GRID_NODE, "edges", NULL, "edges_nodes"},
                                            {GRID_EDGE, GRID_CELL, "edge_tri", NULL, "edges_cells"}};
/* Names since version 2.1, and before. */
static const mplan_grid_names versions[] = {
    {{"nod2", "edg_n", "elem"}, {GRID_CELL, GRID_NODE, "face_nodes", NULL, "cells_nodes"}, 2, newer_maps},
    {{"nod_n", "edg_n", "elem_n"}, {GRID_CELL, GRID_NODE, "elem", NULL, "cells_nodes"}, 2, older_maps}};

/* As many as levels, less one. Edges have what their cells have in common. */
static mplan_status read_layers(mplan_model_grid *grid, mplan_error *err)
{
    int64_t levels = 0;
    bool found;
    if (mplan_netcdf_dimension(&grid->file, "nz", &levels) < 0 &&
        mplan_netcdf_dimension(&grid->file, "nl", &levels) < 0)
        return MPLAN_OK;
    mplan_status status = mplan_model_grid_columns(grid, GRID_NODE, levels - 1, "ulevels_nod2D",
                                                   "nlevels_nod2D", 1, &found, err);
    if (!status)
        status = mplan_model_grid_columns(grid, GRID_CELL, levels - 1, "ulevels", "nlevels", 1,
                                          &found, err);
    return status || !found ? status
                            : mplan_model_grid_spread(grid, "edges_cells", MPLAN_LAYERS_COMMON, err);
}

/* lon and lat in degrees; nodes[2][n] in radians before. */
static mplan_status read_points(mplan_model_grid *grid, mplan_error *err)
{
    static const char *const angles[2] = {"lon", "lat"};
    bool found;
    mplan_status status = mplan_model_grid_angles(grid, GRID_NODE, angles, false, &found, err);
    return status || found ? status : mplan_model_grid_angle_rows(grid, GRID_NODE, "nodes", err);
}

static const mplan_grid_model model = {2,          versions,    GRID_CELL,  "element",
                                       "elements", read_points, read_layers};

static mplan_status read_fesom(const mplan_input *input, const mplan_read_options *options,
                               const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    (void)options;
    return mplan_model_grid_read(&model, input, context, mesh, NULL, err);
}

static mplan_status place_fesom(const mplan_input *input, const mplan_read_options *options,
                                const mplan_context *context, mplan_places *layout, mplan_error *err)
{
    (void)options;
    return mplan_model_grid_read(&model, input, context, NULL, layout, err);
}

#endif

/* By nlevels_nod2D; before UGRID, which newer files follow. */
static mplan_recognised recognise_fesom(const uint8_t *data, size_t size)
{
    return mplan_netcdf_kind_of(data, size) == MPLAN_NETCDF_FESOM ? MPLAN_RECOGNISED_YES
                                                                  : MPLAN_RECOGNISED_NO;
}

#if !defined MPLAN_HAVE_NETCDF && defined MPLAN_HELPER_NETCDF
MPLAN_CONTAINED_READER(read_fesom, "fesom-diag")
#endif

const mplan_file_format mplan_format_fesom_diag = {
    .name = "fesom-diag",
    .description = "FESOM2's fesom.mesh.diag.nc, netCDF-3 and -4, layers of columns",
    .extensions = ".nc",
    .recognise = recognise_fesom,
    MPLAN_READ_BY_NETCDF(read_fesom),
#ifdef MPLAN_HAVE_NETCDF
    .layout = place_fesom,
#endif
};
