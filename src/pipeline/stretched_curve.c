/* SPDX-License-Identifier: Apache-2.0 */
/* stretched_curve.c - a Hilbert curve through coordinates in the metric of the mesh's own edges
 *
 * Where all cells are equally flat, in whatever direction, one linear map makes them round: points that are near in its coordinates are
 * near in the mesh again, and the curve is what it is on cubes. On boxes of hexes whose cells read 18 neighbours an order takes half as long
 * as by clusters (order/agglomerate.c), and runs of 256 cells touch 12 % fewer points. Cells that are flat in one place
 * and round in another, or flat in many directions (boundary layers), have no such map: the sample says so, and clusters are made. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/threads.h"
#include "order/order.h"
#include "pipeline/sample_orders.h"

enum { SAMPLED_ROWS = 1 << 14, PIECE = 1 << 13 };

/* spread: sum of products of the distances from the middle of each row that is looked at, which follows any linear map of the
 * coordinates; then the lower triangle L with spread = L L'. */
typedef struct stretch {
    int32_t dimension;
    double spread[3][3];
    const double *from;
    double *to;
} stretch;

static void add_row(stretch *s, const int32_t *row, int32_t length)
{
    double middle[3] = {0, 0, 0};
    int32_t there = 0;
    for (int32_t k = 0; k < length; k++) {
        there += row[k] >= 0;
        for (int32_t d = 0; d < s->dimension && row[k] >= 0; d++)
            middle[d] += s->from[(int64_t)row[k] * s->dimension + d];
    }
    for (int32_t k = 0; k < length; k++) {
        double off[3] = {0, 0, 0};
        for (int32_t d = 0; d < s->dimension && row[k] >= 0; d++)
            off[d] = s->from[(int64_t)row[k] * s->dimension + d] - middle[d] / there;
        for (int32_t d = 0; d < 3; d++)
            for (int32_t e = 0; e <= d; e++)
                s->spread[d][e] += off[d] * off[e];
    }
}

/* Of rows at equal distances. */
static void measure_spread(stretch *s, const mplan_map *map)
{
    const int64_t n = map->n_rows < SAMPLED_ROWS ? map->n_rows : SAMPLED_ROWS;
    for (int64_t i = 0; i < n; i++) {
        int32_t length;
        const int32_t *row = mplan_map_row(map, mplan_piece_begin(map->n_rows, n, i), &length);
        add_row(s, row, length);
    }
}

/* Cholesky's factor in place of the spread; 0 on the diagonal where nothing is spread, as in a plane in space. */
static void factorise(stretch *s)
{
    double(*l)[3] = s->spread, trace = 0;
    for (int32_t d = 0; d < s->dimension; d++)
        trace += l[d][d];
    for (int32_t d = 0; d < s->dimension; d++) {
        for (int32_t e = 0; e <= d; e++) {
            double rest = l[d][e];
            for (int32_t k = 0; k < e; k++)
                rest -= l[d][k] * l[e][k];
            if (e < d)
                l[d][e] = l[e][e] > 0 ? rest / l[e][e] : 0;
            else
                l[d][d] = rest > 1e-14 * trace ? sqrt(rest) : 0;
        }
    }
}

/* Points [begin, end): L y = x. */
static void stretch_some(void *data, int thread, int64_t begin, int64_t end)
{
    const stretch *s = data;
    const int32_t dimension = s->dimension;
    (void)thread;
    for (int64_t p = begin; p < end; p++) {
        const double *x = s->from + p * dimension;
        double *y = s->to + p * dimension;
        for (int32_t d = 0; d < dimension; d++) {
            double rest = x[d];
            for (int32_t k = 0; k < d; k++)
                rest -= s->spread[d][k] * y[k];
            y[d] = s->spread[d][d] > 0 ? rest / s->spread[d][d] : 0;
        }
    }
}

mplan_status mplan_planning_stretched_curve(const mplan_map *maps, int32_t n_maps,
                                            int32_t dimension, const double *coordinates,
                                            int32_t *new_of_old, bool *follows,
                                            const mplan_context *context, mplan_error *err)
{
    assert(maps && n_maps > 0 && coordinates && new_of_old && follows);
    assert(dimension == 2 || dimension == 3);
    const int64_t n = maps[0].n_points;
    stretch s = {.dimension = dimension, .from = coordinates};
    int32_t *order = mplan_alloc(n, sizeof *order, err);
    s.to = mplan_alloc(n, (size_t)dimension * sizeof *s.to, err);
    mplan_status status = order && s.to ? MPLAN_OK : MPLAN_ERR_MEMORY;
    double share = 0;
    if (!status) {
        for (int32_t m = 0; m < n_maps; m++)
            measure_spread(&s, &maps[m]);
        factorise(&s);
        mplan_for(mplan_team_of(context), n, PIECE, stretch_some, &s);
        status = mplan_order_hilbert(n, dimension, s.to, order, context, err);
    }
    free(s.to);
    if (!status)
        status = mplan_planning_curve_share(maps, n_maps, order, context, &share, err);
    *follows = !status && share >= MPLAN_SHARE_FOR_STRETCHED;
    for (int64_t p = 0; p < n && *follows; p++)
        new_of_old[p] = order[p];
    free(order);
    return status;
}

mplan_status mplan_planning_curve_follows(const mplan_map *maps, int32_t n_maps, int32_t dimension,
                                          const double *coordinates, int32_t *new_of_old,
                                          bool *follows, const mplan_context *context,
                                          mplan_error *err)
{
    assert((maps || n_maps == 0) && coordinates && new_of_old && follows);
    double share = 1;
    mplan_status status = mplan_planning_curve_share(maps, n_maps, new_of_old, context, &share, err);
    *follows = share >= MPLAN_SHARE_FOR_ORDER;
    if (!status && !*follows)
        status = mplan_planning_stretched_curve(maps, n_maps, dimension, coordinates, new_of_old,
                                                follows, context, err);
    return status;
}
