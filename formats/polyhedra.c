/* SPDX-License-Identifier: Apache-2.0 */
/* polyhedra.c - faces of cells that are given by their faces: matching, order, orientation
 *
 * Half faces are found again in a hash table by a sum over their nodes, which no order of the
 * nodes changes. */
#include "formats/polyhedra.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "mesh/mesh.h"

#define PAUSE_MASK ((INT64_C(1) << 16) - 1)
#define NO_MATE (-1)

/* Arrays may be NULL. */
void mplan_half_faces_free(mplan_half_faces *halves)
{
    free(halves->cells);
    free(halves->offsets);
    free(halves->nodes);
    memset(halves, 0, sizeof *halves);
}

/* --- matching -------------------------------------------------------------------- */

/* SplitMix64's finaliser. */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* A sum over the nodes: equal for both sides of a face, whatever their sense and
 * first node. */
static uint64_t hash_of(const mplan_half_faces *halves, int64_t half)
{
    uint64_t sum = 0;
    for (int64_t i = halves->offsets[half]; i < halves->offsets[half + 1]; i++)
        sum += mix((uint64_t)halves->nodes[i]);
    return sum;
}

/* The same nodes round the face, in either direction, from any start. */
static bool same_nodes(const mplan_half_faces *halves, int64_t a, int64_t b)
{
    int64_t n = halves->offsets[a + 1] - halves->offsets[a];
    const int32_t *x = halves->nodes + halves->offsets[a], *y = halves->nodes + halves->offsets[b];
    if (halves->offsets[b + 1] - halves->offsets[b] != n)
        return false;
    int64_t start = 0;
    while (start < n && y[start] != x[0])
        start++;
    if (start == n)
        return false;
    bool forward = true, backward = true;
    for (int64_t k = 1; k < n && (forward || backward); k++) {
        forward = forward && y[(start + k) % n] == x[k];
        backward = backward && y[(start - k + n) % n] == x[k];
    }
    return forward || backward;
}

/* Half faces in a hash table by their nodes. */
typedef struct matching {
    const mplan_half_faces *halves;
    const char *path;
    int64_t *mate;  /* of a half face: the cell beyond it, or NO_MATE */
    int64_t *table; /* mask + 1 slots: a half face, or -1 */
    int64_t *cell_of_slot;
    uint64_t mask;
} matching;

/* Cells in the order of the file. */
static mplan_status fail_third(const matching *match, int64_t first, int64_t second, int64_t third,
                               int32_t node, mplan_error *err)
{
    if (first == third || second == third)
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: cell %lld has a face with node %d twice",
                          match->path, (long long)third, node);
    return mplan_fail(err, MPLAN_ERR_MESH,
                      "%s: cells %lld, %lld and %lld meet at one face, which has node %d",
                      match->path, (long long)first, (long long)second, (long long)third, node);
}

/* Looks for the other side of half face `half` of cell c, or enters it.
 * match->mate: per half face the cell on the other side. */
static mplan_status match_half(matching *match, int64_t c, int64_t half, mplan_error *err)
{
    const mplan_half_faces *halves = match->halves;
    uint64_t slot = hash_of(halves, half) & match->mask;
    for (; match->table[slot] >= 0; slot = (slot + 1) & match->mask) {
        int64_t other = match->table[slot];
        if (!same_nodes(halves, other, half))
            continue;
        int64_t first = match->cell_of_slot[slot];
        if (match->mate[other] != NO_MATE || first == c)
            return fail_third(match, first, match->mate[other], c,
                              halves->nodes[halves->offsets[half]], err);
        match->mate[other] = c;
        match->mate[half] = first;
        return MPLAN_OK;
    }
    match->table[slot] = half;
    match->cell_of_slot[slot] = c;
    return MPLAN_OK;
}

/* The table has at least one and a half times as many slots as there are half
 * faces. */
static mplan_status match_all(matching *match, const mplan_context *context, mplan_error *err)
{
    const mplan_half_faces *halves = match->halves;
    int64_t n = halves->cells[halves->n_cells];
    mplan_status status = MPLAN_OK;
    while (match->mask + 1 < (uint64_t)n + (uint64_t)n / 2 + 2)
        match->mask = 2 * match->mask + 1;
    match->mate = mplan_alloc(n, sizeof *match->mate, err);
    match->table = match->mate ? mplan_alloc((int64_t)match->mask + 1, sizeof *match->table, err)
                               : NULL;
    match->cell_of_slot = match->table ? mplan_alloc((int64_t)match->mask + 1,
                                                     sizeof *match->cell_of_slot, err)
                                       : NULL;
    if (!match->cell_of_slot)
        return MPLAN_ERR_MEMORY;
    memset(match->table, 0xff, ((size_t)match->mask + 1) * sizeof *match->table);
    for (int64_t h = 0; h < n; h++)
        match->mate[h] = NO_MATE;
    for (int64_t c = 0; c < halves->n_cells && !status; c++) {
        for (int64_t h = halves->cells[c]; h < halves->cells[c + 1] && !status; h++)
            status = match_half(match, c, h, err);
        if (!status && (c & PAUSE_MASK) == 0)
            status = mplan_interrupted(context, err);
    }
    free(match->table);
    free(match->cell_of_slot);
    match->table = match->cell_of_slot = NULL;
    return status;
}

/* --- orientation --------------------------------------------------------------------- */

/* The steps from node to node of a cell's faces, as pairs. */
/* Whether every step on a face of the cell is taken the other way round by another. */
static mplan_status normals_agree(const mplan_half_faces *halves, int64_t c, mplan_vector *steps,
                                  bool *agree, mplan_error *err)
{
    *agree = true;
    steps->count = 0;
    int64_t most = halves->offsets[halves->cells[c + 1]] - halves->offsets[halves->cells[c]];
    uint64_t *step = mplan_vector_reserve(steps, most, err);
    if (!step)
        return MPLAN_ERR_MEMORY;
    int64_t n = 0;
    for (int64_t h = halves->cells[c]; h < halves->cells[c + 1]; h++) {
        int64_t first = halves->offsets[h], last = halves->offsets[h + 1];
        for (int64_t i = first; i < last; i++) {
            int32_t from = halves->nodes[i], to = halves->nodes[i + 1 < last ? i + 1 : first];
            step[n++] = (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
        }
    }
    mplan_sort_u64(step, n);
    for (int64_t i = 0; i < n && *agree; i++) {
        uint64_t back = step[i] << 32 | step[i] >> 32;
        *agree = (i == 0 || step[i] != step[i - 1]) &&
                 bsearch(&back, step, (size_t)n, sizeof *step, mplan_compare_u64) != NULL;
    }
    return MPLAN_OK;
}

/* middle: mean of n nodes; xyz: 3 doubles a node. */
static void middle_of(const int32_t *nodes, int64_t n, const double *xyz, double middle[3])
{
    for (int32_t d = 0; d < 3; d++)
        middle[d] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int32_t d = 0; d < 3; d++)
            middle[d] += xyz[3 * (int64_t)nodes[i] + d] / (double)n;
}

/* Volume of the cone from `top` over a face, times 6: positive when its normal leaves top. */
static double cone(const int32_t *nodes, int64_t n, const double *xyz, const double top[3])
{
    double middle[3], sum = 0;
    middle_of(nodes, n, xyz, middle);
    for (int64_t i = 0; i < n; i++) {
        const double *a = xyz + 3 * (int64_t)nodes[i],
                     *b = xyz + 3 * (int64_t)nodes[i + 1 < n ? i + 1 : 0];
        double u[3], v[3], w[3];
        for (int32_t d = 0; d < 3; d++) {
            u[d] = a[d] - top[d];
            v[d] = b[d] - top[d];
            w[d] = middle[d] - top[d];
        }
        sum += w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) +
               w[2] * (u[0] * v[1] - u[1] * v[0]);
    }
    return sum;
}

/* How a cell's faces are oriented: all of them, or where they do not agree each by itself. */
typedef struct cell_side {
    bool agree, reversed;
    double middle[3];
} cell_side;

/* Whether the faces of cell c agree on inside and outside; steps: scratch. */
static mplan_status side_of(const mplan_half_faces *halves, const double *xyz, int64_t c,
                            mplan_vector *steps, cell_side *side, mplan_error *err)
{
    int64_t first = halves->offsets[halves->cells[c]], last = halves->offsets[halves->cells[c + 1]];
    *side = (cell_side){.agree = true};
    if (!xyz)
        return MPLAN_OK;
    middle_of(halves->nodes + first, last - first, xyz, side->middle);
    if (halves->dimension == 2) {
        double area = 0;
        for (int64_t h = halves->cells[c]; h < halves->cells[c + 1]; h++) {
            const int32_t *node = halves->nodes + halves->offsets[h];
            const double *a = xyz + 3 * (int64_t)node[0], *b = xyz + 3 * (int64_t)node[1];
            area += (a[0] - side->middle[0]) * (b[1] - side->middle[1]) -
                    (b[0] - side->middle[0]) * (a[1] - side->middle[1]);
        }
        side->reversed = area < 0;
        return MPLAN_OK;
    }
    mplan_status status = normals_agree(halves, c, steps, &side->agree, err);
    double volume = 0;
    for (int64_t h = halves->cells[c]; h < halves->cells[c + 1] && !status; h++)
        volume += cone(halves->nodes + halves->offsets[h],
                       halves->offsets[h + 1] - halves->offsets[h], xyz, side->middle);
    side->reversed = volume < 0;
    return status;
}

/* Whether the nodes of half face h run so that the normal points into the cell. */
static bool is_reversed(const mplan_half_faces *halves, const double *xyz, const cell_side *side,
                        int64_t h)
{
    if (side->agree || !xyz)
        return side->reversed;
    return cone(halves->nodes + halves->offsets[h], halves->offsets[h + 1] - halves->offsets[h],
                xyz, side->middle) < 0;
}

/* --- writing -------------------------------------------------------------------------- */

/* A face as its first cell has it. */
typedef struct own_face {
    int64_t mate;
    int32_t *nodes; /* as the first cell sees it, from its lowest node on; an edge as it runs */
    int64_t n;
} own_face;

/* By the other cell, then nodes: the order of derived faces. */
static int compare_own(const void *a, const void *b)
{
    const own_face *x = a, *y = b;
    if (x->mate != y->mate)
        return x->mate < y->mate ? -1 : 1;
    for (int64_t i = 0; i < x->n && i < y->n; i++)
        if (x->nodes[i] != y->nodes[i])
            return x->nodes[i] < y->nodes[i] ? -1 : 1;
    return (x->n > y->n) - (x->n < y->n);
}

/* Faces that become a set: nodes of face f begin at offsets[f]; cells: one or
 * two a face. */
typedef struct face_list {
    int64_t n, n_nodes;
    int32_t *cells, *nodes;
    int64_t *offsets;
} face_list;

/* As mplan_half_faces_free. */
static void free_list(face_list *list)
{
    free(list->cells);
    free(list->nodes);
    free(list->offsets);
}

/* list->n and n_nodes say how much room is needed; faces have n_cells cells
 * each. */
static mplan_status open_list(face_list *list, int32_t n_cells, mplan_error *err)
{
    if (list->n >= INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%lld faces exceed 32 bits",
                          (long long)list->n);
    list->cells = mplan_alloc(list->n * n_cells, sizeof *list->cells, err);
    list->nodes = list->cells ? mplan_alloc(list->n_nodes, sizeof *list->nodes, err) : NULL;
    list->offsets = list->nodes ? mplan_alloc(list->n + 1, sizeof *list->offsets, err) : NULL;
    if (!list->offsets)
        return MPLAN_ERR_MEMORY;
    list->offsets[0] = list->n = list->n_nodes = 0;
    return MPLAN_OK;
}

/* The list has room for it. */
static void append_face(face_list *list, int64_t c, const own_face *face)
{
    if (face->mate == NO_MATE) {
        list->cells[list->n] = (int32_t)c;
    } else {
        list->cells[2 * list->n] = (int32_t)c;
        list->cells[2 * list->n + 1] = (int32_t)face->mate;
    }
    memcpy(list->nodes + list->n_nodes, face->nodes, (size_t)face->n * sizeof *face->nodes);
    list->n_nodes += face->n;
    list->offsets[++list->n] = list->n_nodes;
}

/* to: n nodes, in reverse order if reversed; from_lowest: beginning with the lowest. */
static void copy_face(const int32_t *from, int64_t n, bool reversed, bool from_lowest, int32_t *to)
{
    int64_t start = 0;
    for (int64_t i = 1; i < n && from_lowest; i++)
        if (from[i] < from[start])
            start = i;
    if (reversed && !from_lowest)
        start = n - 1;
    for (int64_t i = 0; i < n; i++)
        to[i] = from[reversed ? (start - i + n) % n : (start + i) % n];
}

/* Scratch for the faces of one cell. */
typedef struct writing {
    mplan_vector own;   /* own_face */
    mplan_vector nodes; /* int32_t: theirs */
    mplan_vector steps; /* uint64_t */
} writing;

/* The faces of which cell c is the first or only one. */
static mplan_status write_cell(const matching *match, const double *xyz, int64_t c, writing *room,
                               face_list *inner, face_list *boundary, mplan_error *err)
{
    const mplan_half_faces *halves = match->halves;
    int64_t first = halves->cells[c], last = halves->cells[c + 1];
    cell_side side;
    mplan_status status = side_of(halves, xyz, c, &room->steps, &side, err);
    if (status)
        return status;
    room->own.count = room->nodes.count = 0;
    own_face *own = mplan_vector_reserve(&room->own, last - first, err);
    int32_t *nodes = own ? mplan_vector_reserve(&room->nodes,
                                                halves->offsets[last] - halves->offsets[first], err)
                         : NULL;
    if (!nodes)
        return MPLAN_ERR_MEMORY;
    size_t n = 0;
    for (int64_t h = first; h < last; h++) {
        if (match->mate[h] != NO_MATE && match->mate[h] < c)
            continue;
        int64_t size = halves->offsets[h + 1] - halves->offsets[h];
        copy_face(halves->nodes + halves->offsets[h], size, is_reversed(halves, xyz, &side, h),
                  halves->dimension == 3, nodes);
        own[n++] = (own_face){match->mate[h], nodes, size};
        nodes += size;
    }
    qsort(own, n, sizeof *own, compare_own);
    for (size_t i = 0; i < n; i++)
        append_face(own[i].mate == NO_MATE ? boundary : inner, c, &own[i]);
    return MPLAN_OK;
}

/* As derive_faces.c orders them: by first cell, second cell, first node. */
static mplan_status write_faces(const matching *match, const double *xyz, face_list *inner,
                                face_list *boundary, const mplan_context *context, mplan_error *err)
{
    const mplan_half_faces *halves = match->halves;
    writing room = {MPLAN_VECTOR_INIT(sizeof(own_face)), MPLAN_VECTOR_INIT(sizeof(int32_t)),
                    MPLAN_VECTOR_INIT(sizeof(uint64_t))};
    mplan_status status = MPLAN_OK;
    for (int64_t c = 0; c < halves->n_cells && !status; c++) {
        status = write_cell(match, xyz, c, &room, inner, boundary, err);
        if (!status && (c & PAUSE_MASK) == 0)
            status = mplan_interrupted(context, err);
    }
    free(room.own.data);
    free(room.nodes.data);
    free(room.steps.data);
    return status;
}

/* The lower cell of two counts the face. */
static void count_faces(const matching *match, face_list *inner, face_list *boundary)
{
    const mplan_half_faces *halves = match->halves;
    for (int64_t c = 0; c < halves->n_cells; c++)
        for (int64_t h = halves->cells[c]; h < halves->cells[c + 1]; h++) {
            if (match->mate[h] != NO_MATE && match->mate[h] < c)
                continue;
            face_list *list = match->mate[h] == NO_MATE ? boundary : inner;
            list->n++;
            list->n_nodes += halves->offsets[h + 1] - halves->offsets[h];
        }
}

/* --- sets and maps ------------------------------------------------------------------------ */

/* Arrays belong to the mesh from here on, also after a failure. Rows of equal
 * length lose their offsets. */
mplan_status mplan_add_face_set(mplan_mesh *mesh, const char *name, int64_t n, int64_t *offsets,
                                int32_t *nodes, int32_t cells_arity, int32_t *cells, mplan_error *err)
{
    char map[64];
    int32_t set, arity = n > 0 && offsets[1] <= INT32_MAX ? (int32_t)offsets[1] : 0;
    for (int64_t f = 1; f < n && arity > 0; f++)
        if (offsets[f + 1] - offsets[f] != arity)
            arity = 0;
    mplan_status status = mplan_mesh_add_set(mesh, name, n, &set, err);
    if (status) {
        free(offsets);
        free(nodes);
        free(cells);
        return status;
    }
    if (arity > 0) {
        free(offsets);
        offsets = NULL;
    }
    snprintf(map, sizeof map, "%s_cells", name);
    status = mplan_mesh_take_map(mesh, map, set, mplan_mesh_find_set(mesh, "cells"), cells_arity,
                                 NULL, cells, NULL, err);
    if (status) {
        free(offsets);
        free(nodes);
        return status;
    }
    snprintf(map, sizeof map, "%s_nodes", name);
    return mplan_mesh_take_map(mesh, map, set, mplan_mesh_find_set(mesh, "nodes"), arity, offsets,
                               nodes, NULL, err);
}

/* *list is empty afterwards. */
static mplan_status add_list(mplan_mesh *mesh, const char *name, int32_t n_cells, face_list *list,
                             mplan_error *err)
{
    face_list given = *list;
    memset(list, 0, sizeof *list);
    return mplan_add_face_set(mesh, name, given.n, given.offsets, given.nodes, n_cells, given.cells,
                              err);
}

/* Both sets with their maps; half faces: each side of each cell, by its nodes. */
mplan_status mplan_half_faces_add(const mplan_half_faces *halves, const char *path, const double *xyz,
                                  mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    matching match = {halves, path, NULL, NULL, NULL, 15};
    face_list inner = {0}, boundary = {0};
    mplan_status status = match_all(&match, context, err);
    if (!status) {
        count_faces(&match, &inner, &boundary);
        status = open_list(&inner, 2, err);
    }
    if (!status)
        status = open_list(&boundary, 1, err);
    if (!status)
        status = write_faces(&match, xyz, &inner, &boundary, context, err);
    free(match.mate);
    free(match.table);
    free(match.cell_of_slot);
    if (!status)
        status = add_list(mesh, "faces", 2, &inner, err);
    if (!status)
        status = add_list(mesh, "boundary_faces", 1, &boundary, err);
    if (!status)
        status = mplan_mesh_set_faces_name(mesh, "faces", err);
    free_list(&inner);
    free_list(&boundary);
    return status;
}
