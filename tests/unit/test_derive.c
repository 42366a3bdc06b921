/* SPDX-License-Identifier: Apache-2.0 */
/* test_derive.c - derived connectivity against a naive third derivation
 *
 * The naive one compares every pair of half faces and of edges, orients by
 * exact integer arithmetic and sorts by insertion. */
#include "support_test.h"
#include "support_mesh.h"

#include "mesh/mesh.h"

#define MAX_CELLS 64
#define MAX_HALF (MAX_CELLS * 6)
#define MAX_NODES 64

typedef struct plain_mesh {
    int32_t dimension, n_nodes, n_cells, space; /* space 0: no coordinates */
    uint8_t type[MAX_CELLS];
    int32_t node[MAX_CELLS][27];
    int32_t xyz[MAX_NODES][3];
} plain_mesh;

typedef struct plain_face {
    int32_t n, node[4];    /* in order, oriented */
    int32_t key[4];        /* sorted, -1 behind */
    int32_t first, second; /* second -1: boundary */
    int32_t local[2];
} plain_face;

typedef struct plain_answer {
    bool refused;
    int32_t n_faces, n_boundary;
    plain_face face[MAX_HALF], boundary[MAX_HALF];
} plain_answer;

/* --- the naive derivation --------------------------------------------------- */

static void sort_ints(int32_t *value, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = i + 1; j < n; j++)
            if (value[j] < value[i]) {
                int32_t swap = value[i];
                value[i] = value[j];
                value[j] = swap;
            }
}

static int32_t distinct_corners(const plain_mesh *m, int32_t c)
{
    int32_t value[8], n = mplan_cell_type_corners((mplan_cell_type)m->type[c]), distinct = 0;
    memcpy(value, m->node[c], (size_t)n * sizeof *value);
    sort_ints(value, n);
    for (int32_t i = 0; i < n; i++)
        distinct += i == 0 || value[i] != value[i - 1];
    return distinct;
}

static bool is_planar(const plain_mesh *m)
{
    int32_t z = 0;
    bool seen = false;
    for (int32_t c = 0; c < m->n_cells; c++)
        for (int32_t k = 0; k < mplan_cell_type_nodes((mplan_cell_type)m->type[c]); k++) {
            int32_t at = m->xyz[m->node[c][k]][2];
            if (seen && at != z)
                return false;
            z = at;
            seen = true;
        }
    return true;
}

static bool is_oriented_by_coordinates(const plain_mesh *m)
{
    if (m->dimension == 2)
        return m->space == 2 || (m->space == 3 && is_planar(m));
    return m->dimension == 3 && m->space == 3;
}

static bool is_manifold(const plain_mesh *m)
{
    return m->dimension == 3 || (m->dimension == 2 && (m->space != 3 || is_planar(m)));
}

static int64_t determinant(const int32_t *a, const int32_t *b, const int32_t *c)
{
    return (int64_t)a[0] * (b[1] * c[2] - b[2] * c[1]) -
           (int64_t)a[1] * (b[0] * c[2] - b[2] * c[0]) + (int64_t)a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Sign of area or volume, of coordinates as they are. */
static bool is_negative(const plain_mesh *m, int32_t c)
{
    const mplan_cell_shape *shape = mplan_cell_shape_of((mplan_cell_type)m->type[c]);
    int64_t sum = 0;
    if (m->dimension == 2) {
        for (int32_t k = 0; k < shape->n_corners; k++) {
            const int32_t *a = m->xyz[m->node[c][k]];
            const int32_t *b = m->xyz[m->node[c][(k + 1) % shape->n_corners]];
            sum += (int64_t)a[0] * b[1] - (int64_t)b[0] * a[1];
        }
        return sum < 0;
    }
    for (int32_t f = 0; f < shape->n_faces; f++) {
        const int32_t *x[4];
        for (int32_t k = 0; k < shape->face_size[f]; k++)
            x[k] = m->xyz[m->node[c][shape->face[f][k]]];
        if (shape->face_size[f] == 3)
            sum += 2 * determinant(x[0], x[1], x[2]);
        else
            sum += determinant(x[0], x[1], x[2]) + determinant(x[0], x[2], x[3]) +
                   determinant(x[0], x[1], x[3]) + determinant(x[1], x[2], x[3]);
    }
    return sum < 0;
}

/* Distinct corners in order and sorted; returns their number. */
static int32_t local_corners(const plain_mesh *m, int32_t c, int32_t f, int32_t *node, int32_t *key)
{
    const mplan_cell_shape *shape = mplan_cell_shape_of((mplan_cell_type)m->type[c]);
    int32_t n = 0;
    for (int32_t k = 0; k < shape->face_size[f]; k++) {
        bool seen = false;
        for (int32_t j = 0; j < n; j++)
            seen = seen || node[j] == m->node[c][shape->face[f][k]];
        if (!seen)
            node[n++] = m->node[c][shape->face[f][k]];
    }
    for (int32_t i = 0; i < 4; i++)
        key[i] = i < n ? node[i] : -1;
    sort_ints(key, n);
    return n;
}

static void orient(const plain_mesh *m, plain_face *face)
{
    int32_t turned[4] = {0};
    if (is_oriented_by_coordinates(m) && is_negative(m, face->first)) {
        for (int32_t i = 0; i < face->n; i++)
            turned[i] = face->node[face->n - 1 - i];
        memcpy(face->node, turned, sizeof turned);
    }
    while (m->dimension == 3 && face->node[0] != face->key[0]) {
        int32_t first = face->node[0];
        for (int32_t i = 0; i + 1 < face->n; i++)
            face->node[i] = face->node[i + 1];
        face->node[face->n - 1] = first;
    }
}

static int compare_faces(const void *a, const void *b)
{
    const plain_face *x = a, *y = b;
    if (x->first != y->first)
        return x->first - y->first;
    if (x->second != y->second)
        return x->second - y->second;
    for (int32_t i = 0; i < x->n && i < y->n; i++)
        if (x->node[i] != y->node[i])
            return x->node[i] - y->node[i];
    return x->n - y->n;
}

static void derive_plainly(const plain_mesh *m, plain_answer *answer)
{
    static plain_face half[MAX_HALF];
    static bool gone[MAX_HALF];
    int32_t n = 0;
    memset(answer, 0, sizeof *answer);
    memset(gone, 0, sizeof gone);
    for (int32_t c = 0; c < m->n_cells; c++) {
        answer->refused = answer->refused || distinct_corners(m, c) < m->dimension + 1;
        for (int32_t f = 0; f < mplan_cell_shape_of((mplan_cell_type)m->type[c])->n_faces; f++) {
            plain_face *h = &half[n];
            h->n = local_corners(m, c, f, h->node, h->key);
            h->first = c;
            h->second = -1;
            h->local[0] = f;
            h->local[1] = -1;
            n += h->n >= m->dimension;
        }
    }
    /* pairs of one cell cancel, from the last on, so that the first of three stays */
    for (int32_t i = n - 1; i >= 0; i--)
        for (int32_t j = i - 1; j >= 0 && !gone[i]; j--)
            if (!gone[j] && half[j].first == half[i].first &&
                memcmp(half[j].key, half[i].key, sizeof half[i].key) == 0)
                gone[i] = gone[j] = true;
    for (int32_t i = 0; i < n; i++) {
        int32_t others = 0, other = -1;
        bool first = true;
        for (int32_t j = 0; j < n; j++)
            if (j != i && !gone[j] && memcmp(half[j].key, half[i].key, sizeof half[i].key) == 0) {
                others++;
                other = j;
                first = first && j > i;
            }
        if (gone[i] || !first)
            continue;
        if (others > 1) {
            answer->refused = answer->refused || is_manifold(m);
            continue;
        }
        plain_face face = half[i];
        if (others == 1) {
            face.second = half[other].first;
            face.local[1] = half[other].local[0];
        }
        orient(m, &face);
        if (others == 1)
            answer->face[answer->n_faces++] = face;
        else
            answer->boundary[answer->n_boundary++] = face;
    }
    qsort(answer->face, (size_t)answer->n_faces, sizeof(plain_face), compare_faces);
    qsort(answer->boundary, (size_t)answer->n_boundary, sizeof(plain_face), compare_faces);
}

/* --- meshes -------------------------------------------------------------------- */

static int32_t below(uint64_t *seed, int64_t n)
{
    return (int32_t)support_random(seed, n);
}

static void add_cell(plain_mesh *m, mplan_cell_type type, const int32_t *node)
{
    m->type[m->n_cells] = (uint8_t)type;
    memcpy(m->node[m->n_cells++], node, (size_t)mplan_cell_type_nodes(type) * sizeof *node);
}

/* Any cells on few nodes: everything that can be wrong is. */
static void make_soup(plain_mesh *m, uint64_t *seed)
{
    m->dimension = 1 + below(seed, 3);
    m->n_nodes = 3 + below(seed, 12);
    int32_t n = below(seed, 7);
    while (m->n_cells < n) {
        mplan_cell_type type = (mplan_cell_type)below(seed, MPLAN_N_CELL_TYPES);
        int32_t node[27];
        if (mplan_cell_type_dimension(type) != m->dimension)
            continue;
        for (int32_t k = 0; k < 27; k++)
            for (int32_t try = 0; try < 6; try++) {
                node[k] = below(seed, m->n_nodes);
                bool seen = false;
                for (int32_t j = 0; j < k; j++)
                    seen = seen || node[j] == node[k];
                if (!seen)
                    break;
            }
        add_cell(m, type, node);
    }
    m->dimension = n ? m->dimension : 0;
}

static void make_plane(plain_mesh *m, uint64_t *seed)
{
    int32_t nx = 1 + below(seed, 5), ny = 1 + below(seed, 5);
    m->dimension = 2;
    m->n_nodes = (nx + 1) * (ny + 1);
    for (int32_t v = 0; v < m->n_nodes; v++) {
        m->xyz[v][0] = v % (nx + 1);
        m->xyz[v][1] = v / (nx + 1);
    }
    int kind = below(seed, 3);
    for (int32_t q = 0; q < nx * ny; q++) {
        int32_t a = q / nx * (nx + 1) + q % nx, b = a + 1, d = a + nx + 1, c = d + 1;
        int32_t quad[4] = {a, b, c, d}, low[3] = {a, b, c}, high[3] = {a, c, d};
        if (kind == 0 || (kind == 1 && below(seed, 2) == 0)) {
            add_cell(m, MPLAN_CELL_QUAD4, quad);
        } else {
            add_cell(m, MPLAN_CELL_TRI3, low);
            add_cell(m, MPLAN_CELL_TRI3, high);
        }
    }
}

static void add_cube(plain_mesh *m, const int32_t *v, int kind)
{
    /* v: corners of a hex, as Gmsh numbers them */
    static const int8_t tets[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                      {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
    static const int8_t prisms[2][6] = {{0, 1, 2, 4, 5, 6}, {0, 2, 3, 4, 6, 7}};
    static const int8_t pyramids[3][5] = {{0, 1, 2, 3, 6}, {0, 4, 5, 1, 6}, {0, 3, 7, 4, 6}};
    int32_t node[8];
    if (kind == 0)
        add_cell(m, MPLAN_CELL_HEX8, v);
    for (int32_t i = 0; kind == 1 && i < 6; i++) {
        for (int32_t k = 0; k < 4; k++)
            node[k] = v[tets[i][k]];
        add_cell(m, MPLAN_CELL_TET4, node);
    }
    for (int32_t i = 0; kind == 2 && i < 2; i++) {
        for (int32_t k = 0; k < 6; k++)
            node[k] = v[prisms[i][k]];
        add_cell(m, MPLAN_CELL_PRISM6, node);
    }
    for (int32_t i = 0; kind == 3 && i < 3; i++) {
        for (int32_t k = 0; k < 5; k++)
            node[k] = v[pyramids[i][k]];
        add_cell(m, MPLAN_CELL_PYRAMID5, node);
    }
}

static void make_volume(plain_mesh *m, uint64_t *seed)
{
    int32_t n[3];
    for (int d = 0; d < 3; d++)
        n[d] = 1 + below(seed, 2);
    m->dimension = 3;
    m->n_nodes = (n[0] + 1) * (n[1] + 1) * (n[2] + 1);
    int kind = below(seed, 5); /* 4: any in each cube, and faces that do not fit */
    for (int32_t v = 0; v < m->n_nodes; v++) {
        m->xyz[v][0] = v % (n[0] + 1);
        m->xyz[v][1] = v / (n[0] + 1) % (n[1] + 1);
        m->xyz[v][2] = v / (n[0] + 1) / (n[1] + 1);
    }
    for (int32_t q = 0; q < n[0] * n[1] * n[2]; q++) {
        int32_t x = q % n[0], y = q / n[0] % n[1], z = q / n[0] / n[1], v[8];
        static const int8_t at[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
        for (int32_t k = 0; k < 8; k++)
            v[k] = x + at[k][0] + (n[0] + 1) * (y + at[k][1] + (n[1] + 1) * (z + at[k][2]));
        add_cube(m, v, kind < 4 ? kind : below(seed, 4));
    }
}

/* Turns a cell inside out. */
static void mirror(plain_mesh *m, int32_t c)
{
    static const int8_t order[7][8] = {
        {0, 2, 1},       {0, 3, 2, 1},       {0, 2, 1, 3},
        {0, 3, 2, 1, 4}, {0, 2, 1, 3, 5, 4}, {0, 3, 2, 1, 4, 7, 6, 5},
        {1, 0}};
    const int8_t *by;
    switch (m->type[c]) {
    case MPLAN_CELL_TRI3: by = order[0]; break;
    case MPLAN_CELL_QUAD4: by = order[1]; break;
    case MPLAN_CELL_TET4: by = order[2]; break;
    case MPLAN_CELL_PYRAMID5: by = order[3]; break;
    case MPLAN_CELL_PRISM6: by = order[4]; break;
    case MPLAN_CELL_HEX8: by = order[5]; break;
    default: return;
    }
    int32_t node[8], n = mplan_cell_type_nodes((mplan_cell_type)m->type[c]);
    for (int32_t k = 0; k < n; k++)
        node[k] = m->node[c][by[k]];
    memcpy(m->node[c], node, (size_t)n * sizeof *node);
}

/* Cells removed, reversed, in another order; nodes added, merged, renumbered. */
static void disturb(plain_mesh *m, uint64_t *seed)
{
    for (int32_t c = m->n_cells - 1; c > 0; c--) {
        int32_t other = below(seed, c + 1), node[27];
        uint8_t type = m->type[c];
        m->type[c] = m->type[other];
        m->type[other] = type;
        memcpy(node, m->node[c], sizeof node);
        memcpy(m->node[c], m->node[other], sizeof node);
        memcpy(m->node[other], node, sizeof node);
    }
    if (below(seed, 3) == 0)
        m->n_cells -= below(seed, m->n_cells + 1) / 2;
    int32_t turn = below(seed, 2) * 40, merges = below(seed, 3) == 0 ? 1 + below(seed, 2) : 0;
    for (int32_t c = 0; c < m->n_cells; c++)
        if (below(seed, 100) < turn)
            mirror(m, c);
    m->n_nodes += below(seed, 4);
    if (m->n_nodes > MAX_NODES)
        m->n_nodes = MAX_NODES;
    int32_t new_of_old[MAX_NODES];
    for (int32_t v = 0; v < m->n_nodes; v++)
        new_of_old[v] = v;
    for (int32_t v = m->n_nodes - 1; v > 0; v--) {
        int32_t other = below(seed, v + 1), swap = new_of_old[v];
        new_of_old[v] = new_of_old[other];
        new_of_old[other] = swap;
    }
    int32_t xyz[MAX_NODES][3];
    memcpy(xyz, m->xyz, sizeof xyz);
    for (int32_t v = 0; v < m->n_nodes; v++)
        memcpy(m->xyz[new_of_old[v]], xyz[v], sizeof xyz[v]);
    for (; merges > 0; merges--)
        new_of_old[below(seed, m->n_nodes)] = new_of_old[below(seed, m->n_nodes)];
    for (int32_t c = 0; c < m->n_cells; c++)
        for (int32_t k = 0; k < mplan_cell_type_nodes((mplan_cell_type)m->type[c]); k++)
            m->node[c][k] = new_of_old[m->node[c][k]];
    if (m->n_cells == 0)
        m->dimension = 0;
}

static void make_any(plain_mesh *m, uint64_t *seed)
{
    memset(m, 0, sizeof *m);
    int kind = below(seed, 3);
    if (kind == 0)
        make_soup(m, seed);
    else if (kind == 1)
        make_plane(m, seed);
    else
        make_volume(m, seed);
    if (kind > 0)
        disturb(m, seed);
    m->space = m->dimension < 3 ? (below(seed, 3) * 3 + 1) / 2 : 3 * below(seed, 2);
    if (m->dimension == 3 && kind > 0)
        m->space = 3;
    int shape = below(seed, 3);
    for (int32_t v = 0; v < m->n_nodes; v++) {
        if (kind == 0)
            for (int d = 0; d < 3; d++)
                m->xyz[v][d] = below(seed, 20);
        if (m->dimension < 3 && shape > 0)
            m->xyz[v][2] = shape == 1 ? 5 : below(seed, 3);
    }
}

static mplan_mesh *build(const plain_mesh *m)
{
    mplan_mesh *mesh;
    mplan_error err;
    int32_t node[MAX_CELLS * 27], n = 0;
    double xyz[MAX_NODES * 3];
    for (int32_t c = 0; c < m->n_cells; c++)
        for (int32_t k = 0; k < mplan_cell_type_nodes((mplan_cell_type)m->type[c]); k++)
            node[n++] = m->node[c][k];
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, m->n_nodes, m->n_cells, m->type, node, &err), &err);
    for (int32_t v = 0; v < m->n_nodes; v++)
        for (int32_t d = 0; d < m->space; d++)
            xyz[v * m->space + d] = m->xyz[v][d];
    if (m->space)
        assert_done(mplan_mesh_set_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), m->space,
                                               xyz, &err),
                    &err);
    return mesh;
}

static mplan_map map_of(const mplan_mesh *mesh, const char *name)
{
    int32_t map = mplan_mesh_find_map(mesh, name);
    if (map < 0)
        fail_msg("no map %s", name);
    return mplan_mesh_map(mesh, map);
}

/* --- comparing -------------------------------------------------------------------- */

static void compare_face_set(const mplan_mesh *mesh, const char *cells_name, const char *nodes_name,
                             const plain_face *face, int32_t n)
{
    mplan_map cells = map_of(mesh, cells_name), nodes = map_of(mesh, nodes_name);
    assert_int_equal(cells.n_rows, n);
    assert_int_equal(nodes.n_rows, n);
    bool equal = true;
    for (int32_t f = 0; f < n; f++) {
        int32_t n_cells, n_nodes;
        const int32_t *cell = mplan_map_row(&cells, f, &n_cells);
        const int32_t *node = mplan_map_row(&nodes, f, &n_nodes);
        assert_int_equal(cell[0], face[f].first);
        assert_int_equal(n_cells, face[f].second >= 0 ? 2 : 1);
        if (n_cells == 2)
            assert_int_equal(cell[1], face[f].second);
        assert_int_equal(n_nodes, face[f].n);
        assert_memory_equal(node, face[f].node, (size_t)n_nodes * sizeof *node);
        equal = equal && face[f].n == face[0].n;
    }
    if (n > 0)
        assert_int_equal(nodes.arity, equal ? face[0].n : 0);
}

static void compare_cell_maps(const mplan_mesh *mesh, const plain_mesh *m, const plain_answer *answer)
{
    mplan_map faces = map_of(mesh, "cells_faces"), cells = map_of(mesh, "cells_cells");
    bool equal = true;
    for (int32_t c = 0; c < m->n_cells; c++) {
        int32_t n, n_cells, expected[6], expected_cells[6];
        const int32_t *face = mplan_map_row(&faces, c, &n);
        const int32_t *cell = mplan_map_row(&cells, c, &n_cells);
        assert_int_equal(n, mplan_cell_shape_of((mplan_cell_type)m->type[c])->n_faces);
        assert_int_equal(n_cells, n);
        memset(expected, -1, sizeof expected);
        memset(expected_cells, -1, sizeof expected_cells);
        for (int32_t f = 0; f < answer->n_faces; f++) {
            const plain_face *p = &answer->face[f];
            if (p->first == c) {
                expected[p->local[0]] = f;
                expected_cells[p->local[0]] = p->second;
            } else if (p->second == c) {
                expected[p->local[1]] = f;
                expected_cells[p->local[1]] = p->first;
            }
        }
        assert_memory_equal(face, expected, (size_t)n * sizeof *face);
        assert_memory_equal(cell, expected_cells, (size_t)n * sizeof *cell);
        equal = equal && n == mplan_cell_shape_of((mplan_cell_type)m->type[0])->n_faces;
    }
    if (m->n_cells > 0)
        assert_int_equal(faces.arity == 0, !equal);
}

static bool has_edge(const plain_mesh *m, int32_t c, int32_t a, int32_t b)
{
    const mplan_cell_shape *shape = mplan_cell_shape_of((mplan_cell_type)m->type[c]);
    for (int32_t e = 0; e < shape->n_edges; e++) {
        int32_t u = m->node[c][shape->edge[e][0]], v = m->node[c][shape->edge[e][1]];
        if ((u == a && v == b) || (u == b && v == a))
            return true;
    }
    return false;
}

static void compare_edges(const mplan_mesh *mesh, const plain_mesh *m)
{
    mplan_map nodes = map_of(mesh, "edges_nodes"), cells = map_of(mesh, "edges_cells");
    int32_t edge = 0;
    assert_int_equal(nodes.arity, 2);
    assert_int_equal(cells.arity, 0);
    for (int32_t a = 0; a < m->n_nodes; a++)
        for (int32_t b = a + 1; b < m->n_nodes; b++) {
            int32_t expected[MAX_CELLS], n = 0, n_cells;
            for (int32_t c = 0; c < m->n_cells; c++)
                if (has_edge(m, c, a, b))
                    expected[n++] = c;
            if (n == 0)
                continue;
            assert_true(edge < nodes.n_rows);
            assert_int_equal(nodes.values[2 * edge], a);
            assert_int_equal(nodes.values[2 * edge + 1], b);
            const int32_t *cell = mplan_map_row(&cells, edge++, &n_cells);
            assert_int_equal(n_cells, n);
            assert_memory_equal(cell, expected, (size_t)n * sizeof *cell);
        }
    assert_int_equal(nodes.n_rows, edge);
}

/* `back` lists for each point the rows of `map` that hold it, once, ascending. */
static void compare_transposed(const mplan_mesh *mesh, const char *name, const char *back_name)
{
    mplan_map map = map_of(mesh, name), back = map_of(mesh, back_name);
    assert_int_equal(back.n_rows, map.n_points);
    for (int64_t p = 0; p < map.n_points; p++) {
        int32_t n, at = 0;
        const int32_t *row = mplan_map_row(&back, p, &n);
        for (int64_t e = 0; e < map.n_rows; e++) {
            int32_t length;
            const int32_t *points = mplan_map_row(&map, e, &length);
            bool holds = false;
            for (int32_t k = 0; k < length; k++)
                holds = holds || points[k] == p;
            if (!holds)
                continue;
            assert_true(at < n);
            assert_int_equal(row[at++], e);
        }
        assert_int_equal(at, n);
    }
}

static void compare_all(mplan_mesh *mesh, const plain_mesh *m, const plain_answer *answer,
                        uint64_t *seed)
{
    static const char *const names[] = {
        "faces",       "cells_cells",         "boundary_faces_nodes",
        "cells_faces", "edges_cells",         "nodes_cells",
        "nodes_faces", "cells_edges",         "cells_boundary_faces",
        "nodes_edges", "faces_nodes",         "boundary_faces",
        "edges",       "nodes_boundary_faces"};
    enum { N_NAMES = sizeof names / sizeof *names };
    mplan_error err;
    int start = below(seed, N_NAMES);
    for (int i = 0; i < N_NAMES; i++)
        assert_done(mplan_mesh_derive(mesh, names[(start + i) % N_NAMES], NULL, &err), &err);
    int32_t n_sets = mplan_mesh_n_sets(mesh), n_maps = mplan_mesh_n_maps(mesh);
    for (int i = 0; i < N_NAMES; i++)
        assert_done(mplan_mesh_derive(mesh, names[i], NULL, &err), &err);
    assert_int_equal(mplan_mesh_n_sets(mesh), n_sets);
    assert_int_equal(mplan_mesh_n_maps(mesh), n_maps);
    compare_face_set(mesh, "faces_cells", "faces_nodes", answer->face, answer->n_faces);
    compare_face_set(mesh, "boundary_faces_cells", "boundary_faces_nodes", answer->boundary,
                     answer->n_boundary);
    compare_cell_maps(mesh, m, answer);
    compare_edges(mesh, m);
    compare_transposed(mesh, "cells_nodes", "nodes_cells");
    compare_transposed(mesh, "faces_nodes", "nodes_faces");
    compare_transposed(mesh, "edges_cells", "cells_edges");
    compare_transposed(mesh, "edges_nodes", "nodes_edges");
    compare_transposed(mesh, "boundary_faces_cells", "cells_boundary_faces");
    compare_transposed(mesh, "boundary_faces_nodes", "nodes_boundary_faces");
    assert_done(mplan_mesh_validate(mesh, NULL, &err), &err);
}

static void random_meshes_equal_the_naive_derivation(void **state)
{
    (void)state;
    static plain_mesh m;
    static plain_answer answer;
    uint64_t seed = 20;
    int n_refused = 0, n_runs = 6000;
    for (int run = 0; run < n_runs; run++) {
        make_any(&m, &seed);
        derive_plainly(&m, &answer);
        mplan_mesh *mesh = build(&m);
        if (answer.refused) {
            mplan_error err;
            int32_t n_sets = mplan_mesh_n_sets(mesh), n_maps = mplan_mesh_n_maps(mesh);
            assert_int_equal(mplan_mesh_derive(mesh, "faces", NULL, &err), MPLAN_ERR_MESH);
            assert_int_equal(mplan_mesh_n_sets(mesh), n_sets);
            assert_int_equal(mplan_mesh_n_maps(mesh), n_maps);
            n_refused++;
        } else {
            compare_all(mesh, &m, &answer, &seed);
        }
        mplan_mesh_free(mesh);
    }
    assert_in_range(n_refused, n_runs / 20, n_runs / 2); /* both ways are well trodden */
}

/* --- groups of facets ---------------------------------------------------------------- */

typedef struct plain_facets {
    int64_t id;
    int32_t n;
    uint8_t type[12];
    int32_t node[12][4];
} plain_facets;

/* Facets that are faces (in any order of their nodes), and some that are not. */
static void make_facets(const plain_mesh *m, plain_facets *g, uint64_t *seed)
{
    static const mplan_cell_type types[5] = {0, MPLAN_CELL_POINT, MPLAN_CELL_LINE2, MPLAN_CELL_TRI3,
                                             MPLAN_CELL_QUAD4};
    int32_t wanted = below(seed, 12);
    g->id = 1 + below(seed, 1000);
    g->n = 0;
    while (g->n < wanted) {
        int32_t c = below(seed, m->n_cells), key[4];
        const mplan_cell_shape *shape = mplan_cell_shape_of((mplan_cell_type)m->type[c]);
        int32_t f = below(seed, shape->n_faces), size = shape->face_size[f];
        int32_t *node = g->node[g->n];
        int32_t n = local_corners(m, c, f, node, key);
        for (int32_t i = n; i < size; i++)
            node[i] = node[i - 1];
        if (below(seed, 8) == 0)
            node[below(seed, size)] = below(seed, m->n_nodes);
        int32_t a = below(seed, size), b = below(seed, size), swap = node[a];
        node[a] = node[b];
        node[b] = swap;
        g->type[g->n++] = (uint8_t)types[m->dimension == 1 ? 1 : size];
    }
}

/* Index of the face with these corners; -1 without one. */
static int32_t find_face(const plain_face *face, int32_t n_faces, const int32_t *node, int32_t n)
{
    int32_t key[4], distinct = 0;
    for (int32_t i = 0; i < n; i++) {
        bool seen = false;
        for (int32_t j = 0; j < distinct; j++)
            seen = seen || key[j] == node[i];
        if (!seen)
            key[distinct++] = node[i];
    }
    sort_ints(key, distinct);
    for (int32_t i = distinct; i < 4; i++)
        key[i] = -1;
    for (int32_t f = 0; f < n_faces; f++)
        if (memcmp(face[f].key, key, sizeof key) == 0)
            return f;
    return -1;
}

/* Members of one group among faces, ascending; *strays counts what is nowhere. */
static int32_t plain_members(const plain_facets *g, const plain_face *face, int32_t n_faces,
                             int32_t *member)
{
    bool in[MAX_HALF] = {false};
    int32_t n = 0;
    for (int32_t i = 0; i < g->n; i++) {
        int32_t f = find_face(face, n_faces, g->node[i],
                              mplan_cell_type_nodes((mplan_cell_type)g->type[i]));
        if (f >= 0)
            in[f] = true;
    }
    for (int32_t f = 0; f < n_faces; f++)
        if (in[f])
            member[n++] = f;
    return n;
}

static void compare_groups(const mplan_mesh *mesh, const plain_facets *g, int32_t n_groups,
                           const plain_answer *answer)
{
    int64_t id[MAX_HALF] = {0};
    int32_t at = 0;
    for (int32_t i = 0; i < n_groups; i++) {
        int32_t member[2][MAX_HALF], n[2];
        n[0] = plain_members(&g[i], answer->boundary, answer->n_boundary, member[0]);
        n[1] = plain_members(&g[i], answer->face, answer->n_faces, member[1]);
        for (int side = 0; side < 2; side++) {
            if (n[side] == 0 && (side == 1 || n[1] > 0))
                continue;
            mplan_group group = mplan_mesh_group(mesh, at++);
            assert_string_equal(group.name, i == 0 ? "wall" : i == 1 ? "inlet" : "");
            assert_int_equal(group.id, g[i].id);
            assert_string_equal(mplan_mesh_set(mesh, group.set).name,
                                side ? "faces" : "boundary_faces");
            assert_int_equal(group.n_members, n[side]);
            assert_memory_equal(group.members, member[side], (size_t)n[side] * sizeof(int32_t));
        }
        for (int32_t k = 0; k < n[0]; k++)
            id[member[0][k]] = id[member[0][k]] ? id[member[0][k]] : g[i].id;
    }
    assert_int_equal(mplan_mesh_n_groups(mesh), at);
    assert_memory_equal(mplan_mesh_boundary_ids(mesh), id, (size_t)answer->n_boundary * sizeof *id);
}

/* Edges of random surfaces where three cells meet are another warning. */
static void count_of_groups(void *user, const char *text)
{
    if (!strstr(text, "three and more cells meet"))
        count_warning(user, text);
}

static void facets_become_subsets(void **state)
{
    (void)state;
    static plain_mesh m;
    static plain_answer answer;
    uint64_t seed = 7;
    int compared = 0, warned = 0;
    for (int run = 0; run < 3000; run++) {
        make_any(&m, &seed);
        derive_plainly(&m, &answer);
        if (answer.refused || m.n_cells == 0)
            continue;
        mplan_mesh *mesh = build(&m);
        mplan_error err;
        plain_facets g[3];
        int warnings = 0;
        bool strays = false;
        for (int i = 0; i < 3; i++) {
            make_facets(&m, &g[i], &seed);
            int32_t node[48], n = 0;
            for (int32_t f = 0; f < g[i].n; f++) {
                int32_t size = mplan_cell_type_nodes((mplan_cell_type)g[i].type[f]);
                memcpy(node + n, g[i].node[f], (size_t)size * sizeof *node);
                n += size;
                strays = strays ||
                         (find_face(answer.face, answer.n_faces, g[i].node[f], size) < 0 &&
                          find_face(answer.boundary, answer.n_boundary, g[i].node[f], size) < 0);
            }
            assert_done(mplan_mesh_add_facets(mesh,
                                              i == 0   ? "wall"
                                              : i == 1 ? "inlet"
                                                       : "",
                                              g[i].id, g[i].n, g[i].type, node, &err),
                        &err);
        }
        mplan_context context = MPLAN_CONTEXT_INIT;
        context.warning = count_of_groups;
        context.user = &warnings;
        assert_null(mplan_mesh_boundary_ids(mesh));
        assert_done(mplan_mesh_derive(mesh, run % 2 ? "faces" : "boundary_faces_cells", &context,
                                      &err),
                    &err);
        compare_groups(mesh, g, 3, &answer);
        assert_int_equal(warnings, strays);
        warned += strays;
        compared++;
        mplan_mesh_free(mesh);
    }
    assert_in_range(warned, compared / 10, compared - compared / 10);
}

/* --- geometry -------------------------------------------------------------------------- */

/* Every local face of the reference cells looks outwards. */
static void local_faces_look_outwards(void **state)
{
    (void)state;
    static const double corner[][8][3] = {
        [MPLAN_CELL_TET4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        [MPLAN_CELL_PYRAMID5] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {.5, .5, 1}},
        [MPLAN_CELL_PRISM6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}},
        [MPLAN_CELL_HEX8] = {
            {0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
    static const mplan_cell_type types[] = {MPLAN_CELL_TET4, MPLAN_CELL_PYRAMID5, MPLAN_CELL_PRISM6,
                                            MPLAN_CELL_HEX8};
    for (size_t t = 0; t < 4; t++) {
        const mplan_cell_shape *shape = mplan_cell_shape_of(types[t]);
        double centre[3] = {0, 0, 0};
        int edges_of_faces = 0;
        for (int32_t k = 0; k < shape->n_corners; k++)
            for (int d = 0; d < 3; d++)
                centre[d] += corner[types[t]][k][d] / shape->n_corners;
        for (int32_t f = 0; f < shape->n_faces; f++) {
            const double *a = corner[types[t]][shape->face[f][0]];
            const double *b = corner[types[t]][shape->face[f][1]];
            const double *c = corner[types[t]][shape->face[f][2]];
            double u[3], v[3], w[3];
            for (int d = 0; d < 3; d++) {
                u[d] = b[d] - a[d];
                v[d] = c[d] - a[d];
                w[d] = a[d] - centre[d];
            }
            assert_true(w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) +
                            w[2] * (u[0] * v[1] - u[1] * v[0]) >
                        0);
            edges_of_faces += shape->face_size[f];
        }
        assert_int_equal(edges_of_faces, 2 * shape->n_edges);
    }
}

/* In a convex mesh the normal of a face leads from its first cell to its second. */
static void normals_leave_the_first_cell(void **state)
{
    (void)state;
    static plain_mesh m;
    uint64_t seed = 3;
    for (int run = 0; run < 500; run++) {
        memset(&m, 0, sizeof m);
        if (run % 2)
            make_plane(&m, &seed);
        else
            make_volume(&m, &seed);
        for (int32_t c = 0; c < m.n_cells; c++)
            if (below(&seed, 3) == 0)
                mirror(&m, c);
        m.space = run % 2 ? 2 + below(&seed, 2) : 3;
        mplan_mesh *mesh = build(&m);
        mplan_error err;
        assert_done(mplan_mesh_derive(mesh, "faces", NULL, &err), &err);
        mplan_map cells = map_of(mesh, "faces_cells"), nodes = map_of(mesh, "faces_nodes");
        for (int64_t f = 0; f < cells.n_rows; f++) {
            int32_t n;
            const int32_t *node = mplan_map_row(&nodes, f, &n);
            double way[3] = {0, 0, 0}, normal[3];
            for (int side = 0; side < 2; side++) {
                int32_t c = cells.values[2 * f + side];
                int32_t corners = mplan_cell_type_corners((mplan_cell_type)m.type[c]);
                for (int32_t k = 0; k < corners; k++)
                    for (int d = 0; d < 3; d++)
                        way[d] += (side ? 1. : -1.) * m.xyz[m.node[c][k]][d] / corners;
            }
            const int32_t *a = m.xyz[node[0]], *b = m.xyz[node[1]];
            normal[0] = b[1] - a[1];
            normal[1] = a[0] - b[0];
            normal[2] = 0;
            if (m.dimension == 3) {
                const int32_t *c = m.xyz[node[2]];
                int32_t u[3], v[3];
                for (int d = 0; d < 3; d++) {
                    u[d] = b[d] - a[d];
                    v[d] = c[d] - a[d];
                }
                normal[0] = u[1] * v[2] - u[2] * v[1];
                normal[1] = u[2] * v[0] - u[0] * v[2];
                normal[2] = u[0] * v[1] - u[1] * v[0];
            }
            assert_true(way[0] * normal[0] + way[1] * normal[1] + way[2] * normal[2] > 0);
        }
        mplan_mesh_free(mesh);
    }
}

/* --- single cases ------------------------------------------------------------------------ */

static mplan_mesh *mesh_of(mplan_cell_type type, int32_t n_nodes, int32_t n_cells, const int32_t *node)
{
    mplan_mesh *mesh;
    mplan_error err;
    uint8_t types[16];
    memset(types, (int)type, sizeof types);
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, n_nodes, n_cells, types, node, &err), &err);
    return mesh;
}

static void hear_crowded(void *user, const char *text)
{
    assert_non_null(strstr(text, "1 edges where three and more cells meet are neither faces nor boundary faces; the "
                                 "first is of nodes 0 1, cells 0, 1, 2"));
    ++*(int *)user;
}

static void three_cells_at_a_face(void **state)
{
    (void)state;
    static const int32_t tets[] = {0, 1, 2, 3, 0, 1, 2, 4, 2, 1, 0, 5};
    static const int32_t tris[] = {0, 1, 2, 1, 0, 3, 0, 1, 4};
    static const double surface[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1};
    mplan_error err;
    mplan_mesh *mesh = mesh_of(MPLAN_CELL_TET4, 6, 3, tets);
    assert_refused(mplan_mesh_derive(mesh, "faces", NULL, &err), MPLAN_ERR_MESH, &err,
                   "3 cells meet at one face (nodes 0, 1, 2): cells 0, 1, 2");
    mplan_mesh_free(mesh);
    mesh = mesh_of(MPLAN_CELL_TRI3, 5, 3, tris);
    assert_refused(mplan_mesh_derive(mesh, "cells_cells", NULL, &err), MPLAN_ERR_MESH, &err,
                   "(nodes 0, 1)");
    assert_done(mplan_mesh_set_coordinates(mesh, 0, 3, surface, &err), &err);
    int heard = 0;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.warning = hear_crowded;
    context.user = &heard;
    assert_done(mplan_mesh_derive(mesh, "faces", &context, &err), &err);
    assert_int_equal(heard, 1);
    assert_done(mplan_mesh_derive(mesh, "edges_cells", &context, &err), &err);
    assert_int_equal(heard, 1);
    assert_int_equal(mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "faces")).size, 0);
    assert_int_equal(mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "boundary_faces")).size, 6);
    mplan_map cells = map_of(mesh, "edges_cells");
    assert_int_equal(cells.offsets[1], 3);
    mplan_mesh_free(mesh);
}

static void a_collapsed_cell_is_refused(void **state)
{
    (void)state;
    static const int32_t tets[] = {0, 1, 2, 3, 4, 1, 4, 2};
    mplan_error err;
    mplan_mesh *mesh = mesh_of(MPLAN_CELL_TET4, 5, 2, tets);
    assert_refused(mplan_mesh_derive(mesh, "faces", NULL, &err), MPLAN_ERR_MESH, &err,
                   "cell 1 (tet4) is collapsed: it has only 3 distinct corners");
    mplan_mesh_free(mesh);
}

static void tables_alone_derive_by_transposing(void **state)
{
    (void)state;
    static const int32_t values[] = {0, 2, 2, -1, 2, 2};
    mplan_mesh *mesh;
    mplan_error err;
    int32_t edges, cells;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "edges", 3, &edges, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", 3, &cells, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "pecell", edges, cells, 2, NULL, values, NULL, &err), &err);
    assert_string_equal(mplan_mesh_faces_name(mesh), "");
    assert_done(mplan_mesh_derive(mesh, "cells_edges", NULL, &err), &err);
    mplan_map map = map_of(mesh, "cells_edges");
    static const int64_t offsets[] = {0, 1, 1, 4};
    static const int32_t expected[] = {0, 0, 1, 2};
    assert_memory_equal(map.offsets, offsets, sizeof offsets);
    assert_memory_equal(map.values, expected, sizeof expected);
    assert_refused(mplan_mesh_derive(mesh, "faces_cells", NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "no cells with known types");
    assert_refused(mplan_mesh_derive(mesh, "pets_toys", NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "'pets_toys'");
    assert_done(mplan_mesh_add_map(mesh, "pecell2", edges, cells, 2, NULL, values, NULL, &err), &err);
    assert_int_equal(mplan_mesh_n_maps(mesh), 3);
    mplan_mesh_free(mesh);
}

static void several_maps_to_transpose(void **state)
{
    (void)state;
    static const int32_t values[] = {0, 1}, other[] = {1, 0};
    mplan_mesh *mesh;
    mplan_error err;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "a", 2, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "b", 2, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "one", 0, 1, 1, NULL, values, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "two", 0, 1, 1, NULL, values, NULL, &err), &err);
    assert_refused(mplan_mesh_derive(mesh, "b_a", NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "more than one map");
    assert_done(mplan_mesh_add_map(mesh, "a_b", 0, 1, 1, NULL, other, NULL, &err), &err);
    assert_done(mplan_mesh_derive(mesh, "b_a", NULL, &err), &err);
    assert_memory_equal(map_of(mesh, "b_a").values, other, sizeof other);
    mplan_mesh_free(mesh);
}

static void own_faces_are_kept(void **state)
{
    (void)state;
    static const int32_t tris[] = {0, 1, 2, 1, 3, 2}, own[] = {1, 0};
    mplan_error err;
    mplan_mesh *mesh = mesh_of(MPLAN_CELL_TRI3, 4, 2, tris);
    int32_t faces, edges;
    assert_done(mplan_mesh_add_set(mesh, "faces", 1, &faces, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "edges", 1, &edges, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "faces_cells", faces, mplan_mesh_find_set(mesh, "cells"),
                                   2, NULL, own, NULL, &err),
                &err);
    assert_done(mplan_mesh_derive(mesh, "faces_cells", NULL, &err), &err);
    assert_memory_equal(map_of(mesh, "faces_cells").values, own, sizeof own);
    assert_refused(mplan_mesh_derive(mesh, "faces_nodes", NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "has its own faces");
    assert_refused(mplan_mesh_derive(mesh, "edges_nodes", NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "has its own edges");
    assert_done(mplan_mesh_derive(mesh, "cells_faces", NULL, &err), &err);
    assert_int_equal(map_of(mesh, "cells_faces").offsets[2], 2);
    assert_done(mplan_mesh_derive(mesh, "cells_cells", NULL, &err), &err);
    static const int32_t behind[] = {-1, 1, -1, -1, -1, 0};
    assert_memory_equal(map_of(mesh, "cells_cells").values, behind, sizeof behind);
    assert_done(mplan_mesh_derive(mesh, "boundary_faces", NULL, &err), &err);
    assert_int_equal(mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "boundary_faces")).size, 4);
    assert_int_equal(mplan_mesh_set(mesh, faces).size, 1);
    mplan_mesh_free(mesh);
}

/* A map that has the name of a derived one and joins other sets: nothing takes it for the derived one. */
static void taken_names_are_refused(void **state)
{
    (void)state;
    static const int32_t tris[] = {0, 1, 2, 1, 3, 2}, first[] = {0};
    static const struct {
        const char *name, *wanted[3];
    } rows[] = {
        {"faces_cells", {"faces", "cells_faces", "cells_cells"}},
        {"faces_nodes", {"faces", "cells_faces", "cells_cells"}},
        {"boundary_faces_cells", {"boundary_faces", "faces", "cells_cells"}},
        {"boundary_faces_nodes", {"boundary_faces", "faces", "cells_cells"}},
        {"edges_nodes", {"edges", "edges_cells", "edges"}},
        {"edges_cells", {"edges", "edges_nodes", "edges"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mplan_error err;
        mplan_mesh *mesh = mesh_of(MPLAN_CELL_TRI3, 4, 2, tris);
        int32_t other, cells = mplan_mesh_find_set(mesh, "cells");
        assert_done(mplan_mesh_add_set(mesh, "other", 1, &other, &err), &err);
        assert_done(mplan_mesh_add_map(mesh, rows[i].name, other, cells, 1, NULL, first, NULL, &err),
                    &err);
        for (int k = 0; k < 3; k++) {
            assert_refused(mplan_mesh_derive(mesh, rows[i].wanted[k], NULL, &err),
                           MPLAN_ERR_ARGUMENT, &err, rows[i].name);
            assert_int_equal(mplan_mesh_n_sets(mesh), 3);
            assert_int_equal(mplan_mesh_n_maps(mesh), 2);
        }
        mplan_mesh_free(mesh);
    }
}

/* A fan of 10^4 triangles about one node, and of tets about an edge. */
static void hubs(void **state)
{
    (void)state;
    enum { N = 10000 };
    static uint8_t type[N];
    static int32_t tri[N * 3], tet[N * 4];
    mplan_mesh *mesh;
    mplan_error err;
    memset(type, MPLAN_CELL_TRI3, sizeof type);
    for (int32_t c = 0; c < N; c++) {
        int32_t a = 1 + c, b = 1 + (c + 1) % N;
        memcpy(tri + 3 * c, (int32_t[]){0, a, b}, 3 * sizeof *tri);
        memcpy(tet + 4 * c, (int32_t[]){0, 1, a + 1, b + 1}, 4 * sizeof *tet);
    }
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, N + 1, N, type, tri, &err), &err);
    assert_done(mplan_mesh_derive(mesh, "cells_faces", NULL, &err), &err);
    assert_done(mplan_mesh_derive(mesh, "edges_cells", NULL, &err), &err);
    mplan_map faces = map_of(mesh, "faces_cells");
    assert_int_equal(faces.n_rows, N);
    for (int32_t f = 0; f < N; f++) {
        int32_t first = f == 0 ? 0 : f == 1 ? 0 : f - 1, second = f == 0 ? 1 : f == 1 ? N - 1 : f;
        assert_int_equal(faces.values[2 * f], first);
        assert_int_equal(faces.values[2 * f + 1], second);
    }
    mplan_mesh_free(mesh);
    memset(type, MPLAN_CELL_TET4, sizeof type);
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, N + 2, N, type, tet, &err), &err);
    assert_done(mplan_mesh_derive(mesh, "cells_cells", NULL, &err), &err);
    assert_done(mplan_mesh_derive(mesh, "nodes_cells", NULL, &err), &err);
    assert_int_equal(map_of(mesh, "faces_cells").n_rows, N);
    assert_int_equal(map_of(mesh, "nodes_cells").offsets[1], N);
    mplan_mesh_free(mesh);
}

static void interruption_leaves_the_mesh_as_it_was(void **state)
{
    (void)state;
    enum { N = (1 << 20) + 8 };
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.cancelled = always;
    int32_t *line = malloc((size_t)N * 2 * sizeof *line);
    uint8_t *type = malloc(N);
    mplan_mesh *mesh;
    mplan_error err;
    for (int32_t c = 0; c < N; c++) {
        line[2 * c] = c;
        line[2 * c + 1] = c + 1;
        type[c] = MPLAN_CELL_LINE2;
    }
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, N + 1, N, type, line, &err), &err);
    assert_int_equal(mplan_mesh_derive(mesh, "faces", &context, &err), MPLAN_ERR_INTERRUPTED);
    assert_int_equal(mplan_mesh_derive(mesh, "edges", &context, &err), MPLAN_ERR_INTERRUPTED);
    assert_int_equal(mplan_mesh_n_sets(mesh), 2);
    assert_int_equal(mplan_mesh_n_maps(mesh), 1);
    mplan_mesh_free(mesh);
    free(line);
    free(type);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_meshes_equal_the_naive_derivation),
        cmocka_unit_test(facets_become_subsets),
        cmocka_unit_test(local_faces_look_outwards),
        cmocka_unit_test(normals_leave_the_first_cell),
        cmocka_unit_test(three_cells_at_a_face),
        cmocka_unit_test(a_collapsed_cell_is_refused),
        cmocka_unit_test(tables_alone_derive_by_transposing),
        cmocka_unit_test(several_maps_to_transpose),
        cmocka_unit_test(own_faces_are_kept),
        cmocka_unit_test(taken_names_are_refused),
        cmocka_unit_test(hubs),
        cmocka_unit_test(interruption_leaves_the_mesh_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
