/* SPDX-License-Identifier: Apache-2.0 */
/* derive.h - what the files that derive connectivity share
 *
 * derive_names.c   what makes a name, and which map it is the opposite of
 * derive.c         names, and maps by transposing
 * derive_table.c   the cells of the mesh as a table
 * derive_match.c   which cells meet at the local faces of each cell
 * derive_faces.c   faces, boundary_faces and their maps
 * derive_sides.c   faces_nodes of faces that were derived without
 * derive_facets.c  groups of facets become subsets of faces
 * derive_edges.c   edges and their maps
 * derive_cells.c   cells_faces, cells_cells
 * derive_group.c   sets of the members of groups, and their maps
 * derive_by_group.c  which of these a name is
 * cell_graph.c     the graph of cells_cells, without deriving it */
#ifndef MPLAN_DERIVE_H
#define MPLAN_DERIVE_H

#include "base/fetch.h"
#include "mesh/adjacency.h"
#include "mesh/mesh.h"

#define MPLAN_FACE_CORNERS 4

/* The typed cells of a mesh, borrowed from it. */
typedef struct mplan_cell_table {
    mplan_map nodes; /* cells_nodes; n_rows cells, n_points nodes */
    const uint8_t *type;
    int32_t dimension;         /* of the cells; 0 without any */
    int32_t stride;            /* largest number of local faces of a cell */
    int32_t face_size;         /* largest number of corners of a local face */
    bool equal_rows;           /* all cells have `stride` local faces */
    bool manifold;             /* three cells at a face are an error */
    const double *coordinates; /* of nodes, NULL: cells are oriented as numbered */
    int32_t coordinate_stride;
} mplan_cell_table;

/* MPLAN_ERR_ARGUMENT when the mesh has no typed cells. */
mplan_status mplan_cell_table_of(const mplan_mesh *mesh, mplan_cell_table *cells, mplan_error *err);

static inline const mplan_cell_shape *mplan_table_cell(const mplan_cell_table *cells, int64_t c,
                                                       const int32_t **node)
{
    int32_t n;
    *node = mplan_map_row(&cells->nodes, c, &n);
    return mplan_cell_shape_of((mplan_cell_type)cells->type[c]);
}

/* Distinct corners of local face f of a cell in their order; returns how many. */
static inline int32_t mplan_face_corners(const mplan_cell_shape *shape, const int32_t *node,
                                         int32_t f, int32_t corner[MPLAN_FACE_CORNERS])
{
    int32_t n = 0;
    for (int32_t k = 0; k < shape->face_size[f]; k++) {
        int32_t v = node[shape->face[f][k]];
        int32_t j = 0;
        while (j < n && corner[j] != v)
            j++;
        if (j == n)
            corner[n++] = v;
    }
    return n;
}

/* Sorts the n <= 4 corners of a face and fills the rest with -1: equal keys
 * are equal faces. */
static inline void mplan_face_key(int32_t corner[MPLAN_FACE_CORNERS], int32_t n)
{
    for (int32_t i = 1; i < n; i++) {
        int32_t v = corner[i], j = i;
        for (; j > 0 && corner[j - 1] > v; j--)
            corner[j] = corner[j - 1];
        corner[j] = v;
    }
    for (int32_t i = n; i < MPLAN_FACE_CORNERS; i++)
        corner[i] = -1;
}

#define MPLAN_MATE_BOUNDARY (-1) /* the face has no other cell */
#define MPLAN_MATE_NONE (-2)     /* no face: collapsed, folded, or more than two cells */

typedef struct mplan_face_match {
    int32_t *mate; /* [cell * stride + local face]: the cell behind it, or MPLAN_MATE_* */
    /* faces by their number of distinct corners */
    int64_t n_inner[MPLAN_FACE_CORNERS + 1], n_boundary[MPLAN_FACE_CORNERS + 1];
    int64_t n_crowded; /* faces of three and more cells, as surfaces may have them: in neither set */
    int32_t crowded_node[2],
        crowded_cells[3]; /* of the first: two of its nodes (-1: it has one), three cells, */
    int32_t crowded_face; /* which local face of the first of them it is, */
    int64_t crowded_size; /* and how many cells it has */
} mplan_face_match;

/* Finds the cell behind every local face. Release mate with free(). */
mplan_status mplan_match_faces(const mplan_cell_table *cells, const mplan_context *context,
                               mplan_face_match *match, mplan_error *err);

/* Faces one after the other, as they become a set. */
typedef struct mplan_face_list {
    int32_t n_cells;    /* of a face: 2, or 1 on the boundary */
    int32_t arity;      /* of nodes; 0: ragged */
    int64_t size;       /* faces in all */
    int64_t n, n_nodes; /* that are written */
    int32_t *cells, *nodes;
    int64_t *offsets; /* size + 1; NULL for arity > 0 */
    uint8_t *sides;   /* NULL: they are not wanted; then nodes may be NULL */
} mplan_face_list;
void mplan_face_list_free(mplan_face_list *list);
/* The faces of a match: inner ones (lists[0]) and those of the boundary, each written by its lower cell. The match counts what is
 * written. arity: of both, -1 for what the faces have; NULL: both. Free the lists also after a failure. */
mplan_status mplan_list_faces(const mplan_cell_table *cells, const mplan_face_match *match,
                              const int32_t arity[2], const mplan_context *context,
                              mplan_face_list lists[2], mplan_error *err);

/* --- faces by sides (derive_sides.c) --- */

/* The side of a cell that makes a face: a local face, and whether the cell is listed mirror-inverted, so that it looks inwards. */
uint8_t mplan_side_of(int32_t local_face, bool inwards);
/* node: the nodes of that face as faces_nodes has them; returns how many. */
int32_t mplan_side_nodes(const mplan_cell_table *cells, int64_t c, uint8_t side,
                         int32_t node[MPLAN_FACE_CORNERS]);
/* Faces that have sides, borrowed from the mesh. */
typedef struct mplan_face_sides {
    mplan_cell_table cells;
    const int32_t *first; /* of two cells each, the first makes the face */
    const uint8_t *side;
    int32_t map; /* faces_cells */
} mplan_face_sides;
/* false: the set has none. */
bool mplan_faces_by_sides(const mplan_mesh *mesh, int32_t set, mplan_face_sides *faces);
static inline int32_t mplan_face_nodes(const mplan_face_sides *faces, int64_t f,
                                       int32_t node[MPLAN_FACE_CORNERS])
{
    return mplan_side_nodes(&faces->cells, faces->first[2 * f], faces->side[f], node);
}
/* Adds faces_nodes where faces have sides in its place, which they lose. */
mplan_status mplan_fill_faces_nodes(mplan_mesh *mesh, const mplan_context *context, mplan_error *err);

/* All that follows from the match: adds what the mesh has not. */
mplan_status mplan_derive_faces(mplan_mesh *mesh, const mplan_context *context, mplan_error *err);
mplan_status mplan_derive_edges(mplan_mesh *mesh, const mplan_context *context, mplan_error *err);
/* Not where the faces are the file's own. */
mplan_status mplan_derive_cells_faces(mplan_mesh *mesh, const mplan_context *context,
                                      mplan_error *err);
mplan_status mplan_derive_cells_cells(mplan_mesh *mesh, const mplan_context *context,
                                      mplan_error *err);

/* Cells joined when they share a facet; the mesh stays as it is. */
mplan_status mplan_graph_of_cells(const mplan_mesh *mesh, const mplan_context *context,
                                  mplan_csr *graph, mplan_error *err);

/* Turns all waiting facets into groups of `faces` and `boundary_faces` and
 * sets boundary_ids; the list of waiting facets is empty afterwards. On
 * failure groups may have been added, nothing else is changed. */
mplan_status mplan_resolve_facets(mplan_mesh *mesh, const mplan_context *context, mplan_error *err);

/* The group that a set is called after: without "group:". */
const char *mplan_group_of_set(const char *set);
/* What no loop can run over: a group whose name has control characters, of a set that is split, or (other: the name of the
 * second set, else NULL) of two sets. MPLAN_ERR_MESH. */
mplan_status mplan_refuse_group(const char *group, const char *parent, bool split,
                                const char *other, mplan_error *err);
/* Whether facets of a group wait for faces, and whether a group of members is called so. */
bool mplan_group_waits(const mplan_mesh *mesh, const char *group);
bool mplan_group_exists(const mplan_mesh *mesh, const char *group);
/* The set `name` of the members of its group, which exists. MPLAN_ERR_MESH where no loop can run over it. */
mplan_status mplan_add_group_set(mplan_mesh *mesh, const char *name, mplan_error *err);
/* The map `name` of such a set: rows of a map of its parent; -1: to the parent itself. */
mplan_status mplan_add_group_map(mplan_mesh *mesh, const char *name, int32_t set, int32_t map,
                                 mplan_error *err);

/* What is asked of a mesh with groups, and done to it, by names and by numbers of sets and maps: -1 for what there is not. */
typedef struct mplan_group_mesh {
    void *user;
    int32_t (*find_set)(const void *user, const char *name);
    int32_t (*find_map)(const void *user, const char *name);
    int32_t (*from_of)(const void *user, int32_t map);
    int32_t (*parent_of)(const void *user, int32_t set); /* the set that a group's set is a part of */
    const char *(*set_name)(const void *user, int32_t set);
    bool (*waits)(const void *user,
                  const char *group); /* as mplan_group_waits, and mplan_group_exists */
    bool (*is_group)(const void *user, const char *group);
    mplan_status (*plain)(void *user, const char *name, mplan_error *err); /* derives without groups */
    /* What one process meets by itself, all must, as they go on together: the fault of any of them. */
    mplan_status (*agree)(void *user, mplan_status status, mplan_error *err);
    /* as mplan_add_group_set, and mplan_add_group_map; the last transposes a map of the mesh */
    mplan_status (*add_set)(void *user, const char *name, mplan_error *err);
    mplan_status (*add_map)(void *user, const char *name, int32_t set, int32_t map, mplan_error *err);
    mplan_status (*transpose)(void *user, const char *name, int32_t map, mplan_error *err);
} mplan_group_mesh;
/* Makes the set or map of this name where it is a group's, or a map to one; nothing where it is not. */
mplan_status mplan_derive_by_group(const mplan_group_mesh *in, const char *name, mplan_error *err);

/* Names of a map and of its sets. */
typedef struct mplan_map_names {
    const char *name, *from, *to;
} mplan_map_names;
typedef mplan_map_names (*mplan_map_names_of)(const void *mesh, int32_t map);
/* The map whose transposed one is called `name`: the one called <from>_<to>, else the only one between the two sets. -1 without
 * one, -2 where several could be meant. */
int32_t mplan_find_opposite(const char *name, int32_t n_maps, mplan_map_names_of names_of,
                            const void *mesh);

/* What is derived from cells in one go: a set with its maps, or a map. */
typedef enum mplan_derived {
    MPLAN_DERIVED_FACES, /* and boundary_faces */
    MPLAN_DERIVED_EDGES,
    MPLAN_DERIVED_CELLS_FACES,
    MPLAN_DERIVED_CELLS_CELLS
} mplan_derived;
typedef struct mplan_derivation {
    const char *name; /* of a set or a map that it makes */
    mplan_derived what;
    const char *set; /* that it makes or needs: not derived where the file has its own; NULL: none */
} mplan_derivation;
/* What makes a set or a map of that name; NULL: nothing does. */
const mplan_derivation *mplan_find_derivation(const char *name);
/* What makes the map "<b>_<a>", for a name "<a>_<b>"; NULL: nothing does. */
const mplan_derivation *mplan_find_opposite_derivation(const char *name);

/* Index of a set that mplan_mesh_derive made; -1 when there is none or the
 * set is the file's own. */
int32_t mplan_derived_set(const mplan_mesh *mesh, const char *name);

#endif
