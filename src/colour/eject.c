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
#include "base/threads.h"
#include "colour/conflict.h"
#include "mesh/mesh.h"

enum {
    WAITS = -2,
    MOST_PATIENCE = 16,
    MOST_WEIGHT = 1 << 20,
    LEAST_WIDTH = 8,
    MOST_WIDTH = 64,
    CHAIN_STEPS = 400,
    JOURNAL_ROOM = 4096,
    SAMPLES = 8, /* of so many items each */
    SAMPLE = 1024,
    SPREAD = 4 /* items for each of a sample from which on there are samples */
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

/* --- samples --------------------------------------------------------------------- */

/* Items round one of them as a graph of their own, with what its search needs. */
typedef struct sample {
    int64_t n;
    int32_t *items; /* n, nearest first */
    mplan_csr graph;
    int32_t *colour;
    ejection search;
} sample;

/* What samples share that are tried side by side. */
typedef struct sampling {
    int32_t n_colours; /* of the goal */
    int64_t share;     /* steps an item */
    sample samples[SAMPLES];
    int32_t failed;
} sampling;

static void search_close(ejection *x)
{
    free(x->weight);
    free(x->queue);
    free(x->held);
    free(x->journal);
}

/* Scratch for n items; what was made is released by search_close, also after a failure. */
static mplan_status search_open(ejection *x, int64_t n, mplan_error *err)
{
    x->seed = 1;
    x->weight = mplan_alloc(n, sizeof *x->weight, err);
    x->queue = mplan_alloc(n, sizeof *x->queue, err);
    x->held = mplan_alloc(JOURNAL_ROOM + 1, sizeof *x->held, err);
    x->journal = mplan_alloc(JOURNAL_ROOM, sizeof *x->journal, err);
    return x->weight && x->queue && x->held && x->journal ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

static void sample_close(sample *s)
{
    mplan_csr_free(&s->graph);
    free(s->items);
    free(s->colour);
    search_close(&s->search);
}

/* Up to SAMPLE items round `first`, level by level, and the number of each. number: per item of all, -1 before. Returns how many
 * conflicts they have, also with others. */
static int64_t find_ball(sample *s, const mplan_csr *all, int32_t first, int32_t *number)
{
    int64_t conflicts = 0;
    s->n = 0;
    number[first] = (int32_t)s->n;
    s->items[s->n++] = first;
    for (int64_t at = 0; at < s->n; at++) {
        const int64_t *offset = all->offsets + s->items[at];
        conflicts += offset[1] - offset[0];
        for (int64_t k = offset[0]; k < offset[1] && s->n < SAMPLE; k++) {
            int32_t other = all->neighbours[k];
            if (number[other] >= 0)
                continue;
            number[other] = (int32_t)s->n;
            s->items[s->n++] = other;
        }
    }
    return conflicts;
}

/* The conflicts of the items with each other, and their colours; number is as before find_ball afterwards. */
static void copy_ball(sample *s, const mplan_csr *all, const int32_t *colour, int32_t *number)
{
    int64_t count = 0;
    s->graph.n = s->n;
    s->graph.offsets[0] = 0;
    for (int64_t i = 0; i < s->n; i++) {
        s->colour[i] = colour[s->items[i]];
        for (int64_t k = all->offsets[s->items[i]]; k < all->offsets[s->items[i] + 1]; k++)
            if (number[all->neighbours[k]] >= 0)
                s->graph.neighbours[count++] = number[all->neighbours[k]];
        s->graph.offsets[i + 1] = count;
    }
    for (int64_t i = 0; i < s->n; i++)
        number[s->items[i]] = -1;
}

static mplan_status sample_open(sample *s, const mplan_csr *all, const int32_t *colour,
                                int32_t first, int32_t *number, mplan_error *err)
{
    s->items = mplan_alloc(SAMPLE, sizeof *s->items, err);
    if (!s->items)
        return MPLAN_ERR_MEMORY;
    const int64_t conflicts = find_ball(s, all, first, number);
    s->graph.offsets = mplan_alloc(s->n + 1, sizeof *s->graph.offsets, err);
    s->graph.neighbours = mplan_alloc(conflicts, sizeof *s->graph.neighbours, err);
    s->colour = mplan_alloc(s->n, sizeof *s->colour, err);
    if (!s->graph.offsets || !s->graph.neighbours || !s->colour)
        return MPLAN_ERR_MEMORY;
    copy_ball(s, all, colour, number);
    return search_open(&s->search, s->n, err);
}

/* Samples [begin, end): whether each can do with so few colours. Once one cannot, the others need not be tried. */
static void try_samples(void *data, int thread, int64_t begin, int64_t end)
{
    sampling *all = data;
    (void)thread;
    for (int64_t k = begin; k < end && !mplan_peek(&all->failed); k++) {
        sample *s = &all->samples[k];
        mplan_items items = {.n = s->n};
        mplan_conflicts conflicts = {.items = &items, .graph = &s->graph};
        s->search.conflicts = &conflicts;
        s->search.colour = s->colour;
        s->search.n_colours = all->n_colours;
        clear_smallest(&s->search);
        if (!settle_all(&s->search, s->n * all->share))
            mplan_poke(&all->failed, 1);
    }
}

/* Whether the items round SAMPLES of them can do with n_colours when nothing else is there: where some cannot, a search among
 * all would need as many steps an item to find that out. *may is true, too, where items are few, or have no graph. */
static mplan_status may_do_with(const mplan_conflicts *conflicts, const int32_t *colour,
                                int32_t n_colours, int64_t patience, bool *may, mplan_team *team,
                                mplan_error *err)
{
    const int64_t n = conflicts->items->n;
    *may = true;
    if (!conflicts->graph || n < SPREAD * SAMPLE)
        return MPLAN_OK;
    sampling all = {.n_colours = n_colours, .share = patience / n};
    int32_t *number = mplan_alloc(n, sizeof *number, err);
    mplan_status status = number ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++)
        number[i] = -1;
    for (int64_t k = 0; k < SAMPLES && !status; k++)
        status = sample_open(&all.samples[k], conflicts->graph, colour,
                             (int32_t)((2 * k + 1) * n / (2 * SAMPLES)), number, err);
    mplan_for(team, status ? 0 : SAMPLES, 1, try_samples, &all);
    *may = !all.failed;
    for (int64_t k = 0; k < SAMPLES; k++)
        sample_close(&all.samples[k]);
    free(number);
    return status;
}

/* --- all ------------------------------------------------------------------------- */

/* Tries to empty one colour class after the other: its items are put elsewhere, which
 * may eject their neighbours in turn. An attempt that does not succeed within
 * `patience` steps ends the search and its changes are undone; what samples cannot do with is not
 * attempted. kept: the last complete colouring, one per item. */
mplan_status mplan_colour_eject(const mplan_conflicts *conflicts, int32_t bound, int64_t patience,
                                int32_t *colour, int32_t *n_colours, mplan_team *team,
                                mplan_error *err)
{
    assert(conflicts && colour && n_colours);
    int64_t n = conflicts->items->n;
    ejection x = {.conflicts = conflicts, .colour = colour};
    mplan_status status = search_open(&x, n, err);
    int32_t *kept = mplan_alloc(n, sizeof *kept, err);
    bool fewer = true;
    if (!kept)
        status = MPLAN_ERR_MEMORY;
    while (fewer && !status && *n_colours > bound && *n_colours > 1) {
        x.n_colours = *n_colours - 1;
        status = may_do_with(conflicts, colour, x.n_colours, patience, &fewer, team, err);
        if (status || !fewer)
            break;
        memcpy(kept, colour, (size_t)n * sizeof *kept);
        clear_smallest(&x);
        fewer = settle_all(&x, patience);
        if (fewer)
            *n_colours = x.n_colours;
        else
            memcpy(colour, kept, (size_t)n * sizeof *kept);
    }
    search_close(&x);
    free(kept);
    return status;
}
