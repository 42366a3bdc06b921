/* SPDX-License-Identifier: Apache-2.0 */
/* exodus_types.h - which type of cell a word of Exodus II means */
#ifndef MPLAN_EXODUS_TYPES_H
#define MPLAN_EXODUS_TYPES_H

#include "meshplan.h"

/* Whether text begins `with`, which is in lower case; text may be in either. */
bool mplan_exodus_begins(const char *text, const char *with);
/* The type of elements of that elem_type with so many nodes; MPLAN_N_CELL_TYPES: there is none. */
mplan_cell_type mplan_exodus_type(const char *kind, int64_t n_nodes);

#endif
