/* SPDX-License-Identifier: Apache-2.0 */
/* native_lattice.c - places in a grid, found by a walk from neighbour to neighbour
 *
 * Two neighbours of a vertex lie at a right angle when they have another common neighbour,
 * the fourth corner of a square; else they lie opposite. So a vertex whose neighbours
 * have directions gives directions to those of a neighbour: across a square they are parallel,
 * and what is left goes straight on. The walk spreads breadth first from a vertex that
 * has all its neighbours, as a patch, until it meets itself: a vertex keeps the first place that
 * it got, no two of a patch have the same place (round a node of five quads they would), and
 * what the patch leaves begins others. At rims and corners, where squares are missing,
 * what cannot be decided is left undecided: another way may lead there.
 *
 * What tiles in these places bring (tools/bench/ablation: S = 128, 150,000 shuffled cells, reuse and seconds of the cut with /
 * without): hexes to nodes 4.484 / 4.367 and 0.08 / 0.42, quads to nodes 3.350 / 3.336 and 0.05 / 0.24. */
#include "partition/native/grid/native_lattice.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum {
    SAMPLES = 512,
    FEW_PATCHES = 64,
    SHARE_OF_PATCHES = 200,
    LEAST_FULL = 4,
    POLL = 1 << 16,
    UNKNOWN_BITS = 0x888888
}; /* one of LATTICE_UNKNOWN that no direction has, slot by slot */

/* Places taken by the patch at hand, a bit each, in cubes of 4^3 or squares of 8^2. */
typedef struct taken_cube {
    uint64_t bits;
    int32_t patch; /* 1 + of the patch; 0: empty */
    int32_t at[3];
} taken_cube;

typedef struct walk {
    native_lattice *l;
    int32_t degree; /* slots of a vertex */
    int32_t *queue;
    int64_t first, end;
    mplan_vector doubts; /* vertices that have a direction to guess and a neighbour there to place */
    int64_t first_doubt;
    taken_cube *cubes;
    int64_t n_cubes, room; /* room: a power of two */
} walk;

/* near: for each of n vertices 2 * dimension neighbours, all -1. */
mplan_status mplan_native_lattice_create(int64_t n, int32_t dimension, native_lattice *lattice,
                                         mplan_error *err)
{
    assert(lattice && n >= 0 && (dimension == 2 || dimension == 3));
    *lattice = (native_lattice){.n = n, .dimension = dimension};
    int64_t slots = n * 2 * dimension;
    lattice->near = mplan_alloc(slots, sizeof *lattice->near, err);
    if (!lattice->near)
        return MPLAN_ERR_MEMORY;
    memset(lattice->near, 0xff, (size_t)slots * sizeof *lattice->near);
    return MPLAN_OK;
}

void mplan_native_lattice_free(native_lattice *lattice)
{
    assert(lattice);
    free(lattice->near);
    free(lattice->place);
    free(lattice->frame);
    *lattice = (native_lattice){.n = 0};
}

/* --- places taken ------------------------------------------------------------------ */

/* Of a place in a patch; the low bits are used. */
static uint64_t hash_of(const int32_t *at, int32_t patch)
{
    uint64_t h = (uint32_t)at[0] * UINT64_C(0x9E3779B97F4A7C15);
    h = (h ^ (h >> 29) ^ (uint32_t)at[1]) * UINT64_C(0xBF58476D1CE4E5B9);
    h = (h ^ (h >> 31) ^ (uint32_t)at[2]) * UINT64_C(0x94D049BB133111EB);
    h = (h ^ (h >> 30) ^ (uint32_t)patch) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ (h >> 32);
}

/* Where the place is in the hash table, or the free entry where it belongs. The
 * table always has one. */
static taken_cube *find_cube(const walk *w, const int32_t *at, int32_t patch)
{
    uint64_t i = hash_of(at, patch) & (uint64_t)(w->room - 1);
    for (;; i = (i + 1) & (uint64_t)(w->room - 1)) {
        taken_cube *cube = &w->cubes[i];
        if (cube->patch == 0 || (cube->patch == patch && cube->at[0] == at[0] &&
                                 cube->at[1] == at[1] && cube->at[2] == at[2]))
            return cube;
    }
}

/* Doubles the hash table, which stays at most half full. */
static mplan_status grow_cubes(walk *w, mplan_error *err)
{
    taken_cube *old = w->cubes;
    int64_t room = w->room;
    w->cubes = mplan_alloc_zero(room ? 2 * room : 256, sizeof *w->cubes, err);
    if (!w->cubes) {
        w->cubes = old;
        return MPLAN_ERR_MEMORY;
    }
    w->room = room ? 2 * room : 256;
    for (int64_t i = 0; i < room; i++)
        if (old[i].patch)
            *find_cube(w, old[i].at, old[i].patch) = old[i];
    free(old);
    return MPLAN_OK;
}

/* Takes a place for the patch at hand; false when it is taken. Room for one more
 * cube was made. */
static bool take(walk *w, const int32_t *place)
{
    bool plane = w->l->dimension == 2;
    int32_t shift = plane ? 3 : 2, mask = plane ? 7 : 3;
    int32_t at[3] = {place[0] >> shift, place[1] >> shift, place[2] >> shift};
    int32_t bit = (place[0] & mask) << shift | (place[1] & mask) | (place[2] & mask) << 4;
    taken_cube *cube = find_cube(w, at, w->l->n_patches + 1);
    if (cube->patch == 0) {
        *cube = (taken_cube){0, w->l->n_patches + 1, {at[0], at[1], at[2]}};
        w->n_cubes++;
    }
    bool is_free = !(cube->bits >> bit & 1);
    cube->bits |= UINT64_C(1) << bit;
    return is_free;
}

/* --- directions -------------------------------------------------------------------- */

/* The slots of vertex v: its neighbours, then -1. */
static const int32_t *near_of(const walk *w, int32_t v)
{
    return w->l->near + (int64_t)v * w->degree;
}

/* Whether `other` is a neighbour of v; all slots are compared, which is faster than to stop.
 * other >= 0. */
static bool is_near(const walk *w, int32_t v, int32_t other)
{
    const int32_t *near = near_of(w, v);
    bool found = (near[0] == other) | (near[1] == other) | (near[2] == other) | (near[3] == other);
    return w->degree == 4 ? found : found | (near[4] == other) | (near[5] == other);
}

/* Neighbours of v; they fill their slots from the front. */
static int32_t count_near(const walk *w, int32_t v)
{
    const int32_t *near = near_of(w, v);
    int32_t n = 0;
    while (n < w->degree && near[n] >= 0)
        n++;
    return n;
}

/* Common neighbours of a and b other than v: 0 says that they lie opposite at v. */
static int32_t common_but(const walk *w, int32_t a, int32_t b, int32_t v)
{
    const int32_t *near = near_of(w, a);
    int32_t common = 0;
    for (int32_t k = 0; k < w->degree; k++)
        common += near[k] >= 0 && near[k] != v && is_near(w, b, near[k]);
    return common;
}

/* Direction of slot `slot` of v, four bits of its frame. */
static void set_direction(walk *w, int32_t v, int32_t slot, int32_t direction)
{
    uint32_t mask = UINT32_C(15) << (4 * slot);
    w->l->frame[v] = (w->l->frame[v] & ~mask) | (uint32_t)direction << (4 * slot);
}

/* Bit d: some slot has direction d. */
static uint32_t used_directions(const walk *w, int32_t v, int32_t n)
{
    uint32_t used = 0;
    for (int32_t k = 0; k < n; k++)
        used |= UINT32_C(1) << mplan_lattice_direction(w->l, v, k);
    return used & 63;
}

/* q lies from p in direction d: edges across the squares of pq are parallel. Returns how many
 * directions p has at a right angle to d. */
static int32_t copy_across(walk *w, int32_t p, int32_t d, int32_t q)
{
    const int32_t *near_p = near_of(w, p), *near_q = near_of(w, q);
    int32_t n_p = count_near(w, p), n_q = count_near(w, q), sides = 0;
    uint32_t used = used_directions(w, q, n_q);
    for (int32_t i = 0; i < n_p; i++) {
        int32_t e = mplan_lattice_direction(w->l, p, i);
        if (e == LATTICE_UNKNOWN || e / 2 == d / 2)
            continue;
        sides++;
        for (int32_t k = 0; k < n_q && !(used >> e & 1); k++)
            if (mplan_lattice_direction(w->l, q, k) == LATTICE_UNKNOWN && near_q[k] != p &&
                is_near(w, near_p[i], near_q[k])) {
                set_direction(w, q, k, e);
                used |= UINT32_C(1) << e;
            }
    }
    return sides;
}

/* Which of n neighbours is the only one whose direction is unknown, -1 if there
 * are none or several. */
static int32_t only_unknown(const walk *w, int32_t v, int32_t n)
{
    int32_t found = -1;
    for (int32_t k = 0; k < n; k++)
        if (mplan_lattice_direction(w->l, v, k) == LATTICE_UNKNOWN) {
            if (found >= 0)
                return -1;
            found = k;
        }
    return found;
}

/* Directions of q, reached from p in direction d. */
static void orient(walk *w, int32_t p, int32_t d, int32_t q)
{
    const int32_t *near = near_of(w, q);
    int32_t n = count_near(w, q);
    w->l->frame[q] = UINT32_MAX;
    for (int32_t k = 0; k < n; k++)
        if (near[k] == p)
            set_direction(w, q, k, d ^ 1);
    if (copy_across(w, p, d, q) < w->degree - 2)
        return;
    int32_t left = only_unknown(w, q, n);
    if (left >= 0)
        set_direction(w, q, left, d);
}

/* Whether slot k of v can point in direction d: it lies opposite to what points the other
 * way, and at no place where the slots at a right angle deny a square that is there. */
static bool may_point(const walk *w, int32_t v, int32_t k, int32_t d, int32_t n)
{
    const int32_t *near = near_of(w, v);
    bool opposite = false;
    for (int32_t i = 0; i < n; i++) {
        int32_t e = mplan_lattice_direction(w->l, v, i);
        if (i == k || e == LATTICE_UNKNOWN)
            continue;
        if (e == d)
            return false;
        if (e / 2 == d / 2) {
            opposite = true;
            if (common_but(w, near[k], near[i], v) > 0)
                return false;
        }
    }
    return opposite;
}

/* Whether one of the first n slots of v has no direction yet: directions are 0 to 5, so that bit
 * 3 is set in unknown ones only. */
static bool has_unknown(const walk *w, int32_t v, int32_t n)
{
    return (w->l->frame[v] & UNKNOWN_BITS & ((UINT32_C(1) << 4 * n) - 1)) != 0;
}

/* Directions that were left, from all neighbours that have theirs. */
static void complete(walk *w, int32_t v, int32_t n)
{
    const int32_t *near = near_of(w, v);
    for (int32_t k = 0; k < n; k++) {
        int32_t d = mplan_lattice_direction(w->l, v, k);
        if (d != LATTICE_UNKNOWN && w->l->place[near[k]].patch == w->l->n_patches)
            copy_across(w, near[k], d ^ 1, v);
    }
}

/* Gives directions to slots that can only lie opposite to another. That is a guess: where
 * squares are missing, what lies at a right angle looks no different. Repeated, since a
 * direction given leaves fewer ways for the others. */
static void guess(walk *w, int32_t v, int32_t n)
{
    for (int32_t again = 0; again < n; again++)
        for (int32_t k = 0; k < n; k++) {
            int32_t only = LATTICE_UNKNOWN, ways = 0;
            if (mplan_lattice_direction(w->l, v, k) != LATTICE_UNKNOWN)
                continue;
            for (int32_t d = 0; d < w->degree; d++)
                if (may_point(w, v, k, d, n)) {
                    only = d;
                    ways++;
                }
            if (ways == 1)
                set_direction(w, v, k, only);
        }
}

/* Directions of a vertex that begins a patch: neighbours without a common one are opposite, where
 * that leaves no choice. Returns how many got one. */
static int32_t begin_frame(walk *w, int32_t v)
{
    const int32_t *near = near_of(w, v);
    int32_t n = count_near(w, v), axis = 0, given = 0;
    uint32_t across[LATTICE_MOST] = {0}, left = (UINT32_C(1) << n) - 1;
    w->l->frame[v] = UINT32_MAX;
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < i; k++)
            if (common_but(w, near[i], near[k], v) == 0) {
                across[i] |= UINT32_C(1) << k;
                across[k] |= UINT32_C(1) << i;
            }
    for (bool found = true; found && axis < w->l->dimension;) {
        found = false;
        for (int32_t i = 0; i < n && !found; i++) {
            uint32_t can = across[i] & left;
            if (!(left >> i & 1) || (can & (can - 1)))
                continue;
            found = true;
            left &= ~(UINT32_C(1) << i) & ~can;
            set_direction(w, v, i, 2 * axis);
            if (can)
                set_direction(w, v, __builtin_ctz(can), 2 * axis + 1);
            given += 1 + (can != 0);
            axis++;
        }
    }
    return given;
}

/* --- the walk ------------------------------------------------------------------------ */

/* Vertex v is of the patch at hand, and its neighbours are looked at in turn. Its coordinates
 * are set already. */
static void give_place(walk *w, int32_t v)
{
    w->l->place[v].patch = w->l->n_patches;
    w->queue[w->end++] = v;
}

/* The walk goes from p in direction d (2 axis + 0 up, 1 down) to its neighbour q. q gets its
 * place unless it has one, or another vertex of the patch has that place: then the walk stays
 * out, and the patch ends there. */
static mplan_status reach(walk *w, int32_t p, int32_t d, int32_t q, mplan_error *err)
{
    struct lattice_place *to = &w->l->place[q];
    int32_t there[3];
    if (to->patch >= 0)
        return MPLAN_OK;
    memcpy(there, w->l->place[p].at, sizeof there);
    there[d / 2] += d % 2 ? -1 : 1;
    if (2 * w->n_cubes >= w->room) {
        mplan_status status = grow_cubes(w, err);
        if (status)
            return status;
    }
    if (!take(w, there))
        return MPLAN_OK;
    memcpy(to->at, there, sizeof there);
    give_place(w, q);
    orient(w, p, d, q);
    return MPLAN_OK;
}

/* Gives places to the neighbours of a vertex; where that needs a guess, later, when no other
 * way has led to them. */
static mplan_status visit(walk *w, int32_t v, bool guessing, mplan_error *err)
{
    const int32_t *near = near_of(w, v);
    int32_t n = count_near(w, v);
    bool in_doubt = false;
    mplan_status status = MPLAN_OK;
    if (has_unknown(w, v, n))
        complete(w, v, n);
    if (guessing)
        guess(w, v, n);
    for (int32_t k = 0; k < n && !status; k++) {
        int32_t d = mplan_lattice_direction(w->l, v, k);
        if (d != LATTICE_UNKNOWN)
            status = reach(w, v, d, near[k], err);
        else
            in_doubt = in_doubt || w->l->place[near[k]].patch < 0;
    }
    if (!status && in_doubt && !guessing)
        status = mplan_vector_push(&w->doubts, &v, err);
    return status;
}

/* Breadth first from `seed`, whose frame is set. Vertices with directions that would be a guess
 * wait in w->doubts; they are looked at again, and guessed, only when the queue is empty. Every
 * vertex enters the queue once over all patches. A place is taken by one bit of its cube. */
static mplan_status walk_patch(walk *w, int32_t seed, const mplan_context *context, mplan_error *err)
{
    native_lattice *l = w->l;
    int32_t *place = l->place[seed].at;
    mplan_status status = 2 * w->n_cubes >= w->room ? grow_cubes(w, err) : MPLAN_OK;
    memset(place, 0, 3 * sizeof *place);
    if (status)
        return status;
    take(w, place);
    give_place(w, seed);
    while (!status) {
        const int32_t *doubt = w->doubts.data;
        if (w->first % POLL == 0)
            status = mplan_interrupted(context, err);
        if (status)
            break;
        if (w->first < w->end)
            status = visit(w, w->queue[w->first++], false, err);
        else if (w->first_doubt < w->doubts.count)
            status = visit(w, doubt[w->first_doubt++], true, err);
        else
            break;
    }
    w->doubts.count = w->first_doubt = 0;
    l->n_patches++;
    return status;
}

/* Whether so many patches, of so many vertices, are worth going on with: a mesh that is not a grid falls
 * into patches of few. */
static bool is_promising(const walk *w)
{
    return w->l->n_patches < FEW_PATCHES + w->end / SHARE_OF_PATCHES;
}

/* Seeds with all their neighbours first, since they fix the axes; a patch for
 * each seed that has no place yet. */
static mplan_status walk_all(walk *w, bool *found, const mplan_context *context, mplan_error *err)
{
    native_lattice *l = w->l;
    mplan_status status = MPLAN_OK;
    *found = true;
    for (int32_t least = w->degree; least >= 0 && *found; least -= w->degree)
        for (int64_t v = 0; v < l->n && *found && !status; v++) {
            if (l->place[v].patch >= 0 || (least > 0 && near_of(w, (int32_t)v)[w->degree - 1] < 0))
                continue;
            if (begin_frame(w, (int32_t)v) < least)
                continue;
            status = walk_patch(w, (int32_t)v, context, err);
            *found = is_promising(w);
        }
    return status;
}

/* Looks at some vertices: in a grid, neighbours of one that has all are opposite in pairs. */
static bool looks_like_grid(walk *w)
{
    int64_t n = w->l->n, stride = n / SAMPLES + 1, full = 0, good = 0;
    for (int64_t v = stride / 2; v < n; v += stride)
        if (near_of(w, (int32_t)v)[w->degree - 1] >= 0) {
            full++;
            good += begin_frame(w, (int32_t)v) == w->degree;
        }
    return full < LEAST_FULL || 4 * good >= 3 * full;
}

/* place: per vertex patch and coordinates; frame: directions of its slots. *found is false, and
 * that is soon known, where most vertices do not lie in a grid; places are then of no use. near
 * must be filled. */
mplan_status mplan_native_lattice_find(native_lattice *lattice, bool *found,
                                       const mplan_context *context, mplan_error *err)
{
    assert(lattice && found);
    int64_t n = lattice->n;
    walk w = {.l = lattice,
              .degree = 2 * lattice->dimension,
              .doubts = MPLAN_VECTOR_INIT(sizeof(int32_t))};
    mplan_status status = MPLAN_ERR_MEMORY;
    *found = false;
    lattice->frame = mplan_alloc(n, sizeof *lattice->frame, err);
    if (!lattice->frame)
        return MPLAN_ERR_MEMORY;
    if (!looks_like_grid(&w))
        return MPLAN_OK;
    lattice->place = mplan_alloc(n, sizeof *lattice->place, err);
    w.queue = mplan_alloc(n, sizeof *w.queue, err);
    if (lattice->place && w.queue) {
        for (int64_t v = 0; v < n; v++)
            lattice->place[v].patch = -1;
        lattice->n_patches = 0;
        status = walk_all(&w, found, context, err);
    }
    free(w.queue);
    free(w.cubes);
    free(w.doubts.data);
    return status;
}
