/* test_writers.c - what every writer writes reads back the same */
#include "support_test.h"

#include <unistd.h>

#include "mesh/mesh.h"
#include "support_round_trip.h"

static char folder[] = "/tmp/mplan-writers-XXXXXX";

/* A name in the folder; it is removed with that. */
static const char *file(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Faces that are derived first must not change what is written. */
static void round_trips(const char *name, const char *format, int flags, int lost)
{
    static const mplan_shape shapes[] = {MPLAN_SHAPE_QUAD, MPLAN_SHAPE_TRI, MPLAN_SHAPE_HEX,
                                         MPLAN_SHAPE_TET};
    for (int s = 0; s < 4; s++) {
        mplan_mesh *mesh = support_mesh(shapes[s]);
        mplan_error err;
        int warnings;
        mplan_mesh *back = support_write_and_read(mesh, file(name), format, &warnings);
        assert_int_equal(warnings, lost);
        support_same_cells(mesh, back);
        support_same_groups(mesh, back, flags);
        assert_done(mplan_mesh_derive(mesh, "faces", NULL, &err), &err);
        mplan_mesh *again = support_write_and_read(mesh, file(name), format, NULL);
        support_same_cells(mesh, again);
        assert_done(mplan_mesh_derive(again, "faces", NULL, &err), &err);
        assert_memory_equal(mesh->boundary_ids, again->boundary_ids,
                            (size_t)mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "boundary_faces"))
                                    .size * sizeof *mesh->boundary_ids);
        mplan_mesh_free(again);
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
}

static void mixed(const char *name, const char *format, bool second)
{
    for (int32_t dimension = 2; dimension <= 3; dimension++) {
        mplan_mesh *mesh = support_mixed_mesh(dimension, second);
        mplan_mesh *back = support_write_and_read(mesh, file(name), format, NULL);
        support_same_cells(mesh, back);
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
}

static void su2(void **state)
{
    (void)state;
    round_trips("a.su2", NULL, SAME_NAMES | SAME_NODE_GROUPS, 1);
    mixed("a.su2", NULL, false);
    mplan_error err;
    mplan_mesh *mesh = support_mixed_mesh(2, true), *back = NULL;
    assert_refused(mplan_mesh_write(mesh, file("b.su2"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_UNSUPPORTED, &err, "cell 3 is a tri6");
    assert_int_equal(access(file("b.su2"), F_OK), -1);
    mplan_mesh_free(mesh);
    /* names that would end a tag, and none */
    static const uint8_t edges[] = {MPLAN_CELL_LINE3};
    static const uint8_t triangle[] = {MPLAN_CELL_TRI3};
    static const int32_t nodes[] = {0, 1, 2, 3, 4, 5}, edge[] = {0, 1, 3};
    static const double xyz[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, .5, 0, 0, .5, .5, 0, 0, .5, 0};
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, 6, 1, triangle, nodes, &err), &err);
    assert_done(mplan_mesh_set_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 3, xyz, &err),
                &err);
    assert_done(mplan_mesh_add_facets(mesh, "50% of\nit", 1, 1, edges, edge, &err), &err);
    assert_done(mplan_mesh_add_facets(mesh, "", 17, 1, edges, edge, &err), &err);
    back = support_write_and_read(mesh, file("a.su2"), NULL, NULL);
    assert_int_equal(back->n_facet_groups, 2);
    assert_string_equal(back->facets[0].name, "50_ of_it");
    assert_string_equal(back->facets[1].name, "marker_17");
    assert_int_equal(back->facets[0].type[0], MPLAN_CELL_LINE2);
    assert_int_equal(back->sets[mplan_mesh_find_set(back, "nodes")].dimension, 2); /* z is 0 */
    mplan_mesh_free(back);
    mplan_mesh_free(mesh);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"a.su2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(file(names[i]));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(su2),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
