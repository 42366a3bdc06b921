/* SPDX-License-Identifier: Apache-2.0 */
/* bookleaf_getq_host.c - a step of BookLeaf that gathers: the application, its corners, what must stay
 *
 * By hand: a cell of mass 3 and area 6 (3 x 2) has energy 4; with gamma = 3/2 its pressure is 1/2 x 1/2 x 4 = 1. Half
 * of it acts on the differences between the corners before and after: (2, 3), and so on around; one is there before. */
#include "apps/bookleaf_getq_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/harness_step.h"
#include "base/error.h"
#include "base/memory.h"

enum { GETDT, KEEP, SLOPES, GETQ, GETFORCE, GETACC, GETEIN };
static const mplan_app_loop loops[] = {
    {"getdt", "cells", &mplan_bookleaf_getdt_host, MPLAN_APP_DEVICE(mplan_bookleaf_getdt), 80, 1,
     false},
    {"keep", "nodes", &mplan_bookleaf_keep_host, MPLAN_APP_DEVICE(mplan_bookleaf_keep), 0, 1, false},
    {"slopes", "cells", &mplan_bookleaf_slopes_host, MPLAN_APP_DEVICE(mplan_bookleaf_slopes), 8, 2,
     false},
    {"getq", "cells", &mplan_bookleaf_getq_host, MPLAN_APP_DEVICE(mplan_bookleaf_getq), 200, 2, true},
    {"getforce", "cells", &mplan_bookleaf_getforce_host, MPLAN_APP_DEVICE(mplan_bookleaf_getforce),
     40, 2, false},
    {"getacc", "nodes", &mplan_bookleaf_getacc_host, MPLAN_APP_DEVICE(mplan_bookleaf_getacc), 24, 2,
     false},
    {"getein", "cells", &mplan_bookleaf_getein_host, MPLAN_APP_DEVICE(mplan_bookleaf_getein), 20, 2,
     false},
};
static const double rounding = 1e-12;

/* --- corners ----------------------------------------------------------------------------- */

/* Corner k of cell c is member 4 c + k of a set of its own; nodes_corners: those at each node, ascending. */
static mplan_status add_corners(mplan_mesh *mesh, mplan_error *err)
{
    const mplan_map nodes = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    const int64_t n = 4 * nodes.n_rows;
    int32_t *corner = mplan_alloc(n, sizeof *corner, err), set = -1;
    int32_t *at_node = mplan_alloc(n, sizeof *at_node, err);
    int64_t *offset = mplan_alloc_zero(nodes.n_points + 2, sizeof *offset, err);
    mplan_status status = corner && at_node && offset ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_mesh_add_set(mesh, "corners", n, &set, err);
    if (!status) {
        for (int64_t i = 0; i < n; i++) {
            corner[i] = (int32_t)i;
            offset[nodes.values[i] + 2]++;
        }
        for (int64_t i = 0; i < nodes.n_points; i++)
            offset[i + 2] += offset[i + 1];
        for (int64_t i = 0; i < n; i++) /* offset[p + 1] moves to the begin of the next row */
            at_node[offset[nodes.values[i] + 1]++] = (int32_t)i;
        status = mplan_mesh_add_map(mesh, "cells_corners", nodes.from, set, 4, NULL, corner, NULL,
                                    err);
    }
    if (!status)
        status = mplan_mesh_add_map(mesh, "nodes_corners", nodes.to, set, 0, offset, at_node, NULL,
                                    err);
    free(corner);
    free(at_node);
    free(offset);
    return status;
}

/* Neighbours of cells by their sides, and the set of corners, four for each cell, which each is written by one cell
 * only. */
static mplan_status prepare(mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    mplan_status status = mplan_mesh_derive(mesh, "cells_cells", context, err);
    if (!status && mplan_mesh_find_set(mesh, "corners") < 0)
        status = add_corners(mesh, err);
    return status;
}

/* --- geometry and start --------------------------------------------------------------------- */

/* Place of a neighbour's row in which this cell is; -1 for no neighbour. */
static int32_t edge_of(const mplan_map *around, int64_t cell, int32_t neighbour)
{
    for (int32_t k = 0; neighbour >= 0 && k < 4; k++)
        if (around->values[4 * (int64_t)neighbour + k] == cell)
            return k;
    return -1;
}

/* Density 1 everywhere; a quarter of a cell's mass is at each of its nodes. */
static mplan_status geometry(mplan_app_stepper *run, mplan_error *err)
{
    const mplan_map nodes = mplan_mesh_map(run->mesh, mplan_mesh_find_map(run->mesh, "cells_nodes"));
    const mplan_map around = mplan_mesh_map(run->mesh, mplan_mesh_find_map(run->mesh, "cells_cells"));
    double *mass = mplan_app_rows(run, "mass"), *node_mass = mplan_app_rows(run, "node_mass");
    int32_t *behind = mplan_app_data_find(&run->data, "behind")->rows, dimension;
    const double *x = mplan_mesh_coordinates(run->mesh, nodes.to, &dimension);
    if (!x)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "bookleaf_getq: the mesh has no coordinates");
    memset(node_mass, 0, (size_t)nodes.n_points * sizeof *node_mass);
    for (int64_t c = 0; c < nodes.n_rows; c++) {
        double corner[4][2];
        for (int k = 0; k < 4; k++)
            for (int d = 0; d < 2; d++)
                corner[k][d] = x[(int64_t)nodes.values[4 * c + k] * dimension + d];
        mass[c] = mplan_bookleaf_area((const double(*)[2])corner);
        if (!(mass[c] > 0))
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "bookleaf_getq: the corners of cell %lld do not run counter-clockwise",
                              (long long)c);
        for (int k = 0; k < 4; k++) {
            node_mass[nodes.values[4 * c + k]] += 0.25 * mass[c];
            behind[4 * c + k] = edge_of(&around, c, around.values[4 * c + k]);
        }
    }
    return MPLAN_OK;
}

/* Kind 0: hot gas in the middle, and all of it turns and closes in. Kind 1: cold gas that moves as one. */
static void start(mplan_app_stepper *run)
{
    const mplan_map nodes = mplan_mesh_map(run->mesh, mplan_mesh_find_map(run->mesh, "cells_nodes"));
    int32_t dimension;
    const double *from = mplan_mesh_coordinates(run->mesh, nodes.to, &dimension);
    double *x = mplan_app_rows(run, "x"), *u = mplan_app_rows(run, "u");
    double *energy = mplan_app_rows(run, "energy");
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int64_t i = 0; i < nodes.n_points; i++)
        for (int d = 0; d < 2; d++) {
            x[2 * i + d] = from[i * dimension + d];
            low[d] = fmin(low[d], x[2 * i + d]);
            high[d] = fmax(high[d], x[2 * i + d]);
        }
    for (int64_t i = 0; i < nodes.n_points; i++) {
        const double a = (x[2 * i] - 0.5 * (low[0] + high[0])) / (high[0] - low[0]);
        const double b = (x[2 * i + 1] - 0.5 * (low[1] + high[1])) / (high[1] - low[1]);
        u[2 * i] = run->kind ? 0.75 : 0.25 - 0.5 * a - b;
        u[2 * i + 1] = run->kind ? -0.5 : 0.125 + a - 0.75 * b;
    }
    for (int64_t c = 0; c < nodes.n_rows; c++) {
        double square = 0;
        for (int d = 0; d < 2; d++) {
            const double away = (x[2 * (int64_t)nodes.values[4 * c] + d] - 0.5 * (low[d] + high[d])) /
                                (high[d] - low[d]);
            square += away * away;
        }
        energy[c] = run->kind ? 0 : 1 + 2 / (1 + 30 * square);
    }
}

/* --- steps, and what must hold ------------------------------------------------------------------ */

/* The least time that all cells allow first, since the other loops use it. */
static mplan_status step(mplan_app_stepper *run, mplan_error *err)
{
    static const int32_t order[] = {SLOPES, GETQ, GETFORCE, GETACC, GETEIN};
    const double longest = 1e300;
    mplan_bookleaf_flow flow = {1.4, 0.5, 1, 0.3, 1};
    mplan_status status = mplan_app_put(run, "dt", &longest, err);
    if (!status)
        status = mplan_app_play(run, GETDT, &flow, err);
    if (!status)
        status = mplan_app_play(run, KEEP, &flow, err);
    for (int s = 0; s < 2 && !status; s++) {
        flow.part = s ? 1 : 0.5;
        for (size_t i = 0; i < sizeof order / sizeof *order && !status; i++)
            status = mplan_app_play(run, order[i], &flow, err);
    }
    return status;
}

/* Momentum in x and y, energy of all nodes and cells. terms: room for both. */
static void measure(mplan_app_stepper *run, const double *u, const double *energy, double *terms,
                    double all[3])
{
    const double *mass = mplan_app_rows(run, "mass"), *node_mass = mplan_app_rows(run, "node_mass");
    const int64_t cells = mplan_app_members(run, "mass"), nodes = mplan_app_members(run, "u");
    for (int d = 0; d < 2; d++) {
        for (int64_t i = 0; i < nodes; i++)
            terms[i] = node_mass[i] * u[2 * i + d];
        all[d] = mplan_app_whole(terms, nodes);
    }
    for (int64_t i = 0; i < nodes; i++)
        terms[i] = 0.5 * node_mass[i] * (u[2 * i] * u[2 * i] + u[2 * i + 1] * u[2 * i + 1]);
    for (int64_t c = 0; c < cells; c++)
        terms[nodes + c] = mass[c] * energy[c];
    all[2] = mplan_app_whole(terms, nodes + cells);
}

/* Five steps: momentum and energy, of cells and nodes together, change by rounding only. */
static mplan_status prove_conservation(mplan_app_stepper *run, mplan_error *err)
{
    static const char *const names[] = {"momentum in x", "momentum in y", "energy"};
    void *u = NULL, *energy = NULL;
    double before[3], after[3];
    double *terms = mplan_alloc(mplan_app_members(run, "mass") + mplan_app_members(run, "u"),
                                sizeof *terms, err);
    mplan_status status = terms ? mplan_app_steps_from(run, 0, 5, err) : MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_app_fetch(run, "u", &u, err);
    if (!status)
        status = mplan_app_fetch(run, "energy", &energy, err);
    if (!status) {
        measure(run, mplan_app_rows(run, "u"), mplan_app_rows(run, "energy"), terms, before);
        measure(run, u, energy, terms, after);
    }
    for (int k = 0; k < 3 && !status; k++)
        if (!(fabs(after[k] - before[k]) <= rounding * before[2]))
            status = mplan_fail(err, MPLAN_ERR_DISPROVED,
                                "bookleaf_getq: %s changes from %.17g to %.17g", names[k],
                                before[k], after[k]);
    free(u);
    free(energy);
    free(terms);
    return status;
}

/* Cold gas that moves as one keeps its velocity and its shape. */
static mplan_status prove_motion(mplan_app_stepper *run, mplan_error *err)
{
    void *x = NULL, *u = NULL;
    mplan_status status = mplan_app_steps_from(run, 1, 3, err);
    if (!status)
        status = mplan_app_fetch(run, "x", &x, err);
    if (!status)
        status = mplan_app_fetch(run, "u", &u, err);
    const double *place = x, *speed = u, *first = mplan_app_rows(run, "x");
    const double *first_speed = mplan_app_rows(run, "u");
    double wrong = 0, far = 0;
    for (int64_t i = 0; i < 2 * mplan_app_members(run, "x") && !status; i++) {
        const double moved = place[i] - first[i], all = place[i % 2] - first[i % 2];
        far = fmax(far, fabs(place[i]));
        wrong = isfinite(speed[i]) && isfinite(moved)
                    ? fmax(wrong, fmax(fabs(speed[i] - first_speed[i]), fabs(moved - all)))
                    : INFINITY;
    }
    if (!status && (!(wrong <= rounding * (1 + far)) || place[0] == first[0]))
        status = mplan_fail(err, MPLAN_ERR_DISPROVED,
                            "bookleaf_getq: gas that moves as one changes by %.3g", wrong);
    free(x);
    free(u);
    return status;
}

/* Both from starts of their own. */
static mplan_status prove(mplan_app_stepper *run, mplan_error *err)
{
    mplan_status status = prove_conservation(run, err);
    return !status ? prove_motion(run, err) : status;
}

static const mplan_app_steps steps = {geometry, start, step, prove};

static const double case_x[] = {0, 0, 3, 0, 3, 2, 0, 2}, case_mass[] = {3}, case_energy[] = {4};
static const double case_before[] = {1, 0, 0, 0, 0, 0, 0, 0};
static const double case_after[] = {0, -1.5, 1, -1.5, 1, 1.5, -1, 1.5};
static const int32_t case_nodes[] = {0, 1, 2, 3}, case_corners[] = {0, 1, 2, 3};
static const mplan_bookleaf_flow case_flow = {1.5, 0, 0, 0, 0};
/* In the order of getforce's args: x of the four nodes, mass and energy of the cell, forces of its corners. */
static const mplan_app_hand_arg case_args[] = {
    {4, case_x, NULL, case_nodes},
    {1, case_mass, NULL, NULL},
    {1, case_energy, NULL, NULL},
    {4, case_before, case_after, case_corners},
};
static const mplan_app_hand hand = {GETFORCE, &case_flow, 1, case_args};

const mplan_app mplan_app_bookleaf_getq = {
    .name = "bookleaf_getq",
    .description = "a step of BookLeaf, f64: getq by cells and their neighbours, forces that cells write to their corners, "
                   "each once, nodes that gather theirs, the least time of all cells; quads",
    .cells = MPLAN_APP_QUADS,
    .planar = true,
    .n_loops = (int32_t)(sizeof loops / sizeof *loops),
    .loops = loops,
    .hand = &hand,
    .tolerance = 1e-12,
    .prepare = prepare,
    .steps = &steps,
    .run = mplan_app_run_steps,
};
