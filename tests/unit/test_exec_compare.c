/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec_compare.c - min and max through maps, under all strategies and encodings
 *
 * Beside sums, by one map of two points and by two maps with entries of -1, of all types that dats
 * have. What is compared has no rounding: all bits are those of plain loops, NaN and zeros of two signs
 * among the numbers. */
#include <math.h>
#include <stdlib.h>

#include "exec/meshplan_exec.h"
#include "support_test.h"

#define BOUNDS_ARGS(ARG)                           \
    ARG(MAPPED, x, cells_nodes, 2, 1, f64, READ)   \
    ARG(DIRECT, q, 2, f64, READ)                   \
    ARG(MAPPED, low, cells_nodes, 2, 2, f64, MIN)  \
    ARG(MAPPED, high, cells_nodes, 2, 1, i32, MAX) \
    ARG(MAPPED, count, cells_nodes, 2, 1, i64, INC)
MPLAN_VIEWS_ANY(bounds, BOUNDS_ARGS)
MPLAN_FN void bounds(bounds_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int s = 0; s < 2; s++) {
        v->low[s][0] = v->q[s];
        v->low[s][1] = v->x[1 - s][0] * v->q[0];
        if (v->q[0] > 0.25) /* else what was there at entry, which changes nothing */
            v->high[s][0] = (int32_t)(100 * v->q[0]) - s;
        v->count[s][0] = 1;
    }
}
MPLAN_KERNEL_ANY(bounds, BOUNDS_ARGS, mplan_no_parameters)

#define TYPES_ARGS(ARG)                          \
    ARG(DIRECT, q, 2, f64, READ)                 \
    ARG(MAPPED, a, cells_nodes, 2, 3, f32, MAX)  \
    ARG(MAPPED, b, cells_others, 3, 1, u8, MIN)  \
    ARG(MAPPED, c, cells_others, 3, 1, u16, MAX) \
    ARG(MAPPED, d, cells_others, 3, 2, i64, MIN)
MPLAN_VIEWS_ANY(types, TYPES_ARGS)
MPLAN_FN void types(types_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int s = 0; s < 2; s++)
        for (int c = 0; c < 3; c++)
            v->a[s][c] = (float)(v->q[0] * (c + s - 1));
    for (int s = 0; s < 3; s++) {
        v->b[s][0] = (uint8_t)(200 * v->q[0] + s);
        v->c[s][0] = (uint16_t)(60000 * v->q[0] + 3 - s);
        v->d[s][0] = (int64_t)(1e12 * v->q[0]) - s;
        v->d[s][1] = -7 - s;
    }
}
MPLAN_KERNEL_ANY(types, TYPES_ARGS, mplan_no_parameters)

enum { CELLS = 900, NODES = 310, OTHERS = 3 };

typedef struct compare_case {
    int32_t nodes[CELLS * 2], others[CELLS * OTHERS];
    double x[NODES], q[CELLS * 2];
} compare_case;

/* Pairs of neighbouring points, so that all encodings have them; the others with entries of -1. */
static void fill(compare_case *in)
{
    uint64_t seed = 23;
    for (int n = 0; n < NODES; n++)
        in->x[n] = (double)support_random(&seed, 1000) / 500 - 1;
    for (int c = 0; c < CELLS; c++) {
        in->nodes[2 * c] = (int32_t)support_random(&seed, NODES - 10);
        in->nodes[2 * c + 1] = in->nodes[2 * c] + 1 + (int32_t)support_random(&seed, 9);
        for (int s = 0; s < OTHERS; s++)
            in->others[OTHERS * c + s] = support_random(&seed, 5)
                                             ? (int32_t)support_random(&seed, NODES)
                                             : -1;
        const double odd[] = {0.0, -0.0, NAN, INFINITY};
        for (int s = 0; s < 2; s++)
            in->q[2 * c + s] = s == 1 && support_random(&seed, 3) == 0
                                   ? odd[support_random(&seed, 4)]
                                   : (double)support_random(&seed, 100000) / 100000;
    }
}

static mplan_mesh *mesh_of(const compare_case *in)
{
    mplan_mesh *mesh;
    mplan_error err;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", CELLS, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "nodes", NODES, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "cells_nodes", 0, 1, 2, NULL, in->nodes, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "cells_others", 0, 1, OTHERS, NULL, in->others, NULL, &err),
                &err);
    return mesh;
}

/* What min and max of doubles are, once more. */
static double least(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    return b < a || (b == a && signbit(b)) ? b : a;
}

/* Downloads a dat of the nodes, dim numbers each, and compares all bytes. */
static void expect(mplan_exec *exec, const char *dat, int32_t dim, mplan_type type, const void *due)
{
    static uint8_t found[NODES * 3 * 8];
    mplan_error err;
    assert_done(mplan_exec_download(exec, dat, found, NODES, dim, type, &err), &err);
    if (memcmp(found, due, (size_t)NODES * (size_t)dim * mplan_type_size(type)))
        fail_msg("%s has other bits", dat);
}

static void check_bounds(const compare_case *in, mplan_exec *exec)
{
    static double low[NODES * 2];
    static int32_t high[NODES];
    static int64_t count[NODES];
    for (int n = 0; n < NODES; n++) {
        low[2 * n] = 0.5;
        low[2 * n + 1] = NAN;
        high[n] = -3;
        count[n] = 1000;
    }
    for (int c = 0; c < CELLS; c++)
        for (int s = 0; s < 2; s++) {
            const int32_t n = in->nodes[2 * c + s], other = in->nodes[2 * c + 1 - s];
            const int32_t value = (int32_t)(100 * in->q[2 * c]) - s;
            low[2 * n] = least(low[2 * n], in->q[2 * c + s]);
            low[2 * n + 1] = least(low[2 * n + 1], in->x[other] * in->q[2 * c]);
            high[n] = in->q[2 * c] > 0.25 && value > high[n] ? value : high[n];
            count[n]++;
        }
    expect(exec, "low", 2, MPLAN_TYPE_F64, low);
    expect(exec, "high", 1, MPLAN_TYPE_I32, high);
    expect(exec, "count", 1, MPLAN_TYPE_I64, count);
}

static void begin_bounds(mplan_exec *exec)
{
    static double low[NODES * 2];
    static int32_t high[NODES];
    static int64_t count[NODES];
    mplan_error err;
    for (int n = 0; n < NODES; n++) {
        low[2 * n] = 0.5;
        low[2 * n + 1] = NAN; /* any number takes its place */
        high[n] = -3;
        count[n] = 1000;
    }
    assert_done(mplan_exec_upload(exec, "low", low, NODES, 2, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_upload(exec, "high", high, NODES, 1, MPLAN_TYPE_I32, &err), &err);
    assert_done(mplan_exec_upload(exec, "count", count, NODES, 1, MPLAN_TYPE_I64, &err), &err);
}

/* Dats begin at zero. */
static void check_types(const compare_case *in, mplan_exec *exec)
{
    static float a[NODES * 3];
    static uint8_t b[NODES];
    static uint16_t c[NODES];
    static int64_t d[NODES * 2];
    memset(a, 0, sizeof a), memset(b, 0, sizeof b), memset(c, 0, sizeof c), memset(d, 0, sizeof d);
    for (int e = 0; e < CELLS; e++) {
        const double q = in->q[2 * e];
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < 3; k++) {
                float *to = &a[3 * in->nodes[2 * e + s] + k], value = (float)(q * (k + s - 1));
                *to = value > *to ? value : *to;
            }
        for (int s = 0; s < OTHERS; s++) {
            const int32_t n = in->others[OTHERS * e + s];
            if (n < 0)
                continue;
            const uint16_t value = (uint16_t)(60000 * q + 3 - s);
            c[n] = value > c[n] ? value : c[n];
            d[2 * n] = (int64_t)(1e12 * q) - s < d[2 * n] ? (int64_t)(1e12 * q) - s : d[2 * n];
            d[2 * n + 1] = -7 - s < d[2 * n + 1] ? -7 - s : d[2 * n + 1];
        }
    }
    expect(exec, "a", 3, MPLAN_TYPE_F32, a);
    expect(exec, "b", 1, MPLAN_TYPE_U8, b);
    expect(exec, "c", 1, MPLAN_TYPE_U16, c);
    expect(exec, "d", 2, MPLAN_TYPE_I64, d);
}

static void run(const compare_case *in, const mplan_plan *plan, int32_t variant,
                mplan_executor executor, bool by_two_maps)
{
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    const mplan_kernel *kernel = by_two_maps ? &types_host : &bounds_host;
    mplan_exec *exec;
    mplan_exec_loop *bound;
    mplan_error err;
    options.executor = executor;
    options.threads = 2;
    assert_done(mplan_exec_open(plan, &options, &exec, &err), &err);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_done(mplan_exec_upload(exec, "q", in->q, CELLS, 2, MPLAN_TYPE_F64, &err), &err);
    if (!by_two_maps) {
        assert_done(mplan_exec_upload(exec, "x", in->x, NODES, 1, MPLAN_TYPE_F64, &err), &err);
        begin_bounds(exec);
    }
    assert_done(mplan_exec_bind(exec, kernel->name, variant, kernel, &bound, &err), &err);
    assert_done(mplan_exec_launch(exec, bound, NULL, NULL, &err), &err);
    if (by_two_maps)
        check_types(in, exec);
    else
        check_bounds(in, exec);
    mplan_exec_close(exec);
}

/* All strategies of one plan by all executors of the host. */
static void run_all(const compare_case *in, mplan_mesh *mesh, mplan_encoding encoding,
                    mplan_sums sums, bool by_two_maps)
{
    mplan_arg args[MPLAN_MAX_ARGS];
    mplan_loop loop;
    mplan_plan *plan;
    mplan_error err;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    assert_done(mplan_kernel_loop(by_two_maps ? &types_host : &bounds_host, "cells", args, &loop,
                                  &err),
                &err);
    for (int32_t a = 0; a < loop.n_args; a++)
        args[a].none = args[a].map && by_two_maps ? MPLAN_NONE_SKIP : MPLAN_NONE_REFUSE;
    options.block_size = 64;
    options.encoding = encoding;
    options.sums = sums;
    for (int s = 0; s < MPLAN_N_STRATEGIES; s++)
        options.strategies[options.n_strategies++] = (mplan_strategy)s;
    assert_done(mplan_plan_create(mesh, 1, &loop, &options, NULL, &plan, &err), &err);
    assert_done(mplan_plan_verify(plan, mesh, NULL, &err), &err);
    for (int32_t v = 0; v < options.n_strategies; v++)
        for (int e = MPLAN_EXECUTOR_SERIAL; e <= MPLAN_EXECUTOR_OPENMP; e++)
            run(in, plan, v, (mplan_executor)e, by_two_maps);
    mplan_plan_free(plan);
}

static void all_strategies_compare(void **state)
{
    (void)state;
    static compare_case in;
    fill(&in);
    mplan_mesh *mesh = mesh_of(&in);
    for (int e = MPLAN_ENCODING_INDEX32; e < MPLAN_N_ENCODINGS; e++)
        if (e != MPLAN_ENCODING_PAIR32) /* asks for elements in another order */
            run_all(&in, mesh, (mplan_encoding)e, MPLAN_SUMS_PARTIAL, false);
    for (int s = 0; s < MPLAN_N_SUMS; s++)
        run_all(&in, mesh, MPLAN_ENCODING_NONE, (mplan_sums)s, true);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_strategies_compare)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
