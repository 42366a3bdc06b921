/* SPDX-License-Identifier: Apache-2.0 */
/* test_su2.c - SU2 meshes, good and bad, from memory */
#include "support_test.h"

#include "formats/format.h"
#include "mesh/mesh.h"

static mplan_status read_text(const char *text, const char *zone, const mplan_context *context,
                              mplan_mesh **mesh, mplan_error *err)
{
    mplan_input input = {"a.su2", (const uint8_t *)text, strlen(text), NULL};
    mplan_read_options options = MPLAN_READ_OPTIONS_INIT;
    options.zone = zone;
    assert_done(mplan_mesh_create(mesh, err), err);
    mplan_status status = mplan_format_su2.read(&input, &options, context, *mesh, err);
    if (status != MPLAN_OK) {
        mplan_mesh_free(*mesh);
        *mesh = NULL;
    }
    return status;
}

static mplan_mesh *read_good(const char *text)
{
    mplan_mesh *mesh;
    mplan_error err;
    assert_done(read_text(text, NULL, NULL, &mesh, &err), &err);
    assert_done(mplan_mesh_validate(mesh, NULL, &err), &err);
    return mesh;
}

static void refuse(const char *text, mplan_status status, const char *part)
{
    mplan_mesh *mesh;
    mplan_error err;
    assert_refused(read_text(text, NULL, NULL, &mesh, &err), status, &err, part);
}

static mplan_map cells_of(const mplan_mesh *mesh)
{
    return mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
}

/* A triangle and a quad with four markers. */
#define PLANE                    \
    "% a comment\n"              \
    "NDIME= 2\n"                 \
    "\n"                         \
    "NELEM= 2 % two of them\n"   \
    "5 0 1 4 0\n"                \
    "  9\t1 2 3\t4 1 % last\r\n" \
    "NPOIN=5 5\n"                \
    "0 0 0\n"                    \
    "% between points\n"         \
    "1.0 0.0 1\n"                \
    "2e0 -.5E-1 2\n"             \
    "\n"                         \
    "2 1 3\n"                    \
    "1 1\n"                      \
    "NMARK = 3\n"                \
    "MARKER_TAG= lower wall \n"  \
    "MARKER_ELEMS= 2\n"          \
    "3 0 1\n"                    \
    "3 1 2 1\n"                  \
    "MARKER_TAG= nothing\n"      \
    "MARKER_ELEMS= 0\n"          \
    "MARKER_TAG=far % away\n"    \
    "MARKER_ELEMS= 1\n"          \
    "3 2 3"

static void plane(void **state)
{
    (void)state;
    mplan_mesh *mesh = read_good(PLANE);
    mplan_error err;
    int32_t n, dimension;
    mplan_map cells = cells_of(mesh);
    static const int32_t first[3] = {0, 1, 4}, second[4] = {1, 2, 3, 4};
    assert_int_equal(cells.n_rows, 2);
    assert_int_equal(cells.n_points, 5);
    assert_memory_equal(mplan_map_row(&cells, 0, &n), first, sizeof first);
    assert_int_equal(n, 3);
    assert_memory_equal(mplan_map_row(&cells, 1, &n), second, sizeof second);
    const double *x = mplan_mesh_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), &dimension);
    static const double places[10] = {0, 0, 1, 0, 2, -0.05, 2, 1, 1, 1};
    assert_int_equal(dimension, 2);
    assert_memory_equal(x, places, sizeof places);
    assert_done(mplan_mesh_derive(mesh, "boundary_faces_nodes", NULL, &err), &err);
    static const char *const name[3] = {"lower wall", "nothing", "far"};
    static const int64_t size[3] = {2, 0, 1};
    int64_t found = 0;
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh); g++) {
        mplan_group group = mplan_mesh_group(mesh, g);
        assert_true(group.id >= 1 && group.id <= 3);
        assert_string_equal(group.name, name[group.id - 1]);
        assert_int_equal(group.n_members, size[group.id - 1]);
        found += group.n_members;
    }
    assert_int_equal(found, 3);
    mplan_mesh_free(mesh);
}

/* Sections in another order, unknown ones, keys without blanks, no markers. */
static void any_order(void **state)
{
    (void)state;
    mplan_mesh *mesh = read_good("NMARK=1\n"
                                 "MARKER_TAG=rim\n"
                                 "MARKER_ELEMS=1\n"
                                 "3 0 1\n"
                                 "NPOIN=3\n"
                                 "0 0\n1 0\n0 1\n"
                                 "FFD_NBOX= 1\n"
                                 "FFD_TAG= BOX\n"
                                 "1.0 2.0\n"
                                 "3 word %\n"
                                 "NPERIODIC= 1\n"
                                 "PERIODIC_INDEX= 0\n"
                                 "PERIODIC_CENTER= 0 0 0\n"
                                 "NELEM=1\n"
                                 "5 0 1 2\n"
                                 "NDIME=2\n");
    assert_int_equal(cells_of(mesh).n_rows, 1);
    assert_int_equal(mesh->n_facet_groups, 1);
    assert_string_equal(mesh->facets[0].name, "rim");
    mplan_mesh_free(mesh);
    mesh = read_good("NDIME= 2\nNELEM= 0\nNPOIN= 0\n");
    assert_int_equal(cells_of(mesh).n_rows, 0);
    mplan_mesh_free(mesh);
}

#define CUBE_POINTS                                                            \
    "0 0 0 0\n1 0 0 1\n1 1 0 2\n0 1 0 3\n0 0 1 4\n1 0 1 5\n1 1 1 6\n0 1 1 7\n" \
    "0.5 0.5 2 8\n3 0 0\n3 0 1\n"

/* Every element of three dimensions; a prism written either way round. */
static void solid(void **state)
{
    (void)state;
    mplan_mesh *mesh = read_good("NDIME= 3\nNELEM= 5\n"
                                 "12 0 1 2 3 4 5 6 7\n"
                                 "14 4 5 6 7 8\n"
                                 "13 1 9 2 5 10 6\n"
                                 "13 1 2 9 5 6 10\n"
                                 "10 0 1 3 4\n"
                                 "NPOIN= 11\n" CUBE_POINTS "NMARK= 2\n"
                                 "MARKER_TAG= ends\nMARKER_ELEMS= 2\n5 1 9 2\n9 0 3 7 4\n"
                                 "MARKER_TAG= corners\nMARKER_ELEMS= 3\n1 8\n1 0\n1 8\n");
    static const uint8_t types[5] = {MPLAN_CELL_HEX8, MPLAN_CELL_PYRAMID5, MPLAN_CELL_PRISM6,
                                     MPLAN_CELL_PRISM6, MPLAN_CELL_TET4};
    static const int32_t prism[6] = {1, 9, 2, 5, 10, 6};
    mplan_map cells = cells_of(mesh);
    int32_t n;
    assert_memory_equal(mplan_mesh_cell_types(mesh), types, sizeof types);
    assert_memory_equal(mplan_map_row(&cells, 2, &n), prism, sizeof prism);
    assert_memory_equal(mplan_map_row(&cells, 3, &n), prism, sizeof prism);
    mplan_group corners = mplan_mesh_group(mesh, 0);
    assert_string_equal(corners.name, "corners");
    assert_int_equal(corners.id, 2);
    assert_int_equal(corners.n_members, 2);
    assert_true(corners.members[0] == 0 && corners.members[1] == 8);
    assert_int_equal(mesh->facets[0].n_facets, 2);
    mplan_mesh_free(mesh);
    /* a surface: elements of one lower dimension */
    mesh = read_good("NDIME= 3\nNELEM= 1\n5 0 1 2\nNPOIN= 3\n0 0 0\n1 0 0\n0 1 1\n");
    assert_int_equal(mplan_mesh_dimension(mesh), 2);
    mplan_mesh_free(mesh);
}

static void hear_empty(void *user, const char *text)
{
    assert_string_equal(text, "a.su2: the file has no cells");
    ++*(int *)user;
}

/* Programs write such files for surfaces: nothing to plan, which the user should know. */
static void a_file_without_cells_is_warned_of(void **state)
{
    (void)state;
    static const char *const texts[] = {"NDIME= 3\nNELEM= 0\nNPOIN= 0\n",
                                        "NDIME= 2\nNELEM= 1\n5 0 1 2\nNPOIN= 3\n0 0\n1 0\n0 1\n"};
    for (int cells = 0; cells < 2; cells++) {
        int heard = 0;
        mplan_mesh *mesh;
        mplan_error err;
        mplan_context context = MPLAN_CONTEXT_INIT;
        context.warning = hear_empty;
        context.user = &heard;
        assert_done(read_text(texts[cells], NULL, &context, &mesh, &err), &err);
        assert_int_equal(cells_of(mesh).n_rows, cells);
        assert_int_equal(heard, !cells);
        mplan_mesh_free(mesh);
    }
}

static void hear(void *user, const char *text)
{
    assert_non_null(strstr(text, "a.su2:9: marker SEND_RECEIVE"));
    ++*(int *)user;
}

static void send_receive(void **state)
{
    (void)state;
    int heard = 0;
    mplan_mesh *mesh;
    mplan_error err;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.warning = hear;
    context.user = &heard;
    assert_done(read_text("NDIME= 2\nNELEM= 1\n5 0 1 2\nNPOIN= 3 2\n0 0\n1 0\n0 1\nNMARK= 2\n"
                          "MARKER_TAG= SEND_RECEIVE\nMARKER_ELEMS= 2\nSEND_RECV= 1\n1 0 0\n1 1 0\n"
                          "MARKER_TAG= wall\nMARKER_ELEMS= 1\nSEND_RECV= 0\n3 0 1\n",
                          NULL, &context, &mesh, &err),
                &err);
    assert_int_equal(heard, 1);
    assert_int_equal(mesh->n_facet_groups, 1);
    assert_int_equal(mesh->facets[0].id, 2);
    mplan_mesh_free(mesh);
}

#define ZONE(n) "IZONE= " n "\nNELEM= 1\n5 0 1 2\nNPOIN= 3\n0 0\n" n " 0\n0 1\nNMARK= 0\n"

#define POINTS "NPOIN= 3\n0 0\n1 0\n0 1\n"

static void hear_zones(void *user, const char *text)
{
    assert_non_null(strstr(text, "a.su2: 2 zones (1, 2) are read as one mesh"));
    ++*(int *)user;
}

static void zones(void **state)
{
    (void)state;
    const char *two = "NZONE= 2\nNDIME= 2\n" ZONE("1") ZONE("2");
    const char *one = "NZONE= 1\nIZONE= 1\nNDIME= 2\nNELEM= 1\n5 0 1 2\nNPOIN= 3\n0 0\n1 0\n0 1\n";
    mplan_mesh *mesh;
    mplan_error err;
    int32_t dimension;
    for (int all = 0; all < 2; all++) {
        int heard = 0;
        mplan_context context = MPLAN_CONTEXT_INIT;
        context.warning = hear_zones;
        context.user = &heard;
        assert_done(read_text(two, all ? "all" : NULL, &context, &mesh, &err), &err);
        assert_int_equal(heard, 1 - all); /* the notice */
        assert_int_equal(mplan_mesh_set(mesh, 0).size, 6);
        assert_true(mplan_mesh_coordinates(mesh, 0, &dimension)[2] == 1);
        assert_true(mplan_mesh_coordinates(mesh, 0, &dimension)[8] == 2);
        const int32_t due[] = {0, 1, 2, 3, 4, 5};
        assert_memory_equal(mplan_mesh_map(mesh, 0).values, due, sizeof due);
        for (int z = 0; z < 2; z++) { /* a group each */
            mplan_group group = mplan_mesh_group(mesh, z);
            assert_string_equal(group.name, z ? "zone_2" : "zone_1");
            assert_int_equal(group.n_members, 1);
            assert_int_equal(group.members[0], z);
        }
        mplan_mesh_free(mesh);
    }
    assert_refused(read_text(two, "3", NULL, &mesh, &err), MPLAN_ERR_ARGUMENT, &err,
                   "there is no zone '3' among 1, 2");
    assert_refused(read_text(two, "", NULL, &mesh, &err), MPLAN_ERR_ARGUMENT, &err, "no zone ''");
    for (int z = 1; z <= 2; z++) {
        const char name[2] = {(char)('0' + z), '\0'};
        assert_done(read_text(two, name, NULL, &mesh, &err), &err);
        assert_true(mplan_mesh_coordinates(mesh, 0, &dimension)[2] == z);
        mplan_mesh_free(mesh);
    }
    assert_done(read_text(one, NULL, NULL, &mesh, &err), &err);
    mplan_mesh_free(mesh);
    assert_done(read_text(one, "1", NULL, &mesh, &err), &err);
    mplan_mesh_free(mesh);
    assert_refused(read_text(PLANE, "2", NULL, &mesh, &err), MPLAN_ERR_ARGUMENT, &err,
                   "there is no zone '2': the file has only one mesh");
    refuse("NZONE= 3\nNDIME= 2\n" ZONE("1") ZONE("2"), MPLAN_ERR_CORRUPT,
           "a.su2:1: NZONE= is 3, but there are 2");
    refuse("NZONE= 2\nIZONE= 1\nNDIME= 2\nNELEM= 1\n5 0 1 2\n" POINTS "IZONE= 2\nNDIME= 3\n",
           MPLAN_ERR_UNSUPPORTED, "a.su2:11: NDIME= is 3, but 2 in the zones before");
    refuse("NDIME= 2\nNELEM= 0\n" ZONE("1"), MPLAN_ERR_CORRUPT,
           "a.su2:2: NELEM= comes before the first IZONE=");
}

static void damaged(void **state)
{
    (void)state;
    refuse("", MPLAN_ERR_CORRUPT, "no section NDIME=");
    refuse("1 2 3\n", MPLAN_ERR_CORRUPT, "a.su2:1: expected a line KEY= VALUE before any numbers");
    refuse("NDIME 2\n", MPLAN_ERR_CORRUPT, "a.su2:1: expected a line KEY= VALUE");
    refuse("NDIME= 4\n", MPLAN_ERR_CORRUPT, "a.su2:1: NDIME= must be 2 or 3, not 4");
    refuse("NDIME= two\n", MPLAN_ERR_CORRUPT, "a.su2:1: expected the dimension (NDIME), found 'two'");
    refuse("NDIME=\n2\n", MPLAN_ERR_CORRUPT,
           "a.su2:1: expected the dimension (NDIME), found the end");
    refuse("NDIME= 2\nNDIME= 2\n", MPLAN_ERR_CORRUPT,
           "a.su2:2: a second section NDIME=, the first is in line 1");
    refuse("NDIME= 2\nNELEM= 0\n", MPLAN_ERR_CORRUPT, "no section NPOIN=");
    refuse("NDIME= 2\n" POINTS, MPLAN_ERR_CORRUPT, "no section NELEM=");
    refuse("NDIME= 2\nNPOIN= -1\n", MPLAN_ERR_CORRUPT,
           "a.su2:2: the number of points (NPOIN) must be 0 or more, not -1");
    refuse("NDIME= 2\nNPOIN= 99999999999\n0 0\n", MPLAN_ERR_CORRUPT,
           "a.su2:2: the number of points (NPOIN) is 99999999999, more than");
    refuse("NDIME= 2\nNPOIN= 3\n0 0\n1 0\n% end\nNELEM= 0\n", MPLAN_ERR_CORRUPT,
           "a.su2:6: a new section begins after 2 of 3 points");
    refuse("NDIME= 2\nNELEM= 0\nNPOIN= 3\n0 0\n1 0\n", MPLAN_ERR_CORRUPT,
           "a.su2:6: the file ends after 2 of 3 points");
    refuse("NDIME= 2\nNPOIN= 1\n0 0\n1 0\n", MPLAN_ERR_CORRUPT,
           "a.su2:4: there are more than the 1 points that NPOIN= says");
    refuse("NDIME= 2\nNPOIN= 1\n0\n1\n", MPLAN_ERR_CORRUPT,
           "a.su2:3: expected a coordinate, found the end of the line");
    refuse("NDIME= 2\nNPOIN= 1\n0 1e999\n", MPLAN_ERR_MESH,
           "a.su2:3: a coordinate of point 0 is not finite (inf)");
    refuse("NDIME= 2\n" POINTS "NELEM= 1\n\n5 0 1\n", MPLAN_ERR_CORRUPT,
           "a.su2:8: expected a node of an element, found the end of the line");
    refuse("NDIME= 2\n" POINTS "NELEM= 1\n5 0 1 3\n", MPLAN_ERR_MESH,
           "a.su2:7: node 3 is not in [0, 3)");
    refuse("NDIME= 2\n" POINTS "NELEM= 1\n5 0 1 -1\n", MPLAN_ERR_MESH,
           "a.su2:7: node -1 is not in [0, 3)");
    refuse("NDIME= 2\n" POINTS "NELEM= 1\n5 0 1 2.5\n", MPLAN_ERR_CORRUPT,
           "a.su2:7: expected a node of an element, found '2.5'");
    refuse("NDIME= 2\n" POINTS "NELEM= 2\n5 0 1 2\n", MPLAN_ERR_CORRUPT,
           "a.su2:8: the file ends after 1 of 2 elements");
    refuse("NDIME= 2\n" POINTS "NELEM= 1\n5 0 1 2\n5 0 1 2\n", MPLAN_ERR_CORRUPT,
           "a.su2:8: there are more than the 1 elements");
    refuse("NDIME= 2\n" POINTS "NELEM= 1\n22 0 1 2 0 1 2\n", MPLAN_ERR_UNSUPPORTED,
           "a.su2:7: element type 22 is unknown");
    refuse("NDIME= 2\n" POINTS "NELEM= 1\n10 0 1 2 0\n", MPLAN_ERR_MESH,
           "a.su2:7: a tet4 cannot be an element of a mesh with NDIME= 2");
    refuse("NDIME= 2\n" POINTS "NELEM= 1\n1 0\n", MPLAN_ERR_MESH,
           "a.su2:7: a point cannot be an element");
    refuse("NDIME= 2\n" POINTS "NELEM= 2\n5 0 1 2\n3 0 1\n", MPLAN_ERR_MESH,
           "a.su2:8: a line2 is among elements of another dimension");
}

#define MESH "NDIME= 2\n" POINTS "NELEM= 1\n5 0 1 2\n"

static void damaged_markers(void **state)
{
    (void)state;
    refuse(MESH "NMARK= 2\nMARKER_TAG= a\nMARKER_ELEMS= 1\n3 0 1\n", MPLAN_ERR_CORRUPT,
           "a.su2:8: NMARK= is 2, but there are 1 markers");
    refuse(MESH "NMARK= 1\nMARKER_TAG= a\nMARKER_ELEMS= 2\n3 0 1\n", MPLAN_ERR_CORRUPT,
           "a.su2:12: the file ends after 1 of 2 elements of the marker");
    refuse(MESH "NMARK= 1\nMARKER_TAG= a\nMARKER_ELEMS= 1\n3 0 1\n3 1 2\n", MPLAN_ERR_CORRUPT,
           "a.su2:12: there are more than the 1 elements that MARKER_ELEMS=");
    refuse(MESH "NMARK= 1\nMARKER_TAG= a\nMARKER_ELEMS= 1\n3 0 7\n", MPLAN_ERR_MESH,
           "a.su2:11: node 7 is not in [0, 3)");
    refuse(MESH "NMARK= 1\nMARKER_TAG= a\nMARKER_ELEMS= 1\n5 0 1 2\n", MPLAN_ERR_MESH,
           "a.su2:11: a tri3 cannot be in marker 'a' of a mesh of dimension 2");
    refuse(MESH "NMARK= 1\nMARKER_TAG= a\nMARKER_ELEMS= 2\n3 0 1\n1 0\n", MPLAN_ERR_MESH,
           "a.su2:12: a point cannot be in marker 'a'");
    refuse(MESH "NMARK= 1\nMARKER_TAG= a\n", MPLAN_ERR_CORRUPT,
           "a.su2:9: marker 'a' has no MARKER_ELEMS=");
    refuse(MESH "NMARK= 1\nMARKER_TAG= %\nMARKER_ELEMS= 0\n", MPLAN_ERR_CORRUPT,
           "a.su2:9: MARKER_TAG= is empty");
    refuse(MESH "MARKER_ELEMS= 0\n", MPLAN_ERR_CORRUPT,
           "a.su2:8: MARKER_ELEMS= does not follow a MARKER_TAG=");
    refuse(MESH "NMARK= 1\nMARKER_TAG= a\nMARKER_ELEMS= 99999999\n3 0 1\n", MPLAN_ERR_CORRUPT,
           "a.su2:10: the number of elements of a marker (MARKER_ELEMS) is 99999999, more than");
}

/* Whatever is cut off, the reader fails or the mesh is valid. */
static void truncated(void **state)
{
    (void)state;
    for (size_t length = 0; length < strlen(PLANE); length++) {
        char *copy = malloc(length + 1); /* exact, so that sanitizers see reads behind it */
        mplan_mesh *mesh;
        mplan_error err;
        memcpy(copy, PLANE, length);
        copy[length] = '\0';
        mplan_input input = {"a.su2", (uint8_t *)copy, length, NULL};
        assert_done(mplan_mesh_create(&mesh, &err), &err);
        if (mplan_format_su2.read(&input, NULL, NULL, mesh, &err) == MPLAN_OK)
            assert_done(mplan_mesh_validate(mesh, NULL, &err), &err);
        mplan_mesh_free(mesh);
        free(copy);
    }
}

static void recognised(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        mplan_recognised answer;
    } files[] = {{PLANE, MPLAN_RECOGNISED_YES},
                 {"%\n\nNZONE = 2\n", MPLAN_RECOGNISED_YES},
                 {"NPOIN=3\n", MPLAN_RECOGNISED_YES},
                 {"AOA= 3\n", MPLAN_RECOGNISED_MAYBE},
                 {"1 2 3\n", MPLAN_RECOGNISED_NO},
                 {"NDIME 2\n", MPLAN_RECOGNISED_NO},
                 {"$MeshFormat\n", MPLAN_RECOGNISED_NO},
                 {"%", MPLAN_RECOGNISED_NO},
                 {"", MPLAN_RECOGNISED_NO}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_int_equal(mplan_format_su2.recognise((const uint8_t *)files[i].text,
                                                    strlen(files[i].text)),
                         files[i].answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plane),        cmocka_unit_test(any_order),
        cmocka_unit_test(solid),        cmocka_unit_test(a_file_without_cells_is_warned_of),
        cmocka_unit_test(send_receive), cmocka_unit_test(zones),
        cmocka_unit_test(damaged),      cmocka_unit_test(damaged_markers),
        cmocka_unit_test(truncated),    cmocka_unit_test(recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
