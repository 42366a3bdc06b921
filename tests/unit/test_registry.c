/* SPDX-License-Identifier: Apache-2.0 */
/* test_registry.c - which format a file is taken for, gzip, and outputs */
#include "support_test.h"

#include <sys/stat.h>
#include <unistd.h>

#ifdef MPLAN_HAVE_ZLIB
#include <zlib.h>
#endif

#include "formats/input.h"
#include "support_folder.h"

#define TRIANGLE                                                                              \
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n" \
    "$Elements\n1\n1 2 2 0 1 1 2 3\n$EndElements\n"

static const char *make_file(const char *name, const void *data, size_t size)
{
    const char *path = in_folder(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
    return path;
}

static void expect_format(const char *name, const char *text, const char *forced, const char *format)
{
    mplan_read_options options = MPLAN_READ_OPTIONS_INIT;
    options.format = forced;
    mplan_table_options table = MPLAN_TABLE_OPTIONS_INIT;
    table.name = "edges_cells";
    options.table = &table;
    mplan_mesh *mesh = NULL;
    mplan_error err;
    const char *path = make_file(name, text, strlen(text));
    assert_done(mplan_mesh_read(path, &options, NULL, &mesh, &err), &err);
    assert_string_equal(mplan_mesh_format(mesh), format);
    mplan_mesh_free(mesh);
    unlink(path);
}

static void expect_refusal(const char *name, const void *data, size_t size, const char *forced,
                           mplan_status status, const char *part)
{
    mplan_read_options options = MPLAN_READ_OPTIONS_INIT;
    options.format = forced;
    mplan_mesh *mesh = NULL;
    mplan_error err = {MPLAN_OK, ""};
    const char *path = make_file(name, data, size);
    assert_refused(mplan_mesh_read(path, &options, NULL, &mesh, &err), status, &err, part);
    assert_null(mesh);
    unlink(path);
}

static void content_decides_before_the_name(void **state)
{
    (void)state;
    expect_format("a.msh", TRIANGLE, NULL, "gmsh");
    expect_format("a.npy", TRIANGLE, NULL, "gmsh");
    expect_format("a", TRIANGLE, NULL, "gmsh");
    expect_format("a.txt", "0 1\n1 2\n", NULL, "text");
    expect_format("a.table", "0 1\n1 2\n", "text", "text");
    expect_format("a.msh", "0 1\n1 2\n", "text", "text");
}

/* Seven counts and a point are a table where the point is whole numbers, unless the name says mesh. */
static void counts_and_points_are_a_mesh(void **state)
{
    (void)state;
#define TRIANGLE_COUNTS "3 1 0 0 0 0 0\n"
    expect_format("a", TRIANGLE_COUNTS "0 0.5 0\n1 0 0\n0 1 0\n1 2 3\n1\n", NULL, "aflr3");
    expect_format("a.ugrid", TRIANGLE_COUNTS "0 0 0\n1 0 0\n0 1 0\n1 2 3\n1\n", NULL, "aflr3");
    expect_format("a.csv", TRIANGLE_COUNTS "0 0 0\n1 0 0\n0 1 0\n1 2 3\n1\n", NULL, "text");
}

/* Bare numbers are what the name says; without one that does, a graph of METIS is told by its numbers. */
static void names_decide_among_bare_numbers(void **state)
{
    (void)state;
    expect_format("a.graph", "2 1\n2\n1\n", NULL, "metis-graph");
    expect_format("a.mesh", "2\n1 2\n2 1\n", NULL, "metis-mesh");
    expect_format("a.mesh",
                  "MeshVersionFormatted 1 Dimension 2 Vertices 3 0 0 0 1 0 0 0 1 0 Triangles 1 1 2 3 0",
                  NULL, "medit");
    expect_format("a.grf", "0\n2 2\n1 0\n1 2\n1 1\n", NULL, "scotch");
    expect_format("a.txt", "2 1\n2 2\n1 1\n", NULL, "text");
    expect_format("a", "4 3\n2\n1 3\n2 4\n3\n", NULL, "metis-graph");
    expect_format("a.txt", "% of METIS\n4 3 1\n2 7\n1 7 3 8\n2 8 4 9\n3 9\n\n", NULL, "metis-graph");
    expect_format("a.txt", "5 3 10\n9 2\n9 1 3\n9 2 4\n9 3\n9\n", NULL, "metis-graph");
    expect_format("a.txt", "3 2\n2\n1 3\n2\n", NULL, "text"); /* too few to be sure */
    expect_format("a", "2 1\n2\n1\n", NULL, "metis-graph");
    expect_format("a.txt", "4 3\n2\n1 3\n2 4\n3 4\n", NULL, "text");      /* 7 entries, not 6 */
    expect_format("a.txt", "4 3\n2\n1 3\n2 4 3\n0 0\n0\n", NULL, "text"); /* 5 rows */
    expect_format("a", "3\n1 2 3\n2 3 4\n3 4 1\n", "metis-mesh", "metis-mesh");
    expect_format("a", "3\n2 1 3\n2 3 4\n3 4 1\n", NULL, "metis-mesh");
    expect_format("a.txt", "2 1\n2\n1\n", "metis-graph", "metis-graph");
    expect_format("a.txt", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", NULL,
                  "mtx");
    expect_format("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n",
                  "mtx-rows", "mtx-rows");
}

#define REFUSE(name, text, forced, status, part) \
    expect_refusal(name, text, sizeof(text) - 1, forced, status, part)

static void what_is_not_read_is_named(void **state)
{
    (void)state;
    REFUSE("a.cgns", "\x89HDF\r\n\x1a\n....", NULL, MPLAN_ERR_UNSUPPORTED,
           "a.cgns: this is an HDF5 file of another format");
    REFUSE("a.table", "0 1\n1 2\n", NULL, MPLAN_ERR_FORMAT,
           "a.table: the content is numbers, which files of many formats are; a mapping table ends .txt");
    REFUSE("a", "2 1\n2 2\n1 1\n", NULL, MPLAN_ERR_FORMAT, "a: the content is numbers");
    REFUSE("a", "2\n1 1 2\n2 2 1\n", NULL, MPLAN_ERR_FORMAT,
           "a: the content is numbers"); /* rows are numbered */
    REFUSE("a.txt", "4 3 0\n1 5 6 7\n2 6 7 8\n3 8 9 9\n", NULL, MPLAN_ERR_CORRUPT,
           "a.txt:1: the first row has 3 numbers, all others have 4");
    REFUSE("a.poly", "2 4 0\n1 5 6 7 8\n2 6 7 8 9\n", NULL, MPLAN_ERR_UNSUPPORTED,
           "a.poly: this is a file beside a mesh of TetGen or Triangle");
    REFUSE("a.SMESH", "# tets\n2 4 0\n1 5 6 7 8\n", NULL, MPLAN_ERR_UNSUPPORTED,
           "this is a file beside a mesh of TetGen or Triangle");
    REFUSE("a.cel", "1 1 2 3 4 5 6 7 8 1 1\n", NULL, MPLAN_ERR_UNSUPPORTED, "this is a STAR-CD mesh");
    REFUSE("a.msh", "1\n3 4 12\n1 2 3\n", NULL, MPLAN_ERR_UNSUPPORTED,
           "this is a SCOTCH mesh or another");
    REFUSE("cyl.geo", "Point(1) = {0, 0, 0, 0.1};\n", NULL, MPLAN_ERR_UNSUPPORTED,
           "this is a geometry script of Gmsh, which is not supported; 'gmsh FILE -3 -o x.msh'");
    REFUSE("b", "// a cylinder\nSetFactory(\"OpenCASCADE\");\n", NULL, MPLAN_ERR_UNSUPPORTED,
           "this is a geometry script of Gmsh");
    REFUSE("a.nc", "CDF\x02....", NULL, MPLAN_ERR_UNSUPPORTED, "this is a netCDF file");
    REFUSE("U", "/*---*\\\n*/\nFoamFile\n{\n", NULL, MPLAN_ERR_UNSUPPORTED,
           "this is an OpenFOAM file, but not one of a mesh");
    REFUSE("a.msh.xz",
           "\xfd"
           "7zXZ\0\0",
           NULL, MPLAN_ERR_UNSUPPORTED, "compressed by xz");
    REFUSE("a.mplan", "\x89MPLAN\n\x1a\1\0\0\0", NULL, MPLAN_ERR_FORMAT,
           "a.mplan: this is a plan, not a mesh or a table");
    REFUSE("a.mplan", "\x89MPLAN\n\x1a\1\0\0\0", "gmsh", MPLAN_ERR_FORMAT, "this is a plan");
    REFUSE("a.msh", "\x01\x02\x03", NULL, MPLAN_ERR_FORMAT, "of a known format ('meshplan formats'");
    REFUSE("a.csv", "1 2\n3 x\n", NULL, MPLAN_ERR_CORRUPT, "a.csv:2: expected a number, found 'x'");
    REFUSE("a.msh", "", NULL, MPLAN_ERR_FORMAT, "a.msh: the file is empty");
    REFUSE("a.msh", TRIANGLE, "patran", MPLAN_ERR_ARGUMENT,
           "'patran' is not a format that can be read; known: gmsh, ");
    REFUSE("a.msh", "hello\n", "gmsh", MPLAN_ERR_CORRUPT, "a.msh:1: expected a section");
    mplan_mesh *mesh = NULL;
    mplan_error err;
    assert_refused(mplan_mesh_read(in_folder("none.msh"), NULL, NULL, &mesh, &err),
                   MPLAN_ERR_NO_INPUT, &err, "none.msh");
    mplan_read_options options = MPLAN_READ_OPTIONS_INIT;
    options.struct_size = 0;
    assert_refused(mplan_mesh_read("x", &options, NULL, &mesh, &err), MPLAN_ERR_ARGUMENT, &err,
                   "read options of 0 bytes");
}

/* A mesh that is well written but none: the validation's sentence gets the path. */
static void what_is_read_is_validated(void **state)
{
    (void)state;
    static const char collapsed[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n"
                                    "$Elements\n1\n1 2 2 0 1 1 1 1\n$EndElements\n";
    REFUSE("a.msh", collapsed, NULL, MPLAN_ERR_MESH, "a.msh: cell 0");
}

static void extensions(void **state)
{
    (void)state;
    static const struct {
        const char *path, *extension;
    } cases[] = {{"a.msh", ".msh"},      {"/x.y/a", ""}, {"/x.y/a.b.npy", ".npy"},
                 {"a.msh.gz", ".msh"},   {".msh", ""},   {"a.gz", ""},
                 {"standard input", ""}, {".gz", ""},    {"a.", "."}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = 99;
        const char *extension = mplan_input_extension(cases[i].path, &n);
        assert_int_equal(n, strlen(cases[i].extension));
        assert_memory_equal(extension, cases[i].extension, n);
    }
}

/* --- gzip ------------------------------------------------------------------------ */

#ifdef MPLAN_HAVE_ZLIB
static size_t compress_text(const char *text, size_t size, uint8_t *out, size_t room)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (Bytef *)(uintptr_t)text;
    stream.avail_in = (uInt)size;
    stream.next_out = out;
    stream.avail_out = (uInt)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    size_t made = room - stream.avail_out;
    deflateEnd(&stream);
    return made;
}

static void gzip_is_inflated(void **state)
{
    (void)state;
    uint8_t data[4096];
    const size_t half = 70, all = sizeof TRIANGLE - 1;
    size_t one = compress_text(TRIANGLE, all, data, sizeof data);
    mplan_mesh *mesh = NULL;
    mplan_error err;
    for (int kind = 0; kind < 3; kind++) { /* one member, three, and padded by zeros */
        size_t size = one;
        if (kind == 1) {
            size = compress_text(TRIANGLE, half, data, sizeof data);
            size += compress_text("", 0, data + size, sizeof data - size);
            size += compress_text(&TRIANGLE[half], all - half, data + size, sizeof data - size);
        } else if (kind == 2) {
            one = compress_text(TRIANGLE, all, data, sizeof data);
            memset(data + one, 0, 100);
            size = one + 100;
        }
        const char *path = make_file("a.msh.gz", data, size);
        assert_done(mplan_mesh_read(path, NULL, NULL, &mesh, &err), &err);
        assert_int_equal(mplan_mesh_dimension(mesh), 2);
        mplan_mesh_free(mesh);
        unlink(path);
    }
}

/* A table long enough to need many growths and pieces. */
static void large_gzip_is_inflated(void **state)
{
    (void)state;
    enum { ROWS = 300000 };
    char *text = malloc(16 * ROWS);
    size_t n = 0;
    for (int i = 0; i < ROWS; i++)
        n += (size_t)sprintf(text + n, "%d %d\n", i % 1000, (i * 7) % 1000);
    uint8_t *data = malloc(n);
    size_t size = compress_text(text, n, data, n);
    memset(data + size - 4, 0, 4); /* a wrong length: an error, but only at the end */
    const char *path = make_file("edges_cells.txt.gz", data, size);
    mplan_mesh *mesh = NULL;
    mplan_error err;
    char part[128];
    assert_refused(mplan_mesh_read(path, NULL, NULL, &mesh, &err), MPLAN_ERR_CORRUPT, &err,
                   "the gzip data are damaged");
    size = compress_text(text, n, data, n);
    path = make_file("edges_cells.txt.gz", data, size);
    assert_done(mplan_mesh_read(path, NULL, NULL, &mesh, &err), &err);
    assert_int_equal(mplan_mesh_map(mesh, 0).n_rows, ROWS);
    mplan_mesh_free(mesh);
    path = make_file("edges_cells.txt.gz", data, size - 9);
    snprintf(part, sizeof part, "byte %zu: the gzip data end too early", size - 9);
    assert_refused(mplan_mesh_read(path, NULL, NULL, &mesh, &err), MPLAN_ERR_CORRUPT, &err, part);
    unlink(path);
    free(data);
    free(text);
}

static void damaged_gzip_is_refused(void **state)
{
    (void)state;
    uint8_t data[4096];
    char part[128];
    size_t size = compress_text(TRIANGLE, sizeof TRIANGLE - 1, data, sizeof data);
    for (size_t cut = 3; cut < size; cut++) {
        snprintf(part, sizeof part, "a.msh.gz: byte %zu: the gzip data end too early", cut);
        expect_refusal("a.msh.gz", data, cut, NULL, MPLAN_ERR_CORRUPT, part);
    }
    memcpy(data + size, "junk", 4);
    snprintf(part, sizeof part, "byte %zu: bytes that are not gzip data follow", size);
    expect_refusal("a.msh.gz", data, size + 4, NULL, MPLAN_ERR_CORRUPT, part);
    data[size - 6] ^= 1; /* the checksum */
    expect_refusal("a.msh.gz", data, size, NULL, MPLAN_ERR_CORRUPT, "the gzip data are damaged");
}
#else
static void gzip_needs_zlib(void **state)
{
    (void)state;
    REFUSE("a.msh.gz", "\x1f\x8b\x08....", NULL, MPLAN_ERR_UNSUPPORTED, "needs a build with zlib");
}
#endif

/* --- tables and coordinates ---------------------------------------------------------- */

static void tables_and_coordinates(void **state)
{
    (void)state;
    mplan_mesh *mesh = NULL;
    mplan_error err;
    int32_t dimension = 0;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    const char *path = make_file("edges_cells.txt", "0 1\n1 2\n", 8);
    assert_done(mplan_mesh_read_table(mesh, path, NULL, NULL, &err), &err);
    assert_int_equal(mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "edges_cells")).n_points, 3);
    int32_t cells = mplan_mesh_find_set(mesh, "cells");
    path = make_file("x.txt", "0.5 1\n2 3\n4 5\n", 14);
    assert_done(mplan_mesh_read_coordinates(mesh, path, cells, NULL, &err), &err);
    assert_true(mplan_mesh_coordinates(mesh, cells, &dimension)[5] == 5.0);
    assert_int_equal(dimension, 2);
    path = make_file("x.txt", "0 1 2\n2 3 4\n4 5 9\n", 18); /* whole numbers will do */
    assert_done(mplan_mesh_read_coordinates(mesh, path, cells, NULL, &err), &err);
    assert_true(mplan_mesh_coordinates(mesh, cells, &dimension)[8] == 9.0);
    path = make_file("x.txt", "0 1 2 3\n", 8);
    assert_refused(mplan_mesh_read_coordinates(mesh, path, cells, NULL, &err), MPLAN_ERR_MESH, &err,
                   "x.txt: coordinates must have 2 or 3 numbers per row, not 4");
    path = make_file("x.txt", "0 1\n", 4);
    assert_refused(mplan_mesh_read_coordinates(mesh, path, cells, NULL, &err), MPLAN_ERR_MESH, &err,
                   "x.txt: 1 rows of coordinates for 3 cells");
    path = make_file("x.txt", "0 1\nnan 2\n0 0\n", 14);
    assert_refused(mplan_mesh_read_coordinates(mesh, path, cells, NULL, &err), MPLAN_ERR_MESH, &err,
                   "x.txt: ");
    assert_refused(mplan_mesh_read_coordinates(mesh, path, 7, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "no set 7");
    path = make_file("x.txt", TRIANGLE, sizeof TRIANGLE - 1);
    assert_refused(mplan_mesh_read_table(mesh, path, NULL, NULL, &err), MPLAN_ERR_FORMAT, &err,
                   "x.txt: expected a table of numbers");
    unlink(path);
    unlink(in_folder("edges_cells.txt"));
    mplan_mesh_free(mesh);
}

/* --- outputs ------------------------------------------------------------------------- */

static void outputs_by_name_and_format(void **state)
{
    (void)state;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.size[0] = options.size[1] = 3;
    mplan_mesh *mesh = NULL, *back = NULL;
    mplan_error err;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    assert_refused(mplan_mesh_write(mesh, in_folder("a.xyz"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err,
                   "a.xyz: the ending of the name does not belong to a format");
    assert_refused(mplan_mesh_write(mesh, in_folder("a.msh.gz"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_UNSUPPORTED, &err, "compressed files are not written");
    assert_refused(mplan_mesh_write(mesh, "-", NULL, NULL, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "the format for standard output must");
    assert_refused(mplan_mesh_write(mesh, in_folder("a.msh"), "nastran", NULL, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "'nastran' is not a format that can be written");
    assert_refused(mplan_mesh_write(mesh, in_folder("no/a.msh"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_CREATE, &err, "no/a.msh");
    assert_done(mplan_mesh_write(mesh, in_folder("a.xyz"), "gmsh", NULL, NULL, &err), &err);
    assert_done(mplan_mesh_read(in_folder("a.xyz"), NULL, NULL, &back, &err), &err);
    assert_string_equal(mplan_mesh_format(back), "gmsh");
    mplan_mesh_free(back);
    mplan_mesh_free(mesh);
    unlink(in_folder("a.xyz"));
}

static void formats_are_listed(void **state)
{
    (void)state;
    mplan_format_info info;
    int32_t n = 0;
    bool gmsh = false;
    while (mplan_format(n, &info) == MPLAN_OK) {
        assert_true(info.name[0] && info.description && info.extensions);
        assert_true(info.reads || info.writes || info.missing);
        gmsh = gmsh || (strcmp(info.name, "gmsh") == 0 && info.reads && info.writes);
        n++;
    }
    assert_true(gmsh);
    assert_int_equal(mplan_format(-1, &info), MPLAN_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(content_decides_before_the_name),
        cmocka_unit_test(counts_and_points_are_a_mesh),
        cmocka_unit_test(names_decide_among_bare_numbers),
        cmocka_unit_test(what_is_not_read_is_named),
        cmocka_unit_test(what_is_read_is_validated),
        cmocka_unit_test(extensions),
#ifdef MPLAN_HAVE_ZLIB
        cmocka_unit_test(gzip_is_inflated),
        cmocka_unit_test(large_gzip_is_inflated),
        cmocka_unit_test(damaged_gzip_is_refused),
#else
        cmocka_unit_test(gzip_needs_zlib),
#endif
        cmocka_unit_test(tables_and_coordinates),
        cmocka_unit_test(outputs_by_name_and_format),
        cmocka_unit_test(formats_are_listed),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
