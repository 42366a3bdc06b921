/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_move.c - members go to the ranks that plan the parts which need them
 *
 * First what parts own and the elements that change it, set by set; then what rows of these name and lack, until nobody lacks
 * anything. How members travel is in mpi_moved.c. Which members a rank gets depends on its parts, and so on the
 * number of ranks; the number, owner, coordinates and rows of a member are those of the whole mesh on every rank
 * that gets it. */
#include "mpi/mpi_move.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mpi/exchange.h"
#include "mpi/mpi_facts.h"

/* By numbers of planning, not of the mesh: planning lists only the sets and maps that loops use. */
static const mpi_set *set_of(const mpi_move *move, int32_t s)
{
    return &move->mesh->sets[move->p->sets[s].mesh_set];
}

static const mpi_map *map_of(const mpi_move *move, int32_t m)
{
    return &move->mesh->maps[move->p->maps[m].mesh_map];
}

/* --- members that owners need ------------------------------------------------------------------------ */

/* Who gets a member: ranks of its owner and of the owners of the points that it changes, each once.
 * rank has room for every rank, and its first n entries are those of the member at hand. */
typedef struct addresses {
    const mpi_move *move;
    int32_t *part_rank;   /* by part */
    mpi_owners_of *named; /* by set: owners of the points that elements of the set at hand change */
    int32_t *maps;        /* scratch, n_maps of planning */
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
 * that order decides nothing, as each rank has a message of its own. */
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
                add_rank(a, mpi_owner_of(&a->named[to], row[k]));
    }
}

/* a->move is there; the caller closes *a also after a failure. Collective. */
static mplan_status open_addresses(addresses *a, mplan_error *err)
{
    const mpi_move *move = a->move;
    const int32_t ranks = move->mesh->ranks, n_parts = move->owners->n_parts;
    a->part_rank = mplan_alloc(n_parts, sizeof *a->part_rank, err);
    a->named = mplan_alloc_zero(move->p->n_sets, sizeof *a->named, err);
    a->maps = mplan_alloc(move->p->n_maps, sizeof *a->maps, err);
    a->rank = mplan_alloc(ranks, sizeof *a->rank, err);
    a->seen = mplan_alloc_zero(ranks, sizeof *a->seen, err);
    mplan_status status = a->part_rank && a->named && a->maps && a->rank && a->seen
                              ? MPLAN_OK
                              : MPLAN_ERR_MEMORY;
    status = mpi_agree(move->mesh->comm, status, err);
    for (int32_t q = 0; q < n_parts && !status; q++)
        a->part_rank[q] = mpi_rank_of(move->first, ranks, q);
    return status;
}

/* One exchange for each set that some map from set s adds to: the owners of all points that rows of this rank name there.
 * Collective. All ranks have the same maps and uses, and so enter the same exchanges; for other sets nothing is sent. */
static mplan_status name_points(addresses *a, int32_t s, mplan_error *err)
{
    const mpi_move *move = a->move;
    const planning *p = move->p;
    mplan_status status = MPLAN_OK;
    for (int32_t to = 0; to < p->n_sets && !status; to++) {
        int32_t n = 0;
        for (int32_t m = 0; m < p->n_maps; m++)
            if (p->maps[m].from == s && p->maps[m].to == to && move->uses[m].adds)
                a->maps[n++] = m;
        status = mpi_owners_named(move->mesh, p, n, a->maps, move->owners->owner[to], &a->named[to],
                                  err);
    }
    return status;
}

static void forget_points(addresses *a)
{
    for (int32_t s = 0; a->named && s < a->move->p->n_sets; s++)
        mpi_owners_of_free(&a->named[s]);
}

/* Also of one that was opened in part. a->move is the caller's and stays. */
static void close_addresses(addresses *a)
{
    forget_points(a);
    free(a->part_rank);
    free(a->named);
    free(a->maps);
    free(a->rank);
    free(a->seen);
}

/* Twice through the members of a set: how many each rank gets, then which. parcel: counts are 0 before; next: scratch, by rank.
 * Members for one rank ascend. Not collective. */
static mplan_status list_members(addresses *a, mpi_parcel *parcel, int64_t *next, mplan_error *err)
{
    const int32_t s = parcel->set, ranks = a->move->mesh->ranks;
    const int64_t own = mpi_own_members(a->move->mesh, a->move->p->sets[s].mesh_set);
    for (int64_t i = 0; i < own; i++) {
        address(a, s, i);
        for (int32_t k = 0; k < a->n; k++)
            parcel->counts[a->rank[k]]++;
    }
    for (int32_t r = 0; r < ranks; r++) {
        next[r] = parcel->n;
        parcel->n += parcel->counts[r];
    }
    if (!(parcel->index = mplan_alloc(parcel->n, sizeof *parcel->index, err)))
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < own; i++) {
        address(a, s, i);
        for (int32_t k = 0; k < a->n; k++)
            parcel->index[next[a->rank[k]]++] = i;
    }
    return MPLAN_OK;
}

/* Owned members, and elements that change an owned point: what this rank's parts own and run. Owners of points are needed
 * while the members of one set are listed only. */
static mplan_status send_members(mpi_move *move, mplan_error *err)
{
    const int32_t ranks = move->mesh->ranks;
    addresses a = {.move = move};
    int64_t *counts = mplan_alloc(ranks, sizeof *counts, err);
    int64_t *next = mplan_alloc(ranks, sizeof *next, err);
    mplan_status status = mpi_agree(move->mesh->comm, counts && next ? MPLAN_OK : MPLAN_ERR_MEMORY,
                                    err);
    if (!status)
        status = open_addresses(&a, err);
    for (int32_t s = 0; s < move->p->n_sets && !status; s++) {
        mpi_parcel parcel = {.set = s, .counts = counts};
        memset(counts, 0, (size_t)ranks * sizeof *counts);
        status = name_points(&a, s, err);
        if (!status)
            status = mpi_moved_send(move, list_members(&a, &parcel, next, err), &parcel, true, err);
        free(parcel.index);
        forget_points(&a);
    }
    close_addresses(&a);
    free(counts);
    free(next);
    return status;
}

/* --- members that are asked for ------------------------------------------------------------------------ */

/* A member that a rank asks for: its number in the whole mesh, and its set of planning. */
typedef struct wish {
    int64_t id, set;
} wish;

/* Answers the wishes for members of set s, in the order in which they came. Collective. wishes: of members that this rank has,
 * which is why they were sent here. counts: scratch, by rank. A rank answers from the members of the mesh that it holds, not
 * from what came to it. */
static mplan_status send_answers(mpi_move *move, int32_t s, const mpi_items *wishes,
                                 int64_t *counts, mplan_error *err)
{
    const wish *asked = wishes->data;
    const int64_t first = set_of(move, s)->first[move->mesh->rank];
    mpi_parcel parcel = {.set = s, .counts = counts};
    memset(counts, 0, (size_t)move->mesh->ranks * sizeof *counts);
    for (int64_t i = 0; i < wishes->n; i++)
        parcel.n += asked[i].set == s;
    parcel.index = mplan_alloc(parcel.n, sizeof *parcel.index, err);
    int64_t n = 0;
    for (int64_t r = 0, i = 0; r < move->mesh->ranks && parcel.index; r++)
        for (const int64_t end = i + wishes->counts[r]; i < end; i++) {
            if (asked[i].set != s)
                continue;
            parcel.index[n++] = asked[i].id - first;
            counts[r]++;
        }
    const mplan_status status = mpi_moved_send(move, parcel.index ? MPLAN_OK : MPLAN_ERR_MEMORY,
                                               &parcel, false, err);
    free(parcel.index);
    return status;
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

/* Wishes to the ranks that have the members, and members back, set by set. A rank without wishes takes part,
 * since others may ask it. */
mplan_status mpi_move_more(mpi_move *move, mplan_vector *lacking, mplan_error *err)
{
    assert(move && lacking);
    const MPI_Comm comm = move->mesh->comm;
    mplan_vector wishes = MPLAN_VECTOR_INIT(sizeof(wish));
    mpi_items asked = {0};
    int32_t *to = NULL;
    int64_t *counts = mplan_alloc(move->mesh->ranks, sizeof *counts, err);
    mplan_status status = counts ? make_wishes(move, lacking, &wishes, &to, err) : MPLAN_ERR_MEMORY;
    status = mpi_exchange_mixed(comm, status, sizeof(wish), wishes.data, wishes.count, to, &asked,
                                err);
    for (int32_t s = 0; s < move->p->n_sets && !status; s++)
        status = send_answers(move, s, &asked, counts, err);
    mpi_items_free(&asked);
    free(wishes.data);
    free(to);
    free(counts);
    return status;
}

/* --- until nobody lacks anything ---------------------------------------------------------------------- */

/* Members that rows of this rank name and that it lacks: those of what it runs, and by maps that some loop writes
 * by, of all that it has. Others are noted by number. lacking, numbers: by set; appended, in any order, a member
 * perhaps several times. Not collective. A member that is there by number only is lacking when a row of what the
 * rank runs names it, but is not noted again by number. */
static mplan_status find_lacking(const mpi_move *move, mplan_vector *lacking, mplan_vector *numbers,
                                 mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < move->p->n_maps; m++) {
        const int32_t s = move->p->maps[m].from, to = move->p->maps[m].to;
        const mpi_moved_set *set = &move->sets[s], *points = &move->sets[to];
        mpi_finder places;
        mpi_finder_open(points->ids, points->n, &places);
        for (int64_t i = 0; i < set->n && !status; i++) {
            const bool all = move->uses[m].writes || set->run[i];
            int64_t n;
            const int64_t *row = mpi_moved_row(move, s, i, m, &n);
            for (int64_t k = 0; k < n && !status; k++) {
                const int64_t at = row[k] < 0 ? -1 : mpi_place(&places, row[k]);
                if (row[k] < 0 || (at >= 0 && (mpi_moved_came(move, to, at) || !all)))
                    continue;
                status = mplan_vector_push(all ? &lacking[to] : &numbers[to], &row[k], err);
            }
        }
        mpi_finder_close(&places);
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
                 : left > 0 ? mpi_moved_add(move, s, left, ids, err)
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
    assert(move && move->sets);
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
    *move = (mpi_move){.mesh = mesh, .p = p, .owners = owners, .first = first};
    move->uses = mplan_alloc(p->n_maps, sizeof *move->uses, err);
    move->sets = mplan_alloc_zero(p->n_sets, sizeof *move->sets, err);
    move->maps = mplan_alloc_zero(p->n_maps, sizeof *move->maps, err);
    const bool room = move->uses && move->sets && move->maps;
    mplan_status status = mpi_agree(mesh->comm, room ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    if (status)
        return status;
    mplan_parts_map_uses(p, move->uses);
    return send_members(move, err);
}

/* The mesh and the owners are the caller's; arrays that a piece has taken over are not here any more. */
void mpi_move_close(mpi_move *move)
{
    assert(move);
    for (int32_t s = 0; move->sets && move->maps && s < move->p->n_sets; s++)
        mpi_moved_free(move, s);
    free(move->sets);
    free(move->maps);
    free(move->uses);
    *move = (mpi_move){0};
}
