/* SPDX-License-Identifier: Apache-2.0 */
/* read_exodus.c - where the numbers of an Exodus II file in netCDF-3 are (formats/netcdf/exodus.c)
 *
 * After "NetCDF Classic Format Specification" of the NetCDF Users' Guide: the head tells the first byte of each variable, and
 * variables without records lie in one piece. CDF-1, CDF-2 and CDF-5.
 * Nothing here is collective: rank 0 reads the head. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/netcdf/exodus_types.h"
#include "formats/netcdf/netcdf_header.h"
#include "formats/side_order.h"
#include "mpi/read_layout.h"

/* HEAD: bytes of the file that are looked at; MOST_RANK: dimensions of a variable that are kept. */
enum { HEAD = 16 << 20, MOST_RANK = 3 };

/* A variable of the head; a length of 0 in `length` is that of records.
 * rank: number of dimensions, MOST_RANK + 1 for all above; type: of netCDF, 1 to 11; at: its
 * first byte in the file. */
typedef struct variable {
    char name[MPI_NAME], kind[64]; /* the latter: its attribute elem_type */
    int32_t rank, type;
    int64_t length[MOST_RANK], at;
} variable;

/* Variables name dimensions by their place in the head, from 0 on. Names are cut to MPI_NAME - 1
 * bytes. */
typedef struct dimension {
    char name[MPI_NAME];
    int64_t length;
} dimension;

/* The head as it is walked. It was looked over before (mplan_netcdf_check_header), so that nothing is behind its end. */
typedef struct head {
    const mpi_view *view;
    int64_t at;
    int32_t width; /* bytes of a count */
    mplan_vector dimensions, variables;
} head;

/* --- the head -------------------------------------------------------------------------------------- */

/* A big-endian number of so many bytes (up to 8); h->at moves behind it. */
static int64_t take(head *h, int32_t bytes)
{
    uint64_t value = 0;
    for (int32_t i = 0; i < bytes; i++)
        value = value << 8 | h->view->data[h->at++];
    return (int64_t)value;
}

/* name: out, cut to its room.
 * Text in the file is filled up to a multiple of 4 bytes, which are skipped with it. */
static void take_text(head *h, int64_t length, char *name, size_t size)
{
    const size_t n = (size_t)length < size - 1 ? (size_t)length : size - 1;
    memset(name, 0, size);
    memcpy(name, h->view->data + h->at, n);
    h->at += (length + 3) / 4 * 4;
}

/* A name of the head: its length, then its text. */
static void take_name(head *h, char name[MPI_NAME])
{
    take_text(h, take(h, h->width), name, MPI_NAME);
}

/* Of a number of a netCDF type, as the specification numbers them; 0: there is no such type. */
static int64_t bytes_of(int64_t type)
{
    static const uint8_t size[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
    return type >= 1 && type < (int64_t)sizeof size ? size[type] : 0;
}

/* kind: out, the text elem_type if there is one.
 * The first number is a tag, the next how many there are. kind: left as it is without elem_type;
 * zero-ended. */
static void take_attributes(head *h, char kind[64])
{
    take(h, 4);
    const int64_t n = take(h, h->width);
    for (int64_t a = 0; a < n; a++) {
        char name[MPI_NAME];
        take_name(h, name);
        const int64_t type = take(h, 4), count = take(h, h->width);
        if (strcmp(name, "elem_type") == 0 && bytes_of(type) == 1)
            take_text(h, count, kind, 64);
        else
            h->at += (count * bytes_of(type) + 3) / 4 * 4;
    }
}

/* Dimensions are known by now. The size that the head tells is skipped, as it may overflow for
 * large variables; lengths give it. Offsets have 4 bytes in CDF-1, which is byte 3 of the file,
 * else 8. */
static mplan_status take_variable(head *h, mplan_error *err)
{
    variable v = {.rank = 0};
    take_name(h, v.name);
    const int64_t rank = take(h, h->width);
    for (int64_t d = 0; d < rank; d++) {
        const int64_t of = take(h, h->width);
        if (d < MOST_RANK)
            v.length[d] = ((dimension *)h->dimensions.data)[of].length;
    }
    take_attributes(h, v.kind);
    v.rank = rank <= MOST_RANK ? (int32_t)rank : MOST_RANK + 1;
    v.type = (int32_t)take(h, 4);
    take(h, h->width);
    v.at = take(h, h->view->data[3] == 1 ? 4 : 8);
    return mplan_vector_push(&h->variables, &v, err);
}

/* Order of the head: magic, number of records, dimensions, attributes of the file, variables.
 * Counts have 8 bytes in CDF-5, else 4. */
static mplan_status read_head(head *h, mplan_error *err)
{
    const mplan_input input = {h->view->path, h->view->data,
                               (size_t)(h->view->size < HEAD ? h->view->size : HEAD), NULL};
    mplan_status status = mplan_netcdf_check_header(&input, err);
    char none[64];
    if (status)
        return status;
    h->at = 4;
    h->width = h->view->data[3] == 5 ? 8 : 4;
    take(h, h->width); /* records */
    take(h, 4);
    for (int64_t n = take(h, h->width); n > 0 && !status; n--) {
        dimension d;
        take_name(h, d.name);
        d.length = take(h, h->width);
        status = mplan_vector_push(&h->dimensions, &d, err);
    }
    if (status)
        return status;
    take_attributes(h, none);
    take(h, 4);
    for (int64_t n = take(h, h->width); n > 0 && !status; n--)
        status = take_variable(h, err);
    return status;
}

/* NULL without one.
 * Borrowed from the head. */
static const variable *find_variable(const head *h, const char *name)
{
    const variable *list = h->variables.data;
    for (int64_t i = 0; i < h->variables.count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

/* 0 without one.
 * Also 0 for the dimension of records: nodes or blocks by records are refused with it. */
static int64_t length_of(const head *h, const char *name)
{
    const dimension *list = h->dimensions.data;
    for (int64_t i = 0; i < h->dimensions.count; i++)
        if (strcmp(list[i].name, name) == 0)
            return list[i].length;
    return 0;
}

/* --- arrays ------------------------------------------------------------------------------------------ */

/* What Exodus can have, but ranges cannot be read of. */
static mplan_status refuse(const head *h, const char *what, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "%s: %s: bring the file into another by meshplan convert first",
                      h->view->path, what);
}

/* The numbers of a variable as rows x cols, or one column behind the other.
 * *index: out, the array in the layout. Type 2 is text. netCDF has big-endian numbers. The
 * layout refuses arrays that are longer than the file. */
static mplan_status add_variable(mpi_layout *layout, const head *h, const variable *v, int64_t rows,
                                 int64_t cols, bool by_column, int32_t *index, mplan_error *err)
{
    static const char kinds[] = " i iiffuuuiu";
    mpi_array a = {.at = v->at,
                   .rows = rows,
                   .cols = cols,
                   .size = (int32_t)bytes_of(v->type),
                   .big_endian = true,
                   .by_column = by_column};
    if (v->type == 2 || bytes_of(v->type) == 0)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: variable %s does not hold numbers",
                          h->view->path, v->name);
    a.kind = kinds[v->type];
    memcpy(a.member, v->name, sizeof a.member);
    return mpi_layout_add_array(layout, &a, h->view->size, index, err);
}

/* Either one variable with an axis in each row, or one for each axis: both lie axis by axis. A
 * mesh on a line gets a second axis of zeros, as its dimension is 2 here. */
static mplan_status add_coordinates(mpi_layout *layout, const head *h, int64_t n_nodes,
                                    mplan_error *err)
{
    static const char *const names[] = {"coordx", "coordy", "coordz"};
    const int64_t axes = length_of(h, "num_dim");
    const variable *all = find_variable(h, "coord");
    mpi_points points = {.name = "nodes", .dimension = axes == 3 ? 3 : 2, .array = {0, -1, -1}};
    mplan_status status = MPLAN_OK;
    if (axes < 1 || axes > 3)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: dimension num_dim must be 1, 2 or 3, not %lld",
                          h->view->path, (long long)axes);
    if (all && (all->rank != 2 || all->length[0] != axes || all->length[1] != n_nodes))
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "%s: variable coord has other dimensions than the mesh", h->view->path);
    if (all)
        status = add_variable(layout, h, all, n_nodes, axes, true, &points.array[0], err);
    for (int64_t d = 0; d < axes && !all && !status; d++) {
        const variable *axis = find_variable(h, names[d]);
        if (!axis || axis->rank != 1 || axis->length[0] != n_nodes)
            return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: variable %s does not have %lld numbers",
                              h->view->path, names[d], (long long)n_nodes);
        status = add_variable(layout, h, axis, n_nodes, 1, false, &points.array[d], err);
    }
    return status ? status : mplan_vector_push(&layout->points, &points, err);
}

/* The type of a block of elements; *v: its variable, NULL for one that is empty.
 * i: from 0. *type: MPLAN_N_CELL_TYPES for what is not known. Empty blocks may have any type. */
static mplan_status find_block(const head *h, int64_t i, const variable **v, mplan_cell_type *type,
                               mplan_error *err)
{
    char name[48];
    snprintf(name, sizeof name, "num_el_in_blk%lld", (long long)i + 1);
    const int64_t n = length_of(h, name);
    snprintf(name, sizeof name, "connect%lld", (long long)i + 1);
    *v = find_variable(h, name);
    *type = MPLAN_N_CELL_TYPES;
    if (!*v)
        return n > 0 ? refuse(h, "blocks of polyhedra cannot be read by ranges", err) : MPLAN_OK;
    if ((*v)->rank == 2)
        *type = mplan_exodus_type((*v)->kind, (*v)->length[1]);
    if ((*v)->length[0] == 0)
        *v = NULL;
    else if (*type == MPLAN_N_CELL_TYPES)
        return refuse(h, "blocks of polygons, or of unknown elements, cannot be read by ranges", err);
    return MPLAN_OK;
}

/* Nodes in the order of ours.
 * letters: for each of our nodes the letter of its place in Exodus, A the first; NULL: orders
 * are equal. MPLAN_ERR_CORRUPT where the block ends behind the file. */
static mplan_status add_block(mpi_layout *layout, const head *h, const variable *v,
                              mplan_cell_type type, mplan_error *err)
{
    const char *letters = mplan_node_order(MPLAN_NUMBERING_EXODUS, type);
    int8_t order[MPI_ROW_NODES] = {0};
    int32_t array;
    for (int32_t k = 0; letters && k < mplan_cell_type_nodes(type); k++)
        order[k] = (int8_t)(letters[k] - 'A');
    mplan_status status = add_variable(layout, h, v, v->length[0], v->length[1], false, &array, err);
    return status ? status
                  : mpi_layout_add_block(layout, array, (int32_t)type, letters ? order : NULL, err);
}

/* Blocks of the highest dimension are the cells, in their order.
 * *n_cells: 0 before, then cells of all blocks of that dimension. Others, as surfaces in a mesh
 * of volumes, are left out. Nodes count from 1 in the file, and each cell has all of its nodes. */
static mplan_status add_cells(mpi_layout *layout, const head *h, int64_t *n_cells, mplan_error *err)
{
    const int64_t n = length_of(h, "num_el_blk");
    const variable *v;
    mplan_cell_type type;
    int32_t highest = 0;
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < n && !status; i++) {
        status = find_block(h, i, &v, &type, err);
        const int32_t own = v && !status ? mplan_cell_type_dimension(type) : 0;
        highest = own > highest ? own : highest;
    }
    if (!status && highest == 0)
        status = mplan_fail(err, MPLAN_ERR_MESH, "%s: all elements of the blocks are points",
                            h->view->path);
    if (!status)
        status = mpi_layout_add_table(layout, "cells_nodes", "cells", "nodes", err);
    for (int64_t i = 0; i < n && !status; i++) {
        status = find_block(h, i, &v, &type, err);
        if (status || !v || mplan_cell_type_dimension(type) < highest)
            continue;
        *n_cells += v->length[0];
        status = add_block(layout, h, v, type, err);
    }
    if (!status) {
        mpi_table *table = layout->tables.data;
        table->base = 1;
        table->has_none = false;
    }
    return status;
}

/* The layout tells the sizes of both sets before any map is read, so that nodes that no cell
 * names count, too. */
mplan_status mpi_layout_exodus(mpi_layout *layout, mpi_view *view, mplan_error *err)
{
    head h = {.view = view,
              .dimensions = MPLAN_VECTOR_INIT(sizeof(dimension)),
              .variables = MPLAN_VECTOR_INIT(sizeof(variable))};
    const int32_t path = mpi_layout_add_path(layout, view->path, err);
    mplan_status status = path < 0 ? err ? err->status : MPLAN_ERR_MEMORY
                                   : mpi_view_load(view, 0, HEAD, err);
    mpi_known_set sets[2] = {{"nodes", 0}, {"cells", 0}};
    if (!status)
        status = read_head(&h, err);
    if (!status && (length_of(&h, "num_el_blk") == 0 || length_of(&h, "num_nodes") == 0))
        status = refuse(&h, "of netCDF files only those of Exodus II can be read by ranges", err);
    sets[0].size = length_of(&h, "num_nodes");
    if (!status)
        status = add_coordinates(layout, &h, sets[0].size, err);
    if (!status)
        status = add_cells(layout, &h, &sets[1].size, err);
    for (int s = 0; s < 2 && !status; s++)
        status = mplan_vector_push(&layout->sets, &sets[s], err);
    free(h.dimensions.data);
    free(h.variables.data);
    return status;
}
