/* SPDX-License-Identifier: Apache-2.0 */
/* test_pipeline_refusals.c - requests that cannot be are refused with the reason; what may be
 * meant otherwise is warned of */
#include "pipeline_cases.h"

/* --- refusals ----------------------------------------------------------------------------- */

typedef struct refusal {
    mplan_mesh *mesh;
    int32_t n_loops;
    mplan_arg arg, second;
    mplan_loop loops[2];
    mplan_plan_options options;
} refusal;

/* A sound request of two loops, for tests to spoil. */
static refusal sound_request(void)
{
    static const int32_t values[] = {0, 1, 1, 2, 2, 3, 3, -1, 4, 0};
    static const int32_t own[] = {1, -1, 2, 3, 4};
    static const set_row sets[] = {{"edges", 5}, {"cells", 6}};
    static const map_row maps[] = {{"edges_cells", 0, 1, 2, NULL, values},
                                   {"edges_edges", 0, 0, 1, NULL, own}};
    refusal out = {.mesh = tables(2, sets, 2, maps), .n_loops = 2, .options = MPLAN_PLAN_OPTIONS_INIT};
    out.arg = (mplan_arg)ARG("r", "edges_cells", MPLAN_INC, MPLAN_NONE_SKIP);
    out.second = (mplan_arg)ARG("q", NULL, MPLAN_RW, 0);
    out.loops[0] = (mplan_loop){"flux", "edges", false, 1, 0, 1, NULL};
    out.loops[1] = (mplan_loop){"update", "cells", false, 1, 0, 1, NULL};
    out.options.partitioner = MPLAN_PARTITIONER_NONE;
    out.options.n_strategies = 1; /* the first of them is block-colour */
    return out;
}

static void refuse(refusal *request, mplan_status status, const char *part)
{
    mplan_error err = {MPLAN_OK, ""};
    mplan_plan *plan = NULL;
    request->loops[0].args = &request->arg;
    request->loops[1].args = &request->second;
    assert_refused(mplan_plan_create(request->mesh, request->n_loops, request->loops,
                                     &request->options, &one, &plan, &err),
                   status, &err, part);
    assert_null(plan);
    /* the same without anyone who listens */
    assert_int_equal(mplan_plan_create(request->mesh, request->n_loops, request->loops,
                                       &request->options, &one, &plan, NULL),
                     status);
    mplan_mesh_free(request->mesh);
}

#define REFUSED(spoil_, status_, part_)           \
    do {                                          \
        refusal r = sound_request();              \
        spoil_;                                   \
        refuse(&r, MPLAN_ERR_##status_, (part_)); \
    } while (0)

static void loops_that_cannot_be_are_refused(void **state)
{
    (void)state;
    REFUSED(r.n_loops = 0, ARGUMENT, "at least one loop");
    REFUSED(r.loops[0].over = "edge", ARGUMENT,
            "loop flux: there is no set 'edge'; known: edges, cells");
    REFUSED(r.loops[0].over = "edges_cells", ARGUMENT, "there is no set 'edges_cells'");
    REFUSED(r.loops[0].over = NULL, ARGUMENT, "loop flux has no set");
    REFUSED(r.loops[1].name = "", ARGUMENT, "loop 1 has no name");
    REFUSED(r.loops[1].name = "a\nb", ARGUMENT, "the name of loop 1 contains a control character");
    REFUSED(r.loops[1].name = "flux", ARGUMENT, "two loops are named flux");
    REFUSED(r.loops[0].primary = r.loops[1].primary = true, ARGUMENT,
            "loops flux and update are both marked primary");
    REFUSED(r.loops[0].calls = 0, ARGUMENT, "loop flux: calls must be at least 1");
    REFUSED(r.loops[0].flops = -1, ARGUMENT, "flops at least 0");
    REFUSED(r.loops[0].over = "edges_boundary", ARGUMENT, "there is no set 'edges_boundary'");
}

static void args_that_cannot_be_are_refused(void **state)
{
    (void)state;
    REFUSED(r.arg.map = "edges_nodes", ARGUMENT, "loop flux, arg r: 'edges_nodes' cannot be derived");
    REFUSED(r.arg.map = "cells", ARGUMENT, "loop flux, arg r: there is no such map");
    REFUSED(r.arg.map = "", ARGUMENT, "loop flux, arg r: there is no set or map ''");
    REFUSED(r.second.map = "edges_cells", ARGUMENT,
            "loop update, arg q: map edges_cells does not lead from cells");
    REFUSED(r.arg.none = MPLAN_NONE_REFUSE, MESH,
            "loop flux, arg r: row 3 of map edges_cells has an entry of none (-1); use");
    REFUSED((r.arg.map = "edges_edges", r.arg.none = MPLAN_NONE_SPLIT), ARGUMENT,
            "loop flux, arg r: edges cannot be split by edges_edges");
    REFUSED((r.second = (mplan_arg)ARG("e", "edges_edges", MPLAN_READ, MPLAN_NONE_SPLIT),
             r.arg.none = MPLAN_NONE_SPLIT, r.loops[1].over = "edges"),
            MESH,
            "loop update, arg e: row 1 of map edges_edges has an entry of none (-1) after edges was "
            "split by map edges_cells; a set is split only once");
    REFUSED(r.arg.dat = NULL, ARGUMENT, "loop flux, arg ?: it has no name");
    REFUSED((r.arg.dat = NULL, r.arg.map = "none", r.arg.none = MPLAN_NONE_SPLIT), ARGUMENT,
            "it has no name");
    REFUSED(r.arg.dat = "\x1b[2J", ARGUMENT, "the name of a dat contains a control character");
    REFUSED(r.arg.dim = 0, ARGUMENT, "dim must be 1 to 65536");
    REFUSED(r.arg.type = (mplan_type)7, ARGUMENT, "its type is unknown");
    REFUSED(r.arg.access = (mplan_access)6, ARGUMENT, "its access is unknown");
    REFUSED(r.arg.none = (mplan_none)-1, ARGUMENT, "its rule for none is unknown");
}

/* One name is one dat within a loop. */
static void dats_that_disagree_are_refused(void **state)
{
    (void)state;
    mplan_error err;
    mplan_plan *plan = NULL;
    refusal r = sound_request();
    mplan_arg args[] = {r.arg, ARG("r", "edges_edges", MPLAN_READ, MPLAN_NONE_SKIP)};
    const mplan_loop loop = {"flux", "edges", false, 1, 0, 2, args};
    assert_refused(mplan_plan_create(r.mesh, 1, &loop, &r.options, &one, &plan, &err),
                   MPLAN_ERR_ARGUMENT, &err, "loop flux: dat r appears with two sets, dims or types");
    args[1] = r.arg;
    args[1].dim++;
    assert_refused(mplan_plan_create(r.mesh, 1, &loop, &r.options, &one, &plan, &err),
                   MPLAN_ERR_ARGUMENT, &err, "loop flux: dat r appears with two sets, dims or types");
    const mplan_loop loops[] = {{"one", "edges", false, 1, 0, 1, args},
                                {"two", "edges", false, 1, 0, 1, args + 1}};
    assert_refused(mplan_plan_create(r.mesh, 2, loops, &r.options, &one, &plan, &err),
                   MPLAN_ERR_ARGUMENT, &err,
                   "dat r has another set, dim or type in loop two than in loop one");
    assert_null(plan);
    mplan_mesh_free(r.mesh);
}

/* A dat that one element writes and another, of an equal colour, may have. */
static void dats_that_would_race_are_refused(void **state)
{
    (void)state;
    mplan_error err;
    mplan_plan *plan = NULL;
    refusal r = sound_request();
    mplan_arg args[] = {ARG("q", "edges_edges", MPLAN_READ, MPLAN_NONE_SKIP),
                        ARG("q", NULL, MPLAN_WRITE, MPLAN_NONE_REFUSE)};
    const mplan_loop loop = {"flux", "edges", false, 1, 0, 2, args};
    assert_refused(mplan_plan_create(r.mesh, 1, &loop, &r.options, &one, &plan, &err),
                   MPLAN_ERR_ARGUMENT, &err,
                   "loop flux: dat q is read through map edges_edges (arg 0) and written directly "
                   "(arg 1): colours consider only what elements access through maps");
    args[0].access = MPLAN_INC;
    args[1].access = MPLAN_READ;
    assert_refused(mplan_plan_create(r.mesh, 1, &loop, &r.options, &one, &plan, &err),
                   MPLAN_ERR_ARGUMENT, &err, "two elements would access it at the same time");
    args[0].access = MPLAN_READ;
    assert_done(mplan_plan_create(r.mesh, 1, &loop, &r.options, &one, &plan, &err), &err);
    mplan_plan_free(plan);
    mplan_mesh_free(r.mesh);
}

static void two_maps_race_unless_both_are_written(void **state)
{
    (void)state;
    enum { N = 60 };
    uint64_t seed = 3;
    mplan_error err;
    mplan_plan *plan = NULL;
    const set_row sets[] = {{"a", N}, {"b", N}};
    mplan_map one_way = support_random_map(&seed, N, N, 2, 0);
    mplan_map other = support_random_map(&seed, N, N, 3, 0);
    const map_row maps[] = {{"a_b", 0, 1, 2, NULL, one_way.values},
                            {"a_more", 0, 1, 3, NULL, other.values}};
    mplan_arg args[] = {ARG("x", "a_b", MPLAN_READ, 0), ARG("x", "a_more", MPLAN_RW, 0),
                        ARG("y", "a_b", MPLAN_READ, 0)};
    const mplan_loop loop = {"l", "a", false, 1, 0, 3, args};
    mplan_mesh *mesh = tables(2, sets, 2, maps);
    mplan_plan_options options = all_strategies(16);
    assert_refused(mplan_plan_create(mesh, 1, &loop, &options, &one, &plan, &err),
                   MPLAN_ERR_ARGUMENT, &err,
                   "loop l: dat x is read through map a_b (arg 0) and updated (rw) through map "
                   "a_more (arg 1): colours consider only maps through which the loop writes");
    args[2].access = MPLAN_INC; /* now the colours look at both maps */
    assert_refused(mplan_plan_create(mesh, 1, &loop, &options, &one, &plan, &err),
                   MPLAN_ERR_ARGUMENT, &err,
                   "loop l, two-step: dat x is updated (rw) through map a_more (arg 1): elements that");
    options.n_strategies = 2; /* global-colour, block-colour */
    mplan_plan_free(plan_of(mesh, 1, &loop, &options));
    mplan_mesh_free(mesh);
    support_map_free(&one_way);
    support_map_free(&other);
}

static void a_launch_for_each_of_too_many_elements_is_refused(void **state)
{
    (void)state;
    enum { N = 65536 };
    mplan_error err;
    mplan_plan *plan = NULL;
    int32_t *values = calloc(N, sizeof *values);
    const set_row sets[] = {{"a", N}, {"b", 8}};
    const map_row maps[] = {{"a_b", 0, 1, 1, NULL, values}};
    const mplan_arg args[] = {ARG("x", "a_b", MPLAN_INC, 0)};
    const mplan_loop loop = {"l", "a", false, 1, 0, 1, args};
    for (int32_t e = 0; e < N; e++)
        values[e] = 5;
    mplan_mesh *mesh = tables(2, sets, 1, maps);
    mplan_plan_options options = all_strategies(1024);
    assert_refused(mplan_plan_create(mesh, 1, &loop, &options, &one, &plan, &err),
                   MPLAN_ERR_ARGUMENT, &err, "loop l: 65536 elements touch point 5 through map a_b");
    options.strategies[0] = MPLAN_STRATEGY_ATOMIC;
    options.n_strategies = 1;
    mplan_plan_free(plan_of(mesh, 1, &loop, &options));
    mplan_mesh_free(mesh);
    free(values);
}

static void options_that_cannot_be_are_refused(void **state)
{
    (void)state;
    REFUSED(r.options.struct_size = 4, ARGUMENT, "plan options of 4 bytes");
    REFUSED(r.options.block_size = -1, ARGUMENT, "block-size must be 0 or 1 to 1024, not -1");
    REFUSED(r.options.block_size = 1025, ARGUMENT, "block-size must be 0 or 1 to 1024, not 1025");
    REFUSED(r.options.max_points = 65536, ARGUMENT, "max-points must be 0 or 1 to 65535, not 65536");
    REFUSED(r.options.max_points = -1, ARGUMENT, "max-points must be 0 or 1 to 65535, not -1");
    REFUSED(r.options.shared_bytes = -1, ARGUMENT, "shared-bytes must be 0 or more, not -1");
    REFUSED(r.options.imbalance = 0.99, ARGUMENT, "imbalance must be 1 to 1024, not 0.99");
    REFUSED(r.options.imbalance = 0.0 / 1.0 - 1, ARGUMENT, "imbalance must be 1 to 1024, not -1");
    REFUSED(r.options.device = "h201", ARGUMENT,
            "device: unknown word 'h201'; did you mean 'h200'? known: p100");
    REFUSED(r.options.n_strategies = -1, ARGUMENT, "strategy must have 1 to 16 words, not -1");
    REFUSED(r.options.n_strategies = 17, ARGUMENT, "strategy must have 1 to 16 words, not 17");
    REFUSED((r.options.n_strategies = 1, r.options.strategies[0] = MPLAN_N_STRATEGIES), ARGUMENT,
            "strategy: value 6 is unknown");
    REFUSED(r.options.block_threads = 48, ARGUMENT,
            "block-threads must be 0 or a multiple of 32 between 32 and 1024, not 48");
    REFUSED(r.options.block_threads = 1056, ARGUMENT, "between 32 and 1024, not 1056");
    REFUSED(r.options.sums = MPLAN_N_SUMS, ARGUMENT, "sums: value 3 is unknown");
    REFUSED(r.options.encoding = MPLAN_N_ENCODINGS, ARGUMENT, "encoding: value 5 is unknown");
    REFUSED((r.options.n_strategies = 2,
             r.options.strategies[0] = r.options.strategies[1] = MPLAN_STRATEGY_TWO_STEP),
            ARGUMENT, "strategy: 'two-step' is given twice");
    REFUSED(r.options.partitioner = MPLAN_N_PARTITIONERS, ARGUMENT,
            "partitioner: value 5 is unknown");
    REFUSED(r.options.renumber = (mplan_renumber)-1, ARGUMENT, "renumber: value -1 is unknown");
    REFUSED(r.options.effort = MPLAN_N_EFFORTS, ARGUMENT, "effort: value 3 is unknown");
    REFUSED(r.options.fill = 0, ARGUMENT, "fill must be above 0 and at most 1, not 0");
    REFUSED(r.options.fill = 1.01, ARGUMENT, "fill must be above 0 and at most 1, not 1.01");
    REFUSED(r.options.graph = MPLAN_N_GRAPHS, ARGUMENT, "graph: value 3 is unknown");
    REFUSED(r.options.point_order = MPLAN_N_POINT_ORDERS, ARGUMENT,
            "point-order: value 5 is unknown");
    REFUSED(r.options.renumber = MPLAN_RENUMBER_HILBERT, ARGUMENT,
            "renumbering by hilbert needs coordinates of cells");
    REFUSED(r.options.partitioner = MPLAN_PARTITIONER_HILBERT, ARGUMENT,
            "loop flux: the hilbert partitioner needs coordinates of edges");
    if (is_in_build(MPLAN_PARTITIONER_METIS))
        REFUSED((r.options.partitioner = MPLAN_PARTITIONER_METIS, r.options.graph = MPLAN_GRAPH_FACES),
                ARGUMENT, "loop flux: only loops over the whole cells");
    else
        REFUSED((r.options.partitioner = MPLAN_PARTITIONER_METIS, r.options.block_size = 1),
                UNSUPPORTED, "METIS");
}

/* An element that by itself breaks a limit is named as the mesh numbers it, also
 * where another loop than the primary one breaks it. */
static void elements_that_break_a_limit_are_named(void **state)
{
    (void)state;
    REFUSED(r.options.max_points = 1, ARGUMENT,
            "loop flux over edges: element 0 by itself touches 2 points through map 'edges_cells'");
    REFUSED(r.options.shared_bytes = 31, ARGUMENT,
            "loop flux over edges: element 0 by itself stages 32 bytes (2 entries of map 'edges_cells'), more than "
            "the limit of 31");
    static const int64_t offsets[] = {0, 1, 2, 7, 8};
    static const int32_t values[] = {4, 3, 0, 1, 2, 3, 4, 4}, pairs[] = {3, 3, 1, 1, 0, 0};
    static const set_row sets[] = {{"a", 4}, {"b", 5}, {"c", 3}};
    static const map_row maps[] = {{"a_b", 0, 1, 0, offsets, values}, {"c_b", 2, 1, 2, NULL, pairs}};
    const mplan_arg wide[] = {ARG("r", "a_b", MPLAN_INC, 0)};
    const mplan_arg slim[] = {ARG("r", "c_b", MPLAN_INC, 0)};
    for (int p = 0; p < MPLAN_N_PARTITIONERS; p++)
        for (int primary = 0; primary < 2; primary++) {
            const mplan_loop loops[] = {{"slim", "c", primary, 1, 0, 1, slim},
                                        {"wide", "a", !primary, 1, 0, 1, wide}};
            mplan_error err;
            mplan_plan *plan = NULL;
            mplan_plan_options options = all_strategies(3);
            options.renumber = MPLAN_RENUMBER_RCM;
            options.keep_better = false;
            options.max_points = 4;
            options.partitioner = (mplan_partitioner)p;
            if (!is_in_build(options.partitioner) || p == MPLAN_PARTITIONER_HILBERT)
                continue;
            mplan_mesh *mesh = tables(3, sets, 2, maps);
            assert_refused(mplan_plan_create(mesh, 2, loops, &options, &one, &plan, &err),
                           MPLAN_ERR_ARGUMENT, &err,
                           "loop wide over a: element 2 by itself touches 5 points");
            assert_null(plan);
            mplan_mesh_free(mesh);
        }
}

/* --- warnings ----------------------------------------------------------------------------- */

static void hear(void *user, const char *text)
{
    snprintf(user, 128, "%s", text);
}

static void members_that_no_loop_runs_over_are_warned_of(void **state)
{
    (void)state;
    char heard[128] = "";
    mplan_error err;
    mplan_plan *plan;
    mplan_context context = one;
    refusal r = sound_request();
    context.warning = hear;
    context.user = heard;
    r.arg.none = MPLAN_NONE_SPLIT;
    r.loops[0].args = &r.arg;
    r.loops[1].args = &r.second;
    assert_done(mplan_plan_create(r.mesh, 2, r.loops, &r.options, &context, &plan, &err), &err);
    assert_string_equal(heard, "no loop runs over the 1 members of edges_boundary");
    mplan_plan_free(plan);
    mplan_mesh_free(r.mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_that_cannot_be_are_refused),
        cmocka_unit_test(args_that_cannot_be_are_refused),
        cmocka_unit_test(dats_that_disagree_are_refused),
        cmocka_unit_test(dats_that_would_race_are_refused),
        cmocka_unit_test(two_maps_race_unless_both_are_written),
        cmocka_unit_test(a_launch_for_each_of_too_many_elements_is_refused),
        cmocka_unit_test(options_that_cannot_be_are_refused),
        cmocka_unit_test(elements_that_break_a_limit_are_named),
        cmocka_unit_test(members_that_no_loop_runs_over_are_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
