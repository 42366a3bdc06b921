/* SPDX-License-Identifier: Apache-2.0 */
/* test_derive.c - derived connectivity of random meshes against a naive third derivation (support_derive.h) */
#include "support_test.h"

#include "mesh/mesh.h"
#include "support_derive.h"
#include "support_mesh.h"

/* --- comparing -------------------------------------------------------------------- */

static void compare_face_set(const mplan_mesh *mesh, const char *cells_name, const char *nodes_name,
                             const plain_face *face, int32_t n)
{
    mplan_map cells = support_map_of(mesh, cells_name), nodes = support_map_of(mesh, nodes_name);
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
    mplan_map faces = support_map_of(mesh, "cells_faces"),
              cells = support_map_of(mesh, "cells_cells");
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
    mplan_map nodes = support_map_of(mesh, "edges_nodes"),
              cells = support_map_of(mesh, "edges_cells");
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
    mplan_map map = support_map_of(mesh, name), back = support_map_of(mesh, back_name);
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
    int start = plain_below(seed, N_NAMES);
    if (plain_below(seed, 2)) { /* as planning does it: nodes of faces follow when they are asked for */
        assert_done(mplan_mesh_derive_sparing(mesh, start % 2 ? "faces" : "boundary_faces", NULL,
                                              &err),
                    &err);
        const bool kept = mplan_mesh_find_map(mesh, "faces_nodes") >= 0;
        assert_int_equal(kept, mesh->sets[mplan_mesh_find_set(mesh, "faces")].sides == NULL);
        if (kept)
            assert_int_equal(support_map_of(mesh, "faces_nodes").arity, 0);
    }
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
        plain_make_any(&m, &seed);
        plain_derive(&m, &answer);
        mplan_mesh *mesh = plain_build(&m);
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
    int32_t wanted = plain_below(seed, 12);
    g->id = 1 + plain_below(seed, 1000);
    g->n = 0;
    while (g->n < wanted) {
        int32_t c = plain_below(seed, m->n_cells), key[4];
        const mplan_cell_shape *shape = mplan_cell_shape_of((mplan_cell_type)m->type[c]);
        int32_t f = plain_below(seed, shape->n_faces), size = shape->face_size[f];
        int32_t *node = g->node[g->n];
        int32_t n = plain_local_corners(m, c, f, node, key);
        for (int32_t i = n; i < size; i++)
            node[i] = node[i - 1];
        if (plain_below(seed, 8) == 0)
            node[plain_below(seed, size)] = plain_below(seed, m->n_nodes);
        int32_t a = plain_below(seed, size), b = plain_below(seed, size), swap = node[a];
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
    plain_sort(key, distinct);
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
        plain_make_any(&m, &seed);
        plain_derive(&m, &answer);
        if (answer.refused || m.n_cells == 0)
            continue;
        mplan_mesh *mesh = plain_build(&m);
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
            plain_make_plane(&m, &seed);
        else
            plain_make_volume(&m, &seed);
        for (int32_t c = 0; c < m.n_cells; c++)
            if (plain_below(&seed, 3) == 0)
                plain_mirror(&m, c);
        m.space = run % 2 ? 2 + plain_below(&seed, 2) : 3;
        mplan_mesh *mesh = plain_build(&m);
        mplan_error err;
        assert_done(mplan_mesh_derive(mesh, "faces", NULL, &err), &err);
        mplan_map cells = support_map_of(mesh, "faces_cells"),
                  nodes = support_map_of(mesh, "faces_nodes");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_meshes_equal_the_naive_derivation),
        cmocka_unit_test(facets_become_subsets),
        cmocka_unit_test(local_faces_look_outwards),
        cmocka_unit_test(normals_leave_the_first_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
