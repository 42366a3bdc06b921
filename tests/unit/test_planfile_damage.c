/* SPDX-License-Identifier: Apache-2.0 */
/* test_planfile_damage.c - what is not a plan, newer, or damaged anywhere is refused */
#include "support_planfile.h"

#include <unistd.h>

static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};

static mplan_status read_bytes(const uint8_t *bytes, size_t size, mplan_error *err)
{
    mplan_plan *plan = NULL;
    err->text[0] = '\0';
    mplan_status status = mplan_plan_read_borrowed(bytes, size, "p.mplan", &one_thread, &plan, err);
    mplan_plan_free(plan);
    return status;
}

static uint8_t *small_plan(int64_t n, bool compress, size_t *size)
{
    mplan_plan *plan = support_hand_plan(n, 6);
    uint8_t *bytes = support_file_bytes(plan, compress, 1, size);
    mplan_plan_free(plan);
    return bytes;
}

static void assert_says_damaged(mplan_status status, const mplan_error *err)
{
    assert_true(status == MPLAN_ERR_CORRUPT || status == MPLAN_ERR_TOO_NEW ||
                status == MPLAN_ERR_FORMAT);
    assert_int_equal(strncmp(err->text, "p.mplan: ", 9), 0);
    if (status == MPLAN_ERR_CORRUPT)
        assert_non_null(strstr(err->text, "damaged at byte "));
}

static void every_flipped_bit_is_seen(void **state)
{
    (void)state;
    mplan_error err;
    size_t size;
    uint8_t *bytes = small_plan(1, false, &size);
    assert_int_equal(read_bytes(bytes, size, &err), MPLAN_OK);
    for (size_t i = 0; i < size; i++) {
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] ^= (uint8_t)(1 << bit);
            mplan_status status = read_bytes(bytes, size, &err);
            if (status == MPLAN_OK)
                fail_msg("bit %d of byte %zu may flip unseen", bit, i);
            assert_says_damaged(status, &err);
            bytes[i] ^= (uint8_t)(1 << bit);
        }
    }
    free(bytes);
}

static void every_flipped_bit_of_a_compressed_plan_is_seen(void **state)
{
    (void)state;
#ifndef MPLAN_HAVE_ZLIB
    skip();
#endif
    mplan_error err;
    size_t size;
    uint64_t seed = 2;
    uint8_t *bytes = small_plan(100, true, &size);
    for (size_t i = 0; i < size; i++) {
        uint8_t flip = (uint8_t)(1 << support_random(&seed, 8));
        bytes[i] ^= flip;
        if (read_bytes(bytes, size, &err) == MPLAN_OK)
            fail_msg("byte %zu may change unseen", i);
        bytes[i] ^= flip;
    }
    free(bytes);
}

static void every_truncation_is_seen(void **state)
{
    (void)state;
    mplan_error err;
    size_t size;
    uint8_t *bytes = small_plan(1, false, &size);
    for (size_t n = 0; n < size; n++) {
        mplan_status status = read_bytes(bytes, n, &err);
        assert_int_equal(status, n < 8 ? MPLAN_ERR_FORMAT : MPLAN_ERR_CORRUPT);
        assert_says_damaged(status, &err);
    }
    assert_refused(read_bytes(bytes, 0, &err), MPLAN_ERR_FORMAT, &err, "p.mplan: not a plan");
    assert_refused(read_bytes(bytes, size - 1, &err), MPLAN_ERR_CORRUPT, &err,
                   "the file ends here instead of");
    free(bytes);
}

static void bytes_behind_the_end_are_seen(void **state)
{
    (void)state;
    mplan_error err;
    size_t size;
    uint8_t *bytes = small_plan(1, false, &size);
    uint8_t *longer = aligned_alloc(64, (size + 8192) / 64 * 64);
    memset(longer, 0, size + 4096);
    memcpy(longer, bytes, size);
    for (size_t more = 1; more <= 4096; more *= 2)
        assert_refused(read_bytes(longer, size + more, &err), MPLAN_ERR_CORRUPT, &err,
                       "follow the end");
    support_store64(longer + 32, size + 64); /* the header agrees, the sections do not */
    support_fix_header(longer);
    assert_refused(read_bytes(longer, size + 64, &err), MPLAN_ERR_CORRUPT, &err,
                   "follow the last section");
    free(longer);
    free(bytes);
}

static void files_that_are_no_plans(void **state)
{
    (void)state;
    mplan_error err;
    mplan_plan *plan;
    char path[] = "/tmp/meshplan-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_refused(mplan_plan_read(path, NULL, &plan, &err), MPLAN_ERR_FORMAT, &err, ": not a plan");
    assert_int_equal(write(fd, "$MeshFormat\n4.1 0 8\n", 20), 20);
    assert_refused(mplan_plan_read(path, NULL, &plan, &err), MPLAN_ERR_FORMAT, &err, path);
    close(fd);
    unlink(path);
    assert_refused(mplan_plan_read(path, NULL, &plan, &err), MPLAN_ERR_NO_INPUT, &err, path);
    uint8_t *bytes = aligned_alloc(64, 128);
    memset(bytes, 0, 128);
    assert_refused(mplan_plan_read_borrowed(bytes + 8, 64, "p", NULL, &plan, &err),
                   MPLAN_ERR_ARGUMENT, &err, "aligned");
    free(bytes);
}

/* Sets a u16 (or u64) of the header and makes its hash right. */
static mplan_status read_with(uint8_t *bytes, size_t size, size_t at, int width, uint64_t value,
                              mplan_error *err)
{
    uint8_t kept[128];
    memcpy(kept, bytes, 128);
    for (int i = 0; i < width; i++)
        bytes[at + (size_t)i] = (uint8_t)(value >> 8 * i);
    support_fix_header(bytes);
    mplan_status status = read_bytes(bytes, size, err);
    memcpy(bytes, kept, 128);
    return status;
}

static void header_is_judged_field_by_field(void **state)
{
    (void)state;
    mplan_error err;
    size_t size;
    uint8_t *bytes = small_plan(1, false, &size);
    assert_refused(read_with(bytes, size, 8, 2, 2, &err), MPLAN_ERR_TOO_NEW, &err,
                   "p.mplan: plan format 2.2 is newer than this reader (1.2)");
    assert_refused(read_with(bytes, size, 8, 2, 0, &err), MPLAN_ERR_CORRUPT, &err,
                   "damaged at byte 8: there is no plan format 0.2");
    assert_int_equal(read_with(bytes, size, 10, 2, 7, &err), MPLAN_OK);
    assert_refused(read_with(bytes, size, 12, 4, 256, &err), MPLAN_ERR_CORRUPT, &err, "byte 12:");
    assert_int_equal(read_with(bytes, size, 16, 8, UINT64_C(1) << 63, &err), MPLAN_OK);
    static const uint64_t unused[] = {1, 2, 8, 16, 32, 64, 128};
    for (int i = 0; i < 7; i++)
        assert_refused(read_with(bytes, size, 24, 8, unused[i], &err), MPLAN_ERR_CORRUPT, &err,
                       "byte 24: the features are not those that the plan uses");
    for (int bit = 2; bit < 64; bit++)
        if (bit == 2)
            assert_int_equal(read_with(bytes, size, 24, 8, UINT64_C(1) << bit, &err), MPLAN_OK);
        else if (bit < 3 || bit > 7)
            assert_refused(read_with(bytes, size, 24, 8, UINT64_C(1) << bit, &err),
                           MPLAN_ERR_TOO_NEW, &err, "newer than this reader");
    assert_refused(read_with(bytes, size, 32, 8, UINT64_MAX, &err), MPLAN_ERR_CORRUPT, &err,
                   "the file ends here");
    assert_refused(read_with(bytes, size, 40, 8, 256, &err), MPLAN_ERR_CORRUPT, &err, "byte 40:");
    assert_refused(read_with(bytes, size, 48, 8, UINT64_MAX / 96, &err), MPLAN_ERR_CORRUPT, &err,
                   "byte 48:");
    assert_refused(read_with(bytes, size, 48, 8, 3, &err), MPLAN_ERR_CORRUPT, &err, "byte 56:");
    assert_refused(read_with(bytes, size, 119, 1, 1, &err), MPLAN_ERR_CORRUPT, &err, "byte 119:");
    /* a newer file may have any other header behind its major */
    memset(bytes + 10, 0xee, 100);
    bytes[8] = 3;
    assert_refused(read_bytes(bytes, size, &err), MPLAN_ERR_TOO_NEW, &err, "3.61166");
    assert_refused(read_bytes(bytes, 12, &err), MPLAN_ERR_TOO_NEW, &err, "3.61166");
    free(bytes);
}

/* --- files put together from changed parts --- */

static support_file file;

static int split_plan(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bytes = small_plan(2, false, &size);
    file = support_file_split(bytes, size);
    free(bytes);
    return 0;
}

static int free_split(void **state)
{
    (void)state;
    support_file_free(&file);
    return 0;
}

static mplan_status read_joined(mplan_error *err)
{
    size_t size;
    uint8_t *bytes = support_file_join(&file, &size);
    mplan_status status = read_bytes(bytes, size, err);
    free(bytes);
    return status;
}

static void joined_parts_are_a_plan(void **state)
{
    (void)state;
    mplan_error err;
    assert_done(read_joined(&err), &err);
}

static void unknown_kinds_are_passed_over(void **state)
{
    (void)state;
    mplan_error err;
    static const uint32_t kinds[] = {50, 140, 100000, UINT32_MAX};
    for (int i = 0; i < 4; i++) {
        /* in its place by key, with a type, codec and shape of another world */
        int64_t at = file.n++;
        while (at > 0 && support_load32(file.sections[at - 1].entry) > kinds[i]) {
            file.sections[at] = file.sections[at - 1];
            at--;
        }
        support_section *section = &file.sections[at];
        memset(section, 0, sizeof *section);
        memset(section->entry, 0xab, 88);
        support_store32(section->entry, kinds[i]);
        support_section_resize(section, (size_t)(i * 100));
        assert_done(read_joined(&err), &err);
    }
}

static void a_missing_or_added_section_is_seen(void **state)
{
    (void)state;
    mplan_error err;
    for (int64_t i = 0; i < file.n; i++) {
        support_section gone = file.sections[i];
        memmove(&file.sections[i], &file.sections[i + 1], (size_t)(file.n - i - 1) * sizeof gone);
        file.n--;
        if (i == 10) { /* plans of 1.0 have no origins, and those of 1.1 have them */
            assert_refused(read_joined(&err), MPLAN_ERR_CORRUPT, &err, "damaged at byte 10");
            file.header[10] = 0; /* but not those of 1.2 */
            assert_refused(read_joined(&err), MPLAN_ERR_CORRUPT, &err,
                           "section 12 is there without section 11");
            file.header[10] = 2;
        } else if (i == 11)
            assert_refused(read_joined(&err), MPLAN_ERR_CORRUPT, &err, "the features are not those");
        else if (i == 12 || i == 13)
            assert_refused(read_joined(&err), MPLAN_ERR_CORRUPT, &err, "must be there together");
        else
            assert_refused(read_joined(&err), MPLAN_ERR_CORRUPT, &err, "missing");
        memmove(&file.sections[i + 1], &file.sections[i], (size_t)(file.n - i) * sizeof gone);
        file.sections[i] = gone;
        file.n++;
    }
    support_section *last = &file.sections[file.n];
    *last = file.sections[file.n - 1];
    file.n++;
    assert_refused(read_joined(&err), MPLAN_ERR_CORRUPT, &err, "do not ascend");
    support_store32(last->entry + 16, 7); /* of a loop that is not there */
    assert_refused(read_joined(&err), MPLAN_ERR_CORRUPT, &err, "no record needs this array");
    file.n--;
    assert_done(read_joined(&err), &err);
}

static void sections_out_of_order_are_seen(void **state)
{
    (void)state;
    mplan_error err;
    for (int64_t i = 1; i < file.n; i++) {
        support_section swap = file.sections[i];
        file.sections[i] = file.sections[i - 1];
        file.sections[i - 1] = swap;
        assert_int_equal(read_joined(&err), MPLAN_ERR_CORRUPT);
        assert_non_null(strstr(err.text, "damaged at byte"));
        file.sections[i - 1] = file.sections[i];
        file.sections[i] = swap;
    }
}

typedef struct change {
    uint32_t kind; /* of the section */
    size_t at;     /* in its data, or in its entry */
    int width;
    uint64_t value;
    const char *says;
} change;

static void put(uint8_t *at, int width, uint64_t value)
{
    for (int i = 0; i < width; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void entries_are_judged(void **state)
{
    (void)state;
    static const change changes[] = {
        {32, 4, 4, 0, "0 is not an element type"},
        {32, 4, 4, 7, "7 is not an element type"},
        {32, 4, 4, 5, "is of type f32 instead of i32"},
        {32, 36, 4, 2, "2 is not a codec"},
        {32, 40, 8, 9, "disagree"},
        {32, 48, 8, 2, "disagree"},
        {32, 40, 8, UINT64_C(1) << 63, "disagree"},
        {32, 28, 4, 0, "no record needs this array new_of_old"},
        {113, 28, 4, 0, "no record needs this array gather_slots"},
        {113, 32, 4, 0, "no record needs this array gather_slots"},
        {2, 8, 4, 0, "must have only a kind"},
        {2, 28, 4, 0, "must have only a kind"},
        {2, 4, 4, 2, "disagree"},
        {2, 36, 4, 1, "wrong shape"},
        {32, 88, 8, 1, "a reserved byte"},
    };
    mplan_error err;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const change *c = &changes[i];
        support_section *section = &file.sections[support_file_find(&file, c->kind)];
        uint8_t kept[96];
        memcpy(kept, section->entry, 96);
        put(section->entry + c->at, c->width, c->value);
        mplan_status status = read_joined(&err);
        memcpy(section->entry, kept, 96);
        assert_refused(status, MPLAN_ERR_CORRUPT, &err, c->says);
    }
}

/* rows x cols stays right, but is not what the records ask for. */
static void shapes_are_judged(void **state)
{
    (void)state;
    mplan_error err;
    for (int64_t i = 14; i < file.n; i++) {
        support_section *section = &file.sections[i];
        uint64_t rows = support_load64(section->entry + 40), cols;
        cols = support_load64(section->entry + 48);
        support_store64(section->entry + 40, rows * cols);
        support_store64(section->entry + 48, 1);
        if (cols != 1)
            assert_refused(read_joined(&err), MPLAN_ERR_CORRUPT, &err, "entries instead of");
        support_store64(section->entry + 40, 1);
        support_store64(section->entry + 48, rows * cols);
        assert_refused(read_joined(&err), MPLAN_ERR_CORRUPT, &err, "entries instead of");
        /* one row more */
        size_t size = section->size;
        support_section_resize(section, size + size / rows);
        support_store64(section->entry + 40, rows + 1);
        support_store64(section->entry + 48, cols);
        if (support_load32(section->entry) != 113)
            assert_refused(read_joined(&err), MPLAN_ERR_CORRUPT, &err, "entries instead of");
        support_section_resize(section, size);
        support_store64(section->entry + 40, rows);
        assert_done(read_joined(&err), &err);
    }
    /* the gather lists may be shorter than the map, not longer */
    support_section *slots = &file.sections[support_file_find(&file, 113)];
    support_section_resize(slots, 24 * 8);
    support_store64(slots->entry + 40, 24);
    assert_done(read_joined(&err), &err);
    support_section_resize(slots, 25 * 8);
    support_store64(slots->entry + 40, 25);
    assert_refused(read_joined(&err), MPLAN_ERR_CORRUPT, &err, "25 x 1 entries instead of 24");
}

static const change record_changes[] = {
    /* sets: cells, faces, nodes */
    {2, 0, 4, 1, "a text begins at 1"},
    {2, 4, 4, 4, "a text begins at 5, the one before it ends at 4"},
    {2, 4, 4, 5000, "extends beyond the section of the texts"},
    {2, 16, 8, 11, "10 x 1 entries instead of 11"},
    {2, 16, 8, UINT64_MAX, "cannot have -1 members"},
    {2, 16, 8, 15, "cannot have 14 places"},
    {2, 24, 8, INT32_MAX, "cannot have 2147483647 places"},
    {2, 32, 4, 1, "1 is not a renumbering"},
    {2, 32, 4, 8, "an unknown renumbering"},
    {2, 36, 4, 2, "2 is neither 0 nor 1"},
    {2, 40, 8, UINT64_MAX - 1, "bandwidth"},
    {2, 80, 8, UINT64_MAX - 1, "profile"},
    {2, 88, 1, 1, "reserved"},
    {2, 95, 1, 128, "reserved"},
    /* maps: faces_cells, faces_nodes */
    {3, 8, 4, 3, "the from-set of map 0 does not exist"},
    {3, 12, 4, UINT32_MAX, "the to-set of map 0 does not exist"},
    {3, 16, 4, 3, "cannot have 24 entries"},
    {3, 16, 4, UINT32_MAX, "arity"},
    {3, 20, 4, 1, "reserved"},
    {3, 24, 8, 25, "cannot have 25 entries"},
    {3, 32 + 24, 8, UINT64_MAX, "cannot have -1 entries"},
    /* loops: res_calc, update */
    {4, 8, 4, 3, "the set of loop 0 does not exist"},
    {4, 8, 4, 0, "does not start at the set of the loop"},
    {4, 12, 4, 0, "no loop is primary"},
    {4, 48 + 12, 4, 1, "a second loop is primary"},
    {4, 16, 4, 3, "the arg does not belong to any loop"},
    {4, 16, 4, 6, "more args than there are"},
    {4, 16, 4, UINT32_MAX, "more args than there are"},
    {4, 20, 4, 3, "the variant does not belong to any loop"},
    {4, 20, 4, UINT32_MAX, "more variants than there are"},
    {4, 24, 4, 4, "not one of its variants"},
    {4, 28, 1, 1, "the layering of loop 0 is out of range"},
    {4, 32, 8, 0, "have 0 calls"},
    {4, 40, 8, UINT64_MAX, "flops"},
    /* args */
    {5, 8, 4, 2, "the map of arg 0 does not exist"},
    {5, 12, 4, 4, "unknown access"},
    {5, 16, 4, 0, "dim"},
    {5, 16, 4, UINT32_MAX, "dim"},
    {5, 20, 4, 0, "unknown type"},
    {5, 24, 4, 3, "unknown rule"},
    {5, 28, 4, 2, "unknown layout"},
    /* variants */
    {6, 8, 4, 6, "unknown strategy"},
    {6, 8, 4, 5, "gathers by owner, but has a block set"},
    {6, 12, 4, UINT32_MAX, "block limit"},
    {6, 16, 4, UINT32_MAX, "threads"},
    {6, 20, 4, UINT32_MAX, "elements per thread"},
    {6, 24, 4, 3, "not have a block set of the set of its loop"},
    {6, 24, 4, 2, "not have a block set of the set of its loop"},
    {6, 24, 4, UINT32_MAX, "runs blocks, but has no block set"},
    {6, 28, 4, 3, "3 is neither 0 nor 1"},
    {6, 32, 8, UINT64_MAX, "negative"},
    {6, 40, 8, INT64_MAX, "too many block colours"},
    {6, 96 + 64, 8, INT64_MAX, "too many colours"},
    {6, 72, 8, UINT64_MAX, "negative"},
    {6, 80, 4, 1, "has unknown sums"},
    {6, 84, 4, 1, "does not have an encoding of its strategy"},
    {6, 88, 4, 1, "width"},
    {6, 92, 4, 256, "window"},
    /* block sets */
    {7, 0, 4, 3, "the set of block set 0 does not exist"},
    {7, 0, 4, 0, "was not made for a loop over its set"},
    {7, 4, 4, 2, "was not made for a loop"},
    {7, 8, 4, 0, "must be 1 to 1024"},
    {7, 8, 4, 1025, "must be 1 to 1024"},
    {7, 12, 4, 2, "neither 0 nor 1"},
    {7, 16, 4, 5, "partitioner"},
    {7, 20, 4, 65536, "65535"},
    {7, 24, 8, UINT64_MAX, "bytes"},
    {7, 32, 8, 13, "13 blocks"},
    {7, 32, 8, UINT64_MAX, "-1 blocks"},
    {7, 40, 8, 1025, "smallest"},
    {7, 48, 8, 0, "largest"},
    {7, 56, 8, UINT64_MAX - 1, "the pairs of the alternative of block set 0"},
    /* origins */
    {11, 0, 4, 7, "block set 0 has an unknown origin"},
    {11, 0, 4, 1, "the origin of another partitioner"},
    {11, 4, 4, 1, "block set 0 of unknown origin was refined"},
    {11, 64 + 4, 4, 2, "neither 0 nor 1"},
    {11, 8, 4, 1, "an extent of the origin of block set 0"},
    {11, 64 + 16, 4, 0, "an extent of the origin of block set 2"},
    {11, 64 + 8, 4, UINT32_MAX, "an extent of the origin of block set 2"},
    {11, 64 + 20, 4, 0, "the patches of the origin of block set 2"},
    {11, 64 + 24, 8, UINT64_MAX, "the largest patch of the origin of block set 2"},
    /* metrics */
    {8, 0, 4, 1, "expected the metrics of loop 0, block set 0 and set 0"},
    {8, 4, 4, 1, "expected the metrics"},
    {8, 8, 4, 2, "expected the metrics"},
    {8, 12, 1, 1, "reserved"},
    {8, 16, 8, UINT64_MAX, "a metric is negative"},
    {8, 24, 8, 17, "18 x 1 entries instead of 17"},
    {8, 40, 8, 65536, "65535"},
    /* texts */
    {1, 3, 1, 0, "a text contains a zero byte"},
    {9, 2, 1, 0, "a text contains a zero byte"},
    {10, 0, 1, 0, "a text contains a zero byte"},
};

static void records_are_judged(void **state)
{
    (void)state;
    mplan_error err;
    for (size_t i = 0; i < sizeof record_changes / sizeof *record_changes; i++) {
        const change *c = &record_changes[i];
        support_section *section = &file.sections[support_file_find(&file, c->kind)];
        uint8_t kept[8];
        assert_true(c->at + (size_t)c->width <= section->size);
        memcpy(kept, section->data + c->at, (size_t)c->width);
        put(section->data + c->at, c->width, c->value);
        mplan_status status = read_joined(&err);
        if (status != MPLAN_ERR_CORRUPT)
            print_message("kind %u byte %zu\n", (unsigned)c->kind, c->at);
        assert_refused(status, MPLAN_ERR_CORRUPT, &err, c->says);
        memcpy(section->data + c->at, kept, (size_t)c->width);
    }
    assert_done(read_joined(&err), &err);
}

static void tables_of_records_have_their_length(void **state)
{
    (void)state;
    mplan_error err;
    for (int64_t i = 0; i < 8; i++) {
        support_section *section = &file.sections[i];
        size_t size = section->size;
        uint64_t rows = support_load64(section->entry + 40);
        uint64_t cols = support_load64(section->entry + 48);
        support_section_resize(section, size + 1);
        assert_int_equal(read_joined(&err), MPLAN_ERR_CORRUPT);
        support_section_resize(section, size + cols);
        support_store64(section->entry + 40, rows + 1); /* a record of zeros */
        assert_int_equal(read_joined(&err), MPLAN_ERR_CORRUPT);
        support_section_resize(section, size - cols);
        support_store64(section->entry + 40, rows - 1);
        assert_int_equal(read_joined(&err), MPLAN_ERR_CORRUPT);
        free_split(NULL); /* a record is lost: begin anew */
        split_plan(NULL);
    }
}

/* --- chunks --- */

static void chunks_are_judged(void **state)
{
    (void)state;
#ifndef MPLAN_HAVE_ZLIB
    skip();
#endif
    static const change changes[] = {
        {0, 0, 8, 0, "chunks of 0 bytes"},
        {0, 0, 8, 1, "the number of chunks"},
        {0, 8, 8, 2, "the number of chunks"},
        {0, 8, 8, UINT64_MAX, "the number of chunks"},
        {0, 16, 8, UINT64_MAX, "a chunk extends beyond its section"},
        {0, 16, 8, 0, "too short for its data"},
        {0, 16, 8, 20, "after the last chunk"},
        {0, 26, 1, 0xff, "cannot be inflated"},
    };
    mplan_error err;
    size_t size;
    uint8_t *bytes = small_plan(400, true, &size);
    support_file_free(&file);
    file = support_file_split(bytes, size);
    free(bytes);
    int64_t at = 10;
    while (support_load32(file.sections[at].entry + 36) != 1)
        at++;
    support_section *section = &file.sections[at];
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const change *c = &changes[i];
        uint8_t kept[8];
        memcpy(kept, section->data + c->at, (size_t)c->width);
        put(section->data + c->at, c->width, c->value);
        assert_refused(read_joined(&err), MPLAN_ERR_CORRUPT, &err, c->says);
        memcpy(section->data + c->at, kept, (size_t)c->width);
    }
    /* shorter than the list, and with a byte more than the stream */
    size_t length = section->size;
    support_section_resize(section, 10);
    assert_refused(read_joined(&err), MPLAN_ERR_CORRUPT, &err, "is incomplete");
    support_section_resize(section, length);
    free_split(NULL);
    split_plan(NULL);
}

#define ON_PARTS(test_) cmocka_unit_test_setup_teardown(test_, split_plan, free_split)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_flipped_bit_is_seen),
        cmocka_unit_test(every_flipped_bit_of_a_compressed_plan_is_seen),
        cmocka_unit_test(every_truncation_is_seen),
        cmocka_unit_test(bytes_behind_the_end_are_seen),
        cmocka_unit_test(files_that_are_no_plans),
        cmocka_unit_test(header_is_judged_field_by_field),
        ON_PARTS(joined_parts_are_a_plan),
        ON_PARTS(unknown_kinds_are_passed_over),
        ON_PARTS(a_missing_or_added_section_is_seen),
        ON_PARTS(sections_out_of_order_are_seen),
        ON_PARTS(entries_are_judged),
        ON_PARTS(shapes_are_judged),
        ON_PARTS(records_are_judged),
        ON_PARTS(tables_of_records_have_their_length),
        ON_PARTS(chunks_are_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
