/* SPDX-License-Identifier: Apache-2.0 */
/* check_arrays.c - which arrays a plan must hold, and of what type and shape
 *
 * The list at the end of section 5 of formats/plan-format.md. Kinds that are
 * not known are skipped, as a reader does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_halo.h"

#define ANY_ROWS (-1) /* another proof compares them */

/* Which of the plan's arrays some record has asked for. */
typedef struct finder {
    const mplan_check *check;
    bool *found; /* per array of the plan */
    mplan_error *err;
} finder;

/* Appends " word name" or " word number" for a part of a key that applies. */
static void print_part(char *text, size_t size, size_t *used, const char *word, uint32_t value,
                       const char *name)
{
    if (value == MPLAN_UNUSED)
        return;
    if (name)
        snprintf(text + *used, size - *used, " %s %s", word, name);
    else
        snprintf(text + *used, size - *used, " %s %u", word, (unsigned)value);
    *used += strlen(text + *used);
}

/* "BLOCK_LOCAL of map faces_cells loop res_calc block set 0" */
static void describe(const mplan_plan *plan, const mplan_key *key, char *text, size_t size)
{
    snprintf(text, size, "%s of", mplan_kind_label(key->kind));
    size_t used = strlen(text);
    print_part(text, size, &used, "set", key->set,
               key->set < (uint32_t)plan->n_sets ? plan->sets[key->set].name : NULL);
    print_part(text, size, &used, "map", key->map,
               key->map < (uint32_t)plan->n_maps ? plan->maps[key->map].name : NULL);
    print_part(text, size, &used, "loop", key->loop,
               key->loop < (uint32_t)plan->n_loops ? plan->loops[key->loop].name : NULL);
    print_part(text, size, &used, "variant", key->variant, NULL);
    print_part(text, size, &used, "block set", key->block_set, NULL);
    print_part(text, size, &used, "rank", key->rank, NULL);
    print_part(text, size, &used, "segment", key->segment, NULL);
}

/* Notes that the array of a key is there, of that type and shape. */
static mplan_status expect(finder *in, mplan_key key, mplan_type type, int64_t rows, int64_t cols)
{
    const mplan_plan *plan = in->check->plan;
    const mplan_array *array = mplan_plan_find_array(plan, &key);
    const bool fits = array && array->type == type && array->cols == cols && array->rows >= 0 &&
                      (rows == ANY_ROWS || array->rows == rows);
    if (fits && (array->data || array->rows == 0)) {
        in->found[array - plan->arrays] = true;
        return MPLAN_OK;
    }
    char text[MPLAN_ERROR_TEXT / 2];
    describe(plan, &key, text, sizeof text);
    if (!array)
        return MPLAN_DISPROVED(in->err, "%s is missing", text);
    if (array->type != type)
        return MPLAN_DISPROVED(in->err, "%s is of type %s instead of %s", text,
                               mplan_type_name(array->type) ? mplan_type_name(array->type) : "?",
                               mplan_type_name(type));
    if (fits)
        return MPLAN_DISPROVED(in->err, "%s has no data", text);
    if (rows == ANY_ROWS)
        return MPLAN_DISPROVED(in->err, "%s has %" PRId64 " rows of %" PRId64 " instead of %" PRId64,
                               text, array->rows, array->cols, cols);
    return MPLAN_DISPROVED(in->err,
                           "%s has %" PRId64 " rows of %" PRId64 " instead of %" PRId64
                           " of %" PRId64,
                           text, array->rows, array->cols, rows, cols);
}

/* Each expect_of_* looks for the arrays that one record asks for: type, rows and
 * columns must be as said. */
static mplan_status expect_of_set(finder *in, int32_t s)
{
    const mplan_plan_set *set = mplan_check_set(in->check, s);
    mplan_status status = expect(in, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, s), MPLAN_TYPE_I32,
                                 set->size, 1);
    if (!status)
        status = expect(in, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, s), MPLAN_TYPE_I32,
                        set->storage_size, 1);
    if (!status && ((set->split && *set->split) || set->part.parts))
        status = expect(in, mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, s), MPLAN_TYPE_I64, set->size, 1);
    if (!status && set->parent && *set->parent)
        status = expect(in, mplan_key_of_set(MPLAN_KIND_PARENT_INDEX, s), MPLAN_TYPE_I32, set->size,
                        1);
    if (!status && set->layers_ranged)
        status = expect(in, mplan_key_of_set(MPLAN_KIND_LAYER_RANGES, s), MPLAN_TYPE_I32,
                        set->storage_size, 2);
    if (!status && set->layers_masked)
        status = expect(in, mplan_key_of_set(MPLAN_KIND_LAYER_MASK, s), MPLAN_TYPE_I32,
                        set->storage_size, set->layers / 32 + (set->layers % 32 > 0));
    return status;
}

/* Fixed arity: a row for each place of the from-set. Ragged: entries and offsets. */
static mplan_status expect_of_map(finder *in, int32_t m)
{
    const mplan_plan_map *map = &in->check->plan->maps[m];
    int64_t storage = mplan_check_set(in->check, map->from)->storage_size;
    mplan_key values = mplan_key_of_map(MPLAN_KIND_MAP_VALUES, m);
    if (map->arity)
        return expect(in, values, MPLAN_TYPE_I32, storage, map->arity);
    mplan_status status = expect(in, values, MPLAN_TYPE_I32, map->n_entries, 1);
    if (!status)
        status = expect(in, mplan_key_of_map(MPLAN_KIND_MAP_OFFSETS, m), MPLAN_TYPE_I64,
                        storage + 1, 1);
    return status;
}

/* Offsets, and the sequence where the record says that there is one. */
static mplan_status expect_of_block_set(finder *in, int32_t b)
{
    const mplan_plan_block_set *set = &in->check->plan->block_sets[b];
    mplan_status status = expect(in, mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, b),
                                 MPLAN_TYPE_I64, set->n_blocks + 1, 1);
    if (!status && set->sequence)
        status = expect(in, mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE, b), MPLAN_TYPE_I32,
                        mplan_check_set(in->check, set->set)->size, 1);
    return status;
}

/* Point lists and local ids of a loop over a block set: for each set that its maps lead
 * to, and for each map. */
static mplan_status expect_of_pair(finder *in, const mplan_check_pair *pair)
{
    const mplan_plan *plan = in->check->plan;
    const mplan_check_loop *loop = &in->check->loops[pair->loop];
    const mplan_plan_block_set *set = &plan->block_sets[pair->block_set];
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < loop->n_sets && !status; s++) {
        status = expect(in,
                        mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINT_OFFSETS, pair->block_set,
                                                  pair->loop, loop->sets[s]),
                        MPLAN_TYPE_I64, set->n_blocks + 1, 1);
        if (!status)
            status = expect(in,
                            mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS, pair->block_set,
                                                      pair->loop, loop->sets[s]),
                            MPLAN_TYPE_I32, ANY_ROWS, 1);
    }
    for (int32_t m = 0; m < loop->n_maps && !status; m++) {
        const mplan_plan_map *map = &plan->maps[loop->maps[m]];
        bool fixed = map->arity != 0;
        status = expect(in, mplan_key_of_block_local(pair->block_set, pair->loop, loop->maps[m]),
                        MPLAN_TYPE_U16,
                        fixed ? mplan_check_positions(in->check, set) : map->n_entries,
                        fixed ? map->arity : 1);
    }
    return status;
}

/* windows16 is for pairs, and other maps whose slots have numbers. */
static mplan_status check_windows_loop(const finder *in, int32_t l,
                                       const mplan_check_gathering *gathering)
{
    const mplan_plan *plan = in->check->plan;
    const mplan_plan_loop *loop = &plan->loops[l];
    bool fits = gathering->n_maps == 1 && gathering->columns == 2 &&
                gathering->fields < INT32_MAX / 4;
    for (int32_t a = 0; a < loop->n_args; a++)
        fits = fits && (loop->args[a].map < 0 || plan->maps[loop->args[a].map].arity > 0);
    return fits ? MPLAN_OK
                : MPLAN_DISPROVED(in->err,
                                  "loop %s: windows16 is for one map of arity 2, and others of an arity",
                                  loop->name);
}

/* What the loop of a variant gathers, by the reading of this module. */
static mplan_status find_increments(const finder *in, int32_t l, const mplan_plan_variant *variant,
                                    mplan_increments *increments)
{
    const mplan_plan *plan = in->check->plan;
    mplan_check_gathering gathering;
    mplan_status status = mplan_check_gathering_open(plan, l, &gathering, in->err);
    if (!status && variant->encoding == MPLAN_ENCODING_PAIR32 &&
        (gathering.n_maps != 1 || gathering.columns != 2))
        status = MPLAN_DISPROVED(in->err, "loop %s: pair32 is for one map of arity 2",
                                 plan->loops[l].name);
    if (!status && variant->encoding == MPLAN_ENCODING_WINDOWS16)
        status = check_windows_loop(in, l, &gathering);
    *increments = (mplan_increments){.set = gathering.set,
                                     .n_maps = gathering.n_maps,
                                     .n_local = gathering.n_local,
                                     .columns = gathering.columns,
                                     .local_columns = gathering.local_columns,
                                     .fields = (int32_t)gathering.fields};
    mplan_check_gathering_close(&gathering);
    return status;
}

/* The arrays of its strategy's row. Limits of the reader are not proofs: others follow. */
static mplan_status expect_of_variant(finder *in, int32_t l, int32_t v)
{
    const mplan_plan *plan = in->check->plan;
    const mplan_plan_variant *variant = &plan->loops[l].variants[v];
    mplan_variant_array list[MPLAN_VARIANT_ARRAYS_MOST];
    mplan_increments increments = {0};
    mplan_status status = MPLAN_OK;
    if (mplan_strategy_has(variant->strategy, MPLAN_TRAITS_GATHER))
        status = find_increments(in, l, variant, &increments);
    int32_t n = status ? 0 : mplan_variant_arrays(plan, l, v, &increments, list);
    for (int32_t i = 0; i < n && !status; i++)
        status = expect(in, mplan_key_of_variant(list[i].kind, l, v), list[i].type,
                        list[i].at_most ? ANY_ROWS : list[i].rows, 1);
    return status;
}

/* Arrays of its variants, and the gather lists that all its two-step variants share. */
static mplan_status expect_of_loop(finder *in, int32_t l)
{
    const mplan_plan *plan = in->check->plan;
    const mplan_check_loop *loop = &in->check->loops[l];
    mplan_status status = MPLAN_OK;
    for (int32_t v = 0; v < plan->loops[l].n_variants && !status; v++)
        status = expect_of_variant(in, l, v);
    for (int32_t m = 0; loop->two_step && m < loop->n_maps && !status; m++) {
        int32_t map = loop->maps[m];
        if (!loop->written[m])
            continue;
        status = expect(in, mplan_key_of_gather(MPLAN_KIND_GATHER_OFFSETS, l, map), MPLAN_TYPE_I64,
                        plan->sets[plan->maps[map].to].storage_size + 1, 1);
        if (!status)
            status = expect(in, mplan_key_of_gather(MPLAN_KIND_GATHER_SLOTS, l, map),
                            MPLAN_TYPE_I64, ANY_ROWS, 1);
    }
    return status;
}

/* Borders of slabs and segments, pieces of slabs, and the events. */
static mplan_status expect_of_visit(finder *in)
{
    const mplan_plan *plan = in->check->plan;
    mplan_status status = MPLAN_OK;
    if (plan->visit.slabs == 0)
        return MPLAN_OK;
    for (int32_t s = 0; s < plan->n_sets && !status; s++)
        status = expect(in, mplan_key_of_set(MPLAN_KIND_SLAB_OFFSETS, s), MPLAN_TYPE_I64,
                        (int64_t)plan->visit.slabs + 1, 1);
    for (int32_t s = 0; s < plan->n_sets && !status; s++)
        if (plan->sets[s].storage_size / plan->visit.slabs >= 64)
            status = expect(in, mplan_key_of_set(MPLAN_KIND_SLAB_PIECES, s), MPLAN_TYPE_I32,
                            plan->visit.slabs, 15);
    if (!status)
        status = expect(in, mplan_key_of_plan(MPLAN_KIND_SEGMENTS), MPLAN_TYPE_I32,
                        (int64_t)plan->visit.segments + 1, 1);
    if (!status)
        status = expect(in, mplan_key_of_plan(MPLAN_KIND_SCHEDULE), MPLAN_TYPE_I32, ANY_ROWS, 4);
    return status;
}

/* Lists of one loop, of a set whose dats it reads. */
static mplan_status expect_of_loop_halo(finder *in, int32_t s, int32_t l)
{
    const mplan_part_set *part = &mplan_check_set(in->check, s)->part;
    const struct {
        mplan_kind kind;
        mplan_type type;
        int64_t rows;
    } lists[] = {{MPLAN_KIND_LOOP_IMPORT_OFFSETS, MPLAN_TYPE_I64, part->imports + INT64_C(1)},
                 {MPLAN_KIND_LOOP_IMPORTS, MPLAN_TYPE_I32, ANY_ROWS},
                 {MPLAN_KIND_LOOP_IMPORT_HASHES, MPLAN_TYPE_I64, part->imports},
                 {MPLAN_KIND_LOOP_EXPORT_OFFSETS, MPLAN_TYPE_I64, part->exports + INT64_C(1)},
                 {MPLAN_KIND_LOOP_EXPORTS, MPLAN_TYPE_I32, ANY_ROWS},
                 {MPLAN_KIND_LOOP_EXPORT_HASHES, MPLAN_TYPE_I64, part->exports}};
    mplan_status status = MPLAN_OK;
    for (size_t i = 0; i < sizeof lists / sizeof *lists && !status; i++)
        status = expect(in, mplan_key_of_loop_set(lists[i].kind, s, l), lists[i].type,
                        lists[i].rows, 1);
    return status;
}

/* Lists of imports and exports of a set of a part. */
static mplan_status expect_of_halo(finder *in, int32_t s)
{
    const mplan_part_set *part = &mplan_check_set(in->check, s)->part;
    const struct {
        mplan_kind kind;
        mplan_type type;
        int64_t rows, cols;
    } lists[] = {{MPLAN_KIND_IMPORT_PARTS, MPLAN_TYPE_I32, part->imports, 1},
                 {MPLAN_KIND_IMPORT_RANGES, MPLAN_TYPE_I64, part->imports, 4},
                 {MPLAN_KIND_IMPORT_HASHES, MPLAN_TYPE_I64, part->imports, 1},
                 {MPLAN_KIND_EXPORT_PARTS, MPLAN_TYPE_I32, part->exports, 1},
                 {MPLAN_KIND_EXPORT_OFFSETS, MPLAN_TYPE_I64, part->exports + INT64_C(1), 1},
                 {MPLAN_KIND_EXPORT_INDEX, MPLAN_TYPE_I32, part->exported, 1},
                 {MPLAN_KIND_EXPORT_HASHES, MPLAN_TYPE_I64, part->exports, 1}};
    mplan_status status = MPLAN_OK;
    for (size_t i = 0; i < sizeof lists / sizeof *lists && !status; i++)
        status = expect(in, mplan_key_of_set(lists[i].kind, s), lists[i].type, lists[i].rows,
                        lists[i].cols);
    if (!status && in->check->rings > 0)
        status = expect(in, mplan_key_of_set(MPLAN_KIND_HALO_RINGS, s), MPLAN_TYPE_U8,
                        mplan_check_set(in->check, s)->size - part->owned, 1);
    if (!status && in->check->rings > 0)
        status = expect(in, mplan_key_of_set(MPLAN_KIND_EXPORT_RINGS, s), MPLAN_TYPE_U8,
                        part->exported, 1);
    if (!status && in->check->plan->visit.slabs > 0)
        status = expect(in, mplan_key_of_set(MPLAN_KIND_PART_PLACES, s), MPLAN_TYPE_I32,
                        mplan_check_set(in->check, s)->size, 1);
    for (int32_t l = 0; l < in->check->plan->n_loops && !status; l++)
        if (mplan_check_reads_set(in->check->plan, l, s))
            status = expect_of_loop_halo(in, s, l);
    return status;
}

/* Keys must ascend, or finding one proves nothing. */
static mplan_status check_keys(const mplan_plan *plan, mplan_error *err)
{
    for (int32_t i = 1; i < plan->n_arrays; i++)
        if (mplan_key_compare(&plan->arrays[i - 1].key, &plan->arrays[i].key) >= 0)
            return MPLAN_DISPROVED(err, "arrays %d and %d do not ascend by key", (int)i - 1, (int)i);
    return MPLAN_OK;
}

/* An array that nothing has asked for is refused: readers of the plan would not know
 * what it means. */
static mplan_status refuse_others(const finder *in)
{
    const mplan_plan *plan = in->check->plan;
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        char text[MPLAN_ERROR_TEXT / 2];
        if (in->found[i] || !mplan_kind_label(plan->arrays[i].key.kind))
            continue;
        describe(plan, &plan->arrays[i].key, text, sizeof text);
        return MPLAN_DISPROVED(in->err, "%s does not belong in the plan", text);
    }
    return MPLAN_OK;
}

/* in.found: one per array of the plan, true when a record has asked for it. */
mplan_status mplan_check_arrays(mplan_check *check, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    finder in = {check, mplan_alloc_zero(plan->n_arrays, sizeof *in.found, err), err};
    if (!in.found)
        return MPLAN_ERR_MEMORY;
    mplan_status status = check_keys(plan, err);
    for (int32_t s = 0; s < plan->n_sets && !status; s++)
        status = expect_of_set(&in, s);
    for (int32_t m = 0; m < plan->n_maps && !status; m++)
        status = expect_of_map(&in, m);
    for (int32_t b = 0; b < plan->n_block_sets && !status; b++)
        status = expect_of_block_set(&in, b);
    for (int32_t p = 0; p < check->n_pairs && !status; p++)
        status = expect_of_pair(&in, &check->pairs[p]);
    for (int32_t l = 0; l < plan->n_loops && !status; l++)
        status = expect_of_loop(&in, l);
    for (int32_t s = 0; s < plan->n_sets && mplan_plan_is_part(plan) && !status; s++)
        status = expect_of_halo(&in, s);
    if (!status)
        status = expect_of_visit(&in);
    if (!status)
        status = refuse_others(&in);
    free(in.found);
    return status;
}
