/* SPDX-License-Identifier: Apache-2.0 */
/* xdmf.h - what the markup of an XDMF file says: grids, and where their numbers are
 *
 * xdmf_markup.c fills it, xdmf.c makes a mesh of it. */
#ifndef MPLAN_XDMF_H
#define MPLAN_XDMF_H

#include "base/memory.h"
#include "formats/format.h"

enum { MPLAN_XDMF_NAME = 128 };

typedef enum mplan_xdmf_form { MPLAN_XDMF_TEXT, MPLAN_XDMF_HDF, MPLAN_XDMF_BINARY } mplan_xdmf_form;
typedef enum mplan_xdmf_kind { MPLAN_XDMF_FLOAT, MPLAN_XDMF_INT, MPLAN_XDMF_UINT } mplan_xdmf_kind;

/* Numbers: in text[begin, end), or where these say. */
typedef struct mplan_xdmf_item {
    bool there, odd; /* odd: in a form that is not read */
    mplan_xdmf_form form;
    int64_t begin, end, line;
    int64_t n; /* how many by Dimensions; -1: it does not tell */
    /* of binary ones */
    mplan_xdmf_kind kind;
    int32_t precision; /* bytes of a number: 4 or 8, of whole numbers also 1 or 2 */
    bool swapped;      /* their order is not the machine's */
    int64_t seek;      /* bytes before them in the file */
} mplan_xdmf_item;

/* A number for each cell. */
typedef struct mplan_xdmf_attribute {
    char name[MPLAN_XDMF_NAME];
    bool whole;
    mplan_xdmf_item item;
} mplan_xdmf_attribute;

typedef struct mplan_xdmf_grid {
    char type[MPLAN_XDMF_NAME]; /* of the topology */
    int64_t nodes_per_element;
    int64_t base; /* BaseOffset: the number of the first node in the topology */
    int32_t axes; /* of the geometry: 2 or 3; 0: of another form */
    mplan_xdmf_item topology, geometry;
    int64_t first, last; /* attributes */
} mplan_xdmf_grid;

/* What the markup says. */
typedef struct mplan_xdmf {
    const mplan_input *input;
    const mplan_context *context;
    bool spatial;            /* there is a collection of parts */
    mplan_vector text;       /* of all items, one after the other */
    mplan_vector grids;      /* mplan_xdmf_grid, in the order of the file; collections are none */
    mplan_vector attributes; /* mplan_xdmf_attribute, of cells; those of a grid follow each other */
} mplan_xdmf;

/* "path:line: what" */
mplan_status mplan_xdmf_fail(const mplan_xdmf *file, int64_t line, mplan_status status,
                             const char *what, mplan_error *err);
/* Fills text, grids and attributes, whose sizes are set. */
mplan_status mplan_xdmf_parse(mplan_xdmf *file, mplan_error *err);
/* Numbers of the raw file `name`, which need not end by zero, as double: to is empty before. */
mplan_status mplan_xdmf_binary(const mplan_xdmf *file, const mplan_xdmf_item *item,
                               const char *name, size_t length, mplan_vector *to, mplan_error *err);

#endif
