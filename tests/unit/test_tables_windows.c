/* SPDX-License-Identifier: Apache-2.0 */
/* test_tables_windows.c - owner-gather's tables in windows16, against the plainest code */
#include "support_gather.h"
#include "support_test.h"
#include "tables/owner_windows.h"

enum { MOST_OTHERS = 3 };

static const mplan_row_order STORED = {MPLAN_SUMS_ORDER_STORED, 0, NULL, 0, false, false};

/* A loop: elements between two points each, other maps, perhaps direct args. */
typedef struct problem {
    mplan_map pairs, others[MOST_OTHERS];
    support_gather in;
    mplan_owner_loop loop;
} problem;

/* Elements join points that are near (spread: how far), some none; other maps lead to sets of their own
 * size. */
static void make_problem(problem *p, uint64_t *seed, int64_t n, int64_t n_points, int64_t spread)
{
    *p = (problem){0};
    p->pairs = support_random_map(seed, n, n_points, 2, 0);
    int32_t *values = (int32_t *)(uintptr_t)p->pairs.values; /* the test's own */
    for (int64_t e = 0; e < n && n_points > 0; e++) {
        int64_t base = e * n_points / n, a = base + support_random(seed, spread),
                b = base + support_random(seed, spread);
        bool none = support_random(seed, 20) == 0;
        values[2 * e] = none ? -1 : (int32_t)(a % n_points);
        values[2 * e + 1] = none ? -1 : (int32_t)(b % n_points);
    }
    p->loop = (mplan_owner_loop){&p->pairs, 1, p->others,
                                 (int32_t)support_random(seed, MOST_OTHERS + 1),
                                 support_random(seed, 2)};
    for (int32_t m = 0; m < p->loop.n_others; m++)
        p->others[m] = support_random_map(seed, n, 1 + support_random(seed, 20 * spread),
                                          (int32_t)(1 + support_random(seed, 3)), 0);
    p->in = (support_gather){.maps = &p->pairs,
                             .n_increment = 1,
                             .n_local = 1,
                             .others = p->others,
                             .n_others = p->loop.n_others,
                             .direct = p->loop.direct};
}

static void problem_free(problem *p)
{
    support_map_free(&p->pairs);
    for (int32_t m = 0; m < p->loop.n_others; m++)
        support_map_free(&p->others[m]);
}

/* Every entry leads back to its code; where points are not sorted, the table has the bytes of the
 * reference. rows: of a slice. Returns the columns of plain codes. */
static int64_t check_table(const problem *p, int32_t rows, int32_t *widths)
{
    mplan_error err;
    mplan_owner_table out;
    uint64_t seed = 1;
    int64_t *begin;
    int32_t *codes = support_gather_codes(&p->in, &begin);
    assert_null(mplan_table_windows_lack(&p->loop, NULL));
    const mplan_row_order order = {MPLAN_SUMS_ORDER_STORED, 0, NULL, rows, false, false};
    assert_done(mplan_table_windows(&p->loop, &order, &out, NULL, &err), &err);
    assert_int_equal(out.rows, rows);
    assert_int_equal(out.encoding, MPLAN_ENCODING_WINDOWS16);
    widths[out.width]++;
    for (int64_t r = 0; r < out.rows * out.n_slices; r++) {
        int64_t first, columns = support_gather_columns(&out, r / out.rows, &first);
        int64_t point = r < p->pairs.n_points ? support_gather_point(&out, r) : -1;
        for (int64_t k = 0; k < columns; k++) {
            int64_t wanted = point >= 0 && begin[point] + k < begin[point + 1]
                                 ? codes[begin[point] + k]
                                 : -1;
            assert_int_equal(support_gather_decode(&p->in, &out, r, k), wanted);
        }
    }
    mplan_owner_table same = support_gather_owner(&p->in, MPLAN_ENCODING_WINDOWS16, rows, &seed);
    if (!out.window && !same.window) {
        assert_int_equal(out.fields, same.fields);
        assert_int_equal(out.n_plain, same.n_plain);
        assert_memory_equal(out.entries, same.entries,
                            (size_t)(2 * out.rows * out.n_columns * out.fields));
        assert_memory_equal(out.windows, same.windows, (size_t)(64 * out.n_slices));
        assert_memory_equal(out.plain, same.plain, (size_t)(4 * out.rows * out.n_plain));
    }
    int64_t plain = out.n_plain;
    mplan_table_owner_free(&same);
    mplan_table_owner_free(&out);
    free(begin);
    free(codes);
    return plain;
}

static void tables_equal_the_reference(void **state)
{
    (void)state;
    uint64_t seed = 71;
    int32_t widths[5] = {0};
    int64_t plain = 0;
    for (int i = 0; i < 300; i++) {
        problem p;
        int64_t n_points = support_random(&seed, 200);
        make_problem(&p, &seed,
                     n_points ? support_random(&seed, 5 * (n_points / (1 + i % 7)) + 1) : 0,
                     n_points, 1 + support_random(&seed, 60));
        assert_int_equal(check_table(&p, i % 2 ? 32 : 64, widths),
                         0); /* below 2,048 points one window has them all */
        problem_free(&p);
    }
    for (int i = 0; i < 12; i++) { /* far apart: some slices need more windows than there are */
        problem p;
        make_problem(&p, &seed, 200, 64, i % 3 ? 3000 : 90000);
        plain += check_table(&p, i % 2 ? 32 : 64, widths);
        problem_free(&p);
    }
    assert_true(plain > 0);
    for (int w = 0; w <= 4; w++)
        assert_true(widths[w] > 0);
}

/* One slice of 32 points with a neighbour each, `apart` from one another. */
static int64_t windows_of_line(int64_t neighbours, int64_t apart, mplan_owner_table *out)
{
    mplan_error err;
    int32_t values[64];
    for (int64_t e = 0; e < 32; e++) {
        values[2 * e] = (int32_t)e;
        values[2 * e + 1] = (int32_t)(32 + (e < neighbours ? e : neighbours - 1) * apart);
    }
    mplan_map map = {"line", 0, 1, 2, 32, 32 + neighbours * apart, NULL, values};
    mplan_owner_loop loop = {&map, 1, NULL, 0, false};
    assert_done(mplan_table_windows(&loop, &STORED, out, NULL, &err), &err);
    return out->windows[15];
}

static void windows_end_where_they_should(void **state)
{
    (void)state;
    mplan_owner_table out;
    assert_int_equal(windows_of_line(2, 2047, &out), 1);
    assert_int_equal(out.windows[0], 32);
    mplan_table_owner_free(&out);
    assert_int_equal(windows_of_line(2, 2048, &out), 2);
    assert_int_equal(out.windows[1], 32 + 2048);
    mplan_table_owner_free(&out);
    assert_int_equal(windows_of_line(15, 5000, &out), 15);
    mplan_table_owner_free(&out);
    assert_int_equal(windows_of_line(16, 5000, &out), -1);
    assert_int_equal(out.windows[0], 0);
    assert_true(out.n_plain >= 1);
    mplan_table_owner_free(&out);
}

static void what_cannot_be_said_is_refused(void **state)
{
    (void)state;
    mplan_error err;
    mplan_owner_table out;
    int32_t values[] = {0, 1, 1, 2}, one[] = {0, -1, 1, 2}, slots[] = {0, -1};
    int64_t offsets[] = {0, 1, 2};
    mplan_map pairs = {"pairs", 0, 1, 2, 2, 3, NULL, values},
              three = {"three", 0, 1, 1, 2, 3, NULL, values};
    mplan_map half = {"half", 0, 1, 2, 2, 3, NULL, one},
              open = {"open", 0, 2, 1, 2, 1, NULL, slots};
    mplan_map ragged = {"ragged", 0, 2, 0, 2, 1, offsets, slots};
    mplan_map two[] = {pairs, pairs};
    const struct {
        mplan_owner_loop loop;
        const char *lacks;
    } cases[] = {
        {{&three, 1, NULL, 0, true}, "increments through one map of two points"},
        {{two, 2, NULL, 0, true}, "increments through one map of two points"},
        {{&half, 1, NULL, 0, true}, "two points of every element that has one"},
        {{&pairs, 1, &open, 1, true}, "a point in every slot of the other maps"},
        {{&pairs, 1, &ragged, 1, true}, "other maps with an arity"},
    };
    mplan_team team;
    mplan_team_open(&team, 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(mplan_table_windows_lack(&cases[i].loop, NULL), cases[i].lacks);
        team.pieces = 2;
        assert_string_equal(mplan_table_windows_lack(&cases[i].loop, &team), cases[i].lacks);
        assert_refused(mplan_table_windows(&cases[i].loop, &STORED, &out, NULL, &err),
                       MPLAN_ERR_ARGUMENT, &err, cases[i].lacks);
        assert_null(out.entries);
    }
    mplan_team_close(&team);
    one[0] = -1; /* an element without points is in no row, whatever its other slots say */
    one[1] = -1;
    slots[0] = -1;
    slots[1] = 0;
    const mplan_owner_loop loop = {&half, 1, &open, 1, true};
    assert_null(mplan_table_windows_lack(&loop, NULL));
}

static void tables_of_nothing(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{0, 0}, {0, 5}, {5, 0}, {5, 5}};
    int32_t values[10], widths[5] = {0};
    memset(values, 0xff, sizeof values);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        problem p = {0};
        p.pairs = (mplan_map){"nothing", 0, 1, 2, sizes[i][0], sizes[i][1], NULL, values};
        p.loop = (mplan_owner_loop){&p.pairs, 1, NULL, 0, true};
        p.in = (support_gather){.maps = &p.pairs, .n_increment = 1, .n_local = 1, .direct = true};
        assert_int_equal(check_table(&p, i % 2 ? 32 : 64, widths), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_equal_the_reference),
        cmocka_unit_test(windows_end_where_they_should),
        cmocka_unit_test(what_cannot_be_said_is_refused),
        cmocka_unit_test(tables_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
