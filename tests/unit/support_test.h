/* SPDX-License-Identifier: Apache-2.0 */
/* support_test.h - what every unit test includes first */
#ifndef MPLAN_SUPPORT_TEST_H
#define MPLAN_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "meshplan.h"

/* Succeeds with MPLAN_OK, else fails and shows the sentence. */
#define assert_done(call, err)                                                \
    do {                                                                      \
        mplan_status done_status_ = (call);                                   \
        if (done_status_ != MPLAN_OK)                                         \
            fail_msg("%s: %s", mplan_status_name(done_status_), (err)->text); \
    } while (0)
/* Fails with that status and a sentence that holds `part`. */
#define assert_refused(call, expected, err, part)                                \
    do {                                                                         \
        mplan_status refused_status_ = (call);                                   \
        if (refused_status_ != (expected))                                       \
            fail_msg("got status '%s' (%s)", mplan_status_name(refused_status_), \
                     refused_status_ ? (err)->text : "");                        \
        if (!strstr((err)->text, (part)))                                        \
            fail_msg("sentence lacks '%s': %s", (part), (err)->text);            \
    } while (0)

/* Random table: ragged when arity is 0 (rows of 0 to 6), with -1 entries in
 * none_percent of the slots. Release offsets and values with free(). */
mplan_map support_random_map(uint64_t *seed, int64_t n_rows, int64_t n_points, int32_t arity,
                             int none_percent);
void support_map_free(mplan_map *map);
/* The step of a loop over cases: 1, and k under sanitizers, since they ask whether each access is sound, and where
 * MPLAN_FEWER_CASES says that another build tries all of them. Whether each number is right is for the builds that run
 * all (and for tools/mutants, which defines MPLAN_EVERY_CASE). k has no divisor in common with what the cases alternate
 * by. */
static inline int support_every(int k)
{
#if (defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || defined MPLAN_FEWER_CASES) && \
    !defined MPLAN_EVERY_CASE
    return k;
#else
    (void)k;
    return 1;
#endif
}
/* Where such a loop begins, below k: another place in each build that tries a share, so that together they try more. */
static inline int support_first(int k)
{
#if defined MPLAN_EVERY_CASE
    (void)k;
    return 0;
#elif defined __SANITIZE_THREAD__
    return 1 % k;
#elif defined MPLAN_FEWER_CASES
    return 3 % k;
#else
    (void)k;
    return 0;
#endif
}
/* Whether only races between threads are looked for, in a build in which all takes ten times as long: cases of one
 * thread, and how good results are, show nothing there. */
static inline bool support_races_only(void)
{
#if defined __SANITIZE_THREAD__ && !defined MPLAN_EVERY_CASE
    return true;
#else
    return false;
#endif
}
/* A random number below n, own generator (not the library's). */
int64_t support_random(uint64_t *seed, int64_t n);

#endif
