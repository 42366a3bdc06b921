/* SPDX-License-Identifier: Apache-2.0 */
/* strategies.c - the strategies: one row each, with its word, its traits and its arrays
 *
 * Section 5 of formats/plan-format.md, as a table, for the reader, the writer and `check`. */
#include "plan/strategies.h"

#include <assert.h>
#include <string.h>

#include "plan/packed.h"

/* When a variant has an array: all of the conditions hold. */
enum {
    ALWAYS = 0,
    PARTIAL = 1 << 0,
    BY_COLOUR = 1 << 1, /* sums */
    INDEX16 = 1 << 2,
    LONG_ENTRIES = 1 << 3,
    PAIR32 = 1 << 4, /* encoding; LONG_ENTRIES: of 32 bits */
    SLICED = 1 << 5,
    FIXED = 1 << 6, /* width: 0, or of every row */
    WINDOWS = 1 << 7,
    WINDOWS16 = 1 << 8 /* encoding */
};

/* How many rows an array has, by what. ENDS: one more than; MOST: at most. */
typedef enum row_count {
    STORED,
    MEMBERS,
    GLOBAL_LAUNCH_ENDS, /* of the loop's set */
    POSITIONS,
    BLOCKS,
    BLOCK_ENDS,
    BLOCK_LAUNCH_ENDS, /* of the block set */
    MOST_BYTES,
    MOST_POINTS,
    MOST_POINT_ENDS, /* of what is incremented */
    POINT_ENDS,
    SLICES,
    SLICE_ENDS,
    SLICE_ROWS,
    WIDE_ROWS,
    WIDE_FIELDS,
    SLICE_WINDOWS,
    MOST_ENTRIES,
    MOST_PADDED_ENTRIES,
    MOST_PADDED_FIELDS
} row_count;

/* A kind of array that variants of a strategy have, and the conditions under which one has it. A kind may have
 * several rows, of which one at most applies. */
typedef struct array_row {
    mplan_kind kind;
    mplan_type type;
    row_count rows;
    uint32_t when;
} array_row;

static const array_row global_colour_arrays[] = {
    {MPLAN_KIND_GLOBAL_COLOURS, MPLAN_TYPE_I32, STORED, ALWAYS},
    {MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS, MPLAN_TYPE_I64, GLOBAL_LAUNCH_ENDS, ALWAYS},
    {MPLAN_KIND_GLOBAL_LAUNCH, MPLAN_TYPE_I32, MEMBERS, ALWAYS},
};

static const array_row block_colour_arrays[] = {
    {MPLAN_KIND_THREAD_COLOURS, MPLAN_TYPE_U16, POSITIONS, ALWAYS},
    {MPLAN_KIND_BLOCK_THREAD_COLOURS, MPLAN_TYPE_U16, BLOCKS, ALWAYS},
    {MPLAN_KIND_BLOCK_COLOURS, MPLAN_TYPE_I32, BLOCKS, ALWAYS},
    {MPLAN_KIND_BLOCK_LAUNCH_OFFSETS, MPLAN_TYPE_I64, BLOCK_LAUNCH_ENDS, ALWAYS},
    {MPLAN_KIND_BLOCK_LAUNCH, MPLAN_TYPE_I32, BLOCKS, ALWAYS},
};

static const array_row block_gather_arrays[] = {
    {MPLAN_KIND_BLOCK_RECORD_OFFSETS, MPLAN_TYPE_I64, BLOCK_ENDS, ALWAYS},
    {MPLAN_KIND_BLOCK_RECORDS, MPLAN_TYPE_U8, MOST_BYTES, ALWAYS},
    {MPLAN_KIND_PARTIAL_POINTS, MPLAN_TYPE_I32, MOST_POINTS, PARTIAL},
    {MPLAN_KIND_PARTIAL_OFFSETS, MPLAN_TYPE_I64, MOST_POINT_ENDS, PARTIAL},
    {MPLAN_KIND_BLOCK_COLOURS, MPLAN_TYPE_I32, BLOCKS, BY_COLOUR},
    {MPLAN_KIND_BLOCK_LAUNCH_OFFSETS, MPLAN_TYPE_I64, BLOCK_LAUNCH_ENDS, BY_COLOUR},
    {MPLAN_KIND_BLOCK_LAUNCH, MPLAN_TYPE_I32, BLOCKS, BY_COLOUR},
};

static const array_row owner_gather_arrays[] = {
    {MPLAN_KIND_OWNER_ENTRIES, MPLAN_TYPE_U16, WIDE_ROWS, INDEX16 | FIXED},
    {MPLAN_KIND_OWNER_ENTRIES, MPLAN_TYPE_I32, WIDE_ROWS, LONG_ENTRIES | FIXED},
    /* every column of entries holds one at least */
    {MPLAN_KIND_OWNER_ENTRIES, MPLAN_TYPE_U16, MOST_PADDED_ENTRIES, INDEX16 | SLICED},
    {MPLAN_KIND_OWNER_ENTRIES, MPLAN_TYPE_I32, MOST_PADDED_ENTRIES, LONG_ENTRIES | SLICED},
    {MPLAN_KIND_OWNER_OFFSETS, MPLAN_TYPE_I64, SLICE_ENDS, SLICED},
    {MPLAN_KIND_OWNER_BASE, MPLAN_TYPE_I32, SLICES, INDEX16},
    {MPLAN_KIND_OWNER_ESCAPE_OFFSETS, MPLAN_TYPE_I64, SLICE_ENDS, INDEX16},
    {MPLAN_KIND_OWNER_ESCAPES, MPLAN_TYPE_I32, MOST_ENTRIES, INDEX16},
    {MPLAN_KIND_OWNER_ROW_START, MPLAN_TYPE_I32, POINT_ENDS, PAIR32},
    {MPLAN_KIND_OWNER_POINTS, MPLAN_TYPE_U8, SLICE_ROWS, WINDOWS},
    {MPLAN_KIND_OWNER_ENTRIES, MPLAN_TYPE_U16, WIDE_FIELDS, WINDOWS16 | FIXED},
    {MPLAN_KIND_OWNER_ENTRIES, MPLAN_TYPE_U16, MOST_PADDED_FIELDS, WINDOWS16 | SLICED},
    {MPLAN_KIND_OWNER_WINDOWS, MPLAN_TYPE_I32, SLICE_WINDOWS, WINDOWS16},
    {MPLAN_KIND_OWNER_PLAIN, MPLAN_TYPE_I32, MOST_PADDED_ENTRIES, WINDOWS16},
};

#define ARRAYS(list) list, (int32_t)(sizeof(list) / sizeof *(list))

/* By the value of the strategy, one row each. Arrays of a strategy that belong to its loop are not listed here. */
static const struct {
    const char *name;
    uint32_t traits;
    const char *proof; /* what a verified plan was proved to hold of it; NULL: nothing of its own */
    const array_row *arrays;
    int32_t n_arrays;
} strategies[MPLAN_N_STRATEGIES] = {
    [MPLAN_STRATEGY_GLOBAL_COLOUR] =
        {"global-colour", MPLAN_TRAIT_GLOBAL_COLOURS,
         "global-colour: equal colours share no incremented point, every element is in one launch",
         ARRAYS(global_colour_arrays)},
    [MPLAN_STRATEGY_BLOCK_COLOUR] =
        {"block-colour", MPLAN_TRAIT_BLOCKS | MPLAN_TRAIT_THREAD_COLOURS,
         "block-colour: equal colours share no incremented point, every block is in one launch",
         ARRAYS(block_colour_arrays)},
    [MPLAN_STRATEGY_TWO_STEP] = {"two-step", MPLAN_TRAIT_SLOT_LISTS,
                                 "two-step: every slot is gathered once, by its point", NULL,
                                 0}, /* its lists belong to the loop */
    [MPLAN_STRATEGY_ATOMIC] = {"atomic", MPLAN_TRAIT_ATOMIC, NULL, NULL, 0},
    [MPLAN_STRATEGY_BLOCK_GATHER] =
        {"block-gather", MPLAN_TRAIT_BLOCKS | MPLAN_TRAIT_RECORDS,
         "block-gather: records lead to the mapped points; every increment is in one sum, every sum "
         "of several blocks in one slot",
         ARRAYS(block_gather_arrays)},
    [MPLAN_STRATEGY_OWNER_GATHER] =
        {"owner-gather", MPLAN_TRAIT_OWNERS,
         "owner-gather: the entries of every point are its elements, each once and in order",
         ARRAYS(owner_gather_arrays)},
};

/* --- words and traits ----------------------------------------------------------- */

/* Also of a number from a file, which the enum need not hold. */
static bool is_known(mplan_strategy value)
{
    return (int)value >= 0 && value < MPLAN_N_STRATEGIES;
}

const char *mplan_strategy_name(mplan_strategy value)
{
    return is_known(value) ? strategies[value].name : NULL;
}

bool mplan_strategy_from(const char *word, mplan_strategy *value)
{
    for (int i = 0; word && value && i < MPLAN_N_STRATEGIES; i++)
        if (strcmp(strategies[i].name, word) == 0) {
            *value = (mplan_strategy)i;
            return true;
        }
    return false;
}

uint32_t mplan_strategy_traits(mplan_strategy value)
{
    return is_known(value) ? strategies[value].traits : 0;
}

const char *mplan_strategy_proof(mplan_strategy value)
{
    return is_known(value) ? strategies[value].proof : NULL;
}

/* Records add in a fixed order within a block; only atomic sums of several blocks depend on which comes first. */
/* Lowest and highest level of layer 0. */
static void span_of(const mplan_arg_layers *layers, int32_t span[2])
{
    span[0] = span[1] = layers->slots[0].offset;
    for (int32_t s = 1; s < layers->n_slots; s++) {
        const int32_t offset = layers->slots[s].offset;
        span[0] = offset < span[0] ? offset : span[0];
        span[1] = offset > span[1] ? offset : span[1];
    }
}

bool mplan_strategy_takes_slots(mplan_strategy strategy, const mplan_arg_layers *x,
                                const mplan_arg_layers *y)
{
    assert(x && y && x->n_slots > 0 && y->n_slots > 0);
    int32_t span[2], other[2];
    span_of(x, span);
    span_of(y, other);
    if (mplan_strategy_has(strategy, MPLAN_TRAITS_COLOURED))
        return x->stride == y->stride;
    return !mplan_strategy_has(strategy, MPLAN_TRAIT_RECORDS) ||
           (x->stride == y->stride && span[0] == other[0] && span[1] == other[1]);
}

bool mplan_variant_is_deterministic(mplan_strategy strategy, mplan_sums sums, bool writes)
{
    if (mplan_strategy_has(strategy, MPLAN_TRAIT_RECORDS))
        return sums != MPLAN_SUMS_ATOMIC || !writes;
    return !mplan_strategy_has(strategy, MPLAN_TRAIT_ATOMIC) || !writes;
}

bool mplan_variant_colours_blocks(const mplan_plan_variant *variant)
{
    return mplan_strategy_has(variant->strategy, MPLAN_TRAIT_THREAD_COLOURS) ||
           (mplan_strategy_has(variant->strategy, MPLAN_TRAIT_RECORDS) &&
            variant->sums == MPLAN_SUMS_COLOUR);
}

/* --- arrays ------------------------------------------------------------------------ */

/* What of `when` holds for a variant. A variant that does not gather has no encoding and no
 * width: its arrays ask for none of these. */
static uint32_t conditions_of(const mplan_plan_variant *variant)
{
    uint32_t hold = variant->encoding == MPLAN_ENCODING_INDEX16     ? INDEX16
                    : variant->encoding == MPLAN_ENCODING_WINDOWS16 ? WINDOWS16
                                                                    : LONG_ENTRIES;
    hold |= variant->sums == MPLAN_SUMS_PARTIAL ? PARTIAL : 0;
    hold |= variant->sums == MPLAN_SUMS_COLOUR ? BY_COLOUR : 0;
    hold |= variant->encoding == MPLAN_ENCODING_PAIR32 ? PAIR32 : 0;
    hold |= variant->width > 0 ? FIXED : SLICED;
    hold |= variant->window > 0 ? WINDOWS : 0;
    return hold;
}

/* rows: STORED, MEMBERS or GLOBAL_LAUNCH_ENDS. */
static int64_t rows_of_set(const mplan_plan *plan, int32_t loop, const mplan_plan_variant *variant,
                           row_count rows)
{
    const mplan_plan_set *set = &plan->sets[plan->loops[loop].set];
    switch (rows) {
    case STORED: return set->storage_size;
    case MEMBERS: return set->size;
    default: return (int64_t)variant->global_colours + 1;
    }
}

/* rows: POSITIONS to BLOCK_LAUNCH_ENDS. The variant must name a block set. */
static int64_t rows_of_blocks(const mplan_plan *plan, const mplan_plan_variant *variant,
                              row_count rows)
{
    const mplan_plan_block_set *blocks = &plan->block_sets[variant->block_set];
    const mplan_plan_set *set = &plan->sets[blocks->set];
    switch (rows) {
    case POSITIONS: return blocks->sequence ? set->size : set->storage_size;
    case BLOCKS: return blocks->n_blocks;
    case BLOCK_ENDS: return (int64_t)blocks->n_blocks + 1;
    default: return (int64_t)variant->block_colours + 1;
    }
}

/* n x each; records that nobody has compared with the file may say anything. */
static int64_t most_of(int64_t n, int64_t each)
{
    return n < INT64_MAX / each ? n * each : INT64_MAX;
}

/* rows: from MOST_BYTES on. Limits may be as large as INT64_MAX: the length of records
 * (MOST_BYTES) is said by their offsets only. */
static int64_t rows_of_increments(const mplan_plan *plan, const mplan_plan_variant *variant,
                                  const mplan_increments *increments, row_count rows)
{
    const int64_t points = plan->sets[increments->set].storage_size;
    const int64_t slice = MPLAN_SLICE_ROWS(variant->slice_rows);
    const int64_t slices = MPLAN_OWNER_SLICES(points, slice);
    const int64_t fields = increments->fields;
    switch (rows) {
    case MOST_POINTS: return points;
    case MOST_POINT_ENDS:
    case POINT_ENDS: return points + 1;
    case SLICES: return slices;
    case SLICE_ENDS: return slices + 1;
    case SLICE_ROWS: return slice * slices;
    case WIDE_ROWS: return slice * slices * variant->width;
    case WIDE_FIELDS: return most_of(slices * variant->width, slice * fields);
    case SLICE_WINDOWS: return MPLAN_WINDOW_WORDS * slices;
    case MOST_ENTRIES: return increments->entries;
    case MOST_PADDED_ENTRIES: return most_of(increments->entries, slice);
    case MOST_PADDED_FIELDS: return most_of(increments->entries, slice * fields);
    default: return INT64_MAX;
    }
}

/* These may have fewer rows; how many, the array says itself. */
static bool is_limit(row_count rows)
{
    return rows == MOST_BYTES || rows == MOST_POINTS || rows == MOST_POINT_ENDS ||
           rows == MOST_ENTRIES || rows == MOST_PADDED_ENTRIES || rows == MOST_PADDED_FIELDS;
}

/* Groups of `row_count` are in the order of the comparisons below. list[0 .. n) in the order
 * of the table. */
int32_t mplan_variant_arrays(const mplan_plan *plan, int32_t loop, int32_t v,
                             const mplan_increments *increments,
                             mplan_variant_array list[MPLAN_VARIANT_ARRAYS_MOST])
{
    const mplan_plan_variant *variant = &plan->loops[loop].variants[v];
    const uint32_t hold = conditions_of(variant);
    int32_t n = 0;
    for (int32_t i = 0; i < strategies[variant->strategy].n_arrays; i++) {
        const array_row *row = &strategies[variant->strategy].arrays[i];
        if ((row->when & hold) != row->when)
            continue;
        int64_t n_rows = row->rows <= GLOBAL_LAUNCH_ENDS
                             ? rows_of_set(plan, loop, variant, row->rows)
                         : row->rows <= BLOCK_LAUNCH_ENDS
                             ? rows_of_blocks(plan, variant, row->rows)
                             : rows_of_increments(plan, variant, increments, row->rows);
        assert(n < MPLAN_VARIANT_ARRAYS_MOST);
        list[n++] = (mplan_variant_array){row->kind, row->type, n_rows, is_limit(row->rows)};
    }
    return n;
}
