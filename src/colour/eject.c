/* eject.c - one class fewer, by ejection
 *
 * I. Bloechliger, N. Zufferey, "A graph coloring heuristic using partial solutions and
 * a reactive tabu scheme", Comput. Oper. Res. 35 (2008): the items of the smallest
 * class go without a colour; one after the other takes the class where it meets the
 * fewest others, which are ejected and wait in turn, and may not soon go back there.
 * In place of the best of all moves an item takes the best of its own, first in
 * first out: linear in its conflicts, and regions of a mesh do not wait for each
 * other. What gets no nearer to its end is undone. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "colour/conflict.h"
#include "mesh/mesh.h"

enum { WAITS = -2, NONE = -1, MOST_PATIENCE = 16 };

typedef struct ejection {
    const mplan_conflicts *conflicts;
    int32_t *colour;
    int32_t n_colours;  /* of the goal */
    int32_t *queue;     /* a ring of n */
    int64_t first, n_waiting;
    int32_t *barred;    /* per item: the class that it was ejected from last ... */
    int64_t *until;     /* ... and the step until which it stays away */
    uint64_t seed;
} ejection;

static void wait_for_turn(ejection *x, int32_t i)
{
    int64_t n = x->conflicts->items->n;
    x->colour[i] = WAITS;
    x->queue[(x->first + x->n_waiting++) % n] = i;
}

/* Fewest conflicts, ties at random; a barred class only when there is no other. */
static int32_t best_class(ejection *x, int32_t i, int64_t step)
{
    int32_t met[MPLAN_MOST_COLOURS] = {0}, best = NONE, ties = 0;
    int64_t n;
    const int32_t *other = mplan_conflicts_of(x->conflicts, i, &n);
    for (int64_t k = 0; k < n; k++)
        if (other[k] != i && x->colour[other[k]] >= 0)
            met[x->colour[other[k]]]++;
    for (int32_t c = 0; c < x->n_colours; c++) {
        if (c == x->barred[i] && step < x->until[i] && x->n_colours > 1)
            continue;
        if (best == NONE || met[c] < met[best]) {
            best = c;
            ties = 1;
        } else if (met[c] == met[best] && mplan_random_below(&x->seed, ++ties) == 0) {
            best = c;
        }
    }
    return best;
}

static void settle(ejection *x, int32_t i, int64_t step)
{
    int32_t own = best_class(x, i, step);
    int64_t n;
    const int32_t *other = mplan_conflicts_of(x->conflicts, i, &n);
    for (int64_t k = 0; k < n; k++) {
        int32_t j = other[k];
        if (j == i || x->colour[j] != own)
            continue;
        x->barred[j] = own;
        x->until[j] = step + 3 * x->n_waiting + mplan_random_below(&x->seed, 10);
        wait_for_turn(x, j);
    }
    x->colour[i] = own;
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
        x->barred[i] = NONE;
        if (x->colour[i] == least)
            wait_for_turn(x, (int32_t)i);
        else if (x->colour[i] == x->n_colours)
            x->colour[i] = least;
    }
}

/* False when `patience` steps pass without fewer items that wait than ever before. */
static bool settle_all(ejection *x, int64_t patience)
{
    int64_t n = x->conflicts->items->n, fewest = x->n_waiting, since = 0;
    for (int64_t step = 0; x->n_waiting > 0; step++) {
        if (x->n_waiting < fewest) {
            fewest = x->n_waiting;
            since = step;
        }
        if (step - since > patience || step / MOST_PATIENCE > patience)
            return false;
        int32_t i = x->queue[x->first];
        x->first = (x->first + 1) % n;
        x->n_waiting--;
        settle(x, i, step);
    }
    return true;
}

mplan_status mplan_colour_eject(const mplan_conflicts *conflicts, int32_t bound, int64_t patience,
                                int32_t *colour, int32_t *n_colours, mplan_error *err)
{
    int64_t n = conflicts->items->n;
    ejection x = {.conflicts = conflicts, .colour = colour, .seed = 1};
    x.queue = mplan_alloc(n, sizeof *x.queue, err);
    x.barred = mplan_alloc(n, sizeof *x.barred, err);
    x.until = mplan_alloc(n, sizeof *x.until, err);
    int32_t *kept = mplan_alloc(n, sizeof *kept, err);
    bool complete = x.queue && x.barred && x.until && kept, fewer = complete;
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
    free(x.queue);
    free(x.barred);
    free(x.until);
    free(kept);
    return complete ? MPLAN_OK : MPLAN_ERR_MEMORY;
}
