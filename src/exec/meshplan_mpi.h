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
 * mplan_exec_exchanged says which. Ranks of one host need MPI only to set up with mplan_rank_options.direct.
 *
 * A rank that fails sends a word to each other (mplan_transport.tell), for which all have asked beforehand, in a communicator of its own: who
 * waits for messages waits for such a word, too. Gathers are messages between pairs of ranks, since one that all ranks of MPI have begun
 * cannot be given up. After a word the transport is of no use on any rank; close it, and open another. */
#ifndef MESHPLAN_MPI_H
#define MESHPLAN_MPI_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef OMPI_MAJOR_VERSION
#include <mpi-ext.h>
#endif

#include "meshplan_ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Requests that are waited for together: those of messages that are received come first. */
typedef struct mplan_mpi_list {
    MPI_Request *requests; /* room for `capacity`, and for one more: that of the word */
    int *done;             /* as many */
    int n, receives, capacity;
} mplan_mpi_list;

/* What a rank that fails sends to all others. */
typedef struct mplan_mpi_word {
    int32_t rank, status;
    char text[504];
} mplan_mpi_word;

typedef struct mplan_mpi {
    MPI_Comm comm, words; /* of its own: messages, and words of ranks that failed */
    int rank, ranks;
    mplan_mpi_list exchange, gather; /* under way: a gather may be while an exchange is */
    char *gathered;                  /* room for gathers */
    int64_t room;
    mplan_mpi_word word; /* where is_told: the first that came, or the own one */
    mplan_mpi_word own;  /* as it is sent */
    MPI_Request coming;  /* of the word that may come */
    MPI_Request *sent;   /* by rank: of the own one */
    int is_told, has_told;
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

static inline mplan_status mplan_mpi_no_memory(int64_t bytes, mplan_error *err)
{
    if (err) {
        err->status = MPLAN_ERR_MEMORY;
        snprintf(err->text, sizeof err->text, "out of memory: no %lld bytes for messages of MPI",
                 (long long)bytes);
    }
    return MPLAN_ERR_MEMORY;
}

/* Room for n requests more. */
static inline mplan_status mplan_mpi_reserve(mplan_mpi_list *list, int64_t n, mplan_error *err)
{
    if (list->n + n <= list->capacity)
        return MPLAN_OK;
    const int64_t capacity = 2 * (list->n + n);
    const size_t room = (size_t)capacity + 1;
    MPI_Request *requests = (MPI_Request *)realloc(list->requests, room * sizeof *requests);
    if (!requests)
        return mplan_mpi_no_memory((int64_t)(room * sizeof *requests), err);
    list->requests = requests;
    int *done = (int *)realloc(list->done, room * sizeof *done);
    if (!done)
        return mplan_mpi_no_memory((int64_t)(room * sizeof *done), err);
    list->done = done;
    list->capacity = (int)capacity;
    return MPLAN_OK;
}

/* --- words of ranks that failed ------------------------------------------------------------ */

/* The failure of another rank, or of this one, which has told. */
static inline mplan_status mplan_mpi_lost(const mplan_mpi *mpi, mplan_error *err)
{
    if (err) {
        err->status = (mplan_status)mpi->word.status;
        snprintf(err->text, sizeof err->text, "rank %d failed: %.*s", (int)mpi->word.rank,
                 (int)sizeof mpi->word.text - 1, mpi->word.text);
    }
    return (mplan_status)mpi->word.status;
}

/* The word that was waited for is there. */
static inline void mplan_mpi_take_word(mplan_mpi *mpi)
{
    mpi->is_told = 1;
    mpi->word.text[sizeof mpi->word.text - 1] = '\0';
    if (mpi->word.status <= MPLAN_OK)
        mpi->word.status = MPLAN_ERR_INTERNAL;
}

static inline mplan_status mplan_mpi_told(void *user, mplan_error *err)
{
    mplan_mpi *mpi = (mplan_mpi *)user;
    int done = 0;
    if (!mpi->is_told && mpi->coming != MPI_REQUEST_NULL &&
        MPI_Test(&mpi->coming, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done)
        mplan_mpi_take_word(mpi);
    return mpi->is_told ? mplan_mpi_lost(mpi, err) : MPLAN_OK;
}

/* Words are small, so that they leave at once; nobody waits for them to arrive. */
static inline void mplan_mpi_tell(void *user, mplan_status status, const char *reason)
{
    mplan_mpi *mpi = (mplan_mpi *)user;
    if (mpi->has_told || mplan_mpi_told(mpi, NULL) || !status)
        return;
    mpi->has_told = mpi->is_told = 1;
    mpi->own.rank = mpi->rank;
    mpi->own.status = (int32_t)status;
    snprintf(mpi->own.text, sizeof mpi->own.text, "%s", reason ? reason : "");
    for (int r = 0; r < mpi->ranks; r++)
        if (r != mpi->rank && MPI_Isend(&mpi->own, (int)sizeof mpi->own, MPI_BYTE, r, 0, mpi->words,
                                        &mpi->sent[r]) != MPI_SUCCESS)
            mpi->sent[r] = MPI_REQUEST_NULL;
    if (mpi->coming != MPI_REQUEST_NULL) { /* what comes is of no interest any more */
        MPI_Cancel(&mpi->coming);
        MPI_Wait(&mpi->coming, MPI_STATUS_IGNORE);
    }
    mpi->word = mpi->own;
}

/* --- messages ------------------------------------------------------------------------------- */

/* Messages that are not waited for any more: others may not come. */
static inline void mplan_mpi_give_up(mplan_mpi_list *list)
{
    for (int i = 0; i < list->n; i++) {
        if (list->requests[i] == MPI_REQUEST_NULL)
            continue;
        if (i < list->receives)
            MPI_Cancel(&list->requests[i]);
        MPI_Request_free(&list->requests[i]);
    }
    list->n = list->receives = 0;
}

/* Until all messages have come and gone, or a rank has told of a failure. */
static inline mplan_status mplan_mpi_finish(mplan_mpi *mpi, mplan_mpi_list *list, const char *call,
                                            mplan_error *err)
{
    const int looks = 256; /* at messages only, as most come at once: to look at the word with them costs more */
    int code = MPI_SUCCESS, left = list->n, there = 0;
    for (int i = 0; i < looks && !there && code == MPI_SUCCESS && !mpi->is_told; i++)
        code = MPI_Testall(list->n, list->requests, &there, MPI_STATUSES_IGNORE);
    if (there)
        left = 0;
    while (left > 0 && !mpi->is_told && code == MPI_SUCCESS) {
        int n_done = 0;
        list->requests[list->n] = mpi->coming;
        code = MPI_Waitsome(list->n + 1, list->requests, &n_done, list->done, MPI_STATUSES_IGNORE);
        mpi->coming = list->requests[list->n];
        for (int i = 0; i < n_done && code == MPI_SUCCESS; i++)
            if (list->done[i] < list->n)
                left--;
            else
                mplan_mpi_take_word(mpi);
    }
    if (left == 0 && code == MPI_SUCCESS) {
        list->n = list->receives = 0;
        return MPLAN_OK;
    }
    mplan_mpi_give_up(list);
    return mpi->is_told ? mplan_mpi_lost(mpi, err) : mplan_mpi_failed(code, call, err);
}

/* Starts to send or receive all pieces of a message. */
static inline mplan_status mplan_mpi_start(mplan_mpi *mpi, mplan_mpi_list *list,
                                           const mplan_message *message, int sends, int tag,
                                           mplan_error *err)
{
    mplan_status status = mplan_mpi_reserve(list, message->bytes / MPLAN_MPI_PIECE + 1, err);
    for (int64_t at = 0; at < message->bytes && !status; at += MPLAN_MPI_PIECE) {
        const int64_t left = message->bytes - at;
        const int n = (int)(left < MPLAN_MPI_PIECE ? left : MPLAN_MPI_PIECE);
        char *data = (char *)message->data + at;
        MPI_Request *request = &list->requests[list->n++];
        const int code = sends
                             ? MPI_Isend(data, n, MPI_BYTE, message->rank, tag, mpi->comm, request)
                             : MPI_Irecv(data, n, MPI_BYTE, message->rank, tag, mpi->comm, request);
        if (code != MPI_SUCCESS) {
            list->n--;
            status = mplan_mpi_failed(code, sends ? "MPI_Isend" : "MPI_Irecv", err);
        }
        if (!sends)
            list->receives = list->n;
    }
    return status;
}

static inline mplan_status mplan_mpi_exchange(void *user, const mplan_message *in, int32_t n_in,
                                              const mplan_message *out, int32_t n_out, void *stream,
                                              void **request, mplan_error *err)
{
    mplan_mpi *mpi = (mplan_mpi *)user;
    mplan_status status = mpi->is_told ? mplan_mpi_lost(mpi, err) : MPLAN_OK;
    (void)stream;
    *request = NULL;
    for (int32_t i = 0; i < n_in && !status; i++)
        status = mplan_mpi_start(mpi, &mpi->exchange, &in[i], 0, 0, err);
    for (int32_t i = 0; i < n_out && !status; i++)
        status = mplan_mpi_start(mpi, &mpi->exchange, &out[i], 1, 0, err);
    if (status)
        mplan_mpi_give_up(&mpi->exchange);
    return status;
}

static inline mplan_status mplan_mpi_wait(void *user, void *request, void *stream, mplan_error *err)
{
    mplan_mpi *mpi = (mplan_mpi *)user;
    (void)request, (void)stream;
    return mplan_mpi_finish(mpi, &mpi->exchange, "MPI_Waitsome", err);
}

/* Room for what all ranks have. */
static inline mplan_status mplan_mpi_gather_room(mplan_mpi *mpi, int64_t bytes, mplan_error *err)
{
    if (bytes <= mpi->room)
        return MPLAN_OK;
    char *room = (char *)realloc(mpi->gathered, (size_t)bytes);
    if (!room)
        return mplan_mpi_no_memory(bytes, err);
    mpi->gathered = room;
    mpi->room = bytes;
    return MPLAN_OK;
}

/* By doubling (J. Bruck et al., IEEE Trans. Parallel Distrib. Syst. 8, 1997): after round k a rank has what it and the 2^k - 1 ranks behind it
 * have. */
static inline mplan_status mplan_mpi_all_gather(void *user, const void *mine, int64_t bytes,
                                                void *all, mplan_error *err)
{
    mplan_mpi *mpi = (mplan_mpi *)user;
    const int n = mpi->ranks;
    mplan_status status = mplan_mpi_told(mpi, err);
    if (!status)
        status = mplan_mpi_gather_room(mpi, n * bytes, err);
    if (!status)
        memcpy(mpi->gathered, mine, (size_t)bytes);
    for (int have = 1; have < n && !status; have *= 2) {
        const int64_t more = (have < n - have ? have : n - have) * bytes;
        const mplan_message in = {(mpi->rank + have) % n, mpi->gathered + have * bytes, more},
                            out = {(mpi->rank + n - have) % n, mpi->gathered, more};
        status = mplan_mpi_start(mpi, &mpi->gather, &in, 0, 1, err);
        if (!status)
            status = mplan_mpi_start(mpi, &mpi->gather, &out, 1, 1, err);
        if (!status)
            status = mplan_mpi_finish(mpi, &mpi->gather, "MPI_Waitsome", err);
        else
            mplan_mpi_give_up(&mpi->gather);
    }
    for (int r = 0; r < n && !status; r++)
        memcpy((char *)all + r * bytes, mpi->gathered + (r + n - mpi->rank) % n * bytes,
               (size_t)bytes);
    return status;
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

/* Before MPI_Finalize. It waits for no message. After a word the two communicators stay until MPI_Finalize. */
static inline void mplan_mpi_close(mplan_mpi *mpi)
{
    mplan_mpi_give_up(&mpi->exchange);
    mplan_mpi_give_up(&mpi->gather);
    if (mpi->coming != MPI_REQUEST_NULL) {
        MPI_Cancel(&mpi->coming);
        MPI_Wait(&mpi->coming, MPI_STATUS_IGNORE);
    }
    for (int r = 0; mpi->has_told && r < mpi->ranks; r++)
        if (mpi->sent[r] != MPI_REQUEST_NULL)
            MPI_Wait(&mpi->sent[r], MPI_STATUS_IGNORE); /* they are copied when they are sent */
    free(mpi->exchange.requests);
    free(mpi->exchange.done);
    free(mpi->gather.requests);
    free(mpi->gather.done);
    if (!mpi->is_told) /* else messages may still lead there */
        free(mpi->gathered);
    free(mpi->sent);
    if (mpi->is_told) /* messages may be on their way: MPI would give them to the next communicator of the same number */
        return;
    if (mpi->words != MPI_COMM_NULL)
        MPI_Comm_free(&mpi->words);
    if (mpi->comm != MPI_COMM_NULL)
        MPI_Comm_free(&mpi->comm);
}

/* Both communicators, and the word that may come; on all ranks alike but for memory. */
static inline mplan_status mplan_mpi_begin(MPI_Comm comm, mplan_mpi *mpi, mplan_error *err)
{
    int code = MPI_Comm_dup(comm, &mpi->comm);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_dup(comm, &mpi->words);
    if (code != MPI_SUCCESS)
        return mplan_mpi_failed(code, "MPI_Comm_dup", err);
    MPI_Comm_set_errhandler(mpi->comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(mpi->words, MPI_ERRORS_RETURN);
    MPI_Comm_rank(mpi->comm, &mpi->rank);
    MPI_Comm_size(mpi->comm, &mpi->ranks);
    mpi->sent = (MPI_Request *)malloc((size_t)mpi->ranks * sizeof *mpi->sent);
    for (int r = 0; mpi->sent && r < mpi->ranks; r++)
        mpi->sent[r] = MPI_REQUEST_NULL;
    mplan_status status = mpi->sent
                              ? MPLAN_OK
                              : mplan_mpi_no_memory(mpi->ranks * (int64_t)sizeof *mpi->sent, err);
    int good = !status, all = 0;
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, mpi->comm);
    if (good && !all)
        status = mplan_mpi_no_memory(mpi->ranks * (int64_t)sizeof *mpi->sent, err);
    if (status || mpi->ranks == 1)
        return status;
    code = MPI_Irecv(&mpi->word, (int)sizeof mpi->word, MPI_BYTE, MPI_ANY_SOURCE, 0, mpi->words,
                     &mpi->coming);
    return code == MPI_SUCCESS ? MPLAN_OK : mplan_mpi_failed(code, "MPI_Irecv", err);
}

/* A transport over all ranks of a communicator. MPI must be initialised. mpi must live as long as executors use
 * the transport. */
static inline mplan_status mplan_mpi_open(MPI_Comm comm, mplan_mpi *mpi, mplan_transport *transport,
                                          mplan_error *err)
{
    memset(mpi, 0, sizeof *mpi);
    memset(transport, 0, sizeof *transport);
    mpi->comm = mpi->words = MPI_COMM_NULL;
    mpi->coming = MPI_REQUEST_NULL;
    const mplan_status status = mplan_mpi_begin(comm, mpi, err);
    if (status) {
        mplan_mpi_close(mpi);
        return status;
    }
    transport->struct_size = sizeof *transport;
    transport->user = mpi;
    transport->name = "mpi";
    transport->rank = mpi->rank;
    transport->ranks = mpi->ranks;
    transport->can = mplan_mpi_can() | MPLAN_TRANSPORT_KEEPS;
    transport->exchange = mplan_mpi_exchange;
    transport->wait = mplan_mpi_wait;
    transport->all_gather = mplan_mpi_all_gather;
    transport->tell = mplan_mpi_tell;
    transport->told = mplan_mpi_told;
    return MPLAN_OK;
}

#ifdef __cplusplus
}
#endif

#endif
