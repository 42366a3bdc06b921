/* SPDX-License-Identifier: Apache-2.0 */
/* cut_main.c - meshplan-partition: METIS and SCOTCH, which trap signals, print, exit and crash
 *
 * WORK PARTS IMBALANCE SEED, the imbalance by its bits. The input holds, as numbers of the machine, n (int64_t), n + 1 offsets
 * (int64_t) and the neighbours (int32_t); the answer has room for n int32_t. Both come from
 * mesh/cut_child.c. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/error.h"
#include "helper/cut.h"
#include "helper/helper.h"

/* The whole of a descriptor. */
static mplan_status map_all(int fd, int kind, void **data, mplan_error *err)
{
    struct stat about;
    if (fstat(fd, &about) || about.st_size <= 0)
        return mplan_fail(err, MPLAN_ERR_INTERNAL, "meshplan-partition got no graph");
    *data = mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, kind, fd, 0);
    return *data != MAP_FAILED
               ? MPLAN_OK
               : mplan_fail(err, MPLAN_ERR_MEMORY, "meshplan-partition ran out of memory");
}

/* words: parts, imbalance as bits of a double, seed. The graph lies in shared
 * memory that the caller has sealed. */
static mplan_status take_task(int n, char **words, mplan_cut_task *task, mplan_error *err)
{
    void *in, *out;
    if (n != 3)
        return mplan_fail(err, MPLAN_ERR_INTERNAL, "meshplan-partition got no graph");
    mplan_status status = map_all(MPLAN_CHILD_INPUT, MAP_PRIVATE, &in, err);
    if (!status)
        status = map_all(MPLAN_CHILD_ANSWER, MAP_SHARED, &out, err);
    if (status)
        return status;
    int64_t *numbers = in;
    task->answer = out;
    task->n = numbers[0];
    task->offsets = numbers + 1;
    task->neighbours = (int32_t *)(task->offsets + task->n + 1);
    task->n_parts = strtoll(words[0], NULL, 10);
    uint64_t bits = strtoull(words[1], NULL, 16);
    memcpy(&task->imbalance, &bits, sizeof bits);
    task->seed = strtoull(words[2], NULL, 10);
    return MPLAN_OK;
}

static mplan_status run(int n, char **words,
                        mplan_status (*work)(const mplan_cut_task *, mplan_error *), mplan_error *err)
{
    mplan_cut_task task = {0};
    mplan_status status = take_task(n, words, &task, err);
    return status ? status : work(&task, err);
}

#if defined MPLAN_HAVE_METIS
static mplan_status run_metis(int n, char **words, const mplan_context *context, mplan_error *err)
{
    (void)context;
    return run(n, words, mplan_cut_by_metis, err);
}
#endif

#if defined MPLAN_HAVE_SCOTCH
static mplan_status run_scotch(int n, char **words, const mplan_context *context, mplan_error *err)
{
    (void)context;
    return run(n, words, mplan_cut_by_scotch, err);
}

static mplan_status run_scotch_order(int n, char **words, const mplan_context *context,
                                     mplan_error *err)
{
    (void)context;
    return run(n, words, mplan_order_by_scotch, err);
}
#endif

const mplan_helper_work mplan_helper_works[] = {
#if defined MPLAN_HAVE_METIS
    {"metis", MPLAN_NEEDS_NOTHING, false, run_metis},
#endif
#if defined MPLAN_HAVE_SCOTCH
    {"scotch", MPLAN_NEEDS_NOTHING, false, run_scotch},
    {"scotch-order", MPLAN_NEEDS_NOTHING, false, run_scotch_order},
#endif
    {NULL, MPLAN_NEEDS_NOTHING, false, NULL},
};
