/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_moves.c - what an exchange moves: rows of links into messages and out of them, and between parts of a rank */
#include <assert.h>

#include "base/memory.h"
#include "exec/ranks/halo_rows.h"

/* Bytes of one member of the dat in a message, without padding. */
static int64_t member_bytes(const mplan_exec_dat *dat)
{
    return mplan_halo_levels(dat) * dat->dim * (int64_t)mplan_type_size(dat->type);
}

/* Bytes of a message with links [first, end) for the dats of the exchange under way: each (link, dat) begins at a
 * multiple of the padding. */
int64_t mplan_exec_parts_link_bytes(const mplan_exec_parts *parts, int64_t first, int64_t end)
{
    assert(parts);
    int64_t bytes = 0;
    for (int64_t k = first; k < end; k++)
        for (int32_t j = 0; j < parts->n_dats; j++) {
            const mplan_exec_dat *dat = &mplan_exec_parts_exec(parts, 0)->dats[parts->dats[j]];
            if (dat->set == parts->links[k].set)
                bytes += mplan_halo_padded(parts->links[k].n * member_bytes(dat));
        }
    return bytes;
}

/* Room for n moves. */
static mplan_status grow_moves(mplan_exec_parts *parts, int64_t n, mplan_error *err)
{
    if (n <= parts->n_moves)
        return MPLAN_OK;
    mplan_move *moves = mplan_realloc(parts->moves, n, sizeof *moves, err);
    if (!moves)
        return MPLAN_ERR_MEMORY;
    parts->moves = moves;
    parts->n_moves = n;
    return MPLAN_OK;
}

mplan_status mplan_exec_parts_moves_room(mplan_exec_parts *parts, mplan_error *err)
{
    assert(parts);
    int64_t most = parts->n_copies;
    for (int64_t m = 0; m < parts->n_mails; m++) {
        const int64_t n = parts->mails[m].end - parts->mails[m].first;
        most = n > most ? n : most;
    }
    return grow_moves(parts, most * parts->n_dats, err);
}

/* The order of (link, dat) is the same at both ends of a channel, so that neither sends where its data begin. */
mplan_status mplan_exec_parts_collect(mplan_exec_parts *parts, int64_t first, int64_t end,
                                      char *buffer, bool pack, int64_t *n, int64_t *bytes,
                                      mplan_error *err)
{
    assert(parts && n && bytes);
    *n = *bytes = 0;
    mplan_status status = grow_moves(parts, (end - first) * parts->n_dats, err);
    for (int64_t k = first; k < end && !status; k++) {
        const mplan_link *link = &parts->links[k];
        mplan_exec *exec = mplan_exec_parts_exec(parts, pack ? link->from_here : link->to_here);
        for (int32_t j = 0; j < parts->n_dats && !status; j++) {
            const mplan_exec_dat *dat = &exec->dats[parts->dats[j]];
            mplan_move *move = &parts->moves[*n];
            if (dat->set != link->set)
                continue;
            if (pack)
                status = mplan_halo_pack(exec, dat, link, buffer + *bytes, move, err);
            else
                mplan_halo_unpack(dat, link, buffer + *bytes, move);
            *bytes += mplan_halo_padded(link->n * member_bytes(dat));
            ++*n;
        }
    }
    return status;
}

/* rank: only copies to parts of this rank (peers run one kernel on each device); -1: all. */
mplan_status mplan_exec_parts_copy_within(mplan_exec_parts *parts, int32_t rank, void *stream,
                                          mplan_error *err)
{
    assert(parts);
    int64_t n = 0;
    int32_t one = 0; /* a part of the rank */
    mplan_status status = grow_moves(parts, parts->n_copies * parts->n_dats, err);
    for (int64_t k = 0; k < parts->n_copies && !status; k++) {
        const mplan_link *link = &parts->copies[k];
        if (rank >= 0 && link->to_rank != rank)
            continue;
        const mplan_exec *to = mplan_exec_parts_exec(parts, link->to_here);
        mplan_exec *from = mplan_exec_parts_exec(parts, link->from_here);
        for (int32_t j = 0; j < parts->n_dats && !status; j++) {
            const int32_t d = parts->dats[j];
            if (to->dats[d].set != link->set)
                continue;
            status = mplan_halo_copy(from, &to->dats[d], &from->dats[d], link, &parts->moves[n++],
                                     err);
            parts->copied += link->n * member_bytes(&to->dats[d]);
            one = link->to_here;
        }
    }
    if (status || n == 0)
        return status;
    return mplan_halo_run(mplan_exec_parts_exec(parts, one), parts->moves, n, MPLAN_MAIL_NONE, NULL,
                          stream, err);
}
