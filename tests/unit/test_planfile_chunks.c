/* SPDX-License-Identifier: Apache-2.0 */
/* test_planfile_chunks.c - lists of chunks at each limit; zlib as it is, and without memory
 *
 * The program is linked with --wrap: zlib's calls and the allocations of the library come here. */
#include "support_memory.h"
#include "support_test.h"

#include "base/threads.h"
#include "planfile/planfile_layout.h"

#ifdef MPLAN_HAVE_ZLIB
#include <zlib.h>
#endif

enum { LIST = 16, EXPANSION = 1032 };

/* chunk_bytes, number, up to two lengths; `stored` bytes in all. */
typedef struct list_case {
    uint64_t chunk_bytes, n, length[2], stored, raw, at;
    const char *what; /* NULL: right */
} list_case;

#define CUT "the list of chunks is incomplete"
#define NUMBER "the number of chunks does not fit the length of the section"
#define LEAVES "a chunk extends beyond its section"
#define SHORT "a chunk is too short for its data"
#define BEHIND "bytes after the last chunk"

static const list_case lists[] = {
    {1, 0, {0}, 0, 0, 0, CUT},
    {1, 0, {0}, LIST - 1, 0, 0, CUT},
    {1, 0, {0}, LIST, 0, 0, NULL},
    {0, 0, {0}, LIST, 0, 0, "chunks of 0 bytes"},
    {1, 0, {0}, LIST + 1, 0, LIST, BEHIND},
    /* one chunk of nothing, which holds up to 1031 bytes */
    {1, 1, {0}, LIST + 8, 1, 0, NULL},
    {1, 1, {0}, LIST + 7, 1, 8, NUMBER},
    {9999, 1, {0}, LIST + 8, EXPANSION - 1, 0, NULL},
    {9999, 1, {0}, LIST + 8, EXPANSION, LIST, SHORT},
    {9999, 1, {1}, LIST + 9, EXPANSION, 0, NULL},
    {9999, 1, {1}, LIST + 9, 2 * EXPANSION - 1, 0, NULL},
    {9999, 1, {1}, LIST + 9, 2 * EXPANSION, LIST, SHORT},
    /* as many as the bytes need */
    {5, 2, {1, 1}, LIST + 18, 10, 0, NULL},
    {5, 2, {1, 1}, LIST + 18, 9, 0, NULL},
    {5, 2, {1, 1}, LIST + 18, 6, 0, NULL},
    {5, 2, {1, 1}, LIST + 18, 11, 8, NUMBER},
    {5, 2, {1, 1}, LIST + 18, 5, 8, NUMBER},
    {5, 1, {1}, LIST + 9, 5, 0, NULL},
    {5, 1, {1}, LIST + 9, 6, 8, NUMBER},
    /* lengths and what is there */
    {5, 2, {1, 1}, LIST + 17, 10, LIST + 8, LEAVES},
    {5, 2, {2, 0}, LIST + 17, 10, LIST, LEAVES},
    {5, 2, {1, 1}, LIST + 19, 10, LIST + 18, BEHIND},
    {5, 2, {0, 2}, LIST + 18, 10, 0, NULL},
    {5, 2, {UINT64_MAX, 2}, LIST + 17, 10, LIST, LEAVES},
    /* the last one is what is left */
    {EXPANSION, 2, {1, 0}, LIST + 17, 2 * EXPANSION - 1, 0, NULL},
    {EXPANSION, 2, {1, 0}, LIST + 17, 2 * EXPANSION, LIST + 8, SHORT},
};

static void lists_fit_their_sections(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const list_case *one = &lists[i];
        uint8_t bytes[64] = {0};
        uint64_t at = 99;
        const char *what = NULL;
        mplan_store64(bytes, one->chunk_bytes);
        mplan_store64(bytes + 8, one->n);
        mplan_store64(bytes + LIST, one->length[0]);
        mplan_store64(bytes + LIST + 8, one->length[1]);
        mplan_status status = mplan_chunks_check(bytes, one->stored, one->raw, &at, &what);
        if (status != (one->what ? MPLAN_ERR_CORRUPT : MPLAN_OK))
            fail_msg("list %d: %s", (int)i, what);
        if (one->what && (strcmp(what, one->what) != 0 || at != one->at))
            fail_msg("list %d: byte %d: %s", (int)i, (int)at, what);
    }
}

/* Sections are 64 bytes apart, longer ones begin on pages; kinds are told apart. */
static void places_and_kinds(void **state)
{
    const uint64_t large = UINT64_C(1) << 20;
    (void)state;
    assert_int_equal(mplan_section_place(0, 0), 0);
    assert_int_equal(mplan_section_place(1, 1), 64);
    assert_int_equal(mplan_section_place(64, large), 64);
    assert_int_equal(mplan_section_place(65, large), 128);
    assert_int_equal(mplan_section_place(65, large + 1), 4096);
    assert_int_equal(mplan_section_place(4096, large + 1), 4096);
    for (uint32_t kind = 0; kind < 32; kind++)
        assert_int_equal(mplan_kind_is_record(kind), kind >= 1 && kind <= MPLAN_KIND_STREAMS);
}

#ifdef MPLAN_HAVE_ZLIB

static _Atomic int denied_calls; /* zlib answers that it has no memory; threads deflate side by side */
int __real_compress2(Bytef *to, uLongf *length, const Bytef *from, uLong n, int level);
int __real_uncompress2(Bytef *to, uLongf *length, const Bytef *from, uLong *n);
int __wrap_compress2(Bytef *to, uLongf *length, const Bytef *from, uLong n, int level);
int __wrap_uncompress2(Bytef *to, uLongf *length, const Bytef *from, uLong *n);
int __wrap_compress2(Bytef *to, uLongf *length, const Bytef *from, uLong n, int level)
{
    return denied_calls-- == 1 ? Z_MEM_ERROR : __real_compress2(to, length, from, n, level);
}
int __wrap_uncompress2(Bytef *to, uLongf *length, const Bytef *from, uLong *n)
{
    return denied_calls-- == 1 ? Z_MEM_ERROR : __real_uncompress2(to, length, from, n);
}

static uint8_t *numbers(int64_t n)
{
    uint8_t *bytes = malloc((size_t)n);
    assert_non_null(bytes);
    for (int64_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)((i ^ i >> 7) % 251);
    return bytes;
}

static void chunks_come_back(void **state)
{
    const int64_t chunk = MPLAN_CHUNK_BYTES;
    const int64_t sizes[] = {1, 2, 1024, chunk - 1, chunk, chunk + 1, 5 * chunk + 3};
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const mplan_context wanted = {.struct_size = sizeof wanted, .threads = threads};
            mplan_threaded threaded;
            const mplan_context *context = mplan_threaded_open(&wanted, &threaded);
            uint8_t *raw = numbers(sizes[i]), *again = calloc(1, (size_t)sizes[i]), *stored = NULL;
            int64_t n = 0;
            uint64_t at = 0;
            const char *what = "";
            mplan_error err;
            assert_done(mplan_chunks_deflate(raw, sizes[i], &stored, &n, context, &err), &err);
            assert_int_equal(mplan_chunks_check(stored, (uint64_t)n, (uint64_t)sizes[i], &at, &what),
                             MPLAN_OK);
            assert_done(mplan_chunks_inflate(stored, (uint64_t)sizes[i], again, context, &at, &what,
                                             &err),
                        &err);
            assert_memory_equal(raw, again, (size_t)sizes[i]);
            mplan_threaded_close(&threaded);
            free(stored);
            free(again);
            free(raw);
        }
}

/* A stream of 99 bytes for 100, of 100 for 99, with a byte behind it, and with a byte changed. */
static void wrong_chunks_are_found(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 5; wrong++) {
        const int64_t there = wrong == 1 ? 99 : 100, claimed = wrong == 2 ? 99 : 100;
        uint8_t *raw = numbers(there), again[128], *stored = NULL, *given;
        int64_t n = 0;
        uint64_t at = 0;
        const char *what = "";
        mplan_error err;
        assert_done(mplan_chunks_deflate(raw, there, &stored, &n, NULL, &err), &err);
        given = calloc(1, (size_t)n + 1);
        memcpy(given, stored, (size_t)n);
        if (wrong == 3)
            mplan_store64(given + LIST, mplan_load64(given + LIST) + 1);
        if (wrong == 4)
            given[n - 1] ^= 1; /* of the checksum */
        const mplan_status status = mplan_chunks_inflate(given, (uint64_t)claimed, again, NULL, &at,
                                                         &what, &err);
        assert_int_equal(status, wrong ? MPLAN_ERR_CORRUPT : MPLAN_OK);
        if (wrong) {
            assert_string_equal(what, "a chunk cannot be inflated");
            assert_int_equal(at, LIST + 8);
        }
        free(given);
        free(stored);
        free(raw);
    }
}

/* Of several wrong chunks the first is named. */
static void the_first_wrong_chunk_is_named(void **state)
{
    const int64_t size = 4 * MPLAN_CHUNK_BYTES;
    uint8_t *raw = numbers(size), *again = malloc((size_t)size), *stored = NULL;
    int64_t n = 0;
    uint64_t at = 0;
    const char *what = "";
    mplan_error err;
    (void)state;
    assert_done(mplan_chunks_deflate(raw, size, &stored, &n, NULL, &err), &err);
    const uint64_t second = LIST + 32 + mplan_load64(stored + LIST);
    stored[second] ^= 0xff;
    stored[n - 1] ^= 1;
    assert_int_equal(mplan_chunks_inflate(stored, (uint64_t)size, again, NULL, &at, &what, &err),
                     MPLAN_ERR_CORRUPT);
    assert_int_equal(at, second);
    free(stored);
    free(again);
    free(raw);
}

static bool cancel(void *user)
{
    return ++*(int *)user > 0;
}

static void memory_that_runs_out_is_said(void **state)
{
    const int64_t size = 2 * MPLAN_CHUNK_BYTES;
    uint8_t *raw = numbers(size), *again = malloc((size_t)size), *stored = NULL, *other;
    int64_t n = 0;
    uint64_t at = 0;
    const char *what = "";
    mplan_error err;
    int looks = 0;
    const mplan_context stopping = {
        .struct_size = sizeof stopping, .threads = 1, .cancelled = cancel, .user = &looks};
    (void)state;
    assert_done(mplan_chunks_deflate(raw, size, &stored, &n, NULL, &err), &err);
    assert_int_equal(mplan_chunks_deflate(raw, size, &other, &n, &stopping, &err),
                     MPLAN_ERR_INTERRUPTED);
    for (int k = 1; k <= 2; k++) { /* zlib's */
        denied_calls = k;
        assert_refused(mplan_chunks_deflate(raw, size, &other, &n, NULL, &err), MPLAN_ERR_MEMORY,
                       &err, "while deflating");
        denied_calls = k;
        assert_refused(mplan_chunks_inflate(stored, (uint64_t)size, again, NULL, &at, &what, &err),
                       MPLAN_ERR_MEMORY, &err, "while inflating");
    }
    denied_calls = 0;
    for (int way = 0; way < 2; way++) /* ours */
        for (int64_t k = 1;; k++) {
            const int64_t live = support_memory.live;
            support_memory.left = k;
            support_memory.fired = false;
            support_memory.armed = true;
            const mplan_status status = way ? mplan_chunks_inflate(stored, (uint64_t)size, again,
                                                                   NULL, &at, &what, &err)
                                            : mplan_chunks_deflate(raw, size, &other, &n, NULL, &err);
            support_memory.armed = false;
            assert_int_equal(status, support_memory.fired ? MPLAN_ERR_MEMORY : MPLAN_OK);
            if (status == MPLAN_OK && !way)
                free(other);
            assert_int_equal(support_memory.live, live);
            if (!support_memory.fired)
                break;
        }
    free(stored);
    free(again);
    free(raw);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_fit_their_sections),
        cmocka_unit_test(places_and_kinds),
#ifdef MPLAN_HAVE_ZLIB
        cmocka_unit_test(chunks_come_back),
        cmocka_unit_test(wrong_chunks_are_found),
        cmocka_unit_test(the_first_wrong_chunk_is_named),
        cmocka_unit_test(memory_that_runs_out_is_said),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
