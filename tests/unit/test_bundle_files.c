/* SPDX-License-Identifier: Apache-2.0 */
/* test_bundle_files.c - bundles are split into files and joined again, byte by byte; files that do not belong are refused */
#include "support_bundle.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support_planfile.h"
#include "support_test.h"

enum { PARTS = 4 };

static char bundle_path[256], folder[256], again[256];
static char files[PARTS + 1][320]; /* of the folder, the manifest last */

static int name_files(void **state)
{
    (void)state;
    const long id = (long)getpid();
    snprintf(bundle_path, sizeof bundle_path, "%s/files_%ld.mplans", support_fast_folder(), id);
    snprintf(again, sizeof again, "%s/again_%ld.mplans", support_fast_folder(), id);
    snprintf(folder, sizeof folder, "%s/split_%ld", support_fast_folder(), id);
    for (int p = 0; p < PARTS; p++)
        snprintf(files[p], sizeof files[p], "%s/part-%d.mplan", folder, p);
    snprintf(files[PARTS], sizeof files[PARTS], "%s/manifest.mparts", folder);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    for (int i = 0; i <= PARTS; i++)
        unlink(files[i]);
    rmdir(folder);
    unlink(bundle_path);
    unlink(again);
    return 0;
}

static uint8_t *read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    uint8_t *bytes = malloc((size_t)about.st_size + 1);
    *size = fread(bytes, 1, (size_t)about.st_size + 1, file);
    fclose(file);
    return bytes;
}

static void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void assert_equal_files(const char *a, const char *b)
{
    size_t n, m;
    uint8_t *left = read_bytes(a, &n), *right = read_bytes(b, &m);
    assert_int_equal(n, m);
    assert_memory_equal(left, right, n);
    free(left);
    free(right);
}

/* Writes the bundle of a case and splits it into the folder. */
static void split_case(uint64_t seed)
{
    mplan_error err;
    support_cut_case in;
    mplan_bundle *bundle;
    support_cut_make(PARTS, false, &seed, &in);
    support_bundle_write(&in.bundle, bundle_path);
    support_cut_free(&in);
    assert_done(mplan_bundle_open(bundle_path, NULL, &bundle, &err), &err);
    assert_done(mplan_bundle_split(bundle, folder, NULL, &err), &err);
    mplan_bundle_free(bundle);
}

static mplan_status join(int n, const int *which, mplan_error *err)
{
    const char *paths[8];
    for (int i = 0; i < n; i++)
        paths[i] = files[which[i]];
    return mplan_bundle_join(n, paths, again, NULL, NULL, err);
}

static void files_make_the_bundle_again(void **state)
{
    (void)state;
    static const int orders[][PARTS + 1] = {{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 4, 0, 3, 1}};
    mplan_error err;
    for (uint64_t seed = 1; seed < 4; seed++) {
        split_case(seed);
        for (int p = 0; p < PARTS; p++) { /* a part is the bytes that the bundle has */
            mplan_bundle *bundle;
            size_t size, all;
            int64_t offset, bytes;
            uint8_t *part = read_bytes(files[p], &size), *whole = read_bytes(bundle_path, &all);
            assert_done(mplan_bundle_open(bundle_path, NULL, &bundle, &err), &err);
            assert_done(mplan_bundle_place(bundle, p, &offset, &bytes, &err), &err);
            assert_int_equal(bytes, size);
            assert_memory_equal(part, whole + offset, size);
            mplan_bundle_free(bundle);
            free(part);
            free(whole);
        }
        for (int i = 0; i < 3; i++) {
            assert_done(join(PARTS + 1, orders[i], &err), &err);
            assert_equal_files(bundle_path, again);
            unlink(again);
        }
    }
}

/* Nothing appears where files are missing, twice or of others. */
static void wrong_files_are_refused(void **state)
{
    (void)state;
    mplan_error err;
    size_t size, other_size;
    split_case(1);
    assert_refused(join(4, (int[]){0, 1, 3, 4}, &err), MPLAN_ERR_ARGUMENT, &err,
                   "part 2 of 4 is missing");
    assert_refused(join(4, (int[]){0, 1, 2, 3}, &err), MPLAN_ERR_ARGUMENT, &err, "no manifest");
    assert_refused(join(6, (int[]){0, 1, 2, 3, 4, 4}, &err), MPLAN_ERR_ARGUMENT, &err,
                   "one manifest");
    assert_refused(join(6, (int[]){0, 1, 2, 3, 1, 4}, &err), MPLAN_ERR_ARGUMENT, &err,
                   "are both part 1");
    uint8_t *part = read_bytes(files[2], &size);
    uint8_t *manifest = read_bytes(files[4], &other_size);
    split_case(2); /* another mesh */
    write_bytes(files[2], part, size);
    assert_refused(join(5, (int[]){0, 1, 2, 3, 4}, &err), MPLAN_ERR_DISPROVED, &err,
                   "part-2.mplan: set ");
    split_case(1);
    part[size / 2] ^= 1;
    write_bytes(files[2], part, size);
    assert_refused(join(5, (int[]){0, 1, 2, 3, 4}, &err), MPLAN_ERR_CORRUPT, &err,
                   "part-2.mplan: damaged");
    part[size / 2] ^= 1;
    write_bytes(files[2], part, size);
    for (size_t i = 0; i < other_size; i += 5) { /* a damaged manifest: never another bundle */
        manifest[i] ^= 1;
        write_bytes(files[4], manifest, other_size);
        manifest[i] ^= 1;
        if (join(5, (int[]){0, 1, 2, 3, 4}, &err) == MPLAN_OK) {
            mplan_bundle *bundle = NULL; /* what no part says: the hashes, the request, the versions, the cut */
            assert_done(mplan_bundle_open(again, NULL, &bundle, &err), &err);
            mplan_bundle_free(bundle);
            unlink(again);
        }
    }
    write_bytes(files[4], manifest, other_size);
    assert_done(join(5, (int[]){0, 1, 2, 3, 4}, &err), &err);
    unlink(again);
    write_bytes(files[1], "no plan", 7);
    assert_refused(join(5, (int[]){0, 1, 2, 3, 4}, &err), MPLAN_ERR_FORMAT, &err,
                   "part-1.mplan: not a plan");
    free(part);
    free(manifest);
    assert_int_equal(access(again, F_OK), -1);
}

/* Parts of the same mesh that were cut in another way: sizes may agree, lists do not. */
static void other_cuts_are_refused(void **state)
{
    (void)state;
    uint64_t seed = 1;
    mplan_error err;
    support_cut_case in;
    support_bundle other;
    mplan_bundle *bundle;
    size_t size;
    support_cut_make(PARTS, false, &seed, &in);
    support_bundle_write(&in.bundle, bundle_path);
    assert_done(mplan_bundle_open(bundle_path, NULL, &bundle, &err), &err);
    assert_done(mplan_bundle_split(bundle, folder, NULL, &err), &err);
    mplan_bundle_free(bundle);
    uint8_t *part = read_bytes(files[1], &size);
    int32_t *of = in.part_of[1]; /* two cells change their parts: each part owns as many as before */
    int64_t a = 0, b = 0;
    while (of[a] != 1)
        a++;
    while (of[b] != 2)
        b++;
    of[a] = 2;
    of[b] = 1;
    support_bundle_make(in.mesh, 3, in.loops, PARTS, in.part_of, &other);
    support_bundle_write(&other, bundle_path);
    support_bundle_free(&other);
    assert_done(mplan_bundle_open(bundle_path, NULL, &bundle, &err), &err);
    assert_done(mplan_bundle_split(bundle, folder, NULL, &err), &err);
    mplan_bundle_free(bundle);
    write_bytes(files[1], part, size);
    assert_refused(join(5, (int[]){0, 1, 2, 3, 4}, &err), MPLAN_ERR_DISPROVED, &err,
                   "do not belong together: what part");
    free(part);
    support_cut_free(&in);
}

/* A folder of someone else's stays. */
static void folders_of_others_stay(void **state)
{
    (void)state;
    mplan_error err;
    mplan_bundle *bundle;
    char note[320];
    split_case(3);
    snprintf(note, sizeof note, "%s/notes.txt", folder);
    write_bytes(note, "mine", 4);
    assert_done(mplan_bundle_open(bundle_path, NULL, &bundle, &err), &err);
    assert_refused(mplan_bundle_split(bundle, folder, NULL, &err), MPLAN_ERR_CREATE, &err,
                   "contains notes.txt");
    unlink(note);
    unlink(files[PARTS]);
    assert_refused(mplan_bundle_split(bundle, folder, NULL, &err), MPLAN_ERR_CREATE, &err,
                   "neither empty nor an earlier split");
    mplan_bundle_free(bundle);
}

/* Says so after some questions. */
static bool stop_after(void *user)
{
    int *left = user;
    return (*left)-- <= 0;
}

static int count_entries(const char *path)
{
    int n = 0;
    DIR *names = opendir(path);
    assert_non_null(names);
    while (readdir(names))
        n++;
    closedir(names);
    return n - 2;
}

/* Stopped at any place, split and join leave nothing behind. */
static void interruptions_leave_nothing(void **state)
{
    (void)state;
    mplan_error err;
    mplan_bundle *bundle;
    int left = 0;
    const mplan_context context = {
        .struct_size = sizeof context, .threads = 1, .user = &left, .cancelled = stop_after};
    const char *paths[PARTS + 1];
    char place[320], whole[340], made[340];
    split_case(2);
    for (int i = 0; i <= PARTS; i++)
        paths[i] = files[i];
    snprintf(place, sizeof place, "%s.place", folder);
    snprintf(whole, sizeof whole, "%s/whole.mplans", place);
    snprintf(made, sizeof made, "%s/made", place);
    assert_int_equal(mkdir(place, 0700), 0);
    assert_done(mplan_bundle_open(bundle_path, NULL, &bundle, &err), &err);
    for (int k = 0, done = 0; done < 2; k++) {
        left = k;
        mplan_status status = done == 0
                                  ? mplan_bundle_split(bundle, made, &context, &err)
                                  : mplan_bundle_join(PARTS + 1, paths, whole, &context, NULL, &err);
        assert_true(status == MPLAN_OK || status == MPLAN_ERR_INTERRUPTED);
        assert_int_equal(count_entries(place), done + (status == MPLAN_OK));
        if (status == MPLAN_OK) {
            assert_true(k > PARTS);
            done++;
            k = -1;
        }
    }
    mplan_bundle_free(bundle);
    assert_equal_files(whole, bundle_path);
    for (int p = 0; p <= PARTS; p++) {
        char file[400];
        snprintf(file, sizeof file, "%s/%s", made, strrchr(files[p], '/') + 1);
        assert_equal_files(file, files[p]);
        unlink(file);
    }
    rmdir(made);
    unlink(whole);
    rmdir(place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_make_the_bundle_again),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(other_cuts_are_refused),
        cmocka_unit_test(interruptions_leave_nothing),
        cmocka_unit_test(folders_of_others_stay),
    };
    return cmocka_run_group_tests(tests, name_files, remove_files);
}
