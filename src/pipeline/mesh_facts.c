/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_facts.c - sizes and counts of the whole mesh: brought by planning->facts, or counted here */
#include "pipeline/mesh_facts.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/threads.h"
#include "mesh/mesh.h"

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

/* Whether each element has an entry in one of the maps. */
static bool all_reach(const planning *p, int32_t n_maps, const int32_t *maps)
{
    const mplan_map first = mplan_planning_mesh_map(p, maps[0]);
    for (int64_t e = 0; e < first.n_rows; e++) {
        bool reaches = false;
        for (int32_t m = 0; m < n_maps && !reaches; m++) {
            int32_t n;
            const mplan_map map = mplan_planning_mesh_map(p, maps[m]);
            const int32_t *point = mplan_map_row(&map, e, &n);
            for (int32_t k = 0; k < n && !reaches; k++)
                reaches = point[k] >= 0;
        }
        if (!reaches)
            return false;
    }
    return true;
}

/* found[p]: entries that name point p so far. */
mplan_status mplan_planning_reach(const planning *p, int32_t n_maps, const int32_t *maps,
                                  mplan_reach *reach, mplan_error *err)
{
    assert(p && maps && reach && n_maps > 0);
    if (p->facts) {
        int32_t *own = mplan_alloc(n_maps, sizeof *own, err);
        for (int32_t m = 0; own && m < n_maps; m++)
            own[m] = p->maps[maps[m]].mesh_map;
        mplan_status status = own ? p->facts->reach(p->facts->user, n_maps, own, reach, err)
                                  : MPLAN_ERR_MEMORY;
        free(own);
        return status;
    }
    *reach = (mplan_reach){.all = all_reach(p, n_maps, maps)};
    const mplan_map first = mplan_planning_mesh_map(p, maps[0]);
    int32_t *found = mplan_alloc_zero(first.n_points, sizeof *found, err);
    for (int32_t m = 0; found && m < n_maps; m++) {
        const mplan_map map = mplan_planning_mesh_map(p, maps[m]);
        const int64_t entries = mplan_map_entries(&map);
        for (int64_t i = 0; i < entries; i++) {
            if (map.values[i] < 0)
                continue;
            const int32_t n = ++found[map.values[i]];
            reach->entries++;
            reach->points += n == 1;
            reach->valence_max = n > reach->valence_max ? n : reach->valence_max;
        }
    }
    free(found);
    return found ? MPLAN_OK : MPLAN_ERR_MEMORY;
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
