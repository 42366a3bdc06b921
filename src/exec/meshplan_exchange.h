/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_exchange.h - moves of members, mailboxes between devices, and exchanges inside the kernel of a loop
 *
 * A move copies members from one place to another; either end is a dat or a message. A mail is the way of messages from one
 * rank to another in one process: two rooms in the memory of the receiver, and counters in the memory of both, so that no host
 * takes part. Message number n (1, 2, ...) goes into room n % 2. The sender stores its rows there and then, with
 * release, the number as `arrived`; the receiver waits for that number with acquire and moves the rows on.
 *
 * Both ranks send each other one message in every exchange, an empty one where nothing is to be moved, and a rank receives
 * message n before it sends n + 1. So who sends n + 1 has seen n of the other, which was sent after the other had taken n - 1:
 * the room of n + 1 is free. Kernels (meshplan_cuda_exchange.h) and the host's functions share this header, and so their
 * numbering. */
#ifndef MESHPLAN_EXCHANGE_H
#define MESHPLAN_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__CUDACC__) || defined(__HIP__)
#include "meshplan_gpu.h"
#define MPLAN_HALO_FN static inline __host__ __device__
#else
#define MPLAN_HALO_FN static inline
#endif

/* One end of a move: number c of level j of row k is at data + (place of k * member + j * level + c * component) * bytes of
 * a number. */
typedef struct mplan_move_end {
    char *data;
    int64_t member, level, component;
    const int32_t *list; /* place of each row; NULL: two runs of places */
    int64_t first, n_first,
        second; /* rows below n_first are from `first` on, the others from `second` on */
} mplan_move_end;

/* n rows of levels x dim numbers of `size` bytes (1, 2, 4 or 8); without layers there is one level. */
typedef struct mplan_move {
    int64_t n;
    int32_t levels, dim, size;
    mplan_move_end from, to;
} mplan_move;

MPLAN_HALO_FN int64_t mplan_move_place(const mplan_move_end *end, int64_t k)
{
    return end->list          ? end->list[k]
           : k < end->n_first ? end->first + k
                              : end->second + k - end->n_first;
}

/* Bytes from the start of an end's data to number c of level j of row k. */
MPLAN_HALO_FN int64_t mplan_move_at(const mplan_move_end *end, int64_t k, int32_t j, int32_t c,
                                    int32_t size)
{
    return (mplan_move_place(end, k) * end->member + j * end->level + c * end->component) * size;
}

/* What a batch of moves is of: dats to dats, a message to send (`to` is a room), or one to receive (`from` is). */
typedef enum mplan_mail_use { MPLAN_MAIL_NONE, MPLAN_MAIL_SEND, MPLAN_MAIL_RECEIVE } mplan_mail_use;

/* One end of a mail. Words are 32-bit counters, zero at first, that wrap around. */
typedef struct mplan_mail_end {
    int64_t room;      /* bytes between the two rooms; moves name room 0 */
    uint32_t *arrived; /* of the receiver's memory: number of the last message that is complete */
    uint32_t *counted; /* own: messages sent, or received */
    uint32_t *blocks;  /* own: thread blocks that are done with the message at hand */
    uint32_t *stopped; /* own, of all mails of a rank: not 0 after a wait that was too long; then none waits */
    uint32_t *failed; /* memory that the host reads: 1 + the rank that was waited for in vain */
    uint32_t from_rank;
    int64_t patience; /* nanoseconds that a wait may take */
} mplan_mail_end;

/* Bytes to the room of a message. */
MPLAN_HALO_FN int64_t mplan_mail_room(const mplan_mail_end *mail, uint32_t number)
{
    return (number & 1) ? mail->room : 0;
}

/* Whether a message has arrived: numbers wrap around, and a sender is at most two ahead. */
MPLAN_HALO_FN bool mplan_mail_is_there(uint32_t arrived, uint32_t number)
{
    return (int32_t)(arrived - number) >= 0;
}

/* --- inside the kernel of a loop ----------------------------------------------------------
 *
 * The thread blocks of such a launch are, in this order: those that send the rank's messages, those that receive (they wait for
 * the neighbours' numbers), and the loop's own. Of these, blocks of members that may need a halo wait for `ready`, which the
 * last of the receiving blocks sets, and not for another device. Blocks of members that need none come before them and, as
 * many as the device holds at once, after them: then the halo is there when they begin, and what they do, which takes longer
 * than elsewhere, ends before the launch does. Devices start thread blocks in ascending order: what sends never waits for
 * room, and who waits for a message waits for blocks of another device that come before all that wait there. */

/* One end of a mail in such a launch: its thread blocks and moves, of the table's. */
typedef struct mplan_exchange_mail {
    mplan_mail_end end;
    int32_t first_block, n_blocks, first_move, n_moves;
} mplan_exchange_mail;

/* What one rank moves in an exchange, in memory of its device: n_out mails that are sent, n_in that are received and all
 * their moves follow one another behind it. */
typedef struct mplan_exchange_table {
    int32_t n_out, n_in;
    int32_t sending, blocks; /* thread blocks that send; all */
    int64_t n_moves;
} mplan_exchange_table;

MPLAN_HALO_FN const mplan_exchange_mail *mplan_exchange_mails(const mplan_exchange_table *table)
{
    return (const mplan_exchange_mail *)(const void *)(table + 1);
}
MPLAN_HALO_FN const mplan_move *mplan_exchange_moves(const mplan_exchange_table *table)
{
    return (const mplan_move *)(const void *)(mplan_exchange_mails(table) + table->n_out +
                                              table->n_in);
}
MPLAN_HALO_FN int64_t mplan_exchange_table_bytes(int64_t n_mails, int64_t n_moves)
{
    return (int64_t)sizeof(mplan_exchange_table) + n_mails * (int64_t)sizeof(mplan_exchange_mail) +
           n_moves * (int64_t)sizeof(mplan_move);
}

/* Of a launch. resident and per_block are what a kernel answers when it is prepared with an exchange. */
typedef struct mplan_launch_exchange {
    const mplan_exchange_table *table;
    /* words of the rank's memory, zero between launches: the halo is there; blocks that have seen that; mails received */
    uint32_t *ready, *passed, *done;
    int32_t blocks;        /* in front of the loop's own */
    int32_t first_waiting; /* in the grid: the first thread block of the loop that waits */
    int32_t waiting;       /* so many: the loop's from `whole` on */
    int32_t whole;
    int32_t resident;  /* thread blocks that the device holds at once */
    int32_t per_block; /* members of a thread block */
} mplan_launch_exchange;

#endif
