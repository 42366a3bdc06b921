/* SPDX-License-Identifier: Apache-2.0 */
/* derive_sides.c - faces that say by which side of their first cell they are made, and faces_nodes from that
 *
 * A plan of a loop over faces reads their nodes once, for coordinates. A side is one byte, a row of nodes 8 or 12, as long as the
 * mesh lives. So planning derives faces with sides, and faces_nodes follows when it is asked for. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "mesh/derive.h"

enum { INWARDS = 8, ROWS = 1 << 14 };

uint8_t mplan_side_of(int32_t local_face, bool inwards)
{
    assert(local_face >= 0 && local_face < INWARDS);
    return (uint8_t)(local_face + (inwards ? INWARDS : 0));
}

/* n entries, in place. */
static void reverse(int32_t *node, int32_t n)
{
    for (int32_t i = 0, j = n - 1; i < j; i++, j--) {
        int32_t swap = node[i];
        node[i] = node[j];
        node[j] = swap;
    }
}

/* Rotates the list so that its lowest node is first; its direction stays. */
static void start_at_lowest(int32_t *node, int32_t n)
{
    int32_t lowest = 0, rotated[MPLAN_FACE_CORNERS];
    for (int32_t i = 1; i < n; i++)
        if (node[i] < node[lowest])
            lowest = i;
    for (int32_t i = 0; i < n; i++)
        rotated[i] = node[(lowest + i) % n];
    memcpy(node, rotated, (size_t)n * sizeof *node);
}

int32_t mplan_side_nodes(const mplan_cell_table *cells, int64_t c, uint8_t side,
                         int32_t node[MPLAN_FACE_CORNERS])
{
    const int32_t *corner;
    const mplan_cell_shape *shape = mplan_table_cell(cells, c, &corner);
    const int32_t n = mplan_face_corners(shape, corner, side % INWARDS, node);
    if (side & INWARDS)
        reverse(node, n);
    if (cells->dimension == 3)
        start_at_lowest(node, n);
    return n;
}

bool mplan_faces_by_sides(const mplan_mesh *mesh, int32_t set, mplan_face_sides *faces)
{
    assert(mesh && set >= 0 && set < mesh->n_sets && faces);
    const mplan_mesh_set_data *data = &mesh->sets[set];
    const int32_t map = data->sides ? mplan_mesh_find_map(mesh, "faces_cells") : -1;
    if (map < 0 || mplan_cell_table_of(mesh, &faces->cells, NULL))
        return false;
    faces->first = mesh->maps[map].values;
    faces->side = data->sides;
    faces->map = map;
    return true;
}

/* Rows of faces_nodes, all of `arity` nodes. */
typedef struct fill_work {
    mplan_face_sides faces;
    int32_t arity, *nodes;
} fill_work;

static void fill_rows(void *data, int thread, int64_t begin, int64_t end)
{
    const fill_work *work = data;
    (void)thread;
    for (int64_t f = begin; f < end; f++) {
        int32_t node[MPLAN_FACE_CORNERS];
        const int32_t n = mplan_face_nodes(&work->faces, f, node);
        assert(n == work->arity);
        memcpy(work->nodes + f * work->arity, node, (size_t)n * sizeof *node);
    }
}

mplan_status mplan_fill_faces_nodes(mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    assert(mesh);
    const int32_t set = mplan_derived_set(mesh, "faces");
    fill_work work;
    if (set < 0 || !mplan_faces_by_sides(mesh, set, &work.faces))
        return MPLAN_OK;
    const int64_t n = mesh->sets[set].size;
    int32_t node[MPLAN_FACE_CORNERS];
    work.arity = n > 0 ? mplan_face_nodes(&work.faces, 0, node) : work.faces.cells.face_size;
    work.nodes = mplan_alloc(n * work.arity, sizeof *work.nodes, err);
    if (!work.nodes)
        return MPLAN_ERR_MEMORY;
    mplan_for(mplan_team_of(context), n, ROWS, fill_rows, &work);
    mplan_status status = mplan_mesh_take_map(mesh, "faces_nodes", set,
                                              mplan_mesh_find_set(mesh, "nodes"), work.arity, NULL,
                                              work.nodes, NULL, err);
    if (status)
        return status;
    mesh->maps[mesh->n_maps - 1].derived = true;
    free(mesh->sets[set].sides);
    mesh->sets[set].sides = NULL;
    return MPLAN_OK;
}
