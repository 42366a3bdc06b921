/* SPDX-License-Identifier: Apache-2.0 */
/* test_op2.c - OP2's grids: good, bad, and written ones read back */
#include "support_test.h"
#include "support_mesh.h"

#include <unistd.h>

#include "formats/format.h"
#include "mesh/mesh.h"

static mplan_status read_bytes(const void *bytes, size_t size, mplan_mesh **mesh, mplan_error *err)
{
    mplan_input input = {"g.dat", bytes, size, NULL};
    assert_done(mplan_mesh_create(mesh, err), err);
    mplan_status status = mplan_format_op2.read(&input, NULL, NULL, *mesh, err);
    if (status != MPLAN_OK) {
        mplan_mesh_free(*mesh);
        *mesh = NULL;
    }
    return status;
}

static void refuse(const char *text, mplan_status status, const char *part)
{
    mplan_mesh *mesh;
    mplan_error err;
    assert_refused(read_bytes(text, strlen(text), &mesh, &err), status, &err, part);
}

static char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

/* Writes to a file that is gone afterwards; the bytes it had. */
static mplan_status write_bytes(const mplan_mesh *mesh, const mplan_context *context, char **bytes,
                                size_t *size, mplan_error *err)
{
    char path[] = "/tmp/test_op2_XXXXXX";
    int handle = mkstemp(path);
    mplan_output *output;
    assert_true(handle >= 0);
    close(handle);
    assert_done(mplan_output_open(path, NULL, &output, err), err);
    mplan_status status = mplan_format_op2.write(mesh, NULL, output, context, err);
    if (status == MPLAN_OK) {
        assert_done(mplan_output_commit(output, err), err);
        *bytes = read_whole(path, size);
    } else {
        mplan_output_abort(output);
    }
    unlink(path);
    return status;
}

/* Two quads side by side. */
#define TWO                    \
    " 6 2 1 6 \n"              \
    "0 0\n1.000000 0.000000\n" \
    " 2 -0.5 \r\n"             \
    "0 1\n1 1e0\n2 1\n"        \
    "0 1 4 3\n1 2 5 4\n"       \
    "4 1 0 1\n"                \
    "1 0 0 1\n2 1 1 1\n5 2 1 2\n4 5 1 -7\n3 4 0 2\n0 3 0 2"

static void good(void **state)
{
    (void)state;
    mplan_mesh *mesh;
    mplan_error err;
    int32_t dimension;
    assert_done(read_bytes(TWO, strlen(TWO), &mesh, &err), &err);
    assert_done(mplan_mesh_validate(mesh, NULL, &err), &err);
    assert_string_equal(mplan_mesh_faces_name(mesh), "edges");
    static const char *const set[4] = {"nodes", "cells", "edges", "bedges"};
    static const int64_t size[4] = {6, 2, 1, 6};
    for (int i = 0; i < 4; i++)
        assert_int_equal(mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, set[i])).size, size[i]);
    static const double places[12] = {0, 0, 1, 0, 2, -0.5, 0, 1, 1, 1, 2, 1};
    assert_memory_equal(mplan_mesh_coordinates(mesh, 0, &dimension), places, sizeof places);
    static const int32_t cells[8] = {0, 1, 4, 3, 1, 2, 5, 4};
    assert_memory_equal(find_map(mesh, "cells_nodes").values, cells, sizeof cells);
    static const int32_t edge_nodes[2] = {4, 1}, edge_cells[2] = {0, 1};
    assert_memory_equal(find_map(mesh, "edges_nodes").values, edge_nodes, sizeof edge_nodes);
    assert_memory_equal(find_map(mesh, "edges_cells").values, edge_cells, sizeof edge_cells);
    static const int32_t rim_nodes[12] = {1, 0, 2, 1, 5, 2, 4, 5, 3, 4, 0, 3};
    static const int32_t rim_cells[6] = {0, 1, 1, 1, 0, 0};
    assert_memory_equal(find_map(mesh, "bedges_nodes").values, rim_nodes, sizeof rim_nodes);
    assert_memory_equal(find_map(mesh, "bedges_cells").values, rim_cells, sizeof rim_cells);
    static const char *const name[3] = {"bound-7", "bound1", "bound2"};
    static const int64_t id[3] = {-7, 1, 2}, members[3] = {1, 2, 3};
    assert_int_equal(mplan_mesh_n_groups(mesh), 3);
    for (int g = 0; g < 3; g++) {
        mplan_group group = mplan_mesh_group(mesh, g);
        assert_string_equal(group.name, name[g]);
        assert_int_equal(group.id, id[g]);
        assert_int_equal(group.n_members, members[g]);
        assert_int_equal(group.set, mplan_mesh_find_set(mesh, "bedges"));
    }
    mplan_mesh_free(mesh);
    assert_done(read_bytes("0 0 0 0\n", 8, &mesh, &err), &err);
    assert_int_equal(mplan_mesh_n_groups(mesh), 0);
    mplan_mesh_free(mesh);
}

static void bad(void **state)
{
    (void)state;
    refuse("", MPLAN_ERR_CORRUPT, "g.dat:1: expected the number of nodes, found the end of the file");
    refuse("6 2 1\n", MPLAN_ERR_CORRUPT,
           "g.dat:1: expected the number of boundary edges, found the end of the line");
    refuse("6 2 1 6 3\n", MPLAN_ERR_CORRUPT, "g.dat:1: more numbers than the first line has");
    refuse("6 -2 1 6\n", MPLAN_ERR_CORRUPT, "g.dat:1: the number of cells is -2");
    refuse("6 2 2147483647 6\n", MPLAN_ERR_CORRUPT, "g.dat:1: the number of edges is 2147483647");
    refuse("2147483646 2147483646 2147483646 2147483646\n0 0\n", MPLAN_ERR_CORRUPT,
           "are more than the file can hold");
    refuse("a b\n", MPLAN_ERR_CORRUPT, "g.dat:1: expected the number of nodes, found 'a'");
    refuse("1 0 0 0\n0.5\n0.5\n", MPLAN_ERR_CORRUPT,
           "g.dat:2: expected a coordinate of node 0, found the end of the line");
    refuse("1 0 0 0\n0 0 0\n", MPLAN_ERR_CORRUPT, "g.dat:2: more numbers than a node has");
    refuse("2 0 0 0\n0 0\n0 nan\n", MPLAN_ERR_MESH, "g.dat:3: a coordinate of node 1");
    refuse("2 0 0 0\n0 0\n0 1x\n", MPLAN_ERR_CORRUPT, "g.dat:3: expected a coordinate, found '1x'");
    refuse("1 0 0 0\n0 0\n1 1\n", MPLAN_ERR_CORRUPT, "g.dat:3: the file continues after");
    refuse("1 1 0 0\n0 0\n0 0 0\n0 0 0 0 0\n", MPLAN_ERR_CORRUPT,
           "g.dat:3: expected a node of a cell, found the end of the line");
    refuse("1 1 0 0\n0 0\n\n0 0 1 0\n", MPLAN_ERR_MESH,
           "g.dat:4: a node of a cell is 1, not in [0, 1)");
    refuse("1 1 1 0\n0 0\n0 0 0 0\n0 0 0 -1\n", MPLAN_ERR_MESH,
           "g.dat:4: a cell of an edge is -1, not in [0, 1)");
    refuse("1 1 1 0\n0 0\n0 0 0 0\n0 0 0\n     ", MPLAN_ERR_CORRUPT,
           "g.dat:4: expected a cell of an edge, found the end of the line");
    refuse("1 1 0 1\n0 0\n0 0 0 0\n0 0 0\n  \n", MPLAN_ERR_CORRUPT,
           "g.dat:4: expected the number of a boundary, found the end of the line");
    refuse("1 1 0 2\n0 0\n0 0 0 0\n0 0 0 1\n       ", MPLAN_ERR_CORRUPT,
           "g.dat:5: expected a node of an edge, found the end of the file");
}

static void truncated(void **state)
{
    (void)state;
    for (size_t length = 0; length < strlen(TWO) - 1; length++) {
        char *copy = malloc(length + 1);
        mplan_mesh *mesh;
        mplan_error err;
        memcpy(copy, TWO, length);
        assert_int_equal(read_bytes(copy, length, &mesh, &err), MPLAN_ERR_CORRUPT);
        free(copy);
    }
}

static void recognised(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        mplan_recognised answer;
    } files[] = {{"6 2 1 6\n0.0 0\n", MPLAN_RECOGNISED_YES},
                 {"\n 6 2 1 6 \r\n\n0 1.5", MPLAN_RECOGNISED_YES},
                 {TWO, MPLAN_RECOGNISED_MAYBE},
                 {"6 2 1 6\n", MPLAN_RECOGNISED_NO},
                 {"6 2 1 6\n0.0 0.0 0.0\n", MPLAN_RECOGNISED_NO},
                 {"6 2 1\n6\n0.0 0\n", MPLAN_RECOGNISED_NO},
                 {"6 2 1 -6\n0.0 0\n", MPLAN_RECOGNISED_NO},
                 {"6 2 1 6.0\n0.0 0\n", MPLAN_RECOGNISED_NO},
                 {"6 2 1 6 7\n0.0 0\n", MPLAN_RECOGNISED_NO},
                 {"$MeshFormat\n", MPLAN_RECOGNISED_NO},
                 {"", MPLAN_RECOGNISED_NO}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_int_equal(mplan_format_op2.recognise((const uint8_t *)files[i].text,
                                                    strlen(files[i].text)),
                         files[i].answer);
}

/* Equal sets, maps, coordinates and boundary numbers. */
static void assert_same(const mplan_mesh *a, const mplan_mesh *b)
{
    static const char *const name[5] = {"cells_nodes", "edges_nodes", "edges_cells", "bedges_nodes",
                                        "bedges_cells"};
    for (int i = 0; i < 5; i++) {
        mplan_map x = find_map(a, name[i]), y = find_map(b, name[i]);
        assert_int_equal(x.n_rows, y.n_rows);
        assert_int_equal(x.n_points, y.n_points);
        assert_memory_equal(x.values, y.values, (size_t)mplan_map_entries(&x) * 4);
    }
    int32_t dimension, nodes = mplan_mesh_find_set(a, "nodes");
    const double *x = mplan_mesh_coordinates(a, nodes, &dimension);
    const double *y = mplan_mesh_coordinates(b, mplan_mesh_find_set(b, "nodes"), &dimension);
    assert_memory_equal(x, y, (size_t)mplan_mesh_set(a, nodes).size * 2 * sizeof *x);
    assert_int_equal(mplan_mesh_n_groups(a), mplan_mesh_n_groups(b));
    for (int32_t g = 0; g < mplan_mesh_n_groups(a); g++) {
        mplan_group m = mplan_mesh_group(a, g), n = mplan_mesh_group(b, g);
        assert_int_equal(m.id, n.id);
        assert_int_equal(m.n_members, n.n_members);
        assert_memory_equal(m.members, n.members, (size_t)m.n_members * 4);
    }
}

static void check_round_trip(mplan_mesh *mesh)
{
    mplan_mesh *again;
    mplan_error err;
    char *bytes;
    size_t size;
    assert_done(write_bytes(mesh, NULL, &bytes, &size, &err), &err);
    assert_done(read_bytes(bytes, size, &again, &err), &err);
    assert_same(mesh, again);
    free(bytes);
    mplan_mesh_free(again);
    mplan_mesh_free(mesh);
}

static void round_trip(void **state)
{
    (void)state;
    mplan_mesh *mesh;
    mplan_error err;
    assert_done(read_bytes(TWO, strlen(TWO), &mesh, &err), &err);
    check_round_trip(mesh);
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.shape = MPLAN_SHAPE_NACA0012;
    options.size[0] = 180; /* larger than the writer's buffer */
    options.size[1] = 60;
    for (int shuffle = 0; shuffle < 2; shuffle++) {
        options.shuffle = shuffle == 1;
        assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
        check_round_trip(mesh);
    }
}

/* Coordinates of every kind come back bit for bit, the usual ones in six decimals. */
static void numbers(void **state)
{
    (void)state;
    static const double value[] = {0,
                                   1,
                                   -0.0,
                                   -1,
                                   0.5,
                                   0.000001,
                                   -0.000001,
                                   9e-7,
                                   1.0 / 3,
                                   -2.0 / 3,
                                   1e9,
                                   1e-300,
                                   5e-324,
                                   1.7e308,
                                   0.1,
                                   123456.75,
                                   999999999.999999,
                                   4503599627370497.5,
                                   1e15,
                                   -1e22,
                                   8.970025,
                                   0.30000000000000004,
                                   1e-5,
                                   999999999.9999999,
                                   0.0000005,
                                   2.5e-7};
    enum { N = sizeof value / sizeof *value };
    mplan_mesh *mesh;
    mplan_error err;
    double places[2 * N + 2 * 20000];
    uint64_t seed = 3;
    int64_t n = 2 * N;
    for (int64_t i = 0; i < 2 * N; i++)
        places[i] = value[i % N];
    for (; n < 2 * N + 2 * 20000; n++) {
        double mantissa = (double)support_random(&seed, INT64_C(1) << 30) - (1 << 29);
        double scale = 1;
        for (int64_t k = support_random(&seed, 40); k > 0; k--)
            scale /= n % 2 ? 3 : 10;
        places[n] = mantissa * scale;
    }
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    static const uint8_t type[1] = {MPLAN_CELL_QUAD4};
    static const int32_t nodes[4] = {0, 1, 2, 3};
    assert_done(mplan_mesh_add_cells(mesh, n / 2, 1, type, nodes, &err), &err);
    assert_done(mplan_mesh_set_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 2, places, &err),
                &err);
    char *bytes;
    size_t size;
    mplan_mesh *again;
    int32_t dimension;
    assert_done(write_bytes(mesh, NULL, &bytes, &size, &err), &err);
    assert_done(read_bytes(bytes, size, &again, &err), &err);
    const double *back = mplan_mesh_coordinates(again, mplan_mesh_find_set(again, "nodes"),
                                                &dimension);
    for (int64_t i = 0; i < n; i++)
        if (memcmp(&back[i], &places[i], sizeof *back) != 0)
            fail_msg("%.17g came back as %.17g", places[i], back[i]);
    assert_non_null(strstr(bytes, "\n0.000000 1.000000\n-0.000000 -1.000000\n0.500000 0.000001\n"));
    free(bytes);
    mplan_mesh_free(again);
    mplan_mesh_free(mesh);
}

static void hear(void *user, const char *text)
{
    assert_non_null(strstr(text, "2 boundary edges do not belong to any group"));
    ++*(int *)user;
}

/* A mesh of quads without edges of its own gets them, in OP2's orientation. */
static void derived(void **state)
{
    (void)state;
    static const uint8_t type[2] = {MPLAN_CELL_QUAD4, MPLAN_CELL_QUAD4};
    static const uint8_t line[2] = {MPLAN_CELL_LINE2, MPLAN_CELL_LINE2};
    static const int32_t nodes[8] = {0, 1, 4, 3, 1, 2, 5, 4};
    static const int32_t wall[4] = {0, 1, 1, 2}, far[4] = {2, 5, 5, 4};
    static const double x[18] = {0, 0, 0, 1, 0, 0, 2, -0.5, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0};
    /* cells by boundary edge: lower nodes first */
    const char *expected = "6 2 1 6\n"
                           "0.000000 0.000000\n1.000000 0.000000\n2.000000 -0.500000\n"
                           "0.000000 1.000000\n1.000000 1.000000\n2.000000 1.000000\n"
                           "0 1 4 3\n1 2 5 4\n"
                           "4 1 0 1\n"
                           "1 0 0 1\n0 3 0 0\n3 4 0 0\n"
                           "2 1 1 1\n5 2 1 2\n4 5 1 2\n";
    int heard = 0;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.warning = hear;
    context.user = &heard;
    for (int early = 0; early < 2; early++) {
        mplan_mesh *mesh;
        mplan_error err;
        char *bytes;
        size_t size;
        assert_done(mplan_mesh_create(&mesh, &err), &err);
        assert_done(mplan_mesh_add_cells(mesh, 6, 2, type, nodes, &err), &err);
        assert_done(mplan_mesh_set_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 3, x, &err),
                    &err);
        assert_done(mplan_mesh_add_facets(mesh, "wall", 1, 2, line, wall, &err), &err);
        assert_done(mplan_mesh_add_facets(mesh, "far", 2, 2, line, far, &err), &err);
        if (early) {
            assert_done(mplan_mesh_derive(mesh, "faces_nodes", NULL, &err), &err);
            assert_done(mplan_mesh_derive(mesh, "boundary_faces_nodes", NULL, &err), &err);
        }
        assert_done(write_bytes(mesh, &context, &bytes, &size, &err), &err);
        assert_int_equal(heard, early + 1);
        assert_string_equal(bytes, expected);
        free(bytes);
        mplan_mesh_free(mesh);
    }
}

static void refuse_writing(mplan_mesh *mesh, const char *part)
{
    char *bytes;
    size_t size;
    mplan_error err;
    assert_refused(write_bytes(mesh, NULL, &bytes, &size, &err), MPLAN_ERR_UNSUPPORTED, &err, part);
    mplan_mesh_free(mesh);
}

static void not_writable(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.size[0] = options.size[1] = options.size[2] = 2;
    options.shape = MPLAN_SHAPE_HEX;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    refuse_writing(mesh, "planar mesh of quads");
    options.size[2] = 0;
    options.shape = MPLAN_SHAPE_TRI;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    refuse_writing(mesh, "cell 0 is a tri3");
    options.shape = MPLAN_SHAPE_QUAD;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    double x[27] = {0};
    x[8] = 0.25;
    assert_done(mplan_mesh_set_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 3, x, &err),
                &err);
    refuse_writing(mesh, "node 2 has z = 0.25");
    static const uint8_t type[1] = {MPLAN_CELL_QUAD4};
    static const int32_t nodes[4] = {0, 1, 2, 3};
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, 4, 1, type, nodes, &err), &err);
    refuse_writing(mesh, "needs coordinates");
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    refuse_writing(mesh, "planar mesh of quads");
    /* own edges, but with an edge that has one cell */
    static const int32_t cells[2] = {0, -1};
    static const double square[8] = {0, 0, 1, 0, 1, 1, 0, 1};
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, 4, 1, type, nodes, &err), &err);
    assert_done(mplan_mesh_set_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 2, square, &err),
                &err);
    int32_t edges;
    assert_done(mplan_mesh_add_set(mesh, "edges", 1, &edges, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "edges_nodes", edges, mplan_mesh_find_set(mesh, "nodes"),
                                   2, NULL, nodes, NULL, &err),
                &err);
    assert_done(mplan_mesh_add_map(mesh, "edges_cells", edges, mplan_mesh_find_set(mesh, "cells"),
                                   2, NULL, cells, NULL, &err),
                &err);
    assert_done(mplan_mesh_set_faces_name(mesh, "edges", &err), &err);
    refuse_writing(mesh, "cannot hold -1, as in row 0 of edges_cells");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good),       cmocka_unit_test(bad),          cmocka_unit_test(truncated),
        cmocka_unit_test(recognised), cmocka_unit_test(round_trip),   cmocka_unit_test(numbers),
        cmocka_unit_test(derived),    cmocka_unit_test(not_writable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
