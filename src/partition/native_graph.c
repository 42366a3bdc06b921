/* native_graph.c - points joined by elements, or elements that share sides
 *
 * Counts come first: a graph with a vertex of more than six neighbours is no grid, and most that are
 * none are found out by a pass over part of the table. */
#include "partition/native_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MOST_ROW = 8, MOST_VALENCE = 16 };

/* How many points of the set elements have: at most `most`, one of few; 0 where rows differ. */
static int32_t size_of_rows(native_view *view)
{
    int32_t row[MOST_ROW + 2], size = 0;
    int64_t n = view->table->n, short_rows = 0;
    view->size = MOST_ROW;
    for (int64_t e = 0; e < n; e++) {
        int32_t length = mplan_native_view_row(view, e, row);
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
    return short_rows == 0 && (size == 4 || size == 8) ? size : 0;
}

/* --- edges --------------------------------------------------------------------------- */

/* The dimension of Z^d where points have so many elements; 0: none. */
static int32_t count_edges(const native_view *view, uint8_t *degree)
{
    int32_t row[MOST_ROW + 2], most = 0;
    int64_t edges = 0;
    for (int64_t e = 0; e < view->table->n; e++) {
        if (mplan_native_view_row(view, e, row) != 2)
            continue;
        edges++;
        for (int32_t k = 0; k < 2; k++) {
            if (degree[row[k]] == 2 * LATTICE_MOST)
                return 0;
            degree[row[k]]++;
            most = degree[row[k]] > most ? degree[row[k]] : most;
        }
    }
    /* triangles have three neighbours; strips of quads more in the mean */
    if (20 * edges < 31 * view->n_points)
        return 0;
    return most <= 4 ? 2 : most <= LATTICE_MOST ? 3 : 0;
}

/* Two elements may join the same points. */
static void join(native_lattice *l, int32_t a, int32_t b)
{
    int32_t *near = l->near + (int64_t)a * 2 * l->dimension, k = 0;
    while (k < 2 * l->dimension && near[k] >= 0 && near[k] != b)
        k++;
    if (k < 2 * l->dimension)
        near[k] = b;
}

static mplan_status join_points(native_view *view, native_lattice *lattice, bool *found,
                                mplan_error *err)
{
    int32_t row[MOST_ROW + 2];
    uint8_t *degree = mplan_alloc_zero(view->n_points, 1, err);
    if (!degree)
        return MPLAN_ERR_MEMORY;
    int32_t dimension = count_edges(view, degree);
    free(degree);
    if (dimension == 0)
        return MPLAN_OK;
    view->kind = dimension == 2 ? TILE_PLANE_EDGES : TILE_SPACE_EDGES;
    mplan_status status = mplan_native_lattice_create(view->n_points, dimension, lattice, err);
    for (int64_t e = 0; e < view->table->n && status == MPLAN_OK; e++)
        if (mplan_native_view_row(view, e, row) == 2) {
            join(lattice, row[0], row[1]);
            join(lattice, row[1], row[0]);
        }
    *found = status == MPLAN_OK;
    return status;
}

/* --- cells ---------------------------------------------------------------------------- */

typedef struct transpose {
    int64_t *begin; /* n_points + 2 */
    int32_t *elements;
} transpose;

static mplan_status transpose_rows(const native_view *view, transpose *t, mplan_error *err)
{
    int32_t row[MOST_ROW + 2];
    int64_t n = view->table->n;
    t->begin = mplan_alloc_zero(view->n_points + 2, sizeof *t->begin, err);
    t->elements = mplan_alloc(n * view->size, sizeof *t->elements, err);
    if (!t->begin || !t->elements)
        return MPLAN_ERR_MEMORY;
    int64_t *place = t->begin + 1; /* ends up as begin */
    for (int64_t e = 0; e < n; e++)
        for (int32_t k = mplan_native_view_row(view, e, row); k-- > 0;)
            place[row[k] + 1]++;
    for (int64_t p = 0; p < view->n_points; p++)
        place[p + 1] += place[p];
    for (int64_t e = 0; e < n; e++)
        for (int32_t k = mplan_native_view_row(view, e, row); k-- > 0;)
            t->elements[place[row[k]]++] = (int32_t)e;
    return MPLAN_OK;
}

/* Elements that share half the points of e are behind its sides. False where they are too
 * many, or at one of its points. shared: zero for all elements, and left so. */
static bool join_sides(const native_view *view, const transpose *t, int32_t e, uint8_t *shared,
                       native_lattice *lattice)
{
    int32_t row[MOST_ROW + 2], n = mplan_native_view_row(view, e, row), found = 0;
    int32_t *near = lattice->near + (int64_t)e * 2 * lattice->dimension;
    bool fits = true;
    for (int32_t k = 0; k < n; k++) {
        int64_t begin = t->begin[row[k]], end = t->begin[row[k] + 1];
        if (end - begin > MOST_VALENCE) {
            fits = false;
            break;
        }
        for (int64_t i = begin; i < end; i++) {
            int32_t f = t->elements[i];
            if (f == e || ++shared[f] != view->size / 2)
                continue;
            if (found == 2 * lattice->dimension)
                fits = false;
            else
                near[found++] = f;
        }
    }
    for (int32_t k = 0; k < n; k++)
        for (int64_t i = t->begin[row[k]]; i < t->begin[row[k] + 1]; i++)
            shared[t->elements[i]] = 0;
    return fits;
}

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
    status = shared ? mplan_native_lattice_create(n, view->size == 4 ? 2 : 3, lattice, err)
                    : MPLAN_ERR_MEMORY;
    *found = status == MPLAN_OK;
    for (int64_t e = 0; e < n && *found; e++)
        *found = join_sides(view, &t, (int32_t)e, shared, lattice);
    free(shared);
    free(t.begin);
    free(t.elements);
    return status;
}

mplan_status mplan_native_graph_create(const native_table *table, native_view *view,
                                       native_lattice *lattice, bool *found, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    *found = false;
    *lattice = (native_lattice){.n = 0};
    for (int32_t s = 0; s < table->n_sets && !*found && status == MPLAN_OK; s++) {
        *view = (native_view){.table = table, .set = s, .first = table->set_begin[s],
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
