/* SPDX-License-Identifier: Apache-2.0 */
/* test_known_pages.c - what people are shown is what it was: fingerprints are in tests/data/known-pages.txt
 *
 * Reports, exports, comparisons and forecasts of plans by meshplan's own methods, orders and parts of meshes. As with
 * test_known_results.c, who means a change runs the test with MPLAN_UPDATE=1 and reads the difference. */
#include "support_test.h"

#include "mesh/mesh.h"
#include "pipeline/cost_model.h"
#include "support_folder.h"
#include "support_known.h"
#include "view/report.h"

static int begin(void **state)
{
    return known_begin(MPLAN_TEST_DATA "/known-pages.txt") || make_folder(state);
}

static int end(void **state)
{
    return known_end() || remove_folder(state);
}

static const char *const over_maps[][2] = {
    {"faces", "faces_cells"}, {"cells", "cells_nodes"}, {"edges", "edges_nodes"}};

/* A loop that reads and increments through over_maps[which], with other numbers of bytes for each way. */
static mplan_loop loop_of(int which, int way, mplan_arg args[3])
{
    const mplan_type type = way % 2 ? MPLAN_TYPE_F32 : MPLAN_TYPE_F64;
    const char *map = over_maps[which][1];
    args[0] = (mplan_arg){
        .dat = "x", .map = map, .access = MPLAN_READ, .dim = 1 + 4 * way, .type = type};
    args[1] = (mplan_arg){
        .dat = "sum", .map = map, .access = MPLAN_INC, .dim = 5 - way % 5, .type = type};
    args[2] = (mplan_arg){.dat = "own", .access = MPLAN_READ, .dim = 1 + way, .type = MPLAN_TYPE_F64};
    return (mplan_loop){.name = "flux",
                        .over = over_maps[which][0],
                        .calls = 1 + way,
                        .flops = 20 * way * way * way,
                        .n_args = 3,
                        .args = args};
}

/* A plan with a variant of each strategy; NULL where the mesh has no such map. */
static mplan_plan *plan_of(mplan_mesh *mesh, int which, int way)
{
    static const mplan_strategy strategies[] = {
        MPLAN_STRATEGY_BLOCK_COLOUR, MPLAN_STRATEGY_BLOCK_GATHER, MPLAN_STRATEGY_OWNER_GATHER,
        MPLAN_STRATEGY_GLOBAL_COLOUR, MPLAN_STRATEGY_TWO_STEP};
    mplan_error err;
    mplan_plan *plan = NULL;
    mplan_arg args[3];
    mplan_loop loop = loop_of(which, way, args);
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.partitioner = way % 3 == 2 ? MPLAN_PARTITIONER_HILBERT : MPLAN_PARTITIONER_NATIVE;
    options.block_size = 16 + 16 * (way % 3);
    options.renumber = way % 2 ? MPLAN_RENUMBER_RCM : MPLAN_RENUMBER_HILBERT;
    options.n_strategies = 1 + (way + which) % 5;
    for (int s = 0; s < options.n_strategies; s++)
        options.strategies[s] = strategies[(s + way) % 5];
    return mplan_plan_create(mesh, 1, &loop, &options, NULL, &plan, &err) == MPLAN_OK ? plan : NULL;
}

static void compare_path(const char *kind, const char *name, int way)
{
    char line[128];
    uint64_t print;
    assert_true(known_print_of_path(in_folder(kind), &print));
    snprintf(line, sizeof line, "%s/%s/%d", kind, name, way);
    known_compare(line, print);
}

static void pages_of_plans(void **state)
{
    (void)state;
    for (int s = 0; s < KNOWN_SHAPES; s++)
        for (int way = 0; way < 6 && known_shape_is_exact(s); way += support_every(5)) {
            mplan_error err;
            mplan_mesh *mesh = known_shape(s, way % 3 == 1, MPLAN_LAYER_CELLS_AUTO);
            mplan_plan *plan = plan_of(mesh, way % 3, way);
            mplan_view_options view = MPLAN_VIEW_OPTIONS_INIT;
            if (plan) {
                view.variant = way % 2 ? mplan_plan_get_loop(plan, 0)->n_variants - 1 : -1;
                assert_done(mplan_plan_report(plan, way == 5 ? NULL : mesh, in_folder("report"),
                                              "a.mplan", &view, NULL, &err),
                            &err);
                compare_path("report", known_shape_name(s), way);
                assert_done(mplan_plan_export_npy(plan, in_folder("arrays"), NULL, &err), &err);
                compare_path("arrays", known_shape_name(s), way);
                if (mplan_plan_export_part(plan, in_folder("part"), NULL, &err) == MPLAN_OK)
                    compare_path("part", known_shape_name(s), way);
            }
            mplan_plan_free(plan);
            mplan_mesh_free(mesh);
        }
    known_check(8);
}

static void add_difference(void *user, const char *text)
{
    known_add_text(user, text);
}

/* Each plan against another one of the same mesh. */
static void comparisons_of_plans(void **state)
{
    (void)state;
    for (int s = 0; s < KNOWN_SHAPES; s++)
        for (int way = 0; way < 4 && known_shape_is_exact(s); way += support_every(3)) {
            char line[128];
            mplan_error err;
            mplan_mesh *mesh = known_shape(s, false, MPLAN_LAYER_CELLS_AUTO);
            mplan_plan *plan = plan_of(mesh, 0, way), *other = plan_of(mesh, 0, way + 1);
            if (plan && other) {
                mplan_fingerprint *print = mplan_fingerprint_begin();
                KNOWN_ADD(print, mplan_plan_compare(plan, other, add_difference, print, &err));
                snprintf(line, sizeof line, "compare/%s/%d", known_shape_name(s), way);
                known_compare(line, known_end_print(print));
            }
            mplan_plan_free(other);
            mplan_plan_free(plan);
            mplan_mesh_free(mesh);
        }
    known_check(8);
}

/* Four sets, whose profiles and places lie on both sides of what is found remarkable. */
static void judge_sets(mplan_page *page, int64_t i)
{
    mplan_plan_set sets[4] = {
        {.name = "cells"}, {.name = "faces"}, {.name = "nodes"}, {.name = "rim"}};
    const mplan_plan plan = {.n_sets = 4, .sets = sets};
    mplan_findings found = {page, 0};
    for (int s = 0; s < 4; s++) {
        sets[s].size = 100 + 20 * i;
        sets[s].storage_size = sets[s].size + 5 + i + s - 1;
        sets[s].profile[0] = s == 3 ? 0 : 10 + i;
        sets[s].profile[2] = 8 * (10 + i) + s - 1;
    }
    mplan_report_judge_sets(&found, &plan);
    if (found.n > 0)
        mplan_page_print(page, "</ul></div>\n");
    mplan_page_print(page, "<p>%d</p>", (int)found.n);
}

/* Histograms and bars of random numbers; bounds lie in them, beside them and far away. */
static void parts_of_pages(void **state)
{
    (void)state;
    uint64_t seed = 8;
    for (int i = 0; i < 48; i++) {
        static int64_t values[400];
        mplan_error err;
        mplan_page page = {.err = &err};
        const int64_t least = support_random(&seed, 500),
                      range = 1 + support_random(&seed, i % 3 ? 40 : 900);
        mplan_histogram histogram = {
            .title = "a title", .what = "elements of a block", .of = "blocks"};
        histogram.n = i == 0 ? 0 : 1 + support_random(&seed, 400);
        for (int64_t k = 0; k < histogram.n; k++)
            values[k] = least + support_random(&seed, range);
        histogram.values = values;
        histogram.bound = i % 4 == 3 ? -1 : least - range / 2 + support_random(&seed, 3 * range);
        histogram.bound_name = "bound";
        assert_done(mplan_output_open(in_folder("page"), NULL, &page.output, &err), &err);
        mplan_page_begin(&page, "a <page>");
        mplan_page_histogram(&page, &histogram);
        mplan_page_bars(&page, "bars", "colours", "blocks", support_random(&seed, 300), values);
        mplan_page_count(&page, least * least * least);
        mplan_page_real(&page, (double)range / 7, i % 5);
        judge_sets(&page, i);
        mplan_page_end(&page);
        assert_done(page.status, &err);
        assert_done(mplan_output_commit(page.output, &err), &err);
        compare_path("page", "parts", i);
    }
    known_check(40);
}

/* --- without a plan ------------------------------------------------------------------------- */

static void add_forecast(mplan_fingerprint *print, const mplan_forecast *forecast)
{
    known_add_text(print, forecast->request);
    known_add_text(print, forecast->device);
    KNOWN_ADD(print, forecast->chosen, forecast->block_size, forecast->partitioner,
              forecast->renumber, forecast->point_order, forecast->plan_bytes);
    for (int32_t i = 0; i < forecast->n_loops; i++) {
        const mplan_forecast_loop *loop = &forecast->loops[i];
        for (int32_t k = 0; k < loop->n_strategies; k++)
            KNOWN_ADD(print, loop->strategies[k]);
        mplan_fingerprint_bytes(print, loop->seconds, sizeof loop->seconds);
    }
}

/* What the cost model thinks of loops of many shapes on every device. */
static void forecasts(void **state)
{
    (void)state;
    static const char *const devices[] = {"p100", "v100", "a100", "h100", "h200"};
    for (int s = 0; s < KNOWN_SHAPES; s++)
        for (int way = 0; way < 15 && known_shape_is_exact(s); way += support_every(7)) {
            char line[128];
            mplan_error err;
            mplan_forecast *forecast = NULL;
            mplan_arg args[3];
            mplan_loop loop = loop_of(way % 3, way, args);
            mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
            mplan_mesh *mesh = known_shape(s, way % 2, MPLAN_LAYER_CELLS_AUTO);
            options.partitioner = MPLAN_PARTITIONER_NATIVE;
            options.device = devices[way % 5];
            options.allow_nondeterministic = way % 4 == 3;
            if (mplan_plan_forecast(mesh, 1, &loop, &options, NULL, &forecast, &err) == MPLAN_OK) {
                mplan_fingerprint *print = mplan_fingerprint_begin();
                add_forecast(print, forecast);
                snprintf(line, sizeof line, "forecast/%s/%d", known_shape_name(s), way);
                known_compare(line, known_end_print(print));
            }
            mplan_forecast_free(forecast);
            mplan_mesh_free(mesh);
        }
    known_check(8);
}

/* Numbers of every size that loops have, whole, so that all machines take the same. */
static mplan_loop_shape random_shape(uint64_t *seed)
{
    mplan_loop_shape it = {.elements = 1 + support_random(seed, 8000000),
                           .columns = 1 + (int32_t)support_random(seed, 8),
                           .dimension = 2 + (int32_t)support_random(seed, 2),
                           .valence_max = 1 + support_random(seed, 60),
                           .conflicts = support_random(seed, 8) > 0,
                           .writes = support_random(seed, 8) == 0,
                           .gathers = support_random(seed, 6) > 0,
                           .recomputes = support_random(seed, 4) > 0,
                           .shared_bytes = 48 * 1024 + support_random(seed, 180 * 1024)};
    it.points = 1 + support_random(seed, 2 * it.elements);
    it.active = 1 + support_random(seed, it.points);
    it.entries = it.elements * it.columns;
    it.local_columns = it.columns + (int32_t)support_random(seed, 3);
    it.other_slots = (double)support_random(seed, 5);
    it.direct_read = (double)support_random(seed, 200);
    it.direct_written = (double)support_random(seed, 60);
    it.point_bytes = (double)support_random(seed, 100);
    it.increment_bytes = 4 + (double)support_random(seed, 100);
    it.added_numbers = (double)support_random(seed, 40);
    it.other_row = 8 * it.other_slots;
    it.other_bytes = it.other_row * (double)support_random(seed, it.elements);
    it.flops = (double)support_random(seed, 2000);
    return it;
}

/* Every profile and strategy: seconds, bit by bit, and what is chosen. */
static void costs_of_loops(void **state)
{
    (void)state;
    mplan_device device;
    for (int32_t d = 0; mplan_device_get(d, &device) == MPLAN_OK; d++) {
        char line[128];
        uint64_t seed = 3;
        mplan_fingerprint *print = mplan_fingerprint_begin();
        for (int i = 0; i < 80; i++) {
            const mplan_loop_shape shape = random_shape(&seed);
            const int32_t size = (int32_t)(32 + support_random(&seed, 480));
            for (int k = 0; k < MPLAN_N_STRATEGIES * MPLAN_N_SUMS; k++) {
                const double seconds = mplan_cost_seconds(&shape, &device,
                                                          (mplan_strategy)(k / MPLAN_N_SUMS),
                                                          (mplan_sums)(k % MPLAN_N_SUMS), size);
                mplan_fingerprint_bytes(print, &seconds, sizeof seconds);
            }
            for (int any = 0; any < 2; any++) {
                const mplan_loop_choice chosen = mplan_cost_choose(&shape, &device, any, 0),
                                        of_size = mplan_cost_choose(&shape, &device, any, size);
                KNOWN_ADD(print, chosen.strategy, chosen.sums, chosen.block_size, of_size.strategy,
                          of_size.sums, of_size.block_size);
            }
        }
        snprintf(line, sizeof line, "costs/%.64s", device.name);
        known_compare(line, known_end_print(print));
    }
    known_check(8);
}

static void orders_of_meshes(void **state)
{
    (void)state;
    static const mplan_renumber methods[] = {MPLAN_RENUMBER_RCM,   MPLAN_RENUMBER_HILBERT,
                                             MPLAN_RENUMBER_SLOAN, MPLAN_RENUMBER_AGGLOMERATE,
                                             MPLAN_RENUMBER_GPS,   MPLAN_RENUMBER_AUTO};
    for (int s = 0; s < KNOWN_SHAPES; s++)
        for (int way = 0; way < 6 && known_shape_is_exact(s); way += support_every(5)) {
            char line[128];
            mplan_error err;
            mplan_orders *orders = NULL;
            mplan_orders_options options = MPLAN_ORDERS_OPTIONS_INIT;
            mplan_mesh *reordered = NULL, *mesh = known_shape(s, true, MPLAN_LAYER_CELLS_AUTO);
            options.renumber = methods[way];
            options.keep_better = way % 2;
            assert_done(mplan_mesh_orders(mesh, &options, NULL, &orders, &err), &err);
            assert_done(mplan_mesh_reorder(mesh, orders, NULL, &reordered, &err), &err);
            mplan_fingerprint *print = mplan_fingerprint_begin();
            KNOWN_ADD(print, orders->kept, orders->bandwidth[0], orders->bandwidth[1],
                      orders->profile[0], orders->profile[1]);
            mplan_map map = mplan_mesh_map(reordered, 0);
            mplan_fingerprint_i32s(print, map.values, mplan_map_entries(&map));
            snprintf(line, sizeof line, "orders/%s/%d", known_shape_name(s), way);
            known_compare(line, known_end_print(print));
            mplan_orders_free(orders);
            mplan_mesh_free(reordered);
            mplan_mesh_free(mesh);
        }
    known_check(8);
}

static void parts_of_meshes(void **state)
{
    (void)state;
    static const char *const over[] = {"cells", "nodes", "edges", "faces"};
    for (int s = 0; s < KNOWN_SHAPES; s++)
        for (int way = 0; way < 8 && known_shape_is_exact(s); way += support_every(5)) {
            char line[128];
            mplan_error err;
            mplan_partition *it = NULL;
            mplan_partition_options options = MPLAN_PARTITION_OPTIONS_INIT;
            mplan_mesh *mesh = known_shape(s, way % 2, MPLAN_LAYER_CELLS_AUTO);
            options.over = over[way % 4];
            options.partitioner = way < 5 ? MPLAN_PARTITIONER_NATIVE : MPLAN_PARTITIONER_HILBERT;
            options.n_parts = way < 5 ? 0 : 3 + way;
            options.block_size = way < 5 ? 20 + 10 * way : 0;
            if (mplan_mesh_partition(mesh, &options, NULL, &it, &err) == MPLAN_OK) {
                mplan_fingerprint *print = mplan_fingerprint_begin();
                KNOWN_ADD(print, it->n_parts, it->edges, it->edge_cut, it->volume, it->size_min,
                          it->size_max, it->entries, it->pairs, it->shared_points, it->moved);
                mplan_fingerprint_i32s(print, it->part, it->n_elements);
                snprintf(line, sizeof line, "parts/%s/%d", known_shape_name(s), way);
                known_compare(line, known_end_print(print));
            }
            mplan_partition_free(it);
            mplan_mesh_free(mesh);
        }
    known_check(8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_of_plans),  cmocka_unit_test(comparisons_of_plans),
        cmocka_unit_test(parts_of_pages),  cmocka_unit_test(forecasts),
        cmocka_unit_test(costs_of_loops),  cmocka_unit_test(orders_of_meshes),
        cmocka_unit_test(parts_of_meshes),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
