/* SPDX-License-Identifier: Apache-2.0 */
/* abaqus_rows.h - rows of nodes and of elements of Abaqus's files */
#ifndef MPLAN_ABAQUS_ROWS_H
#define MPLAN_ABAQUS_ROWS_H

#include "formats/numbered.h"
#include "formats/scan.h"

/* Numbers of nodes and elements lie below the number of their part. */
#define MPLAN_ABAQUS_PART_BITS 40
#define MPLAN_ABAQUS_MOST_NUMBER ((INT64_C(1) << MPLAN_ABAQUS_PART_BITS) - 1)

/* Passes blanks and a comma; true when the line goes on. */
bool mplan_abaqus_next_entry(mplan_scanner *scan);
/* A number of a node or element, with the part that it belongs to: numbers of two parts never
 * meet. Set only when all is well. */
mplan_status mplan_abaqus_number(mplan_scanner *scan, int64_t part, const char *what,
                                 int64_t *number, mplan_error *err);
/* A node a line; coordinates that are left out are 0. */
mplan_status mplan_abaqus_node(mplan_scanner *scan, int64_t part, int64_t *number, double xyz[3],
                               mplan_error *err);
/* The first rows of a block of data, at which the scanner is, as far as threads can read them; the caller reads on.
 * order: of elements, where Gmsh's node k is among the file's; NULL: of nodes. in_set: they are members of the last set. */
mplan_status mplan_abaqus_read_rows(mplan_scanner *scan, int64_t part, mplan_cell_type type,
                                    const int8_t *order, bool in_set, mplan_numbered *mesh,
                                    const mplan_context *context, mplan_error *err);

#endif
