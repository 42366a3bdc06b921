/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_deal.c - a mesh of which rank 0 has all is dealt out: sets, maps, layers, groups, each rank its ranges
 *
 * Sets and maps have the same numbers, names and sizes on all ranks; what is of members goes to the ranks that have them. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/mesh_checks.h"
#include "mpi/exchange.h"
#include "mpi/mesh_parts.h"
#include "mpi/mpi_groups.h"

/* What the ranks are told of a set or a map before its numbers; its name follows (mpi_share_text).
 * The same bytes on every rank after a broadcast: all ranks run one program. */
typedef struct heading {
    int64_t size;
    int32_t dimension, from, to, arity, layers;
    bool derived, by_largest, types, ranges, mask;
} heading;

/* Rank 0 has items of `size` bytes for all, counts[r] for rank r; *out: the caller's.
 * Collective. Items lie by rank. counts is looked at on rank 0 only: others send nothing. *out
 * is left as it is after a failure. status: a fault of this rank before, which stops all. */
static mplan_status deal(const mpi_mesh *mesh, mplan_status status, size_t size, const void *items,
                         const int64_t *counts, void **out, mplan_error *err)
{
    mpi_items got;
    int64_t *none = status || mesh->rank == 0 ? NULL
                                              : mplan_alloc_zero(mesh->ranks, sizeof *none, err);
    if (!status && mesh->rank > 0 && !none)
        status = MPLAN_ERR_MEMORY;
    status = mpi_exchange(mesh->comm, status, size, items, none ? none : counts, &got, err);
    if (!status) {
        *out = got.data;
        got.data = NULL;
    }
    mpi_items_free(&got);
    free(none);
    return status;
}

/* Layers of columns, where the set has some. counts: members of each rank. Collective. */
static mplan_status deal_layers(const mpi_mesh *mesh, const mplan_mesh_set_data *serial,
                                const heading *about, const int64_t *counts, mpi_set *set,
                                mplan_error *err)
{
    const size_t words = (size_t)mplan_mask_words(about->layers);
    mplan_status status = MPLAN_OK;
    void *got = NULL;
    set->layers = about->layers;
    if (about->ranges) {
        status = deal(mesh, status, 2 * sizeof *set->ranges, serial ? serial->ranges : NULL, counts,
                      &got, err);
        set->ranges = status ? NULL : got;
    }
    if (!status && about->mask) {
        status = deal(mesh, status, words * sizeof *set->mask, serial ? serial->mask : NULL, counts,
                      &got, err);
        set->mask = status ? NULL : got;
    }
    return status;
}

/* Sets with coordinates, types and layers. counts: scratch, one a rank.
 * Collective. serial: NULL on all ranks but 0. The set gets the next number on every rank. Types
 * are dealt out with the set called cells, to which they belong. */
static mplan_status deal_set(mpi_mesh *mesh, const mplan_mesh *serial, int32_t s, int64_t *counts,
                             mplan_error *err)
{
    heading about = {.size = 0};
    if (serial) {
        const mplan_mesh_set_data *set = &serial->sets[s];
        about = (heading){.size = set->size,
                          .dimension = set->coordinates ? set->dimension : 0,
                          .derived = set->derived,
                          .by_largest = set->by_largest,
                          .types = serial->cell_type && strcmp(set->name, "cells") == 0,
                          .layers = set->layers,
                          .ranges = set->ranges != NULL,
                          .mask = set->mask != NULL};
    }
    mpi_bcast(&about, sizeof about, MPI_BYTE, 0, mesh->comm);
    int32_t made;
    char *name = NULL;
    mplan_status status = mpi_share_text(mesh->comm, serial ? serial->sets[s].name : NULL, &name,
                                         err);
    if (!status)
        status = mpi_mesh_add_set(mesh, name, about.size, &made, err);
    free(name);
    status = mpi_agree(mesh->comm, status, err);
    if (status)
        return status;
    mpi_set *set = &mesh->sets[made];
    set->derived = about.derived;
    set->by_largest = about.by_largest;
    for (int32_t r = 0; r < mesh->ranks; r++)
        counts[r] = set->first[r + 1] - set->first[r];
    void *got = NULL;
    if (about.dimension > 0) {
        status = deal(mesh, status, (size_t)about.dimension * sizeof(double),
                      serial ? serial->sets[s].coordinates : NULL, counts, &got, err);
        set->coordinates = got;
        set->dimension = status ? 0 : about.dimension;
    }
    if (!status && about.types) {
        status = deal(mesh, status, 1, serial ? serial->cell_type : NULL, counts, &got, err);
        set->cell_type = status ? NULL : got;
    }
    return status ? status
                  : deal_layers(mesh, serial ? &serial->sets[s] : NULL, &about, counts, set, err);
}

/* The rows of a ragged map: lengths become offsets. counts: in and out, rows and then entries of each rank.
 * Collective. first: of the from-set, ranks + 1. Only rank 0 learns the entries, as only it
 * sends them. *out: own rows + 1 offsets from 0, the caller's; NULL after a failure. */
static mplan_status deal_offsets(const mpi_mesh *mesh, const mplan_mesh *serial, int32_t m,
                                 const int64_t *first, int64_t *counts, int64_t **out,
                                 mplan_error *err)
{
    const int64_t *offsets = serial ? serial->maps[m].offsets : NULL;
    const int64_t n = first[mesh->ranks], own = first[mesh->rank + 1] - first[mesh->rank];
    int64_t *length = serial ? mplan_alloc(n, sizeof *length, err) : NULL;
    mplan_status status = serial && !length ? MPLAN_ERR_MEMORY : MPLAN_OK;
    for (int64_t i = 0; i < n && length; i++)
        length[i] = offsets[i + 1] - offsets[i];
    void *got = NULL;
    status = deal(mesh, status, sizeof *length, length, counts, &got, err);
    free(length);
    int64_t *made = status ? NULL : mplan_alloc(own + 1, sizeof *made, err);
    for (int64_t i = 0; i <= own && made; i++)
        made[i] = i == 0 ? 0 : made[i - 1] + ((int64_t *)got)[i - 1];
    free(got);
    for (int32_t r = 0; r < mesh->ranks && offsets; r++)
        counts[r] = offsets[first[r + 1]] - offsets[first[r]];
    *out = made;
    return status ? status : made ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Collective. Sets of the map are there by now. Values become 64 bits wide in a copy, on rank 0.
 * A rank's rows lie one behind the other in the serial map, which is why they can be sent as
 * they are. The arrays that a rank gets go to the mesh. serial: NULL on all ranks but 0. */
static mplan_status deal_map(mpi_mesh *mesh, const mplan_mesh *serial, int32_t m, int64_t *counts,
                             mplan_error *err)
{
    heading about = {.size = 0};
    if (serial) {
        const mplan_mesh_map_data *map = &serial->maps[m];
        about = (heading){
            .from = map->from, .to = map->to, .arity = map->arity, .derived = map->derived};
    }
    mpi_bcast(&about, sizeof about, MPI_BYTE, 0, mesh->comm);
    char *name = NULL;
    mplan_status status = mpi_share_text(mesh->comm, serial ? serial->maps[m].name : NULL, &name,
                                         err);
    if (status)
        return status;
    const int64_t *first = mesh->sets[about.from].first;
    int64_t *offsets = NULL, *wide = NULL, n = 0;
    for (int32_t r = 0; r < mesh->ranks; r++)
        counts[r] = first[r + 1] - first[r];
    if (about.arity == 0)
        status = deal_offsets(mesh, serial, m, first, counts, &offsets, err);
    for (int32_t r = 0; r < mesh->ranks && about.arity > 0; r++)
        counts[r] *= about.arity;
    for (int32_t r = 0; r < mesh->ranks && serial; r++)
        n += counts[r];
    if (!status && !(wide = mplan_alloc(n, sizeof *wide, err)))
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++)
        wide[i] = serial->maps[m].values[i];
    void *got = NULL;
    status = deal(mesh, status, sizeof *wide, wide, counts, &got, err);
    free(wide);
    if (status)
        free(offsets);
    else
        status = mpi_mesh_take_map(mesh, name, about.from, about.to, about.arity, offsets, got, err);
    free(name);
    status = mpi_agree(mesh->comm, status, err);
    if (!status)
        mesh->maps[mesh->n_maps - 1].derived = about.derived;
    return status;
}

/* Sets and maps are dealt out one by one, in their order, so that they keep their numbers. *mesh
 * is left as it is after a failure. */
mplan_status mpi_mesh_scatter(MPI_Comm comm, const mplan_mesh *serial, mpi_mesh **mesh,
                              mplan_error *err)
{
    assert(mesh);
    mpi_mesh *made = NULL;
    int32_t about[3] = {serial ? serial->n_sets : 0, serial ? serial->n_maps : 0,
                        serial ? serial->dimension : 0};
    mplan_status status = mpi_mesh_create(comm, &made, err);
    int64_t *counts = status ? NULL : mplan_alloc(made->ranks, sizeof *counts, err);
    if (!status && !counts)
        status = MPLAN_ERR_MEMORY;
    status = mpi_agree(comm, status, err);
    if (!status) {
        mpi_bcast(about, 3, MPI_INT32_T, 0, comm);
        made->dimension = about[2];
    }
    if (!status)
        status = mpi_share_text(comm, serial ? serial->zone : NULL, &made->zone, err);
    if (!status)
        status = mpi_share_text(comm, serial ? serial->faces_name : NULL, &made->faces, err);
    for (int32_t s = 0; s < about[0] && !status; s++)
        status = deal_set(made, serial, s, counts, err);
    for (int32_t m = 0; m < about[1] && !status; m++)
        status = deal_map(made, serial, m, counts, err);
    if (!status)
        status = mpi_groups_deal(made, serial, err);
    free(counts);
    if (status)
        mpi_mesh_free(made);
    else
        *mesh = made;
    return status;
}
