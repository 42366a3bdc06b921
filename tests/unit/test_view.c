/* SPDX-License-Identifier: Apache-2.0 */
/* test_view.c - comparing plans, applying their orders, exporting them */
#include "support_folder.h"
#include "support_planfile.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/file_output.h"
#include "formats/numpy/npy.h"
#include "view/array_label.h"

/* --- compare --- */

typedef struct lines {
    int n;
    char last[2000], first[2000];
} lines;

static void on_line(void *user, const char *text)
{
    lines *seen = user;
    snprintf(seen->n ? seen->last : seen->first, sizeof seen->first, "%s", text);
    seen->n++;
}

/* Exactly one line, which says so. */
static void assert_one_difference(const mplan_plan *a, const mplan_plan *b, const char *says)
{
    mplan_error err;
    lines seen = {0};
    assert_refused(mplan_plan_compare(a, b, on_line, &seen, &err), MPLAN_ERR_DIFFERENT, &err,
                   "the plans differ in 1 place");
    assert_int_equal(seen.n, 1);
    assert_string_equal(seen.first, says);
}

static void equal_plans_are_equal(void **state)
{
    (void)state;
    mplan_error err;
    lines seen = {0};
    mplan_plan *a = support_hand_plan(5, 1), *b = support_hand_plan(5, 1);
    assert_done(mplan_plan_compare(a, b, on_line, &seen, &err), &err);
    assert_done(mplan_plan_compare(a, b, NULL, NULL, NULL), &err);
    assert_int_equal(seen.n, 0);
    mplan_plan_free(a);
    mplan_plan_free(b);
}

static void each_difference_is_told(void **state)
{
    (void)state;
    mplan_error err;
    mplan_plan *a = support_hand_plan(5, 1), *b = support_hand_plan(5, 1);
#define WITH(member_, value_, says_)         \
    do {                                     \
        __typeof__(member_) kept_ = member_; \
        member_ = value_;                    \
        assert_one_difference(a, b, says_);  \
        member_ = kept_;                     \
    } while (0)
    WITH(b->fingerprints.topology, 0x1235,
         "fingerprint of the topology: 0000000000001234 and 0000000000001235");
    WITH(b->request, "loops\nupdate", "request: line 2: 'residual \xc3\xa9' and 'update'");
    WITH(b->request, "loops\n", "request: line 2: 'residual \xc3\xa9' and ''");
    WITH(b->versions, "meshplan 0.2.0\n", "versions: line 1: 'meshplan 0.1.0' and 'meshplan 0.2.0'");
    WITH(b->sets[0].profile[0], 91, "set cells: profile, input order: 90 and 91");
    WITH(b->sets[0].renumber, MPLAN_RENUMBER_GPS, "set cells: renumbering: 'rcm' and 'gps'");
    WITH(b->maps[0].to, 2, "map faces_cells: to: 'cells' and 'nodes'");
    WITH(b->loops[1].calls, 7, "loop update: calls: 1 and 7");
    WITH(b->block_sets[0].partitioner, MPLAN_PARTITIONER_METIS,
         "block set 0 of set faces: partitioner: 'scotch' and 'metis'");
    WITH(b->metrics[3].lines, 4, "metrics of loop res_calc, block set 1, set nodes: lines: 5 and 4");
    WITH(b->arrays[0].cols, 2, "new_of_old of set cells: shape: 25 x 1 and 25 x 2");
    mplan_plan_arg *arg = (mplan_plan_arg *)(uintptr_t)&b->loops[0].args[1];
    WITH(arg->access, MPLAN_WRITE, "loop res_calc, arg res: access: 'inc' and 'write'");
    WITH(arg->map, -1, "loop res_calc, arg res: map: 'faces_cells' and ''");
    mplan_plan_variant *variant = (mplan_plan_variant *)(uintptr_t)&b->loops[0].variants[2];
    WITH(variant->threads, 64, "loop res_calc, variant 2: threads: 128 and 64");
    b->n_arrays--;
    assert_one_difference(a, b,
                          "gather_slots of map faces_nodes, loop res_calc: in the first "
                          "plan only");
    assert_one_difference(b, a,
                          "gather_slots of map faces_nodes, loop res_calc: in the second "
                          "plan only");
    b->n_arrays++;
    assert_done(mplan_plan_compare(a, b, NULL, NULL, &err), &err);
    mplan_plan_free(a);
    mplan_plan_free(b);
}

static void numbers_of_arrays_are_compared(void **state)
{
    (void)state;
    char says[300];
    mplan_plan *a = support_hand_plan(5, 1), *b = support_hand_plan(5, 1);
    const mplan_array *order = &b->arrays[0], *map = NULL, *local = NULL;
    for (int32_t i = 0; i < b->n_arrays; i++) {
        if (b->arrays[i].key.kind == MPLAN_KIND_MAP_VALUES && !map)
            map = &b->arrays[i];
        if (b->arrays[i].key.kind == MPLAN_KIND_BLOCK_LOCAL && !local)
            local = &b->arrays[i];
    }
    int32_t *values = (int32_t *)(uintptr_t)order->data, kept = values[7];
    values[7] = -5;
    values[20] += 1;
    snprintf(says, sizeof says,
             "new_of_old of set cells: 2 of 25 numbers differ, first at 7: %d and -5", (int)kept);
    assert_one_difference(a, b, says);
    values[7] = kept;
    values[20] -= 1;
    values = (int32_t *)(uintptr_t)map->data;
    kept = values[9];
    values[9] = kept + 1;
    snprintf(says, sizeof says,
             "values of map faces_cells: 1 of 60 numbers differ, first at row "
             "4, column 1: %d and %d",
             (int)kept, (int)kept + 1);
    assert_one_difference(a, b, says);
    values[9] = kept;
    uint16_t *places = (uint16_t *)(uintptr_t)local->data;
    kept = places[0];
    places[0] = 65535;
    snprintf(says, sizeof says,
             "block_local of map faces_cells, loop res_calc, block set 0: 1 of "
             "60 numbers differ, first at row 0, column 0: %d and 65535",
             (int)kept);
    assert_one_difference(a, b, says);
    mplan_plan_free(a);
    mplan_plan_free(b);
}

static void at_most_100_lines(void **state)
{
    (void)state;
    mplan_error err;
    lines seen = {0};
    mplan_plan *a, *b;
    assert_done(mplan_plan_new(&a, &err), &err);
    assert_done(mplan_plan_new(&b, &err), &err);
    for (int i = 0; i < 60; i++) {
        mplan_plan_set set = {.name = "s", .size = i, .storage_size = i};
        assert_done(mplan_plan_add_set(a, &set, &err), &err);
        set.size = set.storage_size = i + 1;
        assert_done(mplan_plan_add_set(b, &set, &err), &err);
    }
    assert_refused(mplan_plan_compare(a, b, on_line, &seen, &err), MPLAN_ERR_DIFFERENT, &err,
                   "120 places");
    assert_int_equal(seen.n, 100);
    mplan_plan_free(a);
    mplan_plan_free(b);
}

/* --- apply --- */

static void write_npy(const char *path, const char *header, const void *data, size_t size)
{
    /* 1.0, with the header padded to 118 bytes, so that data begins at 128 */
    uint8_t bytes[128];
    memset(bytes, ' ', sizeof bytes);
    memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(bytes + 10, header, strlen(header));
    bytes[127] = '\n';
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, 128, file), 128);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

/* The numbers of a npy file, checked for descr and shape ("(7, 2)"). */
static uint8_t *read_npy(const char *path, const char *descr, const char *shape, size_t *size)
{
    mplan_error err;
    mplan_file file;
    char want[200];
    assert_done(mplan_file_open(path, NULL, &file, &err), &err);
    assert_memory_equal(file.data, "\x93NUMPY\x01\x00", 8);
    size_t at = 10 + file.data[8] + 256 * (size_t)file.data[9];
    assert_int_equal(at % 64, 0);
    char *header = calloc(1, at);
    memcpy(header, file.data + 10, at - 10);
    snprintf(want, sizeof want, "'descr': '%s'", descr);
    if (!strstr(header, want) || !strstr(header, shape))
        fail_msg("%s", header);
    free(header);
    *size = file.size - at;
    uint8_t *data = malloc(*size + 1);
    memcpy(data, file.data + at, *size);
    mplan_file_close(&file);
    return data;
}

/* Forward, against the plain definition, and back again. */
static void apply_moves_rows(void **state)
{
    (void)state;
    mplan_error err;
    static const struct {
        const char *descr, *tail; /* of the shape */
        size_t row;
    } forms[] = {
        {"<f8", ",", 8},   {"<f8", ", 3", 24}, {"|u1", ", 2, 2", 4},     {">i4", ", 5", 20},
        {"<i2", ", 1", 2}, {"<f4", ", 0", 0},  {"<u8", ", 3000", 24000}, {"<f8", ", 70000", 560000},
    };
    mplan_plan *plan = support_hand_plan(3, 8); /* 15 cells in 21 places */
    const int32_t *new_of_old = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, 0),
                                                MPLAN_TYPE_I32, NULL);
    uint64_t seed = 4;
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        char header[120], shape[40];
        size_t row = forms[f].row, size;
        uint8_t *data = malloc(15 * row + 1), *stored = calloc(21, row + 1);
        for (size_t i = 0; i < 15 * row; i++)
            data[i] = (uint8_t)support_random(&seed, 256);
        for (size_t e = 0; e < 15; e++)
            memcpy(stored + (size_t)new_of_old[e] * row, data + e * row, row);
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (15%s), }",
                 forms[f].descr, forms[f].tail);
        write_npy(in_folder("in.npy"), header, data, 15 * row);
        assert_done(mplan_plan_apply(plan, 0, in_folder("in.npy"), in_folder("out.npy"), false,
                                     NULL, &err),
                    &err);
        snprintf(shape, sizeof shape, "(21%s)", forms[f].tail);
        uint8_t *got = read_npy(in_folder("out.npy"), forms[f].descr, shape, &size);
        assert_int_equal(size, 21 * row);
        assert_memory_equal(got, stored, size);
        free(got);
        assert_done(mplan_plan_apply(plan, 0, in_folder("out.npy"), in_folder("back.npy"), true,
                                     NULL, &err),
                    &err);
        snprintf(shape, sizeof shape, "(15%s)", forms[f].tail);
        got = read_npy(in_folder("back.npy"), forms[f].descr, shape, &size);
        assert_int_equal(size, 15 * row);
        assert_memory_equal(got, data, size);
        free(got);
        free(data);
        free(stored);
    }
    mplan_plan_free(plan);
}

static void apply_turns_fortran_order(void **state)
{
    (void)state;
    mplan_error err;
    size_t size;
    uint8_t columns[15 * 2 * 2]; /* big-endian numbers, column by column */
    mplan_plan *plan = support_hand_plan(3, 8);
    const int32_t *new_of_old = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, 0),
                                                MPLAN_TYPE_I32, NULL);
    for (int i = 0; i < 30; i++) {
        columns[2 * i] = 1;
        columns[2 * i + 1] = (uint8_t)i;
    }
    write_npy(in_folder("in.npy"), "{'descr': '>i2', 'fortran_order': True, 'shape': (15, 2), }",
              columns, sizeof columns);
    assert_done(mplan_plan_apply(plan, 0, in_folder("in.npy"), in_folder("out.npy"), false, NULL,
                                 &err),
                &err);
    uint8_t *got = read_npy(in_folder("out.npy"), "<i2", "(21, 2)", &size);
    assert_int_equal(size, 84);
    for (int e = 0; e < 15; e++) {
        for (int k = 0; k < 2; k++) {
            const uint8_t *at = got + 4 * new_of_old[e] + 2 * k;
            assert_int_equal(at[0], 15 * k + e);
            assert_int_equal(at[1], 1);
        }
    }
    free(got);
    mplan_plan_free(plan);
}

static void apply_refuses(void **state)
{
    (void)state;
    mplan_error err;
    double data[32] = {0};
    mplan_plan *plan = support_hand_plan(3, 8);
    const char *in = in_folder("in.npy");
    char out[400];
    snprintf(out, sizeof out, "%s", in_folder("out.npy"));
    write_npy(in, "{'descr': '<f8', 'fortran_order': False, 'shape': (14,), }", data, 112);
    assert_refused(mplan_plan_apply(plan, 0, in, out, false, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "first dimension is 14, but set cells has 15 members");
    assert_refused(mplan_plan_apply(plan, 0, in, out, true, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "first dimension is 14, but set cells has 21 places");
    write_npy(in, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", data, 8);
    assert_refused(mplan_plan_apply(plan, 0, in, out, false, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "in.npy");
    write_npy(in, "{'descr': '<f8', 'fortran_order': False, 'shape': (15,), }", data, 119);
    assert_refused(mplan_plan_apply(plan, 0, in, out, false, NULL, &err), MPLAN_ERR_CORRUPT, &err,
                   "in.npy");
    assert_refused(mplan_plan_apply(plan, 0, in_folder("none"), out, false, NULL, &err),
                   MPLAN_ERR_NO_INPUT, &err, "none");
    assert_refused(mplan_plan_apply(plan, 3, in, out, false, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "no set 3");
    int32_t *order = (int32_t *)(uintptr_t)mplan_plan_data(plan,
                                                           mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, 0),
                                                           MPLAN_TYPE_I32, NULL);
    order[2] = 15;
    write_npy(in, "{'descr': '<f8', 'fortran_order': False, 'shape': (15,), }", data, 120);
    assert_refused(mplan_plan_apply(plan, 0, in, out, false, NULL, &err), MPLAN_ERR_DISPROVED, &err,
                   "leads from 2 to 15");
    assert_int_equal(access(out, F_OK), -1);
    mplan_plan_free(plan);
}

/* --- export --- */

static void export_writes_every_array(void **state)
{
    (void)state;
    mplan_error err;
    mplan_plan *plan = support_hand_plan(3, 8);
    const char *path = in_folder("arrays");
    char stem[MPLAN_LABEL_BYTES], inner[1200], shape[64];
    for (int round = 0; round < 2; round++) /* the second into the folder that is there */
        assert_done(mplan_plan_export_npy(plan, path, NULL, &err), &err);
    mplan_file index;
    snprintf(inner, sizeof inner, "%s/index.json", path);
    assert_done(mplan_file_open(inner, NULL, &index, &err), &err);
    char *json = calloc(1, index.size + 1);
    memcpy(json, index.data, index.size);
    mplan_file_close(&index);
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        const mplan_array *array = &plan->arrays[i];
        size_t size;
        mplan_array_file_stem(plan, &array->key, stem);
        assert_non_null(strstr(json, stem));
        snprintf(inner, sizeof inner, "%s/%s.npy", path, stem);
        if (array->cols == 1)
            snprintf(shape, sizeof shape, "(%d,)", (int)array->rows);
        else
            snprintf(shape, sizeof shape, "(%d, %d)", (int)array->rows, (int)array->cols);
        uint8_t *got = read_npy(inner, mplan_npy_descr(array->type), shape, &size);
        assert_int_equal(size, (size_t)(array->rows * array->cols) * mplan_type_size(array->type));
        assert_memory_equal(got, array->data, size);
        free(got);
    }
    assert_non_null(strstr(json, "{\"file\": \"set-cells-new_of_old.npy\", \"array\": "
                                 "\"new_of_old\", \"kind\": 32, \"type\": \"i32\", \"shape\": "
                                 "[15], \"set\": \"cells\"}"));
    assert_non_null(strstr(json, "\"map-faces_cells-values.npy\""));
    assert_non_null(strstr(json, "\"loop-res_calc-variant0-thread_colours.npy\""));
    assert_non_null(strstr(json, "\"shape\": [18, 2], \"map\": \"faces_cells\""));
    free(json);
    mplan_plan_free(plan);
}

static void names_become_file_names(void **state)
{
    (void)state;
    mplan_error err;
    mplan_plan *plan;
    static const char *const names[] = {"a",
                                        "../b",
                                        "a",
                                        "",
                                        "c d\"\n",
                                        "a.b",
                                        ("a name that is longer than any file name part may be, "
                                         "and by far")};
    char stem[8][MPLAN_LABEL_BYTES];
    assert_done(mplan_plan_new(&plan, &err), &err);
    for (int i = 0; i < 7; i++) {
        mplan_plan_set set = {.name = names[i]};
        assert_done(mplan_plan_add_set(plan, &set, &err), &err);
        assert_done(mplan_plan_borrow_array(plan, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, i),
                                            MPLAN_TYPE_I32, 0, 1, NULL, &err),
                    &err);
    }
    assert_done(mplan_plan_seal(plan, &err), &err);
    for (int32_t i = 0; i < 7; i++) {
        mplan_key key = mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, i);
        mplan_array_file_stem(plan, &key, stem[i]);
        assert_null(strchr(stem[i], '/'));
        assert_true(strlen(stem[i]) < 100);
        for (int32_t k = 0; k < i; k++)
            assert_string_not_equal(stem[i], stem[k]);
    }
    assert_string_equal(stem[0], "set-a-new_of_old");
    assert_string_equal(stem[1], "set-.._b~1-new_of_old");
    assert_string_equal(stem[2], "set-a~2-new_of_old");
    assert_string_equal(stem[4], "set-c_d__~4-new_of_old");
    assert_string_equal(stem[5], "set-a.b-new_of_old");
    assert_done(mplan_plan_export_npy(plan, in_folder("arrays"), NULL, &err), &err);
    mplan_file index;
    assert_done(mplan_file_open(in_folder("arrays/index.json"), NULL, &index, &err), &err);
    char *json = calloc(1, index.size + 1);
    memcpy(json, index.data, index.size);
    assert_non_null(strstr(json, "\"set\": \"c d\\\"\\u000a\"}"));
    free(json);
    mplan_file_close(&index);
    mplan_plan_free(plan);
}

static void export_refuses(void **state)
{
    (void)state;
    mplan_error err;
    mplan_plan *plan = support_hand_plan(1, 8);
    assert_refused(mplan_plan_export_npy(plan, in_folder("none/arrays"), NULL, &err),
                   MPLAN_ERR_CREATE, &err, "none/arrays: No such file");
    FILE *file = fopen(in_folder("file"), "wb");
    fclose(file);
    assert_refused(mplan_plan_export_npy(plan, in_folder("file"), NULL, &err), MPLAN_ERR_CREATE,
                   &err, "is not a folder");
    mplan_plan_free(plan);
    assert_done(mplan_plan_new(&plan, &err), &err);
    assert_done(mplan_plan_seal(plan, &err), &err);
    assert_refused(mplan_plan_export_part(plan, in_folder("part"), NULL, &err), MPLAN_ERR_ARGUMENT,
                   &err, "no blocks of a primary loop");
    assert_int_equal(access(in_folder("part"), F_OK), -1);
    mplan_plan_free(plan);
}

/* Both block sets of the faces: runs, and a sequence (by another default). */
static void part_files_name_blocks(void **state)
{
    (void)state;
    mplan_error err;
    mplan_plan *plan = support_hand_plan(30, 8); /* 180 faces */
    const int32_t *new_of_old = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, 1),
                                                MPLAN_TYPE_I32, NULL);
    const int32_t *sequence = mplan_plan_data(plan,
                                              mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE, 1),
                                              MPLAN_TYPE_I32, NULL);
    for (int b = 0; b < 2; b++) {
        plan->loops[0].default_variant = b ? 3 : 0;
        const int64_t *offsets = mplan_plan_data(plan,
                                                 mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, b),
                                                 MPLAN_TYPE_I64, NULL);
        assert_done(mplan_plan_export_part(plan, in_folder("x.part"), NULL, &err), &err);
        FILE *file = fopen(in_folder("x.part"), "r");
        for (int e = 0; e < 180; e++) {
            int block = -1, at = new_of_old[e];
            assert_int_equal(fscanf(file, "%d", &block), 1);
            if (b)
                for (at = 0; sequence[at] != new_of_old[e]; at++)
                    ;
            assert_true(offsets[block] <= at && at < offsets[block + 1]);
        }
        assert_int_equal(fgetc(file), '\n');
        assert_int_equal(fgetc(file), EOF);
        fclose(file);
    }
    int32_t *wrong = (int32_t *)(uintptr_t)sequence;
    wrong[17] = 180;
    assert_refused(mplan_plan_export_part(plan, in_folder("y.part"), NULL, &err),
                   MPLAN_ERR_DISPROVED, &err, "block_sequence is out of range at 17");
    assert_int_equal(access(in_folder("y.part"), F_OK), -1);
    mplan_plan_free(plan);
}

#define IN_FOLDER(test_) cmocka_unit_test_setup_teardown(test_, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_plans_are_equal),
        cmocka_unit_test(each_difference_is_told),
        cmocka_unit_test(numbers_of_arrays_are_compared),
        cmocka_unit_test(at_most_100_lines),
        IN_FOLDER(apply_moves_rows),
        IN_FOLDER(apply_turns_fortran_order),
        IN_FOLDER(apply_refuses),
        IN_FOLDER(export_writes_every_array),
        IN_FOLDER(names_become_file_names),
        IN_FOLDER(export_refuses),
        IN_FOLDER(part_files_name_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
