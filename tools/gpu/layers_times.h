/* SPDX-License-Identifier: Apache-2.0 */
/* layers_times.h - times beside the rate of a copy: columns of one height, and of an ocean's depths */
#ifndef MPLAN_TOOLS_LAYERS_TIMES_H
#define MPLAN_TOOLS_LAYERS_TIMES_H

#include "layers_mesh.h"

// --- how fast?

static double copy_rate()
{
    const size_t bytes = size_t(1) << 30;
    void *a, *b;
    cudaEvent_t begin, end;
    cudaMalloc(&a, bytes), cudaMalloc(&b, bytes);
    cudaMemset(a, 0, bytes), cudaMemset(b, 0, bytes);
    cudaEventCreate(&begin), cudaEventCreate(&end);
    float best = 1e9f;
    for (int i = 0; i < 9; i++) {
        float ms;
        cudaEventRecord(begin);
        cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
        best = std::min(best, ms);
    }
    cudaFree(a), cudaFree(b);
    return 2.0 * bytes / (best * 1e-3);
}

__global__ void copy_kernel(const double2 *a, double2 *b, size_t n)
{
    const size_t i = blockIdx.x * size_t(256) + threadIdx.x;
    if (i < n)
        b[i] = a[i];
}

static double kernel_copy_rate()
{
    const size_t n = size_t(1) << 26;
    double2 *a, *b;
    cudaEvent_t begin, end;
    cudaMalloc(&a, n * 16), cudaMalloc(&b, n * 16);
    cudaMemset(a, 0, n * 16), cudaMemset(b, 0, n * 16);
    cudaEventCreate(&begin), cudaEventCreate(&end);
    float best = 1e9f;
    for (int i = 0; i < 9; i++) {
        float ms;
        cudaEventRecord(begin);
        copy_kernel<<<unsigned(n / 256), 256>>>(a, b, n);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
        best = std::min(best, ms);
    }
    cudaFree(a), cudaFree(b);
    return 32.0 * n / (best * 1e-3);
}

// Median of rows of launches, one behind the other; the dats are far larger than the cache.
static double microseconds_of(running &run)
{
    enum { ROW = 5 };
    cudaEvent_t begin, end;
    std::vector<float> times;
    cudaEventCreate(&begin), cudaEventCreate(&end);
    for (int i = 0; i < 12; i++) {
        float ms;
        cudaEventRecord(begin);
        for (int k = 0; k < ROW; k++)
            DO(mplan_exec_launch(run.exec, run.bound, NULL, NULL, &err));
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
        if (i >= 3)
            times.push_back(ms / ROW);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2] * 1e3;
}

static std::string wanted; // words of the rows to time

static void time_one(const base &b, const request &r, int layers, double copy,
                     const std::string &words)
{
    if (!kernel_of(r) || words.find(wanted) == std::string::npos)
        return;
    running run = start(b, r, layers);
    double useful = 0;
    for (const field &f : fields_of(b, r.loop, layers)) {
        double rows = double(f.rows);
        if (r.loop == W2 && f.dim == 1)
            rows = double(b.faces) * layers + double(b.cells) * (layers + 1);
        useful += rows * f.dim * 8 * (f.changed && r.loop != SOLVE ? 2 : 1);
    }
    useful += 4.0 * (r.loop == FLUX    ? 2.0 * b.faces
                     : r.loop == SOLVE ? 0.0
                                       : double(b.cells) * (r.loop == W0 ? 4 : 5));
    const double us = microseconds_of(run);
    const char *bits = mplan_plan_get_loop(run.plan, 0)->variants[0].deterministic ? "equal" : "no";
    const mplan_plan_variant *v = &mplan_plan_get_loop(run.plan, 0)->variants[0];
    char colours[32] = "";
    if (v->global_colours)
        std::snprintf(colours, sizeof colours, " (%d)", int(v->global_colours));
    std::printf("%-52s %-6s %8.1f us %7.0f GB/s %6.1f %% of copy\n", (words + colours).c_str(),
                bits, us, useful / us * 1e-3, 100 * useful / (us * 1e-6) / copy);
    std::fflush(stdout);
    stop(run);
}

static void time_all(int n, int layers)
{
    const base b = make_base(n);
    const double memcpy_rate = copy_rate(), copy = kernel_copy_rate();
    const mplan_columns fast = MPLAN_COLUMNS_LAYERS, owner = MPLAN_COLUMNS_OWNER;
    std::printf("== C%d x %d: %d columns; copy kernel %.0f GB/s, cudaMemcpy %.0f\n", n, layers,
                b.cells, copy * 1e-9, memcpy_rate * 1e-9);
    for (int loop = W0; loop <= W2; loop++) {
        const std::string name = loop == W0 ? "W0 " : "W2 ";
        const which w = which(loop);
        time_one(b, {w, MPLAN_STRATEGY_OWNER_GATHER, fast, owner, -1, -1, {}}, layers, copy,
                 name + "owner-gather, owner rows");
        time_one(b, {w, MPLAN_STRATEGY_OWNER_GATHER, fast, fast, MPLAN_LAYOUT_SOA, -1, {}}, layers,
                 copy, name + "owner-gather, (ik,df,df2)");
        time_one(b, {w, MPLAN_STRATEGY_ATOMIC, fast, fast, MPLAN_LAYOUT_SOA, -1, {}}, layers, copy,
                 name + "atomic, (ik,df,df2)");
        time_one(b, {w, MPLAN_STRATEGY_ATOMIC, fast, fast, MPLAN_LAYOUT_AOS, -1, {}}, layers, copy,
                 name + "atomic, (df,df2,ik)");
        time_one(b, {w, MPLAN_STRATEGY_TWO_STEP, fast, fast, MPLAN_LAYOUT_SOA, -1, {}}, layers,
                 copy, name + "two-step, (ik,df,df2)");
        time_one(b, {w, MPLAN_STRATEGY_GLOBAL_COLOUR, fast, fast, MPLAN_LAYOUT_SOA, -1, {}}, layers,
                 copy, name + "colours, (ik,df,df2)");
        time_one(b, {w, MPLAN_STRATEGY_GLOBAL_COLOUR, fast, fast, MPLAN_LAYOUT_AOS, -1, {}}, layers,
                 copy, name + "colours, (df,df2,ik)");
        time_one(b, {w, MPLAN_STRATEGY_BLOCK_GATHER, fast, fast, MPLAN_LAYOUT_SOA, -1, {}}, layers,
                 copy, name + "block-gather, (ik,df,df2)");
        time_one(b, {w, MPLAN_STRATEGY_BLOCK_COLOUR, fast, fast, MPLAN_LAYOUT_SOA, -1, {}}, layers,
                 copy, name + "block-colour, (ik,df,df2)");
    }
    for (int layout = 0; layout < 2; layout++) {
        const std::string words = layout ? "flux by component, " : "flux member by member, ";
        time_one(b, {FLUX, MPLAN_STRATEGY_OWNER_GATHER, fast, fast, -1, layout, {}}, layers, copy,
                 words + "owner-gather");
        time_one(b, {FLUX, MPLAN_STRATEGY_ATOMIC, fast, fast, -1, layout, {}}, layers, copy,
                 words + "atomic");
    }
    time_one(b, {FLUX, MPLAN_STRATEGY_OWNER_GATHER, fast, fast, -1, -1, {}}, layers, copy,
             "flux as planned, owner-gather");
    for (int layout = 0; layout < 2; layout++)
        time_one(b, {FLUX, MPLAN_STRATEGY_OWNER_GATHER, MPLAN_COLUMNS_POINTS, fast, -1, layout, {}},
                 layers, copy,
                 std::string("flux ") + (layout ? "by component" : "member by member") +
                     ", points fastest, owner-gather");
    time_one(b, {FLUX, MPLAN_STRATEGY_GLOBAL_COLOUR, fast, fast, -1, 0, {}}, layers, copy,
             "flux member by member, colours");
    time_one(b, {FLUX, MPLAN_STRATEGY_BLOCK_GATHER, fast, fast, -1, -1, {}}, layers, copy,
             "flux as planned, block-gather");
    time_one(b, {FLUX, MPLAN_STRATEGY_BLOCK_COLOUR, fast, fast, -1, -1, {}}, layers, copy,
             "flux as planned, block-colour");
    for (int columns = 0; columns < 2; columns++)
        for (int solver = 0; solver < 5; solver++)
            time_one(b,
                     {SOLVE, MPLAN_STRATEGY_ATOMIC, mplan_columns(columns), fast, -1, -1, {}, solver},
                     layers, copy,
                     std::string("tridiagonal, ") + (columns ? "points" : "layers") + " fastest" +
                         solvers[solver]);
}

/* An ocean's depths: layers of each cell, smooth, FILL % on average; a face has those of its shallower cell. */
static std::vector<int> depths_of(const base &b, int layers, int fill, which loop)
{
    std::vector<int> cells, faces;
    for (int e = 0; e < b.cells; e++) {
        const double *at = &b.centre[3 * e], turn = 6.283185307179586 / b.n;
        const double wave = std::sin(2 * turn * at[0]) +
                            std::sin(turn * at[1]) * std::cos(3 * turn * at[2]);
        cells.push_back(std::max(1, std::min(layers,
                                             int(layers * fill * 0.01 * (1 + 0.35 * wave) + 0.5))));
    }
    if (loop != FLUX)
        return cells;
    for (int f = 0; f < b.faces; f++)
        faces.push_back(std::min(cells[b.faces_cells[2 * f]], cells[b.faces_cells[2 * f + 1]]));
    return faces;
}
static double share_of(const std::vector<int> &depths, int layers)
{
    double there = 0;
    for (int depth : depths)
        there += depth;
    return there / (double(depths.size()) * layers);
}

/* Columns of such depths; bytes of the layers that are there, of points as of the cells. */
static void time_depths(int n, int layers, int fill)
{
    const base b = make_base(n);
    const double copy = kernel_copy_rate();
    const double filled = share_of(depths_of(b, layers, fill, W0), layers);
    std::printf("== C%d x %d, filled to %.1f %%; copy kernel %.0f GB/s\n", n, layers, 100 * filled,
                copy * 1e-9);
    for (int loop = W0; loop <= FLUX; loop++) {
        const std::vector<int> depths = depths_of(b, layers, fill, which(loop));
        request r = {which(loop),
                     MPLAN_STRATEGY_OWNER_GATHER,
                     MPLAN_COLUMNS_LAYERS,
                     loop == FLUX ? MPLAN_COLUMNS_LAYERS : MPLAN_COLUMNS_OWNER,
                     -1,
                     -1,
                     {}};
        if (!kernel_of(r))
            continue;
        for (int depth : depths)
            r.ranges.push_back(0), r.ranges.push_back(depth);
        running run = start(b, r, layers);
        double useful = 0;
        for (const field &f : fields_of(b, r.loop, layers))
            useful += double(f.rows) * f.dim * 8 * (f.changed ? 2 : 1) *
                      (std::strcmp(f.name, "u") ? filled : share_of(depths, layers));
        const double us = microseconds_of(run);
        std::printf("%-46s %9.1f us %7.0f GB/s %6.1f %% of copy\n",
                    loop == W0   ? "W0 owner-gather, owner rows"
                    : loop == W2 ? "W2 owner-gather, owner rows"
                                 : "flux owner-gather, as planned",
                    us, useful / us * 1e-3, 100 * useful / (us * 1e-6) / copy);
        stop(run);
    }
}

#endif
