/* SPDX-License-Identifier: Apache-2.0 */
/* spread.c - one step of a breadth-first search by threads
 *
 * Every new vertex is claimed by the vertex of the last level that comes first in the queue (the least place wins, whoever comes
 * first); then each piece of the last level takes what it has claimed, row by row. So the queue is that of one thread. It is three times the
 * work of one thread (hexes 64^3, shuffled), so that few threads do not share it. */
#include "order/spread.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A step is shared from SHARED vertices on, which take one thread about 0.1 ms; VERTICES of a piece at least, at most PIECES pieces.
 * Graphs of fewer than LARGE vertices have no such levels. */
enum { SHARED = 8192, VERTICES = 1024, PIECES = 256, LARGE = 1 << 18, FILL = 1 << 15, THREADS = 6 };

typedef struct step_work {
    const mplan_spread *spread;
    const mplan_csr *graph;
    const int32_t *queue;
    int64_t begin, n, n_pieces;
    int32_t *mark, value;
    int64_t room[PIECES + 1]; /* where a piece has room for what it finds; first as many as its rows are long */
    int64_t found[PIECES];
} step_work;

static bool is_tested(const mplan_team *team)
{
    return team && team->pieces > 0;
}

void mplan_spread_open(mplan_spread *spread, int64_t n, mplan_team *team)
{
    assert(spread && n >= 0);
    *spread = (mplan_spread){.team = team, .n = n};
    if (!is_tested(team) && (n < LARGE || mplan_team_threads(team) < THREADS))
        return;
    spread->claim = mplan_alloc(n, sizeof *spread->claim, NULL);
    spread->found = mplan_alloc(n, sizeof *spread->found, NULL);
    if (!spread->claim || !spread->found)
        mplan_spread_close(spread);
}

void mplan_spread_close(mplan_spread *spread)
{
    assert(spread);
    free(spread->claim);
    free(spread->found);
    *spread = (mplan_spread){0};
}

static void forget_some(void *data, int thread, int64_t begin, int64_t end)
{
    mplan_spread *spread = data;
    (void)thread;
    for (int64_t v = begin; v < end; v++)
        spread->claim[v] = INT32_MAX;
}

void mplan_spread_start(mplan_spread *spread, int64_t n)
{
    assert(spread && (!spread->claim || n <= spread->n));
    if (spread->claim)
        mplan_for(spread->team, n, FILL, forget_some, spread);
}

/* Claims for pieces [begin, end) of the last level, and the lengths of their rows. No mark changes meanwhile. */
static void claim_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    step_work *work = data;
    const mplan_csr *graph = work->graph;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        const int64_t last = work->begin + mplan_piece_begin(work->n, work->n_pieces, k + 1);
        int64_t length = 0;
        for (int64_t i = work->begin + mplan_piece_begin(work->n, work->n_pieces, k); i < last; i++) {
            const int32_t v = work->queue[i];
            length += graph->offsets[v + 1] - graph->offsets[v];
            for (int64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
                if (work->mark[graph->neighbours[e]] == -1)
                    mplan_lower(&work->spread->claim[graph->neighbours[e]], (int32_t)i);
        }
        work->room[k + 1] = length;
    }
}

/* What the pieces have claimed. Only the vertex that has the claim looks at a mark, so that nobody reads what another thread writes. */
static void take_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    step_work *work = data;
    const mplan_csr *graph = work->graph;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        const int64_t last = work->begin + mplan_piece_begin(work->n, work->n_pieces, k + 1);
        int32_t *to = work->spread->found + work->room[k];
        for (int64_t i = work->begin + mplan_piece_begin(work->n, work->n_pieces, k); i < last; i++) {
            const int32_t v = work->queue[i];
            for (int64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
                const int32_t w = graph->neighbours[e];
                if (work->spread->claim[w] != (int32_t)i || work->mark[w] != -1)
                    continue;
                work->mark[w] = work->value;
                *to++ = w;
            }
        }
        work->found[k] = to - (work->spread->found + work->room[k]);
    }
}

int64_t mplan_spread_step(const mplan_spread *spread, const mplan_csr *graph, int32_t *queue,
                          int64_t begin, int64_t end, int32_t *mark, int32_t value)
{
    assert(graph && queue && mark && begin <= end);
    const int64_t n = end - begin;
    if (!spread || !spread->claim || (n < SHARED && !is_tested(spread->team)))
        return -1;
    step_work work = {.spread = spread,
                      .graph = graph,
                      .queue = queue,
                      .begin = begin,
                      .n = n,
                      .n_pieces = mplan_pieces(spread->team, n, VERTICES),
                      .mark = mark,
                      .value = value};
    work.n_pieces = work.n_pieces < PIECES ? work.n_pieces : PIECES;
    mplan_for(spread->team, work.n_pieces, 1, claim_pieces, &work);
    for (int64_t k = 0; k < work.n_pieces; k++)
        work.room[k + 1] += work.room[k];
    if (work.room[work.n_pieces] >
        spread->n) /* more than there is room for: rows are long, and levels few */
        return -1;
    mplan_for(spread->team, work.n_pieces, 1, take_pieces, &work);
    for (int64_t k = 0; k < work.n_pieces; k++) {
        memcpy(queue + end, spread->found + work.room[k], (size_t)work.found[k] * sizeof *queue);
        end += work.found[k];
    }
    return end;
}
