/* SPDX-License-Identifier: Apache-2.0 */
/* prism.h - formats that write prisms in either orientation */
#ifndef MPLAN_PRISM_H
#define MPLAN_PRISM_H

#include <stdint.h>

/* Reverses a prism of negative volume. xyz: three coordinates a node. */
void mplan_orient_prism(const double *xyz, int32_t node[6]);

#endif
