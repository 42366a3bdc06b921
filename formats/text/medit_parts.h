/* SPDX-License-Identifier: Apache-2.0 */
/* medit_parts.h - what the readers of medit's text and binary files share */
#ifndef MPLAN_MEDIT_PARTS_H
#define MPLAN_MEDIT_PARTS_H

#include "formats/collection.h"

/* A section of nodes (type MPLAN_CELL_POINT) or of cells. */
typedef struct mplan_medit_section {
    const char *keyword; /* in text */
    int32_t code;        /* in binary files */
    mplan_cell_type type;
} mplan_medit_section;

/* NULL for a section that is skipped. */
const mplan_medit_section *mplan_medit_by_keyword(const char *keyword, size_t length);
const mplan_medit_section *mplan_medit_by_code(int32_t code);
/* The section of a cell type; NULL: the format has none. */
const mplan_medit_section *mplan_medit_by_type(mplan_cell_type type);
/* Puts the nodes of a cell of second order, as the format has them, into Gmsh's order. */
void mplan_medit_order(mplan_cell_type type, int32_t *nodes);
/* Cells that are not supported: of higher order, polygons, polyhedra. */
bool mplan_medit_refused_keyword(const char *keyword, size_t length);
const char *mplan_medit_refused_code(int32_t code);

/* The binary reader: the collection is filled. medit_binary.c */
mplan_status mplan_medit_read_binary(const mplan_input *input, mplan_collection *collection,
                                     mplan_error *err);
/* True when a file begins as a binary one does. */
bool mplan_medit_recognise_binary(const uint8_t *data, size_t size);

/* The format's `write`. medit_write.c */
mplan_status mplan_medit_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                               const mplan_context *context, mplan_error *err);

#endif
