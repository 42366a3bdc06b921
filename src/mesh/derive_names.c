/* SPDX-License-Identifier: Apache-2.0 */
/* derive_names.c - what makes a name, and which map it is the opposite of
 *
 * By names only, so that a mesh in one process and one that is spread over ranks are asked alike. */
#include <assert.h>
#include <string.h>

#include "mesh/derive.h"

static const mplan_derivation derivations[] = {
    {"faces", MPLAN_DERIVED_FACES, "faces"},
    {"faces_cells", MPLAN_DERIVED_FACES, "faces"},
    {"faces_nodes", MPLAN_DERIVED_FACES, "faces"},
    {"boundary_faces", MPLAN_DERIVED_FACES, "boundary_faces"},
    {"boundary_faces_cells", MPLAN_DERIVED_FACES, "boundary_faces"},
    {"boundary_faces_nodes", MPLAN_DERIVED_FACES, "boundary_faces"},
    {"edges", MPLAN_DERIVED_EDGES, "edges"},
    {"edges_nodes", MPLAN_DERIVED_EDGES, "edges"},
    {"edges_cells", MPLAN_DERIVED_EDGES, "edges"},
    {"cells_faces", MPLAN_DERIVED_CELLS_FACES, "faces"},
    {"cells_cells", MPLAN_DERIVED_CELLS_CELLS, NULL},
};
enum { N_DERIVATIONS = sizeof derivations / sizeof *derivations };

const mplan_derivation *mplan_find_derivation(const char *name)
{
    assert(name);
    for (int d = 0; d < N_DERIVATIONS; d++)
        if (strcmp(derivations[d].name, name) == 0)
            return &derivations[d];
    return NULL;
}

/* Whether name is "<from>_<to>". */
static bool joins(const char *name, const char *from, const char *to)
{
    const size_t length = strlen(from);
    return strncmp(name, from, length) == 0 && name[length] == '_' &&
           strcmp(name + length + 1, to) == 0;
}

/* A map of the exact opposite name comes before others whose sets fit. A map from a set to itself has no opposite. */
int32_t mplan_find_opposite(const char *name, int32_t n_maps, mplan_map_names_of names_of,
                            const void *mesh)
{
    assert(name && names_of);
    int32_t found = -1;
    for (int32_t m = 0; m < n_maps; m++) {
        const mplan_map_names map = names_of(mesh, m);
        if (strcmp(map.from, map.to) == 0 || !joins(name, map.to, map.from))
            continue;
        if (joins(map.name, map.from, map.to))
            return m;
        found = found == -1 ? m : -2;
    }
    return found;
}

/* Whether one is "<a>_<b>" and the other "<b>_<a>", of sets that derivations make or start from. A name is made of two of
 * the ends in at most one way. */
static bool are_opposite(const char *name, const char *other)
{
    static const char *const ends[] = {"nodes", "cells", "faces", "edges", "boundary_faces"};
    enum { N_ENDS = sizeof ends / sizeof *ends };
    for (int a = 0; a < N_ENDS; a++)
        for (int b = 0; b < N_ENDS; b++)
            if (a != b && joins(name, ends[a], ends[b]) && joins(other, ends[b], ends[a]))
                return true;
    return false;
}

const mplan_derivation *mplan_find_opposite_derivation(const char *name)
{
    assert(name);
    for (int d = 0; d < N_DERIVATIONS; d++)
        if (are_opposite(name, derivations[d].name))
            return &derivations[d];
    return NULL;
}
