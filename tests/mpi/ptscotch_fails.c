/* SPDX-License-Identifier: Apache-2.0 */
/* ptscotch_fails.c - PT-SCOTCH fails on one rank at some call: all ranks of the cut get the same fault, and none waits
 *
 * Linked with the library's functions wrapped: each does its work first, so that ranks meet in it, and then says that it failed. */
#include "mpi/mpi_read.h"
#include "over_ranks.h"

#include <ptscotch.h> /* after mpi.h, and what has its types */

static mplan_error err;

enum { INIT, BUILD, CONTEXT, BIND, STRATEGY, INDUCE, PART, N_FUNCTIONS };
/* The function that fails on this rank, at which of its calls; 0: at none. */
static int failing, at_call, n_calls[N_FUNCTIONS];

/* The answer of a call, which was `given`. */
static int answer(int function, int given)
{
    return ++n_calls[function] == at_call && function == failing ? 1 : given;
}

#define WRAP(function, name, parameters, arguments)              \
    int __real_SCOTCH_##name parameters; /* NOLINT */            \
    int __wrap_SCOTCH_##name parameters; /* NOLINT */            \
    int __wrap_SCOTCH_##name parameters                          \
    {                                                            \
        return answer(function, __real_SCOTCH_##name arguments); \
    }
WRAP(INIT, dgraphInit, (SCOTCH_Dgraph * graph, MPI_Comm comm), (graph, comm))
WRAP(BUILD, dgraphBuild,
     (SCOTCH_Dgraph * graph, SCOTCH_Num base, SCOTCH_Num n, SCOTCH_Num most, SCOTCH_Num *first,
      SCOTCH_Num *end, SCOTCH_Num *weight, SCOTCH_Num *label, SCOTCH_Num n_edges,
      SCOTCH_Num most_edges, SCOTCH_Num *neighbour, SCOTCH_Num *ghost, SCOTCH_Num *edge),
     (graph, base, n, most, first, end, weight, label, n_edges, most_edges, neighbour, ghost, edge))
WRAP(CONTEXT, contextInit, (SCOTCH_Context * context), (context))
WRAP(BIND, contextBindDgraph,
     (SCOTCH_Context * context, const SCOTCH_Dgraph *graph, SCOTCH_Dgraph *bound),
     (context, graph, bound))
WRAP(STRATEGY, stratDgraphMapBuild,
     (SCOTCH_Strat * strategy, SCOTCH_Num flags, SCOTCH_Num ranks, SCOTCH_Num parts, double imbalance),
     (strategy, flags, ranks, parts, imbalance))
WRAP(INDUCE, dgraphInducePart,
     (SCOTCH_Dgraph * graph, const SCOTCH_Num *part, SCOTCH_Num which, SCOTCH_Num n,
      SCOTCH_Dgraph *induced),
     (graph, part, which, n, induced))
WRAP(PART, dgraphPart,
     (SCOTCH_Dgraph * graph, SCOTCH_Num parts, SCOTCH_Strat *strategy, SCOTCH_Num *part),
     (graph, parts, strategy, part))

/* 2 x 2 parts: the fault of the rank where one happened on it, on all. Collective. */
static void cut(MPI_Comm comm, mplan_mesh *serial, int function, int call)
{
    const mpi_cut_options options = {
        .n_parts = 4, .nodes = 2, .imbalance = 1.1, .ptscotch = true, .cut_ranks = 3};
    mpi_mesh *mesh;
    int rank, ranks, own, fails;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    NEED_DONE(mpi_mesh_scatter(comm, rank == 0 ? serial : NULL, &mesh, &err), &err);
    const int32_t cells = mpi_mesh_find_set(mesh, "cells"),
                  map = mpi_mesh_find_map(mesh, "faces_cells");
    const int64_t n = mesh->sets[cells].first[mesh->rank + 1] - mesh->sets[cells].first[mesh->rank];
    int32_t *owner = malloc((size_t)(n + 1) * sizeof *owner);
    NEED(owner);
    memset(n_calls, 0, sizeof n_calls);
    failing = function;
    at_call = rank == (function + call) % ranks ? call : 0;
    mplan_error why = {MPLAN_OK, ""};
    const mplan_status status = mpi_cut(mesh, cells, 1, &map, &options, owner, &why);
    own = at_call > 0 && n_calls[function] >= call;
    MPI_Allreduce(&own, &fails, 1, MPI_INT, MPI_MAX, comm);
    NEED(status == (fails ? MPLAN_ERR_PARTITIONER : MPLAN_OK));
    NEED(!fails || strcmp(why.text, "PT-SCOTCH failed on 3 ranks") == 0);
    NEED(fails || call > 1); /* each of them is called at least once */
    for (int64_t i = 0; i < n && !status; i++)
        NEED(owner[i] >= 0 && owner[i] < 4);
    free(owner);
    mpi_mesh_free(mesh);
}

int main(int argc, char **argv)
{
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_mesh *mesh;
    MPI_Init(&argc, &argv);
    options.shape = MPLAN_SHAPE_TET;
    options.size[0] = options.size[1] = options.size[2] = 3;
    NEED_DONE(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    NEED_DONE(mplan_mesh_derive(mesh, "faces_cells", NULL, &err), &err);
    for (int function = 0; function < N_FUNCTIONS; function++)
        for (int call = 1; call <= 3; call++)
            cut(MPI_COMM_WORLD, mesh, function, call);
    mplan_mesh_free(mesh);
    MPI_Finalize();
    return 0;
}
