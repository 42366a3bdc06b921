/* SPDX-License-Identifier: Apache-2.0 */
/* centroids.c - coordinates of sets that have none of their own */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fetch.h"
#include "base/memory.h"
#include "base/threads.h"
#include "mesh/derive.h"
#include "pipeline/centroids.h"

enum { ROWS = 1 << 14, MOST_DIMENSION = 3 };

/* mean: dimension doubles per row of the map, or of faces by sides; xyz: as many per point. */
typedef struct mean_work {
    const mplan_map *map;
    const mplan_face_sides *faces; /* NULL: rows of the map */
    int64_t n_rows;
    int32_t dimension;
    const double *xyz;
    double *mean;
} mean_work;

/* The points of row r, of which there are *n; room: for those of a face. */
static inline const int32_t *row_of(const mean_work *work, int64_t r, int32_t *n,
                                    int32_t room[MPLAN_FACE_CORNERS])
{
    if (!work->faces)
        return mplan_map_row(work->map, r, n);
    *n = mplan_face_nodes(work->faces, r, room);
    return room;
}

/* Prefetches the coordinates of the points of row r. Rows of ragged maps are not prefetched. */
static inline void fetch_points(const mean_work *work, int64_t r)
{
    int32_t n, room[MPLAN_FACE_CORNERS];
    if (r >= work->n_rows || (!work->faces && !work->map->arity))
        return;
    const int32_t *point = row_of(work, r, &n, room);
    for (int32_t k = 0; k < n; k++)
        if (point[k] >= 0)
            mplan_fetch(work->xyz + (int64_t)point[k] * work->dimension);
}

/* Asks for what row r names its points by: entries of a map, or the nodes of a face's first cell. */
static inline void fetch_entries(const mean_work *work, int64_t r)
{
    if (work->faces && r < work->n_rows) {
        const int32_t *node;
        mplan_table_cell(&work->faces->cells, work->faces->first[2 * r], &node);
        mplan_fetch(node);
    } else if (!work->faces && work->map->arity) {
        mplan_fetch(work->map->values + r * work->map->arity);
    }
}

/* Asks for the cell and side of a face. */
static inline void fetch_side(const mean_work *work, int64_t f)
{
    mplan_fetch(work->faces->first + 2 * f);
    mplan_fetch(work->faces->side + f);
}

/* mean[0] ...: of the points of row r that are there; 0 without any. */
static void mean_row(const mean_work *work, int64_t r, double *mean)
{
    int32_t dimension = work->dimension, n, used = 0, room[MPLAN_FACE_CORNERS];
    const int32_t *point = row_of(work, r, &n, room);
    for (int32_t d = 0; d < dimension; d++)
        mean[d] = 0;
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

/* The means of n listed rows, one behind the other. A row is asked for twice as far ahead as what it names, and a face before. */
static void mean_listed(const mean_work *work, const int32_t *rows, int64_t n, double *mean)
{
    for (int64_t i = 0; i < n; i++) {
        if (work->faces && i + 3 * MPLAN_FETCH_DISTANCE < n)
            fetch_side(work, rows[i + 3 * MPLAN_FETCH_DISTANCE]);
        if (i + 2 * MPLAN_FETCH_DISTANCE < n)
            fetch_entries(work, rows[i + 2 * MPLAN_FETCH_DISTANCE]);
        if (i + MPLAN_FETCH_DISTANCE < n)
            fetch_points(work, rows[i + MPLAN_FETCH_DISTANCE]);
        mean_row(work, rows[i], mean + i * work->dimension);
    }
}

static void find_means(void *data, int thread, int64_t begin, int64_t end)
{
    const mean_work *work = data;
    (void)thread;
    for (int64_t r = begin; r < end; r++) {
        if (work->faces)
            fetch_entries(work, r + 2 * MPLAN_FETCH_DISTANCE);
        fetch_points(work, r + MPLAN_FETCH_DISTANCE);
        mean_row(work, r, work->mean + r * work->dimension);
    }
}

/* The mean of each row's points; members without points take the origin. work->mean is set. */
static double *means(mean_work *work, mplan_team *team, mplan_error *err)
{
    work->mean = mplan_alloc(work->n_rows, (size_t)work->dimension * sizeof *work->mean, err);
    if (work->mean)
        mplan_for(team, work->n_rows, ROWS, find_means, work);
    return work->mean;
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

/* Where coordinates of a set come from: `own`, or means of the points of a map (outer), or of the means of a second one
 * (faces -> cells -> nodes, where the cells are the ones between), or of the nodes of faces by sides. */
typedef enum source_kind { NO_SOURCE, OWN, ONE_MAP, TWO_MAPS, BY_SIDES } source_kind;

typedef struct centroid_source {
    source_kind kind;
    int32_t dimension;
    const double *xyz; /* of the set itself, or of the one that the last map leads to */
    mplan_map outer, inner;
    mplan_face_sides faces;
    int64_t n_rows;
} centroid_source;

static centroid_source source_of(const mplan_mesh *mesh, int32_t set)
{
    centroid_source source = {.kind = OWN, .n_rows = mplan_mesh_set(mesh, set).size};
    source.xyz = mplan_mesh_coordinates(mesh, set, &source.dimension);
    if (source.xyz)
        return source;
    int32_t map = map_to_coordinates(mesh, set);
    const int32_t nodes = mplan_mesh_find_set(mesh, "nodes");
    if (mplan_faces_by_sides(mesh, set, &source.faces) && (map < 0 || map > source.faces.map) &&
        (source.xyz = mplan_mesh_coordinates(mesh, nodes, &source.dimension))) {
        source.kind = BY_SIDES; /* faces_nodes would be the map behind faces_cells */
        return source;
    }
    if (map >= 0) {
        source.kind = ONE_MAP;
        source.outer = mplan_mesh_map(mesh, map);
        source.xyz = mplan_mesh_coordinates(mesh, source.outer.to, &source.dimension);
        return source;
    }
    for (int32_t m = 0; m < mplan_mesh_n_maps(mesh); m++) {
        source.outer = mplan_mesh_map(mesh, m);
        int32_t inner = source.outer.from == set && source.outer.to != set
                            ? map_to_coordinates(mesh, source.outer.to)
                            : -1;
        if (inner < 0)
            continue;
        source.kind = TWO_MAPS;
        source.inner = mplan_mesh_map(mesh, inner);
        source.xyz = mplan_mesh_coordinates(mesh, source.inner.to, &source.dimension);
        return source;
    }
    return (centroid_source){.kind = NO_SOURCE};
}

/* Means of what the set itself leads to. */
static mean_work work_of(const centroid_source *source)
{
    return (mean_work){.map = &source->outer,
                       .faces = source->kind == BY_SIDES ? &source->faces : NULL,
                       .n_rows = source->n_rows,
                       .dimension = source->dimension,
                       .xyz = source->xyz};
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
    const centroid_source source = source_of(mesh, set);
    *owned = source.kind != OWN && source.kind != NO_SOURCE;
    *dimension = source.dimension;
    *coordinates = source.kind == OWN ? source.xyz : NULL;
    if (!*owned)
        return MPLAN_OK;
    double *between = NULL;
    mean_work outer = work_of(&source);
    if (source.kind == TWO_MAPS) {
        mean_work inner = {&source.inner,    NULL,       source.inner.n_rows,
                           source.dimension, source.xyz, NULL};
        outer.xyz = between = means(&inner, team, err);
    }
    if (source.kind != TWO_MAPS || between)
        *coordinates = means(&outer, team, err);
    free(between);
    return *coordinates ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Means over a map of means over a second one, of n listed rows, as though all of the second had been found before. */
static void mean_of_means(const centroid_source *source, const int32_t *rows, int64_t n_rows,
                          double *out)
{
    const int32_t dimension = source->dimension;
    const mean_work inner = {.map = &source->inner, .dimension = dimension, .xyz = source->xyz};
    for (int64_t i = 0; i < n_rows; i++, out += dimension) {
        int32_t n, used = 0;
        const int32_t *between = mplan_map_row(&source->outer, rows[i], &n);
        for (int32_t d = 0; d < dimension; d++)
            out[d] = 0;
        for (int32_t k = 0; k < n; k++) {
            double mean[MOST_DIMENSION];
            if (between[k] < 0)
                continue;
            used++;
            mean_row(&inner, between[k], mean);
            for (int32_t d = 0; d < dimension; d++)
                out[d] += mean[d];
        }
        for (int32_t d = 0; d < dimension && used > 0; d++)
            out[d] /= used;
    }
}

/* As mplan_native_finder wants it: n rows of the source that `data` is. */
static void find_rows(const void *data, const int32_t *rows, int64_t n, double *out)
{
    const centroid_source *source = data;
    const int32_t dimension = source->dimension;
    for (int64_t i = 0; i < n && source->kind == OWN; i++)
        memcpy(out + i * dimension, source->xyz + (int64_t)rows[i] * dimension,
               (size_t)dimension * sizeof *out);
    if (source->kind == TWO_MAPS)
        mean_of_means(source, rows, n, out);
    else if (source->kind != OWN) {
        const mean_work work = work_of(source);
        mean_listed(&work, rows, n, out);
    }
}

mplan_status mplan_centroid_finder(const mplan_mesh *mesh, int32_t set, int32_t *dimension,
                                   mplan_native_finder *finder, mplan_error *err)
{
    assert(mesh && set >= 0 && dimension && finder);
    const centroid_source source = source_of(mesh, set);
    *dimension = source.dimension;
    *finder = (mplan_native_finder){.find = NULL};
    if (source.kind == NO_SOURCE || source.dimension > MOST_DIMENSION)
        return MPLAN_OK;
    centroid_source *kept = mplan_copy(&source, 1, sizeof source, err);
    if (!kept)
        return MPLAN_ERR_MEMORY;
    *finder = (mplan_native_finder){.find = find_rows, .data = kept};
    finder->n_rows = finder->n_elements = mplan_mesh_set(mesh, set).size;
    return MPLAN_OK;
}

void mplan_centroid_finder_free(mplan_native_finder *finder)
{
    assert(finder);
    free((void *)(uintptr_t)finder->data);
    *finder = (mplan_native_finder){.find = NULL};
}

mplan_status mplan_planning_coordinates(const planning *p, int32_t set, int32_t *dimension,
                                        const double **coordinates, bool *owned, mplan_error *err)
{
    assert(p && set >= 0 && set < p->n_sets && dimension && coordinates && owned);
    return mplan_centroids(p->mesh, p->sets[set].mesh_set, dimension, coordinates, owned,
                           p->context, err);
}
