/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_inside.c - the transport "peer", with messages inside the kernel of the loop that needs the halos
 *
 * No kernel packs or unpacks, and no stream runs beside another: thread blocks in front of the loop's own send and receive,
 * what needs no halo runs meanwhile, and thread blocks that need the halos wait for the halos (meshplan_exchange.h). A step has as
 * many kernels as without parts, in one stream a device. Mails, rooms and numbers are those of exec_parts_peer.c: an
 * exchange may go either way, one after the other. */
#include <assert.h>

#include "base/error.h"
#include "exec/ranks/halo_rows.h"

/* --- what a loop can ------------------------------------------------------------------------ */

/* Asks the kernels of all parts, before anything is captured; which a later launch needs. */
mplan_status mplan_exec_parts_inside_ask(mplan_exec_parts *parts, mplan_exec_loop *const *part,
                                         mplan_error *err)
{
    assert(parts && part);
    for (int32_t i = 0; mplan_exec_parts_may_go_inside(parts) && i < parts->n_here; i++) {
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
static bool cut_launch(mplan_exec_loop *own, const mplan_exchange_table *table, mplan_exec_share share)
{
    const int64_t inner = share.inner, end = share.end;
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
    const int32_t first = mplan_exec_parts_first_rank(parts), end = mplan_exec_parts_end_rank(parts);
    for (int32_t r = first; r < end && !status && *fits; r++) {
        mplan_exec_loop *own = bound->part[r - first];
        const mplan_lane *lane = &parts->lanes[r];
        const mplan_exec_share share = mplan_exec_parts_share(own, whole);
        int32_t t = -1;
        if (own->exchange.resident > 0)
            status = mplan_exec_parts_find_table(parts, r, &t, err);
        *fits = !status && t >= 0 &&
                cut_launch(own, (const void *)(lane->tables + t * lane->table_room), share);
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
    const int32_t n = mplan_exec_parts_end_rank(parts) - mplan_exec_parts_first_rank(parts);
    for (int32_t r = 0; r < n; r++) {
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
    for (int32_t r = 0; r < parts->n_here && !status; r++) { /* one part for each rank */
        mplan_exec_loop *own = bound->part[r];
        const mplan_exec_piece piece = {.end = mplan_exec_parts_share(own, whole).end,
                                        .owned = mplan_exec_parts_set(parts, r, own->loop->set)->owned,
                                        .is_first = true,
                                        .is_last = true};
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
        if (parts->mails[m].used && parts->mails[m].bytes > 0 &&
            mplan_exec_parts_is_here(parts, parts->mails[m].from_rank)) {
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
    if (!mplan_exec_parts_may_go_inside(parts) || parts->open || parts->early)
        return MPLAN_OK;
    mplan_status status = mplan_exec_parts_choose(parts, dats, n, err);
    if (!status) {
        mplan_exec_parts_peer_mark(parts);
        status = cut_all(parts, bound, whole, done, err);
    }
    if (!status && *done)
        status = mplan_exec_parts_prepare_dats(parts, NULL, err);
    if (!status && *done && !parts->capturing)
        status = mplan_exec_parts_tables_upload(parts, err);
    if (!status && *done) {
        count_messages(parts);
        for (int32_t j = 0; j < parts->n_dats; j++)
            mplan_exec_parts_mark_sent(parts, parts->dats[j]);
        if (mplan_exec_parts_exec(parts, 0)->executor != MPLAN_EXECUTOR_CUDA) {
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
