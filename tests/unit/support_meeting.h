/* SPDX-License-Identifier: Apache-2.0 */
/* support_meeting.h - a transport between processes that one process has forked, by memory that they share, or between threads; C and C++
 *
 * Every call of a rank is one of all ranks. Messages of up to MEETING_SLOT bytes. Who waits looks again and again, also whether a rank has told
 * of a failure. */
#ifndef MPLAN_SUPPORT_MEETING_H
#define MPLAN_SUPPORT_MEETING_H

#include "exec/meshplan_ranks.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef MEETING_SLOT
#define MEETING_SLOT 8192
#endif
enum { MEETING_MOST = 8 };

/* What all ranks see: the slot of each, and that of a message from one to another. */
typedef struct meeting {
    int32_t ranks, come; /* come: of those that are to meet */
    uint32_t met;        /* how many times all have */
    int32_t teller;      /* 1 + the rank that was the first to tell of a failure; 0: none */
    int32_t told;        /* the status that it told; 0 as long as its sentence is not there */
    char reason[MPLAN_ERROR_TEXT - 64];
    char slot[MEETING_MOST][MEETING_SLOT], mail[MEETING_MOST][MEETING_MOST][MEETING_SLOT];
} meeting;

/* A rank's end of it. spoil: changes what all have gathered, alike on all ranks; may be NULL. */
typedef struct meeting_guest {
    meeting *at;
    int32_t rank, ranks;
    void (*spoil)(const struct meeting_guest *own, char *all, int64_t bytes);
    const mplan_message *in; /* of the exchange under way */
    int32_t n_in;
} meeting_guest;

/* Before processes are forked. */
static inline meeting *meeting_open(int32_t ranks)
{
    void *memory = mmap(NULL, sizeof(meeting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                        -1, 0);
    meeting *at = (meeting *)memory;
    if (memory == MAP_FAILED || ranks > MEETING_MOST) {
        fprintf(stderr, "no room for ranks that meet\n");
        exit(1);
    }
    at->ranks = ranks;
    return at;
}

/* A new process, which does not outlive the one that forks it: who waits for others would wait for ever. 0 in the new one. */
static inline pid_t meeting_fork(void)
{
    const pid_t parent = getpid(), made = fork();
    if (made == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent))
        _exit(1);
    return made;
}

static inline void meeting_close(meeting *at)
{
    munmap(at, sizeof *at);
}

/* For the next time, when nobody is in it: as after open. */
static inline void meeting_begin_again(meeting *at)
{
    at->come = at->teller = at->told = 0;
}

static inline mplan_status meeting_told(void *user, mplan_error *err)
{
    const meeting *at = ((const meeting_guest *)user)->at;
    const int32_t told = __atomic_load_n(&at->told, __ATOMIC_ACQUIRE);
    if (told && err) {
        err->status = (mplan_status)told;
        snprintf(err->text, sizeof err->text, "rank %d failed: %s",
                 (int)__atomic_load_n(&at->teller, __ATOMIC_ACQUIRE) - 1, at->reason);
    }
    return (mplan_status)told;
}

static inline void meeting_tell(void *user, mplan_status status, const char *reason)
{
    const meeting_guest *own = (const meeting_guest *)user;
    int32_t none = 0;
    if (!__atomic_compare_exchange_n(&own->at->teller, &none, own->rank + 1, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        return;
    snprintf(own->at->reason, sizeof own->at->reason, "%s", reason);
    __atomic_store_n(&own->at->told, (int32_t)status, __ATOMIC_RELEASE);
}

/* Until all are here, or one has told of a failure. */
static inline mplan_status meeting_come(const meeting_guest *own, mplan_error *err)
{
    meeting *at = own->at;
    const uint32_t met = __atomic_load_n(&at->met, __ATOMIC_ACQUIRE);
    mplan_status status = meeting_told((void *)(uintptr_t)own, err);
    if (status)
        return status;
    if (__atomic_add_fetch(&at->come, 1, __ATOMIC_ACQ_REL) == at->ranks) {
        __atomic_store_n(&at->come, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&at->met, met + 1, __ATOMIC_RELEASE);
        return MPLAN_OK;
    }
    while (__atomic_load_n(&at->met, __ATOMIC_ACQUIRE) == met && !status) {
        status = meeting_told((void *)(uintptr_t)own, err);
        sched_yield();
    }
    return status;
}

/* Where nobody fails. */
static inline void meeting_wait(const meeting_guest *own)
{
    (void)meeting_come(own, NULL);
}

static inline mplan_status meeting_all_gather(void *user, const void *mine, int64_t bytes,
                                              void *all, mplan_error *err)
{
    const meeting_guest *own = (const meeting_guest *)user;
    if (bytes > MEETING_SLOT)
        return MPLAN_ERR_INTERNAL;
    memcpy(own->at->slot[own->rank], mine, (size_t)bytes);
    mplan_status status = meeting_come(own, err);
    for (int32_t r = 0; r < own->ranks && !status; r++)
        memcpy((char *)all + r * bytes, own->at->slot[r], (size_t)bytes);
    if (!status)
        status = meeting_come(own, err);
    if (own->spoil && !status)
        own->spoil(own, (char *)all, bytes);
    return status;
}

static inline mplan_status meeting_exchange(void *user, const mplan_message *in, int32_t n_in,
                                            const mplan_message *out, int32_t n_out, void *stream,
                                            void **request, mplan_error *err)
{
    meeting_guest *own = (meeting_guest *)user;
    mplan_status status = meeting_told(user, err);
    (void)stream, (void)request;
    own->in = in;
    own->n_in = n_in;
    for (int32_t i = 0; i < n_out && !status; i++)
        if (out[i].bytes > MEETING_SLOT)
            return MPLAN_ERR_INTERNAL;
        else
            memcpy(own->at->mail[own->rank][out[i].rank], out[i].data, (size_t)out[i].bytes);
    return status;
}

static inline mplan_status meeting_receive(void *user, void *request, void *stream, mplan_error *err)
{
    meeting_guest *own = (meeting_guest *)user;
    (void)stream, (void)request;
    mplan_status status = meeting_come(own, err);
    for (int32_t i = 0; i < own->n_in && !status; i++)
        memcpy(own->in[i].data, own->at->mail[own->in[i].rank][own->rank], (size_t)own->in[i].bytes);
    return !status ? meeting_come(own, err) : status;
}

static inline mplan_transport meeting_transport(meeting_guest *own)
{
    mplan_transport way;
    memset(&way, 0, sizeof way);
    way.struct_size = sizeof way;
    way.user = own;
    way.name = "meeting";
    way.rank = own->rank;
    way.ranks = own->ranks;
    way.exchange = meeting_exchange;
    way.wait = meeting_receive;
    way.all_gather = meeting_all_gather;
    way.tell = meeting_tell;
    way.told = meeting_told;
    return way;
}

#endif
