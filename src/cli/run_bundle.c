/* SPDX-License-Identifier: Apache-2.0 */
/* run_bundle.c - a bundle that `run` runs on several numbers of ranks, one after the other */
#include "cli/run_bundle.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/plan_parts.h"

static const char *const TRANSPORTS[] = {"local", "peer", "peer-inside", "nccl"};

const char *cli_transport_word(int32_t i)
{
    return i >= 0 && i < (int32_t)(sizeof TRANSPORTS / sizeof *TRANSPORTS) ? TRANSPORTS[i] : NULL;
}

mplan_status cli_ranks_check(const cli_ranks_given *given, const char *plan, mplan_error *err)
{
    assert(given);
    if (given->ranks.n > 0 && !plan && !given->parts)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "run: --ranks needs --parts N, or --plan BUNDLE");
    if (plan && given->parts)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "run: --parts cannot be combined with --plan");
    return MPLAN_OK;
}

/* A number of ranks, from 1 to that of the parts. */
static mplan_status read_ranks(const char *text, int32_t parts, int32_t *ranks, mplan_error *err)
{
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < 1)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "run: --ranks: '%s' is not a number of ranks", text);
    if (value > parts)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "run: --ranks: %ld ranks cannot share the %d parts of the bundle", value,
                        (int)parts);
    *ranks = (int32_t)value;
    return MPLAN_OK;
}

/* ranks: n numbers, each from 1 to the number of parts; devices: room for as many as there are parts, filled by
 * cli_bundle_turn. After a failure cli_bundle_close releases what is there. */
mplan_status cli_bundle_open(cli_bundle *own, const char *path, const cli_ranks_given *given,
                             const mplan_context *context, mplan_error *err)
{
    assert(own && path && given);
    own->n = given->ranks.n > 0 ? given->ranks.n : 1;
    own->ranks = calloc((size_t)own->n, sizeof *own->ranks);
    mplan_status status = mplan_bundle_open(path, context, &own->bundle, err);
    const int32_t parts = status ? 1 : mplan_bundle_n_parts(own->bundle);
    own->devices = calloc((size_t)parts, sizeof *own->devices);
    if (!status && (!own->ranks || !own->devices))
        status = cli_fail(err, MPLAN_ERR_MEMORY, "run: out of memory");
    for (int32_t k = 0; k < own->n && !status; k++)
        status = given->ranks.n > 0 ? read_ranks(given->ranks.item[k], parts, &own->ranks[k], err)
                                    : (own->ranks[k] = 1, MPLAN_OK);
    return status ? status : mplan_bundle_read_part(own->bundle, 0, context, &own->plan, err);
}

mplan_status cli_bundle_prove(cli_bundle *own, mplan_mesh *mesh, const mplan_context *context,
                              mplan_error *err)
{
    assert(own && own->bundle && mesh);
    const mplan_parts_source source = mplan_bundle_source(own->bundle);
    return mplan_parts_verify(&source, mesh, -1, context, err);
}

/* A file of its own in TMPDIR; the caller removes it. */
static mplan_status new_file(char *path, size_t size, mplan_error *err)
{
    const char *folder = getenv("TMPDIR");
    const int length = snprintf(path, size, "%s/meshplan-run-XXXXXX",
                                folder && *folder ? folder : "/tmp");
    const int file = length > 0 && (size_t)length < size ? mkstemp(path) : -1;
    if (file < 0)
        return cli_fail(err, MPLAN_ERR_IO, "run: no file for a bundle can be made in %s: %s",
                        folder && *folder ? folder : "/tmp", strerror(errno));
    close(file);
    return MPLAN_OK;
}

/* The file is unlinked on return in any case: an open bundle keeps its bytes readable. */
mplan_status cli_bundle_make(cli_bundle *own, mplan_mesh *mesh, int32_t n_loops,
                             const mplan_loop *loops, const mplan_plan_options *options,
                             const cli_ranks_given *given, bool proved,
                             const mplan_context *context, mplan_error *err)
{
    assert(own && mesh && loops && options && given && given->parts);
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    mplan_parts *parts = NULL;
    int32_t *part = NULL;
    char path[4096] = "";
    mplan_status status = cli_parts_read(given->parts, &how, &part, context, err);
    if (!status)
        status = mplan_parts_create(mesh, n_loops, loops, options, &how, context, &parts, err);
    free(part);
    if (!status)
        status = new_file(path, sizeof path, err);
    if (!status)
        status = mplan_parts_write(parts, path, NULL, context, NULL, err);
    mplan_parts_free(parts);
    if (!status)
        status = cli_bundle_open(own, path, given, context, err);
    if (!status && proved)
        status = cli_bundle_prove(own, mesh, context, err);
    if (*path)
        unlink(path);
    return status;
}

void cli_bundle_close(cli_bundle *own)
{
    assert(own);
    mplan_plan_free(own->plan);
    mplan_bundle_free(own->bundle);
    free(own->ranks);
    free(own->devices);
}

/* Rank r gets the device behind the first by r. `how` points into own afterwards, which must not move. */
void cli_bundle_turn(cli_bundle *own, int32_t k, const cli_ranks_given *given, mplan_app_options *how)
{
    assert(own && given && how && k >= 0 && k < own->n);
    const int32_t ranks = own->ranks[k];
    own->options = (mplan_rank_options)MPLAN_RANK_OPTIONS_INIT;
    own->options.nccl = given->transport && strcmp(given->transport, "nccl") == 0;
    own->options.inside = !given->transport || strcmp(given->transport, "peer-inside") == 0;
    own->peer = given->transport ? strcmp(given->transport, "local") != 0
                                 : how->exec->executor == MPLAN_EXECUTOR_CUDA && ranks > 1;
    for (int32_t r = 0; r < ranks; r++)
        own->devices[r] = how->exec->device + r;
    own->options.ranks = ranks;
    own->options.overlap = !given->no_overlap;
    own->options.devices = own->peer ? own->devices : NULL;
    how->bundle = own->bundle;
    how->ranks = &own->options;
}

/* 1 where n times as many ranks take an n-th of the time. The first number of ranks of each variant is what others
 * are compared with, and has 0 itself. */
double cli_bundle_efficiency(cli_bundle *own, int32_t variant, const mplan_app_result *result)
{
    assert(own && result);
    if (variant >= CLI_BUNDLE_VARIANTS || result->microseconds <= 0)
        return 0;
    if (own->base_ranks[variant] == 0) {
        own->base_ranks[variant] = result->ranks;
        own->base_time[variant] = result->microseconds;
        return 0;
    }
    return own->base_time[variant] * own->base_ranks[variant] /
           (result->microseconds * result->ranks);
}
