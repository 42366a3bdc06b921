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

/* Rows of 0 to 4 entries, read and added to: by a function, whose third and fourth pointers lead to the numbers of entries. */
#define RAGGED_ARGS(ARG)                  \
    ARG(RAGGED, q, rag, 4, 2, f32, READ)  \
    ARG(DIRECT, w, 1, f64, WRITE)         \
    ARG(RAGGED, sum, rag, 4, 1, f64, INC) \
    ARG(RAGGED, top, rag, 4, 1, i32, MAX)
MPLAN_VIEWS_ANY(ragged, RAGGED_ARGS)
MPLAN_FN void ragged(ragged_views *v, const pair_parameters *p)
{
    v->w[0] = v->q_n;
    for (int s = 0; s < v->q_n; s++)
        v->w[0] += p->factor * v->q[s][0] - v->q[s][1];
    for (int s = 0; s < v->sum_n; s++) {
        v->sum[s][0] = v->w[0] / (s + 1);
        v->top[s][0] = (int32_t)v->q[v->top_n - 1 - s][0];
    }
}
MPLAN_KERNEL_ANY(ragged, RAGGED_ARGS, pair_parameters)

static void ragged_function(void *const *views, const void *user)
{
    ragged_views v;
    memcpy(v.q, views[0], sizeof v.q);
    memcpy(v.sum, views[2], sizeof v.sum);
    memcpy(v.top, views[3], sizeof v.top);
    v.q_n = *(const int32_t *)views[4];
    v.sum_n = *(const int32_t *)views[5];
    v.top_n = *(const int32_t *)views[6];
    ragged(&v, user);
    memcpy(views[1], v.w, sizeof v.w);
    memcpy(views[2], v.sum, sizeof v.sum);
    memcpy(views[3], v.top, sizeof v.top);
}

/* longest: entries of the longest row. */
static mplan_mesh *make_ragged_mesh(int32_t longest)
{
    uint64_t seed = 11;
    mplan_error err;
    mplan_mesh *mesh;
    static int64_t offsets[ELEMENTS + 1];
    int32_t *values = calloc((size_t)ELEMENTS * 4 + (size_t)longest, sizeof *values);
    assert_non_null(values);
    for (int e = 0; e < ELEMENTS; e++)
        offsets[e + 1] = offsets[e] + (e == 3 ? longest : (int64_t)support_random(&seed, 5));
    for (int64_t i = 0; i < offsets[ELEMENTS]; i++)
        values[i] = (int32_t)support_random(&seed, POINTS);
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "elements", ELEMENTS, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "points", POINTS, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "rag", 0, 1, 0, offsets, values, NULL, &err), &err);
    free(values);
    return mesh;
}

/* The args of the kernel, but through a ragged map of the mesh. */
static mplan_loop ragged_loop(mplan_arg *args)
{
    mplan_error err;
    mplan_loop loop;
    assert_done(mplan_kernel_loop(&ragged_host, "elements", args, &loop, &err), &err);
    return loop;
}

static void run_ragged(mplan_exec *exec, int32_t variant, bool function, double *w, double *sum,
                       int32_t *top)
{
    uint64_t seed = 12;
    mplan_error err;
    mplan_exec_loop *bound;
    const pair_parameters parameters = {0.7};
    static float q[2 * POINTS];
    for (int i = 0; i < 2 * POINTS; i++)
        q[i] = (float)support_random(&seed, 1000) / 9;
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_done(mplan_exec_upload(exec, "q", q, POINTS, 2, MPLAN_TYPE_F32, &err), &err);
    if (function) {
        assert_done(mplan_exec_bind_function(exec, "ragged", variant, ragged_function, &bound, &err),
                    &err);
        assert_done(mplan_exec_launch_function(exec, bound, &parameters, &err), &err);
    } else {
        assert_done(mplan_exec_bind(exec, "ragged", variant, &ragged_host, &bound, &err), &err);
        assert_done(mplan_exec_launch(exec, bound, &parameters, NULL, &err), &err);
    }
    assert_done(mplan_exec_download(exec, "w", w, ELEMENTS, 1, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_download(exec, "sum", sum, POINTS, 1, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_download(exec, "top", top, POINTS, 1, MPLAN_TYPE_I32, &err), &err);
    mplan_exec_close(exec);
}

/* parts NULL: of a plan of all strategies that take ragged maps; else of a bundle, whose longest rows are in one part. */
static void compare_ragged(const mplan_plan *plan, const support_parts *parts, int32_t n_variants)
{
    static double w[2][ELEMENTS], sum[2][POINTS];
    static int32_t top[2][POINTS];
    mplan_rank_options ranks = MPLAN_RANK_OPTIONS_INIT;
    ranks.ranks = 2;
    for (int e = MPLAN_EXECUTOR_SERIAL; e <= MPLAN_EXECUTOR_HOST; e++)
        for (int32_t v = 0; v < n_variants; v++) {
            for (int function = 0; function < 2; function++)
                run_ragged(parts ? support_parts_open(parts, NULL, (mplan_executor)e, &ranks)
                                 : support_exec_open(plan, (mplan_executor)e, 0),
                           v, function, w[function], sum[function], top[function]);
            assert_memory_equal(w[0], w[1], sizeof w[0]);
            assert_memory_equal(sum[0], sum[1], sizeof sum[0]);
            assert_memory_equal(top[0], top[1], sizeof top[0]);
        }
}

static void functions_take_ragged_maps(void **state)
{
    (void)state;
    static const mplan_strategy strategies[] = {MPLAN_STRATEGY_GLOBAL_COLOUR,
                                                MPLAN_STRATEGY_BLOCK_COLOUR,
                                                MPLAN_STRATEGY_TWO_STEP, MPLAN_STRATEGY_ATOMIC};
    static int32_t of_elements[ELEMENTS], of_points[POINTS];
    int32_t *part_of[2] = {of_elements, of_points};
    mplan_error err;
    mplan_plan *plan;
    mplan_arg args[4];
    support_parts parts;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_mesh *mesh = make_ragged_mesh(4);
    const mplan_loop loop = ragged_loop(args);
    for (int s = 0; s < 4; s++)
        options.strategies[options.n_strategies++] = strategies[s];
    assert_done(mplan_plan_create(mesh, 1, &loop, &options, NULL, &plan, &err), &err);
    compare_ragged(plan, NULL, 4);
    mplan_plan_free(plan);
    for (int i = 0; i < ELEMENTS; i++)
        of_elements[i] = i % 3;
    for (int i = 0; i < POINTS; i++)
        of_points[i] = i % 3;
    support_parts_make(mesh, 1, &loop, 3, part_of, &parts);
    compare_ragged(NULL, &parts, 2);
    support_parts_free(&parts);
    mplan_mesh_free(mesh);
}

static mplan_plan *plan_of_long_rows(void)
{
    mplan_error err;
    mplan_plan *plan;
    mplan_arg args[4];
    mplan_mesh *mesh = make_ragged_mesh(205);
    const mplan_loop loop = ragged_loop(args);
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
                                "loop ragged: an element has views of 4112 bytes"};
    for (int i = 0; i < 2; i++) {
        mplan_plan *plan = i == 0 ? plan_of(MPLAN_RW, MPLAN_TYPE_F64, 503) : plan_of_long_rows();
        mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_HOST, 0);
        assert_done(mplan_exec_declare_all(exec, &err), &err);
        assert_refused(mplan_exec_bind_function(exec, i == 0 ? "pair" : "ragged", 0, pair_function,
                                                &bound, &err),
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
        cmocka_unit_test(functions_take_ragged_maps),
        cmocka_unit_test(what_functions_cannot_take_is_refused),
        cmocka_unit_test(many_numbers_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
