/* SPDX-License-Identifier: Apache-2.0 */
/* Dats in a file, and dats that go through pieces: the bits of steps in memory, and what a full disk, a short file and a disk that
 * cannot be read lead to. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/threads.h"
#include "exec/exec_visit.h"
#include "exec/visit_ring.h"
#include "exec/visit_store.h"
#include "support_limited.h"

/* A plan in which q, qold and adt move, and so do tables. */
static limited small(void)
{
    limited of = {.app = mplan_app_find("airfoil")};
    make_mesh(&of, MPLAN_SHAPE_QUAD, 300, 20, 0, true);
    assert_done(make_plan(&of, 1600000, 2, 8), &of.err);
    return of;
}

static mplan_exec_options options_of(const limited *of, mplan_executor executor, const char *store,
                                     bool unpinned)
{
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    options.executor = executor;
    options.device_memory = of->plan->visit.device_memory;
    options.threads = 2;
    options.store = store;
    options.unpinned = unpinned;
    return options;
}

/* --- bits -------------------------------------------------------------------------------------- */

static void steps_have_equal_bits(void **state)
{
    (void)state;
    static const struct {
        mplan_executor executor;
        const char *store;
        bool unpinned;
    } ways[] = {{MPLAN_EXECUTOR_HOST, ".", false},
                {MPLAN_EXECUTOR_HOST, NULL, true},
                {MPLAN_EXECUTOR_OPENMP, ".", true}};
    enum { N = sizeof ways / sizeof *ways };
    mplan_exec_options options[N];
    limited of = small();
    for (int w = 0; w < N; w++) {
        options[w] = options_of(&of, ways[w].executor, ways[w].store, ways[w].unpinned);
        options[w].launch_streams = 1 + w % 2;
    }
    assert_true(same_as_in_memory(&of, options, N));
    close_all(&of);
}

/* What a dat of an executor in memory has, as it lies there; to be freed. *bytes: how much that is. */
static void *image_of(limited *of, mplan_exec *exec, const char *dat, int64_t *bytes)
{
    mplan_dat_view view;
    assert_done(mplan_exec_data(exec, dat, MPLAN_READ, &view, &of->err), &of->err);
    *bytes = view.storage_rows * view.dim * 8;
    void *image = NULL;
    assert_int_equal(posix_memalign(&image, 16, (size_t)*bytes), 0);
    memcpy(image, view.data, (size_t)*bytes);
    return image;
}

/* q, which moves, and x, which may stay, are memory of the caller's: steps work there, in place of the dat's own memory or file, until
 * it is taken back. */
static void memory_may_be_the_callers(void **state)
{
    static const struct {
        mplan_executor executor;
        const char *store;
        bool unpinned;
    } ways[] = {{MPLAN_EXECUTOR_HOST, NULL, false},
                {MPLAN_EXECUTOR_OPENMP, NULL, true},
                {MPLAN_EXECUTOR_HOST, ".", false}};
    (void)state;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        limited of = small();
        mplan_exec_options options = options_of(&of, ways[w].executor, ways[w].store,
                                                ways[w].unpinned);
        mplan_exec_options memory = MPLAN_EXEC_OPTIONS_INIT;
        mplan_exec_entry entries[16], whole[16];
        int64_t q_bytes, x_bytes, due_bytes;
        memory.executor = MPLAN_EXECUTOR_HOST;
        mplan_exec *exec = open_random(&of, &options, entries),
                   *plain = open_random(&of, &memory, whole);
        void *q = image_of(&of, plain, "q", &q_bytes), *x = image_of(&of, plain, "x", &x_bytes);
        assert_done(mplan_exec_fill(exec, "q", 0, &of.err), &of.err);
        assert_done(mplan_exec_fill(exec, "x", 0, &of.err), &of.err);
        assert_refused(mplan_exec_adopt(exec, "q", "cells", 4, MPLAN_TYPE_F64, -1, q, q_bytes - 1,
                                        &of.err),
                       MPLAN_ERR_ARGUMENT, &of.err, "bytes");
        assert_done(mplan_exec_adopt(exec, "q", "cells", 4, MPLAN_TYPE_F64, -1, q, q_bytes, &of.err),
                    &of.err);
        assert_done(mplan_exec_adopt(exec, "x", "nodes", 2, MPLAN_TYPE_F64, -1, x, x_bytes, &of.err),
                    &of.err);
        assert_done(mplan_exec_steps(exec, entries, of.n_step, 5, &of.err), &of.err);
        assert_done(mplan_exec_steps(plain, whole, of.n_step, 5, &of.err), &of.err);
        void *due = image_of(&of, plain, "q", &due_bytes);
        assert_int_equal(due_bytes, q_bytes);
        assert_memory_equal(due, q, (size_t)q_bytes);
        assert_done(mplan_exec_adopt(exec, "q", "cells", 4, MPLAN_TYPE_F64, -1, NULL, 0, &of.err),
                    &of.err);
        memset(q, 0xff, (size_t)q_bytes); /* nobody looks at it any more */
        assert_refused(mplan_exec_steps(exec, entries, of.n_step, 1, &of.err), MPLAN_ERR_ARGUMENT,
                       &of.err, "not resident");
        assert_done(mplan_exec_adopt(exec, "q", "cells", 4, MPLAN_TYPE_F64, -1, due, due_bytes,
                                     &of.err),
                    &of.err);
        assert_done(mplan_exec_steps(exec, entries, of.n_step, 3, &of.err), &of.err);
        assert_done(mplan_exec_steps(plain, whole, of.n_step, 3, &of.err), &of.err);
        void *last = image_of(&of, plain, "q", &q_bytes);
        assert_memory_equal(last, due, (size_t)due_bytes);
        mplan_exec_close(exec);
        mplan_exec_close(plain);
        free(q);
        free(x);
        free(due);
        free(last);
        close_all(&of);
    }
}

/* However thin slabs are, a stage moves a few pieces: what two events do not part lies together, and begins at a unit of the file. */
static void the_file_has_long_runs(void **state)
{
    (void)state;
    limited of = small();
    mplan_exec_options options = options_of(&of, MPLAN_EXECUTOR_HOST, ".", false);
    mplan_exec_entry entries[16];
    mplan_exec *exec = open_random(&of, &options, entries);
    const mplan_exec_visit *visit = exec->visit;
    const int32_t slabs = visit->record->slabs, most = 2 * visit->record->segments + 2;
    int32_t stored = 0;
    assert_true(slabs > 2 * most);
    for (int32_t s = 0; s < visit->n_streams; s++) {
        const visit_stream *stream = &visit->streams[s];
        int32_t runs = 0;
        for (int32_t b = 0; stream->file_at && b < slabs; b = stream->file_end[b], runs++) {
            assert_true(stream->file_end[b] > b);
            assert_int_equal(stream->file_at[b] % MPLAN_STORE_UNIT, 0);
            assert_true(stream->file_at[stream->file_end[b]] - stream->file_at[b] >=
                        stream->at[stream->file_end[b]] - stream->at[b]);
        }
        assert_true(runs <= most);
        stored += runs > 0;
    }
    assert_true(stored > 0);
    mplan_exec_close(exec);
    close_all(&of);
}

/* A reduction reads the file, a fill writes it; nobody gets a look at memory. */
static void whole_dats_only(void **state)
{
    (void)state;
    limited of = small();
    mplan_exec_options options = options_of(&of, MPLAN_EXECUTOR_HOST, ".", false);
    mplan_exec_entry entries[16];
    mplan_exec *exec = open_random(&of, &options, entries);
    const int64_t cells = mplan_plan_get_set(of.plan, mplan_plan_find_set(of.plan, "cells"))->size;
    double *q = malloc((size_t)cells * 4 * sizeof *q), least = 1e9, found;
    mplan_dat_view view;
    assert_done(mplan_exec_download(exec, "q", q, cells, 4, MPLAN_TYPE_F64, &of.err), &of.err);
    for (int64_t i = 0; i < cells; i++)
        least = q[4 * i] < least ? q[4 * i] : least;
    assert_done(mplan_exec_reduce(exec, "q", 0, MPLAN_MIN, &found, &of.err), &of.err);
    assert_true(found == least);
    assert_done(mplan_exec_fill(exec, "q", 0x40, &of.err), &of.err);
    assert_done(mplan_exec_download(exec, "q", q, cells, 4, MPLAN_TYPE_F64, &of.err), &of.err);
    for (int64_t i = 0; i < cells * 32; i++)
        assert_int_equal(((unsigned char *)q)[i], 0x40);
    assert_done(mplan_exec_clear(exec, "q", NULL, &of.err), &of.err);
    assert_done(mplan_exec_reduce(exec, "q", 3, MPLAN_MAX, &found, &of.err), &of.err);
    assert_true(found == 0);
    assert_refused(mplan_exec_data(exec, "q", MPLAN_READ, &view, &of.err), MPLAN_ERR_UNSUPPORTED,
                   &of.err, "dat q is in a file");
    mplan_exec_close(exec);
    free(q);
    options.device_memory = 0;
    assert_refused(mplan_exec_open(of.plan, &options, &exec, &of.err), MPLAN_ERR_ARGUMENT, &of.err,
                   "needs a limited device memory");
    options = options_of(&of, MPLAN_EXECUTOR_HOST, "no/such/folder", false);
    assert_refused(mplan_exec_open(of.plan, &options, &exec, &of.err), MPLAN_ERR_IO, &of.err,
                   "a store in no/such/folder: No such file");
    close_all(&of);
}

/* One or two, or left open, and only where memory of the device is limited. */
static void numbers_of_streams_are_checked(void **state)
{
    (void)state;
    limited of = small();
    mplan_exec *exec = NULL;
    for (int32_t streams = -1; streams < 4; streams++) {
        mplan_exec_options options = options_of(&of, MPLAN_EXECUTOR_HOST, NULL, false);
        options.launch_streams = streams;
        if (streams >= 0 && streams <= 2) {
            assert_done(mplan_exec_open(of.plan, &options, &exec, &of.err), &of.err);
            mplan_exec_close(exec);
        } else
            assert_refused(mplan_exec_open(of.plan, &options, &exec, &of.err), MPLAN_ERR_ARGUMENT,
                           &of.err, "launch streams, only 1 or 2");
        options.device_memory = 0;
        if (streams != 0)
            assert_refused(mplan_exec_open(of.plan, &options, &exec, &of.err), MPLAN_ERR_ARGUMENT,
                           &of.err, "needs a limited device memory");
    }
    close_all(&of);
}

/* --- disks that fail ----------------------------------------------------------------------------- */

/* Puts another file in the place of the store's descriptors, or, with `other` NULL, shortens the store. Returns how many it
 * found. */
static int spoil_store(const char *other, int flags)
{
    DIR *all = opendir("/proc/self/fd");
    int found = 0;
    assert_non_null(all);
    for (struct dirent *entry; (entry = readdir(all));) {
        char path[300], name[4096];
        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        const ssize_t n = readlink(path, name, sizeof name - 1);
        name[n < 0 ? 0 : n] = '\0';
        if (!strstr(name, "meshplan-store-"))
            continue;
        found++;
        if (!other) {
            assert_int_equal(ftruncate(atoi(entry->d_name), 8192), 0);
            continue;
        }
        const int file = open(other, flags);
        assert_true(file >= 0 && dup2(file, atoi(entry->d_name)) >= 0);
        close(file);
    }
    closedir(all);
    return found;
}

/* Steps on a disk that fails meanwhile end with its reason, and so does what comes next: no result is called done. */
static void failures_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *other;
        int flags;
        const char *says;
    } cases[] = {{NULL, 0, "is shorter than its"},
                 {"/proc/self/mem", O_RDWR, "reading the store in .: Input/output error"},
                 {"/dev/full", O_RDWR, "writing the store in .: No space left on device"}};
    limited of = small();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int unpinned = 0; unpinned < 2; unpinned++) {
            mplan_exec_options options = options_of(&of, MPLAN_EXECUTOR_OPENMP, ".", unpinned);
            mplan_exec_entry entries[16];
            mplan_exec *exec = open_random(&of, &options, entries);
            const int64_t cells =
                mplan_plan_get_set(of.plan, mplan_plan_find_set(of.plan, "cells"))->size;
            double *q = malloc((size_t)cells * 4 * sizeof *q);
            assert_true(spoil_store(cases[c].other, cases[c].flags) > 0);
            assert_refused(mplan_exec_steps(exec, entries, of.n_step, 4, &of.err), MPLAN_ERR_IO,
                           &of.err, cases[c].says);
            assert_refused(mplan_exec_steps(exec, entries, of.n_step, 4, &of.err), MPLAN_ERR_IO,
                           &of.err, cases[c].says);
            if (c < 2)
                assert_refused(mplan_exec_download(exec, "q", q, cells, 4, MPLAN_TYPE_F64, &of.err),
                               MPLAN_ERR_IO, &of.err, cases[c].says);
            else
                assert_refused(mplan_exec_upload(exec, "q", q, cells, 4, MPLAN_TYPE_F64, &of.err),
                               MPLAN_ERR_IO, &of.err, cases[c].says);
            mplan_exec_close(exec);
            free(q);
        }
    close_all(&of);
}

/* A limit of the length of files acts like a disk that is full before anything is computed. */
static void room_is_asked_for_at_once(void **state)
{
    (void)state;
    limited of = small();
    mplan_exec_options options = options_of(&of, MPLAN_EXECUTOR_HOST, ".", false);
    mplan_exec *exec = NULL;
    struct rlimit old, less;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    less = old;
    less.rlim_cur = 100000;
    signal(SIGXFSZ, SIG_IGN);
    assert_done(mplan_exec_open(of.plan, &options, &exec, &of.err), &of.err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
    assert_refused(mplan_exec_declare_all(exec, &of.err), MPLAN_ERR_IO, &of.err, "File too large");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_done(mplan_exec_declare_all(exec, &of.err), &of.err);
    mplan_exec_close(exec);
    close_all(&of);
}

/* --- the ring ------------------------------------------------------------------------------------------ */

/* Ranges of many lengths, out to memory and to the file and in again, more than a slot has room for. */
static void rings_bring_every_byte(void **state)
{
    (void)state;
    enum { N = 40 };
    mplan_error err;
    mplan_store *store = NULL;
    mplan_ring *ring = NULL;
    mplan_team team;
    int64_t at[N], length[N], all = 0;
    mplan_team_open(&team, 3);
    assert_done(mplan_store_open(".", &store, &err), &err);
    for (int i = 0; i < N; i++) {
        length[i] = i == 7 ? 3 << 20 : i == 8 ? (1 << 20) + 1 : 1 + 977 * i;
        all += length[i];
        assert_done(mplan_store_reserve(store, mplan_store_whole(length[i]), &at[i], &err), &err);
    }
    unsigned char *from = malloc((size_t)all), *back = malloc((size_t)all),
                  *home = malloc((size_t)all);
    for (int64_t b = 0; b < all; b++)
        from[b] = (unsigned char)(b * 2654435761u >> 11);
    for (int filed = 0; filed < 2; filed++) {
        memset(back, 0, (size_t)all);
        assert_done(mplan_ring_make(filed ? store : NULL, NULL, &team, &ring, &err), &err);
        for (int in = 0; in < 2; in++) {
            int64_t begin = 0;
            for (int i = 0; i < N; begin += length[i++]) {
                mplan_ring_move move = {.window = (char *)(in ? back : from) + begin,
                                        .home = filed ? NULL : (char *)home + begin,
                                        .at = at[i],
                                        .bytes = length[i],
                                        .turn = INT64_MAX};
                assert_done(mplan_ring_add(ring, in, &move, &err), &err);
            }
            assert_done(mplan_ring_end(ring, &err), &err);
        }
        assert_memory_equal(from, back, (size_t)all);
        mplan_ring_free(ring);
    }
    mplan_store_close(store);
    mplan_team_close(&team);
    free(from);
    free(back);
    free(home);
}

/* The whole ring is used many times over: bytes go out, change, go out again and come in, always behind the writes of before; what comes in
 * is read ahead as far as there is room. Both kinds of home. */
static void reads_follow_writes(void **state)
{
    (void)state;
    enum { N = 9, ROUNDS = 2, LONG = (7 << 20) + 4097 };
    mplan_error err;
    mplan_store *store = NULL;
    mplan_team team;
    int64_t at[N], ahead = 0;
    mplan_team_open(&team, 2);
    assert_done(mplan_store_open(".", &store, &err), &err);
    for (int i = 0; i < N; i++)
        assert_done(mplan_store_reserve(store, mplan_store_whole(LONG), &at[i], &err), &err);
    char *home = malloc((size_t)N * LONG), *out = malloc(LONG), *in = malloc((size_t)N * LONG);
    for (int filed = 0; filed < 2; filed++) {
        mplan_ring *ring = NULL;
        assert_done(mplan_ring_make(filed ? store : NULL, NULL, &team, &ring, &err), &err);
        for (int round = 0; round < ROUNDS; round++) {
            mplan_ring_move move[N];
            for (int i = 0; i < N; i++) {
                move[i] = (mplan_ring_move){.window = in + (size_t)i * LONG,
                                            .home = filed ? NULL : home + (size_t)i * LONG,
                                            .at = at[i],
                                            .bytes = LONG,
                                            .turn = INT64_MAX};
                mplan_ring_move away = move[i];
                away.window = out;
                memset(out, 16 * round + i, LONG); /* the window may change when the call returns */
                assert_done(mplan_ring_add(ring, false, &away, &err), &err);
            }
            const int first = round % 2 ? 0 : N - 1; /* what was written long ago, or just now */
            const int step = round % 2 ? 1 : -1;
            int64_t skip = mplan_ring_read_ahead(ring);
            bool more = true, all = false;
            assert_int_equal(skip, 0);
            for (int i = 0; i < N && more; i++)
                assert_done(mplan_ring_ahead(ring, &move[first + step * i], &skip, &more, &err),
                            &err);
            ahead += mplan_ring_read_ahead(ring);
            for (int i = 0; i < N; i++)
                assert_done(mplan_ring_add(ring, true, &move[first + step * i], &err), &err);
            assert_int_equal(mplan_ring_read_ahead(ring), 0);
            while (!all)
                assert_done(mplan_ring_go(ring, &all, &err), &err);
            for (int i = 0; i < N; i++)
                for (int64_t b = 0; b < LONG; b += 509)
                    assert_int_equal(in[(size_t)i * LONG + (size_t)b], (char)(16 * round + i));
        }
        assert_done(mplan_ring_end(ring, &err), &err);
        mplan_ring_free(ring);
    }
    /* every second round begins with what was written first, which is home: its writes had to end, as there were too few pieces */
    assert_true(ahead > 0);
    mplan_store_close(store);
    mplan_team_close(&team);
    free(home);
    free(out);
    free(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_have_equal_bits),
        cmocka_unit_test(memory_may_be_the_callers),
        cmocka_unit_test(whole_dats_only),
        cmocka_unit_test(the_file_has_long_runs),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(room_is_asked_for_at_once),
        cmocka_unit_test(rings_bring_every_byte),
        cmocka_unit_test(reads_follow_writes),
        cmocka_unit_test(numbers_of_streams_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
