/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_prints.c - fingerprints of a mesh that is spread over ranks, equal to those of the same mesh in one process
 *
 * A fingerprint is the hash of the hashes of the pieces of 1 MiB that a stream of numbers is cut into (base/hash.h). The stream
 * is never anywhere whole: it consists of runs that lie on one rank each, and all ranks know where each of them begins. The
 * rank that has the first number of a piece hashes the piece; of what the others have of it less than a piece is sent.
 * Where the runs begin depends on the number of ranks; the words and the pieces that they are
 * cut into do not, and so the fingerprint does not. All ranks call all functions that add to a
 * stream, in one order. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "mpi/exchange.h"
#include "mpi/mesh_parts.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "numbers are hashed as they are in memory, which must be little-endian");

enum { PIECE_WORDS = MPLAN_FINGERPRINT_PIECE / 8 };

/* Words of the stream that lie on one rank. */
typedef struct run {
    int64_t start, n; /* the first of them in the stream, and how many */
    int32_t rank;
    const void *words; /* 8 bytes each; NULL on other ranks */
} run;

/* A stream as this rank knows it: all runs, with words of its own ones only. A fault is kept in
 * status until end_stream, so that no rank leaves the collective calls before. */
typedef struct stream {
    const mpi_mesh *mesh;
    int64_t n; /* words up to now */
    mplan_vector runs;
    mplan_vector owned; /* arrays that are made for it, void * */
    mplan_status status;
} stream;

/* A word that belongs to another rank's piece, and the hash of a piece. */
typedef struct loose_word {
    int64_t at;
    uint64_t word;
} loose_word;

/* No memory yet: it cannot fail. */
static void begin_stream(stream *s, const mpi_mesh *mesh)
{
    *s = (stream){.mesh = mesh,
                  .runs = MPLAN_VECTOR_INIT(sizeof(run)),
                  .owned = MPLAN_VECTOR_INIT(sizeof(void *))};
}

/* Arrays of the mesh, which runs may also point to, stay. */
static void free_stream(stream *s)
{
    for (int64_t i = 0; i < s->owned.count; i++)
        free(((void **)s->owned.data)[i]);
    free(s->owned.data);
    free(s->runs.data);
}

/* Memory for n words that lives as long as the stream.
 * NULL: no memory, now or before; s->status says it. */
static int64_t *words_of(stream *s, int64_t n, mplan_error *err)
{
    int64_t *words = s->status ? NULL : mplan_alloc(n, sizeof *words, err);
    if (words && mplan_vector_push(&s->owned, &words, err)) {
        free(words);
        words = NULL;
    }
    if (!words)
        s->status = MPLAN_ERR_MEMORY;
    return words;
}

/* words: n of 8 bytes each, borrowed until end_stream; looked at on their rank only. The stream
 * becomes longer also after a fault, so that all ranks go on counting alike. */
static void add_run(stream *s, int32_t rank, const void *words, int64_t n, mplan_error *err)
{
    const run added = {s->n, n, rank, rank == s->mesh->rank ? words : NULL};
    s->n += n;
    if (n > 0 && !s->status)
        s->status = mplan_vector_push(&s->runs, &added, err);
}

/* Runs of all ranks, of counts[r] words each, of which this rank has `words`.
 * Runs follow each other by rank: as ranks have ranges of members, this is the order of the
 * members. */
static void add_all(stream *s, const int64_t *counts, const void *words, mplan_error *err)
{
    for (int32_t r = 0; r < s->mesh->ranks; r++)
        add_run(s, r, words, counts[r], err);
}

/* Numbers that all ranks know; the first has them. */
static void add_known(stream *s, const int64_t *numbers, int64_t n, mplan_error *err)
{
    int64_t *words = words_of(s, n, err);
    if (words)
        memcpy(words, numbers, (size_t)n * sizeof *words);
    add_run(s, 0, words, n, err);
}

/* --- pieces ----------------------------------------------------------------------------------- */

/* The run that has a word.
 * An index of s->runs; runs ascend without gaps, and none is empty. The stream must have the
 * word. */
static int64_t run_of(const stream *s, int64_t word)
{
    const run *runs = s->runs.data;
    int64_t low = 0, high = s->runs.count; /* runs[low].start <= word < runs[high].start */
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (runs[middle].start <= word)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The rank that hashes a piece: it has the piece's first word. All ranks find the same one. */
static int32_t rank_of_piece(const stream *s, int64_t piece)
{
    return ((const run *)s->runs.data)[run_of(s, piece * PIECE_WORDS)].rank;
}

/* What this rank has of pieces that begin elsewhere, for the ranks that hash them.
 * Collective. Of each own run these are the words up to the end of the piece that it begins in,
 * unless the run begins the piece: less than a piece for each run. */
static mplan_status send_loose(const stream *s, mpi_items *got, mplan_error *err)
{
    mplan_vector out = MPLAN_VECTOR_INIT(sizeof(loose_word)), to = MPLAN_VECTOR_INIT(sizeof(int32_t));
    mplan_status status = s->status;
    for (int64_t i = 0; i < s->runs.count && !status; i++) {
        const run *r = (const run *)s->runs.data + i;
        const int64_t piece = r->start / PIECE_WORDS;
        int64_t end = r->start % PIECE_WORDS == 0 ? r->start : (piece + 1) * PIECE_WORDS;
        const int32_t rank = rank_of_piece(s, piece);
        end = end < r->start + r->n ? end : r->start + r->n;
        if (!r->words || rank == s->mesh->rank)
            continue;
        for (int64_t w = r->start; w < end && !status; w++) {
            loose_word loose = {.at = w};
            memcpy(&loose.word, (const char *)r->words + 8 * (w - r->start), 8);
            status = mplan_vector_push(&out, &loose, err);
            if (!status)
                status = mplan_vector_push(&to, &rank, err);
        }
    }
    status = mpi_exchange_mixed(s->mesh->comm, status, sizeof(loose_word), out.data, out.count,
                                to.data, got, err);
    free(out.data);
    free(to.data);
    return status;
}

/* By place in the stream, or by number of the piece. */
static int compare_words(const void *a, const void *b)
{
    const int64_t x = ((const loose_word *)a)->at, y = ((const loose_word *)b)->at;
    return (x > y) - (x < y);
}

/* Words [begin, end) of the stream, a piece: from runs of this rank, and from loose ones. loose:
 * ascending by place; *at: the first that was not used yet, moved on. words: scratch, a piece.
 * Every word is in one of both, since what other ranks have of the piece was sent here. */
static uint64_t hash_piece(const stream *s, int64_t begin, int64_t end, const mpi_items *loose,
                           int64_t *at, uint64_t *words)
{
    const run *runs = s->runs.data;
    const loose_word *list = loose->data;
    for (int64_t i = run_of(s, begin); i < s->runs.count && runs[i].start < end; i++) {
        const int64_t low = runs[i].start > begin ? runs[i].start : begin;
        const int64_t last = runs[i].start + runs[i].n, high = last < end ? last : end;
        if (runs[i].words && low < high)
            memcpy(words + (low - begin), (const char *)runs[i].words + 8 * (low - runs[i].start),
                   (size_t)(high - low) * 8);
    }
    for (; *at < loose->n && list[*at].at < end; (*at)++)
        words[list[*at].at - begin] = list[*at].word;
    return mplan_hash(words, (size_t)(end - begin) * 8);
}

/* Hashes of this rank's pieces, with their numbers.
 * Not collective. loose is sorted here. hashes: out, loose_word with the number of the piece and
 * its hash; pieces ascend. The last piece of the stream may be shorter. */
static mplan_status hash_pieces(const stream *s, const mpi_items *loose, mplan_vector *hashes,
                                mplan_error *err)
{
    const int64_t n = (s->n + PIECE_WORDS - 1) / PIECE_WORDS;
    uint64_t *words = mplan_alloc(PIECE_WORDS, sizeof *words, err);
    mplan_status status = words ? MPLAN_OK : MPLAN_ERR_MEMORY;
    int64_t at = 0;
    qsort(loose->data, (size_t)loose->n, sizeof(loose_word), compare_words);
    for (int64_t p = 0; p < n && !status; p++) {
        if (rank_of_piece(s, p) != s->mesh->rank)
            continue;
        const int64_t begin = p * PIECE_WORDS, end = begin + PIECE_WORDS;
        const loose_word hash = {p, hash_piece(s, begin, end < s->n ? end : s->n, loose, &at, words)};
        status = mplan_vector_push(hashes, &hash, err);
    }
    free(words);
    return status;
}

/* The fingerprint, on every rank. Releases the stream.
 * Collective. The hashes of all pieces are gathered on every rank, 16 bytes for each MiB of the
 * stream, and sorted by piece: their order does not depend on who has hashed them. */
static mplan_status end_stream(stream *s, uint64_t *print, mplan_error *err)
{
    mplan_vector own = MPLAN_VECTOR_INIT(sizeof(loose_word));
    mpi_items loose = {0}, all = {0};
    uint64_t *list = NULL;
    mplan_status status = send_loose(s, &loose, err);
    if (!status)
        status = hash_pieces(s, &loose, &own, err);
    status = mpi_gather(s->mesh->comm, true, status, sizeof(loose_word), own.data, own.count, &all,
                        err);
    if (!status && !(list = mplan_alloc(all.n, sizeof *list, err)))
        status = MPLAN_ERR_MEMORY;
    if (!status) {
        qsort(all.data, (size_t)all.n, sizeof(loose_word), compare_words);
        for (int64_t p = 0; p < all.n; p++)
            list[p] = ((loose_word *)all.data)[p].word;
        *print = mplan_hash(list, (size_t)all.n * 8);
    }
    status = mpi_agree(s->mesh->comm, status, err);
    free(list);
    free(own.data);
    mpi_items_free(&loose);
    mpi_items_free(&all);
    free_stream(s);
    return status;
}

/* --- what is in the streams --------------------------------------------------------------------- */

/* -1: it is not listed.
 * The place of an item in a list: streams count sets as they are listed, not as the mesh has
 * them. */
static int32_t position_of(int32_t n, const int32_t *list, int32_t item)
{
    for (int32_t i = 0; i < n; i++)
        if (list[i] == item)
            return i;
    return -1;
}

/* Offsets of all rows, counted through the ranks, and behind them their sum. counts: scratch, one a rank; out: entries of
 * each rank.
 * Collective. A rank's offsets begin with 0 and become those of the whole map by the entries of
 * the ranks before it. */
static void add_offsets(stream *s, const mpi_map *map, int64_t *counts, mplan_error *err)
{
    const mpi_mesh *mesh = s->mesh;
    const int64_t *first = mesh->sets[map->from].first;
    const int64_t rows = first[mesh->rank + 1] - first[mesh->rank];
    const int64_t own = mpi_own_entries(mesh, map);
    int64_t sum = 0, before = mpi_sum_before(mesh->comm, own);
    int64_t *words = words_of(s, rows, err);
    for (int64_t i = 0; i < rows && words; i++)
        words[i] = before + map->offsets[i];
    for (int32_t r = 0; r < mesh->ranks; r++)
        counts[r] = first[r + 1] - first[r];
    add_all(s, counts, words, err);
    mpi_allgather(&own, counts, 1, MPI_INT64_T, mesh->comm);
    for (int32_t r = 0; r < mesh->ranks; r++)
        sum += counts[r];
    add_known(s, &sum, 1, err);
}

/* Collective. Words: number of sets, sizes, number of maps; of each map its sets, arity, offsets
 * where it is ragged, values. counts: scratch, one a rank; for a ragged map add_offsets leaves
 * the entries in it. */
static mplan_status print_topology(const mpi_mesh *mesh, int32_t n_sets, const int32_t *sets,
                                   int32_t n_maps, const int32_t *maps, int64_t *counts,
                                   uint64_t *print, mplan_error *err)
{
    stream s;
    begin_stream(&s, mesh);
    const int64_t numbers[2] = {n_sets, n_maps};
    add_known(&s, &numbers[0], 1, err);
    for (int32_t i = 0; i < n_sets; i++)
        add_known(&s, &mesh->sets[sets[i]].size, 1, err);
    add_known(&s, &numbers[1], 1, err);
    for (int32_t i = 0; i < n_maps; i++) {
        const mpi_map *map = &mesh->maps[maps[i]];
        const int64_t *first = mesh->sets[map->from].first;
        const int64_t about[3] = {position_of(n_sets, sets, map->from),
                                  position_of(n_sets, sets, map->to), map->arity};
        add_known(&s, about, 3, err);
        if (map->arity == 0)
            add_offsets(&s, map, counts, err);
        for (int32_t r = 0; r < mesh->ranks && map->arity > 0; r++)
            counts[r] = (first[r + 1] - first[r]) * map->arity;
        add_all(&s, counts, map->values, err);
    }
    return end_stream(&s, print, err);
}

/* Collective. Of each set with coordinates: its place in the list, dimension, numbers as doubles
 * in memory. counts: scratch, one a rank. */
static mplan_status print_coordinates(const mpi_mesh *mesh, int32_t n_sets, const int32_t *sets,
                                      int64_t *counts, uint64_t *print, mplan_error *err)
{
    stream s;
    begin_stream(&s, mesh);
    for (int32_t i = 0; i < n_sets; i++) {
        const mpi_set *set = &mesh->sets[sets[i]];
        if (set->dimension == 0)
            continue;
        const int64_t about[2] = {i, set->dimension};
        add_known(&s, about, 2, err);
        for (int32_t r = 0; r < mesh->ranks; r++)
            counts[r] = (set->first[r + 1] - set->first[r]) * set->dimension;
        add_all(&s, counts, set->coordinates, err);
    }
    return end_stream(&s, print, err);
}

/* The lists are equal on all ranks, so that all of them refuse a set that is missing. */
mplan_status mpi_mesh_fingerprints(const mpi_mesh *mesh, int32_t n_sets, const int32_t *sets,
                                   int32_t n_maps, const int32_t *maps, uint64_t *topology,
                                   uint64_t *coordinates, mplan_error *err)
{
    assert(mesh && topology && coordinates);
    for (int32_t i = 0; i < n_maps; i++) {
        const mpi_map *map = &mesh->maps[maps[i]];
        if (position_of(n_sets, sets, map->from) < 0 || position_of(n_sets, sets, map->to) < 0)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "fingerprint: a set of map %s is not listed",
                              map->name);
    }
    int64_t *counts = mplan_alloc(mesh->ranks, sizeof *counts, err);
    mplan_status status = mpi_agree(mesh->comm, counts ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    if (!status)
        status = print_topology(mesh, n_sets, sets, n_maps, maps, counts, topology, err);
    if (!status)
        status = print_coordinates(mesh, n_sets, sets, counts, coordinates, err);
    free(counts);
    return status;
}
