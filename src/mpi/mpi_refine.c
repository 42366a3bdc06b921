/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_refine.c - moves between all pairs of neighbouring parts of a graph that is dealt out to ranks
 *
 * Pairs of parts are dealt out to rounds in which no part is in two pairs, heavy borders first (M. Holtgrewe, P.
 * Sanders, C. Schulz, IPDPS 2010). In a round the vertices near the border of each pair travel to one rank, which
 * moves them (mpi_strip.c), and the moves travel back. All that is decided depends on the graph and the parts
 * only.
 *
 * The list of borders and the weights of parts are the same on every rank, so that all ranks run the same rounds
 * without being told. Which rank moves a strip follows from its place in the round and from the number of ranks,
 * but every rank would move it alike. Numbers are those of vertices in the whole graph; places are on this rank,
 * own vertices first, then ghosts. */
#include "mpi/mpi_borders.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* --- a round ------------------------------------------------------------------------------------------------ */

/* The borders [begin, begin + n) of a round; figures: of each how much parts a and b become heavier, and what was
 * gained. figures is room of the sweep, which has as many for all borders; a round begins with zeros. A border is
 * called by its place in the round, from 0. */
typedef struct turn {
    int64_t begin, n;
    int64_t *figures; /* 3 each */
} turn;

/* Borders of a round are dealt out evenly; any rank would do the same. */
static int32_t rank_of_border(const mpi_sweep *s, const turn *t, int64_t i)
{
    return (int32_t)(i * s->parted->graph->ranks / t->n);
}

/* Whether the vertex at a place is in a strip of this round. */
static bool is_in_strip(const mpi_sweep *s, int64_t v)
{
    const int32_t mate = s->mate[s->parted->part[v]];
    return mate >= 0 && mpi_is_near(&s->near[v], mate);
}

/* Appends the words of an own vertex, which is in a strip (STRIP_... in mpi_graph.h). Side 0 is the lower of the
 * two parts. Edges to vertices of other parts are left out: no move between these two parts changes what they
 * cost. */
static mplan_status add_vertex(const mpi_sweep *s, int64_t v, mplan_vector *words, mplan_error *err)
{
    const mpi_graph *g = s->parted->graph;
    const int32_t *part = s->parted->part, own = part[v], mate = s->mate[own];
    const int32_t a = own < mate ? own : mate;
    int64_t *w = mplan_vector_reserve(words, STRIP_WORDS + 2 * (g->offsets[v + 1] - g->offsets[v]),
                                      err);
    if (!w)
        return MPLAN_ERR_MEMORY;
    w[STRIP_PAIR] = s->index[own];
    w[STRIP_NUMBER] = mpi_graph_number(g, v);
    w[STRIP_WEIGHT] = g->weight[v];
    w[STRIP_SIDE] = own != a;
    w[STRIP_REST] = w[STRIP_REST + 1] = w[STRIP_N] = 0;
    for (int64_t i = g->offsets[v]; i < g->offsets[v + 1]; i++) {
        const int32_t u = g->neighbours[i];
        if (part[u] != own && part[u] != mate)
            continue;
        /* a neighbour that stays counts for the rest of its side; only the sum of its edges is needed */
        if (!is_in_strip(s, u)) {
            w[STRIP_REST + (part[u] != a)] += mpi_graph_edge(g, i);
            continue;
        }
        int64_t *to = w + STRIP_WORDS + 2 * w[STRIP_N]++;
        to[0] = mpi_graph_number(g, u);
        to[1] = mpi_graph_edge(g, i);
    }
    words->count += STRIP_WORDS + 2 * w[STRIP_N];
    return MPLAN_OK;
}

/* Adds an own vertex to the list where it is in a strip, once a round: turn_of[v] becomes the round. v: a place below n;
 * counts: by rank, of listed vertices. */
static mplan_status list_vertex(const mpi_sweep *s, const turn *t, int32_t v, mplan_vector *list,
                                int64_t *counts, mplan_error *err)
{
    const int32_t round = s->borders[t->begin].round;
    if (s->turn_of[v] == round || !is_in_strip(s, v))
        return MPLAN_OK;
    s->turn_of[v] = round;
    counts[rank_of_border(s, t, s->index[s->parted->part[v]])]++;
    return mplan_vector_push(list, &v, err);
}

/* Own vertices in strips of this round, sorted by the rank that moves them: order, from mplan_alloc, *n of them. Vertices
 * that were near a border when the sweep began are in the band; those that moved since then may be near other borders than
 * that, and are all looked at. counts: by rank, zeros before; next: scratch, likewise. */
static mplan_status list_strips(const mpi_sweep *s, const turn *t, int64_t *counts, int64_t *next,
                                int32_t **order, int64_t *n, mplan_error *err)
{
    mplan_vector list = MPLAN_VECTOR_INIT(sizeof(int32_t));
    mplan_status status = MPLAN_OK;
    for (int64_t i = s->begin[t->begin]; i < s->begin[t->begin + t->n] && !status; i++)
        status = list_vertex(s, t, s->band[i], &list, counts, err);
    for (int64_t i = 0; i < s->moved.count && !status; i++)
        status = list_vertex(s, t, ((int32_t *)s->moved.data)[i], &list, counts, err);
    *n = list.count;
    if (!status && !(*order = mplan_alloc(*n, sizeof **order, err)))
        status = MPLAN_ERR_MEMORY;
    for (int32_t r = 0, ranks = s->parted->graph->ranks; r < ranks; r++)
        next[r] = r == 0 ? 0 : next[r - 1] + counts[r - 1];
    for (int64_t i = 0; i < *n && !status; i++) {
        const int32_t v = ((int32_t *)list.data)[i];
        (*order)[next[rank_of_border(s, t, s->index[s->parted->part[v]])]++] = v;
    }
    free(list.data);
    return status;
}

/* Strips to the ranks that move them. Collective. got: words of vertices one after the other, released by the caller. */
static mplan_status send_strips(const mpi_sweep *s, const turn *t, mpi_items *got, mplan_error *err)
{
    const int32_t ranks = s->parted->graph->ranks;
    mplan_vector words = MPLAN_VECTOR_INIT(sizeof(int64_t));
    int64_t *counts = mplan_alloc_zero(ranks, sizeof *counts, err), n = 0;
    int64_t *next = mplan_alloc(ranks, sizeof *next, err);
    int32_t *order = NULL;
    mplan_status status = counts && next ? list_strips(s, t, counts, next, &order, &n, err)
                                         : MPLAN_ERR_MEMORY;
    /* from vertices of each rank to their words */
    for (int64_t r = 0, i = 0; r < ranks && !status; r++) {
        const int64_t before = words.count, end = i + counts[r];
        for (; i < end && !status; i++)
            status = add_vertex(s, order[i], &words, err);
        counts[r] = words.count - before;
    }
    status = mpi_exchange(s->parted->graph->comm, status, sizeof(int64_t), words.data, counts, got,
                          err);
    free(words.data);
    free(counts);
    free(next);
    free(order);
    return status;
}

/* Strips by the place of their border in the round, vertices by number: an order that no rank changes. */
static int compare_vertices(const void *x, const void *y)
{
    const int64_t *a = *(const int64_t *const *)x, *b = *(const int64_t *const *)y;
    if (a[STRIP_PAIR] != b[STRIP_PAIR])
        return a[STRIP_PAIR] < b[STRIP_PAIR] ? -1 : 1;
    return (a[STRIP_NUMBER] > b[STRIP_NUMBER]) - (a[STRIP_NUMBER] < b[STRIP_NUMBER]);
}

/* A vertex that moves: its number, and the part that it moves to. unused is 0, so that every byte that travels has
 * a value. */
typedef struct motion {
    int64_t number;
    int32_t part, unused;
} motion;

/* Vertices of one strip. moves and to: appended, those that move and the ranks that have them.
 * vertices: n pointers to words, ascending by number. s->parted->weigh is that before the round, and is not
 * changed here: the differences go to t->figures, of this border only. Not collective. */
static mplan_status move_strip(const mpi_sweep *s, const turn *t, int64_t n,
                               const int64_t *const *vertices, mplan_vector *moves,
                               mplan_vector *to, mplan_error *err)
{
    const mpi_graph *g = s->parted->graph;
    const int64_t pair = vertices[0][STRIP_PAIR];
    const mpi_border *b = &s->borders[t->begin + pair];
    int64_t *f = t->figures + 3 * pair;
    int64_t weigh[2] = {s->parted->weigh[b->a], s->parted->weigh[b->b]};
    uint8_t *side = mplan_alloc(n, 1, err);
    mplan_status status = side ? mpi_strip_refine(n, vertices, s->parted->most, weigh, side, &f[2],
                                                  err)
                               : MPLAN_ERR_MEMORY;
    f[0] = weigh[0] - s->parted->weigh[b->a];
    f[1] = weigh[1] - s->parted->weigh[b->b];
    for (int64_t v = 0; v < n && !status; v++) {
        if (side[v] == vertices[v][STRIP_SIDE])
            continue;
        const motion m = {vertices[v][STRIP_NUMBER], side[v] ? b->b : b->a, 0};
        const int32_t rank = mpi_rank_of(g->first, g->ranks, m.number);
        status = mplan_vector_push(moves, &m, err);
        if (!status)
            status = mplan_vector_push(to, &rank, err);
    }
    free(side);
    return status;
}

/* The vertices of all strips that this rank got: pointers to their words, from mplan_alloc, by strip and number. Words come
 * in that order where one rank sent them, but for vertices that had moved. */
static const int64_t **sort_vertices(const mpi_items *strips, int64_t *n, mplan_error *err)
{
    const int64_t *words = strips->data;
    bool sorted = true;
    *n = 0;
    for (int64_t at = 0; at < strips->n; at += STRIP_WORDS + 2 * words[at + STRIP_N])
        (*n)++;
    const int64_t **list = mplan_alloc(*n, sizeof *list, err);
    for (int64_t i = 0, at = 0; list && i < *n; i++) {
        list[i] = words + at;
        sorted = sorted && (i == 0 || compare_vertices(&list[i - 1], &list[i]) < 0);
        at += STRIP_WORDS + 2 * words[at + STRIP_N];
    }
    if (list && !sorted)
        qsort(list, (size_t)*n, sizeof *list, compare_vertices);
    return list;
}

/* All strips that this rank got, and the moves back. Collective: a rank without strips takes part. got: moves of own
 * vertices, released by the caller. */
static mplan_status move_strips(const mpi_sweep *s, const turn *t, const mpi_items *strips,
                                mpi_items *got, mplan_error *err)
{
    mplan_vector moves = MPLAN_VECTOR_INIT(sizeof(motion)), to = MPLAN_VECTOR_INIT(sizeof(int32_t));
    int64_t n = 0;
    const int64_t **vertices = sort_vertices(strips, &n, err);
    mplan_status status = vertices ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t i = 0, end; i < n && !status; i = end) {
        for (end = i; end < n && vertices[end][STRIP_PAIR] == vertices[i][STRIP_PAIR];)
            end++;
        status = move_strip(s, t, end - i, vertices + i, &moves, &to, err);
    }
    status = mpi_exchange_mixed(s->parted->graph->comm, status, sizeof(motion), moves.data,
                                moves.count, to.data, got, err);
    free(vertices);
    free(moves.data);
    free(to.data);
    return status;
}

/* The moves of own vertices, then those of ghosts. old: scratch, n_ghosts. Collective. A vertex moves once a round
 * at most, as its part is in one pair of the round. What a ghost left is seen by comparing its part with that
 * before the fetch. Afterwards part and near are what the ranks of the ghosts have. */
static mplan_status apply_moves(mpi_sweep *s, const mpi_items *moves, int32_t *old, mplan_error *err)
{
    mpi_parted *p = s->parted;
    const mpi_graph *g = p->graph;
    const motion *list = moves->data;
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < moves->n && !status; i++) {
        const int32_t v = (int32_t)(list[i].number - g->first[g->rank]);
        mpi_leave(&s->near[v], p->part[v]);
        p->part[v] = list[i].part;
        status = mplan_vector_push(&s->moved, &v, err);
    }
    /* own vertices are at their new parts by now, ghosts at the old ones until the fetch */
    memcpy(old, p->part + g->n, (size_t)g->n_ghosts * sizeof *old);
    status = mpi_graph_fetch(g, status, sizeof *p->part, p->part, err);
    for (int64_t v = 0; v < g->n_ghosts && !status; v++)
        if (old[v] != p->part[g->n + v])
            mpi_leave(&s->near[g->n + v], old[v]);
    return status;
}

/* What a round did to the parts, on every rank. Collective: each border's figures are zeros but on the rank that
 * moved it, so that the sum over ranks is what that one found. Ends the round: no part has a mate. */
static void note_figures(mpi_sweep *s, const turn *t)
{
    mpi_sums(s->parted->graph->comm, t->figures, 3 * t->n);
    for (int64_t i = 0; i < t->n; i++) {
        const mpi_border *b = &s->borders[t->begin + i];
        const int64_t *f = t->figures + 3 * i;
        s->parted->weigh[b->a] += f[0];
        s->parted->weigh[b->b] += f[1];
        /* a part that changed may have moves at its other borders, too: these are looked at in the next sweep */
        if (f[0] != 0 || f[1] != 0 || f[2] != 0)
            s->changes[b->a] = s->changes[b->b] = true;
        s->mate[b->a] = s->mate[b->b] = -1;
    }
}

/* One round. Pairs of it have no part in common, so that what one moves changes nothing for the others. */
static mplan_status take_turn(mpi_sweep *s, turn *t, int32_t *old, mplan_error *err)
{
    mpi_items strips = {0}, moves = {0};
    for (int64_t i = 0; i < t->n; i++) {
        const mpi_border *b = &s->borders[t->begin + i];
        s->mate[b->a] = b->b;
        s->mate[b->b] = b->a;
        s->index[b->a] = s->index[b->b] = (int32_t)i;
    }
    memset(t->figures, 0, (size_t)(3 * t->n) * sizeof *t->figures);
    mplan_status status = send_strips(s, t, &strips, err);
    if (!status)
        status = move_strips(s, t, &strips, &moves, err);
    mpi_items_free(&strips);
    if (!status)
        status = apply_moves(s, &moves, old, err);
    mpi_items_free(&moves);
    if (!status)
        note_figures(s, t);
    return status;
}

/* --- sweeps -------------------------------------------------------------------------------------------------- */

/* Once over all borders, or over those of parts that the sweep before changed. old: scratch, n_ghosts. Collective.
 * first: the first sweep of this call, which leaves no border out. Borders are sorted by round when the rounds
 * begin, so that one round is one range of the list. */
static mplan_status run_sweep(mpi_sweep *s, bool first, int32_t *old, mplan_error *err)
{
    mplan_status status = mpi_find_borders(s, err);
    int64_t *figures = NULL;
    if (status)
        return status;
    if (!first)
        mpi_drop_old_borders(s);
    status = mpi_deal_rounds(s, err);
    if (!status && !(figures = mplan_alloc(3 * s->n_borders, sizeof *figures, err)))
        status = MPLAN_ERR_MEMORY;
    status = mpi_agree(s->parted->graph->comm, status, err);
    if (!status && s->n_borders > 0)
        status = mpi_find_near(s, err);
    if (!status && s->n_borders > 0)
        status = mpi_find_band(s, err);
    for (int64_t i = 0, end; i < s->n_borders && !status; i = end) {
        for (end = i; end < s->n_borders && s->borders[end].round == s->borders[i].round;)
            end++;
        turn t = {i, end - i, figures};
        status = take_turn(s, &t, old, err);
    }
    free(figures);
    return status;
}

/* Ends early where a sweep changes nothing, which all ranks see alike, as `changes` is filled from sums over
 * ranks. parted->part and weigh are changed in place, and hold for ghosts, too, afterwards. Memory: 20 bytes a
 * vertex and a ghost, one more of each while it is found who is near, the band, and what a round sends. */
mplan_status mpi_refine(mpi_parted *parted, int32_t sweeps, mplan_error *err)
{
    assert(parted && parted->part && parted->weigh);
    const mpi_graph *g = parted->graph;
    const int32_t k = parted->n_parts;
    mpi_sweep s = {.parted = parted,
                   .near = mplan_alloc(g->n + g->n_ghosts, sizeof *s.near, err),
                   .mate = mplan_alloc(k, sizeof *s.mate, err),
                   .index = mplan_alloc(k, sizeof *s.index, err),
                   .changed = mplan_alloc(k, sizeof *s.changed, err),
                   .changes = mplan_alloc(k, sizeof *s.changes, err),
                   .turn_of = mplan_alloc(g->n, sizeof *s.turn_of, err),
                   .moved = MPLAN_VECTOR_INIT(sizeof(int32_t))};
    int32_t *old = mplan_alloc(g->n_ghosts, sizeof *old, err);
    const bool room = s.near && s.mate && s.index && s.changed && s.changes && s.turn_of && old;
    mplan_status status = mpi_agree(g->comm, room ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    bool more = true;
    /* between two rounds no part has a mate */
    for (int32_t p = 0; p < k && !status; p++)
        s.mate[p] = -1;
    for (int32_t i = 0; i < sweeps && more && !status; i++) {
        memset(s.changes, 0, (size_t)k * sizeof *s.changes);
        status = run_sweep(&s, i == 0, old, err);
        more = false;
        for (int32_t p = 0; p < k && !status; p++) {
            s.changed[p] = s.changes[p];
            more = more || s.changed[p];
        }
    }
    free(s.near);
    free(s.borders);
    free(s.mate);
    free(s.index);
    free(s.changed);
    free(s.changes);
    free(s.begin);
    free(s.band);
    free(s.turn_of);
    free(s.moved.data);
    free(old);
    return status;
}
