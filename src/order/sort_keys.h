/* sort_keys.h - short lists of 64-bit keys: neighbours by degree, then index */
#ifndef MPLAN_SORT_KEYS_H
#define MPLAN_SORT_KEYS_H

#include <stdint.h>

/* Ascending. By insertion up to some dozens, as most vertices have them. */
void mplan_sort_keys(int64_t n, uint64_t *keys);

#endif
