/* SPDX-License-Identifier: Apache-2.0 */
/* name_table.c - numbers by names: open addressing, grown by doubling */
#include "base/name_table.h"

#include <stdlib.h>
#include <string.h>

static char folded(const mplan_name_table *table, char c)
{
    return table->any_case && c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}

/* Grows character by character, so that the hashes of all beginnings of a name cost no more than its own. */
uint64_t mplan_name_hash(const mplan_name_table *table, uint64_t hash, char c)
{
    return (hash ^ (uint64_t)(unsigned char)folded(table, c)) * UINT64_C(0x9e3779b97f4a7c15) +
           (hash >> 29);
}

/* Character by character, so that a reader that takes a name apart can go on hashing
 * (mplan_name_hash). */
static uint64_t hash_of(const mplan_name_table *table, const char *name, size_t length)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < length; i++)
        hash = mplan_name_hash(table, hash, name[i]);
    return hash;
}

/* Hashes are compared first: texts are compared about once for each name that is found. */
static bool is_entry(const mplan_name_table *table, const mplan_name_entry *entry, const char *name,
                     size_t length, uint64_t hash)
{
    if (entry->hash != hash || entry->length != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (folded(table, entry->name[i]) != folded(table, name[i]))
            return false;
    return true;
}

/* The place of the name, or the free one where it belongs; the table has places. */
static mplan_name_entry *place_of(const mplan_name_table *table, const char *name, size_t length,
                                  uint64_t hash)
{
    const uint64_t mask = (UINT64_C(1) << table->bits) - 1;
    uint64_t at = (hash ^ hash >> 32) & mask;
    while (table->places[at].name && !is_entry(table, &table->places[at], name, length, hash))
        at = (at + 1) & mask;
    return &table->places[at];
}

/* -1: the name is not in the table. */
int64_t mplan_name_find_hashed(const mplan_name_table *table, const char *name, size_t length,
                               uint64_t hash)
{
    if (!table->places)
        return -1;
    const mplan_name_entry *entry = place_of(table, name, length, hash);
    return entry->name ? entry->value : -1;
}

int64_t mplan_name_find(const mplan_name_table *table, const char *name, size_t length)
{
    return mplan_name_find_hashed(table, name, length, hash_of(table, name, length));
}

/* Twice the places; entries move to where they belong then. */
static mplan_status grow(mplan_name_table *table, mplan_error *err)
{
    mplan_name_table larger = *table;
    larger.bits = table->places ? table->bits + 1 : 4;
    larger.places = mplan_alloc_zero(INT64_C(1) << larger.bits, sizeof *larger.places, err);
    if (!larger.places)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; table->places && i < INT64_C(1) << table->bits; i++) {
        const mplan_name_entry *from = &table->places[i];
        if (from->name)
            *place_of(&larger, from->name, from->length, from->hash) = *from;
    }
    free(table->places);
    *table = larger;
    return MPLAN_OK;
}

/* At most half of the places are taken. The name itself is not copied: it must live as long as
 * the table. An earlier value of the name is replaced. */
mplan_status mplan_name_put(mplan_name_table *table, const char *name, size_t length, int64_t value,
                            mplan_error *err)
{
    const uint64_t hash = hash_of(table, name, length);
    if ((!table->places || 2 * (table->n + 1) > INT64_C(1) << table->bits) && grow(table, err))
        return MPLAN_ERR_MEMORY;
    mplan_name_entry *entry = place_of(table, name, length, hash);
    table->n += entry->name == NULL;
    *entry = (mplan_name_entry){name, length, hash, value};
    return MPLAN_OK;
}

/* It is empty afterwards. */
void mplan_name_table_free(mplan_name_table *table)
{
    free(table->places);
    *table = (mplan_name_table){.any_case = table->any_case};
}
