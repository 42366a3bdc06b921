/* SPDX-License-Identifier: Apache-2.0 */
/* native_metric.c - how far apart neighbouring elements of a block lie, direction by direction
 *
 * Neighbours are elements that follow each other among those of a point. In the metric of their spread a
 * compact block of n elements has, in each direction, a variance of about n / 12 in the plane and
 * n^(2/3) / 12 in space (a box of cells of size 1); coordinates that say nothing give about 1/2. Where thin
 * layers bend within a block, neighbours across them lie together in its metric: such a block is not trusted
 * when they are a twentieth of all pairs.
 *
 * What it brings (tools/bench/ablation: S = 128, 150,000 cells, reuse with / with distances as they are): tets stretched by 0.02
 * to nodes 9.404 / 9.233, triangles stretched by 0.01 4.779 / 4.758, boundary layers 4.042 / 4.020; also tets as generated
 * 9.402 / 9.217. Leaving uneven blocks moves nothing there (0.3 % at most); it is for layers that bend within a block. */
#include "partition/native/native_metric.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* Of a block, SAMPLE members and more are looked at; of each, a neighbour at so many points at most */
enum { BLOCKS = 64, TERMS = 6, SAMPLE = 64, MOST_LOOKED = 2 * SAMPLE, MOST_NEXT = 4 };

/* Blocks are measured one at a time: the slot of an element of the block at hand is its number among the members. */
typedef struct metric_work {
    native_cut *cut;
    const native_finding *finding;
    native_metric *metric;
    double *places; /* S * dimension per thread */
} metric_work;

/* The block at hand of one thread, and where its members lie that are looked at. */
typedef struct metric_block {
    const native_cut *cut;
    int64_t b;
    int32_t dimension;
    int32_t step; /* between members that are looked at */
    double *at;   /* dimension runs of S numbers */
    int32_t n_next[MOST_LOOKED], next[MOST_LOOKED * MOST_NEXT]; /* neighbours of those looked at */
} metric_block;

/* Terms of the symmetric matrix: row and column of each. */
static const int8_t term[TERMS][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};

/* sum += d d^T, its upper triangle. */
static void add_product(double sum[TERMS], const double d[3])
{
    for (int32_t t = 0; t < TERMS; t++)
        sum[t] += d[term[t][0]] * d[term[t][1]];
}

/* Between two members; difference: 3 numbers, 0 beyond the dimension. */
static void difference_of(const metric_block *block, int64_t from, int64_t to, double difference[3])
{
    const native_where *where = block->cut->where;
    for (int32_t d = 0; d < 3; d++) {
        const double *at = block->at + (int64_t)d * block->cut->block_size;
        difference[d] = d < block->dimension ? at[where[to].slot] - at[where[from].slot] : 0;
    }
}

/* The element after e among those of a point, in turn; -1 where it is of another block, or where the point
 * has so many elements that looking for e takes long. */
static int64_t next_at(const native_cut *cut, int64_t point, int64_t e)
{
    int64_t begin = cut->begin[point], end = cut->begin[point + 1], i = begin;
    if (native_is_hub(cut, point))
        return -1;
    while (cut->elements[i] != e)
        i++;
    int64_t next = cut->elements[i + 1 < end ? i + 1 : begin];
    return cut->where[next].block == cut->where[e].block ? next : -1;
}

/* Neighbours in a block, one pair at a time: n of them, the sum of d d^T over them, and how many of them lie
 * much nearer than the others in a metric. */
typedef struct neighbours {
    int64_t n, near;
    double sum[TERMS];
} neighbours;

/* out = (m + a little)^-1. The little keeps surfaces in space, which have no spread across, from dividing
 * by 0. All 0 where the matrix has no inverse or is not a number. */
static void invert(const double m[TERMS], int32_t dimension, double out[TERMS])
{
    double trace = m[0] + m[3] + m[5], little = 1e-20 * trace;
    double a = m[0] + little, b = m[1], c = m[2], d = m[3] + little, e = m[4];
    double f = dimension == 3 ? m[5] + little : 1;
    double co[TERMS] = {d * f - e * e, c * e - b * f, b * e - c * d,
                        a * f - c * c, b * c - a * e, a * d - b * b};
    double determinant = a * co[0] + b * co[1] + c * co[2];
    double factor = determinant > 0 ? 1 / determinant : 0;
    factor = isfinite(factor) ? factor : 0;
    for (int32_t t = 0; t < TERMS; t++)
        out[t] = factor * co[t];
}

/* out = m x. */
static void multiply(const double m[TERMS], const double x[3], double out[3])
{
    out[0] = m[0] * x[0] + m[1] * x[1] + m[2] * x[2];
    out[1] = m[1] * x[0] + m[3] * x[1] + m[4] * x[2];
    out[2] = m[2] * x[0] + m[4] * x[1] + m[5] * x[2];
}

/* x^T m x. */
static double square(const double m[TERMS], const double x[3])
{
    double line[3];
    multiply(m, x, line);
    return x[0] * line[0] + x[1] * line[1] + x[2] * line[2];
}

/* Adds the pairs of e with the element `next`. inverse: NULL, or that of the metric in which pairs are near. */
static void add_pair(const metric_block *block, int64_t e, int64_t next, const double *inverse,
                     neighbours *found)
{
    const double close = 0.01 * block->dimension; /* the mean is the dimension */
    double d[3];
    difference_of(block, e, next, d);
    found->n++;
    if (inverse)
        found->near += !(square(inverse, d) >= close);
    else
        add_product(found->sum, d);
}

/* Members are looked at in steps, SAMPLE of a block and more: what is measured are means over them. */
static int32_t step_of(const native_cut *cut, int64_t b)
{
    return cut->sizes[b] < 2 * SAMPLE ? 1 : cut->sizes[b] / SAMPLE;
}

/* An element whose coordinates are wanted: its slot was that of one of which they are not. */
static inline int32_t wanted_of(int32_t slot)
{
    return -2 - slot;
}

/* Finds the neighbours of members that are looked at, and where all of these lie: about half of a block of 256. */
static void look_around(metric_block *block, const native_finding *finding)
{
    const native_cut *cut = block->cut;
    const int32_t *members = native_members(cut, block->b), n = cut->sizes[block->b];
    int32_t wanted[MOST_LOOKED * (MOST_NEXT + 1)], n_wanted = 0, looked = 0;
    for (int32_t i = 0; i < n; i++)
        cut->where[members[i]].slot = wanted_of(i);
    for (int32_t i = 0; i < n; i += block->step, looked++) {
        int32_t length, e = members[i], *next = block->next + (int64_t)looked * MOST_NEXT;
        const int32_t *row = native_row(cut->table, e, &length);
        assert(looked < MOST_LOOKED);
        block->n_next[looked] = 0;
        for (int32_t k = -1; k < length && k < MOST_NEXT; k++) {
            int64_t to = k < 0 ? e : next_at(cut, row[k], e);
            if (to < 0 || (k >= 0 && to == e))
                continue;
            if (k >= 0)
                next[block->n_next[looked]++] = (int32_t)to;
            if (cut->where[to].slot >= 0)
                continue;
            cut->where[to].slot = wanted_of(cut->where[to].slot);
            wanted[n_wanted++] = (int32_t)to;
        }
    }
    mplan_native_find_some(finding, cut, wanted, n_wanted, block->at);
}

/* Pairs of neighbours within the block; with `inverse`, how many of them are near in that metric
 * instead of their sum. */
static neighbours pairs_of(const metric_block *block, const double *inverse)
{
    const native_cut *cut = block->cut;
    neighbours found = {0};
    for (int32_t i = 0, looked = 0; i < cut->sizes[block->b]; i += block->step, looked++)
        for (int32_t k = 0; k < block->n_next[looked]; k++)
            add_pair(block, native_members(cut, block->b)[i], block->next[looked * MOST_NEXT + k],
                     inverse, &found);
    return found;
}

/* Whether the members lie about evenly in the metric of their spread. */
static bool is_even(const metric_block *block, const double spread[TERMS])
{
    const native_cut *cut = block->cut;
    const int64_t b = block->b;
    int32_t dimension = block->dimension, n = cut->sizes[b], step = block->step;
    int32_t looked = (n + step - 1) / step;
    int64_t first = native_members(cut, b)[0];
    double mean[3] = {0, 0, 0}, sum = 0, from_first[3], inverse[TERMS];
    invert(spread, dimension, inverse);
    neighbours pairs = pairs_of(block, inverse);
    if (20 * pairs.near >= pairs.n)
        return false;
    for (int32_t i = 0; i < n; i += step) {
        difference_of(block, first, native_members(cut, b)[i], from_first);
        for (int32_t d = 0; d < 3; d++)
            mean[d] += from_first[d] / looked;
    }
    for (int32_t i = 0; i < n; i += step) {
        difference_of(block, first, native_members(cut, b)[i], from_first);
        for (int32_t d = 0; d < 3; d++)
            from_first[d] -= mean[d];
        sum += square(inverse, from_first);
    }
    double variance = sum / looked / dimension, flat = n / 12.0;
    double twice = 24 * variance; /* over n^(2/3) in space, as cubes: no libm, one answer everywhere */
    bool spread_out = dimension == 3 ? twice * twice * twice >= (double)n * n
                                     : variance >= 0.5 * flat;
    return spread_out && variance <= 3 * flat; /* surfaces in space are flat */
}

/* Blocks [begin, end): spread and whether it is trusted. A block without any pair of neighbours
 * has a spread of 0, and invert() then gives 0 throughout, which is not even. */
static void measure_blocks(void *data, int thread, int64_t begin, int64_t end)
{
    const metric_work *work = data;
    native_cut *cut = work->cut;
    const int32_t dimension = work->metric->dimension;
    double *at = work->places + (int64_t)thread * cut->block_size * dimension;
    for (int64_t b = begin; b < end; b++) {
        metric_block block = {
            .cut = cut, .b = b, .dimension = dimension, .step = step_of(cut, b), .at = at};
        double *spread = work->metric->spread + TERMS * b;
        look_around(&block, work->finding);
        neighbours pairs = pairs_of(&block, NULL);
        for (int32_t t = 0; t < TERMS; t++)
            spread[t] = pairs.n > 0 ? pairs.sum[t] / (double)pairs.n : 0;
        work->metric->trusted[b] = cut->sizes[b] > 1 && is_even(&block, spread);
        for (int32_t i = 0; i < cut->sizes[b]; i++)
            cut->where[native_members(cut, b)[i]].slot = -1;
    }
}

/* spread: TERMS numbers per block, the upper half of a symmetric matrix; trusted: whether
 * distances in it count cells. */
mplan_status mplan_native_metric_create(native_cut *cut, const native_finding *finding,
                                        const mplan_context *context, native_metric *metric,
                                        mplan_error *err)
{
    assert(cut && cut->members && cut->begin && finding && metric);
    mplan_team *team = mplan_team_of(context);
    const int32_t dimension = finding->options->dimension;
    *metric = (native_metric){.dimension = dimension};
    metric_work work = {.cut = cut, .finding = finding, .metric = metric};
    work.places = mplan_alloc((int64_t)mplan_team_threads(team) * cut->block_size * dimension,
                              sizeof *work.places, err);
    metric->spread = mplan_alloc(cut->n_blocks, TERMS * sizeof *metric->spread, err);
    metric->trusted = mplan_alloc(cut->n_blocks, sizeof *metric->trusted, err);
    const bool all = work.places && metric->spread && metric->trusted;
    mplan_for(team, all ? cut->n_blocks : 0, BLOCKS, measure_blocks, &work);
    free(work.places);
    return all ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

void mplan_native_metric_free(native_metric *metric)
{
    assert(metric);
    free(metric->spread);
    free(metric->trusted);
}

/* The direction in which elements of a and b are compared: the line between the centroids in
 * the metric of both blocks together. In the plane the third number is 0. */
void mplan_native_metric_line(const native_metric *metric, int64_t a, int64_t b,
                              const double *from_a_to_b, double line[3])
{
    assert(metric && metric->spread && from_a_to_b && line);
    double both[TERMS], inverse[TERMS], difference[3] = {0, 0, 0};
    for (int32_t t = 0; t < TERMS; t++)
        both[t] = metric->spread[TERMS * a + t] + metric->spread[TERMS * b + t];
    for (int32_t d = 0; d < metric->dimension; d++)
        difference[d] = from_a_to_b[d];
    invert(both, metric->dimension, inverse);
    multiply(inverse, difference, line);
}
