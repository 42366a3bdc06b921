/* SPDX-License-Identifier: Apache-2.0 */
/* test_ugrid.c - UGRID files: zones, sides of edges, points of the sphere */
#include "support_test.h"

#include <math.h>

#include "formats/format.h"
#include "formats/sphere.h"
#include "mesh/mesh.h"

static void sines_are_those_of_libm(void **state)
{
    (void)state;
    for (int i = -7200; i <= 7200; i++) {
        double degrees = i / 10.0, sine, cosine;
        mplan_sine_degrees(degrees, &sine, &cosine);
        assert_true(fabs(sine - sin(degrees * acos(-1) / 180)) < 1e-14);
        assert_true(fabs(cosine - cos(degrees * acos(-1) / 180)) < 1e-14);
    }
    double sine, cosine, xyz[3];
    mplan_sine_degrees(30, &sine, &cosine);
    assert_true(fabs(sine - 0.5) < 1e-16);
    mplan_sine_degrees(-90, &sine, &cosine);
    assert_true(sine == -1 && cosine == 0);
    mplan_sphere_point(90, 0, xyz);
    assert_true(xyz[0] == 0 && xyz[1] == 1 && xyz[2] == 0);
}

static mplan_status read_zone(const char *name, const char *zone, mplan_mesh **mesh, mplan_error *err)
{
    char path[512];
    mplan_read_options options = MPLAN_READ_OPTIONS_INIT;
    options.zone = zone;
    snprintf(path, sizeof path, "%s/ugrid/%s", MPLAN_TEST_DATA, name);
    return mplan_mesh_read(path, &options, NULL, mesh, err);
}

static void zones_are_chosen(void **state)
{
    (void)state;
    mplan_mesh *mesh = NULL;
    mplan_error err;
    if (mplan_format_ugrid.missing) {
        assert_refused(read_zone("good-two.nc", NULL, &mesh, &err), MPLAN_ERR_UNSUPPORTED, &err,
                       "the format ugrid needs a build with libnetcdf");
        return;
    }
    assert_done(read_zone("good-two.nc", NULL, &mesh, &err), &err);
    assert_int_equal(mplan_mesh_dimension(mesh), 2);
    mplan_mesh_free(mesh);
    assert_done(read_zone("good-two.nc", "net", &mesh, &err), &err);
    assert_int_equal(mplan_mesh_dimension(mesh), 1);
    mplan_mesh_free(mesh);
    mesh = NULL;
    assert_refused(read_zone("good-two.nc", "C2", &mesh, &err), MPLAN_ERR_ARGUMENT, &err,
                   "there is no mesh 'C2' among C1, net");
}

/* Every edge of the cube has two faces, the lower first, and each of them has the edge. */
static void edges_get_their_sides(void **state)
{
    (void)state;
    mplan_mesh *mesh = NULL;
    mplan_error err;
    if (mplan_format_ugrid.missing)
        return;
    assert_done(read_zone("good-cube.nc", NULL, &mesh, &err), &err);
    assert_string_equal(mplan_mesh_faces_name(mesh), "edges");
    mplan_map sides = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "edges_cells"));
    mplan_map edges = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_edges"));
    assert_int_equal(sides.arity, 2);
    for (int32_t e = 0; e < 12; e++) {
        const int32_t *cell = &sides.values[2 * e];
        assert_true(cell[0] < cell[1]);
        for (int s = 0; s < 2; s++) {
            const int32_t *row = &edges.values[4 * cell[s]];
            assert_true(row[0] == e || row[1] == e || row[2] == e || row[3] == e);
        }
    }
    int32_t dimension;
    const double *xyz = mplan_mesh_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), &dimension);
    assert_int_equal(dimension, 3);
    for (int i = 0; i < 24; i++) /* the cube's corners */
        assert_true(fabs(fabs(xyz[i]) - sqrt(1.0 / 3)) < 1e-15);
    mplan_mesh_free(mesh);
}

static void maps_keep_what_the_file_says(void **state)
{
    (void)state;
    mplan_mesh *mesh = NULL;
    mplan_error err;
    if (mplan_format_ugrid.missing)
        return;
    assert_done(read_zone("good-edges.nc", NULL, &mesh, &err), &err);
    assert_string_equal(mplan_mesh_faces_name(mesh), "faces"); /* edges at the rim have one cell */
    mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "edges_cells"));
    const int32_t sides[] = {0, -1, 0, 1, 0, 2, 0, -1, 1, -1, 1, -1, 1, 3, 2, 3, 2, -1, 3, -1};
    assert_memory_equal(map.values, sides, sizeof sides);
    map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_edges"));
    const int64_t offsets[] = {0, 4, 8, 11, 14};
    assert_int_equal(map.arity, 0);
    assert_memory_equal(map.offsets, offsets, sizeof offsets);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sines_are_those_of_libm),
        cmocka_unit_test(zones_are_chosen),
        cmocka_unit_test(edges_get_their_sides),
        cmocka_unit_test(maps_keep_what_the_file_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
