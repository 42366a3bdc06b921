/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec_limits.c - every number of every array that a variant reads, at every limit
 *
 * One number of one array becomes each limit of the plan, one less and one more: sizes and
 * places of sets, numbers of blocks, entries, codes, sums, places within a block, the ends of
 * types. Binding must refuse exactly what support_bind.h forbids; what it takes is run,
 * so that the sanitizers see any index that leads astray. */
#include "exec/exec.h"
#include "support_bind.h"
#include "support_check.h"
#include "support_exec.h"

enum { MOST_VALUES = 256, PLACES = 15, FRESH = 64 };

/* A plan with its case and an executor whose dats are declared. */
typedef struct bench {
    const support_exec_case *test;
    mplan_plan *plan;
    mplan_exec *exec;
    int binds;
    int64_t refused, ran;
    bool kinds[256]; /* of arrays that a refusal named */
} bench;

/* --- one damage ------------------------------------------------------------------------ */

static void renew(bench *b, mplan_executor executor)
{
    mplan_error err;
    mplan_exec_close(b->exec);
    b->exec = support_exec_open(b->plan, executor, 1);
    assert_done(mplan_exec_declare_all(b->exec, &err), &err);
    b->binds = 0;
}

/* Kind and place that a refusal names; 0 for records. */
static mplan_kind named_kind(const char *text, int64_t *place)
{
    char name[64];
    long long at;
    if (sscanf(text, "the plan's table %63s is wrong at place %lld", name, &at) != 2)
        return (mplan_kind)0;
    *place = at;
    for (uint32_t kind = 1; kind < 256; kind++)
        if (mplan_kind_name(kind) && strcmp(mplan_kind_name(kind), name) == 0)
            return (mplan_kind)kind;
    fail_msg("unknown table: %s", text);
    return (mplan_kind)0;
}

static bool names_no_single_place(mplan_kind kind)
{
    switch (kind) {
    case MPLAN_KIND_BLOCK_RECORDS: /* by record */
    case MPLAN_KIND_BLOCK_OFFSETS:
    case MPLAN_KIND_BLOCK_POINT_OFFSETS:
    case MPLAN_KIND_BLOCK_LAUNCH_OFFSETS:
    case MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS:
    case MPLAN_KIND_GATHER_OFFSETS:
    case MPLAN_KIND_BLOCK_RECORD_OFFSETS:
    case MPLAN_KIND_PARTIAL_OFFSETS:
    case MPLAN_KIND_OWNER_OFFSETS:
    case MPLAN_KIND_OWNER_ESCAPE_OFFSETS: return true;
    default: return false;
    }
}

/* Binds variant v, whose array was damaged at a place, and runs what was bound. */
static void try_variant(bench *b, int32_t v, const mplan_array *array, int64_t at, int64_t value)
{
    mplan_error err = {MPLAN_OK, ""};
    mplan_exec_loop *bound;
    const bool serial = b->exec->executor == MPLAN_EXECUTOR_SERIAL;
    const bool allowed = support_bind_allows(b->plan, 0, v, serial);
    mplan_status status = mplan_exec_bind(b->exec, b->test->kernel->name, v, b->test->kernel,
                                          &bound, &err);
    if (status != (allowed ? MPLAN_OK : MPLAN_ERR_CORRUPT))
        fail_msg("%s, %s (%d), table %s, place %lld is %lld: %s %s", b->test->name,
                 mplan_strategy_name(b->plan->loops[0].variants[v].strategy), (int)v,
                 mplan_kind_name(array->key.kind), (long long)at, (long long)value,
                 allowed ? "must be taken, but" : "is taken", allowed ? err.text : "");
    if (!allowed) {
        int64_t place = -1;
        mplan_kind kind = named_kind(err.text, &place);
        assert_non_null(strstr(err.text, "verify"));
        b->kinds[kind] = true;
        /* in windows16, a place without an entry may get one by one of its numbers, and another be wrong */
        const bool one = b->plan->loops[0].variants[v].encoding != MPLAN_ENCODING_WINDOWS16;
        if (one && kind == (mplan_kind)array->key.kind && !names_no_single_place(kind))
            assert_int_equal(place, at);
        b->refused++;
        return;
    }
    if (!serial)
        assert_int_equal(bound->call.block_limit, support_bind_longest(b->plan, 0, v));
    if (bound->call.complete != support_bind_complete(b->plan, 0))
        fail_msg("%s: complete is %d", b->test->name, (int)bound->call.complete);
    assert_done(mplan_exec_launch(b->exec, bound, support_exec_parameters(b->test), NULL, &err),
                &err);
    b->ran++;
    if (++b->binds == FRESH)
        renew(b, b->exec->executor);
}

/* --- the list of damages --------------------------------------------------------------- */

typedef struct value_list {
    int n;
    int64_t value[MOST_VALUES];
} value_list;

static void add_value(value_list *list, int64_t value)
{
    for (int i = 0; i < list->n; i++)
        if (list->value[i] == value)
            return;
    assert_true(list->n < MOST_VALUES);
    list->value[list->n++] = value;
}

static void add_limit(value_list *list, int64_t limit)
{
    for (int64_t d = -1; d <= 1; d++)
        add_value(list, limit + d);
}

/* Limits of a plan of one loop that any number may have. */
static void plan_limits(const mplan_plan *plan, value_list *list)
{
    int32_t maps[SUPPORT_EXEC_ARGS];
    mplan_increments about;
    mplan_plan_gathers(plan, &plan->loops[0], maps, &about);
    add_limit(list, 0);
    add_limit(list, 65535);
    add_value(list, INT32_MIN);
    add_value(list, INT32_MAX);
    for (int32_t s = 0; s < plan->n_sets; s++) {
        add_limit(list, plan->sets[s].size);
        add_limit(list, plan->sets[s].storage_size);
    }
    for (int32_t m = 0; m < plan->n_maps; m++)
        add_limit(list, plan->maps[m].n_entries);
    for (int32_t k = 0; k < plan->n_block_sets; k++)
        add_limit(list, plan->block_sets[k].n_blocks);
    for (int32_t v = 0; v < plan->loops[0].n_variants; v++)
        add_limit(list, plan->loops[0].variants[v].partial_sums);
    add_limit(list, plan->sets[plan->loops[0].set].storage_size * (int64_t)about.columns);
}

/* Whether the launches of a variant read an array (holes: old_of_new). */
static bool reads(const mplan_plan_variant *variant, int32_t v, const mplan_key *key)
{
    bool blocks = variant->strategy == MPLAN_STRATEGY_BLOCK_COLOUR ||
                  variant->strategy == MPLAN_STRATEGY_BLOCK_GATHER;
    switch (key->kind) {
    case MPLAN_KIND_OLD_OF_NEW:
    case MPLAN_KIND_MAP_VALUES: return true;
    case MPLAN_KIND_BLOCK_OFFSETS:
    case MPLAN_KIND_BLOCK_SEQUENCE: return blocks && (int32_t)key->block_set == variant->block_set;
    case MPLAN_KIND_BLOCK_POINT_OFFSETS:
    case MPLAN_KIND_BLOCK_POINTS:
    case MPLAN_KIND_BLOCK_LOCAL:
        return variant->strategy == MPLAN_STRATEGY_BLOCK_COLOUR &&
               (int32_t)key->block_set == variant->block_set;
    case MPLAN_KIND_GATHER_OFFSETS:
    case MPLAN_KIND_GATHER_SLOTS: return variant->strategy == MPLAN_STRATEGY_TWO_STEP;
    case MPLAN_KIND_BLOCK_COLOURS: /* launches say the same */
    case MPLAN_KIND_GLOBAL_COLOURS: return false;
    default: return (int32_t)key->variant == v;
    }
}

/* Whether a value can be in an array of a type. */
static bool fits(mplan_type type, int64_t value)
{
    switch (type) {
    case MPLAN_TYPE_U8: return value >= 0 && value <= UINT8_MAX;
    case MPLAN_TYPE_U16: return value >= 0 && value <= UINT16_MAX;
    case MPLAN_TYPE_I32: return value >= INT32_MIN && value <= INT32_MAX;
    default: return true;
    }
}

static void damage_place(bench *b, int32_t v, const mplan_array *array, int64_t at,
                         const value_list *limits)
{
    value_list list = *limits;
    const int64_t old = get(array, at);
    add_limit(&list, old);
    if (at > 0)
        add_limit(&list, get(array, at - 1));
    if (at + 1 < array->rows * array->cols)
        add_limit(&list, get(array, at + 1));
    if (array->type == MPLAN_TYPE_I64) {
        add_value(&list, INT64_MAX);
        add_value(&list, INT64_MIN);
    }
    for (int i = 0; i < list.n; i++) {
        if (!fits(array->type, list.value[i]) || list.value[i] == old)
            continue;
        put(array, at, list.value[i]);
        try_variant(b, v, array, at, list.value[i]);
    }
    put(array, at, old);
}

/* The numbers of an array: all of a short one, else its ends and some between. */
static void damage_array(bench *b, int32_t v, const mplan_array *array, uint64_t *seed,
                         const value_list *limits)
{
    const int64_t n = array->rows * array->cols;
    value_list list = *limits;
    for (int64_t k = 0; k < array->rows && array->key.kind == MPLAN_KIND_BLOCK_POINT_OFFSETS; k++)
        add_limit(&list, get(array, k));
    add_limit(&list, n);
    for (int64_t i = 0; i < (n < PLACES ? n : PLACES); i++) {
        int64_t at = i;
        if (n > PLACES)
            at = i < PLACES / 3       ? i
                 : i < 2 * PLACES / 3 ? n - 1 - (i - PLACES / 3)
                                      : support_random(seed, n);
        damage_place(b, v, array, at, &list);
    }
}

/* --- records of block-gather, number by number ---------------------------------------------- */

static int64_t read_number(const uint8_t *from, int bytes)
{
    uint32_t value = 0;
    for (int k = bytes - 1; k >= 0; k--)
        value = value << 8 | from[k];
    return bytes == 4 ? (int32_t)value : (int64_t)value;
}

static void write_number(uint8_t *to, int bytes, int64_t value)
{
    for (int k = 0; k < bytes; k++)
        to[k] = (uint8_t)((uint64_t)value >> (8 * k));
}

/* n numbers of `bytes` bytes each, from a place of the records. */
static void damage_numbers(bench *b, int32_t v, const mplan_array *array, int64_t from, int64_t n,
                           int bytes, const value_list *limits)
{
    for (int64_t k = 0; k < n; k++) {
        if (n > PLACES && k >= PLACES / 2 && n - k > PLACES / 2)
            continue; /* the ends of long parts */
        uint8_t *data = (uint8_t *)(uintptr_t)array->data + from + k * bytes;
        const int64_t old = read_number(data, bytes);
        value_list list = *limits;
        add_limit(&list, old);
        for (int i = 0; i < list.n; i++) {
            if (!fits(bytes == 2 ? MPLAN_TYPE_U16 : MPLAN_TYPE_I32, list.value[i]))
                continue;
            write_number(data, bytes, list.value[i]);
            try_variant(b, v, array, from + k * bytes, list.value[i]);
        }
        write_number(data, bytes, old);
    }
}

static void damage_records(bench *b, int32_t v, const mplan_array *array, uint64_t *seed,
                           const value_list *limits)
{
    const mplan_array *at = array_of(b->plan,
                                     mplan_key_of_variant(MPLAN_KIND_BLOCK_RECORD_OFFSETS, 0, v));
    for (int round = 0; round < 2; round++) { /* of two blocks */
        const int64_t begin = get(at, support_random(seed, at->rows - 1));
        const uint8_t *record = (const uint8_t *)array->data + begin;
        value_list list = *limits;
        int64_t header[8];
        for (int k = 0; k < 8; k++)
            header[k] = read_number(record + 4 * k, 4);
        for (int k = 0; k < 8; k++)
            add_limit(&list, header[k]);
        int64_t local = 32 + (4 * header[2] + 15) / 16 * 16, n_padded = (header[1] + 7) / 8 * 8;
        int32_t maps[SUPPORT_EXEC_ARGS];
        mplan_increments about;
        mplan_plan_gathers(b->plan, &b->plan->loops[0], maps, &about);
        add_limit(&list, n_padded * about.columns);
        add_limit(&list, n_padded);
        damage_numbers(b, v, array, begin, 8, 4, &list);
        damage_numbers(b, v, array, begin + 32, header[2], 4, &list);
        damage_numbers(b, v, array, begin + local, n_padded * about.local_columns, 2, &list);
        damage_numbers(b, v, array, begin + header[4], header[2] + 1, 2, &list);
        damage_numbers(b, v, array, begin + header[5], header[7], 2, &list);
        if (header[6])
            damage_numbers(b, v, array, begin + header[6], header[2], 4, &list);
    }
}

/* --- plans ------------------------------------------------------------------------------------ */

static void damage_variant(bench *b, int32_t v, uint64_t *seed, const value_list *limits)
{
    for (int32_t i = 0; i < b->plan->n_arrays; i++) {
        const mplan_array *array = &b->plan->arrays[i];
        if (!reads(&b->plan->loops[0].variants[v], v, &array->key))
            continue;
        if (array->key.kind == MPLAN_KIND_BLOCK_RECORDS)
            damage_records(b, v, array, seed, limits);
        else
            damage_array(b, v, array, seed, limits);
    }
}

/* An array that is not there, or of another type, is named. */
static void expect_lacking(bench *b, int32_t v, mplan_kind kind)
{
    mplan_error err = {MPLAN_OK, ""};
    mplan_exec_loop *bound;
    char says[120];
    snprintf(says, sizeof says, "the plan lacks the table %s", mplan_kind_name(kind));
    assert_refused(mplan_exec_bind(b->exec, b->test->kernel->name, v, b->test->kernel, &bound, &err),
                   MPLAN_ERR_CORRUPT, &err, says);
    assert_string_equal(err.text, says);
}

static void lack_arrays(bench *b, int32_t v)
{
    mplan_plan_variant *variant = (mplan_plan_variant *)(uintptr_t)&b->plan->loops[0].variants[v];
    for (int32_t i = 0; i < b->plan->n_arrays; i++) {
        mplan_array *array = &b->plan->arrays[i];
        const mplan_array kept = *array;
        if (!reads(variant, v, &array->key) || kept.key.kind == MPLAN_KIND_OLD_OF_NEW)
            continue;
        array->type = kept.type == MPLAN_TYPE_F32 ? MPLAN_TYPE_F64 : MPLAN_TYPE_F32;
        expect_lacking(b, v, (mplan_kind)kept.key.kind);
        *array = kept;
        array->key.rank = 0; /* the keys still ascend */
        expect_lacking(b, v, (mplan_kind)kept.key.kind);
        *array = kept;
        if (names_no_single_place((mplan_kind)kept.key.kind) && kept.type == MPLAN_TYPE_I64) {
            mplan_error err;
            mplan_exec_loop *bound;
            array->rows = 0; /* offsets have one at least */
            assert_refused(mplan_exec_bind(b->exec, b->test->kernel->name, v, b->test->kernel,
                                           &bound, &err),
                           MPLAN_ERR_CORRUPT, &err, "is wrong at place 0 ");
            *array = kept;
        }
    }
    if (variant->block_set >= 0 && (variant->strategy == MPLAN_STRATEGY_BLOCK_COLOUR ||
                                    variant->strategy == MPLAN_STRATEGY_BLOCK_GATHER)) {
        mplan_error err;
        mplan_exec_loop *bound;
        const int32_t block_set = variant->block_set;
        variant->block_set = -1;
        assert_refused(mplan_exec_bind(b->exec, b->test->kernel->name, v, b->test->kernel, &bound,
                                       &err),
                       MPLAN_ERR_CORRUPT, &err, "has no blocks");
        variant->block_set = block_set;
    }
}

static void damage_plan(bench *b, uint64_t *seed)
{
    value_list limits = {0};
    plan_limits(b->plan, &limits);
    renew(b, MPLAN_EXECUTOR_HOST);
    for (int32_t v = 0; v < b->plan->loops[0].n_variants; v++) {
        lack_arrays(b, v);
        damage_variant(b, v, seed, &limits);
    }
    renew(b, MPLAN_EXECUTOR_SERIAL); /* reads the maps and nothing else */
    for (int32_t i = 0; i < b->plan->n_arrays; i++)
        if (b->plan->arrays[i].key.kind == MPLAN_KIND_MAP_VALUES)
            damage_array(b, 0, &b->plan->arrays[i], seed, &limits);
    mplan_exec_close(b->exec);
    b->exec = NULL;
}

/* A mesh of the case with a few members in each set, and some. */
static mplan_mesh *small_mesh(const support_exec_case *test, uint64_t *seed)
{
    for (;;) {
        mplan_mesh *mesh = test->make(seed);
        bool small = true;
        for (int32_t s = 0; s < mplan_mesh_n_sets(mesh); s++)
            small = small && mplan_mesh_set(mesh, s).size < 20 && mplan_mesh_set(mesh, s).size > 4;
        if (small)
            return mesh;
        mplan_mesh_free(mesh);
    }
}

static void expect_kinds(const bench *b, const mplan_kind *kinds, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!b->kinds[kinds[k]])
            fail_msg("no damage to %s was refused", mplan_kind_name(kinds[k]));
}

/* Plans of the naive planner: all strategies, with holes and without, with sequences. */
static void naive_plans_at_their_limits(void **state)
{
    (void)state;
    static const char *const names[] = {"flux-table", "flux-skip", "knots", "corners-table"};
    static const mplan_kind kinds[] = {MPLAN_KIND_MAP_VALUES,
                                       MPLAN_KIND_BLOCK_OFFSETS,
                                       MPLAN_KIND_BLOCK_SEQUENCE,
                                       MPLAN_KIND_BLOCK_POINT_OFFSETS,
                                       MPLAN_KIND_BLOCK_POINTS,
                                       MPLAN_KIND_BLOCK_LOCAL,
                                       MPLAN_KIND_THREAD_COLOURS,
                                       MPLAN_KIND_BLOCK_THREAD_COLOURS,
                                       MPLAN_KIND_BLOCK_LAUNCH_OFFSETS,
                                       MPLAN_KIND_BLOCK_LAUNCH,
                                       MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS,
                                       MPLAN_KIND_GLOBAL_LAUNCH,
                                       MPLAN_KIND_GATHER_OFFSETS,
                                       MPLAN_KIND_GATHER_SLOTS,
                                       MPLAN_KIND_BLOCK_RECORD_OFFSETS,
                                       MPLAN_KIND_BLOCK_RECORDS,
                                       MPLAN_KIND_PARTIAL_POINTS,
                                       MPLAN_KIND_PARTIAL_OFFSETS,
                                       MPLAN_KIND_OWNER_OFFSETS,
                                       MPLAN_KIND_OWNER_ENTRIES,
                                       MPLAN_KIND_OWNER_ESCAPE_OFFSETS,
                                       MPLAN_KIND_OWNER_ESCAPES,
                                       MPLAN_KIND_OWNER_POINTS};
    uint64_t seed = 31;
    bench b = {0};
    for (int round = 0; round < 8; round++) {
        support_exec_loop request;
        b.test = support_exec_find(names[round % 4]);
        mplan_mesh *mesh = small_mesh(b.test, &seed);
        support_plan_options options = {3 + round, round < 4, true, false};
        support_exec_request(b.test, &request);
        b.plan = support_plan(mesh, 1, &request.loop, &options, &seed);
        damage_plan(&b, &seed);
        mplan_plan_free(b.plan);
        mplan_mesh_free(mesh);
    }
    expect_kinds(&b, kinds, sizeof kinds / sizeof *kinds);
    assert_true(b.refused > 10000 && b.ran > 5000);
}

/* Words of pair32 in every row, also behind the last point: neighbours at the ends of the set,
 * ranks and columns at theirs. */
static void damage_pairs(bench *b)
{
    static const int64_t low[] = {0, 1, 2, 61, 62, 63};
    const mplan_array *entries = array_of(b->plan,
                                          mplan_key_of_variant(MPLAN_KIND_OWNER_ENTRIES, 0, 0));
    const int64_t n = b->plan->sets[b->plan->maps[b->plan->loops[0].args[0].map].to].storage_size;
    renew(b, MPLAN_EXECUTOR_HOST);
    for (int64_t at = 0; at < 32 && at < entries->rows; at++) { /* the first entry of the rows */
        const int64_t old = get(entries, at),
                      near[] = {-2, -1, 0, at - 1, at, at + 1, n - 1, n, n + 1};
        for (size_t i = 0; i < sizeof near / sizeof *near; i++)
            for (size_t k = 0; k < sizeof low / sizeof *low; k++) {
                put(entries, at, 64 * (near[i] - at) + low[k]);
                try_variant(b, 0, entries, at, get(entries, at));
            }
        put(entries, at, old);
    }
    mplan_exec_close(b->exec);
    b->exec = NULL;
}

/* pair32 and fixed widths, which the naive planner does not make. */
static void owner_plans_at_their_limits(void **state)
{
    (void)state;
    static const mplan_kind kinds[] = {MPLAN_KIND_OWNER_ENTRIES, MPLAN_KIND_OWNER_ROW_START};
    uint64_t seed = 32;
    bench b = {0};
    for (int round = 0; round < 4; round++) {
        mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
        b.test = support_exec_find(round % 2 ? "flux" : "sides");
        mplan_mesh *mesh = small_mesh(b.test, &seed);
        options.n_strategies = 1;
        options.strategies[0] = MPLAN_STRATEGY_OWNER_GATHER;
        options.encoding = round < 2 ? MPLAN_ENCODING_PAIR32 : MPLAN_ENCODING_INDEX32;
        options.partitioner = MPLAN_PARTITIONER_NONE;
        options.point_order = MPLAN_POINTS_RENUMBERED;
        b.plan = support_exec_plan(b.test, mesh, &options);
        damage_plan(&b, &seed);
        if (round < 2)
            damage_pairs(&b);
        mplan_plan_free(b.plan);
        mplan_mesh_free(mesh);
    }
    expect_kinds(&b, kinds, sizeof kinds / sizeof *kinds);
    assert_true(b.refused > 1000 && b.ran > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(naive_plans_at_their_limits),
        cmocka_unit_test(owner_plans_at_their_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
