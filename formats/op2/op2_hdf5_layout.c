/* SPDX-License-Identifier: Apache-2.0 */
/* op2_hdf5_layout.c - where the datasets of an OP2 file are
 *
 * Which sets a map has may only be known when its numbers are (op2_hdf5.c): the layout says so, and read_op2.c follows the
 * same rules. Names with an arrow make sets as op2_hdf5.c makes them. */
#include "formats/op2/op2_hdf5_layout.h"

#ifdef MPLAN_HAVE_HDF5
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "formats/hdf5_place.h"

/* Datasets without numbers need no place in the file. */
static mplan_status place_dataset(const mplan_op2_file *file, const mplan_op2_table *of,
                                  mplan_places *layout, int32_t *index, mplan_error *err)
{
    mplan_places_array array = {.at = -1, .rows = of->rows, .cols = of->cols};
    char what[OP2_NAME_SIZE + 64];
    const hid_t dataset = H5Dopen2(file->file, of->name, H5P_DEFAULT);
    if (dataset >= 0) {
        mplan_hdf5_place(dataset, &array);
        H5Dclose(dataset);
    }
    snprintf(what, sizeof what, "dataset %s is not in one piece (chunks, compression)", of->name);
    if ((array.at < 0 && of->rows > 0 && of->cols > 0) || array.size == 0)
        return mplan_places_refuse(file->input->path, what, err);
    memcpy(array.member, of->name, strlen(of->name));
    array.at = array.at < 0 ? 0 : array.at;
    return mplan_places_add_array(layout, &array, (int64_t)file->input->size, index, err);
}

/* A map of one column that names no set may as well be data. -1 means none but in cells. */
mplan_status mplan_op2_place_map(const mplan_op2_file *file, const mplan_op2_table *of,
                                 const char *const names[3], int32_t type, mplan_places *layout,
                                 mplan_places_table **table, mplan_error *err)
{
    assert(file && of && names && layout);
    int32_t array = -1;
    mplan_places_table *added = NULL;
    mplan_status status = place_dataset(file, of, layout, &array, err);
    if (!status)
        status = mplan_places_add_table(layout, names[0], names[1], names[2], &added, err);
    if (!status) {
        added->perhaps = of->cols == 1 && type < 0 && !*names[1];
        added->has_none = type < 0;
        if (table)
            *table = added;
        status = mplan_places_add_block(layout, array, type, NULL, err);
    }
    return status;
}

/* All axes are in one row. */
mplan_status mplan_op2_place_points(const mplan_op2_file *file, const mplan_op2_table *of,
                                    mplan_places *layout, mplan_error *err)
{
    assert(file && of && layout && mplan_op2_is_coordinates(of));
    mplan_places_points *points = NULL;
    mplan_status status = mplan_places_add_points(layout, of->name, (int32_t)of->cols, &points, err);
    return status ? status : place_dataset(file, of, layout, &points->array[0], err);
}

/* --- arrows ------------------------------------------------------------------------------------- */

/* The name of the set that a word means: of a set that is known or that a map before it makes, else the word with an s. */
static void name_of_word(const mplan_places *layout, const char *word, size_t length,
                         char name[MPLAN_PLACES_NAME])
{
    const mplan_places_set *sets = layout->sets.data;
    const mplan_places_table *tables = layout->tables.data;
    for (int64_t s = 0; s < layout->sets.count; s++)
        if (mplan_op2_is_word_of(sets[s].name, word, length)) {
            memcpy(name, sets[s].name, MPLAN_PLACES_NAME);
            return;
        }
    for (int64_t t = 0; t < layout->tables.count; t++)
        for (int end = 0; tables[t].makes_sets && end < 2; end++) {
            const char *made = end ? tables[t].to : tables[t].from;
            if (mplan_op2_is_word_of(made, word, length)) {
                memcpy(name, made, MPLAN_PLACES_NAME);
                return;
            }
        }
    const bool plural = length > 0 && word[length - 1] == 's';
    snprintf(name, MPLAN_PLACES_NAME, "%.*s%s", (int)length, word, plural ? "" : "s");
}

/* Sizes that the set of a word may have, in the order in which op2_hdf5.c tries them: those that are not larger than one before
 * never count. */
static mplan_status take_sizes(const mplan_op2_file *file, const char *word, size_t length,
                               mplan_places_table *table, mplan_error *err)
{
    for (int64_t t = 0; t < file->n_tables; t++) {
        const int64_t rows = file->tables[t].rows;
        if (!mplan_op2_tells_size(&file->tables[t], word, length) ||
            (table->n_sizes > 0 && rows <= table->sizes[table->n_sizes - 1]))
            continue;
        if (table->n_sizes == MPLAN_PLACES_SIZES)
            return mplan_places_refuse(file->input->path,
                                       "a set has dats of too many sizes in its name", err);
        table->sizes[table->n_sizes++] = rows;
    }
    return MPLAN_OK;
}

/* "from-->to", whose attributes do not name sets that are there. */
static mplan_status place_arrow(const mplan_op2_file *file, const mplan_op2_table *of,
                                const char *arrow, mplan_places *layout, mplan_error *err)
{
    char from[MPLAN_PLACES_NAME] = "", to[MPLAN_PLACES_NAME] = "";
    const char *const names[] = {of->name, from, to};
    const char *word = arrow + 3;
    const size_t length = strcspn(word, ".-"), before = (size_t)(arrow - of->name);
    mplan_places_table *table = NULL;
    name_of_word(layout, of->name, before, from);
    name_of_word(layout, word, length, to);
    mplan_status status = mplan_op2_place_map(file, of, names, -1, layout, &table, err);
    if (!status) {
        table->perhaps = false;
        table->makes_sets = true;
        status = take_sizes(file, word, length, table, err);
    }
    return status;
}

/* --- the file ------------------------------------------------------------------------------------ */

/* Whether a set of this name is listed. */
static bool has_set(const mplan_places *layout, const char *name)
{
    const mplan_places_set *sets = layout->sets.data;
    for (int64_t s = 0; s < layout->sets.count; s++)
        if (strcmp(sets[s].name, name) == 0)
            return true;
    return false;
}

static mplan_status place_sets(const mplan_op2_file *file, mplan_places *layout, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t t = 0; t < file->n_tables && !status; t++) {
        const mplan_op2_table *of = &file->tables[t];
        if (of->kind == OP2_KIND_SET)
            status = of->value < 0 ? mplan_op2_fail_table(file, of, MPLAN_ERR_MESH,
                                                          "is not the size of a set", err)
                                   : mplan_places_add_set(layout, of->name, of->value, err);
    }
    return status;
}

/* Sets first, so that they have the lowest numbers and maps find them. Of the dats only coordinates are taken. */
mplan_status mplan_op2_place_tables(const mplan_op2_file *file, mplan_places *layout, mplan_error *err)
{
    assert(file && layout);
    layout->flags |= MPLAN_PLACES_OP2 | MPLAN_PLACES_GROUPS;
    mplan_status status = place_sets(file, layout, err);
    for (int64_t t = 0; t < file->n_tables && !status; t++) {
        const mplan_op2_table *of = &file->tables[t];
        const char *arrow = strstr(of->name, "-->");
        const char *const names[] = {of->name, of->from, of->to};
        if (of->kind != OP2_KIND_MAP)
            continue;
        status = arrow && !(has_set(layout, of->from) && has_set(layout, of->to))
                     ? place_arrow(file, of, arrow, layout, err)
                     : mplan_op2_place_map(file, of, names, -1, layout, NULL, err);
    }
    for (int64_t t = 0; t < file->n_tables && !status; t++)
        if (mplan_op2_is_coordinates(&file->tables[t]))
            status = mplan_op2_place_points(file, &file->tables[t], layout, err);
    return status;
}
#else
typedef int mplan_no_op2_layout;
#endif
