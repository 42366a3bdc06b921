/* SPDX-License-Identifier: Apache-2.0 */
/* two_threads.c - several threads on one mesh and one plan, each with planner threads of its own
 *
 * two_threads [ROUNDS]; built with ThreadSanitizer by campaign_tsan.sh. Every thread proves, compares and writes the one
 * plan, proves it against the one mesh, and makes plans of a mesh of its own; all must come out equal. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "meshplan.h"

enum { THREADS = 3 };

static mplan_mesh *mesh;
static mplan_plan *plan;
static mplan_loop loop;
static int rounds = 3;

static void need(mplan_status status, const mplan_error *err)
{
    if (status != MPLAN_OK) {
        fprintf(stderr, "%s: %s\n", mplan_status_name(status), err->text);
        exit(1);
    }
}

static mplan_mesh *make_mesh(void)
{
    enum { N = 40 };
    static _Thread_local int32_t rows[N * N][4];
    static _Thread_local double xyz[(N + 1) * (N + 1)][2];
    mplan_mesh *out;
    mplan_error err;
    for (int32_t i = 0; i < N * N; i++) {
        const int32_t at = i / N * (N + 1) + i % N;
        const int32_t row[] = {at, at + 1, at + N + 2, at + N + 1};
        memcpy(rows[i], row, sizeof row);
    }
    for (int32_t i = 0; i < (N + 1) * (N + 1); i++) {
        xyz[i][0] = i % (N + 1);
        xyz[i][1] = i / (N + 1);
    }
    need(mplan_mesh_create(&out, &err), &err);
    need(mplan_mesh_add_set(out, "cells", N * N, NULL, &err), &err);
    need(mplan_mesh_add_set(out, "nodes", (N + 1) * (N + 1), NULL, &err), &err);
    need(mplan_mesh_add_map(out, "cells_nodes", 0, 1, 4, NULL, rows[0], NULL, &err), &err);
    need(mplan_mesh_set_coordinates(out, 1, 2, xyz[0], &err), &err);
    return out;
}

static mplan_plan *make_plan(mplan_mesh *of, mplan_partitioner partitioner)
{
    const mplan_context context = {.struct_size = sizeof context, .threads = 3};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_plan *out = NULL;
    mplan_error err;
    options.partitioner = partitioner;
    options.block_size = 64;
    need(mplan_plan_create(of, 1, &loop, &options, &context, &out, &err), &err);
    return out;
}

static void *work(void *number)
{
    const mplan_context context = {.struct_size = sizeof context, .threads = 2};
    mplan_error err;
    char path[64];
    snprintf(path, sizeof path, "/tmp/two_threads-%d-%d", (int)getpid(), *(const int *)number);
    for (int i = 0; i < rounds; i++) {
        need(mplan_plan_verify(plan, NULL, &context, &err), &err);
        need(mplan_plan_verify(plan, mesh, &context, &err), &err);
        need(mplan_plan_compare(plan, plan, NULL, NULL, &err), &err);
        need(mplan_plan_write(plan, path, NULL, &context, NULL, &err), &err);
        mplan_mesh *own = make_mesh();
        mplan_plan *again = make_plan(own,
                                      i % 2 ? MPLAN_PARTITIONER_NATIVE : MPLAN_PARTITIONER_HILBERT);
        need(mplan_plan_verify(again, mesh, &context, &err), &err);
        mplan_plan_free(again);
        mplan_mesh_free(own);
    }
    unlink(path);
    return NULL;
}

int main(int argc, char **argv)
{
    static const mplan_arg args[] = {
        {"x", "cells_nodes", MPLAN_READ, 2, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
        {"r", "cells_nodes", MPLAN_INC, 3, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    static int numbers[THREADS];
    pthread_t threads[THREADS];
    if (argc > 1)
        rounds = (int)strtol(argv[1], NULL, 10);
    loop = (mplan_loop){.name = "gather",
                        .over = "cells",
                        .primary = true,
                        .calls = 1,
                        .flops = 1,
                        .n_args = 2,
                        .args = args};
    mesh = make_mesh();
    plan = make_plan(mesh, MPLAN_PARTITIONER_NATIVE);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        if (pthread_create(&threads[i], NULL, work, &numbers[i]))
            return 71;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    return 0;
}
