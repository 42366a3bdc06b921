/* SPDX-License-Identifier: Apache-2.0 */
/* support_round_trip.h - meshes to be written, and what must be the same when they are read */
#ifndef MPLAN_SUPPORT_ROUND_TRIP_H
#define MPLAN_SUPPORT_ROUND_TRIP_H

#include "meshplan.h"

enum {
    SAME_NAMES = 1, /* of groups */
    SAME_IDS = 2,
    SAME_CELL_GROUPS = 4, /* else they are lost */
    SAME_NODE_GROUPS = 8,
    SAME_BOUNDARIES = 16 /* of support_round_trips: group numbers of boundary faces, derived after reading */
};

/* A generated mesh (shuffled, jittered, with its boundary groups), a group of cells and
 * one of nodes. */
mplan_mesh *support_mesh(mplan_shape shape);
/* Mixed cells of a dimension, first order; with `second` second-order ones among them. */
mplan_mesh *support_mixed_mesh(int32_t dimension, bool second);

/* Writes the mesh under `path` in a format (NULL: by the name) and reads it again. *warnings
 * (may be NULL): those of writing. */
mplan_mesh *support_write_and_read(const mplan_mesh *mesh, const char *path, const char *format,
                                   int *warnings);

/* Cells, types and coordinates, bit by bit. */
void support_same_cells(const mplan_mesh *a, const mplan_mesh *b);
/* Groups of cells, nodes and facets, in any order. */
void support_same_groups(const mplan_mesh *a, const mplan_mesh *b, int flags);

/* Equal values of the map `name`. */
void support_same_map(const mplan_mesh *a, const mplan_mesh *b, const char *name);
/* Boundary faces have the same numbers of groups; they are derived. */
void support_same_boundaries(mplan_mesh *a, mplan_mesh *b);
/* Generated meshes with all groups are written and read, also once faces are derived, which must not
 * change what is written. lost: warnings of writing. */
void support_round_trips(const char *path, const char *format, int flags, int lost);
/* Writes the mesh and compares the warnings, a line each. */
void support_write_with(const mplan_mesh *mesh, const char *path, const char *format,
                        const char *warnings);
/* A tetrahedron with facets of two groups, one of which is in both. */
mplan_mesh *support_tetrahedron(void);

#endif
