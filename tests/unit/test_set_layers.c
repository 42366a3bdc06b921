/* SPDX-License-Identifier: Apache-2.0 */
/* test_set_layers.c - layers that a mesh brings: refused, spread, carried by what changes the mesh, used by plans
 *
 * Spreading is compared with a naive search over all pairs; a plan by the mesh's layers with one whose request gives them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/shared_memory.h"
#include "mesh/mesh_transfer.h"
#include "support_planfile.h"
#include "support_test.h"

enum { CELLS = 40, EDGES = 60, HIGH = 9 };

static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};

/* Edges between random cells, a tenth of them none; random columns of the cells. */
static mplan_mesh *make_mesh(uint64_t seed, int32_t ranges[2 * CELLS])
{
    mplan_mesh *mesh;
    mplan_error err;
    int32_t sides[2 * EDGES];
    for (int i = 0; i < 2 * EDGES; i++)
        sides[i] = support_random(&seed, 10) ? (int32_t)support_random(&seed, CELLS) : -1;
    for (int i = 0; i < CELLS; i++) {
        ranges[2 * i] = (int32_t)support_random(&seed, HIGH + 1);
        ranges[2 * i + 1] = ranges[2 * i] + (int32_t)support_random(&seed, HIGH + 1 - ranges[2 * i]);
    }
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", CELLS, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "edges", EDGES, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "edges_cells", 1, 0, 2, NULL, sides, NULL, &err), &err);
    assert_done(mplan_mesh_set_layers(mesh, 0, HIGH, ranges, &err), &err);
    return mesh;
}

static void what_cannot_be(void **state)
{
    (void)state;
    int32_t ranges[2 * CELLS], wrong[2 * CELLS];
    const int32_t *found;
    mplan_error err;
    mplan_mesh *mesh = make_mesh(1, ranges);
    static const int32_t bad[][2] = {{-1, 3}, {4, 3}, {0, HIGH + 1}, {INT32_MIN, INT32_MIN}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        memcpy(wrong, ranges, sizeof wrong);
        memcpy(wrong + 10, bad[k], sizeof bad[k]);
        assert_refused(mplan_mesh_set_layers(mesh, 0, HIGH, wrong, &err), MPLAN_ERR_MESH, &err,
                       "layers of cells: member 5 cannot have layers");
    }
    assert_refused(mplan_mesh_set_layers(mesh, 0, 0, NULL, &err), MPLAN_ERR_MESH, &err, "1 to 65535");
    assert_refused(mplan_mesh_set_layers(mesh, 0, MPLAN_MAX_LAYERS + 1, NULL, &err), MPLAN_ERR_MESH,
                   &err, "1 to 65535");
    assert_refused(mplan_mesh_set_layers(mesh, 2, 3, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "no set 2");
    assert_refused(mplan_mesh_spread_layers(mesh, 1, MPLAN_LAYERS_COMMON, &err), MPLAN_ERR_ARGUMENT,
                   &err, "no map 1");
    assert_refused(mplan_mesh_spread_layers(mesh, 0, MPLAN_LAYERS_SPANNED, &err),
                   MPLAN_ERR_ARGUMENT, &err, "set edges must have layers");
    assert_int_equal(mplan_mesh_layers(mesh, 0, &found), HIGH);
    assert_memory_equal(found, ranges, sizeof ranges); /* failures change nothing */
    mplan_mesh_free(mesh);
}

/* Layer k of edge e: all cells of the edge have it, and there is one. */
static bool in_common(const mplan_map *map, const int32_t *ranges, int64_t e, int32_t k)
{
    bool any = false, all = true;
    for (int s = 0; s < 2; s++) {
        const int32_t c = map->values[2 * e + s];
        any = any || c >= 0;
        all = all && (c < 0 || (ranges[2 * c] <= k && k < ranges[2 * c + 1]));
    }
    return any && all;
}

/* Layer k of cell c lies between two layers of edges beside it (or is one). */
static bool in_span(const mplan_map *map, const int32_t *ranges, int32_t c, int32_t k)
{
    bool below = false, above = false;
    for (int64_t i = 0; i < 2 * map->n_rows; i++)
        for (int32_t j = ranges[i / 2 * 2]; map->values[i] == c && j < ranges[i / 2 * 2 + 1]; j++) {
            below = below || j <= k;
            above = above || j >= k;
        }
    return below && above;
}

static void layers_are_spread(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        int32_t ranges[2 * CELLS];
        const int32_t *edges, *cells;
        mplan_error err;
        mplan_mesh *mesh = make_mesh(seed, ranges);
        const mplan_map map = mplan_mesh_map(mesh, 0);
        assert_done(mplan_mesh_spread_layers(mesh, 0, MPLAN_LAYERS_COMMON, &err), &err);
        assert_int_equal(mplan_mesh_layers(mesh, 1, &edges), HIGH);
        for (int e = 0; e < EDGES; e++)
            for (int k = 0; k < HIGH; k++)
                assert_int_equal(edges[2 * e] <= k && k < edges[2 * e + 1],
                                 in_common(&map, ranges, e, k));
        assert_done(mplan_mesh_spread_layers(mesh, 0, MPLAN_LAYERS_SPANNED, &err), &err);
        mplan_mesh_layers(mesh, 0, &cells);
        for (int c = 0; c < CELLS; c++)
            for (int k = 0; k < HIGH; k++)
                assert_int_equal(cells[2 * c] <= k && k < cells[2 * c + 1],
                                 in_span(&map, edges, c, k));
        mplan_mesh_free(mesh);
    }
}

/* Of one number for all members another set gets the same number. */
static void constants_are_spread(void **state)
{
    (void)state;
    int32_t ranges[2 * CELLS];
    const int32_t *found;
    mplan_error err;
    mplan_mesh *mesh = make_mesh(3, ranges);
    assert_done(mplan_mesh_set_layers(mesh, 0, 70, NULL, &err), &err);
    assert_done(mplan_mesh_spread_layers(mesh, 0, MPLAN_LAYERS_COMMON, &err), &err);
    assert_int_equal(mplan_mesh_layers(mesh, 1, &found), 70);
    assert_null(found);
    mplan_mesh_free(mesh);
}

/* As bytes and back; each word of the bytes changed is refused, or gives a mesh whose layers can be. */
static void bytes_carry_layers(void **state)
{
    (void)state;
    int32_t ranges[2 * CELLS];
    const int32_t *found;
    mplan_error err;
    int fd;
    size_t size;
    mplan_mesh *mesh = make_mesh(4, ranges), *back;
    assert_done(mplan_shared_create(0, &fd, &err), &err);
    assert_done(mplan_mesh_send(mesh, fd, &err), &err);
    assert_done(mplan_shared_seal(fd, &size, &err), &err);
    const void *data = mplan_shared_map(fd, size, &err);
    for (size_t word = 0; word <= size / 8; word++) {
        char *bytes = malloc(size);
        memcpy(bytes, data, size);
        if (word < size / 8)
            bytes[8 * word] = (char)(bytes[8 * word] ^ 0x40);
        assert_done(mplan_mesh_create(&back, &err), &err);
        const mplan_status status = mplan_mesh_receive(back, bytes, size, &err);
        if (word == size / 8) {
            assert_done(status, &err);
            assert_int_equal(mplan_mesh_layers(back, 0, &found), HIGH);
            assert_memory_equal(found, ranges, sizeof ranges);
            assert_int_equal(mplan_mesh_layers(back, 1, &found), 0);
        }
        const int32_t layers = status ? 0 : mplan_mesh_layers(back, 0, &found);
        for (int i = 0; layers && found && i < CELLS; i++)
            assert_true(found[2 * i] >= 0 && found[2 * i] <= found[2 * i + 1] &&
                        found[2 * i + 1] <= layers);
        free(bytes);
        mplan_mesh_free(back);
    }
    mplan_shared_unmap(data, size);
    close(fd);
    mplan_mesh_free(mesh);
}

/* Edges are split by their missing cells, and members are reordered: each keeps its column. */
static void changes_carry_layers(void **state)
{
    (void)state;
    int32_t ranges[2 * CELLS], turned[CELLS];
    const int32_t *edges, *found;
    mplan_error err;
    mplan_mesh *mesh = make_mesh(5, ranges), *made;
    assert_done(mplan_mesh_spread_layers(mesh, 0, MPLAN_LAYERS_COMMON, &err), &err);
    mplan_mesh_layers(mesh, 1, &edges);
    int32_t before[2 * EDGES];
    memcpy(before, edges, sizeof before);
    for (int i = 0; i < CELLS; i++)
        turned[i] = CELLS - 1 - i;
    int32_t *places[2] = {turned, NULL};
    const mplan_orders orders = {.n_sets = 2, .new_of_old = places};
    assert_done(mplan_mesh_reorder(mesh, &orders, NULL, &made, &err), &err);
    assert_int_equal(mplan_mesh_layers(made, 0, &found), HIGH);
    for (int i = 0; i < CELLS; i++)
        assert_memory_equal(found + 2 * turned[i], ranges + 2 * i, 2 * sizeof *ranges);
    mplan_mesh_free(made);
    assert_done(mplan_mesh_split(mesh, 1, 0, &err), &err);
    for (int32_t s = 1; s <= 2; s++) {
        const int64_t *ids = mplan_mesh_global_ids(mesh, s);
        assert_int_equal(mplan_mesh_layers(mesh, s, &found), HIGH);
        for (int64_t i = 0; i < mplan_mesh_set(mesh, s).size; i++)
            assert_memory_equal(found + 2 * i, before + 2 * ids[i], 2 * sizeof *found);
    }
    mplan_mesh_free(mesh);
}

/* The same bytes, whether mesh or request says which layers there are; the request counts where both do. */
static void plans_take_layers(void **state)
{
    (void)state;
    static const mplan_arg args[] = {
        {"q", "edges_cells", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_SKIP}};
    static const mplan_loop loop = {"flux", "edges", true, 1, 0, 1, args};
    static const mplan_layered_arg levels = {
        0, 0, {HIGH, 1, 0, MPLAN_COLUMNS_LAYERS, 1, {{MPLAN_EVERY_SLOT, 0}}}};
    static const mplan_layered_loop layered = {0, MPLAN_LAYERING_LAYERS};
    size_t size[3];
    uint8_t *bytes[3];
    for (int k = 0; k < 3; k++) {
        int32_t ranges[2 * CELLS], of_edges[2 * EDGES];
        const int32_t *found;
        mplan_error err;
        mplan_plan *plan;
        mplan_mesh *mesh = make_mesh(6, ranges);
        assert_done(mplan_mesh_spread_layers(mesh, 0, MPLAN_LAYERS_COMMON, &err), &err);
        mplan_mesh_layers(mesh, 1, &found);
        memcpy(of_edges, found, sizeof of_edges);
        const mplan_layered_set set = {"edges", HIGH, of_edges, NULL};
        const mplan_layers layers = {k > 0, 1, 1, &set, &layered, &levels};
        if (k == 1)
            assert_done(mplan_mesh_set_layers(mesh, 1, 3, NULL, &err), &err);
        for (int e = 0; k == 2 && e < EDGES; e++)
            of_edges[2 * e + 1] = of_edges[2 * e];
        mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
        options.layers = &layers;
        assert_done(mplan_plan_create(mesh, 1, &loop, &options, &one_thread, &plan, &err), &err);
        assert_done(mplan_plan_verify(plan, mesh, &one_thread, &err), &err);
        bytes[k] = support_file_bytes(plan, false, 1, &size[k]);
        mplan_plan_free(plan);
        mplan_mesh_free(mesh);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    assert_true(size[2] != size[0] || memcmp(bytes[0], bytes[2], size[0]) != 0);
    for (int k = 0; k < 3; k++)
        free(bytes[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be),       cmocka_unit_test(layers_are_spread),
        cmocka_unit_test(constants_are_spread), cmocka_unit_test(bytes_carry_layers),
        cmocka_unit_test(changes_carry_layers), cmocka_unit_test(plans_take_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
