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

/* How a model, or one of its versions, names things.
 *
 * dimensions  along which the members of each set are; that of edges may be missing in a file
 * corners     the nodes of the cells, which are typed where all are triangles or quads: at least 3 a row, none missing
 * maps        n_maps of them between sets that are there; those whose variable is not there are skipped, dimensions may be
 *             either way round, and rows of which `counts` tells the length become ragged where their lengths differ */
typedef struct mplan_grid_names {
    const char *dimensions[GRID_N_SETS];
    mplan_grid_map corners;
    int32_t n_maps;
    const mplan_grid_map *maps;
} mplan_grid_names;

/* A model: its versions, of which the first one counts whose dimensions the file has; what it calls members of the set
 * `named` (others are called as the mesh's), and how it gives points, and layers of columns (NULL: it has none). */
typedef struct mplan_grid_model {
    int32_t n_versions;
    const mplan_grid_names *versions;
    int named;
    const char *word, *words;
    mplan_status (*points)(mplan_model_grid *grid, mplan_error *err);
    mplan_status (*layers)(mplan_model_grid *grid, mplan_error *err);
} mplan_grid_model;

/* Reads a file of the model: nodes, cells, edges, maps, points, layers. Edges of two cells each are what loops over faces
 * run over. The mesh is the caller's also after a failure, and may hold some of them then. layout: NULL; or the mesh is NULL, and
 * the layout gets the places of all. */
mplan_status mplan_model_grid_read(const mplan_grid_model *model, const mplan_input *input,
                                   const mplan_context *context, mplan_mesh *mesh,
                                   mplan_places *layout, mplan_error *err);

/* What the sets are called in the mesh, and a variable of one number for each member of a set. */
extern const char *const mplan_model_grid_set[GRID_N_SETS];
mplan_status mplan_model_grid_describe(const mplan_model_grid *grid, int of, const char *name,
                                       mplan_netcdf_variable *variable, mplan_error *err);

/* Whole numbers of a variable of one dimension, that of set `of`; *numbers, the caller's, is NULL where it is not there. */
mplan_status mplan_model_grid_numbers(const mplan_model_grid *grid, int of, const char *variable,
                                      int64_t **numbers, mplan_error *err);

/* model_points.c */

/* The coordinates of a set by three lengths (x, y, z); without the third, or with `flat`, two. *found: they are there. */
mplan_status mplan_model_grid_lengths(mplan_model_grid *grid, int of, const char *const axes[3],
                                      bool flat, bool *found, mplan_error *err);
/* By longitude and latitude, as points of the unit sphere. Without a unit in the file they are in radians, or in degrees. */
mplan_status mplan_model_grid_angles(mplan_model_grid *grid, int of, const char *const axes[2],
                                     bool radians, bool *found, mplan_error *err);
/* Likewise of a variable [2][member]: longitudes, then latitudes, in radians where the file does not say. */
mplan_status mplan_model_grid_angle_rows(mplan_model_grid *grid, int of, const char *name,
                                         mplan_error *err);

/* model_layers.c: of a mesh, or of a layout */

/* Layers of a set: as many for all members. */
mplan_status mplan_model_grid_uniform(mplan_model_grid *grid, int of, int64_t layers,
                                      mplan_error *err);
/* By variables that count from 1 at the surface: member m has layers first[m] - 1 to last[m] - minus - 1 of `layers`; without
 * the variable `first` from the surface. A last of 0 or less means none. *found: there is a variable `last`. */
mplan_status mplan_model_grid_columns(mplan_model_grid *grid, int of, int64_t layers,
                                      const char *first, const char *last, int64_t minus,
                                      bool *found, mplan_error *err);
/* As those of the set at the other end of a map have them; nothing happens without the map. */
mplan_status mplan_model_grid_spread(mplan_model_grid *grid, const char *map,
                                     mplan_layers_rule rule, mplan_error *err);

#endif
