/* SPDX-License-Identifier: Apache-2.0 */
/* test_surfaces.c - points of STL files against a naive welding; references of medit's against lists */
#include "support_test.h"

#include <sys/mman.h>

#include "formats/format.h"

static mplan_status read_bytes(const mplan_file_format *format, const void *data, size_t size,
                               mplan_mesh **mesh, mplan_error *err)
{
    mplan_input input = {"a", data, size, NULL};
    *mesh = NULL;
    assert_done(mplan_mesh_create(mesh, err), err);
    mplan_status status = format->read(&input, NULL, NULL, *mesh, err);
    if (status != MPLAN_OK) {
        mplan_mesh_free(*mesh);
        *mesh = NULL;
    }
    return status;
}

/* --- STL -------------------------------------------------------------------------------- */

enum { MOST_TRIANGLES = 3000 };

typedef struct corner {
    float x[3];
} corner;

static void random_triangles(uint64_t *seed, int n, int64_t side, corner *corners)
{
    for (int i = 0; i < 3 * n; i++)
        for (int d = 0; d < 3; d++) {
            int64_t at = support_random(seed, side);
            corners[i].x[d] = at == 0 && support_random(seed, 2) ? -0.0f : (float)at / 7.0f;
        }
}

static bool equal_corners(const corner *a, const corner *b)
{
    return a->x[0] == b->x[0] && a->x[1] == b->x[1] && a->x[2] == b->x[2];
}

/* Every corner gets the number of the first equal one's node; returns how many nodes there are. */
static int weld(const corner *corners, int n, int *node, int *first)
{
    int n_nodes = 0;
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < n_nodes && !equal_corners(&corners[i], &corners[first[k]]))
            k++;
        if (k == n_nodes)
            first[n_nodes++] = i;
        node[i] = k;
    }
    return n_nodes;
}

static size_t write_binary(const corner *corners, int n, uint8_t *to)
{
    uint32_t count = (uint32_t)n;
    memset(to, 0, 84 + 50 * (size_t)n);
    memcpy(to + 80, &count, 4);
    for (int t = 0; t < n; t++)
        memcpy(to + 84 + 50 * t + 12, &corners[3 * t], 36);
    return 84 + 50 * (size_t)n;
}

static size_t write_text(const corner *corners, int n, char *to)
{
    char *at = to + sprintf(to, "solid a\n");
    for (int t = 0; t < n; t++) {
        at += sprintf(at, "facet normal 0 0 1\nouter loop\n");
        for (int k = 0; k < 3; k++)
            at += sprintf(at, "vertex %.9g %.9g %.9g\n", (double)corners[3 * t + k].x[0],
                          (double)corners[3 * t + k].x[1], (double)corners[3 * t + k].x[2]);
        at += sprintf(at, "endloop\nendfacet\n");
    }
    return (size_t)(at + sprintf(at, "endsolid a\n") - to);
}

static void expect_welded(const mplan_mesh *mesh, const corner *corners, int n, const int *node,
                          int n_nodes)
{
    mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    int32_t dimension;
    const double *xyz = mplan_mesh_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), &dimension);
    assert_int_equal(map.n_points, n_nodes);
    assert_int_equal(dimension, 3);
    int64_t row = 0;
    for (int t = 0; t < n; t++) {
        const int *of = &node[3 * t];
        if (of[0] == of[1] || of[1] == of[2] || of[2] == of[0])
            continue;
        for (int k = 0; k < 3; k++) {
            assert_int_equal(map.values[3 * row + k], of[k]);
            for (int d = 0; d < 3; d++) /* text has the same numbers but to the last bit of a float */
                assert_true((float)xyz[3 * (int64_t)of[k] + d] == corners[3 * t + k].x[d]);
        }
        row++;
    }
    assert_int_equal(map.n_rows, row);
}

static void test_welding(void **state)
{
    static corner corners[3 * MOST_TRIANGLES];
    static int node[3 * MOST_TRIANGLES], first[3 * MOST_TRIANGLES];
    static char text[MOST_TRIANGLES * 260];
    static uint8_t binary[84 + 50 * MOST_TRIANGLES];
    uint64_t seed = 3;
    (void)state;
    for (int round = 0; round < 60; round++) {
        int n = round == 0 ? MOST_TRIANGLES : 1 + (int)support_random(&seed, 120);
        mplan_mesh *mesh;
        mplan_error err;
        random_triangles(&seed, n, round == 0 ? 40 : 2 + support_random(&seed, 6), corners);
        corners[0] = (corner){{0, 0, 0}}; /* one triangle that stays, and not all in a plane */
        corners[1] = (corner){{1, 0, 0}};
        corners[2] = (corner){{0, 0, 1}};
        int n_nodes = weld(corners, 3 * n, node, first);
        assert_done(read_bytes(&mplan_format_stl, binary, write_binary(corners, n, binary), &mesh,
                               &err),
                    &err);
        expect_welded(mesh, corners, n, node, n_nodes);
        mplan_mesh_free(mesh);
        assert_done(read_bytes(&mplan_format_stl, text, write_text(corners, n, text), &mesh, &err),
                    &err);
        expect_welded(mesh, corners, n, node, n_nodes);
        mplan_mesh_free(mesh);
    }
}

/* --- references --------------------------------------------------------------------------- */

enum { SIDE = 6, N_CELLS = 2 * SIDE * SIDE, N_NODES = (SIDE + 1) * (SIDE + 1) };

static void expect_group(const mplan_mesh *mesh, int64_t id, const char *set, const int *reference,
                         int n)
{
    int expected = 0;
    for (int i = 0; i < n; i++)
        expected += reference[i] == id;
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh); g++) {
        mplan_group group = mplan_mesh_group(mesh, g);
        if (group.id != id || strcmp(mplan_mesh_set(mesh, group.set).name, set) != 0)
            continue;
        int at = 0;
        assert_int_equal(group.n_members, expected);
        for (int i = 0; i < n; i++)
            if (reference[i] == id)
                assert_int_equal(group.members[at++], i);
        return;
    }
    assert_int_equal(expected, 0);
}

/* A plate of triangles whose cells and nodes have random references. */
static void test_references(void **state)
{
    uint64_t seed = 11;
    (void)state;
    for (int round = 0; round < 100; round++) {
        static char text[65536];
        int cell[N_CELLS], node[N_NODES], n = 0;
        int64_t most = 1 + support_random(&seed, 9);
        char *at = text + sprintf(text, "MeshVersionFormatted 2 Dimension 2\nVertices %d\n", N_NODES);
        for (int i = 0; i < N_NODES; i++) {
            node[i] = (int)support_random(&seed, most) - 1; /* 0: none; -1 is a reference like others */
            at += sprintf(at, "%d %d %d\n", i % (SIDE + 1), i / (SIDE + 1), node[i]);
        }
        at += sprintf(at, "Triangles %d\n", N_CELLS);
        for (int j = 0; j < SIDE; j++)
            for (int i = 0; i < SIDE; i++)
                for (int half = 0; half < 2; half++, n++) {
                    int a = 1 + i + (SIDE + 1) * j, b = a + SIDE + 2;
                    cell[n] = (int)support_random(&seed, most);
                    at += sprintf(at, "%d %d %d %d\n", a, half ? b : a + 1, half ? b - 1 : b,
                                  cell[n]);
                }
        mplan_mesh *mesh;
        mplan_error err;
        assert_done(read_bytes(&mplan_format_medit, text, (size_t)(at - text), &mesh, &err), &err);
        for (int id = -1; id < 10; id++) {
            if (id == 0)
                continue;
            expect_group(mesh, id, "cells", cell, N_CELLS);
            if (most > 1) /* one for all nodes is not a group */
                expect_group(mesh, id, "nodes", node, N_NODES);
        }
        mplan_mesh_free(mesh);
    }
}

/* --- PLY -------------------------------------------------------------------------------- */

/* A face of 2^31 corners, all of them there: bytes that nobody touches take no memory. */
static void faces_of_too_many_corners_are_refused(void **state)
{
    static const char head[] = "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty uchar x\n"
                               "property uchar y\nproperty uchar z\nelement face 1\n"
                               "property list uint uchar vertex_indices\nend_header\n";
    const size_t n_head = sizeof head - 1, n_corners = (size_t)1 << 31,
                 size = n_head + 3 + 4 + n_corners;
    (void)state;
    uint8_t *data = mmap(NULL, size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED)
        skip();
    memcpy(data, head, n_head);
    data[n_head + 3 + 3] = 0x80; /* the length of the list, little-endian */
    mplan_error err;
    mplan_mesh *mesh;
    assert_int_equal(read_bytes(&mplan_format_ply, data, size, &mesh, &err), MPLAN_ERR_MESH);
    assert_string_equal(err.text, "a: byte 177: a face cannot have 2147483648 corners");
    munmap(data, size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_welding),
        cmocka_unit_test(test_references),
        cmocka_unit_test(faces_of_too_many_corners_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
