/* SPDX-License-Identifier: Apache-2.0 */
/* volna_step_host.c - a whole step of volna: the application, its edges, its lake and its waves */
#include "apps/volna_step_kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/harness_step.h"
#include "apps/volna_case.h"
#include "base/error.h"
#include "base/memory.h"

enum { FLUXES, NUMERICAL, SPACE, EVOLVE1, EVOLVE2 };
static const mplan_app_loop loops[] = {
    {"computeFluxes", "volna_edges", &mplan_volna_fluxes_host, MPLAN_APP_DEVICE(mplan_volna_fluxes),
     80, 2, false},
    {"NumericalFluxes", "cells", &mplan_volna_numerical_host,
     MPLAN_APP_DEVICE(mplan_volna_numerical), 5, 1, false},
    {"SpaceDiscretization", "volna_edges", &mplan_volna_space_host,
     MPLAN_APP_DEVICE(mplan_volna_space), 19, 2, true},
    {"EvolveValuesRK2_1", "cells", &mplan_volna_evolve1_host, MPLAN_APP_DEVICE(mplan_volna_evolve1),
     8, 1, false},
    {"EvolveValuesRK2_2", "cells", &mplan_volna_evolve2_host, MPLAN_APP_DEVICE(mplan_volna_evolve2),
     18, 1, false},
};
static const mplan_volna_flow flow = {9.8f, 0.9f};

/* --- edges ------------------------------------------------------------------------------- */

static const char edges[] = "volna_edges";

/* A map of volna_edges: rows of the faces, then those of the boundary, whose last entry comes again where they are
 * shorter. */
static mplan_status add_joined(mplan_mesh *mesh, const mplan_map *faces, const mplan_map *boundary,
                               const char *name, mplan_error *err)
{
    const int64_t n_faces = faces->n_rows, n = n_faces + boundary->n_rows;
    const int32_t set = mplan_mesh_find_set(mesh, edges);
    int32_t *rows = mplan_alloc(2 * n, sizeof *rows, err);
    if (!rows)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        int32_t length;
        const int32_t *row = i < n_faces ? mplan_map_row(faces, i, &length)
                                         : mplan_map_row(boundary, i - n_faces, &length);
        rows[2 * i] = row[0];
        rows[2 * i + 1] = row[length - 1];
    }
    mplan_status status = mplan_mesh_add_map(mesh, name, set, faces->to, 2, NULL, rows, NULL, err);
    free(rows);
    return status;
}

/* The three edges of each cell, ascending. */
static mplan_status add_edges_of_cells(mplan_mesh *mesh, mplan_error *err)
{
    const mplan_map cells = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "volna_edges_cells"));
    int32_t *rows = mplan_alloc(3 * cells.n_points, sizeof *rows, err);
    uint8_t *taken = mplan_alloc_zero(cells.n_points, 1, err);
    mplan_status status = rows && taken ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t e = 0; e < cells.n_rows && !status; e++)
        for (int k = 0; k < (cells.values[2 * e] == cells.values[2 * e + 1] ? 1 : 2); k++) {
            const int32_t cell = cells.values[2 * e + k];
            if (taken[cell] < 3)
                rows[3 * (int64_t)cell + taken[cell]] = (int32_t)e;
            taken[cell]++;
        }
    for (int64_t c = 0; c < cells.n_points && !status; c++)
        if (taken[c] != 3)
            status = mplan_fail(err, MPLAN_ERR_ARGUMENT, "volna_step: cell %lld has %d edges, not 3",
                                (long long)c, (int)taken[c]);
    if (!status)
        status = mplan_mesh_add_map(mesh, "cells_volna_edges", cells.to, cells.from, 3, NULL, rows,
                                    NULL, err);
    free(rows);
    free(taken);
    return status;
}

/* A map by the names of its sets; derived where it is not there. */
static mplan_status find_map(mplan_mesh *mesh, const char *from, const char *to,
                             const mplan_context *context, mplan_map *map, mplan_error *err)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%s", from, to);
    mplan_status status = mplan_mesh_derive(mesh, name, context, err);
    if (!status)
        *map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, name));
    return status;
}

/* Edges inside and on the boundary become one set, as volna has them. */
static mplan_status prepare(mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    static const char *const to[] = {"cells", "nodes"}, *const names[] = {"volna_edges_cells",
                                                                          "volna_edges_nodes"};
    const bool own = mplan_mesh_find_set(mesh, "bedges") >= 0;
    mplan_map faces, boundary;
    mplan_status status = MPLAN_OK;
    if (mplan_mesh_find_set(mesh, edges) >= 0)
        return MPLAN_OK;
    for (int i = 0; i < 2 && !status; i++) {
        status = find_map(mesh, mplan_mesh_faces_name(mesh), to[i], context, &faces, err);
        if (!status)
            status = find_map(mesh, own ? "bedges" : "boundary_faces", to[i], context, &boundary,
                              err);
        if (!status && i == 0)
            status = mplan_mesh_add_set(mesh, edges, faces.n_rows + boundary.n_rows, NULL, err);
        if (!status)
            status = add_joined(mesh, &faces, &boundary, names[i], err);
    }
    return !status ? add_edges_of_cells(mesh, err) : status;
}

/* --- geometry and start -------------------------------------------------------------------- */

/* Unit normal out of the first cell, length, whether it is a wall; the area of cells is summed over their edges
 * (half the way from a point of the cell to each of them), so that those of a cell close it. */
static mplan_status geometry(mplan_app_stepper *run, mplan_error *err)
{
    const mplan_map cells = mplan_mesh_map(run->mesh,
                                           mplan_mesh_find_map(run->mesh, "volna_edges_cells"));
    const mplan_map nodes = mplan_mesh_map(run->mesh,
                                           mplan_mesh_find_map(run->mesh, "volna_edges_nodes"));
    const mplan_map corners = mplan_mesh_map(run->mesh,
                                             mplan_mesh_find_map(run->mesh, "cells_nodes"));
    float *normal = mplan_app_rows_f32(run, "normal"), *length = mplan_app_rows_f32(run, "length");
    int32_t *wall = mplan_app_data_find(&run->data, "wall")->rows, dimension;
    const double *x = mplan_mesh_coordinates(run->mesh, nodes.to, &dimension);
    if (!x)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "volna_step: the mesh has no coordinates");
    for (int64_t e = 0; e < nodes.n_rows; e++) {
        const int32_t cell = cells.values[2 * e];
        const double *a = x + (int64_t)nodes.values[2 * e] * dimension;
        const double *b = x + (int64_t)nodes.values[2 * e + 1] * dimension;
        double out[2] = {b[1] - a[1], a[0] - b[0]}, away = 0;
        const double long_ = sqrt(out[0] * out[0] + out[1] * out[1]);
        for (int k = 0; k < 3; k++) {
            const double *o = x + (int64_t)corners.values[3 * (int64_t)cell + k] * dimension;
            away += out[0] * (a[0] - o[0]) + out[1] * (a[1] - o[1]);
        }
        for (int d = 0; d < 2; d++)
            normal[2 * e + d] = (float)((away < 0 ? -1 : 1) * out[d] / (long_ > 0 ? long_ : 1));
        length[e] = (float)long_;
        wall[e] = cell == cells.values[2 * e + 1];
    }
    float *volume = mplan_app_rows_f32(run, "volume");
    for (int64_t c = 0; c < corners.n_rows; c++) {
        const double *a = x + (int64_t)corners.values[3 * c] * dimension;
        const double *b = x + (int64_t)corners.values[3 * c + 1] * dimension;
        const double *o = x + (int64_t)corners.values[3 * c + 2] * dimension;
        volume[c] = (float)(0.5 * fabs((a[0] - o[0]) * (b[1] - o[1]) - (b[0] - o[0]) * (a[1] - o[1])));
        if (!(volume[c] > 0))
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "volna_step: cell %lld has no area",
                              (long long)c);
    }
    return MPLAN_OK;
}

/* Kind 0: a hill of water over an uneven bed. Kind 1: a lake at rest, out of which the bed rises as an island. */
static void start(mplan_app_stepper *run)
{
    const mplan_map corners = mplan_mesh_map(run->mesh,
                                             mplan_mesh_find_map(run->mesh, "cells_nodes"));
    int32_t dimension;
    const double *x = mplan_mesh_coordinates(run->mesh, corners.to, &dimension);
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    float *q = mplan_app_rows_f32(run, "q");
    for (int64_t i = 0; i < corners.n_points; i++)
        for (int d = 0; d < 2; d++) {
            low[d] = fmin(low[d], x[i * dimension + d]);
            high[d] = fmax(high[d], x[i * dimension + d]);
        }
    for (int64_t c = 0; c < corners.n_rows; c++) {
        double at[2] = {0, 0};
        for (int k = 0; k < 3; k++)
            for (int d = 0; d < 2; d++)
                at[d] += (x[(int64_t)corners.values[3 * c + k] * dimension + d] - low[d]) /
                         (3 * (high[d] - low[d]));
        const double bx = at[0] - 0.6, by = at[1] - 0.5, hx = at[0] - 0.3, hy = at[1] - 0.4;
        const double bed = (run->kind ? 1.3 : 0.5) / (1 + 40 * (bx * bx + by * by));
        const double surface = 1 + (run->kind ? 0 : 0.3 / (1 + 60 * (hx * hx + hy * hy)));
        q[4 * c] = (float)fmax(surface - bed, 0);
        q[4 * c + 1] = q[4 * c + 2] = 0;
        q[4 * c + 3] = (float)bed;
    }
}

/* --- steps, and what must hold ---------------------------------------------------------------- */

/* dt begins above all that cells allow, for min, and water at 0, for the sum. The second stage uses the dt of the
 * first: NUMERICAL is not run again. */
static mplan_status step(mplan_app_stepper *run, mplan_error *err)
{
    static const int32_t order[] = {FLUXES, NUMERICAL, SPACE, EVOLVE1, FLUXES, SPACE, EVOLVE2};
    const float longest = 1e30f;
    const double none = 0;
    mplan_status status = mplan_app_put(run, "dt", &longest, err);
    if (!status)
        status = mplan_app_put(run, "water", &none, err);
    for (size_t i = 0; i < sizeof order / sizeof *order && !status; i++)
        status = mplan_app_play(run, order[i], &flow, err);
    return status;
}

/* Water of all cells, in double precision. */
static mplan_status measure_water(mplan_app_stepper *run, const float *q, double *water,
                                  mplan_error *err)
{
    const int64_t n = mplan_app_members(run, "q");
    const float *volume = mplan_app_rows_f32(run, "volume");
    double *terms = mplan_alloc(n, sizeof *terms, err);
    for (int64_t c = 0; c < n && terms; c++)
        terms[c] = (double)q[4 * c] * (double)volume[c];
    *water = terms ? mplan_app_whole(terms, n) : 0;
    free(terms);
    return terms ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* A lake at rest stays so: its surface, where there is water, and its momentum. */
static mplan_status prove_rest(mplan_app_stepper *run, mplan_error *err)
{
    void *rows = NULL;
    double most = 0;
    mplan_status status = mplan_app_steps_from(run, 1, 5, err);
    if (!status)
        status = mplan_app_fetch(run, "q", &rows, err);
    const float *q = rows, *before = mplan_app_rows_f32(run, "q");
    for (int64_t i = 0; i < 4 * mplan_app_members(run, "q") && !status; i++)
        most = isfinite(q[i]) ? fmax(most, fabs((double)q[i] - (double)before[i])) : INFINITY;
    if (!status && !(most <= 1e-4))
        status = mplan_fail(err, MPLAN_ERR_DISPROVED,
                            "volna_step: a lake at rest changes by %.3g in five steps, the limit is 1e-4",
                            most);
    free(rows);
    return status;
}

/* Nothing flows through walls, and the sum in the global is that of the cells. */
static mplan_status prove_water(mplan_app_stepper *run, mplan_error *err)
{
    void *rows = NULL;
    double before, after = 0, told = 0;
    mplan_status status = mplan_app_steps_from(run, 0, 5, err);
    if (!status)
        status = measure_water(run, mplan_app_rows_f32(run, "q"), &before, err);
    if (!status)
        status = mplan_app_fetch(run, "q", &rows, err);
    if (!status)
        status = measure_water(run, rows, &after, err);
    if (!status)
        status = mplan_exec_download(run->exec, "water", &told, 1, 1, MPLAN_TYPE_F64, err);
    if (!status && !(fabs(after - before) <= 1e-6 * before))
        status = mplan_fail(err, MPLAN_ERR_DISPROVED,
                            "volna_step: the water within walls changes from %.9g to %.9g", before,
                            after);
    if (!status && !(fabs(told - after) <= 1e-12 * after))
        status = mplan_fail(err, MPLAN_ERR_DISPROVED,
                            "volna_step: the loop's sum of the water is %.15g, that of its cells is %.15g",
                            told, after);
    free(rows);
    return status;
}

/* Each from a start of its own: kind 1 is the lake at rest, kind 0 that of the run. */
static mplan_status prove(mplan_app_stepper *run, mplan_error *err)
{
    mplan_status status = prove_rest(run, err);
    return !status ? prove_water(run, err) : status;
}

static const mplan_app_steps steps = {geometry, start, step, prove};
static const mplan_app_hand hand = {SPACE, &flow, 2, case_args};

const mplan_app mplan_app_volna_step = {
    .name = "volna_step",
    .description = "a whole step of volna, f32: fluxes of edges over an uneven bed, the least time of all cells, "
                   "SpaceDiscretization, two stages; triangles",
    .cells = MPLAN_APP_TRIANGLES,
    .planar = true,
    .n_loops = (int32_t)(sizeof loops / sizeof *loops),
    .loops = loops,
    .hand = &hand,
    .tolerance = 1e-5,
    .prepare = prepare,
    .steps = &steps,
    .run = mplan_app_run_steps,
};
