/* SPDX-License-Identifier: Apache-2.0 */
/* cut_child.c - hands a graph to meshplan-partition in shared memory, and takes its answer */
#include "mesh/cut_child.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/option_size.h"
#include "base/shared_memory.h"

enum { IDLE_SECONDS = 600 };

/* Number of vertices, n + 1 offsets, neighbours, without gaps, in memory shared with
 * the program; sealed, so that it cannot change while it is read. */
static mplan_status write_graph(int fd, const mplan_csr *graph, mplan_error *err)
{
    size_t bytes;
    mplan_status status = mplan_shared_write(fd, &graph->n, sizeof graph->n, err);
    if (!status)
        status = mplan_shared_write(fd, graph->offsets,
                                    (size_t)(graph->n + 1) * sizeof *graph->offsets, err);
    if (!status)
        status = mplan_shared_write(fd, graph->neighbours,
                                    (size_t)graph->offsets[graph->n] * sizeof *graph->neighbours,
                                    err);
    return status ? status : mplan_shared_seal(fd, &bytes, err);
}

/* answer: one int32 per vertex. Only the size is checked here; what the numbers say is
 * checked by the caller. */
static mplan_status take_answer(const mplan_cut *cut, int fd, int32_t *answer, mplan_error *err)
{
    size_t found = 0, bytes = (size_t)cut->graph->n * sizeof *answer;
    mplan_status status = mplan_shared_seal(fd, &found, err);
    if (status || found != bytes)
        return mplan_fail(err, MPLAN_ERR_PARTITIONER, "%s gave an invalid answer", cut->name);
    const void *data = mplan_shared_map(fd, bytes, err);
    if (!data)
        return MPLAN_ERR_MEMORY;
    memcpy(answer, data, bytes);
    mplan_shared_unmap(data, bytes);
    return MPLAN_OK;
}

/* Both partitioners take memory and time by the size of the graph; bytes below 2^53 or so, as the graph
 * is in memory. */
static void set_limits(mplan_child *child, const mplan_csr *graph, const mplan_context *context)
{
    int64_t allowed = mplan_context_memory(context);
    int64_t bytes = (graph->n + 2) * (int64_t)sizeof *graph->offsets +
                    graph->offsets[graph->n] * (int64_t)sizeof *graph->neighbours;
    bool patience = MPLAN_CONTEXT_HAS(context, read_timeout) && context->read_timeout > 0;
    child->memory = allowed ? allowed : MPLAN_MEMORY_PER_INPUT * bytes + MPLAN_CUT_MEMORY_BASE;
    child->cpu_seconds = MPLAN_CUT_SECONDS_BASE + bytes / MPLAN_CUT_BYTES_A_SECOND;
    child->idle_seconds = patience ? context->read_timeout : IDLE_SECONDS;
}

/* The graph goes to the program and the answer comes back by shared memory; options are
 * words of its command line. */
mplan_status mplan_cut_in_child(const mplan_cut *cut, int32_t *answer, const mplan_context *context,
                                mplan_error *err)
{
    char parts[24], imbalance[24], seed[24];
    uint64_t bits; /* of the imbalance: no locale changes them */
    const char *const words[] = {cut->work, parts, imbalance, seed, NULL};
    snprintf(parts, sizeof parts, "%lld", (long long)cut->n_parts);
    memcpy(&bits, &cut->imbalance, sizeof bits);
    snprintf(imbalance, sizeof imbalance, "%llx", (unsigned long long)bits);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)cut->seed);
    mplan_child child = {
        .program = "meshplan-partition", .name = cut->name, .words = words, .stage = cut->name};
    child.answer = -1;
    set_limits(&child, cut->graph, context);
    mplan_status status = mplan_shared_create(0, &child.input, err);
    if (!status)
        status = mplan_shared_create((size_t)cut->graph->n * sizeof *answer, &child.answer, err);
    if (!status)
        status = write_graph(child.input, cut->graph, err);
    if (!status)
        status = mplan_child_run(&child, context, err);
    if (!status)
        status = take_answer(cut, child.answer, answer, err);
    if (child.answer >= 0)
        close(child.answer);
    if (child.input >= 0)
        close(child.input);
    return status;
}
