/* SPDX-License-Identifier: Apache-2.0 */
/* level_major.c - members of a set in breadth-first levels of the composite graph of all maps
 *
 * A search from any vertex ends at one side of its component (George and Liu, Computer Solution of Large Sparse Positive Definite
 * Systems, 1981, chapter 4). One from inside that side ends at a whole side, and one from there has the levels of a grid's
 * rows. The narrower of the last two is taken; it need not be the best (order/layering.c looks at many more), because
 * slabs are cut where rows really lead. */
#include "order/level_major.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fetch.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/threads.h"
#include "mesh/adjacency.h"
#include "order/components.h"
#include "order/levels.h"

/* Rows, members and points that a thread takes at a time. Lists that threads fill are more than twice the work: from SHARED threads on. */
enum { ROWS = 1 << 13, SHARED = 4 };

/* --- the graph -------------------------------------------------------------------------- */

/* A vertex is a member: that of its set behind all members of the sets before. first: n_sets + 1. */
static mplan_status number_sets(const mplan_composite *graph, int64_t *first, mplan_error *err)
{
    first[0] = 0;
    for (int32_t s = 0; s < graph->n_sets; s++)
        first[s + 1] = first[s] + graph->size[s];
    if (first[graph->n_sets] >= INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "slabs of %lld members of all sets together; at most %d are possible",
                          (long long)first[graph->n_sets], INT32_MAX - 1);
    return MPLAN_OK;
}

/* Asks for the places that the rows to come are counted at and, half as far ahead, for those of their neighbours. */
static void fetch_edges(const mplan_map *map, int64_t e, const int64_t *at, const int32_t *neighbours)
{
    for (int32_t near = 0; near <= (neighbours != NULL); near++) {
        const int64_t row = e + (near ? MPLAN_FETCH_DISTANCE / 2 : MPLAN_FETCH_DISTANCE);
        for (int32_t k = 0; k < map->arity && row < map->n_rows; k++) {
            const int32_t to = map->values[row * map->arity + k];
            if (to >= 0 && near)
                mplan_fetch(&neighbours[mplan_peek64(&at[to])]); /* others may be moving it on */
            else if (to >= 0)
                mplan_fetch(&at[to]);
        }
    }
}

/* Visits the edges of rows [begin, end) of a map once for each end: with neighbours NULL they are counted at at[end + 1], else placed at
 * at[end], which moves on. */
static void place_edges(const mplan_map *map, const int64_t *first, int64_t begin, int64_t end,
                        int64_t *at, int32_t *neighbours)
{
    for (int64_t e = begin; e < end; e++) {
        int32_t n;
        const int32_t *row = mplan_map_row(map, e, &n);
        const int64_t from = first[map->from] + e;
        fetch_edges(map, e, at + first[map->to], neighbours);
        for (int32_t k = 0; k < n; k++) {
            const int64_t to = first[map->to] + row[k];
            if (row[k] < 0 || to == from)
                continue;
            if (!neighbours) {
                at[from + 1]++;
                at[to + 1]++;
            } else {
                neighbours[at[from]++] = (int32_t)to;
                neighbours[at[to]++] = (int32_t)from;
            }
        }
    }
}

/* What threads share that place the edges of a map at the same time. */
typedef struct edge_work {
    const mplan_map *map;
    const int64_t *first;
    int64_t *at;
    int32_t *neighbours; /* NULL: edges are counted */
    const int64_t *offsets;
} edge_work;

/* As place_edges, while others do so: elements' own rows are in order, lists of points in any. */
static void place_some(void *data, int thread, int64_t begin, int64_t end)
{
    const edge_work *work = data;
    const mplan_map *map = work->map;
    (void)thread;
    for (int64_t e = begin; e < end; e++) {
        int32_t n;
        const int32_t *row = mplan_map_row(map, e, &n);
        const int64_t from = work->first[map->from] + e;
        fetch_edges(map, e, work->at + work->first[map->to], work->neighbours);
        for (int32_t k = 0; k < n; k++) {
            const int64_t to = work->first[map->to] + row[k];
            if (row[k] < 0)
                continue;
            if (!work->neighbours) {
                mplan_add(&work->at[from + 1], 1);
                mplan_add(&work->at[to + 1], 1);
            } else {
                work->neighbours[mplan_add(&work->at[from], 1)] = (int32_t)to;
                work->neighbours[mplan_add(&work->at[to], 1)] = (int32_t)from;
            }
        }
    }
}

/* The elements that a map has brought to points [begin, end) become ascending, as one thread places them: they are the last in the
 * list of each, and before them are none of their set. */
static void sort_some(void *data, int thread, int64_t begin, int64_t end)
{
    const edge_work *work = data;
    const int64_t low = work->first[work->map->from], high = low + work->map->n_rows;
    (void)thread;
    for (int64_t p = begin; p < end; p++) {
        const int64_t v = work->first[work->map->to] + p;
        int64_t at = work->at[v];
        while (at > work->offsets[v] && work->neighbours[at - 1] >= low &&
               work->neighbours[at - 1] < high)
            at--;
        mplan_sort_i32(work->neighbours + at, work->at[v] - at);
    }
}

/* Whether lists that threads fill can be put in the order of one thread: elements and points are of two sets, which no map before
 * joins. */
static bool may_share(const mplan_composite *graph, int32_t m)
{
    const mplan_map *map = &graph->maps[m];
    bool may = map->from != map->to;
    for (int32_t k = 0; k < m; k++) {
        const mplan_map *other = &graph->maps[k];
        may = may && !(other->from == map->from && other->to == map->to) &&
              !(other->from == map->to && other->to == map->from);
    }
    return may;
}

/* All edges of all maps, map by map: counted, or placed. */
static void place_all(const mplan_composite *graph, const int64_t *first, int64_t *at,
                      int32_t *neighbours, const int64_t *offsets, mplan_team *team)
{
    const bool in_turn = mplan_team_threads(team) < SHARED && !(team && team->pieces);
    for (int32_t m = 0; m < graph->n_maps; m++) {
        const mplan_map *map = &graph->maps[m];
        edge_work work = {map, first, at, neighbours, offsets};
        if (in_turn || !may_share(graph, m)) {
            place_edges(map, first, 0, map->n_rows, at, neighbours);
            continue;
        }
        mplan_for(team, map->n_rows, ROWS, place_some, &work);
        if (neighbours)
            mplan_for(team, graph->size[map->to], ROWS, sort_some, &work);
    }
}

/* Neighbours in the order of the maps; one may be there more than once, which searches do not mind. */
static mplan_status make_graph(const mplan_composite *graph, const int64_t *first, mplan_csr *out,
                               mplan_team *team, mplan_error *err)
{
    const int64_t n = first[graph->n_sets];
    int64_t *at = NULL;
    *out = (mplan_csr){.n = n, .offsets = mplan_alloc_zero(n + 1, sizeof *out->offsets, err)};
    if (!out->offsets)
        return MPLAN_ERR_MEMORY;
    place_all(graph, first, out->offsets, NULL, NULL, team);
    for (int64_t v = 0; v < n; v++)
        out->offsets[v + 1] += out->offsets[v];
    out->neighbours = mplan_alloc(out->offsets[n], sizeof *out->neighbours, err);
    at = out->neighbours ? mplan_copy(out->offsets, n + 1, sizeof *at, err) : NULL;
    if (!at)
        return MPLAN_ERR_MEMORY;
    place_all(graph, first, at, out->neighbours, out->offsets, team);
    free(at);
    return MPLAN_OK;
}

/* --- levels of a component ---------------------------------------------------------------- */

/* out: the structure rooted at the whole last level of `from`. */
static mplan_status search_from_last(const mplan_csr *graph, const mplan_levels *from,
                                     mplan_levels *out, mplan_error *err)
{
    int64_t n;
    const int32_t *last = mplan_levels_last(from, &n);
    int32_t *root = mplan_copy(last, n, sizeof *root, err);
    if (!root)
        return MPLAN_ERR_MEMORY;
    mplan_levels_search(graph, root, n, graph->n, out);
    free(root);
    return MPLAN_OK;
}

/* The vertex of the last level with most neighbours: away from corners, so that a search from it ends at a whole
 * side. */
static int32_t inside_of_last(const mplan_csr *graph, const mplan_levels *from)
{
    int64_t n;
    const int32_t *last = mplan_levels_last(from, &n);
    int32_t best = last[0];
    for (int64_t i = 1; i < n; i++)
        if (mplan_degree(graph, last[i]) > mplan_degree(graph, best))
            best = last[i];
    return best;
}

/* level: out, of each vertex of a connected graph; *depth: the last one. a, b: scratch. */
static mplan_status find_levels(const mplan_csr *graph, int32_t *level, int32_t *depth,
                                mplan_levels *a, mplan_levels *b, mplan_error *err)
{
    mplan_levels_start(graph, a);
    const int32_t inside = inside_of_last(graph, a);
    mplan_levels_search(graph, &inside, 1, graph->n, b);
    mplan_status status = search_from_last(graph, b, a, err);
    if (!status)
        status = search_from_last(graph, a, b, err);
    if (status)
        return status;
    const mplan_levels *best = b->width <= a->width ? b : a;
    memcpy(level, best->level, (size_t)graph->n * sizeof *level);
    *depth = best->depth;
    return MPLAN_OK;
}

/* level: out, of each vertex, those of a component behind those of the components before; *n: how many there
 * are. */
static mplan_status level_all(const mplan_csr *graph, int32_t *level, int32_t *n,
                              const mplan_context *context, mplan_error *err)
{
    mplan_components parts;
    mplan_levels a = {0}, b = {0};
    mplan_spread spread;
    int32_t *own = NULL, depth = 0;
    *n = 0;
    mplan_status status = mplan_components_make(graph, NULL, 0, &parts, mplan_team_of(context), err);
    if (!status)
        status = mplan_levels_create(parts.largest, &a, err);
    if (!status)
        status = mplan_levels_create(parts.largest, &b, err);
    mplan_spread_open(&spread, status ? 0 : parts.largest, mplan_team_of(context));
    a.spread = b.spread = &spread;
    if (!status && !(own = mplan_alloc(parts.largest, sizeof *own, err)))
        status = MPLAN_ERR_MEMORY;
    for (int64_t c = 0; !status && c < parts.n; c++) {
        const mplan_csr part = mplan_component(&parts, c);
        depth = own[0] = 0;
        if (part.n > 1)
            status = find_levels(&part, own, &depth, &a, &b, err);
        for (int64_t i = 0; i < part.n && !status; i++)
            level[parts.member[parts.first[c] + i]] = *n + own[i];
        *n += depth + 1;
        if (!status && part.n > 1)
            status = mplan_interrupted(context, err);
    }
    free(own);
    mplan_spread_close(&spread);
    mplan_levels_free(&a);
    mplan_levels_free(&b);
    mplan_components_free(&parts);
    return status;
}

/* --- groups of levels ----------------------------------------------------------------------- */

/* out->ends and, in group[], the group of each level. n, level: of the members of the set that counts. */
static void group_levels(const int32_t *level, int64_t n, int32_t n_levels, int64_t least,
                         int32_t together, int64_t groups, int32_t *group, mplan_level_groups *out)
{
    int64_t inside = 0, before = 0, own = 0;
    int32_t rows = 0;
    memset(group, 0, (size_t)n_levels * sizeof *group);
    for (int64_t i = 0; i < n; i++)
        group[level[i]]++;
    for (int32_t l = 0; l < n_levels; l++)
        own += group[l] > 0;
    if (together > own / groups) /* none: as one */
        together = (int32_t)(own / groups);
    for (int32_t l = 0; l < n_levels; l++) {
        inside += group[l];
        rows += group[l] > 0;
        group[l] = (int32_t)out->n;
        if (inside >= least && rows >= together) {
            rows = 0;
            before += inside;
            out->ends[out->n++] = before;
            inside = 0;
        }
    }
    if (inside > 0 || out->n == 0)
        out->ends[out->n++] = before + inside;
    for (int32_t l = 0; l < n_levels; l++) /* levels behind the last member belong to the last group */
        group[l] = group[l] < out->n ? group[l] : (int32_t)out->n - 1;
}

mplan_status mplan_order_level_groups(const mplan_composite *graph, int32_t set, int64_t least,
                                      int32_t together, int64_t groups, mplan_level_groups *out,
                                      const mplan_context *context, mplan_error *err)
{
    assert(graph && out && set >= 0 && set < graph->n_sets && least > 0 && together > 0 && groups > 0);
    mplan_csr all = {0};
    int32_t *group = NULL, n_levels = 0;
    *out = (mplan_level_groups){0};
    int64_t *first = mplan_alloc((int64_t)graph->n_sets + 1, sizeof *first, err);
    mplan_status status = first ? number_sets(graph, first, err) : MPLAN_ERR_MEMORY;
    if (!status)
        status = make_graph(graph, first, &all, mplan_team_of(context), err);
    if (!status && !(out->group = mplan_alloc(all.n, sizeof *out->group, err)))
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = level_all(&all, out->group, &n_levels, context, err);
    mplan_csr_free(&all);
    if (!status) {
        group = mplan_alloc(n_levels, sizeof *group, err);
        out->ends = mplan_alloc((int64_t)n_levels + 1, sizeof *out->ends, err);
        status = group && out->ends ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    if (!status) {
        group_levels(out->group + first[set], graph->size[set], n_levels, least, together, groups,
                     group, out);
        for (int64_t v = 0; v < first[graph->n_sets]; v++)
            out->group[v] = group[out->group[v]];
    }
    free(first);
    free(group);
    return status;
}

void mplan_level_groups_free(mplan_level_groups *groups)
{
    assert(groups);
    free(groups->group);
    free(groups->ends);
    *groups = (mplan_level_groups){0};
}

/* --- sorting by group ------------------------------------------------------------------------ */

/* Members in their order, cut into pieces, each of which counts its members by group and places them behind those of the pieces before. */
typedef struct group_work {
    int64_t n, n_groups, n_pieces;
    const int32_t *group;
    int32_t *order, *old_of_new;
    int64_t *at; /* by piece and group: how many, then the place of the next one */
} group_work;

static void invert_some(void *data, int thread, int64_t begin, int64_t end)
{
    const group_work *work = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        work->old_of_new[work->order[i]] = (int32_t)i;
}

/* place: else members are counted. */
static void walk_groups(const group_work *work, int64_t begin, int64_t end, bool place)
{
    for (int64_t k = begin; k < end; k++) {
        int64_t *at = work->at + k * work->n_groups;
        const int64_t stop = mplan_piece_begin(work->n, work->n_pieces, k + 1);
        for (int64_t p = mplan_piece_begin(work->n, work->n_pieces, k); p < stop; p++) {
            const int32_t i = work->old_of_new[p];
            const int64_t next = at[work->group[i]]++;
            if (place)
                work->order[i] = (int32_t)next;
        }
    }
}

static void count_groups(void *data, int thread, int64_t begin, int64_t end)
{
    (void)thread;
    walk_groups(data, begin, end, false);
}

static void place_groups(void *data, int thread, int64_t begin, int64_t end)
{
    (void)thread;
    walk_groups(data, begin, end, true);
}

/* n_groups: at least 1. */
mplan_status mplan_order_by_group(int64_t n, const int32_t *group, int64_t n_groups, int32_t *order,
                                  mplan_team *team, mplan_error *err)
{
    assert(n >= 0 && n_groups > 0 && group && order);
    const int64_t pieces = mplan_pieces_that_count(team, n, ROWS, n_groups);
    group_work work = {n, n_groups, pieces, group, order, NULL, NULL};
    work.old_of_new = mplan_alloc(n, sizeof *work.old_of_new, err);
    work.at = mplan_alloc_zero(work.n_pieces * n_groups, sizeof *work.at, err);
    mplan_status status = work.old_of_new && work.at ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status) {
        int64_t before = 0;
        mplan_for(team, n, ROWS, invert_some, &work);
        mplan_for(team, work.n_pieces, 1, count_groups, &work);
        for (int64_t g = 0; g < n_groups; g++)
            for (int64_t k = 0; k < work.n_pieces; k++) {
                const int64_t count = work.at[k * n_groups + g];
                work.at[k * n_groups + g] = before;
                before += count;
            }
        mplan_for(team, work.n_pieces, 1, place_groups, &work);
    }
    free(work.old_of_new);
    free(work.at);
    return status;
}
