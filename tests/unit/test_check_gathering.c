/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_gathering.c - any changed number in the tables of block-gather and owner-gather
 * is refused, as is every field of their variants */
#include <stdlib.h>
#include <string.h>

#include "support_test.h"

#include "plan/plan.h"

static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};

static mplan_mesh *make_mesh(mplan_shape shape, int64_t n)
{
    mplan_mesh *mesh = NULL;
    mplan_error err;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.shape = shape;
    options.size[0] = n;
    options.size[1] = n - 1;
    options.size[2] = shape == MPLAN_SHAPE_QUAD ? 0 : n - 2;
    options.shuffle = true;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    return mesh;
}

/* faces -> cells where `pairs`, else cells -> nodes; variant 0 is block-gather, 1 owner-gather. */
static mplan_plan *make_plan(mplan_mesh *mesh, bool pairs, mplan_sums sums, mplan_encoding encoding)
{
    mplan_plan *plan = NULL;
    mplan_error err;
    const char *map = pairs ? "faces_cells" : "cells_nodes";
    const mplan_arg args[] = {{"q", map, MPLAN_READ, 2, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
                              {"r", map, MPLAN_INC, 3, MPLAN_TYPE_F32, MPLAN_NONE_REFUSE},
                              {"w", NULL, MPLAN_WRITE, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    const mplan_loop loop = {"loop", pairs ? "faces" : "cells", true, 1, 0, 3, args};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.block_size = 20;
    options.n_strategies = 2;
    options.strategies[0] = MPLAN_STRATEGY_BLOCK_GATHER;
    options.strategies[1] = MPLAN_STRATEGY_OWNER_GATHER;
    options.sums = sums;
    options.encoding = encoding;
    assert_done(mplan_plan_create(mesh, 1, &loop, &options, &one_thread, &plan, &err), &err);
    assert_done(mplan_plan_verify(plan, NULL, &one_thread, &err), &err);
    return plan;
}

/* One number of an array, changed in place and put back. */
static void change_number(mplan_plan *plan, const mplan_array *array, int64_t at, int delta)
{
    mplan_error err;
    size_t size = mplan_type_size(array->type);
    unsigned char *number = (unsigned char *)(uintptr_t)array->data + (size_t)at * size, kept[8];
    memcpy(kept, number, size);
    uint64_t value = 0;
    memcpy(&value, number, size); /* plans are little-endian machines' */
    value += (uint64_t)(int64_t)delta;
    memcpy(number, &value, size);
    mplan_status status = mplan_plan_verify(plan, NULL, &one_thread, &err);
    if (status != MPLAN_ERR_DISPROVED)
        fail_msg("%s: number %lld changed by %d: %s", mplan_kind_name(array->key.kind),
                 (long long)at, delta, mplan_status_name(status));
    memcpy(number, kept, size);
}

/* A base means nothing in a slice whose entries are all escapes or none. */
static bool means_nothing(const mplan_plan *plan, const mplan_array *array, int64_t at)
{
    if (array->key.kind != MPLAN_KIND_OWNER_BASE)
        return false;
    const mplan_plan_variant *variant = &plan->loops[0].variants[1];
    int32_t v = 1;
    const uint16_t *entries = mplan_plan_data(plan,
                                              mplan_key_of_variant(MPLAN_KIND_OWNER_ENTRIES, 0, v),
                                              MPLAN_TYPE_U16, NULL);
    const int64_t *offsets = mplan_plan_data(plan,
                                             mplan_key_of_variant(MPLAN_KIND_OWNER_OFFSETS, 0, v),
                                             MPLAN_TYPE_I64, NULL);
    const int64_t *escapes = mplan_plan_data(plan,
                                             mplan_key_of_variant(MPLAN_KIND_OWNER_ESCAPE_OFFSETS,
                                                                  0, v),
                                             MPLAN_TYPE_I64, NULL);
    int64_t begin = offsets ? offsets[at] : at * variant->width;
    int64_t end = offsets ? offsets[at + 1] : (at + 1) * variant->width;
    for (int64_t i = 32 * begin; i < 32 * end; i++)
        if (entries[i] < 65535 - (escapes[at + 1] - escapes[at]))
            return false;
    return true;
}

static void change_arrays(mplan_plan *plan, uint32_t *seen)
{
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        const mplan_array *array = &plan->arrays[i];
        if (array->key.kind < MPLAN_KIND_BLOCK_RECORD_OFFSETS)
            continue;
        seen[array->key.kind]++;
        int64_t step = array->rows / 150 + 1;
        for (int64_t at = 0; at < array->rows; at += step) {
            if (means_nothing(plan, array, at))
                continue;
            change_number(plan, array, at, 1);
            change_number(plan, array, at, -1);
            change_number(plan, array, at, 64);
        }
    }
}

static void changed_numbers_are_refused(void **state)
{
    static const uint32_t kinds[] = {128, 129, 130, 131, 144, 145, 146, 147, 149, 150};
    static const mplan_sums sums[] = {MPLAN_SUMS_PARTIAL, MPLAN_SUMS_ATOMIC, MPLAN_SUMS_COLOUR};
    uint32_t seen[256] = {0};
    (void)state;
    mplan_mesh *quads = make_mesh(MPLAN_SHAPE_QUAD, 9), *tets = make_mesh(MPLAN_SHAPE_TET, 7);
    for (int e = MPLAN_ENCODING_INDEX32; e <= MPLAN_ENCODING_PAIR32; e++) {
        mplan_plan *plan = make_plan(quads, true, sums[e - 1], (mplan_encoding)e);
        change_arrays(plan, seen);
        mplan_plan_free(plan);
        if (e == MPLAN_ENCODING_PAIR32)
            continue;
        plan = make_plan(tets, false, MPLAN_SUMS_PARTIAL, (mplan_encoding)e);
        change_arrays(plan, seen);
        mplan_plan_free(plan);
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (!seen[kinds[k]])
            fail_msg("no plan has the array %s", mplan_kind_name(kinds[k]));
    mplan_mesh_free(quads);
    mplan_mesh_free(tets);
}

#define REFUSED(change_, reason_)                                                             \
    do {                                                                                      \
        mplan_plan_variant kept[2] = {variants[0], variants[1]};                              \
        change_;                                                                              \
        assert_refused(mplan_plan_verify(plan, NULL, &one_thread, &err), MPLAN_ERR_DISPROVED, \
                       &err, reason_);                                                        \
        variants[0] = kept[0];                                                                \
        variants[1] = kept[1];                                                                \
    } while (0)

static void changed_fields_are_refused(void **state)
{
    mplan_error err;
    (void)state;
    mplan_mesh *mesh = make_mesh(MPLAN_SHAPE_TET, 6);
    mplan_plan *plan = make_plan(mesh, false, MPLAN_SUMS_PARTIAL, MPLAN_ENCODING_INDEX32);
    /* the test owns the plan and may write to it */
    mplan_plan_variant *variants = (mplan_plan_variant *)(uintptr_t)plan->loops[0].variants;
    mplan_plan_arg *args = (mplan_plan_arg *)(uintptr_t)plan->loops[0].args;
    REFUSED(variants[0].partial_sums++, "partial sums");
    REFUSED(variants[0].shared_bytes_max++, "shared_bytes_max");
    REFUSED(variants[0].block_set = -1, "has no block set");
    REFUSED(variants[0].sums = MPLAN_N_SUMS, "has unknown sums or an unknown encoding");
    REFUSED(variants[0].sums = MPLAN_SUMS_ATOMIC, "promises equal bits");
    REFUSED(variants[0].encoding = MPLAN_ENCODING_INDEX32, "not belong to its strategy");
    REFUSED(variants[0].width = 2, "is not owner-gather");
    REFUSED(variants[1].sums = MPLAN_SUMS_COLOUR, "sums, but is not block-gather");
    REFUSED(variants[1].partial_sums = 1, "partial sums");
    REFUSED(variants[1].encoding = MPLAN_ENCODING_NONE, "not belong to its strategy");
    REFUSED(variants[1].encoding = MPLAN_ENCODING_PAIR32, "pair32");
    REFUSED(variants[1].block_set = 0, "refers to a block set");
    REFUSED(variants[1].window = 128, "an invalid width or window");
    REFUSED(args[0].layout = MPLAN_N_LAYOUTS, "unknown layout");
    args[0].layout = MPLAN_LAYOUT_AOS;
    REFUSED(args[2].access = MPLAN_RW, "dat w (arg 2) is updated directly, but owner-gather");
    args[2].access = MPLAN_WRITE;
    REFUSED(args[1].access = MPLAN_RW, "dat r (arg 1) is written through a map, which is safe only");
    args[1].access = MPLAN_INC;
    assert_done(mplan_plan_verify(plan, NULL, &one_thread, &err), &err);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_numbers_are_refused),
        cmocka_unit_test(changed_fields_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
