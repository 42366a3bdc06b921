/* SPDX-License-Identifier: Apache-2.0 */
/* native_lloyd.c - Lloyd relaxation of blocks by their coordinates, sizes kept
 *
 * Two neighbouring blocks exchange elements until those furthest along the line
 * between their centroids are in the block that it leads to: Lloyd's iteration with
 * capacities, pair by pair (Balzer, Schlömer, Deussen, ACM Trans. Graph. 28, 2009).
 * Only coordinates are read: a sweep costs a fraction of a refinement pass, and
 * straightens what would take several. The coordinates of a block lie side by side while they
 * are swept over, in the order of its members. Pairs none of whose blocks changed since their
 * last sweep are skipped. Distances count cells, not lengths (native_metric.h), and blocks whose
 * coordinates do not follow the mesh stay as they are.
 *
 * What it brings (tools/bench/ablation: S = 128, 150,000 cells, reuse with / without): tets to nodes 9.402 / 9.224,
 * stretched by 0.02 9.404 / 9.233, faces of tets 2.902 / 2.890, triangles to nodes 4.781 / 4.756, faces of triangles 2.625 / 2.622,
 * boundary layers 4.042 / 4.020 and 2.852 / 2.850, for 15 to 25 % of the time of the cut. */
#include <assert.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "partition/native/native_lloyd.h"
#include "partition/native/native_metric.h"
#include "partition/native/native_select.h"

enum { WORTH_THREADS = 64, LANES = 4, BLOCKS = 64 };

typedef struct exchange {
    native_cut *cut;
    int32_t dimension;
    native_metric metric;
    native_places places;
    double *sum;              /* dimension per block: of its coordinates */
    int32_t *changed;         /* per block: the last sweep that moved one of its elements */
    int32_t *swept;           /* per pair: its last sweep */
    native_ranked *wanderers; /* 2 S per thread: by place; of the second block S more */
    float *along;             /* 2 S per thread */
} exchange;

/* Coordinates of block b's members: dimension runs of S numbers, x of all members first. */
static double *places_of(const exchange *x, int64_t b)
{
    return native_places_of(&x->places, x->cut, b);
}

/* range: smallest and largest of n > 0 numbers; in lanes that compilers turn
 * into vectors. */
static void range_of(const float *along, int32_t n, float *range)
{
    float least[LANES], most[LANES]; /* of every LANES-th */
    for (int32_t k = 0; k < LANES; k++)
        least[k] = most[k] = along[0];
    int32_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int32_t k = 0; k < LANES; k++) {
            least[k] = along[i + k] < least[k] ? along[i + k] : least[k];
            most[k] = along[i + k] > most[k] ? along[i + k] : most[k];
        }
    for (; i < n; i++) {
        least[0] = along[i] < least[0] ? along[i] : least[0];
        most[0] = along[i] > most[0] ? along[i] : most[0];
    }
    for (int32_t k = 1; k < LANES; k++) {
        least[0] = least[k] < least[0] ? least[k] : least[0];
        most[0] = most[k] > most[0] ? most[k] : most[0];
    }
    range[0] = least[0];
    range[1] = most[0];
}

/* Where the members of a block lie along a line, from a place of it on; the least and the most of it. */
static void measure(const exchange *x, int64_t b, const double *line, double from,
                    float *restrict along, float *range)
{
    int32_t n = x->cut->sizes[b], size = x->cut->block_size;
    const double *restrict at = places_of(x, b);
    const double u = line[0], v = line[1], w = line[2];
    if (x->dimension == 2)
        for (int32_t i = 0; i < n; i++)
            along[i] = (float)(u * at[i] + v * at[size + i] - from);
    else
        for (int32_t i = 0; i < n; i++)
            along[i] = (float)(u * at[i] + v * at[size + i] + w * at[2 * size + i] - from);
    range_of(along, n, range);
}

/* Lists the elements of both blocks that lie beyond the nearest of the other, those of the first
 * in front; returns how many, and in *first those of the first. w: 2 S + 1 entries, one more
 * than can be kept, since an entry is written before it is known to count; along: 2 S. Indices
 * from S on are of b. Values are distances from a's centroid along the line. */
static int32_t find_wanderers(const exchange *x, int64_t a, int64_t b, float *along,
                              native_ranked *w, int32_t *first)
{
    const native_cut *cut = x->cut;
    int32_t size = cut->block_size, n = 0;
    float range[2][2];
    double difference[3], line[3], from = 0;
    for (int32_t d = 0; d < x->dimension; d++)
        difference[d] = x->sum[b * x->dimension + d] / cut->sizes[b] -
                        x->sum[a * x->dimension + d] / cut->sizes[a];
    mplan_native_metric_line(&x->metric, a, b, difference, line);
    for (int32_t d = 0; d < x->dimension; d++)
        from += line[d] * x->sum[a * x->dimension + d] / cut->sizes[a];
    measure(x, a, line, from, along, range[0]);
    measure(x, b, line, from, along + size, range[1]);
    if (!(range[0][1] > range[1][0]))
        return *first = 0;
    for (int32_t i = 0; i < cut->sizes[a]; i++) {
        w[n] = (native_ranked){along[i], i};
        n += along[i] > range[1][0];
    }
    *first = n;
    for (int32_t i = size; i < size + cut->sizes[b]; i++) {
        w[n] = (native_ranked){along[i], i};
        n += along[i] < range[0][1];
    }
    return n;
}

/* Member i of block a and member k of block b change places. */
static void swap_members(exchange *x, int64_t a, int32_t i, int64_t b, int32_t k)
{
    int32_t *first = native_members(x->cut, a) + i, *second = native_members(x->cut, b) + k;
    int32_t swap = *first;
    *first = *second;
    *second = swap;
    for (int32_t d = 0; d < x->dimension; d++) {
        double *p = places_of(x, a) + d * x->cut->block_size + i;
        double *q = places_of(x, b) + d * x->cut->block_size + k, from_a = *p, from_b = *q;
        x->sum[b * x->dimension + d] -= from_b;
        x->sum[a * x->dimension + d] += from_b;
        x->sum[a * x->dimension + d] -= from_a;
        x->sum[b * x->dimension + d] += from_a;
        *p = from_b;
        *q = from_a;
    }
}

/* Lets two blocks exchange elements, as many as they give, so that sizes stay; returns whether
 * any. Of the wanderers the `first` smallest belong to a afterwards: those of b among them
 * change places with those of a behind them, and there are equally many of both. */
static bool exchange_pair(exchange *x, int64_t a, int64_t b, int thread)
{
    int32_t size = x->cut->block_size, first;
    native_ranked *w = x->wanderers + (int64_t)thread * (2 * (int64_t)size + 1);
    int32_t n = find_wanderers(x, a, b, x->along + (int64_t)thread * 2 * size, w, &first);
    if (first == 0 || first == n)
        return false;
    mplan_native_select(w, n, first);
    int32_t i = 0, j = first;
    bool moved = false;
    for (;; moved = true) {
        while (i < first && w[i].index < size)
            i++;
        while (j < n && w[j].index >= size)
            j++;
        if (i == first)
            return moved;
        int32_t from_b = w[i++].index - size, from_a = w[j++].index;
        swap_members(x, a, from_a, b, from_b);
    }
}

typedef struct sweep_work {
    exchange *x;
    const native_matching *matching;
    int64_t first; /* unit of the group */
    int32_t now;
} sweep_work;

/* Units [begin, end) of a group. A pair is skipped if neither block has changed
 * since its last sweep. */
static void exchange_units(void *data, int thread, int64_t begin, int64_t end)
{
    const sweep_work *work = data;
    const native_matching *matching = work->matching;
    const int64_t *unit = matching->unit_begin + work->first;
    exchange *x = work->x;
    for (int64_t i = unit[begin]; i < unit[end]; i++) {
        int32_t a = matching->block_pairs[i].a, b = matching->block_pairs[i].b, last = x->swept[i];
        if ((x->changed[a] < last && x->changed[b] < last) || !x->metric.trusted[a] ||
            !x->metric.trusted[b])
            continue;
        x->swept[i] = work->now;
        if (exchange_pair(x, a, b, thread))
            x->changed[a] = x->changed[b] = work->now;
    }
}

/* One sweep over all pairs; *now numbers it. */
static mplan_status sweep(exchange *x, const native_matching *matching, int32_t *now,
                          const mplan_context *context, mplan_error *err)
{
    for (int32_t g = 0; g < matching->n_groups; g++) {
        int64_t begin = matching->group_begin[g], end = matching->group_begin[g + 1];
        int64_t pairs = matching->unit_begin[end] - matching->unit_begin[begin];
        sweep_work work = {x, matching, begin, ++*now};
        mplan_status status = mplan_interrupted(context, err);
        if (status)
            return status;
        mplan_for(pairs >= WORTH_THREADS ? mplan_team_of(context) : NULL, end - begin, 1,
                  exchange_units, &work);
    }
    return MPLAN_OK;
}

/* Sums of the coordinates of blocks [begin, end). Members that change places later keep them up to date. */
static void add_places(void *data, int thread, int64_t begin, int64_t end)
{
    const exchange *x = data;
    const native_cut *cut = x->cut;
    (void)thread;
    for (int64_t b = begin; b < end; b++)
        for (int32_t d = 0; d < x->dimension; d++)
            for (int32_t i = 0; i < cut->sizes[b]; i++)
                x->sum[b * x->dimension + d] += places_of(x, b)[d * cut->block_size + i];
}

static mplan_status exchange_open(exchange *x, const native_matching *matching, int threads,
                                  mplan_error *err)
{
    const native_cut *cut = x->cut;
    int64_t n_block_pairs = matching->unit_begin[matching->group_begin[matching->n_groups]];
    int64_t members = 2 * (int64_t)cut->block_size;
    x->sum = mplan_alloc_zero(cut->n_blocks * x->dimension, sizeof *x->sum, err);
    x->changed = mplan_alloc_zero(cut->n_blocks, sizeof *x->changed, err);
    x->swept = mplan_alloc_zero(n_block_pairs, sizeof *x->swept, err);
    x->wanderers = mplan_alloc((members + 1) * threads, sizeof *x->wanderers, err);
    x->along = mplan_alloc(members * threads, sizeof *x->along, err);
    bool all = x->sum && x->changed && x->swept && x->wanderers && x->along;
    return all ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

static void exchange_close(exchange *x)
{
    mplan_native_metric_free(&x->metric);
    mplan_native_places_free(&x->places);
    free(x->sum);
    free(x->changed);
    free(x->swept);
    free(x->wanderers);
    free(x->along);
}

/* Sizes stay. *trusted: blocks whose coordinates follow the mesh; the others
 * take no part. Points per set are out of date afterwards (mplan_native_cut_fits), and slots are free. `start` holds the rows of elements until
 * coordinates have been found. Between metric and sweeps the cut is folded: that is when coordinates take most memory. */
mplan_status mplan_native_lloyd(native_cut *cut, const native_matching *matching, int32_t sweeps,
                                const mplan_native_options *options, const int32_t *sequence,
                                int32_t *start, int64_t *trusted, const mplan_context *context,
                                mplan_error *err)
{
    assert(cut && matching && options && native_have_places(options) && sequence && start && trusted);
    mplan_team *team = mplan_team_of(context);
    int32_t now = 0;
    exchange x = {.cut = cut, .dimension = options->dimension};
    mplan_status status = exchange_open(&x, matching, mplan_team_threads(team), err);
    if (!status)
        status = mplan_native_cut_list(cut, team, err);
    native_finding finding = {.options = NULL};
    if (!status)
        finding = mplan_native_finding(options, sequence, cut->table->n, start, team);
    if (!status)
        status = mplan_native_metric_create(cut, &finding, context, &x.metric, err);
    if (!status)
        mplan_native_cut_fold(cut);
    if (!status)
        status = mplan_native_places_create(cut, &finding, &x.places, context, err);
    if (!status)
        mplan_for(team, cut->n_blocks, BLOCKS, add_places, &x);
    if (!status)
        mplan_native_cut_keep(cut, start, team);
    *trusted = 0;
    for (int64_t b = 0; b < cut->n_blocks && !status; b++)
        *trusted += x.metric.trusted[b];
    for (int32_t i = 0; i < sweeps && !status; i++)
        status = sweep(&x, matching, &now, context, err);
    exchange_close(&x);
    return status ? status : mplan_native_cut_unfold(cut, team, err);
}
