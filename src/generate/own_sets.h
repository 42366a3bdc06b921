/* SPDX-License-Identifier: Apache-2.0 */
/* own_sets.h - sets of faces and edges that a mesh brings, before it is refined */
#ifndef MPLAN_OWN_SETS_H
#define MPLAN_OWN_SETS_H

#include "generate/midpoints.h"

/* Whether the mesh brings the set: it is neither nodes nor cells, and not derived. */
bool mplan_is_own_set(const mplan_mesh *mesh, int32_t set);
/* A map from the set to nodes, or -1. */
int32_t mplan_own_set_nodes(const mplan_mesh *mesh, int32_t set);

/* Whether the mesh's own sets, all of which have a map to nodes, say no more than its cells do,
 * and can be left out: a warning for each that is. MPLAN_ERR_UNSUPPORTED names the first member that
 * is not a face or edge, by its nodes, of a cell that a map joins it to. Cells are of types
 * that can be split. */
mplan_status mplan_own_sets_check(const mplan_mesh *mesh, const mplan_context *context,
                                  mplan_error *err);

#endif
