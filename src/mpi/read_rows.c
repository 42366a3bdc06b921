/* SPDX-License-Identifier: Apache-2.0 */
/* read_rows.c - rows of equal lengths in a file, of which not all entries count, and types of cells that follow
 *
 * Functions are collective: whether rows become ragged, and whether cells have types, depends on the rows of all ranks. */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/exchange.h"
#include "mpi/read_layout.h"

static const mplan_places_table *table_of(const mplan_places *layout, int32_t table)
{
    return (const mplan_places_table *)layout->tables.data + table;
}

/* "file.nc: face_nodes: row 7: WHAT": where rows of the map are in the file. Only maps of one block come here. */
static mplan_status fail_row(const mplan_places *layout, int32_t table, const mpi_read_table *out,
                             int64_t row, mplan_status status, const char *what, mplan_error *err)
{
    const mplan_places_block *blocks = layout->blocks.data;
    char label[MPI_LABEL];
    mpi_label_of(layout, blocks[table_of(layout, table)->block].array, label);
    return mplan_fail(err, status, "%s: row %lld: %s", label, (long long)(out->begin + row + 1),
                      what);
}

/* --- lengths ------------------------------------------------------------------------------------- */

/* Entries before the first -1; -1 when others follow. */
static int64_t length_of(const mpi_read_table *out, int64_t row)
{
    const int64_t *entry = out->values + row * out->arity;
    int64_t n = out->arity, k = 0;
    while (n > 0 && entry[n - 1] < 0)
        n--;
    while (k < n && entry[k] != -1)
        k++;
    return k == n ? n : -1;
}

/* length: out, of each row of this rank. *pack: out, the same on all ranks: some entries are to be taken out.
 * A row with -1 in its midst is a fault, or keeps all rows as they are. */
static mplan_status find_lengths(const mpi_readers *readers, const mplan_places *layout,
                                 int32_t table, const mpi_read_table *out, int64_t *length,
                                 bool *pack, mplan_error *err)
{
    const bool closed = table_of(layout, table)->lengths == MPLAN_PLACES_CLOSED;
    mplan_status status = MPLAN_OK;
    int64_t open = 0, shorter = 0;
    for (int64_t i = 0; i < out->n && !status; i++) {
        length[i] = out->counts ? out->counts[i] : length_of(out, i);
        if (length[i] < 0 && closed)
            status = fail_row(layout, table, out, i, MPLAN_ERR_MESH, "a node follows a fill value",
                              err);
        open += length[i] < 0;
        shorter += length[i] < out->arity;
    }
    status = mpi_agree(readers->comm, status, err);
    if (!status)
        *pack = mpi_sum(readers->comm, open) == 0 && mpi_sum(readers->comm, shorter) > 0;
    return status;
}

int64_t mpi_common_length(MPI_Comm comm, int64_t n, const int64_t *length, const int64_t *offsets)
{
    int64_t most = -1, least = INT64_MAX;
    for (int64_t i = 0; i < n; i++) {
        const int64_t own = length ? length[i] : offsets[i + 1] - offsets[i];
        most = own > most ? own : most;
        least = own < least ? own : least;
    }
    most = mpi_most(comm, most);
    least = -mpi_most(comm, -least);
    return most == least && most <= INT32_MAX && most > 0 ? most : 0;
}

/* Puts the entries of rows one behind the other, in place. offsets: out, n + 1 of them. */
static void pack_rows(mpi_read_table *out, const int64_t *length, int64_t *offsets)
{
    int64_t at = 0;
    for (int64_t i = 0; i < out->n; i++) {
        offsets[i] = at;
        for (int64_t k = 0; k < length[i]; k++)
            out->values[at++] = out->values[i * out->arity + k];
    }
    offsets[out->n] = at;
}

/* Rows become ragged where entries are taken out: also where all have equal lengths then, if these are not by counts, as the
 * serial readers have it (ugrid_maps.c, model_grid.c). */
static mplan_status shorten(const mpi_readers *readers, const mplan_places *layout, int32_t table,
                            mpi_read_table *out, mplan_error *err)
{
    int64_t *length = mplan_alloc(out->n, sizeof *length, err);
    int64_t *offsets = mplan_alloc(out->n + 1, sizeof *offsets, err);
    bool pack = false;
    mplan_status status = mpi_agree(readers->comm, length && offsets ? MPLAN_OK : MPLAN_ERR_MEMORY,
                                    err);
    if (!status)
        status = find_lengths(readers, layout, table, out, length, &pack, err);
    const bool by_counts = out->counts != NULL;
    if (!status && (pack || by_counts)) {
        const int64_t common = by_counts ? mpi_common_length(readers->comm, out->n, length, NULL) : 0;
        pack_rows(out, length, offsets);
        out->arity = (int32_t)common;
        if (common == 0) {
            out->offsets = offsets;
            offsets = NULL;
        }
    }
    free(length);
    free(offsets);
    return status;
}

/* --- types --------------------------------------------------------------------------------------- */

/* The type of a cell of this rank; MPLAN_N_CELL_TYPES: it has none, and so have all. */
static mplan_status type_row(const mplan_places *layout, int32_t table, const mpi_read_table *out,
                             int64_t row, mplan_cell_type *type, mplan_error *err)
{
    const mplan_places_table *t = table_of(layout, table);
    const int64_t first = out->offsets ? out->offsets[row] : row * out->arity;
    const int64_t n = out->offsets ? out->offsets[row + 1] - first : out->arity;
    bool good = true;
    *type = mplan_places_type(t->dimension, n);
    for (int64_t k = 0; k < n && t->types == MPLAN_PLACES_POLYGONS; k++)
        good = good && out->values[first + k] != -1;
    if (!good || (n < 3 && t->dimension == 2))
        return fail_row(layout, table, out, row, MPLAN_ERR_MESH,
                        "a cell must have 3 nodes or more, none missing", err);
    if (*type != MPLAN_N_CELL_TYPES || t->dimension == 2)
        return MPLAN_OK;
    return fail_row(layout, table, out, row,
                    t->dimension == 3 && n > 3 ? MPLAN_ERR_UNSUPPORTED : MPLAN_ERR_MESH,
                    "no cell has so many nodes", err);
}

/* Types of all cells, or of none. Typed rows of one length are not ragged (mplan_mesh_take_cells). */
static mplan_status find_types(const mpi_readers *readers, const mplan_places *layout,
                               int32_t table, mpi_read_table *out, mplan_error *err)
{
    uint8_t *types = mplan_alloc(out->n, sizeof *types, err);
    mplan_status status = types ? MPLAN_OK : MPLAN_ERR_MEMORY;
    int64_t without = 0;
    for (int64_t i = 0; i < out->n && !status; i++) {
        mplan_cell_type type;
        status = type_row(layout, table, out, i, &type, err);
        without += !status && type == MPLAN_N_CELL_TYPES;
        types[i] = status ? 0 : (uint8_t)type;
    }
    status = mpi_agree(readers->comm, status, err);
    if (status || mpi_sum(readers->comm, without) > 0) {
        free(types);
        return status;
    }
    out->type = types;
    if (out->offsets) {
        const int64_t common = mpi_common_length(readers->comm, out->n, NULL, out->offsets);
        if (common > 0) {
            out->arity = (int32_t)common;
            free(out->offsets);
            out->offsets = NULL;
        }
    }
    return MPLAN_OK;
}

mplan_status mpi_read_finish_rows(const mpi_readers *readers, const mplan_places *layout,
                                  int32_t table, mpi_read_table *out, mplan_error *err)
{
    assert(readers && layout && out);
    const mplan_places_table *t = table_of(layout, table);
    mplan_status status = MPLAN_OK;
    if (t->lengths != MPLAN_PLACES_FIXED)
        status = shorten(readers, layout, table, out, err);
    if (!status && t->types != MPLAN_PLACES_UNTYPED)
        status = find_types(readers, layout, table, out, err);
    return status;
}
