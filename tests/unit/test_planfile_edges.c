/* SPDX-License-Identifier: Apache-2.0 */
/* test_planfile_edges.c - plan files at their edges: the shortest, what is packed, how far reading and writing
 * have come
 *
 * test_planfile_sections.c has the table of sections, test_planfile_limits.c walks the numbers of records, test_planfile_damage.c what
 * is damaged. */
#include "planfile/planfile_layout.h"
#include "planfile/planfile_rules.h"
#include "support_cases.h"
#include "support_planfile.h"

#include <unistd.h>

#ifdef MPLAN_HAVE_ZLIB
#define WITH_ZLIB 1
#else
#define WITH_ZLIB 0
#endif

/* --- rules of records, in the plan only --- */

static support_cases cases;

static mplan_status rules_hold(support_cases *all, mplan_error *err)
{
    mplan_fault fault = {0};
    const mplan_status status = mplan_rules_records(all->plan, &fault, err);
    return status == MPLAN_ERR_CORRUPT ? MPLAN_DISPROVED(err, "%s", fault.what) : status;
}

static void references_lead_somewhere(void **state)
{
    (void)state;
    mplan_plan *plan = support_hand_plan(2, 1);
    support_cases_open(&cases, NULL, plan);
    cases.proof = rules_hold;
    mplan_plan_block_set *blocks = plan->block_sets;
    HOLDS();
    for (int32_t none = -1; none <= 3; none += 4) {
        REFUSED("the set of loop 1 does not exist", plan->loops[1].set = none);
        REFUSED("the set of loop 0 does not exist", plan->loops[0].set = none);
        REFUSED("the set of block set 2 does not exist", blocks[2].set = none);
        REFUSED("the to-set of map 1 does not exist", plan->maps[1].to = none);
        REFUSED("the from-set of map 1 does not exist", plan->maps[1].from = none);
    }
    REFUSED("block set 2 was not made for a loop over its set", blocks[2].loop = -1);
    REFUSED("block set 2 was not made for a loop over its set", plan->n_loops = 1);
    REFUSED("the map of arg 0 does not exist", ARG_OF(0, 0)->map = -3);
    REFUSED("the map of arg 0 does not exist", ARG_OF(0, 0)->map = 2);
    REFUSED("has an unknown strategy", VARIANT_OF(0, 0)->strategy = (mplan_strategy)-1);
    REFUSED("has an unknown access", ARG_OF(0, 0)->access = (mplan_access)-1);
    REFUSED("has an unknown renumbering", plan->sets[0].renumber = (mplan_renumber)-1);
    REFUSED("has an unknown rule for entries of -1", ARG_OF(0, 0)->none = (mplan_none)-1);
    REFUSED("has an unknown layout", ARG_OF(0, 0)->layout = (mplan_layout)-1);
    REFUSED("has unknown sums", VARIANT_OF(0, 0)->sums = (mplan_sums)-1);
    REFUSED("does not have an encoding of its strategy",
            VARIANT_OF(0, 0)->encoding = (mplan_encoding)-1);
    REFUSED("has an unknown origin", blocks[0].origin.origin = (mplan_origin)-1);
    REFUSED("has an unknown partitioner", blocks[0].partitioner = (mplan_partitioner)-1);
    REFUSED("expected the metrics of loop", plan->n_metrics--);
    REFUSED("expected the metrics of loop 0, block set 0", plan->metrics[0].set = 1);
    /* sets of a loop are listed once, in order, whatever the order of its args */
    const mplan_plan_arg first = *ARG_OF(0, 0);
    const int32_t last = plan->loops[0].n_args - 1;
    HOLDS(*ARG_OF(0, 0) = *ARG_OF(0, last), *ARG_OF(0, last) = first);
    support_cases_close(&cases);
}

/* --- the shortest files --- */

static void headers_end_where_they_end(void **state)
{
    (void)state;
    mplan_plan *plan = support_hand_plan(1, 1);
    size_t size;
    mplan_error err;
    uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
    for (size_t length = 0; length <= 130; length++) {
        const mplan_status status = support_file_read(bytes, length, NULL, &err);
        assert_int_equal(status, length < MPLAN_MAGIC_BYTES ? MPLAN_ERR_FORMAT : MPLAN_ERR_CORRUPT);
        if (length >= MPLAN_MAGIC_BYTES && length < MPLAN_HEADER_BYTES)
            assert_non_null(strstr(err.text, "the file ends within its header"));
        if (length >= MPLAN_HEADER_BYTES)
            assert_non_null(strstr(err.text, "the file ends here instead of at byte"));
    }
    /* a newer one says so as soon as its version is there */
    support_store32(bytes + MPLAN_AT_MAJOR, 99);
    for (size_t length = MPLAN_MAGIC_BYTES; length <= 130; length++)
        assert_int_equal(support_file_read(bytes, length, NULL, &err),
                         length < MPLAN_AT_HEADER_BYTES ? MPLAN_ERR_CORRUPT : MPLAN_ERR_TOO_NEW);
    free(bytes);
    mplan_plan_free(plan);
}

/* A plan of nothing, as version 1.0 writes it, has the sections that every plan has and no other. */
static void the_least_plan_is_read(void **state)
{
    (void)state;
    mplan_plan *plan, *again;
    mplan_error err;
    size_t size;
    assert_done(mplan_plan_new(&plan, &err), &err);
    assert_done(mplan_plan_set_texts(plan, "", "", &err), &err);
    assert_done(mplan_plan_seal(plan, &err), &err);
    for (int old = 0; old < 2; old++) {
        plan->no_origins = old;
        uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
        assert_int_equal(support_load64(bytes + MPLAN_AT_N_SECTIONS), MPLAN_N_NEEDED_KINDS + !old);
        assert_int_equal(bytes[MPLAN_AT_MINOR], !old);
        assert_done(mplan_plan_read_borrowed(bytes, size, "edge", NULL, &again, &err), &err);
        assert_int_equal(again->no_origins, old);
        mplan_plan_free(again);
        support_file file = support_file_split(bytes, size);
        file.n--;
        size_t shorter;
        uint8_t *cut = support_file_join(&file, &shorter);
        if (old)
            assert_refused(support_file_read(cut, shorter, NULL, &err), MPLAN_ERR_CORRUPT, &err,
                           "section 10 is missing");
        free(cut);
        file.n++;
        support_file_free(&file);
        free(bytes);
    }
    mplan_plan_free(plan);
}

/* Takes what version 1.2 added out of the variants. */
static void forget_1_2(mplan_plan *plan)
{
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (int32_t v = 0; v < plan->loops[l].n_variants; v++) {
            mplan_plan_variant *variant = (mplan_plan_variant *)(uintptr_t)&plan->loops[l].variants[v];
            variant->sums_order = MPLAN_SUMS_ORDER_STORED;
            variant->predicted_ns = 0;
        }
    plan->n_step = plan->n_conflicts = 0;
}

/* A plan is of 1.2 exactly where one of its sections is needed, and owner2 is stated where readers
 * must know of it. */
static void versions_are_the_lowest(void **state)
{
    (void)state;
    mplan_plan *plan = support_hand_plan(1, 1), *again;
    mplan_plan_variant *variant = (mplan_plan_variant *)(uintptr_t)&plan->loops[0].variants[2];
    mplan_error err;
    size_t size;
    for (int use = 0; use < 8; use++) {
        forget_1_2(plan);
        plan->n_step = use & 4 ? 3 : 0;
        plan->n_conflicts = use & 4 ? 2 : 0;
        variant->sums_order = use & 1 ? MPLAN_SUMS_ORDER_COLUMN : MPLAN_SUMS_ORDER_STORED;
        variant->predicted_ns = use & 2 ? 7 : 0;
        uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
        assert_int_equal(bytes[MPLAN_AT_MINOR], use ? 2 : 1);
        assert_int_equal(mplan_plan_format_minor(plan), use ? 2 : 1);
        assert_int_equal(support_load64(bytes + MPLAN_AT_MUST_KNOW) & MPLAN_MUST_KNOW_OWNER2,
                         use & 1 ? MPLAN_MUST_KNOW_OWNER2 : 0);
        assert_done(mplan_plan_read_borrowed(bytes, size, "edge", NULL, &again, &err), &err);
        assert_int_equal(again->loops[0].variants[2].sums_order, variant->sums_order);
        assert_int_equal(again->loops[0].variants[2].predicted_ns, variant->predicted_ns);
        assert_int_equal(again->n_step, plan->n_step);
        assert_int_equal(again->n_conflicts, plan->n_conflicts);
        for (int i = 0; i < plan->n_step; i++)
            assert_int_equal(again->step[i].loop, plan->step[i].loop);
        assert_memory_equal(again->n_conflicts ? again->conflicts : plan->conflicts,
                            plan->conflicts, (size_t)plan->n_conflicts * sizeof *plan->conflicts);
        mplan_plan_free(again);
        free(bytes);
    }
    /* readers must know of rounds, too: those that do not would find lists that do not ascend */
    mplan_plan_variant *gather = NULL;
    for (int32_t v = 0; v < plan->loops[0].n_variants; v++)
        if (plan->loops[0].variants[v].strategy == MPLAN_STRATEGY_BLOCK_GATHER)
            gather = (mplan_plan_variant *)(uintptr_t)&plan->loops[0].variants[v];
    for (int32_t round = 0; gather && round < gather->block_limit; round++) {
        gather->round = round;
        uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
        assert_int_equal(support_load64(bytes + MPLAN_AT_MUST_KNOW) & MPLAN_MUST_KNOW_ROUNDS,
                         round ? MPLAN_MUST_KNOW_ROUNDS : 0);
        free(bytes);
        gather->round = 0;
    }
    /* a section that says nothing is refused, and one that lacks a variant */
    uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
    support_file file = support_file_split(bytes, size);
    support_section *added = &file.sections[support_file_find(&file, MPLAN_KIND_VARIANTS2)];
    for (int rows = 4; rows < 7; rows++) {
        size_t changed;
        support_section_resize(added, (size_t)rows * 64);
        memset(added->data, 0, (size_t)rows * 64);
        support_store64(added->entry + MPLAN_AT_ROWS, (uint64_t)rows);
        support_store64(file.header + MPLAN_AT_MUST_KNOW, 0);
        uint8_t *joined = support_file_join(&file, &changed);
        assert_refused(support_file_read(joined, changed, NULL, &err), MPLAN_ERR_CORRUPT, &err,
                       rows == 5 ? "section 12 is there without need"
                                 : "records of 1.2 for 5 variants");
        free(joined);
    }
    support_file_free(&file);
    free(bytes);
    mplan_plan_free(plan);
}

/* A plan with block sets that says it has no origins is of 1.0, and stays so. */
static void old_plans_stay_old(void **state)
{
    (void)state;
    mplan_plan *plan = support_hand_plan(1, 1), *again;
    mplan_error err;
    size_t size;
    for (int32_t b = 0; b < plan->n_block_sets; b++)
        plan->block_sets[b].origin = (mplan_block_origin){0};
    forget_1_2(plan);
    plan->no_origins = true;
    uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
    assert_int_equal(bytes[MPLAN_AT_MINOR], 0);
    assert_done(mplan_plan_read_borrowed(bytes, size, "edge", NULL, &again, &err), &err);
    assert_true(again->no_origins);
    mplan_plan_free(again);
    free(bytes);
    /* a new one must have as many origins as block sets */
    plan->no_origins = false;
    bytes = support_file_bytes(plan, false, 1, &size);
    support_file file = support_file_split(bytes, size);
    support_section *origins = &file.sections[support_file_find(&file, MPLAN_KIND_ORIGINS)];
    for (int rows = 0; rows < 5; rows++) {
        size_t changed;
        support_section_resize(origins, (size_t)rows * 32);
        support_store64(origins->entry + MPLAN_AT_ROWS, (uint64_t)rows);
        uint8_t *joined = support_file_join(&file, &changed);
        const mplan_status status = support_file_read(joined, changed, NULL, &err);
        if (rows == plan->n_block_sets)
            assert_int_equal(status, MPLAN_OK);
        else
            assert_refused(status, MPLAN_ERR_CORRUPT, &err, "origins, but 3 block sets");
        free(joined);
    }
    support_file_free(&file);
    free(bytes);
    mplan_plan_free(plan);
}

/* --- texts --- */

static void texts_hold_no_zero(void **state)
{
    static const char *const names[] = {"c", "ce", "cells of all", ""};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        mplan_plan *plan = support_hand_plan(1, 1), *again;
        size_t size, changed;
        mplan_error err;
        const char *old = plan->sets[0].name;
        plan->sets[0].name = names[i];
        uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
        plan->sets[0].name = old;
        assert_done(mplan_plan_read_borrowed(bytes, size, "edge", NULL, &again, &err), &err);
        assert_string_equal(again->sets[0].name, names[i]);
        mplan_plan_free(again);
        for (size_t at = 0; at < strlen(names[i]); at++) {
            support_file file = support_file_split(bytes, size);
            file.sections[0].data[at] = 0;
            uint8_t *joined = support_file_join(&file, &changed);
            assert_refused(support_file_read(joined, changed, NULL, &err), MPLAN_ERR_CORRUPT, &err,
                           "a text contains a zero byte");
            free(joined);
            support_file_free(&file);
        }
        free(bytes);
        mplan_plan_free(plan);
    }
}

/* --- writing --- */

typedef struct steps {
    const char *stage;
    int64_t n, last, total, cancel_at;
    bool back;
} steps;

static void step(void *user, const char *stage, int64_t done, int64_t total)
{
    steps *all = user;
    if (strcmp(stage, all->stage) != 0)
        return;
    all->back = all->back || done < all->last;
    all->last = done;
    all->total = total;
    all->n++;
}

static bool enough(void *user)
{
    steps *all = user;
    return all->cancel_at-- == 0;
}

/* One set of so many members, nothing else. */
static mplan_plan *plan_of_a_set(int64_t n)
{
    mplan_plan *plan;
    mplan_error err;
    mplan_plan_set set = {.name = "cells",
                          .size = n,
                          .storage_size = n,
                          .split = "",
                          .renumber = MPLAN_RENUMBER_NONE,
                          .bandwidth = {-1, -1, -1},
                          .profile = {-1, -1, -1}};
    assert_done(mplan_plan_new(&plan, &err), &err);
    assert_done(mplan_plan_add_set(plan, &set, &err), &err);
    for (int k = 0; k < 2; k++) {
        int32_t *order = mplan_alloc(n, sizeof *order, &err);
        assert_non_null(order);
        for (int64_t i = 0; i < n; i++)
            order[i] = (int32_t)i;
        assert_done(mplan_plan_take_array(plan,
                                          mplan_key_of_set(k ? MPLAN_KIND_OLD_OF_NEW
                                                             : MPLAN_KIND_NEW_OF_OLD,
                                                           0),
                                          MPLAN_TYPE_I32, n, 1, order, &err),
                    &err);
    }
    assert_done(mplan_plan_set_texts(plan, "request", "meshplan 1\n", &err), &err);
    assert_done(mplan_plan_seal(plan, &err), &err);
    return plan;
}

static void what_is_written_is_read(void **state)
{
    /* parts of 4 MiB are written at a time */
    static const int64_t sizes[] = {1, 255, 256, 1048575, 1048576, 1048577};
    char path[96];
    (void)state;
    snprintf(path, sizeof path, "%s/planfile_edges_%d.mplan", support_fast_folder(), (int)getpid());
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        mplan_plan *plan = plan_of_a_set(sizes[i]), *again = NULL;
        mplan_error err;
        int64_t bytes = 0;
        steps written = {.stage = "write", .cancel_at = -1},
              read = {.stage = "read", .cancel_at = -1};
        mplan_context writing = {.struct_size = sizeof writing,
                                 .threads = 2,
                                 .progress = step,
                                 .cancelled = enough,
                                 .user = &written};
        mplan_context reading = writing;
        reading.user = &read;
        assert_done(mplan_plan_write(plan, path, NULL, &writing, &bytes, &err), &err);
        assert_int_equal(written.last, bytes);
        assert_int_equal(written.total, bytes);
        assert_false(written.back);
        assert_done(mplan_plan_read(path, &reading, &again, &err), &err);
        assert_int_equal(read.last, bytes);
        assert_int_equal(read.total, bytes);
        for (int k = 0; k < 2; k++)
            assert_memory_equal(again->arrays[k].data, plan->arrays[k].data, (size_t)sizes[i] * 4);
        mplan_plan_free(again);
        mplan_plan_free(plan);
    }
    unlink(path);
}

/* Texts may have any length: also that of a piece, and one more or less. */
static void long_texts_are_written(void **state)
{
    enum { PIECE = 4 << 20 };
    (void)state;
    for (size_t length = PIECE - 1; length <= PIECE + 1; length++) {
        mplan_plan *plan = plan_of_a_set(1), *again = NULL;
        mplan_error err;
        size_t size;
        char *text = malloc(length + 1);
        assert_non_null(text);
        for (size_t i = 0; i < length; i++)
            text[i] = (char)('a' + i % 23);
        text[length] = '\0';
        plan->sealed = false;
        assert_done(mplan_plan_set_texts(plan, text, "meshplan 1\n", &err), &err);
        assert_done(mplan_plan_seal(plan, &err), &err);
        uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
        assert_done(mplan_plan_read_borrowed(bytes, size, "edge", NULL, &again, &err), &err);
        assert_string_equal(again->request, text);
        mplan_plan_free(again);
        free(bytes);
        free(text);
        mplan_plan_free(plan);
    }
}

/* Arrays of 1,024 bytes and more are packed. */
static void long_arrays_are_packed(void **state)
{
    (void)state;
    for (int64_t n = 254; n <= 258; n++) {
        mplan_plan *plan = plan_of_a_set(n);
        mplan_error err;
        size_t size;
        if (!WITH_ZLIB) {
            mplan_plan_free(plan);
            continue;
        }
        uint8_t *bytes = support_file_bytes(plan, true, 1, &size);
        support_file file = support_file_split(bytes, size);
        const support_section *section =
            &file.sections[support_file_find(&file, MPLAN_KIND_NEW_OF_OLD)];
        assert_int_equal(support_load32(section->entry + MPLAN_AT_CODEC), n >= 256);
        /* what they inflate to is bounded, all of them together */
        mplan_context context = MPLAN_CONTEXT_INIT;
        context.max_inflate = 8 * n - 1;
        assert_int_equal(support_file_read(bytes, size, &context, &err),
                         n >= 256 ? MPLAN_ERR_MEMORY : MPLAN_OK);
        context.max_inflate = 8 * n;
        assert_done(support_file_read(bytes, size, &context, &err), &err);
        support_file_free(&file);
        free(bytes);
        mplan_plan_free(plan);
    }
}

/* What no reader would take is not written. */
static void unfit_plans_are_not_written(void **state)
{
    mplan_plan *plan = plan_of_a_set(4);
    mplan_error err;
    (void)state;
    const mplan_write_options strange = {.struct_size = 1};
    assert_int_equal(mplan_plan_write(plan, "/dev/null/none", &strange, NULL, NULL, &err),
                     MPLAN_ERR_ARGUMENT);
    plan->n_arrays = 0;
    assert_refused(mplan_plan_write(plan, "unfit.mplan", NULL, NULL, NULL, &err),
                   MPLAN_ERR_INTERNAL, &err, "arrays of the plan are missing");
    plan->n_arrays = 1;
    assert_refused(mplan_plan_write(plan, "unfit.mplan", NULL, NULL, NULL, &err),
                   MPLAN_ERR_INTERNAL, &err, "the plan lacks its array old_of_new");
    plan->n_arrays = 2;
    plan->sets[0].size = 3;
    assert_refused(mplan_plan_write(plan, "unfit.mplan", NULL, NULL, NULL, &err),
                   MPLAN_ERR_INTERNAL, &err, "has another shape for its array new_of_old");
    plan->sets[0].size = -1;
    assert_refused(mplan_plan_write(plan, "unfit.mplan", NULL, NULL, NULL, &err), MPLAN_ERR_INTERNAL,
                   &err, "the plan violates a rule of its file format: set 0 cannot have -1 members");
    plan->sets[0].size = 4;
    plan->n_sets = 0;
    assert_refused(mplan_plan_write(plan, "unfit.mplan", NULL, NULL, NULL, &err),
                   MPLAN_ERR_INTERNAL, &err, "the plan has arrays that no record needs");
    plan->n_sets = 1;
    assert_int_not_equal(mplan_plan_write(plan, "/dev/null/none", NULL, NULL, NULL, &err), MPLAN_OK);
    mplan_plan_free(plan);
    assert_null(fopen("unfit.mplan", "rb"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_lead_somewhere), cmocka_unit_test(headers_end_where_they_end),
        cmocka_unit_test(the_least_plan_is_read),    cmocka_unit_test(versions_are_the_lowest),
        cmocka_unit_test(old_plans_stay_old),        cmocka_unit_test(texts_hold_no_zero),
        cmocka_unit_test(what_is_written_is_read),   cmocka_unit_test(long_texts_are_written),
        cmocka_unit_test(long_arrays_are_packed),    cmocka_unit_test(unfit_plans_are_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
