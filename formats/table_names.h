/* SPDX-License-Identifier: Apache-2.0 */
/* table_names.h - what a mapping table is called when nobody says so */
#ifndef MPLAN_TABLE_NAMES_H
#define MPLAN_TABLE_NAMES_H

#include "meshplan.h"

/* Names of a map and its sets. */
typedef struct mplan_table_names {
    char *name, *from, *to; /* released by mplan_table_names_free */
} mplan_table_names;

/* Names as the options give them; what they leave open comes from the map's
 * name, then from the file's ("run/edges_cells.npy.gz": edges, cells), split at
 * its last underscore, or where both parts are sets of the mesh; and where that
 * says nothing the map is elements_points. MPLAN_ERR_MEMORY only. */
mplan_status mplan_table_names_find(const mplan_mesh *mesh, const char *path,
                                    const mplan_table_options *options, mplan_table_names *names,
                                    mplan_error *err);
void mplan_table_names_free(mplan_table_names *names);

#endif
