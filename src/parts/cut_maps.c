/* SPDX-License-Identifier: Apache-2.0 */
/* cut_maps.c - which set is cut for the loops of a request, and by which maps its members are neighbours */
#include <assert.h>

#include "parts/parts.h"

/* The planning map of the primary loop's first arg by which it changes points; -1: none. The set
 * that it leads to is the one that is cut; without it that is the loop's own set. */
static int32_t summed_map(const planning *p)
{
    const planning_loop *loop = &p->loops[p->primary];
    int32_t map = -1;
    for (int32_t a = loop->loop->n_args - 1; a >= 0; a--)
        if (loop->arg_map[a] >= 0 && loop->loop->args[a].access != MPLAN_READ)
            map = loop->arg_map[a];
    return map;
}

/* Whether some loop adds to or changes points by the map. */
static bool changes(const planning *p, int32_t map)
{
    for (int32_t l = 0; l < p->n_loops; l++)
        for (int32_t a = 0; a < p->loops[l].loop->n_args; a++)
            if (p->loops[l].arg_map[a] == map && p->loops[l].loop->args[a].access != MPLAN_READ)
                return true;
    return false;
}

int32_t mplan_parts_cut_of(const planning *p)
{
    assert(p && p->primary < p->n_loops);
    const int32_t map = summed_map(p);
    return map >= 0 ? p->maps[map].to : p->loops[p->primary].set;
}

/* The maps of other loops than the primary one count, too, for points: their sums cross borders as well. */
int32_t mplan_parts_cut_maps(const planning *p, int32_t *cut, bool *to_set, int32_t *maps)
{
    assert(p && cut && to_set && maps);
    const planning_loop *primary = &p->loops[p->primary];
    int32_t n = 0;
    *to_set = summed_map(p) >= 0;
    *cut = mplan_parts_cut_of(p);
    for (int32_t m = 0; m < p->n_maps && *to_set; m++)
        if (p->maps[m].to == *cut && changes(p, m))
            maps[n++] = m;
    for (int32_t m = 0; m < primary->n_maps && !*to_set; m++)
        maps[n++] = primary->maps[m];
    return n;
}
