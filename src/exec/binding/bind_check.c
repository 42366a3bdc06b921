/* bind_check.c - every index in the tables of a variant stays inside what it indexes
 *
 * Plan files are checked for their shape when they are read, and what their tables say is
 * proved by `meshplan verify`, which not everybody runs. Walkers and kernels follow
 * indices without looking; so binding looks once, at the tables that this variant's
 * launches read (bind_check.h lists them). A wrong table may still give wrong sums, never
 * an access elsewhere. */
#include <assert.h>

#include "exec/binding/bind_check.h"

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

mplan_key mplan_bind_variant_key(const mplan_bind_check *check, mplan_kind kind)
{
    assert(check);
    return mplan_key_of_variant(kind, check->bound->l, check->bound->v);
}

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

static int64_t places(const mplan_bind_check *check, int32_t set)
{
    return mplan_plan_get_set(check->plan, set)->storage_size;
}

/* --- maps ------------------------------------------------------------------------- */

/* Each map once, with -1 allowed: whether there are any decides which kernel
 * runs. */
static mplan_status check_maps(const mplan_bind_check *check)
{
    const mplan_plan_loop *loop = check->bound->loop;
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < loop->n_args && status == MPLAN_OK; a++)
        if (loop->args[a].map >= 0 && check->bound->first_of_map[a] == a)
            status =
                mplan_bind_ids(check, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, loop->args[a].map), -1,
                               places(check, mplan_plan_get_map(check->plan, loop->args[a].map)->to));
    return status;
}

/* Whether every slot of every element has a point. Holes are no elements: what reads rows
 * without a look at -1 passes over them, or is led to none (bind_check_owner.c). */
static bool complete_maps(const mplan_bind_check *check)
{
    const mplan_plan_loop *loop = check->bound->loop;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const int32_t m = loop->args[a].map;
        int64_t n = 0;
        if (m < 0 || check->bound->first_of_map[a] != a)
            continue;
        const int32_t arity = mplan_plan_get_map(check->plan, m)->arity;
        const int32_t *slots = mplan_bind_find(
            check, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, m), MPLAN_TYPE_I32, &n);
        for (int64_t i = 0; i < n; i++)
            if (slots[i] < 0 && !mplan_bind_is_hole(check, i / arity))
                return false;
    }
    return true;
}

/* --- launches, blocks ---------------------------------------------------------------- */

/* n: items that a launch may list. */
mplan_status mplan_bind_launches(const mplan_bind_check *check, mplan_kind offsets, mplan_kind list,
                                 int64_t n)
{
    assert(check && n >= 0);
    mplan_key key = mplan_bind_variant_key(check, list);
    mplan_status status = mplan_bind_ids(check, key, 0, n);
    if (status != MPLAN_OK)
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
    mplan_status status =
        mplan_bind_offsets(check, key, record->n_blocks ? positions : 0, INT64_MAX);
    if (status == MPLAN_OK && record->sequence)
        status = mplan_bind_ids(check, sequence_key, 0, set->storage_size);
    if (status != MPLAN_OK)
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

/* --- block-colour ------------------------------------------------------------------- */

/* *colours: one per position, below the block's number of colours. */
static mplan_status check_thread_colours(const mplan_bind_check *check,
                                         const mplan_bind_blocks *blocks, const uint16_t **colours)
{
    const mplan_key key = mplan_bind_variant_key(check, MPLAN_KIND_THREAD_COLOURS);
    const mplan_key count_key = mplan_bind_variant_key(check, MPLAN_KIND_BLOCK_THREAD_COLOURS);
    int64_t rows;
    const uint16_t *colour = mplan_bind_find(check, key, MPLAN_TYPE_U16, &rows);
    const uint16_t *count = mplan_bind_find(check, count_key, MPLAN_TYPE_U16, &rows);
    if (!colour || !count)
        return MPLAN_ERR_CORRUPT;
    for (int64_t k = 0; k < blocks->n; k++) {
        if (count[k] > blocks->offsets[k + 1] - blocks->offsets[k])
            return mplan_bind_wrong(check, count_key, k);
        for (int64_t i = blocks->offsets[k]; i < blocks->offsets[k + 1]; i++)
            if (colour[i] != MPLAN_NONE16 &&
                (colour[i] >= count[k] || mplan_bind_is_hole(check, mplan_bind_element(blocks, i))))
                return mplan_bind_wrong(check, key, i);
    }
    *colours = colour;
    return MPLAN_OK;
}

/* Places of the points of blocks, by one map of the loop. */
typedef struct local_table {
    const mplan_bind_check *check;
    const mplan_bind_blocks *blocks;
    const uint16_t *colours; /* of positions: those with MPLAN_NONE16 do not run */
    const uint16_t *local;
    const int64_t *begin; /* first point of each block */
    int32_t arity;
} local_table;

/* A place is that of a point of the block; MPLAN_NONE16 only where kernels look at it. */
static int64_t block_of_locals(const void *context, int64_t k)
{
    const local_table *table = context;
    const int64_t *offsets = table->blocks->offsets, n = table->begin[k + 1] - table->begin[k];
    const int64_t arity = table->arity;
    for (int64_t i = offsets[k]; i < offsets[k + 1]; i++) {
        bool none = !table->check->complete || table->colours[i] == MPLAN_NONE16;
        for (int64_t at = i * arity; at < (i + 1) * arity; at++)
            if (table->local[at] == MPLAN_NONE16 ? !none : table->local[at] >= n)
                return at;
    }
    return INT64_MAX;
}

/* Points of a block that are staged in shared memory, as launches are told. */
static int64_t most_points(const mplan_bind_check *check, int32_t set)
{
    int64_t most = 0;
    for (int32_t i = 0; i < mplan_plan_n_metrics(check->plan); i++) {
        const mplan_block_metrics *metrics = mplan_plan_get_metrics(check->plan, i);
        if (metrics->loop == check->bound->l && metrics->set == set &&
            metrics->block_set == check->bound->chosen->block_set)
            most = metrics->points_max;
    }
    return most;
}

/* Local ids lead into the block's list of points. */
static mplan_status check_locals(const mplan_bind_check *check, int32_t a,
                                 const mplan_bind_blocks *blocks, const uint16_t *colours)
{
    const mplan_plan_map *map = mplan_plan_get_map(check->plan, check->bound->loop->args[a].map);
    const int32_t l = check->bound->l, b = check->bound->chosen->block_set;
    const mplan_key begin_key =
        mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINT_OFFSETS, b, l, map->to);
    const mplan_key points_key = mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS, b, l, map->to);
    const mplan_key key = mplan_key_of_block_local(b, l, check->bound->loop->args[a].map);
    local_table table = {check, blocks, colours, NULL, NULL, map->arity};
    int64_t rows;
    mplan_status status = mplan_bind_ids(check, points_key, 0, places(check, map->to));
    if (status == MPLAN_OK)
        status = mplan_bind_offsets(check, begin_key,
                                    mplan_plan_find_array(check->plan, &points_key)->rows,
                                    most_points(check, map->to));
    if (status != MPLAN_OK)
        return status;
    table.begin = mplan_bind_find(check, begin_key, MPLAN_TYPE_I64, &rows);
    table.local = mplan_bind_find(check, key, MPLAN_TYPE_U16, &rows);
    if (!table.local)
        return MPLAN_ERR_CORRUPT;
    int64_t bad = mplan_bind_first_wrong(check, blocks->n, block_of_locals, &table);
    return bad < INT64_MAX ? mplan_bind_wrong(check, key, bad) : MPLAN_OK;
}

/* Launch lists, thread colours, local ids. */
static mplan_status check_block_colour(const mplan_bind_check *check, const mplan_bind_blocks *blocks)
{
    const mplan_plan_loop *loop = check->bound->loop;
    const uint16_t *colours = NULL;
    mplan_status status = mplan_bind_launches(check, MPLAN_KIND_BLOCK_LAUNCH_OFFSETS,
                                              MPLAN_KIND_BLOCK_LAUNCH, blocks->n);
    if (status == MPLAN_OK)
        status = check_thread_colours(check, blocks, &colours);
    for (int32_t a = 0; a < loop->n_args && status == MPLAN_OK; a++)
        if (loop->args[a].map >= 0 && check->bound->first_of_map[a] == a)
            status = check_locals(check, a, blocks, colours);
    return status;
}

/* --- two-step -------------------------------------------------------------------------- */

/* Results that the points add, by the map of arg a. */
static mplan_status check_gather(const mplan_bind_check *check, int32_t a)
{
    const int32_t l = check->bound->l, map = check->bound->loop->args[a].map;
    const mplan_key key = mplan_key_of_gather(MPLAN_KIND_GATHER_SLOTS, l, map);
    const int64_t most = mplan_plan_get_map(check->plan, map)->n_entries;
    int64_t n;
    const int64_t *slot = mplan_bind_find(check, key, MPLAN_TYPE_I64, &n);
    if (!slot)
        return MPLAN_ERR_CORRUPT;
    for (int64_t i = 0; i < n; i++)
        if (slot[i] < 0 || slot[i] >= most)
            return mplan_bind_wrong(check, key, i);
    return mplan_bind_offsets(check, mplan_key_of_gather(MPLAN_KIND_GATHER_OFFSETS, l, map), n,
                              INT64_MAX);
}

/* Gather lists of two-step. */
static mplan_status check_gathers(const mplan_bind_check *check)
{
    const mplan_plan_loop *loop = check->bound->loop;
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < loop->n_args && status == MPLAN_OK; a++)
        if (mplan_exec_increments(loop, a))
            status = check_gather(check, a);
    return status;
}

/* --- all of a variant ------------------------------------------------------------------------ */

/* What the traits of the variant's strategy say that launches read; atomic has no tables. */
static mplan_status check_strategy(const mplan_bind_check *check, mplan_bind_blocks *blocks)
{
    const uint32_t traits = mplan_strategy_traits(check->bound->chosen->strategy);
    mplan_status status = MPLAN_OK;
    if (traits & MPLAN_TRAIT_BLOCKS)
        status = mplan_bind_open_blocks(check, blocks);
    if (status == MPLAN_OK && (traits & MPLAN_TRAIT_GLOBAL_COLOURS))
        status = mplan_bind_launches(check, MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS,
                                     MPLAN_KIND_GLOBAL_LAUNCH, check->bound->call.n_elements);
    if (status == MPLAN_OK && (traits & MPLAN_TRAIT_THREAD_COLOURS))
        status = check_block_colour(check, blocks);
    if (status == MPLAN_OK && (traits & MPLAN_TRAIT_SLOT_LISTS))
        status = check_gathers(check);
    if (status == MPLAN_OK && (traits & MPLAN_TRAIT_RECORDS))
        status = mplan_bind_records(check, blocks);
    if (status == MPLAN_OK && (traits & MPLAN_TRAIT_OWNERS))
        status = mplan_bind_owners(check);
    return status;
}

/* *positions_max: elements of the largest block; *complete: no map has an entry
 * of -1. */
mplan_status mplan_exec_check_tables(const mplan_exec_loop *bound, int64_t *positions_max,
                                     bool *complete, mplan_error *err)
{
    assert(bound && positions_max && complete);
    const mplan_plan_variant *chosen = bound->chosen;
    const mplan_plan_set *set = mplan_plan_get_set(bound->exec->plan, bound->loop->set);
    mplan_bind_check check = {.bound = bound, .plan = bound->exec->plan, .err = err};
    mplan_bind_blocks blocks = {0};
    if (set->storage_size > set->size)
        check.old_of_new =
            mplan_plan_data(check.plan, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, bound->loop->set),
                            MPLAN_TYPE_I32, NULL);
    if (chosen->threads < 1 || chosen->elements_per_thread < 1)
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "variant %d of loop %s has %d threads of %d elements; meshplan verify says "
                          "more", (int)bound->v, bound->loop->name, (int)chosen->threads,
                          (int)chosen->elements_per_thread);
    mplan_status status = check_maps(&check);
    if (status != MPLAN_OK)
        return status;
    *complete = check.complete = complete_maps(&check);
    if (bound->exec->executor != MPLAN_EXECUTOR_SERIAL)
        status = check_strategy(&check, &blocks);
    *positions_max = blocks.most;
    return status;
}

/* Rows of the caller go where new_of_old says. */
mplan_status mplan_exec_check_order(const mplan_exec *exec, int32_t set, mplan_error *err)
{
    assert(exec && set >= 0);
    const mplan_plan_set *record = mplan_plan_get_set(exec->plan, set);
    int64_t rows = 0;
    const int32_t *order = mplan_plan_data(
        exec->plan, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, set), MPLAN_TYPE_I32, &rows);
    if (mplan_bind_leaves(order, rows, 0, (uint32_t)record->storage_size))
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "the plan's table new_of_old of set %s leads out of the set; meshplan "
                          "verify says more", record->name);
    return MPLAN_OK;
}
