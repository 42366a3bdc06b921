/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_moved.c - members on their way between ranks, and those that came
 *
 * What is known of the members of a set travels one array after the other: numbers, owners, coordinates, layers, rows of each
 * map from the set. So one of them at a time is there twice, packed and as it came, and what came is the array that is kept: ranks have
 * ascending ranges of members and send them in ascending order, so that the messages of all ranks, one behind the other, are
 * in order. Members that come later are merged, one array after the other. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/exchange.h"
#include "mpi/mesh_parts.h"
#include "mpi/mpi_layers.h"
#include "mpi/mpi_move.h"

/* What came of members of a set. maps: by map of planning, of those from the set. */
typedef struct batch {
    mpi_moved_set set;
    mpi_moved_map *maps;
} batch;

/* By numbers of planning, not of the mesh: planning lists only the sets and maps that loops use. */
static const mpi_set *set_of(const mpi_move *move, int32_t s)
{
    return &move->mesh->sets[move->p->sets[s].mesh_set];
}

static const mpi_map *map_of(const mpi_move *move, int32_t m)
{
    return &move->mesh->maps[move->p->maps[m].mesh_map];
}

static void free_arrays(const mpi_move *move, int32_t s, mpi_moved_set *set, mpi_moved_map *maps)
{
    free(set->ids);
    free(set->owner);
    free(set->run);
    free(set->xyz);
    free(set->ranges);
    free(set->mask);
    *set = (mpi_moved_set){0};
    for (int32_t m = 0; maps && m < move->p->n_maps; m++) {
        if (move->p->maps[m].from != s)
            continue;
        free(maps[m].offsets);
        free(maps[m].values);
        maps[m] = (mpi_moved_map){0};
    }
}

void mpi_moved_free(mpi_move *move, int32_t s)
{
    assert(move && move->sets);
    free_arrays(move, s, &move->sets[s], move->maps);
}

/* Rows of one map after the other; they stay until the set is released or merged. */
const int64_t *mpi_moved_row(const mpi_move *move, int32_t s, int64_t i, int32_t m, int64_t *n)
{
    assert(move->p->maps[m].from == s);
    const mpi_moved_map *map = &move->maps[m];
    const int32_t arity = map_of(move, m)->arity;
    *n = !mpi_moved_came(move, s, i) ? 0 : arity ? arity : map->offsets[i + 1] - map->offsets[i];
    return map->values + (arity ? i * arity : map->offsets[i]);
}

/* --- arrays on their way ----------------------------------------------------------------------------------- */

/* Items of `size` bytes, those of the members of the parcel. own: by member of this rank. *out: what came, from mplan_alloc, *n
 * items; the caller's also after a failure. Collective. */
static mplan_status send_array(const mpi_move *move, mplan_status status, const mpi_parcel *parcel,
                               size_t size, const void *own, void *out, int64_t *n, mplan_error *err)
{
    mpi_items got = {0};
    char *packed = status ? NULL : mplan_alloc(parcel->n, size, err);
    if (!status && !packed)
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < parcel->n && !status; i++)
        memcpy(packed + i * (int64_t)size, (const char *)own + parcel->index[i] * (int64_t)size,
               size);
    status = mpi_exchange(move->mesh->comm, status, size, packed, parcel->counts, &got, err);
    free(packed);
    memcpy(out, &got.data, sizeof got.data); /* a pointer to any type */
    *n = got.n;
    got.data = NULL;
    mpi_items_free(&got);
    return status;
}

/* Numbers of the members. */
static mplan_status send_ids(const mpi_move *move, mplan_status status, const mpi_parcel *parcel,
                             batch *in, mplan_error *err)
{
    const int64_t first = set_of(move, parcel->set)->first[move->mesh->rank];
    mpi_items got = {0};
    int64_t *ids = status ? NULL : mplan_alloc(parcel->n, sizeof *ids, err);
    if (!status && !ids)
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < parcel->n && !status; i++)
        ids[i] = first + parcel->index[i];
    status = mpi_exchange(move->mesh->comm, status, sizeof *ids, ids, parcel->counts, &got, err);
    free(ids);
    in->set.ids = got.data;
    in->set.n = got.n;
    got.data = NULL;
    mpi_items_free(&got);
    return status;
}

/* Lengths of rows of this rank's members of a ragged map, in the order of the parcel, and how many entries go to each rank.
 * lengths: parcel->n; counts: by rank. */
static void count_entries(const mpi_move *move, const mpi_parcel *parcel, const mpi_map *map,
                          int64_t *lengths, int64_t *counts)
{
    int64_t i = 0;
    for (int32_t r = 0; r < move->mesh->ranks; r++) {
        counts[r] = 0;
        for (const int64_t end = i + parcel->counts[r]; i < end; i++) {
            mpi_map_row(map, parcel->index[i], &lengths[i]);
            counts[r] += lengths[i];
        }
    }
}

/* Rows of a ragged map: lengths, which become offsets where they come, then entries. */
static mplan_status send_ragged(const mpi_move *move, const mpi_parcel *parcel, const mpi_map *map,
                                mpi_moved_map *in, mplan_error *err)
{
    const MPI_Comm comm = move->mesh->comm;
    mpi_items got = {0}, entries = {0};
    int64_t *lengths = mplan_alloc(parcel->n, sizeof *lengths, err), *packed = NULL, at = 0;
    int64_t *counts = mplan_alloc(move->mesh->ranks, sizeof *counts, err);
    mplan_status status = lengths && counts ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status)
        count_entries(move, parcel, map, lengths, counts);
    status = mpi_exchange(comm, status, sizeof *lengths, lengths, parcel->counts, &got, err);
    for (int64_t i = 0; i < parcel->n && !status; i++)
        at += lengths[i];
    if (!status && (!(packed = mplan_alloc(at, sizeof *packed, err)) ||
                    !(in->offsets = mplan_alloc(got.n + 1, sizeof *in->offsets, err))))
        status = MPLAN_ERR_MEMORY;
    at = 0;
    for (int64_t i = 0; i < parcel->n && !status; i++) {
        const int64_t *row = mpi_map_row(map, parcel->index[i], &lengths[i]);
        memcpy(packed + at, row, (size_t)lengths[i] * sizeof *row);
        at += lengths[i];
    }
    status = mpi_exchange(comm, status, sizeof *packed, packed, counts, &entries, err);
    for (int64_t i = 0, sum = 0; i <= got.n && !status; i++) {
        in->offsets[i] = sum;
        sum += i < got.n ? ((const int64_t *)got.data)[i] : 0;
    }
    in->values = entries.data;
    entries.data = NULL;
    mpi_items_free(&entries);
    mpi_items_free(&got);
    free(lengths);
    free(counts);
    free(packed);
    return status;
}

/* --- merging ---------------------------------------------------------------------------------------------- */

/* Where each member of two lists that become one comes from: the place in the old one, or -1 - the place in the new one, which
 * goes before where both have the number. *n: how many there are. */
static int64_t *choose(const mpi_moved_set *old, const mpi_moved_set *new, int64_t *n,
                       mplan_error *err)
{
    int64_t *from = mplan_alloc(old->n + new->n, sizeof *from, err);
    *n = 0;
    for (int64_t i = 0, j = 0; from && (i < old->n || j < new->n);) {
        const bool take_new = i == old->n || (j < new->n &&new->ids[j] <= old->ids[i]);
        i += take_new && i < old->n && new->ids[j] == old->ids[i];
        from[(*n)++] = take_new ? -1 - j++ : i++;
    }
    return from;
}

/* *old becomes the array of both, items of `size` bytes; *new is released and NULL. NULL instead of *new: bytes of `fill`. */
static mplan_status merge_array(int64_t n, const int64_t *from, size_t size, int fill,
                                void *old_array, void *new_array, mplan_error *err)
{
    char *old, *new, *both = mplan_alloc(n, size, err);
    memcpy(&old, old_array, sizeof old);
    memcpy(&new, new_array, sizeof new);
    if (!both)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        char *to = both + i * (int64_t)size;
        if (from[i] >= 0)
            memcpy(to, old + from[i] * (int64_t)size, size);
        else if (new)
            memcpy(to, new + (-1 - from[i]) * (int64_t)size, size);
        else
            memset(to, fill, size);
    }
    free(old);
    free(new);
    new = NULL;
    memcpy(old_array, &both, sizeof both);
    memcpy(new_array, &new, sizeof new);
    return MPLAN_OK;
}

/* The same for rows of a ragged map. new->offsets NULL: empty rows. */
static mplan_status merge_ragged(int64_t n, const int64_t *from, mpi_moved_map *old,
                                 mpi_moved_map *new, mplan_error *err)
{
    mpi_moved_map both = {.offsets = mplan_alloc(n + 1, sizeof *both.offsets, err)};
    int64_t entries = 0;
    for (int64_t i = 0; i < n && both.offsets; i++) {
        const mpi_moved_map *of = from[i] >= 0 ? old : new;
        const int64_t at = from[i] >= 0 ? from[i] : -1 - from[i];
        both.offsets[i] = entries;
        entries += of->offsets ? of->offsets[at + 1] - of->offsets[at] : 0;
    }
    if (!both.offsets || !(both.values = mplan_alloc(entries, sizeof *both.values, err))) {
        free(both.offsets);
        return MPLAN_ERR_MEMORY;
    }
    both.offsets[n] = entries;
    for (int64_t i = 0; i < n; i++) {
        const mpi_moved_map *of = from[i] >= 0 ? old : new;
        const int64_t at = from[i] >= 0 ? from[i] : -1 - from[i];
        if (of->offsets)
            memcpy(both.values + both.offsets[i], of->values + of->offsets[at],
                   (size_t)(both.offsets[i + 1] - both.offsets[i]) * sizeof *both.values);
    }
    free(old->offsets);
    free(old->values);
    free(new->offsets);
    free(new->values);
    *old = both;
    *new = (mpi_moved_map){0};
    return MPLAN_OK;
}

/* Merges members into those that are there. in: arrays that are NULL are those of members that are there by number only; what
 * is left of it is the caller's to release. After a failure the set may have arrays of both lengths: it can be released only. */
static mplan_status merge(mpi_move *move, int32_t s, batch *in, mplan_error *err)
{
    mpi_moved_set *old = &move->sets[s];
    const int32_t dimension = set_of(move, s)->dimension;
    int64_t n;
    int64_t *from = choose(old, &in->set, &n, err);
    mplan_status status = from ? MPLAN_OK : MPLAN_ERR_MEMORY;
    const bool numbers = !in->set.owner;
    if (!status)
        status = merge_array(n, from, sizeof *old->ids, 0, &old->ids, &in->set.ids, err);
    if (!status)
        status = merge_array(n, from, sizeof *old->owner, 0, &old->owner, &in->set.owner, err);
    if (!status)
        status = merge_array(n, from, sizeof *old->run, 0, &old->run, &in->set.run, err);
    if (!status && dimension > 0)
        status = merge_array(n, from, (size_t)dimension * sizeof *old->xyz, 0, &old->xyz,
                             &in->set.xyz, err);
    if (!status && mpi_ranges_differ(move->p, s))
        status = merge_array(n, from, 2 * sizeof *old->ranges, 0, &old->ranges, &in->set.ranges, err);
    if (!status && mpi_is_masked(move->p, s))
        status = merge_array(n, from, mpi_mask_bytes(move->p, s), 0, &old->mask, &in->set.mask, err);
    for (int32_t m = 0; m < move->p->n_maps && !status; m++) {
        const int32_t arity = map_of(move, m)->arity;
        if (move->p->maps[m].from != s)
            continue;
        status = arity ? merge_array(n, from, (size_t)arity * sizeof(int64_t), -1,
                                     &move->maps[m].values, &in->maps[m].values, err)
                       : merge_ragged(n, from, &move->maps[m], &in->maps[m], err);
    }
    for (int64_t i = 0; i < n && !status && numbers; i++)
        if (from[i] < 0)
            old->owner[i] = move->owners->n_parts;
    old->n = status ? 0 : n;
    free(from);
    return status;
}

/* The first that come are all that there is. */
static mplan_status take(mpi_move *move, int32_t s, batch *in, mplan_error *err)
{
    if (move->sets[s].n > 0)
        return in->set.n > 0 ? merge(move, s, in, err) : MPLAN_OK;
    mpi_moved_free(move, s);
    move->sets[s] = in->set;
    in->set = (mpi_moved_set){0};
    for (int32_t m = 0; m < move->p->n_maps; m++)
        if (move->p->maps[m].from == s) {
            move->maps[m] = in->maps[m];
            in->maps[m] = (mpi_moved_map){0};
        }
    return MPLAN_OK;
}

/* --- members ------------------------------------------------------------------------------------------------- */

/* Arrays of the members, one after the other. Every rank has the same sets and maps, and sends the same arrays. */
mplan_status mpi_moved_send(mpi_move *move, mplan_status status, const mpi_parcel *parcel, bool run,
                            mplan_error *err)
{
    assert(move && parcel);
    const int32_t s = parcel->set, n_maps = move->p->n_maps;
    const mpi_set *set = set_of(move, s);
    int64_t n;
    batch in = {.maps = mplan_alloc_zero(n_maps, sizeof *in.maps, err)};
    if (!in.maps && !status)
        status = MPLAN_ERR_MEMORY;
    status = send_ids(move, status, parcel, &in, err);
    if (!status)
        status = send_array(move, MPLAN_OK, parcel, sizeof *in.set.owner, move->owners->owner[s],
                            &in.set.owner, &n, err);
    if (!status && set->dimension > 0)
        status = send_array(move, MPLAN_OK, parcel, (size_t)set->dimension * sizeof *in.set.xyz,
                            set->coordinates, &in.set.xyz, &n, err);
    if (!status && mpi_ranges_differ(move->p, s))
        status = send_array(move, MPLAN_OK, parcel, 2 * sizeof *set->ranges, set->ranges,
                            &in.set.ranges, &n, err);
    if (!status && mpi_is_masked(move->p, s))
        status = send_array(move, MPLAN_OK, parcel, mpi_mask_bytes(move->p, s), set->mask,
                            &in.set.mask, &n, err);
    for (int32_t m = 0; m < n_maps && !status; m++) {
        const mpi_map *map = map_of(move, m);
        if (move->p->maps[m].from != s)
            continue;
        status = map->arity
                     ? send_array(move, MPLAN_OK, parcel, (size_t)map->arity * sizeof *map->values,
                                  map->values, &in.maps[m].values, &n, err)
                     : send_ragged(move, parcel, map, &in.maps[m], err);
    }
    if (!status && !(in.set.run = mplan_alloc(in.set.n, sizeof *in.set.run, err)))
        status = MPLAN_ERR_MEMORY;
    if (!status) {
        memset(in.set.run, run, (size_t)in.set.n);
        status = take(move, s, &in, err);
    }
    free_arrays(move, s, &in.set, in.maps);
    free(in.maps);
    return mpi_agree(move->mesh->comm, status, err);
}

mplan_status mpi_moved_add(mpi_move *move, int32_t s, int64_t n, const int64_t *ids, mplan_error *err)
{
    assert(move && (ids || n == 0));
    batch in = {.set = {.n = n, .ids = mplan_copy(ids, n, sizeof *ids, err)},
                .maps = mplan_alloc_zero(move->p->n_maps, sizeof *in.maps, err)};
    mplan_status status = in.set.ids && in.maps ? merge(move, s, &in, err) : MPLAN_ERR_MEMORY;
    free_arrays(move, s, &in.set, in.maps);
    free(in.maps);
    return status;
}
