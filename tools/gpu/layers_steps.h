/* SPDX-License-Identifier: Apache-2.0 */
/* layers_steps.h - W0 as the five steps of LFRic's report, beside meshplan's strategies */
#ifndef MPLAN_TOOLS_LAYERS_STEPS_H
#define MPLAN_TOOLS_LAYERS_STEPS_H

#include "layers_check.h"
#include "layers_times.h"
#include "lfric_steps.h"

// --- LFRic's steps

/* Cells by colour, of the plan's exact four; six: two of them in halves, as more colours than needed cost. */
struct coloured {
    std::vector<int> list, begin;
};
static coloured colours_of(const base &b, int layers, int colours)
{
    mplan_plan *plan = plan_of(b,
                               {W0,
                                MPLAN_STRATEGY_GLOBAL_COLOUR,
                                MPLAN_COLUMNS_LAYERS,
                                MPLAN_COLUMNS_LAYERS,
                                -1,
                                -1,
                                {}},
                               layers);
    mplan_key order = MPLAN_KEY_INIT(MPLAN_KIND_NEW_OF_OLD),
              key = MPLAN_KEY_INIT(MPLAN_KIND_GLOBAL_COLOURS);
    order.set = uint32_t(mplan_plan_get_loop(plan, 0)->set);
    key.loop = key.variant = 0;
    const int32_t *place = static_cast<const int32_t *>(mplan_plan_find_array(plan, &order)->data);
    const int32_t *colour = static_cast<const int32_t *>(mplan_plan_find_array(plan, &key)->data);
    const int exact = int(mplan_plan_get_loop(plan, 0)->variants[0].global_colours);
    coloured made;
    for (int c = 0; c < exact; c++) {
        made.begin.push_back(int(made.list.size()));
        for (int e = 0; e < b.cells; e++)
            if (colour[place[e]] == c)
                made.list.push_back(e);
        const int n = int(made.list.size()) - made.begin.back();
        if (exact - c <= colours - exact)
            made.begin.push_back(made.begin.back() + n / 2);
    }
    made.begin.push_back(int(made.list.size()));
    mplan_plan_free(plan);
    return made;
}

template <typename T> static T *on_device(const std::vector<T> &from)
{
    T *to;
    cudaMalloc(&to, from.size() * sizeof(T));
    cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
    return to;
}

/* Median time of `copies` launches in a row, one of each copy, over their number. */
template <class F> static double cold_microseconds(int copies, F launch)
{
    cudaEvent_t begin, end;
    std::vector<float> times;
    cudaEventCreate(&begin), cudaEventCreate(&end);
    for (int i = 0; i < 9; i++) {
        float ms;
        cudaEventRecord(begin);
        for (int c = 0; c < copies; c++)
            launch(c);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
        if (i >= 2)
            times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2] * 1e3 / copies;
}

static void print_step(const std::string &words, double us, double useful, double flops,
                       double copy, double worst)
{
    failures += !(worst < 1e-12);
    std::printf("%-46s %9.1f us %7.0f GB/s %6.1f %% of copy %6.3f flop/byte  error %.1e%s\n",
                words.c_str(), us, useful / us * 1e-3, 100 * useful / (us * 1e-6) / copy,
                flops / useful, worst, worst < 1e-12 ? "" : " WRONG");
    std::fflush(stdout);
}

static double difference(const std::vector<double> &got, const std::vector<double> &due)
{
    double worst = 0;
    for (size_t i = 0; i < got.size(); i++) {
        const double e = std::fabs(got[i] - due[i]) / (1 + std::fabs(due[i]));
        worst = e <= worst ? worst : e;
    }
    return worst;
}

static void time_steps(int n, int layers)
{
    static const char *const steps[] = {"original", "loops fused", "collapsed", "inlined",
                                        "single launch, atomic"};
    const base b = make_base(n);
    const std::vector<field> fields = fields_of(b, W0, layers);
    const request plain_request = {
        W0, MPLAN_STRATEGY_ATOMIC, MPLAN_COLUMNS_LAYERS, MPLAN_COLUMNS_LAYERS, -1, -1, {}};
    const std::vector<double> due = plain(b, plain_request, layers)[2];
    std::vector<std::vector<double>> host;
    for (const field &f : fields)
        host.push_back(values_of(f));
    const double useful = 8.0 * (double(host[0].size()) + host[1].size() + 2 * host[2].size()) +
                          16.0 * b.cells;
    const double flops = 2.0 * host[0].size(), copy = kernel_copy_rate();
    const int copies = std::max(1, std::min(24, int(4e8 / useful)));
    std::printf("== W0, %d columns x %d, %d copies; copy kernel %.0f GB/s\n", b.cells, layers,
                copies, copy * 1e-9);
    std::vector<int> map;
    for (int e = 0; e < b.cells; e++)
        for (int df = 0; df < 8; df++)
            map.push_back(b.w0[4 * e + df % 4] * (layers + 1) + df / 4);
    int *device_map = on_device(map);
    std::vector<lfric::data> all;
    for (int c = 0; c < copies; c++)
        all.push_back({device_map, on_device(host[0]), on_device(host[1]), on_device(host[2]),
                       layers});
    for (int colours = 6; colours >= 4; colours -= 2) {
        const coloured by = colours_of(b, layers, colours);
        int *list = on_device(by.list);
        for (int step = 1; step <= lfric::STEPS - (colours == 6); step++) {
            std::vector<double> got(host[2].size());
            cudaMemcpy(all[0].lhs, host[2].data(), got.size() * 8, cudaMemcpyHostToDevice);
            lfric::launch(step, all[0], list, by.begin.data(), int(by.begin.size()) - 1, b.cells);
            cudaMemcpy(got.data(), all[0].lhs, got.size() * 8, cudaMemcpyDeviceToHost);
            const double us = cold_microseconds(copies, [&](int c) {
                lfric::launch(step, all[c], list, by.begin.data(), int(by.begin.size()) - 1, b.cells);
            });
            print_step(std::string("report ") + std::to_string(step) + ", " + steps[step - 1] +
                           (step < lfric::STEPS ? ", " + std::to_string(by.begin.size() - 1) + " colours"
                                                : ""),
                       us, useful, flops, copy, difference(got, due));
        }
        cudaFree(list);
    }
    for (const lfric::data &d : all)
        cudaFree(const_cast<double *>(d.m)), cudaFree(const_cast<double *>(d.x)), cudaFree(d.lhs);
    cudaFree(device_map);
    static const struct {
        const char *words;
        mplan_strategy strategy;
        mplan_columns matrix;
        int layout;
    } ours[] = {
        {"owner-gather, owner rows", MPLAN_STRATEGY_OWNER_GATHER, MPLAN_COLUMNS_OWNER, -1},
        {"owner-gather, (ik,df,df2)", MPLAN_STRATEGY_OWNER_GATHER, MPLAN_COLUMNS_LAYERS,
         MPLAN_LAYOUT_SOA},
        {"owner-gather, (df,df2,ik)", MPLAN_STRATEGY_OWNER_GATHER, MPLAN_COLUMNS_LAYERS,
         MPLAN_LAYOUT_AOS},
        {"two-step, (ik,df,df2)", MPLAN_STRATEGY_TWO_STEP, MPLAN_COLUMNS_LAYERS, MPLAN_LAYOUT_SOA},
        {"colours, (ik,df,df2)", MPLAN_STRATEGY_GLOBAL_COLOUR, MPLAN_COLUMNS_LAYERS, MPLAN_LAYOUT_SOA},
        {"atomic, (ik,df,df2)", MPLAN_STRATEGY_ATOMIC, MPLAN_COLUMNS_LAYERS, MPLAN_LAYOUT_SOA}};
    for (const auto &one : ours) {
        const request r = {W0, one.strategy, MPLAN_COLUMNS_LAYERS, one.matrix, one.layout, -1, {}};
        std::vector<running> runs;
        for (int c = 0; c < copies; c++)
            runs.push_back(start(b, r, layers));
        std::vector<double> got(host[2].size());
        DO(mplan_exec_launch(runs[0].exec, runs[0].bound, NULL, NULL, &err));
        DO(mplan_exec_wait(runs[0].exec, &err));
        DO(mplan_exec_download(runs[0].exec, "lhs0", got.data(), fields[2].rows, 1, MPLAN_TYPE_F64,
                               &err));
        const double us = cold_microseconds(copies, [&](int c) {
            DO(mplan_exec_launch(runs[c].exec, runs[c].bound, NULL, NULL, &err));
        });
        print_step(std::string("meshplan, ") + one.words, us, useful, flops, copy,
                   difference(got, due));
        for (running &run : runs)
            stop(run);
    }
}

#endif
