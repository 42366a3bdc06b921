/* SPDX-License-Identifier: Apache-2.0 */
/* planning.h - the state of planning, as it passes from step to step (steps.h)
 *
 * `sets` and `maps` are those of the plan: what the loops touch, sets that are split in the order
 * of the splits, all else in the order of first mention. */
#ifndef MPLAN_PLANNING_H
#define MPLAN_PLANNING_H

#include "meshplan.h"
#include "order/level_major.h"
#include "pipeline/device_file.h"
#include "partition/partition.h"
#include "plan/plan.h"
#include "plan/strategies.h"

/* A set of the plan. The three figures of bandwidth and profile are those of the input order, of
 * the renumbered one and of the stored one; -1 where they were not measured (only the set that
 * the primary loop leads to is). */
typedef struct planning_set {
    int32_t mesh_set;
    int64_t size;
    int64_t storage;     /* places of the order: size, but where it has holes */
    int32_t *new_of_old; /* NULL until the set is ordered */
    mplan_renumber renumber;
    bool kept;
    int64_t bandwidth[3], profile[3];
    const mplan_layered_set *layered; /* of the request, or file_layers; NULL: no layers */
    mplan_layered_set file_layers;    /* what the mesh itself says, or the request with `mask` */
    uint32_t *mask; /* of the request, bits 0 beside its ranges; NULL: it has none */
} planning_set;

/* A map of the plan. Until step_store.c its entries are the mesh's own
 * (mplan_planning_mesh_map); then values and offsets hold them once more, rows by the order of
 * `from`, entries by that of `to`, -1 for none. */
typedef struct planning_map {
    int32_t mesh_map;
    int32_t from, to; /* planning sets */
    int64_t *offsets; /* in stored order; NULL for fixed maps */
    int32_t *values;
} planning_map;

/* What keeps most strategies from a loop (side_by_side.c): a word of section 10 of
 * formats/plan-format.md, and the args it is about; equal ones: that arg only. */
typedef struct planning_side {
    int word;
    int32_t first, second;
} planning_side;

/* What the cost model says of a loop; reason NONE: it was not asked. */
typedef struct planning_view {
    double seconds[MPLAN_N_STRATEGIES]; /* of a launch; infinite: it cannot run the loop */
    mplan_choice_reason reason;
    mplan_strategy runner_up; /* MPLAN_N_STRATEGIES: none */
} planning_view;

/* A loop of the request as planning needs it. Arrays by arg have loop->n_args entries, arrays by
 * map n_maps, and targets n_targets; all are planning's. */
typedef struct planning_loop {
    const mplan_loop *loop;
    int32_t set;
    int32_t *arg_map; /* per arg the planning map; -1: direct */
    bool *arg_once; /* per arg: it writes or updates through a map that leads to each point at most once */
    int32_t n_maps; /* distinct maps of the args */
    int32_t *maps;
    bool *map_written; /* the loop writes or increments through it, not only to points once each */
    int32_t n_targets; /* distinct to-sets of the maps */
    int32_t *targets;  /* ascending */
    int32_t n_dats;    /* distinct dats accessed through maps */
    mplan_staged_dat *dats;
    int32_t n_strategies; /* chosen or asked for; the first is the default */
    mplan_strategy strategies[MPLAN_MAX_STRATEGIES];
    mplan_sums sums; /* of block-gather */
    int32_t round; /* of block-gather: elements of a round; 0, or not below the block size: none */
    planning_view view;       /* of the cost model, where it chose the strategy */
    mplan_layout *arg_layout; /* per arg: advised for its dat */
    planning_side side;
    int32_t block_set; /* that its blocks are in; since step_block_tables.c, as the next two */
    int64_t shared_bytes_max;     /* staged by one of those blocks */
    mplan_plan_variant *variants; /* n_strategies records, not yet in the plan; since step_colour.c */
    mplan_layered layering;
    mplan_arg_layers *arg_layers; /* per arg; NULL: the loop has no layers */
} planning_loop;

/* A cut of a from-set into blocks. */
typedef struct planning_blocks {
    int64_t n_blocks;
    int64_t *offsets;  /* n_blocks + 1 */
    int32_t *sequence; /* NULL: runs of the stored order */
    mplan_block_origin origin;
} planning_blocks;

/* The primary loop before its sets are stored: numberings of the mesh's members. */
typedef struct planning_numbering {
    int32_t target;  /* planning set that its deciding map leads to; -1: none */
    int32_t *points; /* per member of the target its place in the renumbered order; NULL without */
    int32_t *elements; /* per element its place: by its points, and by block once it has one */
    int32_t *block;    /* per element its block; NULL before step_partition.c */
} planning_numbering;

typedef struct mplan_planning_part mplan_planning_part; /* part_plan.h */
typedef struct mplan_mesh_facts mplan_mesh_facts;       /* mesh_facts.h */

typedef struct planning {
    mplan_mesh *mesh;
    const mplan_planning_part *part; /* the mesh is a part of another one; NULL: it is not */
    const mplan_mesh_facts *facts; /* the mesh has names only, and this is what is in it; NULL: it is all there */
    int32_t n_asked;               /* loops of the request */
    const mplan_loop *asked_loops;
    const mplan_plan_options *asked;   /* as the caller gave them */
    const mplan_plan_options *options; /* with what was left to choose filled in */
    mplan_plan_options *open;          /* the same, for step_choose.c only */
    const mplan_context *context;
    mplan_device device;
    char device_name[MPLAN_DEVICE_NAME]; /* of a profile from a file */
    int32_t n_sets, n_maps, n_loops, primary;
    planning_set *sets;
    planning_map *maps;
    planning_loop *loops;
    planning_numbering numbering; /* of the primary loop, from step_renumber.c to step_order.c */
    mplan_level_groups levels; /* with slabs, since step_renumber.c: of the members of all sets, as the mesh has them */
    int32_t level_set; /* whose members they count */
    uint8_t *level_piece; /* of each of these, as the mesh has them: piece of the order before levels (slab_pieces.c) */
    planning_blocks primary_blocks; /* until the block sets take it over */
    int32_t n_cuts;                 /* block sets so far; their arrays are the plan's */
    planning_blocks *cuts;
    mplan_plan *plan;
    mplan_plan_times times;
} planning;

void mplan_planning_free(planning *p);

/* Views of a map whose from and to are planning sets: as the mesh has it, and
 * as it is stored, when n_points counts holes. */
mplan_map mplan_planning_mesh_map(const planning *p, int32_t map);
mplan_map mplan_planning_stored_map(const planning *p, int32_t map);

/* The maps of a loop that lead to a planning set, as the mesh has them: how many; maps has room for
 * all of the loop's. */
int32_t mplan_planning_maps_to(const planning *p, const planning_loop *loop, int32_t set,
                               mplan_map *maps);

#endif
