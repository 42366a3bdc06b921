/* SPDX-License-Identifier: Apache-2.0 */
/* visit_ring.c - pieces of memory through which streams go
 *
 * Each way has its pieces, which are used in turn, the oldest first:
 *   in    read from home by a thread; copied to the window; free when the device has copied it
 *   out   copied from the window; written home by a thread when the device has copied it; free when it is written
 * Threads take reads and writes one by one (background.h), so that none waits for another, and a disk has as many of them at a time as there
 * are threads. The calling thread copies, and waits only where there is no free piece. Numbers of threads and pieces change no byte. */
#include "exec/visit_ring.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/background.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"

/* A piece of 1 MiB is a long read for a disk, and 16 of them at a time keep one busy. */
enum { PIECE = 1 << 20, PIECES = 64, DISK_THREADS = 16 };

typedef struct ring_piece {
    mplan_ring *ring;
    bool in;
    mplan_ring_move move;
    char *room;
    mplan_task task; /* its read, or its write */
    int failed;      /* of the store; 0: not */
    void *mark;      /* of the device: its copy is done; NULL before the first */
} ring_piece;

/* Numbers of pieces, which only grow; piece i is in place i % PIECES. In: [begin, middle) are copied, [middle, end) are read and go to
 * the window, [end, ahead) are read before they were added. Out: [begin, middle) are written, [middle, end) come from the window, ahead is
 * end. */
typedef struct ring_way {
    int64_t begin, middle, end, ahead;
    ring_piece piece[PIECES];
} ring_way;

struct mplan_ring {
    mplan_store *store;
    void *pipe;
    mplan_background *threads;
    void *memory;
    ring_way way[2]; /* out, in */
};

static ring_piece *piece_at(ring_way *way, int64_t i)
{
    return &way->piece[i % PIECES];
}

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
    const int64_t bytes = 2 * (int64_t)PIECES * PIECE + MPLAN_STORE_UNIT; /* wherever it begins */
    mplan_status status = mplan_background_make(store ? DISK_THREADS : mplan_team_threads(team),
                                                &made->threads, err);
    if (!status && pipe)
        status = mplan_gpu_host_alloc(bytes, &made->memory, err);
    else if (!status && !(made->memory = mplan_alloc(bytes, 1, err)))
        status = MPLAN_ERR_MEMORY;
    const uintptr_t begin = ((uintptr_t)made->memory + MPLAN_STORE_UNIT - 1) / MPLAN_STORE_UNIT *
                            MPLAN_STORE_UNIT;
    for (int32_t p = 0; p < 2 * PIECES; p++)
        made->way[p % 2].piece[p / 2] = (ring_piece){
            .ring = made, .in = p % 2, .room = (char *)begin + (int64_t)p * PIECE};
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
    assert(ring->way[0].begin <= ring->way[0].end && ring->way[1].begin <= ring->way[1].end);
    mplan_background_free(ring->threads);
    for (int32_t p = 0; p < 2 * PIECES && ring->pipe; p++)
        if (ring->way[p % 2].piece[p / 2].mark)
            mplan_gpu_pipe_unmark(ring->way[p % 2].piece[p / 2].mark);
    if (ring->pipe)
        mplan_gpu_host_free(ring->memory);
    else
        free(ring->memory);
    free(ring);
}

/* --- between home and pieces ------------------------------------------------------------------- */

/* A task: the piece comes from home or goes there. */
static void move_home(void *data)
{
    ring_piece *piece = data;
    const mplan_ring_move *move = &piece->move;
    const int64_t whole = mplan_store_whole(move->bytes);
    piece->failed = 0;
    if (move->home)
        memcpy(piece->in ? piece->room : move->home, piece->in ? move->home : piece->room,
               (size_t)move->bytes);
    else if (piece->in)
        piece->failed = mplan_store_read(piece->ring->store, move->at, whole, piece->room);
    else {
        memset(piece->room + move->bytes, 0, (size_t)(whole - move->bytes));
        piece->failed = mplan_store_write(piece->ring->store, move->at, whole, piece->room);
    }
}

static void begin_task(ring_piece *piece)
{
    piece->task = (mplan_task){.run = move_home, .data = piece};
    mplan_background_add(piece->ring->threads, &piece->task);
}

/* Behind the task. */
static mplan_status result_of(const ring_piece *piece, mplan_error *err)
{
    return piece->failed ? mplan_store_failed(piece->ring->store, piece->failed, piece->in, err)
                         : MPLAN_OK;
}

/* --- between pieces and windows ------------------------------------------------------------------ */

/* A device's copies do not cross the end of a window; behind it the addresses go on with its beginning. The mark is behind them. */
static mplan_status copy_piece(ring_piece *piece, mplan_error *err)
{
    const mplan_ring_move *move = &piece->move;
    void *pipe = piece->ring->pipe;
    if (!pipe) {
        memcpy(piece->in ? move->window : piece->room, piece->in ? piece->room : move->window,
               (size_t)move->bytes);
        return MPLAN_OK;
    }
    const int64_t first = move->bytes < move->turn ? move->bytes : move->turn;
    mplan_status status = mplan_gpu_pipe_copy(pipe, piece->in, move->window, piece->room, first, err);
    if (!status && first < move->bytes)
        status = mplan_gpu_pipe_copy(pipe, piece->in, move->window + first, piece->room + first,
                                     move->bytes - first, err);
    return status ? status : mplan_gpu_pipe_mark(pipe, piece->in, &piece->mark, err);
}

/* *copied: whether the copy of a piece is done; wait: it will be. */
static mplan_status ask_copied(const ring_piece *piece, bool wait, bool *copied, mplan_error *err)
{
    *copied = true;
    if (!piece->ring->pipe)
        return MPLAN_OK;
    return wait ? mplan_gpu_pipe_reach(piece->mark, err)
                : mplan_gpu_pipe_reached(piece->mark, copied, err);
}

/* --- the ways of pieces ----------------------------------------------------------------------------- */

/* What was read goes to its window, and what was copied is free. wait: for the first piece that is not yet so far. */
static mplan_status pump_in(mplan_ring *ring, bool wait, mplan_error *err)
{
    ring_way *way = &ring->way[true];
    mplan_status status = MPLAN_OK;
    bool copied = true;
    while (way->begin < way->middle && copied && !status) {
        status = ask_copied(piece_at(way, way->begin), wait && way->middle == way->end, &copied, err);
        way->begin += copied && !status;
        wait = wait && way->middle < way->end;
    }
    while (way->middle < way->end && !status) {
        ring_piece *piece = piece_at(way, way->middle);
        if (wait)
            mplan_background_wait(ring->threads, &piece->task);
        if (!mplan_background_done(ring->threads, &piece->task))
            break;
        status = result_of(piece, err);
        if (!status)
            status = copy_piece(piece, err);
        way->middle += !status;
        wait = false;
    }
    return status;
}

/* What was copied is written, and what was written is free. wait: as above. */
static mplan_status pump_out(mplan_ring *ring, bool wait, mplan_error *err)
{
    ring_way *way = &ring->way[false];
    mplan_status status = MPLAN_OK;
    bool copied = true;
    while (way->middle < way->end && copied && !status) {
        ring_piece *piece = piece_at(way, way->middle);
        status = ask_copied(piece, wait && way->begin == way->middle, &copied, err);
        if (copied && !status) {
            begin_task(piece);
            way->middle++;
        }
    }
    while (way->begin < way->middle && !status) {
        ring_piece *piece = piece_at(way, way->begin);
        if (wait)
            mplan_background_wait(ring->threads, &piece->task);
        if (!mplan_background_done(ring->threads, &piece->task))
            break;
        status = result_of(piece, err);
        way->begin += !status;
        wait = false;
    }
    return status;
}

/* Both ways; waits for a piece of one of them: there is one that is not free. */
static mplan_status pump(mplan_ring *ring, bool in, mplan_error *err)
{
    mplan_status status = in ? pump_out(ring, false, err) : pump_in(ring, false, err);
    if (!status)
        status = in ? pump_in(ring, true, err) : pump_out(ring, true, err);
    return status;
}

/* Whether bytes at home are those of a piece that has come out and is not written yet; *last: behind the last one. */
static bool is_coming_home(mplan_ring *ring, const mplan_ring_move *move, int64_t *last)
{
    ring_way *way = &ring->way[false];
    bool found = false;
    for (int64_t i = way->begin; i < way->end; i++) {
        const mplan_ring_move *out = &piece_at(way, i)->move;
        if (!out->home != !move->home)
            continue;
        const int64_t distance = move->home ? (intptr_t)move->home - (intptr_t)out->home
                                            : move->at - out->at;
        if (distance < out->bytes && -distance < move->bytes) {
            found = true;
            *last = i + 1;
        }
    }
    return found;
}

/* --- the calls -------------------------------------------------------------------------------------- */

/* Pieces of a range of the store begin at whole units of it, since PIECE is one. */
static mplan_ring_move part_of(const mplan_ring_move *move, int64_t done)
{
    const int64_t left = move->bytes - done;
    return (mplan_ring_move){
        .window = move->window + done,
        .home = move->home ? move->home + done : NULL,
        .at = move->at + done,
        .bytes = left < PIECE ? left : PIECE,
        .turn = done < move->turn ? move->turn - done : INT64_MAX,
    };
}

/* A read begins, for which there is a free piece. */
static void read_piece(mplan_ring *ring, const mplan_ring_move *move)
{
    ring_way *way = &ring->way[true];
    ring_piece *piece = piece_at(way, way->ahead++);
    piece->move = *move;
    begin_task(piece);
}

static mplan_status add_in(mplan_ring *ring, const mplan_ring_move *move, mplan_error *err)
{
    ring_way *way = &ring->way[true];
    mplan_status status = MPLAN_OK;
    int64_t last;
    if (way->end < way->ahead) {
        const mplan_ring_move *read = &piece_at(way, way->end)->move;
        assert(read->window == move->window && read->home == move->home && read->at == move->at &&
               read->bytes == move->bytes);
        (void)read;
        way->end++;
        return pump_in(ring, false, err);
    }
    while (!status && way->ahead - way->begin == PIECES)
        status = pump(ring, true, err);
    while (!status && is_coming_home(ring, move, &last))
        status = pump(ring, false, err);
    if (status)
        return status;
    read_piece(ring, move);
    way->end++;
    return pump_in(ring, false, err);
}

static mplan_status add_out(mplan_ring *ring, const mplan_ring_move *move, mplan_error *err)
{
    ring_way *way = &ring->way[false];
    mplan_status status = MPLAN_OK;
    while (!status && way->end - way->begin == PIECES)
        status = pump(ring, false, err);
    if (status)
        return status;
    ring_piece *piece = piece_at(way, way->end);
    piece->move = *move;
    status = copy_piece(piece, err);
    if (status)
        return status;
    way->ahead = ++way->end;
    return pump_out(ring, false, err);
}

mplan_status mplan_ring_add(mplan_ring *ring, bool in, const mplan_ring_move *move, mplan_error *err)
{
    assert(ring && move && move->window && (move->home || ring->store) && move->turn > 0);
    mplan_status status = MPLAN_OK;
    for (int64_t done = 0; done < move->bytes && !status; done += PIECE) {
        const mplan_ring_move part = part_of(move, done);
        status = in ? add_in(ring, &part, err) : add_out(ring, &part, err);
    }
    return status;
}

mplan_status mplan_ring_go(mplan_ring *ring, bool *all, mplan_error *err)
{
    assert(ring && all);
    const ring_way *way = &ring->way[true];
    mplan_status status = way->middle < way->end ? pump(ring, true, err) : MPLAN_OK;
    *all = way->middle == way->end;
    return status;
}

int64_t mplan_ring_read_ahead(const mplan_ring *ring)
{
    assert(ring);
    return ring->way[true].ahead - ring->way[true].end;
}

mplan_status mplan_ring_ahead(mplan_ring *ring, const mplan_ring_move *move, int64_t *skip,
                              bool *more, mplan_error *err)
{
    assert(ring && move && skip && more);
    ring_way *way = &ring->way[true];
    mplan_status status = MPLAN_OK;
    int64_t last;
    for (int64_t done = 0; done < move->bytes && *more && !status; done += PIECE) {
        const mplan_ring_move part = part_of(move, done);
        if (*skip > 0) {
            --*skip;
            continue;
        }
        if (way->ahead - way->begin == PIECES)
            status = pump_in(ring, false, err);
        *more = way->ahead - way->begin < PIECES && !is_coming_home(ring, &part, &last);
        if (*more && !status)
            read_piece(ring, &part);
    }
    return status;
}

mplan_status mplan_ring_end(mplan_ring *ring, mplan_error *err)
{
    assert(ring);
    const ring_way *in = &ring->way[true], *out = &ring->way[false];
    mplan_status status = MPLAN_OK;
    while (in->middle < in->end && !status)
        status = pump(ring, true, err);
    while (out->begin < out->end && !status)
        status = pump(ring, false, err);
    return status;
}
