/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_open.c - opening and closing an executor of parts */
#include "exec/ranks/exec_parts.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "exec/ranks/exec_parts_direct.h"

/* --- which parts are whose --------------------------------------------------------------- */

/* first: ranks + 1 numbers; rank r has the parts [first[r], first[r + 1]), at least one. */
static mplan_status check_first_parts(const int32_t *first, int32_t ranks, int32_t n_parts,
                                      mplan_error *err)
{
    bool good = first[0] == 0 && first[ranks] == n_parts;
    for (int32_t r = 0; r < ranks && good; r++)
        good = first[r] < first[r + 1];
    return good ? MPLAN_OK
                : mplan_fail(err, MPLAN_ERR_ARGUMENT,
                             "first_part must ascend from 0 to %d, with a part for each of %d ranks",
                             (int)n_parts, (int)ranks);
}

/* The parts of each rank: those that the caller says, else as even as possible. */
static mplan_status share_parts(mplan_exec_parts *parts, const int32_t *first_part, mplan_error *err)
{
    const int32_t ranks = parts->ranks, n_parts = parts->n_parts;
    if (ranks < 1 || ranks > n_parts)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%d parts cannot be shared by %d ranks",
                          (int)n_parts, (int)ranks);
    parts->first_part = mplan_alloc((int64_t)ranks + 1, sizeof *parts->first_part, err);
    if (!parts->first_part)
        return MPLAN_ERR_MEMORY;
    for (int32_t r = 0; r <= ranks; r++)
        parts->first_part[r] = first_part ? first_part[r] : (int32_t)((int64_t)r * n_parts / ranks);
    return check_first_parts(parts->first_part, ranks, n_parts, err);
}

/* Canonical ids of all sets. */
static mplan_status copy_bases(mplan_exec_parts *parts, const mplan_exec_source *source,
                               mplan_error *err)
{
    const int64_t n = (int64_t)parts->n_parts + 1;
    parts->n_sets = source->n_sets;
    parts->base = mplan_alloc(parts->n_sets * n, sizeof *parts->base, err);
    if (!parts->base)
        return MPLAN_ERR_MEMORY;
    for (int32_t s = 0; s < parts->n_sets; s++)
        memcpy(parts->base + s * n, source->base(source->user, s), (size_t)n * sizeof *parts->base);
    return MPLAN_OK;
}

/* --- the parts --------------------------------------------------------------------------- */

/* The caller's mesh against the bundle's. */
static mplan_status compare_mesh(const mplan_bundle *bundle, const mplan_exec_options *options,
                                 mplan_error *err)
{
    const uint64_t own = mplan_bundle_fingerprints(bundle).topology;
    for (int32_t i = 0; i < options->n_sets; i++)
        for (int32_t s = 0; s < mplan_bundle_n_sets(bundle); s++) {
            const mplan_bundle_set *set = mplan_bundle_get_set(bundle, s);
            if (strcmp(set->name, options->sets[i].name) == 0 && set->total != options->sets[i].size)
                return mplan_fail(err, MPLAN_ERR_OTHER_MESH,
                                  "the bundle is for another mesh: set %s has %lld members in the "
                                  "bundle and %lld in the mesh",
                                  set->name, (long long)set->total, (long long)options->sets[i].size);
        }
    if (!options->topology || *options->topology == own)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_OTHER_MESH,
                      "the bundle is for another mesh: its topology is %016llx, that of the mesh is "
                      "%016llx",
                      (unsigned long long)own, (unsigned long long)*options->topology);
}

/* Reads the plan of a part and opens an executor for it. */
static mplan_status open_part(mplan_exec_one_part *part, const mplan_exec_source *source,
                              const mplan_exec_options *options, mplan_error *err)
{
    mplan_status status = source->read(source->user, part->part, &part->plan, err);
    if (!status)
        status = mplan_exec_parts_open_places(part, err);
    return status ? status : mplan_exec_open(part->plan, options, &part->exec, err);
}

/* The parts of the rank, or of all. */
static mplan_status open_parts(mplan_exec_parts *parts, const mplan_exec_source *source,
                               const mplan_exec_options *options, const int32_t *devices,
                               mplan_error *err)
{
    const int32_t begin = parts->rank < 0 ? 0 : parts->rank;
    const int32_t end = parts->rank < 0 ? parts->ranks : parts->rank + 1;
    mplan_exec_options own = *options;
    own.topology = NULL;
    own.n_sets = 0;
    parts->here = mplan_alloc_zero(parts->first_part[end] - parts->first_part[begin],
                                   sizeof *parts->here, err);
    mplan_status status = parts->here ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t r = begin; r < end; r++)
        for (int32_t p = parts->first_part[r]; p < parts->first_part[r + 1] && !status; p++) {
            mplan_exec_one_part *part = &parts->here[parts->n_here++];
            part->part = p;
            part->rank = r;
            own.device = devices ? devices[r] : options->device;
            status = open_part(part, source, &own, err);
        }
    parts->rings = status ? 0 : mplan_plan_rings(parts->here[0].plan); /* the same in all parts */
    return status;
}

/* --- opening --------------------------------------------------------------------------------- */

/* What a transport says of itself. */
static mplan_status take_transport(mplan_exec_parts *parts, const mplan_transport *transport,
                                   mplan_error *err)
{
    mplan_transport own = {.struct_size = sizeof own};
    mplan_status status = mplan_options_take(&own, transport, "transport", err);
    if (status)
        return status;
    if (!own.exchange || !own.wait || !own.all_gather || !own.name)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a transport needs a name and three functions");
    if (own.rank < 0 || own.rank >= own.ranks)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a transport of %d ranks has no rank %d",
                          (int)own.ranks, (int)own.rank);
    parts->transport = own;
    parts->rank = own.rank;
    parts->ranks = own.ranks;
    return MPLAN_OK;
}

/* What cannot be where dats are in memory of the host, and slabs of them on devices. */
static mplan_status refuse_limited(const mplan_exec_options *options,
                                   const mplan_rank_options *ranks, mplan_error *err)
{
    const char *wrong =
        ranks->direct == MPLAN_DIRECT_ALWAYS
            ? "ranks cannot be direct where device memory is limited: halos are in memory of the host"
        : ranks->nccl ? "NCCL cannot be used where device memory is limited: halos are in memory of "
                        "the host"
        : options->store
            ? "dats of parts cannot be in a file: their halos are exchanged between visits"
            : NULL;
    return wrong ? mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s", wrong) : MPLAN_OK;
}

/* What a rank makes by itself; it stays with `parts` after a failure, too. */
static mplan_status fill_parts(mplan_exec_parts *parts, const mplan_exec_source *source,
                               const mplan_transport *transport, const mplan_exec_options *options,
                               const mplan_rank_options *ranks, mplan_error *err)
{
    parts->n_parts = source->n_parts;
    parts->ranks = ranks->ranks > 0 ? ranks->ranks : 1;
    parts->rank = -1;
    parts->overlap = ranks->overlap;
    parts->to_inside = ranks->inside;
    parts->patience = ranks->patience > 0 ? ranks->patience : ranks->direct ? 600 : 10;
    parts->limited = options->device_memory > 0;
    parts->poison = ranks->poison && options->executor != MPLAN_EXECUTOR_CUDA;
    snprintf(parts->moved_by, sizeof parts->moved_by, "local");
    mplan_status status = transport ? take_transport(parts, transport, err) : MPLAN_OK;
    if (!status)
        status = share_parts(parts, ranks->first_part, err);
    if (!status && transport && ranks->devices)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "devices of ranks are for ranks of one process, without a transport");
    if (!status && ranks->direct && !transport)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "ranks of one process are direct by their devices, without `direct`");
    if (!status && (ranks->direct < MPLAN_DIRECT_NEVER || ranks->direct > MPLAN_DIRECT_ALWAYS))
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT, "there is no way %d to be direct",
                            (int)ranks->direct);
    if (!status && ranks->nccl && (!ranks->devices || options->executor != MPLAN_EXECUTOR_CUDA))
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "NCCL needs the executor cuda and a device for each rank");
    if (!status && parts->limited)
        status = refuse_limited(options, ranks, err);
    if (!status && ranks->devices && !parts->limited)
        status = mplan_exec_parts_check_devices(ranks->devices, parts->ranks, err);
    if (!status)
        status = copy_bases(parts, source, err);
    if (!status)
        status = open_parts(parts, source, options, ranks->devices, err);
    if (!status)
        status = mplan_exec_parts_open_visits(parts, err);
    if (!status)
        status = mplan_exec_parts_link(parts, err);
    return status;
}

/* What ranks do together, after each has opened what is its own; own: whether it has. */
static mplan_status open_ways(mplan_exec_parts *parts, const mplan_exec_options *options,
                              const mplan_rank_options *ranks, mplan_status own, mplan_error *err)
{
    const bool direct = ranks->direct && !parts->limited;
    mplan_status status = own;
    if (parts->rank >= 0) {
        status = mplan_exec_parts_open_together(parts, own, parts->visit_steps > 0, err);
        if (status)
            return status;
        status = mplan_exec_parts_try(parts,
                                      parts->limited ? MPLAN_EXECUTOR_HOST : options->executor, err);
    }
    if (status)
        return status;
    if (direct)
        return mplan_exec_parts_open_direct(parts, ranks->direct == MPLAN_DIRECT_ALWAYS, err);
    return !ranks->devices || parts->limited
               ? MPLAN_OK
               : mplan_exec_parts_open_peer(parts, ranks->devices, ranks->nccl, err);
}

/* A rank that cannot begin: the others learn of it where they wait for it in open_ways. Returns status. */
static mplan_status tell_others(const mplan_transport *transport, mplan_status status,
                                mplan_error *err)
{
    mplan_exec_parts none = {.rank = -1};
    if (transport && !take_transport(&none, transport, NULL))
        (void)mplan_exec_parts_open_together(&none, status, false, err);
    return status;
}

/* All or nothing: a failure releases what was opened. The caller's executor has no dats of its own; its calls go to
 * mplan_exec_parts_calls. */
mplan_status mplan_exec_open_source(const mplan_exec_source *source, const mplan_transport *transport,
                                    const mplan_exec_options *options,
                                    const mplan_rank_options *ranks, mplan_exec **exec,
                                    mplan_error *err)
{
    assert(source && options && ranks && exec);
    mplan_exec *made = mplan_alloc_zero(1, sizeof *made, err);
    mplan_exec_parts *parts = mplan_alloc_zero(1, sizeof *parts, err);
    mplan_status status;
    if (made && parts) {
        status = fill_parts(parts, source, transport, options, ranks, err);
        status = mplan_exec_parts_heard(parts, open_ways(parts, options, ranks, status, err), err);
    } else {
        status = tell_others(transport, MPLAN_ERR_MEMORY, err);
    }
    if (status) {
        if (parts)
            mplan_exec_parts_close(parts);
        free(made);
        return status;
    }
    made->parts = parts;
    made->calls = &mplan_exec_parts_calls;
    made->plan = parts->here[0].plan;
    made->executor = options->executor;
    made->device = ranks->devices ? ranks->devices[0] : options->device;
    *exec = made;
    return MPLAN_OK;
}

/* mplan_exec_source.base of a bundle. */
static const int64_t *base_of(const void *bundle, int32_t set)
{
    return mplan_bundle_get_set(bundle, set)->base;
}

/* mplan_exec_source.read of a bundle: only parts of this rank are read. */
static mplan_status read_part(const void *bundle, int32_t part, mplan_plan **plan, mplan_error *err)
{
    return mplan_bundle_read_part(bundle, part, NULL, plan, err);
}

/* The bundle's mesh is compared with what the caller's options say of it before any part is read. A rank that fails tells the others, which
 * wait for it. */
mplan_status mplan_exec_open_part(const mplan_bundle *bundle, const mplan_transport *transport,
                                  const mplan_exec_options *options, const mplan_rank_options *ranks,
                                  mplan_exec **exec, mplan_error *err)
{
    mplan_exec_options own = MPLAN_EXEC_OPTIONS_INIT;
    mplan_rank_options own_ranks = MPLAN_RANK_OPTIONS_INIT;
    mplan_error late;
    err = err ? err : &late;
    mplan_status status = !bundle ? mplan_fail_null(err, __func__, "bundle")
                          : !exec ? mplan_fail_null(err, __func__, "exec")
                                  : mplan_options_take(&own, options, "executor options", err);
    if (!status)
        status = mplan_options_take(&own_ranks, ranks, "rank options", err);
    if (!status && own.n_sets > 0 && !own.sets)
        status = mplan_fail_null(err, __func__, "sets of the options");
    if (!status && own_ranks.ranks < 0)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "the number of ranks must be 0 or more, not %d", (int)own_ranks.ranks);
    if (!status)
        status = compare_mesh(bundle, &own, err);
    if (status)
        return tell_others(transport, status, err);
    const mplan_exec_source source = {mplan_bundle_n_parts(bundle), mplan_bundle_n_sets(bundle),
                                      bundle, base_of, read_part};
    return mplan_exec_open_source(&source, transport, &own, &own_ranks, exec, err);
}

/* --- what is here --------------------------------------------------------------------------- */

/* i counts the parts that are here, in ascending order; NULL past the last. */
mplan_exec *mplan_exec_part(const mplan_exec *exec, int32_t i, int32_t *part)
{
    if (!exec || !exec->parts || i < 0 || i >= exec->parts->n_here)
        return NULL;
    if (part)
        *part = exec->parts->here[i].part;
    return exec->parts->here[i].exec;
}

/* Sums since the executor was opened; bytes are of messages between ranks, copied those within one. */
mplan_status mplan_exec_exchanged(const mplan_exec *exec, mplan_exchange_figures *figures,
                                  mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(figures);
    const mplan_exec_parts *parts = exec->parts;
    if (!parts)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the executor has no parts");
    *figures = (mplan_exchange_figures){.transport = parts->moved_by,
                                        .rank = parts->rank,
                                        .ranks = parts->ranks,
                                        .parts = parts->n_here,
                                        .exchanges = parts->exchanges,
                                        .messages = parts->messages,
                                        .bytes = parts->bytes,
                                        .copied = parts->copied,
                                        .inside = parts->inside};
    return MPLAN_OK;
}
