/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_direct.c - the transport "peer" between processes of one host, one for each rank
 *
 * Mails, rooms, numbers and kernels are those of exec_parts_peer.c and exec_parts_inside.c; only where they lie differs. Each
 * process has two boxes (box.h): one with a counter for each rank that sends to it, and one with the rooms of its messages.
 * Senders map these. The caller's transport carries nothing but cards of boxes and words on how all are; so calls that make
 * boxes are made by all ranks together: opening, the first exchange after dats were declared, closing. */
#include "exec/ranks/exec_parts_direct.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { WORD_EACH = 128 }; /* bytes from one counter to the next: no two share a line of a cache */

static mplan_exec *own_exec(const mplan_exec_parts *parts)
{
    return mplan_exec_parts_exec(parts, 0);
}

static bool on_device(const mplan_exec_parts *parts)
{
    return own_exec(parts)->executor == MPLAN_EXECUTOR_CUDA;
}

/* The counter of messages from a rank in a box of words. */
static uint32_t *counter_of(const mplan_box *words, int32_t from)
{
    return (uint32_t *)(void *)(words->data + MPLAN_BOX_HEAD + (int64_t)from * WORD_EACH);
}

/* On the host, where a rank is told to wait no longer: in the place of a counter of messages to itself, of which there are none. */
static uint32_t *stop_of(const mplan_box *words, int32_t rank)
{
    return counter_of(words, rank);
}

/* --- the trial ------------------------------------------------------------------------------ */

/* What rank r stores, for a trial, where its messages will be counted. */
static uint32_t mark_of(int32_t r)
{
    return UINT32_C(0x9e3779b9) * (uint32_t)(r + 1);
}

static mplan_status store_word(const mplan_exec_parts *parts, uint32_t *word, uint32_t value,
                               mplan_error *err)
{
    if (on_device(parts)) {
        mplan_status status = mplan_gpu_upload(word, &value, sizeof value, err);
        return status ? status : mplan_gpu_wait(err); /* it is there before others are told */
    }
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    return MPLAN_OK;
}

static mplan_status load_word(const mplan_exec_parts *parts, uint32_t *word, uint32_t *value,
                              mplan_error *err)
{
    if (on_device(parts))
        return mplan_gpu_download(value, word, sizeof *value, err);
    *value = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    return MPLAN_OK;
}

/* Opens the counters of each rank that is sent to and stores a mark there. */
static mplan_status knock(mplan_exec_parts *parts, const mplan_box_card *words, mplan_error *err)
{
    mplan_direct *direct = parts->direct;
    mplan_status status = mplan_exec_use(own_exec(parts), err);
    for (int64_t m = 0; m < parts->n_mails && !status; m++) {
        const int32_t to = parts->mails[m].to_rank;
        if (parts->mails[m].from_rank != parts->rank)
            continue;
        status = mplan_box_open(on_device(parts), &words[to], &direct->their_words[to], err);
        if (!status)
            status = store_word(parts, counter_of(&direct->their_words[to], parts->rank),
                                mark_of(parts->rank), err);
    }
    return status;
}

/* Finds the marks of all who send here, and takes them away. */
static mplan_status look(const mplan_exec_parts *parts, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t m = 0; m < parts->n_mails && !status; m++) {
        const int32_t from = parts->mails[m].from_rank;
        if (parts->mails[m].to_rank != parts->rank)
            continue;
        uint32_t *word = counter_of(&parts->direct->words, from), found = 0;
        status = load_word(parts, word, &found, err);
        if (!status && found != mark_of(from))
            status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                                "what rank %d stored into its memory is not there", (int)from);
        if (!status)
            status = store_word(parts, word, 0, err);
    }
    return status;
}

/* --- opening --------------------------------------------------------------------------------- */

/* What needs no other rank. */
static mplan_status begin(mplan_exec_parts *parts, mplan_box_card *words, mplan_error *err)
{
    mplan_direct *direct = parts->direct;
    direct->their_words = mplan_alloc_zero(parts->ranks, sizeof *direct->their_words, err);
    direct->their_rooms = mplan_alloc_zero(parts->ranks, sizeof *direct->their_rooms, err);
    if (!direct->their_words || !direct->their_rooms)
        return MPLAN_ERR_MEMORY;
    for (int32_t r = 0; r < parts->ranks; r++)
        direct->their_words[r].descriptor = direct->their_rooms[r].descriptor = -1;
    mplan_status status = mplan_exec_parts_make_lanes(parts, err);
    if (!status)
        status = mplan_exec_parts_open_lane(parts, parts->rank, own_exec(parts)->device, err);
    if (!status)
        status = mplan_exec_use(own_exec(parts), err);
    if (!status)
        status = mplan_box_make(on_device(parts), (int64_t)parts->ranks * WORD_EACH, &direct->words,
                                words, err);
    if (!status)
        own_exec(parts)->bytes += direct->words.bytes;
    return status;
}

/* Ends of mails of this rank. */
static void fill_mails(mplan_exec_parts *parts)
{
    for (int64_t m = 0; m < parts->n_mails; m++) {
        mplan_mail *mail = &parts->mails[m];
        if (mail->from_rank == parts->rank) {
            mail->out = mplan_exec_parts_mail_end(parts, m, parts->rank, true);
            mail->out.arrived = counter_of(&parts->direct->their_words[mail->to_rank], parts->rank);
        } else {
            mail->in = mplan_exec_parts_mail_end(parts, m, parts->rank, false);
            mail->in.arrived = counter_of(&parts->direct->words, mail->from_rank);
            if (!on_device(parts))
                mail->in.stopped = stop_of(&parts->direct->words, parts->rank);
        }
    }
}

/* reason: "" where all ranks share. A failure of the transport itself is one. */
static mplan_status try_all(mplan_exec_parts *parts, mplan_box_card *words, int32_t *devices,
                            char *reason, size_t size, mplan_error *err)
{
    mplan_error why = {MPLAN_OK, ""};
    mplan_status said = MPLAN_OK;
    mplan_status own = begin(parts, &words[parts->rank], &why);
    const mplan_box_card mine = words[parts->rank];
    mplan_status status = mplan_exec_parts_meet(parts, own, &why, &mine, words, devices, reason,
                                                size, err);
    if (status || *reason)
        return status;
    parts->direct->agreed = true; /* from here on all ranks open and close together */
    own = knock(parts, words, &why);
    status = mplan_exec_parts_agree(parts, own, &why, &said, reason, size, err);
    if (status || said)
        return status;
    own = look(parts, &why);
    return mplan_exec_parts_agree(parts, own, &why, &said, reason, size, err);
}

/* Lanes and mails, or neither. */
static void keep(mplan_exec_parts *parts, const int32_t *devices)
{
    for (int32_t r = 0; r < parts->ranks; r++)
        parts->lanes[r].device = devices[r];
    fill_mails(parts);
    snprintf(parts->moved_by, sizeof parts->moved_by, "%s, stores into %s",
             mplan_exec_parts_may_go_inside(parts) ? "peer-inside" : "peer",
             on_device(parts) ? "devices of other processes" : "memory that processes share");
}

/* What all ranks need before they say anything. */
static mplan_status make_direct(mplan_exec_parts *parts, mplan_error *err)
{
    parts->direct = mplan_alloc_zero(1, sizeof *parts->direct, err);
    if (!parts->direct)
        return MPLAN_ERR_MEMORY;
    parts->direct->words.descriptor = parts->direct->rooms.descriptor = -1;
    parts->direct->said = mplan_alloc_zero(parts->ranks, sizeof *parts->direct->said, err);
    return parts->direct->said ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

mplan_status mplan_exec_parts_open_direct(mplan_exec_parts *parts, bool must, mplan_error *err)
{
    assert(parts && parts->rank >= 0 && !parts->lanes);
    char reason[200] = "";
    mplan_status status = make_direct(parts, err);
    mplan_box_card *words = status ? NULL : mplan_alloc_zero(parts->ranks, sizeof *words, err);
    int32_t *devices = words ? mplan_alloc_zero(parts->ranks, sizeof *devices, err) : NULL;
    status = mplan_exec_parts_all_here(parts, status || devices ? status : MPLAN_ERR_MEMORY, err);
    if (!status)
        status = try_all(parts, words, devices, reason, sizeof reason, err);
    if (!status && !*reason)
        keep(parts, devices);
    free(words);
    free(devices);
    if (status || !*reason)
        return status;
    mplan_exec_parts_close_direct(parts);
    mplan_exec_parts_close_lanes(parts);
    if (must)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "ranks cannot store into one another's memory: %s", reason);
    const size_t at = strlen(parts->moved_by);
    snprintf(parts->moved_by + at, sizeof parts->moved_by - at, "; not direct: %s", reason);
    return MPLAN_OK;
}

/* --- rooms ------------------------------------------------------------------------------------- */

/* Whether messages to this rank may be larger than their rooms. */
static bool must_grow(const mplan_exec_parts *parts)
{
    for (int64_t m = 0; m < parts->n_mails; m++) {
        const mplan_mail *mail = &parts->mails[m];
        if (mail->to_rank == parts->rank &&
            mplan_exec_parts_link_bytes(parts, mail->first, mail->end) > mail->capacity)
            return true;
    }
    return false;
}

/* Whether any rank must. Fails on all ranks where one has failed. */
static mplan_status ask_all(mplan_exec_parts *parts, mplan_status own, bool *grows, mplan_error *err)
{
    int32_t rank = -1;
    unsigned char said;
    mplan_status status = mplan_exec_parts_all_well(parts, own, err);
    if (!status)
        status = mplan_exec_parts_first(parts, *grows, &rank, &said, err);
    *grows = rank >= 0;
    return status;
}

static void close_all(const mplan_exec_parts *parts, mplan_box *box)
{
    for (int32_t r = 0; box && r < parts->ranks; r++)
        mplan_box_close(&box[r]);
}

/* New rooms for this rank, where it must grow; nobody has the old ones open. */
static mplan_status make_rooms(mplan_exec_parts *parts, mplan_error *err)
{
    mplan_direct *direct = parts->direct;
    int64_t bytes = 0;
    if (!must_grow(parts))
        return MPLAN_OK;
    for (int64_t m = 0; m < parts->n_mails; m++)
        if (parts->mails[m].to_rank == parts->rank)
            bytes += 2 *
                     mplan_exec_parts_link_bytes(parts, parts->mails[m].first, parts->mails[m].end);
    own_exec(parts)->bytes -= direct->rooms.bytes;
    mplan_box_close(&direct->rooms);
    mplan_status status = mplan_box_make(on_device(parts), bytes, &direct->rooms,
                                         &direct->rooms_card, err);
    own_exec(parts)->bytes += direct->rooms.bytes; /* 0 after a failure */
    bytes = MPLAN_BOX_HEAD;
    for (int64_t m = 0; m < parts->n_mails && !status; m++) {
        mplan_mail *mail = &parts->mails[m];
        if (mail->to_rank != parts->rank)
            continue;
        mail->capacity = mail->in.room = mplan_exec_parts_link_bytes(parts, mail->first, mail->end);
        mail->rooms = direct->rooms.data + bytes;
        bytes += 2 * mail->capacity;
    }
    return status;
}

/* The rooms of the rank that a mail goes to, as its card says. */
static mplan_status open_rooms(mplan_exec_parts *parts, mplan_mail *mail,
                               const mplan_rooms_card *card, mplan_error *err)
{
    const int64_t begin = card->at[parts->rank][0], each = card->at[parts->rank][1];
    const int64_t bytes = mplan_exec_parts_link_bytes(parts, mail->first, mail->end);
    mplan_box *box = &parts->direct->their_rooms[mail->to_rank];
    mail->rooms = NULL;
    mail->capacity = mail->out.room = 0;
    if (bytes == 0)
        return MPLAN_OK; /* nothing is ever sent but numbers */
    if (each != bytes || begin < MPLAN_BOX_HEAD || begin > card->box.bytes - 2 * each)
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "rank %d has rooms of %lld bytes for messages of rank %d, which are of %lld",
                          (int)mail->to_rank, (long long)each, (int)parts->rank, (long long)bytes);
    mplan_status status = mplan_box_open(on_device(parts), &card->box, box, err);
    if (status)
        return status;
    mail->rooms = box->data + begin;
    mail->capacity = mail->out.room = each;
    return MPLAN_OK;
}

/* All ranks tell of their rooms, and open those of the ranks that they send to. */
static mplan_status tell_rooms(mplan_exec_parts *parts, mplan_error *err)
{
    const size_t size = sizeof(mplan_rooms_card) + (size_t)parts->ranks * sizeof(int64_t[2]);
    mplan_rooms_card *mine = mplan_alloc_zero(1, size, err);
    char *all = mine ? mplan_alloc_zero(parts->ranks, size, err) : NULL;
    mplan_status status = mplan_exec_parts_all_well(parts, all ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    if (!status) {
        mine->box = parts->direct->rooms_card;
        for (int64_t m = 0; m < parts->n_mails; m++)
            if (parts->mails[m].to_rank == parts->rank && parts->mails[m].rooms) {
                int64_t *at = mine->at[parts->mails[m].from_rank];
                at[0] = parts->mails[m].rooms - parts->direct->rooms.data;
                at[1] = parts->mails[m].capacity;
            }
        status = mplan_exec_parts_gather(parts, mine, (int64_t)size, all, err);
    }
    mplan_status own = status;
    for (int64_t m = 0; m < parts->n_mails && !own; m++)
        if (parts->mails[m].from_rank == parts->rank)
            own = open_rooms(parts, &parts->mails[m],
                             (const void *)(all + (size_t)parts->mails[m].to_rank * size), err);
    free(mine);
    free(all);
    return status ? status : mplan_exec_parts_all_well(parts, own, err);
}

/* Nobody stores into rooms that are released: all ranks are idle first, and have closed the old rooms before the new ones are made.
 * After a failure on the way some rooms are not open, and it begins anew the next time. */
mplan_status mplan_exec_parts_direct_rooms(mplan_exec_parts *parts, mplan_status own, mplan_error *err)
{
    assert(parts && parts->direct && parts->lanes);
    bool grows = parts->direct->is_shut || must_grow(parts);
    if (!own)
        own = mplan_exec_wait(own_exec(parts), err);
    mplan_status status = ask_all(parts, own, &grows, err);
    if (status || !grows)
        return status;
    parts->direct->is_shut = true;
    own = mplan_exec_use(own_exec(parts), err);
    close_all(parts, parts->direct->their_rooms);
    status = mplan_exec_parts_all_well(parts, own, err);
    if (!status)
        status = mplan_exec_parts_all_well(parts, make_rooms(parts, err), err);
    if (!status)
        status = tell_rooms(parts, err);
    parts->direct->is_shut = status != MPLAN_OK;
    return status;
}

/* --- a rank that has failed ---------------------------------------------------------------------- */

/* A mark on devices would let kernels go on with halos that have not come, and no host would know. */
void mplan_exec_parts_stop_others(const mplan_exec_parts *parts)
{
    assert(parts && parts->direct);
    for (int64_t m = 0; m < parts->n_mails && !on_device(parts); m++) {
        const mplan_box *theirs = &parts->direct->their_words[parts->mails[m].to_rank];
        if (parts->mails[m].from_rank == parts->rank && theirs->data)
            __atomic_store_n(stop_of(theirs, parts->mails[m].to_rank), 1, __ATOMIC_RELEASE);
    }
}

bool mplan_exec_parts_is_stopped(const mplan_exec_parts *parts)
{
    assert(parts && parts->direct);
    return !on_device(parts) && parts->direct->words.data &&
           __atomic_load_n(stop_of(&parts->direct->words, parts->rank), __ATOMIC_ACQUIRE) != 0;
}

/* --- closing ----------------------------------------------------------------------------------- */

void mplan_exec_parts_close_direct(mplan_exec_parts *parts)
{
    assert(parts && parts->direct);
    mplan_direct *direct = parts->direct;
    bool used = mplan_exec_use(own_exec(parts), NULL) == MPLAN_OK;
    if (used) {
        close_all(parts, direct->their_words);
        close_all(parts, direct->their_rooms);
    }
    mplan_status lost = parts->lost;
    if (direct->agreed && !(lost && parts->transport.tell)) /* others have closed what is this rank's */
        lost = mplan_exec_parts_all_well(parts, MPLAN_OK, NULL);
    own_exec(parts)->bytes -= direct->words.bytes + direct->rooms.bytes;
    if (used &&
        !(lost && on_device(parts))) { /* else others may still have it open: it goes with the process */
        mplan_box_close(&direct->words);
        mplan_box_close(&direct->rooms);
    }
    free(direct->their_words);
    free(direct->their_rooms);
    free(direct->said);
    free(direct);
    parts->direct = NULL;
}
