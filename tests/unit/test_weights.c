/* SPDX-License-Identifier: Apache-2.0 */
/* test_weights.c - weights and shares from tables: what is read, and where a wrong number is */
#include <stdlib.h>

#include "support_folder.h"
#include "support_test.h"

static mplan_error err;

static void expect_weights(const char *text, int64_t n_rows, int32_t n_columns, const int64_t *due)
{
    int64_t rows = -1, *weights = NULL;
    int32_t columns = -1;
    assert_done(mplan_weights_read(put_text("w.txt", text), &rows, &columns, &weights, NULL, &err),
                &err);
    assert_true(rows == n_rows && columns == n_columns);
    assert_memory_equal(weights, due, (size_t)(rows * columns) * sizeof *due);
    free(weights);
}

static void refuse_weights(const char *text, mplan_status status, const char *part)
{
    int64_t rows, *weights = NULL;
    int32_t columns;
    assert_refused(mplan_weights_read(put_text("w.txt", text), &rows, &columns, &weights, NULL, &err),
                   status, &err, part);
    assert_null(weights);
}

static void tables_of_weights(void **state)
{
    (void)state;
    expect_weights("1\n0\n7\n", 3, 1, (int64_t[]){1, 0, 7});
    expect_weights("a,b\n1,2\n3,4\n", 2, 2, (int64_t[]){1, 2, 3, 4});
    expect_weights("1 4000000000\n2 1\n", 2, 2, (int64_t[]){1, 4000000000, 2, 1});
    expect_weights("1.0\n9e15\n", 2, 1, (int64_t[]){1, 9000000000000000});
    refuse_weights("1 2\n3\n", MPLAN_ERR_CORRUPT, "w.txt:2: the row has 1 numbers");
}

/* The line of the file, whatever else is in it. */
static void places_of_wrong_weights(void **state)
{
    (void)state;
    refuse_weights("-3\n", MPLAN_ERR_MESH, "w.txt:1: a weight must be 0 or more, not -3");
    refuse_weights("# c\n1\n\n2\n-3\n", MPLAN_ERR_MESH,
                   "w.txt:5: a weight must be 0 or more, not -3");
    refuse_weights("\"w\",v\n1,1\n \t\r\n1,-1\n", MPLAN_ERR_MESH, "w.txt:4: a weight must be 0");
    refuse_weights("1 1\n1 1\n5 -4000000000", MPLAN_ERR_MESH, "w.txt:3: ");
    refuse_weights("1\n2.5\n", MPLAN_ERR_MESH, "w.txt:2: a weight must be a whole number, not 2.5");
    refuse_weights("1.5e0\n", MPLAN_ERR_MESH, "w.txt:1: a weight must be a whole number, not 1.5");
    refuse_weights("1.0\n1e16\n", MPLAN_ERR_MESH,
                   "w.txt:2: a weight must be a whole number, not 1e+16");
    refuse_weights("1.0\n-1.0\n", MPLAN_ERR_MESH, "w.txt:2: a weight must be 0 or more, not -1");
}

/* Rows of a .npy file have no lines. */
static void rows_of_arrays(void **state)
{
    (void)state;
    static const char head[] =
        "\x93NUMPY\x01\x00\x76\x00{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2), }";
    uint8_t file[128 + 24];
    int32_t numbers[6] = {1, 2, 3, 4, 5, 6};
    int64_t rows, *weights;
    int32_t columns;
    memset(file, ' ', 128);
    memcpy(file, head, sizeof head - 1);
    file[127] = '\n';
    memcpy(file + 128, numbers, sizeof numbers);
    write_file(in_folder("w.npy"), file, sizeof file);
    assert_done(mplan_weights_read(in_folder("w.npy"), &rows, &columns, &weights, NULL, &err), &err);
    assert_true(rows == 3 && columns == 2);
    for (int i = 0; i < 6; i++)
        assert_true(weights[i] == i + 1);
    free(weights);
    numbers[3] = -7;
    memcpy(file + 128, numbers, sizeof numbers);
    write_file(in_folder("w.npy"), file, sizeof file);
    assert_refused(mplan_weights_read(in_folder("w.npy"), &rows, &columns, &weights, NULL, &err),
                   MPLAN_ERR_MESH, &err, "w.npy: row 2: a weight must be 0 or more, not -7");
}

static void tables_of_shares(void **state)
{
    (void)state;
    int64_t n = -1;
    double *shares = NULL;
    assert_done(mplan_shares_read(put_text("s.txt", "4 2.5\n1 1e300\n"), &n, &shares, NULL, &err),
                &err);
    assert_true(n == 4 && shares[0] == 4 && shares[1] == 2.5 && shares[2] == 1 && shares[3] == 1e300);
    free(shares);
    shares = NULL;
    assert_done(mplan_shares_read(put_text("s.txt", "4\n2\n"), &n, &shares, NULL, &err), &err);
    assert_true(n == 2 && shares[0] == 4 && shares[1] == 2);
    free(shares);
    shares = NULL;
    assert_refused(mplan_shares_read(put_text("s.txt", "# p\n1\n2\n0\n"), &n, &shares, NULL, &err),
                   MPLAN_ERR_MESH, &err, "s.txt:4: a share must be above 0, not 0");
    assert_refused(mplan_shares_read(put_text("s.txt", "1 1\n1 -2.5\n"), &n, &shares, NULL, &err),
                   MPLAN_ERR_MESH, &err, "s.txt:2: a share must be above 0, not -2.5");
    assert_refused(mplan_shares_read(put_text("s.txt", "1\n2e300\n"), &n, &shares, NULL, &err),
                   MPLAN_ERR_MESH, &err, "s.txt:2: a share must be above 0, not 2e+300");
    assert_null(shares);
}

static mplan_status read_layers(mplan_mesh *mesh, const char *text, int32_t layers)
{
    return mplan_mesh_read_layers(mesh, put_text("l.txt", text), 0, layers, NULL, &err);
}

static void expect_layers(mplan_mesh *mesh, int32_t layers, const int32_t (*due)[2])
{
    const int32_t *ranges;
    assert_int_equal(mplan_mesh_layers(mesh, 0, &ranges), layers);
    assert_memory_equal(ranges, due, 3 * sizeof *due);
}

static void tables_of_layers(void **state)
{
    (void)state;
    mplan_mesh *mesh;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", 3, NULL, &err), &err);
    assert_done(read_layers(mesh, "# floors\n4\n0\n2\n", 0), &err);
    expect_layers(mesh, 4, (int32_t[][2]){{0, 4}, {0, 0}, {0, 2}});
    assert_done(read_layers(mesh, "1 4\n2 2\n0 3\n", 70), &err);
    expect_layers(mesh, 70, (int32_t[][2]){{1, 4}, {2, 2}, {0, 3}});
    assert_refused(read_layers(mesh, "1\n2\n", 0), MPLAN_ERR_MESH, &err, "2 rows of 1 numbers");
    assert_refused(read_layers(mesh, "1 2 3\n1 2 3\n1 2 3\n", 0), MPLAN_ERR_MESH, &err,
                   "3 rows of 3 numbers");
    assert_refused(read_layers(mesh, "0 1\n0 1\n2 1\n", 0), MPLAN_ERR_MESH, &err,
                   "l.txt:3: layers of cells must be ranges up to 65535, not from 2 to 1");
    assert_refused(read_layers(mesh, "5\n\n6\n5\n", 5), MPLAN_ERR_MESH, &err,
                   "l.txt:3: layers of cells must be ranges up to 5, not from 0 to 6");
    assert_refused(read_layers(mesh, "1\n1\n65536\n", 0), MPLAN_ERR_MESH, &err,
                   "not from 0 to 65536");
    assert_refused(read_layers(mesh, "1\n-1\n1\n", 0), MPLAN_ERR_MESH, &err,
                   "l.txt:2: a layer must be 0 or more, not -1");
    assert_refused(read_layers(mesh, "1\n1.5\n1\n", 0), MPLAN_ERR_MESH, &err,
                   "l.txt:2: a layer must be a whole number, not 1.5");
    expect_layers(mesh, 70, (int32_t[][2]){{1, 4}, {2, 2}, {0, 3}});
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_weights), cmocka_unit_test(places_of_wrong_weights),
        cmocka_unit_test(rows_of_arrays),    cmocka_unit_test(tables_of_shares),
        cmocka_unit_test(tables_of_layers),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
