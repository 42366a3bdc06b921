/* SPDX-License-Identifier: Apache-2.0 */
/* set_weights.c - weights of the members of a set that its file brings, for partitions */
#include <stdlib.h>

#include "base/error.h"
#include "mesh/mesh.h"

void mplan_mesh_take_weights(mplan_mesh *mesh, int32_t set, int32_t n_columns, int64_t *weights,
                             int64_t *sizes)
{
    mplan_mesh_set_data *of = &mesh->sets[set];
    free(of->weights);
    free(of->sizes);
    of->n_weights = weights ? n_columns : 0;
    of->weights = weights;
    of->sizes = sizes;
}

/* Of the first set that has any; -1 without one. */
int32_t mplan_mesh_weighted_set(const mplan_mesh *mesh)
{
    for (int32_t s = 0; s < mesh->n_sets; s++)
        if (mesh->sets[s].weights || mesh->sets[s].sizes)
            return s;
    return -1;
}

static bool in_range(const mplan_mesh *mesh, int32_t set)
{
    return mesh && set >= 0 && set < mesh->n_sets;
}

const int64_t *mplan_mesh_weights(const mplan_mesh *mesh, int32_t set, int32_t *n_columns)
{
    const bool found = in_range(mesh, set);
    if (n_columns)
        *n_columns = found ? mesh->sets[set].n_weights : 0;
    return found ? mesh->sets[set].weights : NULL;
}

const int64_t *mplan_mesh_sizes(const mplan_mesh *mesh, int32_t set)
{
    return in_range(mesh, set) ? mesh->sets[set].sizes : NULL;
}
