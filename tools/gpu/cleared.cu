/* SPDX-License-Identifier: Apache-2.0 */
/* cleared.cu - a dat that is cleared before sums: the bits of zeroing and adding, under every strategy
 *
 * Random elements of two points, some points of none. Each variant runs from a dat that was zeroed and from one that
 * held NaN and was cleared, by itself and in a graph that is replayed, where a second loop adds to the first's sums. */
#include <cstdio>
#include <cstring>
#include <vector>

#include "exec/meshplan_exec.h"
#include "exec/meshplan_kernel.h"

#define SPREAD_ARGS(MAPPED, DIRECT, OPPOSITE) \
    DIRECT(weight, 3, f64, READ)              \
    MAPPED(sum, links_points, 2, 3, f64, INC)
MPLAN_VIEWS(spread, SPREAD_ARGS)
MPLAN_FN void spread(spread_views *v, const mplan_no_parameters *)
{
    for (int c = 0; c < 3; c++) {
        v->sum[0][c] = v->weight[c];
        v->sum[1][c] = -0.3 * v->weight[c];
    }
}
MPLAN_KERNEL(spread, SPREAD_ARGS, mplan_no_parameters)

enum { LINKS = 300000, POINTS = 120000, STEPS = 3 };

static mplan_error err;
static std::vector<int32_t> ends(2 * LINKS);
static std::vector<double> weight(3 * LINKS), zeros(3 * POINTS);

static unsigned next_random()
{
    static unsigned seed = 1;
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

/* whole: every point is touched. */
static void fill(bool whole)
{
    for (int e = 0; e < LINKS; e++) {
        for (int s = 0; s < 2; s++) {
            int p = int((unsigned(e) * 2 / 5 + next_random() % 400) % POINTS);
            ends[2 * e + s] = whole && e < POINTS && s == 0 ? e : whole || p % 50 ? p : p + 1;
        }
        for (int c = 0; c < 3; c++)
            weight[3 * e + c] = (int(next_random() % 2001) - 1000) / 7.0;
    }
}

static mplan_status make_plan(mplan_sums sums, mplan_plan **plan)
{
    mplan_mesh *mesh;
    mplan_arg args[MPLAN_MAX_ARGS];
    mplan_loop loop;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.block_size = 128;
    options.sums = sums;
    for (int s = 0; s < MPLAN_N_STRATEGIES; s++)
        options.strategies[options.n_strategies++] = mplan_strategy(s);
    mplan_status status = mplan_kernel_loop(&spread_device, "links", args, &loop, &err);
    if (!status)
        status = mplan_mesh_create(&mesh, &err);
    if (status)
        return status;
    status = mplan_mesh_add_set(mesh, "links", LINKS, NULL, &err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "points", POINTS, NULL, &err);
    if (!status)
        status = mplan_mesh_add_map(mesh, "links_points", 0, 1, 2, NULL, ends.data(), NULL, &err);
    if (!status)
        status = mplan_plan_create(mesh, 1, &loop, &options, NULL, plan, &err);
    mplan_mesh_free(mesh);
    return status;
}

struct step_of {
    mplan_exec *exec;
    mplan_exec_loop *bound;
    bool clears;
};

/* Sums anew, then once more on top. */
static mplan_status step(void *user, void *stream, mplan_error *error)
{
    const step_of *own = static_cast<const step_of *>(user);
    mplan_status status = own->clears ? mplan_exec_clear(own->exec, "sum", stream, error) : MPLAN_OK;
    if (!status)
        status = mplan_exec_launch(own->exec, own->bound, NULL, stream, error);
    return status ? status : mplan_exec_launch(own->exec, own->bound, NULL, stream, error);
}

static mplan_status begin(const step_of *own)
{
    return own->clears
               ? mplan_exec_fill(own->exec, "sum", 0xff, &err)
               : mplan_exec_upload(own->exec, "sum", zeros.data(), POINTS, 3, MPLAN_TYPE_F64, &err);
}

/* The sums after a step, and after STEPS more of a graph. */
static mplan_status run(const mplan_plan *plan, int32_t variant, bool clears,
                        std::vector<double> *found)
{
    step_of own = {NULL, NULL, clears};
    mplan_exec_graph *graph = NULL;
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    options.executor = MPLAN_EXECUTOR_CUDA;
    found->assign(6 * POINTS, 0);
    mplan_status status = mplan_exec_open(plan, &options, &own.exec, &err);
    if (status)
        return status;
    status = mplan_exec_declare_all(own.exec, &err);
    if (!status)
        status = mplan_exec_upload(own.exec, "weight", weight.data(), LINKS, 3, MPLAN_TYPE_F64, &err);
    if (!status)
        status = mplan_exec_bind(own.exec, "spread", variant, &spread_device, &own.bound, &err);
    if (!status)
        status = begin(&own);
    if (!status)
        status = step(&own, NULL, &err);
    if (!status)
        status = mplan_exec_download(own.exec, "sum", found->data(), POINTS, 3, MPLAN_TYPE_F64, &err);
    if (!status)
        status = mplan_exec_capture(own.exec, step, &own, &graph, &err);
    for (int i = 0; i < STEPS && !status; i++) {
        status = begin(&own);
        if (!status)
            status = mplan_exec_replay(own.exec, graph, NULL, &err);
    }
    if (!status)
        status = mplan_exec_download(own.exec, "sum", found->data() + 3 * POINTS, POINTS, 3,
                                     MPLAN_TYPE_F64, &err);
    mplan_exec_graph_free(graph);
    mplan_exec_close(own.exec);
    return status;
}

/* Numbers that differ: in bits, or by more than rounding where sums are atomic. */
static int64_t differing(const std::vector<double> &is, const std::vector<double> &should, bool exact)
{
    int64_t n = 0;
    for (size_t i = 0; i < is.size(); i++) {
        const double distance = is[i] - should[i];
        n += exact ? std::memcmp(&is[i], &should[i], sizeof(double)) != 0
                   : !(distance < 1e-9 && distance > -1e-9);
    }
    return n;
}

int main()
{
    int64_t all = 0;
    mplan_status status = MPLAN_OK;
    for (int k = 0; k < 3 && !status; k++) {
        mplan_plan *plan = NULL;
        const bool whole = k > 0;
        const mplan_sums sums = k < 2 ? MPLAN_SUMS_PARTIAL : MPLAN_SUMS_ATOMIC;
        fill(whole);
        status = make_plan(sums, &plan);
        for (int32_t v = 0; v < MPLAN_N_STRATEGIES && !status; v++) {
            std::vector<double> cleared, zeroed;
            const bool exact = mplan_plan_get_loop(plan, 0)->variants[v].deterministic;
            status = run(plan, v, false, &zeroed);
            if (!status)
                status = run(plan, v, true, &cleared);
            const int64_t wrong = status ? 0 : differing(cleared, zeroed, exact);
            if (!status)
                std::printf("cleared, %s points, %s sums, %s: %lld of %d numbers differ\n",
                            whole ? "all" : "some", k < 2 ? "partial" : "atomic",
                            mplan_strategy_name(mplan_strategy(v)), (long long)wrong, 6 * POINTS);
            all += wrong;
        }
        mplan_plan_free(plan);
    }
    if (status)
        std::printf("cleared: %s\n", err.text);
    return status || all != 0;
}
