/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_facts.c - sizes and counts of the whole mesh: brought by planning->facts, or counted here */
#include "pipeline/mesh_facts.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/threads.h"
#include "mesh/mesh.h"
#include "mesh/mesh_checks.h"

enum { ENTRIES = 1 << 16 };

/* Of a map of planning. */
static const mplan_map_facts *facts_of(const planning *p, int32_t map)
{
    assert(p->maps[map].mesh_map < p->facts->n_maps);
    return &p->facts->maps[p->maps[map].mesh_map];
}

int64_t mplan_planning_size(const planning *p, int32_t mesh_set)
{
    assert(p && (!p->facts || mesh_set < p->facts->n_sets));
    return p->facts ? p->facts->sizes[mesh_set] : mplan_mesh_set(p->mesh, mesh_set).size;
}

int64_t mplan_planning_active_layers(const planning *p, int32_t set)
{
    assert(p && set >= 0 && set < p->n_sets && p->sets[set].layered);
    const planning_set *of = &p->sets[set];
    const mplan_layered_set *own = of->layered;
    int64_t active = 0;
    if (!own->ranges && !own->mask)
        return of->size * own->layers;
    if (p->facts)
        return p->facts->layers[of->mesh_set].active;
    for (int64_t m = 0; m < of->size; m++)
        active += mplan_active_layers(m, own->layers, own->ranges, own->mask);
    return active;
}

int64_t mplan_planning_entries(const planning *p, int32_t map)
{
    assert(p && map >= 0 && map < p->n_maps);
    const mplan_map view = mplan_planning_mesh_map(p, map);
    return p->facts ? facts_of(p, map)->entries : mplan_map_entries(&view);
}

int64_t mplan_planning_present(const planning *p, int32_t map)
{
    assert(p && map >= 0 && map < p->n_maps);
    const mplan_map view = mplan_planning_mesh_map(p, map);
    if (p->facts)
        return facts_of(p, map)->present;
    const int64_t n = mplan_map_entries(&view);
    int64_t present = 0;
    for (int64_t i = 0; i < n; i++)
        present += view.values[i] >= 0;
    return present;
}

/* The first of entries [begin, end) that is none; INT64_MAX where all are there. */
static int64_t first_none(void *data, int thread, int64_t begin, int64_t end)
{
    const int32_t *values = data;
    (void)thread;
    while (begin < end && values[begin] >= 0)
        begin++;
    return begin < end ? begin : INT64_MAX;
}

int64_t mplan_planning_none_row(const planning *p, int32_t map)
{
    assert(p && map >= 0 && map < p->n_maps);
    if (p->facts)
        return facts_of(p, map)->none_row;
    const mplan_map view = mplan_planning_mesh_map(p, map);
    const int64_t entries = mplan_map_entries(&view);
    const int64_t i = mplan_for_least(mplan_team_of(p->context), entries, ENTRIES, first_none,
                                      (void *)(uintptr_t)view.values, entries);
    if (i >= entries)
        return -1;
    int64_t row = view.arity ? i / view.arity : 0;
    while (!view.arity && view.offsets[row + 1] <= i)
        row++;
    return row;
}

int64_t mplan_planning_longest(const planning *p, int32_t map)
{
    assert(p && map >= 0 && map < p->n_maps);
    const mplan_map view = mplan_planning_mesh_map(p, map);
    int64_t longest = 0;
    if (view.arity)
        return view.arity;
    if (p->facts)
        return facts_of(p, map)->longest;
    for (int64_t row = 0; row < view.n_rows; row++)
        longest = view.offsets[row + 1] - view.offsets[row] > longest
                      ? view.offsets[row + 1] - view.offsets[row]
                      : longest;
    return longest;
}

/* What threads share that count what maps lead to. */
typedef struct reach_work {
    int32_t n_maps;
    mplan_map *maps;
    const mplan_map *map; /* the one at hand */
    int32_t *found;       /* per point: entries that name it so far */
    bool one_thread;      /* no other thread counts */
    uint64_t *seen;       /* for each column of the maps seen_words words, a bit a point */
    int64_t seen_words;
} reach_work;

/* The first of rows [begin, end) without an entry in any of the maps. */
static int64_t first_without(void *data, int thread, int64_t begin, int64_t end)
{
    const reach_work *work = data;
    (void)thread;
    for (int64_t e = begin; e < end; e++) {
        bool reaches = false;
        for (int32_t m = 0; m < work->n_maps && !reaches; m++) {
            int32_t n;
            const int32_t *point = mplan_map_row(&work->maps[m], e, &n);
            for (int32_t k = 0; k < n && !reaches; k++)
                reaches = point[k] >= 0;
        }
        if (!reaches)
            return e;
    }
    return INT64_MAX;
}

/* Entries [begin, end) of the map at hand count at their points. Returns how many there are. */
static int64_t count_entries(void *data, int thread, int64_t begin, int64_t end)
{
    const reach_work *work = data;
    const int32_t *values = work->map->values;
    int64_t entries = 0;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        if (values[i] < 0)
            continue;
        entries++;
        if (work->one_thread)
            work->found[values[i]]++;
        else
            mplan_add_u32((uint32_t *)&work->found[values[i]], 1); /* the same 32 bits */
    }
    return entries;
}

/* Points [begin, end) that have an entry. */
static int64_t count_points(void *data, int thread, int64_t begin, int64_t end)
{
    const reach_work *work = data;
    int64_t points = 0;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        points += work->found[i] > 0;
    return points;
}

/* The most entries of one of the points [begin, end), less than 0. */
static int64_t find_most(void *data, int thread, int64_t begin, int64_t end)
{
    const reach_work *work = data;
    int32_t most = 0;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        most = work->found[i] > most ? work->found[i] : most;
    return -(int64_t)most;
}

/* Whether column k of the maps names a point twice. seen: a bit a point. */
static bool names_twice(const reach_work *work, int64_t k, uint64_t *seen)
{
    int32_t m = 0;
    while (k >= work->maps[m].arity)
        k -= work->maps[m++].arity;
    const mplan_map *map = &work->maps[m];
    for (int64_t e = 0; e < map->n_rows; e++) {
        const int32_t point = map->values[e * map->arity + k];
        const uint64_t bit = UINT64_C(1) << (point % 64);
        if (seen[point / 64] & bit)
            return true;
        seen[point / 64] |= bit;
    }
    return false;
}

/* The first of columns [begin, end) that names a point twice. */
static int64_t first_twice(void *data, int thread, int64_t begin, int64_t end)
{
    const reach_work *work = data;
    (void)thread;
    for (int64_t k = begin; k < end; k++)
        if (names_twice(work, k, work->seen + k * work->seen_words))
            return k;
    return INT64_MAX;
}

/* reach->apart; its other members are known. On most meshes the numbers say no at once. */
static mplan_status find_apart(reach_work *work, mplan_team *team, mplan_reach *reach,
                               mplan_error *err)
{
    int64_t columns = 0;
    for (int32_t m = 0; m < work->n_maps; m++) {
        if (work->maps[m].arity == 0)
            return MPLAN_OK;
        columns += work->maps[m].arity;
    }
    if (columns > MPLAN_APART_COLUMNS || reach->entries == 0 || reach->valence_max > columns ||
        reach->entries != columns * work->maps[0].n_rows)
        return MPLAN_OK;
    work->seen_words = (work->maps[0].n_points + 63) / 64;
    work->seen = mplan_alloc_zero(columns * work->seen_words, sizeof *work->seen, err);
    if (!work->seen)
        return MPLAN_ERR_MEMORY;
    reach->apart = mplan_for_least(team, columns, 1, first_twice, work, INT64_MAX) == INT64_MAX;
    free(work->seen);
    return MPLAN_OK;
}

/* The same of the mesh at hand. */
static mplan_status count_reach(const planning *p, int32_t n_maps, const int32_t *maps,
                                mplan_reach *reach, mplan_error *err)
{
    mplan_team *team = mplan_team_of(p->context);
    reach_work work = {.n_maps = n_maps, .one_thread = mplan_team_threads(team) == 1};
    work.maps = mplan_alloc(n_maps, sizeof *work.maps, err);
    for (int32_t m = 0; work.maps && m < n_maps; m++)
        work.maps[m] = mplan_planning_mesh_map(p, maps[m]);
    const int64_t n_points = work.maps ? work.maps[0].n_points : 0;
    work.found = work.maps ? mplan_alloc_zero(n_points, sizeof *work.found, err) : NULL;
    mplan_status status = work.found ? MPLAN_OK : MPLAN_ERR_MEMORY;
    *reach = (mplan_reach){0};
    if (!status)
        reach->all = mplan_for_least(team, work.maps[0].n_rows, ENTRIES, first_without, &work,
                                     INT64_MAX) == INT64_MAX;
    for (int32_t m = 0; m < n_maps && !status; m++) {
        work.map = &work.maps[m];
        reach->entries += mplan_for_sum(team, mplan_map_entries(work.map), ENTRIES, count_entries,
                                        &work);
    }
    if (!status) {
        reach->points = mplan_for_sum(team, n_points, ENTRIES, count_points, &work);
        reach->valence_max = -mplan_for_least(team, n_points, ENTRIES, find_most, &work, 0);
        status = find_apart(&work, team, reach, err);
    }
    free(work.found);
    free(work.maps);
    return status;
}

mplan_status mplan_planning_reach(const planning *p, int32_t n_maps, const int32_t *maps,
                                  mplan_reach *reach, mplan_error *err)
{
    assert(p && maps && reach && n_maps > 0);
    if (!p->facts)
        return count_reach(p, n_maps, maps, reach, err);
    int32_t *own = mplan_alloc(n_maps, sizeof *own, err);
    for (int32_t m = 0; own && m < n_maps; m++)
        own[m] = p->maps[maps[m]].mesh_map;
    mplan_status status = own ? p->facts->reach(p->facts->user, n_maps, own, reach, err)
                              : MPLAN_ERR_MEMORY;
    free(own);
    return status;
}

/* Most maps end the search within a few rows. */
mplan_status mplan_planning_once(const planning *p, int32_t map, bool *once, mplan_error *err)
{
    assert(p && once && map >= 0 && map < p->n_maps);
    if (p->facts) {
        mplan_reach reach = {0};
        mplan_status status = mplan_planning_reach(p, 1, &map, &reach, err);
        *once = reach.valence_max <= 1;
        return status;
    }
    const mplan_map view = mplan_planning_mesh_map(p, map);
    const int64_t entries = mplan_map_entries(&view);
    uint8_t *seen = mplan_alloc_zero(view.n_points, 1, err);
    *once = true;
    for (int64_t i = 0; seen && i < entries && *once; i++) {
        if (view.values[i] < 0)
            continue;
        *once = !seen[view.values[i]];
        seen[view.values[i]] = 1;
    }
    free(seen);
    return seen ? MPLAN_OK : MPLAN_ERR_MEMORY;
}
