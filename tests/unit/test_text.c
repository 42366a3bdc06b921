/* SPDX-License-Identifier: Apache-2.0 */
/* test_text.c - tables and coordinates as text */
#include "support_test.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/file.h"
#include "base/file_output.h"
#include "formats/numbers.h"

/* A copy that ends where the text does, so that a sanitizer sees reads beyond. */
static mplan_input input_of(const char *text, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    return (mplan_input){"t.txt", copy, size, NULL};
}

static mplan_status read_text(const char *text, mplan_numbers *numbers, mplan_error *err)
{
    mplan_input input = input_of(text, strlen(text));
    mplan_status status = mplan_text_read_numbers(&input, NULL, numbers, err);
    free((void *)(uintptr_t)input.data);
    return status;
}

/* Everything that was read, as text: rows by '|', kind first. */
static void show(const mplan_numbers *numbers, char *out, size_t room)
{
    size_t at = (size_t)snprintf(out, room, "%s",
                                 numbers->i32   ? "i32"
                                 : numbers->i64 ? "i64"
                                                : "f64");
    assert_int_equal(numbers->real, numbers->f64 != NULL);
    assert_int_equal(!!numbers->i32 + !!numbers->i64 + !!numbers->f64, 1);
    for (int64_t r = 0; r < numbers->rows; r++) {
        int64_t first = numbers->offsets ? numbers->offsets[r] : r * numbers->cols;
        int64_t last = numbers->offsets ? numbers->offsets[r + 1] : first + numbers->cols;
        at += (size_t)snprintf(out + at, room - at, "|");
        for (int64_t i = first; i < last; i++)
            at += numbers->f64 ? (size_t)snprintf(out + at, room - at, " %.17g", numbers->f64[i])
                               : (size_t)snprintf(out + at, room - at, " %" PRId64,
                                                  numbers->i32 ? numbers->i32[i] : numbers->i64[i]);
    }
}

static void test_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"1 2\n3 4\n", "i32| 1 2| 3 4"},
        {"1 2\n3 4", "i32| 1 2| 3 4"},
        {"  1\t2  \r\n\r\n \t\n-3   +4\r\n", "i32| 1 2| -3 4"},
        {"\xef\xbb\xbf"
         "1\n2\n",
         "i32| 1| 2"},
        {"1,2\n3 , 4\n5, 6\n", "i32| 1 2| 3 4| 5 6"},
        {"# edges\n% cells\n\n1 2 # one\n3,4%two\n#\n5 6#", "i32| 1 2| 3 4| 5 6"},
        {"from,to\n1,2\n", "i32| 1 2"},
        {"\"from\",\"to\"\n1,2\n", "i32| 1 2"},
        {"# x\nfrom to # words\n1 2\n", "i32| 1 2"},
        {"edge\n1\n2", "i32| 1| 2"},
        {"2147483647 -2147483648", "i32| 2147483647 -2147483648"},
        {"000000000000000000007", "i32| 7"},
        {"1 2\n2147483648 4", "i64| 1 2| 2147483648 4"},
        {"1\n-2147483649\n5", "i64| 1| -2147483649| 5"},
        {"9223372036854775807\n-9223372036854775808\n",
         "i64| 9223372036854775807| -9223372036854775808"},
        {"1 2\n0.5 4", "f64| 1 2| 0.5 4"},
        {"1e3 .5 -2. 3", "f64| 1000 0.5 -2 3"},
        {"1\n4294967296\n1.5\n7", "f64| 1| 4294967296| 1.5| 7"},
        {"1.5\n4294967296\n7\n", "f64| 1.5| 4294967296| 7"},
        {"9223372036854775808", "f64| 9.2233720368547758e+18"},
        {"1 2\n3\n", "i32| 1 2| 3"},
        {"1\n2 3 4\n5 6\n", "i32| 1| 2 3 4| 5 6"},
        {"1,2\n3\n4,5\n", "i32| 1 2| 3| 4 5"},
        {"1 2\n0.5\n", "f64| 1 2| 0.5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char shown[256];
        mplan_error err;
        mplan_numbers numbers;
        assert_done(read_text(cases[i].text, &numbers, &err), &err);
        show(&numbers, shown, sizeof shown);
        assert_string_equal(shown, cases[i].expected);
        mplan_numbers_free(&numbers);
    }
}

static void test_refused_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"", "t.txt:1: the file holds no numbers"},
        {"\n\n# nothing\n", "holds no numbers"},
        {"from,to\n", "holds no numbers"},
        {"1 2\n3 x4\n", "t.txt:2: expected a number, found 'x4'"},
        {"1 2\nfrom to\n", "t.txt:2: expected a number, found 'from'"},
        {"from to\nfrom to\n1 2", "t.txt:2: expected a number, found 'from'"},
        {"from 2\n1 2\n", "t.txt:1: expected a number, found 'from'"},
        {"1 2x\n", "'2x'"},
        {"1-2\n", "'1-2'"},
        {"1 0x10\n", "'0x10'"},
        {"1 - 2\n", "'-'"},
        {"1,2,\n", "t.txt:1: column 3 is empty"},
        {"1 2\n1,,2\n", "t.txt:2: column 2 is empty"},
        {"1 2\n,1\n", "t.txt:2: column 1 is empty"},
        {"1 \x01\x02\n", "'\?\?'"},
        {"1 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
         "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mplan_error err;
        mplan_numbers numbers;
        assert_refused(read_text(cases[i].text, &numbers, &err), MPLAN_ERR_CORRUPT, &err,
                       cases[i].part);
        assert_null(numbers.i32);
    }
}

static void test_ragged_where_fixed_is_needed(void **state)
{
    (void)state;
    mplan_error err;
    mplan_numbers numbers;
    assert_done(read_text("# x\n1 2\n\n3 4\n5 6 7\n8\n", &numbers, &err), &err);
    assert_int_equal(numbers.cols, 0);
    assert_refused(mplan_numbers_require_fixed("t.txt", &numbers, &err), MPLAN_ERR_CORRUPT, &err,
                   "t.txt:5: the row has 3 numbers, but the first row has 2");
    mplan_numbers_free(&numbers);
    assert_done(read_text("1 2\n3 4\n", &numbers, &err), &err);
    assert_done(mplan_numbers_require_fixed("t.txt", &numbers, &err), &err);
    assert_done(mplan_numbers_to_real(&numbers, &err), &err);
    assert_true(numbers.real && !numbers.i32 && numbers.f64[3] == 4);
    mplan_numbers_free(&numbers);
    assert_done(read_text("1 2\n4294967296 -7\n", &numbers, &err), &err);
    assert_done(mplan_numbers_to_real(&numbers, &err), &err);
    assert_true(numbers.real && !numbers.i64 && numbers.f64[2] == 4294967296.0);
    assert_true(numbers.f64[3] == -7);
    mplan_numbers_free(&numbers);
}

/* Random numbers, separators and comments against what was written. */
static void check_random(uint64_t *seed)
{
    enum { MAX_NUMBERS = 400 };
    static char text[64 * MAX_NUMBERS];
    static double expected[MAX_NUMBERS];
    int64_t starts[64] = {0};
    int width = (int)support_random(seed, 3); /* of the numbers: 32, 64, real */
    bool ragged = support_random(seed, 4) == 0, real = false;
    int64_t rows = 1 + support_random(seed, 40), cols = 1 + support_random(seed, 6), n = 0;
    size_t at = 0;
    for (int64_t r = 0; r < rows; r++) {
        int64_t length = ragged ? 1 + support_random(seed, 8) : cols;
        if (r == 2) /* one long row before rows that are equal would be refused */
            length = starts[1];
        for (int64_t c = 0; c < length; c++) {
            static const char *const separators[] = {" ", ",", "\t", "  ", " , ", "\t,"};
            int64_t x = support_random(seed, 1 << 30) - (1 << 29);
            if (width == 1 && support_random(seed, 10) == 0)
                x *= 8191;
            expected[n] = (double)x;
            if (c)
                at += (size_t)sprintf(text + at, "%s", separators[support_random(seed, 6)]);
            if (width == 2 && support_random(seed, 3) == 0) {
                expected[n] = (double)x / 256;
                real = true;
                at += (size_t)sprintf(text + at, "%.17g%s", expected[n],
                                      expected[n] == (double)(int64_t)expected[n] ? ".0" : "");
            } else {
                at += (size_t)sprintf(text + at, "%" PRId64, x);
            }
            n++;
        }
        starts[r + 1] = n;
        static const char *const ends[] = {"\n", "\r\n", " \n", "# 1 2\n", "\n\n", "\n  %x\n"};
        at += (size_t)sprintf(text + at, "%s", ends[support_random(seed, 6)]);
    }
    if (support_random(seed, 2) && text[at - 1] == '\n')
        text[--at] = '\0';
    mplan_error err;
    mplan_numbers numbers;
    assert_done(read_text(text, &numbers, &err), &err);
    assert_int_equal(numbers.rows, rows);
    assert_int_equal(numbers.real, real);
    assert_int_equal(mplan_format_text.recognise((const uint8_t *)text, at),
                     MPLAN_RECOGNISED_BY_NAME);
    for (int64_t r = 0; r < rows; r++) {
        int64_t first = numbers.offsets ? numbers.offsets[r] : r * numbers.cols;
        int64_t last = numbers.offsets ? numbers.offsets[r + 1] : first + numbers.cols;
        assert_int_equal(first, starts[r]);
        assert_int_equal(last, starts[r + 1]);
        for (int64_t i = first; i < last; i++) {
            double got = numbers.f64   ? numbers.f64[i]
                         : numbers.i64 ? (double)numbers.i64[i]
                                       : (double)numbers.i32[i];
            assert_true(got == expected[i]);
        }
    }
    mplan_numbers_free(&numbers);
}

static void test_random_texts(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < 3000; i++)
        check_random(&seed);
}

static void test_flipped_bytes(void **state)
{
    (void)state;
    static const char good[] = "from,to\n1,2\n3,4 # x\n0.5,2147483648\n-7 , +8\n";
    static const char replacements[] = " \n\t,#%0129-+.eExX\"\r\x80";
    uint64_t seed = 5;
    for (int i = 0; i < 20000; i++) {
        mplan_error err;
        mplan_numbers numbers;
        mplan_input input = input_of(good, (size_t)support_random(&seed, sizeof good));
        uint8_t *data = (uint8_t *)(uintptr_t)input.data;
        for (int64_t k = support_random(&seed, 4); k > 0 && input.size; k--)
            data[support_random(&seed, (int64_t)input.size)] = (uint8_t)
                replacements[support_random(&seed, sizeof replacements)];
        mplan_status status = mplan_text_read_numbers(&input, NULL, &numbers, &err);
        assert_true(status == MPLAN_OK || status == MPLAN_ERR_CORRUPT);
        /* a short file is recognised exactly when it can be read */
        bool held = !status || strstr(err.text, "the first row has");
        assert_int_equal(mplan_format_text.recognise(data, input.size),
                         held ? MPLAN_RECOGNISED_BY_NAME : MPLAN_RECOGNISED_NO);
        mplan_numbers_free(&numbers);
        free(data);
    }
}

static void test_recognise(void **state)
{
    (void)state;
    enum { LONG = 300000 };
    static char text[LONG];
    static const char *const others[] = {"NDIME= 2\n",     "$MeshFormat\n2.2 0 8\n",
                                         "solid x\nfacet", "%%MatrixMarket matrix\n1 2 3\n",
                                         "\x93NUMPY",      "{\n1\n}"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(mplan_format_text.recognise((const uint8_t *)others[i], strlen(others[i])),
                         MPLAN_RECOGNISED_NO);
    /* cut anywhere, a long table is one; also when it is a single row */
    for (int comma = 0; comma < 2; comma++)
        for (size_t shift = 0; shift < 12; shift++) {
            size_t at = (size_t)sprintf(text, "%.*s1", (int)shift, "            ");
            while (at + 16 < sizeof text)
                at += (size_t)sprintf(text + at, comma ? " , %zu" : " %zu", at);
            assert_int_equal(mplan_format_text.recognise((const uint8_t *)text, at),
                             MPLAN_RECOGNISED_BY_NAME);
        }
}

/* --- writing ------------------------------------------------------------------------ */

static char folder[] = "/tmp/mplan-test-text-XXXXXX", made_file[64];

static void write_map(const mplan_mesh *mesh)
{
    mplan_error err;
    mplan_output *output = NULL;
    assert_done(mplan_output_open(made_file, NULL, &output, &err), &err);
    assert_done(mplan_format_text.write(mesh, "rows_points", output, NULL, &err), &err);
    assert_done(mplan_output_commit(output, &err), &err);
}

static void check_written(uint64_t *seed, int32_t arity, int64_t n_rows)
{
    mplan_error err;
    mplan_mesh *mesh = NULL, *again = NULL;
    mplan_map map = {.arity = arity, .n_rows = n_rows};
    int64_t *offsets = malloc((size_t)(n_rows + 1) * sizeof *offsets);
    for (int64_t r = 0; r <= n_rows; r++)
        offsets[r] = r + r / 2; /* rows of 1 and 2: text cannot show empty ones */
    map.offsets = arity ? NULL : offsets;
    int64_t n = mplan_map_entries(&map);
    int32_t *values = malloc((size_t)n * sizeof *values);
    for (int64_t i = 0; i < n; i++)
        values[i] = (int32_t)support_random(seed, 50001) - 1;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "rows", n_rows, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "points", 50000, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "rows_points", 0, 1, arity, map.offsets, values, NULL, &err),
                &err);
    write_map(mesh);
    mplan_file file;
    assert_done(mplan_file_open(made_file, NULL, &file, &err), &err);
    mplan_input input = {"rows_points.txt", file.data, file.size, NULL};
    mplan_read_options options = MPLAN_READ_OPTIONS_INIT;
    mplan_table_options table = MPLAN_TABLE_OPTIONS_INIT;
    table.to_size = 50000;
    options.table = &table;
    assert_done(mplan_mesh_create(&again, &err), &err);
    assert_done(mplan_format_text.read(&input, &options, NULL, again, &err), &err);
    mplan_file_close(&file);
    mplan_map read = mplan_mesh_map(again, 0);
    assert_int_equal(read.arity, arity);
    assert_int_equal(read.n_rows, n_rows);
    assert_memory_equal(read.values, values, (size_t)n * sizeof *values);
    if (arity == 0)
        assert_memory_equal(read.offsets, map.offsets, (size_t)(n_rows + 1) * 8);
    mplan_mesh_free(mesh);
    mplan_mesh_free(again);
    free(offsets);
    free(values);
}

static void test_written_tables(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int32_t arity = 0; arity < 5; arity++) {
        check_written(&seed, arity, 40);
        check_written(&seed, arity, 20000); /* more than one piece */
    }
}

static void test_unwritable_tables(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh = NULL;
    mplan_output *output = NULL;
    static const int64_t offsets[3] = {0, 2, 2};
    static const int32_t values[2] = {0, 1};
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "rows", 2, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "none", 0, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "ragged", 0, 0, 0, offsets, values, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "empty", 1, 0, 2, NULL, values, NULL, &err), &err);
    assert_done(mplan_output_open(made_file, NULL, &output, &err), &err);
    assert_refused(mplan_format_text.write(mesh, "ragged", output, NULL, &err),
                   MPLAN_ERR_UNSUPPORTED, &err, "row 1 of map 'ragged' is empty");
    assert_refused(mplan_format_text.write(mesh, "empty", output, NULL, &err),
                   MPLAN_ERR_UNSUPPORTED, &err, "has no rows");
    mplan_output_abort(output);
    mplan_mesh_free(mesh);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(made_file, sizeof made_file, "%s/rows_points.txt", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(made_file);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_refused_texts),
        cmocka_unit_test(test_ragged_where_fixed_is_needed),
        cmocka_unit_test(test_random_texts),
        cmocka_unit_test(test_flipped_bytes),
        cmocka_unit_test(test_recognise),
        cmocka_unit_test(test_written_tables),
        cmocka_unit_test(test_unwritable_tables),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
