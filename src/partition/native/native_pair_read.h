/* SPDX-License-Identifier: Apache-2.0 */
/* native_pair_read.h - the scratch in which two blocks are refined
 *
 * Elements and points get numbers here as they are met: a point brings all its
 * elements of both blocks, an element its points only when it may move. What lies
 * far from the border is never read. */
#ifndef MPLAN_NATIVE_PAIR_READ_H
#define MPLAN_NATIVE_PAIR_READ_H

#include "partition/native/native_match.h"
#include "partition/native/native_select.h"

typedef struct pair_place { /* of a hash table of points */
    int32_t point;
    uint32_t id; /* and which pair it is of: above ID_BITS */
} pair_place;

typedef struct pair_link {
    int32_t next, previous;
} pair_link;

/* An element that changes waits, out of its list, until the move is done. */
enum { NATIVE_OUT = 0, NATIVE_LISTED = 1, NATIVE_LOCKED = 2, NATIVE_WAITING = 3 };

typedef struct pair_element {
    int32_t element; /* of the table */
    int32_t row;     /* first entry in rows; -1: not read */
    int32_t gain;
    uint16_t length;
    uint8_t side, state;
} pair_element;

typedef struct pair_point {
    int32_t point;      /* of the table */
    int32_t count[2];   /* elements of each side that touch it */
    int32_t begin, end; /* in touch: its elements, those of long rows left out */
    int32_t weight;     /* 0: a hub */
} pair_point;

typedef struct pair_lists pair_lists;   /* native_pair_lists.h */
typedef struct native_flow native_flow; /* native_flow.h */

typedef struct native_pair {
    native_cut *cut;
    int32_t longest; /* rows above it stay where they are */
    bool pinned;     /* and there are some */
    int32_t block[2];
    int32_t n, n_points, n_entries, n_touch;
    bool at_border;              /* all its elements touch points that both blocks touch */
    pair_element *elements;      /* 2 S */
    pair_point *points;          /* 4 S longest: half of them of rows */
    int32_t *rows, *touch;       /* 2 S longest: points and elements of the pair */
    pair_link *link;             /* in lists by gain; then the heads of the lists of each side */
    int32_t *waiting, n_waiting; /* elements between two lists */
    int32_t *moved;              /* elements in the order of their moves */
    int32_t size[2];
    int64_t *set_points; /* 2 x n_sets: points of each side and all hubs; NULL unless
                               limits bind */
    int32_t range;       /* gains of lists: -range ... range */
    int32_t top[2];      /* no list above is in use */
    pair_place *place;   /* a hash table */
    int32_t bits;        /* of them are in use; grows with what pairs hold */
    uint32_t now;        /* the pair at hand */
    pair_lists *lists;   /* NULL where the cut has none */
    native_flow *flow;   /* NULL where no pass needs it, or rows are pinned */
    int64_t doubted,
        surprises; /* pairs refined whose best element would cost 1, and how many of them gained */
    /* splitting: per element, per point */
    float *value, *point_value;
    native_ranked *ranked;
} native_pair;

/* What a pair has before any point or element is read. */
void mplan_native_pair_begin(native_pair *pair, const native_block_pair *block_pair);
/* The number of a point in the pair, which is read on its first call. */
int32_t mplan_native_pair_point(native_pair *pair, int32_t point);
/* Reads all members of both blocks; those of the first come first. */
void mplan_native_pair_members(native_pair *pair);
/* Reads the row of an element. */
void mplan_native_pair_row(native_pair *pair, int32_t e);

static inline const int32_t *pair_row(native_pair *pair, int32_t e, int32_t *length)
{
    if (pair->elements[e].row < 0)
        mplan_native_pair_row(pair, e);
    *length = pair->elements[e].length;
    return pair->rows + pair->elements[e].row;
}

/* From now on `now` elements of a side touch a point. */
static inline void mplan_native_pair_count(native_pair *pair, pair_point *point, int32_t side,
                                           int32_t now)
{
    if (pair->set_points && (now > 0) != (point->count[side] > 0)) {
        const native_table *table = pair->cut->table;
        int32_t set = native_set_of(table, point->point);
        pair->set_points[side * table->n_sets + set] += now > 0 ? 1 : -1;
    }
    point->count[side] = now;
}

#endif
