/* SPDX-License-Identifier: Apache-2.0 */
/* edge_flux_mpi.c - the loop of edge_flux.c on ranks of MPI: copy and change me
 *
 * Heat flows through every face from the warmer cell to the colder one, in time steps. The plan is a bundle, made once for any number of
 * ranks up to that of its parts; faces and cells are numbered by the parts, and a rank owns one range of each.
 *   meshplan plan edge_flux_mpi.yaml --parts 8
 *   mpicc edge_flux_mpi.c $(pkg-config --cflags --libs meshplan_exec meshplan) -lm -o edge_flux_mpi
 *   mpirun -n 4 ./edge_flux_mpi square.mplans
 * At the end each rank compares its cells with a run of all parts in one process: they have the same bits. */
#include <meshplan_mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a face reads and what it increments, and what it computes: cell 0 gets the change, cell 1 its negative. */
#define EDGE_FLUX_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(heat, faces_cells, 2, 1, f64, READ)   \
    DIRECT(area, 1, f64, READ)                   \
    OPPOSITE(change, faces_cells, 1, f64)
typedef struct edge_flux_parameters {
    double conductivity;
} edge_flux_parameters;
MPLAN_VIEWS(edge_flux, EDGE_FLUX_ARGS)
MPLAN_FN void edge_flux(edge_flux_views *v, const edge_flux_parameters *p)
{
    v->change[0] = p->conductivity * v->area[0] * (v->heat[1][0] - v->heat[0][0]);
}
MPLAN_KERNEL(edge_flux, EDGE_FLUX_ARGS, edge_flux_parameters)

/* A cell takes its change. */
#define UPDATE_ARGS(ARG)          \
    ARG(DIRECT, heat, 1, f64, RW) \
    ARG(DIRECT, change, 1, f64, READ)
MPLAN_VIEWS_ANY(update, UPDATE_ARGS)
MPLAN_FN void update(update_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->heat[0] += v->change[0];
}
MPLAN_KERNEL_ANY(update, UPDATE_ARGS, mplan_no_parameters)

static mplan_error err;
static void must(mplan_status status)
{
    if (status) {
        fprintf(stderr, "edge_flux_mpi: %s\n", err.text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* Values of the members that are owned here, in the order of their parts: from the member's number in the mesh. */
static double *fill(mplan_exec *exec, const char *dat, const char *set, int64_t cycle)
{
    int64_t first, end;
    must(mplan_exec_own_range(exec, set, &first, &end, &err));
    int64_t n = end - first, *id = malloc((size_t)(n + 1) * sizeof *id);
    double *rows = malloc((size_t)(n + 1) * sizeof *rows);
    must(mplan_exec_own_ids(exec, set, id, n, &err));
    for (int64_t i = 0; i < n; i++)
        rows[i] = 1 + (double)(id[i] * 7919 % cycle) / (double)cycle;
    must(mplan_exec_upload_own(exec, dat, rows, n, 1, MPLAN_TYPE_F64, &err));
    free(id);
    return rows;
}

/* Twenty steps; the heat of the cells that are owned here, *first the number of the first and *n how many. */
static double *run(mplan_exec *exec, int64_t *first, int64_t *n)
{
    const edge_flux_parameters parameters = {0.1};
    mplan_exec_loop *flux, *step;
    int64_t end;
    must(mplan_exec_declare_all(exec, &err));
    free(fill(exec, "area", "faces", 3));
    double *heat = fill(exec, "heat", "cells", 1000);
    must(mplan_exec_bind(exec, "edge_flux", -1, &edge_flux_host, &flux, &err));
    must(mplan_exec_bind(exec, "update", -1, &update_host, &step, &err));
    for (int i = 0; i < 20; i++) {
        must(mplan_exec_clear(exec, "change", NULL, &err));
        must(mplan_exec_launch(exec, flux, &parameters, NULL,
                               &err)); /* brings the halo of heat up to date */
        must(mplan_exec_launch(exec, step, NULL, NULL, &err));
    }
    must(mplan_exec_own_range(exec, "cells", first, &end, &err));
    *n = end - *first;
    must(mplan_exec_download_own(exec, "heat", heat, *n, 1, MPLAN_TYPE_F64, &err));
    return heat;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    /* 1. The bundle: each rank reads its parts of it only. */
    mplan_bundle *bundle;
    must(mplan_bundle_open(argc > 1 ? argv[1] : "square.mplans", NULL, &bundle, &err));

    /* 2. The parts of this rank, over MPI. */
    mplan_mpi mpi;
    mplan_transport transport;
    mplan_exec *exec;
    int64_t first, n, none, all;
    must(mplan_mpi_open(MPI_COMM_WORLD, &mpi, &transport, &err));
    must(mplan_exec_open_part(bundle, &transport, NULL, NULL, &exec, &err));
    double *heat = run(exec, &first, &n);
    mplan_exchange_figures figures;
    must(mplan_exec_exchanged(exec, &figures, &err));

    /* 3. The same with all parts here. */
    mplan_exec *one;
    must(mplan_exec_open_part(bundle, NULL, NULL, NULL, &one, &err));
    double *expected = run(one, &none, &all);
    int same = memcmp(heat, expected + first, (size_t)n * sizeof *heat) == 0;
    double sum = 0;
    must(mplan_exec_reduce(exec, "heat", 0, MPLAN_SUM, &sum, &err)); /* the same on every rank */
    if (transport.rank == 0)
        printf("%lld cells on %d ranks, heat %.15g; %s: %lld messages from rank 0\n", (long long)all,
               (int)transport.ranks, sum, figures.transport, (long long)figures.messages);
    if (!same)
        fprintf(stderr, "rank %d has other bits than one rank\n", (int)transport.rank);
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);

    mplan_exec_close(one);
    mplan_exec_close(exec); /* before the transport */
    mplan_mpi_close(&mpi);
    mplan_bundle_free(bundle);
    free(heat);
    free(expected);
    MPI_Finalize();
    return same ? 0 : 1;
}
