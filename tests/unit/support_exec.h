/* SPDX-License-Identifier: Apache-2.0 */
/* support_exec.h - kernels for tests of the executor, and plain loops that do the same */
#ifndef MPLAN_SUPPORT_EXEC_H
#define MPLAN_SUPPORT_EXEC_H

#include "support_test.h"

#include "exec/meshplan_exec.h"

enum { SUPPORT_EXEC_ARGS = 8 };

/* A dat of a case in the mesh's order: what goes in, and what is to come out. */
typedef struct support_dat {
    const char *name, *set;
    int32_t dim;
    mplan_type type;
    int64_t size; /* of the set */
    void *rows, *expected;
} support_dat;

/* A kernel with a mesh that has what it needs. The naive loop works on `expected`,
 * in the mesh's order, from the mesh's own maps. */
typedef struct support_exec_case {
    const char *name, *over;
    const mplan_kernel *kernel;
    void (*naive)(const mplan_mesh *mesh, const support_dat *dat);
    mplan_mesh *(*make)(uint64_t *seed);
    bool gathers; /* block-gather can run it */
    bool owns;    /* so can owner-gather */
    bool pairs;   /* with pair32 too */
    bool skips;   /* -1 entries are skipped */
} support_exec_case;

/* Case i, NULL past the last. */
const support_exec_case *support_exec_get(int i);
const support_exec_case *support_exec_find(const char *name);

/* The loop of a case as a request. */
typedef struct support_exec_loop {
    mplan_loop loop;
    mplan_arg args[SUPPORT_EXEC_ARGS];
} support_exec_loop;
void support_exec_request(const support_exec_case *test, support_exec_loop *request);

/* The dats of the case's args (args of one dat: each its own copy, only one written),
 * with random rows and what the naive loop makes of them. */
void support_exec_fill(const support_exec_case *test, const mplan_mesh *mesh, uint64_t *seed,
                       support_dat dat[SUPPORT_EXEC_ARGS]);
void support_exec_free(const support_exec_case *test, support_dat dat[SUPPORT_EXEC_ARGS]);

typedef struct support_scale {
    double factor;
} support_scale;
/* The parameters every case runs with; NULL for kernels without. */
const void *support_exec_parameters(const support_exec_case *test);

mplan_exec *support_exec_open(const mplan_plan *plan, mplan_executor executor, int32_t threads);
/* A plan of the naive planner whose set "a", the first, has holes and more than three members; the caller frees both. */
mplan_plan *support_exec_with_holes(uint64_t *seed, mplan_mesh **mesh);
/* A plan of the case's loop only. */
mplan_plan *support_exec_plan(const support_exec_case *test, mplan_mesh *mesh,
                              const mplan_plan_options *options);

#endif
