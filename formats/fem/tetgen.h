/* SPDX-License-Identifier: Apache-2.0 */
/* tetgen.h - the reader of TetGen's and Triangle's files, which are several for one mesh */
#ifndef MPLAN_TETGEN_H
#define MPLAN_TETGEN_H

#include "formats/format.h"

enum {
    MPLAN_TETGEN_NODE,
    MPLAN_TETGEN_ELE,
    MPLAN_TETGEN_FACE, /* of tets */
    MPLAN_TETGEN_EDGE, /* of triangles */
    MPLAN_TETGEN_PARTS
};

/* Reads a mesh from its files; those of faces and edges may lack (data NULL). */
mplan_status mplan_tetgen_read(const mplan_input parts[MPLAN_TETGEN_PARTS],
                               const mplan_context *context, mplan_mesh *mesh, mplan_error *err);

#endif
