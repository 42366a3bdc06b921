/* SPDX-License-Identifier: Apache-2.0 */
/* read_layout.c - where the numbers of a mesh are in its files: listed by one rank, told to all
 *
 * All entries of the lists are structs of fixed size without pointers, which name each other by
 * index: so a layout is sent as bytes. Only mpi_layout_share is collective. */
#include "mpi/read_layout.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mpi/exchange.h"

/* A path that ends with 0; bytes behind are 0, too. */
typedef struct path_text {
    char text[MPI_PATH];
} path_text;

/* All lists are empty and all flags false. It takes no memory. */
void mpi_layout_begin(mpi_layout *layout)
{
    *layout = (mpi_layout){.paths = MPLAN_VECTOR_INIT(sizeof(path_text)),
                           .arrays = MPLAN_VECTOR_INIT(sizeof(mpi_array)),
                           .blocks = MPLAN_VECTOR_INIT(sizeof(mpi_block)),
                           .tables = MPLAN_VECTOR_INIT(sizeof(mpi_table)),
                           .points = MPLAN_VECTOR_INIT(sizeof(mpi_points)),
                           .sets = MPLAN_VECTOR_INIT(sizeof(mpi_known_set))};
}

/* Of a layout that was begun, also after a failure. Arrays that borrow from it are invalid
 * afterwards. */
void mpi_layout_free(mpi_layout *layout)
{
    free(layout->paths.data);
    free(layout->arrays.data);
    free(layout->blocks.data);
    free(layout->tables.data);
    free(layout->points.data);
    free(layout->sets.data);
}

/* The path is copied. Equal paths are not looked for. */
int32_t mpi_layout_add_path(mpi_layout *layout, const char *path, mplan_error *err)
{
    path_text added = {{0}};
    if (strlen(path) >= sizeof added.text) {
        mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "a path of more than %d bytes", MPI_PATH - 1);
        return -1;
    }
    memcpy(added.text, path, strlen(path));
    return mplan_vector_push(&layout->paths, &added, err) ? -1 : (int32_t)layout->paths.count - 1;
}

/* Products that fit into the file do not overflow on the way.
 * size: bytes of the file; array->size: bytes of a number, 1 and more. The array is copied.
 * *index is left as it is after a failure. */
mplan_status mpi_layout_add_array(mpi_layout *layout, const mpi_array *array, int64_t size,
                                  int32_t *index, mplan_error *err)
{
    const int64_t room = array->at >= 0 && array->at <= size ? size - array->at : -1;
    const int64_t rows = array->rows, cols = array->cols;
    if (rows < 0 || cols < 0 || room < 0 ||
        (rows > 0 && cols > 0 && (rows > room / array->size || cols > room / array->size / rows)))
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "%s: byte %lld: the file ends too early: %lld x %lld numbers of %d bytes%s%s "
                          "are to follow from byte %lld on",
                          mpi_layout_path(layout, array), (long long)size, (long long)rows,
                          (long long)cols, array->size, array->member[0] ? " of " : "",
                          array->member, (long long)array->at);
    mplan_status status = mplan_vector_push(&layout->arrays, array, err);
    if (!status)
        *index = (int32_t)layout->arrays.count - 1;
    return status;
}

/* Names are copied. Members are numbered from 0, and -1 means none: callers change base and
 * has_none where the file has it otherwise. Blocks that are added next are the table's. */
mplan_status mpi_layout_add_table(mpi_layout *layout, const char *name, const char *from,
                                  const char *to, mplan_error *err)
{
    mpi_table added = {.has_none = true, .offsets = -1, .block = (int32_t)layout->blocks.count};
    if (strlen(name) >= MPI_NAME || strlen(from) >= MPI_NAME || strlen(to) >= MPI_NAME)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "a name of more than %d bytes: %.40s...",
                          MPI_NAME - 1, name);
    memcpy(added.name, name, strlen(name));
    memcpy(added.from, from, strlen(from));
    memcpy(added.to, to, strlen(to));
    return mplan_vector_push(&layout->tables, &added, err);
}

/* order: as many numbers as cells of the type have nodes; without a type it is not looked at. As
 * the blocks of a table lie one behind the other, no other table may be begun between them. */
mplan_status mpi_layout_add_block(mpi_layout *layout, int32_t array, int32_t type,
                                  const int8_t *order, mplan_error *err)
{
    assert(layout->tables.count > 0);
    mpi_table *table = (mpi_table *)layout->tables.data + layout->tables.count - 1;
    mpi_block added = {.array = array, .type = type};
    for (int k = 0; k < MPI_ROW_NODES; k++)
        added.order[k] = (int8_t)k;
    const int32_t n = type >= 0 ? mplan_cell_type_nodes((mplan_cell_type)type) : 0;
    for (int k = 0; k < n && order; k++)
        added.order[k] = order[k];
    table->n_blocks++;
    return mplan_vector_push(&layout->blocks, &added, err);
}

/* label: out; a name of a file, and of the array in it where there is one. */
void mpi_array_label(const mpi_layout *layout, int32_t array, char label[MPI_PATH + MPI_NAME])
{
    const mpi_array *a = mpi_layout_array(layout, array);
    snprintf(label, MPI_PATH + MPI_NAME, "%s%s%s", mpi_layout_path(layout, a),
             a->member[0] ? ": " : "", a->member);
}

/* One list, from rank 0 to all.
 * Collective. The list is empty before on other ranks; after a failure it is empty on all of
 * them. Lists of more than 2^30 bytes go in pieces. */
static mplan_status share_list(MPI_Comm comm, int rank, mplan_vector *list, mplan_error *err)
{
    int64_t n = list->count;
    MPI_Bcast(&n, 1, MPI_INT64_T, 0, comm);
    const bool room = rank == 0 || n == 0 || mplan_vector_reserve(list, n, err);
    mplan_status status = mpi_agree(comm, room ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    const int64_t bytes = n * (int64_t)list->size;
    for (int64_t at = 0; at < bytes && !status; at += MPI_PIECE)
        MPI_Bcast((char *)list->data + at, (int)(bytes - at < MPI_PIECE ? bytes - at : MPI_PIECE),
                  MPI_BYTE, 0, comm);
    list->count = status ? 0 : n;
    return status;
}

/* status: of rank 0's search, MPLAN_OK on others. With a fault on any rank nothing is sent, and
 * all return it. Afterwards all ranks have equal lists and flags. */
mplan_status mpi_layout_share(MPI_Comm comm, mplan_status status, mpi_layout *layout, mplan_error *err)
{
    mplan_vector *const lists[] = {&layout->paths,  &layout->arrays, &layout->blocks,
                                   &layout->tables, &layout->points, &layout->sets};
    int rank;
    MPI_Comm_rank(comm, &rank);
    uint8_t flags[3] = {layout->numpy, layout->prisms, layout->op2};
    status = mpi_agree(comm, status, err);
    if (status)
        return status;
    MPI_Bcast(flags, 3, MPI_BYTE, 0, comm);
    layout->numpy = flags[0];
    layout->prisms = flags[1];
    layout->op2 = flags[2];
    for (size_t i = 0; i < sizeof lists / sizeof *lists && !status; i++)
        status = share_list(comm, rank, lists[i], err);
    return status;
}
