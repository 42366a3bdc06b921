/* SPDX-License-Identifier: Apache-2.0 */
/* model_grid.h - meshes of ocean and atmosphere models in netCDF, which have names of their own: MPAS, ICON, FESOM2
 *
 * All have a set of cells, one of edges and one of nodes (corners of cells), each along a dimension, and maps between them that
 * count from 1; what is below 1 means none. */
#ifndef MPLAN_MODEL_GRID_H
#define MPLAN_MODEL_GRID_H

#include "formats/netcdf/netcdf_input.h"

enum { GRID_NODE, GRID_EDGE, GRID_CELL, GRID_N_SETS };

/* A file that is read. */
typedef struct mplan_model_grid {
    mplan_netcdf file;
    mplan_mesh *mesh;
    int32_t set[GRID_N_SETS];       /* of the mesh; -1: the file does not have it */
    int64_t size[GRID_N_SETS];      /* members */
    int dimension[GRID_N_SETS];     /* its id in the file; -1: as set */
    const char *word[GRID_N_SETS];  /* what the model calls one of them, for messages */
    const char *words[GRID_N_SETS]; /* and several */
} mplan_model_grid;

/* A map of the file. */
typedef struct mplan_grid_map {
    int from, to;
    const char *variable;
    const char *counts; /* variable that says how many entries of each row count; NULL: all do */
    const char *name;   /* in the mesh */
} mplan_grid_map;

/* Opens the file; members of the sets are along the dimensions that are named, of which that of edges may be missing.
 * Close it by mplan_netcdf_close, also after a failure with *opened. */
mplan_status mplan_model_grid_open(const mplan_input *input, const mplan_context *context,
                                   mplan_mesh *mesh, const char *const dimension[GRID_N_SETS],
                                   mplan_model_grid *grid, bool *opened, mplan_error *err);

/* Adds the nodes, and the cells with the map of their nodes: typed where all are triangles or quads. Rows have at least
 * 3 nodes, none of them missing. */
mplan_status mplan_model_grid_cells(mplan_model_grid *grid, const mplan_grid_map *map,
                                    mplan_error *err);
/* Adds the edges, where the file has them. */
mplan_status mplan_model_grid_edges(mplan_model_grid *grid, mplan_error *err);
/* Adds n maps between sets that are there; those whose variable is not there are skipped. Dimensions may be either way
 * round. Rows of which `counts` tells the length become ragged where their lengths differ. */
mplan_status mplan_model_grid_maps(mplan_model_grid *grid, int32_t n, const mplan_grid_map *maps,
                                   mplan_error *err);
/* The coordinates of a set by three lengths (x, y, z); without the third, or with `flat`, two. *found: they are there. */
mplan_status mplan_model_grid_lengths(mplan_model_grid *grid, int of, const char *const axes[3],
                                      bool flat, bool *found, mplan_error *err);
/* By longitude and latitude, as points of the unit sphere. Without a unit in the file they are in radians, or in degrees. */
mplan_status mplan_model_grid_angles(mplan_model_grid *grid, int of, const char *const axes[2],
                                     bool radians, bool *found, mplan_error *err);
/* Likewise of a variable [2][member]: longitudes, then latitudes, in radians where the file does not say. */
mplan_status mplan_model_grid_angle_rows(mplan_model_grid *grid, int of, const char *name,
                                         mplan_error *err);
/* Edges of two cells each are what loops over faces run over. */
mplan_status mplan_model_grid_name_faces(mplan_model_grid *grid, mplan_error *err);

/* Whole numbers of a variable of one dimension, that of set `of`; *numbers is NULL where it is not there. */
mplan_status mplan_model_grid_numbers(const mplan_model_grid *grid, int of, const char *variable,
                                      int64_t **numbers, mplan_error *err);
/* Layers of a set: member m has layers first[m] - 1 to last[m] - minus - 1 of `layers`, counted from the surface, where the
 * file counts from 1; first NULL: from the surface. A last of 0 or less means none. `variable` is for messages. */
mplan_status mplan_model_grid_layers(mplan_model_grid *grid, int of, int64_t layers,
                                     const int64_t *first, const int64_t *last, int64_t minus,
                                     const char *variable, mplan_error *err);

#endif
