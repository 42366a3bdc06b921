/* SPDX-License-Identifier: Apache-2.0 */
/* exodus_write.c - writes Exodus II files, in netCDF's classic formats
 *
 * After Schoof and Yarberry, SAND92-2137, and the variables that Sandia's library writes. A block for each group of cells
 * and type of cell: cells of several groups are in the first, and the cells are sorted by block, blocks in the order
 * of their first cells. Groups of faces are side sets, those of nodes node sets. */
#include "formats/netcdf/exodus_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/netcdf/netcdf_write.h"
#include "formats/side_order.h"
#include "formats/skipped_groups.h"
#include "formats/with_faces.h"
#include "mesh/mesh.h"

static const char *const kind = "an Exodus file";

enum { LEAST_NAME = 33, MOST_NAME = 256 };

/* Cells of one type that are in one group. */
typedef struct exodus_block_out {
    mplan_cell_type type;
    int32_t group;        /* of the mesh; -1: none */
    int64_t id, n, first; /* the latter: its first element */
    char name[MOST_NAME];
} exodus_block_out;

/* A group of faces or nodes that becomes a set. */
typedef struct exodus_set_out {
    mplan_group group;
    int64_t id;
} exodus_set_out;

/* What is written. */
typedef struct exodus_writer {
    const mplan_mesh *mesh, *faced; /* the latter: that has faces */
    const mplan_context *context;
    mplan_error *err;
    mplan_netcdf_out out;
    int64_t n_nodes, n_cells;
    const double *xyz;
    int32_t stride;
    mplan_map cells;
    const uint8_t *type;
    bool shells;               /* cells of surfaces in space: sides 1 and 2 are their faces */
    mplan_vector blocks;       /* exodus_block_out */
    int32_t *element_of;       /* of each cell, from 0 */
    int32_t *cell_of;          /* of each element */
    mplan_vector sides, nodes; /* exodus_set_out */
    int64_t name_length;
} exodus_writer;

/* --- numbers and names ---------------------------------------------------------------- */

/* The group's number where it is one and none before has it, else the next of all. `used`: n numbers, `size` bytes
 * apart. */
static int64_t choose_id(int64_t wanted, const int64_t *used, int64_t n, size_t size)
{
    int64_t most = 0;
    bool is_free = wanted > 0 && wanted < INT32_MAX;
    for (int64_t i = 0; i < n; i++) {
        int64_t id;
        memcpy(&id, (const char *)used + (size_t)i * size, sizeof id);
        most = id > most ? id : most;
        is_free = is_free && id != wanted;
    }
    return is_free ? wanted : most + 1;
}

static void note_name(exodus_writer *to, const char *name)
{
    int64_t length = (int64_t)strlen(name) + 1;
    to->name_length = length > to->name_length ? length : to->name_length;
    if (to->name_length > MOST_NAME)
        to->name_length = MOST_NAME;
}

/* --- blocks --------------------------------------------------------------------------- */

/* group_of: of each cell the first of its groups, -1 without one. */
static void find_groups(exodus_writer *to, int32_t *group_of)
{
    int64_t several = 0;
    for (int64_t c = 0; c < to->n_cells; c++)
        group_of[c] = -1;
    for (int32_t g = 0; g < mplan_mesh_n_groups(to->mesh); g++) {
        mplan_group group = mplan_mesh_group(to->mesh, g);
        if (strcmp(mplan_mesh_set(to->mesh, group.set).name, "cells") != 0)
            continue;
        for (int64_t i = 0; i < group.n_members; i++) {
            int32_t *of = &group_of[group.members[i]];
            several += *of >= 0;
            *of = *of >= 0 ? *of : g;
        }
    }
    if (several)
        mplan_warn(to->context,
                   "%lld cells are in several groups and are written in the first: a "
                   "cell of an Exodus file is in one block",
                   (long long)several);
}

/* A new block; its group's name, with the type behind it where it is not the first of the group. */
static mplan_status add_block(exodus_writer *to, int32_t g, mplan_cell_type type)
{
    exodus_block_out added = {.type = type, .group = g};
    const exodus_block_out *blocks = to->blocks.data;
    mplan_group group = {.name = ""};
    bool again = false;
    if (g >= 0)
        group = mplan_mesh_group(to->mesh, g);
    for (int64_t b = 0; b < to->blocks.count; b++)
        again = again || (g >= 0 && blocks[b].group == g);
    added.id = choose_id(again ? 0 : group.id, to->blocks.count ? &blocks->id : NULL,
                         to->blocks.count, sizeof *blocks);
    snprintf(added.name, sizeof added.name, again && group.name[0] ? "%.200s_%s" : "%.255s",
             group.name, mplan_cell_type_name(type));
    if (again)
        mplan_warn(to->context,
                   "the group '%s' has cells of several types: its cells of type %s are a block of their own",
                   group.name, mplan_cell_type_name(type));
    note_name(to, added.name);
    return mplan_vector_push(&to->blocks, &added, to->err);
}

/* Blocks, and which elements the cells become. place: block of each pair of a group (from -1) and a type. */
static mplan_status sort_cells(exodus_writer *to, int32_t *group_of, int32_t *place)
{
    mplan_status status = MPLAN_OK;
    for (int64_t c = 0; c < to->n_cells && !status; c++) {
        int32_t *of = &place[(group_of[c] + 1) * MPLAN_N_CELL_TYPES + to->type[c]];
        if (*of < 0) {
            *of = (int32_t)to->blocks.count;
            status = add_block(to, group_of[c], (mplan_cell_type)to->type[c]);
        }
        group_of[c] = *of;
        if (!status)
            ((exodus_block_out *)to->blocks.data)[*of].n++;
    }
    exodus_block_out *blocks = to->blocks.data;
    for (int64_t b = 1; b < to->blocks.count && !status; b++)
        blocks[b].first = blocks[b - 1].first + blocks[b - 1].n;
    for (int64_t b = 0; b < to->blocks.count && !status; b++)
        blocks[b].n = 0; /* counted again */
    for (int64_t c = 0; c < to->n_cells && !status; c++) {
        exodus_block_out *block = &blocks[group_of[c]];
        int64_t element = block->first + block->n++;
        to->element_of[c] = (int32_t)element;
        to->cell_of[element] = (int32_t)c;
    }
    return status;
}

/* A block for each pair of a group of cells and a type. element_of and cell_of: the cell's number in the order of blocks, and back. */
static mplan_status make_blocks(exodus_writer *to)
{
    int64_t pairs = ((int64_t)mplan_mesh_n_groups(to->mesh) + 1) * MPLAN_N_CELL_TYPES;
    int32_t *group_of = mplan_alloc(to->n_cells, sizeof *group_of, to->err);
    int32_t *place = group_of ? mplan_alloc(pairs, sizeof *place, to->err) : NULL;
    to->element_of = place ? mplan_alloc(to->n_cells, sizeof *to->element_of, to->err) : NULL;
    to->cell_of = to->element_of ? mplan_alloc(to->n_cells, sizeof *to->cell_of, to->err) : NULL;
    mplan_status status = to->cell_of ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status) {
        memset(place, 0xff, (size_t)pairs * sizeof *place);
        find_groups(to, group_of);
        status = sort_cells(to, group_of, place);
    }
    free(group_of);
    free(place);
    return status;
}

/* --- sets ----------------------------------------------------------------------------- */

/* An id that no other set has; empty groups are skipped with a warning. */
static mplan_status add_set(exodus_writer *to, mplan_vector *sets, const mplan_group *group)
{
    const exodus_set_out *all = sets->data;
    exodus_set_out added = {*group, 0};
    if (group->n_members == 0) {
        mplan_warn(to->context, "the group '%s' is empty and is skipped", group->name);
        return MPLAN_OK;
    }
    added.id = choose_id(group->id, sets->count ? &all->id : NULL, sets->count, sizeof *all);
    note_name(to, group->name);
    return mplan_vector_push(sets, &added, to->err);
}

static bool is_faces(const char *set)
{
    return strcmp(set, "faces") == 0 || strcmp(set, "boundary_faces") == 0;
}

/* Groups of faces are those of the mesh that has faces. */
static mplan_status find_sets(exodus_writer *to)
{
    mplan_skipped_groups skipped = {0};
    mplan_status status = MPLAN_OK;
    for (int32_t g = 0; g < mplan_mesh_n_groups(to->faced) && !status; g++) {
        mplan_group group = mplan_mesh_group(to->faced, g);
        if (is_faces(mplan_mesh_set(to->faced, group.set).name))
            status = add_set(to, &to->sides, &group);
    }
    for (int32_t g = 0; g < mplan_mesh_n_groups(to->mesh) && !status; g++) {
        mplan_group group = mplan_mesh_group(to->mesh, g);
        const char *set = mplan_mesh_set(to->mesh, group.set).name;
        if (strcmp(set, "nodes") == 0)
            status = add_set(to, &to->nodes, &group);
        else if (strcmp(set, "cells") != 0 && !is_faces(set))
            mplan_skip_group(&skipped, &group, set);
    }
    mplan_warn_skipped(&skipped, kind, to->context);
    return status;
}

/* Whether all corners of a side are among these n. */
static bool is_side_of(const int32_t *row, const int8_t *side, int32_t m, const int32_t *corners,
                       int32_t n)
{
    for (int32_t k = 0; k < m; k++) {
        int32_t i = 0;
        while (i < n && corners[i] != row[side[k]])
            i++;
        if (i == n)
            return false;
    }
    return true;
}

/* The side of a cell that has these n corners, which differ, as Exodus counts; 0: none. Sides of cells that repeat nodes may
 * have more corners. */
static int32_t side_of(const exodus_writer *to, int32_t cell, const int32_t *corners, int32_t n)
{
    int32_t n_row;
    const int32_t *row = mplan_map_row(&to->cells, cell, &n_row);
    for (int32_t side = 1; side <= 6; side++) {
        int8_t corner[4];
        int32_t own[4], m = mplan_side_corners(MPLAN_NUMBERING_EXODUS,
                                               (mplan_cell_type)to->type[cell], side, corner);
        for (int32_t k = 0; k < m; k++)
            own[k] = row[corner[k]];
        if (m >= n && mplan_distinct_nodes(own, m) == n && is_side_of(row, corner, m, corners, n))
            return to->shells ? side + 2 : side;
    }
    return 0;
}

/* --- the head ------------------------------------------------------------------------- */

/* The name of a shape, which is another one for faces in space. Cells of first order have words that meshio knows, too. */
static const char *word_of(const exodus_writer *to, mplan_cell_type type)
{
    static const char *const words[MPLAN_N_CELL_TYPES] = {
        [MPLAN_CELL_LINE2] = "BAR2",          [MPLAN_CELL_LINE3] = "BAR3",
        [MPLAN_CELL_TRI3] = "TRI3",           [MPLAN_CELL_TRI6] = "TRI6",
        [MPLAN_CELL_QUAD4] = "QUAD4",         [MPLAN_CELL_QUAD8] = "QUAD8",
        [MPLAN_CELL_QUAD9] = "QUAD9",         [MPLAN_CELL_TET4] = "TETRA",
        [MPLAN_CELL_TET10] = "TETRA10",       [MPLAN_CELL_PYRAMID5] = "PYRAMID",
        [MPLAN_CELL_PYRAMID13] = "PYRAMID13", [MPLAN_CELL_PYRAMID14] = "PYRAMID14",
        [MPLAN_CELL_PRISM6] = "WEDGE",        [MPLAN_CELL_PRISM15] = "WEDGE15",
        [MPLAN_CELL_PRISM18] = "WEDGE18",     [MPLAN_CELL_HEX8] = "HEX8",
        [MPLAN_CELL_HEX20] = "HEX20",         [MPLAN_CELL_HEX27] = "HEX27"};
    if (to->shells)
        switch ((int)type) {
        case MPLAN_CELL_QUAD4: return "SHELL4";
        case MPLAN_CELL_QUAD8: return "SHELL8";
        case MPLAN_CELL_QUAD9: return "SHELL9";
        }
    return words[type] ? words[type] : "SPHERE";
}

/* "connect12" */
static const char *numbered(char name[48], const char *stem, int64_t i)
{
    snprintf(name, 48, "%s%lld", stem, (long long)i + 1);
    return name;
}

/* Status, numbers and names of a list of blocks or sets: three variables. */
static void declare_list(exodus_writer *to, const char *list, const char *dimension, int64_t n,
                         int32_t name_dimension)
{
    char name[48];
    int32_t count = mplan_netcdf_add_dimension(&to->out, dimension, n);
    snprintf(name, sizeof name, "%s_status", list);
    mplan_netcdf_add_variable(&to->out, name, MPLAN_NETCDF_INT, 1, count, 0);
    snprintf(name, sizeof name, "%s_prop1", list);
    int32_t ids = mplan_netcdf_add_variable(&to->out, name, MPLAN_NETCDF_INT, 1, count, 0);
    mplan_netcdf_add_text(&to->out, ids, "name", "ID");
    snprintf(name, sizeof name, "%s_names", list);
    mplan_netcdf_add_variable(&to->out, name, MPLAN_NETCDF_CHAR, 2, count, name_dimension);
}

/* In the order in which put_... write them. */
static void declare(exodus_writer *to)
{
    static const char *const axes[] = {"coordx", "coordy", "coordz"};
    mplan_netcdf_out *out = &to->out;
    char name[48];
    mplan_netcdf_add_number(out, MPLAN_NETCDF_GLOBAL, "api_version", MPLAN_NETCDF_FLOAT, 8.03f);
    mplan_netcdf_add_number(out, MPLAN_NETCDF_GLOBAL, "version", MPLAN_NETCDF_FLOAT, 8.03f);
    mplan_netcdf_add_number(out, MPLAN_NETCDF_GLOBAL, "floating_point_word_size", MPLAN_NETCDF_INT,
                            8);
    mplan_netcdf_add_number(out, MPLAN_NETCDF_GLOBAL, "file_size", MPLAN_NETCDF_INT, 1);
    mplan_netcdf_add_number(out, MPLAN_NETCDF_GLOBAL, "maximum_name_length", MPLAN_NETCDF_INT,
                            (double)to->name_length - 1);
    mplan_netcdf_add_text(out, MPLAN_NETCDF_GLOBAL, "title", "meshplan");
    int32_t time = mplan_netcdf_add_dimension(out, "time_step", 0);
    int32_t names = mplan_netcdf_add_dimension(out, "len_name", to->name_length);
    int32_t axis = mplan_netcdf_add_dimension(out, "num_dim", to->stride);
    int32_t nodes = mplan_netcdf_add_dimension(out, "num_nodes", to->n_nodes);
    mplan_netcdf_add_dimension(out, "num_elem", to->n_cells);
    mplan_netcdf_add_variable(out, "time_whole", MPLAN_NETCDF_DOUBLE, 1, time, 0);
    mplan_netcdf_add_variable(out, "coor_names", MPLAN_NETCDF_CHAR, 2, axis, names);
    for (int32_t d = 0; d < to->stride; d++)
        mplan_netcdf_add_variable(out, axes[d], MPLAN_NETCDF_DOUBLE, 1, nodes, 0);
    declare_list(to, "eb", "num_el_blk", to->blocks.count, names);
    for (int64_t b = 0; b < to->blocks.count; b++) {
        const exodus_block_out *block = (const exodus_block_out *)to->blocks.data + b;
        int32_t n = mplan_netcdf_add_dimension(out, numbered(name, "num_el_in_blk", b), block->n);
        int32_t row = mplan_netcdf_add_dimension(out, numbered(name, "num_nod_per_el", b),
                                                 mplan_cell_type_nodes(block->type));
        int32_t connect = mplan_netcdf_add_variable(out, numbered(name, "connect", b),
                                                    MPLAN_NETCDF_INT, 2, n, row);
        mplan_netcdf_add_text(out, connect, "elem_type", word_of(to, block->type));
    }
    if (to->sides.count)
        declare_list(to, "ss", "num_side_sets", to->sides.count, names);
    for (int64_t s = 0; s < to->sides.count; s++) {
        const exodus_set_out *set = (const exodus_set_out *)to->sides.data + s;
        int32_t n = mplan_netcdf_add_dimension(out, numbered(name, "num_side_ss", s),
                                               set->group.n_members);
        mplan_netcdf_add_variable(out, numbered(name, "elem_ss", s), MPLAN_NETCDF_INT, 1, n, 0);
        mplan_netcdf_add_variable(out, numbered(name, "side_ss", s), MPLAN_NETCDF_INT, 1, n, 0);
    }
    if (to->nodes.count)
        declare_list(to, "ns", "num_node_sets", to->nodes.count, names);
    for (int64_t s = 0; s < to->nodes.count; s++) {
        const exodus_set_out *set = (const exodus_set_out *)to->nodes.data + s;
        int32_t n = mplan_netcdf_add_dimension(out, numbered(name, "num_nod_ns", s),
                                               set->group.n_members);
        mplan_netcdf_add_variable(out, numbered(name, "node_ns", s), MPLAN_NETCDF_INT, 1, n, 0);
    }
}

/* --- numbers -------------------------------------------------------------------------- */

/* Names of the axes, then a variable for each axis. */
static void put_axes(exodus_writer *to)
{
    static const char *const names[] = {"x", "y", "z"};
    for (int32_t d = 0; d < to->stride; d++)
        mplan_netcdf_put_chars(&to->out, names[d], to->name_length);
    mplan_netcdf_next(&to->out);
    for (int32_t d = 0; d < to->stride; d++) {
        for (int64_t i = 0; i < to->n_nodes && !to->out.out.status; i++)
            mplan_netcdf_put_real(&to->out, to->xyz[i * to->stride + d]);
        if (!to->out.out.status)
            mplan_netcdf_next(&to->out);
    }
}

/* Status, which is 1, then numbers, then names. */
static void put_statuses(exodus_writer *to, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        mplan_netcdf_put_int(&to->out, 1);
    mplan_netcdf_next(&to->out);
}

/* Status, ids and names of all blocks, then their connectivities in the order of corners that Exodus has, from 1. */
static void put_blocks(exodus_writer *to)
{
    const exodus_block_out *blocks = to->blocks.data;
    put_statuses(to, to->blocks.count);
    for (int64_t b = 0; b < to->blocks.count; b++)
        mplan_netcdf_put_int(&to->out, (int32_t)blocks[b].id);
    mplan_netcdf_next(&to->out);
    for (int64_t b = 0; b < to->blocks.count; b++)
        mplan_netcdf_put_chars(&to->out, blocks[b].name, to->name_length);
    mplan_netcdf_next(&to->out);
    for (int64_t b = 0; b < to->blocks.count && !to->out.out.status; b++) {
        const char *order = mplan_node_order(MPLAN_NUMBERING_EXODUS, blocks[b].type);
        for (int64_t e = blocks[b].first; e < blocks[b].first + blocks[b].n; e++) {
            int32_t n, theirs[27];
            const int32_t *row = mplan_map_row(&to->cells, to->cell_of[e], &n);
            for (int32_t k = 0; k < n; k++)
                theirs[order ? order[k] - 'A' : k] = row[k];
            for (int32_t k = 0; k < n; k++)
                mplan_netcdf_put_int(&to->out, theirs[k] + 1);
        }
        mplan_netcdf_next(&to->out);
    }
}

/* Status, ids and names of sets; nothing where there are none. */
static void put_set_heads(exodus_writer *to, const mplan_vector *sets)
{
    const exodus_set_out *all = sets->data;
    if (sets->count == 0)
        return;
    put_statuses(to, sets->count);
    for (int64_t s = 0; s < sets->count; s++)
        mplan_netcdf_put_int(&to->out, (int32_t)all[s].id);
    mplan_netcdf_next(&to->out);
    for (int64_t s = 0; s < sets->count; s++)
        mplan_netcdf_put_chars(&to->out, all[s].group.name, to->name_length);
    mplan_netcdf_next(&to->out);
}

/* Elements, then sides, of one set. */
static void put_sides(exodus_writer *to, const mplan_group *group)
{
    const mplan_mesh *mesh = to->faced;
    bool inner = strcmp(mplan_mesh_set(mesh, group->set).name, "faces") == 0;
    mplan_map nodes = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, inner ? "faces_nodes"
                                                                           : "boundary_faces_nodes"));
    mplan_map cells = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, inner ? "faces_cells"
                                                                           : "boundary_faces_cells"));
    for (int32_t pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < group->n_members; i++) {
            int32_t n, n_cells;
            const int32_t *corners = mplan_map_row(&nodes, group->members[i], &n);
            int32_t cell = mplan_map_row(&cells, group->members[i], &n_cells)[0];
            mplan_netcdf_put_int(&to->out,
                                 pass ? side_of(to, cell, corners, n) : to->element_of[cell] + 1);
        }
        mplan_netcdf_next(&to->out);
    }
}

/* Side sets, then node sets, whose members count from 1. */
static void put_sets(exodus_writer *to)
{
    put_set_heads(to, &to->sides);
    for (int64_t s = 0; s < to->sides.count; s++)
        put_sides(to, &((const exodus_set_out *)to->sides.data)[s].group);
    put_set_heads(to, &to->nodes);
    for (int64_t s = 0; s < to->nodes.count; s++) {
        const mplan_group *group = &((const exodus_set_out *)to->nodes.data)[s].group;
        for (int64_t i = 0; i < group->n_members; i++)
            mplan_netcdf_put_int(&to->out, group->members[i] + 1);
        mplan_netcdf_next(&to->out);
    }
}

/* --- the file ------------------------------------------------------------------------- */

/* What the mesh must have; planar cells in space are shells. */
static mplan_status find_cells(exodus_writer *to)
{
    int32_t nodes = mplan_mesh_find_set(to->mesh, "nodes"),
            map = mplan_mesh_find_map(to->mesh, "cells_nodes");
    to->type = mplan_mesh_cell_types(to->mesh);
    to->xyz = nodes < 0 ? NULL : mplan_mesh_coordinates(to->mesh, nodes, &to->stride);
    if (map < 0 || !to->type || !to->xyz)
        return mplan_fail(to->err, MPLAN_ERR_ARGUMENT,
                          "%s needs cells with types and coordinates of nodes, which this mesh does "
                          "not have",
                          kind);
    to->cells = mplan_mesh_map(to->mesh, map);
    to->n_nodes = mplan_mesh_set(to->mesh, nodes).size;
    to->n_cells = to->cells.n_rows;
    to->shells = to->stride == 3 && mplan_mesh_dimension(to->mesh) == 2;
    to->name_length = LEAST_NAME;
    return to->n_cells > 0 ? MPLAN_OK
                           : mplan_fail(to->err, MPLAN_ERR_ARGUMENT, "%s needs cells", kind);
}

/* to->out is open; what is declared is written. */
static mplan_status write_numbers(exodus_writer *to, mplan_output *output)
{
    mplan_status status = mplan_netcdf_head(&to->out, output, to->context, to->err);
    if (status)
        return status;
    put_axes(to);
    if (!to->out.out.status)
        put_blocks(to);
    if (!to->out.out.status)
        put_sets(to);
    return mplan_netcdf_finish(&to->out);
}

/* Sides of cells are named by (cell, side), so faces are derived in a copy where the mesh has
 * none; to.faced is the mesh that has them. Elements are numbered block by block: element_of
 * and cell_of lead there and back. */
mplan_status mplan_exodus_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                                const mplan_context *context, mplan_error *err)
{
    (void)what;
    mplan_mesh *copy = NULL;
    exodus_writer to = {.mesh = mesh,
                        .context = context,
                        .err = err,
                        .blocks = MPLAN_VECTOR_INIT(sizeof(exodus_block_out)),
                        .sides = MPLAN_VECTOR_INIT(sizeof(exodus_set_out)),
                        .nodes = MPLAN_VECTOR_INIT(sizeof(exodus_set_out))};
    mplan_netcdf_declare(&to.out);
    mplan_status status = find_cells(&to);
    if (!status)
        status = mplan_with_faces(mesh, kind, &copy, context, err);
    to.faced = copy ? copy : mesh;
    if (!status)
        status = make_blocks(&to);
    if (!status)
        status = find_sets(&to);
    if (!status) {
        declare(&to);
        status = write_numbers(&to, output);
    }
    mplan_netcdf_forget(&to.out);
    free(to.blocks.data);
    free(to.sides.data);
    free(to.nodes.data);
    free(to.element_of);
    free(to.cell_of);
    mplan_mesh_free(copy);
    return status;
}
