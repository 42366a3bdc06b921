/* SPDX-License-Identifier: Apache-2.0 */
/* verify_columns.c - what the parts of a bundle say of columns of layers is one thing, and that of the request
 *
 * Each part says the layers of all members that it has, owned ones and halos. Ranks have ranges of the members of the whole mesh:
 * all that is said of a member comes to one rank, where it must be the same; and the hash of the numbers of all members, which
 * pass rank 0 in their order, must be in the request. So no rank has what is said of all members.
 *
 * Functions are collective but where they say otherwise. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "mpi/exchange.h"
#include "mpi/mpi_verify.h"

/* What parts say of the columns over one set: whether they have ranges and masks, as all ranks found it, and those of the
 * members [first[rank], first[rank + 1]), which are known where a list named them. */
typedef struct columns {
    MPI_Comm comm;
    int32_t rank, ranks;
    const mplan_check_columns *own; /* lists of this rank's parts */
    int32_t layers;
    int64_t *first, n;
    uint8_t *known;
    int32_t *numbers; /* of ranges, or of masks */
} columns;

/* Whether all ranks say whether columns have ranges and masks, and how many layers, as the others do. *any: there are columns
 * that differ. Ranks whose parts have said nothing agree with all. */
static bool same_kind(columns *c, const mplan_check_columns *own, bool *ranges, bool *mask)
{
    const bool says = own->layers > 0;
    c->layers = (int32_t)mpi_most(c->comm, own->layers);
    *ranges = mpi_most(c->comm, own->has_ranges) > 0;
    *mask = mpi_most(c->comm, own->has_mask) > 0;
    const bool other = says && (own->layers != c->layers || own->has_ranges != *ranges ||
                                own->has_mask != *mask);
    return mpi_most(c->comm, other) == 0;
}

/* Numbers of this rank's lists, `cols` a member, go to the ranks that have the members. list: by ids. */
static mplan_status send(const columns *c, const int32_t *to, size_t size, const void *list,
                         mpi_items *got, mplan_error *err)
{
    return mpi_exchange_mixed(c->comm, MPLAN_OK, size, list, c->own->ids.count, to, got, err);
}

/* Notes what came of this rank's members; false: of one of them two different things, or of one nothing. Not collective. */
static bool note(columns *c, int32_t cols, const mpi_items *ids, const int32_t *numbers)
{
    const size_t bytes = (size_t)cols * sizeof *numbers;
    bool same = true;
    memset(c->known, 0, (size_t)c->n);
    for (int64_t i = 0; i < ids->n; i++) {
        const int64_t at = ((const int64_t *)ids->data)[i] - c->first[c->rank];
        int32_t *known = c->numbers + at * cols;
        if (!c->known[at])
            memcpy(known, numbers + i * cols, bytes);
        same = same && memcmp(known, numbers + i * cols, bytes) == 0;
        c->known[at] = 1;
    }
    for (int64_t i = 0; i < c->n; i++)
        same = same && c->known[i];
    return same;
}

/* An mpi_take of mpi_in_turn: user is the stream. */
static void hash_more(void *user, const void *data, int64_t bytes)
{
    mplan_hash_more(user, data, (size_t)bytes);
}

/* One of both arrays: `cols` numbers a member. *same: all lists say the same, of all members; *hash: on rank 0, of all. */
static mplan_status bring_together(columns *c, int32_t cols, const int32_t *to,
                                   const mpi_items *ids, const mplan_vector *list, bool *same,
                                   uint64_t *hash, mplan_error *err)
{
    mplan_hash_stream stream;
    mpi_items got = {0};
    mplan_hash_begin(&stream);
    mplan_status status = send(c, to, (size_t)cols * sizeof(int32_t), list->data, &got, err);
    c->numbers = status ? NULL : mplan_alloc(c->n * cols, sizeof *c->numbers, err);
    status = mpi_agree(c->comm, status ? status : c->numbers ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    *same = !status && note(c, cols, ids, got.data);
    *same = mpi_most(c->comm, !*same) == 0;
    mpi_items_free(&got);
    if (!status && *same)
        status = mpi_in_turn(c->comm, status, c->numbers, c->n * cols * (int64_t)sizeof *c->numbers,
                             hash_more, &stream, err);
    *hash = mplan_hash_end(&stream);
    free(c->numbers);
    c->numbers = NULL;
    return status;
}

/* Room, and the ranks of the members that lists name. to: out, the caller's, also after a failure. Not collective. */
static mplan_status open_columns(columns *c, int64_t total, int32_t **to, mplan_error *err)
{
    const int64_t *ids = c->own->ids.data, n = c->own->ids.count;
    c->first = mplan_alloc(c->ranks + 1, sizeof *c->first, err);
    if (!c->first)
        return MPLAN_ERR_MEMORY;
    for (int32_t r = 0; r <= c->ranks; r++)
        c->first[r] = mpi_range_first(total, c->ranks, r);
    c->n = c->first[c->rank + 1] - c->first[c->rank];
    c->known = mplan_alloc(c->n, 1, err);
    *to = mplan_alloc(n, sizeof **to, err);
    if (!c->known || !*to)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        (*to)[i] = mpi_rank_of(c->first, c->ranks, ids[i]);
    return MPLAN_OK;
}

/* One set whose columns differ. */
static mplan_status agree_on(columns *c, const mplan_parts_source *source, int32_t s, bool ranged,
                             bool masked, bool *agree, mplan_error *err)
{
    uint64_t ranges = 0, mask = 0;
    mpi_items ids = {0};
    int32_t *to = NULL;
    mplan_status status = open_columns(c, source->sets[s].total, &to, err);
    status = mpi_agree(c->comm, status, err);
    if (!status)
        status = send(c, to, sizeof(int64_t), c->own->ids.data, &ids, err);
    if (!status && ranged)
        status = bring_together(c, 2, to, &ids, &c->own->list, agree, &ranges, err);
    if (!status && *agree && masked)
        status = bring_together(c, (c->layers + 31) / 32, to, &ids, &c->own->words, agree, &mask,
                                err);
    if (!status && *agree && c->rank == 0) {
        mplan_error why;
        const mplan_status line = mplan_check_columns_line(&source->sets[s], c->layers,
                                                           ranged ? &ranges : NULL,
                                                           masked ? &mask : NULL, source->request,
                                                           &why);
        *agree = !line;
        if (line && line != MPLAN_ERR_DISPROVED)
            status = mplan_fail(err, line, "%s", why.text);
    }
    *agree = mpi_most(c->comm, !*agree) == 0;
    mpi_items_free(&ids);
    free(to);
    free(c->first);
    free(c->known);
    return mpi_agree(c->comm, status, err);
}

mplan_status mpi_columns_agree(MPI_Comm comm, const mplan_bundle_proof *proof, bool *agree,
                               mplan_error *err)
{
    assert(proof && proof->columns && agree);
    int rank, ranks;
    mplan_status status = MPLAN_OK;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    *agree = true;
    for (int32_t s = 0; s < proof->source->n_sets && !status && *agree; s++) {
        columns c = {.comm = comm, .rank = rank, .ranks = ranks, .own = &proof->columns[s]};
        bool ranges, mask;
        *agree = same_kind(&c, c.own, &ranges, &mask);
        if (*agree && (ranges || mask))
            status = agree_on(&c, proof->source, s, ranges, mask, agree, err);
    }
    return status;
}
