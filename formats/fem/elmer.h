/* SPDX-License-Identifier: Apache-2.0 */
/* elmer.h - the files of an Elmer mesh in memory, for its reader and its fuzz target */
#ifndef MPLAN_ELMER_H
#define MPLAN_ELMER_H

#include "formats/format.h"

enum {
    MPLAN_ELMER_HEADER,
    MPLAN_ELMER_NODES,
    MPLAN_ELMER_ELEMENTS,
    MPLAN_ELMER_BOUNDARY,
    MPLAN_ELMER_NAMES,
    MPLAN_ELMER_FILES
};

/* files: of MPLAN_ELMER_FILES; those that are not there have no data. mesh is empty on entry. */
mplan_status mplan_elmer_read(const mplan_input *files, const mplan_context *context,
                              mplan_mesh *mesh, mplan_error *err);

#endif
