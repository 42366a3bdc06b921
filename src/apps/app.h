/* SPDX-License-Identifier: Apache-2.0 */
/* app.h - what a built-in application consists of
 *
 * An application is a few loops with a way to run them. Most have one loop, run
 * by harness_loop.c on random data; airfoil has a whole time step. */
#ifndef MPLAN_EXEC_APP_H
#define MPLAN_EXEC_APP_H

#include "apps/apps.h"

#ifdef MPLAN_HAVE_CUDA
#define MPLAN_APP_DEVICE(name) &name##_device
#else
#define MPLAN_APP_DEVICE(name) NULL
#endif

/* Cells that an application wants. */
typedef enum mplan_app_cells {
    MPLAN_APP_ANY_CELLS,
    MPLAN_APP_PLANE, /* of two dimensions */
    MPLAN_APP_SOLID, /* of three */
    MPLAN_APP_MIXED, /* with different numbers of nodes */
    MPLAN_APP_TRIANGLES,
    MPLAN_APP_QUADS,
    MPLAN_APP_TETS,
    MPLAN_APP_HEXES
} mplan_app_cells;

/* Random values of components [first, end) of a dat: in [low, high), whole numbers
 * in integer dats. What no range names lies in [0.5, 1.5). */
typedef struct mplan_app_range {
    const char *dat;
    int32_t first, end;
    double low, high;
} mplan_app_range;

/* A dat of a case that was computed by hand. */
typedef struct mplan_app_hand_arg {
    int64_t members;
    const double *before; /* NULL: NaN where it is written, zero where incremented */
    const double *after;  /* NULL: read only */
    const int32_t *rows;  /* NULL: direct */
} mplan_app_hand_arg;

/* A mesh of a few elements, its dats, and what a loop must make of them: exact
 * numbers, compared to 1e-14 (f32: 1e-6) of the largest. */
typedef struct mplan_app_hand {
    int32_t loop; /* of the application */
    const void *parameters;
    int64_t n_elements;
    const mplan_app_hand_arg *args;
} mplan_app_hand;

typedef struct mplan_app_steps mplan_app_steps; /* harness_step.h */

/* An entry of the time step: a loop, and the dat that is set to zero before it. */
typedef struct mplan_app_entry {
    int32_t loop;
    const char *clear; /* NULL: none */
} mplan_app_entry;

/* One for each application, in its file *_host.c. `run` is how it is run: `steps` is for mplan_app_run_steps,
 * `layered` for mplan_app_run_layers, and for steps of loops with layers; what its way does not need is 0 or NULL. */
struct mplan_app {
    const char *name, *description;
    mplan_app_cells cells;
    bool planar; /* nodes must have two coordinates */
    int32_t n_loops;
    const mplan_app_loop *loops;
    const void *parameters; /* of applications of one loop, or whose step is its entries */
    int32_t n_ranges;
    const mplan_app_range *ranges;
    const mplan_app_hand *hand;
    const int64_t *hand_rows; /* where rows of its ragged args begin, n_elements + 1; NULL: it has none */
    const struct mplan_app_layered *layered; /* layers_app.h, one for each loop; NULL: a flat application */
    double tolerance;                        /* of the error in mplan_app_result */
    /* What the mesh needs before loops are asked for; NULL: nothing. */
    mplan_status (*prepare)(mplan_mesh *mesh, const mplan_context *context, mplan_error *err);
    /* Loops that depend on the mesh, in one piece of memory, in the place of `loops`; NULL: they do not. */
    mplan_status (*choose)(const mplan_app *app, const mplan_mesh *mesh, mplan_app_loop **loops,
                           int32_t *n_loops, mplan_error *err);
    int32_t n_step; /* entries of a time step, for plans with a limited device memory; 0: none */
    const mplan_app_entry *step;
    const mplan_app_steps *steps; /* of applications that mplan_app_run_steps runs */
    bool first_stands; /* loops are alike, and run on any numbers: the first one is what `tune` measures */
    mplan_status (*run)(const mplan_app *app, const mplan_mesh *mesh, const mplan_plan *plan,
                        const mplan_app_options *options, mplan_app_result *result, mplan_error *err);
};

/* Members of an application of one loop: `loops`, `parameters` and `hand` of its file. */
#define MPLAN_APP_OF_ONE_LOOP                                                                   \
    .n_loops = 1, .loops = loops, .parameters = &parameters, .hand = &hand, .tolerance = 1e-12, \
    .run = mplan_app_run_loop
#define MPLAN_APP_RANGES .n_ranges = (int32_t)(sizeof ranges / sizeof *ranges), .ranges = ranges

extern const mplan_app mplan_app_airfoil, mplan_app_airfoil_fused, mplan_app_res_calc,
    mplan_app_volna, mplan_app_bookleaf, mplan_app_lulesh, mplan_app_miniaero, mplan_app_edgefv,
    mplan_app_fescatter, mplan_app_flux2d, mplan_app_flux3d, mplan_app_euler2d,
    mplan_app_volna_step, mplan_app_miniaero_rk4, mplan_app_bookleaf_getq, mplan_app_cg,
    mplan_app_lfric_w0, mplan_app_lfric_w2, mplan_app_lfric_w3, mplan_app_column_flux,
    mplan_app_tridiagonal, mplan_app_column_step, mplan_app_flux3d_step, mplan_app_jacobi,
    mplan_app_himeno, mplan_app_cip, mplan_app_mixed;

/* The ways to run an application. */
mplan_status mplan_app_run_loop(const mplan_app *app, const mplan_mesh *mesh,
                                const mplan_plan *plan, const mplan_app_options *options,
                                mplan_app_result *result, mplan_error *err);
mplan_status mplan_app_run_airfoil(const mplan_app *app, const mplan_mesh *mesh,
                                   const mplan_plan *plan, const mplan_app_options *options,
                                   mplan_app_result *result, mplan_error *err);

/* Geometry comes from the mesh's coordinates; the loops depend on the mesh (choose), the patches of its boundary
 * among them. */
mplan_status mplan_app_run_euler2d(const mplan_app *app, const mplan_mesh *mesh,
                                   const mplan_plan *plan, const mplan_app_options *options,
                                   mplan_app_result *result, mplan_error *err);

/* Vectors that the application owns and the executor adopts; the matrix by two loops. */
mplan_status mplan_app_run_cg(const mplan_app *app, const mplan_mesh *mesh, const mplan_plan *plan,
                              const mplan_app_options *options, mplan_app_result *result,
                              mplan_error *err);
/* By app->steps: geometry, start, step and what is proved. */
mplan_status mplan_app_run_steps(const mplan_app *app, const mplan_mesh *mesh,
                                 const mplan_plan *plan, const mplan_app_options *options,
                                 mplan_app_result *result, mplan_error *err);

/* Runs the case computed by hand through the host's kernel, without an executor:
 * MPLAN_ERR_INTERNAL with the first number that differs. */
mplan_status mplan_app_check_hand(const mplan_app *app, mplan_error *err);

#endif
