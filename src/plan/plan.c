/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - holds a plan: records, texts and arrays, and finds them again */
#include "plan/plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* --- making and releasing --- */

/* An empty plan to which records and arrays are added; mplan_plan_seal ends that. */
mplan_status mplan_plan_new(mplan_plan **plan, mplan_error *err)
{
    mplan_plan *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    mplan_status status = mplan_plan_set_texts(made, "", "", err);
    if (status)
        mplan_plan_free(made);
    else
        *plan = made;
    return status;
}

/* The plan owns what its const members point to. */
static void release(const void *owned)
{
    free((void *)(uintptr_t)owned);
}

/* Names and lists of one loop; pointers are const for readers and released here. Also of a loop
 * that was only half made: what is missing is NULL or counts 0. */
static void release_loop(const mplan_plan_loop *loop)
{
    release(loop->name);
    for (int32_t i = 0; i < loop->n_args; i++)
        release(loop->args[i].dat);
    for (int32_t i = 0; i < loop->n_variants; i++)
        release(loop->variants[i].device);
    release(loop->args);
    release(loop->variants);
}

/* Arrays that were borrowed are not ours; what they point into is released last, by
 * plan->release. */
void mplan_plan_free(mplan_plan *plan)
{
    if (!plan)
        return;
    for (int32_t i = 0; i < plan->n_sets; i++) {
        release(plan->sets[i].name);
        release(plan->sets[i].split);
        release(plan->sets[i].parent);
    }
    for (int32_t i = 0; i < plan->n_maps; i++)
        release(plan->maps[i].name);
    for (int32_t i = 0; i < plan->n_loops; i++)
        release_loop(&plan->loops[i]);
    for (int32_t i = 0; i < plan->n_arrays; i++)
        if (plan->array_owned[i])
            release(plan->arrays[i].data);
    free(plan->sets);
    free(plan->maps);
    free(plan->loops);
    free(plan->block_sets);
    free(plan->metrics);
    free(plan->step);
    free(plan->conflicts);
    free(plan->streams);
    free(plan->arrays);
    free(plan->array_owned);
    release(plan->request);
    release(plan->versions);
    if (plan->release)
        plan->release(plan->held);
    free(plan);
}

/* Room for one more behind n elements: full exactly when n is a power of two
 * (or none), so no capacity need be kept. NULL when memory runs out. */
static void *grown(void *array, int32_t n, size_t size, mplan_error *err)
{
    if (n > 0 && (n & (n - 1)) != 0)
        return array;
    return mplan_realloc(array, n ? 2 * (int64_t)n : 1, size, err);
}

/* NULL is taken for "", so that texts of a plan are never NULL. */
static mplan_status copy_text(const char *from, const char **to, mplan_error *err)
{
    *to = mplan_strdup(from ? from : "", err);
    return *to ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Both or, after a failure, neither. */
mplan_status mplan_plan_set_texts(mplan_plan *plan, const char *request, const char *versions,
                                  mplan_error *err)
{
    const char *copies[2] = {NULL, NULL};
    mplan_status status = copy_text(request, &copies[0], err);
    if (!status)
        status = copy_text(versions, &copies[1], err);
    if (status) {
        release(copies[0]);
        return status;
    }
    release(plan->request);
    release(plan->versions);
    plan->request = copies[0];
    plan->versions = copies[1];
    return MPLAN_OK;
}

/* --- records --- */

/* Texts are copied. The plan is unchanged after a failure. */
mplan_status mplan_plan_add_set(mplan_plan *plan, const mplan_plan_set *record, mplan_error *err)
{
    mplan_plan_set *sets = grown(plan->sets, plan->n_sets, sizeof *sets, err);
    if (!sets)
        return MPLAN_ERR_MEMORY;
    plan->sets = sets;
    mplan_plan_set copy = *record;
    mplan_status status = copy_text(record->name, &copy.name, err);
    if (status)
        return status;
    status = copy_text(record->split, &copy.split, err);
    if (status) {
        release(copy.name);
        return status;
    }
    status = copy_text(record->parent, &copy.parent, err);
    if (status) {
        release(copy.name);
        release(copy.split);
        return status;
    }
    copy.parent_set = mplan_plan_set_is_group(record) ? record->parent_set : -1;
    plan->sets[plan->n_sets++] = copy;
    return MPLAN_OK;
}

/* The set is unchanged after a failure. */
mplan_status mplan_plan_set_parent(mplan_plan *plan, int32_t set, const char *parent,
                                   int32_t parent_set, int64_t parent_size, mplan_error *err)
{
    const char *copy;
    mplan_status status = copy_text(parent, &copy, err);
    if (status)
        return status;
    release(plan->sets[set].parent);
    plan->sets[set].parent = copy;
    plan->sets[set].parent_set = parent_set;
    plan->sets[set].parent_size = parent_size;
    return MPLAN_OK;
}

void mplan_plan_set_layers(mplan_plan *plan, int32_t set, int32_t layers, int32_t least,
                           bool ranged, bool masked)
{
    assert(set >= 0 && set < plan->n_sets);
    plan->sets[set].layers = layers;
    plan->sets[set].layers_least = least;
    plan->sets[set].layers_ranged = ranged;
    plan->sets[set].layers_masked = masked;
}

/* As mplan_plan_add_set. */
mplan_status mplan_plan_add_map(mplan_plan *plan, const mplan_plan_map *record, mplan_error *err)
{
    mplan_plan_map *maps = grown(plan->maps, plan->n_maps, sizeof *maps, err);
    if (!maps)
        return MPLAN_ERR_MEMORY;
    plan->maps = maps;
    mplan_plan_map copy = *record;
    mplan_status status = copy_text(record->name, &copy.name, err);
    if (!status)
        plan->maps[plan->n_maps++] = copy;
    return status;
}

/* Appends to the loop's own list, which the plan owns; record's texts are copied. */
static mplan_status add_arg(mplan_plan_loop *loop, const mplan_plan_arg *record, mplan_error *err)
{
    mplan_plan_arg *args = grown((void *)(uintptr_t)loop->args, loop->n_args, sizeof *args, err);
    if (!args)
        return MPLAN_ERR_MEMORY;
    loop->args = args;
    mplan_plan_arg copy = *record;
    mplan_status status = copy_text(record->dat, &copy.dat, err);
    if (!status)
        args[loop->n_args++] = copy;
    return status;
}

/* As add_arg. */
static mplan_status add_variant(mplan_plan_loop *loop, const mplan_plan_variant *record,
                                mplan_error *err)
{
    mplan_plan_variant *variants = grown((void *)(uintptr_t)loop->variants, loop->n_variants,
                                         sizeof *variants, err);
    if (!variants)
        return MPLAN_ERR_MEMORY;
    loop->variants = variants;
    mplan_plan_variant copy = *record;
    mplan_status status = copy_text(record->device, &copy.device, err);
    if (!status)
        variants[loop->n_variants++] = copy;
    return status;
}

/* Of a loop that was added before: strategies are chosen after that. */
mplan_status mplan_plan_add_variant(mplan_plan *plan, int32_t loop,
                                    const mplan_plan_variant *record, mplan_error *err)
{
    assert(loop >= 0 && loop < plan->n_loops);
    return add_variant(&plan->loops[loop], record, err);
}

/* Args and variants are copied one by one with their texts. */
mplan_status mplan_plan_add_loop(mplan_plan *plan, const mplan_plan_loop *record, mplan_error *err)
{
    mplan_plan_loop *loops = grown(plan->loops, plan->n_loops, sizeof *loops, err);
    if (!loops)
        return MPLAN_ERR_MEMORY;
    plan->loops = loops;
    mplan_plan_loop copy = *record;
    copy.n_args = copy.n_variants = 0;
    copy.args = NULL;
    copy.variants = NULL;
    mplan_status status = copy_text(record->name, &copy.name, err);
    for (int32_t i = 0; !status && i < record->n_args; i++)
        status = add_arg(&copy, &record->args[i], err);
    for (int32_t i = 0; !status && i < record->n_variants; i++)
        status = add_variant(&copy, &record->variants[i], err);
    if (status)
        release_loop(&copy);
    else
        plan->loops[plan->n_loops++] = copy;
    return status;
}

/* No texts: records are copied whole. */
mplan_status mplan_plan_add_block_set(mplan_plan *plan, const mplan_plan_block_set *record,
                                      mplan_error *err)
{
    mplan_plan_block_set *sets = grown(plan->block_sets, plan->n_block_sets, sizeof *sets, err);
    if (!sets)
        return MPLAN_ERR_MEMORY;
    plan->block_sets = sets;
    plan->block_sets[plan->n_block_sets++] = *record;
    return MPLAN_OK;
}

/* As mplan_plan_add_block_set. */
mplan_status mplan_plan_add_metrics(mplan_plan *plan, const mplan_block_metrics *record,
                                    mplan_error *err)
{
    mplan_block_metrics *metrics = grown(plan->metrics, plan->n_metrics, sizeof *metrics, err);
    if (!metrics)
        return MPLAN_ERR_MEMORY;
    plan->metrics = metrics;
    plan->metrics[plan->n_metrics++] = *record;
    return MPLAN_OK;
}

/* As mplan_plan_add_block_set. */
mplan_status mplan_plan_add_step(mplan_plan *plan, const mplan_step_entry *record, mplan_error *err)
{
    mplan_step_entry *step = grown(plan->step, plan->n_step, sizeof *step, err);
    if (!step)
        return MPLAN_ERR_MEMORY;
    plan->step = step;
    plan->step[plan->n_step++] = *record;
    return MPLAN_OK;
}

/* As mplan_plan_add_block_set. */
mplan_status mplan_plan_add_stream(mplan_plan *plan, const mplan_plan_stream *record, mplan_error *err)
{
    mplan_plan_stream *streams = grown(plan->streams, plan->n_streams, sizeof *streams, err);
    if (!streams)
        return MPLAN_ERR_MEMORY;
    plan->streams = streams;
    plan->streams[plan->n_streams++] = *record;
    return MPLAN_OK;
}

/* As mplan_plan_add_block_set. */
mplan_status mplan_plan_add_conflict(mplan_plan *plan, const mplan_step_conflict *record,
                                     mplan_error *err)
{
    mplan_step_conflict *conflicts = grown(plan->conflicts, plan->n_conflicts, sizeof *conflicts,
                                           err);
    if (!conflicts)
        return MPLAN_ERR_MEMORY;
    plan->conflicts = conflicts;
    plan->conflicts[plan->n_conflicts++] = *record;
    return MPLAN_OK;
}

/* --- arrays --- */

/* owned: the plan frees the data. Arrays may be added in any order before the seal; two of one
 * key are found by it. After a failure the plan is as it was, but for room. */
static mplan_status add_array(mplan_plan *plan, const mplan_array *array, bool owned, mplan_error *err)
{
    assert(!plan->sealed && array->rows >= 0 && array->cols >= 0);
    mplan_array *arrays = grown(plan->arrays, plan->n_arrays, sizeof *arrays, err);
    if (!arrays)
        return MPLAN_ERR_MEMORY;
    plan->arrays = arrays;
    bool *flags = grown(plan->array_owned, plan->n_arrays, sizeof *flags, err);
    if (!flags)
        return MPLAN_ERR_MEMORY;
    plan->array_owned = flags;
    plan->arrays[plan->n_arrays] = *array;
    plan->array_owned[plan->n_arrays] = owned;
    plan->n_arrays++;
    return MPLAN_OK;
}

/* `take`: data belong to the plan from here on, also after a failure. */
mplan_status mplan_plan_take_array(mplan_plan *plan, mplan_key key, mplan_type type, int64_t rows,
                                   int64_t cols, void *data, mplan_error *err)
{
    mplan_array array = {key, type, rows, cols, data};
    mplan_status status = add_array(plan, &array, true, err);
    if (status)
        free(data);
    return status;
}

/* data must live as long as the plan does, see plan->release. */
mplan_status mplan_plan_borrow_array(mplan_plan *plan, mplan_key key, mplan_type type, int64_t rows,
                                     int64_t cols, const void *data, mplan_error *err)
{
    mplan_array array = {key, type, rows, cols, data};
    return add_array(plan, &array, false, err);
}

/* Not a difference: members go up to MPLAN_UNUSED, 2^32 - 1. */
static int compare_u32(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* Order of the section table: kind first, then set, map, loop, variant, block set,
 * rank, segment. */
int mplan_key_compare(const mplan_key *a, const mplan_key *b)
{
    int c = compare_u32(a->kind, b->kind);
    if (!c)
        c = compare_u32(a->set, b->set);
    if (!c)
        c = compare_u32(a->map, b->map);
    if (!c)
        c = compare_u32(a->loop, b->loop);
    if (!c)
        c = compare_u32(a->variant, b->variant);
    if (!c)
        c = compare_u32(a->block_set, b->block_set);
    if (!c)
        c = compare_u32(a->rank, b->rank);
    if (!c)
        c = compare_u32(a->segment, b->segment);
    return c;
}

/* An array and its flag, so that both move together. */
typedef struct entry {
    mplan_array array;
    bool owned;
} entry;

static int compare_entries(const void *a, const void *b)
{
    return mplan_key_compare(&((const entry *)a)->array.key, &((const entry *)b)->array.key);
}

/* Sorts the arrays by key, so that they are found by bisection and written in a fixed
 * order. Two arrays of one key are an error. */
mplan_status mplan_plan_seal(mplan_plan *plan, mplan_error *err)
{
    entry *entries = mplan_alloc(plan->n_arrays, sizeof *entries, err);
    if (!entries)
        return MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < plan->n_arrays; i++)
        entries[i] = (entry){plan->arrays[i], plan->array_owned[i]};
    if (plan->n_arrays > 1)
        qsort(entries, (size_t)plan->n_arrays, sizeof *entries, compare_entries);
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        plan->arrays[i] = entries[i].array;
        plan->array_owned[i] = entries[i].owned;
        if (i > 0 && compare_entries(&entries[i - 1], &entries[i]) == 0)
            status = mplan_fail(err, MPLAN_ERR_CORRUPT,
                                "the plan holds two arrays of kind %u "
                                "with equal keys",
                                (unsigned)entries[i].array.key.kind);
    }
    plan->sealed = !status;
    free(entries);
    return status;
}

/* Linear before the seal, by bisection afterwards. NULL if the plan has none. Members of the key
 * that a kind does not use must be MPLAN_UNUSED (MPLAN_KEY_INIT). */
const mplan_array *mplan_plan_find_array(const mplan_plan *plan, const mplan_key *key)
{
    if (!plan || !key)
        return NULL;
    if (!plan->sealed) {
        for (int32_t i = 0; i < plan->n_arrays; i++)
            if (mplan_key_compare(&plan->arrays[i].key, key) == 0)
                return &plan->arrays[i];
        return NULL;
    }
    int32_t low = 0, high = plan->n_arrays;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        int c = mplan_key_compare(&plan->arrays[middle].key, key);
        if (c == 0)
            return &plan->arrays[middle];
        if (c < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* NULL also where the array has another type: callers need not check it. */
const void *mplan_plan_data(const mplan_plan *plan, mplan_key key, mplan_type type, int64_t *rows)
{
    const mplan_array *array = mplan_plan_find_array(plan, &key);
    if (!array || array->type != type)
        return NULL;
    if (rows)
        *rows = array->rows;
    return array->data;
}

/* --- keys --- */

/* The keys below set the members that kinds of their group use, and leave the others unused.
 * Numbers are those of the plan's records, never -1. */
mplan_key mplan_key_of_set(mplan_kind kind, int32_t set)
{
    mplan_key key = MPLAN_KEY_INIT((uint32_t)kind);
    key.set = (uint32_t)set;
    return key;
}

mplan_key mplan_key_of_plan(mplan_kind kind)
{
    return (mplan_key)MPLAN_KEY_INIT((uint32_t)kind);
}

mplan_key mplan_key_of_map(mplan_kind kind, int32_t map)
{
    mplan_key key = MPLAN_KEY_INIT((uint32_t)kind);
    key.map = (uint32_t)map;
    return key;
}

mplan_key mplan_key_of_block_set(mplan_kind kind, int32_t block_set)
{
    mplan_key key = MPLAN_KEY_INIT((uint32_t)kind);
    key.block_set = (uint32_t)block_set;
    return key;
}

mplan_key mplan_key_of_block_points(mplan_kind kind, int32_t block_set, int32_t loop, int32_t set)
{
    mplan_key key = MPLAN_KEY_INIT((uint32_t)kind);
    key.set = (uint32_t)set;
    key.loop = (uint32_t)loop;
    key.block_set = (uint32_t)block_set;
    return key;
}

mplan_key mplan_key_of_block_local(int32_t block_set, int32_t loop, int32_t map)
{
    mplan_key key = MPLAN_KEY_INIT(MPLAN_KIND_BLOCK_LOCAL);
    key.map = (uint32_t)map;
    key.loop = (uint32_t)loop;
    key.block_set = (uint32_t)block_set;
    return key;
}

mplan_key mplan_key_of_variant(mplan_kind kind, int32_t loop, int32_t variant)
{
    mplan_key key = MPLAN_KEY_INIT((uint32_t)kind);
    key.loop = (uint32_t)loop;
    key.variant = (uint32_t)variant;
    return key;
}

mplan_key mplan_key_of_gather(mplan_kind kind, int32_t loop, int32_t map)
{
    mplan_key key = MPLAN_KEY_INIT((uint32_t)kind);
    key.loop = (uint32_t)loop;
    key.map = (uint32_t)map;
    return key;
}
