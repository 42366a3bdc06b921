/* SPDX-License-Identifier: Apache-2.0 */
/* centroids.c - coordinates of sets that have none of their own */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/fetch.h"
#include "base/memory.h"
#include "base/threads.h"
#include "pipeline/centroids.h"

enum { ROWS = 1 << 14 };

/* mean: dimension doubles per row of the map, zero before; xyz: as many per point. */
typedef struct mean_work {
    const mplan_map *map;
    int32_t dimension;
    const double *xyz;
    double *mean;
} mean_work;

/* Asks for the coordinates that a row will want. */
static inline void fetch_points(const mean_work *work, int64_t r)
{
    const int32_t arity = work->map->arity;
    for (int32_t k = 0; k < arity && r < work->map->n_rows; k++) {
        int32_t point = work->map->values[r * arity + k];
        if (point >= 0)
            mplan_fetch(work->xyz + (int64_t)point * work->dimension);
    }
}

/* Rows [begin, end): mean of the points that are there; rows without any get 0. */
static void find_means(void *data, int thread, int64_t begin, int64_t end)
{
    const mean_work *work = data;
    int32_t dimension = work->dimension;
    (void)thread;
    for (int64_t r = begin; r < end; r++) {
        int32_t n, used = 0;
        const int32_t *point = mplan_map_row(work->map, r, &n);
        double *mean = work->mean + r * dimension;
        fetch_points(work, r + MPLAN_FETCH_DISTANCE);
        for (int32_t k = 0; k < n; k++) {
            if (point[k] < 0)
                continue;
            used++;
            for (int32_t d = 0; d < dimension; d++)
                mean[d] += work->xyz[(int64_t)point[k] * dimension + d];
        }
        for (int32_t d = 0; d < dimension && used > 0; d++)
            mean[d] /= used;
    }
}

/* The mean of each row's points; members without points take the origin. */
static double *means(const mplan_map *map, int32_t dimension, const double *xyz, mplan_team *team,
                     mplan_error *err)
{
    double *mean = mplan_alloc_zero(map->n_rows * dimension, sizeof *mean, err);
    if (!mean)
        return NULL;
    mean_work work = {map, dimension, xyz, mean};
    mplan_for(team, map->n_rows, ROWS, find_means, &work);
    return mean;
}

/* The first map of the mesh from the set to one that has coordinates; -1 without one. */
static int32_t map_to_coordinates(const mplan_mesh *mesh, int32_t set)
{
    for (int32_t m = 0; m < mplan_mesh_n_maps(mesh); m++) {
        mplan_map map = mplan_mesh_map(mesh, m);
        int32_t dimension;
        if (map.from == set && mplan_mesh_coordinates(mesh, map.to, &dimension))
            return m;
    }
    return -1;
}

/* *coordinates: `dimension` doubles per member, of the mesh itself or, *owned,
 * means over a map to a set that has coordinates. NULL, and success, if there
 * are none. */
mplan_status mplan_centroids(const mplan_mesh *mesh, int32_t set, int32_t *dimension,
                             const double **coordinates, bool *owned, const mplan_context *context,
                             mplan_error *err)
{
    assert(mesh && set >= 0 && dimension && coordinates && owned);
    mplan_team *team = mplan_team_of(context);
    *owned = false;
    *coordinates = mplan_mesh_coordinates(mesh, set, dimension);
    if (*coordinates)
        return MPLAN_OK;
    int32_t map = map_to_coordinates(mesh, set);
    if (map >= 0) {
        mplan_map view = mplan_mesh_map(mesh, map);
        const double *xyz = mplan_mesh_coordinates(mesh, view.to, dimension);
        *coordinates = means(&view, *dimension, xyz, team, err);
        *owned = true;
        return *coordinates ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    /* two steps: faces -> cells -> nodes, where the cells are the ones between */
    for (int32_t m = 0; m < mplan_mesh_n_maps(mesh); m++) {
        mplan_map outer = mplan_mesh_map(mesh, m);
        int32_t inner = outer.from == set && outer.to != set ? map_to_coordinates(mesh, outer.to)
                                                             : -1;
        if (inner < 0)
            continue;
        mplan_map view = mplan_mesh_map(mesh, inner);
        const double *xyz = mplan_mesh_coordinates(mesh, view.to, dimension);
        double *between = means(&view, *dimension, xyz, team, err);
        if (!between)
            return MPLAN_ERR_MEMORY;
        *coordinates = means(&outer, *dimension, between, team, err);
        *owned = true;
        free(between);
        return *coordinates ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    *dimension = 0;
    return MPLAN_OK;
}

mplan_status mplan_planning_coordinates(const planning *p, int32_t set, int32_t *dimension,
                                        const double **coordinates, bool *owned, mplan_error *err)
{
    assert(p && set >= 0 && set < p->n_sets && dimension && coordinates && owned);
    return mplan_centroids(p->mesh, p->sets[set].mesh_set, dimension, coordinates, owned,
                           p->context, err);
}
