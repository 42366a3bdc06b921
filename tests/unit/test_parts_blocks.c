/* SPDX-License-Identifier: Apache-2.0 */
/* test_parts_blocks.c - which elements block-gather runs in parts: those that add to owned points, and what shares a block with them
 *
 * The kernel counts its calls. A loop that reads neighbours of its cells has cells in the read halo, which nobody needs to run;
 * halos that are out of date hold NaN. */
#include "exec/meshplan_exec.h"
#include "exec/meshplan_kernel.h"
#include "exec/meshplan_ranks.h"
#include "meshplan.h"
#include "support_test.h"

#include <unistd.h>

enum { PARTS = 4, SIDE = 12, BLOCK = 16 };

/* Of the parameters of a kernel only the copy is const. */
typedef struct counter {
    int64_t *calls;
} counter;

#define SPREAD_ARGS(ARG)                         \
    ARG(MAPPED, q, cells_cells, 4, 1, f64, READ) \
    ARG(MAPPED, sum, cells_nodes, 4, 1, f64, INC)
MPLAN_VIEWS_ANY(spread, SPREAD_ARGS)
MPLAN_FN void spread(spread_views *v, const counter *p)
{
    ++*p->calls;
    for (int k = 0; k < 4; k++)
        v->sum[k][0] = v->q[0][0] + v->q[1][0] + v->q[2][0] + (k + 1) * v->q[3][0];
}
MPLAN_KERNEL_ANY(spread, SPREAD_ARGS, counter)

/* All cells of a closed surface have four neighbours. The caller frees both. */
static void make_bundle(const char *path, mplan_mesh **mesh, mplan_loop *loop, mplan_arg *args)
{
    mplan_error err;
    mplan_parts *parts;
    mplan_generate_options shape = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    shape.shape = MPLAN_SHAPE_CUBED_SPHERE;
    shape.size[0] = SIDE;
    shape.shuffle = true;
    how.n_parts = PARTS;
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_BLOCK_GATHER;
    options.block_size = BLOCK;
    assert_done(mplan_mesh_generate(&shape, NULL, mesh, &err), &err);
    assert_done(mplan_kernel_loop(&spread_host, "cells", args, loop, &err), &err);
    assert_done(mplan_parts_create(*mesh, 1, loop, &options, &how, NULL, &parts, &err), &err);
    assert_done(mplan_parts_write(parts, path, NULL, NULL, NULL, &err), &err);
    mplan_parts_free(parts);
}

/* Elements that all parts must run, and that they have. */
static void count_elements(const mplan_bundle *bundle, int64_t *executed, int64_t *all)
{
    *executed = *all = 0;
    for (int32_t p = 0; p < PARTS; p++) {
        mplan_error err;
        mplan_plan *plan;
        assert_done(mplan_bundle_read_part(bundle, p, NULL, &plan, &err), &err);
        const mplan_plan_set *set = mplan_plan_get_set(plan, mplan_plan_get_loop(plan, 0)->set);
        *executed += set->part.executed;
        *all += set->size;
        mplan_plan_free(plan);
    }
}

/* sum: by the maps of the mesh; q: whole numbers, so that sums are exact in any order. */
static void naive(mplan_mesh *mesh, const double *q, double *sum)
{
    const mplan_map near = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_cells"));
    const mplan_map nodes = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    for (int64_t e = 0; e < nodes.n_rows; e++) {
        const int32_t *a = near.values + 4 * e;
        for (int k = 0; k < 4; k++)
            sum[nodes.values[4 * e + k]] += q[a[0]] + q[a[1]] + q[a[2]] + (k + 1) * q[a[3]];
    }
}

/* One launch; returns the calls of the kernel. */
static int64_t run(const mplan_bundle *bundle, int32_t ranks, bool overlap, const double *q,
                   int64_t n_cells, double *sum, int64_t n_nodes)
{
    mplan_error err;
    mplan_exec *exec;
    mplan_exec_loop *bound;
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_rank_options how = MPLAN_RANK_OPTIONS_INIT;
    int64_t calls = 0;
    const counter parameters = {&calls};
    options.executor = MPLAN_EXECUTOR_HOST;
    how.ranks = ranks;
    how.poison = true;
    how.overlap = overlap;
    memset(sum, 0, (size_t)n_nodes * sizeof *sum);
    assert_done(mplan_exec_open_part(bundle, NULL, &options, &how, &exec, &err), &err);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_done(mplan_exec_upload(exec, "q", q, n_cells, 1, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_upload(exec, "sum", sum, n_nodes, 1, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_bind(exec, "spread", -1, &spread_host, &bound, &err), &err);
    assert_done(mplan_exec_launch(exec, bound, &parameters, NULL, &err), &err);
    assert_done(mplan_exec_download(exec, "sum", sum, n_nodes, 1, MPLAN_TYPE_F64, &err), &err);
    mplan_exec_close(exec);
    return calls;
}

static void read_halos_are_not_run(void **state)
{
    (void)state;
    char path[64];
    mplan_error err;
    mplan_mesh *mesh;
    mplan_loop loop;
    mplan_arg args[2];
    mplan_bundle *bundle;
    int64_t executed, all;
    snprintf(path, sizeof path, "test_parts_blocks.%ld.mplans", (long)getpid());
    make_bundle(path, &mesh, &loop, args);
    assert_done(mplan_bundle_open(path, NULL, &bundle, &err), &err);
    unlink(path);
    count_elements(bundle, &executed, &all);
    assert_true(all - executed > PARTS * BLOCK);
    const int64_t n_cells = mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "cells")).size;
    const int64_t n_nodes = mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "nodes")).size;
    double *q = calloc((size_t)n_cells, sizeof *q), *sum = calloc((size_t)n_nodes, sizeof *sum);
    double *expected = calloc((size_t)n_nodes, sizeof *expected);
    for (int64_t c = 0; c < n_cells; c++)
        q[c] = (double)(c * 7 % 23);
    naive(mesh, q, expected);
    for (int32_t ranks = 1; ranks <= PARTS; ranks++)
        for (int overlap = 0; overlap < 2; overlap++) {
            const int64_t calls = run(bundle, ranks, overlap, q, n_cells, sum, n_nodes);
            assert_memory_equal(sum, expected, (size_t)n_nodes * sizeof *sum);
            assert_true(calls >= executed && calls < executed + PARTS * BLOCK);
        }
    free(q);
    free(sum);
    free(expected);
    mplan_bundle_free(bundle);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(read_halos_are_not_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
