/* SPDX-License-Identifier: Apache-2.0 */
/* apps.h - the applications and measurements behind `meshplan run`
 *
 * A part of the command, not of a library: its names may change. Functions refuse NULL as public ones do. */
#ifndef MPLAN_APPS_H
#define MPLAN_APPS_H

#include "exec/meshplan_exec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A loop of an application. Sets and maps are named with "faces" where the mesh's
 * own name of its faces belongs (mplan_mesh_faces_name), maps with "patch" where the set of the loop does. */
typedef struct mplan_app_loop {
    const char *name, *over;
    const mplan_kernel *host, *device; /* device NULL without CUDA */
    int64_t flops, calls;
    bool primary;
} mplan_app_loop;

typedef struct mplan_app mplan_app; /* opaque beyond these accessors */
/* Application i; NULL past the last. */
MPLAN_API const mplan_app *mplan_app_get(int32_t i);
MPLAN_API const mplan_app *mplan_app_find(const char *name);
MPLAN_API const char *mplan_app_name(const mplan_app *app);
/* One sentence, and the cells it wants ("quads", "any", ...). */
MPLAN_API const char *mplan_app_description(const mplan_app *app);
/* Whether it runs time steps of several loops; else launches of one. */
MPLAN_API bool mplan_app_makes_steps(const mplan_app *app);
/* Null when the mesh serves the application, else why not. */
MPLAN_API mplan_status mplan_app_accepts(const mplan_app *app, const mplan_mesh *mesh,
                                         mplan_error *err);
/* Adds to an accepted mesh what the application needs, such as a group of what is in none; before its loops are asked
 * for, once for each mesh. */
MPLAN_API mplan_status mplan_app_prepare(const mplan_app *app, mplan_mesh *mesh,
                                         const mplan_context *context, mplan_error *err);
/* The loops as a request for mplan_plan_create, named for this mesh; freed as one. */
MPLAN_API mplan_status mplan_app_request(const mplan_app *app, const mplan_mesh *mesh,
                                         mplan_loop **loops, int32_t *n_loops, mplan_error *err);
MPLAN_API void mplan_app_request_free(mplan_loop *loops, int32_t n_loops);

/* What the loops of an application with layers have of them, for mplan_plan_options; *out is NULL for others. layers: of
 * each column. columns: the order of all levels; OWNER: of the matrix, where there is one. Freed with free(); loops must
 * outlive it. */
MPLAN_API mplan_status mplan_app_layers(const mplan_app *app, const mplan_loop *loops, int32_t layers,
                                        mplan_columns columns, mplan_layers **out, mplan_error *err);

typedef struct mplan_app_options {
    size_t struct_size;
    const mplan_exec_options *exec; /* NULL: defaults */
    int32_t variant;                /* of every loop that has it; -1: the default */
    int64_t iterations;             /* airfoil: time steps; else launches checked for equal bits */
    int32_t repeats;                /* timed replays, the median is reported; 0: no timing */
    bool check;                     /* against the mesh's own order, and the hand-computed case */
    uint64_t seed;
    int32_t layout; /* of all dats, a mplan_layout; -1: as the plan advises */
} mplan_app_options;
#define MPLAN_APP_OPTIONS_INIT                                 \
    {                                                          \
        sizeof(mplan_app_options), NULL, -1, 1, 7, true, 1, -1 \
    }

typedef struct mplan_app_result {
    double error;        /* largest ||a - b|| / ||b|| over the dats written; -1: not checked */
    bool equal_bits;     /* of all iterations' results; true where one was run */
    uint64_t bits;       /* fingerprint of the results that were checked, each dat in the mesh's
                            order; 0: not checked */
    double microseconds; /* median of one launch (airfoil: of one time step); 0: not timed */
    double useful_bytes; /* each dat once, incremented or rw ones twice, each map once, int32 */
    double bandwidth;    /* bytes per second */
    double copy_rate;    /* measured in the same run */
    double rms[4];       /* airfoil: after 100, 200, 500 and 1000 iterations; 0: not reached */
    double residual;     /* airfoil: rms after the last */
} mplan_app_result;

/* Runs an application on a plan of its request and the mesh of the plan. The reference
 * of `error` is the kernel run over the mesh's own maps in the mesh's order.
 * MPLAN_ERR_DISPROVED, with the result filled, when the error is above 1e-12 (volna,
 * in f32: 1e-5), a deterministic variant gave other bits, or airfoil's residuals on its
 * published mesh are not the published ones; MPLAN_ERR_INTERNAL when a kernel fails its
 * case computed by hand. */
MPLAN_API mplan_status mplan_app_run(const mplan_app *app, const mplan_mesh *mesh,
                                     const mplan_plan *plan, const mplan_app_options *options,
                                     mplan_app_result *result, mplan_error *err);

/* --- measurements -------------------------------------------------------------- */

/* Bytes per second, read plus written, of a large copy within the device's
 * memory, median of 7; on the host of memcpy. */
MPLAN_API mplan_status mplan_app_copy_rate(mplan_exec *exec, double *rate, mplan_error *err);
/* Reads a plan file and brings all its arrays to the device, checksums included,
 * and drops them again: seconds and bytes, for the record. */
MPLAN_API mplan_status mplan_app_load_rate(const char *path, int32_t device, double *seconds,
                                           int64_t *bytes, mplan_error *err);

#ifdef __cplusplus
}
#endif

#endif
