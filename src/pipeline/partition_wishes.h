/* SPDX-License-Identifier: Apache-2.0 */
/* partition_wishes.h - weights, shares and methods of a partition: checked, and brought to the graph */
#ifndef MPLAN_PARTITION_WISHES_H
#define MPLAN_PARTITION_WISHES_H

#include "mesh/adjacency.h"
#include "mesh/cut_child.h"
#include "meshplan.h"

/* Options that belong together, before anything is derived; the partitioner is not AUTO. */
mplan_status mplan_partition_check_wishes(const mplan_partition_options *options,
                                          mplan_partitioner partitioner, mplan_error *err);
/* Whether anything is asked for that needs a number of parts. */
bool mplan_partition_has_wishes(const mplan_partition_options *options);

/* Fills wishes, whose arrays are the options' or owned: release with mplan_partition_free_wishes. set: the name of what is cut.
 * rows: the map whose rows of two vertices are the edges that the weights of edges are of; NULL: there is none. */
mplan_status mplan_partition_make_wishes(const mplan_partition_options *options, const char *set,
                                         const mplan_csr *graph, const mplan_map *rows,
                                         mplan_cut_wishes *wishes, const mplan_context *context,
                                         mplan_error *err);
void mplan_partition_free_wishes(mplan_cut_wishes *wishes);

/* out->imbalance and weight_imbalance; part is there. */
mplan_status mplan_partition_measure_weights(const mplan_partition_options *options,
                                             mplan_partition *out, mplan_error *err);

#endif
