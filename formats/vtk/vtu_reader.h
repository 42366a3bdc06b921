/* SPDX-License-Identifier: Apache-2.0 */
/* vtu_reader.h - a VTK XML file while its pieces are read, and what its readers of arrays share */
#ifndef MPLAN_VTU_READER_H
#define MPLAN_VTU_READER_H

#include "formats/vtk/vtk.h"
#include "formats/vtk/vtu.h"

/* What all arrays together take at least must be in the file: a bound for what is allocated. */
typedef struct vtu_budget {
    const mplan_vtu_file *file;
    int64_t left;
} vtu_budget;

/* A VTU file that is read, piece by piece. */
typedef struct vtu_reader {
    mplan_vtu_file file;
    vtu_budget budget;
    mplan_vtk_cells cells;
    int64_t point, cell; /* of the pieces before the one at hand */
    int64_t done, total; /* numbers of the arrays at hand, for whoever watches */
} vtu_reader;

/* The array must be there and long enough for n numbers; the least bytes for them are taken off the budget. */
mplan_status mplan_vtu_need_array(vtu_budget *budget, const mplan_vtu_array *array,
                                  const char *what, int64_t n, mplan_error *err);
/* *source: NULL for n = 0. */
mplan_status mplan_vtu_open_array(vtu_budget *budget, const mplan_vtu_piece *piece, int32_t index,
                                  int64_t n, bool exact, mplan_vtu_source **source, mplan_error *err);
/* got: numbers since the last call. */
mplan_status mplan_vtu_pause_after(vtu_reader *reader, int64_t got, mplan_error *err);
/* n ends that ascend, as offsets behind `base`; none: -1 has no entries. */
mplan_status mplan_vtu_read_ends(vtu_reader *reader, const mplan_vtu_piece *piece, int32_t index,
                                 int64_t n, int64_t base, bool none, int64_t *to, mplan_error *err);
/* n whole numbers in [0, limit), to which base is added. */
mplan_status mplan_vtu_read_ids(vtu_reader *reader, const mplan_vtu_piece *piece, int32_t index,
                                int64_t n, int64_t base, int64_t limit, bool exact, int32_t *to,
                                mplan_error *err);

/* vtu_polyhedra.c: types are VTK's codes. */
bool mplan_vtu_has_polyhedra(const uint8_t *types, int64_t n);
mplan_status mplan_vtu_read_polyhedra(vtu_reader *reader, const mplan_vtu_piece *piece,
                                      mplan_error *err);

/* vtp.c: pieces of PolyData. Room for offsets, types and, behind them, points of cells is there. */
mplan_status mplan_vtu_read_section_ends(vtu_reader *reader, const mplan_vtu_piece *piece,
                                         mplan_error *err);
mplan_status mplan_vtu_read_section_points(vtu_reader *reader, const mplan_vtu_piece *piece,
                                           mplan_error *err);

#endif
