/* SPDX-License-Identifier: Apache-2.0 */
/* launch_streams.cu - in which of the two streams a visit's launches are, and what they wait for
 *
 * Airfoil with a limited device memory and launches that do nothing but be counted. Each of the first half of a visit's steps is in one stream,
 * each of the later half in the other, behind all first ones that the schedule has before it; so it is for every order of the launches of a
 * stage. A line for each: 0 numbers are wrong. Where slabs run piece by piece, none of the launches that they need is empty: no device takes that. */
#include "exec/meshplan_ranks.h"

extern "C" {
#include "apps/app.h"
#include "exec/cuda/device.h"
#include "plan/plan.h"
}

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

static char first_stream, later_stream;
static bool waits;                     /* the later stream for all that is in the first one */
static std::vector<bool> later_halves; /* of the launches, in their order */
static int wrong, empty;
static int64_t cache = INT64_C(1) << 34; /* it keeps all slabs, so that each launch of the schedule is one */

/* In place of those of device_memory.c. */
extern "C" mplan_status mplan_gpu_limits(int32_t, int64_t *shared_bytes, int64_t *cache_bytes,
                                         int64_t *free_bytes, int64_t *total_bytes, mplan_error *)
{
    *shared_bytes = 227 * 1024;
    *cache_bytes = cache;
    *free_bytes = *total_bytes = INT64_C(1) << 34;
    return MPLAN_OK;
}
/* exec/exec.h, which is C. */
struct mplan_slab_rows {
    int32_t n;
    const int64_t *first;
    const int32_t *pieces;
};
extern "C" mplan_status mplan_exec_launch_slabs(mplan_exec *exec, mplan_exec_loop *bound,
                                                const mplan_slab_rows *rows, const void *parameters,
                                                int32_t fresh, void *stream, mplan_error *err);
extern "C" mplan_status mplan_gpu_pipe_stage(void *, mplan_error *)
{
    return MPLAN_OK;
}
extern "C" void *mplan_gpu_pipe_stream(void *)
{
    return &first_stream;
}
extern "C" mplan_status mplan_gpu_pipe_later(void *, void **stream, mplan_error *)
{
    *stream = &later_stream;
    waits = true;
    return MPLAN_OK;
}

static int launch(const mplan_launch_call *call, void *stream, bool prepare, const char **)
{
    if (prepare)
        return 0;
    empty += call->first == call->end;
    later_halves.push_back(stream == &later_stream);
    if (stream == &first_stream)
        waits = false;
    wrong += stream == &later_stream ? !waits : stream != &first_stream;
    return 0;
}

static int64_t no_bytes(const mplan_launch_call *)
{
    return 0;
}

/* The launches of each stage are reversed. */
static void reverse_stages(const mplan_plan *plan)
{
    const mplan_key key = mplan_key_of_plan(MPLAN_KIND_SCHEDULE);
    const mplan_array *array = mplan_plan_find_array(plan, &key);
    mplan_event *event = const_cast<mplan_event *>(static_cast<const mplan_event *>(array->data));
    for (int64_t e = 0, end; e < array->rows; e = end) {
        for (end = e + 1; end < array->rows && event[end].kind == event[e].kind;)
            end++;
        if (event[e].kind == MPLAN_EVENT_LAUNCH)
            std::reverse(event + e, event + end);
    }
}

/* Halves of the launches that the schedule has, in its order. */
static std::vector<bool> halves_due(const mplan_plan *plan)
{
    const mplan_key key = mplan_key_of_plan(MPLAN_KIND_SCHEDULE);
    const mplan_array *array = mplan_plan_find_array(plan, &key);
    const mplan_event *event = static_cast<const mplan_event *>(array->data);
    std::vector<bool> due;
    for (int64_t e = 0; e < array->rows; e++)
        if (event[e].kind == MPLAN_EVENT_LAUNCH)
            due.push_back(event[e].index >= plan->visit.steps * plan->n_step / 2);
    return due;
}

/* Two rows in the last of so many slabs that they need several launches. */
static mplan_status launch_last_slabs(mplan_exec *exec, mplan_exec_loop *bound,
                                      const void *parameters, mplan_error *err)
{
    enum { SLABS = 3 * MPLAN_WEAVE_MOST };
    int64_t first[SLABS + 1] = {0};
    const int32_t pieces[SLABS * (MPLAN_SLAB_PIECES - 1)] = {0};
    const mplan_slab_rows rows = {SLABS, first, pieces};
    first[SLABS - 1] = 1;
    first[SLABS] = 2;
    return mplan_exec_launch_slabs(exec, bound, &rows, parameters, -1, &first_stream, err);
}

/* One visit, or last_slabs: of each loop what slabs piece by piece launch. */
static mplan_status run_visit(const mplan_app *app, const mplan_plan *plan, const mplan_loop *loops,
                              const int32_t *step, bool last_slabs, mplan_error *err)
{
    static const double parameters[64] = {0};
    mplan_kernel kernels[8];
    mplan_exec_loop *bound[8];
    mplan_exec_entry entries[16];
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_exec *exec = NULL;
    options.executor = MPLAN_EXECUTOR_CUDA;
    options.device_memory = plan->visit.device_memory;
    mplan_status status = mplan_exec_open(plan, &options, &exec, err);
    if (!status)
        status = mplan_exec_declare_all(exec, err);
    for (int32_t l = 0; l < plan->n_loops && !status; l++) {
        kernels[l] = *app->loops[l].host;
        kernels[l].run = NULL;
        kernels[l].launch = launch;
        kernels[l].shared_bytes = no_bytes;
        status = mplan_exec_bind(exec, loops[l].name, -1, &kernels[l], &bound[l], err);
    }
    for (int32_t i = 0; i < plan->n_step && !status; i++)
        entries[i] = mplan_exec_entry{bound[step[i]], parameters, app->step[i].clear};
    for (int32_t l = 0; l < plan->n_loops && !status && last_slabs; l++)
        status = launch_last_slabs(exec, bound[l], parameters, err);
    if (!status && !last_slabs)
        status = mplan_exec_steps(exec, entries, plan->n_step, plan->visit.steps, err);
    mplan_exec_close(exec);
    return status;
}

/* An application's plan, and what it was made from. */
struct planned {
    mplan_mesh *mesh = NULL;
    mplan_loop *loops = NULL;
    mplan_plan *plan = NULL;
    int32_t n_loops = 0, *step = NULL;

    planned() = default;
    planned(const planned &) = delete;
    ~planned()
    {
        mplan_plan_free(plan);
        mplan_app_request_free(loops, n_loops);
        std::free(step);
        mplan_mesh_free(mesh);
    }
};

/* Of `steps` steps a visit. */
static mplan_status make_plan(const mplan_app *app, int32_t steps, planned *of, mplan_error *err)
{
    mplan_generate_options wanted = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    wanted.shape = MPLAN_SHAPE_QUAD;
    wanted.size[0] = 300;
    wanted.size[1] = 20;
    wanted.shuffle = true;
    wanted.seed = 5;
    mplan_status status = mplan_mesh_generate(&wanted, NULL, &of->mesh, err);
    if (!status)
        status = mplan_app_prepare(app, of->mesh, NULL, err);
    if (!status)
        status = mplan_app_request(app, of->mesh, &of->loops, &of->n_loops, err);
    if (!status)
        status = mplan_app_time_step(app, of->loops, &of->step, &options.n_step, err);
    options.step = of->step;
    options.step_clears = of->step ? of->step + options.n_step : NULL;
    options.device_memory = 1600000;
    options.steps_per_visit = steps;
    options.segments = 8;
    return status
               ? status
               : mplan_plan_create(of->mesh, of->n_loops, of->loops, &options, NULL, &of->plan, err);
}

/* Whether all launches are in their streams. */
static bool holds(const mplan_app *app, int32_t steps, bool reversed)
{
    planned of;
    mplan_error err;
    later_halves.clear();
    waits = true; /* nothing is in the first stream */
    wrong = 0;
    mplan_status status = make_plan(app, steps, &of, &err);
    if (!status && reversed)
        reverse_stages(of.plan);
    if (!status)
        status = run_visit(app, of.plan, of.loops, of.step, false, &err);
    const bool good = !status && wrong == 0 && !later_halves.empty() &&
                      later_halves == halves_due(of.plan);
    std::printf("airfoil, %d steps a visit, stages %s: %s\n", int(steps),
                reversed ? "reversed" : "as planned",
                status ? err.text
                : good ? "0 numbers are wrong"
                       : "launches are not in their streams");
    return good;
}

/* Whether slabs without rows are left out where they would be a launch of their own. */
static bool leaves_out_empty(const mplan_app *app)
{
    planned of;
    mplan_error err;
    later_halves.clear();
    empty = 0;
    cache = 0;
    mplan_status status = make_plan(app, 1, &of, &err);
    if (!status)
        status = run_visit(app, of.plan, of.loops, of.step, true, &err);
    const bool good = !status && empty == 0 && !later_halves.empty();
    std::printf("airfoil, rows in the last slabs: %s\n", status ? err.text
                                                         : good ? "0 numbers are wrong"
                                                                : "launches are empty");
    return good;
}

int main()
{
    const mplan_app *app = mplan_app_find("airfoil");
    bool good = true;
    for (int32_t steps = 1; steps < 4; steps++)
        for (int reversed = 0; reversed < 2; reversed++)
            good = holds(app, steps, reversed != 0) && good;
    good = leaves_out_empty(app) && good;
    return good ? 0 : 1;
}
