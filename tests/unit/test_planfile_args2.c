/* SPDX-License-Identifier: Apache-2.0 */
/* test_planfile_args2.c - what format 1.2 says of args: written where it is needed, read, and proved
 *
 * Each byte of each record of ARGS2 is changed, and of the record of ARGS that it completes: the
 * reader refuses it, or verify does. */
#include <stdlib.h>

#include "plan/plan.h"
#include "planfile/planfile_layout.h"
#include "support_planfile.h"
#include "support_test.h"

static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};

enum { ELEMENTS = 40, POINTS = 30, RECORD = 64, OLD_RECORD = 32 };

/* access: of the increments through the map; global: of a global, MPLAN_WRITE: none. */
static mplan_plan *plan_of(mplan_access access, mplan_access global)
{
    mplan_error err;
    mplan_mesh *mesh;
    mplan_plan *plan;
    int32_t values[2 * ELEMENTS];
    uint64_t seed = 3;
    const mplan_arg args[] = {{"x", "m", access, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
                              {"q", NULL, MPLAN_READ, 2, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
                              {"dt", MPLAN_GLOBAL, global, 1, MPLAN_TYPE_F32, MPLAN_NONE_REFUSE}};
    const mplan_loop loop = {"loop", "elements", true, 1, 0, global == MPLAN_WRITE ? 2 : 3, args};
    for (int i = 0; i < 2 * ELEMENTS; i++)
        values[i] = (int32_t)support_random(&seed, POINTS);
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "elements", ELEMENTS, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "points", POINTS, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "m", 0, 1, 2, NULL, values, NULL, &err), &err);
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.n_strategies = 1; /* plans of strategies that were chosen have other news of 1.2 */
    options.strategies[0] = MPLAN_STRATEGY_ATOMIC;
    assert_done(mplan_plan_create(mesh, 1, &loop, &options, &one_thread, &plan, &err), &err);
    assert_done(mplan_plan_verify(plan, mesh, &one_thread, &err), &err);
    mplan_mesh_free(mesh);
    return plan;
}

/* Reads bytes and proves what they say; the first that fails. */
static mplan_status accept(const uint8_t *bytes, size_t size, mplan_plan **kept, mplan_error *err)
{
    mplan_plan *plan = NULL;
    mplan_status status = mplan_plan_read_borrowed(bytes, size, "args2", NULL, &plan, err);
    if (!status)
        status = mplan_plan_verify(plan, NULL, &one_thread, err);
    if (kept && !status)
        *kept = plan;
    else
        mplan_plan_free(plan);
    return status;
}

static void written_where_needed(void **state)
{
    static const mplan_access accesses[] = {MPLAN_INC, MPLAN_INC_MIN, MPLAN_INC_MAX};
    static const mplan_access globals[] = {MPLAN_WRITE, MPLAN_READ, MPLAN_INC, MPLAN_INC_MIN};
    (void)state;
    for (int a = 0; a < 3; a++)
        for (int g = 0; g < 4; g++) {
            mplan_plan *plan = plan_of(accesses[a], globals[g]), *again = NULL;
            mplan_error err;
            size_t size;
            uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
            const bool needed = a > 0 || g > 0;
            assert_int_equal(bytes[MPLAN_AT_MINOR], needed ? 2 : 1);
            assert_int_equal(support_load64(bytes + MPLAN_AT_MUST_KNOW) & MPLAN_MUST_KNOW_ARGS2,
                             needed ? MPLAN_MUST_KNOW_ARGS2 : 0);
            assert_done(accept(bytes, size, &again, &err), &err);
            assert_int_equal(again->loops[0].args[0].access, accesses[a]);
            assert_int_equal(again->loops[0].args[1].map, -1);
            if (g > 0) {
                assert_int_equal(again->loops[0].args[2].map, MPLAN_MAP_GLOBAL);
                assert_int_equal(again->loops[0].args[2].access, globals[g]);
            }
            mplan_plan_free(again);
            free(bytes);
            mplan_plan_free(plan);
        }
}

/* Of each record every byte; a reader that ignored one would take a plan of another loop. */
static void spoil(const support_file *file, mplan_kind kind, int record_bytes)
{
    support_section *section = &file->sections[support_file_find(file, kind)];
    for (size_t at = 0; at < 3 * (size_t)record_bytes; at++)
        for (int bit = 0; bit < 8; bit += 1) {
            mplan_error err = {MPLAN_OK, ""};
            size_t size;
            section->data[at] ^= (uint8_t)(1 << bit);
            uint8_t *joined = support_file_join(file, &size);
            if (accept(joined, size, NULL, &err) == MPLAN_OK)
                fail_msg("section %d, byte %zu, bit %d: nobody sees it", (int)kind, at, bit);
            free(joined);
            section->data[at] ^= (uint8_t)(1 << bit);
        }
}

static void every_bit_counts(void **state)
{
    (void)state;
    mplan_plan *plan = plan_of(MPLAN_INC_MIN, MPLAN_INC_MAX);
    size_t size;
    uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
    support_file file = support_file_split(bytes, size);
    spoil(&file, MPLAN_KIND_ARGS2, RECORD);
    spoil(&file, MPLAN_KIND_ARGS, OLD_RECORD);
    support_file_free(&file);
    free(bytes);
    mplan_plan_free(plan);
}

/* Values that are known but belong elsewhere are refused by the reader itself, with their byte. */
static void records_agree(void **state)
{
    static const struct {
        mplan_kind kind;
        int record, at;
        uint32_t value;
        const char *words;
    } cases[] = {
        {MPLAN_KIND_ARGS2, 0, 8, 1, "arg 0 does not have a class that goes with its map"},
        {MPLAN_KIND_ARGS2, 0, 8, 2, "arg 0 does not have a class that goes with its map"},
        {MPLAN_KIND_ARGS2, 1, 8, 0, "arg 1 does not have a class that goes with its map"},
        {MPLAN_KIND_ARGS2, 1, 8, 3, "arg 1 does not have a class that goes with its map"},
        {MPLAN_KIND_ARGS2, 1, 12, 4, "arg 1 has two accesses that do not go together"},
        {MPLAN_KIND_ARGS2, 2, 12, 0, "arg 2 has two accesses that do not go together"},
        {MPLAN_KIND_ARGS2, 0, 12, 6, "arg 0 has two accesses that do not go together"},
        {MPLAN_KIND_ARGS2, 1, 16, 1, "arg 1 has a first offset"},
        {MPLAN_KIND_ARGS2, 1, 24, 1, "the stride of arg 1 is out of range"},
        {MPLAN_KIND_ARGS2, 1, 32, 1, "the stride of arg 1 is out of range"},
        {MPLAN_KIND_ARGS2, 1, 40, 1, "arg 1 cannot have so many slots"},
        {MPLAN_KIND_ARGS2, 1, 44, 1, "the rows of arg 1 are out of range"},
        {MPLAN_KIND_ARGS2, 1, 48, 1, "arg 1 has an unknown order of levels"},
        {MPLAN_KIND_ARGS2, 0, 52, 1, "arg 0 writes points once, but does not write through a map"},
        {MPLAN_KIND_ARGS2, 1, 52, 1, "arg 1 writes points once, but does not write through a map"},
        {MPLAN_KIND_ARGS2, 1, 56, 1, "a reserved byte is not zero"},
        {MPLAN_KIND_ARGS, 0, 12, 4, "arg 0 has an unknown access"},
        {MPLAN_KIND_ARGS, 1, 8, UINT32_MAX - 1, "the map of arg 1 does not exist"},
    };
    (void)state;
    mplan_plan *plan = plan_of(MPLAN_INC_MIN, MPLAN_INC_MAX);
    size_t size, changed;
    mplan_error err;
    uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
    support_file file = support_file_split(bytes, size);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        support_section *section = &file.sections[support_file_find(&file, cases[i].kind)];
        uint8_t *at = section->data + cases[i].at +
                      cases[i].record * (cases[i].kind == MPLAN_KIND_ARGS ? OLD_RECORD : RECORD);
        uint8_t old[4];
        memcpy(old, at, 4);
        support_store32(at, cases[i].value);
        uint8_t *joined = support_file_join(&file, &changed);
        assert_refused(accept(joined, changed, NULL, &err), MPLAN_ERR_CORRUPT, &err, cases[i].words);
        free(joined);
        memcpy(at, old, 4);
    }
    /* without the section, and with one that lacks a record */
    support_section *section = &file.sections[support_file_find(&file, MPLAN_KIND_ARGS2)];
    support_section_resize(section, 2 * RECORD);
    support_store64(section->entry + MPLAN_AT_ROWS, 2);
    uint8_t *joined = support_file_join(&file, &changed);
    assert_refused(accept(joined, changed, NULL, &err), MPLAN_ERR_CORRUPT, &err,
                   "there are 2 records of 1.2 for 3 args");
    free(joined);
    support_file_free(&file);
    free(bytes);
    mplan_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_where_needed),
        cmocka_unit_test(every_bit_counts),
        cmocka_unit_test(records_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
