/* SPDX-License-Identifier: Apache-2.0 */
/* vtk_prisms.c - prisms over pentagons and hexagons become polyhedra
 *
 * Their points are those of the bottom, then those of the top above them (vtkPentagonalPrism, vtkHexagonalPrism).
 * Meshes have no such types; their faces say what they are. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/vtk/vtk.h"

enum { PENTAGONAL = 15, HEXAGONAL = 16 };

/* Points of the bottom of a cell of n points; 0 if it is not one of these prisms. */
static int64_t base_of(uint8_t code, int64_t n)
{
    return (code == PENTAGONAL && n == 10) || (code == HEXAGONAL && n == 12) ? n / 2 : 0;
}

/* Numbers that its faces take: how many there are, two of n points, n of four, each behind its number. */
static int64_t stream_length(int64_t n)
{
    return 1 + 2 * (1 + n) + 5 * n;
}

/* The faces of a prism over an n-gon as VTK lists them: their number, then for each its number of points and these. points: the
 * lower n-gon, then the upper one; all faces look outwards. */
static void write_faces(const int32_t *points, int64_t n, int32_t *to)
{
    *to++ = (int32_t)n + 2;
    *to++ = (int32_t)n;
    for (int64_t k = n; k-- > 0;)
        *to++ = points[k];
    *to++ = (int32_t)n;
    for (int64_t k = 0; k < n; k++)
        *to++ = points[n + k];
    for (int64_t k = 0; k < n; k++) {
        int64_t next = k + 1 < n ? k + 1 : 0;
        const int32_t side[] = {4, points[k], points[next], points[n + next], points[n + k]};
        memcpy(to, side, sizeof side);
        to += 5;
    }
}

/* The list in which faces are, cell c's at offsets[c], gets those of prisms, `more` numbers. in_place: it is
 * the list of points itself. */
static mplan_status widen(mplan_vtk_cells *cells, int32_t **list, int64_t *offsets, int64_t more,
                          bool in_place, mplan_error *err)
{
    const int32_t *old = *list;
    int32_t *made = mplan_alloc(offsets[cells->n_cells] + more, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    int64_t at = 0, first = 0;
    for (int64_t c = 0; c < cells->n_cells; c++) {
        int64_t end = offsets[c + 1], length = end - first;
        int64_t n_points = in_place ? length : cells->offsets[c + 1] - cells->offsets[c];
        int64_t n = base_of(cells->types[c], n_points);
        if (n) {
            write_faces(in_place ? old + first : cells->points + cells->offsets[c], n, made + at);
            cells->types[c] = MPLAN_VTK_POLYHEDRON;
        } else if (length > 0) {
            memcpy(made + at, old + first, (size_t)length * sizeof *made);
        }
        at += n ? stream_length(n) : length;
        first = end;
        offsets[c + 1] = at;
    }
    free(*list);
    *list = made;
    return MPLAN_OK;
}

/* Where the file has a list of faces, they go there; else in the place of points, as in legacy files. */
mplan_status mplan_vtk_open_prisms(mplan_vtk_cells *cells, mplan_error *err)
{
    int64_t more = 0;
    for (int64_t c = 0; c < cells->n_cells; c++) {
        int64_t n = base_of(cells->types[c], cells->offsets[c + 1] - cells->offsets[c]);
        more += n ? stream_length(n) : 0;
    }
    if (more == 0)
        return MPLAN_OK;
    return cells->faces ? widen(cells, &cells->faces, cells->face_offsets, more, false, err)
                        : widen(cells, &cells->points, cells->offsets, more, true, err);
}
