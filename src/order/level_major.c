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
#include "mesh/adjacency.h"
#include "order/components.h"
#include "order/levels.h"

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
                mplan_fetch(&neighbours[at[to]]);
            else if (to >= 0)
                mplan_fetch(&at[to]);
        }
    }
}

/* Visits the edges of a map once for each end: with neighbours NULL they are counted at at[end + 1], else placed at
 * at[end], which moves on. */
static void place_edges(const mplan_map *map, const int64_t *first, int64_t *at, int32_t *neighbours)
{
    for (int64_t e = 0; e < map->n_rows; e++) {
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

/* Neighbours in the order of the maps; one may be there more than once, which searches do not mind. */
static mplan_status make_graph(const mplan_composite *graph, const int64_t *first, mplan_csr *out,
                               mplan_error *err)
{
    const int64_t n = first[graph->n_sets];
    int64_t *at = NULL;
    *out = (mplan_csr){.n = n, .offsets = mplan_alloc_zero(n + 1, sizeof *out->offsets, err)};
    if (!out->offsets)
        return MPLAN_ERR_MEMORY;
    for (int32_t m = 0; m < graph->n_maps; m++)
        place_edges(&graph->maps[m], first, out->offsets, NULL);
    for (int64_t v = 0; v < n; v++)
        out->offsets[v + 1] += out->offsets[v];
    out->neighbours = mplan_alloc(out->offsets[n], sizeof *out->neighbours, err);
    at = out->neighbours ? mplan_copy(out->offsets, n + 1, sizeof *at, err) : NULL;
    if (!at)
        return MPLAN_ERR_MEMORY;
    for (int32_t m = 0; m < graph->n_maps; m++)
        place_edges(&graph->maps[m], first, at, out->neighbours);
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
    int32_t *own = NULL, depth = 0;
    *n = 0;
    mplan_status status = mplan_components_make(graph, NULL, 0, &parts, mplan_team_of(context), err);
    if (!status)
        status = mplan_levels_create(parts.largest, &a, err);
    if (!status)
        status = mplan_levels_create(parts.largest, &b, err);
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
    mplan_levels_free(&a);
    mplan_levels_free(&b);
    mplan_components_free(&parts);
    return status;
}

/* --- groups of levels ----------------------------------------------------------------------- */

/* out->ends and, in group[], the group of each level. n, level: of the members of the set that counts. */
static void group_levels(const int32_t *level, int64_t n, int32_t n_levels, int64_t least,
                         int32_t *group, mplan_level_groups *out)
{
    int64_t inside = 0, before = 0;
    memset(group, 0, (size_t)n_levels * sizeof *group);
    for (int64_t i = 0; i < n; i++)
        group[level[i]]++;
    for (int32_t l = 0; l < n_levels; l++) {
        inside += group[l];
        group[l] = (int32_t)out->n;
        if (inside >= least) {
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
                                      mplan_level_groups *out, const mplan_context *context,
                                      mplan_error *err)
{
    assert(graph && out && set >= 0 && set < graph->n_sets && least > 0);
    mplan_csr all = {0};
    int32_t *group = NULL, n_levels = 0;
    *out = (mplan_level_groups){0};
    int64_t *first = mplan_alloc((int64_t)graph->n_sets + 1, sizeof *first, err);
    mplan_status status = first ? number_sets(graph, first, err) : MPLAN_ERR_MEMORY;
    if (!status)
        status = make_graph(graph, first, &all, err);
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
        group_levels(out->group + first[set], graph->size[set], n_levels, least, group, out);
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

mplan_status mplan_order_by_group(int64_t n, const int32_t *group, int64_t n_groups, int32_t *order,
                                  mplan_error *err)
{
    assert(n >= 0 && group && order);
    int32_t *old_of_new = mplan_alloc(n, sizeof *old_of_new, err);
    int64_t *at = mplan_alloc_zero(n_groups + 1, sizeof *at, err);
    mplan_status status = old_of_new && at ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++) {
        old_of_new[order[i]] = (int32_t)i;
        at[group[i] + 1]++;
    }
    for (int64_t g = 0; g < n_groups && !status; g++)
        at[g + 1] += at[g];
    for (int64_t p = 0; p < n && !status; p++)
        order[old_of_new[p]] = (int32_t)at[group[old_of_new[p]]]++;
    free(old_of_new);
    free(at);
    return status;
}
