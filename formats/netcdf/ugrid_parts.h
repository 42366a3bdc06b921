/* SPDX-License-Identifier: Apache-2.0 */
/* ugrid_parts.h - what the parts of the UGRID reader share */
#ifndef MPLAN_UGRID_PARTS_H
#define MPLAN_UGRID_PARTS_H

#include "formats/netcdf/netcdf_input.h"

enum { UGRID_NODE, UGRID_EDGE, UGRID_FACE, UGRID_VOLUME, UGRID_N_ENTITIES };

/* One mesh of a UGRID file; arrays are per kind of entity. */
typedef struct mplan_ugrid {
    mplan_netcdf file;
    mplan_mesh *mesh;
    int topology; /* variable of the chosen mesh */
    char name[MPLAN_NETCDF_NAME];
    int cell;                      /* entity of the mesh's dimension */
    int32_t set[UGRID_N_ENTITIES]; /* -1: the file does not speak of it */
    int64_t size[UGRID_N_ENTITIES];
    int dimension[UGRID_N_ENTITIES]; /* id of the entity's dimension, -1 where none is named */
} mplan_ugrid;

/* ugrid_topology.c: which mesh of the file, and its sets. */

extern const char *const mplan_ugrid_word[UGRID_N_ENTITIES]; /* "node", "edge", "face", "volume" */
/* The file's path, for messages. */
const char *mplan_ugrid_path(const mplan_ugrid *reader);

/* zone: the name of a mesh topology, NULL: the first. Sets topology, name and cell. */
mplan_status mplan_ugrid_choose(mplan_ugrid *reader, const char *zone, mplan_error *err);
/* Name of the variable that holds a map; false when the mesh names none. */
bool mplan_ugrid_connectivity(const mplan_ugrid *reader, int from, int to,
                              char name[MPLAN_NETCDF_NAME]);
/* Arity that the conventions fix: an edge has two nodes, and two faces in 2-D; 0: any */
int64_t mplan_ugrid_arity(const mplan_ugrid *reader, int from, int to);
/* Whether rows are along the second dimension: the mesh names it, or the arity does not fit. */
bool mplan_ugrid_transposed(const mplan_ugrid *reader, int from, int to,
                            const mplan_netcdf_variable *variable);
/* Members of an entity, into size; *there: the file speaks of it. */
mplan_status mplan_ugrid_count(mplan_ugrid *reader, int entity, bool *there, mplan_error *err);
/* What the set of an entity is called. */
const char *mplan_ugrid_set_name(const mplan_ugrid *reader, int entity);
/* Adds the set of an entity, of size[entity] members, and keeps its index in set; to a layout where one is made. */
mplan_status mplan_ugrid_add_set(mplan_ugrid *reader, int entity, mplan_error *err);

/* ugrid_axes.c: the set of nodes, as many as they have coordinates. */
mplan_status mplan_ugrid_read_nodes(mplan_ugrid *reader, mplan_error *err);

/* ugrid_maps.c: the set of cells with their nodes; every other connectivity between sets that are there. */
mplan_status mplan_ugrid_read_cells(mplan_ugrid *reader, mplan_error *err);
mplan_status mplan_ugrid_read_maps(mplan_ugrid *reader, mplan_error *err);

#endif
