/* SPDX-License-Identifier: Apache-2.0 */
/* vtk_join.h - pieces of one grid, which may share points and cells, as one */
#ifndef MPLAN_VTK_JOIN_H
#define MPLAN_VTK_JOIN_H

#include <string.h>

#include "formats/vtk/vtk.h"

typedef struct mplan_vtk_joiner mplan_vtk_joiner;

/* Whether cells that are those of another piece as well are told by an array of that name. */
static inline bool mplan_vtk_tells_ghosts(const char *name)
{
    return strcmp(name, "vtkGhostType") == 0 || strcmp(name, "vtkGhostLevels") == 0;
}

/* path: for messages; err: until the end. *made is to be freed, also after a failure. */
mplan_status mplan_vtk_join_begin(const char *path, mplan_vtk_joiner **made, mplan_error *err);
/* Adds a piece, whose points of cells and ends are in range; it stays the caller's. Its fields of ghosts are heeded. */
mplan_status mplan_vtk_join_piece(mplan_vtk_joiner *joiner, const mplan_vtk_cells *piece);
/* Hands the whole over to cells, zeroed but for group_array; a warning says how many points were joined. */
mplan_status mplan_vtk_join_end(mplan_vtk_joiner *joiner, mplan_vtk_cells *cells,
                                const mplan_context *context);
void mplan_vtk_join_free(mplan_vtk_joiner *joiner); /* may be NULL */

#endif
