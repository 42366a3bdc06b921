/* SPDX-License-Identifier: Apache-2.0 */
/* heat.c - the heat equation on triangles, from a mesh file to a picture: step 4 of meshplan-tutorial(7)
 *
 * u_t = u_xx + u_yy, u held at the boundary, by linear finite elements with a lumped mass in explicit time steps. The
 * stiffness matrix is never stored: each triangle adds its part to its three nodes, which is the loop to plan. On the
 * unit square sin(pi x) sin(pi y) only shrinks, by exp(-2 pi^2 t): the program knows its error.
 *
 *   cc heat.c $(pkg-config --cflags --libs meshplan_exec meshplan) -lm -o heat
 *   meshplan generate tri 40x40 --jitter 0.2 --seed 1 -o square.msh       (or gmsh -2 square.geo -o square.msh)
 *   ./heat square.msh square.mplan heat.vtu
 *
 * CUDA: compile heat.cu too, by nvcc, and this file with -DWITH_CUDA. */
#include <meshplan_exec.h>

/* --- the loops, for C and CUDA alike ----------------------------------------------------------- */

typedef struct heat_parameters {
    double dt;
} heat_parameters;

/* Once: the lumped mass of a node and its entry on the diagonal of the stiffness matrix. With a and b along the edge
 * that faces node k, the gradient of its basis function is (-b, a) / (2 area). */
#define SHAPE_ARGS(MAPPED, DIRECT, OPPOSITE)  \
    MAPPED(x, cells_nodes, 3, 2, f64, READ)   \
    MAPPED(mass, cells_nodes, 3, 1, f64, INC) \
    MAPPED(diagonal, cells_nodes, 3, 1, f64, INC)
MPLAN_VIEWS(shape, SHAPE_ARGS)
MPLAN_FN void shape(shape_views *v, const heat_parameters *p)
{
    (void)p;
    double twice = (v->x[1][0] - v->x[0][0]) * (v->x[2][1] - v->x[0][1]) -
                   (v->x[2][0] - v->x[0][0]) *
                       (v->x[1][1] - v->x[0][1]); /* the area; negative: clockwise */
    double area = twice < 0 ? -0.5 * twice : 0.5 * twice;
    for (int k = 0; k < 3; k++) {
        const double *from = v->x[(k + 1) % 3], *to = v->x[(k + 2) % 3];
        double a = to[0] - from[0], b = to[1] - from[1];
        v->mass[k][0] = area / 3;
        v->diagonal[k][0] = (a * a + b * b) / (4 * area);
    }
}
MPLAN_KERNEL(shape, SHAPE_ARGS, heat_parameters)

/* Once: the time step that a node allows. Half of mass / diagonal keeps explicit steps stable, also by Gershgorin's
 * circles of triangles with an obtuse angle. Nodes that no triangle has allow any. */
#define ALLOWED_ARGS(MAPPED, DIRECT, OPPOSITE) \
    DIRECT(mass, 1, f64, READ)                 \
    DIRECT(diagonal, 1, f64, READ)             \
    DIRECT(allowed, 1, f64, WRITE)
MPLAN_VIEWS(allowed, ALLOWED_ARGS)
MPLAN_FN void allowed(allowed_views *v, const heat_parameters *p)
{
    (void)p;
    v->allowed[0] = v->diagonal[0] > 0 ? 0.5 * v->mass[0] / v->diagonal[0] : 1e30;
}
MPLAN_KERNEL(allowed, ALLOWED_ARGS, heat_parameters)

/* Each step: what a triangle gives to its nodes, minus the stiffness matrix times u. */
#define FLOW_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(x, cells_nodes, 3, 2, f64, READ) \
    MAPPED(u, cells_nodes, 3, 1, f64, READ) \
    MAPPED(change, cells_nodes, 3, 1, f64, INC)
MPLAN_VIEWS(flow, FLOW_ARGS)
MPLAN_FN void flow(flow_views *v, const heat_parameters *p)
{
    (void)p;
    double twice = (v->x[1][0] - v->x[0][0]) * (v->x[2][1] - v->x[0][1]) -
                   (v->x[2][0] - v->x[0][0]) * (v->x[1][1] - v->x[0][1]);
    double a[3], b[3], ga = 0, gb = 0; /* (-gb, ga) is the gradient times twice the area */
    for (int k = 0; k < 3; k++) {
        const double *from = v->x[(k + 1) % 3], *to = v->x[(k + 2) % 3];
        a[k] = to[0] - from[0];
        b[k] = to[1] - from[1];
        ga += v->u[k][0] * a[k];
        gb += v->u[k][0] * b[k];
    }
    double factor = -0.5 / (twice < 0 ? -twice : twice);
    for (int k = 0; k < 3; k++)
        v->change[k][0] = factor * (ga * a[k] + gb * b[k]);
}
MPLAN_KERNEL(flow, FLOW_ARGS, heat_parameters)

/* Each step: nodes that are free move, and what they were given is used up. */
#define ADVANCE_ARGS(MAPPED, DIRECT, OPPOSITE) \
    DIRECT(mass, 1, f64, READ)                 \
    DIRECT(inside, 1, f64, READ)               \
    DIRECT(change, 1, f64, RW)                 \
    DIRECT(u, 1, f64, RW)
MPLAN_VIEWS(advance, ADVANCE_ARGS)
MPLAN_FN void advance(advance_views *v, const heat_parameters *p)
{
    if (v->inside[0] > 0)
        v->u[0] += p->dt * v->change[0] / v->mass[0];
    v->change[0] = 0;
}
MPLAN_KERNEL(advance, ADVANCE_ARGS, heat_parameters)

#ifndef MPLAN_DEVICE_FILE /* the rest is only for the C compiler */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

MPLAN_KERNEL_DECLARE(shape)
MPLAN_KERNEL_DECLARE(allowed)
MPLAN_KERNEL_DECLARE(flow)
MPLAN_KERNEL_DECLARE(advance)
#ifdef WITH_CUDA
#define EXECUTOR MPLAN_EXECUTOR_CUDA
#define KERNEL(name) &name##_device
#else
#define EXECUTOR MPLAN_EXECUTOR_OPENMP
#define KERNEL(name) &name##_host
#endif

enum { SHAPE, ALLOWED, FLOW, ADVANCE, N_LOOPS };
static const mplan_kernel *const kernels[N_LOOPS] = {KERNEL(shape), KERNEL(allowed), KERNEL(flow),
                                                     KERNEL(advance)};
static const char *const over[N_LOOPS] = {"cells", "nodes", "cells", "nodes"};

static mplan_error err;
static void must(mplan_status status)
{
    if (status) {
        fprintf(stderr, "heat: %s\n", err.text);
        exit(EXIT_FAILURE);
    }
}
static void require(int holds, const char *sentence)
{
    if (!holds) {
        fprintf(stderr, "heat: %s\n", sentence);
        exit(EXIT_FAILURE);
    }
}

/* --- the plan ---------------------------------------------------------------------------------- */

/* Args of all loops for the planner: what the kernels say of themselves, so that it is written down once. */
static void describe(mplan_loop loops[N_LOOPS], mplan_arg args[N_LOOPS][MPLAN_MAX_ARGS])
{
    for (int l = 0; l < N_LOOPS; l++) {
        for (int32_t a = 0; a < kernels[l]->n_args; a++) {
            const mplan_kernel_arg *arg = &kernels[l]->args[a];
            args[l][a] = (mplan_arg){arg->dat,    arg->map[0] ? arg->map : NULL,
                                     arg->access, arg->dim,
                                     arg->type,   MPLAN_NONE_REFUSE};
        }
        loops[l] = (mplan_loop){
            .name = kernels[l]->name,
            .over = over[l],
            .primary = l == FLOW,
            .calls = l == FLOW || l == ADVANCE ? 1000 : 1, /* of a run: weighs the loops */
            .n_args = kernels[l]->n_args,
            .args = args[l]};
    }
}

/* The plan of the file, if that is for this mesh and these loops; else a new one, which is kept there. Where many runs
 * use one mesh, only the first one plans. */
static mplan_plan *plan_for(mplan_mesh *mesh, const char *path)
{
    mplan_loop loops[N_LOOPS];
    mplan_arg args[N_LOOPS][MPLAN_MAX_ARGS];
    describe(loops, args);
    mplan_plan *plan = NULL;
    mplan_status status = mplan_plan_read(path, NULL, &plan, &err);
    if (!status)
        status = mplan_plan_verify(plan, mesh, NULL, &err);
    if (!status)
        status = mplan_plan_compare_request(plan, mesh, N_LOOPS, loops, NULL, NULL, &err);
    if (!status)
        return plan;
    mplan_plan_free(plan);
    if (status == MPLAN_ERR_NO_INPUT)
        printf("a new plan is made\n");
    else
        printf("a new plan is made: %s\n", err.text);
    must(mplan_plan_create(mesh, N_LOOPS, loops, NULL, NULL, &plan, &err));
    must(mplan_plan_write(plan, path, NULL, NULL, NULL, &err));
    return plan;
}

/* --- the mesh ---------------------------------------------------------------------------------- */

typedef struct square {
    mplan_mesh *mesh;
    mplan_map nodes_of_cells; /* three of each triangle */
    int64_t n;                /* nodes */
    const double *x;          /* two numbers of each node */
} square;

static mplan_map map_of(const mplan_mesh *mesh, const char *name)
{
    int32_t map = mplan_mesh_find_map(mesh, name);
    require(map >= 0, "the mesh lacks a map that triangles have");
    return mplan_mesh_map(mesh, map);
}

static square read_square(const char *path)
{
    square s = {0};
    must(mplan_mesh_read(path, NULL, NULL, &s.mesh, &err));
    s.nodes_of_cells = map_of(s.mesh, "cells_nodes");
    s.n = s.nodes_of_cells.n_points;
    int32_t dimension = 0;
    s.x = mplan_mesh_coordinates(s.mesh, mplan_mesh_find_set(s.mesh, "nodes"), &dimension);
    require(s.nodes_of_cells.arity == 3 && s.x && dimension == 2,
            "the mesh must be triangles in the plane");
    return s;
}

/* 1 of nodes inside, 0 of those of boundary faces, which are derived. */
static double *mark_inside(const square *s)
{
    double *inside = malloc((size_t)s->n * sizeof *inside);
    require(inside != NULL, "out of memory");
    must(mplan_mesh_derive(s->mesh, "boundary_faces_nodes", NULL, &err));
    mplan_map ends = map_of(s->mesh, "boundary_faces_nodes");
    for (int64_t i = 0; i < s->n; i++)
        inside[i] = 1;
    for (int64_t i = 0; i < mplan_map_entries(&ends); i++)
        inside[ends.values[i]] = 0;
    return inside;
}

/* sin(pi x) sin(pi y) at time t; at 0 it is the start. */
static double exact(const double *x, double t)
{
    const double pi = 3.14159265358979323846;
    return exp(-2 * pi * pi * t) * sin(pi * x[0]) * sin(pi * x[1]);
}

/* For ParaView, as text. */
static void write_vtu(const char *path, const square *s, const double *u)
{
    FILE *f = fopen(path, "w");
    require(f != NULL, "the picture cannot be written");
    int64_t n_cells = s->nodes_of_cells.n_rows;
    fprintf(f,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\">\n<UnstructuredGrid>\n"
            "<Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n<Points>\n"
            "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n",
            (long long)s->n, (long long)n_cells);
    for (int64_t i = 0; i < s->n; i++)
        fprintf(f, "%.17g %.17g 0\n", s->x[2 * i], s->x[2 * i + 1]);
    fprintf(f,
            "</DataArray>\n</Points>\n<Cells>\n<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">\n");
    for (int64_t c = 0; c < n_cells; c++) {
        const int32_t *node = s->nodes_of_cells.values + 3 * c;
        fprintf(f, "%d %d %d\n", (int)node[0], (int)node[1], (int)node[2]);
    }
    fprintf(f, "</DataArray>\n<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">\n");
    for (int64_t c = 0; c < n_cells; c++)
        fprintf(f, "%lld\n", (long long)(3 * c + 3));
    fprintf(f, "</DataArray>\n<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">\n");
    for (int64_t c = 0; c < n_cells; c++)
        fprintf(f, "5\n"); /* a triangle */
    fprintf(f, "</DataArray>\n</Cells>\n<PointData Scalars=\"u\">\n"
               "<DataArray type=\"Float64\" Name=\"u\" format=\"ascii\">\n");
    for (int64_t i = 0; i < s->n; i++)
        fprintf(f, "%.17g\n", u[i]);
    fprintf(f, "</DataArray>\n</PointData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
    int lost = ferror(f);
    require(fclose(f) == 0 && !lost, "the picture was not written");
}

/* --- the run ----------------------------------------------------------------------------------- */

/* Data go in and come out in the mesh's order; in between they lie in the plan's. */
static void upload(mplan_exec *exec, const char *dat, const double *rows, int64_t n, int32_t dim)
{
    must(mplan_exec_upload(exec, dat, rows, n, dim, MPLAN_TYPE_F64, &err));
}

static mplan_exec *open_executor(const mplan_plan *plan, mplan_exec_loop *loops[N_LOOPS])
{
    mplan_exec *exec;
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    options.executor = EXECUTOR;
    must(mplan_exec_open(plan, &options, &exec, &err));
    must(mplan_exec_declare_all(exec, &err));
    for (int l = 0; l < N_LOOPS; l++)
        must(mplan_exec_bind(exec, kernels[l]->name, -1, kernels[l], &loops[l], &err));
    return exec;
}

/* Steps of equal length that end at `end`, none longer than the smallest that a node allows. */
static int64_t run(mplan_exec *exec, mplan_exec_loop *const loops[N_LOOPS], double end)
{
    heat_parameters p = {0};
    double most;
    must(mplan_exec_launch(exec, loops[SHAPE], &p, NULL, &err));
    must(mplan_exec_launch(exec, loops[ALLOWED], &p, NULL, &err));
    must(mplan_exec_reduce(exec, "allowed", 0, MPLAN_MIN, &most, &err));
    int64_t steps = (int64_t)ceil(end / most);
    p.dt = end / (double)steps;
    for (int64_t i = 0; i < steps; i++) {
        must(mplan_exec_launch(exec, loops[FLOW], &p, NULL, &err));
        must(mplan_exec_launch(exec, loops[ADVANCE], &p, NULL, &err));
    }
    must(mplan_exec_wait(exec, &err));
    return steps;
}

int main(int argc, char **argv)
{
    const double end = 0.05;
    require(argc == 4, "usage: heat MESH PLAN PICTURE.vtu");
    square s = read_square(argv[1]);
    mplan_plan *plan = plan_for(s.mesh, argv[2]);
    double *u = malloc((size_t)s.n * sizeof *u), *inside = mark_inside(&s);
    require(u != NULL, "out of memory");
    for (int64_t i = 0; i < s.n; i++)
        u[i] = exact(s.x + 2 * i, 0);

    mplan_exec_loop *loops[N_LOOPS];
    mplan_exec *exec = open_executor(plan, loops);
    upload(exec, "x", s.x, s.n, 2);
    upload(exec, "u", u, s.n, 1);
    upload(exec, "inside", inside, s.n, 1);
    int64_t steps = run(exec, loops, end);
    must(mplan_exec_download(exec, "u", u, s.n, 1, MPLAN_TYPE_F64, &err));

    double worst = 0;
    for (int64_t i = 0; i < s.n; i++)
        worst = fmax(worst, fabs(u[i] - exact(s.x + 2 * i, end)));
    printf("%lld triangles, %lld steps to t = %g: largest error %.2e\n",
           (long long)s.nodes_of_cells.n_rows, (long long)steps, end, worst);
    write_vtu(argv[3], &s, u);
    mplan_exec_close(exec);
    mplan_plan_free(plan);
    mplan_mesh_free(s.mesh);
    free(u);
    free(inside);
    return EXIT_SUCCESS;
}
#endif
