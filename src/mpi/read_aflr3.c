/* SPDX-License-Identifier: Apache-2.0 */
/* read_aflr3.c - where the numbers of AFLR3's binary files are (formats/aflr/aflr3.c)
 *
 * The name has to tell the layout (mesh.lb8.ugrid): nothing in the file does but all of its numbers. Meshes without volumes are
 * left to the serial reader, since only all nodes tell whether they are plane.
 * Nothing here is collective: rank 0 reads the head. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/aflr/aflr3.h"
#include "formats/byte_order.h"
#include "formats/sibling.h"
#include "mpi/read_layout.h"

/* AFLR3's pyramid has its top in the middle. */
static const int8_t of_pyramid[5] = {0, 3, 4, 1, 2};

/* The seven counts.
 * count: out, by MPLAN_AFLR3_*: nodes, surfaces, volumes. A count below 0, or a file that is
 * shorter than its head, is a fault that tells the byte. */
static mplan_status read_counts(mpi_view *view, const mplan_aflr3_layout *form,
                                int64_t count[MPLAN_AFLR3_COUNTS], mplan_error *err)
{
    const int64_t head = (int64_t)mplan_aflr3_data_at(form);
    mplan_status status = mpi_view_load(view, 0, head, err);
    for (int32_t k = 0; k < MPLAN_AFLR3_COUNTS && !status; k++) {
        const size_t at = mplan_aflr3_header_at(form) + (size_t)(k * form->whole_bytes);
        uint64_t bits = 0;
        if (view->size >= head)
            bits = mplan_load_bits(view->data + at, form->whole_bytes, form->swapped);
        count[k] = form->whole_bytes == 4 ? (int32_t)bits : (int64_t)bits;
        if (view->size < head || count[k] < 0)
            status = mplan_fail(err, MPLAN_ERR_CORRUPT,
                                "%s: byte %zu: a count of the header must be 0 or more", view->path,
                                at);
        else if (count[k] > INT64_MAX / 16) /* so that sums of counts are numbers */
            status = mplan_fail(err, MPLAN_ERR_CORRUPT,
                                "%s: byte %zu: the file is too short for this count", view->path, at);
    }
    return status;
}

/* An array of `cols` numbers a row that begins at *at, which is moved behind it.
 * *index: out, in the layout. form->swapped: the file's byte order is not the machine's. *at is
 * left as it is where the file is too short for the array. */
static mplan_status add_array(mplan_places *layout, const mpi_view *view,
                              const mplan_aflr3_layout *form, int64_t *at, int64_t rows,
                              int32_t cols, bool real, int32_t *index, mplan_error *err)
{
    const uint16_t one = 1;
    const bool little = *(const uint8_t *)&one == 1;
    const mplan_places_array added = {.at = *at,
                                      .rows = rows,
                                      .cols = cols,
                                      .size = real ? form->real_bytes : form->whole_bytes,
                                      .kind = real ? 'f' : 'i',
                                      .big_endian = form->swapped == little};
    mplan_status status = mplan_places_add_array(layout, &added, view->size, index, err);
    if (!status)
        *at += rows * cols * added.size;
    return status;
}

/* The triangles and the quads of the surface, and which surface each of them is on. */
typedef struct surface {
    int32_t nodes[2], numbers[2]; /* arrays */
} surface;

/* Coordinates, surfaces, cells.
 * Volumes are one map, in the order of the file; types without cells have no block. Nodes count from 1. */
static mplan_status add_arrays(mplan_places *layout, const mpi_view *view,
                               const mplan_aflr3_layout *form,
                               const int64_t count[MPLAN_AFLR3_COUNTS], surface *outer,
                               mplan_error *err)
{
    int64_t at = (int64_t)mplan_aflr3_data_at(form);
    mplan_places_points *points = NULL;
    mplan_status status = mplan_places_add_points(layout, "nodes", 3, &points, err);
    if (!status)
        status = add_array(layout, view, form, &at, count[MPLAN_AFLR3_NODES], 3, true,
                           &points->array[0], err);
    if (!status)
        status = mplan_places_add_table(layout, "cells_nodes", "cells", "nodes", NULL, err);
    for (int32_t k = MPLAN_AFLR3_TRIS; k < MPLAN_AFLR3_COUNTS && !status; k++) {
        const mplan_cell_type type = mplan_aflr3_type(k);
        int32_t array;
        status = add_array(layout, view, form, &at, count[k], mplan_cell_type_nodes(type), false,
                           &array, err);
        if (!status && k <= MPLAN_AFLR3_QUADS)
            outer->nodes[k - MPLAN_AFLR3_TRIS] = array;
        for (int32_t f = 0; f < 2 && k == MPLAN_AFLR3_QUADS && !status; f++)
            status = add_array(layout, view, form, &at, count[MPLAN_AFLR3_TRIS + f], 1, false,
                               &outer->numbers[f], err);
        if (!status && k > MPLAN_AFLR3_QUADS && count[k] > 0)
            status = mplan_places_add_block(layout, array, (int32_t)type,
                                            type == MPLAN_CELL_PYRAMID5 ? of_pyramid : NULL, err);
    }
    if (!status) {
        mplan_places_table *table = layout->tables.data;
        table->base = 1;
        table->has_none = false;
    }
    return status;
}

/* Whether one of the names before has this number. */
static bool is_known(const mplan_aflr3_name *names, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (names[i].id == names[n].id)
            return true;
    return false;
}

/* Surfaces that have names are groups, of triangles and of quads. */
static mplan_status add_groups(mplan_places *layout, const surface *outer,
                               const mplan_aflr3_name *names, int64_t n, mplan_error *err)
{
    static const mplan_cell_type types[2] = {MPLAN_CELL_TRI3, MPLAN_CELL_QUAD4};
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < n && !status; i++) {
        char name[MPLAN_PLACES_NAME] = "";
        if (is_known(names, i))
            continue;
        if (names[i].length >= sizeof name)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "a surface's name of more than %d bytes: %.40s",
                              MPLAN_PLACES_NAME - 1, names[i].name);
        memcpy(name, names[i].name, names[i].length);
        for (int f = 0; f < 2 && !status; f++) {
            mplan_places_group *group = NULL;
            if (mplan_places_get_array(layout, outer->nodes[f])->rows == 0)
                continue;
            status = mplan_places_add_group(layout, name, "nodes", i, MPLAN_GROUP_FACETS, &group,
                                            err);
            if (status)
                continue;
            group->array = outer->nodes[f];
            group->other = outer->numbers[f];
            group->tag = names[i].id;
            group->type = (int32_t)types[f];
        }
    }
    return status;
}

/* By the names of surfaces in a file beside, as the serial reader finds it; without one no surface has a name. */
static mplan_status read_names(mplan_places *layout, const mpi_view *view, const surface *outer,
                               const mplan_context *context, mplan_error *err)
{
    mplan_file itself = {0}; /* which says only that the input is a file */
    const mplan_input input = {view->path, view->data, (size_t)view->size, &itself};
    mplan_vector names = MPLAN_VECTOR_INIT(sizeof(mplan_aflr3_name));
    mplan_input_file mapbc;
    bool found = false;
    mplan_status status = mplan_sibling_open(&input, mplan_sibling_stem(view->path, 2), ".mapbc",
                                             &mapbc, &found, context, err);
    if (!status && found)
        status = mplan_aflr3_read_names(&mapbc.input, &names, err);
    if (!status)
        status = add_groups(layout, outer, names.data, names.count, err);
    free(names.data);
    if (found)
        mplan_sibling_close(&mapbc);
    layout->flags |= MPLAN_PLACES_GROUPS;
    return status;
}

/* The counts tell the sizes of both sets, also of nodes that no cell names. That the file has
 * all of the arrays is seen when these are added. */
mplan_status mpi_layout_aflr3(mplan_places *layout, mpi_view *view, const mplan_context *context,
                              mplan_error *err)
{
    surface outer = {{-1, -1}, {-1, -1}};
    mplan_aflr3_layout form;
    int64_t count[MPLAN_AFLR3_COUNTS] = {0};
    size_t length;
    const char *word = mplan_aflr3_word(view->path, &length);
    if (!mplan_aflr3_layout_of(word, length, &form))
        return mplan_places_refuse(view->path, "the format is none that ranks read", err);
    if (mplan_places_add_path(layout, view->path, err) < 0)
        return err ? err->status : MPLAN_ERR_MEMORY;
    mplan_status status = read_counts(view, &form, count, err);
    int64_t volumes = 0;
    for (int32_t k = MPLAN_AFLR3_TETS; k < MPLAN_AFLR3_COUNTS; k++)
        volumes += count[k] > 0;
    if (!status && volumes == 0)
        status = mplan_places_refuse(view->path, "the mesh has no volumes", err);
    const mplan_places_set sets[2] = {
        {"nodes", count[MPLAN_AFLR3_NODES]},
        {"cells", count[MPLAN_AFLR3_TETS] + count[MPLAN_AFLR3_PYRAMIDS] +
                      count[MPLAN_AFLR3_PRISMS] + count[MPLAN_AFLR3_HEXES]}};
    layout->flags |= count[MPLAN_AFLR3_PRISMS] > 0 ? (uint32_t)MPLAN_PLACES_PRISMS : 0;
    for (int s = 0; s < 2 && !status; s++)
        status = mplan_vector_push(&layout->sets, &sets[s], err);
    if (!status)
        status = add_arrays(layout, view, &form, count, &outer, err);
    return status ? status : read_names(layout, view, &outer, context, err);
}
