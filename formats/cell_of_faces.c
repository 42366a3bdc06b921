/* SPDX-License-Identifier: Apache-2.0 */
/* cell_of_faces.c - tets, pyramids, prisms and hexahedra known by their faces
 *
 * The nodes are guessed from one face and the edges that lead away from it; then every face of the shape
 * has to be there. */
#include "formats/polyhedra.h"
#include "mesh/mesh.h"

/* Node k of a face as the cell sees it, its normal outward. */
static int32_t node_at(const mplan_cell_face *face, int32_t k)
{
    return face->nodes[face->reversed ? face->n - 1 - k : k];
}

/* The node that follows the step from `a` to `b` on one of the faces, and the one after that;
 * false when no face takes that step. */
static bool follow(int32_t n_faces, const mplan_cell_face *faces, int32_t size, int32_t a,
                   int32_t b, int32_t *next, int32_t *last)
{
    for (int32_t f = 0; f < n_faces; f++) {
        if (faces[f].n != size)
            continue;
        for (int32_t k = 0; k < size; k++)
            if (node_at(&faces[f], k) == a && node_at(&faces[f], (k + 1) % size) == b) {
                *next = node_at(&faces[f], (k + 2) % size);
                *last = node_at(&faces[f], (k + 3) % size);
                return true;
            }
    }
    return false;
}

/* Whether the face has these n corners in the same sense of rotation, from any
 * of them on. corner: places in `nodes`, as the table of cell shapes has them. */
static bool same_face(const mplan_cell_face *face, const int8_t *corner, int32_t n,
                      const int32_t *nodes)
{
    if (face->n != n)
        return false;
    for (int32_t start = 0; start < n; start++) {
        if (node_at(face, start) != nodes[corner[0]])
            continue;
        for (int32_t k = 1; k < n; k++)
            if (node_at(face, (start + k) % n) != nodes[corner[k]])
                return false;
        return true;
    }
    return false;
}

/* nodes: the corners of a cell of this type, in its order. True if they are all
 * different and every side of the cell is one of the faces given. */
static bool has_all_faces(int32_t n_faces, const mplan_cell_face *faces, mplan_cell_type type,
                          const int32_t *nodes)
{
    const mplan_cell_shape *shape = mplan_cell_shape_of(type);
    if (mplan_distinct_nodes(nodes, shape->n_nodes) < shape->n_nodes)
        return false;
    for (int32_t f = 0; f < shape->n_faces; f++) {
        int32_t found = 0;
        while (found < n_faces &&
               !same_face(&faces[found], shape->face[f], shape->face_size[f], nodes))
            found++;
        if (found == n_faces)
            return false;
    }
    return true;
}

/* The nodes of a face that is the shape's bottom, whose normal looks down: 0 is the first, the others run
 * backwards, so that the bottom runs upwards. */
static void lay_bottom(const mplan_cell_face *face, int32_t *nodes)
{
    nodes[0] = node_at(face, 0);
    for (int32_t k = 1; k < face->n; k++)
        nodes[k] = node_at(face, face->n - k);
}

/* The counts of triangles and quads leave one type; nodes are laid out from one
 * face, and the result is believed only if all faces of that cell are there. */
bool mplan_cell_of_faces(int32_t n_faces, const mplan_cell_face *faces, mplan_cell_type *type,
                         int32_t nodes[MPLAN_MOST_TYPED_NODES])
{
    int32_t triangles = 0, quads = 0, triangle = 0, quad = 0, unused;
    if (n_faces < 4 || n_faces > MPLAN_MOST_TYPED_FACES)
        return false;
    for (int32_t f = 0; f < n_faces; f++) {
        if (faces[f].n == 3 && triangles++ == 0)
            triangle = f;
        if (faces[f].n == 4 && quads++ == 0)
            quad = f;
    }
    int32_t shape = 10 * triangles + quads;
    bool laid = triangles + quads == n_faces;
    if (laid && shape == 6) {
        *type = MPLAN_CELL_HEX8;
        lay_bottom(&faces[quad], nodes);
        laid = follow(n_faces, faces, 4, nodes[0], nodes[1], &nodes[5], &nodes[4]) &&
               follow(n_faces, faces, 4, nodes[2], nodes[3], &nodes[7], &nodes[6]);
    } else if (laid && shape == 23) {
        *type = MPLAN_CELL_PRISM6;
        lay_bottom(&faces[triangle], nodes);
        laid = follow(n_faces, faces, 4, nodes[0], nodes[1], &nodes[4], &nodes[3]) &&
               follow(n_faces, faces, 4, nodes[1], nodes[2], &nodes[5], &unused);
    } else if (laid && shape == 41) {
        *type = MPLAN_CELL_PYRAMID5;
        lay_bottom(&faces[quad], nodes);
        laid = follow(n_faces, faces, 3, nodes[0], nodes[1], &nodes[4], &unused);
    } else if (laid && shape == 40) {
        *type = MPLAN_CELL_TET4;
        lay_bottom(&faces[triangle], nodes);
        laid = follow(n_faces, faces, 3, nodes[0], nodes[1], &nodes[3], &unused);
    } else {
        laid = false;
    }
    return laid && has_all_faces(n_faces, faces, *type, nodes);
}
