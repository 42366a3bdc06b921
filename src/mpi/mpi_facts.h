/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_facts.h - what planning asks of a mesh that is spread over ranks: its names, sizes and counts
 *
 * So a request is resolved on every rank alike, and choices that it leaves open come out as they do where one process has
 * the whole mesh. */
#ifndef MPLAN_MPI_FACTS_H
#define MPLAN_MPI_FACTS_H

#include "mpi/mesh_parts.h"
#include "pipeline/mesh_facts.h"

typedef struct mpi_facts {
    mplan_mesh_facts facts; /* for mplan_whole_open */
    mplan_mesh *head; /* sets and maps of the mesh by their names and numbers, without members */
    const mpi_mesh *mesh; /* stays where it is until the facts are closed */
    int64_t *sizes;
    mplan_map_facts *maps;
    mplan_layer_facts *layers; /* NULL until mpi_facts_layers */
    bool stopped; /* a question was not answered, as another rank had failed before it could ask the same */
} mpi_facts;

/* Collective; close it also after a failure. Open it again when a set or map was derived. */
mplan_status mpi_facts_open(const mpi_mesh *mesh, mpi_facts *out, mplan_error *err);
/* And what requests with layers ask of them. Collective. */
mplan_status mpi_facts_layers(mpi_facts *facts, mplan_error *err);
/* Facts that only all ranks find together are asked for by all of them or by none. So a rank that is through with what asks, also
 * by a failure, calls this, and stays until all are: those that still ask get MPLAN_ERR_MEMORY, and `stopped`. Collective. */
void mpi_facts_end(const mpi_facts *facts);
void mpi_facts_close(mpi_facts *facts); /* not collective */

#endif
