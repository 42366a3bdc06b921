/* SPDX-License-Identifier: Apache-2.0 */
/* set_layers.c - layers of the columns over a set that its file or job brings, and how those of one set follow from another's
 *
 * Allocation and iteration are those of Firedrake's extruded meshes (McRae et al., SIAM J. Sci. Comput. 38, 2016;
 * Bercea et al., GMD 9, 2016): a point has the layers that any of its cells has, and a facet is visited in the
 * layers that all of its cells have. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/mesh.h"
#include "mesh/mesh_checks.h"

mplan_status mplan_check_ranges(const char *set, int64_t size, int32_t layers,
                                const int32_t *ranges, mplan_error *err)
{
    assert(set && size >= 0);
    if (layers < 1 || layers > MPLAN_MAX_LAYERS)
        return mplan_fail(err, MPLAN_ERR_MESH, "layers of %s must be 1 to %d, not %d", set,
                          MPLAN_MAX_LAYERS, (int)layers);
    for (int64_t i = 0; ranges && i < size; i++) {
        const int32_t bottom = ranges[2 * i], top = ranges[2 * i + 1];
        if (bottom < 0 || top < bottom || top > layers)
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "layers of %s: member %lld cannot have layers %lld to %lld of %d",
                              set, (long long)i, (long long)bottom, (long long)top - 1, (int)layers);
    }
    return MPLAN_OK;
}

mplan_status mplan_ranges_of_rows(const char *set, int64_t n, int32_t cols, const int64_t *table,
                                  int64_t most, int32_t *ranges, int64_t *wrong, mplan_error *err)
{
    assert(set && (cols == 1 || cols == 2) && most <= MPLAN_MAX_LAYERS && wrong);
    for (int64_t i = 0; i < n; i++) {
        const int64_t bottom = cols == 2 ? table[2 * i] : 0, top = table[cols * i + cols - 1];
        if (top < bottom || top > most) {
            *wrong = i;
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "layers of %s must be ranges up to %lld, not from %lld to %lld", set,
                              (long long)most, (long long)bottom, (long long)top);
        }
        ranges[2 * i] = (int32_t)bottom, ranges[2 * i + 1] = (int32_t)top;
    }
    return MPLAN_OK;
}

mplan_status mplan_mask_of_rows(const char *set, int64_t n, int32_t layers, const int64_t *table,
                                uint32_t *mask, int64_t *wrong, mplan_error *err)
{
    assert(set && layers > 0 && wrong);
    const int64_t words = mplan_mask_words(layers);
    for (int64_t i = 0; i < n; i++)
        for (int32_t k = 0; k < layers; k++) {
            const int64_t number = table[i * layers + k];
            if (number != 0 && number != 1) {
                *wrong = i;
                return mplan_fail(err, MPLAN_ERR_MESH,
                                  "a layer of %s must be 1 (there) or 0, not %lld", set,
                                  (long long)number);
            }
            mask[i * words + k / 32] |= (uint32_t)number << (k % 32);
        }
    return MPLAN_OK;
}

mplan_status mplan_mesh_take_layers(mplan_mesh *mesh, int32_t set, int32_t layers, int32_t *ranges,
                                    mplan_error *err)
{
    assert(mesh && set >= 0 && set < mesh->n_sets);
    mplan_mesh_set_data *of = &mesh->sets[set];
    mplan_status status = mplan_check_ranges(of->name, of->size, layers, ranges, err);
    if (status) {
        free(ranges);
        return status;
    }
    free(of->ranges);
    free(of->mask);
    of->layers = layers;
    of->ranges = ranges;
    of->mask = NULL;
    return MPLAN_OK;
}

void mplan_mesh_take_mask(mplan_mesh *mesh, int32_t set, uint32_t *mask)
{
    assert(mesh && set >= 0 && set < mesh->n_sets && mesh->sets[set].layers > 0);
    mplan_mesh_set_data *of = &mesh->sets[set];
    const int32_t words = mplan_mask_words(of->layers);
    for (int64_t i = 0; mask && i < of->size * words; i++)
        mask[i] &= mplan_mask_bits((int32_t)(i % words), of->ranges ? of->ranges[i / words * 2] : 0,
                                   of->ranges ? of->ranges[i / words * 2 + 1] : of->layers);
    free(of->mask);
    of->mask = mask;
}

mplan_status mplan_mesh_set_layer_mask(mplan_mesh *mesh, int32_t set, const uint32_t *mask,
                                       mplan_error *err)
{
    MPLAN_NEED(mesh);
    if (set < 0 || set >= mesh->n_sets || mesh->sets[set].layers == 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there is no set %d with layers", (int)set);
    const int64_t words = mplan_mask_words(mesh->sets[set].layers);
    uint32_t *copy = mask ? mplan_copy(mask, mesh->sets[set].size * words, sizeof *copy, err) : NULL;
    if (mask && !copy)
        return MPLAN_ERR_MEMORY;
    mplan_mesh_take_mask(mesh, set, copy);
    return MPLAN_OK;
}

const uint32_t *mplan_mesh_layer_mask(const mplan_mesh *mesh, int32_t set)
{
    return mesh && set >= 0 && set < mesh->n_sets ? mesh->sets[set].mask : NULL;
}

int32_t mplan_active_layers(int64_t m, int32_t layers, const int32_t *ranges, const uint32_t *mask)
{
    assert(m >= 0 && layers > 0);
    const int32_t words = mplan_mask_words(layers);
    int32_t n = 0;
    if (!mask)
        return ranges ? ranges[2 * m + 1] - ranges[2 * m] : layers;
    for (int32_t w = 0; w < words; w++)
        for (uint32_t bits = mask[m * words + w]; bits; bits &= bits - 1)
            n++;
    return n;
}

mplan_status mplan_mesh_set_layers(mplan_mesh *mesh, int32_t set, int32_t layers,
                                   const int32_t *ranges, mplan_error *err)
{
    MPLAN_NEED(mesh);
    if (set < 0 || set >= mesh->n_sets)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there is no set %d", (int)set);
    int32_t *copy = ranges ? mplan_copy(ranges, 2 * mesh->sets[set].size, sizeof *copy, err) : NULL;
    if (ranges && !copy)
        return MPLAN_ERR_MEMORY;
    return mplan_mesh_take_layers(mesh, set, layers, copy, err);
}

int32_t mplan_mesh_layers(const mplan_mesh *mesh, int32_t set, const int32_t **ranges)
{
    const bool found = mesh && set >= 0 && set < mesh->n_sets;
    if (ranges)
        *ranges = found ? mesh->sets[set].ranges : NULL;
    return found ? mesh->sets[set].layers : 0;
}

/* --- those of one set by another's ------------------------------------------------------------------- */

/* out, 2 a row of the map: the layers that all points of the row have; a row without points has none. */
static void common_layers(const mplan_map *map, const int32_t *ranges, int32_t *out)
{
    for (int64_t r = 0; r < map->n_rows; r++) {
        int32_t n, bottom = 0, top = MPLAN_MAX_LAYERS;
        const int32_t *row = mplan_map_row(map, r, &n);
        bool any = false;
        for (int32_t k = 0; k < n; k++) {
            if (row[k] < 0)
                continue;
            const int32_t *of = ranges + 2 * (int64_t)row[k];
            bottom = of[0] > bottom ? of[0] : bottom;
            top = of[1] < top ? of[1] : top;
            any = true;
        }
        any = any && bottom < top;
        out[2 * r] = any ? bottom : 0;
        out[2 * r + 1] = any ? top : 0;
    }
}

/* out, 2 a point of the map, zeros before: the layers from the lowest to the highest that a row which leads to
 * the point has. */
static void spanned_layers(const mplan_map *map, const int32_t *ranges, int32_t *out)
{
    for (int64_t r = 0; r < map->n_rows; r++) {
        int32_t n;
        const int32_t *row = mplan_map_row(map, r, &n), *from = ranges + 2 * r;
        for (int32_t k = 0; k < n && from[0] < from[1]; k++) {
            if (row[k] < 0)
                continue;
            int32_t *to = out + 2 * (int64_t)row[k];
            const bool first = to[0] == to[1];
            to[0] = first || from[0] < to[0] ? from[0] : to[0];
            to[1] = first || from[1] > to[1] ? from[1] : to[1];
        }
    }
}

/* The mask of n members by that of the other set: `common`, of rows, the layers of all points; else, of points, those of any
 * row. A row without points has none. NULL: no memory. */
static uint32_t *spread_mask(const mplan_map *map, const mplan_mesh_set_data *source, bool common,
                             int64_t n, mplan_error *err)
{
    const int32_t words = mplan_mask_words(source->layers);
    uint32_t *mask = mplan_alloc_zero(n * words, sizeof *mask, err);
    for (int64_t r = 0; mask && r < map->n_rows; r++) {
        int32_t arity;
        const int32_t *row = mplan_map_row(map, r, &arity);
        bool any = false;
        for (int32_t k = 0; k < arity; k++) {
            if (row[k] < 0)
                continue;
            uint32_t *to = mask + (common ? r : row[k]) * words;
            const uint32_t *from = source->mask + (common ? row[k] : r) * words;
            for (int32_t w = 0; w < words; w++)
                to[w] = common && any ? to[w] & from[w] : to[w] | from[w];
            any = true;
        }
    }
    return mask;
}

mplan_status mplan_mesh_spread_layers(mplan_mesh *mesh, int32_t map_index, mplan_layers_rule rule,
                                      mplan_error *err)
{
    MPLAN_NEED(mesh);
    if (map_index < 0 || map_index >= mesh->n_maps || (unsigned)rule >= MPLAN_N_LAYERS_RULES)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "layers: there is no map %d or rule %d",
                          (int)map_index, (int)rule);
    const mplan_map map = mplan_mesh_map(mesh, map_index);
    const bool common = rule == MPLAN_LAYERS_COMMON;
    const int32_t from = common ? map.to : map.from, to = common ? map.from : map.to;
    const mplan_mesh_set_data *source = &mesh->sets[from];
    if (source->layers == 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "layers of %s by map %s: set %s must have layers",
                          mesh->sets[to].name, map.name, source->name);
    int32_t *ranges = NULL;
    uint32_t *mask = NULL;
    if (source->ranges && !(ranges = mplan_alloc_zero(2 * mesh->sets[to].size, sizeof *ranges, err)))
        return MPLAN_ERR_MEMORY;
    if (source->mask && !(mask = spread_mask(&map, source, common, mesh->sets[to].size, err))) {
        free(ranges);
        return MPLAN_ERR_MEMORY;
    }
    if (ranges && common)
        common_layers(&map, source->ranges, ranges);
    else if (ranges)
        spanned_layers(&map, source->ranges, ranges);
    mplan_status status = mplan_mesh_take_layers(mesh, to, source->layers, ranges, err);
    if (!status)
        mplan_mesh_take_mask(mesh, to, mask);
    return status;
}
