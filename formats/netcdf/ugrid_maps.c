/* SPDX-License-Identifier: Apache-2.0 */
/* ugrid_maps.c - connectivities of UGRID files: cells of their nodes, and maps between other sets */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/netcdf/ugrid_parts.h"
#include "formats/prism.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_NETCDF

/* Rows of equal length as they are in the file; -1: none. */
typedef struct ugrid_rows {
    char name[MPLAN_NETCDF_NAME];
    int64_t n;
    int32_t arity;
    int32_t *values;
} ugrid_rows;

/* From [corner][cell] to [cell][corner]. */
static mplan_status transpose_rows(ugrid_rows *rows, mplan_error *err)
{
    int32_t *transposed = mplan_alloc(rows->n * rows->arity, sizeof *transposed, err);
    if (!transposed)
        return MPLAN_ERR_MEMORY;
    for (int32_t k = 0; k < rows->arity; k++)
        for (int64_t r = 0; r < rows->n; r++)
            transposed[r * rows->arity + k] = rows->values[k * rows->n + r];
    free(rows->values);
    rows->values = transposed;
    return MPLAN_OK;
}

/* Numbers in the file begin at 0 or 1. */
static mplan_status start_index(const mplan_ugrid *reader, const mplan_netcdf_variable *variable,
                                int64_t *base, mplan_error *err)
{
    *base = 0;
    mplan_netcdf_whole(&reader->file, variable->id, "start_index", base);
    if (*base == 0 || *base == 1)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "%s: variable %s: start_index must be 0 or 1, not %lld",
                      mplan_ugrid_path(reader), variable->name, (long long)*base);
}

/* A connectivity whose shape fits its sets, before its numbers are read. */
typedef struct ugrid_table {
    mplan_netcdf_variable variable;
    bool transposed; /* rows are along the second dimension */
    int64_t n;
    int32_t arity;
    mplan_netcdf_ids ids; /* missing corners of smaller cells are -1 */
} ugrid_table;

static mplan_status describe_rows(mplan_ugrid *reader, int from, int to, const char *name,
                                  ugrid_table *table, mplan_error *err)
{
    mplan_netcdf_variable *variable = &table->variable;
    int64_t base;
    mplan_status status = mplan_netcdf_need(&reader->file, name, 2, variable, err);
    if (!status)
        status = start_index(reader, variable, &base, err);
    if (status)
        return status;
    table->transposed = mplan_ugrid_transposed(reader, from, to, variable);
    int64_t n = variable->length[table->transposed], arity = variable->length[!table->transposed];
    if (n != reader->size[from])
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: variable %s has %lld rows for %lld %ss",
                          mplan_ugrid_path(reader), variable->name, (long long)n,
                          (long long)reader->size[from], mplan_ugrid_word[from]);
    if (arity < 1 || arity > INT32_MAX || (mplan_ugrid_arity(reader, from, to) == 2 && arity != 2))
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: variable %s has %lld columns",
                          mplan_ugrid_path(reader), variable->name, (long long)arity);
    table->n = n;
    table->arity = (int32_t)arity;
    table->ids = (mplan_netcdf_ids){
        .base = base, .n_points = reader->size[to], .none = true, .what = mplan_ugrid_word[to]};
    return MPLAN_OK;
}

/* rows: owned by the caller. */
static mplan_status read_rows(mplan_ugrid *reader, int from, int to, ugrid_rows *rows,
                              mplan_error *err)
{
    ugrid_table table;
    mplan_status status = describe_rows(reader, from, to, rows->name, &table, err);
    if (status)
        return status;
    rows->n = table.n;
    rows->arity = table.arity;
    rows->values = mplan_alloc(table.variable.count, sizeof *rows->values, err);
    if (!rows->values)
        return MPLAN_ERR_MEMORY;
    status = mplan_netcdf_read_ids(&reader->file, &table.variable, &table.ids, rows->values, err);
    return !status && table.transposed ? transpose_rows(rows, err) : status;
}

/* What read_rows and pack_rows would read, for a layout. The name of the map is that of its sets. */
static mplan_status place_rows(mplan_ugrid *reader, int from, int to, const char *variable,
                               mplan_places_table **out, mplan_error *err)
{
    char name[64];
    ugrid_table table;
    const char *const names[] = {name, mplan_ugrid_set_name(reader, from),
                                 mplan_ugrid_set_name(reader, to)};
    snprintf(name, sizeof name, "%s_%s", names[1], names[2]);
    mplan_status status = describe_rows(reader, from, to, variable, &table, err);
    return status ? status
                  : mplan_netcdf_place_map(&reader->file, &table.variable, &table.ids, table.n,
                                           table.arity, table.transposed, names, out, err);
}

/* Entries before the first -1; -1 when others follow. */
static int32_t row_length(const ugrid_rows *rows, int64_t r)
{
    const int32_t *row = rows->values + r * rows->arity;
    int32_t n = rows->arity, k = 0;
    while (n > 0 && row[n - 1] < 0)
        n--;
    while (k < n && row[k] >= 0)
        k++;
    return k == n ? n : -1;
}

/* Takes -1 entries at the end of rows out; *offsets stays NULL where there are none. False where
 * a row has one in its midst, which is kept. */
static mplan_status pack_rows(ugrid_rows *rows, int64_t **offsets, bool *packed, mplan_error *err)
{
    int64_t n = 0;
    *offsets = NULL;
    *packed = false;
    for (int64_t r = 0; r < rows->n; r++) {
        int32_t length = row_length(rows, r);
        if (length < 0)
            return MPLAN_OK;
        n += length;
    }
    *packed = true;
    if (n == rows->n * rows->arity)
        return MPLAN_OK;
    int64_t *made = mplan_alloc(rows->n + 1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    int64_t at = made[0] = 0;
    for (int64_t r = 0; r < rows->n; r++) {
        int32_t length = row_length(rows, r);
        for (int32_t k = 0; k < length; k++)
            rows->values[at++] = rows->values[r * rows->arity + k];
        made[r + 1] = at;
    }
    *offsets = made;
    int32_t *fitting = mplan_realloc(rows->values, n, sizeof *fitting, err);
    if (!fitting)
        return MPLAN_ERR_MEMORY;
    rows->values = fitting;
    return MPLAN_OK;
}

/* --- cells ----------------------------------------------------------------------------------- */

/* Types of all cells; *typed is false where a polygon has none. */
static mplan_status type_cells(const mplan_ugrid *reader, const ugrid_rows *rows,
                               const int64_t *offsets, uint8_t *types, bool *typed, mplan_error *err)
{
    *typed = true;
    for (int64_t c = 0; c < rows->n; c++) {
        int64_t n = offsets ? offsets[c + 1] - offsets[c] : rows->arity;
        mplan_cell_type type = mplan_places_type(reader->cell, n);
        types[c] = (uint8_t)type;
        if (type != MPLAN_N_CELL_TYPES)
            continue;
        if (reader->cell == UGRID_FACE && n >= 3)
            *typed = false;
        else
            return mplan_fail(err,
                              reader->cell == UGRID_VOLUME && n > 3 ? MPLAN_ERR_UNSUPPORTED
                                                                    : MPLAN_ERR_MESH,
                              "%s: variable %s: %s %lld has %lld nodes", mplan_ugrid_path(reader),
                              rows->name, mplan_ugrid_word[reader->cell], (long long)c, (long long)n);
    }
    return MPLAN_OK;
}

/* UGRID does not say which way prisms are numbered: their volume does. */
static void orient_prisms(const mplan_ugrid *reader, const uint8_t *types, int32_t *nodes)
{
    int32_t dimension;
    const double *xyz = mplan_mesh_coordinates(reader->mesh, reader->set[UGRID_NODE], &dimension);
    for (int64_t c = 0; dimension == 3 && c < reader->size[UGRID_VOLUME]; c++) {
        if (types[c] == MPLAN_CELL_PRISM6)
            mplan_orient_prism(xyz, nodes);
        nodes += mplan_cell_type_nodes((mplan_cell_type)types[c]);
    }
}

/* Adds the set `cells` with what rows and offsets hold, which it takes over. */
static mplan_status take_cells(mplan_ugrid *reader, ugrid_rows *rows, int64_t *offsets,
                               mplan_error *err)
{
    bool typed;
    uint8_t *types = mplan_alloc(rows->n, sizeof *types, err);
    mplan_status status = types ? type_cells(reader, rows, offsets, types, &typed, err)
                                : MPLAN_ERR_MEMORY;
    if (!status && typed) {
        if (reader->cell == UGRID_VOLUME)
            orient_prisms(reader, types, rows->values);
        free(offsets);
        status = mplan_mesh_take_cells(reader->mesh, reader->size[UGRID_NODE], rows->n, types,
                                       rows->values, err);
        rows->values = NULL;
        reader->set[reader->cell] = mplan_mesh_find_set(reader->mesh, "cells");
        return status;
    }
    free(types);
    if (!status)
        status = mplan_ugrid_add_set(reader, reader->cell, err);
    if (status) {
        free(offsets);
        return status;
    }
    status = mplan_mesh_take_map(reader->mesh, "cells_nodes", reader->set[reader->cell],
                                 reader->set[UGRID_NODE], offsets ? 0 : rows->arity, offsets,
                                 rows->values, NULL, err);
    rows->values = NULL;
    return status;
}

/* As take_cells has them, for a layout. */
static mplan_status place_cells(mplan_ugrid *reader, const char *variable, mplan_error *err)
{
    mplan_places *layout = reader->file.layout;
    const mplan_places_points *points = layout->points.data;
    mplan_places_table *table = NULL;
    mplan_status status = place_rows(reader, reader->cell, UGRID_NODE, variable, &table, err);
    if (status)
        return status;
    table->lengths = MPLAN_PLACES_CLOSED;
    table->types = MPLAN_PLACES_BY_NODES;
    table->dimension = reader->cell;
    if (reader->cell == UGRID_VOLUME && points->dimension == 3)
        layout->flags |= MPLAN_PLACES_PRISMS;
    return mplan_ugrid_add_set(reader, reader->cell, err);
}

/* Types follow from the dimension and the number of nodes that are there. */
mplan_status mplan_ugrid_read_cells(mplan_ugrid *reader, mplan_error *err)
{
    ugrid_rows rows = {.n = 0};
    int64_t *offsets = NULL;
    bool packed;
    if (!mplan_ugrid_connectivity(reader, reader->cell, UGRID_NODE, rows.name))
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: mesh %s has no %s_node_connectivity",
                          mplan_ugrid_path(reader), reader->name, mplan_ugrid_word[reader->cell]);
    if (reader->file.layout)
        return place_cells(reader, rows.name, err);
    mplan_status status = read_rows(reader, reader->cell, UGRID_NODE, &rows, err);
    if (!status)
        status = pack_rows(&rows, &offsets, &packed, err);
    if (!status && !packed)
        status = mplan_fail(err, MPLAN_ERR_MESH, "%s: variable %s: a node follows a fill value",
                            mplan_ugrid_path(reader), rows.name);
    if (!status)
        status = take_cells(reader, &rows, offsets, err);
    else
        free(offsets);
    free(rows.values);
    return status;
}

/* --- the other maps --------------------------------------------------------------------------- */

/* Maps to smaller entities lose the -1 that fill their rows; those to cells and neighbours keep them, as the
 * place in the row is a side. */
static mplan_status read_map(mplan_ugrid *reader, int from, int to, const char *variable,
                             mplan_error *err)
{
    char name[64];
    ugrid_rows rows = {.n = 0};
    int64_t *offsets = NULL;
    bool packed;
    if (reader->file.layout) {
        mplan_places_table *table = NULL;
        mplan_status placed = place_rows(reader, from, to, variable, &table, err);
        if (!placed && to < from)
            table->lengths = MPLAN_PLACES_TRIM;
        return placed;
    }
    snprintf(rows.name, sizeof rows.name, "%s", variable);
    mplan_status status = read_rows(reader, from, to, &rows, err);
    if (!status && to < from)
        status = pack_rows(&rows, &offsets, &packed, err);
    if (status) {
        free(offsets);
        free(rows.values);
        return status;
    }
    snprintf(name, sizeof name, "%s_%s", mplan_ugrid_set_name(reader, from),
             mplan_ugrid_set_name(reader, to));
    return mplan_mesh_take_map(reader->mesh, name, reader->set[from], reader->set[to],
                               offsets ? 0 : rows.arity, offsets, rows.values, NULL, err);
}

/* Further connectivities, such as edges_faces, become maps if both sets are
 * known. */
mplan_status mplan_ugrid_read_maps(mplan_ugrid *reader, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int from = UGRID_EDGE; from <= reader->cell; from++)
        for (int to = UGRID_NODE; to <= reader->cell && !status; to++) {
            char name[MPLAN_NETCDF_NAME];
            if ((from == reader->cell && to == UGRID_NODE) ||
                !mplan_ugrid_connectivity(reader, from, to, name))
                continue;
            if (mplan_netcdf_find(&reader->file, name) < 0)
                mplan_warn(reader->file.context,
                           "%s: mesh %s: variable %s, which it names, is not in the file and skipped",
                           mplan_ugrid_path(reader), reader->name, name);
            else if (reader->set[from] >= 0 && reader->set[to] >= 0)
                status = read_map(reader, from, to, name, err);
            else
                mplan_warn(reader->file.context, "%s: variable %s is skipped: the file has no %ss",
                           mplan_ugrid_path(reader), name, mplan_ugrid_word[to]);
        }
    return status;
}
#endif
