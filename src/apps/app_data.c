/* SPDX-License-Identifier: Apache-2.0 */
/* app_data.c - the dats of an application, and what they must become */
#include "apps/app_data.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/layers_app.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

/* --- dats ------------------------------------------------------------------ */

/* In the mesh's order, one for each member and level: holes of the plan are not among them. */
int64_t mplan_app_dat_rows(const mplan_app_dat *dat)
{
    return dat->members * dat->levels;
}

int64_t mplan_app_dat_bytes(const mplan_app_dat *dat)
{
    return mplan_app_dat_rows(dat) * dat->dim * (int64_t)mplan_type_size(dat->type);
}

/* NULL: the application has no dat of that name. */
mplan_app_dat *mplan_app_data_find(mplan_app_data *data, const char *name)
{
    for (int32_t i = 0; i < data->n; i++)
        if (!strcmp(data->dat[i].name, name))
            return &data->dat[i];
    return NULL;
}

/* Set whose members an arg touches; MPLAN_APP_GLOBAL: none, -1 when set or map are missing. */
static int32_t set_of_arg(const mplan_loop *loop, const mplan_arg *arg, const mplan_mesh *mesh)
{
    if (!arg->map)
        return mplan_mesh_find_set(mesh, loop->over);
    if (!strcmp(arg->map, MPLAN_GLOBAL))
        return MPLAN_APP_GLOBAL;
    int32_t map = mplan_mesh_find_map(mesh, arg->map);
    return map < 0 ? -1 : mplan_mesh_map(mesh, map).to;
}

/* A dat for each name; further args with that name must agree. levels: of the dat. */
static mplan_status add_arg(const mplan_loop *loop, const mplan_arg *arg, int32_t levels,
                            const mplan_mesh *mesh, mplan_app_data *data, mplan_error *err)
{
    mplan_app_dat *dat = mplan_app_data_find(data, arg->dat);
    if (!dat) {
        int32_t set = set_of_arg(loop, arg, mesh);
        if (set < 0 && set != MPLAN_APP_GLOBAL)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the mesh has no %s '%s'",
                              arg->map ? "map" : "set", arg->map ? arg->map : loop->over);
        if (data->n == MPLAN_APP_MAX_DATS)
            return mplan_fail(err, MPLAN_ERR_INTERNAL, "more than %d dats", MPLAN_APP_MAX_DATS);
        dat = &data->dat[data->n];
        int64_t members = set == MPLAN_APP_GLOBAL ? 1 : mplan_mesh_set(mesh, set).size;
        *dat = (mplan_app_dat){.name = arg->dat,
                               .set = set,
                               .members = members,
                               .levels = levels,
                               .dim = arg->dim,
                               .type = arg->type,
                               .first = arg->access};
        dat->rows = mplan_alloc_zero(mplan_app_dat_rows(dat) * dat->dim, mplan_type_size(dat->type),
                                     err);
        if (!dat->rows)
            return MPLAN_ERR_MEMORY;
        data->n++;
    }
    dat->changed |= arg->access != MPLAN_READ;
    return MPLAN_OK;
}

/* data->dat: rows in the mesh's order. */
mplan_status mplan_app_data_create(const mplan_app *app, const mplan_mesh *mesh,
                                   const mplan_loop *request, int32_t layers, mplan_app_data *data,
                                   mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    assert(!app->layered == (layers == 0));
    data->n = 0;
    for (int32_t l = 0; l < app->n_loops && !status; l++)
        for (int32_t a = 0; a < request[l].n_args && !status; a++) {
            const int32_t levels = layers > 0 ? mplan_app_levels(&app->layered[l], a, layers) : 0;
            status = add_arg(&request[l], &request[l].args[a], levels > 0 ? levels : 1, mesh, data,
                             err);
        }
    return status;
}

/* rows: what is uploaded; reference: what the mesh's own order makes of it; kept: the results of an earlier run. */
void mplan_app_data_free(mplan_app_data *data)
{
    for (int32_t i = 0; i < data->n; i++) {
        free(data->dat[i].rows);
        free(data->dat[i].reference);
        free(data->dat[i].kept);
    }
}

/* --- random numbers ----------------------------------------------------------- */

/* Splitmix64 (Steele, Lea and Flood, OOPSLA 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Place `at` of rows of the type; whole numbers are rounded down. */
static void put_number(void *rows, mplan_type type, int64_t at, double value)
{
    if (type == MPLAN_TYPE_F64)
        ((double *)rows)[at] = value;
    else if (type == MPLAN_TYPE_F32)
        ((float *)rows)[at] = (float)value;
    else if (type == MPLAN_TYPE_I32)
        ((int32_t *)rows)[at] = (int32_t)floor(value);
    else if (type == MPLAN_TYPE_I64)
        ((int64_t *)rows)[at] = (int64_t)floor(value);
    else if (type == MPLAN_TYPE_U16)
        ((uint16_t *)rows)[at] = (uint16_t)floor(value);
    else
        ((uint8_t *)rows)[at] = (uint8_t)floor(value);
}

/* The number as a double, which holds all values that applications use. */
static double get_number(const void *rows, mplan_type type, int64_t at)
{
    if (type == MPLAN_TYPE_F64)
        return ((const double *)rows)[at];
    if (type == MPLAN_TYPE_F32)
        return ((const float *)rows)[at];
    if (type == MPLAN_TYPE_I32)
        return ((const int32_t *)rows)[at];
    if (type == MPLAN_TYPE_I64)
        return (double)((const int64_t *)rows)[at];
    return type == MPLAN_TYPE_U16 ? ((const uint16_t *)rows)[at] : ((const uint8_t *)rows)[at];
}

/* Random numbers that make sense for the kernel, such as positive densities. */
static mplan_app_range range_of(const mplan_app *app, const char *dat, int32_t component)
{
    for (int32_t i = 0; i < app->n_ranges; i++) {
        const mplan_app_range *range = &app->ranges[i];
        if (!strcmp(range->dat, dat) && component >= range->first && component < range->end)
            return *range;
    }
    return (mplan_app_range){dat, 0, 0, 0.5, 1.5};
}

/* The same numbers for every executor and strategy. */
void mplan_app_data_random(const mplan_app *app, uint64_t seed, mplan_app_data *data)
{
    uint64_t state = seed;
    for (int32_t i = 0; i < data->n; i++) {
        mplan_app_dat *dat = &data->dat[i];
        if (dat->first == MPLAN_WRITE) {
            memset(dat->rows, 0xff, (size_t)mplan_app_dat_bytes(dat));
            continue;
        }
        for (int32_t c = 0; c < dat->dim; c++) {
            mplan_app_range range = range_of(app, dat->name, c);
            double width = (range.high - range.low) * 0x1p-53;
            for (int64_t m = 0; m < mplan_app_dat_rows(dat); m++)
                put_number(dat->rows, dat->type, m * dat->dim + c,
                           range.low + width * (double)(next_random(&state) >> 11));
        }
    }
}

/* --- the reference --------------------------------------------------------------- */

/* reference: where the mesh's order is summed, to compare with. */
mplan_status mplan_app_data_begin(mplan_app_data *data, mplan_error *err)
{
    for (int32_t i = 0; i < data->n; i++) {
        mplan_app_dat *dat = &data->dat[i];
        if (!dat->changed)
            continue;
        free(dat->reference);
        dat->reference = mplan_copy(dat->rows, mplan_app_dat_bytes(dat), 1, err);
        if (!dat->reference)
            return MPLAN_ERR_MEMORY;
    }
    return MPLAN_OK;
}

/* Of the reference, as mplan_exec_clear does with the dat. */
void mplan_app_data_clear(mplan_app_data *data, const char *name)
{
    mplan_app_dat *dat = mplan_app_data_find(data, name);
    assert(dat && dat->reference);
    memset(dat->reference, 0, (size_t)mplan_app_dat_bytes(dat));
}

/* One loop over the mesh as it is, without a plan. */
void mplan_app_data_step(const mplan_app *app, int32_t i, const mplan_loop *request,
                         const mplan_mesh *mesh, const void *parameters, mplan_app_data *data)
{
    const mplan_loop *loop = &request[i];
    mplan_host_call call = {.parameters = parameters, .mode = MPLAN_HOST_ADD};
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_arg *arg = &loop->args[a];
        const mplan_app_dat *dat = mplan_app_data_find(data, arg->dat);
        call.arg[a].data = dat->changed ? dat->reference : dat->rows;
        call.arg[a].member_stride = dat->dim;
        call.arg[a].component_stride = 1;
        if (arg->map)
            call.arg[a].rows = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, arg->map)).values;
        if (arg->map)
            call.arg[a].row_offsets = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, arg->map)).offsets;
    }
    app->loops[i].host->run(&call, 0,
                            mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, loop->over)).size);
}

/* --- the executor's dats ---------------------------------------------------------- */

/* Rows in the mesh's order: the executor brings them into the plan's. */
mplan_status mplan_app_dat_upload(const mplan_app_dat *dat, mplan_exec *exec, mplan_error *err)
{
    assert(dat->rows);
    return mplan_exec_upload(exec, dat->name, dat->rows, mplan_app_dat_rows(dat), dat->dim,
                             dat->type, err);
}

/* All dats of the application. */
mplan_status mplan_app_data_upload(const mplan_app_data *data, mplan_exec *exec, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < data->n && !status; i++)
        status = mplan_app_dat_upload(&data->dat[i], exec, err);
    return status;
}

/* ||a - b|| / ||b||; infinite where a number of a is none. */
static double distance(const void *a, const void *b, mplan_type type, int64_t n)
{
    double square = 0, whole = 0;
    for (int64_t i = 0; i < n; i++) {
        double is = get_number(a, type, i), should = get_number(b, type, i);
        square += (is - should) * (is - should);
        whole += should * should;
    }
    if (!isfinite(square) || !isfinite(whole))
        return INFINITY;
    return square == 0 ? 0 : sqrt(square / whole);
}

/* The first dat whose reference has a number that is not finite; NULL: none. A comparison with NaN would prove nothing. */
const char *mplan_app_data_not_finite(const mplan_app_data *data)
{
    for (int32_t i = 0; i < data->n; i++) {
        const mplan_app_dat *dat = &data->dat[i];
        for (int64_t k = 0; dat->reference && k < mplan_app_dat_rows(dat) * dat->dim; k++)
            if (!isfinite(get_number(dat->reference, dat->type, k)))
                return dat->name;
    }
    return NULL;
}

/* *error: largest difference from the reference over all dats, by their norms. *bits: of all dats,
 * one behind the other. */
mplan_status mplan_app_data_compare(const mplan_app_data *data, mplan_exec *exec, double *error,
                                    uint64_t *bits, mplan_error *err)
{
    *error = 0;
    mplan_fingerprint *print = mplan_fingerprint_begin();
    for (int32_t i = 0; i < data->n; i++) {
        const mplan_app_dat *dat = &data->dat[i];
        if (!dat->changed)
            continue;
        void *rows = mplan_alloc(mplan_app_dat_bytes(dat), 1, err);
        if (!rows) {
            mplan_fingerprint_end(print, bits);
            return MPLAN_ERR_MEMORY;
        }
        mplan_status status = mplan_exec_download(exec, dat->name, rows, mplan_app_dat_rows(dat),
                                                  dat->dim, dat->type, err);
        double found = status ? 0
                              : distance(rows, dat->reference, dat->type,
                                         mplan_app_dat_rows(dat) * dat->dim);
        if (!status && print)
            mplan_fingerprint_bytes(print, rows, (size_t)mplan_app_dat_bytes(dat));
        free(rows);
        if (status) {
            mplan_fingerprint_end(print, bits);
            return status;
        }
        *error = found > *error ? found : *error;
    }
    return mplan_fingerprint_end(print, bits) ? MPLAN_OK
                                              : mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory");
}

/* *same: whether bits equal those of the call before. */
mplan_status mplan_app_data_same(mplan_app_data *data, mplan_exec *exec, bool *same, mplan_error *err)
{
    for (int32_t i = 0; i < data->n; i++) {
        mplan_app_dat *dat = &data->dat[i];
        if (!dat->changed)
            continue;
        void *rows = mplan_alloc(mplan_app_dat_bytes(dat), 1, err);
        if (!rows)
            return MPLAN_ERR_MEMORY;
        mplan_status status = mplan_exec_download(exec, dat->name, rows, mplan_app_dat_rows(dat),
                                                  dat->dim, dat->type, err);
        if (!status && dat->kept && memcmp(rows, dat->kept, (size_t)mplan_app_dat_bytes(dat)))
            *same = false;
        if (status || dat->kept)
            free(rows);
        else
            dat->kept = rows;
        if (status)
            return status;
    }
    return MPLAN_OK;
}

/* The plan is of this mesh. */
mplan_status mplan_app_data_fits(const mplan_app_data *data, const mplan_mesh *mesh,
                                 const mplan_plan *plan, mplan_error *err)
{
    for (int32_t i = 0; i < data->n; i++) {
        if (data->dat[i].set == MPLAN_APP_GLOBAL)
            continue;
        mplan_set set = mplan_mesh_set(mesh, data->dat[i].set);
        int32_t found = mplan_plan_find_set(plan, set.name);
        if (found < 0)
            return mplan_fail(err, MPLAN_ERR_OTHER_MESH, "the plan has no set '%s'", set.name);
        const mplan_plan_set *own = mplan_plan_get_set(plan, found);
        const int64_t size = own->part.parts > 0 ? own->part.total : own->size;
        if (size != set.size)
            return mplan_fail(err, MPLAN_ERR_OTHER_MESH,
                              "set '%s' has %lld members in the plan and %lld in the mesh",
                              set.name, (long long)size, (long long)set.size);
    }
    return MPLAN_OK;
}

/* --- bytes --------------------------------------------------------------------------- */

/* True when an arg before `a` has its dat, or its map. */
static bool named_before(const mplan_loop *loop, int32_t a, bool map)
{
    for (int32_t b = 0; b < a; b++) {
        const char *other = map ? loop->args[b].map : loop->args[b].dat;
        if (other && !strcmp(other, map ? loop->args[a].map : loop->args[a].dat))
            return true;
    }
    return false;
}

/* Each dat once, incremented ones twice, each map once. */
double mplan_app_useful_bytes(const mplan_loop *loop, const mplan_mesh *mesh)
{
    static const mplan_app_data none;
    return mplan_app_data_useful_bytes(&none, loop, mesh);
}

/* Dats that are not among the data are flat. */
double mplan_app_data_useful_bytes(const mplan_app_data *data, const mplan_loop *loop,
                                   const mplan_mesh *mesh)
{
    double bytes = 0;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_arg *arg = &loop->args[a];
        mplan_set set = mplan_mesh_set(mesh, set_of_arg(loop, arg, mesh));
        bool twice = arg->access == MPLAN_INC || arg->access == MPLAN_RW;
        double levels = 1;
        for (int32_t i = 0; i < data->n; i++)
            if (!strcmp(data->dat[i].name, arg->dat))
                levels = data->dat[i].levels;
        if (!named_before(loop, a, false))
            bytes += (twice ? 2.0 : 1.0) * (double)set.size * levels * arg->dim *
                     (double)mplan_type_size(arg->type);
        if (arg->map && !named_before(loop, a, true)) {
            mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, arg->map));
            bytes += 4.0 * (double)mplan_map_entries(&map);
        }
    }
    return bytes;
}
