/* SPDX-License-Identifier: Apache-2.0 */
/* miniaero_rk4_host.c - a whole step of miniAero: the application, its geometry, what must be conserved */
#include "apps/miniaero_rk4_kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/harness_step.h"
#include "apps/miniaero_case.h"
#include "base/error.h"
#include "base/memory.h"

enum { BEGIN, CLEAR, GRADIENT, RIM_GRADIENT, SCALE, LIMIT, FLUX, RIM, ADVANCE };
static const mplan_app_loop loops[] = {
    {"begin", "cells", &mplan_miniaero_begin_host, MPLAN_APP_DEVICE(mplan_miniaero_begin), 30, 1,
     false},
    {"clear", "cells", &mplan_miniaero_clear_host, MPLAN_APP_DEVICE(mplan_miniaero_clear), 12, 4,
     false},
    {"gradient", "faces", &mplan_miniaero_gradient_host, MPLAN_APP_DEVICE(mplan_miniaero_gradient),
     45, 4, false},
    {"rim_gradient", "boundary_faces", &mplan_miniaero_rim_gradient_host,
     MPLAN_APP_DEVICE(mplan_miniaero_rim_gradient), 30, 4, false},
    {"scale", "cells", &mplan_miniaero_scale_host, MPLAN_APP_DEVICE(mplan_miniaero_scale), 16, 4,
     false},
    {"limit", "faces", &mplan_miniaero_limit_host, MPLAN_APP_DEVICE(mplan_miniaero_limit), 250, 4,
     false},
    {"compute_face_flux", "faces", &mplan_miniaero_host, MPLAN_APP_DEVICE(mplan_miniaero), 302, 4,
     true},
    {"rim", "boundary_faces", &mplan_miniaero_rim_host, MPLAN_APP_DEVICE(mplan_miniaero_rim), 300,
     4, false},
    {"advance", "cells", &mplan_miniaero_advance_host, MPLAN_APP_DEVICE(mplan_miniaero_advance), 12,
     4, false},
};
static const double rounding = 1e-12;

/* The far field, at Mach 0.4; pressure 1 / gamma makes a speed of sound of 1. */
static mplan_miniaero_flow flow_of(const mplan_app_stepper *run)
{
    const double gamma = 1.4, u = 0.38, v = 0.1, w = -0.05;
    const double energy = 1 / (gamma * (gamma - 1)) + 0.5 * (u * u + v * v + w * w);
    return (mplan_miniaero_flow){{gamma}, 0.8, 0, {1, u, v, w, energy}, run->kind == 2, 0};
}

/* --- geometry ------------------------------------------------------------------------------ */

/* product must be neither a nor b. */
static void cross(const double a[3], const double b[3], double product[3])
{
    for (int d = 0; d < 3; d++)
        product[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/* Middle of a face's nodes, and its normal, as long as it is large: of the triangles around the middle, so that the
 * faces of a cell close it, flat or not. Returns the sum of the triangles' places times their normals. */
static double measure_face(const double *x, const int32_t *node, int32_t n, double middle[3],
                           double normal[3])
{
    double moment = 0;
    for (int d = 0; d < 3; d++) {
        middle[d] = normal[d] = 0;
        for (int32_t k = 0; k < n; k++)
            middle[d] += x[3 * (int64_t)node[k] + d] / n;
    }
    for (int32_t k = 0; k < n; k++) {
        const double *from = x + 3 * (int64_t)node[k], *to = x + 3 * (int64_t)node[(k + 1) % n];
        double a[3], b[3], part[3];
        for (int d = 0; d < 3; d++) {
            a[d] = from[d] - middle[d];
            b[d] = to[d] - middle[d];
        }
        cross(a, b, part);
        for (int d = 0; d < 3; d++) {
            normal[d] += 0.5 * part[d];
            moment += 0.5 * part[d] * (middle[d] + from[d] + to[d]) / 3;
        }
    }
    return moment;
}

/* Two unit vectors along a face. */
static void fill_along(const double normal[3], double tangent[3], double binormal[3])
{
    int axis = fabs(normal[0]) < fabs(normal[1]) ? 0 : 1;
    axis = fabs(normal[2]) < fabs(normal[axis]) ? 2 : axis;
    double other[3] = {axis == 0, axis == 1, axis == 2};
    cross(normal, other, tangent);
    double length = sqrt(mplan_miniaero_dot(tangent, tangent));
    for (int d = 0; d < 3; d++)
        tangent[d] /= length > 0 ? length : 1;
    cross(normal, tangent, binormal);
    length = sqrt(mplan_miniaero_dot(binormal, binormal));
    for (int d = 0; d < 3; d++)
        binormal[d] /= length > 0 ? length : 1;
}

/* Where the faces of one set put what they are: n rows of three numbers each; middle NULL: nowhere. */
typedef struct face_rows {
    const char *cells;
    double *middle, *normal, *tangent, *binormal;
} face_rows;

/* Normals leave the first cell. Volumes and areas of cells are summed. */
static void fill_faces(mplan_app_stepper *run, const double *x, const mplan_map *nodes,
                       const face_rows *to, double *volume, double *area)
{
    const mplan_map cells = mplan_mesh_map(run->mesh, mplan_mesh_find_map(run->mesh, to->cells));
    const double *centre = mplan_app_rows(run, "centre");
    for (int64_t f = 0; f < nodes->n_rows; f++) {
        int32_t n, n_cells;
        const int32_t *node = mplan_map_row(nodes, f, &n);
        const int32_t *cell = mplan_map_row(&cells, f, &n_cells);
        double middle[3], *normal = to->normal + 3 * f, away = 0;
        double moment = measure_face(x, node, n, middle, normal);
        for (int d = 0; d < 3; d++)
            away += normal[d] * (middle[d] - centre[3 * (int64_t)cell[0] + d]);
        moment *= away < 0 ? -1 : 1;
        for (int d = 0; d < 3; d++) {
            normal[d] *= away < 0 ? -1 : 1;
            if (to->middle)
                to->middle[3 * f + d] = middle[d];
        }
        fill_along(normal, to->tangent + 3 * f, to->binormal + 3 * f);
        for (int32_t k = 0; k < n_cells; k++) {
            volume[cell[k]] += (k ? -1 : 1) * moment / 3;
            area[cell[k]] += sqrt(mplan_miniaero_dot(normal, normal));
        }
    }
}

/* The mean of the corners of each cell. */
static void fill_centres(mplan_app_stepper *run, const double *x)
{
    const mplan_map nodes = mplan_mesh_map(run->mesh, mplan_mesh_find_map(run->mesh, "cells_nodes"));
    const uint8_t *type = mplan_mesh_cell_types(run->mesh);
    double *centre = mplan_app_rows(run, "centre");
    for (int64_t c = 0; c < nodes.n_rows; c++) {
        int32_t n;
        const int32_t *node = mplan_map_row(&nodes, c, &n);
        n = mplan_cell_type_corners((mplan_cell_type)type[c]);
        for (int d = 0; d < 3; d++) {
            centre[3 * c + d] = 0;
            for (int32_t k = 0; k < n; k++)
                centre[3 * c + d] += x[3 * (int64_t)node[k] + d] / n;
        }
    }
}

/* Nodes of the faces of a loop's set. */
static mplan_map nodes_of(const mplan_app_stepper *run, int32_t loop)
{
    char name[64];
    snprintf(name, sizeof name, "%s_nodes", run->request[loop].over);
    return mplan_mesh_map(run->mesh, mplan_mesh_find_map(run->mesh, name));
}

/* Fills centre, normals, tangents and face_centre; volume (a third of the sum of places times normals, by Gauss)
 * and length, 3 volumes by the area of the cell's faces. A cell whose volume is not positive is refused. */
static mplan_status geometry(mplan_app_stepper *run, mplan_error *err)
{
    const mplan_map faces = nodes_of(run, FLUX), rim = nodes_of(run, RIM);
    const int64_t n_cells = mplan_app_members(run, "volume");
    double *volume = mplan_app_rows(run, "volume"), *length = mplan_app_rows(run, "length");
    int32_t dimension;
    const double *x = mplan_mesh_coordinates(run->mesh, faces.to, &dimension);
    if (!x || dimension != 3)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "miniaero_rk4: the mesh has no coordinates of three dimensions");
    fill_centres(run, x);
    memset(volume, 0, (size_t)n_cells * sizeof *volume);
    memset(length, 0, (size_t)n_cells * sizeof *length);
    fill_faces(run, x, &faces,
               &(face_rows){run->request[FLUX].args[1].map, mplan_app_rows(run, "face_centre"),
                            mplan_app_rows(run, "normal"), mplan_app_rows(run, "tangent"),
                            mplan_app_rows(run, "binormal")},
               volume, length);
    fill_faces(run, x, &rim,
               &(face_rows){run->request[RIM].args[0].map, NULL, mplan_app_rows(run, "rim_normal"),
                            mplan_app_rows(run, "rim_tangent"), mplan_app_rows(run, "rim_binormal")},
               volume, length);
    for (int64_t c = 0; c < n_cells; c++) {
        if (!(volume[c] > 0))
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "miniaero_rk4: cell %lld has no volume",
                              (long long)c);
        length[c] = 3 * volume[c] / length[c];
    }
    return MPLAN_OK;
}

/* --- start and steps ------------------------------------------------------------------------- */

/* The far field, with a bump of density and pressure in the middle; kind 1: without it. */
static void start(mplan_app_stepper *run)
{
    const mplan_miniaero_flow flow = flow_of(run);
    const double *centre = mplan_app_rows(run, "centre");
    double *state = mplan_app_rows(run, "state");
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    const int64_t n = mplan_app_members(run, "state");
    for (int64_t i = 0; i < 3 * n; i++) {
        low[i % 3] = fmin(low[i % 3], centre[i]);
        high[i % 3] = fmax(high[i % 3], centre[i]);
    }
    for (int64_t c = 0; c < n; c++) {
        double square = 0;
        for (int d = 0; d < 3; d++) {
            const double width = 0.2 * (high[d] - low[d]) + 1e-300;
            const double away = (centre[3 * c + d] - 0.5 * (low[d] + high[d])) / width;
            square += away * away;
        }
        const double part = 1 + (run->kind == 1 ? 0 : 0.3 / (1 + square));
        for (int k = 0; k < 5; k++)
            state[5 * c + k] = part * flow.free[k];
    }
}

/* Parts of the step as miniAero has them. */
static mplan_status step(mplan_app_stepper *run, mplan_error *err)
{
    static const double parts[] = {0.25, 1.0 / 3, 0.5, 1}, forever = 1e300;
    mplan_miniaero_flow flow = flow_of(run);
    mplan_status status = mplan_app_put(run, "travel", &forever, err);
    if (!status)
        status = mplan_app_play(run, BEGIN, &flow, err);
    for (int s = 0; s < 4 && !status; s++) {
        flow.part = parts[s];
        for (int32_t l = CLEAR; l <= ADVANCE && !status; l++)
            status = mplan_app_play(run, l, l == FLUX ? (const void *)&flow.gas : &flow, err);
    }
    return status;
}

/* --- what must hold ---------------------------------------------------------------------------- */

/* The far field stays where nothing disturbs it. */
static mplan_status prove_free_stream(mplan_app_stepper *run, mplan_error *err)
{
    const mplan_miniaero_flow flow = flow_of(run);
    void *rows = NULL;
    double change = 0;
    mplan_status status = mplan_app_steps_from(run, 1, 1, err);
    if (!status)
        status = mplan_app_fetch(run, "state", &rows, err);
    const double *state = rows;
    for (int64_t i = 0; i < 5 * mplan_app_members(run, "state") && !status; i++)
        change = isfinite(state[i]) ? fmax(change, fabs(state[i] - flow.free[i % 5])) : INFINITY;
    if (!status && !(change <= rounding))
        status = mplan_fail(err, MPLAN_ERR_DISPROVED,
                            "miniaero_rk4: a step changes the free stream by %.3g, the limit is %.3g",
                            change, rounding);
    free(rows);
    return status;
}

/* The whole of number k of the states. */
static double whole(mplan_app_stepper *run, const double *state, int k, double *terms)
{
    const double *volume = mplan_app_rows(run, "volume");
    const int64_t n = mplan_app_members(run, "state");
    for (int64_t c = 0; c < n; c++)
        terms[c] = volume[c] * state[5 * c + k];
    return mplan_app_whole(terms, n);
}

/* Within walls mass and energy stay. */
static mplan_status prove_closed(mplan_app_stepper *run, mplan_error *err)
{
    static const char *const names[] = {"mass", "", "", "", "energy"};
    void *state = NULL;
    double *terms = mplan_alloc(mplan_app_members(run, "state"), sizeof *terms, err);
    mplan_status status = terms ? mplan_app_steps_from(run, 2, 3, err) : MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_app_fetch(run, "state", &state, err);
    for (int k = 0; k < 5 && !status; k += 4) {
        const double before = whole(run, mplan_app_rows(run, "state"), k, terms);
        const double change = fabs(whole(run, state, k, terms) - before) / before;
        if (!(change <= rounding))
            status = mplan_fail(err, MPLAN_ERR_DISPROVED,
                                "miniaero_rk4: %s within walls changes by %.3g, the limit is %.3g",
                                names[k], change, rounding);
    }
    free(state);
    free(terms);
    return status;
}

/* Both from starts of their own. */
static mplan_status prove(mplan_app_stepper *run, mplan_error *err)
{
    mplan_status status = prove_free_stream(run, err);
    return !status ? prove_closed(run, err) : status;
}

/* Faces of the boundary and nodes of both. */
static mplan_status prepare(mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    char name[64];
    const bool own = mplan_mesh_find_set(mesh, "bedges") >= 0;
    snprintf(name, sizeof name, "%s_nodes", mplan_mesh_faces_name(mesh));
    mplan_status status = mplan_mesh_derive(mesh, name, context, err);
    if (!status)
        status = mplan_mesh_derive(mesh, own ? "bedges_nodes" : "boundary_faces_nodes", context, err);
    return status;
}

static const mplan_app_steps steps = {geometry, start, step, prove};
static const mplan_app_hand hand = {FLUX, &case_parameters, 3, case_args};

const mplan_app mplan_app_miniaero_rk4 = {
    .name = "miniaero_rk4",
    .description = "a whole step of miniAero, f64: gradients and limiters by sums, min and max of faces, compute_face_flux, "
                   "the boundary, four stages; any cells of three dimensions",
    .cells = MPLAN_APP_SOLID,
    .n_loops = (int32_t)(sizeof loops / sizeof *loops),
    .loops = loops,
    .hand = &hand,
    .tolerance = 1e-12,
    .prepare = prepare,
    .steps = &steps,
    .run = mplan_app_run_steps,
};
