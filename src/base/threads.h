/* SPDX-License-Identifier: Apache-2.0 */
/* threads.h - loops whose pieces run side by side
 *
 * A team is the calling thread and workers that wait between loops. One is opened by each
 * public call that has loops to share, travels down with the context, and ends with the call;
 * an executor keeps one as long as it is open. Workers are made when a first loop wants them;
 * those that the system refuses are done without: work is divided by the threads that there
 * are, and no result depends on how many there are or on who ran what.
 *
 * Contexts are asked, and errors filled, by the calling thread only. Loops of a piece of a loop
 * run in the thread that runs the piece. After a fork the child's side of a team is its one
 * thread. */
#ifndef MPLAN_THREADS_H
#define MPLAN_THREADS_H

#include <stdatomic.h>

#include "meshplan.h"

#ifdef MPLAN_HAVE_THREADS
#include <pthread.h>
#include <sys/types.h>
#endif

/* More are never used, whoever asks for them. */
enum { MPLAN_MOST_THREADS = 1024 };

/* Runs indices begin ... end - 1 as the thread of a number below mplan_team_threads, by which
 * it may choose scratch of its own. */
typedef void mplan_work(void *data, int thread, int64_t begin, int64_t end);

/* threads.c knows what the members are. */
typedef struct mplan_team {
    int asked;  /* threads; 0: as many as the process may use */
    int wanted; /* of which the process may use so many; 0: not yet counted */
    int64_t pieces; /* of a loop, at least; 0: as mplan_pieces and the loops choose; tests want many of few things */
    mplan_work *work; /* of the loop at hand */
    void *data;
    int64_t n, piece, n_pieces;
    atomic_bool busy;
#ifdef MPLAN_HAVE_THREADS
    bool ready, refused, open, quit;
    int n_workers, n_numbered, inside;
    uint64_t generation;
    pid_t owner;
    pthread_mutex_t lock;
    pthread_cond_t start, done;
    pthread_t worker[MPLAN_MOST_THREADS - 1];
#endif
    _Alignas(64) _Atomic int64_t next; /* piece that nobody has yet */
} mplan_team;

/* --- teams --------------------------------------------------------------------------- */

/* A team of at most so many threads (0: any number), and no more than mplan_processors says. */
void mplan_team_open(mplan_team *team, int threads);
void mplan_team_close(mplan_team *team);
/* How many threads may call a work function, 1 for NULL. */
int mplan_team_threads(mplan_team *team);

/* A context with its team. */
typedef struct mplan_threaded {
    mplan_context context;
    mplan_team *owned, *team;
    mplan_team room;
} mplan_threaded;

/* The context (may be NULL) with a team: its own when it came with one, else a new one of at
 * most context->threads threads and no more than the process may use. The result lives as long
 * as `own`, which mplan_threaded_close releases. */
const mplan_context *mplan_threaded_open(const mplan_context *context, mplan_threaded *own);
void mplan_threaded_close(mplan_threaded *own);
/* The team of such a context; NULL, one thread, for others. */
mplan_team *mplan_team_of(const mplan_context *context);

#ifdef MPLAN_HAVE_THREADS
/* A thread that is joined by who made it: of teams, and of background.c. false: the system refuses it. */
bool mplan_thread_start(pthread_t *thread, void *(*run)(void *), void *data);
#endif

/* --- loops --------------------------------------------------------------------------- */

/* Runs `work` over 0 ... n - 1 in pieces of so many indices, side by side and begun in their order; less than two pieces, and
 * without a team, by one call in the calling thread. A piece is worth a thread's while from
 * about 20 microseconds on. Returns when all are done. */
void mplan_for(mplan_team *team, int64_t n, int64_t piece, mplan_work *work, void *data);

/* The same for works that return a number: the sum of all, or the least of all and `none`. */
typedef int64_t mplan_counting(void *data, int thread, int64_t begin, int64_t end);
int64_t mplan_for_sum(mplan_team *team, int64_t n, int64_t piece, mplan_counting *work, void *data);
int64_t mplan_for_least(mplan_team *team, int64_t n, int64_t piece, mplan_counting *work,
                        void *data, int64_t none);
/* Counts become offsets, as by mplan_sum_counts: the count of v is at counts[v + 1], counts[0] stays. */
void mplan_for_sums(mplan_team *team, int64_t n, int64_t *counts);
/* As memset. */
void mplan_for_set(mplan_team *team, void *to, int byte, int64_t bytes);

/* --- pieces that are equal at any time -------------------------------------------------- */

/* Into how many pieces n things are cut where each piece counts first and writes later, behind those before it: what is written
 * does not depend on it. At least `least` things each; several a thread, so that threads end together; 1 for few. */
int64_t mplan_pieces(mplan_team *team, int64_t n, int64_t least);
/* The same for pieces that count for n_counts >= 1 lists each: no more counts of all pieces than things, or one piece. */
int64_t mplan_pieces_that_count(mplan_team *team, int64_t n, int64_t least, int64_t n_counts);
/* Where piece i of n_pieces begins; that of number n_pieces is n. */
static inline int64_t mplan_piece_begin(int64_t n, int64_t n_pieces, int64_t i)
{
    return n / n_pieces * i + (i < n % n_pieces ? i : n % n_pieces);
}

/* --- loops that can be interrupted --------------------------------------------------------- */

/* A context that is asked by the calling thread of a loop, while all its threads heed the answer. `stop` begins as false. */
typedef struct mplan_ask {
    const mplan_context *context; /* NULL: nobody is asked */
    atomic_bool stop;             /* the answer was yes */
} mplan_ask;

/* A context of one thread of the loop, which is told nothing and has no team: `cancelled` asks in thread 0, the calling one, and
 * tells the others what came of it. So works that ask between their steps end soon in every thread, as far as the calling one is
 * still at work. */
typedef struct mplan_asker {
    mplan_context context;
    mplan_ask *ask;
    bool calls; /* it is thread 0 */
} mplan_asker;
void mplan_ask_by(mplan_ask *ask, int thread, mplan_asker *asker); /* which must not be moved */

/* Runs `work` over 0 ... n - 1 in pieces of so many indices, in rounds; between rounds, and between its own pieces, the calling
 * thread asks the context whether to stop: pieces that nobody has begun are left then. A piece is worth a round from a millisecond
 * on: with one thread a round is a piece. */
mplan_status mplan_for_heeding(mplan_team *team, int64_t n, int64_t piece, mplan_work *work,
                               void *data, const mplan_context *context, mplan_error *err);

/* --- numbers that several threads look at and change ------------------------------------ */

/* Whole numbers are read and written, nothing is said of the order of others. */
static inline int32_t mplan_peek(const int32_t *at)
{
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}
static inline int64_t mplan_peek64(const int64_t *at)
{
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}
/* A value that other threads may read or write at the same time. */
static inline void mplan_poke(int32_t *at, int32_t value)
{
    __atomic_store_n(at, value, __ATOMIC_RELAXED);
}
static inline int32_t mplan_exchange(int32_t *at, int32_t value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
/* *at becomes `to` where it is `from`; whether it was. */
static inline bool mplan_replace(int32_t *at, int32_t from, int32_t to)
{
    return __atomic_compare_exchange_n(at, &from, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
/* *at becomes `more` larger; what it was. */
static inline int64_t mplan_add(int64_t *at, int64_t more)
{
    return __atomic_fetch_add(at, more, __ATOMIC_RELAXED);
}
static inline uint32_t mplan_add_u32(uint32_t *at, uint32_t more)
{
    return __atomic_fetch_add(at, more, __ATOMIC_RELAXED);
}
/* *at becomes the smaller of it and value. */
static inline void mplan_lower(int32_t *at, int32_t value)
{
    int32_t now = mplan_peek(at);
    while (value < now &&
           !__atomic_compare_exchange_n(at, &now, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}
/* For pieces of a loop that need what pieces before them do. Waits until *at has the value that another thread tells; what that
 * thread wrote before is then seen. Only what belongs to a piece that was begun before may be waited for, so that one thread at
 * least need not wait. False, and nothing is known, where *stop is set meanwhile. */
bool mplan_await(const int32_t *at, int32_t value, atomic_bool *stop);
static inline void mplan_tell(int32_t *at, int32_t value)
{
    __atomic_store_n(at, value, __ATOMIC_RELEASE);
}
/* As mplan_poke, 1. */
static inline void mplan_mark(uint8_t *at)
{
    __atomic_store_n(at, 1, __ATOMIC_RELAXED);
}

#endif
