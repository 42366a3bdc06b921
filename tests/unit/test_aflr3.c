/* SPDX-License-Identifier: Apache-2.0 */
/* test_aflr3.c - AFLR3's meshes: names from a file beside them, and what is written in which layout */
#include "support_test.h"

#include <unistd.h>

#include "formats/sibling.h"
#include "mesh/mesh.h"
#include "support_folder.h"
#include "support_round_trip.h"

static void stems(void **state)
{
    (void)state;
    assert_int_equal(mplan_sibling_stem("a/b.lb8.ugrid", 2), 3);
    assert_int_equal(mplan_sibling_stem("a/b.lb8.ugrid", 1), 7);
    assert_int_equal(mplan_sibling_stem("a/b.lb8.ugrid.gz", 2), 3);
    assert_int_equal(mplan_sibling_stem("a.b/c", 1), 0);
    assert_int_equal(mplan_sibling_stem("a/.ugrid", 1), 0);
    assert_int_equal(mplan_sibling_stem("b.ugrid", 2), 0);
}

static const char tetrahedron[] =
    "4 4 0 1 0 0 0\n0 0 0.5\n1 0 0.5\n0 1 0.5\n0 0 1.5\n1 2 3\n1 4 2\n2 4 3\n1 3 4\n"
    "12\n7\n7\n3\n1 2 3 4\n";

/* Rows of FUN3D and USM3D, comments, and what is not a row. */
static void surfaces_are_named(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh = NULL;
    put_text("a.ugrid", tetrahedron);
    put_text("a.mapbc",
             "3\n# surfaces\n  7 4000 wall ! no slip\n3 5000 5000\n12 3 3 0 0 far_field\nx\n7\n");
    assert_done(mplan_mesh_read(in_folder("a.ugrid"), NULL, NULL, &mesh, &err), &err);
    assert_int_equal(mesh->n_facet_groups, 3);
    static const char *const name[] = {"", "wall", "far_field"};
    static const int64_t id[] = {3, 7, 12}, n[] = {1, 2, 1};
    for (int g = 0; g < 3; g++) {
        assert_string_equal(mesh->facets[g].name, name[g]);
        assert_int_equal(mesh->facets[g].id, id[g]);
        assert_int_equal(mesh->facets[g].n_facets, n[g]);
    }
    mplan_mesh_free(mesh);
}

static void keep_warning(void *user, const char *text)
{
    char *all = user;
    strncat(all, text, 2047 - strlen(all));
    strncat(all, "\n", 2047 - strlen(all));
}

/* Cells stay as they are, and boundary faces keep their numbers, in every layout. */
static void layouts_are_written(void **state)
{
    (void)state;
    static const char *const names[] = {"b.lb8.ugrid", "b.b8.ugrid", "b.lb8l.ugrid", "b.b8l.ugrid",
                                        "b.ugrid"};
    static const mplan_shape shapes[] = {MPLAN_SHAPE_QUAD, MPLAN_SHAPE_TRI, MPLAN_SHAPE_HEX,
                                         MPLAN_SHAPE_TET};
    for (int i = 0; i < 20; i++) {
        mplan_error err;
        mplan_mesh *mesh = support_mesh(shapes[i % 4]);
        mplan_mesh *back = support_write_and_read(mesh, in_folder(names[i / 4]), NULL, NULL);
        mplan_mesh *again = NULL;
        support_same_cells(mesh, back);
        assert_done(mplan_mesh_derive(mesh, "boundary_faces", NULL, &err), &err);
        assert_done(mplan_mesh_derive(back, "boundary_faces", NULL, &err), &err);
        int64_t n = mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "boundary_faces")).size;
        assert_memory_equal(mplan_mesh_boundary_ids(mesh), mplan_mesh_boundary_ids(back),
                            (size_t)n * sizeof(int64_t));
        /* faces that are there already are written as they are */
        again = support_write_and_read(mesh, in_folder(names[i / 4]), NULL, NULL);
        assert_done(mplan_mesh_derive(again, "boundary_faces", NULL, &err), &err);
        assert_memory_equal(mplan_mesh_boundary_ids(mesh), mplan_mesh_boundary_ids(again),
                            (size_t)n * sizeof(int64_t));
        mplan_mesh_free(again);
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
}

/* Normals of the boundary enter the mesh; faces of no group have the next number, those of two the first. */
static void boundaries_are_whole(void **state)
{
    (void)state;
    static const uint8_t tet[] = {MPLAN_CELL_TET4}, faces[] = {MPLAN_CELL_TRI3, MPLAN_CELL_TRI3};
    static const int32_t nodes[] = {0, 1, 2, 3}, wall[] = {0, 1, 2, 0, 1, 3};
    static const double xyz[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    char warnings[2048] = "", text[512];
    mplan_context context = MPLAN_CONTEXT_INIT;
    mplan_mesh *mesh = NULL;
    mplan_error err;
    context.warning = keep_warning;
    context.user = warnings;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, 4, 1, tet, nodes, &err), &err);
    assert_done(mplan_mesh_set_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 3, xyz, &err),
                &err);
    assert_done(mplan_mesh_add_facets(mesh, "wall", 5, 2, faces, wall, &err), &err);
    assert_done(mplan_mesh_add_facets(mesh, "tip", 5, 1, faces, wall, &err), &err);
    assert_done(mplan_mesh_write(mesh, in_folder("c.ugrid"), NULL, NULL, &context, &err), &err);
    assert_string_equal(warnings,
                        "an AFLR3 file has numbers instead of names: 5 wall, 6 tip\n"
                        "1 boundary faces are in several groups and get the number of the first\n"
                        "2 boundary faces do not belong to a group and get the number 7\n");
    FILE *from = fopen(in_folder("c.ugrid"), "r");
    text[fread(text, 1, sizeof text - 1, from)] = '\0';
    fclose(from);
    assert_non_null(strstr(text, "4 4 0 1 0 0 0\n0"));
    assert_non_null(strstr(text, "1 4 2\n1 2 3\n1 3 4\n2 4 3\n5\n5\n7\n7\n1 2 3 4\n"));
    mplan_mesh_free(mesh);
}

static void what_has_no_place_is_refused(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh = support_mixed_mesh(3, true);
    assert_refused(mplan_mesh_write(mesh, in_folder("d.b8.ugrid"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_UNSUPPORTED, &err, "cell 4 is a tet10");
    mplan_mesh_free(mesh);
    mesh = support_mixed_mesh(3, false);
    assert_refused(mplan_mesh_write(mesh, in_folder("d.r8.ugrid"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_UNSUPPORTED, &err,
                   "lb8, b8, lb8l, b8l and text of AFLR3 can be written, not r8");
    assert_int_equal(access(in_folder("d.r8.ugrid"), F_OK), -1);
    mplan_mesh_free(mesh);
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_refused(mplan_mesh_write(mesh, in_folder("d.ugrid"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "which this mesh does not have");
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stems),
        cmocka_unit_test(surfaces_are_named),
        cmocka_unit_test(layouts_are_written),
        cmocka_unit_test(boundaries_are_whole),
        cmocka_unit_test(what_has_no_place_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
