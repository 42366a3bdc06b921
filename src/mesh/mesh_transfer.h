/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_transfer.h - a mesh as a sequence of bytes, for programs of libexec (base/child.h)
 *
 * All that readers set: sets with coordinates, maps, types of cells, groups, facets, the names of the
 * format and of the faces. Both sides are of one machine and one build, so that numbers are as in
 * memory; what is read is believed as little as any file. */
#ifndef MPLAN_MESH_TRANSFER_H
#define MPLAN_MESH_TRANSFER_H

#include "mesh/mesh.h"

/* Appends the mesh to a file (shared_memory.h). MPLAN_ERR_MEMORY where it has no room. */
mplan_status mplan_mesh_send(const mplan_mesh *mesh, int fd, mplan_error *err);

/* Fills an empty mesh from bytes that anybody may have written. MPLAN_ERR_CORRUPT with the place for
 * what is not a mesh: counts are compared with the bytes that are there before anything is allocated,
 * names hold no zero bytes, ids are in range. After a failure the mesh may hold a part. */
mplan_status mplan_mesh_receive(mplan_mesh *mesh, const void *data, size_t size, mplan_error *err);

#endif
