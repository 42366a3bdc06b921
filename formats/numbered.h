/* SPDX-License-Identifier: Apache-2.0 */
/* numbered.h - meshes whose nodes and elements have any numbers, by which elements and sets name them
 *
 * Readers give nodes, elements and sets in any order; mplan_numbered_finish finds who is meant and makes the mesh. */
#ifndef MPLAN_NUMBERED_H
#define MPLAN_NUMBERED_H

#include "formats/collection.h"

/* A number that a file gives, and the how-manieth node or element has it. */
typedef struct mplan_number_place {
    int64_t number;
    int32_t place;
} mplan_number_place;

/* An element as the file gives it. Its nodes are in `wanted`, one element after the other. */
typedef struct mplan_numbered_element {
    int64_t number, line;
    int32_t type;   /* mplan_cell_type */
    int32_t member; /* of the cells of its dimension */
    int64_t group;  /* a number of a group that it is in; 0: none */
} mplan_numbered_element;

/* A set that is given by members [begin, end) of `listed`. */
typedef struct mplan_numbered_set {
    const char *name; /* in the file, or in memory that lives as long as it */
    size_t length;
    int64_t id;
    bool of_nodes;
    int64_t begin, end;
} mplan_numbered_set;

/* A member of a set: a node, an element, or a side of one, from 1; 0: all of it. */
typedef struct mplan_numbered_member {
    int64_t number;
    int32_t side;
} mplan_numbered_member;

/* Elements from `first` on, up to the next origin, are in the file `path`. */
typedef struct mplan_numbered_origin {
    int64_t first;
    const char *path;
} mplan_numbered_origin;

typedef struct mplan_numbered {
    mplan_collection collection;
    mplan_vector nodes;    /* mplan_number_place */
    mplan_vector elements; /* mplan_numbered_element */
    mplan_vector places;   /* mplan_number_place, of the elements */
    mplan_vector wanted;   /* int64_t: numbers of nodes */
    mplan_vector sets;     /* mplan_numbered_set */
    mplan_vector listed;   /* mplan_numbered_member */
    mplan_vector origins;  /* mplan_numbered_origin, of elements in other files than the first */
    int64_t most_listed;   /* members that a file of its size may have */
    int64_t missing;       /* members that no node or element has */
    int32_t (*exodus_side)(mplan_cell_type type,
                           int64_t side); /* of the format's number of a side, 0: none; NULL: the same */
} mplan_numbered;

void mplan_numbered_begin(mplan_numbered *mesh, const mplan_input *input,
                          const mplan_context *context);
void mplan_numbered_free(mplan_numbered *mesh);

mplan_status mplan_numbered_node(mplan_numbered *mesh, int64_t number, const double xyz[3],
                                 mplan_error *err);
/* What follows is in the file `path` of so many bytes, which have room for members of sets; 0: it goes on. */
mplan_status mplan_numbered_from(mplan_numbered *mesh, const char *path, int64_t bytes,
                                 mplan_error *err);
/* Adds an element of line `line`; the caller writes the numbers of its nodes to what is returned, in the order of
 * Gmsh, NULL without memory. */
int64_t *mplan_numbered_element_of(mplan_numbered *mesh, int64_t number, mplan_cell_type type,
                                   int64_t line, mplan_error *err);
/* The element that was added last. */
static inline mplan_numbered_element *mplan_numbered_last(mplan_numbered *mesh)
{
    return (mplan_numbered_element *)mesh->elements.data + mesh->elements.count - 1;
}
/* Begins a set; members follow. A name that occurs again adds to that set. */
mplan_status mplan_numbered_set_of(mplan_numbered *mesh, bool of_nodes, int64_t id,
                                   const char *name, size_t length, mplan_error *err);
mplan_status mplan_numbered_member_of(mplan_numbered *mesh, int64_t number, int32_t side,
                                      mplan_error *err);
/* Appends the members of all earlier sets of that name, in any case of letters, to the last set, with a side; a
 * negative one leaves them theirs. *found: there is one, or it is the last itself. */
mplan_status mplan_numbered_copy_set(mplan_numbered *mesh, bool of_nodes, const char *name,
                                     size_t length, int32_t side, bool *found, mplan_error *err);

/* Makes the mesh. Nodes that occur twice with other coordinates and nodes that are not there: MPLAN_ERR_MESH with
 * the line of the element; members of sets that are not there are counted in one warning. */
mplan_status mplan_numbered_finish(mplan_numbered *mesh, mplan_mesh *made, mplan_error *err);

#endif
