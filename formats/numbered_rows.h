/* SPDX-License-Identifier: Apache-2.0 */
/* numbered_rows.h - long lists of numbered nodes and elements, a row on each line, read by threads */
#ifndef MPLAN_NUMBERED_ROWS_H
#define MPLAN_NUMBERED_ROWS_H

#include "formats/numbered.h"
#include "formats/scan.h"

/* What a line of a list says, which one call of the reader of rows would add to the mesh. */
typedef struct mplan_numbered_row {
    int64_t number;
    double xyz[3];     /* of a node */
    int64_t nodes[27]; /* of an element, in the order of Gmsh */
    int64_t group;     /* likewise; 0: none */
} mplan_numbered_row;

/* Reads a row of a line, at whose first character the scanner is and with which it ends; several threads call it at a time. False:
 * it is not a whole row, or not a right one. */
typedef bool mplan_numbered_row_reader(const void *data, mplan_scanner *line,
                                       mplan_numbered_row *row);

/* Rows of nodes, or of elements of one type, from the scanner to `end`, which is in what it scans. */
typedef struct mplan_numbered_list {
    mplan_scanner *scan;
    const char *end;
    bool of_nodes;
    mplan_cell_type type; /* of elements */
    mplan_numbered_row_reader *read;
    const void *data;
    bool in_set; /* they are members of the last set, too */
} mplan_numbered_list;

/* Adds what the rows say, as long as each has a line of its own and is right; the scanner is behind them then. The caller reads on
 * row by row, so that the mesh, and what is said of faults, does not depend on how many threads there are. Nothing is read where
 * there is one thread, and of short lists. */
mplan_status mplan_numbered_read_rows(mplan_numbered *mesh, const mplan_numbered_list *list,
                                      const mplan_context *context, mplan_error *err);

#endif
