/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_tree.h - groups, tables and attributes of an HDF5 file, all that readers of formats in HDF5 ask of libhdf5
 *
 * Paths are names between slashes, from the root. Tables are datasets of whole numbers, reals or text. What is allocated
 * is bounded by what the file could hold when it is inflated. */
#ifndef MPLAN_HDF5_TREE_H
#define MPLAN_HDF5_TREE_H

#include "formats/collection.h"
#include "formats/format.h"

enum {
    MPLAN_HDF5_NAME = 256,  /* a name, its final zero included; longer ones are skipped */
    MPLAN_HDF5_PATH = 1024, /* a path likewise */
    MPLAN_HDF5_RANK = 3     /* dimensions of a table; others are of no kind */
};

/* An HDF5 file that is read. */
typedef struct mplan_hdf5_tree {
    const mplan_input *input;
    const mplan_context *context;
    int64_t file;       /* the library's */
    int64_t most_bytes; /* of all that is read from one table */
    void *print, *data; /* who was told of the library's errors before */
} mplan_hdf5_tree;

/* What is at a path. All widths and byte orders of a class of numbers are one kind: the library converts them. */
typedef enum mplan_hdf5_kind {
    MPLAN_HDF5_NOTHING, /* also links to elsewhere, and what no reader here understands */
    MPLAN_HDF5_GROUP,
    MPLAN_HDF5_WHOLE,
    MPLAN_HDF5_REAL,
    MPLAN_HDF5_TEXT /* strings, or arrays of bytes as text */
} mplan_hdf5_kind;

/* length: rank numbers, 1 behind them; n: their product. */
typedef struct mplan_hdf5_shape {
    mplan_hdf5_kind kind;
    int32_t rank;
    int64_t length[MPLAN_HDF5_RANK], n;
} mplan_hdf5_shape;

/* hdf5_numbers.c; not in the list of formats. */
extern const mplan_file_format mplan_format_hdf5_numbers;

/* The signature at byte 0; what is behind a block of the user's is not looked for. */
bool mplan_hdf5_is_one(const uint8_t *data, size_t size);
/* Whether the file's first MiB has the word: for builds and processes without libhdf5. */
bool mplan_hdf5_has_word(const uint8_t *data, size_t size, const char *word);

/* Whether the file is HDF5 and has something at the path: opened where the library is, else by the word. */
bool mplan_hdf5_holds(const uint8_t *data, size_t size, const char *path, const char *word);

/* Opens the file and takes the library's lock, until the end. MPLAN_ERR_CORRUPT; then there is nothing to end. */
mplan_status mplan_hdf5_begin(mplan_hdf5_tree *tree, const mplan_input *input,
                              const mplan_context *context, mplan_error *err);
void mplan_hdf5_end(mplan_hdf5_tree *tree);
/* The end of a reader that collects: ends the tree, and where status is MPLAN_OK what was collected becomes the mesh. The
 * collection is released in any case. */
static inline mplan_status mplan_hdf5_end_collected(mplan_hdf5_tree *tree,
                                                    mplan_collection *collection, mplan_status status,
                                                    mplan_mesh *mesh, mplan_error *err)
{
    mplan_hdf5_end(tree);
    if (!status)
        status = mplan_collection_to_mesh(collection, mesh, err);
    mplan_collection_free(collection);
    return status;
}

/* What is at a path. shape may be NULL. */
mplan_hdf5_kind mplan_hdf5_look(const mplan_hdf5_tree *tree, const char *path,
                                mplan_hdf5_shape *shape);
/* How many names a group has; 0 of what is not a group. */
int64_t mplan_hdf5_n_names(const mplan_hdf5_tree *tree, const char *path);
/* Name i of the group, in the order of names; false for one that is too long or cannot be read. */
bool mplan_hdf5_name(const mplan_hdf5_tree *tree, const char *path, int64_t i,
                     char name[MPLAN_HDF5_NAME]);

/* All numbers of a table, from mplan_alloc, row by row. MPLAN_ERR_CORRUPT for anything else. */
mplan_status mplan_hdf5_whole(const mplan_hdf5_tree *tree, const char *path, int64_t **numbers,
                              mplan_hdf5_shape *shape, mplan_error *err);
/* Whole numbers count as reals. */
mplan_status mplan_hdf5_real(const mplan_hdf5_tree *tree, const char *path, double **numbers,
                             mplan_hdf5_shape *shape, mplan_error *err);
/* Strings or arrays of bytes one after the other, each filled up with zeros to *width bytes; shape->n of them. */
mplan_status mplan_hdf5_texts(const mplan_hdf5_tree *tree, const char *path, char **texts,
                              int64_t *width, mplan_hdf5_shape *shape, mplan_error *err);

/* An attribute that is one whole number, or the first of several; false if there is none. */
bool mplan_hdf5_attribute(const mplan_hdf5_tree *tree, const char *path, const char *name,
                          int64_t *value);
/* An attribute that is one text; empty and false if there is none, or none of less than `size` bytes. */
bool mplan_hdf5_text_attribute(const mplan_hdf5_tree *tree, const char *path, const char *name,
                               char *text, size_t size);

/* "FILE: TABLE: what"; the path is cut where it is long. */
mplan_status mplan_hdf5_fail(const mplan_hdf5_tree *tree, const char *path, mplan_status status,
                             const char *what, mplan_error *err);

#endif
