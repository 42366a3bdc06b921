/* SPDX-License-Identifier: Apache-2.0 */
/* patch_flux.c - a loop over a patch of the boundary, planned and run: copy and change me
 *
 * Heat flows into a square through its left side, a group of the mesh. Step 3 of meshplan-tutorial(7). Host:
 *   cc patch_flux.c $(pkg-config --cflags --libs meshplan_exec meshplan) -lm -o patch_flux
 *   ./patch_flux square.msh */
#include <meshplan_exec.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* 1. An edge of the patch reads the places of its two nodes and increments their heat. It also increments a
 * global: a number of no set, here the heat of all edges. */
#define PATCH_FLUX_ARGS(ARG)                      \
    ARG(MAPPED, x, left_nodes, 2, 2, f64, READ)   \
    ARG(MAPPED, heat, left_nodes, 2, 1, f64, INC) \
    ARG(GLOBAL, total, 1, f64, INC)
typedef struct patch_flux_parameters {
    double inflow; /* heat per length */
} patch_flux_parameters;
MPLAN_VIEWS_ANY(patch_flux, PATCH_FLUX_ARGS)
MPLAN_FN void patch_flux(patch_flux_views *v, const patch_flux_parameters *p)
{
    double length = hypot(v->x[1][0] - v->x[0][0], v->x[1][1] - v->x[0][1]);
    for (int k = 0; k < 2; k++)
        v->heat[k][0] = 0.5 * p->inflow * length;
    v->total[0] = p->inflow * length;
}
MPLAN_KERNEL_ANY(patch_flux, PATCH_FLUX_ARGS, patch_flux_parameters)

static mplan_error err;
static void must(mplan_status status)
{
    if (status)
        exit((fprintf(stderr, "patch_flux: %s\n", err.text), 1));
}

int main(int argc, char **argv)
{
    mplan_mesh *mesh;
    must(mplan_mesh_read(argc > 1 ? argv[1] : "square.msh", NULL, NULL, &mesh, &err));

    /* 2. The loop runs over the group `left`: its members become a set of the plan, left_nodes is a map of it. The
     * args are those of the kernel. */
    mplan_arg args[3];
    mplan_loop loop;
    mplan_plan *plan;
    must(mplan_kernel_loop(&patch_flux_host, "left", args, &loop, &err));
    must(mplan_plan_create(mesh, 1, &loop, NULL, NULL, &plan, &err));

    /* 3. Places of the nodes in the mesh's order; heat and total are zero at first. */
    int32_t dimension, nodes = mplan_mesh_find_set(mesh, "nodes");
    int64_t n = mplan_mesh_set(mesh, nodes).size;
    const double *place = mplan_mesh_coordinates(mesh, nodes, &dimension);
    double *x = calloc((size_t)(3 * n), sizeof *x), *heat = x + 2 * n, total = 0, sum = 0;
    for (int64_t i = 0; i < 2 * n; i++)
        x[i] = place[i / 2 * dimension + i % 2];

    /* 4. Run it. */
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    options.executor = MPLAN_EXECUTOR_OPENMP;
    patch_flux_parameters parameters = {3};
    mplan_exec *exec;
    mplan_exec_loop *bound;
    must(mplan_exec_open(plan, &options, &exec, &err));
    must(mplan_exec_declare_all(exec, &err));
    must(mplan_exec_upload(exec, "x", x, n, 2, MPLAN_TYPE_F64, &err));
    must(mplan_exec_bind(exec, "patch_flux", -1, &patch_flux_host, &bound, &err));
    must(mplan_exec_launch(exec, bound, &parameters, NULL, &err));
    must(mplan_exec_download(exec, "heat", heat, n, 1, MPLAN_TYPE_F64, &err));
    must(mplan_exec_download(exec, "total", &total, 1, 1, MPLAN_TYPE_F64, &err));

    /* 5. Check it: the side is 1 long, and all heat is in the nodes. */
    for (int64_t i = 0; i < n; i++)
        sum += heat[i];
    printf("heat %.6f through %lld edges, %.6f in the nodes\n", total,
           (long long)mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "left")).size, sum);
    bool right = fabs(total - 3) < 1e-12 && fabs(sum - 3) < 1e-12;
    free(x);
    mplan_exec_close(exec);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    return right ? 0 : 1;
}
