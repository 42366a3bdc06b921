/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_mesh.h - a mesh that is spread over the ranks of a communicator
 *
 * Members of every set are spread in contiguous ranges: rank r holds members [first[r], first[r + 1]), their
 * coordinates and the rows of every map from them. Numbers of members are those of the whole mesh (64 bits). */
#ifndef MPLAN_MPI_MESH_H
#define MPLAN_MPI_MESH_H
#include <mpi.h>

#include "mesh/mesh.h"

typedef struct mpi_set {
    char *name;
    int64_t size;          /* of the whole set, on every rank */
    int64_t *first;        /* ranks + 1, on every rank */
    int32_t dimension;     /* of coordinates; 0: none */
    double *coordinates;   /* dimension numbers a member of this rank */
    uint8_t *cell_type;    /* of this rank's members; of set cells only, NULL else */
    char *split;           /* map by whose -1 entries it was split; NULL: as read */
    int32_t parent;        /* of a set made of a group: the set that the group is a part of */
    int64_t *parent_index; /* numbers of this rank's members there, ascending; NULL: no group's set */
    bool derived;          /* made by mpi_mesh_derive, not the file's own */
    bool by_largest;       /* only the largest number of the input tells its size */
    int32_t layers;        /* of the columns over its members; 0: none are known */
    int32_t *ranges; /* lowest layer and one above the highest, of this rank's members; NULL on all ranks: all have all */
    uint32_t *mask; /* mplan_mask_words(layers) a member of this rank, bits 0 beside the ranges; NULL likewise */
} mpi_set;

typedef struct mpi_map {
    char *name;
    int32_t from, to;
    int32_t arity;    /* 0: ragged */
    int64_t *offsets; /* ragged maps: by row of this rank, from 0; NULL otherwise */
    int64_t *values;  /* rows of this rank; numbers in the whole to-set, -1 for none */
    bool derived;     /* made by mpi_mesh_derive */
} mpi_map;

/* A named subset of a set. */
typedef struct mpi_group {
    char *name;
    int32_t set;
    int64_t total, n; /* members of all ranks, and of this one */
    int64_t *members; /* those of the set's members that this rank has: numbers of the whole mesh, ascending */
} mpi_group;

/* A named group of facets that waits for faces: those of this rank, in no relation to what it has of sets. */
typedef struct mpi_facets {
    char *name;
    int64_t first, n; /* the number in the group of its first one */
    int64_t *number;  /* of each, where they do not follow each other; NULL: they do */
    int64_t n_nodes;
    uint8_t *type;
    int64_t *nodes; /* of all nodes of the type, one facet after the other */
} mpi_facets;

typedef struct mpi_mesh {
    MPI_Comm comm;
    int32_t rank, ranks;
    int32_t dimension; /* of the cells; 0 without typed cells */
    int32_t n_sets, n_maps;
    mpi_set *sets;
    mpi_map *maps;
    int32_t n_groups, n_facets; /* those that have names */
    mpi_group *groups;
    mpi_facets *facets;
    bool left_groups;             /* the file may have groups that were not read */
    const mplan_context *context; /* for warnings; NULL: nobody is warned */
    char *zone;                   /* NULL, or the zone of the mesh */
    char *source;                 /* NULL, or the file by whose name errors of the mesh begin */
    char *faces;                  /* NULL, or the set of the file's own faces */
} mpi_mesh;

#endif
