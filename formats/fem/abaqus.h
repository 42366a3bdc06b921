/* SPDX-License-Identifier: Apache-2.0 */
/* abaqus.h - the parts of the reader of Abaqus and CalculiX input files
 *
 * abaqus.c        keywords, nodes, elements, sets
 * abaqus_types.c  which cell an element type is
 *
 * Sources: Abaqus keywords reference and elements guide; G. Dhondt, CalculiX CrunchiX user's manual. */
#ifndef MPLAN_ABAQUS_H
#define MPLAN_ABAQUS_H

#include "meshplan.h"

/* The cell of an element type ("C3D8R"), and in order[k] where Gmsh's node k is among the element's. *skipped: the type
 * is known to have no shape, as springs and masses. False for what is not known. */
bool mplan_abaqus_type(const char *name, size_t length, mplan_cell_type *type, int8_t order[27],
                       bool *skipped);
/* Exodus's number of a side S1, S2, ... of a cell; 0: there is none. */
int32_t mplan_abaqus_side(mplan_cell_type type, int64_t side);

#endif
