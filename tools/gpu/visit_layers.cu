/* SPDX-License-Identifier: Apache-2.0 */
/* visit_layers.cu - a step of loops with layers and without, in slabs, against the same step in memory: equal bits
 *
 *   visit_layers                     small meshes, whose windows only a host, or an emulated device, can map
 *   visit_layers WIDE DEEP BYTES     one mesh, under three orders of levels: BYTES of device memory,
 *                                    256 MiB at least, twice as many where the matrix is not by owner */
#include "exec/meshplan_kernel_cuda.h"
#include "layered_step.h"

#include <cstdio>

static const mplan_layer_kernel *const layered[] = {&pile_device, &flow_device, &dofs_device,
                                                    &take_device, &pull_device};
static const mplan_kernel *const flat[] = {&tilt_device, &rise_device};

/* Numbers that differ between steps in slabs and in memory; -1: neither ran. how: as the bits of test_slabs_layers.c. */
static int64_t compare(layered_step *step)
{
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    double *whole = NULL, *limits = NULL;
    int64_t n, bytes, wrong = 0;
    options.executor = MPLAN_EXECUTOR_CUDA;
    mplan_status status = layered_mesh(step);
    if (!status)
        status = layered_plan(step);
    const int64_t steps = status ? 0 : mplan_plan_get_visit(step->plan)->steps + 3;
    if (!status)
        status = layered_run(step, &options, layered, flat, steps, &whole, &n, &bytes);
    options.device_memory = step->device_memory;
    if (!status)
        status = layered_run(step, &options, layered, flat, steps, &limits, &n, &bytes);
    for (int64_t i = 0; i < n && !status; i++)
        wrong += std::memcmp(&whole[i], &limits[i], sizeof whole[i]) != 0 || whole[i] - whole[i] != 0;
    if (!status && bytes > step->device_memory) {
        std::printf("%lld bytes of the device are more than %lld\n", (long long)bytes,
                    (long long)step->device_memory);
        wrong++;
    }
    std::free(whole);
    std::free(limits);
    mplan_plan_free(step->plan);
    mplan_mesh_free(step->mesh);
    return status ? -1 : wrong;
}

int main(int argc, char **argv)
{
    static const int few[] = {3, 13, 28, 8, 18};
    const bool large = argc == 4;
    int failed = 0;
    for (int k = 0; k < (large ? 3 : 5); k++) {
        const int how = few[k];
        const bool points = how & 4, owner = how & 8;
        layered_step step;
        std::memset(&step, 0, sizeof step);
        step.wide = large ? std::atoi(argv[1]) : 300;
        step.deep = large ? std::atoi(argv[2]) : 7;
        step.ranged = how & 1;
        step.masked = how & 2;
        step.columns = points ? MPLAN_COLUMNS_POINTS : MPLAN_COLUMNS_LAYERS;
        step.by_owner = owner;
        step.layouts = how & 16 ? 1 + MPLAN_LAYOUT_SOA : 0;
        step.device_memory = large   ? (owner ? 1 : 2) * std::atoll(argv[3])
                             : owner ? (points ? 5100000 : 3400000)
                                     : (points ? 25300000 : 11000000);
        step.steps = 1 + how % 2;
        const int64_t wrong = compare(&step);
        if (wrong < 0)
            std::printf("case %d: %s\n", how, step.err.text);
        else
            std::printf("case %d, levels by %s, matrix by %s: %lld numbers are wrong\n", how,
                        points ? "point" : "column", owner ? "owner" : "element", (long long)wrong);
        failed += wrong != 0;
    }
    return failed != 0;
}
