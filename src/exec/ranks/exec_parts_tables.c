/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_tables.c - what each rank moves in an exchange inside a loop (meshplan_exchange.h), in memory of its device
 *
 * A table never changes once it is there, since a graph may hold it: a launch takes the one with its content or adds it. On the
 * host the same tables are gone through by functions. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/ranks/halo_rows.h"

/* Tables of a rank; an exchange that finds no room for its own goes by kernels of messages. Numbers that a thread moves, and
 * the most thread blocks of one mail: senders come first and are gone soon, receivers keep others from their places. */
enum { TABLES = 32, NUMBERS_EACH = 2, THREADS = 128, MOST_SENDING = 64, MOST_RECEIVING = 16 };

/* The executor of a rank's only part here. */
static mplan_exec *exec_of(const mplan_exec_parts *parts, int32_t rank)
{
    return mplan_exec_parts_exec(parts, rank - mplan_exec_parts_first_rank(parts));
}

/* Whether each rank that is here has one part. */
static bool has_one_each(const mplan_exec_parts *parts)
{
    return parts->n_here == mplan_exec_parts_end_rank(parts) - mplan_exec_parts_first_rank(parts);
}

/* Whether launches with messages inside can be at all: each rank has one part, so that nothing is copied within a rank. */
bool mplan_exec_parts_may_go_inside(const mplan_exec_parts *parts)
{
    assert(parts);
    return parts->to_inside && parts->lanes && !parts->by_nccl && parts->overlap &&
           has_one_each(parts) && parts->n_copies == 0;
}

/* Moves of links [first, end), of the dats of the exchange at hand. */
static int64_t count_moves(const mplan_exec_parts *parts, int64_t first, int64_t end)
{
    int64_t n = 0;
    for (int64_t k = first; k < end; k++)
        for (int32_t j = 0; j < parts->n_dats; j++)
            n += mplan_exec_parts_exec(parts, 0)->dats[parts->dats[j]].set == parts->links[k].set;
    return n;
}

/* Bytes of the largest table of a rank, with all dats at hand. */
static int64_t most_bytes(const mplan_exec_parts *parts, int32_t rank)
{
    int64_t mails = 0, moves = 0;
    for (int64_t m = 0; m < parts->n_mails; m++) {
        const mplan_mail *mail = &parts->mails[m];
        if (mail->from_rank != rank && mail->to_rank != rank)
            continue;
        mails++;
        moves += count_moves(parts, mail->first, mail->end);
    }
    return mplan_exchange_table_bytes(mails, moves);
}

static void release_tables(const mplan_exec_parts *parts, int32_t rank)
{
    mplan_lane *lane = &parts->lanes[rank];
    mplan_exec *exec = exec_of(parts, rank);
    if (lane->tables != lane->tables_there && mplan_exec_use(exec, NULL) == MPLAN_OK) {
        mplan_exec_release(exec, lane->tables_there);
        exec->bytes -= lane->table_room * TABLES;
    }
    free(lane->tables);
    lane->tables = lane->tables_there = NULL;
    lane->n_tables = lane->n_uploaded = 0;
    lane->table_room = 0;
}

/* Also of what was made halfway. */
void mplan_exec_parts_tables_close(mplan_exec_parts *parts)
{
    assert(parts && parts->lanes);
    for (int32_t r = mplan_exec_parts_first_rank(parts);
         r < mplan_exec_parts_end_rank(parts) && has_one_each(parts); r++)
        release_tables(parts, r);
}

/* Room for the tables of one rank, each of so many bytes. */
static mplan_status make_tables(mplan_exec_parts *parts, int32_t rank, int64_t bytes, mplan_error *err)
{
    mplan_lane *lane = &parts->lanes[rank];
    mplan_exec *exec = exec_of(parts, rank);
    release_tables(parts, rank);
    lane->tables = mplan_alloc_zero(TABLES, (size_t)bytes, err);
    if (!lane->tables)
        return MPLAN_ERR_MEMORY;
    lane->tables_there = lane->tables;
    lane->table_room = bytes;
    if (exec->executor != MPLAN_EXECUTOR_CUDA)
        return MPLAN_OK;
    void *there = NULL;
    mplan_status status = mplan_exec_use(exec, err);
    if (!status)
        status = mplan_exec_allocate(exec, bytes, TABLES, &there, err);
    if (!status)
        lane->tables_there = there;
    return status;
}

/* While all dats are at hand (mplan_exec_parts_reserve), and no launch is captured. */
mplan_status mplan_exec_parts_tables_rooms(mplan_exec_parts *parts, mplan_error *err)
{
    assert(parts);
    mplan_status status = MPLAN_OK;
    for (int32_t r = mplan_exec_parts_first_rank(parts);
         mplan_exec_parts_may_go_inside(parts) && r < mplan_exec_parts_end_rank(parts) && !status;
         r++) {
        const int64_t bytes = (most_bytes(parts, r) + 15) / 16 * 16;
        if (bytes <= parts->lanes[r].table_room)
            continue;
        status = mplan_exec_wait(exec_of(parts, r), err); /* which may use those that are there */
        if (!status)
            status = make_tables(parts, r, bytes, err);
    }
    return status;
}

/* Tables that were added are written where kernels read them; nothing of this thread is captured. */
mplan_status mplan_exec_parts_tables_upload(mplan_exec_parts *parts, mplan_error *err)
{
    assert(parts);
    mplan_status status = MPLAN_OK;
    for (int32_t r = mplan_exec_parts_first_rank(parts);
         mplan_exec_parts_may_go_inside(parts) && r < mplan_exec_parts_end_rank(parts) && !status;
         r++) {
        mplan_lane *lane = &parts->lanes[r];
        const int64_t first = lane->n_uploaded * lane->table_room;
        if (lane->n_uploaded == lane->n_tables || lane->tables == lane->tables_there)
            continue;
        status = mplan_exec_use(exec_of(parts, r), err);
        if (!status)
            status = mplan_gpu_upload(lane->tables_there + first, lane->tables + first,
                                      (lane->n_tables - lane->n_uploaded) * lane->table_room, err);
        if (!status)
            lane->n_uploaded = lane->n_tables;
    }
    return status;
}

/* Thread blocks for n moves of a mail. */
static int32_t blocks_for(const mplan_move *moves, int64_t n, int32_t most)
{
    int64_t numbers = 0;
    for (int64_t i = 0; i < n; i++)
        numbers += moves[i].n * moves[i].levels * moves[i].dim;
    const int64_t wanted = (numbers + NUMBERS_EACH * THREADS - 1) / (NUMBERS_EACH * THREADS);
    return wanted < 1 ? 1 : wanted > most ? most : (int32_t)wanted;
}

/* One end of a mail, behind those that are in the table; moves: the table's, table->n_moves of them so far. */
static mplan_status add_mail(mplan_exec_parts *parts, mplan_mail *mail, bool send,
                             mplan_exchange_table *table, mplan_move *moves, mplan_error *err)
{
    mplan_exchange_mail *own = (mplan_exchange_mail *)(void *)(table + 1) + table->n_out +
                               table->n_in;
    int64_t n = 0;
    mplan_status status = mplan_exec_parts_collect(parts, mail->first, mail->end, mail->rooms, send,
                                                   &n, &mail->bytes, err);
    if (status)
        return status;
    *own = (mplan_exchange_mail){
        .end = send ? mail->out : mail->in,
        .first_block = table->blocks,
        .n_blocks = blocks_for(parts->moves, n, send ? MOST_SENDING : MOST_RECEIVING),
        .first_move = (int32_t)table->n_moves,
        .n_moves = (int32_t)n};
    if (n > 0)
        memcpy(moves + table->n_moves, parts->moves, (size_t)n * sizeof *moves);
    table->n_moves += n;
    table->blocks += own->n_blocks;
    if (send) {
        table->n_out++;
        table->sending = table->blocks;
    } else {
        table->n_in++;
    }
    return MPLAN_OK;
}

/* The table of a rank for the exchange at hand, written behind those that it has. *bytes of it. */
static mplan_status write_table(mplan_exec_parts *parts, int32_t rank, mplan_exchange_table *table,
                                int64_t *bytes, mplan_error *err)
{
    int64_t n_mails = 0;
    mplan_status status = MPLAN_OK;
    memset(table, 0, (size_t)parts->lanes[rank].table_room);
    for (int64_t m = 0; m < parts->n_mails; m++)
        n_mails += parts->mails[m].used &&
                   (parts->mails[m].from_rank == rank || parts->mails[m].to_rank == rank);
    mplan_move *moves = (mplan_move *)(void *)((mplan_exchange_mail *)(void *)(table + 1) + n_mails);
    for (int send = 1; send >= 0; send--)
        for (int64_t m = 0; m < parts->n_mails && !status; m++) {
            mplan_mail *mail = &parts->mails[m];
            if (mail->used && (send ? mail->from_rank : mail->to_rank) == rank)
                status = add_mail(parts, mail, send, table, moves, err);
        }
    *bytes = mplan_exchange_table_bytes(n_mails, table->n_moves);
    assert(*bytes <= parts->lanes[rank].table_room);
    return status;
}

/* Of the same members at the same places. Field by field, as structures have gaps; mails of one rank have both ends alike
 * where they have the same words. */
static bool same_end(const mplan_move_end *a, const mplan_move_end *b)
{
    return a->data == b->data && a->member == b->member && a->level == b->level &&
           a->component == b->component && a->list == b->list && a->first == b->first &&
           a->n_first == b->n_first && a->second == b->second;
}
static bool same_move(const mplan_move *a, const mplan_move *b)
{
    return a->n == b->n && a->levels == b->levels && a->dim == b->dim && a->size == b->size &&
           same_end(&a->from, &b->from) && same_end(&a->to, &b->to);
}
static bool same_mail(const mplan_exchange_mail *a, const mplan_exchange_mail *b)
{
    return a->end.counted == b->end.counted && a->end.room == b->end.room &&
           a->first_block == b->first_block && a->n_blocks == b->n_blocks &&
           a->first_move == b->first_move && a->n_moves == b->n_moves;
}
static bool same_table(const mplan_exchange_table *a, const mplan_exchange_table *b)
{
    bool same = a->n_out == b->n_out && a->n_in == b->n_in && a->n_moves == b->n_moves;
    for (int32_t m = 0; same && m < a->n_out + a->n_in; m++)
        same = same_mail(&mplan_exchange_mails(a)[m], &mplan_exchange_mails(b)[m]);
    for (int64_t k = 0; same && k < a->n_moves; k++)
        same = same_move(&mplan_exchange_moves(a)[k], &mplan_exchange_moves(b)[k]);
    return same;
}

/* *found: its number; -1: there is no room for one more. */
mplan_status mplan_exec_parts_find_table(mplan_exec_parts *parts, int32_t rank, int32_t *found,
                                         mplan_error *err)
{
    assert(parts && parts->lanes && found);
    mplan_lane *lane = &parts->lanes[rank];
    mplan_exchange_table *made = mplan_alloc(lane->table_room, 1, err);
    int64_t bytes = 0;
    mplan_status status = made ? write_table(parts, rank, made, &bytes, err) : MPLAN_ERR_MEMORY;
    *found = -1;
    for (int32_t t = 0; t < lane->n_tables && !status && *found < 0; t++)
        if (same_table((const void *)(lane->tables + t * lane->table_room), made))
            *found = t;
    if (!status && *found < 0 && lane->n_tables < TABLES) {
        *found = lane->n_tables++;
        memcpy(lane->tables + *found * lane->table_room, made, (size_t)bytes);
    }
    free(made);
    return status;
}
