/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_owners.c - owners of all sets, by the rules and in the order of parts/follow.c
 *
 * Elements ask the ranks that have their points; points are told by the ranks that have their elements. Votes are
 * counted, so that it does not matter who has what, nor in which order votes come. Ties go to the lowest part, and
 * a member without any vote gets a part by its number in the whole set: the owners are those that one process
 * finds.
 *
 * Numbers of members are those of the whole mesh; sets and maps are counted as planning counts them. Arrays of
 * owners are by member of this rank, from 0. Functions with an exchange in them are collective. */
#include "mpi/mpi_owners.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mpi/exchange.h"
#include "mpi/mpi_facts.h"
#include "parts/votes.h"

/* One run of the rules. out->owner[s] is NULL until set s is done, or about to be filled: all ranks fill the same
 * set at a time. votes: scratch, empty between two members. */
typedef struct following {
    const mpi_mesh *mesh;
    const planning *p;
    mpi_owners *out;
    mplan_votes votes;
} following;

/* By number of planning. */
static const mpi_map *map_of(const following *f, int32_t map)
{
    return &f->mesh->maps[f->p->maps[map].mesh_map];
}

static const mpi_set *set_of(const following *f, int32_t set)
{
    return &f->mesh->sets[f->p->sets[set].mesh_set];
}

/* Members of a set of planning that this rank has, and the number of the first. */
static int64_t own_of(const following *f, int32_t set)
{
    return mpi_own_members(f->mesh, f->p->sets[set].mesh_set);
}

static int64_t first_of(const following *f, int32_t set)
{
    return set_of(f, set)->first[f->mesh->rank];
}

/* --- owners of what rows name ----------------------------------------------------------------- */

/* All entries of the maps that are not -1, each number once: out->ids, ascending, out->n. Not collective. */
static mplan_status list_ids(const mpi_mesh *mesh, const planning *p, int32_t n_maps,
                             const int32_t *maps, mpi_owners_of *out, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < n_maps && !status; m++) {
        const mpi_map *map = &mesh->maps[p->maps[maps[m]].mesh_map];
        int64_t *ids = NULL, n = 0;
        status = mpi_ids_of(map->values, mpi_own_entries(mesh, map), 0, 0, &ids, &n, err);
        int64_t *both = status || m == 0 ? NULL
                                         : mplan_realloc(out->ids, out->n + n, sizeof *both, err);
        if (m == 0) {
            out->ids = ids;
            out->n = n;
            continue;
        }
        if (both) {
            memcpy(both + out->n, ids, (size_t)n * sizeof *ids);
            out->ids = both;
            out->n = mpi_each_once(both, out->n + n, err);
        }
        free(ids);
        if (!status && (!both || out->n < 0))
            status = MPLAN_ERR_MEMORY;
    }
    return status;
}

/* Three steps: what rows of this rank name, links to the ranks that have these members, owners from there. All
 * ranks call it with the same maps, so that those with n_maps of 0 leave together. own: by member of this rank of
 * the set that the maps lead to. */
mplan_status mpi_owners_named(const mpi_mesh *mesh, const planning *p, int32_t n_maps,
                              const int32_t *maps, const int32_t *own, mpi_owners_of *out,
                              mplan_error *err)
{
    assert(mesh && p && out && (maps || n_maps == 0));
    *out = (mpi_owners_of){0};
    if (n_maps == 0)
        return MPLAN_OK;
    const mpi_set *to = &mesh->sets[p->sets[p->maps[maps[0]].to].mesh_set];
    mpi_links links = {0};
    mplan_status status = list_ids(mesh, p, n_maps, maps, out, err);
    status = mpi_links_make(mesh->comm, status, to->first, status ? 0 : out->n, out->ids, &links,
                            err);
    if (!status && !(out->owner = mplan_alloc(out->n, sizeof *out->owner, err)))
        status = MPLAN_ERR_MEMORY;
    status = mpi_agree(mesh->comm, status, err);
    if (!status)
        status = mpi_links_fetch(&links, MPLAN_OK, sizeof *own, own, out->owner, err);
    mpi_links_free(&links);
    if (!status)
        mpi_finder_open(out->ids, out->n, &out->places);
    return status;
}

/* Also of one that is empty. */
void mpi_owners_of_free(mpi_owners_of *of)
{
    assert(of);
    mpi_finder_close(&of->places);
    free(of->ids);
    free(of->owner);
    *of = (mpi_owners_of){0};
}

/* The id must be in the list: it was made of all that rows of this rank name. */
int32_t mpi_owner_of(const mpi_owners_of *of, int64_t id)
{
    return of->owner[mpi_find(&of->places, id)];
}

/* --- one set after the other --------------------------------------------------------------------- */

/* Room for the owners of a set, one for each member of this rank; what next_map sees is that the set is done. It
 * is there also for a rank without members, so that all ranks see the same sets as done. Not collective. */
static mplan_status make_room(following *f, int32_t set, mplan_error *err)
{
    f->out->owner[set] = mplan_alloc(own_of(f, set), sizeof **f->out->owner, err);
    return f->out->owner[set] ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Elements of a set by the points of all its maps to one set that is done. Collective.
 * Each entry of a row is a vote for the part of its point; an element without entries is dealt out by its number.
 * The rows are all on the rank that has the element, so that it elects by itself once the owners of the points are
 * there. */
static mplan_status by_rows(following *f, int32_t set, int32_t to, mplan_error *err)
{
    const planning *p = f->p;
    mpi_owners_of named = {0};
    int32_t n_maps = 0;
    int32_t *maps = mplan_alloc(p->n_maps, sizeof *maps, err);
    for (int32_t m = 0; maps && m < p->n_maps; m++)
        if (p->maps[m].from == set && p->maps[m].to == to)
            maps[n_maps++] = m;
    mplan_status status = mpi_agree(f->mesh->comm, maps ? make_room(f, set, err) : MPLAN_ERR_MEMORY,
                                    err);
    if (!status)
        status = mpi_owners_named(f->mesh, p, n_maps, maps, f->out->owner[to], &named, err);
    for (int64_t i = 0; i < own_of(f, set) && !status; i++) {
        for (int32_t m = 0; m < n_maps; m++) {
            int64_t n;
            const int64_t *row = mpi_map_row(map_of(f, maps[m]), i, &n);
            for (int64_t k = 0; k < n; k++)
                if (row[k] >= 0)
                    mplan_vote(&f->votes, mpi_owner_of(&named, row[k]));
        }
        const int32_t best = mplan_elect(&f->votes);
        f->out->owner[set][i] = best >= 0 ? best
                                          : mplan_deal(f->out->n_parts, first_of(f, set) + i,
                                                       p->sets[set].size);
    }
    mpi_owners_of_free(&named);
    free(maps);
    return status;
}

/* What an element tells a point. */
typedef struct ballot {
    int64_t point; /* number in the whole mesh */
    int64_t part;  /* 64 bits, so that there are no bytes between without a value */
} ballot;

/* The ballots of this rank's rows: an element votes as often as its row names the point. to: the rank of each,
 * which has the point. Both lists are the caller's, also after a failure. Not collective. */
static mplan_status fill_ballots(const following *f, int32_t map, mplan_vector *ballots,
                                 int32_t **to, mplan_error *err)
{
    const mpi_map *about = map_of(f, map);
    const int32_t *owner = f->out->owner[f->p->maps[map].from];
    const int64_t *first = f->mesh->sets[about->to].first;
    const int64_t most = mpi_own_entries(f->mesh, &f->mesh->maps[f->p->maps[map].mesh_map]);
    ballot *list = mplan_vector_reserve(ballots, most, err);
    *to = mplan_alloc(most, sizeof **to, err);
    if (!list || !*to)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < own_of(f, f->p->maps[map].from); i++) {
        int64_t n;
        const int64_t *row = mpi_map_row(about, i, &n);
        for (int64_t k = 0; k < n; k++)
            if (row[k] >= 0) {
                (*to)[ballots->count] = mpi_rank_of(first, f->mesh->ranks, row[k]);
                list[ballots->count++] = (ballot){row[k], owner[i]};
            }
    }
    return MPLAN_OK;
}

/* Ballots by point, by a counting sort, and an election for each point of this rank.
 * got: ballots for members of this rank, in any order. begin: own + 2 entries, all 0; first begin[i + 1] is where
 * the ballots of member i end in `part`, and when they are filled in from behind, where they begin. part: got->n,
 * the parts that are voted for. */
static void count_ballots(following *f, int32_t set, const mpi_items *got, int64_t *begin,
                          int32_t *part)
{
    const int64_t first = first_of(f, set), own = own_of(f, set);
    const ballot *item = got->data;
    for (int64_t i = 0; i < got->n; i++)
        begin[item[i].point - first + 1]++;
    for (int64_t i = 0; i < own; i++)
        begin[i + 1] += begin[i];
    /* from behind: begin[i + 1] moves from the end of member i's ballots to their begin */
    for (int64_t i = got->n - 1; i >= 0; i--)
        part[--begin[item[i].point - first + 1]] = (int32_t)item[i].part;
    for (int64_t i = 0; i < own; i++) {
        const int64_t end = i + 2 <= own ? begin[i + 2] : got->n;
        for (int64_t k = begin[i + 1]; k < end; k++)
            mplan_vote(&f->votes, part[k]);
        const int32_t best = mplan_elect(&f->votes);
        f->out->owner[set][i] = best >= 0
                                    ? best
                                    : mplan_deal(f->out->n_parts, first + i, f->p->sets[set].size);
    }
}

/* Points of a map by the elements of its from-set, which is done. Collective: ballots travel once, to the ranks
 * that have the points. Only this one map votes, as in parts/follow.c. */
static mplan_status by_columns(following *f, int32_t map, mplan_error *err)
{
    const int32_t set = f->p->maps[map].to;
    mplan_vector ballots = MPLAN_VECTOR_INIT(sizeof(ballot));
    mpi_items got = {0};
    int32_t *to = NULL, *part = NULL;
    int64_t *begin = NULL;
    mplan_status status = make_room(f, set, err);
    if (!status)
        status = fill_ballots(f, map, &ballots, &to, err);
    status = mpi_exchange_mixed(f->mesh->comm, status, sizeof(ballot), ballots.data, ballots.count,
                                to, &got, err);
    if (!status) {
        begin = mplan_alloc_zero(own_of(f, set) + 2, sizeof *begin, err);
        part = mplan_alloc(got.n, sizeof *part, err);
        status = mpi_agree(f->mesh->comm, begin && part ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    }
    if (!status)
        count_ballots(f, set, &got, begin, part);
    free(begin);
    free(part);
    free(to);
    free(ballots.data);
    mpi_items_free(&got);
    return status;
}

/* As parts/follow.c: the first map, in the order of planning, from a set that is done to one that is not (as_to),
 * or the other way round; -1: there is none. */
static int32_t next_map(const following *f, bool as_to)
{
    for (int32_t m = 0; m < f->p->n_maps; m++) {
        const bool from = f->out->owner[f->p->maps[m].from], to = f->out->owner[f->p->maps[m].to];
        if (as_to ? from && !to : to && !from)
            return m;
    }
    return -1;
}

/* The order in which sets are done is that of parts/follow.c, by the order of maps in planning, which all ranks
 * share: so each exchange below is entered by all. */
static mplan_status follow_maps(following *f, int32_t cut, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    /* first all sets with maps to the set that was cut, then what is one map away from sets that are done */
    for (int32_t m = 0; m < f->p->n_maps && !status; m++)
        if (f->p->maps[m].to == cut && !f->out->owner[f->p->maps[m].from])
            status = by_rows(f, f->p->maps[m].from, cut, err);
    while (!status) {
        int32_t m = next_map(f, true);
        if (m >= 0) {
            status = by_columns(f, m, err);
            continue;
        }
        if ((m = next_map(f, false)) < 0)
            break;
        status = by_rows(f, f->p->maps[m].from, f->p->maps[m].to, err);
    }
    /* sets that no map joins with the others are dealt out by number */
    for (int32_t s = 0; s < f->p->n_sets && !status; s++) {
        if (f->out->owner[s])
            continue;
        status = mpi_agree(f->mesh->comm, make_room(f, s, err), err);
        for (int64_t i = 0; i < own_of(f, s) && !status; i++)
            f->out->owner[s][i] = mplan_deal(f->out->n_parts, first_of(f, s) + i, f->p->sets[s].size);
    }
    return status;
}

/* --- canonical ids ---------------------------------------------------------------------------------- */

/* base[q + 1] counts what this rank knows of part q, then is summed over ranks, then over parts: part q owns
 * canonical ids [base[q], base[q + 1]), and base[n_parts] is the size of the set. n_parts + 1 entries, equal on
 * every rank. Collective. */
static mplan_status find_bases(following *f, mplan_error *err)
{
    const int32_t n_parts = f->out->n_parts;
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < f->p->n_sets && !status; s++) {
        int64_t *base = f->out->base[s] = mplan_alloc_zero(n_parts + INT64_C(1), sizeof *base, err);
        status = mpi_agree(f->mesh->comm, base ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
        if (status)
            break;
        for (int64_t i = 0; i < own_of(f, s); i++)
            base[f->out->owner[s][i] + 1]++;
        mpi_sums(f->mesh->comm, base, n_parts + INT64_C(1));
        for (int32_t q = 0; q < n_parts; q++)
            base[q + 1] += base[q];
    }
    return status;
}

/* The set that was cut first, then all others, then bases; *owners belongs to the caller, also after a failure.
 * Scratch for votes is of the size of n_parts, whatever the mesh is. */
mplan_status mpi_owners_follow(const mpi_mesh *mesh, const planning *p, int32_t cut, int32_t n_parts,
                               const int32_t *owner, mpi_owners *owners, mplan_error *err)
{
    assert(mesh && p && owner && owners && n_parts > 0 && cut >= 0 && cut < p->n_sets);
    *owners = (mpi_owners){.n_sets = p->n_sets, .n_parts = n_parts};
    following f = {.mesh = mesh, .p = p, .out = owners};
    f.votes.part = mplan_alloc(n_parts, sizeof *f.votes.part, err);
    f.votes.count = mplan_alloc_zero(n_parts, sizeof *f.votes.count, err);
    owners->owner = mplan_alloc_zero(p->n_sets, sizeof *owners->owner, err);
    owners->base = mplan_alloc_zero(p->n_sets, sizeof *owners->base, err);
    mplan_status status = f.votes.part && f.votes.count && owners->owner && owners->base
                              ? make_room(&f, cut, err)
                              : MPLAN_ERR_MEMORY;
    status = mpi_agree(mesh->comm, status, err);
    if (!status) {
        memcpy(owners->owner[cut], owner, (size_t)own_of(&f, cut) * sizeof *owner);
        status = follow_maps(&f, cut, err);
    }
    if (!status)
        status = find_bases(&f, err);
    free(f.votes.part);
    free(f.votes.count);
    return status;
}

/* Bases may have been handed over, and are NULL then. */
void mpi_owners_free(mpi_owners *owners)
{
    assert(owners);
    for (int32_t s = 0; s < owners->n_sets; s++) {
        free(owners->owner ? owners->owner[s] : NULL);
        free(owners->base ? owners->base[s] : NULL);
    }
    free(owners->owner);
    free(owners->base);
    *owners = (mpi_owners){0};
}
