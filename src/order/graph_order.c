/* SPDX-License-Identifier: Apache-2.0 */
/* graph_order.c - the methods of renumbering that work on a graph, by name */
#include <assert.h>

#include "order/order.h"

/* new_of_old[v] becomes the new number of vertex v, one of graph->n. Every method gives a
 * permutation, also of graphs with several components, and the same one for every number of
 * threads. */
mplan_status mplan_order_graph(mplan_renumber method, const mplan_csr *graph, int32_t *new_of_old,
                               const mplan_context *context, mplan_error *err)
{
    assert(graph && new_of_old);
    switch (method) {
    case MPLAN_RENUMBER_RCM: return mplan_order_rcm(graph, new_of_old, context, err);
    case MPLAN_RENUMBER_GPS: return mplan_order_gps(graph, new_of_old, context, err);
    case MPLAN_RENUMBER_AGGLOMERATE:
        return mplan_order_agglomerate(graph, new_of_old, context, err);
    case MPLAN_RENUMBER_SLOAN: return mplan_order_sloan(graph, new_of_old, context, err);
    default:
        assert(method == MPLAN_RENUMBER_SCOTCH_GPS);
        return mplan_order_scotch_gps(graph, new_of_old, context, err);
    }
}
