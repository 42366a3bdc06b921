/* SPDX-License-Identifier: Apache-2.0 */
/* test_bundle.c - bundles are written part by part and read back; what is damaged or does not fit is refused
 *
 * Plans are of pieces that do not touch (support_part_plan). Each byte of the front and around a plan is changed, sizes
 * are cut, and each number of the manifest and of section PARTS is changed with all checksums made right. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "planfile/bundle.h"
#include "support_planfile.h"

enum { PARTS = 3 };

/* Members of parts that are not there: canonical ids pass 2^31, as those of a large mesh do. */
#define FAKED INT64_C(5000000000)

static char path[256];

static int name_file(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/bundle_%ld.mplans", support_fast_folder(), (long)getpid());
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

/* Texts are constant, names and bases the caller's: nothing of it is released. */
static mplan_manifest manifest_of(const mplan_plan *plan, mplan_bundle_set *sets, int64_t *bases,
                                  mplan_bundle_map *maps)
{
    static char how[] = "file", request[] = "loop x\n", versions[] = "meshplan 0\n";
    for (int32_t s = 0; s < plan->n_sets; s++) {
        int64_t *base = bases + s * (PARTS + 1);
        const int64_t size = plan->sets[s].size;
        for (int p = 0; p <= PARTS; p++)
            base[p] = p * size;
        sets[s] = (mplan_bundle_set){plan->sets[s].name, PARTS * size, s == 0, base};
    }
    for (int32_t m = 0; m < plan->n_maps; m++)
        maps[m] = (mplan_bundle_map){plan->maps[m].name, plan->maps[m].from, plan->maps[m].to,
                                     plan->maps[m].arity, PARTS * plan->maps[m].n_entries};
    return (mplan_manifest){.n_parts = PARTS,
                            .n_sets = plan->n_sets,
                            .n_maps = plan->n_maps,
                            .sets = sets,
                            .maps = maps,
                            .cut = 0,
                            .how = how,
                            .request = request,
                            .versions = versions,
                            .fingerprints = {.topology = 11, .coordinates = 12}};
}

/* The file of PARTS plans; its bytes, the caller's to free. */
static uint8_t *write_bundle(bool compress, size_t *size)
{
    mplan_error err = {0};
    mplan_bundle_set sets[4];
    mplan_bundle_map maps[4];
    int64_t bases[4 * (PARTS + 1)], bytes = 0;
    mplan_bundle_writer *writer = NULL;
    mplan_plan *plan = support_part_plan(PARTS, 0, 0);
    assert_in_range(plan->n_sets, 1, 4);
    const mplan_manifest manifest = manifest_of(plan, sets, bases, maps);
    mplan_write_options how = MPLAN_WRITE_OPTIONS_INIT;
    how.compress = compress;
    assert_int_equal(mplan_bundle_begin(path, &manifest, &how, NULL, &writer, &err), MPLAN_OK);
    for (int32_t p = 0; p < PARTS; p++) {
        mplan_plan *part = support_part_plan(PARTS, p, 0);
        assert_int_equal(mplan_bundle_add(writer, part, &err), MPLAN_OK);
        mplan_plan_free(part);
    }
    assert_int_equal(mplan_bundle_end(writer, &bytes, &err), MPLAN_OK);
    mplan_plan_free(plan);
    uint8_t *data = malloc((size_t)bytes);
    FILE *file = fopen(path, "rb");
    assert_non_null(data);
    assert_non_null(file);
    assert_int_equal(fread(data, 1, (size_t)bytes, file), bytes);
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    *size = (size_t)bytes;
    return data;
}

/* Writes these bytes to the file and reads the bundle and all its plans: the first failure. */
static mplan_status read_all(const uint8_t *data, size_t size, mplan_error *err)
{
    mplan_bundle *bundle = NULL;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
    mplan_status status = mplan_bundle_open(path, NULL, &bundle, err);
    for (int32_t p = 0; !status && p < mplan_bundle_n_parts(bundle); p++) {
        mplan_plan *plan = NULL;
        status = mplan_bundle_read_part(bundle, p, NULL, &plan, err);
        mplan_plan_free(plan);
    }
    mplan_bundle_free(bundle);
    return status;
}

static void parts_come_back(void **state)
{
    (void)state;
    size_t size;
    mplan_error err = {0};
    mplan_bundle *bundle = NULL;
    for (int compress = 0; compress < 2; compress++) {
#ifndef MPLAN_HAVE_ZLIB
        if (compress)
            break;
#endif
        free(write_bundle(compress, &size));
        assert_int_equal(mplan_bundle_open(path, NULL, &bundle, &err), MPLAN_OK);
        assert_int_equal(mplan_bundle_n_parts(bundle), PARTS);
        assert_int_equal(mplan_bundle_fingerprints(bundle).topology, 11);
        assert_int_equal(mplan_bundle_fingerprints(bundle).coordinates, 12);
        assert_string_equal(mplan_bundle_request(bundle), "loop x\n");
        assert_string_equal(mplan_bundle_versions(bundle), "meshplan 0\n");
        for (int32_t p = 0; p < PARTS; p++) {
            mplan_plan *read = NULL, *made = support_part_plan(PARTS, p, 0);
            int64_t offset, bytes;
            assert_int_equal(mplan_bundle_place(bundle, p, &offset, &bytes, &err), MPLAN_OK);
            assert_int_equal(offset % 65536, 0);
            assert_int_equal(mplan_bundle_read_part(bundle, p, NULL, &read, &err), MPLAN_OK);
            assert_int_equal(mplan_plan_part(read), p);
            assert_int_equal(mplan_plan_compare(made, read, NULL, NULL, &err), MPLAN_OK);
            for (int32_t s = 0; s < made->n_sets; s++) {
                const mplan_bundle_set *set = mplan_bundle_get_set(bundle, s);
                assert_int_equal(set->total, read->sets[s].part.total);
                assert_int_equal(set->base[p], read->sets[s].part.base);
                assert_memory_equal(&made->sets[s].part, &read->sets[s].part, sizeof(mplan_part_set));
                assert_int_equal(mplan_plan_part_import(read, s, 0).part, -1);
                assert_int_equal(mplan_plan_part_export(read, s, 0).part, -1);
            }
            mplan_plan_free(read);
            mplan_plan_free(made);
        }
        mplan_plan *none = NULL;
        assert_int_equal(mplan_bundle_read_part(bundle, PARTS, NULL, &none, &err),
                         MPLAN_ERR_ARGUMENT);
        assert_int_equal(mplan_bundle_read_part(bundle, -1, NULL, &none, &err), MPLAN_ERR_ARGUMENT);
        mplan_bundle_free(bundle);
    }
}

/* Canonical ids are 64 bits wide, though each part is small. */
static void ids_may_pass_2_to_31(void **state)
{
    (void)state;
    size_t size;
    mplan_plan *plan = support_part_plan(2, 1, FAKED), *read = NULL;
    uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
    mplan_error err = {0};
    assert_int_equal(mplan_plan_read_borrowed(bytes, size, "part", NULL, &read, &err), MPLAN_OK);
    for (int32_t s = 0; s < read->n_sets; s++) {
        int64_t rows = 0;
        const int64_t n = read->sets[s].size;
        const int64_t *ids = mplan_plan_data(read, mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, s),
                                             MPLAN_TYPE_I64, &rows);
        assert_int_equal(rows, n);
        assert_int_equal(read->sets[s].part.base, FAKED + n);
        assert_int_equal(read->sets[s].part.total, FAKED + 2 * n);
        assert_int_equal(ids[n - 1], FAKED + 2 * n - 1);
    }
    mplan_plan_free(read);
    mplan_plan_free(plan);
    free(bytes);
}

/* Header, table, manifest, zeros and the first bytes of each plan: nothing may change. */
static void damage_is_refused(void **state)
{
    (void)state;
    size_t size;
    uint8_t *data = write_bundle(false, &size);
    for (size_t at = 0; at < size; at += at % 65536 < 1200 ? 7 : 4001) {
        mplan_error err = {0};
        data[at] ^= 0x10;
        if (read_all(data, size, &err) == MPLAN_OK)
            fail_msg("byte %zu may be changed", at);
        data[at] ^= 0x10;
    }
    static const size_t cuts[] = {0, 7, 8, 127, 128, 200, 400, 65535, 65536, 65700};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        assert_int_not_equal(read_all(data, cuts[i], NULL), MPLAN_OK);
    assert_int_not_equal(read_all(data, size - 1, NULL), MPLAN_OK);
    assert_int_equal(read_all(data, size, NULL), MPLAN_OK);
    free(data);
}

/* The manifest with one piece of text in the place of another of the same length, all checksums right. */
static void manifest_must_fit(void **state)
{
    (void)state;
    static const char *const changes[][2] = {
        {"parts 3", "parts 2"},           {"set 36 cells", "set 37 cells"},
        {"base 0 12", "base 0 13"},       {"base 0 12", "base 1 12"},
        {"set 36 cells", "set 36 calls"}, {"map 0 1 4", "map 1 0 4"},
        {"map 0 1 4", "map 0 1 3"},       {"map 0 1 4", "map 0 9 4"},
        {"cells_nodes", "cells_nodis"},   {"cut 0 file", "cut 7 file"},
        {"cut 0 file", "cut 0 fill"},     {"request 7", "request 8"},
        {"parts 3\n", "parts 03"},        {"versions 11", "versions 12"},
        {"base 0 12 24", "base 0 24 12"}};
    size_t size;
    uint8_t *data = write_bundle(false, &size);
    const size_t front = 128 + 64 * PARTS, bytes = (size_t)support_load64(data + 40);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        mplan_error err = {0};
        uint8_t *copy = malloc(size);
        assert_non_null(copy);
        memcpy(copy, data, size);
        const size_t length = strlen(changes[i][0]);
        size_t at = front;
        while (at < front + bytes && memcmp(copy + at, changes[i][0], length) != 0)
            at++;
        if (at == front + bytes)
            fail_msg("the manifest has no '%s'", changes[i][0]);
        memcpy(copy + at, changes[i][1], length);
        support_store64(copy + 48, mplan_hash(copy + front, bytes));
        support_store64(copy + 120, mplan_hash(copy, 120));
        const mplan_status status = read_all(copy, size, &err);
        if (status != MPLAN_ERR_CORRUPT)
            fail_msg("'%s' may be '%s': %d %s", changes[i][0], changes[i][1], (int)status, err.text);
        free(copy);
    }
    free(data);
}

/* Words behind "cut 0 ", all lengths and checksums right: PT-SCOTCH says its version, bits of a number, and ranks. */
static void who_cut(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        bool good;
    } cases[] = {{"native", true},
                 {"ptscotch-7.0.3-64-4", true},
                 {"ptscotch-6-32-999999999", true},
                 {"ptscotch", false},
                 {"ptscotch-", false},
                 {"ptscotch--64-1", false},
                 {"ptscotch-7.0.3-48-4", false},
                 {"ptscotch-7.0.3-64-", false},
                 {"ptscotch-7.0.3-64-0", false},
                 {"ptscotch-7.0.3-64-4x", false},
                 {"ptscotch-7.0.3-64-1000000000", false},
                 {"ptscotch-7.0.3", false}};
    size_t size;
    uint8_t *data = write_bundle(false, &size);
    const size_t front = 128 + 64 * PARTS, bytes = (size_t)support_load64(data + 40);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mplan_error err = {0};
        uint8_t *copy = malloc(size);
        assert_non_null(copy);
        memcpy(copy, data, size);
        size_t at = front;
        while (memcmp(copy + at, "cut 0 file", 10) != 0)
            at++;
        const size_t longer = strlen(cases[i].word) - 4; /* zeros are behind the manifest */
        memmove(copy + at + 10 + longer, copy + at + 10, front + bytes - at - 10);
        memcpy(copy + at + 6, cases[i].word, strlen(cases[i].word));
        support_store64(copy + 40, bytes + longer);
        support_store64(copy + 48, mplan_hash(copy + front, bytes + longer));
        support_store64(copy + 120, mplan_hash(copy, 120));
        const mplan_status status = read_all(copy, size, &err);
        if (status != (cases[i].good ? MPLAN_OK : MPLAN_ERR_CORRUPT))
            fail_msg("cut by '%s': %d %s", cases[i].word, (int)status, err.text);
        free(copy);
    }
    free(data);
}

/* Plans that changed places, with a table that fits them, are not the parts that they must be. */
static void parts_keep_their_places(void **state)
{
    (void)state;
    size_t size;
    uint8_t *data = write_bundle(false, &size), entry[64];
    const uint64_t first = support_load64(data + 128), second = support_load64(data + 192);
    const size_t bytes = (size_t)support_load64(data + 136);
    assert_int_equal(bytes, support_load64(data + 200));
    uint8_t *plan = malloc(bytes);
    assert_non_null(plan);
    memcpy(plan, data + first, bytes);
    memmove(data + first, data + second, bytes);
    memcpy(data + second, plan, bytes);
    memcpy(entry, data + 144, 8);
    memcpy(data + 144, data + 208, 8);
    memcpy(data + 208, entry, 8);
    support_store64(data + 56, mplan_hash(data + 128, 64 * PARTS));
    support_store64(data + 120, mplan_hash(data, 120));
    assert_int_equal(read_all(data, size, NULL), MPLAN_ERR_CORRUPT);
    free(plan);
    free(data);
}

/* Every number of a record of PARTS, made one larger, one smaller and very large. */
static void records_must_agree(void **state)
{
    (void)state;
    static const struct {
        size_t at, bytes;
    } fields[] = {{0, 4}, {4, 4}, {24, 8}, {32, 8}, {40, 8}, {48, 4}, {52, 4}, {56, 8}};
    size_t size;
    mplan_plan *plan = support_part_plan(1, 0, 0);
    uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
        for (int change = 0; change < 2; change++) {
            mplan_error err = {0};
            mplan_plan *read = NULL;
            support_file file = support_file_split(bytes, size);
            uint8_t *at = file.sections[support_file_find(&file, MPLAN_KIND_PARTS)].data +
                          fields[f].at;
            const int64_t by = change ? INT32_MAX : 1;
            if (fields[f].bytes == 4)
                support_store32(at, (uint32_t)(support_load32(at) + by));
            else
                support_store64(at, (uint64_t)((int64_t)support_load64(at) + by));
            size_t length;
            uint8_t *changed = support_file_join(&file, &length);
            if (mplan_plan_read_borrowed(changed, length, "changed", NULL, &read, &err) !=
                MPLAN_ERR_CORRUPT)
                fail_msg("PARTS may have another number at byte %zu: %s", fields[f].at, err.text);
            free(changed);
            support_file_free(&file);
        }
    mplan_plan_free(plan);
    free(bytes);
}

/* Pieces that touch nothing are proved by themselves, and so are faked ids beyond 2^31. */
static void parts_are_proved(void **state)
{
    (void)state;
    mplan_error err = {0};
    for (int64_t skipped = 0; skipped <= FAKED; skipped += FAKED)
        for (int32_t p = 0; p < 2; p++) {
            mplan_plan *plan = support_part_plan(2, p, skipped);
            if (mplan_plan_verify(plan, NULL, NULL, &err))
                fail_msg("%s", err.text);
            mplan_plan_free(plan);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_come_back),
        cmocka_unit_test(ids_may_pass_2_to_31),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(manifest_must_fit),
        cmocka_unit_test(who_cut),
        cmocka_unit_test(parts_keep_their_places),
        cmocka_unit_test(records_must_agree),
        cmocka_unit_test(parts_are_proved),
    };
    return cmocka_run_group_tests(tests, name_file, remove_file);
}
