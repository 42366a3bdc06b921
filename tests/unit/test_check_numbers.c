/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_numbers.c - no number of a plan may be changed but those that are recorded */
#include "support_test.h"

#include "support_check.h"

/* Thousands of small plans are faster without threads. */
static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};

/* --- any number ---------------------------------------------------------------------- */

static int64_t other_value(uint64_t *seed, int64_t old)
{
    const int64_t list[] = {old + 1,   old - 1,  0,       -1,
                            1,         old + 4,  old ^ 2, support_random(seed, 40),
                            INT32_MAX, INT64_MAX};
    return list[support_random(seed, (int64_t)(sizeof list / sizeof *list))];
}

static bool touches_nothing(const mplan_plan *plan, int32_t l, int32_t set, int32_t e)
{
    for (int32_t m = 0; m < plan->n_maps; m++) {
        int32_t n;
        bool used = false;
        for (int32_t a = 0; a < plan->loops[l].n_args; a++)
            used = used || plan->loops[l].args[a].map == m;
        if (!used || plan->maps[m].from != set)
            continue;
        mplan_map map = mplan_plan_stored_map(plan, m);
        const int32_t *row = mplan_map_row(&map, e, &n);
        for (int32_t k = 0; k < n; k++)
            if (row[k] >= 0)
                return false;
    }
    return true;
}

/* Exception: a boundary of two blocks may lie on either side of a hole, and,
 * where sizes allow it, of an element that touches nothing. */
static bool moves_nothing(mplan_plan *plan, const mplan_array *offsets, int64_t from, int64_t to)
{
    const int32_t b = (int32_t)offsets->key.block_set;
    const mplan_plan_block_set *set = &plan->block_sets[b];
    const mplan_array *sequence = BLOCKS(MPLAN_KIND_BLOCK_SEQUENCE, b);
    const int64_t positions = set->sequence ? plan->sets[set->set].size
                                            : plan->sets[set->set].storage_size;
    if (from < 0 || to < 0 || from > positions || to > positions)
        return false;
    for (int64_t p = from < to ? from : to; p < (from < to ? to : from); p++) {
        int32_t e = sequence ? (int32_t)get(sequence, p) : (int32_t)p;
        for (int32_t l = 0; l < plan->n_loops; l++)
            if (plan->loops[l].set == set->set && get(SET(MPLAN_KIND_OLD_OF_NEW, set->set), e) >= 0 &&
                !touches_nothing(plan, l, set->set, e))
                return false;
    }
    return true;
}

/* Exception: a thread colour may be any that meets none and leaves the count. */
static bool colours_freely(mplan_plan *plan, const mplan_array *colours, int64_t p)
{
    const int32_t l = (int32_t)colours->key.loop, v = (int32_t)colours->key.variant;
    const int32_t b = plan->loops[l].variants[v].block_set;
    const mplan_array *offsets = BLOCKS(MPLAN_KIND_BLOCK_OFFSETS, b);
    const mplan_array *sequence = BLOCKS(MPLAN_KIND_BLOCK_SEQUENCE, b);
    const mplan_array *count = array_of(plan,
                                        mplan_key_of_variant(MPLAN_KIND_BLOCK_THREAD_COLOURS, l, v));
    const mplan_array *old = SET(MPLAN_KIND_OLD_OF_NEW, plan->loops[l].set);
    int64_t block = 0, top = 0, colour = get(colours, p);
    int32_t e = sequence ? (int32_t)get(sequence, p) : (int32_t)p;
    while (get(offsets, block + 1) <= p)
        block++;
    if (get(old, e) < 0 || colour == 65535)
        return false;
    for (int64_t q = get(offsets, block); q < get(offsets, block + 1); q++) {
        int32_t f = sequence ? (int32_t)get(sequence, q) : (int32_t)q;
        if (get(old, f) < 0)
            continue;
        top = get(colours, q) > top ? get(colours, q) : top;
        if (q != p && get(colours, q) == colour && support_elements_meet(plan, l, e, f))
            return false;
    }
    return top + 1 == get(count, block);
}

/* Exception: the base of a slice that has no entries but escapes. */
static bool counts_from_nothing(mplan_plan *plan, const mplan_array *base, int64_t s)
{
    const int32_t l = (int32_t)base->key.loop, v = (int32_t)base->key.variant;
    const int32_t width = plan->loops[l].variants[v].width;
    const mplan_array *entries = array_of(plan, mplan_key_of_variant(MPLAN_KIND_OWNER_ENTRIES, l, v));
    const mplan_array *escapes = array_of(plan, mplan_key_of_variant(MPLAN_KIND_OWNER_ESCAPE_OFFSETS,
                                                                     l, v));
    const mplan_array *offsets =
        width ? NULL : array_of(plan, mplan_key_of_variant(MPLAN_KIND_OWNER_OFFSETS, l, v));
    const int64_t rows = plan->loops[l].variants[v].slice_rows ? 64 : 32;
    int64_t end = offsets ? get(offsets, s + 1) : (s + 1) * width;
    for (int64_t i = rows * (offsets ? get(offsets, s) : s * width); i < rows * end; i++)
        if (get(entries, i) < 65535 - (get(escapes, s + 1) - get(escapes, s)))
            return false;
    return true;
}

/* No number in an array is free but for the exceptions above. */
static void any_number_of_arrays_counts(void **state)
{
    uint64_t seed = 77;
    int refused = 0, allowed = 0;
    (void)state;
    for (int i = 0; i < 120; i++) {
        mplan_error err;
        support_request in = {0};
        mplan_plan *plan = support_random_plan(&in, &seed);
        for (int k = 0; k < 60; k++) {
            mplan_array *array = &plan->arrays[support_random(&seed, plan->n_arrays)];
            const int64_t n = array->rows * array->cols;
            if (n == 0)
                continue;
            const int64_t at = support_random(&seed, n), old = get(array, at);
            put(array, at, other_value(&seed, old));
            const int64_t changed = get(array, at);
            if (changed == old)
                continue;
            bool free_offset = array->key.kind == MPLAN_KIND_BLOCK_OFFSETS && at > 0 &&
                               at < n - 1 && moves_nothing(plan, array, old, changed);
            bool right = array->key.kind == MPLAN_KIND_THREAD_COLOURS &&
                         colours_freely(plan, array, at);
            right = right || (array->key.kind == MPLAN_KIND_OWNER_BASE &&
                              counts_from_nothing(plan, array, at));
            mplan_status status = support_verify(plan, in.mesh, &one_thread, &err);
            if (!free_offset && status != (right ? MPLAN_OK : MPLAN_ERR_DISPROVED))
                fail_msg("plan %d, array of kind %u, place %lld from %lld to %lld: %s %s", i,
                         (unsigned)array->key.kind, (long long)at, (long long)old,
                         (long long)changed, mplan_status_name(status), status ? err.text : "");
            refused += status != MPLAN_OK;
            allowed += right;
            put(array, at, old);
        }
        assert_done(support_verify(plan, in.mesh, &one_thread, &err), &err);
        mplan_plan_free(plan);
        mplan_mesh_free(in.mesh);
    }
    assert_in_range(refused, 2000, 8000);
    assert_in_range(allowed, 1, 1000); /* the exception is met, too */
}

/* A number of a record: where it is, and whether it may be changed as it is. */
typedef struct field {
    const char *name;
    void *data;
    size_t size;
    int64_t least; /* PROVED: every change must be refused; else all from here on may pass */
} field;

#define PROVED INT64_MAX
#define RECORDED INT64_MIN /* a fact that nothing can prove; its range is */
#define FIELD(record_, member_, least_)                                                \
    (field)                                                                            \
    {                                                                                  \
#record_ "." #member_, &(record_)->member_, sizeof(record_)->member_, (least_) \
    }

static int32_t fields_of_set(mplan_plan_set *set, field *out)
{
    int32_t n = 0;
    out[n++] = FIELD(set, size, PROVED);
    out[n++] = FIELD(set, storage_size, PROVED);
    out[n++] = FIELD(set, renumber, RECORDED);
    out[n++] = FIELD(set, bandwidth[0], PROVED);
    out[n++] = FIELD(set, bandwidth[1], set->bandwidth[1] < 0 ? PROVED : RECORDED);
    out[n++] = FIELD(set, bandwidth[2], PROVED);
    out[n++] = FIELD(set, profile[0], PROVED);
    out[n++] = FIELD(set, profile[1], set->profile[1] < 0 ? PROVED : RECORDED);
    out[n++] = FIELD(set, profile[2], PROVED);
    return n;
}

static int32_t fields_of_map(mplan_plan_map *map, field *out)
{
    int32_t n = 0;
    out[n++] = FIELD(map, from, PROVED);
    out[n++] = FIELD(map, to, PROVED);
    out[n++] = FIELD(map, arity, PROVED);
    out[n++] = FIELD(map, n_entries, PROVED);
    return n;
}

static int32_t fields_of_variant(const mplan_plan *plan, int32_t l, mplan_plan_variant *variant,
                                 field *out)
{
    int32_t n = 0;
    bool written = false;
    for (int32_t a = 0; a < plan->loops[l].n_args; a++)
        written = written ||
                  (plan->loops[l].args[a].map >= 0 && plan->loops[l].args[a].access != MPLAN_READ);
    bool atomic = variant->strategy == MPLAN_STRATEGY_ATOMIC;
    bool two_step = variant->strategy == MPLAN_STRATEGY_TWO_STEP;
    /* two-step without anything to gather is the same as atomic;
     * atomic needs no tables, so it may be called two-step where these are */
    out[n++] = FIELD(variant, strategy, (two_step && !written) || atomic ? RECORDED : PROVED);
    out[n++] = FIELD(variant, block_limit, variant->block_set < 0 ? RECORDED : PROVED);
    out[n++] = FIELD(variant, threads, RECORDED);
    out[n++] = FIELD(variant, elements_per_thread, RECORDED);
    /* another cut of the same elements, where the loop has one */
    out[n++] = FIELD(variant, block_set, RECORDED);
    out[n++] = FIELD(variant, shared_bytes_max, PROVED);
    out[n++] = FIELD(variant, block_colours, PROVED);
    out[n++] = FIELD(variant, thread_colours_max, PROVED);
    out[n++] = FIELD(variant, thread_colours_total, PROVED);
    out[n++] = FIELD(variant, global_colours, PROVED);
    out[n++] = FIELD(variant, partial_sums, PROVED);
    out[n++] = FIELD(variant, sums, PROVED);
    out[n++] = FIELD(variant, encoding, PROVED);
    out[n++] = FIELD(variant, width, PROVED);
    out[n++] = FIELD(variant, window, PROVED);
    out[n++] = FIELD(variant, slice_rows, PROVED);
    return n;
}

static int32_t fields_of_block_set(mplan_plan *plan, int32_t b, field *out)
{
    int32_t n = 0, over = 0;
    int64_t points, bytes, pairs;
    mplan_plan_block_set *set = &plan->block_sets[b];
    support_needs_of(plan, b, &points, &bytes, &pairs);
    for (int32_t l = 0; l < plan->n_loops; l++)
        over += plan->loops[l].set == set->set;
    out[n++] = FIELD(set, set, PROVED);
    /* whom of two loops over one set it was made for */
    out[n++] = FIELD(set, loop, over > 1 ? RECORDED : PROVED);
    out[n++] = FIELD(set, n_blocks, PROVED);
    out[n++] = FIELD(set, block_limit, PROVED);
    out[n++] = FIELD(set, partitioner, RECORDED);
    out[n++] = FIELD(set, block_min, PROVED);
    out[n++] = FIELD(set, block_max, PROVED);
    out[n++] = FIELD(set, max_points, points);
    out[n++] = FIELD(set, shared_bytes, bytes);
    out[n++] = FIELD(set, alternative_pairs, pairs);
    return n;
}

static int32_t fields_of_metrics(mplan_block_metrics *metrics, field *out)
{
    int32_t n = 0;
    out[n++] = FIELD(metrics, loop, PROVED);
    out[n++] = FIELD(metrics, block_set, PROVED);
    out[n++] = FIELD(metrics, set, PROVED);
    out[n++] = FIELD(metrics, entries, PROVED);
    out[n++] = FIELD(metrics, pairs, PROVED);
    out[n++] = FIELD(metrics, shared_points, PROVED);
    out[n++] = FIELD(metrics, points_max, PROVED);
    out[n++] = FIELD(metrics, lines, PROVED);
    out[n++] = FIELD(metrics, lines_ideal, PROVED);
    return n;
}

static int32_t random_fields(mplan_plan *plan, field *out, uint64_t *seed)
{
    int32_t l = (int32_t)support_random(seed, plan->n_loops), n;
    mplan_plan_loop *loop = &plan->loops[l];
    switch (support_random(seed, 7)) {
    case 0: return fields_of_set(&plan->sets[support_random(seed, plan->n_sets)], out);
    case 1:
        return plan->n_maps ? fields_of_map(&plan->maps[support_random(seed, plan->n_maps)], out) : 0;
    case 2:
        return fields_of_variant(plan, l,
                                 variant_of(plan, l, (int32_t)support_random(seed, loop->n_variants)),
                                 out);
    case 3:
        return fields_of_block_set(plan, (int32_t)support_random(seed, plan->n_block_sets), out);
    case 4:
        return plan->n_metrics
                   ? fields_of_metrics(&plan->metrics[support_random(seed, plan->n_metrics)], out)
                   : 0;
    case 5:
        n = 0;
        out[n++] = FIELD(loop, set, PROVED);
        out[n++] = FIELD(loop, calls, 1);
        out[n++] = FIELD(loop, flops, 0);
        out[n++] = FIELD(loop, default_variant, RECORDED);
        return n;
    default:
        n = 0;
        out[n++] = FIELD(&plan->fingerprints, topology, PROVED);
        out[n++] = FIELD(&plan->fingerprints, request, PROVED);
        out[n++] = FIELD(&plan->fingerprints, coordinates, RECORDED); /* advisory */
        return n;
    }
}

/* What is asked of a plan (args, calls, flops, limits), what says how it came
 * about (method of renumbering and its measures, partitioner, alternative), what
 * a run may choose (default variant, threads, a promise not given) and the
 * advisory fingerprint are recorded; every other number of a record counts. */
static void any_number_of_records_counts(void **state)
{
    uint64_t seed = 5;
    int refused = 0;
    (void)state;
    for (int i = 0; i < 150; i++) {
        mplan_error err;
        support_request in = {0};
        field fields[16];
        mplan_plan *plan = support_random_plan(&in, &seed);
        for (int k = 0; k < 80; k++) {
            int32_t n = random_fields(plan, fields, &seed);
            if (n == 0)
                continue;
            const field *it = &fields[support_random(&seed, n)];
            const bool wide = it->size == 8;
            int64_t old = wide ? *(int64_t *)it->data : *(int32_t *)it->data;
            int64_t changed = other_value(&seed, old);
            if (!wide)
                changed = (int32_t)changed;
            if (changed == old)
                continue;
            memcpy(it->data, &changed, it->size); /* little-endian, as the tests run */
            mplan_status status = support_verify(plan, in.mesh, &one_thread, &err);
            memcpy(it->data, &old, it->size);
            bool may_pass = it->least == RECORDED || (it->least != PROVED && changed >= it->least) ||
                            (strstr(it->name, "alternative") && changed == -1);
            if (status != MPLAN_ERR_DISPROVED && !(may_pass && status == MPLAN_OK))
                fail_msg("plan %d, %s from %lld to %lld: %s %s", i, it->name, (long long)old,
                         (long long)changed, mplan_status_name(status), status ? err.text : "");
            refused += status != MPLAN_OK;
        }
        assert_done(support_verify(plan, in.mesh, &one_thread, &err), &err);
        mplan_plan_free(plan);
        mplan_mesh_free(in.mesh);
    }
    assert_in_range(refused, 3000, 12000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_arrays_counts),
        cmocka_unit_test(any_number_of_records_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
