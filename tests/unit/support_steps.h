/* SPDX-License-Identifier: Apache-2.0 */
/* support_steps.h - a few loops over a small mesh, by the plainest code and by an executor
 *
 * Faces write what they need of their cells, and add to them; cells move and are counted; nodes gather from cells, and
 * cells from nodes. With whole numbers sums are exact in any order. */
#ifndef MPLAN_SUPPORT_STEPS_H
#define MPLAN_SUPPORT_STEPS_H

#include "exec/meshplan_exec.h"
#include "meshplan.h"

enum { N_LOOPS = 5, STEPS = 3 };
enum { HEAT, SLOPE, WEIGHT, CHANGE, RUNS, LOAD, N_DATS };

typedef struct steps_dat {
    const char *name, *set;
    int32_t dim;
    mplan_type type;
} steps_dat;

typedef struct steps_result {
    char *rows[N_DATS];
    double flow, least, sum[2];
} steps_result;

typedef struct support_steps {
    mplan_mesh *mesh;
    mplan_loop loops[N_LOOPS];
    mplan_arg args[N_LOOPS][MPLAN_MAX_ARGS];
    steps_result start;
} support_steps;

extern const mplan_kernel *const support_steps_kernels[N_LOOPS];
extern const steps_dat support_steps_dats[N_DATS];

/* A grid of cells; data: small whole numbers, or fractions. */
void support_steps_make(int32_t nx, int32_t ny, bool whole, support_steps *test);
void support_steps_free(support_steps *test);
/* Members of the set of a dat. */
int64_t support_steps_size(const mplan_mesh *mesh, int d);
/* STEPS steps over the mesh as it is. */
void support_steps_naive(const support_steps *test, steps_result *r);
/* The same by an executor; dats come back in the mesh's order. */
void support_steps_run(const support_steps *test, mplan_exec *exec, int32_t variant, steps_result *r);
/* Fails where bits differ. */
void support_steps_equal(const support_steps *test, const steps_result *a, const steps_result *b);
void support_steps_release(steps_result *r);

#endif
