/* SPDX-License-Identifier: Apache-2.0 */
/* vtp.c - VTK XML files of PolyData (.vtp): vertices, lines, polygons and strips of a piece as cells
 *
 * Each kind is a section with arrays of its own; cells are counted in the order in which the sections are here, as
 * VTK counts them for their data. */
#ifdef MPLAN_HAVE_EXPAT
#include "base/error.h"
#include "formats/vtk/vtu_reader.h"

/* VTK's type of a cell of a section with n points. */
static uint8_t type_of(int section, int64_t n)
{
    switch (section) {
    case MPLAN_VTU_VERTS: return n == 1 ? 1 : 2;
    case MPLAN_VTU_LINES: return n == 2 ? 3 : 4;
    case MPLAN_VTU_POLYS: return n == 3 ? 5 : n == 4 ? 9 : MPLAN_VTK_POLYGON;
    default: return 6;
    }
}

/* Ends and types of all sections, one behind the other. */
mplan_status mplan_vtu_read_section_ends(vtu_reader *reader, const mplan_vtu_piece *piece,
                                         mplan_error *err)
{
    int64_t *offsets = reader->cells.offsets + reader->cell;
    uint8_t *types = reader->cells.types + reader->cell;
    mplan_status status = MPLAN_OK;
    for (int s = 0; s < MPLAN_VTU_N_SECTIONS && !status; s++) {
        const int64_t n = piece->n_of[s];
        status = mplan_vtu_read_ends(reader, piece, MPLAN_VTU_SECTIONS + 2 * s + 1, n, offsets[0],
                                     false, offsets + 1, err);
        for (int64_t c = 0; c < n && !status; c++)
            types[c] = type_of(s, offsets[c + 1] - offsets[c]);
        offsets += n;
        types += n;
    }
    return status;
}

/* Their points, to where the ends say. */
mplan_status mplan_vtu_read_section_points(vtu_reader *reader, const mplan_vtu_piece *piece,
                                           mplan_error *err)
{
    const int64_t *offsets = reader->cells.offsets + reader->cell;
    mplan_status status = MPLAN_OK;
    for (int s = 0; s < MPLAN_VTU_N_SECTIONS && !status; s++) {
        const int64_t n = piece->n_of[s];
        status = mplan_vtu_read_ids(reader, piece, MPLAN_VTU_SECTIONS + 2 * s,
                                    offsets[n] - offsets[0], reader->point, piece->n_points, true,
                                    reader->cells.points + offsets[0], err);
        offsets += n;
    }
    return status;
}
#else
typedef int mplan_vtp_needs_expat; /* a file holds something */
#endif
