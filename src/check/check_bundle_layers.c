/* SPDX-License-Identifier: Apache-2.0 */
/* check_bundle_layers.c - columns of the members that several parts have are equally high in all of them
 *
 * A part says the layers of what it owns and of its halos. All parts together say those of the whole mesh, whose hash is in
 * the request; one part by itself cannot prove that hash. Memory: 8 bytes for each member of a set whose columns differ. */
#include "check/check_halo.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

void mplan_check_columns_open(bool listed, mplan_check_columns *columns)
{
    assert(columns);
    *columns = (mplan_check_columns){.listed = listed,
                                     .ids = MPLAN_VECTOR_INIT(sizeof(int64_t)),
                                     .list = MPLAN_VECTOR_INIT(sizeof(int32_t)),
                                     .words = MPLAN_VECTOR_INIT(sizeof(int32_t))};
}

/* Also of zeros. */
void mplan_check_columns_close(mplan_check_columns *columns)
{
    assert(columns);
    free(columns->ranges);
    free(columns->mask);
    free(columns->masked);
    free(columns->ids.data);
    free(columns->list.data);
    free(columns->words.data);
}

/* Room for the ranges of all members of the whole mesh, each unknown. */
static mplan_status make_room(mplan_check_columns *columns, int64_t total, mplan_error *err)
{
    columns->ranges = mplan_alloc(2 * total, sizeof *columns->ranges, err);
    for (int64_t i = 0; columns->ranges && i < 2 * total; i++)
        columns->ranges[i] = -1;
    return columns->ranges ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* The stored index of the member at a place of the part order. */
static int64_t stored_at(const mplan_check *check, int32_t set, int64_t place)
{
    return check->part_place ? check->part_place[set][place] : place;
}

static mplan_status note_ranges(const mplan_check *check, const mplan_check_halo *halo, int32_t set,
                                mplan_check_columns *columns, mplan_error *err)
{
    const int32_t *ranges = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_LAYER_RANGES, set));
    mplan_status status = columns->ranges ? MPLAN_OK : make_room(columns, halo->part->total, err);
    for (int64_t m = 0; m < halo->size && !status; m++) {
        const int64_t id = mplan_check_global(halo, m);
        const int32_t *own = ranges + 2 * stored_at(check, set, m);
        int32_t *known = columns->ranges + 2 * id;
        if (known[0] < 0)
            memcpy(known, own, 2 * sizeof *known);
        else if (memcmp(known, own, 2 * sizeof *known) != 0)
            status = MPLAN_DISPROVED(err,
                                     "set %s: member %" PRId64
                                     " of the mesh has layers %d to %d, but a part before it "
                                     "has %d to %d",
                                     halo->name, id, (int)own[0], (int)own[1] - 1, (int)known[0],
                                     (int)known[1] - 1);
    }
    return status;
}

static mplan_status note_mask(const mplan_check *check, const mplan_check_halo *halo, int32_t set,
                              int32_t words, mplan_check_columns *columns, mplan_error *err)
{
    const int32_t *mask = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_LAYER_MASK, set));
    const int64_t total = halo->part->total;
    if (!columns->mask)
        columns->mask = mplan_alloc_zero(total * words, sizeof *columns->mask, err);
    if (!columns->masked)
        columns->masked = mplan_alloc_zero(total, sizeof *columns->masked, err);
    if (!columns->mask || !columns->masked)
        return MPLAN_ERR_MEMORY;
    for (int64_t m = 0; m < halo->size; m++) {
        const int64_t id = mplan_check_global(halo, m);
        const int32_t *own = mask + stored_at(check, set, m) * words;
        int32_t *known = columns->mask + id * words;
        const size_t bytes = (size_t)words * sizeof *known;
        if (!columns->masked[id])
            memcpy(known, own, bytes);
        else if (memcmp(known, own, bytes) != 0)
            return MPLAN_DISPROVED(err,
                                   "set %s: member %" PRId64
                                   " of the mesh has another mask than in a part before it",
                                   halo->name, id);
        columns->masked[id] = 1;
    }
    return MPLAN_OK;
}

/* Adds the `cols` numbers of each member that the part has to a list, by places. */
static mplan_status list_numbers(const mplan_check *check, int32_t set, int64_t n, int64_t cols,
                                 const int32_t *numbers, mplan_vector *list, mplan_error *err)
{
    int32_t *to = mplan_vector_reserve(list, n * cols, err);
    if (!to)
        return MPLAN_ERR_MEMORY;
    for (int64_t m = 0; m < n; m++)
        memcpy(to + m * cols, numbers + stored_at(check, set, m) * cols, (size_t)cols * sizeof *to);
    list->count += n * cols;
    return MPLAN_OK;
}

/* Of all members that the part has, by places. */
static mplan_status list_members(const mplan_check *check, const mplan_check_halo *halo,
                                 int32_t set, mplan_check_columns *columns, mplan_error *err)
{
    const int64_t words = (columns->layers + 31) / 32;
    int64_t *ids = mplan_vector_reserve(&columns->ids, halo->size, err);
    mplan_status status = ids ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t m = 0; m < halo->size && !status; m++)
        ids[m] = mplan_check_global(halo, m);
    columns->ids.count += status ? 0 : halo->size;
    if (!status && columns->has_ranges)
        status = list_numbers(check, set, halo->size, 2,
                              mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_LAYER_RANGES, set)),
                              &columns->list, err);
    if (!status && columns->has_mask)
        status = list_numbers(check, set, halo->size, words,
                              mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_LAYER_MASK, set)),
                              &columns->words, err);
    return status;
}

/* The part is proved by itself, so ranges are in their bounds and ids below the total. */
mplan_status mplan_check_columns_note(const mplan_check *check, const mplan_check_halo *halo,
                                      int32_t set, mplan_check_columns *columns, mplan_error *err)
{
    const mplan_plan_set *record = mplan_check_set(check, set);
    if ((columns->has_ranges && !record->layers_ranged) ||
        (columns->has_mask && !record->layers_masked) ||
        (columns->layers && columns->layers != record->layers))
        return MPLAN_DISPROVED(err, "set %s: a part before it has ranges, a mask or other layers",
                               halo->name);
    if (!record->layers_ranged && !record->layers_masked)
        return MPLAN_OK;
    if (columns->listed && columns->layers &&
        (columns->has_ranges != record->layers_ranged || columns->has_mask != record->layers_masked))
        return MPLAN_DISPROVED(err, "set %s: a part before it has no ranges, or no mask", halo->name);
    columns->layers = record->layers;
    columns->has_ranges = record->layers_ranged;
    columns->has_mask = record->layers_masked;
    if (columns->listed)
        return list_members(check, halo, set, columns, err);
    mplan_status status = record->layers_ranged ? note_ranges(check, halo, set, columns, err)
                                                : MPLAN_OK;
    if (!status && record->layers_masked)
        status = note_mask(check, halo, set, (record->layers + 31) / 32, columns, err);
    return status;
}

mplan_status mplan_check_columns_line(const mplan_bundle_set *set, int32_t layers,
                                      const uint64_t *ranges, const uint64_t *mask,
                                      const char *request, mplan_error *err)
{
    assert(set && request);
    const size_t size = strlen(set->name) + 120;
    char *line = mplan_alloc((int64_t)size, 1, err);
    if (!line)
        return MPLAN_ERR_MEMORY;
    int used = snprintf(line, size, "\nlayers %d ", (int)layers);
    if (ranges)
        used += snprintf(line + used, size - (size_t)used, "ranges %016" PRIx64 " ", *ranges);
    if (mask)
        used += snprintf(line + used, size - (size_t)used, "mask %016" PRIx64 " ", *mask);
    snprintf(line + used, size - (size_t)used, "%s\n", set->name);
    mplan_status status = strstr(request, line)
                              ? MPLAN_OK
                              : MPLAN_DISPROVED(err,
                                                "set %s: all parts together have '%.*s', which is not "
                                                "that of the request",
                                                set->name, (int)(strlen(line) - 2), line + 1);
    free(line);
    return status;
}

/* Parts without members of the set say nothing; without any there is nothing to be proved. */
mplan_status mplan_check_columns_end(const mplan_bundle_set *set, const mplan_check_columns *columns,
                                     const char *request, mplan_error *err)
{
    uint64_t ranges = 0, mask = 0;
    if (!columns->ranges && !columns->mask)
        return MPLAN_OK;
    const size_t n = (size_t)set->total, words = (size_t)((columns->layers + 31) / 32);
    if (columns->ranges)
        ranges = mplan_hash(columns->ranges, 2 * n * sizeof *columns->ranges);
    if (columns->mask)
        mask = mplan_hash(columns->mask, n * words * sizeof *columns->mask);
    return mplan_check_columns_line(set, columns->layers, columns->ranges ? &ranges : NULL,
                                    columns->mask ? &mask : NULL, request, err);
}
