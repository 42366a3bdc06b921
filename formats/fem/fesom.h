/* SPDX-License-Identifier: Apache-2.0 */
/* fesom.h - the files of a FESOM2 mesh in memory, for its reader and its fuzz target */
#ifndef MPLAN_FESOM_H
#define MPLAN_FESOM_H

#include "formats/format.h"

enum {
    MPLAN_FESOM_NODES,    /* nod2d.out */
    MPLAN_FESOM_ELEMENTS, /* elem2d.out */
    MPLAN_FESOM_DEPTHS,   /* aux3d.out */
    MPLAN_FESOM_ELVLS,
    MPLAN_FESOM_NLVLS,
    MPLAN_FESOM_CAVITY_ELVLS,
    MPLAN_FESOM_CAVITY_NLVLS,
    MPLAN_FESOM_EDGENUM,
    MPLAN_FESOM_EDGES,
    MPLAN_FESOM_EDGE_TRI,
    MPLAN_FESOM_FILES
};

/* files: of MPLAN_FESOM_FILES; those that are not there have no data. mesh is empty on entry. */
mplan_status mplan_fesom_read(const mplan_input *files, const mplan_context *context,
                              mplan_mesh *mesh, mplan_error *err);

#endif
