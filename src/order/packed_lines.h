/* SPDX-License-Identifier: Apache-2.0 */
/* packed_lines.h - points in cache lines: what line_packing.c makes and line_places.c puts into an order */
#ifndef MPLAN_PACKED_LINES_H
#define MPLAN_PACKED_LINES_H

#include "base/memory.h"
#include "order/block_lists.h"

/* Points of a line; longer lists of blocks are not packed. */
enum { MPLAN_LINE = 4, MPLAN_PACKED_LIST = 32 };

/* Points order[first ... first + n) of one list; the first `left` are not packed. */
typedef struct mplan_line_group {
    int64_t first, list; /* list: where the list begins in lists.blocks */
    int32_t n, left, length;
} mplan_line_group;

/* A line: points of at most MPLAN_LINE groups; none when it was joined to another. */
typedef struct mplan_packed_line {
    int32_t n;
    int32_t point[MPLAN_LINE], group[MPLAN_LINE];
} mplan_packed_line;

/* A packing as it is made. */
typedef struct mplan_packing {
    mplan_block_lists lists;
    int32_t *order;      /* n_points: by their lists */
    mplan_vector groups; /* mplan_line_group: those to be packed, by their lists */
    int32_t *single;     /* per block its group of points of no other; -1 */
    mplan_vector lines;  /* mplan_packed_line: the packed ones */
    mplan_vector mentions;
    int32_t *mentioned; /* per block the first of its mentions; -1 */
    int32_t *common;    /* per line, while a partner is sought: zero, or blocks in common */
    int32_t *met;       /* lines whose `common` is not zero */
    int64_t n_met;
    int32_t *hope; /* per line: blocks in common with the best partner, when one was last sought */
} mplan_packing;

/* Valid until a group is added. */
static inline mplan_line_group *mplan_packing_groups(const mplan_packing *p)
{
    return p->groups.data;
}

/* Valid until a line is added. */
static inline mplan_packed_line *mplan_packing_lines(const mplan_packing *p)
{
    return p->lines.data;
}

/* Blocks of group g's points, ascending, of which there are *n <= MPLAN_PACKED_LIST. */
static inline const int32_t *mplan_group_list(const mplan_packing *p, int64_t g, int32_t *n)
{
    const mplan_line_group *group = mplan_packing_groups(p) + g;
    *n = group->length;
    return p->lists.blocks + group->list;
}

/* The blocks that touch a line, ascending; out has room for MPLAN_LINE * MPLAN_PACKED_LIST. Returns how many. */
int32_t mplan_line_blocks(const mplan_packing *p, const mplan_packed_line *at, int32_t *out);

/* Puts lines into the lexicographic order of their blocks and gives places to their points: new_of_old, one per point. *storage: the
 * number of places, holes included where `padded`. */
mplan_status mplan_packing_order(const mplan_packing *p, bool padded, int32_t *new_of_old,
                                 int64_t *storage, const mplan_context *context, mplan_error *err);

#endif
