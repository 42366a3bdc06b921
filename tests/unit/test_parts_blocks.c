/* SPDX-License-Identifier: Apache-2.0 */
/* test_parts_blocks.c - loops that read neighbours of their elements, in parts: what runs, and when halos are right
 *
 * Such a loop has cells in the read halo, which nobody needs to run: the kernel counts its calls. Another loop reads halos of a dat
 * that it changes: so what it reads is out of date again behind it, in what does not run here. Halos that are out of date hold NaN. */
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

#define GROW_ARGS(ARG)         \
    ARG(DIRECT, q, 1, f64, RW) \
    ARG(MAPPED, sum, cells_nodes, 4, 1, f64, INC)
MPLAN_VIEWS_ANY(grow, GROW_ARGS)
MPLAN_FN void grow(grow_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int k = 0; k < 4; k++)
        v->sum[k][0] = v->q[0];
    v->q[0] = 2 * v->q[0] + 1;
}
MPLAN_KERNEL_ANY(grow, GROW_ARGS, mplan_no_parameters)

/* All cells of a closed surface have four neighbours. The caller frees both; args: room for those of both loops. */
static void make_bundle(const char *path, mplan_strategy strategy, mplan_mesh **mesh,
                        mplan_arg args[2][2])
{
    mplan_loop loops[2];
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
    options.strategies[0] = strategy;
    options.block_size = BLOCK;
    assert_done(mplan_mesh_generate(&shape, NULL, mesh, &err), &err);
    assert_done(mplan_kernel_loop(&spread_host, "cells", args[0], &loops[0], &err), &err);
    assert_done(mplan_kernel_loop(&grow_host, "cells", args[1], &loops[1], &err), &err);
    loops[0].primary = true;
    assert_done(mplan_parts_create(*mesh, 2, loops, &options, &how, NULL, &parts, &err), &err);
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

/* The next two by the maps of the mesh; with whole numbers sums are exact in any order. */
static void naive_grow(mplan_mesh *mesh, double *q, double *sum)
{
    const mplan_map nodes = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    for (int64_t i = 0; i < 4 * nodes.n_rows; i++)
        sum[nodes.values[i]] += q[i / 4];
    for (int64_t e = 0; e < nodes.n_rows; e++)
        q[e] = 2 * q[e] + 1;
}

static void naive_spread(mplan_mesh *mesh, const double *q, double *sum)
{
    const mplan_map near = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_cells"));
    const mplan_map nodes = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    for (int64_t e = 0; e < nodes.n_rows; e++) {
        const int32_t *a = near.values + 4 * e;
        for (int k = 0; k < 4; k++)
            sum[nodes.values[4 * e + k]] += q[a[0]] + q[a[1]] + q[a[2]] + (k + 1) * q[a[3]];
    }
}

/* A case: the mesh and its parts, and what both dats are in the mesh's order. */
typedef struct surface {
    mplan_mesh *mesh;
    mplan_arg args[2][2];
    mplan_bundle *bundle;
    int64_t n_cells, n_nodes;
    double *q, *expected, *found; /* q: of cells; the others of nodes */
} surface;

static void open_surface(mplan_strategy strategy, surface *c)
{
    char path[64];
    mplan_error err;
    snprintf(path, sizeof path, "test_parts_blocks.%ld.mplans", (long)getpid());
    make_bundle(path, strategy, &c->mesh, c->args);
    assert_done(mplan_bundle_open(path, NULL, &c->bundle, &err), &err);
    unlink(path);
    c->n_cells = mplan_mesh_set(c->mesh, mplan_mesh_find_set(c->mesh, "cells")).size;
    c->n_nodes = mplan_mesh_set(c->mesh, mplan_mesh_find_set(c->mesh, "nodes")).size;
    c->q = calloc((size_t)c->n_cells, sizeof *c->q);
    c->expected = calloc((size_t)c->n_nodes, sizeof *c->expected);
    c->found = calloc((size_t)c->n_nodes, sizeof *c->found);
    for (int64_t e = 0; e < c->n_cells; e++)
        c->q[e] = (double)(e * 7 % 23);
}

static void close_surface(surface *c)
{
    free(c->q);
    free(c->expected);
    free(c->found);
    mplan_bundle_free(c->bundle);
    mplan_mesh_free(c->mesh);
}

/* Launches by the letters of `order`, s and g; returns the calls of spread's kernel. The result is in c->found. */
static int64_t run(surface *c, const char *order, int32_t ranks, bool overlap)
{
    mplan_error err;
    mplan_exec *exec;
    mplan_exec_loop *by_s, *by_g;
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_rank_options how = MPLAN_RANK_OPTIONS_INIT;
    int64_t calls = 0;
    const counter parameters = {&calls};
    options.executor = MPLAN_EXECUTOR_HOST;
    how.ranks = ranks;
    how.poison = true;
    how.overlap = overlap;
    memset(c->found, 0, (size_t)c->n_nodes * sizeof *c->found);
    assert_done(mplan_exec_open_part(c->bundle, NULL, &options, &how, &exec, &err), &err);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_done(mplan_exec_upload(exec, "q", c->q, c->n_cells, 1, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_upload(exec, "sum", c->found, c->n_nodes, 1, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_bind(exec, "spread", -1, &spread_host, &by_s, &err), &err);
    assert_done(mplan_exec_bind(exec, "grow", -1, &grow_host, &by_g, &err), &err);
    for (; *order; order++)
        assert_done(mplan_exec_launch(exec, *order == 's' ? by_s : by_g,
                                      *order == 's' ? &parameters : NULL, NULL, &err),
                    &err);
    assert_done(mplan_exec_download(exec, "sum", c->found, c->n_nodes, 1, MPLAN_TYPE_F64, &err),
                &err);
    mplan_exec_close(exec);
    return calls;
}

static void read_halos_are_not_run(void **state)
{
    (void)state;
    surface c;
    int64_t executed, all;
    open_surface(MPLAN_STRATEGY_BLOCK_GATHER, &c);
    count_elements(c.bundle, &executed, &all);
    assert_true(all - executed > PARTS * BLOCK);
    naive_spread(c.mesh, c.q, c.expected);
    for (int32_t ranks = 1; ranks <= PARTS; ranks++)
        for (int overlap = 0; overlap < 2; overlap++) {
            const int64_t calls = run(&c, "s", ranks, overlap);
            assert_memory_equal(c.found, c.expected, (size_t)c.n_nodes * sizeof *c.found);
            assert_true(calls >= executed && calls < executed + PARTS * BLOCK);
        }
    close_surface(&c);
}

/* With overlap a part of the loop runs, and changes the dat, before its halo has come. */
static void what_is_read_and_changed_is_out_of_date(void **state)
{
    (void)state;
    static const mplan_strategy strategies[] = {MPLAN_STRATEGY_BLOCK_GATHER,
                                                MPLAN_STRATEGY_TWO_STEP, MPLAN_STRATEGY_ATOMIC};
    for (size_t w = 0; w < sizeof strategies / sizeof *strategies; w++) {
        surface c;
        open_surface(strategies[w], &c);
        double *q = malloc((size_t)c.n_cells * sizeof *q);
        memcpy(q, c.q, (size_t)c.n_cells * sizeof *q);
        for (int round = 0; round < 2; round++) {
            naive_grow(c.mesh, q, c.expected);
            naive_spread(c.mesh, q, c.expected);
        }
        free(q);
        for (int32_t ranks = 1; ranks <= PARTS; ranks += PARTS - 1)
            for (int overlap = 0; overlap < 2; overlap++) {
                run(&c, "gsgs", ranks, overlap);
                assert_memory_equal(c.found, c.expected, (size_t)c.n_nodes * sizeof *c.found);
            }
        close_surface(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(read_halos_are_not_run),
                                       cmocka_unit_test(what_is_read_and_changed_is_out_of_date)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
