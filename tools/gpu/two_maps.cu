/* SPDX-License-Identifier: Apache-2.0 */
/* two_maps.cu - block-colour where blocks read points by one map and increment by another
 *
 * Elements increment points near them and read points far away. The list of a block holds both, and
 * blocks of one colour share none that they increment: but one may read what another one
 * increments. A block that added its sum of nothing there lost what the other one added, at two
 * points of three (H200). Sums are whole numbers, so that all of them must be equal to the host's. */
#include <cstdio>
#include <vector>

#include "exec/meshplan_exec.h"
#include "exec/meshplan_kernel.h"

#define TWO_MAPS_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(q, far_points, 2, 1, f64, READ)      \
    MAPPED(r, near_points, 2, 1, f64, INC)
MPLAN_VIEWS(two_maps, TWO_MAPS_ARGS)
MPLAN_FN void two_maps(two_maps_views *v, const mplan_no_parameters *)
{
    v->r[0][0] = v->q[0][0];
    v->r[1][0] = v->q[1][0] + 1;
}
MPLAN_KERNEL(two_maps, TWO_MAPS_ARGS, mplan_no_parameters)

enum { POINTS = 100000, ELEMENTS = 2 * POINTS, SLOTS = 2 * ELEMENTS, LAUNCHES = 200 };

static mplan_error err;

static mplan_status make_plan(const std::vector<int32_t> &near_points,
                              const std::vector<int32_t> &far_points, mplan_plan **plan)
{
    mplan_mesh *mesh;
    const mplan_arg args[] = {{"q", "far_points", MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
                              {"r", "near_points", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    const mplan_loop loop = {"two_maps", "elements", true, 1, 0, 2, args};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.partitioner = MPLAN_PARTITIONER_NONE;
    options.block_size = 128;
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_BLOCK_COLOUR;
    mplan_status status = mplan_mesh_create(&mesh, &err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "elements", ELEMENTS, NULL, &err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "points", POINTS, NULL, &err);
    if (!status)
        status = mplan_mesh_add_map(mesh, "near_points", 0, 1, 2, NULL, near_points.data(), NULL,
                                    &err);
    if (!status)
        status = mplan_mesh_add_map(mesh, "far_points", 0, 1, 2, NULL, far_points.data(), NULL, &err);
    if (!status)
        status = mplan_plan_create(mesh, 1, &loop, &options, NULL, plan, &err);
    if (!status)
        status = mplan_plan_verify(*plan, mesh, NULL, &err);
    mplan_mesh_free(mesh);
    return status;
}

static mplan_status launch_all(const mplan_plan *plan, const std::vector<double> &q,
                               std::vector<double> &r)
{
    mplan_exec *exec;
    mplan_exec_loop *bound;
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    options.executor = MPLAN_EXECUTOR_CUDA;
    mplan_status status = mplan_exec_open(plan, &options, &exec, &err);
    if (!status)
        status = mplan_exec_declare_all(exec, &err);
    if (!status)
        status = mplan_exec_upload(exec, "q", q.data(), POINTS, 1, MPLAN_TYPE_F64, &err);
    if (!status)
        status = mplan_exec_bind(exec, "two_maps", -1, &two_maps_device, &bound, &err);
    for (int i = 0; i < LAUNCHES && !status; i++)
        status = mplan_exec_launch(exec, bound, NULL, NULL, &err);
    if (!status)
        status = mplan_exec_download(exec, "r", r.data(), POINTS, 1, MPLAN_TYPE_F64, &err);
    return status;
}

int main()
{
    std::vector<int32_t> near_points(SLOTS), far_points(SLOTS);
    std::vector<double> q(POINTS), r(POINTS), expected(POINTS);
    mplan_plan *plan;
    unsigned seed = 1;
    for (int i = 0; i < SLOTS; i++) {
        int e = i / 2;
        seed = seed * 1664525u + 1013904223u;
        near_points[i] = (e / 2 + i % 2 * (1 + e % 2 * 300)) % POINTS;
        far_points[i] = (e / 2 + (int)((seed >> 8) % 3000)) % POINTS;
    }
    for (int p = 0; p < POINTS; p++)
        q[p] = p % 97;
    if (make_plan(near_points, far_points, &plan) || launch_all(plan, q, r)) {
        std::printf("two maps: %s\n", err.text);
        return 1;
    }
    for (int i = 0; i < SLOTS; i++)
        expected[near_points[i]] += LAUNCHES * (q[far_points[i]] + i % 2);
    int wrong = 0;
    for (int p = 0; p < POINTS; p++)
        wrong += r[p] != expected[p];
    std::printf("two maps: %d of %d sums are wrong\n", wrong, POINTS);
    return wrong != 0;
}
