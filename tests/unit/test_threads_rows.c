/* SPDX-License-Identifier: Apache-2.0 */
/* test_threads_rows.c - text meshes that threads read are those that one thread reads, and so are the messages of damaged ones */
#include "support_test.h"

#include "formats/foam/foam_parts.h"
#include "formats/format.h"
#include "formats/scan_rows.h"
#include "mesh/mesh.h"
#include "support_threads.h"

enum {
    SIDE = 80,
    N_NODES = (SIDE + 1) * (SIDE + 1),
    N_QUADS = SIDE * SIDE,
    N_SPLIT = N_QUADS / 2,
    LARGE = 1 << 21
};
enum { N_CELLS = 2 * N_SPLIT + N_QUADS - N_SPLIT, DAMAGED = 24 };

typedef enum dialect { GMSH_41, GMSH_22, SU2, ABAQUS, NASTRAN, N_DIALECTS } dialect;

static const mplan_file_format *const format[N_DIALECTS] = {&mplan_format_gmsh, &mplan_format_gmsh,
                                                            &mplan_format_su2, &mplan_format_abaqus,
                                                            &mplan_format_nastran};

/* Corners of cell c from 0: the first squares are two triangles each, the others are quads. Returns how many. */
static int corners_of(int c, int corner[4])
{
    const int square = c < 2 * N_SPLIT ? c / 2 : c - N_SPLIT;
    const int at = square / SIDE * (SIDE + 1) + square % SIDE;
    const int all[4] = {at, at + 1, at + SIDE + 2, at + SIDE + 1};
    const int first = c < 2 * N_SPLIT && c % 2 ? 2 : 0;
    const int n = c < 2 * N_SPLIT ? 3 : 4;
    for (int k = 0; k < n; k++)
        corner[k] = all[(first + k) % 4];
    return n;
}

static double place(int node, int d)
{
    return (d ? node / (SIDE + 1) : node % (SIDE + 1)) * 1.234567890123 - 7;
}

/* A row of a cell: what comes before, its nodes, which begin at `first`, and the end of the line. */
static char *put_cell(char *at, const char *before, int c, int first)
{
    int corner[4];
    const int n = corners_of(c, corner);
    at += sprintf(at, "%s", before);
    for (int k = 0; k < n; k++)
        at += sprintf(at, " %d", first + corner[k]);
    return at + sprintf(at, "\n");
}

static char *put_gmsh_41(char *at)
{
    at += sprintf(at, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 %d 1 %d\n2 1 0 %d\n",
                  N_NODES, N_NODES, N_NODES);
    for (int i = 0; i < N_NODES; i++)
        at += sprintf(at, "%d\n", i + 1);
    for (int i = 0; i < N_NODES; i++)
        at += sprintf(at, "%.16g %.16g 0\n", place(i, 0), place(i, 1));
    at += sprintf(at, "$EndNodes\n$Elements\n2 %d 1 %d\n", N_CELLS, N_CELLS);
    for (int c = 0; c < N_CELLS; c++) {
        char number[16];
        if (c == 0)
            at += sprintf(at, "2 1 2 %d\n", 2 * N_SPLIT);
        if (c == 2 * N_SPLIT)
            at += sprintf(at, "2 1 3 %d\n", N_CELLS - c);
        sprintf(number, "%d", c + 1);
        at = put_cell(at, number, c, 1);
    }
    return at + sprintf(at, "$EndElements\n");
}

/* Every 500th element is there once more, for another group. */
static char *put_gmsh_22(char *at)
{
    int number = 0;
    at += sprintf(at, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", N_NODES);
    for (int i = 0; i < N_NODES; i++)
        at += sprintf(at, "%d %.16g %.16g 0\n", i + 1, place(i, 0), place(i, 1));
    at += sprintf(at, "$EndNodes\n$Elements\n%d\n", N_CELLS + (N_CELLS + 499) / 500);
    for (int c = 0; c < N_CELLS; c++)
        for (int copy = 0; copy < 1 + (c % 500 == 0); copy++) {
            char head[64];
            sprintf(head, "%d %d 2 %d 7", ++number, c < 2 * N_SPLIT ? 2 : 3,
                    copy ? 3 : 1 + (c > N_CELLS / 3));
            at = put_cell(at, head, c, 1);
        }
    return at + sprintf(at, "$EndElements\n");
}

static char *put_su2(char *at)
{
    at += sprintf(at, "NDIME= 2\nNELEM= %d\n", N_CELLS);
    for (int c = 0; c < N_CELLS; c++)
        at = put_cell(at, c < 2 * N_SPLIT ? "5" : "9", c, 0);
    at += sprintf(at, "NPOIN= %d\n", N_NODES);
    for (int i = 0; i < N_NODES; i++)
        at += sprintf(at, "%.16g %.16g %d\n", place(i, 0), place(i, 1), i);
    return at + sprintf(at, "NMARK= 0\n");
}

/* Triangles and quads are sets of their own, and so are the nodes; numbers begin at 1. */
static char *put_abaqus(char *at)
{
    at += sprintf(at, "*HEADING\n mesh\n*NODE, NSET=all\n");
    for (int i = 0; i < N_NODES; i++)
        at += sprintf(at, i % 3 ? "%d, %.16g, %.16g\n" : "  %d,%.16g ,%.16g, 0.\n", i + 1,
                      place(i, 0), place(i, 1));
    for (int c = 0; c < N_CELLS; c++) {
        int corner[4];
        const int n = corners_of(c, corner);
        if (c == 0 || c == 2 * N_SPLIT)
            at += sprintf(at, "*ELEMENT, TYPE=CPS%d, ELSET=of%d\n", n, n);
        at += sprintf(at, "%d", c + 1);
        for (int k = 0; k < n; k++)
            at += sprintf(at, ", %d", corner[k] + 1);
        at += sprintf(at, "\n");
    }
    return at + sprintf(at, "*STEP\n");
}

/* Fields of 8 columns for nodes, between commas for elements, which are of properties 3 and 4. */
static char *put_nastran(char *at)
{
    at += sprintf(at, "BEGIN BULK\n");
    for (int i = 0; i < N_NODES; i++)
        at += sprintf(at, "GRID    %8d        %8.4f%8.4f%8.4f\n", i + 1, place(i, 0), place(i, 1),
                      0.);
    for (int c = 0; c < N_CELLS; c++) {
        int corner[4];
        const int n = corners_of(c, corner);
        at += sprintf(at, "%s,%d,%d", n == 3 ? "CTRIA3" : "CQUAD4", c + 1, n);
        for (int k = 0; k < n; k++)
            at += sprintf(at, ",%d", corner[k] + 1);
        at += sprintf(at, "\n");
    }
    return at + sprintf(at, "ENDDATA\n");
}

static mplan_status read_file(dialect kind, const char *file, size_t bytes, int threads,
                              mplan_mesh **mesh, mplan_error *err)
{
    mplan_threaded team;
    mplan_input input = {"mesh", (const uint8_t *)file, bytes, NULL};
    const mplan_context *context = support_threaded_open(NULL, &team, threads);
    assert_done(mplan_mesh_create(mesh, err), err);
    mplan_status status = format[kind]->read(&input, NULL, context, *mesh, err);
    mplan_threaded_close(&team);
    return status;
}

static void assert_same_mesh(const mplan_mesh *a, const mplan_mesh *b)
{
    int32_t dimension, other;
    const double *x = mplan_mesh_coordinates(a, mplan_mesh_find_set(a, "nodes"), &dimension);
    const double *y = mplan_mesh_coordinates(b, mplan_mesh_find_set(b, "nodes"), &other);
    const int64_t n = mplan_mesh_set(a, mplan_mesh_find_set(a, "nodes")).size;
    assert_int_equal(dimension, other);
    assert_int_equal(n, mplan_mesh_set(b, mplan_mesh_find_set(b, "nodes")).size);
    assert_memory_equal(x, y, (size_t)(n * dimension) * sizeof *x);
    mplan_map map = mplan_mesh_map(a, mplan_mesh_find_map(a, "cells_nodes"));
    mplan_map same = mplan_mesh_map(b, mplan_mesh_find_map(b, "cells_nodes"));
    assert_int_equal(map.n_rows, same.n_rows);
    assert_int_equal(mplan_map_entries(&map), mplan_map_entries(&same));
    assert_memory_equal(map.values, same.values,
                        (size_t)mplan_map_entries(&map) * sizeof *map.values);
    assert_int_equal(mplan_mesh_n_groups(a), mplan_mesh_n_groups(b));
    for (int32_t g = 0; g < mplan_mesh_n_groups(a); g++) {
        mplan_group one = mplan_mesh_group(a, g), two = mplan_mesh_group(b, g);
        assert_int_equal(one.id, two.id);
        assert_int_equal(one.n_members, two.n_members);
        assert_memory_equal(one.members, two.members, (size_t)one.n_members * sizeof *one.members);
    }
}

/* What one thread and several read of a file. */
static void assert_same_reading(dialect kind, const char *file, size_t bytes)
{
    mplan_error err, error;
    mplan_mesh *mesh, *other;
    const mplan_status status = read_file(kind, file, bytes, 1, &mesh, &err);
    assert_int_equal(read_file(kind, file, bytes, 3, &other, &error), status);
    if (status)
        assert_string_equal(err.text, error.text);
    else
        assert_same_mesh(mesh, other);
    mplan_mesh_free(mesh);
    mplan_mesh_free(other);
}

/* Something else at a place: a row that is broken, that shares its line, that is parted by a blank line or a comment; a node that there is
 * not; a file that ends. Returns the bytes. */
static size_t damage(char *file, size_t bytes, uint64_t *seed)
{
    char *at = file + bytes / 20 + support_random(seed, bytes - bytes / 10);
    char *line_feed = memchr(at, '\n', (size_t)(file + bytes - at));
    switch (support_random(seed, 11)) {
    case 0: *line_feed = ' '; break;
    case 1: *at = 'x'; break;
    case 2: *at = '9'; break;
    case 3: *at = '\n'; break;
    case 4: *at = '%'; break;
    case 5: *at = '-'; break;
    case 6: return (size_t)(at - file);
    case 7: *at = '*'; break;
    case 8: *at = ','; break;
    case 9: line_feed[1] = '*'; break;
    default: *at = ' '; break;
    }
    return bytes;
}

static void threads_read_what_one_reads(void **state)
{
    char *(*const put[N_DIALECTS])(char *) = {put_gmsh_41, put_gmsh_22, put_su2, put_abaqus,
                                              put_nastran};
    char *file = malloc(LARGE), *damaged = malloc(LARGE);
    uint64_t seed = 3;
    (void)state;
    for (int kind = 0; kind < N_DIALECTS; kind++) {
        const size_t bytes = (size_t)(put[kind](file) - file);
        mplan_error err;
        mplan_mesh *mesh;
        assert_true(bytes < LARGE);
        assert_done(read_file((dialect)kind, file, bytes, 3, &mesh, &err), &err);
        mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
        assert_int_equal(map.n_rows, N_CELLS);
        for (int c = 0; c < N_CELLS; c++) {
            int corner[4];
            int32_t n;
            const int32_t *row = mplan_map_row(&map, c, &n);
            assert_int_equal(n, corners_of(c, corner));
            for (int k = 0; k < n; k++)
                assert_int_equal(row[k], corner[k]);
        }
        mplan_mesh_free(mesh);
        assert_same_reading((dialect)kind, file, bytes);
        for (int i = 0; i < (support_races_only() ? 3 : DAMAGED); i++) {
            memcpy(damaged, file, bytes);
            assert_same_reading((dialect)kind, damaged, damage(damaged, bytes, &seed));
        }
    }
    free(file);
    free(damaged);
}

/* --- OpenFOAM's lists ---------------------------------------------------------------------- */

enum { N_ENTRIES = 9000 };
typedef enum foam_list { LABELS, POINTS, FACES, N_LISTS } foam_list;

/* Faces of 3 to 6 points. */
static int face_points(int f)
{
    return 3 + f * 7 % 4;
}

static char *put_list(char *at, foam_list list)
{
    at += sprintf(at, "\n%d\n(\n", N_ENTRIES);
    for (int i = 0; i < N_ENTRIES; i++) {
        if (list == LABELS)
            at += sprintf(at, "%d", 7 * i % N_ENTRIES);
        else if (list == POINTS)
            at += sprintf(at, "(%d.25 -%d 1e-3)", i, i);
        else
            at += sprintf(at, "%d(", face_points(i));
        for (int k = 0; k < face_points(i) && list == FACES; k++)
            at += sprintf(at, "%s%d", k ? " " : "", (i + k) % N_ENTRIES);
        at += sprintf(at, "%s", list == FACES ? ")\n" : i % 3 ? " \n" : "\n");
    }
    return at + sprintf(at, ")\n// end\n");
}

/* What a list gave, and where its reader is. */
typedef struct list_read {
    int64_t n, *offsets;
    int32_t *values;
    double *xyz;
    const char *at;
    mplan_status status;
    mplan_error err;
} list_read;

static void read_list(foam_list list, const char *text, size_t bytes, int threads, list_read *out)
{
    mplan_threaded team;
    char name[] = "faces";
    mplan_foam_file file = {.path = name, .begin = text, .at = text, .end = text + bytes};
    file.context = support_threaded_open(NULL, &team, threads);
    snprintf(file.kind, sizeof file.kind, "faceList");
    *out = (list_read){.n = 0};
    if (list == LABELS)
        out->status = mplan_foam_labels(&file, "labels", 0, N_ENTRIES, N_ENTRIES, &out->values,
                                        &out->n, &out->err);
    else if (list == POINTS)
        out->status = mplan_foam_points(&file, &out->xyz, &out->n, &out->err);
    else
        out->status = mplan_foam_faces(&file, N_ENTRIES, &out->offsets, &out->values, &out->n,
                                       &out->err);
    out->at = file.at;
    mplan_threaded_close(&team);
}

static void free_list(list_read *list)
{
    free(list->offsets);
    free(list->values);
    free(list->xyz);
}

static void assert_same_list(foam_list list, const char *text, size_t bytes)
{
    list_read one, several;
    read_list(list, text, bytes, 1, &one);
    read_list(list, text, bytes, 3, &several);
    assert_int_equal(one.status, several.status);
    assert_ptr_equal(one.at, several.at);
    if (one.status) {
        assert_string_equal(one.err.text, several.err.text);
        return;
    }
    const size_t n = (size_t)one.n;
    assert_int_equal(one.n, several.n);
    if (list == LABELS)
        assert_memory_equal(one.values, several.values, n * sizeof *one.values);
    if (list == POINTS)
        assert_memory_equal(one.xyz, several.xyz, 3 * n * sizeof *one.xyz);
    if (list == FACES) {
        assert_memory_equal(one.offsets, several.offsets, (n + 1) * sizeof *one.offsets);
        assert_memory_equal(one.values, several.values, (size_t)one.offsets[n] * sizeof *one.values);
    }
    free_list(&one);
    free_list(&several);
}

/* A comment over three lines hides a row in the middle of it. */
static size_t add_comment(char *text, size_t bytes)
{
    static const char comment[] = " /* one\n 5\n*/";
    char *at = memchr(text + bytes / 2, '\n', bytes / 2);
    memmove(at + sizeof comment - 1, at, (size_t)(text + bytes - at));
    memcpy(at, comment, sizeof comment - 1);
    return bytes + sizeof comment - 1;
}

static void threads_read_lists_of_foam(void **state)
{
    char *text = malloc(LARGE), *damaged = malloc(LARGE);
    uint64_t seed = 5;
    (void)state;
    for (int list = 0; list < N_LISTS; list++) {
        const size_t bytes = (size_t)(put_list(text, (foam_list)list) - text);
        list_read good;
        assert_true(bytes < LARGE - 64);
        read_list((foam_list)list, text, bytes, 3, &good);
        assert_done(good.status, &good.err);
        assert_int_equal(good.n, N_ENTRIES);
        for (int i = 0; i < N_ENTRIES; i++) {
            if (list == LABELS)
                assert_int_equal(good.values[i], 7 * i % N_ENTRIES);
            if (list == POINTS)
                assert_true(good.xyz[3 * i] == i + 0.25 && good.xyz[3 * i + 1] == -i &&
                            good.xyz[3 * i + 2] == 1e-3);
            for (int k = 0; k < face_points(i) && list == FACES; k++)
                assert_int_equal(good.values[good.offsets[i] + k], (i + k) % N_ENTRIES);
        }
        free_list(&good);
        memcpy(damaged, text, bytes);
        assert_same_list((foam_list)list, damaged, add_comment(damaged, bytes));
        for (int i = 0; i < (support_races_only() ? 3 : DAMAGED); i++) {
            memcpy(damaged, text, bytes);
            assert_same_list((foam_list)list, damaged, damage(damaged, bytes, &seed));
        }
    }
    free(text);
    free(damaged);
}

/* --- lists of numbers ---------------------------------------------------------------------- */

/* Numbers of rows, and which of them is not as expected. */
typedef struct number_rows {
    int64_t bad;
    int32_t *value;
} number_rows;

static bool read_number(void *data, mplan_scanner *line, int64_t row)
{
    const number_rows *rows = data;
    int64_t value;
    if (row == rows->bad || mplan_scan_i64(line, "", &value, NULL) || !mplan_scan_line_ends(line))
        return false;
    rows->value[row] = (int32_t)value;
    return true;
}

/* A list is read up to the row that is not as expected, or up to its last line feed; scanner and line are there, and all rows before have
 * been read. Lines of 1 to 400 bytes lie across pieces in all ways. */
static void stops_where_a_row_is_other(void **state)
{
    enum { ROWS = 3 * MPLAN_ROWS_LEAST };
    static const int64_t bad[] = {ROWS, 0, 1, 4095, 7000, ROWS - 1};
    char *text = malloc(LARGE + 512), *at = text;
    const char *end_of[ROWS];
    int32_t *value = malloc(ROWS * sizeof *value);
    uint64_t seed = 9;
    mplan_error err;
    mplan_threaded team;
    (void)state;
    at += sprintf(at, "head  \n \n");
    for (int i = 0; i < ROWS; i++) {
        const int blanks = (int)support_random(&seed, i % 7 == 0 ? 400 : 9);
        at += sprintf(at, "%*s%d\r\n", blanks, "", i);
        end_of[i] = at - 1;
    }
    assert_true(at - text < LARGE);
    const mplan_context *context = support_threaded_open(NULL, &team, 4);
#ifdef MPLAN_HAVE_THREADS
    assert_true(mplan_scan_rows_pays(ROWS, context)); /* else nothing is tested here */
#endif
    for (int cut = 0; cut < 2; cut++) /* without the last line feed the last row is not taken */
        for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
            const int64_t good = bad[b] < ROWS - cut ? bad[b] : ROWS - cut;
            const int64_t last = mplan_scan_rows_pays(ROWS, context) ? good : 0;
            number_rows rows = {bad[b], value};
            mplan_scanner scan = {"x", text, text + 4, at - cut, 1};
            int64_t n_read;
            memset(value, 0xff, ROWS * sizeof *value);
            assert_done(mplan_scan_rows(&scan, ROWS, read_number, &rows, context, &n_read, &err),
                        &err);
            assert_int_equal(n_read, last);
            assert_int_equal(scan.line, last ? 2 + last : 1);
            assert_ptr_equal(scan.at, last ? end_of[last - 1] : text + 4);
            for (int64_t i = 0; i < last; i++)
                assert_int_equal(value[i], i);
        }
    mplan_threaded_close(&team);
    free(text);
    free(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_where_a_row_is_other),
        cmocka_unit_test(threads_read_what_one_reads),
        cmocka_unit_test(threads_read_lists_of_foam),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
