/* SPDX-License-Identifier: Apache-2.0 */
/* read_op2.c - the sets of maps and coordinates of OP2's HDF5 files, where only numbers tell them (formats/op2/op2_hdf5.c)
 *
 * Not collective: all ranks follow the same rules, with equal arguments. */
#include <string.h>

#include "mpi/read_layout.h"

/* Length of a set's name without a final s. */
static size_t stem_length(const char *set)
{
    const size_t n = strlen(set);
    return n > 1 && set[n - 1] == 's' ? n - 1 : n;
}

/* Of the sets of so many members, the one whose word is first in the map's name; -1 without one.
 * rows: of the map. A set that is the only one of its size needs no word in the name. Words are
 * names of sets without their final s, anywhere in the map's name: the earliest counts. */
static int32_t set_by_rows(const mpi_mesh *mesh, const char *map, int64_t rows)
{
    int32_t found = -1, n = 0;
    const char *place = NULL;
    for (int32_t s = 0; s < mesh->n_sets; s++) {
        char stem[MPLAN_PLACES_NAME] = "";
        if (mesh->sets[s].size != rows || strlen(mesh->sets[s].name) >= MPLAN_PLACES_NAME)
            continue;
        memcpy(stem, mesh->sets[s].name, stem_length(mesh->sets[s].name));
        const char *at = strstr(map, stem);
        if (n++ == 0 || (at && (!place || at < place))) {
            found = s;
            place = at;
        }
    }
    return n == 1 || place ? found : -1;
}

/* The to-set is the smallest one that has room for the largest number; of equal ones the first. */
void mpi_op2_sets_of(const mpi_mesh *mesh, const char *map, int64_t rows, int64_t most,
                     int32_t *from, int32_t *to)
{
    *from = set_by_rows(mesh, map, rows);
    *to = -1;
    for (int32_t s = 0; s < mesh->n_sets; s++)
        if (mesh->sets[s].size > most && (*to < 0 || mesh->sets[s].size < mesh->sets[*to].size))
            *to = s;
}

/* Of sets of so many members: one that the name begins with, or nodes, else the first. */
int32_t mpi_op2_set_of_points(const mpi_mesh *mesh, const char *name, int64_t rows)
{
    int32_t found = -1;
    for (int32_t s = 0; s < mesh->n_sets; s++) {
        const char *set = mesh->sets[s].name;
        if (mesh->sets[s].size != rows)
            continue;
        if (strncmp(name, set, stem_length(set)) == 0 || strcmp(set, "nodes") == 0)
            return s;
        found = found < 0 ? s : found;
    }
    return found;
}
