/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_request.c - the request that a plan carries is what its records say
 *
 * tests/package/plan_fields.py changes every field of the file; here lines of the request do. */
#include "support_cases.h"
#include "support_test.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "check/check.h"
#include "plan/plan.h"

static const mplan_arg flux_args[] = {
    {"x", "cells_nodes", MPLAN_READ, 3, MPLAN_TYPE_F32, MPLAN_NONE_REFUSE},
    {"area of all", NULL, MPLAN_WRITE, 1, MPLAN_TYPE_F64, MPLAN_NONE_SKIP},
    {"res", "cells_nodes", MPLAN_INC, 2, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
};
static const mplan_loop flux = {"flux of all", "cells", true, 2, 30, 3, flux_args};

static mplan_plan *make(mplan_mesh **mesh, const mplan_plan_options *options)
{
    mplan_error err;
    mplan_plan *plan = NULL;
    mplan_generate_options shape = MPLAN_GENERATE_OPTIONS_INIT;
    shape.size[0] = 7;
    shape.size[1] = 6;
    assert_done(mplan_mesh_generate(&shape, NULL, mesh, &err), &err);
    assert_done(mplan_plan_create(*mesh, 1, &flux, options, NULL, &plan, &err), &err);
    return plan;
}

static mplan_plan_options named(void)
{
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.block_size = 16;
    options.n_strategies = 3;
    options.strategies[0] = MPLAN_STRATEGY_BLOCK_GATHER;
    options.strategies[1] = MPLAN_STRATEGY_OWNER_GATHER;
    options.strategies[2] = MPLAN_STRATEGY_BLOCK_COLOUR;
    options.encoding = MPLAN_ENCODING_INDEX32;
    options.partitioner = MPLAN_PARTITIONER_NATIVE;
    options.renumber = MPLAN_RENUMBER_RCM;
    return options;
}

/* Verdict on the plan with `from` in its request replaced by `to`, fingerprint and all. */
static mplan_status with_text(mplan_plan *plan, const char *from, const char *to, mplan_error *err)
{
    const char *old = plan->request, *at = strstr(old, from);
    assert_non_null(at);
    size_t size = strlen(old) + strlen(to) + 1;
    char *text = malloc(size);
    assert_non_null(text);
    snprintf(text, size, "%.*s%s%s", (int)(at - old), old, to, at + strlen(from));
    uint64_t print = plan->fingerprints.request;
    mplan_fingerprint *making = mplan_fingerprint_begin();
    mplan_fingerprint_bytes(making, text, strlen(text));
    assert_true(mplan_fingerprint_end(making, &plan->fingerprints.request));
    plan->request = text;
    mplan_status status = mplan_plan_verify(plan, NULL, NULL, err);
    plan->request = old;
    plan->fingerprints.request = print;
    free(text);
    return status;
}

/* A request may end anywhere, in memory that ends with it. */
static void requests_that_end_early_are_refused(void **state)
{
    mplan_error err;
    mplan_mesh *mesh = NULL;
    mplan_plan_options options = named();
    mplan_plan *plan = make(&mesh, &options);
    const char *old = plan->request;
    size_t strategies = (size_t)(strstr(old, "\nallow") - old);
    for (size_t length = 0; length < strlen(old); length++) {
        char *text = malloc(length + 1);
        assert_non_null(text);
        memcpy(text, old, length);
        text[length] = '\0';
        mplan_fingerprint *making = mplan_fingerprint_begin();
        mplan_fingerprint_bytes(making, text, length);
        assert_true(mplan_fingerprint_end(making, &plan->fingerprints.request));
        plan->request = text;
        assert_int_equal(mplan_plan_verify(plan, NULL, NULL, &err), MPLAN_ERR_DISPROVED);
        if (length == strategies)
            assert_non_null(strstr(err.text, "does not say 'strategy'"));
        plan->request = old;
        free(text);
    }
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    (void)state;
}

/* What is in the text, what comes in its place, and what is then said. */
typedef struct text_change {
    const char *old, *by, *says;
} text_change;

/* Loops and args. */
static const text_change loops[] = {
    {"loop flux of all", "loop flux of", "line 1 of the request"},
    {"over cells", "over nodes", "line 1 of the request"},
    {"calls 2", "calls 3", "line 1 of the request"},
    {"flops 30 primary", "flops 30", "line 1 of the request"},
    {"inc 2 f64", "read 2 f64", "line 4 of the request is 'arg res"},
    {"inc 2 f64", "inc 2 i64", "line 4 of the request"},
    {"inc 2 f64", "inc 3 f64", "line 4 of the request"},
    {"f64 refuse", "f64 skip", "line 4 of the request"},
    {"cells_nodes read", "cells_nodesread", "line 2 of the request"},
    {"direct write", "direct rw", "line 3 of the request"},
    {"f64 skip\n", "f64 none\n", "line 3 of the request"},
};

/* Limits of blocks, and threads. */
static const text_change limits[] = {
    {"block_size 16", "block_size 17", "not have the requested block limit"},
    {"block_size 16", "block_size 1024", "not have the requested block limit"},
    {"block_size 16", "black_size 16", "does not say 'block_size'"},
    {"block_size 16", "block_size1 6", "does not say 'block_size'"},
    {"block_size 16", "block_size ", "not a value of block_size"},
    {"block_size 16", "block_size 1/", "not a value of block_size"},
    {"block_size 16", "block_size 1:", "not a value of block_size"},
    {"block_size 16", "block_size 100000000000000000000000000000000000000000000000000000000000000",
     "not a value of block_size"}, /* of 63 characters */
    {"block_size 16", "block_size 1000000000000000000000000000000000000000000000000000000000000000",
     "does not say 'block_size'"},
    {"max_points 0", "max_points 9", "not have the requested limit of points"},
    {"max_points 0", "max_points 65536", "not a value of max_points"},
    {"shared_bytes 0", "shared_bytes 9223372036854775807",
     "not have the requested limit of shared bytes"},
    {"shared_bytes 0", "shared_bytes 9223372036854775808", "not a value of shared_bytes"},
    {"block_size 16", "block_size 016", "not a value of block_size"},
    {"block_size 16", "block_size 1025", "not a value of block_size"},
    {"block_size 16", "block_size -1", "not a value of block_size"},
    {"block_size 16", "blocksize 16", "does not say 'block_size'"},
    {"max_points 0", "max_points 40", "not have the requested limit of points"},
    {"shared_bytes 0", "shared_bytes 40000", "not have the requested limit of shared bytes"},
    {"block_threads 0", "block_threads 64", "not have the threads"},
    {"block_threads 0", "block_threads 33", "multiple of 32"},
    {"block_threads 0", "block_threads 1025", "not a value of block_threads"},
};

/* Strategies and what belongs to them. */
static const text_change strategies[] = {
    {"strategy block", "strateg block", "does not say 'strategy'"},
    {"strategy block", "strategy_block", "does not say 'strategy'"},
    {"block-gather owner-gather block-colour", "autos", "does not list"},
    {"block-gather owner-gather block-colour", "auto atomic", "does not list"},
    {"block-gather owner-gather", "block-gather block-gather", "does not list"},
    {"block-gather owner-gather block-colour", "owner-gather block-gather block-colour",
     "not have the requested strategy"},
    {"strategy block-gather owner-gather block-colour", "strategy auto", "3 variants"},
    {"block-gather owner-gather block-colour", "block-gather owner-gather", "3 variants"},
    {"block-gather owner", "block-gather  owner", "does not list"},
    {"allow_nondeterministic false", "allow_nondeterministic no", "not a value of allow"},
    {"sums partial", "sums atomic", "does not have the requested sums"},
    {"encoding index32", "encoding index16", "not have the requested encoding"},
    {"encoding index32", "encoding none", "not a value of encoding"},
};

/* Partitioner, orders and device. */
static const text_change others[] = {
    {"partitioner native", "partitioner hilbert", "by the requested partitioner"},
    {"imbalance 1.03", "imbalance 1,03", "not a value of imbalance"},
    {"imbalance 1.03", "imbalance 1.030", "not a value of imbalance"},
    {"imbalance 1.03", "imbalance nan", "not a value of imbalance"},
    {"imbalance 1.03", "imbalance 0.99", "not a value of imbalance"},
    {"imbalance 1.03", "imbalance 1024.5", "not a value of imbalance"},
    {"imbalance 1.03", "imbalnce 1.03", "does not say 'imbalance'"},
    {"fill 0.991", "fill 1.01", "not a value of fill"},
    {"effort default", "efort default", "does not say 'effort'"},
    {"fill 0.991", "fill 0", "not a value of fill"},
    {"effort default", "effort much", "not a value of effort"},
    {"renumber rcm", "renumber gps", "was not renumbered as requested"},
    {"keep_order better", "keep_order worse", "not a value of keep_order"},
    {"point_order auto", "point_order line", "not a value of point_order"},
    {"device h200", "device p100", "not have the requested limit of shared bytes"},
    {"device h200", "device h100", "not for the requested device"},
};

/* The seed, and what follows the last line that must be there. */
static const text_change ends[] = {
    {"seed 1\n", "seed 01\n", "not a value of seed"},
    {"seed 1\n", "seed 1:\n", "not a value of seed"},
    {"seed 1\n", "seed 1/\n", "not a value of seed"},
    {"seed 1\n", "seed \n", "not a value of seed"},
    {"seed 1\n", "sead 1\n", "does not say 'seed'"},
    {"seed 1\n", "seed 18446744073709551616\n", "not a value of seed"},
    {"seed 1\n", "seed 1", "does not say 'seed'"},
    {"seed 1\n", "seed 1\nlayouts aos\n", "does not have the layout that follows from the request"},
    {"seed 1\n", "seed 1\nlayouts soa\n", "does not have the layout that follows from the request"},
    {"seed 1\n", "seed 1\nlayouts auto\n", "not a value of layouts"},
    {"seed 1\n", "seed 1\nmore\n", "holds 'nothing more'"},
    {"seed 1\n", "seed 1\nzone 2\nmore\n",
     "line 24 of the request is 'more', but the plan holds 'nothing more'"},
    {"seed 1\n", "seed 1\nzone 2", "holds 'zone NAME'"},
    {"seed 1\n", "seed 1\nzone \n", "holds 'zone NAME'"},
    {"seed 1\n", "seed 1\nzones\n", "holds 'nothing more'"},
};

/* Lines that leave nothing behind that a proof could look at. */
static const text_change free_ones[] = {
    {"effort default", "effort best", NULL},
    {"seed 1\n", "seed 0\n", NULL},
    {"seed 1\n", "seed 9\n", NULL},
    {"seed 1\n",
     "seed 1\nzone a mesh of any name, however long it is, longer than other values may be\n", NULL},
    {"imbalance 1.03", "imbalance 1", NULL},
    {"imbalance 1.03", "imbalance 1024", NULL},
    {"imbalance 1.03", "imbalance 1.03125", NULL},
    {"fill 0.991", "fill 1", NULL},
    {"fill 0.991", "fill 1e-300", NULL},
    {"seed 1\n", "seed 18446744073709551615\n", NULL},
};

/* Each change in the request of one plan; without `says` the plan still holds. */
static void make_changes(const text_change *changes, size_t n)
{
    mplan_mesh *mesh;
    mplan_plan_options options = named();
    mplan_plan *plan = make(&mesh, &options);
    mplan_error err;
    assert_done(mplan_plan_verify(plan, mesh, NULL, &err), &err);
    for (size_t i = 0; i < n; i++) {
        mplan_status status = with_text(plan, changes[i].old, changes[i].by, &err);
        if (changes[i].says)
            assert_refused(status, MPLAN_ERR_DISPROVED, &err, changes[i].says);
        else
            assert_done(status, &err);
    }
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

#define MAKE_CHANGES(changes) make_changes(changes, sizeof changes / sizeof *changes)

static void other_requests_are_refused(void **state)
{
    (void)state;
    MAKE_CHANGES(loops);
    MAKE_CHANGES(limits);
    MAKE_CHANGES(strategies);
    MAKE_CHANGES(others);
    MAKE_CHANGES(ends);
    MAKE_CHANGES(free_ones);
}

/* Colours of threads above those that are used, as many as 16 bits hold. */
static void colours_that_nobody_has_are_refused(void **state)
{
    (void)state;
    mplan_mesh *mesh;
    mplan_plan_options options = named();
    mplan_plan *plan = make(&mesh, &options);
    mplan_error err;
    mplan_key key = mplan_key_of_variant(MPLAN_KIND_THREAD_COLOURS, 0, 2);
    uint16_t *colour = (uint16_t *)(uintptr_t)mplan_plan_find_array(plan, &key)->data;
    key.kind = MPLAN_KIND_BLOCK_THREAD_COLOURS;
    uint16_t *count = (uint16_t *)(uintptr_t)mplan_plan_find_array(plan, &key)->data;
    mplan_plan_variant *variant = (mplan_plan_variant *)(uintptr_t)&plan->loops[0].variants[2];
    uint16_t old_colour = colour[0], old_count = count[0];
    colour[0] = 60000;
    count[0] = 60001;
    variant->thread_colours_max = 60001;
    variant->thread_colours_total += 60001 - old_count;
    assert_refused(mplan_plan_verify(plan, mesh, NULL, &err), MPLAN_ERR_DISPROVED, &err,
                   "counts 60001 thread colours");
    variant->thread_colours_total -= 60001 - old_count;
    variant->thread_colours_max = plan->loops[0].variants[2].thread_colours_total;
    colour[0] = old_colour;
    count[0] = old_count;
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

static support_cases cases;

static mplan_status request_holds(support_cases *all, mplan_error *err)
{
    return mplan_check_asked(&all->check, NULL, err);
}

/* The records change here, and the text does not. */
static void records_are_held_against_the_text(void **state)
{
    static const char direct[] =
        "the arg of line 3 of the request is direct, but has a rule for entries of -1";
    (void)state;
    mplan_mesh *mesh;
    mplan_plan_options options = named();
    mplan_plan *plan = make(&mesh, &options);
    support_cases_open(&cases, mesh, plan);
    cases.proof = request_holds;
    HOLDS();
    REFUSED(direct, ARG_OF(0, 1)->none = MPLAN_NONE_SKIP);
    REFUSED(direct, ARG_OF(0, 1)->none = MPLAN_NONE_SPLIT);
    REFUSED("line 2 of the request is 'arg x map cells_nodes read 3 f32 refuse'",
            ARG_OF(0, 0)->none = MPLAN_NONE_SKIP);
    REFUSED("but the plan holds 'arg x map cells_nodes read 3 f32 skip'",
            ARG_OF(0, 0)->none = MPLAN_NONE_SKIP);
    REFUSED("but the plan holds 'arg x map cells_nodes read 3 f32 split'",
            ARG_OF(0, 0)->none = MPLAN_NONE_SPLIT);
    REFUSED("line 1 of the request is '(null)", plan->request = "(null)");
    REFUSED("line 1 of the request is '',", plan->request = NULL);
    /* lines are shown up to 200 characters */
    for (int length = 198; length <= 202; length++) {
        char name[256], line[256], due[512];
        const int most = length < 200 ? length : 200;
        memset(name, 'n', sizeof name);
        memset(line, 'l', sizeof line);
        snprintf(due, sizeof due, "line 1 of the request is '%.*s', but the plan holds 'loop %.*s'",
                 most, line, length - 33 < 195 ? length - 33 : 195, name);
        line[length] = '\n';
        line[length + 1] = '\0';
        name[length - 33] = '\0';
        plan->request = line;
        plan->loops[0].name = name;
        due[strlen(due) - 1] = '\0';
        REFUSED(due, (void)most);
    }
    support_cases_close(&cases);
}

/* The same loops with one thing changed are another request. */
static void requests_are_compared(void **state)
{
    (void)state;
    mplan_mesh *mesh;
    mplan_plan_options options = named();
    mplan_plan *plan = make(&mesh, &options);
    mplan_error err;
    mplan_arg args[3];
    mplan_loop loop = flux;
    memcpy(args, flux_args, sizeof args);
    loop.args = args;
    assert_done(mplan_plan_compare_request(plan, mesh, 1, &loop, &options, NULL, &err), &err);
    loop.primary = false; /* it is, as the only one */
    assert_done(mplan_plan_compare_request(plan, mesh, 1, &loop, &options, NULL, &err), &err);
    args[2].dim = 5;
    assert_refused(mplan_plan_compare_request(plan, mesh, 1, &loop, &options, NULL, &err),
                   MPLAN_ERR_OTHER_REQUEST, &err, "line 4 is 'arg res map cells_nodes inc 2 f64");
    args[2].dim = 2;
    args[0].map = "no_map";
    assert_int_equal(mplan_plan_compare_request(plan, mesh, 1, &loop, &options, NULL, &err),
                     MPLAN_ERR_ARGUMENT);
    args[0].map = "cells_nodes";
    options.seed = 2;
    assert_refused(mplan_plan_compare_request(plan, mesh, 1, &loop, &options, NULL, &err),
                   MPLAN_ERR_OTHER_REQUEST, &err, "'seed 1', but here it is 'seed 2'");
    loop.n_args = 2;
    assert_int_equal(mplan_plan_compare_request(plan, mesh, 1, &loop, NULL, NULL, &err),
                     MPLAN_ERR_OTHER_REQUEST);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_that_end_early_are_refused),
        cmocka_unit_test(other_requests_are_refused),
        cmocka_unit_test(colours_that_nobody_has_are_refused),
        cmocka_unit_test(records_are_held_against_the_text),
        cmocka_unit_test(requests_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
