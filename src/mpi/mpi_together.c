/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_together.c - members that stay together, or weigh something, before they are cut
 *
 * A group becomes one vertex, at the place of its first member in the order of all members; so which rank has it, and the
 * parts, do not depend on the number of ranks. Functions are collective. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/mpi_graph.h"

/* Each value travels once to a rank, however often its number is there. */
mplan_status mpi_fetch_values(MPI_Comm comm, mplan_status status, const int64_t *first, int64_t n,
                              const int64_t *numbers, size_t size, const void *own, void *out,
                              mplan_error *err)
{
    mpi_links links = {0};
    int64_t *ids = NULL, n_ids = 0;
    char *values = NULL;
    if (!status)
        status = mpi_ids_of(numbers, n, 0, 0, &ids, &n_ids, err);
    if (!status && !(values = mplan_alloc(n_ids, size, err)))
        status = MPLAN_ERR_MEMORY;
    status = mpi_links_make(comm, status, first, n_ids, ids, &links, err);
    if (!status)
        status = mpi_links_fetch(&links, status, size, own, values, err);
    mpi_finder finder;
    mpi_finder_open(ids, status ? 0 : n_ids, &finder);
    for (int64_t i = 0; i < n && !status; i++)
        memcpy((char *)out + i * (int64_t)size,
               values + mpi_find(&finder, numbers[i]) * (int64_t)size, size);
    mpi_finder_close(&finder);
    mpi_links_free(&links);
    free(ids);
    free(values);
    return status;
}

/* --- groups --------------------------------------------------------------------------------------- */

/* What a member tells the rank that has its group, or its vertex. */
typedef struct told {
    int64_t number, value;
} told;

/* Sends a number and a value of each of n members to the rank whose range `first` has the number. */
static mplan_status tell(MPI_Comm comm, mplan_status status, const int64_t *first, int64_t n,
                         const int64_t *numbers, const int64_t *values, mpi_items *got,
                         mplan_error *err)
{
    int ranks;
    MPI_Comm_size(comm, &ranks);
    told *items = status ? NULL : mplan_alloc(n, sizeof *items, err);
    int32_t *to = status ? NULL : mplan_alloc(n, sizeof *to, err);
    if (!status && (!items || !to))
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++) {
        items[i] = (told){numbers[i], values ? values[i] : 1};
        to[i] = mpi_rank_of(first, ranks, numbers[i]);
    }
    status = mpi_exchange_mixed(comm, status, sizeof *items, items, n, to, got, err);
    free(items);
    free(to);
    return status;
}

/* The lowest place of each group that this rank has. least: from mplan_alloc, groups of this rank. */
static mplan_status find_least(MPI_Comm comm, const int64_t *of_groups, int64_t n,
                               const int64_t *group, const int64_t *position, int64_t **least,
                               mplan_error *err)
{
    int rank;
    mpi_items got = {0};
    MPI_Comm_rank(comm, &rank);
    const int64_t own = of_groups[rank + 1] - of_groups[rank];
    *least = mplan_alloc(own, sizeof **least, err);
    mplan_status status = tell(comm, *least ? MPLAN_OK : MPLAN_ERR_MEMORY, of_groups, n, group,
                               position, &got, err);
    for (int64_t g = 0; g < own && !status; g++)
        (*least)[g] = INT64_MAX;
    for (int64_t i = 0; i < got.n && !status; i++) {
        const told *t = (const told *)got.data + i;
        int64_t *at = &(*least)[t->number - of_groups[rank]];
        *at = t->value < *at ? t->value : *at;
    }
    mpi_items_free(&got);
    return status;
}

/* Places that are kept are numbered through, in their order. number: from mplan_alloc, of each old place of this rank its new
 * number, -1 for those that are not kept. first: in and out. */
static mplan_status number_kept(MPI_Comm comm, int64_t n_least, const int64_t *least,
                                int64_t *first, int64_t **number, mplan_error *err)
{
    int rank;
    mpi_items got = {0};
    MPI_Comm_rank(comm, &rank);
    const int64_t own = first[rank + 1] - first[rank];
    *number = mplan_alloc(own, sizeof **number, err);
    mplan_status status = tell(comm, *number ? MPLAN_OK : MPLAN_ERR_MEMORY, first, n_least, least,
                               NULL, &got, err);
    int64_t kept = 0;
    for (int64_t i = 0; i < own && !status; i++)
        (*number)[i] = -1;
    for (int64_t i = 0; i < got.n && !status; i++)
        (*number)[((const told *)got.data)[i].number - first[rank]] = 0;
    for (int64_t i = 0; i < own && !status; i++)
        kept += (*number)[i] == 0;
    mpi_items_free(&got);
    if (status)
        return status;
    const int64_t before = mpi_sum_before(comm, kept);
    for (int64_t i = 0, at = before; i < own; i++)
        (*number)[i] = (*number)[i] < 0 ? -1 : at++;
    return MPLAN_OK;
}

mplan_status mpi_together(MPI_Comm comm, int64_t n_groups, int64_t n, const int64_t *group,
                          int64_t *position, int64_t *first, mplan_error *err)
{
    assert(group && position && first && n_groups >= 1);
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int64_t *least = NULL, *number = NULL, *vertex = NULL;
    int64_t *of_groups = mplan_alloc(ranks + INT64_C(1), sizeof *of_groups, err);
    mplan_status status = mpi_agree(comm, of_groups ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    for (int32_t r = 0; r <= ranks && !status; r++)
        of_groups[r] = mpi_range_first(n_groups, ranks, r);
    const int64_t own = status ? 0 : of_groups[rank + 1] - of_groups[rank];
    if (!status)
        status = find_least(comm, of_groups, n, group, position, &least, err);
    if (!status)
        status = number_kept(comm, own, least, first, &number, err);
    if (!status) {
        vertex = mplan_alloc(own, sizeof *vertex, err);
        status = mpi_fetch_values(comm, vertex ? MPLAN_OK : MPLAN_ERR_MEMORY, first, own, least,
                                  sizeof *vertex, number, vertex, err);
    }
    if (!status)
        status = mpi_fetch_values(comm, status, of_groups, n, group, sizeof *position, vertex,
                                  position, err);
    if (!status) {
        int64_t kept = 0;
        for (int64_t i = 0; i < first[rank + 1] - first[rank]; i++)
            kept += number[i] >= 0;
        mpi_ranges_of(comm, kept, first);
    }
    free(of_groups);
    free(least);
    free(number);
    free(vertex);
    return status;
}

/* --- weights ------------------------------------------------------------------------------------- */

mplan_status mpi_graph_weigh(mpi_graph *graph, int64_t n, const int64_t *position,
                             const int64_t *weight, mplan_error *err)
{
    assert(graph && graph->first && position);
    mpi_items got = {0};
    mplan_status status = tell(graph->comm, MPLAN_OK, graph->first, n, position, weight, &got, err);
    if (!status)
        memset(graph->weight, 0, (size_t)graph->n * sizeof *graph->weight);
    for (int64_t i = 0; i < got.n && !status; i++) {
        const told *t = (const told *)got.data + i;
        graph->weight[t->number - graph->first[graph->rank]] += t->value;
    }
    mpi_items_free(&got);
    return status ? status
                  : mpi_graph_fetch(graph, status, sizeof *graph->weight, graph->weight, err);
}

int64_t mpi_graph_weight(const mpi_graph *graph, int64_t *heaviest)
{
    assert(graph && heaviest);
    int64_t own = 0, most = 0;
    for (int64_t v = 0; v < graph->n; v++) {
        own += graph->weight[v];
        most = graph->weight[v] > most ? graph->weight[v] : most;
    }
    *heaviest = mpi_most(graph->comm, most);
    return mpi_sum(graph->comm, own);
}
