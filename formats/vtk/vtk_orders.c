/* SPDX-License-Identifier: Apache-2.0 */
/* vtk_orders.c - cells of higher order in VTK's files: Lagrange's, Bezier's, and kinds between first and second order
 *
 * The corners come first in all of them. Lagrange's cells of first and second order are the types that VTK has for
 * these; of others the corners are kept, as of Gmsh's. */
#include "base/error.h"
#include "formats/vtk/vtk.h"

/* The cell of first order of a kind; 0: it is none of these. */
static uint8_t linear_of(uint8_t code)
{
    static const uint8_t kinds[] = {3, 5, 9, 10, 12, 13, 14}; /* of 68 ... 74, and 75 ... 81 */
    switch (code) {
    case 30: return 9;  /* quadratic-linear quad */
    case 31: return 13; /* quadratic-linear wedge */
    case 33: return 12; /* biquadratic-quadratic hexahedron */
    case 34: return 5;  /* biquadratic triangle */
    case 35: return 3;  /* cubic line */
    case 37: return 14; /* triquadratic pyramid */
    default: return code >= 68 && code <= 81 ? kinds[(code - 68) % 7] : 0;
    }
}

/* Lagrange's cells of second order whose nodes are in the order of VTK's own; 0: others. */
static uint8_t quadratic_of(uint8_t code, int64_t n)
{
    switch (code) {
    case 68: return n == 3 ? 21 : 0;
    case 69: return n == 6 ? 22 : 0;
    case 70: return n == 9 ? 28 : 0;
    case 71: return n == 10 ? 24 : 0;
    default: return 0;
    }
}

/* Cells get other types and lose points, in place; their number stays. Cells with too few points stay as they are, and are
 * refused later. */
void mplan_vtk_lower_orders(const char *path, mplan_vtk_cells *cells, const mplan_context *context)
{
    int64_t to = 0, begin = 0, lowered = 0;
    for (int64_t c = 0; c < cells->n_cells; c++) {
        const int64_t end = cells->offsets[c + 1];
        int64_t n = end - begin;
        const uint8_t code = cells->types[c], linear = linear_of(code), same = quadratic_of(code, n);
        mplan_cell_type type = MPLAN_CELL_POINT;
        if (linear && mplan_vtk_shape(linear, linear == 5 ? 3 : 0, &type, NULL) &&
            n >= mplan_cell_type_nodes(type)) {
            const int32_t corners = mplan_cell_type_nodes(type);
            cells->types[c] = same ? same : linear;
            lowered += !same && n > corners;
            n = same ? n : corners;
        }
        for (int64_t k = 0; k < n; k++)
            cells->points[to + k] = cells->points[begin + k];
        to += n;
        begin = end;
        cells->offsets[c + 1] = to;
    }
    if (lowered > 0)
        mplan_warn(context, "%s: %lld cells of higher order are read by their corners", path,
                   (long long)lowered);
}
