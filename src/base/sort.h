/* SPDX-License-Identifier: Apache-2.0 */
/* sort.h - numbers into ascending order; radix.h sorts long lists of keys, buckets.h by small numbers */
#ifndef MPLAN_SORT_H
#define MPLAN_SORT_H

#include <stdint.h>

/* For qsort and bsearch: < 0, 0, > 0. */
int mplan_compare_i32(const void *a, const void *b);
int mplan_compare_u64(const void *a, const void *b);

/* Ascending. What is in order stays, a few dozen numbers are inserted, others go to qsort. */
void mplan_sort_i32(int32_t *list, int64_t n);
void mplan_sort_u64(uint64_t *list, int64_t n);

/* Ascending, and each number once; returns how many are left at the begin of the list. */
int64_t mplan_distinct_i32(int32_t *list, int64_t n);

#endif
