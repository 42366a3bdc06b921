/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_tables.c - numbers of a plan's arrays at and beyond each limit, with the sentence that each is due
 *
 * All proofs but that of the request see each change; tests/campaign/plan_mutants.c makes such changes by the
 * thousand, and knows no sentences. */
#include "support_check.h"

#include "support_cases.h"
#include "support_fence.h"

static support_cases cases;
static mplan_plan *plan;

static mplan_status plan_holds(support_cases *all, mplan_error *err)
{
    return mplan_check_prove(all->plan, NULL, false, all->check.context, err);
}

/* Faces are run, and increment cells, by every strategy; faces and cells have holes. */
static int open_cases(void **state)
{
    (void)state;
    mplan_mesh *mesh = support_fixed_mesh();
    plan = support_fixed_plan(mesh);
    support_cases_open(&cases, mesh, plan);
    cases.proof = plan_holds;
    return 0;
}

static int close_cases(void **state)
{
    (void)state;
    support_cases_close(&cases);
    return 0;
}

static int32_t variant_with(mplan_strategy strategy, mplan_sums sums, mplan_encoding encoding)
{
    for (int32_t v = 0; v < plan->loops[0].n_variants; v++) {
        const mplan_plan_variant *variant = VARIANT_OF(0, v);
        if (variant->strategy == strategy && variant->sums == sums && variant->encoding == encoding)
            return v;
    }
    fail_msg("no such variant");
    return -1;
}

static int64_t hole_of(int32_t set)
{
    return place_of(SET(MPLAN_KIND_OLD_OF_NEW, set), -1, true);
}

static void orders_and_ids(void **state)
{
    mplan_array *order = SET(MPLAN_KIND_NEW_OF_OLD, 0), *back = SET(MPLAN_KIND_OLD_OF_NEW, 0);
    mplan_array *id = SET(MPLAN_KIND_GLOBAL_ID, CELLS_SET),
                *outer = SET(MPLAN_KIND_GLOBAL_ID, BOUNDARY_SET);
    (void)state;
    HOLDS();
    REFUSED("NEW_OF_OLD puts member 3 at -1, which is not in [0, 16)", put(order, 3, -1));
    REFUSED("NEW_OF_OLD puts member 3 at 16, which is not in [0, 16)", put(order, 3, 16));
    REFUSED("OLD_OF_NEW has -2 at", put(back, hole_of(0), -2));
    REFUSED("OLD_OF_NEW has 14 at", put(back, hole_of(0), 14));
    REFUSED("OLD_OF_NEW has member 0 at", put(back, hole_of(0), 0));
    REFUSED("OLD_OF_NEW has member 13 at", put(back, hole_of(0), 13));
    const int64_t last = plan->sets[CELLS_SET].size - 1;
    REFUSED("does not ascend from 0", put(id, last, INT32_MAX));
    REFUSED("neither has GLOBAL_ID 11", put(id, last, INT32_MAX - 1));
    REFUSED("GLOBAL_ID -1 of member 0 does not ascend from 0", put(id, 0, -1));
    REFUSED("neither has GLOBAL_ID 0", put(id, 0, 1), put(id, 1, 2), put(id, 2, 3), put(id, 3, 4),
            put(id, 4, 5), put(id, 5, 6), put(id, 6, 7), put(id, 7, 8), put(id, 8, 9),
            put(id, 9, 10), put(id, 10, 11), put(id, 11, 12));
    REFUSED("both have GLOBAL_ID 11", put(outer, 0, 11));
    REFUSED("neither has GLOBAL_ID 13", put(outer, 1, 14));
    REFUSED("GLOBAL_ID 12 of member 1 does not ascend", put(outer, 1, 12));
    HOLDS(put(id, 11, 12), put(outer, 0, 11));
}

static void entries_of_maps(void **state)
{
    mplan_array *values = MAP(MPLAN_KIND_MAP_VALUES, FACES_NODES),
                *offsets = MAP(MPLAN_KIND_MAP_OFFSETS, FACES_NODES);
    const int64_t n = plan->maps[FACES_NODES].n_entries;
    (void)state;
    REFUSED("gives row 0 the entries 0 to -1 of", put(offsets, 1, -1));
    REFUSED("gives row 1 the entries", put(offsets, 2, n + 1));
    REFUSED("gives row 0 the entries 0 to", put(offsets, 1, n + 1));
    REFUSED("runs from -1 to", put(offsets, 0, -1));
    REFUSED("is -2, which is not in [-1, 9)", put(values, 0, -2));
    REFUSED("is 9, which is not in [-1, 9)", put(values, 0, 9));
    /* a hole is not a point: also the first one */
    const int64_t hole = hole_of(CELLS_SET);
    REFUSED("which is a hole of cells", put(MAP(MPLAN_KIND_MAP_VALUES, FACES_CELLS), 0, hole));
    mplan_array *back = SET(MPLAN_KIND_OLD_OF_NEW, CELLS_SET),
                *order = SET(MPLAN_KIND_NEW_OF_OLD, CELLS_SET);
    const int64_t old = get(back, 0);
    if (old >= 0) /* the member at 0 moves into the hole, and 0 becomes one */
        REFUSED("is 0, which is a hole of cells", put(back, hole, old), put(order, old, hole),
                put(back, 0, -1));
    REFUSED("arg 0 expects no entry of -1, but element", ARG_OF(0, 0)->none = MPLAN_NONE_REFUSE);
    HOLDS(ARG_OF(0, 0)->none = MPLAN_NONE_SKIP);
    for (int32_t e = 0; e < 16; e++) { /* the first element without a point is named */
        mplan_array *pairs = MAP(MPLAN_KIND_MAP_VALUES, FACES_CELLS);
        char reason[96];
        if (get(SET(MPLAN_KIND_OLD_OF_NEW, FACES_SET), e) < 0)
            continue;
        snprintf(reason, sizeof reason,
                 "arg 1 expects no entry of -1, but element %d of map faces_cells", (int)e);
        REFUSED(reason, put(pairs, 2 * e + 1, -1));
    }
}

static void blocks_of_elements(void **state)
{
    mplan_array *sequence = BLOCKS(MPLAN_KIND_BLOCK_SEQUENCE, 1),
                *runs = BLOCKS(MPLAN_KIND_BLOCK_OFFSETS, 0);
    (void)state;
    for (int64_t p = 1; p < 14; p++)
        REFUSED("again at position", put(sequence, p, get(sequence, p - 1)));
    REFUSED("BLOCK_SEQUENCE has -1 at position 0", put(sequence, 0, -1));
    REFUSED("BLOCK_SEQUENCE has 16 at position 0", put(sequence, 0, 16));
    REFUSED("block 0 runs from position 0 to -1", put(runs, 1, -1));
    REFUSED("block 0 runs from position 0 to 17", put(runs, 1, 17));
    REFUSED("blocks have", plan->block_sets[0].block_min--);
    REFUSED("blocks have", plan->block_sets[0].block_max++);
}

static void points_of_blocks(void **state)
{
    mplan_array *points = POINTS(MPLAN_KIND_BLOCK_POINTS, 0, CELLS_SET);
    mplan_array *offsets = POINTS(MPLAN_KIND_BLOCK_POINT_OFFSETS, 0, CELLS_SET);
    mplan_array *local = array_of(plan, mplan_key_of_block_local(0, 0, FACES_CELLS));
    const int64_t end = get(offsets, 1), n = plan->sets[CELLS_SET].storage_size;
    bool first_is_lacked = false;
    (void)state;
    REFUSED("has -1 at place 0, which does not ascend", put(points, 0, -1));
    REFUSED("at place", put(points, end - 1, n));
    REFUSED("gives block 0 the points 0 to -1", put(offsets, 1, -1));
    REFUSED("gives block 0 the points 0 to", put(offsets, 1, points->rows + 1));
    REFUSED("runs from -1", put(offsets, 0, -1));
    for (int64_t b = 0; b + 1 < offsets->rows; b++)
        for (int64_t i = get(offsets, b); i < get(offsets, b + 1); i++) {
            const int64_t before = i > get(offsets, b) ? get(points, i - 1) : -1,
                          behind = i + 1 < get(offsets, b + 1) ? get(points, i + 1) : n;
            char reason[64];
            snprintf(reason, sizeof reason, "BLOCK_POINTS of cells lacks point %d,",
                     (int)get(points, i));
            for (int64_t other = before + 1; other < behind; other++)
                if (other != get(points, i)) { /* another point in the place of one that is touched */
                    REFUSED(reason, put(points, i, other));
                    first_is_lacked = first_is_lacked || get(points, i) == 0;
                }
        }
    assert_true(first_is_lacked);
    int64_t first = 0;
    while (get(local, first) == 65535)
        first++;
    for (int64_t value = 0; value <= end; value++)
        if (value != get(local, first))
            REFUSED("does not lead to", put(local, first, value));
    REFUSED("does not lead to", put(local, first, 65535));
    REFUSED("does not lead to", put(local, first, 65534));
    for (int64_t i = first; i < 2 * get(BLOCKS(MPLAN_KIND_BLOCK_OFFSETS, 0), 1); i++)
        if (get(local, i) == 65535)
            REFUSED("does not lead to -1", put(local, i, 0));
}

static void colours_and_launches(void **state)
{
    mplan_array *colour = VARIANT(MPLAN_KIND_GLOBAL_COLOURS, GLOBAL),
                *list = VARIANT(MPLAN_KIND_GLOBAL_LAUNCH, GLOBAL);
    mplan_array *threads = VARIANT(MPLAN_KIND_THREAD_COLOURS, BY_RUNS);
    const int64_t n = VARIANT_OF(0, GLOBAL)->global_colours;
    int64_t first = 0;
    (void)state;
    for (int64_t e = 0; e < 16; e++)
        if (get(SET(MPLAN_KIND_OLD_OF_NEW, FACES_SET), e) >= 0) {
            char reason[80];
            snprintf(reason, sizeof reason, "GLOBAL_COLOURS gives element %d the colour -1 of",
                     (int)e);
            REFUSED(reason, put(colour, e, -1));
            snprintf(reason, sizeof reason, "GLOBAL_COLOURS gives element %d the colour %d of",
                     (int)e, (int)n);
            REFUSED(reason, put(colour, e, n));
            snprintf(reason, sizeof reason, "THREAD_COLOURS does not give element %d of block",
                     (int)e);
            REFUSED(reason, put(threads, e, 65535));
            first = first ? first : e;
        } else {
            REFUSED("which is a hole", put(colour, e, 0));
            REFUSED("which is a hole", put(threads, e, 0));
            REFUSED("which is a hole", put(threads, e, 65534));
        }
    REFUSED("has element -1 at place 0", put(list, 0, -1));
    REFUSED("has element 16 at place 0", put(list, 0, 16));
    REFUSED("launch 0 runs element", put(list, 0, get(list, list->rows - 1)),
            put(list, 1, get(list, 1) + 0));
    REFUSED("THREAD_COLOURS", put(threads, first, 65534));
}

static void gather_lists(void **state)
{
    const mplan_key key = mplan_key_of_gather(MPLAN_KIND_GATHER_SLOTS, 0, FACES_CELLS);
    mplan_array *slots = array_of(plan, key), *offsets = first_of(plan, MPLAN_KIND_GATHER_OFFSETS);
    (void)state;
    REFUSED("GATHER_SLOTS has -1 at place 0", put(slots, 0, -1));
    REFUSED("GATHER_SLOTS has 32 at place 0", put(slots, 0, 32));
    REFUSED("GATHER_OFFSETS gives point 0 of cells the slots 0 to -1", put(offsets, 1, -1));
    REFUSED("GATHER_OFFSETS", put(offsets, 0, -1));
}

/* --- records of block-gather --- */

static mplan_array *record_bytes, *record_at;

static void open_records(mplan_sums sums)
{
    const int32_t v = variant_with(MPLAN_STRATEGY_BLOCK_GATHER, sums, MPLAN_ENCODING_NONE);
    record_bytes = VARIANT(MPLAN_KIND_BLOCK_RECORDS, v);
    record_at = VARIANT(MPLAN_KIND_BLOCK_RECORD_OFFSETS, v);
}

static void put32(int64_t at, int64_t value)
{
    const uint32_t word = (uint32_t)value;
    memcpy((uint8_t *)(uintptr_t)record_bytes->data + at, &word, 4);
}

static int64_t get32(int64_t at)
{
    uint32_t word;
    memcpy(&word, (const uint8_t *)record_bytes->data + at, 4);
    return word;
}

static void put16(int64_t at, int64_t value)
{
    const uint16_t word = (uint16_t)value;
    memcpy((uint8_t *)(uintptr_t)record_bytes->data + at, &word, 2);
}

static int64_t get16(int64_t at)
{
    uint16_t word;
    memcpy(&word, (const uint8_t *)record_bytes->data + at, 2);
    return word;
}

/* Where the fields of a header are, in words (formats/plan-format.md, section 8). */
static int word_of(int64_t value, const int64_t *header)
{
    for (int w = 0; w < 8; w++)
        if (header[w] == value)
            return w;
    return -1;
}

static void headers_of_records(void **state)
{
    static const mplan_sums ways[] = {MPLAN_SUMS_PARTIAL, MPLAN_SUMS_ATOMIC, MPLAN_SUMS_COLOUR};
    (void)state;
    for (int i = 0; i < 3; i++) {
        open_records(ways[i]);
        const int64_t n_blocks = record_at->rows - 1, bytes = record_bytes->rows;
        /* every word of the header of the first record, by one and out of all bounds */
        for (int w = 0; w < 8; w++) {
            REFUSED("BLOCK_RECORDS: the record of block 0", put32(4 * w, get32(4 * w) + 1));
            REFUSED("BLOCK_RECORDS: the record of block 0", put32(4 * w, get32(4 * w) - 1));
            REFUSED("BLOCK_RECORDS: the record of block 0", put32(4 * w, 65536));
            REFUSED("BLOCK_RECORDS: the record of block 0", put32(4 * w, INT32_MAX));
        }
        REFUSED("BLOCK_RECORD_OFFSETS runs from 16 to", put(record_at, 0, 16));
        REFUSED("BLOCK_RECORD_OFFSETS runs from 0 to", put(record_at, n_blocks, bytes - 16));
        REFUSED("BLOCK_RECORD_OFFSETS runs from 0 to", put(record_at, n_blocks, bytes + 16));
        REFUSED("BLOCK_RECORD_OFFSETS has -16 after 0 at block 0", put(record_at, 1, -16));
        if (n_blocks > 1) {
            char reason[96];
            snprintf(reason, sizeof reason, "BLOCK_RECORD_OFFSETS has %d after 0 at block 0",
                     (int)bytes + 16);
            REFUSED(reason, put(record_at, 1, bytes + 16));
            REFUSED("at block 0", put(record_at, 1, get(record_at, 1) + 1));
            REFUSED("is shorter than a header", put(record_at, 1, 0));
            REFUSED("is shorter than a header", put(record_at, 1, 16));
            REFUSED("has a header of another block", put(record_at, 1, 32));
        }
    }
}

/* Numbers of points and entries, of which no more than 16 bits can name; and bytes between the parts. */
static void parts_of_records(void **state)
{
    (void)state;
    open_records(MPLAN_SUMS_PARTIAL);
    int64_t header[8];
    for (int w = 0; w < 8; w++)
        header[w] = get32(4 * w);
    const int64_t end = get(record_at, 1);
    const int bytes_word = word_of(end, header);
    assert_true(bytes_word >= 0);
    for (int w = 0; w < 8; w++) {
        if (w == bytes_word)
            continue;
        REFUSED("the record of block 0", put32(4 * w, 65535));
        REFUSED("the record of block 0", put32(4 * w, 65534));
    }
    REFUSED("has a header of another block", put32(4 * bytes_word, end + 16));
    /* every byte of the record but for those of its header says something, or is zero */
    for (int64_t at = 32; at < end; at += 2) {
        REFUSED("block 0", put16(at, get16(at) + 1));
        REFUSED("block 0", put16(at, get16(at) ^ 0x8000));
    }
}

static void sums_of_records(void **state)
{
    const int32_t v = variant_with(MPLAN_STRATEGY_BLOCK_GATHER, MPLAN_SUMS_PARTIAL,
                                   MPLAN_ENCODING_NONE);
    mplan_array *points = VARIANT(MPLAN_KIND_PARTIAL_POINTS, v),
                *offsets = VARIANT(MPLAN_KIND_PARTIAL_OFFSETS, v);
    mplan_plan_variant *variant = VARIANT_OF(0, v);
    (void)state;
    assert_true(points->rows > 1);
    for (int64_t i = 0; i < points->rows; i++) {
        REFUSED("PARTIAL_POINTS and PARTIAL_OFFSETS do not give point",
                put(points, i, get(points, i) + 1));
        REFUSED("PARTIAL_POINTS and PARTIAL_OFFSETS do not give point",
                put(offsets, i, get(offsets, i) + 1));
    }
    REFUSED("partial sums of", put(offsets, points->rows, get(offsets, points->rows) + 1));
    REFUSED("partial sums of", variant->partial_sums++);
    REFUSED("PARTIAL_OFFSETS does not have one row more than PARTIAL_POINTS", points->rows--);
    REFUSED("PARTIAL_POINTS and PARTIAL_OFFSETS do not give point", points->rows--, offsets->rows--);
    REFUSED("shared_bytes_max is", variant->shared_bytes_max++);
    REFUSED("has a number of partial sums, but no partial sums", variant->partial_sums = -1);
    REFUSED("has a number of partial sums, but no partial sums",
            VARIANT_OF(0, ATOMIC)->partial_sums = 1);
    REFUSED("has a number of partial sums, but no partial sums",
            VARIANT_OF(0, ATOMIC)->partial_sums = -1);
    /* args of one dat are staged once, args of two dats twice */
    REFUSED("shared_bytes_max is", ARG_OF(0, 2)->dim = 5, ARG_OF(0, 2)->dat = "more");
    /* direct increments are not staged */
    HOLDS(ARG_OF(0, 3)->access = MPLAN_READ);
}

/* --- tables of owner-gather --- */

/* Every entry by one, to none, and to what cannot be; offsets likewise. */
static void owners_lead_to_entries(void **state)
{
    (void)state;
    for (int32_t v = 0; v < plan->loops[0].n_variants; v++) {
        if (VARIANT_OF(0, v)->strategy != MPLAN_STRATEGY_OWNER_GATHER)
            continue;
        mplan_array *entries = VARIANT(MPLAN_KIND_OWNER_ENTRIES, v);
        const bool short_ones = VARIANT_OF(0, v)->encoding == MPLAN_ENCODING_INDEX16;
        for (int64_t i = 0; i < entries->rows; i++) {
            const int64_t value = get(entries, i);
            if (value == -1 || (short_ones && value == 65535)) {
                REFUSED("(owner-gather): OWNER_ENTRIES", put(entries, i, 0));
                continue;
            }
            REFUSED("(owner-gather): OWNER_ENTRIES", put(entries, i, value + 1));
            REFUSED("(owner-gather): OWNER_ENTRIES", put(entries, i, value - 1));
            REFUSED("(owner-gather): OWNER_", put(entries, i, -1));
            if (!short_ones) {
                REFUSED("(owner-gather): OWNER_ENTRIES", put(entries, i, -2));
                REFUSED("(owner-gather): OWNER_ENTRIES", put(entries, i, INT32_MAX));
                REFUSED("(owner-gather): OWNER_ENTRIES", put(entries, i, INT32_MIN));
            }
        }
    }
}

/* --- what gathering variants say, and what is not proved --- */

/* Maps are proved first; nothing else is. */
static mplan_status gatherings_hold(support_cases *all, mplan_error *err)
{
    mplan_check check = all->check;
    mplan_status status = mplan_check_maps(&check, err);
    if (status == MPLAN_OK)
        status = mplan_check_gatherings(&check, err);
    free(check.maps);
    free(check.valid);
    return status;
}

static void variants_gather_as_they_say(void **state)
{
    static const char only[] = "has a width or window, but is not owner-gather",
                      cannot[] = "has an invalid width or window";
    static const char none[] = "has a number of partial sums, but no partial sums",
                      other[] = "has an encoding that does not belong to its strategy";
    mplan_plan_variant *atomic = VARIANT_OF(0, ATOMIC), *global = VARIANT_OF(0, GLOBAL);
    mplan_plan_variant *owner = VARIANT_OF(0, variant_with(MPLAN_STRATEGY_OWNER_GATHER,
                                                           MPLAN_SUMS_PARTIAL,
                                                           MPLAN_ENCODING_INDEX32));
    mplan_plan_variant *parts = VARIANT_OF(0, variant_with(MPLAN_STRATEGY_BLOCK_GATHER,
                                                           MPLAN_SUMS_PARTIAL, MPLAN_ENCODING_NONE));
    mplan_plan_variant *adds = VARIANT_OF(0, variant_with(MPLAN_STRATEGY_BLOCK_GATHER,
                                                          MPLAN_SUMS_ATOMIC, MPLAN_ENCODING_NONE));
    (void)state;
    cases.proof = gatherings_hold;
    HOLDS();
    for (int32_t width = -1; width <= 5; width++) {
        if (width < 0 || width > 4)
            REFUSED(cannot, owner->width = width, owner->window = 0);
        else
            HOLDS(owner->width = width, owner->window = 0);
        if (width)
            REFUSED(only, atomic->width = width);
    }
    for (int32_t window = 255; window <= 257; window++) {
        if (window == 256)
            HOLDS(owner->width = 0, owner->window = window);
        else
            REFUSED(cannot, owner->width = 0, owner->window = window);
        REFUSED(cannot, owner->width = 1, owner->window = window);
        REFUSED(only, atomic->window = window);
    }
    REFUSED(only, parts->window = 1);
    HOLDS(parts->partial_sums = 1);
    HOLDS(parts->partial_sums = 0);
    REFUSED(none, parts->partial_sums = -1);
    REFUSED(none, adds->partial_sums = 1);
    REFUSED(none, owner->partial_sums = 1);
    REFUSED(other, atomic->encoding = MPLAN_ENCODING_INDEX32);
    REFUSED(other, parts->encoding = MPLAN_ENCODING_INDEX16);
    REFUSED(other, owner->encoding = MPLAN_ENCODING_NONE);
    REFUSED("has sums, but is not block-gather", global->sums = MPLAN_SUMS_COLOUR);
    REFUSED("has sums, but is not block-gather", owner->sums = MPLAN_SUMS_ATOMIC);
    HOLDS(parts->sums = MPLAN_SUMS_COLOUR, parts->partial_sums = 0);
    cases.proof = plan_holds;
}

static void loops_gather_or_not(void **state)
{
    (void)state;
    cases.proof = gatherings_hold;
    for (mplan_access access = MPLAN_WRITE; access <= MPLAN_RW; access++)
        REFUSED("has a variant that gathers, but it writes through a map",
                ARG_OF(0, 2)->access = access);
    REFUSED("but it increments nothing through a map", ARG_OF(0, 2)->access = MPLAN_READ);
    REFUSED("but it increments nothing through a map", ARG_OF(0, 2)->map = -1);
    REFUSED("but it increments through a ragged map", ARG_OF(0, 0)->access = MPLAN_INC);
    REFUSED("but it increments two sets", ARG_OF(0, 0)->access = MPLAN_INC,
            ARG_OF(0, 0)->map = CELLS_NODES, ARG_OF(0, 0)->none = MPLAN_NONE_SKIP);
    REFUSED("but it increments two sets", ARG_OF(0, 0)->access = MPLAN_INC,
            ARG_OF(0, 0)->map = FACES_CELLS, ARG_OF(0, 2)->map = CELLS_NODES,
            ARG_OF(0, 2)->none = MPLAN_NONE_SKIP);
    HOLDS(ARG_OF(0, 1)->access = MPLAN_INC);
    /* elements without points are never computed: what they write directly would be missing */
    ARG_OF(0, 3)->access = MPLAN_WRITE;
    HOLDS((void)state);
    for (int32_t e = 0; e < 16; e++)
        for (int gone = 1; gone <= 3; gone++) {
            mplan_array *pairs = MAP(MPLAN_KIND_MAP_VALUES, FACES_CELLS);
            if (get(SET(MPLAN_KIND_OLD_OF_NEW, FACES_SET), e) < 0)
                continue;
            for (int direct = 0; direct < 2; direct++) {
                ARG_OF(0, 1)->none = ARG_OF(0, 2)->none = MPLAN_NONE_SKIP;
                ARG_OF(0, 3)->access = direct ? MPLAN_WRITE : MPLAN_READ;
                for (int k = 0; k < 2; k++)
                    if (gone & 1 << k)
                        put(pairs, 2 * e + k, -1);
                if (direct && gone == 3)
                    REFUSED("writes something for an element without points", (void)state);
                else
                    HOLDS((void)state);
            }
        }
    cases.proof = plan_holds;
}

static void measures_are_measured(void **state)
{
    (void)state;
    for (int s = 0; s < 4; s++) {
        mplan_plan_set *set = &plan->sets[s];
        for (int i = 0; i < 3; i += 2) {
            REFUSED("order: bandwidth is", set->bandwidth[i]++);
            REFUSED("order: profile is", set->profile[i]++);
            HOLDS(set->bandwidth[i] = set->profile[i] = -1);
            REFUSED("order: profile is", set->bandwidth[2 - i] = set->profile[2 - i] = -1,
                    set->profile[i]++);
        }
        HOLDS(set->bandwidth[0] = set->profile[0] = set->bandwidth[2] = set->profile[2] = -1);
    }
}

static void what_is_not_proved_is_listed(void **state)
{
    int32_t n = 0;
    (void)state;
    while (mplan_unproved_field(n))
        n++;
    assert_int_equal(n, 19);
    assert_null(mplan_unproved_field(-1));
    assert_null(mplan_unproved_field(n + 1));
    assert_string_equal(mplan_unproved_field(n - 1),
                        "ORIGINS.largest: as extent; with layers the size of the set, which is proved");
}

/* Arrays have the type and shape that the records ask for. */
static void arrays_have_their_shapes(void **state)
{
    (void)state;
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        mplan_array *array = &plan->arrays[i];
        const mplan_type other = array->type == MPLAN_TYPE_F32 ? MPLAN_TYPE_F64 : MPLAN_TYPE_F32;
        REFUSED("instead of", array->type = other);
        REFUSED("instead of", array->cols++);
        REFUSED("instead of", array->cols = 0);
        if (array->rows)
            REFUSED("has no data", array->data = NULL);
        REFUSED("instead of", array->rows = -1);
        if (array->key.kind == MPLAN_KIND_BLOCK_POINTS || array->key.kind == MPLAN_KIND_GATHER_SLOTS)
            REFUSED("rows of 2 instead of 1", array->cols = 2); /* of any number of rows */
    }
}

/* No proof reads what lies beside an array. */
static void nothing_beside_arrays_is_read(void **state)
{
    (void)state;
    for (int32_t i = 0; i < plan->n_arrays; i++)
        for (int side = 0; side < 2; side++) {
            mplan_array *array = &plan->arrays[i];
            support_fence fence = support_fence_open(array->data,
                                                     (size_t)(array->rows * array->cols) *
                                                         mplan_type_size(array->type),
                                                     (support_fence_side)side);
            HOLDS(array->data = fence.data);
            support_fence_close(&fence);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_and_ids),
        cmocka_unit_test(entries_of_maps),
        cmocka_unit_test(blocks_of_elements),
        cmocka_unit_test(points_of_blocks),
        cmocka_unit_test(colours_and_launches),
        cmocka_unit_test(gather_lists),
        cmocka_unit_test(headers_of_records),
        cmocka_unit_test(parts_of_records),
        cmocka_unit_test(sums_of_records),
        cmocka_unit_test(owners_lead_to_entries),
        cmocka_unit_test(variants_gather_as_they_say),
        cmocka_unit_test(loops_gather_or_not),
        cmocka_unit_test(measures_are_measured),
        cmocka_unit_test(what_is_not_proved_is_listed),
        cmocka_unit_test(arrays_have_their_shapes),
        cmocka_unit_test(nothing_beside_arrays_is_read),
    };
    return cmocka_run_group_tests(tests, open_cases, close_cases);
}
