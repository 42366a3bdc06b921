/* SPDX-License-Identifier: Apache-2.0 */
/* compare.cu - min and max through maps on a GPU, under every strategy
 *
 * Beside sums of whole numbers, by one map of two points in all encodings, and by two maps with entries of
 * -1. What is compared does not round and depends on no order, so that all bits must be those of plain
 * loops; NaN, infinities and zeros of two signs are among the numbers. */
#include <algorithm>
#include <cmath>

#include "compare_kernels.h"
#include "frame.h"

#define TYPES_ARGS(ARG)                          \
    ARG(DIRECT, q, 2, f64, READ)                 \
    ARG(MAPPED, a, cells_nodes, 2, 3, f32, MAX)  \
    ARG(MAPPED, d, cells_others, 3, 2, i64, MIN) \
    ARG(MAPPED, e, cells_others, 3, 4, f32, MIN) \
    ARG(MAPPED, f, cells_others, 3, 1, u8, INC)  \
    ARG(MAPPED, g, cells_others, 3, 1, u16, MAX)
MPLAN_VIEWS_ANY(types, TYPES_ARGS)
MPLAN_FN void types(types_views *v, const mplan_no_parameters *)
{
    for (int s = 0; s < 2; s++)
        for (int c = 0; c < 3; c++)
            v->a[s][c] = (float)(v->q[0] * (c + s - 1));
    for (int s = 0; s < 3; s++) {
        v->d[s][0] = (int64_t)(1e12 * v->q[0]) - s;
        v->d[s][1] = -7 - s;
        for (int c = 0; c < 4; c++)
            v->e[s][c] = (float)v->q[1] - (float)c;
        v->f[s][0] = (uint8_t)(1 + s);
        v->g[s][0] = (uint16_t)(60000 * v->q[0] + 3 - s);
    }
}
MPLAN_KERNEL_ANY(types, TYPES_ARGS, mplan_no_parameters)

enum { CELLS = 300000, NODES = 100000, OTHERS = 3 };

static std::vector<int32_t> nodes(2 * CELLS), others(OTHERS *CELLS), high(NODES);
static std::vector<double> x(NODES), q(2 * CELLS), low(2 * NODES);
static std::vector<float> a(3 * NODES), e(4 * NODES);
static std::vector<int64_t> count(NODES), d(2 * NODES);
static std::vector<uint8_t> f(NODES);
static std::vector<uint16_t> g(NODES);

/* What min is, once more: of doubles that may be NaN and zeros of two signs. */
template <typename T> static T least(T left, T right)
{
    if (left != left || right != right)
        return left != left ? right : left;
    return right < left || (right == left && std::signbit(right)) ? right : left;
}

static void fill()
{
    const double odd[] = {0.0, -0.0, NAN, INFINITY};
    for (int n = 0; n < NODES; n++) {
        x[n] = next_random(1000) / 500.0 - 1;
        low[2 * n] = low[2 * n + 1] = 0;
    }
    for (int c = 0; c < CELLS; c++) {
        nodes[2 * c] = int((unsigned(c) / 3 + next_random(300)) % (NODES - 10));
        nodes[2 * c + 1] = nodes[2 * c] + 1 + int(next_random(9));
        for (int s = 0; s < OTHERS; s++)
            others[OTHERS * c + s] = next_random(5)
                                         ? int((unsigned(c) / 3 + next_random(300)) % NODES)
                                         : -1;
        q[2 * c] = next_random(100000) / 100000.0;
        q[2 * c + 1] = next_random(3) ? next_random(100000) / 100000.0 : odd[next_random(4)];
    }
    for (int c = 0; c < CELLS; c++) {
        for (int s = 0; s < 2; s++) {
            const int n = nodes[2 * c + s], other = nodes[2 * c + 1 - s];
            low[2 * n] = least(low[2 * n], q[2 * c + s]);
            low[2 * n + 1] = least(low[2 * n + 1], x[other] * q[2 * c]);
            if (q[2 * c] > 0.25 && int32_t(100 * q[2 * c]) - s > high[n])
                high[n] = int32_t(100 * q[2 * c]) - s;
            count[n]++;
            for (int k = 0; k < 3; k++)
                a[3 * n + k] = -least(-a[3 * n + k], -(float)(q[2 * c] * (k + s - 1)));
        }
        for (int s = 0; s < OTHERS; s++) {
            const int n = others[OTHERS * c + s];
            if (n < 0)
                continue;
            d[2 * n] = std::min(d[2 * n], (int64_t)(1e12 * q[2 * c]) - s);
            d[2 * n + 1] = std::min(d[2 * n + 1], (int64_t)(-7 - s));
            for (int k = 0; k < 4; k++)
                e[4 * n + k] = least(e[4 * n + k], (float)q[2 * c + 1] - (float)k);
            f[n] = uint8_t(f[n] + 1 + s); /* wraps */
            g[n] = std::max(g[n], uint16_t(60000 * q[2 * c] + 3 - s));
        }
    }
}

static mplan_status run(const mplan_plan *plan, int32_t variant, bool by_two_maps, int64_t *wrong)
{
    gpu_exec gpu;
    MUST(gpu.open(plan));
    MUST(mplan_exec_upload(gpu.exec, "q", q.data(), CELLS, 2, MPLAN_TYPE_F64, &err));
    if (!by_two_maps)
        MUST(mplan_exec_upload(gpu.exec, "x", x.data(), NODES, 1, MPLAN_TYPE_F64, &err));
    MUST(gpu.launch(by_two_maps ? types_device : bounds_device, variant));
    if (by_two_maps) {
        MUST(compare(gpu.exec, "a", NODES, 3, MPLAN_TYPE_F32, a.data(), wrong, true));
        MUST(compare(gpu.exec, "d", NODES, 2, MPLAN_TYPE_I64, d.data(), wrong, true));
        MUST(compare(gpu.exec, "e", NODES, 4, MPLAN_TYPE_F32, e.data(), wrong, true));
        MUST(compare(gpu.exec, "f", NODES, 1, MPLAN_TYPE_U8, f.data(), wrong, true));
        return compare(gpu.exec, "g", NODES, 1, MPLAN_TYPE_U16, g.data(), wrong, true);
    }
    MUST(compare(gpu.exec, "low", NODES, 2, MPLAN_TYPE_F64, low.data(), wrong, true));
    MUST(compare(gpu.exec, "high", NODES, 1, MPLAN_TYPE_I32, high.data(), wrong, true));
    return compare(gpu.exec, "count", NODES, 1, MPLAN_TYPE_I64, count.data(), wrong, true);
}

static mplan_status run_all(bool by_two_maps, mplan_encoding encoding, mplan_sums sums, int64_t *all)
{
    mplan_mesh *mesh = nullptr;
    mplan_plan *plan = nullptr;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.encoding = encoding;
    options.sums = sums;
    mplan_status status = make_mesh({{"cells", CELLS}, {"nodes", NODES}},
                                    {{"cells_nodes", 0, 1, 2, NULL, nodes.data()},
                                     {"cells_others", 0, 1, OTHERS, NULL, others.data()}},
                                    &mesh);
    if (!status)
        status = make_plan(mesh, by_two_maps ? types_device : bounds_device, "cells", by_two_maps,
                           options, &plan);
    for (int32_t v = 0; v < MPLAN_N_STRATEGIES && !status; v++) {
        int64_t wrong = 0;
        status = run(plan, v, by_two_maps, &wrong);
        if (!status)
            std::printf("compare, %s, %s, %s sums, %s: %lld numbers have other bits\n",
                        by_two_maps ? "two maps" : "pairs", mplan_strategy_name(mplan_strategy(v)),
                        mplan_sums_name(sums), mplan_encoding_name(encoding), (long long)wrong);
        *all += wrong;
    }
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    return status;
}

int main()
{
    int64_t all = 0;
    fill();
    mplan_status status = MPLAN_OK;
    for (mplan_encoding encoding :
         {MPLAN_ENCODING_INDEX32, MPLAN_ENCODING_INDEX16, MPLAN_ENCODING_WINDOWS16})
        if (!status)
            status = run_all(false, encoding, MPLAN_SUMS_PARTIAL, &all);
    for (mplan_sums sums : {MPLAN_SUMS_PARTIAL, MPLAN_SUMS_ATOMIC, MPLAN_SUMS_COLOUR})
        if (!status)
            status = run_all(true, MPLAN_ENCODING_NONE, sums, &all);
    return end_of_case("compare", status, all);
}
