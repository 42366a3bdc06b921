/* SPDX-License-Identifier: Apache-2.0 */
/* timestep.cu - a step of volna whose length is the least that its cells allow, in a graph
 *
 * src/apps/volna_step.h on a GPU under every strategy: each step sets the global, its loops minimize it, a
 * later loop reads it, and the graph of a step is replayed without a number on the host. Against the serial
 * executor; strategies that promise equal bits are run twice. */
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "apps/volna_step.h"

enum { SIDE = 500, STEPS = 50 };

static mplan_error err;
static const mplan_kernel *const kernels[MPLAN_VOLNA_LOOPS] = {
    &mplan_volna_flux_device, &mplan_volna_limit_device, &mplan_volna_device,
    &mplan_volna_move_device};

struct result {
    float dt = 0;
    double water = 0;
    std::vector<float> q;
};

/* STEPS steps, of which all but the first are replays. */
static mplan_status run(const mplan_volna_case *in, const mplan_plan *plan, int32_t variant,
                        result *out, double *milliseconds)
{
    mplan_volna_state state = {};
    mplan_exec_graph *graph = nullptr;
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    options.executor = MPLAN_EXECUTOR_CUDA;
    out->q.resize(4 * size_t(in->cells));
    mplan_status status = mplan_volna_open(in, plan, kernels, &options, variant, &state, &err);
    if (!status)
        status = mplan_volna_launch(&state, nullptr, &err);
    if (!status)
        status = mplan_exec_wait(state.exec, &err);
    if (!status)
        status = mplan_exec_capture(state.exec, mplan_volna_launch, &state, &graph, &err);
    for (int s = 1; s < STEPS && !status; s++)
        status = mplan_exec_replay(state.exec, graph, nullptr, &err);
    if (!status)
        status = mplan_exec_download(state.exec, "dt", &out->dt, 1, 1, MPLAN_TYPE_F32, &err);
    if (!status)
        status = mplan_exec_download(state.exec, "water", &out->water, 1, 1, MPLAN_TYPE_F64, &err);
    if (!status)
        status = mplan_exec_download(state.exec, "q", out->q.data(), in->cells, 4, MPLAN_TYPE_F32,
                                     &err);
    if (!status)
        status = mplan_exec_time(state.exec, graph, 20, milliseconds, &err);
    mplan_exec_graph_free(graph);
    mplan_exec_close(state.exec);
    return status;
}

/* The same with plain arrays, a step after the other. */
static void run_plainly(const mplan_volna_case *in, result *out)
{
    std::vector<float> flux(4 * size_t(in->faces)), speed(in->faces), change(4 * size_t(in->cells));
    out->q.assign(in->q, in->q + 4 * size_t(in->cells));
    for (int s = 0; s < STEPS; s++) {
        for (int f = 0; f < in->faces; f++) {
            const float g = 9.8f, *side[2] = {&out->q[4 * size_t(in->faces_cells[2 * f])],
                                              &out->q[4 * size_t(in->faces_cells[2 * f + 1])]};
            const float nx = in->normal[2 * f], ny = in->normal[2 * f + 1];
            float fastest = 0, found[2][4];
            for (int k = 0; k < 2; k++) {
                const float h = side[k][0], across = (side[k][1] * nx + side[k][2] * ny) / h;
                fastest = std::fmax(fastest, std::fabs(across) + std::sqrt(g * h));
                found[k][0] = h * across;
                found[k][1] = side[k][1] * across + 0.5f * g * h * h * nx;
                found[k][2] = side[k][2] * across + 0.5f * g * h * h * ny;
                found[k][3] = side[k][3] * across;
            }
            for (int c = 0; c < 4; c++)
                flux[4 * size_t(f) + c] = 0.5f * in->length[f] *
                                          (found[0][c] + found[1][c] -
                                           fastest * (side[1][c] - side[0][c]));
            speed[f] = fastest * in->length[f];
        }
        out->dt = 1e30f;
        for (int c = 0; c < in->cells; c++) {
            float all = 0;
            for (int k = 0; k < 3; k++)
                all += speed[in->cells_faces[3 * c + k]];
            out->dt = std::fmin(out->dt, 0.45f * in->volume[c] / all);
        }
        std::fill(change.begin(), change.end(), 0.0f);
        for (int f = 0; f < in->faces; f++)
            for (int k = 0; k < 2; k++)
                for (int c = 0; c < 4; c++)
                    change[4 * size_t(in->faces_cells[2 * f + k]) + c] +=
                        (k ? 1 : -1) * flux[4 * size_t(f) + c] /
                        in->volume[in->faces_cells[2 * f + k]];
        out->water = 0;
        for (int c = 0; c < in->cells; c++) {
            for (int k = 0; k < 4; k++)
                out->q[4 * size_t(c) + k] += out->dt * change[4 * size_t(c) + k];
            out->water += double(out->q[4 * size_t(c)]) * in->volume[c];
        }
    }
}

/* Largest difference of the cells. */
static double distance(const result &a, const result &b)
{
    double most = 0;
    for (size_t i = 0; i < a.q.size(); i++)
        most = std::fmax(most, std::fabs(double(a.q[i]) - double(b.q[i])));
    return most;
}

int main()
{
    mplan_volna_case in = {};
    mplan_plan *plan = nullptr;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    bool good = mplan_volna_make(SIDE, &in);
    options.block_size = 128;
    for (int s = 0; s < MPLAN_N_STRATEGIES; s++)
        options.strategies[options.n_strategies++] = mplan_strategy(s);
    mplan_status status = mplan_volna_plan(&in, kernels, &options, &plan, &err);
    result plain;
    run_plainly(&in, &plain);
    for (int32_t v = 0; v < MPLAN_N_STRATEGIES && !status; v++) {
        result found, again;
        double milliseconds = 0;
        status = run(&in, plan, v, &found, &milliseconds);
        if (!status)
            status = run(&in, plan, v, &again, &milliseconds);
        if (status)
            break;
        const bool promised = mplan_plan_get_loop(plan, 2)->variants[v].deterministic;
        const bool same = found.dt == again.dt && found.water == again.water && found.q == again.q;
        const bool near = std::fabs(found.dt - plain.dt) <= 1e-4f * plain.dt &&
                          std::fabs(found.water - plain.water) <= 1e-5 * plain.water &&
                          distance(found, plain) <= 1e-3;
        std::printf("timestep, %s: dt %.7g (plain %.7g), water %.12g (%.12g), cells differ by %.1e, "
                    "%s bits, %.1f us a step%s\n",
                    mplan_strategy_name(mplan_strategy(v)), found.dt, plain.dt, found.water,
                    plain.water, distance(found, plain), same ? "equal" : "other",
                    1000 * milliseconds / 20, near && (same || !promised) ? "" : " WRONG");
        good = good && near && (same || !promised);
    }
    if (status)
        std::printf("timestep: %s\n", err.text);
    mplan_plan_free(plan);
    mplan_volna_free(&in);
    return status || !good;
}
