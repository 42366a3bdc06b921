/* SPDX-License-Identifier: Apache-2.0 */
/* visit_ring.c - pieces of memory through which streams go
 *
 * A slot has a few pieces, which threads fill or empty side by side. While the device copies those of one slot the next one is
 * filled; a slot is used again when its copies are done. Numbers of threads and slots change no byte. */
#include "exec/visit_ring.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"

/* A piece of 1 MiB is a long read for a disk, and 16 of them keep as many threads busy. */
enum { PIECE = 1 << 20, PIECES = 16, SLOTS = 4 };

typedef struct ring_piece {
    mplan_ring_move move;
    int failed; /* of the store; 0: not */
} ring_piece;

typedef struct ring_slot {
    char *memory;
    void *mark; /* of the device: its copies are done; NULL before the first */
    int32_t n;
    bool sent; /* copies may be under way */
    ring_piece piece[PIECES];
} ring_slot;

struct mplan_ring {
    mplan_store *store;
    void *pipe;
    mplan_team *team;
    void *memory;
    int32_t slots;  /* of each way */
    int32_t now[2]; /* slot that is filled: of what comes out, of what goes in */
    ring_slot slot[2][SLOTS];
};

/* --- making it ------------------------------------------------------------------------------ */

mplan_status mplan_ring_make(mplan_store *store, void *pipe, mplan_team *team, mplan_ring **ring,
                             mplan_error *err)
{
    assert(ring);
    mplan_ring *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    made->store = store;
    made->pipe = pipe;
    made->team = team;
    made->slots = pipe ? SLOTS : 1; /* without a device nothing happens meanwhile */
    const int64_t slot = (int64_t)PIECE * PIECES, bytes = 2 * made->slots * slot;
    mplan_status status = MPLAN_OK;
    if (pipe)
        status = mplan_gpu_host_alloc(bytes, &made->memory, err);
    else if (!(made->memory = mplan_alloc(bytes + MPLAN_STORE_UNIT, 1, err)))
        status = MPLAN_ERR_MEMORY;
    const uintptr_t begin = ((uintptr_t)made->memory + MPLAN_STORE_UNIT - 1) / MPLAN_STORE_UNIT *
                            MPLAN_STORE_UNIT;
    for (int32_t s = 0; s < made->slots; s++) {
        made->slot[0][s].memory = (char *)begin + 2 * s * slot;
        made->slot[1][s].memory = (char *)begin + (2 * s + 1) * slot;
    }
    if (status)
        mplan_ring_free(made);
    else
        *ring = made;
    return status;
}

void mplan_ring_free(mplan_ring *ring)
{
    if (!ring)
        return;
    assert(ring->slots > 0);
    for (int32_t way = 0; way < 2 && ring->pipe; way++)
        for (int32_t s = 0; s < ring->slots; s++)
            if (ring->slot[way][s].mark)
                mplan_gpu_pipe_unmark(ring->slot[way][s].mark);
    if (ring->pipe)
        mplan_gpu_host_free(ring->memory);
    else
        free(ring->memory);
    free(ring);
}

/* --- between home and pieces ------------------------------------------------------------------- */

typedef struct home_work {
    mplan_ring *ring;
    ring_slot *slot;
    bool in;
} home_work;

/* Pieces [begin, end) of the slot come from home or go there. Returns how many of them failed. */
static int64_t move_home(void *data, int thread, int64_t begin, int64_t end)
{
    const home_work *work = data;
    int64_t failed = 0;
    (void)thread;
    for (int64_t p = begin; p < end; p++) {
        ring_piece *piece = &work->slot->piece[p];
        const mplan_ring_move *move = &piece->move;
        char *room = work->slot->memory + p * PIECE;
        piece->failed = 0;
        if (move->home)
            memcpy(work->in ? room : move->home, work->in ? move->home : room, (size_t)move->bytes);
        else if (work->in)
            piece->failed = mplan_store_read(work->ring->store, move->at,
                                             mplan_store_whole(move->bytes), room);
        else {
            const int64_t whole = mplan_store_whole(move->bytes);
            memset(room + move->bytes, 0, (size_t)(whole - move->bytes));
            piece->failed = mplan_store_write(work->ring->store, move->at, whole, room);
        }
        failed += piece->failed != 0;
    }
    return failed;
}

/* All pieces of a slot, by threads; the first one that failed says why. */
static mplan_status take_home(mplan_ring *ring, ring_slot *slot, bool in, mplan_error *err)
{
    home_work work = {ring, slot, in};
    if (mplan_for_sum(ring->team, slot->n, 1, move_home, &work) == 0)
        return MPLAN_OK;
    int32_t p = 0;
    while (!slot->piece[p].failed)
        p++;
    return mplan_store_failed(ring->store, slot->piece[p].failed, in, err);
}

/* --- between pieces and windows ------------------------------------------------------------------ */

/* A device's copies do not cross the end of a window; behind it the addresses go on with its beginning. */
static mplan_status copy_piece(const mplan_ring *ring, const mplan_ring_move *move, char *room,
                               bool in, mplan_error *err)
{
    if (!ring->pipe) {
        memcpy(in ? move->window : room, in ? room : move->window, (size_t)move->bytes);
        return MPLAN_OK;
    }
    const int64_t first = move->bytes < move->turn ? move->bytes : move->turn;
    mplan_status status = mplan_gpu_pipe_copy(ring->pipe, in, move->window, room, first, err);
    if (!status && first < move->bytes)
        status = mplan_gpu_pipe_copy(ring->pipe, in, move->window + first, room + first,
                                     move->bytes - first, err);
    return status;
}

/* Copies of all pieces; the mark is behind them. */
static mplan_status send(mplan_ring *ring, ring_slot *slot, bool in, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t p = 0; p < slot->n && !status; p++)
        status = copy_piece(ring, &slot->piece[p].move, slot->memory + (int64_t)p * PIECE, in, err);
    slot->sent = true;
    return !status && ring->pipe ? mplan_gpu_pipe_mark(ring->pipe, in, &slot->mark, err) : status;
}

/* Waits until the copies of a slot are done; what came out goes home then. */
static mplan_status settle(mplan_ring *ring, ring_slot *slot, bool in, mplan_error *err)
{
    if (!slot->sent)
        return MPLAN_OK;
    mplan_status status = ring->pipe ? mplan_gpu_pipe_reach(slot->mark, err) : MPLAN_OK;
    if (!status && !in)
        status = take_home(ring, slot, false, err);
    slot->sent = false;
    slot->n = 0;
    return status;
}

/* The slot that was filled goes on its way, and the next one is there. A slot of what goes in keeps its list until it has been
 * read, since memory of a slot that is sent may still be copied. */
static mplan_status turn(mplan_ring *ring, bool in, mplan_error *err)
{
    ring_slot *slot = &ring->slot[in][ring->now[in]];
    if (slot->n == 0)
        return MPLAN_OK;
    mplan_status status = in ? take_home(ring, slot, true, err) : MPLAN_OK;
    if (!status)
        status = send(ring, slot, in, err);
    ring->now[in] = (ring->now[in] + 1) % ring->slots;
    return status ? status : settle(ring, &ring->slot[in][ring->now[in]], in, err);
}

/* --- the calls -------------------------------------------------------------------------------------- */

/* Pieces of a range of the store begin at whole units of it, since PIECE is one. */
mplan_status mplan_ring_add(mplan_ring *ring, bool in, const mplan_ring_move *move, mplan_error *err)
{
    assert(ring && move && move->window && (move->home || ring->store) && move->turn > 0);
    mplan_status status = MPLAN_OK;
    for (int64_t done = 0; done < move->bytes && !status; done += PIECE) {
        ring_slot *slot = &ring->slot[in][ring->now[in]];
        const int64_t left = move->bytes - done;
        slot->piece[slot->n++].move = (mplan_ring_move){
            .window = move->window + done,
            .home = move->home ? move->home + done : NULL,
            .at = move->at + done,
            .bytes = left < PIECE ? left : PIECE,
            .turn = done < move->turn ? move->turn - done : INT64_MAX,
        };
        if (slot->n == PIECES)
            status = turn(ring, in, err);
    }
    return status;
}

mplan_status mplan_ring_end(mplan_ring *ring, mplan_error *err)
{
    assert(ring);
    mplan_status status = turn(ring, true, err);
    if (!status)
        status = turn(ring, false, err);
    for (int32_t s = 0; s < ring->slots && !status; s++)
        status = settle(ring, &ring->slot[false][s], false, err);
    return status;
}
