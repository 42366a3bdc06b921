/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_exchange.c - halos brought up to date: copied within a rank, packed into one message for each other rank
 *
 * What travels of a member is its dim numbers, level by level, one behind the other, whatever the layout of the dat at either
 * end. A matrix that is stored by owner never travels: nobody writes it, and an upload brings halos as well. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/cuda/device_halo.h"
#include "exec/ranks/exec_parts_direct.h"
#include "exec/ranks/halo_rows.h"

/* --- states of halos ---------------------------------------------------------------------- */

/* After dats were declared: a state for each, "never exchanged", and room for the list of an exchange. Rooms of peers
 * are measured again before the next one (reserved). */
mplan_status mplan_exec_parts_grow(mplan_exec_parts *parts, mplan_error *err)
{
    assert(parts);
    const int32_t n = mplan_exec_parts_exec(parts, 0)->n_dats;
    parts->reserved = false;
    mplan_halo_state *states = mplan_realloc(parts->states, n, sizeof *states, err);
    if (!states)
        return MPLAN_ERR_MEMORY;
    parts->states = states;
    int32_t *dats = mplan_realloc(parts->dats, n, sizeof *dats, err);
    if (!dats)
        return MPLAN_ERR_MEMORY;
    parts->dats = dats;
    int32_t *list = mplan_realloc(parts->list, n, sizeof *list, err);
    if (!list)
        return MPLAN_ERR_MEMORY;
    parts->list = list;
    for (; parts->n_states < n; parts->n_states++)
        parts->states[parts->n_states] = (mplan_halo_state){.times = -1};
    return mplan_exec_parts_learn(parts, err);
}

/* Halos of all parts that are out of date get NaN bytes, from the first ring that is not right on. A dat that was cleared is
 * zeroed as a whole later, and nobody reads its halo before it is written. */
void mplan_exec_parts_poison(mplan_exec_parts *parts)
{
    assert(parts);
    for (int32_t d = 0; parts->poison && d < parts->n_states; d++) {
        const int32_t level = mplan_exec_parts_level(parts, d);
        for (int32_t i = 0; i < parts->n_here && level <= parts->rings; i++) {
            const mplan_exec_dat *dat = &mplan_exec_parts_exec(parts, i)->dats[d];
            const uint8_t *rings = mplan_plan_data(parts->here[i].plan,
                                                   mplan_key_of_set(MPLAN_KIND_HALO_RINGS, dat->set),
                                                   MPLAN_TYPE_U8, NULL);
            if (dat->data && !dat->cleared)
                mplan_halo_poison(&parts->here[i], dat,
                                  mplan_exec_parts_set(parts, i, dat->set)->owned, rings, level);
        }
    }
}

/* --- rooms and channels ------------------------------------------------------------------- */

/* A buffer where dats are and, if the transport wants that, one of the host beside it. */
static mplan_status make_room(mplan_exec_parts *parts, mplan_channel *channel, mplan_error *err)
{
    channel->bytes = mplan_exec_parts_link_bytes(parts, channel->first, channel->end);
    if (channel->bytes <= channel->capacity)
        return MPLAN_OK;
    mplan_exec *exec = mplan_exec_parts_exec(parts, 0);
    const bool staged = mplan_exec_dats_on_device(exec) &&
                        !(parts->transport.can & MPLAN_TRANSPORT_DEVICE_POINTERS);
    void *data = NULL;
    parts->rooms_made++;
    if (channel->buffer && !parts->limited)
        exec->bytes -= channel->capacity;
    mplan_exec_parts_drop_room(parts, channel);
    channel->capacity = 0;
    mplan_status status = MPLAN_OK;
    if (!parts->limited)
        status = mplan_exec_allocate(exec, channel->bytes, 1, &data, err);
    else if (!(data = mplan_alloc(channel->bytes, 1, err)))
        status = MPLAN_ERR_MEMORY;
    channel->buffer = data;
    if (!status && staged) {
        channel->staged = mplan_alloc(channel->bytes, 1, err);
        status = channel->staged ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    if (!status)
        channel->capacity = channel->bytes;
    return status;
}

/* Packs a channel's links at the end that is here, or unpacks them. */
static mplan_status move_channel(mplan_exec_parts *parts, const mplan_channel *channel, bool pack,
                                 void *stream, mplan_error *err)
{
    const mplan_link *first = &parts->links[channel->first];
    int64_t n = 0, bytes = 0;
    mplan_status status = mplan_exec_parts_collect(parts, channel->first, channel->end,
                                                   channel->buffer, pack, &n, &bytes, err);
    return status ? status
                  : mplan_halo_run(mplan_exec_parts_exec(parts,
                                                         pack ? first->from_here : first->to_here),
                                   parts->moves, n, MPLAN_MAIL_NONE, NULL, stream, err);
}

/* All dats that are declared, and tables that moves read: an exchange of fewer needs no more. */
mplan_status mplan_exec_parts_reserve(mplan_exec_parts *parts, mplan_status own, mplan_error *err)
{
    assert(parts && !parts->open);
    mplan_status status = own;
    if (parts->lanes && !parts->reserved)
        parts->rooms_made++; /* on all ranks alike, whether or not some of this one grow */
    parts->n_dats = 0;
    for (int32_t d = 0; d < parts->n_states; d++)
        if (mplan_exec_parts_exec(parts, 0)->dats[d].set >= 0 &&
            !mplan_exec_parts_exec(parts, 0)->dats[d].owner)
            parts->dats[parts->n_dats++] = d;
    for (int32_t i = 0; i < parts->n_here && !status; i++) {
        const void *table;
        status = mplan_exec_use(mplan_exec_parts_exec(parts, i), err);
        for (int32_t s = 0; s < parts->n_sets && !status; s++)
            if (mplan_exec_parts_set(parts, i, s)->exported > 0)
                status = mplan_exec_table(mplan_exec_parts_exec(parts, i),
                                          mplan_key_of_set(MPLAN_KIND_EXPORT_INDEX, s),
                                          MPLAN_TYPE_I32, &table, NULL, err);
    }
    if (!status && parts->lanes)
        status = mplan_exec_parts_moves_room(parts, err);
    if (parts->direct) /* who has failed comes, too: others wait for it */
        status = mplan_exec_parts_direct_rooms(parts, status, err);
    else if (!status && parts->lanes)
        status = mplan_exec_parts_peer_rooms(parts, err);
    if (!status && parts->lanes) {
        status = mplan_exec_parts_tables_rooms(parts, err);
        if (parts->direct) /* all have reserved, or none: else one by itself would do it again */
            status = mplan_exec_parts_all_well(parts, status, err);
    }
    for (int32_t c = 0; c < parts->n_channels && !parts->lanes && !status; c++)
        status = make_room(parts, &parts->channels[c], err);
    parts->n_dats = 0;
    parts->reserved = !status;
    parts->together = status && parts->direct; /* who fails has said so */
    return status;
}

/* --- begin --------------------------------------------------------------------------------- */

/* Cleared dats get their zeros before they are packed; their memory is there. */
mplan_status mplan_exec_parts_prepare_dats(mplan_exec_parts *parts, void *stream, mplan_error *err)
{
    assert(parts);
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < parts->n_here; i++)
        for (int32_t j = 0; j < parts->n_dats && !status; j++) {
            mplan_exec *exec = mplan_exec_parts_exec(parts, i);
            mplan_exec_dat *dat = &exec->dats[parts->dats[j]];
            status = mplan_exec_use(exec, err);
            if (status)
                break;
            if (!dat->data)
                status = mplan_fail(err, MPLAN_ERR_ARGUMENT, MPLAN_NOT_RESIDENT, dat->name);
            else if (dat->cleared)
                status = mplan_exec_zero(exec, dat, mplan_exec_parts_stream(parts, i, stream), err);
        }
    return status;
}

/* Rooms for all channels; what leaves a rank that is here is packed. */
static mplan_status pack_all(mplan_exec_parts *parts, void *stream, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t c = 0; c < parts->n_channels && !status; c++) {
        mplan_channel *channel = &parts->channels[c];
        status = make_room(parts, channel, err);
        if (status || parts->links[channel->first].from_here < 0 || channel->bytes == 0)
            continue;
        parts->messages++;
        parts->bytes += channel->bytes;
        status = move_channel(parts, channel, true, stream, err);
        if (!status && channel->staged)
            status = mplan_gpu_halo_fetch(channel->staged, channel->buffer, channel->bytes, stream,
                                          err);
    }
    return status;
}

/* Hands the channels to the transport. */
static mplan_status send_all(mplan_exec_parts *parts, void *stream, mplan_error *err)
{
    parts->n_in = parts->n_out = 0;
    for (int32_t c = 0; c < parts->n_channels; c++) {
        const mplan_channel *channel = &parts->channels[c];
        char *data = channel->staged ? channel->staged : channel->buffer;
        if (channel->bytes == 0)
            continue;
        if (channel->to_rank == parts->rank)
            parts->in[parts->n_in++] = (mplan_message){channel->from_rank, data, channel->bytes};
        else
            parts->out[parts->n_out++] = (mplan_message){channel->to_rank, data, channel->bytes};
    }
    const mplan_transport *transport = &parts->transport;
    const bool device = mplan_exec_dats_on_device(mplan_exec_parts_exec(parts, 0));
    if (device && !(transport->can & MPLAN_TRANSPORT_STREAM_ORDERED)) {
        mplan_status status = mplan_gpu_halo_wait(stream, err); /* what was packed is there */
        if (status)
            return status;
    }
    parts->in_flight = true;
    return transport->exchange(transport->user, parts->in, parts->n_in, parts->out, parts->n_out,
                               stream, &parts->request, err);
}

/* dats: numbers, ascending. Fails after a wait that was too long. */
mplan_status mplan_exec_parts_choose(mplan_exec_parts *parts, const int32_t *dats, int32_t n,
                                     mplan_error *err)
{
    assert(parts && dats && !parts->open);
    mplan_status status = mplan_exec_parts_peer_check(parts, err);
    if (parts->lanes && !parts->reserved)
        status = mplan_exec_parts_reserve(parts, status, err);
    parts->n_dats = 0;
    for (int32_t j = 0; j < n && !status; j++)
        parts->dats[parts->n_dats++] = dats[j];
    return status;
}

/* dats: numbers, ascending, all out of date. Packs what other parts import and sends it; nothing here waits for a
 * message. Until the end of the exchange only members that need no halo may be computed. Where these change a dat of it, its halo
 * is out of date again at the end. Counts as an exchange also where no rank is beside this one. */
mplan_status mplan_exec_parts_begin_exchange(mplan_exec_parts *parts, const int32_t *dats,
                                             int32_t n, void *stream, mplan_error *err)
{
    assert(dats || n == 0);
    assert(!parts->open);
    parts->n_dats = 0;
    if (n == 0)
        return MPLAN_OK;
    mplan_status status = mplan_exec_parts_choose(parts, dats, n, err);
    if (status)
        return status;
    parts->exchanges++;
    status = mplan_exec_parts_prepare_dats(parts, stream, err);
    parts->at_work = parts->at_work || !status;
    if (!status)
        status = parts->lanes ? mplan_exec_parts_peer_send(parts, err) : pack_all(parts, stream, err);
    if (!status && !parts->lanes)
        status = mplan_exec_parts_copy_within(parts, -1, stream, err);
    if (!status && parts->rank >= 0 && !parts->lanes)
        status = send_all(parts, stream, err);
    for (int32_t j = 0; j < parts->n_dats; j++)
        mplan_exec_parts_mark_sent(parts, parts->dats[j]);
    parts->open = !status;
    return status;
}

/* --- end ------------------------------------------------------------------------------------- */

/* What has come for ranks that are here goes into their halos. */
static mplan_status unpack_all(mplan_exec_parts *parts, void *stream, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t c = 0; c < parts->n_channels && !status; c++) {
        const mplan_channel *channel = &parts->channels[c];
        if (parts->links[channel->first].to_here < 0 || channel->bytes == 0)
            continue;
        if (channel->staged)
            status = mplan_gpu_halo_store(channel->buffer, channel->staged, channel->bytes, stream,
                                          err);
        if (!status)
            status = move_channel(parts, channel, false, stream, err);
    }
    return status;
}

/* Waits for all messages, puts them into the halos and marks the dats as up to date. */
mplan_status mplan_exec_parts_end_exchange(mplan_exec_parts *parts, void *stream, mplan_error *err)
{
    assert(parts);
    if (parts->n_dats == 0)
        return MPLAN_OK;
    mplan_status status = MPLAN_OK;
    parts->open = false;
    parts->at_work = true;
    if (parts->rank >= 0 && !parts->lanes)
        status = parts->transport.wait(parts->transport.user, parts->request, stream, err);
    parts->in_flight = parts->in_flight && status;
    if (!status)
        status = parts->lanes ? mplan_exec_parts_peer_receive(parts, err)
                              : unpack_all(parts, stream, err);
    for (int32_t j = 0; j < parts->n_dats && !status; j++)
        mplan_exec_parts_mark_arrived(parts, parts->dats[j]);
    parts->n_dats = 0;
    return status;
}

/* --- the caller's ------------------------------------------------------------------------------ */

/* A dat joins a list of n, which ascends and has each once. Returns how many it has then. */
static int32_t list_dat(int32_t *list, int32_t n, int32_t dat)
{
    int32_t at = n;
    while (at > 0 && list[at - 1] > dat)
        at--;
    if (at > 0 && list[at - 1] == dat)
        return n;
    memmove(list + at + 1, list + at, (size_t)(n - at) * sizeof *list);
    list[at] = dat;
    return n + 1;
}

/* Of the dats that are named, those that are out of date, each once. */
static mplan_status begin_of(mplan_exec *exec, const char *const *dats, int32_t n, void *stream,
                             mplan_error *err)
{
    mplan_exec_parts *parts = exec->parts;
    int32_t n_list = 0;
    if (parts->open)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "an exchange has begun and has not ended");
    mplan_status status = mplan_exec_parts_check_stream(parts, stream, err);
    for (int32_t j = 0; j < n && !status; j++) {
        int32_t d = 0;
        status = mplan_exec_parts_find(exec, dats[j], &d, err);
        if (!status && mplan_exec_parts_is_stale(parts, d))
            n_list = list_dat(parts->list, n_list, d);
    }
    parts->early = false;
    if (!status)
        status = mplan_exec_parts_begin_exchange(parts, parts->list, n_list, stream, err);
    if (!status)
        parts->open = true;
    return status;
}

/* The caller's way to exchange early. It is an error to begin twice, or to launch what needs a halo before the end. */
mplan_status mplan_exec_exchange_begin(mplan_exec *exec, const char *const *dats, int32_t n,
                                       void *stream, mplan_error *err)
{
    MPLAN_NEED(exec);
    if (n > 0)
        MPLAN_NEED(dats);
    if (!exec->parts)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the executor has no parts");
    mplan_error late;
    err = err ? err : &late;
    mplan_status status = mplan_exec_parts_begin_call(exec->parts, err);
    if (!status)
        status = begin_of(exec, dats, n, stream, err);
    return mplan_exec_parts_end_call(exec->parts, status, err);
}

/* Ends what mplan_exec_exchange_begin began; also if no dat was out of date. */
mplan_status mplan_exec_exchange_end(mplan_exec *exec, void *stream, mplan_error *err)
{
    MPLAN_NEED(exec);
    mplan_error late;
    err = err ? err : &late;
    mplan_status status = exec->parts ? mplan_exec_parts_begin_call(exec->parts, err) : MPLAN_OK;
    if (status)
        return status;
    if (!exec->parts || !exec->parts->open)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "no exchange has begun");
    exec->parts->open = false;
    status = mplan_exec_parts_end_exchange(exec->parts, stream, err);
    return mplan_exec_parts_end_call(exec->parts, status, err);
}

/* Parts of a rank: first those of rank 0. Ranks may have different numbers of parts: each sends room for the most. */
mplan_status mplan_exec_parts_gather_parts(mplan_exec_parts *parts, const void *mine, int64_t bytes,
                                           void *all, mplan_error *err)
{
    assert(parts && mine && all);
    if (parts->rank < 0) {
        memcpy(all, mine, (size_t)(parts->n_here * bytes));
        return MPLAN_OK;
    }
    parts->at_work = true;
    int32_t most = 0;
    for (int32_t r = 0; r < parts->ranks; r++) {
        const int32_t n = parts->first_part[r + 1] - parts->first_part[r];
        most = n > most ? n : most;
    }
    char *sent = mplan_alloc_zero(most, (size_t)bytes, err);
    char *got = sent ? mplan_alloc((int64_t)parts->ranks * most, (size_t)bytes, err) : NULL;
    mplan_status status = got ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status) {
        memcpy(sent, mine, (size_t)(parts->n_here * bytes));
        status = parts->transport.all_gather(parts->transport.user, sent, most * bytes, got, err);
    }
    for (int32_t r = 0; r < parts->ranks && !status; r++)
        memcpy((char *)all + parts->first_part[r] * bytes, got + (int64_t)r * most * bytes,
               (size_t)((parts->first_part[r + 1] - parts->first_part[r]) * bytes));
    free(sent);
    free(got);
    return status;
}
