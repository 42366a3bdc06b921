/* SPDX-License-Identifier: Apache-2.0 */
/* piece_names.c - sets and maps by name: what a request is resolved by where the whole mesh is not there
 *
 * Such a mesh can be used in place of the whole one wherever only names, arities and dimensions are looked
 * at. */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "parts/scatter/piece.h"

/* Whether there are coordinates counts, not what they are; centroids do not, as choices of the whole mesh knew none.
 * set: a row of `sets` (MPLAN_PIECE_*). The set gets the next number, as it has in the file. */
static mplan_status add_set(const int64_t *set, const char *name, mplan_mesh *named, mplan_error *err)
{
    const int32_t number = mplan_mesh_n_sets(named), dimension = (int32_t)set[MPLAN_PIECE_DIMENSION];
    mplan_status status = mplan_mesh_add_set(named, name, 0, NULL, err);
    double *none = status || dimension <= 0 ? NULL : mplan_alloc(0, sizeof *none, err);
    if (status || dimension <= 0)
        return status;
    return none ? mplan_mesh_take_coordinates(named, number, dimension, none, err) : MPLAN_ERR_MEMORY;
}

/* map: a row of `maps`. Its sets are there by now. It has no rows: a ragged one has the one
 * offset 0. */
static mplan_status add_map(const int64_t *map, const char *name, mplan_mesh *named, mplan_error *err)
{
    const int32_t arity = mplan_piece_arity(map);
    int64_t *offsets = arity ? NULL : mplan_alloc_zero(1, sizeof *offsets, err);
    int32_t *values = mplan_alloc(0, sizeof *values, err);
    if (values && (offsets || arity))
        return mplan_mesh_take_map(named, name, (int32_t)map[MPLAN_PIECE_FROM],
                                   (int32_t)map[MPLAN_PIECE_TO], arity, offsets, values, NULL, err);
    free(offsets);
    free(values);
    return MPLAN_ERR_MEMORY;
}

/* names: of sets, then of maps, copied. *named is the caller's, also after a failure; it must be
 * NULL before. */
mplan_status mplan_piece_make_named(const char *zone, int32_t n_sets, int32_t n_maps,
                                    const int64_t *sets, const int64_t *maps, char *const *names,
                                    mplan_mesh **named, mplan_error *err)
{
    assert(zone && sets && maps && names && named && !*named);
    mplan_status status = mplan_mesh_create(named, err);
    if (!status && zone[0])
        status = mplan_mesh_set_zone(*named, zone, err);
    for (int32_t s = 0; s < n_sets && !status; s++)
        status = add_set(sets + (int64_t)s * MPLAN_PIECE_SET, names[s], *named, err);
    for (int32_t m = 0; m < n_maps && !status; m++)
        status = add_map(maps + (int64_t)m * MPLAN_PIECE_MAP, names[n_sets + m], *named, err);
    return status;
}
