/* SPDX-License-Identifier: Apache-2.0 */
/* test_tetgen.c - TetGen's and Triangle's files beside one another */
#include "support_test.h"

#include <unistd.h>

#include "formats/fem/tetgen.h"
#include "mesh/mesh.h"
#include "support_folder.h"

static mplan_mesh *read_file(const char *path)
{
    mplan_mesh *mesh = NULL;
    mplan_error err;
    assert_done(mplan_mesh_read(path, NULL, NULL, &mesh, &err), &err);
    return mesh;
}

static void expect_group(const mplan_mesh *mesh, const char *set, int64_t id, int64_t n)
{
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh); g++) {
        mplan_group group = mplan_mesh_group(mesh, g);
        if (group.id == id && strcmp(mplan_mesh_set(mesh, group.set).name, set) == 0) {
            assert_int_equal(group.n_members, n);
            return;
        }
    }
    fail_msg("there is no group %lld of %s", (long long)id, set);
}

/* Two tets, numbered from 0, with regions, and markers of nodes and faces; any of the files may be named. */
static void tets(void **state)
{
    (void)state;
    mplan_error err;
    put_text("a.node",
             "# five\n5 3 1 1\n0 0 0 0 .5 0\n1 1 0 0 .5 4\n2 0 1 0 .5 4 # two\n3 0 0 1 .5 0\n4 1 1 1 .5 0\n");
    put_text("a.face", "3 1\n0 0 1 2 7\n1 1 2 3 0\n2 1 2 4 -2\n");
    put_text("a.edge", "1 1\n0 0 1 9\n");
    const char *const names[] = {"a.ele", "a.node", "a.face"};
    const char *const texts[] = {"2 4 1\n0 0 1 2 3 11\n1 1 2 3 4 12\n", NULL, NULL};
    for (int i = 0; i < 3; i++) {
        if (texts[i])
            put_text(names[i], texts[i]);
        mplan_mesh *mesh = read_file(in_folder(names[i]));
        assert_string_equal(mplan_mesh_format(mesh), "tetgen");
        assert_done(mplan_mesh_derive(mesh, "faces", NULL, &err), &err);
        assert_int_equal(mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "boundary_faces")).size, 6);
        expect_group(mesh, "cells", 11, 1);
        expect_group(mesh, "cells", 12, 1);
        expect_group(mesh, "nodes", 4, 2);
        expect_group(mesh, "boundary_faces", 7, 1);
        expect_group(mesh, "boundary_faces", -2, 1);
        mplan_mesh_free(mesh);
    }
}

/* Regions are groups where they are whole numbers other than 0 that 64 bits hold for sure; others are only attributes. */
static void regions_that_are_no_groups(void **state)
{
    (void)state;
    static const char *const regions[] = {"0", "2.5", "1e20", "-1e300", "1e15"};
    put_text("r.node", "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n");
    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
        char text[80];
        snprintf(text, sizeof text, "1 4 1\n0 0 1 2 3 %s\n", regions[i]);
        put_text("r.ele", text);
        mplan_mesh *mesh = read_file(in_folder("r.ele"));
        assert_int_equal(mplan_mesh_n_groups(mesh), 0);
        mplan_mesh_free(mesh);
    }
    put_text("r.ele", "1 4 1\n0 0 1 2 3 -3.0\n");
    mplan_mesh *mesh = read_file(in_folder("r.ele"));
    expect_group(mesh, "cells", -3, 1);
    mplan_mesh_free(mesh);
}

/* Triangle's middles lie opposite to the corners; whatever the order, they are found. */
static void second_order(void **state)
{
    (void)state;
    put_text("b.node", "6 2 0 0\n1 0 0\n2 2 0\n3 0 2\n4 1 1\n5 0 1\n6 1 0\n");
    put_text("b.edge", "3 1\n1 1 2 5\n2 2 3 5\n3 3 1 0\n");
    mplan_mesh *mesh = read_file(put_text("b.ele", "1 6 0\n1 1 2 3 4 5 6\n"));
    static const int32_t expected[] = {0, 1, 2, 5, 3, 4};
    mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    assert_int_equal(mplan_mesh_cell_types(mesh)[0], MPLAN_CELL_TRI6);
    assert_memory_equal(map.values, expected, sizeof expected);
    assert_int_equal(mesh->n_facet_groups, 1);
    assert_int_equal(mesh->facets[0].n_facets, 2);
    mplan_mesh_free(mesh);
}

static void refuse(const char *node, const char *ele, mplan_status status, const char *part)
{
    mplan_input parts[MPLAN_TETGEN_PARTS] = {{"c.node", (const uint8_t *)node, strlen(node), NULL},
                                             {"c.ele", (const uint8_t *)ele, strlen(ele), NULL}};
    mplan_mesh *mesh = NULL;
    mplan_error err;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_refused(mplan_tetgen_read(parts, NULL, mesh, &err), status, &err, part);
    mplan_mesh_free(mesh);
}

static void what_is_damaged_is_refused(void **state)
{
    (void)state;
    static const char node[] = "3 2 0 0\n1 0 0\n2 1 0\n3 0 1\n";
    refuse("1 4 0 0\n1 0 0 0 0\n", "", MPLAN_ERR_CORRUPT,
           "c.node:2: nodes must have 2 or 3 coordinates, not 4");
    refuse("-3 2\n", "", MPLAN_ERR_CORRUPT, "c.node:1: a count is -3");
    refuse("1000000000 2\n1 0 0\n", "", MPLAN_ERR_CORRUPT, "rows are more than the file can hold");
    refuse("2 2\n1 0 0\n3 1 0\n", "", MPLAN_ERR_CORRUPT, "c.node:3: expected row 2, found 3");
    refuse("2 2\n1 0 0\n2 1\n", "", MPLAN_ERR_CORRUPT,
           "c.node:3: expected a coordinate, found the end");
    refuse("2 2\n1 0 0\n2 1 nan\n", "", MPLAN_ERR_MESH, "c.node:3: a coordinate is not finite");
    refuse(node, "1 3 0\n1 1 2 4\n", MPLAN_ERR_MESH, "c.ele:2: node 4 is not in [1, 3]");
    refuse(node, "1 3 0\n1 1 2\n", MPLAN_ERR_CORRUPT,
           "c.ele:2: expected a node, found the end of the line");
    refuse(node, "1 5 0\n1 1 2 3 1 2\n", MPLAN_ERR_CORRUPT,
           "c.ele:2: elements have 5 nodes, not 3, 4, 6 or 10");
    refuse(node, "0 3 0\n", MPLAN_ERR_MESH, "c.ele: the file has no cells");
    mplan_mesh *mesh = NULL;
    mplan_error err;
    assert_refused(mplan_mesh_read(put_text("d.ele", "1 3 0\n1 1 2 3\n"), NULL, NULL, &mesh, &err),
                   MPLAN_ERR_NO_INPUT, &err,
                   "d.ele: the file of the same name with the ending .node is missing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tets),
        cmocka_unit_test(regions_that_are_no_groups),
        cmocka_unit_test(second_order),
        cmocka_unit_test(what_is_damaged_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
