/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_centres.c - means of the points of rows that ranks share
 *
 * A rank has the rows of its members and asks other ranks for the coordinates of their points, each once. Sums are made in
 * the order of the row, as one process makes them: so bits do not depend on the number of ranks. */
#include "mpi/mpi_centres.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "mpi/exchange.h"
#include "mpi/mesh_parts.h"
#include "mpi/mpi_ids.h"

const mpi_map *mpi_map_to_coordinates(const mpi_mesh *mesh, int32_t set)
{
    assert(mesh && set >= 0);
    for (int32_t m = 0; m < mesh->n_maps; m++)
        if (mesh->maps[m].from == set && mesh->sets[mesh->maps[m].to].dimension > 0)
            return &mesh->maps[m];
    return NULL;
}

/* The coordinates of the points of this rank's rows. ids: out, which; the caller's, as xyz is.
 * Collective. *ids: *n numbers of the mesh, ascending, each once; *xyz: as many times the dimension,
 * in their order. Both are freed by the caller also after a failure. */
static mplan_status fetch_points(const mpi_mesh *mesh, const mpi_map *map, int32_t dimension,
                                 const double *own, int64_t **ids, int64_t *n, double **xyz,
                                 mplan_error *err)
{
    const int64_t entries = mpi_own_entries(mesh, map);
    mpi_links links = {0};
    *xyz = NULL;
    mplan_status status = mpi_ids_of(map->values, entries, 0, 0, ids, n, err);
    if (!status && !(*xyz = mplan_alloc(*n * dimension, sizeof **xyz, err)))
        status = MPLAN_ERR_MEMORY;
    status = mpi_links_make(mesh->comm, status, mesh->sets[map->to].first, *n, *ids, &links, err);
    if (!status)
        status = mpi_links_fetch(&links, status, (size_t)dimension * sizeof **xyz, own, *xyz, err);
    mpi_links_free(&links);
    return status;
}

/* Rows without points get zeros. */
mplan_status mpi_means(const mpi_mesh *mesh, const mpi_map *map, int32_t dimension,
                       const double *own, double **out, mplan_error *err)
{
    assert(mesh && map && dimension > 0 && out);
    const int64_t rows = mpi_own_members(mesh, map->from);
    int64_t *ids = NULL, n_ids = 0;
    double *xyz = NULL;
    mplan_status status = fetch_points(mesh, map, dimension, own, &ids, &n_ids, &xyz, err);
    double *mean = status ? NULL : mplan_alloc_zero(rows * dimension, sizeof *mean, err);
    if (!status && !mean)
        status = MPLAN_ERR_MEMORY;
    mpi_finder finder;
    mpi_finder_open(ids, status ? 0 : n_ids, &finder);
    /* there: points of the row but entries of -1 */
    for (int64_t row = 0; row < rows && !status; row++) {
        int64_t n, there = 0;
        const int64_t *point = mpi_map_row(map, row, &n);
        for (int64_t k = 0; k < n; k++) {
            if (point[k] < 0)
                continue;
            const double *x = xyz + mpi_find(&finder, point[k]) * dimension;
            there++;
            for (int32_t d = 0; d < dimension; d++)
                mean[row * dimension + d] += x[d];
        }
        for (int32_t d = 0; d < dimension && there > 0; d++)
            mean[row * dimension + d] /= (double)there;
    }
    mpi_finder_close(&finder);
    free(ids);
    free(xyz);
    *out = mean;
    return status;
}

/* The maps that pipeline/centroids.c takes: the first one to a set with coordinates (*inner is NULL then), or the first to a
 * set with such a map. Names and dimensions decide, which all ranks have. */
static void choose_maps(const mpi_mesh *mesh, int32_t set, const mpi_map **outer,
                        const mpi_map **inner)
{
    *outer = mpi_map_to_coordinates(mesh, set);
    *inner = NULL;
    for (int32_t m = 0; m < mesh->n_maps && !*outer; m++) {
        const mpi_map *map = &mesh->maps[m];
        *inner = map->from == set && map->to != set ? mpi_map_to_coordinates(mesh, map->to) : NULL;
        *outer = *inner ? map : NULL;
    }
}

/* Centroids of more than three dimensions are not made, as one process makes none. */
mplan_status mpi_centres_add(mpi_mesh *mesh, int32_t set, mplan_error *err)
{
    assert(mesh && set >= 0 && set < mesh->n_sets);
    const mpi_map *outer, *inner;
    double *between = NULL, *mean = NULL;
    mplan_status status = MPLAN_OK;
    if (mesh->sets[set].dimension > 0)
        return MPLAN_OK;
    choose_maps(mesh, set, &outer, &inner);
    const mpi_set *points = outer ? &mesh->sets[inner ? inner->to : outer->to] : NULL;
    if (!points || points->dimension > 3)
        return MPLAN_OK;
    const int32_t dimension = points->dimension;
    if (inner) {
        status = mpi_means(mesh, inner, dimension, points->coordinates, &between, err);
        status = mpi_agree(mesh->comm, status, err);
    }
    if (!status) {
        status = mpi_means(mesh, outer, dimension, inner ? between : points->coordinates, &mean, err);
        status = mpi_agree(mesh->comm, status, err);
    }
    free(between);
    if (status) {
        free(mean);
        return status;
    }
    mesh->sets[set].coordinates = mean;
    mesh->sets[set].dimension = dimension;
    return MPLAN_OK;
}
