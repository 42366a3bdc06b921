/* SPDX-License-Identifier: Apache-2.0 */
/* support_meeting.h - a transport between processes that one process has forked, by memory that they share; C and C++
 *
 * Every call of a rank is one of all ranks. Messages of up to MEETING_SLOT bytes. */
#ifndef MPLAN_SUPPORT_MEETING_H
#define MPLAN_SUPPORT_MEETING_H

#include "exec/meshplan_ranks.h"

#include <pthread.h>
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
    pthread_barrier_t barrier;
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
    pthread_barrierattr_t shared;
    void *memory = mmap(NULL, sizeof(meeting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                        -1, 0);
    meeting *at = (meeting *)memory;
    if (memory == MAP_FAILED || ranks > MEETING_MOST) {
        fprintf(stderr, "no room for ranks that meet\n");
        exit(1);
    }
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&at->barrier, &shared, (unsigned)ranks);
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

static inline void meeting_wait(const meeting_guest *own)
{
    pthread_barrier_wait(&own->at->barrier);
}

static inline mplan_status meeting_all_gather(void *user, const void *mine, int64_t bytes,
                                              void *all, mplan_error *err)
{
    const meeting_guest *own = (const meeting_guest *)user;
    (void)err;
    if (bytes > MEETING_SLOT)
        return MPLAN_ERR_INTERNAL;
    memcpy(own->at->slot[own->rank], mine, (size_t)bytes);
    meeting_wait(own);
    for (int32_t r = 0; r < own->ranks; r++)
        memcpy((char *)all + r * bytes, own->at->slot[r], (size_t)bytes);
    meeting_wait(own);
    if (own->spoil)
        own->spoil(own, (char *)all, bytes);
    return MPLAN_OK;
}

static inline mplan_status meeting_exchange(void *user, const mplan_message *in, int32_t n_in,
                                            const mplan_message *out, int32_t n_out, void *stream,
                                            void **request, mplan_error *err)
{
    meeting_guest *own = (meeting_guest *)user;
    (void)stream, (void)request, (void)err;
    own->in = in;
    own->n_in = n_in;
    for (int32_t i = 0; i < n_out; i++)
        if (out[i].bytes > MEETING_SLOT)
            return MPLAN_ERR_INTERNAL;
        else
            memcpy(own->at->mail[own->rank][out[i].rank], out[i].data, (size_t)out[i].bytes);
    return MPLAN_OK;
}

static inline mplan_status meeting_receive(void *user, void *request, void *stream, mplan_error *err)
{
    meeting_guest *own = (meeting_guest *)user;
    (void)stream, (void)request, (void)err;
    meeting_wait(own);
    for (int32_t i = 0; i < own->n_in; i++)
        memcpy(own->in[i].data, own->at->mail[own->in[i].rank][own->rank], (size_t)own->in[i].bytes);
    meeting_wait(own);
    return MPLAN_OK;
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
    return way;
}

#endif
