/* SPDX-License-Identifier: Apache-2.0 */
/* test_planning_options.c - the table of planning options and the values that it reads */
#include "support_test.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "pipeline/option_values.h"
#include "pipeline/plan_request.h"

static const mplan_plan_options defaults = MPLAN_PLAN_OPTIONS_INIT;

static size_t size_of(const mplan_plan_option *option)
{
    static const size_t sizes[] = {[MPLAN_OPTION_I32] = sizeof(int32_t),
                                   [MPLAN_OPTION_I64] = sizeof(int64_t),
                                   [MPLAN_OPTION_U64] = sizeof(uint64_t),
                                   [MPLAN_OPTION_REAL] = sizeof(double),
                                   [MPLAN_OPTION_BOOL] = sizeof(bool),
                                   [MPLAN_OPTION_WORD] = sizeof(mplan_sums),
                                   [MPLAN_OPTION_NAME] = sizeof(char *),
                                   [MPLAN_OPTION_STRATEGIES] = sizeof(int32_t) +
                                                               sizeof defaults.strategies};
    return sizes[option->kind];
}

/* Every member of mplan_plan_options has a row, but for the step and the layers, which are not one word:
 * members follow one another with less than the alignment of the next between them. */
static void every_member_has_a_row(void **state)
{
    (void)state;
    size_t end = sizeof(size_t);
    const mplan_plan_option *option;
    for (int32_t i = 0; (option = mplan_plan_option_get(i)) != NULL; i++) {
        if (end ==
            offsetof(mplan_plan_options, n_step)) /* step, layers and clears are not one word each */
            end = offsetof(mplan_plan_options, layouts);
        if (option->offset > offsetof(mplan_plan_options, step_lags) &&
            (end + 7) / 8 * 8 == offsetof(mplan_plan_options, step_lags)) /* as the step's clears */
            end = offsetof(mplan_plan_options, block_round);
        size_t size = size_of(option), alignment = size > 8 ? 4 : size;
        if (option->offset != (end + alignment - 1) / alignment * alignment)
            fail_msg("a member before %s has no row", option->name);
        end = option->offset + size;
    }
    assert_int_equal((end + 7) / 8 * 8, sizeof(mplan_plan_options));
}

static void names_are_keys(void **state)
{
    (void)state;
    const mplan_plan_option *option, *other;
    for (int32_t i = 0; (option = mplan_plan_option_get(i)) != NULL; i++) {
        char name[64] = "";
        strncpy(name, option->key, sizeof name - 1);
        for (char *c = name; *c; c++)
            *c = *c == '_' ? '-' : *c;
        assert_string_equal(name, option->name);
        assert_non_null(option->help);
        assert_true(option->argument || option->kind == MPLAN_OPTION_BOOL);
        for (int32_t k = 0; k < i && (other = mplan_plan_option_get(k)); k++)
            assert_string_not_equal(other->name, option->name);
    }
}

/* A default passes the check, and what is written of it reads back. Of options with words every
 * word does, and leads to a value of its own. */
static void values_are_read_as_written(void **state)
{
    (void)state;
    const mplan_plan_option *option;
    for (int32_t i = 0; (option = mplan_plan_option_get(i)) != NULL; i++) {
        mplan_error err = {MPLAN_OK, ""};
        mplan_plan_options made;
        memset(&made, 0x55, sizeof made);
        char text[512], again[512];
        void *member = (char *)&made + option->offset;
        const void *preset = (const char *)&defaults + option->offset;
        assert_done(mplan_plan_option_check(option, preset, &err), &err);
        mplan_plan_option_write(option, preset, text, sizeof text);
        assert_done(mplan_plan_option_read(option, "it", text, member, &err), &err);
        mplan_plan_option_write(option, member, again, sizeof again);
        assert_string_equal(text, again);
        for (int32_t w = 0; option->word && option->word(w); w++) {
            assert_done(mplan_plan_option_read(option, "it", option->word(w), member, &err), &err);
            assert_done(mplan_plan_option_check(option, member, &err), &err);
            mplan_plan_option_write(option, member, again, sizeof again);
            assert_string_equal(option->word(w), again);
        }
    }
}

typedef struct row {
    const char *name, *text, *reason; /* NULL: the value is good */
} row;
static const row rows[] = {
    {"block-size", "1", NULL},
    {"block-size", "1024", NULL},
    {"block-size", "0", NULL},
    {"block-size", "1025", "it must be 0 or 1 to 1024, not 1025"},
    {"block-size", "-1", "it must be 0 or 1 to 1024, not -1"},
    {"block-size", "4294967297", "it must be 0 or 1 to 1024, not 4294967297"},
    {"block-size", "18446744073709551617", "it must be 0 or 1 to 1024, not 18446744073709551617"},
    {"block-size", "", "it must be a whole number, not ''"},
    {"block-size", "-", "it must be a whole number, not '-'"},
    {"block-size", " 1", "it must be a whole number, not ' 1'"},
    {"block-size", "0x10", "it must be a whole number, not '0x10'"},
    {"block-size", "16.0", "it must be a whole number, not '16.0'"},
    {"block-threads", "0", NULL},
    {"block-threads", "32", NULL},
    {"block-threads", "1024", NULL},
    {"block-threads", "33", "it must be 0 or a multiple of 32 between 32 and 1024, not 33"},
    {"block-threads", "1056", "it must be 0 or a multiple of 32 between 32 and 1024, not 1056"},
    {"block-threads", "-32", "it must be 0 or a multiple of 32 between 32 and 1024, not -32"},
    {"shared-bytes", "9223372036854775807", NULL},
    {"shared-bytes", "9223372036854775808",
     "it must be 0 or 1 to 9223372036854775807, not 92233720368547758"},
    {"shared-bytes", "-1", "it must be 0 or more, not -1"},
    {"seed", "0", NULL},
    {"seed", "-1", "it must be 0 or more, not -1"},
    {"imbalance", "1", NULL},
    {"imbalance", "1.5e0", NULL},
    {"imbalance", "1024", NULL},
    {"imbalance", "0.999", "it must be 1 to 1024, not 0.999"},
    {"imbalance", "1e999", "it must be 1 to 1024, not 1e999"},
    {"imbalance", "nan", "it must be a number, not 'nan'"},
    {"imbalance", "inf", "it must be a number, not 'inf'"},
    {"imbalance", "", "it must be a number, not ''"},
    {"imbalance", "1.5x", "it must be a number, not '1.5x'"},
    {"imbalance", "1-", "it must be a number, not '1-'"},
    {"fill", "1", NULL},
    {"fill", "1e-9", NULL},
    {"fill", "0", "it must be above 0 and at most 1, not 0"},
    {"fill", "1.0001", "it must be above 0 and at most 1, not 1.0001"},
    {"keep-order", "better", NULL},
    {"keep-order", "true", "it: unknown word 'true'; known: never, better"},
    {"allow-nondeterministic", "true", NULL},
    {"allow-nondeterministic", "yes", "it: unknown word 'yes'"},
    {"device", "h201", "it: unknown word 'h201'; did you mean 'h200'? known: p100, v100"},
    {"encoding", "none", "it: unknown word 'none'; known: auto, index32"},
    {"strategy", "atomic,two-step", NULL},
    {"strategy", "auto", NULL},
    {"strategy", "auto,atomic", "it: 'auto' must be the only word"},
    {"strategy", "atomic,auto", "it: 'auto' must be the only word"},
    {"strategy", "auto,auto", "it: 'auto' must be the only word"},
    {"strategy", "atomic,atomic", "it: 'atomic' is given twice"},
    {"strategy", "atomic,", "it: an item of the list 'atomic,' is empty"},
    {"strategy", "atomi", "it: unknown word 'atomi'; did you mean 'atomic'?"},
};

static void bad_values_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const mplan_plan_option *option = mplan_plan_option_named(rows[i].name);
        mplan_plan_options made = defaults;
        mplan_error err = {MPLAN_OK, ""};
        mplan_status status = mplan_plan_option_read(option, "it", rows[i].text,
                                                     (char *)&made + option->offset, &err);
        if (!rows[i].reason)
            assert_done(status, &err);
        else if (status != MPLAN_ERR_ARGUMENT ||
                 strncmp(err.text, rows[i].reason, strlen(rows[i].reason)))
            fail_msg("%s '%s': %s", rows[i].name, rows[i].text, err.text);
    }
}

/* A later option is in the request only where it is not at its default, and every other always. */
static void later_options_are_in_requests_that_give_them(void **state)
{
    (void)state;
    mplan_plan_option later = *mplan_plan_option_named("max-points");
    int32_t values[] = {0, 7};
    for (int k = 0; k < 4; k++) {
        mplan_vector text = MPLAN_VECTOR_INIT(1);
        later.later = k / 2;
        assert_true(mplan_request_option(&text, &later, &values[k % 2], NULL));
        const char *due = k % 2 ? "max_points 7\n" : later.later ? "" : "max_points 0\n";
        assert_int_equal(text.count, strlen(due));
        assert_true(text.count == 0 || !strcmp(text.data, due));
        free(text.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_has_a_row),
        cmocka_unit_test(names_are_keys),
        cmocka_unit_test(values_are_read_as_written),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(later_options_are_in_requests_that_give_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
