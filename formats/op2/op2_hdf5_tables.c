/* SPDX-License-Identifier: Apache-2.0 */
/* op2_hdf5_tables.c - datasets of OP2's HDF5 files: what they are, their numbers, coordinates */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/op2/op2_hdf5_tables.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_HDF5

enum { MOST_NAMES = 65536 };

/* --- the library ------------------------------------------------------------------------------- */

/* The library prints errors unless told not to. */
mplan_op2_silence mplan_op2_be_silent(void)
{
    mplan_op2_silence before = {NULL, NULL};
    H5Eget_auto2(H5E_DEFAULT, &before.print, &before.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return before;
}

/* What mplan_op2_be_silent found. */
void mplan_op2_speak_again(const mplan_op2_silence *before)
{
    H5Eset_auto2(H5E_DEFAULT, before->print, before->data);
}

/* False also where libhdf5 fails. */
bool mplan_op2_has_attribute(hid_t dataset, const char *name)
{
    return H5Aexists(dataset, name) > 0;
}

/* The text of an attribute; empty where it is none.
 * Only one text of fixed length, of at most OP2_NAME_SIZE bytes; always terminated. */
static void text_of(hid_t dataset, const char *name, char text[OP2_NAME_SIZE])
{
    text[0] = '\0';
    if (!mplan_op2_has_attribute(dataset, name))
        return;
    hid_t attribute = H5Aopen(dataset, name, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
    hid_t stored = attribute >= 0 ? H5Aget_type(attribute) : -1;
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    if (stored >= 0 && space >= 0 && type >= 0 && H5Tget_class(stored) == H5T_STRING &&
        H5Tis_variable_str(stored) == 0 && H5Sget_simple_extent_npoints(space) == 1 &&
        H5Tget_size(stored) <= OP2_NAME_SIZE && H5Tset_size(type, OP2_NAME_SIZE) >= 0 &&
        H5Aread(attribute, type, text) < 0)
        text[0] = '\0';
    text[OP2_NAME_SIZE - 1] = '\0';
    if (space >= 0)
        H5Sclose(space);
    if (stored >= 0)
        H5Tclose(stored);
    if (type >= 0)
        H5Tclose(type);
    if (attribute >= 0)
        H5Aclose(attribute);
}

/* Rows and columns of a dataset; false for what no set, map or dat is.
 * found: real, rows and cols are set where it is true; rows * cols is then at most file->most_bytes. */
static bool shape_of(const mplan_op2_file *file, hid_t dataset, mplan_op2_table *found)
{
    hsize_t length[2] = {1, 1};
    hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    bool sound = rank >= 0 && rank <= 2 && (class == H5T_INTEGER || class == H5T_FLOAT) &&
                 H5Sget_simple_extent_dims(space, length, NULL) >= 0;
    uint64_t most = (uint64_t)file->most_bytes;
    sound = sound && length[0] <= most && length[1] <= most &&
            (length[1] == 0 || length[0] <= most / length[1]);
    if (sound) {
        found->real = class == H5T_FLOAT;
        found->rows = (int64_t)length[0];
        found->cols = (int64_t)length[1];
    }
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return sound;
}

/* What a dataset is: set, map, dat or nothing of OP2's.
 * found->name is set before. value: only of sets; from and to: empty where the file does not name them. */
static void classify(const mplan_op2_file *file, mplan_op2_table *found)
{
    hid_t dataset = H5Dopen2(file->file, found->name, H5P_DEFAULT);
    found->kind = OP2_KIND_OTHER;
    if (dataset < 0)
        return;
    bool declared = mplan_op2_has_attribute(dataset, "size") &&
                    mplan_op2_has_attribute(dataset, "dim");
    bool arrow = strstr(found->name, "-->") != NULL;
    if (shape_of(file, dataset, found)) {
        text_of(dataset, "from", found->from);
        text_of(dataset, "to", found->to);
        /* whole dats look like maps; the airfoil's is known */
        bool dat = mplan_op2_has_attribute(dataset, "set") ||
                   (!found->from[0] && strcmp(found->name, "p_bound") == 0);
        if (!found->real && (declared || arrow) && !dat)
            found->kind = found->cols >= 1 ? OP2_KIND_MAP : OP2_KIND_OTHER;
        else if (!found->real && !declared && found->rows == 1 && found->cols == 1 &&
                 H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &found->value) >= 0)
            found->kind = OP2_KIND_SET;
        else
            found->kind = OP2_KIND_DAT;
    }
    H5Dclose(dataset);
}

/* Datasets of the root group, in the order of their names. Links to other files are skipped.
 * file->tables: n_tables, the caller's to free, also after a failure. */
mplan_status mplan_op2_list_tables(mplan_op2_file *file, mplan_error *err)
{
    H5G_info_t about;
    mplan_vector list = MPLAN_VECTOR_INIT(sizeof(mplan_op2_table));
    mplan_status status = MPLAN_OK;
    if (H5Gget_info(file->file, &about) < 0)
        about.nlinks = 0;
    hsize_t n = about.nlinks < MOST_NAMES ? about.nlinks : MOST_NAMES;
    for (hsize_t i = 0; i < n && !status; i++) {
        mplan_op2_table found = {.kind = OP2_KIND_OTHER};
        H5L_info_t link;
        ssize_t length = H5Lget_name_by_idx(file->file, ".", H5_INDEX_NAME, H5_ITER_INC, i,
                                            found.name, sizeof found.name, H5P_DEFAULT);
        if (length <= 0 || length >= OP2_NAME_SIZE ||
            H5Lget_info(file->file, found.name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
            continue;
        classify(file, &found);
        if (found.kind != OP2_KIND_OTHER)
            status = mplan_vector_push(&list, &found, err);
    }
    file->tables = list.data;
    file->n_tables = list.count;
    return status;
}

/* NULL if there is none; linear. */
const mplan_op2_table *mplan_op2_find_table(const mplan_op2_file *file, const char *name)
{
    for (int64_t t = 0; t < file->n_tables; t++)
        if (strcmp(file->tables[t].name, name) == 0)
            return &file->tables[t];
    return NULL;
}

/* what: the rest of the sentence behind the dataset's name. */
mplan_status mplan_op2_fail_table(const mplan_op2_file *file, const mplan_op2_table *of,
                                  mplan_status status, const char *what, mplan_error *err)
{
    return mplan_fail(err, status, "%s: dataset %s %s", file->input->path, of->name, what);
}

/* All numbers of a dataset, in memory's type.
 * out: the caller's, room for rows * cols of them, row by row. */
mplan_status mplan_op2_read_numbers(const mplan_op2_file *file, const mplan_op2_table *of,
                                    hid_t type, void *out, mplan_error *err)
{
    hid_t dataset = H5Dopen2(file->file, of->name, H5P_DEFAULT);
    bool done = dataset >= 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0;
    if (dataset >= 0)
        H5Dclose(dataset);
    return done ? mplan_interrupted(file->context, err)
                : mplan_op2_fail_table(file, of, MPLAN_ERR_CORRUPT, "cannot be read", err);
}

/* Ids of a map, and the largest of them; -1: none.
 * *out: rows * cols entries, each -1 or an id; the caller's; not set after a failure. */
mplan_status mplan_op2_read_ids(const mplan_op2_file *file, const mplan_op2_table *of,
                                int32_t **out, int64_t *largest, mplan_error *err)
{
    int64_t n = of->rows * of->cols;
    *largest = -1;
    int64_t *wide = mplan_alloc(n, sizeof *wide, err);
    int32_t *ids = wide ? mplan_alloc(n, sizeof *ids, err) : NULL;
    mplan_status status = ids ? mplan_op2_read_numbers(file, of, H5T_NATIVE_INT64, wide, err)
                              : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++) {
        if (wide[i] < -1 || wide[i] >= INT32_MAX) {
            status = mplan_fail(err, MPLAN_ERR_MESH,
                                "%s: dataset %s: entry (%lld, %lld) is %lld, which is not an id",
                                file->input->path, of->name, (long long)(i / of->cols),
                                (long long)(i % of->cols), (long long)wide[i]);
            break;
        }
        ids[i] = (int32_t)wide[i];
        *largest = wide[i] > *largest ? wide[i] : *largest;
    }
    free(wide);
    if (!status)
        *out = ids;
    else
        free(ids);
    return status;
}

/* --- coordinates ---------------------------------------------------------------------------------------- */

/* OP2 does not say which dat holds them: names that its applications use, and 2 or 3 reals a
 * row. */
bool mplan_op2_is_coordinates(const mplan_op2_table *of)
{
    bool named = strstr(of->name, "coord") || strcmp(of->name, "p_x") == 0 ||
                 strcmp(of->name, "x") == 0;
    return of->kind == OP2_KIND_DAT && of->real && named && (of->cols == 2 || of->cols == 3);
}

/* "edge" or "edges" for the set "edges". */
bool mplan_op2_is_word_of(const char *set, const char *word, size_t length)
{
    return strncmp(set, word, length) == 0 &&
           (set[length] == '\0' || (set[length] == 's' && set[length + 1] == '\0'));
}

/* Rows of a map from it, or of a dat of its name. */
bool mplan_op2_tells_size(const mplan_op2_table *of, const char *word, size_t length)
{
    const char *arrow = strstr(of->name, "-->");
    const bool from = arrow && (size_t)(arrow - of->name) == length &&
                      strncmp(of->name, word, length) == 0;
    const bool dat = of->kind == OP2_KIND_DAT && strncmp(of->name, word, length) == 0 &&
                     of->name[length] == '_';
    return from || dat;
}

/* Length of a set's name without a final s: its word within names of maps. */
size_t mplan_op2_stem_length(const char *set)
{
    size_t n = strlen(set);
    return n > 1 && set[n - 1] == 's' ? n - 1 : n;
}

/* The set of a dat: whose word begins its name, or the only one of so many members, nodes before others.
 * -1: no set has as many members as the dat has rows. */
static int32_t set_of_dat(const mplan_op2_file *file, const mplan_op2_table *of)
{
    int32_t found = -1;
    for (int32_t s = 0; s < mplan_mesh_n_sets(file->mesh); s++) {
        mplan_set set = mplan_mesh_set(file->mesh, s);
        if (set.size != of->rows)
            continue;
        if (strncmp(of->name, set.name, mplan_op2_stem_length(set.name)) == 0 ||
            strcmp(set.name, "nodes") == 0)
            return s;
        found = found < 0 ? s : found;
    }
    return found;
}

/* The first dat of two or three reals a member that is named like coordinates.
 * Of each set; later ones are skipped. */
mplan_status mplan_op2_read_coordinates(mplan_op2_file *file, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t t = 0; t < file->n_tables && !status; t++) {
        const mplan_op2_table *of = &file->tables[t];
        int32_t set = mplan_op2_is_coordinates(of) ? set_of_dat(file, of) : -1;
        if (set < 0 || mplan_mesh_coordinates(file->mesh, set, NULL))
            continue;
        double *xyz = mplan_alloc(of->rows * of->cols, sizeof *xyz, err);
        if (!xyz)
            return MPLAN_ERR_MEMORY;
        status = mplan_op2_read_numbers(file, of, H5T_NATIVE_DOUBLE, xyz, err);
        if (status) {
            free(xyz);
            return status;
        }
        status = mplan_mesh_take_coordinates(file->mesh, set, (int32_t)of->cols, xyz, err);
        if (status == MPLAN_ERR_MESH)
            mplan_fail_prefix(err, status, file->input->path);
    }
    return status;
}
#endif
