/* SPDX-License-Identifier: Apache-2.0 */
/* derive_faces.c - faces between two cells, boundary faces, their maps
 *
 * Walks the cells in order and writes the faces for which the cell is the
 * first (or only) one, sorted by (other cell, nodes): the order of the set
 * comes without a sort of all faces. Ties in (first cell, second cell, first
 * node) are broken by the nodes that follow. Where cells are written in several
 * pieces, the faces of each are counted first. */
#include "meshplan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "mesh/derive.h"

#define MAX_LOCAL_FACES 6
enum { PIECE = 1 << 14 }; /* cells, at least */

/* --- orientation --------------------------------------------------------- */

/* Twice the signed area of the corners, by a fan from the first; below 0 where they run
 * clockwise. */
static double planar_area(const mplan_cell_table *cells, const mplan_cell_shape *shape,
                          const int32_t *node)
{
    const double *base = cells->coordinates + (int64_t)node[0] * cells->coordinate_stride;
    double twice = 0;
    for (int32_t k = 1; k + 1 < shape->n_corners; k++) {
        const double *a = cells->coordinates + (int64_t)node[k] * cells->coordinate_stride;
        const double *b = cells->coordinates + (int64_t)node[k + 1] * cells->coordinate_stride;
        twice += (a[0] - base[0]) * (b[1] - base[1]) - (b[0] - base[0]) * (a[1] - base[1]);
    }
    return twice;
}

/* a . (b x c) */
static double triple(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* A multiple of the volume: each face is cut into triangles at every one of
 * its corners in turn, so that warped faces count with the mean of their cuts. */
static double volume(const mplan_cell_table *cells, const mplan_cell_shape *shape, const int32_t *node)
{
    const double *base = cells->coordinates + (int64_t)node[0] * 3;
    double x[8][3], sum = 0;
    for (int32_t k = 0; k < shape->n_corners; k++)
        for (int32_t d = 0; d < 3; d++)
            x[k][d] = cells->coordinates[(int64_t)node[k] * 3 + d] - base[d];
    for (int32_t f = 0; f < shape->n_faces; f++) {
        const int8_t *at = shape->face[f];
        if (shape->face_size[f] == 3) {
            sum += 2 * triple(x[at[0]], x[at[1]], x[at[2]]);
            continue;
        }
        for (int32_t k = 0; k < 4; k++)
            sum += triple(x[at[k]], x[at[(k + 1) % 4]], x[at[(k + 2) % 4]]);
    }
    return sum;
}

/* Asks for the coordinates of a cell that will soon be wanted. */
static void fetch_coordinates(const mplan_cell_table *cells, int64_t c)
{
    if (!cells->coordinates || c >= cells->nodes.n_rows)
        return;
    const int32_t *node;
    const mplan_cell_shape *shape = mplan_table_cell(cells, c, &node);
    for (int32_t k = 0; k < shape->n_corners; k++)
        mplan_fetch(cells->coordinates + (int64_t)node[k] * cells->coordinate_stride);
}

/* Whether the cell's nodes are listed mirror-inverted, so that its faces look inwards. False
 * without coordinates: nothing can be said then. */
static bool faces_inwards(const mplan_cell_table *cells, const mplan_cell_shape *shape,
                          const int32_t *node)
{
    if (!cells->coordinates)
        return false;
    return (cells->dimension == 2 ? planar_area(cells, shape, node) : volume(cells, shape, node)) < 0;
}

/* --- writing faces ---------------------------------------------------------- */

typedef struct own_face {
    int32_t mate, n;
    int32_t node[MPLAN_FACE_CORNERS];
    uint8_t side;
} own_face;

/* The order of a cell's faces: by the cell behind, then by nodes. */
static bool before(const own_face *a, const own_face *b)
{
    if (a->mate != b->mate)
        return a->mate < b->mate;
    for (int32_t i = 0; i < a->n && i < b->n; i++)
        if (a->node[i] != b->node[i])
            return a->node[i] < b->node[i];
    return a->n < b->n;
}

/* Faces for which cell c is the first or only one, in the order of the sets. */
static int32_t own_faces(const mplan_cell_table *cells, const mplan_face_match *match, int64_t c,
                         own_face own[MAX_LOCAL_FACES])
{
    const int32_t *mate = match->mate + c * cells->stride, *node;
    const mplan_cell_shape *shape = mplan_table_cell(cells, c, &node);
    bool inwards = false;
    int32_t n_own = 0;
    for (int32_t f = 0; f < shape->n_faces; f++) {
        if (mate[f] == MPLAN_MATE_NONE || (mate[f] >= 0 && mate[f] < c))
            continue;
        if (n_own == 0)
            inwards = faces_inwards(cells, shape, node);
        own_face face = {.mate = mate[f], .side = mplan_side_of(f, inwards)};
        face.n = mplan_side_nodes(cells, c, face.side, face.node);
        int32_t i = n_own++;
        for (; i > 0 && before(&face, &own[i - 1]); i--)
            own[i] = own[i - 1];
        own[i] = face;
    }
    return n_own;
}

/* The lists have room for it: their sizes were counted when faces were matched. offsets
 * is NULL where all faces have equally many nodes, nodes where sides are enough. */
static void append_face(mplan_face_list *list, int64_t c, const own_face *face)
{
    int32_t *cell = list->cells + list->n * list->n_cells;
    cell[0] = (int32_t)c;
    if (list->n_cells == 2)
        cell[1] = face->mate;
    for (int32_t k = 0; k < face->n && list->nodes; k++)
        list->nodes[list->n_nodes++] = face->node[k];
    if (list->sides)
        list->sides[list->n] = face->side;
    list->n++;
    if (list->offsets)
        list->offsets[list->n] = list->n_nodes;
}

/* What writes pieces of the cells. begin: of each piece, where its faces and their nodes begin in the two lists; NULL: there is
 * one piece. */
typedef struct face_writer {
    const mplan_cell_table *cells;
    const mplan_face_match *match;
    const mplan_face_list *list[2]; /* of inner faces, of boundary faces; n is 0 */
    int64_t n_pieces, (*begin)[4];
} face_writer;

/* Faces of a cell that it writes, and their nodes, of both lists. */
static void count_own_faces(const face_writer *w, int64_t c, int64_t count[4])
{
    const int32_t *mate = w->match->mate + c * w->cells->stride, *node;
    const mplan_cell_shape *shape = mplan_table_cell(w->cells, c, &node);
    for (int32_t f = 0; f < shape->n_faces; f++) {
        if (mate[f] == MPLAN_MATE_NONE || (mate[f] >= 0 && mate[f] < c))
            continue;
        int32_t corner[MPLAN_FACE_CORNERS], l = mate[f] < 0, arity = w->list[l]->arity;
        count[2 * l]++;
        count[2 * l + 1] += arity > 0 ? arity : mplan_face_corners(shape, node, f, corner);
    }
}

static void count_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const face_writer *w = data;
    const int64_t n_cells = w->cells->nodes.n_rows;
    (void)thread;
    for (int64_t p = begin; p < end; p++) {
        const int64_t last = mplan_piece_begin(n_cells, w->n_pieces, p + 1);
        memset(w->begin[p], 0, sizeof w->begin[p]);
        for (int64_t c = mplan_piece_begin(n_cells, w->n_pieces, p); c < last; c++)
            count_own_faces(w, c, w->begin[p]);
    }
}

/* Faces of each cell in turn, the lower cell of two writes; so faces are ordered by
 * first cell, then second cell, then first node. */
static void write_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const face_writer *w = data;
    const int64_t n_cells = w->cells->nodes.n_rows;
    (void)thread;
    for (int64_t p = begin; p < end; p++) {
        const int64_t last = mplan_piece_begin(n_cells, w->n_pieces, p + 1);
        mplan_face_list list[2] = {*w->list[0], *w->list[1]};
        for (int l = 0; l < 2 && w->begin; l++) {
            list[l].n = w->begin[p][2 * l];
            list[l].n_nodes = w->begin[p][2 * l + 1];
        }
        for (int64_t c = mplan_piece_begin(n_cells, w->n_pieces, p); c < last; c++) {
            own_face own[MAX_LOCAL_FACES];
            fetch_coordinates(w->cells, c + MPLAN_FETCH_DISTANCE);
            int32_t n = own_faces(w->cells, w->match, c, own);
            for (int32_t i = 0; i < n; i++)
                append_face(&list[own[i].mate < 0], c, &own[i]);
        }
    }
}

/* From the counts of the pieces to where they begin. */
static void sum_pieces(face_writer *w)
{
    int64_t sum[4] = {0};
    for (int64_t p = 0; p < w->n_pieces; p++)
        for (int k = 0; k < 4; k++) {
            int64_t count = w->begin[p][k];
            w->begin[p][k] = sum[k];
            sum[k] += count;
        }
}

/* Fills both lists, whose room is as large as needed. */
static mplan_status write_faces(const mplan_cell_table *cells, const mplan_face_match *match,
                                const mplan_context *context, const mplan_face_list *inner,
                                const mplan_face_list *boundary, mplan_error *err)
{
    mplan_team *team = mplan_team_of(context);
    face_writer w = {
        cells, match, {inner, boundary}, mplan_pieces(team, cells->nodes.n_rows, PIECE), NULL};
    mplan_status status = MPLAN_OK;
    if (w.n_pieces > 1) {
        w.begin = mplan_alloc(w.n_pieces, sizeof *w.begin, err);
        status = w.begin ? mplan_for_heeding(team, w.n_pieces, 1, count_pieces, &w, context, err)
                         : MPLAN_ERR_MEMORY;
    }
    if (!status && w.begin)
        sum_pieces(&w);
    if (!status)
        status = mplan_for_heeding(team, w.n_pieces, 1, write_pieces, &w, context, err);
    free(w.begin);
    return status;
}

/* --- sets and maps ----------------------------------------------------------- */

/* What is listed of inner faces: their nodes, or also their sides, or, as far as all have equally many nodes, only these. */
typedef enum face_wish { NODES, NODES_AND_SIDES, SIDES } face_wish;

/* Room for the faces that by_size counts. list->arity: -1 for what they have. */
static mplan_status open_list(mplan_face_list *list, const char *name, int32_t n_cells,
                              const mplan_cell_table *cells, const int64_t *by_size, face_wish wish,
                              mplan_error *err)
{
    int64_t n = 0, n_nodes = 0;
    int32_t arity = -1;
    for (int32_t size = 1; size <= MPLAN_FACE_CORNERS; size++) {
        if (by_size[size] > 0)
            arity = arity < 0 ? size : 0;
        n += by_size[size];
        n_nodes += by_size[size] * size;
    }
    if (n >= INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "the mesh has %lld %s, a set may have %d members at most", (long long)n,
                          name, INT32_MAX - 1);
    list->n_cells = n_cells;
    list->size = n;
    if (list->arity < 0)
        list->arity = arity >= 0 ? arity : cells->face_size;
    if (!(list->cells = mplan_alloc(n * n_cells, sizeof *list->cells, err)))
        return MPLAN_ERR_MEMORY;
    const bool sides = wish != NODES && list->arity > 0;
    if (sides && !(list->sides = mplan_alloc(n, sizeof *list->sides, err)))
        return MPLAN_ERR_MEMORY;
    if (!(sides && wish == SIDES) && !(list->nodes = mplan_alloc(n_nodes, sizeof *list->nodes, err)))
        return MPLAN_ERR_MEMORY;
    if (list->arity > 0)
        return MPLAN_OK;
    if (!(list->offsets = mplan_alloc(n + 1, sizeof *list->offsets, err)))
        return MPLAN_ERR_MEMORY;
    list->offsets[0] = 0;
    return MPLAN_OK;
}

/* Frees what was not handed over; NULL pointers are allowed. */
void mplan_face_list_free(mplan_face_list *list)
{
    free(list->cells);
    free(list->nodes);
    free(list->offsets);
    free(list->sides);
    list->cells = list->nodes = NULL;
    list->sides = NULL;
    list->offsets = NULL;
}

/* Adds the map <set>_<to>, which takes over the arrays, also after a failure. A map of that name
 * that is there already would join other sets: it is refused, since later steps would take it for
 * the one of the derived set. */
static mplan_status add_map_of(mplan_mesh *mesh, int32_t set, const char *to, int32_t arity,
                               int64_t *offsets, int32_t *values, mplan_error *err)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%s", mesh->sets[set].name, to);
    return mplan_mesh_take_map(mesh, name, set, mplan_mesh_find_set(mesh, to), arity, offsets,
                               values, NULL, err);
}

/* Adds the set and its maps unless the file has brought a set of that name. */
static mplan_status add_face_set(mplan_mesh *mesh, const char *name, mplan_face_list *list,
                                 mplan_error *err)
{
    if (mplan_mesh_find_set(mesh, name) >= 0)
        return MPLAN_OK;
    int32_t set;
    mplan_status status = mplan_mesh_add_set(mesh, name, list->size, &set, err);
    if (status)
        return status;
    mesh->sets[set].derived = true;
    int32_t *cells = list->cells;
    list->cells = NULL;
    status = add_map_of(mesh, set, "cells", list->n_cells, NULL, cells, err);
    if (status)
        return status;
    mesh->sets[set].sides = list->sides;
    list->sides = NULL;
    if (!list->nodes)
        return MPLAN_OK;
    int32_t *nodes = list->nodes;
    int64_t *offsets = list->offsets;
    list->nodes = NULL;
    list->offsets = NULL;
    return add_map_of(mesh, set, "nodes", list->arity, offsets, nodes, err);
}

/* Surfaces may have such edges, and networks of lines such points. */
static void warn_of_crowded(const mplan_mesh *mesh, const mplan_face_match *match,
                            int32_t dimension, const mplan_context *context)
{
    char more[16] = "";
    if (match->crowded_node[1] >= 0)
        snprintf(more, sizeof more, " %d", match->crowded_node[1]);
    mplan_warn(context,
               "%s%s%lld %s where three and more cells meet are neither faces nor boundary faces; the first is of node%s %d%s, "
               "cells %d, %d, %d",
               MPLAN_SOURCE_OF(mesh), (long long)match->n_crowded,
               dimension == 1 ? "points" : "edges", *more ? "s" : "", match->crowded_node[0], more,
               match->crowded_cells[0], match->crowded_cells[1], match->crowded_cells[2]);
}

/* Groups of facets are resolved: nodes stay in the place of sides where a group has faces of the set, since who carries it to another
 * mesh or file asks for their nodes; else sides stay. */
static void keep_one(mplan_mesh *mesh)
{
    const int32_t set = mplan_mesh_find_set(mesh, "faces"),
                  map = mplan_mesh_find_map(mesh, "faces_nodes");
    bool grouped = false;
    if (map < 0 || !mesh->sets[set].sides)
        return;
    for (int32_t g = 0; g < mesh->n_groups; g++)
        grouped = grouped || mesh->groups[g].set == set;
    if (!grouped) {
        mplan_mesh_drop_map(mesh, map);
        return;
    }
    free(mesh->sets[set].sides);
    mesh->sets[set].sides = NULL;
}

/* Both sets with their maps, then groups of facets that waited for them, for whose sake nodes are there beside sides until then.
 * All or nothing: after a failure the mesh is as it was. */
static mplan_status add_face_sets(mplan_mesh *mesh, const mplan_context *context,
                                  mplan_face_list *inner, mplan_face_list *boundary, mplan_error *err)
{
    mplan_mesh_mark mark = mplan_mesh_mark_of(mesh);
    mplan_status status = add_face_set(mesh, "faces", inner, err);
    if (!status)
        status = add_face_set(mesh, "boundary_faces", boundary, err);
    if (!status)
        status = mplan_resolve_facets(mesh, context, err);
    if (status)
        mplan_mesh_roll_back(mesh, mark);
    else
        keep_one(mesh);
    return status;
}

/* As mplan_list_faces; wish: of inner faces. */
static mplan_status list_faces(const mplan_cell_table *cells, const mplan_face_match *match,
                               const int32_t arity[2], face_wish wish, const mplan_context *context,
                               mplan_face_list lists[2], mplan_error *err)
{
    for (int l = 0; l < 2; l++)
        lists[l] = (mplan_face_list){.arity = arity ? arity[l] : -1};
    mplan_status status = open_list(&lists[0], "faces", 2, cells, match->n_inner, wish, err);
    if (!status)
        status = open_list(&lists[1], "boundary faces", 1, cells, match->n_boundary, NODES, err);
    return status ? status : write_faces(cells, match, context, &lists[0], &lists[1], err);
}

mplan_status mplan_list_faces(const mplan_cell_table *cells, const mplan_face_match *match,
                              const int32_t arity[2], const mplan_context *context,
                              mplan_face_list lists[2], mplan_error *err)
{
    return list_faces(cells, match, arity, NODES, context, lists, err);
}

/* Adds `faces` (inside, two cells each) and `boundary_faces` with their maps, or what is missing of them. Faces are matched
 * by hashing their nodes: linear on average. */
mplan_status mplan_derive_faces(mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    mplan_cell_table cells;
    mplan_face_match match = {.mate = NULL};
    mplan_face_list lists[2] = {{0}, {0}};
    const int32_t set = mplan_derived_set(mesh, "faces");
    if (set >= 0 && mesh->sets[set].sides)
        return mplan_fill_faces_nodes(mesh, context, err);
    const face_wish wish = !mesh->wants_sides || mplan_mesh_find_set(mesh, "faces") >= 0 ? NODES
                           : mesh->n_facet_groups > 0 ? NODES_AND_SIDES
                                                      : SIDES;
    mplan_status status = mplan_cell_table_of(mesh, &cells, err);
    if (!status)
        status = mplan_match_faces(&cells, context, &match, err);
    if (!status)
        status = list_faces(&cells, &match, NULL, wish, context, lists, err);
    free(match.mate);
    if (!status && match.n_crowded > 0)
        warn_of_crowded(mesh, &match, cells.dimension, context);
    if (!status)
        status = add_face_sets(mesh, context, &lists[0], &lists[1], err);
    mplan_face_list_free(&lists[0]);
    mplan_face_list_free(&lists[1]);
    return status;
}
