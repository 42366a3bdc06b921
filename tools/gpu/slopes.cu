/* SPDX-License-Identifier: Apache-2.0 */
/* slopes.cu - one dat several times in a kernel: the own value, those of neighbours, two increments
 *
 * The kernel of tests/unit/test_exec_views.c on a GPU, under every strategy, against plain loops; its
 * loop is made of its own args. Sums are of whole numbers, so that all must be equal. */
#include <cstdio>
#include <vector>

#include "exec/meshplan_exec.h"
#include "exec/meshplan_kernel.h"

#define SLOPES_ARGS(MAPPED, DIRECT, OPPOSITE, MAPPED_AS, DIRECT_AS) \
    DIRECT_AS(own, q, 2, f64, READ)                                 \
    MAPPED_AS(near, q, cells_cells, 3, 2, f64, READ)                \
    MAPPED_AS(far, q, cells_others, 1, 2, f64, READ)                \
    MAPPED_AS(first, sum, cells_nodes, 2, 1, f64, INC)              \
    MAPPED_AS(second, sum, cells_nodes, 2, 1, f64, INC)             \
    DIRECT(slope, 1, f64, WRITE)
MPLAN_VIEWS_AS(slopes, SLOPES_ARGS)
MPLAN_FN void slopes(slopes_views *v, const mplan_no_parameters *)
{
    double total = v->far[0][1];
    for (int s = 0; s < 3; s++)
        total += v->near[s][0] - v->own[0];
    v->slope[0] = total;
    v->first[0][0] = total;
    v->first[1][0] = v->own[1];
    v->second[1][0] = -2 * total;
}
MPLAN_KERNEL_AS(slopes, SLOPES_ARGS, mplan_no_parameters)

enum { CELLS = 200000, NODES = 120000 };

static mplan_error err;
static std::vector<int32_t> near_cells(3 * CELLS), far_cells(CELLS), nodes(2 * CELLS);
static std::vector<double> q(2 * CELLS), slope(CELLS), sum(NODES);

static unsigned next_random()
{
    static unsigned seed = 1;
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

/* Cells that are near have numbers that are near. */
static void fill()
{
    for (int c = 0; c < CELLS; c++) {
        for (int s = 0; s < 3; s++)
            near_cells[3 * c + s] = int((unsigned(c) + next_random() % 900) % CELLS);
        far_cells[c] = int(next_random() % CELLS);
        for (int s = 0; s < 2; s++) {
            nodes[2 * c + s] = int((unsigned(c) / 2 + next_random() % 500) % NODES);
            q[2 * c + s] = next_random() % 1000;
        }
    }
    for (int c = 0; c < CELLS; c++) {
        double total = q[2 * far_cells[c] + 1];
        for (int s = 0; s < 3; s++)
            total += q[2 * near_cells[3 * c + s]] - q[2 * c];
        slope[c] = total;
        sum[nodes[2 * c]] += total;
        sum[nodes[2 * c + 1]] += q[2 * c + 1] - 2 * total;
    }
}

static mplan_status make_plan(mplan_plan **plan)
{
    mplan_mesh *mesh;
    mplan_arg args[MPLAN_MAX_ARGS];
    mplan_loop loop;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.block_size = 128;
    for (int s = 0; s < MPLAN_N_STRATEGIES; s++)
        options.strategies[options.n_strategies++] = mplan_strategy(s);
    mplan_status status = mplan_kernel_loop(&slopes_device, "cells", args, &loop, &err);
    if (!status)
        status = mplan_mesh_create(&mesh, &err);
    if (status)
        return status;
    status = mplan_mesh_add_set(mesh, "cells", CELLS, NULL, &err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "nodes", NODES, NULL, &err);
    if (!status)
        status = mplan_mesh_add_map(mesh, "cells_cells", 0, 0, 3, NULL, near_cells.data(), NULL,
                                    &err);
    if (!status)
        status = mplan_mesh_add_map(mesh, "cells_others", 0, 0, 1, NULL, far_cells.data(), NULL,
                                    &err);
    if (!status)
        status = mplan_mesh_add_map(mesh, "cells_nodes", 0, 1, 2, NULL, nodes.data(), NULL, &err);
    if (!status)
        status = mplan_plan_create(mesh, 1, &loop, &options, NULL, plan, &err);
    if (!status)
        status = mplan_plan_verify(*plan, mesh, NULL, &err);
    mplan_mesh_free(mesh);
    return status;
}

/* Numbers that differ. */
static int64_t differing(const std::vector<double> &is, const std::vector<double> &should)
{
    int64_t n = 0;
    for (size_t i = 0; i < is.size(); i++)
        n += is[i] != should[i];
    return n;
}

static mplan_status run(const mplan_plan *plan, int32_t variant, int64_t *wrong)
{
    mplan_exec *exec;
    mplan_exec_loop *bound;
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    std::vector<double> slopes_found(CELLS), sums_found(NODES);
    options.executor = MPLAN_EXECUTOR_CUDA;
    mplan_status status = mplan_exec_open(plan, &options, &exec, &err);
    if (status)
        return status;
    status = mplan_exec_declare_all(exec, &err);
    if (!status)
        status = mplan_exec_upload(exec, "q", q.data(), CELLS, 2, MPLAN_TYPE_F64, &err);
    if (!status)
        status = mplan_exec_bind(exec, "slopes", variant, &slopes_device, &bound, &err);
    if (!status)
        status = mplan_exec_launch(exec, bound, NULL, NULL, &err);
    if (!status)
        status = mplan_exec_download(exec, "slope", slopes_found.data(), CELLS, 1, MPLAN_TYPE_F64,
                                     &err);
    if (!status)
        status = mplan_exec_download(exec, "sum", sums_found.data(), NODES, 1, MPLAN_TYPE_F64, &err);
    *wrong = differing(slopes_found, slope) + differing(sums_found, sum);
    mplan_exec_close(exec);
    return status;
}

int main()
{
    mplan_plan *plan;
    int64_t all = 0, wrong = 0;
    fill();
    mplan_status status = make_plan(&plan);
    for (int32_t v = 0; v < MPLAN_N_STRATEGIES && !status; v++) {
        status = run(plan, v, &wrong);
        if (!status)
            std::printf("slopes, %s: %lld of %d numbers are wrong\n",
                        mplan_strategy_name(mplan_strategy(v)), (long long)wrong, CELLS + NODES);
        all += wrong;
    }
    if (status)
        std::printf("slopes: %s\n", err.text);
    return status || all != 0;
}
