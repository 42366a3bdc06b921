/* SPDX-License-Identifier: Apache-2.0 */
/* test_netcdf_writers.c - writers of Exodus, UGRID and CGNS files: what they write reads back the same */
#include "support_test.h"

#include <unistd.h>

#include "mesh/mesh.h"
#include "support_folder.h"
#include "support_request.h"
#include "support_round_trip.h"

/* --- Exodus II ---------------------------------------------------------------------------- */

/* A generated mesh with groups of faces, and one of nodes. */
static mplan_mesh *plain_mesh(mplan_shape shape)
{
    static const int32_t nodes[] = {0, 2, 5, 7};
    mplan_error err;
    mplan_mesh *mesh = NULL;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.shape = shape;
    options.size[0] = 4;
    options.size[1] = 3;
    options.size[2] = shape == MPLAN_SHAPE_HEX || shape == MPLAN_SHAPE_TET ? 2 : 0;
    options.shuffle = true;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "corners", 41, 0, mplan_mesh_find_set(mesh, "nodes"), 4,
                                     nodes, &err),
                &err);
    return mesh;
}

static void exodus(void **state)
{
    (void)state;
    static const mplan_shape shapes[] = {MPLAN_SHAPE_QUAD, MPLAN_SHAPE_TRI, MPLAN_SHAPE_HEX,
                                         MPLAN_SHAPE_TET};
    if (!support_has("netcdf"))
        skip();
    for (int i = 0; i < 8; i++) {
        mplan_error err;
        int warnings;
        mplan_mesh *mesh = plain_mesh(shapes[i / 2]), *again;
        if (i % 2) {
            assert_done(mplan_mesh_derive(mesh, "faces", NULL, &err), &err);
            assert_done(mplan_mesh_derive(mesh, "boundary_faces", NULL, &err), &err);
        }
        mplan_mesh *back = support_write_and_read(mesh, in_folder("a.exo"), NULL, &warnings);
        assert_int_equal(warnings, 0);
        support_same_cells(mesh, back);
        again = plain_mesh(shapes[i / 2]);
        assert_int_equal(again->n_facet_groups, back->n_facet_groups);
        for (int32_t f = 0; f < again->n_facet_groups; f++) { /* in another order and orientation */
            assert_string_equal(again->facets[f].name, back->facets[f].name);
            assert_int_equal(again->facets[f].id, back->facets[f].id);
            assert_int_equal(again->facets[f].n_facets, back->facets[f].n_facets);
        }
        assert_string_equal(mplan_mesh_group(back, 1).name, "corners");
        assert_int_equal(mplan_mesh_group(back, 1).id, 41);
        assert_memory_equal(mplan_mesh_group(back, 1).members, mplan_mesh_group(again, 0).members,
                            4 * sizeof(int32_t));
        support_same_boundaries(mesh, back);
        mplan_mesh_free(again);
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
    mplan_mesh *mesh = support_mixed_mesh(3, true); /* second order, every type once */
    mplan_mesh *back = support_write_and_read(mesh, in_folder("b.e"), NULL, NULL);
    support_same_cells(mesh, back);
    mplan_mesh_free(back);
    mplan_mesh_free(mesh);
}

/* Blocks are a group and a type each; cells of two groups are in the first. */
static void exodus_blocks(void **state)
{
    (void)state;
    static const int32_t all[] = {0, 1, 2}, last[] = {2};
    mplan_error err;
    mplan_mesh *mesh = support_mixed_mesh(2, false), *back = NULL; /* a quad, a triangle, a quad */
    int32_t cells = mplan_mesh_find_set(mesh, "cells");
    assert_done(mplan_mesh_add_group(mesh, "last", 7, 2, cells, 1, last, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "all", 7, 2, cells, 3, all, &err), &err);
    support_write_with(mesh, in_folder("c.exo"), NULL,
                       "1 cells are in several groups and are written in the first: a cell of an Exodus file is in one block\n"
                       "the group 'all' has cells of several types: its cells of type tri3 are a block of their own\n");
    if (support_has("netcdf")) {
        static const char *const names[] = {"all", "all_tri3", "last"};
        static const int64_t ids[] = {7, 8, 9};
        assert_done(mplan_mesh_read(in_folder("c.exo"), NULL, NULL, &back, &err), &err);
        assert_int_equal(mplan_mesh_n_groups(back), 3);
        for (int32_t g = 0; g < 3; g++) {
            assert_string_equal(mplan_mesh_group(back, g).name, names[g]);
            assert_int_equal(mplan_mesh_group(back, g).id, ids[g]);
            assert_int_equal(mplan_mesh_group(back, g).n_members, 1);
        }
        mplan_mesh_free(back);
    }
    mplan_mesh_free(mesh);
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_refused(mplan_mesh_write(mesh, in_folder("d.exo"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "an Exodus file needs cells with types");
    mplan_mesh_free(mesh);
}

/* A hexahedron that repeats two nodes, so that sides have three corners, or two. */
static void exodus_degenerate(void **state)
{
    (void)state;
    static const uint8_t type[] = {MPLAN_CELL_HEX8}, faces[] = {MPLAN_CELL_TRI3, MPLAN_CELL_QUAD4};
    static const int32_t nodes[] = {0, 1, 2, 3, 4, 5, 5, 4}, wall[] = {1, 2, 5, 0, 1, 2, 3};
    static const double xyz[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, .5, 1, 1, .5, 1};
    mplan_error err;
    mplan_mesh *mesh = NULL, *back;
    if (!support_has("netcdf"))
        skip();
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, 6, 1, type, nodes, &err), &err);
    assert_done(mplan_mesh_set_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 3, xyz, &err),
                &err);
    assert_done(mplan_mesh_add_facets(mesh, "wall", 4, 2, faces, wall, &err), &err);
    back = support_write_and_read(mesh, in_folder("e.exo"), NULL, NULL);
    support_same_cells(mesh, back);
    assert_int_equal(back->n_facet_groups, 1);
    assert_int_equal(back->facets[0].n_facets, 2);
    mplan_mesh_free(back);
    mplan_mesh_free(mesh);
}

/* --- UGRID -------------------------------------------------------------------------------- */

static void ugrid(void **state)
{
    (void)state;
    int warnings;
    if (!support_has("netcdf"))
        skip();
    for (int i = 0; i < 4; i++) {
        mplan_mesh *mesh = i < 2 ? support_mesh(i ? MPLAN_SHAPE_TRI : MPLAN_SHAPE_QUAD)
                                 : support_mixed_mesh(2, false);
        mplan_mesh *back = support_write_and_read(mesh, in_folder("a.nc"), NULL, &warnings);
        assert_int_equal(warnings, i < 2); /* groups */
        support_same_cells(mesh, back);
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
}

/* Polygons, edges and all maps between them, as a file brought them, and what has no place. */
static void ugrid_edges(void **state)
{
    (void)state;
    /* a pentagon and a triangle at the edge 0 */
    static const int64_t offsets[] = {0, 5, 8};
    static const int32_t corners[] = {0, 1, 2, 3, 4, 1, 0, 5}, sides[] = {0, 1, 2, 3, 4, 0, 5, 6},
                         ends[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 0, 0, 5, 5, 1},
                         cells_of[] = {0, 1, 0, -1, 0, -1, 0, -1, 0, -1, 1, -1, 1, -1};
    static const double xyz[] = {0, 0, 1, 1, 0, 1, 2, 1, 2, 1, 2, 3, 0, 2, 2, 0, -1, 1};
    static const char *const names[] = {"cells_nodes", "cells_edges", "edges_nodes", "edges_cells"};
    int32_t cells, nodes, edges;
    mplan_error err;
    mplan_mesh *mesh = NULL;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "nodes", 6, &nodes, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", 2, &cells, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "edges", 7, &edges, &err), &err);
    assert_done(mplan_mesh_set_coordinates(mesh, nodes, 3, xyz, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, names[0], cells, nodes, 0, offsets, corners, NULL, &err),
                &err);
    assert_refused(mplan_mesh_write(mesh, in_folder("b.nc"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_UNSUPPORTED, &err, "can only hold surfaces"); /* or polyhedra */
    assert_done(mplan_mesh_add_map(mesh, names[1], cells, edges, 0, offsets, sides, NULL, &err),
                &err);
    assert_done(mplan_mesh_add_map(mesh, names[2], edges, nodes, 2, NULL, ends, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, names[3], edges, cells, 2, NULL, cells_of, NULL, &err),
                &err);
    support_write_with(mesh, in_folder("b.nc"), NULL, "");
    if (support_has("netcdf")) {
        mplan_mesh *back = NULL;
        assert_done(mplan_mesh_read(in_folder("b.nc"), NULL, NULL, &back, &err), &err);
        for (int i = 0; i < 4; i++)
            support_same_map(mesh, back, names[i]);
        mplan_mesh_free(back);
    }
    mplan_mesh_free(mesh);
    mesh = support_mesh(MPLAN_SHAPE_HEX);
    assert_refused(mplan_mesh_write(mesh, in_folder("c.nc"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_UNSUPPORTED, &err,
                   "a UGRID file can only hold surfaces and planar meshes of first order");
    mplan_mesh_free(mesh);
}

/* --- CGNS --------------------------------------------------------------------------------- */

static void cgns(void **state)
{
    (void)state;
    static const mplan_shape shapes[] = {MPLAN_SHAPE_QUAD, MPLAN_SHAPE_TRI, MPLAN_SHAPE_HEX,
                                         MPLAN_SHAPE_TET};
    if (!support_has("hdf5") || !support_has("cgns"))
        skip();
    for (int i = 0; i < 8; i++) {
        mplan_error err;
        int warnings;
        mplan_mesh *mesh = plain_mesh(shapes[i / 2]);
        if (i % 2) {
            assert_done(mplan_mesh_derive(mesh, "faces", NULL, &err), &err);
            assert_done(mplan_mesh_derive(mesh, "boundary_faces", NULL, &err), &err);
        }
        mplan_mesh *back = support_write_and_read(mesh, in_folder("a.cgns"), NULL, &warnings);
        assert_int_equal(warnings, 0);
        support_same_cells(mesh, back);
        assert_string_equal(mplan_mesh_group(back, 0).name, "corners");
        assert_int_equal(mplan_mesh_group(back, 0).n_members, 4);
        support_same_boundaries(mesh, back);
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
    for (int32_t i = 0; i < 2; i++) { /* sorted by type, of which each is there once */
        mplan_mesh *mesh = support_mixed_mesh(3, i == 1);
        mplan_mesh *back = support_write_and_read(mesh, in_folder("b.cgns"), NULL, NULL);
        int64_t n = mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "cells")).size, seen = 0;
        const uint8_t *types = mplan_mesh_cell_types(mesh), *sorted = mplan_mesh_cell_types(back);
        mplan_map from = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
        mplan_map to = mplan_mesh_map(back, mplan_mesh_find_map(back, "cells_nodes"));
        assert_int_equal(n, to.n_rows);
        for (int64_t c = 0; c < n * n; c++) {
            int32_t length, other;
            const int32_t *row = mplan_map_row(&from, c / n, &length);
            const int32_t *same = mplan_map_row(&to, c % n, &other);
            if (types[c / n] != sorted[c % n])
                continue;
            assert_int_equal(length, other);
            assert_memory_equal(row, same, (size_t)length * sizeof *row);
            seen++;
        }
        assert_int_equal(seen, n);
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
}

/* Names of 32 bytes, each once; facets of two groups are in both; groups of cells are skipped. */
static void cgns_names(void **state)
{
    (void)state;
    static const uint8_t faces[] = {MPLAN_CELL_TRI3};
    static const int32_t wall[] = {0, 2, 1}, cells[] = {0};
    static const char *const names[] = {"wall", "tip", "", "", "Zone_2"};
    mplan_error err;
    mplan_mesh *mesh = support_tetrahedron(), *back = NULL;
    if (!support_has("hdf5") || !support_has("cgns"))
        skip();
    assert_done(mplan_mesh_add_facets(mesh, "a name/that is far longer than 32 bytes", 6, 1, faces,
                                      wall, &err),
                &err);
    assert_done(mplan_mesh_add_facets(mesh, "a name/that is far longer than 32 bytes", 7, 1, faces,
                                      wall, &err),
                &err);
    assert_done(mplan_mesh_add_facets(mesh, "Zone", 8, 1, faces, wall, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "all", 3, 3, mplan_mesh_find_set(mesh, "cells"), 1,
                                     cells, &err),
                &err);
    back = support_write_and_read(mesh, in_folder("c.cgns"), NULL, NULL);
    assert_int_equal(back->n_facet_groups, 5);
    for (int32_t f = 0; f < 5; f++) {
        if (f != 2 && f != 3)
            assert_string_equal(back->facets[f].name, names[f]);
        assert_true(strlen(back->facets[f].name) <= 32);
        assert_int_equal(back->facets[f].n_facets, f == 0 ? 2 : 1);
    }
    assert_string_not_equal(back->facets[2].name, back->facets[3].name);
    assert_int_equal(mplan_mesh_n_groups(back), 0);
    mplan_mesh_free(back);
    mplan_mesh_free(mesh);
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_refused(mplan_mesh_write(mesh, in_folder("d.cgns"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "a CGNS file needs cells with types");
    mplan_mesh_free(mesh);
}

/* Whether the bytes of a file hold a text. */
static bool file_holds(const char *name, const char *text)
{
    static char bytes[1 << 23];
    const size_t length = strlen(text);
    FILE *from = fopen(in_folder(name), "rb");
    assert_non_null(from);
    size_t n = fread(bytes, 1, sizeof bytes, from);
    fclose(from);
    for (size_t i = 0; i + length <= n; i++)
        if (memcmp(bytes + i, text, length) == 0)
            return true;
    return false;
}

/* 1,000 groups of one name: each gets a number, for which the name is cut. */
static void cgns_many_names(void **state)
{
    (void)state;
    static const uint8_t faces[] = {MPLAN_CELL_TRI3};
    static const int32_t wall[] = {0, 2, 1};
    mplan_error err;
    mplan_mesh *mesh = support_tetrahedron();
    if (!support_has("hdf5") || !support_has("cgns"))
        skip();
    for (int32_t g = 0; g < 1000; g++)
        assert_done(mplan_mesh_add_facets(mesh, "a name of more than thirty-two bytes", g, 1, faces,
                                          wall, &err),
                    &err);
    assert_done(mplan_mesh_write(mesh, in_folder("e.cgns"), NULL, NULL, NULL, &err), &err);
    assert_true(file_holds("e.cgns", "a name of more than thirty-t_999"));
    assert_true(file_holds("e.cgns", "a name of more than thirty-_1000"));
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exodus),
        cmocka_unit_test(exodus_blocks),
        cmocka_unit_test(exodus_degenerate),
        cmocka_unit_test(ugrid),
        cmocka_unit_test(ugrid_edges),
        cmocka_unit_test(cgns),
        cmocka_unit_test(cgns_names),
        cmocka_unit_test(cgns_many_names),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
