/* SPDX-License-Identifier: Apache-2.0 */
/* test_planfile_sections.c - the table of sections of a plan file: shapes, places and keys at each limit and beyond it */
#include "planfile/planfile_layout.h"
#include "support_planfile.h"

#include "base/hash.h"

enum {
    ROWS = MPLAN_AT_ROWS,
    COLS = MPLAN_AT_ROWS + 8,
    STORED = MPLAN_AT_STORED,
    RAW = MPLAN_AT_RAW
};

/* One number of the entry of an array's section (of i32) becomes another one; the places of all stay right. */
static void sections_have_their_shapes(void **state)
{
    static const uint64_t top = INT64_MAX;
    static const char disagree[] = "rows, columns and bytes of a section disagree";
    static const char other[] = "array new_of_old has ";
    static const struct {
        uint64_t rows, cols, raw;
        int codec;
        const char *reason;
    } shapes[] = {
        {top / 4, 1, top / 4 * 4, 1, other},
        {top / 4 + 1, 1, top / 4 * 4 + 4, 1, disagree},
        {top / 4 + 1, 1, 0, 1, disagree},
        {1, top / 4, top / 4 * 4, 1, other},
        {top, 0, 0, 1, other},
        {top + 1, 0, 0, 1, disagree},
        {0, top, 0, 1, other},
        {0, top + 1, 0, 1, disagree},
        {UINT64_C(1) << 62, 4, 0, 1, disagree},
        {UINT64_C(1) << 62, 1, 0, 1, disagree},
        {5, 1, 19, 1, disagree},
        {5, 1, 21, 1, disagree},
        {4, 1, 16, 0, "the length of a raw section is wrong"},
        {6, 1, 24, 0, "the length of a raw section is wrong"},
        {5, 1, 20, 2, "2 is not a codec"},
    };
    (void)state;
    mplan_plan *plan = support_hand_plan(1, 1);
    size_t size, changed;
    mplan_error err;
    uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        support_file file = support_file_split(bytes, size);
        uint8_t *entry = file.sections[support_file_find(&file, MPLAN_KIND_NEW_OF_OLD)].entry;
        support_store32(entry + MPLAN_AT_CODEC, 1); /* so that the raw length is left as it is */
        support_store64(entry + ROWS, shapes[i].rows);
        support_store64(entry + COLS, shapes[i].cols);
        support_store64(entry + RAW, shapes[i].raw);
        uint8_t *joined = support_file_join(&file, &changed);
        /* the table follows the header; its hash is made right again */
        const int64_t at = 128 + 96 * support_file_find(&file, MPLAN_KIND_NEW_OF_OLD);
        support_store32(joined + at + MPLAN_AT_CODEC, (uint32_t)shapes[i].codec);
        support_store64(joined + MPLAN_AT_TABLE_HASH, mplan_hash(joined + 128, (size_t)file.n * 96));
        support_fix_header(joined);
        const mplan_status status = support_file_read(joined, changed, NULL, &err);
        if (status != MPLAN_ERR_CORRUPT || !strstr(err.text, shapes[i].reason))
            fail_msg("shape %d: %s", (int)i, err.text);
        free(joined);
        support_file_free(&file);
    }
    free(bytes);
    mplan_plan_free(plan);
}

/* Sections of records are bytes of as many columns as a record has; arrays may have as many bytes as 63 bits count. */
static void records_have_their_shapes(void **state)
{
    static const struct {
        uint32_t kind, type, codec;
        uint64_t rows, cols, raw;
        const char *reason;
    } shapes[] = {
        {MPLAN_KIND_SETS, MPLAN_TYPE_U8, 0, 6, 48, 288, "section 2 has the wrong shape"},
        {MPLAN_KIND_SETS, MPLAN_TYPE_U8, 0, 1, 288, 288, "section 2 has the wrong shape"},
        {MPLAN_KIND_SETS, MPLAN_TYPE_I32, 0, 3, 24, 288, "section 2 has the wrong shape"},
        {MPLAN_KIND_SETS, MPLAN_TYPE_U8, 1, 3, 96, 288, "section 2 has the wrong shape"},
        {MPLAN_KIND_NEW_OF_OLD, MPLAN_TYPE_U8, 1, INT64_MAX, 1, INT64_MAX,
         "is of type u8 instead of i32"},
        {MPLAN_KIND_NEW_OF_OLD, MPLAN_TYPE_U8, 1, 1, INT64_MAX, INT64_MAX,
         "is of type u8 instead of i32"},
    };
    (void)state;
    mplan_plan *plan = support_hand_plan(1, 1);
    size_t size;
    mplan_error err;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
        support_file file = support_file_split(bytes, size);
        uint8_t *entry = bytes + 128 + 96 * support_file_find(&file, shapes[i].kind);
        support_store32(entry + 4, shapes[i].type);
        support_store32(entry + MPLAN_AT_CODEC, shapes[i].codec);
        support_store64(entry + ROWS, shapes[i].rows);
        support_store64(entry + COLS, shapes[i].cols);
        support_store64(entry + RAW, shapes[i].raw);
        support_store64(bytes + MPLAN_AT_TABLE_HASH, mplan_hash(bytes + 128, (size_t)file.n * 96));
        support_fix_header(bytes);
        assert_refused(support_file_read(bytes, size, NULL, &err), MPLAN_ERR_CORRUPT, &err,
                       shapes[i].reason);
        support_file_free(&file);
        free(bytes);
    }
    mplan_plan_free(plan);
}

static void sections_lie_where_they_must(void **state)
{
    (void)state;
    mplan_plan *plan = support_hand_plan(1, 1);
    size_t size;
    mplan_error err;
    uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
    const uint64_t n = support_load64(bytes + MPLAN_AT_N_SECTIONS);
    uint8_t *last = bytes + 128 + 96 * (n - 1);
    const uint64_t stored = support_load64(last + STORED),
                   offset = support_load64(last + MPLAN_AT_OFFSET);
    const struct {
        uint64_t offset, stored;
        const char *reason;
    } places[] = {{offset, stored + 1, "a section extends beyond the file"},
                  {offset, UINT64_MAX - 4095, "a section"},
                  {offset + 64, stored, "a section does not begin at the required place"},
                  {offset - 64, stored, "a section does not begin at the required place"},
                  {offset, stored - 1, "the length of a raw section is wrong"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        support_store64(last + MPLAN_AT_OFFSET, places[i].offset);
        support_store64(last + STORED, places[i].stored);
        support_store64(bytes + MPLAN_AT_TABLE_HASH, mplan_hash(bytes + 128, (size_t)n * 96));
        support_fix_header(bytes);
        assert_refused(support_file_read(bytes, size, NULL, &err), MPLAN_ERR_CORRUPT, &err,
                       places[i].reason);
    }
    free(bytes);
    mplan_plan_free(plan);
    /* keys ascend from the first one on */
    plan = support_hand_plan(1, 1);
    bytes = support_file_bytes(plan, false, 1, &size);
    for (int first = 0; first < 3; first++) {
        size_t changed;
        support_file file = support_file_split(bytes, size);
        const support_section swap = file.sections[first];
        file.sections[first] = file.sections[first + 1];
        file.sections[first + 1] = swap;
        uint8_t *joined = support_file_join(&file, &changed);
        assert_refused(support_file_read(joined, changed, NULL, &err), MPLAN_ERR_CORRUPT, &err,
                       "the keys of the section table do not ascend");
        free(joined);
        support_file_free(&file);
    }
    free(bytes);
    mplan_plan_free(plan);
}

/* Arrays are taken away from the end, and one is put there. */
static void arrays_are_those_of_the_records(void **state)
{
    (void)state;
    mplan_plan *plan = support_hand_plan(1, 1);
    size_t size, changed;
    mplan_error err;
    uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
    for (int gone = 1; gone <= 4; gone++) {
        support_file file = support_file_split(bytes, size);
        file.n -= gone;
        uint8_t *joined = support_file_join(&file, &changed);
        assert_refused(support_file_read(joined, changed, NULL, &err), MPLAN_ERR_CORRUPT, &err,
                       gone == 1 ? "an array gather_slots is missing"
                                 : "the records ask for more arrays than there are");
        free(joined);
        file.n += gone;
        support_file_free(&file);
    }
    for (int more = 0; more < 2; more++) {
        support_file file = support_file_split(bytes, size);
        file.sections[file.n] = file.sections[file.n - 1];
        file.sections[file.n].data = malloc(64 + file.sections[file.n].size);
        memcpy(file.sections[file.n].data, file.sections[file.n - 1].data,
               file.sections[file.n - 1].size);
        support_store32(file.sections[file.n].entry + (more ? 16 : 12), 77); /* another loop, or map */
        file.n++;
        uint8_t *joined = support_file_join(&file, &changed);
        const mplan_status status = support_file_read(joined, changed, NULL, &err);
        assert_refused(status, MPLAN_ERR_CORRUPT, &err, "no record needs this array");
        free(joined);
        support_file_free(&file);
    }
    free(bytes);
    mplan_plan_free(plan);
}

/* The second loop, the last one, takes more variants than there are, or leaves some. */
static void loops_take_their_variants(void **state)
{
    (void)state;
    mplan_plan *plan = support_hand_plan(1, 1);
    size_t size, changed;
    mplan_error err;
    uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
    const int32_t n = plan->loops[1].n_variants;
    for (int32_t wrong = -1; wrong <= n + 1; wrong++) {
        support_file file = support_file_split(bytes, size);
        support_store32(file.sections[support_file_find(&file, MPLAN_KIND_LOOPS)].data + 48 + 20,
                        (uint32_t)wrong);
        uint8_t *joined = support_file_join(&file, &changed);
        const mplan_status status = support_file_read(joined, changed, NULL, &err);
        if (wrong == n)
            assert_int_equal(status, MPLAN_OK);
        else
            assert_refused(status, MPLAN_ERR_CORRUPT, &err,
                           wrong < 0 || wrong > n ? "the loop has more variants than there are records"
                                                  : "the variant does not belong to any loop");
        free(joined);
        support_file_free(&file);
    }
    free(bytes);
    mplan_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_have_their_shapes),
        cmocka_unit_test(records_have_their_shapes),
        cmocka_unit_test(sections_lie_where_they_must),
        cmocka_unit_test(arrays_are_those_of_the_records),
        cmocka_unit_test(loops_take_their_variants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
