/* SPDX-License-Identifier: Apache-2.0 */
/* test_gmsh_write.c - what is written in MSH 4.1 reads back the same */
#include "support_round_trip.h"
#include "support_test.h"
#include "support_mesh.h"

#include <unistd.h>

#include "mesh/mesh.h"

static char folder[] = "/tmp/mplan-gmsh-XXXXXX";
static char path[64], other_path[64];

static mplan_mesh *write_and_read(const mplan_mesh *mesh, int expected_warnings)
{
    mplan_mesh *back = NULL;
    mplan_error err;
    int warnings = 0;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.warning = count_warning;
    context.user = &warnings;
    assert_done(mplan_mesh_write(mesh, path, NULL, NULL, &context, &err), &err);
    assert_int_equal(warnings, expected_warnings);
    assert_done(mplan_mesh_read(path, NULL, &context, &back, &err), &err);
    assert_string_equal(mplan_mesh_format(back), "gmsh");
    return back;
}

static void expect_group(const mplan_mesh *mesh, int32_t g, const char *name, int64_t id,
                         const char *set, int64_t n, const int32_t *members)
{
    mplan_group group = mplan_mesh_group(mesh, g);
    assert_string_equal(group.name, name);
    assert_int_equal(group.id, id);
    assert_string_equal(mplan_mesh_set(mesh, group.set).name, set);
    assert_int_equal(group.n_members, n);
    assert_memory_equal(group.members, members, (size_t)n * sizeof *members);
}

/* Two quads and a triangle, second order in part, as a ragged map. */
static mplan_mesh *mixed_mesh(void)
{
    static const uint8_t type[] = {MPLAN_CELL_QUAD4, MPLAN_CELL_TRI6, MPLAN_CELL_QUAD4};
    static const int32_t nodes[] = {0, 1, 4, 3, 1, 2, 4, 6, 7, 5, 3, 4, 9, 8};
    static const double xy[] = {0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 1, .5, 1.5, 0, 1.5, .5, 0, 2, 1, 2};
    mplan_mesh *mesh = NULL;
    mplan_error err;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, 10, 3, type, nodes, &err), &err);
    assert_done(mplan_mesh_set_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 2, xy, &err),
                &err);
    return mesh;
}

static void groups_of_cells(void **state)
{
    (void)state;
    static const int32_t all[] = {0, 1, 2}, odd[] = {1}, ends[] = {0, 2};
    mplan_mesh *mesh = mixed_mesh();
    mplan_error err;
    int32_t cells = mplan_mesh_find_set(mesh, "cells");
    assert_done(mplan_mesh_add_group(mesh, "all", 4, 2, cells, 3, all, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "", 9, 2, cells, 1, odd, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "with \"quotes\"", 0, 2, cells, 2, ends, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "another 4", 4, 2, cells, 2, ends, &err), &err);
    mplan_mesh *back = write_and_read(mesh, 0);
    support_same_cells(mesh, back);
    assert_int_equal(mplan_mesh_n_groups(back), 4);
    expect_group(back, 0, "all", 4, "cells", 3, all);
    expect_group(back, 1, "", 9, "cells", 1, odd);
    expect_group(back, 2, "with 'quotes'", 10, "cells", 2, ends);
    expect_group(back, 3, "another 4", 11, "cells", 2, ends);
    mplan_mesh_free(back);
    mplan_mesh_free(mesh);
}

/* Two groups without names stay two, though 0 is not a tag. */
static void group_0_is_not_group_1(void **state)
{
    (void)state;
    static const int32_t first[] = {0, 2}, second[] = {1};
    mplan_mesh *mesh = mixed_mesh();
    mplan_error err;
    int32_t cells = mplan_mesh_find_set(mesh, "cells");
    assert_done(mplan_mesh_add_group(mesh, "", 0, 2, cells, 2, first, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "", 1, 2, cells, 1, second, &err), &err);
    mplan_mesh *back = write_and_read(mesh, 0);
    assert_int_equal(mplan_mesh_n_groups(back), 2);
    expect_group(back, 0, "", 1, "cells", 1, second);
    expect_group(back, 1, "", 2, "cells", 2, first);
    mplan_mesh_free(back);
    mplan_mesh_free(mesh);
}

static void groups_of_facets_and_points(void **state)
{
    (void)state;
    static const uint8_t type[] = {MPLAN_CELL_LINE2, MPLAN_CELL_LINE3};
    static const int32_t wall[] = {0, 1, 1, 2, 6}, part[] = {1, 2, 6}, corners[] = {0, 2};
    mplan_mesh *mesh = mixed_mesh();
    mplan_error err;
    int32_t nodes = mplan_mesh_find_set(mesh, "nodes");
    assert_done(mplan_mesh_add_facets(mesh, "wall", 1, 2, type, wall, &err), &err);
    assert_done(mplan_mesh_add_facets(mesh, "part", 2, 1, type + 1, part, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "corners", 1, 0, nodes, 2, corners, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "first", 2, 0, nodes, 1, corners, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "a line", 2, 1, nodes, 2, corners, &err), &err);
    mplan_mesh *back = write_and_read(mesh, 1); /* lines of nodes have no place */
    support_same_cells(mesh, back);
    assert_int_equal(back->n_facet_groups, 2);
    assert_string_equal(back->facets[0].name, "wall");
    assert_int_equal(back->facets[0].n_facets, 2);
    assert_memory_equal(back->facets[0].nodes, wall, sizeof wall);
    assert_string_equal(back->facets[1].name, "part");
    assert_int_equal(back->facets[1].n_facets, 1);
    assert_memory_equal(back->facets[1].nodes, part, sizeof part);
    static const int32_t all[] = {0, 1, 2};
    assert_int_equal(mplan_mesh_n_groups(back), 3);
    expect_group(back, 0, "", 1, "cells", 3, all); /* where groups are, cells have one */
    expect_group(back, 1, "corners", 1, "nodes", 2, corners);
    expect_group(back, 2, "first", 2, "nodes", 1, corners);
    mplan_mesh_free(back);
    mplan_mesh_free(mesh);
}

/* Facets that were resolved to faces are written from those. */
static void derived_faces_carry_the_groups(void **state)
{
    (void)state;
    for (int shape = 0; shape < 4; shape++) {
        mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
        options.shape = (mplan_shape)shape;
        options.size[0] = 3;
        options.size[1] = 2;
        options.size[2] = shape >= 2 ? 4 : 0;
        options.jitter = 0.1;
        options.shuffle = true;
        mplan_mesh *mesh = NULL;
        mplan_error err;
        assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
        mplan_mesh *before = write_and_read(mesh, 0);
        support_same_cells(mesh, before);
        assert_done(mplan_mesh_derive(before, "boundary_faces", NULL, &err), &err);
        assert_done(mplan_mesh_derive(before, "faces_nodes", NULL, &err), &err);
        mplan_mesh *after = write_and_read(before, 0);
        support_same_cells(mesh, after);
        assert_done(mplan_mesh_derive(after, "boundary_faces", NULL, &err), &err);
        int32_t set = mplan_mesh_find_set(after, "boundary_faces");
        assert_int_equal(mplan_mesh_n_groups(after), mplan_mesh_n_groups(before));
        assert_memory_equal(mplan_mesh_boundary_ids(before), mplan_mesh_boundary_ids(after),
                            (size_t)mplan_mesh_set(after, set).size * sizeof(int64_t));
        mplan_mesh_free(after);
        mplan_mesh_free(before);
        mplan_mesh_free(mesh);
    }
}

/* A random subset of [0, n), which is marked. */
static int64_t random_members(uint64_t *seed, int64_t n, int32_t *members, uint8_t *marked)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        if (support_random(seed, 4) == 0) {
            members[count++] = (int32_t)i;
            marked[i] = 1;
        }
    return count;
}

static void many_random_groups(void **state)
{
    (void)state;
    uint64_t seed = 5;
    int32_t members[24];
    for (int round = 0; round < 30; round++) {
        mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
        options.size[0] = 4;
        options.size[1] = 6;
        mplan_mesh *mesh = NULL;
        mplan_error err;
        assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
        int32_t cells = mplan_mesh_find_set(mesh, "cells");
        uint8_t marked[24] = {0};
        for (int32_t g = 1; g <= 8; g++) {
            int64_t n = random_members(&seed, 24, members, marked);
            if (n > 0)
                assert_done(mplan_mesh_add_group(mesh, "", g, 2, cells, n, members, &err), &err);
        }
        mplan_mesh *back = write_and_read(mesh, 0);
        int64_t n_rest = 0; /* cells in no group: they get one, behind the others */
        for (int32_t c = 0; c < 24; c++)
            if (!marked[c])
                members[n_rest++] = c;
        int32_t n_groups = mplan_mesh_n_groups(mesh);
        assert_int_equal(mplan_mesh_n_groups(back), n_groups + (n_rest > 0));
        if (n_rest > 0)
            expect_group(back, n_groups, "", mplan_mesh_group(mesh, n_groups - 1).id + 1, "cells",
                         n_rest, members);
        for (int32_t g = 0; g < n_groups; g++) {
            mplan_group group = mplan_mesh_group(mesh, g);
            expect_group(back, g, "", group.id, "cells", group.n_members, group.members);
        }
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
}

/* Equal meshes give equal bytes, and what is read back is written the same. */
static void bytes_do_not_change(void **state)
{
    (void)state;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.shape = MPLAN_SHAPE_TET;
    options.size[0] = options.size[1] = options.size[2] = 12; /* more than one buffer */
    mplan_mesh *mesh = NULL;
    mplan_error err;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    mplan_mesh *back = write_and_read(mesh, 0);
    assert_done(mplan_mesh_write(back, other_path, "gmsh", NULL, NULL, &err), &err);
    FILE *a = fopen(path, "rb"), *b = fopen(other_path, "rb");
    int x, y;
    do {
        x = getc(a);
        y = getc(b);
        assert_int_equal(x, y);
    } while (x != EOF);
    fclose(a);
    fclose(b);
    mplan_mesh_free(back);
    mplan_mesh_free(mesh);
}

static void what_cannot_be_written(void **state)
{
    (void)state;
    static const uint8_t type[] = {MPLAN_CELL_TRI3};
    static const int32_t nodes[] = {0, 1, 2};
    mplan_mesh *mesh = NULL;
    mplan_error err;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "edges", 3, NULL, &err), &err);
    unlink(path);
    assert_refused(mplan_mesh_write(mesh, path, NULL, NULL, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "needs cells and nodes, which this mesh does not have");
    assert_done(mplan_mesh_add_cells(mesh, 3, 1, type, nodes, &err), &err);
    assert_refused(mplan_mesh_write(mesh, path, NULL, NULL, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "coordinates");
    assert_int_equal(access(path, F_OK), -1);
    mplan_mesh_free(mesh);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/a.msh", folder);
    snprintf(other_path, sizeof other_path, "%s/b.msh", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    unlink(other_path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_of_cells),
        cmocka_unit_test(group_0_is_not_group_1),
        cmocka_unit_test(groups_of_facets_and_points),
        cmocka_unit_test(derived_faces_carry_the_groups),
        cmocka_unit_test(many_random_groups),
        cmocka_unit_test(bytes_do_not_change),
        cmocka_unit_test(what_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
