/* SPDX-License-Identifier: Apache-2.0 */
/* child.h - runs programs of libexec, where foreign code can do no harm
 *
 * METIS and SCOTCH use the process's rand(), trap signals, print and exit on errors; libhdf5,
 * libnetcdf and libcgns crash on damaged files. None of them is linked to this library: programs
 * (src/helper) call them, which are spawned for one piece of work, limit themselves and answer
 * through memory (shared_memory.h) that is looked over like any file. Nothing here forks without
 * exec, so that threads, MPI and CUDA of the caller are left alone. */
#ifndef MPLAN_CHILD_H
#define MPLAN_CHILD_H

#include "meshplan.h"

/* The descriptors of a program, besides the standard ones; those that it is given are MPLAN_CHILD_FIRST
 * or more, so that none is overwritten. */
enum {
    MPLAN_CHILD_INPUT = 3,
    MPLAN_CHILD_ANSWER = 4,
    MPLAN_CHILD_WORDS = 5,
    MPLAN_CHILD_FIRST = 10
};
enum {
    MPLAN_CHILD_ARGUMENTS = 5, /* the name, three limits, and the NULL at the end */
    MPLAN_CHILD_MOST = 12
}; /* of its own */

/* What a program says while it works: frames on MPLAN_CHILD_WORDS of a kind, a zero byte, the
 * length of what follows (uint16_t), and that. Numbers are of the machine. */
enum {
    MPLAN_SAYS_WARNING = 'w',  /* text */
    MPLAN_SAYS_PROGRESS = 'p', /* int64_t done, total; text: stage */
    MPLAN_SAYS_ERROR = 'e',    /* int32_t status; text */
    MPLAN_SAYS_SIGNAL = 's',   /* int32_t number, int32_t: memory had run out. Its last word */
    MPLAN_SAYS_DONE = 'd'      /* nothing; the work is done */
};
/* One message of a program: head of four bytes, then `length` bytes of data. */
typedef struct mplan_child_frame {
    uint8_t kind, zero;
    uint16_t length;
    char data[MPLAN_ERROR_TEXT + 16];
} mplan_child_frame;

/* What program is to be run, with which input, answer and limits. */
typedef struct mplan_child {
    const char *program;      /* "meshplan-partition" */
    const char *spare;        /* that is started where the first cannot be loaded; NULL: none is */
    const char *name;         /* of the foreign code, for messages: "METIS" */
    const char *path;         /* of the file that is read, for messages; NULL: none is */
    const char *const *words; /* its arguments, at most MPLAN_CHILD_MOST, a NULL behind them */
    int input, answer;        /* descriptors that it gets; stay the caller's. -1: none */
    bool answer_is_output;    /* standard output is the answer, too */
    const char *stage;        /* told as progress while it works; NULL: what the program tells */
    int64_t memory;           /* bytes that it may take besides its input; 0: no limit */
    int64_t cpu_seconds;      /* 0: no limit */
    double idle_seconds;      /* ended after so long without any progress; 0: never */
} mplan_child;

/* Spawns the program, waits for its end and passes on what it says. It gets a process group of its
 * own, no signals blocked or ignored, few variables of the environment, and dies with the thread
 * that called. `cancelled` of the context ends it. Failures: what the program says itself;
 * MPLAN_ERR_INTERNAL where it is missing or cannot start; MPLAN_ERR_MEMORY where it ran out of it;
 * MPLAN_ERR_CORRUPT where it crashed over a file ("FILE: damaged: libhdf5 ended by signal 11 while
 * reading it"), used up its seconds or stood still; without a file MPLAN_ERR_PARTITIONER for all that ("METIS
 * ended by signal 11", "METIS failed with status 3: LINE"). */
mplan_status mplan_child_run(const mplan_child *child, const mplan_context *context,
                             mplan_error *err);

/* A word that every program knows: it warns with what the kernel keeps from it, and ends. */
#define MPLAN_CHILD_SANDBOX "sandbox"

#endif
