/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_exports.c - owners hear from those that import which of their members are in whose halo
 *
 * For each part, set and rank that owns some of the halo there is one run of numbers: part, set, members of the execute halo,
 * all members, then their numbers in the order of the halo, then which loops read them, as bytes. Who gets it makes of it a
 * halo of that part with nothing else in it, in the order of the importer: so both ends list equal members.
 * Members have their numbers of the whole mesh, sets those of planning: so runs do not depend on
 * how a rank numbers its piece. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mpi/exchange.h"
#include "mpi/mpi_facts.h"
#include "mpi/mpi_ids.h"
#include "mpi/mpi_piece.h"

enum { HEAD = 4 };

/* Numbers of 64 bits that hold the reads of n members. */
static int64_t read_words(const mplan_parts *parts, int64_t n)
{
    return (n * parts->read_bytes + 7) / 8;
}

/* Members of the halo that a rank owns are counted by rank, those of the execute halo (0) and all (1). ranks: by part.
 * n: one pair a rank; it is added to. */
static void count_members(const mplan_parts *parts, const mplan_halo *halo, int32_t s,
                          const int32_t *rank_of, int64_t (*n)[2])
{
    for (int64_t k = 0; k < halo->n; k++) {
        int64_t *of = n[rank_of[parts->owner[s][halo->member[k]]]];
        of[0] += k < halo->n_execute;
        of[1]++;
    }
}

/* One halo; words: by rank, where its next run goes, moved on. n: scratch, by rank.
 * Members of the execute halo come first in the halo, and so in each run. words[r] has room for
 * the run, as fill has counted it; reads are bytes that fill whole words. */
static void put_halo(const mplan_parts *parts, int32_t q, int32_t s, const int32_t *rank_of,
                     int32_t ranks, int64_t (*n)[2], int64_t **words)
{
    const mplan_halo *halo = mplan_parts_halo(parts, q, s);
    memset(n, 0, (size_t)ranks * sizeof *n);
    count_members(parts, halo, s, rank_of, n);
    for (int32_t r = 0; r < ranks; r++)
        if (n[r][1] > 0) {
            const int64_t head[HEAD] = {q, s, n[r][0], n[r][1]};
            memcpy(words[r], head, sizeof head);
            n[r][0] = 0; /* so many are written */
        }
    for (int64_t k = 0; k < halo->n; k++) {
        const int32_t r = rank_of[parts->owner[s][halo->member[k]]];
        uint8_t *reads = (uint8_t *)(words[r] + HEAD + n[r][1]);
        words[r][HEAD + n[r][0]] = parts->ids[s][halo->member[k]];
        memcpy(reads + n[r][0]++ * parts->read_bytes, halo->reads + k * parts->read_bytes,
               (size_t)parts->read_bytes);
    }
    for (int32_t r = 0; r < ranks; r++)
        if (n[r][1] > 0)
            words[r] += HEAD + n[r][1] + read_words(parts, n[r][1]);
}

/* counts: out, by rank, 0 for own; *words: from mplan_alloc. What this rank owns itself is left out: its halos are here.
 * Not collective. counts: 0 before, numbers of 64 bits for each rank. Runs of a rank ascend by
 * part, then by set. Halos of [begin, end) have owners that are all known. */
static mplan_status fill(const mplan_parts *parts, const int64_t *first, int32_t rank,
                         int32_t ranks, int64_t *counts, int64_t **words, mplan_error *err)
{
    const int32_t n_sets = parts->whole.p.n_sets;
    int32_t *rank_of = mplan_alloc(parts->n_parts, sizeof *rank_of, err);
    int64_t(*n)[2] = mplan_alloc(ranks, sizeof *n, err), total = 0;
    int64_t **next = mplan_alloc(ranks, sizeof *next, err);
    mplan_status status = rank_of && n && next ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t q = 0; q < parts->n_parts && !status; q++)
        rank_of[q] = mpi_rank_of(first, ranks, q);
    for (int64_t i = (int64_t)parts->begin * n_sets; i < (int64_t)parts->end * n_sets && !status;
         i++) {
        memset(n, 0, (size_t)ranks * sizeof *n);
        count_members(parts, &parts->halo[i], (int32_t)(i % n_sets), rank_of, n);
        for (int32_t r = 0; r < ranks; r++)
            if (n[r][1] > 0)
                counts[r] += HEAD + n[r][1] + read_words(parts, n[r][1]);
    }
    for (int32_t r = 0; r < ranks; r++)
        total += counts[r];
    if (!status && !(*words = mplan_alloc_zero(total, sizeof **words, err)))
        status = MPLAN_ERR_MEMORY;
    for (int32_t r = 0; r < ranks && !status; r++)
        next[r] = r == 0 ? *words : next[r - 1] + counts[r - 1];
    for (int32_t q = parts->begin; q < parts->end && !status; q++)
        for (int32_t s = 0; s < n_sets; s++)
            put_halo(parts, q, s, rank_of, ranks, n, next);
    if (!status && counts[rank] > 0) { /* the halos of this rank's own parts, to itself */
        int64_t before = 0;
        for (int32_t r = 0; r < rank; r++)
            before += counts[r];
        memmove(*words + before, *words + before + counts[rank],
                (size_t)(total - before - counts[rank]) * sizeof **words);
        counts[rank] = 0;
    }
    free(rank_of);
    free(n);
    free(next);
    return status;
}

/* One run; *at moves on.
 * *at: a run, behind it afterwards. Fills the halo of a part of another rank, which must be
 * empty. Every member of the run is one that this rank owns, and so in its piece. */
static mplan_status take(mplan_parts *parts, const int64_t **at, mplan_error *err)
{
    const int64_t *head = *at, n = head[3];
    const int32_t s = (int32_t)head[1];
    mplan_halo *halo = mplan_parts_halo(parts, (int32_t)head[0], s);
    assert((head[0] < parts->begin || head[0] >= parts->end) && !halo->member);
    *at += HEAD + n + read_words(parts, n);
    halo->n_execute = head[2];
    halo->n = n;
    halo->member = mplan_alloc(n, sizeof *halo->member, err);
    halo->reads = mplan_copy(head + HEAD + n, n, (size_t)parts->read_bytes, err);
    if (!halo->member || !halo->reads)
        return MPLAN_ERR_MEMORY;
    const int64_t here = mplan_parts_here(parts, s);
    for (int64_t k = 0, hint = 0; k < n; k++) {
        const int64_t place = mpi_place_of(parts->ids[s], here, head[HEAD + k], &hint);
        assert(place >= 0);
        halo->member[k] = (int32_t)place;
    }
    return MPLAN_OK;
}

/* A rank that owns nothing of a halo hears nothing of it. Runs come by sending rank and then by part and set, each pair once, as
 * one rank plans a part. */
mplan_status mpi_piece_exports(MPI_Comm comm, const int64_t *first, mplan_parts *parts,
                               mplan_error *err)
{
    assert(first && parts && parts->halo);
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    mpi_items got = {0};
    int64_t *words = NULL, *counts = mplan_alloc_zero(ranks, sizeof *counts, err);
    mplan_status status = counts ? fill(parts, first, rank, ranks, counts, &words, err)
                                 : MPLAN_ERR_MEMORY;
    status = mpi_exchange(comm, status, sizeof *words, words, counts, &got, err);
    free(words);
    free(counts);
    const int64_t *at = got.data, *end = status ? at : at + got.n;
    while (at < end && !status)
        status = take(parts, &at, err);
    mpi_items_free(&got);
    return mpi_agree(comm, status, err);
}
