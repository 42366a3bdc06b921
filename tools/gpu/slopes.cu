/* SPDX-License-Identifier: Apache-2.0 */
/* slopes.cu - one dat several times in a kernel: the own value, those of neighbours, two increments
 *
 * The kernel of tests/unit/test_exec_views.c on a GPU, under every strategy, against plain loops; its
 * loop is made of its own args. Sums are of whole numbers, so that all must be equal. */
#include "frame.h"
#include "slopes_kernels.h"

enum { CELLS = 200000, NODES = 120000 };

static std::vector<int32_t> near_cells(3 * CELLS), far_cells(CELLS), nodes(2 * CELLS);
static std::vector<double> q(2 * CELLS), slope(CELLS), sum(NODES);

/* Cells that are near have numbers that are near. */
static void fill()
{
    for (int c = 0; c < CELLS; c++) {
        for (int s = 0; s < 3; s++)
            near_cells[3 * c + s] = int((unsigned(c) + next_random(900)) % CELLS);
        far_cells[c] = int(next_random(CELLS));
        for (int s = 0; s < 2; s++) {
            nodes[2 * c + s] = int((unsigned(c) / 2 + next_random(500)) % NODES);
            q[2 * c + s] = next_random(1000);
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

static mplan_status run(const mplan_plan *plan, int32_t variant, int64_t *wrong)
{
    gpu_exec gpu;
    MUST(gpu.open(plan));
    MUST(mplan_exec_upload(gpu.exec, "q", q.data(), CELLS, 2, MPLAN_TYPE_F64, &err));
    MUST(gpu.launch(slopes_device, variant));
    MUST(compare(gpu.exec, "slope", CELLS, 1, MPLAN_TYPE_F64, slope.data(), wrong));
    return compare(gpu.exec, "sum", NODES, 1, MPLAN_TYPE_F64, sum.data(), wrong);
}

int main()
{
    mplan_mesh *mesh = nullptr;
    mplan_plan *plan = nullptr;
    int64_t all = 0;
    fill();
    mplan_status status = make_mesh({{"cells", CELLS}, {"nodes", NODES}},
                                    {{"cells_cells", 0, 0, 3, NULL, near_cells.data()},
                                     {"cells_others", 0, 0, 1, NULL, far_cells.data()},
                                     {"cells_nodes", 0, 1, 2, NULL, nodes.data()}},
                                    &mesh);
    if (!status)
        status = make_plan(mesh, slopes_device, "cells", false, MPLAN_PLAN_OPTIONS_INIT, &plan);
    for (int32_t v = 0; v < MPLAN_N_STRATEGIES && !status; v++) {
        int64_t wrong = 0;
        status = run(plan, v, &wrong);
        if (!status)
            std::printf("slopes, %s: %lld of %d numbers are wrong\n",
                        mplan_strategy_name(mplan_strategy(v)), (long long)wrong, CELLS + NODES);
        all += wrong;
    }
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    return end_of_case("slopes", status, all);
}
