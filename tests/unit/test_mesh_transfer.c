/* SPDX-License-Identifier: Apache-2.0 */
/* test_mesh_transfer.c - meshes as bytes: back as they were, and refused when anything is wrong with them */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/shared_memory.h"
#include "mesh/mesh_checks.h"
#include "mesh/mesh_transfer.h"
#include "support_test.h"

typedef struct bytes {
    uint8_t *data;
    size_t size;
} bytes;

static bytes send_mesh(const mplan_mesh *mesh)
{
    mplan_error err;
    int fd;
    bytes made = {NULL, 0};
    assert_done(mplan_shared_create(0, &fd, &err), &err);
    assert_done(mplan_mesh_send(mesh, fd, &err), &err);
    assert_done(mplan_shared_seal(fd, &made.size, &err), &err);
    const void *data = mplan_shared_map(fd, made.size, &err);
    assert_non_null(data);
    made.data = malloc(made.size);
    memcpy(made.data, data, made.size);
    mplan_shared_unmap(data, made.size);
    close(fd);
    return made;
}

/* Reads from a copy of its exact size, so that sanitizers see every step beyond it. */
static mplan_mesh *receive(const uint8_t *data, size_t size, mplan_error *err)
{
    mplan_mesh *mesh;
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    assert_done(mplan_mesh_create(&mesh, err), err);
    err->text[0] = '\0';
    mplan_status status = mplan_mesh_receive(mesh, copy, size, err);
    free(copy);
    if (status == MPLAN_OK)
        return mesh;
    assert_true(status == MPLAN_ERR_CORRUPT || status == MPLAN_ERR_MEMORY);
    assert_true(err->text[0] != '\0');
    mplan_mesh_free(mesh);
    return NULL;
}

/* Cells of several types, a ragged map, groups of cells and facets, a set without anything. */
static mplan_mesh *make_mesh(void)
{
    static const uint8_t types[] = {MPLAN_CELL_TRI3, MPLAN_CELL_QUAD4, MPLAN_CELL_TRI3};
    static const int32_t nodes[] = {0, 1, 2, 1, 3, 4, 2, 2, 4, 5};
    static const double xy[] = {0, 0, 1, 0, 0, 1, 2, 0, 2, 1, 1, 2};
    static const int64_t offsets[] = {0, 2, 2, 5};
    static const int32_t links[] = {5, -1, 0, 1, 2}, members[] = {0, 2}, pairs[] = {0, 1, 1, 3};
    static const int32_t ranges[] = {0, 35, 3, 3, 1, 34};
    static const uint32_t mask[] = {0xfffffffe, 5, 0, 0, 2, 1}, flat[] = {3, 0, 1, 2, 3, 3};
    static const uint8_t lines[] = {MPLAN_CELL_LINE2, MPLAN_CELL_LINE2};
    mplan_mesh *mesh;
    mplan_error err;
    int32_t set;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, 6, 3, types, nodes, &err), &err);
    assert_done(mplan_mesh_set_coordinates(mesh, 0, 2, xy, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "others", 3, &set, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "others_nodes", set, 0, 0, offsets, links, NULL, &err),
                &err);
    assert_done(mplan_mesh_add_set(mesh, "none", 0, NULL, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "inside", -7, 2, 1, 2, members, &err), &err);
    assert_done(mplan_mesh_add_facets(mesh, "wall", 3, 2, lines, pairs, &err), &err);
    assert_done(mplan_mesh_set_format(mesh, "exodus", &err), &err);
    assert_done(mplan_mesh_set_faces_name(mesh, "edges", &err), &err);
    assert_done(mplan_mesh_set_layers(mesh, set, 35, ranges, &err), &err);
    assert_done(mplan_mesh_set_layer_mask(mesh, set, mask, &err), &err);
    assert_done(mplan_mesh_set_layers(mesh, 0, 2, NULL, &err), &err);
    assert_done(mplan_mesh_set_layer_mask(mesh, 0, flat, &err), &err);
    return mesh;
}

static void meshes_come_back(void **state)
{
    (void)state;
    static const mplan_shape shapes[] = {MPLAN_SHAPE_QUAD, MPLAN_SHAPE_TRI, MPLAN_SHAPE_HEX,
                                         MPLAN_SHAPE_TET};
    mplan_error err;
    for (int s = -2; s < 4; s++) {
        mplan_mesh *mesh;
        mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
        if (s == -2) {
            assert_done(mplan_mesh_create(&mesh, &err), &err);
        } else if (s == -1) {
            mesh = make_mesh();
        } else {
            options.shape = shapes[s];
            for (int d = 0; d < (s < 2 ? 2 : 3); d++)
                options.size[d] = 20;
            assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
        }
        bytes sent = send_mesh(mesh);
        mplan_mesh *back = receive(sent.data, sent.size, &err);
        assert_non_null(back);
        assert_done(mplan_mesh_validate(back, NULL, &err), &err);
        assert_string_equal(mplan_mesh_format(back), mplan_mesh_format(mesh));
        assert_string_equal(mplan_mesh_faces_name(back), mplan_mesh_faces_name(mesh));
        assert_int_equal(mplan_mesh_dimension(back), mplan_mesh_dimension(mesh));
        assert_int_equal(back->n_facet_groups, mesh->n_facet_groups);
        for (int32_t i = 0; i < mesh->n_sets; i++) {
            const mplan_mesh_set_data *set = &mesh->sets[i];
            assert_int_equal(mplan_mesh_layer_mask(back, i) != NULL, set->mask != NULL);
            if (set->mask)
                assert_memory_equal(mplan_mesh_layer_mask(back, i), set->mask,
                                    (size_t)(set->size * mplan_mask_words(set->layers)) *
                                        sizeof *set->mask);
        }
        bytes again = send_mesh(back);
        assert_int_equal(again.size, sent.size);
        assert_memory_equal(again.data, sent.data, sent.size);
        free(again.data);
        free(sent.data);
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
}

/* What is accepted in spite of a change is a mesh that holds. */
static void try_bytes(const uint8_t *data, size_t size, int64_t *accepted)
{
    mplan_error err;
    mplan_mesh *mesh = receive(data, size, &err);
    if (!mesh)
        return;
    ++*accepted;
    mplan_status status = mplan_mesh_validate(mesh, NULL, &err);
    if (status == MPLAN_OK && mplan_mesh_cell_types(mesh)) {
        status = mplan_mesh_derive(mesh, "cells_faces", NULL, &err);
        assert_true(status == MPLAN_OK || status == MPLAN_ERR_MESH);
    }
    mplan_mesh_free(mesh);
}

static void what_is_cut_or_longer_is_refused(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh = make_mesh();
    bytes sent = send_mesh(mesh);
    for (size_t size = 0; size < sent.size; size++)
        assert_null(receive(sent.data, size, &err));
    uint8_t *longer = calloc(1, sent.size + 16);
    memcpy(longer, sent.data, sent.size);
    for (size_t more = 1; more <= 16; more++)
        assert_null(receive(longer, sent.size + more, &err));
    free(longer);
    free(sent.data);
    mplan_mesh_free(mesh);
}

static void every_word_at_its_limits_is_refused_or_holds(void **state)
{
    (void)state;
    static const int64_t values[] = {-1,
                                     0,
                                     1,
                                     2,
                                     3,
                                     4,
                                     5,
                                     6,
                                     7,
                                     255,
                                     65536,
                                     INT32_MAX,
                                     (int64_t)INT32_MAX + 1,
                                     INT64_C(1) << 61,
                                     INT64_MAX,
                                     INT64_MIN,
                                     INT64_C(0x7ff0000000000000)};
    mplan_mesh *mesh = make_mesh();
    bytes sent = send_mesh(mesh);
    int64_t accepted = 0, tried = 0;
    for (size_t at = 0; at + 8 <= sent.size; at += 4) {
        for (size_t v = 0; v < sizeof values / sizeof *values; v++, tried++) {
            uint8_t old[8];
            memcpy(old, sent.data + at, 8);
            memcpy(sent.data + at, &values[v], 8);
            try_bytes(sent.data, sent.size, &accepted);
            memcpy(sent.data + at, old, 8);
        }
    }
    for (size_t bit = 0; bit < sent.size * 8; bit++, tried++) {
        sent.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        try_bytes(sent.data, sent.size, &accepted);
        sent.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(accepted > 0 && accepted < tried);
    free(sent.data);
    mplan_mesh_free(mesh);
}

static void names_hold_no_zero_bytes(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh = make_mesh();
    bytes sent = send_mesh(mesh);
    uint8_t *at = NULL;
    for (size_t i = 0; i + 6 <= sent.size && !at; i++)
        if (memcmp(sent.data + i, "others", 6) == 0)
            at = sent.data + i;
    assert_non_null(at);
    at[3] = '\0';
    assert_null(receive(sent.data, sent.size, &err));
    assert_non_null(strstr(err.text, "zero byte"));
    memcpy(at, "nodes\xff", 6); /* any other byte is the name's own affair */
    at[5] = 'x';
    mplan_mesh *back = receive(sent.data, sent.size, &err);
    assert_non_null(back);
    mplan_mesh_free(back);
    free(sent.data);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_come_back),
        cmocka_unit_test(what_is_cut_or_longer_is_refused),
        cmocka_unit_test(every_word_at_its_limits_is_refused_or_holds),
        cmocka_unit_test(names_hold_no_zero_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
