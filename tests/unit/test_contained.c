/* SPDX-License-Identifier: Apache-2.0 */
/* test_contained.c - files that libraries of others read: whatever they or their programs do, the caller lives */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/child_place.h"
#include "support_request.h"

static char folder[64], scratch[128];

static const char *const files[] = {
    "exodus/good-compressed.exo",     "ugrid/good-compressed.nc", "cgns/good-solid.cgns",
    "cgns/good-mixed.cgns",           "cgns/bad-node.cgns",       "op2-hdf5/good-grid.h5",
    "op2-hdf5/good-tables.h5",        "exodus/good-solid.exo",    "med/good-solids.med",
    "fluent-hdf5/good-solids.cas.h5",
};
enum { N_FILES = sizeof files / sizeof *files };

static bool build_reads(const char *name)
{
    const char *const library = name[0] == 'c'                                       ? "cgns"
                                : name[0] == 'o' || name[0] == 'm' || name[0] == 'f' ? "hdf5"
                                                                                     : "netcdf";
    return support_has(library);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/meshplan-contained-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    snprintf(scratch, sizeof scratch, "%s/file", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(scratch);
    return rmdir(folder);
}

static uint8_t *load(const char *name, size_t *size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", MPLAN_TEST_DATA, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    uint8_t *data = malloc(1 << 20);
    *size = fread(data, 1, 1 << 20, file);
    fclose(file);
    return data;
}

static void store(const uint8_t *data, size_t size)
{
    FILE *file = fopen(scratch, "wb");
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

static mplan_status read_path(const char *path, const mplan_context *context, mplan_error *err)
{
    mplan_mesh *mesh = NULL;
    mplan_status status = mplan_mesh_read(path, NULL, context, &mesh, err);
    mplan_mesh_free(mesh);
    return status;
}

static mplan_status read_fixture(const char *name, const mplan_context *context, mplan_error *err)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", MPLAN_TEST_DATA, name);
    return read_path(path, context, err);
}

/* Refused as a file may be, or read: no other end. */
static bool is_end(mplan_status status)
{
    return status == MPLAN_OK || status == MPLAN_ERR_FORMAT || status == MPLAN_ERR_UNSUPPORTED ||
           status == MPLAN_ERR_CORRUPT || status == MPLAN_ERR_MESH || status == MPLAN_ERR_MEMORY;
}

/* Bytes changed at random; tools/flips does thousands. */
static void flipped_bytes_end_as_they_may(void **state)
{
    (void)state;
    enum { FLIPS = 25 };
    uint64_t seed = 12;
    mplan_error err;
    for (int f = 0; f < N_FILES; f++) {
        size_t size;
        uint8_t *data = load(files[f], &size);
        for (int i = 0; i < FLIPS && build_reads(files[f]); i++) {
            size_t at[3];
            uint8_t old[3];
            int n = 1 + (int)support_random(&seed, 3);
            for (int k = 0; k < n; k++) {
                at[k] = (size_t)support_random(&seed, (int64_t)size);
                old[k] = data[at[k]];
                data[at[k]] = (uint8_t)support_random(&seed, 256);
            }
            store(data, size);
            mplan_status status = read_path(scratch, NULL, &err);
            if (!is_end(status) || (status && !err.text[0]))
                fail_msg("%s, change %d: %s: %s", files[f], i, mplan_status_name(status), err.text);
            while (n-- > 0)
                data[at[n]] = old[n];
        }
        free(data);
    }
}

static void cut_files_end_as_they_may(void **state)
{
    (void)state;
    mplan_error err;
    for (int f = 0; f < N_FILES; f++) {
        size_t size;
        uint8_t *data = load(files[f], &size);
        for (size_t cut = 0; cut < 12 && build_reads(files[f]); cut++) {
            store(data, size * cut / 12 + 8 * (cut == 0));
            mplan_status status = read_path(scratch, NULL, &err);
            assert_true(is_end(status));
        }
        free(data);
    }
}

/* --- programs that are not what they should be ------------------------------------------------------ */

static void stand_in(const char *as, char link[128])
{
    char program[512];
    mplan_error err;
    unsetenv("MPLAN_HELPER");
    assert_done(mplan_child_find("meshplan-impostor", program, sizeof program, &err), &err);
    snprintf(link, 128, "%s/%s", folder, as);
    assert_int_equal(symlink(program, link), 0);
    setenv("MPLAN_HELPER", link, 1);
}

static void stand_back(const char *link)
{
    unsetenv("MPLAN_HELPER");
    unlink(link);
}

static void impostors_are_not_believed(void **state)
{
    (void)state;
    static const struct {
        const char *name, *says;
    } kinds[] = {{"huge", "damaged: what lib"},     {"empty", "damaged: what lib"},
                 {"held", "damaged: what lib"},     {"silent", "ended without an answer"},
                 {"crashes", "ended by signal 11"}, {"killed", "ran out of memory"}};
    char link[128];
    mplan_error err;
    for (int f = 0; f < N_FILES; f += 2) {
        if (!build_reads(files[f]))
            continue;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            stand_in(kinds[k].name, link);
            mplan_status status = read_fixture(files[f], NULL, &err);
            stand_back(link);
            if ((status != MPLAN_ERR_CORRUPT && status != MPLAN_ERR_MEMORY) ||
                !strstr(err.text, kinds[k].says) || !strstr(err.text, files[f]))
                fail_msg("%s: %s: %s", kinds[k].name, mplan_status_name(status), err.text);
        }
    }
}

static void garbage_is_not_believed(void **state)
{
    (void)state;
    char link[128], name[32];
    mplan_error err;
    for (int i = 0; i < 100 && support_has("netcdf"); i++) {
        snprintf(name, sizeof name, "garbage%d", i);
        stand_in(name, link);
        mplan_status status = read_fixture(files[0], NULL, &err);
        stand_back(link);
        assert_true(is_end(status));
    }
}

static void programs_that_stand_still_are_ended(void **state)
{
    (void)state;
    static const char *const names[] = {"waits", "deaf"};
    char link[128];
    mplan_error err;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.read_timeout = 1;
    for (int i = 0; i < 2 && support_has("netcdf"); i++) {
        stand_in(names[i], link); /* each would stay for ever */
        mplan_status status = read_fixture(files[0], &context, &err);
        stand_back(link);
        assert_refused(status, MPLAN_ERR_CORRUPT, &err, "made no progress for 1 seconds");
    }
}

static void a_missing_program_is_named(void **state)
{
    (void)state;
    mplan_error err;
    setenv("MPLAN_HELPER", "/nowhere", 1);
    for (int f = 0; f < N_FILES; f++)
        if (build_reads(files[f]))
            assert_refused(read_fixture(files[f], NULL, &err), MPLAN_ERR_INTERNAL, &err, "/nowhere");
    unsetenv("MPLAN_HELPER");
}

/* --- callers ------------------------------------------------------------------------------------------ */

static void callers_may_ignore_children(void **state)
{
    (void)state;
    mplan_error err;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    sigaction(SIGCHLD, &ignore, &old);
    for (int f = 0; f < N_FILES; f++)
        if (build_reads(files[f]) && !strstr(files[f], "bad"))
            assert_done(read_fixture(files[f], NULL, &err), &err);
    sigaction(SIGCHLD, &old, NULL);
}

static void callers_may_have_many_files_open(void **state)
{
    (void)state;
    enum { MANY = 700 };
    int fd[MANY];
    mplan_error err;
    for (int i = 0; i < MANY; i++)
        fd[i] = open("/dev/null", O_RDONLY);
    for (int f = 0; f < N_FILES; f++)
        if (build_reads(files[f]) && !strstr(files[f], "bad"))
            assert_done(read_fixture(files[f], NULL, &err), &err);
    for (int i = 0; i < MANY; i++)
        close(fd[i]);
}

static void memory_is_limited(void **state)
{
    (void)state;
#if defined __SANITIZE_ADDRESS__
    skip(); /* sanitizers reserve terabytes */
#else
    mplan_error err;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.max_memory = 1 << 17; /* more than the files, less than libraries need */
    for (int f = 0; f < N_FILES; f++)
        if (build_reads(files[f]) && !strstr(files[f], "bad") && strstr(files[f], "compressed"))
            assert_int_equal(read_fixture(files[f], &context, &err), MPLAN_ERR_MEMORY);
#endif
}

/* Nothing is left behind: no process, no descriptor. */
static void nothing_is_left(void **state)
{
    (void)state;
    mplan_error err;
    int before = open("/dev/null", O_RDONLY);
    close(before);
    for (int f = 0; f < N_FILES; f++)
        read_fixture(files[f], NULL, &err);
    int after = open("/dev/null", O_RDONLY);
    close(after);
    assert_int_equal(before, after);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flipped_bytes_end_as_they_may),
        cmocka_unit_test(cut_files_end_as_they_may),
        cmocka_unit_test(impostors_are_not_believed),
        cmocka_unit_test(garbage_is_not_believed),
        cmocka_unit_test(programs_that_stand_still_are_ended),
        cmocka_unit_test(a_missing_program_is_named),
        cmocka_unit_test(callers_may_ignore_children),
        cmocka_unit_test(callers_may_have_many_files_open),
        cmocka_unit_test(memory_is_limited),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
