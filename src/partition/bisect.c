/* SPDX-License-Identifier: Apache-2.0 */
/* bisect.c - a graph into a number of parts: in two, and each half in two, by coarser and coarser graphs
 *
 * Multilevel recursive bisection after Karypis and Kumar, SIAM J. Sci. Comput. 20 (1998). The coarsest graph is cut by growing
 * a side from several vertices, each attempt refined. Everything is decided by numbers of the graph, so equal graphs give equal
 * parts. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "mesh/mesh.h"
#include "partition/bisect.h"
#include "partition/bisect_refine.h"
#include "partition/partition.h"

/* Coarsening ends at so many vertices, or where a step leaves more than 19 in 20 of them.
 * A graph of at most SEVERAL vertices whose finer one has more is cut several times, each by matchings of its own: TRIES times in
 * the UPPER first levels, which decide most, LATER_TRIES below. At 8 parts that takes 2.5 to 4.7 % off halos of grids and prisms and
 * 0.4 % off those of tetrahedra, at 64 parts 0.6 to 2.7 %, and costs half as much time again. */
enum {
    COARSEST = 120,
    ATTEMPTS = 12,
    PASSES = 10,
    SEVERAL = 4000,
    UPPER = 3,
    TRIES = 6,
    LATER_TRIES = 2
};

/* One bisection. */
typedef struct bisection {
    double share;   /* of side 0 */
    double balance; /* sides may be off by this share of the smaller one */
    int32_t tries;  /* of the graph that is small enough for several; of one of these cuts 1 */
    uint64_t seed;  /* of matchings, and of the vertices that a side grows from */
} bisection;

static mplan_sides sides_of(const mplan_weighted *graph, const bisection *how, uint8_t *side)
{
    int64_t heaviest = 1;
    for (int64_t v = 0; v < graph->n; v++)
        heaviest = graph->weight[v] > heaviest ? graph->weight[v] : heaviest;
    const double smaller = (how->share < 0.5 ? how->share : 1 - how->share) * (double)graph->total;
    int64_t slack = (int64_t)(how->balance * smaller);
    if (slack < heaviest / 2) /* what the vertices of a coarse graph allow */
        slack = heaviest / 2;
    return (mplan_sides){side, (int64_t)(how->share * (double)graph->total + 0.5), slack, 0, 0};
}

/* Side 0 grows from a vertex, breadth first, until it has its weight; components follow one another. queue: scratch of n. */
static void grow(const mplan_weighted *graph, int32_t seed, int64_t due, uint8_t *side, int32_t *queue)
{
    int64_t head = 0, tail = 0, weight = 0;
    memset(side, 1, (size_t)graph->n);
    for (int64_t next = 0; weight < due && next <= graph->n;) {
        if (head == tail) { /* a new component */
            const int32_t v = tail == 0 ? seed : (int32_t)next++;
            if (v >= graph->n || (tail > 0 && side[v] == 0))
                continue;
            side[v] = 0;
            weight += graph->weight[v];
            queue[tail++] = v;
            continue;
        }
        const int32_t v = queue[head++];
        for (int64_t i = graph->offsets[v]; i < graph->offsets[v + 1] && weight < due; i++) {
            const int32_t w = graph->neighbours[i];
            if (side[w] == 0)
                continue;
            side[w] = 0;
            weight += graph->weight[w];
            queue[tail++] = w;
        }
    }
}

/* Of a cut: weight beyond the slack, and of cut edges; less is better, the former first. */
typedef struct outcome {
    int64_t beyond, cut;
} outcome;

/* Copies the trial's sides to `side` where they are better than the best so far. */
static void keep_better(const mplan_weighted *graph, const mplan_sides *trial, outcome *best,
                        uint8_t *side)
{
    const int64_t off = mplan_sides_off(graph, trial) - trial->slack, beyond = off > 0 ? off : 0;
    if (beyond > best->beyond || (beyond == best->beyond && trial->cut >= best->cut))
        return;
    *best = (outcome){beyond, trial->cut};
    memcpy(side, trial->side, (size_t)graph->n);
}

/* The best of some attempts on the coarsest graph. */
static mplan_status cut_coarsest(const mplan_weighted *graph, const bisection *how, uint8_t *side,
                                 mplan_error *err)
{
    uint8_t *trial = mplan_alloc(graph->n, 1, err);
    int32_t *queue = mplan_alloc(graph->n, sizeof *queue, err);
    mplan_status status = trial && queue ? MPLAN_OK : MPLAN_ERR_MEMORY;
    uint64_t state = 7 + how->seed;
    outcome best = {INT64_MAX, INT64_MAX};
    for (int i = 0; i < ATTEMPTS && !status; i++) {
        mplan_sides sides = sides_of(graph, how, trial);
        grow(graph, (int32_t)mplan_random_below(&state, graph->n), sides.due, trial, queue);
        status = mplan_sides_refine(graph, PASSES, &sides, NULL, err);
        if (!status)
            keep_better(graph, &sides, &best, side);
    }
    free(trial);
    free(queue);
    return status;
}

static mplan_status cut_in_two(const mplan_weighted *graph, const bisection *how, uint8_t *side,
                               const mplan_context *context, mplan_error *err);

/* The best of several cuts of a graph that is small enough for that: each by matchings of its own. */
static mplan_status cut_several(const mplan_weighted *graph, const bisection *how, uint8_t *side,
                                const mplan_context *context, mplan_error *err)
{
    uint8_t *trial = mplan_alloc(graph->n, 1, err);
    mplan_status status = trial ? MPLAN_OK : MPLAN_ERR_MEMORY;
    outcome best = {INT64_MAX, INT64_MAX};
    for (int32_t i = 0; i < how->tries && !status; i++) {
        const bisection own = {how->share, how->balance, 1, (uint64_t)i + 1};
        mplan_sides sides = sides_of(graph, how, trial);
        status = cut_in_two(graph, &own, trial, context, err);
        if (!status)
            status = mplan_sides_refine(graph, 1, &sides, NULL, err); /* counts the cut */
        if (!status)
            keep_better(graph, &sides, &best, side);
    }
    free(trial);
    return status;
}

/* side: out. By a coarser graph, where that is much smaller, and refined here. */
static mplan_status cut_in_two(const mplan_weighted *graph, const bisection *how, uint8_t *side,
                               const mplan_context *context, mplan_error *err)
{
    mplan_team *team = mplan_team_of(context);
    mplan_weighted smaller = {0};
    int32_t *coarse = NULL;
    uint8_t *coarse_side = NULL;
    mplan_status status = mplan_interrupted(context, err);
    if (status || graph->n <= COARSEST)
        return status || graph->n == 0 ? status : cut_coarsest(graph, how, side, err);
    coarse = mplan_alloc(graph->n, sizeof *coarse, err);
    status = coarse ? mplan_weighted_coarsen(graph, graph->total / 40 + 1, how->seed, coarse,
                                             &smaller, team, err)
                    : MPLAN_ERR_MEMORY;
    if (!status && smaller.n > graph->n / 20 * 19) {
        status = cut_coarsest(graph, how, side, err);
    } else if (!status) {
        coarse_side = mplan_alloc(smaller.n, 1, err);
        const bool several = graph->n > SEVERAL && smaller.n <= SEVERAL && how->tries > 1;
        status = !coarse_side ? MPLAN_ERR_MEMORY
                 : several    ? cut_several(&smaller, how, coarse_side, context, err)
                              : cut_in_two(&smaller, how, coarse_side, context, err);
        mplan_sides sides = sides_of(graph, how, side);
        for (int64_t v = 0; v < graph->n && !status; v++)
            side[v] = coarse_side[coarse[v]];
        if (!status)
            status = mplan_sides_refine(graph, PASSES, &sides, team, err);
    }
    mplan_weighted_free(&smaller);
    free(coarse);
    free(coarse_side);
    return status;
}

/* A piece of the graph that becomes parts first to first + n - 1. */
typedef struct job {
    const mplan_weighted *graph; /* the whole one, or own */
    mplan_weighted own;
    int32_t *old; /* numbers that its vertices have in the whole; NULL: the same */
    int32_t first, n;
    mplan_status status;
} job;

/* What all bisections of a graph have in common, and those of one level, which run side by side. */
typedef struct cutting {
    double balance;
    int32_t *part; /* out, of each vertex of the whole graph */
    int32_t tries;
    job *jobs,
        *halves; /* of the level; what comes of them, two each, with nothing where a half is a part */
    mplan_error *errors;          /* of each job */
    const mplan_context *context; /* of bisections in turn; NULL where they run side by side, */
    mplan_ask ask;                /* by contexts that heed this */
} cutting;

static void free_job(job *j)
{
    mplan_weighted_free(&j->own);
    free(j->old);
    j->old = NULL;
}

/* One half of a job: its part, or a job of its own. number: scratch. */
static mplan_status take_half(const cutting *c, const job *j, const uint8_t *side, uint8_t which,
                              int32_t *number, job *half, mplan_error *err)
{
    const int32_t first = which ? j->first + j->n / 2 : j->first;
    const int32_t n = which ? j->n - j->n / 2 : j->n / 2;
    if (n == 1) {
        for (int64_t v = 0; v < j->graph->n; v++)
            if (side[v] == which)
                c->part[j->old ? j->old[v] : v] = first;
        return MPLAN_OK;
    }
    half->first = first;
    half->n = n;
    half->graph = &half->own;
    const mplan_status status = mplan_weighted_side(j->graph, side, which, number, &half->own,
                                                    &half->old, err);
    for (int64_t v = 0; v < half->own.n && !status && j->old; v++)
        half->old[v] = j->old[half->old[v]];
    return status;
}

/* Cuts jobs begin to end - 1 in two. */
static void cut_some(void *data, int thread, int64_t begin, int64_t end)
{
    cutting *c = data;
    mplan_asker asker;
    mplan_ask_by(&c->ask, thread, &asker);
    const mplan_context *context = c->context ? c->context : &asker.context;
    for (int64_t i = begin; i < end; i++) {
        job *j = &c->jobs[i];
        mplan_error *err = &c->errors[i];
        const bisection how = {(double)(j->n / 2) / j->n, c->balance, c->tries, 0};
        uint8_t *side = mplan_alloc(j->graph->n, 1, err);
        int32_t *number = mplan_alloc(j->graph->n, sizeof *number, err);
        j->status = side && number ? cut_in_two(j->graph, &how, side, context, err)
                                   : MPLAN_ERR_MEMORY;
        for (uint8_t which = 0; which < 2 && !j->status; which++)
            j->status = take_half(c, j, side, which, number, &c->halves[2 * i + which], err);
        free(side);
        free(number);
        free_job(j);
    }
}

/* Cuts all jobs of a level, of which a single one has all threads, and makes those of the next. *n: how many there are. */
static mplan_status cut_level(cutting *c, int64_t *n, const mplan_context *context, mplan_error *err)
{
    int64_t n_next = 0;
    c->halves = mplan_alloc_zero(2 * *n, sizeof *c->halves, err);
    c->errors = mplan_alloc_zero(*n, sizeof *c->errors, err);
    mplan_team *team = mplan_team_of(context);
    const bool in_turn = *n == 1 || mplan_team_threads(team) == 1;
    c->context = in_turn ? context : NULL;
    c->ask.context = context;
    mplan_status status = c->halves && c->errors ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < *n && !status && in_turn; i++) {
        cut_some(c, 0, i, i + 1);
        status = c->jobs[i].status;
        if (status && err)
            *err = c->errors[i];
    }
    if (!status && !in_turn)
        status = mplan_for_heeding(team, *n, 1, cut_some, c, context, err);
    for (int64_t i = 0; i < *n; i++) {
        if (!status && (status = c->jobs[i].status) && err)
            *err = c->errors[i];
        free_job(&c->jobs[i]); /* what did not get its turn */
    }
    for (int64_t i = 0; c->halves && i < 2 * *n; i++)
        if (c->halves[i].n > 0)
            c->halves[n_next++] = c->halves[i];
    for (int64_t i = 0; i < n_next; i++)
        c->halves[i].graph = &c->halves[i].own;
    free(c->errors);
    free(c->jobs);
    c->jobs = c->halves;
    c->halves = NULL;
    *n = n_next;
    return status;
}

/* Level by level: pieces of one level have nothing to do with each other. */
static mplan_status cut_levels(cutting *c, const mplan_weighted *graph, int32_t n_parts,
                               const mplan_context *context, mplan_error *err)
{
    int64_t n = 1;
    mplan_status status = MPLAN_OK;
    if (n_parts == 1) {
        memset(c->part, 0, (size_t)graph->n * sizeof *c->part);
        return MPLAN_OK;
    }
    c->jobs = mplan_alloc_zero(1, sizeof *c->jobs, err);
    if (!c->jobs)
        return MPLAN_ERR_MEMORY;
    c->jobs[0].graph = graph;
    c->jobs[0].n = n_parts;
    for (int32_t level = 0; n > 0 && !status; level++) {
        c->tries = level < UPPER ? TRIES : LATER_TRIES;
        status = cut_level(c, &n, context, err);
    }
    for (int64_t i = 0; c->jobs && i < n; i++)
        free_job(&c->jobs[i]);
    free(c->jobs);
    return status;
}

mplan_status mplan_bisect_weighted(const mplan_weighted *graph, int32_t n_parts, double imbalance,
                                   int32_t *part, const mplan_context *context, mplan_error *err)
{
    assert(graph && part && n_parts >= 1 && imbalance >= 1);
    const mplan_csr edges = {graph->n, graph->offsets, graph->neighbours};
    int32_t depth = 0;
    int64_t moved;
    while (depth < 31 && (INT64_C(1) << depth) < n_parts)
        depth++;
    cutting c = {.balance = depth ? (imbalance - 1) * 0.9 / depth : 0, .part = part};
    const mplan_status status = cut_levels(&c, graph, n_parts, context, err);
    return status || graph->n < n_parts ? status
                                        : mplan_partition_refill(&edges, n_parts, part, &moved, err);
}

mplan_status mplan_partition_bisect(const mplan_csr *graph, int32_t n_parts, double imbalance,
                                    const mplan_cut_wishes *wishes, int32_t *part,
                                    const mplan_context *context, mplan_error *err)
{
    assert(graph && part && n_parts >= 1 && imbalance >= 1);
    mplan_weighted all = {0};
    mplan_status status = mplan_weighted_of(graph, wishes, &all, err);
    if (!status)
        status = mplan_bisect_weighted(&all, n_parts, imbalance, part, context, err);
    mplan_weighted_free(&all);
    return status;
}
