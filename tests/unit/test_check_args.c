/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_args.c - what the args of a loop do with one dat, by strategy
 *
 * A row for each line of section 10 of the specification, with each arg in each place; the proof is asked
 * only. test_side_by_side.c holds the same against a simulation. */
#include "support_check.h"

#include "support_cases.h"

static support_cases cases;
static mplan_plan *plan;

static mplan_status args_hold(support_cases *all, mplan_error *err)
{
    return mplan_check_args(&all->check, err);
}

/* All maps lead from faces to faces, so that a dat may be accessed in any way. */
static int open_cases(void **state)
{
    (void)state;
    mplan_mesh *mesh = support_fixed_mesh();
    plan = support_fixed_plan(mesh);
    support_cases_open(&cases, mesh, plan);
    cases.proof = args_hold;
    return 0;
}

static int close_cases(void **state)
{
    (void)state;
    support_cases_close(&cases);
    return 0;
}

enum { DIRECT = -1, A, B }; /* how: directly, or by one of two maps */
enum { R = MPLAN_READ, W = MPLAN_WRITE, RW = MPLAN_RW, INC = MPLAN_INC };

/* Loop 0 has these n args of one dat, its only variant this strategy. `first` args of other dats are before, `by_b`:
 * one of them writes by map B. */
static void set_args(int n, const int (*args)[2], mplan_strategy strategy, int first, bool by_b)
{
    for (int m = 0; m < plan->n_maps; m++)
        plan->maps[m].from = plan->maps[m].to = 0;
    plan->n_loops = 1;
    plan->loops[0].n_args = first + n + by_b;
    plan->loops[0].n_variants = 1;
    VARIANT_OF(0, 0)->strategy = strategy;
    for (int a = 0; a < first; a++)
        *ARG_OF(0, a) = (mplan_plan_arg){
            a ? "b" : "z",     DIRECT,           MPLAN_READ, 1, MPLAN_TYPE_F64,
            MPLAN_NONE_REFUSE, MPLAN_LAYOUT_SOA, {0},        0};
    for (int i = 0; i < n; i++)
        *ARG_OF(0, first + i) = (mplan_plan_arg){"dat",
                                                 args[i][0],
                                                 (mplan_access)args[i][1],
                                                 1,
                                                 MPLAN_TYPE_F64,
                                                 MPLAN_NONE_REFUSE,
                                                 MPLAN_LAYOUT_SOA,
                                                 {0},
                                                 0};
    if (by_b)
        *ARG_OF(0, first + n) = (mplan_plan_arg){
            "other", B, MPLAN_WRITE, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE, MPLAN_LAYOUT_SOA,
            {0},     0};
}

static const struct row {
    int args[2][2]; /* how, access */
    const char *any, *atomic,
        *owner; /* refused for every strategy; for all but colours; for owner-gather only */
} rows[] = {
#define DIRECTLY "is accessed directly and through a map, and not only read"
#define COLOURS "is written through a map, which is safe only with colours"
#define UPDATED "is updated directly, but owner-gather would do this more than once"
#define READ_AGAIN "is read and written directly, but owner-gather computes elements more than"
#define ADDED_READ "is incremented and read through maps"
#define ADDED_WRITTEN "is incremented and written through maps"
#define BESIDE "is written through a map, and accessed through another by which the loop only reads"
    {{{DIRECT, R}, {DIRECT, R}}, NULL, NULL, NULL},
    {{{DIRECT, W}, {DIRECT, W}}, NULL, NULL, NULL},
    {{{DIRECT, R}, {DIRECT, W}}, NULL, NULL, READ_AGAIN},
    {{{DIRECT, RW}, {DIRECT, R}}, NULL, NULL, UPDATED},
    {{{DIRECT, INC}, {DIRECT, R}}, NULL, NULL, UPDATED},
    {{{DIRECT, R}, {A, R}}, NULL, NULL, NULL},
    {{{DIRECT, W}, {A, R}}, DIRECTLY, NULL, NULL},
    {{{DIRECT, RW}, {A, R}}, DIRECTLY, NULL, NULL},
    {{{DIRECT, INC}, {A, R}}, DIRECTLY, NULL, NULL},
    {{{DIRECT, R}, {A, W}}, DIRECTLY, NULL, NULL},
    {{{DIRECT, R}, {A, INC}}, DIRECTLY, NULL, NULL},
    {{{A, R}, {A, R}}, NULL, NULL, NULL},
    {{{A, R}, {B, R}}, NULL, NULL, NULL},
    {{{A, INC}, {A, INC}}, NULL, NULL, NULL},
    {{{A, INC}, {B, INC}}, NULL, NULL, NULL},
    {{{A, INC}, {A, R}}, ADDED_READ, NULL, NULL},
    {{{A, INC}, {B, R}}, ADDED_READ, NULL, NULL},
    {{{A, INC}, {A, W}}, ADDED_WRITTEN, NULL, NULL},
    {{{A, INC}, {B, RW}}, ADDED_WRITTEN, NULL, NULL},
    {{{A, W}, {A, W}}, NULL, COLOURS, COLOURS},
    {{{A, RW}, {A, R}}, NULL, COLOURS, COLOURS},
    {{{A, W}, {B, W}}, NULL, COLOURS, COLOURS},
    {{{A, RW}, {B, R}}, BESIDE, NULL, NULL},
    {{{A, W}, {B, R}}, BESIDE, NULL, NULL},
};

static void two_args_of_a_dat(void **state)
{
    (void)state;
    HOLDS();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int s = 0; s < MPLAN_N_STRATEGIES; s++)
            for (int turned = 0; turned < 2; turned++)
                for (int first = 0; first < 3; first++) {
                    const mplan_strategy strategy = (mplan_strategy)s;
                    const bool colours = strategy == MPLAN_STRATEGY_GLOBAL_COLOUR ||
                                         strategy == MPLAN_STRATEGY_BLOCK_COLOUR;
                    const int args[2][2] = {{rows[i].args[turned][0], rows[i].args[turned][1]},
                                            {rows[i].args[!turned][0], rows[i].args[!turned][1]}};
                    const char *due = rows[i].any ? rows[i].any : colours ? NULL : rows[i].atomic;
                    if (strategy == MPLAN_STRATEGY_OWNER_GATHER && !due)
                        due = rows[i].owner;
                    set_args(2, args, strategy, first, false);
                    if (due)
                        REFUSED(due, (void)args);
                    else
                        HOLDS((void)args);
                }
}

/* The sentence names the first args that do what must not be, and the variant. */
static void args_are_named(void **state)
{
    static const int written[2][2] = {{A, RW}, {B, R}}, once[2][2] = {{A, RW}, {A, RW}},
                     adds[2][2] = {{B, R}, {A, INC}};
    static const int updated[2][2] = {{DIRECT, R}, {DIRECT, RW}},
                     again[2][2] = {{DIRECT, W}, {DIRECT, R}};
    static const int three[3][2] = {{A, R}, {A, R}, {A, INC}};
    (void)state;
    REFUSED("loop res_calc: dat dat (args 0 and 1) is written",
            set_args(2, written, MPLAN_STRATEGY_GLOBAL_COLOUR, 0, false));
    REFUSED("loop res_calc: dat dat (args 2 and 3) is written",
            set_args(2, written, MPLAN_STRATEGY_GLOBAL_COLOUR, 2, false));
    REFUSED("loop res_calc: dat dat (args 1 and 0) is incremented",
            set_args(2, adds, MPLAN_STRATEGY_GLOBAL_COLOUR, 0, false));
    REFUSED("loop res_calc: dat dat (args 2 and 0) is incremented",
            set_args(3, three, MPLAN_STRATEGY_GLOBAL_COLOUR, 0, false));
    REFUSED("loop res_calc, variant 0 (atomic): dat dat (arg 0) is written",
            set_args(2, once, MPLAN_STRATEGY_ATOMIC, 0, false));
    REFUSED("loop res_calc, variant 0 (owner-gather): dat dat (arg 1) is updated",
            set_args(2, updated, MPLAN_STRATEGY_OWNER_GATHER, 0, false));
    REFUSED("loop res_calc, variant 0 (owner-gather): dat dat (args 1 and 0) is read",
            set_args(2, again, MPLAN_STRATEGY_OWNER_GATHER, 0, false));
    REFUSED("loop res_calc, variant 1 (two-step): dat dat (arg 0)",
            set_args(2, once, MPLAN_STRATEGY_BLOCK_COLOUR, 0, false), plan->loops[0].n_variants = 2,
            VARIANT_OF(0, 1)->strategy = MPLAN_STRATEGY_TWO_STEP);
    /* another dat that is written by map B makes colours look at it */
    HOLDS(set_args(2, written, MPLAN_STRATEGY_GLOBAL_COLOUR, 0, true));
    REFUSED(BESIDE, set_args(2, written, MPLAN_STRATEGY_GLOBAL_COLOUR, 0, true),
            ARG_OF(0, 2)->access = MPLAN_READ);
    /* what one loop writes by map B says nothing of the next one */
    for (int l = 0; l < 2; l++) {
        set_args(2, written, MPLAN_STRATEGY_GLOBAL_COLOUR, 0, true);
        plan->n_loops = 2;
        plan->loops[1].set = 0;
        plan->loops[1].n_variants = 0;
        *ARG_OF(1, 0) = *ARG_OF(0, 2);
        ARG_OF(1, 0)->map = l ? B : DIRECT;
        ARG_OF(0, 2)->access = MPLAN_READ;
        REFUSED("loop res_calc: dat dat (args 0 and 1)", (void)l);
    }
}

/* Loop update, the second one, writes by the map, and the first one reads by it, and the other way round. */
static void loops_are_apart(void **state)
{
    static const int reads[1][2] = {{A, R}}, writes[2][2] = {{A, RW}, {B, R}};
    (void)state;
    set_args(1, reads, MPLAN_STRATEGY_ATOMIC, 0, true);
    VARIANT_OF(0, 0)->strategy = MPLAN_STRATEGY_GLOBAL_COLOUR;
    plan->n_loops = 2;
    plan->loops[1] = plan->loops[0];
    plan->loops[1].name = "update";
    HOLDS((void)writes);
    /* 0 writes by B, 1 has no arg that does */
    mplan_plan_arg second[2] = {
        {"dat", A, MPLAN_RW, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE, MPLAN_LAYOUT_SOA, {0}, 0},
        {"dat", B, MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE, MPLAN_LAYOUT_SOA, {0}, 0}};
    for (int map = A; map <= B; map++) {
        set_args(1, reads, MPLAN_STRATEGY_GLOBAL_COLOUR, 0, true);
        ARG_OF(0, 1)->map = map;
        second[0].map = !map;
        second[1].map = map;
        plan->n_loops = 2;
        plan->loops[1] = plan->loops[0];
        plan->loops[1].name = "update";
        plan->loops[1].n_args = 2;
        plan->loops[1].args = second;
        REFUSED("loop update: dat dat (args 0 and 1) is written", (void)map);
    }
}

static void one_dat_is_one_thing(void **state)
{
    (void)state;
    REFUSED("dat q is 4 x f64 on set cells in arg 1 of loop res_calc, and 5 x f64 on set cells in arg 0 of loop update",
            ARG_OF(1, 0)->dim = 5);
    REFUSED("dat q is 4 x f64 on set cells in arg 1 of loop res_calc, and 4 x f32",
            ARG_OF(1, 0)->type = MPLAN_TYPE_F32);
    REFUSED("dat q is 4 x f64 on set cells in arg 1 of loop res_calc, and 4 x f64 on set nodes",
            plan->loops[1].set = 2);
    REFUSED("dat q is 4 x f64 on set cells in arg 0 of loop res_calc, and 3 x f64",
            ARG_OF(0, 0)->dat = "q", ARG_OF(0, 0)->map = FACES_CELLS, ARG_OF(0, 0)->dim = 4,
            ARG_OF(0, 1)->dim = 3);
    HOLDS(ARG_OF(1, 0)->dim = 5, ARG_OF(1, 0)->dat = "qq");
    /* one layout, in all loops and in one */
    REFUSED("dat q has two layouts",
            ARG_OF(1, 0)->layout = MPLAN_LAYOUT_AOS + MPLAN_LAYOUT_SOA - ARG_OF(1, 0)->layout);
    REFUSED("dat q has two layouts", *ARG_OF(0, 2) = *ARG_OF(0, 1),
            ARG_OF(0, 2)->layout = MPLAN_LAYOUT_AOS + MPLAN_LAYOUT_SOA - ARG_OF(0, 1)->layout);
    HOLDS(ARG_OF(1, 0)->layout = MPLAN_LAYOUT_AOS + MPLAN_LAYOUT_SOA - ARG_OF(1, 0)->layout,
          ARG_OF(1, 0)->dat = "qq");
    HOLDS(ARG_OF(0, 0)->layout = MPLAN_LAYOUT_AOS + MPLAN_LAYOUT_SOA - ARG_OF(0, 0)->layout);
    HOLDS(plan->n_loops = 0);
    HOLDS(plan->loops[0].n_args = 0);
    HOLDS(plan->loops[0].n_args = 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_args_of_a_dat),
        cmocka_unit_test(args_are_named),
        cmocka_unit_test(loops_are_apart),
        cmocka_unit_test(one_dat_is_one_thing),
    };
    return cmocka_run_group_tests(tests, open_cases, close_cases);
}
