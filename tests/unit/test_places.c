/* SPDX-License-Identifier: Apache-2.0 */
/* test_places.c - lists of places in a file as bytes: they come back as they were, and what is damaged is refused or sound */
#include <string.h>
#include <unistd.h>

#include "base/shared_memory.h"
#include "formats/places.h"
#include "support_test.h"

enum { FILE_BYTES = 1000, MOST = 1 << 15 };

/* levels: an array of one column. */
static void fill_layers(mplan_places *places, int32_t levels)
{
    mplan_error err;
    mplan_places_layers *layers;
    assert_done(mplan_places_add_layers(places, "cells", &layers, &err), &err);
    layers->layers = 9;
    layers->first = layers->last = levels;
    layers->minus = 1;
    memcpy(layers->word, "cell", 4);
    assert_done(mplan_places_add_layers(places, "edges_cells", &layers, &err), &err);
    layers->follows = true;
    layers->rule = MPLAN_LAYERS_SPANNED;
}

/* One group of each kind, but that of two parts. rows: an array of triangles; list: one of as many numbers. */
static void fill_groups(mplan_places *places, int32_t rows, int32_t list)
{
    mplan_error err;
    for (int32_t kind = 0; kind < MPLAN_N_GROUP_KINDS; kind++) {
        mplan_places_group *group;
        const bool by_list = kind == MPLAN_GROUP_LIST || kind == MPLAN_GROUP_SIDES;
        assert_done(mplan_places_add_group(places, "wall", "cells", kind / 2, kind, &group, &err),
                    &err);
        group->array = kind == MPLAN_GROUP_RUN ? -1 : by_list ? list : rows;
        group->other = kind == MPLAN_GROUP_SIDES || kind == MPLAN_GROUP_ROWS ? list : -1;
        group->type = MPLAN_CELL_TRI3;
        group->first = kind == MPLAN_GROUP_LIST ? 0 : 1;
        group->n = 2;
    }
}

/* Two sets, coordinates by columns, a map of cells in two blocks, one whose rows end by counts, layers by levels, then by a
 * map, and groups. */
static void fill(mplan_places *places)
{
    mplan_error err;
    mplan_places_array a = {.member = "x", .at = 100, .rows = 4, .cols = 3, .size = 8, .kind = 'f'};
    static const int8_t order[3] = {2, 0, 1};
    mplan_places_points *points;
    mplan_places_table *table;
    int32_t array, counts;
    mplan_places_begin(places);
    assert_int_equal(mplan_places_add_path(places, "grid.nc", &err), 0);
    assert_done(mplan_places_add_points(places, "nodes", 3, &points, &err), &err);
    assert_done(mplan_places_add_array(places, &a, FILE_BYTES, &points->array[0], &err), &err);
    assert_done(mplan_places_add_table(places, "cells_nodes", "cells", "nodes", &table, &err), &err);
    a = (mplan_places_array){
        .at = 300, .rows = 2, .cols = 3, .size = 4, .kind = 'i', .big_endian = true};
    assert_done(mplan_places_add_array(places, &a, FILE_BYTES, &array, &err), &err);
    assert_done(mplan_places_add_block(places, array, MPLAN_CELL_TRI3, order, &err), &err);
    assert_done(mplan_places_add_block(places, array, MPLAN_CELL_TRI3, NULL, &err), &err);
    assert_done(mplan_places_add_table(places, "edges_cells", "edges", "cells", &table, &err), &err);
    a.cols = 1;
    assert_done(mplan_places_add_array(places, &a, FILE_BYTES, &counts, &err), &err);
    table->counts = counts;
    table->lengths = MPLAN_PLACES_COUNTS;
    table->to_size = 4;
    assert_done(mplan_places_add_block(places, array, -1, NULL, &err), &err);
    assert_done(mplan_places_add_set(places, "nodes", 4, &err), &err);
    assert_done(mplan_places_add_set(places, "cells", 4, &err), &err);
    places->flags = MPLAN_PLACES_EDGES;
    fill_layers(places, counts);
    fill_groups(places, array, counts);
}

/* The bytes that a list becomes. */
static size_t bytes_of(const mplan_places *places, uint8_t *bytes)
{
    mplan_error err;
    size_t n;
    int fd;
    assert_done(mplan_shared_create(0, &fd, &err), &err);
    assert_done(mplan_places_send(places, fd, &err), &err);
    assert_done(mplan_shared_seal(fd, &n, &err), &err);
    const void *data = mplan_shared_map(fd, n, &err);
    assert_true(data && n <= MOST);
    memcpy(bytes, data, n);
    mplan_shared_unmap(data, n);
    close(fd);
    return n;
}

/* All that read_tables.c follows: indices, kinds, orders, texts and places. */
static void assert_sound(const mplan_places *places)
{
    const mplan_places_array *arrays = places->arrays.data;
    const mplan_places_block *blocks = places->blocks.data;
    const mplan_places_table *tables = places->tables.data;
    const mplan_places_points *points = places->points.data;
    for (int64_t i = 0; i < places->arrays.count; i++) {
        assert_true(arrays[i].path == 0 && arrays[i].size >= 1 && arrays[i].size <= 8);
        assert_true(arrays[i].at >= 0 &&
                    arrays[i].at + arrays[i].rows * arrays[i].cols * arrays[i].size <= FILE_BYTES);
        assert_non_null(memchr(arrays[i].member, 0, MPLAN_PLACES_NAME));
    }
    for (int64_t i = 0; i < places->blocks.count; i++) {
        assert_in_range(blocks[i].array, 0, places->arrays.count - 1);
        for (int64_t k = 0; blocks[i].type >= 0 && k < arrays[blocks[i].array].cols; k++)
            assert_in_range(blocks[i].order[k], 0, arrays[blocks[i].array].cols - 1);
    }
    for (int64_t i = 0; i < places->tables.count; i++) {
        assert_true(tables[i].n_blocks > 0 && tables[i].block >= 0);
        assert_true(tables[i].block + (int64_t)tables[i].n_blocks <= places->blocks.count);
        assert_true(tables[i].counts >= -1 && tables[i].counts < places->arrays.count);
        assert_true(tables[i].offsets == -1 && tables[i].n_fills >= 0 && tables[i].n_fills <= 3);
        assert_true(tables[i].n_sizes >= 0 && tables[i].n_sizes <= MPLAN_PLACES_SIZES);
    }
    for (int64_t i = 0; i < places->points.count; i++)
        for (int32_t d = 0; d < points[i].dimension; d++)
            assert_true(points[i].dimension <= 3 && points[i].array[d] >= -1 &&
                        points[i].array[d] < places->arrays.count);
    const mplan_places_group *groups = places->groups.data;
    for (int64_t i = 0; i < places->groups.count; i++) {
        assert_non_null(memchr(groups[i].name, 0, MPLAN_PLACES_NAME));
        assert_non_null(memchr(groups[i].set, 0, MPLAN_PLACES_NAME));
        assert_in_range(groups[i].kind, 0, MPLAN_N_GROUP_KINDS - 1);
        assert_true(groups[i].array < places->arrays.count && groups[i].other < places->arrays.count);
        assert_true(groups[i].kind == MPLAN_GROUP_RUN ? groups[i].first + groups[i].n >= 0
                                                      : groups[i].array >= 0);
        assert_true(groups[i].other >= 0 ||
                    (groups[i].kind != MPLAN_GROUP_SIDES && groups[i].kind != MPLAN_GROUP_ROWS));
        if (groups[i].kind >= MPLAN_GROUP_FACETS)
            assert_int_equal(arrays[groups[i].array].cols,
                             mplan_cell_type_nodes((mplan_cell_type)groups[i].type));
    }
    const mplan_places_layers *layers = places->layers.data;
    for (int64_t i = 0; i < places->layers.count; i++) {
        assert_non_null(memchr(layers[i].of, 0, MPLAN_PLACES_NAME));
        assert_non_null(memchr(layers[i].word, 0, MPLAN_PLACES_NAME));
        assert_true(layers[i].first < places->arrays.count && layers[i].last < places->arrays.count);
        assert_true(layers[i].last >= 0 || layers[i].first == -1);
        assert_true(layers[i].follows
                        ? layers[i].rule >= 0 && layers[i].rule <= 1
                        : layers[i].layers >= 1 && layers[i].layers <= MPLAN_MAX_LAYERS);
    }
}

/* The same bytes once more. */
static void comes_back(void **state)
{
    static uint8_t sent[MOST], again[MOST];
    mplan_places places, got;
    mplan_error err;
    (void)state;
    fill(&places);
    const size_t n = bytes_of(&places, sent);
    mplan_places_begin(&got);
    assert_done(mplan_places_receive(&got, "other.nc", FILE_BYTES, sent, n, &err), &err);
    assert_int_equal(bytes_of(&got, again), n);
    assert_memory_equal(sent, again, n);
    assert_sound(&got);
    assert_string_equal(mplan_places_path_of(&got, got.arrays.data), "other.nc");
    mplan_places_free(&got);
    mplan_places_free(&places);
}

/* A byte that is changed, or an end that comes earlier, or a smaller file: refused, or all that is taken is sound. */
static void damage(void **state)
{
    static const uint8_t changes[] = {0xff, 0x80, 0x01};
    static uint8_t sent[MOST];
    mplan_places places, got;
    mplan_error err;
    int refused = 0;
    (void)state;
    fill(&places);
    const size_t n = bytes_of(&places, sent);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < sizeof changes; c++) {
            sent[i] ^= changes[c];
            mplan_places_begin(&got);
            if (mplan_places_receive(&got, "x.nc", FILE_BYTES, sent, n, &err)) {
                assert_int_equal(err.status, MPLAN_ERR_CORRUPT);
                refused++;
            } else {
                assert_sound(&got);
            }
            mplan_places_free(&got);
            sent[i] ^= changes[c];
        }
    assert_true(refused > 300);
    for (size_t i = 0; i < n; i += i < 64 ? 1 : 61) {
        mplan_places_begin(&got);
        assert_int_equal(mplan_places_receive(&got, "x.nc", FILE_BYTES, sent, i, &err),
                         MPLAN_ERR_CORRUPT);
        mplan_places_free(&got);
    }
    mplan_places_begin(&got);
    assert_int_equal(mplan_places_receive(&got, "x.nc", 150, sent, n, &err), MPLAN_ERR_CORRUPT);
    assert_non_null(strstr(err.text, "x.nc: byte 150: the file ends too early"));
    mplan_places_free(&got);
    mplan_places_free(&places);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(comes_back), cmocka_unit_test(damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
