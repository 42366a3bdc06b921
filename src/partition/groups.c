/* SPDX-License-Identifier: Apache-2.0 */
/* groups.c - vertices that must stay in one part become one vertex before a graph is cut
 *
 * So no cut has to be mended: where members were brought together afterwards, parts of 1.004 of the mean had 1.196
 * (flopy#2827).
 * What comes out depends on the groups and on the graph only: groups are numbered by their first
 * members, rows ascend, and sums of whole numbers have no order. Everything is linear but for
 * finding roots. */
#include "partition/groups.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* --- which vertices belong together ------------------------------------------------------- */

/* The lowest vertex that v is joined with; the way there becomes shorter. parent[v] <= v.
 * Every second vertex on the way gets its grandparent as parent, so that parents only become
 * lower. */
static int32_t root_of(int32_t *parent, int32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

/* The higher root gets the lower one as its parent, so that a group has the number of its first
 * member.
 * parent: by vertex; a root is its own parent. Afterwards a and b have one root, the lower one
 * of both. */
static void join(int32_t *parent, int32_t a, int32_t b)
{
    const int32_t low = root_of(parent, a), high = root_of(parent, b);
    if (low < high)
        parent[high] = low;
    else
        parent[low] = high;
}

/* row: from 0, told from 1; value: the entry that is not below n. */
static mplan_status fail_entry(const mplan_together *together, const char *set, int64_t row,
                               int64_t value, int64_t n, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "row %lld of what stays together: %s %lld, not below %lld", (long long)row + 1,
                      together->columns == 1 ? "the group is" : set, (long long)value, (long long)n);
}

/* Joins by groups: a number for each vertex. first: by group its first vertex, -1 at first.
 * parent: n, each vertex its own parent before. Vertices with a negative number are in no group.
 * Groups may have any numbers below n, and gaps between them. */
static mplan_status join_groups(const mplan_together *together, const char *set, int64_t n,
                                int32_t *first, int32_t *parent, mplan_error *err)
{
    if (together->rows != n)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "there are groups of %lld members, but %lld %s are cut",
                          (long long)together->rows, (long long)n, set);
    memset(first, 0xff, (size_t)n * sizeof *first);
    for (int64_t v = 0; v < n; v++) {
        const int64_t group = together->values[v];
        if (group < 0)
            continue;
        if (group >= n)
            return fail_entry(together, set, v, group, n, err);
        if (first[group] < 0)
            first[group] = (int32_t)v;
        else
            join(parent, first[group], (int32_t)v);
    }
    return MPLAN_OK;
}

/* Joins by rows of vertices.
 * Negative entries are skipped. A vertex may be in several rows, which then all stay together. */
static mplan_status join_rows(const mplan_together *together, const char *set, int64_t n,
                              int32_t *parent, mplan_error *err)
{
    for (int64_t row = 0; row < together->rows; row++) {
        int32_t last = -1;
        for (int32_t c = 0; c < together->columns; c++) {
            const int64_t v = together->values[row * together->columns + c];
            if (v < 0)
                continue;
            if (v >= n)
                return fail_entry(together, set, row, v, n, err);
            if (last >= 0)
                join(parent, last, (int32_t)v);
            last = (int32_t)v;
        }
    }
    return MPLAN_OK;
}

/* group is the array of parents first, and then of numbers: vertices are numbered in ascending
 * order. group is undefined after a failure. */
mplan_status mplan_groups_of(const mplan_together *together, const char *set, int64_t n,
                             int32_t *group, int64_t *n_groups, mplan_error *err)
{
    assert(together && together->columns > 0 && set && group && n_groups);
    int32_t *first = together->columns == 1 ? mplan_alloc(n, sizeof *first, err) : NULL;
    if (together->columns == 1 && !first)
        return MPLAN_ERR_MEMORY;
    for (int64_t v = 0; v < n; v++)
        group[v] = (int32_t)v;
    mplan_status status = first ? join_groups(together, set, n, first, group, err)
                                : join_rows(together, set, n, group, err);
    *n_groups = 0;
    for (int64_t v = 0; v < n && !status; v++) /* a parent is lower: it has its number already */
        group[v] = group[v] == v ? (int32_t)(*n_groups)++ : group[group[v]];
    free(first);
    return status;
}

/* --- the smaller graph ---------------------------------------------------------------------- */

/* Shares of the wishes are the caller's, and stay. */
void mplan_contracted_free(mplan_contracted *contracted)
{
    assert(contracted);
    mplan_csr_free(&contracted->graph);
    free(contracted->weights);
    free(contracted->edge_weights);
    free(contracted->sizes);
    *contracted = (mplan_contracted){.weights = NULL};
}

/* The sum of each group's rows of `columns` numbers, 1 each where `values` is NULL.
 * values: n rows; group: of each vertex, below n_groups. *status: MPLAN_ERR_MEMORY, and then NULL is
 * returned, or MPLAN_ERR_ARGUMENT where a sum exceeds 64 bits. The sums are the caller's to free, also
 * after such an overflow. */
static int64_t *add_up(const int64_t *values, int32_t columns, const int32_t *group, int64_t n,
                       int64_t n_groups, mplan_status *status, mplan_error *err)
{
    int64_t *sum = mplan_alloc_zero(n_groups * columns, sizeof *sum, err);
    *status = sum ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t v = 0; v < n && !*status; v++)
        for (int32_t c = 0; c < columns && !*status; c++) {
            int64_t *to = &sum[(int64_t)group[v] * columns + c];
            if (__builtin_add_overflow(*to, values ? values[v * columns + c] : 1, to))
                *status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                                     "the weights of a group exceed 64 bits");
        }
    return sum;
}

/* Members of each group one behind the other: those of g from start[g] on.
 * start: n_groups + 1, all 0 before; member: out, n vertices, ascending in each group. */
static void list_members(const int32_t *group, int64_t n, int64_t n_groups, int64_t *start,
                         int32_t *member)
{
    for (int64_t v = 0; v < n; v++)
        start[group[v] + 1]++;
    for (int64_t g = 0; g < n_groups; g++)
        start[g + 1] += start[g];
    for (int64_t v = n - 1; v >= 0; v--) /* from behind: start[g + 1] walks down to start of g */
        member[--start[group[v] + 1]] = (int32_t)v;
    memmove(start, start + 1, (size_t)n_groups * sizeof *start);
    start[n_groups] = n;
}

/* What one group has in hand while rows are made.
 * to and weight: entries of all rows one behind the other, with room for those of the whole
 * graph. */
typedef struct rows {
    int64_t *offsets; /* n_groups + 1 */
    int32_t *to;
    int64_t *weight;
    int64_t *place; /* by group: its entry in the row at hand, when not below the row's begin */
} rows;

/* Entries of group g, unsorted, equal ones added up.
 * member: n_members vertices of g. Edges inside the group vanish. An entry's place is below
 * `begin` when it is of a row before, so that `place` needs no clearing between rows. */
static void make_row(const mplan_csr *graph, const int64_t *edge_weights, const int32_t *group,
                     int32_t g, const int32_t *member, int64_t n_members, rows *r)
{
    const int64_t begin = r->offsets[g];
    int64_t at = begin;
    for (int64_t k = 0; k < n_members; k++)
        for (int64_t i = graph->offsets[member[k]]; i < graph->offsets[member[k] + 1]; i++) {
            const int32_t h = group[graph->neighbours[i]];
            const int64_t weight = edge_weights ? edge_weights[i] : 1;
            if (h == g)
                continue;
            if (r->place[h] >= begin) {
                r->weight[r->place[h]] += weight;
                continue;
            }
            r->place[h] = at;
            r->to[at] = h;
            r->weight[at++] = weight;
        }
    r->offsets[g + 1] = at;
}

/* Rows become ascending: the graph is symmetric, so each row has as many entries as name it, and
 * groups are met in their order.
 * fill: by group, where its next entry goes. out->graph and edge_weights are the caller's, also
 * after a failure. */
static mplan_status sort_rows(const rows *r, int64_t n_groups, mplan_contracted *out, mplan_error *err)
{
    const int64_t entries = r->offsets[n_groups];
    int64_t *fill = mplan_copy(r->offsets, n_groups + 1, sizeof *fill, err);
    out->graph = (mplan_csr){.n = n_groups,
                             .offsets = mplan_copy(r->offsets, n_groups + 1, sizeof *fill, err),
                             .neighbours = mplan_alloc(entries, sizeof *out->graph.neighbours, err)};
    out->edge_weights = mplan_alloc(entries, sizeof *out->edge_weights, err);
    const bool ready = fill && out->graph.offsets && out->graph.neighbours && out->edge_weights;
    for (int64_t g = 0; g < n_groups && ready; g++)
        for (int64_t i = r->offsets[g]; i < r->offsets[g + 1]; i++) {
            out->graph.neighbours[fill[r->to[i]]] = (int32_t)g;
            out->edge_weights[fill[r->to[i]]++] = r->weight[i];
        }
    free(fill);
    return ready ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* edge_weights: by entry of the graph, NULL: 1 each. Afterwards weights of both directions of an
 * edge are equal, as they were before. */
static mplan_status contract_graph(const mplan_csr *graph, const int64_t *edge_weights,
                                   const int32_t *group, int64_t n_groups, mplan_contracted *out,
                                   mplan_error *err)
{
    const int64_t entries = graph->offsets[graph->n];
    int64_t *start = mplan_alloc_zero(n_groups + 1, sizeof *start, err);
    int32_t *member = mplan_alloc(graph->n, sizeof *member, err);
    rows r = {.offsets = mplan_alloc_zero(n_groups + 1, sizeof *r.offsets, err),
              .to = mplan_alloc(entries, sizeof *r.to, err),
              .weight = mplan_alloc(entries, sizeof *r.weight, err),
              .place = mplan_alloc(n_groups, sizeof *r.place, err)};
    mplan_status status = start && member && r.offsets && r.to && r.weight && r.place
                              ? MPLAN_OK
                              : MPLAN_ERR_MEMORY;
    if (!status) {
        list_members(group, graph->n, n_groups, start, member);
        memset(r.place, 0xff, (size_t)n_groups * sizeof *r.place);
        for (int32_t g = 0; g < n_groups; g++)
            make_row(graph, edge_weights, group, g, member + start[g], start[g + 1] - start[g], &r);
        status = sort_rows(&r, n_groups, out, err);
    }
    free(start);
    free(member);
    free(r.offsets);
    free(r.to);
    free(r.weight);
    free(r.place);
    return status;
}

/* Without weights each vertex weighs 1, so that a group weighs as much as it has members. */
mplan_status mplan_graph_contract(const mplan_csr *graph, const int32_t *group, int64_t n_groups,
                                  const mplan_cut_wishes *wishes, mplan_contracted *out,
                                  mplan_error *err)
{
    assert(graph && group && wishes && out && n_groups <= graph->n);
    const int32_t columns = wishes->n_constraints > 0 ? wishes->n_constraints : 1;
    mplan_status status;
    *out = (mplan_contracted){.wishes = *wishes};
    out->weights = add_up(wishes->n_constraints > 0 ? wishes->weights : NULL, columns, group,
                          graph->n, n_groups, &status, err);
    if (!status && wishes->sizes)
        out->sizes = add_up(wishes->sizes, 1, group, graph->n, n_groups, &status, err);
    if (!status)
        status = contract_graph(graph, wishes->edge_weights, group, n_groups, out, err);
    out->wishes.n_constraints = columns;
    out->wishes.weights = out->weights;
    out->wishes.sizes = out->sizes;
    out->wishes.edge_weights = out->edge_weights;
    return status;
}
