/* SPDX-License-Identifier: Apache-2.0 */
/* fingerprint.c - what tells one mesh from another, whatever file it came from
 *
 * Section 6 of formats/plan-format.md defines the streams. */
#include "meshplan.h"

#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "mesh/mesh.h"

/* Position of a set in the list; -1 when it is not there. */
static int64_t position_of(int32_t n_sets, const int32_t *sets, int32_t set)
{
    for (int32_t i = 0; i < n_sets; i++)
        if (sets[i] == set)
            return i;
    return -1;
}

/* Ends the stream, also one that could not begin (NULL). */
static mplan_status finish(mplan_fingerprint *stream, uint64_t *print, mplan_error *err)
{
    if (!mplan_fingerprint_end(stream, print))
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory (fingerprint of a mesh)");
    return MPLAN_OK;
}

/* n words of 8 bytes, int64 or double, as little-endian bytes */
static void add_words(mplan_fingerprint *stream, const void *words, int64_t n)
{
    const uint16_t probe = 1;
    unsigned char low;
    memcpy(&low, &probe, 1);
    if (low == 1) {
        mplan_fingerprint_bytes(stream, words, (size_t)n * 8);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t bits;
        memcpy(&bits, (const char *)words + i * 8, sizeof bits);
        mplan_fingerprint_i64(stream, bits);
    }
}

/* from and to are positions in the list of sets that are fingerprinted, so that the
 * value does not depend on other sets of the mesh. */
static void add_map(mplan_fingerprint *stream, const mplan_map *map, int64_t from, int64_t to)
{
    mplan_fingerprint_i64(stream, from);
    mplan_fingerprint_i64(stream, to);
    mplan_fingerprint_i64(stream, map->arity);
    if (map->offsets)
        add_words(stream, map->offsets, map->n_rows + 1);
    mplan_fingerprint_i32s(stream, map->values, mplan_map_entries(map));
}

/* What is hashed, in this order, is part of the plan format (formats/plan-format.md, section 6):
 * sizes of the sets, then each map with its sets by their place in the list. Reads every entry
 * once. */
mplan_status mplan_mesh_fingerprint_topology(const mplan_mesh *mesh, int32_t n_sets,
                                             const int32_t *sets, int32_t n_maps,
                                             const int32_t *maps, uint64_t *print,
                                             struct mplan_team *team, mplan_error *err)
{
    for (int32_t i = 0; i < n_maps; i++) {
        mplan_map map = mplan_mesh_map(mesh, maps[i]);
        if (position_of(n_sets, sets, map.from) < 0 || position_of(n_sets, sets, map.to) < 0)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "fingerprint: a set of map %s is not listed",
                              map.name);
    }
    mplan_fingerprint *stream = mplan_fingerprint_begin();
    if (!stream)
        return finish(stream, print, err);
    mplan_fingerprint_share(stream, team);
    mplan_fingerprint_i64(stream, n_sets);
    for (int32_t i = 0; i < n_sets; i++)
        mplan_fingerprint_i64(stream, mplan_mesh_set(mesh, sets[i]).size);
    mplan_fingerprint_i64(stream, n_maps);
    for (int32_t i = 0; i < n_maps; i++) {
        mplan_map map = mplan_mesh_map(mesh, maps[i]);
        add_map(stream, &map, position_of(n_sets, sets, map.from), position_of(n_sets, sets, map.to));
    }
    return finish(stream, print, err);
}

/* Sets without coordinates are left out; bits count, so that -0 and 0 differ. */
mplan_status mplan_mesh_fingerprint_coordinates(const mplan_mesh *mesh, int32_t n_sets,
                                                const int32_t *sets, uint64_t *print,
                                                struct mplan_team *team, mplan_error *err)
{
    mplan_fingerprint *stream = mplan_fingerprint_begin();
    if (!stream)
        return finish(stream, print, err);
    mplan_fingerprint_share(stream, team);
    for (int32_t i = 0; i < n_sets; i++) {
        int32_t dimension;
        const double *coordinates = mplan_mesh_coordinates(mesh, sets[i], &dimension);
        if (!coordinates)
            continue;
        mplan_fingerprint_i64(stream, i);
        mplan_fingerprint_i64(stream, dimension);
        add_words(stream, coordinates, mplan_mesh_set(mesh, sets[i]).size * dimension);
    }
    return finish(stream, print, err);
}
