/* SPDX-License-Identifier: Apache-2.0 */
/* op2_hdf5_airfoil.c - the grid of OP2's airfoil example in HDF5 (new_grid.h5), known by names and shapes */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/op2/op2.h"
#include "formats/op2/op2_hdf5_layout.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_HDF5

/* The maps of the example: dataset, sets, name of the map in the mesh, ids a row. Cells come first: their map makes the
 * set cells, to which others lead. */
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
bool mplan_op2_is_airfoil(const mplan_op2_file *file)
{
    static const char *const sets[] = {"nodes", "edges", "bedges", "cells"};
    for (int m = 0; m < N_AIRFOIL_MAPS; m++) {
        const mplan_op2_table *of = mplan_op2_find_table(file, airfoil_maps[m].name);
        const mplan_op2_table *from = mplan_op2_find_table(file, airfoil_maps[m].from);
        if (!of || of->kind != OP2_KIND_MAP || of->cols != airfoil_maps[m].arity || !from ||
            from->kind != OP2_KIND_SET || from->value != of->rows)
            return false;
    }
    for (int s = 0; s < 4; s++)
        if (!mplan_op2_find_table(file, sets[s]) ||
            mplan_op2_find_table(file, sets[s])->kind != OP2_KIND_SET)
            return false;
    const mplan_op2_table *x = mplan_op2_find_table(file, "p_x"),
                          *bound = mplan_op2_find_table(file, "p_bound");
    return x && mplan_op2_is_coordinates(x) && x->cols == 2 &&
           x->rows == mplan_op2_find_table(file, "nodes")->value && bound && !bound->real &&
           bound->rows == mplan_op2_find_table(file, "bedges")->value && bound->cols == 1;
}

/* m: place in airfoil_maps. */
static mplan_status read_airfoil_map(mplan_op2_file *file, int m, mplan_error *err)
{
    int32_t *ids = NULL, to = mplan_mesh_find_set(file->mesh, airfoil_maps[m].to);
    int64_t largest, n_cells = mplan_op2_find_table(file, "cells")->value,
                     n_nodes = mplan_op2_find_table(file, "nodes")->value;
    const mplan_op2_table *of = mplan_op2_find_table(file, airfoil_maps[m].name);
    mplan_status status = mplan_op2_read_ids(file, of, &ids, &largest, err);
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
mplan_status mplan_op2_read_airfoil(mplan_op2_file *file, mplan_error *err)
{
    static const char *const sets[] = {"nodes", "edges", "bedges"};
    mplan_status status = MPLAN_OK;
    for (int s = 0; s < 3 && !status; s++)
        status = mplan_mesh_add_set(file->mesh, sets[s], mplan_op2_find_table(file, sets[s])->value,
                                    NULL, err);
    if (!status)
        status = mplan_op2_read_coordinates(file, err);
    for (int m = 0; m < N_AIRFOIL_MAPS && !status; m++)
        status = read_airfoil_map(file, m, err);
    const mplan_op2_table *of = mplan_op2_find_table(file, "p_bound");
    int64_t *bound = !status ? mplan_alloc(of->rows, sizeof *bound, err) : NULL;
    if (!status && !bound)
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_op2_read_numbers(file, of, H5T_NATIVE_INT64, bound, err);
    if (!status)
        status = mplan_op2_add_bound_groups(file->mesh, mplan_mesh_find_set(file->mesh, "bedges"),
                                            of->rows, bound, err);
    free(bound);
    return !status ? mplan_mesh_set_faces_name(file->mesh, "edges", err) : status;
}

/* As mplan_op2_read_airfoil, for a layout: names of maps are those of the mesh, and cells come last of the sets. */
mplan_status mplan_op2_place_airfoil(const mplan_op2_file *file, mplan_places *layout,
                                     mplan_error *err)
{
    static const char *const sets[] = {"nodes", "edges", "bedges", "cells"};
    mplan_status status = MPLAN_OK;
    for (int s = 0; s < 4 && !status; s++)
        status = mplan_places_add_set(layout, sets[s], mplan_op2_find_table(file, sets[s])->value,
                                      err);
    for (int m = 0; m < N_AIRFOIL_MAPS && !status; m++) {
        const char *const names[] = {airfoil_maps[m].map, airfoil_maps[m].from, airfoil_maps[m].to};
        status = mplan_op2_place_map(file, mplan_op2_find_table(file, airfoil_maps[m].name), names,
                                     m == 0 ? MPLAN_CELL_QUAD4 : -1, layout, NULL, err);
    }
    layout->flags |= MPLAN_PLACES_OP2 | MPLAN_PLACES_FACES;
    return status ? status
                  : mplan_op2_place_points(file, mplan_op2_find_table(file, "p_x"), layout, err);
}
#endif
