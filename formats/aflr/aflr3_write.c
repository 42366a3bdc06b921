/* SPDX-License-Identifier: Apache-2.0 */
/* aflr3_write.c - writes AFLR3's meshes: 64-bit reals, the layout by the name
 *
 * Every boundary face is written, with its normal into the mesh and the number of its group; those of no group have the
 * next number. Cells are written by kind, in their order. A mesh without volumes has the numbers of groups at its
 * cells, and its boundary edges follow. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/aflr/aflr3.h"
#include "formats/byte_order.h"
#include "formats/skipped_groups.h"
#include "formats/text_out.h"
#include "formats/with_faces.h"
#include "mesh/mesh.h"

/* What is written. */
typedef struct aflr3_writer {
    const mplan_mesh *mesh;
    mplan_mesh *with_faces; /* a copy of cells and facets, for its boundary faces */
    const mplan_context *context;
    mplan_text_out out;
    mplan_aflr3_layout layout; /* word "": text */
    int32_t dimension;
    int64_t n_nodes, n_cells, n_faces;
    const double *xyz;
    int32_t stride;
    mplan_map cells, faces; /* their nodes */
    int64_t *cell_id, *face_id;
    int64_t count[MPLAN_AFLR3_COUNTS];
} aflr3_writer;

/* AFLR3's kind of a cell type; 0: there is none. */
static int32_t kind_of(mplan_cell_type type)
{
    for (int32_t k = MPLAN_AFLR3_TRIS; k < MPLAN_AFLR3_COUNTS; k++)
        if (mplan_aflr3_type(k) == type)
            return k;
    return 0;
}

/* What is written of the mesh; to->count: cells of each kind. Only first order, since the format
 * has no other cells. */
static mplan_status find_cells(aflr3_writer *to, mplan_error *err)
{
    const mplan_mesh *mesh = to->mesh;
    int32_t nodes = mplan_mesh_find_set(mesh, "nodes"),
            map = mplan_mesh_find_map(mesh, "cells_nodes");
    const uint8_t *type = mplan_mesh_cell_types(mesh);
    if (nodes < 0 || map < 0 || !type || !mplan_mesh_coordinates(mesh, nodes, &to->stride))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "an AFLR3 file needs cells and coordinates of nodes, which this mesh "
                          "does not have");
    to->xyz = mplan_mesh_coordinates(mesh, nodes, &to->stride);
    to->cells = mplan_mesh_map(mesh, map);
    to->dimension = mplan_mesh_dimension(mesh);
    to->n_nodes = mplan_mesh_set(mesh, nodes).size;
    to->n_cells = to->cells.n_rows;
    to->count[MPLAN_AFLR3_NODES] = to->n_nodes;
    for (int64_t c = 0; c < to->n_cells; c++) {
        int32_t kind = kind_of((mplan_cell_type)type[c]);
        if (!kind)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "an AFLR3 file can only hold surfaces and volumes of first order, "
                              "but cell %lld is a %s",
                              (long long)c, mplan_cell_type_name((mplan_cell_type)type[c]));
        to->count[kind]++;
    }
    return MPLAN_OK;
}

/* A copy of cells, facets and groups of faces, from which boundary faces are derived; the mesh itself, if it has
 * them. */
static mplan_status find_faces(aflr3_writer *to, mplan_error *err)
{
    const mplan_mesh *of = to->mesh;
    mplan_status status = MPLAN_OK;
    if (mplan_mesh_find_map(of, "boundary_faces_nodes") < 0) {
        status = mplan_mesh_create(&to->with_faces, err);
        if (!status)
            status = mplan_mesh_add_cells(to->with_faces, to->n_nodes, to->n_cells,
                                          mplan_mesh_cell_types(of), to->cells.values, err);
        for (int32_t f = 0; f < of->n_facet_groups && !status; f++)
            status = mplan_mesh_add_facets(to->with_faces, of->facets[f].name, of->facets[f].id,
                                           of->facets[f].n_facets, of->facets[f].type,
                                           of->facets[f].nodes, err);
        if (!status)
            status = mplan_copy_surface(of, to->with_faces, err);
        if (!status)
            status = mplan_mesh_derive(to->with_faces, "boundary_faces_nodes", to->context, err);
        of = to->with_faces;
    }
    if (!status) {
        to->faces = mplan_mesh_map(of, mplan_mesh_find_map(of, "boundary_faces_nodes"));
        to->n_faces = to->faces.n_rows;
    }
    return status;
}

/* The number of group g of the set: its own, if it is one and no group before has it, else the next of all. */
static int64_t choose_number(const mplan_mesh *mesh, int32_t set, int32_t g, int64_t *most)
{
    int64_t wanted = mplan_mesh_group(mesh, g).id;
    bool is_free = wanted > 0 && wanted < INT32_MAX;
    for (int32_t i = 0; i < g && is_free; i++) {
        mplan_group group = mplan_mesh_group(mesh, i);
        is_free = group.set != set || group.id != wanted;
    }
    return is_free ? wanted : ++*most;
}

/* The largest number of a group of the set. */
static int64_t largest_number(const mplan_mesh *mesh, int32_t set)
{
    int64_t most = 0;
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh); g++) {
        mplan_group group = mplan_mesh_group(mesh, g);
        if (group.set == set && group.id > most && group.id < INT32_MAX)
            most = group.id;
    }
    return most;
}

/* "1 wall, 2 inlet": adds a name, as far as there is room. */
static void list_name(char *list, size_t size, const char *name, int64_t number)
{
    size_t used = strlen(list);
    if (name[0] && used + strlen(name) + 32 < size)
        snprintf(list + used, size - used, "%s%lld %s", used ? ", " : "", (long long)number, name);
}

/* Fills id, one of each member of the set, by its groups. Members of several have that of the first. */
static void number_members(const mplan_mesh *mesh, int32_t set, int64_t n, int64_t *id,
                           const char *what, const mplan_context *context)
{
    char names[512] = "";
    int64_t twice = 0, without = 0, most = largest_number(mesh, set);
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh); g++) {
        mplan_group group = mplan_mesh_group(mesh, g);
        if (group.set != set)
            continue;
        int64_t number = choose_number(mesh, set, g, &most);
        list_name(names, sizeof names, group.name, number);
        for (int64_t i = 0; i < group.n_members; i++) {
            int64_t *of = &id[group.members[i]];
            twice += *of != 0;
            *of = *of ? *of : number;
        }
    }
    for (int64_t i = 0; i < n; i++)
        if (id[i] == 0) {
            id[i] = most + 1;
            without++;
        }
    if (names[0])
        mplan_warn(context, "an AFLR3 file has numbers instead of names: %s", names);
    if (twice)
        mplan_warn(context, "%lld %s are in several groups and get the number of the first",
                   (long long)twice, what);
    if (without && most)
        mplan_warn(context, "%lld %s do not belong to a group and get the number %lld",
                   (long long)without, what, (long long)most + 1);
}

/* Groups that have no place. */
static void warn_of_groups(const aflr3_writer *to)
{
    mplan_skipped_groups skipped = {0};
    for (int32_t g = 0; g < mplan_mesh_n_groups(to->mesh); g++) {
        mplan_group group = mplan_mesh_group(to->mesh, g);
        const char *set = mplan_mesh_set(to->mesh, group.set).name;
        if (strcmp(set, "boundary_faces") == 0 || (strcmp(set, "cells") == 0 && to->dimension == 2))
            continue;
        mplan_skip_group(&skipped, &group, set);
    }
    /* facets whose faces were derived: those between two cells are not boundaries */
    for (int32_t g = 0; to->with_faces && g < mplan_mesh_n_groups(to->with_faces); g++) {
        mplan_group group = mplan_mesh_group(to->with_faces, g);
        const char *set = mplan_mesh_set(to->with_faces, group.set).name;
        if (strcmp(set, "boundary_faces") != 0)
            mplan_skip_group(&skipped, &group, set);
    }
    mplan_warn_skipped(&skipped, "an AFLR3 file", to->context);
}

/* face_id: of each boundary face the number of its group, 0 without one; cell_id: of the cells
 * of plane meshes. Their triangles and quads are the file's surfaces. */
static mplan_status find_numbers(aflr3_writer *to, mplan_error *err)
{
    const mplan_mesh *faces = to->with_faces ? to->with_faces : to->mesh;
    int32_t cells = mplan_mesh_find_set(to->mesh, "cells"),
            set = mplan_mesh_find_set(faces, "boundary_faces");
    to->face_id = mplan_alloc_zero(to->n_faces, sizeof *to->face_id, err);
    to->cell_id = to->face_id && to->dimension == 2
                      ? mplan_alloc_zero(to->n_cells, sizeof *to->cell_id, err)
                      : NULL;
    if (!to->face_id || (to->dimension == 2 && !to->cell_id))
        return MPLAN_ERR_MEMORY;
    if (to->cell_id)
        number_members(to->mesh, cells, to->n_cells, to->cell_id, "cells", to->context);
    number_members(faces, set, to->n_faces, to->face_id, "boundary faces", to->context);
    warn_of_groups(to);
    if (to->dimension == 3)
        for (int64_t f = 0; f < to->n_faces; f++) {
            int32_t n;
            mplan_map_row(&to->faces, f, &n);
            to->count[n == 3 ? MPLAN_AFLR3_TRIS : MPLAN_AFLR3_QUADS]++;
        }
    return MPLAN_OK;
}

/* --- numbers ---------------------------------------------------------------------- */

/* In 32 or 64 bits, as the layout has it, or as text. */
static void put_whole(aflr3_writer *to, int64_t value)
{
    if (!to->layout.word[0]) {
        mplan_text_int(&to->out, value);
        return;
    }
    int32_t half = (int32_t)value;
    void *bytes = to->layout.whole_bytes == 4 ? (void *)&half : (void *)&value;
    if (to->layout.swapped)
        mplan_swap_bytes(bytes, 1, to->layout.whole_bytes);
    mplan_text_bytes(&to->out, bytes, (size_t)to->layout.whole_bytes);
}

/* Always 8 bytes: layouts with 4 are not written. */
static void put_real(aflr3_writer *to, double value)
{
    if (!to->layout.word[0]) {
        mplan_text_real(&to->out, value);
        return;
    }
    if (to->layout.swapped)
        mplan_swap_bytes(&value, 1, 8);
    mplan_text_bytes(&to->out, &value, 8);
}

/* A line end, in text only. */
static void put_row(aflr3_writer *to)
{
    if (!to->layout.word[0])
        mplan_text_row(&to->out);
}

/* --- sections --------------------------------------------------------------------- */

/* A third coordinate of 0 in the plane. */
static void put_nodes(aflr3_writer *to)
{
    for (int64_t i = 0; i < to->n_nodes && !to->out.status; i++) {
        for (int32_t d = 0; d < 3; d++)
            put_real(to, d < to->stride ? to->xyz[i * to->stride + d] : 0);
        put_row(to);
    }
}

/* Triangles or quads of the boundary, oriented so that their normals enter the mesh; with `ids` their numbers. */
static void put_faces(aflr3_writer *to, int32_t corners, bool ids)
{
    for (int64_t f = 0; f < to->n_faces && !to->out.status; f++) {
        int32_t n;
        const int32_t *node = mplan_map_row(&to->faces, f, &n);
        if (n != corners)
            continue;
        if (ids)
            put_whole(to, to->face_id[f]);
        else
            for (int32_t k = 0; k < n; k++)
                put_whole(to, node[(n - k) % n] + INT64_C(1));
        put_row(to);
    }
}

/* Cells of a kind; with `ids` their numbers. */
static void put_cells(aflr3_writer *to, int32_t kind, bool ids)
{
    static const int8_t in_order[8] = {0, 1, 2, 3, 4, 5, 6, 7}, of_pyramid[5] = {0, 3, 4, 1, 2};
    const uint8_t *type = mplan_mesh_cell_types(to->mesh);
    const int8_t *from = kind == MPLAN_AFLR3_PYRAMIDS ? of_pyramid : in_order;
    for (int64_t c = 0; c < to->n_cells && !to->out.status; c++) {
        int32_t n;
        const int32_t *node = mplan_map_row(&to->cells, c, &n);
        if (kind_of((mplan_cell_type)type[c]) != kind)
            continue;
        int64_t theirs[8] = {0};
        for (int32_t k = 0; k < n; k++)
            theirs[from[k]] = node[k] + INT64_C(1);
        if (ids)
            put_whole(to, to->cell_id[c]);
        for (int32_t k = 0; k < n && !ids; k++)
            put_whole(to, theirs[k]);
        put_row(to);
    }
}

/* Of a mesh without volumes: two nodes and a number. */
static void put_edges(aflr3_writer *to)
{
    put_whole(to, to->n_faces);
    put_row(to);
    for (int64_t f = 0; f < to->n_faces && !to->out.status; f++) {
        put_whole(to, to->faces.values[2 * f] + INT64_C(1));
        put_whole(to, to->faces.values[2 * f + 1] + INT64_C(1));
        put_whole(to, to->face_id[f]);
        put_row(to);
    }
}

/* Counts, nodes, surfaces, their numbers, volumes: the order of the format. */
static void put_all(aflr3_writer *to)
{
    const bool flat = to->dimension == 2;
    for (int32_t k = 0; k < MPLAN_AFLR3_COUNTS; k++)
        put_whole(to, to->count[k]);
    put_row(to);
    put_nodes(to);
    for (int32_t ids = 0; ids < 2; ids++)
        for (int32_t k = MPLAN_AFLR3_TRIS; k <= MPLAN_AFLR3_QUADS; k++) {
            if (flat)
                put_cells(to, k, ids);
            else
                put_faces(to, k == MPLAN_AFLR3_TRIS ? 3 : 4, ids);
        }
    for (int32_t k = MPLAN_AFLR3_TETS; k < MPLAN_AFLR3_COUNTS && !flat; k++)
        put_cells(to, k, false);
    if (flat && to->n_faces > 0)
        put_edges(to);
}

/* By the word before ".ugrid"; without one text, and little-endian where there is no such name. */
static mplan_status choose_layout(aflr3_writer *to, const char *path, mplan_error *err)
{
    size_t length, ending = strlen(path);
    const char *word = mplan_aflr3_word(path, &length);
    if (ending < 6 || strcmp(path + ending - 6, ".ugrid") != 0) {
        word = "lb8";
        length = 3;
    }
    if (!mplan_aflr3_layout_of(word, length, &to->layout))
        return MPLAN_OK;
    if (to->layout.records || to->layout.real_bytes != 8)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: only the layouts lb8, b8, lb8l, b8l and text of AFLR3 can be "
                          "written, not %s",
                          path, to->layout.word);
    return MPLAN_OK;
}

/* The layout follows from the name of the output. with_faces: a copy of the mesh with its
 * boundary faces, where it lacks them. */
mplan_status mplan_aflr3_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                               const mplan_context *context, mplan_error *err)
{
    aflr3_writer to = {.mesh = mesh, .context = context};
    (void)what;
    mplan_status status = choose_layout(&to, mplan_output_path(output), err);
    if (!status)
        status = find_cells(&to, err);
    if (!status)
        status = find_faces(&to, err);
    if (!status)
        status = find_numbers(&to, err);
    if (!status)
        status = mplan_text_begin(&to.out, output, context, err);
    if (!status) {
        put_all(&to);
        status = mplan_text_end(&to.out);
    }
    free(to.face_id);
    free(to.cell_id);
    mplan_mesh_free(to.with_faces);
    return status;
}
