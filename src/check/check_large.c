/* SPDX-License-Identifier: Apache-2.0 */
/* check_large.c - whether an element by itself breaks the limits of a block
 *
 * The loop of such an element has no blocks in the plan where no variant runs any: sections 4 (BLOCK_SETS) and 7 of
 * formats/plan-format.md. Points are counted by sorting the entries of the element's rows. */
#include "check/check_request.h"

#include <stdlib.h>

#include "base/sort.h"

/* One loop, and room for the entries of its longest rows. */
typedef struct large_proof {
    const mplan_check *check;
    const mplan_check_loop *loop;
    int64_t max_points, shared_bytes;
    int32_t *entries;
} large_proof;

/* Distinct points that an element touches in a set. */
static int64_t points_of(const large_proof *proof, int64_t element, int32_t set)
{
    int64_t n = 0, distinct = 0;
    for (int32_t m = 0; m < proof->loop->n_maps; m++) {
        const mplan_map *map = &proof->check->maps[proof->loop->maps[m]];
        int32_t length;
        const int32_t *row = mplan_map_row(map, element, &length);
        for (int32_t k = 0; k < length && map->to == set; k++)
            if (row[k] >= 0)
                proof->entries[n++] = row[k];
    }
    qsort(proof->entries, (size_t)n, sizeof *proof->entries, mplan_compare_i32);
    for (int64_t i = 0; i < n; i++)
        distinct += i == 0 || proof->entries[i] != proof->entries[i - 1];
    return distinct;
}

/* Bytes are taken from what the limit leaves, so that no sum overflows. */
static bool is_large(const large_proof *proof, int64_t element)
{
    int64_t left = proof->shared_bytes;
    for (int32_t s = 0; s < proof->loop->n_sets; s++) {
        const int64_t points = points_of(proof, element, proof->loop->sets[s]);
        if (points > proof->max_points)
            return true;
        for (int32_t d = 0; d < proof->loop->n_dats; d++) {
            if (proof->loop->dats[d].set != proof->loop->sets[s])
                continue;
            const int64_t bytes = (points * proof->loop->dats[d].point_bytes + 15) / 16 * 16;
            if (bytes > left)
                return true;
            left -= bytes;
        }
    }
    return false;
}

/* Entries of an element in all maps of the loop are at most the sum of the longest rows. */
static int64_t most_entries(const mplan_check *check, const mplan_check_loop *loop)
{
    int64_t most = 0;
    for (int32_t m = 0; m < loop->n_maps; m++) {
        const mplan_map *map = &check->maps[loop->maps[m]];
        int64_t longest = map->arity;
        for (int64_t e = 0; e < map->n_rows && !map->arity; e++)
            if (map->offsets[e + 1] - map->offsets[e] > longest)
                longest = map->offsets[e + 1] - map->offsets[e];
        most += longest;
    }
    return most;
}

mplan_status mplan_check_large(const mplan_check *check, int32_t l, int64_t max_points,
                               int64_t shared_bytes, bool *large, mplan_error *err)
{
    const mplan_check_loop *loop = &check->loops[l];
    large_proof proof = {check, loop, max_points, shared_bytes,
                         mplan_alloc(most_entries(check, loop), sizeof *proof.entries, err)};
    const int64_t rows = check->plan->sets[check->plan->loops[l].set].storage_size;
    *large = false;
    for (int64_t e = 0; e < rows && proof.entries && !*large; e++)
        *large = is_large(&proof, e);
    const mplan_status status = proof.entries ? MPLAN_OK : MPLAN_ERR_MEMORY;
    free(proof.entries);
    return status;
}
