/* SPDX-License-Identifier: Apache-2.0 */
/* test_halo_mail.c - mailboxes between ranks of one process, by the host's functions
 *
 * Kernels use the same numbers, rooms and order of stores (device_halo.h); what they wait for on a device, threads
 * wait for here. */
#include "exec/ranks/halo_rows.h"

#include "support_test.h"

#include <pthread.h>
#include <sched.h>

#include "base/clock.h"

enum { ROWS = 40, DIM = 3, NUMBERS = ROWS * DIM };

/* A mail from one rank to another with all that belongs to it; both rooms hold ROWS rows. */
typedef struct box {
    double rooms[2][NUMBERS];
    uint32_t arrived, sent, taken, blocks[2], stopped[2], failed[2];
    mplan_mail_end out, in;
} box;

static void open_box(box *b, uint32_t from, uint32_t first, double patience)
{
    memset(b, 0, sizeof *b);
    b->arrived = b->sent = b->taken = first;
    b->out = (mplan_mail_end){.room = (int64_t)sizeof b->rooms[0],
                              .arrived = &b->arrived,
                              .counted = &b->sent,
                              .blocks = &b->blocks[0],
                              .stopped = &b->stopped[0],
                              .failed = &b->failed[0],
                              .from_rank = from,
                              .patience = (int64_t)(patience * 1e9)};
    b->in = b->out;
    b->in.counted = &b->taken;
    b->in.blocks = &b->blocks[1];
    b->in.stopped = &b->stopped[1];
    b->in.failed = &b->failed[1];
}

/* Sends numbers value, value + 1, ...: the rows of a list of an array of twice as many, in SoA. */
static void send(const box *b, double value)
{
    double from[2 * NUMBERS];
    int32_t list[ROWS];
    for (int i = 0; i < 2 * NUMBERS; i++)
        from[i] = -1;
    for (int k = 0; k < ROWS; k++) {
        list[k] = 2 * ROWS - 1 - 2 * k;
        for (int c = 0; c < DIM; c++)
            from[c * 2 * ROWS + list[k]] = value + k * DIM + c;
    }
    const mplan_move move = {
        .n = ROWS,
        .levels = 1,
        .dim = DIM,
        .size = 8,
        .from = {.data = (char *)from, .member = 1, .component = 2 * ROWS, .list = list},
        .to = {.data = (char *)(uintptr_t)b->rooms, .member = DIM, .component = 1, .n_first = ROWS}};
    mplan_host_moves_run(&move, 1, MPLAN_MAIL_SEND, &b->out);
}

/* Receives them into two runs of places with a gap; false: other numbers came. */
static bool receive(const box *b, double value)
{
    double to[2 * NUMBERS] = {0};
    const int64_t first = 5, half = 15, second = 2 * ROWS - (ROWS - half);
    const mplan_move move = {
        .n = ROWS,
        .levels = 1,
        .dim = DIM,
        .size = 8,
        .from = {.data = (char *)(uintptr_t)b->rooms, .member = DIM, .component = 1, .n_first = ROWS},
        .to = {.data = (char *)to,
               .member = DIM,
               .component = 1,
               .first = first,
               .n_first = half,
               .second = second}};
    bool good = true;
    mplan_host_moves_run(&move, 1, MPLAN_MAIL_RECEIVE, &b->in);
    for (int64_t k = 0; k < ROWS; k++)
        for (int64_t c = 0; c < DIM; c++)
            good = good && to[(k < half ? first + k : second + k - half) * DIM + c] ==
                               value + (double)(k * DIM + c);
    for (int64_t i = 0; i < first * DIM; i++)
        good = good && to[i] == 0;
    for (int64_t i = (first + half) * DIM; i < second * DIM; i++)
        good = good && to[i] == 0;
    return good;
}

/* A message may be sent while the one before has not been taken; both arrive as they were sent, in order. */
static void two_messages_have_two_rooms(void **state)
{
    (void)state;
    static box b;
    for (int wraps = 0; wraps < 2; wraps++) {
        open_box(&b, 1, wraps ? UINT32_MAX - 2 : 0, 10);
        for (int i = 0; i < 6; i += 2) { /* across the largest number */
            send(&b, 1000.0 * i);
            send(&b, 1000.0 * (i + 1));
            assert_true(receive(&b, 1000.0 * i));
            assert_true(receive(&b, 1000.0 * (i + 1)));
        }
        assert_int_equal(b.failed[0] | b.failed[1], 0);
    }
    b.out.room = 0; /* one room only: the second message is seen in the place of the first */
    send(&b, 1);
    send(&b, 2);
    b.in.room = 0;
    assert_false(receive(&b, 1));
}

/* Who waits in vain says for whom, and nobody waits again. */
static void waits_have_a_limit(void **state)
{
    (void)state;
    static box b;
    open_box(&b, 6, 0, 0.05);
    double begin = mplan_clock();
    assert_false(receive(&b, 1));
    assert_true(mplan_clock() - begin >= 0.05);
    assert_int_equal(b.failed[1], 7);
    assert_int_equal(b.failed[0], 0);
    b.in.patience = INT64_C(1000000000000);
    begin = mplan_clock();
    assert_false(receive(&b, 1));
    assert_true(mplan_clock() - begin < 100);
}

/* --- threads ------------------------------------------------------------------------------ */

enum { RANKS = 4, MESSAGES = 3000 };

/* A ring: boxes[r][0] goes to the next rank, boxes[r][1] to the one before. */
static box ring[RANKS][2];

static double value_of(int rank, int way, int message)
{
    return rank * 1e9 + way * 5e8 + message * 1e4;
}

/* As a rank exchanges: it sends to both neighbours, then receives from both; some are late now and then. */
static void *run_rank(void *user)
{
    const int r = *(const int *)user, next = (r + 1) % RANKS, last = (r + RANKS - 1) % RANKS;
    uint64_t seed = (uint64_t)r + 1;
    bool good = true;
    for (int i = 0; i < MESSAGES && good; i++) {
        for (int way = 0; way < 2; way++)
            send(&ring[r][way], value_of(r, way, i));
        for (int64_t pause = support_random(&seed, 4); pause > 0; pause--)
            sched_yield();
        good = receive(&ring[last][0], value_of(last, 0, i)) &&
               receive(&ring[next][1], value_of(next, 1, i));
    }
    return good ? user : NULL;
}

static void threads_exchange_in_a_ring(void **state)
{
    (void)state;
    pthread_t thread[RANKS];
    int rank[RANKS];
    for (int r = 0; r < RANKS; r++) {
        rank[r] = r;
        for (int way = 0; way < 2; way++)
            open_box(&ring[r][way], (uint32_t)r, 0, 100);
    }
    for (int r = 0; r < RANKS; r++)
        assert_int_equal(pthread_create(&thread[r], NULL, run_rank, &rank[r]), 0);
    for (int r = 0; r < RANKS; r++) {
        void *good = NULL;
        pthread_join(thread[r], &good);
        assert_non_null(good);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_messages_have_two_rooms),
        cmocka_unit_test(waits_have_a_limit),
        cmocka_unit_test(threads_exchange_in_a_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
