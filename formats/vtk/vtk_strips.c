/* SPDX-License-Identifier: Apache-2.0 */
/* vtk_strips.c - VTK's cells that are several: poly vertices, poly lines and triangle strips
 *
 * Each becomes as many vertices, lines and triangles (types 1, 3 and 5), and groups have all of them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/vtk/vtk.h"

enum { POLY_VERTEX = 2, POLY_LINE = 4, STRIP = 6 };

/* How many cells a cell becomes; 0 of those that have too few points. */
static int64_t parts_of(const mplan_vtk_cells *cells, int64_t c)
{
    int64_t n = cells->offsets[c + 1] - cells->offsets[c];
    switch (cells->types[c]) {
    case POLY_VERTEX: return n;
    case POLY_LINE: return n > 1 ? n - 1 : 0;
    case STRIP: return n > 2 ? n - 2 : 0;
    default: return 1;
    }
}

/* Writes part k of cell c. Every other triangle of a strip is turned. Returns how many points. */
static int64_t write_part(const mplan_vtk_cells *cells, int64_t c, int64_t k, uint8_t *type,
                          int32_t *to)
{
    const int32_t *points = cells->points + cells->offsets[c];
    const int64_t n = cells->offsets[c + 1] - cells->offsets[c];
    *type = cells->types[c];
    if (*type != POLY_VERTEX && *type != POLY_LINE && *type != STRIP) {
        memcpy(to, points, (size_t)n * sizeof *to);
        return n;
    }
    const int64_t size = *type == POLY_VERTEX ? 1 : *type == POLY_LINE ? 2 : 3;
    for (int64_t i = 0; i < size; i++)
        to[i] = points[k + i];
    if (*type == STRIP && k % 2 == 1) {
        to[0] = points[k + 1];
        to[1] = points[k];
    }
    *type = (uint8_t)(2 * size - 1);
    return size;
}

/* first: for each cell, and the end, the first that it became. */
static mplan_status widen_fields(mplan_vtk_cells *cells, const int64_t *first, mplan_error *err)
{
    for (int64_t f = 0; f < cells->n_fields; f++) {
        mplan_vtk_field *field = &cells->fields[f];
        int64_t n = 0;
        if (field->of_points)
            continue;
        for (int64_t i = 0; i < field->n; i++) {
            int64_t c = field->marks ? field->values[i] : i;
            n += first[c + 1] - first[c];
        }
        int32_t *made = mplan_alloc(n, sizeof *made, err), *to = made;
        if (!made)
            return MPLAN_ERR_MEMORY;
        for (int64_t i = 0; i < field->n; i++) {
            int64_t c = field->marks ? field->values[i] : i;
            for (int64_t k = first[c]; k < first[c + 1]; k++)
                *to++ = field->marks ? (int32_t)k : field->values[i];
        }
        free(field->values);
        field->values = made;
        field->n = n;
    }
    return MPLAN_OK;
}

/* Arrays for n_cells cells with n_points points, which replace those of cells. */
static mplan_status split(mplan_vtk_cells *cells, const int64_t *first, int64_t n_cells,
                          int64_t n_points, mplan_error *err)
{
    uint8_t *types = mplan_alloc(n_cells, sizeof *types, err);
    int64_t *offsets = mplan_alloc(n_cells + 1, sizeof *offsets, err), *face_offsets = NULL;
    int32_t *points = mplan_alloc(n_points, sizeof *points, err);
    if (cells->faces)
        face_offsets = mplan_alloc(n_cells + 1, sizeof *face_offsets, err);
    if (!types || !offsets || !points || (cells->faces && !face_offsets)) {
        free(types);
        free(offsets);
        free(points);
        free(face_offsets);
        return MPLAN_ERR_MEMORY;
    }
    int64_t at = 0, made = 0;
    for (int64_t c = 0; c < cells->n_cells; c++)
        for (int64_t k = 0; k < first[c + 1] - first[c]; k++, made++) {
            offsets[made] = at;
            at += write_part(cells, c, k, &types[made], points + at);
            if (face_offsets)
                face_offsets[made] = cells->face_offsets[c];
        }
    offsets[made] = at;
    if (face_offsets) {
        face_offsets[made] = cells->face_offsets[cells->n_cells];
        free(cells->face_offsets);
        cells->face_offsets = face_offsets;
    }
    free(cells->types);
    free(cells->offsets);
    free(cells->points);
    cells->types = types;
    cells->offsets = offsets;
    cells->points = points;
    cells->n_cells = made;
    return MPLAN_OK;
}

/* Cells that hold several (poly-vertices, poly-lines, strips of triangles) become cells of
 * their own: first[c] is the number of the first part of cell c, and fields of cells are
 * repeated for each part. Nothing changes where no such cell is there. */
mplan_status mplan_vtk_open_strips(const char *path, mplan_vtk_cells *cells, mplan_error *err)
{
    int64_t n_cells = 0, n_points = 0;
    bool any = false;
    for (int64_t c = 0; c < cells->n_cells; c++) {
        const uint8_t type = cells->types[c];
        const int64_t n = parts_of(cells, c);
        const bool several = type == POLY_VERTEX || type == POLY_LINE || type == STRIP;
        any = any || several;
        n_cells += n;
        n_points += several ? n * (type / 2) : cells->offsets[c + 1] - cells->offsets[c];
        if (n == 0)
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "%s: cell %lld, of the VTK type %d, has %lld points", path,
                              (long long)c, (int)type,
                              (long long)(cells->offsets[c + 1] - cells->offsets[c]));
    }
    if (!any)
        return MPLAN_OK;
    if (n_cells > INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: cells exceed 32 bits", path);
    int64_t *first = mplan_alloc(cells->n_cells + 1, sizeof *first, err);
    if (!first)
        return MPLAN_ERR_MEMORY;
    first[0] = 0;
    for (int64_t c = 0; c < cells->n_cells; c++)
        first[c + 1] = first[c] + parts_of(cells, c);
    mplan_status status = widen_fields(cells, first, err);
    if (!status)
        status = split(cells, first, n_cells, n_points, err);
    free(first);
    return status;
}
