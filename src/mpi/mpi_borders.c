/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_borders.c - which parts are neighbours, in which round each pair is looked at, and which vertices are near
 *
 * Borders are on every rank, sorted by weight, parts or round with no two equal: so the list, and the rounds dealt
 * out from it, come out alike on all ranks. What is near is kept by place on this rank, own vertices first, then
 * ghosts; the band has own vertices only. */
#include "mpi/mpi_borders.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum {
    DEPTH = 3
}; /* steps from a border that vertices of a strip are away, at most, the first included */

/* --- parts that are near ----------------------------------------------------------------------------- */

/* How many parts are near: they are listed from the front on, and -1 fills the rest. */
static int32_t n_near(const mpi_near *near)
{
    int32_t n = 0;
    while (n < MPI_NEAR && near->part[n] >= 0)
        n++;
    return n;
}

/* Adds a part behind those that there were, and of the new ones in ascending order; begin: where these begin. With
 * no room left the highest of the new ones makes way for a lower one; those before `begin` are nearer and always
 * stay. So the list does not depend on the order in which parts of one step are added. */
static void add_near(mpi_near *near, int32_t begin, int32_t part)
{
    if (mpi_is_near(near, part))
        return;
    int32_t n = n_near(near);
    if (n == MPI_NEAR) {
        if (begin == MPI_NEAR || near->part[MPI_NEAR - 1] < part)
            return;
        n = MPI_NEAR - 1;
    }
    for (; n > begin && near->part[n - 1] > part; n--)
        near->part[n] = near->part[n - 1];
    near->part[n] = part;
}

/* From the border inwards, a step at a time. All vertices take a step at once, from what their neighbours had
 * before it: the order of vertices, and so the ranks, change nothing. Collective; had: how many parts each place had
 * before the step, which stay at the front of its list. A step leads only to neighbours in the vertex's own part. Where a
 * vertex is near more parts than it has room for, the nearest stay, of equals those of lower number. */
mplan_status mpi_find_near(mpi_sweep *s, mplan_error *err)
{
    const mpi_graph *g = s->parted->graph;
    const int32_t *part = s->parted->part;
    const int64_t places = g->n + g->n_ghosts;
    uint8_t *had = mplan_alloc(places, sizeof *had, err);
    mplan_status status = mpi_agree(g->comm, had ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    for (int64_t v = 0; v < places; v++)
        s->near[v] = (mpi_near){{-1, -1, -1, -1}};
    for (int64_t v = 0; v < g->n && !status; v++)
        for (int64_t i = g->offsets[v]; i < g->offsets[v + 1]; i++)
            if (part[g->neighbours[i]] != part[v])
                add_near(&s->near[v], 0, part[g->neighbours[i]]);
    if (!status)
        status = mpi_graph_fetch(g, status, sizeof *s->near, s->near, err);
    for (int32_t step = 1; step < DEPTH && !status; step++) {
        for (int64_t v = 0; v < places; v++)
            had[v] = (uint8_t)n_near(&s->near[v]);
        for (int64_t v = 0; v < g->n; v++)
            for (int64_t i = g->offsets[v]; i < g->offsets[v + 1] && had[v] < MPI_NEAR; i++) {
                const int32_t w = g->neighbours[i];
                for (int32_t k = 0; k < had[w] && part[w] == part[v]; k++)
                    add_near(&s->near[v], had[v], s->near[w].part[k]);
            }
        status = mpi_graph_fetch(g, status, sizeof *s->near, s->near, err);
    }
    free(had);
    return status;
}

/* A vertex that leaves a part is near it: the last of a full list makes room. All ranks that have the vertex, as
 * own or as ghost, do the same to equal lists. */
void mpi_leave(mpi_near *near, int32_t part)
{
    if (mpi_is_near(near, part))
        return;
    const int32_t n = n_near(near);
    near->part[n < MPI_NEAR ? n : MPI_NEAR - 1] = part;
}

/* --- borders --------------------------------------------------------------------------------------------- */

/* Borders by their two parts, of which a is the lower one: no two of a joined list are equal. */
static int compare_parts(const void *x, const void *y)
{
    const mpi_border *a = x, *b = y;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

/* The heaviest first, then by parts. */
static int compare_weights(const void *x, const void *y)
{
    const mpi_border *a = x, *b = y;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return compare_parts(x, y);
}

/* By round, then by parts: the order in which rounds take them. */
static int compare_rounds(const void *x, const void *y)
{
    const mpi_border *a = x, *b = y;
    if (a->round != b->round)
        return a->round < b->round ? -1 : 1;
    return compare_parts(x, y);
}

/* Borders with the same parts become one, whose weight is the sum; returns how many there are. They are at the
 * front of the list then, by parts. Whole numbers are added: their order does not matter. */
static int64_t join_borders(mpi_border *list, int64_t n)
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

/* Edges between parts, of this rank: borders with their weights, some of them in several pieces. The last border of each
 * of some mixed numbers is remembered: most edges are of one of these. */
static mplan_status list_edges(const mpi_parted *parted, mplan_vector *own, mplan_error *err)
{
    enum { LAST = 1 << 10 };
    const mpi_graph *g = parted->graph;
    const int32_t *part = parted->part;
    int64_t last[LAST];
    for (int i = 0; i < LAST; i++)
        last[i] = -1;
    for (int64_t v = 0; v < g->n; v++)
        for (int64_t i = g->offsets[v]; i < g->offsets[v + 1]; i++) {
            const mpi_border b = {part[v], part[g->neighbours[i]], mpi_graph_edge(g, i), -1};
            if (b.a >= b.b)
                continue;
            int64_t *at = &last[((uint32_t)b.a * 37 + (uint32_t)b.b) % LAST];
            mpi_border *same = *at < 0 ? NULL : (mpi_border *)own->data + *at;
            if (same && same->a == b.a && same->b == b.b) {
                same->weight += b.weight;
                continue;
            }
            *at = own->count;
            if (mplan_vector_push(own, &b, err))
                return MPLAN_ERR_MEMORY;
        }
    return MPLAN_OK;
}

/* The borders of all ranks together, on every rank. Collective. Each edge is counted once, by the rank that has
 * its end in the lower part. s->borders is replaced; it is the array that came, taken over. */
mplan_status mpi_find_borders(mpi_sweep *s, mplan_error *err)
{
    const mpi_graph *g = s->parted->graph;
    mplan_vector own = MPLAN_VECTOR_INIT(sizeof(mpi_border));
    mpi_items all = {0};
    mplan_status status = list_edges(s->parted, &own, err);
    own.count = own.count > 0 ? join_borders(own.data, own.count) : 0;
    status = mpi_gather(g->comm, true, status, sizeof(mpi_border), own.data, own.count, &all, err);
    free(own.data);
    free(s->borders);
    s->borders = all.data;
    s->n_borders = status ? 0 : join_borders(s->borders, all.n);
    all.data = NULL;
    mpi_items_free(&all);
    return status;
}

/* Leaves out borders of two parts that did not change since they were looked at. Not collective: `changed` is the
 * same on every rank. The order of the others stays. */
void mpi_drop_old_borders(mpi_sweep *s)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < s->n_borders; i++)
        if (s->changed[s->borders[i].a] || s->changed[s->borders[i].b])
            s->borders[kept++] = s->borders[i];
    s->n_borders = kept;
}

/* Each border gets the first round in which both of its parts are free, heavy borders first: a part with d borders
 * is in at most 2d - 1 rounds. taken: scratch, by round, all 0 between two borders. Not collective; all ranks deal
 * out the same list alike. */
mplan_status mpi_deal_rounds(mpi_sweep *s, mplan_error *err)
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
        mpi_border *b = &s->borders[i];
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

/* --- vertices near borders -------------------------------------------------------------------------------- */

/* Borders of each part: those of part p are list[begin[p]] to list[begin[p + 1] - 1]. */
typedef struct part_borders {
    int64_t *begin, *list;
} part_borders;

/* A counting sort. out: the caller's to free, also after a failure. Each border is in the lists of both its parts,
 * as its place in s->borders; begin has n_parts + 2 entries, of which the last is used while sorting only. */
static mplan_status list_borders(const mpi_sweep *s, part_borders *out, mplan_error *err)
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
static int64_t border_of(const mpi_sweep *s, const part_borders *of, int32_t part, int32_t other)
{
    for (int64_t i = of->begin[part]; i < of->begin[part + 1]; i++) {
        const mpi_border *b = &s->borders[of->list[i]];
        if (b->a == other || b->b == other)
            return of->list[i];
    }
    return -1;
}

/* Counts the vertices near each border into begin[border + 2], or with `fill` puts them into the band: the
 * vertices of a border ascend. Parts that are near without a border, as one that was left out, count for nothing. */
static void deal_band(mpi_sweep *s, const part_borders *of, bool fill)
{
    const mpi_graph *g = s->parted->graph;
    for (int64_t v = 0; v < g->n; v++)
        for (int32_t k = 0; k < MPI_NEAR && s->near[v].part[k] >= 0; k++) {
            const int64_t i = border_of(s, of, s->parted->part[v], s->near[v].part[k]);
            if (i >= 0 && fill)
                s->band[s->begin[i + 1]++] = (int32_t)v;
            else if (i >= 0)
                s->begin[i + 2]++;
        }
}

/* begin and band, of the borders in the order of their rounds. Collective, for the agreement at its end. The
 * rounds of a sweep begin after this: no own vertex was looked at yet (turn_of is -1), and none has moved. */
mplan_status mpi_find_band(mpi_sweep *s, mplan_error *err)
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
