/* SPDX-License-Identifier: Apache-2.0 */
/* support_order.h - what the tests of orders share */
#ifndef MPLAN_SUPPORT_ORDER_H
#define MPLAN_SUPPORT_ORDER_H

#include "mesh/adjacency.h"
#include "support_test.h"

/* Of 0 ... n - 1, to be released with free(). */
int32_t *support_permutation(uint64_t *seed, int64_t n);
void support_check_permutation(int64_t n, const int32_t *place);

bool support_joined(const mplan_csr *graph, int64_t v, int64_t w);
int64_t support_bandwidth(const mplan_csr *graph, const int32_t *place);

#endif
