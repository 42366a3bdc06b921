/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_order.c - the order that the vertices of a cut are numbered by
 *
 * Along a Hilbert curve, so that neighbours are on one rank, mostly: a sample sort by 64-bit keys (each rank's
 * keys are sorted, some of them tell where the ranks' ranges begin). The order decides nothing about the cut but
 * ties, and is the same for any number of ranks: members are sorted by key and then by number, which no two share.
 * How many places each rank has does depend on the samples, and so on the ranks; only where vertices lie follows
 * from that. */
#include <assert.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/radix.h"
#include "mpi/mpi_centres.h"
#include "mpi/mpi_graph.h"
#include "order/order.h"

enum { SAMPLES = 64 }; /* of each rank */

/* A member and its place on the curve. member: number in the whole set. On the way back key is the place in the
 * order. */
typedef struct keyed {
    uint64_t key;
    int64_t member;
} keyed;

/* --- keys -------------------------------------------------------------------------------------- */

/* Keys of this rank's members. Collective: the box is that of all members, so that a key does not depend on who
 * has the member. Lowest and highest are the same in any order of comparing. coordinates: `dimension` numbers a
 * member; keys: out, n. */
static void find_keys(const mpi_mesh *mesh, int64_t n, int32_t dimension, const double *coordinates,
                      uint64_t *keys)
{
    double low[3], high[3];
    for (int32_t d = 0; d < 3; d++) {
        low[d] = DBL_MAX;
        high[d] = -DBL_MAX;
    }
    for (int64_t i = 0; i < n; i++)
        for (int32_t d = 0; d < dimension; d++) {
            const double x = coordinates[i * dimension + d];
            low[d] = x < low[d] ? x : low[d];
            high[d] = x > high[d] ? x : high[d];
        }
    mpi_allreduce(MPI_IN_PLACE, low, 3, MPI_DOUBLE, MPI_MIN, mesh->comm);
    mpi_allreduce(MPI_IN_PLACE, high, 3, MPI_DOUBLE, MPI_MAX, mesh->comm);
    mplan_hilbert_keys(n, dimension, coordinates, low, high, keys);
}

/* --- the sample sort ------------------------------------------------------------------------------ */

/* By key, then by number: no two are equal, so that qsort has one result. */
static int compare_keyed(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->member > y->member) - (x->member < y->member);
}

/* Sorts by key; equal keys stay in their order. Items of the sort are places in the list, of 32 bits: n must be
 * below 2^31 (mpi_cut sees to it). Not collective. */
static mplan_status sort_keyed(keyed *list, int64_t n, mplan_error *err)
{
    uint64_t *keys = mplan_alloc(n, sizeof *keys, err), *spare = mplan_alloc(n, sizeof *spare, err);
    /* members are copied out, as the sort moves keys and places only */
    int32_t *items = mplan_alloc(n, sizeof *items, err);
    int32_t *spare_items = mplan_alloc(n, sizeof *spare_items, err);
    int64_t *members = mplan_alloc(n, sizeof *members, err);
    const bool room = keys && spare && items && spare_items && members;
    if (room) {
        for (int64_t i = 0; i < n; i++) {
            keys[i] = list[i].key;
            items[i] = (int32_t)i;
            members[i] = list[i].member;
        }
        mplan_radix_sort_items(NULL, n, keys, items, spare, spare_items);
        for (int64_t i = 0; i < n; i++)
            list[i] = (keyed){keys[i], members[items[i]]};
    }
    free(keys);
    free(spare);
    free(items);
    free(spare_items);
    free(members);
    return room ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* counts: out, how many of the sorted list go to each rank: those below that rank's end, which samples of all
 * tell. Collective. list: n of this rank, sorted. Each rank gives SAMPLES of them at even distances, or all where
 * it has fewer; all ranks sort the same samples and so find the same ends. The last rank gets all that no other
 * has. */
static mplan_status share_out(const mpi_mesh *mesh, mplan_status status, const keyed *list,
                              int64_t n, int64_t *counts, mplan_error *err)
{
    keyed own[SAMPLES];
    mpi_items all = {0};
    const int64_t taken = n < SAMPLES ? n : SAMPLES;
    for (int64_t i = 0; i < taken && !status; i++)
        own[i] = list[n * i / taken];
    status = mpi_gather(mesh->comm, true, status, sizeof *own, own, taken, &all, err);
    if (!status) {
        const keyed *sample = all.data;
        qsort(all.data, (size_t)all.n, sizeof *own, compare_keyed);
        int64_t at = 0;
        for (int32_t r = 0; r < mesh->ranks; r++) {
            /* sample[end] is the first of the samples of the next rank */
            const int64_t end = all.n * (r + 1) / mesh->ranks, begin = at;
            while (at < n && (r == mesh->ranks - 1 ||
                              (end < all.n && compare_keyed(&list[at], &sample[end]) < 0)))
                at++;
            counts[r] = at - begin;
        }
    }
    mpi_items_free(&all);
    return status;
}

/* Tells the rank that each member is on where it is in the order. Collective. list: the n members that this rank
 * has after the sort, in their order; their keys are overwritten by places. position: out, by member of this rank
 * in the mesh. */
static mplan_status send_back(const mpi_mesh *mesh, mplan_status status, int32_t set, keyed *list,
                              int64_t n, const int64_t *first, int64_t *position, mplan_error *err)
{
    const int64_t *held = mesh->sets[set].first;
    mpi_items got = {0};
    int32_t *to = status ? NULL : mplan_alloc(n, sizeof *to, err);
    if (!status && !to)
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++) {
        to[i] = mpi_rank_of(held, mesh->ranks, list[i].member);
        list[i].key = (uint64_t)(first[mesh->rank] + i);
    }
    status = mpi_exchange_mixed(mesh->comm, status, sizeof *list, list, n, to, &got, err);
    /* each member of this rank comes back once, from the one rank that had it in the sort */
    for (int64_t i = 0; i < got.n && !status; i++) {
        const keyed *back = (const keyed *)got.data + i;
        position[back->member - held[mesh->rank]] = (int64_t)back->key;
    }
    mpi_items_free(&got);
    free(to);
    return status;
}

/* Sorts all members by their keys. Collective. keys: of the n members of this rank. position and first: out, as of
 * mpi_order_members. */
static mplan_status sort_members(const mpi_mesh *mesh, int32_t set, int64_t n, const uint64_t *keys,
                                 int64_t *position, int64_t *first, mplan_error *err)
{
    mpi_items got = {0};
    keyed *list = mplan_alloc(n, sizeof *list, err);
    int64_t *counts = mplan_alloc(mesh->ranks, sizeof *counts, err);
    mplan_status status = list && counts ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++)
        list[i] = (keyed){keys[i], mesh->sets[set].first[mesh->rank] + i};
    if (!status)
        status = sort_keyed(list, n, err);
    status = share_out(mesh, status, list, n, counts, err);
    if (!status)
        status = mpi_exchange(mesh->comm, status, sizeof *list, list, counts, &got, err);
    free(list);
    free(counts);
    if (!status) {
        /* the order goes on from rank to rank: each has got what lies between two ends */
        mpi_ranges_of(mesh->comm, got.n, first);
        /* equal keys come from ranks in ascending order, so that a stable sort leaves them by number */
        status = mpi_check_places(mesh->rank, got.n, 0, err);
        if (!status)
            status = sort_keyed(got.data, got.n, err);
        status = send_back(mesh, status, set, got.data, got.n, first, position, err);
    }
    mpi_items_free(&got);
    return status;
}

/* Without coordinates of two or three dimensions the order is that of the numbers, and each rank keeps its range:
 * nothing is sent, and all ranks take that way together. */
mplan_status mpi_order_members(const mpi_mesh *mesh, int32_t set, int64_t *position, int64_t *first,
                               mplan_error *err)
{
    assert(mesh && position && first);
    const mpi_set *of = &mesh->sets[set];
    /* a set without coordinates takes the means of the points that its rows name */
    const mpi_map *map = of->dimension ? NULL : mpi_map_to_coordinates(mesh, set);
    const int64_t n = mpi_own_members(mesh, set);
    const double *coordinates = of->coordinates;
    double *means = NULL;
    const int32_t dimension = map ? mesh->sets[map->to].dimension : of->dimension;
    if (dimension != 2 && dimension != 3) {
        for (int64_t i = 0; i < n; i++)
            position[i] = of->first[mesh->rank] + i;
        memcpy(first, of->first, (size_t)(mesh->ranks + 1) * sizeof *first);
        return MPLAN_OK;
    }
    mplan_status status = map ? mpi_means(mesh, map, dimension, mesh->sets[map->to].coordinates,
                                          &means, err)
                              : MPLAN_OK;
    uint64_t *keys = status ? NULL : mplan_alloc(n, sizeof *keys, err);
    if (!status && !keys)
        status = MPLAN_ERR_MEMORY;
    status = mpi_agree(mesh->comm, status, err);
    if (!status)
        find_keys(mesh, n, dimension, map ? means : coordinates, keys);
    free(means);
    if (!status)
        status = sort_members(mesh, set, n, keys, position, first, err);
    free(keys);
    return status;
}
