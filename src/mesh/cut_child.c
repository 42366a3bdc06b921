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

static const mplan_cut_wishes no_wishes;

/* Weights and shares, where there are any; behind the offsets. */
static mplan_status write_wishes(int fd, const mplan_cut *cut, const mplan_cut_wishes *wishes,
                                 mplan_error *err)
{
    size_t n = (size_t)cut->graph->n, entries = (size_t)cut->graph->offsets[n];
    mplan_status status = MPLAN_OK;
    if (wishes->n_constraints)
        status = mplan_shared_write(fd, wishes->weights,
                                    n * (size_t)wishes->n_constraints * sizeof *wishes->weights, err);
    if (!status && wishes->edge_weights)
        status = mplan_shared_write(fd, wishes->edge_weights,
                                    entries * sizeof *wishes->edge_weights, err);
    if (!status && wishes->sizes)
        status = mplan_shared_write(fd, wishes->sizes, n * sizeof *wishes->sizes, err);
    if (!status && wishes->shares)
        status = mplan_shared_write(fd, wishes->shares,
                                    (size_t)cut->n_parts * sizeof *wishes->shares, err);
    return status;
}

/* The head, offsets, wishes and neighbours, without gaps, in memory shared with the program; sealed, so that
 * it cannot change while it is read. */
static mplan_status write_graph(int fd, const mplan_cut *cut, mplan_error *err)
{
    size_t bytes;
    const mplan_csr *graph = cut->graph;
    const mplan_cut_wishes *wishes = cut->wishes ? cut->wishes : &no_wishes;
    const int64_t head[MPLAN_CUT_HEAD] = {
        [MPLAN_CUT_N] = graph->n,
        [MPLAN_CUT_CONSTRAINTS] = wishes->n_constraints,
        [MPLAN_CUT_EDGE_WEIGHTS] = wishes->edge_weights != NULL,
        [MPLAN_CUT_SIZES] = wishes->sizes != NULL,
        [MPLAN_CUT_SHARES] = wishes->shares ? cut->n_parts : 0,
        [MPLAN_CUT_FLAGS] = (wishes->recursive ? MPLAN_CUT_RECURSIVE : 0) +
                            (wishes->volume ? MPLAN_CUT_VOLUME : 0) +
                            (wishes->contiguous ? MPLAN_CUT_CONTIGUOUS : 0) +
                            (wishes->few_links ? MPLAN_CUT_FEW_LINKS : 0),
        [MPLAN_CUT_ITERATIONS] = wishes->iterations,
        [MPLAN_CUT_CUTS] = wishes->cuts};
    mplan_status status = mplan_shared_write(fd, head, sizeof head, err);
    if (!status)
        status = mplan_shared_write(fd, graph->offsets,
                                    (size_t)(graph->n + 1) * sizeof *graph->offsets, err);
    if (!status)
        status = write_wishes(fd, cut, wishes, err);
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
static void set_limits(mplan_child *child, const mplan_cut *cut, const mplan_context *context)
{
    const mplan_csr *graph = cut->graph;
    const mplan_cut_wishes *wishes = cut->wishes ? cut->wishes : &no_wishes;
    int64_t allowed = mplan_context_memory(context);
    int64_t bytes = (graph->n + 2) * (int64_t)sizeof *graph->offsets +
                    graph->offsets[graph->n] * (int64_t)sizeof *graph->neighbours +
                    graph->n * wishes->n_constraints * (int64_t)sizeof *wishes->weights +
                    (wishes->sizes ? graph->n * (int64_t)sizeof *wishes->sizes : 0) +
                    (wishes->edge_weights
                         ? graph->offsets[graph->n] * (int64_t)sizeof *wishes->edge_weights
                         : 0);
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
    set_limits(&child, cut, context);
    mplan_status status = mplan_shared_create(0, &child.input, err);
    if (!status)
        status = mplan_shared_create((size_t)cut->graph->n * sizeof *answer, &child.answer, err);
    if (!status)
        status = write_graph(child.input, cut, err);
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
