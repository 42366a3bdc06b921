/* SPDX-License-Identifier: Apache-2.0 */
/* op2_hdf5.c - reads the HDF5 files of OP2 (op_dump_to_hdf5, op_decl_map_hdf5)
 *
 * OP2 stores a set as one whole number, a map as a table with attributes size, dim and type, and a dat
 * likewise; of which sets a map is the program says that declares it, not the file. Here: from the set of
 * as many members as the map has rows, to the set that the largest id is the last member of. Names
 * like "edge-->node" say both, also in files without sets. The files of OP2's airfoil (new_grid.h5) give
 * the mesh that new_grid.dat gives. Files of meshplan's own say it: maps have attributes from and to,
 * dats an attribute set. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/contained_formats.h"
#include "formats/hdf5_image.h"
#include "formats/library_lock.h"
#include "formats/op2/op2_hdf5_layout.h"
#include "formats/op2/op2_hdf5_write.h"
#include "mesh/mesh.h"

/* HDF5's signature at byte 0; OP2 writes no block before it. */
static bool is_hdf5(const uint8_t *data, size_t size)
{
    return size >= 8 && memcmp(data, "\x89HDF\r\n\x1a\n", 8) == 0;
}

/* Without the library, and of files that it cannot open, by words that OP2's programs put into them. */
static mplan_recognised by_words(const uint8_t *data, size_t size)
{
    for (size_t at = 0; at + 6 <= size && at < 1u << 20; at++)
        if (memcmp(data + at, "pecell", 6) == 0 || memcmp(data + at, "-->", 3) == 0)
            return MPLAN_RECOGNISED_YES;
    return MPLAN_RECOGNISED_NO;
}

#ifdef MPLAN_HAVE_HDF5

enum { MOST_DEFLATED = 1032 };

/* --- maps and their sets ---------------------------------------------------------------------------- */

/* The set of a word of "edge-->node"; where the file has none it is made, of `size` members.
 * word: `length` bytes. *set: its index in the mesh. */
static mplan_status set_of_word(const mplan_op2_file *file, const char *word, size_t length,
                                int64_t size, int32_t *set, mplan_error *err)
{
    char name[OP2_NAME_SIZE + 2];
    for (int32_t s = 0; s < mplan_mesh_n_sets(file->mesh); s++)
        if (mplan_op2_is_word_of(mplan_mesh_set(file->mesh, s).name, word, length)) {
            *set = s;
            return MPLAN_OK;
        }
    bool plural = length > 0 && word[length - 1] == 's';
    snprintf(name, sizeof name, "%.*s%s", (int)length, word, plural ? "" : "s");
    return mplan_mesh_add_set(file->mesh, name, size, set, err);
}

/* Members of a set that only maps speak of: told by a table that has room for the largest id, or as many as that says. */
static int64_t size_of_word(const mplan_op2_file *file, const char *word, size_t length,
                            int64_t largest)
{
    for (int64_t t = 0; t < file->n_tables; t++) {
        const mplan_op2_table *other = &file->tables[t];
        if (mplan_op2_tells_size(other, word, length) && other->rows > largest)
            return other->rows;
    }
    return largest + 1;
}

/* "from-->to": sets named by the dataset itself.
 * arrow: where it is in of->name. largest: the largest id of the map, -1 of one without ids. */
static mplan_status sets_by_arrow(const mplan_op2_file *file, const mplan_op2_table *of,
                                  const char *arrow, int64_t largest, int32_t *from, int32_t *to,
                                  mplan_error *err)
{
    const char *word = arrow + 3;
    size_t length = strcspn(word, ".-"); /* "node_coordinates.renumbered" */
    mplan_status status = set_of_word(file, of->name, (size_t)(arrow - of->name), of->rows, from,
                                      err);
    return !status
               ? set_of_word(file, word, length, size_of_word(file, word, length, largest), to, err)
               : status;
}

/* Of the sets that fit, the one whose word is first in the map's name; -1 without one. */
static int32_t set_by_rows(const mplan_op2_file *file, const mplan_op2_table *of)
{
    int32_t found = -1, n = 0;
    const char *place = NULL;
    for (int32_t s = 0; s < mplan_mesh_n_sets(file->mesh); s++) {
        mplan_set set = mplan_mesh_set(file->mesh, s);
        char stem[OP2_NAME_SIZE];
        if (set.size != of->rows)
            continue;
        snprintf(stem, sizeof stem, "%.*s", (int)mplan_op2_stem_length(set.name), set.name);
        const char *at = strstr(of->name, stem);
        if (n++ == 0 || (at && (!place || at < place))) {
            found = s;
            place = at;
        }
    }
    return n == 1 || place ? found : -1;
}

/* The set that the largest id is the last member of, else the smallest that has it; *sure tells which.
 * *sure: exactly one set has largest + 1 members. */
static int32_t set_by_largest(const mplan_op2_file *file, int64_t largest, bool *sure)
{
    int32_t found = -1, n_exact = 0;
    for (int32_t s = 0; s < mplan_mesh_n_sets(file->mesh); s++) {
        int64_t size = mplan_mesh_set(file->mesh, s).size;
        n_exact += size == largest + 1;
        if (size > largest && (found < 0 || size < mplan_mesh_set(file->mesh, found).size))
            found = s;
    }
    *sure = n_exact == 1;
    return found;
}

/* The sets of a map: attributes, then the name, then sizes that only one set
 * has. largest: the largest entry. */
static mplan_status find_sets(const mplan_op2_file *file, const mplan_op2_table *of,
                              int64_t largest, int32_t *from, int32_t *to, mplan_error *err)
{
    const char *arrow = strstr(of->name, "-->");
    bool sure = true;
    *from = mplan_mesh_find_set(file->mesh, of->from);
    *to = mplan_mesh_find_set(file->mesh, of->to);
    if (*from >= 0 && *to >= 0)
        return MPLAN_OK;
    if (arrow)
        return sets_by_arrow(file, of, arrow, largest, from, to, err);
    *from = set_by_rows(file, of);
    *to = set_by_largest(file, largest, &sure);
    if (*from < 0)
        return mplan_op2_fail_table(file, of, MPLAN_ERR_MESH,
                                    "is a map, but none or several of the sets have as many "
                                    "members as it has rows",
                                    err);
    if (*to < 0)
        return mplan_op2_fail_table(file, of, MPLAN_ERR_MESH, "is a map, but no set has its ids",
                                    err);
    if (!sure)
        mplan_warn(file->context,
                   "%s: dataset %s: the file does not say to which set it leads; %s is assumed",
                   file->input->path, of->name, mplan_mesh_set(file->mesh, *to).name);
    return MPLAN_OK;
}

/* Entries as they are in the file.
 * rows * cols ids, -1 for none; the mesh takes them over. */
static mplan_status read_map(mplan_op2_file *file, const mplan_op2_table *of, mplan_error *err)
{
    int32_t *ids = NULL, from, to;
    int64_t largest;
    mplan_status status = of->cols > INT32_MAX
                              ? mplan_op2_fail_table(file, of, MPLAN_ERR_UNSUPPORTED,
                                                     "has too many columns", err)
                              : mplan_op2_read_ids(file, of, &ids, &largest, err);
    if (!status)
        status = find_sets(file, of, largest, &from, &to, err);
    if (!status && mplan_mesh_set(file->mesh, from).size != of->rows)
        status = mplan_op2_fail_table(file, of, MPLAN_ERR_MESH,
                                      "does not have one row for each member of its set", err);
    if (status) {
        free(ids);
        return status;
    }
    status = mplan_mesh_take_map(file->mesh, of->name, from, to, (int32_t)of->cols, NULL, ids, NULL,
                                 err);
    return status == MPLAN_ERR_MESH ? mplan_fail_prefix(err, status, file->input->path) : status;
}

/* Numbers of one column that are not ids of any set are a dat.
 * The sentence of the failure is kept apart, so that a dat that is skipped leaves nothing in err. */
static mplan_status read_map_or_dat(mplan_op2_file *file, const mplan_op2_table *of, mplan_error *err)
{
    mplan_error reason;
    mplan_status status = read_map(file, of, &reason);
    if (status == MPLAN_ERR_MESH && of->cols == 1 && !strstr(of->name, "-->")) {
        mplan_warn(file->context, "%s; skipped as a dat", reason.text);
        return MPLAN_OK;
    }
    if (status && err)
        *err = reason;
    return status;
}

/* A set is a single number. */
static mplan_status read_sets(mplan_op2_file *file, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t t = 0; t < file->n_tables && !status; t++) {
        const mplan_op2_table *of = &file->tables[t];
        if (of->kind != OP2_KIND_SET)
            continue;
        if (of->value < 0 || of->value >= INT32_MAX)
            status = mplan_op2_fail_table(file, of, MPLAN_ERR_MESH, "is not the size of a set", err);
        else
            status = mplan_mesh_add_set(file->mesh, of->name, of->value, NULL, err);
    }
    return status;
}

/* --- the file -------------------------------------------------------------------------------------------------- */

/* Without any the file is not OP2's. */
static bool holds_maps(const mplan_op2_file *file)
{
    for (int64_t t = 0; t < file->n_tables; t++)
        if (file->tables[t].kind == OP2_KIND_MAP)
            return true;
    return false;
}

/* Airfoil's own file has fixed names and is read as the benchmark does; of others every map, and
 * then coordinates by their names. */
static mplan_status read_mesh(mplan_op2_file *file, mplan_places *layout, mplan_error *err)
{
    mplan_status status = mplan_op2_list_tables(file, err);
    if (!status && !holds_maps(file))
        status = mplan_fail(err, MPLAN_ERR_CORRUPT,
                            "%s: the file has no map in the form that OP2 writes", file->input->path);
    if (!status && layout)
        return (mplan_op2_is_airfoil(file) ? mplan_op2_place_airfoil
                                           : mplan_op2_place_tables)(file, layout, err);
    if (!status && mplan_op2_is_airfoil(file))
        return mplan_op2_read_airfoil(file, err);
    if (!status)
        status = read_sets(file, err);
    for (int64_t t = 0; t < file->n_tables && !status; t++)
        if (file->tables[t].kind == OP2_KIND_MAP)
            status = read_map_or_dat(file, &file->tables[t], err);
    return !status ? mplan_op2_read_coordinates(file, err) : status;
}

/* What the file may hold when it is inflated, a quarter of what deflate could make of it: bounds
 * what is allocated. */
static int64_t most_bytes(const mplan_input *input)
{
    return input->size > (size_t)INT64_MAX / MOST_DEFLATED
               ? INT64_MAX
               : (int64_t)input->size * MOST_DEFLATED / 4;
}

/* libhdf5 has one state for the process: it is locked, and what it prints is silenced, until the
 * file is closed. */
static mplan_status read_or_place(const mplan_input *input, const mplan_context *context,
                                  mplan_mesh *mesh, mplan_places *layout, mplan_error *err)
{
    mplan_op2_file file = {
        .input = input, .context = context, .mesh = mesh, .most_bytes = most_bytes(input)};
    mplan_status status;
    mplan_library_lock();
    mplan_op2_silence before = mplan_op2_be_silent();
    file.file = mplan_hdf5_open_image(input);
    if (file.file >= 0) {
        status = read_mesh(&file, layout, err);
        free(file.tables);
        H5Fclose(file.file);
    } else {
        status = mplan_fail(err, MPLAN_ERR_CORRUPT,
                            "%s: the HDF5 file cannot be opened: it is damaged or truncated",
                            input->path);
    }
    mplan_op2_speak_again(&before);
    mplan_library_unlock();
    return status;
}

static mplan_status read_op2_hdf5(const mplan_input *input, const mplan_read_options *options,
                                  const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    (void)options;
    return read_or_place(input, context, mesh, NULL, err);
}

static mplan_status place_op2_hdf5(const mplan_input *input, const mplan_read_options *options,
                                   const mplan_context *context, mplan_places *layout,
                                   mplan_error *err)
{
    (void)options;
    return read_or_place(input, context, NULL, layout, err);
}

/* Whether a dataset is a map as OP2 writes it, or its name an arrow.
 * Called by H5Literate, which ends at the first result that is not 0. found: of type bool. */
static herr_t is_map(hid_t group, const char *name, const H5L_info_t *link, void *found)
{
    if (link->type != H5L_TYPE_HARD)
        return 0;
    hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
    if (dataset < 0)
        return 0;
    *(bool *)found = (mplan_op2_has_attribute(dataset, "size") &&
                      mplan_op2_has_attribute(dataset, "dim") &&
                      mplan_op2_has_attribute(dataset, "type")) ||
                     strstr(name, "-->");
    H5Dclose(dataset);
    return *(bool *)found;
}

/* By its datasets, with the library locked and silent as while reading; by words only where it cannot open the file. */
static mplan_recognised recognise_op2_hdf5(const uint8_t *data, size_t size)
{
    const mplan_input input = {.path = "", .data = data, .size = size};
    bool found = false;
    if (!is_hdf5(data, size))
        return MPLAN_RECOGNISED_NO;
    mplan_library_lock();
    mplan_op2_silence before = mplan_op2_be_silent();
    hid_t file = mplan_hdf5_open_image(&input);
    if (file >= 0) {
        H5Literate(file, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, is_map, &found);
        H5Fclose(file);
    }
    mplan_op2_speak_again(&before);
    mplan_library_unlock();
    if (file < 0)
        return by_words(data, size);
    return found ? MPLAN_RECOGNISED_YES : MPLAN_RECOGNISED_NO;
}
#else
static mplan_recognised recognise_op2_hdf5(const uint8_t *data, size_t size)
{
    return is_hdf5(data, size) ? by_words(data, size) : MPLAN_RECOGNISED_NO;
}
#endif

#if !defined MPLAN_HAVE_HDF5 && defined MPLAN_HELPER_HDF5
MPLAN_CONTAINED_READER(read_op2_hdf5, "op2-hdf5")
#endif

const mplan_file_format mplan_format_op2_hdf5 = {
    .name = "op2-hdf5",
    .description = "HDF5 file of OP2: any sets and maps; the airfoil's new_grid.h5",
    .extensions = ".h5 .hdf5",
    .recognise = recognise_op2_hdf5,
    .write = mplan_op2_hdf5_write,
    MPLAN_READ_BY_HDF5(read_op2_hdf5),
#ifdef MPLAN_HAVE_HDF5
    .layout = place_op2_hdf5,
#endif
};
