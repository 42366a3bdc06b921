/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_checks.c - what holds of the numbers of a mesh: maps, cells, coordinates
 *
 * Each check first looks whether anything is wrong at all, without a branch for each number, which compilers turn into
 * instructions for many at a time; only then for the first that is wrong, to name it. */
#include "mesh/mesh_checks.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

enum { NUMBERS = 1 << 17 }; /* of a piece */

/* Values of a map; those that are inside are below `end` when `shift` is added. */
typedef struct values_range {
    const int32_t *values;
    uint32_t shift, end;
} values_range;

/* How many of values [begin, end) are outside. */
static int64_t count_outside(void *data, int thread, int64_t begin, int64_t end)
{
    const values_range *range = data;
    const uint32_t shift = range->shift, last = range->end;
    uint32_t outside = 0;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        outside |= (uint32_t)range->values[i] + shift >= last;
    return outside;
}

/* Whether all values are in [least, n_points), least 0 or -1. */
static bool are_in_range(int64_t n, const int32_t *values, int32_t least, int64_t n_points,
                         mplan_team *team)
{
    if (n_points > INT32_MAX)
        return false; /* which is looked at one by one */
    const uint32_t shift = (uint32_t)-least;
    values_range range = {values, shift, (uint32_t)n_points + shift};
    return mplan_for_sum(team, n, NUMBERS, count_outside, &range) == 0;
}

/* How many of numbers [begin, end) are not finite: x - x is 0 for those that are. */
static int64_t count_infinite(void *data, int thread, int64_t begin, int64_t end)
{
    const double *x = data;
    int64_t others = 0;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        others += !(x[i] - x[i] == 0);
    return others;
}

/* size x dimension numbers, which must be finite. */
mplan_status mplan_check_coordinates(const char *set, int64_t size, int32_t dimension,
                                     const double *coordinates, mplan_team *team, mplan_error *err)
{
    const bool finite = mplan_for_sum(team, size * dimension, NUMBERS, count_infinite,
                                      (void *)(uintptr_t)coordinates) == 0;
    for (int64_t i = 0; i < size * dimension && !finite; i++) {
        double x = coordinates[i];
        if (isfinite(x))
            continue;
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: coordinate %d of member %lld is %s", set,
                          (int)(i % dimension), (long long)(i / dimension),
                          isnan(x) ? "not a number" : "infinite");
    }
    return MPLAN_OK;
}

/* Offsets ascend from 0 by at most 2^31 - 1, entries lie in [-1, n_points). Values must hold as
 * many entries as the last offset says, which is read before they are. */
mplan_status mplan_check_map(const mplan_map *map, mplan_team *team, mplan_error *err)
{
    for (int64_t r = 0; map->offsets && r <= map->n_rows; r++) {
        int64_t offset = map->offsets[r], before = r == 0 ? 0 : map->offsets[r - 1]; /* not negative */
        if (r == 0 ? offset != 0 : offset < before || offset - before > INT32_MAX)
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "map %s: offset %lld is %lld, but offsets must ascend from 0",
                              map->name, (long long)r, (long long)map->offsets[r]);
    }
    int64_t n = mplan_map_entries(map);
    const bool in_range = are_in_range(n, map->values, -1, map->n_points, team);
    for (int64_t i = 0; i < n && !in_range; i++) {
        if (map->values[i] >= -1 && map->values[i] < map->n_points)
            continue;
        int64_t row = map->arity ? i / map->arity : 0;
        while (!map->arity && map->offsets[row + 1] <= i)
            row++;
        int64_t first = map->arity ? row * map->arity : map->offsets[row];
        return mplan_fail(err, MPLAN_ERR_MESH,
                          "map %s: entry %lld of row %lld is %d, out of range [-1, %lld)",
                          map->name, (long long)(i - first), (long long)row, map->values[i],
                          (long long)map->n_points);
    }
    return MPLAN_OK;
}

/* Compares each with the next. */
bool mplan_types_are_equal(int64_t n, const uint8_t *type)
{
    return n > 0 && memcmp(type, type + 1, (size_t)n - 1) == 0;
}

/* Every row must have the nodes of its type, all of them there: cells have no -1. */
mplan_status mplan_check_cells(const mplan_map *nodes, const uint8_t *type, mplan_team *team,
                               mplan_error *err)
{
    if (nodes->arity > 0 && mplan_types_are_equal(nodes->n_rows, type) &&
        mplan_cell_type_nodes((mplan_cell_type)type[0]) == nodes->arity &&
        are_in_range(mplan_map_entries(nodes), nodes->values, 0, nodes->n_points, team))
        return MPLAN_OK;
    for (int64_t c = 0; c < nodes->n_rows; c++) {
        int32_t n;
        const int32_t *node = mplan_map_row(nodes, c, &n);
        const mplan_cell_shape *shape = mplan_cell_shape_of((mplan_cell_type)type[c]);
        if (!shape || n != shape->n_nodes)
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "cell %lld has %d nodes, but its type (%s) has %d", (long long)c, n,
                              shape ? shape->name : "none", shape ? shape->n_nodes : 0);
        for (int32_t k = 0; k < n; k++)
            if (node[k] < 0 || node[k] >= nodes->n_points)
                return mplan_fail(err, MPLAN_ERR_MESH,
                                  "cell %lld (%s): node %d is out of range [0, %lld)", (long long)c,
                                  shape->name, node[k], (long long)nodes->n_points);
    }
    return MPLAN_OK;
}
