/* SPDX-License-Identifier: Apache-2.0 */
/* exchange.c - agreement on faults, and items for other ranks
 *
 * A rank that runs out of memory must not leave the others waiting: memory is taken before the data travel, and
 * all ranks agree that it is there. So a rank that met a fault still enters the function, with its status, and all
 * ranks come out of it with one status. A caller may therefore skip a collective call only after an agreement,
 * never because of its own status.
 *
 * Ranks that wait for others look for a while, and then sleep between looks: an MPI library would look all the time, which
 * takes a processor from ranks that have work where these are more than processors, and would count as work of this program.
 *
 * MPI's own errors are not looked at: the default handler of the communicator ends the program. */
#include "mpi/exchange.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"

/* Each kind of message has its tag, so that a probe for counts never finds items or values. */
enum { TAG_COUNT = 71, TAG_DATA = 72, TAG_VALUES = 73, TAG_TURN = 75 };

/* --- waiting ---------------------------------------------------------------------------------- */

/* Between two looks, since a wait began at `begin`: nothing for the time that messages take at most, then a sleep that is a
 * quarter of what it has taken up to now, so that the wait becomes longer by that at most. */
static void rest(double begin)
{
    const double shortest = 50e-6, longest = 2e-4;
    const double taken = MPI_Wtime() - begin, sleep = taken / 4 < longest ? taken / 4 : longest;
    if (taken < shortest)
        return;
    const struct timespec time = {0, (long)(1e9 * sleep)};
    nanosleep(&time, NULL);
}

/* *status: of the message, may be MPI_STATUS_IGNORE. */
static void wait_with(MPI_Request *request, MPI_Status *status)
{
    const double begin = MPI_Wtime();
    for (int done = 0;;) {
        MPI_Test(request, &done, status);
        if (done)
            return;
        rest(begin);
    }
}

static void wait_for(MPI_Request *request)
{
    wait_with(request, MPI_STATUS_IGNORE);
}

void mpi_bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    MPI_Request request;
    MPI_Ibcast(data, n, type, root, comm, &request);
    wait_for(&request);
}

void mpi_allreduce(const void *own, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    MPI_Request request;
    MPI_Iallreduce(own, out, n, type, op, comm, &request);
    wait_for(&request);
}

void mpi_reduce(const void *own, void *out, int n, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm)
{
    MPI_Request request;
    MPI_Ireduce(own, out, n, type, op, root, comm, &request);
    wait_for(&request);
}

void mpi_allgather(const void *own, void *all, int n, MPI_Datatype type, MPI_Comm comm)
{
    MPI_Request request;
    MPI_Iallgather(own, n, type, all, n, type, comm, &request);
    wait_for(&request);
}

void mpi_gather_at(const void *own, void *all, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    MPI_Request request;
    MPI_Igather(own, n, type, all, n, type, root, comm, &request);
    wait_for(&request);
}

void mpi_barrier(MPI_Comm comm)
{
    MPI_Request request;
    MPI_Ibarrier(comm, &request);
    wait_for(&request);
}

void mpi_send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    MPI_Request request;
    MPI_Isend(data, n, type, to, tag, comm, &request);
    wait_for(&request);
}

void mpi_recv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Status *status)
{
    MPI_Request request;
    MPI_Irecv(data, n, type, from, tag, comm, &request);
    wait_with(&request, status);
}

/* --- ranges ----------------------------------------------------------------------------------- */

/* By halving: ranks without members have empty ranges, of which the last one that begins at the member is meant. */
int32_t mpi_rank_of(const int64_t *first, int32_t ranks, int64_t member)
{
    assert(first && member >= 0 && member < first[ranks]);
    int32_t low = 0, high = ranks; /* first[low] <= member < first[high] */
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (first[middle] <= member)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Collective. first[r] is the sum of `own` of the ranks before r, first[ranks] that of all; a rank may have none. */
void mpi_ranges_of(MPI_Comm comm, int64_t own, int64_t *first)
{
    int ranks;
    MPI_Comm_size(comm, &ranks);
    first[0] = 0;
    mpi_allgather(&own, first + 1, 1, MPI_INT64_T, comm);
    for (int r = 0; r < ranks; r++)
        first[r + 1] += first[r];
}

/* --- agreement ------------------------------------------------------------------------------------ */

/* The lowest rank speaks: ranks have ranges of the file in their order, so that it is the first fault of the file,
 * as one process would meet it. err may be NULL on any rank. */
mplan_status mpi_agree(MPI_Comm comm, mplan_status status, mplan_error *err)
{
    int rank, ranks, worst;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    /* the lowest rank with a fault; `ranks`, which no rank is, means that there is no fault */
    int own = status ? rank : ranks;
    mpi_allreduce(&own, &worst, 1, MPI_INT, MPI_MIN, comm);
    if (worst == ranks)
        return MPLAN_OK;
    mplan_error told = {status, ""};
    /* a caller without err still gets the status of that rank, with an empty sentence */
    if (err && status)
        told = *err;
    told.status = status;
    mpi_bcast(&told, (int)sizeof told, MPI_BYTE, worst, comm);
    if (err)
        *err = told;
    return told.status;
}

/* Collective, in pieces whose length an int can say. n is the same on all ranks. */
void mpi_sums(MPI_Comm comm, int64_t *numbers, int64_t n)
{
    enum { PIECE = 1 << 20 };
    for (int64_t at = 0; at < n; at += PIECE)
        mpi_allreduce(MPI_IN_PLACE, numbers + at, (int)(n - at < PIECE ? n - at : PIECE),
                      MPI_INT64_T, MPI_SUM, comm);
}

/* Collective. Whole numbers: the sum is the same in whatever order MPI adds them. */
int64_t mpi_sum(MPI_Comm comm, int64_t own)
{
    int64_t sum;
    mpi_allreduce(&own, &sum, 1, MPI_INT64_T, MPI_SUM, comm);
    return sum;
}

/* Collective, as the next is. Used also as a question: 0 or 1 of each rank, 1 where some rank says yes. */
int64_t mpi_most(MPI_Comm comm, int64_t own)
{
    int64_t most;
    mpi_allreduce(&own, &most, 1, MPI_INT64_T, MPI_MAX, comm);
    return most;
}

int64_t mpi_sum_before(MPI_Comm comm, int64_t own)
{
    int64_t sum = 0;
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Request request;
    MPI_Iexscan(&own, &sum, 1, MPI_INT64_T, MPI_SUM, comm, &request);
    wait_for(&request);
    return rank == 0 ? 0 : sum; /* which MPI leaves undefined on the first rank */
}

/* --- messages ------------------------------------------------------------------------------------- */

/* Requests that have been posted. The owner of `request` counts the pieces of all its messages first (pieces_of),
 * takes room for as many, and gives the array away: wait_for_all frees it. */
typedef struct postbox {
    MPI_Comm comm;
    int tag;
    int64_t n;            /* posted so far */
    MPI_Request *request; /* room for them was taken before */
} postbox;

/* Messages that so many bytes travel as; none for 0 bytes, so that nobody waits for an empty one. */
static int64_t pieces_of(int64_t bytes)
{
    return (bytes + MPI_PIECE - 1) / MPI_PIECE;
}

/* Posts a message, or what is to come as one; MPI keeps the order of pieces between two ranks. */
static void post(postbox *box, bool send, void *data, int64_t bytes, int32_t rank)
{
    for (int64_t at = 0; at < bytes; at += MPI_PIECE) {
        const int n = (int)(bytes - at < MPI_PIECE ? bytes - at : MPI_PIECE);
        char *piece = (char *)data + at;
        if (send)
            MPI_Isend(piece, n, MPI_BYTE, rank, box->tag, box->comm, &box->request[box->n++]);
        else
            MPI_Irecv(piece, n, MPI_BYTE, rank, box->tag, box->comm, &box->request[box->n++]);
    }
}

/* MPI counts requests by an int, so they are waited for by a million at a time. All of them have been posted
 * before, so that it does not matter which are waited for first. Frees the requests. */
static void wait_for_all(postbox *box)
{
    for (int64_t at = 0; at < box->n; at += 1 << 20) {
        const int n = (int)(box->n - at < 1 << 20 ? box->n - at : 1 << 20);
        const double begin = MPI_Wtime();
        for (int done = 0;;) {
            MPI_Testall(n, box->request + at, &done, MPI_STATUSES_IGNORE);
            if (done)
                break;
            rest(begin);
        }
    }
    free(box->request);
}

/* Posted messages only read what they send: `post` takes a pointer that is not const, for receives. */
static void *as_sent(const void *data)
{
    return (void *)(uintptr_t)data;
}

/* --- items ------------------------------------------------------------------------------------------ */

void mpi_items_free(mpi_items *items)
{
    free(items->data);
    free(items->counts);
    *items = (mpi_items){0};
}

/* Takes a count where one has come; does not wait. came[r] is written once at most in a round, as r sends one
 * count only. */
static void take_count(MPI_Comm comm, int64_t *came)
{
    int there;
    MPI_Status from;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_COUNT, comm, &there, &from);
    if (there)
        MPI_Recv(&came[from.MPI_SOURCE], 1, MPI_INT64_T, from.MPI_SOURCE, TAG_COUNT, comm,
                 MPI_STATUS_IGNORE); /* it is there */
}

/* came: out, how many items each rank has for this one. A send that has been received lets its rank enter a
 * barrier that nobody waits at; where all are in it nothing is on its way. request: room for one a rank. The
 * agreement that every caller makes next keeps counts of the next round out of this one. */
static void find_counts(MPI_Comm comm, const int64_t *counts, int64_t *came, MPI_Request *request)
{
    int rank, ranks, n = 0, sent = 0, over = 0;
    MPI_Request barrier = MPI_REQUEST_NULL;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int r = 0; r < ranks; r++)
        if (r != rank && counts[r] > 0)
            MPI_Issend(&counts[r], 1, MPI_INT64_T, r, TAG_COUNT, comm, &request[n++]);
    came[rank] = counts[rank];
    for (const double begin = MPI_Wtime(); !over; rest(begin)) {
        take_count(comm, came);
        if (barrier != MPI_REQUEST_NULL) {
            MPI_Test(&barrier, &over, MPI_STATUS_IGNORE);
        } else {
            MPI_Testall(n, request, &sent, MPI_STATUSES_IGNORE);
            if (sent)
                MPI_Ibarrier(comm, &barrier);
        }
    }
}

/* Items of all ranks: counts has one entry a rank. */
static int64_t sum_of(const int64_t *counts, int ranks)
{
    int64_t sum = 0;
    for (int r = 0; r < ranks; r++)
        sum += counts[r];
    return sum;
}

/* The items themselves, when there is room for all: receives first, so that no message has to be kept by MPI; what
 * a rank sends to itself is copied while the others travel.
 *
 * items    those of this rank, sorted by the rank that gets them: counts[r] for rank r
 * got      data and counts are there; data is filled by sending rank, ascending, whatever comes first request
 * room for the pieces of all messages in both directions; freed here */
static void move_items(MPI_Comm comm, size_t size, const char *items, const int64_t *counts,
                       const mpi_items *got, MPI_Request *request)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    postbox box = {comm, TAG_DATA, 0, request};
    char *to = got->data, *own_to = to;
    const char *own = items;
    for (int r = 0; r < ranks; r++) {
        const int64_t bytes = got->counts[r] * (int64_t)size;
        if (r == rank)
            own_to = to;
        else
            post(&box, false, to, bytes, r);
        to += bytes;
    }
    for (int r = 0; r < ranks; r++) {
        const int64_t bytes = counts[r] * (int64_t)size;
        if (r == rank)
            own = items;
        else
            post(&box, true, as_sent(items), bytes, r);
        items += bytes;
    }
    if (counts[rank] > 0)
        memcpy(own_to, own, (size_t)counts[rank] * size);
    wait_for_all(&box);
}

/* Three steps: all agree that there is room for counts, counts travel by consensus, all agree that there is room
 * for items. The second agreement also ends the consensus for all before anyone begins the next one. */
mplan_status mpi_exchange(MPI_Comm comm, mplan_status status, size_t size, const void *items,
                          const int64_t *counts, mpi_items *got, mplan_error *err)
{
    assert(got && size > 0);
    int ranks;
    MPI_Comm_size(comm, &ranks);
    *got = (mpi_items){0};
    MPI_Request *request = NULL;
    if (!status && (!(got->counts = mplan_alloc_zero(ranks, sizeof *got->counts, err)) ||
                    !(request = mplan_alloc(ranks, sizeof *request, err))))
        status = MPLAN_ERR_MEMORY;
    status = mpi_agree(comm, status, err);
    if (!status) {
        int64_t pieces = 0; /* of both directions; those that a rank sends to itself are counted too, and not posted */
        find_counts(comm, counts, got->counts, request);
        free(request);
        got->n = sum_of(got->counts, ranks);
        for (int r = 0; r < ranks; r++)
            pieces += pieces_of(got->counts[r] * (int64_t)size) +
                      pieces_of(counts[r] * (int64_t)size);
        got->data = mplan_alloc(got->n, size, err);
        request = mplan_alloc(pieces, sizeof *request, err);
        status = mpi_agree(comm, got->data && request ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    }
    if (status) {
        free(request);
        mpi_items_free(got);
        return status;
    }
    move_items(comm, size, items, counts, got, request);
    return MPLAN_OK;
}

/* A counting sort by rank. Items that a rank keeps go the same way, so that the order of what is got is that of
 * ranks. Before: to[i] in [0, ranks). items, n and to are not looked at where this rank comes with a fault. The
 * sorted copy is a second one of all items until they have been sent. */
mplan_status mpi_exchange_mixed(MPI_Comm comm, mplan_status status, size_t size, const void *items,
                                int64_t n, const int32_t *to, mpi_items *got, mplan_error *err)
{
    int ranks;
    MPI_Comm_size(comm, &ranks);
    char *sorted = NULL;
    int64_t *counts = NULL, *next = NULL;
    if (!status && (!(sorted = mplan_alloc(n, size, err)) ||
                    !(counts = mplan_alloc_zero(ranks, sizeof *counts, err)) ||
                    !(next = mplan_alloc(ranks, sizeof *next, err))))
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++)
        counts[to[i]]++;
    for (int32_t r = 0; r < ranks && !status; r++)
        next[r] = r == 0 ? 0 : next[r - 1] + counts[r - 1];
    for (int64_t i = 0; i < n && !status; i++)
        memcpy(sorted + next[to[i]]++ * (int64_t)size, (const char *)items + i * (int64_t)size, size);
    status = mpi_exchange(comm, status, size, sorted, counts, got, err);
    free(sorted);
    free(counts);
    free(next);
    return status;
}

/* By messages of pieces, since MPI_Gatherv counts by int. Every rank learns all counts: that is for lists of a few
 * items a rank, and for the coarsest graph, not for a mesh.
 * Rank 0 gets the items of each rank behind those of the ranks before it. With `all` it then broadcasts the whole
 * list, so that every rank has it in the same order. counts are on every rank, also where n is 0. */
mplan_status mpi_gather(MPI_Comm comm, bool all, mplan_status status, size_t size,
                        const void *items, int64_t n, mpi_items *got, mplan_error *err)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    *got = (mpi_items){0};
    MPI_Request *request = NULL;
    if (!status && !(got->counts = mplan_alloc_zero(ranks, sizeof *got->counts, err)))
        status = MPLAN_ERR_MEMORY;
    status = mpi_agree(comm, status, err);
    if (status) {
        mpi_items_free(got);
        return status;
    }
    mpi_allgather(&n, got->counts, 1, MPI_INT64_T, comm);
    got->n = sum_of(got->counts, ranks);
    if (!all && rank > 0)
        got->n = 0;
    /* what this rank sends, and on rank 0 what it receives of each */
    int64_t pieces = 2 * pieces_of(n * (int64_t)size);
    for (int r = 0; r < ranks && rank == 0; r++)
        pieces += pieces_of(got->counts[r] * (int64_t)size);
    got->data = mplan_alloc(got->n, size, err);
    request = mplan_alloc(pieces, sizeof *request, err);
    status = mpi_agree(comm, got->data && request ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    if (status) {
        free(request);
        mpi_items_free(got);
        return status;
    }
    postbox box = {comm, TAG_DATA, 0, request};
    char *to = got->data;
    for (int r = 0; r < ranks && rank == 0; r++) {
        const int64_t bytes = got->counts[r] * (int64_t)size;
        if (r == 0 && bytes > 0)
            memcpy(to, items, (size_t)bytes);
        if (r > 0)
            post(&box, false, to, bytes, r);
        to += bytes;
    }
    if (rank > 0)
        post(&box, true, as_sent(items), n * (int64_t)size, 0);
    wait_for_all(&box);
    for (int64_t at = 0, bytes = got->n * (int64_t)size; all && at < bytes; at += MPI_PIECE)
        mpi_bcast((char *)got->data + at, (int)(bytes - at < MPI_PIECE ? bytes - at : MPI_PIECE),
                  MPI_BYTE, 0, comm);
    return MPLAN_OK;
}

/* Ranks behind the one whose turn it is wait with their first piece: the next one is sent when this has been received. All
 * know how much all have, so that no counts travel besides. */
mplan_status mpi_in_turn(MPI_Comm comm, mplan_status status, const void *own, int64_t bytes,
                         mpi_take *take, void *user, mplan_error *err)
{
    enum { PIECE = 1 << 20 };
    int rank, ranks;
    assert(take && bytes >= 0);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int64_t *first = status ? NULL : mplan_alloc(ranks + 1, sizeof *first, err);
    char *piece = status || rank > 0 ? NULL : mplan_alloc(PIECE, 1, err);
    if (!status && (!first || (rank == 0 && !piece)))
        status = MPLAN_ERR_MEMORY;
    status = mpi_agree(comm, status, err);
    if (!status)
        mpi_ranges_of(comm, bytes, first);
    if (!status && rank == 0 && bytes > 0)
        take(user, own, bytes);
    for (int r = rank == 0 ? 1 : rank; r < (rank == 0 ? ranks : rank + 1) && !status; r++)
        for (int64_t at = 0, all = first[r + 1] - first[r]; at < all; at += PIECE) {
            const int n = (int)(all - at < PIECE ? all - at : PIECE);
            MPI_Request request;
            if (rank > 0)
                MPI_Issend((const char *)own + at, n, MPI_BYTE, 0, TAG_TURN, comm, &request);
            else
                MPI_Irecv(piece, n, MPI_BYTE, r, TAG_TURN, comm, &request);
            wait_for(&request);
            if (rank == 0)
                take(user, piece, n);
        }
    free(first);
    free(piece);
    return status;
}

/* --- values of members ------------------------------------------------------------------------------- */

/* Also of links that were made in part: what was not made is NULL. */
void mpi_links_free(mpi_links *links)
{
    free(links->from);
    free(links->to);
    free(links->from_begin);
    free(links->to_begin);
    free(links->index);
    *links = (mpi_links){0};
}

/* ranks: out, those with a count, ascending; begin: where theirs begin. Returns how many there are. */
static int32_t list_ranks(const int64_t *counts, int32_t n, int32_t *ranks, int64_t *begin)
{
    int32_t n_ranks = 0;
    begin[0] = 0;
    for (int32_t r = 0; r < n; r++) {
        if (counts[r] == 0)
            continue;
        ranks[n_ranks++] = r;
        begin[n_ranks] = begin[n_ranks - 1] + counts[r];
    }
    return n_ranks;
}

/* Both lists of ranks, when it is known who needs what. counts: by rank, how many ids this rank needs of it;
 * asked->counts: how many each rank needs of this one. The lists have only ranks with a count above 0: a fetch
 * costs what neighbours cost, however many ranks there are. Not collective; a failure is agreed on by the caller. */
static mplan_status list_both(mpi_links *links, const int64_t *counts, const mpi_items *asked,
                              mplan_error *err)
{
    int32_t n_from = 0, n_to = 0;
    for (int32_t r = 0; r < links->ranks; r++) {
        n_from += counts[r] > 0;
        n_to += asked->counts[r] > 0;
    }
    if (!(links->from = mplan_alloc(n_from, sizeof *links->from, err)) ||
        !(links->to = mplan_alloc(n_to, sizeof *links->to, err)) ||
        !(links->from_begin = mplan_alloc(n_from + 1, sizeof *links->from_begin, err)) ||
        !(links->to_begin = mplan_alloc(n_to + 1, sizeof *links->to_begin, err)))
        return MPLAN_ERR_MEMORY;
    links->n_from = list_ranks(counts, links->ranks, links->from, links->from_begin);
    links->n_to = list_ranks(asked->counts, links->ranks, links->to, links->to_begin);
    return MPLAN_OK;
}

/* Each rank asks the owners for what it needs; what it is asked for it keeps as places in its own range. ids
 * ascend, so that the values of one owner lie together, and are received where they belong.
 * ids are not kept: the caller finds a value by the place of its id in them. With a fault ids are not read. */
mplan_status mpi_links_make(MPI_Comm comm, mplan_status status, const int64_t *first, int64_t n,
                            const int64_t *ids, mpi_links *links, mplan_error *err)
{
    assert(links && first);
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    *links = (mpi_links){.comm = comm, .ranks = ranks, .rank = rank, .n = n};
    mpi_items asked = {0};
    int64_t *counts = status ? NULL : mplan_alloc_zero(ranks, sizeof *counts, err);
    if (!status && !counts)
        status = MPLAN_ERR_MEMORY;
    /* ids and ranges both ascend: one pass finds the rank of each */
    for (int64_t i = 0, r = 0; i < n && !status; i++) {
        assert(i == 0 || ids[i] > ids[i - 1]);
        while (ids[i] >= first[r + 1])
            r++;
        counts[r]++;
    }
    status = mpi_exchange(comm, status, sizeof *ids, ids, counts, &asked, err);
    if (!status)
        status = list_both(links, counts, &asked, err);
    links->index = asked.data; /* taken over: numbers of members, by rank that asks, become places */
    for (int64_t i = 0; i < asked.n && !status; i++)
        links->index[i] -= first[rank];
    asked.data = NULL;
    mpi_items_free(&asked);
    free(counts);
    return mpi_agree(comm, status, err);
}

/* The values that others need, in the order in which they asked. packed: out, to_begin[n_to] values of `size` bytes. */
static void pack(const mpi_links *links, size_t size, const char *own, char *packed)
{
    const int64_t n = links->to_begin[links->n_to];
    for (int64_t i = 0; i < n; i++)
        memcpy(packed + i * (int64_t)size, own + links->index[i] * (int64_t)size, size);
}

/* Only neighbours talk: no consensus, no counts, as both sides know them from mpi_links_make. values: n, in the
 * order of the ids. `values` may lie in one array with `own`, behind it (mpi_graph_fetch): both are never the same
 * bytes. */
mplan_status mpi_links_fetch(const mpi_links *links, mplan_status status, size_t size,
                             const void *own, void *values, mplan_error *err)
{
    assert(links && size > 0);
    char *packed = NULL, *out = values;
    MPI_Request *request = NULL;
    int64_t pieces = 0;
    for (int32_t i = 0; i < links->n_from && !status; i++)
        pieces += pieces_of((links->from_begin[i + 1] - links->from_begin[i]) * (int64_t)size);
    for (int32_t i = 0; i < links->n_to && !status; i++)
        pieces += pieces_of((links->to_begin[i + 1] - links->to_begin[i]) * (int64_t)size);
    if (!status && (!(packed = mplan_alloc(links->to_begin[links->n_to], size, err)) ||
                    !(request = mplan_alloc(pieces, sizeof *request, err))))
        status = MPLAN_ERR_MEMORY;
    status = mpi_agree(links->comm, status, err);
    if (status) {
        free(packed);
        free(request);
        return status;
    }
    postbox box = {links->comm, TAG_VALUES, 0, request};
    /* receives first; own_to: where the values go that this rank needs of its own members */
    char *own_to = NULL;
    for (int32_t i = 0; i < links->n_from; i++) {
        char *to = out + links->from_begin[i] * (int64_t)size;
        if (links->from[i] == links->rank)
            own_to = to;
        else
            post(&box, false, to, (links->from_begin[i + 1] - links->from_begin[i]) * (int64_t)size,
                 links->from[i]);
    }
    pack(links, size, own, packed);
    for (int32_t i = 0; i < links->n_to; i++) {
        char *from = packed + links->to_begin[i] * (int64_t)size;
        const int64_t bytes = (links->to_begin[i + 1] - links->to_begin[i]) * (int64_t)size;
        if (links->to[i] == links->rank)
            memcpy(own_to, from, (size_t)bytes);
        else
            post(&box, true, from, bytes, links->to[i]);
    }
    wait_for_all(&box);
    free(packed);
    return MPLAN_OK;
}
