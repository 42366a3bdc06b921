/* SPDX-License-Identifier: Apache-2.0 */
/* test_scatter.c - parts from files of their own have the bytes that they have with the whole mesh
 *
 * Five loops over cells, faces and nodes; damaged and foreign files are in tests/cli/parts_scatter.sh. */
#include "support_folder.h"
#include "support_steps.h"
#include "support_test.h"

static mplan_error err;

static uint8_t *bytes_of(mplan_plan *plan, int64_t *size)
{
    char path[512];
    snprintf(path, sizeof path, "%s", in_folder("plan.mplan"));
    assert_done(mplan_plan_write(plan, path, NULL, NULL, size, &err), &err);
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc((size_t)*size);
    assert_true(file && fread(bytes, 1, (size_t)*size, file) == (size_t)*size);
    fclose(file);
    return bytes;
}

static void expect_part(const support_steps *test, const mplan_plan_options *options,
                        const mplan_parts *whole, const char *folder, int32_t part)
{
    mplan_piece *piece = NULL;
    mplan_parts *parts = NULL, *again = NULL;
    mplan_plan *due, *made;
    int64_t sizes[2];
    assert_done(mplan_piece_read(folder, part, NULL, &piece, &err), &err);
    assert_done(mplan_piece_parts(piece, N_LOOPS, test->loops, options, NULL, &parts, &err), &err);
    assert_int_equal(mplan_parts_n(parts), mplan_parts_n(whole));
    assert_done(mplan_parts_plan(whole, part, NULL, &due, &err), &err);
    assert_done(mplan_parts_plan(parts, part, NULL, &made, &err), &err);
    uint8_t *a = bytes_of(due, &sizes[0]), *b = bytes_of(made, &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(a, b, (size_t)sizes[0]);
    /* once only, this part only, and not all of them */
    assert_refused(mplan_piece_parts(piece, N_LOOPS, test->loops, options, NULL, &again, &err),
                   MPLAN_ERR_ARGUMENT, &err, "already");
    if (mplan_parts_n(parts) > 1) {
        mplan_plan *none = NULL;
        assert_refused(mplan_parts_plan(parts, part == 0, NULL, &none, &err), MPLAN_ERR_ARGUMENT,
                       &err, "only part");
        assert_refused(mplan_parts_write(parts, in_folder("no.mplans"), NULL, NULL, NULL, &err),
                       MPLAN_ERR_ARGUMENT, &err, "a bundle needs all of them");
        assert_refused(mplan_parts_scatter(parts, in_folder("no"), NULL, &err), MPLAN_ERR_ARGUMENT,
                       &err, "cannot be scattered again");
    }
    free(a);
    free(b);
    mplan_plan_free(due);
    mplan_plan_free(made);
    mplan_parts_free(parts);
    mplan_piece_free(piece);
}

static void parts_have_the_bytes_of_the_mesh(void **state)
{
    (void)state;
    static const int32_t cases[][3] = {{9, 7, 5}, {26, 22, 4}, {2, 2, 8}, {5, 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        support_steps test;
        char folder[512];
        mplan_parts *parts = NULL;
        mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
        mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
        how.n_parts = cases[i][2];
        options.block_size = 32;
        options.sums_order = i % 2 ? MPLAN_SUMS_ORDER_MESH : MPLAN_SUMS_ORDER_AUTO;
        support_steps_make(cases[i][0], cases[i][1], true, &test);
        assert_done(mplan_parts_create(test.mesh, N_LOOPS, test.loops, &options, &how, NULL, &parts,
                                       &err),
                    &err);
        snprintf(folder, sizeof folder, "%s", in_folder("scattered"));
        assert_done(mplan_parts_scatter(parts, folder, NULL, &err), &err);
        for (int32_t q = 0; q < how.n_parts; q++)
            expect_part(&test, &options, parts, folder, q);
        mplan_piece *piece = NULL;
        mplan_parts *other = NULL;
        assert_done(mplan_piece_read(folder, 0, NULL, &piece, &err), &err);
        assert_refused(mplan_piece_parts(piece, N_LOOPS - 1, test.loops, &options, NULL, &other, &err),
                       MPLAN_ERR_ARGUMENT, &err, "scattered for another request");
        mplan_piece_free(piece);
        mplan_parts_free(parts);
        support_steps_free(&test);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_have_the_bytes_of_the_mesh),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
