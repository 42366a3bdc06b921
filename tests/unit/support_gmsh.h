/* SPDX-License-Identifier: Apache-2.0 */
/* support_gmsh.h - MSH files of every version, written independently of the library */
#ifndef MPLAN_SUPPORT_GMSH_H
#define MPLAN_SUPPORT_GMSH_H

#include "meshplan.h"

enum { SAMPLE_MOST = 128 };

typedef struct sample_entity {
    int32_t dimension, tag, n_physicals;
    int32_t physicals[4];
} sample_entity;

typedef struct sample_element {
    int32_t number;          /* Gmsh's number of the shape */
    int32_t n_nodes, entity; /* index */
    int32_t nodes[27];
} sample_element;

typedef struct sample_name {
    int32_t dimension, physical;
    const char *text;
} sample_name;

/* What a file holds, whatever its version. */
typedef struct gmsh_sample {
    int32_t n_nodes, n_elements, n_entities, n_names;
    int64_t tag[SAMPLE_MOST];
    double xyz[SAMPLE_MOST][3];
    sample_element element[SAMPLE_MOST];
    sample_entity entity[16];
    sample_name name[16];
} gmsh_sample;

typedef struct gmsh_dialect {
    int32_t version;   /* 20, 22, 40, 41 */
    bool binary, swap; /* swap: the other order of bytes */
    int32_t width;     /* of size_t */
    bool parametric, partitioned;
    bool by_group;     /* version 2: elements once per group under one tag, group by group */
    bool wrong_totals; /* version 4 */
} gmsh_dialect;

/* The file; release with free(). */
uint8_t *support_gmsh_file(const gmsh_sample *sample, const gmsh_dialect *dialect, size_t *size);
/* "4.1 binary swapped ..." */
const char *support_gmsh_words(const gmsh_dialect *dialect, char *words, size_t size);

#endif
