/* SPDX-License-Identifier: Apache-2.0 */
/* op2_hdf5_layout.h - where the datasets of an OP2 file are, for readers of byte ranges
 *
 * The program that is linked to libhdf5 finds them, and answers with an array of these. */
#ifndef MPLAN_OP2_HDF5_LAYOUT_H
#define MPLAN_OP2_HDF5_LAYOUT_H

#include "formats/format.h"

enum { MPLAN_OP2_PLACE_NAME = 128 };

/* A dataset of the root group, as op2_hdf5_tables.h has them. */
typedef struct mplan_op2_place {
    char name[MPLAN_OP2_PLACE_NAME], from[MPLAN_OP2_PLACE_NAME], to[MPLAN_OP2_PLACE_NAME];
    char kind; /* 's' a set, 'm' a map, 'd' a dat */
    char type; /* 'i', 'u' or 'f' */
    uint8_t big_endian;
    uint8_t size;        /* bytes of a number */
    int32_t coordinates; /* whether it is named like those of a set */
    int64_t rows, cols;
    int64_t value; /* of a set: its size */
    int64_t at;    /* byte where its numbers begin; -1: they are not in one piece */
} mplan_op2_place;

/* All of them, in the order of their names, to a descriptor of base/shared_memory.h. Only in programs that have libhdf5. */
mplan_status mplan_op2_hdf5_layout(const mplan_input *input, int answer, mplan_error *err);

#endif
