/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of slabs are those of the order that a plan without slabs has; changed ones that cannot be are refused by the proof and by
 * executors. */
#include "support_limited.h"

enum { PIECES = MPLAN_SLAB_PIECES };

static const mplan_array *array_of(const mplan_plan *plan, mplan_kind kind, int32_t set)
{
    const mplan_key key = mplan_key_of_set(kind, set);
    return mplan_plan_find_array(plan, &key);
}

/* Of each stored member of the plan with slabs: its place in the order of a plan of the same loops without slabs, as a piece; to be freed. */
static int32_t *pieces_without_slabs(limited *of, const char *set)
{
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_plan *plan = NULL;
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_OWNER_GATHER;
    options.point_order = MPLAN_POINTS_RENUMBERED;
    options.device = "h200";
    assert_done(mplan_plan_create(of->mesh, of->n_loops, of->loops, &options, NULL, &plan, &of->err),
                &of->err);
    const int32_t s = mplan_plan_find_set(plan, set);
    const mplan_array *flat = array_of(plan, MPLAN_KIND_OLD_OF_NEW, s);
    const int32_t *stored = array_of(of->plan, MPLAN_KIND_OLD_OF_NEW, s)->data;
    int32_t *of_mesh = calloc((size_t)flat->rows, sizeof *of_mesh);
    int32_t *piece = calloc((size_t)flat->rows, sizeof *piece);
    assert_true(of_mesh && piece);
    for (int64_t i = 0; i < flat->rows; i++)
        of_mesh[((const int32_t *)flat->data)[i]] = (int32_t)(i * PIECES / flat->rows);
    for (int64_t i = 0; i < flat->rows; i++)
        piece[i] = of_mesh[stored[i]];
    free(of_mesh);
    mplan_plan_free(plan);
    return piece;
}

/* Pieces of a set begin in each slab behind as many members as are of pieces before, counted one by one. */
static void assert_pieces(const mplan_plan *plan, int32_t set, const int32_t *piece)
{
    const mplan_array *begin = array_of(plan, MPLAN_KIND_SLAB_PIECES, set);
    const int64_t *at = array_of(plan, MPLAN_KIND_SLAB_OFFSETS, set)->data;
    assert_true(begin && begin->rows == plan->visit.slabs && begin->cols == PIECES - 1);
    for (int32_t s = 0; s < plan->visit.slabs; s++)
        for (int32_t k = 1; k < PIECES; k++) {
            int32_t before = 0;
            for (int64_t i = at[s]; i < at[s + 1]; i++)
                before += piece[i] < k;
            assert_int_equal(((const int32_t *)begin->data)[s * (PIECES - 1) + k - 1], before);
        }
}

/* Of the set that is ordered. */
static void pieces_are_those_of_the_order(void **state)
{
    static const struct {
        const char *app;
        mplan_shape shape;
        int64_t size[3], bytes;
    } some[] = {{"flux3d_step", MPLAN_SHAPE_HEX, {60, 16, 16}, 5000000},
                {"flux3d_step", MPLAN_SHAPE_TET, {40, 8, 8}, 6000000},
                {"jacobi", MPLAN_SHAPE_HEX, {60, 16, 16}, 3000000}};
    (void)state;
    for (size_t c = 0; c < sizeof some / sizeof *some; c++) {
        limited of = {.app = mplan_app_find(some[c].app)};
        make_mesh(&of, some[c].shape, some[c].size[0], some[c].size[1], some[c].size[2], true);
        assert_done(make_plan(&of, some[c].bytes, 2, 0), &of.err);
        int32_t *piece = pieces_without_slabs(&of, "cells");
        assert_pieces(of.plan, mplan_plan_find_set(of.plan, "cells"), piece);
        free(piece);
        close_all(&of);
    }
}

/* Others are where the maps lead: a face is of the piece of its first cell. */
static void other_sets_follow(void **state)
{
    limited of = {.app = mplan_app_find("flux3d_step")};
    (void)state;
    make_mesh(&of, MPLAN_SHAPE_HEX, 60, 16, 16, true);
    assert_done(make_plan(&of, 5000000, 2, 0), &of.err);
    const int32_t cells = mplan_plan_find_set(of.plan, "cells");
    int32_t *of_cell = pieces_without_slabs(&of, "cells"), checked = 0;
    for (int32_t m = 0; m < of.plan->n_maps; m++) {
        const mplan_map map = mplan_plan_stored_map(of.plan, m);
        if (map.to != cells || !array_of(of.plan, MPLAN_KIND_SLAB_PIECES, map.from))
            continue;
        int32_t *piece = calloc((size_t)map.n_rows, sizeof *piece);
        assert_non_null(piece);
        for (int64_t e = 0; e < map.n_rows; e++)
            piece[e] = of_cell[map.values[e * map.arity]];
        assert_pieces(of.plan, map.from, piece);
        free(piece);
        checked++;
    }
    assert_true(checked > 0);
    free(of_cell);
    close_all(&of);
}

/* A piece that begins before the one before it, or behind the slab's end. */
static void others_are_refused(void **state)
{
    limited of = {.app = mplan_app_find("airfoil")};
    (void)state;
    make_mesh(&of, MPLAN_SHAPE_QUAD, 300, 90, 0, true);
    assert_done(make_plan(&of, 10000000, 2, 8), &of.err);
    const int32_t set = mplan_plan_find_set(of.plan, "cells");
    const int64_t *at = array_of(of.plan, MPLAN_KIND_SLAB_OFFSETS, set)->data;
    int32_t *begin = (int32_t *)(uintptr_t)array_of(of.plan, MPLAN_KIND_SLAB_PIECES, set)->data;
    int32_t s = 0; /* the first with members in later pieces */
    while (begin[s * (PIECES - 1) + PIECES / 2 + 1] == at[s + 1] - at[s])
        assert_true(++s < of.plan->visit.slabs);
    const int32_t n = (int32_t)(at[s + 1] - at[s]);
    const int32_t at_piece[] = {0, PIECES / 2, PIECES - 2, PIECES - 2};
    const int32_t wrong[] = {-1, n, n + 1, -1};
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    options.executor = MPLAN_EXECUTOR_HOST;
    options.device_memory = of.plan->visit.device_memory;
    int32_t *row = begin + s * (PIECES - 1);
    for (int k = 0; k < 4; k++) {
        const int32_t kept = row[at_piece[k]];
        mplan_exec *exec = NULL;
        row[at_piece[k]] = wrong[k];
        assert_refused(mplan_plan_verify(of.plan, of.mesh, NULL, &of.err), MPLAN_ERR_DISPROVED,
                       &of.err, "SLAB_PIECES of set cells");
        assert_refused(mplan_exec_open(of.plan, &options, &exec, &of.err), MPLAN_ERR_CORRUPT,
                       &of.err, "pieces of slabs of set cells");
        row[at_piece[k]] = kept;
    }
    assert_done(mplan_plan_verify(of.plan, of.mesh, NULL, &of.err), &of.err);
    close_all(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_those_of_the_order),
        cmocka_unit_test(other_sets_follow),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
