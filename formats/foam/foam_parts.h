/* SPDX-License-Identifier: Apache-2.0 */
/* foam_parts.h - the parts of the reader of OpenFOAM's meshes
 *
 * Source: OpenFOAM's user guide, "Mesh description", and its programmer's guide on lists and the
 * header FoamFile; sizes of binary numbers as the header's entry `arch` gives them. */
#ifndef MPLAN_FOAM_PARTS_H
#define MPLAN_FOAM_PARTS_H

#include "formats/input.h"

/* One file of a polyMesh folder. Release with mplan_foam_close. */
typedef struct mplan_foam_file {
    char *path;
    mplan_input_file opened;
    const char *begin, *at, *end;
    bool binary, swapped;              /* the latter: binary numbers are big-endian */
    int32_t label_bytes, scalar_bytes; /* of binary numbers: 4 or 8 */
    char kind[64];                     /* the header's class */
    const mplan_context *context;
} mplan_foam_file;

/* Opens folder/name, or folder/name.gz, and reads its header up to where the data begin. */
mplan_status mplan_foam_open(const char *folder, const char *name, const mplan_context *context,
                             mplan_foam_file *file, mplan_error *err);
/* The same from memory. */
mplan_status mplan_foam_open_input(const mplan_input *input, const mplan_context *context,
                                   mplan_foam_file *file, mplan_error *err);
void mplan_foam_close(mplan_foam_file *file);

/* "path:line: ", or of binary files "path: byte N: ", and the message. */
#if defined __GNUC__
__attribute__((format(printf, 4, 5)))
#endif
mplan_status
mplan_foam_fail(const mplan_foam_file *file, mplan_error *err, mplan_status status,
                const char *format, ...);

static inline bool mplan_foam_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Passes white space and comments; false at the end of the file. */
bool mplan_foam_skip(mplan_foam_file *file);
/* A word, a number, a string with its quotes removed, or one of ( ) { } ; in *text. False at the end. */
typedef struct mplan_foam_token {
    const char *text;
    size_t length;
    bool mark; /* one of ( ) { } ; */
} mplan_foam_token;
bool mplan_foam_take(mplan_foam_file *file, mplan_foam_token *token);
bool mplan_foam_is(const mplan_foam_token *token, const char *text);
/* Whether the next byte is `mark`, which is then passed. */
bool mplan_foam_takes(mplan_foam_file *file, char mark);
/* A count, at least 0. */
mplan_status mplan_foam_count(mplan_foam_file *file, const char *what, int64_t *count,
                              mplan_error *err);
/* A whole number of text, which ends at a blank, a mark or the end of the file. */
mplan_status mplan_foam_label(mplan_foam_file *file, const char *what, int64_t *value,
                              mplan_error *err);
/* The next byte is `mark`, or the error says that it was expected. */
mplan_status mplan_foam_need_mark(mplan_foam_file *file, char mark, mplan_error *err);
/* MPLAN_ERR_CORRUPT: "expected WHAT, found ..." with the word that is there. */
mplan_status mplan_foam_fail_expected(mplan_foam_file *file, const char *what, mplan_error *err);
/* Behind the data nothing may follow. */
mplan_status mplan_foam_end(mplan_foam_file *file, mplan_error *err);

/* A list of at most most_entries labels (a bound also for `n{value}`, which is short in the file), each in
 * [least, most): *values from mplan_alloc. */
mplan_status mplan_foam_labels(mplan_foam_file *file, const char *what, int64_t least, int64_t most,
                               int64_t most_entries, int32_t **values, int64_t *n, mplan_error *err);
/* A list of points, three numbers each, finite. */
mplan_status mplan_foam_points(mplan_foam_file *file, double **xyz, int64_t *n, mplan_error *err);
/* A list of faces, in either form, of points in [0, n_points): offsets has n + 1 entries. */
mplan_status mplan_foam_faces(mplan_foam_file *file, int64_t n_points, int64_t **offsets,
                              int32_t **nodes, int64_t *n, mplan_error *err);

/* The patches as groups of boundary_faces, and groups of patches (inGroups). Faces [n_inner, n_faces) are on
 * the boundary. Also the ids of boundary faces. */
mplan_status mplan_foam_boundary(mplan_foam_file *file, int64_t n_inner, int64_t n_faces,
                                 mplan_mesh *mesh, mplan_error *err);

/* Faces with the cells on their two sides. All arrays are from mplan_alloc. */
typedef struct mplan_foam_mesh {
    int64_t n_points, n_faces, n_inner, n_cells;
    double *xyz;
    int64_t *offsets; /* n_faces + 1: of nodes */
    int32_t *nodes;
    int32_t *owner, *neighbour; /* n_faces, n_inner */
} mplan_foam_mesh;

/* Adds the sets nodes and cells, and cells_nodes: cells with types where all are tets, pyramids, prisms or
 * hexahedra, else rows of the nodes that their faces bring, each once. path: for messages. */
mplan_status mplan_foam_add_cells(const mplan_foam_mesh *foam, const char *path, mplan_mesh *mesh,
                                  const mplan_context *context, mplan_error *err);

/* Adds the sets faces, of those inside, and boundary_faces with their maps. Offsets and nodes of the faces move to the
 * mesh. */
mplan_status mplan_foam_add_faces(mplan_foam_mesh *foam, mplan_mesh *mesh, mplan_error *err);
void mplan_foam_free_mesh(mplan_foam_mesh *foam);

/* The format's `write_folder`: path is the polyMesh folder itself. foam_write.c */
mplan_status mplan_foam_write(const mplan_mesh *mesh, const char *path,
                              const mplan_context *context, mplan_error *err);

enum { MPLAN_FOAM_PARTS = 5 };
/* Reads a mesh from a folder, or (parts not NULL) from the files points, faces, owner, neighbour and boundary
 * in memory. */
mplan_status mplan_foam_read(const char *folder, const mplan_input *parts,
                             const mplan_context *context, mplan_mesh *mesh, mplan_error *err);

#endif
