/* SPDX-License-Identifier: Apache-2.0 */
/* cut_main.c - meshplan-partition: METIS and SCOTCH, which trap signals, print, exit and crash
 *
 * WORK PARTS IMBALANCE SEED, the imbalance by its bits. The input is laid out as mesh/cut_child.h says, in numbers of
 * the machine; the answer has room for n int32_t. Both come from mesh/cut_child.c, and are looked over all the
 * same. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/error.h"
#include "helper/cut.h"
#include "helper/helper.h"
#include "mesh/cut_child.h"

static mplan_status fail_graph(mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_INTERNAL, "meshplan-partition got no graph");
}

/* The whole of a descriptor.
 * kind: MAP_PRIVATE for the input, which partitioners may write to; MAP_SHARED for the answer. */
static mplan_status map_all(int fd, int kind, void **data, int64_t *size, mplan_error *err)
{
    struct stat about;
    if (fstat(fd, &about) || about.st_size <= 0)
        return fail_graph(err);
    *size = about.st_size;
    *data = mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, kind, fd, 0);
    return *data != MAP_FAILED
               ? MPLAN_OK
               : mplan_fail(err, MPLAN_ERR_MEMORY, "meshplan-partition ran out of memory");
}

/* Takes `count` numbers of `size` bytes from *at on; NULL, with *whole false, when they are not there. */
static void *take_array(char **at, const char *end, int64_t count, int64_t size, bool *whole)
{
    char *begin = *at;
    *whole = *whole && count >= 0 && count <= (end - begin) / size;
    if (!*whole)
        return NULL;
    *at += count * size;
    return begin;
}

/* Finds the arrays, which must fill the input; false when they do not.
 * Arrays of *task point into `in`, in the order of mesh/cut_child.h. Each length is compared with what is left of the
 * input before its array is used. */
static bool take_graph(void *in, int64_t bytes, int64_t answer_bytes, mplan_cut_task *task)
{
    char *at = in, *end = at + bytes;
    bool whole = true;
    const int64_t *head = take_array(&at, end, MPLAN_CUT_HEAD, 8, &whole);
    if (!whole || head[MPLAN_CUT_N] <= 0 || head[MPLAN_CUT_N] > bytes / 8 ||
        head[MPLAN_CUT_CONSTRAINTS] < 0 ||
        head[MPLAN_CUT_CONSTRAINTS] > MPLAN_CUT_MOST_CONSTRAINTS || head[MPLAN_CUT_SHARES] < 0 ||
        answer_bytes != head[MPLAN_CUT_N] * (int64_t)sizeof *task->answer)
        return false;
    task->n = head[MPLAN_CUT_N];
    task->n_constraints = head[MPLAN_CUT_CONSTRAINTS];
    task->flags = head[MPLAN_CUT_FLAGS];
    task->iterations = head[MPLAN_CUT_ITERATIONS];
    task->cuts = head[MPLAN_CUT_CUTS];
    task->offsets = take_array(&at, end, task->n + 1, 8, &whole);
    int64_t entries = whole ? task->offsets[task->n] : -1;
    if (task->n_constraints)
        task->weights = take_array(&at, end, task->n * task->n_constraints, 8, &whole);
    if (head[MPLAN_CUT_EDGE_WEIGHTS])
        task->edge_weights = take_array(&at, end, entries, 8, &whole);
    if (head[MPLAN_CUT_SIZES])
        task->sizes = take_array(&at, end, task->n, 8, &whole);
    if (head[MPLAN_CUT_SHARES])
        task->shares = take_array(&at, end, head[MPLAN_CUT_SHARES], 8, &whole);
    task->neighbours = take_array(&at, end, entries, 4, &whole);
    return whole && at == end && (!task->shares || head[MPLAN_CUT_SHARES] == task->n_parts);
}

/* Offsets ascend, and neighbours are vertices.
 * Asked after take_graph, by which both arrays are there in full. Partitioners follow these numbers without a look at
 * them. */
static bool is_graph(const mplan_cut_task *task)
{
    bool valid = task->offsets[0] == 0;
    for (int64_t v = 0; v < task->n && valid; v++)
        valid = task->offsets[v] <= task->offsets[v + 1];
    for (int64_t i = 0; valid && i < task->offsets[task->n]; i++)
        valid = task->neighbours[i] >= 0 && task->neighbours[i] < task->n;
    return valid;
}

/* Weights and sizes of vertices are 0 or more, weights of edges 1 or more; shares are above 0. */
static bool are_wishes(const mplan_cut_task *task)
{
    bool valid = task->iterations >= 0 && task->iterations <= MPLAN_CUT_MOST_REPEATS &&
                 task->cuts >= 0 && task->cuts <= MPLAN_CUT_MOST_REPEATS;
    for (int64_t i = 0; valid && task->weights && i < task->n * task->n_constraints; i++)
        valid = task->weights[i] >= 0;
    for (int64_t v = 0; valid && task->sizes && v < task->n; v++)
        valid = task->sizes[v] >= 0;
    for (int64_t i = 0; valid && task->edge_weights && i < task->offsets[task->n]; i++)
        valid = task->edge_weights[i] >= 1;
    for (int64_t p = 0; valid && task->shares && p < task->n_parts; p++)
        valid = task->shares[p] > 0 && task->shares[p] <= 1;
    return valid;
}

/* words: parts, imbalance as bits of a double, seed. The graph lies in shared
 * memory that the caller has sealed. */
static mplan_status take_task(int n, char **words, mplan_cut_task *task, mplan_error *err)
{
    void *in, *out;
    int64_t in_bytes = 0, out_bytes = 0;
    if (n != 3)
        return fail_graph(err);
    mplan_status status = map_all(MPLAN_CHILD_INPUT, MAP_PRIVATE, &in, &in_bytes, err);
    if (!status)
        status = map_all(MPLAN_CHILD_ANSWER, MAP_SHARED, &out, &out_bytes, err);
    if (status)
        return status;
    task->answer = out;
    task->n_parts = strtoll(words[0], NULL, 10);
    uint64_t bits = strtoull(words[1], NULL, 16);
    memcpy(&task->imbalance, &bits, sizeof bits);
    task->seed = strtoull(words[2], NULL, 10);
    return take_graph(in, in_bytes, out_bytes, task) && is_graph(task) && are_wishes(task)
               ? MPLAN_OK
               : fail_graph(err);
}

/* work: the partitioner. It writes task.answer, which is the caller's memory. */
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
