/* SPDX-License-Identifier: Apache-2.0 */
/* bind_check.h - what the checks of a variant's tables share, and which guard covers which index
 *
 * Launches follow indices without looking: the host executor (host_*.c) and the kernels
 * (meshplan_cuda_*.h) of one strategy read the same tables. Each index they follow, and
 * what keeps it inside:
 *
 *   index                                            guard
 *   numbers of rows of every array                   the reader: planfile_arrays.c
 *   e of direct dats, rows[e * arity], old_of_new[e]
 *     every element, position without sequence       offsets end at the places of the set
 *     list[i] of global-colour                       mplan_bind_launches
 *     sequence[position]                             mplan_bind_open_blocks
 *     element of an owner's entry                    bind_check_owner.c: codes below
 *                                                    elements x columns, rank behind row_start
 *   data[rows[...]] of dats                          check_maps: -1 or a place of the to-set
 *     -1 among them                                  has_point, or `complete`: complete_maps;
 *                                                    rows of holes: is_hole, colours and
 *                                                    entries that lead to no hole
 *   list[i] of blocks                                mplan_bind_launches
 *   block_offsets[b], [b + 1]                        mplan_bind_open_blocks
 *   thread_colours[position]                         the reader; below the block's number:
 *                                                    check_thread_colours, which the host's
 *                                                    counts need, as does that number
 *   points[point_offsets[b] + k], shared[k]          check_locals: k below the block's points,
 *                                                    MPLAN_NONE16 only where -1 is looked at, at
 *                                                    most points_max in a block
 *   data[points[...]] (staged)                       check_locals
 *   scratch[gather_slots[i]], gather_offsets[p]      check_gathers
 *   record + header's offsets                        bind_check_records.c: open_record
 *   points[local[...]] of a record                   local_stays_inside, as check_locals
 *   entries[starts[k] ...], kept increments          record_stays_inside
 *   partial_sums[partial[k]], [partial_offsets[i]]   record_stays_inside, check_partial_sums
 *   owner_points, owner_offsets, owner_entries       bind_check_owner.c: open_windows,
 *                                                    offsets end at the columns of entries
 *   owner_escapes[...]                               escapes of a slice end at their number
 *   data[neighbour] of pair32                        pair32_place
 *   owner_windows[...], owner_plain[...] and what    bind_check_owner.c: open_windows16,
 *     the fields of windows16 lead to                wrong_word, wrong_plain, wrong_field
 *   shared memory of a thread block                  prepare_device, from points_max, the
 *                                                    longest record and the longest block
 *   number of threads                                mplan_exec_check_tables: 1 at least;
 *                                                    CUDA refuses more than it has
 *   rows of the caller                               dats.c: compare_rows
 *   data[new_of_old[i]]                              mplan_exec_check_order
 */
#ifndef MPLAN_EXEC_BIND_CHECK_H
#define MPLAN_EXEC_BIND_CHECK_H

#include "exec/exec.h"
#include "plan/packed.h"

typedef struct mplan_bind_check {
    const mplan_exec_loop *bound;
    const mplan_plan *plan;
    const int32_t *old_of_new; /* of the loop's set, in the host's memory; NULL: no holes */
    bool complete;             /* no slot of an element is without a point */
    mplan_error *err;
} mplan_bind_check;

/* The blocks of a variant: they cut the positions of its block set. */
typedef struct mplan_bind_blocks {
    int64_t n;
    const int64_t *offsets;  /* n + 1 */
    const int32_t *sequence; /* element of each position; NULL: the position */
    int64_t most;            /* positions of the largest, which holes may bring above the limit */
} mplan_bind_blocks;

/* MPLAN_ERR_CORRUPT: a table is wrong at a place. */
mplan_status mplan_bind_wrong(const mplan_bind_check *check, mplan_key key, int64_t place);
/* The data of an array and how many numbers it has; NULL, with MPLAN_ERR_CORRUPT in err,
 * when it is absent or of another type. */
const void *mplan_bind_find(const mplan_bind_check *check, mplan_key key, mplan_type type,
                            int64_t *n);
mplan_key mplan_bind_variant_key(const mplan_bind_check *check, mplan_kind kind);

/* Whether some of n numbers leave [low, low + length). */
bool mplan_bind_leaves(const int32_t *value, int64_t n, int32_t low, uint32_t length);
/* Whether an element is a place without a member. */
static inline bool mplan_bind_is_hole(const mplan_bind_check *check, int64_t element)
{
    return check->old_of_new && check->old_of_new[element] < 0;
}

/* First place that a task of [0, n) finds wrong (INT64_MAX: none), by threads. */
typedef int64_t mplan_bind_task(const void *context, int64_t k);
int64_t mplan_bind_first_wrong(const mplan_bind_check *check, int64_t n, mplan_bind_task *task,
                               const void *context);

/* All numbers of an i32 array are in [low, high). */
mplan_status mplan_bind_ids(const mplan_bind_check *check, mplan_key key, int32_t low, int64_t high);
/* Offsets run from 0 to `end` without turning back; at most `most` from one to the next. */
mplan_status mplan_bind_offsets(const mplan_bind_check *check, mplan_key key, int64_t end,
                                int64_t most);
/* Offsets of launches and the list that they cut, of numbers in [0, n). */
mplan_status mplan_bind_launches(const mplan_bind_check *check, mplan_kind offsets, mplan_kind list,
                                 int64_t n);
mplan_status mplan_bind_open_blocks(const mplan_bind_check *check, mplan_bind_blocks *blocks);
static inline int64_t mplan_bind_element(const mplan_bind_blocks *blocks, int64_t position)
{
    return blocks->sequence ? blocks->sequence[position] : position;
}

/* Tables of block-gather (bind_check_records.c) and owner-gather (bind_check_owner.c). */
mplan_status mplan_bind_records(const mplan_bind_check *check, const mplan_bind_blocks *blocks);
mplan_status mplan_bind_owners(const mplan_bind_check *check);

#endif
