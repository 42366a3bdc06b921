/* SPDX-License-Identifier: Apache-2.0 */
/* groups.cu - loops over groups of a mesh, and points that are written once beside sums, on a GPU
 *
 * A loop over a part of the cells, in any order of them, which reads and adds through the maps of the group, under every
 * strategy; and the kernel of tests/unit/test_written_once.c under every strategy and encoding. Whole numbers, against plain
 * loops. */
#include <algorithm>

#include "frame.h"
#include "toss_kernels.h"

/* Members of a group of the cells pour half of what the first point has into the second, count in both, and keep it. */
#define POUR_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(x, wet_points, 2, 1, f64, READ)  \
    MAPPED(sum, wet_points, 2, 2, f64, INC) \
    DIRECT(kept, 1, f64, WRITE)
MPLAN_VIEWS(pour, POUR_ARGS)
MPLAN_FN void pour(pour_views *v, const mplan_no_parameters *)
{
    v->sum[0][0] = -v->x[0][0];
    v->sum[1][0] = v->x[0][0];
    v->sum[0][1] = v->sum[1][1] = 1;
    v->kept[0] = v->x[0][0] + 3 * v->x[1][0];
}
MPLAN_KERNEL(pour, POUR_ARGS, mplan_no_parameters)

#ifdef MESHPLAN_EMULATED_CUDA_RUNTIME_H /* tests/emulate: threads one after the other */
enum { CELLS = 3000, POINTS = 1000, CORNERS = 4 * CELLS + 9 };
#else
enum { CELLS = 200000, POINTS = 70000, CORNERS = 4 * CELLS + 9 };
#endif

static std::vector<int32_t> points(2 * CELLS), corners(4 * CELLS), wet;
static std::vector<double> own(CELLS), x(POINTS), sum(POINTS), poured(2 * POINTS), kept,
    force(2 * CORNERS);

/* The mesh, and what both kernels must make of it. Every fourth cell or so is wet. */
static void fill()
{
    std::vector<int32_t> number(CORNERS);
    for (int i = 0; i < CORNERS; i++)
        number[i] = i;
    for (int i = CORNERS - 1; i > 0; i--)
        std::swap(number[i], number[next_random(unsigned(i) + 1)]);
    for (double &one : x)
        one = int(next_random(1000));
    for (int c = 0; c < CELLS; c++) {
        own[c] = int(next_random(100));
        points[2 * c] = int((unsigned(c) / 3 + next_random(300)) % (POINTS - 10));
        points[2 * c + 1] = points[2 * c] + 1 + int(next_random(9));
        for (int k = 0; k < 4; k++) {
            corners[4 * c + k] = number[4 * c + k];
            force[2 * number[4 * c + k]] = own[c] + k;
            force[2 * number[4 * c + k] + 1] = own[c] * k;
        }
        sum[points[2 * c]] += own[c];
        sum[points[2 * c + 1]] -= 2 * own[c];
        if (next_random(4))
            continue;
        const double first = x[points[2 * c]];
        poured[2 * points[2 * c]] -= first;
        poured[2 * points[2 * c + 1]] += first;
        poured[2 * points[2 * c] + 1] += 1;
        poured[2 * points[2 * c + 1] + 1] += 1;
        kept.push_back(first + 3 * x[points[2 * c + 1]]);
        wet.push_back(c);
    }
}

static mplan_status run_wet(const mplan_plan *plan, int32_t variant, int64_t *wrong)
{
    gpu_exec gpu;
    MUST(gpu.open(plan));
    MUST(mplan_exec_upload(gpu.exec, "x", x.data(), POINTS, 1, MPLAN_TYPE_F64, &err));
    MUST(gpu.launch(pour_device, variant));
    MUST(compare(gpu.exec, "sum", POINTS, 2, MPLAN_TYPE_F64, poured.data(), wrong));
    return compare(gpu.exec, "kept", int64_t(kept.size()), 1, MPLAN_TYPE_F64, kept.data(), wrong);
}

static mplan_status run_toss(const mplan_plan *plan, int32_t variant, int64_t *wrong)
{
    gpu_exec gpu;
    MUST(gpu.open(plan));
    MUST(mplan_exec_upload(gpu.exec, "own", own.data(), CELLS, 1, MPLAN_TYPE_F64, &err));
    MUST(gpu.launch(toss_device, variant));
    MUST(compare(gpu.exec, "force", CORNERS, 2, MPLAN_TYPE_F64, force.data(), wrong));
    return compare(gpu.exec, "sum", POINTS, 1, MPLAN_TYPE_F64, sum.data(), wrong);
}

/* All strategies of one kernel with one encoding. bounds: thread blocks of the launch bounds; so many that kernels with two
 * forms are taken in the one that needs few registers; 0: none. */
static mplan_status run_all(bool group, mplan_encoding encoding, int32_t bounds, int64_t *all)
{
    mplan_mesh *mesh = nullptr;
    mplan_plan *plan = nullptr;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.encoding = encoding;
    options.bound_blocks = bounds;
    options.entry_layout = bounds > 0;
    mplan_status status = make_mesh({{"cells", CELLS}, {"points", POINTS}, {"corners", CORNERS}},
                                    {{"cells_points", 0, 1, 2, NULL, points.data()},
                                     {"cells_corners", 0, 2, 4, NULL, corners.data()}},
                                    &mesh);
    if (!status && group)
        status = mplan_mesh_add_group(mesh, "wet", 1, 2, 0, int64_t(wet.size()), wet.data(), &err);
    if (!status)
        status = make_plan(mesh, group ? pour_device : toss_device, group ? "wet" : "cells", false,
                           options, &plan);
    for (int32_t v = 0; v < MPLAN_N_STRATEGIES && !status; v++) {
        int64_t wrong = 0;
        status = group ? run_wet(plan, v, &wrong) : run_toss(plan, v, &wrong);
        if (!status)
            std::printf("groups, %s, %s, %s%s: %lld numbers are wrong\n",
                        group ? "a group" : "written once", mplan_strategy_name(mplan_strategy(v)),
                        mplan_encoding_name(encoding), bounds ? ", bounded" : "", (long long)wrong);
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
    for (bool group : {true, false})
        for (mplan_encoding encoding :
             {MPLAN_ENCODING_INDEX32, MPLAN_ENCODING_INDEX16, MPLAN_ENCODING_WINDOWS16})
            for (int32_t bounds : {0, 32})
                if (!status && (bounds == 0 || encoding == MPLAN_ENCODING_WINDOWS16))
                    status = run_all(group, encoding, bounds, &all);
    return end_of_case("groups", status, all);
}
