/* SPDX-License-Identifier: Apache-2.0 */
/* support_steps.c - a few loops over a small mesh, by the plainest code and by an executor */
#include "support_steps.h"

#include "support_test.h"

#include "exec/meshplan_kernel.h"
#include "mesh/mesh.h"

/* --- a step of four loops --------------------------------------------------------------- */

/* Faces write what they need of their cells, and add to them; cells move and are counted. */
#define SLOPE_ARGS(MAPPED, DIRECT, OPPOSITE)   \
    MAPPED(heat, faces_cells, 2, 2, f64, READ) \
    DIRECT(slope, 1, f64, WRITE)
MPLAN_VIEWS(parts_slope, SLOPE_ARGS)
MPLAN_FN void parts_slope(parts_slope_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->slope[0] = v->heat[1][0] - v->heat[0][0] + v->heat[0][1];
}
MPLAN_KERNEL(parts_slope, SLOPE_ARGS, mplan_no_parameters)

#define FLUX_ARGS(ARG)                                \
    ARG(MAPPED, weight, faces_nodes, 2, 1, f32, READ) \
    ARG(DIRECT, slope, 1, f64, READ)                  \
    ARG(OPPOSITE, change, faces_cells, 1, f64)        \
    ARG(DIRECT, runs, 1, i32, RW)                     \
    ARG(GLOBAL, flow, 1, f64, INC)
MPLAN_VIEWS_ANY(parts_flux, FLUX_ARGS)
MPLAN_FN void parts_flux(parts_flux_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->change[0] = v->slope[0] * (double)(v->weight[0][0] + v->weight[1][0]);
    v->flow[0] = v->slope[0];
    v->runs[0] += 1;
}
MPLAN_KERNEL_ANY(parts_flux, FLUX_ARGS, mplan_no_parameters)

#define STEP_ARGS(ARG)              \
    ARG(DIRECT, heat, 2, f64, RW)   \
    ARG(DIRECT, change, 1, f64, RW) \
    ARG(GLOBAL, least, 1, f64, MIN) \
    ARG(GLOBAL, sum, 2, f64, INC)
MPLAN_VIEWS_ANY(parts_step, STEP_ARGS)
MPLAN_FN void parts_step(parts_step_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->heat[0] += v->change[0];
    v->least[0] = v->heat[0];
    v->sum[0] = v->heat[0];
    v->sum[1] = v->heat[1];
    v->change[0] = 0;
}
MPLAN_KERNEL_ANY(parts_step, STEP_ARGS, mplan_no_parameters)

/* Nodes gather from cells, and cells from nodes: a dat that is summed is read at once by the next loop. */
#define SPREAD_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(load, cells_nodes, 4, 1, f64, INC) \
    DIRECT(heat, 2, f64, READ)
MPLAN_VIEWS(parts_spread, SPREAD_ARGS)
MPLAN_FN void parts_spread(parts_spread_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int s = 0; s < 4; s++)
        v->load[s][0] = v->heat[0] * (s + 1);
}
MPLAN_KERNEL(parts_spread, SPREAD_ARGS, mplan_no_parameters)

#define COLLECT_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(load, cells_nodes, 4, 1, f64, READ) \
    DIRECT(heat, 2, f64, RW)
MPLAN_VIEWS(parts_collect, COLLECT_ARGS)
MPLAN_FN void parts_collect(parts_collect_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->heat[1] = v->load[0][0] + v->load[1][0] - v->load[2][0] - v->load[3][0];
}
MPLAN_KERNEL(parts_collect, COLLECT_ARGS, mplan_no_parameters)

const mplan_kernel *const support_steps_kernels[N_LOOPS] = {
    &parts_slope_host, &parts_flux_host, &parts_step_host, &parts_spread_host, &parts_collect_host};
static const char *const over[N_LOOPS] = {"faces", "faces", "cells", "cells", "cells"};

/* --- the case ------------------------------------------------------------------------------- */

const steps_dat support_steps_dats[N_DATS] = {
    {"heat", "cells", 2, MPLAN_TYPE_F64},   {"slope", "faces", 1, MPLAN_TYPE_F64},
    {"weight", "nodes", 1, MPLAN_TYPE_F32}, {"change", "cells", 1, MPLAN_TYPE_F64},
    {"runs", "faces", 1, MPLAN_TYPE_I32},   {"load", "nodes", 1, MPLAN_TYPE_F64}};

int64_t support_steps_size(const mplan_mesh *mesh, int d)
{
    return mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, support_steps_dats[d].set)).size;
}

static size_t bytes_of(const mplan_mesh *mesh, int d)
{
    return (size_t)(support_steps_size(mesh, d) * support_steps_dats[d].dim) *
           mplan_type_size(support_steps_dats[d].type);
}

static void copy_result(const mplan_mesh *mesh, const steps_result *from, steps_result *to)
{
    *to = *from;
    for (int d = 0; d < N_DATS; d++) {
        to->rows[d] = malloc(bytes_of(mesh, d) + 1);
        memcpy(to->rows[d], from->rows[d], bytes_of(mesh, d));
    }
}

void support_steps_release(steps_result *r)
{
    for (int d = 0; d < N_DATS; d++)
        free(r->rows[d]);
}

/* A grid of cells; faces between two cells, others are left out. */
static mplan_mesh *make_mesh(int32_t nx, int32_t ny)
{
    mplan_error err;
    mplan_mesh *mesh;
    const int64_t cells = (int64_t)nx * ny, nodes = (int64_t)(nx + 1) * (ny + 1);
    int32_t *cells_nodes = malloc((size_t)cells * 16 + 4),
            *faces_cells = malloc((size_t)cells * 16 + 4);
    int32_t *faces_nodes = malloc((size_t)cells * 16 + 4), n = 0;
    for (int32_t y = 0; y < ny; y++)
        for (int32_t x = 0; x < nx; x++) {
            const int32_t c = y * nx + x, a = y * (nx + 1) + x;
            const int32_t corner[4] = {a, a + 1, a + nx + 2, a + nx + 1};
            memcpy(cells_nodes + 4 * c, corner, sizeof corner);
            for (int way = 0; way < 2; way++) {
                if (way ? y + 1 == ny : x + 1 == nx)
                    continue;
                faces_cells[2 * n] = c;
                faces_cells[2 * n + 1] = way ? c + nx : c + 1;
                faces_nodes[2 * n] = way ? corner[3] : corner[1];
                faces_nodes[2 * n++ + 1] = corner[2];
            }
        }
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "faces", n, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", cells, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "nodes", nodes, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "faces_cells", 0, 1, 2, NULL, faces_cells, NULL, &err),
                &err);
    assert_done(mplan_mesh_add_map(mesh, "faces_nodes", 0, 2, 2, NULL, faces_nodes, NULL, &err),
                &err);
    assert_done(mplan_mesh_add_map(mesh, "cells_nodes", 1, 2, 4, NULL, cells_nodes, NULL, &err),
                &err);
    free(cells_nodes);
    free(faces_cells);
    free(faces_nodes);
    return mesh;
}

/* Requests of the loops, and data: small whole numbers, or fractions. */
void support_steps_make(int32_t nx, int32_t ny, bool whole, support_steps *test)
{
    mplan_error err;
    uint64_t seed = 7;
    *test = (support_steps){.mesh = make_mesh(nx, ny)};
    for (int l = 0; l < N_LOOPS; l++)
        assert_done(mplan_kernel_loop(support_steps_kernels[l], over[l], test->args[l],
                                      &test->loops[l], &err),
                    &err);
    for (int d = 0; d < N_DATS; d++) {
        test->start.rows[d] = calloc(bytes_of(test->mesh, d) + 1, 1);
        for (int64_t i = 0; i < support_steps_size(test->mesh, d) * support_steps_dats[d].dim; i++) {
            const double value = whole ? (double)support_random(&seed, 5) - 2
                                       : (double)support_random(&seed, 1000) / 999;
            if (support_steps_dats[d].type == MPLAN_TYPE_F64)
                ((double *)(void *)test->start.rows[d])[i] = value;
            else if (support_steps_dats[d].type == MPLAN_TYPE_F32)
                ((float *)(void *)test->start.rows[d])[i] = (float)value;
        }
    }
}

void support_steps_free(support_steps *test)
{
    support_steps_release(&test->start);
    mplan_mesh_free(test->mesh);
}

/* Loops over the mesh as it is, by the kernels over its own maps. */
static void naive_loop(const support_steps *test, int l, steps_result *r)
{
    mplan_host_call call = {.mode = MPLAN_HOST_ADD};
    for (int32_t a = 0; a < test->loops[l].n_args; a++) {
        const mplan_arg *arg = &test->args[l][a];
        call.arg[a].member_stride = arg->dim;
        call.arg[a].component_stride = 1;
        for (int d = 0; d < N_DATS; d++)
            if (strcmp(support_steps_dats[d].name, arg->dat) == 0)
                call.arg[a].data = r->rows[d];
        if (strcmp(arg->dat, "flow") == 0)
            call.arg[a].data = &r->flow;
        else if (strcmp(arg->dat, "least") == 0)
            call.arg[a].data = &r->least;
        else if (strcmp(arg->dat, "sum") == 0)
            call.arg[a].data = r->sum;
        if (arg->map && strcmp(arg->map, MPLAN_GLOBAL) != 0)
            call.arg[a].rows =
                mplan_mesh_map(test->mesh, mplan_mesh_find_map(test->mesh, arg->map)).values;
    }
    support_steps_kernels[l]
        ->run(&call, 0, mplan_mesh_set(test->mesh, mplan_mesh_find_set(test->mesh, over[l])).size);
}

void support_steps_naive(const support_steps *test, steps_result *r)
{
    copy_result(test->mesh, &test->start, r);
    for (int i = 0; i < STEPS; i++) {
        r->least = 1e9;
        memset(r->rows[LOAD], 0, bytes_of(test->mesh, LOAD));
        for (int l = 0; l < N_LOOPS; l++)
            naive_loop(test, l, r);
    }
}

/* --- runs ------------------------------------------------------------------------------------- */

/* Steps from the start values; dats come back in the mesh's order. */
void support_steps_run(const support_steps *test, mplan_exec *exec, int32_t variant, steps_result *r)
{
    mplan_error err;
    mplan_exec_loop *bound[N_LOOPS];
    const double far = 1e9;
    copy_result(test->mesh, &test->start, r);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    for (int d = 0; d < N_DATS; d++)
        assert_done(mplan_exec_upload(exec, support_steps_dats[d].name, r->rows[d],
                                      support_steps_size(test->mesh, d), support_steps_dats[d].dim,
                                      support_steps_dats[d].type, &err),
                    &err);
    for (int l = 0; l < N_LOOPS; l++)
        assert_done(mplan_exec_bind(exec, support_steps_kernels[l]->name, variant,
                                    support_steps_kernels[l], &bound[l], &err),
                    &err);
    for (int i = 0; i < STEPS; i++) {
        assert_done(mplan_exec_set(exec, "least", &far, 1, MPLAN_TYPE_F64, NULL, &err), &err);
        assert_done(mplan_exec_clear(exec, "load", NULL, &err), &err);
        for (int l = 0; l < N_LOOPS; l++)
            assert_done(mplan_exec_launch(exec, bound[l], NULL, NULL, &err), &err);
    }
    for (int d = 0; d < N_DATS; d++)
        assert_done(mplan_exec_download(exec, support_steps_dats[d].name, r->rows[d],
                                        support_steps_size(test->mesh, d),
                                        support_steps_dats[d].dim, support_steps_dats[d].type, &err),
                    &err);
    assert_done(mplan_exec_download(exec, "flow", &r->flow, 1, 1, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_download(exec, "least", &r->least, 1, 1, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_download(exec, "sum", r->sum, 1, 2, MPLAN_TYPE_F64, &err), &err);
}

void support_steps_equal(const support_steps *test, const steps_result *a, const steps_result *b)
{
    for (int d = 0; d < N_DATS; d++)
        if (memcmp(a->rows[d], b->rows[d], bytes_of(test->mesh, d)) != 0)
            fail_msg("dat %s differs", support_steps_dats[d].name);
    assert_memory_equal(&a->flow, &b->flow, sizeof a->flow);
    assert_memory_equal(&a->least, &b->least, sizeof a->least);
    assert_memory_equal(a->sum, b->sum, sizeof a->sum);
}
