/* SPDX-License-Identifier: Apache-2.0 */
/* hilbert.c - points along a Hilbert curve
 *
 * J. Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707 (2004): the
 * coordinates, as integers, become the curve's index bit plane by bit
 * plane. Only + - * / and comparisons touch the doubles, so that every machine
 * finds the same integers. */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "order/order.h"
#include "base/radix.h"

/* Lower corner and extent, both halved: differences of finite doubles then
 * stay finite. */
typedef struct half_box {
    double low[3];
    double extent;
} half_box;

enum { ROWS = 1 << 14, BATCH = 64 };

/* What threads share that walk over the points. */
typedef struct curve_work {
    int64_t n;
    int32_t dimension;
    const double *coordinates;
    half_box box;
    double (*corner)[6]; /* per piece of ROWS points: the lowest coordinates, then the highest */
    uint64_t *keys;
    int32_t *items, *new_of_old;
} curve_work;

/* Lowest and highest coordinates of pieces of ROWS points. Each begins with the first point of all, so
 * that pieces say together what one walk would, whatever is not a number. */
static void find_corners(void *data, int thread, int64_t begin, int64_t end)
{
    const curve_work *work = data;
    const int32_t dimension = work->dimension;
    (void)thread;
    for (int64_t p = begin; p < end; p++) {
        double *low = work->corner[p], *high = low + 3;
        const int64_t last = (p + 1) * ROWS < work->n ? (p + 1) * ROWS : work->n;
        for (int32_t d = 0; d < dimension; d++)
            low[d] = high[d] = work->coordinates[d];
        for (int64_t i = p * ROWS; i < last; i++)
            for (int32_t d = 0; d < dimension; d++) {
                double x = work->coordinates[i * dimension + d];
                low[d] = x < low[d] ? x : low[d];
                high[d] = x > high[d] ? x : high[d];
            }
    }
}

/* Smallest coordinate per axis and the largest extent, both halved, since the
 * difference of two doubles of opposite sign may overflow. One extent for all axes
 * keeps the curve's cells cubic. */
static mplan_status find_box(curve_work *work, mplan_team *team, mplan_error *err)
{
    const int64_t n_pieces = (work->n + ROWS - 1) / ROWS;
    half_box box = {{0, 0, 0}, 0};
    work->corner = mplan_alloc(n_pieces, sizeof *work->corner, err);
    if (!work->corner)
        return MPLAN_ERR_MEMORY;
    mplan_for(team, n_pieces, 1, find_corners, work);
    for (int32_t d = 0; d < work->dimension; d++) {
        double low = work->coordinates[d], high = low;
        for (int64_t p = 0; p < n_pieces; p++) {
            low = work->corner[p][d] < low ? work->corner[p][d] : low;
            high = work->corner[p][3 + d] > high ? work->corner[p][3 + d] : high;
        }
        box.low[d] = low / 2;
        if (high / 2 - low / 2 > box.extent)
            box.extent = high / 2 - low / 2;
    }
    free(work->corner);
    work->box = box;
    return MPLAN_OK;
}

/* In [0, 2^bits). A box without extent, and NaN, give 0. */
static uint32_t grid_coordinate(double x, double half_low, double half_extent, int32_t bits)
{
    double size = (double)(UINT32_C(1) << bits);
    double scaled = (x / 2 - half_low) / half_extent * size;
    if (!(scaled > 0))
        return 0;
    return scaled < size ? (uint32_t)scaled : (UINT32_C(1) << bits) - 1;
}

/* Skilling's AxestoTranspose, of BATCH points at once, which compilers make vectors of: afterwards bit b of x[0][i],
 * x[1][i], ... are the bits dimension * b + dimension - 1, ... of the index of point i. */
static void transpose_axes(uint32_t x[3][BATCH], int32_t dimension, int32_t bits)
{
    for (int32_t b = bits - 1; b > 0; b--) {
        uint32_t below = (UINT32_C(1) << b) - 1;
        for (int32_t d = 0; d < dimension; d++)
            for (int32_t i = 0; i < BATCH; i++) {
                /* bit set: invert the lower bits of x[0]; else exchange them with x[d]'s */
                uint32_t set = 0 - (x[d][i] >> b & 1);
                uint32_t exchange = (x[0][i] ^ x[d][i]) & below & ~set;
                x[0][i] ^= (below & set) | exchange;
                x[d][i] ^= exchange;
            }
    }
    for (int32_t d = 1; d < dimension; d++)
        for (int32_t i = 0; i < BATCH; i++)
            x[d][i] ^= x[d - 1][i];
    for (int32_t i = 0; i < BATCH; i++) {
        uint32_t flip = x[dimension - 1][i]; /* prefix of xor from the top, shifted by one */
        for (int32_t shift = 1; shift < 32; shift *= 2)
            flip ^= flip >> shift;
        for (int32_t d = 0; d < dimension; d++)
            x[d][i] ^= flip >> 1;
    }
}

/* Bits of x moved to the even places. */
static uint64_t spread_by_2(uint64_t x)
{
    x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
    x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
    x = (x | x << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    x = (x | x << 2) & UINT64_C(0x3333333333333333);
    return (x | x << 1) & UINT64_C(0x5555555555555555);
}

/* Bits of x (21 of them) moved to every third place. */
static uint64_t spread_by_3(uint64_t x)
{
    x = (x | x << 32) & UINT64_C(0x001f00000000ffff);
    x = (x | x << 16) & UINT64_C(0x001f0000ff0000ff);
    x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
    x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (x | x << 2) & UINT64_C(0x1249249249249249);
}

/* Places of n <= BATCH points on the Hilbert curve through a grid of 2^31 (2-D) or 2^21 (3-D)
 * cells per axis. Skilling's method leaves the index transposed: bit i of the axes in
 * turn; the last step interleaves them. */
static void curve_indices(const curve_work *work, int64_t first, int64_t n)
{
    uint32_t x[3][BATCH] = {{0}};
    const int32_t dimension = work->dimension, bits = dimension == 2 ? 31 : 21;
    for (int32_t i = 0; i < n; i++)
        for (int32_t d = 0; d < dimension; d++)
            x[d][i] = grid_coordinate(work->coordinates[(first + i) * dimension + d],
                                      work->box.low[d], work->box.extent, bits);
    transpose_axes(x, dimension, bits);
    for (int32_t i = 0; i < n; i++)
        work->keys[first + i] = dimension == 2
                                    ? spread_by_2(x[0][i]) << 1 | spread_by_2(x[1][i])
                                    : spread_by_3(x[0][i]) << 2 | spread_by_3(x[1][i]) << 1 |
                                          spread_by_3(x[2][i]);
}

/* Keys of the points [begin, end). */
static void find_keys(void *data, int thread, int64_t begin, int64_t end)
{
    const curve_work *work = data;
    (void)thread;
    for (int64_t i = begin; i < end; i += BATCH)
        curve_indices(work, i, end - i < BATCH ? end - i : BATCH);
    for (int64_t i = begin; i < end; i++)
        work->items[i] = (int32_t)i;
}

/* Places [begin, end) of the curve. */
static void write_places(void *data, int thread, int64_t begin, int64_t end)
{
    const curve_work *work = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        work->new_of_old[work->items[i]] = (int32_t)i;
}

void mplan_hilbert_keys(int64_t n, int32_t dimension, const double *coordinates,
                        const double low[3], const double high[3], uint64_t *keys)
{
    assert((dimension == 2 || dimension == 3) && low && high && (n == 0 || (coordinates && keys)));
    curve_work work = {.n = n, .dimension = dimension, .coordinates = coordinates, .keys = keys};
    for (int32_t d = 0; d < dimension; d++) {
        const double extent = high[d] / 2 - low[d] / 2;
        work.box.low[d] = low[d] / 2;
        work.box.extent = extent > work.box.extent ? extent : work.box.extent;
    }
    for (int64_t i = 0; i < n; i += BATCH)
        curve_indices(&work, i, n - i < BATCH ? n - i : BATCH);
}

/* coordinates: n rows of `dimension` doubles. Points of one grid cell keep the order of
 * their index, since the radix sort is stable. */
mplan_status mplan_order_hilbert(int64_t n, int32_t dimension, const double *coordinates,
                                 int32_t *new_of_old, const mplan_context *context, mplan_error *err)
{
    assert((n == 0 || coordinates) && new_of_old && n >= 0);
    if (dimension != 2 && dimension != 3)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "the Hilbert curve needs coordinates of 2 or 3 dimensions, not %d",
                          (int)dimension);
    if (n == 0)
        return MPLAN_OK;
    mplan_team *team = mplan_team_of(context);
    curve_work work = {n, dimension, coordinates, {{0, 0, 0}, 0}, NULL, NULL, NULL, new_of_old};
    mplan_status status = MPLAN_ERR_MEMORY;
    uint64_t *spare = mplan_alloc(n, sizeof *spare, err);
    work.keys = mplan_alloc(n, sizeof *work.keys, err);
    work.items = mplan_alloc(n, sizeof *work.items, err);
    if (!work.keys || !spare || !work.items)
        goto done;
    status = find_box(&work, team, err);
    if (status)
        goto done;
    mplan_for(team, n, ROWS, find_keys, &work);
    /* the output serves as scratch until the order is known */
    mplan_radix_sort_items(team, n, work.keys, work.items, spare, new_of_old);
    mplan_for(team, n, ROWS, write_places, &work);
done:
    free(work.keys);
    free(spare);
    free(work.items);
    return status;
}
