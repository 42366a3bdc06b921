/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec_ragged.c - maps whose rows have different lengths, and writes through maps under colours
 *
 * Cells of two to six nodes: what they read and add through their rows, under every strategy that may;
 * rows that are only read beside pairs that gather; updates of points, colour by colour. Whole numbers,
 * against plain loops. */
#include "ragged_kernels.h"
#include "support_exec_frame.h"

enum { CELLS = 800, NODES = 500, MOST = 6 };

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
    const support_frame_set sets[] = {{"cells", CELLS}, {"nodes", NODES}, {"owns", CELLS}};
    const support_frame_map maps[] = {{"cells_nodes", 0, 1, 0, in->offsets, in->nodes},
                                      {"cells_pair", 0, 1, 2, NULL, in->pair},
                                      {"cells_own", 0, 2, 1, NULL, in->own}};
    return support_frame_mesh(3, sets, 3, maps);
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
    support_frame_expect(exec, "sum", NODES, 2, MPLAN_TYPE_F64, sum);
    support_frame_expect(exec, "center", CELLS, 2, MPLAN_TYPE_F64, center);
    support_frame_expect(exec, "low", NODES, 1, MPLAN_TYPE_I32, low);
    support_frame_expect(exec, "entries", 1, 1, MPLAN_TYPE_I64, &in->offsets[CELLS]);
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
    support_frame_expect(exec, "out", NODES, 1, MPLAN_TYPE_F64, out);
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
    support_frame_expect(exec, "count", NODES, 1, MPLAN_TYPE_I32, count);
    support_frame_expect(exec, "own", CELLS, 2, MPLAN_TYPE_I32, own);
    support_frame_expect(exec, "twice", NODES, 1, MPLAN_TYPE_I64, twice);
}

typedef struct ragged_run {
    const ragged_case *in;
    const mplan_kernel *kernel;
    void (*check)(const ragged_case *in, mplan_exec *exec);
} ragged_run;

static void run(const mplan_plan *plan, int32_t variant, mplan_executor executor, const void *user)
{
    const ragged_run *of = user;
    mplan_error err;
    mplan_exec *exec = support_frame_open(plan, executor);
    if (of->check != check_update)
        assert_done(mplan_exec_upload(exec, "x", of->in->x, NODES, 2, MPLAN_TYPE_F64, &err), &err);
    support_frame_launch(exec, of->kernel, variant);
    of->check(of->in, exec);
    mplan_exec_close(exec);
}

/* A plan of a kernel under n strategies, each by all executors of the host. */
static void run_all(const ragged_run *of, int n, const mplan_strategy *strategies)
{
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_mesh *mesh = mesh_of(of->in);
    options.block_size = 64;
    options.n_strategies = n;
    for (int s = 0; s < n; s++)
        options.strategies[s] = strategies[s];
    mplan_plan *plan = support_frame_plan(mesh, of->kernel, false, &options);
    support_frame_everywhere(plan, n, run, of);
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
    run_all(&(ragged_run){&in, &spread_host, check_spread}, 4, four);
    run_all(&(ragged_run){&in, &beside_host, check_beside}, 6, all);
}

static void points_are_updated_by_colour(void **state)
{
    static const mplan_strategy colours[] = {MPLAN_STRATEGY_GLOBAL_COLOUR,
                                             MPLAN_STRATEGY_BLOCK_COLOUR};
    (void)state;
    run_all(&(ragged_run){&in, &update_host, check_update}, 2, colours);
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
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_mesh *mesh = mesh_of(&in);
    options.partitioner = MPLAN_PARTITIONER_NONE;
    assert_done(mplan_kernel_loop(&beside_host, "cells", args, &loop, &err), &err);
    assert_done(mplan_plan_create(mesh, 1, &loop, &options, NULL, &plan, &err), &err);
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
