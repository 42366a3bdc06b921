/* SPDX-License-Identifier: Apache-2.0 */
/* ragged.cu - maps whose rows have different lengths, and updates of points by colour, on a GPU
 *
 * The kernels of tests/unit/test_exec_ragged.c: rows of up to six entries that are read, added to and
 * compared, under every strategy that may; read beside pairs that gather; points that are updated and
 * written under colours. Whole numbers, against plain loops. */
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "exec/meshplan_exec.h"
#include "exec/meshplan_kernel.h"

enum { CELLS = 200000, NODES = 120000, MOST = 6 };

#define SPREAD_ARGS(ARG)                          \
    ARG(RAGGED, x, cells_nodes, 6, 2, f64, READ)  \
    ARG(RAGGED, sum, cells_nodes, 6, 2, f64, INC) \
    ARG(RAGGED, low, cells_nodes, 6, 1, i32, MIN) \
    ARG(DIRECT, center, 2, f64, WRITE)            \
    ARG(GLOBAL, entries, 1, i64, INC)
MPLAN_VIEWS_ANY(spread, SPREAD_ARGS)
MPLAN_FN void spread(spread_views *v, const mplan_no_parameters *)
{
    v->center[0] = v->center[1] = 0;
    for (int s = 0; s < v->x_n; s++) {
        v->center[0] += v->x[s][0];
        v->center[1] += v->x[s][1] * (s + 1);
    }
    for (int s = 0; s < v->sum_n; s++) {
        v->sum[s][0] = v->center[0];
        v->sum[s][1] = v->sum_n - s;
        v->low[s][0] = (int32_t)v->center[1];
    }
    v->entries[0] = v->x_n;
}
MPLAN_KERNEL_ANY(spread, SPREAD_ARGS, mplan_no_parameters)

#define BESIDE_ARGS(ARG)                         \
    ARG(MAPPED, out, cells_pair, 2, 1, f64, INC) \
    ARG(RAGGED, x, cells_nodes, 6, 2, f64, READ) \
    ARG(MAPPED_AS, end, x, cells_pair, 2, 2, f64, READ)
MPLAN_VIEWS_ANY(beside, BESIDE_ARGS)
MPLAN_FN void beside(beside_views *v, const mplan_no_parameters *)
{
    double all = 0;
    for (int s = 0; s < v->x_n; s++)
        all += v->x[s][0];
    v->out[0][0] = all + v->end[0][1];
    v->out[1][0] = v->x_n - v->end[1][0];
}
MPLAN_KERNEL_ANY(beside, BESIDE_ARGS, mplan_no_parameters)

/* Every element updates its points and writes one that is its own. */
#define UPDATE_ARGS(ARG)                           \
    ARG(RAGGED, count, cells_nodes, 6, 1, i32, RW) \
    ARG(MAPPED, own, cells_own, 1, 2, i32, WRITE)  \
    ARG(MAPPED, twice, cells_pair, 2, 1, i64, RW)
MPLAN_VIEWS_ANY(update, UPDATE_ARGS)
MPLAN_FN void update(update_views *v, const mplan_no_parameters *)
{
    for (int s = 0; s < v->count_n; s++)
        v->count[s][0] += s + 1;
    v->own[0][0] = v->count_n;
    v->own[0][1] = -v->count_n;
    v->twice[0][0] += 1;
    v->twice[1][0] += 2;
}
MPLAN_KERNEL_ANY(update, UPDATE_ARGS, mplan_no_parameters)

static mplan_error err;
static std::vector<int64_t> offsets(CELLS + 1), twice(NODES);
static std::vector<int32_t> nodes, pairs(2 * CELLS), own(CELLS), low(NODES), count(NODES),
    owns(2 * CELLS);
static std::vector<double> x(2 * NODES), sum(2 * NODES), center(2 * CELLS), out(NODES);

static int next_random(int n)
{
    static unsigned seed = 9;
    seed = seed * 1664525u + 1013904223u;
    return int((seed >> 8) % unsigned(n));
}

/* The mesh, and what all kernels must make of it. */
static void fill()
{
    for (double &one : x)
        one = next_random(1000);
    for (int c = 0; c < CELLS; c++) {
        int length = c == 7 ? 0 : 2 + next_random(MOST - 1);
        int first = (c / 2 + next_random(500)) % (NODES - 3 * MOST);
        offsets[c] = int64_t(nodes.size());
        for (int s = 0; s < length; s++)
            nodes.push_back(first += 1 + next_random(2));
        pairs[2 * c] = (c / 2 + next_random(500)) % (NODES - 1);
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

static mplan_status make_plan(const mplan_kernel *kernel, int n, const mplan_strategy *strategies,
                              mplan_plan **plan)
{
    mplan_mesh *mesh;
    mplan_arg args[MPLAN_MAX_ARGS];
    mplan_loop loop;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.block_size = 128;
    options.n_strategies = n;
    std::copy(strategies, strategies + n, options.strategies);
    mplan_status status = mplan_kernel_loop(kernel, "cells", args, &loop, &err);
    if (!status)
        status = mplan_mesh_create(&mesh, &err);
    if (status)
        return status;
    status = mplan_mesh_add_set(mesh, "cells", CELLS, NULL, &err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "nodes", NODES, NULL, &err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "owns", CELLS, NULL, &err);
    if (!status)
        status = mplan_mesh_add_map(mesh, "cells_nodes", 0, 1, 0, offsets.data(), nodes.data(),
                                    NULL, &err);
    if (!status)
        status = mplan_mesh_add_map(mesh, "cells_pair", 0, 1, 2, NULL, pairs.data(), NULL, &err);
    if (!status)
        status = mplan_mesh_add_map(mesh, "cells_own", 0, 2, 1, NULL, own.data(), NULL, &err);
    if (!status)
        status = mplan_plan_create(mesh, 1, &loop, &options, NULL, plan, &err);
    if (!status)
        status = mplan_plan_verify(*plan, mesh, NULL, &err);
    mplan_mesh_free(mesh);
    return status;
}

/* Adds how many numbers of a dat are wrong, where the plan has the dat. */
template <typename T> static void compare(mplan_exec *exec, const char *dat, int64_t n, int32_t dim,
                                          mplan_type type, const T *due, int64_t *wrong)
{
    std::vector<T> found(size_t(n) * size_t(dim));
    if (mplan_exec_download(exec, dat, found.data(), n, dim, type, NULL))
        return;
    for (size_t i = 0; i < found.size(); i++)
        *wrong += found[i] != due[i];
}

static mplan_status run(const mplan_plan *plan, const mplan_kernel *kernel, int32_t variant,
                        int64_t *wrong)
{
    mplan_exec *exec;
    mplan_exec_loop *bound;
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    options.executor = MPLAN_EXECUTOR_CUDA;
    mplan_status status = mplan_exec_open(plan, &options, &exec, &err);
    if (status)
        return status;
    status = mplan_exec_declare_all(exec, &err);
    if (!status)
        mplan_exec_upload(exec, "x", x.data(), NODES, 2, MPLAN_TYPE_F64, NULL); /* two kernels have it */
    if (!status)
        status = mplan_exec_bind(exec, kernel->name, variant, kernel, &bound, &err);
    if (!status)
        status = mplan_exec_launch(exec, bound, NULL, NULL, &err);
    if (!status)
        status = mplan_exec_wait(exec, &err);
    if (!status) {
        compare(exec, "sum", NODES, 2, MPLAN_TYPE_F64, sum.data(), wrong);
        compare(exec, "low", NODES, 1, MPLAN_TYPE_I32, low.data(), wrong);
        compare(exec, "center", CELLS, 2, MPLAN_TYPE_F64, center.data(), wrong);
        compare(exec, "entries", 1, 1, MPLAN_TYPE_I64, &offsets[CELLS], wrong);
        compare(exec, "out", NODES, 1, MPLAN_TYPE_F64, out.data(), wrong);
        compare(exec, "count", NODES, 1, MPLAN_TYPE_I32, count.data(), wrong);
        compare(exec, "own", CELLS, 2, MPLAN_TYPE_I32, owns.data(), wrong);
        compare(exec, "twice", NODES, 1, MPLAN_TYPE_I64, twice.data(), wrong);
    }
    mplan_exec_close(exec);
    return status;
}

static mplan_status run_all(const mplan_kernel *kernel, int n, const mplan_strategy *strategies,
                            int64_t *all)
{
    mplan_plan *plan = nullptr;
    mplan_status status = make_plan(kernel, n, strategies, &plan);
    for (int32_t v = 0; v < n && !status; v++) {
        int64_t wrong = 0;
        status = run(plan, kernel, v, &wrong);
        if (!status)
            std::printf("ragged, %s, %s: %lld numbers are wrong\n", kernel->name,
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
    int64_t all = 0;
    fill();
    mplan_status status = run_all(&spread_device, 4, order, &all);
    if (!status)
        status = run_all(&beside_device, 6, order, &all);
    if (!status)
        status = run_all(&update_device, 2, order, &all);
    if (status)
        std::printf("ragged: %s\n", err.text);
    return status || all != 0;
}
