/* SPDX-License-Identifier: Apache-2.0 */
/* support_exec_frame.h - what tests of one kernel share: its mesh, its plan, an executor, and what comes out */
#ifndef MPLAN_SUPPORT_EXEC_FRAME_H
#define MPLAN_SUPPORT_EXEC_FRAME_H

#include "support_test.h"

#include "exec/meshplan_exec.h"

typedef struct support_frame_set {
    const char *name;
    int64_t size;
} support_frame_set;

/* A map of the mesh; from and to are places in the list of its sets. offsets: NULL with an arity. */
typedef struct support_frame_map {
    const char *name;
    int32_t from, to, arity;
    const int64_t *offsets;
    const int32_t *values;
} support_frame_map;

mplan_mesh *support_frame_mesh(int32_t n_sets, const support_frame_set *sets, int32_t n_maps,
                               const support_frame_map *maps);
/* A plan of a kernel over "cells", verified, that the caller frees. Maps with entries of -1 skip them where `skips`. options without
 * strategies: all of them. */
mplan_plan *support_frame_plan(mplan_mesh *mesh, const mplan_kernel *kernel, bool skips,
                               const mplan_plan_options *options);
/* An executor of the host with two threads, all dats declared. */
mplan_exec *support_frame_open(const mplan_plan *plan, mplan_executor executor);
/* Binds the kernel to its loop under the variant, and launches it once. */
void support_frame_launch(mplan_exec *exec, const mplan_kernel *kernel, int32_t variant);
/* The rows of a dat, n x dim numbers, must have the bits of `due`. */
void support_frame_expect(mplan_exec *exec, const char *dat, int64_t n, int32_t dim,
                          mplan_type type, const void *due);
/* Calls `run` for each of the plan's n variants on each executor of the host. */
void support_frame_everywhere(const mplan_plan *plan, int32_t n,
                              void (*run)(const mplan_plan *plan, int32_t variant,
                                          mplan_executor executor, const void *user),
                              const void *user);

#endif
