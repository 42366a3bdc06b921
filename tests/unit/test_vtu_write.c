/* SPDX-License-Identifier: Apache-2.0 */
/* test_vtu_write.c - VTU files as written: nodes in VTK's order, rows without types, marks, names; all else is looked at
 * by tests/package/vtu.py */
#include "support_test.h"

#include <unistd.h>

#include "base/file.h"
#include "base/file_output.h"
#include "base/markup.h"
#include "formats/vtk/vtk.h"
#include "formats/vtk/vtu_write.h"
#include "mesh/mesh.h"

static char folder[] = "/tmp/mplan-vtu-XXXXXX";
static char path[64];

/* What the reader of VTK's cells turns into Gmsh's order comes back as it was. */
static void shapes_are_inverse(void **state)
{
    (void)state;
    static const uint8_t codes[] = {3,  5,  9,  10, 12, 13, 14, 21, 22,
                                    23, 24, 25, 26, 27, 28, 29, 32};
    for (size_t c = 0; c < sizeof codes; c++) {
        mplan_mesh *mesh = NULL;
        mplan_error err;
        mplan_vtk_node_order shape = {0};
        for (int32_t t = 0; t < MPLAN_N_CELL_TYPES && shape.code != codes[c]; t++)
            mplan_vtk_shape_of((mplan_cell_type)t, &shape);
        assert_int_equal(shape.code, codes[c]);
        mplan_vtk_cells cells = {.n_cells = 1, .n_points = 27};
        cells.types = malloc(1);
        cells.offsets = calloc(2, sizeof *cells.offsets);
        cells.points = calloc(27, sizeof *cells.points);
        cells.xyz = calloc(27 * 3, sizeof *cells.xyz);
        cells.types[0] = codes[c];
        cells.offsets[1] = shape.n_nodes;
        for (int32_t k = 0; k < 27; k++) {
            cells.points[k] = k;
            cells.xyz[3 * k] = k;
        }
        assert_done(mplan_mesh_create(&mesh, &err), &err);
        assert_done(mplan_vtk_take_cells("a", &cells, mesh, NULL, &err), &err);
        mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
        for (int32_t k = 0; k < shape.n_nodes; k++)
            assert_int_equal(map.values[shape.node[k]], k);
        mplan_mesh_free(mesh);
    }
}

static void on_warning(void *user, const char *text)
{
    snprintf(user, 200, "%s", text);
}

/* The bytes of a file that holds `grid`; *size of them, with a final zero. */
static char *written(const mplan_vtu_grid *grid, const mplan_context *context, size_t *size)
{
    mplan_output *output;
    mplan_error err;
    mplan_file file;
    assert_done(mplan_output_open(path, NULL, &output, &err), &err);
    assert_done(mplan_vtu_write_grid(grid, output, context, &err), &err);
    assert_done(mplan_output_commit(output, &err), &err);
    assert_done(mplan_file_open(path, NULL, &file, &err), &err);
    char *copy = calloc(file.size + 1, 1);
    memcpy(copy, file.data, file.size);
    *size = file.size;
    mplan_file_close(&file);
    return copy;
}

static void heads_say_what_follows(void **state)
{
    (void)state;
    static const double xyz[10] = {0, 0, 1, 0, 1, 1, 0, 1, 2, 2};
    static const int64_t offsets[] = {0, 5, 8, 8, 9};
    static const int32_t rows[] = {0, 1, 2, 3, 4, 0, -1, 2, 4}, line[] = {0, 1}, mark[] = {0};
    static const uint8_t type[] = {MPLAN_CELL_LINE2};
    static const double heat[] = {1, 2, 3, 4, 5};
    const mplan_vtu_cells parts[] = {{4, NULL, 0, offsets, rows, NULL, NULL},
                                     {1, type, 0, NULL, line, NULL, NULL}};
    const mplan_vtu_field fields[] = {
        {.name = "a \"<b>\"", .first = 4, .n_marks = 1, .marks = mark},
        {.name = "heat", .of_points = true, .type = MPLAN_TYPE_F64, .data = heat}};
    const mplan_vtu_grid grid = {5, 2, xyz, 2, 2, parts, fields};
    size_t size;
    char *text = written(&grid, NULL, &size);
    assert_non_null(strstr(text, "<Piece NumberOfPoints=\"5\" NumberOfCells=\"5\">"));
    assert_non_null(strstr(text, "<DataArray type=\"UInt8\" Name=\"a &quot;&lt;b&gt;&quot;\""));
    assert_non_null(strstr(text,
                           "<DataArray type=\"Float64\" Name=\"heat\" format=\"appended\" offset=\"0\"/>"));
    assert_non_null(strstr(text, "<DataArray type=\"Int32\" Name=\"connectivity\""));
    static const char end[] = "\n  </AppendedData>\n</VTKFile>\n";
    assert_string_equal(text + size - strlen(end), end);
#ifndef MPLAN_HAVE_ZLIB /* bytes as they are: polygon, line, nothing, vertex, line */
    static const uint8_t types[] = {7, 3, 0, 1, 3}, marks[] = {0, 0, 0, 0, 1};
    static const int32_t nodes[] = {0, 1, 2, 3, 4, 0, 2, 4, 0, 1}, ends[] = {5, 7, 7, 8, 10};
    const char *at = text + size - strlen(end) - sizeof types;
    assert_memory_equal(at, types, sizeof types);
    assert_memory_equal(at - 8 - sizeof ends, ends, sizeof ends);
    assert_memory_equal(at - 8 - sizeof ends - 8 - sizeof nodes, nodes, sizeof nodes);
    assert_memory_equal(at - 16 - sizeof ends - sizeof nodes - 8 - 120 - 8 - sizeof marks, marks,
                        sizeof marks);
#endif
    free(text);
}

static void flat_pyramids_are_told_of(void **state)
{
    (void)state;
    static const double xyz[14 * 3] = {0};
    static const uint8_t type = MPLAN_CELL_PYRAMID14;
    int32_t nodes[14];
    char warning[200] = "";
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.warning = on_warning;
    context.user = warning;
    for (int32_t k = 0; k < 14; k++)
        nodes[k] = k;
    const mplan_vtu_cells part = {1, &type, 14, NULL, nodes, NULL, NULL};
    const mplan_vtu_grid grid = {14, 3, xyz, 1, 0, &part, NULL};
    size_t size;
    free(written(&grid, &context, &size));
    assert_string_equal(warning, "VTK has no pyramids of 14 nodes: 1 are written without the node in "
                                 "the centre of their base");
}

static void refuses_meshes_without_cells(void **state)
{
    (void)state;
    mplan_mesh *mesh = NULL;
    mplan_error err;
    static const uint8_t type[] = {MPLAN_CELL_TRI3};
    static const int32_t nodes[] = {0, 1, 2};
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_refused(mplan_mesh_write(mesh, path, NULL, NULL, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "a VTU file needs cells and nodes, which this mesh does not have");
    assert_done(mplan_mesh_add_cells(mesh, 3, 1, type, nodes, &err), &err);
    assert_refused(mplan_mesh_write(mesh, path, "vtu", NULL, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "coordinates of the nodes, which this mesh does not have");
    mplan_mesh_free(mesh);
}

/* Groups of equal or empty names, and one that has no place. */
static void groups_become_fields(void **state)
{
    (void)state;
    mplan_mesh *mesh = NULL;
    mplan_error err;
    mplan_file file;
    char warning[200] = "";
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.warning = on_warning;
    context.user = warning;
    static const double xy[] = {0, 0, 1, 0, 0, 1};
    static const uint8_t type[] = {MPLAN_CELL_TRI3}, line[] = {MPLAN_CELL_LINE2};
    static const int32_t nodes[] = {0, 1, 2}, member[] = {0};
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, 3, 1, type, nodes, &err), &err);
    assert_done(mplan_mesh_set_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 2, xy, &err),
                &err);
    int32_t cells = mplan_mesh_find_set(mesh, "cells"), other;
    assert_done(mplan_mesh_add_set(mesh, "other", 1, &other, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "air", 7, 2, cells, 1, member, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "", 8, 2, cells, 1, member, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "air", 9, 2, cells, 1, member, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "lost", 10, 2, other, 1, member, &err), &err);
    assert_done(mplan_mesh_add_facets(mesh, "wall", 1, 1, line, nodes, &err), &err);
    assert_done(mplan_mesh_write(mesh, path, NULL, NULL, &context, &err), &err);
    assert_string_equal(warning,
                        "the group 'lost' of other cannot be written to a VTU file and is skipped");
    assert_done(mplan_file_open(path, NULL, &file, &err), &err);
    char *text = calloc(file.size + 1, 1);
    memcpy(text, file.data, file.size);
    static const char *const expected[] = {"NumberOfCells=\"2\"", "Name=\"air\"",
                                           "Name=\"group 8\"", "Name=\"air 9\"", "Name=\"wall\""};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_non_null(strstr(text, expected[i]));
    free(text);
    mplan_file_close(&file);
    mplan_mesh_free(mesh);
}

static void texts_are_marked_up(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"", ""},
        {"a&b<c>\"'", "a&amp;b&lt;c&gt;&quot;&#39;"},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", NULL},
        {"\x01\x1f\t", "\xef\xbf\xbd\xef\xbf\xbd\t"},
        {"\xff", "\xef\xbf\xbd"},
        {"\xc3", "\xef\xbf\xbd"},
        {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xe0\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        mplan_error err;
        char *text = mplan_markup(pairs[i][0], &err);
        assert_non_null(text);
        assert_string_equal(text, pairs[i][1] ? pairs[i][1] : pairs[i][0]);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_inverse),        cmocka_unit_test(heads_say_what_follows),
        cmocka_unit_test(flat_pyramids_are_told_of), cmocka_unit_test(refuses_meshes_without_cells),
        cmocka_unit_test(groups_become_fields),      cmocka_unit_test(texts_are_marked_up),
    };
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/a.vtu", folder);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    rmdir(folder);
    return failed;
}
