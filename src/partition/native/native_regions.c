/* SPDX-License-Identifier: Apache-2.0 */
/* native_regions.c - greedy graph growing side by side, each in a region of its own
 *
 * A table of many elements is parted into runs of elements of about equal size, how many
 * depends on the table only, and blocks grow in each as if there were nothing else.
 * Elements that follow one another are mostly near one another; where they are not, and
 * regions would have too many points in common, there are fewer, down to one: refinement passes gain
 * back most, not all, of what blocks lose at a seam.
 *
 * Growing reads a copy of its region: points that no region before touches have
 * consecutive numbers (native_table.c), the few others are looked up.
 *
 * What regions bring: on 10 million edges of triangles, two threads cut 1.85 times the work of the serial one, 1.62 times without;
 * four regions cost 0.0001 of reuse (tools/bench/scale, tools/RESULTS.md). Where a further pass mends seams (native_schedule.c) there are more regions: reuse
 * of 2 million faces, one region without it, four with it: triangles, S = 256, 2.7304 and 2.7300, tets 3.1009 and 3.1095; S = 128,
 * triangles 2.6261 and 2.6260, tets 2.9208 and 2.9297. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "base/point_table.h"
#include "partition/native/native_grow.h"
#include "partition/native/native_regions.h"
#include "partition/native/native_schedule.h"

/* Least elements and blocks of a region; of blocks of the usual size one of so many entries
 * may be of a point of an earlier region (measured: reuse then falls by less than 0.0005); where refinement mends seams, of tables
 * of few and of many elements at a point. */
enum {
    ELEMENTS = 1 << 18,
    BLOCKS = 64,
    SEAM = 3500,
    MENDED_FEW = 800,
    MENDED_MANY = 75,
    USUAL_SIZE = 128
};

typedef struct regions {
    const native_table *table;
    int64_t n, n_blocks;
    int64_t *low; /* n_sets per region, and behind the last: points below are of regions before */
    int64_t *foreign; /* n_sets per region: entries of such points */
} regions;

/* First block of region i; of region n, the number of blocks. */
static int64_t first_block(const regions *r, int64_t i)
{
    return r->n_blocks * i / r->n;
}

/* Regions hold whole blocks of equal sizes: none needs more than all together. */
static int64_t first_element(const regions *r, int64_t i)
{
    return r->table->n * first_block(r, i) / r->n_blocks;
}

/* --- where the seams are ------------------------------------------------------------- */

/* The entries of elements begin ... end - 1. */
static const int32_t *entries_of(const native_table *t, int64_t begin, int64_t end, int64_t *count)
{
    int64_t from = t->offsets ? t->offsets[begin] : begin * t->arity;
    *count = (t->offsets ? t->offsets[end] : end * t->arity) - from;
    return t->points + from;
}

/* The number behind the highest of each set, of one region, at the place of the next. */
static void find_highest_of(const regions *r, int64_t i)
{
    const native_table *t = r->table;
    int64_t count, begin = first_element(r, i);
    const int32_t *points = entries_of(t, begin, first_element(r, i + 1), &count);
    for (int32_t s = 0; s < t->n_sets; s++) {
        int32_t end = (int32_t)t->set_begin[s + 1], highest = (int32_t)t->set_begin[s] - 1;
        for (int64_t k = 0; k < count; k++)
            highest = points[k] < end && points[k] > highest ? points[k] : highest;
        r->low[(i + 1) * t->n_sets + s] = (int64_t)highest + 1;
    }
}

/* Entries of region i that name points which regions before it have, set by set: r->foreign. A
 * point that is named twice counts twice, so that this is an upper bound of the points. Returns
 * their sum. */
static int64_t count_foreign_of(const regions *r, int64_t i)
{
    const native_table *t = r->table;
    int64_t count, sum = 0, begin = first_element(r, i);
    const int32_t *points = entries_of(t, begin, first_element(r, i + 1), &count);
    for (int32_t s = 0; s < t->n_sets; s++) {
        int32_t from = (int32_t)t->set_begin[s], low = (int32_t)r->low[i * t->n_sets + s];
        int64_t foreign = 0;
        for (int64_t k = 0; k < count; k++)
            foreign += points[k] >= from && points[k] < low;
        r->foreign[i * t->n_sets + s] = foreign;
        sum += foreign;
    }
    return sum;
}

/* Regions [first, last). */
static void find_highest(void *data, int thread, int64_t first, int64_t last)
{
    const regions *r = data;
    (void)thread;
    for (int64_t i = first; i < last; i++)
        find_highest_of(r, i);
}
static int64_t count_foreign(void *data, int thread, int64_t first, int64_t last)
{
    const regions *r = data;
    int64_t sum = 0;
    (void)thread;
    for (int64_t i = first; i < last; i++)
        sum += count_foreign_of(r, i);
    return sum;
}

/* low: for each region and set the first point that no region before it touches. */
static void find_low(regions *r, mplan_team *team)
{
    int32_t n_sets = r->table->n_sets;
    memcpy(r->low, r->table->set_begin, (size_t)n_sets * sizeof *r->low);
    mplan_for(team, r->n, 1, find_highest, r);
    for (int64_t k = n_sets; k < (r->n + 1) * n_sets; k++)
        if (r->low[k] < r->low[k - n_sets])
            r->low[k] = r->low[k - n_sets];
}

/* Entries of points of earlier regions. */
static int64_t find_seams(regions *r, mplan_team *team)
{
    return mplan_for_sum(team, r->n, 1, count_foreign, r);
}

/* Each two regions become one. */
static void halve(regions *r)
{
    int32_t n_sets = r->table->n_sets;
    r->n /= 2;
    for (int64_t i = 1; i <= r->n; i++)
        for (int32_t s = 0; s < n_sets; s++)
            r->low[i * n_sets + s] = r->low[2 * i * n_sets + s];
}

/* One of so many entries may be of a point of an earlier region. */
static int64_t seam_of(const native_table *table, bool mends)
{
    if (!mends)
        return SEAM;
    return mplan_native_kind_of(table) == NATIVE_SHORT_FEW ? MENDED_FEW : MENDED_MANY;
}

/* As many regions as there may be, a power of two: threads are mostly some such number. Halved
 * until the seams, all entries of foreign points, are below the share that was measured as
 * harmless. The number depends on the table only. */
static mplan_status part(regions *r, int32_t block_size, int64_t seam, mplan_team *team,
                         mplan_error *err)
{
    const native_table *table = r->table;
    int64_t most = table->n / ELEMENTS, of_blocks = r->n_blocks / BLOCKS;
    most = of_blocks < most ? of_blocks : most;
    for (r->n = 1; 2 * r->n <= most;)
        r->n *= 2;
    r->low = mplan_alloc((r->n + 1) * table->n_sets, sizeof *r->low, err);
    r->foreign = mplan_alloc(r->n * table->n_sets, sizeof *r->foreign, err);
    if (!r->low || !r->foreign)
        return MPLAN_ERR_MEMORY;
    if (r->n > 1)
        find_low(r, team);
    double border = sqrt((double)block_size / USUAL_SIZE); /* refinement mends less of larger blocks */
    int64_t allowed = (int64_t)((double)native_entries(table) / ((double)seam * border));
    while (r->n > 1) {
        int64_t before = r->n, sum = find_seams(r, team);
        if (sum <= allowed)
            break;
        do /* seams of as many as there are side by side are about as long each */
            halve(r);
        while (r->n > 1 && sum / (before - 1) * (r->n - 1) > allowed);
    }
    return MPLAN_OK;
}

/* --- a region ------------------------------------------------------------------------- */

/* Scratch of one thread: a region as a table of its own. */
typedef struct worker {
    native_growth *growth;
    native_table part;
    int64_t *next;          /* per set: number of the next foreign point */
    mplan_point_table seam; /* foreign points in the order in which they are met ... */
    int32_t *number;        /* ... and their numbers */
} worker;

/* Foreign entries of region i over all sets. */
static int64_t foreign_of(const regions *r, int64_t i)
{
    int64_t sum = 0;
    for (int32_t s = 0; s < r->table->n_sets; s++)
        sum += r->foreign[i * r->table->n_sets + s];
    return sum;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* *most: what the largest region needs; *foreign: the most entries of foreign points, and so at
 * most as many such points. */
static void find_extent(const regions *r, native_extent *most, int64_t *foreign)
{
    int32_t n_sets = r->table->n_sets;
    *most = (native_extent){.sets = n_sets};
    *foreign = 0;
    for (int64_t i = 0; i < r->n; i++) {
        int64_t begin = first_element(r, i), end = first_element(r, i + 1), entries;
        int64_t seam = foreign_of(r, i), points = seam;
        for (int64_t k = i * n_sets; k < (i + 1) * n_sets; k++)
            points += r->low[k + n_sets] - r->low[k];
        entries_of(r->table, begin, end, &entries);
        most->elements = larger(most->elements, end - begin);
        most->entries = larger(most->entries, entries);
        most->points = larger(most->points, points);
        *foreign = larger(*foreign, seam);
    }
}

/* Scratch of one thread. What was made is released by worker_close, also after a
 * failure. */
static mplan_status worker_open(worker *w, const native_table *table, const native_extent *most,
                                int64_t foreign, mplan_error *err)
{
    w->part = (native_table){
        .arity = table->arity, .n_sets = table->n_sets, .limits_bind = table->limits_bind};
    w->growth = mplan_native_growth_create(most, err);
    w->part.points = mplan_alloc(most->entries, sizeof *w->part.points, err);
    w->part.set_begin = mplan_alloc(most->sets + 1, sizeof *w->part.set_begin, err);
    w->part.set_weight = mplan_copy(table->set_weight, most->sets, sizeof *w->part.set_weight, err);
    w->next = mplan_alloc(most->sets, sizeof *w->next, err);
    w->number = mplan_alloc(foreign, sizeof *w->number, err);
    if (table->offsets)
        w->part.offsets = mplan_alloc(most->elements + 1, sizeof *w->part.offsets, err);
    if (!w->growth || !w->part.points || !w->part.set_begin || !w->part.set_weight || !w->next ||
        !w->number || (table->offsets && !w->part.offsets))
        return MPLAN_ERR_MEMORY;
    return mplan_point_table_create(&w->seam, foreign, err);
}

static void worker_close(worker *w)
{
    mplan_native_growth_free(w->growth);
    mplan_native_table_free(&w->part);
    mplan_point_table_free(&w->seam);
    free(w->next);
    free(w->number);
}

/* Points of a set: first those that are the region's, then places for its foreign ones. */
static void number_sets(const regions *r, int64_t i, worker *w)
{
    int32_t n_sets = r->table->n_sets;
    int64_t sum = 0;
    for (int32_t s = 0; s < n_sets; s++) {
        w->part.set_begin[s] = sum;
        w->next[s] = sum + r->low[(i + 1) * n_sets + s] - r->low[i * n_sets + s];
        sum = w->next[s] + r->foreign[i * n_sets + s];
    }
    w->part.set_begin[n_sets] = w->part.n_points = sum;
}

/* Number of a point within the region: own points by their place, foreign ones in the order in
 * which they are met. So sets stay apart, and points of a set stay consecutive. */
static int32_t number_of(const regions *r, const int64_t *low, int32_t point, worker *w)
{
    int32_t set = native_set_of(r->table, point);
    if (point >= low[set])
        return (int32_t)(w->part.set_begin[set] + point - low[set]);
    int32_t met = w->seam.n_points, id = mplan_point_table_id(&w->seam, (uint64_t)point);
    if (id == met)
        w->number[id] = (int32_t)w->next[set]++;
    return w->number[id];
}

/* The part of the table that is region i, with its own numbers of points. */
static void copy_region(const regions *r, int64_t i, worker *w)
{
    const native_table *t = r->table;
    int64_t count, begin = first_element(r, i);
    const int64_t *low = r->low + i * t->n_sets;
    w->part.n = first_element(r, i + 1) - begin;
    const int32_t *points = entries_of(t, begin, begin + w->part.n, &count);
    number_sets(r, i, w);
    mplan_point_table_begin(&w->seam);
    for (int64_t k = 0; k < count; k++)
        w->part.points[k] = number_of(r, low, points[k], w);
    for (int64_t e = 0; e <= w->part.n && t->offsets; e++)
        w->part.offsets[e] = t->offsets[begin + e] - t->offsets[begin];
}

/* --- all ------------------------------------------------------------------------------ */

typedef struct region_work {
    const regions *regions;
    native_grow_task *tasks;
    worker *workers; /* per thread */
    int32_t stopped;
    const mplan_context *context;
    mplan_error *err;
} region_work;

/* Copies region i and grows its blocks; task->breaker then is an element of the whole table.
 * Only the calling thread, the first, may be asked whether to stop, and writes err. */
static mplan_status grow_region(region_work *work, int64_t i, int thread)
{
    const regions *r = work->regions;
    worker *w = &work->workers[thread];
    native_grow_task *task = &work->tasks[i];
    int64_t begin = first_element(r, i);
    copy_region(r, i, w);
    task->table = &w->part;
    task->stopped = &work->stopped;
    mplan_status status = mplan_native_growth_run(w->growth, task, NULL,
                                                  thread == 0 ? work->context : NULL,
                                                  thread == 0 ? work->err : NULL);
    for (int64_t k = 0; k < w->part.n && !status && task->breaker < 0; k++)
        task->sequence[k] += (int32_t)begin;
    if (task->breaker >= 0)
        task->breaker += begin;
    return status;
}

/* Regions [begin, end); returns how many failed. Why is not kept: growing fails for want of
 * memory, or was interrupted, which `stopped` tells. */
static int64_t count_failed(void *data, int thread, int64_t begin, int64_t end)
{
    int64_t failed = 0;
    for (int64_t i = begin; i < end; i++)
        failed += grow_region(data, i, thread) != MPLAN_OK;
    return failed;
}

/* Each region is grown by one thread; the result does not depend on which. */
static mplan_status grow_regions(const regions *r, native_grow_task *tasks, mplan_team *team,
                                 const mplan_context *context, mplan_error *err)
{
    native_extent most;
    int64_t foreign;
    int threads = mplan_team_threads(team);
    find_extent(r, &most, &foreign);
    worker *workers = mplan_alloc_zero(threads, sizeof *workers, err);
    mplan_status status = workers ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int t = 0; t < threads && !status; t++)
        status = worker_open(&workers[t], r->table, &most, foreign, err);
    region_work work = {r, tasks, workers, 0, context, err};
    int64_t failed = mplan_for_sum(team, !status ? r->n : 0, 1, count_failed, &work);
    if (work.stopped)
        status = MPLAN_ERR_INTERRUPTED;
    else if (failed > 0) /* it allocates: nothing else fails */
        status = mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory for blocks of %lld elements",
                            (long long)r->table->n);
    else if (!status) /* it may have had no region */
        status = mplan_interrupted(context, err);
    for (int t = 0; workers && t < threads; t++)
        worker_close(&workers[t]);
    free(workers);
    return status;
}

/* Grows the table anew from another element, and keeps that where its weight is less. other: scratch, as long
 * as the sequence. */
static mplan_status grow_again(native_growth *growth, native_grow_task *task, int64_t first,
                               int32_t *other, mplan_team *team, const mplan_context *context,
                               mplan_error *err)
{
    native_grow_task next = *task;
    next.first = first;
    next.again = true;
    next.sequence = other;
    next.ends = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(int64_t));
    mplan_status status = mplan_native_growth_run(growth, &next, team, context, err);
    if (!status && next.breaker < 0 && next.weight < task->weight) {
        mplan_vector ends = task->ends;
        memcpy(task->sequence, other, (size_t)task->table->n * sizeof *other);
        task->ends = next.ends;
        task->weight = next.weight;
        next.ends = ends;
    }
    free(next.ends.data);
    return status;
}

/* Starts that threads share. */
typedef struct start_work {
    const native_extent *most;
    native_grow_task *tasks;
    int32_t stopped;
    const mplan_context *context;
    mplan_error *err;
} start_work;

/* Starts [begin, end), each with scratch of its own; returns how many failed. The calling thread is asked and writes err, as for
 * regions. */
static int64_t grow_starts(void *data, int thread, int64_t begin, int64_t end)
{
    start_work *work = data;
    int64_t failed = 0;
    for (int64_t i = begin; i < end; i++) {
        native_growth *growth = mplan_native_growth_create(work->most, NULL);
        mplan_status status = MPLAN_ERR_MEMORY;
        work->tasks[i].stopped = &work->stopped;
        if (growth)
            status = mplan_native_growth_run(growth, &work->tasks[i], NULL,
                                             thread == 0 ? work->context : NULL,
                                             thread == 0 ? work->err : NULL);
        failed += status != MPLAN_OK;
        mplan_native_growth_free(growth);
    }
    return failed;
}

/* The first of those of the least weight becomes *task; sequences of others are scratch. */
static void keep_lightest(native_grow_task *task, native_grow_task *tasks, int32_t n)
{
    int32_t best = 0;
    for (int32_t i = 1; i < n && tasks[0].breaker < 0; i++)
        if (tasks[i].breaker < 0 && tasks[i].weight < tasks[best].weight)
            best = i;
    if (best > 0)
        memcpy(task->sequence, tasks[best].sequence, (size_t)task->table->n * sizeof *task->sequence);
    task->ends = tasks[best].ends;
    task->weight = tasks[best].weight;
    task->breaker = tasks[best].breaker;
    tasks[best].ends = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(int64_t));
}

/* All starts side by side; the blocks are those of one start after the other. */
static mplan_status grow_by_threads(native_grow_task *task, native_starts starts,
                                    const native_extent *most, mplan_team *team,
                                    const mplan_context *context, mplan_error *err)
{
    const int64_t n = task->table->n;
    native_grow_task *tasks = mplan_alloc_zero(starts.n, sizeof *tasks, err);
    int32_t *others = mplan_alloc(n * (starts.n - 1), sizeof *others, err);
    start_work work = {most, tasks, 0, context, err};
    mplan_status status = tasks && others ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < starts.n && !status; i++) {
        tasks[i] = *task;
        tasks[i].first = i > 0 ? (starts.first + n * i / starts.n) % n : starts.first;
        tasks[i].sequence = i > 0 ? others + n * (i - 1) : task->sequence;
        tasks[i].ends = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(int64_t));
    }
    int64_t failed = mplan_for_sum(team, !status ? starts.n : 0, 1, grow_starts, &work);
    if (work.stopped)
        status = MPLAN_ERR_INTERRUPTED;
    else if (failed > 0)
        status = mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory for blocks of %lld elements",
                            (long long)n);
    else if (!status) /* it may have had no start */
        status = mplan_interrupted(context, err);
    if (!status)
        keep_lightest(task, tasks, starts.n);
    for (int32_t i = 0; tasks && i < starts.n; i++)
        free(tasks[i].ends.data);
    free(tasks);
    free(others);
    return status;
}

/* The whole table as one region. */
static mplan_status grow_whole(native_grow_task *task, native_starts starts, mplan_team *team,
                               const mplan_context *context, mplan_error *err)
{
    const native_table *t = task->table;
    native_extent most = {t->n, t->n_points, native_entries(t), t->n_sets};
    if (starts.n > 1 && mplan_team_threads(team) > 1)
        return grow_by_threads(task, starts, &most, team, context, err);
    native_growth *growth = mplan_native_growth_create(&most, err);
    int32_t *other = starts.n > 1 ? mplan_alloc(t->n, sizeof *other, err) : NULL;
    mplan_status status = MPLAN_ERR_MEMORY;
    task->first = starts.first;
    if (growth && (other || starts.n == 1))
        status = mplan_native_growth_run(growth, task, team, context, err);
    for (int32_t i = 1; i < starts.n && !status && task->breaker < 0; i++)
        status = grow_again(growth, task, (starts.first + t->n * i / starts.n) % t->n, other, team,
                            context, err);
    mplan_native_growth_free(growth);
    free(other);
    return status;
}

/* *offsets: blocks of all regions one behind the other, owned by the caller. */
static mplan_status join(const regions *r, const native_grow_task *tasks, int64_t *n_blocks,
                         int64_t **offsets, mplan_error *err)
{
    int64_t blocks = 0, at = 0;
    for (int64_t i = 0; i < r->n; i++)
        blocks += tasks[i].ends.count;
    *offsets = mplan_alloc(blocks + 1, sizeof **offsets, err);
    if (!*offsets)
        return MPLAN_ERR_MEMORY;
    (*offsets)[at++] = 0;
    for (int64_t i = 0; i < r->n; i++)
        for (int64_t b = 0; b < tasks[i].ends.count; b++)
            (*offsets)[at++] = first_element(r, i) + ((const int64_t *)tasks[i].ends.data)[b];
    *n_blocks = blocks;
    return MPLAN_OK;
}

/* sequence: out, n elements block by block. *n_blocks: wanted in, made out. */
mplan_status mplan_native_grow(const native_table *table, mplan_footprint *footprint,
                               native_starts starts, int64_t *n_blocks, int32_t *sequence,
                               int64_t **offsets, const mplan_context *context, mplan_error *err)
{
    assert(table && footprint && n_blocks && sequence && offsets && starts.n >= 1 &&
           starts.first >= 0);
    mplan_team *team = mplan_team_of(context);
    regions r = {.table = table, .n_blocks = *n_blocks > 1 ? *n_blocks : 1};
    mplan_status status = part(&r, footprint->limits->block_size, seam_of(table, starts.mends),
                               team, err);
    native_grow_task *tasks = status ? NULL : mplan_alloc_zero(r.n, sizeof *tasks, err);
    if (!tasks)
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < r.n && tasks; i++)
        tasks[i] = (native_grow_task){.table = table,
                                      .footprint = footprint,
                                      .n_blocks = first_block(&r, i + 1) - first_block(&r, i),
                                      .sequence = sequence + first_element(&r, i),
                                      .ends = MPLAN_VECTOR_INIT(sizeof(int64_t)),
                                      .breaker = -1};
    if (!status)
        status = r.n == 1 ? grow_whole(tasks, starts, team, context, err)
                          : grow_regions(&r, tasks, team, context, err);
    for (int64_t i = 0; i < r.n && !status; i++)
        if (tasks[i].breaker >= 0)
            status = mplan_footprint_refuse(footprint, tasks[i].breaker, tasks[i].breaker, err);
    if (!status)
        status = join(&r, tasks, n_blocks, offsets, err);
    for (int64_t i = 0; i < r.n && tasks; i++)
        free(tasks[i].ends.data);
    free(tasks);
    free(r.low);
    free(r.foreign);
    return status;
}
