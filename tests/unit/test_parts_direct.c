/* SPDX-License-Identifier: Apache-2.0 */
/* test_parts_direct.c - ranks that are processes and store messages into memory that they share
 *
 * Each rank is a child of the test. A transport of shared memory carries what sets up, and messages where ranks are not direct;
 * what ranks say of themselves can be spoiled on the way, alike for all of them. */
#include "support_meeting.h"
#include "support_memory.h"
#include "support_ring.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/ranks/exec_parts_direct.h"

/* What is changed of what ranks say, and whether what they tell of their rooms is. */
static void (*spoil_cards)(mplan_rank_card *all);
static bool spoils_rooms;

/* Of what rank 1 tells of its rooms: the size of those for rank 0. */
static void spoil(const meeting_guest *own, char *all, int64_t bytes)
{
    const size_t rooms = sizeof(mplan_rooms_card) + (size_t)own->ranks * sizeof(int64_t[2]);
    if (spoil_cards && bytes == (int64_t)sizeof(mplan_rank_card))
        spoil_cards((void *)all);
    if (spoils_rooms && bytes == (int64_t)rooms)
        ((mplan_rooms_card *)(void *)(all + bytes))->at[0][1] += 16;
}

/* --- processes ----------------------------------------------------------------------------------- */

/* A case, which each of `ranks` children runs. */
typedef struct direct_case {
    int32_t ranks;
    mplan_rank_options how;
    const char *said; /* the transport of the executor, or the sentence of the refusal */
    void (*spoil)(mplan_rank_card *all);
    bool spoil_rooms;
    int (*run)(const struct direct_case *now, const mplan_transport *transport);
    const support_parts *parts;
    const ring_result *one;
} direct_case;

/* 0: all children ended well. One that fails takes the others with it, as they wait for it. */
static int in_processes(const direct_case *now)
{
    pid_t child[MEETING_MOST];
    int failed = 0;
    meeting *at = meeting_open(now->ranks);
    spoil_cards = now->spoil;
    spoils_rooms = now->spoil_rooms;
    fflush(NULL);
    for (int32_t r = 0; r < now->ranks; r++) {
        child[r] = meeting_fork();
        assert_true(child[r] >= 0);
        if (child[r] == 0) {
            meeting_guest own = {at, r, now->ranks, spoil, NULL, 0};
            const mplan_transport transport = meeting_transport(&own);
            exit(now->run(now, &transport));
        }
    }
    for (int32_t n = 0; n < now->ranks; n++) {
        int how = 0;
        const pid_t ended = wait(&how);
        for (int32_t r = 0; r < now->ranks; r++)
            child[r] = child[r] == ended ? 0 : child[r];
        if (how == 0 || failed)
            continue;
        failed = 1;
        for (int32_t r = 0; r < now->ranks; r++)
            if (child[r] > 0)
                kill(child[r], SIGKILL);
    }
    meeting_close(at);
    return failed;
}

/* The steps, with the bits of one process. */
static int run_steps(const direct_case *now, const mplan_transport *transport)
{
    static ring_result own;
    mplan_exec *exec;
    ring_must(support_parts_try(now->parts, transport, MPLAN_EXECUTOR_HOST, &now->how, &exec,
                                &ring_err),
              "open");
    ring_run(exec, &own);
    mplan_exec_close(exec);
    if (!ring_is_same(&own, now->one) || !strstr(own.transport, now->said)) {
        fprintf(stderr, "rank %d: %s\n", (int)transport->rank, own.transport);
        return 1;
    }
    /* all but the exchange before the first step are inside, where each rank has one part */
    return own.figures.inside ==
                   (now->how.inside && now->how.direct && !now->spoil && now->ranks == RING_PARTS
                        ? RING_STEPS - 1
                        : 0)
               ? 0
               : 1;
}

/* Opening is refused, by all ranks. */
static int is_refused(const direct_case *now, const mplan_transport *transport)
{
    mplan_exec *exec;
    const mplan_status status = support_parts_try(now->parts, transport, MPLAN_EXECUTOR_HOST,
                                                  &now->how, &exec, &ring_err);
    if (status == MPLAN_ERR_UNSUPPORTED && strstr(ring_err.text, now->said))
        return 0;
    fprintf(stderr, "rank %d: %s: %s\n", (int)transport->rank, mplan_status_name(status),
            ring_err.text);
    return 1;
}

/* The first exchange fails, on all ranks, and so does a second attempt, since rooms are still not open; all close. */
static int rooms_are_refused(const direct_case *now, const mplan_transport *transport)
{
    const char *const q[] = {"q"};
    mplan_exec *exec;
    ring_must(support_parts_try(now->parts, transport, MPLAN_EXECUTOR_HOST, &now->how, &exec,
                                &ring_err),
              "open");
    ring_must(mplan_exec_declare(exec, "q", "cells", 2, MPLAN_TYPE_F64, -1, &ring_err), "declare");
    ring_must(mplan_exec_fill(exec, "q", 0, &ring_err), "fill");
    int failed = 0;
    for (int attempt = 0; attempt < 2; attempt++) {
        ring_err.text[0] = '\0';
        const mplan_status status = mplan_exec_exchange_begin(exec, q, 1, NULL, &ring_err);
        failed += status && strstr(ring_err.text, now->said) ? 0 : 1;
    }
    mplan_exec_close(exec);
    return failed;
}

/* Rank 1 makes rooms with the other, but sends nothing: who waits for it says so in the next call, and in all behind it. Rank 1 learns of it where
 * it comes to make rooms again. */
static int waits_in_vain(const direct_case *now, const mplan_transport *transport)
{
    const char *const q[] = {"q"}, *const r[] = {"r"};
    mplan_exec *exec;
    mplan_status status;
    bool good = true;
    ring_must(support_parts_try(now->parts, transport, MPLAN_EXECUTOR_HOST, &now->how, &exec,
                                &ring_err),
              "open");
    ring_must(mplan_exec_declare(exec, "q", "cells", 2, MPLAN_TYPE_F64, -1, &ring_err), "declare");
    ring_must(mplan_exec_fill(exec, "q", 0, &ring_err), "fill");
    if (transport->rank == 1) {
        ring_must(mplan_exec_parts_reserve(exec->parts, MPLAN_OK, &ring_err), "reserve");
        ring_must(mplan_exec_declare(exec, "r", "cells", 1, MPLAN_TYPE_F64, -1, &ring_err),
                  "declare");
        ring_must(mplan_exec_fill(exec, "r", 0, &ring_err), "fill");
    } else {
        ring_must(mplan_exec_exchange_begin(exec, q, 1, NULL, &ring_err), "begin");
        ring_must(mplan_exec_exchange_end(exec, NULL, &ring_err), "end");
        status = mplan_exec_wait(exec, &ring_err);
        good = status == MPLAN_ERR_DEVICE && strstr(ring_err.text, now->said);
        ring_err.text[0] = '\0';
        status = mplan_exec_declare(exec, "r", "cells", 1, MPLAN_TYPE_F64, -1, &ring_err);
        good = good && status == MPLAN_ERR_DEVICE && strstr(ring_err.text, now->said);
    }
    ring_err.text[0] = '\0';
    status = mplan_exec_exchange_begin(exec, r, 1, NULL, &ring_err);
    good = good && status == MPLAN_ERR_DEVICE && strstr(ring_err.text, now->said) &&
           (transport->rank == 0 || strncmp(ring_err.text, "rank 0 failed: rank 0 ", 22) == 0);
    mplan_exec_close(exec);
    return good ? 0 : 1;
}

/* What was captured stores into rooms of then: refused once an exchange of more dats has made others. No device is there, so nothing is
 * replayed where it is not refused. */
static int old_graphs_are_refused(const direct_case *now, const mplan_transport *transport)
{
    const char *const q[] = {"q"};
    mplan_exec *exec;
    mplan_status replayed[3];
    ring_must(support_parts_try(now->parts, transport, MPLAN_EXECUTOR_HOST, &now->how, &exec,
                                &ring_err),
              "open");
    ring_must(mplan_exec_declare(exec, "q", "cells", 2, MPLAN_TYPE_F64, -1, &ring_err), "declare");
    ring_must(mplan_exec_fill(exec, "q", 0, &ring_err), "fill");
    ring_must(mplan_exec_parts_reserve(exec->parts, MPLAN_OK, &ring_err), "reserve");
    mplan_parts_graph own = {.n = 0, .rooms = exec->parts->rooms_made};
    mplan_exec_graph graph = {.exec = exec, .parts = &own};
    replayed[0] = mplan_exec_parts_replay(exec, &graph, NULL, &ring_err);
    ring_must(mplan_exec_parts_reserve(exec->parts, MPLAN_OK, &ring_err), "reserve");
    replayed[1] = mplan_exec_parts_replay(exec, &graph, NULL, &ring_err);
    ring_must(mplan_exec_declare(exec, "r", "cells", 1, MPLAN_TYPE_F64, -1, &ring_err), "declare");
    ring_must(mplan_exec_exchange_begin(exec, q, 1, NULL, &ring_err), "begin");
    ring_must(mplan_exec_exchange_end(exec, NULL, &ring_err), "end");
    replayed[2] = mplan_exec_parts_replay(exec, &graph, NULL, &ring_err);
    mplan_exec_close(exec);
    return replayed[0] || replayed[1] || replayed[2] != MPLAN_ERR_ARGUMENT ||
                   !strstr(ring_err.text, now->said)
               ? 1
               : 0;
}

/* --- what ranks say ------------------------------------------------------------------------------- */

static void on_another_host(mplan_rank_card *all)
{
    all[1].boot[0] ^= 1;
    strcpy(all[1].host, "elsewhere");
}
static void of_another_kind(mplan_rank_card *all)
{
    all[1].executor = MPLAN_EXECUTOR_CUDA;
}
static void without_memory(mplan_rank_card *all)
{
    all[1].word.status = MPLAN_ERR_MEMORY;
    strcpy(all[1].word.text, "out of memory");
}
static void of_no_process(mplan_rank_card *all)
{
    all[1].words.process = 0;
}
static void too_large(mplan_rank_card *all)
{
    all[1].words.bytes += 4096;
}
static void other_memory(mplan_rank_card *all)
{
    all[1].words.token[3] ^= 1;
}
static void of_two_devices(mplan_rank_card *all)
{
    all[0].executor = all[1].executor = all[2].executor = MPLAN_EXECUTOR_CUDA;
    strcpy(all[0].place, "0000:01:00.0");
    strcpy(all[1].place, "0000:02:00.0");
    strcpy(all[2].place, "0000:02:00.0");
}
/* Right in itself, but of another rank: marks go astray. */
static void swapped(mplan_rank_card *all)
{
    const mplan_box_card first = all[0].words;
    all[0].words = all[1].words;
    all[1].words = first;
}

static const struct {
    void (*spoil)(mplan_rank_card *all);
    const char *said;
} spoilt[] = {
    {on_another_host, "ranks 0 and 1 are on different hosts"},
    {of_another_kind, "ranks 0 and 1 have different executors"},
    {without_memory, "rank 1 failed: out of memory"},
    {of_no_process, "cannot be opened"},
    {too_large, "is not the memory that it should be"},
    {other_memory, "is other memory"},
    {of_two_devices, "ranks 1 and 2 are both on the device 0000:02:00.0"},
    {swapped, "stored into its memory is not there"},
};

/* --- tests ------------------------------------------------------------------------------------------ */

/* The parts, and what one process makes of them; cases begin with these. */
/* Seconds after which a rank that waits for others for ever ends with a failure. */
enum { FOR_EVER = 120 };

/* Allocation k of rank 1 fails from now on. */
static void begin_failing(const mplan_transport *transport, int64_t k)
{
    support_memory = (support_memory_state){
        .armed = transport->rank == 1, .left = k, .live = support_memory.live};
}

/* Whether it has failed; on all ranks. *alike: all had a failure then, and none of them otherwise. */
static bool end_failing(const mplan_transport *transport, mplan_status status, bool *alike)
{
    char mine[2] = {0, status != MPLAN_OK}, all[MEETING_MOST][2];
    support_memory.armed = false;
    mine[0] = support_memory.fired;
    (void)transport->all_gather(transport->user, mine, sizeof mine, all, NULL);
    for (int32_t r = 0; r < transport->ranks; r++)
        *alike = *alike && all[r][1] == all[1][0];
    return all[1][0];
}

/* Each allocation of rank 1 fails once while ranks open: none opens, and none waits for another. */
static int opening_fails_together(const direct_case *now, const mplan_transport *transport)
{
    bool failed = true, alike = true;
    alarm(FOR_EVER);
    for (int64_t k = 1; failed; k++) {
        mplan_exec *exec = NULL;
        begin_failing(transport, k);
        const mplan_status status = support_parts_try(now->parts, transport, MPLAN_EXECUTOR_HOST,
                                                      &now->how, &exec, &ring_err);
        failed = end_failing(transport, status, &alike);
        if (!alike)
            fprintf(stderr, "rank %d, allocation %lld: %s: %s\n", (int)transport->rank,
                    (long long)k, mplan_status_name(status), ring_err.text);
        if (!status)
            mplan_exec_close(exec);
        if (!alike)
            return 1;
    }
    return 0;
}

/* With a limited device memory ranks are not direct and do not come together; these parts have no slabs, so that none opens. */
static int refusal_keeps_nobody_waiting(const direct_case *now, const mplan_transport *transport)
{
    bool failed = true, opened = false, together = true;
    alarm(FOR_EVER);
    for (int64_t k = 1; failed && together; k++) {
        int64_t mine[2], all[MEETING_MOST][2];
        mplan_exec *exec = NULL;
        begin_failing(transport, k);
        const mplan_status status = support_parts_try(now->parts, transport, MPLAN_EXECUTOR_HOST,
                                                      &now->how, &exec, &ring_err);
        support_memory.armed = false;
        mine[0] = k; /* a rank that waited for others has met them where they tell this */
        mine[1] = support_memory.fired;
        (void)transport->all_gather(transport->user, mine, sizeof mine, all, NULL);
        for (int32_t r = 0; r < transport->ranks; r++)
            together = together && all[r][0] == k;
        failed = all[1][1];
        opened = opened || !status;
    }
    return opened || !together;
}

/* The same in the first exchange, which makes rooms; the next one begins anew. */
static int exchange_fails_together(const direct_case *now, const mplan_transport *transport)
{
    const char *const q[] = {"q"};
    bool failed = true, alike = true;
    alarm(FOR_EVER);
    for (int64_t k = 1; failed && alike; k++) {
        mplan_exec *exec;
        ring_must(support_parts_try(now->parts, transport, MPLAN_EXECUTOR_HOST, &now->how, &exec,
                                    &ring_err),
                  "open");
        ring_must(mplan_exec_declare(exec, "q", "cells", 2, MPLAN_TYPE_F64, -1, &ring_err),
                  "declare");
        ring_must(mplan_exec_fill(exec, "q", 0, &ring_err), "fill");
        begin_failing(transport, k);
        const mplan_status status = mplan_exec_exchange_begin(exec, q, 1, NULL, &ring_err);
        failed = end_failing(transport, status, &alike);
        if (!alike)
            fprintf(stderr, "rank %d, allocation %lld: %s: %s\n", (int)transport->rank,
                    (long long)k, mplan_status_name(status), ring_err.text);
        if (alike && status)
            ring_must(mplan_exec_exchange_begin(exec, q, 1, NULL, &ring_err), "begin again");
        if (alike)
            ring_must(mplan_exec_exchange_end(exec, NULL, &ring_err), "end");
        if (alike)
            ring_must(mplan_exec_wait(exec, &ring_err), "wait");
        mplan_exec_close(exec);
    }
    return !alike;
}

static direct_case prepare(bool far, support_parts *parts, ring_result *one)
{
    mplan_mesh *mesh = ring_mesh();
    direct_case now = {.how = MPLAN_RANK_OPTIONS_INIT, .run = run_steps, .parts = parts, .one = one};
    ring_parts(mesh, far, parts);
    mplan_mesh_free(mesh);
    now.how.poison = true;
    mplan_exec *exec = support_parts_open(parts, NULL, MPLAN_EXECUTOR_HOST, &now.how);
    ring_run(exec, one);
    mplan_exec_close(exec);
    now.how.patience = 1e6; /* however busy the machine is */
    return now;
}

static void processes_have_the_bits_of_one(void **state)
{
    (void)state;
    static ring_result one;
    static const int32_t ranks[] = {1, 2, 3, RING_PARTS};
    for (int far = 0; far < 2; far++) {
        support_parts parts;
        direct_case now = prepare(far, &parts, &one);
        for (int k = 0; k < 4; k++)
            for (int inside = 0; inside < 2; inside++) {
                now.ranks = ranks[k];
                now.how.inside = inside;
                now.how.overlap = far || inside;
                now.how.direct = inside ? MPLAN_DIRECT_ALWAYS : MPLAN_DIRECT_IF_ALL_CAN;
                now.said = inside && ranks[k] == RING_PARTS
                               ? "peer-inside, stores into memory that processes share"
                               : "peer, stores into memory that processes share";
                assert_int_equal(in_processes(&now), 0);
            }
        support_parts_free(&parts);
    }
}

/* Where some rank cannot be reached, all go by the transport and say why, or all are refused. */
static void who_cannot_share_says_why(void **state)
{
    (void)state;
    static ring_result one;
    support_parts parts;
    direct_case now = prepare(false, &parts, &one);
    now.ranks = 3;
    for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
        now.spoil = spoilt[i].spoil;
        now.said = spoilt[i].said;
        now.run = run_steps;
        now.how.direct = MPLAN_DIRECT_IF_ALL_CAN;
        assert_int_equal(in_processes(&now), 0);
        now.run = is_refused;
        now.how.direct = MPLAN_DIRECT_ALWAYS;
        assert_int_equal(in_processes(&now), 0);
    }
    now.spoil = NULL;
    now.how.direct = MPLAN_DIRECT_NEVER;
    now.run = run_steps;
    now.said = "meeting, host memory";
    assert_int_equal(in_processes(&now), 0);
    support_parts_free(&parts);
}

static void faults_are_told_by_all_ranks(void **state)
{
    (void)state;
    static ring_result one;
    support_parts parts;
    direct_case now = prepare(false, &parts, &one);
    now.ranks = 3;
    now.how.direct = MPLAN_DIRECT_ALWAYS;
    now.spoil_rooms = true;
    now.run = rooms_are_refused;
    now.said = "rank 1 has rooms of";
    assert_int_equal(in_processes(&now), 0);
    now.spoil_rooms = false;
    now.ranks = 2;
    now.how.patience = 1e-6;
    now.run = waits_in_vain;
    now.said = "for the halo of rank 1";
    assert_int_equal(in_processes(&now), 0);
    support_parts_free(&parts);
}

static void graphs_end_with_their_rooms(void **state)
{
    (void)state;
    static ring_result one;
    support_parts parts;
    direct_case now = prepare(false, &parts, &one);
    now.ranks = 3;
    now.how.direct = MPLAN_DIRECT_ALWAYS;
    now.run = old_graphs_are_refused;
    now.said = "capture the steps again";
    assert_int_equal(in_processes(&now), 0);
    support_parts_free(&parts);
}

static void ranks_without_memory_keep_nobody_waiting(void **state)
{
    (void)state;
    static ring_result one;
    support_parts parts;
    direct_case now = prepare(false, &parts, &one);
    now.ranks = 3;
    now.how.direct = MPLAN_DIRECT_ALWAYS;
    now.run = opening_fails_together;
    assert_int_equal(in_processes(&now), 0);
    now.run = exchange_fails_together;
    assert_int_equal(in_processes(&now), 0);
    now.run = refusal_keeps_nobody_waiting;
    now.how.direct = MPLAN_DIRECT_IF_ALL_CAN;
    parts.device_memory = 1 << 20;
    assert_int_equal(in_processes(&now), 0);
    support_parts_free(&parts);
}

/* It is for processes, and its values have names. */
static void direct_is_checked(void **state)
{
    (void)state;
    static ring_result one;
    support_parts parts;
    mplan_exec *exec = NULL;
    direct_case now = prepare(false, &parts, &one);
    meeting_guest own = {NULL, 0, 1, NULL, NULL, 0};
    const mplan_transport transport = meeting_transport(&own);
    now.how.direct = MPLAN_DIRECT_ALWAYS;
    assert_refused(support_parts_try(&parts, NULL, MPLAN_EXECUTOR_HOST, &now.how, &exec, &ring_err),
                   MPLAN_ERR_ARGUMENT, &ring_err, "ranks of one process are direct by their devices");
    now.how.direct = MPLAN_DIRECT_ALWAYS + 1;
    assert_refused(support_parts_try(&parts, &transport, MPLAN_EXECUTOR_HOST, &now.how, &exec,
                                     &ring_err),
                   MPLAN_ERR_ARGUMENT, &ring_err, "no way 3");
    support_parts_free(&parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_have_the_bits_of_one),
        cmocka_unit_test(who_cannot_share_says_why),
        cmocka_unit_test(faults_are_told_by_all_ranks),
        cmocka_unit_test(graphs_end_with_their_rooms),
        cmocka_unit_test(ranks_without_memory_keep_nobody_waiting),
        cmocka_unit_test(direct_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
