/* SPDX-License-Identifier: Apache-2.0 */
/* npz_write.c - writes the maps and coordinates of a mesh as an archive of NumPy's (.npz)
 *
 * The names are those that npz.c reads: a map is <name>.npy, a ragged one the list of its
 * values and <name>_offsets.npy, coordinates are <set>_coordinates.npy. */
#include "formats/numpy/npz_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/numpy/npz_arrays.h"
#include "mesh/mesh.h"

/* Ragged maps are two arrays, NAME and NAME_offsets. */
static mplan_status add_map(mplan_zip_out *zip, const mplan_map *map, mplan_error *err)
{
    if (map->arity > 0)
        return mplan_npz_put(zip, map->name, "", MPLAN_TYPE_I32, map->n_rows, map->arity,
                             map->values, err);
    mplan_status status = mplan_npz_put(zip, map->name, "", MPLAN_TYPE_I32, mplan_map_entries(map),
                                        0, map->values, err);
    return status ? status
                  : mplan_npz_put(zip, map->name, "_offsets", MPLAN_TYPE_I64, map->n_rows + 1, 0,
                                  map->offsets, err);
}

/* What is lost when the archive is read as a mesh again. */
static void warn_of_loss(const mplan_mesh *mesh, const mplan_context *context)
{
    if (mplan_mesh_cell_types(mesh))
        mplan_warn(context,
                   "types of cells%s cannot be stored in a .npz file, which holds tables and "
                   "coordinates",
                   mesh->n_groups + mesh->n_facet_groups > 0 ? " and groups" : "");
    else if (mesh->n_groups > 0)
        mplan_warn(context, "groups cannot be stored in a .npz file");
    for (int32_t m = 0; m < mesh->n_maps; m++) {
        mplan_map map = mplan_mesh_map(mesh, m);
        const char *from = mesh->sets[map.from].name, *to = mesh->sets[map.to].name;
        size_t n = strlen(from);
        bool tells = !strncmp(map.name, from, n) && map.name[n] == '_' &&
                     !strcmp(map.name + n + 1, to);
        if (!tells)
            mplan_warn(context, "the name of map '%s' does not show that it leads from %s to %s",
                       map.name, from, to);
    }
}

/* Every map under its name (of a ragged one the values, and its offsets as NAME_offsets), every
 * set's coordinates as SET_coordinates: read_npz puts them together again. */
mplan_status mplan_npz_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                             const mplan_context *context, mplan_error *err)
{
    mplan_zip_out zip;
    mplan_map map;
    /* the map that is asked for is there, and all are written; without any the error says so */
    mplan_status status = what || mesh->n_maps == 0 ? mplan_table_choose(mesh, what, &map, err)
                                                    : MPLAN_OK;
    if (status)
        return status;
    warn_of_loss(mesh, context);
    mplan_zip_begin(&zip, output, context);
    for (int32_t m = 0; m < mesh->n_maps && !status; m++) {
        map = mplan_mesh_map(mesh, m);
        status = add_map(&zip, &map, err);
    }
    for (int32_t s = 0; s < mesh->n_sets && !status; s++) {
        const mplan_mesh_set_data *set = &mesh->sets[s];
        if (set->coordinates)
            status = mplan_npz_put(&zip, set->name, "_coordinates", MPLAN_TYPE_F64, set->size,
                                   set->dimension, set->coordinates, err);
    }
    if (!status)
        status = mplan_zip_finish(&zip, err);
    mplan_zip_release(&zip);
    return status;
}
