/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec_functions.c - functions of one element in the place of kernels: same results, and what they cannot take */
#include "support_exec.h"
#include "support_parts.h"
#include "support_test.h"

#include "plan/plan.h"

#define PAIR_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(q, m, 2, 2, f64, READ)           \
    DIRECT(w, 1, f64, RW)                   \
    MAPPED(res, m, 2, 3, f64, INC)
typedef struct pair_parameters {
    double factor;
} pair_parameters;
MPLAN_VIEWS(pair, PAIR_ARGS)
MPLAN_FN void pair(pair_views *v, const pair_parameters *p)
{
    for (int c = 0; c < 3; c++) {
        v->res[0][c] = p->factor * (v->q[0][c % 2] - v->q[1][(c + 1) % 2]) + v->w[0];
        v->res[1][c] = 0.1 * v->q[1][c % 2];
    }
    v->w[0] = v->w[0] + v->q[0][0];
}
MPLAN_KERNEL(pair, PAIR_ARGS, pair_parameters)

/* The same of views by pointers. */
static void pair_function(void *const *views, const void *user)
{
    pair_views v;
    memcpy(v.q, views[0], sizeof v.q);
    memcpy(v.w, views[1], sizeof v.w);
    memcpy(v.res, views[2], sizeof v.res);
    for (int i = 0; i < 6; i++)
        assert_true(v.res[i / 3][i % 3] == 0);
    pair(&v, user);
    memcpy(views[1], v.w, sizeof v.w);
    memcpy(views[2], v.res, sizeof v.res);
}

enum { ELEMENTS = 700, POINTS = 300 };

static mplan_mesh *make_mesh(void)
{
    uint64_t seed = 5;
    mplan_error err;
    mplan_mesh *mesh;
    static int32_t values[2 * ELEMENTS];
    for (int i = 0; i < 2 * ELEMENTS; i++)
        values[i] = (int32_t)support_random(&seed, POINTS);
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "elements", ELEMENTS, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "points", POINTS, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "m", 0, 1, 2, NULL, values, NULL, &err), &err);
    return mesh;
}

static mplan_plan *plan_of(mplan_access w_access, mplan_type type, int32_t dim)
{
    mplan_error err;
    mplan_plan *plan;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    const mplan_arg args[] = {{"q", "m", MPLAN_READ, 2, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
                              {"w", NULL, w_access, dim, type, MPLAN_NONE_REFUSE},
                              {"res", "m", MPLAN_INC, 3, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    const mplan_loop loop = {"pair", "elements", true, 1, 0, 3, args};
    mplan_mesh *mesh = make_mesh();
    for (int s = 0; s < MPLAN_STRATEGY_OWNER_GATHER; s++)
        options.strategies[options.n_strategies++] = (mplan_strategy)s;
    assert_done(mplan_plan_create(mesh, 1, &loop, &options, NULL, &plan, &err), &err);
    mplan_mesh_free(mesh);
    return plan;
}

/* All results of one launch by an executor, which is closed. */
static void run_on(mplan_exec *exec, int32_t variant, bool function, double *w, double *res)
{
    uint64_t seed = 6;
    mplan_error err;
    mplan_exec_loop *bound;
    const pair_parameters parameters = {0.3};
    static double q[2 * POINTS];
    for (int i = 0; i < 2 * POINTS; i++)
        q[i] = (double)support_random(&seed, 1000) / 999;
    for (int i = 0; i < ELEMENTS; i++)
        w[i] = (double)support_random(&seed, 1000) / 999;
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_done(mplan_exec_upload(exec, "q", q, POINTS, 2, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_upload(exec, "w", w, ELEMENTS, 1, MPLAN_TYPE_F64, &err), &err);
    if (function) {
        assert_done(mplan_exec_bind_function(exec, "pair", variant, pair_function, &bound, &err),
                    &err);
        assert_done(mplan_exec_launch_function(exec, bound, &parameters, &err), &err);
    } else {
        assert_done(mplan_exec_bind(exec, "pair", variant, &pair_host, &bound, &err), &err);
        assert_refused(mplan_exec_launch_function(exec, bound, &parameters, &err),
                       MPLAN_ERR_ARGUMENT, &err, "was not bound to a function");
        assert_done(mplan_exec_launch(exec, bound, &parameters, NULL, &err), &err);
    }
    assert_done(mplan_exec_download(exec, "w", w, ELEMENTS, 1, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_download(exec, "res", res, POINTS, 3, MPLAN_TYPE_F64, &err), &err);
    mplan_exec_close(exec);
}

static void run(const mplan_plan *plan, mplan_executor executor, int32_t variant, bool function,
                double *w, double *res)
{
    run_on(support_exec_open(plan, executor, 0), variant, function, w, res);
}

static void functions_give_the_bits_of_kernels(void **state)
{
    (void)state;
    static double w[2][ELEMENTS], res[2][3 * POINTS];
    mplan_plan *plan = plan_of(MPLAN_RW, MPLAN_TYPE_F64, 1);
    for (int e = MPLAN_EXECUTOR_SERIAL; e <= MPLAN_EXECUTOR_HOST; e++)
        for (int32_t v = 0; v < mplan_plan_get_loop(plan, 0)->n_variants; v++) {
            run(plan, (mplan_executor)e, v, false, w[0], res[0]);
            run(plan, (mplan_executor)e, v, true, w[1], res[1]);
            assert_memory_equal(w[0], w[1], sizeof w[0]);
            assert_memory_equal(res[0], res[1], sizeof res[0]);
        }
    mplan_plan_free(plan);
}

/* Two variants: two-step, whose bits are those of any number of ranks, and atomic. */
static void functions_run_in_parts(void **state)
{
    (void)state;
    static double w[2][ELEMENTS], res[2][3 * POINTS], first[3 * POINTS];
    static int32_t of_elements[ELEMENTS], of_points[POINTS];
    int32_t *part_of[2] = {of_elements, of_points};
    uint64_t seed = 8;
    support_parts parts;
    const mplan_arg args[] = {{"q", "m", MPLAN_READ, 2, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
                              {"w", NULL, MPLAN_RW, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
                              {"res", "m", MPLAN_INC, 3, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    const mplan_loop loop = {"pair", "elements", true, 1, 0, 3, args};
    mplan_mesh *mesh = make_mesh();
    for (int i = 0; i < ELEMENTS; i++)
        of_elements[i] = (int32_t)support_random(&seed, 5);
    for (int i = 0; i < POINTS; i++)
        of_points[i] = (int32_t)support_random(&seed, 5);
    support_parts_make(mesh, 1, &loop, 5, part_of, &parts);
    for (int32_t n_ranks = 1; n_ranks <= 5; n_ranks += 2)
        for (int e = MPLAN_EXECUTOR_SERIAL; e <= MPLAN_EXECUTOR_HOST; e++)
            for (int32_t v = 0; v < 2; v++) {
                mplan_rank_options ranks = MPLAN_RANK_OPTIONS_INIT;
                ranks.ranks = n_ranks;
                ranks.poison = true;
                for (int function = 0; function < 2; function++)
                    run_on(support_parts_open(&parts, NULL, (mplan_executor)e, &ranks), v, function,
                           w[function], res[function]);
                assert_memory_equal(w[0], w[1], sizeof w[0]);
                assert_memory_equal(res[0], res[1], sizeof res[0]);
                if (v > 0 || e == MPLAN_EXECUTOR_SERIAL)
                    continue;
                if (n_ranks == 1)
                    memcpy(first, res[0], sizeof first);
                assert_memory_equal(res[1], first, sizeof first);
            }
    support_parts_free(&parts);
    mplan_mesh_free(mesh);
}

/* Args of all kinds and types that kernels take: globals, least and greatest of points, what is changed through a map that
 * leads to each point at most once, and views of other sizes than multiples of 8. */
#define KINDS_ARGS(ARG)                   \
    ARG(DIRECT, w, 3, u8, RW)             \
    ARG(MAPPED, q, m, 2, 1, f32, READ)    \
    ARG(MAPPED, mark, own, 1, 3, u16, RW) \
    ARG(GLOBAL, factor, 1, f64, READ)     \
    ARG(MAPPED, least, m, 2, 1, i32, MIN) \
    ARG(MAPPED, most, m, 2, 2, i64, MAX)  \
    ARG(MAPPED, sum, m, 2, 1, f32, INC)   \
    ARG(GLOBAL, norm, 2, f64, INC)        \
    ARG(GLOBAL, lowest, 1, f32, MIN)      \
    ARG(GLOBAL, highest, 1, i32, MAX)
MPLAN_VIEWS_ANY(kinds, KINDS_ARGS)
MPLAN_FN void kinds(kinds_views *v, const pair_parameters *p)
{
    for (int s = 0; s < 2; s++) {
        v->least[s][0] = v->w[s] + (int)v->q[s][0];
        v->most[s][s] = (int64_t)v->w[2] << (32 + s);
        v->sum[s][0] = (float)(v->factor[0] * v->q[1 - s][0]);
        v->norm[s] = p->factor * v->q[s][0] / 7;
    }
    for (int c = 0; c < 3; c++) {
        v->mark[0][c] = (uint16_t)(v->mark[0][c] + v->w[c] + 1);
        v->w[c] = (uint8_t)(v->w[c] + c + 1);
    }
    v->lowest[0] = v->q[0][0] - v->q[1][0];
    v->highest[0] = v->w[0];
}
MPLAN_KERNEL_ANY(kinds, KINDS_ARGS, pair_parameters)

/* Of each arg: its dat, the members of its set, and where the view is in kinds_views. */
#define VIEW_OF(dat) offsetof(kinds_views, dat), sizeof(((kinds_views *)0)->dat)
#define ABOUT(kind, ...) ABOUT_##kind(__VA_ARGS__)
#define ABOUT_DIRECT(dat, dim, type, access) {#dat, MPLAN_ENUM_##type, dim, ELEMENTS, VIEW_OF(dat)},
#define ABOUT_MAPPED(dat, map, arity, dim, type, access) \
    {#dat, MPLAN_ENUM_##type, dim, #map[0] == 'm' ? POINTS : ELEMENTS, VIEW_OF(dat)},
#define ABOUT_GLOBAL(dat, dim, type, access) {#dat, MPLAN_ENUM_##type, dim, 1, VIEW_OF(dat)},
static const struct kind_arg {
    const char *dat;
    mplan_type type;
    int32_t dim, members;
    size_t at, bytes;
} kind_arg[] = {KINDS_ARGS(ABOUT)};
enum { KINDS = sizeof kind_arg / sizeof *kind_arg, MOST_BYTES = 3 * 8 * ELEMENTS };

static void kinds_function(void *const *views, const void *user)
{
    kinds_views v;
    for (int a = 0; a < KINDS; a++) {
        assert_true((uintptr_t)views[a] % 8 == 0);
        memcpy((char *)&v + kind_arg[a].at, views[a], kind_arg[a].bytes);
    }
    kinds(&v, user);
    for (int a = 0; a < KINDS; a++)
        memcpy(views[a], (char *)&v + kind_arg[a].at, kind_arg[a].bytes);
}

/* A plan of all strategies that may run the loop; marks are in another order than elements. */
static mplan_plan *plan_of_kinds(void)
{
    mplan_error err;
    mplan_plan *plan;
    mplan_arg args[KINDS];
    mplan_loop loop;
    static int32_t own[ELEMENTS];
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_mesh *mesh = make_mesh();
    for (int32_t e = 0; e < ELEMENTS; e++)
        own[e] = (e * 3 + 1) % ELEMENTS;
    assert_done(mplan_mesh_add_set(mesh, "marks", ELEMENTS, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "own", 0, 2, 1, NULL, own, NULL, &err), &err);
    assert_done(mplan_kernel_loop(&kinds_host, "elements", args, &loop, &err), &err);
    for (int s = 0; s < MPLAN_STRATEGY_OWNER_GATHER; s++)
        options.strategies[options.n_strategies++] = (mplan_strategy)s;
    assert_done(mplan_plan_create(mesh, 1, &loop, &options, NULL, &plan, &err), &err);
    mplan_mesh_free(mesh);
    return plan;
}

/* Small numbers in each type, which change nothing into a NaN. */
static void put_numbers(const struct kind_arg *arg, uint64_t *seed, char *rows)
{
    const size_t bytes = mplan_type_size(arg->type);
    for (int32_t i = 0; i < arg->dim * arg->members; i++) {
        const uint8_t n = (uint8_t)support_random(seed, 90);
        const float single = (float)n / 7;
        const double twice = (double)n / 7;
        memset(rows + (size_t)i * bytes, 0, bytes);
        memcpy(rows + (size_t)i * bytes,
               arg->type == MPLAN_TYPE_F32   ? (const void *)&single
               : arg->type == MPLAN_TYPE_F64 ? (const void *)&twice
                                             : (const void *)&n,
               arg->type == MPLAN_TYPE_F32 || arg->type == MPLAN_TYPE_F64 ? bytes : 1);
    }
}

/* Two launches by a function or by the kernel; rows: what they leave, MOST_BYTES for each arg. */
static void run_kinds(const mplan_plan *plan, mplan_executor executor, int32_t variant,
                      bool function, char *rows)
{
    uint64_t seed = 9;
    mplan_error err;
    mplan_exec_loop *bound;
    const pair_parameters parameters = {0.3};
    mplan_exec *exec = support_exec_open(plan, executor, 0);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    for (int a = 0; a < KINDS; a++) {
        const struct kind_arg *arg = &kind_arg[a];
        put_numbers(arg, &seed, rows);
        assert_done(mplan_exec_upload(exec, arg->dat, rows, arg->members, arg->dim, arg->type, &err),
                    &err);
    }
    assert_done(function
                    ? mplan_exec_bind_function(exec, "kinds", variant, kinds_function, &bound, &err)
                    : mplan_exec_bind(exec, "kinds", variant, &kinds_host, &bound, &err),
                &err);
    for (int launch = 0; launch < 2; launch++)
        assert_done(function ? mplan_exec_launch_function(exec, bound, &parameters, &err)
                             : mplan_exec_launch(exec, bound, &parameters, NULL, &err),
                    &err);
    memset(rows, 0, KINDS * (size_t)MOST_BYTES);
    for (int a = 0; a < KINDS; a++)
        assert_done(mplan_exec_download(exec, kind_arg[a].dat, rows + a * (size_t)MOST_BYTES,
                                        kind_arg[a].members, kind_arg[a].dim, kind_arg[a].type, &err),
                    &err);
    mplan_exec_close(exec);
}

static void functions_take_args_of_all_kinds(void **state)
{
    (void)state;
    static char rows[2][KINDS * (size_t)MOST_BYTES];
    mplan_plan *plan = plan_of_kinds();
    for (int e = MPLAN_EXECUTOR_SERIAL; e <= MPLAN_EXECUTOR_HOST; e++)
        for (int32_t v = 0; v < mplan_plan_get_loop(plan, 0)->n_variants; v++) {
            run_kinds(plan, (mplan_executor)e, v, false, rows[0]);
            run_kinds(plan, (mplan_executor)e, v, true, rows[1]);
            assert_memory_equal(rows[0], rows[1], sizeof rows[0]);
        }
    mplan_plan_free(plan);
}

/* A loop over elements that reads a ragged map, whose views a function cannot know the lengths of. */
static mplan_plan *plan_of_ragged(void)
{
    mplan_error err;
    mplan_plan *plan;
    const int64_t offsets[] = {0, 1, 3};
    const int32_t values[] = {0, 1, 2};
    const mplan_arg args[] = {{"q", "rag", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    const mplan_loop loop = {"pair", "from", true, 1, 0, 1, args};
    mplan_mesh *mesh;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "from", 2, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "to", 3, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "rag", 0, 1, 0, offsets, values, NULL, &err), &err);
    assert_done(mplan_plan_create(mesh, 1, &loop, NULL, NULL, &plan, &err), &err);
    mplan_mesh_free(mesh);
    return plan;
}

static void what_functions_cannot_take_is_refused(void **state)
{
    (void)state;
    mplan_error err;
    mplan_exec_loop *bound;
    const char *const says[] = {"an element has views of 4104 bytes; functions take at most 4096",
                                "arg q: functions take no args through ragged maps, as rag is"};
    for (int i = 0; i < 2; i++) {
        mplan_plan *plan = i == 0 ? plan_of(MPLAN_RW, MPLAN_TYPE_F64, 503) : plan_of_ragged();
        mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_HOST, 0);
        assert_done(mplan_exec_declare_all(exec, &err), &err);
        assert_refused(mplan_exec_bind_function(exec, "pair", 0, pair_function, &bound, &err),
                       MPLAN_ERR_UNSUPPORTED, &err, says[i]);
        assert_refused(mplan_exec_bind_function(exec, "pears", 0, pair_function, &bound, &err),
                       MPLAN_ERR_ARGUMENT, &err, "no loop pears");
        mplan_exec_close(exec);
        mplan_plan_free(plan);
    }
}

/* The most numbers that an element may have. */
static void many_numbers_fit(void **state)
{
    (void)state;
    mplan_error err;
    mplan_exec_loop *bound;
    mplan_plan *plan = plan_of(MPLAN_RW, MPLAN_TYPE_F64, 502);
    mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_HOST, 0);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_done(mplan_exec_bind_function(exec, "pair", 0, pair_function, &bound, &err), &err);
    mplan_exec_close(exec);
    mplan_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_give_the_bits_of_kernels),
        cmocka_unit_test(functions_run_in_parts),
        cmocka_unit_test(functions_take_args_of_all_kinds),
        cmocka_unit_test(what_functions_cannot_take_is_refused),
        cmocka_unit_test(many_numbers_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
