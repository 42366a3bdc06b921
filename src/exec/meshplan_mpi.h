/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_mpi.h - the parts of a bundle on ranks of MPI (meshplan_ranks.h)
 *
 * Compiled with the caller's program by its own mpicc, so that meshplan needs no MPI and any MPI will do:
 *
 *   mplan_mpi mpi;
 *   mplan_transport transport;
 *   must(mplan_mpi_open(MPI_COMM_WORLD, &mpi, &transport, &err));
 *   must(mplan_exec_open_part(bundle, &transport, &options, NULL, &exec, &err));
 *   ...
 *   mplan_exec_close(exec);
 *   mplan_mpi_close(&mpi);
 *
 * All ranks of the communicator open and close together. Messages are sent by MPI_Isend of bytes, one for each
 * neighbouring rank and exchange, with a communicator of their own. On a CUDA executor messages go from device memory where
 * MPI says that it can (MPIX_Query_cuda_support) and a trial at open gets its bytes across; else through the host.
 * mplan_exec_exchanged says which. Ranks of one host need MPI only to set up with mplan_rank_options.direct. */
#ifndef MESHPLAN_MPI_H
#define MESHPLAN_MPI_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef OMPI_MAJOR_VERSION
#include <mpi-ext.h>
#endif

#include "meshplan_ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mplan_mpi {
    MPI_Comm comm;         /* of its own */
    MPI_Request *requests; /* of the exchange under way */
    int n, capacity;
} mplan_mpi;

/* Counts of MPI are int: larger messages are sent in pieces. */
#define MPLAN_MPI_PIECE (INT64_C(1) << 30)

static inline mplan_status mplan_mpi_failed(int code, const char *call, mplan_error *err)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (!err)
        return MPLAN_ERR_INTERNAL;
    MPI_Error_string(code, text, &length);
    err->status = MPLAN_ERR_INTERNAL;
    snprintf(err->text, sizeof err->text, "%s: %.*s", call, length, text);
    return MPLAN_ERR_INTERNAL;
}

/* Room for n requests more. */
static inline mplan_status mplan_mpi_reserve(mplan_mpi *mpi, int64_t n, mplan_error *err)
{
    if (mpi->n + n <= mpi->capacity)
        return MPLAN_OK;
    const int64_t capacity = 2 * (mpi->n + n);
    MPI_Request *grown = (MPI_Request *)realloc(mpi->requests, (size_t)capacity * sizeof *grown);
    if (!grown) {
        if (err) {
            err->status = MPLAN_ERR_MEMORY;
            snprintf(err->text, sizeof err->text, "no memory for %lld requests of MPI",
                     (long long)capacity);
        }
        return MPLAN_ERR_MEMORY;
    }
    mpi->requests = grown;
    mpi->capacity = (int)capacity;
    return MPLAN_OK;
}

/* Starts to send or receive all pieces of a message. */
static inline mplan_status mplan_mpi_start(mplan_mpi *mpi, const mplan_message *message, int sends,
                                           mplan_error *err)
{
    mplan_status status = mplan_mpi_reserve(mpi, message->bytes / MPLAN_MPI_PIECE + 1, err);
    for (int64_t at = 0; at < message->bytes && !status; at += MPLAN_MPI_PIECE) {
        const int64_t left = message->bytes - at;
        const int n = (int)(left < MPLAN_MPI_PIECE ? left : MPLAN_MPI_PIECE);
        char *data = (char *)message->data + at;
        MPI_Request *request = &mpi->requests[mpi->n++];
        const int code = sends ? MPI_Isend(data, n, MPI_BYTE, message->rank, 0, mpi->comm, request)
                               : MPI_Irecv(data, n, MPI_BYTE, message->rank, 0, mpi->comm, request);
        if (code != MPI_SUCCESS) {
            mpi->n--;
            status = mplan_mpi_failed(code, sends ? "MPI_Isend" : "MPI_Irecv", err);
        }
    }
    return status;
}

static inline mplan_status mplan_mpi_exchange(void *user, const mplan_message *in, int32_t n_in,
                                              const mplan_message *out, int32_t n_out, void *stream,
                                              void **request, mplan_error *err)
{
    mplan_mpi *mpi = (mplan_mpi *)user;
    mplan_status status = MPLAN_OK;
    (void)stream;
    *request = NULL;
    mpi->n = 0;
    for (int32_t i = 0; i < n_in && !status; i++)
        status = mplan_mpi_start(mpi, &in[i], 0, err);
    for (int32_t i = 0; i < n_out && !status; i++)
        status = mplan_mpi_start(mpi, &out[i], 1, err);
    return status;
}

static inline mplan_status mplan_mpi_wait(void *user, void *request, void *stream, mplan_error *err)
{
    mplan_mpi *mpi = (mplan_mpi *)user;
    (void)request, (void)stream;
    const int code = MPI_Waitall(mpi->n, mpi->requests, MPI_STATUSES_IGNORE);
    mpi->n = 0;
    return code == MPI_SUCCESS ? MPLAN_OK : mplan_mpi_failed(code, "MPI_Waitall", err);
}

static inline mplan_status mplan_mpi_all_gather(void *user, const void *mine, int64_t bytes,
                                                void *all, mplan_error *err)
{
    mplan_mpi *mpi = (mplan_mpi *)user;
    const int n = bytes <= MPLAN_MPI_PIECE ? (int)bytes : -1; /* -1: MPI refuses it */
    const int code = MPI_Allgather(mine, n, MPI_BYTE, all, n, MPI_BYTE, mpi->comm);
    return code == MPI_SUCCESS ? MPLAN_OK : mplan_mpi_failed(code, "MPI_Allgather", err);
}

/* Whether MPI says that it takes pointers to device memory. */
static inline uint32_t mplan_mpi_can(void)
{
#if defined MPIX_CUDA_AWARE_SUPPORT && MPIX_CUDA_AWARE_SUPPORT
    if (MPIX_Query_cuda_support())
        return MPLAN_TRANSPORT_DEVICE_POINTERS;
#endif
    return 0;
}

/* A transport over all ranks of a communicator. MPI must be initialised. mpi must live as long as executors use
 * the transport. */
static inline mplan_status mplan_mpi_open(MPI_Comm comm, mplan_mpi *mpi, mplan_transport *transport,
                                          mplan_error *err)
{
    int rank = 0, ranks = 1;
    mpi->requests = NULL;
    mpi->n = mpi->capacity = 0;
    int code = MPI_Comm_dup(comm, &mpi->comm);
    if (code != MPI_SUCCESS)
        return mplan_mpi_failed(code, "MPI_Comm_dup", err);
    MPI_Comm_set_errhandler(mpi->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(mpi->comm, &rank);
    MPI_Comm_size(mpi->comm, &ranks);
    transport->struct_size = sizeof *transport;
    transport->user = mpi;
    transport->name = "mpi";
    transport->rank = rank;
    transport->ranks = ranks;
    transport->can = mplan_mpi_can();
    transport->exchange = mplan_mpi_exchange;
    transport->wait = mplan_mpi_wait;
    transport->all_gather = mplan_mpi_all_gather;
    return MPLAN_OK;
}

/* Before MPI_Finalize. */
static inline void mplan_mpi_close(mplan_mpi *mpi)
{
    free(mpi->requests);
    MPI_Comm_free(&mpi->comm);
}

#ifdef __cplusplus
}
#endif

#endif
