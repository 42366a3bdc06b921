/* SPDX-License-Identifier: Apache-2.0 */
/* edge_flux.c - a loop over the faces of a mesh, planned and run: copy and change me
 *
 * Heat flows through every face from the warmer cell to the colder one. Step 2 of meshplan-tutorial(7). Host:
 *   cc edge_flux.c $(pkg-config --cflags --libs meshplan_exec meshplan) -lm -o edge_flux
 *   ./edge_flux square.msh
 * CUDA: compile edge_flux.cu too, by nvcc, and this file with -DWITH_CUDA. */
#include <meshplan_exec.h>

/* 1. The args of the loop: what a face reads and what it increments ... */
#define EDGE_FLUX_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(heat, faces_cells, 2, 1, f64, READ)   \
    DIRECT(area, 1, f64, READ)                   \
    OPPOSITE(change, faces_cells, 1, f64)
typedef struct edge_flux_parameters {
    double conductivity;
} edge_flux_parameters;
MPLAN_VIEWS(edge_flux, EDGE_FLUX_ARGS)

/* ... and what it computes; cell 0 gets the change, cell 1 its negative. */
MPLAN_FN void edge_flux(edge_flux_views *v, const edge_flux_parameters *p)
{
    v->change[0] = p->conductivity * v->area[0] * (v->heat[1][0] - v->heat[0][0]);
}
MPLAN_KERNEL(edge_flux, EDGE_FLUX_ARGS, edge_flux_parameters)

#ifndef MPLAN_DEVICE_FILE /* the rest is for the C compiler only */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

MPLAN_KERNEL_DECLARE(edge_flux)
#ifdef WITH_CUDA
#define EXECUTOR MPLAN_EXECUTOR_CUDA
#define KERNEL &edge_flux_device
#else
#define EXECUTOR MPLAN_EXECUTOR_OPENMP
#define KERNEL &edge_flux_host
#endif

static mplan_error err;
static void must(mplan_status status)
{
    if (status)
        exit((fprintf(stderr, "edge_flux: %s\n", err.text), 1));
}

int main(int argc, char **argv)
{
    /* 2. The mesh; its faces and their cells are derived as the plan needs them. */
    mplan_mesh *mesh;
    must(mplan_mesh_read(argc > 1 ? argv[1] : "square.msh", NULL, NULL, &mesh, &err));

    /* 3. The plan: the same args, by name. Instead of making it each time, write it
     * once (meshplan plan, mplan_plan_write) and read it here (mplan_plan_read). */
    const mplan_arg args[] = {
        {"heat", "faces_cells", MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
        {"area", NULL, MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
        {"change", "faces_cells", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    const mplan_loop loop = {"edge_flux", "faces", true, 1, 4, 3, args};
    mplan_plan *plan;
    must(mplan_plan_create(mesh, 1, &loop, NULL, NULL, &plan, &err));

    /* 4. Data in the mesh's order: the executor brings them into the plan's. */
    mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "faces_cells"));
    size_t n = (size_t)map.n_points;
    double *heat = calloc(3 * n, sizeof *heat), *change = heat + n, *expected = change + n;
    double *area = calloc((size_t)map.n_rows, sizeof *area);
    for (size_t i = 0; i < n; i++)
        heat[i] = (double)(i * 7919 % 1000) / 1000;
    for (int64_t i = 0; i < map.n_rows; i++)
        area[i] = 1 + (double)(i % 3);

    /* 5. Run it. */
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    options.executor = EXECUTOR;
    edge_flux_parameters parameters = {0.5};
    mplan_exec *exec;
    mplan_exec_loop *bound;
    must(mplan_exec_open(plan, &options, &exec, &err));
    must(mplan_exec_declare_all(exec, &err));
    must(mplan_exec_upload(exec, "heat", heat, map.n_points, 1, MPLAN_TYPE_F64, &err));
    must(mplan_exec_upload(exec, "area", area, map.n_rows, 1, MPLAN_TYPE_F64, &err));
    must(mplan_exec_bind(exec, "edge_flux", -1, KERNEL, &bound, &err));
    must(mplan_exec_launch(exec, bound, &parameters, NULL, &err));
    must(mplan_exec_download(exec, "change", change, map.n_points, 1, MPLAN_TYPE_F64, &err));

    /* 6. Check it against the loop as one would write it down. */
    double worst = 0;
    for (int64_t i = 0; i < map.n_rows; i++) {
        const int32_t *cell = map.values + 2 * i;
        double flux = 0.5 * area[i] * (heat[cell[1]] - heat[cell[0]]);
        expected[cell[0]] += flux;
        expected[cell[1]] -= flux;
    }
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, fabs(change[i] - expected[i]));
    printf("%lld faces, largest difference %.1e\n", (long long)map.n_rows, worst);
    mplan_exec_close(exec);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    return worst < 1e-12 ? 0 : 1;
}
#endif
