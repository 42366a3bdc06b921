/* SPDX-License-Identifier: Apache-2.0 */
/* refine_mpi.c - moves between all pairs of neighbouring parts of a graph that is dealt out to ranks
 *
 * Pairs of parts are dealt out to rounds in which no part is in two pairs, heavy borders first (M. Holtgrewe, P. Sanders,
 * C. Schulz, IPDPS 2010). In a round the vertices near the border of each pair travel to one rank, which moves them
 * (strip_mpi.c), and the moves travel back. All that is decided depends on the graph and the parts only. */
#include "mpi/graph_mpi.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum {
    DEPTH = 3, /* steps from a border that vertices of a strip are away, at most, the first included */
    NEAR = 4 /* other parts that a vertex is near, at most */
};

/* Other parts that are at most DEPTH steps away, the nearest first; -1: no more. */
typedef struct near_parts {
    int32_t part[NEAR];
} near_parts;

/* Two parts with edges between them, a < b. */
typedef struct border {
    int32_t a, b;
    int64_t weight; /* of these edges, when the sweep began */
    int32_t round;
} border;

typedef struct sweep {
    mpi_parted *parted;
    near_parts *near;  /* [place] */
    int64_t n_borders; /* of all, by round */
    border *borders;
    int32_t *mate;  /* [part]: in this round; -1: none */
    int32_t *index; /* [part]: of its border in this round */
    bool *changed;  /* [part]: in the sweep before */
    bool *changes;  /* in this one */
    int64_t *begin; /* [border], n_borders + 1: own vertices that were near it when the sweep began, in `band` */
    int32_t *band;
    int32_t *turn_of;   /* [own vertex]: the last round in which it was looked at */
    mplan_vector moved; /* int32_t, own vertices that moved in this sweep */
} sweep;

/* --- parts that are near ----------------------------------------------------------------------------- */

static bool is_near(const near_parts *near, int32_t part)
{
    return near->part[0] == part || near->part[1] == part || near->part[2] == part ||
           near->part[3] == part;
}

static int32_t n_near(const near_parts *near)
{
    int32_t n = 0;
    while (n < NEAR && near->part[n] >= 0)
        n++;
    return n;
}

/* Adds a part behind those that there were, and of the new ones in ascending order; begin: where these begin. */
static void add_near(near_parts *near, int32_t begin, int32_t part)
{
    if (is_near(near, part))
        return;
    int32_t n = n_near(near);
    if (n == NEAR) {
        if (begin == NEAR || near->part[NEAR - 1] < part)
            return;
        n = NEAR - 1;
    }
    for (; n > begin && near->part[n - 1] > part; n--)
        near->part[n] = near->part[n - 1];
    near->part[n] = part;
}

/* From the border inwards, a step at a time, all vertices at once. */
static mplan_status find_near(sweep *s, mplan_error *err)
{
    const mpi_graph *g = s->parted->graph;
    const int32_t *part = s->parted->part;
    near_parts *before = mplan_alloc(g->n + g->n_ghosts, sizeof *before, err);
    mplan_status status = mpi_agree(g->comm, before ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    for (int64_t v = 0; v < g->n + g->n_ghosts; v++)
        s->near[v] = (near_parts){{-1, -1, -1, -1}};
    for (int64_t v = 0; v < g->n && !status; v++)
        for (int64_t i = g->offsets[v]; i < g->offsets[v + 1]; i++)
            if (part[g->neighbours[i]] != part[v])
                add_near(&s->near[v], 0, part[g->neighbours[i]]);
    if (!status)
        status = mpi_graph_fetch(g, status, sizeof *s->near, s->near, err);
    for (int32_t step = 1; step < DEPTH && !status; step++) {
        memcpy(before, s->near, (size_t)(g->n + g->n_ghosts) * sizeof *before);
        for (int64_t v = 0; v < g->n; v++) {
            const int32_t begin = n_near(&s->near[v]);
            for (int64_t i = g->offsets[v]; i < g->offsets[v + 1] && begin < NEAR; i++) {
                const int32_t w = g->neighbours[i];
                for (int32_t k = 0; part[w] == part[v] && k < NEAR && before[w].part[k] >= 0; k++)
                    add_near(&s->near[v], begin, before[w].part[k]);
            }
        }
        status = mpi_graph_fetch(g, status, sizeof *s->near, s->near, err);
    }
    free(before);
    return status;
}

/* A vertex that leaves a part is near it. */
static void leave(near_parts *near, int32_t part)
{
    if (is_near(near, part))
        return;
    const int32_t n = n_near(near);
    near->part[n < NEAR ? n : NEAR - 1] = part;
}

/* --- borders --------------------------------------------------------------------------------------------- */

static int compare_parts(const void *x, const void *y)
{
    const border *a = x, *b = y;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

static int compare_weights(const void *x, const void *y)
{
    const border *a = x, *b = y;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return compare_parts(x, y);
}

static int compare_rounds(const void *x, const void *y)
{
    const border *a = x, *b = y;
    if (a->round != b->round)
        return a->round < b->round ? -1 : 1;
    return compare_parts(x, y);
}

/* Borders with the same parts become one; returns how many there are. */
static int64_t join_borders(border *list, int64_t n)
{
    int64_t kept = 0;
    qsort(list, (size_t)n, sizeof *list, compare_parts);
    for (int64_t i = 0; i < n; i++)
        if (kept > 0 && compare_parts(&list[kept - 1], &list[i]) == 0)
            list[kept - 1].weight += list[i].weight;
        else
            list[kept++] = list[i];
    return kept;
}

/* The borders of all ranks together, on every rank. */
static mplan_status find_borders(sweep *s, mplan_error *err)
{
    enum { MANY = 1 << 16 };
    const mpi_graph *g = s->parted->graph;
    const int32_t *part = s->parted->part;
    mplan_vector own = MPLAN_VECTOR_INIT(sizeof(border));
    mpi_items all = {0};
    mplan_status status = MPLAN_OK;
    int64_t limit = MANY;
    for (int64_t v = 0; v < g->n && !status; v++) {
        for (int64_t i = g->offsets[v]; i < g->offsets[v + 1] && !status; i++) {
            const border b = {part[v], part[g->neighbours[i]], g->edge[i], -1};
            if (b.a < b.b)
                status = mplan_vector_push(&own, &b, err);
        }
        if (own.count > limit) {
            own.count = join_borders(own.data, own.count);
            limit = 2 * own.count + MANY;
        }
    }
    own.count = own.count > 0 ? join_borders(own.data, own.count) : 0;
    status = mpi_gather(g->comm, true, status, sizeof(border), own.data, own.count, &all, err);
    free(own.data);
    free(s->borders);
    s->borders = all.data;
    s->n_borders = status ? 0 : join_borders(s->borders, all.n);
    all.data = NULL;
    mpi_items_free(&all);
    return status;
}

/* Leaves out borders of two parts that did not change since they were looked at. */
static void drop_old(sweep *s)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < s->n_borders; i++)
        if (s->changed[s->borders[i].a] || s->changed[s->borders[i].b])
            s->borders[kept++] = s->borders[i];
    s->n_borders = kept;
}

/* Each border gets the first round in which both of its parts are free. */
static mplan_status deal_rounds(sweep *s, mplan_error *err)
{
    /* of each part the ends of its borders that have rounds: a list through `next` that ends at -1 */
    int64_t *last = mplan_alloc(s->parted->n_parts, sizeof *last, err);
    int64_t *next = mplan_alloc(2 * s->n_borders, sizeof *next, err);
    uint8_t *taken = mplan_alloc_zero(s->n_borders + 1, 1, err);
    const bool room = last && next && taken;
    for (int32_t p = 0; p < s->parted->n_parts && room; p++)
        last[p] = -1;
    if (room && s->n_borders > 0)
        qsort(s->borders, (size_t)s->n_borders, sizeof *s->borders, compare_weights);
    for (int64_t i = 0; i < s->n_borders && room; i++) {
        border *b = &s->borders[i];
        const int32_t ends[2] = {b->a, b->b};
        b->round = 0;
        for (int e = 0; e < 2; e++)
            for (int64_t k = last[ends[e]]; k >= 0; k = next[k])
                taken[s->borders[k / 2].round] = 1;
        while (taken[b->round])
            b->round++;
        for (int e = 0; e < 2; e++) {
            for (int64_t k = last[ends[e]]; k >= 0; k = next[k])
                taken[s->borders[k / 2].round] = 0;
            next[2 * i + e] = last[ends[e]];
            last[ends[e]] = 2 * i + e;
        }
    }
    if (room && s->n_borders > 0)
        qsort(s->borders, (size_t)s->n_borders, sizeof *s->borders, compare_rounds);
    free(last);
    free(next);
    free(taken);
    return room ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* --- a round ------------------------------------------------------------------------------------------------ */

/* The borders [begin, begin + n) of a round; figures: of each how much parts a and b become heavier, and what was gained. */
typedef struct turn {
    int64_t begin, n;
    int64_t *figures; /* 3 each */
} turn;

static int32_t rank_of_border(const sweep *s, const turn *t, int64_t i)
{
    return (int32_t)(i * s->parted->graph->ranks / t->n);
}

/* Whether the vertex at a place is in a strip of this round. */
static bool is_in_strip(const sweep *s, int64_t v)
{
    const int32_t mate = s->mate[s->parted->part[v]];
    return mate >= 0 && is_near(&s->near[v], mate);
}

/* Appends the words of an own vertex. */
static mplan_status add_vertex(const sweep *s, int64_t v, mplan_vector *words, mplan_error *err)
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
        if (!is_in_strip(s, u)) {
            w[STRIP_REST + (part[u] != a)] += g->edge[i];
            continue;
        }
        int64_t *to = w + STRIP_WORDS + 2 * w[STRIP_N]++;
        to[0] = mpi_graph_number(g, u);
        to[1] = g->edge[i];
    }
    words->count += STRIP_WORDS + 2 * w[STRIP_N];
    return MPLAN_OK;
}

/* What a rank sends in a round. */
typedef struct parcel {
    mplan_vector words, to; /* int64_t, and of each the rank: int32_t */
} parcel;

/* Adds an own vertex where it is in a strip, once a round. */
static mplan_status send_vertex(const sweep *s, const turn *t, int32_t v, parcel *out,
                                mplan_error *err)
{
    const int32_t round = s->borders[t->begin].round;
    if (s->turn_of[v] == round || !is_in_strip(s, v))
        return MPLAN_OK;
    s->turn_of[v] = round;
    const int64_t begin = out->words.count;
    const int32_t rank = rank_of_border(s, t, s->index[s->parted->part[v]]);
    mplan_status status = add_vertex(s, v, &out->words, err);
    const int64_t n = out->words.count - begin;
    int32_t *r = status ? NULL : mplan_vector_reserve(&out->to, n, err);
    if (!status && !r)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++)
        r[i] = rank;
    out->to.count += status ? 0 : n;
    return status;
}

/* Strips to the ranks that move them. */
static mplan_status send_strips(const sweep *s, const turn *t, mpi_items *got, mplan_error *err)
{
    parcel out = {MPLAN_VECTOR_INIT(sizeof(int64_t)), MPLAN_VECTOR_INIT(sizeof(int32_t))};
    mplan_status status = MPLAN_OK;
    for (int64_t i = s->begin[t->begin]; i < s->begin[t->begin + t->n] && !status; i++)
        status = send_vertex(s, t, s->band[i], &out, err);
    for (int64_t i = 0; i < s->moved.count && !status; i++)
        status = send_vertex(s, t, ((int32_t *)s->moved.data)[i], &out, err);
    status = mpi_exchange_mixed(s->parted->graph->comm, status, sizeof(int64_t), out.words.data,
                                out.words.count, out.to.data, got, err);
    free(out.words.data);
    free(out.to.data);
    return status;
}

static int compare_vertices(const void *x, const void *y)
{
    const int64_t *a = *(const int64_t *const *)x, *b = *(const int64_t *const *)y;
    if (a[STRIP_PAIR] != b[STRIP_PAIR])
        return a[STRIP_PAIR] < b[STRIP_PAIR] ? -1 : 1;
    return (a[STRIP_NUMBER] > b[STRIP_NUMBER]) - (a[STRIP_NUMBER] < b[STRIP_NUMBER]);
}

/* A vertex that moves. */
typedef struct motion {
    int64_t number;
    int32_t part, unused;
} motion;

/* Vertices of one strip. moves and to: appended, those that move and the ranks that have them. */
static mplan_status move_strip(const sweep *s, const turn *t, int64_t n,
                               const int64_t *const *vertices, mplan_vector *moves,
                               mplan_vector *to, mplan_error *err)
{
    const mpi_graph *g = s->parted->graph;
    const int64_t pair = vertices[0][STRIP_PAIR];
    const border *b = &s->borders[t->begin + pair];
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

/* All strips that this rank got, and the moves back. */
static mplan_status move_strips(const sweep *s, const turn *t, const mpi_items *strips,
                                mpi_items *got, mplan_error *err)
{
    const int64_t *words = strips->data;
    mplan_vector list = MPLAN_VECTOR_INIT(sizeof(int64_t *));
    mplan_vector moves = MPLAN_VECTOR_INIT(sizeof(motion)), to = MPLAN_VECTOR_INIT(sizeof(int32_t));
    mplan_status status = MPLAN_OK;
    for (int64_t at = 0; at < strips->n && !status; at += STRIP_WORDS + 2 * words[at + STRIP_N]) {
        const int64_t *vertex = words + at;
        status = mplan_vector_push(&list, &vertex, err);
    }
    if (list.count > 0)
        qsort(list.data, (size_t)list.count, sizeof(int64_t *), compare_vertices);
    const int64_t *const *vertices = list.data;
    for (int64_t i = 0, end; i < list.count && !status; i = end) {
        for (end = i; end < list.count && vertices[end][STRIP_PAIR] == vertices[i][STRIP_PAIR];)
            end++;
        status = move_strip(s, t, end - i, vertices + i, &moves, &to, err);
    }
    status = mpi_exchange_mixed(s->parted->graph->comm, status, sizeof(motion), moves.data,
                                moves.count, to.data, got, err);
    free(list.data);
    free(moves.data);
    free(to.data);
    return status;
}

/* The moves of own vertices, then those of ghosts. old: scratch, n_ghosts. */
static mplan_status apply_moves(sweep *s, const mpi_items *moves, int32_t *old, mplan_error *err)
{
    mpi_parted *p = s->parted;
    const mpi_graph *g = p->graph;
    const motion *list = moves->data;
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < moves->n && !status; i++) {
        const int32_t v = (int32_t)(list[i].number - g->first[g->rank]);
        leave(&s->near[v], p->part[v]);
        p->part[v] = list[i].part;
        status = mplan_vector_push(&s->moved, &v, err);
    }
    memcpy(old, p->part + g->n, (size_t)g->n_ghosts * sizeof *old);
    status = mpi_graph_fetch(g, status, sizeof *p->part, p->part, err);
    for (int64_t v = 0; v < g->n_ghosts && !status; v++)
        if (old[v] != p->part[g->n + v])
            leave(&s->near[g->n + v], old[v]);
    return status;
}

/* What a round did to the parts, on every rank. */
static void note_figures(sweep *s, const turn *t)
{
    const MPI_Comm comm = s->parted->graph->comm;
    for (int64_t at = 0; at < 3 * t->n; at += 1 << 20)
        MPI_Allreduce(MPI_IN_PLACE, t->figures + at,
                      (int)(3 * t->n - at < 1 << 20 ? 3 * t->n - at : 1 << 20), MPI_INT64_T,
                      MPI_SUM, comm);
    for (int64_t i = 0; i < t->n; i++) {
        const border *b = &s->borders[t->begin + i];
        const int64_t *f = t->figures + 3 * i;
        s->parted->weigh[b->a] += f[0];
        s->parted->weigh[b->b] += f[1];
        if (f[0] != 0 || f[1] != 0 || f[2] != 0)
            s->changes[b->a] = s->changes[b->b] = true;
        s->mate[b->a] = s->mate[b->b] = -1;
    }
}

static mplan_status take_turn(sweep *s, turn *t, int32_t *old, mplan_error *err)
{
    mpi_items strips = {0}, moves = {0};
    for (int64_t i = 0; i < t->n; i++) {
        const border *b = &s->borders[t->begin + i];
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

/* --- vertices near borders -------------------------------------------------------------------------------- */

/* Borders of each part: those of part p are list[begin[p]] to list[begin[p + 1] - 1]. */
typedef struct part_borders {
    int64_t *begin, *list;
} part_borders;

static mplan_status list_borders(const sweep *s, part_borders *out, mplan_error *err)
{
    const int32_t k = s->parted->n_parts;
    out->begin = mplan_alloc_zero(k + 2, sizeof *out->begin, err);
    out->list = mplan_alloc(2 * s->n_borders, sizeof *out->list, err);
    if (!out->begin || !out->list)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < s->n_borders; i++) {
        out->begin[s->borders[i].a + 2]++;
        out->begin[s->borders[i].b + 2]++;
    }
    for (int32_t p = 0; p < k; p++)
        out->begin[p + 2] += out->begin[p + 1];
    for (int64_t i = 0; i < s->n_borders; i++) {
        out->list[out->begin[s->borders[i].a + 1]++] = i;
        out->list[out->begin[s->borders[i].b + 1]++] = i;
    }
    return MPLAN_OK;
}

/* The border of two parts; -1: they have none. */
static int64_t border_of(const sweep *s, const part_borders *of, int32_t part, int32_t other)
{
    for (int64_t i = of->begin[part]; i < of->begin[part + 1]; i++) {
        const border *b = &s->borders[of->list[i]];
        if (b->a == other || b->b == other)
            return of->list[i];
    }
    return -1;
}

/* Counts the vertices near each border into begin[border + 2], or with `fill` puts them into the band. */
static void deal_band(sweep *s, const part_borders *of, bool fill)
{
    const mpi_graph *g = s->parted->graph;
    for (int64_t v = 0; v < g->n; v++)
        for (int32_t k = 0; k < NEAR && s->near[v].part[k] >= 0; k++) {
            const int64_t i = border_of(s, of, s->parted->part[v], s->near[v].part[k]);
            if (i >= 0 && fill)
                s->band[s->begin[i + 1]++] = (int32_t)v;
            else if (i >= 0)
                s->begin[i + 2]++;
        }
}

/* begin and band, of the borders in the order of their rounds. */
static mplan_status find_band(sweep *s, mplan_error *err)
{
    part_borders of = {NULL, NULL};
    free(s->begin);
    free(s->band);
    s->band = NULL;
    s->begin = mplan_alloc_zero(s->n_borders + 2, sizeof *s->begin, err);
    mplan_status status = s->begin ? list_borders(s, &of, err) : MPLAN_ERR_MEMORY;
    if (!status) {
        deal_band(s, &of, false);
        for (int64_t i = 0; i < s->n_borders; i++)
            s->begin[i + 2] += s->begin[i + 1];
        s->band = mplan_alloc(s->begin[s->n_borders + 1], sizeof *s->band, err);
        if (s->band)
            deal_band(s, &of, true);
        else
            status = MPLAN_ERR_MEMORY;
    }
    for (int64_t v = 0; v < s->parted->graph->n; v++)
        s->turn_of[v] = -1;
    s->moved.count = 0;
    free(of.begin);
    free(of.list);
    return mpi_agree(s->parted->graph->comm, status, err);
}

/* --- sweeps -------------------------------------------------------------------------------------------------- */

static mplan_status run_sweep(sweep *s, bool first, int32_t *old, mplan_error *err)
{
    mplan_status status = find_borders(s, err);
    int64_t *figures = NULL;
    if (status)
        return status;
    if (!first)
        drop_old(s);
    status = deal_rounds(s, err);
    if (!status && !(figures = mplan_alloc(3 * s->n_borders, sizeof *figures, err)))
        status = MPLAN_ERR_MEMORY;
    status = mpi_agree(s->parted->graph->comm, status, err);
    if (!status && s->n_borders > 0)
        status = find_near(s, err);
    if (!status && s->n_borders > 0)
        status = find_band(s, err);
    for (int64_t i = 0, end; i < s->n_borders && !status; i = end) {
        for (end = i; end < s->n_borders && s->borders[end].round == s->borders[i].round;)
            end++;
        turn t = {i, end - i, figures};
        status = take_turn(s, &t, old, err);
    }
    free(figures);
    return status;
}

mplan_status mpi_refine(mpi_parted *parted, int32_t sweeps, mplan_error *err)
{
    assert(parted && parted->part && parted->weigh);
    const mpi_graph *g = parted->graph;
    const int32_t k = parted->n_parts;
    sweep s = {.parted = parted,
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
