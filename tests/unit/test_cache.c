/* SPDX-License-Identifier: Apache-2.0 */
/* test_cache.c - plans that are made once: contents, marks, records that are damaged, processes that race */
#include "support_test.h"
#include "support_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cache/cache.h"
#include "cache/cache_folder.h"
#include "cache/cache_record.h"
#include "cache/cache_upkeep.h"

static const mplan_cache_options usual;

/* A file system that shares blocks, as far as one call of it is asked: 1 shares, 2 shares and changes a byte meanwhile. */
static int sharing;
int ioctl(int fd, unsigned long request, ...)
{
    va_list args;
    va_start(args, request);
    const int from = va_arg(args, int);
    va_end(args);
    struct stat about;
    if (request != FICLONE || !sharing || fstat(from, &about)) {
        errno = EOPNOTSUPP;
        return -1;
    }
    char *bytes = malloc((size_t)about.st_size + 1);
    assert_int_equal(pread(from, bytes, (size_t)about.st_size, 0), about.st_size);
    bytes[about.st_size / 2] ^= sharing == 2;
    assert_int_equal(pwrite(fd, bytes, (size_t)about.st_size, 0), about.st_size);
    free(bytes);
    return 0;
}

static mplan_cache *open_cache(const mplan_cache_options *options, const char *request,
                               const char *only)
{
    mplan_error err;
    mplan_cache *cache = NULL;
    assert_done(mplan_cache_open(in_folder("cache"), options, NULL, &cache, &err), &err);
    assert_done(mplan_cache_ask(cache, request, only, &err), &err);
    return cache;
}

/* FOLDER/mesh, for as long as the test runs. */
static const char *mesh_path(void)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/mesh", test_folder());
    return path;
}

/* What a call does that reads `input` and makes `plan` of it. */
static bool store(const char *request, const char *input, const char *text)
{
    mplan_error err;
    bool stored;
    const char *why;
    write_file(in_folder("plan"), text, strlen(text));
    mplan_cache *cache = open_cache(&usual, request, NULL);
    mplan_cache_note_input(cache, input);
    assert_done(mplan_cache_store(cache, in_folder("plan"), 1.5, &stored, &why, &err), &err);
    mplan_cache_close(cache);
    return stored;
}

/* The text of the plan that is found, "" without; until the next call. */
static const char *find(const mplan_cache_options *options, const char *request)
{
    static char text[100];
    char name[32];
    mplan_error err;
    mplan_cache_plan plan;
    bool found;
    mplan_cache *cache = open_cache(options, request, NULL);
    assert_done(mplan_cache_find(cache, &found, &plan, &err), &err);
    text[0] = '\0';
    snprintf(name, sizeof name, "taken%d", (int)getpid());
    if (found)
        assert_done(mplan_cache_write(cache, in_folder(name), &found, &err), &err);
    FILE *taken = found ? fopen(in_folder(name), "rb") : NULL;
    if (taken) {
        const size_t n = fread(text, 1, sizeof text - 1, taken);
        text[n] = '\0';
        assert_int_equal(n, plan.bytes);
        fclose(taken);
    }
    unlink(in_folder(name));
    mplan_cache_close(cache);
    return text;
}

/* As if nobody had touched the file for a while. */
static void make_old(const char *path)
{
    struct timespec times[2] = {{time(NULL) - 100, 5}, {time(NULL) - 100, 5}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void contents_differ_by_every_byte(void **state)
{
    (void)state;
    mplan_error err;
    enum { SIZE = 3 * (1 << 20) + 5 };
    static const size_t places[] = {0, 1, 1000, (1 << 20) - 1, 1 << 20, (1 << 21) + 7, SIZE - 1};
    char text[MPLAN_CONTENT_TEXT];
    uint8_t *bytes = calloc(SIZE, 1);
    mplan_content first, other, again, of_file;
    assert_non_null(bytes);
    assert_done(mplan_content_of_bytes(bytes, SIZE, &first, &err), &err);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        bytes[places[i]] ^= 64;
        assert_done(mplan_content_of_bytes(bytes, SIZE, &other, &err), &err);
        assert_true(first.half[0] != other.half[0] && first.half[1] != other.half[1]);
        bytes[places[i]] ^= 64;
    }
    /* the pieces in another order */
    bytes[5] = 1;
    assert_done(mplan_content_of_bytes(bytes, SIZE, &other, &err), &err);
    bytes[5] = 0;
    bytes[(1 << 20) + 5] = 1;
    assert_done(mplan_content_of_bytes(bytes, SIZE, &again, &err), &err);
    assert_false(mplan_same_content(&other, &again));
    write_file(in_folder("file"), bytes, SIZE);
    assert_done(mplan_content_of_file(in_folder("file"), NULL, &of_file, NULL, &err), &err);
    assert_true(mplan_same_content(&of_file, &again));
    for (int threads = 1; threads <= 4; threads++) { /* and copied by them, or shared */
        mplan_context context = MPLAN_CONTEXT_INIT;
        mplan_output *output;
        context.threads = threads;
        sharing = threads == 4;
        unlink(in_folder("copy"));
        assert_done(mplan_output_open(in_folder("copy"), &context, &output, &err), &err);
        assert_true(mplan_output_takes_pieces(output));
        assert_done(mplan_content_copy(in_folder("file"), output, &context, &of_file, &err), &err);
        assert_int_equal(mplan_output_bytes(output), SIZE);
        assert_done(mplan_output_commit(output, &err), &err);
        assert_true(mplan_same_content(&of_file, &again));
        assert_done(mplan_content_of_file(in_folder("copy"), &context, &of_file, NULL, &err), &err);
        assert_true(mplan_same_content(&of_file, &again));
    }
    sharing = 0;
    assert_int_equal(mplan_content_of_file("/proc/self/stat", NULL, &of_file, NULL, &err),
                     MPLAN_ERR_IO);
    mplan_content_text(&again, text);
    assert_true(mplan_content_from_text(text, &other));
    assert_true(other.half[0] == again.half[0] && other.half[1] == again.half[1]);
    assert_done(mplan_content_of_bytes(bytes, 0, &other, &err), &err);
    assert_int_equal(other.bytes, 0);
    free(bytes);
}

static void plans_are_found_by_request_and_contents(void **state)
{
    (void)state;
    const char *mesh = mesh_path();
    mplan_cache_options strict = {.strict = true};
    write_file(mesh, "one", 3);
    assert_string_equal(find(&usual, "a"), "");
    assert_true(store("a", mesh, "plan of one"));
    assert_string_equal(find(&usual, "a"), "plan of one");
    assert_string_equal(find(&usual, "b"), "");
    write_file(mesh, "two", 3);
    assert_string_equal(find(&usual, "a"), "");
    assert_true(store("a", mesh, "plan of two"));
    assert_string_equal(find(&usual, "a"), "plan of two");
    write_file(mesh, "one", 3);
    assert_string_equal(find(&usual, "a"), "plan of one");
    assert_string_equal(find(&strict, "a"), "plan of one");
    unlink(mesh);
    assert_string_equal(find(&usual, "a"), "");
    assert_false(store("a", mesh, "plan of nothing"));
    assert_false(store("a", "-", "plan of a stream"));
}

/* A mark is believed while the file has its times, and only if it was old when it was kept. */
static void marks_are_believed_of_old_files_only(void **state)
{
    (void)state;
    mplan_error err;
    struct stat about;
    const char *mesh = mesh_path();
    char marks[300];
    mplan_content young, content;
    snprintf(marks, sizeof marks, "%s/1/marks", in_folder("cache"));
    mplan_cache_inputs inputs = {.marks = marks};
    mplan_cache_contents counted;
    write_file(mesh, "one", 3);
    assert_done(mplan_input_content(&inputs, mesh, &young, NULL, &err), &err);
    assert_done(mplan_cache_count(in_folder("cache"), NULL, NULL, &counted, &err), &err);
    assert_int_equal(counted.marks, 0); /* times of an inode cannot be set back: it is young */
    make_old(mesh);
    assert_done(mplan_input_content(&inputs, mesh, &content, NULL, &err), &err);
    assert_done(mplan_cache_count(in_folder("cache"), NULL, NULL, &counted, &err), &err);
    assert_int_equal(counted.marks, 0);
    /* a copy of this test's program is old as a rule; another time of the same file is another mark */
    assert_int_equal(stat("/proc/self/exe", &about), 0);
    assert_done(mplan_input_content(&inputs, "/proc/self/exe", &content, NULL, &err), &err);
    assert_done(mplan_input_content(&inputs, "/proc/self/exe", &young, NULL, &err), &err);
    assert_true(mplan_same_content(&content, &young));
    write_file(mesh, "two", 3);
    make_old(mesh);
    assert_done(mplan_input_content(&inputs, mesh, &young, NULL, &err), &err);
    assert_done(mplan_content_of_file(mesh, NULL, &content, NULL, &err), &err);
    assert_true(mplan_same_content(&content, &young));
}

static void touched_inputs_are_not_stored(void **state)
{
    (void)state;
    mplan_error err;
    bool stored, found;
    const char *why;
    mplan_cache_plan plan;
    write_file(mesh_path(), "one", 3);
    write_file(in_folder("plan"), "p", 1);
    assert_int_equal(mkdir(in_folder("case"), 0777), 0);
    for (int what = 0; what < 4; what++) {
        mplan_cache *cache = open_cache(&usual, "a", NULL);
        mplan_cache_note_input(cache, mesh_path());
        mplan_cache_note_look(cache, in_folder("absent"));
        mplan_cache_note_look(cache, in_folder("case"));
        if (what == 0)
            write_file(mesh_path(), "two", 3);
        if (what == 1)
            write_file(in_folder("absent"), "", 0);
        if (what == 2)
            write_file(in_folder("case/name"), "", 0);
        assert_done(mplan_cache_store(cache, in_folder("plan"), 1, &stored, &why, &err), &err);
        assert_int_equal(stored, what == 3);
        mplan_cache_close(cache);
        unlink(in_folder("absent"));
    }
    mplan_cache *cache = open_cache(&usual, "a", NULL);
    assert_done(mplan_cache_find(cache, &found, &plan, &err), &err);
    assert_true(found);
    unlink(in_folder("case/name"));
    assert_done(mplan_cache_find(cache, &found, &plan, &err), &err);
    assert_false(found);
    mplan_cache_close(cache);
}

/* A plan of the cache that lost a bit, or its end, is written nowhere, by whatever way it goes, and is not there any more. */
static void damaged_plans_are_written_nowhere(void **state)
{
    (void)state;
    enum { SIZE = 2 * (1 << 20) + 9 };
    const mplan_cache_options link = {.link = true};
    char *bytes = calloc(SIZE, 1), object[MPLAN_CACHE_PATH];
    assert_non_null(bytes);
    write_file(mesh_path(), "one", 3);
    for (int way = 0; way < 7;
         way++) { /* written, linked or proved; a bit or the end; and a bit while it is shared */
        const bool bit = way < 3 || way == 6;
        mplan_error err;
        mplan_cache_plan plan;
        mplan_content content;
        bool found, whole = true, stored;
        const char *why;
        write_file(in_folder("plan"), bytes, SIZE);
        mplan_cache *cache = open_cache(way % 3 == 1 ? &link : &usual, "a", NULL);
        mplan_cache_note_input(cache, mesh_path());
        assert_done(mplan_cache_store(cache, in_folder("plan"), 1, &stored, &why, &err), &err);
        assert_true(stored);
        mplan_cache_close(cache);
        assert_done(mplan_content_of_bytes(bytes, SIZE, &content, &err), &err);
        assert_done(mplan_cache_path(in_folder("cache/" MPLAN_CACHE_VERSION), "plans", &content,
                                     ".mplan", object, &err),
                    &err);
        assert_int_equal(chmod(object, 0644), 0);
        cache = open_cache(way % 3 == 1 ? &link : &usual, "a", NULL);
        bytes[SIZE - 1] = way < 3; /* the last bit of the last piece */
        write_file(object, bytes, bit ? SIZE : SIZE - 1);
        bytes[SIZE - 1] = 0;
        assert_done(mplan_cache_find(cache, &found, &plan, &err), &err);
        assert_int_equal(found, bit);
        sharing = way == 6 ? 2 : 0;
        if (found && way == 2)
            assert_done(mplan_cache_prove(cache, &whole, &err), &err);
        else if (found)
            assert_done(mplan_cache_write(cache, in_folder("nowhere"), &whole, &err), &err);
        sharing = 0;
        assert_int_equal(whole, !found);
        assert_int_equal(access(in_folder("nowhere"), F_OK), -1);
        assert_int_equal(access(object, F_OK), -1);
        assert_done(mplan_cache_find(cache, &found, &plan, &err), &err);
        assert_false(found);
        mplan_cache_close(cache);
    }
    free(bytes);
}

/* What this call has said before it looked, as of its job, is not said again. */
static void warnings_are_said_once(void **state)
{
    (void)state;
    mplan_error err;
    bool found, stored;
    const char *why;
    mplan_cache_plan plan;
    static const char *const texts[] = {"of the job", "of the mesh"};
    write_file(mesh_path(), "one", 3);
    write_file(in_folder("plan"), "p", 1);
    mplan_cache *cache = open_cache(&usual, "a", NULL);
    mplan_cache_note_input(cache, mesh_path());
    for (int i = 0; i < 2; i++)
        mplan_cache_note_warning(cache, texts[i]);
    assert_done(mplan_cache_store(cache, in_folder("plan"), 1, &stored, &why, &err), &err);
    assert_true(stored);
    mplan_cache_close(cache);
    for (int said = 0; said < 3; said++) {
        cache = open_cache(&usual, "a", NULL);
        for (int i = 0; i < said; i++)
            mplan_cache_note_warning(cache, texts[i]);
        assert_done(mplan_cache_find(cache, &found, &plan, &err), &err);
        assert_true(found);
        assert_int_equal(plan.n_warnings, 2 - said);
        if (said < 2)
            assert_string_equal(plan.warnings[0], texts[said]);
        mplan_cache_close(cache);
    }
}

/* A record that is cut or has another byte gives entries that were written, or none. */
static void damaged_records_are_read_as_none(void **state)
{
    (void)state;
    mplan_error err;
    bool impossible, whole;
    char *warning = strdup("sets are empty");
    mplan_cache_entry entry = {
        .plan = {{1, 2}, 3}, .seconds = 0.25, .warnings = MPLAN_VECTOR_INIT(sizeof warning)};
    mplan_cache_input file = {MPLAN_INPUT_FILE, strdup("d/mesh 1"), {{4, 5}, 6}, {0}};
    mplan_cache_input absent = {MPLAN_INPUT_ABSENT, strdup("/x"), {{0}, 0}, {0}};
    entry.inputs.list = (mplan_vector)MPLAN_VECTOR_INIT(sizeof file);
    assert_done(mplan_vector_push(&entry.warnings, &warning, &err), &err);
    assert_done(mplan_vector_push(&entry.inputs.list, &file, &err), &err);
    assert_done(mplan_vector_push(&entry.inputs.list, &absent, &err), &err);
    char *text = mplan_record_print(&entry, "d/", &impossible, &err);
    assert_non_null(text);
    assert_false(impossible);
    size_t length = strlen(text);
    for (size_t at = 0; at <= length; at++) {
        for (int way = 0; way < 2; way++) {
            char *damaged = strdup(text);
            if (way == 0)
                damaged[at] = '\0';
            else if (at < length)
                damaged[at] = damaged[at] == '1' ? '2' : '1';
            mplan_cache_entry read;
            const char *from = damaged;
            assert_done(mplan_record_next(&from, "e/", &read, &whole, &err), &err);
            assert_int_equal(whole, at == length);
            if (whole) {
                const mplan_cache_input *input = read.inputs.list.data;
                assert_int_equal(read.inputs.list.count, 2);
                assert_string_equal(input[0].path, "e/mesh 1");
                assert_true(mplan_same_content(&input[0].content, &file.content));
                assert_string_equal(input[1].path, "/x");
                assert_true(mplan_same_content(&read.plan, &entry.plan));
                assert_int_equal(*from, 0);
            }
            mplan_entry_free(&read);
            free(damaged);
        }
    }
    free(text);
    /* what cannot be said in a line is not said; a path that is neither below the base nor absolute, too */
    text = mplan_record_print(&entry, "other/", &impossible, &err);
    assert_true(impossible);
    free(text);
    mplan_entry_free(&entry);
}

/* Processes that store and look at once: each finds what belongs to its request, or nothing. */
static void processes_race(void **state)
{
    (void)state;
    enum { PROCESSES = 6, TURNS = 20 };
    pid_t child[PROCESSES];
    write_file(mesh_path(), "one", 3);
    for (int p = 0; p < PROCESSES; p++) {
        child[p] = fork();
        if (child[p])
            continue;
        bool good = true;
        char request[8], text[32], path[300];
        snprintf(path, sizeof path, "%s/plan%d", test_folder(), p);
        for (int i = 0; i < TURNS && good; i++) {
            mplan_error err;
            bool stored;
            const char *why;
            snprintf(request, sizeof request, "%d", i % 3);
            snprintf(text, sizeof text, "plan of %d", i % 3);
            const char *found = find(&usual, request);
            good = !found[0] || !strcmp(found, text);
            write_file(path, text, strlen(text));
            mplan_cache *cache = open_cache(&usual, request, NULL);
            mplan_cache_note_input(cache, mesh_path());
            good = good && !mplan_cache_store(cache, path, 1, &stored, &why, &err) && stored;
            mplan_cache_close(cache);
        }
        _exit(good ? 0 : 1);
    }
    for (int p = 0; p < PROCESSES; p++) {
        int status;
        assert_int_equal(waitpid(child[p], &status, 0), child[p]);
        assert_int_equal(status, 0);
    }
    mplan_error err;
    mplan_cache_contents contents;
    assert_done(mplan_cache_verify(in_folder("cache"), NULL, &contents, &err), &err);
    assert_int_equal(contents.plans, 3);
    assert_int_equal(contents.requests, 3);
    assert_int_equal(contents.damaged, 0);
    assert_string_equal(find(&usual, "2"), "plan of 2");
}

/* Who holds the lease that another one waits for, and how often that one has asked whether it shall stop. */
typedef struct holder {
    mplan_cache *cache;
    int asked;
} holder;

/* Another process gives the lease back when it has been waited for three times. */
static bool give_back_in_time(void *user)
{
    holder *held = user;
    if (++held->asked == 3) {
        pid_t child = fork();
        if (!child) {
            mplan_cache_close(held->cache);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    return false;
}

/* A lease is one process's; the next waits, and breaks one that nobody shows life of. */
static void leases_are_of_one(void **state)
{
    (void)state;
    mplan_error err;
    bool mine;
    mplan_cache *first = open_cache(&usual, "a", NULL), *second = NULL;
    holder held = {first, 0};
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.cancelled = give_back_in_time;
    context.user = &held;
    assert_done(mplan_cache_open(in_folder("cache"), &usual, &context, &second, &err), &err);
    assert_done(mplan_cache_ask(second, "a", NULL, &err), &err);
    assert_done(mplan_cache_lease(first, &mine, &err), &err);
    assert_true(mine);
    held.asked = 0;
    assert_done(mplan_cache_lease(second, &mine, &err), &err);
    assert_false(mine);
    assert_int_equal(held.asked, 3);
    assert_done(mplan_cache_lease(second, &mine, &err), &err);
    assert_true(mine);
    mplan_cache_contents contents;
    assert_done(mplan_cache_count(in_folder("cache"), NULL, NULL, &contents, &err), &err);
    assert_int_equal(contents.leases, 1);
    mplan_cache_close(first); /* whose lease is another's by now */
    assert_done(mplan_cache_count(in_folder("cache"), NULL, NULL, &contents, &err), &err);
    assert_int_equal(contents.leases, 1);
    mplan_cache_close(second);
    assert_done(mplan_cache_count(in_folder("cache"), NULL, NULL, &contents, &err), &err);
    assert_int_equal(contents.leases, 0);
}

static void cleaning_keeps_what_was_used_last(void **state)
{
    (void)state;
    mplan_error err;
    mplan_cache_contents contents;
    write_file(mesh_path(), "one", 3);
    assert_true(store("a", mesh_path(), "0123456789"));
    make_old(in_folder("plan"));
    char command[600];
    snprintf(command, sizeof command, "find %s/1/plans -type f -exec touch -d 2001-01-01 {} +",
             in_folder("cache"));
    assert_int_equal(system(command), 0);
    assert_true(store("b", mesh_path(), "01234567"));
    assert_done(mplan_cache_clean(in_folder("cache"), -1, NULL, &contents, &err), &err);
    assert_int_equal(contents.plans, 2);
    assert_int_equal(contents.plan_bytes, 18);
    assert_done(mplan_cache_clean(in_folder("cache"), 17, NULL, &contents, &err), &err);
    assert_int_equal(contents.plans, 1);
    assert_int_equal(contents.requests, 1);
    assert_int_equal(contents.removed, 2);
    assert_int_equal(contents.removed_bytes, 10);
    assert_string_equal(find(&usual, "b"), "01234567");
    assert_string_equal(find(&usual, "a"), "");
}

#define IN_FOLDER(test_) cmocka_unit_test_setup_teardown(test_, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(contents_differ_by_every_byte),
        IN_FOLDER(plans_are_found_by_request_and_contents),
        IN_FOLDER(marks_are_believed_of_old_files_only),
        IN_FOLDER(touched_inputs_are_not_stored),
        IN_FOLDER(warnings_are_said_once),
        IN_FOLDER(damaged_records_are_read_as_none),
        IN_FOLDER(damaged_plans_are_written_nowhere),
        IN_FOLDER(processes_race),
        IN_FOLDER(leases_are_of_one),
        IN_FOLDER(cleaning_keeps_what_was_used_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
