/* pipeline.h - the state of planning, as it passes from step to step
 *
 * resolve -> order -> block sets -> variants -> plan. `sets` and `maps` are
 * those of the plan: what the loops touch, sets that are split in the order of
 * the splits, all else in the order of first mention. */
#ifndef MPLAN_PIPELINE_H
#define MPLAN_PIPELINE_H

#include "meshplan.h"
#include "partition/partition.h"
#include "pipeline/cost_model.h"
#include "plan/plan.h"
#include "tables/tables.h"

typedef struct planning_set {
    int32_t mesh_set;
    int64_t size;
    int64_t storage;     /* places of the order: size, but where it has holes */
    int32_t *new_of_old; /* NULL until the set is ordered */
    mplan_renumber renumber;
    bool kept;
    int64_t bandwidth[3], profile[3];
} planning_set;

typedef struct planning_map {
    int32_t mesh_map;
    int32_t from, to; /* planning sets */
    int64_t *offsets; /* in stored order; NULL for fixed maps */
    int32_t *values;
} planning_map;

/* What keeps most strategies from a loop (side_by_side.c): a word of section 10 of
 * formats/plan-format.md, and the args it is about; equal ones: that arg alone. */
typedef struct planning_side {
    int word;
    int32_t first, second;
} planning_side;

typedef struct planning_loop {
    const mplan_loop *loop;
    int32_t set;
    int32_t *arg_map;    /* per arg the planning map; -1: direct */
    int32_t n_maps;      /* distinct maps of the args */
    int32_t *maps;
    bool *map_written;   /* the loop writes or increments through it */
    int32_t n_targets;   /* distinct to-sets of the maps */
    int32_t *targets;    /* ascending */
    int32_t n_dats;      /* distinct dats accessed through maps */
    mplan_staged_dat *dats;
    int32_t n_strategies; /* chosen or asked for; the first is the default */
    mplan_strategy strategies[MPLAN_MAX_STRATEGIES];
    mplan_sums sums;      /* of block-gather */
    mplan_layout *arg_layout; /* per arg: advised for its dat */
    planning_side side;
} planning_loop;

/* A cut of a from-set into blocks. */
typedef struct planning_blocks {
    int64_t n_blocks;
    int64_t *offsets;  /* n_blocks + 1 */
    int32_t *sequence; /* NULL: runs of the stored order */
    mplan_block_origin origin;
} planning_blocks;

typedef struct planning {
    mplan_mesh *mesh;
    const mplan_plan_options *asked;   /* as the caller gave them */
    const mplan_plan_options *options; /* with what was left to choose filled in */
    const mplan_context *context;
    mplan_device device;
    int32_t n_sets, n_maps, n_loops, primary;
    planning_set *sets;
    planning_map *maps;
    planning_loop *loops;
    double curve_share;             /* of the primary loop's points (sample_orders.c); 1 where not measured */
    planning_blocks primary_blocks; /* until the block sets take it over */
    int32_t n_cuts;                 /* block sets so far; their arrays are the plan's */
    planning_blocks *cuts;
    mplan_plan *plan;
    mplan_plan_times times;
} planning;

/* resolve.c: finds or derives what the loops name, splits, refuses. */
mplan_status mplan_planning_resolve(planning *plan, int32_t n_loops, const mplan_loop *loops,
                                    mplan_error *err);
void mplan_planning_free(planning *plan);

/* side_by_side.c: fills side; refuses a loop that no strategy may run. */
mplan_status mplan_planning_side_by_side(planning_loop *loop, mplan_error *err);
/* Whether, by that, a strategy may run it, and whether only strategies with colours may. */
bool mplan_planning_may_run(const planning_loop *loop, mplan_strategy strategy);
bool mplan_planning_needs_colours(const planning_loop *loop);
/* MPLAN_ERR_ARGUMENT with the dat, the args and why, when it may not. */
mplan_status mplan_planning_refuse_strategy(const planning_loop *loop, mplan_strategy strategy,
                                            mplan_error *err);
/* Warns of a loop that is planned, but that no executor has a kernel for. */
void mplan_planning_warn_of_kernels(const planning *plan, const planning_loop *loop);

/* Views of a map whose from and to are planning sets: as the mesh has it, and
 * as it is stored, when n_points counts holes. */
mplan_map mplan_planning_mesh_map(const planning *plan, int32_t map);
mplan_map mplan_planning_stored_map(const planning *plan, int32_t map);

/* plan_create.c: the options of a request, what only the library may default filled in. */
mplan_status mplan_planning_options(const mplan_plan_options *given, mplan_plan_options *options,
                                    mplan_device *device, mplan_error *err);

/* request_text.c: the request in canonical form; NULL with err filled. */
char *mplan_planning_request(const planning *plan, mplan_error *err);

/* choose.c: strategies, block size, partitioner, point order and layouts that were left
 * to choose. */
mplan_status mplan_planning_choose(planning *plan, mplan_plan_options *options, mplan_error *err);

/* loop_shape.c: what the cost model has to know of a loop. Linear in its maps. */
mplan_status mplan_planning_shape(const planning *plan, const planning_loop *loop,
                                  mplan_loop_shape *shape, mplan_error *err);

/* layouts.c: arg_layout of every loop, whose strategies are chosen. */
mplan_status mplan_planning_layouts(planning *plan, mplan_error *err);

/* dat_uses.c: an arg that names a dat. */
typedef struct planning_use {
    const char *dat;
    int32_t loop, arg;
} planning_use;
/* All args of all loops by the names of their dats, those of a dat by loop and arg: *n entries from mplan_alloc. */
mplan_status mplan_planning_uses(const planning *plan, planning_use **uses, int64_t *n, mplan_error *err);
/* Where the dat that begins at `begin` ends. */
int64_t mplan_planning_uses_end(const planning_use *uses, int64_t n, int64_t begin);

/* centroids.c: coordinates of a set: its own, or for each member the
 * mean of the points of a map to a set that has some. *coordinates stays NULL
 * without any; *owned says that the caller frees it. */
mplan_status mplan_centroids(const mplan_mesh *mesh, int32_t set, int32_t *dimension,
                             const double **coordinates, bool *owned,
                             const mplan_context *context, mplan_error *err);
/* The same for a planning set. */
mplan_status mplan_planning_coordinates(const planning *plan, int32_t set, int32_t *dimension,
                                        const double **coordinates, bool *owned,
                                        mplan_error *err);

/* sample_orders.c: points that blocks of 128 elements touch when points go as order/agglomerate.c has them, as a
 * share of what they touch along an order by coordinates (new_of_old; all maps lead to its set), by a sample of
 * at most 32,768 points. Linear in the maps; scratch of the sample. */
mplan_status mplan_planning_curve_share(const mplan_map *maps, int32_t n_maps,
                                        const int32_t *new_of_old, const mplan_context *context,
                                        double *share, mplan_error *err);
/* Below the first share AUTO leaves coordinates aside: on round cells the two orders differ by less, and
 * Hilbert's touches fewer cache lines. Below the second the native partitioner does: tets in a box, whose share
 * is 0.88, have 3 % more reuse without coordinates, but take 2.4 times as long. */
#define MPLAN_SHARE_FOR_ORDER 0.98
#define MPLAN_SHARE_FOR_BLOCKS 0.85

/* partition_loop.c: blocks of a loop's elements in a numbering in which the
 * loop's maps are `maps` (one per map of the loop). element_order: mesh's member
 * -> that numbering. block: one per element in that numbering; blocks are
 * numbered so that neighbours share points, or along the Hilbert curve that was
 * cut, or (no partitioner) along the numbering; *origin is how they came about. An element that
 * alone breaks a limit: MPLAN_ERR_ARGUMENT, named as the mesh numbers it. */
mplan_status mplan_planning_partition(planning *plan, const planning_loop *loop,
                                      const mplan_map *maps, const int32_t *element_order,
                                      int32_t *block, int64_t *n_blocks,
                                      mplan_block_origin *origin, mplan_error *err);
/* The same by runs of that numbering. */
mplan_status mplan_planning_runs(const planning *plan, const planning_loop *loop,
                                 const mplan_map *maps, int32_t *block, int64_t *n_blocks,
                                 mplan_error *err);
/* Limits for the blocks of a loop whose maps are `maps`. */
mplan_block_limits mplan_planning_limits(const planning *plan, const planning_loop *loop,
                                         const mplan_map *maps);

/* order_sets.c: orders every set, the primary loop first; fills primary_blocks. */
mplan_status mplan_planning_order(planning *plan, mplan_error *err);
/* Stores every map. */
mplan_status mplan_planning_store_maps(planning *plan, mplan_error *err);

/* block_sets.c: block sets, their tables and metrics, of every loop. */
mplan_status mplan_planning_block_sets(planning *plan, mplan_error *err);

/* variants.c: the variants of a loop, with the colours and lists of their strategies. */
mplan_status mplan_planning_variants(planning *plan, int32_t loop, int32_t block_set,
                                     int64_t shared_bytes_max, mplan_error *err);

/* The part of a loop that makes its elements conflict: maps by which it writes. */
typedef struct conflict_maps {
    int32_t n_maps;
    mplan_map *maps; /* stored */
    int32_t *which;  /* planning maps */
} conflict_maps;

/* variants.c: block colours of a block set, and the launches by them. */
mplan_status mplan_planning_block_colours(planning *plan, int32_t loop, int32_t variant,
                                          const conflict_maps *conflict,
                                          const planning_blocks *blocks,
                                          mplan_plan_variant *record, mplan_error *err);

/* gathering.c: the tables of block-gather and owner-gather; refuses loops that do not
 * gather (formats/plan-format.md, below VARIANTS). */
mplan_status mplan_planning_block_gather(planning *plan, int32_t loop, int32_t variant,
                                         const conflict_maps *conflict,
                                         const planning_blocks *blocks,
                                         mplan_plan_variant *record, mplan_error *err);
mplan_status mplan_planning_owner_gather(planning *plan, int32_t loop, int32_t variant,
                                         mplan_plan_variant *record, mplan_error *err);

/* Seconds since an arbitrary moment, for the report. */
double mplan_planning_clock(void);
/* User seconds of this process and of its children that have ended. */
double mplan_planning_cpu(void);

#endif
