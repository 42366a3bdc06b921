/* SPDX-License-Identifier: Apache-2.0 */
/* model_layers.c - layers of columns in the netCDF meshes of ocean and atmosphere models: read, or their places listed */
#include "formats/netcdf/model_grid.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/column_levels.h"
#include "mesh/mesh.h"
#include "mesh/mesh_checks.h"

#ifdef MPLAN_HAVE_NETCDF

/* An entry of the layout for a set or map of that name. */
static mplan_status add_entry(mplan_model_grid *grid, const char *of, mplan_places_layers **entry,
                              mplan_error *err)
{
    return mplan_places_add_layers(grid->file.layout, of, entry, err);
}

mplan_status mplan_model_grid_uniform(mplan_model_grid *grid, int of, int64_t layers, mplan_error *err)
{
    assert(grid && of >= 0 && of < GRID_N_SETS);
    const int32_t n = layers > INT32_MAX ? -1 : (int32_t)layers;
    mplan_places_layers *entry = NULL;
    mplan_status status = grid->file.layout
                              ? mplan_check_ranges(mplan_model_grid_set[of], 0, n, NULL, err)
                              : mplan_mesh_take_layers(grid->mesh, grid->set[of], n, NULL, err);
    if (status)
        return mplan_fail_prefix(err, status, grid->file.input->path);
    if (grid->file.layout)
        status = add_entry(grid, mplan_model_grid_set[of], &entry, err);
    if (entry)
        entry->layers = n;
    return status;
}

/* first: a variable; without it columns begin at the surface. */
static mplan_status read_columns(mplan_model_grid *grid, int of, const mplan_levels *levels,
                                 const char *first, mplan_error *err)
{
    int64_t *bottom = NULL, *top = NULL;
    int32_t *ranges = NULL;
    mplan_status status = mplan_model_grid_numbers(grid, of, levels->variable, &top, err);
    if (!status)
        status = mplan_model_grid_numbers(grid, of, first, &bottom, err);
    if (!status && !(ranges = mplan_alloc(2 * grid->size[of], sizeof *ranges, err)))
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_levels_to_ranges(levels, 0, grid->size[of], bottom, top, ranges, err);
    free(bottom);
    free(top);
    if (status) {
        free(ranges);
        return status;
    }
    return mplan_mesh_take_layers(grid->mesh, grid->set[of], levels->layers, ranges, err);
}

/* As above, for ranks that read the variables. */
static mplan_status place_columns(mplan_model_grid *grid, int of, const mplan_levels *levels,
                                  const char *first, mplan_error *err)
{
    int32_t bottom = -1, top = -1;
    mplan_places_layers *entry = NULL;
    mplan_netcdf_variable variable;
    mplan_status status = mplan_model_grid_describe(grid, of, levels->variable, &variable, err);
    if (!status)
        status = mplan_netcdf_place(&grid->file, &variable, grid->size[of], 1, false, &top, err);
    if (!status && mplan_netcdf_find(&grid->file, first) >= 0) {
        status = mplan_model_grid_describe(grid, of, first, &variable, err);
        if (!status)
            status = mplan_netcdf_place(&grid->file, &variable, grid->size[of], 1, false, &bottom,
                                        err);
    }
    if (!status)
        status = add_entry(grid, mplan_model_grid_set[of], &entry, err);
    if (status)
        return status;
    entry->layers = levels->layers;
    entry->first = bottom;
    entry->last = top;
    entry->minus = levels->minus;
    memcpy(entry->word, levels->word, strlen(levels->word));
    return MPLAN_OK;
}

/* *found is told also where there are too many layers. */
mplan_status mplan_model_grid_columns(mplan_model_grid *grid, int of, int64_t layers,
                                      const char *first, const char *last, int64_t minus,
                                      bool *found, mplan_error *err)
{
    assert(grid && first && last && found && of >= 0 && of < GRID_N_SETS);
    *found = mplan_netcdf_find(&grid->file, last) >= 0;
    if (!*found)
        return MPLAN_OK;
    if (layers < 1 || layers > MPLAN_MAX_LAYERS)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: columns must have 1 to %d layers, not %lld", grid->file.input->path,
                          MPLAN_MAX_LAYERS, (long long)layers);
    const mplan_levels levels = {grid->file.input->path, last, grid->word[of], (int32_t)layers,
                                 minus};
    return grid->file.layout ? place_columns(grid, of, &levels, first, err)
                             : read_columns(grid, of, &levels, first, err);
}

/* Whether the layout has the map. */
static bool lists_map(const mplan_places *layout, const char *map)
{
    const mplan_places_table *tables = layout->tables.data;
    for (int64_t t = 0; t < layout->tables.count; t++)
        if (strcmp(tables[t].name, map) == 0)
            return true;
    return false;
}

mplan_status mplan_model_grid_spread(mplan_model_grid *grid, const char *map,
                                     mplan_layers_rule rule, mplan_error *err)
{
    assert(grid && map);
    mplan_places_layers *entry = NULL;
    if (!grid->file.layout) {
        const int32_t index = mplan_mesh_find_map(grid->mesh, map);
        return index < 0 ? MPLAN_OK : mplan_mesh_spread_layers(grid->mesh, index, rule, err);
    }
    if (!lists_map(grid->file.layout, map))
        return MPLAN_OK;
    mplan_status status = add_entry(grid, map, &entry, err);
    if (!status) {
        entry->follows = true;
        entry->rule = (int32_t)rule;
    }
    return status;
}
#endif
