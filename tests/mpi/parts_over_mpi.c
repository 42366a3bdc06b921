/* SPDX-License-Identifier: Apache-2.0 */
/* parts_over_mpi.c - parts on ranks of MPI against the same parts on one rank: equal bits
 *
 * Run by mpirun; every rank makes the same parts of a small mesh. Numbers of ranks other than that of the parts, and
 * ranks without neighbours, are in it. At most 60 exchanges, as each takes milliseconds on a loaded machine. */
#include "meshplan_mpi.h"

#include "support_parts.h"
#include "support_test.h"

#include "mesh/mesh.h"

#define FLUX_ARGS(ARG)                           \
    ARG(MAPPED, q, links_cells, 2, 2, f64, READ) \
    ARG(OPPOSITE, r, links_cells, 1, f64)
MPLAN_VIEWS_ANY(mpi_flux, FLUX_ARGS)
MPLAN_FN void mpi_flux(mpi_flux_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->r[0] = 0.3 * (v->q[1][0] - v->q[0][0]) * v->q[0][1];
}
MPLAN_KERNEL_ANY(mpi_flux, FLUX_ARGS, mplan_no_parameters)

#define STEP_ARGS(ARG)         \
    ARG(DIRECT, q, 2, f64, RW) \
    ARG(DIRECT, r, 1, f64, RW) \
    ARG(GLOBAL, sum, 1, f64, INC)
MPLAN_VIEWS_ANY(mpi_step, STEP_ARGS)
MPLAN_FN void mpi_step(mpi_step_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->q[0] += v->r[0];
    v->sum[0] = v->q[0];
    v->r[0] = 0;
}
MPLAN_KERNEL_ANY(mpi_step, STEP_ARGS, mplan_no_parameters)

enum { CELLS = 90, PARTS = 7, STEPS = 8 };
static mplan_error err;

/* A ring of cells with far links: each cell's next, and the third behind it. */
static mplan_mesh *make_mesh(void)
{
    mplan_mesh *mesh;
    int32_t links[4 * CELLS];
    for (int32_t c = 0; c < CELLS; c++)
        for (int32_t k = 0; k < 2; k++) {
            links[4 * c + 2 * k] = c;
            links[4 * c + 2 * k + 1] = (c + (k ? 3 : 1)) % CELLS;
        }
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "links", 2 * CELLS, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", CELLS, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "links_cells", 0, 1, 2, NULL, links, NULL, &err), &err);
    return mesh;
}

/* Steps; the rank's rows of q in canonical order, their number and the sum. */
static int64_t run(mplan_exec *exec, int64_t *first, double *rows, double *sum)
{
    mplan_exec_loop *flux, *step;
    double start[2 * CELLS];
    int64_t end;
    for (int i = 0; i < 2 * CELLS; i++)
        start[i] = (i * 37 % 101) / 101.0;
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_done(mplan_exec_upload(exec, "q", start, CELLS, 2, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_bind(exec, "mpi_flux", 0, &mpi_flux_host, &flux, &err), &err);
    assert_done(mplan_exec_bind(exec, "mpi_step", 0, &mpi_step_host, &step, &err), &err);
    for (int i = 0; i < STEPS; i++) {
        assert_done(mplan_exec_launch(exec, flux, NULL, NULL, &err), &err);
        assert_done(mplan_exec_launch(exec, step, NULL, NULL, &err), &err);
    }
    assert_done(mplan_exec_own_range(exec, "cells", first, &end, &err), &err);
    assert_done(mplan_exec_download_own(exec, "q", rows, end - *first, 2, MPLAN_TYPE_F64, &err),
                &err);
    assert_done(mplan_exec_download(exec, "sum", sum, 1, 1, MPLAN_TYPE_F64, &err), &err);
    double reduced;
    assert_done(mplan_exec_reduce(exec, "q", 0, MPLAN_SUM, &reduced, &err), &err);
    sum[1] = reduced;
    return end - *first;
}

/* Whether this rank has what one rank has. far: of each pair of neighbouring cells, the part is another one. */
static bool compare(const mplan_mesh *mesh, const mplan_transport *transport, bool far)
{
    mplan_loop loops[2];
    mplan_arg args[2][MPLAN_MAX_ARGS];
    int32_t links[2 * CELLS], cells[CELLS], *part_of[2] = {links, cells};
    support_parts parts;
    mplan_rank_options ranks = MPLAN_RANK_OPTIONS_INIT;
    double one[2 * CELLS] = {0}, own[2 * CELLS] = {0}, sums[4];
    int64_t first, n;
    for (int32_t c = 0; c < CELLS; c++)
        links[2 * c] = links[2 * c + 1] = cells[c] = far ? c * 5 % PARTS : c * PARTS / CELLS;
    assert_done(mplan_kernel_loop(&mpi_flux_host, "links", args[0], &loops[0], &err), &err);
    assert_done(mplan_kernel_loop(&mpi_step_host, "cells", args[1], &loops[1], &err), &err);
    support_parts_make(mesh, 2, loops, PARTS, part_of, &parts);
    ranks.poison = true;
    mplan_exec *exec = support_parts_open(&parts, NULL, MPLAN_EXECUTOR_HOST, &ranks);
    run(exec, &first, one, sums);
    mplan_exec_close(exec);
    exec = support_parts_open(&parts, transport, MPLAN_EXECUTOR_HOST, &ranks);
    n = run(exec, &first, own, sums + 2);
    mplan_exchange_figures f;
    assert_done(mplan_exec_exchanged(exec, &f, &err), &err);
    bool same = memcmp(own, one + 2 * first, (size_t)n * 16) == 0 && memcmp(sums, sums + 2, 16) == 0;
    same = same && f.exchanges == STEPS && (transport->ranks == 1 || f.messages > 0) &&
           strcmp(f.transport, "mpi, host memory") == 0;
    if (!same)
        fprintf(stderr, "rank %d of %d: other bits than one rank (%s, %lld exchanges)\n",
                (int)transport->rank, (int)transport->ranks, f.transport, (long long)f.exchanges);
    mplan_exec_close(exec);
    support_parts_free(&parts);
    return same;
}

int main(int argc, char **argv)
{
    mplan_mpi mpi;
    mplan_transport transport;
    MPI_Init(&argc, &argv);
    assert_done(mplan_mpi_open(MPI_COMM_WORLD, &mpi, &transport, &err), &err);
    mplan_mesh *mesh = make_mesh();
    int same = compare(mesh, &transport, false) && compare(mesh, &transport, true), all = 0;
    MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    mplan_mesh_free(mesh);
    mplan_mpi_close(&mpi);
    MPI_Finalize();
    return all ? 0 : 1;
}
