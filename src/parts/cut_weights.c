/* SPDX-License-Identifier: Apache-2.0 */
/* cut_weights.c - what members of the set that is cut weigh where columns of layers differ in height
 *
 * A member weighs the layers of its column that are there, or, as a point, the levels from the lowest to the highest layer of the elements that
 * add to it: so much memory it needs, and so many threads of owner-gather; one at least, as parts of weight 0 may be
 * left empty. MPAS, FESOM2 and NEMO balance active layers, too. */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "mesh/mesh_checks.h"
#include "parts/parts.h"

/* span: bottom and top by point, empty at first; takes the layers of all rows that lead to it. */
static void span_points(const mplan_map *map, const int32_t *ranges, int32_t *span)
{
    for (int64_t e = 0; e < map->n_rows; e++) {
        int32_t n;
        const int32_t *row = mplan_map_row(map, e, &n), *own = ranges + 2 * e;
        for (int32_t k = 0; k < n && own[0] < own[1]; k++) {
            if (row[k] < 0)
                continue;
            int32_t *to = span + 2 * (int64_t)row[k];
            const bool first = to[0] == to[1];
            to[0] = first || own[0] < to[0] ? own[0] : to[0];
            to[1] = first || own[1] > to[1] ? own[1] : to[1];
        }
    }
}

/* The spans of points by all maps to the set from sets whose columns differ; false: there is none. */
static bool span_all(const planning *p, int32_t n_maps, const int32_t *maps, int32_t *span)
{
    bool any = false;
    for (int32_t i = 0; i < n_maps; i++) {
        const mplan_map map = mplan_planning_mesh_map(p, maps[i]);
        const mplan_layered_set *from = p->sets[p->maps[maps[i]].from].layered;
        if (!from || !from->ranges)
            continue;
        span_points(&map, from->ranges, span);
        any = true;
    }
    return any;
}

mplan_status mplan_parts_layer_weights(const mplan_parts *parts, int64_t **weights, mplan_error *err)
{
    assert(parts && weights);
    const planning *p = &parts->whole.p;
    const mplan_layered_set *own = p->sets[parts->cut].layered;
    const int64_t n = p->sets[parts->cut].size;
    int32_t cut = 0;
    bool to_set = false;
    *weights = NULL;
    if (p->facts)
        return MPLAN_OK;
    int32_t *maps = mplan_alloc(p->n_maps, sizeof *maps, err);
    int32_t *span = mplan_alloc_zero(2 * n, sizeof *span, err);
    int64_t *made = mplan_alloc(n, sizeof *made, err);
    if (maps && span && made) {
        const int32_t n_maps = mplan_parts_cut_maps(p, &cut, &to_set, maps);
        const bool differ = own && (own->ranges || own->mask);
        const bool any = differ || (to_set && span_all(p, n_maps, maps, span));
        for (int64_t m = 0; m < n; m++) {
            const int32_t height = differ
                                       ? mplan_active_layers(m, own->layers, own->ranges, own->mask)
                                       : span[2 * m + 1] - span[2 * m];
            made[m] = height > 1 ? height : 1;
        }
        if (any) {
            *weights = made;
            made = NULL;
        }
    }
    const mplan_status status = maps && span && (made || *weights) ? MPLAN_OK : MPLAN_ERR_MEMORY;
    free(maps);
    free(span);
    free(made);
    return status;
}
