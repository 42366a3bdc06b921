/* SPDX-License-Identifier: Apache-2.0 */
/* test_netcdf_header.c - headers of classic netCDF files, byte by byte: libnetcdf is not needed
 *
 * Headers of CDF-1, CDF-2 and CDF-5 with dimensions, attributes and variables of all types; each number that is too large for the
 * file, each list that is another one, and each place where the file may end is refused, at its byte. */
#include "support_test.h"

#include "formats/contained_any.h"
#include "formats/netcdf/netcdf_header.h"

typedef struct header {
    uint8_t data[1024];
    size_t size;
    int version;
} header;

static mplan_error err;

static void number(header *h, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--)
        h->data[h->size++] = (uint8_t)(value >> 8 * i);
}

static void count(header *h, uint64_t value)
{
    number(h, value, h->version == 5 ? 8 : 4);
}

/* Characters, padded to four bytes. */
static void name(header *h, const char *text)
{
    count(h, strlen(text));
    memcpy(h->data + h->size, text, strlen(text));
    h->size += (strlen(text) + 3) / 4 * 4;
}

static void begin(header *h, int version)
{
    memset(h, 0, sizeof *h);
    h->version = version;
    memcpy(h->data, "CDF", 3);
    h->size = 3;
    number(h, (uint64_t)version, 1);
    count(h, 0); /* records */
}

static void attribute(header *h, const char *text, int type, int n, int bytes)
{
    name(h, text);
    number(h, (uint64_t)type, 4);
    count(h, (uint64_t)n);
    h->size += (size_t)((n * bytes + 3) / 4 * 4);
}

static void variable(header *h, const char *text, int rank, const int *dimension)
{
    name(h, text);
    count(h, (uint64_t)rank);
    for (int d = 0; d < rank; d++)
        count(h, (uint64_t)dimension[d]);
    number(h, 12, 4);
    count(h, 1);
    attribute(h, "units", 2, 1, 1);
    number(h, 6, 4);
    count(h, 8);
    number(h, 400, h->version == 1 ? 4 : 8);
}

/* Two dimensions, an attribute of each type, two variables. */
static void make(header *h, int version)
{
    static const int bytes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
    begin(h, version);
    number(h, 10, 4);
    count(h, 2);
    name(h, "nodes");
    count(h, 8);
    name(h, "x");
    count(h, 0);
    number(h, 12, 4);
    count(h, 11);
    for (int type = 1; type <= 11; type++)
        attribute(h, "abcdefgh" + type % 8, type, 3, bytes[type]);
    number(h, 11, 4);
    count(h, 2);
    variable(h, "first", 2, (int[]){0, 1});
    variable(h, "second", 0, NULL);
}

static mplan_status check(const header *h, size_t size)
{
    const mplan_input input = {.path = "a.nc", .data = h->data, .size = size};
    return mplan_netcdf_check_header(&input, &err);
}

/* The whole header is right; cut anywhere, it is not, and the place is inside. */
static void every_length(void **state)
{
    (void)state;
    static const int versions[] = {1, 2, 5};
    for (size_t v = 0; v < 3; v++) {
        header h;
        make(&h, versions[v]);
        assert_true(mplan_netcdf_is_classic(h.data, h.size));
        assert_done(check(&h, h.size), &err);
        assert_done(check(&h, h.size + 3), &err); /* data follow */
        for (size_t size = 4; size < h.size; size++) {
            assert_int_equal(check(&h, size), MPLAN_ERR_CORRUPT);
            long at = -1;
            assert_int_equal(sscanf(err.text, "a.nc: byte %ld:", &at), 1);
            assert_true(at >= 4 && at <= (long)size);
        }
    }
}

/* Byte `at` of a header of version 1 becomes `value`: the sentence. */
static void refuse(size_t at, uint8_t value, const char *sentence)
{
    header h;
    make(&h, 1);
    h.data[at] = value;
    assert_refused(check(&h, h.size), MPLAN_ERR_CORRUPT, &err, sentence);
}

static void wrong_numbers(void **state)
{
    (void)state;
    header h;
    /* 4 records, 8 list, 12 count, 16 length, 20 nodes, 28 size, 32 length, 36 x, 40 size, 44 list, 48 count */
    refuse(11, 12, "byte 8: expected another list here");
    refuse(11, 0, "byte 8: expected another list here"); /* none, but two */
    refuse(12, 1, "byte 12: a count is larger than what the file can hold");
    refuse(18, 2, "byte 16: a count is larger than what the file can hold");
    refuse(47, 11, "byte 44: expected another list here");
    make(&h, 1);
    const size_t lists = h.size;
    /* type of the first attribute, behind its name of seven letters and their padding */
    assert_int_equal(h.data[52 + 4 + 8 + 3], 1);
    refuse(52 + 4 + 8 + 3, 0, "byte 64: this is not a number type");
    refuse(52 + 4 + 8 + 3, 12, "byte 64: this is not a number type");
    /* the second dimension of the first variable: as many as there are do not exist */
    const size_t behind = 4 + 4 + (4 + 8 + 4 + 4 + 4) + 4 + 4 + 4, second = 4 + 8 + 4 + behind;
    const size_t dimension = lists - second - behind - 4;
    assert_int_equal(h.data[dimension + 3], 1);
    h.data[dimension + 3] = 2;
    assert_refused(check(&h, h.size), MPLAN_ERR_CORRUPT, &err,
                   "a variable has a dimension that does not exist");
    char place[32];
    snprintf(place, sizeof place, "byte %zu:", dimension);
    assert_non_null(strstr(err.text, place));
}

static void long_names(void **state)
{
    (void)state;
    static header h;
    for (int more = 0; more < 2; more++) {
        static uint8_t large[1200];
        begin(&h, 1);
        number(&h, 10, 4);
        count(&h, 1);
        count(&h, 1024 + (uint64_t)more);
        memset(large, 0, sizeof large);
        memcpy(large, h.data, h.size);
        /* the name, its padding, the size, two empty lists */
        const size_t size = h.size + 1024 + 4 * (size_t)more + 4 + 16;
        const mplan_input input = {.path = "a.nc", .data = large, .size = size};
        if (more)
            assert_refused(mplan_netcdf_check_header(&input, &err), MPLAN_ERR_CORRUPT, &err,
                           "byte 16: a name of more than 1024 bytes");
        else
            assert_done(mplan_netcdf_check_header(&input, &err), &err);
    }
}

/* What is looked at at all. */
static void first_bytes(void **state)
{
    (void)state;
    static const uint8_t hdf[] = "\x89HDF\r\n\x1a\n";
    assert_true(mplan_netcdf_is_hdf5(hdf, 8));
    assert_false(mplan_netcdf_is_hdf5(hdf, 7));
    assert_true(mplan_contained_is_one(&(mplan_input){.data = hdf, .size = 8}));
    assert_false(mplan_contained_is_one(&(mplan_input){.data = hdf, .size = 7}));
    for (int version = 0; version < 256; version++) {
        const uint8_t data[4] = {'C', 'D', 'F', (uint8_t)version};
        const bool classic = version == 1 || version == 2 || version == 5;
        assert_int_equal(mplan_netcdf_is_classic(data, 4), classic);
        assert_false(mplan_netcdf_is_classic(data, 3));
        assert_int_equal(mplan_contained_is_one(&(mplan_input){.data = data, .size = 4}), classic);
        assert_false(mplan_contained_is_one(&(mplan_input){.data = data, .size = 3}));
        if (!classic) /* not ours: nothing is refused */
            assert_done(mplan_netcdf_check_header(&(mplan_input){.path = "", .data = data, .size = 4},
                                                  &err),
                        &err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length),
        cmocka_unit_test(wrong_numbers),
        cmocka_unit_test(long_names),
        cmocka_unit_test(first_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
