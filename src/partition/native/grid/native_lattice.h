/* SPDX-License-Identifier: Apache-2.0 */
/* native_lattice.h - which place of a grid every vertex of a graph has
 *
 * A graph whose vertices lie as the points of Z^2 or Z^3, joined to their neighbours there,
 * in whole or by patches, whatever their numbers. */
#ifndef MPLAN_NATIVE_LATTICE_H
#define MPLAN_NATIVE_LATTICE_H

#include "meshplan.h"

enum { LATTICE_UNKNOWN = 15, LATTICE_MOST = 6 };

typedef struct native_lattice {
    int64_t n;         /* vertices */
    int32_t dimension; /* 2 or 3 */
    int32_t *near;     /* 2 x dimension slots a vertex: neighbours, -1 behind the last */
    /* What mplan_native_lattice_find finds: */
    struct lattice_place {
        int32_t at[3]; /* neighbours in a patch mostly differ by 1 in one of these */
        int32_t patch; /* places of a patch are distinct */
    } * place;         /* per vertex */
    uint32_t *frame;   /* per vertex 4 bits a slot: direction 2 axis + (0 up, 1 down), or
                              LATTICE_UNKNOWN */
    int32_t n_patches;
} native_lattice;

static inline int32_t mplan_lattice_direction(const native_lattice *l, int32_t v, int32_t slot)
{
    return (int32_t)(l->frame[v] >> (4 * slot) & 15);
}

/* Room for n vertices of a dimension, all slots empty. */
mplan_status mplan_native_lattice_create(int64_t n, int32_t dimension, native_lattice *lattice,
                                         mplan_error *err);
void mplan_native_lattice_free(native_lattice *lattice);

/* Finds the places; *found is false where the graph is not a grid to speak of, which mostly
 * shows early. Linear time, the same for any number of threads. */
mplan_status mplan_native_lattice_find(native_lattice *lattice, bool *found,
                                       const mplan_context *context, mplan_error *err);

#endif
