/* SPDX-License-Identifier: Apache-2.0 */
/* read_op2.c - where the numbers of OP2's HDF5 files are (formats/op2/op2_hdf5.c)
 *
 * The program that is linked to libhdf5 says where each dataset begins; the library itself is not here. Datasets in chunks, as
 * compressed ones are, are in no one place.
 * Nothing here is collective but what read_mesh.c does with it: rank 0 asks the program; the
 * rules for sets below are followed by all ranks, with equal arguments. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/contained_formats.h"
#include "formats/op2/op2_hdf5_layout.h"
#include "mpi/read_layout.h"

/* What the program has answered.
 * list: n records, in the order of their names; freed by mpi_layout_op2. */
typedef struct places {
    const mpi_view *view;
    mplan_op2_place *list;
    int64_t n;
} places;

/* The maps of OP2's airfoil (op2_hdf5_airfoil.c): dataset, sets, name in the mesh, numbers a row. */
static const struct {
    const char *name, *from, *to, *map;
    int64_t arity;
} airfoil[] = {
    {"pcell", "cells", "nodes", "cells_nodes", 4},
    {"pedge", "edges", "nodes", "edges_nodes", 2},
    {"pecell", "edges", "cells", "edges_cells", 2},
    {"pbedge", "bedges", "nodes", "bedges_nodes", 2},
    {"pbecell", "bedges", "cells", "bedges_cells", 1},
};
enum { N_AIRFOIL = sizeof airfoil / sizeof *airfoil };

/* --- sets of maps --------------------------------------------------------------------------------------- */

/* Length of a set's name without a final s. */
static size_t stem_length(const char *set)
{
    const size_t n = strlen(set);
    return n > 1 && set[n - 1] == 's' ? n - 1 : n;
}

/* Of the sets of so many members, the one whose word is first in the map's name; -1 without one.
 * rows: of the map. A set that is the only one of its size needs no word in the name. Words are
 * names of sets without their final s, anywhere in the map's name: the earliest counts. */
static int32_t set_by_rows(const mpi_mesh *mesh, const char *map, int64_t rows)
{
    int32_t found = -1, n = 0;
    const char *place = NULL;
    for (int32_t s = 0; s < mesh->n_sets; s++) {
        char stem[MPI_NAME] = "";
        if (mesh->sets[s].size != rows || strlen(mesh->sets[s].name) >= MPI_NAME)
            continue;
        memcpy(stem, mesh->sets[s].name, stem_length(mesh->sets[s].name));
        const char *at = strstr(map, stem);
        if (n++ == 0 || (at && (!place || at < place))) {
            found = s;
            place = at;
        }
    }
    return n == 1 || place ? found : -1;
}

/* The to-set is the smallest one that has room for the largest number; of equal ones the first. */
void mpi_op2_sets_of(const mpi_mesh *mesh, const char *map, int64_t rows, int64_t most,
                     int32_t *from, int32_t *to)
{
    *from = set_by_rows(mesh, map, rows);
    *to = -1;
    for (int32_t s = 0; s < mesh->n_sets; s++)
        if (mesh->sets[s].size > most && (*to < 0 || mesh->sets[s].size < mesh->sets[*to].size))
            *to = s;
}

/* Of sets of so many members: one that the name begins with, or nodes, else the first. */
int32_t mpi_op2_set_of_points(const mpi_mesh *mesh, const char *name, int64_t rows)
{
    int32_t found = -1;
    for (int32_t s = 0; s < mesh->n_sets; s++) {
        const char *set = mesh->sets[s].name;
        if (mesh->sets[s].size != rows)
            continue;
        if (strncmp(name, set, stem_length(set)) == 0 || strcmp(set, "nodes") == 0)
            return s;
        found = found < 0 ? s : found;
    }
    return found;
}

/* --- datasets ---------------------------------------------------------------------------------------------- */

/* NULL: there is no dataset of this name and kind ('s', 'm' or 'd'). */
static const mplan_op2_place *find_place(const places *p, const char *name, char kind)
{
    for (int64_t i = 0; i < p->n; i++)
        if (strcmp(p->list[i].name, name) == 0 && p->list[i].kind == kind)
            return &p->list[i];
    return NULL;
}

/* All five maps with their arities and as many rows as their sets, and datasets p_x and p_bound. */
static bool is_airfoil(const places *p)
{
    for (int m = 0; m < N_AIRFOIL; m++) {
        const mplan_op2_place *map = find_place(p, airfoil[m].name, 'm');
        const mplan_op2_place *from = find_place(p, airfoil[m].from, 's');
        if (!map || !from || map->cols != airfoil[m].arity || map->rows != from->value)
            return false;
    }
    const mplan_op2_place *x = find_place(p, "p_x", 'd'), *nodes = find_place(p, "nodes", 's');
    return x && nodes && x->coordinates && x->cols == 2 && x->rows == nodes->value &&
           find_place(p, "p_bound", 'd');
}

/* *index: out, the array in the layout. Datasets without numbers need no place in the file. */
static mplan_status add_array(mpi_layout *layout, const places *p, const mplan_op2_place *of,
                              int32_t *index, mplan_error *err)
{
    mpi_array added = {.at = of->at,
                       .rows = of->rows,
                       .cols = of->cols,
                       .size = of->size,
                       .kind = of->type,
                       .big_endian = of->big_endian};
    memcpy(added.member, of->name, strlen(of->name));
    if ((of->at < 0 && of->rows > 0 && of->cols > 0) || of->size == 0)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: dataset %s is not stored in one piece, and cannot be read by ranges: bring "
                          "the file into another by meshplan convert first",
                          p->view->path, of->name);
    added.at = of->at < 0 ? 0 : of->at;
    return mpi_layout_add_array(layout, &added, p->view->size, index, err);
}

/* from, to: "" where the file does not name the sets. type: of cells, -1: none. A map of one
 * column that names no set may as well be data: `perhaps`. -1 means none but in cells. */
static mplan_status add_map(mpi_layout *layout, const places *p, const mplan_op2_place *of,
                            const char *name, const char *from, const char *to, int32_t type,
                            mplan_error *err)
{
    int32_t array;
    mplan_status status = add_array(layout, p, of, &array, err);
    if (!status)
        status = mpi_layout_add_table(layout, name, from, to, err);
    if (!status)
        status = mpi_layout_add_block(layout, array, type, NULL, err);
    if (!status) {
        mpi_table *table = (mpi_table *)layout->tables.data + layout->tables.count - 1;
        table->perhaps = of->cols == 1 && type < 0 && !*from;
        table->has_none = type < 0;
    }
    return status;
}

/* The dataset of a set holds one number, its size. */
static mplan_status add_set(mpi_layout *layout, const mplan_op2_place *of, mplan_error *err)
{
    mpi_known_set set = {.size = of->value};
    memcpy(set.name, of->name, strlen(of->name));
    if (of->value < 0)
        return mplan_fail(err, MPLAN_ERR_MESH, "dataset %s is not the size of a set", of->name);
    return mplan_vector_push(&layout->sets, &set, err);
}

/* of: a dat with coordinates, all axes in one row. */
static mplan_status add_points(mpi_layout *layout, const places *p, const mplan_op2_place *of,
                               mplan_error *err)
{
    mpi_points points = {.dimension = (int32_t)of->cols, .array = {0, -1, -1}};
    memcpy(points.name, of->name, strlen(of->name));
    mplan_status status = add_array(layout, p, of, &points.array[0], err);
    return status ? status : mplan_vector_push(&layout->points, &points, err);
}

/* The grid of the example, whose cells are quads.
 * All datasets are there, as is_airfoil has found. Names of maps are those of the mesh, not of
 * the file. */
static mplan_status add_airfoil(mpi_layout *layout, const places *p, mplan_error *err)
{
    static const char *const sets[] = {"nodes", "edges", "bedges", "cells"};
    mplan_status status = MPLAN_OK;
    for (int s = 0; s < 4 && !status; s++)
        status = add_set(layout, find_place(p, sets[s], 's'), err);
    for (int m = 0; m < N_AIRFOIL && !status; m++)
        status = add_map(layout, p, find_place(p, airfoil[m].name, 'm'), airfoil[m].map,
                         airfoil[m].from, airfoil[m].to, m == 0 ? MPLAN_CELL_QUAD4 : -1, err);
    return status ? status : add_points(layout, p, find_place(p, "p_x", 'd'), err);
}

/* Sets first, so that they have the lowest numbers and maps find them. Of the dats only
 * coordinates are taken. A file without any map is none of OP2's. */
static mplan_status add_all(mpi_layout *layout, const places *p, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < p->n && !status; i++)
        if (p->list[i].kind == 's')
            status = add_set(layout, &p->list[i], err);
    for (int64_t i = 0; i < p->n && !status; i++) {
        const mplan_op2_place *of = &p->list[i];
        if (of->kind == 'm' && strstr(of->name, "-->") && !of->from[0])
            status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                                "%s: dataset %s: maps that name sets by an arrow cannot be read by ranges: "
                                "bring the file into another by meshplan convert first",
                                p->view->path, of->name);
        else if (of->kind == 'm')
            status = add_map(layout, p, of, of->name, of->from, of->to, -1, err);
    }
    for (int64_t i = 0; i < p->n && !status; i++)
        if (p->list[i].coordinates)
            status = add_points(layout, p, &p->list[i], err);
    if (!status && layout->tables.count == 0)
        status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                            "%s: of HDF5 files only those of OP2 can be read by ranges: bring the file into "
                            "another by meshplan convert first",
                            p->view->path);
    return status;
}

#ifndef MPLAN_HELPER_HDF5
mplan_status mpi_layout_op2(mpi_layout *layout, mpi_view *view, mplan_error *err)
{
    (void)layout;
    (void)add_airfoil;
    (void)add_all;
    (void)is_airfoil;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "%s: this build cannot read HDF5 files: it has not libhdf5", view->path);
}
#else
mplan_status mpi_layout_op2(mpi_layout *layout, mpi_view *view, mplan_error *err)
{
    void *answer = NULL;
    size_t bytes = 0;
    const int32_t path = mpi_layout_add_path(layout, view->path, err);
    mplan_status status = path < 0
                              ? err ? err->status : MPLAN_ERR_MEMORY
                              : mplan_contained_layout(view->path, view->fd, &answer, &bytes, err);
    places p = {.view = view, .list = answer, .n = (int64_t)(bytes / sizeof *p.list)};
    for (int64_t i = 0; i < p.n && !status; i++) /* an answer is looked over like any file */
        p.list[i].name[sizeof p.list->name - 1] = p.list[i].from[sizeof p.list->from - 1] =
            p.list[i].to[sizeof p.list->to - 1] = '\0';
    layout->op2 = true;
    if (!status)
        status = is_airfoil(&p) ? add_airfoil(layout, &p, err) : add_all(layout, &p, err);
    free(answer);
    return status;
}
#endif
