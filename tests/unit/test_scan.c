/* SPDX-License-Identifier: Apache-2.0 */
/* test_scan.c - words and exact numbers of text files */
#include "support_test.h"

#include <locale.h>
#include <math.h>

#include "formats/scan.h"

enum { MANY = 200000 };

static mplan_scanner scan_of(const char *text)
{
    mplan_input input = {"x.txt", (const uint8_t *)text, strlen(text), NULL};
    mplan_scanner scan;
    mplan_scan_begin(&scan, &input);
    return scan;
}

static double random_bits(uint64_t *seed)
{
    uint64_t bits = (uint64_t)support_random(seed, INT64_C(1) << 31) << 33 ^
                    (uint64_t)support_random(seed, INT64_C(1) << 31) << 11 ^
                    (uint64_t)support_random(seed, INT64_C(1) << 31);
    double value;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : 1.5;
}

static uint64_t random_digits(uint64_t *seed)
{
    uint64_t digits = (uint64_t)support_random(seed, INT64_C(1) << 31) << 33 ^
                      (uint64_t)support_random(seed, INT64_C(1) << 31) << 2;
    return digits >> support_random(seed, 64);
}

/* One of the ways in which files write reals. */
static void random_real(uint64_t *seed, char *text, size_t size)
{
    double unit = (double)support_random(seed, INT64_C(1) << 31) / 2147483647.0 +
                  (double)support_random(seed, INT64_C(1) << 31) * 0x1p-60;
    int exponent = (int)support_random(seed, 80) - 40;
    switch (support_random(seed, 7)) {
    case 0: snprintf(text, size, "%.17g", random_bits(seed)); break;
    case 1: snprintf(text, size, "%.*g", (int)support_random(seed, 20) + 1, unit); break;
    case 2:
        snprintf(text, size, "%llu.%llue%d", (unsigned long long)random_digits(seed),
                 (unsigned long long)random_digits(seed), exponent);
        break;
    case 3: /* next to the middle of two doubles */
        snprintf(text, size, "%llu%s%d",
                 (unsigned long long)((UINT64_C(1) << 54) + (uint64_t)support_random(seed, 64)),
                 "E+", (int)support_random(seed, 30));
        break;
    case 4:
        snprintf(text, size, "-.%llue-%d", (unsigned long long)random_digits(seed),
                 (int)support_random(seed, 330));
        break;
    case 5: snprintf(text, size, "+00%llu.", (unsigned long long)random_digits(seed)); break;
    default: snprintf(text, size, "%.40f", unit); break;
    }
}

static void reals_equal_strtod(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < MANY; i++) {
        char text[512];
        random_real(&seed, text, sizeof text);
        double value = 0, expected = strtod(text, NULL);
        size_t used = mplan_parse_f64(text, text + strlen(text), &value);
        if (used != strlen(text) || memcmp(&value, &expected, sizeof value) != 0)
            fail_msg("%s read as %.17g with %zu characters, not %.17g", text, value, used, expected);
    }
}

/* Every exponent that the 128-bit ways take, at the edges of the digits. */
static void reals_equal_strtod_at_edges(void **state)
{
    (void)state;
    static const uint64_t digits[] = {1,
                                      9,
                                      UINT64_C(9007199254740991),
                                      UINT64_C(9007199254740992),
                                      UINT64_C(9007199254740993),
                                      UINT64_C(9999999999999999999),
                                      UINT64_C(1000000000000000001),
                                      UINT64_C(4611686018427387905)};
    for (size_t d = 0; d < sizeof digits / sizeof *digits; d++)
        for (int e = -400; e <= 400; e++) {
            char text[64];
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits[d], e);
            double value = 0, expected = strtod(text, NULL);
            mplan_parse_f64(text, text + strlen(text), &value);
            if (memcmp(&value, &expected, sizeof value) != 0)
                fail_msg("%s read as %.17g, not %.17g", text, value, expected);
        }
}

static void long_numbers_are_rounded_right(void **state)
{
    (void)state;
    static char text[5000];
    for (int tail = 0; tail < 2; tail++) { /* 2^53 + 1 is a tie, unless something follows */
        int n = snprintf(text, sizeof text, "9007199254740993.");
        memset(text + n, '0', 3000);
        text[n + 3000] = (char)('0' + tail);
        double value = 0;
        assert_int_equal(mplan_parse_f64(text, text + n + 3001, &value), n + 3001);
        assert_true(value == (tail ? 9007199254740994.0 : 9007199254740992.0));
    }
    memset(text, '0', 4000);
    memcpy(text + 4000, "12.5x", 5);
    double value = 0;
    assert_int_equal(mplan_parse_f64(text, text + 4005, &value), 4004);
    assert_true(value == 12.5);
}

static void special_reals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t used;
        double value;
    } cases[] = {
        {"inf", 3, INFINITY},
        {"-Infinity,", 9, -INFINITY},
        {"1e999", 5, INFINITY},
        {"-1e-999", 7, -0.0},
        {"1e", 1, 1},
        {"1e+", 1, 1},
        {"2.5D+1", 6, 25},
        {"2d2", 3, 200},
        {"5.", 2, 5},
        {".5", 2, 0.5},
        {"+3", 2, 3},
        {"0x10", 1, 0},
        {"1.2.3", 3, 1.2},
        {"-0", 2, -0.0},
        {"1e99999999999999999999", 22, INFINITY},
        {"0e999", 5, 0},
        {".", 0, 0},
        {"-", 0, 0},
        {"", 0, 0},
        {"e5", 0, 0},
        {"--1", 0, 0},
        {"in", 0, 0},
        {"na", 0, 0},
        {"- 1", 0, 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double value = 0;
        size_t used = mplan_parse_f64(cases[c].text, cases[c].text + strlen(cases[c].text), &value);
        if (used != cases[c].used || value != cases[c].value ||
            signbit(value) != signbit(cases[c].value))
            fail_msg("'%s' read as %g with %zu characters", cases[c].text, value, used);
    }
    double value = 0;
    const char *text = "-NaN";
    assert_int_equal(mplan_parse_f64(text, text + 4, &value), 4);
    assert_true(isnan(value));
}

static void locale_does_not_matter(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!setlocale(LC_NUMERIC, names[i]))
            continue;
        double value = 0;
        const char *text = "0.12345678901234567890123e-3";
        mplan_parse_f64(text, text + strlen(text), &value);
        setlocale(LC_NUMERIC, "C");
        assert_true(value == strtod(text, NULL));
    }
}

static void whole_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t used;
        int64_t value;
    } cases[] = {
        {"0", 1, 0},
        {"-17,3", 3, -17},
        {"+5 ", 2, 5},
        {"9223372036854775807", 19, INT64_MAX},
        {"-9223372036854775808", 20, INT64_MIN},
        {"9223372036854775808", 0, 7},
        {"-9223372036854775809", 0, 7},
        {"99999999999999999999999", 0, 7},
        {"000000000000000000000000012", 27, 12},
        {"1.5", 1, 1},
        {"", 0, 7},
        {"-", 0, 7},
        {"x", 0, 7},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int64_t value = 7;
        size_t used = mplan_parse_i64(cases[c].text, cases[c].text + strlen(cases[c].text), &value);
        if (used != cases[c].used || value != cases[c].value)
            fail_msg("'%s' read as %lld with %zu characters", cases[c].text, (long long)value, used);
    }
}

/* The end is a pointer: what follows it must not be looked at. */
static void end_is_heeded(void **state)
{
    (void)state;
    int64_t whole = 0;
    double real = 0;
    const char *text = "12345";
    assert_int_equal(mplan_parse_i64(text, text + 2, &whole), 2);
    assert_int_equal(whole, 12);
    char *two = malloc(2);
    memcpy(two, "1e", 2);
    assert_int_equal(mplan_parse_f64(two, two + 2, &real), 1);
    memcpy(two, "na", 2);
    assert_int_equal(mplan_parse_f64(two, two + 2, &real), 0);
    free(two);
}

static void lines_are_counted(void **state)
{
    (void)state;
    mplan_error err;
    mplan_scanner scan = scan_of("\xef\xbb\xbf"
                                 "one 2\r\n\n  3.5e0\ttwo,three\n-4");
    const char *word = NULL;
    size_t length = 0;
    int64_t whole = 0;
    double real = 0;
    assert_true(mplan_scan_word(&scan, &word, &length));
    assert_int_equal(length, 3);
    assert_memory_equal(word, "one", 3);
    assert_false(mplan_scan_line_ends(&scan));
    assert_done(mplan_scan_i64(&scan, "a number", &whole, &err), &err);
    assert_int_equal(whole, 2);
    assert_true(mplan_scan_line_ends(&scan));
    assert_int_equal(scan.line, 1);
    assert_done(mplan_scan_f64(&scan, "a number", &real, &err), &err);
    assert_int_equal(scan.line, 3);
    assert_true(real == 3.5);
    assert_true(mplan_scan_word(&scan, &word, &length));
    assert_memory_equal(word, "two", 3);
    assert_true(mplan_scan_word(&scan, &word, &length));
    assert_int_equal(length, 1);
    assert_memory_equal(word, ",", 1);
    assert_true(mplan_scan_next_line(&scan));
    assert_int_equal(scan.line, 4);
    assert_done(mplan_scan_i64(&scan, "a number", &whole, &err), &err);
    assert_int_equal(whole, -4);
    assert_false(mplan_scan_skip_space(&scan));
    assert_false(mplan_scan_word(&scan, &word, &length));
    assert_true(mplan_scan_line_ends(&scan));
    assert_false(mplan_scan_next_line(&scan));
}

static void errors_name_the_line(void **state)
{
    (void)state;
    mplan_error err;
    int64_t whole = 7;
    double real = 7;
    mplan_scanner scan = scan_of("\n\n 12abc");
    assert_refused(mplan_scan_i64(&scan, "a node", &whole, &err), MPLAN_ERR_CORRUPT, &err,
                   "x.txt:3: expected a node, found '12abc'");
    assert_refused(mplan_scan_f64(&scan, "a node", &real, &err), MPLAN_ERR_CORRUPT, &err,
                   "x.txt:3: expected a node, found '12abc'");
    scan = scan_of("1.5");
    assert_refused(mplan_scan_i64(&scan, "a node", &whole, &err), MPLAN_ERR_CORRUPT, &err,
                   "found '1.5'");
    scan = scan_of("1\n");
    assert_done(mplan_scan_i64(&scan, "a node", &whole, &err), &err);
    assert_refused(mplan_scan_i64(&scan, "a node", &whole, &err), MPLAN_ERR_CORRUPT, &err,
                   "x.txt:2: expected a node, found the end of the file");
    assert_int_equal(whole, 1);
    scan = scan_of("\x01\x02"
                   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    assert_refused(mplan_scan_i64(&scan, "a node", &whole, &err), MPLAN_ERR_CORRUPT, &err,
                   "found '\?\?aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'");
    assert_refused(mplan_scan_i64(&scan, "a node", &whole, NULL), MPLAN_ERR_CORRUPT, &err, "found");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reals_equal_strtod),
        cmocka_unit_test(reals_equal_strtod_at_edges),
        cmocka_unit_test(long_numbers_are_rounded_right),
        cmocka_unit_test(special_reals),
        cmocka_unit_test(locale_does_not_matter),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(end_is_heeded),
        cmocka_unit_test(lines_are_counted),
        cmocka_unit_test(errors_name_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
