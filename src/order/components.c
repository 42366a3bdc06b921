/* SPDX-License-Identifier: Apache-2.0 */
/* components.c - connected components, renumbered breadth first
 *
 * Renumbering algorithms walk the graph a dozen times. On shuffled input every
 * step of a walk is a cache miss; after one copy in breadth-first order none
 * is, and the copy costs two walks. Where a mesh generator numbered row by row
 * that order is better yet than any breadth-first one, and the copy is saved. */
#include "order/components.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fetch.h"
#include "base/memory.h"
#include "base/threads.h"
#include "order/spread.h"

/* Neighbours NEAR numbers apart in the mean are in the cache together; a graph of a
 * few times as many vertices is there anyway. One row in SAMPLE is looked at. AHEAD: members whose offsets, rows and
 * neighbours are asked for before they are needed, each stage half as far as the one before. */
enum {
    OUTSIDE = -2,
    UNSEEN = -1,
    NEAR = 8192,
    SAMPLE = 16,
    AHEAD = 16,
    MEMBERS = 1 << 13,
    PIECES = 1024
};

void mplan_components_free(mplan_components *components)
{
    assert(components);
    free(components->first);
    free(components->member);
    if (!components->borrowed)
        mplan_csr_free(&components->graph);
    memset(components, 0, sizeof *components);
}

mplan_csr mplan_component(const mplan_components *components, int64_t c)
{
    assert(components);
    int64_t first = components->first[c];
    return (mplan_csr){components->first[c + 1] - first, components->graph.offsets + first,
                       components->graph.neighbours};
}

/* Asks for what a walk over member[i], member[i + 1], ... will read of the next members, of which there are n. */
static void fetch_ahead(const mplan_csr *graph, const int32_t *member, int64_t i, int64_t n,
                        const int32_t *place)
{
    if (i + AHEAD < n)
        mplan_fetch(&graph->offsets[member[i + AHEAD]]);
    if (i + AHEAD / 2 < n)
        mplan_fetch(&graph->neighbours[graph->offsets[member[i + AHEAD / 2]]]);
    if (i + AHEAD / 4 >= n)
        return;
    const int32_t v = member[i + AHEAD / 4];
    const int64_t begin = graph->offsets[v], end = graph->offsets[v + 1];
    for (int64_t k = begin; k < end && k < begin + AHEAD; k++)
        mplan_fetch(&place[graph->neighbours[k]]);
}

/* What threads share that number the members of a level. */
typedef struct number_work {
    const int32_t *member;
    int32_t *place;
    int64_t first, begin; /* of the component, of the level */
} number_work;

static void number_some(void *data, int thread, int64_t begin, int64_t end)
{
    const number_work *work = data;
    (void)thread;
    for (int64_t i = work->begin + begin; i < work->begin + end; i++)
        work->place[work->member[i]] = (int32_t)(i - work->first);
}

/* Fills member[] from `found` on with what `start` reaches; returns its end.
 * place[v] counts from the first of the component. */
static int64_t find_component(const mplan_csr *graph, int32_t start, int64_t found, int32_t *member,
                              int32_t *place, const mplan_spread *spread)
{
    int64_t begin = found, level = found; /* where the level that is found ends */
    member[found++] = start;
    place[start] = 0;
    for (int64_t i = begin; i < found; i++) {
        if (i == level) {
            const int64_t shared = mplan_spread_step(spread, graph, member, i, found, place, 0);
            level = found;
            if (shared >= 0) {
                number_work work = {member, place, begin, found};
                mplan_for(spread->team, shared - found, MEMBERS, number_some, &work);
                i = level - 1;
                found = shared;
                continue;
            }
        }
        int32_t v = member[i];
        fetch_ahead(graph, member, i, found, place);
        for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++) {
            int32_t w = graph->neighbours[k];
            if (place[w] == UNSEEN) {
                place[w] = (int32_t)(found - begin);
                member[found++] = w;
            }
        }
    }
    return found;
}

/* Whether vertices are numbered near their neighbours. */
static bool stays_near(const mplan_csr *graph)
{
    uint64_t sum = 0, count = 0;
    if (graph->n < 4 * NEAR)
        return false;
    for (int64_t v = 0; v < graph->n; v += SAMPLE)
        for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++) {
            int64_t apart = v - graph->neighbours[k];
            sum += (uint64_t)(apart < 0 ? -apart : apart);
            count++;
        }
    return sum <= count * NEAR;
}

/* A connected graph as it is given. */
static void borrow(const mplan_csr *graph, mplan_components *out)
{
    free(out->graph.offsets);
    out->graph = *graph;
    out->borrowed = true;
    for (int64_t v = 0; v < graph->n; v++) {
        int64_t degree = mplan_degree(graph, (int32_t)v);
        out->degree = degree > out->degree ? degree : out->degree;
        out->member[v] = (int32_t)v;
    }
}

/* Neighbours of v within the subgraph go to `to` (NULL: they are counted). */
static int64_t take_row(const mplan_csr *graph, int32_t v, const int32_t *place, int32_t *to)
{
    int64_t n = 0;
    for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++) {
        int32_t p = place[graph->neighbours[k]];
        if (p == OUTSIDE)
            continue;
        if (to)
            to[n] = p;
        n++;
    }
    return n;
}

/* What threads share that copy rows, piece by piece of the members. */
typedef struct row_copy {
    const mplan_csr *graph;
    const int32_t *place, *member;
    int64_t n_members;
    mplan_csr *to; /* offsets[i + 1]: the degree of member i, until they are summed */
} row_copy;

/* Degrees of members [begin, end). Returns the largest, with its sign changed. */
static int64_t count_rows(void *data, int thread, int64_t begin, int64_t end)
{
    const row_copy *c = data;
    const bool whole = c->n_members == c->graph->n;
    int64_t most = 0;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        if (!whole)
            fetch_ahead(c->graph, c->member, i, end, c->place);
        else if (i + AHEAD < end)
            mplan_fetch(&c->graph->offsets[c->member[i + AHEAD]]);
        const int64_t degree = whole ? mplan_degree(c->graph, c->member[i])
                                     : take_row(c->graph, c->member[i], c->place, NULL);
        c->to->offsets[i + 1] = degree;
        most = degree > most ? degree : most;
    }
    return -most;
}

/* Rows of members [begin, end). */
static void take_rows(void *data, int thread, int64_t begin, int64_t end)
{
    const row_copy *c = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        fetch_ahead(c->graph, c->member, i, end, c->place);
        int64_t taken = take_row(c->graph, c->member[i], c->place,
                                 c->to->neighbours + c->to->offsets[i]);
        assert(taken == c->to->offsets[i + 1] - c->to->offsets[i]);
        (void)taken;
    }
}

/* Rows of the graph restricted to the chosen vertices, in the order of member,
 * neighbours by their places there. place: one per vertex of the old graph, its new
 * number, or OUTSIDE. Also finds the highest degree. */
static mplan_status copy_rows(const mplan_csr *graph, int64_t n_members, const int32_t *place,
                              mplan_components *out, mplan_team *team, mplan_error *err)
{
    int64_t *offsets = out->graph.offsets;
    row_copy copy = {graph, place, out->member, n_members, &out->graph};
    out->degree = -mplan_for_least(team, n_members, MEMBERS, count_rows, &copy, 0);
    offsets[0] = 0;
    for (int64_t i = 0; i < n_members; i++)
        offsets[i + 1] += offsets[i];
    out->graph.neighbours = mplan_alloc(offsets[n_members], sizeof(int32_t), err);
    if (!out->graph.neighbours)
        return MPLAN_ERR_MEMORY;
    mplan_for(team, n_members, MEMBERS, take_rows, &copy);
    return MPLAN_OK;
}

/* Breadth-first searches number the vertices component by component; chosen: n_chosen
 * vertices, or NULL for all of them. Where one component is the whole graph in its own
 * order, its rows are borrowed instead of copied. */
mplan_status mplan_components_make(const mplan_csr *graph, const int32_t *chosen, int64_t n_chosen,
                                   mplan_components *out, mplan_team *team, mplan_error *err)
{
    assert(graph && out && n_chosen >= 0);
    int64_t n = chosen ? n_chosen : graph->n;
    *out = (mplan_components){.graph.n = n};
    mplan_spread spread;
    int32_t *place = mplan_alloc(graph->n, sizeof *place, err);
    out->first = mplan_alloc(n + 1, sizeof *out->first, err);
    out->member = mplan_alloc(n, sizeof *out->member, err);
    out->graph.offsets = mplan_alloc(n + 1, sizeof *out->graph.offsets, err);
    mplan_status status = MPLAN_ERR_MEMORY;
    if (!place || !out->first || !out->member || !out->graph.offsets)
        goto done;
    for (int64_t v = 0; v < graph->n; v++)
        place[v] = chosen ? OUTSIDE : UNSEEN;
    for (int64_t i = 0; i < n_chosen && chosen; i++)
        place[chosen[i]] = UNSEEN;
    int64_t found = 0;
    out->first[0] = 0;
    mplan_spread_open(&spread, graph->n, team);
    mplan_spread_start(&spread, graph->n);
    for (int64_t i = 0; i < n; i++) {
        int32_t start = chosen ? chosen[i] : (int32_t)i;
        if (place[start] != UNSEEN)
            continue;
        int64_t begin = found;
        found = find_component(graph, start, begin, out->member, place, &spread);
        out->largest = found - begin > out->largest ? found - begin : out->largest;
        out->first[++out->n] = found;
    }
    mplan_spread_close(&spread);
    status = MPLAN_OK;
    if (!chosen && out->n == 1 && stays_near(graph))
        borrow(graph, out);
    else
        status = copy_rows(graph, n, place, out, team, err);
done:
    free(place);
    if (status)
        mplan_components_free(out);
    return status;
}

/* --- one after the other, or side by side -------------------------------------------------- */

bool mplan_components_beside(const mplan_components *components, mplan_team *team)
{
    assert(components);
    return components->n > 1 && components->largest <= components->graph.n / 2 &&
           mplan_team_threads(team) > 1;
}

/* What threads share that work on components. */
typedef struct each_work {
    mplan_component_work *work;
    void *data;
    mplan_ask ask;
    int32_t failed; /* mplan_status */
} each_work;

static void work_on_some(void *data, int thread, int64_t begin, int64_t end)
{
    each_work *all = data;
    mplan_asker asker;
    mplan_ask_by(&all->ask, thread, &asker);
    for (int64_t c = begin; c < end && !mplan_peek(&all->failed); c++) {
        const mplan_status status = all->work(all->data, c, &asker.context, NULL);
        if (status)
            mplan_poke(&all->failed, (int32_t)status);
    }
}

mplan_status mplan_components_each(const mplan_components *components, mplan_component_work *work,
                                   void *data, const mplan_context *context, mplan_error *err)
{
    assert(components && work && data);
    mplan_team *team = mplan_team_of(context);
    if (!mplan_components_beside(components, team)) {
        mplan_status status = MPLAN_OK;
        for (int64_t c = 0; c < components->n && !status; c++)
            status = work(data, c, context, err);
        return status;
    }
    each_work all = {.work = work, .data = data, .ask.context = context};
    mplan_for(team, components->n, 1 + components->n / PIECES, work_on_some, &all);
    const mplan_status failed = (mplan_status)all.failed;
    if (failed == MPLAN_ERR_MEMORY)
        return mplan_fail(err, failed, "out of memory for orders of %lld components",
                          (long long)components->n);
    return failed ? mplan_fail(err, failed, "interrupted") : mplan_interrupted(context, err);
}
