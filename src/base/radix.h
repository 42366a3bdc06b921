/* SPDX-License-Identifier: Apache-2.0 */
/* radix.h - sorting 64-bit keys by counting their digits */
#ifndef MPLAN_RADIX_H
#define MPLAN_RADIX_H

#include "base/threads.h"

/* Sorts keys stably; items[i] travels with keys[i]. The spare arrays are scratch of
 * the same length. The result is in keys and items. team: may be NULL. */
void mplan_radix_sort_items(mplan_team *team, int64_t n, uint64_t *keys, int32_t *items,
                            uint64_t *spare_keys, int32_t *spare_items);

/* Sorts keys stably by their upper 32 bits (all below 2^bits) only. */
void mplan_radix_sort_upper(int64_t n, int32_t bits, uint64_t *keys, uint64_t *spare);

#endif
