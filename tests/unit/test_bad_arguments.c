/* SPDX-License-Identifier: Apache-2.0 */
/* test_bad_arguments.c - NULL and indices out of range, for every public function of the planner
 *
 * Functions with a status refuse them and name the argument, others answer with nothing. */
#include "bad_argument_cases.h"

#include <unistd.h>

static void test_texts_and_names(void **state)
{
    (void)state;
    char text[8] = "x";
    HARMLESS(mplan_text_shown, text, mplan_text_shown(NULL, text, sizeof text) == 0 && !*text);
    HARMLESS(mplan_text_shown, shown, mplan_text_shown("a", NULL, 4) == 0);
    mplan_block_origin origin = {0};
    text[0] = 'x';
    mplan_block_origin_text(NULL, text, sizeof text);
    HARMLESS(mplan_block_origin_text, origin, !*text);
    mplan_block_origin_text(&origin, NULL, sizeof text);
    HARMLESS(mplan_block_origin_text, text, true);
    text[0] = 'x';
    mplan_plan_summary(NULL, text, sizeof text);
    HARMLESS(mplan_plan_summary, plan, !*text);
    mplan_plan_summary(NULL, NULL, sizeof text);
    HARMLESS(mplan_plan_summary, text, true);
    const char *words[] = {"one", NULL};
    HARMLESS(mplan_nearest_word, word, !mplan_nearest_word(NULL, words));
    HARMLESS(mplan_nearest_word, words, !mplan_nearest_word("one", NULL));
    HARMLESS(mplan_sandbox, text, mplan_sandbox(NULL, 9, NULL) == MPLAN_ERR_ARGUMENT);
    HARMLESS(mplan_app_find, name, !mplan_app_find(NULL));
    HARMLESS(mplan_app_name, app, !*mplan_app_name(NULL));
    HARMLESS(mplan_app_makes_steps, app, !mplan_app_makes_steps(NULL));
    HARMLESS(mplan_app_has_step, app, !mplan_app_has_step(NULL));
    HARMLESS(mplan_app_description, app, !*mplan_app_description(NULL));
    mplan_device device;
    mplan_format_info info;
    HARMLESS(mplan_device_get, device, mplan_device_get(0, NULL) == MPLAN_ERR_ARGUMENT);
    HARMLESS(mplan_format, info, mplan_format(0, NULL) == MPLAN_ERR_ARGUMENT);
    HARMLESS(mplan_device_rate, device, !mplan_device_rate(NULL, MPLAN_RATE_COPY));
    const mplan_plan_option *option = mplan_plan_option_get(0);
    int32_t member = 0;
    HARMLESS(mplan_plan_option_read, option,
             mplan_plan_option_read(NULL, "a", "1", &member, NULL) == MPLAN_ERR_ARGUMENT);
    HARMLESS(mplan_plan_option_read, subject,
             mplan_plan_option_read(option, NULL, "1", &member, NULL) == MPLAN_ERR_ARGUMENT);
    HARMLESS(mplan_plan_option_read, text,
             mplan_plan_option_read(option, "a", NULL, &member, NULL) == MPLAN_ERR_ARGUMENT);
    HARMLESS(mplan_plan_option_read, member,
             mplan_plan_option_read(option, "a", "1", NULL, NULL) == MPLAN_ERR_ARGUMENT);
    HARMLESS(mplan_plan_option_write, option,
             !mplan_plan_option_write(NULL, &member, text, sizeof text));
    HARMLESS(mplan_plan_option_write, member,
             !mplan_plan_option_write(option, NULL, text, sizeof text));
    HARMLESS(mplan_plan_option_write, text, !mplan_plan_option_write(option, &member, NULL, 0));
    for (int i = 0; i < 2; i++) {
        HARMLESS(mplan_plan_option_get, i, !mplan_plan_option_get(bad[i]));
        HARMLESS(mplan_device_get, i, mplan_device_get(bad[i], &device) == MPLAN_ERR_ARGUMENT);
        HARMLESS(mplan_rate_name, rate, !mplan_rate_name((mplan_rate)bad[i]));
        HARMLESS(mplan_device_rate, rate, !mplan_device_rate(&device, (mplan_rate)bad[i]));
        HARMLESS(mplan_format, i, mplan_format(bad[i], &info) == MPLAN_ERR_ARGUMENT);
        HARMLESS(mplan_library, i, !mplan_library(bad[i]));
        HARMLESS(mplan_unproved_field, i, !mplan_unproved_field(bad[i]));
        HARMLESS(mplan_app_get, i, !mplan_app_get(bad[i]));
    }
}

static void test_enumerations(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        HARMLESS(mplan_status_name, status, *mplan_status_name((mplan_status)far[i]));
        HARMLESS(mplan_cell_type_name, type, !mplan_cell_type_name((mplan_cell_type)far[i]));
        HARMLESS(mplan_cell_type_dimension, type,
                 !mplan_cell_type_dimension((mplan_cell_type)far[i]));
        HARMLESS(mplan_cell_type_nodes, type, !mplan_cell_type_nodes((mplan_cell_type)far[i]));
        HARMLESS(mplan_cell_type_corners, type, !mplan_cell_type_corners((mplan_cell_type)far[i]));
        HARMLESS(mplan_type_size, type, !mplan_type_size((mplan_type)far[i]));
        HARMLESS(mplan_type_name, type, !mplan_type_name((mplan_type)far[i]));
        HARMLESS(mplan_access_name, value, !mplan_access_name((mplan_access)far[i]));
        HARMLESS(mplan_choice_reason_name, value,
                 !mplan_choice_reason_name((mplan_choice_reason)far[i]));
        HARMLESS(mplan_none_name, value, !mplan_none_name((mplan_none)far[i]));
        HARMLESS(mplan_strategy_name, value, !mplan_strategy_name((mplan_strategy)far[i]));
        HARMLESS(mplan_strategy_traits, value, !mplan_strategy_traits((mplan_strategy)far[i]));
        HARMLESS(mplan_strategy_proof, value, !mplan_strategy_proof((mplan_strategy)far[i]));
        HARMLESS(mplan_sums_name, value, !mplan_sums_name((mplan_sums)far[i]));
        HARMLESS(mplan_sums_order_name, value, !mplan_sums_order_name((mplan_sums_order)far[i]));
        HARMLESS(mplan_encoding_name, value, !mplan_encoding_name((mplan_encoding)far[i]));
        HARMLESS(mplan_layout_name, value, !mplan_layout_name((mplan_layout)far[i]));
        HARMLESS(mplan_columns_name, value, !mplan_columns_name((mplan_columns)far[i]));
        HARMLESS(mplan_layered_name, value, !mplan_layered_name((mplan_layered)far[i]));
        HARMLESS(mplan_partitioner_name, value, !mplan_partitioner_name((mplan_partitioner)far[i]));
        HARMLESS(mplan_effort_name, value, !mplan_effort_name((mplan_effort)far[i]));
        HARMLESS(mplan_renumber_name, value, !mplan_renumber_name((mplan_renumber)far[i]));
        HARMLESS(mplan_graph_name, value, !mplan_graph_name((mplan_graph)far[i]));
        HARMLESS(mplan_point_order_name, value, !mplan_point_order_name((mplan_point_order)far[i]));
        HARMLESS(mplan_origin_name, value, !mplan_origin_name((mplan_origin)far[i]));
        HARMLESS(mplan_executor_name, value, !mplan_executor_name((mplan_executor)far[i]));
    }
}

static void test_words(void **state)
{
    (void)state;
    mplan_type type;
    HARMLESS(mplan_type_from, word, !mplan_type_from(NULL, &type));
    HARMLESS(mplan_type_from, value, !mplan_type_from(mplan_type_name((mplan_type)1), NULL));
    mplan_access access;
    HARMLESS(mplan_access_from, word, !mplan_access_from(NULL, &access));
    HARMLESS(mplan_access_from, value, !mplan_access_from(mplan_access_name((mplan_access)1), NULL));
    mplan_none none;
    HARMLESS(mplan_none_from, word, !mplan_none_from(NULL, &none));
    HARMLESS(mplan_none_from, value, !mplan_none_from(mplan_none_name((mplan_none)1), NULL));
    mplan_strategy strategy;
    HARMLESS(mplan_strategy_from, word, !mplan_strategy_from(NULL, &strategy));
    HARMLESS(mplan_strategy_from, value,
             !mplan_strategy_from(mplan_strategy_name((mplan_strategy)1), NULL));
    mplan_sums sums;
    HARMLESS(mplan_sums_from, word, !mplan_sums_from(NULL, &sums));
    HARMLESS(mplan_sums_from, value, !mplan_sums_from(mplan_sums_name((mplan_sums)1), NULL));
    mplan_encoding encoding;
    mplan_sums_order order;
    HARMLESS(mplan_sums_order_from, word, !mplan_sums_order_from(NULL, &order));
    HARMLESS(mplan_sums_order_from, value,
             !mplan_sums_order_from(mplan_sums_order_name((mplan_sums_order)1), NULL));
    HARMLESS(mplan_encoding_from, word, !mplan_encoding_from(NULL, &encoding));
    HARMLESS(mplan_encoding_from, value,
             !mplan_encoding_from(mplan_encoding_name((mplan_encoding)1), NULL));
    mplan_layout layout;
    HARMLESS(mplan_layout_from, word, !mplan_layout_from(NULL, &layout));
    HARMLESS(mplan_layout_from, value, !mplan_layout_from(mplan_layout_name((mplan_layout)1), NULL));
    mplan_columns columns;
    HARMLESS(mplan_columns_from, word, !mplan_columns_from(NULL, &columns));
    HARMLESS(mplan_columns_from, value,
             !mplan_columns_from(mplan_columns_name((mplan_columns)1), NULL));
    mplan_partitioner partitioner;
    HARMLESS(mplan_partitioner_from, word, !mplan_partitioner_from(NULL, &partitioner));
    HARMLESS(mplan_partitioner_from, value,
             !mplan_partitioner_from(mplan_partitioner_name((mplan_partitioner)1), NULL));
    mplan_effort effort;
    HARMLESS(mplan_effort_from, word, !mplan_effort_from(NULL, &effort));
    HARMLESS(mplan_effort_from, value, !mplan_effort_from(mplan_effort_name((mplan_effort)1), NULL));
    mplan_renumber renumber;
    HARMLESS(mplan_renumber_from, word, !mplan_renumber_from(NULL, &renumber));
    HARMLESS(mplan_renumber_from, value,
             !mplan_renumber_from(mplan_renumber_name((mplan_renumber)1), NULL));
    mplan_graph graph;
    HARMLESS(mplan_graph_from, word, !mplan_graph_from(NULL, &graph));
    HARMLESS(mplan_graph_from, value, !mplan_graph_from(mplan_graph_name((mplan_graph)1), NULL));
    mplan_point_order point_order;
    HARMLESS(mplan_point_order_from, word, !mplan_point_order_from(NULL, &point_order));
    HARMLESS(mplan_point_order_from, value,
             !mplan_point_order_from(mplan_point_order_name((mplan_point_order)1), NULL));
    mplan_executor executor;
    HARMLESS(mplan_executor_from, word, !mplan_executor_from(NULL, &executor));
    HARMLESS(mplan_executor_from, value,
             !mplan_executor_from(mplan_executor_name((mplan_executor)1), NULL));
}

static void test_building(void **state)
{
    (void)state;
    mplan_mesh *mesh = all.mesh;
    const uint8_t type[1] = {MPLAN_CELL_TRI3};
    const int32_t ids[3] = {0, 1, 2};
    const double places[8] = {0};
    int32_t cells = mplan_mesh_find_set(mesh, "cells"), one;
    assert_done(mplan_mesh_add_set(mesh, "one", 1, &one, &error), &error);
    REFUSED(mplan_mesh_create, mesh, NULL);
    REFUSED(mplan_mesh_add_set, mesh, NULL, "s", 1, NULL);
    REFUSED(mplan_mesh_add_set, name, mesh, NULL, 1, NULL);
    REFUSED(mplan_mesh_add_map, mesh, NULL, "m", 0, 0, 1, NULL, ids, NULL);
    REFUSED(mplan_mesh_add_map, name, mesh, NULL, 0, 0, 1, NULL, ids, NULL);
    REFUSED(mplan_mesh_add_map, values, mesh, "m", cells, cells, 1, NULL, NULL, NULL);
    REFUSED(mplan_mesh_set_coordinates, mesh, NULL, 0, 2, places);
    REFUSED(mplan_mesh_set_coordinates, coordinates, mesh, one, 2, NULL);
    REFUSED(mplan_mesh_add_cells, mesh, NULL, 3, 1, type, ids);
    REFUSED(mplan_mesh_add_cells, type, mesh, 3, 1, NULL, ids);
    REFUSED(mplan_mesh_add_cells, nodes, mesh, 3, 1, type, NULL);
    REFUSED(mplan_mesh_add_group, mesh, NULL, "g", 1, 2, 0, 1, ids);
    REFUSED(mplan_mesh_add_group, members, mesh, "g", 1, 2, 0, 1, NULL);
    REFUSED(mplan_mesh_add_facets, mesh, NULL, "g", 1, 1, type, ids);
    REFUSED(mplan_mesh_add_facets, type, mesh, "g", 1, 1, NULL, ids);
    REFUSED(mplan_mesh_add_facets, nodes, mesh, "g", 1, 1, type, NULL);
    for (int i = 0; i < 2; i++) {
        REFUSED_AS(mplan_mesh_add_map, from, "set", mesh, "m", bad[i], 0, 1, NULL, ids, NULL);
        REFUSED_AS(mplan_mesh_add_map, to, "set", mesh, "m", 0, bad[i], 1, NULL, ids, NULL);
        REFUSED(mplan_mesh_set_coordinates, set, mesh, bad[i], 2, places);
        REFUSED(mplan_mesh_add_group, set, mesh, "g", 1, 2, bad[i], 1, ids);
        REFUSED(mplan_mesh_split, set, mesh, bad[i], 0);
        REFUSED(mplan_mesh_split, map, mesh, 0, bad[i]);
    }
    REFUSED(mplan_mesh_split, mesh, NULL, 0, 0);
    mplan_mesh_free(NULL);
    HARMLESS(mplan_mesh_free, mesh, true);
}

static void test_mesh_getters(void **state)
{
    (void)state;
    int32_t dimension = 7;
    HARMLESS(mplan_mesh_n_sets, mesh, mplan_mesh_n_sets(NULL) == 0);
    HARMLESS(mplan_mesh_n_maps, mesh, mplan_mesh_n_maps(NULL) == 0);
    HARMLESS(mplan_mesh_n_groups, mesh, mplan_mesh_n_groups(NULL) == 0);
    HARMLESS(mplan_mesh_n_facet_groups, mesh, mplan_mesh_n_facet_groups(NULL) == 0);
    HARMLESS(mplan_mesh_find_set, mesh, mplan_mesh_find_set(NULL, "cells") == -1);
    HARMLESS(mplan_mesh_find_set, name, mplan_mesh_find_set(all.mesh, NULL) == -1);
    HARMLESS(mplan_mesh_find_map, mesh, mplan_mesh_find_map(NULL, "cells") == -1);
    HARMLESS(mplan_mesh_find_map, name, mplan_mesh_find_map(all.mesh, NULL) == -1);
    HARMLESS(mplan_mesh_dimension, mesh, mplan_mesh_dimension(NULL) == 0);
    HARMLESS(mplan_mesh_cell_types, mesh, !mplan_mesh_cell_types(NULL));
    HARMLESS(mplan_mesh_boundary_ids, mesh, !mplan_mesh_boundary_ids(NULL));
    HARMLESS(mplan_mesh_faces_name, mesh, !*mplan_mesh_faces_name(NULL));
    HARMLESS(mplan_mesh_format, mesh, !*mplan_mesh_format(NULL));
    HARMLESS(mplan_mesh_coordinates, mesh,
             !mplan_mesh_coordinates(NULL, 0, &dimension) && !dimension);
    HARMLESS(mplan_mesh_global_ids, mesh, !mplan_mesh_global_ids(NULL, 0));
    HARMLESS(mplan_mesh_parent_index, mesh,
             !mplan_mesh_parent_index(NULL, 0, &dimension) && dimension == -1);
    HARMLESS(mplan_mesh_parent_index, parent, !mplan_mesh_parent_index(all.mesh, 0, NULL));
    dimension = 7;
    HARMLESS(mplan_mesh_weights, mesh, !mplan_mesh_weights(NULL, 0, &dimension) && !dimension);
    HARMLESS(mplan_mesh_weights, n_columns, !mplan_mesh_weights(all.mesh, 0, NULL));
    HARMLESS(mplan_mesh_sizes, mesh, !mplan_mesh_sizes(NULL, 0));
    HARMLESS(mplan_mesh_layers, mesh, !mplan_mesh_layers(NULL, 0, NULL));
    HARMLESS(mplan_mesh_layers, ranges, !mplan_mesh_layers(all.mesh, 0, NULL));
    HARMLESS(mplan_mesh_layer_mask, mesh, !mplan_mesh_layer_mask(NULL, 0));
    for (int i = 0; i < 4; i++) {
        const mplan_mesh *mesh = i < 2 ? all.mesh : NULL;
        mplan_set set = mplan_mesh_set(mesh, i < 2 ? bad[i] : i - 2);
        HARMLESS(mplan_mesh_set, mesh, !*set.name && set.size == 0);
        HARMLESS(mplan_mesh_set, set, !*set.name && set.size == 0);
        mplan_map map = mplan_mesh_map(mesh, i < 2 ? bad[i] : i - 2);
        HARMLESS(mplan_mesh_map, mesh, !*map.name && map.from == -1 && map.n_rows == 0);
        HARMLESS(mplan_mesh_map, map, mplan_map_entries(&map) == 0);
        mplan_group group = mplan_mesh_group(mesh, i < 2 ? bad[i] : i - 2);
        HARMLESS(mplan_mesh_group, mesh, !*group.name && group.n_members == 0);
        HARMLESS(mplan_mesh_group, group, group.set == -1 && !group.members);
        group = mplan_mesh_facet_group(mesh, i < 2 ? bad[i] : i - 2);
        HARMLESS(mplan_mesh_facet_group, mesh, !*group.name && group.n_members == 0);
        HARMLESS(mplan_mesh_facet_group, group, group.set == -1 && !group.members);
    }
    for (int i = 0; i < 2; i++) {
        dimension = 7;
        HARMLESS(mplan_mesh_coordinates, set,
                 !mplan_mesh_coordinates(all.mesh, bad[i], &dimension) && dimension == 0);
        dimension = 7;
        HARMLESS(mplan_mesh_weights, set,
                 !mplan_mesh_weights(all.mesh, bad[i], &dimension) && dimension == 0);
        HARMLESS(mplan_mesh_sizes, set, !mplan_mesh_sizes(all.mesh, bad[i]));
        HARMLESS(mplan_mesh_layers, set, !mplan_mesh_layers(all.mesh, bad[i], NULL));
        HARMLESS(mplan_mesh_layer_mask, set, !mplan_mesh_layer_mask(all.mesh, bad[i]));
        HARMLESS(mplan_mesh_global_ids, set, !mplan_mesh_global_ids(all.mesh, bad[i]));
        HARMLESS(mplan_mesh_parent_index, set,
                 !mplan_mesh_parent_index(all.mesh, bad[i], &dimension) && dimension == -1);
    }
}

static void test_meshes(void **state)
{
    (void)state;
    mplan_mesh *made = NULL, *mesh = all.mesh;
    mplan_orders orders = {0}, *new_orders = NULL;
    mplan_partition partition = {0}, *parts = NULL;
    REFUSED(mplan_mesh_derive, mesh, NULL, "faces", NULL);
    REFUSED(mplan_mesh_derive, name, mesh, NULL, NULL);
    REFUSED(mplan_mesh_validate, mesh, NULL, NULL);
    REFUSED(mplan_mesh_set_layers, mesh, NULL, 0, 3, NULL);
    REFUSED(mplan_mesh_set_layers, set, mesh, -1, 3, NULL);
    REFUSED(mplan_mesh_set_layer_mask, mesh, NULL, 0, NULL);
    REFUSED(mplan_mesh_set_layer_mask, set, mesh, -1, NULL);
    REFUSED(mplan_mesh_spread_layers, mesh, NULL, 0, MPLAN_LAYERS_COMMON);
    REFUSED(mplan_mesh_spread_layers, map, mesh, -1, MPLAN_LAYERS_COMMON);
    REFUSED(mplan_mesh_spread_layers, rule, mesh, 0, MPLAN_N_LAYERS_RULES);
    REFUSED(mplan_mesh_generate, mesh, NULL, NULL, NULL);
    REFUSED(mplan_mesh_refine, mesh, NULL, 1, NULL, &made);
    REFUSED(mplan_mesh_refine, refined, mesh, 1, NULL, NULL);
    REFUSED(mplan_mesh_read, path, NULL, NULL, NULL, &made);
    REFUSED(mplan_mesh_read, mesh, "no.msh", NULL, NULL, NULL);
    REFUSED(mplan_mesh_read_table, mesh, NULL, "no.npy", NULL, NULL);
    REFUSED(mplan_mesh_read_table, path, mesh, NULL, NULL, NULL);
    REFUSED(mplan_mesh_read_coordinates, mesh, NULL, "no.npy", 0, NULL);
    REFUSED(mplan_mesh_read_coordinates, path, mesh, NULL, 0, NULL);
    for (int i = 0; i < 2; i++)
        REFUSED(mplan_mesh_read_coordinates, set, mesh, "no.npy", bad[i], NULL);
    REFUSED(mplan_mesh_read_layers, mesh, NULL, "no.npy", 0, 1, NULL);
    REFUSED(mplan_mesh_read_layers, path, mesh, NULL, 0, 1, NULL);
    for (int i = 0; i < 2; i++)
        REFUSED(mplan_mesh_read_layers, set, mesh, "no.npy", bad[i], 1, NULL);
    REFUSED(mplan_mesh_read_layer_mask, mesh, NULL, "no.npy", 0, NULL);
    REFUSED(mplan_mesh_read_layer_mask, path, mesh, NULL, 0, NULL);
    for (int i = 0; i < 2; i++)
        REFUSED(mplan_mesh_read_layer_mask, set, mesh, "no.npy", bad[i], NULL);
    REFUSED(mplan_mesh_read_layers, layers, mesh, "no.npy", 0, MPLAN_MAX_LAYERS + 1, NULL);
    REFUSED(mplan_mesh_write, mesh, NULL, "no.msh", NULL, NULL, NULL);
    REFUSED(mplan_mesh_write, path, mesh, NULL, NULL, NULL, NULL);
    char room[64];
    const mplan_device device = {.name = "mine"};
    REFUSED(mplan_device_text, device, NULL, room, sizeof room);
    REFUSED(mplan_device_text, text, &device, NULL, 64);
    REFUSED(mplan_file_write, path, NULL, "x", 1, NULL);
    REFUSED(mplan_file_write, data, "/dev/null", NULL, 1, NULL);
    REFUSED(mplan_npy_write, path, NULL, MPLAN_TYPE_U8, 1, 0, "x", NULL);
    REFUSED(mplan_npy_write, data, "/dev/null", MPLAN_TYPE_U8, 1, 0, NULL, NULL);
    for (int i = 0; i < 2; i++)
        REFUSED_AS(mplan_npy_write, type, "array", "/dev/null", (mplan_type)far[i], 1, 0, "x", NULL);
    REFUSED(mplan_mesh_orders, mesh, NULL, NULL, NULL, &new_orders);
    REFUSED(mplan_mesh_orders, orders, mesh, NULL, NULL, NULL);
    REFUSED(mplan_mesh_reorder, mesh, NULL, &orders, NULL, &made);
    REFUSED(mplan_mesh_reorder, orders, mesh, NULL, NULL, &made);
    REFUSED(mplan_mesh_reorder, reordered, mesh, &orders, NULL, NULL);
    REFUSED(mplan_mesh_partition, mesh, NULL, NULL, NULL, &parts);
    REFUSED(mplan_mesh_partition, partition, mesh, NULL, NULL, NULL);
    REFUSED(mplan_partition_write, partition, NULL, "/dev/null", NULL);
    REFUSED(mplan_partition_write, path, &partition, NULL, NULL);
    REFUSED(mplan_partition_draw, mesh, NULL, &partition, "/dev/null", NULL);
    REFUSED(mplan_partition_draw, partition, mesh, NULL, "/dev/null", NULL);
    REFUSED(mplan_partition_draw, path, mesh, &partition, NULL, NULL);
    REFUSED(mplan_partition_write_foam, partition, NULL, "/dev/null", NULL);
    REFUSED(mplan_partition_write_foam, path, &partition, NULL, NULL);
    int64_t n_rows, *weights;
    int32_t n_columns;
    double *shares;
    REFUSED(mplan_weights_read, path, NULL, &n_rows, &n_columns, &weights, NULL);
    REFUSED(mplan_weights_read, rows, "no.npy", NULL, &n_columns, &weights, NULL);
    REFUSED(mplan_weights_read, columns, "no.npy", &n_rows, NULL, &weights, NULL);
    REFUSED(mplan_weights_read, weights, "no.npy", &n_rows, &n_columns, NULL, NULL);
    REFUSED(mplan_together_read, path, NULL, &n_rows, &n_columns, &weights, NULL);
    REFUSED(mplan_together_read, rows, "no.npy", NULL, &n_columns, &weights, NULL);
    REFUSED(mplan_together_read, columns, "no.npy", &n_rows, NULL, &weights, NULL);
    REFUSED(mplan_together_read, together, "no.npy", &n_rows, &n_columns, NULL, NULL);
    REFUSED(mplan_shares_read, path, NULL, &n_rows, &shares, NULL);
    REFUSED(mplan_shares_read, n, "no.npy", NULL, &shares, NULL);
    REFUSED(mplan_shares_read, shares, "no.npy", &n_rows, NULL, NULL);
    mplan_orders_free(NULL);
    HARMLESS(mplan_orders_free, orders, !new_orders && !made);
    mplan_partition_free(NULL);
    HARMLESS(mplan_partition_free, partition, !parts);
}

static void test_plan_getters(void **state)
{
    (void)state;
    const mplan_key key = {0};
    HARMLESS(mplan_plan_time, plan, mplan_plan_time(NULL).derive == 0);
    HARMLESS(mplan_plan_n_sets, plan, mplan_plan_n_sets(NULL) == 0);
    HARMLESS(mplan_plan_n_maps, plan, mplan_plan_n_maps(NULL) == 0);
    HARMLESS(mplan_plan_n_loops, plan, mplan_plan_n_loops(NULL) == 0);
    HARMLESS(mplan_plan_n_block_sets, plan, mplan_plan_n_block_sets(NULL) == 0);
    HARMLESS(mplan_plan_n_metrics, plan, mplan_plan_n_metrics(NULL) == 0);
    HARMLESS(mplan_plan_n_arrays, plan, mplan_plan_n_arrays(NULL) == 0);
    HARMLESS(mplan_plan_find_array, plan, !mplan_plan_find_array(NULL, &key));
    HARMLESS(mplan_plan_find_array, key, !mplan_plan_find_array(all.plan, NULL));
    HARMLESS(mplan_plan_find_set, plan, mplan_plan_find_set(NULL, "cells") == -1);
    HARMLESS(mplan_plan_find_set, name, mplan_plan_find_set(all.plan, NULL) == -1);
    HARMLESS(mplan_plan_request, plan, !*mplan_plan_request(NULL));
    HARMLESS(mplan_plan_format_minor, plan, mplan_plan_format_minor(NULL) == MPLAN_FORMAT_MINOR);
    HARMLESS(mplan_plan_n_step, plan, mplan_plan_n_step(NULL) == 0);
    HARMLESS(mplan_plan_n_conflicts, plan, mplan_plan_n_conflicts(NULL) == 0);
    HARMLESS(mplan_plan_get_step, plan, mplan_plan_get_step(NULL, 0) == -1);
    HARMLESS(mplan_plan_get_clear, plan, mplan_plan_get_clear(NULL, 0) == -1);
    HARMLESS(mplan_plan_get_shift, plan, mplan_plan_get_shift(NULL, 0) == 0);
    HARMLESS(mplan_plan_get_lag, plan, !mplan_plan_get_lag(NULL, 0));
    HARMLESS(mplan_plan_get_visit, plan, !mplan_plan_get_visit(NULL));
    HARMLESS(mplan_plan_n_streams, plan, mplan_plan_n_streams(NULL) == 0);
    HARMLESS(mplan_plan_get_stream, plan, !mplan_plan_get_stream(NULL, 0));
    HARMLESS(mplan_plan_get_conflict, plan, !mplan_plan_get_conflict(NULL, 0));
    HARMLESS(mplan_plan_versions, plan, !*mplan_plan_versions(NULL));
    HARMLESS(mplan_plan_fingerprints, plan, mplan_plan_fingerprints(NULL).topology == 0);
    uint64_t topology;
    REFUSED(mplan_plan_topology, plan, NULL, all.mesh, NULL, &topology);
    REFUSED(mplan_plan_topology, mesh, all.plan, NULL, NULL, &topology);
    REFUSED(mplan_plan_topology, topology, all.plan, all.mesh, NULL, NULL);
    HARMLESS(mplan_plan_get_set, plan, !mplan_plan_get_set(NULL, 0));
    HARMLESS(mplan_plan_get_map, plan, !mplan_plan_get_map(NULL, 0));
    HARMLESS(mplan_plan_get_loop, plan, !mplan_plan_get_loop(NULL, 0));
    HARMLESS(mplan_plan_get_block_set, plan, !mplan_plan_get_block_set(NULL, 0));
    HARMLESS(mplan_plan_get_metrics, plan, !mplan_plan_get_metrics(NULL, 0));
    HARMLESS(mplan_plan_get_array, plan, !mplan_plan_get_array(NULL, 0));
    HARMLESS(mplan_plan_stored_map, plan, !*mplan_plan_stored_map(NULL, 0).name);
    for (int i = 0; i < 2; i++) {
        HARMLESS(mplan_plan_get_set, set, !mplan_plan_get_set(all.plan, bad[i]));
        HARMLESS(mplan_plan_get_map, map, !mplan_plan_get_map(all.plan, bad[i]));
        HARMLESS(mplan_plan_get_loop, loop, !mplan_plan_get_loop(all.plan, bad[i]));
        HARMLESS(mplan_plan_get_block_set, block_set, !mplan_plan_get_block_set(all.plan, bad[i]));
        HARMLESS(mplan_plan_get_metrics, i, !mplan_plan_get_metrics(all.plan, bad[i]));
        HARMLESS(mplan_plan_get_step, i, mplan_plan_get_step(all.plan, bad[i]) == -1);
        HARMLESS(mplan_plan_get_clear, i, mplan_plan_get_clear(all.plan, bad[i]) == -1);
        HARMLESS(mplan_plan_get_shift, i, mplan_plan_get_shift(all.plan, bad[i]) == 0);
        HARMLESS(mplan_plan_get_lag, i, !mplan_plan_get_lag(all.plan, bad[i]));
        HARMLESS(mplan_plan_get_stream, i, !mplan_plan_get_stream(all.plan, bad[i]));
        HARMLESS(mplan_plan_get_conflict, i, !mplan_plan_get_conflict(all.plan, bad[i]));
        HARMLESS(mplan_plan_get_array, i, !mplan_plan_get_array(all.plan, bad[i]));
        mplan_map map = mplan_plan_stored_map(all.plan, bad[i]);
        HARMLESS(mplan_plan_stored_map, map, !*map.name && mplan_map_entries(&map) == 0);
    }
}

/* Parts that are made here. */
static void test_parts_made(void **state)
{
    (void)state;
    mplan_plan *made = NULL;
    mplan_parts *parts = NULL;
    REFUSED(mplan_parts_create, mesh, NULL, 0, NULL, NULL, NULL, NULL, &parts);
    REFUSED(mplan_parts_create, loops, all.mesh, 1, NULL, NULL, NULL, NULL, &parts);
    REFUSED(mplan_parts_create, parts, all.mesh, 0, NULL, NULL, NULL, NULL, NULL);
    HARMLESS(mplan_parts_n, parts, mplan_parts_n(NULL) == 0);
    HARMLESS(mplan_parts_n_sets, parts, mplan_parts_n_sets(NULL) == 0);
    HARMLESS(mplan_parts_how, parts, !*mplan_parts_how(NULL));
    HARMLESS(mplan_parts_get_set, parts, !mplan_parts_get_set(NULL, 0).name);
    REFUSED(mplan_parts_plan, parts, NULL, 0, NULL, &made);
    REFUSED(mplan_parts_write, parts, NULL, "/dev/null", NULL, NULL, NULL);
    mplan_parts_options two = MPLAN_PARTS_OPTIONS_INIT;
    two.n_parts = 2;
    mplan_loop over = {.name = "l", .over = "cells", .calls = 1};
    assert_done(mplan_parts_create(all.mesh, 1, &over, NULL, &two, NULL, &parts, &error), &error);
    for (int i = 0; i < 2; i++) {
        HARMLESS(mplan_parts_get_set, set, !mplan_parts_get_set(parts, bad[i]).name);
        REFUSED(mplan_parts_plan, part, parts, bad[i], NULL, &made);
    }
    REFUSED(mplan_parts_plan, plan, parts, 0, NULL, NULL);
    REFUSED(mplan_parts_manifest, parts, NULL, all.plan, "/dev/null", NULL);
    REFUSED(mplan_parts_manifest, plan, parts, NULL, "/dev/null", NULL);
    REFUSED(mplan_parts_manifest, path, parts, all.plan, NULL, NULL);
    REFUSED(mplan_parts_write, path, parts, NULL, NULL, NULL, NULL);
    mplan_piece *piece = NULL;
    mplan_parts *more = NULL;
    REFUSED(mplan_parts_scatter, parts, NULL, "no", NULL);
    REFUSED(mplan_parts_scatter, folder, parts, NULL, NULL);
    REFUSED(mplan_piece_read, folder, NULL, 0, NULL, &piece);
    REFUSED(mplan_piece_read, piece, "no", 0, NULL, NULL);
    for (int i = 0; i < 2; i++)
        REFUSED(mplan_piece_read, part, "no", bad[i], NULL, &piece);
    HARMLESS(mplan_piece_names, piece, !mplan_piece_names(NULL));
    char folder[64];
    snprintf(folder, sizeof folder, "test_bad_arguments.%ld.parts", (long)getpid());
    assert_done(mplan_parts_scatter(parts, folder, NULL, &error), &error);
    assert_done(mplan_piece_read(folder, 1, NULL, &piece, &error), &error);
    REFUSED(mplan_piece_parts, piece, NULL, 1, &over, NULL, NULL, &more);
    REFUSED(mplan_piece_parts, loops, piece, 1, NULL, NULL, NULL, &more);
    REFUSED(mplan_piece_parts, parts, piece, 1, &over, NULL, NULL, NULL);
    mplan_piece_free(piece);
    piece = NULL;
    empty_folder(folder);
    rmdir(folder);
    mplan_piece_free(NULL);
    HARMLESS(mplan_piece_free, piece, !piece && !more);
    mplan_parts_free(parts);
    mplan_parts_free(NULL);
    HARMLESS(mplan_parts_free, parts, !made);
}

static void test_parts(void **state)
{
    (void)state;
    static const char bytes[64] = "no bundle";
    mplan_bundle *bundle = NULL;
    mplan_plan *made = NULL;
    HARMLESS(mplan_plan_part, plan, mplan_plan_part(NULL) == -1);
    HARMLESS(mplan_plan_part_import, plan, mplan_plan_part_import(NULL, 0, 0).part == -1);
    HARMLESS(mplan_plan_part_export, plan, mplan_plan_part_export(NULL, 0, 0).part == -1);
    HARMLESS(mplan_plan_part_loop_import, plan,
             mplan_plan_part_loop_import(NULL, 0, 0, 0).part == -1);
    HARMLESS(mplan_plan_part_loop_export, plan,
             mplan_plan_part_loop_export(NULL, 0, 0, 0).part == -1);
    for (int k = 0; k < 2; k++) {
        const int32_t b = bad[k];
        const mplan_plan *p = all.plan;
        HARMLESS(mplan_plan_part_import, set, mplan_plan_part_import(p, b, 0).part == -1);
        HARMLESS(mplan_plan_part_import, i, mplan_plan_part_import(p, 0, b).part == -1);
        HARMLESS(mplan_plan_part_export, set, mplan_plan_part_export(p, b, 0).part == -1);
        HARMLESS(mplan_plan_part_export, i, mplan_plan_part_export(p, 0, b).part == -1);
        HARMLESS(mplan_plan_part_loop_import, set,
                 mplan_plan_part_loop_import(p, 0, b, 0).part == -1);
        HARMLESS(mplan_plan_part_loop_import, loop,
                 mplan_plan_part_loop_import(p, b, 0, 0).part == -1);
        HARMLESS(mplan_plan_part_loop_import, i, mplan_plan_part_loop_import(p, 0, 0, b).part == -1);
        HARMLESS(mplan_plan_part_loop_export, set,
                 mplan_plan_part_loop_export(p, 0, b, 0).part == -1);
        HARMLESS(mplan_plan_part_loop_export, loop,
                 mplan_plan_part_loop_export(p, b, 0, 0).part == -1);
        HARMLESS(mplan_plan_part_loop_export, i, mplan_plan_part_loop_export(p, 0, 0, b).part == -1);
        HARMLESS(mplan_bundle_get_set, set, !mplan_bundle_get_set(bundle, b));
        HARMLESS(mplan_bundle_get_map, map, !mplan_bundle_get_map(bundle, b));
    }
    REFUSED(mplan_bundle_open, path, NULL, NULL, &bundle);
    REFUSED(mplan_bundle_open, bundle, "no.mplans", NULL, NULL);
    HARMLESS(mplan_bundle_recognise, bytes, !mplan_bundle_recognise(NULL, 64));
    HARMLESS(mplan_bundle_recognise, bytes, !mplan_bundle_recognise(bytes, 64));
    HARMLESS(mplan_bundle_n_parts, bundle, mplan_bundle_n_parts(NULL) == 0);
    HARMLESS(mplan_bundle_n_sets, bundle, mplan_bundle_n_sets(NULL) == 0);
    HARMLESS(mplan_bundle_n_maps, bundle, mplan_bundle_n_maps(NULL) == 0);
    HARMLESS(mplan_bundle_get_set, bundle, !mplan_bundle_get_set(NULL, 0));
    HARMLESS(mplan_bundle_get_map, bundle, !mplan_bundle_get_map(NULL, 0));
    HARMLESS(mplan_bundle_request, bundle, !*mplan_bundle_request(NULL));
    HARMLESS(mplan_bundle_versions, bundle, !*mplan_bundle_versions(NULL));
    HARMLESS(mplan_bundle_how, bundle, !*mplan_bundle_how(NULL));
    HARMLESS(mplan_bundle_fingerprints, bundle, mplan_bundle_fingerprints(NULL).topology == 0);
    REFUSED(mplan_bundle_place, bundle, NULL, 0, NULL, NULL);
    REFUSED(mplan_bundle_read_part, bundle, NULL, 0, NULL, &made);
    HARMLESS(mplan_bundle_read_part, plan,
             mplan_bundle_read_part(NULL, 0, NULL, NULL, NULL) == MPLAN_ERR_ARGUMENT);
    REFUSED(mplan_bundle_split, bundle, NULL, "no", NULL);
    HARMLESS(mplan_bundle_split, path,
             mplan_bundle_split(NULL, NULL, NULL, NULL) == MPLAN_ERR_ARGUMENT);
    const char *const files[1] = {"no.mplan"};
    REFUSED(mplan_bundle_join, paths, 1, NULL, "no.mplans", NULL, NULL);
    REFUSED(mplan_bundle_join, path, 1, files, NULL, NULL, NULL);
    HARMLESS(mplan_bundle_source, bundle, mplan_bundle_source(NULL).n_parts == 0);
    REFUSED(mplan_parts_verify, source, NULL, NULL, 0, NULL);
    const mplan_parts_source none = {0};
    REFUSED(mplan_parts_apply, source, NULL, 0, "no.npy", "o.npy", false, NULL);
    REFUSED(mplan_parts_apply, in, &none, 0, NULL, "o.npy", false, NULL);
    REFUSED(mplan_parts_apply, out, &none, 0, "no.npy", NULL, false, NULL);
    REFUSED(mplan_parts_apply, set, &none, 0, "no.npy", "o.npy", false, NULL);
    int32_t owner[1];
    REFUSED(mplan_parts_owners, source, NULL, 0, owner, NULL);
    REFUSED(mplan_parts_owners, owner, &none, 0, NULL, NULL);
    REFUSED(mplan_parts_owners, set, &none, 0, owner, NULL);
    REFUSED(mplan_parts_report, source, NULL, NULL, "/dev/null", "title", NULL);
    REFUSED(mplan_parts_report, path, &none, NULL, NULL, "title", NULL);
    REFUSED(mplan_parts_report, title, &none, NULL, "/dev/null", NULL, NULL);
    mplan_bundle_free(NULL);
    HARMLESS(mplan_bundle_free, bundle, !bundle && !made);
}

static void test_plans(void **state)
{
    (void)state;
    mplan_plan *made = NULL, *plan = all.plan;
    mplan_mesh *mesh = all.mesh;
    mplan_variant_bounds bounds;
    double sectors[MPLAN_MAX_ARGS];
    double reuse;
    const char *tile;
    _Alignas(64) static const char bytes[64];
    mplan_loop no_args = all.loops[0];
    no_args.args = NULL;
    REFUSED(mplan_plan_create, mesh, NULL, all.n_loops, all.loops, NULL, NULL, &made);
    REFUSED(mplan_plan_create, loops, mesh, 1, NULL, NULL, NULL, &made);
    REFUSED(mplan_plan_create, plan, mesh, all.n_loops, all.loops, NULL, NULL, NULL);
    REFUSED_AS(mplan_plan_create, loops, "args", mesh, 1, &no_args, NULL, NULL, &made);
    mplan_forecast *forecast = NULL;
    REFUSED(mplan_plan_forecast, mesh, NULL, all.n_loops, all.loops, NULL, NULL, &forecast);
    REFUSED(mplan_plan_forecast, loops, mesh, 1, NULL, NULL, NULL, &forecast);
    REFUSED(mplan_plan_forecast, forecast, mesh, all.n_loops, all.loops, NULL, NULL, NULL);
    REFUSED_AS(mplan_plan_forecast, loops, "args", mesh, 1, &no_args, NULL, NULL, &forecast);
    REFUSED(mplan_plan_write, plan, NULL, "/dev/null", NULL, NULL, NULL);
    REFUSED(mplan_plan_write, path, plan, NULL, NULL, NULL, NULL);
    REFUSED(mplan_plan_read, path, NULL, NULL, &made);
    REFUSED(mplan_plan_read, plan, "no.plan", NULL, NULL);
    REFUSED(mplan_plan_read_borrowed, bytes, NULL, 64, "name", NULL, &made);
    REFUSED(mplan_plan_read_borrowed, name, bytes, 64, NULL, NULL, &made);
    REFUSED(mplan_plan_read_borrowed, plan, bytes, 64, "name", NULL, NULL);
    HARMLESS(mplan_plan_recognise, bytes, !mplan_plan_recognise(NULL, 64));
    REFUSED(mplan_plan_verify, plan, NULL, mesh, NULL);
    REFUSED(mplan_plan_compare_request, plan, NULL, mesh, all.n_loops, all.loops, NULL, NULL);
    REFUSED(mplan_plan_compare_request, mesh, plan, NULL, all.n_loops, all.loops, NULL, NULL);
    REFUSED(mplan_plan_compare_request, loops, plan, mesh, 1, NULL, NULL, NULL);
    REFUSED(mplan_plan_compare, a, NULL, plan, NULL, NULL);
    REFUSED(mplan_plan_compare, b, plan, NULL, NULL, NULL);
    REFUSED(mplan_plan_variant_bounds, plan, NULL, 0, 0, &bounds, NULL);
    REFUSED(mplan_plan_variant_bounds, bounds, plan, 0, 0, NULL, NULL);
    REFUSED(mplan_plan_variant_loads, plan, NULL, 0, 0, &reuse, sectors);
    REFUSED(mplan_plan_variant_loads, lanes, plan, 0, 0, NULL, sectors);
    REFUSED(mplan_plan_variant_loads, sectors, plan, 0, 0, &reuse, NULL);
    REFUSED(mplan_plan_reuse_bound, plan, NULL, 0, &reuse, &tile);
    REFUSED(mplan_plan_reuse_bound, reuse, plan, 0, NULL, &tile);
    REFUSED(mplan_plan_reuse_bound, tile, plan, 0, &reuse, NULL);
    for (int i = 0; i < 2; i++) {
        REFUSED(mplan_plan_variant_bounds, loop, plan, bad[i], 0, &bounds, NULL);
        REFUSED(mplan_plan_variant_bounds, variant, plan, 0, bad[i], &bounds, NULL);
        REFUSED(mplan_plan_variant_loads, loop, plan, bad[i], 0, &reuse, sectors);
        REFUSED(mplan_plan_variant_loads, variant, plan, 0, bad[i], &reuse, sectors);
        REFUSED(mplan_plan_reuse_bound, metrics, plan, bad[i], &reuse, &tile);
        REFUSED(mplan_plan_apply, set, plan, bad[i], "no.npy", "/dev/null", false, NULL);
    }
    REFUSED(mplan_plan_apply, plan, NULL, 0, "no.npy", "/dev/null", false, NULL);
    REFUSED(mplan_plan_apply, in, plan, 0, NULL, "/dev/null", false, NULL);
    REFUSED(mplan_plan_apply, out, plan, 0, "no.npy", NULL, false, NULL);
    REFUSED(mplan_plan_export_npy, plan, NULL, "no", NULL);
    REFUSED(mplan_plan_export_npy, folder, plan, NULL, NULL);
    REFUSED(mplan_plan_export_part, plan, NULL, "/dev/null", NULL);
    REFUSED(mplan_plan_export_part, path, plan, NULL, NULL);
    REFUSED(mplan_plan_export_psyclone, plan, NULL, "/dev/null", NULL, NULL);
    REFUSED(mplan_plan_export_psyclone, path, plan, NULL, NULL, NULL);
    REFUSED(mplan_plan_export_vtu, plan, NULL, mesh, "/dev/null", NULL, NULL, NULL);
    REFUSED(mplan_plan_export_vtu, mesh, plan, NULL, "/dev/null", NULL, NULL, NULL);
    REFUSED(mplan_plan_export_vtu, path, plan, mesh, NULL, NULL, NULL, NULL);
    mplan_plan *revisited;
    mplan_plan_options visit = MPLAN_PLAN_OPTIONS_INIT;
    REFUSED(mplan_plan_revisit, plan, NULL, &visit, &revisited);
    REFUSED(mplan_plan_revisit, options, plan, NULL, &revisited);
    REFUSED(mplan_plan_revisit, revisited, plan, &visit, NULL);
    REFUSED(mplan_plan_report, plan, NULL, mesh, "/dev/null", "title", NULL, NULL);
    REFUSED(mplan_plan_report, path, plan, mesh, NULL, "title", NULL, NULL);
    REFUSED(mplan_plan_report, title, plan, mesh, "/dev/null", NULL, NULL, NULL);
    mplan_plan_free(NULL);
    HARMLESS(mplan_plan_free, plan, !made);
    mplan_forecast_free(NULL);
    HARMLESS(mplan_forecast_free, forecast, !forecast);
}

static void test_jobs(void **state)
{
    (void)state;
    mplan_job *job = NULL, none = {0};
    mplan_mesh *mesh = NULL;
    REFUSED(mplan_job_read, path, NULL, NULL, &job);
    REFUSED(mplan_job_read, job, "no.yaml", NULL, NULL);
    REFUSED(mplan_job_load_mesh, job, NULL, NULL, &mesh);
    REFUSED(mplan_job_load_mesh, mesh, &none, NULL, NULL);
    mplan_job_free(NULL);
    HARMLESS(mplan_job_free, job, !job && !mesh);
    mplan_error err = {MPLAN_ERR_ARGUMENT, "loop l: no"};
    mplan_job_locate(&none, NULL);
    HARMLESS(mplan_job_locate, err, !none.path);
    mplan_job_locate(NULL, &err);
    HARMLESS(mplan_job_locate, job, strcmp(err.text, "loop l: no") == 0);
    mplan_batch *batch = NULL;
    REFUSED(mplan_batch_read, path, NULL, NULL, &batch);
    REFUSED(mplan_batch_read, batch, "no.yaml", NULL, NULL);
    mplan_batch_free(NULL);
    HARMLESS(mplan_batch_free, batch, !batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_and_names),
        cmocka_unit_test(test_enumerations),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_building),
        cmocka_unit_test(test_mesh_getters),
        cmocka_unit_test(test_meshes),
        cmocka_unit_test(test_plan_getters),
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_parts_made),
        cmocka_unit_test(test_jobs),
    };
    return cmocka_run_group_tests(tests, make_all, free_all);
}
