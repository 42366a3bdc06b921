/* SPDX-License-Identifier: Apache-2.0 */
/* test_base.c - checksums, fingerprints, files and outputs */
#include "support_test.h"
#include "support_folder.h"
#include "support_threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <strings.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_output.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/name_table.h"

static int entries_of(const char *path)
{
    DIR *open_folder = opendir(path);
    int n = 0;
    while (open_folder && readdir(open_folder))
        n++;
    if (open_folder)
        closedir(open_folder);
    return n - 2; /* . and .. */
}

/* --- checksums --- */

/* The bytes of xxHash's own sanity checks (tests/sanity_test.c of xxHash 0.8). */
static void fill_sanity(uint8_t *bytes, size_t n)
{
    uint64_t generator = UINT64_C(2654435761);
    for (size_t i = 0; i < n; i++) {
        bytes[i] = (uint8_t)(generator >> 56);
        generator *= UINT64_C(11400714785074694797);
    }
}

static void hash_known_vectors(void **state)
{
    (void)state;
    static const struct {
        size_t size;
        uint64_t value;
    } known[] = {
        {0, UINT64_C(0x2D06800538D394C2)},    {1, UINT64_C(0xC44BDFF4074EECDB)},
        {6, UINT64_C(0x27B56A84CD2D7325)},    {12, UINT64_C(0xA713DAF0DFBB77E7)},
        {24, UINT64_C(0xA3FE70BF9D3510EB)},   {48, UINT64_C(0x397DA259ECBA1F11)},
        {80, UINT64_C(0xBCDEFBBB2C47C90A)},   {195, UINT64_C(0xCD94217EE362EC3A)},
        {403, UINT64_C(0xCDEB804D65C6DEA4)},  {512, UINT64_C(0x617E49599013CB6B)},
        {2048, UINT64_C(0xDD59E2C3A5F038E0)}, {2240, UINT64_C(0x6E73A90539CF2948)},
        {2367, UINT64_C(0xCB37AEB9E5D361ED)},
    };
    uint8_t bytes[2400];
    fill_sanity(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_int_equal(mplan_hash_own(bytes, known[i].size), known[i].value);
        assert_int_equal(mplan_hash(bytes, known[i].size), known[i].value);
    }
    assert_int_equal(mplan_hash(NULL, 0), UINT64_C(0x2D06800538D394C2));
}

static void hash_own_equals_library(void **state)
{
    (void)state;
#ifndef MPLAN_HAVE_XXHASH
    skip();
#endif
    size_t room = 3000000;
    uint8_t *bytes = malloc(room);
    uint64_t seed = 7;
    for (size_t i = 0; i < room; i++)
        bytes[i] = (uint8_t)support_random(&seed, 256);
    for (size_t n = 0; n <= 2000; n++)
        for (size_t at = 0; at < 3; at++)
            assert_int_equal(mplan_hash_own(bytes + at, n), mplan_hash(bytes + at, n));
    for (int i = 0; i < 40; i++) {
        size_t n = (size_t)support_random(&seed, (int64_t)room);
        assert_int_equal(mplan_hash_own(bytes, n), mplan_hash(bytes, n));
    }
    free(bytes);
}

/* Bytes that come in pieces of any lengths, 0 and whole blocks among them, have the hash of all of them at once. */
static void hash_of_pieces(void **state)
{
    (void)state;
    enum { ROOM = 9000 };
    uint8_t bytes[ROOM];
    uint64_t seed = 11;
    for (size_t i = 0; i < ROOM; i++)
        bytes[i] = (uint8_t)support_random(&seed, 256);
    for (size_t n = 0; n <= ROOM; n += n < 2200 ? 1 : 97) {
        mplan_hash_stream stream;
        mplan_hash_begin(&stream);
        for (size_t at = 0; at < n;) {
            const int64_t most = support_random(&seed, 4) == 0 ? 2048 : 70;
            size_t piece = (size_t)support_random(&seed, most);
            piece = support_random(&seed, 5) == 0 ? MPLAN_HASH_BLOCK : piece;
            piece = piece < n - at ? piece : n - at;
            mplan_hash_more(&stream, bytes + at, piece);
            at += piece;
        }
        assert_int_equal(mplan_hash_end(&stream), mplan_hash(bytes, n));
    }
}

/* The definition, in one piece of memory. */
static uint64_t fingerprint_of(const uint8_t *bytes, size_t n)
{
    size_t pieces = (n + MPLAN_FINGERPRINT_PIECE - 1) / MPLAN_FINGERPRINT_PIECE;
    uint64_t *hashes = malloc((pieces + 1) * 8);
    for (size_t i = 0; i < pieces; i++) {
        size_t left = n - i * MPLAN_FINGERPRINT_PIECE;
        hashes[i] = mplan_hash_own(bytes + i * MPLAN_FINGERPRINT_PIECE,
                                   left < MPLAN_FINGERPRINT_PIECE ? left : MPLAN_FINGERPRINT_PIECE);
    }
    uint64_t value = mplan_hash_own(hashes, pieces * 8);
    free(hashes);
    return value;
}

static void fingerprint_does_not_see_the_cuts(void **state)
{
    (void)state;
    uint64_t seed = 3;
    size_t room = 3 * MPLAN_FINGERPRINT_PIECE + 1000;
    uint8_t *bytes = malloc(room);
    for (size_t i = 0; i < room; i++)
        bytes[i] = (uint8_t)support_random(&seed, 256);
    const size_t sizes[] = {0,
                            1,
                            100,
                            MPLAN_FINGERPRINT_PIECE - 1,
                            MPLAN_FINGERPRINT_PIECE,
                            MPLAN_FINGERPRINT_PIECE + 1,
                            2 * MPLAN_FINGERPRINT_PIECE,
                            room};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        mplan_fingerprint *print = mplan_fingerprint_begin();
        mplan_team team;
        support_team_open(&team, 1 + (int)s % 3);
        mplan_fingerprint_share(print, &team);
        for (size_t at = 0; at < sizes[s];) {
            size_t most = support_random(&seed, 4) ? 3000 : 2 * MPLAN_FINGERPRINT_PIECE;
            size_t part = (size_t)support_random(&seed, (int64_t)most);
            if (part > sizes[s] - at)
                part = sizes[s] - at;
            mplan_fingerprint_bytes(print, bytes + at, part);
            at += part;
        }
        uint64_t value = 0;
        assert_true(mplan_fingerprint_end(print, &value));
        assert_int_equal(value, fingerprint_of(bytes, sizes[s]));
        mplan_team_close(&team);
    }
    free(bytes);
}

/* With one thread, and with three that hash pieces side by side; also where pieces begin within a number's eight bytes. */
static void fingerprint_widens_numbers(void **state)
{
    (void)state;
    enum { N = 600000 };
    int32_t *narrow = malloc(N * sizeof *narrow);
    int64_t *wide = malloc((N + 1) * sizeof *wide);
    uint64_t seed = 5, value = 0;
    wide[0] = -3;
    for (int i = 0; i < N; i++)
        wide[i + 1] = narrow[i] = (int32_t)support_random(&seed, 2000) - 1000;
    uint8_t *shifted = malloc((N + 1) * 8 + 3);
    memcpy(shifted, "odd", 3);
    memcpy(shifted + 3, wide, (N + 1) * 8);
    for (int i = 0; i < 4; i++) {
        const size_t odd = i % 2 ? 3 : 0;
        mplan_team team;
        support_team_open(&team, i < 2 ? 1 : 3);
        mplan_fingerprint *print = mplan_fingerprint_begin();
        mplan_fingerprint_share(print, &team);
        mplan_fingerprint_bytes(print, "odd", odd);
        mplan_fingerprint_i64(print, -3);
        mplan_fingerprint_i32s(print, narrow, N);
        assert_true(mplan_fingerprint_end(print, &value));
        assert_int_equal(value, fingerprint_of(shifted + 3 - odd, (N + 1) * 8 + odd));
        mplan_team_close(&team);
    }
    free(shifted);
    assert_false(mplan_fingerprint_end(NULL, &value));
    free(narrow);
    free(wide);
}

/* --- outputs --- */

static void output_appears_when_committed(void **state)
{
    (void)state;
    mplan_error err;
    mplan_output *output;
    size_t n = 1000003;
    uint8_t *bytes = malloc(n);
    uint64_t seed = 11;
    fill_sanity(bytes, n);
    write_file(in_folder("out"), "old", 3);
    chmod(in_folder("out"), 0640);
    assert_done(mplan_output_open(in_folder("out"), NULL, &output, &err), &err);
    for (size_t at = 0; at < n;) {
        size_t part = (size_t)support_random(&seed, support_random(&seed, 9) ? 5000 : 300000);
        part = part < n - at ? part : n - at;
        assert_done(mplan_output_write(output, bytes + at, part, &err), &err);
        at += part;
        assert_int_equal(mplan_output_bytes(output), at);
    }
    assert_holds(in_folder("out"), "old", 3);
    assert_int_equal(entries_of(test_folder()), 1); /* it has no name until it is whole */
    assert_done(mplan_output_commit(output, &err), &err);
    assert_holds(in_folder("out"), bytes, n);
    assert_int_equal(entries_of(test_folder()), 1);
    struct stat about;
    assert_int_equal(stat(in_folder("out"), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    free(bytes);
}

static void output_gets_the_mode_of_the_umask(void **state)
{
    (void)state;
    mplan_error err;
    mplan_output *output;
    struct stat about;
    mode_t old = umask(027);
    assert_done(mplan_output_open(in_folder("new"), NULL, &output, &err), &err);
    assert_done(mplan_output_commit(output, &err), &err);
    umask(old);
    assert_int_equal(stat(in_folder("new"), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
}

static void output_prints(void **state)
{
    (void)state;
    mplan_error err;
    mplan_output *output;
    char text[3000], expected[3100];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    int length = snprintf(expected, sizeof expected, "a 7\n%s!", text);
    assert_done(mplan_output_open(in_folder("text"), NULL, &output, &err), &err);
    assert_done(mplan_output_print(output, &err, "a %d\n", 7), &err);
    assert_done(mplan_output_print(output, &err, "%s!", text), &err);
    assert_done(mplan_output_commit(output, &err), &err);
    assert_holds(in_folder("text"), expected, (size_t)length);
}

static void output_leaves_nothing_when_aborted(void **state)
{
    (void)state;
    mplan_error err;
    mplan_output *output;
    write_file(in_folder("out"), "old", 3);
    assert_done(mplan_output_open(in_folder("out"), NULL, &output, &err), &err);
    assert_done(mplan_output_write(output, "new", 3, &err), &err);
    mplan_output_abort(output);
    mplan_output_abort(NULL);
    assert_holds(in_folder("out"), "old", 3);
    assert_int_equal(entries_of(test_folder()), 1);
}

static void output_refuses(void **state)
{
    (void)state;
    mplan_error err;
    mplan_output *output;
    assert_refused(mplan_output_open(in_folder("none/out"), NULL, &output, &err), MPLAN_ERR_CREATE,
                   &err, "none/out: No such file");
    assert_refused(mplan_output_open(test_folder(), NULL, &output, &err), MPLAN_ERR_CREATE, &err,
                   "folder");
    assert_refused(mplan_output_open("", NULL, &output, &err), MPLAN_ERR_CREATE, &err,
                   "must end in the name of a file");
    assert_refused(mplan_output_open(in_folder("new/"), NULL, &output, &err), MPLAN_ERR_CREATE,
                   &err, "must end in the name of a file");
    assert_int_equal(entries_of(test_folder()), 0);
}

static void output_goes_through_a_link(void **state)
{
    (void)state;
    mplan_error err;
    mplan_output *output;
    struct stat about;
    write_file(in_folder("file"), "old", 3);
    assert_int_equal(symlink("file", in_folder("link")), 0);
    assert_done(mplan_output_open(in_folder("link"), NULL, &output, &err), &err);
    assert_done(mplan_output_write(output, "newer", 5, &err), &err);
    assert_done(mplan_output_commit(output, &err), &err);
    assert_holds(in_folder("file"), "newer", 5);
    assert_int_equal(lstat(in_folder("link"), &about), 0);
    assert_true(S_ISLNK(about.st_mode));
}

static void output_writes_devices_in_place(void **state)
{
    (void)state;
    mplan_error err;
    mplan_output *output;
    struct stat about;
    assert_done(mplan_output_open("/dev/null", NULL, &output, &err), &err);
    assert_done(mplan_output_write(output, "x", 1, &err), &err);
    assert_done(mplan_output_commit(output, &err), &err);
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
}

static void output_reports_a_full_device(void **state)
{
    (void)state;
    mplan_error err;
    mplan_output *output;
    static const char zeros[200000];
    if (access("/dev/full", W_OK))
        skip();
    assert_done(mplan_output_open("/dev/full", NULL, &output, &err), &err);
    assert_refused(mplan_output_write(output, zeros, sizeof zeros, &err), MPLAN_ERR_IO, &err,
                   "/dev/full: No space");
    mplan_output_abort(output);
    /* what waits in the buffer fails when it is flushed */
    assert_done(mplan_output_open("/dev/full", NULL, &output, &err), &err);
    assert_done(mplan_output_write(output, zeros, 10, &err), &err);
    assert_refused(mplan_output_commit(output, &err), MPLAN_ERR_IO, &err, "No space");
}

/* A file system of 64 KiB: needs the right to mount, is skipped without. */
static void output_survives_a_full_file_system(void **state)
{
    (void)state;
    mplan_error err;
    mplan_output *output;
    static const char zeros[300000];
    const char *disk = in_folder("disk");
    char path[400];
    assert_int_equal(mkdir(disk, 0700), 0);
    if (mount("none", disk, "tmpfs", 0, "size=64k")) {
        rmdir(disk);
        print_message("no right to mount: not tested\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/plan", disk);
    write_file(path, "old", 3);
    mplan_status opened = mplan_output_open(path, NULL, &output, &err);
    mplan_status written = opened ? opened : mplan_output_write(output, zeros, sizeof zeros, &err);
    if (!opened)
        mplan_output_abort(output);
    int left = entries_of(disk);
    char old[4] = {0};
    FILE *file = fopen(path, "rb");
    size_t got = file ? fread(old, 1, 3, file) : 0;
    if (file)
        fclose(file);
    umount(disk);
    rmdir(disk);
    assert_int_equal(opened, MPLAN_OK);
    assert_int_equal(written, MPLAN_ERR_IO);
    assert_non_null(strstr(err.text, "No space"));
    assert_int_equal(left, 1);
    assert_int_equal(got, 3);
    assert_string_equal(old, "old");
}

/* --- the rest --- */

static void memory_is_checked(void **state)
{
    (void)state;
    mplan_error err;
    assert_null(mplan_alloc(INT64_MAX, 8, &err));
    assert_int_equal(err.status, MPLAN_ERR_MEMORY);
    assert_null(mplan_alloc(-1, 8, &err));
    void *aligned = mplan_alloc_aligned(3, 7, &err);
    assert_non_null(aligned);
    assert_int_equal((uintptr_t)aligned % 64, 0);
    free(aligned);
    assert_null(mplan_alloc_aligned(INT64_MAX, 2, &err));
}

static void versions_are_there(void **state)
{
    (void)state;
    assert_non_null(strchr(mplan_version(), '.'));
    assert_null(mplan_library(-1));
    int32_t n = 0;
    while (mplan_library(n))
        assert_non_null(strchr(mplan_library(n++), ' '));
    assert_null(mplan_library(n + 1));
}

/* Against a list that is searched from its end; names differ in few letters and in their case. */
static void names_are_found_again(void **state)
{
    (void)state;
    enum { N = 3000 };
    static char name[N][8];
    mplan_error err;
    for (int any_case = 0; any_case < 2; any_case++) {
        mplan_name_table table = {.any_case = any_case};
        assert_int_equal(mplan_name_find(&table, "a", 1), -1);
        uint32_t seed = 1;
        for (int i = 0; i < N; i++) {
            size_t length = 0;
            for (seed = seed * 1664525u + 1013904223u; length < (seed >> 28) % 5; length++)
                name[i][length] = "abABcC."[(seed >> (8 + 3 * length)) % 7];
            name[i][length] = '\0';
            int expected = i - 1;
            while (expected >= 0 && (any_case ? strcasecmp : strcmp)(name[expected], name[i]) != 0)
                expected--;
            assert_int_equal(mplan_name_find(&table, name[i], length), expected);
            assert_done(mplan_name_put(&table, name[i], length, i, &err), &err);
        }
        mplan_name_table_free(&table);
    }
}

#define IN_FOLDER(test_) cmocka_unit_test_setup_teardown(test_, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_known_vectors),
        cmocka_unit_test(hash_own_equals_library),
        cmocka_unit_test(hash_of_pieces),
        cmocka_unit_test(fingerprint_does_not_see_the_cuts),
        cmocka_unit_test(fingerprint_widens_numbers),
        IN_FOLDER(output_appears_when_committed),
        IN_FOLDER(output_gets_the_mode_of_the_umask),
        IN_FOLDER(output_prints),
        IN_FOLDER(output_leaves_nothing_when_aborted),
        IN_FOLDER(output_refuses),
        IN_FOLDER(output_goes_through_a_link),
        IN_FOLDER(output_writes_devices_in_place),
        IN_FOLDER(output_reports_a_full_device),
        IN_FOLDER(output_survives_a_full_file_system),
        cmocka_unit_test(memory_is_checked),
        cmocka_unit_test(names_are_found_again),
        cmocka_unit_test(versions_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
