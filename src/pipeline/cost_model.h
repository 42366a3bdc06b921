/* SPDX-License-Identifier: Apache-2.0 */
/* cost_model.h - how long a loop will take under a strategy, without a device
 *
 * The time of a kernel is that of the part of the device that is busy longest: memory,
 * the L2 cache, arithmetic, atomic adds, shared memory. meshplan-plan(1) has the
 * formulas; their constants were fitted to kernels on an H200. */
#ifndef MPLAN_COST_MODEL_H
#define MPLAN_COST_MODEL_H

#include "meshplan.h"

/* What the model knows of a loop. "The points" are those of the set that it increments;
 * other sets are reached by reading, and in loops that do not gather by writing too. */
typedef struct mplan_loop_shape {
    int64_t elements;
    int64_t points;        /* members of the incremented set; 0: nothing is incremented */
    int64_t active;        /* of them, those that an element increments */
    int64_t entries;       /* >= 0, of the increment maps */
    int64_t valence_max;   /* most entries of one point */
    int32_t columns;       /* slots of the increment maps */
    int32_t local_columns; /* of all maps to the points; >= columns */
    double other_slots;    /* of the maps to other sets, a mean where they are ragged */
    int32_t dimension;     /* of the mesh, 2 or 3 */
    bool conflicts;        /* something is written or incremented through a map */
    bool writes;           /* and some of it not by adding: only colours keep elements apart */
    bool gathers;          /* block-gather can serve it (formats/plan-format.md, section 4) */
    bool recomputes;       /* and owner-gather: directly it reads or writes only */
    double direct_read;    /* bytes of an element's own data */
    double direct_written;
    double point_bytes;     /* read of a point */
    double increment_bytes; /* incremented of a point */
    double added_numbers;   /* atomic adds of an element, in f64: a number of f32 is half */
    double other_bytes;     /* of other sets, the whole loop, each member once a pass */
    double other_row;       /* of other sets, an element, slot by slot */
    double flops;           /* of an element; only f32 counts half */
    int64_t shared_bytes;   /* limit of what a block stages */
    bool large; /* an element may break the limits of a block by itself: no strategy with blocks can serve the loop */
    bool apart; /* columns of the increment map name each point once at most: blocks can be summed in rounds, without lists */
    int32_t round; /* elements of a round of block-gather that were asked for; 0: none, and the model may choose where open_round */
    bool open_round;
} mplan_loop_shape;

/* A choice and its time in seconds; infinite where nothing serves. */
typedef struct mplan_loop_choice {
    mplan_strategy strategy;
    mplan_sums sums;
    int32_t block_size;
    double seconds;
} mplan_loop_choice;

/* Seconds of a launch and the wait for the one before: of the profile, or what is assumed. */
double mplan_cost_launch(const mplan_device *device);

/* Distinct points that the elements of a block touch, a mean, estimated. */
double mplan_cost_points_per_block(const mplan_loop_shape *shape, int32_t block_size);

/* Elements of a round that block-gather with blocks of this size has, if it is asked for or chosen; 0: blocks have one round. */
int32_t mplan_cost_round(const mplan_loop_shape *shape, const mplan_device *device, mplan_sums sums,
                         int32_t block_size);

/* Seconds of a loop; infinite when the strategy cannot serve it. */
double mplan_cost_seconds(const mplan_loop_shape *shape, const mplan_device *device,
                          mplan_strategy strategy, mplan_sums sums, int32_t block_size);

/* The fastest choice; without `nondeterministic` among those that give equal bits.
 * block_size: the only one to look at; 0: 64, 128, 256, 384 and 512. A choice without
 * blocks names the size at which block-gather would be fastest, 256 where it cannot serve. */
mplan_loop_choice mplan_cost_choose(const mplan_loop_shape *shape, const mplan_device *device,
                                    bool nondeterministic, int32_t block_size);

#endif
