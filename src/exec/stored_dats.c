/* SPDX-License-Identifier: Apache-2.0 */
/* stored_dats.c - dats that a visit keeps in a file, as a whole: for copies of the caller's, fills and reductions
 *
 * One at a time has memory, as long as such a call takes. */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/exec_visit.h"

/* window and turn are the caller's to set. */
mplan_ring_move mplan_exec_visit_home(const mplan_exec *exec, const visit_stream *stream,
                                      int32_t plane, int32_t slab)
{
    assert(exec && stream && stream->file_at && plane < stream->planes);
    return (mplan_ring_move){
        .at = stream->file + plane * stream->file_at[exec->visit->record->slabs] +
              stream->file_at[slab],
        .bytes = stream->at[stream->file_end[slab]] - stream->at[slab],
    };
}

/* By a ring of its own, which knows of no device: both ends are memory of the host. in: from the file. */
mplan_status mplan_exec_visit_fetch(mplan_exec *exec, int32_t s, void *whole, bool in,
                                    mplan_error *err)
{
    assert(exec && exec->visit && whole && exec->visit->streams[s].file_at);
    const visit_stream *stream = &exec->visit->streams[s];
    mplan_ring *ring = NULL;
    mplan_status status = mplan_ring_make(exec->visit->store, NULL, exec->team, &ring, err);
    for (int32_t p = 0; p < stream->planes && !status; p++)
        for (int32_t b = 0; b < exec->visit->record->slabs && !status; b = stream->file_end[b]) {
            mplan_ring_move move = mplan_exec_visit_home(exec, stream, p, b);
            move.window = (char *)whole + p * stream->store_plane + stream->at[b];
            move.turn = INT64_MAX;
            if (move.bytes > 0)
                status = mplan_ring_add(ring, in, &move, err);
        }
    if (!status)
        status = mplan_ring_end(ring, err);
    mplan_ring_free(ring);
    return status;
}

/* The stream of a dat that is in the file: declared dats have one. */
static int32_t stream_of(const mplan_exec *exec, const mplan_exec_dat *dat)
{
    int32_t s = 0;
    while (exec->visit->streams[s].dat < 0 || &exec->dats[exec->visit->streams[s].dat] != dat)
        s++;
    assert(s < exec->visit->n_streams);
    return s;
}

mplan_status mplan_exec_take_stored(mplan_exec *exec, mplan_exec_dat *dat, bool read, mplan_error *err)
{
    assert(exec && dat);
    if (!dat->stored)
        return MPLAN_OK;
    void *whole = mplan_alloc_zero(dat->storage_size * dat->dim, mplan_type_size(dat->type), err);
    if (!whole)
        return MPLAN_ERR_MEMORY;
    mplan_status status = read ? mplan_exec_visit_fetch(exec, stream_of(exec, dat), whole, true, err)
                               : MPLAN_OK;
    if (status)
        free(whole);
    else
        dat->data = whole;
    return status;
}

mplan_status mplan_exec_give_stored(mplan_exec *exec, mplan_exec_dat *dat, bool write,
                                    mplan_status status, mplan_error *err)
{
    assert(exec && dat);
    if (!dat->stored || !dat->data)
        return status;
    if (!status && write)
        status = mplan_exec_visit_fetch(exec, stream_of(exec, dat), dat->data, false, err);
    free(dat->data);
    dat->data = NULL;
    return status;
}

mplan_status mplan_exec_refuse_stored(const mplan_exec_dat *dat, mplan_error *err)
{
    assert(dat);
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "dat %s is in a file: it is copied as a whole, and has no memory to look at",
                      dat->name);
}
