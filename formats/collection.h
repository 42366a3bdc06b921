/* SPDX-License-Identifier: Apache-2.0 */
/* collection.h - nodes, cells and groups as readers of small formats find them, until they are a mesh */
#ifndef MPLAN_COLLECTION_H
#define MPLAN_COLLECTION_H

#include "base/memory.h"
#include "formats/format.h"

/* Members [first, first + count) of a group: of the cells of a dimension, in dimension 0 of the nodes. */
typedef struct mplan_collected_run {
    int64_t first, count;
    int64_t id;       /* of groups that have a number; 0: a name only */
    const char *name; /* in the file, not ended by zero; "" */
    size_t length;
} mplan_collected_run;

/* Nodes, cells and groups that a reader has found, before it is known which
 * dimension the mesh has. */
typedef struct mplan_collection {
    const char *path;
    const mplan_context *context;
    mplan_vector xyz;     /* double, three a node */
    mplan_vector type[4]; /* uint8_t, of the cells of each dimension; MPLAN_COLLECTED_POLYGON in [2] */
    mplan_vector nodes[4]; /* int32_t, of the cells one after the other */
    mplan_vector sizes;    /* int32_t, nodes of each polygon */
    mplan_vector runs[4];  /* mplan_collected_run */
    mplan_vector points;   /* mplan_collected_run, of nodes that are sides of lines */
} mplan_collection;

enum { MPLAN_COLLECTED_POLYGON = 255 };
#define MPLAN_COLLECTED_ZERO INT64_MIN /* the id of a group that has a name and the number 0 */

void mplan_collection_begin(mplan_collection *collection, const char *path,
                            const mplan_context *context);
void mplan_collection_free(mplan_collection *collection);

static inline int64_t mplan_collected_nodes(const mplan_collection *collection)
{
    return collection->xyz.count / 3;
}

/* Adds a node. MPLAN_ERR_MEMORY. */
mplan_status mplan_collect_node(mplan_collection *collection, const double xyz[3], mplan_error *err);
/* Room for n more cells of a type, whose number is known: no more is allocated than they take. */
mplan_status mplan_collect_room(mplan_collection *collection, mplan_cell_type type, int64_t n,
                                mplan_error *err);
/* Adds a cell, whose nodes the caller writes to what is returned; NULL without memory. */
int32_t *mplan_collect_cell(mplan_collection *collection, mplan_cell_type type, mplan_error *err);
/* A face of n >= 3 nodes: a triangle, a quad, or else a polygon. */
int32_t *mplan_collect_face(mplan_collection *collection, int32_t n, mplan_error *err);
/* The last cell of the dimension (in dimension 0 the last node) belongs to a group. */
mplan_status mplan_collect_member(mplan_collection *collection, int32_t dimension, int64_t id,
                                  const char *name, size_t length, mplan_error *err);
/* Member `member` of the dimension belongs to a group. */
mplan_status mplan_collect_member_at(mplan_collection *collection, int32_t dimension, int64_t member,
                                     int64_t id, const char *name, size_t length, mplan_error *err);
/* A node that is a side of a line belongs to a group: a facet of a mesh of lines; in other meshes a node of the group. */
mplan_status mplan_collect_point(mplan_collection *collection, int64_t node, int64_t id,
                                 const char *name, size_t length, mplan_error *err);

/* Makes the mesh, whose arrays the collection hands over. The cells of the highest dimension are the cells of the
 * mesh, groups of those one lower its facets, groups of yet lower ones groups of nodes. With polygons
 * the mesh is a table, the sets `cells` and `nodes` and a ragged cells_nodes, for want of a type. In
 * the plane z = 0 and without volumes it is 2-D. The nodes of all cells must exist. MPLAN_ERR_MESH without cells. */
mplan_status mplan_collection_to_mesh(mplan_collection *collection, mplan_mesh *mesh,
                                      mplan_error *err);

#endif
