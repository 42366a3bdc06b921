/* SPDX-License-Identifier: Apache-2.0 */
/* exchange.h - what ranks tell each other: agreement on faults, items for other ranks, values of members of other ranks
 *
 * All functions are collective but where they say otherwise. No message and no count is limited to 31 bits: bytes travel in
 * pieces of at most MPI_PIECE. */
#ifndef MPLAN_MPI_EXCHANGE_H
#define MPLAN_MPI_EXCHANGE_H

#include <mpi.h>

#include "meshplan.h"

#define MPI_PIECE (INT64_C(1) << 30)

/* --- waiting ---------------------------------------------------------------------------------- */

/* As the functions of MPI of these names, but that a rank which waits sleeps between looks (exchange.c says why). The rest of
 * src/mpi calls no function of MPI that waits, but those that make and free communicators. */
void mpi_bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm);
void mpi_allreduce(const void *own, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
void mpi_reduce(const void *own, void *out, int n, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm);
/* As MPI_Allgather, and MPI_Gather, of n numbers a rank. */
void mpi_allgather(const void *own, void *all, int n, MPI_Datatype type, MPI_Comm comm);
void mpi_gather_at(const void *own, void *all, int n, MPI_Datatype type, int root, MPI_Comm comm);
void mpi_barrier(MPI_Comm comm);
void mpi_send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm);
/* *status: may be MPI_STATUS_IGNORE. */
void mpi_recv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Status *status);

/* --- ranges ----------------------------------------------------------------------------------- */

/* The first of n members that rank r of `ranks` holds where they are dealt out evenly: the first n % ranks have one more.
 * Not collective, as the next is not. */
static inline int64_t mpi_range_first(int64_t n, int32_t ranks, int32_t r)
{
    const int64_t more = n % ranks;
    return n / ranks * r + (r < more ? r : more);
}
/* The rank whose range [first[r], first[r + 1]) holds a member, which must exist. Ranks without members are allowed. */
int32_t mpi_rank_of(const int64_t *first, int32_t ranks, int64_t member);
/* first: out, ranks + 1; from how many each rank has. */
void mpi_ranges_of(MPI_Comm comm, int64_t own, int64_t *first);

/* --- agreement ------------------------------------------------------------------------------------ */

/* The status and the sentence of the lowest rank that has a fault, on every rank; MPLAN_OK where none has. */
mplan_status mpi_agree(MPI_Comm comm, mplan_status status, mplan_error *err);
/* Sums of n numbers, in place. */
void mpi_sums(MPI_Comm comm, int64_t *numbers, int64_t n);
/* Sums, largest and lowest of one number. */
int64_t mpi_sum(MPI_Comm comm, int64_t own);
int64_t mpi_most(MPI_Comm comm, int64_t own);
int64_t mpi_sum_before(MPI_Comm comm, int64_t own); /* of the ranks before this one */

/* --- items ------------------------------------------------------------------------------------------ */

/* Items that a rank got: n of them, by sending rank, ascending, those of each in the order in which it had them. */
typedef struct mpi_items {
    void *data;
    int64_t n;
    int64_t *counts; /* [rank]: how many came from it */
} mpi_items;
void mpi_items_free(mpi_items *items); /* and zeroes it; not collective */

/* Sends items of `size` bytes that lie sorted by the rank that gets them, counts[r] for rank r. Who sends to whom is found by
 * consensus (T. Hoefler et al., "Scalable communication protocols for dynamic sparse data exchange", PPoPP 2010): nobody
 * gets a list of all counts. status: a fault that this rank met before; with one on any rank nothing is sent. *got is
 * empty after a failure. */
mplan_status mpi_exchange(MPI_Comm comm, mplan_status status, size_t size, const void *items,
                          const int64_t *counts, mpi_items *got, mplan_error *err);

/* Items in any order, each for rank to[i]: sorts them stably by rank and sends them. */
mplan_status mpi_exchange_mixed(MPI_Comm comm, mplan_status status, size_t size, const void *items,
                                int64_t n, const int32_t *to, mpi_items *got, mplan_error *err);

/* All items of all ranks on rank 0 (n is 0 on others), or with `all` on every rank. */
mplan_status mpi_gather(MPI_Comm comm, bool all, mplan_status status, size_t size,
                        const void *items, int64_t n, mpi_items *got, mplan_error *err);

/* What rank 0 does with some of the bytes that ranks have. */
typedef void mpi_take(void *user, const void *data, int64_t bytes);
/* The bytes of all ranks, one rank behind the other, on rank 0, which gets them in pieces and never holds more than one. */
mplan_status mpi_in_turn(MPI_Comm comm, mplan_status status, const void *own, int64_t bytes,
                         mpi_take *take, void *user, mplan_error *err);

/* --- values of members ------------------------------------------------------------------------------- */

/* Members whose values a rank needs again and again, and those that others need of it. */
typedef struct mpi_links {
    MPI_Comm comm;
    int32_t ranks, rank;
    int64_t n;                      /* members that are needed */
    int32_t n_from, n_to;           /* ranks that values come from and go to; this one among them */
    int32_t *from, *to;             /* which, ascending */
    int64_t *from_begin, *to_begin; /* n_from + 1 and n_to + 1 */
    int64_t *index; /* to_begin[n_to] members of this rank, counted from its first */
} mpi_links;

/* ids: n members, ascending and each once, of a set whose ranges are `first`; own ones are allowed. Release *links also
 * after a failure. */
mplan_status mpi_links_make(MPI_Comm comm, mplan_status status, const int64_t *first, int64_t n,
                            const int64_t *ids, mpi_links *links, mplan_error *err);
void mpi_links_free(mpi_links *links); /* not collective */
/* own: values of `size` bytes of the members of this rank; values: out, of the ids. */
mplan_status mpi_links_fetch(const mpi_links *links, mplan_status status, size_t size,
                             const void *own, void *values, mplan_error *err);

#endif
