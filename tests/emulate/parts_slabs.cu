/* SPDX-License-Identifier: Apache-2.0 */
/* parts_slabs.cu - parts of flux3d_step, jacobi and column-step with a limited device memory, by emulated kernels of CUDA
 *
 * As `meshplan run APP --executor cuda --parts 3 --rings 4 --device-memory --in-memory`: visits between exchanges against the same steps
 * in memory of the device, on one rank and on two. The emulated cache keeps no slab, so that slabs without layers run piece by piece:
 * rows of owner-gather, and elements. A line for each: 0 numbers are wrong. */
#include "exec/meshplan_ranks.h"

#include "apps/column_flux_kernels.h"
#include "apps/column_step_kernels.h"
#include "apps/flux3d_step_kernels.h"
#include "apps/jacobi_kernels.h"

extern "C" {
#include "apps/layers_app.h"
#include "exec/cuda/device_halo.h"
}

#include "column_step_app.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

/* Of halo_rows.c, whose header is C. */
extern "C" void mplan_host_moves_run(const mplan_move *moves, int64_t n, mplan_mail_use use,
                                     const mplan_mail_end *mail);

/* These in place of device_none.c's: memory of the emulated device is the host's. */
extern "C" mplan_status mplan_gpu_moves_run(const mplan_move *moves, int32_t n, mplan_mail_use use,
                                            const mplan_mail_end *mail, void *, mplan_error *)
{
    mplan_host_moves_run(moves, n, use, mail);
    return MPLAN_OK;
}

extern "C" mplan_status mplan_gpu_halo_fetch(void *host, const void *device, int64_t bytes, void *,
                                             mplan_error *)
{
    std::memcpy(host, device, size_t(bytes));
    return MPLAN_OK;
}
extern "C" mplan_status mplan_gpu_halo_store(void *device, const void *host, int64_t bytes, void *,
                                             mplan_error *)
{
    std::memcpy(device, host, size_t(bytes));
    return MPLAN_OK;
}

/* Applications of the library, whose build has no kernels for a device. */
static mplan_app flat_app(const char *name, mplan_app_loop loops[2], const mplan_kernel *first,
                          const mplan_kernel *second)
{
    mplan_app app = *mplan_app_find(name);
    for (int l = 0; l < 2; l++)
        loops[l] = app.loops[l];
    loops[0].device = first;
    loops[1].device = second;
    app.loops = loops;
    return app;
}

/* A bar of cells, so many across, in any order, in 3 parts; columns have 4 layers. */
static mplan_status make_bundle(const mplan_app *app, int32_t across, mplan_columns columns,
                                int64_t limit, const char *path, mplan_mesh **mesh, mplan_error *err)
{
    mplan_generate_options wanted = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    mplan_parts *parts = NULL;
    mplan_loop *loops = NULL;
    mplan_layers *layers = NULL;
    int32_t *step = NULL, n_loops = 0, n_step = 0;
    wanted.shape = app->layered ? MPLAN_SHAPE_QUAD : MPLAN_SHAPE_HEX;
    wanted.size[0] = app->layered ? 600 : across > 3 ? 90 : 150;
    wanted.size[1] = across;
    wanted.size[2] = app->layered ? 0 : across;
    wanted.shuffle = true;
    wanted.seed = 5;
    mplan_status status = mplan_mesh_generate(&wanted, NULL, mesh, err);
    if (!status)
        status = mplan_app_prepare(app, *mesh, NULL, err);
    if (!status)
        status = mplan_app_request(app, *mesh, &loops, &n_loops, err);
    if (!status && app->layered)
        status = mplan_app_layers(app, loops, 4, columns, &layers, err);
    if (!status)
        status = mplan_app_time_step(app, loops, &step, &n_step, err);
    options.layers = layers;
    options.n_step = n_step;
    options.step = step;
    options.step_clears = step ? step + n_step : NULL;
    options.device_memory = limit;
    options.steps_per_visit = 3;
    options.rings = 5; /* jacobi makes 3 steps by them */
    how.n_parts = 3;
    if (!status)
        status = mplan_parts_create(*mesh, n_loops, loops, &options, &how, NULL, &parts, err);
    if (!status)
        status = mplan_parts_write(parts, path, NULL, NULL, NULL, err);
    mplan_parts_free(parts);
    std::free(step);
    std::free(layers);
    mplan_app_request_free(loops, n_loops);
    return status;
}

/* On one rank and on two; how many of both failed. */
static int run(const mplan_app *app, int32_t across, mplan_columns columns, int64_t limit)
{
    char path[64];
    mplan_mesh *mesh = NULL;
    mplan_bundle *bundle = NULL;
    mplan_plan *plan = NULL;
    mplan_error err;
    int failed = 0;
    std::snprintf(path, sizeof path, "parts_slabs.%ld.mplans", long(getpid()));
    mplan_status made = make_bundle(app, across, columns, limit, path, &mesh, &err);
    if (!made)
        made = mplan_bundle_open(path, NULL, &bundle, &err);
    unlink(path);
    if (!made)
        made = mplan_bundle_read_part(bundle, 0, NULL, &plan, &err);
    for (int32_t ranks = 1; ranks < 3; ranks++) {
        mplan_exec_options exec = MPLAN_EXEC_OPTIONS_INIT;
        mplan_rank_options share = MPLAN_RANK_OPTIONS_INIT;
        mplan_app_options how = MPLAN_APP_OPTIONS_INIT;
        mplan_app_result result;
        exec.executor = MPLAN_EXECUTOR_CUDA;
        exec.device_memory = limit;
        share.ranks = ranks;
        how.exec = &exec;
        how.bundle = bundle;
        how.ranks = &share;
        how.iterations = 0;
        how.repeats = 0;
        how.check = false;
        mplan_status status = made ? made : mplan_app_run(app, mesh, plan, &how, &result, &err);
        const bool held = !status && result.same_in_memory && (ranks == 1 || result.messages > 0);
        std::printf("%s, 3 parts, ranks: %d, steps a visit: %d: %s\n", app->name, int(ranks),
                    plan ? int(mplan_plan_get_visit(plan)->steps) : 0,
                    status ? err.text
                    : held ? "0 numbers are wrong"
                           : "bits differ");
        failed += !held;
    }
    mplan_plan_free(plan);
    mplan_bundle_free(bundle);
    mplan_mesh_free(mesh);
    return failed;
}

int main()
{
    mplan_app_loop flux[2], sweeps[2];
    mplan_app_layered layered[3];
    const mplan_app flux3d_step = flat_app("flux3d_step", flux, &mplan_flux3d_faces_device,
                                           &mplan_flux3d_cells_device);
    const mplan_app jacobi = flat_app("jacobi", sweeps, &mplan_jacobi_there_device,
                                      &mplan_jacobi_back_device);
    const mplan_app columns = column_step(layered);
    int failed = run(&flux3d_step, 3, MPLAN_COLUMNS_LAYERS, 4 << 20);
    failed += run(&jacobi, 16, MPLAN_COLUMNS_LAYERS, 4 << 20);
    failed += run(&columns, 3, MPLAN_COLUMNS_LAYERS, 2 << 20);
    failed += run(&columns, 3, MPLAN_COLUMNS_POINTS, 4 << 20);
    return failed != 0;
}
