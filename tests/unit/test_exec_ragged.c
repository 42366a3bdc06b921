/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec_ragged.c - maps whose rows have different lengths, and writes through maps under colours
 *
 * Cells of two to six nodes: what they read and add through their rows, under every strategy that may;
 * rows that are only read beside pairs that gather; updates of points, colour by colour. Whole numbers,
 * against plain loops. */
#include <stdlib.h>

#include "exec/meshplan_exec.h"
#include "support_test.h"

enum { CELLS = 800, NODES = 500, MOST = 6 };

#define SPREAD_ARGS(ARG)                          \
    ARG(RAGGED, x, cells_nodes, 6, 2, f64, READ)  \
    ARG(RAGGED, sum, cells_nodes, 6, 2, f64, INC) \
    ARG(RAGGED, low, cells_nodes, 6, 1, i32, MIN) \
    ARG(DIRECT, center, 2, f64, WRITE)            \
    ARG(GLOBAL, entries, 1, i64, INC)
MPLAN_VIEWS_ANY(spread, SPREAD_ARGS)
MPLAN_FN void spread(spread_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->center[0] = v->center[1] = 0;
    for (int s = 0; s < v->x_n; s++) {
        v->center[0] += v->x[s][0];
        v->center[1] += v->x[s][1] * (s + 1);
    }
    for (int s = 0; s < v->sum_n; s++) {
        v->sum[s][0] = v->center[0];
        v->sum[s][1] = v->sum_n - s;
        v->low[s][0] = (int32_t)v->center[1];
    }
    v->entries[0] = v->x_n;
}
MPLAN_KERNEL_ANY(spread, SPREAD_ARGS, mplan_no_parameters)

#define BESIDE_ARGS(ARG)                         \
    ARG(MAPPED, out, cells_pair, 2, 1, f64, INC) \
    ARG(RAGGED, x, cells_nodes, 6, 2, f64, READ) \
    ARG(MAPPED_AS, end, x, cells_pair, 2, 2, f64, READ)
MPLAN_VIEWS_ANY(beside, BESIDE_ARGS)
MPLAN_FN void beside(beside_views *v, const mplan_no_parameters *p)
{
    double all = 0;
    (void)p;
    for (int s = 0; s < v->x_n; s++)
        all += v->x[s][0];
    v->out[0][0] = all + v->end[0][1];
    v->out[1][0] = v->x_n - v->end[1][0];
}
MPLAN_KERNEL_ANY(beside, BESIDE_ARGS, mplan_no_parameters)

/* Every element updates its points and writes one that is its own. */
#define UPDATE_ARGS(ARG)                           \
    ARG(RAGGED, count, cells_nodes, 6, 1, i32, RW) \
    ARG(MAPPED, own, cells_own, 1, 2, i32, WRITE)  \
    ARG(MAPPED, twice, cells_pair, 2, 1, i64, RW)
MPLAN_VIEWS_ANY(update, UPDATE_ARGS)
MPLAN_FN void update(update_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int s = 0; s < v->count_n; s++)
        v->count[s][0] += s + 1;
    v->own[0][0] = v->count_n;
    v->own[0][1] = -v->count_n;
    v->twice[0][0] += 1;
    v->twice[1][0] += 2;
}
MPLAN_KERNEL_ANY(update, UPDATE_ARGS, mplan_no_parameters)

typedef struct ragged_case {
    int64_t offsets[CELLS + 1];
    int32_t nodes[CELLS * MOST], pair[CELLS * 2], own[CELLS];
    double x[NODES * 2];
} ragged_case;

static void fill(ragged_case *in)
{
    uint64_t seed = 31;
    int64_t n = 0;
    for (int i = 0; i < NODES * 2; i++)
        in->x[i] = (double)support_random(&seed, 1000);
    for (int c = 0; c < CELLS; c++) {
        int length = c == 7 ? 0 : 2 + (int)support_random(&seed, MOST - 1);
        int32_t first = (int32_t)support_random(&seed, NODES - 3 * MOST);
        in->offsets[c] = n;
        for (int s = 0; s < length; s++)
            in->nodes[n++] = first += 1 + (int32_t)support_random(&seed, 2);
        in->pair[2 * c] = (int32_t)support_random(&seed, NODES - 1);
        in->pair[2 * c + 1] = in->pair[2 * c] + 1;
        in->own[c] = (c * 7) % CELLS; /* 7 and CELLS have no common divisor */
    }
    in->offsets[CELLS] = n;
}

static mplan_mesh *mesh_of(const ragged_case *in)
{
    mplan_mesh *mesh;
    mplan_error err;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", CELLS, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "nodes", NODES, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "owns", CELLS, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "cells_nodes", 0, 1, 0, in->offsets, in->nodes, NULL, &err),
                &err);
    assert_done(mplan_mesh_add_map(mesh, "cells_pair", 0, 1, 2, NULL, in->pair, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "cells_own", 0, 2, 1, NULL, in->own, NULL, &err), &err);
    return mesh;
}

/* Downloads a dat and compares its numbers. */
static void expect(mplan_exec *exec, const char *dat, int64_t n, int32_t dim, mplan_type type,
                   const void *due)
{
    static uint8_t found[CELLS * 2 * 8];
    mplan_error err;
    assert_done(mplan_exec_download(exec, dat, found, n, dim, type, &err), &err);
    if (memcmp(found, due, (size_t)n * (size_t)dim * mplan_type_size(type)))
        fail_msg("%s is wrong", dat);
}

static void check_spread(const ragged_case *in, mplan_exec *exec)
{
    static double sum[NODES * 2], center[CELLS * 2];
    static int32_t low[NODES];
    memset(sum, 0, sizeof sum), memset(center, 0, sizeof center), memset(low, 0, sizeof low);
    for (int c = 0; c < CELLS; c++) {
        const int32_t *row = in->nodes + in->offsets[c];
        const int n = (int)(in->offsets[c + 1] - in->offsets[c]);
        for (int s = 0; s < n; s++) {
            center[2 * c] += in->x[2 * row[s]];
            center[2 * c + 1] += in->x[2 * row[s] + 1] * (s + 1);
        }
        for (int s = 0; s < n; s++) {
            sum[2 * row[s]] += center[2 * c];
            sum[2 * row[s] + 1] += n - s;
            low[row[s]] = (int32_t)center[2 * c + 1] < low[row[s]] ? (int32_t)center[2 * c + 1]
                                                                   : low[row[s]];
        }
    }
    expect(exec, "sum", NODES, 2, MPLAN_TYPE_F64, sum);
    expect(exec, "center", CELLS, 2, MPLAN_TYPE_F64, center);
    expect(exec, "low", NODES, 1, MPLAN_TYPE_I32, low);
    expect(exec, "entries", 1, 1, MPLAN_TYPE_I64, &in->offsets[CELLS]);
}

static void check_beside(const ragged_case *in, mplan_exec *exec)
{
    static double out[NODES];
    memset(out, 0, sizeof out);
    for (int c = 0; c < CELLS; c++) {
        const int n = (int)(in->offsets[c + 1] - in->offsets[c]);
        const int32_t *pair = in->pair + 2 * c;
        out[pair[0]] += in->x[2 * pair[0] + 1];
        out[pair[1]] += n - in->x[2 * pair[1]];
        for (int s = 0; s < n; s++)
            out[pair[0]] += in->x[2 * in->nodes[in->offsets[c] + s]];
    }
    expect(exec, "out", NODES, 1, MPLAN_TYPE_F64, out);
}

static void check_update(const ragged_case *in, mplan_exec *exec)
{
    static int32_t count[NODES], own[CELLS * 2];
    static int64_t twice[NODES];
    memset(count, 0, sizeof count), memset(twice, 0, sizeof twice);
    for (int c = 0; c < CELLS; c++) {
        const int n = (int)(in->offsets[c + 1] - in->offsets[c]);
        for (int s = 0; s < n; s++)
            count[in->nodes[in->offsets[c] + s]] += s + 1;
        own[2 * in->own[c]] = n;
        own[2 * in->own[c] + 1] = -n;
        twice[in->pair[2 * c]] += 1;
        twice[in->pair[2 * c + 1]] += 2;
    }
    expect(exec, "count", NODES, 1, MPLAN_TYPE_I32, count);
    expect(exec, "own", CELLS, 2, MPLAN_TYPE_I32, own);
    expect(exec, "twice", NODES, 1, MPLAN_TYPE_I64, twice);
}

typedef void check_of_case(const ragged_case *in, mplan_exec *exec);

/* A plan of a kernel under n strategies, each by all executors of the host. */
static void run_all(const ragged_case *in, const mplan_kernel *kernel, int n,
                    const mplan_strategy *strategies, check_of_case *check)
{
    mplan_arg args[MPLAN_MAX_ARGS];
    mplan_loop loop;
    mplan_plan *plan;
    mplan_error err;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_mesh *mesh = mesh_of(in);
    assert_done(mplan_kernel_loop(kernel, "cells", args, &loop, &err), &err);
    options.block_size = 64;
    options.n_strategies = n;
    for (int s = 0; s < n; s++)
        options.strategies[s] = strategies[s];
    assert_done(mplan_plan_create(mesh, 1, &loop, &options, NULL, &plan, &err), &err);
    assert_done(mplan_plan_verify(plan, mesh, NULL, &err), &err);
    for (int32_t v = 0; v < n; v++)
        for (int e = MPLAN_EXECUTOR_SERIAL; e <= MPLAN_EXECUTOR_OPENMP; e++) {
            mplan_exec_options how = MPLAN_EXEC_OPTIONS_INIT;
            mplan_exec *exec;
            mplan_exec_loop *bound;
            how.executor = (mplan_executor)e;
            how.threads = 2;
            assert_done(mplan_exec_open(plan, &how, &exec, &err), &err);
            assert_done(mplan_exec_declare_all(exec, &err), &err);
            if (check != check_update)
                assert_done(mplan_exec_upload(exec, "x", in->x, NODES, 2, MPLAN_TYPE_F64, &err),
                            &err);
            assert_done(mplan_exec_bind(exec, kernel->name, v, kernel, &bound, &err), &err);
            assert_done(mplan_exec_launch(exec, bound, NULL, NULL, &err), &err);
            check(in, exec);
            mplan_exec_close(exec);
        }
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

static ragged_case in;

static void rows_of_different_lengths(void **state)
{
    static const mplan_strategy four[] = {MPLAN_STRATEGY_GLOBAL_COLOUR, MPLAN_STRATEGY_BLOCK_COLOUR,
                                          MPLAN_STRATEGY_TWO_STEP, MPLAN_STRATEGY_ATOMIC};
    static const mplan_strategy all[] = {MPLAN_STRATEGY_GLOBAL_COLOUR, MPLAN_STRATEGY_BLOCK_COLOUR,
                                         MPLAN_STRATEGY_TWO_STEP,      MPLAN_STRATEGY_ATOMIC,
                                         MPLAN_STRATEGY_BLOCK_GATHER,  MPLAN_STRATEGY_OWNER_GATHER};
    (void)state;
    run_all(&in, &spread_host, 4, four, check_spread);
    run_all(&in, &beside_host, 6, all, check_beside);
}

static void points_are_updated_by_colour(void **state)
{
    static const mplan_strategy colours[] = {MPLAN_STRATEGY_GLOBAL_COLOUR,
                                             MPLAN_STRATEGY_BLOCK_COLOUR};
    (void)state;
    run_all(&in, &update_host, 2, colours, check_update);
}

/* Rows that are longer than a kernel takes, kernels that take the map for another. */
static void refusals(void **state)
{
    (void)state;
    mplan_arg args[MPLAN_MAX_ARGS];
    mplan_loop loop;
    mplan_plan *plan;
    mplan_error err;
    mplan_exec *exec;
    mplan_exec_loop *bound;
    mplan_mesh *mesh = mesh_of(&in);
    assert_done(mplan_kernel_loop(&beside_host, "cells", args, &loop, &err), &err);
    assert_done(mplan_plan_create(mesh, 1, &loop, NULL, NULL, &plan, &err), &err);
    assert_done(mplan_exec_open(plan, NULL, &exec, &err), &err);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    mplan_kernel kernel = beside_host;
    mplan_kernel_arg own[3];
    memcpy(own, beside_host.args, sizeof own);
    kernel.args = own;
    own[1].arity = MOST - 1;
    assert_refused(mplan_exec_bind(exec, "beside", -1, &kernel, &bound, &err), MPLAN_ERR_UNSUPPORTED,
                   &err, "map cells_nodes has a row of 6 entries, the kernel takes 5");
    own[1].arity = MOST;
    own[1].ragged = false;
    assert_refused(mplan_exec_bind(exec, "beside", -1, &kernel, &bound, &err), MPLAN_ERR_ARGUMENT,
                   &err,
                   "goes through a map that has an arity in the kernel and is ragged in the plan");
    own[1].ragged = own[0].ragged = true;
    assert_refused(mplan_exec_bind(exec, "beside", -1, &kernel, &bound, &err), MPLAN_ERR_ARGUMENT,
                   &err,
                   "goes through a map that is ragged in the kernel and has an arity in the plan");
    mplan_exec_close(exec);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_different_lengths),
        cmocka_unit_test(points_are_updated_by_colour),
        cmocka_unit_test(refusals),
    };
    fill(&in);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
