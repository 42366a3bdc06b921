/* SPDX-License-Identifier: Apache-2.0 */
/* support_derive.c - derived connectivity of small meshes in the plainest way, and such meshes */
#include "support_derive.h"

#include "mesh/mesh.h"
#include "support_mesh.h"

/* --- the naive derivation --------------------------------------------------- */

void plain_sort(int32_t *value, int32_t n)
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
    plain_sort(value, n);
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
int32_t plain_local_corners(const plain_mesh *m, int32_t c, int32_t f, int32_t *node, int32_t *key)
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
    plain_sort(key, n);
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

void plain_derive(const plain_mesh *m, plain_answer *answer)
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
            h->n = plain_local_corners(m, c, f, h->node, h->key);
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

int32_t plain_below(uint64_t *seed, int64_t n)
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
    m->dimension = 1 + plain_below(seed, 3);
    m->n_nodes = 3 + plain_below(seed, 12);
    int32_t n = plain_below(seed, 7);
    while (m->n_cells < n) {
        mplan_cell_type type = (mplan_cell_type)plain_below(seed, MPLAN_N_CELL_TYPES);
        int32_t node[27];
        if (mplan_cell_type_dimension(type) != m->dimension)
            continue;
        for (int32_t k = 0; k < 27; k++)
            for (int32_t try = 0; try < 6; try++) {
                node[k] = plain_below(seed, m->n_nodes);
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

void plain_make_plane(plain_mesh *m, uint64_t *seed)
{
    int32_t nx = 1 + plain_below(seed, 5), ny = 1 + plain_below(seed, 5);
    m->dimension = 2;
    m->n_nodes = (nx + 1) * (ny + 1);
    for (int32_t v = 0; v < m->n_nodes; v++) {
        m->xyz[v][0] = v % (nx + 1);
        m->xyz[v][1] = v / (nx + 1);
    }
    int kind = plain_below(seed, 3);
    for (int32_t q = 0; q < nx * ny; q++) {
        int32_t a = q / nx * (nx + 1) + q % nx, b = a + 1, d = a + nx + 1, c = d + 1;
        int32_t quad[4] = {a, b, c, d}, low[3] = {a, b, c}, high[3] = {a, c, d};
        if (kind == 0 || (kind == 1 && plain_below(seed, 2) == 0)) {
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

void plain_make_volume(plain_mesh *m, uint64_t *seed)
{
    int32_t n[3];
    for (int d = 0; d < 3; d++)
        n[d] = 1 + plain_below(seed, 2);
    m->dimension = 3;
    m->n_nodes = (n[0] + 1) * (n[1] + 1) * (n[2] + 1);
    int kind = plain_below(seed, 5); /* 4: any in each cube, and faces that do not fit */
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
        add_cube(m, v, kind < 4 ? kind : plain_below(seed, 4));
    }
}

/* Turns a cell inside out. */
void plain_mirror(plain_mesh *m, int32_t c)
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
        int32_t other = plain_below(seed, c + 1), node[27];
        uint8_t type = m->type[c];
        m->type[c] = m->type[other];
        m->type[other] = type;
        memcpy(node, m->node[c], sizeof node);
        memcpy(m->node[c], m->node[other], sizeof node);
        memcpy(m->node[other], node, sizeof node);
    }
    if (plain_below(seed, 3) == 0)
        m->n_cells -= plain_below(seed, m->n_cells + 1) / 2;
    int32_t turn = plain_below(seed, 2) * 40,
            merges = plain_below(seed, 3) == 0 ? 1 + plain_below(seed, 2) : 0;
    for (int32_t c = 0; c < m->n_cells; c++)
        if (plain_below(seed, 100) < turn)
            plain_mirror(m, c);
    m->n_nodes += plain_below(seed, 4);
    if (m->n_nodes > MAX_NODES)
        m->n_nodes = MAX_NODES;
    int32_t new_of_old[MAX_NODES];
    for (int32_t v = 0; v < m->n_nodes; v++)
        new_of_old[v] = v;
    for (int32_t v = m->n_nodes - 1; v > 0; v--) {
        int32_t other = plain_below(seed, v + 1), swap = new_of_old[v];
        new_of_old[v] = new_of_old[other];
        new_of_old[other] = swap;
    }
    int32_t xyz[MAX_NODES][3];
    memcpy(xyz, m->xyz, sizeof xyz);
    for (int32_t v = 0; v < m->n_nodes; v++)
        memcpy(m->xyz[new_of_old[v]], xyz[v], sizeof xyz[v]);
    for (; merges > 0; merges--)
        new_of_old[plain_below(seed, m->n_nodes)] = new_of_old[plain_below(seed, m->n_nodes)];
    for (int32_t c = 0; c < m->n_cells; c++)
        for (int32_t k = 0; k < mplan_cell_type_nodes((mplan_cell_type)m->type[c]); k++)
            m->node[c][k] = new_of_old[m->node[c][k]];
    if (m->n_cells == 0)
        m->dimension = 0;
}

void plain_make_any(plain_mesh *m, uint64_t *seed)
{
    memset(m, 0, sizeof *m);
    int kind = plain_below(seed, 3);
    if (kind == 0)
        make_soup(m, seed);
    else if (kind == 1)
        plain_make_plane(m, seed);
    else
        plain_make_volume(m, seed);
    if (kind > 0)
        disturb(m, seed);
    m->space = m->dimension < 3 ? (plain_below(seed, 3) * 3 + 1) / 2 : 3 * plain_below(seed, 2);
    if (m->dimension == 3 && kind > 0)
        m->space = 3;
    int shape = plain_below(seed, 3);
    for (int32_t v = 0; v < m->n_nodes; v++) {
        if (kind == 0)
            for (int d = 0; d < 3; d++)
                m->xyz[v][d] = plain_below(seed, 20);
        if (m->dimension < 3 && shape > 0)
            m->xyz[v][2] = shape == 1 ? 5 : plain_below(seed, 3);
    }
}

mplan_mesh *plain_build(const plain_mesh *m)
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

mplan_map support_map_of(const mplan_mesh *mesh, const char *name)
{
    int32_t map = mplan_mesh_find_map(mesh, name);
    if (map < 0)
        fail_msg("no map %s", name);
    return mplan_mesh_map(mesh, map);
}
