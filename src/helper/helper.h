/* SPDX-License-Identifier: Apache-2.0 */
/* helper.h - what the programs of libexec have in common
 *
 * Each is linked to one foreign library, does one piece of work for the process that spawned it
 * (base/child.h), and limits itself before it touches what it was given. */
#ifndef MPLAN_HELPER_H
#define MPLAN_HELPER_H

#include "base/child.h"
#include "meshplan.h"

/* Before functions that libraries are to call instead of the C library's. */
#define MPLAN_INSTEAD __attribute__((visibility("default")))

/* What the work needs of the system beyond its descriptors. */
typedef enum mplan_helper_need {
    MPLAN_NEEDS_NOTHING,
    MPLAN_NEEDS_TO_OPEN /* its input once more, by a name in /proc/self/fd */
} mplan_helper_need;

/* A piece of work: the first of the program's own arguments. */
typedef struct mplan_helper_work {
    const char *word;
    mplan_helper_need need;
    bool answers; /* through a file that it makes as large as it needs */
    /* words: n arguments behind the first, a NULL behind them */
    mplan_status (*run)(int n, char **words, const mplan_context *context, mplan_error *err);
} mplan_helper_work;

/* All that a program does; word NULL ends it. Defined by its own file. */
extern const mplan_helper_work mplan_helper_works[];

/* --- sandbox.c ------------------------------------------------------------------------------ */

/* What a program of libexec may take. */
typedef struct mplan_helper_limits {
    int64_t memory;      /* bytes besides those of the input; 0: none */
    int64_t cpu_seconds; /* 0: none */
    int64_t input_bytes;
    bool answers;
    mplan_helper_need need;
} mplan_helper_limits;

/* Gives up what the work does not need: files (Landlock), calls of the system (seccomp), memory,
 * time. What the kernel does not offer is left out. */
void mplan_helper_limit(const mplan_helper_limits *limits);
/* "landlock 4, seccomp": what the last call got of the kernel. */
const char *mplan_helper_sandbox(void);

#endif
