/* SPDX-License-Identifier: Apache-2.0 */
/* native_split.c - a pair of blocks cut anew along a smooth border
 *
 * Elements of the first block start at -1, those of the second at 1; values are
 * averaged back and forth over points and elements, and the smallest become the
 * first side, as many as it had. A few sweeps of this power iteration, warm from
 * the cut at hand, straighten the border as the eigenvector of the pair would
 * (Fiedler 1975). Sums run in the order of the rows.
 * Pair after pair, and kept whatever it costs, it is motion by mean curvature with sizes kept (Merriman, Bence, Osher, J. Comput.
 * Phys. 112, 1994): the first passes without coordinates, in the place of Lloyd's sweeps (native_schedule.c).
 *
 * What it brings (tools/bench/ablation: S = 128, 150,000 cells, reuse / seconds with and without): tets to nodes without coordinates
 * 9.315 / 0.56 and 9.207 / 0.25, effort best 9.535 / 3.5 and 9.438 / 1.4; best with coordinates 0.1 to 0.4 % for 2.3 times the time. */
#include <assert.h>

#include "partition/native/native_split.h"

/* The elements of the smallest values become the first side, as many as it has; ties by number,
 * so that the result is one. */
static void split_by_value(native_pair *pair)
{
    int32_t first = pair->size[0];
    for (int32_t e = 0; e < pair->n; e++) {
        pair->ranked[e] = (native_ranked){pair->value[e], e};
        pair->elements[e].side = 1;
    }
    mplan_native_select(pair->ranked, pair->n, first);
    for (int32_t i = 0; i < first; i++)
        pair->elements[pair->ranked[i].index].side = 0;
}

/* Points take the mean of their elements in the pair; 0 where none is listed. */
static void average_points(native_pair *pair)
{
    for (int32_t p = 0; p < pair->n_points; p++) {
        const pair_point *point = &pair->points[p];
        float sum = 0;
        for (int32_t i = point->begin; i < point->end; i++)
            sum += pair->value[pair->touch[i]];
        int32_t count = point->end - point->begin;
        pair->point_value[p] = count > 0 ? sum / (float)count : 0;
    }
}

/* value[e]: mean over the points of its row. */
static void average_elements(native_pair *pair)
{
    for (int32_t e = 0; e < pair->n; e++) {
        int32_t length;
        const int32_t *row = pair_row(pair, e, &length);
        float sum = 0;
        for (int32_t k = 0; k < length; k++)
            sum += pair->point_value[row[k]];
        if (length > 0)
            pair->value[e] = sum / (float)length;
    }
}

/* Sides as +1 and -1, averaged over common points `sweeps` times, give a value
 * along which the pair is cut again: a few steps of power iteration, in the
 * place of coordinates. */
void mplan_native_split_smooth(native_pair *pair, int32_t sweeps)
{
    assert(pair && sweeps > 0);
    for (int32_t e = 0; e < pair->n; e++)
        pair->value[e] = pair->elements[e].side ? 1 : -1;
    for (int32_t i = 0; i < sweeps; i++) {
        average_points(pair);
        average_elements(pair);
    }
    split_by_value(pair);
}
