/* SPDX-License-Identifier: Apache-2.0 */
/* support_mesh.c - sets and maps of a mesh by name */
#include "support_test.h"

#include "support_mesh.h"

int64_t set_size(const mplan_mesh *mesh, const char *name)
{
    int32_t set = mplan_mesh_find_set(mesh, name);
    assert_true(set >= 0);
    return mplan_mesh_set(mesh, set).size;
}

mplan_map find_map(const mplan_mesh *mesh, const char *name)
{
    int32_t map = mplan_mesh_find_map(mesh, name);
    assert_true(map >= 0);
    return mplan_mesh_map(mesh, map);
}

const double *node_coordinates(const mplan_mesh *mesh, int32_t *dimension)
{
    return mplan_mesh_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), dimension);
}

bool always(void *user)
{
    (void)user;
    return true;
}

void count_warning(void *user, const char *text)
{
    (void)text;
    ++*(int *)user;
}
