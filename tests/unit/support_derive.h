/* SPDX-License-Identifier: Apache-2.0 */
/* support_derive.h - derived connectivity of small meshes in the plainest way, and such meshes
 *
 * Every pair of half faces and of edges is compared, faces are oriented by exact integer arithmetic and sorted by
 * insertion. */
#ifndef SUPPORT_DERIVE_H
#define SUPPORT_DERIVE_H

#include "support_test.h"

#define MAX_CELLS 64
#define MAX_HALF (MAX_CELLS * 6)
#define MAX_NODES 64

typedef struct plain_mesh {
    int32_t dimension, n_nodes, n_cells, space; /* space 0: no coordinates */
    uint8_t type[MAX_CELLS];
    int32_t node[MAX_CELLS][27];
    int32_t xyz[MAX_NODES][3];
} plain_mesh;

typedef struct plain_face {
    int32_t n, node[4];    /* in order, oriented */
    int32_t key[4];        /* sorted, -1 behind */
    int32_t first, second; /* second -1: boundary */
    int32_t local[2];
} plain_face;

typedef struct plain_answer {
    bool refused;
    int32_t n_faces, n_boundary;
    plain_face face[MAX_HALF], boundary[MAX_HALF];
} plain_answer;

void plain_sort(int32_t *value, int32_t n);
/* Distinct corners of face f of cell c, in order (node) and sorted (key, -1 behind); returns their number. */
int32_t plain_local_corners(const plain_mesh *m, int32_t c, int32_t f, int32_t *node, int32_t *key);
void plain_derive(const plain_mesh *m, plain_answer *answer);

/* Random meshes: of the plane, of space, of any kind, with faults. */
void plain_make_plane(plain_mesh *m, uint64_t *seed);
void plain_make_volume(plain_mesh *m, uint64_t *seed);
void plain_make_any(plain_mesh *m, uint64_t *seed);
/* Turns a cell inside out. */
void plain_mirror(plain_mesh *m, int32_t c);
/* A random number below n. */
int32_t plain_below(uint64_t *seed, int64_t n);
mplan_mesh *plain_build(const plain_mesh *m);

/* The map of that name, which must be there. */
mplan_map support_map_of(const mplan_mesh *mesh, const char *name);

#endif
