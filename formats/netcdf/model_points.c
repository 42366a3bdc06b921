/* SPDX-License-Identifier: Apache-2.0 */
/* model_points.c - coordinates of the netCDF meshes of ocean and atmosphere models: lengths, or longitude and latitude */
#include "formats/netcdf/model_grid.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/sphere.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_NETCDF

/* Every `stride`-th entry of out: size[of] numbers are set. */
static mplan_status read_axis(const mplan_model_grid *grid, int of, const char *name, double *out,
                              int64_t stride, mplan_netcdf_variable *variable, mplan_error *err)
{
    mplan_status status = mplan_model_grid_describe(grid, of, name, variable, err);
    return status ? status : mplan_netcdf_reals(&grid->file, variable, out, stride, err);
}

/* Factor from the variable's numbers to degrees: 180 / pi or 1. `radians` is what holds where the file names no
 * unit, or one that is neither. */
static double degrees_of(const mplan_model_grid *grid, const mplan_netcdf_variable *variable,
                         bool radians)
{
    char text[64];
    if (mplan_netcdf_text(&grid->file, variable->id, "units", text, sizeof text))
        radians = strncmp(text, "rad", 3) == 0 || (radians && strncmp(text, "deg", 3) != 0);
    return radians ? 57.295779513082320877 : 1;
}

/* Coordinates of a set by n axes, for a layout. 
 * angles: they are longitude and latitude, in radians where `radians` and the file do not say otherwise. */
static mplan_status place_axes(mplan_model_grid *grid, int of, int32_t dimension, int n,
                               const char *const *axes, bool radians, bool angles, mplan_error *err)
{
    mplan_places_points *points = NULL;
    mplan_netcdf_variable variable;
    mplan_status status = mplan_places_add_points(grid->file.layout, mplan_model_grid_set[of],
                                                  dimension, &points, err);
    for (int a = 0; a < n && !status; a++) {
        status = mplan_model_grid_describe(grid, of, axes[a], &variable, err);
        if (!status)
            status = mplan_netcdf_place(&grid->file, &variable, grid->size[of], 1, false,
                                        &points->array[a], err);
        if (!status && angles)
            points->degrees[a] = degrees_of(grid, &variable, radians);
    }
    if (!status)
        points->sphere = angles;
    return status;
}

/* xyz is taken over; errors name the file. */
static mplan_status take_points(const mplan_model_grid *grid, int of, int32_t dimension,
                                double *xyz, mplan_error *err)
{
    mplan_status status = mplan_mesh_take_coordinates(grid->mesh, grid->set[of], dimension, xyz, err);
    return status == MPLAN_ERR_MESH ? mplan_fail_prefix(err, status, grid->file.input->path) : status;
}

mplan_status mplan_model_grid_lengths(mplan_model_grid *grid, int of, const char *const axes[3],
                                      bool flat, bool *found, mplan_error *err)
{
    assert(grid && axes && found);
    mplan_netcdf_variable variable;
    int32_t dimension = flat || mplan_netcdf_find(&grid->file, axes[2]) < 0 ? 2 : 3;
    *found = grid->set[of] >= 0 && mplan_netcdf_find(&grid->file, axes[0]) >= 0 &&
             mplan_netcdf_find(&grid->file, axes[1]) >= 0;
    if (!*found)
        return MPLAN_OK;
    if (grid->file.layout)
        return place_axes(grid, of, dimension, dimension, axes, false, false, err);
    double *xyz = mplan_alloc_zero(grid->size[of], (size_t)dimension * sizeof *xyz, err);
    mplan_status status = xyz ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t a = 0; a < dimension && !status; a++)
        status = read_axis(grid, of, axes[a], xyz + a, dimension, &variable, err);
    if (!status)
        return take_points(grid, of, dimension, xyz, err);
    free(xyz);
    return status;
}

/* From longitude and latitude in xyz[0] and [1] of each member to the point of the unit sphere. xyz is taken over.
 * xyz: size[of] rows of 3; degrees: the factors of both angles. A latitude a little beyond a pole is accepted: reals
 * of 32 bits round so. */
static mplan_status take_sphere(const mplan_model_grid *grid, int of, const double degrees[2],
                                double *xyz, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < grid->size[of] && !status; i++) {
        const double longitude = xyz[3 * i] * degrees[0], latitude = xyz[3 * i + 1] * degrees[1];
        if (!mplan_sphere_has(longitude, latitude))
            status = mplan_fail(err, MPLAN_ERR_MESH,
                                "%s: %s %lld has longitude %g and latitude %g degrees",
                                grid->file.input->path, grid->word[of], (long long)i, longitude,
                                latitude);
        else
            mplan_sphere_point(longitude, latitude, &xyz[3 * i]);
    }
    if (!status)
        return take_points(grid, of, 3, xyz, err);
    free(xyz);
    return status;
}

mplan_status mplan_model_grid_angles(mplan_model_grid *grid, int of, const char *const axes[2],
                                     bool radians, bool *found, mplan_error *err)
{
    assert(grid && axes && found);
    mplan_netcdf_variable variable;
    double degrees[2] = {1, 1};
    *found = grid->set[of] >= 0 && mplan_netcdf_find(&grid->file, axes[0]) >= 0 &&
             mplan_netcdf_find(&grid->file, axes[1]) >= 0;
    if (!*found)
        return MPLAN_OK;
    if (grid->file.layout)
        return place_axes(grid, of, 3, 2, axes, radians, true, err);
    double *xyz = mplan_alloc_zero(grid->size[of], 3 * sizeof *xyz, err);
    mplan_status status = xyz ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int a = 0; a < 2 && !status; a++) {
        status = read_axis(grid, of, axes[a], xyz + a, 3, &variable, err);
        if (!status)
            degrees[a] = degrees_of(grid, &variable, radians);
    }
    if (!status)
        return take_sphere(grid, of, degrees, xyz, err);
    free(xyz);
    return status;
}

/* Both rows are one array, of two columns one behind the other. */
static mplan_status place_angle_rows(mplan_model_grid *grid, int of,
                                     const mplan_netcdf_variable *variable, mplan_error *err)
{
    mplan_places_points *points = NULL;
    mplan_status status = mplan_places_add_points(grid->file.layout, mplan_model_grid_set[of], 3,
                                                  &points, err);
    if (status)
        return status;
    points->sphere = true;
    points->degrees[0] = points->degrees[1] = degrees_of(grid, variable, true);
    return mplan_netcdf_place(&grid->file, variable, grid->size[of], 2, true, &points->array[0], err);
}

mplan_status mplan_model_grid_angle_rows(mplan_model_grid *grid, int of, const char *name,
                                         mplan_error *err)
{
    assert(grid && grid->set[of] >= 0 && name);
    mplan_netcdf_variable variable;
    const int64_t n = grid->size[of];
    if (mplan_netcdf_find(&grid->file, name) < 0)
        return MPLAN_OK;
    mplan_status status = mplan_netcdf_need(&grid->file, name, 2, &variable, err);
    if (!status && (variable.length[0] != 2 || variable.length[1] != n))
        status = mplan_fail(err, MPLAN_ERR_MESH, "%s: variable %s must have 2 rows of %lld numbers",
                            grid->file.input->path, name, (long long)n);
    if (!status && grid->file.layout)
        return place_angle_rows(grid, of, &variable, err);
    double *read = status ? NULL : mplan_alloc(2 * n, sizeof *read, err);
    double *xyz = read ? mplan_alloc_zero(n, 3 * sizeof *xyz, err) : NULL;
    if (!status)
        status = xyz ? mplan_netcdf_reals(&grid->file, &variable, read, 1, err) : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; !status && i < 2 * n; i++)
        xyz[3 * (i % n) + i / n] = read[i];
    free(read);
    if (!status) {
        const double degrees = degrees_of(grid, &variable, true);
        return take_sphere(grid, of, (const double[2]){degrees, degrees}, xyz, err);
    }
    free(xyz);
    return status;
}
#endif
