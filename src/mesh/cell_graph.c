/* SPDX-License-Identifier: Apache-2.0 */
/* cell_graph.c - the graph of cells that share a facet, without deriving the facets */
#include <stdlib.h>

#include "mesh/derive.h"

/* Two cells are neighbours when they share a face. Uses the matches of faces, one slot
 * per local face: `stride` slots a cell, -1 where no cell is on the other side. */
mplan_status mplan_graph_of_cells(const mplan_mesh *mesh, const mplan_context *context,
                                  mplan_csr *graph, mplan_error *err)
{
    mplan_cell_table cells;
    mplan_face_match match = {0};
    mplan_status status = mplan_cell_table_of(mesh, &cells, err);
    if (!status)
        status = mplan_match_faces(&cells, context, &match, err);
    if (status)
        return status;
    int64_t n = cells.nodes.n_rows, entries = n * cells.stride;
    for (int64_t i = 0; i < entries; i++)
        match.mate[i] = match.mate[i] < 0 ? -1 : match.mate[i];
    int64_t none = 0; /* offsets of a mesh without cells: a map of arity 0 is ragged */
    mplan_map map = {"cells_cells", 0, 0, cells.stride, n, n, cells.stride ? NULL : &none,
                     match.mate};
    status = mplan_graph_of_map(&map, 1, graph, context, err);
    free(match.mate);
    return status;
}
