/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_inside.c - the transport "peer", with messages inside the kernel of the loop that needs the halos
 *
 * No kernel packs or unpacks, and no stream runs beside another: thread blocks in front of the loop's own send and receive,
 * what needs no halo runs meanwhile, and the loop's last thread blocks wait for the halos (meshplan_exchange.h). A step has as
 * many kernels as without parts, in one stream a device. Mails, rooms and numbers are those of exec_parts_peer.c: an
 * exchange may go either way, one after the other.
 *
 * What a rank moves is a table in memory of its device. A table never changes once it is there, since a graph may hold it; a
 * launch takes the one with its content or adds it. On the host the same tables are gone through by functions. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/ranks/halo_rows.h"

/* Tables of a rank; an exchange that finds no room for its own goes by kernels of messages. Numbers that a thread moves, and
 * the most thread blocks of one mail: senders come first and are gone soon, receivers keep others from their places. */
enum { TABLES = 32, NUMBERS_EACH = 2, THREADS = 128, MOST_SENDING = 64, MOST_RECEIVING = 16 };

/* --- tables -------------------------------------------------------------------------------- */

/* The executor of a rank's only part here. */
static mplan_exec *exec_of(const mplan_exec_parts *parts, int32_t rank)
{
    return mplan_exec_parts_exec(parts, rank);
}

/* Whether launches with messages inside can be at all: each rank has one part, so that nothing is copied within a rank. */
static bool is_possible(const mplan_exec_parts *parts)
{
    return parts->to_inside && parts->lanes && !parts->by_nccl && parts->overlap &&
           parts->n_here == parts->ranks && parts->n_copies == 0;
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
void mplan_exec_parts_inside_close(mplan_exec_parts *parts)
{
    assert(parts && parts->lanes);
    for (int32_t r = 0; r < parts->ranks && parts->n_here == parts->ranks; r++)
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
mplan_status mplan_exec_parts_inside_rooms(mplan_exec_parts *parts, mplan_error *err)
{
    assert(parts);
    mplan_status status = MPLAN_OK;
    for (int32_t r = 0; is_possible(parts) && r < parts->ranks && !status; r++) {
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
mplan_status mplan_exec_parts_inside_upload(mplan_exec_parts *parts, mplan_error *err)
{
    assert(parts);
    mplan_status status = MPLAN_OK;
    for (int32_t r = 0; is_possible(parts) && r < parts->ranks && !status; r++) {
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
static mplan_status find_table(mplan_exec_parts *parts, int32_t rank, int32_t *found, mplan_error *err)
{
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

/* --- what a loop can ------------------------------------------------------------------------ */

/* Asks the kernels of all parts, before anything is captured; which a later launch needs. */
mplan_status mplan_exec_parts_inside_ask(mplan_exec_parts *parts, mplan_exec_loop *const *part,
                                         mplan_error *err)
{
    assert(parts && part);
    for (int32_t i = 0; is_possible(parts) && i < parts->n_here; i++) {
        mplan_exec_loop *own = part[i];
        own->exchange = (mplan_launch_exchange){.resident = INT32_MAX, .per_block = 1};
        if (own->layers) {
            own->exchange.resident = 0;
        } else if (own->exec->executor == MPLAN_EXECUTOR_CUDA) {
            const char *what = "";
            mplan_status status = mplan_exec_use(own->exec, err);
            if (status)
                return status;
            own->call.exchange = &own->exchange;
            if (own->kernel->launch(&own->call, NULL, true, &what) != 0)
                own->exchange.resident = 0;
            own->call.exchange = NULL;
        }
    }
    return MPLAN_OK;
}

/* Whether the loop's thread blocks that wait for a halo, and those of messages, are resident at once; and fills in
 * which wait. */
static bool cut_launch(mplan_exec_loop *own, const mplan_exchange_table *table, int64_t inner,
                       int64_t end)
{
    mplan_launch_exchange *x = &own->exchange;
    if (x->resident == 0 || end <= 0 || own->call.n_elements == 0)
        return false;
    const int64_t all = (end + x->per_block - 1) / x->per_block;
    const int64_t whole = (inner < end ? inner : end) / x->per_block;
    const int64_t first = inner >= end ? all : whole;
    if (all - first + table->blocks > x->resident || all > INT32_MAX - table->blocks)
        return false;
    x->blocks = table->blocks;
    x->whole = (int32_t)first;
    x->waiting = (int32_t)(all - first);
    x->first_waiting = x->blocks + (x->whole > x->resident ? x->whole - x->resident : 0);
    return true;
}

/* The table of each rank, and how its launch is cut; *fits: all ranks have both. */
static mplan_status cut_all(mplan_exec_parts *parts, const mplan_exec_loop *bound, bool whole,
                            bool *fits, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    *fits = true;
    for (int32_t r = 0; r < parts->ranks && !status && *fits; r++) {
        mplan_exec_loop *own = bound->part[r];
        const mplan_lane *lane = &parts->lanes[r];
        int64_t inner = 0, end = 0;
        int32_t t = -1;
        mplan_exec_parts_share(own, whole, &inner, &end);
        if (own->exchange.resident > 0)
            status = find_table(parts, r, &t, err);
        *fits = !status && t >= 0 &&
                cut_launch(own, (const void *)(lane->tables + t * lane->table_room), inner, end);
        if (!*fits)
            break;
        own->exchange.table = (const void *)(lane->tables_there + t * lane->table_room);
        own->exchange.ready = lane->words + MPLAN_LANE_READY;
        own->exchange.passed = lane->words + MPLAN_LANE_PASSED;
        own->exchange.done = lane->words + MPLAN_LANE_DONE;
    }
    return status;
}

/* --- the launch ------------------------------------------------------------------------------ */

/* On the host: all messages of one end of all mails, in the order of ranks. */
static void run_on_host(const mplan_exec_parts *parts, mplan_exec_loop *const *part, bool send)
{
    for (int32_t r = 0; r < parts->ranks; r++) {
        const mplan_exchange_table *table = part[r]->exchange.table;
        const mplan_exchange_mail *mails = mplan_exchange_mails(table);
        for (int32_t m = send ? 0 : table->n_out;
             m < (send ? table->n_out : table->n_out + table->n_in); m++)
            mplan_host_moves_run(mplan_exchange_moves(table) + mails[m].first_move, mails[m].n_moves,
                                 send ? MPLAN_MAIL_SEND : MPLAN_MAIL_RECEIVE, &mails[m].end);
    }
}

/* One kernel on each device: all members, in one piece. */
static mplan_status launch_all(mplan_exec_parts *parts, const mplan_exec_loop *bound, bool whole,
                               const void *parameters, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t r = 0; r < parts->ranks && !status; r++) {
        mplan_exec_loop *own = bound->part[r];
        mplan_exec_piece piece = {.owned = mplan_exec_parts_set(parts, r, own->loop->set)->owned,
                                  .is_first = true,
                                  .is_last = true};
        int64_t inner = 0;
        mplan_exec_parts_share(own, whole, &inner, &piece.end);
        if (own->exchange.blocks > 0 && own->exec->executor == MPLAN_EXECUTOR_CUDA)
            own->call.exchange = &own->exchange;
        status = mplan_exec_launch_piece(own->exec, own, &piece, parameters,
                                         mplan_exec_parts_stream(parts, r, NULL), err);
        own->call.exchange = NULL;
    }
    return status;
}

/* Messages that this exchange sends. */
static void count_messages(mplan_exec_parts *parts)
{
    parts->exchanges++;
    parts->inside++;
    for (int64_t m = 0; m < parts->n_mails; m++)
        if (parts->mails[m].used && parts->mails[m].bytes > 0) {
            parts->messages++;
            parts->bytes += parts->mails[m].bytes;
        }
}

/* A launch whose halos of n dats (ascending, out of date, none of which it changes) come inside. whole: what runs is
 * members of halos, too. *done: it is launched; else nothing has happened, and the messages must go by kernels of their own. */
mplan_status mplan_exec_parts_launch_inside(mplan_exec_parts *parts, const mplan_exec_loop *bound,
                                            const int32_t *dats, int32_t n, bool whole,
                                            const void *parameters, bool *done, mplan_error *err)
{
    assert(parts && bound && dats && n > 0 && done);
    *done = false;
    if (!is_possible(parts) || parts->open || parts->early)
        return MPLAN_OK;
    mplan_status status = mplan_exec_parts_choose(parts, dats, n, err);
    if (!status) {
        mplan_exec_parts_peer_mark(parts);
        status = cut_all(parts, bound, whole, done, err);
    }
    if (!status && *done)
        status = mplan_exec_parts_prepare_dats(parts, NULL, err);
    if (!status && *done && !parts->capturing)
        status = mplan_exec_parts_inside_upload(parts, err);
    if (!status && *done) {
        count_messages(parts);
        for (int32_t j = 0; j < parts->n_dats; j++)
            mplan_exec_parts_mark_sent(parts, parts->dats[j]);
        if (exec_of(parts, 0)->executor != MPLAN_EXECUTOR_CUDA) {
            run_on_host(parts, bound->part, true);
            run_on_host(parts, bound->part, false);
        }
        status = launch_all(parts, bound, whole, parameters, err);
    }
    for (int32_t j = 0; j < parts->n_dats && !status && *done; j++)
        mplan_exec_parts_mark_arrived(parts, parts->dats[j]);
    parts->n_dats = 0;
    return status;
}
