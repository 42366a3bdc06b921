/* SPDX-License-Identifier: Apache-2.0 */
/* tune.c - a loop to tune: from an application, or by kernels of the user's */
#include "apps/tune.h"

#include <assert.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/harness.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/option_size.h"

/* What launches pass to kernels that nobody gave parameters for. */
static const unsigned char no_parameters[MPLAN_MAX_PARAMETERS];

/* One loop on random data: others would need their own way to make data. */
bool mplan_tune_takes(const mplan_app *app)
{
    return app && !app->layered && !app->choose &&
           (app->first_stands || (app->n_loops == 1 && !app->steps));
}

/* The results of the mesh's own order; a kernel that makes numbers which are not finite is refused here. */
mplan_status mplan_tune_refer(mplan_tune *tune, mplan_error *err)
{
    assert(tune && tune->own.host);
    mplan_status status = mplan_app_data_begin(&tune->data, err);
    if (status)
        return status;
    mplan_app_data_step(&tune->app, 0, tune->request, tune->mesh, tune->app.parameters, &tune->data);
    const char *dat = mplan_app_data_not_finite(&tune->data);
    if (dat)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "loop %s: with these data dat %s holds numbers that are not finite after one launch on the "
                          "host, so that no result can be judged; give data that suit the kernel",
                          tune->own.name, dat);
    return MPLAN_OK;
}

/* A hash of a file's bytes; 0 where it cannot be read: such hashes never agree with others. */
static uint64_t hash_file(const char *path)
{
    mplan_file file;
    mplan_error ignored;
    if (mplan_file_open(path, NULL, &file, &ignored))
        return 0;
    const uint64_t hash = mplan_hash(file.data, file.size);
    mplan_file_close(&file);
    return hash;
}

/* The loop's kernels are set; data follow. */
static mplan_status create(const mplan_app *app, const mplan_app_loop *loop, const mplan_mesh *mesh,
                           const mplan_loop *request, mplan_tune **tune, mplan_error *err)
{
    mplan_tune *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    made->app = *app;
    made->own = *loop;
    made->app.loops = &made->own;
    made->app.n_loops = 1;
    made->mesh = mesh;
    made->request = request;
    *tune = made;
    return mplan_app_data_create(&made->app, mesh, request, 0, &made->data, err);
}

/* The hash is that of this program's file, which has the kernels. made->data has random rows, and the reference of
 * one launch. */
mplan_status mplan_tune_of_app(const mplan_app *app, const mplan_mesh *mesh,
                               const mplan_loop *request, uint64_t seed, mplan_tune **tune,
                               mplan_error *err)
{
    MPLAN_NEED(app);
    MPLAN_NEED(mesh);
    MPLAN_NEED(request);
    MPLAN_NEED(tune);
    if (!mplan_tune_takes(app))
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s has layers, or several loops that differ, and cannot be tuned",
                          app->name);
    mplan_tune *made = NULL;
    mplan_status status = create(app, &app->loops[0], mesh, request, &made, err);
    if (!status) {
        made->kernel_hash = hash_file("/proc/self/exe");
        mplan_app_data_random(&made->app, seed, &made->data);
        status = mplan_tune_refer(made, err);
    }
    if (status)
        mplan_tune_free(made);
    else
        *tune = made;
    return status;
}

/* --- kernels of the user's ----------------------------------------------------------- */

/* An absolute path, so that the loader does not look in the system's folders: to be released. */
static void *open_object(const char *path, mplan_error *err)
{
    char *whole = realpath(path, NULL);
    void *object = whole ? dlopen(whole, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!whole)
        mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: the file cannot be found", path);
    else if (!object)
        mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: is not a shared object that can be loaded: %s",
                   path, dlerror());
    free(whole);
    return object;
}

typedef const mplan_kernel *kernels_function(int32_t *n);
typedef const void *parameters_function(const char *kernel);

/* Objects and functions have the same size on systems with dlsym; ISO C knows no cast between them. */
static kernels_function *find_kernels(void *object)
{
    kernels_function *function;
    void *symbol = dlsym(object, "meshplan_kernels");
    memcpy(&function, &symbol, sizeof function);
    return function;
}

/* ISO C has no conversion from data pointers to functions. NULL: the object has no parameters. */
static parameters_function *find_parameters(void *object)
{
    parameters_function *function;
    void *symbol = dlsym(object, "meshplan_parameters");
    memcpy(&function, &symbol, sizeof function);
    return function;
}

/* The args of a kernel against those of the loop, by dat, size and access; maps are compared when it is bound. */
static mplan_status compare_args(const mplan_kernel *kernel, const mplan_loop *loop,
                                 const char *path, mplan_error *err)
{
    if (kernel->n_args != loop->n_args)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: kernel %s has %d args, but the loop has %d",
                          path, kernel->name, (int)kernel->n_args, (int)loop->n_args);
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_kernel_arg *own = &kernel->args[a];
        const mplan_arg *arg = &loop->args[a];
        if (strcmp(own->dat, arg->dat) || own->dim != arg->dim || own->type != arg->type ||
            own->access != arg->access || (own->map[0] == 0 && !own->global) != !arg->map)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "%s: arg %d of kernel %s (%s, %d x %s, %s) is not that of the loop (%s, %d x %s, %s)",
                              path, (int)a, kernel->name, own->dat, (int)own->dim,
                              mplan_type_name(own->type), mplan_access_name(own->access), arg->dat,
                              (int)arg->dim, mplan_type_name(arg->type),
                              mplan_access_name(arg->access));
    }
    return MPLAN_OK;
}

/* The kernels of the loop's name: one with a host's function, and maybe one for the device. */
static mplan_status take_kernels(void *object, const char *path, const mplan_loop *loop,
                                 mplan_app_loop *out, mplan_error *err)
{
    kernels_function *list = find_kernels(object);
    int32_t n = 0;
    mplan_status status = MPLAN_OK;
    if (!list)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s: has no function meshplan_kernels; export "
                          "'const mplan_kernel *meshplan_kernels(int32_t *n)'",
                          path);
    const mplan_kernel *kernels = list(&n);
    *out = (mplan_app_loop){.name = loop->name, .over = loop->over, .primary = true};
    for (int32_t i = 0; kernels && i < n && !status; i++) {
        if (!kernels[i].name || strcmp(kernels[i].name, loop->name))
            continue;
        status = compare_args(&kernels[i], loop, path, err);
        if (kernels[i].run)
            out->host = &kernels[i];
        else
            out->device = &kernels[i];
    }
    if (!status && !out->host)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "%s: none of its %d kernels is loop %s for the host, which judges the results",
                            path, (int)n, loop->name);
    return status;
}

/* Ones, but zeros where a dat is only incremented. */
static void fill_ones(mplan_app_data *data)
{
    mplan_app plain = {.n_ranges = 0};
    mplan_app_range range[MPLAN_APP_MAX_DATS];
    for (int32_t i = 0; i < data->n; i++)
        range[i] = (mplan_app_range){data->dat[i].name, 0, data->dat[i].dim, 1, 1};
    plain.ranges = range;
    plain.n_ranges = data->n;
    mplan_app_data_random(&plain, 1, data);
    for (int32_t i = 0; i < data->n; i++)
        if (data->dat[i].first == MPLAN_INC)
            memset(data->dat[i].rows, 0, (size_t)mplan_app_dat_bytes(&data->dat[i]));
}

/* Kernels, parameters and data; the object stays open as long as they are used. */
static mplan_status fill_from_object(const mplan_tune_object *object, const mplan_context *context,
                                     mplan_tune *tune, mplan_error *err)
{
    parameters_function *parameters = find_parameters(tune->object);
    tune->app.parameters = parameters ? parameters(tune->own.name) : NULL;
    if (!tune->app.parameters)
        tune->app.parameters = no_parameters;
    tune->kernel_hash = hash_file(object->path);
    fill_ones(&tune->data);
    mplan_status status = object->data
                              ? mplan_tune_read_data(object->data, context, &tune->data, err)
                              : MPLAN_OK;
    return status ? status : mplan_tune_refer(tune, err);
}

/* The object must stay open as long as its kernels are used: mplan_tune_free closes it. The reference of one launch
 * is made here, by the object's kernel for the host. */
mplan_status mplan_tune_of_object(const mplan_tune_object *object, const mplan_mesh *mesh,
                                  const mplan_loop *request, const mplan_context *context,
                                  mplan_tune **tune, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(object);
    MPLAN_NEED(object->path);
    MPLAN_NEED(mesh);
    MPLAN_NEED(request);
    MPLAN_NEED(tune);
    static const mplan_app plain = {.name = "kernels", .tolerance = 0};
    mplan_app_loop loop;
    mplan_tune *made = NULL;
    void *opened = open_object(object->path, err);
    if (!opened)
        return MPLAN_ERR_ARGUMENT;
    mplan_status status = take_kernels(opened, object->path, request, &loop, err);
    if (!status)
        status = create(&plain, &loop, mesh, request, &made, err);
    if (made) /* from here on mplan_tune_free closes it */
        made->object = opened;
    else
        dlclose(opened);
    if (!status)
        status = fill_from_object(object, context, made, err);
    if (status)
        mplan_tune_free(made);
    else
        *tune = made;
    return status;
}

/* Kernels of the object must not run any more. */
void mplan_tune_free(mplan_tune *tune)
{
    if (!tune)
        return;
    mplan_app_data_free(&tune->data);
    if (tune->object)
        dlclose(tune->object);
    free(tune);
}

/* 0 also where the file could not be read. */
uint64_t mplan_tune_kernel_hash(const mplan_tune *tune)
{
    return tune ? tune->kernel_hash : 0;
}

/* --- running under a plan -------------------------------------------------------------- */

/* Of the options, else of the application, else by the narrowest type of the dats. */
double mplan_tune_tolerance(const mplan_tune *tune, const mplan_tune_options *options)
{
    bool single = false;
    if (options->tolerance > 0)
        return options->tolerance;
    if (tune->app.tolerance > 0)
        return tune->app.tolerance;
    for (int32_t i = 0; i < tune->data.n; i++)
        single = single || tune->data.dat[i].type == MPLAN_TYPE_F32;
    mplan_set set = mplan_mesh_set(tune->mesh, mplan_mesh_find_set(tune->mesh, tune->request->over));
    return single ? 1e-4 : 1e-12 * sqrt((double)set.size + 1);
}

/* Dats are uploaded as tune->data has them, in the layouts that the plan advises; launches of one executor follow
 * one another on the same dats. */
mplan_status mplan_tune_open(const mplan_tune *tune, const mplan_exec_options *options,
                             const mplan_plan *plan, mplan_exec **exec, mplan_exec_loop **bound,
                             mplan_error *err)
{
    mplan_app_options how = MPLAN_APP_OPTIONS_INIT;
    mplan_exec *made = NULL;
    how.exec = options;
    mplan_status status = mplan_app_data_fits(&tune->data, tune->mesh, plan, err);
    if (!status)
        status = mplan_app_open(plan, &how, &tune->data, &made, err);
    if (!status)
        status = mplan_app_bind(&tune->app, 0, plan, &how, made, bound, err);
    if (status)
        mplan_exec_close(made);
    else
        *exec = made;
    return status;
}
