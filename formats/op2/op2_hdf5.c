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
#include "formats/op2/op2.h"
#include "formats/op2/op2_hdf5.h"
#include "mesh/mesh.h"

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
#include <hdf5.h>

enum { NAME_SIZE = 128, MOST_DEFLATED = 1032, MOST_NAMES = 65536 };

typedef enum kind { KIND_OTHER, KIND_SET, KIND_MAP, KIND_DAT } kind;

/* A dataset of the root group. */
typedef struct table {
    char name[NAME_SIZE];
    kind kind;
    bool real;
    int64_t rows, cols;
    int64_t value;                       /* of a set: its size */
    char from[NAME_SIZE], to[NAME_SIZE]; /* of a map that says it, as meshplan's do; else empty */
} table;

/* An OP2 file that is read: its datasets as tables. */
typedef struct op2_file {
    const mplan_input *input;
    const mplan_context *context;
    mplan_mesh *mesh;
    hid_t file;
    int64_t most_bytes;
    int64_t n_tables;
    table *tables;
} op2_file;

/* --- the library ------------------------------------------------------------------------------- */

/* libhdf5's printing of errors, as it was before. */
typedef struct silence {
    H5E_auto2_t print;
    void *data;
} silence;

/* The library prints errors unless told not to. */
static silence be_silent(void)
{
    silence before = {NULL, NULL};
    H5Eget_auto2(H5E_DEFAULT, &before.print, &before.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return before;
}

static void speak_again(const silence *before)
{
    H5Eset_auto2(H5E_DEFAULT, before->print, before->data);
}

static bool has_attribute(hid_t dataset, const char *name)
{
    return H5Aexists(dataset, name) > 0;
}

/* The text of an attribute; empty where it is none. */
static void text_of(hid_t dataset, const char *name, char text[NAME_SIZE])
{
    text[0] = '\0';
    if (!has_attribute(dataset, name))
        return;
    hid_t attribute = H5Aopen(dataset, name, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
    hid_t stored = attribute >= 0 ? H5Aget_type(attribute) : -1;
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    if (stored >= 0 && space >= 0 && type >= 0 && H5Tget_class(stored) == H5T_STRING &&
        H5Tis_variable_str(stored) == 0 && H5Sget_simple_extent_npoints(space) == 1 &&
        H5Tget_size(stored) <= NAME_SIZE && H5Tset_size(type, NAME_SIZE) >= 0 &&
        H5Aread(attribute, type, text) < 0)
        text[0] = '\0';
    text[NAME_SIZE - 1] = '\0';
    if (space >= 0)
        H5Sclose(space);
    if (stored >= 0)
        H5Tclose(stored);
    if (type >= 0)
        H5Tclose(type);
    if (attribute >= 0)
        H5Aclose(attribute);
}

/* Rows and columns of a dataset; false for what no set, map or dat is. */
static bool shape_of(const op2_file *file, hid_t dataset, table *found)
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

/* What a dataset is: set, map, dat or nothing of OP2's. */
static void classify(const op2_file *file, table *found)
{
    hid_t dataset = H5Dopen2(file->file, found->name, H5P_DEFAULT);
    found->kind = KIND_OTHER;
    if (dataset < 0)
        return;
    bool declared = has_attribute(dataset, "size") && has_attribute(dataset, "dim");
    bool arrow = strstr(found->name, "-->") != NULL;
    if (shape_of(file, dataset, found)) {
        text_of(dataset, "from", found->from);
        text_of(dataset, "to", found->to);
        /* whole dats look like maps; the airfoil's is known */
        bool dat = has_attribute(dataset, "set") ||
                   (!found->from[0] && strcmp(found->name, "p_bound") == 0);
        if (!found->real && (declared || arrow) && !dat)
            found->kind = found->cols >= 1 ? KIND_MAP : KIND_OTHER;
        else if (!found->real && !declared && found->rows == 1 && found->cols == 1 &&
                 H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &found->value) >= 0)
            found->kind = KIND_SET;
        else
            found->kind = KIND_DAT;
    }
    H5Dclose(dataset);
}

/* Datasets of the root group, in the order of their names. Links to elsewhere are left alone. */
static mplan_status list_tables(op2_file *file, mplan_error *err)
{
    H5G_info_t about;
    mplan_vector list = MPLAN_VECTOR_INIT(sizeof(table));
    mplan_status status = MPLAN_OK;
    if (H5Gget_info(file->file, &about) < 0)
        about.nlinks = 0;
    hsize_t n = about.nlinks < MOST_NAMES ? about.nlinks : MOST_NAMES;
    for (hsize_t i = 0; i < n && !status; i++) {
        table found = {.kind = KIND_OTHER};
        H5L_info_t link;
        ssize_t length = H5Lget_name_by_idx(file->file, ".", H5_INDEX_NAME, H5_ITER_INC, i,
                                            found.name, sizeof found.name, H5P_DEFAULT);
        if (length <= 0 || length >= NAME_SIZE ||
            H5Lget_info(file->file, found.name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
            continue;
        classify(file, &found);
        if (found.kind != KIND_OTHER)
            status = mplan_vector_push(&list, &found, err);
    }
    file->tables = list.data;
    file->n_tables = list.count;
    return status;
}

/* NULL if there is none. */
static const table *find_table(const op2_file *file, const char *name)
{
    for (int64_t t = 0; t < file->n_tables; t++)
        if (strcmp(file->tables[t].name, name) == 0)
            return &file->tables[t];
    return NULL;
}

static mplan_status fail_table(const op2_file *file, const table *of, mplan_status status,
                               const char *what, mplan_error *err)
{
    return mplan_fail(err, status, "%s: dataset %s %s", file->input->path, of->name, what);
}

/* All numbers of a dataset, in memory's type. */
static mplan_status read_numbers(const op2_file *file, const table *of, hid_t type, void *out,
                                 mplan_error *err)
{
    hid_t dataset = H5Dopen2(file->file, of->name, H5P_DEFAULT);
    bool done = dataset >= 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0;
    if (dataset >= 0)
        H5Dclose(dataset);
    return done ? mplan_interrupted(file->context, err)
                : fail_table(file, of, MPLAN_ERR_CORRUPT, "cannot be read", err);
}

/* --- maps and their sets ---------------------------------------------------------------------------- */

/* Ids of a map, and the largest of them; -1: none. */
static mplan_status read_ids(const op2_file *file, const table *of, int32_t **out, int64_t *largest,
                             mplan_error *err)
{
    int64_t n = of->rows * of->cols;
    *largest = -1;
    int64_t *wide = mplan_alloc(n, sizeof *wide, err);
    int32_t *ids = wide ? mplan_alloc(n, sizeof *ids, err) : NULL;
    mplan_status status = ids ? read_numbers(file, of, H5T_NATIVE_INT64, wide, err)
                              : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++) {
        if (wide[i] < -1 || wide[i] >= INT32_MAX) {
            status = mplan_fail(err, MPLAN_ERR_MESH,
                                "%s: dataset %s: entry (%lld, %lld) is %lld, no id",
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

/* Length of a set's name without a final s: its word within names of maps. */
static size_t stem_length(const char *set)
{
    size_t n = strlen(set);
    return n > 1 && set[n - 1] == 's' ? n - 1 : n;
}

static bool is_word_of(const char *set, const char *word, size_t length)
{
    return strncmp(set, word, length) == 0 &&
           (set[length] == '\0' || (set[length] == 's' && set[length + 1] == '\0'));
}

/* The set of a word of "edge-->node"; where the file has none it is made, of `size` members. */
static mplan_status set_of_word(const op2_file *file, const char *word, size_t length, int64_t size,
                                int32_t *set, mplan_error *err)
{
    char name[NAME_SIZE + 2];
    for (int32_t s = 0; s < mplan_mesh_n_sets(file->mesh); s++)
        if (is_word_of(mplan_mesh_set(file->mesh, s).name, word, length)) {
            *set = s;
            return MPLAN_OK;
        }
    bool plural = length > 0 && word[length - 1] == 's';
    snprintf(name, sizeof name, "%.*s%s", (int)length, word, plural ? "" : "s");
    return mplan_mesh_add_set(file->mesh, name, size, set, err);
}

/* Members of a set that maps alone speak of: rows of a map from it, or of a dat of its name, or as many as
 * the largest id says. */
static int64_t size_of_word(const op2_file *file, const char *word, size_t length, int64_t largest)
{
    for (int64_t t = 0; t < file->n_tables; t++) {
        const table *other = &file->tables[t];
        const char *arrow = strstr(other->name, "-->");
        bool from = arrow && (size_t)(arrow - other->name) == length &&
                    strncmp(other->name, word, length) == 0;
        bool dat = other->kind == KIND_DAT && strncmp(other->name, word, length) == 0 &&
                   other->name[length] == '_';
        if ((from || dat) && other->rows > largest)
            return other->rows;
    }
    return largest + 1;
}

/* "from-->to": sets named by the dataset itself. */
static mplan_status sets_by_arrow(const op2_file *file, const table *of, const char *arrow,
                                  int64_t largest, int32_t *from, int32_t *to, mplan_error *err)
{
    const char *word = arrow + 3;
    size_t length = strcspn(word, ".-"); /* "node_coordinates.renumbered" */
    mplan_status status = set_of_word(file, of->name, (size_t)(arrow - of->name), of->rows, from,
                                      err);
    return !status
               ? set_of_word(file, word, length, size_of_word(file, word, length, largest), to, err)
               : status;
}

/* Of the sets that fit, the one whose word stands first in the map's name; -1 without one. */
static int32_t set_by_rows(const op2_file *file, const table *of)
{
    int32_t found = -1, n = 0;
    const char *place = NULL;
    for (int32_t s = 0; s < mplan_mesh_n_sets(file->mesh); s++) {
        mplan_set set = mplan_mesh_set(file->mesh, s);
        char stem[NAME_SIZE];
        if (set.size != of->rows)
            continue;
        snprintf(stem, sizeof stem, "%.*s", (int)stem_length(set.name), set.name);
        const char *at = strstr(of->name, stem);
        if (n++ == 0 || (at && (!place || at < place))) {
            found = s;
            place = at;
        }
    }
    return n == 1 || place ? found : -1;
}

/* The set that the largest id is the last member of, else the smallest that has it; *sure tells which. */
static int32_t set_by_largest(const op2_file *file, int64_t largest, bool *sure)
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
static mplan_status find_sets(const op2_file *file, const table *of, int64_t largest, int32_t *from,
                              int32_t *to, mplan_error *err)
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
        return fail_table(file, of, MPLAN_ERR_MESH,
                          "is a map whose rows no set, or several, have as members", err);
    if (*to < 0)
        return fail_table(file, of, MPLAN_ERR_MESH, "is a map whose ids no set has", err);
    if (!sure)
        mplan_warn(file->context,
                   "%s: dataset %s: the file does not say to which set it leads; taken for %s",
                   file->input->path, of->name, mplan_mesh_set(file->mesh, *to).name);
    return MPLAN_OK;
}

/* Entries as they are in the file. */
static mplan_status read_map(op2_file *file, const table *of, mplan_error *err)
{
    int32_t *ids = NULL, from, to;
    int64_t largest;
    mplan_status status = of->cols > INT32_MAX ? fail_table(file, of, MPLAN_ERR_UNSUPPORTED,
                                                            "has too many columns", err)
                                               : read_ids(file, of, &ids, &largest, err);
    if (!status)
        status = find_sets(file, of, largest, &from, &to, err);
    if (!status && mplan_mesh_set(file->mesh, from).size != of->rows)
        status = fail_table(file, of, MPLAN_ERR_MESH, "has not as many rows as its set has members",
                            err);
    if (status) {
        free(ids);
        return status;
    }
    status = mplan_mesh_take_map(file->mesh, of->name, from, to, (int32_t)of->cols, NULL, ids, NULL,
                                 err);
    return status == MPLAN_ERR_MESH ? mplan_fail_prefix(err, status, file->input->path) : status;
}

/* Numbers of one column that are no ids of any set are a dat. */
static mplan_status read_map_or_dat(op2_file *file, const table *of, mplan_error *err)
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
static mplan_status read_sets(op2_file *file, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t t = 0; t < file->n_tables && !status; t++) {
        const table *of = &file->tables[t];
        if (of->kind != KIND_SET)
            continue;
        if (of->value < 0 || of->value >= INT32_MAX)
            status = fail_table(file, of, MPLAN_ERR_MESH, "is not a size of a set", err);
        else
            status = mplan_mesh_add_set(file->mesh, of->name, of->value, NULL, err);
    }
    return status;
}

/* --- coordinates ---------------------------------------------------------------------------------------- */

static bool is_coordinates(const table *of)
{
    bool named = strstr(of->name, "coord") || strcmp(of->name, "p_x") == 0 ||
                 strcmp(of->name, "x") == 0;
    return of->kind == KIND_DAT && of->real && named && (of->cols == 2 || of->cols == 3);
}

/* The set of a dat: whose word begins its name, or the only one of so many members, nodes before others. */
static int32_t set_of_dat(const op2_file *file, const table *of)
{
    int32_t found = -1;
    for (int32_t s = 0; s < mplan_mesh_n_sets(file->mesh); s++) {
        mplan_set set = mplan_mesh_set(file->mesh, s);
        if (set.size != of->rows)
            continue;
        if (strncmp(of->name, set.name, stem_length(set.name)) == 0 || strcmp(set.name, "nodes") == 0)
            return s;
        found = found < 0 ? s : found;
    }
    return found;
}

/* The first dat of two or three reals a member that is named like coordinates. */
static mplan_status read_coordinates(op2_file *file, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t t = 0; t < file->n_tables && !status; t++) {
        const table *of = &file->tables[t];
        int32_t set = is_coordinates(of) ? set_of_dat(file, of) : -1;
        if (set < 0 || mplan_mesh_coordinates(file->mesh, set, NULL))
            continue;
        double *xyz = mplan_alloc(of->rows * of->cols, sizeof *xyz, err);
        if (!xyz)
            return MPLAN_ERR_MEMORY;
        status = read_numbers(file, of, H5T_NATIVE_DOUBLE, xyz, err);
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

/* --- the airfoil's grid ------------------------------------------------------------------------------------ */

static const struct {
    const char *name, *from, *to, *map;
    int64_t arity;
} airfoil_maps[] = {
    {"pcell", "cells", "nodes", "cells_nodes", 4},
    {"pedge", "edges", "nodes", "edges_nodes", 2},
    {"pecell", "edges", "cells", "edges_cells", 2},
    {"pbedge", "bedges", "nodes", "bedges_nodes", 2},
    {"pbecell", "bedges", "cells", "bedges_cells", 1},
};
enum { N_AIRFOIL_MAPS = sizeof airfoil_maps / sizeof *airfoil_maps };

/* Files of OP2's airfoil example lack attributes; their maps are known by name
 * and shape. */
static bool is_airfoil(const op2_file *file)
{
    static const char *const sets[] = {"nodes", "edges", "bedges", "cells"};
    for (int m = 0; m < N_AIRFOIL_MAPS; m++) {
        const table *of = find_table(file, airfoil_maps[m].name);
        const table *from = find_table(file, airfoil_maps[m].from);
        if (!of || of->kind != KIND_MAP || of->cols != airfoil_maps[m].arity || !from ||
            from->kind != KIND_SET || from->value != of->rows)
            return false;
    }
    for (int s = 0; s < 4; s++)
        if (!find_table(file, sets[s]) || find_table(file, sets[s])->kind != KIND_SET)
            return false;
    const table *x = find_table(file, "p_x"), *bound = find_table(file, "p_bound");
    return x && is_coordinates(x) && x->cols == 2 && x->rows == find_table(file, "nodes")->value &&
           bound && !bound->real && bound->rows == find_table(file, "bedges")->value &&
           bound->cols == 1;
}

/* m: place in airfoil_maps. */
static mplan_status read_airfoil_map(op2_file *file, int m, mplan_error *err)
{
    int32_t *ids = NULL, to = mplan_mesh_find_set(file->mesh, airfoil_maps[m].to);
    int64_t largest, n_cells = find_table(file, "cells")->value,
                     n_nodes = find_table(file, "nodes")->value;
    const table *of = find_table(file, airfoil_maps[m].name);
    mplan_status status = read_ids(file, of, &ids, &largest, err);
    if (status)
        return status;
    if (m == 0) { /* cells with their type */
        uint8_t *types = mplan_alloc(n_cells, 1, err);
        if (!types) {
            free(ids);
            return MPLAN_ERR_MEMORY;
        }
        memset(types, MPLAN_CELL_QUAD4, (size_t)n_cells);
        status = mplan_mesh_take_cells(file->mesh, n_nodes, n_cells, types, ids, err);
    } else {
        status = mplan_mesh_take_map(file->mesh, airfoil_maps[m].map,
                                     mplan_mesh_find_set(file->mesh, airfoil_maps[m].from), to,
                                     (int32_t)of->cols, NULL, ids, NULL, err);
    }
    return status == MPLAN_ERR_MESH ? mplan_fail_prefix(err, status, file->input->path) : status;
}

/* The sets, maps and groups that op2.c makes of new_grid.dat. */
static mplan_status read_airfoil(op2_file *file, mplan_error *err)
{
    static const char *const sets[] = {"nodes", "edges", "bedges"};
    mplan_status status = MPLAN_OK;
    for (int s = 0; s < 3 && !status; s++)
        status = mplan_mesh_add_set(file->mesh, sets[s], find_table(file, sets[s])->value, NULL, err);
    if (!status)
        status = read_coordinates(file, err);
    for (int m = 0; m < N_AIRFOIL_MAPS && !status; m++)
        status = read_airfoil_map(file, m, err);
    const table *of = find_table(file, "p_bound");
    int64_t *bound = !status ? mplan_alloc(of->rows, sizeof *bound, err) : NULL;
    if (!status && !bound)
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = read_numbers(file, of, H5T_NATIVE_INT64, bound, err);
    if (!status)
        status = mplan_op2_add_bound_groups(file->mesh, mplan_mesh_find_set(file->mesh, "bedges"),
                                            of->rows, bound, err);
    free(bound);
    return !status ? mplan_mesh_set_faces_name(file->mesh, "edges", err) : status;
}

/* --- the file -------------------------------------------------------------------------------------------------- */

/* Without any the file is not OP2's. */
static bool holds_maps(const op2_file *file)
{
    for (int64_t t = 0; t < file->n_tables; t++)
        if (file->tables[t].kind == KIND_MAP)
            return true;
    return false;
}

static mplan_status read_mesh(op2_file *file, mplan_error *err)
{
    mplan_status status = list_tables(file, err);
    if (!status && !holds_maps(file))
        status = mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: the file has no map as OP2 writes it",
                            file->input->path);
    if (!status && is_airfoil(file))
        return read_airfoil(file, err);
    if (!status)
        status = read_sets(file, err);
    for (int64_t t = 0; t < file->n_tables && !status; t++)
        if (file->tables[t].kind == KIND_MAP)
            status = read_map_or_dat(file, &file->tables[t], err);
    return !status ? read_coordinates(file, err) : status;
}

static int64_t most_bytes(const mplan_input *input)
{
    return input->size > (size_t)INT64_MAX / MOST_DEFLATED
               ? INT64_MAX
               : (int64_t)input->size * MOST_DEFLATED / 4;
}

static mplan_status read_op2_hdf5(const mplan_input *input, const mplan_read_options *options,
                                  const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    op2_file file = {
        .input = input, .context = context, .mesh = mesh, .most_bytes = most_bytes(input)};
    mplan_status status;
    (void)options;
    mplan_library_lock();
    silence before = be_silent();
    file.file = mplan_hdf5_open_image(input);
    if (file.file >= 0) {
        status = read_mesh(&file, err);
        free(file.tables);
        H5Fclose(file.file);
    } else {
        status = mplan_fail(err, MPLAN_ERR_CORRUPT,
                            "%s: the HDF5 file cannot be opened: it is damaged or cut", input->path);
    }
    speak_again(&before);
    mplan_library_unlock();
    return status;
}

/* Whether a dataset is a map as OP2 writes it, or its name an arrow. */
static herr_t is_map(hid_t group, const char *name, const H5L_info_t *link, void *found)
{
    if (link->type != H5L_TYPE_HARD)
        return 0;
    hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
    if (dataset < 0)
        return 0;
    *(bool *)found = (has_attribute(dataset, "size") && has_attribute(dataset, "dim") &&
                      has_attribute(dataset, "type")) ||
                     strstr(name, "-->");
    H5Dclose(dataset);
    return *(bool *)found;
}

/* Looks for one dataset that is a map. */
static mplan_recognised recognise_op2_hdf5(const uint8_t *data, size_t size)
{
    const mplan_input input = {.path = "", .data = data, .size = size};
    bool found = false;
    if (!is_hdf5(data, size))
        return MPLAN_RECOGNISED_NO;
    mplan_library_lock();
    silence before = be_silent();
    hid_t file = mplan_hdf5_open_image(&input);
    if (file >= 0) {
        H5Literate(file, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, is_map, &found);
        H5Fclose(file);
    }
    speak_again(&before);
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
static mplan_status read_op2_hdf5(const mplan_input *input, const mplan_read_options *options,
                                  const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    return mplan_contained_read("op2-hdf5", input, options, context, mesh, err);
}
#endif

const mplan_file_format mplan_format_op2_hdf5 = {
    .name = "op2-hdf5",
    .description = "HDF5 file of OP2: any sets and maps; the airfoil's new_grid.h5",
    .extensions = ".h5 .hdf5",
    .recognise = recognise_op2_hdf5,
    .write = mplan_op2_hdf5_write,
#ifdef MPLAN_HAVE_HDF5
    .read = read_op2_hdf5,
#elif defined MPLAN_HELPER_HDF5
    .read = read_op2_hdf5,
#else
    .missing = "libhdf5",
#endif
};
