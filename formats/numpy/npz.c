/* SPDX-License-Identifier: Apache-2.0 */
/* npz.c - several arrays of NumPy's in one archive (.npz, as numpy.savez writes it)
 *
 * Arrays of whole numbers with two dimensions become maps, named as their members are: edges_cells.npy is the map
 * edges_cells; one without the names of two sets in its name leads from a set of its name to `points`. Whole
 * numbers of one dimension are the values of a ragged map where <name>_offsets.npy is there as well. Real arrays of
 * 2 or 3 columns are coordinates: of <set> where they are called <set> or <set>_coordinates (or _xyz and the like),
 * else of the one set with as many members. What is none of these is skipped with a warning.
 *
 * All numbers are read before the maps are made: the largest number in any of the maps tells the size of a set that
 * nothing else tells. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "formats/numpy/npy.h"
#include "formats/numpy/npz_write.h"
#include "formats/numbers.h"
#include "formats/table_names.h"
#include "formats/numpy/zip.h"
#include "mesh/mesh.h"

enum { MOST_NAME = 200, MOST_ARRAYS = 1000 };

typedef enum npz_kind {
    NPZ_OTHER,
    NPZ_MAP,
    NPZ_VALUES, /* of a ragged map, whose offsets the array before is */
    NPZ_OFFSETS,
    NPZ_COORDINATES
} npz_kind;

/* One array of an archive, and what it turned out to be. */
typedef struct npz_array {
    char name[MOST_NAME]; /* without .npy */
    char *path;           /* for errors: archive and member */
    const mplan_zip_member *member;
    npz_kind kind;
    mplan_npy_header header;
    mplan_numbers numbers;
    mplan_table_names names; /* of a map */
    int64_t least;           /* size that the to-set of a map has at least */
} npz_array;

/* An archive that is read. */
typedef struct npz_reader {
    const mplan_input *archive;
    const mplan_read_options *options;
    const mplan_context *context;
    mplan_vector members;
    npz_array *arrays;
    int64_t n_arrays;
    int64_t n_others; /* that are skipped */
    const char *other;
} npz_reader;

/* Also of an archive that was read in part. */
static void free_arrays(npz_reader *reader)
{
    for (int64_t i = 0; i < reader->n_arrays; i++) {
        mplan_numbers_free(&reader->arrays[i].numbers);
        mplan_table_names_free(&reader->arrays[i].names);
        free(reader->arrays[i].path);
    }
    free(reader->arrays);
    free(reader->members.data);
}

/* --- names ------------------------------------------------------------------------ */

/* text is not terminated; false where the ending is all there is. */
static bool ends_with(const char *text, size_t length, const char *ending)
{
    size_t n = strlen(ending);
    return length > n && memcmp(text + length - n, ending, n) == 0;
}

/* Words that coordinates go by, behind the name of their set or by themselves. */
static const char *const coordinate_words[] = {"coordinates", "coords",    "coord", "xyz",
                                               "xy",          "positions", "x"};

/* Length of what is before such a word: "nodes" of nodes_xyz; 0 when the word is all, -1 when there is none. */
static int64_t coordinate_prefix(const char *name)
{
    size_t length = strlen(name);
    for (size_t w = 0; w < sizeof coordinate_words / sizeof *coordinate_words; w++) {
        size_t n = strlen(coordinate_words[w]);
        if (strcmp(name, coordinate_words[w]) == 0)
            return 0;
        if (ends_with(name, length, coordinate_words[w]) && name[length - n - 1] == '_')
            return (int64_t)(length - n - 1);
    }
    return -1;
}

/* What a map's sets are called. */
static mplan_status name_map(npz_reader *reader, npz_array *array, mplan_error *err)
{
    mplan_table_options options = MPLAN_TABLE_OPTIONS_INIT;
    mplan_mesh *none = NULL;
    /* savez calls arrays without a name arr_0 ...: then the archive's name says it */
    bool nameless = strncmp(array->name, "arr_", 4) == 0;
    mplan_status status = mplan_mesh_create(&none, err);
    options.name = nameless ? NULL : array->name;
    if (!status)
        status = mplan_table_names_find(none, nameless ? reader->archive->path : "", &options,
                                        &array->names, err);
    mplan_mesh_free(none);
    if (status || nameless || strcmp(array->names.from, "elements") != 0 ||
        strncmp(array->name, "elements_", 9) == 0)
        return status;
    free(array->names.from);
    array->names.from = mplan_strdup(array->name, err);
    return array->names.from ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* --- what is there ----------------------------------------------------------------- */

/* NULL if the archive has none of this name. */
static npz_array *find_array(npz_reader *reader, const char *name)
{
    for (int64_t i = 0; i < reader->n_arrays; i++)
        if (strcmp(reader->arrays[i].name, name) == 0)
            return &reader->arrays[i];
    return NULL;
}

/* "ARCHIVE: NAME.npy", for messages. */
static char *join_path(const char *archive, const char *name, mplan_error *err)
{
    size_t size = strlen(archive) + strlen(name) + 8;
    char *path = mplan_alloc((int64_t)size, 1, err);
    if (path)
        snprintf(path, size, "%s: %s.npy", archive, name);
    return path;
}

/* Takes the members that end on .npy. */
static mplan_status list_arrays(npz_reader *reader, mplan_error *err)
{
    const mplan_zip_member *members = reader->members.data;
    if (reader->members.count > MOST_ARRAYS)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: the archive has %lld members, but at most %d are supported",
                          reader->archive->path, (long long)reader->members.count, MOST_ARRAYS);
    reader->arrays = mplan_alloc_zero(reader->members.count, sizeof *reader->arrays, err);
    if (!reader->arrays)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < reader->members.count; i++) {
        npz_array *array = &reader->arrays[reader->n_arrays];
        size_t length = members[i].length;
        bool plain = length < MOST_NAME && ends_with(members[i].name, length, ".npy");
        for (size_t k = 0; k < length && plain; k++)
            plain = members[i].name[k] > 0x20 && members[i].name[k] < 0x7f;
        if (!plain) {
            reader->n_others++;
            continue;
        }
        memcpy(array->name, members[i].name, length - 4);
        array->name[length - 4] = '\0';
        array->member = &members[i];
        bool again = find_array(reader, array->name);
        reader->n_arrays++;
        if (again)
            return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: byte %lld: a second member %s.npy",
                              reader->archive->path, (long long)members[i].header, array->name);
        array->path = join_path(reader->archive->path, array->name, err);
        if (!array->path)
            return MPLAN_ERR_MEMORY;
    }
    return MPLAN_OK;
}

/* All that the archive's directory says it holds, so that the sum is known before the first is inflated. */
static mplan_status limit_members(const npz_reader *reader, mplan_error *err)
{
    const mplan_zip_member *members = reader->members.data;
    uint64_t total = 0;
    for (int64_t i = 0; i < reader->members.count; i++)
        total += members[i].method ? (uint64_t)members[i].size : 0;
    return mplan_limit_inflated(reader->context, reader->archive->path, total, err);
}

/* Reads what is of use: tables and coordinates. A type that is not supported is none. */
static mplan_status read_array(npz_reader *reader, npz_array *array, mplan_error *err)
{
    mplan_input input = {array->path, NULL, (size_t)array->member->size, NULL};
    uint8_t *owned;
    mplan_error why;
    mplan_status status = mplan_zip_member_data(reader->archive, array->member, &input.data, &owned,
                                                reader->context, err);
    if (status)
        return status;
    status = mplan_npy_parse(&input, &array->header, &why);
    const mplan_npy_header *header = &array->header;
    bool real = header->kind == 'f', table = !status && header->ndim == 2;
    if (table && real && (header->shape[1] == 2 || header->shape[1] == 3))
        array->kind = NPZ_COORDINATES;
    else if (table && !real)
        array->kind = coordinate_prefix(array->name) >= 0 ? NPZ_COORDINATES : NPZ_MAP;
    else if (!status && header->ndim == 1 && !real)
        array->kind = NPZ_VALUES; /* if its offsets are there */
    if (status && status != MPLAN_ERR_UNSUPPORTED)
        status = mplan_fail(err, status, "%s", why.text);
    else
        status = array->kind == NPZ_OTHER
                     ? MPLAN_OK
                     : mplan_npy_read_numbers(&input, false, &array->numbers, err);
    free(owned);
    return status;
}

/* An array that is neither a map nor coordinates: counted for one warning. */
static void pass_over(npz_reader *reader, npz_array *array)
{
    array->kind = NPZ_OTHER;
    mplan_numbers_free(&array->numbers);
    if (!reader->other)
        reader->other = array->name;
    reader->n_others++;
}

/* Pairs arrays of one dimension with their offsets. */
static mplan_status pair_offsets(npz_reader *reader, mplan_error *err)
{
    for (int64_t i = 0; i < reader->n_arrays; i++) {
        npz_array *array = &reader->arrays[i];
        char name[MOST_NAME + 10];
        if (array->kind != NPZ_VALUES || ends_with(array->name, strlen(array->name), "_offsets"))
            continue;
        snprintf(name, sizeof name, "%s_offsets", array->name);
        npz_array *offsets = find_array(reader, name);
        if (!offsets || offsets->kind != NPZ_VALUES)
            continue;
        int64_t n = offsets->numbers.rows, before = 0;
        int64_t *to = mplan_alloc(n > 0 ? n : 1, sizeof *to, err);
        if (!to)
            return MPLAN_ERR_MEMORY;
        mplan_status status = MPLAN_OK;
        for (int64_t r = 0; r < n && !status; r++) {
            int64_t value = offsets->numbers.i32 ? offsets->numbers.i32[r] : offsets->numbers.i64[r];
            if (r == 0 ? value != 0 : value < before || value - before > INT32_MAX)
                status = mplan_fail(err, MPLAN_ERR_MESH,
                                    "%s: row %" PRId64 ", column 1: the offset is %" PRId64
                                    ", but offsets must ascend from 0",
                                    offsets->path, r + 1, value);
            to[r] = before = value;
        }
        if (!status && (n == 0 || before != array->numbers.rows))
            status = mplan_fail(err, MPLAN_ERR_MESH,
                                "%s: row %" PRId64 ", column 1: the last offset is %" PRId64
                                ", but %s has %" PRId64 " values",
                                offsets->path, n, before, array->name, array->numbers.rows);
        if (status) {
            free(to);
            return status;
        }
        array->numbers.offsets = to;
        array->numbers.rows = n - 1;
        array->numbers.cols = 0;
        array->kind = NPZ_MAP;
        offsets->kind = NPZ_OFFSETS;
        mplan_numbers_free(&offsets->numbers);
    }
    return MPLAN_OK;
}

/* 0 unless the options say otherwise: members of an archive have no options of their own. */
static int64_t base_of(const npz_reader *reader)
{
    return reader->options && reader->options->table ? reader->options->table->base : 0;
}

/* One more than the largest number, as a member; numbers beyond 32 bits are left to the table's checks. */
static int64_t least_size(const npz_reader *reader, const mplan_numbers *numbers)
{
    int64_t n = numbers->offsets ? numbers->offsets[numbers->rows] : numbers->rows * numbers->cols;
    int32_t most = INT32_MIN;
    for (int64_t i = 0; numbers->i32 && i < n; i++)
        most = most > numbers->i32[i] ? most : numbers->i32[i];
    int64_t size = (int64_t)most - base_of(reader) + 1;
    return size > 0 ? size : 0;
}

/* Offsets are paired with the entries they belong to before sets are looked for. */
static mplan_status read_arrays(npz_reader *reader, mplan_error *err)
{
    mplan_status status = list_arrays(reader, err);
    for (int64_t i = 0; i < reader->n_arrays && !status; i++)
        status = read_array(reader, &reader->arrays[i], err);
    if (!status)
        status = pair_offsets(reader, err);
    for (int64_t i = 0; i < reader->n_arrays && !status; i++) {
        npz_array *array = &reader->arrays[i];
        if (array->kind == NPZ_VALUES || array->kind == NPZ_OTHER)
            pass_over(reader, array);
        if (array->kind == NPZ_MAP) {
            array->least = least_size(reader, &array->numbers);
            status = name_map(reader, array, err);
        }
    }
    return status;
}

/* --- sizes of sets ------------------------------------------------------------------ */

/* Coordinates that the name says to be those of the set. */
static bool named_for(const npz_array *array, const char *set)
{
    int64_t prefix = coordinate_prefix(array->name);
    size_t length = strlen(set);
    if (strcmp(array->name, set) == 0)
        return true;
    return prefix > 0 && (size_t)prefix == length && memcmp(array->name, set, length) == 0;
}

/* What the rows of other arrays say about a set's size; -1 when nothing does. */
static int64_t told_size(const npz_reader *reader, const char *set)
{
    for (int64_t i = 0; i < reader->n_arrays; i++) {
        const npz_array *array = &reader->arrays[i];
        if (array->kind == NPZ_MAP && strcmp(array->names.from, set) == 0)
            return array->numbers.rows;
        if (array->kind == NPZ_COORDINATES && named_for(array, set))
            return array->numbers.rows;
    }
    return -1;
}

/* Of a to-set: told, or what its largest number needs. */
static int64_t size_of_set(const npz_reader *reader, const char *set)
{
    int64_t size = told_size(reader, set), least = 0;
    if (size >= 0)
        return size;
    for (int64_t i = 0; i < reader->n_arrays; i++) {
        const npz_array *array = &reader->arrays[i];
        if (array->kind == NPZ_MAP && strcmp(array->names.to, set) == 0)
            least = least > array->least ? least : array->least;
    }
    return least;
}

/* Coordinates that are only called coordinates belong to the only set whose size is not told. */
static const npz_array *lone_coordinates(const npz_reader *reader)
{
    const npz_array *found = NULL;
    for (int64_t i = 0; i < reader->n_arrays; i++)
        if (reader->arrays[i].kind == NPZ_COORDINATES) {
            if (found)
                return NULL;
            found = &reader->arrays[i];
        }
    return found && coordinate_prefix(found->name) == 0 ? found : NULL;
}

/* The only to-set that no array tells the size of, NULL where there are none or several. */
static const char *lone_set(const npz_reader *reader)
{
    const char *found = NULL;
    for (int64_t i = 0; i < reader->n_arrays; i++) {
        const npz_array *array = &reader->arrays[i];
        if (array->kind != NPZ_MAP || told_size(reader, array->names.to) >= 0)
            continue;
        if (found && strcmp(found, array->names.to) != 0)
            return NULL;
        found = array->names.to;
    }
    return found;
}

/* Sizes of sets are known only when all maps have been looked at. */
static mplan_status add_maps(npz_reader *reader, mplan_mesh *mesh, mplan_error *err)
{
    const npz_array *lone = lone_coordinates(reader);
    const char *unsized = lone ? lone_set(reader) : NULL;
    int64_t n_maps = 0, *sizes = mplan_alloc(reader->n_arrays, sizeof *sizes, err);
    mplan_status status = sizes ? MPLAN_OK : MPLAN_ERR_MEMORY;
    /* all sizes first: a map's numbers are gone once it is made */
    for (int64_t i = 0; i < reader->n_arrays && !status; i++)
        if (reader->arrays[i].kind == NPZ_MAP) {
            sizes[i] = size_of_set(reader, reader->arrays[i].names.to);
            if (unsized && strcmp(unsized, reader->arrays[i].names.to) == 0 &&
                lone->numbers.rows >= sizes[i])
                sizes[i] = lone->numbers.rows;
            n_maps++;
        }
    if (!status && n_maps == 0)
        status = mplan_fail(err, MPLAN_ERR_MESH,
                            "%s: the archive has no mapping table, an array of whole numbers "
                            "with two dimensions",
                            reader->archive->path);
    for (int64_t i = 0; i < reader->n_arrays && !status; i++) {
        npz_array *array = &reader->arrays[i];
        if (array->kind != NPZ_MAP)
            continue;
        mplan_table_options options = MPLAN_TABLE_OPTIONS_INIT;
        if (reader->options && reader->options->table)
            options = *reader->options->table;
        options.name = array->names.name;
        options.from = array->names.from;
        options.to = array->names.to;
        options.from_size = -1;
        options.to_size = sizes[i];
        options.transposed = false;
        status = mplan_table_from_numbers(mesh, array->path, &array->numbers, &options, NULL, err);
        if (!status)
            status = mplan_interrupted(reader->context, err);
    }
    free(sizes);
    return status;
}

/* --- coordinates -------------------------------------------------------------------- */

/* Such sets have a size of their own. */
static bool is_from_set(const mplan_mesh *mesh, int32_t set)
{
    for (int32_t m = 0; m < mplan_mesh_n_maps(mesh); m++)
        if (mplan_mesh_map(mesh, m).from == set)
            return true;
    return false;
}

/* The only set of so many members, among those that only maps lead to (points, not elements), or among all;
 * -1 where there are none or several. */
static int32_t set_of_size(const mplan_mesh *mesh, int64_t size, bool all)
{
    int32_t found = -1;
    for (int32_t s = 0; s < mplan_mesh_n_sets(mesh); s++)
        if (mplan_mesh_set(mesh, s).size == size && (all || !is_from_set(mesh, s))) {
            if (found >= 0)
                return -1;
            found = s;
        }
    return found;
}

/* The set that coordinates belong to; -1 when that cannot be told. */
static int32_t set_of(const mplan_mesh *mesh, const npz_array *array)
{
    for (int32_t s = 0; s < mplan_mesh_n_sets(mesh); s++)
        if (named_for(array, mplan_mesh_set(mesh, s).name))
            return s;
    int32_t found = set_of_size(mesh, array->numbers.rows, false);
    return found >= 0 ? found : set_of_size(mesh, array->numbers.rows, true);
}

/* Two or three columns and as many rows as the set has members. */
static mplan_status add_coordinates(npz_reader *reader, npz_array *array, mplan_mesh *mesh,
                                    mplan_error *err)
{
    int32_t set = set_of(mesh, array), dimension = 0;
    if (set >= 0 && coordinate_prefix(array->name) < 0)
        mplan_mesh_coordinates(mesh, set,
                               &dimension); /* others go by the name of coordinates: these are data */
    if (set < 0 || dimension > 0 || (array->numbers.cols != 2 && array->numbers.cols != 3) ||
        array->numbers.rows != mplan_mesh_set(mesh, set).size) {
        pass_over(reader, array);
        return MPLAN_OK;
    }
    mplan_status status = mplan_numbers_to_real(&array->numbers, err);
    if (status)
        return status;
    double *reals = array->numbers.f64;
    array->numbers.f64 = NULL;
    status = mplan_mesh_take_coordinates(mesh, set, (int32_t)array->numbers.cols, reals, err);
    return status && status != MPLAN_ERR_MEMORY ? mplan_fail_prefix(err, status, array->path)
                                                : status;
}

/* Those by name first. */
static mplan_status add_all_coordinates(npz_reader *reader, mplan_mesh *mesh, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t named = 1; named >= 0; named--)
        for (int64_t i = 0; i < reader->n_arrays && !status; i++)
            if (reader->arrays[i].kind == NPZ_COORDINATES &&
                (coordinate_prefix(reader->arrays[i].name) >= 0) == (named == 1))
                status = add_coordinates(reader, &reader->arrays[i], mesh, err);
    return status;
}

/* What the archive holds, inflated, and which sizes nothing but the largest number of a map tells. */
static void note_sizes(const npz_reader *reader, mplan_mesh *mesh)
{
    for (int64_t i = 0; i < reader->n_arrays; i++)
        if (reader->arrays[i].member->method)
            mplan_mesh_note_input(mesh, (uint64_t)reader->arrays[i].member->size);
    for (int32_t s = 0; s < mesh->n_sets; s++)
        mesh->sets[s].by_largest = !is_from_set(mesh, s) && mesh->sets[s].dimension == 0 &&
                                   told_size(reader, mesh->sets[s].name) < 0;
}

/* --- the format ---------------------------------------------------------------------- */

/* All members are read before the first map is made, since a set's size may be known from its
 * coordinates only. */
static mplan_status read_npz(const mplan_input *input, const mplan_read_options *options,
                             const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    npz_reader reader = {.archive = input,
                         .options = options,
                         .context = context,
                         .members = MPLAN_VECTOR_INIT(sizeof(mplan_zip_member))};
    mplan_status status = mplan_zip_list(input, &reader.members, err);
    if (!status)
        status = limit_members(&reader, err);
    if (!status)
        status = read_arrays(&reader, err);
    if (!status)
        status = add_maps(&reader, mesh, err);
    if (!status)
        status = add_all_coordinates(&reader, mesh, err);
    if (!status)
        note_sizes(&reader, mesh);
    if (!status && reader.n_others > 0)
        mplan_warn(context, "%s: %lld members are neither maps nor coordinates and are skipped%s%s",
                   input->path, (long long)reader.n_others, reader.other ? ", the first is " : "",
                   reader.other ? reader.other : "");
    free_arrays(&reader);
    return status;
}

/* A zip archive whose first member ends in .npy. */
static mplan_recognised recognise_npz(const uint8_t *data, size_t size)
{
    static const char ending[] = ".npy";
    if (!mplan_zip_recognise(data, size))
        return MPLAN_RECOGNISED_NO;
    if (size < 30)
        return MPLAN_RECOGNISED_BY_NAME;
    size_t length = data[26] | (size_t)data[27] << 8; /* of the first member's name */
    bool array = length > 4 && size - 30 >= length && memcmp(data + 30 + length - 4, ending, 4) == 0;
    return array ? MPLAN_RECOGNISED_YES : MPLAN_RECOGNISED_BY_NAME;
}

const mplan_file_format mplan_format_npz = {
    .name = "npz",
    .description = "NumPy archive: several mapping tables and coordinates, named as their members",
    .extensions = ".npz",
    .recognise = recognise_npz,
    .read = read_npz,
    .write = mplan_npz_write,
};
