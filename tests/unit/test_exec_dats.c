/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec_dats.c - the executor's dats, refusals and reductions */
#include "support_exec.h"
#include "support_test.h"

#include <math.h>

#include "apps/apps.h"
#include "exec/exec.h"

/* --- dats ---------------------------------------------------------------------------------- */

static void check_holes(const mplan_exec *exec, const char *name)
{
    const mplan_exec_dat *dat = &exec->dats[mplan_exec_find_dat(exec, name)];
    const int32_t *old_of_new = mplan_plan_data(exec->plan,
                                                mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, dat->set),
                                                MPLAN_TYPE_I32, NULL);
    size_t size = mplan_type_size(dat->type);
    for (int64_t i = 0; i < dat->storage_size; i++)
        for (int32_t c = 0; c < dat->dim && old_of_new[i] < 0; c++) {
            static const char zero[8];
            int64_t at = dat->layout == MPLAN_LAYOUT_SOA ? c * dat->storage_size + i
                                                         : i * dat->dim + c;
            assert_memory_equal((const char *)dat->data + (size_t)at * size, zero, size);
        }
}

static void test_round_trip(void **state)
{
    (void)state;
    uint64_t seed = 9;
    mplan_error err;
    for (int round = 0; round < 24; round++) {
        mplan_mesh *mesh;
        mplan_plan *plan = support_exec_with_holes(&seed, &mesh);
        mplan_exec *exec = support_exec_open(plan, (mplan_executor)(round % 3), 0);
        mplan_type type = (mplan_type)(1 + round % 6);
        int32_t dim = 1 + (int32_t)support_random(&seed, 5);
        int64_t n = mplan_mesh_set(mesh, 0).size;
        size_t bytes = (size_t)(n * dim) * mplan_type_size(type);
        unsigned char *in = malloc(bytes + 1), *out = malloc(bytes + 1);
        for (size_t i = 0; i < bytes; i++)
            in[i] = (unsigned char)support_random(&seed, 256);
        assert_done(mplan_exec_declare(exec, "mine", "a", dim, type, round / 6 % 2, &err), &err);
        assert_done(mplan_exec_download(exec, "mine", out, n, dim, type, &err), &err);
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(out[i], 0);
        assert_done(mplan_exec_upload(exec, "mine", in, n, dim, type, &err), &err);
        assert_done(mplan_exec_download(exec, "mine", out, n, dim, type, &err), &err);
        assert_memory_equal(in, out, bytes);
        check_holes(exec, "mine");
        assert_done(mplan_exec_fill(exec, "mine", 0xA5, &err), &err);
        assert_done(mplan_exec_download(exec, "mine", out, n, dim, type, &err), &err);
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(out[i], 0xA5);
        check_holes(exec, "mine");
        free(in);
        free(out);
        mplan_exec_close(exec);
        mplan_plan_free(plan);
        mplan_mesh_free(mesh);
    }
}

/* What the caller says of its rows is compared before a byte moves, whatever it is. */
static void test_rows_that_differ(void **state)
{
    (void)state;
    uint64_t seed = 5;
    mplan_error err;
    mplan_mesh *mesh;
    mplan_plan *plan = support_exec_with_holes(&seed, &mesh);
    const int64_t n = mplan_mesh_set(mesh, 0).size;
    double *rows = malloc((size_t)(3 * n) * sizeof *rows),
           *kept = malloc((size_t)(3 * n) * sizeof *kept);
    char sentence[160];
    for (int64_t i = 0; i < 3 * n; i++)
        rows[i] = kept[i] = (double)i + 0.5;
    for (int e = 0; e < 3; e++) {
        mplan_exec *exec = support_exec_open(plan, (mplan_executor)e, 0);
        assert_done(mplan_exec_declare(exec, "mine", "a", 3, MPLAN_TYPE_F64, -1, &err), &err);
        assert_done(mplan_exec_upload(exec, "mine", rows, n, 3, MPLAN_TYPE_F64, &err), &err);
        const struct {
            int64_t n;
            int32_t dim;
            mplan_type type;
            const char *says;
        } wrong[] = {{n - 1, 3, MPLAN_TYPE_F64, "rows"},
                     {n + 1, 3, MPLAN_TYPE_F64, "rows"},
                     {0, 3, MPLAN_TYPE_F64, "rows"},
                     {-1, 3, MPLAN_TYPE_F64, "rows"},
                     {INT64_MAX, 3, MPLAN_TYPE_F64, "rows"},
                     {3 * n, 1, MPLAN_TYPE_F64, "rows"},
                     {n, 2, MPLAN_TYPE_F64, "has dim 3, not 2"},
                     {n, 4, MPLAN_TYPE_F64, "has dim 3, not 4"},
                     {n, 0, MPLAN_TYPE_F64, "has dim 3, not 0"},
                     {n, -3, MPLAN_TYPE_F64, "has dim 3, not -3"},
                     {n, 3, MPLAN_TYPE_I64, "is of type f64 (6), not i64 (4)"},
                     {n, 3, MPLAN_TYPE_F32, "is of type f64 (6), not f32 (5)"},
                     {n, 3, (mplan_type)9, "is of type f64 (6), not unknown (9)"}};
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            snprintf(sentence, sizeof sentence,
                     "dat mine has %lld rows, one for each member of set a, "
                     "not %lld",
                     (long long)n, (long long)wrong[i].n);
            const char *says = wrong[i].n == n ? wrong[i].says : sentence;
            assert_refused(mplan_exec_upload(exec, "mine", rows, wrong[i].n, wrong[i].dim,
                                             wrong[i].type, &err),
                           MPLAN_ERR_ARGUMENT, &err, says);
            assert_non_null(strstr(err.text, "dat mine"));
            memset(rows, 0xA5, (size_t)(3 * n) * sizeof *rows);
            assert_refused(mplan_exec_download(exec, "mine", rows, wrong[i].n, wrong[i].dim,
                                               wrong[i].type, &err),
                           MPLAN_ERR_ARGUMENT, &err, says);
            for (size_t b = 0; b < (size_t)(3 * n) * sizeof *rows; b++)
                assert_int_equal(((unsigned char *)rows)[b], 0xA5);
        }
        assert_refused(mplan_exec_upload(exec, "mine", NULL, n, 3, MPLAN_TYPE_F64, &err),
                       MPLAN_ERR_ARGUMENT, &err, "dat mine: rows must not be NULL");
        assert_refused(mplan_exec_download(exec, "mine", NULL, n, 3, MPLAN_TYPE_F64, &err),
                       MPLAN_ERR_ARGUMENT, &err, "dat mine: rows must not be NULL");
        assert_done(mplan_exec_download(exec, "mine", rows, n, 3, MPLAN_TYPE_F64, &err), &err);
        assert_memory_equal(rows, kept, (size_t)(3 * n) * sizeof *rows);
        mplan_exec_close(exec);
    }
    free(rows);
    free(kept);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

static void test_declare(void **state)
{
    (void)state;
    uint64_t seed = 1;
    mplan_error err;
    mplan_mesh *mesh;
    char byte;
    mplan_plan *plan = support_exec_with_holes(&seed, &mesh);
    mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_HOST, 0);
    assert_refused(mplan_exec_declare(exec, "x", "d", 1, MPLAN_TYPE_F64, -1, &err),
                   MPLAN_ERR_ARGUMENT, &err, "the plan has no set d");
    assert_refused(mplan_exec_declare(exec, "x", "a", 0, MPLAN_TYPE_F64, -1, &err),
                   MPLAN_ERR_ARGUMENT, &err, "0 numbers per member");
    assert_refused(mplan_exec_declare(exec, "x", "a", 1, (mplan_type)9, -1, &err),
                   MPLAN_ERR_ARGUMENT, &err, "no type number 9");
    assert_refused(mplan_exec_declare(exec, "x", "a", 1, MPLAN_TYPE_F64, 2, &err),
                   MPLAN_ERR_ARGUMENT, &err, "no layout number 2");
    assert_refused(mplan_exec_declare(exec, "count", "b", 1, MPLAN_TYPE_F64, -1, &err),
                   MPLAN_ERR_ARGUMENT, &err,
                   "dat count is 1 x i32 on set b in the plan, not 1 x f64 on set b");
    assert_refused(mplan_exec_declare(exec, "count", "a", 1, MPLAN_TYPE_I32, -1, &err),
                   MPLAN_ERR_ARGUMENT, &err, "on set b in the plan");
    assert_done(mplan_exec_declare(exec, "count", "b", 1, MPLAN_TYPE_I32, -1, &err), &err);
    assert_refused(mplan_exec_declare(exec, "count", "b", 1, MPLAN_TYPE_I32, -1, &err),
                   MPLAN_ERR_ARGUMENT, &err, "already declared");
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_true(mplan_exec_find_dat(exec, "q") >= 0 && mplan_exec_find_dat(exec, "w") >= 0);
    assert_refused(mplan_exec_upload(exec, "none", &byte, 1, 1, MPLAN_TYPE_U8, &err),
                   MPLAN_ERR_ARGUMENT, &err, "dat none is not declared");
    assert_refused(mplan_exec_download(exec, "none", &byte, 1, 1, MPLAN_TYPE_U8, &err),
                   MPLAN_ERR_ARGUMENT, &err, "not declared");
    assert_refused(mplan_exec_fill(exec, "none", 0, &err), MPLAN_ERR_ARGUMENT, &err, "not declared");
    mplan_exec_close(exec);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* --- refusals --------------------------------------------------------------------------------- */

static void test_open_refusals(void **state)
{
    (void)state;
    uint64_t seed = 1, other;
    mplan_error err;
    mplan_mesh *mesh;
    mplan_exec *exec;
    mplan_plan *plan = support_exec_with_holes(&seed, &mesh);
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_set sets[] = {{"elsewhere", 3}, {"b", mplan_mesh_set(mesh, 1).size}};
    options.n_sets = 2;
    options.sets = sets;
    uint64_t topology = mplan_plan_fingerprints(plan).topology;
    options.topology = &topology;
    assert_done(mplan_exec_open(plan, &options, &exec, &err), &err);
    mplan_exec_close(exec);
    sets[1].size++;
    assert_refused(mplan_exec_open(plan, &options, &exec, &err), MPLAN_ERR_OTHER_MESH, &err,
                   "set b has");
    sets[1].size--;
    other = topology + 1;
    options.topology = &other;
    assert_refused(mplan_exec_open(plan, &options, &exec, &err), MPLAN_ERR_OTHER_MESH, &err,
                   "topology");
    options = (mplan_exec_options)MPLAN_EXEC_OPTIONS_INIT;
    options.threads = -1;
    assert_refused(mplan_exec_open(plan, &options, &exec, &err), MPLAN_ERR_ARGUMENT, &err, "threads");
    options = (mplan_exec_options)MPLAN_EXEC_OPTIONS_INIT;
    options.struct_size = 4;
    assert_refused(mplan_exec_open(plan, &options, &exec, &err), MPLAN_ERR_ARGUMENT, &err, "4 bytes");
    options = (mplan_exec_options)MPLAN_EXEC_OPTIONS_INIT;
    options.executor = MPLAN_N_EXECUTORS;
    assert_refused(mplan_exec_open(plan, &options, &exec, &err), MPLAN_ERR_ARGUMENT, &err,
                   "no executor number 4");
#ifndef MPLAN_HAVE_CUDA
    options.executor = MPLAN_EXECUTOR_CUDA;
    assert_refused(mplan_exec_open(plan, &options, &exec, &err), MPLAN_ERR_UNSUPPORTED, &err,
                   "no CUDA; cmake -DMPLAN_WITH_CUDA=ON");
    double seconds;
    int64_t bytes;
    assert_refused(mplan_app_load_rate("x.mplan", 0, &seconds, &bytes, &err), MPLAN_ERR_UNSUPPORTED,
                   &err, "no CUDA");
#endif
    assert_done(mplan_exec_open(plan, NULL, &exec, &err), &err);
    mplan_exec_close(exec);
    mplan_exec_close(NULL);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* Binds the right kernel with one of its args changed. */
static void refuse_arg(mplan_exec *exec, const support_exec_case *test, int32_t a,
                       mplan_kernel_arg wrong, mplan_status expected, const char *part)
{
    mplan_error err;
    mplan_exec_loop *bound;
    mplan_kernel kernel = *test->kernel;
    mplan_kernel_arg args[SUPPORT_EXEC_ARGS];
    memcpy(args, kernel.args, (size_t)kernel.n_args * sizeof *args);
    args[a] = wrong;
    kernel.args = args;
    assert_refused(mplan_exec_bind(exec, kernel.name, -1, &kernel, &bound, &err), expected, &err,
                   part);
}

static mplan_status record_nothing(void *user, void *stream, mplan_error *err)
{
    (void)user;
    (void)stream;
    (void)err;
    return MPLAN_OK;
}

static void test_bind_refusals(void **state)
{
    (void)state;
    uint64_t seed = 1;
    mplan_error err;
    mplan_mesh *mesh;
    mplan_exec_loop *bound;
    const support_exec_case *test = support_exec_find("knots");
    const mplan_kernel_arg *own = test->kernel->args;
    mplan_plan *plan = support_exec_with_holes(&seed, &mesh);
    mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_HOST, 0);
    assert_refused(mplan_exec_bind(exec, "support_knots", -1, test->kernel, &bound, &err),
                   MPLAN_ERR_ARGUMENT, &err, "dat q is not declared");
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_refused(mplan_exec_bind(exec, "nothing", -1, test->kernel, &bound, &err),
                   MPLAN_ERR_ARGUMENT, &err, "the plan has no loop nothing");
    assert_refused(mplan_exec_bind(exec, "support_knots", 99, test->kernel, &bound, &err),
                   MPLAN_ERR_ARGUMENT, &err, "not 99");
    assert_refused(mplan_exec_bind(exec, "support_knots", -1, support_exec_find("flux")->kernel,
                                   &bound, &err),
                   MPLAN_ERR_ARGUMENT, &err, "it has 3 args, the loop 6");
    mplan_kernel_arg wrong = own[0];
    wrong.dim = 3;
    refuse_arg(exec, test, 0, wrong, MPLAN_ERR_ARGUMENT,
               "arg 0 (q) has dim 3 in the kernel and 2 in the plan");
    wrong = own[1];
    wrong.arity = 2;
    refuse_arg(exec, test, 1, wrong, MPLAN_ERR_ARGUMENT, "arg 1 (u) has arity 2");
    wrong = own[3];
    wrong.type = MPLAN_TYPE_F32;
    refuse_arg(exec, test, 3, wrong, MPLAN_ERR_ARGUMENT, "is of type f32 in the kernel and i32");
    wrong = own[2];
    wrong.access = MPLAN_READ;
    refuse_arg(exec, test, 2, wrong, MPLAN_ERR_ARGUMENT, "has access read in the kernel and inc");
    wrong = own[5];
    wrong.map = "a_b";
    refuse_arg(exec, test, 5, wrong, MPLAN_ERR_ARGUMENT, "through a map in the kernel and directly");
    wrong = own[0];
    wrong.map = "";
    refuse_arg(exec, test, 0, wrong, MPLAN_ERR_ARGUMENT, "directly in the kernel and through a map");
    wrong = own[4];
    wrong.map = "a_b";
    refuse_arg(exec, test, 4, wrong, MPLAN_ERR_ARGUMENT, "go through one map a_b in the kernel");
    wrong = own[3];
    wrong.map = "other";
    refuse_arg(exec, test, 3, wrong, MPLAN_ERR_ARGUMENT, "which the kernel calls a_b2 and other");
    mplan_kernel kernel = *test->kernel;
    kernel.run = NULL;
    assert_refused(mplan_exec_bind(exec, "support_knots", -1, &kernel, &bound, &err),
                   MPLAN_ERR_ARGUMENT, &err, "use support_knots_host");
    mplan_exec_graph *graph;
    assert_refused(mplan_exec_capture(exec, record_nothing, NULL, &graph, &err),
                   MPLAN_ERR_UNSUPPORTED, &err, "cannot capture graphs");
    mplan_exec_graph_free(NULL);
    mplan_exec_close(exec);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* A plan of a loop over faces with two args. */
static mplan_plan *plan_of_args(const mplan_arg *args, mplan_strategy strategy, mplan_mesh **mesh)
{
    uint64_t seed = 2;
    mplan_error err;
    mplan_plan *plan;
    *mesh = support_exec_find("corners-quad")->make(&seed);
    mplan_loop loop = {"odd", "faces", true, 1, 0, 2, args};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.n_strategies = 1;
    options.strategies[0] = strategy;
    assert_done(mplan_plan_create(*mesh, 1, &loop, &options, NULL, &plan, &err), &err);
    return plan;
}

/* A dat is one thing, whichever loop it was declared by: else launches would write beyond it. */
static void test_dats_that_disagree(void **state)
{
    (void)state;
    static const mplan_arg args[] = {
        {"x", "faces_nodes", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
        {"q", NULL, MPLAN_RW, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    mplan_kernel_arg own[] = {{"x", "m", 2, 1, MPLAN_TYPE_F64, MPLAN_INC, false, false, false},
                              {"q", "", 1, 64, MPLAN_TYPE_F64, MPLAN_RW, false, false, false}};
    mplan_mesh *mesh;
    mplan_plan *plan = plan_of_args(args, MPLAN_STRATEGY_ATOMIC, &mesh);
    mplan_plan_arg *arg = (mplan_plan_arg *)(uintptr_t)plan->loops[0].args;
    mplan_error err;
    mplan_exec_loop *bound;
    mplan_kernel kernel = *support_exec_find("flux")->kernel;
    kernel.n_args = 2;
    kernel.args = own;
    mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_HOST, 0);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
#define REFUSED_AS(part)                                                                        \
    assert_refused(mplan_exec_bind(exec, "odd", -1, &kernel, &bound, &err), MPLAN_ERR_ARGUMENT, \
                   &err, part)
    arg[1].dim = 64; /* as if another loop had said 1 */
    REFUSED_AS("loop odd: dat q is 64 x f64 on set faces in arg 1, but was declared as 1 x f64");
    arg[1].dim = own[1].dim = 1;
    arg[1].type = own[1].type = MPLAN_TYPE_I64;
    REFUSED_AS("loop odd: dat q is 1 x i64 on set faces in arg 1, but was declared as 1 x f64");
    arg[1].type = own[1].type = MPLAN_TYPE_F64;
    const char *q = arg[1].dat;
    arg[1].dat = arg[0].dat;
    REFUSED_AS("loop odd: dat x is 1 x f64 on set faces in arg 1, but was declared as 1 x f64 on set "
               "nodes");
    arg[1].dat = q;
    assert_done(mplan_exec_bind(exec, "odd", -1, &kernel, &bound, &err), &err);
#undef REFUSED_AS
    mplan_exec_close(exec);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

static void test_missing_parameters(void **state)
{
    (void)state;
    uint64_t seed = 4;
    mplan_error err;
    const support_exec_case *test = support_exec_find("update");
    mplan_mesh *mesh = test->make(&seed);
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_plan *plan = support_exec_plan(test, mesh, &options);
    mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_SERIAL, 0);
    mplan_exec_loop *bound;
    double rate;
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_done(mplan_exec_bind(exec, "support_update", -1, test->kernel, &bound, &err), &err);
    assert_refused(mplan_exec_launch(exec, bound, NULL, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "needs its 8 bytes of parameters");
    mplan_exec *other = support_exec_open(plan, MPLAN_EXECUTOR_SERIAL, 0);
    assert_refused(mplan_exec_launch(other, bound, support_exec_parameters(test), NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "kernel support_update is bound to another executor");
    mplan_exec_close(other);
    assert_done(mplan_app_copy_rate(exec, &rate, &err), &err);
    assert_true(rate > 1e6);
    mplan_exec_close(exec);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* --- reductions ---------------------------------------------------------------------------------- */

/* The documented tree, by recursion over halves. */
static double halves(const double *leaf, int n, mplan_reduction reduction)
{
    if (n == 1)
        return leaf[0];
    double a = halves(leaf, n / 2, reduction), b = halves(leaf + n / 2, n / 2, reduction);
    return reduction == MPLAN_SUM ? a + b : reduction == MPLAN_MIN ? fmin(a, b) : fmax(a, b);
}

/* Halving adds i and i + 128 first: in the order of reversed bits that is pairing neighbours. */
static double node_of(const double *value, int64_t n, double neutral, mplan_reduction reduction)
{
    double leaf[256];
    for (int i = 0; i < 256; i++) {
        int reversed = 0;
        for (int bit = 0; bit < 8; bit++)
            reversed |= (i >> bit & 1) << (7 - bit);
        leaf[i] = reversed < n ? value[reversed] : neutral;
    }
    return halves(leaf, 256, reduction);
}

static double tree_of(double *value, int64_t n, double neutral, mplan_reduction reduction)
{
    do {
        int64_t up = 0;
        for (int64_t i = 0; i < n; i += 256)
            value[up++] = node_of(value + i, n - i, neutral, reduction);
        n = up;
    } while (n > 1);
    return value[0];
}

static void check_reduction(mplan_exec *exec, const mplan_exec_dat *dat, const double *plain,
                            int64_t n, int32_t c, mplan_reduction reduction)
{
    mplan_error err;
    double result, sum = 0, least = INFINITY, most = -INFINITY;
    double neutral = reduction == MPLAN_SUM ? 0 : reduction == MPLAN_MIN ? INFINITY : -INFINITY;
    const int32_t *old_of_new = mplan_plan_data(exec->plan,
                                                mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, dat->set),
                                                MPLAN_TYPE_I32, NULL);
    double *value = malloc((size_t)(dat->storage_size + 1) * sizeof *value);
    for (int64_t i = 0; i < dat->storage_size; i++)
        value[i] = old_of_new[i] < 0 ? neutral : plain[old_of_new[i] * dat->dim + c];
    for (int64_t i = 0; i < n; i++) {
        sum += plain[i * dat->dim + c];
        least = fmin(least, plain[i * dat->dim + c]);
        most = fmax(most, plain[i * dat->dim + c]);
    }
    assert_done(mplan_exec_reduce(exec, dat->name, c, reduction, &result, &err), &err);
    double tree = tree_of(value, dat->storage_size, neutral, reduction);
    assert_memory_equal(&result, &tree, sizeof tree);
    if (reduction == MPLAN_SUM)
        assert_true(fabs(result - sum) <= 1e-12 * (double)n);
    else
        assert_true(result == (reduction == MPLAN_MIN ? least : most));
    free(value);
}

static void reduce_all(const mplan_plan *plan, const char *set, uint64_t *seed,
                       mplan_executor executor)
{
    mplan_error err;
    mplan_exec *exec = support_exec_open(plan, executor, 0);
    int64_t n = mplan_plan_get_set(plan, mplan_plan_find_set(plan, set))->size;
    double *plain = malloc((size_t)(3 * n + 1) * sizeof *plain);
    float *single = malloc((size_t)(3 * n + 1) * sizeof *single);
    for (int64_t i = 0; i < 3 * n; i++) {
        single[i] = 0.5f + (float)support_random(seed, 1 << 20) / (1 << 20);
        plain[i] = (double)single[i];
    }
    assert_done(mplan_exec_declare(exec, "p", set, 3, MPLAN_TYPE_F32, 1, &err), &err);
    assert_done(mplan_exec_upload(exec, "p", single, n, 3, MPLAN_TYPE_F32, &err), &err);
    for (int32_t c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            check_reduction(exec, &exec->dats[0], plain, n, c, (mplan_reduction)r);
    for (int64_t i = 0; i < 3 * n; i++)
        plain[i] = (double)support_random(seed, 1 << 30) / 3e9;
    assert_done(mplan_exec_declare(exec, "z", set, 3, MPLAN_TYPE_F64, 0, &err), &err);
    assert_done(mplan_exec_upload(exec, "z", plain, n, 3, MPLAN_TYPE_F64, &err), &err);
    for (int32_t c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            check_reduction(exec, &exec->dats[1], plain, n, c, (mplan_reduction)r);
    double result;
    assert_refused(mplan_exec_reduce(exec, "z", 3, MPLAN_SUM, &result, &err), MPLAN_ERR_ARGUMENT,
                   &err, "components 0 to 2, not 3");
    assert_refused(mplan_exec_reduce(exec, "s", 0, MPLAN_SUM, &result, &err), MPLAN_ERR_ARGUMENT,
                   &err, "not declared");
    assert_done(mplan_exec_declare(exec, "k", set, 1, MPLAN_TYPE_I32, 0, &err), &err);
    assert_refused(mplan_exec_reduce(exec, "k", 0, MPLAN_SUM, &result, &err), MPLAN_ERR_ARGUMENT,
                   &err, "type i32 cannot be reduced");
    free(plain);
    free(single);
    mplan_exec_close(exec);
}

static void test_reduce(void **state)
{
    (void)state;
    uint64_t seed = 21;
    for (int round = 0; round < 6; round++) {
        mplan_mesh *mesh;
        mplan_plan *plan = support_exec_with_holes(&seed, &mesh);
        reduce_all(plan, "a", &seed, (mplan_executor)(round % 3));
        mplan_plan_free(plan);
        mplan_mesh_free(mesh);
    }
    /* more than one level, twice */
    const int64_t sizes[] = {255, 256, 257, 65536, 65537, 1};
    for (int i = 0; i < 6; i++) {
        mplan_error err;
        mplan_mesh *mesh;
        mplan_plan *plan;
        static const mplan_arg arg = {"q", NULL, MPLAN_RW, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE};
        static const mplan_loop loop = {"update", "cells", true, 1, 0, 1, &arg};
        assert_done(mplan_mesh_create(&mesh, &err), &err);
        assert_done(mplan_mesh_add_set(mesh, "cells", sizes[i], NULL, &err), &err);
        assert_done(mplan_plan_create(mesh, 1, &loop, NULL, NULL, &plan, &err), &err);
        reduce_all(plan, "cells", &seed, i % 2 ? MPLAN_EXECUTOR_OPENMP : MPLAN_EXECUTOR_SERIAL);
        mplan_plan_free(plan);
        mplan_mesh_free(mesh);
    }
}

/* A set of one member has a row as well: it must be there. */
static void one_row_is_needed(void **state)
{
    (void)state;
    static const mplan_arg arg = {"q", NULL, MPLAN_RW, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE};
    static const mplan_loop loop = {"update", "cells", true, 1, 0, 1, &arg};
    mplan_error err;
    mplan_mesh *mesh;
    mplan_plan *plan;
    mplan_exec *exec = NULL;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", 1, NULL, &err), &err);
    assert_done(mplan_plan_create(mesh, 1, &loop, NULL, NULL, &plan, &err), &err);
    assert_done(mplan_exec_open(plan, NULL, &exec, &err), &err);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_refused(mplan_exec_upload(exec, "q", NULL, 1, 1, MPLAN_TYPE_F64, &err),
                   MPLAN_ERR_ARGUMENT, &err, "dat q: rows must not be NULL");
    assert_refused(mplan_exec_download(exec, "q", NULL, 1, 1, MPLAN_TYPE_F64, &err),
                   MPLAN_ERR_ARGUMENT, &err, "dat q: rows must not be NULL");
    mplan_exec_close(exec);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

static void test_names(void **state)
{
    (void)state;
    mplan_executor value;
    for (int i = 0; i < MPLAN_N_EXECUTORS; i++) {
        assert_true(mplan_executor_from(mplan_executor_name((mplan_executor)i), &value));
        assert_int_equal(value, i);
    }
    assert_null(mplan_executor_name(MPLAN_N_EXECUTORS));
    assert_false(mplan_executor_from("gpu", &value));
    assert_string_equal(mplan_status_name(MPLAN_ERR_DEVICE), "device failed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_row_is_needed),       cmocka_unit_test(test_names),
        cmocka_unit_test(test_rows_that_differ),   cmocka_unit_test(test_declare),
        cmocka_unit_test(test_round_trip),         cmocka_unit_test(test_open_refusals),
        cmocka_unit_test(test_bind_refusals),      cmocka_unit_test(test_dats_that_disagree),
        cmocka_unit_test(test_dats_that_disagree), cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_missing_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
