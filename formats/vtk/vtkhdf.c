/* SPDX-License-Identifier: Apache-2.0 */
/* vtkhdf.c - VTK's HDF5 files (.vtkhdf) of unstructured grids and PolyData, versions 1 and 2
 *
 * After VTK's documentation, "VTKHDF File Format". The group VTKHDF is a grid (vtkhdf_grid.c), or holds grids by their names,
 * which are zones: together they are one mesh of disjoint cells, each a group. */
#include "formats/contained_formats.h"
#include "formats/hdf5/hdf5_tree.h"

#ifdef MPLAN_HAVE_HDF5
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/vtk/vtkhdf.h"

#define ROOT "VTKHDF"

/* Names in VTKHDF that are looked at; a composite file has one for each of its grids. */
enum { MOST_BLOCKS = 4096 };

static mplan_status fail(const mplan_vtkhdf *reader, const char *path, mplan_status status,
                         const char *what, mplan_error *err)
{
    return mplan_hdf5_fail(&reader->tree, path, status, what, err);
}

/* path: out, `folder`/`name`; false where that is too long. */
static bool join(char path[MPLAN_HDF5_PATH], const char *folder, const char *name)
{
    int n = snprintf(path, MPLAN_HDF5_PATH, "%s/%s", folder, name);
    return n > 0 && n < MPLAN_HDF5_PATH;
}

/* --- blocks ------------------------------------------------------------------------------------- */

/* Grows an array of cells by n entries of a size. False without memory.
 * array: the address of a pointer to `old` entries, which keep their values; the new ones are unset. After a failure
 * the pointer is as before. */
static bool grow(void *array, int64_t old, int64_t n, size_t size, mplan_error *err)
{
    void *at;
    memcpy(&at, array, sizeof at);
    void *grown = mplan_realloc(at, old + n, size, err);
    if (grown)
        memcpy(array, &grown, sizeof grown);
    return grown != NULL;
}

/* A field of the whole with `first` zeros, or the one of that name.
 * first: cells of the blocks before, which do not have the field. NULL without memory. */
static mplan_vtk_field *field_of(mplan_vtk_cells *whole, const mplan_vtk_field *from, int64_t first,
                                 mplan_error *err)
{
    for (int64_t f = 0; f < whole->n_fields; f++)
        if (!whole->fields[f].marks && strcmp(whole->fields[f].name, from->name) == 0)
            return &whole->fields[f];
    mplan_vtk_field made = {from->name, first, mplan_alloc_zero(first, sizeof *made.values, err),
                            false, false};
    return made.values && !mplan_vtk_take_field(whole, &made, err)
               ? &whole->fields[whole->n_fields - 1]
               : NULL;
}

/* Numbers of groups: 0 in blocks that have none of them.
 * first: cells of the blocks before. Afterwards each field but the marks has first + block->n_cells numbers. */
static mplan_status append_fields(mplan_vtk_cells *whole, const mplan_vtk_cells *block,
                                  int64_t first, mplan_error *err)
{
    for (int64_t f = 0; f < block->n_fields; f++)
        if (!field_of(whole, &block->fields[f], first, err))
            return MPLAN_ERR_MEMORY;
    for (int64_t f = 0; f < whole->n_fields; f++) {
        mplan_vtk_field *field = &whole->fields[f];
        if (field->marks)
            continue;
        if (!grow((void *)&field->values, first, block->n_cells, sizeof *field->values, err))
            return MPLAN_ERR_MEMORY;
        field->n = first + block->n_cells;
        memset(field->values + first, 0, (size_t)block->n_cells * sizeof *field->values);
        for (int64_t b = 0; b < block->n_fields; b++)
            if (strcmp(block->fields[b].name, field->name) == 0)
                memcpy(field->values + first, block->fields[b].values,
                       (size_t)block->n_cells * sizeof *field->values);
    }
    return MPLAN_OK;
}

/* The cells of a block are a group of its name.
 * They are [first, first + n) of the whole; a block without cells makes no group. */
static mplan_status mark_block(mplan_vtk_cells *whole, const char *name, int64_t first, int64_t n,
                               mplan_error *err)
{
    mplan_vtk_field made = {(char *)(uintptr_t)name, n, mplan_alloc(n, sizeof *made.values, err),
                            true, false};
    for (int64_t i = 0; made.values && i < n; i++)
        made.values[i] = (int32_t)(first + i);
    if (!made.values)
        return MPLAN_ERR_MEMORY;
    if (n > 0)
        return mplan_vtk_take_field(whole, &made, err);
    free(made.values);
    return MPLAN_OK;
}

/* The cells of a block behind those that are there.
 * Points are numbered on from those of the whole, and offsets count on: the first of the block is the last of the
 * whole. Blocks share no points. */
static mplan_status append_block(const mplan_vtkhdf *reader, const char *name, mplan_vtk_cells *whole,
                                 const mplan_vtk_cells *block, mplan_error *err)
{
    const int64_t cell = whole->n_cells, point = whole->n_points,
                  entry = whole->offsets ? whole->offsets[cell] : 0;
    const int64_t entries = block->offsets[block->n_cells];
    if (block->n_cells >= INT32_MAX - cell || block->n_points >= INT32_MAX - point)
        return fail(reader, name, MPLAN_ERR_UNSUPPORTED, "has points or cells that exceed 32 bits",
                    err);
    if (!grow((void *)&whole->types, cell, block->n_cells, 1, err) ||
        !grow((void *)&whole->offsets, cell, block->n_cells + 1, sizeof *whole->offsets, err) ||
        !grow((void *)&whole->points, entry, entries, sizeof *whole->points, err) ||
        !grow((void *)&whole->xyz, 3 * point, 3 * block->n_points, sizeof *whole->xyz, err))
        return MPLAN_ERR_MEMORY;
    memcpy(whole->types + cell, block->types, (size_t)block->n_cells);
    memcpy(whole->xyz + 3 * point, block->xyz, 3 * (size_t)block->n_points * sizeof *whole->xyz);
    for (int64_t c = 0; c <= block->n_cells; c++)
        whole->offsets[cell + c] = entry + block->offsets[c];
    for (int64_t i = 0; i < entries; i++)
        whole->points[entry + i] = (int32_t)(point + block->points[i]);
    whole->n_cells += block->n_cells;
    whole->n_points += block->n_points;
    mplan_status status = append_fields(whole, block, cell, err);
    return status ? status : mark_block(whole, name, cell, block->n_cells, err);
}

/* What blocks there are, for messages.
 * n counts all of them; names: separated by commas, cut where the room ends. */
typedef struct block_list {
    char names[384];
    int64_t n;
} block_list;

/* Groups of VTKHDF that are grids, all or the one that is wanted; *found: how many were read. */
static mplan_status read_blocks(const mplan_vtkhdf *reader, const char *wanted, block_list *list,
                                int64_t *found, mplan_vtk_cells *cells, mplan_error *err)
{
    char name[MPLAN_HDF5_NAME], path[MPLAN_HDF5_PATH], kind[64];
    const int64_t n = mplan_hdf5_n_names(&reader->tree, ROOT);
    mplan_status status = MPLAN_OK;
    size_t used = 0;
    *found = 0;
    for (int64_t i = 0; i < n && i < MOST_BLOCKS && !status; i++) {
        mplan_vtk_cells block = {0};
        bool other = false;
        if (!mplan_hdf5_name(&reader->tree, ROOT, i, name) || !join(path, ROOT, name) ||
            !mplan_hdf5_text_attribute(&reader->tree, path, "Type", kind, sizeof kind))
            continue;
        list->n++;
        if (used < sizeof list->names)
            used += (size_t)snprintf(list->names + used, sizeof list->names - used, "%s%.64s",
                                     used ? ", " : "", name);
        if (wanted && strcmp(wanted, "all") != 0 && strcmp(wanted, name) != 0)
            continue;
        status = mplan_vtkhdf_read_grid(reader, path, &other, &block, err);
        if (!status && other)
            mplan_warn(reader->tree.context, "%s: %s of type %.40s is skipped",
                       reader->tree.input->path, path, kind);
        if (!status && !other)
            status = append_block(reader, name, cells, &block, err);
        *found += !status && !other;
        mplan_vtk_cells_free(&block);
    }
    return status;
}

/* zone: the name of a block, "all" or NULL.
 * cells: zeroed; released by the caller, also after a failure. */
static mplan_status read_composite(const mplan_vtkhdf *reader, const char *zone,
                                   mplan_vtk_cells *cells, mplan_error *err)
{
    block_list list = {.n = 0};
    int64_t found = 0;
    mplan_status status = read_blocks(reader, zone, &list, &found, cells, err);
    if (!status && found == 0 && zone && list.n > 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: there is no grid '%.64s' among %s",
                          reader->tree.input->path, zone, list.names);
    if (!status && found == 0)
        return fail(reader, ROOT, MPLAN_ERR_UNSUPPORTED,
                    "holds neither an unstructured grid nor PolyData", err);
    if (!status && found > 1 && !zone)
        mplan_warn(reader->tree.context,
                   "%s: %lld grids (%s) are read as one mesh of disjoint cells, a group each; --zone "
                   "NAME reads one",
                   reader->tree.input->path, (long long)found, list.names);
    return status;
}

/* Composite files hold grids in groups; of them `zone` is read, or all. The cells go to the
 * same end as those of .vtu and .vtk files. */
static mplan_status read_vtkhdf(const mplan_input *input, const mplan_read_options *options,
                                const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    mplan_vtkhdf reader = {.group_array = options ? options->group_array : NULL};
    const char *zone = options ? options->zone : NULL;
    char kind[64] = "";
    mplan_vtk_cells cells = {0};
    bool other = false;
    mplan_status status = mplan_hdf5_begin(&reader.tree, input, context, err);
    if (status)
        return status;
    mplan_hdf5_text_attribute(&reader.tree, ROOT, "Type", kind, sizeof kind);
    if (strcmp(kind, "PartitionedDataSetCollection") == 0 || strcmp(kind, "MultiBlockDataSet") == 0)
        status = read_composite(&reader, zone, &cells, err);
    else
        status = mplan_vtkhdf_read_grid(&reader, ROOT, &other, &cells, err);
    if (!status && other)
        status = fail(&reader, ROOT, MPLAN_ERR_UNSUPPORTED,
                      "holds neither an unstructured grid nor PolyData", err);
    mplan_hdf5_end(&reader.tree);
    cells.group_array = reader.group_array;
    if (!status)
        return mplan_vtk_take_cells(input->path, &cells, mesh, context, err);
    mplan_vtk_cells_free(&cells);
    return status;
}
#elif defined MPLAN_HELPER_HDF5
MPLAN_CONTAINED_READER(read_vtkhdf, "vtkhdf")
#endif

/* The group that all is in. */
static mplan_recognised recognise_vtkhdf(const uint8_t *data, size_t size)
{
    return mplan_hdf5_holds(data, size, "VTKHDF", "VTKHDF") ? MPLAN_RECOGNISED_YES
                                                            : MPLAN_RECOGNISED_NO;
}

const mplan_file_format mplan_format_vtkhdf = {
    .name = "vtkhdf",
    .description = "VTK's HDF5 files: unstructured grids and PolyData, in parts and blocks",
    .extensions = ".vtkhdf",
    .zones = MPLAN_ZONES_JOINED,
    .group_arrays = true,
    .recognise = recognise_vtkhdf,
    MPLAN_READ_BY_HDF5(read_vtkhdf),
};
