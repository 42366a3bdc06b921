/* SPDX-License-Identifier: Apache-2.0 */
/* threads.c - teams of parked workers
 *
 * Workers sleep on a condition variable between loops and never spin: on machines whose cores
 * are shared, threads that wait busily cost the others what they wait for. Pieces are claimed by
 * a counter. A worker that wakes late joins the loop that it finds, or sleeps on; the calling
 * thread waits only for workers that have joined, so that a loop never waits for a thread that
 * the system has yet to run.
 *
 * Beside libgomp, which spins and waits for all (at 638589e, so other changes count too): `plan` of 1.44 M triangles, faces to cells, native
 * blocks, on 16 idle cores (medians of 3), user seconds and, in brackets, wall:
 *                  1 thread                 2                  8                  16
 *   libgomp      3.51 (3.91)     4.44 (3.59)     5.70 (2.38)     6.82 (2.23)
 *   teams        3.11 (3.46)     4.06 (3.30)     4.59 (2.51)     4.74 (2.23)
 * Blocks of 128 by colours, whose loops are shorter, 16 threads: 9.45 (2.95) and 6.82 (3.15). */
#include "base/threads.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/option_size.h"
#include "base/processors.h"

/* No thread is started yet. threads: 0: as many as there are processors. */
void mplan_team_open(mplan_team *team, int threads)
{
    memset(team, 0, sizeof *team);
    team->asked = threads;
    atomic_init(&team->busy, false);
    atomic_init(&team->next, 0);
}

#ifdef MPLAN_HAVE_THREADS

#include <sched.h>
#include <signal.h>
#include <unistd.h>

/* Bytes of a worker's stack: what functions of a user's kernel need, too. */
enum { STACK = 2 << 20 };

int mplan_team_threads(mplan_team *team)
{
    if (!team || team->asked == 1)
        return 1;
    if (team->wanted == 0) { /* counted when first asked for: small calls do without */
        int all = mplan_processors(MPLAN_MOST_THREADS);
        team->wanted = team->asked > 0 && team->asked < all ? team->asked : all;
    }
    return team->wanted;
}

/* Calls the work for one piece after the other until none is left. */
static void run_pieces(mplan_team *team, int thread)
{
    for (;;) {
        int64_t i = atomic_fetch_add_explicit(&team->next, 1, memory_order_relaxed);
        if (i >= team->n_pieces)
            return;
        int64_t begin = i * team->piece, left = team->n - begin;
        team->work(team->data, thread, begin, begin + (left < team->piece ? left : team->piece));
    }
}

/* What a worker does from its first loop to the end of the team. */
static void *serve(void *data)
{
    mplan_team *team = data;
    uint64_t seen = 0;
    pthread_mutex_lock(&team->lock);
    int thread = ++team->n_numbered;
    for (;;) {
        while (!team->quit && !(team->open && team->generation != seen))
            pthread_cond_wait(&team->start, &team->lock);
        if (team->quit)
            break;
        seen = team->generation;
        team->inside++;
        pthread_mutex_unlock(&team->lock);
        run_pieces(team, thread);
        pthread_mutex_lock(&team->lock);
        if (--team->inside == 0 && !team->open)
            pthread_cond_signal(&team->done);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

/* Signals go to threads of the program; those that a fault raises come to whom they concern. */
static void block_signals(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

/* Threads take no signals: the program's own threads do. */
bool mplan_thread_start(pthread_t *thread, void *(*run)(void *), void *data)
{
    pthread_attr_t attributes;
    sigset_t before;
    assert(thread && run);
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setstacksize(&attributes, STACK);
    block_signals(&before);
    const bool made = pthread_create(thread, &attributes, run, data) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return made;
}

/* Where the system refuses a worker, the work is done by fewer. */
static void make_workers(mplan_team *team, int n)
{
    while (team->n_workers < n && !team->refused) {
        if (mplan_thread_start(&team->worker[team->n_workers], serve, team))
            team->n_workers++;
        else
            team->refused = true;
    }
}

/* Locks are made at first use. Where that fails the team works with one thread. */
static void make_ready(mplan_team *team)
{
    team->ready = pthread_mutex_init(&team->lock, NULL) == 0;
    if (team->ready && pthread_cond_init(&team->start, NULL) != 0) {
        pthread_mutex_destroy(&team->lock);
        team->ready = false;
    }
    if (team->ready && pthread_cond_init(&team->done, NULL) != 0) {
        pthread_cond_destroy(&team->start);
        pthread_mutex_destroy(&team->lock);
        team->ready = false;
    }
    team->refused = !team->ready;
    team->owner = getpid();
}

/* How many workers there are for so many pieces. */
static int enlist(mplan_team *team, int64_t n_pieces)
{
    int most = mplan_team_threads(team) - 1;
    if (n_pieces - 1 < most)
        most = (int)(n_pieces - 1);
    if (most > 0 && !team->ready && !team->refused)
        make_ready(team);
    if (team->ready && team->owner != getpid())
        return 0;
    if (team->n_workers < most && !team->refused)
        make_workers(team, most);
    return team->n_workers < most ? team->n_workers : most;
}

/* Wakes `helpers` workers, takes pieces itself, and waits until all of them are done.
 * team->generation tells a worker that there is something new. */
static void run_together(mplan_team *team, int helpers)
{
    pthread_mutex_lock(&team->lock);
    atomic_store_explicit(&team->next, 0, memory_order_relaxed);
    team->open = true;
    team->generation++;
    pthread_mutex_unlock(&team->lock);
    if (helpers == team->n_workers)
        pthread_cond_broadcast(&team->start);
    for (int i = 0; i < helpers && helpers < team->n_workers; i++)
        pthread_cond_signal(&team->start);
    run_pieces(team, 0);
    pthread_mutex_lock(&team->lock);
    team->open = false;
    while (team->inside > 0)
        pthread_cond_wait(&team->done, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

/* Pieces of `piece` items are taken by whichever thread is free: work must give the
 * same result in any order. Loops within loops run on the thread that meets them. */
void mplan_for(mplan_team *team, int64_t n, int64_t piece, mplan_work *work, void *data)
{
    if (n <= 0)
        return;
    if (team && team->pieces > 0 && n / team->pieces < piece)
        piece = n / team->pieces + 1;
    int64_t n_pieces = n / piece + (n % piece != 0);
    /* busy: a loop within a loop, or of another thread; what does not fill two pieces is not worth waking anyone */
    bool own = team && n / 2 >= piece && !atomic_exchange(&team->busy, true);
    int helpers = own ? enlist(team, n_pieces) : 0;
    if (helpers > 0) {
        team->work = work;
        team->data = data;
        team->n = n;
        team->piece = piece;
        team->n_pieces = n_pieces;
        run_together(team, helpers);
    } else {
        work(data, 0, 0, n);
    }
    if (own)
        atomic_store(&team->busy, false);
}

/* Ends and joins all workers. A team that was inherited by a fork has none, and is left
 * only. */
void mplan_team_close(mplan_team *team)
{
    if (!team->ready || team->owner != getpid())
        return;
    pthread_mutex_lock(&team->lock);
    team->quit = true;
    pthread_mutex_unlock(&team->lock);
    pthread_cond_broadcast(&team->start);
    for (int i = 0; i < team->n_workers; i++)
        pthread_join(team->worker[i], NULL);
    pthread_cond_destroy(&team->done);
    pthread_cond_destroy(&team->start);
    pthread_mutex_destroy(&team->lock);
    team->ready = false;
}

#else

int mplan_team_threads(mplan_team *team)
{
    (void)team;
    return 1;
}

void mplan_for(mplan_team *team, int64_t n, int64_t piece, mplan_work *work, void *data)
{
    (void)team, (void)piece;
    if (n > 0)
        work(data, 0, 0, n);
}

void mplan_team_close(mplan_team *team)
{
    (void)team;
}

#endif

/* --- waiting ------------------------------------------------------------------------- */

/* What is waited for takes microseconds, unless the other thread has lost its processor: others may have ours then. */
bool mplan_await(const int32_t *at, int32_t value, atomic_bool *stop)
{
    enum { LOOKS = 100 };
    assert(at && stop);
    for (int looks = 0; __atomic_load_n(at, __ATOMIC_ACQUIRE) != value; looks++) {
        if (atomic_load(stop))
            return false;
#ifdef MPLAN_HAVE_THREADS
        if (looks >= LOOKS)
            sched_yield();
#endif
    }
    return true;
}

/* --- teams of contexts --------------------------------------------------------------- */

/* NULL: one thread. The team is in a struct round the context, which its size tells. */
mplan_team *mplan_team_of(const mplan_context *context)
{
    if (!context || context->struct_size != MPLAN_CONTEXT_WITH_TEAM)
        return NULL;
    return ((const mplan_threaded *)context)->team;
}

/* A context that has a team: the caller's own where it has one, else *own with a team
 * for the length of a call. */
const mplan_context *mplan_threaded_open(const mplan_context *context, mplan_threaded *own)
{
    own->owned = NULL;
    if (mplan_team_of(context))
        return context;
    own->context = (mplan_context)MPLAN_CONTEXT_INIT;
    mplan_options_take(&own->context, context, "context",
                       NULL); /* MPLAN_NEED_CONTEXT has looked at it */
    own->context.struct_size = MPLAN_CONTEXT_WITH_TEAM;
    own->team = own->owned = &own->room;
    mplan_team_open(own->team, own->context.threads);
    return &own->context;
}

void mplan_threaded_close(mplan_threaded *own)
{
    if (own->owned)
        mplan_team_close(own->owned);
    own->owned = NULL;
}

/* --- loops that count ------------------------------------------------------------------- */

/* A sum or least value over pieces, whatever thread takes them. */
typedef struct count {
    mplan_counting *work;
    void *data;
    _Atomic int64_t total;
} count;

/* Sums do not depend on the order. */
static void add_count(void *data, int thread, int64_t begin, int64_t end)
{
    count *all = data;
    int64_t own = all->work(all->data, thread, begin, end);
    atomic_fetch_add_explicit(&all->total, own, memory_order_relaxed);
}

/* Keeps the smallest answer of all pieces in all->total. */
static void take_least(void *data, int thread, int64_t begin, int64_t end)
{
    count *all = data;
    int64_t own = all->work(all->data, thread, begin, end);
    int64_t least = atomic_load_explicit(&all->total, memory_order_relaxed);
    while (own < least &&
           !atomic_compare_exchange_weak_explicit(&all->total, &least, own, memory_order_relaxed,
                                                  memory_order_relaxed))
        continue;
}

int64_t mplan_for_sum(mplan_team *team, int64_t n, int64_t piece, mplan_counting *work, void *data)
{
    count all = {work, data, 0};
    mplan_for(team, n, piece, add_count, &all);
    return all.total;
}

/* The least of all results, at any number of threads; `none` where there is none. */
int64_t mplan_for_least(mplan_team *team, int64_t n, int64_t piece, mplan_counting *work,
                        void *data, int64_t none)
{
    count all = {work, data, none};
    mplan_for(team, n, piece, take_least, &all);
    return all.total;
}

enum { MOST_SUMS = 128 };

/* Pieces of counts, and what goes before each. */
typedef struct summing {
    int64_t *counts, n, n_pieces, before[MOST_SUMS + 1];
} summing;

static void sum_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    summing *all = data;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int64_t sum = 0, last = mplan_piece_begin(all->n, all->n_pieces, k + 1);
        for (int64_t v = mplan_piece_begin(all->n, all->n_pieces, k); v < last; v++)
            sum += all->counts[v + 1];
        all->before[k + 1] = sum;
    }
}

static void add_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const summing *all = data;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int64_t sum = all->before[k], last = mplan_piece_begin(all->n, all->n_pieces, k + 1);
        for (int64_t v = mplan_piece_begin(all->n, all->n_pieces, k); v < last; v++)
            all->counts[v + 1] = sum += all->counts[v + 1];
    }
}

void mplan_for_sums(mplan_team *team, int64_t n, int64_t *counts)
{
    enum { NUMBERS = 1 << 14 };
    summing all = {.counts = counts, .n = n, .n_pieces = mplan_pieces(team, n, NUMBERS)};
    if (mplan_team_threads(team) == 1)
        all.n_pieces = 1;
    all.n_pieces = all.n_pieces < MOST_SUMS ? all.n_pieces : MOST_SUMS;
    if (all.n_pieces > 1) /* one piece has nothing before it but counts[0] */
        mplan_for(team, all.n_pieces, 1, sum_pieces, &all);
    all.before[0] = counts[0];
    for (int64_t k = 0; k < all.n_pieces; k++)
        all.before[k + 1] += all.before[k];
    mplan_for(team, all.n_pieces, 1, add_pieces, &all);
}

typedef struct setting {
    unsigned char *to;
    int byte;
} setting;

static void set_bytes(void *data, int thread, int64_t begin, int64_t end)
{
    const setting *all = data;
    (void)thread;
    memset(all->to + begin, all->byte, (size_t)(end - begin));
}

/* Threads also share the faults by which the system gives memory that is new. */
void mplan_for_set(mplan_team *team, void *to, int byte, int64_t bytes)
{
    enum { BYTES = 1 << 19 };
    mplan_for(team, bytes, BYTES, set_bytes, &(setting){to, byte});
}

/* --- pieces ------------------------------------------------------------------------------- */

enum { PIECES_A_THREAD = 4, MOST_IN_PIECE = 1 << 20 };

/* Pieces of more than MOST_IN_PIECE things are never made: between pieces a context can be asked. */
int64_t mplan_pieces(mplan_team *team, int64_t n, int64_t least)
{
    const int64_t threads = mplan_team_threads(team);
    if (team && team->pieces > 0)
        return team->pieces < n ? team->pieces : n > 0 ? n : 1;
    int64_t pieces = threads > 1 ? threads * PIECES_A_THREAD : 1;
    pieces = n / least < pieces ? n / least : pieces;
    pieces = n / MOST_IN_PIECE > pieces ? n / MOST_IN_PIECE : pieces;
    return pieces > 1 ? pieces : 1;
}

int64_t mplan_pieces_that_count(mplan_team *team, int64_t n, int64_t least, int64_t n_counts)
{
    assert(n >= 0 && n_counts > 0);
    const int64_t pieces = mplan_pieces(team, n, least), most = n / n_counts;
    return pieces <= most ? pieces : most > 1 ? most : 1;
}

/* user: an mplan_asker. */
static bool ask_or_heed(void *user)
{
    const mplan_asker *asker = user;
    if (asker->calls && !atomic_load(&asker->ask->stop) &&
        mplan_interrupted(asker->ask->context, NULL))
        atomic_store(&asker->ask->stop, true);
    return atomic_load(&asker->ask->stop);
}

void mplan_ask_by(mplan_ask *ask, int thread, mplan_asker *asker)
{
    assert(ask && thread >= 0 && asker);
    asker->context = (mplan_context)MPLAN_CONTEXT_INIT;
    asker->context.user = asker;
    asker->context.cancelled = ask_or_heed;
    asker->ask = ask;
    asker->calls = thread == 0;
}

/* One round of a loop: indices from `first` on. */
typedef struct rounds {
    mplan_work *work;
    void *data;
    int64_t first;
    mplan_ask ask;
    bool began; /* the calling thread has had a piece of the round: no other thread looks at it */
} rounds;

static void run_round(void *data, int thread, int64_t begin, int64_t end)
{
    rounds *all = data;
    mplan_asker asker;
    mplan_ask_by(&all->ask, thread, &asker);
    if ((thread > 0 || all->began) && asker.context.cancelled(&asker))
        return;
    if (thread == 0)
        all->began = true;
    all->work(all->data, thread, all->first + begin, all->first + end);
}

/* A round has four pieces for each thread. */
mplan_status mplan_for_heeding(mplan_team *team, int64_t n, int64_t piece, mplan_work *work,
                               void *data, const mplan_context *context, mplan_error *err)
{
    assert(piece > 0);
    const int64_t threads = mplan_team_threads(team);
    const int64_t most = threads > 1 && piece < n ? 4 * threads * piece : piece;
    rounds all = {.work = work, .data = data, .ask = {.context = context}};
    mplan_status status = MPLAN_OK;
    for (; all.first < n && !status; all.first += most) {
        all.began = false;
        mplan_for(team, n - all.first < most ? n - all.first : most, piece, run_round, &all);
        status = atomic_load(&all.ask.stop) ? mplan_fail(err, MPLAN_ERR_INTERRUPTED, "interrupted")
                                            : mplan_interrupted(context, err);
    }
    return status;
}
