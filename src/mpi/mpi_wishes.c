/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_wishes.c - part files, weights and groups, read by rank 0 and told to the ranks that have the members
 *
 * Rank 0 holds a file's numbers, and of groups one number a member besides: less than the mesh by far, but all of it. */
#include "mpi/mpi_wishes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/message.h"
#include "cli/part_weights.h"
#include "cli/plan_parts.h"
#include "mpi/exchange.h"
#include "partition/groups.h"
#include "pipeline/partition_wishes.h"

/* Numbers of `size` bytes by member, on rank 0, to the ranks that have the members. Where there are fewer than members, the last
 * ranks get fewer, and where there are more, these are left: the caller has compared them, or will. status: of rank 0. */
static mplan_status deal(const mpi_call *call, mplan_status status, const mpi_set *set, int64_t n,
                         size_t size, const void *numbers, mpi_items *own, mplan_error *err)
{
    int64_t *counts = status ? NULL : mplan_alloc_zero(call->ranks, sizeof *counts, err);
    if (!status && !counts)
        status = MPLAN_ERR_MEMORY;
    for (int32_t r = 0; !status && call->rank == 0 && r < call->ranks; r++) {
        const int64_t begin = set->first[r] < n ? set->first[r] : n;
        counts[r] = (set->first[r + 1] < n ? set->first[r + 1] : n) - begin;
    }
    status = mpi_exchange(call->comm, status, size, numbers, counts, own, err);
    free(counts);
    return status;
}

/* A part file. That it has as many numbers as the set has members is found later (mpi_parts.c), with its sentence. */
static mplan_status read_part_file(const mpi_call *call, const char *path, const mpi_set *set,
                                   mpi_wishes *out, mpi_parts_options *how, mplan_error *err)
{
    mplan_parts_options read = MPLAN_PARTS_OPTIONS_INIT;
    int32_t *part = NULL;
    mplan_status status = MPLAN_OK;
    if (call->rank == 0)
        status = cli_parts_read_file(path, &read, &part, call->context, err);
    status = deal(call, status, set, read.n_part, sizeof *part, part, &out->part, err);
    free(part);
    how->n_owner = read.n_part;
    mpi_bcast(&how->n_owner, 1, MPI_INT64_T, 0, call->comm);
    how->owner = out->part.data;
    how->owner_file = path;
    return status;
}

/* On rank 0: weights as they are given, and the group of each member. Checked as mplan_parts_create checks them. */
static mplan_status read_files(const mpi_call *call, const mpi_set *set, cli_part_arrays *arrays,
                               mplan_partition_options *read, int64_t **group, int64_t *n_groups,
                               mplan_error *err)
{
    const mpi_plan_options *given = call->options;
    const cli_part_wishes wishes = {.weights = given->weights, .together = given->together};
    const mplan_csr members = {.n = set->size};
    mplan_cut_wishes made = {.n_constraints = 0};
    mplan_status status = cli_part_wishes_load(&wishes, arrays, read, call->context, err);
    read->n_parts = 1;
    if (!status)
        status = mplan_partition_check_wishes(read, MPLAN_PARTITIONER_NATIVE, err);
    if (!status)
        status = mplan_partition_make_wishes(read, set->name, &members, NULL, &made, call->context,
                                             err);
    mplan_partition_free_wishes(&made);
    if (status || !read->n_together)
        return status;
    const mplan_together together = {read->n_together, read->together_columns, read->together};
    int32_t *narrow = NULL;
    if (set->size >= INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "--together: set '%s' has 2^31 members and more, which one rank cannot group",
                          set->name);
    narrow = mplan_alloc(set->size, sizeof *narrow, err);
    *group = mplan_alloc(set->size, sizeof **group, err);
    status = narrow && *group
                 ? mplan_groups_of(&together, set->name, set->size, narrow, n_groups, err)
                 : MPLAN_ERR_MEMORY;
    status = mplan_fail_of_file(err, status, given->together);
    for (int64_t i = 0; i < set->size && !status; i++)
        (*group)[i] = narrow[i];
    free(narrow);
    return status;
}

/* Weights and groups. All ranks have the same options, and so deal out the same of both. */
static mplan_status read_wishes(const mpi_call *call, const mpi_set *set, mpi_wishes *out,
                                mpi_parts_options *how, mplan_error *err)
{
    const mpi_plan_options *given = call->options;
    cli_part_arrays arrays = {0};
    mplan_partition_options read = MPLAN_PARTITION_OPTIONS_INIT;
    int64_t *group = NULL;
    mplan_status status = MPLAN_OK;
    if (call->rank == 0)
        status = read_files(call, set, &arrays, &read, &group, &how->n_groups, err);
    status = mpi_agree(call->comm, status, err);
    if (!status && given->weights.n > 0)
        status = deal(call, status, set, set->size, sizeof *arrays.weights, read.weights,
                      &out->weight, err);
    if (!status && given->together) {
        status = deal(call, status, set, set->size, sizeof *group, group, &out->group, err);
        mpi_bcast(&how->n_groups, 1, MPI_INT64_T, 0, call->comm);
    }
    cli_part_arrays_free(&arrays);
    free(group);
    how->weight = out->weight.data;
    how->group = out->group.data;
    return status;
}

mplan_status mpi_wishes_read(const mpi_call *call, const mpi_asked *asked, const mpi_set *set,
                             mpi_wishes *out, mpi_parts_options *how, mplan_error *err)
{
    assert(call && asked && asked->parts && set && out && how);
    const mpi_plan_options *given = call->options;
    const char *parts = asked->parts;
    const bool wishes = given->weights.n > 0 || given->together;
    if (cli_parts_is_file(parts)) {
        const char *other = given->weights.n > 0         ? "weights"
                            : given->together            ? "together"
                            : given->cut_imbalance.given ? "cut-imbalance"
                            : given->cut                 ? "cut"
                                                         : NULL;
        if (other)
            return cli_fail(err, MPLAN_ERR_ARGUMENT,
                            "--%s is for parts that are cut, not for a part file", other);
        return read_part_file(call, parts, set, out, how, err);
    }
    mplan_parts_options numbers = MPLAN_PARTS_OPTIONS_INIT;
    mplan_status status = cli_parts_read(parts, &numbers, NULL, call->context, err);
    how->n_parts = numbers.n_parts;
    how->nodes = numbers.nodes;
    how->ptscotch = mpi_asks_ptscotch(asked);
    how->cut_ranks = asked->cut_ranks;
    how->imbalance = given->cut_imbalance.given ? given->cut_imbalance.value : 0;
    return !status && wishes ? read_wishes(call, set, out, how, err) : status;
}

/* Also of what was read in part, or never. */
void mpi_wishes_free(mpi_wishes *wishes)
{
    assert(wishes);
    mpi_items_free(&wishes->part);
    mpi_items_free(&wishes->weight);
    mpi_items_free(&wishes->group);
}
