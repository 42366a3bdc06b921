/* SPDX-License-Identifier: Apache-2.0 */
/* slab_pieces.c - where the pieces of the order that slabs follow begin in each slab
 *
 * Members of a slab stay in the order that its set had before levels cut it: along a curve, say. That order, cut into
 * MPLAN_SLAB_PIECES equal pieces, cuts each slab, too: the parts of one piece are near one another in all slabs that follow each other, and
 * an executor may run them together. Members of other sets have the piece of a member beside them, by the maps. Only numbers of members count:
 * whatever they are, each slab has all of its members in some piece. */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "pipeline/slabs.h"

enum { PIECES = MPLAN_SLAB_PIECES, MEMBERS = 1 << 16 };

/* The place of a member in an order of n, as a piece. */
static uint8_t piece_of(int64_t place, int64_t n)
{
    return (uint8_t)(place * PIECES / n);
}

typedef struct noting {
    const int32_t *order;
    int64_t n;
    uint8_t *piece;
} noting;

static void note_some(void *data, int thread, int64_t begin, int64_t end)
{
    noting *of = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        of->piece[i] = piece_of(of->order[i], of->n);
}

/* order: of the set that decides, before its levels. */
mplan_status mplan_planning_note_pieces(planning *p, const int32_t *order, mplan_error *err)
{
    assert(p && order && !p->level_piece);
    const int64_t n = p->sets[p->level_set].size;
    p->level_piece = mplan_alloc(n, sizeof *p->level_piece, err);
    if (!p->level_piece)
        return MPLAN_ERR_MEMORY;
    noting of = {order, n, p->level_piece};
    mplan_for(mplan_team_of(p->context), n, MEMBERS, note_some, &of);
    return MPLAN_OK;
}

/* --- pieces of stored members ------------------------------------------------------------------- */

/* piece[s]: of each stored member of set s; NULL: not known. */
typedef struct piece_walk {
    const planning *p;
    const mplan_plan *plan;
    uint8_t **piece;
} piece_walk;

typedef struct fetching {
    const int32_t *from; /* members whose pieces are taken, `arity` apart; -1: none */
    int32_t arity;
    const uint8_t *piece;
    uint8_t *to;
} fetching;

static void fetch_some(void *data, int thread, int64_t begin, int64_t end)
{
    fetching *of = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const int32_t from = of->from[i * of->arity];
        of->to[i] = from >= 0 ? of->piece[from] : 0;
    }
}

static mplan_status new_pieces(piece_walk *walk, int32_t set, mplan_error *err)
{
    walk->piece[set] = mplan_alloc_zero(walk->plan->sets[set].storage_size,
                                        sizeof *walk->piece[set], err);
    return walk->piece[set] ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* The set whose members have been noted, as they are stored now. */
static mplan_status store_noted(piece_walk *walk, mplan_error *err)
{
    const int32_t set = walk->p->level_set;
    const int32_t *old = mplan_plan_data(walk->plan, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, set),
                                         MPLAN_TYPE_I32, NULL);
    const mplan_status status = new_pieces(walk, set, err);
    fetching of = {old, 1, walk->p->level_piece, walk->piece[set]};
    if (!status)
        mplan_for(mplan_team_of(walk->p->context), walk->plan->sets[set].storage_size, MEMBERS,
                  fetch_some, &of);
    return status;
}

/* Elements have the piece of their first point. */
static mplan_status follow_points(piece_walk *walk, const mplan_map *map, mplan_error *err)
{
    const mplan_status status = new_pieces(walk, map->from, err);
    fetching of = {map->values, map->arity, walk->piece[map->to], walk->piece[map->from]};
    if (!status)
        mplan_for(mplan_team_of(walk->p->context), map->n_rows, MEMBERS, fetch_some, &of);
    return status;
}

/* Points have the piece of their last element. */
static mplan_status follow_elements(piece_walk *walk, const mplan_map *map, mplan_error *err)
{
    const mplan_status status = new_pieces(walk, map->to, err);
    for (int64_t e = 0; e < map->n_rows && !status; e++)
        for (int32_t s = 0; s < map->arity; s++)
            if (map->values[e * map->arity + s] >= 0)
                walk->piece[map->to][map->values[e * map->arity + s]] = walk->piece[map->from][e];
    return status;
}

/* From the set that was noted along all maps of the plan; a set may stay without. Loops in slabs have no ragged maps. */
static mplan_status follow_maps(piece_walk *walk, mplan_error *err)
{
    mplan_status status = store_noted(walk, err);
    for (bool found = true; found && !status;) {
        found = false;
        for (int32_t m = 0; m < walk->plan->n_maps && !status; m++) {
            const mplan_map map = mplan_plan_stored_map(walk->plan, m);
            if (map.arity == 0 || !walk->piece[map.from] == !walk->piece[map.to])
                continue;
            found = true;
            status = walk->piece[map.to] ? follow_points(walk, &map, err)
                                         : follow_elements(walk, &map, err);
        }
    }
    return status;
}

/* --- pieces of slabs --------------------------------------------------------------------------------- */

typedef struct counting {
    const int64_t *slab;
    const uint8_t *piece; /* NULL: slabs are cut evenly */
    int32_t *begin;       /* PIECES - 1 of each slab */
} counting;

static void count_some(void *data, int thread, int64_t begin, int64_t end)
{
    counting *of = data;
    (void)thread;
    for (int64_t s = begin; s < end; s++) {
        int32_t *row = of->begin + s * (PIECES - 1), before = 0;
        int32_t count[PIECES] = {0};
        const int64_t n = of->slab[s + 1] - of->slab[s];
        for (int64_t i = 0; i < n; i++)
            count[of->piece ? of->piece[of->slab[s] + i] : piece_of(i, n)]++;
        for (int32_t k = 0; k < PIECES - 1; k++)
            row[k] = before += count[k];
    }
}

static mplan_status store_pieces(piece_walk *walk, int32_t set, mplan_error *err)
{
    const int32_t n = walk->plan->visit.slabs;
    counting of = {mplan_plan_data(walk->plan, mplan_key_of_set(MPLAN_KIND_SLAB_OFFSETS, set),
                                   MPLAN_TYPE_I64, NULL),
                   walk->piece[set], mplan_alloc(n, (PIECES - 1) * sizeof *of.begin, err)};
    if (!of.begin)
        return MPLAN_ERR_MEMORY;
    mplan_for(mplan_team_of(walk->p->context), n, 1, count_some, &of);
    return mplan_plan_take_array(walk->p->plan, mplan_key_of_set(MPLAN_KIND_SLAB_PIECES, set),
                                 MPLAN_TYPE_I32, n, PIECES - 1, of.begin, err);
}

/* SLAB_PIECES of the sets whose slabs have enough members, once all slabs are cut. */
mplan_status mplan_planning_cut_pieces(planning *p, mplan_error *err)
{
    assert(p && p->plan && mplan_plan_has_slabs(p->plan));
    const int32_t n = p->plan->n_sets;
    piece_walk walk = {p, p->plan, mplan_alloc_zero(n, sizeof *walk.piece, err)};
    mplan_status status = walk.piece ? MPLAN_OK : MPLAN_ERR_MEMORY;
    bool any = false;
    for (int32_t s = 0; s < n; s++)
        any = any || mplan_plan_has_pieces(p->plan, s);
    if (!status && any && p->level_piece)
        status = follow_maps(&walk, err);
    for (int32_t s = 0; s < n && !status; s++)
        if (mplan_plan_has_pieces(p->plan, s))
            status = store_pieces(&walk, s, err);
    for (int32_t s = 0; walk.piece && s < n; s++)
        free(walk.piece[s]);
    free(walk.piece);
    return status;
}
