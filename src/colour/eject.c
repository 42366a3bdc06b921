/* SPDX-License-Identifier: Apache-2.0 */
/* eject.c - one class fewer, by chains of ejections
 *
 * After Y. Nagata, O. Braysy, "A powerful route minimization heuristic for the vehicle
 * routing problem with time windows", Oper. Res. Lett. 37 (2009), for colours: the
 * items of the smallest class go without one and wait. An item that waits takes the
 * class where those that it meets have the least weight together; they are ejected and
 * go on likewise, last in first out, until one of them finds a class where it meets
 * none. An item that could only settle by ejecting others weighs one more from then
 * on, so that chains leave what is hard to settle where it is. A chain that grows too
 * wide or too long is undone, and its item waits again, when weights are
 * different ones: what is wrong stays within a neighbourhood, and regions of a mesh do
 * not wait for each other.
 *
 * What it brings (tools/bench/ablation, 150,000 shuffled cells): block colours of faces of triangles 4 in place of 5, of
 * tets 8 in place of 9 (nodes 10, not 11), of hexes 8 in place of 9; global colours of triangles to nodes 8 in place of 10, of a
 * boundary layer 7 in place of 8. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "colour/conflict.h"
#include "mesh/mesh.h"

enum {
    WAITS = -2,
    MOST_PATIENCE = 16,
    MOST_WEIGHT = 1 << 20,
    LEAST_WIDTH = 8,
    MOST_WIDTH = 64,
    CHAIN_STEPS = 400,
    JOURNAL_ROOM = 4096
};

/* A change to take back. */
typedef struct change {
    int32_t item, colour; /* as it was before */
} change;

/* One attempt to do with a colour less. Arrays are per item unless said
 * otherwise. */
typedef struct ejection {
    const mplan_conflicts *conflicts;
    int32_t *colour;
    int32_t n_colours; /* of the goal */
    int32_t *weight;   /* n */
    int32_t *queue;    /* a ring of n: items that begin a chain each */
    int64_t first, n_waiting;
    int32_t *held; /* ejected in this chain, JOURNAL_ROOM */
    int32_t n_held;
    int32_t width;   /* a chain that holds more is undone */
    change *journal; /* of this chain, JOURNAL_ROOM */
    int32_t n_changes;
    uint64_t seed;
} ejection;

/* Item i goes to the end of the ring of those that wait; there are at most n. */
static void wait_again(ejection *x, int32_t i)
{
    int64_t n = x->conflicts->items->n;
    x->queue[(x->first + x->n_waiting++) % n] = i;
}

/* Notes the change in the journal; false, and nothing is changed, when that is full. */
static bool change_colour(ejection *x, int32_t i, int32_t colour)
{
    if (x->n_changes == JOURNAL_ROOM)
        return false;
    x->journal[x->n_changes++] = (change){i, x->colour[i]};
    x->colour[i] = colour;
    return true;
}

/* Takes all changes of the journal back, the latest first. */
static void undo(ejection *x)
{
    while (x->n_changes > 0) {
        change last = x->journal[--x->n_changes];
        x->colour[last.item] = last.colour;
    }
}

/* The class where the items that conflict with i have the least weight together, ties at random
 * by the fixed seed: each of k equals is kept with probability 1 / k, so that all are equally
 * likely. */
static int32_t best_class(ejection *x, int32_t i)
{
    int64_t met[MPLAN_MOST_COLOURS] = {0}, n;
    int32_t best = 0, ties = 1;
    const int32_t *other = mplan_conflicts_of(x->conflicts, i, &n);
    for (int64_t k = 0; k < n; k++)
        if (other[k] != i && x->colour[other[k]] >= 0)
            met[x->colour[other[k]]] += x->weight[other[k]];
    for (int32_t c = 1; c < x->n_colours; c++) {
        if (met[c] < met[best]) {
            best = c;
            ties = 1;
        } else if (met[c] == met[best] && mplan_random_below(&x->seed, ++ties) == 0) {
            best = c;
        }
    }
    return best;
}

/* Gives an item a class and holds those that it ejects; false when the journal is full, and the
 * chain is to be undone. held has room: all but the root are in the journal as well. */
static bool settle(ejection *x, int32_t i)
{
    int32_t own = best_class(x, i), before = x->n_held;
    int64_t n;
    const int32_t *other = mplan_conflicts_of(x->conflicts, i, &n);
    for (int64_t k = 0; k < n; k++) {
        int32_t j = other[k];
        if (j == i || x->colour[j] != own)
            continue;
        if (!change_colour(x, j, WAITS))
            return false;
        x->held[x->n_held++] = j;
    }
    if (x->n_held > before && x->weight[i] < MOST_WEIGHT)
        x->weight[i]++;
    return change_colour(x, i, own);
}

/* Settles an item and all that this ejects, or nothing. Adds to the steps. */
static bool settle_chain(ejection *x, int32_t root, int64_t *steps)
{
    bool room = true;
    x->n_changes = 0;
    x->n_held = 0;
    x->held[x->n_held++] = root;
    for (int32_t step = 0; x->n_held > 0 && room; step++, ++*steps)
        room = step < CHAIN_STEPS && x->n_held <= x->width && settle(x, x->held[--x->n_held]);
    if (!room)
        undo(x);
    return room;
}

/* Takes the smallest class away; the last one gets its number. */
static void clear_smallest(ejection *x)
{
    int64_t size[MPLAN_MOST_COLOURS + 1] = {0}, n = x->conflicts->items->n;
    int32_t least = 0;
    for (int64_t i = 0; i < n; i++)
        if (x->colour[i] >= 0)
            size[x->colour[i]]++;
    for (int32_t c = 1; c <= x->n_colours; c++)
        least = size[c] < size[least] ? c : least;
    x->first = x->n_waiting = 0;
    for (int64_t i = 0; i < n; i++) {
        x->weight[i] = 1;
        if (x->colour[i] == least) {
            x->colour[i] = WAITS;
            wait_again(x, (int32_t)i);
        } else if (x->colour[i] == x->n_colours) {
            x->colour[i] = least;
        }
    }
}

/* False when `patience` steps pass and no item settles. Chains may grow wider when no
 * item that waits has settled as well. */
static bool settle_all(ejection *x, int64_t patience)
{
    int64_t n = x->conflicts->items->n, since = 0, failed = 0;
    x->width = LEAST_WIDTH;
    for (int64_t steps = 0; x->n_waiting > 0;) {
        if (steps - since > patience || steps / MOST_PATIENCE > patience)
            return false;
        int32_t i = x->queue[x->first];
        x->first = (x->first + 1) % n;
        x->n_waiting--;
        if (settle_chain(x, i, &steps)) {
            since = steps;
            failed = 0;
            x->width = LEAST_WIDTH;
            continue;
        }
        wait_again(x, i);
        if (++failed % x->n_waiting == 0 && x->width < MOST_WIDTH)
            x->width *= 2;
    }
    return true;
}

/* Tries to empty one colour class after the other: its items are put elsewhere, which
 * may eject their neighbours in turn. An attempt that does not succeed within
 * `patience` steps ends the search and its changes are undone. kept: the last complete
 * colouring, one per item. */
mplan_status mplan_colour_eject(const mplan_conflicts *conflicts, int32_t bound, int64_t patience,
                                int32_t *colour, int32_t *n_colours, mplan_error *err)
{
    assert(conflicts && colour && n_colours);
    int64_t n = conflicts->items->n;
    ejection x = {.conflicts = conflicts, .colour = colour, .seed = 1};
    x.weight = mplan_alloc(n, sizeof *x.weight, err);
    x.queue = mplan_alloc(n, sizeof *x.queue, err);
    x.held = mplan_alloc(JOURNAL_ROOM + 1, sizeof *x.held, err);
    x.journal = mplan_alloc(JOURNAL_ROOM, sizeof *x.journal, err);
    int32_t *kept = mplan_alloc(n, sizeof *kept, err);
    bool complete = x.weight && x.queue && x.held && x.journal && kept, fewer = complete;
    while (fewer && *n_colours > bound && *n_colours > 1) {
        memcpy(kept, colour, (size_t)n * sizeof *kept);
        x.n_colours = *n_colours - 1;
        clear_smallest(&x);
        fewer = settle_all(&x, patience);
        if (fewer)
            *n_colours = x.n_colours;
        else
            memcpy(colour, kept, (size_t)n * sizeof *kept);
    }
    free(x.weight);
    free(x.queue);
    free(x.held);
    free(x.journal);
    free(kept);
    return complete ? MPLAN_OK : MPLAN_ERR_MEMORY;
}
