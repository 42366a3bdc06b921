/* SPDX-License-Identifier: Apache-2.0 */
/* test_pipeline.c - plans of random requests hold, whoever makes them and how often;
 * odd meshes have plans */
#include "pipeline_cases.h"

static void assert_equal_plans(const mplan_plan *a, const mplan_plan *b, int32_t threads)
{
    mplan_error err;
    size_t size, other_size;
    uint8_t *bytes = support_file_bytes(a, false, 1, &size);
    uint8_t *other = support_file_bytes(b, false, threads, &other_size);
    assert_done(mplan_plan_compare(a, b, NULL, NULL, &err), &err);
    assert_int_equal(size, other_size);
    assert_memory_equal(bytes, other, size);
    free(bytes);
    free(other);
}

/* --- random requests ------------------------------------------------------------- */

static mplan_mesh *mesh_of(uint64_t number)
{
    return number % 3 == 0 ? support_generated(number) : support_tables(number);
}

/* Of a fresh mesh and of one that has been planned; at times by 2 threads, which
 * tiny regions make slow where others want the processor too. */
static void check_again(uint64_t number, const support_request *request, const mplan_plan *plan)
{
    mplan_error err;
    mplan_plan *again;
    mplan_mesh *mesh = mesh_of(number);
    mplan_context context = one;
    context.threads = number % 8 == 0 ? 2 : 1;
    for (int pass = 0; pass < 2; pass++) {
        assert_done(mplan_plan_create(mesh, request->n_loops, request->loops, &request->options,
                                      &context, &again, &err),
                    &err);
        assert_equal_plans(plan, again, context.threads);
        mplan_plan_free(again);
    }
    mplan_mesh_free(mesh);
}

/* False when the request is refused, as few may be. */
static bool check_request(uint64_t number)
{
    static support_request request;
    mplan_error err;
    mplan_plan *plan = NULL;
    uint64_t seed = number;
    mplan_mesh *mesh = mesh_of(number), *fresh = mesh_of(number);
    support_random_request(&seed, mesh, &request);
    mplan_mesh_free(mesh);
    mesh = mesh_of(number);
    mplan_status status = mplan_plan_create(mesh, request.n_loops, request.loops, &request.options,
                                            &one, &plan, &err);
    if (status == MPLAN_OK) {
        assert_holds(plan, mesh);
        assert_done(mplan_plan_verify(plan, fresh, &one, &err), &err);
        check_again(number, &request, plan);
    } else {
        assert_null(plan);
        if (!strstr(err.text, "coordinates of") && !strstr(err.text, "by itself ") &&
            !strstr(err.text, "cannot be derived") && !strstr(err.text, "split only once"))
            fail_msg("request %d: %s: %s", (int)number, mplan_status_name(status), err.text);
    }
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    mplan_mesh_free(fresh);
    return status == MPLAN_OK;
}

static void plans_of_random_requests_hold(void **state)
{
    (void)state;
    int n_done = 0, n_tried = 0;
    /* plans are made again by two threads where 8 divides the number */
    const int step = support_races_only() ? 8 : support_every(5);
    for (int number = support_races_only() ? 0 : support_first(5); number < 360; number += step) {
        n_done += check_request((uint64_t)number);
        n_tried++;
    }
    assert_true(4 * n_done > (step == 1 ? 3 : 2) * n_tried);
}

/* --- odd meshes --------------------------------------------------------------------- */

/* By every partitioner that needs no coordinates, every renumbering and point order. */
static void plan_every_way(mplan_mesh *mesh, int32_t n_loops, const mplan_loop *loops)
{
    static const mplan_partitioner partitioners[] = {MPLAN_PARTITIONER_NONE, MPLAN_PARTITIONER_METIS,
                                                     MPLAN_PARTITIONER_SCOTCH,
                                                     MPLAN_PARTITIONER_NATIVE};
    static const mplan_renumber renumbers[] = {
        MPLAN_RENUMBER_NONE,  MPLAN_RENUMBER_RCM,         MPLAN_RENUMBER_GPS,
        MPLAN_RENUMBER_SLOAN, MPLAN_RENUMBER_AGGLOMERATE, MPLAN_RENUMBER_SCOTCH_GPS};
    for (int p = 0; p < 4; p++)
        for (int r = 0; r < 6; r++) {
            mplan_plan_options options = all_strategies(1 + 3 * p);
            if (!is_in_build(partitioners[p]) ||
                (renumbers[r] == MPLAN_RENUMBER_SCOTCH_GPS && !support_has("scotch")))
                continue;
            options.partitioner = partitioners[p];
            options.renumber = renumbers[r];
            options.point_order = (mplan_point_order)(p + r) % MPLAN_N_POINT_ORDERS;
            support_leave_to_colours(n_loops, loops, &options);
            mplan_plan_free(plan_of(mesh, n_loops, loops, &options));
        }
}

static void empty_sets_have_plans(void **state)
{
    (void)state;
    const set_row sets[] = {{"a", 0}, {"b", 0}, {"c", 3}};
    const int64_t offsets[] = {0, 0, 0, 0};
    const int32_t none[] = {-1, -1, -1};
    const map_row maps[] = {{"a_b", 0, 1, 2, NULL, none},
                            {"a_c", 0, 2, 3, NULL, none},
                            {"c_b", 2, 1, 1, NULL, none},
                            {"c_a", 2, 0, 0, offsets, none},
                            {"a_a", 0, 0, 1, NULL, none}};
    const mplan_arg a[] = {ARG("x", "a_b", MPLAN_INC, 0), ARG("y", "a_c", MPLAN_READ, 0),
                           ARG("z", "a_a", MPLAN_WRITE, 0)};
    const mplan_arg c[] = {ARG("x", "c_b", MPLAN_INC, MPLAN_NONE_SKIP), ARG("w", "c_a", MPLAN_RW, 0)};
    const mplan_loop loops[] = {{"la", "a", true, 1, 0, 3, a},
                                {"lc", "c", false, 1, 0, 2, c},
                                {"lb", "b", false, 1, 0, 0, NULL}};
    mplan_mesh *mesh = tables(3, sets, 5, maps);
    plan_every_way(mesh, 3, loops);
    plan_every_way(mesh, 1, loops);
    plan_every_way(mesh, 2, loops + 1);
    plan_every_way(mesh, 1, loops + 2);
    mplan_mesh_free(mesh);
}

/* Two maps to one set and a map of the set to itself in the primary loop, a dat
 * through both maps, points that nothing touches, dats of equal names and other
 * shapes in another loop. */
static void maps_may_share_sets_and_dats(void **state)
{
    (void)state;
    enum { N = 40, POINTS = 30 };
    uint64_t seed = 11;
    const set_row sets[] = {{"a", N}, {"b", POINTS}};
    mplan_map fixed = support_random_map(&seed, N, POINTS - 9, 3, 0);
    mplan_map ragged = support_random_map(&seed, N, POINTS - 5, 0, 20);
    mplan_map own = support_random_map(&seed, N, N, 2, 30);
    const map_row maps[] = {{"a_b", 0, 1, 3, NULL, fixed.values},
                            {"a_more", 0, 1, 0, ragged.offsets, ragged.values},
                            {"a_a", 0, 0, 2, NULL, own.values}};
    const mplan_arg first[] = {
        ARG("x", "a_b", MPLAN_RW, 0), ARG("x", "a_more", MPLAN_WRITE, MPLAN_NONE_SKIP),
        ARG("q", "a_a", MPLAN_INC, MPLAN_NONE_SKIP), ARG("r", NULL, MPLAN_RW, 0)};
    const mplan_arg second[] = {{"z", "a_a", MPLAN_RW, 1, MPLAN_TYPE_F32, MPLAN_NONE_SKIP},
                                {"y", NULL, MPLAN_READ, 4, MPLAN_TYPE_I64, MPLAN_NONE_REFUSE}};
    const mplan_loop loops[] = {{"one", "a", false, 3, 0, 4, first},
                                {"two", "a", false, 1, 0, 2, second},
                                {"three", "b", false, 1, 0, 0, NULL}};
    mplan_mesh *mesh = tables(2, sets, 3, maps);
    plan_every_way(mesh, 3, loops);
    plan_every_way(mesh, 2, loops + 1);
    support_map_free(&fixed);
    support_map_free(&ragged);
    support_map_free(&own);
    mplan_mesh_free(mesh);
}

/* Elements of one point: 10,000 around a hub, every one a colour. */
static void a_hub_has_a_plan(void **state)
{
    (void)state;
    enum { N = 10000 };
    int32_t *values = malloc(2 * N * sizeof *values);
    for (int32_t e = 0; e < N; e++) {
        values[2 * e] = N / 2;
        values[2 * e + 1] = e;
    }
    const set_row sets[] = {{"a", N}, {"b", N}};
    const map_row maps[] = {{"a_b", 0, 1, 2, NULL, values}};
    const mplan_arg args[] = {ARG("x", "a_b", MPLAN_INC, 0)};
    const mplan_loop loop = {"l", "a", false, 1, 0, 1, args};
    mplan_mesh *mesh = tables(2, sets, 1, maps);
    mplan_plan_options options = all_strategies(1024);
    if (is_in_build(MPLAN_PARTITIONER_METIS))
        options.partitioner = MPLAN_PARTITIONER_METIS;
    mplan_plan *plan = plan_of(mesh, 1, &loop, &options);
    assert_int_equal(mplan_plan_get_loop(plan, 0)->variants[0].global_colours, N);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    free(values);
}

/* A set that is named only, as the to-set of the map of another loop's read. */
static void a_set_that_only_maps_name_is_ordered(void **state)
{
    (void)state;
    mplan_mesh *mesh = generated(MPLAN_SHAPE_QUAD, 6, true);
    const mplan_arg args[] = {ARG("x", "cells_nodes", MPLAN_READ, 0)};
    const mplan_loop loops[] = {{"direct", "faces", true, 1, 0, 0, NULL},
                                {"far", "cells", false, 1, 0, 1, args}};
    mplan_plan_options options = all_strategies(8);
    for (int p = 0; p < MPLAN_N_PARTITIONERS; p++) {
        options.partitioner = (mplan_partitioner)p;
        if (!is_in_build(options.partitioner))
            continue;
        mplan_plan *plan = plan_of(mesh, 2, loops, &options);
        assert_int_equal(mplan_plan_n_sets(plan), 3);
        assert_int_equal(mplan_plan_find_set(plan, "nodes"), 2);
        mplan_plan_free(plan);
    }
    mplan_mesh_free(mesh);
}

/* A mesh that brought its own edges, of which a loop increments cells. */
static void a_mesh_with_its_own_edges_has_a_plan(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh = generated(MPLAN_SHAPE_TRI, 5, false);
    int32_t edges, cells = mplan_mesh_find_set(mesh, "cells");
    int32_t nodes = mplan_mesh_find_set(mesh, "nodes");
    const int32_t ends[] = {0, 1, 7, 3, 3, 4}, sides[] = {3, 2, 0, 1, 49, -1};
    assert_done(mplan_mesh_add_set(mesh, "edges", 3, &edges, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "edges_nodes", edges, nodes, 2, NULL, ends, NULL, &err),
                &err);
    assert_done(mplan_mesh_add_map(mesh, "edges_cells", edges, cells, 2, NULL, sides, NULL, &err),
                &err);
    const mplan_arg args[] = {ARG("x", "edges_nodes", MPLAN_READ, 0),
                              ARG("r", "edges_cells", MPLAN_INC, MPLAN_NONE_SPLIT)};
    const mplan_arg rest[] = {ARG("r", "edges_boundary_cells", MPLAN_INC, 0)};
    const mplan_arg faces[] = {ARG("r", "faces_cells", MPLAN_INC, 0)};
    const mplan_loop loops[] = {{"ends", "edges_boundary", false, 1, 0, 1, rest},
                                {"flux", "edges", false, 1, 0, 2, args},
                                {"own", "faces", false, 1, 0, 1, faces}};
    plan_every_way(mesh, 3, loops);
    mplan_plan_options options = all_strategies(2);
    mplan_plan *plan = plan_of(mesh, 3, loops, &options);
    assert_int_equal(mplan_plan_get_set(plan, mplan_plan_find_set(plan, "edges"))->size, 2);
    assert_int_equal(mplan_plan_get_set(plan, mplan_plan_find_set(plan, "edges_boundary"))->size, 1);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* Cells that were split have no faces to be a graph; their nodes are. */
static void split_cells_are_partitioned_by_points(void **state)
{
    (void)state;
    const mplan_arg args[] = {ARG("r", "cells_faces", MPLAN_INC, MPLAN_NONE_SPLIT)};
    const mplan_arg rest[] = {ARG("r", "cells_boundary_faces", MPLAN_INC, 0)};
    const mplan_loop loops[] = {{"inner", "cells", true, 1, 0, 1, args},
                                {"outer", "cells_boundary", false, 1, 0, 1, rest}};
    mplan_plan_options options = all_strategies(16);
    for (int p = 0; p < MPLAN_N_PARTITIONERS; p++) {
        options.partitioner = (mplan_partitioner)p;
        if (!is_in_build(options.partitioner))
            continue;
        mplan_mesh *mesh = generated(MPLAN_SHAPE_QUAD, 12, true);
        mplan_mesh *fresh = generated(MPLAN_SHAPE_QUAD, 12, true);
        mplan_error err;
        mplan_plan *plan = plan_of(mesh, 2, loops, &options);
        assert_int_equal(mplan_plan_get_set(plan, 0)->size, 100);
        assert_string_equal(mplan_plan_get_set(plan, 0)->split, "cells_faces");
        assert_done(mplan_plan_verify(plan, fresh, &one, &err), &err);
        mplan_plan_free(plan);
        mplan_mesh_free(mesh);
        mplan_mesh_free(fresh);
    }
}

/* One split can make the -1 entries of the next: whoever proves the plan must
 * split in the same order, whichever set the loops name first. */
static void splits_follow_one_another(void **state)
{
    (void)state;
    static const int32_t a_c[] = {0, -1, 1}, b_a[] = {1, 0}, b_c[] = {0, 1};
    const set_row sets[] = {{"a", 3}, {"b", 2}, {"c", 2}};
    const map_row maps[] = {
        {"a_c", 0, 2, 1, NULL, a_c}, {"b_a", 1, 0, 1, NULL, b_a}, {"b_c", 1, 2, 1, NULL, b_c}};
    const mplan_arg first[] = {ARG("x", "b_c", MPLAN_INC, MPLAN_NONE_SKIP)};
    const mplan_arg second[] = {ARG("x", "a_c", MPLAN_INC, MPLAN_NONE_SPLIT)};
    const mplan_arg third[] = {ARG("y", "b_a", MPLAN_INC, MPLAN_NONE_SPLIT)};
    const mplan_loop loops[] = {{"first", "b", true, 1, 0, 1, first},
                                {"second", "a", false, 1, 0, 1, second},
                                {"third", "b", false, 1, 0, 1, third}};
    mplan_error err;
    mplan_plan_options options = all_strategies(2);
    mplan_mesh *mesh = tables(3, sets, 3, maps), *fresh = tables(3, sets, 3, maps);
    mplan_plan *plan = plan_of(mesh, 3, loops, &options);
    assert_int_equal(mplan_plan_get_set(plan, mplan_plan_find_set(plan, "b"))->size, 1);
    assert_done(mplan_plan_verify(plan, fresh, &one, &err), &err);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    mplan_mesh_free(fresh);
}

/* --- which loop is primary, what loops share, what variants promise --------------------- */

static int32_t primary_of(mplan_mesh *mesh, int32_t n_loops, const mplan_loop *loops)
{
    mplan_plan_options options = all_strategies(8);
    mplan_plan *plan = plan_of(mesh, n_loops, loops, &options);
    int32_t primary = -1;
    for (int32_t l = 0; l < n_loops; l++)
        if (mplan_plan_get_loop(plan, l)->primary)
            primary = l;
    mplan_plan_free(plan);
    return primary;
}

/* The loop that is marked, else the one that increments and moves most. */
static void the_primary_loop_is_chosen(void **state)
{
    (void)state;
    mplan_mesh *mesh = generated(MPLAN_SHAPE_QUAD, 6, false);
    const mplan_arg direct[] = {{"q", NULL, MPLAN_RW, 1000, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    const mplan_arg reads[] = {
        {"w", "cells_nodes", MPLAN_READ, 500, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    const mplan_arg small[] = {ARG("r", "faces_cells", MPLAN_INC, 0)};
    const mplan_arg large[] = {ARG("x", "faces_nodes", MPLAN_READ, 0),
                               ARG("r", "faces_cells", MPLAN_INC, 0)};
    /* one dat, however many args name it */
    const mplan_arg named[] = {ARG("r", "faces_cells", MPLAN_INC, 0),
                               ARG("r", "faces_cells", MPLAN_INC, 0),
                               ARG("r", "faces_cells", MPLAN_INC, 0)};
    const mplan_loop loops[] = {{"direct", "cells", false, 1, 0, 1, direct},
                                {"reads", "cells", false, 1, 0, 1, reads},
                                {"small", "faces", false, 1, 0, 1, small},
                                {"named", "faces", false, 1, 0, 3, named},
                                {"large", "faces", false, 1, 0, 2, large}};
    mplan_loop weighed[] = {loops[4], loops[2]}, marked[] = {loops[4], loops[0]};
    /* increments move a dat twice: 1 + 2 numbers against 2 x 2 */
    const mplan_arg three[] = {{"s", "faces_cells", MPLAN_READ, 1, MPLAN_TYPE_F64, 0},
                               {"t", "faces_cells", MPLAN_INC, 1, MPLAN_TYPE_F64, 0}};
    const mplan_loop moved[] = {{"three", "faces", false, 1, 0, 2, three}, loops[2]};
    assert_int_equal(primary_of(mesh, 1, loops), 0);
    assert_int_equal(primary_of(mesh, 2, loops), 1);
    assert_int_equal(primary_of(mesh, 3, loops), 2);
    assert_int_equal(primary_of(mesh, 4, loops), 2);
    assert_int_equal(primary_of(mesh, 5, loops), 4);
    assert_int_equal(primary_of(mesh, 2, moved), 1);
    assert_int_equal(primary_of(mesh, 2, weighed), 0);
    weighed[1].calls = 10;
    assert_int_equal(primary_of(mesh, 2, weighed), 1);
    marked[1].primary = true;
    assert_int_equal(primary_of(mesh, 2, marked), 1);
    mplan_mesh_free(mesh);
}

/* Loops with the same maps run the same blocks, sequences too. */
static void loops_with_equal_maps_share_blocks(void **state)
{
    (void)state;
    if (!is_in_build(MPLAN_PARTITIONER_METIS) || support_races_only())
        skip();
    mplan_mesh *mesh = generated(MPLAN_SHAPE_QUAD, 24, true);
    const mplan_arg flux[] = {ARG("r", "faces_cells", MPLAN_INC, 0)};
    const mplan_arg nodes[] = {ARG("x", "cells_nodes", MPLAN_READ, 0)};
    const mplan_arg wide[] = {{"y", "cells_nodes", MPLAN_INC, 9, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    const mplan_loop loops[] = {{"flux", "faces", true, 1, 0, 1, flux},
                                {"first", "cells", false, 1, 0, 1, nodes},
                                {"second", "cells", false, 1, 0, 1, wide},
                                {"third", "faces", false, 1, 0, 1, flux}};
    const mplan_loop behind[] = {
        loops[0], {"direct", "cells", false, 1, 0, 0, NULL}, loops[1], loops[2]};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.block_size = 32;
    options.n_strategies = 1; /* the first of them is block-colour */
    mplan_plan *plan = plan_of(mesh, 4, behind, &options);
    /* not the runs of the direct loop, but compared with these */
    assert_int_equal(mplan_plan_n_block_sets(plan), 3);
    assert_true(mplan_plan_get_block_set(plan, 2)->sequence);
    assert_true(mplan_plan_get_block_set(plan, 2)->alternative_pairs > 0);
    assert_int_equal(mplan_plan_get_loop(plan, 3)->variants[0].block_set, 2);
    mplan_plan_free(plan);
    plan = plan_of(mesh, 4, loops, &options);
    assert_int_equal(mplan_plan_n_block_sets(plan), 2);
    assert_int_equal(mplan_plan_get_loop(plan, 2)->variants[0].block_set, 1);
    assert_int_equal(mplan_plan_get_loop(plan, 3)->variants[0].block_set, 0);
    mplan_plan_free(plan);
    options.shared_bytes = 2500; /* too small for the blocks of the first loop */
    plan = plan_of(mesh, 4, loops, &options);
    assert_true(mplan_plan_get_loop(plan, 2)->variants[0].block_set > 1);
    mplan_plan_free(plan);
    /* blocks that no variant runs get no tables */
    options.strategies[0] = MPLAN_STRATEGY_ATOMIC;
    options.shared_bytes = 0;
    plan = plan_of(mesh, 4, loops, &options);
    assert_int_equal(mplan_plan_n_metrics(plan), 2);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* Atomic additions give equal bits only where there are none. */
static void atomic_promises_equal_bits_when_it_adds_nothing(void **state)
{
    (void)state;
    static const mplan_access accesses[] = {MPLAN_READ, MPLAN_INC};
    mplan_mesh *mesh = generated(MPLAN_SHAPE_QUAD, 4, false);
    mplan_plan_options options = all_strategies(8);
    for (int a = 0; a < 2; a++) {
        const mplan_arg args[] = {ARG("r", "faces_cells", accesses[a], 0),
                                  ARG("s", NULL, MPLAN_INC, 0)};
        const mplan_loop loop = {"l", "faces", false, 1, 0, 2, args};
        mplan_plan *plan = plan_of(mesh, 1, &loop, &options);
        for (int v = 0; v < N_FOR_ALL; v++)
            assert_int_equal(mplan_plan_get_loop(plan, 0)->variants[v].deterministic,
                             v != MPLAN_STRATEGY_ATOMIC || accesses[a] == MPLAN_READ);
        mplan_plan_free(plan);
    }
    mplan_mesh_free(mesh);
}

/* --- quality ----------------------------------------------------------------------------- */

static int64_t pairs_of(mplan_shape shape, int64_t n, bool shuffle, mplan_partitioner partitioner,
                        mplan_renumber method)
{
    const mplan_arg args[] = {ARG("x", "faces_nodes", MPLAN_READ, 0),
                              ARG("r", "faces_cells", MPLAN_INC, 0)};
    const mplan_loop loop = {"l", "faces", false, 1, 0, 2, args};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.block_size = 128;
    options.n_strategies = 1; /* the first of them is block-colour */
    options.partitioner = partitioner;
    options.renumber = method;
    mplan_mesh *mesh = generated(shape, n, shuffle);
    mplan_plan *plan = plan_of(mesh, 1, &loop, &options);
    int64_t pairs = 0;
    for (int32_t i = 0; i < mplan_plan_n_metrics(plan); i++)
        pairs += mplan_plan_get_metrics(plan, i)->pairs;
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    return pairs;
}

/* How the mesh was numbered matters little. */
static void shuffled_meshes_get_plans_as_good(void **state)
{
    (void)state;
    static const struct {
        mplan_shape shape;
        int64_t size;
        mplan_renumber renumber;
    } cases[] = {{MPLAN_SHAPE_QUAD, 40, MPLAN_RENUMBER_HILBERT},
                 {MPLAN_SHAPE_TET, 6, MPLAN_RENUMBER_HILBERT},
                 {MPLAN_SHAPE_TRI, 30, MPLAN_RENUMBER_RCM}};
    if (support_races_only())
        skip();
    for (size_t c = (size_t)support_first(3); c < sizeof cases / sizeof *cases;
         c += (size_t)support_every(3))
        for (int p = 0; p < MPLAN_N_PARTITIONERS; p++) {
            if (!is_in_build((mplan_partitioner)p))
                continue;
            int64_t pairs[2];
            for (int shuffle = 0; shuffle < 2; shuffle++)
                pairs[shuffle] = pairs_of(cases[c].shape, cases[c].size, shuffle,
                                          (mplan_partitioner)p, cases[c].renumber);
            if (pairs[1] * 100 > pairs[0] * 115)
                fail_msg("case %d, partitioner %s: %d pairs, shuffled %d", (int)c,
                         mplan_partitioner_name((mplan_partitioner)p), (int)pairs[0], (int)pairs[1]);
        }
}

/* --- the context --------------------------------------------------------------------------- */

static bool stop_after(void *user)
{
    return --*(int *)user < 0;
}

/* Whenever the caller wants to stop, planning does and says so. */
static void the_caller_can_stop_it(void **state)
{
    (void)state;
    const mplan_arg args[] = {ARG("r", "faces_cells", MPLAN_INC, 0)};
    const mplan_arg others[] = {ARG("x", "cells_nodes", MPLAN_INC, 0)};
    const mplan_loop loops[] = {{"flux", "faces", true, 1, 0, 1, args},
                                {"nodes", "cells", false, 1, 0, 1, others}};
    mplan_plan_options options = all_strategies(32);
    options.renumber = MPLAN_RENUMBER_RCM;
    options.partitioner = MPLAN_PARTITIONER_HILBERT;
    int looks, stops = 0;
    mplan_status status = MPLAN_ERR_INTERRUPTED;
    for (int allowed = 0; status != MPLAN_OK && allowed < 1000; allowed++) {
        mplan_error err;
        mplan_plan *plan = NULL;
        mplan_context context = one;
        mplan_mesh *mesh = generated(MPLAN_SHAPE_QUAD, 6, true);
        looks = allowed;
        context.cancelled = stop_after;
        context.user = &looks;
        status = mplan_plan_create(mesh, 2, loops, &options, &context, &plan, &err);
        if (status != MPLAN_OK) {
            assert_int_equal(status, MPLAN_ERR_INTERRUPTED);
            assert_null(plan);
            stops++;
        }
        mplan_plan_free(plan);
        mplan_mesh_free(mesh);
    }
    assert_int_equal(status, MPLAN_OK);
    assert_true(stops > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_of_random_requests_hold),
        cmocka_unit_test(empty_sets_have_plans),
        cmocka_unit_test(maps_may_share_sets_and_dats),
        cmocka_unit_test(a_hub_has_a_plan),
        cmocka_unit_test(a_set_that_only_maps_name_is_ordered),
        cmocka_unit_test(a_mesh_with_its_own_edges_has_a_plan),
        cmocka_unit_test(split_cells_are_partitioned_by_points),
        cmocka_unit_test(splits_follow_one_another),
        cmocka_unit_test(the_primary_loop_is_chosen),
        cmocka_unit_test(loops_with_equal_maps_share_blocks),
        cmocka_unit_test(atomic_promises_equal_bits_when_it_adds_nothing),
        cmocka_unit_test(shuffled_meshes_get_plans_as_good),
        cmocka_unit_test(the_caller_can_stop_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
