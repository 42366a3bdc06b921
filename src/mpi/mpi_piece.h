/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_piece.h - what came to a rank as a mesh, and the halos of its parts in it; not collective but mpi_piece_exports */
#ifndef MPLAN_MPI_PIECE_H
#define MPLAN_MPI_PIECE_H

#include "mpi/mpi_move.h"

/* A mesh with the sets and maps of `head`, under their numbers: those of planning have what came, all others nothing. Fills
 * ids, owner and member of `parts`, whose base, begin and end are there, and makes the mesh that of parts->whole. *piece is
 * the caller's, also after a failure. */
mplan_status mpi_piece_make(mpi_move *move, const mplan_mesh *head, mplan_parts *parts,
                            mplan_mesh **piece, mplan_error *err);
/* Takes back what mpi_piece_make and mplan_parts_find_halos made, so that they may be called again. */
void mpi_piece_undo(mpi_move *move, mplan_parts *parts, mplan_mesh **piece);
/* Members of the halos of parts [begin, end) that are there by number only; lacking: by set. */
mplan_status mpi_piece_lacking(const mplan_parts *parts, mplan_vector *lacking, mplan_error *err);
/* Collective: the halos of other ranks' parts, as far as [begin, end) export into them. first: parts of each rank. Halos of
 * [begin, end) have their reads by now. */
mplan_status mpi_piece_exports(MPI_Comm comm, const int64_t *first, mplan_parts *parts,
                               mplan_error *err);

#endif
