/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_checks.h - what the files of the mesh module check in common */
#ifndef MPLAN_MESH_CHECKS_H
#define MPLAN_MESH_CHECKS_H

#include "base/threads.h"
#include "mesh/mesh.h"

/* All return MPLAN_ERR_MESH for the first place that is wrong, and name it. team: may be NULL. */

/* Numbers are finite. */
mplan_status mplan_check_coordinates(const char *set, int64_t size, int32_t dimension,
                                     const double *coordinates, mplan_team *team, mplan_error *err);
/* Offsets ascend from 0, rows below 2^31 entries, values in [-1, n_points). */
mplan_status mplan_check_map(const mplan_map *map, mplan_team *team, mplan_error *err);
/* Whether all n types are the same; false without any. */
bool mplan_types_are_equal(int64_t n, const uint8_t *type);
/* Rows of cells_nodes are as long as the types say, values in [0, n_points). */
mplan_status mplan_check_cells(const mplan_map *nodes, const uint8_t *type, mplan_team *team,
                               mplan_error *err);
/* The sentence about a cell with too few distinct corners; first: the number of one of them. */
mplan_status mplan_fail_collapsed(int64_t cell, const mplan_cell_shape *shape, int32_t distinct,
                                  int64_t first, mplan_error *err);
/* At least dimension + 1 corners of a cell differ. */
mplan_status mplan_check_corners(int64_t cell, const mplan_cell_shape *shape, const int32_t *node,
                                 mplan_error *err);
/* Facets have types of the dimension below the cells', nodes in range. */
mplan_status mplan_check_facets(const mplan_mesh_facets *facets, int32_t cell_dimension,
                                int64_t n_nodes, mplan_error *err);
/* Members ascend and lie in [0, size). */
mplan_status mplan_check_members(const char *name, const char *set, int64_t size, int64_t n,
                                 const int32_t *members, mplan_team *team, mplan_error *err);

/* A list of n structures with room for one more: list itself or, after
 * growing to the next power of two, its successor. NULL with err filled. */
void *mplan_mesh_room(void *list, int32_t n, size_t size, mplan_error *err);

/* Layers of a set: 1 to MPLAN_MAX_LAYERS; ranges (NULL: none are given) lie in them. MPLAN_ERR_MESH. */
mplan_status mplan_check_ranges(const char *set, int64_t size, int32_t layers,
                                const int32_t *ranges, mplan_error *err);

/* From rows of a table of layers, of one number (how many there are, from layer 0 on) or of two (bottom and top): ranges, 2 a
 * row, up to layer `most`. From rows of `layers` numbers 0 and 1 (not there, there): masks, all zero before. MPLAN_ERR_MESH for
 * row *wrong, from 0; the sentence says nothing of the place. */
mplan_status mplan_ranges_of_rows(const char *set, int64_t n, int32_t cols, const int64_t *table,
                                  int64_t most, int32_t *ranges, int64_t *wrong, mplan_error *err);
mplan_status mplan_mask_of_rows(const char *set, int64_t n, int32_t layers, const int64_t *table,
                                uint32_t *mask, int64_t *wrong, mplan_error *err);

/* Words of a member's mask. */
static inline int32_t mplan_mask_words(int32_t layers)
{
    return (layers + 31) / 32;
}
/* Of word w of a mask the bits of layers [bottom, top). */
static inline uint32_t mplan_mask_bits(int32_t w, int32_t bottom, int32_t top)
{
    const int32_t low = bottom - 32 * w, high = top - 32 * w;
    const uint32_t above = high <= 0 ? 0 : high >= 32 ? UINT32_MAX : (UINT32_C(1) << high) - 1;
    const uint32_t below = low <= 0 ? 0 : low >= 32 ? UINT32_MAX : (UINT32_C(1) << low) - 1;
    return above & ~below;
}
/* Layers of member m of a set that are there; ranges and mask as in mplan_layered_set, with bits 0 beside the ranges. */
int32_t mplan_active_layers(int64_t m, int32_t layers, const int32_t *ranges, const uint32_t *mask);

#endif
