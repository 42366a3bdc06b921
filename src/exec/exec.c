/* exec.c - opening and closing an executor, its memory and its copies of the plan */
#include "exec/exec.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"

static const char *const EXECUTORS[MPLAN_N_EXECUTORS] = {"serial", "host", "openmp", "cuda"};

const char *mplan_executor_name(mplan_executor value)
{
    return (unsigned)value < MPLAN_N_EXECUTORS ? EXECUTORS[value] : NULL;
}

bool mplan_executor_from(const char *word, mplan_executor *value)
{
    for (int i = 0; word && value && i < MPLAN_N_EXECUTORS; i++)
        if (strcmp(word, EXECUTORS[i]) == 0) {
            *value = (mplan_executor)i;
            return true;
        }
    return false;
}

/* The caller's mesh against the plan's: by fingerprint, and by the sizes of its sets. */
static mplan_status compare_mesh(const mplan_plan *plan, const mplan_exec_options *options,
                                 mplan_error *err)
{
    for (int32_t i = 0; i < options->n_sets; i++) {
        int32_t set = mplan_plan_find_set(plan, options->sets[i].name);
        if (set < 0)
            continue;
        const mplan_plan_set *own = mplan_plan_get_set(plan, set);
        if (own->size != options->sets[i].size)
            return mplan_fail(err, MPLAN_ERR_OTHER_MESH,
                              "the plan is for another mesh: set %s has %lld members in the plan "
                              "and %lld in the mesh",
                              own->name, (long long)own->size, (long long)options->sets[i].size);
    }
    uint64_t topology = mplan_plan_fingerprints(plan).topology;
    if (options->topology && *options->topology != topology)
        return mplan_fail(err, MPLAN_ERR_OTHER_MESH,
                          "the plan is for another mesh: its topology is %016llx, the mesh's is "
                          "%016llx",
                          (unsigned long long)topology, (unsigned long long)*options->topology);
    return MPLAN_OK;
}

static mplan_status open_device(mplan_exec *exec, mplan_error *err)
{
    int64_t free_bytes, total_bytes;
    mplan_status status = mplan_device_open(exec->device, err);
    if (status == MPLAN_OK)
        status = mplan_device_limits(exec->device, &exec->shared_limit, &free_bytes, &total_bytes,
                                     err);
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

static void release(mplan_exec *exec)
{
    if (exec->team)
        mplan_team_close(exec->team);
    free(exec->team);
    free(exec);
}

/* The plan must outlive the executor. */
mplan_status mplan_exec_open(const mplan_plan *plan, const mplan_exec_options *options,
                             mplan_exec **exec, mplan_error *err)
{
    MPLAN_NEED(plan);
    MPLAN_NEED(exec);
    mplan_exec_options own = MPLAN_EXEC_OPTIONS_INIT;
    mplan_status status = mplan_options_take(&own, options, "executor options", err);
    if (status != MPLAN_OK)
        return status;
    options = &own;
    if (!mplan_executor_name(options->executor))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there is no executor number %d",
                          (int)options->executor);
    if (options->n_sets > 0 && !options->sets)
        return mplan_fail_null(err, __func__, "sets of the options");
    if (options->threads < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%d threads are fewer than none",
                          (int)options->threads);
    status = compare_mesh(plan, options, err);
    if (status != MPLAN_OK)
        return status;
    mplan_exec *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    made->plan = plan;
    made->executor = options->executor;
    made->device = options->device;
    status = open_team(made, options->threads, err);
    if (status == MPLAN_OK && made->executor == MPLAN_EXECUTOR_CUDA)
        status = open_device(made, err);
    if (status == MPLAN_OK)
        *exec = made;
    else
        release(made);
    return status;
}

/* Loops that are still bound are released, too. */
void mplan_exec_close(mplan_exec *exec)
{
    if (!exec)
        return;
    if (mplan_exec_use(exec, NULL) == MPLAN_OK && exec->executor == MPLAN_EXECUTOR_CUDA)
        mplan_device_wait(NULL); /* nothing may still read what is released */
    for (mplan_exec_loop *bound = exec->loops; bound;) {
        mplan_exec_loop *next = bound->next;
        mplan_exec_unbind(bound);
        bound = next;
    }
    for (int32_t d = 0; d < exec->n_dats; d++) {
        free(exec->dats[d].name);
        mplan_exec_release(exec, exec->dats[d].data);
    }
    for (int32_t c = 0; c < exec->n_copies; c++)
        mplan_device_free(exec->copies[c].data);
    free(exec->dats);
    free(exec->copies);
    release(exec);
}

mplan_status mplan_exec_use(const mplan_exec *exec, mplan_error *err)
{
    assert(exec);
    return exec->executor == MPLAN_EXECUTOR_CUDA ? mplan_device_open(exec->device, err) : MPLAN_OK;
}

/* Host or device memory, by executor. exec->bytes counts it. */
mplan_status mplan_exec_allocate(mplan_exec *exec, int64_t count, size_t size, void **data,
                                 mplan_error *err)
{
    assert(exec && count >= 0);
    mplan_status status = MPLAN_OK;
    if (count < 0 || (uint64_t)count > (uint64_t)INT64_MAX / size)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory (asked for %lld x %zu bytes)",
                          (long long)count, size);
    int64_t bytes = count * (int64_t)size;
    void *made = NULL;
    if (exec->executor == MPLAN_EXECUTOR_CUDA)
        status = mplan_device_alloc(bytes, &made, err);
    else if (!(made = mplan_alloc_aligned(count, size, err)))
        status = MPLAN_ERR_MEMORY;
    if (status != MPLAN_OK)
        return status;
    exec->bytes += bytes;
    *data = made;
    return MPLAN_OK;
}

void mplan_exec_release(const mplan_exec *exec, void *data)
{
    assert(exec);
    if (exec->executor == MPLAN_EXECUTOR_CUDA)
        mplan_device_free(data);
    else
        free(data);
}

/* The array on the device; kept until the executor is closed. */
static mplan_status copy_array(mplan_exec *exec, const mplan_array *array, void **copy,
                               mplan_error *err)
{
    int64_t count = array->rows * array->cols;
    size_t size = mplan_type_size(array->type);
    mplan_exec_copy *grown =
        mplan_realloc(exec->copies, exec->n_copies + 1, sizeof *grown, err);
    if (!grown)
        return MPLAN_ERR_MEMORY;
    exec->copies = grown;
    void *data = NULL;
    mplan_status status = mplan_exec_allocate(exec, count, size, &data, err);
    if (status != MPLAN_OK)
        return status;
    if (count > 0)
        status = mplan_device_upload(data, array->data, count * (int64_t)size, err);
    if (status != MPLAN_OK) {
        mplan_device_free(data);
        return status;
    }
    exec->copies[exec->n_copies++] = (mplan_exec_copy){array->key, data};
    *copy = data;
    return MPLAN_OK;
}

/* *data: the plan's own array on the host, or its copy on the device, made at
 * first use. */
mplan_status mplan_exec_table(mplan_exec *exec, mplan_key key, mplan_type type, const void **data,
                              int64_t *rows, mplan_error *err)
{
    assert(exec);
    const mplan_array *array = mplan_plan_find_array(exec->plan, &key);
    if (!array || array->type != type) {
        const char *name = mplan_kind_name(key.kind);
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "the plan lacks the table %s of %s",
                          name ? name : "?", mplan_type_name(type));
    }
    if (rows)
        *rows = array->rows;
    if (exec->executor != MPLAN_EXECUTOR_CUDA) {
        *data = array->data;
        return MPLAN_OK;
    }
    for (int32_t c = 0; c < exec->n_copies; c++)
        if (mplan_key_compare(&exec->copies[c].key, &key) == 0) {
            *data = exec->copies[c].data;
            return MPLAN_OK;
        }
    void *copy;
    mplan_status status = copy_array(exec, array, &copy, err);
    if (status == MPLAN_OK)
        *data = copy;
    return status;
}

int64_t mplan_exec_bytes(const mplan_exec *exec)
{
    return exec ? exec->bytes : 0;
}
