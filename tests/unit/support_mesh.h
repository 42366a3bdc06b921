/* SPDX-License-Identifier: Apache-2.0 */
/* support_mesh.h - sets and maps of a mesh by name; a test fails where there is none of the name */
#ifndef SUPPORT_MESH_H
#define SUPPORT_MESH_H

#include "mesh/mesh.h"

int64_t set_size(const mplan_mesh *mesh, const char *name);
mplan_map find_map(const mplan_mesh *mesh, const char *name);
/* Of the set `nodes`; NULL: it has none. */
const double *node_coordinates(const mplan_mesh *mesh, int32_t *dimension);

/* For mplan_context: as `cancelled`, the call is to end; as `warning`, counts them in the int at `user`. */
bool always(void *user);
void count_warning(void *user, const char *text);

#endif
