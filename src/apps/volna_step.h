/* SPDX-License-Identifier: Apache-2.0 */
/* volna_step.h - a whole step of volna whose length the flow decides: four loops, no number on the host
 *
 * computeFluxes over edges, NumericalFluxes over cells with the least allowed step into a global,
 * SpaceDiscretization (volna_kernels.h), and the update by a step that the global holds; the time that
 * has passed, and the water that is there, are sums into globals. After Dutykh, Poncet and Dias (2011),
 * with the flux of Rusanov. Kernels, a case on a closed surface of triangles and its launches, in the
 * common subset of C and CUDA C++: tests/unit/test_volna_step.c runs it on the host,
 * tools/gpu/timestep.cu on a GPU, in a graph. */
#ifndef MPLAN_VOLNA_STEP_H
#define MPLAN_VOLNA_STEP_H

#include <math.h>
#include <stdlib.h>

#include "apps/volna_kernels.h"
#include "exec/meshplan_exec.h"

/* q: depth, momentum, tracer. bathy: bed source of either side, here of a flat bed. */
#define MPLAN_VOLNA_FLUX_ARGS(ARG)               \
    ARG(MAPPED, q, faces_cells, 2, 4, f32, READ) \
    ARG(DIRECT, normal, 2, f32, READ)            \
    ARG(DIRECT, length, 1, f32, READ)            \
    ARG(DIRECT, flux, 4, f32, WRITE)             \
    ARG(DIRECT, bathy, 2, f32, WRITE)            \
    ARG(DIRECT, speed, 1, f32, WRITE)
MPLAN_VIEWS_ANY(mplan_volna_flux, MPLAN_VOLNA_FLUX_ARGS)
/* Rusanov's flux of the shallow water equations through a face. q: height, momentum x and y,
 * and a fourth quantity that flows with the water. speed[0] limits the time step: the fastest
 * wave times the face's length. */
MPLAN_FN void mplan_volna_flux(mplan_volna_flux_views *v, const mplan_no_parameters *p)
{
    const float g = 9.8f;
    float side[2][4], fastest = 0;
    (void)p;
    for (int s = 0; s < 2; s++) {
        const float h = v->q[s][0],
                    across = (v->q[s][1] * v->normal[0] + v->q[s][2] * v->normal[1]) / h;
        const float wave = fabsf(across) + sqrtf(g * h);
        fastest = wave > fastest ? wave : fastest;
        side[s][0] = h * across;
        side[s][1] = v->q[s][1] * across + 0.5f * g * h * h * v->normal[0];
        side[s][2] = v->q[s][2] * across + 0.5f * g * h * h * v->normal[1];
        side[s][3] = v->q[s][3] * across;
    }
    for (int c = 0; c < 4; c++)
        v->flux[c] = 0.5f * v->length[0] *
                     (side[0][c] + side[1][c] - fastest * (v->q[1][c] - v->q[0][c]));
    v->bathy[0] = v->bathy[1] = 0;
    v->speed[0] = fastest * v->length[0];
}
MPLAN_KERNEL_ANY(mplan_volna_flux, MPLAN_VOLNA_FLUX_ARGS, mplan_no_parameters)

#define MPLAN_VOLNA_LIMIT_ARGS(ARG)                  \
    ARG(MAPPED, speed, cells_faces, 3, 1, f32, READ) \
    ARG(DIRECT, volume, 1, f32, READ)                \
    ARG(DIRECT, change, 4, f32, WRITE)               \
    ARG(GLOBAL, dt, 1, f32, MIN)
MPLAN_VIEWS_ANY(mplan_volna_limit, MPLAN_VOLNA_LIMIT_ARGS)
/* The longest step of a cell: Courant number 0.45, by the fastest waves through its three
 * faces. The sums of changes begin at 0 here. */
MPLAN_FN void mplan_volna_limit(mplan_volna_limit_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->dt[0] = 0.45f * v->volume[0] / (v->speed[0][0] + v->speed[1][0] + v->speed[2][0]);
    for (int c = 0; c < 4; c++)
        v->change[c] = 0;
}
MPLAN_KERNEL_ANY(mplan_volna_limit, MPLAN_VOLNA_LIMIT_ARGS, mplan_no_parameters)

#define MPLAN_VOLNA_MOVE_ARGS(ARG)    \
    ARG(DIRECT, q, 4, f32, RW)        \
    ARG(DIRECT, change, 4, f32, READ) \
    ARG(DIRECT, volume, 1, f32, READ) \
    ARG(GLOBAL, dt, 1, f32, READ)     \
    ARG(GLOBAL, water, 1, f64, INC)
MPLAN_VIEWS_ANY(mplan_volna_move, MPLAN_VOLNA_MOVE_ARGS)
/* All cells move by the same step, dt, which is the least of mplan_volna_limit. water is summed
 * in f64. */
MPLAN_FN void mplan_volna_move(mplan_volna_move_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int c = 0; c < 4; c++)
        v->q[c] += v->dt[0] * v->change[c];
    v->water[0] = (double)v->q[0] * (double)v->volume[0];
}
MPLAN_KERNEL_ANY(mplan_volna_move, MPLAN_VOLNA_MOVE_ARGS, mplan_no_parameters)

/* --- the case: squares of a torus, each cut in two ---------------------------------------- */

enum { MPLAN_VOLNA_LOOPS = 4, MPLAN_VOLNA_ARGS_MOST = 8 };

/* A torus of side x side squares, two triangles each, so that no face is at a boundary. faces_cells has 2 entries a
 * face, cells_faces 3 a cell; wall is 0 everywhere. */
typedef struct mplan_volna_case {
    int32_t side, cells, faces; /* 2 and 3 times the square of side */
    int32_t *faces_cells, *cells_faces;
    float *q, *normal, *length, *volume; /* 4 a cell, 2 a face, 1 a face, 1 a cell */
    int32_t *wall;
} mplan_volna_case;

/* Zeroed; NULL without memory. n > 0. */
static inline void *mplan_volna_room(int64_t n, size_t size)
{
    return calloc((size_t)n, size);
}

/* Triangle t of a square whose sides are 1. */
static inline int32_t mplan_volna_cell(int32_t side, int32_t x, int32_t y, int32_t t)
{
    return 2 * ((y + side) % side * side + (x + side) % side) + t;
}

/* (nx, ny) points from left to right and is as long as the face. */
static inline void mplan_volna_face(const mplan_volna_case *in, int32_t f, int32_t left,
                                    int32_t right, float nx, float ny)
{
    const float length = sqrtf(nx * nx + ny * ny);
    in->faces_cells[2 * f] = left;
    in->faces_cells[2 * f + 1] = right;
    in->normal[2 * f] = nx / length;
    in->normal[2 * f + 1] = ny / length;
    in->length[f] = length;
}

/* False without memory. A hill of water at rest; freed by mplan_volna_free. */
static inline bool mplan_volna_make(int32_t side, mplan_volna_case *in)
{
    in->side = side;
    in->cells = 2 * side * side;
    in->faces = 3 * side * side;
    in->faces_cells = (int32_t *)mplan_volna_room(2 * (int64_t)in->faces, sizeof(int32_t));
    in->cells_faces = (int32_t *)mplan_volna_room(3 * (int64_t)in->cells, sizeof(int32_t));
    in->wall = (int32_t *)mplan_volna_room(in->faces, sizeof(int32_t));
    in->q = (float *)mplan_volna_room(4 * (int64_t)in->cells, sizeof(float));
    in->normal = (float *)mplan_volna_room(2 * (int64_t)in->faces, sizeof(float));
    in->length = (float *)mplan_volna_room(in->faces, sizeof(float));
    in->volume = (float *)mplan_volna_room(in->cells, sizeof(float));
    if (!in->faces_cells || !in->cells_faces || !in->wall || !in->q || !in->normal || !in->length ||
        !in->volume)
        return false;
    for (int32_t y = 0; y < side; y++)
        for (int32_t x = 0; x < side; x++) {
            const int32_t low = mplan_volna_cell(side, x, y, 0), f = low / 2 * 3;
            const float dx = (float)(x - side / 2), dy = (float)(y - side / 3);
            const float hill = 1 + 0.5f * expf(-(dx * dx + dy * dy) /
                                               (0.02f * (float)side * (float)side));
            /* between the two triangles; below the lower one; left of it, each to the outside */
            mplan_volna_face(in, f, low, low + 1, 1, 1);
            mplan_volna_face(in, f + 1, low, mplan_volna_cell(side, x, y - 1, 1), 0, -1);
            mplan_volna_face(in, f + 2, low, mplan_volna_cell(side, x - 1, y, 1), -1, 0);
            in->cells_faces[3 * low] = in->cells_faces[3 * low + 3] = f;
            in->cells_faces[3 * low + 1] = f + 1;
            in->cells_faces[3 * low + 2] = f + 2;
            in->cells_faces[3 * low + 4] = mplan_volna_cell(side, x, y + 1, 0) / 2 * 3 + 1;
            in->cells_faces[3 * low + 5] = mplan_volna_cell(side, x + 1, y, 0) / 2 * 3 + 2;
            for (int t = 0; t < 2; t++) {
                in->volume[low + t] = 0.5f;
                in->q[4 * (low + t)] = hill;
                in->q[4 * (low + t) + 3] = hill * (float)(x % 7);
            }
        }
    return true;
}

/* Also after mplan_volna_make returned false: it has set all pointers by then, some to NULL. */
static inline void mplan_volna_free(mplan_volna_case *in)
{
    free(in->faces_cells);
    free(in->cells_faces);
    free(in->wall);
    free(in->q);
    free(in->normal);
    free(in->length);
    free(in->volume);
}

/* The mesh and the four loops, which are those of the kernels. kernels: flux, limit, space, move. */
static inline mplan_status mplan_volna_plan(const mplan_volna_case *in,
                                            const mplan_kernel *const kernels[MPLAN_VOLNA_LOOPS],
                                            const mplan_plan_options *options, mplan_plan **plan,
                                            mplan_error *err)
{
    static const char *const over[MPLAN_VOLNA_LOOPS] = {"faces", "cells", "faces", "cells"};
    mplan_arg args[MPLAN_VOLNA_LOOPS][MPLAN_MAX_ARGS];
    mplan_loop loops[MPLAN_VOLNA_LOOPS];
    mplan_mesh *mesh = NULL;
    mplan_status status = mplan_mesh_create(&mesh, err);
    for (int l = 0; l < MPLAN_VOLNA_LOOPS && !status; l++)
        status = mplan_kernel_loop(kernels[l], over[l], args[l], &loops[l], err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "cells", in->cells, NULL, err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "faces", in->faces, NULL, err);
    if (!status)
        status = mplan_mesh_add_map(mesh, "faces_cells", 1, 0, 2, NULL, in->faces_cells, NULL, err);
    if (!status)
        status = mplan_mesh_add_map(mesh, "cells_faces", 0, 1, 3, NULL, in->cells_faces, NULL, err);
    if (!status)
        status = mplan_plan_create(mesh, MPLAN_VOLNA_LOOPS, loops, options, NULL, plan, err);
    if (!status)
        status = mplan_plan_verify(*plan, mesh, NULL, err);
    mplan_mesh_free(mesh);
    return status;
}

/* An executor with the case's data and all loops bound to a variant (-1: their own). */
typedef struct mplan_volna_state {
    mplan_exec *exec;
    mplan_exec_loop *bound[MPLAN_VOLNA_LOOPS];
} mplan_volna_state;

/* Opens an executor, uploads the case, and binds all loops under one variant. After a failure
 * the caller closes run->exec, which may be NULL. */
static inline mplan_status mplan_volna_open(const mplan_volna_case *in, const mplan_plan *plan,
                                            const mplan_kernel *const kernels[MPLAN_VOLNA_LOOPS],
                                            const mplan_exec_options *options, int32_t variant,
                                            mplan_volna_state *run, mplan_error *err)
{
    mplan_status status = mplan_exec_open(plan, options, &run->exec, err);
    if (!status)
        status = mplan_exec_declare_all(run->exec, err);
    if (!status)
        status = mplan_exec_upload(run->exec, "q", in->q, in->cells, 4, MPLAN_TYPE_F32, err);
    if (!status)
        status = mplan_exec_upload(run->exec, "volume", in->volume, in->cells, 1, MPLAN_TYPE_F32,
                                   err);
    if (!status)
        status = mplan_exec_upload(run->exec, "normal", in->normal, in->faces, 2, MPLAN_TYPE_F32,
                                   err);
    if (!status)
        status = mplan_exec_upload(run->exec, "length", in->length, in->faces, 1, MPLAN_TYPE_F32,
                                   err);
    if (!status)
        status = mplan_exec_upload(run->exec, "wall", in->wall, in->faces, 1, MPLAN_TYPE_I32, err);
    for (int l = 0; l < MPLAN_VOLNA_LOOPS && !status; l++)
        status = mplan_exec_bind(run->exec, kernels[l]->name, variant, kernels[l], &run->bound[l],
                                 err);
    return status;
}

/* One step in the order of a stream; user: an mplan_volna_state. As a graph's record. */
static inline mplan_status mplan_volna_launch(void *user, void *stream, mplan_error *err)
{
    mplan_volna_state *run = (mplan_volna_state *)user;
    const float longest = 1e30f;
    const double none = 0;
    mplan_status status = mplan_exec_set(run->exec, "dt", &longest, 1, MPLAN_TYPE_F32, stream, err);
    if (!status)
        status = mplan_exec_set(run->exec, "water", &none, 1, MPLAN_TYPE_F64, stream, err);
    for (int l = 0; l < MPLAN_VOLNA_LOOPS && !status; l++)
        status = mplan_exec_launch(run->exec, run->bound[l], NULL, stream, err);
    return status;
}

#endif
