/* SPDX-License-Identifier: Apache-2.0 */
/* lexicographic.h - items by their lists of numbers */
#ifndef MPLAN_LEXICOGRAPHIC_H
#define MPLAN_LEXICOGRAPHIC_H

#include "meshplan.h"

/* n items, each with a list of at most max_length numbers in [0, n_values),
 * n_values < 2^32. `get` writes the list of an item and returns its length; several
 * threads call it. */
typedef struct mplan_lists {
    int64_t n, n_values, max_length;
    int64_t (*get)(const void *data, int64_t item, int32_t *list);
    const void *data;
    /* Asks for the memory that `get` will read of an item; may be NULL. */
    void (*fetch)(const void *data, int64_t item);
} mplan_lists;

/* new_of_old: the place of each item when their lists ascend, a list before
 * its continuations, ties in the order of sequence (n items, NULL: index).
 * Linear in all numbers but for items that share the first two, which are
 * compared. Scratch: 16 bytes an item. */
mplan_status mplan_order_lists(const mplan_lists *lists, const int32_t *sequence,
                               int32_t *new_of_old, const mplan_context *context, mplan_error *err);

#endif
