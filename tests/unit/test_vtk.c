/* SPDX-License-Identifier: Apache-2.0 */
/* test_vtk.c - VTK legacy files: the order of nodes, numbers of every type */
#include "support_test.h"

#include <math.h>

#include "formats/format.h"
#include "mesh/mesh.h"

static mplan_status read_bytes(const char *bytes, size_t size, mplan_mesh **mesh, mplan_error *err)
{
    mplan_input input = {"a.vtk", (const uint8_t *)bytes, size, NULL};
    assert_done(mplan_mesh_create(mesh, err), err);
    mplan_status status = mplan_format_vtk.read(&input, NULL, NULL, *mesh, err);
    if (status != MPLAN_OK) {
        mplan_mesh_free(*mesh);
        *mesh = NULL;
    }
    return status;
}

/* --- second order ---------------------------------------------------------------- */

enum { MOST = 27, MOST_MIDS = 19 };

/* Corners of each cell that a node lies between, as numbers of two hexadecimal digits and more:
 * "01" is the middle of the edge from corner 0 to corner 1, "ALL" the centre. */
typedef struct second_order {
    int code;
    const char *corners; /* coordinates, a letter each */
    const char *vtk[MOST_MIDS], *gmsh[MOST_MIDS];
} second_order;

#define TRI "000 100 010"
#define QUAD "000 100 110 010"
#define TET "000 100 010 001"
#define HEX "000 100 110 010 001 101 111 011"
#define PRISM "000 100 010 001 101 011"
#define PYRAMID "000 200 220 020 112"
#define VTK_HEX "01", "12", "23", "30", "45", "56", "67", "74", "04", "15", "26", "37"
#define GMSH_HEX "01", "03", "04", "12", "15", "23", "26", "37", "45", "47", "56", "67"
#define VTK_PRISM "01", "12", "20", "34", "45", "53", "03", "14", "25"
#define GMSH_PRISM "01", "02", "03", "12", "14", "25", "34", "35", "45"

/* VTK: figures of "VTK File Formats"; Gmsh: "Node ordering" of its manual. */
static const second_order kinds[] = {
    {22, TRI, {"01", "12", "20"}, {"01", "12", "20"}},
    {23, QUAD, {"01", "12", "23", "30"}, {"01", "12", "23", "30"}},
    {28, QUAD, {"01", "12", "23", "30", "0123"}, {"01", "12", "23", "30", "0123"}},
    {24, TET, {"01", "12", "20", "03", "13", "23"}, {"01", "12", "20", "03", "23", "13"}},
    {25, HEX, {VTK_HEX}, {GMSH_HEX}},
    /* Lagrange's, of second order */
    {69, TRI, {"01", "12", "20"}, {"01", "12", "20"}},
    {70, QUAD, {"01", "12", "23", "30", "0123"}, {"01", "12", "23", "30", "0123"}},
    {71, TET, {"01", "12", "20", "03", "13", "23"}, {"01", "12", "20", "03", "23", "13"}},
    {29,
     HEX,
     {VTK_HEX, "0473", "1265", "0154", "3762", "0321", "4567", "01234567"},
     {GMSH_HEX, "0321", "0154", "0473", "1265", "2376", "4567", "01234567"}},
    {26, PRISM, {VTK_PRISM}, {GMSH_PRISM}},
    {32, PRISM, {VTK_PRISM, "0143", "1254", "2035"}, {GMSH_PRISM, "0143", "0352", "1254"}},
    {27,
     PYRAMID,
     {"01", "12", "23", "30", "04", "14", "24", "34"},
     {"01", "03", "04", "12", "14", "23", "24", "34"}},
};

static int place_nodes(const second_order *kind, const char *const mids[MOST_MIDS],
                       double xyz[MOST][3])
{
    int n = 0;
    for (const char *at = kind->corners; n == 0 || at[-1]; at += 4, n++)
        for (int d = 0; d < 3; d++)
            xyz[n][d] = at[d] - '0';
    for (int m = 0; m < MOST_MIDS && mids[m]; m++, n++) {
        size_t k = strlen(mids[m]);
        for (int d = 0; d < 3; d++) {
            xyz[n][d] = 0;
            for (size_t i = 0; i < k; i++)
                xyz[n][d] += xyz[mids[m][i] - '0'][d] / (double)k;
        }
    }
    return n;
}

static void test_order_of_nodes(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        double from[MOST][3], expected[MOST][3];
        char text[4096];
        int n = place_nodes(&kinds[k], kinds[k].vtk, from);
        assert_int_equal(place_nodes(&kinds[k], kinds[k].gmsh, expected), n);
        size_t at = (size_t)snprintf(text, sizeof text,
                                     "# vtk DataFile Version 2.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                                     "POINTS %d double\n",
                                     n);
        for (int i = 0; i < n; i++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%.17g %.17g %.17g\n", from[i][0],
                                   from[i][1], from[i][2]);
        at += (size_t)snprintf(text + at, sizeof text - at, "CELLS 1 %d\n%d", n + 1, n);
        for (int i = 0; i < n; i++)
            at += (size_t)snprintf(text + at, sizeof text - at, " %d", i);
        at += (size_t)snprintf(text + at, sizeof text - at, "\nCELL_TYPES 1\n%d\n", kinds[k].code);
        mplan_mesh *mesh;
        mplan_error err;
        assert_done(read_bytes(text, at, &mesh, &err), &err);
        mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
        assert_int_equal(map.arity, n);
        for (int i = 0; i < n; i++)
            for (int d = 0; d < 3; d++)
                assert_true(fabs(from[map.values[i]][d] - expected[i][d]) < 1e-12);
        mplan_mesh_free(mesh);
    }
}

/* --- numbers ---------------------------------------------------------------------- */

/* Three points of a triangle by every type of numbers, big-endian. */
static void test_types_of_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int bytes;
        bool real;
        double least; /* what the first coordinate is */
    } types[] = {
        {"char", 1, false, -128},       {"unsigned_char", 1, false, 200},
        {"short", 2, false, -300},      {"unsigned_short", 2, false, 60000},
        {"int", 4, false, -70000},      {"unsigned_int", 4, false, 4e9},
        {"long", 8, false, -5e12},      {"unsigned_long", 8, false, 5e12},
        {"vtktypeint64", 8, false, -1}, {"vtkIdType", 4, false, 7},
        {"float", 4, true, -0.5},       {"double", 8, true, 0.1},
    };
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        char text[512];
        const double xyz[9] = {types[t].least, 0, 0, 1, 0, 0, 0, 1, 0};
        static const unsigned char cells[] = {0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2};
        size_t at = (size_t)snprintf(text, sizeof text,
                                     "# vtk DataFile Version 3.0\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\n"
                                     "POINTS 3 %s\n",
                                     types[t].name);
        for (int i = 0; i < 9; i++) {
            uint64_t bits = (uint64_t)(int64_t)xyz[i];
            float half = (float)xyz[i];
            uint32_t half_bits;
            memcpy(&half_bits, &half, sizeof half_bits);
            if (types[t].real && types[t].bytes == 4)
                bits = half_bits;
            else if (types[t].real)
                memcpy(&bits, &xyz[i], sizeof bits);
            for (int b = types[t].bytes - 1; b >= 0; b--)
                text[at++] = (char)(bits >> (8 * b) & 255);
        }
        at += (size_t)snprintf(text + at, sizeof text - at, "\nCELLS 1 4\n");
        memcpy(text + at, cells, sizeof cells);
        at += sizeof cells;
        at += (size_t)snprintf(text + at, sizeof text - at, "\nCELL_TYPES 1\n");
        memcpy(text + at, "\0\0\0\5", 4);
        at += 4;
        mplan_mesh *mesh;
        mplan_error err;
        assert_done(read_bytes(text, at, &mesh, &err), &err);
        const mplan_mesh_set_data *nodes = &mesh->sets[mplan_mesh_find_set(mesh, "nodes")];
        assert_int_equal(nodes->dimension, 2);
        assert_true(nodes->coordinates[0] == types[t].least);
        mplan_mesh_free(mesh);
        for (size_t end = at - 1; end > 30; end--) /* cut anywhere: refused, nothing read behind */
            assert_true(read_bytes(text, end, &mesh, &err) != MPLAN_OK);
    }
}

static void keep_warning(void *user, const char *text)
{
    snprintf(user, 256, "%s", text);
}

/* Kinds of higher order become cells of first order by their corners, beside others, whose points stay. */
static void test_corners(void **state)
{
    static const struct {
        int code, n, corners;
        mplan_cell_type type;
    } higher[] = {{30, 6, 4, MPLAN_CELL_QUAD4},   {34, 7, 3, MPLAN_CELL_TRI3},
                  {69, 10, 3, MPLAN_CELL_TRI3},   {70, 16, 4, MPLAN_CELL_QUAD4},
                  {71, 20, 4, MPLAN_CELL_TET4},   {72, 27, 8, MPLAN_CELL_HEX8},
                  {73, 18, 6, MPLAN_CELL_PRISM6}, {74, 14, 5, MPLAN_CELL_PYRAMID5},
                  {79, 27, 8, MPLAN_CELL_HEX8},   {31, 12, 6, MPLAN_CELL_PRISM6},
                  {33, 24, 8, MPLAN_CELL_HEX8},   {37, 19, 5, MPLAN_CELL_PYRAMID5},
                  {76, 10, 3, MPLAN_CELL_TRI3},   {35, 4, 2, MPLAN_CELL_LINE2},
                  {68, 5, 2, MPLAN_CELL_LINE2}};
    (void)state;
    for (size_t h = 0; h < sizeof higher / sizeof *higher; h++) {
        char text[4096], warning[256] = "";
        const int n = higher[h].n, linear = (int)higher[h].type;
        static const int code_of[MPLAN_N_CELL_TYPES] = {
            [MPLAN_CELL_LINE2] = 3,    [MPLAN_CELL_TRI3] = 5,  [MPLAN_CELL_QUAD4] = 9,
            [MPLAN_CELL_TET4] = 10,    [MPLAN_CELL_HEX8] = 12, [MPLAN_CELL_PRISM6] = 13,
            [MPLAN_CELL_PYRAMID5] = 14};
        const mplan_context context = {
            .struct_size = sizeof context, .warning = keep_warning, .user = warning};
        char *at =
            text +
            sprintf(text,
                    "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n",
                    n);
        for (int i = 0; i < n; i++)
            at += sprintf(at, "%d %d %d\n", i, i * i % 7, i * i * i % 11);
        at += sprintf(at, "CELLS 2 %d\n%d", n + higher[h].corners + 2, n);
        for (int i = 0; i < n; i++)
            at += sprintf(at, " %d", n - 1 - i);
        at += sprintf(at, "\n%d", higher[h].corners);
        for (int i = 0; i < higher[h].corners; i++)
            at += sprintf(at, " %d", i);
        at += sprintf(at, "\nCELL_TYPES 2\n%d %d\n", higher[h].code, code_of[linear]);
        mplan_input input = {"a.vtk", (const uint8_t *)text, (size_t)(at - text), NULL};
        mplan_mesh *mesh = NULL;
        mplan_error err;
        assert_done(mplan_mesh_create(&mesh, &err), &err);
        assert_done(mplan_format_vtk.read(&input, NULL, &context, mesh, &err), &err);
        assert_string_equal(warning, "a.vtk: 1 cells of higher order are read by their corners");
        mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
        for (int64_t c = 0; c < 2; c++) {
            int32_t length;
            const int32_t *row = mplan_map_row(&map, c, &length);
            assert_int_equal(mplan_mesh_cell_types(mesh)[c], higher[h].type);
            assert_int_equal(length, higher[h].corners);
            for (int32_t k = 0; k < length; k++) {
                const int32_t due = c == 0 ? n - 1 - k : k;
                if (higher[h].type != MPLAN_CELL_PRISM6)
                    assert_int_equal(row[k], due);
                else /* which may be reversed */
                    assert_in_range(row[k], c == 0 ? n - 6 : 0, c == 0 ? n - 1 : 5);
            }
        }
        mplan_mesh_free(mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_nodes),
        cmocka_unit_test(test_types_of_numbers),
        cmocka_unit_test(test_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
