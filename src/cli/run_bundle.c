/* SPDX-License-Identifier: Apache-2.0 */
/* run_bundle.c - a bundle that `run` runs on several numbers of ranks, one after the other */
#include "cli/run_bundle.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

static const char *const TRANSPORTS[] = {"local", "peer"};

const char *cli_transport_word(int32_t i)
{
    return i >= 0 && i < (int32_t)(sizeof TRANSPORTS / sizeof *TRANSPORTS) ? TRANSPORTS[i] : NULL;
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

void cli_bundle_close(cli_bundle *own)
{
    assert(own);
    mplan_plan_free(own->plan);
    mplan_bundle_free(own->bundle);
    free(own->ranks);
    free(own->devices);
}

void cli_bundle_turn(cli_bundle *own, int32_t k, const cli_ranks_given *given, mplan_app_options *how)
{
    assert(own && given && how && k >= 0 && k < own->n);
    const int32_t ranks = own->ranks[k];
    own->peer = given->transport ? strcmp(given->transport, "peer") == 0
                                 : how->exec->executor == MPLAN_EXECUTOR_CUDA && ranks > 1;
    for (int32_t r = 0; r < ranks; r++)
        own->devices[r] = how->exec->device + r;
    own->options = (mplan_rank_options)MPLAN_RANK_OPTIONS_INIT;
    own->options.ranks = ranks;
    own->options.overlap = !given->no_overlap;
    own->options.devices = own->peer ? own->devices : NULL;
    how->bundle = own->bundle;
    how->ranks = &own->options;
}

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
