/* SPDX-License-Identifier: Apache-2.0 */
/* test_known_results.c - meshes and plans are what they were: their fingerprints are in tests/data/known-results.txt
 *
 * Other tests prove that results are right; many results would be. Here a change that nobody meant is found: of generated and
 * refined meshes, of every file of tests/data, read or refused, of files that are written, and of plans by meshplan's own methods,
 * all of which are equal for every compiler and number of threads. Who means a change runs the test with MPLAN_UPDATE=1 and reads the difference. */
#include "support_test.h"

#include "mesh/mesh.h"
#include "partition/native/grid/native_shape.h"
#include "plan/plan.h"
#include "support_check.h"
#include "support_folder.h"
#include "support_known.h"
#include "support_round_trip.h"

static int begin(void **state)
{
    (void)state;
    return known_begin(MPLAN_TEST_DATA "/known-results.txt");
}

static int end(void **state)
{
    (void)state;
    return known_end();
}

/* --- meshes --------------------------------------------------------------------------- */

static void generated_meshes(void **state)
{
    (void)state;
    static const char *const sets[] = {"faces", "boundary_faces", "edges", "nodes_cells",
                                       "cells_cells"};
    char name[64];
    for (int s = 0; s < KNOWN_SHAPES; s++)
        for (int way = 0; way < 8; way++) {
            mplan_error err;
            bool exact = known_shape_is_exact(s);
            mplan_mesh *refined = NULL, *mesh = known_shape(s, way % 2, (mplan_layer_cells)(way / 2));
            if (!mesh)
                continue;
            for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
                mplan_mesh_derive(mesh, sets[k], NULL, &err);
            snprintf(name, sizeof name, "generate/%s/%d", known_shape_name(s), way);
            known_compare(name, known_print_of_mesh(mesh, exact));
            snprintf(name, sizeof name, "refine/%s/%d", known_shape_name(s), way);
            if (mplan_mesh_refine(mesh, 1, NULL, &refined, &err) == MPLAN_OK)
                known_compare(name, known_print_of_mesh(refined, exact));
            mplan_mesh_free(refined);
            mplan_mesh_free(mesh);
        }
    known_check(40);
}

enum { MOST_NUMBERS = 4096 };

static void note_warning(void *user, const char *text)
{
    known_add_sentence(MPLAN_TEST_DATA, user, MOST_NUMBERS, text);
}

/* Reads a file, and compares what is found, or why nothing is. What this build lacks a library for has no line. */
static void try_file(const char *folder, const char *file)
{
    char path[600], name[300];
    mplan_error err = {0};
    mplan_mesh *mesh = NULL;
    char numbers[MOST_NUMBERS] = "";
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.warning = note_warning;
    context.user = numbers;
    mplan_read_options options = MPLAN_READ_OPTIONS_INIT;
    options.format = strcmp(folder, "text") == 0 ? "text" : NULL;
    snprintf(path, sizeof path, "%s/%.127s/%.127s", MPLAN_TEST_DATA, folder, file);
    snprintf(name, sizeof name, "%.127s/%.127s", folder, file);
    mplan_status status = mplan_mesh_read(path, &options, &context, &mesh, &err);
    static const char *const derived[] = {"faces", "boundary_faces", "edges"};
    for (size_t k = 0; !status && k < sizeof derived / sizeof *derived; k++)
        mplan_mesh_derive(mesh, derived[k], NULL, &err);
    if (status)
        known_add_sentence(MPLAN_TEST_DATA, numbers, sizeof numbers, err.text);
    if (!status || (!strstr(err.text, "lib") && !strstr(err.text, "without")))
        known_compare(name, (status ? (uint64_t)status : known_print_of_mesh(mesh, true)) ^
                                mplan_hash(numbers, strlen(numbers)));
    mplan_mesh_free(mesh);
}

/* Whether this build lacks what reads the files of a folder. */
static bool is_missing(const char *folder)
{
    mplan_format_info info;
    for (int32_t i = 0; mplan_format(i, &info) == MPLAN_OK; i++)
        if (strcmp(info.name, folder) == 0)
            return info.missing != NULL;
    return false;
}

/* Those of plans and jobs are not meshes. */
static void files_of_tests(void **state)
{
    (void)state;
    static known_name folders[200], files[1000];
    int n_folders = known_names_in(MPLAN_TEST_DATA, "", folders, 200);
    for (int d = 0; d < n_folders; d++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%.127s", MPLAN_TEST_DATA, folders[d].text);
        if (strcmp(folders[d].text, "planfile") == 0 || strcmp(folders[d].text, "job") == 0 ||
            is_missing(folders[d].text))
            continue;
        int n_files = known_names_in(path, "", files, 1000);
        for (int f = 0; f < n_files; f += support_every(4))
            try_file(folders[d].text, files[f].text);
    }
    known_check(100);
}

/* --- files that are written --------------------------------------------------------------- */

/* A mesh in every format; what zlib or libhdf5 write depends on their versions. */
static void write_all(const char *name, const mplan_mesh *mesh)
{
    mplan_format_info info;
    mplan_error err;
    for (int32_t i = 0; mplan_format(i, &info) == MPLAN_OK; i++) {
        char line[96], file[64];
        uint64_t print;
        if (strstr(info.name, "vtu") || strstr(info.name, "hdf5") || strstr(info.name, "npz") ||
            strcmp(info.name, "cgns") == 0)
            continue;
        snprintf(line, sizeof line, "write-%.32s/%s", info.name, name);
        snprintf(file, sizeof file, "written-%.32s", info.name);
        if (mplan_mesh_write(mesh, in_folder(file), info.name, NULL, NULL, &err) == MPLAN_OK &&
            known_print_of_path(in_folder(file), &print))
            known_compare(line, print);
    }
}

/* Every shape, and mixed cells with groups of all kinds. */
static void written_files(void **state)
{
    assert_int_equal(make_folder(state), 0);
    for (int s = 0; s < KNOWN_SHAPES; s++) {
        mplan_mesh *mesh = known_shape(s, s % 2, MPLAN_LAYER_CELLS_AUTO);
        if (known_shape_is_exact(s))
            write_all(known_shape_name(s), mesh);
        mplan_mesh_free(mesh);
    }
    for (int32_t way = 0; way < 8; way++) {
        static const mplan_shape grouped[] = {MPLAN_SHAPE_QUAD, MPLAN_SHAPE_TRI, MPLAN_SHAPE_HEX,
                                              MPLAN_SHAPE_TET};
        char name[32];
        mplan_mesh *mesh = way < 4 ? support_mixed_mesh(2 + way % 2, way / 2 > 0)
                                   : support_mesh(grouped[way - 4]);
        snprintf(name, sizeof name, way < 4 ? "mixed-%d" : "groups-%d", (int)way % 4);
        write_all(name, mesh);
        mplan_mesh_free(mesh);
    }
    assert_int_equal(remove_folder(state), 0);
    known_check(40);
}

/* --- plans ---------------------------------------------------------------------------- */

static void add_loop(mplan_fingerprint *print, const mplan_plan_loop *loop)
{
    known_add_text(print, loop->name);
    KNOWN_ADD(print, loop->set, loop->primary, loop->calls, loop->flops, loop->n_args,
              loop->default_variant);
    for (int32_t a = 0; a < loop->n_args; a++)
        KNOWN_ADD(print, loop->args[a].map, loop->args[a].layout);
    for (int32_t v = 0; v < loop->n_variants; v++) {
        const mplan_plan_variant *it = &loop->variants[v];
        KNOWN_ADD(print, it->strategy, it->block_limit, it->threads, it->elements_per_thread,
                  it->block_set, it->deterministic, it->shared_bytes_max, it->block_colours,
                  it->thread_colours_max, it->thread_colours_total, it->global_colours,
                  it->partial_sums, it->sums, it->encoding, it->width, it->window);
    }
}

static void add_records(mplan_fingerprint *print, const mplan_plan *plan)
{
    for (int32_t i = 0; i < plan->n_sets; i++) {
        const mplan_plan_set *it = &plan->sets[i];
        KNOWN_ADD(print, it->size, it->storage_size, it->renumber, it->kept, it->bandwidth[0],
                  it->bandwidth[1], it->bandwidth[2], it->profile[0], it->profile[1], it->profile[2]);
    }
    for (int32_t i = 0; i < plan->n_loops; i++)
        add_loop(print, &plan->loops[i]);
    for (int32_t i = 0; i < plan->n_block_sets; i++) {
        const mplan_plan_block_set *it = &plan->block_sets[i];
        KNOWN_ADD(print, it->set, it->loop, it->n_blocks, it->block_limit, it->sequence,
                  it->partitioner, it->block_min, it->block_max, it->max_points, it->shared_bytes,
                  it->alternative_pairs, it->origin.origin, it->origin.refined, it->origin.extent[0],
                  it->origin.extent[1], it->origin.extent[2], it->origin.patches, it->origin.largest);
    }
    for (int32_t i = 0; i < plan->n_metrics; i++) {
        const mplan_block_metrics *it = &plan->metrics[i];
        KNOWN_ADD(print, it->entries, it->pairs, it->shared_points, it->points_max, it->lines,
                  it->lines_ideal);
    }
}

static uint64_t print_of_plan(const mplan_plan *plan)
{
    mplan_fingerprint *print = mplan_fingerprint_begin();
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        const mplan_array *array = &plan->arrays[i];
        const uint32_t key[] = {array->key.kind, array->key.set,     array->key.map,
                                array->key.loop, array->key.variant, array->key.block_set};
        mplan_fingerprint_bytes(print, key, sizeof key);
        mplan_fingerprint_i64(print, array->rows);
        if (array->rows * array->cols > 0)
            mplan_fingerprint_bytes(print, array->data,
                                    (size_t)(array->rows * array->cols) *
                                        mplan_type_size(array->type));
    }
    add_records(print, plan);
    return known_end_print(print);
}

static void plan_one(const char *name, mplan_mesh *mesh, const char *over, const char *map,
                     mplan_plan_options *options)
{
    mplan_error err;
    mplan_plan *plan = NULL;
    mplan_arg args[] = {
        {.dat = "x", .map = map, .access = MPLAN_READ, .dim = 2, .type = MPLAN_TYPE_F64},
        {.dat = "sum", .map = map, .access = MPLAN_INC, .dim = 3, .type = MPLAN_TYPE_F64}};
    mplan_loop loop = {.name = "loop", .over = over, .calls = 1, .n_args = 2, .args = args};
    if (mplan_plan_create(mesh, 1, &loop, options, NULL, &plan, &err) == MPLAN_OK)
        known_compare(name, print_of_plan(plan));
    mplan_plan_free(plan);
}

static void plans_by_own_methods(void **state)
{
    (void)state;
    static const mplan_renumber renumber[] = {MPLAN_RENUMBER_RCM, MPLAN_RENUMBER_HILBERT,
                                              MPLAN_RENUMBER_SLOAN, MPLAN_RENUMBER_AGGLOMERATE,
                                              MPLAN_RENUMBER_GPS};
    static const mplan_strategy strategies[] = {
        MPLAN_STRATEGY_GLOBAL_COLOUR, MPLAN_STRATEGY_BLOCK_COLOUR, MPLAN_STRATEGY_TWO_STEP,
        MPLAN_STRATEGY_BLOCK_GATHER, MPLAN_STRATEGY_OWNER_GATHER};
    static const mplan_encoding encodings[] = {MPLAN_ENCODING_INDEX16, MPLAN_ENCODING_PAIR32,
                                               MPLAN_ENCODING_INDEX32};
    static const char *const loops[][2] = {
        {"faces", "faces_cells"}, {"cells", "cells_nodes"}, {"edges", "edges_nodes"}};
    char name[96];
    for (int s = 0; s < KNOWN_SHAPES; s++)
        for (int way = 0; way < 10 && known_shape_is_exact(s); way++) {
            mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
            mplan_mesh *mesh = known_shape(s, way % 3 > 0, MPLAN_LAYER_CELLS_AUTO);
            options.partitioner = way == 9   ? MPLAN_PARTITIONER_NONE
                                  : way == 8 ? MPLAN_PARTITIONER_HILBERT
                                             : MPLAN_PARTITIONER_NATIVE;
            options.effort = (mplan_effort)((way + s) % MPLAN_N_EFFORTS);
            options.block_size = (int32_t[]){16, 32, 64, 24}[(way + s) % 4];
            options.renumber = renumber[way % 5];
            options.keep_better = way % 4 == 0;
            options.n_strategies = 5;
            memcpy(options.strategies, strategies, sizeof strategies);
            options.encoding = encodings[way % 3];
            options.sums = way % 2 ? MPLAN_SUMS_PARTIAL : MPLAN_SUMS_COLOUR;
            options.point_order = (mplan_point_order)(way % 4);
            options.max_points = way == 5 ? 40 : 0;
            snprintf(name, sizeof name, "plan/%s/%d", known_shape_name(s), way);
            plan_one(name, mesh, loops[way % 3][0], loops[way % 3][1], &options);
            mplan_mesh_free(mesh);
        }
    known_check(40);
}

/* Meshes whose cells are cut in two by the plan of a loop, with groups of cells, facets and nodes. */
static void split_meshes(void **state)
{
    (void)state;
    static const mplan_shape grouped[] = {MPLAN_SHAPE_QUAD, MPLAN_SHAPE_TRI, MPLAN_SHAPE_HEX,
                                          MPLAN_SHAPE_TET};
    static const mplan_arg arg = {.dat = "sum",
                                  .map = "cells_faces",
                                  .access = MPLAN_INC,
                                  .dim = 1,
                                  .type = MPLAN_TYPE_F64,
                                  .none = MPLAN_NONE_SPLIT};
    static const mplan_loop loop = {
        .name = "inner", .over = "cells", .calls = 1, .n_args = 1, .args = &arg};
    for (int s = 0; s < 4; s++) {
        char name[32];
        mplan_error err;
        mplan_plan *plan = NULL;
        mplan_mesh *mesh = support_mesh(grouped[s]);
        mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
        options.partitioner = MPLAN_PARTITIONER_NONE;
        assert_done(mplan_plan_create(mesh, 1, &loop, &options, NULL, &plan, &err), &err);
        snprintf(name, sizeof name, "split/%d", s);
        known_compare(name, known_print_of_mesh(mesh, true));
        mplan_plan_free(plan);
        mplan_mesh_free(mesh);
    }
    known_check(4);
}

/* Shapes of tiles and what they cost, in boxes of several sides. */
static void tiles_of_grids(void **state)
{
    (void)state;
    static const tile_kind kinds[] = {TILE_QUADS, TILE_HEXES, TILE_PLANE_EDGES, TILE_SPACE_EDGES};
    static const int32_t low[3], high[][3] = {{7, 9, 5}, {60, 3, 20}, {200, 100, 80}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int32_t tile = LEAST_TILE; tile < 512;
             tile += 1 + tile / 4 + 20 * (support_every(2) - 1)) {
            char name[64];
            mplan_error err;
            mplan_fingerprint *print = mplan_fingerprint_begin();
            tile_costs *costs = mplan_tile_costs_create(kinds[k], tile, NATIVE_NO_MIDDLES, &err);
            assert_non_null(costs);
            for (size_t box = 0; box < sizeof high / sizeof *high; box++) {
                double cost;
                tile_shape it = mplan_tile_choose(costs, low, high[box], &cost);
                KNOWN_ADD(print, it.oblique, it.along, it.across[0], it.across[1], it.count[0],
                          it.count[1], it.width, it.rows, it.cells, (int64_t)(cost * 1e6));
            }
            mplan_tile_costs_free(costs);
            snprintf(name, sizeof name, "tiles/%d/%d", (int)kinds[k], (int)tile);
            known_compare(name, known_end_print(print));
        }
    known_check(8);
}

/* Meshes of some thousand cells: clusters of several levels, regions, stacks, many pairs of blocks. */
static void larger_plans(void **state)
{
    (void)state;
    static const struct {
        mplan_shape shape;
        int64_t size[3];
        const char *name, *over, *map;
    } rows[] = {{MPLAN_SHAPE_QUAD, {70, 50, 0}, "quad", "faces", "faces_cells"},
                {MPLAN_SHAPE_TRI, {40, 60, 0}, "tri", "cells", "cells_nodes"},
                {MPLAN_SHAPE_TRI, {60, 30, 0}, "tri", "faces", "faces_cells"},
                {MPLAN_SHAPE_HEX, {12, 16, 14}, "hex", "cells", "cells_nodes"},
                {MPLAN_SHAPE_TET, {8, 9, 7}, "tet", "cells", "cells_nodes"},
                {MPLAN_SHAPE_TET, {6, 8, 9}, "tet", "faces", "faces_cells"}};
    static const mplan_renumber renumber[] = {MPLAN_RENUMBER_AGGLOMERATE, MPLAN_RENUMBER_SLOAN,
                                              MPLAN_RENUMBER_GPS, MPLAN_RENUMBER_HILBERT};
    const size_t n = sizeof rows / sizeof *rows;
    for (size_t i = 0; i < 2 * n; i += (size_t)support_every(5)) {
        char name[96];
        mplan_error err;
        mplan_mesh *mesh;
        mplan_generate_options how = MPLAN_GENERATE_OPTIONS_INIT;
        mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
        how.shape = rows[i % n].shape;
        memcpy(how.size, rows[i % n].size, sizeof how.size);
        how.jitter = i < n ? 0.2 : 0;
        how.shuffle = true;
        how.seed = 11 + i;
        assert_done(mplan_mesh_generate(&how, NULL, &mesh, &err), &err);
        options.partitioner = MPLAN_PARTITIONER_NATIVE;
        options.block_size = i < n ? 64 : 160;
        options.renumber = renumber[i % 4];
        options.n_strategies = 3;
        options.strategies[0] = MPLAN_STRATEGY_BLOCK_COLOUR;
        options.strategies[1] = MPLAN_STRATEGY_BLOCK_GATHER;
        options.strategies[2] = MPLAN_STRATEGY_OWNER_GATHER;
        snprintf(name, sizeof name, "larger/%s/%s/%d", rows[i % n].name, rows[i % n].over, (int)i);
        plan_one(name, mesh, rows[i % n].over, rows[i % n].map, &options);
        mplan_mesh_free(mesh);
    }
    known_check(2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_meshes), cmocka_unit_test(files_of_tests),
        cmocka_unit_test(written_files),    cmocka_unit_test(plans_by_own_methods),
        cmocka_unit_test(tiles_of_grids),   cmocka_unit_test(split_meshes),
        cmocka_unit_test(larger_plans),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
