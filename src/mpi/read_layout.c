/* SPDX-License-Identifier: Apache-2.0 */
/* read_layout.c - where the numbers of a mesh are in its files: found by one rank, told to all
 *
 * Only mpi_layout_share is collective. */
#include "mpi/read_layout.h"

#include <stdio.h>

#include "base/error.h"
#include "mpi/exchange.h"

/* label: out; a name of a file, and of the array in it where there is one. */
void mpi_label_of(const mplan_places *layout, int32_t array, char label[MPI_LABEL])
{
    const mplan_places_array *a = mplan_places_get_array(layout, array);
    snprintf(label, MPI_LABEL, "%s%s%s", mplan_places_path_of(layout, a), a->member[0] ? ": " : "",
             a->member);
}

/* One list, from rank 0 to all.
 * Collective. The list is empty before on other ranks; after a failure it is empty on all of
 * them. Lists of more than 2^30 bytes go in pieces. */
static mplan_status share_list(MPI_Comm comm, int rank, mplan_vector *list, mplan_error *err)
{
    int64_t n = list->count;
    mpi_bcast(&n, 1, MPI_INT64_T, 0, comm);
    const bool room = rank == 0 || n == 0 || mplan_vector_reserve(list, n, err);
    mplan_status status = mpi_agree(comm, room ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    const int64_t bytes = n * (int64_t)list->size;
    for (int64_t at = 0; at < bytes && !status; at += MPI_PIECE)
        mpi_bcast((char *)list->data + at, (int)(bytes - at < MPI_PIECE ? bytes - at : MPI_PIECE),
                  MPI_BYTE, 0, comm);
    list->count = status ? 0 : n;
    return status;
}

mplan_status mpi_layout_ask(const mplan_places *layout, const mplan_context *context, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t p = 0; p < layout->paths.count && !status; p++)
        status = mplan_may_read(context, (const char *)layout->paths.data + p * MPLAN_PLACES_PATH,
                                err);
    return status;
}

/* status: of rank 0's search, MPLAN_OK on others. With a fault on any rank nothing is sent, and
 * all return it. Afterwards all ranks have equal lists and flags. */
mplan_status mpi_layout_share(MPI_Comm comm, mplan_status status, mplan_places *layout,
                              mplan_error *err)
{
    mplan_vector *const lists[] = {&layout->paths,  &layout->arrays, &layout->blocks,
                                   &layout->tables, &layout->points, &layout->sets,
                                   &layout->layers, &layout->groups};
    int rank;
    MPI_Comm_rank(comm, &rank);
    uint32_t flags = layout->flags;
    status = mpi_agree(comm, status, err);
    if (status)
        return status;
    mpi_bcast(&flags, 1, MPI_UINT32_T, 0, comm);
    layout->flags = flags;
    for (size_t i = 0; i < sizeof lists / sizeof *lists && !status; i++)
        status = share_list(comm, rank, lists[i], err);
    return status;
}
