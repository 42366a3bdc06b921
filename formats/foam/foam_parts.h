/* SPDX-License-Identifier: Apache-2.0 */
/* foam_parts.h - the parts of the reader of OpenFOAM's meshes
 *
 * Source: OpenFOAM's user guide, "Mesh description", and its programmer's guide on lists and the
 * header FoamFile; sizes of binary numbers as the header's entry `arch` gives them. */
#ifndef MPLAN_FOAM_PARTS_H
#define MPLAN_FOAM_PARTS_H

#include "base/memory.h"
#include "formats/input.h"

/* One file of a polyMesh folder. Release with mplan_foam_close. */
typedef struct mplan_foam_file {
    char *path;
    mplan_input_file opened;
    const char *begin, *at, *end;
    bool binary, swapped;              /* the latter: binary numbers are big-endian */
    int32_t label_bytes, scalar_bytes; /* of binary numbers: 4 or 8 */
    char kind[64];                     /* the header's class */
    bool data_binary; /* of collated files: what their blocks are, "" where they say it themselves */
    char data_kind[64];
    const mplan_context *context;
} mplan_foam_file;

/* Opens folder/name, or folder/name.gz, and reads its header up to where the data begin. */
mplan_status mplan_foam_open(const char *folder, const char *name, const mplan_context *context,
                             mplan_foam_file *file, mplan_error *err);
/* The same from memory. */
mplan_status mplan_foam_open_input(const mplan_input *input, const mplan_context *context,
                                   mplan_foam_file *file, mplan_error *err);
void mplan_foam_close(mplan_foam_file *file);
/* Whether a header FoamFile is next; reads it, to where the data begin. */
bool mplan_foam_has_header(const mplan_foam_file *file);
mplan_status mplan_foam_read_header(mplan_foam_file *file, mplan_error *err);

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

/* What is behind a patch: nothing; in a part of a decomposed case another part; or, there, a part through a
 * patch of the whole case, which `refers` names. */
typedef enum mplan_foam_side {
    MPLAN_FOAM_OUTSIDE,
    MPLAN_FOAM_PART,
    MPLAN_FOAM_CYCLIC_PART
} mplan_foam_side;

/* A patch: n faces from `first` on. */
typedef struct mplan_foam_read_patch {
    char *name, *refers; /* refers: of CYCLIC_PART, else NULL */
    int64_t first, n;    /* faces */
    mplan_foam_side side;
} mplan_foam_read_patch;

/* A patch belongs to a group of patches. */
typedef struct mplan_foam_membership {
    char *group;
    int64_t patch;
} mplan_foam_membership;

/* The file `boundary`: patches, and which groups name them (inGroups). Release with mplan_foam_boundary_free. */
typedef struct mplan_foam_boundary {
    mplan_vector patches;     /* mplan_foam_read_patch */
    mplan_vector memberships; /* mplan_foam_membership */
} mplan_foam_boundary;
#define MPLAN_FOAM_BOUNDARY_INIT                             \
    {                                                        \
        MPLAN_VECTOR_INIT(sizeof(mplan_foam_read_patch)),    \
            MPLAN_VECTOR_INIT(sizeof(mplan_foam_membership)) \
    }

/* Reads them; faces [n_inner, n_faces) are on the boundary, each in one patch. part: of a decomposed case, or else a
 * patch with another part behind it is an error. */
mplan_status mplan_foam_take_boundary(mplan_foam_file *file, int64_t n_inner, int64_t n_faces,
                                      bool part, mplan_foam_boundary *patches, mplan_error *err);
/* Makes patches groups of boundary_faces, and groups of patches groups, too. Also the ids of boundary faces. */
mplan_status mplan_foam_add_boundary(mplan_foam_boundary *patches, int64_t n_inner, int64_t n_faces,
                                     mplan_mesh *mesh, mplan_error *err);
void mplan_foam_boundary_free(mplan_foam_boundary *patches);

/* Zones of cells, faces or points, which become groups. */
typedef enum mplan_foam_zoned {
    MPLAN_FOAM_ZONED_CELLS,
    MPLAN_FOAM_ZONED_FACES,
    MPLAN_FOAM_ZONED_POINTS,
    MPLAN_FOAM_N_ZONED
} mplan_foam_zoned;

typedef struct mplan_foam_zone {
    char *name;
    mplan_foam_zoned of;
    mplan_vector members; /* int32_t */
} mplan_foam_zone;

/* Reads a file cellZones, faceZones or pointZones; members are in [0, most). number: of the whole case's member for
 * each of a part, NULL: the same (of faces ~number: it is turned there). Zones of a name that is there already get
 * the members, too. zones: of mplan_foam_zone. */
mplan_status mplan_foam_take_zones(mplan_foam_file *file, mplan_foam_zoned of, int64_t most,
                                   const int32_t *number, mplan_vector *zones, mplan_error *err);
/* Groups of cells and nodes, and of faces inside and on the boundary; those of faces are numbered behind the
 * groups of patches. */
mplan_status mplan_foam_add_zones(mplan_vector *zones, int64_t n_inner, mplan_mesh *mesh,
                                  mplan_error *err);
void mplan_foam_zones_free(mplan_vector *zones);

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

/* The files of a mesh; zones may be missing, addresses are of parts of a decomposed case. */
enum {
    MPLAN_FOAM_POINTS,
    MPLAN_FOAM_FACES,
    MPLAN_FOAM_OWNER,
    MPLAN_FOAM_NEIGHBOUR,
    MPLAN_FOAM_BOUNDARY,
    MPLAN_FOAM_CELL_ZONES,
    MPLAN_FOAM_FACE_ZONES,
    MPLAN_FOAM_POINT_ZONES,
    MPLAN_FOAM_POINT_ADDRESSES,
    MPLAN_FOAM_FACE_ADDRESSES,
    MPLAN_FOAM_CELL_ADDRESSES,
    MPLAN_FOAM_FILES
};

/* Where the files are: in a folder, in memory (an input without bytes is missing), or, of a decomposed case that is
 * collated, as the blocks of files that are open, where the next block is next. */
typedef struct mplan_foam_source {
    const char *folder;
    const mplan_input *inputs;        /* NULL or MPLAN_FOAM_FILES of them */
    struct mplan_foam_blocks *blocks; /* or NULL */
    bool part;                        /* of a decomposed case */
    const mplan_context *context;
} mplan_foam_source;

/* Opens one of the files. found NULL: it has to be there. */
mplan_status mplan_foam_open_source(const mplan_foam_source *source, int32_t which,
                                    mplan_foam_file *file, bool *found, mplan_error *err);
/* Points, faces, owner and neighbour. */
mplan_status mplan_foam_read_lists(const mplan_foam_source *source, mplan_foam_mesh *foam,
                                   mplan_error *err);
/* Gives the mesh what foam has: sets, maps, coordinates. */
mplan_status mplan_foam_add_mesh(mplan_foam_mesh *foam, const char *path, mplan_mesh *mesh,
                                 const mplan_context *context, mplan_error *err);

/* The groups of a mesh that has its sets: patches, and zones of the files that there are. Of foam only the sizes are looked at. */
mplan_status mplan_foam_read_groups(const mplan_foam_source *source, const mplan_foam_mesh *foam,
                                    mplan_mesh *mesh, mplan_error *err);

/* Reads a mesh from where the source says: whole, or, where inputs are of class decomposedBlockData, of its parts. */
mplan_status mplan_foam_read(const mplan_foam_source *source, mplan_mesh *mesh, mplan_error *err);

/* --- decomposed cases ------------------------------------------------------------------ */

/* The folders of a case's parts: processor0 ..., or, collated, processors4 or processors4_0-1, processors4_2-3.
 * Numbers of parts need not be known of collated ones. */
typedef struct mplan_foam_decomposed {
    char *const *folders; /* with the mesh in them */
    int64_t n;
    bool collated;
} mplan_foam_decomposed;
/* inputs: in place of the folders, collated; or NULL. Parts without addresses are MPLAN_ERR_UNSUPPORTED. */
mplan_status mplan_foam_read_decomposed(const mplan_foam_decomposed *parts, const mplan_input *inputs,
                                        const char *path, const mplan_context *context,
                                        mplan_mesh *mesh, mplan_error *err);

/* Files of class decomposedBlockData: each block is a file of its own, whose header is that of the first block
 * where it has none. */
typedef struct mplan_foam_blocks {
    mplan_foam_file whole[MPLAN_FOAM_FILES]; /* begun where the next block is */
    bool there[MPLAN_FOAM_FILES];
    mplan_foam_file first[MPLAN_FOAM_FILES]; /* header of the first block; it has no bytes */
} mplan_foam_blocks;

mplan_status mplan_foam_blocks_open(const mplan_foam_source *source, mplan_foam_blocks *blocks,
                                    mplan_error *err);
bool mplan_foam_blocks_more(mplan_foam_blocks *blocks, int32_t which);
void mplan_foam_blocks_close(mplan_foam_blocks *blocks);

/* foam_folder.c: what a path that was given leads to. */
typedef struct mplan_foam_case {
    char *folder; /* polyMesh; NULL: the case is decomposed */
    mplan_foam_decomposed parts;
    mplan_vector names; /* char *: the parts' folders */
} mplan_foam_case;
bool mplan_foam_recognise_folder(const char *path);
/* zone: a region of the case, or NULL. */
mplan_status mplan_foam_find(const mplan_input *input, const char *zone, mplan_foam_case *found,
                             const mplan_context *context, mplan_error *err);
void mplan_foam_case_free(mplan_foam_case *found);

#endif
