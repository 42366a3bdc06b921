/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.h - the mesh as the modules inside the library see it */
#ifndef MPLAN_MESH_H
#define MPLAN_MESH_H

#include "mesh/cells.h"
#include "meshplan.h"

struct mplan_team; /* base/threads.h */

/* What stands for a map that is not there: no rows, and mplan_map_entries is 0. */
#define MPLAN_NO_MAP                    \
    {                                   \
        "", -1, -1, 1, 0, 0, NULL, NULL \
    }

typedef struct mplan_mesh_set {
    char *name;
    int64_t size;
    int32_t dimension;   /* of coordinates; 0: none */
    double *coordinates; /* size x dimension */
    char *split;         /* map by whose -1 entries it was split; NULL: as read */
    int64_t *global_ids; /* index before the split; NULL: as read */
    bool derived;        /* made by mplan_mesh_derive, not the file's own */
    uint8_t *sides;  /* of derived faces without faces_nodes (derive_sides.c); NULL: they have it */
    bool by_largest; /* only the largest number of the input tells its size */
    int32_t parent;  /* of a set made of a group: the set that the group is a part of */
    int32_t *parent_index; /* size numbers of its members, ascending; NULL: no group's set */
    int32_t n_weights;     /* columns */
    int64_t *weights;      /* size x n_weights; NULL: the file has none */
    int64_t *sizes;        /* likewise size, for communication volume */
    int32_t layers;        /* of the columns over its members; 0: none are known */
    int32_t *ranges; /* 2 x size: lowest layer, and one above the highest; NULL: all have all */
    uint32_t *mask; /* mplan_mask_words(layers) x size: bits of the layers that are there; NULL: all are */
} mplan_mesh_set_data;

typedef struct mplan_mesh_map {
    char *name;
    int32_t from, to, arity;
    int64_t *offsets;
    int32_t *values;
    bool derived; /* made by mplan_mesh_derive */
} mplan_mesh_map_data;

typedef struct mplan_mesh_group_data {
    char *name;
    int64_t id;
    int32_t dimension, set;
    int64_t n_members;
    int32_t *members;
} mplan_mesh_group_data;

/* A group of facets that waits for faces and boundary_faces. */
typedef struct mplan_mesh_facets {
    char *name;
    int64_t id;
    int64_t n_facets;
    uint8_t *type;
    int32_t *nodes; /* of all nodes of the type, one facet after the other */
} mplan_mesh_facets;

struct mplan_mesh {
    char *format; /* name of the file format; NULL when built by calls */
    char *source; /* the file that it was read from, for messages; NULL: built by calls, or of several files */
    char *zone;         /* that was chosen from a file with several; NULL: none was */
    char *faces_name;   /* set of the file's own faces; NULL: derived faces */
    int32_t dimension;  /* of the cells, 0 without cells */
    uint8_t *cell_type; /* size of cells; NULL without cells */
    int32_t n_sets, n_maps, n_groups, n_facet_groups;
    mplan_mesh_set_data *sets;
    mplan_mesh_map_data *maps;
    mplan_mesh_group_data *groups;
    mplan_mesh_facets *facets;
    int64_t *boundary_ids; /* size of boundary_faces; NULL until derived */
    int64_t input_bytes;   /* of the files it was read from, inflated; 0 when built by calls */
    bool wants_sides;      /* faces that are derived now need no faces_nodes */
    struct mplan_team *team; /* of the call that reads or derives, which checks what the mesh takes; NULL between calls */
};

/* --- memory by input (allowance.c) --- */

/* Counts bytes that the mesh is read from. */
void mplan_mesh_note_input(mplan_mesh *mesh, uint64_t bytes);
/* Before anything is derived or planned: MPLAN_ERR_MEMORY when sets whose size only the largest number of the input
 * tells would take more memory than the input justifies (50 bytes a byte, and 64 MB) or the context's max_memory
 * allows. Sets that are the from-set of a map, have coordinates or a size that was given are not counted. */
mplan_status mplan_mesh_check_memory(const mplan_mesh *mesh, const mplan_context *context,
                                     mplan_error *err);

/* Like mplan_mesh_add_map and friends, but they take over arrays that came
 * from mplan_alloc (also when they fail: then they are released). Values are
 * checked. */
mplan_status mplan_mesh_take_map(mplan_mesh *mesh, const char *name, int32_t from, int32_t to,
                                 int32_t arity, int64_t *offsets, int32_t *values, int32_t *map,
                                 mplan_error *err);
mplan_status mplan_mesh_take_coordinates(mplan_mesh *mesh, int32_t set, int32_t dimension,
                                         double *coordinates, mplan_error *err);
mplan_status mplan_mesh_take_cells(mplan_mesh *mesh, int64_t n_nodes, int64_t n_cells,
                                   uint8_t *type, int32_t *nodes, mplan_error *err);
/* Arrays of a set (mplan_mesh_set_data), each NULL or from mplan_alloc. */
void mplan_mesh_take_weights(mplan_mesh *mesh, int32_t set, int32_t n_columns, int64_t *weights,
                             int64_t *sizes);
/* As mplan_mesh_set_layers; the mesh takes over ranges, which may be NULL. */
mplan_status mplan_mesh_take_layers(mplan_mesh *mesh, int32_t set, int32_t layers, int32_t *ranges,
                                    mplan_error *err);
/* Takes over a mask (mplan_mesh_set_layer_mask), whose bits beside the ranges become 0. */
void mplan_mesh_take_mask(mplan_mesh *mesh, int32_t set, uint32_t *mask);
/* A set that has weights or sizes; -1: none has. */
int32_t mplan_mesh_weighted_set(const mplan_mesh *mesh);
mplan_status mplan_mesh_set_format(mplan_mesh *mesh, const char *format, mplan_error *err);
/* The file by whose name errors begin that are found in the mesh later; NULL: none. */
mplan_status mplan_mesh_set_source(mplan_mesh *mesh, const char *path, mplan_error *err);
/* Two strings to begin a warning with: the file and ": ", or nothing. */
#define MPLAN_SOURCE_OF(mesh) (mesh)->source ? (mesh)->source : "", (mesh)->source ? ": " : ""
/* The zone that was read of a file with several. MPLAN_ERR_ARGUMENT for a name that cannot be in a line. */
mplan_status mplan_mesh_set_zone(mplan_mesh *mesh, const char *zone, mplan_error *err);
mplan_status mplan_mesh_set_faces_name(mplan_mesh *mesh, const char *name, mplan_error *err);

/* Like mplan_mesh_add_group; the mesh takes over members. */
mplan_status mplan_mesh_take_group(mplan_mesh *mesh, const char *name, int64_t id,
                                   int32_t dimension, int32_t set, int64_t n_members,
                                   int32_t *members, mplan_error *err);

/* How much a mesh holds, and the way back to that: removes the sets, maps and
 * groups that were added since. */
typedef struct mplan_mesh_mark {
    int32_t n_sets, n_maps, n_groups;
} mplan_mesh_mark;
mplan_mesh_mark mplan_mesh_mark_of(const mplan_mesh *mesh);
void mplan_mesh_roll_back(mplan_mesh *mesh, mplan_mesh_mark mark);
/* Removes a map; numbers of those behind it become one less. */
void mplan_mesh_drop_map(mplan_mesh *mesh, int32_t map);

/* As mplan_mesh_derive, but faces may come without faces_nodes where that is not what is asked for. Later calls of
 * mplan_mesh_derive add it. */
mplan_status mplan_mesh_derive_sparing(mplan_mesh *mesh, const char *name,
                                       const mplan_context *context, mplan_error *err);

/* Fingerprint of the sets and maps that are listed (indices into the mesh):
 * the stream is, all as little-endian int64: number of sets, their sizes,
 * number of maps, then per map: position of from and of to in the list of
 * sets, arity, for ragged maps size(from) + 1 offsets, all values. team: may be NULL. */
mplan_status mplan_mesh_fingerprint_topology(const mplan_mesh *mesh, int32_t n_sets,
                                             const int32_t *sets, int32_t n_maps,
                                             const int32_t *maps, uint64_t *print,
                                             struct mplan_team *team, mplan_error *err);
/* The stream is: per listed set that has coordinates: its position in the list
 * and dimension as int64, then its doubles. */
mplan_status mplan_mesh_fingerprint_coordinates(const mplan_mesh *mesh, int32_t n_sets,
                                                const int32_t *sets, uint64_t *print,
                                                struct mplan_team *team, mplan_error *err);

/* Random numbers that are equal on every machine (splitmix64). */
uint64_t mplan_random(uint64_t *state);
/* In [0, n), n >= 1, without bias. */
int64_t mplan_random_below(uint64_t *state, int64_t n);

#endif
