/* SPDX-License-Identifier: Apache-2.0 */
/* test_batch_list.c - lists of jobs: paths, options, refusals, and lists longer than a job may be */
#include "support_test.h"
#include "support_folder.h"

#ifdef MPLAN_HAVE_YAML

static mplan_status read_list(const char *text, mplan_batch **batch, mplan_error *err)
{
    write_file(in_folder("list.yaml"), text, strlen(text));
    return mplan_batch_read(in_folder("list.yaml"), NULL, batch, err);
}

static void jobs_have_paths_and_options(void **state)
{
    (void)state;
    mplan_error err;
    mplan_batch *batch = NULL;
    char input[400];
    assert_done(read_list("meshplan: 1\n"
                          "options: {block-size: 64}\n"
                          "batch:\n"
                          "  - /data/wing.msh\n"
                          "  - {input: a/tail.su2, output: out/t.mplan, name: tail,\n"
                          "     options: {inc: [nodes, 'cells:5:f64'], over: faces}}\n",
                          &batch, &err),
                &err);
    assert_int_equal(batch->n_options, 1);
    assert_string_equal(batch->options[0].name, "block-size");
    assert_int_equal(batch->options[0].n_values, 1);
    assert_string_equal(batch->options[0].values[0], "64");
    assert_int_equal(batch->n_jobs, 2);
    assert_string_equal(batch->jobs[0].input, "/data/wing.msh");
    assert_null(batch->jobs[0].output);
    assert_null(batch->jobs[0].name);
    assert_int_equal(batch->jobs[0].n_options, 0);
    assert_int_equal(batch->jobs[0].line, 4);
    const mplan_batch_job *job = &batch->jobs[1];
    snprintf(input, sizeof input, "%s/a/tail.su2", test_folder());
    assert_string_equal(job->input, input);
    snprintf(input, sizeof input, "%s/out/t.mplan", test_folder());
    assert_string_equal(job->output, input);
    assert_string_equal(job->name, "tail");
    assert_int_equal(job->line, 5);
    assert_int_equal(job->n_options, 2);
    assert_string_equal(job->options[0].name, "inc");
    assert_int_equal(job->options[0].n_values, 2);
    assert_string_equal(job->options[0].values[1], "cells:5:f64");
    assert_string_equal(job->options[1].values[0], "faces");
    mplan_batch_free(batch);
    mplan_batch_free(NULL);
}

static void what_is_wrong_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        mplan_status status;
        const char *said;
    } cases[] = {
        {"meshplan: 1\nloops: []\n", MPLAN_ERR_FORMAT, "no key 'batch'"},
        {"[a]\n", MPLAN_ERR_FORMAT, "no key 'batch'"},
        {"batch: [a]\n", MPLAN_ERR_CORRUPT, "meshplan"},
        {"meshplan: 2\nbatch: [a]\n", MPLAN_ERR_TOO_NEW, ":1:11: this is a list of version 2"},
        {"meshplan: 1\nbatch: []\n", MPLAN_ERR_CORRUPT, ":2:8: the batch is empty"},
        {"meshplan: 1\nbatch: a\n", MPLAN_ERR_CORRUPT, ":2:8: expected a list"},
        {"meshplan: 1\nbatch: [{inputs: a}]\n", MPLAN_ERR_CORRUPT, "did you mean 'input'"},
        {"meshplan: 1\nbatch: [{output: a}]\n", MPLAN_ERR_CORRUPT, "input"},
        {"meshplan: 1\nbatch: [a]\noptions: [b]\n", MPLAN_ERR_CORRUPT, "a mapping"},
        {"meshplan: 1\nbatch: [{input: a, options: {b: {c: 1}}}]\n", MPLAN_ERR_CORRUPT, "for b"},
        {"meshplan: 1\nbatch: [{input: a, options: {b: [[c]]}}]\n", MPLAN_ERR_CORRUPT, "for b"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mplan_error err = {MPLAN_OK, ""};
        mplan_batch *batch = NULL;
        assert_int_equal(read_list(cases[i].text, &batch, &err), cases[i].status);
        assert_int_equal(err.status, cases[i].status);
        assert_non_null(strstr(err.text, cases[i].said));
        assert_null(batch);
    }
    mplan_error err;
    mplan_batch *batch = NULL;
    assert_int_equal(mplan_batch_read(in_folder("none.yaml"), NULL, &batch, &err),
                     MPLAN_ERR_NO_INPUT);
}

/* Lists of a job may have 4096 entries. */
static void lists_may_be_long(void **state)
{
    (void)state;
    enum { N = 20000 };
    mplan_error err;
    mplan_batch *batch = NULL;
    char *text = malloc(N * 16 + 64), *at = text;
    assert_non_null(text);
    at += sprintf(at, "meshplan: 1\nbatch:\n");
    for (int i = 0; i < N; i++)
        at += sprintf(at, "- m%d\n", i);
    assert_done(read_list(text, &batch, &err), &err);
    assert_int_equal(batch->n_jobs, N);
    assert_int_equal(batch->jobs[N - 1].line, N + 2);
    mplan_batch_free(batch);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(jobs_have_paths_and_options, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_refused, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(lists_may_be_long, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void lists_need_libyaml(void **state)
{
    (void)state;
    mplan_error err;
    mplan_batch *batch = NULL;
    assert_int_equal(mplan_batch_read("list.yaml", NULL, &batch, &err), MPLAN_ERR_UNSUPPORTED);
    mplan_batch_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists_need_libyaml)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
