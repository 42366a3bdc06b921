/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_layers.h - layers of the columns over the sets of a mesh that is spread over ranks
 *
 * What mesh/set_layers.c and parts/cut_weights.c do where one process has the whole mesh. Functions are collective but where
 * they say otherwise. */
#ifndef MPLAN_MPI_LAYERS_H
#define MPLAN_MPI_LAYERS_H

#include "mesh/mesh_checks.h"
#include "mpi/mpi_mesh.h"
#include "pipeline/mesh_facts.h"

/* Whether the columns over a set of planning have ranges or masks, which are those of the set of the mesh: a request has none of
 * its own where its mesh is spread. Not collective. */
static inline bool mpi_ranges_differ(const planning *p, int32_t s)
{
    return p->sets[s].layered && p->sets[s].layered->ranges;
}
static inline bool mpi_is_masked(const planning *p, int32_t s)
{
    return p->sets[s].layered && p->sets[s].layered->mask;
}
/* Of a member's mask. */
static inline size_t mpi_mask_bytes(const planning *p, int32_t s)
{
    return (size_t)mplan_mask_words(p->sets[s].layered->layers) * sizeof(uint32_t);
}

/* Gives the set these layers of its own members; the mesh takes over both arrays (mpi_set), each of which is NULL on all ranks
 * or on none, and zeroes bits of masks beside the ranges. Not collective. */
void mpi_layers_take(mpi_mesh *mesh, int32_t set, int32_t layers, int32_t *ranges, uint32_t *mask);
/* What requests ask of the columns over a set; zeros where they are all equally high. */
mplan_status mpi_layers_count(const mpi_mesh *mesh, int32_t set, mplan_layer_facts *facts,
                              mplan_error *err);
/* As mplan_mesh_spread_layers: layers of the set at one end of a map from those of the other. */
mplan_status mpi_layers_spread(mpi_mesh *mesh, int32_t map, mplan_layers_rule rule, mplan_error *err);
/* As mplan_parts_layer_weights: what members of this rank of the set that is cut weigh; *weights NULL where all columns are
 * equally high, else the caller's. cut, to_set, maps: as mplan_parts_cut_maps gives them. */
mplan_status mpi_layers_weights(const mpi_mesh *mesh, const planning *p, int32_t cut, bool to_set,
                                int32_t n_maps, const int32_t *maps, int64_t **weights,
                                mplan_error *err);

/* read_layers.c: the layers that a job says of sets, from files or by maps (mplan_job.layers). Tables in .npy files are read by
 * byte ranges, others by rank 0, which deals them out. Sets that the layers are of are derived where the mesh has none. */
mplan_status mpi_layers_of_job(mpi_mesh *mesh, const mplan_job *job, int32_t readers,
                               const mplan_context *context, mplan_error *err);

#endif
