/* check_arrays.c - which arrays a plan must hold, and of what type and shape
 *
 * The list at the end of section 5 of formats/plan-format.md. Kinds that are
 * not known are passed over, as a reader does. */
#include <stdio.h>
#include <stdlib.h>

#include "check/check.h"

#define ANY_ROWS (-1) /* another proof compares them */

typedef struct finder {
    const mplan_check *check;
    bool *found; /* per array of the plan */
    mplan_error *err;
} finder;

/* NULL for kinds that are not known. Records are no arrays, but have names. */
static const char *kind_name(uint32_t kind)
{
    switch (kind) {
    case MPLAN_KIND_STRINGS: return "STRINGS";
    case MPLAN_KIND_SETS: return "SETS";
    case MPLAN_KIND_MAPS: return "MAPS";
    case MPLAN_KIND_LOOPS: return "LOOPS";
    case MPLAN_KIND_ARGS: return "ARGS";
    case MPLAN_KIND_VARIANTS: return "VARIANTS";
    case MPLAN_KIND_BLOCK_SETS: return "BLOCK_SETS";
    case MPLAN_KIND_BLOCK_METRICS: return "BLOCK_METRICS";
    case MPLAN_KIND_REQUEST: return "REQUEST";
    case MPLAN_KIND_VERSIONS: return "VERSIONS";
    case MPLAN_KIND_NEW_OF_OLD: return "NEW_OF_OLD";
    case MPLAN_KIND_OLD_OF_NEW: return "OLD_OF_NEW";
    case MPLAN_KIND_GLOBAL_ID: return "GLOBAL_ID";
    case MPLAN_KIND_MAP_VALUES: return "MAP_VALUES";
    case MPLAN_KIND_MAP_OFFSETS: return "MAP_OFFSETS";
    case MPLAN_KIND_BLOCK_OFFSETS: return "BLOCK_OFFSETS";
    case MPLAN_KIND_BLOCK_SEQUENCE: return "BLOCK_SEQUENCE";
    case MPLAN_KIND_BLOCK_POINT_OFFSETS: return "BLOCK_POINT_OFFSETS";
    case MPLAN_KIND_BLOCK_POINTS: return "BLOCK_POINTS";
    case MPLAN_KIND_BLOCK_LOCAL: return "BLOCK_LOCAL";
    case MPLAN_KIND_THREAD_COLOURS: return "THREAD_COLOURS";
    case MPLAN_KIND_BLOCK_THREAD_COLOURS: return "BLOCK_THREAD_COLOURS";
    case MPLAN_KIND_BLOCK_COLOURS: return "BLOCK_COLOURS";
    case MPLAN_KIND_BLOCK_LAUNCH_OFFSETS: return "BLOCK_LAUNCH_OFFSETS";
    case MPLAN_KIND_BLOCK_LAUNCH: return "BLOCK_LAUNCH";
    case MPLAN_KIND_GLOBAL_COLOURS: return "GLOBAL_COLOURS";
    case MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS: return "GLOBAL_LAUNCH_OFFSETS";
    case MPLAN_KIND_GLOBAL_LAUNCH: return "GLOBAL_LAUNCH";
    case MPLAN_KIND_GATHER_OFFSETS: return "GATHER_OFFSETS";
    case MPLAN_KIND_GATHER_SLOTS: return "GATHER_SLOTS";
    case MPLAN_KIND_BLOCK_RECORD_OFFSETS: return "BLOCK_RECORD_OFFSETS";
    case MPLAN_KIND_BLOCK_RECORDS: return "BLOCK_RECORDS";
    case MPLAN_KIND_PARTIAL_POINTS: return "PARTIAL_POINTS";
    case MPLAN_KIND_PARTIAL_OFFSETS: return "PARTIAL_OFFSETS";
    case MPLAN_KIND_OWNER_OFFSETS: return "OWNER_OFFSETS";
    case MPLAN_KIND_OWNER_ENTRIES: return "OWNER_ENTRIES";
    case MPLAN_KIND_OWNER_BASE: return "OWNER_BASE";
    case MPLAN_KIND_OWNER_ESCAPE_OFFSETS: return "OWNER_ESCAPE_OFFSETS";
    case MPLAN_KIND_OWNER_ESCAPES: return "OWNER_ESCAPES";
    case MPLAN_KIND_OWNER_ROW_START: return "OWNER_ROW_START";
    case MPLAN_KIND_OWNER_POINTS: return "OWNER_POINTS";
    default: return NULL;
    }
}

/* Appends " word name" or " word number" for a part of a key that applies. */
static void print_part(char *text, size_t size, size_t *used, const char *word, uint32_t value,
                       const char *name)
{
    if (value == MPLAN_UNUSED || *used >= size)
        return;
    int n = name ? snprintf(text + *used, size - *used, " %s %s", word, name)
                 : snprintf(text + *used, size - *used, " %s %u", word, (unsigned)value);
    *used += n > 0 ? (size_t)n : 0;
}

/* "BLOCK_LOCAL of map faces_cells loop res_calc block set 0" */
static void describe(const mplan_plan *plan, const mplan_key *key, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s of", kind_name(key->kind));
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
    if (array && array->type == type && array->cols == cols && array->rows >= 0 &&
        (rows == ANY_ROWS || array->rows == rows) &&
        (array->data || array->rows == 0 || array->cols == 0)) {
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
    if (array->cols == cols && array->rows >= 0 && (rows == ANY_ROWS || array->rows == rows))
        return MPLAN_DISPROVED(in->err, "%s has no data", text);
    if (rows == ANY_ROWS)
        return MPLAN_DISPROVED(in->err, "%s has %" PRId64 " rows of %" PRId64 " instead of %"
                               PRId64, text, array->rows, array->cols, cols);
    return MPLAN_DISPROVED(in->err, "%s has %" PRId64 " rows of %" PRId64 " instead of %" PRId64
                           " of %" PRId64, text, array->rows, array->cols, rows, cols);
}

/* Each expect_of_* looks for the arrays that one record asks for: type, rows and
 * columns must be as said. */
static mplan_status expect_of_set(finder *in, int32_t s)
{
    const mplan_plan_set *set = mplan_check_set(in->check, s);
    mplan_status status = expect(in, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, s), MPLAN_TYPE_I32,
                                 set->size, 1);
    if (status == MPLAN_OK)
        status = expect(in, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, s), MPLAN_TYPE_I32,
                        set->storage_size, 1);
    if (status == MPLAN_OK && set->split && *set->split)
        status = expect(in, mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, s), MPLAN_TYPE_I64, set->size,
                        1);
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
    if (status == MPLAN_OK)
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
    if (status == MPLAN_OK && set->sequence)
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
    for (int32_t s = 0; s < loop->n_sets && status == MPLAN_OK; s++) {
        status = expect(in, mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINT_OFFSETS,
                                                      pair->block_set, pair->loop, loop->sets[s]),
                        MPLAN_TYPE_I64, set->n_blocks + 1, 1);
        if (status == MPLAN_OK)
            status = expect(in, mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS, pair->block_set,
                                                          pair->loop, loop->sets[s]),
                            MPLAN_TYPE_I32, ANY_ROWS, 1);
    }
    for (int32_t m = 0; m < loop->n_maps && status == MPLAN_OK; m++) {
        const mplan_plan_map *map = &plan->maps[loop->maps[m]];
        bool fixed = map->arity != 0;
        status = expect(in, mplan_key_of_block_local(pair->block_set, pair->loop, loop->maps[m]),
                        MPLAN_TYPE_U16,
                        fixed ? mplan_check_positions(in->check, set) : map->n_entries,
                        fixed ? map->arity : 1);
    }
    return status;
}

typedef struct expected {
    mplan_kind kind;
    mplan_type type;
    int64_t rows;
} expected;

/* Returns the number of entries written to list. */
static int32_t list_launches(const mplan_plan_variant *variant, int64_t n_blocks, expected *list)
{
    list[0] = (expected){MPLAN_KIND_BLOCK_COLOURS, MPLAN_TYPE_I32, n_blocks};
    list[1] = (expected){MPLAN_KIND_BLOCK_LAUNCH_OFFSETS, MPLAN_TYPE_I64, variant->block_colours + 1};
    list[2] = (expected){MPLAN_KIND_BLOCK_LAUNCH, MPLAN_TYPE_I32, n_blocks};
    return 3;
}

/* ANY_ROWS: the number of rows is proved later, against what the array holds. */
static int32_t list_records(const mplan_plan *plan, const mplan_plan_variant *variant, expected *list)
{
    int64_t n_blocks = plan->block_sets[variant->block_set].n_blocks;
    int32_t n = 0;
    list[n++] = (expected){MPLAN_KIND_BLOCK_RECORD_OFFSETS, MPLAN_TYPE_I64, n_blocks + 1};
    list[n++] = (expected){MPLAN_KIND_BLOCK_RECORDS, MPLAN_TYPE_U8, ANY_ROWS};
    if (variant->sums == MPLAN_SUMS_PARTIAL) {
        list[n++] = (expected){MPLAN_KIND_PARTIAL_POINTS, MPLAN_TYPE_I32, ANY_ROWS};
        list[n++] = (expected){MPLAN_KIND_PARTIAL_OFFSETS, MPLAN_TYPE_I64, ANY_ROWS};
    }
    if (variant->sums == MPLAN_SUMS_COLOUR)
        n += list_launches(variant, n_blocks, list + n);
    return n;
}

/* n_points: places of the incremented set; slices have 32 rows. */
static int32_t list_owners(const mplan_plan_variant *variant, int64_t n_points, expected *list)
{
    int64_t slices = (n_points + 31) / 32;
    bool short_entries = variant->encoding == MPLAN_ENCODING_INDEX16;
    int32_t n = 0;
    list[n++] = (expected){MPLAN_KIND_OWNER_ENTRIES, short_entries ? MPLAN_TYPE_U16 : MPLAN_TYPE_I32,
                           variant->width > 0 ? 32 * slices * variant->width : ANY_ROWS};
    if (variant->width == 0)
        list[n++] = (expected){MPLAN_KIND_OWNER_OFFSETS, MPLAN_TYPE_I64, slices + 1};
    if (short_entries) {
        list[n++] = (expected){MPLAN_KIND_OWNER_BASE, MPLAN_TYPE_I32, slices};
        list[n++] = (expected){MPLAN_KIND_OWNER_ESCAPE_OFFSETS, MPLAN_TYPE_I64, slices + 1};
        list[n++] = (expected){MPLAN_KIND_OWNER_ESCAPES, MPLAN_TYPE_I32, ANY_ROWS};
    }
    if (variant->encoding == MPLAN_ENCODING_PAIR32)
        list[n++] = (expected){MPLAN_KIND_OWNER_ROW_START, MPLAN_TYPE_I32, n_points + 1};
    if (variant->window > 0)
        list[n++] = (expected){MPLAN_KIND_OWNER_POINTS, MPLAN_TYPE_U8, 32 * slices};
    return n;
}

/* Arrays of variants that gather, appended to a list. */
static mplan_status list_gathering(const finder *in, int32_t l, const mplan_plan_variant *variant,
                                   expected *list, int32_t *n)
{
    const mplan_plan *plan = in->check->plan;
    bool blocks = variant->strategy == MPLAN_STRATEGY_BLOCK_GATHER;
    if (!blocks && variant->strategy != MPLAN_STRATEGY_OWNER_GATHER)
        return MPLAN_OK;
    mplan_check_gathering gathering;
    mplan_status status = mplan_check_gathering_open(plan, l, &gathering, in->err);
    if (status == MPLAN_OK && variant->encoding == MPLAN_ENCODING_PAIR32 &&
        (gathering.n_maps != 1 || gathering.columns != 2))
        status = MPLAN_DISPROVED(in->err, "loop %s: pair32 is for one map of arity 2",
                                 plan->loops[l].name);
    if (status == MPLAN_OK)
        *n += blocks ? list_records(plan, variant, list + *n)
                     : list_owners(variant, plan->sets[gathering.set].storage_size, list + *n);
    mplan_check_gathering_close(&gathering);
    return status;
}

/* By strategy. */
static mplan_status expect_of_variant(finder *in, int32_t l, int32_t v)
{
    const mplan_plan *plan = in->check->plan;
    const mplan_plan_variant *variant = &plan->loops[l].variants[v];
    const mplan_plan_set *set = &plan->sets[plan->loops[l].set];
    int32_t n = 0;
    expected list[8];
    if (variant->strategy == MPLAN_STRATEGY_BLOCK_COLOUR) {
        const mplan_plan_block_set *blocks = &plan->block_sets[variant->block_set];
        list[n++] = (expected){MPLAN_KIND_THREAD_COLOURS, MPLAN_TYPE_U16,
                               mplan_check_positions(in->check, blocks)};
        list[n++] = (expected){MPLAN_KIND_BLOCK_THREAD_COLOURS, MPLAN_TYPE_U16, blocks->n_blocks};
        n += list_launches(variant, blocks->n_blocks, list + n);
    } else if (variant->strategy == MPLAN_STRATEGY_GLOBAL_COLOUR) {
        list[n++] = (expected){MPLAN_KIND_GLOBAL_COLOURS, MPLAN_TYPE_I32, set->storage_size};
        list[n++] = (expected){MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS, MPLAN_TYPE_I64,
                               variant->global_colours + 1};
        list[n++] = (expected){MPLAN_KIND_GLOBAL_LAUNCH, MPLAN_TYPE_I32, set->size};
    }
    mplan_status status = list_gathering(in, l, variant, list, &n);
    for (int32_t i = 0; i < n && status == MPLAN_OK; i++)
        status = expect(in, mplan_key_of_variant(list[i].kind, l, v), list[i].type, list[i].rows,
                        1);
    return status;
}

/* Gather lists of two-step belong to the loop, one pair for each map that it writes
 * through. */
static mplan_status expect_of_loop(finder *in, int32_t l)
{
    const mplan_plan *plan = in->check->plan;
    const mplan_check_loop *loop = &in->check->loops[l];
    mplan_status status = MPLAN_OK;
    for (int32_t v = 0; v < plan->loops[l].n_variants && status == MPLAN_OK; v++)
        status = expect_of_variant(in, l, v);
    for (int32_t m = 0; loop->two_step && m < loop->n_maps && status == MPLAN_OK; m++) {
        int32_t map = loop->maps[m];
        if (!loop->written[m])
            continue;
        status = expect(in, mplan_key_of_gather(MPLAN_KIND_GATHER_OFFSETS, l, map), MPLAN_TYPE_I64,
                        plan->sets[plan->maps[map].to].storage_size + 1, 1);
        if (status == MPLAN_OK)
            status = expect(in, mplan_key_of_gather(MPLAN_KIND_GATHER_SLOTS, l, map),
                            MPLAN_TYPE_I64, ANY_ROWS, 1);
    }
    return status;
}

/* Keys must ascend, or finding one proves nothing. */
static mplan_status check_keys(const mplan_plan *plan, mplan_error *err)
{
    for (int32_t i = 1; i < plan->n_arrays; i++)
        if (mplan_key_compare(&plan->arrays[i - 1].key, &plan->arrays[i].key) >= 0)
            return MPLAN_DISPROVED(err, "arrays %d and %d do not ascend by key", (int)i - 1,
                                   (int)i);
    return MPLAN_OK;
}

/* An array that nothing has asked for is refused: readers of the plan would not know
 * what it means. */
static mplan_status refuse_others(const finder *in)
{
    const mplan_plan *plan = in->check->plan;
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        char text[MPLAN_ERROR_TEXT / 2];
        if (in->found[i] || !kind_name(plan->arrays[i].key.kind))
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
    for (int32_t s = 0; s < plan->n_sets && status == MPLAN_OK; s++)
        status = expect_of_set(&in, s);
    for (int32_t m = 0; m < plan->n_maps && status == MPLAN_OK; m++)
        status = expect_of_map(&in, m);
    for (int32_t b = 0; b < plan->n_block_sets && status == MPLAN_OK; b++)
        status = expect_of_block_set(&in, b);
    for (int32_t p = 0; p < check->n_pairs && status == MPLAN_OK; p++)
        status = expect_of_pair(&in, &check->pairs[p]);
    for (int32_t l = 0; l < plan->n_loops && status == MPLAN_OK; l++)
        status = expect_of_loop(&in, l);
    if (status == MPLAN_OK)
        status = refuse_others(&in);
    free(in.found);
    return status;
}
