/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_owner.c - tables of owner-gather at and beyond each limit
 *
 * Nodes of triangles have up to six entries, so that slices have offsets; a shuffled mesh needs escapes. */
#include "support_check.h"

#include "support_cases.h"

static support_cases cases;
static mplan_plan *plan;

/* Maps are proved first; nothing else is. */
static mplan_status owners_hold(support_cases *all, mplan_error *err)
{
    mplan_check check = all->check;
    mplan_status status = mplan_check_maps(&check, err);
    if (status == MPLAN_OK)
        status = mplan_check_owner(&check, err);
    free(check.maps);
    free(check.valid);
    return status;
}

static void open_cases(mplan_shape shape, int32_t a, int32_t b, uint64_t shuffle, const char *over,
                       const char *map, mplan_encoding encoding)
{
    const mplan_arg arg = {"res", map, MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE};
    const mplan_loop loop = {"flux", over, true, 1, 1, 1, &arg};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_generate_options generate = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_error err;
    mplan_mesh *mesh;
    generate.shape = shape;
    generate.size[0] = a;
    generate.size[1] = b;
    generate.shuffle = shuffle;
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_OWNER_GATHER;
    options.encoding = encoding;
    if (shuffle) {
        options.renumber = MPLAN_RENUMBER_NONE;
        options.partitioner = MPLAN_PARTITIONER_NONE;
    }
    assert_done(mplan_mesh_generate(&generate, NULL, &mesh, &err), &err);
    assert_done(mplan_plan_create(mesh, 1, &loop, &options, NULL, &plan, &err), &err);
    support_cases_open(&cases, mesh, plan);
    cases.proof = owners_hold;
}

static void slices_have_offsets(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        open_cases(MPLAN_SHAPE_TRI, 20, 16, 0, "cells", "cells_nodes",
                   i ? MPLAN_ENCODING_INDEX16 : MPLAN_ENCODING_INDEX32);
        mplan_array *offsets = VARIANT(MPLAN_KIND_OWNER_OFFSETS, 0),
                    *entries = VARIANT(MPLAN_KIND_OWNER_ENTRIES, 0);
        const int64_t n = offsets->rows - 1;
        HOLDS();
        REFUSED("OWNER_OFFSETS does not ascend at slice 1", put(offsets, 1, get(offsets, 2) + 1));
        REFUSED("OWNER_OFFSETS does not ascend at slice 0", put(offsets, 1, -1));
        REFUSED("OWNER_OFFSETS runs from -1 to", put(offsets, 0, -1));
        REFUSED("OWNER_OFFSETS runs from 0 to", put(offsets, n, get(offsets, n) + 1));
        /* the last column of the last slice is empty */
        for (int64_t k = 32 * (get(offsets, n) - 1); k < entries->rows; k++)
            put(entries, k, i ? 65535 : -1);
        REFUSED("OWNER_OFFSETS gives slice", (void)n);
        for (int64_t k = 0; k < 64; k++)
            if (get(entries, k) >= 0 && get(entries, k) != 65535)
                REFUSED("OWNER_ENTRIES holds",
                        put(entries, 32 * (get(offsets, 1) - 1) + k % 32, i ? 65535 : -1), (void)k);
        if (i) {
            mplan_array *base = VARIANT(MPLAN_KIND_OWNER_BASE, 0);
            REFUSED("entry 0 of row 0 ", put(base, 0, -1 - get(entries, 0)));
            REFUSED("OWNER_ENTRIES", put(base, 0, get(base, 0) + 1));
            REFUSED("OWNER_ENTRIES", put(base, 0, get(base, 0) - 1));
        }
        REFUSED("the width is 3, but should be 0", VARIANT_OF(0, 0)->width = 3);
        support_cases_close(&cases);
    }
}

static void bases_and_escapes(void **state)
{
    (void)state;
    open_cases(MPLAN_SHAPE_TRI, 160, 160, 7, "cells", "cells_nodes", MPLAN_ENCODING_INDEX16);
    mplan_array *escapes = VARIANT(MPLAN_KIND_OWNER_ESCAPES, 0);
    mplan_array *at = VARIANT(MPLAN_KIND_OWNER_ESCAPE_OFFSETS, 0);
    const int64_t n = at->rows - 1;
    HOLDS();
    assert_true(escapes->rows > 2);
    for (int64_t i = 0; i < 3; i++) {
        REFUSED("OWNER_ENTRIES", put(escapes, i, -1));
        REFUSED("OWNER_ENTRIES", put(escapes, i, get(escapes, i) + 1));
        REFUSED("OWNER_ENTRIES", put(escapes, i, INT32_MAX));
    }
    REFUSED("OWNER_ESCAPE_OFFSETS runs from -1 to", put(at, 0, -1));
    REFUSED("OWNER_ESCAPE_OFFSETS runs from 0 to", put(at, n, get(at, n) - 1));
    REFUSED("OWNER_ESCAPE_OFFSETS does not ascend at slice", put(at, 1, get(at, n) + 1));
    support_cases_close(&cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_have_offsets),
        cmocka_unit_test(bases_and_escapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
