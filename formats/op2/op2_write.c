/* SPDX-License-Identifier: Apache-2.0 */
/* op2_write.c - writes the grids of OP2's airfoil example (new_grid.dat)
 *
 * Meshes with sets `edges` and `bedges` are written as they are; planar meshes
 * of quads with the faces that are derived from them. Derived faces run the
 * other way than OP2's edges (see op2.c), so their nodes are reversed. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/op2/op2_write.h"
#include "formats/text_out.h"
#include "formats/with_faces.h"
#include "mesh/mesh.h"

/* What is written, by the names of OP2. */
typedef struct op2_tables {
    const double *coordinates; /* two of every `dimension` are written */
    int32_t dimension;
    mplan_map cells_nodes, edges_nodes, edges_cells, bedges_nodes, bedges_cells;
    bool reversed;  /* nodes of edges run the other way */
    int64_t *bound; /* number of the boundary of every bedge */
} op2_tables;

/* reversed: from the last to the first. Derived edges run the other way than OP2's. */
static void put_ids(mplan_text_out *out, const mplan_map *map, int64_t row, bool reversed)
{
    const int32_t *id = map->values + row * map->arity;
    for (int32_t k = 0; k < map->arity; k++)
        mplan_text_int(out, id[reversed ? map->arity - 1 - k : k]);
}

/* Counts, then nodes, cells, edges, boundary edges, one a line. */
static mplan_status write_tables(mplan_text_out *out, const op2_tables *tables)
{
    mplan_text_int(out, tables->cells_nodes.n_points);
    mplan_text_int(out, tables->cells_nodes.n_rows);
    mplan_text_int(out, tables->edges_nodes.n_rows);
    mplan_text_int(out, tables->bedges_nodes.n_rows);
    mplan_status status = mplan_text_row(out);
    for (int64_t i = 0; i < tables->cells_nodes.n_points && !status; i++) {
        mplan_text_real(out, tables->coordinates[i * tables->dimension]);
        mplan_text_real(out, tables->coordinates[i * tables->dimension + 1]);
        status = mplan_text_row(out);
    }
    for (int64_t i = 0; i < tables->cells_nodes.n_rows && !status; i++) {
        put_ids(out, &tables->cells_nodes, i, false);
        status = mplan_text_row(out);
    }
    for (int64_t i = 0; i < tables->edges_nodes.n_rows && !status; i++) {
        put_ids(out, &tables->edges_nodes, i, tables->reversed);
        put_ids(out, &tables->edges_cells, i, false);
        status = mplan_text_row(out);
    }
    for (int64_t i = 0; i < tables->bedges_nodes.n_rows && !status; i++) {
        put_ids(out, &tables->bedges_nodes, i, tables->reversed);
        put_ids(out, &tables->bedges_cells, i, false);
        mplan_text_int(out, tables->bound[i]);
        status = mplan_text_row(out);
    }
    return status;
}

/* The map of that name with that arity and no -1.
 * values then has n_rows * arity ids; the map is borrowed from the mesh. */
static mplan_status find_table(const mplan_mesh *mesh, const char *name, int32_t arity,
                               mplan_map *map, mplan_error *err)
{
    int32_t index = mplan_mesh_find_map(mesh, name);
    if (index < 0)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "an OP2 grid needs a map %s, but the mesh has none", name);
    *map = mplan_mesh_map(mesh, index);
    if (map->arity != arity)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "an OP2 grid needs a map %s of arity %d, but the mesh has one of "
                          "arity %d",
                          name, arity, map->arity);
    for (int64_t i = 0; i < map->n_rows * arity; i++)
        if (map->values[i] < 0)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "an OP2 grid cannot hold -1, as in row %lld of %s",
                              (long long)(i / arity), name);
    return MPLAN_OK;
}

/* tables->coordinates: of all nodes, dimension numbers each; OP2's grids are planar, so that
 * third ones must be 0. */
static mplan_status find_coordinates(const mplan_mesh *mesh, op2_tables *tables, mplan_error *err)
{
    int32_t set = mplan_mesh_find_set(mesh, "nodes");
    if (set >= 0)
        tables->coordinates = mplan_mesh_coordinates(mesh, set, &tables->dimension);
    if (!tables->coordinates)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "an OP2 grid needs coordinates of nodes, but the mesh has none");
    if (tables->dimension == 3)
        for (int64_t i = 0; i < mplan_mesh_set(mesh, set).size; i++)
            if (tables->coordinates[3 * i + 2] != 0)
                return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                                  "an OP2 grid must be planar, but node %lld has z = %g",
                                  (long long)i, tables->coordinates[3 * i + 2]);
    return MPLAN_OK;
}

/* Numbers of boundaries: the ids of the groups of bedges, 0 without one. Of
 * two groups that hold an edge the first counts. */
static mplan_status find_bounds(const mplan_mesh *mesh, int32_t set, const mplan_context *context,
                                op2_tables *tables, mplan_error *err)
{
    int64_t n = tables->bedges_nodes.n_rows, without = n;
    tables->bound = mplan_alloc_zero(n, sizeof *tables->bound, err);
    bool *grouped = tables->bound ? mplan_alloc_zero(n, sizeof *grouped, err) : NULL;
    if (!grouped)
        return MPLAN_ERR_MEMORY;
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh); g++) {
        mplan_group group = mplan_mesh_group(mesh, g);
        for (int64_t i = 0; group.set == set && i < group.n_members; i++) {
            int32_t edge = group.members[i];
            if (grouped[edge])
                continue;
            grouped[edge] = true;
            tables->bound[edge] = group.id;
            without--;
        }
    }
    if (without > 0)
        mplan_warn(context,
                   "%lld boundary edges do not belong to any group and are written as boundary 0",
                   (long long)without);
    free(grouped);
    return MPLAN_OK;
}

/* Fills tables (bound is then the caller's) from the sets edges and bedges, or
 * with `derived` from faces and boundary_faces. */
static mplan_status find_tables(const mplan_mesh *mesh, bool derived, const mplan_context *context,
                                op2_tables *tables, mplan_error *err)
{
    tables->reversed = derived;
    mplan_status status = find_coordinates(mesh, tables, err);
    if (!status)
        status = find_table(mesh, "cells_nodes", 4, &tables->cells_nodes, err);
    if (!status)
        status = find_table(mesh, derived ? "faces_nodes" : "edges_nodes", 2, &tables->edges_nodes,
                            err);
    if (!status)
        status = find_table(mesh, derived ? "faces_cells" : "edges_cells", 2, &tables->edges_cells,
                            err);
    if (!status)
        status = find_table(mesh, derived ? "boundary_faces_nodes" : "bedges_nodes", 2,
                            &tables->bedges_nodes, err);
    if (!status)
        status = find_table(mesh, derived ? "boundary_faces_cells" : "bedges_cells", 1,
                            &tables->bedges_cells, err);
    if (!status)
        status = find_bounds(mesh, tables->bedges_nodes.from, context, tables, err);
    return status;
}

/* A copy of cells, coordinates and facets, in which the faces are derived.
 * mesh: has cells_nodes and types of cells. *derived: the caller's. */
static mplan_status derive_copy(const mplan_mesh *mesh, const mplan_context *context,
                                mplan_mesh **derived, mplan_error *err)
{
    static const char *const wanted[] = {"faces_nodes", "faces_cells", "boundary_faces_nodes",
                                         "boundary_faces_cells"};
    mplan_mesh *copy;
    int32_t dimension = 0, nodes = mplan_mesh_find_set(mesh, "nodes");
    mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    const double *coordinates = mplan_mesh_coordinates(mesh, nodes, &dimension);
    mplan_status status = mplan_mesh_create(&copy, err);
    if (status)
        return status;
    status = mplan_mesh_add_cells(copy, map.n_points, map.n_rows, mesh->cell_type, map.values, err);
    if (!status && coordinates)
        status = mplan_mesh_set_coordinates(copy, mplan_mesh_find_set(copy, "nodes"), dimension,
                                            coordinates, err);
    if (!status)
        status = mplan_copy_facets(mesh, copy, err);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted && !status; i++)
        status = mplan_mesh_derive(copy, wanted[i], context, err);
    if (status) {
        mplan_mesh_free(copy);
        return status;
    }
    *derived = copy;
    return MPLAN_OK;
}

/* What the format can hold, where the mesh does not bring OP2's sets. */
static mplan_status check_planar_quads(const mplan_mesh *mesh, mplan_error *err)
{
    if (mesh->dimension != 2 || mesh->faces_name)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "an OP2 grid must be a planar mesh of quads, or have the sets edges "
                          "and bedges");
    int64_t n_cells = mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "cells")).size;
    for (int64_t c = 0; c < n_cells; c++)
        if (mesh->cell_type[c] != MPLAN_CELL_QUAD4)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "the cells of an OP2 grid must be quads, but cell %lld is a %s",
                              (long long)c,
                              mplan_cell_type_name((mplan_cell_type)mesh->cell_type[c]));
    return MPLAN_OK;
}

/* own: the mesh came from such a file and has its sets. Others are derived in a copy, since the
 * caller's mesh stays as it is. */
mplan_status mplan_op2_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                             const mplan_context *context, mplan_error *err)
{
    (void)what;
    op2_tables tables = {.bound = NULL};
    mplan_text_out out;
    mplan_mesh *derived = NULL;
    bool own = mesh->faces_name && strcmp(mesh->faces_name, "edges") == 0;
    mplan_status status = own ? MPLAN_OK : check_planar_quads(mesh, err);
    if (!status && !own && mplan_mesh_find_map(mesh, "faces_nodes") < 0)
        status = derive_copy(mesh, context, &derived, err);
    if (!status)
        status = find_tables(derived ? derived : mesh, !own, context, &tables, err);
    if (!status)
        status = mplan_text_begin(&out, output, context, err);
    if (!status) {
        write_tables(&out, &tables);
        status = mplan_text_end(&out);
    }
    free(tables.bound);
    mplan_mesh_free(derived);
    return status;
}
