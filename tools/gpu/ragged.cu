/* SPDX-License-Identifier: Apache-2.0 */
/* ragged.cu - maps whose rows have different lengths, and updates of points by colour, on a GPU
 *
 * The kernels of tests/unit/test_exec_ragged.c: rows of up to six entries that are read, added to and
 * compared, under every strategy that may; read beside pairs that gather; points that are updated and
 * written under colours. Whole numbers, against plain loops. */
#include <algorithm>

#include "frame.h"
#include "ragged_kernels.h"

enum { CELLS = 200000, NODES = 120000, MOST = 6 };

static std::vector<int64_t> offsets(CELLS + 1), twice(NODES);
static std::vector<int32_t> nodes, pairs(2 * CELLS), own(CELLS), low(NODES), count(NODES),
    owns(2 * CELLS);
static std::vector<double> x(2 * NODES), sum(2 * NODES), center(2 * CELLS), out(NODES);

/* The mesh, and what all kernels must make of it. */
static void fill()
{
    for (double &one : x)
        one = int(next_random(1000));
    for (int c = 0; c < CELLS; c++) {
        int length = c == 7 ? 0 : 2 + int(next_random(MOST - 1));
        int first = (c / 2 + int(next_random(500))) % (NODES - 3 * MOST);
        offsets[c] = int64_t(nodes.size());
        for (int s = 0; s < length; s++)
            nodes.push_back(first += 1 + int(next_random(2)));
        pairs[2 * c] = (c / 2 + int(next_random(500))) % (NODES - 1);
        pairs[2 * c + 1] = pairs[2 * c] + 1;
        own[c] = int(int64_t(c) * 7 % CELLS);
    }
    offsets[CELLS] = int64_t(nodes.size());
    for (int c = 0; c < CELLS; c++) {
        const int32_t *row = nodes.data() + offsets[c], *pair = &pairs[2 * c];
        const int n = int(offsets[c + 1] - offsets[c]);
        double all = 0;
        for (int s = 0; s < n; s++) {
            all += x[2 * row[s]];
            center[2 * c + 1] += x[2 * row[s] + 1] * (s + 1);
        }
        center[2 * c] = all;
        for (int s = 0; s < n; s++) {
            sum[2 * row[s]] += all;
            sum[2 * row[s] + 1] += n - s;
            low[row[s]] = std::min(low[row[s]], int32_t(center[2 * c + 1]));
            count[row[s]] += s + 1;
        }
        out[pair[0]] += all + x[2 * pair[0] + 1];
        out[pair[1]] += n - x[2 * pair[1]];
        owns[2 * own[c]] = n;
        owns[2 * own[c] + 1] = -n;
        twice[pair[0]] += 1;
        twice[pair[1]] += 2;
    }
}

static mplan_status run(const mplan_plan *plan, const mplan_kernel &kernel, int32_t variant,
                        int64_t *wrong)
{
    gpu_exec gpu;
    MUST(gpu.open(plan));
    if (&kernel != &update_device)
        MUST(mplan_exec_upload(gpu.exec, "x", x.data(), NODES, 2, MPLAN_TYPE_F64, &err));
    MUST(gpu.launch(kernel, variant));
    if (&kernel == &spread_device) {
        MUST(compare(gpu.exec, "sum", NODES, 2, MPLAN_TYPE_F64, sum.data(), wrong));
        MUST(compare(gpu.exec, "low", NODES, 1, MPLAN_TYPE_I32, low.data(), wrong));
        MUST(compare(gpu.exec, "center", CELLS, 2, MPLAN_TYPE_F64, center.data(), wrong));
        return compare(gpu.exec, "entries", 1, 1, MPLAN_TYPE_I64, &offsets[CELLS], wrong);
    }
    if (&kernel == &beside_device)
        return compare(gpu.exec, "out", NODES, 1, MPLAN_TYPE_F64, out.data(), wrong);
    MUST(compare(gpu.exec, "count", NODES, 1, MPLAN_TYPE_I32, count.data(), wrong));
    MUST(compare(gpu.exec, "own", CELLS, 2, MPLAN_TYPE_I32, owns.data(), wrong));
    return compare(gpu.exec, "twice", NODES, 1, MPLAN_TYPE_I64, twice.data(), wrong);
}

static mplan_status run_all(mplan_mesh *mesh, const mplan_kernel &kernel, int n,
                            const mplan_strategy *strategies, int64_t *all)
{
    mplan_plan *plan = nullptr;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.n_strategies = n;
    std::copy(strategies, strategies + n, options.strategies);
    mplan_status status = make_plan(mesh, kernel, "cells", false, options, &plan);
    for (int32_t v = 0; v < n && !status; v++) {
        int64_t wrong = 0;
        status = run(plan, kernel, v, &wrong);
        if (!status)
            std::printf("ragged, %s, %s: %lld numbers are wrong\n", kernel.name,
                        mplan_strategy_name(strategies[v]), (long long)wrong);
        *all += wrong;
    }
    mplan_plan_free(plan);
    return status;
}

int main()
{
    static const mplan_strategy order[] = {
        MPLAN_STRATEGY_GLOBAL_COLOUR, MPLAN_STRATEGY_BLOCK_COLOUR, MPLAN_STRATEGY_TWO_STEP,
        MPLAN_STRATEGY_ATOMIC,        MPLAN_STRATEGY_BLOCK_GATHER, MPLAN_STRATEGY_OWNER_GATHER};
    mplan_mesh *mesh = nullptr;
    int64_t all = 0;
    fill();
    mplan_status status = make_mesh({{"cells", CELLS}, {"nodes", NODES}, {"owns", CELLS}},
                                    {{"cells_nodes", 0, 1, 0, offsets.data(), nodes.data()},
                                     {"cells_pair", 0, 1, 2, NULL, pairs.data()},
                                     {"cells_own", 0, 2, 1, NULL, own.data()}},
                                    &mesh);
    if (!status)
        status = run_all(mesh, spread_device, 4, order, &all);
    if (!status)
        status = run_all(mesh, beside_device, 6, order, &all);
    if (!status)
        status = run_all(mesh, update_device, 2, order, &all);
    mplan_mesh_free(mesh);
    return end_of_case("ragged", status, all);
}
