/* SPDX-License-Identifier: Apache-2.0 */
/* naca0012.c - the C-grid around an airfoil that OP2's airfoil example runs on
 *
 * 3I x J quads between a bottom row and a far field. In the plane of
 * parameters the grid is straight; squaring w = x + iy folds its bottom row
 * around the airfoil: columns i < I and 3I-1-i meet along a cut behind the
 * trailing edge. The nodes of the cut exist on both of its sides, with equal
 * coordinates, so the edges across it do not follow from the cells' nodes and
 * the mesh brings its own sets `edges` (two cells) and `bedges` (one cell).
 *
 * Edges keep OP2's orientation: with (dx, dy) = first node - second node, the
 * normal (dy, -dx) leaves edges_cells[0], the cell of lower index; walking from
 * the first node to the second, that cell is on the right. (Derived faces run
 * the other way.) They are ordered by first and second cell. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "generate/generate.h"
#include "mesh/mesh.h"

enum {
    N_SURFACE = 100,            /* points on one side of the airfoil */
    N_KNOTS = 2 * N_SURFACE - 1 /* mirrored, the leading edge once */
};

/* Sizes of the C grid: 3I columns, J rows of cells. */
typedef struct c_grid {
    int64_t i3, j, third; /* 3I, J, I */
    int64_t n_nodes, n_cells, n_edges, n_bedges;
} c_grid;

/* --- the surface in the plane of parameters ------------------------------ */

/* A cubic spline through N_KNOTS points: their slopes make it smooth. */
typedef struct spline {
    double x[N_KNOTS], y[N_KNOTS], slope[N_KNOTS];
} spline;

/* Slopes of the cubic spline whose third derivative is continuous at the
 * second and the second last knot as well (C. de Boor, A Practical Guide to
 * Splines, chapter IV: not-a-knot). Elimination needs no pivoting: after the
 * first row all pivots are sums of spacings. */
static void solve_spline(spline *s)
{
    enum { n = N_KNOTS };
    double h[n - 1], d[n - 1], diagonal[n], upper[n], lower[n], *right = s->slope;
    for (int32_t i = 0; i < n - 1; i++) {
        h[i] = s->x[i + 1] - s->x[i];
        d[i] = (s->y[i + 1] - s->y[i]) / h[i];
    }
    double both = h[0] + h[1];
    diagonal[0] = h[1];
    upper[0] = both;
    right[0] = ((h[0] + 2 * both) * h[1] * d[0] + h[0] * h[0] * d[1]) / both;
    for (int32_t i = 1; i < n - 1; i++) {
        lower[i] = h[i];
        diagonal[i] = 2 * (h[i - 1] + h[i]);
        upper[i] = h[i - 1];
        right[i] = 3 * (h[i] * d[i - 1] + h[i - 1] * d[i]);
    }
    both = h[n - 2] + h[n - 3];
    lower[n - 1] = both;
    diagonal[n - 1] = h[n - 3];
    right[n - 1] = ((h[n - 2] + 2 * both) * h[n - 3] * d[n - 2] + h[n - 2] * h[n - 2] * d[n - 3]) /
                   both;
    for (int32_t i = 1; i < n; i++) {
        double factor = lower[i] / diagonal[i - 1];
        diagonal[i] -= factor * upper[i - 1];
        right[i] -= factor * right[i - 1];
    }
    s->slope[n - 1] = right[n - 1] / diagonal[n - 1];
    for (int32_t i = n - 2; i >= 0; i--)
        s->slope[i] = (right[i] - upper[i] * s->slope[i + 1]) / diagonal[i];
}

/* Cubic Hermite piece that contains x, found by bisection; behind the last knot the last piece goes on. */
static double evaluate_spline(const spline *s, double x)
{
    int32_t low = 0, high = N_KNOTS - 1;
    while (high - low > 1) {
        int32_t middle = (low + high) / 2;
        if (s->x[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    double h = s->x[high] - s->x[low], t = x - s->x[low];
    double d = (s->y[high] - s->y[low]) / h;
    double c = (3 * d - 2 * s->slope[low] - s->slope[high]) / h;
    double b = (s->slope[low] + s->slope[high] - 2 * d) / (h * h);
    return s->y[low] + t * (s->slope[low] + t * (c + t * b));
}

/* The airfoil's upper side under the inverse of the map, and its mirror image. */
static void airfoil_spline(spline *s)
{
    const double half_pi = 1.57079632679489661923;
    for (int32_t k = 0; k < N_SURFACE; k++) {
        double sine = sin(half_pi * k / (N_SURFACE - 1));
        double x = sine * sine;
        double y = 0.594689181 * (0.298222773 * sqrt(x) - 0.127125232 * x - 0.357907906 * x * x +
                                  0.291984971 * x * x * x - 0.105174696 * x * x * x * x);
        if (k == N_SURFACE - 1)
            y = 0;
        /* z = sqrt(a + iy) with y >= 0, by the half that does not cancel */
        double a = x - 0.0077, length = sqrt(a * a + y * y), real, imaginary;
        if (a > 0) {
            real = sqrt((length + a) / 2);
            imaginary = y / (2 * real);
        } else {
            imaginary = sqrt((length - a) / 2);
            real = y / (2 * imaginary);
        }
        s->x[N_SURFACE - 1 + k] = real;
        s->y[N_SURFACE - 1 + k] = imaginary;
        s->x[N_SURFACE - 1 - k] = -real;
        s->y[N_SURFACE - 1 - k] = imaginary;
    }
    solve_spline(s);
}

/* --- arrays ---------------------------------------------------------------- */

/* The nearest number of six decimals, and never -0. */
static double six_decimals(double value)
{
    return floor(value * 1e6 + 0.5) / 1e6;
}

/* coordinates: out, 2 doubles a node, row by row from the airfoil and its wake
 * outwards. */
static mplan_status fill_nodes(const c_grid *grid, const mplan_context *context,
                               double *coordinates, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    double third = (double)grid->third;
    double *bottom = mplan_alloc_zero(grid->i3 + 1, sizeof *bottom, err);
    if (!bottom)
        return MPLAN_ERR_MEMORY;
    spline airfoil;
    airfoil_spline(&airfoil);
    for (int64_t i = grid->third + 1; i < 2 * grid->third; i++)
        bottom[i] = evaluate_spline(&airfoil, (double)(2 * i - grid->i3) / third);
    for (int64_t j = 0; j <= grid->j && !status; j++) {
        double share = (double)j / (double)grid->j;
        for (int64_t i = 0; i <= grid->i3; i++) {
            double x = (double)(2 * i - grid->i3) / third;
            double y = bottom[i] + (3 - bottom[i]) * share;
            *coordinates++ = six_decimals(x * x - y * y);
            *coordinates++ = six_decimals(2 * x * y);
        }
        status = mplan_interrupted(context, err);
    }
    free(bottom);
    return status;
}

/* nodes: out, 4 a cell. */
static void fill_cells(const c_grid *grid, int32_t *nodes)
{
    for (int64_t j = 0; j < grid->j; j++) {
        for (int64_t i = 0; i < grid->i3; i++) {
            int64_t first = i + j * (grid->i3 + 1);
            *nodes++ = (int32_t)first;
            *nodes++ = (int32_t)(first + 1);
            *nodes++ = (int32_t)(first + grid->i3 + 2);
            *nodes++ = (int32_t)(first + grid->i3 + 1);
        }
    }
}

/* Two running places, one row of two entries each. */
typedef struct edge_writer {
    int32_t *nodes, *cells;
} edge_writer;

/* Walking from node `from` to node `to`, `cell` is on the right and `other` on the
 * left. */
static void put_edge(edge_writer *out, int64_t from, int64_t to, int64_t cell, int64_t other)
{
    *out->nodes++ = (int32_t)from;
    *out->nodes++ = (int32_t)to;
    *out->cells++ = (int32_t)cell;
    *out->cells++ = (int32_t)other;
}

/* Inner edges by first cell, then second cell. nodes and cells: out, 2 each per edge.
 * In the first row (j = 0) a cell of the wake also meets the one on the other side of
 * the cut. */
static void fill_edges(const c_grid *grid, int32_t *nodes, int32_t *cells)
{
    edge_writer out = {nodes, cells};
    int64_t row = grid->i3 + 1;
    for (int64_t j = 0; j < grid->j; j++) {
        for (int64_t i = 0; i < grid->i3; i++) {
            int64_t cell = i + j * grid->i3, node = i + j * row;
            if (i + 1 < grid->i3)
                put_edge(&out, node + row + 1, node + 1, cell, cell + 1);
            if (j == 0 && i < grid->third)
                put_edge(&out, node + 1, node, cell, grid->i3 - 1 - i);
            if (j + 1 < grid->j)
                put_edge(&out, node + row, node + row + 1, cell, cell + grid->i3);
        }
    }
}

/* Edges of the rim, by cell and first node; on_airfoil gets their groups. */
static void fill_bedges(const c_grid *grid, int32_t *nodes, int32_t *cells, bool *on_airfoil)
{
    int64_t row = grid->i3 + 1, n = 0;
    for (int64_t j = 0; j < grid->j; j++) {
        bool bottom = j == 0, top = j + 1 == grid->j;
        /* between the columns of the rim only the first and the last row have any */
        int64_t step = bottom || top ? 1 : grid->i3 - 1;
        for (int64_t i = 0; i < grid->i3; i += step) {
            int64_t cell = i + j * grid->i3, node = i + j * row;
            const struct {
                bool is;
                int64_t from, to;
                bool airfoil;
            } side[4] = {{bottom && i >= grid->third && i < 2 * grid->third, node + 1, node, true},
                         {i == 0, node, node + row, false},
                         {top, node + row, node + row + 1, false},
                         {i + 1 == grid->i3, node + row + 1, node + 1, false}};
            for (int32_t s = 0; s < 4; s++) {
                if (!side[s].is)
                    continue;
                nodes[2 * n] = (int32_t)side[s].from;
                nodes[2 * n + 1] = (int32_t)side[s].to;
                cells[n] = (int32_t)cell;
                on_airfoil[n++] = side[s].airfoil;
            }
        }
    }
}

/* --- the mesh ---------------------------------------------------------------- */

/* A C grid: of n_columns columns the middle third lies on the airfoil, the rest along
 * the wake. */
static mplan_status grid_begin(int64_t n_columns, int64_t n_rows, c_grid *grid, mplan_error *err)
{
    if (n_columns < 3 || n_columns % 3 != 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "the columns of a naca0012 mesh must be a multiple of 3, not %lld",
                          (long long)n_columns);
    if (n_rows < 1 || n_columns > MPLAN_MAX_MEMBERS || n_rows > MPLAN_MAX_MEMBERS ||
        2 * n_columns * n_rows + n_columns + n_rows + 1 > MPLAN_MAX_MEMBERS)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "a naca0012 mesh of %lld x %lld cells does not have 1 to %lld edges",
                          (long long)n_columns, (long long)n_rows, (long long)MPLAN_MAX_MEMBERS);
    grid->i3 = n_columns;
    grid->j = n_rows;
    grid->third = n_columns / 3;
    grid->n_nodes = (n_columns + 1) * (n_rows + 1);
    grid->n_cells = n_columns * n_rows;
    grid->n_edges = (n_columns - 1) * n_rows + n_columns * (n_rows - 1) + grid->third;
    grid->n_bedges = grid->third + n_columns + 2 * n_rows;
    return MPLAN_OK;
}

/* All cells are quads: type, one per cell, and nodes, four per cell, go over to the mesh. */
static mplan_status add_cells(const c_grid *grid, mplan_mesh *mesh, mplan_error *err)
{
    uint8_t *type = mplan_alloc(grid->n_cells, 1, err);
    int32_t *nodes = type ? mplan_alloc(grid->n_cells, 4 * sizeof *nodes, err) : NULL;
    if (!nodes) {
        free(type);
        return MPLAN_ERR_MEMORY;
    }
    memset(type, MPLAN_CELL_QUAD4, (size_t)grid->n_cells);
    fill_cells(grid, nodes);
    return mplan_mesh_take_cells(mesh, grid->n_nodes, grid->n_cells, type, nodes, err);
}

/* Map edges_nodes and edges_cells of inner edges. */
static mplan_status add_edges(const c_grid *grid, int32_t set, mplan_mesh *mesh, mplan_error *err)
{
    int32_t *nodes = mplan_alloc(grid->n_edges, 2 * sizeof *nodes, err);
    int32_t *cells = nodes ? mplan_alloc(grid->n_edges, 2 * sizeof *cells, err) : NULL;
    if (!cells) {
        free(nodes);
        return MPLAN_ERR_MEMORY;
    }
    fill_edges(grid, nodes, cells);
    mplan_status status = mplan_mesh_take_map(mesh, "edges_nodes", set,
                                              mplan_mesh_find_set(mesh, "nodes"), 2, NULL, nodes,
                                              NULL, err);
    if (status) {
        free(cells);
        return status;
    }
    return mplan_mesh_take_map(mesh, "edges_cells", set, mplan_mesh_find_set(mesh, "cells"), 2,
                               NULL, cells, NULL, err);
}

/* members: scratch, room for all boundary edges. */
static mplan_status add_rim_group(const c_grid *grid, int32_t set, const bool *on_airfoil,
                                  bool airfoil, int32_t *members, mplan_mesh *mesh, mplan_error *err)
{
    int64_t n = 0;
    for (int64_t b = 0; b < grid->n_bedges; b++)
        if (on_airfoil[b] == airfoil)
            members[n++] = (int32_t)b;
    return mplan_mesh_add_group(mesh, airfoil ? "airfoil" : "farfield", airfoil ? 1 : 2, 1, set, n,
                                members, err);
}

/* Boundary edges with their node and cell maps, and the groups airfoil and farfield. */
static mplan_status add_bedges(const c_grid *grid, int32_t set, mplan_mesh *mesh, mplan_error *err)
{
    mplan_status status = MPLAN_ERR_MEMORY;
    int32_t *cells = NULL, *members = NULL;
    bool *on_airfoil = NULL;
    int32_t *nodes = mplan_alloc(grid->n_bedges, 2 * sizeof *nodes, err);
    if (nodes)
        cells = mplan_alloc(grid->n_bedges, sizeof *cells, err);
    if (cells)
        members = mplan_alloc(grid->n_bedges, sizeof *members, err);
    if (members)
        on_airfoil = mplan_alloc(grid->n_bedges, sizeof *on_airfoil, err);
    if (!on_airfoil)
        goto done;
    fill_bedges(grid, nodes, cells, on_airfoil);
    status = mplan_mesh_take_map(mesh, "bedges_nodes", set, mplan_mesh_find_set(mesh, "nodes"), 2,
                                 NULL, nodes, NULL, err);
    nodes = NULL;
    if (status)
        goto done;
    status = mplan_mesh_take_map(mesh, "bedges_cells", set, mplan_mesh_find_set(mesh, "cells"), 1,
                                 NULL, cells, NULL, err);
    cells = NULL;
    if (!status)
        status = add_rim_group(grid, set, on_airfoil, true, members, mesh, err);
    if (!status)
        status = add_rim_group(grid, set, on_airfoil, false, members, mesh, err);
done:
    free(on_airfoil);
    free(members);
    free(cells);
    free(nodes);
    return status;
}

/* The sets of OP2's airfoil: nodes, cells, edges between two cells, bedges at the boundary with
 * their kind. grid_begin has counted all of them, so every array is allocated once, at its
 * size. */
mplan_status mplan_naca0012_fill(int64_t n_columns, int64_t n_rows, const mplan_context *context,
                                 mplan_mesh *mesh, mplan_error *err)
{
    c_grid grid;
    mplan_status status = grid_begin(n_columns, n_rows, &grid, err);
    if (status)
        return status;
    double *coordinates = mplan_alloc(grid.n_nodes, 2 * sizeof *coordinates, err);
    if (!coordinates)
        return MPLAN_ERR_MEMORY;
    status = fill_nodes(&grid, context, coordinates, err);
    int32_t nodes, edges, bedges;
    if (!status)
        status = mplan_mesh_add_set(mesh, "nodes", grid.n_nodes, &nodes, err);
    if (status) {
        free(coordinates);
        return status;
    }
    status = mplan_mesh_take_coordinates(mesh, nodes, 2, coordinates, err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "edges", grid.n_edges, &edges, err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "bedges", grid.n_bedges, &bedges, err);
    if (!status)
        status = add_cells(&grid, mesh, err);
    if (!status)
        status = add_edges(&grid, edges, mesh, err);
    if (!status)
        status = add_bedges(&grid, bedges, mesh, err);
    if (!status)
        status = mplan_mesh_set_faces_name(mesh, "edges", err);
    return status;
}
