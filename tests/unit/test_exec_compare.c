/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec_compare.c - min and max through maps, under all strategies and encodings
 *
 * Beside sums, by one map of two points and by two maps with entries of -1, of all types that dats
 * have. What is compared has no rounding: all bits are those of plain loops, NaN and zeros of two signs
 * among the numbers. */
#include <math.h>
#include <stdlib.h>

#include "compare_kernels.h"
#include "support_exec_frame.h"

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
    const support_frame_set sets[] = {{"cells", CELLS}, {"nodes", NODES}};
    const support_frame_map maps[] = {{"cells_nodes", 0, 1, 2, NULL, in->nodes},
                                      {"cells_others", 0, 1, OTHERS, NULL, in->others}};
    return support_frame_mesh(2, sets, 2, maps);
}

/* What min and max of doubles are, once more. */
static double least(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    return b < a || (b == a && signbit(b)) ? b : a;
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
    support_frame_expect(exec, "low", NODES, 2, MPLAN_TYPE_F64, low);
    support_frame_expect(exec, "high", NODES, 1, MPLAN_TYPE_I32, high);
    support_frame_expect(exec, "count", NODES, 1, MPLAN_TYPE_I64, count);
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
    support_frame_expect(exec, "a", NODES, 3, MPLAN_TYPE_F32, a);
    support_frame_expect(exec, "b", NODES, 1, MPLAN_TYPE_U8, b);
    support_frame_expect(exec, "c", NODES, 1, MPLAN_TYPE_U16, c);
    support_frame_expect(exec, "d", NODES, 2, MPLAN_TYPE_I64, d);
}

typedef struct compare_run {
    const compare_case *in;
    bool by_two_maps;
} compare_run;

static void run(const mplan_plan *plan, int32_t variant, mplan_executor executor, const void *user)
{
    const compare_run *of = user;
    mplan_error err;
    mplan_exec *exec = support_frame_open(plan, executor);
    assert_done(mplan_exec_upload(exec, "q", of->in->q, CELLS, 2, MPLAN_TYPE_F64, &err), &err);
    if (!of->by_two_maps) {
        assert_done(mplan_exec_upload(exec, "x", of->in->x, NODES, 1, MPLAN_TYPE_F64, &err), &err);
        begin_bounds(exec);
    }
    support_frame_launch(exec, of->by_two_maps ? &types_host : &bounds_host, variant);
    if (of->by_two_maps)
        check_types(of->in, exec);
    else
        check_bounds(of->in, exec);
    mplan_exec_close(exec);
}

/* All strategies of one plan by all executors of the host. */
static void run_all(const compare_case *in, mplan_mesh *mesh, mplan_encoding encoding,
                    mplan_sums sums, bool by_two_maps)
{
    const compare_run user = {in, by_two_maps};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.block_size = 64;
    options.encoding = encoding;
    options.sums = sums;
    mplan_plan *plan = support_frame_plan(mesh, by_two_maps ? &types_host : &bounds_host,
                                          by_two_maps, &options);
    support_frame_everywhere(plan, MPLAN_N_STRATEGIES, run, &user);
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
