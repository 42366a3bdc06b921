/* SPDX-License-Identifier: Apache-2.0 */
/* repair.c - makes a partitioner's answer keep the limits
 *
 * Parts above the block size give their excess away element by element: first
 * the element whose move to a neighbouring part with room lowers the edge cut
 * most (the gain of B. W. Kernighan, S. Lin, Bell Syst. Tech. J. 49, 1970), from a
 * heap whose keys are checked when they come up. What no neighbour takes
 * becomes a new part, which has room for the neighbours' excess in turn. Then
 * parts that touch too many points are halved along the order until they fit.
 *
 * Everything else stays where it was put. Time is linear, times the logarithm
 * of a part for what moves; ties go to the lower part and the lower element. */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "partition/footprint.h"

typedef struct repair_state {
    int64_t n;
    const int32_t *order;   /* NULL: index */
    const mplan_csr *graph; /* NULL: nothing moves to neighbours */
    mplan_footprint footprint;
    int32_t *part;
    int64_t n_parts;
    int64_t *begin;      /* parts as grouped last: members[begin[p]] ... */
    int32_t *members;    /* n, along the order within a part */
    mplan_vector size;   /* int64_t a part */
    mplan_vector counts; /* int64_t a part and set: at least the points it touches */
    mplan_vector weight; /* int64_t a part: zero, but while a move is sought */
    mplan_vector heap;   /* int64_t: see key_of */
    int64_t *trial;      /* n_sets */
} repair_state;

/* Elements of part p; the pointer is valid until a part is added. */
static int64_t *size_of(const repair_state *s, int64_t p)
{
    return (int64_t *)s->size.data + p;
}

/* Of part p, n_sets numbers: at least the distinct points that it touches in each set, exact
 * after measure(). */
static int64_t *counts_of(const repair_state *s, int64_t p)
{
    return (int64_t *)s->counts.data + p * s->footprint.n_sets;
}

static int64_t element_at(const repair_state *s, int64_t place)
{
    return s->order ? s->order[place] : place;
}

/* An empty part: size, counts per set, weight. */
static mplan_status add_part(repair_state *s, mplan_error *err)
{
    static const int64_t zero = 0;
    mplan_status status = mplan_vector_push(&s->size, &zero, err);
    for (int32_t k = 0; k < s->footprint.n_sets && !status; k++)
        status = mplan_vector_push(&s->counts, &zero, err);
    if (!status)
        status = mplan_vector_push(&s->weight, &zero, err);
    s->n_parts += !status;
    return status;
}

/* Exact size and points of a part whose members are the list. The footprint then holds this
 * part. */
static void measure(repair_state *s, int64_t p, const int32_t *list, int64_t n)
{
    mplan_footprint_begin(&s->footprint);
    for (int64_t i = 0; i < n; i++)
        mplan_footprint_add(&s->footprint, list[i]);
    *size_of(s, p) = n;
    for (int32_t k = 0; k < s->footprint.n_sets; k++)
        counts_of(s, p)[k] = s->footprint.sets[k].count;
}

/* Numbers parts by their first element along the order; empty ones vanish. */
static mplan_status number_parts(int64_t n, const int32_t *order, int64_t n_parts, int32_t *part,
                                 int64_t *n_found, mplan_error *err)
{
    int32_t *number = mplan_alloc(n_parts, sizeof *number, err);
    if (!number)
        return MPLAN_ERR_MEMORY;
    for (int64_t p = 0; p < n_parts; p++)
        number[p] = -1;
    int32_t next = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t e = order ? order[i] : i;
        if (number[part[e]] < 0)
            number[part[e]] = next++;
        part[e] = number[part[e]];
    }
    free(number);
    *n_found = next;
    return MPLAN_OK;
}

/* Fills begin and members from part: a counting sort, run backwards so that members of a part
 * keep the order. */
static mplan_status group_members(repair_state *s, mplan_error *err)
{
    free(s->begin);
    s->begin = mplan_alloc_zero(s->n_parts + 1, sizeof *s->begin, err);
    if (!s->begin)
        return MPLAN_ERR_MEMORY;
    for (int64_t e = 0; e < s->n; e++)
        s->begin[s->part[e]]++;
    int64_t sum = 0;
    for (int64_t p = 0; p <= s->n_parts; p++) {
        sum += s->begin[p];
        s->begin[p] = sum; /* the end; the fill runs backwards */
    }
    for (int64_t i = s->n - 1; i >= 0; i--) {
        int64_t e = element_at(s, i);
        s->members[--s->begin[s->part[e]]] = (int32_t)e;
    }
    return MPLAN_OK;
}

/* --- parts above the block size -------------------------------------------- */

/* Larger keys come first: larger gain, then lower element. */
static int64_t key_of(int64_t gain, int32_t element)
{
    return gain * (INT64_C(1) << 31) + (INT32_MAX - element);
}

static int32_t element_of(int64_t key)
{
    return (int32_t)(INT32_MAX - (key & INT32_MAX));
}

/* The largest key is at the top. */
static mplan_status heap_push(mplan_vector *heap, int64_t key, mplan_error *err)
{
    mplan_status status = mplan_vector_push(heap, &key, err);
    if (status)
        return status;
    int64_t *keys = heap->data, i = heap->count - 1;
    for (; i > 0 && keys[(i - 1) / 2] < key; i = (i - 1) / 2)
        keys[i] = keys[(i - 1) / 2];
    keys[i] = key;
    return MPLAN_OK;
}

/* Takes the largest key out of a binary heap; heap->count is above 0. */
static int64_t heap_pop(mplan_vector *heap)
{
    int64_t *keys = heap->data, top = keys[0], last = keys[--heap->count], i = 0;
    for (int64_t child = 1; child < heap->count; child = 2 * i + 1) {
        if (child + 1 < heap->count && keys[child + 1] > keys[child])
            child++;
        if (keys[child] <= last)
            break;
        keys[i] = keys[child];
        i = child;
    }
    keys[i] = last;
    return top;
}

/* Whether part p may take the element, by an upper bound: each entry of its rows counts as a new
 * point. So a yes is certain, and a part that could just take it may be refused. s->trial is
 * overwritten. */
static bool has_room(const repair_state *s, int64_t p, int32_t element)
{
    if (*size_of(s, p) >= s->footprint.limits->block_size)
        return false;
    for (int32_t k = 0; k < s->footprint.n_sets; k++)
        s->trial[k] = counts_of(s, p)[k];
    mplan_footprint_add_rows(&s->footprint, element, s->trial);
    return mplan_footprint_counts_fit(&s->footprint, s->trial);
}

/* The neighbouring part with room that shares most edges with the element, the lower of equals;
 * -1 without one. *gain: those edges less the ones into its own part. s->weight is zero before
 * and after. Twice the element's edges, and has_room for each better part. */
static int32_t best_move(const repair_state *s, int32_t element, int64_t *gain)
{
    const int32_t *first = s->graph->neighbours + s->graph->offsets[element];
    const int32_t *end = s->graph->neighbours + s->graph->offsets[element + 1];
    int64_t *weight = s->weight.data, most = 0;
    int32_t own = s->part[element], best = -1;
    for (const int32_t *w = first; w < end; w++)
        weight[s->part[*w]]++;
    *gain = -weight[own];
    weight[own] = 0;
    for (const int32_t *w = first; w < end; w++) {
        int32_t p = s->part[*w];
        if (weight[p] > 0 && (weight[p] > most || (weight[p] == most && p < best)) &&
            has_room(s, p, element)) {
            most = weight[p];
            best = p;
        }
    }
    for (const int32_t *w = first; w < end; w++)
        weight[s->part[*w]] = 0;
    *gain += most;
    return best;
}

/* Enters the element if it could move anywhere. It may be in the heap already, with an older
 * key: give_away compares. */
static mplan_status offer(repair_state *s, int32_t element, mplan_error *err)
{
    int64_t gain;
    if (best_move(s, element, &gain) < 0)
        return MPLAN_OK;
    return heap_push(&s->heap, key_of(gain, element), err);
}

/* Moves the element. Neighbours that stay behind may now prefer to move, too. Counts of the part
 * that it leaves stay as they are, an upper bound; shrink_part measures it again. */
static mplan_status move_element(repair_state *s, int32_t element, int32_t to, mplan_error *err)
{
    int32_t from = s->part[element];
    s->part[element] = to;
    --*size_of(s, from);
    ++*size_of(s, to);
    mplan_footprint_add_rows(&s->footprint, element, counts_of(s, to));
    mplan_status status = MPLAN_OK;
    for (int64_t k = s->graph->offsets[element]; k < s->graph->offsets[element + 1] && !status; k++)
        if (s->part[s->graph->neighbours[k]] == from)
            status = offer(s, s->graph->neighbours[k], err);
    return status;
}

/* Moves elements of part p to neighbours until it has the block size or they have no room. A key
 * that is out of date is entered again with its new gain, so that the heap's top is the best
 * move; elements that have left are skipped, so that each moves once at most. */
static mplan_status give_away(repair_state *s, int32_t p, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    s->heap.count = 0;
    for (int64_t i = s->begin[p]; i < s->begin[p + 1] && !status; i++)
        status = offer(s, s->members[i], err);
    while (!status && s->heap.count > 0 && *size_of(s, p) > s->footprint.limits->block_size) {
        int64_t key = heap_pop(&s->heap), gain;
        int32_t element = element_of(key);
        if (s->part[element] != p)
            continue;
        int32_t to = best_move(s, element, &gain);
        if (to < 0)
            continue;
        if (key_of(gain, element) == key)
            status = move_element(s, element, to, err);
        else
            status = heap_push(&s->heap, key_of(gain, element), err);
    }
    return status;
}

/* Makes list[0 ... n) a new part. */
static mplan_status split_off(repair_state *s, const int32_t *list, int64_t n, mplan_error *err)
{
    mplan_status status = add_part(s, err);
    if (status)
        return status;
    for (int64_t i = 0; i < n; i++)
        s->part[list[i]] = (int32_t)(s->n_parts - 1);
    measure(s, s->n_parts - 1, list, n);
    return MPLAN_OK;
}

/* A part far above the limit is not a partitioner's near miss: equal pieces along the order. n /
 * pieces * k + n % pieces * k / pieces is n * k / pieces without overflow. */
static mplan_status chop(repair_state *s, int32_t p, int32_t *list, int64_t n, mplan_error *err)
{
    int64_t limit = s->footprint.limits->block_size, pieces = (n + limit - 1) / limit;
    mplan_status status = MPLAN_OK;
    for (int64_t k = 1; k < pieces && !status; k++) {
        int64_t first = n / pieces * k + n % pieces * k / pieces;
        int64_t end = n / pieces * (k + 1) + n % pieces * (k + 1) / pieces;
        status = split_off(s, list + first, end - first, err);
    }
    measure(s, p, list, n / pieces + n % pieces / pieces);
    return status;
}

/* Down to the block size: elements go to neighbouring parts with room, the best
 * first; the rest becomes a new part. */
static mplan_status shrink_part(repair_state *s, int32_t p, mplan_error *err)
{
    int64_t limit = s->footprint.limits->block_size;
    int32_t *list = s->members + s->begin[p];
    int64_t grouped = s->begin[p + 1] - s->begin[p], n = 0;
    if (grouped > 2 * limit)
        return chop(s, p, list, grouped, err);
    mplan_status status = s->graph ? give_away(s, p, err) : MPLAN_OK;
    for (int64_t i = 0; i < grouped; i++)
        if (s->part[list[i]] == p)
            list[n++] = list[i];
    int64_t kept = n < limit ? n : limit;
    measure(s, p, list, kept);
    if (!status && kept < n)
        status = split_off(s, list + kept, n - kept, err);
    return status;
}

/* --- parts that touch too much ----------------------------------------------- */

/* Halves list[0 ... n), members of part p, until every piece fits; the first
 * keeps the number. The depth is the logarithm of the block size. */
static mplan_status halve(repair_state *s, int64_t p, const int32_t *list, int64_t n, mplan_error *err)
{
    measure(s, p, list, n);
    if (mplan_footprint_fits(&s->footprint))
        return MPLAN_OK;
    if (n == 1)
        return mplan_footprint_refuse(&s->footprint, list[0], list[0], err);
    int64_t half = n - n / 2;
    mplan_status status = split_off(s, list + half, n - half, err);
    int64_t second = s->n_parts - 1;
    if (!status)
        status = halve(s, p, list, half, err);
    if (!status)
        status = halve(s, second, list + half, n - half, err);
    return status;
}

/* Block size first, then points and bytes, since parts only become smaller. */
static mplan_status audit_and_repair(repair_state *s, mplan_error *err)
{
    mplan_status status = group_members(s, err);
    int64_t given = s->n_parts;
    for (int64_t p = 0; p < given && !status; p++)
        measure(s, p, s->members + s->begin[p], s->begin[p + 1] - s->begin[p]);
    /* parts that are made on the way are never above the block size */
    for (int64_t p = 0; p < given && !status; p++)
        if (*size_of(s, p) > s->footprint.limits->block_size)
            status = shrink_part(s, (int32_t)p, err);
    if (!status)
        status = group_members(s, err);
    given = s->n_parts;
    for (int64_t p = 0; p < given && !status; p++)
        if (!mplan_footprint_counts_fit(&s->footprint, counts_of(s, p)))
            status = halve(s, p, s->members + s->begin[p], s->begin[p + 1] - s->begin[p], err);
    return status;
}

/* Begins with n_parts empty parts. What was made is released by state_close, also after a
 * failure. */
static mplan_status state_open(repair_state *s, mplan_error *err)
{
    mplan_vector numbers = MPLAN_VECTOR_INIT(sizeof(int64_t));
    s->size = s->counts = s->weight = s->heap = numbers;
    s->members = mplan_alloc(s->n, sizeof *s->members, err);
    s->trial = mplan_alloc(s->footprint.n_sets, sizeof *s->trial, err);
    if (!s->members || !s->trial)
        return MPLAN_ERR_MEMORY;
    int64_t wanted = s->n_parts;
    mplan_status status = MPLAN_OK;
    for (s->n_parts = 0; s->n_parts < wanted && !status;)
        status = add_part(s, err);
    return status;
}

static void state_close(repair_state *s)
{
    free(s->members);
    free(s->trial);
    free(s->begin);
    free(s->size.data);
    free(s->counts.data);
    free(s->weight.data);
    free(s->heap.data);
    mplan_footprint_close(&s->footprint);
}

/* Elements whose part changed; both number parts alike. */
static int64_t count_moved(int64_t n, const int32_t *before, const int32_t *after)
{
    int64_t moved = 0;
    for (int64_t e = 0; e < n; e++)
        moved += before[e] != after[e];
    return moved;
}

/* part: in, as the partitioner gave them; out, blocks that keep every limit,
 * none empty. *moved: elements that are elsewhere than they were. */
mplan_status mplan_partition_repair(int64_t n, const int32_t *order, const mplan_csr *graph,
                                    const mplan_block_limits *limits, int64_t n_parts, int32_t *part,
                                    int64_t *n_blocks, int64_t *moved, mplan_error *err)
{
    assert(limits && part && n_blocks && n >= 0 && n_parts >= 0);
    for (int64_t e = 0; e < n; e++)
        if (part[e] < 0 || part[e] >= n_parts)
            return mplan_fail(err, MPLAN_ERR_PARTITIONER,
                              "the partitioner put element %lld into part %d, which is not one of "
                              "%lld",
                              (long long)e, (int)part[e], (long long)n_parts);
    repair_state s = {.n = n, .order = order, .graph = graph, .part = part};
    mplan_status status = mplan_footprint_open(&s.footprint, limits, err);
    if (status)
        return status;
    status = number_parts(n, order, n_parts, part, &s.n_parts, err);
    int32_t *before = status ? NULL : mplan_copy(part, n, sizeof *part, err);
    if (!before) {
        mplan_footprint_close(&s.footprint);
        return MPLAN_ERR_MEMORY;
    }
    status = state_open(&s, err);
    if (!status)
        status = audit_and_repair(&s, err);
    if (!status && moved)
        *moved = count_moved(n, before, part);
    if (!status)
        status = number_parts(n, order, s.n_parts, part, n_blocks, err);
    free(before);
    state_close(&s);
    return status;
}
