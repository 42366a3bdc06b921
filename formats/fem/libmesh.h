/* SPDX-License-Identifier: Apache-2.0 */
/* libmesh.h - the items of libMesh's files, which are text (.xda) or XDR (.xdr): libmesh_items.c */
#ifndef MPLAN_LIBMESH_H
#define MPLAN_LIBMESH_H

#include "formats/scan.h"

/* A file that is read item by item. Binary numbers are big-endian, in 4 bytes and multiples of it. */
typedef struct mplan_libmesh_items {
    mplan_scanner scan; /* of binary files only `at` moves */
    bool binary;
    int32_t width; /* bytes of a whole number in streams: 4 or 8 */
} mplan_libmesh_items;

/* A word or text in the file, not ended by zero. */
typedef struct mplan_libmesh_text {
    const char *at;
    size_t length;
} mplan_libmesh_text;

/* Begins at the first byte; text or XDR is told by it. False: not a file of libMesh. */
bool mplan_libmesh_begin(mplan_libmesh_items *items, const mplan_input *input);

/* "path:line: " or "path: byte N: ". */
#define mplan_libmesh_fail(items, ...) \
    mplan_scan_fail_at(&(items)->scan, (items)->scan.at, (items)->binary, __VA_ARGS__)

/* An item of its own: of text files the rest of its line is a comment. `width`: its bytes in binary files. */
mplan_status mplan_libmesh_whole(mplan_libmesh_items *items, int32_t width, const char *what,
                                 int64_t *value, mplan_error *err);
/* Text up to a tab or blank, or the end of its line. */
mplan_status mplan_libmesh_line(mplan_libmesh_items *items, const char *what,
                                mplan_libmesh_text *text, mplan_error *err);
/* The length of a vector, which must be in the file; then its members, then what ends it. */
mplan_status mplan_libmesh_vector(mplan_libmesh_items *items, const char *what, int64_t *n,
                                  mplan_error *err);
mplan_status mplan_libmesh_word(mplan_libmesh_items *items, const char *what,
                                mplan_libmesh_text *text, mplan_error *err);
void mplan_libmesh_end_vector(mplan_libmesh_items *items);
/* Numbers of streams and vectors. */
mplan_status mplan_libmesh_next(mplan_libmesh_items *items, int32_t width, const char *what,
                                int64_t *value, mplan_error *err);
mplan_status mplan_libmesh_real(mplan_libmesh_items *items, const char *what, double *value,
                                mplan_error *err);
/* Whether n items of so many bytes (in text 2 each) can be in what is left: MPLAN_ERR_CORRUPT. */
mplan_status mplan_libmesh_room(const mplan_libmesh_items *items, const char *what, int64_t n,
                                int64_t bytes, mplan_error *err);

/* libmesh_header.c: what the file has; of nodes and elements further whole numbers each. */
typedef struct mplan_libmesh_header {
    int64_t version; /* 10000 a + 100 b + c of a.b.c */
    int64_t n_elements, n_nodes;
    bool conditions, partition, subdomains, p_levels, unique_ids;
    int64_t element_values, node_values;
} mplan_libmesh_header;

mplan_status mplan_libmesh_read_header(mplan_libmesh_items *items, mplan_libmesh_header *header,
                                       mplan_error *err);
/* Bytes of the numbers in headers. */
static inline int32_t mplan_libmesh_header_width(const mplan_libmesh_header *header)
{
    return header->version >= 10300 ? 8 : 4;
}
/* A count in such a number; its items of `bytes` each can be in the file. */
mplan_status mplan_libmesh_count(mplan_libmesh_items *items, const mplan_libmesh_header *header,
                                 const char *what, int64_t bytes, int64_t *n, mplan_error *err);
/* Passes n whole numbers of a stream. */
mplan_status mplan_libmesh_skip(mplan_libmesh_items *items, const char *what, int64_t n,
                                mplan_error *err);

#endif
