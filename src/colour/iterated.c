/* SPDX-License-Identifier: Apache-2.0 */
/* iterated.c - fewer colours by colouring again, class by class
 *
 * J. C. Culberson, "Iterated greedy graph coloring and the difficulty landscape"
 * (University of Alberta, TR 92-07, 1992): a greedy colouring that takes the
 * items class after class never needs more colours than there were classes, and
 * now and then fewer. Classes go in reverse order, by descending size, or in
 * random order (fixed seed).
 *
 * What it brings (tools/bench/ablation, 150,000 shuffled cells): no colour in eight loops (triangles, tets, hexes,
 * boundary layers, by faces and by nodes): ejection reaches them by itself. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "colour/conflict.h"
#include "mesh/mesh.h"

enum { UNCOLOURED = -1, ITEMS = 256 };

/* Items by colour: class c is members[begin[c]] ... members[begin[c + 1] - 1]. */
typedef struct classes {
    int64_t begin[MPLAN_MOST_COLOURS + 1];
    int32_t *members;                  /* n, ascending within a class */
    int32_t order[MPLAN_MOST_COLOURS]; /* of the classes */
} classes;

/* Members of each class, ascending: members[begin[c]] ... members[begin[c + 1] - 1].
 * Items with colour -1 are in none. */
static void group(int64_t n, const int32_t *colour, int32_t n_colours, classes *out)
{
    memset(out->begin, 0, sizeof out->begin);
    for (int64_t i = 0; i < n; i++)
        if (colour[i] >= 0)
            out->begin[colour[i]]++;
    int64_t sum = 0;
    for (int32_t c = 0; c <= n_colours; c++) {
        int64_t count = c < n_colours ? out->begin[c] : 0;
        out->begin[c] = sum += count; /* the end; the fill runs backwards */
    }
    for (int64_t i = n - 1; i >= 0; i--)
        if (colour[i] >= 0)
            out->members[--out->begin[colour[i]]] = (int32_t)i;
}

/* Items of class k. */
static int64_t size_of(const classes *c, int32_t k)
{
    return c->begin[k + 1] - c->begin[k];
}

/* The order in which the classes are coloured again: reversed, by falling size, or at
 * random, changing from pass to pass. Items of one class do not conflict, so that no
 * order needs more colours than there were (Culberson 1992). */
static void arrange(classes *c, int32_t n_colours, int32_t pass, uint64_t *seed)
{
    for (int32_t k = 0; k < n_colours; k++)
        c->order[k] = n_colours - 1 - k;
    if (pass % 3 == 0)
        return;
    for (int32_t k = 1; k < n_colours; k++) {
        int32_t own = c->order[k], at = k;
        if (pass % 3 == 1)
            for (; at > 0 && size_of(c, c->order[at - 1]) < size_of(c, own); at--)
                c->order[at] = c->order[at - 1];
        else {
            at = (int32_t)mplan_random_below(seed, k + 1);
            c->order[k] = c->order[at];
        }
        c->order[at] = own;
    }
}

typedef struct class_work {
    const mplan_conflicts *conflicts;
    const int32_t *members; /* of the class at hand */
    int32_t *colour;
} class_work;

/* Members [begin, end) of a class get their lowest free colours: one more than the highest. No two of them conflict, so that
 * none looks at what another gets. Without a graph, whose scratch is of one thread, an item meets itself, which has none. */
static int64_t colour_members(void *data, int thread, int64_t begin, int64_t end)
{
    const class_work *work = data;
    int32_t *colour = work->colour, most = 0;
    (void)thread;
    for (int64_t m = begin; m < end; m++) {
        int64_t n;
        uint64_t seen = 0;
        int32_t i = work->members[m];
        const int32_t *other = mplan_conflicts_of(work->conflicts, i, &n);
        for (int64_t t = 0; t < n; t++)
            seen |= colour[other[t]] < 0 ? 0 : UINT64_C(1) << colour[other[t]];
        colour[i] = __builtin_ctzll(~seen);
        most = colour[i] >= most ? colour[i] + 1 : most;
    }
    return -most;
}

/* Lowest free colour for every item, class after class; returns the number. */
static int32_t colour_again(const mplan_conflicts *conflicts, const classes *c, int32_t n_colours,
                            int32_t *colour, mplan_team *team)
{
    int64_t least = 0;
    for (int64_t m = 0; m < c->begin[n_colours]; m++)
        colour[c->members[m]] = UNCOLOURED;
    for (int32_t k = 0; k < n_colours; k++) {
        int32_t own = c->order[k];
        class_work work = {conflicts, c->members + c->begin[own], colour};
        int64_t most = mplan_for_least(conflicts->graph ? team : NULL, size_of(c, own), ITEMS,
                                       colour_members, &work, 0);
        least = most < least ? most : least;
    }
    return (int32_t)-least;
}

/* Stops at `bound` colours or after `passes` passes. colour: one per item, in and out,
 * always a colouring. */
mplan_status mplan_colour_iterate(const mplan_conflicts *conflicts, int32_t bound, int32_t passes,
                                  int32_t *colour, int32_t *n_colours, mplan_team *team,
                                  mplan_error *err)
{
    assert(conflicts && colour && n_colours);
    classes c;
    uint64_t seed = 1;
    int64_t n = conflicts->items->n;
    c.members = mplan_alloc(n, sizeof *c.members, err);
    if (!c.members)
        return MPLAN_ERR_MEMORY;
    for (int32_t pass = 0; pass<passes && * n_colours> bound; pass++) {
        group(n, colour, *n_colours, &c);
        arrange(&c, *n_colours, pass, &seed);
        *n_colours = colour_again(conflicts, &c, *n_colours, colour, team);
    }
    free(c.members);
    return MPLAN_OK;
}
