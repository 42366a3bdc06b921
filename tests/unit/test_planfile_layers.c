/* SPDX-License-Identifier: Apache-2.0 */
/* test_planfile_layers.c - what format 1.2 says of layers: written where it is needed, read, and proved
 *
 * Every bit of each record of LAYERS, SLOTS, ARGS2, ARGS and LOOPS, of the ranges, of a mask and of the request's lines is changed:
 * the reader refuses it, or verify does. What a request cannot say is refused before. */
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
#include "planfile/planfile_layout.h"
#include "support_planfile.h"
#include "support_test.h"

static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};

enum { ELEMENTS = 24, POINTS = 20, LAYERS = 5, ARITY = 3 };

/* A request that may be changed in one place. */
typedef struct request {
    mplan_arg args[4];
    mplan_loop loop;
    mplan_layered_arg levels[4];
    mplan_layered_loop layered;
    mplan_layered_set set;
    mplan_layers layers;
    mplan_plan_options options;
    int32_t ranges[2 * ELEMENTS];
    uint32_t mask[ELEMENTS];
} request;

/* A matrix of six rows: three points, each with two levels. */
static void make(request *r, mplan_strategy strategy, bool ranged)
{
    const mplan_arg args[] = {{"m", NULL, MPLAN_READ, 36, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
                              {"x", "m3", MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
                              {"lhs", "m3", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
                              {"dt", MPLAN_GLOBAL, MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    memset(r, 0, sizeof *r);
    memcpy(r->args, args, sizeof args);
    r->loop = (mplan_loop){"loop", "elements", true, 1, 0, 4, r->args};
    r->levels[0] = (mplan_layered_arg){0, 0, {LAYERS, 1, 6, MPLAN_COLUMNS_OWNER, 1, {{0, 0}}}};
    for (int a = 1; a < 3; a++)
        r->levels[a] = (mplan_layered_arg){
            0,
            a,
            {LAYERS + 1, 1, 0, MPLAN_COLUMNS_LAYERS, 2, {{MPLAN_EVERY_SLOT, 0}, {MPLAN_EVERY_SLOT, 1}}}};
    r->layered = (mplan_layered_loop){0, MPLAN_LAYERING_LAYERS};
    for (int i = 0; i < ELEMENTS; i++) {
        r->ranges[2 * i] = i % 3;
        r->ranges[2 * i + 1] = LAYERS - i % 2;
    }
    for (int i = 0; i < ELEMENTS; i++)
        r->mask[i] = (uint32_t)(i * 7 + 3);
    r->set = (mplan_layered_set){"elements", LAYERS, ranged ? r->ranges : NULL, NULL};
    r->layers = (mplan_layers){1, 1, 3, &r->set, &r->layered, r->levels};
    r->options = (mplan_plan_options)MPLAN_PLAN_OPTIONS_INIT;
    r->options.layers = &r->layers;
    r->options.n_strategies = 1;
    r->options.strategies[0] = strategy;
}

static mplan_status create(const request *r, mplan_plan **plan, mplan_error *err)
{
    mplan_mesh *mesh;
    int32_t values[ARITY * ELEMENTS];
    uint64_t seed = 7;
    for (int i = 0; i < ARITY * ELEMENTS; i++)
        values[i] = (int32_t)support_random(&seed, POINTS);
    assert_done(mplan_mesh_create(&mesh, err), err);
    assert_done(mplan_mesh_add_set(mesh, "elements", ELEMENTS, NULL, err), err);
    assert_done(mplan_mesh_add_set(mesh, "points", POINTS, NULL, err), err);
    assert_done(mplan_mesh_add_map(mesh, "m3", 0, 1, ARITY, NULL, values, NULL, err), err);
    mplan_status status = mplan_plan_create(mesh, 1, &r->loop, &r->options, &one_thread, plan, err);
    if (!status)
        assert_done(mplan_plan_verify(*plan, mesh, &one_thread, err), err);
    mplan_mesh_free(mesh);
    return status;
}

static mplan_status accept(const uint8_t *bytes, size_t size, mplan_plan **kept, mplan_error *err)
{
    mplan_plan *plan = NULL;
    mplan_status status = mplan_plan_read_borrowed(bytes, size, "layers", NULL, &plan, err);
    if (!status)
        status = mplan_plan_verify(plan, NULL, &one_thread, err);
    if (kept && !status)
        *kept = plan;
    else
        mplan_plan_free(plan);
    return status;
}

static void comes_back(void **state)
{
    static const mplan_strategy strategies[] = {MPLAN_STRATEGY_GLOBAL_COLOUR, MPLAN_STRATEGY_TWO_STEP,
                                                MPLAN_STRATEGY_ATOMIC, MPLAN_STRATEGY_OWNER_GATHER};
    (void)state;
    for (int s = 0; s < 4; s++)
        for (int how = 0; how < 4; how++) {
            const bool ranged = how & 1, masked = how & 2;
            request r;
            mplan_plan *plan, *again = NULL;
            mplan_error err;
            size_t size;
            make(&r, strategies[s], ranged);
            r.set.mask = masked ? r.mask : NULL;
            assert_done(create(&r, &plan, &err), &err);
            uint8_t *bytes = support_file_bytes(plan, ranged, 1, &size);
            assert_int_equal(bytes[MPLAN_AT_MINOR], 2);
            assert_int_equal(support_load64(bytes + MPLAN_AT_MUST_KNOW) &
                                 (MPLAN_MUST_KNOW_LAYERS | MPLAN_MUST_KNOW_MASK),
                             MPLAN_MUST_KNOW_LAYERS | (masked ? MPLAN_MUST_KNOW_MASK : 0));
            assert_done(accept(bytes, size, &again, &err), &err);
            assert_int_equal(again->loops[0].layering, MPLAN_LAYERING_LAYERS);
            assert_int_equal(again->sets[0].layers, LAYERS);
            assert_int_equal(again->sets[0].layers_least, ranged ? 2 : LAYERS);
            assert_int_equal(again->sets[0].layers_masked, masked);
            for (int a = 0; a < 4; a++)
                assert_memory_equal(&again->loops[0].args[a].layers, &plan->loops[0].args[a].layers,
                                    sizeof(mplan_arg_layers));
            assert_int_equal(again->loops[0].args[2].layers.n_slots, 6);
            assert_int_equal(again->loops[0].args[2].layers.slots[4].of, 1);
            assert_int_equal(again->loops[0].args[2].layers.slots[4].offset, 1);
            mplan_plan_free(again);
            free(bytes);
            mplan_plan_free(plan);
        }
}

static void spoil(const support_file *file, mplan_kind kind, size_t from)
{
    support_section *section = &file->sections[support_file_find(file, kind)];
    for (size_t at = from; at < section->size; at++)
        for (int bit = 0; bit < 8; bit++) {
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

static void every_bit_of(bool masked)
{
    request r;
    mplan_plan *plan;
    mplan_error err;
    size_t size;
    make(&r, MPLAN_STRATEGY_OWNER_GATHER, true);
    r.set.mask = masked ? r.mask : NULL;
    assert_done(create(&r, &plan, &err), &err);
    uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
    support_file file = support_file_split(bytes, size);
    spoil(&file, MPLAN_KIND_LAYERS, 0);
    if (masked)
        spoil(&file, MPLAN_KIND_LAYER_MASK, 0);
    else {
        spoil(&file, MPLAN_KIND_SLOTS, 0);
        spoil(&file, MPLAN_KIND_ARGS2, 0);
        spoil(&file, MPLAN_KIND_LOOPS, 28);
        spoil(&file, MPLAN_KIND_LAYER_RANGES, 0);
    }
    support_section *text = &file.sections[support_file_find(&file, MPLAN_KIND_REQUEST)];
    size_t line = 0;
    while (memcmp(text->data + line, "\nlayers ", 8) != 0)
        line++;
    spoil(&file, MPLAN_KIND_REQUEST, line);
    support_file_free(&file);
    free(bytes);
    mplan_plan_free(plan);
}

static void every_bit_counts(void **state)
{
    (void)state;
    every_bit_of(false);
    every_bit_of(true);
}

/* What is changed in a request, and what is said of it. */
typedef struct refusal {
    const char *words;
    int32_t *number;
    int32_t value;
} refusal;

static void cannot_be_asked(void **state)
{
    (void)state;
    request r;
    const refusal cases[] = {
        {"layers of elements must be 1 to 65535", &r.set.layers, 0},
        {"member 1 cannot have layers 1 to 5 of 5", &r.ranges[3], LAYERS + 1},
        {"member 0 cannot have layers -1", &r.ranges[0], -1},
        {"there is no loop 1", &r.layered.loop, 1},
        {"loop 0 has no arg 4", &r.levels[0].arg, 4},
        {"levels and stride must be at least 1", &r.levels[1].layers.stride, 0},
        {"a slot of the highest layer is beyond the levels", &r.levels[1].layers.levels, LAYERS},
        {"a slot of the highest layer is beyond the levels", &r.levels[2].layers.slots[1].offset, 2},
        {"a slot must be one of the slots of its map", &r.levels[1].layers.slots[1].of, ARITY},
        {"two slots are the same", &r.levels[2].layers.slots[1].offset, 0},
        {"an offset must not be negative", &r.levels[2].layers.slots[1].offset, -1},
        {"a matrix has a row for each slot of the increments", &r.levels[0].layers.rows, 3},
        {"its dim is a multiple of its rows", &r.levels[0].layers.rows, 5},
        {"only a matrix, which has rows, is stored by owner", &r.levels[0].layers.rows, 0},
        {"a matrix has a row for each slot of the increments", &r.layers.n_args, 2},
        {"only a matrix, which has rows, is stored by owner",
         (int32_t *)&r.levels[1].layers.columns, MPLAN_COLUMNS_OWNER},
        {"has the encoding index16 or index32, not pair32", (int32_t *)&r.options.encoding,
         MPLAN_ENCODING_PAIR32},
        {"has the encoding index16 or index32, not windows16", (int32_t *)&r.options.encoding,
         MPLAN_ENCODING_WINDOWS16},
        {"has slices of 32 rows, not 64", &r.options.slice_rows, 64},
        {"can only be read or incremented", (int32_t *)&r.args[2].access, MPLAN_RW},
        {"a matrix is read directly", (int32_t *)&r.layered.layering, MPLAN_LAYERING_COLUMNS},
        {"no loop over it has layers", &r.layers.n_loops, 0},
        {"set elements must have layers", &r.layers.n_sets, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mplan_plan *plan = NULL;
        mplan_error err = {MPLAN_OK, ""};
        make(&r, MPLAN_STRATEGY_OWNER_GATHER, true);
        *cases[i].number = cases[i].value;
        mplan_status status = create(&r, &plan, &err);
        if (status != MPLAN_ERR_ARGUMENT || !strstr(err.text, cases[i].words))
            fail_msg("case %zu: '%s' lacks '%s'", i, err.text, cases[i].words);
        mplan_plan_free(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(comes_back),
                                       cmocka_unit_test(every_bit_counts),
                                       cmocka_unit_test(cannot_be_asked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
