/* SPDX-License-Identifier: Apache-2.0 */
/* test_warp_loads.c - lanes of warps and sectors of their requests: by hand, and against tables that are decoded here */
#include "support_test.h"

#include <math.h>
#include <stdlib.h>

#include "support_check.h"

static const mplan_context one = {.struct_size = sizeof(mplan_context), .threads = 1};

enum { ARGS = 8, LANES = 32, MOST_ENTRIES = 64 };

/* What one warp computes: elements (-1: none), and which column of its own point a lane has. */
typedef struct warp {
    int64_t element[LANES];
    int64_t column[LANES];
} warp;

typedef struct figures {
    double lanes, sectors[ARGS];
    int64_t warps, active, requests[ARGS], fetched[ARGS];
} figures;

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Different sectors of n points of a dat. */
static int64_t distinct(const mplan_plan_arg *arg, const int64_t *point, int n)
{
    int64_t sector[LANES], count = 0;
    const int64_t row = arg->layout == MPLAN_LAYOUT_AOS ? arg->dim : 1;
    for (int i = 0; i < n; i++)
        sector[i] = point[i] * row * (int64_t)mplan_type_size(arg->type) / 32;
    qsort(sector, (size_t)n, sizeof *sector, ascending);
    for (int i = 0; i < n; i++)
        count += i == 0 || sector[i] != sector[i - 1];
    return count;
}

/* pair: the map whose other point only is loaded, -1: none. lists: fixed maps are not loaded by elements. */
static void add_warp(const mplan_plan *plan, const mplan_plan_loop *loop, const warp *one_warp,
                     int32_t pair, bool lists, figures *to)
{
    int active = 0;
    for (int i = 0; i < LANES; i++)
        active += one_warp->element[i] >= 0;
    to->warps += active > 0;
    to->active += active;
    for (int32_t a = 0; a < loop->n_args && active; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        if (arg->map < 0 || (arg->access != MPLAN_READ && arg->access != MPLAN_RW))
            continue;
        const mplan_map map = mplan_plan_stored_map(plan, arg->map);
        for (int32_t s = 0; s < (arg->map == pair ? 1 : MOST_ENTRIES) && !(lists && map.arity); s++) {
            int64_t point[LANES];
            int n = 0;
            for (int i = 0; i < LANES; i++) {
                int32_t length = 0;
                const int64_t e = one_warp->element[i];
                const int32_t *row = e < 0 ? NULL : mplan_map_row(&map, e, &length);
                const int64_t slot = arg->map == pair ? 1 - one_warp->column[i] : s;
                if (slot < length && row[slot] >= 0)
                    point[n++] = row[slot];
            }
            to->requests[a] += n > 0;
            to->fetched[a] += distinct(arg, point, n);
        }
    }
}

static const void *data_of(const mplan_plan *plan, mplan_kind kind, int32_t l, int32_t v,
                           mplan_type type, int64_t *rows)
{
    return mplan_plan_data(plan, mplan_key_of_variant(kind, l, v), type, rows);
}

/* Elements at places [begin, end) of a list. */
static void add_places(const mplan_plan *plan, const mplan_plan_loop *loop, const int32_t *list,
                       int64_t begin, int64_t end, bool lists, figures *to)
{
    const int32_t *old = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, loop->set),
                                         MPLAN_TYPE_I32, NULL);
    for (int64_t at = begin; at < end; at += LANES) {
        warp w;
        for (int i = 0; i < LANES; i++) {
            const int64_t e = at + i >= end ? -1 : list ? list[at + i] : at + i;
            w.element[i] = e >= 0 && old[e] >= 0 ? e : -1;
            w.column[i] = 0;
        }
        add_warp(plan, loop, &w, -1, lists, to);
    }
}

/* What a block stages, of the sets of fixed maps. */
static void add_staged(const mplan_plan *plan, int32_t l, const mplan_plan_variant *variant,
                       figures *to)
{
    const mplan_plan_loop *loop = &plan->loops[l];
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        if (arg->map < 0 || !plan->maps[arg->map].arity ||
            (arg->access != MPLAN_READ && arg->access != MPLAN_RW))
            continue;
        int64_t rows = 0;
        mplan_key key = mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINT_OFFSETS,
                                                  variant->block_set, l, plan->maps[arg->map].to);
        const int64_t *offsets = mplan_plan_data(plan, key, MPLAN_TYPE_I64, &rows);
        key.kind = MPLAN_KIND_BLOCK_POINTS;
        const int32_t *points = mplan_plan_data(plan, key, MPLAN_TYPE_I32, NULL);
        for (int64_t b = 0; b + 1 < rows; b++)
            for (int64_t at = offsets[b]; at < offsets[b + 1]; at += LANES) {
                int64_t point[LANES];
                int n = 0;
                for (; n < LANES && at + n < offsets[b + 1]; n++)
                    point[n] = points[at + n];
                to->requests[a]++;
                to->fetched[a] += distinct(arg, point, n);
            }
    }
}

/* index32: the tables themselves. */
static void add_owners(const mplan_plan *plan, int32_t l, int32_t v, figures *to)
{
    const mplan_plan_loop *loop = &plan->loops[l];
    const mplan_plan_variant *variant = &loop->variants[v];
    int64_t n_entries = 0, columns = 0, n_maps = 0;
    int32_t pair = -1;
    const int32_t *entries = data_of(plan, MPLAN_KIND_OWNER_ENTRIES, l, v, MPLAN_TYPE_I32,
                                     &n_entries);
    const int64_t *offsets = data_of(plan, MPLAN_KIND_OWNER_OFFSETS, l, v, MPLAN_TYPE_I64, NULL);
    for (int32_t a = 0; a < loop->n_args; a++) {
        bool known = loop->args[a].map < 0 || !mplan_access_adds(loop->args[a].access);
        for (int32_t b = 0; b < a; b++)
            known = known || (loop->args[b].map == loop->args[a].map &&
                              mplan_access_adds(loop->args[b].access));
        if (known)
            continue;
        pair = loop->args[a].map;
        columns += plan->maps[pair].arity;
        n_maps++;
    }
    pair = n_maps == 1 && columns == 2 ? pair : -1;
    for (int64_t s = 0, column = 0; column * LANES < n_entries; s++) {
        const int64_t end = offsets ? offsets[s + 1] : column + variant->width;
        for (; column < end; column++) {
            warp w;
            for (int i = 0; i < LANES; i++) {
                const int32_t code = entries[column * LANES + i];
                w.element[i] = code < 0 ? -1 : code / columns;
                w.column[i] = code < 0 ? 0 : code % columns;
            }
            add_warp(plan, loop, &w, pair, false, to);
        }
    }
}

static figures figures_of(const mplan_plan *plan, int32_t l, int32_t v)
{
    figures out = {.lanes = NAN};
    const mplan_plan_loop *loop = &plan->loops[l];
    const mplan_plan_variant *variant = &loop->variants[v];
    int64_t rows = 0;
    if (variant->strategy == MPLAN_STRATEGY_OWNER_GATHER) {
        add_owners(plan, l, v, &out);
    } else if (variant->strategy == MPLAN_STRATEGY_GLOBAL_COLOUR) {
        const int64_t *offsets = data_of(plan, MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS, l, v,
                                         MPLAN_TYPE_I64, &rows);
        const int32_t *list = data_of(plan, MPLAN_KIND_GLOBAL_LAUNCH, l, v, MPLAN_TYPE_I32, NULL);
        for (int64_t c = 0; c + 1 < rows; c++)
            add_places(plan, loop, list, offsets[c], offsets[c + 1], false, &out);
    } else if (variant->strategy == MPLAN_STRATEGY_BLOCK_COLOUR ||
               variant->strategy == MPLAN_STRATEGY_BLOCK_GATHER) {
        const bool lists = variant->strategy == MPLAN_STRATEGY_BLOCK_COLOUR;
        mplan_key key = mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, variant->block_set);
        const int64_t *offsets = mplan_plan_data(plan, key, MPLAN_TYPE_I64, &rows);
        key.kind = MPLAN_KIND_BLOCK_SEQUENCE;
        const int32_t *sequence = mplan_plan_data(plan, key, MPLAN_TYPE_I32, NULL);
        for (int64_t b = 0; b + 1 < rows; b++)
            add_places(plan, loop, sequence, offsets[b], offsets[b + 1], lists, &out);
        if (lists)
            add_staged(plan, l, variant, &out);
    } else {
        add_places(plan, loop, NULL, 0, plan->sets[loop->set].storage_size, false, &out);
    }
    out.lanes = out.warps ? (double)out.active / (double)out.warps : NAN;
    for (int32_t a = 0; a < loop->n_args; a++)
        out.sectors[a] = out.requests[a] ? (double)out.fetched[a] / (double)out.requests[a] : NAN;
    return out;
}

static bool equal(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void compare(const mplan_plan *plan, int32_t l, int32_t v)
{
    mplan_error err;
    double lanes, sectors[ARGS];
    const figures expected = figures_of(plan, l, v);
    assert_true(plan->loops[l].n_args <= ARGS);
    assert_done(mplan_plan_variant_loads(plan, l, v, &lanes, sectors, &err), &err);
    if (!equal(lanes, expected.lanes))
        fail_msg("%s: %g lanes, not %g", mplan_strategy_name(plan->loops[l].variants[v].strategy),
                 lanes, expected.lanes);
    for (int32_t a = 0; a < plan->loops[l].n_args; a++)
        assert_true(equal(sectors[a], expected.sectors[a]));
}

/* Ragged maps, entries of -1, holes, sequences: all strategies of random plans; owner-gather where its entries are codes. */
static void random_plans_as_their_tables_say(void **state)
{
    (void)state;
    uint64_t seed = 11;
    int compared = 0;
    for (int i = 0; i < 60; i++) {
        support_request in = {0};
        mplan_plan *plan = support_random_plan(&in, &seed);
        for (int32_t l = 0; l < plan->n_loops; l++)
            for (int32_t v = 0; v < plan->loops[l].n_variants; v++) {
                const mplan_plan_variant *variant = &plan->loops[l].variants[v];
                if (variant->strategy == MPLAN_STRATEGY_OWNER_GATHER &&
                    (variant->encoding != MPLAN_ENCODING_INDEX32 || variant->slice_rows > LANES))
                    continue;
                compare(plan, l, v);
                compared++;
            }
        mplan_plan_free(plan);
        mplan_mesh_free(in.mesh);
    }
    assert_true(compared > 100);
}

/* Edges of a shuffled grid of quads, under one strategy. */
static mplan_plan *plan_edges(mplan_plan_options *options, mplan_mesh **mesh)
{
    mplan_error err;
    mplan_plan *plan = NULL;
    static const mplan_arg args[] = {
        {"q", "faces_cells", MPLAN_READ, 4, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
        {"x", "faces_nodes", MPLAN_READ, 2, MPLAN_TYPE_F32, MPLAN_NONE_REFUSE},
        {"w", NULL, MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
        {"r", "faces_cells", MPLAN_INC, 4, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    const mplan_loop loop = {"flux", "faces", true, 1, 0, 4, args};
    mplan_generate_options wanted = MPLAN_GENERATE_OPTIONS_INIT;
    wanted.shape = MPLAN_SHAPE_QUAD;
    wanted.size[0] = 61;
    wanted.size[1] = 47;
    wanted.shuffle = true;
    assert_done(mplan_mesh_generate(&wanted, &one, mesh, &err), &err);
    assert_done(mplan_plan_create(*mesh, 1, &loop, options, &one, &plan, &err), &err);
    return plan;
}

/* All encodings lead to the same elements in the same order, and so to the figures of index32. */
static void encodings_have_equal_figures(void **state)
{
    (void)state;
    static const mplan_encoding encodings[] = {MPLAN_ENCODING_INDEX32, MPLAN_ENCODING_INDEX16,
                                               MPLAN_ENCODING_PAIR32, MPLAN_ENCODING_WINDOWS16};
    mplan_error err;
    for (int order = 0; order < 3; order++) {
        double lanes[4], sectors[4][ARGS];
        for (int i = 0; i < 4; i++) {
            mplan_mesh *mesh = NULL;
            mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
            options.strategies[0] = MPLAN_STRATEGY_OWNER_GATHER;
            options.n_strategies = 1;
            options.encoding = encodings[i];
            options.sums_order = order == 0   ? MPLAN_SUMS_ORDER_AUTO
                                 : order == 1 ? MPLAN_SUMS_ORDER_COLUMN
                                              : MPLAN_SUMS_ORDER_MESH;
            mplan_plan *plan = plan_edges(&options, &mesh);
            assert_int_equal(plan->loops[0].variants[0].encoding, encodings[i]);
            assert_done(mplan_plan_variant_loads(plan, 0, 0, &lanes[i], sectors[i], &err), &err);
            if (i == 0)
                compare(plan, 0, 0);
            assert_true(lanes[i] == lanes[0] && sectors[i][0] == sectors[0][0]);
            assert_true(sectors[i][1] == sectors[0][1] && isnan(sectors[i][2]) &&
                        isnan(sectors[i][3]));
            mplan_plan_free(plan);
            mplan_mesh_free(mesh);
        }
    }
}

/* Points 0 to 64 in a line, natural order: 32 lanes, whose doubles in slot 0 lie in 8 sectors, in slot 1 in 9. Rows of four
 * doubles are a sector each. */
static void a_line_by_hand(void **state)
{
    (void)state;
    int32_t ends[2 * 64];
    mplan_error err;
    mplan_mesh *mesh = NULL;
    mplan_plan *plan = NULL;
    double lanes, sectors[ARGS];
    for (int32_t i = 0; i < 64; i++)
        ends[2 * i] = i, ends[2 * i + 1] = i + 1;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "edges", 64, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "points", 65, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "edges_points", 0, 1, 2, NULL, ends, NULL, &err), &err);
    const mplan_arg args[] = {
        {"a", "edges_points", MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
        {"b", "edges_points", MPLAN_READ, 4, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
        {"c", "edges_points", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    const mplan_loop loop = {"line", "edges", true, 1, 0, 3, args};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.strategies[0] = MPLAN_STRATEGY_ATOMIC;
    options.n_strategies = 1;
    options.allow_nondeterministic = true;
    options.renumber = MPLAN_RENUMBER_NONE;
    options.partitioner = MPLAN_PARTITIONER_NONE;
    options.point_order = MPLAN_POINTS_RENUMBERED;
    options.layouts = 1 + MPLAN_LAYOUT_AOS;
    assert_done(mplan_plan_create(mesh, 1, &loop, &options, &one, &plan, &err), &err);
    assert_done(mplan_plan_variant_loads(plan, 0, 0, &lanes, sectors, &err), &err);
    assert_true(lanes == 32 && sectors[0] == 8.5 && sectors[1] == 32 && isnan(sectors[2]));
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* Numbers that lead out of the plan: nothing is said, nothing is read beyond an array. */
static void plans_that_do_not_hold_have_no_figures(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh = support_fixed_mesh();
    mplan_plan *plan = support_fixed_plan(mesh);
    double lanes, sectors[ARGS];
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        mplan_array *array = &plan->arrays[i];
        const size_t width = mplan_type_size(array->type);
        for (int64_t at = 0; at < array->rows * array->cols; at += 3)
            for (int way = 0; way < 2; way++) {
                uint8_t *place = (uint8_t *)(uintptr_t)array->data + (size_t)at * width, kept[8];
                memcpy(kept, place, width);
                memset(place, way ? 0x7f : 0x90, width);
                for (int32_t v = 0; v < plan->loops[0].n_variants; v++) {
                    assert_done(mplan_plan_variant_loads(plan, 0, v, &lanes, sectors, &err), &err);
                    if (array->key.kind == MPLAN_KIND_MAP_VALUES &&
                        array->key.map == (uint32_t)plan->loops[0].args[0].map)
                        assert_true(isnan(lanes));
                }
                memcpy(place, kept, width);
            }
    }
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_plans_as_their_tables_say),
        cmocka_unit_test(encodings_have_equal_figures),
        cmocka_unit_test(a_line_by_hand),
        cmocka_unit_test(plans_that_do_not_hold_have_no_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
