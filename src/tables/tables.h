/* tables.h - the tables that kernels read */
#ifndef MPLAN_TABLES_H
#define MPLAN_TABLES_H

#include "meshplan.h"

/* Points that the blocks touch in one set and their places in the blocks' lists.
 * All arrays come from mplan_alloc. */
typedef struct mplan_block_points {
    int64_t *offsets; /* n_blocks + 1 */
    int32_t *points;  /* offsets[n_blocks], ascending in each block */
    uint16_t **local; /* n_maps tables, entries per position and slot, 65535: none */
} mplan_block_points;

/* maps: n_maps maps of the loop to one set, in stored indices. sequence and
 * offsets as in colour.h. local tables hold the rows of the positions one
 * behind the other; fixed maps give holes rows of 65535. Blocks of more than
 * 65,535 points: MPLAN_ERR_ARGUMENT. Parallel over blocks. */
mplan_status mplan_table_block_points(const mplan_map *maps, int32_t n_maps, int64_t n_blocks,
                                      const int64_t *offsets, const int32_t *sequence,
                                      mplan_block_points *out, const mplan_context *context,
                                      mplan_error *err);
void mplan_table_block_points_free(mplan_block_points *points, int32_t n_maps);

/* For each point the positions in the map's values that hold it, ascending. */
mplan_status mplan_table_gather(const mplan_map *map, int64_t **offsets, int64_t **slots,
                                mplan_error *err);

/* Stored map from the mesh's: row row_new_of_old[e] holds the renumbered points
 * of e. storage sizes >= sizes; rows of holes hold -1 (ragged: are empty).
 * *offsets is NULL for fixed maps. */
mplan_status mplan_table_reorder_map(const mplan_map *map, const int32_t *row_new_of_old,
                                     int64_t row_storage, const int32_t *point_new_of_old,
                                     int64_t **offsets, int32_t **values,
                                     const mplan_context *context, mplan_error *err);

/* new_of_old (n entries, injective into [0, storage)) turned round, -1 in holes. */
mplan_status mplan_table_invert(int64_t n, const int32_t *new_of_old, int64_t storage,
                                int32_t **old_of_new, mplan_error *err);

#endif
