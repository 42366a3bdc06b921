/* SPDX-License-Identifier: Apache-2.0 */
/* native_graph.c - points joined by elements, or elements that share sides
 *
 * Counts come first: a graph with a vertex of more than six neighbours is not a grid, and most that are
 * none are found out by a pass over part of the table. */
#include "partition/native/grid/native_graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buckets.h"
#include "base/memory.h"
#include "base/threads.h"

enum { MOST_ROW = 8, MOST_VALENCE = 16, MOST_RANGES = 16, ELEMENTS = 1 << 14 };

/* Points of an edge, a quad, a hex. */
static bool is_size(int32_t size)
{
    return size == 2 || size == 4 || size == 8;
}

/* How many points of the set elements have: 4 or 8 where all rows have as many, 2 where no more
 * than a quarter of the rows have one instead (edges at a rim, as faces with one cell); 0 where
 * it is anything else. */
static int32_t size_of_rows(native_view *view)
{
    int32_t room[MOST_ROW + 2], length, size = 0;
    int64_t n = view->table->n, short_rows = 0;
    if (view->table->n_sets == 1 && view->table->arity)
        return is_size(view->table->arity) ? view->table->arity : 0;
    view->size = MOST_ROW;
    for (int64_t e = 0; e < n; e++) {
        mplan_native_view_row(view, e, room, &length);
        if (length > size) {
            if (size > 1 || length > MOST_ROW)
                return 0;
            short_rows = e;
            size = length;
        } else {
            short_rows += length < size;
        }
        if ((size != 2 && short_rows > 0 && size > 2) || length == 0)
            return 0;
    }
    if (size == 2)
        return 4 * short_rows <= n ? 2 : 0;
    return short_rows == 0 && is_size(size) ? size : 0;
}

/* --- edges --------------------------------------------------------------------------- */

/* Rows of two points that threads go through: pieces of the elements, and as many ranges of the points, of which each belongs to one
 * thread, so that neighbours come in the order of the elements. Elements that follow one another touch points that do: few
 * ranges look at a piece. */
typedef struct edge_work {
    const native_view *view;
    int64_t n_pieces, range; /* range: points of one */
    uint8_t *touches;        /* per piece and range: whether it has points there */
    uint8_t *degree;         /* per point its edges, two of which may join the same points */
    native_lattice *lattice;
    int32_t stopped; /* some point has too many */
} edge_work;

/* The points of element e, counted from the view's first one; false where they are not two. */
static bool is_edge(const native_view *view, int64_t e, int32_t *ends)
{
    int32_t room[MOST_ROW + 2], n;
    const int32_t *row = mplan_native_view_row(view, e, room, &n);
    for (int32_t k = 0; k < 2 && n == 2; k++)
        ends[k] = row[k] - (int32_t)view->first;
    return n == 2;
}

/* Pieces [begin, end): which ranges they touch. Returns how many edges they have. */
static int64_t find_extents(void *data, int thread, int64_t begin, int64_t end)
{
    const edge_work *work = data;
    int64_t edges = 0;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        const int64_t last = mplan_piece_begin(work->view->table->n, work->n_pieces, k + 1);
        uint8_t *touches = work->touches + k * work->n_pieces;
        int32_t ends[2];
        memset(touches, 0, (size_t)work->n_pieces);
        for (int64_t e = mplan_piece_begin(work->view->table->n, work->n_pieces, k); e < last; e++) {
            if (!is_edge(work->view, e, ends))
                continue;
            edges++;
            for (int32_t i = 0; i < 2; i++)
                touches[ends[i] / work->range] = 1;
        }
    }
    return edges;
}

/* Whether pieces touch so few ranges that these may be gone through by threads; else there is one of each. */
static bool are_near(const edge_work *work)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < work->n_pieces * work->n_pieces; i++)
        sum += work->touches[i];
    return sum <= MOST_RANGES * work->n_pieces;
}

/* Enters b among the neighbours of a, once. Where a has no slot left it is dropped: count_edges
 * has seen that there are enough. */
static void join(native_lattice *l, int32_t a, int32_t b)
{
    int32_t *near = l->near + (int64_t)a * 2 * l->dimension, k = 0;
    while (k < 2 * l->dimension && near[k] >= 0 && near[k] != b)
        k++;
    if (k < 2 * l->dimension)
        near[k] = b;
}

/* Points of range r: an edge a point more, or a neighbour. */
static void visit_range(edge_work *work, int64_t r)
{
    const int64_t first = r * work->range, behind = first + work->range;
    for (int64_t k = 0; k < work->n_pieces; k++) {
        const int64_t last = mplan_piece_begin(work->view->table->n, work->n_pieces, k + 1);
        int64_t e = mplan_piece_begin(work->view->table->n, work->n_pieces, k);
        int32_t ends[2];
        for (; e < last && work->touches[k * work->n_pieces + r]; e++) {
            if (!is_edge(work->view, e, ends))
                continue;
            for (int32_t i = 0; i < 2; i++) {
                if (ends[i] < first || ends[i] >= behind)
                    continue;
                if (work->lattice)
                    join(work->lattice, ends[i], ends[1 - i]);
                else if (++work->degree[ends[i]] > LATTICE_MOST)
                    mplan_poke(&work->stopped, 1);
            }
            if (work->degree && mplan_peek(&work->stopped))
                return;
        }
    }
}

/* Ranges [begin, end). Returns the most edges of a point of them, less than 0. */
static int64_t visit_ranges(void *data, int thread, int64_t begin, int64_t end)
{
    edge_work *work = data;
    int64_t most = 0;
    (void)thread;
    for (int64_t r = begin; r < end; r++) {
        const int64_t n = work->view->n_points, last = (r + 1) * work->range;
        visit_range(work, r);
        for (int64_t p = r * work->range; p < (last < n ? last : n) && work->degree; p++)
            most = work->degree[p] > most ? work->degree[p] : most;
    }
    return -most;
}

/* The dimension of the grid, 2 or 3, that points with so many edges may lie in; 0: none. */
static mplan_status count_edges(edge_work *work, int64_t edges, int32_t *dimension,
                                mplan_team *team, mplan_error *err)
{
    *dimension = 0;
    /* triangles have three neighbours; strips of quads more in the mean */
    if (20 * edges < 31 * work->view->n_points)
        return MPLAN_OK;
    work->degree = mplan_alloc_zero(work->view->n_points, 1, err);
    if (!work->degree)
        return MPLAN_ERR_MEMORY;
    int64_t most = -mplan_for_least(team, work->n_pieces, 1, visit_ranges, work, 0);
    free(work->degree);
    work->degree = NULL;
    *dimension = work->stopped ? 0 : most <= 4 ? 2 : most <= LATTICE_MOST ? 3 : 0;
    return MPLAN_OK;
}

/* One piece and one range. */
static void be_one(edge_work *work)
{
    work->n_pieces = 1;
    work->range = work->view->n_points > 0 ? work->view->n_points : 1;
    work->touches[0] = 1;
}

/* Rows of two points: neighbours in the grid are points that an element joins.
 * view->kind and the lattice are set; *found is false where a point has too many
 * neighbours. */
static mplan_status join_points(native_view *view, native_lattice *lattice, bool *found,
                                mplan_team *team, mplan_error *err)
{
    int32_t dimension = 0;
    if (20 * view->table->n < 31 * view->n_points) /* fewer edges than count_edges wants */
        return MPLAN_OK;
    edge_work work = {.view = view, .n_pieces = mplan_pieces(team, view->table->n, ELEMENTS)};
    work.range = view->n_points / work.n_pieces + 1;
    work.touches = mplan_alloc(work.n_pieces * work.n_pieces, 1, err);
    mplan_status status = work.touches ? MPLAN_OK : MPLAN_ERR_MEMORY;
    const int64_t edges = status ? 0 : mplan_for_sum(team, work.n_pieces, 1, find_extents, &work);
    if (!status && !are_near(&work))
        be_one(&work);
    if (!status)
        status = count_edges(&work, edges, &dimension, team, err);
    if (!status && dimension > 0) {
        view->kind = dimension == 2 ? TILE_PLANE_EDGES : TILE_SPACE_EDGES;
        status = mplan_native_lattice_create(view->n_points, dimension, lattice, err);
        work.lattice = lattice;
        if (!status)
            mplan_for_least(team, work.n_pieces, 1, visit_ranges, &work, 0);
        *found = !status;
    }
    free(work.touches);
    return status;
}

/* --- cells ---------------------------------------------------------------------------- */

typedef struct transpose {
    int64_t *begin; /* n_points + 2 */
    int32_t *elements;
} transpose;

/* The elements at each point of the set, of rows of view->size points: t->begin
 * has n_points + 1 entries (one more while it is filled), t->elements n * size.
 * Both belong to *t, also after a failure. */
static mplan_status transpose_rows(const native_view *view, transpose *t, mplan_error *err)
{
    int32_t room[MOST_ROW + 2], size;
    int64_t n = view->table->n;
    t->begin = mplan_alloc_zero(view->n_points + 2, sizeof *t->begin, err);
    t->elements = mplan_alloc(n * view->size, sizeof *t->elements, err);
    if (!t->begin || !t->elements)
        return MPLAN_ERR_MEMORY;
    int64_t *place = t->begin + 1; /* ends up as begin */
    for (int64_t e = 0; e < n; e++) {
        const int32_t *row = mplan_native_view_row(view, e, room, &size);
        for (int32_t k = 0; k < size; k++)
            place[row[k] - view->first + 1]++;
    }
    mplan_sum_counts(place, view->n_points);
    for (int64_t e = 0; e < n; e++) {
        const int32_t *row = mplan_native_view_row(view, e, room, &size);
        for (int32_t k = 0; k < size; k++)
            t->elements[place[row[k] - view->first]++] = (int32_t)e;
    }
    return MPLAN_OK;
}

/* Joins e and the elements behind it that share half its points: they lie at its sides. False
 * where those are too many, or the elements at a point. shared: zero for all elements, and left
 * so; found: of every element, how many neighbours it has. */
static bool join_sides(const native_view *view, const transpose *t, int32_t e, uint8_t *shared,
                       uint8_t *found, native_lattice *lattice)
{
    int32_t room[MOST_ROW + 2], n, slots = 2 * lattice->dimension;
    const int32_t *row = mplan_native_view_row(view, e, room, &n);
    bool fits = true;
    for (int32_t k = 0; k < n; k++) {
        int64_t p = row[k] - view->first, begin = t->begin[p];
        fits = fits && t->begin[p + 1] - begin <= MOST_VALENCE;
        for (int64_t i = t->begin[p + 1] - 1; i >= begin && t->elements[i] > e && fits; i--) {
            int32_t f = t->elements[i];
            if (++shared[f] != view->size / 2)
                continue;
            fits = found[e] < slots && found[f] < slots;
            if (fits) {
                lattice->near[(int64_t)e * slots + found[e]++] = f;
                lattice->near[(int64_t)f * slots + found[f]++] = e;
            }
        }
    }
    for (int32_t k = 0; k < n && fits; k++) {
        int64_t p = row[k] - view->first;
        for (int64_t i = t->begin[p + 1] - 1; i >= t->begin[p] && t->elements[i] > e; i--)
            shared[t->elements[i]] = 0;
    }
    return fits;
}

/* Quads and hexes: neighbours are elements that share half of their points, a side. *found is
 * false as soon as an element has more neighbours, or a point more elements, than in a grid, or
 * where so few points cannot be one's corners. */
static mplan_status join_elements(native_view *view, native_lattice *lattice, bool *found,
                                  mplan_error *err)
{
    int64_t n = view->table->n;
    transpose t = {0};
    if (n * view->size > (view->size + 1) * view->n_points) /* more meet than in a grid */
        return MPLAN_OK;
    view->kind = view->size == 4 ? TILE_QUADS : TILE_HEXES;
    mplan_status status = transpose_rows(view, &t, err);
    uint8_t *shared = status ? NULL : mplan_alloc_zero(n, 1, err);
    uint8_t *sides = status ? NULL : mplan_alloc_zero(n, 1, err);
    status = shared && sides ? mplan_native_lattice_create(n, view->size == 4 ? 2 : 3, lattice, err)
                             : MPLAN_ERR_MEMORY;
    *found = !status;
    for (int64_t e = 0; e < n && *found; e++)
        *found = join_sides(view, &t, (int32_t)e, shared, sides, lattice);
    free(shared);
    free(sides);
    free(t.begin);
    free(t.elements);
    return status;
}

/* Sets are tried in turn; the first whose rows look like those of a grid wins.
 * *view and *lattice describe it; the caller frees the lattice. */
mplan_status mplan_native_graph_create(const native_table *table, native_view *view,
                                       native_lattice *lattice, bool *found, mplan_team *team,
                                       mplan_error *err)
{
    assert(table && view && lattice && found);
    mplan_status status = MPLAN_OK;
    *found = false;
    *lattice = (native_lattice){.n = 0};
    for (int32_t s = 0; s < table->n_sets && !*found && !status; s++) {
        *view = (native_view){.table = table,
                              .set = s,
                              .first = table->set_begin[s],
                              .n_points = table->set_begin[s + 1] - table->set_begin[s]};
        view->size = size_of_rows(view);
        if (view->size == 2)
            status = join_points(view, lattice, found, team, err);
        else if (view->size > 2)
            status = join_elements(view, lattice, found, err);
        if (!*found)
            mplan_native_lattice_free(lattice);
    }
    return status;
}
