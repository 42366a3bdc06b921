/* SPDX-License-Identifier: Apache-2.0 */
/* vtk_write.c - unstructured grids as VTK's legacy files, version 3.0, binary
 *
 * After VTK's documentation, "VTK File Formats, Simple Legacy Formats": lines of text, between them big-endian numbers
 * of 32 bits and reals of 64. Cells are rows: the number of what follows, then nodes, or of a polyhedron its faces. Marks
 * of groups are bytes in a field of groups; bytes of their names that are blanks or not plain text are written as
 * %20, as VTK does. */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "formats/byte_order.h"
#include "formats/text_out.h"
#include "formats/vtk/vtk.h"
#include "formats/vtk/vtu_write.h"

/* A legacy file that is being written. */
typedef struct vtk_writer {
    const mplan_vtu_grid *grid;
    mplan_text_out out;
    mplan_vtk_node_order shapes[MPLAN_N_CELL_TYPES];
    int64_t n_cells, size; /* numbers of CELLS */
    bool swapped;          /* the machine's numbers are little-endian */
} vtk_writer;

/* How many numbers are behind the first of a row. */
static int64_t row_size(const vtk_writer *to, const mplan_vtu_cells *part, int64_t c,
                        const int32_t *nodes, int64_t n)
{
    int64_t written = 0;
    if (part->face_starts) /* and the number of faces, which is the first of them */
        return part->face_starts[c + 1] - part->face_starts[c];
    if (part->types)
        return to->shapes[part->types[c]].n_nodes;
    for (int64_t k = 0; k < n; k++)
        written += nodes[k] >= 0;
    return written;
}

/* n_cells and size; pyramids of 14 nodes lose one. */
static mplan_status count_cells(vtk_writer *to, const mplan_context *context, mplan_error *err)
{
    int64_t cut = 0;
    for (int32_t p = 0; p < to->grid->n_parts; p++) {
        const mplan_vtu_cells *part = &to->grid->parts[p];
        int64_t cursor = 0, n;
        for (int64_t c = 0; c < part->n; c++) {
            const int32_t *nodes = mplan_vtu_cell_nodes(part, c, &cursor, &n);
            to->size += 1 + row_size(to, part, c, nodes, n);
            cut += part->types && part->types[c] == MPLAN_CELL_PYRAMID14;
        }
        to->n_cells += part->n;
    }
    if (cut)
        mplan_warn(context,
                   "VTK has no pyramids of 14 nodes: %" PRId64 " are written without the "
                   "node in the centre of their base",
                   cut);
    if (to->size > INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "a legacy VTK file cannot number the %" PRId64
                          " nodes of its cells with 32 bits; a VTU file can",
                          to->size);
    return MPLAN_OK;
}

/* --- numbers ---------------------------------------------------------------------- */

static void put_whole(vtk_writer *to, int32_t value)
{
    if (to->swapped)
        mplan_swap_bytes(&value, 1, 4);
    mplan_text_bytes(&to->out, &value, 4);
}

static void put_real(vtk_writer *to, double value)
{
    if (to->swapped)
        mplan_swap_bytes(&value, 1, 8);
    mplan_text_bytes(&to->out, &value, 8);
}

#if defined __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
static void
put_line(vtk_writer *to, const char *format, ...)
{
    char line[128];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    mplan_text_put(&to->out, line);
}

/* --- sections --------------------------------------------------------------------- */

/* A third coordinate of 0 in the plane. */
static void put_points(vtk_writer *to)
{
    const mplan_vtu_grid *grid = to->grid;
    put_line(to, "POINTS %" PRId64 " double\n", grid->n_points);
    for (int64_t i = 0; i < grid->n_points && !to->out.status; i++)
        for (int32_t d = 0; d < 3; d++)
            put_real(to, d < grid->dimension ? grid->xyz[i * grid->dimension + d] : 0);
    put_line(to, "\n");
}

/* Faces of a polyhedron as the grid has them: their number comes first. */
static void put_row(vtk_writer *to, const mplan_vtu_cells *part, int64_t c, const int32_t *nodes,
                    int64_t n)
{
    int64_t size = row_size(to, part, c, nodes, n);
    put_whole(to, (int32_t)size);
    if (part->face_starts) {
        for (int64_t i = 0; i < size; i++)
            put_whole(to, part->faces[part->face_starts[c] + i]);
    } else if (part->types) {
        for (int64_t k = 0; k < size; k++)
            put_whole(to, nodes[to->shapes[part->types[c]].node[k]]);
    } else {
        for (int64_t k = 0; k < n; k++)
            if (nodes[k] >= 0)
                put_whole(to, nodes[k]);
    }
}

/* CELLS or, with `codes`, CELL_TYPES. */
static void put_cells(vtk_writer *to, bool codes)
{
    if (codes)
        put_line(to, "CELL_TYPES %" PRId64 "\n", to->n_cells);
    else
        put_line(to, "CELLS %" PRId64 " %" PRId64 "\n", to->n_cells, to->size);
    for (int32_t p = 0; p < to->grid->n_parts; p++) {
        const mplan_vtu_cells *part = &to->grid->parts[p];
        int64_t cursor = 0, n;
        for (int64_t c = 0; c < part->n && !to->out.status; c++) {
            const int32_t *nodes = mplan_vtu_cell_nodes(part, c, &cursor, &n);
            if (!codes)
                put_row(to, part, c, nodes, n);
            else if (part->face_starts)
                put_whole(to, MPLAN_VTK_POLYHEDRON);
            else if (part->types)
                put_whole(to, to->shapes[part->types[c]].code);
            else
                put_whole(to, mplan_vtu_code_by_nodes(row_size(to, part, c, nodes, n)));
        }
    }
    put_line(to, "\n");
}

/* Blanks, bytes that are not plain text, quotes and percent signs as %XX. */
static void put_name(vtk_writer *to, const char *name)
{
    for (; *name; name++) {
        unsigned char c = (unsigned char)*name;
        if (c < 33 || c > 126 || c == '"' || c == '%')
            put_line(to, "%%%02X", c);
        else
            mplan_text_bytes(&to->out, name, 1);
    }
}

/* A byte for each of n members: ascending marks, or n_marks cells from field->first on. */
static void put_marks(vtk_writer *to, const mplan_vtu_field *field, int64_t n)
{
    int64_t next = 0;
    assert(!field->data);
    put_name(to, field->name);
    put_line(to, " 1 %" PRId64 " unsigned_char\n", n);
    for (int64_t i = 0; i < n && !to->out.status; i++) {
        int64_t marked = next == field->n_marks ? -1
                         : field->marks         ? field->first + field->marks[next]
                                                : field->first + next;
        uint8_t mark = i == marked;
        next += mark;
        mplan_text_bytes(&to->out, &mark, 1);
    }
    put_line(to, "\n");
}

/* The groups of cells, or of points. */
static void put_fields(vtk_writer *to, bool of_points)
{
    const mplan_vtu_grid *grid = to->grid;
    int64_t n = of_points ? grid->n_points : to->n_cells;
    int32_t count = 0;
    for (int32_t f = 0; f < grid->n_fields; f++)
        count += grid->fields[f].of_points == of_points;
    if (count == 0)
        return;
    put_line(to, "%s %" PRId64 "\nFIELD " MPLAN_VTK_GROUPS_FIELD " %d\n",
             of_points ? "POINT_DATA" : "CELL_DATA", n, (int)count);
    for (int32_t f = 0; f < grid->n_fields; f++)
        if (grid->fields[f].of_points == of_points)
            put_marks(to, &grid->fields[f], n);
}

/* Numbers of the legacy format have their highest byte first: `swapped` on little-endian
 * machines. Cells are written twice, for the rows and for the types. */
mplan_status mplan_vtk_write_grid(const mplan_vtu_grid *grid, mplan_output *output,
                                  const mplan_context *context, mplan_error *err)
{
    const uint16_t one = 1;
    vtk_writer to = {.grid = grid, .swapped = *(const uint8_t *)&one == 1};
    for (int32_t t = 0; t < MPLAN_N_CELL_TYPES; t++)
        mplan_vtk_shape_of((mplan_cell_type)t, &to.shapes[t]);
    mplan_status status = count_cells(&to, context, err);
    if (!status)
        status = mplan_text_begin(&to.out, output, context, err);
    if (status)
        return status;
    mplan_text_put(&to.out,
                   "# vtk DataFile Version 3.0\nmeshplan\nBINARY\nDATASET UNSTRUCTURED_GRID\n");
    put_points(&to);
    put_cells(&to, false);
    put_cells(&to, true);
    put_fields(&to, false);
    put_fields(&to, true);
    return mplan_text_end(&to.out);
}
