/* SPDX-License-Identifier: Apache-2.0 */
/* test_planfile_news.c - each bit of the records that format 1.2 added: VARIANTS2, STEP, STEP_CONFLICTS, GROUPS
 *
 * In one plan with a step, loops over two groups and sums in the mesh's order. A bit that is changed is refused by the reader or
 * by the proof with the mesh, but for what the specification says cannot be proved: the cost model's view (u).
 * test_planfile_args2, test_written_once and test_planfile_layers do it for ARGS2, LAYERS and SLOTS. */
#include <stdlib.h>

#include "planfile/planfile_layout.h"
#include "support_planfile.h"
#include "support_test.h"

static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};

enum { VIEW_BEGIN = 24, VIEW_END = 60 }; /* of a record of VARIANTS2: runner-up to permille */

#define ARG(dat, map, access)                                  \
    {                                                          \
        dat, map, access, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE \
    }

/* Quads with every second and every third boundary face in a group. */
static mplan_mesh *grid(void)
{
    mplan_error err;
    mplan_mesh *mesh;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.size[0] = 6;
    options.size[1] = 4;
    options.shuffle = true;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    assert_done(mplan_mesh_derive(mesh, "boundary_faces", NULL, &err), &err);
    const int32_t set = mplan_mesh_find_set(mesh, "boundary_faces");
    for (int g = 0; g < 2; g++) {
        int32_t members[20], n = 0;
        for (int32_t i = 0; i < mplan_mesh_set(mesh, set).size; i += 2 + g)
            members[n++] = i;
        assert_done(mplan_mesh_add_group(mesh, g ? "far" : "wall", g + 1, 1, set, n, members, &err),
                    &err);
    }
    return mesh;
}

/* named: by strategies with an order of sums; else as the cost model chooses. */
static mplan_plan *plan_of(mplan_mesh *mesh, bool named)
{
    static const mplan_arg flux[] = {ARG("q", "faces_cells", MPLAN_READ),
                                     ARG("res", "faces_cells", MPLAN_INC)};
    static const mplan_arg wall[] = {ARG("b", NULL, MPLAN_READ), ARG("res", "wall_cells", MPLAN_INC)};
    static const mplan_arg far[] = {ARG("x", "far_nodes", MPLAN_READ),
                                    ARG("res", "far_cells", MPLAN_INC)};
    static const mplan_arg update[] = {ARG("res", NULL, MPLAN_READ), ARG("q", NULL, MPLAN_RW)};
    static const mplan_loop loops[] = {{"flux", "faces", true, 1, 0, 2, flux},
                                       {"on_wall", "wall", false, 1, 0, 2, wall},
                                       {"on_far", "far", false, 1, 0, 2, far},
                                       {"update", "cells", false, 1, 0, 2, update}};
    static const int32_t step[] = {0, 1, 2, 3, 0, 3}, clears[] = {1, -1, -1, -1, 1, -1};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_plan *plan;
    mplan_error err;
    options.n_strategies = named ? 2 : 0;
    options.strategies[0] = MPLAN_STRATEGY_OWNER_GATHER;
    options.strategies[1] = MPLAN_STRATEGY_TWO_STEP;
    options.sums_order = named ? MPLAN_SUMS_ORDER_MESH : MPLAN_SUMS_ORDER_AUTO;
    options.slice_rows = named ? 64 : 0;
    options.n_step = 6;
    options.step = step;
    options.step_clears = clears;
    assert_done(mplan_plan_create(mesh, 4, loops, &options, &one_thread, &plan, &err), &err);
    return plan;
}

/* Reads the bytes and proves what they say against the mesh. */
static mplan_status accept(const uint8_t *bytes, size_t size, mplan_mesh *mesh)
{
    mplan_error err;
    mplan_plan *plan = NULL;
    mplan_status status = mplan_plan_read_borrowed(bytes, size, "news", NULL, &plan, &err);
    if (!status)
        status = mplan_plan_verify(plan, mesh, &one_thread, &err);
    mplan_plan_free(plan);
    return status;
}

/* Changes every bit of a section; returns how many bytes it has. */
static size_t spoil(const support_file *file, mplan_kind kind, mplan_mesh *mesh)
{
    support_section *section = &file->sections[support_file_find(file, kind)];
    const size_t bytes = section->size;
    for (size_t at = 0; at < bytes; at++) {
        const size_t within = at % 64;
        if (kind == MPLAN_KIND_VARIANTS2 && within >= VIEW_BEGIN && within < VIEW_END)
            continue;
        for (int bit = 0; bit < 8; bit++) {
            size_t size;
            section->data[at] ^= (uint8_t)(1 << bit);
            uint8_t *joined = support_file_join(file, &size);
            if (accept(joined, size, mesh) == MPLAN_OK)
                fail_msg("section %d, byte %zu, bit %d: nobody sees it", (int)kind, at, bit);
            free(joined);
            section->data[at] ^= (uint8_t)(1 << bit);
        }
    }
    return bytes;
}

static void every_bit_counts(void **state)
{
    static const mplan_kind kinds[] = {MPLAN_KIND_VARIANTS2, MPLAN_KIND_STEP,
                                       MPLAN_KIND_STEP_CONFLICTS, MPLAN_KIND_GROUPS};
    (void)state;
    for (int named = 0; named < 2; named++) {
        mplan_mesh *mesh = grid();
        mplan_plan *plan = plan_of(mesh, named);
        size_t size;
        uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
        support_file file = support_file_split(bytes, size);
        assert_int_equal(accept(bytes, size, mesh), MPLAN_OK);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            assert_true(spoil(&file, kinds[k], mesh) > 0);
        support_file_free(&file);
        free(bytes);
        mplan_plan_free(plan);
        mplan_mesh_free(mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_bit_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
