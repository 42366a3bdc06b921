/* SPDX-License-Identifier: Apache-2.0 */
/* test_line_meshes.c - meshes of lines: their ends are facets of the groups that name them, in every format that has both, and
 * stay so in files that are written */
#include "support_test.h"

#include "formats/format.h"
#include "mesh/mesh.h"
#include "support_folder.h"
#include "support_round_trip.h"

/* Facets of a group are points; their nodes, "START 0; STOP 3". */
static void say_ends(const mplan_mesh *mesh, char *said, size_t size)
{
    size_t used = 0;
    said[0] = '\0';
    for (int32_t f = 0; f < mesh->n_facet_groups; f++) {
        const mplan_mesh_facets *facets = &mesh->facets[f];
        if (*facets->name)
            used += (size_t)snprintf(said + used, size - used, "%s%s", f ? "; " : "", facets->name);
        else
            used += (size_t)snprintf(said + used, size - used, "%s#%lld", f ? "; " : "",
                                     (long long)facets->id);
        for (int64_t i = 0; i < facets->n_facets; i++) {
            assert_int_equal(facets->type[i], MPLAN_CELL_POINT);
            used += (size_t)snprintf(said + used, size - used, " %d", (int)facets->nodes[i]);
        }
    }
}

static mplan_mesh *read_text(const mplan_file_format *format, const char *text)
{
    const mplan_input input = {.path = "x", .data = (const uint8_t *)text, .size = strlen(text)};
    mplan_mesh *mesh = NULL;
    mplan_error err;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(format->read(&input, NULL, NULL, mesh, &err), &err);
    assert_done(mplan_mesh_validate(mesh, NULL, &err), &err);
    return mesh;
}

static void expect_ends(const mplan_file_format *format, const char *text, const char *expected)
{
    char said[256];
    mplan_mesh *mesh = read_text(format, text);
    say_ends(mesh, said, sizeof said);
    assert_string_equal(said, expected);
    mplan_mesh_free(mesh);
}

#define ROD                                                                                          \
    "*NODE\n1, 0, 0\n2, 1, 0\n3, 2, 0\n4, 3, 0\n5, 9, 9\n*ELEMENT, TYPE=T3D2, ELSET=ROD\n10, 1, 2\n" \
    "20, 2, 3\n30, 3, 4\n"
#define ENDS "*SURFACE, NAME=START\n10, S1\n*SURFACE, NAME=STOP\n30, S2\n"

/* Sides of elements, elements that are points, boundaries of points. */
static void ends_are_facets(void **state)
{
    (void)state;
    expect_ends(&mplan_format_abaqus, ROD ENDS, "START 0; STOP 3");
    expect_ends(&mplan_format_abaqus, ROD "*SURFACE, NAME=BOTH\n30, S2\n10, S1\n30, S2\n",
                "BOTH 0 3");
    expect_ends(&mplan_format_mfem,
                "MFEM mesh v1.0\n\ndimension\n1\n\nelements\n3\n1 1 0 1\n1 1 1 2\n2 1 2 3\n\nboundary\n2\n"
                "1 0 0\n2 0 3\n\nvertices\n4\n1\n0\n1\n2\n3\n",
                "#1 0; #2 3");
}

/* Groups of nodes of such a mesh stay groups of nodes, and have other numbers than the facets. */
static void nodes_stay_nodes(void **state)
{
    (void)state;
    mplan_mesh *mesh = read_text(&mplan_format_abaqus, ROD ENDS "*NSET, NSET=MIDDLE\n2, 3\n");
    mplan_group group = mplan_mesh_group(mesh, mplan_mesh_n_groups(mesh) - 1);
    assert_string_equal(group.name, "MIDDLE");
    assert_string_equal(mplan_mesh_set(mesh, group.set).name, "nodes");
    assert_int_equal(group.n_members, 2);
    for (int32_t f = 0; f < mesh->n_facet_groups; f++)
        assert_int_not_equal(mesh->facets[f].id, group.id);
    mplan_mesh_free(mesh);
}

/* Where lines lie in a mesh of volumes, their ends are nodes of a group. */
static void ends_of_beams_are_nodes(void **state)
{
    (void)state;
    mplan_mesh *mesh = read_text(&mplan_format_abaqus,
                                 ROD ENDS "*ELEMENT, TYPE=CPS3, ELSET=SKIN\n99, 1, 2, 5\n");
    int32_t ends = 0;
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh); g++) {
        mplan_group group = mplan_mesh_group(mesh, g);
        if (strcmp(group.name, "START") != 0 && strcmp(group.name, "STOP") != 0)
            continue;
        ends++;
        assert_string_equal(mplan_mesh_set(mesh, group.set).name, "nodes");
        assert_int_equal(group.n_members, 1);
        assert_int_equal(group.members[0], *group.name == 'S' && group.name[2] == 'A' ? 0 : 3);
    }
    assert_int_equal(ends, 2);
    mplan_mesh_free(mesh);
}

/* In CGNS, where sides of lines have no sections, they are conditions of vertices. */
static void written_as_nodes(void **state)
{
    (void)state;
    if (mplan_format_cgns.missing)
        return;
    mplan_mesh *mesh = read_text(&mplan_format_abaqus, ROD ENDS);
    mplan_mesh *back = support_write_and_read(mesh, in_folder("ends.cgns"), NULL, NULL);
    assert_int_equal(mplan_mesh_n_groups(back), 2);
    for (int32_t g = 0; g < 2; g++) {
        mplan_group group = mplan_mesh_group(back, g);
        assert_string_equal(mplan_mesh_set(back, group.set).name, "nodes");
        assert_string_equal(group.name, g ? "STOP" : "START");
        assert_int_equal(group.n_members, 1);
        assert_int_equal(group.members[0], g ? 3 : 0);
    }
    mplan_mesh_free(back);
    mplan_mesh_free(mesh);
}

/* A vertex of VTK that is in a group is a facet, so that both come back. */
static void written_and_read(void **state)
{
    static const char *const names[] = {"ends.vtu", "ends.vtk", "ends.msh"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char said[256];
        if (i == 0 && mplan_format_vtu.missing)
            continue;
        mplan_mesh *mesh = read_text(&mplan_format_abaqus, ROD ENDS);
        mplan_mesh *back = support_write_and_read(mesh, in_folder(names[i]), NULL, NULL);
        say_ends(back, said, sizeof said);
        if (strcmp(said, "START 0; STOP 3") != 0)
            fail_msg("%s: %s", names[i], said);
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_are_facets),         cmocka_unit_test(nodes_stay_nodes),
        cmocka_unit_test(ends_of_beams_are_nodes), cmocka_unit_test(written_and_read),
        cmocka_unit_test(written_as_nodes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
