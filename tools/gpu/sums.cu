/* SPDX-License-Identifier: Apache-2.0 */
/* sums.cu - sums of points that several blocks share, and sums by columns, on a GPU
 *
 * Block-gather with partial sums, launch after launch, in ranges, and in rounds. Sums must have the bits of
 * the host's executor, which adds list by list and point by point, and runs the same functions. These have no product that is
 * added to, as a compiler may round the two together. */
#include <cuda_runtime.h>
#ifdef MESHPLAN_EMULATED_CUDA_RUNTIME_H
#define MPLAN_WITHOUT_INSIDE /* tests/emulate compiles half of the kernels, of the first loop only */
#endif
#include "frame.h"

#ifdef MESHPLAN_EMULATED_CUDA_RUNTIME_H
enum { POINTS_A_SIDE = 61 };
#else
enum { POINTS_A_SIDE = 151 };
#endif
enum { SIDE = POINTS_A_SIDE - 1, CELLS = SIDE * SIDE, LAUNCHES = 2 };
enum { POINTS = POINTS_A_SIDE * POINTS_A_SIDE };

/* Corners of quads: two args of one map, of which the first has three numbers. */
#define CORNER_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(x, corners, 4, 2, f64, READ)       \
    DIRECT(w, 4, f64, READ)                   \
    MAPPED(r, corners, 4, 3, f64, INC)        \
    MAPPED(m, corners, 4, 1, f64, INC)
MPLAN_VIEWS(corner, CORNER_ARGS)
MPLAN_FN void corner(corner_views *v, const mplan_no_parameters *)
{
    for (int k = 0; k < 4; k++) {
        v->r[k][0] = v->w[k];
        v->r[k][1] = v->w[k] + v->x[(k + 1) % 4][1];
        v->r[k][2] = v->w[k] - v->x[k][0];
        v->m[k][0] = v->w[3 - k];
    }
}
MPLAN_KERNEL(corner, CORNER_ARGS, mplan_no_parameters)

#ifndef MESHPLAN_EMULATED_CUDA_RUNTIME_H
/* Points that are summed by components. */
#define LOAD_ARGS(MAPPED, DIRECT, OPPOSITE) \
    DIRECT(w, 4, f64, READ)                 \
    MAPPED(r, corners, 4, 4, f64, INC)
MPLAN_VIEWS(load, LOAD_ARGS)
MPLAN_FN void load(load_views *v, const mplan_no_parameters *)
{
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 4; c++)
            v->r[k][c] = v->w[(k + c) % 4];
}
MPLAN_KERNEL(load, LOAD_ARGS, mplan_no_parameters)

/* Pairs of points, with the opposite sign at the second. */
#define FLUX_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(x, corners, 2, 2, f64, READ)     \
    DIRECT(w, 4, f64, READ)                 \
    OPPOSITE(r, corners, 5, f64)
MPLAN_VIEWS(flux, FLUX_ARGS)
MPLAN_FN void flux(flux_views *v, const mplan_no_parameters *)
{
    for (int c = 0; c < 5; c++)
        v->r[c] = v->w[c % 4] - v->x[c % 2][1];
}
MPLAN_KERNEL(flux, FLUX_ARGS, mplan_no_parameters)
#endif

/* --- the same for the host: views are dim numbers for each slot --------------------------------- */

static void corner_here(void *const *views, const void *)
{
    const double(*x)[2] = static_cast<const double(*)[2]>(views[0]),
          *w = static_cast<const double *>(views[1]);
    double(*r)[3] = static_cast<double(*)[3]>(views[2]), *m = static_cast<double *>(views[3]);
    for (int k = 0; k < 4; k++) {
        r[k][0] = w[k];
        r[k][1] = w[k] + x[(k + 1) % 4][1];
        r[k][2] = w[k] - x[k][0];
        m[k] = w[3 - k];
    }
}
#ifndef MESHPLAN_EMULATED_CUDA_RUNTIME_H
static void load_here(void *const *views, const void *)
{
    const double *w = static_cast<const double *>(views[0]);
    double(*r)[4] = static_cast<double(*)[4]>(views[1]);
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 4; c++)
            r[k][c] = w[(k + c) % 4];
}
static void flux_here(void *const *views, const void *)
{
    const double(*x)[2] = static_cast<const double(*)[2]>(views[0]),
          *w = static_cast<const double *>(views[1]);
    double(*r)[5] = static_cast<double(*)[5]>(views[2]);
    for (int c = 0; c < 5; c++) {
        r[0][c] = w[c % 4] - x[c % 2][1];
        r[1][c] = -r[0][c];
    }
}
#endif

static std::vector<double> x(2 * POINTS), w(4 * CELLS);
static std::vector<int32_t> quads(4 * CELLS), turned(4 * CELLS), pairs(2 * CELLS);

/* Quads whose corners lie alike, so that no point is twice in a column; the same, each from another corner on; and pairs. */
static void fill()
{
    for (double &one : x)
        one = next_random(1000) / 37.0;
    for (double &one : w)
        one = next_random(1000) / 17.0;
    for (int c = 0; c < CELLS; c++) {
        const int first = c / SIDE * POINTS_A_SIDE + c % SIDE, turn = int(next_random(4)),
                  at[] = {first, first + 1, first + POINTS_A_SIDE + 1, first + POINTS_A_SIDE};
        for (int k = 0; k < 4; k++) {
            quads[4 * c + k] = at[k];
            turned[4 * c + k] = at[(k + turn) % 4];
        }
        pairs[2 * c] = at[0];
        pairs[2 * c + 1] = c % 2 ? at[1] : at[3];
    }
}

/* A loop over a map, on both. */
struct sums_case {
    const char *name;
    const mplan_kernel &kernel;
    mplan_element_function *here;
    const std::vector<int32_t> &map;
    int arity, dim;
    bool reads;
    int32_t round; /* elements of a round of blocks of 256; 0: blocks as usual */
};

static mplan_status upload(mplan_exec *exec, const sums_case &one)
{
    if (one.reads)
        MUST(mplan_exec_upload(exec, "x", x.data(), POINTS, 2, MPLAN_TYPE_F64, &err));
    return mplan_exec_upload(exec, "w", w.data(), CELLS, 4, MPLAN_TYPE_F64, &err);
}

/* On the host, LAUNCHES times. */
static mplan_status run_here(const mplan_plan *plan, const sums_case &one, std::vector<double> &due)
{
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_exec *exec = nullptr;
    mplan_exec_loop *bound = nullptr;
    options.executor = MPLAN_EXECUTOR_HOST;
    mplan_status status = mplan_exec_open(plan, &options, &exec, &err);
    if (!status)
        status = mplan_exec_declare_all(exec, &err);
    if (!status)
        status = upload(exec, one);
    if (!status)
        status = mplan_exec_bind_function(exec, one.kernel.name, 0, one.here, &bound, &err);
    for (int i = 0; i < LAUNCHES && !status; i++)
        status = mplan_exec_launch_function(exec, bound, NULL, &err);
    due.resize(size_t(POINTS) * size_t(one.dim));
    if (!status)
        status = mplan_exec_download(exec, "r", due.data(), POINTS, one.dim, MPLAN_TYPE_F64, &err);
    mplan_exec_close(exec);
    return status;
}

/* On the GPU; the last launch in two ranges and their rest where `ranges`. */
static mplan_status run_there(const mplan_plan *plan, const sums_case &one, bool ranges,
                              const std::vector<double> &due, int64_t *wrong)
{
    gpu_exec gpu;
    mplan_exec_loop *bound;
    mplan_exec_ranges all;
    MUST(gpu.open(plan));
    MUST(upload(gpu.exec, one));
    MUST(mplan_exec_bind(gpu.exec, one.kernel.name, 0, &one.kernel, &bound, &err));
    MUST(mplan_exec_ranges_of(gpu.exec, bound, &all, &err));
    for (int i = 0; i < LAUNCHES - ranges; i++)
        MUST(mplan_exec_launch(gpu.exec, bound, NULL, NULL, &err));
    if (ranges) {
        MUST(mplan_exec_launch_range(gpu.exec, bound, all.count / 3, all.count - all.count / 3,
                                     NULL, NULL, &err));
        MUST(mplan_exec_launch_range(gpu.exec, bound, 0, all.count / 3, NULL, NULL, &err));
        MUST(mplan_exec_launch_rest(gpu.exec, bound, NULL, NULL, &err));
    }
    MUST(mplan_exec_wait(gpu.exec, &err));
    return compare(gpu.exec, "r", POINTS, one.dim, MPLAN_TYPE_F64, due.data(), wrong, true);
}

static mplan_status run_case(const sums_case &one, bool ranges, int64_t *all)
{
    mplan_mesh *mesh = nullptr;
    mplan_plan *plan = nullptr;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    std::vector<double> due;
    int64_t wrong = 0;
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_BLOCK_GATHER;
    options.block_round = one.round;
    mplan_status status = make_mesh({{"cells", CELLS}, {"points", POINTS}},
                                    {{"corners", 0, 1, one.arity, NULL, one.map.data()}}, &mesh);
    if (!status)
        status = make_plan(mesh, one.kernel, "cells", false, options, &plan);
    if (!status)
        status = run_here(plan, one, due);
    if (!status)
        status = run_there(plan, one, ranges, due, &wrong);
    if (!status)
        std::printf("sums, %s%s: %lld numbers are wrong\n", one.name, ranges ? ", in ranges" : "",
                    (long long)wrong);
    *all += wrong;
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    return status;
}

int main()
{
    int64_t all = 0;
    mplan_status status = MPLAN_OK;
    fill();
    const sums_case cases[] = {
        {"columns", corner_device, corner_here, quads, 4, 3, true, 0},
        {"lists", corner_device, corner_here, turned, 4, 3, true, 0},
        {"rounds by columns", corner_device, corner_here, quads, 4, 3, true, 96},
        {"rounds by lists", corner_device, corner_here, turned, 4, 3, true, 96},
#ifndef MESHPLAN_EMULATED_CUDA_RUNTIME_H
        {"components", load_device, load_here, turned, 4, 4, false, 0},
        {"pairs", flux_device, flux_here, pairs, 2, 5, true, 0},
        {"rounds of components", load_device, load_here, turned, 4, 4, false, 64},
        {"rounds of pairs", flux_device, flux_here, pairs, 2, 5, true, 32},
#endif
    };
    for (const sums_case &one : cases)
        if (!status)
            status = run_case(one, &one.map == &turned || one.round == 96, &all);
    return end_of_case("sums", status, all);
}
