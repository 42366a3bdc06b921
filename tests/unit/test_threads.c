/* SPDX-License-Identifier: Apache-2.0 */
/* test_threads.c - teams against loops of one thread: each index once, whatever the threads
 *
 * The program is linked with --wrap, so that threads which the library makes can be refused. */
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support_refused_threads.h"
#include "support_test.h"
#include "support_threads.h"

#include "base/buckets.h"
#include "base/error.h"
#include "base/processors.h"

static const int numbers[] = {1, 2, 3, 7, 16};
enum { N_NUMBERS = 5, MOST = 3000 };

/* --- what loops do -------------------------------------------------------------------- */

typedef struct visits {
    int32_t count[MOST]; /* per index */
    int32_t threads;
    int32_t wrong; /* threads of a number that there is not */
    int64_t value[MOST];
} visits;

static void visit(void *data, int thread, int64_t begin, int64_t end)
{
    visits *v = data;
    if (thread < 0 || thread >= v->threads || begin >= end)
        mplan_poke(&v->wrong, 1);
    for (int64_t i = begin; i < end; i++)
        v->count[i]++;
}

static int64_t add_values(void *data, int thread, int64_t begin, int64_t end)
{
    const visits *v = data;
    int64_t sum = 0;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        sum += v->value[i];
    return sum;
}

static int64_t least_value(void *data, int thread, int64_t begin, int64_t end)
{
    const visits *v = data;
    int64_t least = INT64_MAX;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        least = v->value[i] < least ? v->value[i] : least;
    return least;
}

static void check_loop(mplan_team *team, visits *v, int64_t n, int64_t piece)
{
    int64_t sum = 0, least = 500;
    v->threads = mplan_team_threads(team);
    for (int heeding = 1; heeding >= 0; heeding--) {
        memset(v->count, 0, sizeof v->count);
        if (heeding)
            assert_int_equal(mplan_for_heeding(team, n, piece, visit, v, NULL, NULL), MPLAN_OK);
        else
            mplan_for(team, n, piece, visit, v);
        for (int64_t i = 0; i < MOST; i++)
            assert_int_equal(v->count[i], i < n);
    }
    assert_int_equal(v->wrong, 0);
    for (int64_t i = 0; i < n; i++) {
        sum += v->value[i];
        least = v->value[i] < least ? v->value[i] : least;
    }
    assert_int_equal(mplan_for_sum(team, n, piece, add_values, v), sum);
    assert_int_equal(mplan_for_least(team, n, piece, least_value, v, 500), least);
}

/* Offsets of counts as one thread makes them, and bytes that are set. */
static void sums_and_bytes(void **state)
{
    enum { N = 300 };
    (void)state;
    uint64_t seed = 5;
    mplan_team team;
    mplan_team_open(&team, 3);
    for (int round = 0; round < 400; round++) {
        int64_t one[N + 2], many[N + 2], n = support_random(&seed, N + 1);
        unsigned char bytes[N + 2];
        team.pieces = support_random(&seed, 200);
        for (int64_t i = 0; i < N + 2; i++)
            one[i] = many[i] = support_random(&seed, 50) - 10;
        mplan_sum_counts(one, n);
        mplan_for_sums(round % 4 ? &team : NULL, n, many);
        assert_memory_equal(one, many, sizeof one);
        memset(bytes, 7, sizeof bytes);
        mplan_for_set(&team, bytes + 1, 0xff, n);
        for (int64_t i = 0; i < N + 2; i++)
            assert_int_equal(bytes[i], i >= 1 && i <= n ? 0xff : 7);
    }
    mplan_team_close(&team);
}

static void each_index_once(void **state)
{
    (void)state;
    static visits v;
    uint64_t seed = 5;
    for (int k = -1; k < N_NUMBERS; k++) {
        mplan_team team;
        if (k >= 0)
            support_team_open(&team, numbers[k]);
        for (int i = 0; i < 300; i++) {
            int64_t n = support_random(&seed, i % 3 ? MOST : 20);
            for (int64_t j = 0; j < MOST; j++)
                v.value[j] = support_random(&seed, 100000) - 200;
            check_loop(k < 0 ? NULL : &team, &v, n, 1 + support_random(&seed, i % 2 ? 4 : n + 2));
        }
        if (k >= 0)
            mplan_team_close(&team);
    }
}

/* As the native partitioner has them: thousands of loops of a few pieces. */
static void short_loops(void **state)
{
    (void)state;
    static visits v;
    mplan_team team;
    support_team_open(&team, 4);
    v.threads = mplan_team_threads(&team);
    memset(v.count, 0, sizeof v.count);
    for (int i = 0; i < 20000; i++)
        mplan_for(&team, 1 + i % 7, 1, visit, &v);
    for (int i = 0; i < 7; i++) /* loops of more than i pieces, 2857 of each length and one more */
        assert_int_equal(v.count[i], 2857 * (7 - i) + (i == 0));
    assert_int_equal(v.wrong, 0);
    mplan_team_close(&team);
}

#ifdef MPLAN_HAVE_THREADS

#include <pthread.h>

/* --- asked while it runs ------------------------------------------------------------------- */

/* A loop whose calling thread is asked; the others wait in their first piece until it has had three. */
typedef struct asking {
    pthread_t caller;
    _Atomic int32_t own_pieces;
    int32_t pieces[8];
    _Atomic int32_t asks;
    int32_t most; /* the answer is yes from the ask behind `most` on */
    bool wrong;
} asking;

static bool answer(void *user)
{
    asking *a = user;
    a->wrong = a->wrong || !pthread_equal(pthread_self(), a->caller);
    return atomic_fetch_add(&a->asks, 1) >= a->most;
}

static void ask_between(void *data, int thread, int64_t begin, int64_t end)
{
    asking *a = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        a->pieces[i]++;
    if (pthread_equal(pthread_self(), a->caller))
        atomic_fetch_add(&a->own_pieces, 1);
    else
        while (atomic_load(&a->own_pieces) < 3 && atomic_load(&a->asks) <= a->most)
            nanosleep(&(struct timespec){0, 100000}, NULL);
}

/* Two threads have 8 pieces in a round: the calling one gets 7 at least, and is not to run them all without a question. */
static void a_round_is_interrupted(void **state)
{
    (void)state;
    mplan_error err;
    for (int32_t most = 1; most <= 20; most += 19) {
        asking a = {.caller = pthread_self(), .most = most};
        mplan_context context = MPLAN_CONTEXT_INIT;
        mplan_team team;
        int32_t ran = 0;
        context.user = &a;
        context.cancelled = answer;
        support_team_open(&team, 2);
        mplan_status status = mplan_for_heeding(&team, 8, 1, ask_between, &a, &context, &err);
        mplan_team_close(&team);
        for (int i = 0; i < 8; i++)
            ran += a.pieces[i];
        assert_false(a.wrong);
        if (most ==
            20) { /* never: each of its pieces but the first is asked for, and the end of the round */
            assert_int_equal(status, MPLAN_OK);
            assert_int_equal(ran, 8);
            assert_true(a.asks >= 3);
            continue;
        }
        assert_refused(status, MPLAN_ERR_INTERRUPTED, &err, "interrupted");
        assert_int_equal(a.asks, 2);
    }
}

/* What the calling thread has heard, others are told, and only it asks. */
static void answers_are_shared(void **state)
{
    (void)state;
    asking a = {.caller = pthread_self(), .most = 1};
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.user = &a;
    context.cancelled = answer;
    mplan_ask ask = {.context = &context};
    mplan_asker caller, other;
    mplan_ask_by(&ask, 0, &caller);
    mplan_ask_by(&ask, 3, &other);
    assert_int_equal(mplan_interrupted(&other.context, NULL), MPLAN_OK);
    assert_int_equal(mplan_interrupted(&caller.context, NULL), MPLAN_OK);
    assert_int_equal(mplan_interrupted(&other.context, NULL), MPLAN_OK);
    assert_int_equal(a.asks, 1);
    assert_int_equal(mplan_interrupted(&caller.context, NULL), MPLAN_ERR_INTERRUPTED);
    assert_int_equal(mplan_interrupted(&other.context, NULL), MPLAN_ERR_INTERRUPTED);
    assert_int_equal(a.asks, 2);
    mplan_ask nobody = {.context = NULL};
    mplan_ask_by(&nobody, 0, &caller);
    assert_int_equal(mplan_interrupted(&caller.context, NULL), MPLAN_OK);
}

/* --- side by side ------------------------------------------------------------------------ */

static void nap(void)
{
    nanosleep(&(struct timespec){0, 1000000}, NULL);
}

/* Each piece waits until all have begun, or long enough. */
typedef struct meeting {
    _Atomic int32_t there;
    int32_t wanted, alone;
    pthread_t caller;
} meeting;

static void meet(void *data, int thread, int64_t begin, int64_t end)
{
    meeting *m = data;
    (void)begin, (void)end;
    atomic_fetch_add(&m->there, 1);
    for (int i = 0; i < 200000 && atomic_load(&m->there) < m->wanted; i++)
        nap();
    if (atomic_load(&m->there) < m->wanted)
        mplan_poke(&m->alone, 1);
    if ((thread == 0) != (pthread_equal(pthread_self(), m->caller) != 0))
        mplan_poke(&m->alone, 2);
}

static void pieces_run_side_by_side(void **state)
{
    (void)state;
    for (int k = 0; k < N_NUMBERS; k++) {
        mplan_team team;
        meeting m = {0, numbers[k], 0, pthread_self()};
        support_team_open(&team, numbers[k]);
        assert_int_equal(mplan_team_threads(&team), numbers[k]);
        mplan_for(&team, numbers[k], 1, meet, &m);
        assert_int_equal(m.alone, 0);
        mplan_team_close(&team);
    }
}

/* A loop within a piece stays in its thread. */
typedef struct nest {
    mplan_team *team;
    int32_t strayed;
    int32_t count[64];
} nest;

typedef struct inner {
    nest *all;
    pthread_t thread;
    int64_t row;
} inner;

static void run_inner(void *data, int thread, int64_t begin, int64_t end)
{
    const inner *in = data;
    if (thread != 0 || !pthread_equal(pthread_self(), in->thread))
        mplan_poke(&in->all->strayed, 1);
    for (int64_t i = begin; i < end; i++)
        in->all->count[8 * in->row + i]++;
}

static void run_outer(void *data, int thread, int64_t begin, int64_t end)
{
    nest *all = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        inner in = {all, pthread_self(), i};
        mplan_for(all->team, 8, 1, run_inner, &in);
    }
}

static void loops_within_loops(void **state)
{
    (void)state;
    mplan_team team;
    support_team_open(&team, 4);
    nest all = {.team = &team};
    for (int i = 0; i < 500; i++)
        mplan_for(&team, 8, 1, run_outer, &all);
    for (int i = 0; i < 64; i++)
        assert_int_equal(all.count[i], 500);
    assert_int_equal(all.strayed, 0);
    mplan_team_close(&team);
}

/* Two threads of a program that use one team get all their pieces run. */
static void *use_team(void *data)
{
    visits *v = calloc(1, sizeof *v);
    v->threads = mplan_team_threads(data);
    for (int i = 0; i < 2000; i++)
        mplan_for(data, MOST, MOST / 8, visit, v);
    int64_t wrong = v->wrong;
    for (int i = 0; i < MOST; i++)
        wrong += v->count[i] != 2000;
    free(v);
    return wrong ? data : NULL;
}

static void programs_with_threads(void **state)
{
    (void)state;
    mplan_team team;
    pthread_t other;
    void *wrong = &team;
    support_team_open(&team, 3);
    assert_int_equal(mplan_team_threads(&team), 3);
    assert_int_equal(pthread_create(&other, NULL, use_team, &team), 0);
    assert_null(use_team(&team));
    assert_int_equal(pthread_join(other, &wrong), 0);
    assert_null(wrong);
    mplan_team_close(&team);
}

/* --- refused, forked, signalled ------------------------------------------------------------ */

/* Fewer threads, the same loops; one that was refused is not asked for again. */
static void threads_that_are_refused(void **state)
{
    (void)state;
    static visits v;
    for (support_may_make = 0; support_may_make <= 7; support_may_make++) {
        mplan_team team;
        support_made = 0;
        support_team_open(&team, 7);
        for (int i = 0; i < 50; i++)
            check_loop(&team, &v, MOST, 1 + 7 * i);
        assert_int_equal(support_made, support_may_make < 6 ? support_may_make : 6);
        mplan_team_close(&team);
    }
    support_may_make = -1;
}

static void threads_are_made_when_wanted(void **state)
{
    (void)state;
    static visits v;
    mplan_team team;
    support_made = 0;
    support_team_open(&team, 7);
    check_loop(&team, &v, 100, 100);
    assert_int_equal(support_made, 0);
    check_loop(&team, &v, 100, 34);
    assert_int_equal(support_made, 2);
    check_loop(&team, &v, 100, 1);
    assert_int_equal(support_made, 6);
    mplan_team_close(&team);
}

static void a_fork_goes_on_alone(void **state)
{
    (void)state;
    static visits v;
    mplan_team team;
    int status;
    support_team_open(&team, 4);
    check_loop(&team, &v, MOST, 10);
    pid_t child = fork();
    if (child == 0) {
        alarm(600);
        mplan_for(&team, MOST, 10, visit, &v);
        mplan_team_close(&team);
        for (int64_t i = 0; i < MOST; i++)
            if (v.count[i] != 2)
                _exit(1);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    check_loop(&team, &v, MOST, 10);
    mplan_team_close(&team);
}

static void look_at_signals(void *data, int thread, int64_t begin, int64_t end)
{
    static const int blocked[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1, SIGCHLD, SIGPIPE};
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    sigset_t now;
    int32_t wrong = 0;
    meet(data, thread, begin, end);
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    for (int i = 0; i < 7; i++)
        wrong |= sigismember(&now, blocked[i]) != (thread > 0);
    for (int i = 0; i < 4; i++)
        wrong |= sigismember(&now, faults[i]) != 0;
    if (wrong)
        mplan_poke(&((meeting *)data)->alone, 4);
}

static void signals_go_to_the_program(void **state)
{
    (void)state;
    mplan_team team;
    meeting m = {0, 3, 0, pthread_self()};
    support_team_open(&team, 3);
    mplan_for(&team, 3, 1, look_at_signals, &m);
    assert_int_equal(m.alone, 0);
    mplan_team_close(&team);
}

/* --- how many ----------------------------------------------------------------------------- */

static void contexts_carry_teams(void **state)
{
    (void)state;
    mplan_context context = MPLAN_CONTEXT_INIT;
    mplan_threaded outer, inner_one;
    context.threads = 1;
    assert_null(mplan_team_of(NULL));
    assert_null(mplan_team_of(&context));
    const mplan_context *threaded = mplan_threaded_open(&context, &outer);
    mplan_team *team = mplan_team_of(threaded);
    assert_non_null(team);
    assert_int_equal(mplan_team_threads(team), 1);
    assert_ptr_equal(mplan_threaded_open(threaded, &inner_one), threaded);
    mplan_threaded_close(&inner_one);
    assert_ptr_equal(mplan_team_of(threaded), team);
    mplan_threaded_close(&outer);
    for (int32_t asked = 0; asked <= 100000; asked = 10 * asked + 1) {
        int all = mplan_processors(MPLAN_MOST_THREADS);
        context.threads = asked;
        team = mplan_team_of(mplan_threaded_open(&context, &outer));
        assert_int_equal(mplan_team_threads(team), asked > 0 && asked < all ? asked : all);
        mplan_threaded_close(&outer);
    }
}

#endif

static void the_environment_lowers(void **state)
{
    (void)state;
    static const char *const words[] = {
        "", "abc", "-1", "0", "99999", "99999999999999999999", "1025", "4x", "3.5", "1024"};
    const char *old = getenv("OMP_NUM_THREADS");
    char *kept = old ? strdup(old) : NULL;
    unsetenv("OMP_NUM_THREADS");
    int all = mplan_processors(1024);
    assert_in_range(all, 1, 1024);
    assert_int_equal(mplan_processors(1), 1);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        setenv("OMP_NUM_THREADS", words[i], 1);
        assert_int_equal(mplan_processors(1024), all);
    }
    setenv("OMP_NUM_THREADS", "1", 1);
    assert_int_equal(mplan_processors(1024), 1);
    setenv("OMP_NUM_THREADS", "1,8", 1);
    assert_int_equal(mplan_processors(1024), 1);
    setenv("OMP_NUM_THREADS", "2 ", 1);
    assert_int_equal(mplan_processors(1024), all < 2 ? all : 2);
    if (kept)
        setenv("OMP_NUM_THREADS", kept, 1);
    else
        unsetenv("OMP_NUM_THREADS");
    free(kept);
}

/* --- quotas ---------------------------------------------------------------------------------- */

static char folder[] = "/tmp/meshplan-quota-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *at = path + strlen(folder) + 1; (at = strchr(at, '/')); *at++ = '/') {
        *at = '\0';
        mkdir(path, 0700);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int remove_folder(void **state)
{
    char command[300];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static int quota(const char *groups)
{
    return mplan_processor_quota(groups, folder);
}

static void quotas_of_groups(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(quota("0::/\n"), 0);
    assert_int_equal(quota(""), 0);
    put("cpu.max", "max 100000\n");
    put("a/cpu.max", "350000 100000\n");
    put("a/b/cpu.max", "max 100000\n");
    put("a/c/cpu.max", "50000 100000\n");
    put("a/d/cpu.max", "800000 100000\n");
    assert_int_equal(quota("0::/\n"), 0);
    assert_int_equal(quota("0::/a\n"), 4);   /* 3.5 processors */
    assert_int_equal(quota("0::/a/b\n"), 4); /* of the group around it */
    assert_int_equal(quota("0::/a/c"), 1);
    assert_int_equal(quota("0::/a/d\n"), 4);
    assert_int_equal(quota("0::/elsewhere/x\n"), 0);
    put("cpu.max", "200000 100000\n"); /* as a container sees its own group */
    assert_int_equal(quota("0::/elsewhere/x\n"), 2);
    put("cpu.max", "nonsense\n");
    put("cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    put("cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    put("cpu,cpuacct/g/cpu.cfs_quota_us", "250000\n");
    put("cpu,cpuacct/g/cpu.cfs_period_us", "100000\n");
    assert_int_equal(quota("9:memory:/g\n4:cpu,cpuacct:/g\n0::/\n"), 3);
    assert_int_equal(quota("4:cpu,cpuacct:/\n"), 0);
    assert_int_equal(quota("4:cpuset:/g\n"), 0);
    assert_int_equal(quota("no colons\n::\n4:cpu,cpuacct:/g/deeper\n"), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_bytes),
        cmocka_unit_test(each_index_once),
        cmocka_unit_test(short_loops),
#ifdef MPLAN_HAVE_THREADS
        cmocka_unit_test(a_round_is_interrupted),
        cmocka_unit_test(answers_are_shared),
        cmocka_unit_test(pieces_run_side_by_side),
        cmocka_unit_test(loops_within_loops),
        cmocka_unit_test(programs_with_threads),
        cmocka_unit_test(threads_that_are_refused),
        cmocka_unit_test(threads_are_made_when_wanted),
        cmocka_unit_test(a_fork_goes_on_alone),
        cmocka_unit_test(signals_go_to_the_program),
        cmocka_unit_test(contexts_carry_teams),
#endif
        cmocka_unit_test(the_environment_lowers),
        cmocka_unit_test_teardown(quotas_of_groups, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
