/* SPDX-License-Identifier: Apache-2.0 */
/* read_bytes.h - byte ranges of files, read by a few ranks of each node for all */
#ifndef MPLAN_MPI_READ_BYTES_H
#define MPLAN_MPI_READ_BYTES_H

#include <mpi.h>

#include "meshplan.h"

/* A rank that reads, and the ranks of its node that it reads for. */
typedef struct mpi_readers {
    MPI_Comm comm;                /* of all ranks */
    MPI_Comm group;               /* of those that have one reader, which is the first */
    int64_t piece;                /* bytes that are read at a time */
    const mplan_context *context; /* for warnings of rank 0; may be NULL */
} mpi_readers;

/* Collective, as all but the last function. readers: of a node, 0: 4; piece: 0: 8 MiB. */
void mpi_readers_open(MPI_Comm comm, int32_t readers, int64_t piece, mpi_readers *out);
void mpi_readers_close(mpi_readers *readers);

/* Every rank gets bytes [at, at + bytes) of the file, its own range each. MPLAN_ERR_CORRUPT, with the byte, where the file ends
 * before; what mplan_file_open returns where it cannot be read. A status of a rank before stops all. */
mplan_status mpi_read_bytes(const mpi_readers *readers, mplan_status status, const char *path,
                            int64_t at, int64_t bytes, void *out, mplan_error *err);

/* A file of which only some ranges are in memory, as the readers of headers see it: data has `size` bytes of address space,
 * all zero but what was loaded. */
typedef struct mpi_view {
    const char *path;
    uint8_t *data;
    int64_t size;
    int fd;
} mpi_view;
mplan_status mpi_view_open(const char *path, mpi_view *view, mplan_error *err);
/* Bytes [at, at + bytes), or as many of them as there are. */
mplan_status mpi_view_load(mpi_view *view, int64_t at, int64_t bytes, mplan_error *err);
void mpi_view_close(mpi_view *view);

#endif
