/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - what the proofs of a plan share
 *
 * The proofs use nothing of the planner: they know the mesh and the structures of a plan, and
 * none of the code that computes one. Each file proves some lines of "Arrays"
 * and "Records" of formats/plan-format.md and relies on what the files before
 * it, in the order of mplan_plan_verify, have proved: nothing is read before
 * its length, range and type are known. Refusals name elements and points by
 * their stored index, and the first place in stored order, whatever the number
 * of threads. */
#ifndef MPLAN_CHECK_H
#define MPLAN_CHECK_H

#include <inttypes.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "check/check_reading.h"
#include "mesh/mesh.h"
#include "meshplan.h"
#include "plan/plan.h"
#include "plan/strategies.h"

/* Refuses a plan with one sentence. */
#define MPLAN_DISPROVED(err, ...) mplan_fail((err), MPLAN_ERR_DISPROVED, __VA_ARGS__)

/* A dat that the blocks of a loop stage: one that an arg reaches through a map into `set`. point_bytes: dim x bytes of
 * its type. */
typedef struct mplan_check_dat {
    const char *name;
    int32_t set;
    int64_t point_bytes;
} mplan_check_dat;

/* What a loop reaches through maps. The lists have room for n_args each. */
typedef struct mplan_check_loop {
    int32_t n_maps, n_sets, n_dats;
    int32_t *maps;         /* distinct maps of the args, ascending */
    bool *written;         /* per such map: some arg writes or increments through it */
    int32_t *sets;         /* distinct to-sets of them, ascending */
    mplan_check_dat *dats; /* distinct, by name */
    bool two_step;         /* a variant is two-step */
} mplan_check_loop;

/* A loop and a block set that BLOCK_METRICS pairs: the loop runs the block set in a variant, or the block set was made
 * for it. Each pair has point lists and local ids of its own in the plan. */
typedef struct mplan_check_pair {
    int32_t loop, block_set;
    int64_t staged_max; /* bytes of the block that stages most */
} mplan_check_pair;

/* What all proofs share: the plan, and what earlier proofs have found in it. loops has an entry for each loop
 * (check_loops.c), maps and valid one for each map (check_maps.c); they are NULL until these proofs have run. A map
 * here is in stored order: row r is that of the element stored at r, -1 where it has no point. */
typedef struct mplan_check {
    const mplan_plan *plan;
    const mplan_context *context;
    mplan_team *team;
    int threads;     /* of the team */
    mplan_map *maps; /* the stored maps, one per map of the plan */
    int64_t *valid;  /* their entries >= 0 */
    /* of a part (check_places.c): maps in the order that its halos lie in, rows and points, which is the stored one without slabs. With
     * slabs: by set, stored index at each place of that order, its inverse, and the member there */
    const mplan_map *part_maps;
    mplan_map *own_part_maps; /* the same where they were made */
    const int32_t **part_place;
    int32_t **part_of, **part_old;
    mplan_check_loop *loops;
    int32_t n_pairs;
    mplan_check_pair *pairs; /* ascending by loop, block set */
    /* One mark per point of the largest to-set, see mplan_check_marks. */
    uint32_t *mark;
    int64_t n_marks;
    uint32_t last_mark;
    bool other_coordinates; /* the mesh has not those that the plan was made with */
    int64_t rings; /* around a part, by a line of its request that check_request.c finds in its place */
} mplan_check;

/* --- check_parts.c --- */

/* One independent part of a proof. Must give the same answer whichever thread
 * (an index below check->threads, to pick scratch by) runs it, and again. */
typedef mplan_status mplan_check_part(void *proof, int64_t part, int thread, mplan_error *err);

/* Runs all parts, in parallel, and reports the first that fails. */
mplan_status mplan_check_each(const mplan_check *check, int64_t n_parts, mplan_check_part *part,
                              void *proof, mplan_error *err);

/* Members are checked in runs of this length where each is little work. */
#define MPLAN_CHECK_RUN 16384
/* Runs of n members: run `part` is [part * MPLAN_CHECK_RUN, mplan_check_run_end(part, n)), the last one shorter. */
static inline int64_t mplan_check_runs(int64_t n)
{
    return (n + MPLAN_CHECK_RUN - 1) / MPLAN_CHECK_RUN;
}
static inline int64_t mplan_check_run_end(int64_t part, int64_t n)
{
    return n - part * MPLAN_CHECK_RUN < MPLAN_CHECK_RUN ? n : (part + 1) * MPLAN_CHECK_RUN;
}

/* Proves every variant whose strategy has one of the traits; refusals begin with loop and variant. */
typedef mplan_status mplan_check_of_variant(mplan_check *check, int32_t loop, int32_t variant,
                                            mplan_error *err);
mplan_status mplan_check_variants(mplan_check *check, uint32_t traits,
                                  mplan_check_of_variant *prove, mplan_error *err);

/* Marks for `n` things: sets *first so that no mark is in (first, first + n],
 * and these values are the caller's until the next call. Saves clearing the
 * marks for each of many small tables. */
mplan_status mplan_check_marks(mplan_check *check, int64_t n, uint32_t *first, mplan_error *err);

/* Where the entry of `element` in column `column` is among all that a row may hold, by the
 * order of the sums of a variant: entries of a row ascend by it. */
typedef struct mplan_check_row_order {
    mplan_sums_order by;
    int64_t columns, n_elements;
    const int32_t *old_of_new; /* of the loop's set */
} mplan_check_row_order;
/* Where (element, column) comes in a sum: by columns, by the mesh's own order, or by the stored
 * one. Ranks of different pairs differ. */
static inline int64_t mplan_check_rank(const mplan_check_row_order *order, int64_t element,
                                       int64_t column)
{
    if (order->by == MPLAN_SUMS_ORDER_COLUMN)
        return column * order->n_elements + element;
    if (order->by == MPLAN_SUMS_ORDER_MESH)
        return order->old_of_new[element] * order->columns + column;
    return element * order->columns + column;
}

/* Data of an array that mplan_check_arrays has found; never NULL. */
const void *mplan_check_data(const mplan_check *check, mplan_key key);

static inline const mplan_plan_set *mplan_check_set(const mplan_check *check, int32_t set)
{
    return &check->plan->sets[set];
}
static inline const char *mplan_check_set_name(const mplan_check *check, int32_t set)
{
    return check->plan->sets[set].name;
}
static inline const int32_t *mplan_check_old_of_new(const mplan_check *check, int32_t set)
{
    return mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, set));
}
static inline const int32_t *mplan_check_new_of_old(const mplan_check *check, int32_t set)
{
    return mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, set));
}
/* Positions that the blocks of a block set cut. */
static inline int64_t mplan_check_positions(const mplan_check *check,
                                            const mplan_plan_block_set *block_set)
{
    const mplan_plan_set *set = &check->plan->sets[block_set->set];
    return block_set->sequence ? set->size : set->storage_size;
}

/* All parts (part -1), or one of them, by itself. */
mplan_status mplan_check_prove_parts(const mplan_parts_source *source, mplan_mesh *mesh, int32_t part,
                                     bool asked, const mplan_context *context, mplan_error *err);

/* All proofs; without `asked` those that do not concern the request, for plans that tests put
 * together and no request leads to. */
mplan_status mplan_check_prove(const mplan_plan *plan, mplan_mesh *mesh, bool asked,
                               const mplan_context *context, mplan_error *err);

/* --- the proofs, in the order in which they build on one another --- */

/* check_records.c: names, ranges, references. */
mplan_status mplan_check_records(mplan_check *check, mplan_error *err);
/* check_args.c: one dat is one thing; what args of one dat do, and which strategies may run it. */
mplan_status mplan_check_args(mplan_check *check, mplan_error *err);
/* check_step.c: conflicts of the step. */
mplan_status mplan_check_step(mplan_check *check, mplan_error *err);
/* check_loops.c: what each loop reaches; fills loops and pairs. */
mplan_status mplan_check_loops(mplan_check *check, mplan_error *err);
/* check_arrays.c: every array that must be there is, of its type and shape,
 * and no other of a known kind. */
mplan_status mplan_check_arrays(mplan_check *check, mplan_error *err);
/* check_orders.c: orders and global ids. */
mplan_status mplan_check_orders(mplan_check *check, mplan_error *err);
/* check_halo.c: numbers of parts; then, with the orders, their lists of imports and exports. */
mplan_status mplan_check_part_records(mplan_check *check, mplan_error *err);
mplan_status mplan_check_halos(mplan_check *check, mplan_error *err);
/* check_places.c: the order that halos lie in; then, with the stored maps, the maps in it. */
mplan_status mplan_check_places(mplan_check *check, mplan_error *err);
mplan_status mplan_check_part_maps(mplan_check *check, mplan_error *err);
/* check_ring_steps.c: a visit of a part has no more steps than one exchange serves. */
mplan_status mplan_check_ring_steps(mplan_check *check, mplan_error *err);
/* check_halo_rows.c: what rows require of halos. */
mplan_status mplan_check_halo_rows(mplan_check *check, mplan_error *err);
/* check_maps.c: stored maps; fills maps and valid. */
mplan_status mplan_check_maps(mplan_check *check, mplan_error *err);
/* check_groups.c: sets of groups, their members and maps. */
mplan_status mplan_check_groups(mplan_check *check, mplan_error *err);
mplan_status mplan_check_once(mplan_check *check, mplan_error *err);
/* check_blocks.c: block sets. */
mplan_status mplan_check_blocks(mplan_check *check, mplan_error *err);
/* check_points.c: point lists, local ids, limits of blocks; fills staged_max. */
mplan_status mplan_check_points(mplan_check *check, mplan_error *err);
/* check_colours.c, check_threads.c: colours and launch lists. */
mplan_status mplan_check_colours(mplan_check *check, mplan_error *err);
/* check_gathering.c: variants that gather, layouts. */
mplan_status mplan_check_gatherings(mplan_check *check, mplan_error *err);
/* check_packed.c: records of block-gather. */
mplan_status mplan_check_packed(mplan_check *check, mplan_error *err);
/* check_owner.c: tables of owner-gather. */
mplan_status mplan_check_owner(mplan_check *check, mplan_error *err);
/* check_gather.c: gather lists. */
mplan_status mplan_check_gather(mplan_check *check, mplan_error *err);
/* check_metrics.c: metrics and what variants promise. */
mplan_status mplan_check_metrics(mplan_check *check, mplan_error *err);
/* check_layers.c: columns of layers, and levels that slots lead to. */
mplan_status mplan_check_layers(mplan_check *check, mplan_error *err);
/* check_slabs.c: slabs, streams and events of a plan for a limited device memory. */
mplan_status mplan_check_slabs(mplan_check *check, mplan_error *err);
/* check_request.c: all of it is what was asked for. The mesh may be NULL. */
mplan_status mplan_check_asked(mplan_check *check, const mplan_mesh *mesh, mplan_error *err);
/* check_mesh.c: fingerprints, and the agreement with a mesh (may be NULL). */
mplan_status mplan_check_mesh(mplan_check *check, mplan_mesh *mesh, mplan_error *err);

/* --- loops that gather (check_gathering.c) --- */

/* The maps of a loop that is gathered; maps: numbers of maps of the plan. Section 8 of the format defines the terms:
 * columns counts the slots of the increment maps (C there), local_columns those of all local maps, of which they are
 * the first. */
typedef struct mplan_check_gathering {
    int32_t set;             /* incremented */
    int32_t n_maps, n_local; /* increment maps; local maps, which begin with them */
    int32_t *maps;           /* n_local */
    int32_t columns, local_columns;
    int64_t fields; /* of an entry of windows16 */
} mplan_check_gathering;

/* Refuses a loop that does not gather. Close it in any case. */
mplan_status mplan_check_gathering_open(const mplan_plan *plan, int32_t loop,
                                        mplan_check_gathering *out, mplan_error *err);
void mplan_check_gathering_close(mplan_check_gathering *gathering);

/* --- the tables of a pair (check_cut.c) --- */

/* The points of one set that each block touches: block b has points[offsets[b]]
 * ... points[offsets[b + 1] - 1]. */
typedef struct mplan_check_list { /* points that blocks touch in one to-set */
    int32_t set;
    const int64_t *offsets;
    const int32_t *points;
    int64_t n_points;
    bool written; /* through one of its maps */
} mplan_check_list;

/* The local ids of one map in a cut: for each slot of each position the place of its point in the list of the block,
 * from 0 on, or MPLAN_CHECK_NO_LOCAL. With an arity the rows lie by position, else one behind the other. */
typedef struct mplan_check_table { /* local ids of one map */
    const mplan_map *map;
    int32_t list; /* of its to-set */
    bool written;
    const uint16_t *local;
    int64_t *begins; /* of the rows of each block in `local`; NULL where computed */
} mplan_check_table;

/* A block set as one loop uses it: views of the plan's arrays. Block b has the positions offsets[b] to offsets[b + 1]
 * - 1 (n_blocks + 1 offsets); the element at position p is sequence[p], or p itself. lists are one for each to-set of
 * the loop, tables one for each of its maps, both ascending; opened without a loop it has neither. */
typedef struct mplan_check_cut {
    const mplan_plan_block_set *record;
    int32_t block_set;
    const char *loop; /* name */
    const int64_t *offsets;
    const int32_t *sequence;   /* NULL: position p is stored index p */
    const int32_t *old_of_new; /* of the set that is cut */
    int32_t n_lists, n_tables;
    mplan_check_list *lists;
    mplan_check_table *tables;
} mplan_check_cut;

/* Views of the block set's and, with a loop >= 0, the pair's arrays. Block
 * offsets and sequence must be proved. Zero a cut first; close it in any case. */
mplan_status mplan_check_cut_open(const mplan_check *check, int32_t block_set, int32_t loop,
                                  mplan_check_cut *cut, mplan_error *err);
void mplan_check_cut_close(mplan_check_cut *cut);

/* Element at a position of a block set; -1: a hole. */
static inline int32_t mplan_check_element(const mplan_check_cut *cut, int64_t position)
{
    if (cut->sequence)
        return cut->sequence[position];
    return cut->old_of_new[position] >= 0 ? (int32_t)position : -1;
}
/* Where the rows of a block begin in a table's local ids. */
static inline int64_t mplan_check_rows_begin(const mplan_check_cut *cut,
                                             const mplan_check_table *table, int64_t block)
{
    if (table->map->arity)
        return cut->offsets[block] * table->map->arity;
    return table->begins ? table->begins[block] : table->map->offsets[cut->offsets[block]];
}

/* check_threads.c: thread colours of a variant. */
mplan_status mplan_check_threads(mplan_check *check, int32_t loop, int32_t variant,
                                 const mplan_check_cut *cut, mplan_error *err);

#endif
