/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_move.c - members go to the ranks that plan the parts which need them
 *
 * All that is known of a member travels as numbers of 64 bits: its number, its set and owner, its coordinates,
 * then its row of each map of planning from its set, in their order; before a ragged row comes its length. Members
 * of a rank are sent in the order of their numbers, and messages are kept in the order of ranks, so that what came
 * at a time is sorted.
 *
 *   word 0          number of the member in the whole mesh
 *   word 1          set of planning << 32 | the part that owns it
 *   `dimension`     coordinates, the bits of a double each
 *   by map, ascending, of the maps from the set: for a ragged one a length; then the entries, numbers of the mesh,
 * or -1
 *
 * Members of several sets follow each other in one message, set by set. Messages are never changed or moved after
 * they came, as `at` of each set points into them. Which members a rank gets depends on its parts, and so on the
 * number of ranks; the number, owner, coordinates and rows of a member are those of the whole mesh on every rank
 * that gets it. */
#include "mpi/mpi_move.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mpi/exchange.h"
#include "mpi/mpi_facts.h"

enum { HEAD = 2 }; /* numbers before the coordinates */

/* By numbers of planning, not of the mesh: planning lists only the sets and maps that loops use. */
static const mpi_set *set_of(const mpi_move *move, int32_t s)
{
    return &move->mesh->sets[move->p->sets[s].mesh_set];
}

static const mpi_map *map_of(const mpi_move *move, int32_t m)
{
    return &move->mesh->maps[move->p->maps[m].mesh_map];
}

/* --- a member as numbers ------------------------------------------------------------------------- */

/* Numbers that member i of this rank's members of a set is sent as. i counts from 0 on this rank; s is a set of
 * planning. */
static int64_t words_of(const mpi_move *move, int32_t s, int64_t i)
{
    int64_t n = HEAD + set_of(move, s)->dimension;
    for (int32_t m = 0; m < move->p->n_maps; m++) {
        const mpi_map *map = map_of(move, m);
        int64_t entries;
        if (move->p->maps[m].from != s)
            continue;
        mpi_map_row(map, i, &entries);
        n += entries + (map->arity == 0);
    }
    return n;
}

/* Writes it; returns where the next one goes. to: room for words_of(move, s, i) numbers. */
static int64_t *put(const mpi_move *move, int32_t s, int64_t i, int64_t *to)
{
    const mpi_set *set = set_of(move, s);
    *to++ = set->first[move->mesh->rank] + i;
    *to++ = (int64_t)s << 32 | move->owners->owner[s][i];
    if (set->dimension > 0)
        memcpy(to, set->coordinates + i * set->dimension,
               (size_t)set->dimension * sizeof *set->coordinates);
    to += set->dimension;
    for (int32_t m = 0; m < move->p->n_maps; m++) {
        const mpi_map *map = map_of(move, m);
        int64_t n;
        if (move->p->maps[m].from != s)
            continue;
        const int64_t *row = mpi_map_row(map, i, &n);
        if (map->arity == 0)
            *to++ = n;
        memcpy(to, row, (size_t)n * sizeof *to);
        to += n;
    }
    return to;
}

/* Where the member behind the one at `at` begins. Only what the message itself says is looked at, as the member
 * may be one of another rank. */
static const int64_t *skip(const mpi_move *move, const int64_t *at)
{
    const int32_t s = (int32_t)(at[1] >> 32);
    at += HEAD + set_of(move, s)->dimension;
    for (int32_t m = 0; m < move->p->n_maps; m++) {
        if (move->p->maps[m].from != s)
            continue;
        const int32_t arity = map_of(move, m)->arity;
        at += arity ? arity : 1 + *at;
    }
    return at;
}

/* The owner is in the lower half of the second number; the upper one has the set. n_parts is not a part: the owner
 * of a member that came by number only is not known here. */
int32_t mpi_moved_owner(const mpi_move *move, int32_t s, int64_t i)
{
    const int64_t *at = move->sets[s].at[i];
    return at ? (int32_t)(at[1] & INT32_MAX) : move->owners->n_parts;
}

/* Doubles lie in the message as they were in memory: all ranks are of one kind of machine, as MPI_BYTE assumes, too. */
const double *mpi_moved_place(const mpi_move *move, int32_t s, int64_t i)
{
    const int64_t *at = move->sets[s].at[i];
    return at ? (const double *)(const void *)(at + HEAD) : NULL;
}

/* Rows of maps before m are skipped: few maps leave one set. The row lies in the message, which the caller must
 * not change; it stays until mpi_move_close. */
const int64_t *mpi_moved_row(const mpi_move *move, int32_t s, int64_t i, int32_t m, int64_t *n)
{
    assert(move->p->maps[m].from == s);
    const int64_t *at = move->sets[s].at[i];
    *n = 0;
    if (!at)
        return NULL;
    at += HEAD + set_of(move, s)->dimension;
    for (int32_t k = 0; k <= m; k++) {
        if (move->p->maps[k].from != s)
            continue;
        const int32_t arity = map_of(move, k)->arity;
        *n = arity ? arity : *at++;
        if (k < m)
            at += *n;
    }
    return at;
}

/* --- what came is sorted in ------------------------------------------------------------------------- */

/* Two ascending lists without a number in common become one, that of the set.
 * ids, at: n members; at NULL: all of them by number only. They are copied, and stay the caller's. After a failure
 * the set is as it was. */
static mplan_status merge(mpi_moved_set *set, int64_t n, const int64_t *ids,
                          const int64_t *const *at, mplan_error *err)
{
    mpi_moved_set out = {.n = set->n + n};
    out.ids = mplan_alloc(out.n, sizeof *out.ids, err);
    out.at = mplan_alloc(out.n, sizeof *out.at, err);
    if (!out.ids || !out.at) {
        free(out.ids);
        free(out.at);
        return MPLAN_ERR_MEMORY;
    }
    for (int64_t i = 0, j = 0; i < set->n || j < n;) {
        const bool old = j == n || (i < set->n && set->ids[i] < ids[j]);
        out.ids[i + j] = old ? set->ids[i] : ids[j];
        out.at[i + j] = old ? set->at[i] : at ? at[j] : NULL;
        i += old;
        j += !old;
    }
    free(set->ids);
    free(set->at);
    *set = out;
    return MPLAN_OK;
}

/* Members that are there by number only get what came of them; the others are merged. ids, at: n members,
 * ascending, which are handed over where they are the first, and then NULL. */
static mplan_status take_set(mpi_moved_set *set, int64_t n, int64_t **own_ids,
                             const int64_t ***own_at, mplan_error *err)
{
    int64_t *ids = *own_ids;
    const int64_t **at = *own_at;
    if (set->n == 0) {
        free(set->ids);
        free(set->at);
        *set = (mpi_moved_set){n, ids, at};
        *own_ids = NULL;
        *own_at = NULL;
        return MPLAN_OK;
    }
    int64_t left = 0; /* those that are new move to the front, in their order */
    for (int64_t i = 0, hint = 0; i < n; i++) {
        const int64_t place = mpi_place_of(set->ids, set->n, ids[i], &hint);
        if (place >= 0) {
            set->at[place] = at[i];
        } else {
            ids[left] = ids[i];
            at[left++] = at[i];
        }
    }
    return left > 0 ? merge(set, left, ids, at, err) : MPLAN_OK;
}

/* Sorts a message in; it is kept, and *got is empty afterwards. */
static mplan_status take(mpi_move *move, mpi_items *got, mplan_error *err)
{
    const int64_t *data = got->data, *end = data + got->n;
    mplan_status status = mplan_vector_push(&move->messages, got, err);
    if (status)
        return status;
    *got = (mpi_items){0};
    for (int32_t s = 0; s < move->p->n_sets && !status; s++) {
        int64_t n = 0;
        for (const int64_t *at = data; at < end; at = skip(move, at))
            n += at[1] >> 32 == s;
        int64_t *ids = mplan_alloc(n, sizeof *ids, err);
        const int64_t **places = mplan_alloc(n, sizeof *places, err);
        n = 0;
        for (const int64_t *at = data; ids && places && at < end; at = skip(move, at))
            if (at[1] >> 32 == s) {
                ids[n] = at[0];
                places[n++] = at;
            }
        status = ids && places ? take_set(&move->sets[s], n, &ids, &places, err) : MPLAN_ERR_MEMORY;
        free(ids);
        free(places);
    }
    return status;
}

/* --- members that owners need ------------------------------------------------------------------------ */

/* Who gets a member: ranks of its owner and of the owners of the points that it changes, each once.
 * rank has room for every rank, and its first n entries are those of the member at hand. */
typedef struct addresses {
    const mpi_move *move;
    int32_t *part_rank;   /* by part */
    mpi_owners_of *named; /* by set: owners of the points that some element of this rank changes */
    int64_t *hint;        /* by set, as of mpi_place_of */
    int32_t n, *rank;
    int64_t *seen, turn; /* by rank: the turn when it was listed; turns count from 1, a member each */
} addresses;

/* seen keeps a rank from being listed twice for one member, without clearing it for the next. */
static void add_rank(addresses *a, int32_t part)
{
    const int32_t rank = a->part_rank[part];
    if (a->seen[rank] == a->turn)
        return;
    a->seen[rank] = a->turn;
    a->rank[a->n++] = rank;
}

/* a->rank, a->n: filled, for member i of this rank of set s. A rank is listed in the order in which rows name it:
 * that order decides nothing, as each rank has a message of its own. The hint is by to-set, as rows of neighbours
 * name points that are near. */
static void address(addresses *a, int32_t s, int64_t i)
{
    const planning *p = a->move->p;
    a->n = 0;
    a->turn++;
    add_rank(a, a->move->owners->owner[s][i]);
    for (int32_t m = 0; m < p->n_maps; m++) {
        int64_t n;
        if (p->maps[m].from != s || !a->move->uses[m].adds)
            continue;
        const int32_t to = p->maps[m].to;
        const int64_t *row = mpi_map_row(map_of(a->move, m), i, &n);
        for (int64_t k = 0; k < n; k++)
            if (row[k] >= 0)
                add_rank(a, mpi_owner_of(&a->named[to], row[k], &a->hint[to]));
    }
}

/* One exchange for each set that some map adds to: the owners of all points that rows of this rank name there.
 * Collective. All ranks have the same maps and uses, and so enter the same exchanges; for other sets nothing is sent.
 * a->move is there; the caller closes *a also after a failure. */
static mplan_status open_addresses(addresses *a, mplan_error *err)
{
    const mpi_move *move = a->move;
    const planning *p = move->p;
    const int32_t ranks = move->mesh->ranks, n_parts = move->owners->n_parts;
    a->part_rank = mplan_alloc(n_parts, sizeof *a->part_rank, err);
    a->named = mplan_alloc_zero(p->n_sets, sizeof *a->named, err);
    a->hint = mplan_alloc_zero(p->n_sets, sizeof *a->hint, err);
    a->rank = mplan_alloc(ranks, sizeof *a->rank, err);
    a->seen = mplan_alloc_zero(ranks, sizeof *a->seen, err);
    int32_t *maps = mplan_alloc(p->n_maps, sizeof *maps, err);
    mplan_status status = a->part_rank && a->named && a->hint && a->rank && a->seen && maps
                              ? MPLAN_OK
                              : MPLAN_ERR_MEMORY;
    status = mpi_agree(move->mesh->comm, status, err);
    for (int32_t q = 0; q < n_parts && !status; q++)
        a->part_rank[q] = mpi_rank_of(move->first, ranks, q);
    for (int32_t s = 0; s < p->n_sets && !status; s++) {
        int32_t n = 0;
        for (int32_t m = 0; m < p->n_maps; m++)
            if (p->maps[m].to == s && move->uses[m].adds)
                maps[n++] = m;
        status = mpi_owners_named(move->mesh, p, n, maps, move->owners->owner[s], &a->named[s], err);
    }
    free(maps);
    return status;
}

/* Also of one that was opened in part. a->move is the caller's and stays. */
static void close_addresses(addresses *a)
{
    for (int32_t s = 0; a->named && s < a->move->p->n_sets; s++)
        mpi_owners_of_free(&a->named[s]);
    free(a->part_rank);
    free(a->named);
    free(a->hint);
    free(a->rank);
    free(a->seen);
}

/* Twice through all members: sizes, then contents. counts: by rank; *words: what all ranks get, by rank. Counts
 * are of numbers of 64 bits, not of members, and must be 0 before. Members are in the order of their sets, then of
 * their numbers, in what each rank gets. next[r]: where the next member for rank r goes in *words. *words is the
 * caller's, also after a failure. Not collective. */
static mplan_status fill_members(addresses *a, int64_t *counts, int64_t **words, mplan_error *err)
{
    const mpi_move *move = a->move;
    const int32_t ranks = move->mesh->ranks;
    int64_t total = 0;
    int64_t **next = mplan_alloc(ranks, sizeof *next, err);
    /* pass 0 counts, pass 1 writes; both find the same addresses */
    for (int pass = 0; pass < 2 && next; pass++) {
        for (int32_t s = 0; s < move->p->n_sets; s++)
            for (int64_t i = 0; i < mpi_set_own(move->mesh, move->p->sets[s].mesh_set); i++) {
                address(a, s, i);
                for (int32_t k = 0; k < a->n; k++)
                    if (pass == 0)
                        counts[a->rank[k]] += words_of(move, s, i);
                    else
                        next[a->rank[k]] = put(move, s, i, next[a->rank[k]]);
            }
        for (int32_t r = 0; r < ranks && pass == 0; r++)
            total += counts[r];
        if (pass == 0 && !(*words = mplan_alloc(total, sizeof **words, err)))
            break;
        for (int32_t r = 0; r < ranks && pass == 0; r++)
            next[r] = r == 0 ? *words : next[r - 1] + counts[r - 1];
    }
    const bool done = next && *words;
    free(next);
    return done ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Owned members, and elements that change an owned point.
 * The largest message of all: what this rank's parts own and run. It is the first in move->messages, by which
 * is_run knows its members. */
static mplan_status send_members(mpi_move *move, mplan_error *err)
{
    addresses a = {.move = move};
    mpi_items got = {0};
    int64_t *words = NULL, *counts = mplan_alloc_zero(move->mesh->ranks, sizeof *counts, err);
    mplan_status status = mpi_agree(move->mesh->comm, counts ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    if (!status)
        status = open_addresses(&a, err);
    if (!status) {
        status = fill_members(&a, counts, &words, err);
        status = mpi_exchange(move->mesh->comm, status, sizeof *words, words, counts, &got, err);
    }
    close_addresses(&a);
    free(words);
    free(counts);
    if (!status)
        status = mpi_agree(move->mesh->comm, take(move, &got, err), err);
    mpi_items_free(&got);
    return status;
}

/* --- members that are asked for ------------------------------------------------------------------------ */

/* A member that a rank asks for: its number in the whole mesh, and its set of planning. */
typedef struct wish {
    int64_t id, set;
} wish;

/* Answers wishes: counts as they came, by rank.
 * wishes: of members that this rank has, which is why they were sent here. counts: 0 before, then numbers of 64
 * bits for each rank. *words: the answers in the order of the wishes, the caller's. */
static mplan_status fill_answers(const mpi_move *move, const mpi_items *wishes, int64_t *counts,
                                 int64_t **words, mplan_error *err)
{
    const wish *asked = wishes->data;
    int64_t total = 0, at = 0;
    for (int32_t r = 0; r < move->mesh->ranks; r++)
        for (int64_t k = 0; k < wishes->counts[r]; k++, at++) {
            const int32_t s = (int32_t)asked[at].set;
            const int64_t n = words_of(move, s,
                                       asked[at].id - set_of(move, s)->first[move->mesh->rank]);
            counts[r] += n;
            total += n;
        }
    int64_t *next = *words = mplan_alloc(total, sizeof **words, err);
    for (at = 0; next && at < wishes->n; at++) {
        const int32_t s = (int32_t)asked[at].set;
        next = put(move, s, asked[at].id - set_of(move, s)->first[move->mesh->rank], next);
    }
    return next ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Wishes by set, each ascending, for the ranks that have the members. lacking: emptied.
 * *to: the rank of each wish; the caller's, as the wishes are, also after a failure. A member that several rows
 * name is asked for once. */
static mplan_status make_wishes(const mpi_move *move, mplan_vector *lacking, mplan_vector *wishes,
                                int32_t **to, mplan_error *err)
{
    int64_t total = 0;
    for (int32_t s = 0; s < move->p->n_sets; s++) {
        lacking[s].count = mpi_each_once(lacking[s].data, lacking[s].count, err);
        if (lacking[s].count < 0) {
            lacking[s].count = 0;
            return MPLAN_ERR_MEMORY;
        }
        total += lacking[s].count;
    }
    wish *list = mplan_vector_reserve(wishes, total, err);
    *to = mplan_alloc(total, sizeof **to, err);
    if (!list || !*to)
        return MPLAN_ERR_MEMORY;
    for (int32_t s = 0; s < move->p->n_sets; s++) {
        for (int64_t i = 0; i < lacking[s].count; i++) {
            const int64_t id = ((const int64_t *)lacking[s].data)[i];
            (*to)[wishes->count] = mpi_rank_of(set_of(move, s)->first, move->mesh->ranks, id);
            list[wishes->count++] = (wish){id, s};
        }
        lacking[s].count = 0;
    }
    return MPLAN_OK;
}

/* Two exchanges: wishes to the ranks that have the members, and members back. A rank without wishes takes part,
 * since others may ask it. A rank answers from the members of the mesh that it holds, not from what came to it. */
mplan_status mpi_move_more(mpi_move *move, mplan_vector *lacking, mplan_error *err)
{
    assert(move && lacking);
    const MPI_Comm comm = move->mesh->comm;
    mplan_vector wishes = MPLAN_VECTOR_INIT(sizeof(wish));
    mpi_items asked = {0}, got = {0};
    int32_t *to = NULL;
    int64_t *words = NULL, *counts = mplan_alloc_zero(move->mesh->ranks, sizeof *counts, err);
    mplan_status status = counts ? make_wishes(move, lacking, &wishes, &to, err) : MPLAN_ERR_MEMORY;
    status = mpi_exchange_mixed(comm, status, sizeof(wish), wishes.data, wishes.count, to, &asked,
                                err);
    if (!status) {
        status = fill_answers(move, &asked, counts, &words, err);
        status = mpi_exchange(comm, status, sizeof *words, words, counts, &got, err);
    }
    mpi_items_free(&asked);
    free(wishes.data);
    free(to);
    free(words);
    free(counts);
    if (!status)
        status = mpi_agree(comm, take(move, &got, err), err);
    mpi_items_free(&got);
    return status;
}

/* --- until nobody lacks anything ---------------------------------------------------------------------- */

/* Whether a part of this rank owns it, or runs it as an element that changes what it owns: members came in the first
 * message for one of both. begin, end: the numbers of that message. i: the place in set s of what came. */
static bool is_run(const mpi_move *move, int32_t s, int64_t i, const int64_t *begin,
                   const int64_t *end)
{
    const int64_t *at = move->sets[s].at[i];
    return at && at >= begin && at < end;
}

/* Members that rows of this rank name and that it lacks: those of what it runs, and by maps that some loop writes
 * by, of all that it has. Others are noted by number. lacking, numbers: by set; appended, in any order, a member
 * perhaps several times. Not collective. A member that is there by number only is lacking when a row of what the
 * rank runs names it, but is not noted again by number. */
static mplan_status find_lacking(const mpi_move *move, mplan_vector *lacking, mplan_vector *numbers,
                                 mplan_error *err)
{
    const mpi_items *first = move->messages.data;
    const int64_t *begin = first->data, *end = begin + first->n;
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < move->p->n_maps; m++) {
        const int32_t s = move->p->maps[m].from, to = move->p->maps[m].to;
        const mpi_moved_set *set = &move->sets[s], *points = &move->sets[to];
        int64_t hint = 0;
        mpi_places places;
        mpi_places_open(points->ids, points->n, &places);
        for (int64_t i = 0; i < set->n && !status; i++) {
            const bool all = move->uses[m].writes || is_run(move, s, i, begin, end);
            int64_t n;
            const int64_t *row = mpi_moved_row(move, s, i, m, &n);
            for (int64_t k = 0; k < n && !status; k++) {
                const int64_t at = row[k] < 0 ? -1 : mpi_place(&places, row[k], &hint);
                if (row[k] < 0 || (at >= 0 && (points->at[at] || !all)))
                    continue;
                status = mplan_vector_push(all ? &lacking[to] : &numbers[to], &row[k], err);
            }
        }
        mpi_places_close(&places);
    }
    return status;
}

/* Adds numbers of members to what is there; those that came meanwhile are left out. numbers: emptied. Not
 * collective. After it every entry of a row that came has its member in the to-set, with a message or by number. */
static mplan_status add_numbers(mpi_move *move, mplan_vector *numbers, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < move->p->n_sets && !status; s++) {
        int64_t *ids = numbers[s].data, left = 0, hint = 0;
        const int64_t n = mpi_each_once(ids, numbers[s].count, err);
        for (int64_t i = 0; i < n; i++)
            if (mpi_place_of(move->sets[s].ids, move->sets[s].n, ids[i], &hint) < 0)
                ids[left++] = ids[i];
        numbers[s].count = 0;
        status = n < 0      ? MPLAN_ERR_MEMORY
                 : left > 0 ? merge(&move->sets[s], left, ids, NULL, err)
                            : MPLAN_OK;
    }
    return status;
}

/* Entries of n lists together. */
static int64_t count_all(const mplan_vector *lists, int32_t n)
{
    int64_t count = 0;
    for (int32_t i = 0; i < n; i++)
        count += lists[i].count;
    return count;
}

/* Rounds end together on all ranks: each goes on until the sum of what all lack is 0, also where it lacks nothing
 * itself. lists: one allocation for both, n_sets vectors of what is lacking and then n_sets of numbers.
 * Each round asks for members that rows of the last one name. Without maps by which loops write there is one
 * round, and one look that finds nothing more; what is named beyond is added by number at the end, so that every
 * entry has a member. */
mplan_status mpi_move_complete(mpi_move *move, mplan_error *err)
{
    assert(move && move->messages.count > 0);
    const int32_t n_sets = move->p->n_sets;
    mplan_vector *lists = mplan_alloc_zero(2 * (int64_t)n_sets, sizeof *lists, err);
    mplan_vector *lacking = lists, *numbers = lists ? lists + n_sets : NULL;
    for (int32_t s = 0; lists && s < 2 * n_sets; s++)
        lists[s].size = sizeof(int64_t);
    mplan_status status = mpi_agree(move->mesh->comm, lists ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    while (!status) {
        status = mpi_agree(move->mesh->comm, find_lacking(move, lacking, numbers, err), err);
        /* numbers of this round may come with rows in the next one: only those of the last round are added */
        if (status || mpi_sum(move->mesh->comm, count_all(lacking, n_sets)) == 0)
            break;
        for (int32_t s = 0; s < n_sets; s++)
            numbers[s].count = 0;
        status = mpi_move_more(move, lacking, err);
    }
    if (!status)
        status = mpi_agree(move->mesh->comm, add_numbers(move, numbers, err), err);
    for (int32_t s = 0; lists && s < 2 * n_sets; s++)
        free(lists[s].data);
    free(lists);
    return status;
}

/* --- begin and end -------------------------------------------------------------------------------------- */

/* Sends members once; all else is asked for. Uses are found on each rank alike, from the loops of the request.
 * Nothing that is borrowed is copied: mesh, p, owners and first must stay. */
mplan_status mpi_move_open(const mpi_mesh *mesh, const planning *p, const mpi_owners *owners,
                           const int64_t *first, mpi_move *move, mplan_error *err)
{
    assert(mesh && p && owners && first && move);
    *move = (mpi_move){.mesh = mesh,
                       .p = p,
                       .owners = owners,
                       .first = first,
                       .messages = MPLAN_VECTOR_INIT(sizeof(mpi_items))};
    move->uses = mplan_alloc(p->n_maps, sizeof *move->uses, err);
    move->sets = mplan_alloc_zero(p->n_sets, sizeof *move->sets, err);
    mplan_status status = mpi_agree(mesh->comm,
                                    move->uses && move->sets ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    if (status)
        return status;
    mplan_parts_map_uses(p, move->uses);
    return send_members(move, err);
}

/* The mesh and the owners are the caller's. Rows and coordinates that were taken from what came are gone with the
 * messages. */
void mpi_move_close(mpi_move *move)
{
    assert(move);
    for (int64_t i = 0; i < move->messages.count; i++)
        mpi_items_free((mpi_items *)move->messages.data + i);
    free(move->messages.data);
    for (int32_t s = 0; move->sets && s < move->p->n_sets; s++) {
        free(move->sets[s].ids);
        free(move->sets[s].at);
    }
    free(move->sets);
    free(move->uses);
    *move = (mpi_move){0};
}
