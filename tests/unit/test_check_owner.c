/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_owner.c - tables of owner-gather at and beyond each limit
 *
 * Nodes of triangles have up to six entries, so that slices have offsets; a shuffled mesh needs escapes. */
#include "support_check.h"

#include "support_cases.h"
#include "support_fence.h"
#include "support_plan_gather.h"
#include "support_small.h"

static support_cases cases;
static mplan_plan *plan;

/* Maps are proved first; nothing else is. */
static mplan_status owners_hold(support_cases *all, mplan_error *err)
{
    mplan_check check = all->check;
    mplan_status status = mplan_check_maps(&check, err);
    if (status == MPLAN_OK)
        status = mplan_check_owner(&check, err);
    free(check.maps);
    free(check.valid);
    return status;
}

static void open_cases(mplan_shape shape, int32_t a, int32_t b, uint64_t shuffle, const char *over,
                       const char *map, mplan_encoding encoding)
{
    const mplan_arg arg = {"res", map, MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE};
    const mplan_loop loop = {"flux", over, true, 1, 1, 1, &arg};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_generate_options generate = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_error err;
    mplan_mesh *mesh;
    generate.shape = shape;
    generate.size[0] = a;
    generate.size[1] = b;
    generate.shuffle = shuffle;
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_OWNER_GATHER;
    options.encoding = encoding;
    if (shuffle) {
        options.renumber = MPLAN_RENUMBER_NONE;
        options.partitioner = MPLAN_PARTITIONER_NONE;
    }
    assert_done(mplan_mesh_generate(&generate, NULL, &mesh, &err), &err);
    assert_done(mplan_plan_create(mesh, 1, &loop, &options, NULL, &plan, &err), &err);
    support_cases_open(&cases, mesh, plan);
    cases.proof = owners_hold;
}

static void slices_have_offsets(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        open_cases(MPLAN_SHAPE_TRI, 20, 16, 0, "cells", "cells_nodes",
                   i ? MPLAN_ENCODING_INDEX16 : MPLAN_ENCODING_INDEX32);
        mplan_array *offsets = VARIANT(MPLAN_KIND_OWNER_OFFSETS, 0),
                    *entries = VARIANT(MPLAN_KIND_OWNER_ENTRIES, 0);
        const int64_t n = offsets->rows - 1;
        HOLDS();
        REFUSED("OWNER_OFFSETS does not ascend at slice 1", put(offsets, 1, get(offsets, 2) + 1));
        REFUSED("OWNER_OFFSETS does not ascend at slice 0", put(offsets, 1, -1));
        REFUSED("OWNER_OFFSETS runs from -1 to", put(offsets, 0, -1));
        REFUSED("OWNER_OFFSETS runs from 0 to", put(offsets, n, get(offsets, n) + 1));
        for (int64_t more = 1; more < 32; more += 15) /* behind the last column */
            REFUSED("numbers, which are not whole columns", entries->rows += more);
        /* the last column of the last slice is empty */
        for (int64_t k = 32 * (get(offsets, n) - 1); k < entries->rows; k++)
            put(entries, k, i ? 65535 : -1);
        REFUSED("OWNER_OFFSETS gives slice", (void)n);
        for (int64_t k = 0; k < 64; k++)
            if (get(entries, k) >= 0 && get(entries, k) != 65535)
                REFUSED("OWNER_ENTRIES has",
                        put(entries, 32 * (get(offsets, 1) - 1) + k % 32, i ? 65535 : -1), (void)k);
        if (i) {
            mplan_array *base = VARIANT(MPLAN_KIND_OWNER_BASE, 0);
            REFUSED("entry 0 of row 0 ", put(base, 0, -1 - get(entries, 0)));
            REFUSED("OWNER_ENTRIES", put(base, 0, get(base, 0) + 1));
            REFUSED("OWNER_ENTRIES", put(base, 0, get(base, 0) - 1));
        }
        REFUSED("the width is 3, but should be 0", VARIANT_OF(0, 0)->width = 3);
        support_cases_close(&cases);
    }
}

static void bases_and_escapes(void **state)
{
    (void)state;
    open_cases(MPLAN_SHAPE_TRI, 160, 160, 7, "cells", "cells_nodes", MPLAN_ENCODING_INDEX16);
    mplan_array *escapes = VARIANT(MPLAN_KIND_OWNER_ESCAPES, 0);
    mplan_array *at = VARIANT(MPLAN_KIND_OWNER_ESCAPE_OFFSETS, 0);
    const int64_t n = at->rows - 1;
    HOLDS();
    assert_true(escapes->rows > 2);
    for (int64_t i = 0; i < 3; i++) {
        REFUSED("OWNER_ENTRIES", put(escapes, i, -1));
        REFUSED("OWNER_ENTRIES", put(escapes, i, get(escapes, i) + 1));
        REFUSED("OWNER_ENTRIES", put(escapes, i, INT32_MAX));
    }
    REFUSED("OWNER_ESCAPE_OFFSETS runs from -1 to", put(at, 0, -1));
    REFUSED("OWNER_ESCAPE_OFFSETS runs from 0 to", put(at, n, get(at, n) - 1));
    REFUSED("OWNER_ESCAPE_OFFSETS does not ascend at slice", put(at, 1, get(at, n) + 1));
    support_cases_close(&cases);
}

/* --- tables by hand --------------------------------------------------------------- */

/* A loop that increments points through maps of an arity, and a right table of it. */
typedef struct table_case {
    int32_t n_points, n_elements, n_maps, arity;
    const int32_t *values; /* of all maps, one behind the other */
    mplan_encoding encoding;
    bool windows; /* only where some point has more than 4 entries */
} table_case;

/* What the maps hold is taken as proved. */
static mplan_status tables_hold(support_cases *all, mplan_error *err)
{
    mplan_check check = all->check;
    mplan_map maps[2];
    int64_t valid[2] = {0};
    for (int32_t m = 0; m < plan->n_maps; m++) {
        maps[m] = mplan_plan_stored_map(plan, m);
        for (int64_t i = 0; i < plan->maps[m].n_entries; i++)
            valid[m] += maps[m].values[i] >= 0;
    }
    check.maps = maps;
    check.valid = valid;
    return mplan_check_owner(&check, err);
}

static void add_records(const table_case *in)
{
    static const mplan_plan_arg args[] = {
        {"res", 0, MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_SKIP, MPLAN_LAYOUT_AOS, {0}, 0},
        {"res", 1, MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_SKIP, MPLAN_LAYOUT_AOS, {0}, 0}};
    plan = support_small_plan();
    support_small_set(plan, "points", "", in->n_points, in->n_points);
    support_small_set(plan, "elements", "", in->n_elements, in->n_elements);
    for (int32_t m = 0; m < in->n_maps; m++)
        support_small_map(plan, m ? "second" : "first", 1, 0, in->arity,
                          in->values + (int64_t)m * in->n_elements * in->arity);
    support_small_loop(plan, 1, in->n_maps, args);
}

/* The naive planner draws whether rows are sorted: until it draws what is asked. */
static void open_table(const table_case *in)
{
    mplan_error err;
    for (uint64_t seed = 1;; seed++) {
        uint64_t drawn = seed;
        mplan_plan_variant variant = {.strategy = MPLAN_STRATEGY_OWNER_GATHER,
                                      .block_set = -1,
                                      .device = "",
                                      .encoding = in->encoding};
        add_records(in);
        support_plan_owner_gather(plan, 0, &variant, &drawn);
        assert_done(mplan_plan_add_variant(plan, 0, &variant, &err), &err);
        support_small_seal(plan);
        if ((variant.window != 0) == in->windows)
            break;
        assert_in_range(seed, 1, 100);
        mplan_plan_free(plan);
    }
    support_cases_open(&cases, NULL, plan);
    cases.proof = tables_hold;
}

#define OWNER(what_) VARIANT(MPLAN_KIND_OWNER_##what_, 0)

/* The table holds, also when nothing beside one of its arrays can be read. */
static void holds_between_fences(void)
{
    HOLDS();
    for (int32_t i = 0; i < plan->n_arrays; i++)
        for (int side = 0; side < 2; side++) {
            mplan_array *array = &plan->arrays[i];
            support_fence fence = support_fence_open(array->data,
                                                     (size_t)(array->rows * array->cols) *
                                                         mplan_type_size(array->type),
                                                     (support_fence_side)side);
            HOLDS(array->data = fence.data);
            support_fence_close(&fence);
        }
}

/* Elements from each point to up to `most` behind it, in the order of their lower point; every second one turned. */
static int32_t join_points(int32_t n_points, int32_t most, uint64_t *seed, int32_t *pairs)
{
    int32_t n = 0;
    for (int32_t p = 0; p < n_points; p++)
        for (int32_t k = 1; k <= most && p + k < n_points; k++)
            if (k == 1 || support_random(seed, 3)) {
                pairs[2 * n + n % 2] = p;
                pairs[2 * n + 1 - n % 2] = p + k;
                n++;
            }
    return n;
}

enum { MOST_POINTS = 600, MOST_JOINED = 6 };
static int32_t pairs[2 * MOST_JOINED * MOST_POINTS];
static const mplan_encoding encodings[] = {MPLAN_ENCODING_INDEX32, MPLAN_ENCODING_INDEX16,
                                           MPLAN_ENCODING_PAIR32};

/* Of every size about that of slices and windows; none of the limits is too narrow. */
static void right_tables_hold(void **state)
{
    static const int32_t sizes[] = {1, 2, 31, 32, 33, 255, 256, 257, 300, 513};
    uint64_t seed = 5;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int32_t most = 1; most <= MOST_JOINED; most++)
            for (int e = 0; e < 3; e++)
                for (int windows = 0; windows < 2; windows++) {
                    table_case in = {sizes[i], 0, 1, 2, pairs, encodings[e], windows};
                    in.n_elements = join_points(in.n_points, most, &seed, pairs);
                    if (windows && (most < MOST_JOINED || in.n_points < 31))
                        continue; /* no point has five */
                    open_table(&in);
                    holds_between_fences();
                    for (int32_t width = 1; width < 6 && !VARIANT_OF(0, 0)->width; width++)
                        REFUSED("but should be 0", VARIANT_OF(0, 0)->width = width);
                    support_cases_close(&cases);
                }
}

/* Points by element, one column; the places of those that are given, -1 elsewhere. */
static void open_single(int32_t n_points, int32_t n_elements, const int32_t *values,
                        mplan_encoding encoding, bool windows)
{
    const table_case in = {n_points, n_elements, 1, 1, values, encoding, windows};
    open_table(&in);
}

static void rows_are_as_long_as_they_must(void **state)
{
    static const int32_t none[] = {-1, -1, -1}, four[] = {3, 1, 3, 3, 1, 3}, five[] = {3, 3, 3, 3, 3};
    (void)state;
    for (int e = 0; e < 2; e++) {
        open_single(40, 3, none, encodings[e], false);
        holds_between_fences();
        REFUSED("the width is 1, but should be 0", VARIANT_OF(0, 0)->width = 1, OWNER(OFFSETS));
        support_cases_close(&cases);
        open_single(40, 6, four, encodings[e], false);
        assert_int_equal(VARIANT_OF(0, 0)->width, 4);
        holds_between_fences();
        const int64_t absent = e ? 65535 : -1;
        REFUSED("the width is 4, but should be 3", put(MAP(MPLAN_KIND_MAP_VALUES, 0), 5, -1),
                put(OWNER(ENTRIES), 3 * 32 + 3, absent));
        support_cases_close(&cases);
        open_single(40, 5, five, encodings[e], false);
        assert_int_equal(VARIANT_OF(0, 0)->width, 0);
        holds_between_fences();
        support_cases_close(&cases);
    }
}

/* Two maps: columns of the second follow those of the first. */
static void columns_of_two_maps(void **state)
{
    int32_t values[2 * 3 * 40];
    uint64_t seed = 3;
    (void)state;
    for (int i = 0; i < 2 * 3 * 40; i++)
        values[i] = (int32_t)support_random(&seed, 36) - 1;
    for (int e = 0; e < 2; e++) {
        const table_case in = {35, 40, 2, 3, values, encodings[e], true};
        open_table(&in);
        holds_between_fences();
        support_cases_close(&cases);
    }
}

/* Every place of a table, by what is near, what is none and what cannot be, in a row that has a place left. */
static void every_place_of_a_table(void **state)
{
    uint64_t seed = 8;
    (void)state;
    for (int e = 0; e < 3; e++)
        for (int windows = 0; windows < 2; windows++) {
            table_case in = {44, 0, 1, 2, pairs, encodings[e], windows};
            in.n_elements = join_points(in.n_points, MOST_JOINED, &seed, pairs);
            open_table(&in);
            mplan_array *entries = OWNER(ENTRIES);
            const int64_t absent = e == 1 ? 65535 : -1;
            support_fence starts = {0}, values;
            for (int64_t i = 0; i < entries->rows; i++)
                for (int side = 0; side < 2; side++) {
                    const int64_t v = get(entries, i);
                    const int64_t others[] = {v + 1,  v - 1, v + 64,    v - 64,    v ^ 1, v ^ 2,
                                              absent, -2,    INT32_MIN, INT32_MAX, 0,     -3};
                    const mplan_array *map = MAP(MPLAN_KIND_MAP_VALUES, 0);
                    values = support_fence_open(map->data, (size_t)(map->rows * map->cols) * 4,
                                                (support_fence_side)side);
                    if (e == 2)
                        starts = support_fence_open(OWNER(ROW_START)->data,
                                                    (size_t)OWNER(ROW_START)->rows * 4,
                                                    (support_fence_side)side);
                    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
                        put(entries, i, others[k]);
                        if (get(entries, i) == v)
                            continue;
                        if (e == 2)
                            OWNER(ROW_START)->data = starts.data;
                        MAP(MPLAN_KIND_MAP_VALUES, 0)->data = values.data;
                        if (get(entries, i) == absent)
                            REFUSED("OWNER_",
                                    (void)k); /* the next of the row, a column less, or one in all */
                        else
                            REFUSED("does not belong to point", (void)k);
                    }
                    if (e == 2)
                        support_fence_close(&starts);
                    support_fence_close(&values);
                }
            support_cases_close(&cases);
        }
}

/* An entry twice, one place late, and one of a row behind the last point. */
static void entries_follow_one_another(void **state)
{
    enum { POINTS = 40, N = 46 };
    int32_t values[N] = {0};
    (void)state;
    for (int32_t e = 0; e < POINTS; e++)
        values[e] = e;
    values[N - 1] = 2;
    for (int windows = 0; windows < 2; windows++) {
        open_single(POINTS, N, values, MPLAN_ENCODING_INDEX32, windows);
        mplan_array *entries = OWNER(ENTRIES);
        const int64_t row = windows ? 1 : 2; /* of point 2 */
        HOLDS();
        assert_int_equal(get(entries, row), 2);
        assert_int_equal(get(entries, 32 + row), N - 1);
        REFUSED("entry 1 of row", put(entries, 32 + row, 2));
        REFUSED("entry 1 of row", put(entries, 32 + row, 1));
        REFUSED("entry 1 of row", put(entries, 32 + row, N));
        REFUSED("entry 2 of row", put(entries, 32 + row, -1), put(entries, 64 + row, N - 1));
        REFUSED("entry 1 of row", put(entries, row, -1));
        REFUSED("OWNER_ENTRIES has 45 entries, but the maps have 46", put(entries, 32 + row, -1));
        /* behind the last point: row 40 shows the first point of the window */
        const int64_t behind = 32 * get(OWNER(OFFSETS), 1) + 8;
        REFUSED("entry 0 of row 40", put(entries, behind, 0));
        REFUSED("entry 0 of row 63", put(entries, behind + 23, 0));
        support_cases_close(&cases);
    }
}

/* --- pair32 ----------------------------------------------------------------------- */

/* Ranks are numbered from 0 to 30, as `none` has 31 in its low bits. */
static void ranks_of_pairs(void **state)
{
    (void)state;
    for (int32_t n = 30; n <= 33; n++) {
        for (int32_t e = 0; e < n; e++) {
            pairs[2 * e] = 0;
            pairs[2 * e + 1] = e + 1;
        }
        const table_case in = {n + 1, n, 1, 2, pairs, MPLAN_ENCODING_PAIR32, false};
        open_table(&in);
        if (n <= 31)
            holds_between_fences();
        else
            REFUSED("entry 31 of row 0 does not belong to point 0 of points", (void)n);
        support_cases_close(&cases);
    }
}

/* A table of pairs knows its elements by the lower point, so the map must have them in that order. */
static void order_of_pairs(void **state)
{
    uint64_t seed = 2;
    table_case in = {40, 0, 1, 2, pairs, MPLAN_ENCODING_PAIR32, true};
    char reason[96];
    (void)state;
    in.n_elements = join_points(in.n_points, MOST_JOINED, &seed, pairs);
    open_table(&in);
    mplan_array *starts = OWNER(ROW_START), *values = MAP(MPLAN_KIND_MAP_VALUES, 0);
    for (int64_t p = 0; p < starts->rows; p++) {
        snprintf(reason, sizeof reason, "OWNER_ROW_START has %d at point %d of points",
                 (int)get(starts, p) + 1, (int)p);
        REFUSED(reason, put(starts, p, get(starts, p) + 1));
        snprintf(reason, sizeof reason, "OWNER_ROW_START has %d at point %d of points",
                 (int)get(starts, p) - 1, (int)p);
        REFUSED(reason, put(starts, p, get(starts, p) - 1));
    }
    for (int32_t e = 0; e < in.n_elements; e++)
        for (int column = 0; column < 2; column++) {
            const int64_t at = 2 * e + column, other = get(values, 2 * e + 1 - column);
            const int64_t lower = get(values, at) < other ? get(values, at) : other;
            snprintf(reason, sizeof reason, "pair32: element %d is not stored in the order", (int)e);
            REFUSED(reason, put(values, at, -1));
            if (get(starts, lower) < e) /* the first one of a point may as well be the last of another */
                REFUSED(reason, put(values, at, lower - 1));
            if (get(values, at) != lower)
                HOLDS();
            else
                REFUSED("OWNER_ROW_START has", put(values, at, other));
        }
    support_cases_close(&cases);
}

/* --- windows ------------------------------------------------------------------------ */

static void swap_places(mplan_array *array, int64_t i, int64_t j)
{
    const int64_t kept = get(array, i);
    put(array, i, get(array, j));
    put(array, j, kept);
}

/* Two rows of one slice change places, with all that belongs to them. */
static void swap_rows(int64_t r, int64_t q)
{
    swap_places(OWNER(POINTS), r, q);
    for (int64_t k = get(OWNER(OFFSETS), r / 32); k < get(OWNER(OFFSETS), r / 32 + 1); k++)
        swap_places(OWNER(ENTRIES), 32 * k + r % 32, 32 * k + q % 32);
}

static void rows_of_windows_are_sorted(void **state)
{
    static const int32_t sizes[] = {33, 255, 300};
    uint64_t seed = 4;
    (void)state;
    for (int i = 0; i < 3; i++) {
        table_case in = {sizes[i], 0, 1, 2, pairs, MPLAN_ENCODING_PAIR32, true};
        in.n_elements = join_points(in.n_points, MOST_JOINED, &seed, pairs);
        open_table(&in);
        for (int64_t r = 1; r < in.n_points; r++) {
            char reason[96];
            snprintf(reason, sizeof reason, "OWNER_POINTS: row %d breaks the order of its window",
                     (int)r);
            if (r % 32)
                REFUSED(reason, swap_rows(r - 1, r));
        }
        support_cases_close(&cases);
    }
}

static void windows_hold_their_points_once(void **state)
{
    static const int32_t values[] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, /* rows of 6 and 5 */
        last[] = {0, 0, 0, 0, 0, 32, 32, 32, 32, 32};
    (void)state;
    open_single(33, 11, values, MPLAN_ENCODING_INDEX32, true);
    mplan_array *points = OWNER(POINTS), *entries = OWNER(ENTRIES);
    holds_between_fences();
    REFUSED("OWNER_POINTS: row 2 breaks the order", put(points, 2, 1));
    /* point 1 in two rows, point 2 in none, and every entry once */
    put(entries, 2, 9);
    put(entries, 32 + 2, 10);
    put(entries, 3 * 32 + 1, -1);
    REFUSED("OWNER_POINTS: row 2 breaks the order", put(entries, 4 * 32 + 1, -1), put(points, 2, 1));
    REFUSED("row 32 is not a point of points", put(points, 32, 33));
    REFUSED("row 32 is not a point of points", put(points, 32, 255));
    REFUSED("OWNER_POINTS: row 33 breaks the order", put(points, 33, 1));
    REFUSED("OWNER_POINTS: row 63 breaks the order", put(points, 63, 1));
    support_cases_close(&cases);
    open_single(33, 10, last, MPLAN_ENCODING_INDEX32, true);
    HOLDS();
    support_cases_close(&cases);
}

/* --- index16 ------------------------------------------------------------------------- */

/* One slice; the codes of four elements, of which the last two are far. */
static void codes_in_16_bits(void **state)
{
    enum { FAR = 65534, N = FAR + 3 };
    int32_t *values = malloc(N * sizeof *values);
    (void)state;
    assert_non_null(values);
    for (int32_t e = 0; e < N; e++)
        values[e] = -1;
    values[2] = 0;
    values[5] = 1;
    values[FAR] = 2;
    values[N - 1] = 3;
    open_single(4, N, values, MPLAN_ENCODING_INDEX16, false);
    mplan_array *entries = OWNER(ENTRIES), *base = OWNER(BASE), *at = OWNER(ESCAPE_OFFSETS),
                *escapes = OWNER(ESCAPES);
    holds_between_fences();
    /* no escape: 65534 counts from the base like every number below it */
    support_cases_close(&cases);
    values[N - 1] = -1;
    open_single(4, N, values, MPLAN_ENCODING_INDEX16, false);
    entries = OWNER(ENTRIES), base = OWNER(BASE), at = OWNER(ESCAPE_OFFSETS);
    escapes = OWNER(ESCAPES);
#define WITHOUT_ESCAPES()                                                                         \
    put(base, 0, 0), put(entries, 0, 2), put(entries, 1, 5), put(entries, 2, FAR), put(at, 1, 0), \
        escapes->rows = 0
    HOLDS(WITHOUT_ESCAPES());
    REFUSED("entry 0 of row 0", WITHOUT_ESCAPES(), put(base, 0, 1));
    REFUSED("entry 0 of row 0", WITHOUT_ESCAPES(), put(base, 0, -3));
    REFUSED("entry 0 of row 0", WITHOUT_ESCAPES(), put(base, 0, -2));
    /* the last one escapes: 65534 is escape 0, 65533 would count from the base */
#define ONE_ESCAPE() WITHOUT_ESCAPES(), put(at, 1, 1), escapes->rows = 1, put(escapes, 0, FAR)
    HOLDS(ONE_ESCAPE());
    REFUSED("entry 0 of row 2", ONE_ESCAPE(), put(escapes, 0, -1));
    REFUSED("entry 0 of row 2", ONE_ESCAPE(), put(escapes, 0, -2));
    REFUSED("entry 0 of row 2", ONE_ESCAPE(), put(escapes, 0, N));
    REFUSED("entry 0 of row 2", ONE_ESCAPE(), put(entries, 2, FAR - 1));
    HOLDS(ONE_ESCAPE(), put(base, 0, 2), put(entries, 0, 0), put(entries, 1, 3));
    REFUSED("OWNER_BASE of slice 0 is 1, but no entry uses it", put(base, 0, 1), put(at, 1, 3),
            escapes->rows = 3, put(entries, 0, FAR), put(entries, 1, FAR - 1),
            put(entries, 2, FAR - 2), put(escapes, 0, 2), put(escapes, 1, 5), put(escapes, 2, FAR));
    REFUSED("OWNER_BASE of slice 0 is -1, but no entry uses it", put(base, 0, -1), put(at, 1, 3),
            escapes->rows = 3, put(entries, 0, FAR), put(entries, 1, FAR - 1),
            put(entries, 2, FAR - 2), put(escapes, 0, 2), put(escapes, 1, 5), put(escapes, 2, FAR));
    HOLDS(put(base, 0, 0), put(at, 1, 3), escapes->rows = 3, put(entries, 0, FAR),
          put(entries, 1, FAR - 1), put(entries, 2, FAR - 2), put(escapes, 0, 2),
          put(escapes, 1, 5), put(escapes, 2, FAR));
    /* numbered by place; none left over */
    REFUSED("entry 0 of row 0", put(base, 0, 0), put(at, 1, 3), escapes->rows = 3,
            put(entries, 0, FAR - 1), put(entries, 1, FAR), put(entries, 2, FAR - 2),
            put(escapes, 0, 5), put(escapes, 1, 2), put(escapes, 2, FAR));
    REFUSED("OWNER_ESCAPES has escapes of slice 0 that no entry uses", ONE_ESCAPE(), put(at, 1, 2),
            escapes->rows = 2, put(escapes, 1, 0));
    support_cases_close(&cases);
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_have_offsets),
        cmocka_unit_test(bases_and_escapes),
        cmocka_unit_test(right_tables_hold),
        cmocka_unit_test(rows_are_as_long_as_they_must),
        cmocka_unit_test(columns_of_two_maps),
        cmocka_unit_test(every_place_of_a_table),
        cmocka_unit_test(entries_follow_one_another),
        cmocka_unit_test(ranks_of_pairs),
        cmocka_unit_test(order_of_pairs),
        cmocka_unit_test(rows_of_windows_are_sorted),
        cmocka_unit_test(windows_hold_their_points_once),
        cmocka_unit_test(codes_in_16_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
