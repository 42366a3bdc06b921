/* SPDX-License-Identifier: Apache-2.0 */
/* test_euler2d.c - euler2d's kernels where the answer is known, and meshes that it refuses */
#include "support_test.h"

#include <math.h>

#include "apps/app.h"
#include "apps/euler2d.h"

static mplan_error err;

static mplan_mesh *generated(mplan_shape shape, double jitter)
{
    mplan_generate_options wanted = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_mesh *mesh = NULL;
    wanted.shape = shape;
    wanted.size[0] = 9;
    wanted.size[1] = 7;
    wanted.jitter = jitter;
    assert_done(mplan_mesh_generate(&wanted, NULL, &mesh, &err), &err);
    assert_done(mplan_mesh_derive(mesh, "cells_cells", NULL, &err), &err);
    return mesh;
}

/* Mean of the corners: a point in each cell. */
static void fill_places(const mplan_mesh *mesh, double *place)
{
    mplan_map nodes = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    int32_t dimension;
    const double *x = mplan_mesh_coordinates(mesh, nodes.to, &dimension);
    for (int64_t c = 0; c < nodes.n_rows; c++)
        for (int d = 0; d < 2; d++) {
            place[2 * c + d] = 0;
            for (int32_t k = 0; k < nodes.arity; k++)
                place[2 * c + d] += x[(int64_t)nodes.values[c * nodes.arity + k] * dimension + d] /
                                    nodes.arity;
        }
}

/* Linear states have their own gradient, which nothing shortens, in cells with all neighbours; a cell that is higher
 * than all others has hardly any. */
static void gradients_are_those_of_linear_states(void **state)
{
    (void)state;
    static const double slope[4][2] = {{0.3, -0.1}, {0.05, 0.2}, {0, 0.1}, {-0.2, 0.4}};
    for (int shape = 0; shape < 2; shape++) {
        mplan_mesh *mesh = generated(shape ? MPLAN_SHAPE_TRI : MPLAN_SHAPE_QUAD, 0.2);
        const mplan_map around = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_cells"));
        double place[2 * 126], q[4 * 126], grad[8 * 126];
        const int64_t n = around.n_rows;
        int64_t inner = 0;
        assert_in_range(n, 1, 126);
        fill_places(mesh, place);
        for (int64_t c = 0; c < n; c++)
            for (int k = 0; k < 4; k++)
                q[4 * c + k] = 5 + slope[k][0] * place[2 * c] + slope[k][1] * place[2 * c + 1];
        const mplan_euler2d_parameters parameters = {.gm1 = 0.4};
        const mplan_kernel *kernel = around.arity == 3 ? &mplan_euler2d_gradient3_host
                                                       : &mplan_euler2d_gradient4_host;
        mplan_host_call call = {.parameters = &parameters, .mode = MPLAN_HOST_ADD};
        void *const data[] = {q, q, place, place, grad};
        for (int a = 0; a < 5; a++) {
            call.arg[a].data = data[a];
            call.arg[a].member_stride = kernel->args[a].dim;
            call.arg[a].component_stride = 1;
            call.arg[a].rows = a == 1 || a == 3 ? around.values : NULL;
        }
        for (int high = 0; high < 2; high++) {
            int64_t top = -1;
            for (int64_t c = 0; c < n && high && top < 0; c++) {
                bool whole = true;
                for (int32_t k = 0; k < around.arity; k++)
                    whole = whole && around.values[c * around.arity + k] >= 0;
                top = whole ? c : -1;
            }
            if (high)
                q[4 * top] = 50;
            kernel->run(&call, 0, n);
            if (high) {
                assert_true(fabs(grad[8 * top]) < 1 && fabs(grad[8 * top + 1]) < 1);
                continue;
            }
            for (int64_t c = 0; c < n; c++) {
                bool whole = true;
                for (int32_t k = 0; k < around.arity; k++)
                    whole = whole && around.values[c * around.arity + k] >= 0;
                inner += whole;
                for (int k = 0; k < 8 && whole; k++)
                    assert_true(fabs(grad[8 * c + k] - slope[k / 2][k % 2]) < 1e-12);
            }
        }
        assert_true(inner > n / 3);
        mplan_mesh_free(mesh);
    }
}

/* A loop over a group that overlaps another would count faces twice. */
static void overlapping_patches_are_refused(void **state)
{
    (void)state;
    static const int32_t some[] = {0, 1, 2}, more[] = {2, 3};
    for (int overlap = 0; overlap < 2; overlap++) {
        const mplan_app *app = mplan_app_find("euler2d");
        mplan_mesh *mesh = generated(MPLAN_SHAPE_TRI, 0);
        mplan_app_options how = MPLAN_APP_OPTIONS_INIT;
        mplan_app_result result;
        mplan_loop *loops;
        mplan_plan *plan;
        int32_t n_loops;
        assert_done(mplan_mesh_derive(mesh, "boundary_faces", NULL, &err), &err);
        const int32_t set = mplan_mesh_find_set(mesh, "boundary_faces");
        if (overlap) {
            assert_done(mplan_mesh_add_group(mesh, "ramp", 8, 1, set, 3, some, &err), &err);
            assert_done(mplan_mesh_add_group(mesh, "inlet", 9, 1, set, 2, more, &err), &err);
        }
        assert_done(mplan_app_prepare(app, mesh, NULL, &err), &err);
        assert_done(mplan_app_request(app, mesh, &loops, &n_loops, &err), &err);
        assert_done(mplan_plan_create(mesh, n_loops, loops, NULL, NULL, &plan, &err), &err);
        how.repeats = 0;
        mplan_status status = mplan_app_run(app, mesh, plan, &how, &result, &err);
        if (overlap)
            assert_refused(status, MPLAN_ERR_ARGUMENT, &err, "groups; it must be in one only");
        else
            assert_done(status, &err);
        mplan_plan_free(plan);
        mplan_app_request_free(loops, n_loops);
        mplan_mesh_free(mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_those_of_linear_states),
        cmocka_unit_test(overlapping_patches_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
