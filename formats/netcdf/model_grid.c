/* SPDX-License-Identifier: Apache-2.0 */
/* model_grid.c - sets, maps and coordinates of the netCDF meshes of ocean and atmosphere models */
#include "formats/netcdf/model_grid.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_NETCDF

/* What the sets are called in the mesh. */
const char *const mplan_model_grid_set[GRID_N_SETS] = {"nodes", "edges", "cells"};

static const char *path_of(const mplan_model_grid *grid)
{
    return grid->file.input->path;
}

/* Opens the file; close it by mplan_netcdf_close, also after a failure with *opened. */
static mplan_status open_grid(const mplan_input *input, const mplan_context *context,
                              mplan_mesh *mesh, const char *const dimension[GRID_N_SETS],
                              mplan_model_grid *grid, bool *opened, mplan_error *err)
{
    *grid = (mplan_model_grid){.mesh = mesh,
                               .set = {-1, -1, -1},
                               .word = {"node", "edge", "cell"},
                               .words = {"nodes", "edges", "cells"}};
    mplan_status status = mplan_netcdf_open(input, context, &grid->file, err);
    *opened = status == MPLAN_OK;
    for (int i = 0; i < GRID_N_SETS && !status; i++) {
        grid->dimension[i] = mplan_netcdf_dimension(&grid->file, dimension[i], &grid->size[i]);
        if (grid->dimension[i] < 0 && i != GRID_EDGE)
            status = mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: there is no dimension %s",
                                path_of(grid), dimension[i]);
    }
    return status;
}

/* A variable of one number for each member of a set. */
mplan_status mplan_model_grid_describe(const mplan_model_grid *grid, int of, const char *name,
                                       mplan_netcdf_variable *variable, mplan_error *err)
{
    mplan_status status = mplan_netcdf_need(&grid->file, name, 1, variable, err);
    if (!status && variable->length[0] != grid->size[of])
        status = mplan_fail(err, MPLAN_ERR_MESH, "%s: variable %s has %lld numbers for %lld %s",
                            path_of(grid), name, (long long)variable->length[0],
                            (long long)grid->size[of], grid->words[of]);
    return status;
}

/* Whole numbers of such a variable; *numbers is NULL where it is not there. */
mplan_status mplan_model_grid_numbers(const mplan_model_grid *grid, int of, const char *name,
                                      int64_t **numbers, mplan_error *err)
{
    assert(grid && name && numbers);
    mplan_netcdf_variable variable;
    *numbers = NULL;
    if (mplan_netcdf_find(&grid->file, name) < 0)
        return MPLAN_OK;
    mplan_status status = mplan_model_grid_describe(grid, of, name, &variable, err);
    int64_t *read = status ? NULL : mplan_alloc(variable.count, sizeof *read, err);
    if (!status && !read)
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_netcdf_wholes(&grid->file, &variable, read, err);
    if (status)
        free(read);
    else
        *numbers = read;
    return status;
}

/* --- rows ------------------------------------------------------------------------------------ */

/* Rows of `arity` entries as they are in the file, from 0, -1 none.
 * As read, row r is values[r * arity] ..., of which the first lengths[r] count. pack_rows puts rows behind each
 * other, and arity is 0 then where their lengths differ. */
typedef struct grid_rows {
    int64_t n;
    int32_t arity;
    bool there;
    int32_t *values;  /* n x arity */
    int64_t *lengths; /* of each row; NULL: all have arity entries */
} grid_rows;

static void free_rows(grid_rows *rows)
{
    free(rows->values);
    free(rows->lengths);
    *rows = (grid_rows){0};
}

/* The variable with the lengths of the rows is not there. */
static mplan_status fail_counts(const mplan_model_grid *grid, const mplan_grid_map *map,
                                mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: there is no variable %s, which %s needs",
                      path_of(grid), map->counts, map->variable);
}

/* Lengths of the rows, 0 to arity.
 * rows->lengths: made here, rows->n entries; n and arity are set before. */
static mplan_status read_lengths(const mplan_model_grid *grid, const mplan_grid_map *map,
                                 grid_rows *rows, mplan_error *err)
{
    mplan_status status = mplan_model_grid_numbers(grid, map->from, map->counts, &rows->lengths, err);
    if (!status && !rows->lengths)
        return fail_counts(grid, map, err);
    for (int64_t r = 0; !status && r < rows->n; r++)
        if (rows->lengths[r] < 0 || rows->lengths[r] > rows->arity)
            status = mplan_fail(err, MPLAN_ERR_MESH,
                                "%s: variable %s: entry (%lld) is %lld, but rows of %s have 0 to %d",
                                path_of(grid), map->counts, (long long)r,
                                (long long)rows->lengths[r], map->variable, (int)rows->arity);
    return status;
}

/* From [slot][row] to [row][slot].
 * n x arity numbers before and after. ICON's files have the slots first. */
static mplan_status turn_rows(grid_rows *rows, mplan_error *err)
{
    int32_t *turned = mplan_alloc(rows->n * rows->arity, sizeof *turned, err);
    if (!turned)
        return MPLAN_ERR_MEMORY;
    for (int32_t k = 0; k < rows->arity; k++)
        for (int64_t r = 0; r < rows->n; r++)
            turned[r * rows->arity + k] = rows->values[k * rows->n + r];
    free(rows->values);
    rows->values = turned;
    return MPLAN_OK;
}

/* The shape of a map, of files that do not have the variable: not there.
 * The id of a dimension says which one is that of the rows: lengths may be equal. *turned: the second. */
static mplan_status describe_rows(const mplan_model_grid *grid, const mplan_grid_map *map,
                                  grid_rows *rows, mplan_netcdf_variable *variable, bool *turned,
                                  mplan_error *err)
{
    if (mplan_netcdf_find(&grid->file, map->variable) < 0)
        return MPLAN_OK;
    mplan_status status = mplan_netcdf_need(&grid->file, map->variable, 2, variable, err);
    if (status)
        return status;
    *turned = variable->dimension[0] != grid->dimension[map->from];
    rows->there = true;
    rows->n = variable->length[*turned];
    rows->arity = (int32_t)(variable->length[!*turned] < 1024 ? variable->length[!*turned] : 0);
    if (variable->dimension[*turned] != grid->dimension[map->from] || rows->arity < 1)
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "%s: variable %s must have the dimension of %s and one of at most 1023 entries",
                          path_of(grid), map->variable, grid->words[map->from]);
    return *turned && map->counts
               ? mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                            "%s: variable %s: the dimension of %s must be the first", path_of(grid),
                            map->variable, grid->words[map->from])
               : MPLAN_OK;
}

/* How numbers of a map name members; rows->lengths are there where the map has some. */
static mplan_netcdf_ids ids_of(const mplan_model_grid *grid, const mplan_grid_map *map,
                               const grid_rows *rows, bool turned)
{
    return (mplan_netcdf_ids){.base = 1,
                              .n_points = grid->size[map->to],
                              .none = true,
                              .what = grid->word[map->to],
                              .below = true,
                              .width = turned ? 0 : rows->arity,
                              .counts = rows->lengths};
}

/* The rows of a map.
 * rows: zeroed; released by the caller, also after a failure. */
static mplan_status read_rows(const mplan_model_grid *grid, const mplan_grid_map *map,
                              grid_rows *rows, mplan_error *err)
{
    mplan_netcdf_variable variable;
    bool turned = false;
    mplan_status status = describe_rows(grid, map, rows, &variable, &turned, err);
    if (status || !rows->there)
        return status;
    if (map->counts && (status = read_lengths(grid, map, rows, err)) != MPLAN_OK)
        return status;
    const mplan_netcdf_ids ids = ids_of(grid, map, rows, turned);
    if (!(rows->values = mplan_alloc(variable.count, sizeof *rows->values, err)))
        return MPLAN_ERR_MEMORY;
    status = mplan_netcdf_read_ids(&grid->file, &variable, &ids, rows->values, err);
    return !status && turned ? turn_rows(rows, err) : status;
}

/* What read_rows would read, for a layout. *there: the file has the map; *table: what else is to be said of it. */
static mplan_status place_rows(const mplan_model_grid *grid, const mplan_grid_map *map, bool *there,
                               mplan_places_table **table, mplan_error *err)
{
    const char *const names[] = {map->name, mplan_model_grid_set[map->from],
                                 mplan_model_grid_set[map->to]};
    mplan_netcdf_variable variable, counts;
    grid_rows rows = {0};
    int32_t array = -1;
    bool turned = false;
    mplan_status status = describe_rows(grid, map, &rows, &variable, &turned, err);
    *there = rows.there;
    if (status || !rows.there)
        return status;
    if (map->counts) {
        status = mplan_netcdf_find(&grid->file, map->counts) >= 0
                     ? mplan_model_grid_describe(grid, map->from, map->counts, &counts, err)
                     : fail_counts(grid, map, err);
        if (!status)
            status = mplan_netcdf_place(&grid->file, &counts, rows.n, 1, false, &array, err);
    }
    if (status)
        return status;
    const mplan_netcdf_ids ids = ids_of(grid, map, &rows, turned);
    status = mplan_netcdf_place_map(&grid->file, &variable, &ids, rows.n, rows.arity, turned, names,
                                    table, err);
    if (!status && map->counts) {
        (*table)->counts = array;
        (*table)->lengths = MPLAN_PLACES_COUNTS;
    }
    return status;
}

/* Puts rows one behind the other; *offsets stays NULL where all are as long as the first, whose length is then the
 * arity.
 * *offsets: n + 1 entries from 0. Rows move to the front only, so that this is done in place. */
static mplan_status pack_rows(grid_rows *rows, int64_t **offsets, mplan_error *err)
{
    bool equal = true;
    int64_t at = 0;
    *offsets = NULL;
    if (!rows->lengths)
        return MPLAN_OK;
    for (int64_t r = 1; r < rows->n; r++)
        equal = equal && rows->lengths[r] == rows->lengths[0];
    equal = equal && rows->n > 0 && rows->lengths[0] > 0;
    int64_t *made = equal ? NULL : mplan_alloc(rows->n + 1, sizeof *made, err);
    if (!equal && !made)
        return MPLAN_ERR_MEMORY;
    for (int64_t r = 0; r < rows->n; r++) {
        if (made)
            made[r] = at;
        for (int64_t k = 0; k < rows->lengths[r]; k++)
            rows->values[at++] = rows->values[r * rows->arity + k];
    }
    if (made)
        made[rows->n] = at;
    rows->arity = equal ? (int32_t)rows->lengths[0] : 0;
    *offsets = made;
    int32_t *fitting = mplan_realloc(rows->values, at, sizeof *fitting, err);
    if (!fitting)
        return MPLAN_ERR_MEMORY;
    rows->values = fitting;
    return MPLAN_OK;
}

/* --- cells ------------------------------------------------------------------------------------ */

/* All corners are there, at least 3 a cell; *typed: triangles and quads only.
 * offsets: of the rows, n + 1; NULL: all have arity entries. */
static mplan_status check_cells(const mplan_model_grid *grid, const mplan_grid_map *map,
                                const grid_rows *rows, const int64_t *offsets, bool *typed,
                                mplan_error *err)
{
    *typed = true;
    for (int64_t c = 0; c < rows->n; c++) {
        const int64_t first = offsets ? offsets[c] : c * rows->arity;
        const int64_t n = offsets ? offsets[c + 1] - first : rows->arity;
        *typed = *typed && n <= 4;
        bool good = n >= 3;
        for (int64_t k = 0; k < n && good; k++)
            good = rows->values[first + k] >= 0;
        if (!good)
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "%s: variable %s: cell %lld does not have 3 %s or more",
                              path_of(grid), map->variable, (long long)c, grid->words[GRID_NODE]);
    }
    return MPLAN_OK;
}

/* The set of cells with what the rows hold, which are taken over.
 * offsets is taken over or released in any case. Typed cells need none: the type says how many nodes each has. */
static mplan_status take_cells(mplan_model_grid *grid, grid_rows *rows, int64_t *offsets,
                               bool typed, mplan_error *err)
{
    int32_t *values = rows->values;
    uint8_t *types = typed ? mplan_alloc(rows->n, sizeof *types, err) : NULL;
    mplan_status status = typed && !types ? MPLAN_ERR_MEMORY : MPLAN_OK;
    for (int64_t c = 0; typed && !status && c < rows->n; c++)
        types[c] = (offsets ? offsets[c + 1] - offsets[c] : rows->arity) == 3 ? MPLAN_CELL_TRI3
                                                                              : MPLAN_CELL_QUAD4;
    if (!status && !typed)
        status = mplan_mesh_add_set(grid->mesh, "cells", rows->n, &grid->set[GRID_CELL], err);
    if (status || typed)
        free(offsets);
    if (status)
        return status;
    rows->values = NULL;
    if (!typed)
        return mplan_mesh_take_map(grid->mesh, "cells_nodes", grid->set[GRID_CELL],
                                   grid->set[GRID_NODE], offsets ? 0 : rows->arity, offsets, values,
                                   NULL, err);
    status = mplan_mesh_take_cells(grid->mesh, grid->size[GRID_NODE], rows->n, types, values, err);
    grid->set[GRID_CELL] = mplan_mesh_find_set(grid->mesh, "cells");
    return status;
}

/* To the mesh, or to the layout. */
static mplan_status add_set(mplan_model_grid *grid, int of, mplan_error *err)
{
    mplan_places *layout = grid->file.layout;
    if (!layout)
        return mplan_mesh_add_set(grid->mesh, mplan_model_grid_set[of], grid->size[of],
                                  &grid->set[of], err);
    grid->set[of] = (int32_t)layout->sets.count;
    return mplan_places_add_set(layout, mplan_model_grid_set[of], grid->size[of], err);
}

/* As check_cells and take_cells have them, for a layout. */
static mplan_status place_cells(mplan_model_grid *grid, const mplan_grid_map *map, mplan_error *err)
{
    mplan_places_table *table = NULL;
    bool there = false;
    mplan_status status = place_rows(grid, map, &there, &table, err);
    if (!status && !there)
        status = mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: there is no variable %s", path_of(grid),
                            map->variable);
    if (status)
        return status;
    table->types = MPLAN_PLACES_POLYGONS;
    table->dimension = 2;
    return add_set(grid, GRID_CELL, err);
}

/* The set of nodes, then the cells with their corners, both ends of the first map. */
static mplan_status add_cells(mplan_model_grid *grid, const mplan_grid_map *map, mplan_error *err)
{
    assert(grid && map && map->from == GRID_CELL && map->to == GRID_NODE);
    grid_rows rows = {0};
    int64_t *offsets = NULL;
    bool typed = false;
    mplan_status status = add_set(grid, GRID_NODE, err);
    if (!status && grid->file.layout)
        return place_cells(grid, map, err);
    if (!status)
        status = read_rows(grid, map, &rows, err);
    if (!status && !rows.there)
        status = mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: there is no variable %s", path_of(grid),
                            map->variable);
    if (!status)
        status = pack_rows(&rows, &offsets, err);
    if (!status)
        status = check_cells(grid, map, &rows, offsets, &typed, err);
    if (!status)
        status = take_cells(grid, &rows, offsets, typed, err);
    else
        free(offsets);
    free_rows(&rows);
    return status;
}

/* In files without a dimension of edges set[GRID_EDGE] stays -1, and maps from or to them are skipped. */
static mplan_status add_edges(mplan_model_grid *grid, mplan_error *err)
{
    assert(grid && grid->set[GRID_EDGE] < 0);
    if (grid->dimension[GRID_EDGE] < 0)
        return MPLAN_OK;
    return add_set(grid, GRID_EDGE, err);
}

/* --- the other maps ---------------------------------------------------------------------------- */

/* One map, whose sets are there; files without its variable do not have it. Entries of -1, where a neighbour is
 * missing, are kept. */
static mplan_status read_map(mplan_model_grid *grid, const mplan_grid_map *map, mplan_error *err)
{
    grid_rows rows = {0};
    int64_t *offsets = NULL;
    mplan_places_table *table = NULL;
    if (grid->file.layout)
        return place_rows(grid, map, &rows.there, &table, err);
    mplan_status status = read_rows(grid, map, &rows, err);
    if (!status && rows.there)
        status = pack_rows(&rows, &offsets, err);
    if (!status && rows.there) {
        int32_t *values = rows.values;
        rows.values = NULL;
        status = mplan_mesh_take_map(grid->mesh, map->name, grid->set[map->from], grid->set[map->to],
                                     offsets ? 0 : rows.arity, offsets, values, NULL, err);
    } else {
        free(offsets);
    }
    free_rows(&rows);
    return status;
}

static mplan_status add_maps(mplan_model_grid *grid, int32_t n, const mplan_grid_map *maps,
                             mplan_error *err)
{
    assert(grid && (n == 0 || maps));
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < n && !status; i++)
        if (grid->set[maps[i].from] >= 0 && grid->set[maps[i].to] >= 0)
            status = read_map(grid, &maps[i], err);
    return status;
}

/* --- faces ------------------------------------------------------------------------------------- */

/* Loops over faces run over the edges of the file, if all of these have both their cells: an entry of -1, at a
 * boundary, prevents it. */
static mplan_status name_faces(mplan_model_grid *grid, mplan_error *err)
{
    assert(grid);
    const int32_t index = mplan_mesh_find_map(grid->mesh, "edges_cells");
    if (index < 0 || mplan_mesh_dimension(grid->mesh) == 0)
        return MPLAN_OK;
    const mplan_map map = mplan_mesh_map(grid->mesh, index);
    const int64_t n = mplan_map_entries(&map);
    for (int64_t i = 0; i < n; i++)
        if (map.values[i] < 0)
            return MPLAN_OK;
    return mplan_mesh_set_faces_name(grid->mesh, "edges", err);
}

/* --- a file --------------------------------------------------------------------------------------- */

/* The next version is tried only where dimensions are missing, which is MPLAN_ERR_CORRUPT of a file that was opened;
 * what the last one misses is what the user reads. */
mplan_status mplan_model_grid_read(const mplan_grid_model *model, const mplan_input *input,
                                   const mplan_context *context, mplan_mesh *mesh,
                                   mplan_places *layout, mplan_error *err)
{
    assert(model && model->n_versions > 0 && model->points && input && (mesh || layout));
    mplan_model_grid grid;
    const mplan_grid_names *names = model->versions;
    bool opened;
    mplan_status status = open_grid(input, context, mesh, names->dimensions, &grid, &opened, err);
    while (status == MPLAN_ERR_CORRUPT && opened && names < model->versions + model->n_versions - 1) {
        mplan_netcdf_close(&grid.file);
        names++;
        status = open_grid(input, context, mesh, names->dimensions, &grid, &opened, err);
    }
    grid.word[model->named] = model->word;
    grid.words[model->named] = model->words;
    if (!status)
        grid.file.layout = layout;
    if (!status)
        status = add_cells(&grid, &names->corners, err);
    if (!status)
        status = add_edges(&grid, err);
    if (!status)
        status = add_maps(&grid, names->n_maps, names->maps, err);
    if (!status)
        status = model->points(&grid, err);
    if (!status && layout)
        layout->flags |= MPLAN_PLACES_EDGES | MPLAN_PLACES_GROUPS;
    if (!status && model->layers)
        status = model->layers(&grid, err);
    if (!status && !layout)
        status = name_faces(&grid, err);
    if (opened)
        mplan_netcdf_close(&grid.file);
    return status;
}
#endif
