/* SPDX-License-Identifier: Apache-2.0 */
/* name_table.h - numbers by names, found in the time that the name takes to read
 *
 * Names are borrowed: they must outlive the table. Zeroed is empty. */
#ifndef MPLAN_NAME_TABLE_H
#define MPLAN_NAME_TABLE_H

#include "base/memory.h"

typedef struct mplan_name_entry {
    const char *name; /* NULL: a free place */
    size_t length;
    uint64_t hash;
    int64_t value;
} mplan_name_entry;

typedef struct mplan_name_table {
    mplan_name_entry *places; /* 2^bits, half of them free at least */
    int32_t bits;
    int64_t n;
    bool any_case; /* set before the first name: ASCII letters are equal in both cases */
} mplan_name_table;

/* The hash of a name with one more character: of the empty name it is 0. */
uint64_t mplan_name_hash(const mplan_name_table *table, uint64_t hash, char c);
/* The value of the name; -1 without one. hash: of the whole name. */
int64_t mplan_name_find_hashed(const mplan_name_table *table, const char *name, size_t length,
                               uint64_t hash);
int64_t mplan_name_find(const mplan_name_table *table, const char *name, size_t length);
/* value >= 0; replaces that of an equal name. MPLAN_ERR_MEMORY. */
mplan_status mplan_name_put(mplan_name_table *table, const char *name, size_t length, int64_t value,
                            mplan_error *err);
void mplan_name_table_free(mplan_name_table *table);

#endif
