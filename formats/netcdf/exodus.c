/* SPDX-License-Identifier: Apache-2.0 */
/* exodus.c - reads Exodus II meshes: netCDF files of blocks of elements, side sets and node sets
 *
 * After Schoof and Yarberry, SAND92-2137, and the variables that Sandia's library writes (connect1,
 * coordx, elem_ss1, ...). The blocks of the highest dimension are the cells, in the order of the file, and
 * each of them is a group; side sets and node sets are groups, too. */
#include "formats/contained_formats.h"
#include "formats/netcdf/exodus.h"
#include "formats/netcdf/exodus_types.h"
#include "formats/netcdf/exodus_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/netcdf/netcdf_kind.h"
#include "formats/side_order.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_NETCDF

static const char *path_of(const mplan_exodus *file)
{
    return file->file.input->path;
}

/* --- blocks ------------------------------------------------------------------------------- */

/* From the word of the block and its nodes per element; nsided and nfaced have
 * no type. */
static mplan_status find_type(const mplan_exodus *file, mplan_exodus_block *block, mplan_error *err)
{
    if (block->connect.rank == 1 && mplan_exodus_begins(block->kind, "nsided")) {
        block->type = MPLAN_N_CELL_TYPES;
        block->dimension = 2;
        return MPLAN_OK;
    }
    int64_t n_nodes = block->connect.rank == 2 ? block->connect.length[1] : 0;
    block->type = mplan_exodus_type(block->kind, n_nodes);
    if (block->type != MPLAN_N_CELL_TYPES) {
        block->dimension = mplan_cell_type_dimension(block->type);
        return MPLAN_OK;
    }
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "%s: variable %s: elements of type '%.32s' with %lld nodes are not supported",
                      path_of(file), block->connect.name, block->kind, (long long)n_nodes);
}

/* Elements of a block of polygons: as many as it has counts of nodes. */
static mplan_status count_polygons(const mplan_exodus *file, int64_t i, int64_t *n, mplan_error *err)
{
    char name[48];
    mplan_netcdf_variable counts;
    snprintf(name, sizeof name, "ebepecnt%lld", (long long)i + 1);
    mplan_status status = mplan_netcdf_need(&file->file, name, 1, &counts, err);
    *n = !status ? counts.length[0] : 0;
    return status;
}

/* Block i. One that a program left out has no elements, and often no variable.
 * Fills its name, id, kind, n, first_element, type and dimension, and adds its elements to file->n_elements. Nothing
 * of its lists is read yet. first_cell stays -1 until place_blocks. */
static mplan_status describe_block(mplan_exodus *file, int64_t i, mplan_error *err)
{
    mplan_exodus_block *block = &file->blocks[i];
    char name[48];
    snprintf(name, sizeof name, "connect%lld", (long long)i + 1);
    mplan_exodus_label(file, "eb", i, block->name, &block->id);
    block->first_element = file->n_elements;
    block->first_cell = -1;
    if (mplan_netcdf_find(&file->file, name) < 0) {
        snprintf(name, sizeof name, "facconn%lld", (long long)i + 1);
        block->polyhedra = mplan_netcdf_find(&file->file, name) >= 0;
    }
    if (mplan_netcdf_find(&file->file, name) < 0) {
        snprintf(name, sizeof name, "num_el_in_blk%lld", (long long)i + 1);
        mplan_status status = mplan_exodus_count(file, name, &block->n, err);
        if (!status && block->n > 0)
            status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                                "%s: block %lld (%.32s) has neither a variable connect%lld nor facconn%lld",
                                path_of(file), (long long)block->id, block->name, (long long)i + 1,
                                (long long)i + 1);
        return status;
    }
    int id = mplan_netcdf_find(&file->file, name);
    mplan_status status = mplan_netcdf_describe(&file->file, id, &block->connect, err);
    if (!status)
        status = mplan_netcdf_need(&file->file, name, block->connect.rank, &block->connect, err);
    if (status)
        return status;
    if (!mplan_netcdf_text(&file->file, id, "elem_type", block->kind, sizeof block->kind))
        block->kind[0] = '\0';
    if (block->polyhedra) {
        block->type = MPLAN_N_CELL_TYPES;
        block->dimension = 3;
        if (block->connect.rank != 1)
            status = mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: variable %s has %d dimensions, not one",
                                path_of(file), block->connect.name, (int)block->connect.rank);
    } else if (block->connect.count > 0) {
        status = find_type(file, block, err);
    }
    block->n = block->connect.count > 0 ? block->connect.length[0] : 0;
    if (!status && block->n > 0 && block->type == MPLAN_N_CELL_TYPES)
        status = count_polygons(file, i, &block->n, err);
    file->n_elements += block->n;
    return status;
}

/* Elements of the blocks are numbered through, as side sets count them. */
static mplan_status describe_blocks(mplan_exodus *file, mplan_error *err)
{
    mplan_status status = mplan_exodus_count(file, "num_el_blk", &file->n_blocks, err);
    if (status)
        return status;
    file->blocks = mplan_alloc_zero(file->n_blocks, sizeof *file->blocks, err);
    if (!file->blocks)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < file->n_blocks && !status; i++) {
        status = describe_block(file, i, err);
        if (!status)
            status = mplan_interrupted(file->file.context, err);
        if (file->blocks[i].n > 0 && file->blocks[i].dimension > file->dimension)
            file->dimension = file->blocks[i].dimension;
    }
    if (!status && file->dimension == 0)
        status = mplan_fail(err, MPLAN_ERR_MESH, "%s: all elements of the blocks are points",
                            path_of(file));
    return status;
}

/* --- cells ---------------------------------------------------------------------------------- */

/* Which blocks are cells, and how many nodes they have.
 * Those of the highest dimension get their first_cell, in the order of the file; file->n_cells is their number.
 * *n_entries: entries of their lists together, which are nodes, or faces of polyhedra. */
static mplan_status place_blocks(mplan_exodus *file, int64_t *n_entries, mplan_error *err)
{
    int64_t left = 0;
    *n_entries = 0;
    for (int64_t i = 0; i < file->n_blocks; i++) {
        mplan_exodus_block *block = &file->blocks[i];
        if (block->n == 0)
            continue;
        if (block->dimension < file->dimension) {
            left += block->n;
            continue;
        }
        block->first_cell = file->n_cells;
        file->n_cells += block->n;
        *n_entries += block->connect.count;
    }
    if (left > 0)
        mplan_warn(file->file.context, "%s: %lld elements of lower dimension are skipped",
                   path_of(file), (long long)left);
    if (file->n_cells < INT32_MAX || file->file.layout)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: %lld elements exceed 32 bits", path_of(file),
                      (long long)file->n_cells);
}

/* Types of polygons, which have to be triangles and quads.
 * types: out, block->n of them. ebepecntI has the number of nodes of each, and the sum must be the length of the
 * list. */
static mplan_status type_polygons(const mplan_exodus *file, int64_t i, uint8_t *types,
                                  mplan_error *err)
{
    const mplan_exodus_block *block = &file->blocks[i];
    char name[48];
    mplan_netcdf_variable variable;
    snprintf(name, sizeof name, "ebepecnt%lld", (long long)i + 1);
    mplan_status status = mplan_netcdf_need(&file->file, name, 1, &variable, err);
    int64_t *counts = !status ? mplan_alloc(variable.count, sizeof *counts, err) : NULL;
    if (!counts)
        return !status ? MPLAN_ERR_MEMORY : status;
    status = mplan_netcdf_wholes(&file->file, &variable, counts, err);
    int64_t sum = 0;
    for (int64_t c = 0; c < block->n && !status; c++) {
        if (counts[c] != 3 && counts[c] != 4)
            status = mplan_fail(err, counts[c] > 4 ? MPLAN_ERR_UNSUPPORTED : MPLAN_ERR_MESH,
                                "%s: variable %s: element %lld is a polygon of %lld nodes",
                                path_of(file), variable.name, (long long)c, (long long)counts[c]);
        types[c] = counts[c] == 3 ? MPLAN_CELL_TRI3 : MPLAN_CELL_QUAD4;
        sum += counts[c];
    }
    if (!status && sum != block->connect.count)
        status = mplan_fail(err, MPLAN_ERR_CORRUPT,
                            "%s: variable %s says %lld nodes, but %s has %lld", path_of(file),
                            variable.name, (long long)sum, block->connect.name,
                            (long long)block->connect.count);
    free(counts);
    return status;
}

/* types and nodes: out, for the elements of block i; nodes are brought into
 * meshplan's order. */
static mplan_status read_block(mplan_exodus *file, int64_t i, uint8_t *types, int32_t *nodes,
                               mplan_error *err)
{
    const mplan_exodus_block *block = &file->blocks[i];
    const mplan_netcdf_ids ids = {.base = 1, .n_points = file->n_nodes, .none = false, .what = "node"};
    mplan_status status = MPLAN_OK;
    if (block->type == MPLAN_N_CELL_TYPES)
        status = type_polygons(file, i, types, err);
    else
        memset(types, (int)block->type, (size_t)block->n);
    if (!status)
        status = mplan_netcdf_read_ids(&file->file, &block->connect, &ids, nodes, err);
    if (!status && block->type != MPLAN_N_CELL_TYPES)
        mplan_order_nodes(MPLAN_NUMBERING_EXODUS, block->type, block->n, nodes);
    return status;
}

/* Blocks of the highest dimension are the cells, in their order.
 * types: one of each cell; nodes: those of all cells, one cell behind the other. The mesh takes both over. */
static mplan_status read_cells(mplan_exodus *file, int64_t n_entries, mplan_error *err)
{
    int64_t at = 0;
    mplan_status status = MPLAN_OK;
    uint8_t *types = mplan_alloc(file->n_cells, sizeof *types, err);
    int32_t *nodes = types ? mplan_alloc(n_entries, sizeof *nodes, err) : NULL;
    if (!nodes)
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < file->n_blocks && !status; i++) {
        const mplan_exodus_block *block = &file->blocks[i];
        if (block->first_cell < 0)
            continue;
        status = read_block(file, i, types + block->first_cell, nodes + at, err);
        at += block->connect.count;
    }
    if (status) {
        free(types);
        free(nodes);
        return status;
    }
    return mplan_mesh_take_cells(file->mesh, file->n_nodes, file->n_cells, types, nodes, err);
}

/* Each block is a group of its cells.
 * Its members are [first_cell, first_cell + n), ascending; lower blocks, which are skipped, become no groups. */
static mplan_status add_block_groups(mplan_exodus *file, mplan_error *err)
{
    int32_t cells = mplan_mesh_find_set(file->mesh, "cells");
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < file->n_blocks && !status; i++) {
        const mplan_exodus_block *block = &file->blocks[i];
        if (block->first_cell < 0)
            continue;
        int32_t *members = mplan_alloc(block->n, sizeof *members, err);
        if (!members)
            return MPLAN_ERR_MEMORY;
        for (int64_t c = 0; c < block->n; c++)
            members[c] = (int32_t)(block->first_cell + c);
        status = mplan_mesh_take_group(file->mesh, block->name, block->id, file->dimension, cells,
                                       block->n, members, err);
    }
    return status;
}

/* --- nodes ------------------------------------------------------------------------------------ */

/* Axis d: of coordx, coordy and coordz. */
static mplan_status describe_axis(const mplan_exodus *file, int64_t d,
                                  mplan_netcdf_variable *variable, mplan_error *err)
{
    static const char *const names[] = {"coordx", "coordy", "coordz"};
    mplan_status status = mplan_netcdf_need(&file->file, names[d], 1, variable, err);
    if (!status && variable->length[0] != file->n_nodes)
        status = mplan_fail(err, MPLAN_ERR_CORRUPT,
                            "%s: variable %s has %lld numbers for %lld nodes", path_of(file),
                            variable->name, (long long)variable->length[0], (long long)file->n_nodes);
    return status;
}

/* Axis d of node i becomes out[i * stride + d]; the other entries stay as they are. */
static mplan_status read_axis(const mplan_exodus *file, int64_t d, double *out, int64_t stride,
                              mplan_error *err)
{
    mplan_netcdf_variable variable;
    mplan_status status = describe_axis(file, d, &variable, err);
    return !status ? mplan_netcdf_reals(&file->file, &variable, out + d, stride, err) : status;
}

/* Older files keep all axes in one variable: axis by axis, all nodes each. */
static mplan_status describe_together(const mplan_exodus *file, int64_t n_axes,
                                      mplan_netcdf_variable *variable, mplan_error *err)
{
    mplan_status status = mplan_netcdf_need(&file->file, "coord", 2, variable, err);
    if (!status && (variable->length[0] != n_axes || variable->length[1] != file->n_nodes))
        status = mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: variable coord has %lld x %lld numbers",
                            path_of(file), (long long)variable->length[0],
                            (long long)variable->length[1]);
    return status;
}

static mplan_status read_together(const mplan_exodus *file, int64_t n_axes, double *out,
                                  int64_t stride, mplan_error *err)
{
    mplan_netcdf_variable variable;
    mplan_status status = describe_together(file, n_axes, &variable, err);
    double *rows = !status ? mplan_alloc(variable.count, sizeof *rows, err) : NULL;
    if (!rows)
        return !status ? MPLAN_ERR_MEMORY : status;
    status = mplan_netcdf_reals(&file->file, &variable, rows, 1, err);
    for (int64_t d = 0; d < n_axes && !status; d++)
        for (int64_t i = 0; i < file->n_nodes; i++)
            out[i * stride + d] = rows[d * file->n_nodes + i];
    free(rows);
    return status;
}

/* How many nodes, and how many axes they have. */
static mplan_status count_nodes(mplan_exodus *file, int64_t *n_axes, mplan_error *err)
{
    *n_axes = 0;
    mplan_status status = mplan_exodus_count(file, "num_nodes", &file->n_nodes, err);
    if (!status)
        status = mplan_exodus_count(file, "num_dim", n_axes, err);
    if (!status && (*n_axes < 1 || *n_axes > 3))
        status = mplan_fail(err, MPLAN_ERR_CORRUPT,
                            "%s: dimension num_dim must be 1, 2 or 3, not %lld", path_of(file),
                            (long long)*n_axes);
    return status;
}

/* Coordinates of the nodes, *stride each.
 * *out: n_nodes rows of 2 or 3, the caller's, unset after a failure. Files of one axis get y = 0. */
static mplan_status read_nodes(mplan_exodus *file, double **out, int32_t *stride_out, mplan_error *err)
{
    int64_t n_axes;
    mplan_status status = count_nodes(file, &n_axes, err);
    if (status)
        return status;
    int32_t stride = n_axes == 3 ? 3 : 2;
    double *xyz = mplan_alloc_zero(file->n_nodes, (size_t)stride * sizeof *xyz, err);
    if (!xyz)
        return MPLAN_ERR_MEMORY;
    if (mplan_netcdf_find(&file->file, "coord") >= 0)
        status = read_together(file, n_axes, xyz, stride, err);
    else
        for (int64_t d = 0; d < n_axes && !status; d++)
            status = read_axis(file, d, xyz, stride, err);
    if (status) {
        free(xyz);
        return status;
    }
    *out = xyz;
    *stride_out = file->space_dimension = stride;
    return MPLAN_OK;
}

/* Nodes and cells; takes over xyz.
 * xyz: n_nodes rows of `stride`, taken over also after a failure. Blocks are placed first: both ways of reading need
 * them. */
static mplan_status add_mesh(mplan_exodus *file, double *xyz, int32_t stride, mplan_error *err)
{
    int32_t set;
    int64_t n_entries;
    mplan_status status = place_blocks(file, &n_entries, err);
    if (!status && file->untyped)
        return mplan_exodus_read_untyped(file, xyz, stride, err);
    if (!status)
        status = mplan_mesh_add_set(file->mesh, "nodes", file->n_nodes, &set, err);
    if (status) {
        free(xyz);
        return status;
    }
    status = mplan_mesh_take_coordinates(file->mesh, set, stride, xyz, err);
    if (status == MPLAN_ERR_MESH)
        return mplan_fail_prefix(err, status, path_of(file));
    return !status ? read_cells(file, n_entries, err) : status;
}

/* --- layouts ------------------------------------------------------------------------------------ */

/* What read_nodes would read. */
static mplan_status place_nodes(mplan_exodus *file, mplan_error *err)
{
    int64_t n_axes;
    mplan_places_points *points = NULL;
    mplan_netcdf_variable variable;
    mplan_status status = count_nodes(file, &n_axes, err);
    file->space_dimension = n_axes == 3 ? 3 : 2;
    if (!status)
        status = mplan_places_add_points(file->file.layout, "nodes", n_axes == 3 ? 3 : 2, &points,
                                         err);
    if (!status && mplan_netcdf_find(&file->file, "coord") >= 0) {
        status = describe_together(file, n_axes, &variable, err);
        return status ? status
                      : mplan_netcdf_place(&file->file, &variable, file->n_nodes, n_axes, true,
                                           &points->array[0], err);
    }
    for (int64_t d = 0; d < n_axes && !status; d++) {
        status = describe_axis(file, d, &variable, err);
        if (!status)
            status = mplan_netcdf_place(&file->file, &variable, file->n_nodes, 1, false,
                                        &points->array[d], err);
    }
    return status;
}

/* A block of cells, nodes in the order of ours.
 * letters: for each of our nodes the letter of its place in Exodus, A the first; NULL: orders are equal. */
static mplan_status place_block(mplan_exodus *file, const mplan_exodus_block *block, mplan_error *err)
{
    const char *letters = mplan_node_order(MPLAN_NUMBERING_EXODUS, block->type);
    int8_t order[MPLAN_PLACES_NODES] = {0};
    int32_t array = -1;
    for (int32_t k = 0; letters && k < mplan_cell_type_nodes(block->type); k++)
        order[k] = (int8_t)(letters[k] - 'A');
    mplan_status status = mplan_netcdf_place(&file->file, &block->connect, block->n,
                                             block->connect.length[1], false, &array, err);
    return status ? status
                  : mplan_places_add_block(file->file.layout, array, (int32_t)block->type,
                                           letters ? order : NULL, err);
}

/* Blocks as groups. *plain: out, whether all elements are cells of the same numbers, whose sides are those that cells have: not
 * where others lie between them, nor of shells. */
static mplan_status place_block_groups(mplan_exodus *file, bool *plain, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    *plain = true;
    for (int64_t i = 0; i < file->n_blocks && !status; i++) {
        const mplan_exodus_block *block = &file->blocks[i];
        mplan_places_group *group = NULL;
        *plain = *plain && (block->n == 0 || (block->first_cell == block->first_element &&
                                              !mplan_exodus_is_shell(file, block)));
        if (block->first_cell < 0 || !block->name[0])
            continue;
        status = mplan_places_add_group(file->file.layout, block->name, "cells",
                                        file->file.layout->groups.count, MPLAN_GROUP_RUN, &group,
                                        err);
        if (!status) {
            group->first = block->first_cell;
            group->n = block->n;
        }
    }
    return status;
}

/* All groups with names, or none of them: where lists are not in one piece, or count other elements than cells. */
static mplan_status place_groups(mplan_exodus *file, mplan_error *err)
{
    bool plain;
    mplan_places *layout = file->file.layout;
    mplan_status status = place_block_groups(file, &plain, err);
    if (!status && plain)
        status = mplan_exodus_place_sets(file, err);
    if (!status && plain)
        layout->flags |= MPLAN_PLACES_GROUPS;
    else
        layout->groups.count = 0;
    return status == MPLAN_ERR_UNSUPPORTED ? MPLAN_OK : status;
}

/* Blocks are placed as read_cells reads them. Those of polygons and polyhedra need what all of them say together. */
static mplan_status place_cells(mplan_exodus *file, mplan_error *err)
{
    mplan_places *layout = file->file.layout;
    mplan_places_table *table = NULL;
    int64_t n_entries;
    mplan_status status = place_blocks(file, &n_entries, err);
    if (!status)
        status = mplan_places_add_table(layout, "cells_nodes", "cells", "nodes", &table, err);
    if (!status) {
        table->base = 1;
        table->has_none = false;
    }
    for (int64_t i = 0; i < file->n_blocks && !status; i++) {
        const mplan_exodus_block *block = &file->blocks[i];
        if (block->first_cell < 0)
            continue;
        status = block->type == MPLAN_N_CELL_TYPES
                     ? mplan_places_refuse(path_of(file), "blocks are of polygons or polyhedra", err)
                     : place_block(file, block, err);
    }
    if (!status)
        status = mplan_places_add_set(layout, "nodes", file->n_nodes, err);
    return status ? status : mplan_places_add_set(layout, "cells", file->n_cells, err);
}

static mplan_status place_exodus(const mplan_input *input, const mplan_read_options *options,
                                 const mplan_context *context, mplan_places *layout, mplan_error *err)
{
    mplan_exodus file = {.mesh = NULL};
    (void)options;
    mplan_status status = mplan_netcdf_open(input, context, &file.file, err);
    if (status)
        return status;
    file.file.layout = layout;
    status = place_nodes(&file, err);
    if (!status)
        status = describe_blocks(&file, err);
    if (!status)
        status = place_cells(&file, err);
    if (!status)
        status = place_groups(&file, err);
    free(file.blocks);
    mplan_netcdf_close(&file.file);
    return status;
}

/* --- all -------------------------------------------------------------------------------------- */

/* Blocks decide whether cells have types; only one of two ways of reading them
 * is gone.
 * Blocks are described before any list is read, because side sets count elements over all blocks. */
static mplan_status read_exodus(const mplan_input *input, const mplan_read_options *options,
                                const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    mplan_exodus file = {.mesh = mesh};
    (void)options;
    mplan_status status = mplan_netcdf_open(input, context, &file.file, err);
    if (status)
        return status;
    double *xyz = NULL;
    int32_t stride = 0;
    status = read_nodes(&file, &xyz, &stride, err);
    if (!status)
        status = describe_blocks(&file, err);
    if (!status)
        status = mplan_exodus_find_untyped(&file, err);
    if (!status)
        status = add_mesh(&file, xyz, stride, err);
    else
        free(xyz);
    if (!status)
        status = add_block_groups(&file, err);
    if (!status)
        status = mplan_exodus_read_sets(&file, err);
    free(file.blocks);
    mplan_netcdf_close(&file.file);
    return status;
}
#endif

/* By its dimensions, where a library can be asked. */
static mplan_recognised recognise_exodus(const uint8_t *data, size_t size)
{
    return mplan_netcdf_kind_of(data, size) == MPLAN_NETCDF_EXODUS ? MPLAN_RECOGNISED_YES
                                                                   : MPLAN_RECOGNISED_NO;
}

#if !defined MPLAN_HAVE_NETCDF && defined MPLAN_HELPER_NETCDF
MPLAN_CONTAINED_READER(read_exodus, "exodus")
#endif

const mplan_file_format mplan_format_exodus = {
    .name = "exodus",
    .description = "Exodus II, netCDF-3 and -4: blocks (also of polyhedra), side sets, node sets",
    .extensions = ".exo .e .g .ex2",
    .recognise = recognise_exodus,
    MPLAN_READ_BY_NETCDF(read_exodus),
#ifdef MPLAN_HAVE_NETCDF
    .layout = place_exodus,
#else /* the program of libexec only reads */
    .write = mplan_exodus_write,
    .writes_without = true,
#endif
};
