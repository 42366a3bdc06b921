/* SPDX-License-Identifier: Apache-2.0 */
/* cost_layers.h - how long a loop with layers will take under a strategy, without a device
 *
 * As cost_model.h, for columns of layers: bytes and sums are counted by layer and level, tables by column. */
#ifndef MPLAN_COST_LAYERS_H
#define MPLAN_COST_LAYERS_H

#include "pipeline/planning.h"

/* How the rows of matrices lie. */
typedef enum mplan_matrix_way {
    MPLAN_MATRIX_NONE, /* the loop has no matrix */
    MPLAN_MATRIX_OWNER,
    MPLAN_MATRIX_COMPONENTS, /* LFRic's matrix(ik,df,df2) */
    MPLAN_MATRIX_MEMBERS     /* matrix(df,df2,ik) */
} mplan_matrix_way;

/* What the model knows of a loop with layers. A level of a point is touched where one of its elements has a layer; bytes of
 * levels are of the whole loop, each level once. */
typedef struct mplan_layers_shape {
    double cells;           /* layers of all elements together */
    double lanes;           /* of so many that the highest column would have: 0 to 1 */
    double matrix_bytes;    /* of a layer of an element */
    double own_bytes;       /* likewise, of other direct args, read and written */
    double read_bytes;      /* of levels that are read through maps */
    double increment_bytes; /* of levels that are incremented */
    double apart_bytes; /* a layer's points, read once and incremented twice, if nobody shares them */
    double result_bytes; /* what a layer brings to all of its slots */
    double added_numbers; /* atomic adds of a layer, slots one above the other combined; f64, f32 is half */
    double flat_bytes;   /* of dats without levels and of the rows of maps, once */
    double entries;      /* (layer, slot) pairs that increment something */
    int32_t slots;       /* of the increments */
    int32_t layers;      /* of the highest column that may be */
    double loads;        /* numbers that a layer of an element reads */
    double row_loads;    /* those that one slot of it needs: a row of the matrix */
    int64_t valence_max; /* most elements of a point, which colours keep apart */
    double flops;        /* of a layer of an element */
    bool conflicts;      /* something is incremented through a map */
    bool whole;          /* functions of whole columns */
    bool points_fastest; /* levels of a column are far apart */
    mplan_matrix_way matrix;
} mplan_layers_shape;

/* Linear in the maps of the loop, and in its elements where their columns differ. */
mplan_status mplan_planning_layers_shape(const planning *p, const planning_loop *loop,
                                         mplan_layers_shape *shape, mplan_error *err);

/* Seconds; infinite where the strategy cannot read the matrices as they lie. */
double mplan_cost_layers_seconds(const mplan_layers_shape *shape, const mplan_device *device,
                                 mplan_strategy strategy);

#endif
