/* SPDX-License-Identifier: Apache-2.0 */
/* adjacency.c - transposed maps, and graphs of what shares a member
 *
 * A graph of elements and a graph of points are the same thing seen from two
 * sides: vertices (elements, points) are joined by nets (points, elements).
 * Maps between the same two sets are first merged into one, so that a net
 * joins what reaches it through any of them. Rows of the graph are made one
 * after the other, a marker per vertex keeps a neighbour from entering twice.
 *
 * Nets above the hub limit would make cliques; they leave chains instead,
 * which are made beforehand as a small graph of their own. */
#include "mesh/adjacency.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buckets.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "mesh/point_lists.h"

/* Arrays may be NULL. */
void mplan_csr_free(mplan_csr *graph)
{
    free(graph->offsets);
    free(graph->neighbours);
    memset(graph, 0, sizeof *graph);
}

/* Arrays may be NULL. */
void mplan_transpose_free(mplan_transpose *transpose)
{
    free(transpose->offsets);
    free(transpose->elements);
    free(transpose->slots);
    memset(transpose, 0, sizeof *transpose);
}

/* Counting sort by point. Entries of -1 are left out. elements of a point ascend;
 * with_slots also keeps the slot of each entry within its row. *out is written only on
 * success and belongs to the caller. */
mplan_status mplan_map_transpose(const mplan_map *map, bool with_slots, mplan_transpose *out,
                                 mplan_error *err)
{
    int64_t entries = mplan_map_entries(map);
    mplan_transpose t = {NULL, NULL, NULL};
    t.offsets = mplan_alloc_zero(map->n_points + 1, sizeof *t.offsets, err);
    if (!t.offsets)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < entries; i++)
        if (map->values[i] >= 0)
            t.offsets[map->values[i] + 1]++;
    mplan_sum_counts(t.offsets, map->n_points);

    int64_t kept = t.offsets[map->n_points];
    t.elements = mplan_alloc(kept, sizeof *t.elements, err);
    if (with_slots)
        t.slots = mplan_alloc(kept, sizeof *t.slots, err);
    if (!t.elements || (with_slots && !t.slots)) {
        mplan_transpose_free(&t);
        return MPLAN_ERR_MEMORY;
    }
    for (int64_t r = 0; r < map->n_rows; r++) {
        int32_t length;
        const int32_t *row = mplan_map_row(map, r, &length);
        for (int32_t k = 0; k < length; k++) {
            if (row[k] < 0)
                continue;
            int64_t place = t.offsets[row[k]]++;
            t.elements[place] = (int32_t)r;
            if (with_slots)
                t.slots[place] = row + k - map->values;
        }
    }
    mplan_step_back(t.offsets, map->n_points);
    *out = t;
    return MPLAN_OK;
}

/* What threads share that transpose a map. */
typedef struct transpose_work {
    const mplan_map *map;
    mplan_transpose *to; /* offsets[p + 1]: the count of point p; then where its list ends so far */
    int64_t *at;
} transpose_work;

enum { ROWS = 1 << 13 };

static void count_some(void *data, int thread, int64_t begin, int64_t end)
{
    const transpose_work *work = data;
    (void)thread;
    for (int64_t r = begin; r < end; r++) {
        int32_t length;
        const int32_t *row = mplan_map_row(work->map, r, &length);
        for (int32_t k = 0; k < length; k++)
            if (row[k] >= 0)
                mplan_add(&work->to->offsets[row[k] + 1], 1);
    }
}

static void place_some(void *data, int thread, int64_t begin, int64_t end)
{
    const transpose_work *work = data;
    (void)thread;
    for (int64_t r = begin; r < end; r++) {
        int32_t length;
        const int32_t *row = mplan_map_row(work->map, r, &length);
        for (int32_t k = 0; k < length; k++)
            if (row[k] >= 0)
                work->to->elements[mplan_add(&work->at[row[k]], 1)] = (int32_t)r;
    }
}

static void sort_some(void *data, int thread, int64_t begin, int64_t end)
{
    const transpose_work *work = data;
    const int64_t *offsets = work->to->offsets;
    (void)thread;
    for (int64_t p = begin; p < end; p++)
        mplan_sort_i32(work->to->elements + offsets[p], offsets[p + 1] - offsets[p]);
}

/* Lists are filled in any order, and sorted: as one thread makes them. */
mplan_status mplan_map_transpose_by(const mplan_map *map, mplan_team *team, mplan_transpose *out,
                                    mplan_error *err)
{
    assert(map && out);
    if (mplan_team_threads(team) == 1 && !(team && team->pieces))
        return mplan_map_transpose(map, false, out, err);
    mplan_transpose t = {mplan_alloc_zero(map->n_points + 1, sizeof *t.offsets, err), NULL, NULL};
    if (!t.offsets)
        return MPLAN_ERR_MEMORY;
    transpose_work work = {map, &t, NULL};
    mplan_for(team, map->n_rows, ROWS, count_some, &work);
    mplan_for_sums(team, map->n_points, t.offsets);
    t.elements = mplan_alloc(t.offsets[map->n_points], sizeof *t.elements, err);
    work.at = t.elements ? mplan_copy(t.offsets, map->n_points + 1, sizeof *work.at, err) : NULL;
    if (!work.at) {
        mplan_transpose_free(&t);
        return MPLAN_ERR_MEMORY;
    }
    mplan_for(team, map->n_rows, ROWS, place_some, &work);
    mplan_for(team, map->n_points, ROWS, sort_some, &work);
    free(work.at);
    *out = t;
    return MPLAN_OK;
}

/* --- nets: both directions between two sets ------------------------------ */

/* Rows of `nets` are the nets of each vertex, rows of `members` the vertices
 * of each net. Either may be a map of the caller or lie in `owned`. */
typedef struct net_group {
    mplan_map nets, members;
    void *owned[4];
} net_group;

/* owned holds up to four arrays of each group; those that were not made are NULL. */
static void free_groups(net_group *groups, int32_t n_groups)
{
    for (int32_t g = 0; g < n_groups; g++)
        for (int i = 0; i < 4; i++)
            free(groups[g].owned[i]);
    free(groups);
}

/* Maps whose rows can be read side by side. */
static bool same_sets(const mplan_map *a, const mplan_map *b)
{
    return a->from == b->from && a->to == b->to && a->n_rows == b->n_rows;
}

/* One array under two names counts once. */
static bool same_table(const mplan_map *a, const mplan_map *b)
{
    return a->values == b->values && a->offsets == b->offsets && a->arity == b->arity;
}

/* True when a map before maps[i] is the same table. */
static bool is_repeated(const mplan_map *maps, int32_t i)
{
    for (int32_t k = 0; k < i; k++)
        if (same_sets(&maps[k], &maps[i]) && same_table(&maps[k], &maps[i]))
            return true;
    return false;
}

/* Maps of the sets of maps[first], repeated tables skipped, as one ragged
 * map with the rows one behind the other. A single map is taken as it is. */
static mplan_status merge_maps(const mplan_map *maps, int32_t n_maps, int32_t first,
                               mplan_map *merged, net_group *group, mplan_error *err)
{
    *merged = maps[first];
    int64_t entries = 0;
    int32_t parts = 0;
    for (int32_t i = first; i < n_maps; i++) {
        if (!same_sets(&maps[first], &maps[i]) || is_repeated(maps, i))
            continue;
        entries += mplan_map_entries(&maps[i]);
        if (merged->n_points < maps[i].n_points)
            merged->n_points = maps[i].n_points;
        parts++;
    }
    if (parts == 1)
        return MPLAN_OK;
    int64_t *offsets = group->owned[0] = mplan_alloc(merged->n_rows + 1, sizeof *offsets, err);
    int32_t *values = group->owned[1] = mplan_alloc(entries, sizeof *values, err);
    if (!offsets || !values)
        return MPLAN_ERR_MEMORY;
    int64_t end = 0;
    for (int64_t r = 0; r < merged->n_rows; r++) {
        offsets[r] = end;
        for (int32_t i = first; i < n_maps; i++) {
            if (!same_sets(&maps[first], &maps[i]) || is_repeated(maps, i))
                continue;
            int32_t length;
            const int32_t *row = mplan_map_row(&maps[i], r, &length);
            memcpy(values + end, row, (size_t)length * sizeof *row);
            end += length;
        }
    }
    offsets[merged->n_rows] = end;
    merged->arity = 0;
    merged->offsets = offsets;
    merged->values = values;
    return MPLAN_OK;
}

/* An element that repeats a point counts once from here on. */
static void drop_repeats(int64_t n, int64_t *offsets, int32_t *elements)
{
    int64_t end = 0;
    for (int64_t p = 0; p < n; p++) {
        int64_t begin = offsets[p];
        offsets[p] = end;
        for (int64_t i = begin; i < offsets[p + 1]; i++)
            if (i == begin || elements[i] != elements[i - 1])
                elements[end++] = elements[i];
    }
    offsets[n] = end;
}

/* Merges all maps of one pair of sets and makes their transpose, repeats dropped.
 * of_elements: rows are the vertices and points the nets that join them, else the other
 * way round. Arrays belong to *group, also after a failure. */
static mplan_status make_group(const mplan_map *maps, int32_t n_maps, int32_t first,
                               bool of_elements, net_group *group, mplan_error *err)
{
    mplan_map merged;
    mplan_status status = merge_maps(maps, n_maps, first, &merged, group, err);
    if (status)
        return status;
    mplan_transpose t;
    status = mplan_map_transpose(&merged, false, &t, err);
    if (status)
        return status;
    group->owned[2] = t.offsets;
    group->owned[3] = t.elements;
    drop_repeats(merged.n_points, t.offsets, t.elements);
    mplan_map inverse = {NULL,          merged.to, merged.from, 0, merged.n_points,
                         merged.n_rows, t.offsets, t.elements};
    group->nets = of_elements ? merged : inverse;
    group->members = of_elements ? inverse : merged;
    return MPLAN_OK;
}

/* One group for each pair of sets that maps lead between: the graph is the union of
 * what the groups join. *groups: owned by the caller, at most n_maps. */
static mplan_status make_groups(const mplan_map *maps, int32_t n_maps, bool of_elements,
                                net_group **groups, int32_t *n_groups, mplan_error *err)
{
    net_group *made = mplan_alloc_zero(n_maps, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    int32_t n = 0;
    for (int32_t i = 0; i < n_maps; i++) {
        int32_t first = 0;
        while (!same_sets(&maps[first], &maps[i]))
            first++;
        if (first < i)
            continue;
        mplan_status status = make_group(maps, n_maps, i, of_elements, &made[n++], err);
        if (status) {
            free_groups(made, n);
            return status;
        }
    }
    *groups = made;
    *n_groups = n;
    return MPLAN_OK;
}

/* Whether the net joins more than hub_limit vertices, entries of -1 not counted. A
 * limit of 0 or less: no net is a hub. */
static bool is_hub(const mplan_map *members, int64_t net, int64_t hub_limit)
{
    int32_t length;
    const int32_t *row = mplan_map_row(members, net, &length);
    if (hub_limit <= 0 || length <= hub_limit)
        return false;
    /* stops early: every vertex of a long net comes here */
    int64_t present = 0;
    for (int32_t k = 0; k < length && present <= hub_limit; k++)
        present += row[k] >= 0;
    return present > hub_limit;
}

/* --- chains of hubs ------------------------------------------------------- */

/* One pass over the hubs: counts both ends of every link (fill NULL), or
 * writes them. The place of vertex v is offsets[v + 1] when counting, else
 * offsets[v]. Returns the number of ends. */
static int64_t walk_chains(const net_group *groups, int32_t n_groups, int64_t hub_limit,
                           int64_t *offsets, int32_t *fill)
{
    int64_t ends = 0;
    for (int32_t g = 0; g < n_groups; g++)
        for (int64_t net = 0; net < groups[g].members.n_rows; net++) {
            if (!is_hub(&groups[g].members, net, hub_limit))
                continue;
            int32_t length, last = -1;
            const int32_t *row = mplan_map_row(&groups[g].members, net, &length);
            for (int32_t k = 0; k < length; k++) {
                if (row[k] < 0)
                    continue;
                if (last >= 0 && fill) {
                    fill[offsets[last]++] = row[k];
                    fill[offsets[row[k]]++] = last;
                } else if (last >= 0) {
                    offsets[last + 1]++;
                    offsets[row[k] + 1]++;
                }
                ends += last >= 0 ? 2 : 0;
                last = row[k];
            }
        }
    return ends;
}

/* Links of all hubs, with loops and repeats; left empty when there are none. */
static mplan_status make_chains(const net_group *groups, int32_t n_groups, int64_t hub_limit,
                                int64_t n, mplan_csr *chains, mplan_error *err)
{
    if (hub_limit <= 0)
        return MPLAN_OK;
    int64_t *offsets = mplan_alloc_zero(n + 1, sizeof *offsets, err);
    if (!offsets)
        return MPLAN_ERR_MEMORY;
    int64_t ends = walk_chains(groups, n_groups, hub_limit, offsets, NULL);
    if (ends == 0) {
        free(offsets);
        return MPLAN_OK;
    }
    mplan_sum_counts(offsets, n);
    int32_t *neighbours = mplan_alloc(ends, sizeof *neighbours, err);
    if (!neighbours) {
        free(offsets);
        return MPLAN_ERR_MEMORY;
    }
    walk_chains(groups, n_groups, hub_limit, offsets, neighbours);
    mplan_step_back(offsets, n);
    *chains = (mplan_csr){n, offsets, neighbours};
    return MPLAN_OK;
}

/* --- rows of the graph ---------------------------------------------------- */

/* Graph under construction; mark[w] == v while w is a neighbour of v, or v. */
typedef struct builder {
    int64_t *offsets;
    mplan_vector neighbours;
    int32_t *mark;
} builder;

/* mark[w]: the last vertex in whose row w was noted, n entries. guess: expected number
 * of neighbours, not a limit. Nothing is left to free after a failure. */
static mplan_status builder_begin(builder *b, int64_t n, int64_t guess, mplan_error *err)
{
    b->neighbours = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(int32_t));
    b->offsets = mplan_alloc(n + 1, sizeof *b->offsets, err);
    b->mark = mplan_alloc(n, sizeof *b->mark, err);
    if (!b->offsets || !b->mark || !mplan_vector_reserve(&b->neighbours, guess + 1, err)) {
        free(b->offsets);
        free(b->mark);
        return MPLAN_ERR_MEMORY;
    }
    for (int64_t v = 0; v < n; v++)
        b->mark[v] = -1;
    b->offsets[0] = 0;
    return MPLAN_OK;
}

/* Appends those of list[0] ... list[n - 1] that are not yet in the row of v; -1 is
 * skipped. */
static mplan_status add_neighbours(builder *b, int32_t v, const int32_t *list, int64_t n,
                                   mplan_error *err)
{
    int32_t *out = mplan_vector_reserve(&b->neighbours, n, err);
    if (!out)
        return MPLAN_ERR_MEMORY;
    int32_t *mark = b->mark;
    int64_t added = 0;
    for (int64_t i = 0; i < n; i++) {
        int32_t w = list[i];
        if (w >= 0 && mark[w] != v) {
            mark[w] = v;
            out[added++] = w;
        }
    }
    b->neighbours.count += added;
    return MPLAN_OK;
}

/* Row v is complete: sorted, as every row of a graph is. Repeats were left out while it was
 * filled. */
static void end_row(builder *b, int64_t v)
{
    int32_t *row = (int32_t *)b->neighbours.data + b->offsets[v];
    mplan_sort_i32(row, b->neighbours.count - b->offsets[v]);
    b->offsets[v + 1] = b->neighbours.count;
}

/* Hands the arrays over, without room to spare, or releases them. */
static mplan_status builder_end(builder *b, mplan_status status, int64_t n, mplan_csr *graph)
{
    free(b->mark);
    if (status) {
        free(b->offsets);
        free(b->neighbours.data);
        return status;
    }
    void *trimmed = mplan_realloc(b->neighbours.data, b->neighbours.count, sizeof(int32_t), NULL);
    *graph = (mplan_csr){n, b->offsets, trimmed ? trimmed : b->neighbours.data};
    return MPLAN_OK;
}

/* The row of vertex v: all members of its nets, each once, without v itself. Members of
 * a hub are joined by chains instead of all with all, if there are any. */
static mplan_status add_row(builder *b, const net_group *groups, int32_t n_groups,
                            int64_t hub_limit, const mplan_csr *chains, int32_t v, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    b->mark[v] = v;
    for (int32_t g = 0; g < n_groups && !status; g++) {
        int32_t n_nets, length;
        const int32_t *nets = mplan_map_row(&groups[g].nets, v, &n_nets);
        for (int32_t k = 0; k < n_nets && !status; k++) {
            if (nets[k] < 0 || (chains->n && is_hub(&groups[g].members, nets[k], hub_limit)))
                continue;
            const int32_t *members = mplan_map_row(&groups[g].members, nets[k], &length);
            status = add_neighbours(b, v, members, length, err);
        }
    }
    if (chains->n && !status)
        status = add_neighbours(b, v, chains->neighbours + chains->offsets[v],
                                chains->offsets[v + 1] - chains->offsets[v], err);
    return status;
}

/* Rows in the order of the vertices; each is sorted at its end. n: number of vertices. */
static mplan_status graph_of_groups(const net_group *groups, int32_t n_groups, int64_t hub_limit,
                                    int64_t n, mplan_csr *graph, mplan_error *err)
{
    mplan_csr chains = {0, NULL, NULL};
    mplan_status status = make_chains(groups, n_groups, hub_limit, n, &chains, err);
    if (status)
        return status;
    builder b;
    status = builder_begin(&b, n, 4 * n, err);
    if (!status) {
        for (int64_t v = 0; v < n && !status; v++) {
            status = add_row(&b, groups, n_groups, hub_limit, &chains, (int32_t)v, err);
            end_row(&b, v);
        }
        status = builder_end(&b, status, n, graph);
    }
    mplan_csr_free(&chains);
    return status;
}

/* Elements are neighbours if they share a point of any map; all maps leave one set. A hub, a
 * point of more than hub_limit elements, joins them as a chain: a point of n elements would make
 * n^2 edges otherwise. */
mplan_status mplan_graph_of_elements(const mplan_map *maps, int32_t n_maps, int64_t hub_limit,
                                     mplan_csr *graph, mplan_error *err)
{
    assert(n_maps > 0);
    net_group *groups;
    int32_t n_groups;
    mplan_status status = make_groups(maps, n_maps, true, &groups, &n_groups, err);
    if (status)
        return status;
    status = graph_of_groups(groups, n_groups, hub_limit, maps[0].n_rows, graph, err);
    free_groups(groups, n_groups);
    return status;
}

/* Whether each element has two points: through one map, or one table under several names. */
static bool are_pairs(const mplan_map *maps, int32_t n_maps)
{
    bool pairs = true;
    for (int32_t m = 0; m < n_maps; m++) {
        pairs = pairs && maps[m].arity == 2 && maps[m].n_points == maps[0].n_points;
        for (int32_t k = 0; k < m; k++)
            if (same_sets(&maps[k], &maps[m]) && !same_table(&maps[k], &maps[m]))
                pairs = false;
    }
    return pairs;
}

/* Points are neighbours if an element has both; all maps lead to one set. Hubs are elements of
 * more than hub_limit points. Where all elements are pairs, they are the edges, and are dealt out
 * by all threads. */
mplan_status mplan_graph_of_points(const mplan_map *maps, int32_t n_maps, int64_t hub_limit,
                                   mplan_csr *graph, const mplan_context *context, mplan_error *err)
{
    assert(n_maps > 0);
    if (are_pairs(maps, n_maps) && (hub_limit <= 0 || hub_limit >= 2)) {
        mplan_point_lists lists;
        mplan_status made = mplan_pair_lists_create(maps, n_maps, &lists, context, err);
        if (!made)
            *graph = (mplan_csr){maps[0].n_points, lists.offsets, lists.values};
        return made;
    }
    net_group *groups;
    int32_t n_groups;
    mplan_status status = make_groups(maps, n_maps, false, &groups, &n_groups, err);
    if (status)
        return status;
    status = graph_of_groups(groups, n_groups, hub_limit, maps[0].n_points, graph, err);
    free_groups(groups, n_groups);
    return status;
}
