/* SPDX-License-Identifier: Apache-2.0 */
/* support_bench.h - public calls, each again with its k-th allocation failing
 *
 * The program is linked with --wrap, so that the allocations of the static
 * library come to support_memory.h. A call with k = 1, 2, ... must say that memory ran out, leave
 * its results and the files untouched and release what it took, until it needs
 * fewer than k allocations. Twice: only the k-th fails, and it and all behind it.
 * Allocations of other libraries are theirs; those of our own code in a child
 * process count. */
#ifndef SUPPORT_BENCH_H
#define SUPPORT_BENCH_H

#include "support_test.h"

/* Results that a failed call must leave as they are. */
static mplan_mesh *const no_mesh = (mplan_mesh *)(uintptr_t)16;
static mplan_plan *const no_plan = (mplan_plan *)(uintptr_t)32;
static mplan_job *const no_job = (mplan_job *)(uintptr_t)48;

typedef struct bench {
    const void *data; /* of the call */
    mplan_mesh *mesh; /* worked on; released with the bench */
    mplan_plan *plan;
    mplan_job *job;
    mplan_mesh *new_mesh; /* results */
    mplan_plan *new_plan;
    mplan_job *new_job;
    uint8_t *bytes;
    size_t size;
} bench;

enum {
    PLAIN = 0,
    MAY_GROW = 1,   /* the mesh may hold more after a failure */
    MAY_REFUSE = 2, /* may end with another status */
    FORKS = 4,      /* each try starts a child process: one pass is enough */
    KEEPS = 8,      /* changes nothing of what it works on, which is prepared once for all tries */
    ALIKE = 16      /* with FORKS: many calls allocate in the same places and share these */
};

typedef struct call {
    const char *name;
    void (*prepare)(bench *b); /* may be NULL */
    mplan_status (*run)(bench *b, mplan_error *err);
    const void *data;
    int flags;
} call;

static const mplan_context one = {.struct_size = sizeof(mplan_context), .threads = 1};

/* The folder of the program, in memory where that is possible; it must be empty at the end. */
int bench_make_folder(void **state);
int bench_remove_folder(void **state);
/* A path in it; stays as it is for one further call. */
const char *bench_path(const char *name);

void bench_open(bench *b, const call *c);
void bench_close(bench *b);
/* Fails where an allocation that fails is not said, or leaves something behind. */
void run_call(const call *c);
void run_calls(const call *calls, size_t n);
#define RUN_CALLS(calls_) run_calls((calls_), sizeof(calls_) / sizeof *(calls_))

/* A few cells of a shape; the mesh of the shape that the call's data point to. */
mplan_generate_options small_mesh(mplan_shape shape);
void prepare_generated(bench *b);
void write_text(const char *path, const char *text);

#endif
