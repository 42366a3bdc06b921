/* SPDX-License-Identifier: Apache-2.0 */
/* lexicographic.c - sorting lists by counting first numbers, then second ones
 *
 * Items are dealt out to ranges of first numbers, then each range, which fits a cache,
 * to buckets of one first number: two counting sorts that keep the order of the
 * sequence. In its bucket an item is a head: second number (+ 1; 0: none) in the upper
 * half, place in the sequence in the lower. Sorted heads are sorted lists, but for runs
 * that agree in both numbers and go on; those are short in meshes and sorted by
 * comparing. Threads deal out pieces of the sequence, each behind those before, then
 * take ranges.
 *
 * On one core, 1.5 M faces of shuffled triangles by their renumbered cells and these by
 * their lists of faces' blocks: 0.08 s, 0.22 s by buckets of one number at once and
 * without fetching ahead, where every item misses the cache. */
#include "order/lexicographic.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/fetch.h"
#include "base/memory.h"
#include "base/radix.h"
#include "base/threads.h"

enum { SHORT_LIST = 32, PIECE = 1 << 13, IN_RANGE = 1 << 14, MOST_RANGES = 512 };

/* What a thread works with. */
typedef struct list_room {
    int32_t *list;        /* max_length */
    uint32_t *ends;       /* of the buckets of one range */
    mplan_vector spare;   /* uint64_t, as long as the longest bucket */
    mplan_vector numbers; /* int32_t: lists of a run, one behind the other */
    mplan_vector offsets; /* int64_t */
    mplan_vector order;   /* int32_t: twice the members of a run */
    mplan_status status;  /* of what it did; why: of a failure */
    mplan_error why;
} list_room;

typedef struct list_sorter {
    const mplan_lists *lists;
    const int32_t *sequence;
    int32_t value_bits; /* of numbers + 1 */
    int32_t shift;      /* range of a first number (+ 1; 0: none) v: v >> shift */
    int64_t n_ranges, n_pieces;
    int64_t *place; /* [piece * n_ranges + range]: items, later the next one's place */
    int64_t *end;   /* per range: behind its last item */
    uint64_t *keys; /* per place in the sequence: first and second number + 1; later heads, sorted */
    uint64_t *dealt; /* keys, range by range */
    int32_t *item;   /* and their places in the sequence; the memory of new_of_old */
    int32_t *new_of_old;
    list_room *rooms; /* per thread */
} list_sorter;

/* The item of a head: that at its place in the sequence. */
static int64_t item_of(const list_sorter *s, uint64_t head)
{
    int64_t place = (int64_t)(head & UINT32_MAX);
    return s->sequence ? s->sequence[place] : place;
}

/* Pieces [begin, end) of the sequence: keys of their items, counted by range. */
static void count_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const list_sorter *s = data;
    const mplan_lists *lists = s->lists;
    int32_t *list = s->rooms[thread].list;
    for (int64_t p = begin; p < end; p++) {
        int64_t *count = s->place + p * s->n_ranges;
        const int64_t last = mplan_piece_begin(lists->n, s->n_pieces, p + 1);
        memset(count, 0, (size_t)s->n_ranges * sizeof *count);
        for (int64_t i = mplan_piece_begin(lists->n, s->n_pieces, p); i < last; i++) {
            if (lists->fetch && i + MPLAN_FETCH_DISTANCE < last)
                lists->fetch(lists->data, s->sequence ? s->sequence[i + MPLAN_FETCH_DISTANCE]
                                                      : i + MPLAN_FETCH_DISTANCE);
            int64_t length = lists->get(lists->data, s->sequence ? s->sequence[i] : i, list);
            uint64_t first = length > 0 ? (uint64_t)list[0] + 1 : 0;
            s->keys[i] = first << 32 | (length > 1 ? (uint64_t)list[1] + 1 : 0);
            count[first >> s->shift]++;
        }
    }
}

/* From counts to places: range by range, within it piece by piece. */
static void place_pieces(const list_sorter *s)
{
    int64_t sum = 0;
    for (int64_t r = 0; r < s->n_ranges; r++) {
        for (int64_t p = 0; p < s->n_pieces; p++) {
            int64_t *place = &s->place[p * s->n_ranges + r], count = *place;
            *place = sum;
            sum += count;
        }
        s->end[r] = sum;
    }
}

/* Pieces [begin, end): their keys and places to their ranges. */
static void deal_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const list_sorter *s = data;
    (void)thread;
    for (int64_t p = begin; p < end; p++) {
        int64_t *place = s->place + p * s->n_ranges;
        const int64_t last = mplan_piece_begin(s->lists->n, s->n_pieces, p + 1);
        for (int64_t i = mplan_piece_begin(s->lists->n, s->n_pieces, p); i < last; i++) {
            int64_t to = place[s->keys[i] >> 32 >> s->shift]++;
            s->dealt[to] = s->keys[i];
            s->item[to] = (int32_t)i;
        }
    }
}

/* A head is a key of 64 bits: the second number of an item's list in the upper half,
 * the item's position in the sequence in the lower half. Insertion sort while there are
 * few, else by radix on the upper half only; both are stable. */
static mplan_status sort_heads(const list_sorter *s, list_room *room, uint64_t *heads, int64_t n)
{
    if (n > SHORT_LIST) {
        uint64_t *spare = mplan_vector_reserve(&room->spare, n, &room->why);
        if (!spare)
            return MPLAN_ERR_MEMORY;
        mplan_radix_sort_upper(n, s->value_bits, heads, spare);
        return MPLAN_OK;
    }
    for (int64_t i = 1; i < n; i++) {
        uint64_t head = heads[i];
        int64_t k = i;
        for (; k > 0 && heads[k - 1] > head; k--)
            heads[k] = heads[k - 1];
        heads[k] = head;
    }
    return MPLAN_OK;
}

/* --- runs that agree in two numbers ---------------------------------------- */

/* Compares two lists from their third number on; the two before are equal.
 * numbers[offsets[a]] ... holds list a. A list that is the beginning of the other one
 * goes before it. -1, 0 or 1. */
static int compare_lists(const int32_t *numbers, const int64_t *offsets, int32_t a, int32_t b)
{
    int64_t i = offsets[a] + 2, k = offsets[b] + 2;
    for (; i < offsets[a + 1] && k < offsets[b + 1]; i++, k++)
        if (numbers[i] != numbers[k])
            return numbers[i] < numbers[k] ? -1 : 1;
    return (i < offsets[a + 1]) - (k < offsets[b + 1]);
}

/* Bottom-up merge sort, stable; order and spare hold n members each. Returns
 * the one of them that holds the result. */
static int32_t *merge_sort(const int32_t *numbers, const int64_t *offsets, int64_t n,
                           int32_t *order, int32_t *spare)
{
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t begin = 0; begin < n; begin += 2 * width) {
            int64_t middle = begin + width < n ? begin + width : n;
            int64_t end = begin + 2 * width < n ? begin + 2 * width : n;
            int64_t a = begin, b = middle;
            for (int64_t out = begin; out < end; out++) {
                bool left = b == end ||
                            (a < middle && compare_lists(numbers, offsets, order[a], order[b]) <= 0);
                spare[out] = left ? order[a++] : order[b++];
            }
        }
        int32_t *swap = order;
        order = spare;
        spare = swap;
    }
    return order;
}

/* Copies the lists of a run; *sorted says whether they ascend as they are. */
static mplan_status collect_run(const list_sorter *s, list_room *room, const uint64_t *heads,
                                int64_t n, bool *sorted)
{
    room->numbers.count = room->offsets.count = 0;
    int64_t *offsets = mplan_vector_reserve(&room->offsets, n + 1, &room->why);
    if (!offsets)
        return MPLAN_ERR_MEMORY;
    *sorted = true;
    offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        int32_t *list = mplan_vector_reserve(&room->numbers, s->lists->max_length, &room->why);
        if (!list)
            return MPLAN_ERR_MEMORY;
        room->numbers.count += s->lists->get(s->lists->data, item_of(s, heads[i]), list);
        offsets[i + 1] = room->numbers.count;
        if (i > 0 && *sorted)
            *sorted = compare_lists(room->numbers.data, offsets, (int32_t)i - 1, (int32_t)i) <= 0;
    }
    return MPLAN_OK;
}

/* Sorts n heads whose first two numbers are equal by the rest of their lists. Their
 * lists are fetched once; where they are sorted already, as they are on most meshes,
 * nothing moves. */
static mplan_status sort_run(const list_sorter *s, list_room *room, uint64_t *heads, int64_t n)
{
    bool sorted;
    mplan_status status = collect_run(s, room, heads, n, &sorted);
    if (status || sorted)
        return status;
    int32_t *order = mplan_vector_reserve(&room->order, 2 * n, &room->why);
    uint64_t *spare = mplan_vector_reserve(&room->spare, n, &room->why);
    if (!order || !spare)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        order[i] = (int32_t)i;
    order = merge_sort(room->numbers.data, room->offsets.data, n, order, order + n);
    for (int64_t i = 0; i < n; i++)
        spare[i] = heads[order[i]];
    memcpy(heads, spare, (size_t)n * sizeof *heads);
    return MPLAN_OK;
}

/* Heads of one bucket share the first number of their lists. They are sorted by the
 * second, then every run of equal second numbers by the rest. Upper half 0: the list
 * has only one number, and equal lists keep their order. */
static mplan_status sort_bucket(const list_sorter *s, list_room *room, uint64_t *heads, int64_t n)
{
    mplan_status status = sort_heads(s, room, heads, n);
    if (s->lists->max_length <= 2)
        return status;
    for (int64_t begin = 0, end; begin < n && !status; begin = end) {
        end = begin + 1;
        while (end < n && heads[end] >> 32 == heads[begin] >> 32)
            end++;
        if (end > begin + 1 && heads[begin] >> 32)
            status = sort_run(s, room, heads + begin, end - begin);
    }
    return status;
}

/* The items of range r become heads, bucket by bucket, and each bucket is sorted. That of items
 * without numbers keeps its order. */
static mplan_status sort_range(const list_sorter *s, list_room *room, int64_t r)
{
    const int64_t first = r > 0 ? s->end[r - 1] : 0, n = s->end[r] - first;
    const int64_t width = INT64_C(1) << s->shift;
    const uint64_t mask = (uint64_t)width - 1, *dealt = s->dealt + first;
    uint64_t *heads = s->keys + first;
    uint32_t *ends = room->ends, sum = 0, begin = 0;
    mplan_status status = MPLAN_OK;
    if (n == 0)
        return MPLAN_OK;
    memset(ends, 0, (size_t)width * sizeof *ends);
    for (int64_t i = 0; i < n; i++)
        ends[dealt[i] >> 32 & mask]++;
    for (int64_t b = 0; b < width; b++) {
        uint32_t count = ends[b];
        ends[b] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++)
        heads[ends[dealt[i] >> 32 & mask]++] = dealt[i] << 32 | (uint32_t)s->item[first + i];
    for (int64_t b = 0; b < width && !status; b++) {
        if (ends[b] > begin + 1 && (r > 0 || b > 0))
            status = sort_bucket(s, room, heads + begin, ends[b] - begin);
        begin = ends[b];
    }
    return status;
}

/* Ranges [begin, end), unless the thread has failed. */
static void sort_ranges(void *data, int thread, int64_t begin, int64_t end)
{
    const list_sorter *s = data;
    list_room *room = &s->rooms[thread];
    for (int64_t r = begin; r < end && !room->status; r++)
        room->status = sort_range(s, room, r);
}

/* Places [begin, end) of the result. */
static void write_places(void *data, int thread, int64_t begin, int64_t end)
{
    const list_sorter *s = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        s->new_of_old[item_of(s, s->keys[i])] = (int32_t)i;
}

/* As few ranges as leave IN_RANGE items, or numbers, to each, but no more than MOST_RANGES. */
static mplan_status open_sorter(list_sorter *s, mplan_team *team, mplan_error *err)
{
    const mplan_lists *lists = s->lists;
    const int64_t n = lists->n, larger = n > lists->n_values ? n : lists->n_values;
    const int threads = mplan_team_threads(team);
    int64_t most = larger / IN_RANGE < MOST_RANGES ? larger / IN_RANGE : MOST_RANGES;
    while (lists->n_values >> s->value_bits)
        s->value_bits++;
    while (lists->n_values >> s->shift >= (most > 1 ? most : 1))
        s->shift++;
    s->n_ranges = (lists->n_values >> s->shift) + 1;
    s->n_pieces = mplan_pieces(team, n, PIECE);
    s->place = mplan_alloc(s->n_pieces * s->n_ranges, sizeof *s->place, err);
    s->end = mplan_alloc(s->n_ranges, sizeof *s->end, err);
    s->keys = mplan_alloc(n, sizeof *s->keys, err);
    s->dealt = mplan_alloc(n, sizeof *s->dealt, err);
    s->rooms = mplan_alloc_zero(threads, sizeof *s->rooms, err);
    if (!s->place || !s->end || !s->keys || !s->dealt || !s->rooms)
        return MPLAN_ERR_MEMORY;
    for (int t = 0; t < threads; t++) {
        list_room *room = &s->rooms[t];
        room->spare = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(uint64_t));
        room->numbers = room->order = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(int32_t));
        room->offsets = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(int64_t));
        room->list = mplan_alloc(lists->max_length, sizeof *room->list, err);
        room->ends = mplan_alloc(INT64_C(1) << s->shift, sizeof *room->ends, err);
        if (!room->list || !room->ends)
            return MPLAN_ERR_MEMORY;
    }
    return MPLAN_OK;
}

static void close_sorter(list_sorter *s, int threads)
{
    for (int t = 0; t < threads && s->rooms; t++) {
        free(s->rooms[t].list);
        free(s->rooms[t].ends);
        free(s->rooms[t].spare.data);
        free(s->rooms[t].numbers.data);
        free(s->rooms[t].offsets.data);
        free(s->rooms[t].order.data);
    }
    free(s->place);
    free(s->end);
    free(s->keys);
    free(s->dealt);
    free(s->rooms);
}

/* Time is linear in the numbers that must be read to tell the lists apart; scratch 16 bytes an
 * item. Until all ranges are sorted, new_of_old holds places in the sequence. */
mplan_status mplan_order_lists(const mplan_lists *lists, const int32_t *sequence,
                               int32_t *new_of_old, const mplan_context *context, mplan_error *err)
{
    assert(lists && lists->get && new_of_old && lists->n_values < UINT32_MAX);
    mplan_team *team = mplan_team_of(context);
    const int threads = mplan_team_threads(team);
    list_sorter s = {.lists = lists, .sequence = sequence, .value_bits = 1};
    s.new_of_old = s.item = new_of_old;
    mplan_status status = open_sorter(&s, team, err);
    if (!status) {
        mplan_for(team, s.n_pieces, 1, count_pieces, &s);
        place_pieces(&s);
        mplan_for(team, s.n_pieces, 1, deal_pieces, &s);
        mplan_for(team, s.n_ranges, 1, sort_ranges, &s);
        for (int t = 0; t < threads && !status; t++) {
            status = s.rooms[t].status;
            if (status && err)
                *err = s.rooms[t].why;
        }
    }
    if (!status)
        mplan_for(team, lists->n, PIECE, write_places, &s);
    close_sorter(&s, threads);
    return status;
}
