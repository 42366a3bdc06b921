/* SPDX-License-Identifier: Apache-2.0 */
/* test_derive_cases.c - derived connectivity of single meshes: refusals, warnings, names, hubs, interruption */
#include "support_test.h"

#include "mesh/mesh.h"
#include "support_derive.h"
#include "support_mesh.h"

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
    mplan_map cells = support_map_of(mesh, "edges_cells");
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
    mplan_map map = support_map_of(mesh, "cells_edges");
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
    assert_memory_equal(support_map_of(mesh, "b_a").values, other, sizeof other);
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
    assert_memory_equal(support_map_of(mesh, "faces_cells").values, own, sizeof own);
    assert_refused(mplan_mesh_derive(mesh, "faces_nodes", NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "has its own faces");
    assert_refused(mplan_mesh_derive(mesh, "edges_nodes", NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "has its own edges");
    assert_done(mplan_mesh_derive(mesh, "cells_faces", NULL, &err), &err);
    assert_int_equal(support_map_of(mesh, "cells_faces").offsets[2], 2);
    assert_done(mplan_mesh_derive(mesh, "cells_cells", NULL, &err), &err);
    static const int32_t behind[] = {-1, 1, -1, -1, -1, 0};
    assert_memory_equal(support_map_of(mesh, "cells_cells").values, behind, sizeof behind);
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
    mplan_map faces = support_map_of(mesh, "faces_cells");
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
    assert_int_equal(support_map_of(mesh, "faces_cells").n_rows, N);
    assert_int_equal(support_map_of(mesh, "nodes_cells").offsets[1], N);
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
