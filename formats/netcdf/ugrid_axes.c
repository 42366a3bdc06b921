/* SPDX-License-Identifier: Apache-2.0 */
/* ugrid_axes.c - coordinates of nodes in UGRID files: lengths, or longitude and latitude on the unit sphere */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/sphere.h"
#include "formats/netcdf/ugrid_parts.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_NETCDF

typedef enum axis { AXIS_LENGTH, AXIS_LONGITUDE, AXIS_LATITUDE } axis;

/* The variables that hold the coordinates of the nodes. */
typedef struct ugrid_axes {
    int n; /* used: 1 to 3 */
    bool sphere;
    double degrees; /* of the file's unit of angle */
    mplan_netcdf_variable variable[3];
} ugrid_axes;

/* Which axis a coordinate variable is, by its standard name or its unit. */
static axis axis_of(const mplan_netcdf *file, int variable)
{
    char text[64];
    static const char *const words[2][2] = {{"longitude", "degrees_east"},
                                            {"latitude", "degrees_north"}};
    static const char *const more[2][3] = {{"degree_east", "degrees_E", "degree_E"},
                                           {"degree_north", "degrees_N", "degree_N"}};
    for (int a = 0; a < 2; a++) {
        if (mplan_netcdf_text(file, variable, "standard_name", text, sizeof text) &&
            strcmp(text, words[a][0]) == 0)
            return a == 0 ? AXIS_LONGITUDE : AXIS_LATITUDE;
        bool has = mplan_netcdf_text(file, variable, "units", text, sizeof text);
        bool named = has && strcmp(text, words[a][1]) == 0;
        for (int w = 0; w < 3; w++)
            named = named || (has && strcmp(text, more[a][w]) == 0);
        if (named)
            return a == 0 ? AXIS_LONGITUDE : AXIS_LATITUDE;
    }
    return AXIS_LENGTH;
}

/* Factor from the unit of an angle to degrees. */
static double degrees_of_unit(const mplan_netcdf *file, int variable)
{
    char text[64];
    bool radian = mplan_netcdf_text(file, variable, "units", text, sizeof text) &&
                  strncmp(text, "rad", 3) == 0;
    return radian ? 57.295779513082320877 : 1;
}

/* Lengths where there are two or three, else longitude and latitude; a mesh may name both. */
static mplan_status choose_axes(const mplan_ugrid *reader, char *names, ugrid_axes *axes,
                                mplan_error *err)
{
    mplan_netcdf_variable lengths[3], longitude, latitude;
    int n_lengths = 0;
    bool has_longitude = false, has_latitude = false;
    for (char *rest = names, *name; (name = strtok_r(rest, " \t\n", &rest)) != NULL;) {
        mplan_netcdf_variable found;
        mplan_status status = mplan_netcdf_need(&reader->file, name, 1, &found, err);
        if (status)
            return status;
        switch (axis_of(&reader->file, found.id)) {
        case AXIS_LONGITUDE:
            longitude = found;
            has_longitude = true;
            break;
        case AXIS_LATITUDE:
            latitude = found;
            has_latitude = true;
            break;
        case AXIS_LENGTH:
            if (n_lengths < 3)
                lengths[n_lengths++] = found;
        }
    }
    bool angles = has_longitude && has_latitude && n_lengths < 2;
    *axes = (ugrid_axes){
        .n = angles ? 2 + n_lengths : n_lengths, .sphere = angles && n_lengths == 0, .degrees = 1};
    if (angles) { /* with a height they stay what they are: 3-D all the same */
        axes->variable[0] = longitude;
        axes->variable[1] = latitude;
        axes->degrees = degrees_of_unit(&reader->file, longitude.id);
    }
    for (int i = 0; i < n_lengths; i++)
        axes->variable[angles ? 2 : i] = lengths[i];
    if (axes->n > 0)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: mesh %s: node_coordinates must name the axes",
                      mplan_ugrid_path(reader), reader->name);
}

/* Whether the most nodes have latitudes that none can have: lengths that are called degrees, as planar meshes of LFRic
 * have them. */
static bool are_lengths(const mplan_ugrid *reader, const ugrid_axes *axes, const double *xyz)
{
    int64_t beyond = 0, n = reader->size[UGRID_NODE];
    for (int64_t i = 0; i < n; i++) {
        double latitude = xyz[3 * i + 1] * axes->degrees;
        beyond += latitude < -90.001 || latitude > 90.001;
    }
    return beyond > n / 2;
}

/* Takes the zeros out of rows of three. */
static mplan_status to_plane(const mplan_ugrid *reader, double **xyz, mplan_error *err)
{
    int64_t n = reader->size[UGRID_NODE];
    for (int64_t i = 0; i < n; i++) {
        (*xyz)[2 * i] = (*xyz)[3 * i];
        (*xyz)[2 * i + 1] = (*xyz)[3 * i + 1];
    }
    double *fitting = mplan_realloc(*xyz, n, 2 * sizeof *fitting, err);
    if (!fitting)
        return MPLAN_ERR_MEMORY;
    *xyz = fitting;
    mplan_warn(reader->file.context,
               "%s: mesh %s: longitudes and latitudes beyond 90 degrees are read as lengths in the plane",
               mplan_ugrid_path(reader), reader->name);
    return MPLAN_OK;
}

/* xyz: 3 doubles a node; longitude and latitude in, points of the unit sphere
 * out. */
static mplan_status to_sphere(const mplan_ugrid *reader, const ugrid_axes *axes, double *xyz,
                              mplan_error *err)
{
    for (int64_t i = 0; i < reader->size[UGRID_NODE]; i++) {
        double longitude = xyz[3 * i] * axes->degrees, latitude = xyz[3 * i + 1] * axes->degrees;
        if (!mplan_sphere_has(longitude, latitude))
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "%s: node %lld has longitude %g and latitude %g degrees",
                              mplan_ugrid_path(reader), (long long)i, longitude, latitude);
        mplan_sphere_point(longitude, latitude, &xyz[3 * i]);
    }
    return MPLAN_OK;
}

/* One number of each for every node. */
static mplan_status check_lengths(const mplan_ugrid *reader, const ugrid_axes *axes, mplan_error *err)
{
    for (int a = 0; a < axes->n; a++)
        if (axes->variable[a].length[0] != reader->size[UGRID_NODE])
            return mplan_fail(err, MPLAN_ERR_MESH, "%s: variable %s has %lld numbers for %lld nodes",
                              mplan_ugrid_path(reader), axes->variable[a].name,
                              (long long)axes->variable[a].length[0],
                              (long long)reader->size[UGRID_NODE]);
    return MPLAN_OK;
}

/* Dimension 3 on a sphere, where longitudes have a seam. */
static int32_t dimension_of(const ugrid_axes *axes)
{
    return axes->n == 3 || axes->sphere ? 3 : 2;
}

/* What read_axes would read, for a layout. */
static mplan_status place_axes(mplan_ugrid *reader, const ugrid_axes *axes, mplan_error *err)
{
    mplan_places *layout = reader->file.layout;
    mplan_places_points *points = NULL;
    mplan_status status = mplan_places_add_points(layout, "nodes", dimension_of(axes), &points, err);
    for (int a = 0; a < axes->n && !status; a++)
        status = mplan_netcdf_place(&reader->file, &axes->variable[a], reader->size[UGRID_NODE], 1,
                                    false, &points->array[a], err);
    if (!status && axes->sphere) {
        points->sphere = points->perhaps_plane = true;
        points->degrees[0] = points->degrees[1] = axes->degrees;
    }
    return status;
}

static mplan_status read_axes(mplan_ugrid *reader, const ugrid_axes *axes, mplan_error *err)
{
    int32_t dimension = dimension_of(axes);
    double *xyz = mplan_alloc_zero(reader->size[UGRID_NODE], (size_t)dimension * sizeof *xyz, err);
    mplan_status status = xyz ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int a = 0; a < axes->n && !status; a++)
        status = mplan_netcdf_reals(&reader->file, &axes->variable[a], xyz + a, dimension, err);
    bool plane = !status && axes->sphere && are_lengths(reader, axes, xyz);
    if (plane) {
        status = to_plane(reader, &xyz, err);
        dimension = 2;
    } else if (!status && axes->sphere) {
        status = to_sphere(reader, axes, xyz, err);
    }
    if (status) {
        free(xyz);
        return status;
    }
    status = mplan_mesh_take_coordinates(reader->mesh, reader->set[UGRID_NODE], dimension, xyz, err);
    return status == MPLAN_ERR_MESH ? mplan_fail_prefix(err, status, mplan_ugrid_path(reader))
                                    : status;
}

/* The nodes, as many as they have coordinates. */
mplan_status mplan_ugrid_read_nodes(mplan_ugrid *reader, mplan_error *err)
{
    char names[1024];
    ugrid_axes axes;
    if (!mplan_netcdf_text(&reader->file, reader->topology, "node_coordinates", names, sizeof names))
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: mesh %s has no node_coordinates",
                          mplan_ugrid_path(reader), reader->name);
    mplan_status status = choose_axes(reader, names, &axes, err);
    if (status)
        return status;
    reader->size[UGRID_NODE] = axes.variable[0].length[0];
    status = mplan_ugrid_add_set(reader, UGRID_NODE, err);
    if (!status)
        status = check_lengths(reader, &axes, err);
    if (status)
        return status;
    return reader->file.layout ? place_axes(reader, &axes, err) : read_axes(reader, &axes, err);
}
#endif
