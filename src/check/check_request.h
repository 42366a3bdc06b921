/* SPDX-License-Identifier: Apache-2.0 */
/* check_request.h - what was asked of a plan, as its section REQUEST says it
 *
 * Section 11 of formats/plan-format.md. The text is read by check_request.c with code of its own
 * and held against the records there, in check_choices.c and in check_sets.c. */
#ifndef MPLAN_CHECK_REQUEST_H
#define MPLAN_CHECK_REQUEST_H

#include "check/check.h"

/* The lines behind those of the loops; what they leave open has the value in brackets. Sizes are elements
 * (block_size), points, bytes and threads of a block. primary, target and cut_by have no line: they follow from the
 * plan and are filled in by mplan_check_choices, before check_sets.c asks for them. */
typedef struct mplan_asked {
    int64_t block_size, max_points, shared_bytes; /* [0] */
    int32_t n_strategies;                         /* [0] */
    mplan_strategy strategies[MPLAN_MAX_STRATEGIES];
    bool nondeterministic, keep_better;
    mplan_sums sums;
    mplan_encoding encoding;                          /* [MPLAN_ENCODING_NONE] */
    int64_t block_threads;                            /* [0] */
    mplan_partitioner partitioner;                    /* [MPLAN_PARTITIONER_AUTO] */
    mplan_renumber renumber;                          /* [MPLAN_RENUMBER_AUTO] */
    mplan_point_order point_order;                    /* [MPLAN_POINTS_AUTO] */
    mplan_sums_order sums_order;                      /* [MPLAN_SUMS_ORDER_STORED] */
    int64_t device_memory, steps_per_visit, segments; /* [0] */
    int layouts;                         /* [0], else 1 + the mplan_layout of all dats */
    int64_t slice_rows;                  /* [0] */
    int64_t elements_per_thread;         /* [0] */
    int64_t bound_blocks;                /* [0] */
    bool by_entry;                       /* of windows16 [false] */
    int64_t rings;                       /* [0] */
    int64_t round;                       /* of block-gather [0] */
    int64_t slab_levels, launch_streams; /* [0] */
    char device[32];
    int64_t device_bytes; /* that a block may stage there */
    int32_t primary;      /* loop */
    int32_t target;       /* set whose points decide the order; -1: the primary loop has no maps */
    mplan_partitioner cut_by; /* partitioner, chosen where it was left open */
} mplan_asked;

/* check_large.c: whether an element of the loop by itself touches more points of a set, or stages more bytes. */
mplan_status mplan_check_large(const mplan_check *check, int32_t loop, int64_t max_points,
                               int64_t shared_bytes, bool *large, mplan_error *err);

/* check_choices.c: variants and block sets are what the request leads to. */
mplan_status mplan_check_choices(const mplan_check *check, mplan_asked *asked, mplan_error *err);

/* check_sets.c: renumbering, holes, splits, layouts and versions are, too. The mesh may be NULL. */
mplan_status mplan_check_sets(const mplan_check *check, const mplan_asked *asked,
                              const mplan_mesh *mesh, mplan_error *err);

/* Whether a loop writes or increments through a map. */
static inline bool mplan_check_writes(const mplan_check *check, int32_t loop)
{
    bool writes = false;
    for (int32_t m = 0; m < check->loops[loop].n_maps; m++)
        writes = writes || check->loops[loop].written[m];
    return writes;
}

/* The first strategy that was asked for, or else chosen, for a loop: the variant's own but where
 * there is nothing to gather. */
static inline mplan_strategy mplan_check_first_strategy(const mplan_check *check,
                                                        const mplan_asked *asked, int32_t loop)
{
    return asked->n_strategies ? asked->strategies[0] : check->plan->loops[loop].variants[0].strategy;
}

#endif
