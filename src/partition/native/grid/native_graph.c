/* SPDX-License-Identifier: Apache-2.0 */
/* native_graph.c - points joined by elements, or elements that share sides
 *
 * Counts come first: a graph with a vertex of more than six neighbours is not a grid, and most that are
 * none are found out by a pass over part of the table. */
#include "partition/native/grid/native_graph.h"

#include <assert.h>
#include <stdlib.h>

#include "base/buckets.h"
#include "base/memory.h"

enum { MOST_ROW = 8, MOST_VALENCE = 16 };

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

/* The dimension of the grid, 2 or 3, that points with so many edges may lie in; 0: none. degree:
 * zero before, per point its edges, two of which may join the same points. */
static int32_t count_edges(const native_view *view, uint8_t *degree)
{
    int32_t room[MOST_ROW + 2], n, most = 0;
    int64_t edges = 0;
    for (int64_t e = 0; e < view->table->n; e++) {
        const int32_t *row = mplan_native_view_row(view, e, room, &n);
        if (n != 2)
            continue;
        edges++;
        for (int32_t k = 0; k < 2; k++) {
            uint8_t *its = &degree[row[k] - view->first];
            if (*its == LATTICE_MOST)
                return 0;
            ++*its;
            most = *its > most ? *its : most;
        }
    }
    /* triangles have three neighbours; strips of quads more in the mean */
    if (20 * edges < 31 * view->n_points)
        return 0;
    return most <= 4 ? 2 : most <= LATTICE_MOST ? 3 : 0;
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

/* Rows of two points: neighbours in the grid are points that an element joins.
 * view->kind and the lattice are set; *found is false where a point has too many
 * neighbours. */
static mplan_status join_points(native_view *view, native_lattice *lattice, bool *found,
                                mplan_error *err)
{
    int32_t room[MOST_ROW + 2], n;
    uint8_t *degree = mplan_alloc_zero(view->n_points, 1, err);
    if (!degree)
        return MPLAN_ERR_MEMORY;
    int32_t dimension = count_edges(view, degree);
    free(degree);
    if (dimension == 0)
        return MPLAN_OK;
    view->kind = dimension == 2 ? TILE_PLANE_EDGES : TILE_SPACE_EDGES;
    mplan_status status = mplan_native_lattice_create(view->n_points, dimension, lattice, err);
    for (int64_t e = 0; e < view->table->n && !status; e++) {
        const int32_t *row = mplan_native_view_row(view, e, room, &n);
        if (n == 2) {
            join(lattice, row[0] - (int32_t)view->first, row[1] - (int32_t)view->first);
            join(lattice, row[1] - (int32_t)view->first, row[0] - (int32_t)view->first);
        }
    }
    *found = !status;
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
                                       native_lattice *lattice, bool *found, mplan_error *err)
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
            status = join_points(view, lattice, found, err);
        else if (view->size > 2)
            status = join_elements(view, lattice, found, err);
        if (!*found)
            mplan_native_lattice_free(lattice);
    }
    return status;
}
