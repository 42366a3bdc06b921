/* SPDX-License-Identifier: Apache-2.0 */
/* aflr3.h - what the files of AFLR3's format share
 *
 * aflr3.c         the format and its reader
 * aflr3_layout.c  which of the binary layouts a file has
 * aflr3_names.c   names of surfaces (.mapbc)
 * aflr3_write.c   the writer */
#ifndef MPLAN_AFLR3_H
#define MPLAN_AFLR3_H

#include "base/memory.h"
#include "formats/format.h"

/* What the header counts, in its order. */
enum {
    MPLAN_AFLR3_NODES,
    MPLAN_AFLR3_TRIS,
    MPLAN_AFLR3_QUADS,
    MPLAN_AFLR3_TETS,
    MPLAN_AFLR3_PYRAMIDS,
    MPLAN_AFLR3_PRISMS,
    MPLAN_AFLR3_HEXES,
    MPLAN_AFLR3_COUNTS
};

/* How numbers are stored in a binary file, which its name tells by a word before ".ugrid": b8 (big-endian), lb8 (little),
 * b8l and lb8l with 64-bit whole numbers, b4 and lb4 with 32-bit reals, r8, lr8, r4, lr4 in Fortran's records. */
typedef struct mplan_aflr3_layout {
    char word[8];
    int32_t whole_bytes, real_bytes;
    bool swapped; /* other byte order than the machine's */
    bool records; /* the header and all else between lengths of 4 bytes */
} mplan_aflr3_layout;

/* Where the header and the coordinates begin. */
static inline size_t mplan_aflr3_header_at(const mplan_aflr3_layout *layout)
{
    return layout->records ? 4 : 0;
}
static inline size_t mplan_aflr3_data_at(const mplan_aflr3_layout *layout)
{
    return (size_t)(MPLAN_AFLR3_COUNTS * layout->whole_bytes + (layout->records ? 12 : 0));
}

/* The type that AFLR3 has for each count but that of the nodes. */
mplan_cell_type mplan_aflr3_type(int32_t count);
/* The layout of that word; false without one. */
bool mplan_aflr3_layout_of(const char *word, size_t length, mplan_aflr3_layout *layout);
/* The word before the last ending of a path, "lb8"; *length 0 without one. */
const char *mplan_aflr3_word(const char *path, size_t *length);
/* The layout with which the file's header, its size and its first numbers agree. False: of the layouts in which
 * the header can be one, that which the path names, else that in which it says least; a word "" where there is none. */
bool mplan_aflr3_find_layout(const uint8_t *data, size_t size, const char *path,
                             mplan_aflr3_layout *layout, int64_t count[MPLAN_AFLR3_COUNTS]);
/* Bytes of a file of this header, up to its last cell. */
double mplan_aflr3_bytes(const mplan_aflr3_layout *layout, const int64_t count[MPLAN_AFLR3_COUNTS]);

/* The name of a surface in a .mapbc file. */
typedef struct mplan_aflr3_name {
    int64_t id;
    const char *name;
    size_t length;
} mplan_aflr3_name;
/* Appends those of the file: rows of a number, a boundary condition and, last in the row, a name. Other rows are
 * skipped. */
mplan_status mplan_aflr3_read_names(const mplan_input *input, mplan_vector *names, mplan_error *err);

mplan_status mplan_aflr3_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                               const mplan_context *context, mplan_error *err);

#endif
