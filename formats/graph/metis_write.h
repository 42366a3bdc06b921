/* SPDX-License-Identifier: Apache-2.0 */
/* metis_write.h - METIS's files, written */
#ifndef MPLAN_METIS_WRITE_H
#define MPLAN_METIS_WRITE_H

#include "formats/format.h"

/* The graph of map `what`, or with NULL that of cells that share a facet, and of meshes
 * without typed cells that of the only map. The rows of a map of arity 2 are the
 * edges of a graph of its points, those of a map of a set to itself its neighbours; elements
 * of other maps are joined when they share a point. */
mplan_status mplan_metis_write_graph(const mplan_mesh *mesh, const char *what, mplan_output *output,
                                     const mplan_context *context, mplan_error *err);
/* The rows of map `what`, or with NULL of cells_nodes or the only map. */
mplan_status mplan_metis_write_mesh(const mplan_mesh *mesh, const char *what, mplan_output *output,
                                    const mplan_context *context, mplan_error *err);

#endif
