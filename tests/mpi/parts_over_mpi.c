/* SPDX-License-Identifier: Apache-2.0 */
/* parts_over_mpi.c - parts on ranks of MPI against the same parts on one rank: equal bits
 *
 * Run by mpirun; every rank makes the same parts of a small mesh. Messages go over MPI, or by memory that the processes share.
 * At most 60 exchanges, as each takes milliseconds on a loaded machine. */
#include "meshplan_mpi.h"

#include "ranks_sleep.h"
#include "support_ring.h"

/* Messages between processes, and what the executor is to say of them. */
static const struct {
    int32_t direct;
    bool inside;
    const char *transport;
} ways[] = {
    {MPLAN_DIRECT_NEVER, false, "mpi, host memory"},
    {MPLAN_DIRECT_ALWAYS, false, "peer, stores into memory that processes share"},
    {MPLAN_DIRECT_IF_ALL_CAN, true, ", stores into memory that processes share"},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* Whether this rank has what one rank has. */
static bool compare(const mplan_mesh *mesh, const mplan_transport *transport, bool far, int way)
{
    static ring_result one, own;
    support_parts parts;
    mplan_rank_options ranks = MPLAN_RANK_OPTIONS_INIT;
    ring_parts(mesh, far, &parts);
    ranks.poison = true;
    ranks.patience = 1e6; /* however busy the machine is */
    mplan_exec *exec = support_parts_open(&parts, NULL, MPLAN_EXECUTOR_HOST, &ranks);
    ring_run(exec, &one);
    mplan_exec_close(exec);
    ranks.direct = ways[way].direct;
    ranks.inside = ways[way].inside;
    exec = support_parts_open(&parts, transport, MPLAN_EXECUTOR_HOST, &ranks);
    ring_run(exec, &own);
    mplan_exec_close(exec);
    const bool same = ring_is_same(&own, &one) &&
                      (transport->ranks == 1 || own.figures.messages > 0) &&
                      strstr(own.transport, ways[way].transport);
    if (!same)
        fprintf(stderr, "rank %d of %d: other bits than one rank (%s, %lld exchanges)\n",
                (int)transport->rank, (int)transport->ranks, own.transport,
                (long long)own.figures.exchanges);
    support_parts_free(&parts);
    return same;
}

int main(int argc, char **argv)
{
    mplan_mpi mpi;
    mplan_transport transport;
    MPI_Init(&argc, &argv);
    ring_must(mplan_mpi_open(MPI_COMM_WORLD, &mpi, &transport, &ring_err), "MPI");
    mplan_mesh *mesh = ring_mesh();
    int same = 1, all = 0;
    for (int way = 0; way < WAYS; way++)
        for (int far = 0; far < 2; far++)
            same = compare(mesh, &transport, far, way) && same;
    MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    mplan_mesh_free(mesh);
    mplan_mpi_close(&mpi);
    MPI_Finalize();
    return all ? 0 : 1;
}
