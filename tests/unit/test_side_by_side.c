/* SPDX-License-Identifier: Apache-2.0 */
/* test_side_by_side.c - what may run side by side: specification, planner, proofs and binding agree,
 * and interleavings show that they are right
 *
 * All combinations of two args of one dat: accesses, ways to it, strategies. Whatever section 10 of
 * formats/plan-format.md allows gives the results of a serial run in every order of steps that is
 * tried; what it refuses does not, but for the cases that it names as stricter. */
#include "support_interleave.h"
#include "support_side.h"
#include "support_test.h"

#include "check/check.h"
#include "exec/meshplan_exec.h"
#include "plan/plan.h"

static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};

/* --- cases ------------------------------------------------------------------------- */

/* Maps: m and n lead from elements to points, s and t from elements to elements. Anchors are
 * increments of dats of their own, so that there is something to gather and to colour. */
typedef struct relation {
    const char *first, *second; /* maps of the args; NULL: direct */
    int pair;                   /* column of section 10; -1: the first arg only */
    const char *anchors[2];     /* maps */
} relation;

static const relation relations[] = {
    {NULL, NULL, -1, {"m"}},
    {"m", NULL, -1, {"m"}},
    {"s", NULL, -1, {"s"}},
    {NULL, NULL, SUPPORT_BOTH_DIRECT, {"m"}},
    {NULL, NULL, SUPPORT_BOTH_DIRECT, {"s"}},
    {"m", "m", SUPPORT_ONE_MAP, {"m"}},
    {"s", "s", SUPPORT_ONE_MAP, {"s"}},
    {"m", "n", SUPPORT_BOTH_WRITTEN, {"m", "n"}},
    {"s", "t", SUPPORT_BOTH_WRITTEN, {"s", "t"}},
    {"m", "n", SUPPORT_ONE_READ_ONLY, {"n"}}, /* as long as the first arg only reads */
    {"s", "t", SUPPORT_ONE_READ_ONLY, {"t"}},
    {NULL, "s", SUPPORT_DIRECT_AND_MAP, {"s"}},
};
enum { N_RELATIONS = sizeof relations / sizeof *relations, N_ACCESSES = MPLAN_INC + 1, ARGS = 4 };

static const support_way ways[] = {
    {MPLAN_STRATEGY_GLOBAL_COLOUR, 0, false},
    {MPLAN_STRATEGY_BLOCK_COLOUR, 0, false},
    {MPLAN_STRATEGY_BLOCK_COLOUR, 0, true},
    {MPLAN_STRATEGY_TWO_STEP, 0, false},
    {MPLAN_STRATEGY_ATOMIC, 0, false},
    {MPLAN_STRATEGY_BLOCK_GATHER, MPLAN_SUMS_PARTIAL, false},
    {MPLAN_STRATEGY_BLOCK_GATHER, MPLAN_SUMS_ATOMIC, false},
    {MPLAN_STRATEGY_BLOCK_GATHER, MPLAN_SUMS_COLOUR, false},
    {MPLAN_STRATEGY_OWNER_GATHER, 0, false},
    {MPLAN_STRATEGY_OWNER_GATHER, 0, true},
};
enum { N_WAYS = sizeof ways / sizeof *ways };

/* Args of a case. `apart`: the two args have dats of their own. */
static int32_t make_args(const relation *about, mplan_access one, mplan_access other, bool apart,
                         mplan_arg *args)
{
    static const char *const anchors[] = {"anchor", "second anchor"};
    int32_t n = 0;
    args[n++] = (mplan_arg){"x", about->first, one, 1, MPLAN_TYPE_I64, MPLAN_NONE_SKIP};
    if (about->pair >= 0)
        args[n++] = (mplan_arg){apart ? "y" : "x", about->second,  other, 1,
                                MPLAN_TYPE_I64,    MPLAN_NONE_SKIP};
    for (int i = 0; i < 2 && about->anchors[i]; i++)
        args[n++] = (mplan_arg){anchors[i], about->anchors[i], MPLAN_INC,
                                1,          MPLAN_TYPE_I64,    MPLAN_NONE_SKIP};
    for (int32_t a = 0; a < n; a++)
        args[a].none = args[a].map ? MPLAN_NONE_SKIP : MPLAN_NONE_REFUSE;
    return n;
}

/* Whether the relation is one of these accesses at all. */
static bool can_be(const relation *about, int one, int other)
{
    if (about->pair < 0)
        return other == MPLAN_READ; /* once for each access */
    return about->pair != SUPPORT_ONE_READ_ONLY || one == MPLAN_READ;
}

/* --- meshes and plans ----------------------------------------------------------------- */

/* 5 elements, 4 points, rows of two; an entry of -1 now and then, never in the first slot. */
static mplan_mesh *tiny_mesh(uint64_t *seed)
{
    enum { ELEMENTS = 5, POINTS = 4 };
    static const char *const names[] = {"m", "n", "s", "t"};
    mplan_error err;
    mplan_mesh *mesh;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "elements", ELEMENTS, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "points", POINTS, NULL, &err), &err);
    for (int m = 0; m < 4; m++) {
        int32_t values[2 * ELEMENTS], n = m < 2 ? POINTS : ELEMENTS;
        for (int i = 0; i < 2 * ELEMENTS; i++)
            values[i] = i % 2 && support_random(seed, 6) == 0 ? -1 : (int32_t)support_random(seed, n);
        assert_done(mplan_mesh_add_map(mesh, names[m], 0, m < 2 ? 1 : 0, 2, NULL, values, NULL, &err),
                    &err);
    }
    return mesh;
}

static mplan_status plan_of(mplan_mesh *mesh, int32_t n_args, const mplan_arg *args,
                            int32_t n_strategies, const mplan_strategy *strategies, mplan_sums sums,
                            mplan_plan **plan, mplan_error *err)
{
    const mplan_loop loop = {"loop", "elements", true, 1, 0, n_args, args};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.partitioner = MPLAN_PARTITIONER_NONE;
    options.block_size = 2;
    options.sums = sums;
    options.n_strategies = n_strategies;
    for (int32_t s = 0; s < n_strategies; s++)
        options.strategies[s] = strategies[s];
    *plan = NULL;
    return mplan_plan_create(mesh, 1, &loop, &options, &one_thread, plan, err);
}

static mplan_plan_arg *arg_of(mplan_plan *plan, int32_t a)
{
    return (mplan_plan_arg *)(uintptr_t)&plan->loops[0].args[a];
}

/* The second arg gets the dat of the first. */
static void become_one_dat(mplan_plan *plan)
{
    free((void *)(uintptr_t)arg_of(plan, 1)->dat);
    arg_of(plan, 1)->dat = strdup(arg_of(plan, 0)->dat);
    arg_of(plan, 1)->layout = arg_of(plan, 0)->layout; /* which `check` looks at before accesses */
}

/* --- interleavings --------------------------------------------------------------------- */

/* A plan with colours of the case's args, which no strategy refuses as long as their dats differ;
 * then they become one. NULL: min or max directly, which is refused by itself. */
static mplan_plan *coloured_plan(mplan_mesh *mesh, const relation *about, int one, int other)
{
    static const mplan_strategy colours[] = {MPLAN_STRATEGY_GLOBAL_COLOUR,
                                             MPLAN_STRATEGY_BLOCK_COLOUR};
    mplan_error err;
    mplan_plan *plan;
    mplan_arg args[ARGS];
    int32_t n = make_args(about, (mplan_access)one, (mplan_access)other, true, args);
    for (int32_t a = 0; a < n; a++)
        if (args[a].access > MPLAN_INC && !args[a].map)
            return NULL;
    assert_done(plan_of(mesh, n, args, 2, colours, MPLAN_SUMS_PARTIAL, &plan, &err), &err);
    assert_done(mplan_plan_verify(plan, NULL, &one_thread, &err), &err);
    if (about->pair >= 0)
        become_one_dat(plan);
    return plan;
}

/* The cases that section 10 names as stricter than interleavings ask for. */
static bool stricter(const relation *about, int one, int other, mplan_strategy strategy)
{
    bool one_inc = one == MPLAN_INC, other_inc = other == MPLAN_INC;
    if (about->pair == SUPPORT_BOTH_DIRECT)
        return one_inc && other == MPLAN_WRITE && strategy == MPLAN_STRATEGY_OWNER_GATHER;
    if (about->pair == SUPPORT_DIRECT_AND_MAP)
        return one_inc && other_inc && strategy == MPLAN_STRATEGY_TWO_STEP;
    bool colours_look = about->pair == SUPPORT_ONE_MAP || about->pair == SUPPORT_BOTH_WRITTEN;
    return colours_look && one_inc != other_inc && strategy == MPLAN_STRATEGY_GLOBAL_COLOUR;
}

static void interleavings_agree_with_the_tables(void **state)
{
    (void)state;
    enum { N_MESHES = 10, N_ORDERS = 60 };
    int n_safe = 0, n_unsafe = 0;
    for (int r = 0; r < N_RELATIONS; r++)
        for (int one = 0; one < N_ACCESSES; one++)
            for (int other = (r + one) % support_every(3); other < N_ACCESSES;
                 other += support_every(3)) {
                bool safe[MPLAN_N_STRATEGIES], may[MPLAN_N_STRATEGIES];
                uint64_t seed = (uint64_t)(100 * r + 10 * one + other + 1);
                if (!can_be(&relations[r], one, other))
                    continue;
                memset(safe, true, sizeof safe);
                for (int i = 0; i < N_MESHES; i++) {
                    mplan_mesh *mesh = tiny_mesh(&seed);
                    mplan_plan *plan = coloured_plan(mesh, &relations[r], one, other);
                    for (int w = 0; w < N_WAYS; w++) {
                        mplan_strategy s = ways[w].strategy; /* safe in all that it leaves open */
                        may[s] = support_may_run(&plan->loops[0], s);
                        safe[s] = safe[s] && support_interleave(plan, ways[w], N_ORDERS, &seed);
                    }
                    mplan_plan_free(plan);
                    mplan_mesh_free(mesh);
                }
                for (mplan_strategy s = 0; s < MPLAN_N_STRATEGIES; s++) {
                    if (safe[s] != (may[s] || stricter(&relations[r], one, other, s)))
                        print_error("relation %d, %s and %s, %s: interleavings say %s, section 10 %s\n",
                                    r, mplan_access_name((mplan_access)one),
                                    mplan_access_name((mplan_access)other), mplan_strategy_name(s),
                                    safe[s] ? "safe" : "unsafe", may[s] ? "allowed" : "refused");
                    n_safe += safe[s];
                    n_unsafe += !safe[s];
                }
            }
    assert_true(n_safe > 200 / support_every(3) && n_unsafe > 300 / support_every(3));
}

/* --- planner, proofs and binding --------------------------------------------------------- */

/* Whether block-gather and owner-gather find a loop that gathers (section 4). */
static bool gathers(const mplan_arg *args, int32_t n)
{
    for (int32_t a = 0; a < n; a++)
        if (args[a].map && (args[a].access == MPLAN_WRITE || args[a].access == MPLAN_RW))
            return false;
    return true;
}

static bool by_gathering(mplan_strategy strategy)
{
    return strategy == MPLAN_STRATEGY_BLOCK_GATHER || strategy == MPLAN_STRATEGY_OWNER_GATHER;
}

/* The sentence names loop, dat and the args it is about. */
static void assert_names(const mplan_error *err, const relation *about)
{
    const char *both = strstr(err->text, "(arg 0)");
    assert_non_null(strstr(err->text, "loop loop"));
    assert_non_null(strstr(err->text, "dat x"));
    if (about->pair < 0)
        assert_non_null(both);
    else
        assert_true(both || strstr(err->text, "(arg 1)"));
}

static void planner_says(mplan_mesh *mesh, const relation *about, int one, int other,
                         const mplan_plan_loop *loop)
{
    mplan_error err;
    mplan_plan *plan;
    mplan_arg args[ARGS];
    int32_t n = make_args(about, (mplan_access)one, (mplan_access)other, false, args);
    for (mplan_strategy s = 0; s < MPLAN_N_STRATEGIES; s++) {
        mplan_status status = plan_of(mesh, n, args, 1, &s, MPLAN_SUMS_PARTIAL, &plan, &err);
        bool may = support_may_run(loop, s);
        if (may && (gathers(args, n) || !by_gathering(s))) {
            assert_done(status, &err);
            assert_done(mplan_plan_verify(plan, mesh, &one_thread, &err), &err);
            mplan_plan_free(plan);
            continue;
        }
        assert_refused(status, MPLAN_ERR_ARGUMENT, &err, may ? "needs a loop that" : ": dat x is ");
        if (!may)
            assert_names(&err, about);
    }
    /* auto */
    mplan_status status = plan_of(mesh, n, args, 0, NULL, MPLAN_SUMS_PARTIAL, &plan, &err);
    if (support_may_run(loop, MPLAN_STRATEGY_GLOBAL_COLOUR)) {
        assert_done(status, &err);
        assert_true(support_may_run(loop, plan->loops[0].variants[0].strategy));
        assert_done(mplan_plan_verify(plan, mesh, &one_thread, &err), &err);
        mplan_plan_free(plan);
    } else {
        assert_refused(status, MPLAN_ERR_ARGUMENT, &err, "loop loop: dat x is ");
    }
}

/* A plan that a strategy has, of args with dats of their own and accesses that all strategies may
 * run, whose records then say something else. */
static mplan_plan *mutated_plan(mplan_mesh *mesh, const relation *about, int one, int other,
                                support_way way)
{
    mplan_error err;
    mplan_plan *plan;
    mplan_arg args[ARGS], true_args[ARGS];
    int32_t n = make_args(about, (mplan_access)one, (mplan_access)other, true, args);
    make_args(about, (mplan_access)one, (mplan_access)other, false, true_args);
    for (int32_t a = 0; a < n; a++)
        if (args[a].access != MPLAN_READ)
            args[a].access = args[a].map ? MPLAN_INC : MPLAN_WRITE;
    assert_done(plan_of(mesh, n, args, 1, &way.strategy, way.sums, &plan, &err), &err);
    for (int32_t a = 0; a < n; a++)
        arg_of(plan, a)->access = true_args[a].access;
    if (about->pair >= 0)
        become_one_dat(plan);
    return plan;
}

/* A proof of the args only, and of the plan as a whole. */
static void check_says(const mplan_plan *plan, bool may)
{
    mplan_error err = {MPLAN_OK, ""};
    mplan_check check = {.plan = plan, .threads = 1};
    mplan_status status = mplan_check_args(&check, &err);
    if (may) {
        assert_done(status, &err);
        return;
    }
    assert_refused(status, MPLAN_ERR_DISPROVED, &err, "loop loop");
    assert_non_null(strstr(err.text, "dat x (arg"));
    assert_refused(mplan_plan_verify(plan, NULL, &one_thread, &err), MPLAN_ERR_DISPROVED, &err,
                   "dat x");
}

static void never_run(const mplan_host_call *call, int64_t begin, int64_t end)
{
    (void)call;
    (void)begin;
    (void)end;
}

static void binding_says(const mplan_plan *plan, bool may)
{
    mplan_error err;
    mplan_exec *exec;
    mplan_exec_loop *bound;
    mplan_kernel_arg args[ARGS];
    const mplan_plan_loop *loop = &plan->loops[0];
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        args[a] = (mplan_kernel_arg){arg->dat,
                                     arg->map < 0 ? "" : plan->maps[arg->map].name,
                                     arg->map < 0 ? 1 : 2,
                                     1,
                                     arg->type,
                                     arg->access,
                                     false,
                                     arg->map == MPLAN_MAP_GLOBAL,
                                     false};
    }
    const mplan_kernel kernel = {"kernel", loop->n_args, args, 0, never_run, NULL, NULL};
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    options.executor = MPLAN_EXECUTOR_HOST;
    options.threads = 1;
    assert_done(mplan_exec_open(plan, &options, &exec, &err), &err);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    mplan_status status = mplan_exec_bind(exec, "loop", -1, &kernel, &bound, &err);
    if (!may)
        assert_refused(status, MPLAN_ERR_UNSUPPORTED, &err, " cannot run loop loop, which ");
    else
        assert_done(status, &err);
    mplan_exec_close(exec);
}

static void planner_proofs_and_binding_agree(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int r = 0; r < N_RELATIONS; r++)
        for (int one = 0; one < N_ACCESSES; one++)
            for (int other = 0; other < N_ACCESSES; other++) {
                if (!can_be(&relations[r], one, other))
                    continue;
                mplan_mesh *mesh = tiny_mesh(&seed);
                mplan_plan *plan = coloured_plan(mesh, &relations[r], one, other);
                planner_says(mesh, &relations[r], one, other, &plan->loops[0]);
                mplan_plan_free(plan);
                for (int w = 0; w < N_WAYS; w++) {
                    plan = mutated_plan(mesh, &relations[r], one, other, ways[w]);
                    bool may = support_may_run(&plan->loops[0], ways[w].strategy);
                    check_says(plan, may);
                    binding_says(plan, may);
                    mplan_plan_free(plan);
                }
                mplan_mesh_free(mesh);
            }
}

/* --- min, max and globals ------------------------------------------------------------------ */

/* As above, where one of two accesses is min or max. */
static void compared_as_the_tables_say(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int r = 0; r < N_RELATIONS; r++)
        for (int one = 0; one < SUPPORT_ACCESSES; one++)
            for (int other = 0; other < SUPPORT_ACCESSES; other++) {
                if (!can_be(&relations[r], one, other) || (one < SUPPORT_MIN && other < SUPPORT_MIN))
                    continue;
                mplan_mesh *mesh = tiny_mesh(&seed);
                mplan_plan *plan = coloured_plan(mesh, &relations[r], one, other);
                if (plan) {
                    planner_says(mesh, &relations[r], one, other, &plan->loops[0]);
                    mplan_plan_free(plan);
                }
                for (int w = 0; w < N_WAYS; w++) {
                    plan = mutated_plan(mesh, &relations[r], one, other, ways[w]);
                    bool may = support_may_run(&plan->loops[0], ways[w].strategy);
                    check_says(plan, may);
                    binding_says(plan, may);
                    mplan_plan_free(plan);
                }
                mplan_mesh_free(mesh);
            }
}

/* One arg of a global, then two. */
static void globals_as_the_tables_say(void **state)
{
    (void)state;
    uint64_t seed = 10;
    mplan_error err;
    mplan_plan *plan;
    mplan_mesh *mesh = tiny_mesh(&seed);
    for (int one = 0; one < SUPPORT_ACCESSES; one++)
        for (int other = -1; other < SUPPORT_ACCESSES; other++) {
            const mplan_arg args[] = {
                {"x", MPLAN_GLOBAL, (mplan_access)one, 1, MPLAN_TYPE_I64, MPLAN_NONE_SKIP},
                {"x", MPLAN_GLOBAL, (mplan_access)other, 1, MPLAN_TYPE_I64, MPLAN_NONE_SKIP}};
            int word = support_word_of_arg(one, SUPPORT_GLOBAL);
            if (other >= 0 && support_word_of_arg(other, SUPPORT_GLOBAL) < word)
                word = support_word_of_arg(other, SUPPORT_GLOBAL);
            if (other >= 0 && support_word_of_pair(one, other, SUPPORT_ANY_GLOBAL) < word)
                word = support_word_of_pair(one, other, SUPPORT_ANY_GLOBAL);
            assert_true(word == SUPPORT_NO || word == SUPPORT_YES);
            mplan_status status = plan_of(mesh, other < 0 ? 1 : 2, args, 0, NULL,
                                          MPLAN_SUMS_PARTIAL, &plan, &err);
            if (word == SUPPORT_NO)
                assert_refused(status, MPLAN_ERR_ARGUMENT, &err, "as a global (arg ");
            else
                assert_done(status, &err);
            if (!status) {
                assert_done(mplan_plan_verify(plan, mesh, &one_thread, &err), &err);
                mplan_plan_free(plan);
            }
            /* proofs and binding, of records that say so */
            const mplan_arg read[] = {
                {"x", MPLAN_GLOBAL, MPLAN_READ, 1, MPLAN_TYPE_I64, MPLAN_NONE_REFUSE},
                {"x", MPLAN_GLOBAL, MPLAN_READ, 1, MPLAN_TYPE_I64, MPLAN_NONE_REFUSE}};
            assert_done(plan_of(mesh, other < 0 ? 1 : 2, read, 0, NULL, MPLAN_SUMS_PARTIAL, &plan,
                                &err),
                        &err);
            arg_of(plan, 0)->access = (mplan_access)one;
            if (other >= 0)
                arg_of(plan, 1)->access = (mplan_access)other;
            check_says(plan, word == SUPPORT_YES);
            binding_says(plan, word == SUPPORT_YES);
            mplan_plan_free(plan);
        }
    mplan_mesh_free(mesh);
}

/* --- what is planned, and no executor runs -------------------------------------------------- */

typedef struct heard {
    int n;
    char text[MPLAN_ERROR_TEXT];
} heard;

static void hear(void *user, const char *text)
{
    heard *all = user;
    all->n++;
    snprintf(all->text, sizeof all->text, "%s", text);
}

static void loops_without_kernels_are_warned_of(void **state)
{
    (void)state;
    static const char *const names[] = {"a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8",
                                        "a9", "b0", "b1", "b2", "b3", "b4", "b5", "b6"};
    uint64_t seed = 3;
    const int32_t ragged[] = {0, 1, 2};
    const int64_t offsets[] = {0, 1, 1, 2, 3, 3};
    mplan_error err;
    mplan_mesh *mesh = tiny_mesh(&seed);
    assert_done(mplan_mesh_add_map(mesh, "ragged", 0, 1, 0, offsets, ragged, NULL, &err), &err);
    for (int i = 0; i < 5; i++) {
        heard all = {0};
        mplan_plan *plan;
        mplan_arg args[MPLAN_MAX_ARGS + 1];
        const mplan_context context = {
            .struct_size = sizeof context, .threads = 1, .warning = hear, .user = &all};
        const mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
        mplan_loop loop = {
            "loop", "elements", true, 1, 0, i == 4 ? MPLAN_MAX_ARGS + 1 : MPLAN_MAX_ARGS, args};
        for (int a = 0; a <= MPLAN_MAX_ARGS; a++)
            args[a] = (mplan_arg){names[a], "m", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_SKIP};
        args[2].access = i == 1 ? MPLAN_RW : i == 2 ? MPLAN_WRITE : MPLAN_INC;
        if (i == 3)
            args[5].map = "ragged";
        static const char *const parts[] = {
            "", "", "", "",
            "no executor can run loop loop: it has 17 args, but kernels have at most 16"};
        assert_done(mplan_plan_create(mesh, 1, &loop, &options, &context, &plan, &err), &err);
        assert_int_equal(all.n, i == 4);
        assert_non_null(strstr(all.text, parts[i]));
        mplan_plan_free(plan);
    }
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interleavings_agree_with_the_tables),
        cmocka_unit_test(planner_proofs_and_binding_agree),
        cmocka_unit_test(compared_as_the_tables_say),
        cmocka_unit_test(globals_as_the_tables_say),
        cmocka_unit_test(loops_without_kernels_are_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
