/* SPDX-License-Identifier: Apache-2.0 */
/* bind_check_ids.c - what every check of a table needs: the array, its ids in range, offsets, launches, blocks */
#include "exec/binding/bind_check.h"

#include <assert.h>

#include "base/error.h"

enum { STRIP = 4096, TASKS = 16 };

/* place: index in the array. */
mplan_status mplan_bind_wrong(const mplan_bind_check *check, mplan_key key, int64_t place)
{
    assert(check);
    return mplan_fail(check->err, MPLAN_ERR_CORRUPT,
                      "the plan's table %s is wrong at place %lld (loop %s, variant %d); meshplan "
                      "verify says more",
                      mplan_kind_name(key.kind), (long long)place, check->bound->loop->name,
                      (int)check->bound->v);
}

/* *n: numbers in the array; an empty one is not NULL. */
const void *mplan_bind_find(const mplan_bind_check *check, mplan_key key, mplan_type type, int64_t *n)
{
    assert(check && n);
    static const int64_t nothing;
    const mplan_array *array = mplan_plan_find_array(check->plan, &key);
    if (!array || array->type != type) {
        mplan_fail(check->err, MPLAN_ERR_CORRUPT, "the plan lacks the table %s",
                   mplan_kind_name(key.kind));
        return NULL;
    }
    *n = array->rows * array->cols;
    return *n > 0 ? array->data : &nothing;
}

/* The key of an array of the variant that is bound. */
mplan_key mplan_bind_variant_key(const mplan_bind_check *check, mplan_kind kind)
{
    assert(check);
    return mplan_key_of_variant(kind, check->bound->l, check->bound->v);
}

/* What is looked at by threads: task k returns its first wrong place, INT64_MAX
 * if there is none. */
typedef struct task_list {
    mplan_bind_task *task;
    const void *context;
} task_list;

/* Tasks [begin, end); the lowest wrong place, so that the message does not
 * depend on the threads. */
static int64_t first_wrong(void *data, int thread, int64_t begin, int64_t end)
{
    const task_list *list = data;
    int64_t bad = INT64_MAX;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int64_t place = list->task(list->context, k);
        bad = place < bad ? place : bad;
    }
    return bad;
}

/* The first of n items for which the task finds something wrong, INT64_MAX for none: the same one at any number of
 * threads. */
int64_t mplan_bind_first_wrong(const mplan_bind_check *check, int64_t n, mplan_bind_task *task,
                               const void *context)
{
    assert(check && task && n >= 0);
    task_list list = {task, context};
    return mplan_for_least(check->bound->exec->team, n, TASKS, first_wrong, &list, INT64_MAX);
}

/* --- ranges -------------------------------------------------------------------- */

/* Whether any of n values is outside [low, low + length): one comparison each,
 * which compilers turn into vectors. */
bool mplan_bind_leaves(const int32_t *value, int64_t n, int32_t low, uint32_t length)
{
    assert(value && n >= 0);
    uint32_t outside = 0;
    for (int64_t i = 0; i < n; i++)
        outside |= (uint32_t)value[i] - (uint32_t)low >= length;
    return outside != 0;
}

/* n ids that must lie in [low, low + length). */
typedef struct id_list {
    const int32_t *value;
    int64_t n;
    int32_t low;
    uint32_t length;
} id_list;

/* Strip k of STRIP values; only a wrong one is searched for its place. */
static int64_t strip_of_ids(const void *context, int64_t k)
{
    const id_list *list = context;
    const int64_t end = (k + 1) * STRIP < list->n ? (k + 1) * STRIP : list->n;
    int64_t i = k * STRIP;
    if (!mplan_bind_leaves(list->value + i, end - i, list->low, list->length))
        return INT64_MAX;
    while (!mplan_bind_leaves(list->value + i, 1, list->low, list->length))
        i++;
    return i;
}

/* All values of the array in [low, high). */
mplan_status mplan_bind_ids(const mplan_bind_check *check, mplan_key key, int32_t low, int64_t high)
{
    assert(check);
    id_list list = {.low = low, .length = (uint32_t)(high - low)};
    list.value = mplan_bind_find(check, key, MPLAN_TYPE_I32, &list.n);
    if (!list.value)
        return MPLAN_ERR_CORRUPT;
    int64_t bad = mplan_bind_first_wrong(check, (list.n + STRIP - 1) / STRIP, strip_of_ids, &list);
    return bad < INT64_MAX ? mplan_bind_wrong(check, key, bad) : MPLAN_OK;
}

/* From 0, ascending, at most `end`; no difference above `most`. */
mplan_status mplan_bind_offsets(const mplan_bind_check *check, mplan_key key, int64_t end,
                                int64_t most)
{
    assert(check);
    int64_t n;
    const int64_t *offset = mplan_bind_find(check, key, MPLAN_TYPE_I64, &n);
    if (!offset)
        return MPLAN_ERR_CORRUPT;
    if (n < 1 || offset[0] != 0)
        return mplan_bind_wrong(check, key, 0);
    for (int64_t i = 1; i < n; i++) /* in this order no difference overflows */
        if (offset[i] < offset[i - 1] || offset[i] > end || offset[i] - offset[i - 1] > most)
            return mplan_bind_wrong(check, key, i);
    return offset[n - 1] == end ? MPLAN_OK : mplan_bind_wrong(check, key, n - 1);
}

/* --- launches, blocks ---------------------------------------------------------------- */

/* n: items that a launch may list. */
mplan_status mplan_bind_launches(const mplan_bind_check *check, mplan_kind offsets, mplan_kind list,
                                 int64_t n)
{
    assert(check && n >= 0);
    mplan_key key = mplan_bind_variant_key(check, list);
    mplan_status status = mplan_bind_ids(check, key, 0, n);
    if (status)
        return status;
    return mplan_bind_offsets(check, mplan_bind_variant_key(check, offsets),
                              mplan_plan_find_array(check->plan, &key)->rows, INT64_MAX);
}

/* blocks: views of the plan's arrays. */
mplan_status mplan_bind_open_blocks(const mplan_bind_check *check, mplan_bind_blocks *blocks)
{
    assert(check && blocks);
    const int32_t b = check->bound->chosen->block_set;
    if (b < 0)
        return mplan_fail(check->err, MPLAN_ERR_CORRUPT, "variant %d of loop %s has no blocks",
                          (int)check->bound->v, check->bound->loop->name);
    const mplan_plan_block_set *record = mplan_plan_get_block_set(check->plan, b);
    const mplan_plan_set *set = mplan_plan_get_set(check->plan, record->set);
    const mplan_key key = mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, b);
    const mplan_key sequence_key = mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE, b);
    const int64_t positions = record->sequence ? set->size : set->storage_size;
    int64_t rows;
    mplan_status status = mplan_bind_offsets(check, key, record->n_blocks ? positions : 0, INT64_MAX);
    if (!status && record->sequence)
        status = mplan_bind_ids(check, sequence_key, 0, set->storage_size);
    if (status)
        return status;
    *blocks = (mplan_bind_blocks){.n = record->n_blocks};
    blocks->offsets = mplan_bind_find(check, key, MPLAN_TYPE_I64, &rows);
    if (record->sequence)
        blocks->sequence = mplan_bind_find(check, sequence_key, MPLAN_TYPE_I32, &rows);
    for (int64_t k = 0; k < blocks->n; k++)
        if (blocks->offsets[k + 1] - blocks->offsets[k] > blocks->most)
            blocks->most = blocks->offsets[k + 1] - blocks->offsets[k];
    return MPLAN_OK;
}
