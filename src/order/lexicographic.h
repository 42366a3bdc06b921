/* SPDX-License-Identifier: Apache-2.0 */
/* lexicographic.h - items by their lists of numbers */
#ifndef MPLAN_LEXICOGRAPHIC_H
#define MPLAN_LEXICOGRAPHIC_H

#include "meshplan.h"

/* n items, each with a list of at most max_length numbers in [0, n_values),
 * n_values < 2^32. `get` writes the list of an item and returns its length. */
typedef struct mplan_lists {
    int64_t n, n_values, max_length;
    int64_t (*get)(const void *data, int64_t item, int32_t *list);
    const void *data;
} mplan_lists;

/* new_of_old: the place of each item when their lists ascend, a list before
 * its continuations, ties in the order of sequence (n items, NULL: index).
 * Linear in all numbers but for items that share the first two, which are
 * compared. Scratch: 8 bytes an item, 4 bytes a value. */
mplan_status mplan_order_lists(const mplan_lists *lists, const int32_t *sequence,
                               int32_t *new_of_old, mplan_error *err);

#endif
