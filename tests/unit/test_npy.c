/* SPDX-License-Identifier: Apache-2.0 */
/* test_npy.c - .npy headers and numbers, read and written */
#include "support_test.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/file.h"
#include "base/file_output.h"
#include "formats/numpy/npy.h"
#include "formats/numbers.h"

enum { MAX_BYTES = 1 << 16 };

static uint8_t bytes[MAX_BYTES];

/* A file of a header as it is and `size` bytes of numbers behind it. */
static mplan_input file_of(int version, const char *header, const void *numbers, size_t size)
{
    size_t length = strlen(header), at = version == 1 ? 10 : 12;
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (uint8_t)version;
    memset(bytes + 7, 0, 5);
    bytes[8] = (uint8_t)(length & 0xff);
    bytes[9] = (uint8_t)(length >> 8);
    memcpy(bytes + at, header, length);
    if (size)
        memcpy(bytes + at + length, numbers, size);
    return (mplan_input){"x.npy", bytes, at + length + size, NULL};
}

/* --- numbers ------------------------------------------------------------------- */

typedef struct numpy_type {
    char kind;
    int size;
} numpy_type;
static const numpy_type types[] = {{'i', 1}, {'i', 2}, {'i', 4}, {'i', 8}, {'u', 1},
                                   {'u', 2}, {'u', 4}, {'u', 8}, {'f', 4}, {'f', 8}};

/* Bytes of a number in the file, one after the other. */
static void put(uint8_t *at, numpy_type type, bool big, int64_t whole, double real)
{
    uint64_t bits = (uint64_t)whole;
    if (type.kind == 'f' && type.size == 8) {
        memcpy(&bits, &real, 8);
    } else if (type.kind == 'f') {
        float narrow = (float)real;
        uint32_t narrow_bits;
        memcpy(&narrow_bits, &narrow, 4);
        bits = narrow_bits;
    }
    for (int i = 0; i < type.size; i++)
        at[big ? type.size - 1 - i : i] = (uint8_t)(bits >> (8 * i));
}

/* A number that the type can hold; small ones that fit into 32 bits. */
static int64_t random_whole(uint64_t *seed, numpy_type type, bool small)
{
    int bits = type.size * 8 - 1 + (type.kind == 'u');
    if (bits > 63)
        bits = 63;
    if (small && bits > 31)
        bits = 31;
    uint64_t x = 0;
    for (int i = 0; i < 3; i++)
        x = x << 22 ^ (uint64_t)support_random(seed, 1 << 22);
    x &= (UINT64_C(1) << bits) - 1;
    return type.kind == 'i' && support_random(seed, 2) ? -(int64_t)x - 1 : (int64_t)x;
}

static void make_header(char *header, size_t room, uint64_t *seed, numpy_type type, bool big,
                        bool fortran, int ndim, const int64_t *shape)
{
    char descr[64], order[64], extents[96];
    char quote = support_random(seed, 2) ? '"' : '\'';
    char endian = type.size == 1 ? "|<>"[support_random(seed, 3)] : big ? '>' : '<';
    snprintf(descr, sizeof descr, "%cdescr%c: %c%c%c%d%c", quote, quote, quote, endian, type.kind,
             type.size, quote);
    snprintf(order, sizeof order, "'fortran_order':%s", fortran ? "True" : "False");
    if (ndim == 1)
        snprintf(extents, sizeof extents, "'shape' : (%" PRId64 ",)", shape[0]);
    else
        snprintf(extents, sizeof extents, "'shape': ( %" PRId64 ",%" PRId64 "%s", shape[0],
                 shape[1], support_random(seed, 2) ? ",)" : "L )");
    const char *parts[3] = {descr, order, extents};
    int64_t first = support_random(seed, 3), step = 1 + support_random(seed, 2);
    snprintf(header, room, "{%s,%s, %s%s}%s\n", parts[first], parts[(first + step) % 3],
             parts[(first + 2 * step) % 3], support_random(seed, 2) ? ", " : "",
             support_random(seed, 2) ? "      " : "");
}

static void check_random(uint64_t *seed)
{
    static int64_t whole[4096];
    static double real[4096];
    static uint8_t data[8 * 4096];
    static uint64_t copied[4096];
    numpy_type type = types[support_random(seed, 10)];
    bool big = support_random(seed, 2), fortran = support_random(seed, 2);
    bool small = support_random(seed, 2);
    int ndim = 1 + (int)support_random(seed, 2);
    int64_t wide = support_random(seed, 20) == 0 ? 1300 : 40;
    int64_t shape[2] = {support_random(seed, wide), ndim == 2 ? support_random(seed, 4) : 1};
    if (ndim == 2 && support_random(seed, 2)) {
        int64_t swap = shape[0];
        shape[0] = shape[1];
        shape[1] = swap;
    }
    int64_t n = shape[0] * shape[1];
    bool fits = true;
    assert_true(n <= 4096);
    for (int64_t r = 0; r < shape[0]; r++)
        for (int64_t c = 0; c < shape[1]; c++) {
            int64_t i = r * shape[1] + c, at = fortran ? c * shape[0] + r : i;
            whole[i] = random_whole(seed, type, small);
            real[i] = (double)whole[i] / 1024;
            if (type.size == 4)
                real[i] = (double)(float)real[i];
            fits = fits && whole[i] >= INT32_MIN && whole[i] <= INT32_MAX;
            put(data + at * type.size, type, big, whole[i], real[i]);
        }
    char header[256];
    mplan_error err;
    mplan_numbers numbers;
    mplan_npy_header parsed;
    make_header(header, sizeof header, seed, type, big, fortran, ndim, shape);
    mplan_input input = file_of(1 + (int)support_random(seed, 3), header, data,
                                (size_t)(n * type.size));
    assert_done(mplan_npy_read_numbers(&input, false, &numbers, &err), &err);
    assert_int_equal(numbers.rows, shape[0]);
    assert_int_equal(numbers.cols, shape[1]);
    assert_null(numbers.offsets);
    assert_int_equal(numbers.real, type.kind == 'f');
    if (type.kind == 'f') {
        assert_true(numbers.f64 && !numbers.i32 && !numbers.i64);
        assert_memory_equal(numbers.f64, real, (size_t)n * 8);
    } else if (fits) {
        assert_true(numbers.i32 && !numbers.f64 && !numbers.i64);
        for (int64_t i = 0; i < n; i++)
            assert_int_equal(numbers.i32[i], whole[i]);
    } else {
        assert_true(numbers.i64 && !numbers.i32 && !numbers.f64);
        assert_memory_equal(numbers.i64, whole, (size_t)n * 8);
    }
    mplan_numbers_free(&numbers);
    assert_done(mplan_npy_parse(&input, &parsed, &err), &err);
    assert_int_equal(parsed.count, n);
    assert_int_equal(parsed.kind, type.kind);
    assert_int_equal(parsed.size, type.size);
    assert_done(mplan_npy_copy(&input, &parsed, copied, &err), &err);
    for (int64_t i = 0; i < n; i++) {
        uint8_t expected[8];
        put(expected, type, false, whole[i], real[i]);
        assert_memory_equal((uint8_t *)copied + i * type.size, expected, (size_t)type.size);
    }
}

static void test_random_arrays(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 5000; i++)
        check_random(&seed);
}

/* --- refusals -------------------------------------------------------------------- */

#define GOOD "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }\n"

static void test_refused_headers(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        mplan_status status;
        const char *part;
    } cases[] = {
        {"", MPLAN_ERR_CORRUPT, "x.npy: byte 10: the header is not a dictionary"},
        {"[]", MPLAN_ERR_CORRUPT, "not a dictionary"},
        {"{}\n", MPLAN_ERR_CORRUPT, "the header must have descr"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2,)", MPLAN_ERR_CORRUPT, "comma"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2,),", MPLAN_ERR_CORRUPT, "quoted"},
        {"{'descr': '<i4', 'fortran_order': False}\n", MPLAN_ERR_CORRUPT,
         "the header must have descr"},
        {"{'descr': '<i4', 'descr': '<i4', 'shape': (2,)}\n", MPLAN_ERR_CORRUPT, "twice"},
        {"{'descr': '<i4', 'order': False, 'shape': (2,)}\n", MPLAN_ERR_CORRUPT, "unknown key"},
        {"{'descr' '<i4'}\n", MPLAN_ERR_CORRUPT, "colon"},
        {"{'descr': '<i4' 'shape': (2,)}\n", MPLAN_ERR_CORRUPT, "comma"},
        {"{'descr': '<i4', 'fortran_order': 0, 'shape': (2,)}\n", MPLAN_ERR_CORRUPT, "True or"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': 2}\n", MPLAN_ERR_CORRUPT, "tuple"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2)}\n", MPLAN_ERR_CORRUPT, "tuple"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (1 2)}\n", MPLAN_ERR_CORRUPT, "comma"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (-2,)}\n", MPLAN_ERR_CORRUPT, "number"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (,)}\n", MPLAN_ERR_CORRUPT, "number"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999,)}\n",
         MPLAN_ERR_CORRUPT, "larger than any file"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}\n",
         MPLAN_ERR_CORRUPT, "8 bytes of numbers"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (3,)}\n", MPLAN_ERR_CORRUPT,
         "8 bytes of numbers"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (1,)}\n", MPLAN_ERR_CORRUPT,
         "byte 70: 4 bytes follow the last number"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (0, 7)}\n", MPLAN_ERR_CORRUPT,
         "8 bytes follow"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2,)} 1\n", MPLAN_ERR_CORRUPT,
         "continues"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2,)}\n\n", MPLAN_ERR_CORRUPT,
         "continues"},
        {"{'descr': 'i4', 'fortran_order': False, 'shape': (2,)}\n", MPLAN_ERR_UNSUPPORTED, "'i4'"},
        {"{'descr': '|i4', 'fortran_order': False, 'shape': (2,)}\n", MPLAN_ERR_UNSUPPORTED, "|i4"},
        {"{'descr': '<i3', 'fortran_order': False, 'shape': (2,)}\n", MPLAN_ERR_UNSUPPORTED, "<i3"},
        {"{'descr': '<i48', 'fortran_order': False, 'shape': (2,)}\n", MPLAN_ERR_UNSUPPORTED, "<i48"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (4,)}\n", MPLAN_ERR_UNSUPPORTED, "<f2"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}\n", MPLAN_ERR_UNSUPPORTED, "<c8"},
        {"{'descr': '|b1', 'fortran_order': False, 'shape': (8,)}\n", MPLAN_ERR_UNSUPPORTED, "|b1"},
        {"{'descr': '', 'fortran_order': False, 'shape': (8,)}\n", MPLAN_ERR_UNSUPPORTED, "''"},
        {"{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (2,)}\n",
         MPLAN_ERR_UNSUPPORTED, "records"},
        {"{'descr': '<i4\\'', 'fortran_order': False, 'shape': (2,)}\n", MPLAN_ERR_CORRUPT,
         "unknown quoted word"},
        {"{'descr': '<i4444444444444444', 'shape': (2,)}\n", MPLAN_ERR_CORRUPT, "unknown quoted word"},
        {"{'descr': '<i4", MPLAN_ERR_CORRUPT, "within a quoted word"},
        {"{'descr': '<i1', 'fortran_order': False, 'shape': (2,2,2)}\n", MPLAN_ERR_UNSUPPORTED,
         "3 dimensions"},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': ()}\n", MPLAN_ERR_UNSUPPORTED,
         "0 dimensions"},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}\n",
         MPLAN_ERR_UNSUPPORTED, "more than 8"},
    };
    static const int32_t numbers_there[2] = {1, 2};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mplan_error err;
        mplan_numbers numbers;
        mplan_input input = file_of(1, cases[i].header, numbers_there, sizeof numbers_there);
        assert_refused(mplan_npy_read_numbers(&input, false, &numbers, &err), cases[i].status, &err,
                       cases[i].part);
        assert_non_null(strstr(err.text, "x.npy: byte "));
        assert_null(numbers.i32);
    }
}

static void test_refused_files(void **state)
{
    (void)state;
    mplan_error err;
    mplan_numbers numbers;
    static const int32_t there[2] = {1, 2};
    mplan_input whole = file_of(1, GOOD, there, sizeof there);
    for (size_t size = 0; size < whole.size; size++) {
        uint8_t *cut = malloc(size + 1); /* so that a sanitizer sees the end */
        memcpy(cut, bytes, size);
        mplan_input input = {"x.npy", cut, size, NULL};
        mplan_status expected = size < 6 ? MPLAN_ERR_FORMAT : MPLAN_ERR_CORRUPT;
        assert_refused(mplan_npy_read_numbers(&input, false, &numbers, &err), expected, &err, "byte");
        free(cut);
    }
    mplan_input newer = file_of(4, GOOD, there, sizeof there);
    assert_refused(mplan_npy_read_numbers(&newer, false, &numbers, &err), MPLAN_ERR_UNSUPPORTED,
                   &err, "version 4.0");
    static const uint64_t huge[1] = {UINT64_C(1) << 63};
    mplan_input beyond = file_of(1, "{'descr': '<u8', 'fortran_order': False, 'shape': (1,)}", huge,
                                 sizeof huge);
    assert_refused(mplan_npy_read_numbers(&beyond, false, &numbers, &err), MPLAN_ERR_CORRUPT, &err,
                   "2^63");
    mplan_input cube = file_of(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (2,2,2)}", huge,
                               8);
    mplan_npy_header header;
    uint8_t out[8];
    assert_done(mplan_npy_parse(&cube, &header, &err), &err);
    assert_int_equal(header.ndim, 3);
    assert_refused(mplan_npy_copy(&cube, &header, out, &err), MPLAN_ERR_UNSUPPORTED, &err, "Fortran");
}

static void test_flipped_bytes(void **state)
{
    (void)state;
    static const int32_t there[2] = {1, 2};
    uint64_t seed = 3;
    for (int i = 0; i < 20000; i++) {
        mplan_error err;
        mplan_numbers numbers;
        mplan_input input = file_of(1 + (int)support_random(&seed, 3), GOOD, there, sizeof there);
        for (int64_t k = support_random(&seed, 3); k >= 0; k--)
            bytes[support_random(&seed, (int64_t)input.size)] = (uint8_t)support_random(&seed, 256);
        mplan_status status = mplan_npy_read_numbers(&input, false, &numbers, &err);
        assert_true(status == MPLAN_OK || status == MPLAN_ERR_CORRUPT ||
                    status == MPLAN_ERR_FORMAT || status == MPLAN_ERR_UNSUPPORTED);
        mplan_numbers_free(&numbers);
    }
}

/* --- writing ---------------------------------------------------------------------- */

static void read_back(const char *path, mplan_numbers *numbers, mplan_npy_header *header)
{
    mplan_error err;
    mplan_file file;
    assert_done(mplan_file_open(path, NULL, &file, &err), &err);
    mplan_input input = {path, file.data, file.size, NULL};
    assert_done(mplan_npy_parse(&input, header, &err), &err);
    assert_done(mplan_npy_read_numbers(&input, false, numbers, &err), &err);
    mplan_file_close(&file);
}

static void test_written_map(void **state)
{
    const char *path = *state;
    mplan_error err;
    mplan_mesh *mesh = NULL;
    mplan_output *output = NULL;
    mplan_numbers numbers;
    mplan_npy_header header;
    static const int32_t values[6] = {0, 1, 1, -1, 2, 0};
    static const int64_t offsets[4] = {0, 1, 1, 3};
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_refused(mplan_format_npy.write(mesh, NULL, NULL, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "no map to write");
    assert_done(mplan_mesh_add_set(mesh, "edges", 3, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "edges_edges", 0, 0, 2, NULL, values, NULL, &err), &err);
    assert_done(mplan_output_open(path, NULL, &output, &err), &err);
    assert_done(mplan_format_npy.write(mesh, NULL, output, NULL, &err), &err);
    assert_done(mplan_output_commit(output, &err), &err);
    read_back(path, &numbers, &header);
    assert_int_equal(header.offset % 64, 0);
    assert_string_equal(header.descr, "<i4");
    assert_int_equal(numbers.rows, 3);
    assert_int_equal(numbers.cols, 2);
    assert_memory_equal(numbers.i32, values, sizeof values);
    mplan_numbers_free(&numbers);
    assert_done(mplan_mesh_add_map(mesh, "ragged", 0, 0, 0, offsets, values, NULL, &err), &err);
    assert_refused(mplan_format_npy.write(mesh, NULL, NULL, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "edges_edges, ragged");
    assert_refused(mplan_format_npy.write(mesh, "no", NULL, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "no map 'no'");
    assert_refused(mplan_format_npy.write(mesh, "ragged", NULL, NULL, &err), MPLAN_ERR_UNSUPPORTED,
                   &err, "as text");
    mplan_mesh_free(mesh);
}

static void test_written_headers(void **state)
{
    const char *path = *state;
    static const int64_t shape[8] = {1, 1, 1, 0, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    for (int32_t ndim = 0; ndim <= 8; ndim++)
        for (mplan_type type = MPLAN_TYPE_U8; type <= MPLAN_TYPE_F64; type++) {
            mplan_error err;
            mplan_output *output = NULL;
            mplan_file file;
            mplan_npy_header header;
            static const uint8_t zero[8] = {0};
            int32_t size = (int32_t)mplan_type_size(type);
            assert_done(mplan_output_open(path, NULL, &output, &err), &err);
            assert_done(mplan_npy_write_header(output, mplan_npy_descr(type), ndim, shape, &err),
                        &err);
            assert_int_equal(mplan_output_bytes(output) % 64, 0);
            if (ndim < 4) /* one number, later shapes are empty */
                assert_done(mplan_output_write(output, zero, (size_t)size, &err), &err);
            assert_done(mplan_output_commit(output, &err), &err);
            assert_done(mplan_file_open(path, NULL, &file, &err), &err);
            mplan_input input = {path, file.data, file.size, NULL};
            assert_done(mplan_npy_parse(&input, &header, &err), &err);
            mplan_file_close(&file);
            assert_string_equal(header.descr, mplan_npy_descr(type));
            assert_int_equal(header.ndim, ndim);
            assert_int_equal(header.size, size);
            assert_int_equal(header.count, ndim < 4);
            assert_memory_equal(header.shape, shape, (size_t)ndim * sizeof *shape);
        }
}

static char folder[] = "/tmp/mplan-test-npy-XXXXXX", made_file[64];

static int make_folder(void **state)
{
    if (!mkdtemp(folder))
        return -1;
    snprintf(made_file, sizeof made_file, "%s/x.npy", folder);
    *state = made_file;
    return 0;
}

static int remove_folder(void **state)
{
    unlink(*state);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_arrays), cmocka_unit_test(test_refused_headers),
        cmocka_unit_test(test_refused_files), cmocka_unit_test(test_flipped_bytes),
        cmocka_unit_test(test_written_map),   cmocka_unit_test(test_written_headers),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
