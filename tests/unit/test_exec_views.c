/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec_views.c - one dat any number of times in a kernel, whose loop is made of its own args
 *
 * Slopes between cells and their neighbours, added to nodes: the own value directly, those of the neighbours through a map
 * of the cells to themselves, and again through another one. All strategies against plain loops. */
#include <math.h>
#include <stdlib.h>

#include "slopes_kernels.h"
#include "support_exec_frame.h"

enum { CELLS = 700, NODES = 400 };

typedef struct slopes_case {
    int32_t near[CELLS * 3], far[CELLS], nodes[CELLS * 2];
    double q[CELLS * 2], slope[CELLS], sum[NODES];
} slopes_case;

/* Whole numbers, so that sums do not depend on their order. */
static void fill(slopes_case *in, uint64_t *seed)
{
    for (int c = 0; c < CELLS; c++) {
        for (int s = 0; s < 3; s++)
            in->near[3 * c + s] = (int32_t)support_random(seed, CELLS);
        in->far[c] = (int32_t)support_random(seed, CELLS);
        for (int s = 0; s < 2; s++) {
            in->nodes[2 * c + s] = (int32_t)support_random(seed, NODES);
            in->q[2 * c + s] = (double)support_random(seed, 1000);
        }
    }
    for (int c = 0; c < CELLS; c++) {
        double total = in->q[2 * in->far[c] + 1];
        for (int s = 0; s < 3; s++)
            total += in->q[2 * in->near[3 * c + s]] - in->q[2 * c];
        in->slope[c] = total;
        in->sum[in->nodes[2 * c]] += total;
        in->sum[in->nodes[2 * c + 1]] += in->q[2 * c + 1] - 2 * total;
    }
}

static mplan_mesh *mesh_of(const slopes_case *in)
{
    const support_frame_set sets[] = {{"cells", CELLS}, {"nodes", NODES}};
    const support_frame_map maps[] = {{"cells_cells", 0, 0, 3, NULL, in->near},
                                      {"cells_others", 0, 0, 1, NULL, in->far},
                                      {"cells_nodes", 0, 1, 2, NULL, in->nodes}};
    return support_frame_mesh(2, sets, 3, maps);
}

static void run(const mplan_plan *plan, int32_t variant, mplan_executor executor, const void *user)
{
    const slopes_case *in = user;
    mplan_error err;
    mplan_exec *exec = support_frame_open(plan, executor);
    assert_done(mplan_exec_upload(exec, "q", in->q, CELLS, 2, MPLAN_TYPE_F64, &err), &err);
    support_frame_launch(exec, &slopes_host, variant);
    support_frame_expect(exec, "slope", CELLS, 1, MPLAN_TYPE_F64, in->slope);
    double sum[NODES];
    assert_done(mplan_exec_download(exec, "sum", sum, NODES, 1, MPLAN_TYPE_F64, &err), &err);
    for (int n = 0; n < NODES; n++)
        assert_true(sum[n] == in->sum[n]);
    mplan_exec_close(exec);
}

static void a_dat_comes_several_times(void **state)
{
    (void)state;
    static slopes_case in;
    uint64_t seed = 71;
    mplan_error err;
    mplan_arg args[MPLAN_MAX_ARGS];
    mplan_loop loop;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    fill(&in, &seed);
    mplan_mesh *mesh = mesh_of(&in);
    assert_done(mplan_kernel_loop(&slopes_host, "cells", args, &loop, &err), &err);
    assert_string_equal(loop.name, "slopes");
    assert_int_equal(loop.n_args, 6);
    assert_string_equal(loop.args[2].dat, "q");
    assert_string_equal(loop.args[2].map, "cells_others");
    assert_null(loop.args[0].map);
    options.block_size = 64;
    mplan_plan *plan = support_frame_plan(mesh, &slopes_host, false, &options);
    support_frame_everywhere(plan, MPLAN_N_STRATEGIES, run, &in);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* What the caller writes through a view is what loops and downloads find, in both layouts. */
static void data_belong_to_the_caller(void **state)
{
    (void)state;
    static slopes_case in;
    static double found[CELLS * 2];
    uint64_t seed = 72;
    mplan_error err;
    mplan_arg args[MPLAN_MAX_ARGS];
    mplan_loop loop;
    mplan_plan *plan;
    mplan_exec *exec;
    mplan_dat_view view;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.partitioner = MPLAN_PARTITIONER_NONE;
    fill(&in, &seed);
    mplan_mesh *mesh = mesh_of(&in);
    assert_done(mplan_kernel_loop(&slopes_host, "cells", args, &loop, &err), &err);
    assert_done(mplan_plan_create(mesh, 1, &loop, &options, NULL, &plan, &err), &err);
    const mplan_key key = {MPLAN_KIND_NEW_OF_OLD, (uint32_t)mplan_plan_find_set(plan, "cells"),
                           MPLAN_UNUSED,          MPLAN_UNUSED,
                           MPLAN_UNUSED,          MPLAN_UNUSED,
                           MPLAN_UNUSED,          MPLAN_UNUSED};
    const int32_t *new_of_old = mplan_plan_find_array(plan, &key)->data;
    for (int layout = MPLAN_LAYOUT_AOS; layout < MPLAN_N_LAYOUTS; layout++) {
        assert_done(mplan_exec_open(plan, NULL, &exec, &err), &err);
        assert_refused(mplan_exec_data(exec, "q", MPLAN_READ, &view, &err), MPLAN_ERR_ARGUMENT,
                       &err, "q");
        assert_done(mplan_exec_declare(exec, "q", "cells", 2, MPLAN_TYPE_F64, layout, &err), &err);
        assert_done(mplan_exec_data(exec, "q", MPLAN_WRITE, &view, &err), &err);
        assert_int_equal(view.layout, layout);
        assert_int_equal(view.type, MPLAN_TYPE_F64);
        assert_true(view.dim == 2 && view.rows == CELLS && view.storage_rows >= CELLS);
        assert_int_equal(view.level_stride, 0);
        for (int64_t c = 0; c < CELLS; c++)
            for (int64_t k = 0; k < 2; k++)
                ((double *)view.data)[new_of_old[c] * view.member_stride + k * view.component_stride] =
                    in.q[2 * c + k];
        assert_done(mplan_exec_download(exec, "q", found, CELLS, 2, MPLAN_TYPE_F64, &err), &err);
        assert_memory_equal(found, in.q, sizeof found);
        mplan_exec_close(exec);
    }
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_dat_comes_several_times),
                                       cmocka_unit_test(data_belong_to_the_caller)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
