/* SPDX-License-Identifier: Apache-2.0 */
/* split_cell.c - the children that a cell is split into when a mesh is refined
 *
 * Tets give four tets at their corners and an octahedron, which is cut along
 * its shortest diagonal (S. Zhang, Successive subdivisions of tetrahedra,
 * Houston J. Math. 21 (1995)); of equally long ones along that with the lowest
 * node. Prisms give two layers of four. Pyramids give one at each corner of the base, one at
 * the apex, one upside down below that, and a tet at each side. Children keep the
 * orientation of their parent, and the faces of all shapes are split alike: triangles and
 * quadrilaterals in four. */
#include "generate/split_cell.h"

#include <assert.h>
#include <string.h>

/* --- how many ------------------------------------------------------------------ */

static const struct {
    int8_t n_children, n_entries;
} splits[MPLAN_N_CELL_TYPES] = {
    [MPLAN_CELL_TRI3] = {4, 12},   [MPLAN_CELL_QUAD4] = {4, 16},
    [MPLAN_CELL_TET4] = {8, 32},   [MPLAN_CELL_PYRAMID5] = {MPLAN_MOST_CHILDREN, 6 * 5 + 4 * 4},
    [MPLAN_CELL_PRISM6] = {8, 48}, [MPLAN_CELL_HEX8] = {8, 64},
};

int32_t mplan_split_children(mplan_cell_type type)
{
    assert((unsigned)type < MPLAN_N_CELL_TYPES);
    return splits[type].n_children;
}

int32_t mplan_split_entries(mplan_cell_type type)
{
    assert((unsigned)type < MPLAN_N_CELL_TYPES);
    return splits[type].n_entries;
}

/* --- quads and hexes ------------------------------------------------------------- */

/* Corners of quads and hexes as steps along their directions. */
static const int8_t box_corner[8] = {0, 1, 3, 2, 4, 5, 7, 6};

/* Places of corner k among the 9 or 27 nodes of a split quad or hex. */
static int32_t box_place(int32_t k)
{
    int32_t bits = box_corner[k];
    return 2 * (bits & 1) + 6 * (bits >> 1 & 1) + 18 * (bits >> 2);
}

/* The middle of corners lies at the mean of their places. Returns false when
 * the mesh has no such edge or face, which is legal for facets only. */
static bool box_lattice(const mplan_midpoints *middle, mplan_cell_type type, const int32_t *node,
                        int32_t centre, int32_t lattice[27])
{
    const mplan_cell_shape *shape = mplan_cell_shape_of(type);
    bool found = true;
    for (int32_t k = 0; k < shape->n_corners; k++)
        lattice[box_place(k)] = node[k];
    for (int32_t e = 0; e < shape->n_edges; e++) {
        int32_t a = shape->edge[e][0], b = shape->edge[e][1];
        int32_t id = mplan_midpoint_of_edge(middle, node[a], node[b]);
        lattice[(box_place(a) + box_place(b)) / 2] = id;
        found = found && id >= 0;
    }
    for (int32_t f = 0; shape->dimension == 3 && f < shape->n_faces; f++) {
        int32_t corner[4], place = 0;
        for (int32_t k = 0; k < 4; k++) {
            corner[k] = node[shape->face[f][k]];
            place += box_place(shape->face[f][k]);
        }
        lattice[place / 4] = mplan_midpoint_of_face(middle, corner);
    }
    lattice[shape->dimension == 3 ? 13 : 4] = centre;
    return found;
}

/* out: corners of 4 or 8 children, a quad or hex each. False: a midpoint is missing, so
 * the box is not part of the mesh. */
static bool split_box(const mplan_midpoints *middle, mplan_cell_type type, const int32_t *node,
                      int32_t centre, int32_t *out)
{
    int32_t lattice[27], n = mplan_cell_type_corners(type);
    if (!box_lattice(middle, type, node, centre, lattice))
        return false;
    for (int32_t child = 0; child < n; child++)
        for (int32_t k = 0; k < n; k++)
            *out++ = lattice[(box_place(child) + box_place(k)) / 2];
    return true;
}

/* --- triangles and prisms ----------------------------------------------------------- */

/* The four triangles of a split one, the last in the middle: 0 to 2 are its corners, 3 to 5
 * the middles of 01, 12 and 20. */
static const int8_t quarter[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};

/* out: 4 triangles of 3 nodes. False as in split_box. */
static bool split_triangle(const mplan_midpoints *middle, const int32_t *node, int32_t *out)
{
    int32_t all[6];
    for (int32_t k = 0; k < 3; k++) {
        all[k] = node[k];
        all[3 + k] = mplan_midpoint_of_edge(middle, node[k], node[(k + 1) % 3]);
        if (all[3 + k] < 0)
            return false;
    }
    for (int32_t i = 0; i < 12; i++)
        out[i] = all[quarter[i / 3][i % 3]];
    return true;
}

/* out: 8 prisms of 6 nodes, the lower 4 first. */
static void split_prism(const mplan_midpoints *middle, const int32_t *node, int32_t *out)
{
    int32_t level[3][6]; /* bottom, half way, top: as the triangles of `quarter` */
    for (int32_t k = 0; k < 3; k++) {
        int32_t next = (k + 1) % 3;
        const int32_t side[4] = {node[k], node[next], node[3 + next], node[3 + k]};
        level[0][k] = node[k];
        level[0][3 + k] = mplan_midpoint_of_edge(middle, node[k], node[next]);
        level[1][k] = mplan_midpoint_of_edge(middle, node[k], node[3 + k]);
        level[1][3 + k] = mplan_midpoint_of_face(middle, side);
        level[2][k] = node[3 + k];
        level[2][3 + k] = mplan_midpoint_of_edge(middle, node[3 + k], node[3 + next]);
    }
    for (int32_t half = 0; half < 2; half++)
        for (int32_t q = 0; q < 4; q++)
            for (int32_t k = 0; k < 6; k++)
                *out++ = level[half + k / 3][quarter[q][k % 3]];
}

/* --- tets ------------------------------------------------------------------------------ */

/* Between old or new nodes a and b. */
static double squared_distance(const mplan_splitter *s, int32_t a, int32_t b)
{
    double sum = 0;
    for (int32_t d = 0; d < s->coordinate_dimension; d++) {
        double difference = s->coordinates[(int64_t)a * s->coordinate_dimension + d] -
                            s->coordinates[(int64_t)b * s->coordinate_dimension + d];
        sum += difference * difference;
    }
    return sum;
}

/* The octahedron's three diagonals, each with the ring of the other four nodes
 * in the sense that makes (first, second, ring[i], ring[i + 1]) positive. */
static int32_t choose_diagonal(const mplan_splitter *s, int32_t octahedron[3][6])
{
    int32_t best = 0, best_low = 0;
    double best_length = 0;
    for (int32_t k = 0; k < 3; k++) {
        int32_t a = octahedron[k][0], b = octahedron[k][1], low = a < b ? a : b;
        double length = squared_distance(s, a, b);
        if (k == 0 || length < best_length || (length == best_length && low < best_low)) {
            best = k;
            best_length = length;
            best_low = low;
        }
    }
    return best;
}

/* out: 8 tets of 4 nodes: one at each corner, then four around the chosen diagonal of
 * the octahedron that is left. */
static void split_tet(const mplan_splitter *s, const int32_t *node, int32_t *out)
{
    int32_t m[4][4];
    for (int32_t a = 0; a < 4; a++)
        for (int32_t b = a + 1; b < 4; b++)
            m[a][b] = m[b][a] = mplan_midpoint_of_edge(&s->middle, node[a], node[b]);
    for (int32_t corner = 0; corner < 4; corner++)
        for (int32_t k = 0; k < 4; k++)
            *out++ = k == corner ? node[k] : m[corner][k];
    int32_t octahedron[3][6] = {{m[0][2], m[1][3], m[0][1], m[1][2], m[2][3], m[0][3]},
                                {m[0][3], m[1][2], m[0][2], m[2][3], m[1][3], m[0][1]},
                                {m[0][1], m[2][3], m[0][3], m[1][3], m[1][2], m[0][2]}};
    const int32_t *cut = octahedron[choose_diagonal(s, octahedron)];
    for (int32_t k = 0; k < 4; k++) {
        *out++ = cut[0];
        *out++ = cut[1];
        *out++ = cut[2 + k];
        *out++ = cut[2 + (k + 1) % 4];
    }
}

/* --- pyramids ------------------------------------------------------------------------------ */

/* out: the pyramids at corners 0 to 3, at the apex and upside down, of 5 nodes each, then the
 * tets at the sides 01, 12, 23 and 30. */
static void split_pyramid(const mplan_midpoints *middle, const int32_t *node, int32_t *out)
{
    int32_t base[4], side[4], bottom = mplan_midpoint_of_face(middle, node);
    for (int32_t k = 0; k < 4; k++) {
        base[k] = mplan_midpoint_of_edge(middle, node[k], node[(k + 1) % 4]);
        side[k] = mplan_midpoint_of_edge(middle, node[k], node[4]);
    }
    for (int32_t k = 0; k < 4; k++) {
        const int32_t corner[5] = {node[k], base[k], bottom, base[(k + 3) % 4], side[k]};
        memcpy(out + 5 * k, corner, sizeof corner);
    }
    const int32_t middle_ones[10] = {side[0], side[1], side[2], side[3], node[4],
                                     side[0], side[3], side[2], side[1], bottom};
    memcpy(out + 20, middle_ones, sizeof middle_ones);
    for (int32_t k = 0; k < 4; k++) {
        const int32_t tet[4] = {base[k], bottom, side[k], side[(k + 1) % 4]};
        memcpy(out + 30 + 4 * k, tet, sizeof tet);
    }
}

/* --- any ------------------------------------------------------------------------------------- */

/* types and nodes have room for mplan_split_children(type) cells, with nodes one cell after the
 * other. A pyramid becomes six pyramids and four tets; all others become cells of their own
 * kind. */
void mplan_split_cell(const mplan_splitter *splitter, mplan_cell_type type, const int32_t *node,
                      int32_t centre, uint8_t *types, int32_t *nodes)
{
    memset(types, type, (size_t)mplan_split_children(type));
    switch (type) {
    case MPLAN_CELL_TRI3: split_triangle(&splitter->middle, node, nodes); break;
    case MPLAN_CELL_TET4: split_tet(splitter, node, nodes); break;
    case MPLAN_CELL_PRISM6: split_prism(&splitter->middle, node, nodes); break;
    case MPLAN_CELL_PYRAMID5:
        memset(types + 6, MPLAN_CELL_TET4, 4);
        split_pyramid(&splitter->middle, node, nodes);
        break;
    default:
        assert(type == MPLAN_CELL_QUAD4 || type == MPLAN_CELL_HEX8);
        split_box(&splitter->middle, type, node, centre, nodes);
    }
}

/* Returns how many entries of `out` are filled: 4 for two edges, 12 for four triangles, 16 for
 * four quads. 0: the mesh has no such edge or face; -1: the kind cannot be split. */
int32_t mplan_split_facet(const mplan_midpoints *middle, mplan_cell_type type, const int32_t *node,
                          int32_t out[16])
{
    if (type == MPLAN_CELL_LINE2) {
        int32_t m = mplan_midpoint_of_edge(middle, node[0], node[1]);
        out[0] = node[0], out[1] = m, out[2] = m, out[3] = node[1];
        return m < 0 ? 0 : 4;
    }
    if (type == MPLAN_CELL_TRI3)
        return split_triangle(middle, node, out) ? 12 : 0;
    if (type == MPLAN_CELL_QUAD4) {
        int32_t centre = mplan_midpoint_of_face(middle, node);
        return centre >= 0 && split_box(middle, type, node, centre, out) ? 16 : 0;
    }
    return -1;
}
