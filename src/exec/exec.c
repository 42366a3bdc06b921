/* SPDX-License-Identifier: Apache-2.0 */
/* exec.c - opening and closing an executor */
#include "exec/exec.h"
#include "exec/dat_levels.h"
#include "exec/exec_visit.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"

/* Set s of the plan against the mesh's of that name. */
static mplan_status compare_size(const mplan_plan *plan, int32_t s, int64_t size, mplan_error *err)
{
    const mplan_plan_set *own = mplan_plan_get_set(plan, s);
    if (own->size == size)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_OTHER_MESH,
                      "the plan is for another mesh: set %s has %lld members in the plan "
                      "and %lld in the mesh",
                      own->name, (long long)own->size, (long long)size);
}

/* Fingerprints of set sizes and maps: coordinates may differ, since no loop reads them. */
static mplan_status compare_topology(const mplan_plan *plan, uint64_t topology, mplan_error *err)
{
    const uint64_t own = mplan_plan_fingerprints(plan).topology;
    if (own == topology)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_OTHER_MESH,
                      "the plan is for another mesh: its topology is %016llx, that of the "
                      "mesh is %016llx",
                      (unsigned long long)own, (unsigned long long)topology);
}

/* The caller's mesh against the plan's: by fingerprint, and by the sizes of its sets. */
static mplan_status compare_mesh(const mplan_plan *plan, const mplan_exec_options *options,
                                 mplan_error *err)
{
    for (int32_t i = 0; i < options->n_sets; i++) {
        int32_t set = mplan_plan_find_set(plan, options->sets[i].name);
        if (set < 0)
            continue;
        mplan_status status = compare_size(plan, set, options->sets[i].size, err);
        if (status)
            return status;
    }
    return options->topology ? compare_topology(plan, *options->topology, err) : MPLAN_OK;
}

/* Sizes are compared after the fingerprint of the topology is computed, but reported first:
 * they say more to a reader than two fingerprints do. Missing sets are derived in `mesh`. */
mplan_status mplan_exec_check_mesh(const mplan_exec *exec, mplan_mesh *mesh, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(mesh);
    if (exec->parts)
        return exec->calls->check_mesh(exec, mesh, err);
    const mplan_plan *plan = exec->plan;
    uint64_t topology = 0;
    mplan_status status = mplan_plan_topology(plan, mesh, NULL, &topology, err);
    for (int32_t s = 0; s < mplan_plan_n_sets(plan) && !status; s++) {
        const char *name = mplan_plan_get_set(plan, s)->name;
        const mplan_set own = mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, name));
        status = compare_size(plan, s, own.size, err);
    }
    return status ? status : compare_topology(plan, topology, err);
}

/* Makes the device the thread's and asks how much shared memory a thread block may have. */
static mplan_status open_device(mplan_exec *exec, mplan_error *err)
{
    int64_t free_bytes, total_bytes;
    mplan_status status = mplan_gpu_open(exec->device, err);
    if (!status)
        status = mplan_gpu_limits(exec->device, &exec->shared_limit, &exec->cache_bytes,
                                  &free_bytes, &total_bytes, err);
    return status;
}

/* Loops run by threads where that is what the executor is for; tables that go to a device are
 * looked over by threads, too. */
static mplan_status open_team(mplan_exec *exec, int32_t threads, mplan_error *err)
{
    bool openmp = exec->executor == MPLAN_EXECUTOR_OPENMP;
    exec->team = mplan_alloc_aligned(1, sizeof *exec->team, err);
    if (!exec->team)
        return MPLAN_ERR_MEMORY;
    mplan_team_open(exec->team, openmp ? threads : exec->executor == MPLAN_EXECUTOR_CUDA ? 0 : 1);
    exec->threads = openmp ? mplan_team_threads(exec->team) : 1;
    return MPLAN_OK;
}

/* The executor itself, after dats, copies and loops. */
static void release(mplan_exec *exec)
{
    if (exec->team)
        mplan_team_close(exec->team);
    free(exec->team);
    free(exec);
}

/* Numbers and what belongs together; sets are compared with the plan's later. */
static mplan_status check_options(const mplan_exec_options *options, mplan_error *err)
{
    if (!mplan_executor_name(options->executor))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there is no executor number %d",
                          (int)options->executor);
    if (options->n_sets > 0 && !options->sets)
        return mplan_fail_null(err, "mplan_exec_open", "sets of the options");
    if (options->threads < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "the number of threads must be 0 or more, not %d", (int)options->threads);
    if (options->device_memory < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "device memory must be 0 or more bytes, not %lld",
                          (long long)options->device_memory);
    if (options->device_memory == 0 &&
        (options->store || options->unpinned || options->launch_streams))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "a store, memory that is not pinned, or a number of launch streams needs a limited "
                          "device memory");
    if (options->launch_streams < 0 || options->launch_streams > 2)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there cannot be %d launch streams, only 1 or 2",
                          (int)options->launch_streams);
    return MPLAN_OK;
}

/* The plan must outlive the executor. */
mplan_status mplan_exec_open(const mplan_plan *plan, const mplan_exec_options *options,
                             mplan_exec **exec, mplan_error *err)
{
    MPLAN_NEED(plan);
    MPLAN_NEED(exec);
    mplan_exec_options own = MPLAN_EXEC_OPTIONS_INIT;
    mplan_status status = mplan_options_take(&own, options, "executor options", err);
    if (status)
        return status;
    options = &own;
    status = check_options(options, err);
    if (!status)
        status = compare_mesh(plan, options, err);
    if (status)
        return status;
    mplan_exec *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    made->plan = plan;
    made->executor = options->executor;
    made->device = options->device;
    status = open_team(made, options->threads, err);
    if (!status && made->executor == MPLAN_EXECUTOR_CUDA)
        status = open_device(made, err);
    if (!status && options->device_memory > 0)
        status = mplan_exec_open_visit(made, options, err);
    if (!status) {
        *exec = made;
        return MPLAN_OK;
    }
    mplan_exec_close_visit(made);
    release(made);
    return status;
}

/* Loops that are still bound are released, too. */
void mplan_exec_close(mplan_exec *exec)
{
    if (!exec)
        return;
    if (exec->parts) {
        exec->calls->close(exec);
        return;
    }
    if (mplan_exec_use(exec, NULL) == MPLAN_OK && exec->executor == MPLAN_EXECUTOR_CUDA)
        mplan_gpu_wait(NULL); /* nothing may still read what is released */
    for (mplan_exec_loop *bound = exec->loops; bound;) {
        mplan_exec_loop *next = bound->next;
        mplan_exec_unbind(bound);
        bound = next;
    }
    mplan_exec_free_functions(exec);
    for (int32_t d = 0; d < exec->n_dats; d++) {
        free(exec->dats[d].name);
        mplan_owner_rows_free(exec->dats[d].owner);
        if (!exec->dats[d].adopted)
            mplan_exec_release_dat(exec, &exec->dats[d]);
    }
    mplan_exec_close_visit(exec);
    mplan_gpu_staging_free(exec->staging);
    for (int32_t c = 0; c < exec->n_copies; c++)
        mplan_gpu_free(exec->copies[c].data);
    free(exec->dats);
    free(exec->copies);
    release(exec);
}

/* Of tables and dats; NULL: 0. */
int64_t mplan_exec_bytes(const mplan_exec *exec)
{
    return !exec ? 0 : exec->parts ? exec->calls->bytes(exec) : exec->bytes;
}
