/* SPDX-License-Identifier: Apache-2.0 */
/* gmsh_index.c - from tags to numbers in file order
 *
 * Tags need not be dense; memory follows their number, never the largest one. */
#include "formats/gmsh/gmsh_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    SPREAD = 4, /* a plain table may have so many entries per tag */
    SMALL_TABLE = 1024
};

/* Then a number minus the first is the index, and no table is needed. */
static bool ascends_by_one(int64_t n, const int64_t *tags)
{
    uint64_t expected = n ? (uint64_t)tags[0] : 0;
    for (int64_t i = 0; i < n; i++)
        if ((uint64_t)tags[i] != expected++)
            return false;
    return true;
}

/* For dense numbers: one entry for each number between the least and the
 * largest. *duplicate: the first index whose number was there already, -1 if
 * none. */
static mplan_status build_table(gmsh_index *index, int64_t n, const int64_t *tags,
                                int64_t *duplicate, mplan_error *err)
{
    index->table = mplan_alloc(index->n, sizeof *index->table, err);
    if (!index->table)
        return MPLAN_ERR_MEMORY;
    memset(index->table, 0xff, (size_t)index->n * sizeof *index->table);
    for (int64_t i = n; i-- > 0;) { /* backwards, so that the first of equal tags stays */
        int32_t *entry = &index->table[tags[i] - index->first];
        if (*entry >= 0 && (*duplicate < 0 || *entry < *duplicate))
            *duplicate = *entry;
        *entry = (int32_t)i;
    }
    return MPLAN_OK;
}

/* For sparse numbers: open addressing with at least twice as many slots as
 * numbers. */
static mplan_status build_hash(gmsh_index *index, int64_t n, const int64_t *tags,
                               int64_t *duplicate, mplan_error *err)
{
    int64_t slots = 16;
    while (slots < 2 * n)
        slots *= 2;
    index->mask = (uint64_t)slots - 1;
    index->hash_numbers = mplan_alloc(slots, sizeof *index->hash_numbers, err);
    index->hash_tags = index->hash_numbers ? mplan_alloc(slots, sizeof *index->hash_tags, err) : NULL;
    if (!index->hash_tags)
        return MPLAN_ERR_MEMORY;
    memset(index->hash_numbers, 0xff, (size_t)slots * sizeof *index->hash_numbers);
    for (int64_t i = 0; i < n; i++) {
        uint64_t slot = gmsh_hash_slot(index, tags[i]);
        while (index->hash_numbers[slot] >= 0 && index->hash_tags[slot] != tags[i])
            slot = (slot + 1) & index->mask;
        if (index->hash_numbers[slot] < 0) {
            index->hash_tags[slot] = tags[i];
            index->hash_numbers[slot] = (int32_t)i;
        } else if (*duplicate < 0) {
            *duplicate = i;
        }
    }
    return MPLAN_OK;
}

/* tags: n numbers of nodes or elements; the index gives back places in that
 * list. The smallest structure that fits is taken. */
mplan_status mplan_gmsh_index_build(gmsh_index *index, int64_t n, const int64_t *tags,
                                    int64_t *duplicate, mplan_error *err)
{
    memset(index, 0, sizeof *index);
    *duplicate = -1;
    index->n = n;
    if (n == 0)
        return MPLAN_OK;
    index->first = tags[0];
    if (ascends_by_one(n, tags))
        return MPLAN_OK;
    int64_t last = tags[0];
    for (int64_t i = 0; i < n; i++) {
        index->first = tags[i] < index->first ? tags[i] : index->first;
        last = tags[i] > last ? tags[i] : last;
    }
    uint64_t span = (uint64_t)last - (uint64_t)index->first;
    if (span >= SMALL_TABLE && span / SPREAD >= (uint64_t)n)
        return build_hash(index, n, tags, duplicate, err);
    index->n = (int64_t)span + 1;
    return build_table(index, n, tags, duplicate, err);
}

/* The index is empty afterwards. */
void mplan_gmsh_index_free(gmsh_index *index)
{
    free(index->table);
    free(index->hash_tags);
    free(index->hash_numbers);
    memset(index, 0, sizeof *index);
}
