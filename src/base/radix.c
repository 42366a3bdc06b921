/* SPDX-License-Identifier: Apache-2.0 */
/* radix.c - stable sort of 64-bit keys, least significant digit first
 *
 * Digits that are equal in all keys cost no pass. Long lists are moved by their upper
 * bits only, three digits for millions of keys; then neighbours that agree in those
 * are put in order. */
#include "base/radix.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    DIGIT_BITS = 11,
    DIGIT_VALUES = 1 << DIGIT_BITS,
    SMALL_BITS = 8,
    SHORT_RUN = 32,
    PIECE = 1 << 14
};

/* Counts of one digit made into first places; false when all keys share it. */
static bool count_digit(int64_t n, const uint64_t *keys, int32_t shift, int32_t values, int64_t *place)
{
    memset(place, 0, (size_t)values * sizeof *place);
    uint64_t mask = (uint64_t)values - 1;
    for (int64_t i = 0; i < n; i++)
        place[(keys[i] >> shift) & mask]++;
    if (place[(keys[0] >> shift) & mask] == n)
        return false;
    int64_t sum = 0;
    for (int32_t d = 0; d < values; d++) {
        int64_t count = place[d];
        place[d] = sum;
        sum += count;
    }
    return true;
}

/* --- keys with items --------------------------------------------------------------------- */

/* Arrays that change their parts from pass to pass. */
typedef struct item_sort {
    uint64_t *from, *to;
    int32_t *from_items, *to_items;
    int64_t n, n_pieces;
    int32_t shift;  /* of the digit at hand; of runs: their keys are equal from this bit on */
    int64_t *place; /* [piece * DIGIT_VALUES + digit]: keys, later the next one's place; where runs
                       of each piece begin, and n */
} item_sort;

/* Pieces [begin, end): keys by digit. */
static void count_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const item_sort *s = data;
    (void)thread;
    for (int64_t p = begin; p < end; p++) {
        int64_t *count = s->place + p * DIGIT_VALUES;
        const int64_t last = mplan_piece_begin(s->n, s->n_pieces, p + 1);
        memset(count, 0, DIGIT_VALUES * sizeof *count);
        for (int64_t i = mplan_piece_begin(s->n, s->n_pieces, p); i < last; i++)
            count[s->from[i] >> s->shift & (DIGIT_VALUES - 1)]++;
    }
}

/* From counts to places: digit by digit, within it piece by piece. False where all keys share one. Both passes read the
 * counts as they lie: those of one digit are far apart. */
static bool place_pieces(const item_sort *s)
{
    int64_t next[DIGIT_VALUES] = {0}, sum = 0;
    for (int64_t p = 0; p < s->n_pieces; p++)
        for (int32_t d = 0; d < DIGIT_VALUES; d++)
            next[d] += s->place[p * DIGIT_VALUES + d];
    if (next[s->from[0] >> s->shift & (DIGIT_VALUES - 1)] == s->n)
        return false;
    for (int32_t d = 0; d < DIGIT_VALUES; d++) {
        int64_t count = next[d];
        next[d] = sum;
        sum += count;
    }
    for (int64_t p = 0; p < s->n_pieces; p++)
        for (int32_t d = 0; d < DIGIT_VALUES; d++) {
            int64_t *place = &s->place[p * DIGIT_VALUES + d], count = *place;
            *place = next[d];
            next[d] += count;
        }
    return true;
}

/* Pieces [begin, end) to their places. */
static void move_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const item_sort *s = data;
    (void)thread;
    for (int64_t p = begin; p < end; p++) {
        int64_t *place = s->place + p * DIGIT_VALUES;
        const int64_t last = mplan_piece_begin(s->n, s->n_pieces, p + 1);
        for (int64_t i = mplan_piece_begin(s->n, s->n_pieces, p); i < last; i++) {
            int64_t to = place[s->from[i] >> s->shift & (DIGIT_VALUES - 1)]++;
            s->to[to] = s->from[i];
            s->to_items[to] = s->from_items[i];
        }
    }
}

/* What was written is read next. */
static void swap_arrays(item_sort *s)
{
    uint64_t *keys = s->from;
    int32_t *items = s->from_items;
    s->from = s->to;
    s->from_items = s->to_items;
    s->to = keys;
    s->to_items = items;
}

/* n keys that follow one another, by the bits below s->shift, in place. */
static void sort_short_run(const item_sort *s, int64_t first, int64_t n)
{
    uint64_t *keys = s->from + first;
    int32_t *items = s->from_items + first;
    for (int64_t i = 1; i < n; i++) {
        uint64_t key = keys[i];
        int32_t item = items[i];
        int64_t k = i;
        for (; k > 0 && keys[k - 1] > key; k--) {
            keys[k] = keys[k - 1];
            items[k] = items[k - 1];
        }
        keys[k] = key;
        items[k] = item;
    }
}

/* The same by small digits, through the arrays that are not read. */
static void sort_long_run(const item_sort *s, int64_t first, int64_t n)
{
    int64_t place[1 << SMALL_BITS];
    uint64_t *from = s->from + first, *to = s->to + first;
    int32_t *from_items = s->from_items + first, *to_items = s->to_items + first;
    for (int32_t shift = 0; shift < s->shift; shift += SMALL_BITS) {
        if (!count_digit(n, from, shift, 1 << SMALL_BITS, place))
            continue;
        for (int64_t i = 0; i < n; i++) {
            int64_t at = place[from[i] >> shift & ((1 << SMALL_BITS) - 1)]++;
            to[at] = from[i];
            to_items[at] = from_items[i];
        }
        uint64_t *keys = from;
        int32_t *items = from_items;
        from = to;
        from_items = to_items;
        to = keys;
        to_items = items;
    }
    if (from != s->from + first) {
        memcpy(to, from, (size_t)n * sizeof *to);
        memcpy(to_items, from_items, (size_t)n * sizeof *to_items);
    }
}

/* s->place: the pieces again, each cut where a run begins. */
static void cut_at_runs(const item_sort *s)
{
    const uint64_t *keys = s->from;
    int64_t at = 0;
    for (int64_t p = 0; p < s->n_pieces; p++) {
        const int64_t begin = mplan_piece_begin(s->n, s->n_pieces, p);
        at = at > begin ? at : begin;
        while (at > 0 && at < s->n && keys[at] >> s->shift == keys[at - 1] >> s->shift)
            at++;
        s->place[p] = at;
    }
    s->place[s->n_pieces] = s->n;
}

/* Sorts the runs of equal upper bits in pieces [begin, end). */
static void sort_runs(void *data, int thread, int64_t begin, int64_t end)
{
    const item_sort *s = data;
    const uint64_t *keys = s->from;
    (void)thread;
    for (int64_t i = s->place[begin], last; i < s->place[end]; i = last) {
        last = i + 1;
        while (last < s->place[end] && keys[last] >> s->shift == keys[i] >> s->shift)
            last++;
        if (last - i > SHORT_RUN)
            sort_long_run(s, i, last - i);
        else if (last > i + 1)
            sort_short_run(s, i, last - i);
    }
}

/* Bits in which keys differ from the first. */
static int64_t count_equal(void *data, int thread, int64_t begin, int64_t end)
{
    const item_sort *s = data;
    uint64_t bits = 0;
    int64_t equal = 64;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        bits |= s->from[i] ^ s->from[0];
    for (; bits; bits >>= 1)
        equal--;
    return equal;
}

/* Digits from bit `low` to the topmost in which keys differ, least significant first; then runs
 * that agree in all these bits, which are short where n keys lie anywhere. */
static void sort_by_digits(mplan_team *team, item_sort *s)
{
    const int32_t bits = 64 - (int32_t)mplan_for_least(team, s->n, PIECE, count_equal, s, 64);
    int32_t wanted = 4, passes;
    while (wanted < 62 && s->n >> (wanted - 3) > 0)
        wanted++;
    passes = (wanted + DIGIT_BITS - 1) / DIGIT_BITS;
    int32_t low = bits > (passes + 1) * DIGIT_BITS ? bits - passes * DIGIT_BITS : 0;
    for (s->shift = low; s->shift < bits; s->shift += DIGIT_BITS) {
        mplan_for(team, s->n_pieces, 1, count_pieces, s);
        if (!place_pieces(s))
            continue;
        mplan_for(team, s->n_pieces, 1, move_pieces, s);
        swap_arrays(s);
    }
    s->shift = low;
    if (low == 0)
        return;
    cut_at_runs(s);
    mplan_for(team, s->n_pieces, 1, sort_runs, s);
}

/* Few keys are one run, which is sorted in place. Where memory for the counts of several pieces is refused, one
 * thread counts. */
void mplan_radix_sort_items(mplan_team *team, int64_t n, uint64_t *keys, int32_t *items,
                            uint64_t *spare_keys, int32_t *spare_items)
{
    assert(keys && items && spare_keys && spare_items && n >= 0);
    int64_t place[DIGIT_VALUES];
    item_sort s = {keys, spare_keys, items, spare_items, n, mplan_pieces(team, n, PIECE), 0, place};
    if (n < DIGIT_VALUES) {
        s.shift = 64;
        if (n > SHORT_RUN)
            sort_long_run(&s, 0, n);
        else
            sort_short_run(&s, 0, n);
        return;
    }
    int64_t *room = s.n_pieces > 1 ? mplan_alloc(s.n_pieces, sizeof place, NULL) : NULL;
    if (room)
        s.place = room;
    else
        s.n_pieces = 1;
    sort_by_digits(team, &s);
    free(room);
    if (s.from != keys) {
        memcpy(keys, s.from, (size_t)n * sizeof *keys);
        memcpy(items, s.from_items, (size_t)n * sizeof *items);
    }
}

/* --- keys only ---------------------------------------------------------------------------- */

/* Sorts by bits 32 ... 32 + bits - 1 only; the lower half moves with it. Stable. */
void mplan_radix_sort_upper(int64_t n, int32_t bits, uint64_t *keys, uint64_t *spare)
{
    assert(keys && spare && n >= 0);
    int64_t place[DIGIT_VALUES];
    /* short lists would spend their time on clearing counters */
    int32_t digit_bits = n < DIGIT_VALUES ? SMALL_BITS : DIGIT_BITS;
    int32_t values = 1 << digit_bits;
    uint64_t *from = keys, *to = spare;
    if (n < 2)
        return;
    for (int32_t shift = 32; shift < 32 + bits; shift += digit_bits) {
        if (!count_digit(n, from, shift, values, place))
            continue;
        for (int64_t i = 0; i < n; i++)
            to[place[(from[i] >> shift) & ((uint64_t)values - 1)]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, (size_t)n * sizeof *keys);
}
