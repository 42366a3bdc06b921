/* SPDX-License-Identifier: Apache-2.0 */
/* test_native_schedule.c - how many passes are made, which cut anew, and that tables which go on for long keep what all keep */
#include "support_test.h"
#include "support_threads.h"

#include "partition/native/native_schedule.h"
#include "partition/partition.h"

/* --- schedules ------------------------------------------------------------------------- */

/* A table of n rows of so many points, of which nothing is read but its counts. */
static native_table counts_of(int64_t n, int32_t arity, int64_t n_points)
{
    return (native_table){.n = n, .arity = arity, .n_points = n_points};
}

/* Faces of triangles and of hexes, triangles, hexes and tets to nodes, each at both sides of the borders between kinds. */
static void kinds_follow_the_counts(void **state)
{
    (void)state;
    static const struct {
        int64_t n;
        int32_t arity;
        int64_t n_points;
        native_kind kind;
    } cases[] = {{3000, 2, 2000, NATIVE_SHORT_FEW},  {3500, 2, 2001, NATIVE_SHORT_FEW},
                 {3500, 2, 2000, NATIVE_SHORT_MANY}, {3000, 2, 1000, NATIVE_SHORT_MANY},
                 {2000, 3, 1000, NATIVE_LONG_PLANE}, {7000, 3, 3001, NATIVE_LONG_PLANE},
                 {7000, 3, 3000, NATIVE_LONG_FEW},   {1000, 8, 1000, NATIVE_LONG_FEW},
                 {3000, 4, 1000, NATIVE_LONG_MANY},  {6000, 4, 1000, NATIVE_LONG_MANY}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        native_table table = counts_of(cases[i].n, cases[i].arity, cases[i].n_points);
        assert_int_equal(mplan_native_kind_of(&table), cases[i].kind);
    }
}

/* Passes by definition: the first, those that straighten and the one after them, then while the one before saved its share and the number is below the usual one, or it saved
 * one in 500 and the number is below that of the further ones. */
static void passes_follow_what_is_saved(void **state)
{
    (void)state;
    uint64_t seed = 3;
    int32_t further = 0, ended_early = 0;
    for (int way = 0; way < 2000; way++) {
        native_schedule plan = {.passes = (int32_t)support_random(&seed, 6),
                                .anew = (int32_t)support_random(&seed, 4),
                                .least = 300 + (int32_t)support_random(&seed, 3000),
                                .further = (int32_t)support_random(&seed, 4),
                                .smooth = (int32_t)support_random(&seed, 3)};
        int64_t touched = 10000 + support_random(&seed, 10000), saved = 0;
        int32_t pass = 0, expected = 0;
        bool more = plan.passes > 0;
        for (; more; expected = ++pass) {
            assert_true(mplan_native_goes_on(&plan, pass, saved, touched));
            bool anew = pass >= plan.smooth && ((plan.anew > 1 && pass % plan.anew == 1) ||
                                                (plan.further > 0 && pass == plan.passes));
            assert_int_equal(mplan_native_is_anew(&plan, pass), anew);
            saved = support_random(&seed, 200);
            int32_t next = pass + 1;
            bool usual = next < plan.passes && (next <= plan.smooth || saved > touched / plan.least);
            bool beyond = next >= plan.passes && next < plan.passes + plan.further &&
                          next > plan.smooth && saved > touched / plan.least &&
                          saved > touched / 500;
            more = usual || beyond;
            further += beyond;
            ended_early += next < plan.passes && !usual;
        }
        assert_false(mplan_native_goes_on(&plan, expected, saved, touched));
    }
    assert_true(further > 50 && ended_early > 50);
}

/* Blocks are few below 200 S elements, and very few below half of that. Only tables that cut no pairs anew anyway are told not
 * to: few blocks of tables without places keep that. Fast never goes on, and larger blocks of short rows do so less. */
static void schedules_follow_the_size(void **state)
{
    (void)state;
    native_table many = counts_of(60000, 4, 11000), few = counts_of(200 * 128 - 1, 4, 5000),
                 very = counts_of(100 * 128 - 1, 4, 2500), faces = counts_of(60000, 2, 30000);
    assert_false(mplan_native_are_few(200 * 128, 128));
    assert_true(mplan_native_are_few(few.n, 128));
    assert_int_equal(mplan_native_schedule(&many, 128, MPLAN_EFFORT_DEFAULT, true).further, 4);
    assert_int_equal(mplan_native_schedule(&very, 128, MPLAN_EFFORT_DEFAULT, true).further, 0);
    assert_int_equal(mplan_native_schedule(&many, 128, MPLAN_EFFORT_FAST, true).further, 0);
    assert_int_equal(mplan_native_schedule(&few, 128, MPLAN_EFFORT_DEFAULT, false).anew, 4);
    assert_int_equal(mplan_native_schedule(&few, 128, MPLAN_EFFORT_DEFAULT, true).anew, 0);
    assert_int_equal(mplan_native_schedule(&very, 128, MPLAN_EFFORT_DEFAULT, true).anew, 3);
    int32_t small = mplan_native_schedule(&faces, 128, MPLAN_EFFORT_DEFAULT, true).passes;
    assert_true(mplan_native_schedule(&faces, 256, MPLAN_EFFORT_DEFAULT, true).passes < small);
}

/* Only long rows in space without places are straightened first, in tables that are not cut several times. */
static void places_or_smoothing(void **state)
{
    (void)state;
    native_table tets = counts_of(10000, 4, 1800), hexes = counts_of(10000, 8, 11000),
                 faces = counts_of(10000, 2, 5000), plane = counts_of(10000, 3, 5000);
    assert_int_equal(mplan_native_schedule(&tets, 128, MPLAN_EFFORT_DEFAULT, false).smooth, 2);
    assert_int_equal(mplan_native_schedule(&tets, 448, MPLAN_EFFORT_DEFAULT, false).smooth, 2);
    assert_int_equal(mplan_native_schedule(&tets, 128, MPLAN_EFFORT_DEFAULT, true).smooth, 0);
    assert_int_equal(mplan_native_schedule(&tets, 128, MPLAN_EFFORT_FAST, false).smooth, 0);
    assert_int_equal(mplan_native_schedule(&hexes, 128, MPLAN_EFFORT_DEFAULT, false).smooth, 0);
    assert_int_equal(mplan_native_schedule(&faces, 128, MPLAN_EFFORT_DEFAULT, false).smooth, 0);
    assert_int_equal(mplan_native_schedule(&plane, 128, MPLAN_EFFORT_DEFAULT, false).smooth, 0);
    tets.n = 9999;
    assert_int_equal(mplan_native_schedule(&tets, 128, MPLAN_EFFORT_DEFAULT, false).smooth, 0);
}

/* Best has flows in the last of five passes (of three where rows are short or of cells of a plane), and then no other way of cutting anew, and
 * of short rows none at all; default only where it is told to, in every
 * second pass, with passes enough for them. */
static void flows_come_in_turns(void **state)
{
    (void)state;
    native_table many = counts_of(60000, 4, 11000), plane = counts_of(60000, 3, 30000);
    native_schedule best = mplan_native_schedule(&many, 128, MPLAN_EFFORT_BEST, true);
    for (int32_t pass = 0; pass < 30; pass++) {
        assert_int_equal(mplan_native_is_flow(&best, pass), pass % 5 == 4);
        assert_int_equal(mplan_native_is_anew(&best, pass), pass % 5 == 1);
    }
    native_schedule both = mplan_native_schedule(&plane, 128, MPLAN_EFFORT_BEST, true);
    assert_true(mplan_native_is_flow(&both, 5) &&
                !mplan_native_is_anew(&both, 5)); /* of which it would be one of four as well */
    assert_true(mplan_native_is_anew(&both, 1) && !mplan_native_is_flow(&both, 1));
    native_table faces = counts_of(60000, 2, 40000);
    native_schedule short_rows = mplan_native_schedule(&faces, 128, MPLAN_EFFORT_BEST, true);
    for (int32_t pass = 0; pass < 30; pass++) {
        assert_int_equal(mplan_native_is_flow(&short_rows, pass), pass % 3 == 2);
        assert_false(mplan_native_is_anew(&short_rows, pass));
    }
    native_schedule plan = mplan_native_schedule(&plane, 128, MPLAN_EFFORT_DEFAULT, true);
    assert_false(mplan_native_is_flow(&plan, 1));
    native_schedule flows = mplan_native_with_flows(plan, &plane, MPLAN_EFFORT_DEFAULT);
    assert_true(mplan_native_is_flow(&flows, 1) && !mplan_native_is_flow(&flows, 2));
    assert_true(flows.passes > plan.passes && flows.least > plan.least);
    assert_int_equal(flows.lately, 2);
    plane.n = 9999;
    assert_int_equal(mplan_native_with_flows(plan, &plane, MPLAN_EFFORT_DEFAULT).flows, 0);
    plane.n = 10000;
    assert_int_equal(mplan_native_with_flows(plan, &plane, MPLAN_EFFORT_DEFAULT).flows, 2);
    plan = mplan_native_schedule(&plane, 128, MPLAN_EFFORT_FAST, true);
    assert_int_equal(mplan_native_with_flows(plan, &plane, MPLAN_EFFORT_FAST).flows, 0);
}

/* Passes of best do not end behind one without flows, whatever that saved, but behind one with flows that saved too little, and all of them
 * after so many. */
static void best_ends_behind_flows(void **state)
{
    (void)state;
    native_table many = counts_of(60000, 4, 11000);
    native_schedule best = mplan_native_schedule(&many, 128, MPLAN_EFFORT_BEST, true);
    const int64_t touched = 100 * (int64_t)best.least;
    for (int32_t pass = 1; pass <= best.passes + 1; pass++) {
        bool is_last = mplan_native_is_flow(&best, pass - 1) || pass >= best.passes;
        assert_int_equal(mplan_native_goes_on(&best, pass, 0, touched), !is_last);
        assert_int_equal(mplan_native_goes_on(&best, pass, 100, touched), !is_last);
        assert_int_equal(mplan_native_goes_on(&best, pass, 101, touched), pass < best.passes);
    }
}

/* Loose sizes become narrower in three steps of best, the last of which ends with all loose passes, and in one of default. */
static void steps_share_the_loose_passes(void **state)
{
    (void)state;
    native_table many = counts_of(60000, 4, 11000);
    native_schedule best = mplan_native_schedule(&many, 128, MPLAN_EFFORT_BEST, true),
                    usual = mplan_native_schedule(&many, 128, MPLAN_EFFORT_DEFAULT, true);
    assert_int_equal(best.steps, 3);
    assert_int_equal(usual.steps, 1);
    assert_int_equal(mplan_native_step_end(&usual, 0), usual.loose);
    assert_int_equal(mplan_native_step_end(&best, 0), best.loose / 3);
    assert_int_equal(mplan_native_step_end(&best, 1), 2 * best.loose / 3);
    assert_int_equal(mplan_native_step_end(&best, 2), best.loose);
}

/* Sizes are loose in half of the passes or more where there are several, at least one follows, and the first of these has no flows; tables
 * that are cut several times have none. */
static void first_passes_are_loose(void **state)
{
    (void)state;
    const native_table tables[] = {counts_of(200000, 2, 134000), counts_of(200000, 2, 100000),
                                   counts_of(200000, 3, 100000), counts_of(200000, 8, 220000),
                                   counts_of(200000, 4, 36000)};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (int32_t k = 0; k < 2 * MPLAN_N_EFFORTS; k++) {
            const mplan_effort effort = (mplan_effort)(k / 2);
            native_schedule plan = mplan_native_schedule(&tables[i], 128, effort, k % 2);
            plan = mplan_native_with_flows(plan, &tables[i], effort);
            assert_int_equal(plan.loose > 0, plan.passes > 1);
            assert_true(plan.loose < plan.passes || plan.passes <= 1);
            assert_true(2 * plan.loose >= plan.passes || plan.passes <= 1);
            assert_false(plan.loose > 0 && mplan_native_is_flow(&plan, plan.loose));
        }
    native_table few = counts_of(9999, 3, 5000);
    assert_int_equal(mplan_native_schedule(&few, 128, MPLAN_EFFORT_DEFAULT, true).loose, 0);
}

/* Faces of a plane are rough where a thirtieth is saved, of triangles also where it is a seventh of what is touched twice; they then have more passes and moves, and flows. Faces in space and cells are not. */
static void rough_faces_have_flows(void **state)
{
    (void)state;
    native_table plane = counts_of(60000, 2, 40000), space = counts_of(60000, 2, 30000),
                 cells = counts_of(60000, 3, 30000);
    assert_true(mplan_native_is_rough(&plane, 1001, 30000));
    assert_false(mplan_native_is_rough(&plane, 1000, 30000));
    assert_true(mplan_native_is_rough(&plane, 1001, 47000));
    assert_false(mplan_native_is_rough(&plane, 1000, 47000));
    native_table quads = counts_of(60000, 2, 39999);
    assert_false(mplan_native_is_rough(&quads, 1001, 46999));
    assert_true(mplan_native_is_rough(&quads, 1567, 46999));
    assert_false(mplan_native_is_rough(&space, 3000, 30000));
    assert_false(mplan_native_is_rough(&cells, 3000, 30000));
    native_schedule plan = mplan_native_schedule(&plane, 128, MPLAN_EFFORT_DEFAULT, true),
                    flows = mplan_native_with_flows(plan, &plane, MPLAN_EFFORT_DEFAULT);
    assert_true(flows.flows == 4 && flows.passes > plan.passes && flows.patience > plan.patience);
    assert_int_equal(flows.lately, flows.passes); /* all are asked again */
    assert_int_equal(flows.shared, 1);
}

/* Faces in space have the schedule of large tables from 10,000 on, however few their blocks are; faces of a plane and long rows do
 * not. */
static void faces_in_space_are_never_few(void **state)
{
    (void)state;
    native_table large = counts_of(200000, 2, 100000), few = counts_of(10000, 2, 5000);
    native_schedule usual = mplan_native_schedule(&large, 128, MPLAN_EFFORT_DEFAULT, true);
    native_schedule plan = mplan_native_schedule(&few, 128, MPLAN_EFFORT_DEFAULT, true);
    assert_memory_equal(&plan, &usual, sizeof plan);
    few = counts_of(9999, 2, 5000);
    assert_true(mplan_native_schedule(&few, 128, MPLAN_EFFORT_DEFAULT, true).passes > usual.passes);
    few = counts_of(10000, 2, 6700);
    assert_true(mplan_native_schedule(&few, 128, MPLAN_EFFORT_DEFAULT, true).passes > usual.passes);
    few = counts_of(10000, 4, 2000);
    assert_true(mplan_native_schedule(&few, 128, MPLAN_EFFORT_DEFAULT, true).passes > usual.passes);
}

/* Without trusted coordinates large blocks of long rows have flows, others not. */
static void flows_are_for_large_blocks(void **state)
{
    (void)state;
    native_table faces = counts_of(60000, 2, 30000), prisms = counts_of(60000, 6, 35000);
    native_table plane = counts_of(60000, 3, 30000);
    assert_true(mplan_native_wants_flows(&prisms, 129) && mplan_native_wants_flows(&plane, 448));
    assert_false(mplan_native_wants_flows(&prisms, 128) || mplan_native_wants_flows(&plane, 128));
    assert_false(mplan_native_wants_flows(&faces, 448));
}

/* --- a mesh that goes on for long ----------------------------------------------------------- */

enum {
    SIDE = 8,
    SIZE = 16,
    CUT = 2600,
    N_TETS = 6 * SIDE * SIDE * SIDE + 3 * CUT,
    N_NODES = (SIDE + 1) * (SIDE + 1) * (SIDE + 1) + CUT
};

typedef struct tets {
    int32_t (*nodes)[4];
    double (*place)[3];
    double *middles; /* of tets */
} tets;

/* Tets of a cube; then CUT of them, chosen at random among all there are, are cut in four at their middles: few or very many meet
 * at a node. */
static tets uneven_tets(void)
{
    static const int32_t kuhn[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7},
                                       {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};
    tets t = {malloc(sizeof(int32_t[N_TETS][4])), malloc(sizeof(double[N_NODES][3])),
              malloc(sizeof(double[3 * N_TETS]))};
    int32_t n = 0, n_nodes = 0, m = SIDE + 1;
    uint64_t seed = 5;
    for (; n_nodes < m * m * m; n_nodes++)
        for (int32_t d = 0, left = n_nodes; d < 3; d++, left /= m)
            t.place[n_nodes][d] = left % m;
    for (int32_t c = 0; c < SIDE * SIDE * SIDE; c++)
        for (int32_t k = 0; k < 6; k++, n++)
            for (int32_t v = 0; v < 4; v++) {
                int32_t x = c % SIDE + (kuhn[k][v] & 1), y = c / SIDE % SIDE + (kuhn[k][v] >> 1 & 1),
                        z = c / SIDE / SIDE + (kuhn[k][v] >> 2);
                t.nodes[n][v] = x + m * (y + m * z);
            }
    for (; n < N_TETS; n += 3, n_nodes++) {
        int32_t at = (int32_t)support_random(&seed, n);
        for (int32_t d = 0; d < 3; d++) {
            t.place[n_nodes][d] = 0;
            for (int32_t v = 0; v < 4; v++)
                t.place[n_nodes][d] += t.place[t.nodes[at][v]][d] / 4;
        }
        for (int32_t v = 0; v < 3; v++) {
            memcpy(t.nodes[n + v], t.nodes[at], sizeof t.nodes[at]);
            t.nodes[n + v][v] = n_nodes;
        }
        t.nodes[at][3] = n_nodes;
    }
    for (int32_t i = 0; i < 3 * N_TETS; i++) {
        const int32_t *nodes = t.nodes[i / 3];
        t.middles[i] = 0;
        for (int32_t v = 0; v < 4; v++)
            t.middles[i] += t.place[nodes[v]][i % 3] / 4;
    }
    return t;
}

/* Distinct (block, node) pairs by marking; sizes are kept. */
static int64_t naive_cost(const tets *t, const int32_t *block, int64_t n_blocks)
{
    bool *seen = calloc((size_t)n_blocks * N_NODES, sizeof *seen);
    int32_t *sizes = calloc((size_t)n_blocks, sizeof *sizes);
    int64_t cost = 0;
    for (int32_t e = 0; e < N_TETS; e++) {
        assert_in_range(block[e], 0, n_blocks - 1);
        assert_true(++sizes[block[e]] <= SIZE);
        for (int32_t v = 0; v < 4; v++) {
            bool *mark = &seen[block[e] * (int64_t)N_NODES + t->nodes[e][v]];
            cost += !*mark;
            *mark = true;
        }
    }
    for (int64_t b = 0; b < n_blocks; b++)
        assert_true(sizes[b] > 0);
    free(seen);
    free(sizes);
    return cost;
}

static int64_t cut_tets(const tets *t, const mplan_native_options *options, int32_t threads,
                        int32_t *block)
{
    mplan_error err;
    mplan_threaded team;
    const mplan_context *context = support_threaded_open(NULL, &team, threads);
    mplan_map map = {"cells_nodes", 0, 1, 4, N_TETS, N_NODES, NULL, &t->nodes[0][0]};
    mplan_block_limits limits = {SIZE, 65535, 1 << 20, 1, 0, &map, NULL};
    int64_t n_blocks = 0;
    assert_done(mplan_partition_native(N_TETS, &limits, options, block, &n_blocks, NULL, context,
                                       &err),
                &err);
    mplan_threaded_close(&team);
    return n_blocks;
}

/* Equal blocks for 1, 2 and 3 threads, limits kept, and default well ahead of fast, with places and without. */
static void uneven_meshes_are_cut_alike(void **state)
{
    (void)state;
    tets t = uneven_tets();
    int32_t *block = malloc(N_TETS * sizeof *block), *again = malloc(N_TETS * sizeof *again);
    for (int places = 0; places < 2; places++) {
        mplan_native_options options = {.effort = MPLAN_EFFORT_FAST, .fill = 0.99, .dimension = 3};
        options.coordinates = places ? t.middles : NULL;
        if (support_races_only()) {
            options.effort = MPLAN_EFFORT_DEFAULT;
            cut_tets(&t, &options, 3, block);
            continue;
        }
        int64_t n_blocks = cut_tets(&t, &options, 1, block), fast = naive_cost(&t, block, n_blocks);
        options.effort = MPLAN_EFFORT_DEFAULT;
        n_blocks = cut_tets(&t, &options, 1, block);
        int64_t cost = naive_cost(&t, block, n_blocks);
        assert_true(100 * cost < 97 * fast);
        for (int32_t threads = 2; threads <= 3; threads++) {
            assert_int_equal(cut_tets(&t, &options, threads, again), n_blocks);
            assert_memory_equal(block, again, N_TETS * sizeof *block);
        }
    }
    free(block);
    free(again);
    free(t.nodes);
    free(t.place);
    free(t.middles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_follow_the_counts),
        cmocka_unit_test(passes_follow_what_is_saved),
        cmocka_unit_test(schedules_follow_the_size),
        cmocka_unit_test(places_or_smoothing),
        cmocka_unit_test(flows_come_in_turns),
        cmocka_unit_test(best_ends_behind_flows),
        cmocka_unit_test(steps_share_the_loose_passes),
        cmocka_unit_test(faces_in_space_are_never_few),
        cmocka_unit_test(flows_are_for_large_blocks),
        cmocka_unit_test(first_passes_are_loose),
        cmocka_unit_test(rough_faces_have_flows),
        cmocka_unit_test(uneven_meshes_are_cut_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
