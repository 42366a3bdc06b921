/* SPDX-License-Identifier: Apache-2.0 */
/* lexicographic.c - sorting lists by counting first numbers, then second ones
 *
 * A counting sort puts each item into the bucket of its first number, as a head:
 * second number (+ 1; 0: none) in the upper half, place in the sequence in the
 * lower. Sorted heads are sorted lists, but for runs that agree in both numbers
 * and go on; those are short in meshes and sorted by comparing. */
#include "order/lexicographic.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/radix.h"

enum { SHORT_LIST = 32 };

typedef struct list_sorter {
    const mplan_lists *lists;
    const int32_t *sequence;
    int32_t value_bits;   /* of numbers + 1 */
    int32_t *list;        /* max_length */
    mplan_vector spare;   /* uint64_t, as long as the longest bucket */
    mplan_vector numbers; /* int32_t: lists of a run, one behind the other */
    mplan_vector offsets; /* int64_t */
    mplan_vector order;   /* int32_t: twice the members of a run */
} list_sorter;

/* The item of a head: that at its place in the sequence. */
static int64_t item_of(const list_sorter *s, uint64_t head)
{
    int64_t place = (int64_t)(head & UINT32_MAX);
    return s->sequence ? s->sequence[place] : place;
}

/* Heads of all items by first number. start[v + 1] becomes the end of the
 * bucket of v; bucket 0 holds the empty lists. */
static void scatter_heads(const list_sorter *s, uint32_t *start, uint64_t *heads)
{
    const mplan_lists *lists = s->lists;
    int64_t n_buckets = lists->n_values + 1;
    for (int64_t i = 0; i < lists->n; i++) {
        int64_t length = lists->get(lists->data, i, s->list);
        start[length > 0 ? (int64_t)s->list[0] + 1 : 0]++;
    }
    uint32_t sum = 0;
    for (int64_t b = 0; b < n_buckets; b++) {
        uint32_t count = start[b];
        start[b] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < lists->n; i++) {
        int64_t length = lists->get(lists->data, s->sequence ? s->sequence[i] : i, s->list);
        uint64_t second = length > 1 ? (uint64_t)s->list[1] + 1 : 0;
        heads[start[length > 0 ? (int64_t)s->list[0] + 1 : 0]++] = second << 32 | (uint64_t)i;
    }
}

/* A head is a key of 64 bits: the second number of an item's list in the upper half,
 * the item's position in the sequence in the lower half. Insertion sort while there are
 * few, else by radix on the upper half only; both are stable. */
static mplan_status sort_heads(list_sorter *s, uint64_t *heads, int64_t n, mplan_error *err)
{
    if (n > SHORT_LIST) {
        uint64_t *spare = mplan_vector_reserve(&s->spare, n, err);
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
static mplan_status collect_run(list_sorter *s, const uint64_t *heads, int64_t n, bool *sorted,
                                mplan_error *err)
{
    s->numbers.count = s->offsets.count = 0;
    int64_t *offsets = mplan_vector_reserve(&s->offsets, n + 1, err);
    if (!offsets)
        return MPLAN_ERR_MEMORY;
    *sorted = true;
    offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        int32_t *room = mplan_vector_reserve(&s->numbers, s->lists->max_length, err);
        if (!room)
            return MPLAN_ERR_MEMORY;
        s->numbers.count += s->lists->get(s->lists->data, item_of(s, heads[i]), room);
        offsets[i + 1] = s->numbers.count;
        if (i > 0 && *sorted)
            *sorted = compare_lists(s->numbers.data, offsets, (int32_t)i - 1, (int32_t)i) <= 0;
    }
    return MPLAN_OK;
}

/* Sorts n heads whose first two numbers are equal by the rest of their lists. Their
 * lists are fetched once; where they are sorted already, as they are on most meshes,
 * nothing moves. */
static mplan_status sort_run(list_sorter *s, uint64_t *heads, int64_t n, mplan_error *err)
{
    bool sorted;
    mplan_status status = collect_run(s, heads, n, &sorted, err);
    if (status || sorted)
        return status;
    int32_t *order = mplan_vector_reserve(&s->order, 2 * n, err);
    uint64_t *spare = mplan_vector_reserve(&s->spare, n, err);
    if (!order || !spare)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        order[i] = (int32_t)i;
    order = merge_sort(s->numbers.data, s->offsets.data, n, order, order + n);
    for (int64_t i = 0; i < n; i++)
        spare[i] = heads[order[i]];
    memcpy(heads, spare, (size_t)n * sizeof *heads);
    return MPLAN_OK;
}

/* Heads of one bucket share the first number of their lists. They are sorted by the
 * second, then every run of equal second numbers by the rest. Upper half 0: the list
 * has only one number, and equal lists keep their order. */
static mplan_status sort_bucket(list_sorter *s, uint64_t *heads, int64_t n, mplan_error *err)
{
    mplan_status status = sort_heads(s, heads, n, err);
    if (s->lists->max_length <= 2)
        return status;
    for (int64_t begin = 0, end; begin < n && !status; begin = end) {
        end = begin + 1;
        while (end < n && heads[end] >> 32 == heads[begin] >> 32)
            end++;
        if (end > begin + 1 && heads[begin] >> 32)
            status = sort_run(s, heads + begin, end - begin, err);
    }
    return status;
}

/* ends[b]: end of bucket b in heads; bucket 0 holds items without numbers, which keep
 * their order. new_of_old: out, one per item. */
static mplan_status sort_buckets(list_sorter *s, const uint32_t *ends, uint64_t *heads,
                                 int32_t *new_of_old, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    int64_t begin = 0;
    for (int64_t b = 0; b <= s->lists->n_values && !status; b++) {
        if (b > 0 && ends[b] > begin + 1)
            status = sort_bucket(s, heads + begin, ends[b] - begin, err);
        begin = ends[b];
    }
    for (int64_t i = 0; i < s->lists->n && !status; i++)
        new_of_old[item_of(s, heads[i])] = (int32_t)i;
    return status;
}

/* Items are first scattered into buckets by the first number of their lists (a counting
 * sort, stable in `sequence`), then each bucket is sorted. Time is linear in the
 * numbers that must be read to tell the lists apart; scratch 12 bytes an item. */
mplan_status mplan_order_lists(const mplan_lists *lists, const int32_t *sequence,
                               int32_t *new_of_old, mplan_error *err)
{
    assert(lists && lists->get && new_of_old && lists->n_values < UINT32_MAX);
    mplan_status status = MPLAN_ERR_MEMORY;
    list_sorter s = {lists,
                     sequence,
                     1,
                     NULL,
                     MPLAN_VECTOR_INIT(sizeof(uint64_t)),
                     MPLAN_VECTOR_INIT(sizeof(int32_t)),
                     MPLAN_VECTOR_INIT(sizeof(int64_t)),
                     MPLAN_VECTOR_INIT(sizeof(int32_t))};
    while (lists->n_values >> s.value_bits)
        s.value_bits++;
    uint64_t *heads = mplan_alloc(lists->n, sizeof *heads, err);
    uint32_t *start = mplan_alloc_zero(lists->n_values + 1, sizeof *start, err);
    s.list = mplan_alloc(lists->max_length, sizeof *s.list, err);
    if (!heads || !start || !s.list)
        goto done;
    scatter_heads(&s, start, heads);
    status = sort_buckets(&s, start, heads, new_of_old, err);
done:
    free(heads);
    free(start);
    free(s.list);
    free(s.spare.data);
    free(s.numbers.data);
    free(s.offsets.data);
    free(s.order.data);
    return status;
}
