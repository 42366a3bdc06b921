/* SPDX-License-Identifier: Apache-2.0 */
/* test_zip_write.c - archives as PKWARE's APPNOTE.TXT has them, read here once more from their end
 *
 * With more members than 16 bits count, so that the 64-bit end records are there; each field is compared. */
#include "support_test.h"

#include "base/file.h"
#include "formats/numpy/crc32.h"
#include "formats/numpy/zip_write.h"
#include "support_folder.h"

static mplan_error err;

static uint64_t field(const mplan_file *file, size_t at, int bytes)
{
    uint64_t value = 0;
    assert_true(at + (size_t)bytes <= file->size);
    for (int i = bytes - 1; i >= 0; i--)
        value = value << 8 | file->data[at + (size_t)i];
    return value;
}

static void write_members(const char *path, int n)
{
    mplan_output *output;
    mplan_zip_out zip;
    assert_done(mplan_output_open(path, NULL, &output, &err), &err);
    mplan_zip_begin(&zip, output, NULL);
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, i == 1 ? "\xc3\xa9%d" : "m%d", i);
        assert_done(mplan_zip_add(&zip, name, "head", (size_t)(i % 5), "data of it",
                                  (size_t)(i % 11), &err),
                    &err);
    }
    assert_done(mplan_zip_finish(&zip, &err), &err);
    mplan_zip_release(&zip);
    assert_done(mplan_output_commit(output, &err), &err);
}

/* A local header or an entry of the directory, from the version needed to the length of the name. */
static void check_common(const mplan_file *file, size_t at, int i)
{
    const size_t head = (size_t)(i % 5), size = (size_t)(i % 11);
    char name[32], all[16];
    snprintf(name, sizeof name, i == 1 ? "\xc3\xa9%d" : "m%d", i);
    memcpy(all, "head", head);
    memcpy(all + head, "data of it", size);
    assert_true(field(file, at, 2) == 20);
    assert_true(field(file, at + 2, 2) == (i == 1 ? 2048 : 0)); /* names in UTF-8 */
    assert_true(field(file, at + 4, 2) == 0);
    assert_true(field(file, at + 6, 2) == 0 && field(file, at + 8, 2) == 33); /* 1980-01-01 */
    assert_true(field(file, at + 10, 4) == mplan_crc32(0, all, head + size));
    assert_true(field(file, at + 14, 4) == head + size && field(file, at + 18, 4) == head + size);
    assert_true(field(file, at + 22, 2) == strlen(name) && field(file, at + 24, 2) == 0);
}

/* All members, from the directory; returns its size. */
static size_t check_members(const mplan_file *file, int n, size_t directory)
{
    size_t at = directory, begin = 0;
    for (int i = 0; i < n; i++) {
        const size_t bytes = (size_t)(i % 5 + i % 11);
        assert_true(field(file, begin, 4) == 0x04034b50 && field(file, at, 4) == 0x02014b50);
        check_common(file, begin + 4, i);
        assert_true(field(file, at + 4, 2) == 20);
        check_common(file, at + 6, i);
        assert_true(field(file, at + 32, 8) == 0 && field(file, at + 40, 2) == 0);
        assert_true(field(file, at + 42, 4) == begin);
        const size_t length = (size_t)field(file, at + 28, 2);
        assert_memory_equal(file->data + at + 46, file->data + begin + 30, length);
        begin += 30 + length + bytes;
        at += 46 + length;
    }
    assert_true(begin == directory);
    return at - directory;
}

static void ends_of_archives(void **state)
{
    (void)state;
    static const int numbers[] = {0, 3, 65534, 65535, 65600};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        const int n = numbers[k];
        const bool wide = n >= 65535;
        mplan_file file;
        write_members(in_folder("a.zip"), n);
        assert_done(mplan_file_open(in_folder("a.zip"), NULL, &file, &err), &err);
        const size_t end = file.size - 22;
        const size_t size = (size_t)field(&file, end + 12, 4),
                     directory = (size_t)field(&file, end + 16, 4);
        assert_true(field(&file, end, 4) == 0x06054b50 && field(&file, end + 4, 4) == 0);
        assert_true(field(&file, end + 8, 2) == (wide ? 65535U : (unsigned)n));
        assert_true(field(&file, end + 10, 2) == (wide ? 65535U : (unsigned)n));
        assert_true(field(&file, end + 20, 2) == 0);
        assert_true(directory + size == end - (wide ? 76 : 0));
        assert_true(check_members(&file, n, directory) == size);
        if (wide) {
            const size_t record = end - 76, locator = end - 20;
            assert_true(field(&file, record, 4) == 0x06064b50 && field(&file, record + 4, 8) == 44);
            assert_true(field(&file, record + 12, 2) == 45 && field(&file, record + 14, 2) == 45);
            assert_true(field(&file, record + 16, 8) == 0); /* disks */
            assert_true(field(&file, record + 24, 8) == (uint64_t)n &&
                        field(&file, record + 32, 8) == (uint64_t)n);
            assert_true(field(&file, record + 40, 8) == size &&
                        field(&file, record + 48, 8) == directory);
            assert_true(field(&file, locator, 4) == 0x07064b50 && field(&file, locator + 4, 4) == 0);
            assert_true(field(&file, locator + 8, 8) == record && field(&file, locator + 16, 4) == 1);
        }
        mplan_file_close(&file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends_of_archives)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
