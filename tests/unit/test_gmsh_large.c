/* SPDX-License-Identifier: Apache-2.0 */
/* test_gmsh_large.c - blocks of binary MSH files that threads read together */
#include "support_test.h"

#include "formats/format.h"
#include "mesh/mesh.h"
#include "support_threads.h"

enum { SIDE = 72, N_NODES = (SIDE + 1) * (SIDE + 1), N_CELLS = 2 * SIDE * SIDE, LARGE = 1 << 20 };

/* Node k of triangle c of a square, from 0. */
static int64_t corner(int64_t c, int k)
{
    const int64_t at = c / 2 / SIDE * (SIDE + 1) + c / 2 % SIDE;
    const int64_t corners[2][3] = {{at, at + 1, at + SIDE + 2}, {at, at + SIDE + 2, at + SIDE + 1}};
    return corners[c % 2][k];
}

static char *put(char *at, const void *data, size_t bytes)
{
    memcpy(at, data, bytes);
    return at + bytes;
}

static char *put_text(char *at, const char *text)
{
    return put(at, text, strlen(text));
}

/* A binary file of version 4.1 with all triangles in one block; node i has the tag 3 i + 5. *tags: where the tags of the
 * first triangle are, its own first. Returns its bytes. */
static size_t large_file(char *file, char **tags)
{
    const int32_t one = 1, nodes_head[3] = {2, 1, 0}, cells_head[3] = {2, 1, 2};
    const int64_t nodes[5] = {1, N_NODES, 5, 3 * N_NODES + 2, N_NODES};
    const int64_t cells[5] = {1, N_CELLS, 1, N_CELLS, N_CELLS};
    char *at = put_text(file, "$MeshFormat\n4.1 1 8\n");
    at = put_text(put(at, &one, sizeof one), "\n$EndMeshFormat\n$Nodes\n");
    at = put(at, nodes, 4 * sizeof *nodes);
    at = put(put(at, nodes_head, sizeof nodes_head), nodes + 4, sizeof *nodes);
    for (int64_t i = 0; i < N_NODES; i++)
        at = put(at, &(int64_t){3 * i + 5}, sizeof(int64_t));
    for (int64_t i = 0; i < N_NODES; i++)
        at = put(at, (double[3]){(double)(i % (SIDE + 1)), (double)(i / (SIDE + 1)), 0},
                 3 * sizeof(double));
    at = put_text(at, "\n$EndNodes\n$Elements\n");
    at = put(at, cells, 4 * sizeof *cells);
    at = *tags = put(put(at, cells_head, sizeof cells_head), cells + 4, sizeof *cells);
    for (int64_t c = 0; c < N_CELLS; c++) {
        at = put(at, &(int64_t){c + 1}, sizeof c);
        for (int k = 0; k < 3; k++)
            at = put(at, &(int64_t){3 * corner(c, k) + 5}, sizeof(int64_t));
    }
    return (size_t)(put_text(at, "\n$EndElements\n") - file);
}

/* Reads the file by so many threads and compares all corners; or, where a node is missing, looks for the first element that
 * has it, at its byte. */
static void read_large(const char *file, size_t bytes, int32_t threads, int64_t bad, const char *place)
{
    mplan_error err;
    mplan_mesh *mesh;
    mplan_threaded team;
    char expected[80], byte[40];
    mplan_input input = {"x.msh", (const uint8_t *)file, bytes, NULL};
    const mplan_context *context = support_threaded_open(NULL, &team, threads);
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    mplan_status status = mplan_format_gmsh.read(&input, NULL, context, mesh, &err);
    mplan_threaded_close(&team);
    if (bad >= 0) {
        snprintf(expected, sizeof expected, "element %lld refers to node 4, which",
                 (long long)bad + 1);
        snprintf(byte, sizeof byte, "%lld", (long long)(place - file));
        assert_int_equal(status, MPLAN_ERR_MESH);
        assert_non_null(strstr(err.text, expected));
        assert_non_null(strstr(err.text, byte));
    } else {
        assert_done(status, &err);
        mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
        assert_int_equal(map.n_rows, N_CELLS);
        for (int64_t c = 0; c < N_CELLS; c++)
            for (int k = 0; k < 3; k++)
                assert_int_equal(map.values[3 * c + k], corner(c, k));
    }
    mplan_mesh_free(mesh);
}

/* Blocks that threads read together are those of the file, and errors name the first wrong row. */
static void large_blocks_by_threads(void **state)
{
    static const int32_t threads[] = {1, 2, 3, 5, 16};
    char *file = malloc(LARGE), *tags;
    (void)state;
    size_t bytes = large_file(file, &tags);
    assert_true(bytes < LARGE);
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
        read_large(file, bytes, threads[t], -1, NULL);
    const int64_t missing = 4, bad[2] = {N_CELLS - 5, N_CELLS / 2 + 77};
    for (int i = 0; i < 2; i++) {
        char *place = tags + bad[i] * 32 + 16;
        memcpy(place, &missing, sizeof missing);
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
            read_large(file, bytes, threads[t], bad[i], place);
    }
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_blocks_by_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
