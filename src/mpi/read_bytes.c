/* SPDX-License-Identifier: Apache-2.0 */
/* read_bytes.c - byte ranges of files, read by a few ranks of each node for all
 *
 * A parallel file system that is asked by thousands of ranks at once is slower than one that is asked by some hundred: at most
 * four ranks of a node read, by pread, and hand on what others of the node need. No MPI-IO, no locks, no hints. */
#include "mpi/read_bytes.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/exchange.h"

/* READERS: of a node, where nobody says how many; PIECE: bytes that one read takes at most. */
enum { TAG_BYTES = 74, READERS = 4 };
#define PIECE (INT64_C(8) << 20)

/* A group is a reader and the ranks that it reads for. Ranks of a node are numbered as in comm,
 * and a group has consecutive ones: their ranges of a file mostly follow each other. With fewer
 * ranks than readers each rank reads for itself. */
void mpi_readers_open(MPI_Comm comm, int32_t readers, int64_t piece, mpi_readers *out)
{
    assert(out && readers >= 0 && piece >= 0);
    MPI_Comm node;
    int rank, own, ranks;
    readers = readers > 0 ? readers : READERS;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &own);
    MPI_Comm_size(node, &ranks);
    const int64_t group = (int64_t)own * (ranks < readers ? ranks : readers) / ranks;
    *out = (mpi_readers){.comm = comm, .piece = piece > 0 && piece < MPI_PIECE ? piece : PIECE};
    MPI_Comm_split(node, (int)group, own, &out->group);
    MPI_Comm_free(&node);
}

void mpi_readers_close(mpi_readers *readers)
{
    MPI_Comm_free(&readers->group);
}

/* --- one process ---------------------------------------------------------------------------- */

/* *fd: -1 after a failure. Pipes and devices have no ranges. */
static mplan_status open_file(const char *path, int *fd, mplan_error *err)
{
    struct stat about;
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0)
        return mplan_fail_errno(err, MPLAN_ERR_NO_INPUT, path, errno);
    if (fstat(*fd, &about) == 0 && S_ISREG(about.st_mode))
        return MPLAN_OK;
    close(*fd);
    *fd = -1;
    return mplan_fail(err, MPLAN_ERR_NO_INPUT, "%s: only regular files can be read by ranges", path);
}

/* All bytes, or as many as the file has: *got. */
static mplan_status read_some(int fd, const char *path, int64_t at, int64_t bytes, char *out,
                              int64_t *got, mplan_error *err)
{
    *got = 0;
    while (*got < bytes) {
        const ssize_t n = pread(fd, out + *got, (size_t)(bytes - *got), (off_t)(at + *got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return mplan_fail_errno(err, MPLAN_ERR_IO, path, errno);
        if (n == 0)
            break;
        *got += n;
    }
    return MPLAN_OK;
}

/* All bytes or a fault, which tells the byte where the file ends. */
static mplan_status read_piece(int fd, const char *path, int64_t at, int64_t bytes, char *out,
                               mplan_error *err)
{
    int64_t got;
    mplan_status status = read_some(fd, path, at, bytes, out, &got, err);
    if (!status && got < bytes)
        status = mplan_fail(err, MPLAN_ERR_CORRUPT,
                            "%s: byte %lld: the file ends too early: bytes up to %lld are needed",
                            path, (long long)(at + got), (long long)(at + bytes));
    return status;
}

/* --- readers and those that they read for -------------------------------------------------------- */

/* What a rank wants.
 * A range of the file; 0 bytes: none. */
typedef struct wish {
    int64_t at, bytes;
} wish;

/* Reads the ranges of all ranks of the group, in their order, which is that of the file. On the
 * first rank of the group only. wishes: by rank of the group; own: room for its own range. A
 * rank waits for as many messages as its range has pieces: after a fault these are sent, too,
 * but empty. Memory besides `own` is one piece. */
static mplan_status serve(const mpi_readers *readers, const char *path, const wish *wishes,
                          int ranks, char *own, mplan_error *err)
{
    char *piece = mplan_alloc(readers->piece, 1, err), spare = 0;
    int fd = -1;
    mplan_status status = piece ? MPLAN_OK : MPLAN_ERR_MEMORY;
    bool needed = false;
    for (int r = 0; r < ranks; r++)
        needed = needed || wishes[r].bytes > 0;
    if (!status && needed)
        status = open_file(path, &fd, err);
    for (int64_t done = 0; done < wishes[0].bytes && !status; done += readers->piece) {
        const int64_t left = wishes[0].bytes - done;
        status = read_piece(fd, path, wishes[0].at + done,
                            left < readers->piece ? left : readers->piece, own + done, err);
    }
    for (int r = 1; r < ranks; r++)
        for (int64_t done = 0; done < wishes[r].bytes; done += readers->piece) {
            const int64_t left = wishes[r].bytes - done;
            const int64_t n = left < readers->piece ? left : readers->piece;
            if (!status)
                status = read_piece(fd, path, wishes[r].at + done, n, piece, err);
            /* an empty message tells of a fault without room for a piece, too */
            mpi_send(status ? &spare : piece, status ? 0 : (int)n, MPI_BYTE, r, TAG_BYTES,
                     readers->group);
        }
    if (fd >= 0)
        close(fd);
    free(piece);
    return status;
}

/* Collective over readers->comm, also for ranks that want 0 bytes. out: `bytes` of room;
 * undefined after a failure on any rank. The first agreement makes sure that all readers have
 * room for the wishes before anybody waits for them. */
mplan_status mpi_read_bytes(const mpi_readers *readers, mplan_status status, const char *path,
                            int64_t at, int64_t bytes, void *out, mplan_error *err)
{
    assert(readers && bytes >= 0 && at >= 0);
    int rank, ranks;
    MPI_Comm_rank(readers->group, &rank);
    MPI_Comm_size(readers->group, &ranks);
    const wish own = {at, bytes};
    wish *wishes = status || rank > 0 ? NULL : mplan_alloc(ranks, sizeof *wishes, err);
    if (!status && rank == 0 && !wishes)
        status = MPLAN_ERR_MEMORY;
    status = mpi_agree(readers->comm, status, err);
    if (status) {
        free(wishes);
        return status;
    }
    mpi_gather_at(&own, wishes, sizeof own, MPI_BYTE, 0, readers->group);
    if (rank == 0)
        status = serve(readers, path, wishes, ranks, out, err);
    for (int64_t done = 0; rank > 0 && done < bytes; done += readers->piece) {
        const int64_t left = bytes - done;
        mpi_recv((char *)out + done, (int)(left < readers->piece ? left : readers->piece), MPI_BYTE,
                 0, TAG_BYTES, readers->group, MPI_STATUS_IGNORE);
    }
    free(wishes);
    return mpi_agree(readers->comm, status, err);
}

/* --- views -------------------------------------------------------------------------------------- */

/* Address space only: a page that nobody loads takes no memory. Files are not mapped, as one that is cut while it is mapped ends
 * the process.
 * path is borrowed. One byte more than the file has, as an empty mapping is an error. */
mplan_status mpi_view_open(const char *path, mpi_view *view, mplan_error *err)
{
    struct stat about;
    *view = (mpi_view){.path = path, .fd = -1};
    mplan_status status = open_file(path, &view->fd, err);
    if (status)
        return status;
    if (fstat(view->fd, &about) != 0) {
        status = mplan_fail_errno(err, MPLAN_ERR_IO, path, errno);
    } else {
        view->size = about.st_size;
        void *data = mmap(NULL, (size_t)view->size + 1, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (data == MAP_FAILED)
            status = mplan_fail(err, MPLAN_ERR_MEMORY, "%s: no address space for %lld bytes", path,
                                (long long)view->size);
        else
            view->data = data;
    }
    if (status)
        mpi_view_close(view);
    return status;
}

/* What is loaded stays until the view is closed; a range may be loaded again. Bytes behind the
 * end of the file are left out without a fault. */
mplan_status mpi_view_load(mpi_view *view, int64_t at, int64_t bytes, mplan_error *err)
{
    int64_t got;
    if (at < 0 || at > view->size)
        at = view->size;
    if (bytes > view->size - at)
        bytes = view->size - at;
    return read_some(view->fd, view->path, at, bytes, (char *)view->data + at, &got, err);
}

/* Also of a view that could not be opened. Its pointers into the data are invalid afterwards. */
void mpi_view_close(mpi_view *view)
{
    if (view->data)
        munmap(view->data, (size_t)view->size + 1);
    if (view->fd >= 0)
        close(view->fd);
    *view = (mpi_view){.fd = -1};
}
