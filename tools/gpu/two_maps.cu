/* SPDX-License-Identifier: Apache-2.0 */
/* two_maps.cu - block-colour where blocks read points by one map and increment by another
 *
 * Elements increment points near them and read points far away. The list of a block holds both, and
 * blocks of one colour share none that they increment: but one may read what another one
 * increments. A block that added its sum of nothing there lost what the other one added, at two
 * points of three (H200). Sums are whole numbers, so that all of them must be equal to the host's. */
#include "frame.h"

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

static mplan_status make_all(const std::vector<int32_t> &near_points,
                             const std::vector<int32_t> &far_points, mplan_mesh **mesh,
                             mplan_plan **plan)
{
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.partitioner = MPLAN_PARTITIONER_NONE;
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_BLOCK_COLOUR;
    MUST(make_mesh({{"elements", ELEMENTS}, {"points", POINTS}},
                   {{"near_points", 0, 1, 2, NULL, near_points.data()},
                    {"far_points", 0, 1, 2, NULL, far_points.data()}},
                   mesh));
    return make_plan(*mesh, two_maps_device, "elements", false, options, plan);
}

static mplan_status launch_all(const mplan_plan *plan, const std::vector<double> &q,
                               std::vector<double> &r)
{
    gpu_exec gpu;
    MUST(gpu.open(plan));
    MUST(mplan_exec_upload(gpu.exec, "q", q.data(), POINTS, 1, MPLAN_TYPE_F64, &err));
    MUST(gpu.launch(two_maps_device, -1, LAUNCHES));
    return mplan_exec_download(gpu.exec, "r", r.data(), POINTS, 1, MPLAN_TYPE_F64, &err);
}

int main()
{
    std::vector<int32_t> near_points(SLOTS), far_points(SLOTS);
    std::vector<double> q(POINTS), r(POINTS), expected(POINTS);
    mplan_mesh *mesh = nullptr;
    mplan_plan *plan = nullptr;
    for (int i = 0; i < SLOTS; i++) {
        int e = i / 2;
        near_points[i] = (e / 2 + i % 2 * (1 + e % 2 * 300)) % POINTS;
        far_points[i] = (e / 2 + int(next_random(3000))) % POINTS;
    }
    for (int p = 0; p < POINTS; p++)
        q[p] = p % 97;
    mplan_status status = make_all(near_points, far_points, &mesh, &plan);
    if (!status)
        status = launch_all(plan, q, r);
    if (status)
        return end_of_case("two maps", status, 0);
    for (int i = 0; i < SLOTS; i++)
        expected[near_points[i]] += LAUNCHES * (q[far_points[i]] + i % 2);
    int wrong = 0;
    for (int p = 0; p < POINTS; p++)
        wrong += r[p] != expected[p];
    std::printf("two maps: %d of %d sums are wrong\n", wrong, POINTS);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    return wrong != 0;
}
