/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_direct.h - ranks that are processes of one host and store into one another's memory ("peer" between processes) */
#ifndef MPLAN_EXEC_PARTS_DIRECT_H
#define MPLAN_EXEC_PARTS_DIRECT_H

#include "exec/ranks/box.h"
#include "exec/ranks/exec_parts.h"

/* What this process's rank has beside its lane. */
typedef struct mplan_direct {
    mplan_box words; /* a counter of messages for each rank that sends here */
    mplan_box rooms; /* of all messages to this rank; none before the first exchange */
    mplan_box_card rooms_card;
    mplan_box *their_words, *their_rooms; /* by rank: of those that this one sends to */
    struct mplan_rank_card *said; /* one for each rank: what all say goes here, so that a rank without memory can agree, too */
    bool agreed;  /* all ranks share: they close together */
    bool is_shut; /* rooms of others may not be open */
} mplan_direct;

/* After the links. All ranks alike: shares memory with all others, or does not and says why in moved_by; must: then it fails
 * (MPLAN_ERR_UNSUPPORTED). */
mplan_status mplan_exec_parts_open_direct(mplan_exec_parts *parts, bool must, mplan_error *err);
/* Rooms for the dats of the exchange at hand, where those of any rank are too small. All ranks together, and all fail where one
 * does; own: a failure of this rank before, which the others learn. */
mplan_status mplan_exec_parts_direct_rooms(mplan_exec_parts *parts, mplan_status own,
                                           mplan_error *err);
/* Ranks that wait on the host for messages of this one wait no longer (exec_parts_told.c); devices wait as long as `patience` says. */
void mplan_exec_parts_stop_others(const mplan_exec_parts *parts);
/* Whether another rank has ended the waits of this one, on the host. */
bool mplan_exec_parts_is_stopped(const mplan_exec_parts *parts);
/* Nothing of this rank may be under way. All ranks together, where they share and none has failed. */
void mplan_exec_parts_close_direct(mplan_exec_parts *parts);

/* --- exec_parts_agree.c */
/* What rank q says, as all are asked: whether it failed, and why. */
typedef struct mplan_rank_word {
    int32_t status;
    char text[160];
} mplan_rank_word;
/* What a rank says at open. */
typedef struct mplan_rank_card {
    mplan_rank_word word;
    int32_t executor, device;
    char host[64];
    char boot[40]; /* of the running kernel, which containers of one machine share; "": not known */
    char place[MPLAN_GPU_PLACE];
    mplan_box_card words;
} mplan_rank_card;

/* What a rank tells of its rooms: behind it, for each rank that may send, where its rooms begin and how large each is. */
typedef struct mplan_rooms_card {
    mplan_box_card box;
    int64_t at[][2];
} mplan_rooms_card;

/* As the transport's, but that a failure of it is told to the others. */
mplan_status mplan_exec_parts_gather(mplan_exec_parts *parts, const void *mine, int64_t n,
                                     void *all, mplan_error *err);
/* The first rank whose byte is not 0, and its byte; -1: none. */
mplan_status mplan_exec_parts_first(mplan_exec_parts *parts, unsigned char mine, int32_t *rank,
                                    unsigned char *said, mplan_error *err);
/* At open, before ranks have room for what they tell each other: fails on all ranks where one has failed (own; err has its sentence). */
mplan_status mplan_exec_parts_all_here(mplan_exec_parts *parts, mplan_status own, mplan_error *err);
/* The same where there are other ranks; also fails where some ranks have slabs and others have none. */
mplan_status mplan_exec_parts_open_together(mplan_exec_parts *parts, mplan_status own, bool slabs,
                                            mplan_error *err);
/* Whether all ranks are well, by what each says of itself. *said: they are, or the status of the first that is not; `reason` (of `size` bytes) begins
 * with that rank. */
mplan_status mplan_exec_parts_agree(mplan_exec_parts *parts, mplan_status own, const mplan_error *why,
                                    mplan_status *said, char *reason, size_t size, mplan_error *err);
/* The same, as a failure: own, or that of another rank. */
mplan_status mplan_exec_parts_all_well(mplan_exec_parts *parts, mplan_status own, mplan_error *err);
/* Why these ranks cannot share, from what all say of themselves, which is gathered; own, why: whether this one is well. Out: their
 * boxes and the numbers of their devices, and reason, "" where nothing is in the way. */
mplan_status mplan_exec_parts_meet(mplan_exec_parts *parts, mplan_status own, const mplan_error *why,
                                   const mplan_box_card *words, mplan_box_card *all_words,
                                   int32_t *devices, char *reason, size_t size, mplan_error *err);

#endif
