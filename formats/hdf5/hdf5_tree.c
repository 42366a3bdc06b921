/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_tree.c - paths of an HDF5 file, by libhdf5
 *
 * libhdf5 has one state for the process: it is locked, and what it prints is silenced, until the file is closed. */
#include "formats/hdf5/hdf5_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/hdf5_image.h"
#include "formats/library_lock.h"

#ifdef MPLAN_HAVE_HDF5

/* MOST_DEFLATED: bytes that deflate makes of one at best. MOST_TEXT: bytes of one text of a table; of variable
 * length, longer ones are cut, of fixed length the table is refused. */
enum { MOST_DEFLATED = 1032, MOST_TEXT = 4096 };

/* Holds the lock of the library until mplan_hdf5_end, which must follow also after errors of
 * other calls (not after an error of this one). HDF5's own messages are off meanwhile. */
mplan_status mplan_hdf5_begin(mplan_hdf5_tree *tree, const mplan_input *input,
                              const mplan_context *context, mplan_error *err)
{
    H5E_auto2_t print = NULL;
    /* a quarter of what deflate could make of the file */
    int64_t most = input->size > (size_t)INT64_MAX / MOST_DEFLATED
                       ? INT64_MAX
                       : (int64_t)input->size * MOST_DEFLATED / 4;
    *tree = (mplan_hdf5_tree){.input = input, .context = context, .most_bytes = most};
    mplan_library_lock();
    H5Eget_auto2(H5E_DEFAULT, &print, &tree->data);
    memcpy(&tree->print, &print, sizeof print);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    tree->file = mplan_hdf5_open_image(input);
    if (tree->file >= 0)
        return MPLAN_OK;
    mplan_hdf5_end(tree);
    return mplan_fail(err, MPLAN_ERR_CORRUPT,
                      "%s: the HDF5 file cannot be opened: it is damaged or truncated", input->path);
}

/* Gives HDF5's messages back to whom they went to before. mplan_hdf5_begin calls it, too, where the file cannot be
 * opened: file is negative then. */
void mplan_hdf5_end(mplan_hdf5_tree *tree)
{
    H5E_auto2_t print = NULL;
    if (tree->file >= 0)
        H5Fclose((hid_t)tree->file);
    memcpy(&print, &tree->print, sizeof print);
    H5Eset_auto2(H5E_DEFAULT, print, tree->data);
    mplan_library_unlock();
}

/* The object of a path; links to other files and by name are not followed. Negative without one. */
static hid_t open_path(const mplan_hdf5_tree *tree, const char *path)
{
    char part[MPLAN_HDF5_PATH];
    size_t length = strlen(path);
    if (length >= sizeof part)
        return -1;
    for (size_t at = 0; at < length;) {
        at += strspn(path + at, "/");
        at += strcspn(path + at, "/");
        memcpy(part, path, at);
        part[at] = '\0';
        H5L_info_t link;
        if (strspn(part, "/") < at && (H5Lget_info((hid_t)tree->file, part, &link, H5P_DEFAULT) < 0 ||
                                       link.type != H5L_TYPE_HARD))
            return -1;
    }
    return H5Oopen((hid_t)tree->file, length ? path : "/", H5P_DEFAULT);
}

/* What numbers of this type are.
 * An array of bytes counts as text: MED keeps the names of groups so. */
static mplan_hdf5_kind kind_of_type(hid_t type)
{
    switch (H5Tget_class(type)) {
    case H5T_INTEGER: return MPLAN_HDF5_WHOLE;
    case H5T_FLOAT: return MPLAN_HDF5_REAL;
    case H5T_STRING: return MPLAN_HDF5_TEXT;
    case H5T_ARRAY: {
        hid_t inner = H5Tget_super(type);
        bool bytes = inner >= 0 && H5Tget_class(inner) == H5T_INTEGER && H5Tget_size(inner) == 1;
        if (inner >= 0)
            H5Tclose(inner);
        return bytes ? MPLAN_HDF5_TEXT : MPLAN_HDF5_NOTHING;
    }
    default: return MPLAN_HDF5_NOTHING;
    }
}

/* Kind and lengths of a dataset, of no more numbers than the file can hold.
 * A length, or the product of all, above most_bytes makes it NOTHING, as do more than MPLAN_HDF5_RANK dimensions:
 * nobody allocates for it. A scalar has rank 0 and one number. */
static void look_at(const mplan_hdf5_tree *tree, hid_t dataset, mplan_hdf5_shape *shape)
{
    hsize_t length[MPLAN_HDF5_RANK] = {1, 1, 1};
    hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    bool sound = rank >= 0 && rank <= MPLAN_HDF5_RANK && type >= 0 &&
                 H5Sget_simple_extent_dims(space, length, NULL) >= 0;
    *shape = (mplan_hdf5_shape){.rank = rank, .length = {1, 1, 1}, .n = 1};
    for (int d = 0; d < MPLAN_HDF5_RANK && sound; d++) {
        sound = length[d] <= (uint64_t)tree->most_bytes;
        shape->length[d] = (int64_t)length[d];
        if (sound && shape->length[d] > 0)
            sound = shape->n <= tree->most_bytes / shape->length[d];
        shape->n *= sound ? shape->length[d] : 0;
    }
    shape->kind = sound ? kind_of_type(type) : MPLAN_HDF5_NOTHING;
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
}

/* What is at `path`, without reading it. shape may be NULL. A link that leads nowhere, or out
 * of the file, is nothing. */
mplan_hdf5_kind mplan_hdf5_look(const mplan_hdf5_tree *tree, const char *path, mplan_hdf5_shape *shape)
{
    mplan_hdf5_shape found = {.kind = MPLAN_HDF5_NOTHING};
    hid_t object = open_path(tree, path);
    if (object >= 0) {
        H5I_type_t type = H5Iget_type(object);
        if (type == H5I_GROUP)
            found.kind = MPLAN_HDF5_GROUP;
        if (type == H5I_DATASET)
            look_at(tree, object, &found);
        H5Oclose(object);
    }
    if (shape)
        *shape = found;
    return found.kind;
}

/* By the path itself: words may be behind a large table. A file that cannot be opened is told by the word. */
bool mplan_hdf5_holds(const uint8_t *data, size_t size, const char *path, const char *word)
{
    const mplan_input input = {.path = "", .data = data, .size = size};
    mplan_hdf5_tree tree;
    if (!mplan_hdf5_is_one(data, size))
        return false;
    if (mplan_hdf5_begin(&tree, &input, NULL, NULL))
        return mplan_hdf5_has_word(data, size, word);
    bool found = mplan_hdf5_look(&tree, path, NULL) != MPLAN_HDF5_NOTHING;
    mplan_hdf5_end(&tree);
    return found;
}

/* Members of a group, 0 where the path is not one. */
int64_t mplan_hdf5_n_names(const mplan_hdf5_tree *tree, const char *path)
{
    H5G_info_t about = {.nlinks = 0};
    hid_t group = open_path(tree, path);
    if (group < 0)
        return 0;
    if (H5Iget_type(group) != H5I_GROUP || H5Gget_info(group, &about) < 0)
        about.nlinks = 0;
    H5Oclose(group);
    return about.nlinks < INT32_MAX ? (int64_t)about.nlinks : INT32_MAX;
}

/* Name i of the group in the order of names, which does not depend on how the file was written.
 * false: no such member, or the name is too long. */
bool mplan_hdf5_name(const mplan_hdf5_tree *tree, const char *path, int64_t i,
                     char name[MPLAN_HDF5_NAME])
{
    hid_t group = open_path(tree, path);
    ssize_t length = 0;
    if (group >= 0) {
        length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, (hsize_t)i, name,
                                    MPLAN_HDF5_NAME, H5P_DEFAULT);
        H5Oclose(group);
    }
    return length > 0 && length < MPLAN_HDF5_NAME;
}

/* All of a table, in the library's type `as`, `size` bytes a number.
 * real: a table of reals will do, too. The library converts from the width and byte order of the file. *numbers:
 * shape->n of them from mplan_alloc; NULL after a failure. */
static mplan_status read_table(const mplan_hdf5_tree *tree, const char *path, hid_t as, size_t size,
                               bool real, void **numbers, mplan_hdf5_shape *shape, mplan_error *err)
{
    mplan_hdf5_kind kind = mplan_hdf5_look(tree, path, shape);
    *numbers = NULL;
    if (kind == MPLAN_HDF5_NOTHING)
        return mplan_hdf5_fail(tree, path, MPLAN_ERR_CORRUPT, "is missing", err);
    if (kind != MPLAN_HDF5_WHOLE && !(real && kind == MPLAN_HDF5_REAL))
        return mplan_hdf5_fail(tree, path, MPLAN_ERR_CORRUPT,
                               real ? "must hold numbers" : "must hold whole numbers", err);
    void *read = mplan_alloc_zero(shape->n, size,
                                  err); /* libhdf5 may set nothing: no space, no fill value */
    if (!read)
        return MPLAN_ERR_MEMORY;
    hid_t dataset = open_path(tree, path);
    bool done = dataset >= 0 &&
                (shape->n == 0 || H5Dread(dataset, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, read) >= 0);
    if (dataset >= 0)
        H5Oclose(dataset);
    mplan_status status = done
                              ? mplan_interrupted(tree->context, err)
                              : mplan_hdf5_fail(tree, path, MPLAN_ERR_CORRUPT, "cannot be read", err);
    if (!status)
        *numbers = read;
    else
        free(read);
    return status;
}

/* As 64-bit numbers of this machine; HDF5 clips unsigned ones that are larger to INT64_MAX. */
mplan_status mplan_hdf5_whole(const mplan_hdf5_tree *tree, const char *path, int64_t **numbers,
                              mplan_hdf5_shape *shape, mplan_error *err)
{
    void *read;
    mplan_status status = read_table(tree, path, H5T_NATIVE_INT64, sizeof **numbers, false, &read,
                                     shape, err);
    *numbers = read;
    return status;
}

/* As doubles: floats are widened, whole numbers above 2^53 are rounded. */
mplan_status mplan_hdf5_real(const mplan_hdf5_tree *tree, const char *path, double **numbers,
                             mplan_hdf5_shape *shape, mplan_error *err)
{
    void *read;
    mplan_status status = read_table(tree, path, H5T_NATIVE_DOUBLE, sizeof **numbers, true, &read,
                                     shape, err);
    *numbers = read;
    return status;
}

/* Strings that the library allocates, each copied to `width` bytes of texts, zeros behind it.
 * texts: n x width bytes, zeroed by the caller: strings that are not set stay empty, longer ones are cut. False also
 * without memory: the caller says that the table cannot be read. */
static bool read_pointers(hid_t dataset, int64_t n, char *texts, int64_t width)
{
    mplan_error unused;
    char **strings = mplan_alloc_zero(n, sizeof *strings, &unused);
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    bool done = strings && type >= 0 && space >= 0 &&
                H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, strings) >= 0;
    for (int64_t i = 0; i < n && done; i++)
        if (strings[i])
            snprintf(texts + i * width, (size_t)width, "%s", strings[i]);
    if (done)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, strings);
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    free(strings);
    return done;
}

/* One zero more than the file's strings have, so that each ends.
 * Those of fixed length are read side by side, `size` bytes each, then moved apart, the last one first: none is
 * overwritten before it is moved. */
mplan_status mplan_hdf5_texts(const mplan_hdf5_tree *tree, const char *path, char **texts,
                              int64_t *width, mplan_hdf5_shape *shape, mplan_error *err)
{
    *texts = NULL;
    if (mplan_hdf5_look(tree, path, shape) != MPLAN_HDF5_TEXT)
        return mplan_hdf5_fail(tree, path, MPLAN_ERR_CORRUPT, "must hold text", err);
    hid_t dataset = open_path(tree, path), type = dataset >= 0 ? H5Dget_type(dataset) : -1;
    const bool pointers = type >= 0 && H5Tget_class(type) == H5T_STRING &&
                          H5Tis_variable_str(type) > 0;
    const int64_t size = pointers ? MOST_TEXT : type >= 0 ? (int64_t)H5Tget_size(type) : 0;
    bool done = size > 0 && size <= MOST_TEXT && shape->n <= tree->most_bytes / (size + 1);
    char *read = done ? mplan_alloc_zero(shape->n, (size_t)size + 1, err) : NULL;
    mplan_status status = done && !read ? MPLAN_ERR_MEMORY : MPLAN_OK;
    *width = size + 1;
    if (read && shape->n > 0)
        done = pointers ? read_pointers(dataset, shape->n, read, *width)
                        : H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, read) >= 0;
    for (int64_t i = shape->n; read && done && !pointers && i-- > 0;) { /* apart, from the last on */
        memmove(read + i * *width, read + i * size, (size_t)size);
        read[i * *width + size] = '\0';
    }
    if (type >= 0)
        H5Tclose(type);
    if (dataset >= 0)
        H5Oclose(dataset);
    if (!status && !done)
        status = mplan_hdf5_fail(tree, path, MPLAN_ERR_CORRUPT, "cannot be read", err);
    if (!status)
        *texts = read;
    else
        free(read);
    return status;
}

/* The first of up to 64 whole numbers; all others are read, because HDF5 reads attributes only
 * as a whole. *value is 0 where there is none. */
bool mplan_hdf5_attribute(const mplan_hdf5_tree *tree, const char *path, const char *name,
                          int64_t *value)
{
    enum { MOST = 64 };
    int64_t values[MOST] = {0};
    hid_t object = open_path(tree, path);
    bool there = object >= 0 && H5Aexists(object, name) > 0;
    hid_t attribute = there ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    hssize_t n = space >= 0 ? H5Sget_simple_extent_npoints(space) : 0;
    there = type >= 0 && H5Tget_class(type) == H5T_INTEGER && n >= 1 && n <= MOST &&
            H5Aread(attribute, H5T_NATIVE_INT64, values) >= 0;
    *value = values[0];
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (attribute >= 0)
        H5Aclose(attribute);
    if (object >= 0)
        H5Oclose(object);
    return there;
}

/* Of variable length: the library allocates it. */
static bool read_pointer(hid_t attribute, hid_t type, hid_t space, char *text, size_t size)
{
    char *found = NULL;
    if (H5Aread(attribute, type, &found) < 0 || !found)
        return false;
    const bool fits = snprintf(text, size, "%s", found) < (int)size;
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, &found);
    return fits;
}

/* A text of fixed or variable length, ended by a zero. One that does not fit `size` counts as
 * absent: it cannot be one of the words that readers look for. */
bool mplan_hdf5_text_attribute(const mplan_hdf5_tree *tree, const char *path, const char *name,
                               char *text, size_t size)
{
    hid_t object = open_path(tree, path);
    bool there = object >= 0 && H5Aexists(object, name) > 0;
    hid_t attribute = there ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    memset(text, 0, size);
    there = type >= 0 && H5Tget_class(type) == H5T_STRING && space >= 0 &&
            H5Sget_simple_extent_npoints(space) == 1;
    if (there && H5Tis_variable_str(type) > 0)
        there = read_pointer(attribute, type, space, text, size);
    else if (there)
        there = H5Tget_size(type) < size && H5Aread(attribute, type, text) >= 0;
    if (!there)
        text[0] = '\0';
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (attribute >= 0)
        H5Aclose(attribute);
    if (object >= 0)
        H5Oclose(object);
    return there;
}
#endif
