/* SPDX-License-Identifier: Apache-2.0 */
/* part_mesh.c - the mesh of one part: what it owns and its halo, numbered as the whole mesh numbers them
 *
 * Rows of owned and executed elements are those of the whole mesh. Where a row of the read halo names a point that the part
 * has not got, it names members of the halo in turn, so that none of them gets many; with slabs another one of its points, where one will do. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "mesh/mesh.h"
#include "mesh/mesh_checks.h"
#include "parts/parts.h"
#include "pipeline/centroids.h"

mplan_status mplan_part_mesh_share(const mplan_part_mesh *with, mplan_part_mesh *out, mplan_error *err)
{
    assert(with && out);
    const planning *p = &with->parts->whole.p;
    *out = (mplan_part_mesh){.parts = with->parts, .local = with->local, .shared = true};
    out->owned = mplan_alloc(p->n_sets, sizeof *out->owned, err);
    out->group = mplan_alloc_zero(p->n_sets, sizeof *out->group, err);
    out->member = mplan_alloc_zero(p->n_sets, sizeof *out->member, err);
    return out->owned && out->group && out->member ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

mplan_status mplan_part_mesh_open(const mplan_parts *parts, mplan_part_mesh *out, mplan_error *err)
{
    assert(parts && out);
    const planning *p = &parts->whole.p;
    const mplan_part_mesh nothing = {.parts = parts};
    mplan_status status = mplan_part_mesh_share(&nothing, out, err);
    out->shared = false;
    out->local = status ? NULL : mplan_alloc_zero(p->n_sets, sizeof *out->local, err);
    status = out->local ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t s = 0; s < p->n_sets && !status; s++) {
        const int64_t n = mplan_parts_here(parts, s);
        out->local[s] = mplan_alloc(n, sizeof **out->local, err);
        status = out->local[s] ? MPLAN_OK : MPLAN_ERR_MEMORY;
        for (int64_t m = 0; m < n && !status; m++)
            out->local[s][m] = -1;
    }
    return status;
}

/* Takes the part's marks from `local`, also those of sets that were added before a failure. */
static void unmark(const mplan_part_mesh *out)
{
    for (int32_t s = 0; s < out->parts->whole.p.n_sets; s++) {
        const int32_t *member = out->mesh && s < mplan_mesh_n_sets(out->mesh) ? out->member[s] : NULL;
        for (int64_t i = 0; member && i < mplan_mesh_set(out->mesh, s).size; i++)
            out->local[s][member[i]] = -1;
    }
}

/* Releases the part that was made last. Does nothing without a part. */
static void release(mplan_part_mesh *out)
{
    for (int32_t s = 0; s < out->parts->whole.p.n_sets; s++) {
        free(out->group[s]);
        free(out->member[s]);
        out->group[s] = out->member[s] = NULL;
    }
    mplan_mesh_free(out->mesh);
    out->mesh = NULL;
}

int32_t mplan_part_mesh_local(const mplan_part_mesh *of, int32_t set, int32_t member)
{
    assert(of && of->mesh && of->member[set]);
    const int32_t *all = of->member[set];
    int64_t low = 0, high = mplan_mesh_set(of->mesh, set).size;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (all[middle] < member)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low < mplan_mesh_set(of->mesh, set).size && all[low] == member);
    return (int32_t)low;
}

void mplan_part_mesh_close(mplan_part_mesh *out)
{
    assert(out);
    if (out->group && out->member)
        release(out);
    for (int32_t s = 0; out->local && !out->shared && s < out->parts->whole.p.n_sets; s++)
        free(out->local[s]);
    if (!out->shared)
        free(out->local);
    free(out->group);
    free(out->member);
    free(out->owned);
}

/* --- sets ----------------------------------------------------------------------------- */

/* Numbers of all members in the mesh of `parts`, ascending: n_own + halo->n of them, the caller's;
 * NULL: out of memory. A merge of two lists that have no number in common: what the part owns,
 * and a sorted copy of its halo. */
static int32_t *list_members(const mplan_parts *parts, int32_t part, int32_t set, mplan_error *err)
{
    const mplan_halo *halo = mplan_parts_halo(parts, part, set);
    const int32_t *own = mplan_parts_members(parts, part, set);
    const int64_t n_own = mplan_parts_owned(parts, part, set);
    int32_t *members = mplan_alloc(n_own + halo->n, sizeof *members, err);
    int32_t *others = mplan_copy(halo->member, halo->n, sizeof *others, err);
    if (members && others) {
        mplan_sort_i32(others, halo->n);
        for (int64_t i = 0, j = 0; i < n_own || j < halo->n;)
            if (j == halo->n || (i < n_own && own[i] < others[j])) {
                members[i + j] = own[i];
                i++;
            } else {
                members[i + j] = others[j];
                j++;
            }
    }
    free(others);
    if (others)
        return members;
    free(members);
    return NULL;
}

/* Columns of the part's members, as high as those of the whole mesh, where the planning gave the set layers. */
static mplan_status add_layers(mplan_part_mesh *out, int32_t s, mplan_error *err)
{
    const mplan_layered_set *from = out->parts->whole.p.sets[s].layered;
    const int64_t n = mplan_mesh_set(out->mesh, s).size;
    const int32_t *member = out->member[s];
    if (!from)
        return MPLAN_OK;
    int32_t *ranges = from->ranges ? mplan_alloc(2 * n, sizeof *ranges, err) : NULL;
    if (from->ranges && !ranges)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; ranges && i < n; i++)
        memcpy(ranges + 2 * i, from->ranges + 2 * (int64_t)member[i], 2 * sizeof *ranges);
    mplan_status status = mplan_mesh_take_layers(out->mesh, s, from->layers, ranges, err);
    if (status || !from->mask)
        return status;
    const int32_t words = mplan_mask_words(from->layers);
    uint32_t *mask = mplan_alloc(n * words, sizeof *mask, err);
    if (!mask)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        memcpy(mask + i * words, from->mask + (int64_t)member[i] * words,
               (size_t)words * sizeof *mask);
    mplan_mesh_take_mask(out->mesh, s, mask);
    return MPLAN_OK;
}

/* Coordinates of the part's members: those of the set, or for the set that is renumbered its centroids in the whole mesh, so
 * that a part is ordered as the whole mesh would be. member: n numbers in the mesh of `parts`. */
static mplan_status add_places(mplan_part_mesh *out, int32_t s, int64_t n, const int32_t *member,
                               mplan_error *err)
{
    const planning *p = &out->parts->whole.p;
    const int32_t mesh_set = p->sets[s].mesh_set;
    const double *own = p->mesh->sets[mesh_set].coordinates;
    int32_t dimension = p->mesh->sets[mesh_set].dimension;
    mplan_native_finder finder = {.find = NULL};
    if (!own && s == mplan_planning_renumbered(p)) {
        mplan_status status = mplan_centroid_finder(p->mesh, mesh_set, &dimension, &finder, err);
        if (status)
            return status;
    }
    if (!own && !finder.find)
        return MPLAN_OK;
    double *xyz = mplan_alloc(n, (size_t)dimension * sizeof *xyz, err);
    for (int64_t i = 0; i < n && xyz && own; i++)
        memcpy(xyz + i * dimension, own + (int64_t)member[i] * dimension,
               (size_t)dimension * sizeof *xyz);
    if (xyz && !own)
        finder.find(finder.data, member, n, xyz);
    if (!own)
        mplan_centroid_finder_free(&finder);
    return xyz ? mplan_mesh_take_coordinates(out->mesh, s, dimension, xyz, err) : MPLAN_ERR_MEMORY;
}

/* Members with their numbers, coordinates and, in the halo, groups; the inner ones are not known
 * yet, so that all owned ones have group 0. Sets are added in the order of the plan: `s` is the
 * number in both meshes. */
static mplan_status add_set(mplan_part_mesh *out, int32_t s, mplan_error *err)
{
    const planning *p = &out->parts->whole.p;
    const mplan_mesh_set_data *from = &p->mesh->sets[p->sets[s].mesh_set];
    const mplan_halo *halo = mplan_parts_halo(out->parts, out->part, s);
    const int64_t n = mplan_parts_owned(out->parts, out->part, s) + halo->n;
    out->owned[s] = n - halo->n;
    mplan_status status = mplan_mesh_add_set(out->mesh, from->name, n, NULL, err);
    if (status)
        return status;
    int64_t *ids = out->mesh->sets[s].global_ids = mplan_alloc(n, sizeof *ids, err);
    const int32_t *member = out->member[s] = list_members(out->parts, out->part, s, err);
    out->group[s] = mplan_alloc_zero(n, sizeof **out->group, err);
    if (!ids || !member || !out->group[s])
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        ids[i] = mplan_parts_id(out->parts, s, member[i]);
        out->local[s][member[i]] = (int32_t)i;
    }
    for (int64_t k = 0; k < halo->n; k++)
        out->group[s][out->local[s][halo->member[k]]] = (int32_t)(2 + k);
    return add_places(out, s, n, member, err);
}

/* --- maps ------------------------------------------------------------------------------- */

/* Whether a member of the part belongs to its read halo. */
static bool is_read(const mplan_part_mesh *out, int32_t set, int64_t i)
{
    return out->group[set][i] >= 2 + mplan_parts_halo(out->parts, out->part, set)->n_execute;
}

/* With slabs: a point of the row that the part has and does not compute, so that the row stays near its slab; -1: none. */
static int32_t near_substitute(const mplan_part_mesh *out, const mplan_map *map, const int32_t *row,
                               int32_t n)
{
    const planning *p = &out->parts->whole.p;
    const mplan_halo *halo = mplan_parts_halo(out->parts, out->part, map->to);
    for (int32_t k = 0; k < n && p->asked->device_memory > 0; k++) {
        const int32_t own = row[k] < 0 ? -1 : out->local[map->to][row[k]];
        const int32_t group = own < 0 ? 0 : out->group[map->to][own];
        if (group >= 2 && halo->ring && halo->ring[group - 2] >= p->asked->rings)
            return own;
    }
    return -1;
}

/* Entries of one row; *turn counts those that stand for others. i, e: the element's number in
 * the part and in the mesh of `parts`; to: out, as many entries as the row has, numbers in the part,
 * -1 for none. Only rows of the read halo may name what the part does not have (halos.c); what
 * takes its place is in the halo, too, so that no owned point gets an element more. */
static void copy_row(const mplan_part_mesh *out, const mplan_map *map, int64_t i, int64_t e,
                     int32_t *to, int64_t *turn)
{
    const mplan_halo *halo = mplan_parts_halo(out->parts, out->part, map->to);
    int32_t n;
    const int32_t *row = mplan_map_row(map, e, &n);
    for (int32_t k = 0; k < n; k++) {
        to[k] = row[k] < 0 ? -1 : out->local[map->to][row[k]];
        if (row[k] < 0 || to[k] >= 0)
            continue;
        assert(is_read(out, map->from, i) && halo->n > 0);
        to[k] = near_substitute(out, map, row, n);
        if (to[k] >= 0)
            continue;
        while (halo->ring && halo->ring[*turn % halo->n] < out->parts->whole.p.asked->rings)
            ++*turn; /* what the part computes gets no element more, either */
        to[k] = out->local[map->to][halo->member[(*turn)++ % halo->n]];
    }
}

/* A map of the whole mesh, rows of the part's members, in their order. Both sets are there by
 * now. Ragged maps get offsets of their own. */
static mplan_status add_map(mplan_part_mesh *out, int32_t m, mplan_error *err)
{
    const mplan_map map = mplan_planning_mesh_map(&out->parts->whole.p, m);
    const int64_t n = mplan_mesh_set(out->mesh, map.from).size;
    const int32_t *member = out->member[map.from];
    int64_t entries = n * map.arity, turn = 0, at = 0;
    int64_t *offsets = map.arity ? NULL : mplan_alloc_zero(n + 1, sizeof *offsets, err);
    if (!map.arity && !offsets)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; offsets && i < n; i++)
        offsets[i + 1] = entries += map.offsets[member[i] + 1] - map.offsets[member[i]];
    int32_t *values = mplan_alloc(entries, sizeof *values, err);
    if (!values) {
        free(offsets);
        return MPLAN_ERR_MEMORY;
    }
    for (int64_t i = 0; i < n; i++) {
        copy_row(out, &map, i, member[i], values + at, &turn);
        at = offsets ? offsets[i + 1] : at + map.arity;
    }
    return mplan_mesh_take_map(out->mesh, map.name, map.from, map.to, map.arity, offsets, values,
                               NULL, err);
}

/* --- inner members ------------------------------------------------------------------------- */

/* outer[i] for elements of the map's from-set that are in the halo or name a point of a halo.
 * outer: by member of the from-set; several maps add to it. */
static void mark_elements(const mplan_part_mesh *out, const mplan_map *map, uint8_t *outer)
{
    for (int64_t i = 0; i < map->n_rows; i++) {
        int32_t n;
        const int32_t *row = mplan_map_row(map, i, &n);
        outer[i] |= out->group[map->from][i] >= 2;
        for (int32_t k = 0; k < n; k++)
            outer[i] |= row[k] >= 0 && out->group[map->to][row[k]] >= 2;
    }
}

/* Owned points of outer elements are not inner; what elements are is known by then. */
static void mark_points(const mplan_part_mesh *out, const mplan_map *map, const uint8_t *outer)
{
    for (int64_t i = 0; i < map->n_rows; i++) {
        int32_t n;
        const int32_t *row = mplan_map_row(map, i, &n);
        for (int32_t k = 0; k < n && outer[i]; k++)
            if (row[k] >= 0 && out->group[map->to][row[k]] == 0)
                out->group[map->to][row[k]] = 1;
    }
}

/* Owned members that need something of others, as elements or as points, get group 1. Two passes
 * over the maps: an element is outer by any of them, and all its points then are, by all of
 * them. The elements of group 0 may run while messages travel. */
static mplan_status find_inner(mplan_part_mesh *out, mplan_error *err)
{
    const int32_t n_sets = mplan_mesh_n_sets(out->mesh), n_maps = mplan_mesh_n_maps(out->mesh);
    uint8_t **outer = mplan_alloc_zero(n_sets, sizeof *outer, err);
    mplan_status status = outer ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t s = 0; s < n_sets && !status; s++) {
        outer[s] = mplan_alloc_zero(mplan_mesh_set(out->mesh, s).size, 1, err);
        status = outer[s] ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    for (int32_t m = 0; m < n_maps && !status; m++) {
        const mplan_map map = mplan_mesh_map(out->mesh, m);
        mark_elements(out, &map, outer[map.from]);
    }
    for (int32_t m = 0; m < n_maps && !status; m++) {
        const mplan_map map = mplan_mesh_map(out->mesh, m);
        mark_points(out, &map, outer[map.from]);
    }
    for (int32_t s = 0; outer && s < n_sets; s++) {
        for (int64_t i = 0; i < mplan_mesh_set(out->mesh, s).size && !status; i++)
            if (outer[s][i] && out->group[s][i] == 0)
                out->group[s][i] = 1;
        free(outer[s]);
    }
    free(outer);
    return status;
}

mplan_status mplan_part_mesh_make(mplan_part_mesh *out, int32_t part, mplan_error *err)
{
    assert(out && out->local && part >= 0 && part < out->parts->n_parts);
    const planning *p = &out->parts->whole.p;
    release(out);
    out->part = part;
    mplan_status status = mplan_mesh_create(&out->mesh, err);
    if (!status)
        status = mplan_mesh_set_source(out->mesh, p->mesh->source, err);
    if (!status && p->mesh->zone)
        status = mplan_mesh_set_zone(out->mesh, p->mesh->zone, err);
    for (int32_t s = 0; s < p->n_sets && !status; s++)
        status = add_set(out, s, err);
    for (int32_t s = 0; s < p->n_sets && !status; s++)
        status = add_layers(out, s, err);
    for (int32_t m = 0; m < p->n_maps && !status; m++)
        status = add_map(out, m, err);
    unmark(out);
    return status ? status : find_inner(out, err);
}
