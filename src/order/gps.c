/* SPDX-License-Identifier: Apache-2.0 */
/* gps.c - Gibbs-Poole-Stockmeyer
 *
 * N. E. Gibbs, W. G. Poole, P. K. Stockmeyer, "An algorithm for reducing the
 * bandwidth and profile of a sparse matrix", SIAM J. Numer. Anal. 13 (1976);
 * J. G. Lewis, ACM Trans. Math. Softw. 8 (1982). levels.c has their algorithms I
 * and II, level_numbering.c algorithm III. What is different here:
 *
 * - More structures than theirs are looked at (layering.c), and the best one is
 *   numbered, from the other end, too, where that can be better.
 * - Where level 0 is more than a vertex it is ordered by this same method, and a
 *   second rule follows its rows (level_numbering.c).
 * - Forward or reversed is decided by the profile of each, and between
 *   numberings by bandwidth x profile.
 *
 * By threads: components, and of a large one numberings from both ends and by both rules, are made side by side, and judged as if one came
 * after the other.
 *
 * All of it happens component by component, on a copy of the graph in which
 * each component is renumbered breadth first, unless it is numbered well already
 * (components.c). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "order/components.h"
#include "order/layering.h"
#include "order/level_numbering.h"
#include "order/order.h"

/* Level 0 of a level 0 of ...: a body, its face, the face's side. */
enum { MAX_NESTING = 2, MANY = 1 << 15, WAYS = 4 };

/* A numbering of some vertices; rows ascend and hold the vertices of one level. */
typedef struct ordered {
    int32_t *sequence;
    int32_t *row;
    int32_t n_rows;
} ordered;

static mplan_status order_part(const mplan_csr *graph, const int32_t *chosen, int64_t n_chosen,
                               int nesting, ordered *out, const mplan_context *context,
                               mplan_error *err);

/* --- numbering it -------------------------------------------------------------------- */

/* A numbering of the structure, and how good it is. */
typedef struct numbered {
    int32_t *sequence;          /* n; NULL: not made yet */
    bool from_last;             /* level 0 is the structure's last */
    bool reversed;              /* the profile is that of the sequence read backwards */
    int64_t bandwidth, profile; /* bandwidth -1: there is none */
} numbered;

/* Bandwidth and profile of the graph when vertex v has number place[v]. The profile is
 * that of the order or of its reverse, whichever is smaller; `reversed` says which. */
static void measure(const mplan_csr *graph, const int32_t *place, numbered *out)
{
    int64_t bandwidth = 0, below = 0, above = 0;
    for (int64_t v = 0; v < graph->n; v++) {
        int32_t p = place[v], low = p, high = p;
        for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++) {
            int32_t q = place[graph->neighbours[k]];
            low = q < low ? q : low;
            high = q > high ? q : high;
        }
        below += p - low;
        above += high - p;
        bandwidth = p - low > bandwidth ? p - low : bandwidth;
    }
    out->bandwidth = bandwidth;
    out->reversed = above < below;
    out->profile = out->reversed ? above : below;
}

/* Level 0 of a task, ordered; not at all (sequence NULL) when it is not worth it. */
static mplan_status order_first(const mplan_level_task *task, int nesting, ordered *first,
                                int64_t *n_first, const mplan_context *context, mplan_error *err)
{
    int64_t n = 0;
    *n_first = 0;
    for (int64_t v = 0; v < task->graph->n; v++)
        n += mplan_task_level(task, (int32_t)v) == 0;
    if (n > 1 && (nesting == MAX_NESTING || n > task->graph->n / 4))
        return MPLAN_OK;
    int32_t *chosen = mplan_alloc(n, sizeof *chosen, err);
    first->sequence = mplan_alloc(n, sizeof *first->sequence, err);
    first->row = mplan_alloc(n, sizeof *first->row, err);
    mplan_status status = MPLAN_ERR_MEMORY;
    if (!chosen || !first->sequence || !first->row)
        goto done;
    for (int64_t v = 0; v < task->graph->n; v++)
        if (mplan_task_level(task, (int32_t)v) == 0)
            chosen[(*n_first)++] = (int32_t)v;
    if (n > 1) {
        status = order_part(task->graph, chosen, n, nesting + 1, first, context, err);
        goto done;
    }
    first->sequence[0] = chosen[0];
    first->row[0] = 0;
    first->n_rows = 1;
    status = MPLAN_OK;
done:
    free(chosen);
    return status;
}

/* By bandwidth x profile, as doubles: exact enough, and equal on every machine. */
static bool better(const numbered *a, const numbered *b)
{
    return (double)a->bandwidth * (double)a->profile < (double)b->bandwidth * (double)b->profile;
}

/* The structure of a component. */
typedef struct structure {
    const mplan_csr *graph;
    const mplan_layering *layers;
    int nesting;
} structure;

/* Rows are worth following when level 0 is near as large as a layer, and not all
 * of them are single vertices. */
static bool has_rows(const mplan_layering *layers, const ordered *first, int64_t n_first)
{
    return first->n_rows < n_first && 4 * n_first >= layers->width;
}

/* Numbers the structure from one end, out->from_last. By rows there is no numbering where there are none. */
static mplan_status number_from(const structure *c, mplan_level_rule rule, numbered *out,
                                const mplan_context *context, mplan_error *err)
{
    mplan_level_task task = {
        c->graph, c->layers->level, c->layers->depth, out->from_last, NULL, NULL, 0, rule};
    ordered first = {0};
    int32_t *place = NULL;
    out->bandwidth = -1;
    mplan_status status = order_first(&task, c->nesting, &first, &task.n_first, context, err);
    task.first = first.sequence;
    task.first_row = first.row;
    if (status || (rule == MPLAN_LEVELS_BY_ROW && !has_rows(c->layers, &first, task.n_first)))
        goto done;
    place = mplan_alloc(c->graph->n, sizeof *place, err);
    if (!out->sequence)
        out->sequence = mplan_alloc(c->graph->n, sizeof *out->sequence, err);
    status = place && out->sequence ? mplan_level_number(&task, out->sequence, place, context, err)
                                    : MPLAN_ERR_MEMORY;
    if (!status)
        measure(c->graph, place, out);
done:
    free(place);
    free(first.sequence);
    free(first.row);
    return status;
}

/* Exchanges the two where `trial` is better. */
static void keep_better(numbered *trial, numbered *best)
{
    if (trial->bandwidth < 0 || (best->bandwidth >= 0 && !better(trial, best)))
        return;
    numbered swap = *best;
    *best = *trial;
    *trial = swap;
}

/* Layers that are all alike are numbered by rows if there are any. Else by the
 * first rule, from both ends unless the bandwidth is down to the width at once,
 * and by rows from the better end. */
static mplan_status number_in_turn(const structure *c, numbered *best, const mplan_context *context,
                                   mplan_error *err)
{
    const bool even = c->layers->even;
    numbered trial = {.bandwidth = -1};
    mplan_status status = MPLAN_OK;
    if (even)
        status = number_from(c, MPLAN_LEVELS_BY_ROW, best, context, err);
    if (!status && best->bandwidth < 0)
        status = number_from(c, MPLAN_LEVELS_BY_FIRST, best, context, err);
    if (!status && !even && best->bandwidth > c->layers->width) {
        trial.from_last = true;
        status = number_from(c, MPLAN_LEVELS_BY_FIRST, &trial, context, err);
        if (!status)
            keep_better(&trial, best);
    }
    trial.from_last = best->from_last;
    if (!status && !even)
        status = number_from(c, MPLAN_LEVELS_BY_ROW, &trial, context, err);
    if (!status && !even)
        keep_better(&trial, best);
    free(trial.sequence);
    return status;
}

/* Numberings side by side: by the first rule from either end, then by rows. */
typedef struct side_by_side {
    const structure *c;
    numbered ways[WAYS];
    int32_t status[WAYS];
    mplan_ask ask;
} side_by_side;

static void number_some(void *data, int thread, int64_t begin, int64_t end)
{
    side_by_side *all = data;
    mplan_asker asker;
    mplan_ask_by(&all->ask, thread, &asker);
    for (int64_t way = begin; way < end; way++) {
        all->ways[way].from_last = way % 2;
        all->status[way] = (int32_t)number_from(all->c,
                                                way < 2 ? MPLAN_LEVELS_BY_FIRST : MPLAN_LEVELS_BY_ROW,
                                                &all->ways[way], &asker.context, NULL);
    }
}

/* What number_in_turn finds of levels that are not alike. With less than four threads rows wait for the better end. */
static mplan_status number_beside(const structure *c, numbered *best, const mplan_context *context,
                                  mplan_error *err)
{
    mplan_team *team = mplan_team_of(context);
    const int64_t n = mplan_team_threads(team) >= WAYS ? WAYS : 2;
    side_by_side all = {.c = c, .ask.context = context};
    mplan_for(team, n, 1, number_some, &all);
    mplan_status status = mplan_interrupted(context, err);
    for (int64_t way = 0; way < n && !status; way++)
        if (all.status[way])
            status = mplan_fail(err, (mplan_status)all.status[way], "%s",
                                all.status[way] == MPLAN_ERR_MEMORY ? "out of memory for an order"
                                                                    : "interrupted");
    if (!status && all.ways[0].bandwidth > c->layers->width)
        keep_better(&all.ways[1], &all.ways[0]);
    const int32_t last = 2 + all.ways[0].from_last;
    if (!status && n < WAYS) {
        all.ways[last].from_last = all.ways[0].from_last;
        status = number_from(c, MPLAN_LEVELS_BY_ROW, &all.ways[last], context, err);
    }
    if (!status)
        keep_better(&all.ways[last], &all.ways[0]);
    *best = all.ways[0];
    for (int32_t way = 1; way < WAYS; way++)
        free(all.ways[way].sequence);
    return status;
}

/* Fills the part of `out` that belongs to a component, from out->sequence[begin]. */
static void store(const mplan_layering *layers, const numbered *best, int64_t n,
                  const int32_t *member, int64_t begin, ordered *out)
{
    bool flip = best->from_last != best->reversed; /* rows descend along the levels */
    for (int64_t i = 0; i < n; i++) {
        int32_t v = best->sequence[best->reversed ? n - 1 - i : i], level = layers->level[v];
        out->sequence[begin + i] = member[v];
        if (out->row)
            out->row[begin + i] = out->n_rows + (flip ? layers->depth - level : level);
    }
    out->n_rows += layers->depth + 1;
}

/* Orders one connected component: all candidate numberings of its level structure are
 * tried and the best is written to out->sequence from `begin` on. member: one per
 * vertex of the component, its vertex in the whole graph. nesting is the depth of
 * recursion. */
static mplan_status order_component(const mplan_csr *graph, const int32_t *member, int64_t begin,
                                    int nesting, ordered *out, const mplan_context *context,
                                    mplan_error *err)
{
    mplan_team *team = mplan_team_of(context);
    mplan_layering layers;
    numbered best = {.bandwidth = -1};
    const structure c = {graph, &layers, nesting};
    mplan_status status = mplan_layering_choose(graph, &layers, context, err);
    if (!status)
        status = mplan_interrupted(context, err);
    const bool beside = mplan_team_threads(team) > 1 && (graph->n >= MANY || team->pieces > 0);
    if (!status)
        status = (beside && !layers.even ? number_beside : number_in_turn)(&c, &best, context, err);
    if (!status)
        store(&layers, &best, graph->n, member, begin, out);
    mplan_layering_free(&layers);
    free(best.sequence);
    return status;
}

/* What is done component by component. */
typedef struct part_work {
    const mplan_components *parts;
    int nesting;
    ordered *out;
} part_work;

/* Without rows components write to places of their own only. */
static mplan_status order_one(void *data, int64_t c, const mplan_context *context, mplan_error *err)
{
    const part_work *work = data;
    const int64_t begin = work->parts->first[c];
    const int32_t *member = work->parts->member + begin;
    const mplan_csr component = mplan_component(work->parts, c);
    ordered own = *work->out, *out = own.row ? work->out : &own;
    if (component.n > 1)
        return order_component(&component, member, begin, work->nesting, out, context, err);
    out->sequence[begin] = *member;
    if (out->row)
        out->row[begin] = out->n_rows;
    out->n_rows++;
    return MPLAN_OK;
}

/* Orders the subgraph on the chosen vertices (NULL: all), component by component. Rows are counted from one to the next. */
static mplan_status order_part(const mplan_csr *graph, const int32_t *chosen, int64_t n_chosen,
                               int nesting, ordered *out, const mplan_context *context,
                               mplan_error *err)
{
    mplan_components parts;
    mplan_status status = mplan_components_make(graph, chosen, n_chosen, &parts,
                                                mplan_team_of(context), err);
    part_work work = {&parts, nesting, out};
    if (!status && !out->row)
        status = mplan_components_each(&parts, order_one, &work, context, err);
    for (int64_t c = 0; out->row && !status && c < parts.n; c++)
        status = order_one(&work, c, context, err);
    mplan_components_free(&parts);
    return status;
}

/* order_part leaves the vertices in the order of their numbers; their inverse is the
 * answer. */
mplan_status mplan_order_gps(const mplan_csr *graph, int32_t *new_of_old,
                             const mplan_context *context, mplan_error *err)
{
    assert(graph && new_of_old);
    ordered all = {.sequence = mplan_alloc(graph->n, sizeof *all.sequence, err)};
    if (!all.sequence)
        return MPLAN_ERR_MEMORY;
    mplan_status status = order_part(graph, NULL, 0, 0, &all, context, err);
    for (int64_t i = 0; !status && i < graph->n; i++)
        new_of_old[all.sequence[i]] = (int32_t)i;
    free(all.sequence);
    return status;
}
